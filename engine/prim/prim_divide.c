/* prim_divide.c - division by a power of two, as compilers write it out, and by bits. */
#include "prim/prim.h"

/* The terms of a sum, or the slot alone. */
static slot *terms_of(algebra *a, eg_id n, work *w, slot *t, int *m)
{
	eg_id o = peek(a, t->x);

	*m = 1;
	if (core_kind(a, o) != C_SUM || !normal_opens(a, o, n))
		return t;
	opened(a, t->x, o);
	return work_inline(a, o, t->e, w, m);
}

static bool same_slot(algebra *a, const slot *x, const slot *y)
{
	if (!slot_same(a, x, y))
		return false;
	if (x->x != y->x)
		history_premise(a, x->x, y->x);
	return true;
}

/* Is x = -y, term by term? */
static bool negated(algebra *a, eg_id n, work *w, slot x, slot y)
{
	int type = core_type(a, n), nx, ny, i, j;
	slot *p = terms_of(a, n, w, &x, &nx), *q = terms_of(a, n, w, &y, &ny);

	if (nx != ny)
		return false;
	for (i = 0; i < nx; i++) {
		for (j = 0; j < ny; j++)
			if (q[j].c.num != INT64_MIN && rat_eq(coef_in(type, (rat){ -q[j].c.num, 1 }), p[i].c) && same_slot(a, &p[i], &q[j]))
				break;
		if (j == ny)
			return false;
		q[j] = q[--ny];		/* each once */
	}
	return true;
}

/* Does the slot hold x < 0? */
static bool below_zero(algebra *a, eg_id n, work *w, const slot *t, slot *x)
{
	eg_id o = peek(a, t->x);
	slot *in;
	int m;
	ix *e;
	int64_t v;

	if (core_kind(a, o) != C_MAP || strcmp(core_fn(a, o), "compare:LT") || !normal_opens(a, o, n))
		return false;
	in = work_inline(a, o, t->e, w, &m);
	if (!slot_index(a, &in[1], &e) || !ix_is_const(&a->s, e, &v) || v)
		return false;
	opened(a, t->x, o);
	*x = in[0];
	return true;
}

/* Is it |x| as select(x < 0, -x, x)?  It is -2^(bits - 1) for the least number. */
static bool magnitude(algebra *a, eg_id n, work *w, const slot *t, const slot *x)
{
	eg_id o = peek(a, t->x);
	slot *in, of;
	int m;

	if (core_kind(a, o) != C_MAP || strcmp(core_fn(a, o), "select") || !normal_opens(a, o, n))
		return false;
	in = work_inline(a, o, t->e, w, &m);
	opened(a, t->x, o);
	return below_zero(a, n, w, &in[0], &of) && same_slot(a, &of, x) && same_slot(a, &in[2], x) && negated(a, n, w, in[1], in[2]);
}

/* Is it |x| shifted right by k bits, or its k low bits?  The name of what that is a part of, |x| and 2^k; NULL when it is neither. */
static const char *bits_of_magnitude(algebra *a, eg_id n, work *w, const slot *t, slot *of, int64_t *by)
{
	eg_id o = peek(a, t->x);
	bool map = core_kind(a, o) == C_MAP, shift = map && !strcmp(core_fn(a, o), "shift-right-logical");
	int m, bits = type_bits(core_type(a, n)), k;
	slot *in;
	ix *e;
	int64_t v;

	if (!map || (!shift && strcmp(core_fn(a, o), "and")) || pairing_read(a, o).nslot != 2 || !normal_opens(a, o, n))
		return NULL;
	in = work_inline(a, o, t->e, w, &m);
	k = shift || (slot_index(a, &in[1], &e) && ix_is_const(&a->s, e, &v));
	if (!slot_index(a, &in[k], &e) || !ix_is_const(&a->s, e, &v))
		return NULL;
	if (v < 1 || (shift ? v > bits - 2 : v >= (int64_t)1 << (bits - 2) || (v & (v + 1))))
		return NULL;
	opened(a, t->x, o);
	*by = shift ? (int64_t)1 << v : v + 1;
	*of = in[1 - k];
	return shift ? "divide" : "remainder";
}

/* select(x < 0, -(|x| >> k), |x| >> k) = x / 2^k, and with the k low bits of |x| the remainder. */
eg_id prim_divide_written(algebra *a, eg_id n)
{
	int type = core_type(a, n);
	int64_t lo, hi, by;
	slot x, of, r[2];
	const char *f;
	work *w;

	if (strcmp(core_fn(a, n), "select") || !type_is_int(type))
		return NIL;
	int_range(type, &lo, &hi);
	if (lo >= 0)
		return NIL;
	w = work_open(a, n);
	f = bits_of_magnitude(a, n, w, &w->slot[2], &of, &by);
	if (!f || !below_zero(a, n, w, &w->slot[0], &x) || !magnitude(a, n, w, &of, &x) || !negated(a, n, w, w->slot[1], w->slot[2]))
		return NIL;
	r[0] = x;
	r[1] = slot_read(core_line(a, type), ix_const(&a->s, by), RAT_ONE);
	w = work_like(a, w, C_MAP, 2, r);
	w->fn = val_name(a, f);
	return work_result(a, w);
}

/* Is v = 2^k, k from 0? */
static bool power_of_two(int64_t v, int64_t *k)
{
	for (*k = 0; v > 1 && !(v & 1); v >>= 1)
		++*k;
	return v == 1;
}

/* x / 2^k = x >> k, and x rem 2^k = x & (2^k - 1), where x is nowhere negative. */
eg_id prim_divide_bits(algebra *a, eg_id n)
{
	bool divide = !strcmp(core_fn(a, n), "divide");
	int type = core_type(a, n);
	int64_t v, k, lo, hi;
	slot r[2];
	work *w;
	ix *e;

	if ((!divide && strcmp(core_fn(a, n), "remainder")) || !type_is_int(type))
		return NIL;
	int_range(type, &lo, &hi);
	if (lo < 0 && !sorted_places(a, eg_args(a->g, n)[0]))
		return NIL;
	w = work_open(a, n);
	if (!slot_index(a, &w->slot[1], &e) || !ix_is_const(&a->s, e, &v) || !power_of_two(v, &k))
		return NIL;
	r[0] = w->slot[0];
	r[1] = slot_read(core_line(a, type), ix_const(&a->s, divide ? k : v - 1), RAT_ONE);
	w = work_like(a, w, C_MAP, 2, r);
	w->fn = val_name(a, divide ? "shift-right-logical" : "and");
	return work_result(a, w);
}
