/* problem_in.h - what the files of the problem share: each makes one part of what problem_build puts together.
 *
 * What they make lives in the problem's arena.  False is returned with a diag.
 */
#ifndef DIVERGE_PROBLEM_IN_H
#define DIVERGE_PROBLEM_IN_H

#include "problem/problem.h"

/* How everything is related that pair_new and pair_relate are given. */
struct problem_relations {
	input_relation *in;	/* per input of DIST */
	output_relation *out;	/* per output of DIST */
	int ninner;
	row_relation *inner;
	bool *cut_row;		/* per row of BASE: its value is arbitrary */
};

/* Assumptions: sentences, each listed once. */
void problem_assume(struct problem *p, const char *s);
void problem_hypothesis(struct problem *p, const char *s);
void problem_assume_files(struct problem *p);	/* what was read otherwise than it stands there */
void problem_assume_plan(struct problem *p);	/* what the plan says, and leaves unsaid, that is no relation of DIST */
void problem_assume_notes(struct problem *p, const program *g);

/* Chains over a mesh of the plan (NULL: none is written, so the chain's text is not). */
chain problem_chain_over(struct problem *p, const struct plan_mesh *m, int n, const struct plan_step *s);

/* Both meshes, and whether the programs are for as many devices. */
bool problem_set_mesh(struct problem *p, struct diag *err);
bool problem_check_meshes(const struct problem *p, struct diag *err);

/* The whole shapes of the baseline, of a distributed one with the chains to what a device holds. */
bool problem_set_base(struct problem *p, struct diag *err);

void problem_find_counterparts(struct problem *p);

/* Relations, from the lines of the plan or inferred. */
bool problem_annotated(const struct problem *p);	/* is a parameter of either program cut into tiles? */
bool problem_relate(struct problem *p, struct problem_relations *r, struct diag *err);
input_relation *problem_base_pins(struct problem *p);	/* per parameter of BASE: what is known of its values */
const shape *problem_row_shape(struct problem *p, int b);
/* What an output is compared with; NULL: nothing, or its shape is not known. */
const shape *problem_related_shape(struct problem *p, const output_relation *r);

/* Outputs and inner values of which every place is left out become `any`; sentences about what is not compared. */
void problem_compared(struct problem *p, struct problem_relations *r);

/* Lowers both programs: with loops that run in step as one body, and any other unrolled (problem_loop.c).  The pair may
 * be there then, and in a run without a trail on its way. */
bool problem_lower(struct problem *p, struct diag *err);

#endif
