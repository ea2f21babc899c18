/* prim_mask.c - products and contractions with a constant table: pieces (N20), reading under a mask (N25), joined
 * tables (N26), one-hots (N21), restriction (N22), shifts (N7, N8), reindexing (N6), direction (N4).
 *
 * All work on a product taken apart into factors and at most one table of
 * values over leaf labels; all factors are finite where a zero of the table
 * removes them (N17).
 */
#include "mask.h"

#include <math.h>
#include <stdlib.h>

/* ---- taking apart */

/* False when the node holds several tables (they are joined first), or none where one is needed. */
static bool open_masked(algebra *a, eg_id n, masked *m, bool table_needed)
{
	const eg_id *arg = eg_args(a->g, n);
	pairing p = pairing_read(a, n);
	int k, found = -1;
	slot t;

	m->tab = -1;
	for (k = 0; k < p.nslot; k++) {
		enum core_kind o = core_kind(a, peek(a, arg[k]));
		if (o != C_TABLE)
			continue;
		if (found >= 0)
			return false;	/* they are joined first (N16) */
		found = k;
	}
	if (found < 0 && table_needed)
		return false;
	m->w = work_open(a, n);
	if (found >= 0 && m->w->slot[found].c.num == 1 && slot_table_values(a, &m->w->slot[found], &t) && exact_values(slot_cells(&t), t.v)) {
		t.c = RAT_ONE;
		t.vtype = TYPE_REAL;
		m->w->slot[found] = t;
		m->tab = found;
	}
	work_settle(a, m->w);
	return m->tab >= 0 || !table_needed;
}

bool masked_open(algebra *a, eg_id n, masked *m)
{
	return open_masked(a, n, m, true);
}

static bool all_finite(algebra *a, const work *w)
{
	int k;

	for (k = 0; k < w->nslot; k++)
		if (!slot_finite_power(a, &w->slot[k]))
			return false;
	return true;
}

/* Summed leaf labels, as they stand now. */
int bound_leaves(const work *w, label **out, int max)
{
	int i, n = 0;

	for (i = 0; i < w->nbound; i++)
		n += label_leaves(w->bound[i], out + n, max - n);
	return n;
}

static int find(const label *l, int n, label *const *list)
{
	int i;

	for (i = 0; i < n; i++)
		if (list[i] == l)
			return i;
	return -1;
}

/* ---- N20 */

/* The terms of a sum some of which carry a constant table (a piecewise tensor). */
static bool is_pieces(algebra *a, eg_id x, int type, eg_id n, eg_id *node)
{
	eg_id o = peek(a, x);
	uint32_t i, j;

	if (core_kind(a, o) != C_SUM || core_type(a, o) != type || !normal_opens(a, o, n))
		return false;
	*node = o;
	for (i = 0; i < (uint32_t)pairing_read(a, o).nslot; i++) {
		eg_id k = peek(a, eg_args(a->g, o)[i]);
		if (core_kind(a, k) == C_TABLE)
			return true;
		if (core_kind(a, k) == C_MUL || core_kind(a, k) == C_EIN)
			for (j = 0; j < eg_narg(a->g, k); j++)
				if (core_kind(a, peek(a, eg_args(a->g, k)[j])) == C_TABLE)
					return true;
	}
	return false;
}

/* N20: a piecewise factor is distributed; disjoint masks cancel then. */
eg_id prim_pieces(algebra *a, eg_id n)
{
	pairing p = pairing_read(a, n);
	work *w;
	int j, k, i, m;
	eg_id o;

	if (!type_is_float(core_type(a, n)) && !type_is_int(core_type(a, n)))
		return NIL;
	for (j = 0; j < p.nslot; j++) {
		slot *in, *res, *fs;
		if (core_coef(a, n, j).num != 1 || (p.nslot == 1 && core_kind(a, n) == C_MUL) ||
		    !is_pieces(a, eg_args(a->g, n)[j], core_type(a, n), n, &o))
			continue;
		w = work_open(a, n);
		if (!all_finite(a, w))
			return refuse(a, "zero times a tensor that may be infinite");
		in = work_inline(a, o, w->slot[j].e, w, &m);
		opened(a, w->slot[j].x, o);
		res = ARENA_ARRAY(&a->s.a, slot, m);
		for (i = 0; i < m; i++) {
			work *t;
			fs = ARENA_ARRAY(&a->s.a, slot, w->nslot);
			for (k = 0; k < w->nslot; k++)
				fs[k] = w->slot[k];
			fs[j] = in[i];
			fs[j].c = RAT_ONE;
			t = work_like(a, w, w->kind, w->nslot, fs);
			res[i] = slot_of_work(a, t, in[i].c);
		}
		w = work_like(a, w, C_SUM, m, res);
		w->nbound = 0;
		return work_result(a, w);
	}
	return NIL;
}

/* ---- N26 */

/* N26: tab(a) * sum_s K(a, s) x[s] is one contraction with the table tab K. */
eg_id prim_join(algebra *a, eg_id n)
{
	masked m;
	int j, i;

	if (core_kind(a, n) != C_MUL || !masked_open(a, n, &m))
		return NIL;
	for (j = 0; j < m.w->nslot; j++) {
		slot *t = &m.w->slot[j], *in;
		eg_id o;
		int k;
		bool has = false;
		work *e;
		if (t->x == NIL || t->c.num != 1)
			continue;
		o = peek(a, t->x);
		if (core_kind(a, o) != C_EIN || core_type(a, o) != m.w->type || !normal_opens(a, o, n))
			continue;
		for (i = 0; i < pairing_read(a, o).nslot; i++)
			has = has || core_kind(a, peek(a, eg_args(a->g, o)[i])) == C_TABLE;
		if (!has)
			continue;
		e = work_like(a, m.w, C_EIN, 0, NULL);
		in = work_inline(a, o, t->e, e, &k);
		opened(a, t->x, o);
		{	/* the table goes in; the other factors stay outside */
			slot *fs = ARENA_ARRAY(&a->s.a, slot, k + 1), *rest = ARENA_ARRAY(&a->s.a, slot, m.w->nslot);
			int r = 0;
			work *inner;
			memcpy(fs, in, sizeof *fs * (size_t)k);
			fs[k] = m.w->slot[m.tab];
			inner = work_like(a, e, C_EIN, k + 1, fs);
			for (i = 0; i < inner->nslot; i++)
				if (!slot_finite_power(a, &inner->slot[i]))
					return refuse(a, "zero times a tensor that may be infinite");
			rest[r++] = slot_of_work(a, inner, RAT_ONE);
			for (i = 0; i < m.w->nslot; i++)
				if (i != j && i != m.tab)
					rest[r++] = m.w->slot[i];
			return work_result(a, work_like(a, m.w, C_MUL, r, rest));
		}
	}
	return NIL;
}

/* ---- chains: labels that every index expression reads as the digits of one number */

static bool chain_pair(const work *w, const label *A, const label *B)
{
	bool lin = A->root == B->root && A->weight == B->weight * B->n;
	int k;

	for (k = 0; k < w->nslot; k++) {
		const ix *e = w->slot[k].e;
		if (w->slot[k].x == NIL)
			continue;
		if (ix_stride(e, A) != ix_stride(e, B) * B->n)
			return false;
		lin = lin || ix_stride(e, A);
	}
	return lin;
}

struct runs {
	int n, len[32];
	label *l[32][16];
};

static void find_runs(const work *w, int n, label *const *mine, struct runs *r)
{
	int next[32], i, j;
	bool has_prev[32] = { false };

	r->n = 0;
	if (n > 32)
		n = 32;
	for (i = 0; i < n; i++) {
		next[i] = -1;
		for (j = 0; j < n; j++)
			if (i != j && !mine[i]->data && !mine[j]->data && chain_pair(w, mine[i], mine[j])) {
				next[i] = j;
				has_prev[j] = true;
				break;
			}
	}
	for (i = 0; i < n; i++) {
		int k = 0;
		if (has_prev[i])
			continue;
		for (j = i; j >= 0 && k < 16; j = next[j]) {
			int q;
			for (q = 0; q < k && r->l[r->n][q] != mine[j]; q++)
				;
			if (q < k)
				break;
			r->l[r->n][k++] = mine[j];
		}
		r->len[r->n++] = k;
	}
}

/* A value table as rows (all labels but the run) by columns (the run's labels as one number). */
struct grid {
	int nrest;
	label **rest;
	int64_t rows, size;
	double *v;		/* rows * size */
};

static void grid_of(algebra *a, const slot *t, int nrun, label *const *run, struct grid *g)
{
	int64_t *row, *col, r, c;
	int k;

	g->rest = ARENA_ARRAY(&a->s.a, label *, t->nl);
	g->nrest = 0;
	for (k = 0; k < t->nl; k++)
		if (find(t->l[k], nrun, run) < 0)
			g->rest[g->nrest++] = t->l[k];
	g->rows = grid_size(&a->s, g->nrest, g->rest);
	g->size = grid_size(&a->s, nrun, (label **)run);
	if (g->rows * g->size > TABLE_MAX)
		stuck(&a->s, "a table of %lld entries would be needed", (long long)(g->rows * g->size));
	row = grid_places(&a->s, g->nrest, g->rest, t->nl, t->l);
	col = grid_places(&a->s, nrun, run, t->nl, t->l);
	g->v = ARENA_ARRAY(&a->s.a, double, g->rows * g->size);
	for (r = 0; r < g->rows; r++)
		for (c = 0; c < g->size; c++)
			g->v[r * g->size + c] = t->v[row[r] + col[c]];
}

/* values[rows] as an index expression over rest, digit k of the run */
ix **run_digits(algebra *a, int nrest, label **rest, int64_t rows, const int64_t *at, int nrun, label *const *run)
{
	ix **e = ARENA_ARRAY(&a->s.a, ix *, nrun);
	int64_t *v, i, w = 1;
	int k;

	for (k = nrun - 1; k >= 0; k--) {
		v = ARENA_ARRAY(&a->s.a, int64_t, rows);
		for (i = 0; i < rows; i++)
			v[i] = at[i] / w % run[k]->n;
		e[k] = ix_table(&a->s, nrest, rest, v);
		w *= run[k]->n;
	}
	return e;
}

/* Labels (with data) whose data arguments read one of the list. */
static bool data_reads(algebra *a, int n, label *const *l, int nb, label *const *b)
{
	int i, j, m;
	label **x;

	for (i = 0; i < n; i++) {
		slot t;
		if (!l[i]->data)
			continue;
		t = slot_read(0, (ix *)l[i]->data->at, RAT_ONE);
		m = slot_labels(a, &t, &x);
		for (j = 0; j < m; j++)
			if (find(x[j], nb, b) >= 0)
				return true;
	}
	return false;
}

static void subst_all(algebra *a, work *w, int skip, int n, label **from, ix **to)
{
	int k;

	for (k = 0; k < w->nslot; k++)
		if (k != skip && w->slot[k].x != NIL)
			w->slot[k].e = ix_subst(&a->s, w->slot[k].e, n, from, to);
}

static int without(int n, label *const *l, int m, label *const *gone, label **out)
{
	int i, k = 0;

	for (i = 0; i < n; i++)
		if (find(l[i], m, gone) < 0)
			out[k++] = l[i];
	return k;
}

/* ---- N21, N22 */

/* Nearest place that counts, for places of a row that do not. */
static void fill_row(int64_t n, int64_t *at, bool *hit)
{
	int64_t j;

	for (j = 1; j < n; j++)
		if (!hit[j] && hit[j - 1]) {
			at[j] = at[j - 1];
			hit[j] = true;
		}
	for (j = n - 2; j >= 0; j--)
		if (!hit[j] && hit[j + 1]) {
			at[j] = at[j + 1];
			hit[j] = true;
		}
}

/* The same along every label of the rows, last first (rows without any hit take a neighbour's place). */
static void fill_rows(int nrest, label *const *rest, int64_t rows, int64_t *at, bool *hit)
{
	int64_t inner = 1, o, i, n, j;
	int k;

	for (k = nrest - 1; k >= 0; inner *= rest[k--]->n) {
		n = rest[k]->n;
		for (o = 0; o < rows / (inner * n); o++)
			for (i = 0; i < inner; i++) {
				int64_t *p = at + o * n * inner + i;
				bool *h = hit + o * n * inner + i;
				for (j = 1; j < n; j++)
					if (!h[j * inner] && h[(j - 1) * inner]) {
						p[j * inner] = p[(j - 1) * inner];
						h[j * inner] = true;
					}
				for (j = n - 2; j >= 0; j--)
					if (!h[j * inner] && h[(j + 1) * inner]) {
						p[j * inner] = p[(j + 1) * inner];
						h[j * inner] = true;
					}
			}
	}
}

static eg_id one_hot(algebra *a, masked *m, int nrun, label *const *run, const struct grid *g, int nb, label *const *bl)
{
	int64_t *at = arena_zalloc(&a->s.a, sizeof *at * (size_t)g->rows), r, c;
	bool *hit = arena_zalloc(&a->s.a, (size_t)g->rows);
	double *sum = arena_zalloc(&a->s.a, sizeof *sum * (size_t)g->rows);
	label **left = ARENA_ARRAY(&a->s.a, label *, nb);
	work *w = m->w;

	for (r = 0; r < g->rows; r++)
		for (c = 0; c < g->size; c++)
			if (g->v[r * g->size + c] != 0) {
				if (hit[r])
					return NIL;
				hit[r] = true;
				at[r] = c;
				sum[r] = g->v[r * g->size + c];
			}
	fill_rows(g->nrest, g->rest, g->rows, at, hit);
	subst_all(a, w, m->tab, nrun, (label **)run, run_digits(a, g->nrest, g->rest, g->rows, at, nrun, run));
	w->slot[m->tab] = slot_table(TYPE_REAL, g->nrest, g->rest, sum, RAT_ONE);
	work_set_bound(a, w, without(nb, bl, nrun, run, left), left);
	if (!w->nbound)
		w->kind = C_MUL;
	return work_result(a, w);
}

/* The run takes the places listed only, in every slot that is no table: the label that does. */
static label *run_over(algebra *a, work *w, int nrun, label *const *run, int64_t nhit, const int64_t *hits, int nb, label *const *bl)
{
	label **fresh = ARENA_ARRAY(&a->s.a, label *, 1), **left = ARENA_ARRAY(&a->s.a, label *, nb + 1);
	int n = without(nb, bl, nrun, run, left);

	*fresh = label_new(&a->s, nhit);
	(*fresh)->bound = true;
	subst_all(a, w, -1, nrun, (label **)run, run_digits(a, 1, fresh, nhit, hits, nrun, run));
	if (nhit > 1)
		left[n++] = *fresh;
	work_set_bound(a, w, n, left);
	if (!n)
		w->kind = C_MUL;
	return *fresh;
}

static eg_id restrict_to(algebra *a, masked *m, int nrun, label *const *run, int64_t nhit, const int64_t *hits, int nb, label *const *bl)
{
	work *w = m->w;
	label *fresh;
	slot t = w->slot[m->tab];
	struct grid g;

	grid_of(a, &t, nrun, run, &g);
	fresh = run_over(a, w, nrun, run, nhit, hits, nb, bl);
	{	/* the table at those places */
		label **l = ARENA_ARRAY(&a->s.a, label *, g.nrest + 1);
		double *v = ARENA_ARRAY(&a->s.a, double, g.rows * nhit);
		int64_t r, c;
		memcpy(l, g.rest, sizeof *l * (size_t)g.nrest);
		l[g.nrest] = fresh;
		for (r = 0; r < g.rows; r++)
			for (c = 0; c < nhit; c++)
				v[r * nhit + c] = g.v[r * g.size + hits[c]];
		w->slot[m->tab] = slot_table(TYPE_REAL, g.nrest + 1, l, v, RAT_ONE);
	}
	return work_result(a, w);
}

static int64_t column_hits(algebra *a, const struct grid *g, int64_t **out)
{
	int64_t *h = *out = ARENA_ARRAY(&a->s.a, int64_t, g->size), r, c, n = 0;

	for (c = 0; c < g->size; c++) {
		for (r = 0; r < g->rows && g->v[r * g->size + c] == 0; r++)
			;
		if (r < g->rows)
			h[n++] = c;
	}
	return n;
}

/* N21: at most one place along a summed run counts, whatever the rest: it is picked.
 * N22: some places count never: the run takes the others. */
eg_id prim_one_hot(algebra *a, eg_id n)
{
	masked m;
	label *bl[128], *mine[128];
	int nb, nm = 0, i;
	struct runs r;
	struct grid g;

	if (!masked_open(a, n, &m))
		return NIL;
	nb = bound_leaves(m.w, bl, 128);
	for (i = 0; i < nb; i++)
		if (find(bl[i], m.w->slot[m.tab].nl, m.w->slot[m.tab].l) >= 0)
			mine[nm++] = bl[i];
	if (!nm)
		return NIL;
	if (!all_finite(a, m.w))
		return refuse(a, "zero times a tensor that may be infinite");
	find_runs(m.w, nm, mine, &r);
	for (i = 0; i < r.n; i++) {
		int64_t *hits, nh, row, c;
		bool hot = true;
		grid_of(a, &m.w->slot[m.tab], r.len[i], r.l[i], &g);
		for (row = 0; row < g.rows && hot; row++) {
			int64_t k = 0;
			for (c = 0; c < g.size; c++)
				k += g.v[row * g.size + c] != 0;
			hot = k <= 1;
		}
		if (hot) {
			if (data_reads(a, g.nrest, g.rest, r.len[i], r.l[i])) {
				refuse(a, "the hit depends on data that depends on the summed label");
				continue;
			}
			return one_hot(a, &m, r.len[i], r.l[i], &g, nb, bl);
		}
		nh = column_hits(a, &g, &hits);
		if (nh > 0 && nh < g.size && !data_reads(a, g.nrest, g.rest, r.len[i], r.l[i]))
			return restrict_to(a, &m, r.len[i], r.l[i], nh, hits, nb, bl);
	}
	if (nm > 1) {	/* uneven shards: the places that count are the first ones over several labels */
		int64_t *hits, nh;
		grid_of(a, &m.w->slot[m.tab], nm, mine, &g);
		nh = column_hits(a, &g, &hits);
		if (nh > 1 && nh < g.size && hits[nh - 1] == nh - 1 && !data_reads(a, g.nrest, g.rest, nm, mine))
			return restrict_to(a, &m, nm, mine, nh, hits, nb, bl);
	}
	return NIL;
}

/* The value that all places of the rows hold but at most one of each; no number where there is none, or a place is 0: a
 * mask with holes is for N22. */
static double background(const struct grid *g)
{
	double c = g->v[0] == g->v[1] ? g->v[0] : g->v[2], v;
	int64_t row, col, others;

	for (row = 0; row < g->rows; row++) {
		for (col = others = 0; col < g->size; col++) {
			v = g->v[row * g->size + col];
			if (v == 0)
				return NAN;
			others += v != c;
		}
		if (others > 1)
			return NAN;
	}
	return c;
}

/* sum_s K(a, s) x[s] = c sum_s x[s] + sum_s (K - c)(a, s) x[s]. */
static eg_id beside_background(algebra *a, masked *m, double c)
{
	slot *all = ARENA_ARRAY(&a->s.a, slot, m->w->nslot), two[2], *t = &m->w->slot[m->tab];
	int64_t n = slot_cells(t), i;
	double *v = ARENA_ARRAY(&a->s.a, double, n);
	int k, j = 0, b;
	rat r;
	work *w;

	for (k = 0; k < m->w->nslot; k++)
		if (k != m->tab)
			all[j++] = m->w->slot[k];
	for (b = 0; b < m->w->nbound; b++) {
		for (k = 0; k < j && !reads_label(a, &all[k], m->w->bound[b]); k++)
			;
		if (k == j)
			return NIL;
	}
	if (!rat_from_double(&r, c))
		return NIL;
	two[0] = slot_of_work(a, work_like(a, m->w, C_EIN, j, all), r);
	for (i = 0; i < n; i++)
		v[i] = t->v[i] - c;
	t->v = v;
	two[1] = slot_of_work(a, work_like(a, m->w, C_EIN, m->w->nslot, m->w->slot), RAT_ONE);
	w = work_like(a, m->w, C_SUM, 2, two);
	w->nbound = 0;
	return work_result(a, w);
}

/* S16: a table that holds one number but for a place at most along a summed run is that number and a one-hot. */
eg_id prim_background(algebra *a, eg_id n)
{
	label *bl[128], *mine[128];
	int nb, nm = 0, i;
	struct runs r;
	struct grid g;
	masked m;
	double c;

	if (!masked_open(a, n, &m) || m.w->nslot < 2)
		return NIL;
	nb = bound_leaves(m.w, bl, 128);
	for (i = 0; i < nb; i++)
		if (find(bl[i], m.w->slot[m.tab].nl, m.w->slot[m.tab].l) >= 0)
			mine[nm++] = bl[i];
	find_runs(m.w, nm, mine, &r);
	for (i = 0; i < r.n; i++) {
		grid_of(a, &m.w->slot[m.tab], r.len[i], r.l[i], &g);
		if (g.size < 3 || isnan(c = background(&g)))
			continue;
		if (!all_finite(a, m.w))
			return refuse(a, "zero times a tensor that may be infinite");
		return beside_background(a, &m, c);
	}
	return NIL;
}

static bool is_zero(algebra *a, const slot *t)
{
	number v;

	return slot_number(a, t, &v) && number_is_rat(v) && !v.r.num;
}

/* Factor k is select(K, x, y), K constant: the branches, and K with them as `in`. */
static work *open_choice(algebra *a, eg_id n, int k, slot **in)
{
	eg_id o = peek(a, eg_args(a->g, n)[k]);
	work *w;
	slot mask;
	int ni;

	if (core_kind(a, o) != C_MAP || strcmp(core_fn(a, o), "select") || core_coef(a, n, k).num != 1 || !normal_opens(a, o, n))
		return NULL;
	w = work_open(a, n);
	*in = work_inline(a, o, w->slot[k].e, w, &ni);
	if (!slot_table_values(a, &(*in)[0], &mask))
		return NULL;
	opened(a, w->slot[k].x, o);
	(*in)[0] = mask;
	(*in)[0].c = (*in)[1].c = (*in)[2].c = RAT_ONE;
	return w;
}

/* The contraction over the places where branch b is chosen, all but factor k as they are; NULL with a reason.  Where no
 * place counts, or the branch is 0 and the others are finite, *none. */
static work *chosen_part(algebra *a, const work *w, int k, slot *in, int b, bool *none)
{
	slot *fs = ARENA_ARRAY(&a->s.a, slot, w->nslot + 1);
	label *bl[128], *mine[128];
	int64_t *hits, nh, c;
	struct grid g;
	work *part;
	int i, nb, nm = 0;

	*none = is_zero(a, &in[b]);
	for (i = 0; i < w->nslot && *none; i++)
		if (i != k && !slot_finite_power(a, &w->slot[i]))
			return refuse(a, "zero times a tensor that may be infinite"), NULL;
	memcpy(fs, w->slot, sizeof *fs * (size_t)w->nslot);
	fs[k] = in[b];
	fs[w->nslot] = in[0];
	part = work_like(a, w, C_EIN, w->nslot + 1, fs);
	work_settle(a, part);
	nb = bound_leaves(part, bl, 128);
	for (i = 0; i < nb; i++)
		if (find(bl[i], part->slot[w->nslot].nl, part->slot[w->nslot].l) >= 0)
			mine[nm++] = bl[i];
	grid_of(a, &part->slot[w->nslot], nm, mine, &g);
	if (g.nrest)
		return refuse(a, "the places that count differ"), NULL;
	for (c = 0; b == 2 && c < g.size; c++)
		g.v[c] = !g.v[c];
	nh = column_hits(a, &g, &hits);
	part->nslot--;
	*none = *none || !nh;
	if (!*none)
		run_over(a, part, nm, mine, nh, hits, nb, bl);
	return part;
}

/* N22 of a choice: sum_s f[s] select(K(s), x[s], y[s]) is the sum of f x over the places where K holds and that of f y
 * over the others, whatever may be infinite. */
static eg_id chosen_places(algebra *a, const work *w, int k, slot *in)
{
	work *part[2];
	bool none[2];
	slot t[2];
	int b;

	for (b = 0; b < 2; b++)
		if (!(part[b] = chosen_part(a, w, k, in, b + 1, &none[b])))
			return NIL;
	if (none[0] && none[1])
		return result_number(a, w, RAT_ZERO);
	if (none[0] || none[1])
		return work_result(a, part[none[0]]);
	for (b = 0; b < 2; b++)
		t[b] = slot_of_work(a, part[b], RAT_ONE);
	part[0] = work_like(a, w, C_SUM, 2, t);
	part[0]->nbound = 0;
	return work_result(a, part[0]);
}

eg_id prim_chosen(algebra *a, eg_id n)
{
	eg_id r = NIL;
	slot *in;
	work *w;
	int k;

	if (!(operand_kinds(a, n) & 1u << C_MAP) || !type_is_float(core_type(a, n)))
		return NIL;
	for (k = 0; k < pairing_read(a, n).nslot && r == NIL; k++)
		if ((w = open_choice(a, n, k, &in)))
			r = chosen_places(a, w, k, in);
	return r;
}

/* ---- N25 */

/* Labels a slot uses other than linearly. */
int slot_bent(algebra *a, const slot *t, label **out, int max)
{
	const bent_ranges *b;
	int i, j, q, n = 0;
	const ix *e;

	if (t->x == NIL)
		return 0;
	e = ix_norm(&a->s, t->e);
	for (i = 0; i < e->ntab; i++)
		for (j = 0; j < e->tab[i].nl && n < max; j++)
			if (find(e->tab[i].l[j], n, out) < 0)
				out[n++] = e->tab[i].l[j];
	b = core_bent(a, peek(a, t->x));
	for (i = 0; i < e->nt; i++)
		for (q = 0; q < b->n && n < max; q++) {
			int64_t lo = llabs(e->t[i].s), hi = lo * e->t[i].l->n;
			if (lo < b->hi[q] && hi > b->lo[q] && find(e->t[i].l, n, out) < 0)
				out[n++] = e->t[i].l;
		}
	return n;
}

static bool meets(int n, label *const *x, int m, label *const *y)
{
	int i;

	for (i = 0; i < n; i++)
		if (find(x[i], m, y) >= 0)
			return true;
	return false;
}

static double mask_differs(double x, double y)
{
	return x != y;
}

static bool exact_zero(const slot *t)
{
	int64_t n = slot_cells(t), i;

	for (i = 0; i < n; i++)
		if (t->v[i] != 0)
			return false;
	return true;
}

/* v = co.x + b on the places of `hit`; false when it is not linear there. */
static bool fit_linear(int nq, label *const *q, const int64_t *v, const bool *hit, int64_t len, int64_t *co, int64_t *b)
{
	double M[8][9];
	int i, j, k, n = nq + 1;
	int64_t p, x[8], w;

	if (n > 8)
		return false;
	memset(M, 0, sizeof M);
	for (p = 0; p < len; p++) {
		if (!hit[p])
			continue;
		for (w = len, i = 0; i < nq; i++) {
			w /= q[i]->n;
			x[i] = p / w % q[i]->n;
		}
		x[nq] = 1;
		for (i = 0; i < n; i++) {
			for (j = 0; j < n; j++)
				M[i][j] += (double)x[i] * (double)x[j];
			M[i][n] += (double)x[i] * (double)v[p];
		}
	}
	for (i = 0; i < n; i++) {	/* a label that does not vary at the hits gets slope 0 */
		for (k = i, j = i + 1; j < n; j++)
			if (fabs(M[j][i]) > fabs(M[k][i]))
				k = j;
		if (fabs(M[k][i]) < 1e-6) {
			memset(M[i], 0, sizeof M[i]);
			M[i][i] = 1;
			continue;
		}
		for (j = 0; j <= n && k != i; j++) {
			double t = M[i][j];
			M[i][j] = M[k][j];
			M[k][j] = t;
		}
		for (k = 0; k < n; k++) {
			double f;
			if (k == i)
				continue;
			f = M[k][i] / M[i][i];
			for (j = i; j <= n; j++)
				M[k][j] -= f * M[i][j];
		}
	}
	for (i = 0; i < n; i++) {
		double s = M[i][n] / M[i][i];
		if (!(fabs(s) < 1e15))
			return false;
		if (i < nq)
			co[i] = (int64_t)llrint(s);
		else
			*b = (int64_t)llrint(s);
	}
	for (p = 0; p < len; p++) {
		int64_t y = *b;
		if (!hit[p])
			continue;
		for (w = len, i = 0; i < nq; i++) {
			w /= q[i]->n;
			y += co[i] * (p / w % q[i]->n);
		}
		if (y != v[p])
			return false;
	}
	return true;
}

/* The places of table q's labels at which mask t is not zero for some value of its other labels. */
static bool *mask_on(algebra *a, const slot *t, const ix_table_part *q, int64_t *count)
{
	bool *hit = arena_zalloc(&a->s.a, (size_t)q->len);
	int64_t i, w;
	int k, nu = 0;
	label **u = ARENA_ARRAY(&a->s.a, label *, t->nl + q->nl);
	int64_t *at, *to, total;

	for (k = 0; k < t->nl; k++)
		u[nu++] = t->l[k];
	for (k = 0; k < q->nl; k++)
		if (find(q->l[k], nu, u) < 0)
			u[nu++] = q->l[k];
	total = grid_size(&a->s, nu, u);
	at = grid_places(&a->s, nu, u, t->nl, t->l);
	to = grid_places(&a->s, nu, u, q->nl, q->l);
	for (i = 0; i < total; i++)
		if (t->v[at[i]] != 0)
			hit[to[i]] = true;
	for (*count = 0, w = 0; w < q->len; w++)
		*count += hit[w];
	return hit;
}

/* An index whose table is linear wherever the mask counts is linear there; in range elsewhere (else a shift is noted). */
static ix *straight(algebra *a, const ix *e, int64_t len, const slot *mask, shifts *sh)
{
	int i, k;

	e = ix_norm(&a->s, e);
	for (i = 0; i < e->ntab; i++) {
		const ix_table_part *q = &e->tab[i];
		int64_t co[8], b = 0, cnt, lo, hi;
		bool *hit, data = false;
		ix *new;
		for (k = 0; k < q->nl; k++)
			data = data || q->l[k]->data;
		if (data || !meets(q->nl, q->l, mask->nl, mask->l) || q->nl > 7)
			continue;
		hit = mask_on(a, mask, q, &cnt);
		if (cnt < 1 || cnt == q->len || !fit_linear(q->nl, q->l, q->v, hit, q->len, co, &b))
			continue;
		new = ARENA_NEW(&a->s.a, ix);
		*new = *e;
		new->tab = ARENA_ARRAY(&a->s.a, ix_table_part, e->ntab);
		new->ntab = 0;
		for (k = 0; k < e->ntab; k++)
			if (k != i)
				new->tab[new->ntab++] = e->tab[k];
		new = ix_plus(&a->s, new, b);
		for (k = 0; k < q->nl; k++)
			new = ix_add(&a->s, new, ix_of(&a->s, q->l[k], co[k]));
		new = ix_norm(&a->s, new);
		ix_range(&a->s, new, &lo, &hi);
		if (lo >= 0 && hi < len)
			return straight(a, new, len, mask, sh);
		if (sh && sh->n < 8) {
			sh->nq[sh->n] = q->nl;
			for (k = 0; k < q->nl; k++) {
				sh->q[sh->n][k] = q->l[k];
				sh->co[sh->n][k] = co[k];
			}
			sh->n++;
		}
	}
	return (ix *)e;
}

/* What N25 does to a factor: labels are read where they count (`from` at `to`), and index tables become linear. */
struct under {
	const slot *mask;
	int n;
	label *from[128];
	ix *to[128];
	bool single[128];	/* one place counts: read there, whatever the factor */
	shifts *sh;		/* or NULL */
	int visits;
	eg_id node;		/* the rule fires on it */
};

enum { VISITS = 400 };

static bool concerns(algebra *a, const slot *t, const struct under *u)
{
	label *bent[64];
	int i, m = slot_bent(a, t, bent, 64);

	if (meets(m, bent, u->mask->nl, u->mask->l))
		return true;
	for (i = 0; i < u->n; i++)
		if (u->single[i] && ix_reads(t->e, u->from[i]))
			return true;
	return false;
}

static bool under_atom(algebra *a, slot *t, const struct under *u, eg_id o)
{
	ix *e = ix_norm(&a->s, ix_subst(&a->s, t->e, u->n, (label **)u->from, (ix **)u->to));
	slot x = *t, was, now;

	if (core_kind(a, o) == C_NUMBER)
		return false;
	if (core_kind(a, o) == C_TABLE) {	/* the same values: nothing has changed */
		if (ix_equal(&a->s, e, t->e))
			return false;
		x.e = e;
		if (!slot_table_values(a, t, &was) || !slot_table_values(a, &x, &now))
			return false;
		was = tables_zip(a, &was, &now, mask_differs, TYPE_REAL);
		if (exact_zero(&was))
			return false;
		t->e = e;
		return true;
	}
	e = straight(a, e, core_len(a, o), u->mask, u->sh);
	if (ix_equal(&a->s, e, t->e))
		return false;
	t->e = e;
	return true;
}

/* Changes a factor down to its atoms; false when nothing is read anew. */
static bool under_factor(algebra *a, slot *t, struct under *u)
{
	eg_id o = peek(a, t->x);
	label **l, **fr;
	slot *in;
	work *w;
	int m, k, nf = 0;
	bool changed = false;

	if (core_atom(a, o))
		return under_atom(a, t, u, o);
	if (!concerns(a, t, u) || !normal_opens(a, o, u->node) || core_kind(a, o) == C_VIEW)
		return false;
	if (--u->visits < 0)
		stuck(&a->s, "more than %d expressions under a mask", VISITS);
	m = slot_labels(a, t, &l);
	fr = ARENA_ARRAY(&a->s.a, label *, m);
	for (k = 0; k < m; k++)
		if (!l[k]->data)
			fr[nf++] = l[k];
	w = work_new(a, core_kind(a, o), core_type(a, o), eg_narg(a->g, o));
	work_set_free(a, w, nf, fr);
	in = work_inline(a, o, t->e, w, &m);
	for (k = 0; k < m; k++)
		changed |= under_factor(a, &in[k], u);
	if (!changed)
		return false;
	opened(a, t->x, o);
	w->nslot = m;
	w->slot = in;
	if (w->kind == C_MAP || w->kind == C_RED || w->kind == C_LAT || w->kind == C_PICK)
		w->fn = node_val(a, o, 2);
	*t = slot_of_work(a, w, t->c);
	return true;
}

/* Places that never count along a run are to be read at the nearest one that does. */
static void places_that_count(algebra *a, masked *m, struct under *u)
{
	work *w = m->w;
	const slot *t = &w->slot[m->tab];
	label *bent[64];
	int i, k, j;
	struct runs r;

	find_runs(w, t->nl, t->l, &r);
	for (i = 0; i < r.n; i++) {
		struct grid g;
		int64_t c, row, *at, cnt = 0, wgt = 1;
		bool *hit, bends = false;
		label *one[1];
		ix **e, *num = ix_const(&a->s, 0);
		grid_of(a, t, r.len[i], r.l[i], &g);
		at = ARENA_ARRAY(&a->s.a, int64_t, g.size);
		hit = ARENA_ARRAY(&a->s.a, bool, g.size);
		for (c = 0; c < g.size; c++) {
			for (row = 0; row < g.rows && g.v[row * g.size + c] == 0; row++)
				;
			hit[c] = row < g.rows;
			cnt += hit[c];
			at[c] = c;
		}
		if (cnt == g.size || cnt == 0)
			continue;
		for (k = 0; k < w->nslot && !bends; k++) {
			if (w->slot[k].x == NIL)
				continue;
			j = slot_bent(a, &w->slot[k], bent, 64);
			bends = meets(j, bent, r.len[i], r.l[i]);
		}
		if (!(bends && !a->searching) && cnt != 1)
			continue;
		fill_row(g.size, at, hit);
		one[0] = label_new(&a->s, g.size);
		e = run_digits(a, 1, one, g.size, at, r.len[i], r.l[i]);
		for (k = r.len[i] - 1; k >= 0; wgt *= r.l[i][k--]->n)	/* the run as one number in its own labels */
			num = ix_add(&a->s, num, ix_of(&a->s, r.l[i][k], wgt));
		for (k = 0; k < r.len[i] && u->n < 128; k++) {
			u->from[u->n] = r.l[i][k];
			u->to[u->n] = ix_subst(&a->s, e[k], 1, one, &num);
			u->single[u->n++] = cnt == 1;
		}
	}
}

/* N25: under a mask, what is piecewise is read where it counts, and index tables that are linear there are linear. */
eg_id prim_under(algebra *a, eg_id n)
{
	masked m;
	int k;
	bool changed = false;
	struct under *u;

	if (!masked_open(a, n, &m) || m.w->nslot < 2)
		return NIL;
	u = ARENA_NEW(&a->s.a, struct under);
	if (!all_finite(a, m.w))
		return refuse(a, "zero times a tensor that may be infinite");
	u->mask = &m.w->slot[m.tab];
	u->visits = VISITS;
	u->node = n;
	places_that_count(a, &m, u);
	for (k = 0; k < m.w->nslot; k++)
		if (k != m.tab)
			changed |= under_factor(a, &m.w->slot[k], u);
	return changed ? work_result(a, m.w) : NIL;
}

/* ---- N8: a shift under a mask */

/* sum_s K(a, s) F(s, s + T(a)): s is replaced by v - T(a), held inside its range where K is zero anyway. */
static eg_id shift_by(algebra *a, masked *m, const shifts *sh, int which, int nrun, label *const *run, int nb, label *const *bl)
{
	const slot *t = &m->w->slot[m->tab];
	label *rest[16], *fresh, **left;
	int64_t co[16], one = 0, k = 1, *sv, r, c, lo = INT64_MAX, hi = INT64_MIN, n;
	int nr = 0, i, j;
	struct grid g;
	ix **e, *pos;
	double *K;
	label **l;

	for (i = 0; i < sh->nq[which]; i++) {
		j = find(sh->q[which][i], nrun, run);
		if (j >= 0) {
			if (j == nrun - 1)
				one = sh->co[which][i];
		} else if (sh->co[which][i]) {
			rest[nr] = sh->q[which][i];
			co[nr++] = sh->co[which][i];
		}
	}
	if (!one || !nr)
		return NIL;
	for (j = nrun - 1; j >= 0; j--) {	/* the whole run moves with the same step */
		i = find(run[j], sh->nq[which], sh->q[which]);
		if (i < 0 || sh->co[which][i] != one * k)
			return NIL;
		k *= run[j]->n;
	}
	for (i = 0; i < nr; i++)
		if (co[i] % one || find(rest[i], nb, bl) >= 0 || find(rest[i], t->nl, t->l) < 0)
			return NIL;
	grid_of(a, t, nrun, run, &g);
	if (data_reads(a, g.nrest, g.rest, nrun, run))
		return NIL;
	sv = ARENA_ARRAY(&a->s.a, int64_t, g.rows);
	for (r = 0; r < g.rows; r++) {
		int64_t w = g.rows;
		sv[r] = 0;
		for (i = 0; i < g.nrest; i++) {
			w /= g.rest[i]->n;
			j = find(g.rest[i], nr, rest);
			if (j >= 0)
				sv[r] += co[j] / one * (r / w % g.rest[i]->n);
		}
		for (c = 0; c < g.size; c++)
			if (g.v[r * g.size + c] != 0) {
				lo = c + sv[r] < lo ? c + sv[r] : lo;
				hi = c + sv[r] > hi ? c + sv[r] : hi;
			}
	}
	if (hi < lo)
		return NIL;
	n = hi - lo + 1;
	if (g.rows * n > TABLE_MAX)
		stuck(&a->s, "a table of %lld entries would be needed", (long long)(g.rows * n));
	K = arena_zalloc(&a->s.a, sizeof *K * (size_t)(g.rows * n));
	fresh = label_new(&a->s, n);
	fresh->bound = true;
	{
		int64_t *pv = ARENA_ARRAY(&a->s.a, int64_t, g.rows * n);
		for (r = 0; r < g.rows; r++)
			for (c = 0; c < n; c++) {
				int64_t back = c + lo - sv[r];
				if (back >= 0 && back < g.size)
					K[r * n + c] = g.v[r * g.size + back];
				pv[r * n + c] = back < 0 ? 0 : back >= g.size ? g.size - 1 : back;
			}
		l = ARENA_ARRAY(&a->s.a, label *, g.nrest + 1);
		memcpy(l, g.rest, sizeof *l * (size_t)g.nrest);
		l[g.nrest] = fresh;
		pos = ix_table(&a->s, g.nrest + 1, l, pv);
	}
	{	/* digits of the run at that position */
		int64_t size[16];
		for (j = 0; j < nrun; j++)
			size[j] = run[j]->n;
		e = ix_digits(&a->s, pos, nrun, size);
	}
	subst_all(a, m->w, m->tab, nrun, (label **)run, e);
	m->w->slot[m->tab] = slot_table(TYPE_REAL, g.nrest + 1, l, K, RAT_ONE);
	left = ARENA_ARRAY(&a->s.a, label *, nb + 1);
	i = without(nb, bl, nrun, run, left);
	left[i++] = fresh;
	work_set_bound(a, m->w, i, left);
	return work_result(a, m->w);
}

/* A factor before k-th that reads the run as it stands would be shifted in its turn, and the two shifts undo each other. */
static bool read_before(algebra *a, const masked *m, const int *at, int nat, int k, int nrun, label *const *run)
{
	int i, j;

	for (j = 0; j < k; j++) {
		for (i = 0; i < nat && at[i] != j; i++)
			;
		if (j == m->tab || i < nat)
			continue;
		for (i = 0; i < nrun; i++)
			if (reads_label(a, &m->w->slot[j], run[i]))
				return true;
	}
	return false;
}

eg_id prim_shift_mask(algebra *a, eg_id n)
{
	masked m;
	label *bl[128], *mine[128];
	int nb, nm = 0, i, k, at[8];
	shifts sh = { 0 };
	struct runs r;
	struct under *u;

	if (!masked_open(a, n, &m))
		return NIL;
	u = ARENA_NEW(&a->s.a, struct under);
	nb = bound_leaves(m.w, bl, 128);
	for (i = 0; i < nb; i++)
		if (find(bl[i], m.w->slot[m.tab].nl, m.w->slot[m.tab].l) >= 0)
			mine[nm++] = bl[i];
	if (!nm || !all_finite(a, m.w))
		return NIL;
	u->mask = &m.w->slot[m.tab];
	u->sh = &sh;
	u->visits = VISITS;
	u->node = n;
	for (k = 0; k < m.w->nslot; k++) {
		slot t = m.w->slot[k];
		if (k == m.tab)
			continue;
		i = sh.n;
		under_factor(a, &t, u);
		for (; i < sh.n; i++)
			at[i] = k;
	}
	if (!sh.n)
		return NIL;
	find_runs(m.w, nm, mine, &r);
	for (k = 0; k < sh.n; k++)
		for (i = 0; i < r.n; i++) {
			eg_id res;
			if (read_before(a, &m, at, sh.n, at[k], r.len[i], r.l[i]))
				continue;
			res = shift_by(a, &m, &sh, k, r.len[i], r.l[i], nb, bl);
			if (res != NIL)
				return res;
		}
	return NIL;
}

/* ---- N7: a shift inside one index */

bool index_bends(const algebra *a, eg_id n)
{
	pairing p = pairing_read(a, n);
	const int64_t *at = p.word;
	pair_expr x;
	int k;

	for (k = 0; k < p.nslot; k++) {
		at = pairing_expr(&p, at, &x);
		if (x.ntab)
			return true;
	}
	return false;
}

/* sum_s K(a, s) x[c s + c T(a)] = sum_s' K(a, s' - T(a)) x[c s'] */
eg_id prim_shift(algebra *a, eg_id n)
{
	masked m;
	label *bl[128];
	int nb, i, k, j, q;

	if (!index_bends(a, n) || !open_masked(a, n, &m, false))
		return NIL;
	nb = bound_leaves(m.w, bl, 128);
	for (i = 0; i < nb; i++) {
		label *s = bl[i], **u, **v, **left, *fresh;
		int uses = 0, where = -1, nu = 0, nv, ntake = 0;
		int64_t c, cnt, lo = INT64_MAX, hi = INT64_MIN, *off, len, r, x, rows;
		ix *e, *rest;
		bool ok = true, chunks = true;
		slot one, *t;
		double *K, unit = 1;
		struct grid g;
		label *run[1] = { s };
		for (k = 0; k < m.w->nslot; k++)
			if (k != m.tab && reads_label(a, &m.w->slot[k], s)) {
				uses++;
				where = k;
			}
		if (uses != 1 || m.w->slot[where].c.num != 1)
			continue;
		e = ix_norm(&a->s, m.w->slot[where].e);
		c = ix_stride(e, s);
		if (!c)
			continue;
		rest = ARENA_NEW(&a->s.a, ix);
		*rest = *e;
		rest->tab = ARENA_ARRAY(&a->s.a, ix_table_part, e->ntab);
		rest->ntab = 0;
		u = ARENA_ARRAY(&a->s.a, label *, 64);
		one = slot_read(0, ix_const(&a->s, 0), RAT_ONE);
		for (k = 0; k < e->ntab && ok; k++) {
			const ix_table_part *p = &e->tab[k];
			bool fits = true;
			for (x = 0; x < p->len && fits; x++)
				fits = p->v[x] % c == 0;
			for (j = 0; j < p->nl; j++) {
				if (p->l[j] == s)
					ok = false;
				fits = fits && !p->l[j]->data && find(p->l[j], nb, bl) < 0 && !ix_stride(e, p->l[j]);
			}
			if (!fits) {
				rest->tab[rest->ntab++] = *p;
				continue;
			}
			ntake++;
			for (j = 0; j < p->nl && nu < 60; j++)
				if (find(p->l[j], nu, u) < 0)
					u[nu++] = p->l[j];
			{
				ix *add = ARENA_NEW(&a->s.a, ix);
				add->tab = (ix_table_part *)p;
				add->ntab = 1;
				one.e = ix_add(&a->s, one.e, add);
			}
		}
		for (k = 0; k < rest->ntab && ok; k++)
			ok = !meets(rest->tab[k].nl, rest->tab[k].l, nu, u);
		if (!ok || !ntake)
			continue;
		len = grid_size(&a->s, nu, u);
		off = ix_values(&a->s, one.e, nu, u);
		for (x = 0; x < len; x++) {
			off[x] /= c;
			lo = off[x] < lo ? off[x] : lo;
			hi = off[x] > hi ? off[x] : hi;
		}
		for (x = 0; x < len; x++)
			chunks = chunks && (off[x] - lo) % s->n == 0;
		if (chunks)
			continue;		/* whole chunks: a digit, not a shift */
		cnt = s->n + hi - lo;
		t = m.tab >= 0 ? &m.w->slot[m.tab] : NULL;
		{	/* K over (u, the table's other labels; s) */
			slot full = slot_table(TYPE_REAL, nu, u, ARENA_ARRAY(&a->s.a, double, len), RAT_ONE), own;
			for (x = 0; x < len; x++)
				full.v[x] = 1;
			own = slot_table(TYPE_REAL, 0, NULL, &unit, RAT_ONE);
			full = tables_zip(a, &full, t ? t : &own, mask_times, TYPE_REAL);
			if (find(s, full.nl, full.l) < 0) {
				slot line = slot_table(TYPE_REAL, 1, run, ARENA_ARRAY(&a->s.a, double, s->n), RAT_ONE);
				for (x = 0; x < s->n; x++)
					line.v[x] = 1;
				full = tables_zip(a, &full, &line, mask_times, TYPE_REAL);
			}
			grid_of(a, &full, 1, run, &g);
		}
		rows = g.rows;
		if (rows * cnt > TABLE_MAX)
			stuck(&a->s, "a table of %lld entries would be needed", (long long)(rows * cnt));
		if (data_reads(a, g.nrest, g.rest, 1, run))
			continue;
		if (m.tab < 0)
			for (k = 0; k < m.w->nslot; k++)
				if (!slot_finite_power(a, &m.w->slot[k]))
					return refuse(a, "zero times a tensor that may be infinite");
		if (m.tab >= 0 && !all_finite(a, m.w))
			return refuse(a, "zero times a tensor that may be infinite");
		fresh = label_new(&a->s, cnt);
		fresh->bound = true;
		K = arena_zalloc(&a->s.a, sizeof *K * (size_t)(rows * cnt));
		for (r = 0; r < rows; r++) {
			int64_t pu = 0, w = rows, shift;
			int64_t *at = ARENA_ARRAY(&a->s.a, int64_t, g.nrest);
			for (j = 0; j < g.nrest; j++) {
				w /= g.rest[j]->n;
				at[j] = r / w % g.rest[j]->n;
			}
			for (j = 0; j < nu; j++)
				pu = pu * u[j]->n + at[find(u[j], g.nrest, g.rest)];
			shift = off[pu];
			for (x = 0; x < cnt; x++) {
				int64_t back = x + lo - shift;
				if (back >= 0 && back < s->n)
					K[r * cnt + x] = g.v[r * s->n + back];
			}
		}
		v = ARENA_ARRAY(&a->s.a, label *, g.nrest + 1);
		memcpy(v, g.rest, sizeof *v * (size_t)g.nrest);
		v[g.nrest] = fresh;
		nv = g.nrest + 1;
		{	/* the index: c s' + what is left */
			ix *b = ix_plus(&a->s, rest, c * lo);
			ix *z = ix_const(&a->s, 0);
			label *f2[1] = { s };
			b = ix_subst(&a->s, b, 1, f2, &z);
			m.w->slot[where].e = ix_norm(&a->s, ix_add(&a->s, b, ix_of(&a->s, fresh, c)));
		}
		one = slot_table(TYPE_REAL, nv, v, K, RAT_ONE);
		if (m.tab >= 0) {
			m.w->slot[m.tab] = one;
		} else {
			slot *fs = ARENA_ARRAY(&a->s.a, slot, m.w->nslot + 1);
			memcpy(fs, m.w->slot, sizeof *fs * (size_t)m.w->nslot);
			fs[m.w->nslot] = one;
			m.w->slot = fs;
			m.w->nslot++;
		}
		left = ARENA_ARRAY(&a->s.a, label *, nb + 1);
		q = without(nb, bl, 1, run, left);
		left[q++] = fresh;
		work_set_bound(a, m.w, q, left);
		{	/* read outside of x nowhere that counts; held inside elsewhere */
			int64_t l2, h2, xl = core_len(a, m.w->slot[where].x);
			ix_range(&a->s, m.w->slot[where].e, &l2, &h2);
			if (l2 < 0 || h2 >= xl)
				return refuse(a, "the shift leaves its range");
		}
		return work_result(a, m.w);
	}
	return NIL;
}

double mask_times(double x, double y)
{
	return x * y;
}

bool reads_label(algebra *a, const slot *t, const label *l)
{
	label **x;
	int n = slot_labels(a, t, &x);

	return find(l, n, x) >= 0;
}

/* ---- N6: summed labels that only choose among the values of one index expression */

static int cmp64(const void *x, const void *y)
{
	int64_t a = *(const int64_t *)x, b = *(const int64_t *)y;

	return a < b ? -1 : a > b;
}

/* sum_q F(T(q, rest)) = m * sum over the values of T, when each is taken m times whatever rest is. */
eg_id prim_reindex(algebra *a, eg_id n)
{
	enum core_kind kind = core_kind(a, n);
	bool idem = kind == C_RED && strcmp(core_fn(a, n), "multiply");
	work *w = work_open(a, n);
	label *bl[128];
	int nb, j, k, i, q;

	work_settle(a, w);
	nb = bound_leaves(w, bl, 128);
	for (j = 0; j < w->nslot; j++) {
		const ix *e = w->slot[j].e;
		for (k = 0; e && k < e->ntab; k++) {
			const ix_table_part *p = &e->tab[k];
			label *Q[16], *rest[16], *fresh, **left;
			int nq = 0, nr = 0;
			int64_t rows, cols, *v, *first, r, c, nv = 0, mult = 0, base, g = 0, *vals;
			bool ok = true, data = false, affine = true;
			for (i = 0; i < p->nl; i++) {
				data = data || p->l[i]->data;
				if (nq < 16 && nr < 16) {
					if (find(p->l[i], nb, bl) >= 0)
						Q[nq++] = p->l[i];
					else
						rest[nr++] = p->l[i];
				}
			}
			if (!nq || data || p->nl > 16)
				continue;
			rows = grid_size(&a->s, nr, rest);
			cols = grid_size(&a->s, nq, Q);
			v = ARENA_ARRAY(&a->s.a, int64_t, rows * cols);
			for (r = 0; r < rows * cols; r++) {
				int64_t at = 0, rr = r / cols, cc = r % cols;
				for (i = 0; i < p->nl; i++) {
					int x = find(p->l[i], nq, Q), y = find(p->l[i], nr, rest), z;
					int64_t st = 1;
					if (x >= 0)
						for (z = x + 1; z < nq; z++)
							st *= Q[z]->n;
					else
						for (z = y + 1; z < nr; z++)
							st *= rest[z]->n;
					at = at * p->l[i]->n + (x >= 0 ? cc : rr) / st % p->l[i]->n;
				}
				v[r] = p->v[at];
			}
			for (r = 0; r < rows; r++)
				qsort(v + r * cols, (size_t)cols, sizeof *v, cmp64);
			first = v;
			for (r = 1; r < rows && ok; r++)
				ok = !memcmp(first, v + r * cols, sizeof *v * (size_t)cols);
			if (!ok) {
				refuse(a, "the values taken differ between devices");
				continue;
			}
			vals = ARENA_ARRAY(&a->s.a, int64_t, cols);
			for (c = 0; c < cols; ) {
				int64_t d = c;
				while (d < cols && first[d] == first[c])
					d++;
				if (nv && d - c != mult)
					ok = false;
				mult = d - c;
				vals[nv++] = first[c];
				c = d;
			}
			if (!ok && !idem)
				continue;
			base = vals[0];
			for (c = 0; c < nv; c++)
				for (r = vals[c] - base; r; ) {
					int64_t t = g ? r % g : 0;
					if (!g) {
						g = r;
						break;
					}
					r = t ? (t < g ? t : g) : 0;
					if (t) {
						int64_t x = g;
						while (t) {
							int64_t y = x % t;
							x = t;
							t = y;
						}
						g = x;
						r = 0;
					}
				}
			if (!g)
				g = 1;
			for (c = 0; c < nv; c++)
				affine = affine && vals[c] == base + g * c;
			if (p->nl == 1 && !affine)
				continue;	/* nothing would be gained */
			/* every reading of Q must be through this very table, or a multiple of it */
			fresh = label_new(&a->s, nv);
			fresh->bound = true;
			{
				slot *fs = ARENA_ARRAY(&a->s.a, slot, w->nslot);
				int64_t *norm = ARENA_ARRAY(&a->s.a, int64_t, nv);
				for (c = 0; c < nv; c++)
					norm[c] = (vals[c] - base) / g;
				for (i = 0, ok = true; i < w->nslot && ok; i++) {
					const ix *b = w->slot[i].e;
					int x, mine = -1, count = 0;
					int64_t num = 0, den = 0, at;
					ix *ne;
					fs[i] = w->slot[i];
					if (w->slot[i].x == NIL) {
						ok = !meets(w->slot[i].nl, w->slot[i].l, nq, Q);
						continue;
					}
					for (x = 0; x < nq; x++)
						ok = ok && !ix_stride(b, Q[x]);
					for (x = 0; x < b->nt; x++)
						if (b->t[x].l->data && data_reads(a, 1, &b->t[x].l, nq, Q))
							ok = false;
					for (x = 0; x < b->ntab; x++)
						if (meets(b->tab[x].nl, b->tab[x].l, nq, Q)) {
							mine = x;
							count++;
						}
					if (!ok || !count)
						continue;
					if (count != 1 || b->tab[mine].nl != p->nl || b->tab[mine].len != p->len) {
						ok = false;
						continue;
					}
					for (x = 0; x < p->nl; x++)
						if (b->tab[mine].l[x] != p->l[x])
							ok = false;
					for (at = 0; at < p->len && ok; at++) {	/* r - r0 = k (p - p0) */
						int64_t dp = (p->v[at] - p->v[0]) / g, dr = b->tab[mine].v[at] - b->tab[mine].v[0];
						if (dp && !den) {
							num = dr;
							den = dp;
							ok = num % den == 0;
						}
					}
					if (!ok || !den) {
						ok = false;
						continue;
					}
					num /= den;
					for (at = 0; at < p->len && ok; at++)
						ok = b->tab[mine].v[at] - b->tab[mine].v[0] == num * ((p->v[at] - p->v[0]) / g);
					if (!ok)
						continue;
					ne = ARENA_NEW(&a->s.a, ix);
					*ne = *b;
					ne->tab = ARENA_ARRAY(&a->s.a, ix_table_part, b->ntab);
					ne->ntab = 0;
					for (x = 0; x < b->ntab; x++)
						if (x != mine)
							ne->tab[ne->ntab++] = b->tab[x];
					ne = ix_plus(&a->s, ne, b->tab[mine].v[0] - num * ((p->v[0] - base) / g));
					{
						label *one[1] = { fresh };
						ne = ix_add(&a->s, ne, ix_times(&a->s, ix_table(&a->s, 1, one, norm), num));
					}
					fs[i].e = ix_norm(&a->s, ne);
				}
				if (!ok)
					continue;
				w->slot = fs;
			}
			left = ARENA_ARRAY(&a->s.a, label *, nb + 1);
			q = without(nb, bl, nq, Q, left);
			if (nv > 1)
				left[q++] = fresh;
			work_set_bound(a, w, q, left);
			if (kind == C_EIN)
				return result_scaled(a, w, (rat){ mult, 1 });
			if (!idem && mult != 1)
				return NIL;
			return work_result(a, w);
		}
	}
	return NIL;
}

/* ---- a sum of a table alone */

/* The constant table that remains of a contraction that is nothing else. */
eg_id prim_table_sum(algebra *a, eg_id n)
{
	masked m;
	label *bl[128], *leftl[128];
	int nb, i, k = 0;
	const slot *t;
	double *v;
	struct grid g;
	int64_t r, c;

	if (pairing_read(a, n).nslot != 1 || !type_is_float(core_type(a, n)) || !masked_open(a, n, &m))
		return NIL;
	t = &m.w->slot[m.tab];
	nb = bound_leaves(m.w, bl, 128);
	for (i = 0; i < nb; i++)
		if (find(bl[i], t->nl, t->l) >= 0)
			leftl[k++] = bl[i];
	if (!k)
		return NIL;
	if (data_reads(a, t->nl, t->l, k, leftl))
		return NIL;
	grid_of(a, t, k, leftl, &g);
	v = arena_zalloc(&a->s.a, sizeof *v * (size_t)g.rows);
	for (r = 0; r < g.rows; r++)
		for (c = 0; c < g.size; c++)
			v[r] += g.v[r * g.size + c];
	if (!exact_values(g.rows, v))
		return refuse(a, "a sum of constants is not exact");
	m.w->slot[m.tab] = slot_table(TYPE_REAL, g.nrest, g.rest, v, RAT_ONE);
	{
		label *rest[128];
		i = without(nb, bl, k, leftl, rest);
		work_set_bound(a, m.w, i, rest);
	}
	return work_result(a, m.w);
}
