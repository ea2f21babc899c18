/* whole.h - what the devices of a distributed baseline hold together.
 *
 * A baseline may itself be a distributed program.  Then its parameters and
 * outputs are related to global tensors by chains of their own (DESIGN section
 * 7), and DIST is related to the same global tensors.
 */
#ifndef DIVERGE_WHOLE_H
#define DIVERGE_WHOLE_H

#include "pair/chain.h"

/* The shape from which chain c makes the local one; NULL, or why it is not known.  *dim in `out`. */
const char *whole_shape(arena *out, const mesh *ms, const chain *c, int rank, const int64_t *local, int *wrank, int64_t **dim);

/* The layout, on one device, of the tensor that the devices of l hold together: every device digit that is bound stands in
 * front of the dimension that it continues, innermost first.  False where one continues none.  Its lists are the caller's:
 * `dim` of the rank, `loc` of WHOLE_DIGITS. */
enum { WHOLE_DIGITS = 64 };
bool whole_layout(const layout *l, int64_t *dim, digit *loc, layout *whole);

/* The chain without its PARTIAL steps, which say over what the family is reduced before it is compared. */
chain whole_chain(arena *out, const chain *c);

/* Chain c for tensors with one more dimension in front, of n places, which it leaves alone. */
chain whole_chain_behind(arena *out, const chain *c, int64_t n);

#endif
