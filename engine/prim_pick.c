/* prim_pick.c - the payload at the largest value: N32, N33. */
#include "prim.h"

#include <stdlib.h>

/* Do the reduced labels of two readings of one class correspond, stride by stride? */
static bool same_reduction(algebra *a, const slot *x, int nx, label *const *bx, const slot *y, int ny, label *const *by)
{
	const ix *e = ix_norm(&a->s, x->e), *f = ix_norm(&a->s, y->e);
	label *from[64];
	ix *to[64];
	int i, j, n = 0, used[64] = { 0 };

	if (nx != ny || nx > 60 || eg_root(a->g, x->x) != eg_root(a->g, y->x))
		return false;
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

static int leaves(int n, label *const *l, label **out, int max)
{
	int i, k = 0;

	for (i = 0; i < n; i++)
		k += label_leaves(l[i], out + k, max - k);
	return k;
}

/* N32: pick(max_i x, pick_i(x, p)) over r = pick_{r, i}(x, p): one kind, the value is the maximum of that x. */
eg_id prim_pick_fuse(algebra *a, eg_id n)
{
	work *w = work_open(a, n), *wi, *wm;
	eg_id o = peek(a, w->slot[1].x), m = peek(a, w->slot[0].x);
	slot *in, *mx;
	label *bi[64], *bm[64];
	int q, k, ni, nm;

	if (core_kind(a, o) != C_PICK || node_val(a, o, 2) != node_val(a, n, 2) || core_type(a, o) != w->type || !normal_opens(a, o, n))
		return NIL;
	if (core_kind(a, m) != C_RED || strcmp(core_fn(a, m), "maximum") || !normal_opens(a, m, n))
		return refuse(a, "the values are not the maxima the payloads were picked at");
	wi = work_like(a, w, C_PICK, 0, NULL);
	wi->nbound = 0;
	in = work_inline(a, o, w->slot[1].e, wi, &q);
	wm = work_like(a, w, C_RED, 0, NULL);
	wm->nbound = 0;
	mx = work_inline(a, m, w->slot[0].e, wm, &k);
	ni = leaves(wi->nbound, wi->bound, bi, 64);
	nm = leaves(wm->nbound, wm->bound, bm, 64);
	if (q != 2 || k != 1 || !same_reduction(a, &mx[0], nm, bm, &in[0], ni, bi))
		return refuse(a, "the values are not the maxima the payloads were picked at");
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
