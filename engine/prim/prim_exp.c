/* prim_exp.c - exponentials and logarithms (search phase): S1, S3, S4, S10, S12, S13, S15.
 *
 * What needs a condition asks the facts of facts.h: an exponential is only
 * cancelled, or taken for a positive number, when its argument is finite for
 * certain.  exp(-inf - -inf) is NaN, and stays that.
 */
#include "prim/prim.h"

#include <math.h>
#include <stdlib.h>
#include "core/zip.h"
#include "prim/counting.h"

enum { PIECES_MAX = 6, TERMS_MAX = 128, POWER_MAX = 4 };

/* The node's function is fn, on floating point; o is what its operand may be opened as. */
static bool function(algebra *a, eg_id n, const char *fn, eg_id *o)
{
	if (!is_map(a, n, fn) || !type_is_float(core_type(a, n)) || pairing_read(a, n).nslot != 1)
		return false;
	*o = peek(a, eg_args(a->g, n)[0]);
	return true;
}

static bool may_open(algebra *a, eg_id o, eg_id n, enum core_kind k)
{
	return core_kind(a, o) == k && normal_opens(a, o, n);
}

/* ---- slots */

static slot number_slot(algebra *a, number v)
{
	return slot_read(core_num(a, TYPE_REAL, v), ix_const(&a->s, 0), RAT_ONE);
}

static slot one_slot(algebra *a)
{
	return slot_read(core_rat(a, TYPE_REAL, RAT_ONE), ix_const(&a->s, 0), RAT_ONE);
}

static slot made(algebra *a, const work *w, enum core_kind k, int type, const char *fn, int n, const slot *t, rat c)
{
	work *r = work_like(a, w, k, n, t);

	r->type = type;
	r->nbound = 0;
	if (fn)
		r->fn = val_name(a, fn);
	return slot_of_work(a, r, c);
}

static slot map_of(algebra *a, const work *w, const char *fn, slot t)
{
	t.c = RAT_ONE;
	return made(a, w, C_MAP, w->type, fn, 1, &t, RAT_ONE);
}

/* c * t, an infinite number too. */
static slot scaled(algebra *a, const work *w, slot t, rat c)
{
	number v;

	if (rat_is_int(c, 1)) {
		t.c = RAT_ONE;
		return t;
	}
	if (slot_number(a, &t, &v) && !number_is_rat(v) && isinf(v.f) && c.num) {
		if (c.num < 0)
			v.f = -v.f;
		return number_slot(a, v);
	}
	t.c = c;
	return made(a, w, C_SUM, w->type, NULL, 1, &t, RAT_ONE);
}

static eg_id choice(algebra *a, const work *w, slot p, slot x, slot y)
{
	slot t[3] = { p, x, y };
	work *r = work_like(a, w, C_MAP, 3, t);
	int k;

	for (k = 0; k < 3; k++)
		r->slot[k].c = RAT_ONE;
	r->fn = val_name(a, "select");
	return work_result(a, r);
}

/* ---- S12: choices and constants */

static bool all_powers_finite(algebra *a, int n, const slot *t)
{
	int k;

	for (k = 0; k < n; k++)
		if (!slot_finite_power(a, &t[k]))
			return false;
	return true;
}

/* exp(c [p] x) = select(p, exp(c x), 1), p data, everything finite. */
static eg_id exp_of_truth(algebra *a, work *w, eg_id n, const slot *t, rat c)
{
	eg_id o = peek(a, t->x), q;
	slot *in, *p, *rest;
	int m, k, j, r = 0, np;

	if (!may_open(a, o, n, C_MUL) || core_type(a, o) != w->type)
		return NIL;
	for (j = 0; j < pairing_read(a, o).nslot && !is_map(a, peek(a, eg_args(a->g, o)[j]), "num"); j++)
		;
	if (j == pairing_read(a, o).nslot)
		return NIL;
	in = work_inline(a, o, t->e, w, &m);
	if (!all_powers_finite(a, m, in))
		return refuse(a, "a factor may be infinite");
	q = peek(a, in[j].x);
	if (!normal_opens(a, q, n) || in[j].c.num < 1)
		return NIL;
	opened(a, t->x, o);
	opened(a, in[j].x, q);
	p = work_inline(a, q, in[j].e, w, &np);
	rest = ARENA_ARRAY(&a->s.a, slot, m);
	for (k = 0; k < m; k++)
		if (k != j)
			rest[r++] = in[k];
	return choice(a, w, p[0], map_of(a, w, "exponential",
		scaled(a, w, r ? made(a, w, C_MUL, w->type, NULL, r, rest, RAT_ONE) : one_slot(a), c)), one_slot(a));
}

static eg_id of_choice(algebra *a, work *w, eg_id n, const char *fn, const slot *t, rat c)
{
	eg_id o = peek(a, t->x);
	slot *in;
	int m;

	if (!is_map(a, o, "select") || pairing_read(a, o).nslot != 3 || !normal_opens(a, o, n))
		return NIL;
	in = work_inline(a, o, t->e, w, &m);
	opened(a, t->x, o);
	return choice(a, w, in[0], map_of(a, w, fn, scaled(a, w, in[1], c)), map_of(a, w, fn, scaled(a, w, in[2], c)));
}

/* exp and log of a choice: the choice of the values. */
eg_id prim_exp_choice(algebra *a, eg_id n)
{
	eg_id o, r;
	bool log = function(a, n, "log", &o);
	work *w;
	slot t, *in;
	rat c = RAT_ONE;
	int m;

	if (!log && !function(a, n, "exponential", &o))
		return NIL;
	w = work_open(a, n);
	t = w->slot[0];
	if (!log && may_open(a, o, n, C_SUM) && pairing_read(a, o).nslot == 1) {
		in = work_inline(a, o, t.e, w, &m);
		opened(a, t.x, o);
		t = in[0];
		c = t.c;
	}
	r = of_choice(a, w, n, log ? "log" : "exponential", &t, c);
	return r != NIL || log ? r : exp_of_truth(a, w, n, &t, c);
}

/* exp(-inf) = 0, exp 0 = 1, log 1 = 0. */
eg_id prim_exp_constant(algebra *a, eg_id n)
{
	eg_id o;
	bool log = function(a, n, "log", &o);
	work *w;
	number v;

	if ((!log && !function(a, n, "exponential", &o)) || core_kind(a, o) != C_NUMBER)
		return NIL;
	w = work_open(a, n);
	if (!slot_number(a, &w->slot[0], &v))
		return NIL;
	if (log)
		return number_is_rat(v) && rat_is_int(v.r, 1) ? result_number(a, w, RAT_ZERO) : NIL;
	if (number_is_rat(v))
		return v.r.num == 0 ? result_number(a, w, RAT_ONE) : NIL;
	return isinf(v.f) && v.f < 0 ? result_number(a, w, RAT_ZERO) : NIL;
}

/* ---- S13: pieces */

struct masked_term {
	rat c;
	bool scales;		/* [p] x: x is `of`; else the table itself is the term */
	slot of, table;
};

/* A constant table that depends on a label; numbers are none. */
static bool proper_table(algebra *a, const slot *t, slot *out)
{
	eg_id o = peek(a, t->x);

	if (core_kind(a, o) != C_TABLE && !(core_kind(a, o) == C_AT && core_kind(a, peek(a, eg_args(a->g, o)[0])) == C_TABLE))
		return false;
	return slot_table_values(a, t, out);
}

/* Is this term of a sum a table, or a product of one table of 0 and 1 with something finite? */
static bool take_masked(algebra *a, work *w, eg_id n, const slot *t, struct masked_term *m)
{
	eg_id o = peek(a, t->x);
	slot *in, *rest, tab;
	int k, i, j = -1, r = 0;

	m->c = t->c;
	m->scales = false;
	if (proper_table(a, t, &m->table))
		return true;
	if (!may_open(a, o, n, C_MUL) || core_type(a, o) != w->type)
		return false;
	in = work_inline(a, o, t->e, w, &k);
	rest = ARENA_ARRAY(&a->s.a, slot, k);
	for (i = 0; i < k; i++) {
		if (!proper_table(a, &in[i], &tab)) {
			rest[r++] = in[i];
			continue;
		}
		if (j >= 0)
			return false;
		j = i;
		m->table = tab;
	}
	if (j < 0 || !r || in[j].c.num < 1 || !truth_table(&m->table) || !all_powers_finite(a, r, rest))
		return false;
	opened(a, t->x, o);
	m->scales = true;
	m->of = made(a, w, C_MUL, w->type, NULL, r, rest, RAT_ONE);
	return true;
}

/* What the masked terms add up to on a piece; 1 there, 0 not a piece of its own (exp(-inf) = 0), -1 refused. */
static int exp_on(algebra *a, work *w, int n, const struct masked_term *m, const double *v, slot *out)
{
	slot *t = ARENA_ARRAY(&a->s.a, slot, n);
	bool gone = false;
	rat c;
	int k, r = 0;

	for (k = 0; k < n; k++) {
		if (v[k] == -INFINITY && m[k].c.num > 0) {
			gone = true;
			continue;
		}
		if (!isfinite(v[k]) || !rat_from_double(&c, v[k]) || !rat_mul(&c, m[k].c, c))
			return -1;
		if (c.num == 0)
			continue;
		t[r] = m[k].scales ? m[k].of : one_slot(a);
		t[r++].c = c;
	}
	if (gone)
		return 0;
	if (!r) {
		*out = one_slot(a);
		return 1;
	}
	*out = map_of(a, w, "exponential", r == 1 ? scaled(a, w, t[0], t[0].c) : made(a, w, C_SUM, w->type, NULL, r, t, RAT_ONE));
	return fact_finite(a, out->x) ? 1 : -1;
}

/* The values of all tables over the union of their labels, side by side: v[cell * n + k]. */
static double *side_by_side(algebra *a, int n, const struct masked_term *m, slot *grid)
{
	double *v;
	int64_t i, cnt;
	int k;

	*grid = m[0].table;
	for (k = 1; k < n; k++)
		*grid = tables_zip(a, grid, &m[k].table, zip_second, TYPE_REAL);
	*grid = tables_zip(a, grid, grid, zip_second, TYPE_REAL);	/* leaves */
	cnt = slot_cells(grid);
	v = ARENA_ARRAY(&a->s.a, double, cnt * n);
	for (k = 0; k < n; k++) {
		slot s = tables_zip(a, grid, &m[k].table, zip_second, TYPE_REAL);
		for (i = 0; i < cnt; i++)
			v[i * n + k] = s.v[i];
	}
	return v;
}

/* A row of values met before, by number; -1 when there are too many. NaN is like NaN. */
static int row_number(const double *v, int64_t *first, int *nrow, int n, int64_t at)
{
	int r;

	for (r = 0; r < *nrow; r++)
		if (!memcmp(v + first[r] * n, v + at * n, sizeof *v * (size_t)n))
			return r;
	if (*nrow == PIECES_MAX)
		return -1;
	first[*nrow] = at;
	return (*nrow)++;
}

static eg_id sum_of_pieces(algebra *a, work *w, int n, const struct masked_term *m, int nplain, const slot *plain)
{
	slot grid, piece[PIECES_MAX], two[2];
	double *v = side_by_side(a, n, m, &grid), *mask;
	int64_t cnt = slot_cells(&grid), i, first[PIECES_MAX];
	int *row = ARENA_ARRAY(&a->s.a, int, cnt), nrow = 0, r, k, np = 0;
	work *s;

	for (i = 0; i < cnt; i++)
		if ((row[i] = row_number(v, first, &nrow, n, i)) < 0)
			return refuse(a, "more than %d pieces", PIECES_MAX);
	for (r = 0; r < nrow; r++) {
		k = exp_on(a, w, n, m, v + first[r] * n, &two[1]);
		if (k < 0)
			return refuse(a, "an exponential may be infinite");
		if (k == 0)
			continue;
		mask = ARENA_ARRAY(&a->s.a, double, cnt);
		for (i = 0; i < cnt; i++)
			mask[i] = row[i] == r;
		two[0] = slot_table(TYPE_REAL, grid.nl, grid.l, mask, RAT_ONE);
		two[1].c = RAT_ONE;
		piece[np++] = made(a, w, C_MUL, w->type, NULL, 2, two, RAT_ONE);
	}
	if (!nplain)
		return np ? work_result(a, work_like(a, w, C_SUM, np, piece)) : result_number(a, w, RAT_ZERO);
	two[0] = np ? made(a, w, C_SUM, w->type, NULL, np, piece, RAT_ONE) : slot_read(core_rat(a, TYPE_REAL, RAT_ZERO), ix_const(&a->s, 0), RAT_ONE);
	two[1] = map_of(a, w, "exponential", made(a, w, C_SUM, w->type, NULL, nplain, plain, RAT_ONE));
	s = work_like(a, w, C_MUL, 2, two);
	return work_result(a, s);
}

/* exp(sum_k [p_k] x_k + tables + rest) = exp(rest) * sum over pieces P of [P] exp(what is left on P). */
eg_id prim_exp_pieces(algebra *a, eg_id n)
{
	struct masked_term *m = ARENA_ARRAY(&a->s.a, struct masked_term, TERMS_MAX);
	slot *plain = ARENA_ARRAY(&a->s.a, slot, TERMS_MAX), *in;
	int k, nin = 1, nm = 0, np = 0;
	eg_id o;
	work *w;

	if (!function(a, n, "exponential", &o))
		return NIL;
	w = work_open(a, n);
	in = w->slot;
	in[0].c = RAT_ONE;
	if (may_open(a, o, n, C_SUM) && core_type(a, o) == w->type) {
		in = work_inline(a, o, w->slot[0].e, w, &nin);
		opened(a, w->slot[0].x, o);
	}
	if (nin > TERMS_MAX)
		return NIL;
	for (k = 0; k < nin; k++)
		if (in[k].x != NIL && take_masked(a, w, n, &in[k], &m[nm]))
			nm++;
		else
			plain[np++] = in[k];
	return nm ? sum_of_pieces(a, w, nm, m, np, plain) : NIL;
}

/* ---- S1 */

/* Integer powers up to 4 come out; of other factors the sign does, so that exp(c t) and exp(-c t) are powers of one. */
static int64_t outer_power(rat c)
{
	if (c.den == 1 && c.num && llabs(c.num) <= POWER_MAX)
		return c.num;
	return c.num < 0 ? -1 : 1;
}

/* exp(sum c_k t_k) = prod exp(t_k)^c_k: with 0 * inf, inf - inf and 0/0 all NaN, also where terms are infinite. */
eg_id prim_exp_sum(algebra *a, eg_id n)
{
	eg_id o;
	slot *in, *t;
	work *w;
	int m, k;

	if (!function(a, n, "exponential", &o) || !may_open(a, o, n, C_SUM) || core_type(a, o) != core_type(a, n))
		return NIL;
	w = work_open(a, n);
	in = work_inline(a, o, w->slot[0].e, w, &m);
	if (m < 1 || (m == 1 && outer_power(in[0].c) == 1))
		return NIL;
	opened(a, w->slot[0].x, o);
	t = ARENA_ARRAY(&a->s.a, slot, m);
	for (k = 0; k < m; k++) {
		rat e = { outer_power(in[k].c), 1 }, c;
		if (!rat_div(&c, in[k].c, e))
			return refuse(a, "a constant of more than 64 bits");
		t[k] = map_of(a, w, "exponential", scaled(a, w, in[k], c));
		t[k].c = e;
	}
	return work_result(a, work_like(a, w, C_MUL, m, t));
}

/* ---- S3 */

enum { CHAIN_LOOK = 64 };

/* x as fn of something: its normal node, else what x was on the way there (a logarithm may have become a sum since, of terms
 * that are defined by it).  NIL: it never was. */
static eg_id once(const algebra *a, eg_id x, const char *fn)
{
	eg_id o = peek(a, x);
	int guard = 0;

	if (is_map(a, o, fn))
		return o;
	for (o = normal_head(a, x); o != NIL && guard < CHAIN_LOOK && !is_map(a, o, fn); guard++)
		o = normal_step(a, o)->to;
	return guard < CHAIN_LOOK ? o : NIL;
}

/* exp(log x) = x for a positive x; log(exp x) = x. */
eg_id prim_exp_log(algebra *a, eg_id n)
{
	eg_id o;
	bool log = function(a, n, "log", &o);
	work *w;
	slot *in;
	int m;

	if (!log && !function(a, n, "exponential", &o))
		return NIL;
	o = once(a, eg_args(a->g, n)[0], log ? "exponential" : "log");
	if (o == NIL || !normal_opens(a, o, n) || core_type(a, o) != core_type(a, n))
		return NIL;
	w = work_open(a, n);
	in = work_inline(a, o, w->slot[0].e, w, &m);
	if (!log && !fact_positive(a, in[0].x))
		return refuse(a, "an argument of a logarithm may not be positive");
	opened(a, w->slot[0].x, o);
	return result_slot(a, w, in[0]);
}

/* log(prod x_k^e_k) = sum e_k log x_k, all positive. */
eg_id prim_log_product(algebra *a, eg_id n)
{
	eg_id o;
	work *w;
	slot *in, *t;
	int m, k;

	if (!function(a, n, "log", &o) || !may_open(a, o, n, C_MUL) || core_type(a, o) != core_type(a, n))
		return NIL;
	w = work_open(a, n);
	in = work_inline(a, o, w->slot[0].e, w, &m);
	for (k = 0; k < m; k++)
		if (in[k].x == NIL || !fact_positive(a, in[k].x))
			return refuse(a, "a factor may not be positive");
	opened(a, w->slot[0].x, o);
	t = ARENA_ARRAY(&a->s.a, slot, m);
	for (k = 0; k < m; k++) {
		t[k] = map_of(a, w, "log", in[k]);
		t[k].c = in[k].c;
	}
	return work_result(a, work_like(a, w, C_SUM, m, t));
}

/* ---- S4 */

/* q = z/d, d at most 8, |q| at most 16, such that c is the rounded value of q log2(e) in this type: beyond that other
 * constants are hit by accident. */
static bool log2e_multiple(rat c, int type, rat *q)
{
	double x = rat_double(c), z;
	int64_t d;

	for (d = 1; d <= 8; d++) {
		z = rint(x * M_LN2 * (double)d);
		if (z == 0 || fabs(z) > 16 * (double)d || !rat_make(q, (__int128)z, d))
			continue;
		z = rat_double(*q) * M_LOG2E;
		if (type == T_F64 ? z == x : (float)z == (float)x)
			return true;
	}
	return false;
}

/* 2^(sum c_k t_k) = exp(sum q_k t_k); the constants read are listed (reading.h). */
eg_id prim_base_two(algebra *a, eg_id n)
{
	int type = core_type(a, n), m, k;
	slot *in, t;
	eg_id o;
	work *w;
	number v;

	if (!is_map(a, n, "power") || (type != T_F32 && type != T_F64) || pairing_read(a, n).nslot != 2)
		return NIL;
	o = peek(a, eg_args(a->g, n)[1]);
	if (!may_open(a, o, n, C_SUM))
		return NIL;
	w = work_open(a, n);
	if (!slot_number(a, &w->slot[0], &v) || !number_is_rat(v) || !rat_is_int(v.r, 2))
		return NIL;
	in = work_inline(a, o, w->slot[1].e, w, &m);
	for (k = 0; k < m; k++)
		if (!log2e_multiple(in[k].c, type, &in[k].c))
			return refuse(a, "a coefficient is no multiple of log2(e)");
	opened(a, w->slot[1].x, o);
	t = map_of(a, w, "exponential", made(a, w, C_SUM, w->type, NULL, m, in, RAT_ONE));
	return result_slot(a, w, t);
}

/* b^(-y) = 1 / b^y, b a positive number; at infinite y, too. */
eg_id prim_power_sign(algebra *a, eg_id n)
{
	slot *in, t[2], s;
	number v;
	work *w;
	eg_id o;
	int m, k;

	if (!is_map(a, n, "power") || !type_is_float(core_type(a, n)) || pairing_read(a, n).nslot != 2)
		return NIL;
	o = peek(a, eg_args(a->g, n)[1]);
	if (!may_open(a, o, n, C_SUM))
		return NIL;
	for (k = 0; k < pairing_read(a, o).nslot; k++)
		if (core_coef(a, o, k).num >= 0)
			return NIL;
	w = work_open(a, n);
	if (!slot_number(a, &w->slot[0], &v) || !number_is_rat(v) || v.r.num <= 0)
		return refuse(a, "the base is no positive number");
	in = work_inline(a, o, w->slot[1].e, w, &m);
	opened(a, w->slot[1].x, o);
	for (k = 0; k < m; k++)
		in[k].c.num = -in[k].c.num;
	t[0] = w->slot[0];
	t[1] = made(a, w, C_SUM, w->type, NULL, m, in, RAT_ONE);
	s = made(a, w, C_MAP, w->type, "power", 2, t, (rat){ -1, 1 });
	return work_result(a, work_like(a, w, C_MUL, 1, &s));
}

/* ---- S10 */

/* logistic(x) = 1 / (1 + exp(-x)), whatever x: of inf 1, of -inf 0, on both sides. */
eg_id prim_logistic_quotient(algebra *a, eg_id n)
{
	eg_id o;
	work *w;
	slot t[2], s;

	if (!function(a, n, "logistic", &o))
		return NIL;
	w = work_open(a, n);
	t[0] = one_slot(a);
	t[1] = map_of(a, w, "exponential", scaled(a, w, w->slot[0], (rat){ -1, 1 }));
	s = made(a, w, C_SUM, w->type, NULL, 2, t, (rat){ -1, 1 });
	return work_result(a, work_like(a, w, C_MUL, 1, &s));
}

/* ---- S15 */

/* Where select(K, x, -inf), x finite, is -inf (eq), or is not. */
static eg_id where_chosen(algebra *a, eg_id n, work *w, const slot *t, bool eq)
{
	counting c;

	if (!counting_open(a, n, "maximum", core_type(a, t->x), t, &c) || !slot_finite(a, &c.value))
		return refuse(a, "it may be -inf");
	c.mask = tables_zip(a, &c.mask, &c.mask, eq ? zip_not : zip_holds, T_PRED);
	return result_slot(a, w, c.mask);
}

/* x = -inf is false, x != -inf true, for a finite x; for a choice by a constant mask between such and -inf it is the mask that
 * says so.  Not of +inf: an overflow is what such a test is for (X57). */
eg_id prim_not_minus_infinity(algebra *a, eg_id n)
{
	work *w;
	number v;
	int k;
	bool eq = is_map(a, n, "compare:EQ");

	if ((!eq && !is_map(a, n, "compare:NE")) || pairing_read(a, n).nslot != 2 || !type_is_float(core_type(a, eg_args(a->g, n)[0])))
		return NIL;
	w = work_open(a, n);
	for (k = 0; k < 2; k++) {
		if (!slot_number(a, &w->slot[k], &v) || number_is_rat(v) || !isinf(v.f) || v.f > 0)
			continue;
		if (!fact_finite(a, w->slot[1 - k].x))
			return where_chosen(a, n, w, &w->slot[1 - k], eq);
		return result_number(a, w, eq ? RAT_ZERO : RAT_ONE);
	}
	return NIL;
}
