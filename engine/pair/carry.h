/* carry.h - which dimension of a result a dimension of an operand becomes.
 *
 * Dimensions are those of the instructions; what an operation does to them is in
 * its attributes.  Used to carry placements from operands to results.
 */
#ifndef DIVERGE_CARRY_H
#define DIVERGE_CARRY_H

#include "pair/program.h"

enum { CARRY_SUMMED = -1, CARRY_UNKNOWN = -2 };

bool carry_elementwise(const struct row *r);
/* Of operand number `which`; CARRY_SUMMED: it is summed or reduced away. */
int carry_dimension(const struct row *r, const struct row *operand, int which, int dim);

#endif
