/* proof.h - why two nodes of the algebra are equal, from the history.
 *
 * `proof_of` is explain.h over the log of history.h: the unions the equality
 * rests on, in the order in which they were made, each with its rule.
 *
 * `proof_check` believes nothing of it but the primitives: a plain union-find is
 * fed with the items in their order; the two nodes of a rule's union are those of
 * its firing, what the step opened was shown equal to the operands as written,
 * the nodes it built stand in the table with arguments shown equal to those it
 * wrote, and the result is one it built or read, or has only such operands;
 * congruent nodes have one operator and equal arguments.
 */
#ifndef DIVERGE_PROOF_H
#define DIVERGE_PROOF_H

#include "core/history.h"
#include "egraph/explain.h"

explain_source proof_source(const algebra *a);
explanation proof_of(const algebra *a, eg_id x, eg_id y, arena *out);
explanation proof_of_all(const algebra *a, uint32_t n, const eg_id (*pair)[2], arena *out);
/* NULL, or what does not hold (static text); *item says where. */
const char *proof_check(const algebra *a, const explanation *e, uint32_t *item);

#endif
