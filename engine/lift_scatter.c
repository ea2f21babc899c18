/* lift_scatter.c - scatter as a contraction with one-hots, or a choice (RULES 1.3). */
#include "lift.h"

#include <stdlib.h>
#include <string.h>

struct lists {
	int ivd, n[5];
	const int64_t *v[5];	/* update windows, inserted, scatter dims, batching of operand, of indices */
};

static void read_lists(const lift *l, struct lists *s)
{
	const int64_t *p = l->ints;
	int k;

	s->ivd = (int)*p++;
	for (k = 0; k < 5; k++) {
		s->n[k] = (int)*p++;
		s->v[k] = p;
		p += s->n[k];
	}
}

static int at_of(const struct lists *s, int k, int64_t x)
{
	int i;

	for (i = 0; i < s->n[k]; i++)
		if (s->v[k][i] == x)
			return i;
	return -1;
}

/* The number 1 where two integers are equal: a mask when both are constants. */
static slot equal_number(lift *l, slot pos, int type, ix *e)
{
	algebra *a = l->a;
	label **lab, **fr = ARENA_ARRAY(&a->s.a, label *, 256), **more;
	int n = slot_labels(a, &pos, &lab), i, m = 0, k;
	work *w = work_new(a, C_MAP, T_PRED, 2);
	slot t;

	for (i = 0; i < n; i++)
		if (!lab[i]->data)
			fr[m++] = lab[i];
	k = ix_labels(&a->s, e, &more);
	for (i = 0; i < k; i++)
		if (!more[i]->data && !label_in(more[i], m, fr))
			fr[m++] = more[i];
	work_set_free(a, w, m, fr);
	w->fn = val_name(a, "compare:EQ");
	w->nslot = 2;
	w->slot[0] = pos;
	w->slot[1] = slot_read(core_line(a, type), e, RAT_ONE);
	t = slot_of_work(a, w, RAT_ONE);
	w = work_new(a, C_MAP, l->type, 1);
	work_set_free(a, w, m, fr);
	w->fn = val_name(a, "num");
	w->nslot = 1;
	w->slot[0] = t;
	return slot_of_work(a, w, RAT_ONE);
}

static slot mask_number(lift *l, int n, const test *t)
{
	slot m = lift_mask(l, n, t);

	if (type_is_int(l->type)) {
		int64_t cnt = grid_size(&l->a->s, m.nl, m.l), i, *v = ARENA_ARRAY(&l->a->s.a, int64_t, cnt);
		for (i = 0; i < cnt; i++)
			v[i] = m.v[i] != 0;
		return slot_read(core_line(l->a, l->type), ix_table(&l->a->s, m.nl, m.l, v), RAT_ONE);
	}
	m.vtype = TYPE_REAL;
	return m;
}

/* Update places: a label per update dimension, until it is known to be an output dimension. */
struct places {
	int n;
	label **l;
	ix **e;
	bool *summed;
};

static const char *find_hits(lift *l, const frame_of *f, const struct lists *s, struct places *u, slot *hit, int *nhit)
{
	const layout *x = &l->op[0].l, *si = &l->op[1].l, *up = &l->op[2].l;
	scratch *sc = &l->a->s;
	int d, k, nb = 0, ns = 0, win = 0, bdim[64], sdim[64];
	ix **at = ARENA_ARRAY(&sc->a, ix *, si->rank);

	for (d = 0; d < up->rank; d++)
		if (at_of(s, 0, d) < 0 && ns < 64)
			sdim[ns++] = d;
	for (d = 0; d < si->rank; d++)
		if (d != s->ivd && nb < 64)
			bdim[nb++] = d;
	if (nb != ns)
		return "malformed scatter";
	for (d = 0; d < x->rank; d++) {
		int od = at_of(s, 2, d), ins = at_of(s, 1, d), bat = at_of(s, 3, d);
		int w = ins < 0 && bat < 0 ? (int)s->v[0][win++] : -1;	/* its window dimension in the updates */
		if (win > s->n[0])
			return "malformed scatter";
		if (bat >= 0) {
			for (k = 0; k < nb && bdim[k] != s->v[4][bat]; k++)
				;
			if (k == nb)
				return "malformed scatter";
			u->e[sdim[k]] = f->ie[d];
			u->summed[sdim[k]] = false;
			continue;
		}
		if (od < 0) {	/* windows from 0 */
			if (w < 0) {
				test t = { f->ie[d], 0, 1 };
				hit[(*nhit)++] = mask_number(l, 1, &t);
			} else if (up->dim[w] != x->dim[d]) {
				test t = { ix_add(sc, u->e[w], ix_times(sc, f->ie[d], -1)), 0, 1 };
				hit[(*nhit)++] = mask_number(l, 1, &t);
			} else {
				u->e[w] = f->ie[d];
				u->summed[w] = false;
			}
			continue;
		}
		{
			slot pos;
			ix *e;
			int64_t width = w >= 0 ? up->dim[w] : 1, lo, hi;
			for (k = 0; k < nb; k++)
				at[bdim[k]] = u->e[sdim[k]];
			if (s->ivd < si->rank)
				at[s->ivd] = ix_const(sc, od);
			pos = lift_slot(l, 1, f->re, at);
			if (slot_index(l->a, &pos, &e)) {
				test t[2] = { { ix_add(sc, w >= 0 ? ix_add(sc, e, u->e[w]) : e, ix_times(sc, f->ie[d], -1)), 0, 1 },
					      { e, 0, x->dim[d] - width + 1 } };
				hit[(*nhit)++] = mask_number(l, 2, t);
				continue;
			}
			int_range(l->op[1].type, &lo, &hi);
			if (width != 1 || x->dim[d] - 1 > hi)
				return "scatter window wider than one at a data dependent place";
			hit[(*nhit)++] = equal_number(l, pos, l->op[1].type, f->ie[d]);
		}
	}
	return NULL;
}

static eg_id assigned(lift *l, const frame_of *f, struct places *u, slot *hit, int nhit)
{
	work *w;
	slot p;
	int k;

	for (k = 0; k < u->n; k++)
		if (u->summed[k] && u->l[k]->n > 1)
			return refuse(l->a, "several updates may meet: the last one wins");
	if (!nhit)
		return refuse(l->a, "several updates may meet: the last one wins");
	for (k = 0; k < u->n; k++)
		if (u->summed[k])
			u->e[k] = ix_const(&l->a->s, 0);
	w = lift_work(l, C_MUL, NULL, nhit, f);		/* all dimensions hit */
	for (k = 0; k < nhit; k++)
		w->slot[k] = hit[k];
	if (type_is_int(l->type))
		return refuse(l->a, "several updates may meet: the last one wins");
	p = slot_of_work(l->a, w, RAT_ONE);
	w = lift_work(l, C_MAP, "compare:NE", 2, f);
	w->type = T_PRED;
	w->slot[0] = p;
	w->slot[1] = slot_read(core_rat(l->a, TYPE_REAL, RAT_ZERO), ix_const(&l->a->s, 0), RAT_ONE);
	p = slot_of_work(l->a, w, RAT_ONE);
	w = lift_work(l, C_MAP, "select", 3, f);
	w->slot[0] = p;
	w->slot[1] = lift_slot(l, 2, f->re, u->e);
	w->slot[2] = lift_slot(l, 0, f->re, f->ie);
	return lift_finish(l, w, f);
}

/* ints: index_vector_dim, lists led by their length; name: add, assign, or another combiner */
eg_id lift_scatter(lift *l)
{
	frame_of f = lift_frame(l);
	scratch *sc = &l->a->s;
	struct lists s;
	struct places u;
	slot hit[66], t;
	int nhit = 0, k, nb = 0;
	const char *why;
	work *w;
	label **bound;

	if (strcmp(l->name, "add") && strcmp(l->name, "assign"))
		return refuse(l->a, "no rule for this scatter combiner");
	for (k = 0; k < 3; k++)
		if (layout_elements(&l->op[k].l) == 0)
			return refuse(l->a, "an empty tensor");
	if (l->type == T_PRED || (!type_is_float(l->type) && !type_is_int(l->type)) || l->rank > 60)
		return refuse(l->a, "no rule for a scatter of this type");
	read_lists(l, &s);
	u.n = l->op[2].l.rank;
	u.l = ARENA_ARRAY(&sc->a, label *, u.n);
	u.e = ARENA_ARRAY(&sc->a, ix *, u.n);
	u.summed = ARENA_ARRAY(&sc->a, bool, u.n);
	for (k = 0; k < u.n; k++) {
		u.l[k] = label_new(sc, l->op[2].l.dim[k]);
		u.l[k]->bound = true;
		u.e[k] = ix_of(sc, u.l[k], 1);
		u.summed[k] = true;
	}
	why = find_hits(l, &f, &s, &u, hit, &nhit);
	if (why)
		return refuse(l->a, "%s", why);
	if (!strcmp(l->name, "assign"))
		return assigned(l, &f, &u, hit, nhit);
	if (!fact_finite(l->a, l->op[2].x))
		return refuse(l->a, "zero times a tensor that may be infinite");
	bound = ARENA_ARRAY(&sc->a, label *, u.n);
	for (k = 0; k < u.n; k++)
		if (u.summed[k])
			bound[nb++] = u.l[k];
	w = lift_work(l, C_EIN, NULL, nhit + 1, &f);
	work_set_bound(l->a, w, nb, bound);
	for (k = 0; k < nhit; k++)
		w->slot[k] = hit[k];
	w->slot[nhit] = lift_slot(l, 2, f.re, u.e);
	t = slot_of_work(l->a, w, RAT_ONE);
	w = lift_work(l, C_SUM, NULL, 2, &f);
	w->slot[0] = lift_slot(l, 0, f.re, f.ie);
	w->slot[1] = t;
	return lift_finish(l, w, &f);
}
