#include "rule_check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "certify.h"
#include "probe.h"

/* ---- random numbers */

struct dice {
	algebra *a;
	uint64_t s;
	int named;		/* parameters made */
};

static uint64_t next(struct dice *d)	/* splitmix64 */
{
	uint64_t z = d->s += 0x9e3779b97f4a7c15;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
	z = (z ^ z >> 27) * 0x94d049bb133111eb;
	return z ^ z >> 31;
}

static int below(struct dice *d, int64_t n)
{
	return (int)(next(d) % (uint64_t)n);
}

/* ---- random cores */

static const int sizes[] = { 2, 3, 4, 6, 1, 8 };
static int size(struct dice *d) { return sizes[below(d, 6)]; }

static eg_id core(struct dice *d, int type, int depth);

/* A few parameters, met again and again. */
static eg_id parameter(struct dice *d, int type)
{
	static const int length[] = { 4, 6, 12, 4, 24 };
	int k = below(d, 5);
	char name[40];
	eg_id x;

	snprintf(name, sizeof name, "check %s %d", etype_name((enum etype)type), k);
	x = core_param(d->a, type, length[k], name);
	if (type == T_F32 && k == 3)
		facts_learn(d->a, x, FACT_NONNEG | FACT_POSITIVE);
	if (type == T_S32 && k != 2)
		facts_range(d->a, x, length[(k + 1) % 5]);
	return x;
}

static double constant(struct dice *d, int type)
{
	static const double real[] = { 0, 1, -1, 2, 0.5, -3, 1, 0, -1.0 / 0.0 }, whole[] = { 0, 1, -1, 2, 3, 5, -2, 127, 0 };

	return type == T_PRED ? below(d, 2) : type_is_int(type) ? whole[below(d, 9)] : real[below(d, 9)];
}

static eg_id table(struct dice *d, int type)
{
	int64_t n = 2 + below(d, 7), i;
	double *v = ARENA_ARRAY(&d->a->s.a, double, n);
	bool mask = below(d, 2);

	for (i = 0; i < n; i++)
		v[i] = mask ? below(d, 2) : constant(d, type);
	return core_values(d->a, type == T_PRED ? T_PRED : TYPE_REAL, n, v);
}

static eg_id leaf(struct dice *d, int type)
{
	int k = below(d, 8);

	if (type_is_int(type))
		return k < 3 ? core_line(d->a, type) : parameter(d, type);
	if (k == 0)
		return core_rat(d->a, type == T_PRED ? T_PRED : TYPE_REAL, (rat){ 1 + (type != T_PRED) * below(d, 3), 1 });
	if (k == 1 && type != T_PRED)
		return core_num(d->a, TYPE_REAL, (number){ { 0, 0 }, -1.0 / 0.0 });
	if (k < 4)
		return table(d, type);
	return parameter(d, type);
}

/* An expression of some labels with values in 0..n-1: strides that fit, a table, or a value of an integer core. */
static ix *expression(struct dice *d, int64_t n, int nl, label **l)
{
	scratch *s = &d->a->s;
	ix *e = ix_const(s, 0);
	int64_t left = n - 1, *v;
	int k, i, from = nl ? below(d, nl) : 0, how = below(d, 12);

	if (how == 0 && nl) {
		label **one = ARENA_ARRAY(&s->a, label *, 1);
		one[0] = l[from];
		v = ARENA_ARRAY(&s->a, int64_t, one[0]->n);
		for (i = 0; i < one[0]->n; i++)
			v[i] = below(d, n);
		return ix_table(s, 1, one, v);
	}
	if (how == 1 && nl) {
		static const int length[] = { 4, 6, 12, 4, 24 };
		for (k = 0; k < 5; k++)
			if (k != 2 && length[(k + 1) % 5] <= n) {
				char name[40];
				snprintf(name, sizeof name, "check s32 %d", k);
				eg_id ids = core_param(d->a, T_S32, length[k], name);
				facts_range(d->a, ids, length[(k + 1) % 5]);
				return ix_of(s, label_data(s, ids, expression(d, length[k], nl, l), length[(k + 1) % 5]), 1);
			}
	}
	for (k = 0; k < nl; k++) {
		label *one = l[(from + k) % nl];
		int64_t most = one->n > 1 ? left / (one->n - 1) : 0, stride;
		if (!most || !below(d, 6))
			continue;
		stride = below(d, 2) ? most : 1 + below(d, most);
		e = ix_add(s, e, ix_of(s, one, stride));
		left -= stride * (one->n - 1);
	}
	return left && !below(d, 3) ? ix_plus(s, e, below(d, left + 1)) : e;
}

struct labels {
	int nfree, nall;
	label *l[6];		/* free ones first */
};

static struct labels some_labels(struct dice *d, int nbound)
{
	struct labels x = { 0 };
	int k;

	x.nfree = 1 + below(d, 2);
	for (k = 0; k < x.nfree; k++)
		x.l[x.nall++] = label_new(&d->a->s, size(d));
	for (k = 0; k < nbound; k++) {
		x.l[x.nall] = label_new(&d->a->s, 2 + below(d, 3));
		x.l[x.nall++]->bound = true;
	}
	return x;
}

static slot operand(struct dice *d, eg_id x, const struct labels *l, rat c)
{
	int64_t n = core_kind(d->a, x) == C_INDEX ? 5 : core_len(d->a, x);

	return slot_read(x, expression(d, n, l->nall, (label **)l->l), c);
}

/* A constant over one or two labels: a mask, one-hot now and then, or numbers. */
static slot constant_slot(struct dice *d, const struct labels *l, rat c)
{
	label **over = ARENA_ARRAY(&d->a->s.a, label *, 2);
	int64_t n, i;
	double *v;
	int nl = l->nall > 1 ? 1 + below(d, 2) : 1, from = below(d, l->nall), how = below(d, 3);

	over[0] = l->l[from];
	over[nl - 1] = l->l[(from + nl - 1) % l->nall];
	n = over[0]->n * (nl > 1 ? over[1]->n : 1);
	v = ARENA_ARRAY(&d->a->s.a, double, n);
	for (i = 0; i < n; i++)
		v[i] = how == 0 && nl == 2 ? i / over[1]->n == i % over[1]->n : how == 1 ? constant(d, T_S32) : below(d, 2);
	return slot_table(TYPE_REAL, nl, over, v, c);
}

static eg_id closed(struct dice *d, work *w, const struct labels *l, int nbound)
{
	label **all = ARENA_ARRAY(&d->a->s.a, label *, l->nall);

	memcpy(all, l->l, sizeof *all * (size_t)l->nall);	/* the free ones, then the bound ones */
	work_set_free(d->a, w, l->nfree, all);
	work_set_bound(d->a, w, nbound, all + l->nfree);
	return work_result(d->a, w);
}

static eg_id linear(struct dice *d, enum core_kind kind, int type, int depth)
{
	static const rat coef[] = { { 1, 1 }, { 1, 1 }, { -1, 1 }, { 2, 1 }, { 1, 2 }, { -3, 1 } }, power[] = { { 1, 1 }, { 1, 1 }, { 2, 1 }, { -1, 1 } };
	int n = 1 + below(d, 3), nb = kind == C_EIN ? below(d, 3) : 0, k;
	struct labels l = some_labels(d, nb);
	work *w = work_new(d->a, kind, type, 4);
	eg_id x = NIL;

	for (k = 0; k < n; k++) {
		rat c = kind == C_SUM ? coef[below(d, type_is_int(type) ? 4 : 6)] : power[type_is_int(type) ? below(d, 3) : below(d, 4)];
		if (x == NIL || below(d, 3))	/* else another instance of the same */
			x = core(d, type, depth - 1);
		w->slot[w->nslot++] = type == T_F32 && !below(d, 5) ? constant_slot(d, &l, kind == C_SUM ? c : RAT_ONE) : operand(d, x, &l, c);
	}
	return closed(d, w, &l, nb);
}

static eg_id extreme(struct dice *d, enum core_kind kind, int type, int depth)
{
	static const char *const real[] = { "maximum", "minimum", "maximum", "multiply" }, *const truth[] = { "and", "or", "or", "and" };
	int n = kind == C_RED ? 1 : 1 + below(d, 3), nb = kind == C_RED ? 1 + below(d, 2) : 0, k;
	struct labels l = some_labels(d, nb);
	work *w = work_new(d->a, kind, type, 4);

	w->fn = val_name(d->a, type == T_PRED ? truth[below(d, 4)] : real[below(d, kind == C_RED ? 4 : 3)]);
	for (k = 0; k < n; k++)
		w->slot[w->nslot++] = operand(d, core(d, type, depth - 1), &l, RAT_ONE);
	return closed(d, w, &l, nb);
}

static eg_id mapped(struct dice *d, int type, const char *fn, int n, const int *from, int depth)
{
	struct labels l = some_labels(d, 0);
	work *w = work_new(d->a, C_MAP, type, 4);
	int k;

	w->fn = val_name(d->a, fn);
	for (k = 0; k < n; k++)
		w->slot[w->nslot++] = operand(d, core(d, from[k], depth - 1), &l, RAT_ONE);
	return closed(d, w, &l, 0);
}

static eg_id function(struct dice *d, int type, int depth)
{
	static const char *const unary[] = { "exponential", "log", "tanh", "sqrt", "abs", "logistic", "exponential", "log", "cosine" };
	static const char *const order[] = { "compare:LT", "compare:LE", "compare:EQ", "compare:NE" };
	static const int ints[] = { T_PRED, T_S32, T_S32 }, two[] = { T_F32, T_F32 }, s32[] = { T_S32, T_S32 },
			 truth[] = { T_PRED, T_PRED, T_PRED }, bf16[] = { T_BF16 };
	const int choice[] = { T_PRED, type, type }, own[] = { type, type };
	int k = below(d, 8);

	if (type == T_PRED)
		return k == 0 ? mapped(d, type, "not", 1, truth, depth) : k == 1 ? mapped(d, type, "is-finite", 1, two, depth)
		       : k == 2 ? mapped(d, type, "select", 3, truth, depth)
		       : mapped(d, type, order[below(d, 4)], 2, k < 6 ? s32 : two, depth);
	if (type_is_int(type))
		return k < 2 ? mapped(d, type, "select", 3, ints, depth) : k < 4 ? mapped(d, type, "num", 1, truth, depth)
		       : mapped(d, type, k < 6 ? "divide" : "remainder", 2, s32, depth);
	if (k == 0)
		return mapped(d, type, "power", 2, own, depth);
	if (k < 3)
		return mapped(d, type, "select", 3, choice, depth);
	if (k == 3)
		return below(d, 2) ? mapped(d, type, "num", 1, truth, depth) : mapped(d, type, "convert", 1, below(d, 2) ? s32 : bf16, depth);
	return mapped(d, type, unary[below(d, 9)], 1, own, depth);
}

static eg_id picked(struct dice *d, int type, int depth)
{
	static const char *const which[] = { "first", "last", "least" };
	struct labels l = some_labels(d, 1 + below(d, 2));
	work *w = work_new(d->a, C_PICK, type, 2);

	w->fn = val_name(d->a, which[below(d, 3)]);
	w->slot[0] = operand(d, core(d, T_F32, depth - 1), &l, RAT_ONE);
	w->slot[1] = operand(d, leaf(d, type), &l, RAT_ONE);
	w->nslot = 2;
	return closed(d, w, &l, l.nall - l.nfree);
}

static eg_id selection(struct dice *d, int type, int depth)
{
	struct labels l = some_labels(d, 0);
	work *w = work_new(d->a, C_AT, type, 1);

	w->slot[w->nslot++] = operand(d, core(d, type, depth - 1), &l, RAT_ONE);
	if (core_type(d->a, w->slot[0].x) == TYPE_REAL)
		w->type = TYPE_REAL;
	return closed(d, w, &l, 0);
}

/* A node of a kind, C_COUNT: of any. */
static eg_id node_of(struct dice *d, enum core_kind kind, int type, int depth)
{
	static const enum core_kind any[] = { C_SUM, C_MUL, C_EIN, C_MAP, C_LAT, C_RED, C_AT, C_MAP };

	if (kind == C_COUNT)
		kind = any[below(d, 8)];
	if (type == T_PRED && (kind == C_SUM || kind == C_MUL || kind == C_EIN))
		kind = C_MAP;
	switch (kind) {
	case C_SUM: case C_MUL: case C_EIN: return linear(d, kind, type, depth);
	case C_RED: case C_LAT: return extreme(d, kind, type, depth);
	case C_PICK: return picked(d, T_S32, depth);
	case C_AT: return selection(d, type, depth);
	default: return function(d, type, depth);
	}
}

static eg_id core(struct dice *d, int type, int depth)
{
	if (depth <= 0 || !below(d, 4))
		return leaf(d, type);
	return node_of(d, C_COUNT, type, depth);
}

/* ---- nodes as text */

static void put(char *s, size_t n, const char *more)
{
	size_t at = strlen(s);

	if (at + 1 < n)
		snprintf(s + at, n - at, "%s", more);
}

static void put_place(const algebra *a, char *s, size_t n, const pair_expr *e, int nl)
{
	const int64_t *t = e->tab;
	char b[48];
	int k;

	(void)a;
	put(s, n, "[");
	snprintf(b, sizeof b, "%lld", (long long)e->base);
	put(s, n, b);
	for (k = 0; k < nl; k++)
		if (e->stride[k]) {
			snprintf(b, sizeof b, e->stride[k] == 1 ? " + %c" : " + %c*%lld", 'i' + k, (long long)e->stride[k]);
			put(s, n, b);
		}
	for (k = 0; k < e->ntab; t += t[0] + 2, k++)
		put(s, n, " + table");
	put(s, n, "]");
}

static void put_node(const algebra *a, eg_id x, int depth, char *s, size_t n)
{
	enum core_kind k = core_kind(a, x);
	pairing p;
	pair_expr e;
	const int64_t *at;
	char b[64];
	int i;

	put(s, n, k == C_MAP || k == C_RED || k == C_LAT || k == C_PICK || k == C_PARAM ? core_fn(a, x) : core_kind_name(k));
	if (k == C_NUMBER) {
		snprintf(b, sizeof b, " %g", number_double(core_number(a, x)));
		put(s, n, b);
	}
	if (k < C_AT || k > C_LOOP || depth == 0)
		return;
	p = pairing_read(a, x);
	put(s, n, "<");
	for (i = 0; i < p.nfree + p.nbound; i++) {
		snprintf(b, sizeof b, "%s%c:%lld", i == p.nfree ? " sum over " : i ? "," : "", 'i' + i, (long long)p.size[i]);
		put(s, n, b);
	}
	put(s, n, ">(");
	for (at = p.word, i = 0; i < p.nslot; i++) {
		rat c = core_coef(a, x, i);
		at = pairing_expr(&p, at, &e);
		if (i)
			put(s, n, ", ");
		if (c.num != 1 || c.den != 1) {
			snprintf(b, sizeof b, c.den == 1 ? "%lld: " : "%lld/%lld: ", (long long)c.num, (long long)c.den);
			put(s, n, b);
		}
		put_node(a, eg_args(a->g, x)[i], depth - 1, s, n);
		put_place(a, s, n, &e, p.nfree + p.nbound + p.ndata);
	}
	put(s, n, ")");
}

static const char *node_text(const algebra *a, eg_id x, arena *text)
{
	char s[2000] = "";

	put_node(a, x, 4, s, sizeof s);
	return arena_strdup(text, s);
}

/* ---- the check */

/* Builds; NIL where the algebra refuses. */
static eg_id build(struct dice *d, enum core_kind kind)
{
	static const int type[] = { T_F32, T_F32, T_F32, T_S32, T_PRED };
	algebra *a = d->a;

	if (setjmp(a->s.out))
		return NIL;
	return node_of(d, kind, type[below(d, 5)], 3);
}

static enum core_kind kind_of_rule(const prover *p, uint32_t rule)
{
	eg_fam f = rule_root_family(rules_at(p->r, rule));
	int k;

	for (k = 0; k < C_COUNT; k++)
		if (p->a.fam[k] == f)
			return (enum core_kind)k;
	return C_COUNT;
}

/* What fired of the rule since entry `from`; false: a counterexample. */
static bool compare(prover *p, uint32_t rule, uint32_t from, const struct rule_check_limits *l, struct rule_check *out, arena *text)
{
	certify_limits c = { .places = 12, .wild = true, .seed = l->seed + (uint64_t)out->cores };
	uint32_t i, n = history_count(&p->a);
	enum certify_how how;
	arena s;

	arena_init(&s);
	for (i = from; i < n && !out->why; i++) {
		const hist_entry *f = history_at(&p->a, i);
		const char *why;
		if (f->rule != rule)
			continue;
		why = certify_firing(&p->a, f, &c, &how, &s);
		if (!why && how == CERTIFY_OVER) {
			out->over++;
		} else if (!why) {
			out->firings++;
		} else {
			out->why = arena_strdup(text, why);
			out->left = node_text(&p->a, f->node, text);
			out->right = node_text(&p->a, f->result, text);
		}
	}
	arena_free(&s);
	return !out->why;
}

/* Every node of the rule's family among the new ones, as they stand. */
static void fire_here(prover *p, uint32_t rule, eg_id first, struct rule_check *out, arena *text)
{
	eg_fam f = rule_root_family(rules_at(p->r, rule));
	eg_id n, last = eg_nnode(p->g);
	const char *why;

	for (n = first; n < last; n++) {
		if (eg_dead(p->g, n) || eg_op_family(p->g, eg_node_op(p->g, n)) != f)
			continue;
		why = NULL;
		if (!prover_apply(p, rule, n, &why) && why)
			out->reason = arena_strdup(text, why);
	}
}

enum { SETTLE = 60 };

static bool one_core(pair *q, uint32_t rule, const struct rule_check_limits *l, struct rule_check *out, arena *text)
{
	prover *pr = q->p;
	struct dice d = { &pr->a, l->seed + (uint64_t)out->cores * 0x2545f4914f6cdd1dull, 0 };
	enum core_kind kind = kind_of_rule(pr, rule);
	uint32_t from;
	probe p;
	bool ok = true;

	if (!probe_begin(&p, q))
		return false;
	from = history_count(&pr->a);
	if (build(&d, out->cores % 2 ? kind : C_COUNT) != NIL) {
		normal_made_origins(&pr->a);
		if (out->cores % 3 == 0)
			fire_here(pr, rule, p.first, out, text);
		prover_switch(pr, rule, true);
		prover_run(pr, SETTLE);
		if (out->cores % 3 == 1)
			fire_here(pr, rule, p.first, out, text);
		ok = compare(pr, rule, from, l, out, text);
	}
	probe_end(&p);
	return ok;
}

bool rule_check(pair *q, uint32_t rule, const struct rule_check_limits *l, struct rule_check *out, arena *text)
{
	*out = (struct rule_check){ .seed = l->seed };
	if (!normal_idle(&q->p->a))
		return false;
	for (; out->cores < l->cores && (!l->firings || out->firings < l->firings); out->cores++) {
		if (!one_core(q, rule, l, out, text))
			break;
		if (l->busy && l->busy(l->ctx)) {
			out->stopped = true;
			break;
		}
	}
	return true;
}
