/* core_eval.h - cores by numbers, for tests: every node of a graph as an array.
 *
 * A node is evaluated on its arguments as first written, in order of ids, so
 * that cycles of classes do not matter and every member of a class is computed
 * on its own: where two members differ, some step was wrong.  Elementwise
 * functions are run by the interpreter; index expressions, sums, products and
 * reductions are read here from the words of the pairing, by brute force.
 *
 * Parameters and opaque results are random functions of name and place.  What
 * rests on an opaque result or another atom that the interpreter does not know
 * is `unknown` to it; what would take too long is `absent`.
 */
#ifndef DIVERGE_TEST_CORE_EVAL_H
#define DIVERGE_TEST_CORE_EVAL_H

#include "core/layout.h"
#include "prover/prover.h"

typedef struct values {
	int type;		/* T_*, TYPE_REAL */
	int64_t n;
	double *f;		/* of floats; else NULL */
	int64_t *i;
	bool unknown, absent;
} values;

typedef struct core_eval {
	const algebra *a;
	arena s;
	uint32_t n;
	values *node;		/* per node; Tensor nodes are absent */
	uint64_t seed;
	bool rounds;		/* convert rounds to the narrower type */
} core_eval;

void core_eval_run(core_eval *e, const algebra *a, uint64_t seed, bool rounds);
void core_eval_free(core_eval *e);
/* A Laid node: ndev * local elements numbers, device major. */
const values *core_eval_laid(const core_eval *e, eg_id laid);
/* The first place at which two arrays differ, or -1.  Floats: within `tolerance` of the largest. */
int64_t values_differ(const values *x, const values *y, double tolerance);
double core_eval_tolerance(const core_eval *e);
double values_at(const values *x, int64_t k);
/* Do all members of all core and tensor classes agree?  NULL, or a sentence in e->s; *x, *y: the two nodes. */
const char *core_eval_classes(core_eval *e, eg_id *x, eg_id *y);
int core_eval_type(const algebra *a, eg_id n);

#endif
