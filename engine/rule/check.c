#include "rule/check.h"

#include <stdlib.h>
#include <string.h>
#include "rule/firing_in.h"

struct checker {
	firings *f;
	egraph *g;
	arena *a;
	uint32_t *up;		/* union-find over node ids */
	uint8_t *fact;		/* per node: shown to hold */
	rv *value;		/* the substitution of the step */
	bool *has;
	check_result out;
};

static uint32_t find(struct checker *c, uint32_t n)
{
	while (c->up[n] != n)
		n = c->up[n] = c->up[c->up[n]];
	return n;
}

static bool equal(struct checker *c, eg_id a, eg_id b)
{
	return a < c->g->n && b < c->g->n && find(c, a) == find(c, b);
}

static bool no(struct checker *c, const char *why)
{
	if (!c->out.why)
		c->out.why = why;
	return false;
}

/* ---- substitution */

/* A variable takes a value, or must have it already. */
static bool assign(struct checker *c, const pattern *p, operand o, uint32_t v)
{
	switch (o.kind) {
	case OPERAND_NONE:
		return true;
	case OPERAND_VALUE:
		return o.id == v || no(c, "an attribute is not the one of the rule");
	case OPERAND_NODE:
		return equal(c, o.id, v) || no(c, "an argument is not the rule's constant");
	case OPERAND_VAR:
		break;
	}
	if (!c->has[o.id]) {
		c->has[o.id] = true;
		c->value[o.id].id = v;
		return true;
	}
	if (p->var[o.id].value)
		return c->value[o.id].id == v || no(c, "a variable has two values");
	return equal(c, c->value[o.id].id, v) || no(c, "two places of a variable were not shown equal");
}

static bool assign_rest(struct checker *c, operand o, const eg_id *at, uint32_t n)
{
	rv *v = &c->value[o.id];
	uint32_t i;

	if (o.kind != OPERAND_VAR)
		return true;
	if (!c->has[o.id]) {
		c->has[o.id] = true;
		v->at = at;
		v->n = n;
		return true;
	}
	if (v->n != n)
		return no(c, "a sequence has another length");
	for (i = 0; i < n; i++)
		if (!equal(c, v->at[i], at[i]))
			return no(c, "two places of a sequence were not shown equal");
	return true;
}

/* Values that no position gives are what the log says. */
static void take_loose(struct checker *c, const firing *f)
{
	const pattern *p = f->rule->pattern;
	const uint32_t *w = f->loose;
	uint32_t i;

	for (i = 0; i < p->nloose; i++) {
		rv *v = &c->value[p->loose[i]];

		c->has[p->loose[i]] = true;
		v->id = *w++;
		if (!p->var[p->loose[i]].seq)
			continue;
		v->n = v->id;
		v->at = w;
		w += v->n;
	}
}

/* ---- the left side */

static bool check_table(struct checker *c, const pattern *p, const atom *a, eg_id n)
{
	const egraph *g = c->g;
	const eg_val *val;
	const eg_id *arg;
	uint32_t i, nval;

	if (n >= g->n || eg_op_family(g, eg_node_op(g, n)) != a->table->fam)
		return no(c, "a matched node is of another operator");
	val = eg_op_values(g, eg_node_op(g, n), &nval);
	arg = eg_args(g, n);
	if (nval != a->nval || (a->variadic ? eg_narg(g, n) < a->narg : eg_narg(g, n) != a->narg))
		return no(c, "a matched node has another number of arguments");
	if (eg_family(g, a->table->fam)->fact && !c->fact[n])
		return no(c, "a fact was not shown");
	for (i = 0; i < nval; i++)
		if (!assign(c, p, a->val[i], val[i]))
			return false;
	for (i = 0; i < a->narg; i++)
		if (!assign(c, p, a->arg[i], arg[i]))
			return false;
	if (a->variadic && !assign_rest(c, a->rest, arg + a->narg, eg_narg(g, n) - a->narg))
		return false;
	return a->table->kind != TABLE_CONSTRUCTOR || assign(c, p, a->out, n);
}

static bool values_only(const egraph *g, const host *h)
{
	uint32_t i;

	for (i = 0; i < h->nin; i++)
		if (h->in[i].sort == NIL || !eg_sort_primitive(g, h->in[i].sort))
			return false;
	for (i = 0; i < h->nout; i++)
		if (h->out[i].seq || h->out[i].sort == NIL || !eg_sort_primitive(g, h->out[i].sort))
			return false;
	return true;
}

static bool check_host(struct checker *c, const atom *a)
{
	rv in[HOST_MAX], out[HOST_MAX];
	host_call h = { .g = c->g, .ctx = a->host->fn.ctx, .scratch = c->a, .in = in, .nin = a->nval, .out = out };
	uint32_t i;

	if (!values_only(c->g, a->host)) {
		c->out.trusted++;
		return true;
	}
	for (i = 0; i < a->nval; i++) {
		if (a->val[i].kind == OPERAND_VAR && !c->has[a->val[i].id])
			return no(c, "an argument of a function has no value");
		in[i] = a->val[i].kind == OPERAND_VAR ? c->value[a->val[i].id] : (rv){ .id = a->val[i].id };
	}
	memset(out, 0, sizeof out);
	if (!a->host->fn.fn(&h))
		return no(c, "a function of the rule refuses");
	for (i = 0; i < a->narg; i++) {
		uint32_t want = a->arg[i].kind == OPERAND_VAR ? c->value[a->arg[i].id].id : a->arg[i].id;

		if (a->arg[i].kind == OPERAND_VAR && !c->has[a->arg[i].id])
			return no(c, "a result has no value");
		if (out[i].id != want)
			return no(c, "a function gives another result");
	}
	return true;
}

/* What an atom read must be in the class it was asked about. */
static bool check_witness(struct checker *c, const atom *a, eg_id witness)
{
	const host *h = a->host;
	operand o;

	if (witness == NIL || !a->nval || h->in[0].seq || h->in[0].sort == NIL || eg_sort_primitive(c->g, h->in[0].sort))
		return true;
	o = a->val[0];
	return equal(c, o.kind == OPERAND_VAR ? c->value[o.id].id : o.id, witness) ||
	       no(c, "a node was opened that is not of the class");
}

static bool check_left(struct checker *c, const firing *f)
{
	const pattern *p = f->rule->pattern;
	uint32_t i;

	memset(c->has, 0, p->nreg * sizeof *c->has);
	take_loose(c, f);
	for (i = 0; i < p->natom; i++)
		if (p->atom[i].kind == ATOM_TABLE && !check_table(c, p, &p->atom[i], f->pos[p->atom[i].pos]))
			return false;
	for (i = 0; i < p->natom; i++) {
		const atom *a = &p->atom[i];

		if (a->kind == ATOM_HOST && !check_host(c, a))
			return false;
		if (a->kind == ATOM_HOST && a->pos != NIL && !check_witness(c, a, f->pos[a->pos]))
			return false;
		if (a->kind == ATOM_EQUAL && a->out.id != a->arg[0].id)
			return no(c, "two constants of the rule differ");
	}
	return true;
}

/* ---- the right side */

static bool check_built(struct checker *c, const pattern *p, const act *a, eg_id n)
{
	const egraph *g = c->g;
	const eg_val *val;
	const eg_id *arg;
	uint32_t i, k, at = 0, nval;

	if (n >= g->n || eg_op_family(g, eg_node_op(g, n)) != a->table->fam)
		return no(c, "a built node is of another operator");
	val = eg_op_values(g, eg_node_op(g, n), &nval);
	arg = eg_args(g, n);
	for (i = 0; i < nval; i++) {
		uint32_t want = a->val[i].kind == OPERAND_VAR ? c->value[a->val[i].id].id : a->val[i].id;

		/* what a function among the acts gave is not logged: it is what was built */
		if (a->val[i].kind == OPERAND_VAR && !c->has[a->val[i].id]) {
			c->has[a->val[i].id] = true;
			c->value[a->val[i].id].id = val[i];
			c->out.trusted++;
		} else if (want != val[i]) {
			return no(c, "a built node has another attribute");
		}
	}
	for (i = 0; i < a->narg; i++) {
		const rv *v = a->arg[i].kind == OPERAND_VAR ? &c->value[a->arg[i].id] : NULL;
		uint32_t many = v && p->var[a->arg[i].id].seq ? v->n : 1;

		if (v && !c->has[a->arg[i].id])
			return no(c, "an argument of a built node has no value");
		if (at + many > eg_narg(g, n))
			return no(c, "a built node has too few arguments");
		for (k = 0; k < many; k++, at++)
			if (!equal(c, arg[at], v && p->var[a->arg[i].id].seq ? v->at[k] : v ? v->id : a->arg[i].id))
				return no(c, "an argument of a built node was not shown to be the rule's");
	}
	return at == eg_narg(g, n) || no(c, "a built node has too many arguments");
}

/* Builds in order; *made when the edge is one of the rule's unions. */
static bool check_right(struct checker *c, const firing *f, const eg_edge *e)
{
	const pattern *p = f->rule->pattern;
	bool made = !e;
	uint32_t i;

	for (i = 0; i < p->nact; i++) {
		const act *a = &p->act[i];
		eg_id x, y;

		if (a->kind == ACT_BUILD || a->kind == ACT_SET) {
			if (!check_built(c, p, a, f->built[a->built]))
				return false;
			if (eg_family(c->g, a->table->fam)->fact)
				c->fact[f->built[a->built]] = 1;
		}
		if (a->kind == ACT_BUILD) {
			c->has[a->out] = true;
			c->value[a->out].id = f->built[a->built];
		}
		if (a->kind != ACT_UNION || !e)
			continue;
		x = a->arg[0].kind == OPERAND_VAR ? c->value[a->arg[0].id].id : a->arg[0].id;
		y = a->arg[1].kind == OPERAND_VAR ? c->value[a->arg[1].id].id : a->arg[1].id;
		made |= equal(c, x, e->a) && equal(c, y, e->b);
	}
	return made || no(c, "the rule unions other nodes");
}

static bool check_firing(struct checker *c, uint32_t id, const eg_edge *e)
{
	firing f;

	if (id >= firing_n(c->f))
		return no(c, "there is no such firing");
	f = firing_at(c->f, id);
	if (!f.rule)
		return e ? no(c, "no rule says so") : true;
	if (!check_left(c, &f) || !check_right(c, &f, e))
		return false;
	c->out.rules++;
	return true;
}

/* ---- items */

static bool check_congruence(struct checker *c, const eg_edge *e)
{
	const egraph *g = c->g;
	uint32_t k;

	if (eg_node_op(g, e->a) != eg_node_op(g, e->b) || eg_narg(g, e->a) != eg_narg(g, e->b))
		return no(c, "congruent nodes have different operators");
	for (k = 0; k < eg_narg(g, e->a); k++)
		if (!equal(c, eg_args(g, e->a)[k], eg_args(g, e->b)[k]))
			return no(c, "arguments of congruent nodes were not shown equal");
	c->out.congruences++;
	return true;
}

static bool check_edge(struct checker *c, uint32_t id)
{
	const eg_edge *e;
	bool ok = true;

	if (id >= eg_nedge(c->g))
		return no(c, "there is no such union");
	e = eg_get_edge(c->g, id);
	switch ((enum eg_why)e->kind) {
	case EG_RULE:
		ok = check_firing(c, e->firing, e);
		break;
	case EG_CONGRUENCE:
		ok = check_congruence(c, e);
		break;
	case EG_GIVEN:
		c->out.given++;
		break;
	case EG_ASSUMED:
		c->out.assumed++;
		break;
	}
	if (ok)
		c->up[find(c, e->a)] = find(c, e->b);
	return ok;
}

/* What a note gave: the facts born with it. */
static void take_given_facts(struct checker *c, uint32_t id)
{
	firing f = firing_at(c->f, id);
	uint32_t n;

	if (f.rule)
		return;
	for (n = 0; n < c->g->n; n++)
		if (eg_born(c->g, n) == id)
			c->fact[n] = 1;
}

check_result check_explanation(firings *f, const explanation *e, arena *a)
{
	struct checker c = { .f = f, .g = f->g, .a = a };
	uint32_t i, most = 1;
	bool ok = true;

	for (i = 0; i < rules_n(f->r); i++)
		if (rules_at(f->r, i)->pattern->nreg > most)
			most = rules_at(f->r, i)->pattern->nreg;
	c.up = ARENA_ARRAY(a, uint32_t, c.g->n);
	c.fact = arena_zalloc(a, c.g->n + 1);
	c.value = arena_zalloc(a, most * sizeof *c.value);
	c.has = arena_zalloc(a, most * sizeof *c.has);
	for (i = 0; i < c.g->n; i++)
		c.up[i] = i;
	for (i = 0; i < e->n && ok; i++) {
		c.out.item = i;
		ok = e->item[i].edge ? check_edge(&c, e->item[i].id) : check_firing(&c, e->item[i].id, NULL);
		if (ok && !e->item[i].edge)
			take_given_facts(&c, e->item[i].id);
	}
	if (ok && !equal(&c, e->a, e->b))
		no(&c, "what was to be shown does not follow");
	return c.out;
}
