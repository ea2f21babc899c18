/* factor.h - where a multiple of a baseline value has its factor from.
 *
 * A row that is `c` times a baseline row's value has changed the factor itself,
 * has that of an operand, or the product of those of several.  Followed back,
 * operand by operand, what others make up for drops out.
 */
#ifndef DIVERGE_FACTOR_H
#define DIVERGE_FACTOR_H

#include "relation/state.h"

enum factor { FACTOR_CHANGED, FACTOR_KEPT, FACTOR_PRODUCT };
enum factor factor_of(const states *s, int dist_row);

/* The last row on the way whose own factor is all that a multiple is wrong by, so that all others make up for each other; -1. */
int factor_sole(const states *s, int dist_row);
/* The sum over devices that comes to as many times the baseline's as there are devices, because each of them has its own multiple in
 * row `origin`, the last one whose operands do not have that factor; -1. */
int factor_added_up(const states *s, int dist_row, int *origin);

#endif
