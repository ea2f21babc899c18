/* prim_sort.c - what is in order already.
 *
 * The lowering writes into the key of a sort by which operands it orders, `>0 <1`: the larger of operand 0 first, of
 * equal ones the smaller of operand 1.  `topk largest` has the values of a row (result 0) in that order, with their
 * places in the row (result 1).  -0 is below 0 there; `zeros <2 >0 <1` leaves that to operand 2, which changes nothing
 * where that counts the places; to `unordered zeros` what is no number stands nowhere.
 */
#include "prim/prim.h"

#include "core/mask.h"

enum { OPERANDS = 8 };	/* of a sort that is looked at */

#define BY_PLACE " to_apply=zeros <2 >0 <1"
#define UNORDERED " to_apply=unordered zeros <2 >0 <1"

static bool is_sort(const char *key)
{
	return !strncmp(key, "sort ", 5) && (strstr(key, " to_apply=>0 <1") || strstr(key, BY_PLACE) || strstr(key, UNORDERED));
}

static bool is_largest(algebra *a, eg_id o, int k)
{
	return core_kind(a, o) == C_OPAQUE && !strncmp(core_fn(a, o), "topk largest ", 13) && opaque_result(core_fn(a, o)) == k;
}

/* The core that slot t reads, when that is result k of `topk largest`; else NIL. */
static eg_id largest(algebra *a, const slot *t, int k)
{
	eg_id o = t->x == NIL ? NIL : peek(a, t->x);

	return o != NIL && is_largest(a, o, k) ? o : NIL;
}

/* What the values of a row are that is in order: `of f32`. */
static const char *ordered_type(algebra *a, eg_id topk)
{
	return strstr(core_fn(a, topk), " of ");
}

/* Is every place of a row of n a value of this type, and no comparison of values one of others? */
static bool type_counts(int type, int64_t n)
{
	int64_t lo, hi;

	if (!type_is_int(type) || type == T_U64)
		return false;
	int_range(type, &lo, &hi);
	return n - 1 <= hi;
}

/* What places are compared with stays a comparison: as digits of data they would make tables of every mask. */
int64_t sorted_places(algebra *a, eg_id x)
{
	eg_id o = peek(a, x), y = NIL;

	if (core_kind(a, o) == C_AT || core_kind(a, o) == C_VIEW)
		o = peek(a, y = eg_args(a->g, o)[0]);
	if (!is_largest(a, o, 1))
		return 0;
	if (y != NIL) {
		opened(a, x, peek(a, x));
		opened(a, y, o);
	} else {
		opened(a, x, o);
	}
	return pairing_read(a, o).tail;
}

/* Are these two results of one topk? */
static bool of_one_row(algebra *a, eg_id x, eg_id y)
{
	const char *s = ordered_type(a, x), *t = ordered_type(a, y);

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

	if (!strstr(core_fn(a, n), BY_PLACE) && !strstr(core_fn(a, n), UNORDERED))
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
	if (strstr(core_fn(a, n), UNORDERED) && !slot_finite(a, &w->slot[0]))
		return refuse(a, "a value may be no number");
	opened(a, w->slot[0].x, v);
	opened(a, w->slot[1].x, i);
	if (eg_args(a->g, v)[0] != eg_args(a->g, i)[0])
		history_premise(a, eg_args(a->g, v)[0], eg_args(a->g, i)[0]);
	return operand_alone(a, w, k, b[k]);
}

/* A row that is made of parts, each the beginning of a row in order. */
struct parts {
	work *all, *one;	/* topk of the row, and of a part as it was before it was put in order */
	eg_id topk;		/* of a part */
	ix *part;		/* which part, in the labels of `all` */
	label *bound[LEAVES];	/* of `all`: first those that count the parts, then those of the places in a part */
	int nbound, nparts;
	int64_t n, kept, len;	/* parts; how many places of each, and how long it is */
	ix *row, *place;	/* where the result is read */
};

/* Places of a part are what the last labels count, from 0, and the part is not chosen by them. */
static bool parts_counted(algebra *a, struct parts *q, const ix *place)
{
	ix *count = ix_const(&a->s, 0);
	int k;

	q->kept = 1;
	q->nparts = q->nbound;
	while (!ix_equal(&a->s, count, place)) {
		if (!q->nparts)
			return false;
		count = ix_add(&a->s, count, ix_of(&a->s, q->bound[--q->nparts], q->kept));
		q->kept *= q->bound[q->nparts]->n;
	}
	for (k = q->nparts; k < q->nbound; k++)
		if (ix_reads(q->part, q->bound[k]))
			return false;
	for (k = 0, q->n = 1; k < q->nparts; k++)
		q->n *= q->bound[k]->n;
	return true;
}

/* Takes a result o of topk, read at `at`, apart; false where its row is not made so. */
static bool parts_open(algebra *a, eg_id o, const ix *at, struct parts *q)
{
	int64_t lo, hi;
	ix *place;

	q->all = work_open(a, o);
	work_settle(a, q->all);
	if (q->all->nslot != 1 || (q->topk = largest(a, &q->all->slot[0], 0)) == NIL || q->topk == o)
		return false;
	q->one = work_open(a, q->topk);
	q->len = q->one->tail;
	ix_divmod(&a->s, q->all->slot[0].e, q->len, &q->part, &place);
	q->part = ix_norm(&a->s, q->part);
	q->nbound = bound_leaves(&a->s, q->all, q->bound, LEAVES);
	if (q->one->nslot != 1 || !parts_counted(a, q, ix_norm(&a->s, place)))
		return false;
	ix_divmod(&a->s, ix_norm(&a->s, at), q->all->tail, &q->row, &q->place);
	q->place = ix_norm(&a->s, q->place);
	ix_range(&a->s, q->place, &lo, &hi);
	if (q->kept == q->len || hi < q->kept)
		return true;
	refuse(a, "more places are read than each part has in order");
	return false;
}

/* e, in the labels of w, where those are the digits of its place `at`. */
static ix *at_place(algebra *a, const work *w, const ix *e, const ix *at)
{
	int64_t *size = ARENA_ARRAY(&a->s.a, int64_t, w->nfree);
	int k;

	for (k = 0; k < w->nfree; k++)
		size[k] = w->free[k]->n;
	return ix_subst(&a->s, e, w->nfree, w->free, ix_digits(&a->s, at, w->nfree, size));
}

/* Result `o` of topk of all that the parts were taken from, where w reads it of the parts. */
static eg_id parts_joined(algebra *a, work *w, const struct parts *q, eg_id o)
{
	work *r = work_new(a, C_OPAQUE, core_type(a, o), 1);
	int nb = q->one->nbound;
	label **bound = ARENA_ARRAY(&a->s.a, label *, q->nparts + nb);
	slot t = q->one->slot[0];
	placed p;

	memcpy(bound, q->bound, sizeof *bound * (size_t)q->nparts);
	memcpy(bound + q->nparts, q->one->bound, sizeof *bound * (size_t)nb);
	r->fn = node_val(a, o, 2);
	r->tail = q->n * q->len;
	work_set_free(a, r, q->all->nfree, q->all->free);
	work_set_bound(a, r, q->nparts + nb, bound);
	r->nslot = 1;
	r->slot[0] = slot_read(t.x, at_place(a, q->one, t.e, q->part), RAT_ONE);
	p = work_make(a, r);
	t = slot_read(p.n, ix_add(&a->s, at_place(a, q->all, placed_ix(a, &p), q->row), q->place), RAT_ONE);
	return work_result(a, work_like(a, w, C_AT, 1, &t));
}

/* The c largest of a row of parts, each at least c values in order of a longer one or all of it, are those of the longer parts. */
eg_id prim_sort_parts(algebra *a, eg_id n)
{
	eg_id o = peek(a, eg_args(a->g, n)[0]);
	struct parts q;
	work *w;

	if (!is_largest(a, o, 0))
		return NIL;
	w = work_open(a, n);
	if (!parts_open(a, o, w->slot[0].e, &q))
		return NIL;
	opened(a, w->slot[0].x, o);
	opened(a, q.all->slot[0].x, q.topk);
	return parts_joined(a, w, &q, o);
}

/* A result of topk of a row of parts is a data label of w. */
static const datum *parts_datum(algebra *a, const work *w, struct parts *q)
{
	label **l;
	int n = work_data(a, w, &l), k;

	for (k = 0; k < n; k++) {
		eg_id o = peek(a, l[k]->data->core);
		if (is_largest(a, o, 1) && parts_open(a, o, l[k]->data->at, q))
			return l[k]->data;
	}
	return NULL;
}

/* As w, the place in all of the longer parts of what stands at place p of the row of parts: len d + its place in part d. */
static work *place_in_all(algebra *a, const work *w, const struct parts *q, const datum *p, eg_id places)
{
	label **from = ARENA_ARRAY(&a->s.a, label *, q->nparts);
	int64_t *size = ARENA_ARRAY(&a->s.a, int64_t, q->nparts);
	ix *d, *j, *row;
	slot t[2];
	int k;

	ix_divmod(&a->s, ix_of(&a->s, label_data(&a->s, p->core, p->at, p->full), 1), q->kept, &d, &j);
	for (k = 0; k < q->nparts; k++) {
		from[k] = q->bound[k];
		size[k] = from[k]->n;
	}
	row = ix_subst(&a->s, at_place(a, q->all, q->part, q->row), q->nparts, from, ix_digits(&a->s, d, q->nparts, size));
	t[0] = slot_read(places, ix_add(&a->s, ix_times(&a->s, row, q->len), j), RAT_ONE);
	t[1] = index_term(a, w->type, ix_times(&a->s, d, q->len));
	return work_like(a, w, C_SUM, 2, t);
}

/* len d + the place in part d of what stands at place p of the row of parts is its place in all of the longer parts. */
eg_id prim_sort_places(algebra *a, eg_id n)
{
	pairing z = pairing_read(a, n);
	const datum *p;
	struct parts q;
	eg_id in_part;
	work *w;
	int k;

	if (!z.ndata || z.nslot != 2 || !type_is_int(core_type(a, n)))
		return NIL;
	w = work_open(a, n);
	for (k = 0; k < 2 && largest(a, &w->slot[k], 1) == NIL; k++)
		;
	if (k == 2 || !(p = parts_datum(a, w, &q)))
		return NIL;
	in_part = largest(a, &w->slot[k], 1);
	if (!of_one_row(a, q.topk, in_part) || work_compare(a, place_in_all(a, w, &q, p, w->slot[k].x), work_open(a, n)))
		return NIL;
	opened(a, p->core, peek(a, p->core));
	opened(a, w->slot[k].x, in_part);
	opened(a, q.all->slot[0].x, q.topk);
	history_premise(a, eg_args(a->g, q.topk)[0], eg_args(a->g, in_part)[0]);
	return parts_joined(a, w, &q, in_part);
}

/* x < y and x <= y where one is places of a row and the other an index, and the one is less wherever they are read, or never. */
eg_id prim_compare_places(algebra *a, eg_id n)
{
	bool or_equal = !strcmp(core_fn(a, n), "compare:LE");
	const eg_id *arg = eg_args(a->g, n);
	int64_t places, lo[2] = { 0 }, hi[2];
	work *w;
	ix *e;
	int k;

	if ((!or_equal && strcmp(core_fn(a, n), "compare:LT")) || pairing_read(a, n).nslot != 2 || !type_is_int(core_type(a, arg[0])))
		return NIL;
	for (k = 0; k < 2 && !(places = sorted_places(a, arg[k])); k++)
		;
	w = k < 2 && type_counts(core_type(a, arg[0]), places) ? work_open(a, n) : NULL;
	if (!w || !slot_index(a, &w->slot[!k], &e))
		return NIL;
	hi[k] = places - 1;
	ix_range(&a->s, e, &lo[!k], &hi[!k]);
	if (hi[0] < lo[1] || (or_equal && hi[0] == lo[1]))
		return result_number(a, w, RAT_ONE);
	if (lo[0] > hi[1] || (!or_equal && lo[0] == hi[1]))
		return result_number(a, w, RAT_ZERO);
	return NIL;
}

/* Does operand j never decide a maximum or minimum that also has places 0 to most? */
static bool never_decides(algebra *a, const slot *t, bool largest_one, int64_t most)
{
	int64_t lo, hi;
	ix *e;

	if (!slot_index(a, t, &e))
		return false;
	ix_range(&a->s, e, &lo, &hi);
	return largest_one ? hi <= 0 : lo >= most;
}

/* max(x, 0) and min(x, n - 1) are x where x is places of a row of n: what clamps an index. */
eg_id prim_lattice_places(algebra *a, eg_id n)
{
	bool largest_one = !strcmp(core_fn(a, n), "maximum");
	const eg_id *arg = eg_args(a->g, n);
	int64_t places;
	work *w;
	int k, j;

	if ((!largest_one && strcmp(core_fn(a, n), "minimum")) || pairing_read(a, n).nslot != 2 || !type_is_int(core_type(a, n)))
		return NIL;
	for (k = 0; k < 2 && !(places = sorted_places(a, arg[k])); k++)
		;
	if (k == 2 || !type_counts(core_type(a, n), places))
		return NIL;
	w = work_open(a, n);
	j = !k;
	return never_decides(a, &w->slot[j], largest_one, places - 1) ? work_result(a, work_like(a, w, C_LAT, 1, &w->slot[k])) : NIL;
}

/* Places of topk o as numbers of another type, where w reads those at e. */
static eg_id places_in_type(algebra *a, work *w, eg_id o, const ix *e)
{
	work *r = work_open(a, o);
	ix *row, *place;
	placed p;
	slot t;

	ix_divmod(&a->s, e, r->tail, &row, &place);
	r->fn = val_name(a, arena_printf(&a->s.a, "topk largest 1 -> %s%s", etype_name((enum etype)w->type), ordered_type(a, o)));
	r->type = w->type;
	row = ix_norm(&a->s, row);
	p = work_make(a, r);
	t = slot_read(p.n, ix_add(&a->s, at_place(a, r, placed_ix(a, &p), row), ix_norm(&a->s, place)), RAT_ONE);
	return work_result(a, work_like(a, w, C_AT, 1, &t));
}

/* Places of a row are the same numbers in every type that counts so far. */
eg_id prim_convert_places(algebra *a, eg_id n)
{
	eg_id x = eg_args(a->g, n)[0], o;
	int64_t places;
	slot *in;
	work *w;
	int k;

	if (strcmp(core_fn(a, n), "convert") || !(places = sorted_places(a, x)) || !type_counts(core_type(a, n), places))
		return NIL;
	o = peek(a, x);
	w = work_open(a, n);
	if (is_largest(a, o, 1))
		return places_in_type(a, w, o, w->slot[0].e);
	in = work_inline(a, o, w->slot[0].e, w, &k);
	return places_in_type(a, w, peek(a, in[0].x), in[0].e);
}
