#include "index/index_in.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

_Noreturn void stuck(scratch *s, const char *fmt, ...)
{
	va_list ap;
	char *p = arena_alloc(&s->a, 256);

	va_start(ap, fmt);
	vsnprintf(p, 256, fmt, ap);
	va_end(ap);
	s->reason = p;
	longjmp(s->out, 1);
}

/* ---- labels */

label *label_new(scratch *s, int64_t n)
{
	label *l = ARENA_NEW(&s->a, label);

	l->n = n;
	l->root = l;
	l->weight = 1;
	l->id = s->nlabel++;
	return l;
}

static label *label_part(scratch *s, const label *l, int64_t n, int64_t weight)
{
	label *p = label_new(s, n);

	p->bound = l->bound;
	p->root = l->root;
	p->weight = l->weight * weight;
	if (l->data) {
		datum *d = ARENA_NEW(&s->a, datum);
		*d = *l->data;
		d->div *= weight;
		p->data = d;
	}
	return p;
}

label *label_data(scratch *s, uint32_t core, const ix *at, int64_t n)
{
	label *l = label_new(s, n);
	datum *d = ARENA_NEW(&s->a, datum);

	*d = (datum){ core, at, 1, n };
	l->data = d;
	return l;
}

/* Of fewer places a table has them all, with room for those of other labels. */
enum { LONG_DATA = TABLE_MAX >> 6 };

/* Has it the highest digit of data, all of it? */
static bool is_top(const label *l)
{
	return l->data && l->n >= (l->data->full + l->data->div - 1) / l->data->div;
}

bool label_cuts(const label *l, int64_t low)
{
	return l->n % low == 0 || (l->n > LONG_DATA && is_top(l));
}

bool labels_slack(int n, label *const *l)
{
	int i;

	for (i = 0; i < n && !(l[i]->data && l[i]->n > l[i]->data->full / l[i]->data->div); i++)
		;
	return i < n;
}

void label_cut(scratch *s, label *l, int64_t low)
{
	l->hi = label_part(s, l, (l->n + low - 1) / low, low);
	l->lo = label_part(s, l, low, 1);
	s->ncut++;
}

int label_leaves(label *l, label **out, int max)
{
	int n;

	if (!l->hi) {
		if (l->n == 1 || max < 1)
			return 0;
		out[0] = l;
		return 1;
	}
	n = label_leaves(l->hi, out, max);
	return n + label_leaves(l->lo, out + n, max - n);
}

static int count_leaves(const label *l)
{
	return l->hi ? count_leaves(l->hi) + count_leaves(l->lo) : l->n != 1;
}

int labels_leaves(scratch *s, int n, label *const *l, label **out, int max)
{
	int i, m = 0;

	for (i = 0; i < n; i++) {
		if (m + count_leaves(l[i]) > max)
			stuck(s, "it has more than %d digits", max);
		m += label_leaves(l[i], out + m, max - m);
	}
	return m;
}

bool labels_data(int n, label *const *l)
{
	int i;

	for (i = 0; i < n && !l[i]->data; i++)
		;
	return i < n;
}

bool label_in(const label *l, int n, label *const *list)
{
	int i;

	for (i = 0; i < n; i++)
		if (list[i] == l)
			return true;
	return false;
}

int label_put(label **list, int n, label *l)
{
	if (!label_in(l, n, list))
		list[n++] = l;
	return n;
}

int label_collect(scratch *s, label **list, int n, int max, label *l)
{
	if (label_in(l, n, list))
		return n;
	if (n == max)
		stuck(s, "it reads more than %d labels", max);
	list[n++] = l;
	return n;
}

/* ---- making expressions */

ix *ix_raw(scratch *s, int nt, int ntab)
{
	ix *e = arena_alloc(&s->a, sizeof *e + sizeof *e->t * (size_t)nt + sizeof *e->tab * (size_t)ntab);

	if (s->budget && s->a.taken > s->budget)
		stuck(s, "it takes more work than one step is given");
	*e = (ix){ .t = (ix_term *)(e + 1) };
	e->tab = (ix_table_part *)(e->t + nt);
	return e;
}

ix *ix_const(scratch *s, int64_t base)
{
	ix *e = ix_raw(s, 0, 0);

	e->base = base;
	return e;
}

ix *ix_of(scratch *s, label *l, int64_t stride)
{
	ix *e = ix_raw(s, 1, 0);

	if (stride)
		e->t[e->nt++] = (ix_term){ l, stride };
	return e;
}

ix *ix_add(scratch *s, const ix *a, const ix *b)
{
	ix *e = ix_raw(s, a->nt + b->nt, a->ntab + b->ntab);

	e->base = wrap_add(a->base, b->base);
	if (a->nt)
		memcpy(e->t, a->t, sizeof(ix_term) * (size_t)a->nt);
	if (b->nt)
		memcpy(e->t + a->nt, b->t, sizeof(ix_term) * (size_t)b->nt);
	if (a->ntab)
		memcpy(e->tab, a->tab, sizeof(ix_table_part) * (size_t)a->ntab);
	if (b->ntab)
		memcpy(e->tab + a->ntab, b->tab, sizeof(ix_table_part) * (size_t)b->ntab);
	e->nt = a->nt + b->nt;
	e->ntab = a->ntab + b->ntab;
	return e;
}

ix *ix_plus(scratch *s, const ix *a, int64_t base)
{
	ix *e = ARENA_NEW(&s->a, ix);

	*e = *a;
	e->base = wrap_add(e->base, base);
	return e;
}

ix *ix_times(scratch *s, const ix *a, int64_t k)
{
	ix *e;
	int i;

	if (k == 0)
		return ix_const(s, 0);
	if (k == 1)
		return (ix *)a;
	e = ix_raw(s, a->nt, a->ntab);
	e->base = wrap_mul(a->base, k);
	for (i = 0; i < a->nt; i++)
		e->t[e->nt++] = (ix_term){ a->t[i].l, wrap_mul(a->t[i].s, k) };
	for (i = 0; i < a->ntab; i++)
		e->tab[e->ntab++] = ix_table_times(s, &a->tab[i], k);
	return e;
}

/* ---- canonical form */

/* Leaves with their strides, equal leaves added, zeros dropped. */
ix *ix_flatten(scratch *s, const ix *e)
{
	label *leaf[LABEL_LEAVES];
	int i, j, k, n, cap = 0;
	ix *r;

	for (i = 0; i < e->nt; i++)
		cap += count_leaves(e->t[i].l);
	r = ix_raw(s, cap, 0);
	r->base = e->base;
	for (i = 0; i < e->nt; i++) {
		int64_t w = e->t[i].s;
		n = label_leaves(e->t[i].l, leaf, LABEL_LEAVES);
		for (j = n - 1; j >= 0; w = wrap_mul(w, leaf[j]->n), j--) {
			for (k = 0; k < r->nt && r->t[k].l != leaf[j]; k++)
				;
			if (k < r->nt)
				r->t[k].s = wrap_add(r->t[k].s, w);
			else
				r->t[r->nt++] = (ix_term){ leaf[j], w };
		}
	}
	for (i = k = 0; i < r->nt; i++)
		if (r->t[i].s)
			r->t[k++] = r->t[i];
	r->nt = k;
	return r;
}

/* Nothing to do is by far the most frequent case. */
static bool is_flat(const ix *e)
{
	int i, j;

	if (e->ntab)
		return false;
	for (i = 0; i < e->nt; i++) {
		if (e->t[i].l->hi || e->t[i].l->n == 1 || !e->t[i].s)
			return false;
		for (j = 0; j < i; j++)
			if (e->t[j].l == e->t[i].l)
				return false;
	}
	return true;
}

ix *ix_norm(scratch *s, const ix *e)
{
	ix *r;

	if (e->normal == s->ncut + 1 || is_flat(e))
		return (ix *)e;
	if (!e->ntab)
		return ix_flatten(s, e);
	r = ix_norm_tables(s, e);
	r->normal = s->ncut + 1;
	return r;
}

/* ---- questions */

bool data_same(scratch *s, const label *l, const label *m)
{
	const datum *x = l->data, *y = m->data;

	return x->core == y->core && x->full == y->full && (x->at == y->at || ix_equal(s, x->at, y->at));
}

/* What term k, of the highest digit of data, and those of the digits right below it have too much in a sum of what each
 * adds at most: together they are a multiple of the data, which is less than full. */
static __int128 beyond(scratch *s, const ix *e, int k)
{
	const label *low = e->t[k].l;
	int64_t step = e->t[k].s;
	__int128 most = (__int128)step * (low->n - 1);
	int i;

	for (i = 0; i < e->nt; i++) {
		const label *l = e->t[i].l;
		if (!l->data || l->n * l->data->div != low->data->div || e->t[i].s * l->n != step || !data_same(s, l, low))
			continue;
		most += (__int128)e->t[i].s * (l->n - 1);
		low = l;
		step = e->t[i].s;
		i = -1;
	}
	return most - (__int128)step * ((low->data->full - 1) / low->data->div);
}

/* Has term k the highest digit of data, with places beyond them, and none before it that of the same data? */
static bool has_beyond(scratch *s, const ix *e, int k)
{
	int i;

	if (!labels_slack(1, &e->t[k].l))
		return false;
	for (i = 0; i < k && !(labels_slack(1, &e->t[i].l) && data_same(s, e->t[i].l, e->t[k].l)); i++)
		;
	return i == k;
}

/* The least and greatest value if nothing wrapped; false: something may, and it is any number. */
static bool exact_range(scratch *s, const ix *e, int64_t *lo, int64_t *hi)
{
	__int128 a = e->base, b = a;
	int64_t k;
	int i;

	for (i = 0; i < e->nt; i++) {
		__int128 w = (__int128)e->t[i].s * (e->t[i].l->n - 1);
		*(w < 0 ? &a : &b) += has_beyond(s, e, i) ? w - beyond(s, e, i) : w;
	}
	for (i = 0; i < e->ntab; i++) {
		int64_t x = e->tab[i].v[0], y = x;
		for (k = 1; k < e->tab[i].len; k++) {
			if (e->tab[i].v[k] < x)
				x = e->tab[i].v[k];
			if (e->tab[i].v[k] > y)
				y = e->tab[i].v[k];
		}
		a += x;
		b += y;
	}
	*lo = a < INT64_MIN ? INT64_MIN : (int64_t)a;
	*hi = b > INT64_MAX ? INT64_MAX : (int64_t)b;
	return *lo == a && *hi == b;
}

void ix_range(scratch *s, const ix *e, int64_t *lo, int64_t *hi)
{
	if (exact_range(s, ix_norm(s, e), lo, hi))
		return;
	*lo = INT64_MIN;
	*hi = INT64_MAX;
}

bool ix_is_const(scratch *s, const ix *e, int64_t *v)
{
	e = ix_norm(s, e);
	if (e->nt || e->ntab)
		return false;
	*v = e->base;
	return true;
}

int64_t ix_stride(const ix *e, const label *l)
{
	int i;

	for (i = 0; i < e->nt; i++)
		if (e->t[i].l == l)
			return e->t[i].s;
	return 0;
}

bool ix_has_data(const ix *e)
{
	int i;

	for (i = 0; i < e->nt; i++)
		if (e->t[i].l->data)
			return true;
	for (i = 0; i < e->ntab; i++)
		if (labels_data(e->tab[i].nl, e->tab[i].l))
			return true;
	return false;
}

bool ix_reads(const ix *e, const label *l)
{
	int i;

	if (ix_stride(e, l))
		return true;
	for (i = 0; i < e->ntab; i++)
		if (label_in(l, e->tab[i].nl, e->tab[i].l))
			return true;
	return false;
}

int ix_labels(scratch *s, const ix *e, label ***out)
{
	label **l;
	int i, j, n = 0, cap;

	e = ix_norm(s, e);
	cap = e->nt;
	for (i = 0; i < e->ntab; i++)
		cap += e->tab[i].nl;
	l = *out = ARENA_ARRAY(&s->a, label *, cap);
	for (i = 0; i < e->nt; i++)
		l[n++] = e->t[i].l;
	for (i = 0; i < e->ntab; i++)
		for (j = 0; j < e->tab[i].nl; j++)
			n = label_put(l, n, e->tab[i].l[j]);
	return n;
}

int ix_union(scratch *s, const ix *x, const ix *y, label ***out)
{
	label **p, **q;
	int n = ix_labels(s, x, &p), m = ix_labels(s, y, &q), i;

	*out = ARENA_ARRAY(&s->a, label *, n + m);
	memcpy(*out, p, sizeof *p * (size_t)n);
	for (i = 0; i < m; i++)
		n = label_put(*out, n, q[i]);
	return n;
}

bool ix_apart(scratch *s, const ix *x, const ix *y)
{
	label **l;
	int n = ix_union(s, x, y, &l);

	return !grid_fits(n, l);
}

int64_t *ix_values(scratch *s, const ix *e, int nl, label **l)
{
	int64_t *stride = arena_zalloc(&s->a, sizeof *stride * (size_t)(nl + 1)), n = grid_size(s, nl, l), *v, *at, q;
	int i, k;

	e = ix_norm(s, e);
	for (i = 0; i < e->nt; i++)
		for (k = 0; k < nl; k++)
			if (l[k] == e->t[i].l)
				stride[k] = wrap_add(stride[k], e->t[i].s);
	v = grid_linear(s, nl, l, e->base, stride);
	for (i = 0; i < e->ntab; i++) {
		at = grid_places(s, nl, l, e->tab[i].nl, e->tab[i].l);
		for (q = 0; q < n; q++)
			v[q] = wrap_add(v[q], e->tab[i].v[at[q]]);
	}
	return v;
}

ix *ix_map(scratch *s, const ix *e, int64_t (*f)(int64_t v, const void *arg), const void *arg)
{
	label **l;
	int nl;
	int64_t n, k, *v;

	e = ix_norm(s, e);
	nl = ix_labels(s, e, &l);
	v = ix_values(s, e, nl, l);
	n = grid_size(s, nl, l);
	for (k = 0; k < n; k++)
		v[k] = f(v[k], arg);
	return ix_table(s, nl, l, v);
}

/* ---- digits */

static int64_t floor_div(int64_t a, int64_t m)
{
	int64_t q = a / m;

	return q * m > a ? q - 1 : q;
}

static int64_t f_div(int64_t v, const void *m)
{
	return floor_div(v, *(const int64_t *)m);
}

static int64_t f_mod(int64_t v, const void *m)
{
	return v - floor_div(v, *(const int64_t *)m) * *(const int64_t *)m;
}

/* q gets what m divides, r the rest */
static void split_terms(scratch *s, const ix *e, int64_t m, ix **qo, ix **ro)
{
	ix *q = ix_raw(s, e->nt, e->ntab), *r = ix_raw(s, e->nt, e->ntab);
	int i;

	r->base = e->base;
	for (i = 0; i < e->nt; i++)
		if (e->t[i].s % m == 0)
			q->t[q->nt++] = (ix_term){ e->t[i].l, e->t[i].s / m };
		else
			r->t[r->nt++] = e->t[i];
	for (i = 0; i < e->ntab; i++)
		if (ix_table_divisible(&e->tab[i], m))
			q->tab[q->ntab++] = ix_table_div(s, &e->tab[i], m);
		else
			r->tab[r->ntab++] = e->tab[i];
	*qo = q;
	*ro = r;
}

/* A label is cut where its stride divides m, so that its high digits leave the remainder. */
static bool cut_for(scratch *s, const ix *r, int64_t m)
{
	int i;

	for (i = 0; i < r->nt; i++) {
		int64_t c = llabs(r->t[i].s), k = m % c == 0 ? m / c : 0;
		label *l = r->t[i].l;
		if (k > 1 && k < l->n && label_cuts(l, k)) {
			label_cut(s, l, k);
			return true;
		}
	}
	return false;
}

static bool within_52_bits(scratch *s, const ix *e)
{
	int64_t lo, hi;

	ix_range(s, e, &lo, &hi);
	return lo >= -((int64_t)1 << 52) && !(hi >> 52);
}

ix *ix_difference(scratch *s, const ix *x, const ix *y)
{
	return within_52_bits(s, x) && within_52_bits(s, y) ? ix_add(s, x, ix_times(s, y, -1)) : NULL;
}

enum { CUTS = 8 };	/* of labels, for one division */

void ix_divmod(scratch *s, const ix *e, int64_t m, ix **quot, ix **rem)
{
	int64_t lo, hi;
	ix *q, *r;
	int round;

	if (!m)
		stuck(s, "an empty dimension has no places");
	e = ix_norm(s, e);
	if (m == 1) {
		*quot = (ix *)e;
		*rem = ix_const(s, 0);
		return;
	}
	if (!exact_range(s, e, &lo, &hi)) {	/* its values wrap: parts of them do not add up */
		*quot = ix_map(s, e, f_div, &m);
		*rem = ix_map(s, e, f_mod, &m);
		return;
	}
	for (round = 0; ; round++) {
		split_terms(s, e, m, &q, &r);
		ix_range(s, r, &lo, &hi);
		if (floor_div(lo, m) == floor_div(hi, m)) {
			*quot = ix_plus(s, q, floor_div(lo, m));
			*rem = ix_plus(s, r, -floor_div(lo, m) * m);
			return;
		}
		if (round == CUTS || !cut_for(s, r, m))
			break;
		e = ix_norm(s, e);
	}
	*quot = ix_add(s, q, ix_map(s, r, f_div, &m));
	*rem = ix_map(s, r, f_mod, &m);
}

/* The digits below m of one term, of which m is no stride: what they add at most, and whether the label is cut for them. */
static bool digits_below(const ix_term *t, int64_t m, int64_t *most, int *cuts)
{
	int64_t c = llabs(t->s), k = m / c, n = t->l->n;

	if (m % c)
		return false;
	if (n > k) {
		if (!label_cuts(t->l, k))
			return false;
		n = k;
		++*cuts;
	}
	*most = (n - 1) * t->s;
	return true;
}

bool ix_divides(scratch *s, const ix *e, int64_t m)
{
	int64_t lo, hi, most;
	int i, cuts = 0;

	if (!exact_range(s, e, &lo, &hi))
		return false;
	lo = hi = f_mod(e->base, &m);
	for (i = 0; i < e->ntab; i++)
		if (!ix_table_divisible(&e->tab[i], m))
			return false;
	for (i = 0; i < e->nt; i++) {
		if (e->t[i].s % m == 0)
			continue;
		if (!digits_below(&e->t[i], m, &most, &cuts))
			return false;
		*(most < 0 ? &lo : &hi) += most;
	}
	return cuts <= CUTS && floor_div(lo, m) == floor_div(hi, m);
}

ix *ix_coarse(scratch *s, const ix *e)
{
	int64_t m = 1;
	ix *q, *r;
	int i;

	e = ix_norm(s, e);
	for (i = 0; i < e->nt; i++)
		if (llabs(e->t[i].s) > m && ix_divides(s, e, llabs(e->t[i].s)))
			m = llabs(e->t[i].s);
	ix_divmod(s, e, m, &q, &r);
	return q;
}

ix **ix_digits(scratch *s, const ix *e, int n, const int64_t *size)
{
	ix **out = ARENA_ARRAY(&s->a, ix *, n), *q;
	int i;

	for (i = n - 1; i > 0; i--) {
		ix_divmod(s, e, size[i], &q, &out[i]);
		e = q;
	}
	if (n)
		out[0] = ix_norm(s, e);
	return out;
}

/* ---- substitution */

static const ix *lookup(label *l, int n, label **from, ix **to)
{
	int i;

	for (i = 0; i < n; i++)
		if (from[i] == l)
			return to[i];
	return NULL;
}

static ix *subst_label(scratch *s, label *l, int n, label **from, ix **to);

static ix *subst_data(scratch *s, label *l, int n, label **from, ix **to)
{
	const datum *d = l->data;
	ix *at = ix_norm(s, ix_subst(s, d->at, n, from, to)), *q, *r;
	label *whole = label_data(s, d->core, at, d->full);

	r = ix_of(s, whole, 1);
	if (d->div > 1) {
		ix_divmod(s, r, d->div, &q, &r);
		r = q;
	}
	if (l->n * d->div < d->full) {
		ix_divmod(s, r, l->n, &q, &r);
	}
	return r;
}

static bool touches(const ix *e, int n, label **from);

static bool label_touches(label *l, int n, label **from)
{
	if (lookup(l, n, from, (ix **)from))
		return true;
	if (l->hi)
		return label_touches(l->hi, n, from) || label_touches(l->lo, n, from);
	return l->data && touches(l->data->at, n, from);
}

static bool touches(const ix *e, int n, label **from)
{
	int i, j;

	for (i = 0; i < e->nt; i++)
		if (label_touches(e->t[i].l, n, from))
			return true;
	for (i = 0; i < e->ntab; i++)
		for (j = 0; j < e->tab[i].nl; j++)
			if (label_touches(e->tab[i].l[j], n, from))
				return true;
	return false;
}

static ix *subst_label(scratch *s, label *l, int n, label **from, ix **to)
{
	const ix *e = lookup(l, n, from, to);

	if (e)
		return (ix *)e;
	if (!label_touches(l, n, from))
		return ix_of(s, l, 1);
	if (l->hi)
		return ix_add(s, ix_times(s, subst_label(s, l->hi, n, from, to), l->lo->n),
			      subst_label(s, l->lo, n, from, to));
	return subst_data(s, l, n, from, to);
}

/* The labels of all these expressions.  Strides may cancel in their sum, so they are collected one by one. */
static int labels_of_parts(scratch *s, int n, ix *const *part, label ***out)
{
	label **x;
	int i, j, m, nl = 0, cap = 0;

	for (i = 0; i < n; i++)
		cap += ix_labels(s, part[i], &x);
	*out = ARENA_ARRAY(&s->a, label *, cap);
	for (i = 0; i < n; i++) {
		m = ix_labels(s, part[i], &x);
		for (j = 0; j < m; j++)
			nl = label_put(*out, nl, x[j]);
	}
	return nl;
}

static ix *subst_table(scratch *s, const ix_table_part *t, int n, label **from, ix **to)
{
	ix **part = ARENA_ARRAY(&s->a, ix *, t->nl);
	int64_t **val = ARENA_ARRAY(&s->a, int64_t *, t->nl), len, k, *v;
	label **l;
	int i, nl;

	for (i = 0; i < t->nl; i++)
		part[i] = ix_norm(s, subst_label(s, t->l[i], n, from, to));
	for (i = 0; i < t->nl; i++)	/* a later part may have cut labels of an earlier one */
		part[i] = ix_norm(s, part[i]);
	nl = labels_of_parts(s, t->nl, part, &l);
	len = grid_size(s, nl, l);
	for (i = 0; i < t->nl; i++)
		val[i] = ix_values(s, part[i], nl, l);
	v = ARENA_ARRAY(&s->a, int64_t, len);
	for (k = 0; k < len; k++) {
		int64_t p = 0;
		for (i = 0; i < t->nl; i++)	/* digits beyond the range of data: arbitrary */
			p = p * t->l[i]->n + (val[i][k] < t->l[i]->n ? val[i][k] : t->l[i]->n - 1);
		v[k] = t->v[p];
	}
	return ix_table(s, nl, l, v);
}

/* A label that was cut since is replaced digit by digit (RULES T5). */
static int by_leaves(scratch *s, int n, label ***from, ix ***to)
{
	label **f, *leaf[64];
	ix **t, **dig;
	int64_t size[64];
	int i, j, m, k = 0, cap = n;

	for (i = 0; i < n && !(*from)[i]->hi; i++)
		;
	if (i == n)
		return n;
	for (i = 0; i < n; i++)
		cap += (*from)[i]->hi ? 64 : 0;
	f = ARENA_ARRAY(&s->a, label *, cap);
	t = ARENA_ARRAY(&s->a, ix *, cap);
	for (i = 0; i < n; i++) {
		if (!(*from)[i]->hi) {
			f[k] = (*from)[i];
			t[k++] = (*to)[i];
			continue;
		}
		m = label_leaves((*from)[i], leaf, 64);
		for (j = 0; j < m; j++)
			size[j] = leaf[j]->n;
		dig = ix_digits(s, (*to)[i], m, size);
		for (j = 0; j < m; j++) {
			f[k] = leaf[j];
			t[k++] = dig[j];
		}
	}
	*from = f;
	*to = t;
	return k;
}

ix *ix_subst(scratch *s, const ix *e, int n, label **from, ix **to)
{
	ix *r;
	int i, j;

	n = by_leaves(s, n, &from, &to);
	if (!touches(e, n, from))
		return (ix *)e;
	r = ix_const(s, e->base);
	for (i = 0; i < e->nt; i++)
		r = ix_add(s, r, ix_times(s, subst_label(s, e->t[i].l, n, from, to), e->t[i].s));
	for (i = 0; i < e->ntab; i++) {
		bool hit = false;
		for (j = 0; j < e->tab[i].nl && !hit; j++)
			hit = label_touches(e->tab[i].l[j], n, from);
		if (hit) {
			r = ix_add(s, r, subst_table(s, &e->tab[i], n, from, to));
		} else {
			ix *q = ix_raw(s, 0, 1);
			q->ntab = 1;
			q->tab[0] = e->tab[i];
			r = ix_add(s, r, q);
		}
	}
	return ix_norm(s, r);
}

bool ix_equal(scratch *s, const ix *a, const ix *b)
{
	int i, j;

	a = ix_norm(s, a);
	b = ix_norm(s, b);
	a = ix_norm(s, a);
	if (a->base != b->base || a->nt != b->nt || a->ntab != b->ntab)
		return false;
	for (i = 0; i < a->nt; i++)
		if (ix_stride(b, a->t[i].l) != a->t[i].s)
			return false;
	for (i = 0; i < a->ntab; i++) {
		for (j = 0; j < b->ntab && !ix_table_equal(s, &a->tab[i], &b->tab[j]); j++)
			;
		if (j == b->ntab)
			return false;
	}
	return true;
}
