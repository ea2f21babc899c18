#include "certify/rule_cores.h"

#include <stdio.h>
#include "certify/idiom.h"
#include "core/fact_range.h"
#include "core/facts.h"

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
		facts_range(d->a, x, k == 1, length[(k + 1) % 5]);
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

/* The places of a label as a matrix turned round: 0 2 4 1 3 5. */
static bool turned(struct dice *d, label *l, int64_t n, ix **e)
{
	int64_t low = 2 + below(d, 2), *v, i;
	label **one = ARENA_ARRAY(&d->a->s.a, label *, 1);

	if (l->n > n || l->n <= low || l->n % low)
		return false;
	v = ARENA_ARRAY(&d->a->s.a, int64_t, l->n);
	for (i = 0; i < l->n; i++)
		v[i] = i % low * (l->n / low) + i / low;
	one[0] = l;
	*e = ix_table(&d->a->s, 1, one, v);
	return true;
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
	for (k = 0; how == 2 && k < nl; k++)
		if (turned(d, l[(from + k) % nl], n, &e))
			return e;
	if (how == 1 && nl) {
		static const int length[] = { 4, 6, 12, 4, 24 };
		for (k = 0; k < 5; k++)
			if (k != 2 && length[(k + 1) % 5] <= n) {
				char name[40];
				snprintf(name, sizeof name, "check s32 %d", k);
				eg_id ids = core_param(d->a, T_S32, length[k], name);
				facts_range(d->a, ids, k == 1, length[(k + 1) % 5]);
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

static struct labels some_labels(struct dice *d, int nbound)
{
	struct labels x = { 0 };
	int k;

	x.nfree = 1 + below(d, 2);
	for (k = 0; k < x.nfree; k++)
		x.l[x.nall++] = label_new(&d->a->s, some_size(d));
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
	static const int ints[] = { T_PRED, T_S32, T_S32 }, s32[] = { T_S32, T_S32 }, f32[] = { T_F32, T_F32 },
			 truth[] = { T_PRED, T_PRED, T_PRED }, bf16[] = { T_BF16 };
	const int choice[] = { T_PRED, type, type }, two[] = { type, type };
	int k = below(d, 8);

	if (type == T_PRED)
		return k == 0 ? mapped(d, type, "not", 1, truth, depth) : k == 1 ? mapped(d, type, "is-finite", 1, f32, depth)
		       : k == 2 ? mapped(d, type, "select", 3, truth, depth)
		       : mapped(d, type, order[below(d, 4)], 2, k < 6 ? s32 : f32, depth);
	if (type_is_int(type))
		return k < 2 ? mapped(d, type, "select", 3, ints, depth) : k < 4 ? mapped(d, type, "num", 1, truth, depth)
		       : mapped(d, type, k < 6 ? "divide" : "remainder", 2, s32, depth);
	if (k == 0)
		return mapped(d, type, "power", 2, two, depth);
	if (k < 3)
		return mapped(d, type, "select", 3, choice, depth);
	if (k == 3)
		return below(d, 2) ? mapped(d, type, "num", 1, truth, depth) : mapped(d, type, "convert", 1, below(d, 2) ? s32 : bf16, depth);
	return mapped(d, type, unary[below(d, 9)], 1, two, depth);
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

/* An operation without a meaning, some of its places its own. */
static eg_id unknown(struct dice *d, int type, int depth)
{
	int nb = below(d, 3), n = 1 + below(d, 2), k;
	struct labels l = some_labels(d, nb);
	work *w = work_new(d->a, C_OPAQUE, type, 2);

	w->fn = val_name(d->a, "check unknown");
	w->tail = 1 + below(d, 2);
	for (k = 0; k < n; k++)
		w->slot[w->nslot++] = operand(d, core(d, type, depth - 1), &l, RAT_ONE);
	return closed(d, w, &l, nb);
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
	case C_OPAQUE: return unknown(d, type, depth);
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

eg_id rule_core(struct dice *d, enum core_kind kind, enum core_kind idiom)
{
	static const int type[] = { T_F32, T_F32, T_F32, T_S32, T_PRED };
	algebra *a = d->a;
	eg_id x;

	if (setjmp(a->s.out))
		return NIL;
	x = idiom_of(d, idiom);
	return x != NIL ? x : node_of(d, kind, type[below(d, 5)], 3);
}
