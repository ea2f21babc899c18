#include "rule/type_in.h"
#include "util/spelling.h"

#include <string.h>

/* ---- expressions */

static bool is_seq_name(const char *s)
{
	size_t n = strlen(s);

	return n > 2 && !strcmp(s + n - 2, "..");
}

static bool ex_symbol(typing *t, const sexp *s, struct ex *e)
{
	const struct global *g = rules_global(t->r, s->text);

	e->kind = EX_VAR;
	if (g) {
		e->kind = EX_CONST;
		e->c = g->at;
		e->sort = g->sort;
		return true;
	}
	if (sexp_is(s, "_")) {
		if (t->acting)
			return typing_fail(t, s, "`_` has no value here");
		e->var = typing_new_var(t, NULL, NIL);
		return true;
	}
	e->var = typing_find_var(t, s->text);
	if (e->var != NIL)
		return true;
	if (t->acting)
		return typing_fail(t, s, "unbound symbol `%s`", s->text);
	if (rules_table(t->r, s->text))
		return typing_fail(t, s, "`%s` is declared: write (%s ..), or name the variable otherwise", s->text, s->text);
	e->var = typing_new_var(t, s->text, NIL);
	VAR(t, e->var).seq = is_seq_name(s->text);
	return true;
}

static bool ex_literal(typing *t, const sexp *s, struct ex *e)
{
	egraph *g = t->r->g;

	e->kind = EX_CONST;
	e->c.kind = OPERAND_VALUE;
	switch (s->kind) {
	case SEXP_INT:
		e->c.id = value_i64(g, s->i);
		break;
	case SEXP_FLOAT:
		e->c.id = value_f64(g, s->f);
		break;
	case SEXP_BOOL:
		e->c.id = value_bool(g, s->i);
		break;
	case SEXP_STRING:
		e->c.id = value_string(g, s->text, s->n);
		break;
	default:
		e->c.id = eg_value(g, t->r->unit, "", 0);
	}
	e->sort = eg_value_sort(g, e->c.id);
	return true;
}

static bool fail_unknown(typing *t, const sexp *s)
{
	const char *near = NULL;
	uint32_t i;

	for (i = 0; i < t->r->tables.n && !near; i++)
		if (spelling_near(VEC_AT(table *, &t->r->tables, i)->name, s->text))
			near = VEC_AT(table *, &t->r->tables, i)->name;
	for (i = 0; i < t->r->hosts.n && !near; i++)
		if (spelling_near(VEC_AT(host *, &t->r->hosts, i)->fn.name, s->text))
			near = VEC_AT(host *, &t->r->hosts, i)->fn.name;
	if (near)
		return typing_fail(t, s, "unknown function `%s`; perhaps `%s` is meant", s->text, near);
	return typing_fail(t, s, "unknown function `%s`", s->text);
}

bool ex_read(typing *t, const sexp *s, struct ex *e)
{
	uint32_t i;

	memset(e, 0, sizeof *e);
	e->s = s;
	e->sort = NIL;
	if (s->kind == SEXP_SYMBOL)
		return ex_symbol(t, s, e);
	if (s->kind != SEXP_LIST || !s->n)
		return ex_literal(t, s, e);
	if (s->at[0].kind != SEXP_SYMBOL)
		return typing_fail(t, &s->at[0], "a call begins with a name");
	e->table = rules_table(t->r, s->at[0].text);
	e->kind = e->table ? EX_TABLE : EX_HOST;
	if (!e->table && !rules_hosts_named(t->r, s->at[0].text))
		return fail_unknown(t, &s->at[0]);
	e->n = s->n - 1;
	e->arg = ARENA_ARRAY(&t->r->typing, struct ex, e->n);
	for (i = 0; i < e->n; i++)
		if (!ex_read(t, &s->at[i + 1], &e->arg[i]))
			return false;
	return true;
}

bool ex_is_seq(const typing *t, const struct ex *e)
{
	return e->kind == EX_VAR && VAR(t, e->var).seq;
}

/* ---- sorts */

const char *typing_sort_name(const typing *t, eg_sort s)
{
	return s == NIL ? "?" : eg_sort_name(t->r->g, s);
}

static bool expect(typing *t, struct ex *e, eg_sort want)
{
	pattern_var *v;

	if (want == NIL)
		return true;
	if (e->sort == want)
		return true;
	if (e->sort != NIL && e->kind == EX_VAR)
		return typing_fail(t, e->s, "`%s` is %s, but %s is expected", e->s->text, typing_sort_name(t, e->sort), typing_sort_name(t, want));
	if (e->sort != NIL)
		return typing_fail(t, e->s, "this is %s, but %s is expected", typing_sort_name(t, e->sort), typing_sort_name(t, want));
	if (e->kind == EX_VAR) {
		v = &VAR(t, e->var);
		v->sort = want;
		v->value = eg_sort_primitive(t->r->g, want);
		t->changed = true;
	}
	if (e->kind != EX_HOST)
		e->sort = want;
	return true;
}

/* (NAME SORT ..) as it was declared. */
static const char *declared(const typing *t, const table *b)
{
	const char *text = arena_printf(&t->r->typing, "(%s", b->name);
	uint32_t i;

	for (i = 0; i < b->ncol; i++)
		text = arena_printf(&t->r->typing, "%s %s", text, typing_sort_name(t, b->col[i].sort));
	return arena_printf(&t->r->typing, b->rest == NIL ? "%s)" : "%s %s*)", text, typing_sort_name(t, b->rest));
}

static bool infer_table(typing *t, struct ex *e)
{
	const table *b = e->table;
	uint32_t i;

	if (e->n < b->ncol || (e->n > b->ncol && b->rest == NIL))
		return typing_fail(t, e->s, "%s expects %s%u argument%s, got %u: %s", b->name, b->rest == NIL ? "" : "at least ",
			    b->ncol, b->ncol == 1 ? "" : "s", e->n, declared(t, b));
	for (i = 0; i < e->n; i++) {
		if (ex_is_seq(t, &e->arg[i]) && i < b->ncol)
			return typing_fail(t, e->arg[i].s, "argument %u of %s is one %s, not a sequence", i + 1, b->name,
				    typing_sort_name(t, b->col[i].sort));
		if (!ex_infer(t, &e->arg[i], i < b->ncol ? b->col[i].sort : b->rest))
			return false;
	}
	e->sort = b->result;
	return true;
}

static const param *host_param(const host *h, uint32_t i)
{
	if (i < h->nin)
		return &h->in[i];
	if (h->fn.kind == HOST_ATOM)
		return i - h->nin < h->nout ? &h->out[i - h->nin] : NULL;
	return h->nin && h->in[h->nin - 1].seq ? &h->in[h->nin - 1] : NULL;
}

/* Can this candidate still be meant?  Any-sort parameters take the sort in *any. */
static bool host_fits(const typing *t, const host *h, const struct ex *e, eg_sort want, eg_sort *any)
{
	uint32_t i, least = h->nin;

	*any = NIL;
	if (h->fn.kind == HOST_ATOM)
		least += h->nout;
	else if (h->nin && h->in[h->nin - 1].seq)
		least--;
	if (e->n < least)
		return false;
	for (i = 0; i < e->n; i++) {
		const param *p = host_param(h, i);

		if (!p || (!p->seq && ex_is_seq(t, &e->arg[i])))
			return false;
		if (p->seq && !ex_is_seq(t, &e->arg[i]) && (h->fn.kind == HOST_ATOM || p != &h->in[h->nin - 1]))
			return false;
		if (p->sort == NIL && *any == NIL)
			*any = e->arg[i].sort;
		if (e->arg[i].sort != NIL && p->sort != NIL && e->arg[i].sort != p->sort)
			return false;
		if (p->sort == NIL && e->arg[i].sort != NIL && e->arg[i].sort != *any)
			return false;
	}
	if (want == NIL || h->fn.kind == HOST_ATOM)
		return true;
	if (!h->nout)
		return want == t->r->unit;
	return h->out[0].sort == want || (h->out[0].sort == NIL && (*any == NIL || *any == want));
}

static bool settle(typing *t, struct ex *e, const host *h, eg_sort any)
{
	uint32_t i;

	if (!e->host)
		t->changed = true;
	e->host = h;
	for (i = 0; i < e->n; i++) {
		const param *p = host_param(h, i);

		if (!ex_infer(t, &e->arg[i], p->sort == NIL ? any : p->sort))
			return false;
		if (e->arg[i].kind == EX_VAR && i >= h->nin && h->fn.kind == HOST_ATOM && p->node)
			VAR(t, e->arg[i].var).node = true;
	}
	if (h->fn.kind == HOST_ATOM || !h->nout)
		e->sort = t->r->unit;
	else
		e->sort = h->out[0].sort == NIL ? any : h->out[0].sort;
	return true;
}

static const char *signatures(const typing *t, const char *name)
{
	const host *h = rules_hosts_named(t->r, name);
	const char *text = h->fn.signature;

	for (h = h->next; h; h = h->next)
		text = arena_printf(&t->r->typing, "%s, or %s", text, h->fn.signature);
	return text;
}

static bool infer_host(typing *t, struct ex *e, eg_sort want)
{
	const host *h, *one = NULL;
	eg_sort any, one_any = NIL;
	uint32_t i, n = 0;

	for (i = 0; i < e->n; i++)
		if (!ex_infer(t, &e->arg[i], NIL))
			return false;
	for (h = rules_hosts_named(t->r, e->s->at[0].text); h; h = h->next) {
		if (!host_fits(t, h, e, want, &any))
			continue;
		n++;
		one = h;
		one_any = any;
	}
	if (!n)
		return typing_fail(t, e->s, "no `%s` takes these arguments; it is %s", e->s->at[0].text, signatures(t, e->s->at[0].text));
	if (n == 1)
		return settle(t, e, one, one_any == NIL ? want : one_any);
	return true;
}

bool ex_infer(typing *t, struct ex *e, eg_sort want)
{
	if (e->kind == EX_VAR && e->sort == NIL)
		e->sort = VAR(t, e->var).sort;
	if (e->kind == EX_TABLE && !infer_table(t, e))
		return false;
	if (e->kind == EX_HOST && !(e->host && e->sort != NIL) && !infer_host(t, e, want))
		return false;
	return expect(t, e, want);
}

/* Every expression must have come out with a sort. */
bool ex_settled(typing *t, const struct ex *e)
{
	uint32_t i;

	if (e->sort == NIL || (e->kind == EX_HOST && !e->host))
		return typing_fail(t, e->s, "the sort of this cannot be told");
	for (i = 0; i < e->n; i++)
		if (!ex_settled(t, &e->arg[i]))
			return false;
	return true;
}

bool fact_infer(typing *t, struct fact *f)
{
	if (!f->equal)
		return ex_infer(t, &f->a, NIL);
	return ex_infer(t, &f->a, f->b.sort) && ex_infer(t, &f->b, f->a.sort) && ex_infer(t, &f->a, f->b.sort);
}
