/* man.h - text and items of a manual page in troff. */
#ifndef DIVERGE_MAN_H
#define DIVERGE_MAN_H

#include <stdio.h>

void man_text(FILE *f, const char *text);	/* what troff would read as its own is escaped */
/* A name in bold, its arguments, and below a sentence without its full stop. */
void man_item(FILE *f, const char *name, const char *args, const char *help);

#endif
