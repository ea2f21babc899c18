/* spelling.h - names: which are in a list, and which are so near each other that one may be meant where the other was written. */
#ifndef DIVERGE_SPELLING_H
#define DIVERGE_SPELLING_H

#include <stdbool.h>

bool spelling_listed(const char *s, const char *const *list);	/* the list ends with NULL */
/* Is one the other in capitals or small letters, with a letter more, less or another, or two neighbours exchanged?  Names that
 * differ in a digit are numbered: neither is meant for the other. */
bool spelling_near(const char *x, const char *y);

#endif
