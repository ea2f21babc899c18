#include "prim/counting.h"

#include <math.h>
#include <string.h>
#include "core/zip.h"
#include "prim/prim.h"

/* ---- taken apart */

/* The other operands of a product or lattice, opened, than number k. */
static slot others(algebra *a, eg_id o, int n, slot *in, int k)
{
	work *w;

	in[k] = in[n - 1];
	if (n == 2 && rat_is_int(in[0].c, 1))
		return in[0];
	w = work_new(a, core_kind(a, o), core_type(a, o), 0);
	w->fn = core_has_name(w->kind) ? node_val(a, o, 2) : NIL;
	w->slot = in;
	w->nslot = n - 1;
	return slot_over_read(a, w, RAT_ONE);
}

int choice_number(algebra *a, const char *op, int type, const slot *t, slot *mask)
{
	number v;
	int k;

	for (k = 1; k < 3 && !(slot_number(a, &t[k], &v) && op_neutral(op, v, type)); k++)
		;
	if (k == 3 || !slot_table_values(a, &t[0], mask))
		return 0;
	if (k == 1)
		*mask = tables_zip(a, mask, mask, zip_not, T_PRED);
	return k;
}

static bool open_select(algebra *a, const char *op, eg_id o, slot *in, int n, counting *c)
{
	int k = 0;

	if (core_kind(a, o) == C_MAP && !strcmp(core_fn(a, o), "select") && n == 3)
		k = choice_number(a, op, core_type(a, o), in, &c->mask);
	if (k)
		c->value = in[3 - k];
	return k > 0;
}

/* x and K under or; x or not K under and. */
static bool open_truth(algebra *a, const char *op, eg_id o, slot *in, int n, counting *c)
{
	bool any = !strcmp(op, "or");
	int k;

	if (core_type(a, o) != T_PRED || core_kind(a, o) != C_LAT || strcmp(core_fn(a, o), any ? "and" : "or"))
		return false;
	for (k = 0; k < n && !slot_table_values(a, &in[k], &c->mask); k++)
		;
	if (k == n || n < 2)
		return false;
	if (!any)
		c->mask = tables_zip(a, &c->mask, &c->mask, zip_not, T_PRED);
	c->value = others(a, o, n, in, k);
	return true;
}

/* K x, K an index expression of 0 and 1. */
static bool open_product(algebra *a, eg_id n, const slot *t, counting *c)
{
	eg_id o = t->x == NIL ? NIL : peek(a, t->x);
	int64_t lo, hi;
	bool exact;
	slot *in;
	ix *e;
	int m, k;

	if (o == NIL || !rat_is_int(t->c, 1) || core_kind(a, o) != C_MUL || !normal_opens(a, o, n))
		return false;
	in = work_inline(a, o, t->e, work_new(a, C_MUL, core_type(a, o), 0), &m);
	for (k = 0; k < m; k++) {
		if (!rat_is_int(in[k].c, 1) || !slot_index(a, &in[k], &e) || ix_has_data(e))
			continue;
		ix_range(&a->s, e, &lo, &hi);
		if (lo == 0 && hi == 1)
			break;
	}
	if (k == m || m < 2)
		return false;
	opened(a, t->x, o);
	c->mask = slot_of_ix(a, e, RAT_ONE, &exact);
	c->value = others(a, o, m, in, k);
	return exact;
}

/* Is the constant the number that never matters where the mask does not hold, and 0 where it does? */
static bool fills(algebra *a, const char *op, int type, const slot *t, const slot *mask)
{
	slot v, m;
	bool exact;
	int64_t i;
	ix *e;

	if (!slot_index(a, t, &e) || ix_has_data(e))
		return false;
	v = slot_of_ix(a, e, t->c, &exact);
	if (!exact)
		return false;
	m = tables_zip(a, &v, mask, zip_second, T_PRED);
	v = tables_zip(a, &v, mask, zip_first, TYPE_REAL);
	for (i = 0; i < slot_cells(&v); i++) {
		number is = { .r = { (int64_t)v.v[i], 1 } };
		if (m.v[i] != 0 ? v.v[i] != 0 : !op_neutral(op, is, type))
			return false;
	}
	return true;
}

static bool open_integers(algebra *a, eg_id n, const char *op, eg_id o, slot *in, int m, counting *c)
{
	int k;

	if (core_kind(a, o) != C_SUM || m != 2)
		return false;
	for (k = 0; k < 2; k++)
		if (open_product(a, n, &in[k], c))
			return fills(a, op, core_type(a, o), &in[1 - k], &c->mask);
	return false;
}

bool op_has_number(const char *op, int type)
{
	bool bits = !strcmp(op, "and") || !strcmp(op, "or");

	if (type == T_PRED)
		return bits;
	if (type_is_int(type))
		return type_bits(type) < 64;
	return type_is_float(type) && !bits;
}

bool counting_open(algebra *a, eg_id n, const char *op, int type, const slot *t, counting *c)
{
	eg_id o = t->x == NIL ? NIL : peek(a, t->x);
	slot *in;
	int m;

	if (o == NIL || core_type(a, o) != type || !op_has_number(op, type) ||
	    !(1u << core_kind(a, o) & (1u << C_MAP | 1u << C_LAT | 1u << C_SUM)) || !normal_opens(a, o, n))
		return false;
	in = work_inline(a, o, t->e, work_new(a, core_kind(a, o), type, 0), &m);
	if (!open_select(a, op, o, in, m, c) && !open_truth(a, op, o, in, m, c) && !(type_is_int(type) && open_integers(a, n, op, o, in, m, c)))
		return false;
	opened(a, t->x, o);
	c->value.c = RAT_ONE;
	return c->mask.nl && !labels_data(c->mask.nl, c->mask.l);
}

/* ---- and made */

/* .. of integers. */
static int64_t whole_number(const char *op, int type)
{
	int64_t lo, hi;

	int_range(type, &lo, &hi);
	if (!strcmp(op, "or"))
		return 0;
	if (!strcmp(op, "and"))
		return lo < 0 ? -1 : hi;
	return !strcmp(op, "maximum") ? lo : hi;
}

slot op_number(algebra *a, const char *op, int type)
{
	if (type == T_PRED)
		return slot_read(core_rat(a, T_PRED, !strcmp(op, "and") ? RAT_ONE : RAT_ZERO), ix_const(&a->s, 0), RAT_ONE);
	if (type_is_int(type))
		return slot_read(core_line(a, type), ix_const(&a->s, whole_number(op, type)), RAT_ONE);
	return slot_read(core_num(a, TYPE_REAL, (number){ .f = !strcmp(op, "maximum") ? -INFINITY : INFINITY }), ix_const(&a->s, 0), RAT_ONE);
}

/* x and K, or x or not K. */
static slot counting_truth(algebra *a, const char *op, const counting *c)
{
	bool any = !strcmp(op, "or");
	work *w = work_new(a, C_LAT, T_PRED, 2);

	w->slot[0] = any ? c->mask : tables_zip(a, &c->mask, &c->mask, zip_not, T_PRED);
	w->slot[0].vtype = T_PRED;
	w->slot[0].c = RAT_ONE;
	w->slot[1] = c->value;
	w->nslot = 2;
	w->fn = val_name(a, any ? "and" : "or");
	return slot_over_read(a, w, RAT_ONE);
}

slot counting_slot(algebra *a, const char *op, int type, const counting *c)
{
	work *w;

	if (type == T_PRED)
		return counting_truth(a, op, c);
	w = work_new(a, C_MAP, type, 3);
	w->slot[0] = c->mask;
	w->slot[0].vtype = T_PRED;
	w->slot[0].c = RAT_ONE;
	w->slot[1] = c->value;
	w->slot[2] = op_number(a, op, type);
	w->nslot = 3;
	w->fn = val_name(a, "select");
	return slot_over_read(a, w, RAT_ONE);
}
