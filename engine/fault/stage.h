/* stage.h - what some devices hold that others do not: stages of a pipeline.
 *
 * The devices of a pipeline do the same to what each of them has, and only some
 * hold what the baseline has; what the others compute is thrown away later.
 */
#ifndef DIVERGE_STAGE_H
#define DIVERGE_STAGE_H

#include "relation/state.h"

/* The baseline row that a row is on one device at least, as large as it is there; -1: none, or nothing may be asked now. */
int stage_partner(const states *s, int dist_row, int64_t *dev);
/* That a row, or an operand of it, is the baseline's on some devices only; NULL: it is not. */
const char *stage_fault(const states *s, int dist_row, arena *out);

#endif
