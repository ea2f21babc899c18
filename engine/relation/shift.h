/* shift.h - values taken relative to a maximum, and whether that is made up for.
 *
 * A softmax or logsumexp may be taken relative to any number, and distributed
 * programs take it relative to others than the baseline: the maximum of a shard,
 * of the blocks so far.  Rows that carry such a shift have no counterpart, and
 * are presumed right as long as the shifts fit: exponentials of one shift are
 * added, a correction exp(old - new) replaces one by the other, a division takes
 * it away.  That is followed through the rows by what they do, which is a guess
 * about where the fault is and never part of a proof.
 *
 * It is only presumed where the program makes up for it in some way: takes two
 * maxima against each other, adds shifted values over devices, or takes the
 * baseline's own maximum.  Otherwise the subtraction itself is to be blamed.
 */
#ifndef DIVERGE_SHIFT_H
#define DIVERGE_SHIFT_H

#include "relation/state.h"

/* Sets the bytes of distributed rows that are presumed. */
void shift_presume(const states *s, bool *presumed, arena *tmp);
/* What does not fit at a row, in a sentence; NULL where that is not the fault. */
const char *shift_fault(const states *s, int dist_row, arena *out);
/* The correction that a row which does not fit has been made with and that is the wrong way round, exp(new - old): the difference; -1. */
int shift_reversed(const states *s, int dist_row, arena *tmp);

#endif
