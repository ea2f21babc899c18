#include "text/diag.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* Bytes of the sequence that a first byte announces; 0: it cannot be first. */
static int announced(unsigned char c)
{
	if (c < 0x80)
		return c != 0;
	if (c < 0xc2 || c > 0xf4)
		return 0;
	return c < 0xe0 ? 2 : c < 0xf0 ? 3 : 4;
}

/* Overlong forms, surrogates and numbers above the last code point are no characters. */
static bool second_fits(unsigned char first, unsigned char c)
{
	switch (first) {
	case 0xe0: return c >= 0xa0;
	case 0xed: return c < 0xa0;
	case 0xf0: return c >= 0x90;
	case 0xf4: return c < 0x90;
	}
	return true;
}

int diag_character(const char *s, size_t left)
{
	const unsigned char *p = (const unsigned char *)s;
	int n = announced(*p), i;

	if ((size_t)n > left)
		return 0;
	for (i = 1; i < n; i++)
		if ((p[i] & 0xc0) != 0x80)
			return 0;
	return n > 1 && !second_fits(p[0], p[1]) ? 0 : n;
}

void diag_one_line(char *s)
{
	for (; *s; s++) {
		int n = diag_character(s, strnlen(s, 4));
		if (!n || (unsigned char)*s < ' ' || *s == 127)
			*s = '?';
		else
			s += n - 1;
	}
}

void diag_vset(struct diag *d, const char *file, int line, int column, const char *fmt, va_list ap)
{
	snprintf(d->file, sizeof d->file, "%s", file);
	d->line = line;
	d->column = column;
	vsnprintf(d->message, sizeof d->message, fmt, ap);
	diag_one_line(d->message);
}

void diag_set(struct diag *d, const char *file, int line, int column, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	diag_vset(d, file, line, column, fmt, ap);
	va_end(ap);
}

char *diag_text(const struct diag *d, char *buf, size_t n)
{
	if (d->line)
		snprintf(buf, n, "%s:%d:%d: %s", d->file, d->line, d->column, d->message);
	else
		snprintf(buf, n, "%s: %s", d->file, d->message);
	return buf;
}
