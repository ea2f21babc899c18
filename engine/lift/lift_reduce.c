/* lift_reduce.c - contractions and reductions (RULES 1.4). */
#include "lift/lift.h"

#include <stdlib.h>
#include <string.h>
#include "core/mask.h"
#include "core/zip.h"
#include "tensor/reducer.h"

static label *bound_label(lift *l, int64_t n)
{
	label *b = label_new(&l->a->s, n);

	b->bound = true;
	return b;
}

/* A slot in another element type: convert is a function, exact ones go by their own rule. */
static slot in_type(lift *l, slot t, int from, int to)
{
	if (from == to || core_type(l->a, t.x) == TYPE_REAL)
		return t;
	return slot_mapped(l->a, from == T_PRED ? "num" : "convert", to, &t, RAT_ONE);
}

/* The type in which a contraction of these operands is exact: the wider of all. */
static int wide_type(const lift *l)
{
	int t = l->type, k;

	for (k = 0; k < 2; k++)
		if (l->op[k].type != T_PRED && type_holds(l->op[k].type, t))
			t = l->op[k].type;
	return t;
}

/* The free labels of a part of a contraction that is not summed yet: the frame's and the bound ones. */
static label **with_bound(lift *l, const frame_of *f, int nb, label **bound)
{
	label **free = ARENA_ARRAY(&l->a->s.a, label *, l->rank + 1 + nb);

	free[0] = f->r;
	memcpy(free + 1, f->i, sizeof *free * (size_t)l->rank);
	memcpy(free + 1 + l->rank, bound, sizeof *free * (size_t)nb);
	return free;
}

/* x where the masks hold, else 0: chosen, for x may be infinite.  The 0 is multiplied by what stands beside it. */
static slot padded_with_zeros(lift *l, const frame_of *f, int type, slot x, int nmask, const slot *mask, int nb, label **bound)
{
	work *c;
	label **free = with_bound(l, f, nb, bound);
	int k;

	for (k = 0; k < nmask; k++) {
		c = lift_select_work(l, f, mask[k], x, slot_read(core_rat(l->a, TYPE_REAL, RAT_ZERO), ix_const(&l->a->s, 0), RAT_ONE));
		c->type = type;
		work_set_free(l->a, c, l->rank + 1 + nb, free);
		x = slot_of_work(l->a, c, RAT_ONE);
	}
	return x;
}

/* A contraction of truth values: or of ands. */
static eg_id finish_any_of(lift *l, const frame_of *f, slot x, slot y, int nb, label **bound)
{
	work *m = work_new(l->a, C_LAT, T_PRED, 2), *w;

	work_set_free(l->a, m, l->rank + 1 + nb, with_bound(l, f, nb, bound));
	m->nslot = 2;
	m->slot[0] = x;
	m->slot[1] = y;
	m->fn = val_name(l->a, "and");
	x = slot_of_work(l->a, m, RAT_ONE);
	w = lift_work(l, C_RED, "or", 1, f);
	work_set_bound(l->a, w, nb, bound);
	w->slot[0] = x;
	return lift_finish(l, w, f);
}

/* Closes a contraction of two slots in the wide type; a narrow result is a convert of the wide one (T10, T27). */
static eg_id finish_contraction(lift *l, const frame_of *f, slot x, slot y, int nmask, const slot *mask, int nb, label **bound)
{
	int wide = wide_type(l), k;
	work *w;
	slot t;

	if (!type_is_float(wide) && !type_is_int(wide) && wide != T_PRED)
		return refuse(l->a, "no rule for products of %s", wide < T_COUNT ? etype_name((enum etype)wide) : "this type");
	for (k = 0; k < 2; k++)
		if (type_is_float(l->op[k].type) && l->op[k].type != wide && !type_holds(wide, l->op[k].type))
			return refuse(l->a, "%s does not hold every %s", etype_name((enum etype)wide), etype_name((enum etype)l->op[k].type));
	if (wide == T_PRED)
		return finish_any_of(l, f, x, y, nb, bound);
	x = in_type(l, x, l->op[0].type, wide);
	y = in_type(l, y, l->op[1].type, wide);
	w = lift_work(l, C_EIN, NULL, 2 + nmask, f);
	w->type = wide;
	work_set_bound(l->a, w, nb, bound);
	if (nmask && !fact_finite(l->a, l->op[0].x)) {
		x = padded_with_zeros(l, f, wide, x, nmask, mask, nb, bound);
		nmask = 0;
	}
	w->nslot = 2 + nmask;
	w->slot[0] = x;
	w->slot[1] = y;
	for (k = 0; k < nmask; k++) {
		w->slot[2 + k] = mask[k];
		w->slot[2 + k].vtype = TYPE_REAL;
	}
	if (wide == l->type)
		return lift_finish(l, w, f);
	t = slot_of_work(l->a, w, RAT_ONE);
	w = lift_work(l, C_MAP, "convert", 1, f);
	w->slot[0] = t;
	return lift_finish(l, w, f);
}

/* ints: nbatch, lhs batch.., rhs batch.., ncontract, lhs.., rhs..; result: batch, lhs free, rhs free */
eg_id lift_dot(lift *l)
{
	frame_of f = lift_frame(l);
	scratch *s = &l->a->s;
	const layout *x = &l->op[0].l, *y = &l->op[1].l;
	int nb = (int)l->ints[0], nc = (int)l->ints[1 + 2 * nb], k, d, o = nb;
	const int64_t *lb = l->ints + 1, *rb = lb + nb, *lc = rb + nb + 1, *rc = lc + nc;
	ix **ex = arena_zalloc(&s->a, sizeof *ex * (size_t)(x->rank + 1)), **ey = arena_zalloc(&s->a, sizeof *ey * (size_t)(y->rank + 1));
	label **bound = ARENA_ARRAY(&s->a, label *, nc);

	if (lift_any_empty(l))
		return refuse(l->a, "an empty tensor");
	for (k = 0; k < nb; k++)
		ex[lb[k]] = ey[rb[k]] = f.ie[k];
	for (k = 0; k < nc; k++) {
		bound[k] = bound_label(l, x->dim[lc[k]]);
		ex[lc[k]] = ey[rc[k]] = ix_of(s, bound[k], 1);
	}
	for (d = 0; d < x->rank; d++)
		if (!ex[d])
			ex[d] = f.ie[o++];
	for (d = 0; d < y->rank; d++)
		if (!ey[d])
			ey[d] = f.ie[o++];
	return finish_contraction(l, &f, lift_slot(l, 0, f.re, ex), lift_slot(l, 1, f.re, ey), 0, NULL, nc, bound);
}

eg_id lift_convolution(lift *l)
{
	frame_of f = lift_frame(l);
	scratch *s = &l->a->s;
	const layout *x = &l->op[0].l, *y = &l->op[1].l;
	const int64_t *p = l->ints;
	int64_t groups = p[CONV_GROUPS], cin = x->dim[p[CONV_INPUT_FEATURE]];
	int ns = (int)p[CONV_SPATIAL], k, nb = 0, nt = 0;
	ix **ex = ARENA_ARRAY(&s->a, ix *, x->rank), **ey = ARENA_ARRAY(&s->a, ix *, y->rank), *g, *rest;
	label **bound = ARENA_ARRAY(&s->a, label *, ns + 1), *c;
	test *t = ARENA_ARRAY(&s->a, test, 2 * ns);
	slot *mask = ARENA_ARRAY(&s->a, slot, 2 * ns);

	if (lift_any_empty(l))
		return refuse(l->a, "an empty tensor");
	c = bound[nb++] = bound_label(l, cin / groups);
	ix_divmod(s, f.ie[p[CONV_OUTPUT_FEATURE]], l->dim[p[CONV_OUTPUT_FEATURE]] / p[CONV_BATCH_GROUPS], &g, &rest);
	ex[p[CONV_INPUT_BATCH]] = ix_add(s, ix_times(s, g, l->dim[p[CONV_OUTPUT_BATCH]]), f.ie[p[CONV_OUTPUT_BATCH]]);
	ey[p[CONV_KERNEL_OUTPUT]] = f.ie[p[CONV_OUTPUT_FEATURE]];
	ey[p[CONV_KERNEL_INPUT]] = ix_of(s, c, 1);
	ix_divmod(s, f.ie[p[CONV_OUTPUT_FEATURE]], l->dim[p[CONV_OUTPUT_FEATURE]] / groups, &g, &rest);
	ex[p[CONV_INPUT_FEATURE]] = ix_add(s, ix_times(s, g, cin / groups), ix_of(s, c, 1));
	for (k = 0; k < ns; k++) {
		const int64_t *q = p + CONV_INTS + CONV_DIM_INTS * k;
		label *w = bound[nb++] = bound_label(l, q[CONV_SIZE]);
		ix *e, *rem, *ww = ix_of(s, w, 1);
		int64_t size = x->dim[q[CONV_INPUT]], lo, hi;
		ey[q[CONV_KERNEL]] = q[CONV_REVERSED] ? ix_plus(s, ix_times(s, ww, -1), q[CONV_SIZE] - 1) : ww;
		e = ix_plus(s, ix_add(s, ix_times(s, f.ie[q[CONV_OUTPUT]], q[CONV_STRIDE]), ix_times(s, ww, q[CONV_DILATION])), -q[CONV_LOW]);
		if (q[CONV_BASE_DILATION] != 1) {
			ix_divmod(s, e, q[CONV_BASE_DILATION], &e, &rem);
			t[nt++] = (test){ rem, 0, 1 };
		}
		ix_range(s, e, &lo, &hi);
		if (lo < 0 || hi >= size)
			t[nt++] = (test){ e, 0, size };
		ex[q[CONV_INPUT]] = lift_clip(l, e, size);
	}
	nt = lift_tests(l, nt, t, mask);
	return finish_contraction(l, &f, lift_slot(l, 0, f.re, ex), lift_slot(l, 1, f.re, ey), nt, mask, nb, bound);
}

static work *reduction(lift *l, const char *op, const frame_of *f, slot t, int nb, label **bound)
{
	bool add = !strcmp(op, "add") && l->type != T_PRED;
	work *w = lift_work(l, add ? C_EIN : C_RED, add ? NULL : op, 1, f);

	w->slot[0] = t;
	work_set_bound(l->a, w, nb, bound);
	return w;
}

/* The initial value stands once, outside. */
static eg_id with_initial(lift *l, const char *op, const frame_of *f, work *w, slot init)
{
	slot t = slot_of_work(l->a, w, RAT_ONE);
	enum core_kind k = !strcmp(op, "add") ? C_SUM : !strcmp(op, "multiply") ? C_MUL : C_LAT;

	w = lift_work(l, k, k == C_LAT ? op : NULL, 2, f);
	w->slot[0] = t;
	w->slot[1] = init;
	return lift_finish(l, w, f);
}

/* ints: the dimensions; name: the operation; operands x, initial value */
eg_id lift_reduce(lift *l)
{
	frame_of f = lift_frame(l);
	scratch *s = &l->a->s;
	const layout *x = &l->op[0].l;
	ix **e = arena_zalloc(&s->a, sizeof *e * (size_t)(x->rank + 1));
	label **bound = ARENA_ARRAY(&s->a, label *, l->nint);
	const char *op = reducer_of_type(l->name, l->type);
	int k, d, o = 0;

	if (!reducer_known(op))
		return refuse(l->a, "no rule for this reducer");
	if (lift_any_empty(l))
		return refuse(l->a, "an empty tensor");
	if (!reducer_idempotent(op) && !type_is_float(l->type) && !type_is_int(l->type) && l->type != T_PRED)
		return refuse(l->a, "no rule for this reducer");
	for (k = 0; k < l->nint; k++) {
		bound[k] = bound_label(l, x->dim[l->ints[k]]);
		e[l->ints[k]] = ix_of(s, bound[k], 1);
	}
	for (d = 0; d < x->rank; d++)
		if (!e[d])
			e[d] = f.ie[o++];
	return with_initial(l, op, &f, reduction(l, op, &f, lift_slot(l, 0, f.re, e), l->nint, bound),
			    slot_read(l->op[1].x, lift_at(l, 1, f.re, NULL), RAT_ONE));
}

/* A small number in the type of the result. */
static slot small_number(lift *l, int64_t v)
{
	scratch *s = &l->a->s;

	if (type_is_int(l->type))
		return slot_read(core_line(l->a, l->type), ix_const(s, v), RAT_ONE);
	return slot_read(core_rat(l->a, TYPE_REAL, (rat){ v, 1 }), ix_const(s, 0), RAT_ONE);
}

/* What a place of a window of x reads, `fill` outside of x: chosen, not multiplied by 0, for x may be infinite.  The
 * labels that run through the windows are bound[0..*nb). */
static slot window_slot(lift *l, const frame_of *f, int64_t fill, label **bound, int *nb)
{
	scratch *s = &l->a->s;
	const layout *x = &l->op[0].l;
	ix **e = ARENA_ARRAY(&s->a, ix *, x->rank), *at, *rem;
	test *t = ARENA_ARRAY(&s->a, test, 2 * x->rank);
	slot *mask = ARENA_ARRAY(&s->a, slot, 2 * x->rank), r;
	label **in;
	int64_t lo, hi;
	int d, nt = 0;
	work *w;

	for (d = 0; d < x->rank; d++) {
		const int64_t *q = l->ints + 6 * d;
		at = ix_times(s, f->ie[d], q[1]);
		if (q[0] > 1) {
			bound[*nb] = bound_label(l, q[0]);
			at = ix_add(s, at, ix_of(s, bound[(*nb)++], q[5]));
		}
		at = ix_plus(s, at, -q[2]);
		if (q[4] != 1) {
			ix_divmod(s, at, q[4], &at, &rem);
			t[nt++] = (test){ rem, 0, 1 };
		}
		ix_range(s, at, &lo, &hi);
		if (lo < 0 || hi >= x->dim[d])
			t[nt++] = (test){ at, 0, x->dim[d] };
		e[d] = lift_clip(l, at, x->dim[d]);
	}
	r = lift_slot(l, 0, f->re, e);
	for (nt = lift_tests(l, nt, t, mask); nt; nt--) {
		w = lift_work(l, C_MAP, "select", 3, f);
		in = ARENA_ARRAY(&s->a, label *, w->nfree + *nb);
		memcpy(in, w->free, sizeof *in * (size_t)w->nfree);
		memcpy(in + w->nfree, bound, sizeof *in * (size_t)*nb);
		work_set_free(l->a, w, w->nfree + *nb, in);
		w->slot[0] = mask[nt - 1];
		w->slot[1] = r;
		w->slot[2] = small_number(l, fill);
		r = slot_of_work(l->a, w, RAT_ONE);
	}
	return r;
}

/* A window along one dimension, as ints hold it. */
enum { SIZE, STRIDE, LOW, HIGH, BASE_DILATION, DILATION, WINDOW_INTS };

/* Where place v of window o is in an operand of n places; -1: outside, or between its places. */
static int64_t window_place(const int64_t *q, int64_t o, int64_t v, int64_t n)
{
	int64_t at = q[STRIDE] * o + q[DILATION] * v - q[LOW];

	return at >= 0 && at % q[BASE_DILATION] == 0 && at / q[BASE_DILATION] < n ? at / q[BASE_DILATION] : -1;
}

static bool window_of_one(const int64_t *q)
{
	return q[SIZE] == 1 && q[STRIDE] == 1 && !q[LOW] && !q[HIGH] && q[BASE_DILATION] == 1;
}

static label **two_labels(lift *l, label *out, label *in)
{
	label **kl = ARENA_ARRAY(&l->a->s.a, label *, 2);

	kl[0] = out;
	kl[1] = in;
	grid_size(&l->a->s, 2, kl);
	return kl;
}

/* K(window, place): how often the window has the place. */
static slot window_counts(lift *l, const int64_t *q, label *out, label *in)
{
	label **kl = two_labels(l, out, in);
	double *t = arena_zalloc(&l->a->s.a, sizeof *t * (size_t)(out->n * in->n));
	int64_t o, v, at;

	for (o = 0; o < out->n; o++)
		for (v = 0; v < q[SIZE]; v++)
			if ((at = window_place(q, o, v, in->n)) >= 0)
				t[o * in->n + at]++;
	return slot_table(TYPE_REAL, 2, kl, t, RAT_ONE);
}

/* The place that each of a window reads, the nearest one inside where it lies outside; NULL: a window has none inside. */
static ix *window_inside(lift *l, const int64_t *q, label *out, label *in, int64_t n)
{
	label **kl = two_labels(l, out, in);
	int64_t *t = ARENA_ARRAY(&l->a->s.a, int64_t, out->n * q[SIZE]), o, v;
	bool *inside = ARENA_ARRAY(&l->a->s.a, bool, q[SIZE]);

	for (o = 0; o < out->n; o++) {
		int64_t *row = t + o * q[SIZE];
		for (v = 0; v < q[SIZE]; v++) {
			row[v] = window_place(q, o, v, n);
			inside[v] = row[v] >= 0;
		}
		fill_row(q[SIZE], row, inside);
		if (!inside[0])
			return NULL;
	}
	return ix_table(&l->a->s, 2, kl, t);
}

/* Integers: as an index expression. */
static slot matrix_slot(lift *l, const slot *k)
{
	int64_t cnt = grid_size(&l->a->s, k->nl, k->l), i, *v;

	if (!type_is_int(l->type))
		return *k;
	v = ARENA_ARRAY(&l->a->s.a, int64_t, cnt);
	for (i = 0; i < cnt; i++)
		v[i] = (int64_t)k->v[i];
	return slot_read(core_line(l->a, l->type), ix_table(&l->a->s, k->nl, k->l, v), RAT_ONE);
}

/* Windows apart from each other that lie in an operand of n places. */
static bool windows_apart(const int64_t *q, int64_t windows, int64_t n)
{
	int64_t reach = (q[SIZE] - 1) * q[DILATION];

	return q[BASE_DILATION] == 1 && q[STRIDE] > reach && q[LOW] <= 0 && q[STRIDE] * (windows - 1) + reach - q[LOW] < n;
}

/* A sum in windows: windows apart are read place by place, others are the contraction with the product of the matrices along
 * the dimensions. */
static work *window_sum(lift *l, const frame_of *f)
{
	const layout *x = &l->op[0].l;
	ix **e = ARENA_ARRAY(&l->a->s.a, ix *, x->rank);
	label **bound = ARENA_ARRAY(&l->a->s.a, label *, x->rank);
	slot k = { 0 }, one;
	int d, nb = 0, nk = 0;
	work *w;

	for (d = 0; d < x->rank; d++) {
		const int64_t *q = l->ints + WINDOW_INTS * d;
		e[d] = f->ie[d];
		if (window_of_one(q))
			continue;
		if (windows_apart(q, l->dim[d], x->dim[d])) {
			bound[nb] = bound_label(l, q[SIZE]);
			e[d] = ix_plus(&l->a->s, ix_add(&l->a->s, ix_times(&l->a->s, f->ie[d], q[STRIDE]),
							ix_of(&l->a->s, bound[nb++], q[DILATION])), -q[LOW]);
			continue;
		}
		bound[nb] = bound_label(l, x->dim[d]);
		one = window_counts(l, q, f->i[d], bound[nb]);
		k = nk++ ? tables_zip(l->a, &k, &one, zip_times, TYPE_REAL) : one;
		e[d] = ix_of(&l->a->s, bound[nb++], 1);
	}
	w = lift_work(l, C_EIN, NULL, nk ? 2 : 1, f);
	work_set_bound(l->a, w, nb, bound);
	w->slot[0] = lift_slot(l, 0, f->re, e);
	if (nk)
		w->slot[1] = matrix_slot(l, &k);
	return w;
}

/* An idempotent operation in windows: it may reach a place more than once. */
static work *window_extreme(lift *l, const char *op, const frame_of *f)
{
	const layout *x = &l->op[0].l;
	ix **e = ARENA_ARRAY(&l->a->s.a, ix *, x->rank);
	label **bound = ARENA_ARRAY(&l->a->s.a, label *, x->rank);
	int d, nb = 0;

	for (d = 0; d < x->rank; d++) {
		const int64_t *q = l->ints + WINDOW_INTS * d;
		e[d] = f->ie[d];
		if (window_of_one(q))
			continue;
		bound[nb] = bound_label(l, q[SIZE]);
		if (!(e[d] = window_inside(l, q, f->i[d], bound[nb++], x->dim[d])))
			return NULL;
	}
	return reduction(l, op, f, lift_slot(l, 0, f->re, e), nb, bound);
}

/* .. where what lies outside counts as the number that never matters. */
static work *window_chosen(lift *l, const char *op, const frame_of *f, int64_t fill)
{
	label **bound = ARENA_ARRAY(&l->a->s.a, label *, l->op[0].l.rank);
	int nb = 0;
	slot t = window_slot(l, f, fill, bound, &nb);

	return reduction(l, op, f, t, nb, bound);
}

/* Is what stands between and around the operand's places of no account: there is nothing, or the initial value is neutral?
 * Whether padding holds that value, and adds it once more, is not agreed on. */
static bool padding_is_neutral(lift *l, slot init, int64_t neutral)
{
	number v;
	int d;

	if (slot_number(l->a, &init, &v) && number_double(v) == (double)neutral)
		return true;
	for (d = 0; d < l->op[0].l.rank; d++) {
		const int64_t *q = l->ints + WINDOW_INTS * d;
		if (q[LOW] || q[HIGH] || q[BASE_DILATION] != 1)
			return false;
	}
	return true;
}

/* ints per dimension: size, stride, low, high, base dilation, window dilation; name: the operation.
 * add: contraction with a constant matrix K(out, in); multiply: 1 stands outside; idempotent operations: places outside of the operand are
 * replaced by the nearest one inside of the same window. */
eg_id lift_reduce_window(lift *l)
{
	frame_of f = lift_frame(l);
	const char *op = reducer_of_type(l->name, l->type);
	bool add = !strcmp(op, "add") && l->type != T_PRED, times_all = !strcmp(op, "multiply");
	work *w;
	slot init;

	if (!reducer_known(op) || (times_all && !type_is_float(l->type) && !type_is_int(l->type)))
		return refuse(l->a, "no rule for this reducer");
	if (lift_any_empty(l))
		return refuse(l->a, "an empty tensor");
	init = slot_read(l->op[1].x, lift_at(l, 1, f.re, NULL), RAT_ONE);
	if ((add || times_all) && !padding_is_neutral(l, init, times_all))
		return refuse(l->a, "padding, and an initial value that is not neutral");
	if (times_all || (add && !fact_finite(l->a, l->op[0].x)))
		w = window_chosen(l, op, &f, times_all);
	else
		w = add ? window_sum(l, &f) : window_extreme(l, op, &f);
	if (!w)
		return refuse(l->a, "a window of nothing");
	return with_initial(l, op, &f, w, init);
}
