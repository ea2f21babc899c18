/* accumulated.h - chunks of one sum, microbatches say, that are added up one after the other.
 *
 * A product or sum over a part of what the baseline's goes over is right as such
 * when the other parts are added to it and all count as often.  Here is found
 * where two are added that do not: a mean that was taken of what is added up so
 * far, or of some of the parts only; or one that is added up over devices already.
 */
#ifndef DIVERGE_ACCUMULATED_H
#define DIVERGE_ACCUMULATED_H

#include "relation/state.h"

/* The row at which what a chunk's row computes, scaled and moved, is added to other chunks that count otherwise; -1: there is none. */
int accumulated_unevenly(const states *s, int dist_row);
/* What is wrong where a row adds such; NULL: it does not. */
const char *accumulated_fault(const states *s, int dist_row, arena *out);

#endif
