/* problem.h - two programs and a plan, loaded: what a session works on.
 *
 * Reads both files, the plan (given, or DIST's name with `.plan`, or none: then
 * relations come from `sharding=` annotations, else from shapes), the rule
 * files, and puts them into one `pair` (engine/pair/pair.h) with the parameters
 * related.  What was taken for granted is listed as sentences.
 *
 * NULL and one diag on trouble.  Owns everything it holds.
 */
#ifndef DIVERGE_PROBLEM_H
#define DIVERGE_PROBLEM_H

#include "pair/pair.h"
#include "plan/plan.h"
#include "plan/plan_bind.h"
#include "text/diag.h"

struct problem_files {
	const char *base, *dist;
	const char *plan;	/* NULL: look for one beside DIST */
	const char *rules;	/* a folder; NULL: the program's own */
	bool no_trail;		/* a run that will never go back */
};

/* What is assumed of the values of a baseline parameter. */
struct supposition {
	int64_t n;		/* they lie in 0..n-1; 0: no such range */
	bool nonzero, positive;
};

struct problem {
	arena a;
	struct problem_files files;
	bool plan_found;	/* the plan was found beside DIST */
	module *base_m, *dist_m;
	program *base, *dist;
	struct plan *plan;	/* NULL: none */
	struct plan_binding *bind;
	mesh ms;
	const char *mesh_inferred;	/* no plan gives it: what it was made of; NULL: one axis, or a plan does */
	mesh base_ms;		/* of a baseline that is a distributed program, else 1 device */
	chain *base_in, *base_out;	/* .. per parameter and output: from the global tensor to the local one; else NULL */
	const shape **base_shape[2];	/* per parameter and output of the baseline: its whole shape, NULL: not known */
	int *counterpart;	/* per input of DIST: the baseline's parameter where no line says */
	prover *p;
	pair *q;
	const char **assumption;	/* about the files */
	int nassumption, assumption_cap;
	loop_relation *loop;	/* per loop of DIST that stays one body */
	bool **tame;		/* per loop of BASE and carried value: taken to be finite */
	struct supposition *supposed;	/* per baseline parameter; NULL: nothing */
	bool closed;			/* the run leaves sums closed (trial_closed) */
	bool supposed_by_file;		/* by a saved proof: no program was looked at for it */
	const struct suggestion **instead[2];	/* per input, per output of DIST: what is tried for an inferred relation, NULL: nothing */
	struct alternatives *alternatives;	/* what was tried when it was unproved (alternatives.h); NULL: nothing */
	struct supposition *relating;	/* what proves nothing but relates more values; NULL: none */
	int relating_met;	/* outputs that were proved then, without them */
	const char **hypothesis;	/* about values, from the plan */
	int nhypothesis, hypothesis_cap;
};

int problem_goals_met(const struct problem *p);
int problem_goals_compared(const struct problem *p);
/* The baseline parameter that input k of DIST belongs to when no line says, -1: none.  By number where all have one, or as many
 * fit as in any order-keeping way; else in the way in which most fit. */
int problem_counterpart(const struct problem *p, int k);
const shape *problem_output_shape(const module *m, int k);
/* What DIST is related to: the shape of a baseline parameter or output, of a distributed baseline the global tensor's.  NULL:
 * there is none, or it is not known. */
const shape *problem_whole_shape(const struct problem *p, bool output, int k);
struct problem *problem_load(const struct problem_files *f, struct diag *err);
void problem_free(struct problem *p);
/* Reads every rule file again into a new prover and relates everything again; false and a diag: nothing has changed. */
bool problem_reload(struct problem *p, struct diag *err);
/* Puts another prover and pair in p, related and nothing lifted; the old ones are the caller's. */
bool problem_build(struct problem *p, struct diag *err);
/* A plan's chain as the engine has it. */
chain problem_chain(struct problem *p, int n, const struct plan_step *s);
/* .. from its text, "" for R; the chain lives in tmp, the reason in the problem. */
bool problem_read_chain(struct problem *p, arena *tmp, const char *text, chain *out, const char **why);
/* " dp=2 tp=4": what a mesh line says behind its first word. */
const char *problem_mesh_text(arena *a, const mesh *ms);
/* Assumes what is said of every baseline parameter, and relates everything again. */
bool problem_suppose(struct problem *p, const struct supposition *s, struct diag *err);

#endif
