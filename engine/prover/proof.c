#include "prover/proof.h"

#include <stdlib.h>

static void premises(const void *ctx, uint32_t firing, explainer *x)
{
	const algebra *a = ctx;
	const hist_entry *f;
	const premise *p;
	const made_node *m;
	uint32_t i, k;

	if (firing >= history_count(a))
		return;
	f = history_at(a, firing);
	p = history_premises(a, f);
	for (i = 0; i < f->nprem; i++)
		explain_equal(x, p[i].x, p[i].y);
	m = history_made(a, f);
	for (i = 0; i < f->nmade; i++)
		for (k = 0; k < m[i].narg; k++)
			explain_equal(x, eg_args(a->g, m[i].node)[k], history_args(a, &m[i])[k]);
}

/* No firing of the algebra makes facts: it is never asked for. */
static uint32_t no_edges(const void *ctx, uint32_t firing)
{
	(void)ctx;
	(void)firing;
	return 0;
}

explain_source proof_source(const algebra *a)
{
	return (explain_source){ a->g, a, premises, no_edges, true };
}

explanation proof_of(const algebra *a, eg_id x, eg_id y, arena *out)
{
	explain_source s = proof_source(a);

	return explain(&s, x, y, out);
}

explanation proof_of_all(const algebra *a, uint32_t n, const eg_id (*pair)[2], arena *out)
{
	explain_source s = proof_source(a);

	return explain_all(&s, n, pair, out);
}

/* ---- the check: union-find over the nodes, nothing else */

struct replay {
	const algebra *a;
	const egraph *g;
	uint32_t *up;
};

static uint32_t find(struct replay *r, uint32_t n)
{
	while (r->up[n] != n)
		n = r->up[n] = r->up[r->up[n]];
	return n;
}

static bool same(struct replay *r, eg_id x, eg_id y)
{
	return find(r, x) == find(r, y);
}

static bool among(struct replay *r, eg_id x, const eg_id *at, uint32_t n)
{
	uint32_t i;

	for (i = 0; i < n; i++)
		if (same(r, at[i], x))
			return true;
	return false;
}

/* Did the step build this node, or read it: as an operand of its node, as what
 * it opened, or as an operand of that? */
static bool read_or_built(struct replay *r, const hist_entry *f, eg_id x)
{
	const made_node *m = history_made(r->a, f);
	const premise *p = history_premises(r->a, f);
	uint32_t i;

	if (among(r, x, eg_args(r->g, f->node), eg_narg(r->g, f->node)))
		return true;
	for (i = 0; i < f->nmade; i++)
		if (same(r, m[i].node, x))
			return true;
	for (i = 0; i < f->nprem; i++)
		if (same(r, p[i].x, x) || among(r, x, eg_args(r->g, p[i].y), eg_narg(r->g, p[i].y)) ||
		    among(r, x, eg_args(r->g, p[i].x), eg_narg(r->g, p[i].x)))
			return true;
	return false;
}

/* The result is one of these, or has all its operands from them. */
static bool follows(struct replay *r, const hist_entry *f)
{
	uint32_t k;

	if (read_or_built(r, f, f->result))
		return true;
	for (k = 0; k < eg_narg(r->g, f->result); k++)
		if (!read_or_built(r, f, eg_args(r->g, f->result)[k]))
			return false;
	return true;
}

static const char *check_made(struct replay *r, const hist_entry *f)
{
	const made_node *m = history_made(r->a, f);
	uint32_t i, k;

	for (i = 0; i < f->nmade; i++) {
		if (eg_node_op(r->g, m[i].node) != m[i].op || eg_narg(r->g, m[i].node) != m[i].narg)
			return "a built node has another operator";
		for (k = 0; k < m[i].narg; k++)
			if (!same(r, eg_args(r->g, m[i].node)[k], history_args(r->a, &m[i])[k]))
				return "an argument of a built node was not shown to be the one written";
	}
	return NULL;
}

/* What a step read and built; of what is given it is what a plan's line was
 * brought to by then. */
static const char *check_firing(struct replay *r, const eg_edge *e)
{
	const hist_entry *f;
	const premise *p;
	uint32_t i;

	if (e->firing >= history_count(r->a))
		return "there is no such firing";
	f = history_at(r->a, e->firing);
	p = history_premises(r->a, f);
	for (i = 0; i < f->nprem; i++)
		if (!same(r, p[i].x, p[i].y))
			return "what the step opened was not shown to be its operand";
	if (!(same(r, f->node, e->a) && same(r, f->result, e->b)) &&
	    !(same(r, f->node, e->b) && same(r, f->result, e->a)))
		return "the firing says something else";
	return check_made(r, f);
}

static const char *check_rule(struct replay *r, const eg_edge *e)
{
	const char *why = check_firing(r, e);

	if (why)
		return why;
	return follows(r, history_at(r->a, e->firing)) ? NULL : "the result is neither built nor read";
}

static const char *check_congruence(struct replay *r, const eg_edge *e)
{
	uint32_t k;

	if (eg_node_op(r->g, e->a) != eg_node_op(r->g, e->b) || eg_narg(r->g, e->a) != eg_narg(r->g, e->b))
		return "congruent nodes have different operators";
	for (k = 0; k < eg_narg(r->g, e->a); k++)
		if (!same(r, eg_args(r->g, e->a)[k], eg_args(r->g, e->b)[k]))
			return "arguments of congruent nodes were not shown equal";
	return NULL;
}

static const char *check_item(struct replay *r, const explain_item *it)
{
	const eg_edge *e;
	const char *why = NULL;

	if (!it->edge || it->id >= eg_nedge(r->g))
		return "there is no such union";
	e = eg_get_edge(r->g, it->id);
	if (e->kind == EG_RULE)
		why = check_rule(r, e);
	else if (e->kind == EG_CONGRUENCE)
		why = check_congruence(r, e);
	else if (e->kind == EG_GIVEN)
		why = check_firing(r, e);
	if (!why)
		r->up[find(r, e->a)] = find(r, e->b);
	return why;
}

const char *proof_check(const algebra *a, const explanation *e, uint32_t *item)
{
	struct replay r = { .a = a, .g = a->g };
	const char *why = NULL;
	uint32_t i, n = eg_nnode(a->g);

	r.up = malloc((n + 1) * sizeof *r.up);
	if (!r.up) {
		die_hook("out of memory");
		return "out of memory";
	}
	for (i = 0; i < n; i++)
		r.up[i] = i;
	for (i = 0; i < e->n && !why; i++) {
		*item = i;
		why = check_item(&r, &e->item[i]);
	}
	if (!why && !same(&r, e->a, e->b))
		why = "what was to be shown does not follow";
	free(r.up);
	return why;
}
