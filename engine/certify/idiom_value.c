/* What rules about values are about: functions and their inverses, powers and roots, sums spelled twice, truth as numbers. */
#include "certify/idiom.h"

#include <math.h>
#include "core/facts.h"

/* exp(log x), log(exp x), log(x^2 y^-1). */
eg_id logarithms(struct dice *d)
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
eg_id powers(struct dice *d)
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

eg_id rooted(struct dice *d)
{
	struct draft r = draft(d, d->kind, T_F32, NULL);
	int n = 2 + below(d, 3);
	label *l = over(&r, n, false), *b = d->kind == C_EIN ? over(&r, 3, true) : NULL;

	reads(&r, whole_map(d, "sqrt", positive(d, n)), at(&r, l, 1), (rat){ 2 + 2 * below(d, 2), 1 });
	if (b)
		reads(&r, plain(d, T_F32, 3 * n, "x"), at2(&r, l, 3, b, 1), RAT_ONE);
	return done(&r);
}

/* High bits of a drawn number, times a step, beside a limit that may be out of reach. */
eg_id drawn(struct dice *d)
{
	static const rat limit[] = { { 1, 1 }, { 0, 1 }, { 1, 2 }, { 3, 1 } };
	int n = some_size(d);
	struct draft s = draft(d, C_MAP, T_U32, "shift-right-logical"), f = draft(d, C_MAP, T_F32, "convert"),
		     m = draft(d, C_SUM, T_F32, NULL),
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

/* sum_{s, t} (2 a[s, t] + b[s]) c[t] */
eg_id summed_alone(struct dice *d)
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

/* -min x, of integers, too. */
eg_id negated_least(struct dice *d)
{
	int n = 2 + below(d, 3), f = 1 + below(d, 3), type = below(d, 4) ? T_F32 : T_S32;
	struct draft m = draft(d, C_RED, type, below(d, 4) ? "minimum" : "maximum"), s = draft(d, C_SUM, type, NULL);
	label *i = over(&m, f, false), *j = over(&m, n, true), *k = over(&s, f, false);

	reads(&m, plain(d, type, f * n, "x"), at2(&m, i, n, j, 1), RAT_ONE);
	reads(&s, done(&m), at(&s, k, 1), (rat){ -1, 1 });
	return done(&s);
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
eg_id weighted_twice(struct dice *d)
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
eg_id almost_equal(struct dice *d)
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
eg_id read_symmetric(struct dice *d)
{
	int n = 2 + below(d, 2);
	struct draft g = draft(d, C_SUM, T_F32, NULL), r = draft(d, d->kind, T_F32, d->kind == C_LAT || d->kind == C_RED ? "maximum"
										      : d->kind == C_MAP ? "power" : NULL);
	label *i = over(&g, n, false), *j = over(&g, n, false);
	label *k = over(&r, n, false), *l = over(&r, n, d->kind == C_EIN || d->kind == C_RED);
	eg_id x = plain(d, T_F32, n * n, "x"), y = plain(d, T_F32, n * n, "u"), sym;

	reads(&g, x, at2(&g, i, n, j, 1), RAT_ONE);
	reads(&g, x, at2(&g, j, n, i, 1), RAT_ONE);
	sym = whole_map(d, "tanh", done(&g));
	if (d->kind == C_AT)	/* G[k + c, k] */
		reads(&r, sym, ix_add(&d->a->s, index_table(&r, k, n - 1), at(&r, k, n)), RAT_ONE);
	else
		reads(&r, sym, below(d, 2) ? at2(&r, k, n, l, 1) : at2(&r, l, n, k, 1), RAT_ONE);
	if (d->kind != C_AT && d->kind != C_RED)
		reads(&r, y, at2(&r, k, n, l, 1), d->kind == C_SUM ? (rat){ 2, 1 } : RAT_ONE);
	return done(&r);
}

/* exp and log of a choice of constants. */
eg_id of_choice(struct dice *d)
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
eg_id quotient(struct dice *d)
{
	int n = 2 + below(d, 3);
	struct draft r = draft(d, d->kind, T_F32, NULL);
	label *l = over(&r, n, false), *b = d->kind == C_EIN ? over(&r, 3, true) : NULL;
	eg_id x = positive(d, n);

	reads(&r, x, at(&r, l, 1), (rat){ 1 + below(d, 2), 1 });
	reads(&r, x, at(&r, l, 1), (rat){ -1 - below(d, 2), 1 });
	reads(&r, plain(d, T_F32, 3 * n, "y"), b ? at2(&r, l, 3, b, 1) : at(&r, l, 2), RAT_ONE);
	return done(&r);
}

/* h^-a (u + h^b y), h positive or not, the inner one read at the same places or turned round */
eg_id cancels_within(struct dice *d)
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
eg_id divided_out(struct dice *d)
{
	eg_id x = plain(d, T_S32, 2 + below(d, 3), "x");
	eg_id low = of_whole(d, C_MAP, T_PRED, "compare:LT", x, RAT_ONE, !below(d, 5)), of, b;
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
eg_id halved(struct dice *d)
{
	int type = below(d, 2) ? T_U32 : T_S32;

	return of_whole(d, C_MAP, type, below(d, 2) ? "divide" : "remainder", plain(d, type, 2 + below(d, 3), "x"), RAT_ONE,
			(1 << below(d, 4)) + !below(d, 5));
}

/* .. compared with a number, on either side. */
eg_id counted_compared(struct dice *d)
{
	static const char *const direction[] = { "compare:EQ", "compare:NE", "compare:LT", "compare:LE" };

	return of_whole(d, C_MAP, T_PRED, direction[below(d, 4)], counted(d), RAT_ONE, below(d, 4));
}

/* A fraction of whole constants, and a number more, made whole. */
eg_id made_whole(struct dice *d)
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
eg_id choice_of_products(struct dice *d)
{
	int n = 2 + below(d, 3);
	eg_id p = plain(d, T_PRED, n, "p"), x = plain(d, T_F32, n, "x"), y = plain(d, T_F32, n, "y");

	if (!below(d, 3))
		p = whole_map(d, "not", p);
	return chosen_of(d, p, power_and_other(d, x, y), power_and_other(d, below(d, 5) ? x : y, y));
}
