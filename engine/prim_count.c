/* prim_count.c - what is counted in integers and then converted: it is counted in floats, where both hold every whole
 * number that may come out. */
#include "prim.h"

#include <string.h>

#define DEEPEST 8

struct whole {
	int64_t lo, hi;
};

static bool whole_slot(algebra *a, const slot *t, int depth, struct whole *b);

static bool times(int64_t x, int64_t y, struct whole *b)
{
	int64_t v;

	if (__builtin_mul_overflow(x, y, &v))
		return false;
	b->lo = v < b->lo ? v : b->lo;
	b->hi = v > b->hi ? v : b->hi;
	return true;
}

static bool whole_product(struct whole *b, struct whole c)
{
	struct whole r = { INT64_MAX, INT64_MIN };
	bool good = times(b->lo, c.lo, &r) && times(b->lo, c.hi, &r) && times(b->hi, c.lo, &r) && times(b->hi, c.hi, &r);

	*b = r;
	return good;
}

static bool whole_added(struct whole *b, struct whole c)
{
	return !__builtin_add_overflow(b->lo, c.lo, &b->lo) && !__builtin_add_overflow(b->hi, c.hi, &b->hi);
}

static bool whole_sum(algebra *a, const work *w, int depth, struct whole *b)
{
	struct whole t;
	int k;

	*b = (struct whole){ 0, 0 };
	for (k = 0; k < w->nslot; k++)
		if (w->slot[k].c.den != 1 || !whole_slot(a, &w->slot[k], depth, &t) ||
		    !whole_product(&t, (struct whole){ w->slot[k].c.num, w->slot[k].c.num }) || !whole_added(b, t))
			return false;
	return true;
}

/* Of powers, summed over the bound labels. */
static bool whole_powers(algebra *a, const work *w, int depth, struct whole *b)
{
	struct whole t;
	int64_t e;
	int k;

	*b = (struct whole){ 1, 1 };
	for (k = 0; k < w->nslot; k++) {
		if (w->slot[k].c.den != 1 || w->slot[k].c.num < 1 || !whole_slot(a, &w->slot[k], depth, &t))
			return false;
		for (e = w->slot[k].c.num; e > 0; e--)
			if (!whole_product(b, t))
				return false;
	}
	for (k = 0; k < w->nbound; k++)
		if (!whole_product(b, (struct whole){ w->bound[k]->n, w->bound[k]->n }))
			return false;
	return true;
}

/* The least and the greatest of the terms. */
static bool whole_hull(algebra *a, const work *w, int depth, struct whole *b)
{
	struct whole t;
	int k;

	*b = (struct whole){ INT64_MAX, INT64_MIN };
	for (k = 0; k < w->nslot; k++) {
		if (!whole_slot(a, &w->slot[k], depth, &t))
			return false;
		b->lo = t.lo < b->lo ? t.lo : b->lo;
		b->hi = t.hi > b->hi ? t.hi : b->hi;
	}
	return w->nslot > 0;
}

static bool whole_map(algebra *a, const work *w, const char *fn, int depth, struct whole *b)
{
	if (!strcmp(fn, "num")) {
		*b = (struct whole){ 0, 1 };
		return true;
	}
	return !strcmp(fn, "convert") && type_is_int(core_type(a, w->slot[0].x)) && whole_slot(a, &w->slot[0], depth, b);
}

static bool whole_extreme(algebra *a, eg_id o, int depth, struct whole *b)
{
	const char *fn = core_fn(a, o);

	return (!strcmp(fn, "maximum") || !strcmp(fn, "minimum")) && whole_hull(a, work_open(a, o), depth, b);
}

/* As if nothing wrapped. */
static bool whole_node(algebra *a, eg_id o, int depth, struct whole *b)
{
	switch (core_kind(a, o)) {
	case C_SUM: return whole_sum(a, work_open(a, o), depth, b);
	case C_MUL:
	case C_EIN: return whole_powers(a, work_open(a, o), depth, b);
	case C_LAT:
	case C_RED: return whole_extreme(a, o, depth, b);
	case C_AT: return whole_hull(a, work_open(a, o), depth, b);
	case C_MAP: return whole_map(a, work_open(a, o), core_fn(a, o), depth, b);
	default: return false;
	}
}

static bool within(struct whole b, int64_t lo, int64_t hi)
{
	return b.lo >= lo && b.hi <= hi;
}

/* The bounds of what a slot reads; of a type that holds few numbers they are the type's. */
static bool whole_slot(algebra *a, const slot *t, int depth, struct whole *b)
{
	int type = t->x == NIL ? t->vtype : core_type(a, t->x);
	int64_t lo, hi;
	eg_id o;
	ix *e;

	if (t->x == NIL || !type_is_int(type) || depth > DEEPEST)
		return false;
	if (slot_index(a, t, &e)) {
		ix_range(&a->s, e, &b->lo, &b->hi);
		return type != T_U64 || b->lo >= 0;
	}
	int_range(type, &lo, &hi);
	o = peek(a, t->x);
	if (core_type(a, o) == type && whole_node(a, o, depth + 1, b) && within(*b, lo, hi)) {
		opened(a, t->x, o);
		return true;
	}
	*b = (struct whole){ lo, hi };
	return type_bits(type) <= 32;
}

/* The greatest whole number up to which the float holds all. */
static int64_t counts_to(int type)
{
	switch (type) {
	case T_F64: return (int64_t)1 << 53;
	case T_F32: return (int64_t)1 << 24;
	case T_F16: return (int64_t)1 << 11;
	case T_BF16: return (int64_t)1 << 8;
	default: return 0;
	}
}

/* Are the result, and all that it is made of, whole numbers that nothing wraps and the float holds? */
static bool counted_exactly(algebra *a, eg_id o, int to)
{
	work *w = work_open(a, o);
	int64_t most = counts_to(to), lo, hi;
	struct whole b;
	int k;

	int_range(core_type(a, o), &lo, &hi);
	if (!whole_node(a, o, 0, &b) || !within(b, lo, hi) || !within(b, -most, most))
		return false;
	for (k = 0; k < w->nslot; k++)
		if (!whole_slot(a, &w->slot[k], 0, &b) || !within(b, -most, most))
			return false;
	return true;
}

/* convert(sum c x) = sum c convert(x), of products and their sums, too. */
eg_id prim_convert_count(algebra *a, eg_id n)
{
	int to = core_type(a, n), m, k;
	enum core_kind kind;
	slot *in;
	work *w;
	eg_id x, o;

	if (strcmp(core_fn(a, n), "convert") || !counts_to(to))
		return NIL;
	x = eg_args(a->g, n)[0];
	o = peek(a, x);
	kind = core_kind(a, o);
	if (!type_is_int(core_type(a, x)) || core_type(a, o) != core_type(a, x) || (kind != C_SUM && kind != C_MUL && kind != C_EIN) ||
	    !normal_opens(a, o, n))
		return NIL;
	if (!counted_exactly(a, o, to))
		return refuse(a, "what is counted may be beyond the whole numbers that %s holds", etype_name((enum etype)to));
	opened(a, x, o);
	w = work_open(a, n);
	in = work_inline(a, o, w->slot[0].e, w, &m);
	w = work_like(a, w, kind, m, in);
	work_settle(a, w);
	for (k = 0; k < m; k++)
		w->slot[k] = slot_mapped(a, "convert", to, &w->slot[k], w->slot[k].c);
	return work_result(a, w);
}
