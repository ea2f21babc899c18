/* type.c - from the text of a rule to typed atoms and acts.
 *
 * Every call names a table or, by its argument sorts, one of several host
 * functions.  Sorts are found by passes over all expressions of the rule until
 * nothing changes; a host function is settled when one candidate is left.
 */
#include "rule/type_in.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

bool typing_fail(typing *t, const sexp *at, const char *fmt, ...)
{
	char text[400];
	va_list ap;

	if (t->error)
		return false;
	va_start(ap, fmt);
	vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	t->error = sexp_error(&t->r->a, t->file, at, "%s", text);
	return false;
}

static void open_typing(typing *t, rules *r, const char *file)
{
	memset(t, 0, sizeof *t);
	t->r = r;
	t->file = file;
	t->var = &r->t_var;
	t->alias = &r->t_alias;
	t->atom = &r->t_atom;
	t->act = &r->t_act;
	t->var->n = t->alias->n = t->atom->n = t->act->n = 0;
	arena_reset(&r->typing, (arena_mark){ NULL, NULL });
}

static void *keep(typing *t, const vec *v)
{
	size_t n = (size_t)v->n * v->width;
	void *p = rules_alloc(t->r, n);

	if (n)
		memcpy(p, v->base, n);
	return p;
}

/* ---- variables */

uint32_t typing_new_var(typing *t, const char *name, eg_sort sort)
{
	pattern_var *v = vec_push(t->var);
	operand *o = vec_push(t->alias);

	v->name = name;
	v->sort = sort;
	v->value = sort != NIL && eg_sort_primitive(t->r->g, sort);
	o->kind = OPERAND_VAR;
	o->id = t->var->n - 1;
	return t->var->n - 1;
}

uint32_t typing_find_var(const typing *t, const char *name)
{
	uint32_t i;

	for (i = 0; i < t->var->n; i++)
		if (VAR(t, i).name && !strcmp(VAR(t, i).name, name))
			return i;
	return NIL;
}

operand typing_resolve(const typing *t, operand o)
{
	while (o.kind == OPERAND_VAR) {
		operand to = VEC_AT(operand, t->alias, o.id);

		if (to.kind == OPERAND_VAR && to.id == o.id)
			break;
		o = to;
	}
	return o;
}

/* ---- parts of the pattern */

atom *typing_new_atom(typing *t, enum atom_kind k)
{
	atom *a = vec_push(t->atom);

	a->kind = k;
	a->pos = NIL;
	return a;
}

operand *typing_operands(typing *t, uint32_t n)
{
	return rules_alloc(t->r, n * sizeof(operand));
}

operand typing_fresh(typing *t, eg_sort sort)
{
	return var_operand(typing_new_var(t, NULL, sort));
}

act *typing_new_act(typing *t, enum act_kind k)
{
	act *a = vec_push(t->act);

	a->kind = k;
	a->out = a->built = NIL;
	a->op = NIL;
	return a;
}

/* ---- the whole */

static void settle_operands(const typing *t, operand *o, uint32_t n)
{
	uint32_t i;

	for (i = 0; i < n; i++)
		o[i] = typing_resolve(t, o[i]);
}

static const char *close_typing(typing *t, pattern *p)
{
	uint32_t i;

	for (i = 0; i < t->atom->n; i++) {
		atom *a = &VEC_AT(atom, t->atom, i);

		a->out = typing_resolve(t, a->out);
		a->rest = typing_resolve(t, a->rest);
		settle_operands(t, a->val, a->nval);
		settle_operands(t, a->arg, a->narg);
	}
	for (i = 0; i < t->act->n; i++) {
		act *a = &VEC_AT(act, t->act, i);

		settle_operands(t, a->val, a->nval);
		settle_operands(t, a->arg, a->narg);
		a->value = typing_resolve(t, a->value);
	}
	p->var = keep(t, t->var);
	p->nvar = p->nreg = t->var->n;
	p->atom = keep(t, t->atom);
	p->natom = t->atom->n;
	p->npos = t->npos;
	p->act = keep(t, t->act);
	p->nact = t->act->n;
	p->nbuilt = t->nbuilt;
	return t->error;
}

const char *type_rule(rules *r, const char *file, pattern *p, const sexp *facts, uint32_t nfact,
		      const sexp *acts, uint32_t nact)
{
	typing t;
	uint32_t i;

	open_typing(&t, r, file);
	if (facts_add(&t, facts, nfact)) {
		t.acting = true;
		t.nquery = t.var->n;
		for (i = 0; i < nact && act_take(&t, &acts[i]); i++)
			;
	}
	return close_typing(&t, p);
}

static bool take_rewrite(typing *t, const sexp *lhs, const sexp *rhs, const sexp *when, uint32_t nwhen)
{
	struct fact *f = arena_zalloc(&t->r->typing, (nwhen + 1) * sizeof *f);
	struct ex right;
	operand *arg, root;
	uint32_t i;
	act *a;

	if (!ex_read(t, lhs, &f[0].a))
		return false;
	for (i = 0; i < nwhen; i++)
		if (!fact_read(t, &when[i], &f[i + 1]))
			return false;
	if (!facts_type(t, f, nwhen + 1))
		return false;
	root = query_flatten(t, &f[0].a, NOWHERE);
	for (i = 0; i < nwhen; i++)
		query_add(t, &f[i + 1]);
	t->acting = true;
	t->nquery = t->var->n;
	if (!act_read(t, rhs, f[0].a.sort, &right))
		return false;
	if (!sort_unionable(t, right.sort))
		return typing_fail(t, lhs, "values of sort %s cannot be unioned", typing_sort_name(t, right.sort));
	arg = typing_operands(t, 2);
	arg[0] = root;
	arg[1] = act_expr(t, &right);
	a = typing_new_act(t, ACT_UNION);
	a->arg = arg;
	a->narg = 2;
	return true;
}

const char *type_rewrite(rules *r, const char *file, pattern *p, const sexp *lhs, const sexp *rhs,
			 const sexp *when, uint32_t nwhen)
{
	typing t;

	open_typing(&t, r, file);
	take_rewrite(&t, lhs, rhs, when, nwhen);
	return close_typing(&t, p);
}

const char *type_expr(rules *r, const char *file, pattern *p, const sexp *e, eg_sort want,
		      const pattern_var *given, uint32_t ngiven, operand *out, eg_sort *sort)
{
	typing t;
	struct ex x;
	uint32_t i;
	const char *error;

	open_typing(&t, r, file);
	for (i = 0; i < ngiven; i++)
		typing_new_var(&t, given[i].name, given[i].sort);
	t.acting = true;
	*out = NOWHERE;
	if (act_read(&t, e, want, &x)) {
		*out = typing_resolve(&t, act_expr(&t, &x));
		*sort = x.sort;
	}
	error = close_typing(&t, p);
	return error;
}
