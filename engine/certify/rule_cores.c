#include "certify/rule_cores.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "core/facts.h"
#include "core/work.h"

/* ---- random numbers */

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

int dice_below(struct dice *d, int64_t n)
{
	return below(d, n);
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

/* ---- idioms: drafts of nodes with their own labels */

struct draft {
	struct dice *d;
	work *w;
	struct labels l;
	int nbound;
};

static struct draft draft(struct dice *d, enum core_kind kind, int type, const char *fn)
{
	struct draft r = { d, work_new(d->a, kind, type, 4), { 0 }, 0 };

	r.w->fn = fn ? val_name(d->a, fn) : NIL;
	return r;
}

/* Free labels come before bound ones. */
static label *over(struct draft *r, int64_t n, bool bound)
{
	label *l = label_new(&r->d->a->s, n);

	l->bound = bound;
	r->nbound += bound;
	r->l.nfree += !bound;
	return r->l.l[r->l.nall++] = l;
}

static void reads(struct draft *r, eg_id x, ix *e, rat c)
{
	r->w->slot[r->w->nslot++] = slot_read(x, e, c);
}

static ix *at(struct draft *r, label *l, int64_t stride)
{
	return ix_of(&r->d->a->s, l, stride);
}

static ix *at2(struct draft *r, label *x, int64_t sx, label *y, int64_t sy)
{
	return ix_add(&r->d->a->s, at(r, x, sx), at(r, y, sy));
}

static eg_id done(struct draft *r)
{
	return closed(r->d, r->w, &r->l, r->nbound);
}

/* A parameter of a length that is not drawn. */
static eg_id plain(struct dice *d, int type, int64_t n, const char *name)
{
	char text[60];

	snprintf(text, sizeof text, "check %s %s %d", name, etype_name((enum etype)type), (int)n);
	return core_param(d->a, type, n, text);
}

static eg_id positive(struct dice *d, int64_t n)
{
	eg_id x = plain(d, T_F32, n, "positive");

	facts_learn(d->a, x, FACT_NONNEG | FACT_POSITIVE);
	return x;
}

static eg_id whole_map(struct dice *d, const char *fn, eg_id x)
{
	struct draft r = draft(d, C_MAP, core_type(d->a, x), fn);

	reads(&r, x, at(&r, over(&r, core_len(d->a, x), false), 1), RAT_ONE);
	return done(&r);
}

static slot table_slot(struct draft *r, int type, int nl, label *const *l, double (*value)(struct dice *d, int64_t i))
{
	algebra *a = r->d->a;
	label **copy = ARENA_ARRAY(&a->s.a, label *, nl);
	int64_t n = 1, i;
	double *v;
	int k;

	for (k = 0; k < nl; k++)
		n *= (copy[k] = l[k])->n;
	v = ARENA_ARRAY(&a->s.a, double, n);
	for (i = 0; i < n; i++)
		v[i] = value(r->d, i);
	return slot_table(type, nl, copy, v, RAT_ONE);
}

static double zero_or_one(struct dice *d, int64_t i)
{
	return i == 0 ? 1 : below(d, 2);
}

static double first_alone(struct dice *d, int64_t i)
{
	(void)d;
	return i == 0;
}

/* T(l) in 0..most. */
static ix *index_table(struct draft *r, label *l, int most)
{
	scratch *s = &r->d->a->s;
	int64_t *v = ARENA_ARRAY(&s->a, int64_t, l->n), i;
	label **one = ARENA_ARRAY(&s->a, label *, 1);

	one[0] = l;
	for (i = 0; i < l->n; i++)
		v[i] = below(r->d, most + 1);
	return ix_table(s, 1, one, v);
}

/* ---- .. one by one */

/* exp(log x), log(exp x), log(x^2 y^-1). */
static eg_id logarithms(struct dice *d)
{
	int n = 2 + below(d, 3), how = below(d, 3);
	struct draft r = draft(d, C_MUL, T_F32, NULL);
	label *l = over(&r, n, false);

	if (how == 0)
		return whole_map(d, "exponential", whole_map(d, "log", positive(d, n)));
	if (how == 1)
		return whole_map(d, "log", whole_map(d, "exponential", plain(d, T_F32, n, "any")));
	reads(&r, positive(d, n), at(&r, l, 1), (rat){ 2, 1 });
	reads(&r, whole_map(d, "sqrt", positive(d, 2 * n)), at(&r, l, 2), (rat){ -1 - below(d, 2), 1 });
	return whole_map(d, "log", done(&r));
}

/* b^(-y), 2^(q log2(e) y). */
static eg_id powers(struct dice *d)
{
	static const int base[] = { 2, 10000, 3 };
	bool two = below(d, 2);
	struct draft r = draft(d, C_SUM, T_F32, NULL), p = draft(d, C_MAP, T_F32, "power");
	int n = 2 + below(d, 3), k;
	label *l = over(&r, n, false), *m = over(&p, n, false);
	rat c = { -1 - below(d, 3), 1 };

	for (k = 0; k < 2; k++) {
		if (two)
			rat_from_double(&c, (double)(float)((below(d, 5) - 7) / 2.0 * 1.4426950408889634074));
		reads(&r, plain(d, T_F32, n, k ? "x" : "y"), at(&r, l, 1), c);
	}
	reads(&p, core_rat(d->a, TYPE_REAL, (rat){ two ? 2 : base[below(d, 3)], 1 }), ix_const(&d->a->s, 0), RAT_ONE);
	reads(&p, done(&r), at(&p, m, 1), RAT_ONE);
	return done(&p);
}

/* select(mask, f[i], f[i + n]): f = log x, the second branch as it is or 0 where another mask is, or f = tanh x, times one. */
static eg_id chosen_instances(struct dice *d)
{
	int n = 2 + below(d, 3), how = below(d, 3);
	struct draft r = draft(d, C_MAP, T_F32, "select"), p = how == 1 ? draft(d, C_MUL, T_F32, NULL) : draft(d, C_MAP, T_F32, "select");
	label *l = over(&r, n, false), *q = over(&p, n, false);
	eg_id x = whole_map(d, how == 1 ? "tanh" : "log", plain(d, T_F32, 2 * n, "x"));

	r.w->slot[r.w->nslot++] = table_slot(&r, T_PRED, 1, &l, zero_or_one);
	reads(&r, x, at(&r, l, 1), RAT_ONE);
	p.w->slot[p.w->nslot++] = table_slot(&p, how == 1 ? TYPE_REAL : T_PRED, 1, &q, zero_or_one);
	reads(&p, x, ix_plus(&d->a->s, at(&p, q, 1), n), RAT_ONE);
	if (how == 2)
		reads(&p, core_rat(d->a, TYPE_REAL, RAT_ZERO), ix_const(&d->a->s, 0), RAT_ONE);
	if (how)
		reads(&r, done(&p), at(&r, l, 1), RAT_ONE);
	else
		reads(&r, x, ix_plus(&d->a->s, at(&r, l, 1), n), RAT_ONE);
	return done(&r);
}

/* A table over the one label of r: at a place that owner[i] gives to piece k it is a number, elsewhere 0. */
static slot piece_mask(struct draft *r, label *l, const int *owner, int k)
{
	scratch *s = &r->d->a->s;
	label **one = ARENA_ARRAY(&s->a, label *, 1);
	double *v = ARENA_ARRAY(&s->a, double, l->n);
	int64_t i;

	one[0] = l;
	for (i = 0; i < l->n; i++)
		v[i] = owner[i] == k ? 1 + below(r->d, 2) : 0;
	return slot_table(TYPE_REAL, 1, one, v, RAT_ONE);
}

/* K_0 f(x) + K_1 f(x) + ..: pieces of one core, each under a mask of its own; now and then two share their places. */
static eg_id pieces_of_one(struct dice *d)
{
	struct draft r = draft(d, C_SUM, T_F32, NULL);
	int n = 3 + below(d, 3), m = 2 + below(d, 2), owner[8], k, i, twice = below(d, 8);
	label *l = over(&r, n, false);
	eg_id x = whole_map(d, "tanh", plain(d, T_F32, m * n, "x"));

	for (i = 0; i < n; i++)
		owner[i] = i < m ? i : below(d, m + 1);
	for (k = 0; k < m; k++) {
		struct draft p = draft(d, C_MUL, T_F32, NULL);
		label *q = over(&p, n, false);
		p.w->slot[p.w->nslot++] = piece_mask(&p, q, owner, twice ? k : 0);
		reads(&p, x, ix_plus(&d->a->s, at(&p, q, 1), k * n), RAT_ONE);
		reads(&r, done(&p), at(&r, l, 1), RAT_ONE);
	}
	return done(&r);
}

/* select(mask, u, select(mask, v, -inf)), or the other way round: u, v are log x at two places, or x where another mask holds. */
static eg_id choice_of_choices(struct dice *d)
{
	struct draft r = draft(d, C_MAP, T_F32, "select"), c = draft(d, C_MAP, T_F32, "select"), p = draft(d, C_MUL, T_F32, NULL);
	int n = 2 + below(d, 3), masked = below(d, 2), swap = below(d, 2), k;
	label *l = over(&r, n, false), *m = over(&c, n, false), *q = over(&p, n, false);
	eg_id x = plain(d, T_F32, n, "x"), log = whole_map(d, "log", plain(d, T_F32, 2 * n, "x"));

	p.w->slot[p.w->nslot++] = table_slot(&p, TYPE_REAL, 1, &q, zero_or_one);
	reads(&p, x, at(&p, q, 1), RAT_ONE);
	c.w->slot[c.w->nslot++] = table_slot(&c, T_PRED, 1, &m, zero_or_one);
	r.w->slot[r.w->nslot++] = table_slot(&r, T_PRED, 1, &l, zero_or_one);
	for (k = 0; k < 2; k++)
		if (k == swap)
			reads(&c, core_num(d->a, TYPE_REAL, (number){ { 0, 0 }, -1.0 / 0.0 }), ix_const(&d->a->s, 0), RAT_ONE);
		else
			reads(&c, masked ? done(&p) : log, at(&c, m, 1), RAT_ONE);
	for (k = 0; k < 2; k++)
		if (k == swap)
			reads(&r, masked ? x : log, ix_plus(&d->a->s, at(&r, l, 1), masked ? 0 : n), RAT_ONE);
		else
			reads(&r, done(&c), at(&r, l, 1), RAT_ONE);
	return done(&r);
}

/* max_j select(mask(i, j), log x[2 i + j], -inf), the mask empty in some rows or in none. */
static eg_id window_choice(struct dice *d)
{
	bool max = below(d, 2);
	struct draft c = draft(d, C_MAP, T_F32, "select"), r = draft(d, C_RED, T_F32, max ? "maximum" : "minimum");
	int n = 2 + below(d, 2), m = 2 + below(d, 3);
	label *both[2] = { over(&c, n, false), over(&c, m, false) }, *i = over(&r, n, false);

	c.w->slot[c.w->nslot++] = table_slot(&c, T_PRED, 2, both, zero_or_one);
	reads(&c, whole_map(d, "log", plain(d, T_F32, 2 * n + m, "x")), at2(&c, both[0], 2, both[1], 1), RAT_ONE);
	reads(&c, core_num(d->a, TYPE_REAL, (number){ { 0, 0 }, max ? -1.0 / 0.0 : 1.0 / 0.0 }), ix_const(&d->a->s, 0), RAT_ONE);
	reads(&r, done(&c), at2(&r, i, m, over(&r, m, true), 1), RAT_ONE);
	return done(&r);
}

/* sum_s select(mask(s), log x[s], 0 or log y[s]) z[i]: a summed choice of what may be infinite. */
static eg_id summed_choice(struct dice *d)
{
	struct draft c = draft(d, C_MAP, T_F32, "select"), r = draft(d, C_EIN, T_F32, NULL);
	int n = 2 + below(d, 3);
	label *s = over(&c, n, false), *b = over(&r, n, true), *i = over(&r, 3, false);

	c.w->slot[c.w->nslot++] = table_slot(&c, T_PRED, 1, &s, zero_or_one);
	reads(&c, whole_map(d, "log", plain(d, T_F32, n, "x")), at(&c, s, 1), RAT_ONE);
	if (below(d, 2))
		reads(&c, core_rat(d->a, TYPE_REAL, RAT_ZERO), ix_const(&d->a->s, 0), RAT_ONE);
	else
		reads(&c, whole_map(d, "log", plain(d, T_F32, n, "y")), at(&c, s, 1), RAT_ONE);
	reads(&r, done(&c), at(&r, b, 1), RAT_ONE);
	reads(&r, plain(d, T_F32, 3, "z"), at(&r, i, 1), RAT_ONE);
	return done(&r);
}

static eg_id rooted(struct dice *d, enum core_kind kind)
{
	struct draft r = draft(d, kind, T_F32, NULL);
	int n = 2 + below(d, 3);
	label *l = over(&r, n, false), *b = kind == C_EIN ? over(&r, 3, true) : NULL;

	reads(&r, whole_map(d, "sqrt", positive(d, n)), at(&r, l, 1), (rat){ 2 + 2 * below(d, 2), 1 });
	if (b)
		reads(&r, plain(d, T_F32, 3 * n, "x"), at2(&r, l, 3, b, 1), RAT_ONE);
	return done(&r);
}

/* High bits of a drawn number, times a step, beside a limit that may be out of reach. */
static eg_id drawn(struct dice *d)
{
	static const rat limit[] = { { 1, 1 }, { 0, 1 }, { 1, 2 }, { 3, 1 } };
	int n = size(d);
	struct draft s = draft(d, C_MAP, T_U32, "shift-right-logical"), f = draft(d, C_MAP, T_F32, "convert"), m = draft(d, C_SUM, T_F32, NULL),
		     c = draft(d, C_MAP, T_PRED, below(d, 2) ? "compare:LT" : "compare:LE");
	eg_id one = core_rat(d->a, TYPE_REAL, limit[below(d, 4)]), step;
	bool swap = below(d, 2);

	reads(&s, plain(d, T_U32, n, "bits"), at(&s, over(&s, n, false), 1), RAT_ONE);
	reads(&s, core_line(d->a, T_U32), ix_const(&d->a->s, 8 + below(d, 3)), RAT_ONE);
	reads(&f, done(&s), at(&f, over(&f, n, false), 1), RAT_ONE);
	reads(&m, done(&f), at(&m, over(&m, n, false), 1), (rat){ below(d, 2) ? 1 : -1, (int64_t)1 << 23 });
	step = done(&m);
	over(&c, n, false);
	if (swap)
		reads(&c, one, ix_const(&d->a->s, 0), RAT_ONE);
	reads(&c, step, at(&c, c.l.l[0], 1), RAT_ONE);
	if (!swap)
		reads(&c, one, ix_const(&d->a->s, 0), RAT_ONE);
	return done(&c);
}

/* sum_s K(u, s) x[s + T(u)]: the offset beside the label, or in one table with it and no further than x. */
static eg_id shifted(struct dice *d)
{
	scratch *s = &d->a->s;
	struct draft r = draft(d, C_EIN, T_F32, NULL);
	int nu = 2 + below(d, 2), ns = 3, most = 2, how = below(d, 3);
	label *u = over(&r, nu, false), *b = over(&r, ns, true), *both[2] = { u, b };
	eg_id x = plain(d, T_F32, ns + most, "x");
	int64_t *v = ARENA_ARRAY(&s->a, int64_t, nu * ns), i;

	for (i = 0; i < nu * ns; i++)	/* held inside where the mask is zero */
		v[i] = i % ns + i / ns < ns ? i % ns + i / ns : ns - 1;
	if (how == 0)
		reads(&r, x, ix_add(s, at(&r, b, 1), index_table(&r, u, most)), RAT_ONE);
	else
		reads(&r, plain(d, T_F32, ns, "z"), ix_table(s, 2, both, v), RAT_ONE);
	r.w->slot[r.w->nslot++] = table_slot(&r, TYPE_REAL, 2, both, zero_or_one);
	for (i = 0; how && i < nu * ns; i++)
		r.w->slot[1].v[i] = i % ns + i / ns < ns ? 1 : 0;
	if (how == 2)
		reads(&r, plain(d, T_F32, ns, "w"), at(&r, b, 1), RAT_ONE);
	return done(&r);
}

/* Summed over q: x[(q + r) mod n], every value as often whatever r is. */
static eg_id rotated(struct dice *d, enum core_kind kind)
{
	scratch *s = &d->a->s;
	struct draft r = draft(d, kind, T_F32, kind == C_RED ? "maximum" : NULL);
	int n = 2 + below(d, 3), m = 2 + below(d, 2), g = 1 + below(d, 2), twice = 1 + below(d, 2);
	label *f = over(&r, m, false), *q = over(&r, n * twice, true), *both[2] = { f, q };
	int64_t *v = ARENA_ARRAY(&s->a, int64_t, m * n * twice), i;

	for (i = 0; i < m * n * twice; i++)
		v[i] = (i / (n * twice) + i % (n * twice)) % n * g;
	reads(&r, plain(d, T_F32, n * g * m, "x"), ix_add(s, ix_table(s, 2, both, v), at(&r, f, n * g)), RAT_ONE);
	return done(&r);
}

/* Reduced over s: exp(x[i, n-1-s]), beside y[n-1-s] or y[s]. */
static eg_id backwards(struct dice *d, enum core_kind kind)
{
	scratch *s = &d->a->s;
	int m = 2 + below(d, 2), n = 2 + below(d, 3), how = below(d, 3);
	struct draft e = draft(d, C_MAP, T_F32, "exponential"), r = draft(d, kind, T_F32, kind == C_RED ? below(d, 2) ? "maximum" : "multiply" : NULL);
	label *i = over(&e, m, false), *j = over(&e, n, false), *f = over(&r, m, false), *b = over(&r, n, true);

	reads(&e, plain(d, T_F32, m * n, "x"), ix_plus(s, at2(&e, i, n, j, -1), n - 1), RAT_ONE);
	reads(&r, done(&e), at2(&r, f, n, b, 1), RAT_ONE);
	if (kind == C_EIN && how)
		reads(&r, plain(d, T_F32, n, "y"), how == 1 ? ix_plus(s, at(&r, b, -1), n - 1) : at(&r, b, 1), RAT_ONE);
	return done(&r);
}

/* sum_{s, t} (2 a[s, t] + b[s]) c[t] */
static eg_id summed_alone(struct dice *d)
{
	struct draft r = draft(d, C_EIN, T_F32, NULL), p = draft(d, C_SUM, T_F32, NULL);
	int ns = 2 + below(d, 2), nt = 2 + below(d, 2);
	label *i = over(&p, ns, false), *j = over(&p, nt, false), *s = over(&r, ns, true), *t = over(&r, nt, true);

	reads(&p, plain(d, T_F32, ns * nt, "a"), at2(&p, i, nt, j, 1), (rat){ 2, 1 });
	reads(&p, plain(d, T_F32, ns, "b"), at(&p, i, 1), RAT_ONE);
	reads(&r, done(&p), at2(&r, s, nt, t, 1), RAT_ONE);
	reads(&r, plain(d, T_F32, nt, "c"), at(&r, t, 1), RAT_ONE);
	return done(&r);
}

static const char *picking(struct dice *d)
{
	static const char *const which[] = { "first", "last", "least" };

	return which[below(d, 3)];
}

/* pick_i(x[r, i], i) over r, as a core of r's length. */
static eg_id inner_pick(struct dice *d, eg_id x, int nr, int ni, const char *fn)
{
	struct draft p = draft(d, C_PICK, T_S32, fn);
	label *r = over(&p, nr, false), *i = over(&p, ni, true);

	reads(&p, x, at2(&p, r, ni, i, 1), RAT_ONE);
	reads(&p, core_line(d->a, T_S32), ix_plus(&d->a->s, at2(&p, i, 1, r, below(d, 3)), below(d, 3)), RAT_ONE);
	return done(&p);
}

static eg_id pick_of_picks(struct dice *d)
{
	int nr = 2 + below(d, 2), ni = 2 + below(d, 2);
	const char *fn = picking(d);
	struct draft m = draft(d, C_RED, T_F32, "maximum"), p = draft(d, C_PICK, T_S32, fn);
	eg_id x = plain(d, T_F32, nr * ni, "x");
	label *f = over(&m, nr, false), *i = over(&m, ni, true), *r = over(&p, nr, true);

	reads(&m, x, at2(&m, f, ni, i, 1), RAT_ONE);
	reads(&p, done(&m), at(&p, r, 1), RAT_ONE);
	reads(&p, inner_pick(d, x, nr, ni, fn), at(&p, r, 1), RAT_ONE);
	return done(&p);
}

/* 3 pick(..) + c */
static eg_id pick_and_constant(struct dice *d)
{
	int nr = 2 + below(d, 2), ni = 2 + below(d, 2);
	const char *fn = picking(d);
	struct draft s = draft(d, C_SUM, T_S32, NULL);
	label *r = over(&s, nr, false);

	reads(&s, inner_pick(d, plain(d, T_F32, nr * ni, "x"), nr, ni, fn), at(&s, r, 1), (rat){ *fn == 'l' && fn[1] == 'e' ? 1 : 3, 1 });
	reads(&s, core_line(d->a, T_S32), ix_plus(&d->a->s, at(&s, r, below(d, 2)), 1 + below(d, 5)), RAT_ONE);
	return done(&s);
}

/* sum_r pick(v, p_r), or sum_r pick(v_r, p_r). */
static eg_id picked_and_summed(struct dice *d)
{
	int nf = 2 + below(d, 2), nr = 2 + below(d, 2), ni = 2 + below(d, 2), own = !below(d, 4);
	struct draft k = draft(d, C_PICK, T_F32, picking(d)), s = draft(d, C_EIN, T_F32, NULL);
	label *f = over(&k, nf, false), *r = over(&k, nr, false), *i = over(&k, ni, true), *g = over(&s, nf, false), *q = over(&s, nr, true);

	reads(&k, plain(d, T_F32, own ? nr * ni : nf * ni, "v"), at2(&k, own ? r : f, ni, i, 1), RAT_ONE);
	reads(&k, plain(d, T_F32, nf * nr * ni, "p"), ix_add(&d->a->s, at(&k, f, nr * ni), at2(&k, r, ni, i, 1)), RAT_ONE);
	reads(&s, done(&k), at2(&s, g, nr, q, 1), RAT_ONE);
	return done(&s);
}

/* x[pick(..)] */
static eg_id read_at_pick(struct dice *d)
{
	int nr = 2 + below(d, 2), ni = 2 + below(d, 2), n = ni + 2 * nr + 1;	/* beyond any payload */
	struct draft r = draft(d, C_AT, T_F32, NULL);
	eg_id j = inner_pick(d, plain(d, T_F32, nr * ni, "x"), nr, ni, picking(d));
	label *i = over(&r, nr, false), *k = over(&r, 2, false), *l = label_data(&d->a->s, j, at(&r, i, 1), n);

	reads(&r, plain(d, T_F32, 2 * n, "y"), at2(&r, k, n, l, 1), RAT_ONE);
	return done(&r);
}

/* min_r select(x[r] = max x, r + c, n); with max x <= x[r], and with the minimum. */
static eg_id least_of_largest(struct dice *d)
{
	int nr = 2 + below(d, 3), add = below(d, 3), top = below(d, 2), k;
	bool max = below(d, 2);
	struct draft m = draft(d, C_RED, T_F32, max ? "maximum" : "minimum"), e = draft(d, C_MAP, T_PRED, below(d, 2) ? "compare:EQ" : "compare:LE"),
		     c = draft(d, C_MAP, T_S32, "select"), r = draft(d, C_RED, T_S32, "minimum");
	eg_id x = plain(d, T_F32, nr, "x"), line = core_line(d->a, T_S32);
	label *in = over(&m, nr, true), *i = over(&e, nr, false), *j = over(&c, nr, false), *q = over(&r, nr, true);

	reads(&m, x, at(&m, in, 1), RAT_ONE);
	for (k = 0; k < 2; k++)
		reads(&e, k == top ? done(&m) : x, k == top ? ix_const(&d->a->s, 0) : at(&e, i, 1), RAT_ONE);
	reads(&c, done(&e), at(&c, j, 1), RAT_ONE);
	reads(&c, line, ix_plus(&d->a->s, at(&c, j, 1), add), RAT_ONE);
	reads(&c, line, ix_const(&d->a->s, nr + below(d, 3)), RAT_ONE);
	reads(&r, done(&c), at(&r, q, 1), RAT_ONE);
	return done(&r);
}

/* -min x, of integers, too. */
static eg_id negated_least(struct dice *d)
{
	int n = 2 + below(d, 3), f = 1 + below(d, 3), type = below(d, 4) ? T_F32 : T_S32;
	struct draft m = draft(d, C_RED, type, below(d, 4) ? "minimum" : "maximum"), s = draft(d, C_SUM, type, NULL);
	label *i = over(&m, f, false), *j = over(&m, n, true), *k = over(&s, f, false);

	reads(&m, plain(d, type, f * n, "x"), at2(&m, i, n, j, 1), RAT_ONE);
	reads(&s, done(&m), at(&s, k, 1), (rat){ -1, 1 });
	return done(&s);
}

/* pick_i(x[r, i], ..): the payload a constant, or not; x or the label its own. */
static eg_id one_of_picks(struct dice *d, eg_id x, int type, int nr, int ni, const char *fn, bool constant)
{
	struct draft p = draft(d, C_PICK, type, fn);
	label *r = over(&p, nr, false), *i = over(&p, ni, true), *l[1] = { i };

	reads(&p, below(d, 8) ? x : plain(d, T_F32, nr * ni, "other"), at2(&p, r, ni, i, 1), RAT_ONE);
	if (!constant)
		reads(&p, plain(d, type, nr * ni, "y"), at2(&p, r, ni, i, 1), RAT_ONE);
	else if (type == T_S32)
		reads(&p, core_line(d->a, T_S32), ix_plus(&d->a->s, at2(&p, i, 1, r, below(d, 3)), below(d, 3)), RAT_ONE);
	else
		p.w->slot[p.w->nslot++] = table_slot(&p, TYPE_REAL, 1, l, zero_or_one);
	return done(&p);
}

/* A test, a maximum or a product of what is picked. */
static eg_id of_picks(struct dice *d, enum core_kind kind)
{
	int nr = 2 + below(d, 2), ni = 2 + below(d, 2), type = kind == C_MUL ? T_F32 : T_S32;
	const char *fn = picking(d), *of = kind == C_MAP ? below(d, 2) ? "compare:LT" : "compare:LE" : kind == C_LAT ? "maximum" : NULL;
	struct draft f = draft(d, kind, kind == C_MAP ? T_PRED : type, of);
	eg_id x = plain(d, T_F32, nr * ni, "x");
	label *r = over(&f, nr, false);

	reads(&f, one_of_picks(d, x, type, nr, ni, fn, true), at(&f, r, 1), RAT_ONE);
	if (kind == C_MUL || below(d, 2))
		reads(&f, one_of_picks(d, x, type, nr, ni, below(d, 8) ? fn : picking(d), !below(d, 3)), at(&f, r, 1), RAT_ONE);
	else
		reads(&f, core_line(d->a, T_S32), ix_plus(&d->a->s, at(&f, r, below(d, 2)), below(d, 4)), RAT_ONE);
	return done(&f);
}

static eg_id weighted(struct dice *d, eg_id h, int nh, int nt)
{
	struct draft m = draft(d, C_MUL, T_F32, NULL);
	label *i = over(&m, nh, false), *j = over(&m, nt, false);
	double *v = ARENA_ARRAY(&d->a->s.a, double, nt);
	int k;

	for (k = 0; k < nt; k++)
		v[k] = k + 1 + below(d, 2) * nt;
	reads(&m, h, at(&m, i, 1), RAT_ONE);
	reads(&m, core_values(d->a, TYPE_REAL, nt, v), at(&m, j, 1), RAT_ONE);
	return done(&m);
}

/* h K + h L - y, h positive. */
static eg_id weighted_twice(struct dice *d)
{
	struct draft s = draft(d, C_SUM, T_F32, NULL);
	int nh = 2 + below(d, 2), nt = 2 + below(d, 3), k;
	eg_id h = positive(d, nh), term[2];
	label *i = over(&s, nh * nt, false);

	for (k = 0; k < 2; k++)
		term[k] = weighted(d, h, nh, nt);
	for (k = 0; k < 2; k++)
		reads(&s, term[k], at(&s, i, 1), (rat){ 1 + below(d, 2), 1 });
	if (below(d, 2))
		reads(&s, plain(d, T_F32, nh * nt, "y"), at(&s, i, 1), (rat){ -1, 1 });
	return done(&s);
}

/* A coefficient a rounding away from one met before. */
static eg_id almost_equal(struct dice *d)
{
	float c = (float)(0.1 + 0.8 * below(d, 1000) / 1000.0 + 1e-4);
	eg_id x = NIL;
	int k;

	for (k = 0; k < 2; k++) {
		struct draft s = draft(d, C_SUM, T_F32, NULL);
		label *i = over(&s, 3, false);
		rat r;
		rat_from_double(&r, (double)(k ? nextafterf(c, 1) : c));
		reads(&s, plain(d, T_F32, 3, k ? "x" : "y"), at(&s, i, 1), r);
		reads(&s, plain(d, T_F32, 3, "z"), at(&s, i, 1), RAT_ONE);
		x = done(&s);
	}
	return x;
}

/* x[i, j] + x[j, i] is symmetric: read the other way round, beside what is not. */
static eg_id read_symmetric(struct dice *d, enum core_kind kind)
{
	int n = 2 + below(d, 2);
	struct draft g = draft(d, C_SUM, T_F32, NULL), r = draft(d, kind, T_F32, kind == C_LAT || kind == C_RED ? "maximum"
										      : kind == C_MAP ? "power" : NULL);
	label *i = over(&g, n, false), *j = over(&g, n, false), *k = over(&r, n, false), *l = over(&r, n, kind == C_EIN || kind == C_RED);
	eg_id x = plain(d, T_F32, n * n, "x"), y = plain(d, T_F32, n * n, "u"), sym;

	reads(&g, x, at2(&g, i, n, j, 1), RAT_ONE);
	reads(&g, x, at2(&g, j, n, i, 1), RAT_ONE);
	sym = whole_map(d, "tanh", done(&g));
	if (kind == C_AT)	/* G[k + c, k] */
		reads(&r, sym, ix_add(&d->a->s, index_table(&r, k, n - 1), at(&r, k, n)), RAT_ONE);
	else
		reads(&r, sym, below(d, 2) ? at2(&r, k, n, l, 1) : at2(&r, l, n, k, 1), RAT_ONE);
	if (kind != C_AT && kind != C_RED)
		reads(&r, y, at2(&r, k, n, l, 1), kind == C_SUM ? (rat){ 2, 1 } : RAT_ONE);
	return done(&r);
}

/* a + b, and the same again as (a + (b + c)) - c: the latter turns out to be as old as the former. */
static eg_id spelled(struct dice *d, int type, int n, bool again)
{
	struct draft s = draft(d, C_SUM, type, NULL), t = draft(d, C_SUM, type, NULL);
	label *i = over(&s, n, false), *j = over(&t, n, false);
	eg_id a = plain(d, type, n, "a"), b = plain(d, type, n, "b"), c = plain(d, type, n, "c");

	reads(&s, b, at(&s, i, 1), RAT_ONE);
	reads(&s, again ? c : a, at(&s, i, 1), RAT_ONE);
	if (!again)
		return done(&s);
	reads(&t, a, at(&t, j, 1), RAT_ONE);
	reads(&t, done(&s), at(&t, j, 1), RAT_ONE);
	reads(&t, c, at(&t, j, 1), (rat){ -1, 1 });
	return done(&t);
}

/* Read at two integers, the younger of which turns out to be the older; or both to be one. */
static eg_id two_data(struct dice *d, enum core_kind kind)
{
	scratch *s = &d->a->s;
	struct draft r = draft(d, kind, kind == C_PICK ? T_S32 : T_F32, kind == C_MAP ? "tanh" : kind == C_PICK ? picking(d) : kind == C_AT ? NULL : "check unknown");
	int n = 2 + below(d, 2);
	label *i = over(&r, n, kind == C_PICK), *x, *y;
	eg_id once = spelled(d, T_S32, n, false), late = below(d, 2) ? once : plain(d, T_S32, n, "late");

	x = label_data(s, late, at(&r, i, 1), 2);
	y = label_data(s, spelled(d, T_S32, n, true), at(&r, i, 1), 2);
	reads(&r, plain(d, T_F32, 4, "x"), at2(&r, x, 1, y, 1), RAT_ONE);
	if (kind == C_PICK)
		reads(&r, core_line(d->a, T_S32), at(&r, i, 1), RAT_ONE);
	return done(&r);
}

/* Read at an integer that is an index expression, or a selection of a parameter. */
static eg_id known_data(struct dice *d, enum core_kind kind)
{
	struct draft e = draft(d, C_AT, T_S32, NULL), r = draft(d, kind, kind == C_PICK ? T_S32 : T_F32,
		kind == C_MAP ? "tanh" : kind == C_PICK ? picking(d) : kind == C_LAT || kind == C_RED ? "maximum" : kind == C_OPAQUE ? "check unknown" : NULL);
	int n = 2 + below(d, 2), by = 1 + below(d, 2);
	label *i = over(&e, n, false), *k = over(&r, n, kind == C_PICK || kind == C_EIN || kind == C_RED);

	reads(&e, below(d, 2) ? core_line(d->a, T_S32) : plain(d, T_S32, 6, "ids"), ix_plus(&d->a->s, at(&e, i, by), below(d, 2)), RAT_ONE);
	reads(&r, plain(d, T_F32, 6, "x"), ix_of(&d->a->s, label_data(&d->a->s, done(&e), at(&r, k, 1), 6), 1), kind == C_SUM ? (rat){ 2, 1 } : RAT_ONE);
	if (kind == C_PICK)
		reads(&r, core_line(d->a, T_S32), at(&r, k, 1), RAT_ONE);
	if (kind == C_SUM || kind == C_MUL || kind == C_EIN || kind == C_LAT)
		reads(&r, plain(d, T_F32, n, "y"), at(&r, k, 1), RAT_ONE);
	return done(&r);
}

/* Read at an integer and a multiple of n, clipped to 0..n-1. */
static eg_id clipped_place(struct dice *d)
{
	scratch *s = &d->a->s;
	struct draft low = draft(d, C_LAT, T_S32, "maximum"), high = draft(d, C_LAT, T_S32, "minimum"), r = draft(d, C_AT, T_F32, NULL);
	int m = 1 + below(d, 3), n = 2 + below(d, 3), parts = 2 + below(d, 2);
	label *i = over(&low, m, false), *k = over(&low, parts, false), *j = over(&high, m * parts, false), *q = over(&r, m * parts, false);
	label *id = label_data(s, plain(d, T_S32, m, "ids"), at(&low, i, 1), n * parts);

	reads(&low, core_line(d->a, T_S32), ix_plus(s, at2(&low, id, 1, k, -n), n * below(d, 2)), RAT_ONE);
	reads(&low, core_line(d->a, T_S32), ix_const(s, 0), RAT_ONE);
	reads(&high, done(&low), at(&high, j, 1), RAT_ONE);
	reads(&high, core_line(d->a, T_S32), ix_const(s, n - 1), RAT_ONE);
	reads(&r, plain(d, T_F32, n, "x"), ix_of(s, label_data(s, done(&high), at(&r, q, 1), n), 1), RAT_ONE);
	return done(&r);
}

/* An integer where a digit of it is the shard k, less what is before the shard, else 0; for C_AT what is read there. */
static eg_id chosen_place(struct dice *d, enum core_kind kind)
{
	scratch *s = &d->a->s;
	struct draft v = draft(d, C_MUL, T_S32, NULL), r = draft(d, C_AT, T_F32, NULL);
	int m = 1 + below(d, 3), n = 2 + below(d, 3), parts = 2 + below(d, 2), p;
	label *i = over(&v, m, false), *k = over(&v, parts, false), *q = over(&r, m * parts, false);
	label *id = label_data(s, plain(d, T_S32, m, "ids"), at(&v, i, 1), n * parts), *own[2];
	int64_t *equal = ARENA_ARRAY(&s->a, int64_t, parts * parts);

	for (p = 0; p < parts * parts; p++)
		equal[p] = p / parts == p % parts;
	label_cut(s, id, n);
	own[0] = id->hi;
	own[1] = k;
	reads(&v, core_line(d->a, T_S32), ix_table(s, 2, own, equal), RAT_ONE);
	reads(&v, core_line(d->a, T_S32), kind == C_AT ? ix_of(s, id->lo, 1) : at2(&v, id, 1, k, -n), RAT_ONE);
	if (kind == C_MUL)
		return done(&v);
	reads(&r, plain(d, T_F32, n, "x"), ix_of(s, label_data(s, done(&v), at(&r, q, 1), n), 1), RAT_ONE);
	return done(&r);
}

/* sum_k [k = <ids[i]>] x[k], beside y[i] at times, where the table of the places that are equal would be too large. */
static eg_id chosen_by_equality(struct dice *d)
{
	enum { LONG = 1024 };
	scratch *s = &d->a->s;
	struct draft e = draft(d, C_MAP, T_PRED, "compare:EQ"), c = draft(d, C_MAP, T_F32, "num"), r = draft(d, C_EIN, T_F32, NULL);
	int n = 1 + below(d, 2);
	label *i = over(&e, n, false), *k = over(&e, LONG, false), *j = over(&c, n * LONG, false), *q = over(&r, n, false), *l = over(&r, LONG, true);
	bool shifted = below(d, 3) == 0;	/* at times beyond the places of k */

	reads(&e, core_line(d->a, T_S32), ix_plus(s, ix_of(s, label_data(s, plain(d, T_S32, n, "ids"), at(&e, i, 1), LONG), 1), shifted), RAT_ONE);
	reads(&e, core_line(d->a, T_S32), at(&e, k, 1), RAT_ONE);
	reads(&c, done(&e), at(&c, j, 1), RAT_ONE);
	reads(&r, done(&c), at2(&r, q, LONG, l, 1), RAT_ONE);
	reads(&r, plain(d, T_F32, LONG, "x"), at(&r, l, 1), RAT_ONE);
	if (below(d, 2))
		reads(&r, plain(d, T_F32, n, "y"), at(&r, q, 1), RAT_ONE);
	return done(&r);
}

/* A table of one number and 0 read where data say, beside a parameter. */
static eg_id spaced_data(struct dice *d, enum core_kind kind)
{
	algebra *a = d->a;
	struct draft r = draft(d, kind, T_F32, NULL);
	int n = 2 + below(d, 2), m = 2 + below(d, 2), q;
	label *k = over(&r, n, kind == C_EIN), *data = label_data(&a->s, plain(d, T_S32, n, "ids"), at(&r, k, 1), m);
	double v[9], c = below(d, 2) ? -0.25 : 3;

	for (q = 0; q < n * m; q++)
		v[q] = c * (q && (q == 1 || below(d, 2)));
	reads(&r, core_values(a, TYPE_REAL, n * m, v), at2(&r, k, m, data, 1), kind == C_AT ? RAT_ONE : (rat){ 1 + below(d, 2), 1 });
	if (kind != C_AT)
		reads(&r, plain(d, T_F32, n, "y"), at(&r, k, 1), RAT_ONE);
	return done(&r);
}

/* sum_k K(i, k, <ids[k]>) x[k], where K is 0 but for one k of each i; or where the data says which. */
static eg_id picked_data(struct dice *d)
{
	scratch *s = &d->a->s;
	struct draft r = draft(d, C_EIN, T_F32, NULL);
	int n = 2 + below(d, 2), m = 2 + below(d, 2), q;
	label *i = over(&r, n, false), *k = over(&r, n, true), *data = label_data(s, plain(d, T_S32, n, "ids"), at(&r, k, 1), m), *l[3] = { i, k, data };
	bool free = below(d, 3);

	r.w->slot[r.w->nslot] = table_slot(&r, TYPE_REAL, 3, l, zero_or_one);
	for (q = 0; q < n * n * m && free; q++)
		if (q / m / n != q / m % n)
			r.w->slot[r.w->nslot].v[q] = 0;
	r.w->nslot++;
	reads(&r, plain(d, T_F32, n, "x"), at(&r, k, 1), RAT_ONE);
	return done(&r);
}

static double nought(struct dice *d, int64_t i)
{
	(void)d;
	(void)i;
	return 0;
}

/* [j = b <ids[k]> + c] x[k]: part c of b is written at place <ids[k]> of a stack; kind EIN: of a contraction. */
static eg_id stacked(struct dice *d, enum core_kind kind)
{
	struct draft r = draft(d, kind, T_F32, NULL);
	int n = 2 + below(d, 2), m = 2 + below(d, 2), b = 2 + below(d, 3), c = below(d, b), i;
	label *j = over(&r, m * b, false), *k = over(&r, n, false), *data = label_data(&d->a->s, plain(d, T_S32, n, "ids"), at(&r, k, 1), m);
	label *both[2] = { j, data };

	r.w->slot[r.w->nslot] = table_slot(&r, TYPE_REAL, 2, both, nought);
	for (i = 0; i < m; i++)
		r.w->slot[r.w->nslot].v[(b * i + c) * m + i] = 1;
	r.w->nslot++;
	reads(&r, plain(d, T_F32, 2 * n, "x"), kind == C_EIN ? at2(&r, k, 2, over(&r, 2, true), 1) : at(&r, k, 1), (rat){ kind == C_EIN ? 2 : 1, 1 });
	return done(&r);
}

/* exp and log of a choice of constants. */
static eg_id of_choice(struct dice *d)
{
	int n = 2 + below(d, 3), k;
	struct draft r = draft(d, C_MAP, T_F32, "select");
	label *l = over(&r, n, false);
	static const double value[] = { 0, 1 };
	bool exp = below(d, 2);

	reads(&r, plain(d, T_PRED, n, "p"), at(&r, l, 1), RAT_ONE);
	for (k = 0; k < 2; k++)
		reads(&r, core_num(d->a, TYPE_REAL, !exp ? (number){ { 1, 1 }, 0 } : value[below(d, 2)] ? (number){ { 0, 1 }, 0 }
							  : (number){ { 0, 0 }, -INFINITY }), ix_const(&d->a->s, 0), RAT_ONE);
	if (below(d, 2))
		r.w->slot[2] = slot_read(plain(d, T_F32, n, "x"), at(&r, l, 1), RAT_ONE);
	return whole_map(d, exp ? "exponential" : "log", done(&r));
}

/* x^2 x^-1 y */
static eg_id quotient(struct dice *d, enum core_kind kind)
{
	int n = 2 + below(d, 3);
	struct draft r = draft(d, kind, T_F32, NULL);
	label *l = over(&r, n, false), *b = kind == C_EIN ? over(&r, 3, true) : NULL;
	eg_id x = positive(d, n);

	reads(&r, x, at(&r, l, 1), (rat){ 1 + below(d, 2), 1 });
	reads(&r, x, at(&r, l, 1), (rat){ -1 - below(d, 2), 1 });
	reads(&r, plain(d, T_F32, 3 * n, "y"), b ? at2(&r, l, 3, b, 1) : at(&r, l, 2), RAT_ONE);
	return done(&r);
}

/* h^-a (u + h^b y), h positive or not, the inner one read at the same places or turned round */
static eg_id cancels_within(struct dice *d)
{
	int n = 2 + below(d, 3);
	struct draft m = draft(d, C_MUL, T_F32, NULL), s = draft(d, C_SUM, T_F32, NULL), r = draft(d, C_MUL, T_F32, NULL);
	label *i = over(&m, n, false), *j = over(&s, n, false), *k = over(&r, n, false);
	eg_id h = below(d, 4) ? positive(d, n) : plain(d, T_F32, n, "h");

	reads(&m, h, below(d, 4) ? at(&m, i, 1) : ix_plus(&d->a->s, at(&m, i, -1), n - 1), (rat){ 1 + below(d, 2), 1 });
	reads(&m, plain(d, T_F32, n, "y"), at(&m, i, 1), RAT_ONE);
	reads(&s, plain(d, T_F32, n, "u"), at(&s, j, 1), RAT_ONE);
	reads(&s, done(&m), at(&s, j, 1), (rat){ below(d, 2) ? 1 : -3, 1 });
	reads(&r, h, at(&r, k, 1), (rat){ below(d, 4) ? -1 - below(d, 2) : 1, 1 });
	reads(&r, done(&s), at(&r, k, 1), RAT_ONE);
	if (below(d, 2))
		reads(&r, plain(d, T_F32, n, "v"), at(&r, k, 1), RAT_ONE);
	return done(&r);
}

static double mostly_two(struct dice *d, int64_t i)
{
	(void)d;
	(void)i;
	return 2;
}

/* sum_s K(a, s) x[s], K one number but for a place of each row */
static eg_id smoothed(struct dice *d)
{
	int na = 2 + below(d, 2), ns = 3 + below(d, 3), k;
	struct draft e = draft(d, C_EIN, T_F32, NULL);
	label *f = over(&e, na, false), *s = over(&e, ns, true), *both[2] = { f, s };
	slot t = table_slot(&e, TYPE_REAL, 2, both, mostly_two);

	for (k = 0; k < na; k++)
		t.v[k * ns + below(d, ns)] = 1 + below(d, 4);
	e.w->slot[e.w->nslot++] = t;
	reads(&e, plain(d, T_F32, na * ns, "x"), at2(&e, f, ns, s, 1), RAT_ONE);
	return done(&e);
}

/* K(a) sum_s L(a, s) x[s] */
static eg_id mask_of_masked(struct dice *d)
{
	int na = 2 + below(d, 2), ns = 2 + below(d, 3);
	struct draft r = draft(d, C_MUL, T_F32, NULL), e = draft(d, C_EIN, T_F32, NULL);
	label *i = over(&r, na, false), *f = over(&e, na, false), *s = over(&e, ns, true), *both[2] = { f, s };

	e.w->slot[e.w->nslot++] = table_slot(&e, TYPE_REAL, 2, both, zero_or_one);
	reads(&e, plain(d, T_F32, ns, "x"), at(&e, s, 1), RAT_ONE);
	r.w->slot[r.w->nslot++] = table_slot(&r, TYPE_REAL, 1, &i, zero_or_one);
	reads(&r, done(&e), at(&r, i, 1), RAT_ONE);
	return done(&r);
}

/* max(f[2 i], f[2 i + 1], ..) */
static eg_id covered(struct dice *d)
{
	int n = 2 + below(d, 2), m = 1 + below(d, 3), k;
	struct draft r = draft(d, C_LAT, T_F32, below(d, 2) ? "maximum" : "minimum");
	label *l = over(&r, m, false);
	eg_id x = whole_map(d, "tanh", plain(d, T_F32, n * m, "x"));

	for (k = 0; k < n; k++)
		reads(&r, x, ix_plus(&d->a->s, at(&r, l, n), k), RAT_ONE);
	return done(&r);
}

/* max(select(K, log x, -inf), select(L, log y, -inf)): K and L are contraries, or overlap. */
static eg_id joined_windows(struct dice *d)
{
	bool max = below(d, 2), twice = !below(d, 3);
	struct draft r = draft(d, C_LAT, T_F32, max ? "maximum" : "minimum");
	int n = 2 + below(d, 3), k;
	label *l = over(&r, n, false);

	for (k = 0; k < 2; k++) {
		struct draft c = draft(d, C_MAP, T_F32, "select");
		label *m = over(&c, n, false);
		eg_id x = whole_map(d, "log", plain(d, T_F32, n, k ? "x" : "y")), none = core_num(d->a, TYPE_REAL, (number){ { 0, 0 }, max ? -1.0 / 0.0 : 1.0 / 0.0 });
		c.w->slot[c.w->nslot++] = table_slot(&c, T_PRED, 1, &m, twice ? zero_or_one : first_alone);
		reads(&c, k ? x : none, k ? at(&c, m, 1) : ix_const(&d->a->s, 0), RAT_ONE);
		reads(&c, k ? none : x, k ? ix_const(&d->a->s, 0) : at(&c, m, 1), RAT_ONE);
		reads(&r, done(&c), at(&r, l, 1), RAT_ONE);
	}
	return done(&r);
}

/* max(-FLT_MAX, max_j tanh x[i, j]), or the least of such and the largest number. */
static eg_id begun_at_bound(struct dice *d)
{
	bool max = below(d, 2);
	const char *op = max ? "maximum" : "minimum";
	struct draft r = draft(d, C_LAT, T_F32, op), m = draft(d, C_RED, T_F32, op);
	int n = 1 + below(d, 3), k = 2 + below(d, 2);
	label *l = over(&r, n, false), *i = over(&m, n, false);

	reads(&m, whole_map(d, "tanh", plain(d, T_F32, n * k, "x")), at2(&m, i, k, over(&m, k, true), 1), RAT_ONE);
	reads(&r, core_num(d->a, TYPE_REAL, (number){ { 0, 0 }, max ? -FLT_MAX : FLT_MAX }), ix_const(&d->a->s, 0), RAT_ONE);
	reads(&r, done(&m), at(&r, l, 1), RAT_ONE);
	return done(&r);
}

/* x[(b i + j) / a], beside y[k], for labels i, j, k of a, b, 2 places: i and j are one number that is cut at a. */
static eg_id cut_elsewhere(struct dice *d, enum core_kind kind)
{
	static const struct { int a, b; } sizes[] = { { 2, 3 }, { 3, 2 }, { 4, 3 }, { 3, 4 }, { 3, 5 } };
	struct draft r = draft(d, kind, kind == C_PICK ? T_S32 : T_F32, kind == C_MAP ? "tanh" : kind == C_PICK ? picking(d)
			       : kind == C_LAT || kind == C_RED ? "maximum" : kind == C_OPAQUE ? "check unknown" : NULL);
	int k = below(d, 5), a = sizes[k].a, b = sizes[k].b, i;
	bool bound = kind == C_EIN || kind == C_RED;
	label *both[2] = { over(&r, a, bound), over(&r, b, bound) };
	int64_t v[15];

	for (i = 0; i < a * b; i++)
		v[i] = i / a;
	reads(&r, plain(d, T_F32, b, "x"), ix_table(&d->a->s, 2, both, v), RAT_ONE);
	if (kind == C_SUM || kind == C_MUL || kind == C_EIN || kind == C_LAT)
		reads(&r, plain(d, T_F32, 2, "y"), at(&r, over(&r, 2, bound), 1), RAT_ONE);
	if (kind == C_PICK)
		reads(&r, core_line(d->a, T_S32), at(&r, over(&r, 2, true), 1), RAT_ONE);
	return done(&r);
}

static const char *const topk[] = { "topk largest 0 -> f32 of f32", "topk largest 1 -> s32 of f32" };

/* Result k of topk of `n` parts beside each other, `kept` places of each: the rows of x put in order, by `nr` rows of them. */
static eg_id topk_of_parts(struct dice *d, eg_id x, int k, int nr, int n, int kept, int len)
{
	struct draft r = draft(d, C_OPAQUE, k ? T_S32 : T_F32, topk[k]);
	label *row = over(&r, nr, false), *part = over(&r, n, true), *place = over(&r, kept, true);

	r.w->tail = n * kept;
	reads(&r, x, ix_plus(&d->a->s, ix_add(&d->a->s, at2(&r, row, n * len, part, len), at(&r, place, 1)), below(d, 4) || kept == len ? 0 : 1), RAT_ONE);
	return done(&r);
}

/* Result k of topk, row by row. */
static eg_id topk_of(struct dice *d, eg_id x, int k, int nr, int len)
{
	struct draft r = draft(d, C_OPAQUE, k ? T_S32 : T_F32, topk[k]);
	label *row = over(&r, nr, false), *place = over(&r, len, true);

	r.w->tail = len;
	reads(&r, x, at2(&r, row, len, place, 1), RAT_ONE);
	return done(&r);
}

/* The first of a row of parts in order, or which of all that the parts were taken from they are; sometimes more than parts have. */
static eg_id parts_in_order(struct dice *d, bool places)
{
	scratch *s = &d->a->s;
	int nr = 1 + below(d, 2), n = 2 + below(d, 2), len = 2 + below(d, 3), kept = 1 + below(d, len), c = 1 + below(d, kept + !below(d, 4)), full = n * kept;
	eg_id x = plain(d, T_F32, nr * n * len, "x"), in_part = topk_of(d, x, 0, nr * n, len), all;
	struct draft r = draft(d, places ? C_SUM : C_AT, places ? T_S32 : T_F32, NULL);
	label *row = over(&r, nr, false), *place = over(&r, c, false);
	ix *at_all = at2(&r, row, full, place, 1), *part, *j;

	all = topk_of_parts(d, in_part, places, nr, n, kept, len);
	if (!places) {
		reads(&r, all, at_all, RAT_ONE);
		return done(&r);
	}
	ix_divmod(s, ix_of(s, label_data(s, all, at_all, full), 1), kept, &part, &j);
	j = ix_add(s, ix_add(s, at(&r, row, n * len), ix_times(s, part, len)), j);
	reads(&r, topk_of(d, x, 1, nr * n, len), j, RAT_ONE);
	reads(&r, core_line(d->a, T_S32), ix_times(s, part, len + !below(d, 4)), RAT_ONE);
	return done(&r);
}

/* Places of a row in order, or every other one, as numbers of another type. */
static eg_id converted_places(struct dice *d, eg_id place, int nr, int len)
{
	static const int type[] = { T_S64, T_U32, T_S8 };
	int by = 1 + below(d, 2), n = (len + by - 1) / by;
	struct draft r = draft(d, C_MAP, type[below(d, 3)], "convert");
	label *row = over(&r, nr, false), *own = over(&r, n, false);

	reads(&r, place, at2(&r, row, len, own, by), RAT_ONE);
	return done(&r);
}

/* Places of a row in order beside a number, or where they are read, or converted. */
static eg_id compared_places(struct dice *d, enum core_kind kind)
{
	static const char *const name[2][2] = { { "compare:LT", "compare:LE" }, { "maximum", "minimum" } };
	int nr = 1 + below(d, 2), len = 2 + below(d, 3), first = below(d, 2), k;
	eg_id place = topk_of(d, plain(d, T_F32, nr * len, "x"), 1, nr, len);
	struct draft r;
	label *row, *own;
	ix *c;

	if (kind == C_MAP && !below(d, 3))
		return converted_places(d, place, nr, len);
	r = draft(d, kind, kind == C_LAT ? T_S32 : T_PRED, name[kind == C_LAT][below(d, 2)]);
	row = over(&r, nr, false);
	own = over(&r, len, false);
	c = ix_plus(&d->a->s, at(&r, own, below(d, 2)), below(d, len + 3) - 1);

	for (k = 0; k < 2; k++)
		if (k == first)
			reads(&r, place, at2(&r, row, len, own, 1), RAT_ONE);
		else
			reads(&r, core_line(d->a, T_S32), c, RAT_ONE);
	return done(&r);
}

/* The first values of a sorted row, or others, sorted again by value and place, or the other way round. */
static eg_id sorted_twice(struct dice *d)
{
	scratch *s = &d->a->s;
	bool all = below(d, 2), down = below(d, 3);
	int nr = 2 + below(d, 2), len = 3 + below(d, 3), own = all ? len : 2, k;
	struct draft r = draft(d, C_OPAQUE, T_F32, down ? "sort to_apply=>0 <1 0 -> f32[*,n,] f32[*,n,] s32[*,n," : "sort to_apply=<0 <1 0 -> f32[*,n,] f32[*,n,] s32[*,n,");
	label *row = over(&r, nr, false);

	r.w->tail = own;
	for (k = 0; k < 2; k++) {
		eg_id t = topk_of(d, plain(d, T_F32, nr * len, "x"), k, nr, len);
		reads(&r, t, ix_plus(s, at2(&r, row, len, over(&r, own, true), 1), all ? 0 : below(d, 2)), RAT_ONE);
	}
	return done(&r);
}

/* One operand of a reading of x at all its places, or two. */
static eg_id of_whole(struct dice *d, enum core_kind kind, int type, const char *fn, eg_id x, rat c, int64_t constant)
{
	struct draft r = draft(d, kind, type, fn);
	label *l = over(&r, (int)core_len(d->a, x), false);

	reads(&r, x, at(&r, l, 1), c);
	if (constant >= 0)
		reads(&r, core_line(d->a, core_type(d->a, x)), ix_const(&d->a->s, constant), RAT_ONE);
	return done(&r);
}

static eg_id chosen_of(struct dice *d, eg_id p, eg_id x, eg_id y)
{
	struct draft r = draft(d, C_MAP, core_type(d->a, x), "select");
	label *l = over(&r, (int)core_len(d->a, x), false);
	eg_id of[3] = { p, x, y };
	int k;

	for (k = 0; k < 3; k++)
		reads(&r, of[k], at(&r, l, 1), RAT_ONE);
	return done(&r);
}

/* A division by a power of two, or what is left of one, written out; or with another sign or number. */
static eg_id divided_out(struct dice *d)
{
	eg_id x = plain(d, T_S32, 2 + below(d, 3), "x"), low = of_whole(d, C_MAP, T_PRED, "compare:LT", x, RAT_ONE, !below(d, 5)), of, b;
	int k = 1 + below(d, 3);

	of = chosen_of(d, low, of_whole(d, C_SUM, T_S32, NULL, x, (rat){ below(d, 5) ? -1 : 1, 1 }, -1), x);
	b = below(d, 2) ? of_whole(d, C_MAP, T_S32, "shift-right-logical", of, RAT_ONE, k)
			: of_whole(d, C_MAP, T_S32, "and", of, RAT_ONE, (1 << k) - 1 - !below(d, 5));
	return chosen_of(d, low, of_whole(d, C_SUM, T_S32, NULL, b, (rat){ below(d, 5) ? -1 : 2, 1 }, -1), b);
}

/* A truth value as a number, times a number, plus one. */
static eg_id counted(struct dice *d)
{
	eg_id p = plain(d, T_PRED, 2 + below(d, 3), "p"), x = of_whole(d, C_MAP, T_S32, "num", p, RAT_ONE, -1);

	return below(d, 2) ? x : of_whole(d, C_SUM, T_S32, NULL, x, (rat){ 1 + below(d, 4) - 6 * !below(d, 4), 1 }, below(d, 4) - 1);
}

/* Divided by a power of two, or the remainder; or by another number. */
static eg_id halved(struct dice *d)
{
	int type = below(d, 2) ? T_U32 : T_S32;

	return of_whole(d, C_MAP, type, below(d, 2) ? "divide" : "remainder", plain(d, type, 2 + below(d, 3), "x"), RAT_ONE, (1 << below(d, 4)) + !below(d, 5));
}

/* .. compared with a number, on either side. */
static eg_id counted_compared(struct dice *d)
{
	static const char *const direction[] = { "compare:EQ", "compare:NE", "compare:LT", "compare:LE" };

	return of_whole(d, C_MAP, T_PRED, direction[below(d, 4)], counted(d), RAT_ONE, below(d, 4));
}

/* A fraction of whole constants, and a number more, made whole. */
static eg_id made_whole(struct dice *d)
{
	static const char *const how[] = { "floor", "ceil", "convert" };
	int n = 2 + below(d, 4), i, k = below(d, 3);
	double *v = ARENA_ARRAY(&d->a->s.a, double, n);
	struct draft r = draft(d, C_SUM, T_F32, NULL);
	label *l = over(&r, n, false);

	for (i = 0; i < n; i++)
		v[i] = i ? below(d, 15) - 7 : 8;	/* all alike would be a number */
	reads(&r, core_values(d->a, TYPE_REAL, n, v), at(&r, l, 1), (rat){ 1 + 2 * below(d, 3), 2 << below(d, 2) });
	reads(&r, core_rat(d->a, TYPE_REAL, RAT_ONE), ix_const(&d->a->s, 0), (rat){ below(d, 9) - 4, 1 + below(d, 2) });
	return of_whole(d, C_MAP, k == 2 ? T_S32 : T_F32, how[k], done(&r), RAT_ONE, -1);
}

/* c x^k y, or x^k alone. */
static eg_id power_and_other(struct dice *d, eg_id x, eg_id y)
{
	struct draft r = draft(d, C_MUL, T_F32, NULL);
	label *l = over(&r, (int)core_len(d->a, x), false);
	eg_id m;

	reads(&r, x, at(&r, l, 1), (rat){ 1 + below(d, 3) - 4 * !below(d, 4), 1 });
	if (below(d, 4))
		reads(&r, y, at(&r, l, 1), RAT_ONE);
	m = done(&r);
	return of_whole(d, C_SUM, T_F32, NULL, m, (rat){ 1 + below(d, 2), 1 + below(d, 2) }, -1);
}

/* A choice between products that may share a factor, by a predicate or its contrary. */
static eg_id choice_of_products(struct dice *d)
{
	int n = 2 + below(d, 3);
	eg_id p = plain(d, T_PRED, n, "p"), x = plain(d, T_F32, n, "x"), y = plain(d, T_F32, n, "y");

	if (!below(d, 3))
		p = whole_map(d, "not", p);
	return chosen_of(d, p, power_and_other(d, x, y), power_and_other(d, below(d, 5) ? x : y, y));
}

/* The largest of a row, or its place, under a mask that leaves the last places out in both rows, and in one of them more. */
static eg_id masked_row(struct dice *d, enum core_kind kind)
{
	int ni = 3 + below(d, 3), most = 2 + below(d, ni - 2), i;
	double *v = ARENA_ARRAY(&d->a->s.a, double, 2 * ni);
	const char *fn = kind == C_PICK ? picking(d) : "maximum";
	struct draft c = draft(d, C_MAP, T_F32, "select"), r = draft(d, kind, kind == C_PICK ? T_S32 : T_F32, fn);
	label *f = over(&c, 2, false), *l = over(&c, ni, false), *g = over(&r, 2, false), *m = over(&r, ni, true);

	for (i = 0; i < 2 * ni; i++)
		v[i] = i % ni < (i < ni ? 1 + below(d, most) : most);
	reads(&c, core_values(d->a, T_PRED, 2 * ni, v), at2(&c, f, ni, l, 1), RAT_ONE);
	reads(&c, plain(d, T_F32, 2 * ni, "x"), at2(&c, f, ni, l, 1), RAT_ONE);
	reads(&c, core_num(d->a, TYPE_REAL, (number){ { 0, 0 }, -1.0 / 0.0 }), ix_const(&d->a->s, 0), RAT_ONE);
	reads(&r, done(&c), at2(&r, g, ni, m, 1), RAT_ONE);
	if (kind == C_PICK)
		reads(&r, core_line(d->a, T_S32), at(&r, m, 1), RAT_ONE);
	return done(&r);
}

/* ---- maxima of what masks choose, and of places that tables give */

/* select(K(i), x, -inf) for a core x of n rows, K over each row's places or over rows alone. */
static eg_id masked_core(struct dice *d, eg_id x, int n, bool rows, bool max)
{
	struct draft c = draft(d, C_MAP, T_F32, "select");
	int m = (int)core_len(d->a, x) / n;
	label *i = over(&c, n, false), *l = over(&c, m, false), *both[2] = { i, l };

	c.w->slot[c.w->nslot++] = table_slot(&c, T_PRED, rows ? 1 : 2, both, zero_or_one);
	reads(&c, x, at2(&c, i, m, l, 1), RAT_ONE);
	reads(&c, core_num(d->a, TYPE_REAL, (number){ { 0, 0 }, max ? -1.0 / 0.0 : 1.0 / 0.0 }), ix_const(&d->a->s, 0), RAT_ONE);
	return done(&c);
}

/* max_l x[i, l] for n rows i. */
static eg_id row_maximum(struct dice *d, eg_id x, int n, bool max)
{
	struct draft r = draft(d, C_RED, T_F32, max ? "maximum" : "minimum");
	int m = (int)core_len(d->a, x) / n;
	label *i = over(&r, n, false), *l = over(&r, m, true);

	reads(&r, x, at2(&r, i, m, l, 1), RAT_ONE);
	return done(&r);
}

/* max_l select(K(l), max_m log x[l, m], -inf). */
static eg_id maximum_within(struct dice *d)
{
	int n = 2 + below(d, 2), k = 2 + below(d, 2), m = 2 + below(d, 2);
	bool max = below(d, 2);
	eg_id x = row_maximum(d, whole_map(d, "log", plain(d, T_F32, n * k * m, "x")), n * k, max);

	return row_maximum(d, masked_core(d, x, n, false, max), n, max);
}

/* max_l log x[T(i, l)]. */
static eg_id maximum_of_places(struct dice *d)
{
	struct draft r = draft(d, C_RED, T_F32, below(d, 2) ? "maximum" : "minimum");
	int n = 2 + below(d, 2), k = 2 + below(d, 3), m = 3 + below(d, 3), i;
	label *both[2] = { over(&r, n, false), over(&r, k, true) };
	int64_t v[12];

	for (i = 0; i < n * k; i++)
		v[i] = below(d, m);
	reads(&r, whole_map(d, "log", plain(d, T_F32, m, "x")), ix_table(&d->a->s, 2, both, v), RAT_ONE);
	return done(&r);
}

/* Two maxima over rows of one x under masks: the larger, or the one that a third mask chooses. */
static eg_id masked_maxima(struct dice *d, enum core_kind kind)
{
	bool max = below(d, 2);
	struct draft r = draft(d, kind, T_F32, kind == C_MAP ? "select" : max ? "maximum" : "minimum");
	int n = 2 + below(d, 2), k;
	label *i = over(&r, n, false);
	eg_id x = whole_map(d, "log", plain(d, T_F32, n * (2 + below(d, 2)), "x"));

	if (kind == C_MAP)
		r.w->slot[r.w->nslot++] = table_slot(&r, T_PRED, 1, &i, zero_or_one);
	for (k = 0; k < 2; k++)
		reads(&r, row_maximum(d, k && below(d, 2) ? x : masked_core(d, x, n, false, max), n, max), at(&r, i, 1), RAT_ONE);
	return done(&r);
}

/* select(p, max(x, y), max(x, z)), or one of them x alone. */
static eg_id choice_of_maxima(struct dice *d)
{
	static const struct { int type; const char *op; } of[] = {
		{ T_F32, "maximum" }, { T_F32, "minimum" }, { T_S32, "and" }, { T_S32, "or" }, { T_S32, "maximum" }, { T_PRED, "and" }, { T_PRED, "or" }
	};
	static const char *const other[] = { "y", "z" };
	int n = 2 + below(d, 3), alone = below(d, 3), which = below(d, 7), t = of[which].type, k;
	struct draft r = draft(d, C_MAP, t, "select");
	label *l = over(&r, n, false);
	eg_id x = plain(d, t, n, "x");

	if (t == T_F32)
		x = whole_map(d, "log", x);
	reads(&r, plain(d, T_PRED, n, "p"), at(&r, l, 1), RAT_ONE);
	for (k = 0; k < 2; k++) {
		struct draft b = draft(d, C_LAT, t, of[which].op);
		label *m = over(&b, n, false);
		reads(&b, x, at(&b, m, 1), RAT_ONE);
		reads(&b, plain(d, t, n, other[k]), at(&b, m, 1), RAT_ONE);
		reads(&r, k == alone ? x : done(&b), at(&r, l, 1), RAT_ONE);
	}
	return done(&r);
}

/* An idiom of a kind; NIL: there is none. */
static eg_id idiom_of(struct dice *d, enum core_kind kind)
{
	static const int idioms[C_COUNT] = { [C_AT] = 6, [C_MAP] = 17, [C_SUM] = 7, [C_MUL] = 8, [C_EIN] = 14, [C_RED] = 8, [C_LAT] = 7, [C_PICK] = 4, [C_OPAQUE] = 3 };
	int k;

	if (kind < C_AT || kind > C_OPAQUE)
		return NIL;
	k = below(d, idioms[kind] + 1);
	if (k == idioms[kind])
		return cut_elsewhere(d, kind);
	if (!below(d, 8))
		return known_data(d, kind);
	if (!below(d, 8) && (kind == C_AT || kind == C_SUM || kind == C_MUL || kind == C_EIN))
		return spaced_data(d, kind);
	switch (kind) {
	case C_MAP:
		return k == 0 ? logarithms(d) : k == 1 ? powers(d) : k == 2 ? chosen_instances(d) : k == 3 ? two_data(d, kind)
		       : k == 4 ? of_choice(d) : k == 5 ? drawn(d) : k == 6 ? choice_of_choices(d) : k == 7 ? compared_places(d, kind)
		       : k == 8 ? divided_out(d) : k == 9 ? halved(d) : k == 10 ? counted_compared(d) : k == 11 ? choice_of_products(d)
		       : k == 12 ? of_picks(d, kind) : k == 13 ? made_whole(d) : k == 14 ? masked_maxima(d, kind) : k == 15 ? choice_of_maxima(d)
		       : read_symmetric(d, kind);
	case C_MUL:
		return k == 0 ? rooted(d, kind) : k == 1 ? read_symmetric(d, kind) : k == 2 ? quotient(d, kind) : k == 3 ? stacked(d, kind)
		       : k == 4 ? chosen_place(d, kind) : k == 5 ? of_picks(d, kind) : k == 6 ? cancels_within(d) : mask_of_masked(d);
	case C_EIN:
		return k == 0 ? rooted(d, kind) : k < 3 ? shifted(d) : k == 3 ? rotated(d, kind) : k == 4 ? summed_alone(d)
		       : k == 5 ? read_symmetric(d, kind) : k == 6 ? summed_choice(d) : k == 7 ? smoothed(d) : k == 8 ? backwards(d, kind)
		       : k == 9 ? picked_data(d) : k == 10 ? stacked(d, kind) : k == 11 ? picked_and_summed(d)
		       : k == 12 ? chosen_by_equality(d) : quotient(d, kind);
	case C_SUM:
		return k == 0 ? pick_and_constant(d) : k == 1 ? weighted_twice(d) : k == 2 ? almost_equal(d) : k == 3 ? parts_in_order(d, true)
		       : k == 4 ? negated_least(d) : k == 5 ? pieces_of_one(d) : read_symmetric(d, kind);
	case C_RED:
		return k == 0 ? least_of_largest(d) : k == 1 ? rotated(d, kind) : k == 2 ? backwards(d, kind) : k == 3 ? window_choice(d)
		       : k == 4 ? masked_row(d, kind) : k == 5 ? maximum_within(d) : k == 6 ? maximum_of_places(d) : read_symmetric(d, kind);
	case C_LAT:
		return k == 0 ? covered(d) : k == 1 ? begun_at_bound(d) : k == 2 ? compared_places(d, kind) : k == 3 ? joined_windows(d)
		       : k == 4 ? of_picks(d, kind) : k == 5 ? masked_maxima(d, kind) : read_symmetric(d, kind);
	case C_PICK: return k < 2 ? pick_of_picks(d) : k == 2 ? masked_row(d, kind) : two_data(d, kind);
	case C_AT: return k == 0 ? read_at_pick(d) : k == 4 ? clipped_place(d) : k == 5 ? chosen_place(d, kind) : k == 1 ? read_symmetric(d, kind) : k == 2 ? parts_in_order(d, false) : two_data(d, kind);
	case C_OPAQUE: return k < 2 ? sorted_twice(d) : two_data(d, kind);
	default: return NIL;
	}
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
