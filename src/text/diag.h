/* diag.h - what is wrong with an input, and where.
 *
 * A reader that fails fills one of these; it prints nothing itself.  Line and
 * column count from 1; 0 means the place is not known (binary files).  The
 * message is one line of UTF-8 whatever the input is: `?` stands for the rest.
 */
#ifndef DIVERGE_DIAG_H
#define DIVERGE_DIAG_H

#include <stdarg.h>
#include <stddef.h>

struct diag {
	char file[512];
	int line, column;
	char message[512];
};

void diag_set(struct diag *d, const char *file, int line, int column, const char *fmt, ...)
	__attribute__((format(printf, 5, 6)));
void diag_vset(struct diag *d, const char *file, int line, int column, const char *fmt, va_list ap);
/* Text of an input may end up in a message, cut anywhere: makes it one line of whole characters. */
void diag_one_line(char *s);
/* Bytes of the UTF-8 character at s, of which `left` may be read, at least one; 0: none is there. */
int diag_character(const char *s, size_t left);
/* "file:line:column: message" without a newline; returns buf */
char *diag_text(const struct diag *d, char *buf, size_t n);

#endif
