/* numbers_run.h - a problem as numbers: random inputs that satisfy its plan, both programs run and compared.
 *
 * Turns relations of inputs and outputs into index maps (engine/interp/numbers.h) by
 * walking every chain on plain integers, place by place: nothing is shared with
 * the algebra's reading of a plan (engine/pair/chain.h), so that each can catch the
 * other.  What a run finds refutes; that nothing was found proves nothing.
 *
 * Pins, ranges and `> 0` of the plan bound what is drawn, and so do the ranges
 * that lookups suggested, once the problem has assumed them.
 */
#ifndef DIVERGE_NUMBERS_RUN_H
#define DIVERGE_NUMBERS_RUN_H

#include "interp/numbers.h"
#include "problem/problem.h"

/* An array in the baseline's parameters. */
struct numbers_input {
	const inst *param;
	int number, element;	/* element: of a tuple, counted through; -1 when the parameter is none */
	const shape *s;
};

struct numbers_setup {
	arena a;
	numbers_problem p;	/* reading, limits and progress may be changed before a run; the first global tensors are */
	int ninput;		/* .. the baseline's inputs */
	struct numbers_input *input;
	int *goal;		/* check -> goal of the pair */
	int ntaken;
	const char *taken[8];	/* what runs took for granted (numbers_taken) */
};

/* NULL and a sentence (static, or in the problem's memory) when the plan cannot be drawn from. */
struct numbers_setup *numbers_setup(struct problem *p, const char **why);
enum numbers_fold numbers_fold_of(const char *op);	/* of a reducer's name, "add", "maximum" ..; NUMBERS_WHOLE: of none of these */
void numbers_setup_free(struct numbers_setup *s);
void numbers_setup_take(struct numbers_setup *s, const numbers *n);	/* keeps what its last run took for granted */
/* ", if ..": that, for the end of a sentence; "": nothing */
const char *numbers_setup_if(struct numbers_setup *s);

#endif
