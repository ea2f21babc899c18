/* type.c - from the text of a rule to typed atoms and acts.
 *
 * Every call names a table or, by its argument sorts, one of several host
 * functions.  Sorts are found by passes over all expressions of the rule until
 * nothing changes; a host function is settled when one candidate is left.
 */
#include "rule/rule_in.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum ex_kind { EX_VAR, EX_CONST, EX_TABLE, EX_HOST };

struct ex {
	enum ex_kind kind;
	const sexp *s;
	eg_sort sort;
	uint32_t var, n;
	operand c;
	const table *table;
	const host *host;	/* settled */
	struct ex *arg;
};

struct fact {
	bool equal;
	struct ex a, b;
};

struct typing {
	rules *r;
	const char *file;
	const char *error;
	bool acting;		/* new names are errors */
	bool changed;
	vec *var;		/* pattern_var; these are the rule base's */
	vec *alias;		/* operand per variable: what it was made equal to */
	vec *atom, *act;
	uint32_t npos, nbuilt, nquery;
};

static bool fail(typing *t, const sexp *at, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

static bool fail(typing *t, const sexp *at, const char *fmt, ...)
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

#define VAR(t, i) VEC_AT(pattern_var, (t)->var, i)

static uint32_t new_var(typing *t, const char *name, eg_sort sort)
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

static uint32_t find_var(const typing *t, const char *name)
{
	uint32_t i;

	for (i = 0; i < t->var->n; i++)
		if (VAR(t, i).name && !strcmp(VAR(t, i).name, name))
			return i;
	return NIL;
}

static operand resolve(const typing *t, operand o)
{
	while (o.kind == OPERAND_VAR) {
		operand to = VEC_AT(operand, t->alias, o.id);

		if (to.kind == OPERAND_VAR && to.id == o.id)
			break;
		o = to;
	}
	return o;
}

static operand var_operand(uint32_t v)
{
	return (operand){ OPERAND_VAR, v };
}

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
			return fail(t, s, "`_` has no value here");
		e->var = new_var(t, NULL, NIL);
		return true;
	}
	e->var = find_var(t, s->text);
	if (e->var != NIL)
		return true;
	if (t->acting)
		return fail(t, s, "unbound symbol `%s`", s->text);
	if (rules_table(t->r, s->text))
		return fail(t, s, "`%s` is declared: write (%s ..), or name the variable otherwise", s->text, s->text);
	e->var = new_var(t, s->text, NIL);
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

/* Is one the other with a letter more, less or another, or two neighbours exchanged? */
static bool is_near(const char *x, const char *y)
{
	size_t n = strlen(x), m = strlen(y), k = 0;

	while (x[k] && x[k] == y[k])
		k++;
	if (n == m && n > 2)
		return !strcmp(x + k + (k < n), y + k + (k < m)) || (x[k] == y[k + 1] && x[k + 1] == y[k] && !strcmp(x + k + 2, y + k + 2));
	return (n == m + 1 && m > 2 && !strcmp(x + k + 1, y + k)) || (m == n + 1 && n > 2 && !strcmp(x + k, y + k + 1));
}

static bool fail_unknown(typing *t, const sexp *s)
{
	const char *near = NULL;
	uint32_t i;

	for (i = 0; i < t->r->tables.n && !near; i++)
		if (is_near(VEC_AT(table *, &t->r->tables, i)->name, s->text))
			near = VEC_AT(table *, &t->r->tables, i)->name;
	for (i = 0; i < t->r->hosts.n && !near; i++)
		if (is_near(VEC_AT(host *, &t->r->hosts, i)->fn.name, s->text))
			near = VEC_AT(host *, &t->r->hosts, i)->fn.name;
	if (near)
		return fail(t, s, "unknown function `%s`; perhaps `%s` is meant", s->text, near);
	return fail(t, s, "unknown function `%s`", s->text);
}

static bool ex_read(typing *t, const sexp *s, struct ex *e)
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
		return fail(t, &s->at[0], "a call begins with a name");
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

static bool is_seq(const typing *t, const struct ex *e)
{
	return e->kind == EX_VAR && VAR(t, e->var).seq;
}

/* ---- sorts */

static const char *sort_name(const typing *t, eg_sort s)
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
		return fail(t, e->s, "`%s` is %s, but %s is expected", e->s->text, sort_name(t, e->sort), sort_name(t, want));
	if (e->sort != NIL)
		return fail(t, e->s, "this is %s, but %s is expected", sort_name(t, e->sort), sort_name(t, want));
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

static bool infer(typing *t, struct ex *e, eg_sort want);

/* (NAME SORT ..) as it was declared. */
static const char *declared(const typing *t, const table *b)
{
	const char *text = arena_printf(&t->r->typing, "(%s", b->name);
	uint32_t i;

	for (i = 0; i < b->ncol; i++)
		text = arena_printf(&t->r->typing, "%s %s", text, sort_name(t, b->col[i].sort));
	return arena_printf(&t->r->typing, b->rest == NIL ? "%s)" : "%s %s*)", text, sort_name(t, b->rest));
}

static bool infer_table(typing *t, struct ex *e)
{
	const table *b = e->table;
	uint32_t i;

	if (e->n < b->ncol || (e->n > b->ncol && b->rest == NIL))
		return fail(t, e->s, "%s expects %s%u argument%s, got %u: %s", b->name, b->rest == NIL ? "" : "at least ",
			    b->ncol, b->ncol == 1 ? "" : "s", e->n, declared(t, b));
	for (i = 0; i < e->n; i++) {
		if (is_seq(t, &e->arg[i]) && i < b->ncol)
			return fail(t, e->arg[i].s, "argument %u of %s is one %s, not a sequence", i + 1, b->name,
				    sort_name(t, b->col[i].sort));
		if (!infer(t, &e->arg[i], i < b->ncol ? b->col[i].sort : b->rest))
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

		if (!p || (!p->seq && is_seq(t, &e->arg[i])))
			return false;
		if (p->seq && !is_seq(t, &e->arg[i]) && (h->fn.kind == HOST_ATOM || p != &h->in[h->nin - 1]))
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

		if (!infer(t, &e->arg[i], p->sort == NIL ? any : p->sort))
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
		if (!infer(t, &e->arg[i], NIL))
			return false;
	for (h = rules_hosts_named(t->r, e->s->at[0].text); h; h = h->next) {
		if (!host_fits(t, h, e, want, &any))
			continue;
		n++;
		one = h;
		one_any = any;
	}
	if (!n)
		return fail(t, e->s, "no `%s` takes these arguments; it is %s", e->s->at[0].text, signatures(t, e->s->at[0].text));
	if (n == 1)
		return settle(t, e, one, one_any == NIL ? want : one_any);
	return true;
}

static bool infer(typing *t, struct ex *e, eg_sort want)
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
static bool settled(typing *t, const struct ex *e)
{
	uint32_t i;

	if (e->sort == NIL || (e->kind == EX_HOST && !e->host))
		return fail(t, e->s, "the sort of this cannot be told");
	for (i = 0; i < e->n; i++)
		if (!settled(t, &e->arg[i]))
			return false;
	return true;
}

static bool fact_infer(typing *t, struct fact *f)
{
	if (!f->equal)
		return infer(t, &f->a, NIL);
	return infer(t, &f->a, f->b.sort) && infer(t, &f->b, f->a.sort) && infer(t, &f->a, f->b.sort);
}

/* ---- flattening: queries */

static atom *new_atom(typing *t, enum atom_kind k)
{
	atom *a = vec_push(t->atom);

	a->kind = k;
	a->pos = NIL;
	return a;
}

static operand *operands(typing *t, uint32_t n)
{
	return rules_alloc(t->r, n * sizeof(operand));
}

static operand fresh(typing *t, eg_sort sort)
{
	return var_operand(new_var(t, NULL, sort));
}

static operand flatten(typing *t, const struct ex *e, operand want);

static const operand NOWHERE = { OPERAND_NONE, 0 };

static operand flat_table(typing *t, const struct ex *e, operand want)
{
	const table *b = e->table;
	uint32_t at = t->atom->n, i;
	operand *val = operands(t, b->nval), *arg = operands(t, e->n), rest = NOWHERE;
	uint32_t narg = b->narg;
	bool variadic = false;
	atom *a = new_atom(t, ATOM_TABLE);

	a->table = b;
	a->pos = t->npos++;
	if (want.kind == OPERAND_NONE)
		want = fresh(t, b->result);
	for (i = 0; i < e->n; i++) {
		operand o = flatten(t, &e->arg[i], NOWHERE);

		if (i < b->ncol) {
			*(b->col[i].value ? &val[b->col[i].index] : &arg[b->col[i].index]) = o;
		} else if (!is_seq(t, &e->arg[i])) {
			arg[narg++] = o;
		} else {
			if (i + 1 < e->n)
				fail(t, e->arg[i].s, "a sequence stands last in a pattern");
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
	operand *in = operands(t, nin), *out = operands(t, h->nout + 1);
	uint32_t pos = NIL;
	atom *a;

	if (h->fn.kind == HOST_ATOM)
		pos = t->npos++;
	for (i = 0; i < nin; i++)
		in[i] = flatten(t, &e->arg[i], NOWHERE);
	for (i = 0; i < h->nout; i++) {
		if (h->fn.kind == HOST_ATOM)
			out[i] = flatten(t, &e->arg[nin + i], NOWHERE);
		else if (i == 0 && want.kind != OPERAND_NONE)
			out[i] = want;
		else
			out[i] = fresh(t, i ? h->out[i].sort : e->sort);
		if (out[i].kind == OPERAND_VAR) {
			VAR(t, out[i].id).seq |= h->out[i].seq;
			VAR(t, out[i].id).node |= h->out[i].node;
		}
	}
	a = new_atom(t, ATOM_HOST);
	a->host = h;
	a->pos = pos;
	a->val = in;
	a->nval = nin;
	a->arg = out;
	a->narg = h->nout;
	return h->nout ? out[0] : NOWHERE;
}

static operand flatten(typing *t, const struct ex *e, operand want)
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

	x = resolve(t, x);
	y = resolve(t, y);
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
		a = new_atom(t, ATOM_EQUAL);
		a->out = x;
		a->arg = operands(t, 1);
		a->arg[0] = y;
		a->narg = 1;
	}
}

static void flat_fact(typing *t, const struct fact *f)
{
	bool a_call = f->a.kind == EX_TABLE || f->a.kind == EX_HOST;
	operand x, y;

	if (!f->equal) {
		flatten(t, &f->a, NOWHERE);
		return;
	}
	if (a_call) {
		y = f->b.kind == EX_VAR ? var_operand(f->b.var) : NOWHERE;
		x = flatten(t, &f->a, y);
		y = flatten(t, &f->b, f->b.kind == EX_VAR ? NOWHERE : x.kind == OPERAND_VAR ? x : NOWHERE);
	} else {
		x = flatten(t, &f->a, NOWHERE);
		y = flatten(t, &f->b, x.kind == OPERAND_VAR ? x : NOWHERE);
	}
	flat_equal(t, x, y);
}

/* ---- facts */

static bool fact_read(typing *t, const sexp *s, struct fact *f)
{
	memset(f, 0, sizeof *f);
	if (s->kind != SEXP_LIST || !s->n)
		return fail(t, s, "a fact is (= a b) or a call");
	if (!sexp_is(&s->at[0], "="))
		return ex_read(t, s, &f->a);
	if (s->n != 3)
		return fail(t, s, "`=` takes two sides");
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

static bool facts_type(typing *t, struct fact *f, uint32_t n)
{
	uint32_t i;

	do {
		t->changed = false;
		for (i = 0; i < n; i++)
			if (!fact_infer(t, &f[i]))
				return false;
	} while (t->changed);
	for (i = 0; i < n; i++)
		if (!settled(t, &f[i].a) || (f[i].equal && !settled(t, &f[i].b)))
			return false;
	return true;
}

static bool facts_take(typing *t, const sexp *s, uint32_t n)
{
	struct fact *f = facts_read(t, s, n);
	uint32_t i;

	if (!f || !facts_type(t, f, n))
		return false;
	for (i = 0; i < n; i++)
		flat_fact(t, &f[i]);
	return !t->error;
}

/* ---- acts */

static act *new_act(typing *t, enum act_kind k)
{
	act *a = vec_push(t->act);

	a->kind = k;
	a->out = a->built = NIL;
	a->op = NIL;
	return a;
}

static operand act_expr(typing *t, const struct ex *e);

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
		operand o = resolve(t, val[i]);

		if (o.kind != OPERAND_VALUE)
			return NIL;
		v[i] = o.id;
	}
	return eg_operator(t->r->g, b->fam, b->nval, v);
}

/* An act on the row of a table with these columns. */
static act *act_on_table(typing *t, enum act_kind kind, const table *b, operand *val, operand *arg, uint32_t narg)
{
	act *a = new_act(t, kind);

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
	operand *val = operands(t, b->nval), *arg = operands(t, e->n), out;
	uint32_t narg;

	if (b->kind == TABLE_FUNCTION) {
		fail(t, e->s, "the value of function %s is read in the query of a rule, not in its actions", b->name);
		return NOWHERE;
	}
	act_columns(t, e, val, arg, &narg);
	out = fresh(t, b->result);
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
	operand *in = operands(t, e->n), *out = operands(t, h->nout + 1);
	bool early = h->fn.kind == HOST_PRIM;
	uint32_t i;

	if (h->fn.kind == HOST_ATOM) {
		fail(t, e->s, "%s is a pattern atom: it stands in the query", h->fn.name);
		return NOWHERE;
	}
	if (e->n > HOST_MAX) {
		fail(t, e->s, "a call has too many arguments");
		return NOWHERE;
	}
	for (i = 0; i < e->n; i++) {
		in[i] = act_expr(t, &e->arg[i]);
		early = early && in_query(t, in[i]);
	}
	for (i = 0; i < h->nout; i++) {
		out[i] = fresh(t, i ? h->out[i].sort : e->sort);
		VAR(t, out[i].id).seq = h->out[i].seq;
	}
	if (early) {
		atom *a = new_atom(t, ATOM_HOST);

		a->host = h;
		a->val = in;
		a->nval = e->n;
		a->arg = out;
		a->narg = h->nout;
	} else {
		act *a = new_act(t, ACT_HOST);

		a->host = h;
		a->val = in;
		a->nval = e->n;
		a->arg = out;
		a->narg = h->nout;
	}
	return h->nout ? out[0] : (operand){ OPERAND_VALUE, eg_value(t->r->g, t->r->unit, "", 0) };
}

static operand act_expr(typing *t, const struct ex *e)
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

static bool act_read(typing *t, const sexp *s, eg_sort want, struct ex *e)
{
	uint32_t pass;

	if (!ex_read(t, s, e))
		return false;
	for (pass = 0; pass < 2; pass++)
		if (!infer(t, e, want))
			return false;
	return settled(t, e);
}

static bool unionable(const typing *t, eg_sort s)
{
	return !eg_sort_primitive(t->r->g, s) && !eg_sort_of_facts(t->r->g, s);
}

static bool take_union(typing *t, const sexp *s)
{
	struct ex x, y;
	operand *arg = operands(t, 2);
	act *a;

	if (s->n != 3)
		return fail(t, s, "union takes two sides");
	if (!act_read(t, &s->at[1], NIL, &x) || !act_read(t, &s->at[2], x.sort, &y))
		return false;
	if (!unionable(t, x.sort))
		return fail(t, s, "values of sort %s cannot be unioned", sort_name(t, x.sort));
	arg[0] = act_expr(t, &x);
	arg[1] = act_expr(t, &y);
	a = new_act(t, ACT_UNION);
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
		return fail(t, s, "set takes a call of a function and a value");
	if (!ex_read(t, &s->at[1], &key))
		return false;
	b = key.table;
	if (!b || b->kind != TABLE_FUNCTION)
		return fail(t, &s->at[1], "only functions are set; use union for constructors");
	if (!infer(t, &key, NIL) || !settled(t, &key) || !act_read(t, &s->at[2], b->result, &value))
		return false;
	val = operands(t, b->nval);
	arg = operands(t, key.n);
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
		return fail(t, s, "let takes a name and an expression");
	if (find_var(t, s->at[1].text) != NIL || rules_global(t->r, s->at[1].text))
		return fail(t, &s->at[1], "`%s` has a value already", s->at[1].text);
	if (!act_read(t, &s->at[2], NIL, &e))
		return false;
	o = act_expr(t, &e);
	v = new_var(t, s->at[1].text, e.sort);
	VEC_AT(operand, t->alias, v) = o;
	if (o.kind == OPERAND_VAR)
		VAR(t, v).seq = VAR(t, o.id).seq;
	return true;
}

static bool take_panic(typing *t, const sexp *s)
{
	act *a;

	if (s->n != 2 || s->at[1].kind != SEXP_STRING)
		return fail(t, s, "panic takes a message");
	a = new_act(t, ACT_PANIC);
	a->text = s->at[1].text;
	return true;
}

static const struct {
	const char *name;
	bool (*take)(typing *t, const sexp *s);
} actions[] = {
	{ "union", take_union }, { "set", take_set }, { "let", take_let }, { "panic", take_panic },
};

static bool take_action(typing *t, const sexp *s)
{
	struct ex e;
	uint32_t i;

	if (s->kind != SEXP_LIST || !s->n || s->at[0].kind != SEXP_SYMBOL)
		return fail(t, s, "an action is let, set, union, panic or a call");
	for (i = 0; i < sizeof actions / sizeof *actions; i++)
		if (sexp_is(&s->at[0], actions[i].name))
			return actions[i].take(t, s);
	if (!act_read(t, s, NIL, &e))
		return false;
	act_expr(t, &e);
	return !t->error;
}

/* ---- the whole */

static void settle_operands(const typing *t, operand *o, uint32_t n)
{
	uint32_t i;

	for (i = 0; i < n; i++)
		o[i] = resolve(t, o[i]);
}

static const char *close_typing(typing *t, pattern *p)
{
	uint32_t i;

	for (i = 0; i < t->atom->n; i++) {
		atom *a = &VEC_AT(atom, t->atom, i);

		a->out = resolve(t, a->out);
		a->rest = resolve(t, a->rest);
		settle_operands(t, a->val, a->nval);
		settle_operands(t, a->arg, a->narg);
	}
	for (i = 0; i < t->act->n; i++) {
		act *a = &VEC_AT(act, t->act, i);

		settle_operands(t, a->val, a->nval);
		settle_operands(t, a->arg, a->narg);
		a->value = resolve(t, a->value);
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
	if (facts_take(&t, facts, nfact)) {
		t.acting = true;
		t.nquery = t.var->n;
		for (i = 0; i < nact && take_action(&t, &acts[i]); i++)
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
	root = flatten(t, &f[0].a, NOWHERE);
	for (i = 0; i < nwhen; i++)
		flat_fact(t, &f[i + 1]);
	t->acting = true;
	t->nquery = t->var->n;
	if (!act_read(t, rhs, f[0].a.sort, &right))
		return false;
	if (!unionable(t, right.sort))
		return fail(t, lhs, "values of sort %s cannot be unioned", sort_name(t, right.sort));
	arg = operands(t, 2);
	arg[0] = root;
	arg[1] = act_expr(t, &right);
	a = new_act(t, ACT_UNION);
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
		new_var(&t, given[i].name, given[i].sort);
	t.acting = true;
	*out = NOWHERE;
	if (act_read(&t, e, want, &x)) {
		*out = resolve(&t, act_expr(&t, &x));
		*sort = x.sort;
	}
	error = close_typing(&t, p);
	return error;
}
