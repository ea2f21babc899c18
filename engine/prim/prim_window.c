/* prim_window.c - idempotent reductions that reach some places more than once: N6b, S20.
 *
 * Windows that overlap, or are held inside the operand, show as bound labels that
 * everything below reads through fewer places than there are.  Two values of
 * these labels are alike when every index below is the same for both, whatever
 * the other labels are; the expression then has the same value at both.  Rows
 * are looked at each by itself where what is read depends on them.
 */
#include "prim/prim.h"

#include <stdlib.h>
#include "core/mask.h"
#include "tensor/reducer.h"

/* The values of labels Q as one number, and what is known to tell them apart. */
struct alike {
	int nq;
	label **q;
	int64_t n, nclass;
	int64_t *class;		/* 0..nclass-1, in the order of the indices met */
	int nrow;
	label **row;		/* labels of the rows: class has n entries for each, nclass is of the row with the most */
	int64_t rows;
	bool look;		/* for the labels of rows: those that a table reads beside Q, of the labels `kept` */
	int nkept;
	label **kept;
	int visits;
	eg_id node;		/* the rule fires on it */
};

enum { LABELS = 128, VISITS = 200 };

/* ---- one index */

/* The terms and tables of a normalised e that read one of these labels. */
static ix *part_of(algebra *a, const ix *e, int n, label *const *l)
{
	ix *r = ARENA_NEW(&a->s.a, ix);
	int k, j;

	r->t = ARENA_ARRAY(&a->s.a, ix_term, e->nt);
	r->tab = ARENA_ARRAY(&a->s.a, ix_table_part, e->ntab);
	for (k = 0; k < e->nt; k++)
		if (label_in(e->t[k].l, n, l))
			r->t[r->nt++] = e->t[k];
	for (k = 0; k < e->ntab; k++) {
		for (j = 0; j < e->tab[k].nl && !label_in(e->tab[k].l[j], n, l); j++)
			;
		if (j < e->tab[k].nl)
			r->tab[r->ntab++] = e->tab[k];
	}
	return r;
}

struct window_row {
	int64_t class, q;
	const int64_t *v;
	int64_t n;
};

static int by_value(const struct window_row *x, const struct window_row *y)
{
	int64_t k;

	if (x->class != y->class)
		return x->class < y->class ? -1 : 1;
	for (k = 0; k < x->n; k++)
		if (x->v[k] != y->v[k])
			return x->v[k] < y->v[k] ? -1 : 1;
	return 0;
}

static int by_value_then_place(const void *x, const void *y)
{
	const struct window_row *r = x, *s = y;
	int c = by_value(r, s);

	return c ? c : r->q < s->q ? -1 : r->q > s->q;
}

/* The labels kept that tables of e read. */
static void find_rows(algebra *a, struct alike *k, const ix *e)
{
	int i, j;

	for (i = 0; i < e->ntab; i++)
		for (j = 0; j < e->tab[i].nl; j++)
			if (label_in(e->tab[i].l[j], k->nkept, k->kept))
				k->nrow = label_collect(&a->s, k->row, k->nrow, LABELS, e->tab[i].l[j]);
}

/* Values of Q that give another index are not alike: in one row, r for its places. */
static void tell_in_row(struct alike *k, int64_t *class, const int64_t *v, int64_t cells, struct window_row *r)
{
	int64_t i, last = -1;

	for (i = 0; i < k->n; i++)
		r[i] = (struct window_row){ class[i], i, v + i * cells, cells };
	qsort(r, (size_t)k->n, sizeof *r, by_value_then_place);
	for (i = 0; i < k->n; i++)
		class[r[i].q] = last += !i || by_value(&r[i - 1], &r[i]);
	if (last + 1 > k->nclass)
		k->nclass = last + 1;
}

static void tell_apart(algebra *a, struct alike *k, const ix *e)
{
	label *leaf[2 * LABELS], **l;
	int nr = labels_leaves(&a->s, k->nrow, k->row, leaf, LABELS), nq = labels_leaves(&a->s, k->nq, k->q, leaf + nr, LABELS), nl = nr + nq, m, j;
	const ix *part = part_of(a, ix_norm(&a->s, e), nq, leaf + nr);
	struct window_row *r;
	int64_t *v, cells, i;

	m = ix_labels(&a->s, part, &l);
	if (!m)
		return;
	if (k->look) {
		find_rows(a, k, part);
		return;
	}
	for (j = 0; j < m; j++)
		if (!label_in(l[j], nr + nq, leaf))
			nl = label_collect(&a->s, leaf, nl, 2 * LABELS, l[j]);
	cells = grid_size(&a->s, nl, leaf) / (k->n * k->rows);
	v = ix_values(&a->s, part, nl, leaf);
	r = ARENA_ARRAY(&a->s.a, struct window_row, k->n);
	for (i = 0; i < k->rows; i++)
		tell_in_row(k, k->class + i * k->n, v + i * k->n * cells, cells, r);
}

/* .. and so are those at which other data is met. */
static void tell_read(algebra *a, struct alike *k, const ix *e)
{
	label **l;
	int n, j;

	e = ix_norm(&a->s, e);
	n = ix_labels(&a->s, e, &l);
	for (j = 0; j < n; j++)
		if (l[j]->data)
			tell_read(a, k, l[j]->data->at);
	tell_apart(a, k, e);
}

/* ---- all indices below */

/* May an index below the core tell less than e does? */
static bool reads_less(algebra *a, const struct alike *k, const ix *e, eg_id o)
{
	const bent_ranges *b = core_bent(a, o), *c = core_crossed(a, o);
	label *leaf[LABELS];
	int n, j;
	int64_t lo;

	if (core_atom(a, o) || core_kind(a, o) == C_VIEW)
		return false;
	if (e->ntab)
		return true;
	n = labels_leaves(&a->s, k->nq, k->q, leaf, LABELS);
	for (j = 0; j < n; j++) {
		lo = llabs(ix_stride(e, leaf[j]));
		if (lo && (bent_hits(b, lo, lo * leaf[j]->n) || bent_hits(c, lo, lo * leaf[j]->n)))
			return true;
	}
	return false;
}

static void tell_slot(algebra *a, struct alike *k, const slot *t)
{
	eg_id o = peek(a, t->x);
	work *w;
	slot *in;
	int m, j;

	if (k->nclass == k->n && !k->row)
		return;
	if (!reads_less(a, k, ix_norm(&a->s, t->e), o) || !normal_opens(a, o, k->node)) {
		tell_read(a, k, t->e);
		return;
	}
	if (--k->visits < 0)
		stuck(&a->s, "more than %d expressions below a reduction", VISITS);
	w = work_new(a, core_kind(a, o), core_type(a, o), 0);
	in = work_inline(a, o, t->e, w, &m);
	opened(a, t->x, o);
	for (j = 0; j < m; j++)
		tell_slot(a, k, &in[j]);
}

/* ---- the rule */

/* Bound labels that some index may read through fewer places than there are: the others stay. */
static int bent_bound(algebra *a, const work *w, label **out)
{
	label *leaf[LABELS];
	const ix *e = w->slot[0].e;
	eg_id o = peek(a, w->slot[0].x);
	int n = bound_leaves(&a->s, w, leaf, LABELS), m = 0, k, j;

	for (k = 0; k < n; k++) {
		struct alike one = { .nq = 1, .q = &leaf[k] };
		int64_t s = llabs(ix_stride(e, leaf[k])), t;
		bool bent = reads_less(a, &one, part_of(a, e, 1, &leaf[k]), o) || part_of(a, e, 1, &leaf[k])->ntab;
		for (j = 0; j < n && !bent; j++) {
			t = llabs(ix_stride(e, leaf[j]));
			bent = j != k && s && t && s < t * leaf[j]->n && t < s * leaf[k]->n;
		}
		if (bent)
			out[m++] = leaf[k];
	}
	return m;
}

/* One label over the classes instead of Q, read at the first place of each; rows with fewer read their last place again. */
static eg_id over_classes(algebra *a, work *w, const struct alike *k)
{
	label *leaf[LABELS], *all[LABELS], *row[LABELS + 1], *fresh = label_new(&a->s, k->nclass);
	label **left = ARENA_ARRAY(&a->s.a, label *, LABELS + 1);
	int64_t *first = ARENA_ARRAY(&a->s.a, int64_t, k->rows * k->nclass), i, r;
	int nq = labels_leaves(&a->s, k->nq, k->q, leaf, LABELS), nr = labels_leaves(&a->s, k->nrow, k->row, row, LABELS);
	int n = bound_leaves(&a->s, w, all, LABELS), m = 0, j;

	for (r = 0; r < k->rows; r++) {
		int64_t *f = first + r * k->nclass, most = 0;
		for (i = k->n; i-- > 0; ) {
			int64_t class = k->class[r * k->n + i];
			f[class] = i;
			most = class > most ? class : most;
		}
		for (i = most + 1; i < k->nclass; i++)
			f[i] = f[most];
	}
	row[nr] = fresh;
	w->slot[0].e = ix_norm(&a->s, ix_subst(&a->s, w->slot[0].e, nq, leaf, run_digits(a, nr + 1, row, k->rows * k->nclass, first, nq, leaf)));
	for (j = 0; j < n; j++)
		if (!label_in(all[j], nq, leaf))
			left[m++] = all[j];
	fresh->bound = true;
	if (k->nclass > 1)
		left[m++] = fresh;
	work_set_bound(a, w, m, left);
	return work_result(a, w);
}

/* N6b: red_{x,y} F = red_v F(first place with T = v), where F reads x and y through T(x, y) alone. */
eg_id prim_reduce_through(algebra *a, eg_id n)
{
	label *q[LABELS];
	struct alike k = { .q = q, .nclass = 1, .rows = 1, .visits = VISITS, .node = n };
	work *w;

	if (!strcmp(core_fn(a, n), "multiply") || !core_bends_bound(a, n))
		return NIL;
	w = work_open(a, n);
	work_settle(a, w);
	k.nq = bent_bound(a, w, q);
	if (!k.nq)
		return NIL;
	k.n = grid_size(&a->s, k.nq, q);
	k.class = arena_zalloc(&a->s.a, sizeof *k.class * (size_t)k.n);
	tell_slot(a, &k, &w->slot[0]);
	return k.nclass == k.n ? NIL : over_classes(a, w, &k);
}

/* Is place i of every row in class i, or where there are fewer in the last? */
static bool rows_in_order(const struct alike *k)
{
	int64_t r, i, most;

	for (r = 0; r < k->rows; r++) {
		const int64_t *c = k->class + r * k->n;
		for (most = 0, i = 0; i < k->n; i++)
			most = c[i] > most ? c[i] : most;
		for (i = 0; i < k->n && c[i] == (i < most ? i : most); i++)
			;
		if (i < k->n)
			return false;
	}
	return true;
}

/* S20: red_l F(T(a, l)) = red_s F(U(a, s)), U the places of row a, each once, in the order of what is read there, the last again
 * and again. */
eg_id prim_reduce_rows(algebra *a, eg_id n)
{
	label *q[LABELS], *row[LABELS], *kept[LABELS];
	struct alike k = { .q = q, .row = row, .kept = kept, .rows = 1, .visits = VISITS, .node = n, .look = true };
	work *w;

	if (!reducer_idempotent(core_fn(a, n)) || !core_bends_bound(a, n))
		return NIL;
	w = work_open(a, n);
	work_settle(a, w);
	k.nq = bent_bound(a, w, q);
	k.nkept = free_leaves(&a->s, w, kept, LABELS);
	if (!k.nq)
		return NIL;
	tell_slot(a, &k, &w->slot[0]);
	if (!k.nrow)
		return NIL;
	k.look = false;
	k.visits = VISITS;
	k.n = grid_size(&a->s, k.nq, q);
	k.rows = grid_size(&a->s, k.nrow, row);
	if (k.n * k.rows > TABLE_MAX)
		stuck(&a->s, "a table of %lld entries would be needed", (long long)(k.n * k.rows));
	k.class = arena_zalloc(&a->s.a, sizeof *k.class * (size_t)(k.n * k.rows));
	tell_slot(a, &k, &w->slot[0]);
	return rows_in_order(&k) ? NIL : over_classes(a, w, &k);
}
