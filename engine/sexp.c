#include "sexp.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* An open list: its elements so far stand on the reader's stack. */
struct open {
	sexp head;
	uint32_t first;
	const char *start;
};

struct reader {
	arena *a;
	const char *file, *p, *end, *line_start;
	uint32_t line;
	sexp *done;		/* finished elements of all open lists */
	uint32_t ndone, donecap;
	struct open *open;
	uint32_t nopen, opencap;
	const char *comment, *comment_end;
	const char *error;
};

const char *sexp_error(arena *a, const char *file, const sexp *at, const char *fmt, ...)
{
	char text[512];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	return arena_printf(a, "%s:%u:%u: %s", file, at->line, at->col, text);
}

static sexp here(const struct reader *r)
{
	sexp s = { .line = r->line, .col = (uint32_t)(r->p - r->line_start) + 1, .comment = "" };

	return s;
}

static bool fail(struct reader *r, const sexp *at, const char *what)
{
	r->error = sexp_error(r->a, r->file, at, "%s", what);
	return false;
}

static void newline(struct reader *r, const char *at)
{
	r->line++;
	r->line_start = at + 1;
}

static bool blank(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

/* Skips white space and comments; remembers the comment that ends straight above. */
static void skip(struct reader *r)
{
	const char *p = r->p, *nl;
	bool fresh = true;	/* nothing but line ends since the last comment line */

	r->comment = NULL;
	for (; p < r->end; p++) {
		if (*p == ';') {
			if (!r->comment || !fresh)
				r->comment = p;
			nl = memchr(p, '\n', (size_t)(r->end - p));
			p = r->comment_end = nl ? nl : r->end;
			fresh = true;
			if (!nl)
				break;
			newline(r, p);
		} else if (*p == '\n') {
			newline(r, p);
			fresh = false;
		} else if (!blank(*p)) {
			break;
		}
	}
	r->p = p;
	if (!fresh)
		r->comment = NULL;
}

static const char *copy(struct reader *r, const char *from, size_t n)
{
	char *s = arena_alloc(r->a, n + 1);

	memcpy(s, from, n);
	s[n] = 0;
	return s;
}

/* The comment lines without their semicolons. */
static const char *take_comment(struct reader *r)
{
	const char *p = r->comment;
	char *out, *o;

	if (!p)
		return "";
	o = out = arena_alloc(r->a, (size_t)(r->comment_end - p) + 1);
	while (p < r->comment_end) {
		while (p < r->comment_end && (blank(*p) || *p == ';'))
			p++;
		while (p < r->comment_end && *p != '\n')
			*o++ = *p++;
		if (p < r->comment_end)
			*o++ = '\n';
	}
	*o = 0;
	return out;
}

/* Plain heap: what one file used, the next one has again. */
static void *grown(void *p, uint32_t n, uint32_t *cap, size_t width)
{
	if (n < *cap)
		return p;
	*cap = *cap ? *cap * 2 : 64;
	p = realloc(p, *cap * width);
	if (!p) {
		die_hook("out of memory");
		abort();
	}
	return p;
}

static void put(struct reader *r, const sexp *s)
{
	r->done = grown(r->done, r->ndone, &r->donecap, sizeof *r->done);
	r->done[r->ndone++] = *s;
}

static bool read_string(struct reader *r)
{
	sexp s = here(r);
	const char *q;
	char *out, *o;

	for (q = r->p + 1; q < r->end && *q != '"'; q++)
		if (*q == '\\' && q + 1 < r->end)
			q++;
	if (q >= r->end)
		return fail(r, &s, "a string without end");
	o = out = arena_alloc(r->a, (size_t)(q - r->p) + 1);
	for (r->p++; *r->p != '"'; r->p++) {
		if (*r->p == '\n')
			newline(r, r->p);
		if (*r->p != '\\') {
			*o++ = *r->p;
			continue;
		}
		r->p++;
		switch (*r->p) {
		case 'n':
			*o++ = '\n';
			break;
		case 't':
			*o++ = '\t';
			break;
		case '\\':
		case '"':
			*o++ = *r->p;
			break;
		default:
			return fail(r, &s, "an unknown escape in a string");
		}
	}
	r->p++;
	*o = 0;
	s.kind = SEXP_STRING;
	s.text = out;
	s.n = (uint32_t)(o - out);
	put(r, &s);
	return true;
}

static bool decimal(const char *w)
{
	bool digit = false;

	if (*w == '+' || *w == '-')
		w++;
	for (; *w; w++) {
		if (*w < '0' || *w > '9')
			return false;
		digit = true;
	}
	return digit;
}

/* What strtod takes, without its names and hexadecimal forms. */
static bool floating(const char *w)
{
	bool digit = false;
	const char *p = w;

	for (; *p; p++) {
		if (*p >= '0' && *p <= '9')
			digit = true;
		else if (!strchr("+-.eE", *p))
			return false;
		else if ((*p == 'e' || *p == 'E') && !digit)
			return false;
	}
	return digit;
}

static void number(sexp *s)
{
	char *end;

	if (decimal(s->text)) {
		errno = 0;
		s->i = strtoll(s->text, &end, 10);
		s->kind = SEXP_INT;
		if (!errno)
			return;
		s->f = strtod(s->text, &end);
	} else if (!floating(s->text) || (s->f = strtod(s->text, &end), *end || !isfinite(s->f))) {
		return;
	}
	s->kind = SEXP_FLOAT;
}

/* The first character tells nearly every symbol from all else. */
static void classify(sexp *s)
{
	static const struct { const char *name; enum sexp_kind kind; double f; } names[] = {
		{ "true", SEXP_BOOL, 1 }, { "false", SEXP_BOOL, 0 },
		{ "NaN", SEXP_FLOAT, NAN }, { "inf", SEXP_FLOAT, INFINITY }, { "-inf", SEXP_FLOAT, -INFINITY },
	};
	uint32_t k;

	s->kind = SEXP_SYMBOL;
	for (k = 0; k < sizeof names / sizeof *names; k++) {
		if (names[k].name[0] != s->text[0] || strcmp(names[k].name, s->text))
			continue;
		s->kind = names[k].kind;
		if (s->kind == SEXP_BOOL)
			s->i = names[k].f != 0;
		else
			s->f = names[k].f;
		return;
	}
	if (strchr("+-.0123456789", s->text[0]))
		number(s);
}

static bool in_word(char c)
{
	return (unsigned char)c > ' ' ? c != ';' && c != '(' && c != ')' : c && !blank(c);
}

static bool read_word(struct reader *r)
{
	sexp s = here(r);
	const char *q = r->p;

	while (q < r->end && in_word(*q))
		q++;
	if (q < r->end && !*q)
		return fail(r, &s, "a zero byte");
	s.text = copy(r, r->p, (size_t)(q - r->p));
	r->p = q;
	classify(&s);
	put(r, &s);
	return true;
}

static bool open_list(struct reader *r)
{
	struct open *o;
	sexp s = here(r);

	if (r->nopen == SEXP_DEPTH)
		return fail(r, &s, "lists are nested too deeply");
	r->open = grown(r->open, r->nopen, &r->opencap, sizeof *r->open);
	o = &r->open[r->nopen++];
	o->head = s;
	o->head.kind = SEXP_LIST;
	if (r->nopen == 1)
		o->head.comment = take_comment(r);
	o->first = r->ndone;
	o->start = r->p++;
	return true;
}

static bool close_list(struct reader *r)
{
	struct open o;
	sexp s = here(r), *at;

	if (!r->nopen)
		return fail(r, &s, "a closing parenthesis without an opening one");
	o = r->open[--r->nopen];
	r->p++;
	s = o.head;
	s.n = r->ndone - o.first;
	at = ARENA_ARRAY(r->a, sexp, s.n);
	if (s.n)
		memcpy(at, r->done + o.first, s.n * sizeof *at);
	s.at = at;
	s.text = r->nopen ? "" : copy(r, o.start, (size_t)(r->p - o.start));
	r->ndone = o.first;
	put(r, &s);
	return true;
}

static bool read_one(struct reader *r)
{
	switch (*r->p) {
	case '(':
		return open_list(r);
	case ')':
		return close_list(r);
	case '"':
		return read_string(r);
	default:
		return read_word(r);
	}
}

static const sexp *read_all(struct reader *r)
{
	sexp *top, *at;

	for (;;) {
		skip(r);
		if (r->p == r->end)
			break;
		if (!read_one(r))
			return NULL;
	}
	if (r->nopen) {
		fail(r, &r->open[r->nopen - 1].head, "a list without end");
		return NULL;
	}
	top = ARENA_NEW(r->a, sexp);
	top->kind = SEXP_LIST;
	top->n = r->ndone;
	top->line = top->col = 1;
	top->text = top->comment = "";
	top->at = at = ARENA_ARRAY(r->a, sexp, top->n);
	if (top->n)
		memcpy(at, r->done, top->n * sizeof *at);
	return top;
}

const sexp *sexp_read(arena *a, const char *file, const char *text, size_t n, const char **error)
{
	struct reader r = { .a = a, .file = file, .p = text, .end = text + n, .line_start = text, .line = 1 };
	const sexp *top;

	top = read_all(&r);
	*error = r.error;
	free(r.done);
	free(r.open);
	return top;
}
