/* What rules about masks are about: choices by tables, pieces of one core, extremes of what masks leave. */
#include "certify/idiom.h"

#include <float.h>

/* select(mask, f[i], f[i + n]): f = log x, the second branch as it is or 0 where another mask is, or f = tanh x, times one. */
eg_id chosen_instances(struct dice *d)
{
	int n = 2 + below(d, 3), how = below(d, 3);
	struct draft r = draft(d, C_MAP, T_F32, "select");
	struct draft p = how == 1 ? draft(d, C_MUL, T_F32, NULL) : draft(d, C_MAP, T_F32, "select");
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
eg_id pieces_of_one(struct dice *d)
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

/* select(mask, u, select(mask, v, -inf)), or the other way round: u, v are log x at two places, or x where another
 * mask holds. */
eg_id choice_of_choices(struct dice *d)
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
			reads(&c, least(d, true), ix_const(&d->a->s, 0), RAT_ONE);
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
eg_id window_choice(struct dice *d)
{
	bool max = below(d, 2);
	struct draft c = draft(d, C_MAP, T_F32, "select"), r = draft(d, C_RED, T_F32, max ? "maximum" : "minimum");
	int n = 2 + below(d, 2), m = 2 + below(d, 3);
	label *both[2] = { over(&c, n, false), over(&c, m, false) }, *i = over(&r, n, false);

	c.w->slot[c.w->nslot++] = table_slot(&c, T_PRED, 2, both, zero_or_one);
	reads(&c, whole_map(d, "log", plain(d, T_F32, 2 * n + m, "x")), at2(&c, both[0], 2, both[1], 1), RAT_ONE);
	reads(&c, least(d, max), ix_const(&d->a->s, 0), RAT_ONE);
	reads(&r, done(&c), at2(&r, i, m, over(&r, m, true), 1), RAT_ONE);
	return done(&r);
}

/* sum_s select(mask(s), log x[s], 0 or log y[s]) z[i]: a summed choice of what may be infinite. */
eg_id summed_choice(struct dice *d)
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

static double mostly_two(struct dice *d, int64_t i)
{
	(void)d;
	(void)i;
	return 2;
}

/* sum_s K(a, s) x[s], K one number but for a place of each row */
eg_id smoothed(struct dice *d)
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
eg_id mask_of_masked(struct dice *d)
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
eg_id covered(struct dice *d)
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
eg_id joined_windows(struct dice *d)
{
	bool max = below(d, 2), twice = !below(d, 3);
	struct draft r = draft(d, C_LAT, T_F32, max ? "maximum" : "minimum");
	int n = 2 + below(d, 3), k;
	label *l = over(&r, n, false);

	for (k = 0; k < 2; k++) {
		struct draft c = draft(d, C_MAP, T_F32, "select");
		label *m = over(&c, n, false);
		eg_id x = whole_map(d, "log", plain(d, T_F32, n, k ? "x" : "y")), none = least(d, max);
		c.w->slot[c.w->nslot++] = table_slot(&c, T_PRED, 1, &m, twice ? zero_or_one : first_alone);
		reads(&c, k ? x : none, k ? at(&c, m, 1) : ix_const(&d->a->s, 0), RAT_ONE);
		reads(&c, k ? none : x, k ? ix_const(&d->a->s, 0) : at(&c, m, 1), RAT_ONE);
		reads(&r, done(&c), at(&r, l, 1), RAT_ONE);
	}
	return done(&r);
}

/* max(-FLT_MAX, max_j tanh x[i, j]), or the least of such and the largest number. */
eg_id begun_at_bound(struct dice *d)
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

/* The largest of a row, or its place, under a mask that leaves the last places out in both rows, and in one of them more. */
eg_id masked_row(struct dice *d)
{
	int ni = 3 + below(d, 3), most = 2 + below(d, ni - 2), i;
	double *v = ARENA_ARRAY(&d->a->s.a, double, 2 * ni);
	const char *fn = d->kind == C_PICK ? picking(d) : "maximum";
	struct draft c = draft(d, C_MAP, T_F32, "select"), r = draft(d, d->kind, d->kind == C_PICK ? T_S32 : T_F32, fn);
	label *f = over(&c, 2, false), *l = over(&c, ni, false), *g = over(&r, 2, false), *m = over(&r, ni, true);

	for (i = 0; i < 2 * ni; i++)
		v[i] = i % ni < (i < ni ? 1 + below(d, most) : most);
	reads(&c, core_values(d->a, T_PRED, 2 * ni, v), at2(&c, f, ni, l, 1), RAT_ONE);
	reads(&c, plain(d, T_F32, 2 * ni, "x"), at2(&c, f, ni, l, 1), RAT_ONE);
	reads(&c, least(d, true), ix_const(&d->a->s, 0), RAT_ONE);
	reads(&r, done(&c), at2(&r, g, ni, m, 1), RAT_ONE);
	if (d->kind == C_PICK)
		reads(&r, core_line(d->a, T_S32), at(&r, m, 1), RAT_ONE);
	return done(&r);
}

/* select(K(i), x, -inf) for a core x of n rows, K over each row's places or over rows alone. */
static eg_id masked_core(struct dice *d, eg_id x, int n, bool rows, bool max)
{
	struct draft c = draft(d, C_MAP, T_F32, "select");
	int m = (int)core_len(d->a, x) / n;
	label *i = over(&c, n, false), *l = over(&c, m, false), *both[2] = { i, l };

	c.w->slot[c.w->nslot++] = table_slot(&c, T_PRED, rows ? 1 : 2, both, zero_or_one);
	reads(&c, x, at2(&c, i, m, l, 1), RAT_ONE);
	reads(&c, least(d, max), ix_const(&d->a->s, 0), RAT_ONE);
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
eg_id maximum_within(struct dice *d)
{
	int n = 2 + below(d, 2), k = 2 + below(d, 2), m = 2 + below(d, 2);
	bool max = below(d, 2);
	eg_id x = row_maximum(d, whole_map(d, "log", plain(d, T_F32, n * k * m, "x")), n * k, max);

	return row_maximum(d, masked_core(d, x, n, false, max), n, max);
}

/* max_l log x[T(i, l)]. */
eg_id maximum_of_places(struct dice *d)
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
eg_id masked_maxima(struct dice *d)
{
	bool max = below(d, 2);
	struct draft r = draft(d, d->kind, T_F32, d->kind == C_MAP ? "select" : max ? "maximum" : "minimum");
	int n = 2 + below(d, 2), k;
	label *i = over(&r, n, false);
	eg_id x = whole_map(d, "log", plain(d, T_F32, n * (2 + below(d, 2)), "x"));

	if (d->kind == C_MAP)
		r.w->slot[r.w->nslot++] = table_slot(&r, T_PRED, 1, &i, zero_or_one);
	for (k = 0; k < 2; k++)
		reads(&r, row_maximum(d, k && below(d, 2) ? x : masked_core(d, x, n, false, max), n, max), at(&r, i, 1), RAT_ONE);
	return done(&r);
}

/* select(p, max(x, y), max(x, z)), or one of them x alone. */
eg_id choice_of_maxima(struct dice *d)
{
	static const struct { int type; const char *op; } of[] = {
		{ T_F32, "maximum" }, { T_F32, "minimum" }, { T_S32, "and" }, { T_S32, "or" }, { T_S32, "maximum" },
		{ T_PRED, "and" }, { T_PRED, "or" }
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
