/* prim_pick.c - the payload at the largest value: N32, N33, N37, N38, N43. */
#include "core/canonical.h"

#include <stdlib.h>
#include "prim/prim.h"

/* Cuts labels of one list where those of the other end: read at equal strides, of sizes that divide. */
static void cut_alike(algebra *a, const slot *x, int *nx, label **bx, const slot *y, int *ny, label **by)
{
	uint32_t cuts;
	label *l[64];
	int i, j;

	do {
		const ix *e = ix_norm(&a->s, x->e), *f = ix_norm(&a->s, y->e);
		cuts = a->s.ncut;
		for (i = 0; i < *nx; i++)
			for (j = 0; j < *ny && !bx[i]->hi; j++) {
				int64_t n = bx[i]->n, m = by[j]->n;
				if (n == m || by[j]->hi || ix_stride(e, bx[i]) != ix_stride(f, by[j]))
					continue;
				if (n > m && m > 1 && n % m == 0)
					label_cut(&a->s, bx[i], m);
				else if (m > n && n > 1 && m % n == 0)
					label_cut(&a->s, by[j], n);
			}
		memcpy(l, bx, sizeof *l * (size_t)*nx);
		*nx = labels_leaves(&a->s, *nx, l, bx, 64);
		memcpy(l, by, sizeof *l * (size_t)*ny);
		*ny = labels_leaves(&a->s, *ny, l, by, 64);
	} while (a->s.ncut != cuts);
}

/* Do the reduced labels of two readings of one class correspond, stride by stride? They may be cut for it. */
static bool same_reduction(algebra *a, const slot *x, int nx, label **bx, const slot *y, int ny, label **by)
{
	const ix *e, *f;
	label *from[64];
	ix *to[64];
	int i, j, n = 0, used[64] = { 0 };

	if (nx > 32 || ny > 32 || eg_root(a->g, x->x) != eg_root(a->g, y->x))
		return false;
	cut_alike(a, x, &nx, bx, y, &ny, by);
	if (nx != ny)
		return false;
	e = ix_norm(&a->s, x->e);
	f = ix_norm(&a->s, y->e);
	for (i = 0; i < nx; i++) {
		for (j = 0; j < ny; j++)
			if (!used[j] && bx[i]->n == by[j]->n && ix_stride(e, bx[i]) == ix_stride(f, by[j]))
				break;
		if (j == ny)
			return false;
		used[j] = 1;
		from[n] = bx[i];
		to[n++] = ix_of(&a->s, by[j], 1);
	}
	return ix_equal(&a->s, ix_subst(&a->s, e, n, from, to), f);
}

/* Is the payload a constant that increases strictly along the labels, in their order? Ties then go by either. */
static bool payload_increases(algebra *a, const slot *payload, int nb, label *const *b)
{
	ix *e;
	int64_t rest = 0;
	int k;

	if (!slot_index(a, payload, &e) || e->ntab)
		return false;
	for (k = nb - 1; k >= 0; k--) {
		int64_t st = ix_stride(e, b[k]);
		if (b[k]->n > 1 && st <= rest)
			return false;
		rest += st * (b[k]->n - 1);
	}
	for (k = 0; k < e->nt; k++)
		if (e->t[k].l->data)
			return false;
	return true;
}

/* N32: where the payload increases along the labels, the least among ties is the first. */
eg_id prim_pick_order(algebra *a, eg_id n)
{
	label *b[64];
	work *w;
	int nb;

	if (strcmp(core_fn(a, n), "least"))
		return NIL;
	w = work_open(a, n);
	work_settle(a, w);
	nb = labels_leaves(&a->s, w->nbound, w->bound, b, 64);
	if (w->nslot != 2 || !payload_increases(a, &w->slot[1], nb, b))
		return refuse(a, "the payload does not increase along the labels");
	w = work_like(a, w, C_PICK, 2, w->slot);
	w->fn = val_name(a, "first");
	return work_result(a, w);
}

/* A payload that is the same at all places, or is the value: by whatever kind. */
eg_id prim_pick_self(algebra *a, eg_id n)
{
	work *w = work_open(a, n);

	work_settle(a, w);
	if (w->nslot != 2)
		return NIL;
	if (!slot_reads_bound(a, &w->slot[1]))
		return result_slot(a, w, w->slot[1]);
	if (!type_is_float(w->type) || !slot_same(a, &w->slot[0], &w->slot[1]))
		return NIL;
	if (w->slot[0].x != w->slot[1].x)
		history_premise(a, w->slot[0].x, w->slot[1].x);
	w = work_like(a, w, C_RED, 1, w->slot);
	w->fn = val_name(a, "maximum");
	return work_result(a, w);
}

/* The digits of one data label in l, replaced by those of p: all that read the value d. */
static int same_value(algebra *a, const datum *d, const ix *p, int nl, label *const *l, label **from, ix **to)
{
	scratch *s = &a->s;
	int k, n = 0;
	ix *q, *r;

	for (k = 0; k < nl; k++) {
		const datum *o = l[k]->data;
		if (!o || eg_root(a->g, o->core) != eg_root(a->g, d->core) || o->full != d->full || !ix_equal(s, o->at, d->at))
			continue;
		if (o->core != d->core)
			history_premise(a, o->core, d->core);
		ix_divmod(s, p, o->div, &q, &r);
		ix_divmod(s, q, l[k]->n, &q, &r);
		from[n] = l[k];
		to[n++] = r;
	}
	return n;
}

/* The first data label that is a pick, and its normal node. */
static const datum *picked_place(algebra *a, eg_id n, int nl, label *const *l, eg_id *o)
{
	int k;

	for (k = 0; k < nl; k++)
		if (l[k]->data && core_kind(a, *o = peek(a, l[k]->data->core)) == C_PICK && normal_opens(a, *o, n))
			return l[k]->data;
	return NULL;
}

/* The payload e of the pick o, all that read the value d replaced: by e with the payload of o in its place.  NULL where that
 * is no constant, or leaves the range.  *in: what o reads, its reduced labels beside those of r. */
static ix *at_payload(algebra *a, const datum *d, eg_id o, const ix *e, work *r, slot **in)
{
	label **l, *from[64], **pl;
	ix *p, *to[64];
	int64_t lo, hi;
	int m, k, nl;

	*in = work_inline(a, o, d->at, r, &m);
	if (m != 2 || !slot_index(a, &(*in)[1], &p))
		return NULL;
	m = ix_labels(&a->s, p, &pl);
	for (k = 0; k < m; k++)
		if (pl[k]->data)
			return NULL;
	ix_range(&a->s, p, &lo, &hi);
	nl = ix_labels(&a->s, e, &l);
	if (lo < 0 || hi >= d->full || nl > 64)
		return NULL;
	opened(a, d->core, o);
	m = same_value(a, d, p, nl, l, from, to);
	return ix_subst(&a->s, e, m, from, to);
}

/* N37: x[e(pick(v, p))] = pick(v, x[e(p)]), p a constant; the kinds that choose without looking at the payload. */
eg_id prim_pick_read(algebra *a, eg_id n)
{
	work *w, *r;
	const datum *d;
	label **l;
	slot *in, t[2];
	ix *e;
	eg_id o;
	int nl;

	if (!pairing_read(a, n).ndata)
		return NIL;
	w = work_open(a, n);
	e = ix_norm(&a->s, w->slot[0].e);
	nl = ix_labels(&a->s, e, &l);
	d = picked_place(a, n, nl, l, &o);
	if (!d)
		return NIL;
	if (!strcmp(core_fn(a, o), "least"))
		return refuse(a, "ties go by the payload");
	r = work_like(a, w, C_PICK, 0, NULL);
	e = at_payload(a, d, o, e, r, &in);
	if (!e)
		return refuse(a, "the payload is no constant");
	t[0] = in[0];
	t[1] = slot_read(w->slot[0].x, e, RAT_ONE);
	r = work_like(a, r, C_PICK, 2, t);
	r->fn = node_val(a, o, 2);
	return work_result(a, r);
}

/* N32: pick(max_i x, pick_i(x, p)) over r = pick_{r, i}(x, p): the value is the maximum of that x; one kind, or outside the
 * least and inside the first of payloads that increase: there it is the least, too. */
eg_id prim_pick_fuse(algebra *a, eg_id n)
{
	work *w = work_open(a, n), *wi = work_like(a, w, C_PICK, 0, NULL), *wm;
	eg_id o = peek(a, w->slot[1].x), m = peek(a, w->slot[0].x);
	bool mixed = node_val(a, o, 2) != node_val(a, n, 2);
	label *bi[64], *bm[64];
	int q, k, ni, nm;
	slot *in, *mx;

	if (core_kind(a, o) != C_PICK || core_type(a, o) != w->type || !normal_opens(a, o, n))
		return NIL;
	if (mixed && (strcmp(core_fn(a, n), "least") || strcmp(core_fn(a, o), "first")))
		return refuse(a, "ties are settled otherwise inside");
	if (core_kind(a, m) != C_RED || strcmp(core_fn(a, m), "maximum") || !normal_opens(a, m, n))
		return refuse(a, "the values are not the maxima the payloads were picked at");
	wi->nbound = 0;
	in = work_inline(a, o, w->slot[1].e, wi, &q);
	wm = work_like(a, w, C_RED, 0, NULL);
	wm->nbound = 0;
	mx = work_inline(a, m, w->slot[0].e, wm, &k);
	ni = labels_leaves(&a->s, wi->nbound, wi->bound, bi, 64);
	nm = labels_leaves(&a->s, wm->nbound, wm->bound, bm, 64);
	if (q != 2 || k != 1 || !same_reduction(a, &mx[0], nm, bm, &in[0], ni, bi))
		return refuse(a, "the values are not the maxima the payloads were picked at");
	ni = labels_leaves(&a->s, wi->nbound, wi->bound, bi, 64);	/* they may have been cut */
	if (mixed && !payload_increases(a, &in[1], ni, bi))
		return refuse(a, "ties are settled otherwise inside");
	opened(a, w->slot[1].x, o);
	opened(a, w->slot[0].x, m);
	if (mx[0].x != in[0].x)
		history_premise(a, mx[0].x, in[0].x);
	{	/* the outer labels come first: ties go by their order */
		label **b = ARENA_ARRAY(&a->s.a, label *, w->nbound + wi->nbound);
		memcpy(b, w->bound, sizeof *b * (size_t)w->nbound);
		memcpy(b + w->nbound, wi->bound, sizeof *b * (size_t)wi->nbound);
		k = w->nbound + wi->nbound;
		w = work_like(a, w, C_PICK, 2, in);
		w->fn = node_val(a, n, 2);
		work_set_bound(a, w, k, b);
	}
	return work_result(a, w);
}

/* N33: a constant that is added to the payload is added inside (integers that do not wrap; kind least keeps its order). */
eg_id prim_pick_payload(algebra *a, eg_id n)
{
	work *w;
	slot t[2], *in, s;
	int i, pick = -1, q, type = core_type(a, n);
	ix *e, *c, *sum;
	eg_id o;
	int64_t lo, hi, l, h;
	rat g;

	if (!type_is_int(type) || pairing_read(a, n).nslot < 1)
		return NIL;
	w = work_open(a, n);
	work_settle(a, w);
	c = ix_const(&a->s, 0);
	for (i = 0; i < w->nslot; i++) {
		if (core_kind(a, peek(a, w->slot[i].x)) == C_PICK) {
			if (pick >= 0)
				return NIL;
			pick = i;
			continue;
		}
		if (!slot_index(a, &w->slot[i], &e))
			return NIL;
		c = ix_add(&a->s, c, ix_times(&a->s, e, w->slot[i].c.num));
	}
	if (pick < 0 || (w->nslot == 1 && rat_is_int(w->slot[0].c, 1)))
		return NIL;
	o = peek(a, w->slot[pick].x);
	g = w->slot[pick].c;
	if (core_type(a, o) != type || !normal_opens(a, o, n) || g.den != 1)
		return NIL;
	if (!strcmp(core_fn(a, o), "least") && !rat_is_int(g, 1))
		return refuse(a, "the least payload changes when it is scaled");
	{
		work *r = work_like(a, w, C_PICK, 0, NULL);
		r->nbound = 0;
		in = work_inline(a, o, w->slot[pick].e, r, &q);
		s = in[1];
		if (!slot_index(a, &s, &e))
			return refuse(a, "the payload is no constant");
		sum = ix_norm(&a->s, ix_add(&a->s, ix_times(&a->s, e, g.num), c));
		ix_range(&a->s, sum, &lo, &hi);
		int_range(type, &l, &h);
		if (lo < l || hi > h)
			return refuse(a, "the value may wrap around");
		opened(a, w->slot[pick].x, o);
		t[0] = in[0];
		t[1] = slot_read(core_line(a, type), sum, RAT_ONE);
		r = work_like(a, r, C_PICK, 2, t);
		r->fn = node_val(a, o, 2);
		return work_result(a, r);
	}
}

/* ---- functions of what is picked */

/* A function of constants and of what was picked at one place: the value v that was picked by, its labels. */
struct picks {
	eg_val kind;
	int n, nb;		/* how many; labels */
	slot v;
	label *b[64];
	bool constant;		/* is one of the payloads? */
};

/* The labels of v for those of another reading of the same value, in the same order. */
static bool picked_alike(algebra *a, struct picks *q, const slot *v, int n, label **b, slot *payload)
{
	label *from[64];
	ix *to[64], *e, *f;
	int k;

	if (eg_root(a->g, v->x) != eg_root(a->g, q->v.x))
		return false;
	cut_alike(a, &q->v, &q->nb, q->b, v, &n, b);
	if (n != q->nb)
		return false;
	e = ix_norm(&a->s, q->v.e);
	f = ix_norm(&a->s, v->e);
	for (k = 0; k < n; k++) {
		if (b[k]->n != q->b[k]->n || ix_stride(f, b[k]) != ix_stride(e, q->b[k]))
			return false;
		from[k] = b[k];
		to[k] = ix_of(&a->s, q->b[k], 1);
	}
	payload->e = ix_subst(&a->s, ix_norm(&a->s, payload->e), n, from, to);
	return ix_equal(&a->s, ix_subst(&a->s, f, n, from, to), e);
}

/* Operand t of n, a pick, as its payload at the place that all are picked at. */
static bool take_payload(algebra *a, eg_id n, const work *w, slot *t, struct picks *q)
{
	eg_id o = peek(a, t->x);
	work *in = work_like(a, w, C_PICK, 0, NULL);
	label *b[64];
	slot *s, p;
	int m, nb;

	if (!normal_opens(a, o, n) || !strcmp(core_fn(a, o), "least") || (q->n && node_val(a, o, 2) != q->kind))
		return false;
	in->nbound = 0;
	s = work_inline(a, o, t->e, in, &m);
	if (m != 2 || in->nbound > 16)
		return false;
	p = s[1];
	nb = labels_leaves(&a->s, in->nbound, in->bound, b, 64);
	if (!q->n++) {
		q->kind = node_val(a, o, 2);
		q->v = s[0];
		q->nb = nb;
		memcpy(q->b, b, sizeof *b * (size_t)nb);
	} else if (!picked_alike(a, q, &s[0], nb, b, &p)) {
		return false;
	}
	q->constant = q->constant || (slot_is_constant(a, &p) && !slot_has_data(&p));
	opened(a, t->x, o);
	p.c = t->c;
	*t = p;
	return true;
}

/* N43: f(pick(v, p), pick(v, q), c) = pick(v, f(p, q, c)), a payload among them and what is not picked being constants.  A test for
 * equality is left alone: of data it is a table. */
eg_id prim_pick_function(algebra *a, eg_id n)
{
	struct picks q = { .n = 0 };
	uint32_t kinds = operand_kinds(a, n);
	label **l;
	work *w, *r;
	slot t[2];
	int k;

	if (!(kinds & 1u << C_PICK) || eg_narg(a->g, n) > 8)
		return NIL;
	if (core_kind(a, n) == C_MAP && (!strcmp(core_fn(a, n), "compare:EQ") || !strcmp(core_fn(a, n), "compare:NE")))
		return NIL;
	w = work_open(a, n);
	for (k = 0; k < w->nslot; k++)
		if (w->slot[k].x == NIL || core_kind(a, peek(a, w->slot[k].x)) != C_PICK) {
			if (!slot_is_constant(a, &w->slot[k]) || slot_has_data(&w->slot[k]))
				return NIL;
		} else if (!take_payload(a, n, w, &w->slot[k], &q)) {
			return refuse(a, "not all are picked at one place");
		}
	if (!q.constant || (core_kind(a, n) == C_MUL && q.n < 2))
		return NIL;
	l = ARENA_ARRAY(&a->s.a, label *, w->nfree + q.nb + 1);
	memcpy(l, w->free, sizeof *l * (size_t)w->nfree);
	memcpy(l + w->nfree, q.b, sizeof *l * (size_t)q.nb);
	r = work_like(a, w, core_kind(a, n), w->nslot, w->slot);
	work_set_free(a, r, w->nfree + q.nb, l);
	t[0] = q.v;
	t[1] = slot_of_work(a, r, RAT_ONE);
	r = work_like(a, w, C_PICK, 2, t);
	r->fn = q.kind;
	work_set_bound(a, r, q.nb, q.b);
	return work_result(a, r);
}

/* ---- the least place among those that reach the largest value */

/* The reading without its own maximum (or minimum), if it is one, the labels of that beside those of w. */
static slot below_extreme(algebra *a, const work *w, eg_id n, const char *op, const slot *t, label **b, int *nb)
{
	eg_id o = peek(a, t->x);
	work *in = work_like(a, w, C_RED, 0, NULL);
	slot *s;
	int m;

	if (core_kind(a, o) != C_RED || strcmp(core_fn(a, o), op) || !normal_opens(a, o, n)) {
		*nb = labels_leaves(&a->s, w->nbound, w->bound, b, 64);
		return *t;
	}
	s = work_inline(a, o, t->e, in, &m);
	opened(a, t->x, o);
	*nb = labels_leaves(&a->s, in->nbound, in->bound, b, 64);
	return s[0];
}

/* Is `top` the maximum (or minimum) of `of` over the summed labels of w? */
static bool is_extreme(algebra *a, const work *w, eg_id n, const char *op, const slot *top, const slot *of)
{
	work *free = work_like(a, w, C_RED, 0, NULL);
	label *bx[64], *by[64];
	slot x, y;
	int nx, ny;

	if (core_kind(a, peek(a, top->x)) != C_RED || slot_reads_bound(a, top))
		return false;
	free->nbound = 0;
	x = below_extreme(a, free, n, op, top, bx, &nx);
	y = below_extreme(a, w, n, op, of, by, &ny);
	if (!same_reduction(a, &x, nx, bx, &y, ny, by))
		return false;
	if (x.x != y.x)
		history_premise(a, x.x, y.x);
	return true;
}

/* Which of the two that are compared is `eq[k]` where the other is its largest value (its smallest: *least), and the comparison
 * holds at that value only; 2: neither. */
static int at_extreme(algebra *a, const work *w, eg_id n, const char *order, const slot *eq, bool *least)
{
	bool both = !strcmp(order, "compare:EQ");
	int k;

	for (k = 0; k < 2; k++) {
		*least = false;
		if ((both || k == 1) && is_extreme(a, w, n, "maximum", &eq[1 - k], &eq[k]))		/* max x <= x */
			return k;
		*least = true;
		if ((both || k == 0) && is_extreme(a, w, n, "minimum", &eq[1 - k], &eq[k]))		/* x <= min x */
			return k;
	}
	return k;
}

/* N38: min_r select(m_r = max_r m, p_r, c) = the least payload p where m is largest, c no less than any payload; so with
 * max_r m <= m_r, and where m is smallest.
 * Unsigned numbers of 2^63 and more are held as negative ones: their order is another. */
eg_id prim_pick_among(algebra *a, eg_id n)
{
	eg_id o = peek(a, eg_args(a->g, n)[0]), q;
	work *w;
	slot *in, *eq, t[2];
	ix *p, *c;
	int64_t lo, hi, most;
	bool least;
	int m, k;

	if (strcmp(core_fn(a, n), "minimum") || !type_is_int(core_type(a, n)) || core_kind(a, o) != C_MAP ||
	    strcmp(core_fn(a, o), "select") || !normal_opens(a, o, n))
		return NIL;
	q = peek(a, eg_args(a->g, o)[0]);
	if (core_kind(a, q) != C_MAP || (strcmp(core_fn(a, q), "compare:EQ") && strcmp(core_fn(a, q), "compare:LE")) ||
	    !normal_opens(a, q, n) || pairing_read(a, q).nslot != 2)
		return NIL;
	w = work_open(a, n);
	in = work_inline(a, o, w->slot[0].e, w, &m);
	eq = work_inline(a, q, in[0].e, w, &k);
	opened(a, w->slot[0].x, o);
	opened(a, in[0].x, q);
	if (m != 3 || k != 2 || !slot_index(a, &in[1], &p) || !slot_index(a, &in[2], &c) || !ix_is_const(&a->s, c, &most))
		return NIL;
	ix_range(&a->s, p, &lo, &hi);
	if (hi > most || (lo < 0 && etype_kind((enum etype)core_type(a, n)) == 'u'))
		return refuse(a, "the other branch may be the least");
	k = at_extreme(a, w, n, core_fn(a, q), eq, &least);
	if (k == 2)
		return refuse(a, "what is compared with is not the maximum");
	if (least ? !type_is_float(core_type(a, eq[k].x)) || !fact_finite(a, eq[k].x) : !fact_below(a, eq[k].x))
		return refuse(a, "a value may be no number");
	t[0] = least ? slot_negated(a, eq[k]) : eq[k];
	t[1] = in[1];
	w = work_like(a, w, C_PICK, 2, t);
	w->fn = val_name(a, "least");
	return work_result(a, w);
}
