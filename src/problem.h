/* problem.h - two programs and a plan, loaded: what a session works on.
 *
 * Reads both files, the plan (given, or DIST's name with `.plan`, or none: then
 * relations come from `sharding=` annotations, else from shapes), the rule
 * files, and puts them into one `pair` (engine/pair.h) with the parameters
 * related.  What was taken for granted is listed as sentences.
 *
 * NULL and one diag on trouble.  Owns everything it holds.
 */
#ifndef DIVERGE_PROBLEM_H
#define DIVERGE_PROBLEM_H

#include "diag.h"
#include "pair.h"
#include "plan.h"
#include "plan_bind.h"

struct problem_files {
	const char *base, *dist;
	const char *plan;	/* NULL: look for one beside DIST */
	const char *rules;	/* a folder; NULL: the program's own */
	bool no_trail;		/* a run that will never go back */
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
	prover *p;
	pair *q;
	const char **assumption;	/* about the files */
	int nassumption, assumption_cap;
	int64_t *suggested;	/* per baseline parameter: n when 0..n-1 is assumed, else 0; NULL: none */
	const char **hypothesis;	/* about values, from the plan */
	int nhypothesis, hypothesis_cap;
};

/* Lifting clamped integer parameters of the baseline that no plan bounds: assumes their ranges (RULES D7), runs
 * everything again and keeps that, with the assumptions listed, when it proves more outputs.  True when it did;
 * the prover and the pair are then new ones. */
bool problem_try_ranges(struct problem *p);
int problem_goals_met(const struct problem *p);
struct problem *problem_load(const struct problem_files *f, struct diag *err);
void problem_free(struct problem *p);
/* Reads every rule file again into a new prover and relates everything again; false and a diag: nothing has changed. */
bool problem_reload(struct problem *p, struct diag *err);
/* A plan's chain as the engine has it. */
chain problem_chain(struct problem *p, int n, const struct plan_step *s);
/* .. from its text, "" for R; the chain lives in tmp, the reason in the problem. */
bool problem_read_chain(struct problem *p, arena *tmp, const char *text, chain *out, const char **why);
/* Assumes that a baseline parameter lies in 0..n-1, for every n > 0, and relates everything again. */
bool problem_suppose(struct problem *p, const int64_t *n, struct diag *err);

#endif
