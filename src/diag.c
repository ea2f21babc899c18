#include "diag.h"

#include <stdio.h>
#include <string.h>

/* Text of the input may end up in a message: keep it on one line. */
static void one_line(char *s)
{
	for (; *s; s++)
		if ((unsigned char)*s < ' ' || *s == 127)
			*s = '?';
}

void diag_vset(struct diag *d, const char *file, int line, int column, const char *fmt, va_list ap)
{
	snprintf(d->file, sizeof d->file, "%s", file);
	d->line = line;
	d->column = column;
	vsnprintf(d->message, sizeof d->message, fmt, ap);
	one_line(d->message);
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
