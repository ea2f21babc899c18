/* mask.c - a product with a constant table, taken apart, and what is asked about its labels (mask.h). */
#include "core/mask.h"

/* ---- taking apart */

/* n opened, its operand `tab` (-1: none) as a table of values where it is one. */
static bool open_with(algebra *a, eg_id n, int tab, masked *m)
{
	slot t;

	m->tab = -1;
	m->w = work_open(a, n);
	if (tab >= 0 && m->w->slot[tab].c.num == 1 && slot_table_values(a, &m->w->slot[tab], &t) && exact_values(slot_cells(&t), t.v)) {
		t.c = RAT_ONE;
		t.vtype = TYPE_REAL;
		m->w->slot[tab] = t;
		m->tab = tab;
	}
	work_settle(a, m->w);
	return m->tab >= 0;
}

/* False when the node holds several tables (they are joined first), or none where one is needed. */
static bool open_masked(algebra *a, eg_id n, masked *m, bool table_needed)
{
	const eg_id *arg = eg_args(a->g, n);
	pairing p = pairing_read(a, n);
	int k, found = -1;

	m->tab = -1;
	for (k = 0; k < p.nslot; k++) {
		if (core_kind(a, peek(a, arg[k])) != C_TABLE)
			continue;
		if (found >= 0)
			return false;	/* they are joined first (N16) */
		found = k;
	}
	if (found < 0 && table_needed)
		return false;
	return open_with(a, n, found, m) || !table_needed;
}

bool masked_open(algebra *a, eg_id n, masked *m)
{
	return open_masked(a, n, m, true);
}

bool masked_open_any(algebra *a, eg_id n, masked *m)
{
	return open_masked(a, n, m, false);
}

bool tables_fit(algebra *a, int n, const slot *t)
{
	label **l = ARENA_ARRAY(&a->s.a, label *, LEAVES), **own;
	int i, j, k = 0, m;

	for (i = 0; i < n; i++) {
		m = slot_labels(a, &t[i], &own);
		for (j = 0; j < m; j++)
			k = label_collect(&a->s, l, k, LEAVES, own[j]);
	}
	return grid_fits(k, l);
}

/* Would the tables of n, as one, be too large? */
static bool tables_apart(algebra *a, eg_id n, int ntab, const int *tab)
{
	const work *w = work_open(a, n);
	slot *t = ARENA_ARRAY(&a->s.a, slot, ntab);
	int i;

	for (i = 0; i < ntab; i++)
		t[i] = w->slot[tab[i]];
	return !tables_fit(a, ntab, t);
}

int masked_apart(algebra *a, eg_id n, masked *m, int max)
{
	const eg_id *arg = eg_args(a->g, n);
	pairing p = pairing_read(a, n);
	int k, ntab = 0, nm = 0, tab[8];

	for (k = 0; k < p.nslot && ntab < 8; k++)
		if (core_kind(a, peek(a, arg[k])) == C_TABLE)
			tab[ntab++] = k;
	if (ntab < 2 || !tables_apart(a, n, ntab, tab))
		return 0;
	for (k = 0; k < ntab && nm < max; k++)
		nm += open_with(a, n, tab[k], &m[nm]);
	return nm;
}

eg_id masked_each(algebra *a, eg_id n, masked_fn *fn)
{
	masked m[8];
	int k, ntab = masked_open(a, n, m) ? 1 : masked_apart(a, n, m, 8);
	eg_id r;

	for (k = 0; k < ntab; k++)
		if ((r = fn(a, n, &m[k])) != NIL)
			return r;
	return NIL;
}

bool slots_finite(algebra *a, int n, const slot *t)
{
	int k;

	for (k = 0; k < n; k++)
		if (!slot_finite_power(a, &t[k]))
			return false;
	return true;
}

void work_subst(algebra *a, work *w, int skip, int n, label **from, ix **to)
{
	int k;

	for (k = 0; k < w->nslot; k++)
		if (k != skip && w->slot[k].x != NIL)
			w->slot[k].e = ix_subst(&a->s, w->slot[k].e, n, from, to);
}

void work_count_by(algebra *a, work *w, int nb, label *const *bl, int ngone, label *const *gone, label *by)
{
	label **left = ARENA_ARRAY(&a->s.a, label *, nb + 1);
	int n = labels_without(nb, bl, ngone, gone, left);

	if (by->n > 1)
		left[n++] = by;
	work_set_bound(a, w, n, left);
}

bool any_nonzero(const slot *t)
{
	int64_t n = slot_cells(t), i;

	for (i = 0; i < n; i++)
		if (t->v[i] != 0)
			return true;
	return false;
}

int index_tables(const work *w, int64_t *cells)
{
	int i, j, n = 0;

	*cells = 0;
	for (i = 0; i < w->nslot; i++)
		for (j = 0; w->slot[i].e && j < w->slot[i].e->ntab; j++, n++)
			*cells += w->slot[i].e->tab[j].len;
	return n;
}

/* ---- labels */

int free_leaves(scratch *s, const work *w, label **out, int max)
{
	return labels_leaves(s, w->nfree, w->free, out, max);
}

int bound_leaves(scratch *s, const work *w, label **out, int max)
{
	return labels_leaves(s, w->nbound, w->bound, out, max);
}

int bound_read_by(scratch *s, const work *w, const slot *t, label **bl, int *nb, label **mine)
{
	int i, n = 0;

	*nb = bound_leaves(s, w, bl, LEAVES);
	for (i = 0; i < *nb; i++)
		if (label_in(bl[i], t->nl, t->l))
			mine[n++] = bl[i];
	return n;
}

int label_place(const label *l, int n, label *const *list)
{
	int i;

	for (i = 0; i < n; i++)
		if (list[i] == l)
			return i;
	return -1;
}

bool labels_meet(int n, label *const *x, int m, label *const *y)
{
	int i;

	for (i = 0; i < n; i++)
		if (label_in(x[i], m, y))
			return true;
	return false;
}

bool reads_label(algebra *a, const slot *t, const label *l)
{
	label **x;
	int n = slot_labels(a, t, &x);

	return label_in(l, n, x);
}

int labels_without(int n, label *const *l, int m, label *const *gone, label **out)
{
	int i, k = 0;

	for (i = 0; i < n; i++)
		if (!label_in(l[i], m, gone))
			out[k++] = l[i];
	return k;
}

bool data_reads(algebra *a, int n, label *const *l, int nb, label *const *b)
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
			if (label_in(x[j], nb, b))
				return true;
	}
	return false;
}

/* ---- runs */

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

void find_runs(const work *w, int n, label *const *mine, struct runs *r)
{
	int next[RUNS_MAX], i, j;
	bool has_prev[RUNS_MAX] = { false };

	r->n = 0;
	if (n > RUNS_MAX)
		n = RUNS_MAX;
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
		for (j = i; j >= 0 && k < RUN_LABELS; j = next[j]) {
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

void run_join(algebra *a, work *w, const struct run_among *r, label *one, ix **digit)
{
	label **left = ARENA_ARRAY(&a->s.a, label *, r->n);
	int i, m = 0;

	work_subst(a, w, -1, r->nrun, (label **)r->run, digit);
	for (i = 0; i < r->n; i++)
		if (r->all[i] == r->run[0])
			left[m++] = one;
		else if (!label_in(r->all[i], r->nrun, r->run))
			left[m++] = r->all[i];
	if (r->bound)
		work_set_bound(a, w, m, left);
	else
		work_set_free(a, w, m, left);
	work_settle(a, w);
}

/* ---- grids */

void grid_of(algebra *a, const slot *t, int nrun, label *const *run, struct grid *g)
{
	int64_t *row, *col, r, c;
	int k;

	g->rest = ARENA_ARRAY(&a->s.a, label *, t->nl);
	g->nrest = 0;
	for (k = 0; k < t->nl; k++)
		if (!label_in(t->l[k], nrun, run))
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

int64_t grid_hits(algebra *a, const struct grid *g, int64_t **out)
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

label **grid_labels(algebra *a, const struct grid *g, label *by)
{
	label **l = ARENA_ARRAY(&a->s.a, label *, g->nrest + 1);

	memcpy(l, g->rest, sizeof *l * (size_t)g->nrest);
	l[g->nrest] = by;
	return l;
}

slot grid_columns(algebra *a, const struct grid *g, int64_t n, const int64_t *col, label *by, int vtype)
{
	double *v = ARENA_ARRAY(&a->s.a, double, g->rows * n);
	int64_t r, c;

	for (r = 0; r < g->rows; r++)
		for (c = 0; c < n; c++)
			v[r * n + c] = g->v[r * g->size + col[c]];
	return slot_table(vtype, g->nrest + 1, grid_labels(a, g, by), v, RAT_ONE);
}

void masked_recount(algebra *a, masked *m, const struct grid *g, int nrun, label *const *run, int64_t n, int64_t *place, double *v)
{
	int64_t *size = ARENA_ARRAY(&a->s.a, int64_t, nrun);
	label *bl[LEAVES], *by = label_new(&a->s, n), **l = grid_labels(a, g, by);
	int nb = bound_leaves(&a->s, m->w, bl, LEAVES), k;

	by->bound = true;
	for (k = 0; k < nrun; k++)
		size[k] = run[k]->n;
	work_subst(a, m->w, m->tab, nrun, (label **)run, ix_digits(&a->s, ix_table(&a->s, g->nrest + 1, l, place), nrun, size));
	m->w->slot[m->tab] = slot_table(TYPE_REAL, g->nrest + 1, l, v, RAT_ONE);
	work_count_by(a, m->w, nb, bl, nrun, run, by);
}

/* Of n places `step` apart: those that are not hit become the nearest one before that is, else behind. */
static void fill_along(int64_t n, int64_t step, int64_t *at, bool *hit)
{
	int64_t j;

	for (j = 1; j < n; j++)
		if (!hit[j * step] && hit[(j - 1) * step]) {
			at[j * step] = at[(j - 1) * step];
			hit[j * step] = true;
		}
	for (j = n - 2; j >= 0; j--)
		if (!hit[j * step] && hit[(j + 1) * step]) {
			at[j * step] = at[(j + 1) * step];
			hit[j * step] = true;
		}
}

void fill_row(int64_t n, int64_t *at, bool *hit)
{
	fill_along(n, 1, at, hit);
}

void fill_rows(int nrest, label *const *rest, int64_t rows, int64_t *at, bool *hit)
{
	int64_t inner = 1, o, i;
	int k;

	for (k = nrest - 1; k >= 0; inner *= rest[k--]->n)
		for (o = 0; o < rows; o += inner * rest[k]->n)
			for (i = 0; i < inner; i++)
				fill_along(rest[k]->n, inner, at + o + i, hit + o + i);
}
