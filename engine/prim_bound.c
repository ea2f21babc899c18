/* prim_bound.c - comparisons that are decided by what a value can be at all: what is drawn as bits >> 9, times 2^-23,
 * is less than 1. */
#include "prim.h"

#include <math.h>
#include <string.h>
#include "facts.h"

#define DEEPEST 8

struct bounds {
	rat lo, hi;
};

static bool bounds_of(algebra *a, eg_id x, int depth, struct bounds *b);

static bool scaled(struct bounds *b, rat c)
{
	rat t;

	if (!rat_mul(&b->lo, b->lo, c) || !rat_mul(&b->hi, b->hi, c))
		return false;
	if (c.num < 0) {
		t = b->lo;
		b->lo = b->hi;
		b->hi = t;
	}
	return true;
}

static bool sum_bounds(algebra *a, eg_id o, int depth, struct bounds *b)
{
	int n = pairing_read(a, o).nslot, k;
	struct bounds t;

	*b = (struct bounds){ RAT_ZERO, RAT_ZERO };
	for (k = 0; k < n; k++)
		if (!bounds_of(a, eg_args(a->g, o)[k], depth + 1, &t) || !scaled(&t, core_coef(a, o, k)) || !rat_add(&b->lo, b->lo, t.lo) ||
		    !rat_add(&b->hi, b->hi, t.hi))
			return false;
	return true;
}

/* The high bits that a shift by a constant leaves. */
static bool shift_bounds(algebra *a, eg_id o, struct bounds *b)
{
	work *w = work_open(a, o);
	int bits = type_is_int(w->type) ? etype_bits((enum etype)w->type) : 0;
	int64_t by;
	ix *e;

	if (!slot_index(a, &w->slot[1], &e) || !ix_is_const(&a->s, e, &by) || by < 1 || by >= bits || bits - by > 62)
		return false;
	*b = (struct bounds){ RAT_ZERO, { ((int64_t)1 << (bits - by)) - 1, 1 } };
	return true;
}

/* An integer that the wider type holds exactly. */
static bool convert_bounds(algebra *a, eg_id o, int depth, struct bounds *b)
{
	eg_id x = eg_args(a->g, o)[0];
	int to = core_type(a, o);
	int64_t most = to == T_F64 ? (int64_t)1 << 53 : (int64_t)1 << 24;

	return (to == T_F32 || to == T_F64) && type_is_int(core_type(a, x)) && bounds_of(a, x, depth + 1, b) && b->lo.num >= -most && b->hi.num <= most;
}

/* Whole numbers and exact multiples of them only: nothing that rounds, wraps or may be no number. */
static bool bounds_of(algebra *a, eg_id x, int depth, struct bounds *b)
{
	eg_id o = peek(a, x);
	const char *f;

	if (depth > DEEPEST)
		return false;
	opened(a, x, o);
	switch (core_kind(a, o)) {
	case C_NUMBER:
		b->lo = b->hi = core_number(a, o).r;
		return number_is_rat(core_number(a, o));
	case C_SUM:
		return type_is_float(core_type(a, o)) && sum_bounds(a, o, depth, b);
	case C_MAP:
		f = core_fn(a, o);
		if (!strcmp(f, "shift-right-logical"))
			return shift_bounds(a, o, b);
		return !strncmp(f, "convert", 7) && convert_bounds(a, o, depth, b);
	default:
		return false;
	}
}

static bool below(rat x, rat y, bool or_equal)
{
	int c = rat_cmp(x, y);

	return c < 0 || (or_equal && c == 0);
}

/* x < y where the largest x is less than the least y; likewise the reverse, and <=. */
eg_id prim_compare_bounds(algebra *a, eg_id n)
{
	const char *f = core_fn(a, n);
	bool or_equal = !strcmp(f, "compare:LE");
	const eg_id *arg = eg_args(a->g, n);
	struct bounds x, y;

	if ((!or_equal && strcmp(f, "compare:LT")) || pairing_read(a, n).nslot != 2 || !type_is_float(core_type(a, arg[0])))
		return NIL;
	if (!bounds_of(a, arg[0], 0, &x) || !bounds_of(a, arg[1], 0, &y))
		return NIL;
	if (below(x.hi, y.lo, or_equal))
		return result_number(a, work_open(a, n), RAT_ONE);
	if (below(y.hi, x.lo, !or_equal))
		return result_number(a, work_open(a, n), RAT_ZERO);
	return refuse(a, "what is compared overlaps");
}

/* ---- S15 */

/* Is x greater than the number c, or at least as great, for certain? */
static bool exceeds(const algebra *a, eg_id x, number c, bool or_equal)
{
	double v = number_double(c);

	if (v > 0 || isnan(v) || !fact_finite(a, x))
		return false;
	return fact_positive(a, x) || (facts_of(a, x) & FACT_NONNEG && (v < 0 || or_equal));
}

/* A comparison of x with the number c <= 0 as operand `at` that the sign of x decides. */
static bool by_sign(const algebra *a, const char *f, int at, eg_id x, number c, bool *truth)
{
	bool eq = !strcmp(f, "compare:EQ"), ne = !strcmp(f, "compare:NE"), lt = !strcmp(f, "compare:LT"), le = !strcmp(f, "compare:LE");

	*truth = ne || ((lt || le) && at == 0);
	return (eq || ne || lt || le) && exceeds(a, x, c, at == 0 ? le : lt);
}

/* c < x, and its like, decided by the sign of x: over the reals, an exponential that underflows is positive. */
eg_id prim_compare_sign(algebra *a, eg_id n)
{
	const char *f = core_fn(a, n);
	bool truth, found = false;
	number c;
	work *w;
	int k;

	if (strncmp(f, "compare:", 8) || pairing_read(a, n).nslot != 2 || !type_is_float(core_type(a, eg_args(a->g, n)[0])))
		return NIL;
	w = work_open(a, n);
	for (k = 0; k < 2; k++) {
		if (!slot_number(a, &w->slot[k], &c) || w->slot[1 - k].x == NIL)
			continue;
		if (by_sign(a, f, k, w->slot[1 - k].x, c, &truth))
			return result_number(a, w, truth ? RAT_ONE : RAT_ZERO);
		found = true;
	}
	return found ? refuse(a, "the sign is not certain") : NIL;
}
