/* prim.c - what a primitive returns: nodes and slots over the free labels of the work it began with. */
#include "prim/prim.h"

#include <string.h>
#include "core/mask.h"

eg_id result_slot(algebra *a, const work *w, slot t)
{
	work *r;

	t.c = RAT_ONE;
	if (t.x != NIL && ix_renames(&a->s, t.e, core_len(a, t.x))) {
		label *leaf[64];
		digit *d;
		int i, j, n = 0, m;
		t.e = ix_norm(&a->s, t.e);
		d = ARENA_ARRAY(&a->s.a, digit, 64 * (w->nfree + 1));
		for (i = 0; i < w->nfree; i++) {
			m = label_leaves(w->free[i], leaf, 64);
			for (j = 0; j < m; j++)
				d[n++] = (digit){ leaf[j]->n, ix_stride(t.e, leaf[j]) };
		}
		n = digits_canon(n, d, d);
		return core_view(a, n, d, t.x);
	}
	r = work_like(a, w, C_AT, 1, &t);
	r->type = t.x == NIL ? t.vtype : core_type(a, t.x);
	r->nbound = 0;
	return work_result(a, r);
}

static eg_id int_constant(algebra *a, const work *w, int64_t v)
{
	return result_slot(a, w, slot_read(core_line(a, w->type), ix_const(&a->s, v), RAT_ONE));
}

eg_id result_number(algebra *a, const work *w, rat v)
{
	if (type_is_int(w->type))
		return int_constant(a, w, coef_in(w->type, v).num);
	return result_slot(a, w, slot_read(core_rat(a, w->type == T_PRED ? T_PRED : TYPE_REAL, v), ix_const(&a->s, 0), RAT_ONE));
}

slot slot_of_work(algebra *a, work *w, rat c)
{
	placed p = work_make(a, w);

	return slot_read(p.n, placed_ix(a, &p), c);
}

slot slot_over_read(algebra *a, work *w, rat c)
{
	label **l, **fr = ARENA_ARRAY(&a->s.a, label *, 256), *bl[128];
	int k, i, n = 0, m, nb;

	work_settle(a, w);
	nb = bound_leaves(&a->s, w, bl, 128);
	for (k = 0; k < w->nslot; k++) {
		m = slot_labels(a, &w->slot[k], &l);
		for (i = 0; i < m; i++)
			if (!l[i]->data && !label_in(l[i], nb, bl))
				n = label_collect(&a->s, fr, n, 256, l[i]);
	}
	work_set_free(a, w, n, fr);
	return slot_of_work(a, w, c);
}

work *work_over(algebra *a, enum core_kind kind, int type, const slot *t, int nslot)
{
	label **l, **fr;
	int n = slot_labels(a, t, &l), i, m = 0;
	work *w = work_new(a, kind, type, nslot);

	fr = ARENA_ARRAY(&a->s.a, label *, n);
	for (i = 0; i < n; i++)
		if (!l[i]->data)
			fr[m++] = l[i];
	work_set_free(a, w, m, fr);
	w->nslot = nslot;
	return w;
}

slot slot_negated(algebra *a, slot t)
{
	work *w;

	t.c = (rat){ -1, 1 };
	w = work_over(a, C_SUM, core_type(a, t.x), &t, 1);
	w->slot[0] = t;
	return slot_of_work(a, w, RAT_ONE);
}

slot slot_mapped(algebra *a, const char *fn, int type, const slot *t, rat c)
{
	work *w = work_over(a, C_MAP, type, t, 1);

	w->slot[0] = slot_read(t->x, t->e, RAT_ONE);
	w->fn = val_name(a, fn);
	return slot_of_work(a, w, c);
}

eg_id result_times(algebra *a, const work *w, int n, slot *t, work *inside)
{
	work *m;

	t[n] = slot_of_work(a, inside, RAT_ONE);
	m = work_like(a, w, C_MUL, n + 1, t);
	m->nbound = 0;
	return work_result(a, m);
}

slot beneath(algebra *a, const work *w, enum core_kind kind, int type, int n, const slot *t)
{
	label **l = ARENA_ARRAY(&a->s.a, label *, w->nfree + w->nbound + 1);
	work *s;

	if (n == 1 && rat_is_int(t->c, 1))
		return *t;
	memcpy(l, w->free, sizeof *l * (size_t)w->nfree);
	memcpy(l + w->nfree, w->bound, sizeof *l * (size_t)w->nbound);
	s = work_like(a, w, kind, n, t);
	s->type = type;
	work_set_free(a, s, w->nfree + w->nbound, l);
	s->nbound = 0;
	return slot_of_work(a, s, RAT_ONE);
}

eg_id result_scaled(algebra *a, work *w, rat c)
{
	slot t;
	work *s;

	c = coef_in(w->type, c);
	if (rat_is_int(c, 1))
		return work_result(a, w);
	t = slot_of_work(a, w, c);
	s = work_like(a, w, C_SUM, 1, &t);
	s->nbound = 0;
	return work_result(a, s);
}
