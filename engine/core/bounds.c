#include "core/bounds.h"

#include <string.h>
#include "core/operand.h"

enum { DEEPEST = 8, POWER_MOST = 64 };

static bool bounds_at(algebra *a, const slot *t, int depth, struct bounds *b);

static void take(struct bounds *b, rat v)
{
	if (rat_cmp(v, b->lo) < 0)
		b->lo = v;
	if (rat_cmp(v, b->hi) > 0)
		b->hi = v;
}

static bool times(struct bounds *b, struct bounds c)
{
	rat v[4];
	int k;

	if (!rat_mul(&v[0], b->lo, c.lo) || !rat_mul(&v[1], b->lo, c.hi) || !rat_mul(&v[2], b->hi, c.lo) || !rat_mul(&v[3], b->hi, c.hi))
		return false;
	*b = (struct bounds){ v[0], v[0] };
	for (k = 1; k < 4; k++)
		take(b, v[k]);
	return true;
}

/* Are these numbers of the type, so that rounding leaves what is between them between them? */
static bool held(struct bounds b, int type)
{
	return rat_in(b.lo, type) && rat_in(b.hi, type);
}

static bool sum_bounds(algebra *a, const work *w, int depth, struct bounds *b)
{
	bool rounds = type_is_float(w->type);
	struct bounds t;
	int k;

	*b = (struct bounds){ RAT_ZERO, RAT_ZERO };
	for (k = 0; k < w->nslot; k++)
		if (!bounds_at(a, &w->slot[k], depth, &t) || !times(&t, (struct bounds){ w->slot[k].c, w->slot[k].c }) || (rounds && !held(t, w->type)) ||
		    !rat_add(&b->lo, b->lo, t.lo) || !rat_add(&b->hi, b->hi, t.hi))
			return false;
	return !rounds || w->nslot <= 2;
}

/* Of powers of integers, summed over the bound labels. */
static bool power_bounds(algebra *a, const work *w, int depth, struct bounds *b)
{
	struct bounds t;
	int64_t e;
	rat n;
	int k;

	*b = (struct bounds){ RAT_ONE, RAT_ONE };
	for (k = 0; k < w->nslot; k++) {
		e = w->slot[k].c.num;
		if (!type_is_int(w->type) || e < 1 || e > POWER_MOST || !bounds_at(a, &w->slot[k], depth, &t))
			return false;
		while (e-- > 0)
			if (!times(b, t))
				return false;
	}
	for (k = 0; k < w->nbound; k++) {
		n = (rat){ w->bound[k]->n, 1 };
		if (!times(b, (struct bounds){ n, n }))
			return false;
	}
	return true;
}

/* The least and the greatest of the operands. */
static bool hull_bounds(algebra *a, const work *w, int depth, struct bounds *b)
{
	struct bounds t;
	int k;

	for (k = 0; k < w->nslot; k++) {
		if (!bounds_at(a, &w->slot[k], depth, &t))
			return false;
		b->lo = !k || rat_cmp(t.lo, b->lo) < 0 ? t.lo : b->lo;
		b->hi = !k || rat_cmp(t.hi, b->hi) > 0 ? t.hi : b->hi;
	}
	return w->nslot > 0;
}

/* The high bits that a shift by a constant leaves. */
static bool shift_bounds(algebra *a, const work *w, struct bounds *b)
{
	int bits = type_is_int(w->type) ? type_bits(w->type) : 0;
	int64_t by;
	ix *e;

	if (!slot_index(a, &w->slot[1], &e) || !ix_is_const(&a->s, e, &by) || by < 1 || by >= bits || bits - by > 62)
		return false;
	*b = (struct bounds){ RAT_ZERO, { ((int64_t)1 << (bits - by)) - 1, 1 } };
	return true;
}

int64_t float_counts_to(int type)
{
	switch (type) {
	case T_F64: return (int64_t)1 << 53;
	case T_F32: return (int64_t)1 << 24;
	case T_F16: return (int64_t)1 << 11;
	case T_BF16: return (int64_t)1 << 8;
	default: return 0;
	}
}

static bool map_bounds(algebra *a, const work *w, const char *fn, int depth, struct bounds *b)
{
	int64_t most = float_counts_to(w->type);

	if (!strcmp(fn, "num")) {
		*b = (struct bounds){ RAT_ZERO, RAT_ONE };
		return true;
	}
	if (!strcmp(fn, "shift-right-logical"))
		return shift_bounds(a, w, b);
	return !strcmp(fn, "convert") && w->slot[0].x != NIL && type_is_int(core_type(a, w->slot[0].x)) && bounds_at(a, &w->slot[0], depth, b) &&
	       (!type_is_float(w->type) || bounds_within(*b, -most, most));
}

static bool node_at(algebra *a, eg_id o, int depth, struct bounds *b)
{
	const char *fn;

	switch (core_kind(a, o)) {
	case C_SUM: return sum_bounds(a, work_open(a, o), depth, b);
	case C_MUL:
	case C_EIN: return power_bounds(a, work_open(a, o), depth, b);
	case C_AT: return hull_bounds(a, work_open(a, o), depth, b);
	case C_MAP: return map_bounds(a, work_open(a, o), core_fn(a, o), depth, b);
	case C_LAT:
	case C_RED:
		fn = core_fn(a, o);
		return (!strcmp(fn, "maximum") || !strcmp(fn, "minimum")) && hull_bounds(a, work_open(a, o), depth, b);
	default: return false;
	}
}

/* Of an integer: of a type that holds few numbers they are the type's. */
static bool whole_at(algebra *a, const slot *t, int type, int depth, struct bounds *b)
{
	eg_id o = peek(a, t->x);
	int64_t lo, hi;
	ix *e;

	int_range(type, &lo, &hi);
	if (slot_index(a, t, &e)) {
		ix_range(&a->s, e, &lo, &hi);
		*b = (struct bounds){ { lo, 1 }, { hi, 1 } };
		return type != T_U64 || lo >= 0;
	}
	if (core_type(a, o) == type && node_at(a, o, depth + 1, b) && bounds_within(*b, lo, hi)) {
		opened(a, t->x, o);
		return true;
	}
	*b = (struct bounds){ { lo, 1 }, { hi, 1 } };
	return type_bits(type) <= 32;
}

static bool real_at(algebra *a, const slot *t, int type, int depth, struct bounds *b)
{
	eg_id o = peek(a, t->x);
	number v;

	if (slot_number(a, t, &v)) {
		b->lo = b->hi = v.r;
		return number_is_rat(v);
	}
	if (core_type(a, o) != type || !node_at(a, o, depth + 1, b) || !held(*b, type))
		return false;
	opened(a, t->x, o);
	return true;
}

static bool bounds_at(algebra *a, const slot *t, int depth, struct bounds *b)
{
	int type = t->x == NIL ? T_PRED : core_type(a, t->x);

	if (t->x == NIL || depth > DEEPEST)
		return false;
	return type_is_int(type) ? whole_at(a, t, type, depth, b) : type_is_float(type) && real_at(a, t, type, depth, b);
}

bool slot_bounds(algebra *a, const slot *t, struct bounds *b)
{
	return bounds_at(a, t, 0, b);
}

bool node_bounds(algebra *a, eg_id o, struct bounds *b)
{
	return node_at(a, o, 0, b);
}

bool bounds_within(struct bounds b, int64_t lo, int64_t hi)
{
	return rat_cmp(b.lo, (rat){ lo, 1 }) >= 0 && rat_cmp(b.hi, (rat){ hi, 1 }) <= 0;
}
