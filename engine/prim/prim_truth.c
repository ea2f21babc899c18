/* prim_truth.c - truth values compared, negated and chosen by: what a predicate comes to that was a number in between (D6, N35). */
#include "prim/prim.h"

#include <string.h>

/* ---- compared */

/* A truth value compared with a constant is itself or its contrary. */
static eg_id truth_compare(algebra *a, eg_id n)
{
	const char *f = core_fn(a, n);
	bool eq = !strcmp(f + 8, "EQ");
	work *w;
	number v;
	int k;

	if (!eq && strcmp(f + 8, "NE"))
		return NIL;
	w = work_open(a, n);
	for (k = 0; k < 2; k++) {
		if (!slot_number(a, &w->slot[k], &v))
			continue;
		if ((number_double(v) != 0) == eq)
			return result_slot(a, w, w->slot[1 - k]);
		w->slot[0] = w->slot[1 - k];
		w->nslot = 1;
		w->fn = val_name(a, "not");
		return work_result(a, w);
	}
	return NIL;
}

/* A number that a truth value was made into: v[0] where it does not hold, v[1] where it does. */
struct counted {
	slot p;
	rat v[2];
};

static bool is_num(algebra *a, eg_id x)
{
	return is_map(a, peek(a, x), "num");
}

static bool open_num(algebra *a, work *w, eg_id n, const slot *t, struct counted *c)
{
	eg_id o = peek(a, t->x);
	int m;

	if (!is_num(a, t->x) || !normal_opens(a, o, n))
		return false;
	c->p = work_inline(a, o, t->e, w, &m)[0];
	c->v[0] = RAT_ZERO;
	c->v[1] = RAT_ONE;
	opened(a, t->x, o);
	return true;
}

/* a num p, or a num p + b. */
static bool open_sum(algebra *a, work *w, eg_id n, const slot *t, struct counted *c)
{
	eg_id o = peek(a, t->x);
	number b = { 0 };
	slot *in;
	int m, k;

	if (core_kind(a, o) != C_SUM || eg_narg(a->g, o) > 2 || pairing_read(a, o).nslot != (int)eg_narg(a->g, o) || !normal_opens(a, o, n))
		return false;
	for (k = 0; k < (int)eg_narg(a->g, o) && !is_num(a, eg_args(a->g, o)[k]); k++)
		;
	if (k == (int)eg_narg(a->g, o))
		return false;
	in = work_inline(a, o, t->e, w, &m);
	b.r = RAT_ZERO;
	if (m == 2 && (!slot_number(a, &in[1 - k], &b) || !number_is_rat(b) || !rat_mul(&b.r, b.r, in[1 - k].c)))
		return false;
	if (!open_num(a, w, n, &in[k], c) || !rat_add(&c->v[1], b.r, in[k].c))
		return false;
	c->v[0] = b.r;
	opened(a, t->x, o);
	return true;
}

/* Integers are compared where none is negative and nothing wraps; floats where no rounding is in the way. */
static bool comparable(int type, rat *v, bool order)
{
	int64_t lo, hi;

	if (!type_is_int(type))
		return rat_in(*v, type);
	*v = coef_in(type, *v);
	if (!order)
		return true;
	int_range(type, &lo, &hi);
	return v->den == 1 && v->num >= 0 && v->num <= hi;
}

/* p, its contrary, or a constant. */
static eg_id truth_or_contrary(algebra *a, work *w, slot p, bool unless, bool where)
{
	if (unless == where)
		return result_number(a, w, where ? RAT_ONE : RAT_ZERO);
	if (where)
		return result_slot(a, w, p);
	w = work_like(a, w, C_MAP, 1, &p);
	w->fn = val_name(a, "not");
	return work_result(a, w);
}

/* num p, or a num p + b, compared with a number: the predicate holds for both, either or none of the two values of p. */
static eg_id counted_compare(algebra *a, eg_id n)
{
	const char *f = core_fn(a, n);
	int type, at, k, than;
	bool order = strcmp(f, "compare:EQ") && strcmp(f, "compare:NE"), is[2];
	struct counted c;
	work *w = work_open(a, n);
	number v;

	for (at = 0; at < 2 && !(slot_number(a, &w->slot[1 - at], &v) && number_is_rat(v)); at++)
		;
	if (at == 2 || w->slot[at].x == NIL)
		return NIL;
	type = core_type(a, w->slot[at].x);
	if (!(open_num(a, w, n, &w->slot[at], &c) || open_sum(a, w, n, &w->slot[at], &c)) || !comparable(type, &v.r, order))
		return NIL;
	for (k = 0; k < 2; k++) {
		if (!comparable(type, &c.v[k], order))
			return NIL;
		than = rat_cmp(c.v[k], v.r);
		is[k] = compare_values(f, at ? -than : than, 0);
	}
	return truth_or_contrary(a, w, c.p, is[0], is[1]);
}

/* A truth value that was made a number, or was none before, compared with a constant. */
eg_id prim_compare_truth(algebra *a, eg_id n)
{
	if (strncmp(core_fn(a, n), "compare:", 8) || pairing_read(a, n).nslot != 2)
		return NIL;
	return core_type(a, eg_args(a->g, n)[0]) == T_PRED ? truth_compare(a, n) : counted_compare(a, n);
}

/* ---- negated */

/* select(not p, x, y) = select(p, y, x). */
eg_id prim_select_contrary(algebra *a, eg_id n)
{
	slot t[3];
	eg_id x, o;
	work *w;
	int m;

	if (strcmp(core_fn(a, n), "select") || pairing_read(a, n).nslot != 3)
		return NIL;
	x = eg_args(a->g, n)[0];
	o = peek(a, x);
	if (!is_map(a, o, "not") || !normal_opens(a, o, n))
		return NIL;
	w = work_open(a, n);
	t[0] = work_inline(a, o, w->slot[0].e, w, &m)[0];
	t[1] = w->slot[2];
	t[2] = w->slot[1];
	opened(a, x, o);
	return work_result(a, work_like(a, w, C_MAP, 3, t));
}

/* not (x = y) is x /= y, and not (x /= y) is x = y: whatever x and y are, one of the two holds. */
eg_id prim_compare_contrary(algebra *a, eg_id n)
{
	eg_id x, o;
	slot *in;
	work *w;
	bool eq;
	int m;

	if (strcmp(core_fn(a, n), "not"))
		return NIL;
	x = eg_args(a->g, n)[0];
	o = peek(a, x);
	eq = is_map(a, o, "compare:EQ");
	if ((!eq && !is_map(a, o, "compare:NE")) || !normal_opens(a, o, n))
		return NIL;
	w = work_open(a, n);
	in = work_inline(a, o, w->slot[0].e, w, &m);
	opened(a, x, o);
	w = work_like(a, w, C_MAP, m, in);
	w->fn = val_name(a, eq ? "compare:NE" : "compare:EQ");
	return work_result(a, w);
}

/* ---- truth values chosen by one */

/* p where it is to hold, not p where not. */
static slot held_or_not(algebra *a, const work *w, slot p, bool holds)
{
	work *r;

	if (holds)
		return p;
	r = work_like(a, w, C_MAP, 1, &p);
	r->fn = val_name(a, "not");
	return slot_of_work(a, r, RAT_ONE);
}

/* N35 for truth values: select(p, 1, y) = p or y, select(p, 0, y) = not p and y, select(p, x, 0) = p and x,
 * select(p, x, 1) = not p or x. */
eg_id prim_select_truth(algebra *a, eg_id n)
{
	slot *s = ARENA_ARRAY(&a->s.a, slot, 2);
	number v;
	work *w, *r;
	bool one;
	int k;

	if (core_type(a, n) != T_PRED || strcmp(core_fn(a, n), "select"))
		return NIL;
	w = work_open(a, n);
	for (k = 1; k <= 2 && !slot_number(a, &w->slot[k], &v); k++)
		;
	if (k > 2)
		return NIL;
	one = number_double(v) != 0;
	s[0] = held_or_not(a, w, w->slot[0], one == (k == 1));
	s[1] = w->slot[3 - k];
	if (slot_number(a, &s[1], &v))	/* both branches are constants */
		return (number_double(v) != 0) == one ? NIL : result_slot(a, w, s[0]);
	r = work_like(a, w, C_LAT, 2, s);
	r->fn = val_name(a, one ? "or" : "and");
	return work_result(a, r);
}
