/* fact_range.h - between which numbers the values of an integer core lie.
 *
 * By a clamp to constants, by positions, or because a plan or an assumption says so of a parameter.  Ranges begin at 0; what is
 * not known is no range.
 */
#ifndef DIVERGE_FACT_RANGE_H
#define DIVERGE_FACT_RANGE_H

#include "core/history.h"

/* The integer core's values lie in 0..n-1: by a clamp, or because a plan says so of a parameter; 0: not known. */
int64_t fact_range(algebra *a, eg_id x);
int64_t fact_range_shown(algebra *a, eg_id x);	/* .. by whatever node the class has, indices of all kinds: for who makes no digits of it */
typedef struct param_range {
	eg_id param;
	int64_t lo, n;
} param_range;
void facts_range(algebra *a, eg_id param, int64_t lo, int64_t n);	/* lo..n-1, lo >= 0: a plan's word, or an assumption */
/* No value of the integer core is less, by an extreme with a constant or a plan's word; INT64_MIN: not known.  `open`: the node
 * that stands for a class, noted where the answer is one of a proof's grounds. */
int64_t fact_least(algebra *a, eg_id x, eg_id (*open)(algebra *a, eg_id x));
int64_t fact_least_shown(algebra *a, eg_id x);	/* .. by whatever node the class has */
/* x was clamped to 0..lim: the one parameter behind it is likely to lie in that range (RULES D7). */
void facts_suggest(algebra *a, eg_id x, int64_t lim);

#endif
