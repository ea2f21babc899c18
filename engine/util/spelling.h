/* spelling.h - names that are so near each other that one may be meant where the other was written. */
#ifndef DIVERGE_SPELLING_H
#define DIVERGE_SPELLING_H

#include <stdbool.h>

/* Is one the other in capitals or small letters, with a letter more, less or another, or two neighbours exchanged?  Names that
 * differ in a digit are numbered: neither is meant for the other. */
bool spelling_near(const char *x, const char *y);

#endif
