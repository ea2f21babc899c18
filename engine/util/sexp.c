#include "util/sexp.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* An open list: its elements so far stand on the reader's stack. */
struct open {
	uint32_t line, col, first;
	const char *comment, *start;
};

struct sexp_reader {
	arena *a, *lists;
	const char *file, *text, *p, *end, *line_start;
	char *copy;		/* of the text: words and strings stand in it, a zero byte after each */
	uint32_t line;
	sexp *done;		/* finished elements of all open lists */
	uint32_t ndone, donecap;
	struct open *open;
	uint32_t nopen, opencap;
	const char *comment, *comment_end;
	bool apart;		/* a blank line was skipped, or the comment was not straight above */
	const char *shared;	/* the comment of the form above, which one straight below it shares */
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

const char *sexp_message(const char *error, const char *file)
{
	size_t n = strlen(file);
	const char *at = error + n;

	if (strncmp(error, file, n) || *at != ':')
		return error;
	at += strspn(at, ":0123456789");
	return *at == ' ' ? at + 1 : error;
}

static bool fail(sexp_reader *r, const sexp *at, const char *what)
{
	r->error = sexp_error(r->a, r->file, at, "%s", what);
	return false;
}

static bool fail_here(sexp_reader *r, const char *what)
{
	sexp s = { .line = r->line, .col = (uint32_t)(r->p - r->line_start) + 1 };

	return fail(r, &s, what);
}

static void newline(sexp_reader *r, const char *at)
{
	r->line++;
	r->line_start = at + 1;
}

static bool blank(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

/* Skips white space and comments; remembers the comment that ends straight above, and whether a blank line lies between. */
static void skip(sexp_reader *r)
{
	const char *p = r->p, *nl;
	bool fresh = true;	/* nothing but line ends since the last comment line */
	int ends = 0;		/* of lines, in a row */

	r->comment = NULL;
	r->apart = false;
	for (; p < r->end; p++) {
		if (*p == ';') {
			if (!r->comment || !fresh)
				r->comment = p;
			nl = memchr(p, '\n', (size_t)(r->end - p));
			p = r->comment_end = nl ? nl : r->end;
			fresh = true;
			ends = 1;
			if (!nl)
				break;
			newline(r, p);
		} else if (*p == '\n') {
			newline(r, p);
			fresh = false;
			r->apart = r->apart || ++ends > 1;
		} else if (!blank(*p)) {
			break;
		}
	}
	r->p = p;
	if (!fresh)
		r->comment = NULL;
}

/* The comment lines without their semicolons; without any those of the form straight above. */
static const char *take_comment(sexp_reader *r)
{
	const char *p = r->comment, *end;
	char *out, *o;

	if (!p)
		return r->shared = r->apart ? "" : r->shared;
	o = out = arena_alloc(r->a, (size_t)(r->comment_end - p) + 2);
	for (; p < r->comment_end; p = end + 1) {
		while (p < r->comment_end && (blank(*p) || *p == ';'))
			p++;
		end = memchr(p, '\n', (size_t)(r->comment_end - p));
		end = end ? end : r->comment_end;
		memcpy(o, p, (size_t)(end - p));
		o += end - p;
		*o++ = '\n';
	}
	o[-1] = 0;
	return r->shared = out;
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

/* A new finished element, at the place of the next byte. */
static sexp *put(sexp_reader *r, enum sexp_kind kind)
{
	sexp *s;

	r->done = grown(r->done, r->ndone, &r->donecap, sizeof *r->done);
	s = &r->done[r->ndone++];
	s->kind = kind;
	s->line = r->line;
	s->col = (uint32_t)(r->p - r->line_start) + 1;
	s->n = 0;
	s->at = NULL;
	s->i = 0;
	return s;
}

static char *in_copy(const sexp_reader *r, const char *p)
{
	return r->copy + (p - r->text);
}

/* The character that an escape stands for; 0 when it is none. */
static char escaped(char c)
{
	switch (c) {
	case 'n':
		return '\n';
	case 't':
		return '\t';
	case '\\':
	case '"':
		return c;
	default:
		return 0;
	}
}

static bool read_string(sexp_reader *r)
{
	sexp *s = put(r, SEXP_STRING);
	const char *q;
	char *o;

	for (q = r->p + 1; q < r->end && *q != '"'; q++)
		if (*q == '\\' && q + 1 < r->end)
			q++;
	if (q >= r->end)
		return fail(r, s, "a string without end");
	s->text = o = in_copy(r, r->p + 1);
	for (r->p++; *r->p != '"'; r->p++) {
		if (*r->p == '\n')
			newline(r, r->p);
		if (*r->p != '\\') {
			*o++ = *r->p;
			continue;
		}
		*o = escaped(*++r->p);
		if (!*o++)
			return fail(r, s, "an unknown escape in a string");
	}
	r->p++;
	*o = 0;
	s->n = (uint32_t)(o - s->text);
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

/* A word that may be something other than a symbol. */
static void classify(sexp *s)
{
	static const struct { const char *name; enum sexp_kind kind; double f; } names[] = {
		{ "true", SEXP_BOOL, 1 }, { "false", SEXP_BOOL, 0 },
		{ "NaN", SEXP_FLOAT, NAN }, { "inf", SEXP_FLOAT, INFINITY }, { "-inf", SEXP_FLOAT, -INFINITY },
	};
	uint32_t k;

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
	number(s);
}

enum { ENDS = 1, ODD = 2 };	/* a word ends there; a word that is no symbol may begin so */
static const uint8_t class[256] = {
	[0] = ENDS, ['\t'] = ENDS, ['\n'] = ENDS, ['\v'] = ENDS, ['\f'] = ENDS, ['\r'] = ENDS, [' '] = ENDS,
	[';'] = ENDS, ['('] = ENDS, [')'] = ENDS,
	['t'] = ODD, ['f'] = ODD, ['N'] = ODD, ['i'] = ODD, ['+'] = ODD, ['-'] = ODD, ['.'] = ODD,
	['0'] = ODD, ['1'] = ODD, ['2'] = ODD, ['3'] = ODD, ['4'] = ODD,
	['5'] = ODD, ['6'] = ODD, ['7'] = ODD, ['8'] = ODD, ['9'] = ODD,
};

static bool read_word(sexp_reader *r)
{
	sexp *s = put(r, SEXP_SYMBOL);
	const char *q = r->p;

	while (q < r->end && !(class[(unsigned char)*q] & ENDS))
		q++;
	if (q < r->end && !*q)
		return fail(r, s, "a zero byte");
	s->text = in_copy(r, r->p);
	*in_copy(r, q) = 0;
	if (class[(unsigned char)*r->p] & ODD)
		classify(s);
	r->p = q;
	return true;
}

static bool open_list(sexp_reader *r)
{
	struct open *o;

	if (r->nopen == SEXP_DEPTH)
		return fail_here(r, "lists are nested too deeply");
	r->open = grown(r->open, r->nopen, &r->opencap, sizeof *r->open);
	o = &r->open[r->nopen++];
	o->line = r->line;
	o->col = (uint32_t)(r->p - r->line_start) + 1;
	o->comment = r->nopen == 1 ? take_comment(r) : "";
	o->first = r->ndone;
	o->start = r->p++;
	return true;
}

/* A list's own text as it stands. */
static const char *source(sexp_reader *r, const char *from)
{
	size_t n = (size_t)(r->p - from);
	char *s = arena_alloc(r->a, n + 1);

	memcpy(s, from, n);
	s[n] = 0;
	return s;
}

static bool close_list(sexp_reader *r)
{
	const struct open *o;
	uint32_t n;
	sexp *at, *s;

	if (!r->nopen)
		return fail_here(r, "a closing parenthesis without an opening one");
	r->p++;
	o = &r->open[--r->nopen];
	n = r->ndone - o->first;
	at = ARENA_ARRAY(r->lists, sexp, n);
	if (n)
		memcpy(at, r->done + o->first, n * sizeof *at);
	r->ndone = o->first;
	s = put(r, SEXP_LIST);
	s->line = o->line;
	s->col = o->col;
	s->n = n;
	s->at = at;
	s->text = r->nopen ? "" : source(r, o->start);
	s->comment = o->comment;
	return true;
}

static bool read_one(sexp_reader *r)
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

/* The next form; false at the end of the text, and at an error. */
static bool read_form(sexp_reader *r)
{
	for (;;) {
		skip(r);
		if (r->p == r->end)
			break;
		if (!read_one(r))
			return false;
		if (!r->nopen)
			return true;
	}
	return r->nopen && fail(r, &(sexp){ .line = r->open[r->nopen - 1].line, .col = r->open[r->nopen - 1].col }, "a list without end");
}

sexp_reader *sexp_open(arena *words, arena *lists, const char *file, const char *text, size_t n)
{
	sexp_reader *r = ARENA_NEW(words, sexp_reader);

	r->a = words;
	r->lists = lists;
	r->file = file;
	r->text = r->p = r->line_start = text;
	r->end = text + n;
	r->line = 1;
	r->shared = "";
	r->copy = arena_alloc(words, n + 1);
	if (n)
		memcpy(r->copy, text, n);
	return r;
}

const sexp *sexp_next(sexp_reader *r, const char **error)
{
	bool form;

	r->ndone = 0;
	form = read_form(r);
	*error = r->error;
	return form ? r->done : NULL;
}

void sexp_close(sexp_reader *r)
{
	free(r->done);
	free(r->open);
}

const sexp *sexp_read(arena *a, const char *file, const char *text, size_t n, const char **error)
{
	sexp_reader *r = sexp_open(a, a, file, text, n);
	sexp *top = NULL, *at;

	while (read_form(r))
		;
	*error = r->error;
	if (!r->error) {
		top = ARENA_NEW(a, sexp);
		top->kind = SEXP_LIST;
		top->n = r->ndone;
		top->line = top->col = 1;
		top->text = top->comment = "";
		top->at = at = ARENA_ARRAY(a, sexp, top->n);
		if (top->n)
			memcpy(at, r->done, top->n * sizeof *at);
	}
	sexp_close(r);
	return top;
}
