/* bounds.h - between which numbers a value lies for certain, whatever the programs are given.
 *
 * Of integers their type says something, of counts what they are made of; of
 * floats something is known where they are such integers, or at most a multiple
 * of one and one number more: what rounds or may be no number has no bounds.
 * What is opened on the way is a premise.
 */
#ifndef DIVERGE_BOUNDS_H
#define DIVERGE_BOUNDS_H

#include "core/work.h"

struct bounds {
	rat lo, hi;
};

bool slot_bounds(algebra *a, const slot *t, struct bounds *b);
bool node_bounds(algebra *a, eg_id o, struct bounds *b);	/* of an integer node as if nothing wrapped; o itself is no premise */
bool bounds_within(struct bounds b, int64_t lo, int64_t hi);
int64_t float_counts_to(int type);	/* the greatest whole number up to which the float type has all; 0: not known */

#endif
