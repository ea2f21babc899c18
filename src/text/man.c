#include "text/man.h"

/* A hyphen is a minus sign in commands; a line must not begin with a dot or an apostrophe. */
void man_text(FILE *f, const char *text)
{
	if (*text == '.' || *text == '\'')
		fputs("\\&", f);
	for (; *text; text++) {
		if (*text == '-')
			fputs("\\-", f);
		else if (*text == '\\')
			fputs("\\e", f);
		else
			fputc(*text, f);
	}
}

void man_item(FILE *f, const char *name, const char *args, const char *help)
{
	fputs(".TP\n.B ", f);
	man_text(f, name);
	if (*args) {
		fputs(" \\fR", f);
		man_text(f, args);
	}
	fputc('\n', f);
	man_text(f, help);
	fputs(".\n", f);
}
