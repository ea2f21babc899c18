/* presumed.h - rows that are not verified and that nothing speaks against.
 *
 * What packs tensors into one (pad, concatenate) and moves the pack has no
 * counterpart where the baseline packs nothing: it is presumed right when a row
 * that takes it apart again is verified.  A device's own mean, whose sum over
 * axes is as many times the baseline's as there are devices, is presumed right
 * when all that takes it is a function of it, and the sum over these axes comes
 * later: the function is to be blamed.  So is what is taken relative to a maximum
 * as long as that is made up for (shift.h).
 * The place of the largest in a shard is right as such when the largest itself is
 * what is looked for: what takes it for a place of the whole is to be blamed.
 * What each device finds in its own part by index arithmetic is right as such when
 * it is masked next: the mask is to be blamed.
 * What such a row feeds is judged as if it were verified.
 */
#ifndef DIVERGE_PRESUMED_H
#define DIVERGE_PRESUMED_H

#include "relation/state.h"

bool presumed_packs(enum opcode op);	/* packs tensors into one */
bool presumed_finds(const struct row *r);	/* may hold the places where another result of its instruction was found */
/* A byte per distributed row, in the arena given: costs multiples, and what comes of packs that are not verified. */
bool *presumed_rows(const states *s, arena *out);
bool presumed_place(const states *s, int dist_row);	/* a place in a device's own part */
int presumed_place_of(const states *s, int dist_row);	/* .. that this row only reshapes or converts; -1: none */
/* A multiple: as many times the baseline's as devices add it up later, and divided by their number then. */
bool presumed_averaged(const states *s, int dist_row);
/* Over all devices of its axes the row's value has the baseline's as its mean. */
bool presumed_mean(const states *s, int dist_row);
bool presumed_adds_means(const states *s, int dist_row);	/* two of the same devices: the sum is a mean of the sums */
/* A byte per row, in the arena given: such a mean that is averaged over these axes, or what is made of one by numbers. */
bool *presumed_meant(const states *s, arena *out);

#endif
