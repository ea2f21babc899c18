/* antiunify_ix.c - indices and constants of several instances as functions of one label. */
#include "prim/antiunify.h"

#include <math.h>
#include <stdlib.h>
#include "core/zip.h"
#include "util/rational.h"

enum { DATA_MAX = 8 };

static slot table_of_ix(algebra *a, const ix *e)
{
	bool exact;
	slot t = slot_of_ix(a, e, RAT_ONE, &exact);

	if (!exact)
		stuck(&a->s, "integers differ by more than 52 bits");
	return t;
}

ix *ix_minus(algebra *a, const ix *x, const ix *y)
{
	return ix_norm(&a->s, ix_add(&a->s, x, ix_times(&a->s, y, -1)));
}

/* Is an index zero wherever the mask holds? */
static bool agrees(struct antiunify *g, const ix *d, const slot *mask)
{
	int64_t v;
	slot t;

	if (ix_is_const(&g->a->s, d, &v) && v == 0)
		return true;
	if (ix_is_const(&g->a->s, d, &v))
		return !any_nonzero(mask);
	t = table_of_ix(g->a, d);
	t = tables_zip(g->a, &t, mask, zip_and, TYPE_REAL);
	return !any_nonzero(&t);
}

/* One of them may serve for all where the masks hold: the one with the fewest tables. */
static const ix *serves_all(struct antiunify *g, ix **e)
{
	int k, j, r;
	bool data = false;

	for (k = 0; k < g->n; k++)
		data = data || ix_has_data(e[k]);
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
static ix *common_part(struct antiunify *g, ix **e)
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

static bool same_where(struct antiunify *g, int k, const slot *t)
{
	slot d = tables_zip(g->a, &g->t[k], t, zip_differ, TYPE_REAL);

	if (g->masked)
		d = tables_zip(g->a, &d, &g->mask[k], zip_and, TYPE_REAL);
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
static ix *chosen_ix(struct antiunify *g, ix **e)
{
	algebra *a = g->a;
	ix *com = common_part(g, e), *rem[2];
	slot t[2];
	int k;

	for (k = 0; k < 2; k++) {
		rem[k] = ix_minus(a, e[k], com);
		if (ix_has_data(rem[k]))
			return NULL;
		t[k] = table_of_ix(a, rem[k]);
		t[k] = tables_zip(a, &t[k], g->choice, k ? zip_unless : zip_where, TYPE_REAL);
	}
	t[0] = tables_zip(a, &t[0], &t[1], zip_add, TYPE_REAL);
	return ix_norm(&a->s, ix_add(&a->s, com, ix_of_table(a, &t[0])));
}

/* The stride D with t_k - t_0 = D (s_k - s_0) at the first place where instances part, or 0. */
static int64_t stride_between(struct antiunify *g, const slot *t)
{
	algebra *a = g->a;
	int k;
	int64_t i, n;

	for (k = 1; k < g->n; k++) {
		slot x = tables_zip(a, &t[k], &t[0], zip_minus, TYPE_REAL), y = tables_zip(a, &g->t[k], &g->t[0], zip_minus, TYPE_REAL);
		slot d = tables_zip(a, &x, &y, zip_first, TYPE_REAL), s = tables_zip(a, &y, &x, zip_first, TYPE_REAL), both;
		both = tables_zip(a, &d, &s, zip_and, TYPE_REAL);
		d = tables_zip(a, &d, &both, zip_first, TYPE_REAL);
		s = tables_zip(a, &s, &both, zip_first, TYPE_REAL);
		if (d.nl != s.nl || d.nl != both.nl || memcmp(d.l, s.l, sizeof *d.l * (size_t)d.nl))
			continue;
		for (n = slot_cells(&d), i = 0; i < n; i++)
			if (d.v[i] != 0 && s.v[i] != 0)
				return fmod(d.v[i], s.v[i]) == 0 ? (int64_t)(d.v[i] / s.v[i]) : 0;
	}
	return 0;
}

/* t_k = h + D s_k, one h for all: com + h + D s.  It stays below len, whatever s is; NULL when there is no such h. */
static ix *over_function(struct antiunify *g, const ix *com, const slot *t, int64_t len)
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
		one = tables_zip(a, &t[k], &s, zip_minus, TYPE_REAL);
		if (k) {
			d = tables_zip(a, &one, &h, zip_differ, TYPE_REAL);
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
static bool reads_inside(const struct antiunify *g, const slot *t)
{
	int i;

	for (i = 0; i < g->nbound; i++)
		if (reads_of(t, g->bound[i]))
			return true;
	return false;
}

/* Does t tell all places apart that s has to? */
static bool tells_places(const struct antiunify *g, const slot *t)
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

struct instance_places {			/* F at the values that s takes */
	int64_t n, *v;
	bool *set;
};

/* F from all instances, where they count; false: one value of s would need two. */
static bool take_places(struct antiunify *g, const slot *t, struct instance_places *f)
{
	algebra *a = g->a;
	int64_t i, cells;
	int k;

	for (k = 0; k < g->n; k++) {
		slot x = tables_zip(a, &t[k], &g->t[k], zip_first, TYPE_REAL), y = tables_zip(a, &t[k], &g->t[k], zip_second, TYPE_REAL), m = g->mask[k];
		if (g->masked) {
			slot z = x;
			x = tables_zip(a, &x, &m, zip_first, TYPE_REAL);
			y = tables_zip(a, &y, &m, zip_first, TYPE_REAL);
			m = tables_zip(a, &z, &m, zip_second, TYPE_REAL);
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
static int64_t next_place(const struct instance_places *f, int64_t from, bool other)
{
	int64_t s;

	for (s = from + 1; s < f->n && !(f->set[s] && (!other || f->v[s] != f->v[from])); s++)
		;
	return s;
}

/* Places that s never takes continue F as a digit of s, c + D (s / p mod q), where it is one; else as it was last. */
static void continue_places(struct instance_places *f)
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
static ix *function_of_s(struct antiunify *g, const ix *com, const slot *t, int64_t len)
{
	algebra *a = g->a;
	struct instance_places f = { g->s->n, ARENA_ARRAY(&a->s.a, int64_t, g->s->n), arena_zalloc(&a->s.a, (size_t)g->s->n) };
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
static bool all_read(const struct antiunify *g, const slot *t, const label *l)
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

bool note_instance(struct antiunify *g, int k, int nb, label *const *b, int nc, label *const *common, const slot *table)
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

static bool is_private(const struct antiunify *g, const label *l)
{
	int i;

	for (i = 0; i < g->npriv && g->priv[i].l->root != l->root; i++)
		;
	return i < g->npriv;
}

/* Zeros over the labels that the constants read, and the masks if `masks`; those that single instances sum apart. */
static slot shared_places(struct antiunify *g, const slot *v, bool masks)
{
	algebra *a = g->a;
	double zero = 0;
	slot all = slot_table(TYPE_REAL, 0, NULL, &zero, RAT_ONE);
	label **l;
	int k, j, n = 0;

	for (k = 0; k < g->n; k++) {
		all = tables_zip(a, &all, &v[k], zip_first, TYPE_REAL);
		if (masks)
			all = tables_zip(a, &all, &g->mask[k], zip_first, TYPE_REAL);
	}
	l = ARENA_ARRAY(&a->s.a, label *, all.nl);
	for (j = 0; j < all.nl; j++)
		if (!is_private(g, all.l[j]))
			l[n++] = all.l[j];
	return slot_table(TYPE_REAL, n, l, arena_zalloc(&a->s.a, sizeof(double) * (size_t)grid_size(&a->s, n, l)), RAT_ONE);
}

/* The entries that instance k says, where it counts; false: another says otherwise. */
static bool enter_constant(struct antiunify *g, int k, const slot *given, struct joint *r)
{
	algebra *a = g->a;
	slot all = tables_zip(a, &r->x, given, zip_first, TYPE_REAL), s, v, m = g->mask[k];
	int64_t i, n, at, *place;

	if (g->s)
		all = tables_zip(a, &all, &g->t[k], zip_first, TYPE_REAL);
	if (g->masked)
		all = tables_zip(a, &all, &m, zip_first, TYPE_REAL);
	s = g->s ? tables_zip(a, &all, &g->t[k], zip_second, TYPE_REAL) : all;
	if (g->masked)
		m = tables_zip(a, &all, &m, zip_second, TYPE_REAL);
	v = tables_zip(a, &all, given, zip_second, TYPE_REAL);
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

bool joint_table(struct antiunify *g, const slot *v, bool masks, slot *out)
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
static bool masks_choose(const struct antiunify *g, const slot *t)
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
static ix *index_that_counts(struct antiunify *g, const ix *com, const slot *t, int64_t len)
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
static ix *other_ix(struct antiunify *g, const ix *com, const slot *t, int64_t len)
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
static ix *antiunify_datum(struct antiunify *g, label **l)
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
	if (!(e = antiunify_ix(g, at, core_len(a, d->core))))
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
static bool antiunify_data(struct antiunify *g, ix **e)
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
		if (!(to[i] = antiunify_datum(g, one)))
			return false;
	}
	for (k = 0; k < g->n; k++)
		e[k] = ix_norm(&a->s, ix_subst(&a->s, e[k], n, l[k], to));
	return true;
}

/* s as what the instances read above the least of them, place by place: com + h + D s. */
static ix *above_least(struct antiunify *g, const ix *com, const slot *t, int64_t len)
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
		h = tables_zip(a, &h, &t[k], zip_least, TYPE_REAL);
	}
	for (k = 0; k < g->n; k++) {
		d[k] = tables_zip(a, &t[k], &h, zip_minus, TYPE_REAL);
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

static bool same_ix(const struct antiunify *g, ix **e)
{
	int k;

	for (k = 1; k < g->n && ix_equal(&g->a->s, e[0], e[k]); k++)
		;
	return k == g->n;
}

/* What every instance reads beside the common part: t_k = o + D s_k. */
struct steps {
	slot whole[GROUP_MAX], s[GROUP_MAX];
	int64_t o, D, n;	/* s takes less than n values */
};

static void number_steps(struct antiunify *g, struct steps *r)
{
	int64_t i, cnt;
	int k;

	for (k = 0; k < g->n; k++) {
		cnt = slot_cells(&r->whole[k]);
		r->s[k] = r->whole[k];
		r->s[k].v = ARENA_ARRAY(&g->a->s.a, double, cnt);
		for (i = 0; i < cnt; i++) {
			r->s[k].v[i] = (r->whole[k].v[i] - (double)r->o) / (double)r->D;
			if ((int64_t)r->s[k].v[i] + 1 > r->n)
				r->n = (int64_t)r->s[k].v[i] + 1;
		}
	}
}

/* False when data chooses, a label inside the expression is read, or nothing differs. */
static bool take_steps(struct antiunify *g, const ix *com, ix **e, struct steps *r)
{
	algebra *a = g->a;
	int64_t i;
	int k;

	*r = (struct steps){ .o = INT64_MAX };
	for (k = 0; k < g->n; k++) {
		ix *rem = ix_minus(a, e[k], com);
		if (ix_has_data(rem))
			return false;
		r->whole[k] = table_of_ix(a, rem);
		if (reads_inside(g, &r->whole[k]))
			return false;
		for (i = 0; i < slot_cells(&r->whole[k]); i++)
			if (r->whole[k].v[i] < (double)r->o)
				r->o = (int64_t)r->whole[k].v[i];
	}
	for (k = 0; k < g->n; k++)
		for (i = 0; i < slot_cells(&r->whole[k]); i++)
			r->D = gcd64(r->D, (int64_t)r->whole[k].v[i] - r->o);
	if (!r->D)
		return false;
	number_steps(g, r);
	return r->n <= SPAN_MAX;
}

static ix *stepped(struct antiunify *g, const ix *com, int64_t D, int64_t o)
{
	return ix_plus(&g->a->s, ix_add(&g->a->s, com, ix_of(&g->a->s, g->s, D)), o);
}

static bool all_same_where(struct antiunify *g, const slot *s)
{
	int k;

	for (k = 0; k < g->n && same_where(g, k, &s[k]); k++)
		;
	return k == g->n;
}

/* The first index that differs: it says what s is. */
static ix *begin_s(struct antiunify *g, const ix *com, const struct steps *r, int64_t len)
{
	int k;

	if (r->n > g->most || !tells_places(g, r->s)) {
		ix *above = above_least(g, com, r->whole, len);
		if (above)
			return above;
		g->clash = true;
		return index_that_counts(g, com, r->whole, len);
	}
	g->s = label_new(&g->a->s, r->n);
	for (k = 0; k < g->n; k++)
		g->t[k] = r->s[k];
	return stepped(g, com, r->D, r->o);
}

/* Another index that differs: s itself, forwards or backwards, or something else that s decides. */
static ix *follow_s(struct antiunify *g, const ix *com, const struct steps *r, int64_t len)
{
	slot turned[GROUP_MAX];
	int64_t i;
	int k;

	g->clash = true;
	if (r->n != g->s->n)
		return other_ix(g, com, r->whole, len);
	if (all_same_where(g, r->s))
		return stepped(g, com, r->D, r->o);
	for (k = 0; k < g->n; k++) {
		turned[k] = r->s[k];
		turned[k].v = ARENA_ARRAY(&g->a->s.a, double, slot_cells(&r->s[k]));
		for (i = 0; i < slot_cells(&r->s[k]); i++)
			turned[k].v[i] = (double)(r->n - 1) - r->s[k].v[i];
	}
	if (all_same_where(g, turned))
		return stepped(g, com, -r->D, r->o + (r->n - 1) * r->D);
	return other_ix(g, com, r->whole, len);
}

ix *antiunify_ix(struct antiunify *g, ix **e, int64_t len)
{
	struct steps *r;
	const ix *one;
	ix *com;
	int k, again;

	for (again = 0; again < 2; again++)	/* cutting for one may cut another's labels */
		for (k = 0; k < g->n; k++)
			e[k] = ix_norm(&g->a->s, e[k]);
	if (same_ix(g, e))
		return e[0];
	if (!g->choice && g->masked && (one = serves_all(g, e)))
		return (ix *)one;
	if (ix_has_data(e[0]) && !antiunify_data(g, e))
		return NULL;
	if (same_ix(g, e))
		return e[0];
	if (g->choice)
		return chosen_ix(g, e);
	com = common_part(g, e);
	r = ARENA_NEW(&g->a->s.a, struct steps);
	if (!take_steps(g, com, e, r))
		return NULL;
	return g->s ? follow_s(g, com, r, len) : begin_s(g, com, r, len);
}
