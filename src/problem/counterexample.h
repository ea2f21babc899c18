/* counterexample.h - inputs on which two programs differ, and a small file of them.
 *
 * What is kept are the kind of numbers, the seed, and the values of every input
 * of the baseline.  The distributed inputs follow from these by the plan; the
 * parts of its partial sums, and places that may hold anything, from the seed.
 * So whatever values a file gives, the inputs satisfy the plan.
 *
 * The file is text, and says what is to be seen on it:
 *
 *	diverge counterexample 1
 *	base "BASE"  dist "DIST"
 *	kind integers  seed 1
 *	output 0  device 0  place 64  value 875.25  base-place 64  base-value -747.5
 *	input 0 f32[2,3] "Arg_0"  1 -2 0 * 4
 *
 * `V * N` is V, N times.  Words are those of words.h.  Elements of a tuple are
 * inputs 0.0, 0.1, in order.
 */
#ifndef DIVERGE_COUNTEREXAMPLE_H
#define DIVERGE_COUNTEREXAMPLE_H

#include <stdio.h>
#include "problem/numbers_run.h"

struct counterexample {
	arena a;
	int output;			/* of DIST */
	enum numbers_kind kind;
	uint64_t seed;
	numbers_values *value;		/* per input of BASE; empty: as drawn */
	numbers_result seen;		/* device, places and values of the first difference */
};

/* NULL and one diag when the text is malformed, or not of these programs and their plan. */
struct counterexample *counterexample_read(const struct numbers_setup *s, const char *file, const char *text, size_t n, struct diag *err);
/* Only kind and seed, which say everything: every input is as it is drawn. */
struct counterexample *counterexample_drawn(const struct numbers_setup *s, int output, enum numbers_kind kind, uint64_t seed,
					    const numbers_result *r);
void counterexample_free(struct counterexample *c);
/* The run, of check `check` of s alone.  full: if not NULL, the same with all values. */
numbers_result counterexample_run(struct numbers_setup *s, int check, const struct counterexample *c, struct counterexample **full);
/* Whole inputs, halves, quarters .. become 0 (or 1, or what the plan allows) while the output still differs in finite
 * numbers; at most so many runs.  Returns how many there were. */
int counterexample_simplify(struct numbers_setup *s, int check, struct counterexample *c, int runs);
/* Every input has values. */
void counterexample_write(FILE *f, const struct problem *p, const struct numbers_setup *s, const struct counterexample *c);

#endif
