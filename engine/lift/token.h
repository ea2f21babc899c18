/* token.h - tokens: numbers that are 0 and only order collectives.
 *
 * PyTorch/XLA threads a scalar input that is 0 through its collectives: it is
 * added to an operand, and the next token is the token times an element of the
 * result.  Data then depends on it, and all of it is 0 as long as that element
 * is finite.  Where it may be infinite, that it is finite is an *assumption*,
 * made by a rule of its own and listed with the verdict.
 *
 * A token is an input of one element that the plan says is 0, what is reduced
 * from tokens, what is computed from tokens alone and is 0, and the product of
 * a token and a number of one element.  A literal 0 is none: 0 times what may
 * be infinite stays what it is (RULES N17).
 */
#ifndef DIVERGE_TOKEN_H
#define DIVERGE_TOKEN_H

#include "lift/lift.h"

void token_input(algebra *a, eg_id tensor);		/* an input that the plan says is 0 */
void token_product(lift *l, eg_id laid);		/* the product of two operands has been lifted: to this form */
void token_reduced(lift *l, eg_id laid);		/* the sum or extreme of an operand over devices likewise */
/* Which product a firing of the rule took to be 0: its factor is assumed to be finite.  NULL: none. */
const token_mark *token_assumed(const algebra *a, const hist_entry *h);

#endif
