/* table_text.h - a constant table in words: what it is, not only how large.
 *
 * Of two values that follow a rule of row and column (the causal mask, a window of it, the unit matrix), or that change once, the rule is
 * said; few values are listed; of all others the number.  The shape of a table is not known here: that of its rows is found.
 */
#ifndef DIVERGE_TABLE_TEXT_H
#define DIVERGE_TABLE_TEXT_H

#include "util/arena.h"

const char *table_text(arena *out, const double *v, int64_t n);

#endif
