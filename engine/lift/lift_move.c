/* lift_move.c - data movement (RULES 1.3): every one is a substitution of indices. */
#include "lift/lift.h"

#include <stdlib.h>
#include <string.h>
#include "util/integers.h"

static eg_id no_empty(lift *l)
{
	return refuse(l->a, "an empty tensor");
}

/* Only the shape changes: always possible. */
eg_id lift_reshape(lift *l)
{
	return lift_any_empty(l) ? no_empty(l) : lift_same(l);
}

/* ints: result dimension i is operand dimension ints[i] */
eg_id lift_transpose(lift *l)
{
	frame_of f = lift_frame(l);
	ix **e = ARENA_ARRAY(&l->a->s.a, ix *, l->rank);
	int d;

	if (lift_any_empty(l))
		return no_empty(l);
	for (d = 0; d < l->rank; d++)
		e[l->ints[d]] = f.ie[d];
	return lift_moved(l, 0, lift_at(l, 0, f.re, e), &f);
}

/* ints: operand dimension i goes to result dimension ints[i] */
eg_id lift_broadcast(lift *l)
{
	frame_of f = lift_frame(l);
	const layout *o = &l->op[0].l;
	ix **e = ARENA_ARRAY(&l->a->s.a, ix *, o->rank);
	int d;

	if (lift_any_empty(l))
		return no_empty(l);
	for (d = 0; d < o->rank; d++)
		e[d] = f.ie[l->ints[d]];
	return lift_moved(l, 0, lift_at(l, 0, f.re, e), &f);
}

/* ints: triples start, limit, stride */
eg_id lift_slice(lift *l)
{
	frame_of f = lift_frame(l);
	scratch *s = &l->a->s;
	ix **e = ARENA_ARRAY(&s->a, ix *, l->rank);
	int d;

	if (lift_any_empty(l))
		return no_empty(l);
	for (d = 0; d < l->rank; d++)
		e[d] = ix_plus(s, ix_times(s, f.ie[d], l->ints[3 * d + 2]), l->ints[3 * d]);
	return lift_moved(l, 0, lift_at(l, 0, f.re, e), &f);
}

/* ints: the dimensions reversed */
eg_id lift_reverse(lift *l)
{
	frame_of f = lift_frame(l);
	scratch *s = &l->a->s;
	ix **e = ARENA_ARRAY(&s->a, ix *, l->rank);
	int d, k;

	if (lift_any_empty(l))
		return no_empty(l);
	for (d = 0; d < l->rank; d++)
		e[d] = f.ie[d];
	for (k = 0; k < l->nint; k++)
		e[l->ints[k]] = ix_plus(s, ix_times(s, f.ie[l->ints[k]], -1), l->dim[l->ints[k]] - 1);
	return lift_moved(l, 0, lift_at(l, 0, f.re, e), &f);
}

static eg_id finish_select(lift *l, const frame_of *f, slot mask, slot x, slot y)
{
	return lift_finish(l, lift_select_work(l, f, mask, x, y), f);
}

/* x where all of n > 0 masks hold, else y. */
static eg_id finish_selects(lift *l, const frame_of *f, int n, const slot *mask, slot x, slot y)
{
	while (n > 1)
		x = lift_select_slots(l, f, mask[--n], x, y);
	return finish_select(l, f, mask[0], x, y);
}

/* ints: triples low, high, interior; operands x and the padding value */
eg_id lift_pad(lift *l)
{
	frame_of f = lift_frame(l);
	scratch *s = &l->a->s;
	ix **e = ARENA_ARRAY(&s->a, ix *, l->rank), *x, *rem;
	test *t = ARENA_ARRAY(&s->a, test, 2 * l->rank);
	slot *mask = ARENA_ARRAY(&s->a, slot, 2 * l->rank);
	int d, n = 0;

	if (lift_any_empty(l))
		return no_empty(l);
	for (d = 0; d < l->rank; d++) {
		const int64_t *p = l->ints + 3 * d;
		int64_t size = l->op[0].l.dim[d], lo, hi;
		x = ix_plus(s, f.ie[d], -p[0]);
		if (p[2]) {
			ix_divmod(s, x, p[2] + 1, &x, &rem);
			t[n++] = (test){ rem, 0, 1 };
		}
		ix_range(s, x, &lo, &hi);
		if (lo < 0 || hi >= size)
			t[n++] = (test){ x, 0, size };
		e[d] = lift_clip(l, x, size);
	}
	if (!n)
		return lift_moved(l, 0, lift_at(l, 0, f.re, e), &f);
	return finish_selects(l, &f, lift_tests(l, n, t, mask), mask, lift_slot(l, 0, f.re, e),
			      slot_read(l->op[1].x, lift_at(l, 1, f.re, NULL), RAT_ONE));
}

/* Operand k in its place, which begins at `at`, and 0 elsewhere. */
static slot piece(lift *l, const frame_of *f, int k, int64_t at)
{
	int d = (int)l->ints[0];
	int64_t n = l->op[k].l.dim[d];
	ix **e = ARENA_ARRAY(&l->a->s.a, ix *, l->rank);
	work *w = lift_work(l, C_MUL, NULL, 2, f);
	test in = { f->ie[d], at, at + n };

	memcpy(e, f->ie, sizeof *e * (size_t)l->rank);
	e[d] = lift_clip(l, ix_plus(&l->a->s, f->ie[d], -at), n);
	w->slot[0] = lift_slot(l, k, f->re, e);
	w->slot[1] = slot_tests(&l->a->s, 1, &in);
	w->slot[1].vtype = TYPE_REAL;
	return slot_of_work(l->a, w, RAT_ONE);
}

enum { AT_ONCE = 32 };

/* The sum of operands from..to in their places: of so many that each sum may be one contraction (N23), then of these. */
static work *pieces(lift *l, const frame_of *f, int from, int to, int64_t *at)
{
	int n = to - from, each = 1, k;
	work *w;

	while ((n + each - 1) / each > AT_ONCE)
		each *= AT_ONCE;
	w = lift_work(l, C_SUM, NULL, (n + each - 1) / each, f);
	for (k = 0; from < to; k++, from += each)
		if (each == 1) {
			w->slot[k] = piece(l, f, from, *at);
			*at += l->op[from].l.dim[l->ints[0]];
		} else {
			w->slot[k] = slot_of_work(l->a, pieces(l, f, from, from + each < to ? from + each : to, at), RAT_ONE);
		}
	return w;
}

/* What an operand is read of. */
static eg_id read_of(lift *l, int k)
{
	eg_id n = normal_node(l->a, l->op[k].x);

	return eg_root(l->a->g, core_kind(l->a, n) == C_AT || core_kind(l->a, n) == C_VIEW ? eg_args(l->a->g, n)[0] : l->op[k].x);
}

/* Are all read of one array?  Then a choice by the place is one read of it, as a table says. */
static bool of_one_array(lift *l)
{
	int k;

	for (k = 1; k < l->nop && read_of(l, k) == read_of(l, 0); k++)
		;
	return k == l->nop;
}

/* Are there many operands, and all finite?  0 times what is outside of a piece is 0 then. */
static bool in_pieces(lift *l)
{
	int k;

	for (k = 0; k < l->nop && type_is_float(l->type) && fact_finite(l->a, l->op[k].x); k++)
		;
	return k > 2 && k == l->nop && (k > AT_ONCE || !of_one_array(l));
}

/* ints[0]: the dimension */
eg_id lift_concatenate(lift *l)
{
	frame_of f = lift_frame(l);
	scratch *s = &l->a->s;
	ix **e = ARENA_ARRAY(&s->a, ix *, l->rank), *own = f.ie[l->ints[0]];
	int d = (int)l->ints[0], k;
	int64_t end = l->dim[d];
	slot t = { 0 };

	if (lift_any_empty(l))
		return no_empty(l);
	memcpy(e, f.ie, sizeof *e * (size_t)l->rank);
	if (l->nop == 1)
		return lift_moved(l, 0, lift_at(l, 0, f.re, e), &f);
	if (in_pieces(l)) {
		int64_t at = 0;
		return lift_finish(l, pieces(l, &f, 0, l->nop, &at), &f);
	}
	for (k = l->nop - 1; k >= 0; k--) {
		int64_t n = l->op[k].l.dim[d];
		slot x;
		end -= n;
		e[d] = lift_clip(l, ix_plus(s, own, -end), n);
		x = lift_slot(l, k, f.re, e);
		if (k == l->nop - 1) {
			t = x;
		} else {
			test q = { own, 0, end + n };
			if (k == 0)
				return finish_select(l, &f, slot_tests(&l->a->s, 1, &q), x, t);
			t = lift_select_slots(l, &f, slot_tests(&l->a->s, 1, &q), x, t);
		}
	}
	return NIL;
}

/* ints: rank of the operand, its dimensions from most major, the result's from most major.
 * The same bytes: a reshape of the physical order; another element type of the same width is a function. */
eg_id lift_bitcast(lift *l)
{
	frame_of f = lift_frame(l);
	scratch *s = &l->a->s;
	const layout *o = &l->op[0].l;
	int rin = o->rank, d;
	const int64_t *q = l->ints, *p = l->ints + rin;
	int64_t *sp = ARENA_ARRAY(&s->a, int64_t, l->rank), *sq = ARENA_ARRAY(&s->a, int64_t, rin);
	ix **ep = ARENA_ARRAY(&s->a, ix *, l->rank), **es, **e = ARENA_ARRAY(&s->a, ix *, rin);

	if (lift_any_empty(l))
		return no_empty(l);
	for (d = 0; d < l->rank; d++) {
		sp[d] = l->dim[p[d]];
		ep[d] = f.ie[p[d]];
	}
	for (d = 0; d < rin; d++)
		sq[d] = o->dim[q[d]];
	es = ix_digits(s, flat_index(l->a, l->rank, sp, ep), rin, sq);
	for (d = 0; d < rin; d++)
		e[q[d]] = es[d];
	if (*l->name) {
		work *w = lift_work(l, C_MAP, l->name, 1, &f);
		w->slot[0] = lift_slot(l, 0, f.re, e);
		return lift_finish(l, w, &f);
	}
	return lift_moved(l, 0, lift_at(l, 0, f.re, e), &f);
}

/* ---- offsets that are operands */

/* Offset of dimension d: operand first + d, or element d of one index vector. */
static ix *start_of(lift *l, int first, int d, const ix *r, int64_t lim)
{
	ix *at = ix_const(&l->a->s, d);
	bool vector = l->nop == first + 1 && l->op[first].l.rank == 1;
	int k = vector ? first : first + d;

	return lift_start(l, lift_slot(l, k, r, vector ? &at : NULL), l->op[k].type, lim, NULL);
}

eg_id lift_dynamic_slice(lift *l)
{
	frame_of f = lift_frame(l);
	scratch *s = &l->a->s;
	ix **e = ARENA_ARRAY(&s->a, ix *, l->rank);
	int d;

	if (lift_any_empty(l))
		return no_empty(l);
	for (d = 0; d < l->rank; d++) {
		int64_t lim = l->op[0].l.dim[d] - l->dim[d];
		e[d] = lim ? ix_add(s, f.ie[d], start_of(l, 1, d, f.re, lim)) : f.ie[d];
	}
	return lift_moved(l, 0, lift_at(l, 0, f.re, e), &f);
}

/* A type that holds the places of a dimension of n and differences of two of them: t, if it does. */
static int place_type(int t, int64_t n)
{
	int64_t lo, hi;

	int_range(t, &lo, &hi);
	return lo <= -n && hi >= n ? t : T_S64;
}

/* Dimension d of an update from a start that data choose: its places are compared with the ends, into mask, and the place
 * of the update is one that data choose.  Returns the masks used. */
static int compared_span(lift *l, const frame_of *f, int d, ix *from, slot *mask, ix **e)
{
	algebra *a = l->a;
	int64_t size = l->op[1].l.dim[d];
	int type = place_type(l->op[2].type, l->dim[d]);
	eg_id line = core_line(a, type);
	slot place = slot_read(line, f->ie[d], RAT_ONE);

	if (size == 1) {
		*e = ix_const(&a->s, 0);
		mask[0] = lift_compare(l, "compare:EQ", type, place, from);
		return 1;
	}
	mask[0] = lift_compare(l, "compare:GE", type, place, from);
	mask[1] = lift_compare(l, "compare:LT", type, place, ix_plus(&a->s, from, size));
	*e = lift_clamped(l, slot_read(line, ix_add(&a->s, f->ie[d], ix_times(&a->s, from, -1)), RAT_ONE), type, size - 1);
	return 2;
}

eg_id lift_dynamic_update_slice(lift *l)
{
	frame_of f = lift_frame(l);
	scratch *s = &l->a->s;
	ix **e = ARENA_ARRAY(&s->a, ix *, l->rank), *from;
	test *t = ARENA_ARRAY(&s->a, test, l->rank);
	slot *mask = ARENA_ARRAY(&s->a, slot, 3 * l->rank);
	int d, n = 0, m = 0;

	if (lift_any_empty(l))
		return no_empty(l);
	for (d = 0; d < l->rank; d++) {
		int64_t size = l->op[1].l.dim[d], lim = l->dim[d] - size;
		ix *y = f.ie[d];
		if (lim) {
			from = start_of(l, 2, d, f.re, lim);
			if (ix_has_data(from) && ix_apart(s, y, from)) {
				m += compared_span(l, &f, d, from, mask + m, &e[d]);
				continue;
			}
			y = ix_add(s, y, ix_times(s, from, -1));
			t[n++] = (test){ y, 0, size };
		}
		e[d] = lift_clip(l, y, size);
	}
	m += lift_tests(l, n, t, mask + m);
	if (!m)
		return lift_moved(l, 1, lift_at(l, 1, f.re, e), &f);
	return finish_selects(l, &f, m, mask, lift_slot(l, 1, f.re, e), lift_slot(l, 0, f.re, f.ie));
}

/* ints: index_vector_dim, then lists, each led by its length: offset_dims, collapsed_slice_dims, start_index_map,
 * operand_batching_dims, start_indices_batching_dims, slice_sizes */
enum gather_list { OFFSETS, COLLAPSED, STARTS, OPERAND_BATCH, INDEX_BATCH, SIZES, GATHER_LISTS };
struct gather_lists {
	int n[GATHER_LISTS];
	const int64_t *v[GATHER_LISTS];
};

static bool listed(const struct gather_lists *g, enum gather_list k, int64_t d)
{
	return integers_have(g->v[k], g->n[k], d);
}

static struct gather_lists gather_lists(const int64_t *p)
{
	struct gather_lists g;
	int k;

	for (k = 0; k < GATHER_LISTS; k++) {
		g.n[k] = (int)*p++;
		g.v[k] = p;
		p += g.n[k];
	}
	return g;
}

/* A gather: where each dimension of the operand is read.  One of them may be known as n over + idx, 0 <= idx < n. */
struct places {
	struct gather_lists g;
	ix **idx, *over;
	int cut;		/* that dimension */
	int64_t n;
};

/* The operand, with `e` as the place in the dimension that is cut.  Offsets within a window go to the dimensions that are kept,
 * in their order. */
static slot gathered(lift *l, const struct places *p, const frame_of *f, ix *e)
{
	int d, k = 0, rank = l->op[0].l.rank;
	ix **at = ARENA_ARRAY(&l->a->s.a, ix *, rank);

	for (d = 0; d < rank; d++) {
		at[d] = p->over && d == p->cut ? e : p->idx[d];
		if (!listed(&p->g, COLLAPSED, d) && !listed(&p->g, OPERAND_BATCH, d) && k < p->g.n[OFFSETS])
			at[d] = ix_add(&l->a->s, at[d], f->ie[p->g.v[OFFSETS][k++]]);
	}
	return lift_slot(l, 0, f->re, at);
}

/* In range, before it or behind it: a choice by the high digits, which a table of every place would not show. */
static eg_id gathered_cut(lift *l, const struct places *p, const frame_of *f)
{
	scratch *s = &l->a->s;
	test in = { p->over, 0, 1 }, before = { p->over, INT64_MIN, 0 };
	slot x = gathered(l, p, f, p->idx[p->cut]), first = gathered(l, p, f, ix_const(s, 0)),
	     last = gathered(l, p, f, ix_const(s, p->n - 1));
	int64_t lo, hi;

	ix_range(s, p->over, &lo, &hi);
	if (lo >= 0)
		first = last;
	else if (hi > 0)
		first = lift_select_slots(l, f, slot_tests(&l->a->s, 1, &before), first, last);
	return finish_select(l, f, slot_tests(&l->a->s, 1, &in), x, first);
}

eg_id lift_gather(lift *l)
{
	frame_of f = lift_frame(l);
	scratch *s = &l->a->s;
	struct gather_lists g = gather_lists(l->ints + 1);
	const layout *x = &l->op[0].l, *si = &l->op[1].l;
	int k, d, ivd = (int)l->ints[0], nb = 0, b = 0, *bdim = ARENA_ARRAY(&s->a, int, si->rank);
	ix **idx = ARENA_ARRAY(&s->a, ix *, x->rank), **batch = ARENA_ARRAY(&s->a, ix *, l->rank), **at = ARENA_ARRAY(&s->a, ix *, si->rank);
	struct places p = { .g = g, .idx = idx };

	if (lift_any_empty(l))
		return no_empty(l);
	for (d = 0; d < l->rank; d++)
		if (!listed(&g, OFFSETS, d))
			batch[nb++] = f.ie[d];
	for (d = 0; d < si->rank; d++)
		if (d != ivd)
			bdim[b++] = d;
	for (d = 0; d < x->rank; d++)
		idx[d] = ix_const(s, 0);
	for (k = 0; k < g.n[STARTS]; k++) {
		int od = (int)g.v[STARTS][k];
		for (d = 0; d < b && d < nb; d++)
			at[bdim[d]] = batch[d];
		if (ivd < si->rank)
			at[ivd] = ix_const(s, k);
		if (!p.over) {
			p.cut = od;
			p.n = x->dim[od] - g.v[SIZES][od] + 1;
		}
		idx[od] = lift_start(l, lift_slot(l, 1, f.re, at), l->op[1].type, x->dim[od] - g.v[SIZES][od], p.over ? NULL : &p.over);
	}
	for (k = 0; k < g.n[OPERAND_BATCH]; k++)
		for (d = 0; d < b; d++)
			if (bdim[d] == g.v[INDEX_BATCH][k])
				idx[g.v[OPERAND_BATCH][k]] = batch[d];
	if (p.over)
		return gathered_cut(l, &p, &f);
	return lift_moved(l, 0, gathered(l, &p, &f, NULL).e, &f);
}
