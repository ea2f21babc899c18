/* prim_one_hot.c - a table that chooses: one-hots (N21), restriction to the places that count (N22). */
#include "prim/prim.h"

#include <math.h>
#include "core/mask.h"

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
	work_subst(a, w, m->tab, nrun, (label **)run, run_digits(a, g->nrest, g->rest, g->rows, at, nrun, run));
	w->slot[m->tab] = slot_table(TYPE_REAL, g->nrest, g->rest, sum, RAT_ONE);
	work_set_bound(a, w, labels_without(nb, bl, nrun, run, left), left);
	if (!w->nbound)
		w->kind = C_MUL;
	return work_result(a, w);
}

/* The labels of a grid's rows: those that do not depend on the run, and digits of data that is read along it. */
struct split_rows {
	int n, ndata;
	label **l, **data;
	int64_t rows, cells, *at, *data_at;	/* and where their values are in the grid's rows */
};

static void split_rows(algebra *a, const struct grid *g, int nrun, label *const *run, struct split_rows *r)
{
	int k;

	*r = (struct split_rows){ .l = ARENA_ARRAY(&a->s.a, label *, g->nrest), .data = ARENA_ARRAY(&a->s.a, label *, g->nrest) };
	for (k = 0; k < g->nrest; k++)
		if (data_reads(a, 1, &g->rest[k], nrun, run))
			r->data[r->ndata++] = g->rest[k];
		else
			r->l[r->n++] = g->rest[k];
	r->rows = grid_size(&a->s, r->n, r->l);
	r->cells = grid_size(&a->s, r->ndata, r->data);
	r->at = grid_places(&a->s, r->n, r->l, g->nrest, g->rest);
	r->data_at = grid_places(&a->s, r->ndata, r->data, g->nrest, g->rest);
}

/* The one place of the run that counts in a row whatever the data is; -1: none does, -2: several. */
static int64_t only_place(const struct grid *g, const struct split_rows *r, int64_t row)
{
	int64_t c, k, found = -1;

	for (c = 0; c < g->size; c++)
		for (k = 0; k < r->cells; k++)
			if (g->v[(r->at[row] + r->data_at[k]) * g->size + c] != 0) {
				if (found >= 0 && found != c)
					return -2;
				found = c;
			}
	return found;
}

/* N21 where data is read along the run, but does not say which place counts: it is read there, too. */
static eg_id one_hot_data(algebra *a, masked *m, int nrun, label *const *run, const struct grid *g, int nb, label *const *bl)
{
	struct split_rows r;
	label **left = ARENA_ARRAY(&a->s.a, label *, nb), **all;
	work *w = m->w;
	int64_t *at, i, k, stride;
	bool *hit;
	double *v;
	ix **digit, *e = ix_const(&a->s, 0);
	eg_id x;

	split_rows(a, g, nrun, run, &r);
	at = ARENA_ARRAY(&a->s.a, int64_t, r.rows);
	hit = ARENA_ARRAY(&a->s.a, bool, r.rows);
	v = arena_zalloc(&a->s.a, sizeof *v * (size_t)(r.rows * r.cells));
	for (i = 0; i < r.rows; i++) {
		if ((at[i] = only_place(g, &r, i)) == -2)
			return refuse(a, "the hit depends on data that depends on the summed label");
		for (k = 0; k < r.cells && at[i] >= 0; k++)
			v[i * r.cells + k] = g->v[(r.at[i] + r.data_at[k]) * g->size + at[i]];
		hit[i] = at[i] >= 0;
		at[i] = hit[i] ? at[i] : 0;
	}
	fill_rows(r.n, r.l, r.rows, at, hit);
	digit = run_digits(a, r.n, r.l, r.rows, at, nrun, run);
	all = ARENA_ARRAY(&a->s.a, label *, g->nrest);
	memcpy(all, r.l, sizeof *all * (size_t)r.n);
	memcpy(all + r.n, r.data, sizeof *all * (size_t)r.ndata);
	x = core_values(a, TYPE_REAL, r.rows * r.cells, v);
	for (i = g->nrest - 1, stride = 1; i >= 0 && core_kind(a, x) != C_NUMBER; stride *= all[i--]->n)
		e = ix_add(&a->s, e, ix_of(&a->s, all[i], stride));
	w->slot[m->tab] = slot_read(x, ix_norm(&a->s, e), RAT_ONE);
	work_subst(a, w, -1, nrun, (label **)run, digit);
	work_set_bound(a, w, labels_without(nb, bl, nrun, run, left), left);
	if (!w->nbound)
		w->kind = C_MUL;
	return work_result(a, w);
}

/* The run takes the places listed only, in every slot that is no table: the label that does. */
static label *run_over(algebra *a, work *w, int nrun, label *const *run, int64_t nhit, const int64_t *hits, int nb, label *const *bl)
{
	label **fresh = ARENA_ARRAY(&a->s.a, label *, 1), **left = ARENA_ARRAY(&a->s.a, label *, nb + 1);
	int n = labels_without(nb, bl, nrun, run, left);

	*fresh = label_new(&a->s, nhit);
	(*fresh)->bound = true;
	work_subst(a, w, -1, nrun, (label **)run, run_digits(a, 1, fresh, nhit, hits, nrun, run));
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
	w->slot[m->tab] = grid_columns(a, &g, nhit, hits, fresh, TYPE_REAL);
	return work_result(a, w);
}

/* N21 for one table. */
static eg_id choose_by(algebra *a, eg_id n, masked *m)
{
	label *bl[LEAVES], *mine[LEAVES];
	int nb, nm = bound_read_by(&a->s, m->w, &m->w->slot[m->tab], bl, &nb, mine), i;
	struct runs r;
	struct grid g;

	(void)n;
	if (!nm)
		return NIL;
	if (!slots_finite(a, m->w->nslot, m->w->slot))
		return refuse(a, "zero times a tensor that may be infinite");
	find_runs(m->w, nm, mine, &r);
	for (i = 0; i < r.n; i++) {
		int64_t *hits, nh, row, c;
		bool hot = true;
		grid_of(a, &m->w->slot[m->tab], r.len[i], r.l[i], &g);
		for (row = 0; row < g.rows && hot; row++) {
			int64_t k = 0;
			for (c = 0; c < g.size; c++)
				k += g.v[row * g.size + c] != 0;
			hot = k <= 1;
		}
		if (hot) {
			eg_id res = data_reads(a, g.nrest, g.rest, r.len[i], r.l[i]) ? one_hot_data(a, m, r.len[i], r.l[i], &g, nb, bl)
				: one_hot(a, m, r.len[i], r.l[i], &g, nb, bl);
			if (res != NIL)
				return res;
			continue;
		}
		nh = grid_hits(a, &g, &hits);
		if (nh > 0 && nh < g.size && !data_reads(a, g.nrest, g.rest, r.len[i], r.l[i]))
			return restrict_to(a, m, r.len[i], r.l[i], nh, hits, nb, bl);
	}
	if (nm > 1) {	/* uneven shards: the places that count are the first ones over several labels */
		int64_t *hits, nh;
		grid_of(a, &m->w->slot[m->tab], nm, mine, &g);
		nh = grid_hits(a, &g, &hits);
		if (nh > 1 && nh < g.size && hits[nh - 1] == nh - 1 && !data_reads(a, g.nrest, g.rest, nm, mine))
			return restrict_to(a, m, nm, mine, nh, hits, nb, bl);
	}
	return NIL;
}

/* N21: at most one place along a summed run counts, whatever the rest: it is picked.
 * N22: some places count never: the run takes the others. */
eg_id prim_mask_one_hot(algebra *a, eg_id n)
{
	return masked_each(a, n, choose_by);
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

/* Is x - c what it says?  Neither number may be lost beside the other. */
static bool taken_apart(double x, double c)
{
	double d = x - c, more = fabs(x) > fabs(c) ? fabs(x) : fabs(c), less = more == fabs(x) ? fabs(c) : fabs(x);

	return (d + c == x && x - d == c) || more < 0x1p20 * less;
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
	for (i = 0; i < n; i++) {
		if (!taken_apart(t->v[i], c))
			return refuse(a, "a sum of constant tables is not exact");
		v[i] = t->v[i] - c;
	}
	t->v = v;
	two[1] = slot_of_work(a, work_like(a, m->w, C_EIN, m->w->nslot, m->w->slot), RAT_ONE);
	w = work_like(a, m->w, C_SUM, 2, two);
	w->nbound = 0;
	return work_result(a, w);
}

/* S16: a table that holds one number but for a place at most along a summed run is that number and a one-hot. */
eg_id prim_mask_background(algebra *a, eg_id n)
{
	label *bl[LEAVES], *mine[LEAVES];
	int nb, i;
	struct runs r;
	struct grid g;
	masked m;
	double c;

	if (!masked_open(a, n, &m) || m.w->nslot < 2)
		return NIL;
	find_runs(m.w, bound_read_by(&a->s, m.w, &m.w->slot[m.tab], bl, &nb, mine), mine, &r);
	for (i = 0; i < r.n; i++) {
		grid_of(a, &m.w->slot[m.tab], r.len[i], r.l[i], &g);
		if (g.size < 3 || isnan(c = background(&g)))
			continue;
		if (!slots_finite(a, m.w->nslot, m.w->slot))
			return refuse(a, "zero times a tensor that may be infinite");
		return beside_background(a, &m, c);
	}
	return NIL;
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

/* Are all factors finite but k? */
static bool others_finite(algebra *a, const work *w, int k)
{
	int i;

	for (i = 0; i < w->nslot; i++)
		if (i != k && !slot_finite_power(a, &w->slot[i])) {
			refuse(a, "zero times a tensor that may be infinite");
			return false;
		}
	return true;
}

/* A contraction with branch b of a choice as factor k, its summed labels, those of them that K reads, and where branch b
 * is chosen: columns are the latter. */
struct branch {
	work *w;
	label *bl[LEAVES], *mine[LEAVES];
	int nb, nm;
	struct grid g;
};

static void branch_open(algebra *a, const work *w, int k, slot *in, int b, struct branch *p)
{
	slot *fs = ARENA_ARRAY(&a->s.a, slot, w->nslot + 1), *mask;
	int64_t c;

	memcpy(fs, w->slot, sizeof *fs * (size_t)w->nslot);
	fs[k] = in[b];
	fs[w->nslot] = in[0];
	p->w = work_like(a, w, C_EIN, w->nslot + 1, fs);
	work_settle(a, p->w);
	mask = &p->w->slot[w->nslot];
	p->nm = bound_read_by(&a->s, p->w, mask, p->bl, &p->nb, p->mine);
	grid_of(a, mask, p->nm, p->mine, &p->g);
	for (c = 0; b == 2 && c < p->g.rows * p->g.size; c++)
		p->g.v[c] = !p->g.v[c];
	p->w->nslot--;
}

/* The contraction over the places where branch b is chosen, all but factor k as they are; NULL with a reason.  Where no
 * place counts, or the branch is 0 and the others are finite, *none. */
static work *chosen_part(algebra *a, const work *w, int k, slot *in, int b, bool *none)
{
	int64_t *hits, nh;
	struct branch p;

	*none = slot_is_zero(a, &in[b]);
	if (*none && !others_finite(a, w, k))
		return NULL;
	branch_open(a, w, k, in, b, &p);
	if (p.g.nrest)
		return refuse(a, "the places that count differ"), NULL;
	nh = grid_hits(a, &p.g, &hits);
	*none = *none || !nh;
	if (!*none)
		run_over(a, p.w, p.nm, p.mine, nh, hits, p.nb, p.bl);
	return p.w;
}

/* The one place of each row of the grid that is not 0; NULL where there is another number of them. */
static int64_t *places_chosen(algebra *a, const struct grid *g)
{
	int64_t *at = ARENA_ARRAY(&a->s.a, int64_t, g->rows), r, c, n;

	for (r = 0; r < g->rows; r++) {
		for (n = c = 0; c < g->size; c++)
			if (g->v[r * g->size + c] != 0) {
				at[r] = c;
				n++;
			}
		if (n != 1)
			return NULL;
	}
	return at;
}

/* N21 of a choice: sum_s f[s] select(K(a, s), x[s], 0) = f[S(a)] x[S(a)] where K(a, s) is s = S(a), whatever x is. */
static eg_id chosen_one(algebra *a, const work *w, int k, slot *in, int b)
{
	struct branch p;
	label **left;
	int64_t *at;

	if (!slot_is_zero(a, &in[3 - b]) || !others_finite(a, w, k))
		return NIL;
	branch_open(a, w, k, in, b, &p);
	if (!p.nm || !p.g.nrest || data_reads(a, p.g.nrest, p.g.rest, p.nm, p.mine) || !(at = places_chosen(a, &p.g)))
		return NIL;
	work_subst(a, p.w, -1, p.nm, p.mine, run_digits(a, p.g.nrest, p.g.rest, p.g.rows, at, p.nm, p.mine));
	left = ARENA_ARRAY(&a->s.a, label *, p.nb);
	work_set_bound(a, p.w, labels_without(p.nb, p.bl, p.nm, p.mine, left), left);
	if (!p.w->nbound)
		p.w->kind = C_MUL;
	return work_result(a, p.w);
}

/* N22 of a choice: sum_s f[s] select(K(s), x[s], y[s]) is the sum of f x over the places where K holds and that of f y
 * over the others, whatever may be infinite. */
static eg_id chosen_places(algebra *a, const work *w, int k, slot *in)
{
	work *part[2];
	bool none[2];
	slot t[2];
	eg_id r;
	int b;

	for (b = 1; b < 3; b++)
		if ((r = chosen_one(a, w, k, in, b)) != NIL)
			return r;
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

eg_id prim_mask_chosen(algebra *a, eg_id n)
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

/* ---- a comparison that chooses */

/* Slot k of w is the number of a truth value x == y of indices: their difference. */
static bool equality(algebra *a, work *w, eg_id n, int k, ix **d)
{
	eg_id x = w->slot[k].x, o = x == NIL ? NIL : peek(a, x), q;
	slot *p, *s;
	ix *e[2];
	int m;

	if (o == NIL || !is_map(a, o, "num") || w->slot[k].c.num != 1 || w->slot[k].c.den != 1 || !normal_opens(a, o, n))
		return false;
	p = work_inline(a, o, w->slot[k].e, w, &m);
	q = peek(a, p[0].x);
	if (!is_map(a, q, "compare:EQ") || !normal_opens(a, q, n))
		return false;
	s = work_inline(a, q, p[0].e, w, &m);
	if (!slot_index(a, &s[0], &e[0]) || !slot_index(a, &s[1], &e[1]) || !(*d = ix_difference(&a->s, e[0], e[1])))
		return false;
	*d = ix_norm(&a->s, *d);
	opened(a, x, o);
	opened(a, p[0].x, q);
	return true;
}

/* d = 0 where the label l is what is returned, always one of its places; NULL where it may be none. */
static ix *solved_for(algebra *a, const ix *d, label *l)
{
	int64_t by = ix_stride(d, l), lo, hi;
	label **own;
	ix *e;
	int n;

	if ((by != 1 && by != -1) || ix_in_table(d, l))
		return NULL;
	e = ix_norm(&a->s, ix_times(&a->s, ix_add(&a->s, d, ix_of(&a->s, l, -by)), -by));
	n = ix_labels(&a->s, e, &own);
	ix_range(&a->s, e, &lo, &hi);
	return lo < 0 || hi >= l->n || data_reads(a, n, own, 1, &l) ? NULL : e;
}

/* N21 for a comparison, where a table would be too large: sum_l [l = e] f(l) = f(e), e always a place of l. */
eg_id prim_contract_equal(algebra *a, eg_id n)
{
	label *bl[LEAVES], **left;
	int k, j, nb, m = pairing_read(a, n).nslot;
	work *w;
	ix *d, *e;

	if (m < 2 || !(operand_kinds(a, n) & 1u << C_MAP))
		return NIL;
	w = work_open(a, n);
	nb = bound_leaves(&a->s, w, bl, LEAVES);
	for (k = 0; k < m; k++) {
		if (!equality(a, w, n, k, &d))
			continue;
		for (j = 0; j < nb && !(e = solved_for(a, d, bl[j])); j++)
			;
		if (j == nb)
			continue;
		if (!slots_finite(a, w->nslot, w->slot))
			return refuse(a, "zero times a tensor that may be infinite");
		w->slot[k] = w->slot[--w->nslot];
		work_subst(a, w, -1, 1, &bl[j], &e);
		left = ARENA_ARRAY(&a->s.a, label *, nb);
		work_set_bound(a, w, labels_without(nb, bl, 1, &bl[j], left), left);
		if (!w->nbound)
			w->kind = C_MUL;
		return work_result(a, w);
	}
	return NIL;
}
