/* prim_fold.c - terms that are instances of one expression: N23 (sums), N24 (max, min, and, or), N27 (a choice).
 *
 * Anti-unification: several slots become one slot over a fresh label s, whose
 * instances at s = t_k(..) they are.  The first index that differs says what s
 * is; any other, a place that data choose, and a constant must be functions of
 * s.  Under masks, they are compared only where the term's own mask is not 0.
 * The expression is gone through twice: nothing is built before it is known
 * that there is one.
 */
#include "mask.h"

#include <math.h>
#include <stdlib.h>

enum { GROUP_MAX = 32, SPAN_MAX = 4096, READINGS = 8, TERM_LABELS = 64, DATA_MAX = 8, PRIVATE_MAX = 128, FOLD_CELLS = 1 << 17 };

struct general {
	algebra *a;
	int n;			/* instances */
	label *s;		/* NULL until two indices differ */
	slot t[GROUP_MAX];	/* per instance: values of s, a table over labels */
	slot mask[GROUP_MAX];	/* where the instance counts */
	bool masked;		/* masks are compared */
	const slot *choice;	/* two instances, the first where this holds: an index is then the one or the other */
	bool clash;		/* two indices differ by functions that are not one */
	int nbound;
	label *bound[128];	/* bound inside the expression: a differing index must not read them */
	bool known;		/* it is known what s is; until then nothing is built */
	int64_t most;		/* values that s may have: without a mask every one has to be taken */
	int npriv;
	struct own_label {
		label *l;
		int of;		/* the instance that sums it */
		bool needed;	/* s has to tell its places apart: nothing else of the instance reads them */
	} priv[PRIVATE_MAX];	/* summed in some instances only */
	eg_id node;		/* the rule fires on it */
	int budget;
};

static double f_differ_and(double x, double y) { return x != 0 && y != 0; }
static double f_ne(double x, double y) { return x != y; }
static double f_or(double x, double y) { return x != 0 || y != 0; }
static double f_add(double x, double y) { return x + y; }
static double f_first(double x, double y) { (void)y; return x; }
static double f_second(double x, double y) { (void)x; return y; }
static double f_ne0(double x, double y) { (void)y; return x != 0; }
static double f_where(double x, double m) { return m != 0 ? x : 0; }
static double f_unless(double x, double m) { return m != 0 ? 0 : x; }

static bool any_nonzero(const slot *t)
{
	int64_t n = slot_cells(t), i;

	for (i = 0; i < n; i++)
		if (t->v[i] != 0)
			return true;
	return false;
}

static slot table_of_ix(algebra *a, const ix *e)
{
	label **l;
	int n = ix_labels(&a->s, e, &l);
	int64_t cnt = grid_size(&a->s, n, l), i, *v = ix_values(&a->s, e, n, l);
	double *d = ARENA_ARRAY(&a->s.a, double, cnt);

	for (i = 0; i < cnt; i++)
		d[i] = (double)v[i];
	return slot_table(TYPE_REAL, n, l, d, RAT_ONE);
}

static ix *ix_minus(algebra *a, const ix *x, const ix *y)
{
	return ix_norm(&a->s, ix_add(&a->s, x, ix_times(&a->s, y, -1)));
}

/* Is an index zero wherever the mask holds? */
static bool agrees(struct general *g, const ix *d, const slot *mask)
{
	int64_t v;
	slot t;

	if (ix_is_const(&g->a->s, d, &v) && v == 0)
		return true;
	if (ix_is_const(&g->a->s, d, &v))
		return !any_nonzero(mask);
	t = table_of_ix(g->a, d);
	t = tables_zip(g->a, &t, mask, f_differ_and, TYPE_REAL);
	return !any_nonzero(&t);
}

static bool has_data(const ix *e)
{
	int i, j;

	for (i = 0; i < e->nt; i++)
		if (e->t[i].l->data)
			return true;
	for (i = 0; i < e->ntab; i++)
		for (j = 0; j < e->tab[i].nl; j++)
			if (e->tab[i].l[j]->data)
				return true;
	return false;
}

/* One of them may serve for all where the masks hold: the one with the fewest tables. */
static const ix *serves_all(struct general *g, ix **e)
{
	int k, j, r;
	bool data = false;

	for (k = 0; k < g->n; k++)
		data = data || has_data(e[k]);
	if (data)
		return NULL;
	for (r = 0; r < 3; r++)
		for (k = 0; k < g->n; k++) {
			if (e[k]->ntab != r && !(r == 2 && e[k]->ntab > 2))
				continue;
			for (j = 0; j < g->n && agrees(g, ix_minus(g->a, e[j], e[k]), &g->mask[j]); j++)
				;
			if (j == g->n)
				return e[k];
		}
	return NULL;
}

static bool table_same(const ix_table_part *x, const ix_table_part *y)
{
	int i;

	if (x->nl != y->nl || x->len != y->len)
		return false;
	for (i = 0; i < x->nl; i++)
		if (x->l[i] != y->l[i])
			return false;
	return !memcmp(x->v, y->v, sizeof *x->v * (size_t)x->len);
}

/* What all have: equal strides, equal tables. */
static ix *common_part(struct general *g, ix **e)
{
	ix *c = ix_const(&g->a->s, 0), *t;
	int i, k, j;

	for (i = 0; i < e[0]->nt; i++) {
		for (k = 1; k < g->n && ix_stride(e[k], e[0]->t[i].l) == e[0]->t[i].s; k++)
			;
		if (k == g->n)
			c = ix_add(&g->a->s, c, ix_of(&g->a->s, e[0]->t[i].l, e[0]->t[i].s));
	}
	for (i = 0; i < e[0]->ntab; i++) {
		for (k = 1; k < g->n; k++) {
			for (j = 0; j < e[k]->ntab && !table_same(&e[0]->tab[i], &e[k]->tab[j]); j++)
				;
			if (j == e[k]->ntab)
				break;
		}
		if (k < g->n)
			continue;
		t = ARENA_NEW(&g->a->s.a, ix);
		t->tab = &e[0]->tab[i];
		t->ntab = 1;
		c = ix_add(&g->a->s, c, t);
	}
	return c;
}

static bool same_where(struct general *g, int k, const slot *t)
{
	slot d = tables_zip(g->a, &g->t[k], t, f_ne, TYPE_REAL);

	if (g->masked)
		d = tables_zip(g->a, &d, &g->mask[k], f_differ_and, TYPE_REAL);
	return !any_nonzero(&d);
}

static ix *ix_of_table(algebra *a, const slot *t)
{
	int64_t cnt = slot_cells(t), i, *v = ARENA_ARRAY(&a->s.a, int64_t, cnt);

	for (i = 0; i < cnt; i++)
		v[i] = (int64_t)t->v[i];
	return ix_table(&a->s, t->nl, t->l, v);
}

/* The one of two indices that is chosen, whatever they are; NULL where data decides. */
static ix *chosen_ix(struct general *g, ix **e)
{
	algebra *a = g->a;
	ix *com = common_part(g, e), *rem[2];
	slot t[2];
	int k;

	for (k = 0; k < 2; k++) {
		rem[k] = ix_minus(a, e[k], com);
		if (has_data(rem[k]))
			return NULL;
		t[k] = table_of_ix(a, rem[k]);
		t[k] = tables_zip(a, &t[k], g->choice, k ? f_unless : f_where, TYPE_REAL);
	}
	t[0] = tables_zip(a, &t[0], &t[1], f_add, TYPE_REAL);
	return ix_norm(&a->s, ix_add(&a->s, com, ix_of_table(a, &t[0])));
}

static double f_minus(double x, double y) { return x - y; }

/* The stride D with t_k - t_0 = D (s_k - s_0) at the first place where instances part, or 0. */
static int64_t stride_between(struct general *g, const slot *t)
{
	algebra *a = g->a;
	int k;
	int64_t i, n;

	for (k = 1; k < g->n; k++) {
		slot x = tables_zip(a, &t[k], &t[0], f_minus, TYPE_REAL), y = tables_zip(a, &g->t[k], &g->t[0], f_minus, TYPE_REAL);
		slot d = tables_zip(a, &x, &y, f_first, TYPE_REAL), s = tables_zip(a, &y, &x, f_first, TYPE_REAL), both;
		both = tables_zip(a, &d, &s, f_differ_and, TYPE_REAL);
		d = tables_zip(a, &d, &both, f_first, TYPE_REAL);
		s = tables_zip(a, &s, &both, f_first, TYPE_REAL);
		if (d.nl != s.nl || d.nl != both.nl || memcmp(d.l, s.l, sizeof *d.l * (size_t)d.nl))
			continue;
		for (n = slot_cells(&d), i = 0; i < n; i++)
			if (d.v[i] != 0 && s.v[i] != 0)
				return fmod(d.v[i], s.v[i]) == 0 ? (int64_t)(d.v[i] / s.v[i]) : 0;
	}
	return 0;
}

/* t_k = h + D s_k, one h for all: com + h + D s.  It stays below len, whatever s is; NULL when there is no such h. */
static ix *over_function(struct general *g, const ix *com, const slot *t, int64_t len)
{
	algebra *a = g->a;
	int64_t D = stride_between(g, t), lo, hi, i, n;
	slot h = { 0 };
	int k;
	ix *e;

	for (k = 0; D && k < g->n; k++) {
		slot s = g->t[k], one, d;
		n = slot_cells(&s);
		s.v = ARENA_ARRAY(&a->s.a, double, n);
		for (i = 0; i < n; i++)
			s.v[i] = (double)D * g->t[k].v[i];
		one = tables_zip(a, &t[k], &s, f_minus, TYPE_REAL);
		if (k) {
			d = tables_zip(a, &one, &h, f_ne, TYPE_REAL);
			if (any_nonzero(&d))
				return NULL;
		} else {
			h = one;
		}
	}
	if (!D)
		return NULL;
	e = ix_add(&a->s, com, ix_of_table(a, &h));
	e = ix_norm(&a->s, ix_add(&a->s, e, ix_of(&a->s, g->s, D)));
	ix_range(&a->s, e, &lo, &hi);
	return lo >= 0 && hi < len ? e : NULL;
}

/* Does a table read label l, or another part of what l was cut from? */
static bool reads_of(const slot *t, const label *l)
{
	int i;

	for (i = 0; i < t->nl && t->l[i]->root != l->root; i++)
		;
	return i < t->nl;
}

/* Does what differs read a label that is bound inside the expression, or a part of one? */
static bool reads_inside(const struct general *g, const slot *t)
{
	int i;

	for (i = 0; i < g->nbound; i++)
		if (reads_of(t, g->bound[i]))
			return true;
	return false;
}

/* Does t tell all places apart that s has to? */
static bool tells_places(const struct general *g, const slot *t)
{
	label *own[TERM_LABELS], *read[TERM_LABELS];
	int i, j, n, m;

	for (i = 0; i < g->npriv; i++) {
		const slot *of = &t[g->priv[i].of];
		n = g->priv[i].needed ? label_leaves(g->priv[i].l, own, TERM_LABELS) : 0;
		m = labels_leaves(&g->a->s, of->nl, of->l, read, TERM_LABELS);
		for (j = 0; j < n; j++)
			if (!label_in(own[j], m, read))
				return false;
	}
	return true;
}

/* ---- a function of s: t_k = F(s_k) */

struct places {			/* F at the values that s takes */
	int64_t n, *v;
	bool *set;
};

/* F from all instances, where they count; false: one value of s would need two. */
static bool take_places(struct general *g, const slot *t, struct places *f)
{
	algebra *a = g->a;
	int64_t i, cells;
	int k;

	for (k = 0; k < g->n; k++) {
		slot x = tables_zip(a, &t[k], &g->t[k], f_first, TYPE_REAL), y = tables_zip(a, &t[k], &g->t[k], f_second, TYPE_REAL), m = g->mask[k];
		if (g->masked) {
			slot z = x;
			x = tables_zip(a, &x, &m, f_first, TYPE_REAL);
			y = tables_zip(a, &y, &m, f_first, TYPE_REAL);
			m = tables_zip(a, &z, &m, f_second, TYPE_REAL);
		}
		for (cells = slot_cells(&x), i = 0; i < cells; i++) {
			int64_t s = (int64_t)y.v[i], v = (int64_t)x.v[i];
			if (g->masked && m.v[i] == 0)
				continue;
			if (f->set[s] && f->v[s] != v)
				return false;
			f->set[s] = true;
			f->v[s] = v;
		}
	}
	return true;
}

/* The first place after `from` where F is known and, with `other`, differs from its value there; n: none. */
static int64_t next_place(const struct places *f, int64_t from, bool other)
{
	int64_t s;

	for (s = from + 1; s < f->n && !(f->set[s] && (!other || f->v[s] != f->v[from])); s++)
		;
	return s;
}

/* Places that s never takes continue F as a digit of s, c + D (s / p mod q), where it is one; else as it was last. */
static void continue_places(struct places *f)
{
	int64_t p = next_place(f, 0, true), q, s, *v = f->v, D;
	bool digit = f->set[0] && p < f->n;

	D = digit ? v[p] - v[0] : 0;
	for (q = 1; digit && q * p < f->n && (!f->set[q * p] || v[q * p] == v[0] + D * q); q++)
		;
	for (s = 0; digit && s < f->n; s++)
		digit = !f->set[s] || v[s] == v[0] + D * (s / p % q);
	for (s = 0; s < f->n; s++)
		if (!f->set[s])
			v[s] = digit ? v[0] + D * (s / p % q) : s ? v[s - 1] : v[next_place(f, 0, false)];
}

/* com + F(s), where the instances of what differs are one function F of s; it stays below len, whatever s is. */
static ix *function_of_s(struct general *g, const ix *com, const slot *t, int64_t len)
{
	algebra *a = g->a;
	struct places f = { g->s->n, ARENA_ARRAY(&a->s.a, int64_t, g->s->n), arena_zalloc(&a->s.a, (size_t)g->s->n) };
	int64_t lo, hi;
	ix *e;

	if (!take_places(g, t, &f) || next_place(&f, -1, false) == f.n)
		return NULL;
	continue_places(&f);
	e = ix_norm(&a->s, ix_add(&a->s, com, ix_table(&a->s, 1, &g->s, f.v)));
	ix_range(&a->s, e, &lo, &hi);
	return lo >= 0 && hi < len ? e : NULL;
}

/* Do all instances read label l, in what differs or in s? */
static bool all_read(const struct general *g, const slot *t, const label *l)
{
	int k;

	for (k = 0; k < g->n && (reads_of(&t[k], l) || reads_of(&g->t[k], l)); k++)
		;
	return k == g->n;
}

/* ---- one table for all: T_k is T(s_k, ..) where instance k counts */

struct joint {			/* a table over the labels x, and s last */
	slot x;			/* the labels, with 0 at every place */
	int64_t ns, *set;	/* .. whether an entry is set */
	double *v;
	double *first;		/* per place of x: a value to go on with */
};

/* Instance k sums labels b: those that not all sum, and how many values it gives s; false: too many. `table` reads some,
 * NULL: none has to be read. */
static bool note_instance(struct general *g, int k, int nb, label *const *b, int nc, label *const *common, const slot *table)
{
	int64_t values = 1;
	int j;

	for (j = 0; j < nb; j++) {
		if (label_in(b[j], nc, common))
			continue;
		if (g->npriv == PRIVATE_MAX)
			return false;
		g->priv[g->npriv++] = (struct own_label){ b[j], k, table && !label_in(b[j], table->nl, table->l) };
		values *= values < SPAN_MAX ? b[j]->n : 1;
	}
	g->most += values;
	return true;
}

static bool is_private(const struct general *g, const label *l)
{
	int i;

	for (i = 0; i < g->npriv && g->priv[i].l->root != l->root; i++)
		;
	return i < g->npriv;
}

/* Zeros over the labels that the constants read, and the masks if `masks`; those that single instances sum apart. */
static slot shared_places(struct general *g, const slot *v, bool masks)
{
	algebra *a = g->a;
	double zero = 0;
	slot all = slot_table(TYPE_REAL, 0, NULL, &zero, RAT_ONE);
	label **l;
	int k, j, n = 0;

	for (k = 0; k < g->n; k++) {
		all = tables_zip(a, &all, &v[k], f_first, TYPE_REAL);
		if (masks)
			all = tables_zip(a, &all, &g->mask[k], f_first, TYPE_REAL);
	}
	l = ARENA_ARRAY(&a->s.a, label *, all.nl);
	for (j = 0; j < all.nl; j++)
		if (!is_private(g, all.l[j]))
			l[n++] = all.l[j];
	return slot_table(TYPE_REAL, n, l, arena_zalloc(&a->s.a, sizeof(double) * (size_t)grid_size(&a->s, n, l)), RAT_ONE);
}

/* The entries that instance k says, where it counts; false: another says otherwise. */
static bool enter_constant(struct general *g, int k, const slot *given, struct joint *r)
{
	algebra *a = g->a;
	slot all = tables_zip(a, &r->x, given, f_first, TYPE_REAL), s, v, m = g->mask[k];
	int64_t i, n, at, *place;

	if (g->s)
		all = tables_zip(a, &all, &g->t[k], f_first, TYPE_REAL);
	if (g->masked)
		all = tables_zip(a, &all, &m, f_first, TYPE_REAL);
	s = g->s ? tables_zip(a, &all, &g->t[k], f_second, TYPE_REAL) : all;
	if (g->masked)
		m = tables_zip(a, &all, &m, f_second, TYPE_REAL);
	v = tables_zip(a, &all, given, f_second, TYPE_REAL);
	place = grid_places(&a->s, all.nl, all.l, r->x.nl, r->x.l);
	for (n = slot_cells(&all), i = 0; i < n; i++) {
		at = place[i] * r->ns + (int64_t)s.v[i];
		if (k == 0)
			r->first[place[i]] = v.v[i];
		if (g->masked && m.v[i] == 0)
			continue;
		if (r->set[at] && r->v[at] != v.v[i])
			return false;
		r->set[at] = 1;
		r->v[at] = v.v[i];
	}
	return true;
}

/* One table over the labels that the constants read and s, or with `masks` those that masks read: where masks say which
 * instance counts. */
static bool joint_table(struct general *g, const slot *v, bool masks, slot *out)
{
	algebra *a = g->a;
	int64_t i, n;
	struct joint r = { shared_places(g, v, masks), g->s ? g->s->n : 1, NULL, NULL, NULL };
	label **l = ARENA_ARRAY(&a->s.a, label *, r.x.nl + 1);
	int k, nl = r.x.nl;

	memcpy(l, r.x.l, sizeof *l * (size_t)nl);
	if (g->s)
		l[nl++] = g->s;
	n = slot_cells(&r.x);
	if (n * r.ns > TABLE_MAX)
		stuck(&a->s, "a table of %lld entries would be needed", (long long)(n * r.ns));
	r.set = arena_zalloc(&a->s.a, sizeof(int64_t) * (size_t)(n * r.ns));
	r.v = arena_zalloc(&a->s.a, sizeof(double) * (size_t)(n * r.ns));
	r.first = arena_zalloc(&a->s.a, sizeof(double) * (size_t)n);
	for (k = 0; k < g->n; k++)
		if (!enter_constant(g, k, &v[k], &r))
			return false;
	for (i = 0; i < n * r.ns; i++)
		if (!r.set[i])
			r.v[i] = r.first[i / r.ns];
	*out = slot_table(v[0].vtype, nl, l, r.v, v[0].c);
	return true;
}

/* Do masks say which instance counts, and is that all there is to t?  None counts everywhere. */
static bool masks_choose(const struct general *g, const slot *t)
{
	int64_t i, n, places = 1;
	int k;

	for (k = 0; k < g->n && g->masked; k++) {
		n = slot_cells(&g->mask[k]);
		for (i = 0; i < n && g->mask[k].v[i] != 0; i++)
			;
		if (t[k].nl || i == n || (places *= n) > TABLE_MAX)
			return false;
	}
	return g->masked;
}

/* com + t_k where instance k counts, whatever s is: t_k are numbers, and masks say which one it is. */
static ix *index_that_counts(struct general *g, const ix *com, const slot *t, int64_t len)
{
	algebra *a = g->a;
	label *s = g->s;
	int64_t lo, hi;
	slot one;
	bool found;
	ix *e;

	if (!masks_choose(g, t))
		return NULL;
	g->s = NULL;
	found = joint_table(g, t, true, &one);
	g->s = s;
	if (!found)
		return NULL;
	e = ix_norm(&a->s, ix_add(&a->s, com, ix_of_table(a, &one)));
	ix_range(&a->s, e, &lo, &hi);
	return lo >= 0 && hi < len ? e : NULL;
}

/* What differs otherwise than s itself.  What an instance that counts everywhere reads, and s does not, all read. */
static ix *other_ix(struct general *g, const ix *com, const slot *t, int64_t len)
{
	bool told = true;
	ix *e;
	int k, j;

	for (k = 0; k < g->n && !g->masked; k++)
		for (j = 0; j < t[k].nl; j++) {
			if (reads_of(&g->t[k], t[k].l[j]))
				continue;
			told = false;
			if (!all_read(g, t, t[k].l[j]))
				return NULL;
		}
	e = over_function(g, com, t, len);
	if (!e && told)
		e = function_of_s(g, com, t, len);
	return e ? e : index_that_counts(g, com, t, len);
}

/* ---- places that data choose: <x[at_k]> is <x[at]> where the at_k are one function of s */

static ix *general_ix(struct general *g, ix **e, int64_t len);

/* The data labels of e, no more than max; their number. */
static int data_labels(algebra *a, const ix *e, label **out, int max)
{
	label **l;
	int n = ix_labels(&a->s, e, &l), i, m = 0;

	for (i = 0; i < n && m < max; i++)
		if (l[i]->data)
			out[m++] = l[i];
	return m;
}

static bool datum_alike(algebra *a, const label *x, const label *y)
{
	const datum *p = x->data, *q = y->data;

	return x->n == y->n && p->div == q->div && p->full == q->full && eg_root(a->g, p->core) == eg_root(a->g, q->core);
}

/* One data digit for digit l[k] of every instance; NULL when there is none. */
static ix *general_datum(struct general *g, label **l)
{
	algebra *a = g->a;
	const datum *d = l[0]->data;
	ix *at[GROUP_MAX], *e, *q, *r;
	int k;

	for (k = 0; k < g->n; k++) {
		if (!datum_alike(a, l[0], l[k]))
			return NULL;
		at[k] = (ix *)l[k]->data->at;
	}
	if (!(e = general_ix(g, at, core_len(a, d->core))))
		return NULL;
	for (k = 1; k < g->n; k++)
		if (l[k]->data->core != d->core)
			history_premise(a, l[k]->data->core, d->core);
	r = ix_of(&a->s, label_data(&a->s, d->core, e, d->full), 1);
	ix_divmod(&a->s, r, d->div, &q, &r);
	ix_divmod(&a->s, q, l[0]->n, &q, &r);
	return r;
}

/* Brings the places that data choose into one form, where they differ; false: there is none. */
static bool general_data(struct general *g, ix **e)
{
	algebra *a = g->a;
	label *l[GROUP_MAX][DATA_MAX], *one[GROUP_MAX];
	ix *to[DATA_MAX];
	int n = data_labels(a, e[0], l[0], DATA_MAX), i, k;

	for (k = 1; k < g->n; k++)
		if (data_labels(a, e[k], l[k], DATA_MAX) != n)
			return false;
	for (i = 0; i < n; i++) {
		for (k = 0; k < g->n; k++)
			one[k] = l[k][i];
		if (!(to[i] = general_datum(g, one)))
			return false;
	}
	for (k = 0; k < g->n; k++)
		e[k] = ix_norm(&a->s, ix_subst(&a->s, e[k], n, l[k], to));
	return true;
}

static double f_min(double x, double y) { return x < y ? x : y; }

/* s as what the instances read above the least of them, place by place: com + h + D s. */
static ix *above_least(struct general *g, const ix *com, const slot *t, int64_t len)
{
	algebra *a = g->a;
	slot h = t[0], d[GROUP_MAX];
	int64_t D = 0, most = 0, i, lo, hi;
	int k, j;
	ix *e;

	for (k = 0; k < g->n; k++) {
		for (j = 0; j < t[k].nl; j++)
			if (is_private(g, t[k].l[j]))
				return NULL;
		h = tables_zip(a, &h, &t[k], f_min, TYPE_REAL);
	}
	for (k = 0; k < g->n; k++) {
		d[k] = tables_zip(a, &t[k], &h, f_minus, TYPE_REAL);
		for (i = 0; i < slot_cells(&d[k]); i++) {
			D = gcd64(D, (int64_t)d[k].v[i]);
			most = (int64_t)d[k].v[i] > most ? (int64_t)d[k].v[i] : most;
		}
	}
	if (!D || most / D >= g->most || !tells_places(g, d))
		return NULL;
	g->s = label_new(&a->s, most / D + 1);
	e = ix_add(&a->s, ix_add(&a->s, com, ix_of_table(a, &h)), ix_of(&a->s, g->s, D));
	e = ix_norm(&a->s, e);
	ix_range(&a->s, e, &lo, &hi);
	if (lo < 0 || hi >= len) {
		g->s = NULL;
		return NULL;
	}
	for (k = 0; k < g->n; k++) {
		for (i = 0; i < slot_cells(&d[k]); i++)
			d[k].v[i] /= (double)D;
		g->t[k] = d[k];
	}
	return e;
}

static bool same_ix(const struct general *g, ix **e)
{
	int k;

	for (k = 1; k < g->n && ix_equal(&g->a->s, e[0], e[k]); k++)
		;
	return k == g->n;
}

/* One expression over s for several readings of what has len places; NULL when they differ in more than one function. */
static ix *general_ix(struct general *g, ix **e, int64_t len)
{
	algebra *a = g->a;
	ix *com, *rem;
	slot t[GROUP_MAX], whole[GROUP_MAX], turned[GROUP_MAX];
	int k;
	int64_t i, o = INT64_MAX, D = 0, n = 0, cnt;
	const ix *one;
	bool same, back;

	for (k = 0; k < g->n; k++)
		e[k] = ix_norm(&a->s, e[k]);
	for (k = 0; k < g->n; k++)
		e[k] = ix_norm(&a->s, e[k]);
	if (same_ix(g, e))
		return e[0];
	if (!g->choice && g->masked && (one = serves_all(g, e)))
		return (ix *)one;
	if (has_data(e[0]) && !general_data(g, e))
		return NULL;
	if (same_ix(g, e))
		return e[0];
	if (g->choice)
		return chosen_ix(g, e);
	com = common_part(g, e);
	for (k = 0; k < g->n; k++) {
		rem = ix_minus(a, e[k], com);
		if (has_data(rem))
			return NULL;
		t[k] = whole[k] = table_of_ix(a, rem);
		if (reads_inside(g, &t[k]))
			return NULL;
		cnt = slot_cells(&t[k]);
		for (i = 0; i < cnt; i++)
			if (t[k].v[i] < (double)o)
				o = (int64_t)t[k].v[i];
	}
	for (k = 0; k < g->n; k++)
		for (cnt = slot_cells(&t[k]), i = 0; i < cnt; i++)
			D = gcd64(D, (int64_t)t[k].v[i] - o);
	if (!D)
		return NULL;
	for (k = 0; k < g->n; k++) {
		cnt = slot_cells(&t[k]);
		t[k].v = ARENA_ARRAY(&a->s.a, double, cnt);
		for (i = 0; i < cnt; i++) {
			t[k].v[i] = (whole[k].v[i] - (double)o) / (double)D;
			if ((int64_t)t[k].v[i] + 1 > n)
				n = (int64_t)t[k].v[i] + 1;
		}
	}
	if (n > SPAN_MAX)
		return NULL;
	if (!g->s && (n > g->most || !tells_places(g, t))) {
		ix *above = above_least(g, com, whole, len);
		if (above)
			return above;
		g->clash = true;
		return index_that_counts(g, com, whole, len);
	}
	if (!g->s) {
		g->s = label_new(&a->s, n);
		for (k = 0; k < g->n; k++)
			g->t[k] = t[k];
		return ix_plus(&a->s, ix_add(&a->s, com, ix_of(&a->s, g->s, D)), o);
	}
	g->clash = true;
	if (n != g->s->n)
		return other_ix(g, com, whole, len);
	for (k = 0; k < g->n; k++) {
		turned[k] = t[k];
		cnt = slot_cells(&t[k]);
		turned[k].v = ARENA_ARRAY(&a->s.a, double, cnt);
		for (i = 0; i < cnt; i++)
			turned[k].v[i] = (double)(n - 1) - t[k].v[i];
	}
	for (same = back = false; ; back = true) {
		for (k = 0; k < g->n && same_where(g, k, back ? &turned[k] : &t[k]); k++)
			;
		same = k == g->n;
		if (same || back)
			break;
	}
	if (!same)
		return other_ix(g, com, whole, len);
	if (back)
		return ix_plus(&a->s, ix_add(&a->s, com, ix_of(&a->s, g->s, -D)), o + (n - 1) * D);
	return ix_plus(&a->s, ix_add(&a->s, com, ix_of(&a->s, g->s, D)), o);
}

static uint64_t slot_skeleton(algebra *a, const slot *t)
{
	return t->x == NIL ? 1 : core_of(a, peek(a, t->x))->skeleton;
}

static void sort_slots(algebra *a, slot *t, int n)
{
	int i, j;

	for (i = 1; i < n; i++) {
		slot x = t[i];
		uint64_t h = slot_skeleton(a, &x);
		for (j = i; j > 0; j--) {
			uint64_t q = slot_skeleton(a, &t[j - 1]);
			int c = rat_cmp(t[j - 1].c, x.c);
			if (c < 0 || (c == 0 && q <= h))
				break;
			t[j] = t[j - 1];
		}
		t[j] = x;
	}
}

/* A node over the labels its slots read, all but the bound ones free. */
static slot over_labels(algebra *a, work *w, rat c)
{
	label **l, **fr = ARENA_ARRAY(&a->s.a, label *, 256), *bl[128];
	int k, i, n = 0, m, nb;

	work_settle(a, w);
	nb = bound_leaves(&a->s, w, bl, 128);
	for (k = 0; k < w->nslot; k++) {
		m = slot_labels(a, &w->slot[k], &l);
		for (i = 0; i < m && n < 256; i++)
			if (!l[i]->data && !label_in(l[i], n, fr) && !label_in(l[i], nb, bl))
				fr[n++] = l[i];
	}
	work_set_free(a, w, n, fr);
	return slot_of_work(a, w, c);
}

static bool general_slot(struct general *g, const slot *t, slot *out);

/* Constants of integers, and equal atoms: only the index differs. */
static int general_index(struct general *g, const slot *t, slot *out)
{
	ix *e[GROUP_MAX], *r;
	eg_id root = eg_root(g->a->g, t[0].x);
	int k;

	for (k = 0; k < g->n && eg_root(g->a->g, t[k].x) == root; k++)
		e[k] = t[k].e;
	if (k == g->n) {
		for (k = 1; k < g->n; k++)
			if (t[k].x != t[0].x)
				history_premise(g->a, t[k].x, t[0].x);
		if ((r = general_ix(g, e, core_len(g->a, t[0].x)))) {
			*out = slot_read(t[0].x, r, t[0].c);
			return 1;
		}
		return core_atom(g->a, peek(g->a, t[0].x)) ? 0 : -1;
	}
	if (!type_is_int(core_type(g->a, t[0].x)))
		return -1;
	for (k = 0; k < g->n && slot_index(g->a, &t[k], &e[k]); k++)
		;
	if (k < g->n)
		return -1;
	r = general_ix(g, e, INT64_MAX);
	if (!r)
		return 0;
	*out = slot_read(core_line(g->a, core_type(g->a, t[0].x)), r, t[0].c);
	return 1;
}

/* ---- constants */

/* Constants that differ. */
static bool general_constant(struct general *g, const slot *t, slot *out)
{
	algebra *a = g->a;
	slot v[GROUP_MAX], w;
	int k, type = T_PRED;

	for (k = 0; k < g->n; k++) {
		if (!slot_table_values(a, &t[k], &v[k]) || (k && v[k].vtype != type))
			return false;
		type = v[k].vtype;
	}
	*out = t[0];
	if (g->choice) {
		v[0] = tables_zip(a, &v[0], g->choice, f_where, type);
		v[1] = tables_zip(a, &v[1], g->choice, f_unless, type);
		w = tables_zip(a, &v[0], &v[1], f_add, type);
		*out = slot_table(type, w.nl, w.l, w.v, t[0].c);
		return true;
	}
	return !g->known || joint_table(g, v, false, out) || (g->masked && joint_table(g, v, true, out));
}

/* Opens all: the same operation, the same summed sizes, operands in one order. */
static bool general_node(struct general *g, const slot *t, slot *out)
{
	algebra *a = g->a;
	eg_id o[GROUP_MAX] = { NIL };
	slot *in[GROUP_MAX], *col, *res;
	work *w0 = NULL;
	enum core_kind kind;
	int k, j, m = 0, q, bound0 = g->nbound;

	if (--g->budget < 0)
		return false;
	for (k = 0; k < g->n; k++) {
		o[k] = peek(a, t[k].x);
		if (core_atom(a, o[k]) || core_kind(a, o[k]) == C_VIEW || !normal_opens(a, o[k], g->node))
			return false;
		if (core_kind(a, o[k]) != core_kind(a, o[0]) || core_type(a, o[k]) != core_type(a, o[0]) ||
		    core_of(a, o[k])->skeleton != core_of(a, o[0])->skeleton || eg_narg(a->g, o[k]) != eg_narg(a->g, o[0]))
			return false;
	}
	kind = core_kind(a, o[0]);
	for (k = 0; k < g->n; k++) {
		pairing p = pairing_read(a, o[k]);
		work *w;
		label *own[64];
		ix *to[64];
		if (p.nbound > 60)
			return false;
		if (kind == C_MAP || kind == C_RED || kind == C_LAT || kind == C_PICK)
			if (node_val(a, o[k], 2) != node_val(a, o[0], 2))
				return false;
		w = work_new(a, kind, core_type(a, o[k]), 0);
		in[k] = work_inline(a, o[k], t[k].e, w, &q);
		opened(a, t[k].x, o[k]);
		if (k && (q != m || w->nbound != w0->nbound))
			return false;
		m = q;
		if (core_commutes(kind))
			sort_slots(a, in[k], m);
		if (!k) {
			w0 = w;
			for (j = 0; j < w->nbound && g->nbound < 128; j++)
				g->bound[g->nbound++] = w->bound[j];
			continue;
		}
		for (j = 0; j < w->nbound; j++) {	/* summed labels are the first one's */
			if (w->bound[j]->n != w0->bound[j]->n)
				return false;
			own[j] = w->bound[j];
			to[j] = ix_of(&a->s, w0->bound[j], 1);
		}
		for (j = 0; j < m; j++)
			in[k][j].e = ix_subst(&a->s, in[k][j].e, w->nbound, own, to);
	}
	res = ARENA_ARRAY(&a->s.a, slot, m);
	col = ARENA_ARRAY(&a->s.a, slot, GROUP_MAX);
	for (j = 0; j < m; j++) {
		for (k = 0; k < g->n; k++) {
			col[k] = in[k][j];
			if (!rat_eq(col[k].c, col[0].c))
				return false;
		}
		if (!general_slot(g, col, &res[j]))
			return false;
		res[j].c = col[0].c;
	}
	g->nbound = bound0;
	w0->nslot = m;
	w0->slot = res;
	w0->fn = kind == C_SUM || kind == C_MUL || kind == C_EIN ? NIL : node_val(a, o[0], 2);
	*out = g->known ? over_labels(a, w0, t[0].c) : t[0];
	return true;
}

static bool general_slot(struct general *g, const slot *t, slot *out)
{
	int k, r;

	for (k = 1; k < g->n && slot_same(g->a, &t[0], &t[k]); k++)
		;
	if (k == g->n) {
		for (k = 1; k < g->n; k++)
			if (t[k].x != t[0].x)
				history_premise(g->a, t[k].x, t[0].x);
		*out = t[0];
		return true;
	}
	r = general_index(g, t, out);
	if (r > 0)
		return true;
	for (k = 0; k < g->n && slot_is_constant(g->a, &t[k]); k++)
		;
	if (k == g->n && t[0].x != NIL && !type_is_int(core_type(g->a, t[0].x)))
		return general_constant(g, t, out);
	return r < 0 && general_node(g, t, out);
}

/* What s is, and then the one expression. */
static bool general_expression(struct general *g, const slot *t, slot *out)
{
	g->known = false;
	if (!general_slot(g, t, out))
		return false;
	g->known = true;
	g->nbound = 0;
	return general_slot(g, t, out);
}

/* ---- N23 */

struct fold_term {
	int at;			/* slot of the sum */
	rat c;
	bool table;
	slot tab;		/* values */
	int nf;
	slot f[16];
	int nb;
	label *b[TERM_LABELS];
	uint64_t key;
};

/* A term taken apart: its table, its factors, its summed labels. */
static bool open_term(algebra *a, const work *w, int at, eg_id n, struct fold_term *r)
{
	const slot *t = &w->slot[at];
	eg_id o = t->x == NIL ? NIL : peek(a, t->x);
	work *e = work_new(a, C_EIN, w->type, 0);
	slot *in, all[32], *more;
	int m, i, k = 0, inner = -1, q;
	enum core_kind kind = o == NIL ? C_TABLE : core_kind(a, o);
	bool tables = false;

	memset(r, 0, sizeof *r);
	r->at = at;
	r->c = t->c;
	if (slot_is_constant(a, t))
		return false;
	for (i = 0; kind == C_MUL && i < pairing_read(a, o).nslot; i++) {
		eg_id x = peek(a, eg_args(a->g, o)[i]);
		uint32_t j;
		tables = tables || core_kind(a, x) == C_TABLE;
		if (core_kind(a, x) == C_EIN)
			for (j = 0; j < eg_narg(a->g, x); j++)
				tables = tables || core_kind(a, peek(a, eg_args(a->g, x)[j])) == C_TABLE;
	}
	if (!(kind == C_EIN || (kind == C_MUL && tables)) || core_type(a, o) != w->type || !normal_opens(a, o, n)) {
		r->nf = 1;
		r->f[0] = *t;
		r->f[0].c = RAT_ONE;
		r->key = hash_bytes(&core_of(a, o)->skeleton, 8, 1);
		return true;
	}
	in = work_inline(a, o, t->e, e, &m);
	opened(a, t->x, o);
	for (i = 0; i < m; i++)
		if (in[i].c.num == 1 && core_kind(a, peek(a, in[i].x)) == C_EIN && core_type(a, peek(a, in[i].x)) == w->type) {
			if (inner >= 0)
				inner = -2;
			else if (inner == -1)
				inner = i;
		}
	for (i = 0; i < m; i++) {
		if (kind == C_MUL && i == inner) {	/* a table times a contraction: the contraction with the table */
			eg_id x = peek(a, in[i].x);
			if (!normal_opens(a, x, n))
				return false;
			more = work_inline(a, x, in[i].e, e, &q);
			opened(a, in[i].x, x);
			for (q--; q >= 0 && k < 31; q--)
				all[k++] = more[q];
			continue;
		}
		if (k == 31)
			return false;
		all[k++] = in[i];
	}
	for (i = 0; i < k; i++) {
		slot v;
		if (core_kind(a, peek(a, all[i].x)) == C_TABLE) {
			if (r->table || all[i].c.num != 1 || !slot_table_values(a, &all[i], &v) || !exact_values(slot_cells(&v), v.v))
				return false;
			r->table = true;
			r->tab = v;
			r->tab.c = RAT_ONE;
			continue;
		}
		if (r->nf == 16)
			return false;
		r->f[r->nf++] = all[i];
	}
	if (!r->nf)
		return false;
	sort_slots(a, r->f, r->nf);
	{
		label *bl[64];
		r->nb = bound_leaves(&a->s, e, bl, 64);
		memcpy(r->b, bl, sizeof *bl * (size_t)r->nb);
	}
	for (i = 0; i < r->nf; i++) {
		uint64_t x[3] = { r->key, slot_skeleton(a, &r->f[i]), (uint64_t)r->f[i].c.num };
		r->key = hash_bytes(x, sizeof x, 5);
	}
	if (r->nf == 1 && r->f[0].c.num == 1)
		r->key = hash_bytes(&core_of(a, peek(a, r->f[0].x))->skeleton, 8, 1);
	return true;
}

/* Summed labels that read the first factors at the same stride are the same label. */
static void share_labels(algebra *a, const struct fold_term *r0, struct fold_term *r)
{
	label *from[64], *used[64];
	ix *to[64];
	int n = 0, k, i, j;

	for (k = 0; k < r->nf && k < r0->nf; k++) {
		const ix *e0 = ix_norm(&a->s, r0->f[k].e), *e = ix_norm(&a->s, r->f[k].e);
		for (i = 0; i < e->nt; i++) {
			label *x = e->t[i].l;
			if (!label_in(x, r->nb, r->b) || label_in(x, n, from))
				continue;
			for (j = 0; j < e0->nt; j++) {
				label *y = e0->t[j].l;
				if (e0->t[j].s == e->t[i].s && y->n == x->n && label_in(y, r0->nb, r0->b) && !label_in(y, n, used))
					break;
			}
			if (j == e0->nt)
				continue;
			from[n] = x;
			used[n] = e0->t[j].l;
			to[n++] = ix_of(&a->s, e0->t[j].l, 1);
		}
	}
	if (!n)
		return;
	for (k = 0; k < r->nf; k++)
		r->f[k].e = ix_norm(&a->s, ix_subst(&a->s, r->f[k].e, n, from, to));
	for (k = 0; r->table && k < r->tab.nl; k++) {
		for (i = 0; i < n && from[i] != r->tab.l[k]; i++)
			;
		if (i < n) {
			label **l = ARENA_ARRAY(&a->s.a, label *, r->tab.nl);
			memcpy(l, r->tab.l, sizeof *l * (size_t)r->tab.nl);
			l[k] = used[i];
			r->tab.l = l;
		}
	}
	for (k = 0; k < r->nb; k++) {
		for (i = 0; i < n && from[i] != r->b[k]; i++)
			;
		if (i < n)
			r->b[k] = used[i];
	}
}

/* values of t one-hot over s, times the table and the ratio, summed over private labels */
static bool row_matrix(struct general *g, int k, const struct fold_term *r, double ratio, int ngone, label *const *gone, slot *out)
{
	algebra *a = g->a;
	slot t = g->t[k], one, m;
	double unit = 1;
	int64_t n, cnt, i, size = g->s ? g->s->n : 1, o;
	int j, p = 0;
	label **keep;

	one = slot_table(TYPE_REAL, 0, NULL, &unit, RAT_ONE);
	m = r->table ? r->tab : one;
	m = tables_zip(a, &t, &m, f_second, TYPE_REAL);		/* the table over all labels */
	t = tables_zip(a, &t, &m, f_first, TYPE_REAL);
	/* both have the union of labels, in the same order */
	keep = ARENA_ARRAY(&a->s.a, label *, m.nl + 1);
	for (j = 0; j < m.nl; j++)
		if (!label_in(m.l[j], ngone, gone))
			keep[p++] = m.l[j];
	for (j = 0; j < ngone; j++)
		if (!label_in(gone[j], m.nl, m.l))
			return false;
	if (t.nl != m.nl)
		return false;
	for (j = 0; j < m.nl; j++)
		if (t.l[j] != m.l[j])
			return false;
	keep[p] = g->s;
	n = grid_size(&a->s, p, keep);
	if (n * size > TABLE_MAX)
		stuck(&a->s, "a table of %lld entries would be needed", (long long)(n * size));
	*out = slot_table(TYPE_REAL, p + 1, keep, arena_zalloc(&a->s.a, sizeof(double) * (size_t)(n * size)), RAT_ONE);
	cnt = slot_cells(&m);
	for (i = 0; i < cnt; i++) {
		int64_t w = cnt, at = 0, x;
		for (j = 0; j < m.nl; j++) {
			w /= m.l[j]->n;
			x = i / w % m.l[j]->n;
			if (!label_in(m.l[j], ngone, gone))
				at = at * m.l[j]->n + x;
		}
		o = (int64_t)t.v[i];
		out->v[at * size + o] += m.v[i] * ratio;
	}
	return true;
}

static bool general_factors(struct general *g, const struct fold_term *r, int n, int first, slot *out)
{
	slot col[GROUP_MAX];
	int i, j, k;

	g->nbound = 0;
	for (i = 0; i < r[0].nf; i++) {
		j = i == 0 ? first : i <= first ? i - 1 : i;
		for (k = 0; k < n; k++)
			col[k] = r[k].f[j];
		if (!general_slot(g, col, &out[j]))
			return false;
		out[j].c = r[0].f[j].c;
	}
	return true;
}

/* Labels as they stand now; returns their number. */
static int labels_now(algebra *a, int n, label **l)
{
	label *now[TERM_LABELS];

	n = labels_leaves(&a->s, n, l, now, TERM_LABELS);
	memcpy(l, now, sizeof *l * (size_t)n);
	return n;
}

/* One factor for all terms, for every factor; the index that factor `first` differs in says what s is. */
static bool fold_factors(struct general *g, const struct fold_term *r, int n, int first, slot *out)
{
	g->s = NULL;
	g->clash = g->known = false;
	if (!general_factors(g, r, n, first, out))
		return false;
	g->known = true;
	return general_factors(g, r, n, first, out);
}

static eg_id fold_group(algebra *a, work *w, struct fold_term *r, int n, eg_id node)
{
	struct general *g = ARENA_NEW(&a->s.a, struct general);
	slot out[17], K = { 0 }, res[1], *terms;
	label *common[TERM_LABELS], *priv[TERM_LABELS];
	int k, j, i, nc = 0, np, m;
	bool tables = false, flat, opposed = false;
	double unit = 1;
	int64_t cnt, q;
	rat c0 = r[0].c, ratio;
	uint64_t before = a->s.cells;
	slot one = slot_table(TYPE_REAL, 0, NULL, &unit, RAT_ONE);
	work *e;

	for (k = 1; k < n; k++) {
		share_labels(a, &r[0], &r[k]);
		opposed = opposed || (r[k].c.num < 0) != (c0.num < 0);
	}
	for (j = 0; j < r[0].nb; j++) {
		for (k = 1; k < n && label_in(r[0].b[j], r[k].nb, r[k].b); k++)
			;
		if (k == n)
			common[nc++] = r[0].b[j];
	}
	g->a = a;
	g->n = n;
	g->node = node;
	g->budget = 600;
	g->masked = true;
	for (k = 0; k < n; k++) {
		g->mask[k] = r[k].table ? tables_zip(a, &r[k].tab, &one, f_ne0, TYPE_REAL) : one;
		tables = tables || r[k].table;
		for (j = 0; j < g->mask[k].nl; j++)
			g->masked = g->masked && !g->mask[k].l[j]->data;
	}
	for (k = 0; k < n; k++)
		if (!note_instance(g, k, r[k].nb, r[k].b, nc, common, &g->mask[k]))
			return NIL;
	if (tables)
		g->most = SPAN_MAX;
	else
		g->masked = false;	/* they count everywhere */
	for (i = 0; i < r[0].nf && !fold_factors(g, r, n, i, out); i++)	/* what differs is one function of one of the factors */
		if (!g->clash || a->s.cells - before > FOLD_CELLS)
			return NIL;
	if (i == r[0].nf)
		return NIL;
	nc = labels_now(a, nc, common);	/* the factors' indices have cut them */
	for (k = 0; k < n; k++)
		r[k].nb = labels_now(a, r[k].nb, r[k].b);
	if (!g->s) {		/* one and the same expression */
		g->s = label_new(&a->s, 1);
		for (k = 0; k < n; k++) {
			g->t[k] = one;
			g->t[k].v = arena_zalloc(&a->s.a, sizeof(double));
		}
	}
	if (type_is_int(w->type)) {	/* residues do not divide */
		for (k = 0; k < n; k++)
			if (!rat_div(&ratio, r[k].c, c0) || ratio.den != 1)
				c0 = RAT_ONE;
	}
	for (k = 0; k < n; k++) {
		slot mk;
		np = 0;
		for (j = 0; j < r[k].nb; j++)
			if (!label_in(r[k].b[j], nc, common))
				priv[np++] = r[k].b[j];
		for (i = 0; i < g->t[k].nl; i++)
			if (g->t[k].l[i]->data)
				return NIL;
		for (i = 0; r[k].table && i < r[k].tab.nl; i++)
			if (r[k].tab.l[i]->data && np)
				return NIL;
		if (!rat_div(&ratio, r[k].c, c0) || !exact_value(rat_double(ratio)))
			return NIL;
		if (!row_matrix(g, k, &r[k], rat_double(ratio), np, priv, &mk))
			return NIL;
		K = k ? tables_zip(a, &K, &mk, f_add, TYPE_REAL) : mk;
	}
	cnt = slot_cells(&K);
	for (flat = true, q = 1; q < cnt && flat; q++)
		flat = K.v[q] == K.v[0];
	if (!flat && !tables)
		return NIL;
	if (!exact_values(cnt, K.v))
		return NIL;
	/* 0 inf and 2 inf - inf are no numbers */
	for (j = 0; j < r[0].nf; j++)
		if ((tables || nc || !flat || opposed) && !slot_finite_power(a, &out[j]))
			return refuse(a, "zero times a tensor that may be infinite");
	for (k = 0; k < n; k++)
		for (j = 0; j < r[k].nf; j++)
			if ((tables || nc || opposed) && !slot_finite_power(a, &r[k].f[j]))
				return refuse(a, "zero times a tensor that may be infinite");
	m = r[0].nf;
	g->s->bound = true;
	e = work_new(a, C_EIN, w->type, m + 1);
	memcpy(e->slot, out, sizeof *out * (size_t)m);
	e->nslot = m;
	if (!(flat && K.v[0] == 1)) {
		if (type_is_int(w->type)) {
			int64_t *v = ARENA_ARRAY(&a->s.a, int64_t, cnt);
			for (q = 0; q < cnt; q++)
				v[q] = (int64_t)K.v[q];
			e->slot[e->nslot++] = slot_read(core_line(a, w->type), ix_table(&a->s, K.nl, K.l, v), RAT_ONE);
		} else {
			K.c = RAT_ONE;
			e->slot[e->nslot++] = K;
		}
	}
	common[nc++] = g->s;
	work_set_bound(a, e, nc, common);
	work_set_free(a, e, w->nfree, w->free);
	res[0] = slot_of_work(a, e, c0);
	terms = ARENA_ARRAY(&a->s.a, slot, w->nslot);
	terms[0] = res[0];
	for (i = 0, m = 1; i < w->nslot; i++) {
		for (k = 0; k < n && r[k].at != i; k++)
			;
		if (k == n)
			terms[m++] = w->slot[i];
	}
	return work_result(a, work_like(a, w, C_SUM, m, terms));
}

/* Are two terms of n alike but for their indices, as far as can be seen without opening them? */
static bool some_alike(algebra *a, eg_id n, int nterm)
{
	const eg_id *arg = eg_args(a->g, n);
	int i, j;

	if (operand_kinds(a, n) & (1u << C_EIN | 1u << C_MUL))
		return true;
	for (i = 0; i < nterm; i++)
		for (j = 0; j < i; j++)
			if (core_of(a, peek(a, arg[i]))->skeleton == core_of(a, peek(a, arg[j]))->skeleton)
				return true;
	return false;
}

eg_id prim_sum_fold(algebra *a, eg_id n)
{
	pairing p = pairing_read(a, n);
	struct fold_term *r, *g;
	work *w;
	int i, j, k = 0, m;
	eg_id res;

	if (p.nslot < 2 || p.nslot > 64 || (!type_is_float(core_type(a, n)) && !type_is_int(core_type(a, n))))
		return NIL;
	if (!some_alike(a, n, p.nslot))
		return NIL;
	w = work_open(a, n);
	work_settle(a, w);
	r = ARENA_ARRAY(&a->s.a, struct fold_term, p.nslot);
	g = ARENA_ARRAY(&a->s.a, struct fold_term, p.nslot);
	for (i = 0; i < w->nslot; i++)
		if (open_term(a, w, i, n, &r[k]))
			k++;
	for (i = 0; i < k; i++) {
		for (j = 0; j < i && r[j].key != r[i].key; j++)
			;
		if (j < i)
			continue;
		for (m = 0, j = i; j < k && m < GROUP_MAX; j++)
			if (r[j].key == r[i].key && r[j].nf == r[i].nf)
				g[m++] = r[j];
		if (m < 2)
			continue;
		res = fold_group(a, w, g, m, n);
		if (res != NIL)
			return res;
		refuse(a, "terms differ in more than an index");
	}
	return NIL;
}

/* ---- N24 */

/* lat of instances that together take every index value is a reduction over it. */
eg_id prim_lattice_cover(algebra *a, eg_id n)
{
	pairing p = pairing_read(a, n);
	const char *op = core_fn(a, n);
	work *w = work_open(a, n), *e;
	slot body[GROUP_MAX], out, cover = { 0 }, *terms;
	label *bl[GROUP_MAX][TERM_LABELS], *common[TERM_LABELS], *priv[TERM_LABELS];
	int nb[GROUP_MAX], at[GROUP_MAX], i, j, k, m, q, nc, np;
	uint64_t key;

	work_settle(a, w);
	for (i = 0; i < p.nslot; i++) {
		struct general *g = ARENA_NEW(&a->s.a, struct general);
		if (slot_is_constant(a, &w->slot[i]))
			continue;
		for (m = 0, key = 0, j = i; j < p.nslot && m < GROUP_MAX; j++) {
			slot t = w->slot[j];
			eg_id o = peek(a, t.x);
			work *r = work_new(a, C_RED, w->type, 0);
			if (slot_is_constant(a, &t))
				continue;
			nb[m] = 0;
			if (core_kind(a, o) == C_RED && !strcmp(core_fn(a, o), op) && core_type(a, o) == w->type && normal_opens(a, o, n)) {
				slot *in = work_inline(a, o, t.e, r, &q);
				opened(a, t.x, o);
				t = in[0];
				nb[m] = bound_leaves(&a->s, r, bl[m], 64);
			}
			if (j == i)
				key = slot_skeleton(a, &t);
			else if (slot_skeleton(a, &t) != key)
				continue;
			body[m] = t;
			at[m++] = j;
		}
		if (m < 2)
			continue;
		for (k = 1; k < m; k++) {	/* reduced labels with the same digits are the same label */
			struct fold_term x = { 0 }, y = { 0 };
			x.nf = y.nf = 1;
			x.f[0] = body[0];
			y.f[0] = body[k];
			x.nb = nb[0];
			memcpy(x.b, bl[0], sizeof x.b);
			y.nb = nb[k];
			memcpy(y.b, bl[k], sizeof y.b);
			share_labels(a, &x, &y);
			body[k] = y.f[0];
			memcpy(bl[k], y.b, sizeof y.b);
		}
		for (nc = j = 0; j < nb[0]; j++) {
			for (k = 1; k < m && label_in(bl[0][j], nb[k], bl[k]); k++)
				;
			if (k == m)
				common[nc++] = bl[0][j];
		}
		g->a = a;
		g->n = m;
		g->node = n;
		g->budget = 600;
		for (k = 0; k < m && note_instance(g, k, nb[k], bl[k], nc, common, NULL); k++)
			;
		if (k < m || !general_expression(g, body, &out) || !g->s)
			continue;
		nc = labels_now(a, nc, common);
		for (k = 0; k < m; k++)
			nb[k] = labels_now(a, nb[k], bl[k]);
		for (k = 0; k < m; k++) {
			struct fold_term none = { 0 };
			slot mk;
			for (j = np = 0; j < nb[k]; j++)
				if (!label_in(bl[k][j], nc, common) && label_in(bl[k][j], g->t[k].nl, g->t[k].l))
					priv[np++] = bl[k][j];
			if (!row_matrix(g, k, &none, 1, np, priv, &mk))
				break;
			cover = k ? tables_zip(a, &cover, &mk, f_or, TYPE_REAL) : mk;
		}
		if (k < m)
			continue;
		{
			int64_t cnt = slot_cells(&cover), c;
			for (c = 0; c < cnt && cover.v[c] != 0; c++)
				;
			if (c < cnt) {
				refuse(a, "not every index value is covered");
				continue;
			}
		}
		for (j = 0; j < nc; j++)
			if (label_in(common[j], cover.nl, cover.l))
				break;
		if (j < nc)
			continue;
		g->s->bound = true;
		common[nc++] = g->s;
		e = work_new(a, C_RED, w->type, 1);
		e->fn = node_val(a, n, 2);
		e->nslot = 1;
		e->slot[0] = out;
		e->slot[0].c = RAT_ONE;
		work_set_bound(a, e, nc, common);
		work_set_free(a, e, w->nfree, w->free);
		terms = ARENA_ARRAY(&a->s.a, slot, w->nslot);
		terms[0] = slot_of_work(a, e, RAT_ONE);
		for (j = 0, q = 1; j < w->nslot; j++) {
			for (k = 0; k < m && at[k] != j; k++)
				;
			if (k == m)
				terms[q++] = w->slot[j];
		}
		return work_result(a, work_like(a, w, C_LAT, q, terms));
	}
	return NIL;
}

/* ---- N27 */

bool choose_instance(algebra *a, eg_id n, const slot *mask, const slot *t, slot *out)
{
	struct general *g;

	if (slot_is_constant(a, &t[0]) || slot_is_constant(a, &t[1]))
		return false;
	g = ARENA_NEW(&a->s.a, struct general);
	g->a = a;
	g->n = 2;
	g->node = n;
	g->budget = 4000;
	g->choice = mask;
	return general_expression(g, t, out);
}

/* select(mask, f(t), f(u)) = f(select(mask, t, u)): a pole or an infinity in a branch does not matter. */
eg_id prim_select_index(algebra *a, eg_id n)
{
	work *w;
	slot mask, out;

	if (strcmp(core_fn(a, n), "select") || pairing_read(a, n).nslot != 3)
		return NIL;
	w = work_open(a, n);
	work_settle(a, w);
	if (!slot_table_values(a, &w->slot[0], &mask) || mask.nl == 0)
		return NIL;
	return choose_instance(a, n, &mask, w->slot + 1, &out) ? result_slot(a, w, out) : NIL;
}

/* A core that a slot reads: as it stands, through a selection that its class or an earlier reading's has, or through a view
 * of it that holds all its places. */
struct reading {
	eg_id x;
	ix *e;
	eg_id via;		/* the selection or view; NIL: the slot itself */
	bool back;		/* via is a view of the earlier reading's core */
	int from;		/* the reading it was found in */
};

struct reads {
	algebra *a;
	eg_id node;		/* the rule fires on it */
	int n;
	struct reading r[READINGS];
};

/* Selections met on the way from a class's head to its normal node. */
static void add_selections(struct reads *q, int i)
{
	algebra *a = q->a;
	int m, guard;
	eg_id o;

	for (guard = 0, o = normal_head(a, q->r[i].x); o != NIL && guard < 64 && q->n < READINGS; o = normal_step(a, o)->to, guard++) {
		work *w;
		slot *s;
		if (core_kind(a, o) != C_AT || !normal_opens(a, o, q->node))
			continue;
		w = work_new(a, C_AT, core_type(a, o), 0);
		s = work_inline(a, o, q->r[i].e, w, &m);
		if (eg_root(a->g, s->x) != eg_root(a->g, q->node))
			q->r[q->n++] = (struct reading){ s->x, s->e, o, false, i };
	}
}

/* A view that holds all places of y in another order: where it has the one that y has at e; NULL when it does not. */
static ix *place_in_view(algebra *a, int n, const digit *d, const ix *e)
{
	int64_t *size = ARENA_ARRAY(&a->s.a, int64_t, n), w;
	int *by = ARENA_ARRAY(&a->s.a, int, n), i, j;
	ix **at, *r = ix_const(&a->s, 0);

	for (i = 0; i < n; i++) {	/* digits by falling stride */
		for (j = i; j > 0 && d[by[j - 1]].stride < d[i].stride; j--)
			by[j] = by[j - 1];
		by[j] = i;
	}
	for (w = 1, i = n - 1; i >= 0; w *= d[by[i--]].size) {
		if (d[by[i]].stride != w)
			return NULL;
		size[i] = d[by[i]].size;
	}
	at = ix_digits(&a->s, e, n, size);
	for (i = 0; i < n; i++) {
		for (w = 1, j = by[i] + 1; j < n; j++)
			w *= d[j].size;
		r = ix_add(&a->s, r, ix_times(&a->s, at[i], w));
	}
	return ix_norm(&a->s, r);
}

static void add_views(struct reads *q, int i)
{
	algebra *a = q->a;
	eg_id root = eg_root(a->g, q->r[i].x);
	eg_use u;
	bool more;

	for (more = eg_use_first(a->g, root, &u); more && q->n < READINGS; more = eg_use_next(a->g, root, &u)) {
		eg_id v = u.owner;
		const digit *d;
		ix *at;
		int n;
		if (core_kind(a, v) != C_VIEW || eg_dead(a->g, v) || core_len(a, v) != core_len(a, root) ||
		    eg_root(a->g, v) == root || eg_root(a->g, v) == eg_root(a->g, q->node))
			continue;
		d = val_get_digits(a, node_val(a, v, 0), &n);
		if ((at = place_in_view(a, n, d, q->r[i].e)))
			q->r[q->n++] = (struct reading){ normal_head(a, v), at, v, true, i };
	}
}

/* Every reading of t, nearest first. */
static void readings(struct reads *q, const slot *t, bool views)
{
	int i;

	q->r[0] = (struct reading){ t->x, t->e, NIL, false, 0 };
	q->n = 1;
	for (i = 0; i < q->n; i++) {
		add_selections(q, i);
		if (views && !q->r[i].back)
			add_views(q, i);
	}
}

static void reading_premises(algebra *a, const struct reading *r, int i)
{
	for (; i; i = r[i].from) {
		const struct reading *from = &r[r[i].from];
		if (!r[i].back) {
			opened(a, from->x, r[i].via);
			continue;
		}
		history_premise(a, r[i].x, r[i].via);
		if (from->x != eg_args(a->g, r[i].via)[0])
			history_premise(a, from->x, eg_args(a->g, r[i].via)[0]);
	}
}

/* A branch of a choice: a core, or a core times a table. */
struct branch {
	slot x, factor;		/* the factor where `times` */
	bool times;
};

static bool is_table_kind(const algebra *a, eg_id x)
{
	enum core_kind k = core_kind(a, peek(a, x));

	return k == C_TABLE || (k == C_AT && core_kind(a, peek(a, eg_args(a->g, peek(a, x))[0])) == C_TABLE);
}

/* x, which is finite, where a constant mask holds and 0 elsewhere. */
static bool masked_choice(algebra *a, work *w, eg_id o, const slot *t, struct branch *b)
{
	slot *in, mask;
	number v;
	int m;

	if (core_kind(a, o) != C_MAP || strcmp(core_fn(a, o), "select") || eg_narg(a->g, o) != 3)
		return false;
	in = work_inline(a, o, t->e, w, &m);
	if (!slot_table_values(a, &in[0], &mask) || !slot_number(a, &in[2], &v) || number_double(v) != 0 || !slot_finite(a, &in[1]))
		return false;
	b->factor = tables_zip(a, &mask, &mask, f_ne0, TYPE_REAL);
	b->x = in[1];
	return true;
}

static bool masked_product(algebra *a, work *w, eg_id o, const slot *t, struct branch *b)
{
	slot *in;
	int m, k;

	if (core_kind(a, o) != C_MUL || eg_narg(a->g, o) != 2)
		return false;
	for (k = 0; k < 2 && !is_table_kind(a, eg_args(a->g, o)[k]); k++)
		;
	if (k == 2)
		return false;
	in = work_inline(a, o, t->e, w, &m);
	if (in[0].c.num != 1 || in[1].c.num != 1 || !slot_table_values(a, &in[k], &b->factor))
		return false;
	b->x = in[1 - k];
	return true;
}

/* What a branch is a core times a table by: its normal node, or a form that its class had before - under its mask the core
 * may since be read at other places (N25), but a choice next to it is of the same core still. */
static void open_branch(algebra *a, work *w, const slot *t, eg_id n, struct branch *b)
{
	eg_id o;
	int guard;

	*b = (struct branch){ .x = *t };
	if (!type_is_float(core_type(a, t->x)))
		return;
	for (guard = 0, o = normal_head(a, t->x); o != NIL && guard < 64 && !b->times; o = normal_step(a, o)->to, guard++) {
		if (!normal_opens(a, o, n))
			continue;
		b->times = masked_choice(a, w, o, t, b) || masked_product(a, w, o, t, b);
		if (b->times)
			opened(a, t->x, o);
	}
}

/* Where both branches read one core: the place chosen, or NULL. */
static ix *read_of_both(algebra *a, eg_id n, struct general *g, const struct branch *b, bool views, slot *x)
{
	struct reads q[2];
	ix *e[2], *c;
	int i, j;

	for (i = 0; i < 2; i++) {
		q[i].a = a;
		q[i].node = n;
		readings(&q[i], &b[i].x, views);
	}
	for (i = 0; i < q[0].n; i++)
		for (j = 0; j < q[1].n; j++) {
			if (eg_root(a->g, q[0].r[i].x) != eg_root(a->g, q[1].r[j].x))
				continue;
			e[0] = q[0].r[i].e;
			e[1] = q[1].r[j].e;
			if (!(c = general_ix(g, e, core_len(a, q[0].r[i].x))))
				continue;
			reading_premises(a, q[0].r, i);
			reading_premises(a, q[1].r, j);
			if (q[0].r[i].x != q[1].r[j].x)
				history_premise(a, q[1].r[j].x, q[0].r[i].x);
			*x = slot_read(q[0].r[i].x, c, RAT_ONE);
			return c;
		}
	return NULL;
}

/* The factor of the branch chosen. */
static slot chosen_factor(algebra *a, const slot *mask, const struct branch *b)
{
	double unit = 1;
	slot one = slot_table(TYPE_REAL, 0, NULL, &unit, RAT_ONE), x, y;

	x = tables_zip(a, b[0].times ? &b[0].factor : &one, mask, f_where, TYPE_REAL);
	y = tables_zip(a, b[1].times ? &b[1].factor : &one, mask, f_unless, TYPE_REAL);
	return tables_zip(a, &x, &y, f_add, TYPE_REAL);
}

/* What e says of the labels l alone. */
static ix *part_over(algebra *a, const ix *e, int n, label *const *l)
{
	ix *p = ix_const(&a->s, 0), *t;
	int i, j;

	for (i = 0; i < e->nt; i++)
		if (label_in(e->t[i].l, n, l))
			p = ix_add(&a->s, p, ix_of(&a->s, e->t[i].l, e->t[i].s));
	for (i = 0; i < e->ntab; i++) {
		for (j = 0; j < e->tab[i].nl && label_in(e->tab[i].l[j], n, l); j++)
			;
		if (j < e->tab[i].nl)
			continue;
		t = ARENA_NEW(&a->s.a, ix);
		t->tab = &e->tab[i];
		t->ntab = 1;
		p = ix_add(&a->s, p, t);
	}
	return ix_norm(&a->s, p);
}

/* An index that is linear where the factor beside it is not 0: elsewhere it is held inside the range that it has there, as a
 * window is that hangs over the end of what it reads (nothing is read there). */
static ix *held_inside(algebra *a, ix *e, const slot *factor)
{
	int64_t n = slot_cells(factor), i, lo = INT64_MAX, hi = INT64_MIN, *co = ARENA_ARRAY(&a->s.a, int64_t, factor->nl), b, *v, *line;
	bool *hit = ARENA_ARRAY(&a->s.a, bool, n);
	ix *part;

	e = ix_norm(&a->s, e);
	part = part_over(a, e, factor->nl, factor->l);
	v = ix_values(&a->s, part, factor->nl, factor->l);
	for (i = 0; i < n; i++) {
		hit[i] = factor->v[i] != 0;
		lo = hit[i] && v[i] < lo ? v[i] : lo;
		hi = hit[i] && v[i] > hi ? v[i] : hi;
	}
	if (lo > hi || !fit_linear(factor->nl, factor->l, v, hit, n, co, &b))
		return e;
	line = grid_linear(&a->s, factor->nl, factor->l, b, co);
	for (i = 0; i < n; i++)
		line[i] = line[i] < lo ? lo : line[i] > hi ? hi : line[i];
	return ix_norm(&a->s, ix_add(&a->s, ix_minus(a, e, part), ix_table(&a->s, factor->nl, factor->l, line)));
}

/* select(mask, x[t], x[u]) = x[select(mask, t, u)], whatever x is: two selections of one core are not pushed into it
 * apart, where each would become another shape.  With tables: select(mask, p x[t], q x[u]) = select(mask, p, q)
 * x[select(mask, t, u)]. */
eg_id prim_select_read(algebra *a, eg_id n)
{
	struct branch b[2];
	struct general *g;
	slot mask, x, two[2];
	work *w;
	int i;

	if (strcmp(core_fn(a, n), "select") || pairing_read(a, n).nslot != 3)
		return NIL;
	w = work_open(a, n);
	work_settle(a, w);
	if (!slot_table_values(a, &w->slot[0], &mask) || mask.nl == 0 || slot_is_constant(a, &w->slot[1]) || slot_is_constant(a, &w->slot[2]))
		return NIL;
	g = ARENA_NEW(&a->s.a, struct general);
	g->a = a;
	g->n = 2;
	g->choice = &mask;
	for (i = 0; i < 2; i++)
		b[i] = (struct branch){ .x = w->slot[1 + i] };
	if (read_of_both(a, n, g, b, false, &x))
		return result_slot(a, w, x);
	for (i = 0; i < 2; i++)
		open_branch(a, w, &w->slot[1 + i], n, &b[i]);
	if ((!b[0].times && !b[1].times) || !read_of_both(a, n, g, b, true, &x) || core_atom(a, peek(a, x.x)))	/* N23 folds atoms */
		return NIL;
	if (!fact_finite(a, x.x))
		return refuse(a, "zero times a tensor that may be infinite");
	two[1] = chosen_factor(a, &mask, b);
	two[1].c = RAT_ONE;
	two[0] = x;
	two[0].e = held_inside(a, x.e, &two[1]);
	return work_result(a, work_like(a, w, C_MUL, 2, two));
}
