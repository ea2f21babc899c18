#include "rule/type_in.h"

#include <string.h>

/* ---- acts */

/* The operands of a call of a table; on = keys only for SET. */
static void act_columns(typing *t, const struct ex *e, operand *val, operand *arg, uint32_t *narg)
{
	const table *b = e->table;
	uint32_t i;

	*narg = b->narg;
	for (i = 0; i < e->n; i++) {
		operand o = act_expr(t, &e->arg[i]);

		if (i >= b->ncol)
			arg[(*narg)++] = o;
		else if (b->col[i].value)
			val[b->col[i].index] = o;
		else
			arg[b->col[i].index] = o;
	}
}

static eg_op fixed_op(typing *t, const table *b, const operand *val)
{
	eg_val v[COLUMNS_MAX];
	uint32_t i;

	v[0] = NIL;
	for (i = 0; i < b->nval; i++) {
		operand o = typing_resolve(t, val[i]);

		if (o.kind != OPERAND_VALUE)
			return NIL;
		v[i] = o.id;
	}
	return eg_operator(t->r->g, b->fam, b->nval, v);
}

/* An act on the row of a table with these columns. */
static act *act_on_table(typing *t, enum act_kind kind, const table *b, operand *val, operand *arg, uint32_t narg)
{
	act *a = typing_new_act(t, kind);

	a->table = b;
	a->val = val;
	a->nval = b->nval;
	a->arg = arg;
	a->narg = narg;
	a->op = fixed_op(t, b, val);
	a->built = t->nbuilt++;
	return a;
}

static operand act_build(typing *t, const struct ex *e)
{
	const table *b = e->table;
	operand *val = typing_operands(t, b->nval), *arg = typing_operands(t, e->n), out;
	uint32_t narg;

	if (b->kind == TABLE_FUNCTION) {
		typing_fail(t, e->s, "the value of function %s is read in the query of a rule, not in its actions", b->name);
		return NOWHERE;
	}
	act_columns(t, e, val, arg, &narg);
	out = typing_fresh(t, b->result);
	act_on_table(t, ACT_BUILD, b, val, arg, narg)->out = out.id;
	return out;
}

/* Known before anything is built? */
static bool in_query(const typing *t, operand o)
{
	uint32_t i, k;

	if (o.kind != OPERAND_VAR || o.id < t->nquery)
		return true;
	for (i = 0; i < t->atom->n; i++) {
		const atom *a = &VEC_AT(atom, t->atom, i);

		for (k = 0; a->kind == ATOM_HOST && k < a->narg; k++)
			if (a->arg[k].kind == OPERAND_VAR && a->arg[k].id == o.id)
				return true;
	}
	return false;
}

/* A host's call refuses the match: it belongs to the query. */
static operand act_host(typing *t, const struct ex *e)
{
	const host *h = e->host;
	operand *in = typing_operands(t, e->n), *out = typing_operands(t, h->nout + 1);
	bool early = h->fn.kind == HOST_PRIM;
	uint32_t i;

	if (h->fn.kind == HOST_ATOM) {
		typing_fail(t, e->s, "%s is a pattern atom: it stands in the query", h->fn.name);
		return NOWHERE;
	}
	if (e->n > HOST_MAX) {
		typing_fail(t, e->s, "a call has too many arguments");
		return NOWHERE;
	}
	for (i = 0; i < e->n; i++) {
		in[i] = act_expr(t, &e->arg[i]);
		early = early && in_query(t, in[i]);
	}
	for (i = 0; i < h->nout; i++) {
		out[i] = typing_fresh(t, i ? h->out[i].sort : e->sort);
		VAR(t, out[i].id).seq = h->out[i].seq;
	}
	if (early) {
		atom *a = typing_new_atom(t, ATOM_HOST);

		a->host = h;
		a->val = in;
		a->nval = e->n;
		a->arg = out;
		a->narg = h->nout;
	} else {
		act *a = typing_new_act(t, ACT_HOST);

		a->host = h;
		a->val = in;
		a->nval = e->n;
		a->arg = out;
		a->narg = h->nout;
	}
	return h->nout ? out[0] : (operand){ OPERAND_VALUE, eg_value(t->r->g, t->r->unit, "", 0) };
}

operand act_expr(typing *t, const struct ex *e)
{
	switch (e->kind) {
	case EX_VAR:
		return var_operand(e->var);
	case EX_CONST:
		return e->c;
	case EX_TABLE:
		return act_build(t, e);
	case EX_HOST:
		return act_host(t, e);
	}
	return NOWHERE;
}

bool act_read(typing *t, const sexp *s, eg_sort want, struct ex *e)
{
	uint32_t pass;

	if (!ex_read(t, s, e))
		return false;
	for (pass = 0; pass < 2; pass++)
		if (!ex_infer(t, e, want))
			return false;
	return ex_settled(t, e);
}

bool sort_unionable(const typing *t, eg_sort s)
{
	return !eg_sort_primitive(t->r->g, s) && !eg_sort_of_facts(t->r->g, s);
}

static bool take_union(typing *t, const sexp *s)
{
	struct ex x, y;
	operand *arg = typing_operands(t, 2);
	act *a;

	if (s->n != 3)
		return typing_fail(t, s, "union takes two sides");
	if (!act_read(t, &s->at[1], NIL, &x) || !act_read(t, &s->at[2], x.sort, &y))
		return false;
	if (!sort_unionable(t, x.sort))
		return typing_fail(t, s, "values of sort %s cannot be unioned", typing_sort_name(t, x.sort));
	arg[0] = act_expr(t, &x);
	arg[1] = act_expr(t, &y);
	a = typing_new_act(t, ACT_UNION);
	a->arg = arg;
	a->narg = 2;
	return true;
}

static bool take_set(typing *t, const sexp *s)
{
	struct ex key, value;
	const table *b;
	operand *val, *arg, v;
	uint32_t narg;

	if (s->n != 3 || s->at[1].kind != SEXP_LIST || !s->at[1].n)
		return typing_fail(t, s, "set takes a call of a function and a value");
	if (!ex_read(t, &s->at[1], &key))
		return false;
	b = key.table;
	if (!b || b->kind != TABLE_FUNCTION)
		return typing_fail(t, &s->at[1], "only functions are set; use union for constructors");
	if (!ex_infer(t, &key, NIL) || !ex_settled(t, &key) || !act_read(t, &s->at[2], b->result, &value))
		return false;
	val = typing_operands(t, b->nval);
	arg = typing_operands(t, key.n);
	act_columns(t, &key, val, arg, &narg);
	v = act_expr(t, &value);
	act_on_table(t, ACT_SET, b, val, arg, narg)->value = v;
	return true;
}

static bool take_let(typing *t, const sexp *s)
{
	struct ex e;
	operand o;
	uint32_t v;

	if (s->n != 3 || s->at[1].kind != SEXP_SYMBOL)
		return typing_fail(t, s, "let takes a name and an expression");
	if (typing_find_var(t, s->at[1].text) != NIL || rules_global(t->r, s->at[1].text))
		return typing_fail(t, &s->at[1], "`%s` has a value already", s->at[1].text);
	if (!act_read(t, &s->at[2], NIL, &e))
		return false;
	o = act_expr(t, &e);
	v = typing_new_var(t, s->at[1].text, e.sort);
	VEC_AT(operand, t->alias, v) = o;
	if (o.kind == OPERAND_VAR)
		VAR(t, v).seq = VAR(t, o.id).seq;
	return true;
}

static bool take_panic(typing *t, const sexp *s)
{
	act *a;

	if (s->n != 2 || s->at[1].kind != SEXP_STRING)
		return typing_fail(t, s, "panic takes a message");
	a = typing_new_act(t, ACT_PANIC);
	a->text = s->at[1].text;
	return true;
}

static const struct {
	const char *name;
	bool (*take)(typing *t, const sexp *s);
} actions[] = {
	{ "union", take_union }, { "set", take_set }, { "let", take_let }, { "panic", take_panic },
};

bool act_take(typing *t, const sexp *s)
{
	struct ex e;
	uint32_t i;

	if (s->kind != SEXP_LIST || !s->n || s->at[0].kind != SEXP_SYMBOL)
		return typing_fail(t, s, "an action is let, set, union, panic or a call");
	for (i = 0; i < sizeof actions / sizeof *actions; i++)
		if (sexp_is(&s->at[0], actions[i].name))
			return actions[i].take(t, s);
	if (!act_read(t, s, NIL, &e))
		return false;
	act_expr(t, &e);
	return !t->error;
}
