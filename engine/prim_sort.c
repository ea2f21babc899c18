/* prim_sort.c - what is in order already.
 *
 * The lowering writes into the key of a sort by which operands it orders, `>0 <1`: the larger of operand 0 first, of
 * equal ones the smaller of operand 1.  `topk largest` has the values of a row (result 0) in that order, with their
 * places in the row (result 1).  -0 is below 0 there; `zeros <2 >0 <1` leaves that to operand 2, which changes nothing
 * where that counts the places.
 */
#include "mask.h"

enum { OPERANDS = 8 };	/* of a sort that is looked at */

#define BY_PLACE " to_apply=zeros <2 >0 <1"

static bool is_sort(const char *key)
{
	return !strncmp(key, "sort ", 5) && (strstr(key, " to_apply=>0 <1") || strstr(key, BY_PLACE));
}

/* The core that slot t reads, when that is result k of `topk largest`; else NIL. */
static eg_id largest(algebra *a, const slot *t, uint32_t k)
{
	eg_id o = t->x == NIL ? NIL : peek(a, t->x);

	return o != NIL && core_kind(a, o) == C_OPAQUE && !strncmp(core_fn(a, o), "topk largest ", 13) && opaque_result(core_fn(a, o)) == (int)k ? o : NIL;
}

/* Are these two results of one topk?  Their keys part in the number and the type of the result. */
static bool of_one_row(algebra *a, eg_id x, eg_id y)
{
	const char *s = strchr(strstr(core_fn(a, x), " -> "), '['), *t = strchr(strstr(core_fn(a, y), " -> "), '[');

	return s && t && !strcmp(s, t) && node_val(a, x, 1) == node_val(a, y, 1) && eg_narg(a->g, x) == 1 && eg_narg(a->g, y) == 1 &&
	       eg_root(a->g, eg_args(a->g, x)[0]) == eg_root(a->g, eg_args(a->g, y)[0]);
}

/* Does e go forward along a row of n places as b does, one row for all b? */
static bool goes_along(algebra *a, ix *e, int64_t n, label *b)
{
	ix *row, *place;

	ix_divmod(&a->s, ix_norm(&a->s, e), n, &row, &place);
	row = ix_norm(&a->s, row);
	place = ix_norm(&a->s, place);
	return !b->hi && !ix_reads(row, b) && !place->ntab && ix_stride(place, b) > 0;
}

/* Every operand has a label of its own along what is sorted, b[0], b[1] ..; operand 1 is read as operand 0 is. */
static bool side_by_side(algebra *a, const work *w, label **b)
{
	label *all[128];
	ix *to;
	int k, j;

	if (bound_leaves(&a->s, w, all, 128) != w->nslot)
		return false;
	memcpy(b, all, sizeof *b * (size_t)w->nslot);
	for (k = 0; k < w->nslot; k++)
		for (j = 0; j < w->nslot; j++)
			if (b[k]->n != w->tail || (j != k && ix_reads(w->slot[k].e, b[j])))
				return false;
	to = ix_of(&a->s, b[0], 1);
	return ix_equal(&a->s, w->slot[0].e, ix_subst(&a->s, w->slot[1].e, 1, b + 1, &to));
}

/* Does slot t count along b, where the order asks for it? */
static bool zeros_stand(algebra *a, eg_id n, const work *w, label **b)
{
	ix *e;

	if (!strstr(core_fn(a, n), BY_PLACE))
		return true;
	if (w->nslot < 3 || !slot_index(a, &w->slot[2], &e))
		return false;
	e = ix_norm(&a->s, e);
	return !b[2]->hi && !e->ntab && ix_stride(e, b[2]) > 0;
}

/* Operand k of a sort that changes nothing: its label along what is sorted becomes a free one. */
static eg_id operand_alone(algebra *a, const work *w, int k, label *b)
{
	label *own = label_new(&a->s, w->tail), **all = ARENA_ARRAY(&a->s.a, label *, w->nfree + 1);
	ix *to = ix_of(&a->s, own, 1);
	work *r = work_new(a, C_AT, w->type, 1);

	memcpy(all, w->free, sizeof *all * (size_t)w->nfree);
	all[w->nfree] = own;
	work_set_free(a, r, w->nfree + 1, all);
	r->nslot = 1;
	r->slot[0] = slot_read(w->slot[k].x, ix_subst(&a->s, w->slot[k].e, 1, &b, &to), RAT_ONE);
	return work_result(a, r);
}

/* The sort of values of a row that are in order, with their places beside them, is what it sorts. */
eg_id prim_sort_sorted(algebra *a, eg_id n)
{
	int k = opaque_result(core_fn(a, n));
	label *b[OPERANDS + 1];
	eg_id v, i;
	work *w;

	if (!is_sort(core_fn(a, n)) || pairing_read(a, n).ndata)
		return NIL;
	w = work_open(a, n);
	work_settle(a, w);
	if (w->nslot < 2 || w->nslot > OPERANDS || k < 0 || k >= w->nslot || (v = largest(a, &w->slot[0], 0)) == NIL ||
	    (i = largest(a, &w->slot[1], 1)) == NIL || !of_one_row(a, v, i))
		return NIL;
	if (!side_by_side(a, w, b) || !goes_along(a, w->slot[0].e, pairing_read(a, v).tail, b[0]) || !zeros_stand(a, n, w, b))
		return refuse(a, "the values are not read in their order");
	opened(a, w->slot[0].x, v);
	opened(a, w->slot[1].x, i);
	if (eg_args(a->g, v)[0] != eg_args(a->g, i)[0])
		history_premise(a, eg_args(a->g, v)[0], eg_args(a->g, i)[0]);
	return operand_alone(a, w, k, b[k]);
}
