/* certain.h - at which places a core is certainly finite, or certainly positive.
 *
 * RULES section 0, *certain places* and *support*: truth tables over the labels
 * of constant masks.  With them the largest value of a causally masked row is
 * finite (the diagonal is certain), and a masked sum of exponentials positive.
 * Places below a length that is never less than 1, by a clamp or a plan, are
 * certain, too.
 * Decided for one node, from its operands' facts and normal nodes; what cannot
 * be decided, or would need too large a table, is not certain.  Builds no node,
 * leaves the scratch arena as it was.  Where the answer is yes, the nodes it was
 * read from are added to algebra.looked.
 */
#ifndef DIVERGE_CERTAIN_H
#define DIVERGE_CERTAIN_H

#include "core/core.h"

/* A maximum (red, lat) of values none of which is +inf: does one lie at a certain place, whatever the free labels? */
bool certain_maximum(algebra *a, eg_id n);
/* A finite sum, product or contraction that is nowhere negative: is its support everything? */
bool certain_positive(algebra *a, eg_id n);
/* A select: is this branch (1 or 2), never +inf, chosen only where it is not -inf? */
bool certain_guard(algebra *a, eg_id n, int branch);

/* A sum: is it the mean of the squares of x less the square of the mean, as compilers write a variance?  It is the mean of
 * the squared deviations then, and nowhere negative. */
bool certain_spread(algebra *a, eg_id n);

#endif
