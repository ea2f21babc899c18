#include "index/index_in.h"

#include <string.h>
#include "util/rational.h"

/* ---- grids of labels */

static int64_t cells_of(int nl, label *const *l)
{
	int64_t n = 1;
	int i;

	for (i = 0; i < nl; i++)
		if (__builtin_mul_overflow(n, l[i]->n, &n))
			n = INT64_MAX;
	return n;
}

bool grid_fits(int nl, label *const *l)
{
	return cells_of(nl, l) <= TABLE_MAX;
}

int64_t grid_size(scratch *s, int nl, label **l)
{
	int64_t n = cells_of(nl, l);

	if (n > TABLE_MAX)
		stuck(s, "a table of %lld entries would be needed", (long long)n);
	s->cells += (uint64_t)n;
	return n;
}

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
				v[i * l[k]->n + x] = wrap_add(at, wrap_mul(x, stride[k]));
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

int64_t *grid_cut(scratch *s, int nl, label *const *l, int nown, label *const *own)
{
	int64_t *at = NULL, *v, w = 1, k, len = cells_of(nl, l), n;
	label *leaf[LABEL_LEAVES];
	int i, m;

	for (i = nown - 1; i >= 0; w *= own[i--]->n) {
		m = label_leaves(own[i], leaf, LABEL_LEAVES);
		v = grid_places(s, nl, l, m, leaf);
		n = own[i]->n;
		for (k = 0; k < len; k++)	/* digits beyond the range of data: arbitrary */
			v[k] = (v[k] < n ? v[k] : n - 1) * w + (at ? at[k] : 0);
		at = v;
	}
	return at ? at : grid_places(s, nl, l, 0, NULL);
}

/* The next place whose digits of data are beyond its range, the present one included. */
static bool beyond_from(grid_beyond *k)
{
	int64_t sum, x;
	int i;

	for (; k->q < k->len; k->q++) {
		k->base = k->q;
		for (sum = 0, i = 0; i < k->nl; i++) {
			x = k->weight[i] ? k->q / k->step[i] % k->l[i]->n : 0;
			sum += x * k->weight[i];
			k->base -= i == k->top ? 0 : x * k->step[i];
		}
		if (sum >= k->full)
			return true;
	}
	return false;
}

/* Is label i a digit of the same value below the top, and none that is counted already?  Two labels may be one digit. */
static bool counts(scratch *s, const grid_beyond *k, int i)
{
	const label *x = k->l[i], *top = k->l[k->top];
	int j;

	if (!x->data || x->data->div * x->n > top->data->div || !data_same(s, x, top))
		return false;
	for (j = i + 1; j < k->nl; j++)
		if (k->weight[j] && j != k->top && k->l[j]->data->div < x->data->div * x->n && x->data->div < k->l[j]->data->div * k->l[j]->n)
			return false;
	return true;
}

bool grid_beyond_first(scratch *s, int nl, label *const *l, grid_beyond *k)
{
	int i, below = 0;

	for (k->top = 0; k->top < nl && !labels_slack(1, &l[k->top]); k->top++)
		;
	if (k->top == nl || nl > LABEL_LEAVES)
		return false;
	k->l = l;
	k->nl = nl;
	k->q = 0;
	k->full = l[k->top]->data->full;
	for (k->len = 1, i = nl - 1; i >= 0; k->len *= l[i--]->n) {
		bool mine = i == k->top || counts(s, k, i);
		k->step[i] = k->len;
		k->weight[i] = mine ? l[i]->data->div : 0;
		below += mine && i != k->top;
	}
	k->back = k->step[k->top];
	return below && l[k->top]->n > 1 && beyond_from(k);
}

bool grid_beyond_next(grid_beyond *k)
{
	k->q++;
	return beyond_from(k);
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

/* ---- one table */

ix *ix_table(scratch *s, int nl, label **l, const int64_t *v)
{
	ix *e = ix_raw(s, 0, 1);

	e->ntab = 1;
	e->tab[0] = (ix_table_part){ nl, ARENA_ARRAY(&s->a, label *, nl), (int64_t *)v, grid_size(s, nl, l) };
	if (nl)
		memcpy(e->tab[0].l, l, sizeof *l * (size_t)nl);
	return ix_norm(s, e);
}

ix_table_part ix_table_times(scratch *s, const ix_table_part *t, int64_t k)
{
	ix_table_part r = *t;
	int64_t i;

	r.v = ARENA_ARRAY(&s->a, int64_t, t->len);
	for (i = 0; i < t->len; i++)
		r.v[i] = wrap_mul(t->v[i], k);
	return r;
}

bool ix_table_divisible(const ix_table_part *t, int64_t m)
{
	int64_t i;

	for (i = 0; i < t->len; i++)
		if (t->v[i] % m)
			return false;
	return true;
}

ix_table_part ix_table_div(scratch *s, const ix_table_part *t, int64_t m)
{
	ix_table_part r = *t;
	int64_t i;

	r.v = ARENA_ARRAY(&s->a, int64_t, t->len);
	for (i = 0; i < t->len; i++)
		r.v[i] = t->v[i] / m;
	return r;
}

bool ix_table_equal(scratch *s, const ix_table_part *a, const ix_table_part *b)
{
	int64_t *at, k;
	int i;

	if (a->nl != b->nl || a->len != b->len)
		return false;
	for (i = 0; i < a->nl; i++)
		if (!label_in(a->l[i], b->nl, b->l))
			return false;
	at = grid_places(s, a->nl, a->l, b->nl, b->l);
	for (k = 0; k < a->len; k++)
		if (a->v[k] != b->v[at[k]])
			return false;
	return true;
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

ix *ix_part(scratch *s, const ix *e, int n, label *const *l)
{
	ix *p = ix_const(s, 0), *t;
	int i, j;

	for (i = 0; i < e->nt; i++)
		if (label_in(e->t[i].l, n, l))
			p = ix_add(s, p, ix_of(s, e->t[i].l, e->t[i].s));
	for (i = 0; i < e->ntab; i++) {
		for (j = 0; j < e->tab[i].nl && label_in(e->tab[i].l[j], n, l); j++)
			;
		if (j < e->tab[i].nl)
			continue;
		t = ARENA_NEW(&s->a, ix);
		t->tab = &e->tab[i];
		t->ntab = 1;
		p = ix_add(s, p, t);
	}
	return p;
}

bool ix_in_table(const ix *e, const label *l)
{
	int k;

	for (k = 0; k < e->ntab; k++)
		if (label_in(l, e->tab[k].nl, e->tab[k].l))
			return true;
	return false;
}

/* ---- canonical form */

/* A table over leaves only, every leaf once. */
static ix_table_part expand(scratch *s, const ix_table_part *t)
{
	label *once[64], *leaf[64];
	int i, j, n, nf = 0, nu = 0;
	ix_table_part r;
	int64_t *at, k;
	bool same = true;

	for (i = 0; i < t->nl; i++) {
		n = label_leaves(t->l[i], leaf, LABEL_LEAVES);
		if (nf + n > 64)
			stuck(s, "a table over too many digits");
		same = same && n == 1 && leaf[0] == t->l[i];
		for (nf += n, j = 0; j < n; j++)
			nu = label_put(once, nu, leaf[j]);
	}
	if (same && nu == nf)
		return *t;
	r.nl = nu;
	r.l = ARENA_ARRAY(&s->a, label *, nu);
	memcpy(r.l, once, sizeof *once * (size_t)nu);
	r.len = grid_size(s, nu, r.l);
	r.v = ARENA_ARRAY(&s->a, int64_t, r.len);
	at = grid_cut(s, nu, r.l, t->nl, t->l);
	for (k = 0; k < r.len; k++)
		r.v[k] = t->v[at[k]];
	return r;
}

/* Where digits of data are beyond its range the table goes on as it was. */
static void go_on(scratch *s, ix_table_part *t)
{
	int64_t *v;
	grid_beyond k;
	bool more = grid_beyond_first(s, t->nl, t->l, &k);

	if (!more)
		return;
	v = ARENA_ARRAY(&s->a, int64_t, t->len);
	memcpy(v, t->v, sizeof *v * (size_t)t->len);
	for (; more; more = grid_beyond_next(&k))
		v[k.q] = wrap_add(v[k.q - k.back], wrap_sub(v[k.base], v[k.base - k.back]));
	t->v = v;
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
		if (v[p] != wrap_add(v[p - back], d))
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
			r->t[i].s = wrap_add(r->t[i].s, s);
			return true;
		}
	if (r->nt == cap)
		return false;
	r->t[r->nt++] = (ix_term){ l, s };
	return true;
}

enum { TERMS = 64 };

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
	d = wrap_sub(t->v[inner], t->v[0]);
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
		d = wrap_sub(t->v[lo * inner], t->v[0]);
		if (wrap_sub(t->v[(lo + 1) * inner], t->v[inner]) != d || n % lo || !high_linear(t, k, lo, d))
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
						if (wrap_sub(v[ii + ij], v[ii]) != wrap_sub(v[ij], v[0]))
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
	int i;

	for (i = 0; i < a->nl; i++)
		if (label_in(a->l[i], b->nl, b->l))
			return true;
	return false;
}

static ix_table_part table_sum(scratch *s, const ix_table_part *a, const ix_table_part *b)
{
	ix_table_part r;
	int i;
	int64_t *x, *y, k;

	r.l = ARENA_ARRAY(&s->a, label *, a->nl + b->nl);
	memcpy(r.l, a->l, sizeof(label *) * (size_t)a->nl);
	r.nl = a->nl;
	for (i = 0; i < b->nl; i++)
		r.nl = label_put(r.l, r.nl, b->l[i]);
	r.len = grid_size(s, r.nl, r.l);
	r.v = ARENA_ARRAY(&s->a, int64_t, r.len);
	x = grid_places(s, r.nl, r.l, a->nl, a->l);
	y = grid_places(s, r.nl, r.l, b->nl, b->l);
	for (k = 0; k < r.len; k++)
		r.v[k] = wrap_add(a->v[x[k]], b->v[y[k]]);
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
				t->v[p + x] = wrap_add(t->v[p + x], wrap_mul(at, st));
		r->t[i].s = 0;
	}
}

static void tidy_table(scratch *s, ix *r, ix_table_part t)
{
	int64_t first, p, *v;
	int k;
	bool again = true;

	take_in(s, r, &t);
	go_on(s, &t);
	while (again) {
		again = false;
		for (k = 0; k < t.nl && !again; k++)
			again = axis_step(s, r, &t, k);
	}
	first = t.v[0];
	r->base = wrap_add(r->base, first);
	if (!t.nl)
		return;
	if (first) {
		v = ARENA_ARRAY(&s->a, int64_t, t.len);
		for (p = 0; p < t.len; p++)
			v[p] = wrap_sub(t.v[p], first);
		t.v = v;
	}
	separate(s, r, &t);
}

ix *ix_norm_tables(scratch *s, const ix *e)
{
	ix *lin = ix_flatten(s, e), *r;
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
