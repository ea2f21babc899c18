/* dice.h - random numbers that a seed repeats (splitmix64, S. Vigna, public domain).
 *
 * What rules are tried on is drawn from one state: the same seed draws the same
 * cores and instructions whenever one build runs (operands of a call are drawn
 * in the order that its compiler chose).
 */
#ifndef DIVERGE_DICE_H
#define DIVERGE_DICE_H

#include "core/core.h"

struct dice {
	algebra *a;		/* where what is drawn is made */
	uint64_t s;		/* the seed, then the state */
	enum core_kind kind;	/* of the idiom that is being drawn (idiom.h) */
};

static inline int below(struct dice *d, int64_t n)	/* 0..n-1 */
{
	uint64_t z = d->s += 0x9e3779b97f4a7c15;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
	z = (z ^ z >> 27) * 0x94d049bb133111eb;
	z ^= z >> 31;
	return (int)(z % (uint64_t)n);
}

#endif
