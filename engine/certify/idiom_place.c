/* What rules about places are about: readings shifted, rotated, turned round, and at places that data choose. */
#include "certify/idiom.h"

/* sum_s K(u, s) x[s + T(u)]: the offset beside the label, or in one table with it and no further than x. */
eg_id shifted(struct dice *d)
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
eg_id rotated(struct dice *d)
{
	scratch *s = &d->a->s;
	struct draft r = draft(d, d->kind, T_F32, d->kind == C_RED ? "maximum" : NULL);
	int n = 2 + below(d, 3), m = 2 + below(d, 2), g = 1 + below(d, 2), twice = 1 + below(d, 2);
	label *f = over(&r, m, false), *q = over(&r, n * twice, true), *both[2] = { f, q };
	int64_t *v = ARENA_ARRAY(&s->a, int64_t, m * n * twice), i;

	for (i = 0; i < m * n * twice; i++)
		v[i] = (i / (n * twice) + i % (n * twice)) % n * g;
	reads(&r, plain(d, T_F32, n * g * m, "x"), ix_add(s, ix_table(s, 2, both, v), at(&r, f, n * g)), RAT_ONE);
	return done(&r);
}

/* Reduced over s: exp(x[i, n-1-s]), beside y[n-1-s] or y[s]. */
eg_id backwards(struct dice *d)
{
	scratch *s = &d->a->s;
	int m = 2 + below(d, 2), n = 2 + below(d, 3), how = below(d, 3);
	const char *fn = d->kind != C_RED ? NULL : below(d, 2) ? "maximum" : "multiply";
	struct draft e = draft(d, C_MAP, T_F32, "exponential"), r = draft(d, d->kind, T_F32, fn);
	label *i = over(&e, m, false), *j = over(&e, n, false), *f = over(&r, m, false), *b = over(&r, n, true);

	reads(&e, plain(d, T_F32, m * n, "x"), ix_plus(s, at2(&e, i, n, j, -1), n - 1), RAT_ONE);
	reads(&r, done(&e), at2(&r, f, n, b, 1), RAT_ONE);
	if (d->kind == C_EIN && how)
		reads(&r, plain(d, T_F32, n, "y"), how == 1 ? ix_plus(s, at(&r, b, -1), n - 1) : at(&r, b, 1), RAT_ONE);
	return done(&r);
}

/* A draft of the kind asked for, with a function where it has one. */
static struct draft any_kind(struct dice *d)
{
	enum core_kind k = d->kind;
	const char *fn = k == C_MAP ? "tanh" : k == C_PICK ? picking(d) : k == C_LAT || k == C_RED ? "maximum"
			 : k == C_OPAQUE ? "check unknown" : NULL;

	return draft(d, k, k == C_PICK ? T_S32 : T_F32, fn);
}

static bool binds(enum core_kind k)
{
	return k == C_EIN || k == C_RED || k == C_PICK;
}

static bool takes_two(enum core_kind k)
{
	return k == C_SUM || k == C_MUL || k == C_EIN || k == C_LAT;
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
eg_id two_data(struct dice *d)
{
	scratch *s = &d->a->s;
	struct draft r = any_kind(d);
	int n = 2 + below(d, 2);
	label *i = over(&r, n, d->kind == C_PICK), *x, *y;
	eg_id once = spelled(d, T_S32, n, false), late = below(d, 2) ? once : plain(d, T_S32, n, "late");

	x = label_data(s, late, at(&r, i, 1), 2);
	y = label_data(s, spelled(d, T_S32, n, true), at(&r, i, 1), 2);
	reads(&r, plain(d, T_F32, 4, "x"), at2(&r, x, 1, y, 1), RAT_ONE);
	if (d->kind == C_PICK)
		reads(&r, core_line(d->a, T_S32), at(&r, i, 1), RAT_ONE);
	return done(&r);
}

/* Read at an integer that is an index expression, or a selection of a parameter. */
eg_id known_data(struct dice *d)
{
	struct draft e = draft(d, C_AT, T_S32, NULL), r = any_kind(d);
	int n = 2 + below(d, 2), by = 1 + below(d, 2);
	label *i = over(&e, n, false), *k = over(&r, n, binds(d->kind)), *data;

	reads(&e, below(d, 2) ? core_line(d->a, T_S32) : plain(d, T_S32, 6, "ids"), ix_plus(&d->a->s, at(&e, i, by), below(d, 2)), RAT_ONE);
	data = label_data(&d->a->s, done(&e), at(&r, k, 1), 6);
	reads(&r, plain(d, T_F32, 6, "x"), at(&r, data, 1), d->kind == C_SUM ? (rat){ 2, 1 } : RAT_ONE);
	if (d->kind == C_PICK)
		reads(&r, core_line(d->a, T_S32), at(&r, k, 1), RAT_ONE);
	if (takes_two(d->kind))
		reads(&r, plain(d, T_F32, n, "y"), at(&r, k, 1), RAT_ONE);
	return done(&r);
}

/* Read at an integer and a multiple of n, clipped to 0..n-1. */
eg_id clipped_place(struct dice *d)
{
	scratch *s = &d->a->s;
	struct draft low = draft(d, C_LAT, T_S32, "maximum"), high = draft(d, C_LAT, T_S32, "minimum");
	struct draft r = draft(d, C_AT, T_F32, NULL);
	int m = 1 + below(d, 3), n = 2 + below(d, 3), parts = 2 + below(d, 2);
	label *i = over(&low, m, false), *k = over(&low, parts, false);
	label *j = over(&high, m * parts, false), *q = over(&r, m * parts, false);
	label *id = label_data(s, plain(d, T_S32, m, "ids"), at(&low, i, 1), n * parts);

	reads(&low, core_line(d->a, T_S32), ix_plus(s, at2(&low, id, 1, k, -n), n * below(d, 2)), RAT_ONE);
	reads(&low, core_line(d->a, T_S32), ix_const(s, 0), RAT_ONE);
	reads(&high, done(&low), at(&high, j, 1), RAT_ONE);
	reads(&high, core_line(d->a, T_S32), ix_const(s, n - 1), RAT_ONE);
	reads(&r, plain(d, T_F32, n, "x"), ix_of(s, label_data(s, done(&high), at(&r, q, 1), n), 1), RAT_ONE);
	return done(&r);
}

/* An integer where a digit of it is the shard k, less what is before the shard, else 0; for C_AT what is read there. */
eg_id chosen_place(struct dice *d)
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
	reads(&v, core_line(d->a, T_S32), d->kind == C_AT ? ix_of(s, id->lo, 1) : at2(&v, id, 1, k, -n), RAT_ONE);
	if (d->kind == C_MUL)
		return done(&v);
	reads(&r, plain(d, T_F32, n, "x"), ix_of(s, label_data(s, done(&v), at(&r, q, 1), n), 1), RAT_ONE);
	return done(&r);
}

/* sum_k [k = <ids[i]>] x[k], beside y[i] at times, where the table of the places that are equal would be too large. */
eg_id chosen_by_equality(struct dice *d)
{
	enum { LONG = 1024 };
	scratch *s = &d->a->s;
	struct draft e = draft(d, C_MAP, T_PRED, "compare:EQ"), c = draft(d, C_MAP, T_F32, "num"), r = draft(d, C_EIN, T_F32, NULL);
	int n = 1 + below(d, 2);
	label *i = over(&e, n, false), *k = over(&e, LONG, false), *j = over(&c, n * LONG, false);
	label *q = over(&r, n, false), *l = over(&r, LONG, true), *data;
	bool shifted = below(d, 3) == 0;	/* at times beyond the places of k */

	data = label_data(s, plain(d, T_S32, n, "ids"), at(&e, i, 1), LONG);
	reads(&e, core_line(d->a, T_S32), ix_plus(s, at(&e, data, 1), shifted), RAT_ONE);
	reads(&e, core_line(d->a, T_S32), at(&e, k, 1), RAT_ONE);
	reads(&c, done(&e), at(&c, j, 1), RAT_ONE);
	reads(&r, done(&c), at2(&r, q, LONG, l, 1), RAT_ONE);
	reads(&r, plain(d, T_F32, LONG, "x"), at(&r, l, 1), RAT_ONE);
	if (below(d, 2))
		reads(&r, plain(d, T_F32, n, "y"), at(&r, q, 1), RAT_ONE);
	return done(&r);
}

/* A table of one number and 0 read where data say, beside a parameter. */
eg_id spaced_data(struct dice *d)
{
	algebra *a = d->a;
	struct draft r = draft(d, d->kind, T_F32, NULL);
	int n = 2 + below(d, 2), m = 2 + below(d, 2), q;
	label *k = over(&r, n, d->kind == C_EIN), *data = label_data(&a->s, plain(d, T_S32, n, "ids"), at(&r, k, 1), m);
	double v[9], c = below(d, 2) ? -0.25 : 3;

	for (q = 0; q < n * m; q++)
		v[q] = c * (q && (q == 1 || below(d, 2)));
	reads(&r, core_values(a, TYPE_REAL, n * m, v), at2(&r, k, m, data, 1), d->kind == C_AT ? RAT_ONE : (rat){ 1 + below(d, 2), 1 });
	if (d->kind != C_AT)
		reads(&r, plain(d, T_F32, n, "y"), at(&r, k, 1), RAT_ONE);
	return done(&r);
}

/* sum_k K(i, k, <ids[k]>) x[k], where K is 0 but for one k of each i; or where the data says which. */
eg_id picked_data(struct dice *d)
{
	scratch *s = &d->a->s;
	struct draft r = draft(d, C_EIN, T_F32, NULL);
	int n = 2 + below(d, 2), m = 2 + below(d, 2), q;
	label *i = over(&r, n, false), *k = over(&r, n, true);
	label *data = label_data(s, plain(d, T_S32, n, "ids"), at(&r, k, 1), m), *l[3] = { i, k, data };
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
eg_id stacked(struct dice *d)
{
	struct draft r = draft(d, d->kind, T_F32, NULL);
	int n = 2 + below(d, 2), m = 2 + below(d, 2), b = 2 + below(d, 3), c = below(d, b), i;
	label *j = over(&r, m * b, false), *k = over(&r, n, false);
	label *data = label_data(&d->a->s, plain(d, T_S32, n, "ids"), at(&r, k, 1), m);
	label *both[2] = { j, data };

	r.w->slot[r.w->nslot] = table_slot(&r, TYPE_REAL, 2, both, nought);
	for (i = 0; i < m; i++)
		r.w->slot[r.w->nslot].v[(b * i + c) * m + i] = 1;
	r.w->nslot++;
	if (d->kind == C_EIN)
		reads(&r, plain(d, T_F32, 2 * n, "x"), at2(&r, k, 2, over(&r, 2, true), 1), (rat){ 2, 1 });
	else
		reads(&r, plain(d, T_F32, 2 * n, "x"), at(&r, k, 1), RAT_ONE);
	return done(&r);
}

/* x[(b i + j) / a], beside y[k], for labels i, j, k of a, b, 2 places: i and j are one number that is cut at a. */
eg_id cut_elsewhere(struct dice *d)
{
	static const struct { int a, b; } sizes[] = { { 2, 3 }, { 3, 2 }, { 4, 3 }, { 3, 4 }, { 3, 5 } };
	struct draft r = any_kind(d);
	int k = below(d, 5), a = sizes[k].a, b = sizes[k].b, i;
	bool bound = d->kind == C_EIN || d->kind == C_RED;
	label *both[2] = { over(&r, a, bound), over(&r, b, bound) };
	int64_t v[15];

	for (i = 0; i < a * b; i++)
		v[i] = i / a;
	reads(&r, plain(d, T_F32, b, "x"), ix_table(&d->a->s, 2, both, v), RAT_ONE);
	if (takes_two(d->kind))
		reads(&r, plain(d, T_F32, 2, "y"), at(&r, over(&r, 2, bound), 1), RAT_ONE);
	if (d->kind == C_PICK)
		reads(&r, core_line(d->a, T_S32), at(&r, over(&r, 2, true), 1), RAT_ONE);
	return done(&r);
}
