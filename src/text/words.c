#include "text/words.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

bool words_fail(struct words *w, const char *fmt, ...)
{
	va_list ap;
	char text[512];

	va_start(ap, fmt);
	vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	diag_set(w->err, w->file, w->word_line, w->word_column, words_end(w) && w->at >= w->end ? "%s: the file ends here" : "%s", text);
	return false;
}

static void skip_blanks(struct words *w)
{
	for (; w->at < w->end; w->at++) {
		if (*w->at == '#')
			while (w->at + 1 < w->end && w->at[1] != '\n')
				w->at++;
		else if (*w->at == '\n') {
			w->line++;
			w->line_begin = w->at + 1;
			w->first = true;
		} else if (*w->at != ' ' && *w->at != '\t' && *w->at != '\r')
			break;
	}
}

static bool take_quoted(struct words *w)
{
	char *out = ARENA_ARRAY(w->a, char, w->end - w->at), *to = out;

	for (w->at++; w->at < w->end && *w->at != '"' && *w->at != '\n'; w->at++) {
		if (*w->at == '\\' && w->at + 1 < w->end && w->at[1] != '\n')
			*to++ = *++w->at == 'n' ? '\n' : *w->at;
		else
			*to++ = *w->at;
	}
	*to = 0;
	w->word = out;
	w->n = (size_t)(to - out);
	w->quoted = true;
	if (w->at == w->end || *w->at != '"')
		return words_fail(w, "the quotation is not closed");
	w->at++;
	return true;
}

static bool in_word(char c)
{
	return c != ' ' && c != '\t' && c != '\r' && c != '\n' && c != '#' && c != '"' && c;
}

bool words_next(struct words *w)
{
	const char *from;
	char *out;

	w->first = false;
	skip_blanks(w);
	w->word_line = w->line;
	w->word_column = (int)(w->at - w->line_begin) + 1;
	w->quoted = false;
	if (w->at < w->end && *w->at == '"')
		return take_quoted(w);
	for (from = w->at; w->at < w->end && in_word(*w->at); w->at++)
		;
	if (w->at < w->end && !*w->at)
		return words_fail(w, "a zero byte: this is no text file");
	w->n = (size_t)(w->at - from);
	out = ARENA_ARRAY(w->a, char, w->n + 1);
	memcpy(out, from, w->n);
	out[w->n] = 0;
	w->word = out;
	return true;
}

bool words_open(struct words *w, arena *a, const char *file, const char *text, size_t n, struct diag *err)
{
	*w = (struct words){ .a = a, .err = err, .file = file, .at = text, .end = text + n, .line_begin = text, .line = 1, .word = "" };
	if (!words_next(w))
		return false;
	w->first = true;
	return true;
}

bool words_end(const struct words *w)
{
	return !w->n && !w->quoted;
}

bool words_are(const struct words *w, const char *s)
{
	return !w->quoted && !strcmp(w->word, s);
}

static bool expected(struct words *w, const char *what)
{
	return words_end(w) ? words_fail(w, "%s is expected", what)
			    : words_fail(w, "%s is expected, not '%.60s'", what, w->word);
}

bool words_expect(struct words *w, const char *s)
{
	return words_are(w, s) ? words_next(w) : expected(w, s);
}

bool words_begin(struct words *w, const char *kind)
{
	return words_are(w, "diverge") ? words_next(w) && words_expect(w, kind)
				       : words_fail(w, "this is no %s: those begin with `diverge %s`, this with '%.60s'", kind, kind, w->word);
}

bool words_int(struct words *w, const char *what, int64_t least, int64_t most, int64_t *v)
{
	char *stop;

	errno = 0;
	*v = strtoll(w->word, &stop, 10);
	if (!w->n || w->quoted || *stop || errno)
		return expected(w, what);
	if (*v < least || *v > most)
		return words_fail(w, "%s is expected, in %lld..%lld: %s", what, (long long)least, (long long)most, w->word);
	return words_next(w);
}

bool words_double(struct words *w, const char *what, double *v)
{
	char *stop;

	*v = strtod(w->word, &stop);
	if (!w->n || w->quoted || *stop)
		return expected(w, what);
	return words_next(w);
}

bool words_text(struct words *w, const char *what, const char **s)
{
	if (words_end(w))
		return expected(w, what);
	*s = w->word;
	return words_next(w);
}

/* ---- writing */

void words_put_text(FILE *f, const char *s)
{
	fputc('"', f);
	for (; *s; s++)
		if (*s == '\n')
			fputs("\\n", f);
		else
			fprintf(f, *s == '"' || *s == '\\' ? "\\%c" : "%c", *s);
	fputc('"', f);
}

void words_put_double(FILE *f, double v)
{
	char buf[40];
	int digits;

	for (digits = 15; digits < 17; digits++) {
		snprintf(buf, sizeof buf, "%.*g", digits, v);
		if (strtod(buf, NULL) == v)
			break;
	}
	if (digits == 17)
		snprintf(buf, sizeof buf, "%.17g", v);
	fputs(buf, f);
}
