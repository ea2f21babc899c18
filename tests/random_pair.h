/* random_pair.h - random programs and their distributed form, right by construction, as text.
 *
 * A handful of operations over a few parameters; every value has a placement
 * per mesh axis, and where an operation needs another one, the collective that
 * gives it is written.  One pair in five does all this in every trip of a loop
 * and carries some of it on.  The same numbers give the same pair.
 */
#ifndef DIVERGE_RANDOM_PAIR_H
#define DIVERGE_RANDOM_PAIR_H

#include <stdint.h>

struct dice { uint64_t s; };
uint64_t dice_next(struct dice *d);
int dice_below(struct dice *d, int n);	/* 0 .. n - 1 */

struct text_pair { char *base, *dist, *plan; };	/* malloc'd */
struct text_pair random_pair(struct dice *d);
void text_pair_free(struct text_pair *t);

#endif
