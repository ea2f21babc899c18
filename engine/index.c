#include "index.h"

#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "rational.h"

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

void label_cut(scratch *s, label *l, int64_t low)
{
	l->hi = label_part(s, l, l->n / low, low);
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

/* ---- making expressions */

/* Expressions stand for integers, too, which wrap; places are never that far. */
static int64_t plus(int64_t x, int64_t y)
{
	return (int64_t)((uint64_t)x + (uint64_t)y);
}

static int64_t times(int64_t x, int64_t y)
{
	return (int64_t)((uint64_t)x * (uint64_t)y);
}

static ix *ix_raw(scratch *s, int nt, int ntab)
{
	ix *e = ARENA_NEW(&s->a, ix);

	if (s->budget && s->a.taken > s->budget)
		stuck(s, "it takes more work than one step is given");
	if (nt)
		e->t = ARENA_ARRAY(&s->a, ix_term, nt);
	if (ntab)
		e->tab = ARENA_ARRAY(&s->a, ix_table_part, ntab);
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

	e->base = plus(a->base, b->base);
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
	e->base = plus(e->base, base);
	return e;
}

static ix_table_part table_times(scratch *s, const ix_table_part *t, int64_t k)
{
	ix_table_part r = *t;
	int64_t i;

	r.v = ARENA_ARRAY(&s->a, int64_t, t->len);
	for (i = 0; i < t->len; i++)
		r.v[i] = times(t->v[i], k);
	return r;
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
	e->base = times(a->base, k);
	for (i = 0; i < a->nt; i++)
		e->t[e->nt++] = (ix_term){ a->t[i].l, times(a->t[i].s, k) };
	for (i = 0; i < a->ntab; i++)
		e->tab[e->ntab++] = table_times(s, &a->tab[i], k);
	return e;
}

int64_t grid_size(scratch *s, int nl, label **l)
{
	int64_t n = 1;
	int i;

	for (i = 0; i < nl; i++)
		if (__builtin_mul_overflow(n, l[i]->n, &n))
			n = INT64_MAX;
	if (n > TABLE_MAX)
		stuck(s, "a table of %lld entries would be needed", (long long)n);
	s->cells += (uint64_t)n;
	return n;
}

/* ---- canonical form: linear part */

/* Leaves with their strides, equal leaves added, zeros dropped. */
static ix *flatten(scratch *s, const ix *e)
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
		for (j = n - 1; j >= 0; w *= leaf[j]->n, j--) {
			for (k = 0; k < r->nt && r->t[k].l != leaf[j]; k++)
				;
			if (k < r->nt)
				r->t[k].s += w;
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

/* ---- canonical form: tables */

int64_t *grid_linear(scratch *s, int nl, label *const *l, int64_t base, const int64_t *stride)
{
	int64_t *v, len = 1, have = 1, i, x;
	int k;

	for (k = 0; k < nl; k++)
		len *= l[k]->n;
	v = ARENA_ARRAY(&s->a, int64_t, len);
	v[0] = base;
	for (k = 0; k < nl; have *= l[k++]->n)
		for (i = have - 1; i >= 0; i--) {	/* from the end: what is spread has been read */
			int64_t at = v[i];
			for (x = l[k]->n - 1; x >= 0; x--)
				v[i * l[k]->n + x] = at + x * stride[k];
		}
	return v;
}

int64_t *grid_places(scratch *s, int nl, label *const *l, int nown, label *const *own)
{
	int64_t *stride = arena_zalloc(&s->a, sizeof *stride * (size_t)(nl + 1)), w = 1;
	int i, k;

	for (i = nown - 1; i >= 0; w *= own[i--]->n)
		for (k = 0; k < nl; k++)
			if (l[k] == own[i])
				stride[k] += w;
	return grid_linear(s, nl, l, 0, stride);
}

/* A table over leaves only, every leaf once. */
static ix_table_part expand(scratch *s, const ix_table_part *t)
{
	label *flat[64], *leaf[64];
	int i, j, n, nf = 0, nu = 0;
	ix_table_part r;
	int64_t *at, k;
	bool same = true;

	for (i = 0; i < t->nl; i++) {
		n = label_leaves(t->l[i], leaf, LABEL_LEAVES);
		if (nf + n > 64)
			stuck(s, "a table over too many digits");
		same = same && n == 1 && leaf[0] == t->l[i];
		for (j = 0; j < n; j++)
			flat[nf++] = leaf[j];
	}
	r.l = ARENA_ARRAY(&s->a, label *, nf);
	for (i = 0; i < nf; i++) {
		for (j = 0; j < nu && r.l[j] != flat[i]; j++)
			;
		if (j < nu)
			same = false;
		else
			r.l[nu++] = flat[i];
	}
	r.nl = nu;
	if (same)
		return *t;
	r.len = grid_size(s, nu, r.l);
	r.v = ARENA_ARRAY(&s->a, int64_t, r.len);
	at = grid_places(s, nu, r.l, nf, flat);
	for (k = 0; k < r.len; k++)
		r.v[k] = t->v[at[k]];
	return r;
}

void grid_axis(int nl, label *const *l, int k, int64_t *outer, int64_t *n, int64_t *inner)
{
	int i;

	*outer = *inner = 1;
	*n = l[k]->n;
	for (i = 0; i < k; i++)
		*outer *= l[i]->n;
	for (i = k + 1; i < nl; i++)
		*inner *= l[i]->n;
}

void *grid_take(scratch *s, const void *v, int *nl, label ***l, int k, int64_t step, int64_t m, label *to)
{
	enum { WORD = sizeof(int64_t) };
	int64_t outer, n, inner, o, j;
	label **left = ARENA_ARRAY(&s->a, label *, *nl);
	char *out, *at;
	int x, c = 0;

	grid_axis(*nl, *l, k, &outer, &n, &inner);
	at = out = (char *)ARENA_ARRAY(&s->a, int64_t, outer * m * inner);
	for (o = 0; o < outer; o++)
		for (j = 0; j < m; j++, at += inner * WORD)
			memcpy(at, (const char *)v + (o * n + j * step) * inner * WORD, (size_t)inner * WORD);
	for (x = 0; x < *nl; x++)
		if (x != k || to)
			left[c++] = x == k ? to : (*l)[x];
	*l = left;
	*nl = c;
	return out;
}

static void axis(const ix_table_part *t, int k, int64_t *outer, int64_t *n, int64_t *inner)
{
	grid_axis(t->nl, t->l, k, outer, n, inner);
}

static void take(scratch *s, ix_table_part *t, int k, int64_t step, int64_t m, label *l)
{
	t->len = t->len / t->l[k]->n * m;
	t->v = grid_take(s, t->v, &t->nl, &t->l, k, step, m, l);
}

/* Do the values of a run lie d above those `back` places before, from there on? */
static bool rises(const int64_t *v, int64_t len, int64_t back, int64_t d)
{
	int64_t p;

	for (p = back; p < len; p++)
		if (v[p] != v[p - back] + d)
			return false;
	return true;
}

/* The size of the largest low digit lo of axis k with v[.., hi, lo, ..] = v[.., hi, 0, ..] + lo*d: where the values do
 * not rise by d another digit begins. */
static int64_t linear_digit(const ix_table_part *t, int k, int64_t d)
{
	int64_t outer, n, inner, o, j, g;
	const int64_t *v = t->v;

	axis(t, k, &outer, &n, &inner);
	for (g = n, o = 0; o < outer && g > 1; o++, v += inner)
		for (j = 1; j < n && g > 1; j++, v += inner)
			if (!rises(v, 2 * inner, inner, d))
				g = gcd64(g, j);
	return g;
}

/* Is v[.., hi, lo, ..] = v[.., 0, lo, ..] + hi*d (high part)? */
static bool high_linear(const ix_table_part *t, int k, int64_t lo, int64_t d)
{
	int64_t outer, n, inner, p;

	axis(t, k, &outer, &n, &inner);
	for (p = 0; p < t->len; p += n * inner)
		if (!rises(t->v + p, n * inner, lo * inner, d))
			return false;
	return true;
}

static bool has_term(ix *r, label *l, int64_t s, int cap)
{
	int i;

	for (i = 0; i < r->nt; i++)
		if (r->t[i].l == l) {
			r->t[i].s += s;
			return true;
		}
	if (r->nt == cap)
		return false;
	r->t[r->nt++] = (ix_term){ l, s };
	return true;
}

#define TERMS 64
static void add_term(scratch *s, ix *r, label *l, int64_t st)
{
	if (st && !has_term(r, l, st, TERMS))
		stuck(s, "an index of more than %d digits", TERMS);
}

/* One step on axis k: the label, its low or its high digits leave the table when it is linear in them
 * (slope 0: they do not matter).  Linear parts go to r. */
static bool axis_step(scratch *s, ix *r, ix_table_part *t, int k)
{
	int64_t outer, n, inner, d, lo;
	label *l = t->l[k];

	axis(t, k, &outer, &n, &inner);
	if (n == 1) {
		take(s, t, k, 1, 1, NULL);
		return true;
	}
	d = t->v[inner] - t->v[0];
	lo = linear_digit(t, k, d);
	if (lo == n) {
		add_term(s, r, l, d);
		take(s, t, k, 1, 1, NULL);
		return true;
	}
	if (lo > 1) {
		label_cut(s, l, lo);
		add_term(s, r, l->lo, d);
		take(s, t, k, lo, n / lo, l->hi);
		return true;
	}
	for (lo = 2; lo <= n / 2; lo++) {
		d = t->v[lo * inner] - t->v[0];
		if (t->v[(lo + 1) * inner] - t->v[inner] != d || n % lo || !high_linear(t, k, lo, d))
			continue;
		label_cut(s, l, lo);
		add_term(s, r, l->hi, d);
		take(s, t, k, 1, lo, l->lo);
		return true;
	}
	return false;
}

/* Do labels i and j < i of t interact (is a mixed difference not zero)? */
static bool mixed(const ix_table_part *t, int i, int j)
{
	int64_t oi, ni, ii, oj, nj, ij, o, b, m, a, x;

	axis(t, i, &oi, &ni, &ii);
	axis(t, j, &oj, &nj, &ij);
	for (o = 0; o < oj; o++)
		for (b = 0; b + 1 < nj; b++)
			for (m = 0; m < ij; m += ii * ni)
				for (a = 0; a + 1 < ni; a++)
					for (x = 0; x < ii; x++) {
						const int64_t *v = t->v + (o * nj + b) * ij + m + a * ii + x;
						if (v[ii + ij] - v[ii] != v[ij] - v[0])
							return true;
					}
	return false;
}

/* A table that is a sum of tables over disjoint labels becomes those; it is 0 at the origin. */
static void separate(scratch *s, ix *r, const ix_table_part *t)
{
	int comp[32], i, j, c, n = t->nl;

	if (n > 32)
		stuck(s, "a table over too many digits");
	for (i = 0; i < n; i++)
		comp[i] = i;
	for (i = 0; i < n; i++)
		for (j = 0; j < i; j++)
			if (comp[i] != comp[j] && mixed(t, i, j)) {
				int from = comp[i], to = comp[j], x;
				for (x = 0; x < n; x++)
					if (comp[x] == from)
						comp[x] = to;
			}
	for (c = 0; c < n; c++) {
		ix_table_part q = *t;
		int k, mine = 0;
		for (i = 0; i < n; i++)
			mine += comp[i] == c;
		if (!mine)
			continue;
		for (i = n - 1, k = n - 1; i >= 0; i--, k--)
			if (comp[i] != c)
				take(s, &q, k, 1, 1, NULL);
		r->tab[r->ntab++] = q;
	}
}

static bool shares(const ix_table_part *a, const ix_table_part *b)
{
	int i, j;

	for (i = 0; i < a->nl; i++)
		for (j = 0; j < b->nl; j++)
			if (a->l[i] == b->l[j])
				return true;
	return false;
}

static ix_table_part table_sum(scratch *s, const ix_table_part *a, const ix_table_part *b)
{
	ix_table_part r;
	int i, j;
	int64_t *x, *y, k;

	r.l = ARENA_ARRAY(&s->a, label *, a->nl + b->nl);
	memcpy(r.l, a->l, sizeof(label *) * (size_t)a->nl);
	r.nl = a->nl;
	for (i = 0; i < b->nl; i++) {
		for (j = 0; j < a->nl && a->l[j] != b->l[i]; j++)
			;
		if (j == a->nl)
			r.l[r.nl++] = b->l[i];
	}
	r.len = grid_size(s, r.nl, r.l);
	r.v = ARENA_ARRAY(&s->a, int64_t, r.len);
	x = grid_places(s, r.nl, r.l, a->nl, a->l);
	y = grid_places(s, r.nl, r.l, b->nl, b->l);
	for (k = 0; k < r.len; k++)
		r.v[k] = a->v[x[k]] + b->v[y[k]];
	return r;
}

/* The linear term of a label that a table has goes into the table. */
static void take_in(scratch *s, ix *r, ix_table_part *t)
{
	int64_t outer, n, inner, p, x, at, st;
	int i, k;
	bool own = false;

	for (i = 0; i < r->nt; i++) {
		for (k = 0; k < t->nl && t->l[k] != r->t[i].l; k++)
			;
		if (k == t->nl || !r->t[i].s)
			continue;
		if (!own) {
			int64_t *v = ARENA_ARRAY(&s->a, int64_t, t->len);
			memcpy(v, t->v, sizeof(int64_t) * (size_t)t->len);
			t->v = v;
			own = true;
		}
		axis(t, k, &outer, &n, &inner);
		st = r->t[i].s;
		for (p = 0, at = 0; p < t->len; p += inner, at = at + 1 < n ? at + 1 : 0)
			for (x = 0; x < inner; x++)
				t->v[p + x] += at * st;
		r->t[i].s = 0;
	}
}

static void tidy_table(scratch *s, ix *r, ix_table_part t)
{
	int64_t first, p, *v;
	int k;
	bool again = true;

	take_in(s, r, &t);
	while (again) {
		again = false;
		for (k = 0; k < t.nl && !again; k++)
			again = axis_step(s, r, &t, k);
	}
	first = t.v[0];
	r->base += first;
	if (!t.nl)
		return;
	v = ARENA_ARRAY(&s->a, int64_t, t.len);
	for (p = 0; p < t.len; p++)
		v[p] = t.v[p] - first;
	t.v = v;
	separate(s, r, &t);
}

static ix *norm_tables(scratch *s, const ix *e)
{
	ix *lin = flatten(s, e), *r;
	ix_table_part g[32];
	int i, j, ng = 0, digits = 0;
	uint32_t cuts;

	for (i = 0; i < e->ntab; i++) {
		ix_table_part t = expand(s, &e->tab[i]);
		for (j = 0; j < ng; )
			if (shares(&g[j], &t)) {
				t = table_sum(s, &g[j], &t);
				g[j] = g[--ng];
			} else {
				j++;
			}
		if (ng == 32)
			stuck(s, "an index of more than 32 tables");
		g[ng++] = t;
		digits += t.nl;
	}
	for (i = 0; i < ng; i++)
		digits += 8 * g[i].nl;
	r = ix_raw(s, TERMS, digits + 1);
	r->base = lin->base;
	for (i = 0; i < lin->nt; i++)
		add_term(s, r, lin->t[i].l, lin->t[i].s);
	cuts = s->ncut;
	for (i = 0; i < ng; i++)
		tidy_table(s, r, i && s->ncut != cuts ? expand(s, &g[i]) : g[i]);
	if (s->ncut != cuts)
		return ix_norm(s, r);
	for (i = j = 0; i < r->nt; i++)
		if (r->t[i].s)
			r->t[j++] = r->t[i];
	r->nt = j;
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
		return flatten(s, e);
	r = norm_tables(s, e);
	r->normal = s->ncut + 1;
	return r;
}

ix *ix_table(scratch *s, int nl, label **l, const int64_t *v)
{
	ix *e = ix_raw(s, 0, 1);

	e->ntab = 1;
	e->tab[0] = (ix_table_part){ nl, ARENA_ARRAY(&s->a, label *, nl), (int64_t *)v, grid_size(s, nl, l) };
	memcpy(e->tab[0].l, l, sizeof *l * (size_t)nl);
	return ix_norm(s, e);
}

/* ---- questions */

void ix_range(scratch *s, const ix *e, int64_t *lo, int64_t *hi)
{
	int64_t a, b, k;
	int i;

	e = ix_norm(s, e);
	a = b = e->base;
	for (i = 0; i < e->nt; i++) {
		int64_t w = e->t[i].s * (e->t[i].l->n - 1);
		if (w < 0)
			a += w;
		else
			b += w;
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
	*lo = a;
	*hi = b;
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

bool ix_reads(const ix *e, const label *l)
{
	int i, j;

	if (ix_stride(e, l))
		return true;
	for (i = 0; i < e->ntab; i++)
		for (j = 0; j < e->tab[i].nl; j++)
			if (e->tab[i].l[j] == l)
				return true;
	return false;
}

int ix_labels(scratch *s, const ix *e, label ***out)
{
	label **l;
	int i, j, k, n = 0, cap;

	e = ix_norm(s, e);
	cap = e->nt;
	for (i = 0; i < e->ntab; i++)
		cap += e->tab[i].nl;
	l = *out = ARENA_ARRAY(&s->a, label *, cap);
	for (i = 0; i < e->nt; i++)
		l[n++] = e->t[i].l;
	for (i = 0; i < e->ntab; i++)
		for (j = 0; j < e->tab[i].nl; j++) {
			for (k = 0; k < n && l[k] != e->tab[i].l[j]; k++)
				;
			if (k == n)
				l[n++] = e->tab[i].l[j];
		}
	return n;
}

int ix_union(scratch *s, const ix *x, const ix *y, label ***out)
{
	label **p, **q;
	int n = ix_labels(s, x, &p), m = ix_labels(s, y, &q), i, j, k = n;

	*out = ARENA_ARRAY(&s->a, label *, n + m);
	memcpy(*out, p, sizeof *p * (size_t)n);
	for (i = 0; i < m; i++) {
		for (j = 0; j < n && p[j] != q[i]; j++)
			;
		if (j == n)
			(*out)[k++] = q[i];
	}
	return k;
}

int64_t *ix_values(scratch *s, const ix *e, int nl, label **l)
{
	int64_t *stride = arena_zalloc(&s->a, sizeof *stride * (size_t)(nl + 1)), n = grid_size(s, nl, l), *v, *at, q;
	int i, k;

	e = ix_norm(s, e);
	for (i = 0; i < e->nt; i++)
		for (k = 0; k < nl; k++)
			if (l[k] == e->t[i].l)
				stride[k] += e->t[i].s;
	v = grid_linear(s, nl, l, e->base, stride);
	for (i = 0; i < e->ntab; i++) {
		at = grid_places(s, nl, l, e->tab[i].nl, e->tab[i].l);
		for (q = 0; q < n; q++)
			v[q] += e->tab[i].v[at[q]];
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

static bool table_divisible(const ix_table_part *t, int64_t m)
{
	int64_t i;

	for (i = 0; i < t->len; i++)
		if (t->v[i] % m)
			return false;
	return true;
}

static ix_table_part table_div(scratch *s, const ix_table_part *t, int64_t m)
{
	ix_table_part r = *t;
	int64_t i;

	r.v = ARENA_ARRAY(&s->a, int64_t, t->len);
	for (i = 0; i < t->len; i++)
		r.v[i] = t->v[i] / m;
	return r;
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
		if (table_divisible(&e->tab[i], m))
			q->tab[q->ntab++] = table_div(s, &e->tab[i], m);
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
		if (k > 1 && k < l->n && l->n % k == 0) {
			label_cut(s, l, k);
			return true;
		}
	}
	return false;
}

void ix_divmod(scratch *s, const ix *e, int64_t m, ix **quot, ix **rem)
{
	int64_t lo, hi;
	ix *q, *r;
	int round;

	e = ix_norm(s, e);
	if (m == 1) {
		*quot = (ix *)e;
		*rem = ix_const(s, 0);
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
		if (round == 8 || !cut_for(s, r, m))
			break;
		e = ix_norm(s, e);
	}
	*quot = ix_add(s, q, ix_map(s, r, f_div, &m));
	*rem = ix_map(s, r, f_mod, &m);
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

static ix *subst_table(scratch *s, const ix_table_part *t, int n, label **from, ix **to)
{
	ix **part = ARENA_ARRAY(&s->a, ix *, t->nl), *all = ix_const(s, 0);
	int64_t **val = ARENA_ARRAY(&s->a, int64_t *, t->nl), len, k, *v;
	label **l;
	int i, nl;

	for (i = 0; i < t->nl; i++) {
		part[i] = ix_norm(s, subst_label(s, t->l[i], n, from, to));
		all = ix_add(s, all, part[i]);
	}
	for (i = 0; i < t->nl; i++)	/* a later part may have cut labels of an earlier one */
		part[i] = ix_norm(s, part[i]);
	{	/* labels of all parts: strides may cancel in the sum, so collect them one by one */
		int cap = 0, j, k2;
		label **x;
		for (i = 0; i < t->nl; i++)
			cap += ix_labels(s, part[i], &x);
		l = ARENA_ARRAY(&s->a, label *, cap);
		nl = 0;
		for (i = 0; i < t->nl; i++) {
			int m = ix_labels(s, part[i], &x);
			for (j = 0; j < m; j++) {
				for (k2 = 0; k2 < nl && l[k2] != x[j]; k2++)
					;
				if (k2 == nl)
					l[nl++] = x[j];
			}
		}
	}
	len = grid_size(s, nl, l);
	for (i = 0; i < t->nl; i++)
		val[i] = ix_values(s, part[i], nl, l);
	v = ARENA_ARRAY(&s->a, int64_t, len);
	for (k = 0; k < len; k++) {
		int64_t p = 0;
		for (i = 0; i < t->nl; i++)
			p = p * t->l[i]->n + val[i][k];
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

ix *ix_without_table(scratch *s, const ix *e, int k)
{
	ix *r = ARENA_NEW(&s->a, ix);
	int i;

	*r = *e;
	r->normal = 0;
	r->tab = ARENA_ARRAY(&s->a, ix_table_part, e->ntab);
	r->ntab = 0;
	for (i = 0; i < e->ntab; i++)
		if (i != k)
			r->tab[r->ntab++] = e->tab[i];
	return r;
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

static bool table_equal(scratch *s, const ix_table_part *a, const ix_table_part *b)
{
	int64_t *at, k;
	int i, j;

	if (a->nl != b->nl || a->len != b->len)
		return false;
	for (i = 0; i < a->nl; i++) {
		for (j = 0; j < b->nl && b->l[j] != a->l[i]; j++)
			;
		if (j == b->nl)
			return false;
	}
	at = grid_places(s, a->nl, a->l, b->nl, b->l);
	for (k = 0; k < a->len; k++)
		if (a->v[k] != b->v[at[k]])
			return false;
	return true;
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
		for (j = 0; j < b->ntab && !table_equal(s, &a->tab[i], &b->tab[j]); j++)
			;
		if (j == b->ntab)
			return false;
	}
	return true;
}
