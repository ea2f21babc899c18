#include "rule/type_in.h"

#include <string.h>

/* ---- flattening: queries */

static operand flat_table(typing *t, const struct ex *e, operand want)
{
	const table *b = e->table;
	uint32_t at = t->atom->n, i;
	operand *val = typing_operands(t, b->nval), *arg = typing_operands(t, e->n), rest = NOWHERE;
	uint32_t narg = b->narg;
	bool variadic = false;
	atom *a = typing_new_atom(t, ATOM_TABLE);

	a->table = b;
	a->pos = t->npos++;
	if (want.kind == OPERAND_NONE)
		want = typing_fresh(t, b->result);
	for (i = 0; i < e->n; i++) {
		operand o = query_flatten(t, &e->arg[i], NOWHERE);

		if (i < b->ncol) {
			*(b->col[i].value ? &val[b->col[i].index] : &arg[b->col[i].index]) = o;
		} else if (!ex_is_seq(t, &e->arg[i])) {
			arg[narg++] = o;
		} else {
			if (i + 1 < e->n)
				typing_fail(t, e->arg[i].s, "a sequence stands last in a pattern");
			rest = o;
			variadic = true;
		}
	}
	a = &VEC_AT(atom, t->atom, at);
	a->out = want;
	a->val = val;
	a->nval = b->nval;
	a->arg = arg;
	a->narg = narg;
	a->rest = rest;
	a->variadic = variadic;
	return want;
}

static operand flat_host(typing *t, const struct ex *e, operand want)
{
	const host *h = e->host;
	uint32_t i, nin = h->fn.kind == HOST_ATOM ? h->nin : e->n;
	operand *in = typing_operands(t, nin), *out = typing_operands(t, h->nout + 1);
	uint32_t pos = NIL;
	atom *a;

	if (h->fn.kind == HOST_ATOM)
		pos = t->npos++;
	for (i = 0; i < nin; i++)
		in[i] = query_flatten(t, &e->arg[i], NOWHERE);
	for (i = 0; i < h->nout; i++) {
		if (h->fn.kind == HOST_ATOM)
			out[i] = query_flatten(t, &e->arg[nin + i], NOWHERE);
		else if (i == 0 && want.kind != OPERAND_NONE)
			out[i] = want;
		else
			out[i] = typing_fresh(t, i ? h->out[i].sort : e->sort);
		if (out[i].kind == OPERAND_VAR) {
			VAR(t, out[i].id).seq |= h->out[i].seq;
			VAR(t, out[i].id).node |= h->out[i].node;
		}
	}
	a = typing_new_atom(t, ATOM_HOST);
	a->host = h;
	a->pos = pos;
	a->val = in;
	a->nval = nin;
	a->arg = out;
	a->narg = h->nout;
	return h->nout ? out[0] : NOWHERE;
}

operand query_flatten(typing *t, const struct ex *e, operand want)
{
	switch (e->kind) {
	case EX_VAR:
		return var_operand(e->var);
	case EX_CONST:
		return e->c;
	case EX_TABLE:
		return flat_table(t, e, want);
	case EX_HOST:
		return flat_host(t, e, want);
	}
	return NOWHERE;
}

/* Makes two operands one: a variable by substitution, constants by an atom. */
static void flat_equal(typing *t, operand x, operand y)
{
	atom *a;

	x = typing_resolve(t, x);
	y = typing_resolve(t, y);
	if (x.kind == y.kind && x.id == y.id)
		return;
	if (x.kind == OPERAND_VAR && y.kind == OPERAND_VAR) {
		/* the younger stands for nothing any more; a node is the sharper of the two */
		bool keep_x = VAR(t, x.id).node == VAR(t, y.id).node ? x.id < y.id : VAR(t, x.id).node;
		operand from = keep_x ? y : x, to = keep_x ? x : y;

		VEC_AT(operand, t->alias, from.id) = to;
		VAR(t, to.id).seq |= VAR(t, from.id).seq;
	} else if (x.kind == OPERAND_VAR) {
		VEC_AT(operand, t->alias, x.id) = y;
	} else if (y.kind == OPERAND_VAR) {
		VEC_AT(operand, t->alias, y.id) = x;
	} else {
		a = typing_new_atom(t, ATOM_EQUAL);
		a->out = x;
		a->arg = typing_operands(t, 1);
		a->arg[0] = y;
		a->narg = 1;
	}
}

void query_add(typing *t, const struct fact *f)
{
	bool a_call = f->a.kind == EX_TABLE || f->a.kind == EX_HOST;
	operand x, y;

	if (!f->equal) {
		query_flatten(t, &f->a, NOWHERE);
		return;
	}
	if (a_call) {
		y = f->b.kind == EX_VAR ? var_operand(f->b.var) : NOWHERE;
		x = query_flatten(t, &f->a, y);
		y = query_flatten(t, &f->b, f->b.kind == EX_VAR ? NOWHERE : x.kind == OPERAND_VAR ? x : NOWHERE);
	} else {
		x = query_flatten(t, &f->a, NOWHERE);
		y = query_flatten(t, &f->b, x.kind == OPERAND_VAR ? x : NOWHERE);
	}
	flat_equal(t, x, y);
}

/* ---- facts */

bool fact_read(typing *t, const sexp *s, struct fact *f)
{
	memset(f, 0, sizeof *f);
	if (s->kind != SEXP_LIST || !s->n)
		return typing_fail(t, s, "a fact is (= a b) or a call");
	if (!sexp_is(&s->at[0], "="))
		return ex_read(t, s, &f->a);
	if (s->n != 3)
		return typing_fail(t, s, "`=` takes two sides");
	f->equal = true;
	return ex_read(t, &s->at[1], &f->a) && ex_read(t, &s->at[2], &f->b);
}

static struct fact *facts_read(typing *t, const sexp *s, uint32_t n)
{
	struct fact *f = arena_zalloc(&t->r->typing, (n + 1) * sizeof *f);
	uint32_t i;

	for (i = 0; i < n; i++)
		if (!fact_read(t, &s[i], &f[i]))
			return NULL;
	return f;
}

bool facts_type(typing *t, struct fact *f, uint32_t n)
{
	uint32_t i;

	do {
		t->changed = false;
		for (i = 0; i < n; i++)
			if (!fact_infer(t, &f[i]))
				return false;
	} while (t->changed);
	for (i = 0; i < n; i++)
		if (!ex_settled(t, &f[i].a) || (f[i].equal && !ex_settled(t, &f[i].b)))
			return false;
	return true;
}

bool facts_add(typing *t, const sexp *s, uint32_t n)
{
	struct fact *f = facts_read(t, s, n);
	uint32_t i;

	if (!f || !facts_type(t, f, n))
		return false;
	for (i = 0; i < n; i++)
		query_add(t, &f[i]);
	return !t->error;
}
