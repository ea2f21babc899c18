/* candidate.h - candidate bijections between a baseline row and a distributed row (DESIGN section 4).
 *
 * Each says where it comes from and what became of it.  `chain` is the candidate
 * as a plan writes relations ("tp:S(1)"), for `assume`; NULL where it has no such
 * form.  At most CANDIDATE_MAX are listed; what was cut is said.
 * Results live in the arena given.
 */
#ifndef DIVERGE_CANDIDATE_H
#define DIVERGE_CANDIDATE_H

#include "relation/state.h"

#define CANDIDATE_MAX 64

enum candidate_origin { CAND_PROVED, CAND_OPERANDS, CAND_USERS, CAND_SHAPES };
enum candidate_fate { FATE_HOLDS, FATE_REFUTED, FATE_PRUNED, FATE_OPEN };
const char *candidate_origin_name(enum candidate_origin o);	/* "proved", "from operands", .. */
const char *candidate_fate_name(enum candidate_fate f);

typedef struct candidate {
	enum candidate_origin origin;
	enum candidate_fate fate;
	const char *why;	/* of the fate, or where it comes from: "operand 1 (%w: tp:S(1)) carried through dot" */
	const char *placements;	/* with a residual permutation */
	const char *steps;	/* reshape, transpose, reshape with shapes; "" if none is needed */
	const char *grid;	/* small sizes: which element lies where; else NULL */
	const char *chain;	/* as in a plan, or NULL */
	bool ambiguous;		/* only equal sizes allow it */
} candidate;

typedef struct candidates {
	int n;
	const candidate *c;
	const char *cut;	/* what was left out, or NULL */
	const char *parting;	/* operands carry different maps: the first index at which they part, or NULL */
} candidates;

candidates candidates_find(states *s, int base_row, int dist_row, arena *out);

#endif
