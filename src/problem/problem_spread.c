/* The whole shapes of a baseline's parameters and outputs, and how one that is a distributed program itself holds them. */
#include "problem/problem_in.h"

#include "pair/whole.h"

static bool spread_inner(struct problem *p, const struct plan_line *l, struct diag *err)
{
	diag_set(err, p->plan->file, l->line, l->ref.column,
		 "BASE is a distributed program here: only its inputs and outputs are related to other tensors, and inner values cut");
	return false;
}

static bool check_spread(struct problem *p, struct diag *err)
{
	int k;

	for (k = 0; k < p->bind->ninner; k++)
		if (p->bind->inner[k]->subject != PLAN_BASE)
			return spread_inner(p, p->bind->inner[k], err);
	for (k = 0; k < p->bind->ninput; k++)
		if (p->bind->input[k].relation && p->bind->input[k].relation->base.kind == PLAN_REF_INSTRUCTION)
			return spread_inner(p, p->bind->input[k].relation, err);
	for (k = 0; k < p->bind->noutput; k++)
		if (p->bind->output[k].relation && p->bind->output[k].relation->base.kind == PLAN_REF_INSTRUCTION)
			return spread_inner(p, p->bind->output[k].relation, err);
	return true;
}

/* The whole shape of a parameter or output; NULL and a diag when the line's chain does not say it. */
static bool set_whole(struct problem *p, bool output, int k, const shape *local, const struct plan_line *l, chain *c, struct diag *err)
{
	shape *s = ARENA_NEW(&p->a, shape);
	const char *why;
	int64_t *dim;

	*c = l ? problem_chain_over(p, &p->plan->base_mesh, l->n, l->step) : (chain){ 0, NULL, "R" };
	if (local->type == T_TUPLE) {
		p->base_shape[output][k] = local;
		return true;
	}
	*s = *local;
	why = whole_shape(&p->a, &p->base_ms, c, local->rank, local->dim, &s->rank, &dim);
	if (why) {
		diag_set(err, p->plan->file, l->line, l->ref.column, "%s", why);
		return false;
	}
	s->dim = dim;
	p->base_shape[output][k] = s;
	return true;
}

bool problem_set_base(struct problem *p, struct diag *err)
{
	int nin = p->base_m->entry->nparam, nout = plan_outputs(p->base_m), k;

	p->base_shape[0] = ARENA_ARRAY(&p->a, const shape *, nin);
	p->base_shape[1] = ARENA_ARRAY(&p->a, const shape *, nout);
	for (k = 0; k < nin; k++)
		p->base_shape[0][k] = p->base_m->entry->param[k]->shape;
	for (k = 0; k < nout; k++)
		p->base_shape[1][k] = problem_output_shape(p->base_m, k);
	if (!p->plan || !p->plan->base_mesh.n)
		return true;
	p->base_in = ARENA_ARRAY(&p->a, chain, nin);
	p->base_out = ARENA_ARRAY(&p->a, chain, nout);
	for (k = 0; k < nin; k++) {
		const struct plan_line *l = p->bind->base_input[k].relation;
		if (!set_whole(p, false, k, p->base_shape[0][k], l && l->form == PLAN_CHAIN ? l : NULL, &p->base_in[k], err))
			return false;
	}
	for (k = 0; k < nout; k++)
		if (!set_whole(p, true, k, p->base_shape[1][k], p->bind->base_output[k].relation, &p->base_out[k], err))
			return false;
	return check_spread(p, err);
}
