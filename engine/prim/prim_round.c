/* prim_round.c - whole numbers made of a fraction of constants, as division of ranks is written in floats: rank // 2. */
#include "prim/prim.h"

#include <math.h>
#include <string.h>
#include "core/zip.h"

/* Whole numbers of so many bits have no other beside them in the type: 259 is 260 in bf16, half of it on the other side of 130. */
static int whole_bits(int type)
{
	enum { ANY = 40 };
	int bits = type_mantissa(type);

	return type == TYPE_REAL || bits > ANY ? ANY : bits;
}

/* t times the whole number c, as a table; all of it whole, of so many bits. */
static bool whole_times(algebra *a, const slot *t, int64_t c, int bits, slot *out)
{
	int64_t i, n;
	double *v;

	if (!slot_table_values(a, t, out))
		return false;
	n = slot_cells(out);
	out->c = RAT_ONE;
	v = ARENA_ARRAY(&a->s.a, double, n);
	for (i = 0; i < n; i++) {
		v[i] = out->v[i] * (double)c;
		if (v[i] != floor(v[i]) || !(fabs(v[i]) < ldexp(1, bits)))
			return false;
	}
	out->v = v;
	return true;
}

/* A power of two: what a literal stands for beside may be another number, on the other side of a whole one. */
static bool common_denominator(int n, const slot *t, int bits, int64_t *den)
{
	int k;

	*den = 1;
	for (k = 0; k < n; k++)
		if (__builtin_mul_overflow(*den / gcd64(*den, t[k].c.den), t[k].c.den, den))
			return false;
	return *den < (int64_t)1 << bits && !(*den & (*den - 1));
}

static bool all_below(const slot *t, double most)
{
	int64_t i, n = slot_cells(t);

	for (i = 0; i < n; i++)
		if (!(fabs(t->v[i]) < most))
			return false;
	return true;
}

/* den times the sum, whole everywhere, on the way, too. */
static bool whole_sum(algebra *a, int n, const slot *t, int64_t den, int bits, slot *out)
{
	slot one;
	int64_t c;
	int k;

	for (k = 0; k < n; k++) {
		if (__builtin_mul_overflow(t[k].c.num, den / t[k].c.den, &c) || !whole_times(a, &t[k], c, bits, &one))
			return false;
		*out = k ? tables_zip(a, out, &one, zip_add, TYPE_REAL) : one;
		if (!all_below(out, ldexp(1, bits)))
			return false;
	}
	return n > 0;
}

enum rounding { DOWN, UP, TO_ZERO };

static int64_t divided(int64_t x, int64_t by, enum rounding how)
{
	int64_t q = x / by, r = x % by;

	return q + (how == UP && r > 0) - (how == DOWN && r < 0);
}

/* How n rounds to a whole number; false: it does not. */
static bool rounding_of(const algebra *a, eg_id n, enum rounding *how)
{
	const char *f = core_fn(a, n);
	bool whole = type_is_int(core_type(a, n));

	*how = !strcmp(f, "ceil") ? UP : !strcmp(f, "floor") ? DOWN : TO_ZERO;
	return (*how != TO_ZERO && !whole) || (whole && !strcmp(f, "convert") && type_is_float(core_type(a, eg_args(a->g, n)[0])));
}

/* The terms of a sum, or the operand itself. */
static slot *terms_of(algebra *a, eg_id n, work *w, int *m)
{
	eg_id x = eg_args(a->g, n)[0], o = peek(a, x);

	*m = 1;
	if (core_kind(a, o) != C_SUM)
		return w->slot;
	if (core_type(a, o) != core_type(a, x) || !normal_opens(a, o, n))
		return NULL;
	opened(a, x, o);
	return work_inline(a, o, w->slot[0].e, w, m);
}

/* The table as integers of w's type; NIL where one does not hold them. */
static eg_id whole_result(algebra *a, work *w, const slot *t)
{
	int64_t lo, hi, i, n = slot_cells(t), *v = ARENA_ARRAY(&a->s.a, int64_t, n);

	int_range(w->type, &lo, &hi);
	for (i = 0; i < n; i++) {
		v[i] = (int64_t)t->v[i];
		if (v[i] < lo || (w->type != T_U64 && v[i] > hi))
			return NIL;
	}
	return result_slot(a, w, slot_read(core_line(a, w->type), ix_table(&a->s, t->nl, t->l, v), RAT_ONE));
}

/* D3 of floor, ceil and the conversion to integers: of sum c t, t whole constants. */
eg_id prim_round_constant(algebra *a, eg_id n)
{
	enum rounding how;
	int64_t den, i, cells;
	slot *in, sum;
	work *w;
	int m, bits = whole_bits(core_type(a, eg_args(a->g, n)[0]));

	if (!rounding_of(a, n, &how))
		return NIL;
	w = work_open(a, n);
	in = terms_of(a, n, w, &m);
	if (!in || !common_denominator(m, in, bits, &den) || !whole_sum(a, m, in, den, bits, &sum))
		return NIL;
	cells = slot_cells(&sum);
	for (i = 0; i < cells; i++)
		sum.v[i] = (double)divided((int64_t)sum.v[i], den, how);
	sum.vtype = TYPE_REAL;
	return type_is_int(w->type) ? whole_result(a, w, &sum) : result_slot(a, w, sum);
}
