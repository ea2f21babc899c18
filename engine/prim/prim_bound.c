/* prim_bound.c - comparisons that are decided by what a value can be at all: what is drawn as bits >> 9, times 2^-23,
 * is less than 1. */
#include "core/bounds.h"

#include <math.h>
#include <string.h>
#include "core/facts.h"
#include "prim/prim.h"

static bool below(rat x, rat y, bool or_equal)
{
	int c = rat_cmp(x, y);

	return c < 0 || (or_equal && c == 0);
}

/* A number that the type does not have is the one next to it there. */
static bool rounded(struct bounds *b, int type)
{
	rat part, off;

	if (rat_in(b->lo, type) && rat_in(b->hi, type))
		return true;
	return type_mantissa(type) && rat_make(&part, b->lo.num < 0 ? -1 : 1, (int64_t)1 << (type_mantissa(type) - 1)) && rat_mul(&off, b->lo, part) &&
	       rat_add(&b->hi, b->hi, off) && rat_add(&b->lo, b->lo, (rat){ -off.num, off.den });
}

/* x < y where the largest x is less than the least y; likewise the reverse, and <=. */
eg_id prim_compare_bounds(algebra *a, eg_id n)
{
	const uint32_t kinds = 1u << C_NUMBER | 1u << C_SUM | 1u << C_MAP | 1u << C_LAT, whole = kinds | 1u << C_INDEX | 1u << C_AT | 1u << C_MUL;
	const char *f = core_fn(a, n);
	bool or_equal = !strcmp(f, "compare:LE");
	const eg_id *arg = eg_args(a->g, n);
	struct bounds x, y;
	int type;
	work *w;

	if ((!or_equal && strcmp(f, "compare:LT")) || pairing_read(a, n).nslot != 2)
		return NIL;
	type = core_type(a, arg[core_type(a, arg[0]) == TYPE_REAL]);
	if (operand_kinds(a, n) & ~(type_is_int(type) ? whole : kinds) || !(type_is_int(type) || type_is_float(type)))
		return NIL;
	w = work_open(a, n);
	if (!slot_bounds(a, &w->slot[0], &x) || !slot_bounds(a, &w->slot[1], &y) || (type_is_float(type) && (!rounded(&x, type) || !rounded(&y, type))))
		return NIL;
	if (below(x.hi, y.lo, or_equal))
		return result_number(a, w, RAT_ONE);
	if (below(y.hi, x.lo, !or_equal))
		return result_number(a, w, RAT_ZERO);
	return refuse(a, "what is compared overlaps");
}

/* max(x, c) and min(x, c) of integers, c an index, where the one is never beyond the other. */
eg_id prim_lattice_bounds(algebra *a, eg_id n)
{
	bool largest = !strcmp(core_fn(a, n), "maximum");
	struct bounds b[2];
	work *w;
	int k;

	if ((!largest && strcmp(core_fn(a, n), "minimum")) || !type_is_int(core_type(a, n)) || pairing_read(a, n).nslot != 2 ||
	    !(operand_kinds(a, n) & (1u << C_INDEX | 1u << C_NUMBER)))
		return NIL;
	w = work_open(a, n);
	if (!slot_bounds(a, &w->slot[0], &b[0]) || !slot_bounds(a, &w->slot[1], &b[1]))
		return NIL;
	for (k = 0; k < 2; k++)
		if (rat_cmp(b[k].lo, b[!k].hi) >= 0)
			return work_result(a, work_like(a, w, C_LAT, 1, &w->slot[largest ? k : !k]));
	return NIL;
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
