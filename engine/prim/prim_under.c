/* prim_under.c - what a constant mask makes of the factors beside it: they are read where it is not zero (N25), and what is
 * summed is shifted where that makes their index expressions linear (N8). */
#include "prim/prim.h"

#include <math.h>
#include <stdlib.h>
#include "core/mask.h"
#include "core/zip.h"

/* Index tables that are linear under the mask and leave the range elsewhere: places for N8. */
typedef struct shifts {
	int n, nq[8];
	label *q[8][8];
	int64_t co[8][8];
	const ix *e[8];		/* the index that the table is in */
} shifts;

/* ---- N25 */

/* Labels a slot uses other than linearly. */
static int slot_bent(algebra *a, const slot *t, label **out, int max)
{
	const bent_ranges *b;
	int i, j, q, n = 0;
	const ix *e;

	if (t->x == NIL)
		return 0;
	e = ix_norm(&a->s, t->e);
	for (i = 0; i < e->ntab; i++)
		for (j = 0; j < e->tab[i].nl && n < max; j++)
			if (!label_in(e->tab[i].l[j], n, out))
				out[n++] = e->tab[i].l[j];
	b = core_bent(a, peek(a, t->x));
	for (i = 0; i < e->nt; i++)
		for (q = 0; q < b->n && n < max; q++) {
			int64_t lo = llabs(e->t[i].s), hi = lo * e->t[i].l->n;
			if (lo < b->hi[q] && hi > b->lo[q] && !label_in(e->t[i].l, n, out))
				out[n++] = e->t[i].l;
		}
	return n;
}

enum { UNKNOWNS = 8 };

/* Sum of squares: the equations that the slopes, and last the constant, of v on the places of `hit` would have to meet. */
static void normal_equations(int nq, label *const *q, const int64_t *v, const bool *hit, int64_t len, double M[UNKNOWNS][UNKNOWNS + 1])
{
	int64_t p, w, x[UNKNOWNS];
	int i, j, n = nq + 1;

	x[nq] = 1;
	for (p = 0; p < len; p++) {
		if (!hit[p])
			continue;
		for (w = len, i = 0; i < nq; i++) {
			w /= q[i]->n;
			x[i] = p / w % q[i]->n;
		}
		for (i = 0; i < n; i++) {
			for (j = 0; j < n; j++)
				M[i][j] += (double)x[i] * (double)x[j];
			M[i][n] += (double)x[i] * (double)v[p];
		}
	}
}

static void swap_rows(double *x, double *y, int n)
{
	int j;

	for (j = 0; j < n; j++) {
		double t = x[j];
		x[j] = y[j];
		y[j] = t;
	}
}

/* Gauss and Jordan; a label that does not vary at the hits gets slope 0. */
static void solve(int n, double M[UNKNOWNS][UNKNOWNS + 1])
{
	int i, j, k;

	for (i = 0; i < n; i++) {
		for (k = i, j = i + 1; j < n; j++)
			if (fabs(M[j][i]) > fabs(M[k][i]))
				k = j;
		if (fabs(M[k][i]) < 1e-6) {
			memset(M[i], 0, sizeof M[i]);
			M[i][i] = 1;
			continue;
		}
		if (k != i)
			swap_rows(M[i], M[k], n + 1);
		for (k = 0; k < n; k++) {
			double f = M[k][i] / M[i][i];
			for (j = i; k != i && j <= n; j++)
				M[k][j] -= f * M[i][j];
		}
	}
}

/* Is v = co.x + b, exactly, on the places of `hit`? */
static bool is_linear(int nq, label *const *q, const int64_t *v, const bool *hit, int64_t len, const int64_t *co, int64_t b)
{
	int64_t p, w;
	int i;

	for (p = 0; p < len; p++) {
		int64_t y = b;
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

bool fit_linear(int nq, label *const *q, const int64_t *v, const bool *hit, int64_t len, int64_t *co, int64_t *b)
{
	double M[UNKNOWNS][UNKNOWNS + 1] = { { 0 } };
	int i;

	if (nq + 1 > UNKNOWNS)
		return false;
	normal_equations(nq, q, v, hit, len, M);
	solve(nq + 1, M);
	for (i = 0; i <= nq; i++) {
		double s = M[i][nq + 1] / M[i][i];
		if (!(fabs(s) < 1e15))
			return false;
		*(i < nq ? &co[i] : b) = (int64_t)llrint(s);
	}
	return is_linear(nq, q, v, hit, len, co, *b);
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
		if (!label_in(q->l[k], nu, u))
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

enum { TIED_LABELS = 7 };

/* The labels of a mask and of a part of an index; those without data, which the part may be a function of, apart. */
struct tied {
	int nu, nq;
	label *u[64], *q[TIED_LABELS];
	int64_t total, len;	/* places of u, and of q */
};

static bool tie_labels(const slot *mask, int nl, label *const *l, struct tied *t)
{
	int k;

	*t = (struct tied){ .total = 1, .len = 1 };
	for (k = 0; k < mask->nl + nl; k++) {
		label *x = k < mask->nl ? mask->l[k] : l[k - mask->nl];
		if (k >= mask->nl && label_in(x, mask->nl, mask->l))
			continue;
		if (t->nu == 64 || (!x->data && t->nq == TIED_LABELS) || t->total > TABLE_MAX / x->n)
			return false;
		t->u[t->nu++] = x;
		t->total *= x->n;
		if (!x->data) {
			t->q[t->nq++] = x;
			t->len *= x->n;
		}
	}
	return true;
}

/* A part of an index that data choose, where the mask ties the data to other labels: the same value of those alone. */
static ix *tied_part(algebra *a, const slot *mask, int nl, label *const *l, const int64_t *v)
{
	struct tied t;
	int64_t *at, *from, *to, *w, i, co[TIED_LABELS], b;
	bool *hit;
	ix *e;
	int k;

	if (!labels_data(nl, l) || !tie_labels(mask, nl, l, &t))
		return NULL;
	at = grid_places(&a->s, t.nu, t.u, mask->nl, mask->l);
	from = grid_places(&a->s, t.nu, t.u, nl, l);
	to = grid_places(&a->s, t.nu, t.u, t.nq, t.q);
	w = ARENA_ARRAY(&a->s.a, int64_t, t.len);
	hit = arena_zalloc(&a->s.a, (size_t)t.len);
	for (i = 0; i < t.total; i++) {
		if (mask->v[at[i]] == 0)
			continue;
		if (hit[to[i]] && w[to[i]] != v[from[i]])
			return NULL;
		hit[to[i]] = true;
		w[to[i]] = v[from[i]];
	}
	if (!fit_linear(t.nq, t.q, w, hit, t.len, co, &b))
		return NULL;
	e = ix_const(&a->s, b);
	for (k = 0; k < t.nq; k++)
		e = ix_add(&a->s, e, ix_of(&a->s, t.q[k], co[k]));
	return e;
}

static ix *in_range(algebra *a, ix *e, int64_t len)
{
	int64_t lo, hi;

	e = ix_norm(&a->s, e);
	ix_range(&a->s, e, &lo, &hi);
	return lo >= 0 && hi < len ? e : NULL;
}

/* What is read at <d> where the mask holds only at l = <d> is read at l. */
static ix *untied(algebra *a, const ix *e, int64_t len, const slot *mask)
{
	ix *p, *r;
	int k;

	e = ix_norm(&a->s, e);
	if (!labels_data(mask->nl, mask->l))
		return (ix *)e;
	for (k = 0; k < e->nt + e->ntab; k++) {
		if (k >= e->nt) {
			const ix_table_part *q = &e->tab[k - e->nt];
			p = tied_part(a, mask, q->nl, q->l, q->v);
			r = p ? ix_add(&a->s, ix_without_table(&a->s, e, k - e->nt), p) : NULL;
		} else {	/* a label that no data choose may have any number of places */
			const ix_term *t = &e->t[k];
			p = t->l->data ? tied_part(a, mask, 1, &t->l, grid_linear(&a->s, 1, &t->l, 0, &t->s)) : NULL;
			r = p ? ix_add(&a->s, ix_add(&a->s, e, ix_of(&a->s, t->l, -t->s)), p) : NULL;
		}
		if (r && (r = in_range(a, r, len)))
			return untied(a, r, len, mask);
	}
	return (ix *)e;
}

/* Does the table grow by *step with each place of its i-th label wherever the mask counts? */
static bool steady(const ix_table_part *q, int i, const bool *hit, int64_t *step)
{
	int64_t n = q->l[i]->n, w = 1, p;
	bool known = false;
	int k;

	for (k = i + 1; k < q->nl; k++)
		w *= q->l[k]->n;
	for (p = 0; p < q->len; p++) {
		if (p / w % n == n - 1 || !hit[p])
			continue;
		if (!hit[p + w] || (known && q->v[p + w] - q->v[p] != *step))
			return false;
		*step = q->v[p + w] - q->v[p];
		known = true;
	}
	return known;
}

/* A label that the mask does not have, by which a table grows steadily where the mask counts, leaves the table: what stands in it
 * elsewhere is free, and is taken from the label's first place. */
static ix *apart(algebra *a, const ix *e, int t, const bool *hit, const slot *mask)
{
	const ix_table_part *q = &e->tab[t];
	label **l = ARENA_ARRAY(&a->s.a, label *, q->nl);
	int64_t step = 0, w, n, p, *v;
	int i, k, m = 0;

	for (i = 0; i < q->nl && (label_in(q->l[i], mask->nl, mask->l) || !steady(q, i, hit, &step)); i++)
		;
	if (i == q->nl)
		return NULL;
	for (w = 1, k = 0; k < q->nl; k++) {
		if (k != i)
			l[m++] = q->l[k];
		w *= k > i ? q->l[k]->n : 1;
	}
	n = q->l[i]->n;
	v = ARENA_ARRAY(&a->s.a, int64_t, q->len / n);
	for (p = 0; p < q->len / n; p++)
		v[p] = q->v[p / w * w * n + p % w];
	return ix_add(&a->s, ix_add(&a->s, ix_without_table(&a->s, e, t), ix_table(&a->s, m, l, v)), ix_of(&a->s, q->l[i], step));
}

/* An index whose table is linear wherever the mask counts is linear there; in range elsewhere (else a shift is noted). */
static ix *straight(algebra *a, const ix *e, int64_t len, const slot *mask, shifts *sh)
{
	int i, k;

	e = ix_norm(&a->s, e);
	for (i = 0; i < e->ntab; i++) {
		const ix_table_part *q = &e->tab[i];
		int64_t co[8], b = 0, cnt;
		bool *hit;
		ix *new;
		if (labels_data(q->nl, q->l) || !labels_meet(q->nl, q->l, mask->nl, mask->l) || q->nl > 7)
			continue;
		hit = mask_on(a, mask, q, &cnt);
		if (cnt < 1 || cnt == q->len)
			continue;
		if ((new = apart(a, e, i, hit, mask)) && (new = in_range(a, new, len)))
			return straight(a, new, len, mask, sh);
		if (!fit_linear(q->nl, q->l, q->v, hit, q->len, co, &b))
			continue;
		new = ix_plus(&a->s, ix_without_table(&a->s, e, i), b);
		for (k = 0; k < q->nl; k++)
			new = ix_add(&a->s, new, ix_of(&a->s, q->l[k], co[k]));
		if ((new = in_range(a, new, len)))
			return straight(a, new, len, mask, sh);
		if (sh && sh->n < 8) {
			sh->nq[sh->n] = q->nl;
			sh->e[sh->n] = e;
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
enum { UNDER_LABELS = 128 };
struct under {
	const slot *mask;
	int n;
	label *from[UNDER_LABELS];
	ix *to[UNDER_LABELS];
	bool single[UNDER_LABELS];	/* one place counts: read there, whatever the factor */
	shifts *sh;		/* or NULL */
	bool tables;		/* an index below has one: of digits of the mask's labels, it may be */
	int visits;
	eg_id node;		/* the rule fires on it */
};

enum { VISITS = 400 };

static bool concerns(algebra *a, const slot *t, const struct under *u)
{
	label *bent[64];
	int i, m = slot_bent(a, t, bent, 64);

	if (labels_meet(m, bent, u->mask->nl, u->mask->l))
		return true;
	for (i = 0; i < u->mask->nl; i++)
		if (u->mask->l[i]->data && ix_reads(t->e, u->mask->l[i]))
			return true;
	for (i = 0; i < u->n; i++)
		if (u->single[i] && ix_reads(t->e, u->from[i]))
			return true;
	return false;
}

static bool under_atom(algebra *a, slot *t, struct under *u, eg_id o)
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
		was = tables_zip(a, &was, &now, zip_differ, TYPE_REAL);
		if (!any_nonzero(&was))
			return false;
		t->e = e;
		return true;
	}
	u->tables = u->tables || e->ntab;
	e = straight(a, untied(a, e, core_len(a, o), u->mask), core_len(a, o), u->mask, u->sh);
	if (ix_equal(&a->s, e, t->e))
		return false;
	t->e = e;
	return true;
}

/* Changes a factor down to its atoms; false when nothing is read anew. */
static bool under_factor(algebra *a, slot *t, struct under *u)
{
	eg_id o = peek(a, t->x);
	slot *in;
	work *w;
	int m, k;
	bool changed = false;

	if (core_atom(a, o))
		return under_atom(a, t, u, o);
	if (!concerns(a, t, u) || !normal_opens(a, o, u->node) || core_kind(a, o) == C_VIEW)
		return false;
	if (--u->visits < 0)
		stuck(&a->s, "more than %d expressions under a mask", VISITS);
	w = work_over(a, core_kind(a, o), core_type(a, o), t, (int)eg_narg(a->g, o));
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
			bends = labels_meet(j, bent, r.len[i], r.l[i]);
		}
		if (!(bends && !a->searching) && cnt != 1)
			continue;
		fill_row(g.size, at, hit);
		one[0] = label_new(&a->s, g.size);
		e = run_digits(a, 1, one, g.size, at, r.len[i], r.l[i]);
		for (k = r.len[i] - 1; k >= 0; wgt *= r.l[i][k--]->n)	/* the run as one number in its own labels */
			num = ix_add(&a->s, num, ix_of(&a->s, r.l[i][k], wgt));
		if (u->n + r.len[i] > UNDER_LABELS)
			stuck(&a->s, "more than %d labels run under the mask", UNDER_LABELS);
		for (k = 0; k < r.len[i]; k++) {
			u->from[u->n] = r.l[i][k];
			u->to[u->n] = ix_subst(&a->s, e[k], 1, one, &num);
			u->single[u->n++] = cnt == 1;
		}
	}
}

/* Was a label of the mask cut?  Then it has the digits, as the factors have. */
static bool mask_cut(algebra *a, masked *m)
{
	const slot *t = &m->w->slot[m->tab];
	int k;

	for (k = 0; k < t->nl && !t->l[k]->hi; k++)
		;
	if (k == t->nl)
		return false;
	work_settle(a, m->w);
	return true;
}

/* Every factor but the mask, read anew where that makes a difference. */
static bool under_factors(algebra *a, masked *m, struct under *u)
{
	bool changed = false;
	int k;

	u->n = 0;
	u->visits = VISITS;
	places_that_count(a, m, u);
	for (k = 0; k < m->w->nslot; k++)
		if (k != m->tab)
			changed |= under_factor(a, &m->w->slot[k], u);
	return changed;
}

/* N25: under a mask, what is piecewise is read where it counts, and index tables that are linear there are linear: once more
 * where a factor cut a label, which the mask then has the digits of. */
static eg_id under_mask(algebra *a, eg_id n, masked *m)
{
	struct under *u;
	uint32_t cuts;

	if (m->w->nslot < 2)
		return NIL;
	u = ARENA_NEW(&a->s.a, struct under);
	if (!slots_finite(a, m->w->nslot, m->w->slot))
		return refuse(a, "zero times a tensor that may be infinite");
	u->mask = &m->w->slot[m->tab];
	u->node = n;
	do {
		cuts = a->s.ncut;
		if (under_factors(a, m, u))
			return work_result(a, m->w);
	} while (u->tables && a->s.ncut != cuts && mask_cut(a, m));
	return NIL;
}

eg_id mask_under_all(algebra *a, eg_id n)
{
	return masked_each(a, n, under_mask);
}

/* ---- N8: a shift under a mask */

/* How a run is moved: its place changes by the sum of by[i] * rest[i]. */
struct move {
	int nrun, nrest;
	label *const *run, *rest[8];
	int64_t by[8];
};

/* What one place of a label changes in the index of shift k: in its table, or beside it. */
static int64_t shift_stride(const shifts *sh, int k, const label *l)
{
	int i = label_place(l, sh->nq[k], sh->q[k]);

	return i < 0 ? ix_stride(sh->e[k], l) : sh->co[k][i];
}

/* The move that shift k of `sh` makes of a run; false when it does not move the whole run by whole places, or by data and
 * labels that the mask t has not. */
static bool move_of(const shifts *sh, int k, const struct runs *r, int at, int nb, label *const *bl, const slot *t, struct move *m)
{
	int nq = sh->nq[k], i, j;
	label *const *q = sh->q[k];
	const int64_t *co = sh->co[k];
	int64_t one, w = 1;

	*m = (struct move){ .nrun = r->len[at], .run = r->l[at] };
	one = shift_stride(sh, k, m->run[m->nrun - 1]);
	if (!one)
		return false;
	for (j = m->nrun - 1; j >= 0; w *= m->run[j--]->n)
		if (shift_stride(sh, k, m->run[j]) != one * w)
			return false;
	for (i = 0; i < nq; i++) {
		if (!co[i] || label_in(q[i], m->nrun, m->run))
			continue;
		if (co[i] % one || label_in(q[i], nb, bl) || !label_in(q[i], t->nl, t->l))
			return false;
		m->rest[m->nrest] = q[i];
		m->by[m->nrest++] = co[i] / one;
	}
	return m->nrest > 0;
}

/* By how many places each row of the mask is moved, and where its first and last value that counts come to stand. */
static int64_t *row_moves(algebra *a, const struct move *m, const struct grid *g, int64_t *lo, int64_t *hi)
{
	int64_t *stride = arena_zalloc(&a->s.a, sizeof *stride * (size_t)(g->nrest + 1)), *by, r, c;
	int i, j;

	for (i = 0; i < g->nrest; i++)
		if ((j = label_place(g->rest[i], m->nrest, m->rest)) >= 0)
			stride[i] = m->by[j];
	by = grid_linear(&a->s, g->nrest, g->rest, 0, stride);
	*lo = INT64_MAX;
	*hi = INT64_MIN;
	for (r = 0; r < g->rows; r++)
		for (c = 0; c < g->size; c++)
			if (g->v[r * g->size + c] != 0) {
				*lo = c + by[r] < *lo ? c + by[r] : *lo;
				*hi = c + by[r] > *hi ? c + by[r] : *hi;
			}
	return by;
}

/* The mask moved, n places from lo on, and the place of the run that each stands for, held inside its range. */
static double *mask_moved(algebra *a, const struct grid *g, const int64_t *by, int64_t lo, int64_t n, int64_t *place)
{
	double *K = arena_zalloc(&a->s.a, sizeof *K * (size_t)(g->rows * n));
	int64_t r, c;

	for (r = 0; r < g->rows; r++)
		for (c = 0; c < n; c++) {
			int64_t back = c + lo - by[r];
			if (back >= 0 && back < g->size)
				K[r * n + c] = g->v[r * g->size + back];
			place[r * n + c] = back < 0 ? 0 : back >= g->size ? g->size - 1 : back;
		}
	return K;
}

/* sum_s K(a, s) F(s, s + T(a)): s is replaced by v - T(a), held inside its range where K is zero anyway. */
static eg_id shift_by(algebra *a, masked *m, const struct move *mv)
{
	int64_t *by, lo, hi, n, *place;
	struct grid g;
	double *K;

	grid_of(a, &m->w->slot[m->tab], mv->nrun, mv->run, &g);
	if (data_reads(a, g.nrest, g.rest, mv->nrun, mv->run))
		return NIL;
	by = row_moves(a, mv, &g, &lo, &hi);
	if (hi < lo)
		return NIL;
	n = hi - lo + 1;
	if (g.rows * n > TABLE_MAX)
		stuck(&a->s, "a table of %lld entries would be needed", (long long)(g.rows * n));
	place = ARENA_ARRAY(&a->s.a, int64_t, g.rows * n);
	K = mask_moved(a, &g, by, lo, n, place);
	masked_recount(a, m, &g, mv->nrun, mv->run, n, place, K);
	return work_result(a, m->w);
}

/* Which shifts there are under the mask, and of which factor each is. */
struct shifted {
	shifts sh;
	int at[8];
	int nb;
	label **bl;
	struct runs r;
};

/* Is run i moved by a shift of factor j? */
static bool moves_run(const struct shifted *z, const slot *mask, int i, int j)
{
	struct move mv;
	int k;

	for (k = 0; k < z->sh.n; k++)
		if (z->at[k] == j && move_of(&z->sh, k, &z->r, i, z->nb, z->bl, mask, &mv))
			return true;
	return false;
}

/* A factor before k-th that reads run i as it stands would be shifted in its turn, and the two shifts undo each other. */
static bool read_before(algebra *a, const masked *m, const struct shifted *z, int i, int k)
{
	int j, l;

	for (j = 0; j < k; j++) {
		if (j == m->tab || moves_run(z, &m->w->slot[m->tab], i, j))
			continue;
		for (l = 0; l < z->r.len[i]; l++)
			if (reads_label(a, &m->w->slot[j], z->r.l[i][l]))
				return true;
	}
	return false;
}

/* The shifts of all factors: once more where one of them cut a label, which the mask then has the digits of. */
static void find_shifts(algebra *a, eg_id n, masked *m, struct shifted *z)
{
	struct under *u = ARENA_NEW(&a->s.a, struct under);
	uint32_t cuts;
	int k, i;

	u->mask = &m->w->slot[m->tab];
	u->sh = &z->sh;
	u->visits = VISITS;
	u->node = n;
	do {
		cuts = a->s.ncut;
		z->sh.n = 0;
		for (k = 0; k < m->w->nslot; k++) {
			slot t = m->w->slot[k];
			if (k == m->tab)
				continue;
			i = z->sh.n;
			under_factor(a, &t, u);
			for (; i < z->sh.n; i++)
				z->at[i] = k;
		}
	} while (u->tables && a->s.ncut != cuts && mask_cut(a, m));
}

/* The runs among the labels, and behind them every label of one that has several. */
static void find_runs_and_digits(const work *w, int n, label *const *l, struct runs *r)
{
	int whole, i, k;

	find_runs(w, n, l, r);
	whole = r->n;
	for (i = 0; i < whole; i++)
		for (k = 0; r->len[i] > 1 && k < r->len[i] && r->n < RUNS_MAX; k++) {
			r->len[r->n] = 1;
			r->l[r->n++][0] = r->l[i][k];
		}
}

static eg_id shift_under(algebra *a, eg_id n, masked *m)
{
	label *bl[LEAVES], *mine[LEAVES];
	const slot *mask = &m->w->slot[m->tab];
	struct shifted z = { .bl = bl };
	int i, k;

	if (!bound_read_by(&a->s, m->w, mask, bl, &z.nb, mine) || !slots_finite(a, m->w->nslot, m->w->slot))
		return NIL;
	find_shifts(a, n, m, &z);
	if (!z.sh.n)
		return NIL;
	find_runs_and_digits(m->w, bound_read_by(&a->s, m->w, mask, bl, &z.nb, mine), mine, &z.r);
	for (k = 0; k < z.sh.n; k++)
		for (i = 0; i < z.r.n; i++) {
			struct move mv;
			eg_id res;
			if (read_before(a, m, &z, i, z.at[k]) || !move_of(&z.sh, k, &z.r, i, z.nb, bl, mask, &mv))
				continue;
			res = shift_by(a, m, &mv);
			if (res != NIL)
				return res;
		}
	return NIL;
}

eg_id prim_mask_shift_under(algebra *a, eg_id n)
{
	return masked_each(a, n, shift_under);
}
