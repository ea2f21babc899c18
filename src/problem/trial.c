#include "problem/trial.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "core/fact_range.h"

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

/* ---- what may be assumed of inputs of the baseline */

/* Does the plan say in which range the values of a baseline parameter lie, or what they are? */
static bool told(const struct problem *p, int k)
{
	int i;

	for (i = 0; i < p->q->ninput; i++)
		if (p->q->in[i].base == k && (p->q->in[i].has_range || p->q->in[i].positive))
			return true;
	return p->bind && (p->bind->base_input[k].range || p->bind->base_input[k].relation);
}

/* The baseline parameter that a class is, -1: none that nothing is told of. */
static int untold(const struct problem *p, eg_id x)
{
	const algebra *a = &p->p->a;
	eg_id o = normal_node(a, x);
	int k;

	return core_kind(a, o) == C_PARAM && sscanf(core_fn(a, o), "input %d", &k) == 1 && k >= 0 && k < p->base->nparam && !told(p, k) ? k : -1;
}

/* The ranges that lookups of the baseline suggest. */
static bool take_ranges(const struct problem *p, struct supposition *s)
{
	const algebra *a = &p->p->a;
	uint32_t i;
	bool any = false;
	int k;

	for (i = 0; i < a->hint.n; i++) {
		const param_range *h = &VEC_AT(param_range, &a->hint, i);
		k = untold(p, h->param);
		if (k >= 0) {
			s[k].n = h->n;
			any = true;
		}
	}
	return any;
}

/* A number in the source of a PyTorch program, which torch_xla hands over as a scalar input (it has no name but that of all
 * data): the parameter, else -1. */
static int number_input(const struct problem *p, eg_id x)
{
	const algebra *a = &p->p->a;
	eg_id o = normal_node(a, x);
	int k;

	while (core_kind(a, o) == C_AT || core_kind(a, o) == C_VIEW || (core_kind(a, o) == C_MAP && !strcmp(core_fn(a, o), "convert")))
		o = normal_node(a, eg_args(a->g, o)[0]);
	k = untold(p, o);
	return k >= 0 && core_len(a, o) == 1 && p->base_m->entry->param[k]->op_name &&
	       !strcmp(p->base_m->entry->param[k]->op_name, "xla__device_data") ? k : -1;
}

/* Numbers that are added in x. */
static bool take_addends(const struct problem *p, eg_id x, struct supposition *s)
{
	const algebra *a = &p->p->a;
	eg_id o = normal_node(a, x);
	bool any = false;
	uint32_t i;
	int k;

	for (i = 0; core_kind(a, o) == C_SUM && i < eg_narg(a->g, o); i++) {
		k = core_coef(a, o, (int)i).num > 0 ? number_input(p, eg_args(a->g, o)[i]) : -1;
		if (k >= 0)
			any = s[k].positive = true;
	}
	return any;
}

/* Numbers that the baseline divides by are not 0, those it adds to a divisor or below a root are positive. */
static bool take_numbers(const struct problem *p, struct supposition *s)
{
	algebra *a = &p->p->a;
	bool any = false;
	int i, k;

	for (i = 0; i < p->base->nrow; i++) {
		const row *r = &p->base->row[i];
		bool divides = !strcmp(r->family, "divide");	/* by its second operand */
		eg_id cell, x;
		if (!divides && strcmp(r->family, "sqrt") && strcmp(r->family, "rsqrt"))
			continue;
		cell = p->base->row[r->op[divides]].tensor;
		cell = cell == NIL ? NIL : laid_cell(a, cell);
		if (cell == NIL)
			continue;
		x = eg_args(a->g, cell)[0];
		k = divides ? number_input(p, x) : -1;
		if (k >= 0)
			any = s[k].nonzero = true;
		any = take_addends(p, x, s) || any;
	}
	return any;
}

static bool asked_to_stop(struct trial_stop *stop, uint32_t moves)
{
	if (stop->ask && moves % TRIAL_ASKS == 0 && stop->ask(stop->ctx))
		stop->stopped = true;
	return stop->stopped;
}

void trial_lift(struct problem *p, struct trial_stop *stop)
{
	uint32_t n = 0;

	while (!asked_to_stop(stop, ++n) && !pair_over(p->q) && pair_move(p->q) != PAIR_DONE)
		;
}

void trial_search(levels *l, struct trial_stop *stop)
{
	uint32_t n = 0;

	while (!asked_to_stop(stop, ++n) && !level_over(l) && level_move(l) != LEVEL_DONE)
		;
}

/* Does it prove more than before, by the exact rules or else by a search?  What a search did is not kept. */
static bool more_met(struct problem *p, int before, struct trial_stop *stop, struct diag *err)
{
	levels l;
	bool more;

	trial_lift(p, stop);
	if (p->q->cut || stop->stopped || problem_goals_met(p) > before)
		return !stop->stopped && problem_goals_met(p) > before;
	level_init(&l, p->q);
	trial_search(&l, stop);
	more = !stop->stopped && problem_goals_met(p) > before;
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

/* Are all outputs proved by the exact rules? */
static bool all_met(struct problem *p, int before, struct trial_stop *stop, struct diag *err)
{
	(void)before, (void)err;
	trial_lift(p, stop);
	return !stop->stopped && !p->q->cut && problem_goals_met(p) == problem_goals_compared(p);
}

/* Runs everything anew and keeps that where it is good, which is asked with the number of outputs proved before. */
static bool try_anew(struct problem *p, bool (*good)(struct problem *, int, struct trial_stop *, struct diag *), struct trial_stop *stop)
{
	int met = problem_goals_met(p), related = pair_related(p->q);
	struct trial t;
	struct diag err;

	if (!trial_begin(&t, p, &err))
		return false;
	if (good(p, met, stop, &err)) {
		trial_keep(&t);
		return true;
	}
	if (!stop->stopped && p->supposed && !p->closed && !p->relating && p->q && pair_related(p->q) > related) {
		p->relating = p->supposed;
		p->relating_met = met;
	}
	trial_drop(&t);
	return false;
}

/* .. with what s says beside what is assumed already, when it proves more. */
static bool try_supposing(struct problem *p, const struct supposition *s, struct trial_stop *stop)
{
	struct supposition *before = p->supposed;
	int k;

	p->supposed = arena_zalloc(&p->a, sizeof *s * (size_t)(p->base->nparam + 1));
	for (k = 0; k < p->base->nparam; k++)
		p->supposed[k] = (struct supposition){ before && before[k].n ? before[k].n : s[k].n, s[k].nonzero || (before && before[k].nonzero),
						       s[k].positive || (before && before[k].positive) };
	if (try_anew(p, more_met, stop))
		return true;
	p->supposed = before;
	return false;
}

/* .. with sums left closed. */
static bool try_closed(struct problem *p, bool (*good)(struct problem *, int, struct trial_stop *, struct diag *), struct trial_stop *stop)
{
	p->closed = true;
	if (try_anew(p, good, stop))
		return true;
	p->closed = false;
	return false;
}

static struct supposition *nothing(struct problem *p)
{
	return arena_zalloc(&p->a, sizeof(struct supposition) * (size_t)(p->base->nparam + 1));
}

bool trial_ranges(struct problem *p, struct trial_stop *stop)
{
	struct supposition *s = nothing(p);

	return !p->supposed && take_ranges(p, s) && try_supposing(p, s, stop);
}

bool trial_closed(struct problem *p, struct trial_stop *stop)
{
	struct supposition *s = nothing(p);

	if (p->closed)
		return false;
	if (try_closed(p, all_met, stop))
		return true;
	if (stop->stopped || p->supposed || !take_ranges(p, s))
		return false;
	p->supposed = s;
	if (try_closed(p, all_met, stop))
		return true;
	p->supposed = NULL;
	return false;
}

bool trial_closed_search(struct problem *p, struct trial_stop *stop)
{
	return !p->closed && p->q->cut && try_closed(p, more_met, stop);
}

bool trial_numbers(struct problem *p, struct trial_stop *stop)
{
	struct supposition *s = nothing(p);

	if (!take_numbers(p, s))
		return false;
	if (try_supposing(p, s, stop))
		return true;
	return !stop->stopped && !p->supposed && take_ranges(p, s) && try_supposing(p, s, stop);
}

bool trial_look_supposed(struct problem *p)
{
	struct diag err;

	if (!p->relating || p->supposed || problem_goals_met(p) != p->relating_met)
		return false;
	p->supposed = p->relating;
	p->relating = NULL;
	if (problem_reload(p, &err))
		return true;
	p->supposed = NULL;
	return false;
}
