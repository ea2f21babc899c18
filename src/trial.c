#include "trial.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "level.h"

/* ---- a run beside the run there is */

static eg_id *keep_tensors(const program *g)
{
	eg_id *t = malloc(sizeof *t * (size_t)(g->nrow + 1));
	int i;

	if (!t)
		die_hook("out of memory");
	for (i = 0; t && i < g->nrow; i++)
		t[i] = g->row[i].tensor;
	return t;
}

static void restore_tensors(program *g, const eg_id *t)
{
	int i;

	for (i = 0; t && i < g->nrow; i++)
		g->row[i].tensor = t[i];
}

/* What the run in p takes for granted goes where it is. */
static void put_lists(const struct trial *t)
{
	struct problem *p = t->p;

	p->assumption = t->assumption;
	p->nassumption = t->nassumption;
	p->assumption_cap = t->assumption_cap;
	p->hypothesis = t->hypothesis;
	p->nhypothesis = t->nhypothesis;
	p->hypothesis_cap = t->hypothesis_cap;
}

static void release(struct trial *t)
{
	free(t->tensor[0]);
	free(t->tensor[1]);
}

bool trial_begin(struct trial *t, struct problem *p, struct diag *err)
{
	*t = (struct trial){ p, p->p, p->q, { keep_tensors(p->base), keep_tensors(p->dist) }, p->assumption, p->hypothesis,
			     p->nassumption, p->assumption_cap, p->nhypothesis, p->hypothesis_cap };
	p->p = NULL;
	p->q = NULL;
	p->assumption = p->hypothesis = NULL;
	p->nassumption = p->assumption_cap = p->nhypothesis = p->hypothesis_cap = 0;
	if (problem_build(p, err))
		return true;
	trial_drop(t);
	return false;
}

void trial_drop(struct trial *t)
{
	struct problem *p = t->p;

	pair_free(p->q);
	prover_free(p->p);
	p->p = t->pr;
	p->q = t->q;
	put_lists(t);
	restore_tensors(p->base, t->tensor[SIDE_BASE]);
	restore_tensors(p->dist, t->tensor[SIDE_DIST]);
	release(t);
}

void trial_keep(struct trial *t)
{
	pair_free(t->q);
	prover_free(t->pr);
	release(t);
}

/* ---- ranges */

/* Does the plan say in which range the values of a baseline parameter lie? */
static bool told_range(const struct problem *p, int k)
{
	int i;

	for (i = 0; i < p->q->ninput; i++)
		if (p->q->in[i].base == k && p->q->in[i].has_range)
			return true;
	return p->bind && p->bind->base_input[k].range;
}

/* The ranges that lookups of the baseline suggest; false when there is none to try. */
static bool take_suggestions(struct problem *p)
{
	algebra *a = &p->p->a;
	uint32_t i;
	bool any = false;

	p->suggested = arena_zalloc(&p->a, sizeof *p->suggested * (size_t)(p->base->nparam + 1));
	for (i = 0; i < a->hint.n; i++) {
		const param_range *h = &VEC_AT(param_range, &a->hint, i);
		eg_id o = normal_node(a, h->param);
		int k;
		if (core_kind(a, o) != C_PARAM || sscanf(core_fn(a, o), "input %d", &k) != 1 || k < 0 || k >= p->base->nparam)
			continue;
		if (told_range(p, k))
			continue;
		p->suggested[k] = h->n;
		any = true;
	}
	return any;
}

/* Does it prove more than before, by the exact rules or else by a search?  What a search did is not kept. */
static bool more_met(struct problem *p, int before, struct diag *err)
{
	levels l;
	bool more;

	pair_run(p->q);
	if (p->q->cut || problem_goals_met(p) > before)
		return problem_goals_met(p) > before;
	level_init(&l, p->q);
	level_run(&l);
	more = problem_goals_met(p) > before;
	level_free(&l);
	if (!more)
		return false;
	pair_free(p->q);
	prover_free(p->p);
	if (!problem_build(p, err))
		return false;
	pair_run(p->q);
	return true;
}

bool trial_ranges(struct problem *p)
{
	int before = problem_goals_met(p), related = pair_related(p->q);
	struct trial t;
	struct diag err;

	if (p->suggested || !take_suggestions(p))
		return false;
	if (trial_begin(&t, p, &err)) {
		if (more_met(p, before, &err)) {
			trial_keep(&t);
			return true;
		}
		p->relating = p->q && pair_related(p->q) > related ? p->suggested : NULL;
		p->relating_met = before;
		trial_drop(&t);
	}
	p->suggested = NULL;
	return false;
}

bool trial_look_ranges(struct problem *p)
{
	struct diag err;

	if (!p->relating || p->suggested || problem_goals_met(p) != p->relating_met)
		return false;
	p->suggested = p->relating;
	p->relating = NULL;
	if (problem_reload(p, &err))
		return true;
	p->suggested = NULL;
	return false;
}
