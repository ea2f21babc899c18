#include "problem/problem_in.h"

#include <stdlib.h>
#include <string.h>
#include "hlo/module.h"
#include "lower/lower.h"
#include "pair/level.h"
#include "problem/rule_files.h"
#include "problem/trial.h"

const shape *problem_whole_shape(const struct problem *p, bool output, int k)
{
	return k >= 0 && k < (output ? p->base->nout : p->base_m->entry->nparam) ? p->base_shape[output][k] : NULL;
}

const shape *problem_output_shape(const module *m, int k)
{
	return shape_leaf(m->entry->root->shape, k);
}

static bool find_plan(struct problem *p, struct diag *err)
{
	const char *name = p->files.plan;

	if (!name) {
		name = plan_beside(&p->a, p->files.dist);
		if (!name)
			return true;
		p->plan_found = true;
		p->files.plan = name;
	}
	p->plan = plan_read(&p->a, name, err);
	return p->plan != NULL;
}

/* The k-th line of the plan that relates two instructions. */
static const struct plan_line *line_of_rows(const struct plan_binding *b, int k)
{
	int i = 0;

	while (b->inner[i]->subject == PLAN_BASE || k-- > 0)
		i++;
	return b->inner[i];
}

/* NULL: the relation was inferred. */
static const struct plan_line *refused_line(const struct problem *p, const pair_refusal *no)
{
	const struct plan_bound *b;

	if (!p->bind)
		return NULL;
	if (no->what == REFUSED_ROW)
		return line_of_rows(p->bind, no->k);
	b = no->what == REFUSED_BASE_INPUT ? &p->bind->base_input[no->k] : &p->bind->input[no->k];
	return b->relation ? b->relation : b->range;
}

static void relation_trouble(const struct problem *p, const pair_refusal *no, struct diag *err)
{
	const struct plan_line *l = refused_line(p, no);
	const char *file = p->plan ? p->plan->file : p->files.dist;
	int line = l ? l->line : 0, column = l ? l->ref.column : 0;

	if (no->what == REFUSED_ROW)
		diag_set(err, file, line, column, "%s", no->why);
	else
		diag_set(err, file, line, column, "%s%sinput %d: %s", l ? "" : "inferred: ", no->what == REFUSED_BASE_INPUT ? "base " : "",
			 no->k, no->why);
}

bool problem_build(struct problem *p, struct diag *err)
{
	struct problem_relations r;
	pair_refusal no;

	p->nassumption = p->nhypothesis = 0;
	problem_assume_files(p);
	p->q = NULL;
	p->p = prover_new();
	p->p->a.tr->on = !p->files.no_trail;
	p->p->a.closed = p->closed;
	if (!rule_files_read(p->p, p->files.rules, err) || !problem_relate(p, &r, err))
		return false;
	problem_assume_plan(p);
	problem_compared(p, &r);
	problem_assume_notes(p, p->dist);
	problem_assume_notes(p, p->base);
	p->q = pair_new(p->p, p->base, p->dist, &p->ms, r.in, r.out, problem_base_pins(p));
	pair_relate(p->q, r.ninner, r.inner, r.cut_row);
	if (p->base_in)
		pair_spread_base(p->q, &p->base_ms, p->base_in, p->base_out);
	if (p->loop)
		pair_loops(p->q, p->loop, p->tame);
	if (!pair_start(p->q, &no)) {
		relation_trouble(p, &no, err);
		return false;
	}
	return true;
}

static bool load(struct problem *p, struct diag *err)
{
	p->base_m = module_read(p->files.base, err);
	if (!p->base_m)
		return false;
	p->dist_m = module_read(p->files.dist, err);
	if (!p->dist_m || !find_plan(p, err) || !problem_set_mesh(p, err) || !problem_check_meshes(p, err))
		return false;
	if (p->plan) {
		p->bind = plan_bind(&p->a, p->plan, p->base_m, p->dist_m, err);
		if (!p->bind)
			return false;
	}
	if (!problem_set_base(p, err))
		return false;
	problem_find_counterparts(p);
	return problem_lower(p, err) && (p->q || problem_build(p, err));
}

struct problem *problem_load(const struct problem_files *f, struct diag *err)
{
	struct problem *p = calloc(1, sizeof *p);

	if (!p) {
		die_hook("out of memory");
		return NULL;
	}
	arena_init(&p->a);
	p->files = *f;
	if (load(p, err))
		return p;
	problem_free(p);
	return NULL;
}

bool problem_reload(struct problem *p, struct diag *err)
{
	struct trial t;

	if (!trial_begin(&t, p, err))
		return false;
	trial_keep(&t);
	return true;
}

bool problem_suppose(struct problem *p, const struct supposition *s, struct diag *err)
{
	p->supposed = arena_zalloc(&p->a, sizeof *s * (size_t)(p->base->nparam + 1));
	memcpy(p->supposed, s, sizeof *s * (size_t)p->base->nparam);
	p->supposed_by_file = true;
	return problem_reload(p, err);
}

int problem_goals_met(const struct problem *p)
{
	int k, n = 0;

	for (k = 0; k < p->q->ngoal; k++)
		n += p->q->goal[k].compared && goal_met(p->q, &p->q->goal[k]);
	return n;
}

int problem_goals_compared(const struct problem *p)
{
	int k, n = 0;

	for (k = 0; k < p->q->ngoal; k++)
		n += p->q->goal[k].compared;
	return n;
}

void problem_free(struct problem *p)
{
	if (!p)
		return;
	pair_free(p->q);
	prover_free(p->p);
	program_free(p->base);
	program_free(p->dist);
	if (p->base_m)
		module_free(p->base_m);
	if (p->dist_m)
		module_free(p->dist_m);
	arena_free(&p->a);
	free(p);
}
