/* lift_scatter.c - scatter as a contraction with one-hots, a choice, or a maximum or product of choices (RULES 1.3). */
#include "lift/lift.h"

#include <stdlib.h>
#include <string.h>
#include "core/mask.h"

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

/* The window dimension of the updates that goes along a dimension of the operand; -1 where there is none. */
static int window_of(const struct lists *s, int d)
{
	int k, win = 0;

	if (at_of(s, 1, d) >= 0 || at_of(s, 3, d) >= 0)
		return -1;
	for (k = 0; k < d; k++)
		win += at_of(s, 1, k) < 0 && at_of(s, 3, k) < 0;
	return (int)s->v[0][win];
}

/* The number 1 of a type where a truth value holds. */
static slot number_of(lift *l, int type, slot p)
{
	algebra *a = l->a;

	if (p.x != NIL)
		return slot_mapped(a, "num", type, &p, RAT_ONE);
	if (type_is_int(type)) {
		int64_t cnt = grid_size(&a->s, p.nl, p.l), k, *v = ARENA_ARRAY(&a->s.a, int64_t, cnt);
		for (k = 0; k < cnt; k++)
			v[k] = p.v[k] != 0;
		return slot_read(core_line(a, type), ix_table(&a->s, p.nl, p.l, v), RAT_ONE);
	}
	p.vtype = TYPE_REAL;
	return p;
}

/* The payload of a choice, where it is an index that does not depend on what is chosen: pick(x, c) = c. */
static bool payload_alone(algebra *a, eg_id o, const slot *t, ix **e)
{
	work *w = work_new(a, C_PICK, core_type(a, o), 0);
	label *bound[64], **read;
	int n, nb;
	slot *in = work_inline(a, o, t->e, w, &n);

	work_settle(a, w);
	nb = bound_leaves(&a->s, w, bound, 64);
	if (!slot_index(a, &in[n - 1], e))
		return false;
	*e = ix_norm(&a->s, *e);
	for (n = ix_labels(&a->s, *e, &read) - 1; n >= 0; n--)
		if (read[n]->data || label_in(read[n], nb, bound))
			return false;
	return true;
}

/* An integer is read through sums and products that masks make trivial at the place, as they do in one component of
 * concatenated indices, and through choices that do not matter there.  Back as it was where that does not lead to one term. */
static slot component(algebra *a, slot t, int depth)
{
	eg_id o = t.x == NIL ? NIL : peek(a, t.x);
	enum core_kind kind = o == NIL ? C_COUNT : core_kind(a, o);
	ix *e, *sum = ix_const(&a->s, 0);
	slot *in, kept = t;
	int64_t v;
	int n, i, k = 0;

	if (kind == C_PICK && type_is_int(core_type(a, o)) && payload_alone(a, o, &t, &e)) {
		opened(a, t.x, o);
		return slot_read(core_line(a, core_type(a, o)), e, RAT_ONE);
	}
	if (!depth || (kind != C_AT && kind != C_SUM && kind != C_MUL) || !type_is_int(core_type(a, o)) || slot_index(a, &t, &e))
		return t;
	in = work_inline(a, o, t.e, work_new(a, kind, core_type(a, o), 1), &n);
	opened(a, t.x, o);
	for (i = 0; i < n; i++) {
		slot s = component(a, in[i], depth - 1);
		bool known = slot_index(a, &s, &e);
		if (kind == C_MUL) {
			if (!known || !ix_is_const(&a->s, e, &v) || v < 0 || v > 1)
				kept = s, k += in[i].c.num == 1 ? 1 : 2;
			else if (!v)
				return slot_read(core_line(a, core_type(a, o)), ix_const(&a->s, 0), RAT_ONE);
		} else if (known) {
			sum = ix_add(&a->s, sum, ix_times(&a->s, e, in[i].c.num));
		} else {
			kept = s, k += in[i].c.num == 1 ? 1 : 2;
		}
	}
	if (k == 1 && ix_is_const(&a->s, sum, &v) && !v)
		return slot_read(kept.x, kept.e, RAT_ONE);
	if (k)
		return t;
	return slot_read(core_line(a, core_type(a, o)), kind == C_MUL ? ix_const(&a->s, 1) : index_in_type(a, core_type(a, o), sum), RAT_ONE);
}

/* Update places: a label per update dimension, until it is known to be an output dimension, or digits of it are places there. */
struct update_places {
	int n;
	label **l;
	ix **e;
	bool *summed;
	int nsolved;
	label *solved[LEAVES];	/* digits that are known */
};

/* The scattered dimensions of the updates, and of the indices, in the same order. */
struct scattered {
	int n, *of_update, *of_index;
};

static bool match_scattered(const lift *l, const struct lists *s, struct scattered *b)
{
	int d, n = 0;

	b->n = 0;
	b->of_update = ARENA_ARRAY(&l->a->s.a, int, l->op[2].l.rank);
	b->of_index = ARENA_ARRAY(&l->a->s.a, int, l->op[1].l.rank);
	for (d = 0; d < l->op[2].l.rank; d++)
		if (at_of(s, 0, d) < 0)
			b->of_update[b->n++] = d;
	for (d = 0; d < l->op[1].l.rank; d++)
		if (d != s->ivd)
			b->of_index[n++] = d;
	return n == b->n;
}

/* Where the updates go in the dimension that index component `od` is for. */
static slot position(lift *l, const frame_of *f, const struct lists *s, const struct scattered *b, const struct update_places *u, int od)
{
	const layout *si = &l->op[1].l;
	ix **at = ARENA_ARRAY(&l->a->s.a, ix *, si->rank);
	int k;

	for (k = 0; k < b->n; k++)
		at[b->of_index[k]] = u->e[b->of_update[k]];
	if (s->ivd < si->rank)
		at[s->ivd] = ix_const(&l->a->s, od);
	return component(l->a, lift_slot(l, 1, f->re, at), 2 * si->rank + 8);
}

/* A batching dimension is the same in the updates and in the result. */
static bool place_batches(const frame_of *f, const struct lists *s, const struct scattered *b, struct update_places *u)
{
	int i, k;

	for (i = 0; i < s->n[3]; i++) {
		for (k = 0; k < b->n && b->of_index[k] != s->v[4][i]; k++)
			;
		if (k == b->n)
			return false;
		u->e[b->of_update[k]] = f->ie[s->v[3][i]];
		u->summed[b->of_update[k]] = false;
	}
	return true;
}

/* e = label + what is left, and that is no data and reads none of the labels of updates. */
static bool runs_along(lift *l, ix *e, label *along, const struct update_places *u, ix **rest)
{
	scratch *s = &l->a->s;
	label **lab, *leaf[64];
	ix *zero = ix_const(s, 0);
	int n, i, j, k, m;

	*rest = ix_norm(s, ix_subst(s, e, 1, &along, &zero));
	if (!ix_equal(s, e, ix_add(s, ix_of(s, along, 1), *rest)))
		return false;
	n = ix_labels(s, *rest, &lab);
	for (i = 0; i < n; i++) {
		if (lab[i]->data)
			return false;
		for (k = 0; k < u->n; k++)
			for (m = label_leaves(u->l[k], leaf, 64), j = 0; j < m; j++)
				if (leaf[j] == lab[i])
					return false;
	}
	return true;
}

/* The digits of update dimension k that still vary, or all of it; returns how many. */
static int varying(const struct update_places *u, int k, label **out)
{
	int m, n = 0, j;
	label *leaf[LEAVES];

	if (!u->summed[k])
		return 0;
	m = label_leaves(u->l[k], leaf, LEAVES);
	for (j = 0; j < m; j++)
		if (!label_in(leaf[j], u->nsolved, (label *const *)u->solved))
			out[n++] = leaf[j];
	if (n == m) {
		*out = u->l[k];
		return 1;
	}
	return n;
}

static int summed_labels(const struct update_places *u, label **bound)
{
	int k, n = 0;

	for (k = 0; k < u->n; k++)
		n += varying(u, k, bound + n);
	return n;
}

static label **summed_space(lift *l)
{
	return ARENA_ARRAY(&l->a->s.a, label *, (l->op[2].l.rank + 1) * LEAVES);
}

/* Does index e, of a dimension of n places of which I is one, name a place of the digit `along`?  Then that digit is I - g. */
static bool solve_place(lift *l, ix *e, label *along, int64_t n, ix *place, struct update_places *u, bool anywhere, ix **out)
{
	scratch *sc = &l->a->s;
	int64_t lo, hi;
	ix *rest;

	if (!runs_along(l, e, along, u, &rest))
		return false;
	e = ix_norm(sc, ix_add(sc, place, ix_times(sc, rest, -1)));
	ix_range(sc, e, &lo, &hi);
	if (!anywhere && (lo < 0 || hi >= along->n || along->n != n))
		return false;
	*out = lift_clip(l, e, along->n);
	return true;
}

/* The first dimension of the updates, or digit of one, that index e of dimension d runs along is solved. */
static void solve_by(lift *l, const frame_of *f, const struct scattered *b, struct update_places *u, int64_t d, ix *e, bool anywhere)
{
	const layout *x = &l->op[0].l;
	label *leaf[LEAVES];
	ix *to;
	int k, j, i, m;

	for (j = 0; j < b->n; j++) {
		k = b->of_update[j];
		if (varying(u, k, leaf) == 1 && leaf[0] == u->l[k] && solve_place(l, e, leaf[0], x->dim[d], f->ie[d], u, anywhere, &to)) {
			u->e[k] = to;
			u->summed[k] = false;
			return;
		}
		m = u->summed[k] ? label_leaves(u->l[k], leaf, LEAVES) : 0;
		for (i = 0; i < m && m > 1 && u->nsolved < LEAVES; i++)
			if (!label_in(leaf[i], u->nsolved, u->solved) && solve_place(l, e, leaf[i], x->dim[d], f->ie[d], u, anywhere, &to)) {
				u->e[k] = ix_norm(&l->a->s, ix_subst(&l->a->s, u->e[k], 1, &leaf[i], &to));
				u->solved[u->nsolved++] = leaf[i];
				return;
			}
	}
}

/* One update only can reach a place when an index is u + g, u a dimension of the updates, or a digit of one: it is the one at I - g. */
static void solve_places(lift *l, const frame_of *f, const struct lists *s, const struct scattered *b, struct update_places *u, bool anywhere)
{
	int od, w;
	slot pos;
	ix *e;

	for (od = 0; od < s->n[2]; od++) {
		w = window_of(s, (int)s->v[2][od]);
		if (w >= 0 && l->op[2].l.dim[w] > 1)
			continue;
		pos = position(l, f, s, b, u, od);
		if (slot_index(l->a, &pos, &e))
			solve_by(l, f, b, u, s->v[2][od], e, anywhere);
	}
}

/* Truth values all of which hold where an update reaches the place. */
static const char *find_hits(lift *l, const frame_of *f, const struct lists *s, const struct scattered *b, struct update_places *u, slot *hit, int *nhit)
{
	const layout *x = &l->op[0].l, *up = &l->op[2].l;
	scratch *sc = &l->a->s;
	int d;

	for (d = 0; d < x->rank; d++) {
		int od = at_of(s, 2, d), w = window_of(s, d);
		if (at_of(s, 3, d) >= 0)
			continue;
		if (od < 0) {	/* windows from 0 */
			if (w < 0) {
				test t = { f->ie[d], 0, 1 };
				hit[(*nhit)++] = slot_tests(&l->a->s, 1, &t);
			} else if (up->dim[w] != x->dim[d]) {
				test t = { ix_add(sc, u->e[w], ix_times(sc, f->ie[d], -1)), 0, 1 };
				hit[(*nhit)++] = slot_tests(&l->a->s, 1, &t);
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
			pos = position(l, f, s, b, u, od);
			if (slot_index(l->a, &pos, &e) && !(width == 1 && ix_apart(sc, e, f->ie[d]))) {
				test t[2] = { { ix_add(sc, w >= 0 ? ix_add(sc, e, u->e[w]) : e, ix_times(sc, f->ie[d], -1)), 0, 1 },
					      { e, 0, x->dim[d] - width + 1 } };
				hit[(*nhit)++] = slot_tests(&l->a->s, 2, t);
				continue;
			}
			int_range(l->op[1].type, &lo, &hi);
			if (w >= 0 && width == x->dim[d]) {	/* a whole window lies inside only when it starts at 0 */
				u->e[w] = f->ie[d];
				u->summed[w] = false;
				hit[(*nhit)++] = lift_compare(l, "compare:EQ", l->op[1].type, pos, ix_const(sc, 0));
				continue;
			}
			if (width != 1 || x->dim[d] - 1 > hi)
				return "scatter window wider than one at a data dependent place";
			hit[(*nhit)++] = lift_compare(l, "compare:EQ", l->op[1].type, pos, f->ie[d]);
		}
	}
	return NULL;
}

static work *over_updates(lift *l, enum core_kind kind, const char *fn, int nslot, const frame_of *f, int nb, label **bound)
{
	work *w = lift_work(l, kind, fn, nslot, f);
	label **free = ARENA_ARRAY(&l->a->s.a, label *, w->nfree + nb);

	memcpy(free, w->free, sizeof *free * (size_t)w->nfree);
	memcpy(free + w->nfree, bound, sizeof *free * (size_t)nb);
	work_set_free(l->a, w, w->nfree + nb, free);
	return w;
}

/* Truth: all dimensions are hit. */
static slot all_hit(lift *l, const frame_of *f, const slot *hit, int nhit, int nb, label **bound)
{
	work *w = over_updates(l, C_LAT, "and", nhit, f, nb, bound);

	w->type = T_PRED;
	memcpy(w->slot, hit, sizeof *hit * (size_t)nhit);
	return slot_of_work(l->a, w, RAT_ONE);
}

/* The update where it reaches the place, else `other`: chosen, for updates that may be infinite. */
static slot reaching(lift *l, const frame_of *f, const struct update_places *u, const slot *hit, int nhit, slot other, int nb, label **bound)
{
	slot p = all_hit(l, f, hit, nhit, nb, bound);
	work *w = over_updates(l, C_MAP, "select", 3, f, nb, bound);

	w->slot[0] = p;
	w->slot[1] = lift_slot(l, 2, f->re, u->e);
	w->slot[2] = other;
	return slot_of_work(l->a, w, RAT_ONE);
}

/* Is the rule the one for updates that may meet? */
static bool takes_last(const lift *l)
{
	return l->arg && !strcmp(l->arg, "last");
}

/* The last of the updates that reach the place, in the order of the update places; x where there is none.  The rule says that the
 * last one is taken (`last`), or there is to be no other. */
static eg_id assigned(lift *l, const frame_of *f, struct update_places *u, slot *hit, int nhit)
{
	bool chosen = takes_last(l);
	label **bound = summed_space(l);
	int nb = 0, k;
	slot p, last;
	work *w;

	for (k = 0; k < u->n; k++) {
		if (u->summed[k] && u->l[k]->n == 1)
			u->e[k] = ix_const(&l->a->s, 0);
		else
			nb += varying(u, k, bound + nb);
	}
	if (nb && !chosen)
		return refuse(l->a, "several updates may meet");
	if (!nb && chosen)
		return NIL;
	p = all_hit(l, f, hit, nhit, nb, bound);
	last = lift_slot(l, 2, f->re, u->e);
	if (nb) {
		w = lift_work(l, C_PICK, "last", 2, f);
		work_set_bound(l->a, w, nb, bound);
		w->slot[0] = number_of(l, T_F32, p);
		w->slot[1] = last;
		last = slot_of_work(l->a, w, RAT_ONE);
		w = lift_work(l, C_RED, "or", 1, f);
		w->type = T_PRED;
		work_set_bound(l->a, w, nb, bound);
		w->slot[0] = p;
		p = slot_of_work(l->a, w, RAT_ONE);
	}
	w = lift_work(l, C_MAP, "select", 3, f);
	w->slot[0] = p;
	w->slot[1] = last;
	w->slot[2] = lift_slot(l, 0, f->re, f->ie);
	return lift_finish(l, w, f);
}

/* x + the sum of [it is reached] update. */
static eg_id added(lift *l, const frame_of *f, const struct update_places *u, const slot *hit, int nhit)
{
	label **bound = summed_space(l);
	int nb = summed_labels(u, bound), k;
	work *w = lift_work(l, C_EIN, NULL, nhit + 1, f);
	slot t;

	work_set_bound(l->a, w, nb, bound);
	for (k = 0; k < nhit; k++)
		w->slot[k] = number_of(l, l->type, hit[k]);
	w->slot[nhit] = lift_slot(l, 2, f->re, u->e);
	if (nhit && !fact_finite(l->a, l->op[2].x)) {
		w->nslot = 1;
		w->slot[0] = reaching(l, f, u, hit, nhit, slot_read(core_rat(l->a, TYPE_REAL, RAT_ZERO), ix_const(&l->a->s, 0), RAT_ONE), nb, bound);
	}
	t = slot_of_work(l->a, w, RAT_ONE);
	w = lift_work(l, C_SUM, NULL, 2, f);
	w->slot[0] = lift_slot(l, 0, f->re, f->ie);
	w->slot[1] = t;
	return lift_finish(l, w, f);
}

/* The maximum of x and of the updates that reach the place; those that do not are x, which changes no maximum of x. */
static eg_id extreme(lift *l, const frame_of *f, const struct update_places *u, const slot *hit, int nhit)
{
	label **bound = summed_space(l);
	int nb = summed_labels(u, bound);
	slot x = lift_slot(l, 0, f->re, f->ie), t = nhit ? reaching(l, f, u, hit, nhit, x, nb, bound) : lift_slot(l, 2, f->re, u->e);
	work *w;

	if (nb) {
		w = lift_work(l, C_RED, l->name, 1, f);
		work_set_bound(l->a, w, nb, bound);
		w->slot[0] = t;
		t = slot_of_work(l->a, w, RAT_ONE);
	}
	w = lift_work(l, C_LAT, l->name, 2, f);
	w->slot[0] = x;
	w->slot[1] = t;
	return lift_finish(l, w, f);
}

/* x times the updates that reach the place; those that do not are 1. */
static eg_id multiplied(lift *l, const frame_of *f, const struct update_places *u, const slot *hit, int nhit)
{
	algebra *a = l->a;
	label **bound = summed_space(l);
	int nb = summed_labels(u, bound);
	slot one = type_is_int(l->type) ? slot_read(core_line(a, l->type), ix_const(&a->s, 1), RAT_ONE)
					: slot_read(core_rat(a, TYPE_REAL, RAT_ONE), ix_const(&a->s, 0), RAT_ONE);
	slot t = reaching(l, f, u, hit, nhit, one, nb, bound);
	work *w;

	if (nb) {
		w = lift_work(l, C_RED, "multiply", 1, f);
		work_set_bound(a, w, nb, bound);
		w->slot[0] = t;
		t = slot_of_work(a, w, RAT_ONE);
	}
	w = lift_work(l, C_MUL, NULL, 2, f);
	w->slot[0] = lift_slot(l, 0, f->re, f->ie);
	w->slot[1] = t;
	return lift_finish(l, w, f);
}

/* ints: index_vector_dim, lists led by their length; name: add, assign, maximum, minimum, multiply, or another combiner;
 * arg: `last` of an assignment whose updates may meet */
eg_id lift_scatter(lift *l)
{
	frame_of f = lift_frame(l);
	scratch *sc = &l->a->s;
	struct lists s;
	struct update_places u = { .n = l->op[2].l.rank };
	slot hit[66];
	int nhit = 0, k;
	struct scattered b;
	const char *why;
	bool lattice = !strcmp(l->name, "maximum") || !strcmp(l->name, "minimum"), product = !strcmp(l->name, "multiply");

	if (takes_last(l) && strcmp(l->name, "assign"))
		return NIL;
	if (strcmp(l->name, "add") && strcmp(l->name, "assign") && !lattice && !product)
		return refuse(l->a, "no rule for this scatter combiner");
	for (k = 0; k < 3; k++)
		if (layout_elements(&l->op[k].l) == 0)
			return refuse(l->a, "an empty tensor");
	if (l->type == T_PRED || (!type_is_float(l->type) && !type_is_int(l->type)) || l->rank > 60)
		return refuse(l->a, "no rule for a scatter of this type");
	read_lists(l, &s);
	u.l = ARENA_ARRAY(&sc->a, label *, u.n);
	u.e = ARENA_ARRAY(&sc->a, ix *, u.n);
	u.summed = ARENA_ARRAY(&sc->a, bool, u.n);
	for (k = 0; k < u.n; k++) {
		u.l[k] = label_new(sc, l->op[2].l.dim[k]);
		u.l[k]->bound = true;
		u.e[k] = ix_of(sc, u.l[k], 1);
		u.summed[k] = true;
	}
	if (s.n[0] + s.n[1] + s.n[3] != l->op[0].l.rank || !match_scattered(l, &s, &b) || !place_batches(&f, &s, &b, &u))
		return refuse(l->a, "malformed scatter");
	solve_places(l, &f, &s, &b, &u, !strcmp(l->name, "assign"));
	why = find_hits(l, &f, &s, &b, &u, hit, &nhit);
	if (why)
		return refuse(l->a, "%s", why);
	if (!strcmp(l->name, "assign"))
		return assigned(l, &f, &u, hit, nhit);
	if (product)
		return multiplied(l, &f, &u, hit, nhit);
	return lattice ? extreme(l, &f, &u, hit, nhit) : added(l, &f, &u, hit, nhit);
}
