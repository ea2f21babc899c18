/* prim_under.c - what a constant mask makes of the factors beside it: they are read where it is not zero (N25), and what is
 * summed is shifted where that makes their index expressions linear (N8). */
#include "mask.h"

#include <math.h>
#include <stdlib.h>

/* Index tables that are linear under the mask and leave the range elsewhere: places for N8. */
typedef struct shifts {
	int n, nq[8];
	label *q[8][8];
	int64_t co[8][8];
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
		if (data || !labels_meet(q->nl, q->l, mask->nl, mask->l) || q->nl > 7)
			continue;
		hit = mask_on(a, mask, q, &cnt);
		if (cnt < 1 || cnt == q->len || !fit_linear(q->nl, q->l, q->v, hit, q->len, co, &b))
			continue;
		new = ix_plus(&a->s, ix_without_table(&a->s, e, i), b);
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

	if (labels_meet(m, bent, u->mask->nl, u->mask->l))
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
			bends = labels_meet(j, bent, r.len[i], r.l[i]);
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
	if (!work_finite(a, m.w))
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
		j = label_place(sh->q[which][i], nrun, run);
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
		i = label_place(run[j], sh->nq[which], sh->q[which]);
		if (i < 0 || sh->co[which][i] != one * k)
			return NIL;
		k *= run[j]->n;
	}
	for (i = 0; i < nr; i++)
		if (co[i] % one || label_in(rest[i], nb, bl) || !label_in(rest[i], t->nl, t->l))
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
			j = label_place(g.rest[i], nr, rest);
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
	work_subst(a, m->w, m->tab, nrun, (label **)run, e);
	m->w->slot[m->tab] = slot_table(TYPE_REAL, g.nrest + 1, l, K, RAT_ONE);
	left = ARENA_ARRAY(&a->s.a, label *, nb + 1);
	i = labels_without(nb, bl, nrun, run, left);
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
		if (label_in(bl[i], m.w->slot[m.tab].nl, m.w->slot[m.tab].l))
			mine[nm++] = bl[i];
	if (!nm || !work_finite(a, m.w))
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
