#include "lift/lift.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "core/fact_range.h"
#include "tensor/reducer.h"
#include "util/integers.h"

int64_t lift_elements(const lift *l)
{
	return integers_product(l->dim, l->rank);
}

bool lift_empty(const lift *l)
{
	return integers_have(l->dim, l->rank, 0);
}

double lift_real(const lift *l, int k)
{
	double d;

	memcpy(&d, &l->ints[k], sizeof d);
	return d;
}

bool lift_any_empty(const lift *l)
{
	int k, d;

	if (lift_empty(l))
		return true;
	for (k = 0; k < l->nop; k++)
		for (d = 0; d < l->op[k].l.rank; d++)
			if (l->op[k].l.dim[d] == 0)
				return true;
	return false;
}

bool lift_begin(lift *l, algebra *a, eg_id node)
{
	const eg_id *arg = eg_args(a->g, node);
	const int64_t *shape;
	int n, k;

	memset(l, 0, sizeof *l);
	l->a = a;
	l->node = node;
	l->type = val_type(a, node_val(a, node, TENSOR_TYPE));
	shape = val_get_ints(a, node_val(a, node, TENSOR_SHAPE), &n);
	l->ndev = shape[0];
	l->rank = n - 1;
	l->dim = shape + 1;
	l->ints = val_get_ints(a, node_val(a, node, TENSOR_INTS), &l->nint);
	l->name = val_get_name(a, node_val(a, node, TENSOR_NAME));
	l->nop = (int)eg_narg(a->g, node);
	l->op = ARENA_ARRAY(&a->s.a, operand_form, l->nop);
	for (k = 0; k < l->nop; k++) {
		operand_form *o = &l->op[k];
		o->t = arg[k];
		o->cell = laid_cell(a, arg[k]);
		if (o->cell == NIL)
			return false;
		history_premise(a, o->t, o->cell);
		o->x = eg_args(a->g, o->cell)[0];
		o->l = layout_of(a, o->cell);
		o->type = core_kind(a, arg[k]) == C_TENSOR ? val_type(a, node_val(a, arg[k], TENSOR_TYPE)) : core_type(a, o->x);
	}
	return true;
}

frame_of lift_frame(lift *l)
{
	scratch *s = &l->a->s;
	frame_of f;
	int k;

	f.r = label_new(s, l->ndev);
	f.re = ix_of(s, f.r, 1);
	f.i = ARENA_ARRAY(&s->a, label *, l->rank);
	f.ie = ARENA_ARRAY(&s->a, ix *, l->rank);
	for (k = 0; k < l->rank; k++) {
		f.i[k] = label_new(s, l->dim[k]);
		f.ie[k] = ix_of(s, f.i[k], 1);
	}
	return f;
}

ix *lift_at(lift *l, int k, const ix *r, ix *const *e)
{
	const layout *y = &l->op[k].l;

	return layout_read(l->a, y, r, flat_index(l->a, y->rank, y->dim, e));
}

slot lift_slot(lift *l, int k, const ix *r, ix *const *e)
{
	return slot_read(l->op[k].x, lift_at(l, k, r, e), RAT_ONE);
}

work *lift_work(lift *l, enum core_kind kind, const char *fn, int nslot, const frame_of *f)
{
	work *w = work_new(l->a, kind, l->type, nslot);
	label **free = ARENA_ARRAY(&l->a->s.a, label *, l->rank + 1);
	int k;

	free[0] = f->r;
	for (k = 0; k < l->rank; k++)
		free[1 + k] = f->i[k];
	work_set_free(l->a, w, l->rank + 1, free);
	w->nslot = nslot;
	w->fn = fn ? val_name(l->a, fn) : NIL;
	return w;
}

eg_id lift_finish_over(lift *l, work *w, const frame_of *f, int ni)
{
	placed p = work_make(l->a, w);
	layout y = { l->ndev, l->rank, 0, 0, l->dim, NULL, NULL };
	digit *dev = ARENA_ARRAY(&l->a->s.a, digit, 64), *loc = ARENA_ARRAY(&l->a->s.a, digit, 64 * (ni + 1));

	y.nd = placed_digits(&p, 1, &f->r, dev);
	y.nl = placed_digits(&p, ni, f->i, loc);
	y.dev = dev;
	y.loc = loc;
	return layout_laid(l->a, &y, p.n);
}

eg_id lift_finish(lift *l, work *w, const frame_of *f)
{
	return lift_finish_over(l, w, f, l->rank);
}

/* A reading that is a layout of the whole core stays one. */
static eg_id as_layout(lift *l, eg_id x, const ix *at, const frame_of *f)
{
	scratch *s = &l->a->s;
	digit *d = ARENA_ARRAY(&s->a, digit, 128), *loc = ARENA_ARRAY(&s->a, digit, 256), *all;
	layout y = { l->ndev, l->rank, 0, 0, l->dim, d, loc };

	y.nd = digits_of_ix(s, at, 1, (label **)&f->r, d, 128);
	y.nl = digits_of_ix(s, at, l->rank, f->i, loc, 256);
	if (y.nd < 0 || y.nl < 0)
		return NIL;
	all = ARENA_ARRAY(&s->a, digit, y.nd + y.nl);
	memcpy(all, d, sizeof *d * (size_t)y.nd);
	memcpy(all + y.nd, loc, sizeof *d * (size_t)y.nl);
	if (!digits_cover(y.nd + y.nl, all, core_len(l->a, x)))
		return NIL;
	return layout_laid(l->a, &y, x);
}

eg_id lift_moved(lift *l, int k, const ix *at, const frame_of *f)
{
	eg_id n;
	work *w;
	bool data = false;
	int i;

	if (l->op[k].type != l->type)
		return refuse(l->a, "the element type changes");
	at = ix_norm(&l->a->s, at);
	for (i = 0; i < at->nt; i++)
		data = data || at->t[i].l->data;
	n = data ? NIL : as_layout(l, l->op[k].x, at, f);
	if (n != NIL)
		return n;
	w = lift_work(l, C_AT, NULL, 1, f);
	w->type = core_type(l->a, l->op[k].x);
	w->slot[0] = slot_read(l->op[k].x, (ix *)at, RAT_ONE);
	return lift_finish(l, w, f);
}

work *lift_reduction(lift *l, const frame_of *f, label *k, ix *g, ix *const *e)
{
	const char *op = reducer_of_type(l->name, l->type);
	bool add = !strcmp(op, "add") && l->type != T_PRED;
	work *w = lift_work(l, add ? C_EIN : C_RED, add ? NULL : op, 2, f);

	k->bound = true;
	w->nslot = 1;
	work_set_bound(l->a, w, 1, &k);
	w->slot[0] = lift_slot(l, 0, g, e);
	return w;
}

/* ---- masks and clipping */

static int64_t f_clip(int64_t v, const void *arg)
{
	const int64_t *n = arg;

	return v < 0 ? 0 : v >= *n ? *n - 1 : v;
}

ix *lift_clip(lift *l, ix *e, int64_t n)
{
	int64_t lo, hi;

	ix_range(&l->a->s, e, &lo, &hi);
	return lo >= 0 && hi < n ? e : ix_map(&l->a->s, e, f_clip, &n);
}

slot lift_compare(lift *l, const char *direction, int type, slot x, ix *e)
{
	algebra *a = l->a;
	slot t[2] = { x, slot_read(core_line(a, type), e, RAT_ONE) };
	label **lab, **fr = ARENA_ARRAY(&a->s.a, label *, 512);
	work *w = work_new(a, C_MAP, T_PRED, 2);
	int n, i, k, m = 0;

	for (k = 0; k < 2; k++)
		for (n = slot_labels(a, &t[k], &lab), i = 0; i < n; i++)
			if (!lab[i]->data)
				m = label_collect(&a->s, fr, m, 512, lab[i]);
	work_set_free(a, w, m, fr);
	w->fn = val_name(a, direction);
	w->nslot = 2;
	memcpy(w->slot, t, sizeof t);
	return slot_of_work(a, w, RAT_ONE);
}

static bool tests_fit(scratch *s, int n, const test *t)
{
	label **u;
	int nu = test_labels(s, n, t, &u);

	return grid_fits(nu, u);
}

static bool share_labels(scratch *s, const ix *x, const ix *y)
{
	label **u, **v;
	int n = ix_labels(s, x, &u), m = ix_labels(s, y, &v), i = 0;

	while (i < m && !label_in(v[i], n, u))
		i++;
	return i < m;
}

int lift_tests(lift *l, int n, const test *t, slot *mask)
{
	scratch *s = &l->a->s;
	test *part = ARENA_ARRAY(&s->a, test, n);
	bool *taken = arena_zalloc(&s->a, sizeof *taken * (size_t)n + 1);
	int i, j, m, k = 0;

	if (n && tests_fit(s, n, t)) {
		mask[0] = slot_tests(s, n, t);
		return 1;
	}
	for (i = 0; i < n; i++) {
		if (taken[i])
			continue;
		for (m = 0, j = i; j < n; j++)
			if (!taken[j] && share_labels(s, t[i].e, t[j].e)) {
				part[m++] = t[j];
				taken[j] = true;
			}
		mask[k++] = slot_tests(s, m, part);
	}
	return k;
}

work *lift_select_work(lift *l, const frame_of *f, slot mask, slot x, slot y)
{
	work *w = lift_work(l, C_MAP, "select", 3, f);

	w->slot[0] = mask;
	w->slot[1] = x;
	w->slot[2] = y;
	return w;
}

slot lift_select_slots(lift *l, const frame_of *f, slot mask, slot x, slot y)
{
	return slot_of_work(l->a, lift_select_work(l, f, mask, x, y), RAT_ONE);
}

/* ---- offsets */

static slot int_number(algebra *a, int type, int64_t v)
{
	return slot_read(core_line(a, type), ix_const(&a->s, v), RAT_ONE);
}

/* The place in 0..n-1 nearest to e.  Where e is n over + within, without a table, that is said instead. */
static ix *nearest(lift *l, ix *e, int64_t n, ix **over)
{
	int64_t lo, hi;
	ix *within;

	e = ix_norm(&l->a->s, e);
	ix_range(&l->a->s, e, &lo, &hi);
	if (!over || (lo >= 0 && hi < n) || n == 1 || !ix_divides(&l->a->s, e, n))
		return lift_clip(l, e, n);
	ix_divmod(&l->a->s, e, n, over, &within);
	return within;
}

ix *lift_start(lift *l, slot t, int type, int64_t lim, ix **over)
{
	algebra *a = l->a;
	ix *e;
	int64_t lo, hi, n;

	int_range(type, &lo, &hi);
	if (lim > hi)
		lim = hi;
	if (lim < 0)
		lim = 0;
	n = lim + 1;
	if (slot_index(a, &t, &e)) {
		ix_range(&a->s, e, &lo, &hi);
		if (type == T_U64 && lo < 0)	/* 2^63 and more are held as negative numbers */
			stuck(&a->s, "the order of numbers of 64 bits");
		return nearest(l, e, n, over);
	}
	if (l->ndev == 1)
		facts_suggest(a, t.x, lim);
	return lift_clamped(l, t, type, lim);
}

ix *lift_clamped(lift *l, slot t, int type, int64_t lim)
{
	algebra *a = l->a;
	work *w;
	slot c;

	w = work_over(a, C_LAT, type, &t, 2);
	w->fn = val_name(a, "maximum");
	w->slot[0] = t;
	w->slot[1] = int_number(a, type, 0);
	c = slot_of_work(a, w, RAT_ONE);
	w = work_over(a, C_LAT, type, &c, 2);
	w->fn = val_name(a, "minimum");
	w->slot[0] = c;
	w->slot[1] = int_number(a, type, lim);
	c = slot_of_work(a, w, RAT_ONE);
	return ix_of(&a->s, label_data(&a->s, c.x, c.e, lim + 1), 1);
}
