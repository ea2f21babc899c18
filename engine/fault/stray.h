/* stray.h - where integer arithmetic leaves the baseline's.
 *
 * Index arithmetic without counterpart hands the blame on to what it feeds.
 * Where the baseline feeds the same operation with arithmetic of the same
 * shape - random bits, hashes, masks of positions - the two are gone through
 * side by side from there: the row at which they part is to be blamed.
 * So are positions from 0 on that each device counts for itself, where floating
 * point numbers are made of them that the baseline makes of all of them.
 */
#ifndef DIVERGE_STRAY_H
#define DIVERGE_STRAY_H

#include "fault/frontier.h"

/* From a distributed row and the baseline row that does the same: the row of the arithmetic that feeds it where they part, and
 * the baseline row that stands there.  False when there is no such arithmetic, or it parts at once. */
bool stray_index(const states *s, int dist_row, int base_row, int *dist_at, int *base_at);

/* How such a row, an entry that is marked as one, parts from the baseline's. */
const char *stray_fault(const states *s, const frontier_entry *e, arena *out);

/* Are the same numbers on every device mixed into random bits? */
bool stray_draws_alike(const states *s, int dist_row, arena *tmp);

/* How many positions an iota counts; 0: it is none. */
int64_t stray_positions(const struct row *r);

#endif
