/* shape_chains.h - which relations of two values their shapes allow.
 *
 * A chain from the baseline's value to the distributed one: dimensions put in
 * another order, divided by axes of the mesh, left as parts of a sum, made
 * another shape of as many elements.  The simpler ones come first; those that
 * only divide are `plain`.  At most SHAPE_CHAINS, of as many ways to place the
 * axes as can be looked at in milliseconds; arrays of more than 4
 * dimensions (that are not 1) keep their order.
 */
#ifndef DIVERGE_SHAPE_CHAINS_H
#define DIVERGE_SHAPE_CHAINS_H

#include "pair/pair.h"

enum { SHAPE_CHAINS = 64 };

struct shape_chains {
	int n, nplain;
	chain c[SHAPE_CHAINS];
};

/* Of one type, or there are none.  Everything lives in the arena. */
struct shape_chains *shape_chains(arena *a, const mesh *ms, const row *b, const row *d);

#endif
