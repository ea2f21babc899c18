/* prim_reindex.c - summed labels that only choose among the values of one index expression (N6). */
#include "prim/prim.h"

#include <stdlib.h>
#include "core/mask.h"
#include "tensor/reducer.h"
#include "util/integers.h"
#include "util/rational.h"

enum { CHOOSERS = 16 };

/* An index table, its labels told apart: those that are summed choose a value, the others stay. */
typedef struct chooser {
	const ix_table_part *p;
	int nq, nrest;
	label *q[CHOOSERS], *rest[CHOOSERS];
} chooser;

/* The n values that are chosen, ascending, each `times` times. */
typedef struct chosen {
	int64_t n, *v, times;
	int64_t step;		/* divides all differences */
	bool even;		/* each is taken as often as the others */
} chosen;

/* False when no label chooses, or a value of the data does. */
static bool chooser_open(const ix_table_part *p, int nb, label *const *bl, chooser *c)
{
	int i;

	c->p = p;
	c->nq = c->nrest = 0;
	if (p->nl > CHOOSERS)
		return false;
	for (i = 0; i < p->nl; i++) {
		if (p->l[i]->data)
			return false;
		if (label_in(p->l[i], nb, bl))
			c->q[c->nq++] = p->l[i];
		else
			c->rest[c->nrest++] = p->l[i];
	}
	return c->nq > 0;
}

/* What is chosen at each place of `rest`, in ascending order: rows of *cols. */
static int64_t *sorted_rows(algebra *a, const chooser *c, int64_t *rows, int64_t *cols)
{
	label *all[CHOOSERS];
	int64_t *v, *at, r;

	memcpy(all, c->rest, sizeof *all * (size_t)c->nrest);
	memcpy(all + c->nrest, c->q, sizeof *all * (size_t)c->nq);
	*rows = grid_size(&a->s, c->nrest, (label **)c->rest);
	*cols = grid_size(&a->s, c->nq, (label **)c->q);
	v = ARENA_ARRAY(&a->s.a, int64_t, *rows * *cols);
	at = grid_places(&a->s, c->p->nl, all, c->p->nl, c->p->l);
	for (r = 0; r < *rows * *cols; r++)
		v[r] = c->p->v[at[r]];
	for (r = 0; r < *rows; r++)
		qsort(v + r * *cols, (size_t)*cols, sizeof *v, integers_compare);
	return v;
}

static bool rows_agree(const int64_t *v, int64_t rows, int64_t cols)
{
	int64_t r;

	for (r = 1; r < rows; r++)
		if (memcmp(v, v + r * cols, sizeof *v * (size_t)cols))
			return false;
	return true;
}

static chosen values_chosen(algebra *a, const int64_t *row, int64_t cols)
{
	chosen r = { .even = true };
	int64_t c, d;

	r.v = ARENA_ARRAY(&a->s.a, int64_t, cols);
	for (c = 0; c < cols; c = d) {
		for (d = c; d < cols && row[d] == row[c]; d++)
			;
		r.even = r.even && (!r.n || d - c == r.times);
		r.times = d - c;
		r.step = gcd64(r.step, row[c] - row[0]);
		r.v[r.n++] = row[c];
	}
	if (!r.step)
		r.step = 1;
	return r;
}

static bool in_steps(const chosen *v)
{
	int64_t c;

	for (c = 0; c < v->n; c++)
		if (v->v[c] != v->v[0] + v->step * c)
			return false;
	return true;
}

/* The one table of e that a chooser's labels are in; -1 when they are in none, -2 when e reads them in another way, data read
 * at them included. */
static int read_through(algebra *a, const ix *e, const chooser *c)
{
	int x, where = -1;

	for (x = 0; x < c->nq; x++)
		if (ix_stride(e, c->q[x]))
			return -2;
	for (x = 0; x < e->nt; x++)
		if (e->t[x].l->data && data_reads(a, 1, &e->t[x].l, c->nq, c->q))
			return -2;
	for (x = 0; x < e->ntab; x++) {
		if (data_reads(a, e->tab[x].nl, e->tab[x].l, c->nq, c->q))
			return -2;
		if (labels_meet(e->tab[x].nl, e->tab[x].l, c->nq, c->q)) {
			if (where >= 0)
				return -2;
			where = x;
		}
	}
	return where;
}

/* t - t[0] = factor * (p - p[0]) / step at every place? */
static bool table_multiple(const ix_table_part *t, const ix_table_part *p, int64_t step, int64_t *factor)
{
	int64_t i, d;

	if (t->nl != p->nl || t->len != p->len)
		return false;
	for (i = 0; i < p->nl; i++)
		if (t->l[i] != p->l[i])
			return false;
	for (i = 0; i < p->len && p->v[i] == p->v[0]; i++)
		;
	if (i == p->len)
		return false;
	d = (p->v[i] - p->v[0]) / step;
	*factor = (t->v[i] - t->v[0]) / d;
	for (i = 0; i < p->len; i++)
		if (t->v[i] - t->v[0] != *factor * ((p->v[i] - p->v[0]) / step))
			return false;
	return true;
}

/* A factor whose every reading of the labels is through the table, or a multiple of it, reads the values by `fresh`. */
static bool reread(algebra *a, slot *t, const chooser *c, const chosen *v, label *fresh, const int64_t *norm)
{
	const ix_table_part *p = c->p, *mine;
	label *one[1] = { fresh };
	int64_t factor;
	int where;
	ix *e;

	if (t->x == NIL)
		return !labels_meet(t->nl, t->l, c->nq, c->q) && !data_reads(a, t->nl, t->l, c->nq, c->q);
	where = read_through(a, t->e, c);
	if (where < 0)
		return where == -1;
	mine = &t->e->tab[where];
	if (!table_multiple(mine, p, v->step, &factor))
		return false;
	e = ix_plus(&a->s, ix_without_table(&a->s, t->e, where), mine->v[0] - factor * ((p->v[0] - v->v[0]) / v->step));
	e = ix_add(&a->s, e, ix_times(&a->s, ix_table(&a->s, 1, one, norm), factor));
	t->e = ix_norm(&a->s, e);
	return true;
}

/* Every factor reads the values by `fresh`, or none is changed. */
static bool reread_all(algebra *a, work *w, const chooser *c, const chosen *v, label *fresh)
{
	slot *fs = ARENA_ARRAY(&a->s.a, slot, w->nslot);
	int64_t *norm = ARENA_ARRAY(&a->s.a, int64_t, v->n), i;
	int k;

	for (i = 0; i < v->n; i++)
		norm[i] = (v->v[i] - v->v[0]) / v->step;
	memcpy(fs, w->slot, sizeof *fs * (size_t)w->nslot);
	for (k = 0; k < w->nslot; k++)
		if (!reread(a, &fs[k], c, v, fresh, norm))
			return false;
	w->slot = fs;
	return true;
}

/* The node with one table's choice counted; NIL when that is not possible or gains nothing. */
static eg_id reindex_by(algebra *a, work *w, const chooser *c, int nb, label *const *bl, bool idempotent)
{
	int64_t rows, cols, *row = sorted_rows(a, c, &rows, &cols);
	label *fresh;
	chosen v;

	if (!rows_agree(row, rows, cols))
		return refuse(a, "the values taken differ between devices");
	v = values_chosen(a, row, cols);
	if (!idempotent && !(v.even && (w->kind == C_EIN || v.times == 1)))
		return NIL;
	if (c->p->nl == 1 && !in_steps(&v))
		return NIL;
	fresh = label_new(&a->s, v.n);
	fresh->bound = true;
	if (!reread_all(a, w, c, &v, fresh))
		return NIL;
	work_count_by(a, w, nb, bl, c->nq, c->q, fresh);
	return w->kind == C_EIN ? result_scaled(a, w, (rat){ v.times, 1 }) : work_result(a, w);
}

/* sum_q F(T(q, rest)) = m * sum over the values of T, when each is taken m times whatever rest is. */
eg_id prim_sum_reindex(algebra *a, eg_id n)
{
	bool idempotent = core_kind(a, n) == C_RED && reducer_idempotent(core_fn(a, n));
	work *w = work_open(a, n);
	label *bl[LEAVES];
	chooser c;
	int nb, j, k;

	work_settle(a, w);
	nb = bound_leaves(&a->s, w, bl, LEAVES);
	for (j = 0; j < w->nslot; j++) {
		const ix *e = w->slot[j].e;
		for (k = 0; e && k < e->ntab; k++) {
			eg_id r = chooser_open(&e->tab[k], nb, bl, &c) ? reindex_by(a, w, &c, nb, bl, idempotent) : NIL;
			if (r != NIL)
				return r;
		}
	}
	return NIL;
}
