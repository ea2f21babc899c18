#include "prover/reading.h"

#include <math.h>
#include <stdlib.h>

enum { SMALL = 256, LITERALS = 256 };	/* with more literals nothing is read as another */

/* Fractions of small numbers are too far apart to be taken for each other. */
static bool simple(rat v)
{
	return v.num == 0 || (llabs(v.num) <= SMALL && v.den <= SMALL);
}

static double ratio(rat x, rat y)
{
	rat q;

	return rat_div(&q, x, y) ? rat_double(q) : rat_double(x) / rat_double(y);
}

/* Four half units in the last place of the type. */
static double slack(int type)
{
	return ldexp(1, type == T_F64 ? -51 : -22);
}

static bool close_to(rat x, rat y, int type)
{
	return fabs(ratio(x, y) - 1) < slack(type);
}

static bool typed(int type)
{
	return type == T_F32 || type == T_F64;
}

/* ---- constants met */

static void meet(algebra *a, rat v, int type)
{
	met_constant *m;
	uint32_t i;

	if (simple(v) && v.den == 1)	/* what is nearly a small whole number is another one */
		return;
	for (i = 0; i < a->met.n; i++) {
		m = &VEC_AT(met_constant, &a->met, i);
		if (m->type == type && rat_eq(m->v, v))
			return;
	}
	m = trail_push(a->tr, &a->met);
	*m = (met_constant){ v, type };
}

static void look_through(algebra *a)
{
	uint32_t all, i;
	const eg_id *sum = eg_family_nodes(a->g, a->fam[C_SUM], &all);
	int k, m;

	for (i = all; i > 0 && sum[i - 1] >= a->met_upto; i--)
		;
	for (; i < all; i++) {
		if (!typed(core_type(a, sum[i])))
			continue;
		m = pairing_read(a, sum[i]).nslot;
		for (k = 0; k < m; k++)
			meet(a, core_coef(a, sum[i], k), core_type(a, sum[i]));
	}
	trail_set32(a->tr, &a->met_upto, eg_nnode(a->g));
}

/* ---- literals */

/* Is q the quotient of two different literals, either way, that are close enough to be mistaken? */
static bool parts_literals(algebra *a, rat q, int type)
{
	rat v[LITERALS], r;
	int n = 0, i, j;
	uint32_t all, k;
	const eg_id *node = eg_family_nodes(a->g, a->fam[C_NUMBER], &all);

	for (k = 0; k < all && n < LITERALS; k++) {
		number c;
		if (!VEC_AT(standing, &a->normal->standing, node[k]).origin)
			continue;
		c = core_number(a, node[k]);
		if (!number_is_rat(c) || (simple(c.r) && c.r.den == 1))
			continue;
		c.r.num = llabs(c.r.num);
		for (i = 0; i < n && !rat_eq(v[i], c.r); i++)
			;
		if (i == n)
			v[n++] = c.r;
	}
	if (n == LITERALS)
		return true;
	for (i = 0; i < n; i++)
		for (j = 0; j < n; j++)
			if (i != j && close_to(v[i], v[j], type) && (!rat_div(&r, v[i], v[j]) || rat_eq(r, q)))
				return true;
	return false;
}

/* Nearly equal, by more than `least` of their size: what is left of one less the other is made of what readings take for nothing. */
static bool nearly(double x, double y, double least)
{
	double d = fabs(x / y - 1);

	return d > least && d < 0x1p-12;
}

static bool same_size(rat x, rat y)
{
	return rat_eq((rat){ llabs(x.num), x.den }, (rat){ llabs(y.num), y.den });
}

/* May coefficients that were met, or a small whole number, cancel one of them but for a small rest?  v and w, which are to be
 * one, are nearly nothing else. */
static bool may_cancel(const algebra *a, rat v, rat w, int type)
{
	double x = fabs(rat_double(v)), few = 8 * slack(type);
	uint32_t i, j;

	for (i = 0; i < a->met.n; i++) {
		rat r = VEC_AT(met_constant, &a->met, i).v;
		double y = fabs(rat_double(r)), whole = nearbyint(y);
		if (!same_size(r, v) && !same_size(r, w) && nearly(x, y, 0))
			return true;
		if (whole >= 1 && whole <= SMALL && nearly(y, whole, few))
			return true;
		for (j = 0; j < i; j++)
			if (nearly(y, fabs(rat_double(VEC_AT(met_constant, &a->met, j).v)), few))
				return true;
	}
	return nearbyint(x) >= 1 && nearbyint(x) <= SMALL && nearly(x, nearbyint(x), 0);
}

static bool readable(algebra *a, rat v, rat w, int type)
{
	rat q;

	if (rat_eq(v, w) || (v.den == 1 && w.den == 1) || !close_to(v, w, type))
		return false;
	return rat_div(&q, v, w) && !parts_literals(a, q, type) && !may_cancel(a, v, w, type);
}

/* The first constant met that v is a reading of. */
static bool first_met(algebra *a, rat v, int type, rat *w)
{
	uint32_t i;

	if (simple(v))
		return false;
	for (i = 0; i < a->met.n; i++) {
		const met_constant *m = &VEC_AT(met_constant, &a->met, i);
		if (m->type != type)
			continue;
		if (rat_eq(m->v, v))
			return false;
		if (readable(a, v, m->v, type)) {
			*w = m->v;
			return true;
		}
	}
	return false;
}

/* Is slot k of a sum a coefficient?  What is added may cancel, and leave of a large constant what was small beside it. */
static bool multiplies(algebra *a, eg_id n, int k)
{
	return core_kind(a, peek(a, eg_args(a->g, n)[k])) != C_NUMBER;
}

eg_id prim_constant_reading(algebra *a, eg_id n)
{
	int m = pairing_read(a, n).nslot, k, type = core_type(a, n);
	bool hit = false;
	work *w;
	rat v;

	if (!typed(type))
		return NIL;
	if (m == 1 && core_kind(a, peek(a, eg_args(a->g, n)[0])) == C_NUMBER)
		return NIL;	/* a number is what it is */
	for (k = 0; k < m && simple(core_coef(a, n, k)); k++)
		;
	if (k == m)
		return NIL;
	look_through(a);
	for (k = 0; k < m && !hit; k++)
		hit = multiplies(a, n, k) && first_met(a, core_coef(a, n, k), type, &v);
	if (!hit)
		return NIL;
	w = work_open(a, n);
	for (k = 0; k < m; k++)
		if (multiplies(a, n, k) && first_met(a, w->slot[k].c, type, &v))
			w->slot[k].c = v;
	return work_result(a, w);
}

/* ---- sentences */

static bool power_of_two(int64_t v)
{
	v = llabs(v);
	return (v & (v - 1)) == 0;
}

static char *decimal(arena *out, const char *before, double v, int type)
{
	return type == T_F64 ? arena_printf(out, "%s%.17g", before, v) : arena_printf(out, "%s%.9g", before, (double)(float)v);
}

/* As a literal of the type would be written. */
static char *constant_text(arena *out, rat v, int type)
{
	char b[64];

	if (v.den <= SMALL && llabs(v.num) < 1000000000) {
		rat_text(b, sizeof b, v);
		return arena_strdup(out, b);
	}
	if (v.den > 4096 && !power_of_two(v.den) && (power_of_two(v.num) || llabs(v.num) <= 4096))	/* a reciprocal */
		return decimal(out, v.num < 0 ? "-1/" : "1/", fabs((double)v.den / (double)v.num), type);
	return decimal(out, "", rat_double(v), type);
}

static bool has_coef(const algebra *a, eg_id n, rat c)
{
	int m = pairing_read(a, n).nslot, k;

	for (k = 0; k < m; k++)
		if (rat_eq(core_coef(a, n, k), c))
			return true;
	return false;
}

/* What stands in one of the sums and not in the other. */
static bool changed(const algebra *a, eg_id x, eg_id y, rat *c)
{
	int m = pairing_read(a, x).nslot, k;

	for (k = 0; k < m; k++)
		if (!has_coef(a, y, core_coef(a, x, k))) {
			*c = core_coef(a, x, k);
			return true;
		}
	return false;
}

static eg_id built_sum(const algebra *a, const hist_entry *h)
{
	const made_node *m = history_made(a, h);
	uint32_t k;

	for (k = 0; k < h->nmade; k++)
		if (core_kind(a, m[k].node) == C_SUM)
			return m[k].node;
	return core_kind(a, h->result) == C_SUM ? h->result : NIL;
}

static const char *bound_text(const algebra *a, eg_id n, arena *out)
{
	bool max = !strcmp(core_fn(a, n), "maximum");

	return arena_printf(out, "the %s finite %s is read as %sinf in a %s", max ? "least" : "largest", etype_name((enum etype)core_type(a, n)),
			    max ? "-" : "", core_fn(a, n));
}

const char *reading_of(const prover *p, uint32_t firing, arena *out)
{
	const algebra *a = &p->a;
	const hist_entry *h = history_at(a, firing);
	prim_fn *f = prover_prim(p, h->rule);
	const premise *q = history_premises(a, h);
	eg_id sum;
	rat x, y;
	uint32_t k;

	if (f == prim_token_product)
		return "a token times what may be infinite is read as 0";
	if (f == prim_bound_reading)
		return bound_text(a, h->node, out);
	if (f == prim_base_two) {
		for (k = 0; k < h->nprem; k++)
			if (core_kind(a, q[k].y) == C_SUM)
				return arena_printf(out, "the constant %s is read as a multiple of log2(e)", constant_text(out, core_coef(a, q[k].y, 0), core_type(a, h->node)));
		return "a constant is read as log2(e)";
	}
	if (f != prim_constant_reading || (sum = built_sum(a, h)) == NIL || !changed(a, h->node, sum, &x) || !changed(a, sum, h->node, &y))
		return NULL;
	return arena_printf(out, "%s is read as %s", constant_text(out, x, core_type(a, sum)), constant_text(out, y, core_type(a, sum)));
}
