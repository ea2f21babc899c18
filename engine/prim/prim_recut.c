/* prim_recut.c - labels that were cut in one place and are read as cut in another (RULES T44).
 *
 * A label of 420 places that one reshape cut at 30 and another needs cut at 14
 * is read through tables over its two digits.  The digits k, l of sizes a, b
 * are one label v = b k + l of a b places again, and where what the tables say
 * is linear over other digits of v, it is cut there.  Free labels are such
 * digits when they stand side by side in the output index; summed ones in any
 * order, a sum does not mind.
 */
#include "prim/prim.h"

#include "core/mask.h"

enum { RUN_MAX = 5, PART_MAX = 3 };	/* labels of a run; of a table that are put into every order */

/* Labels that are digits of one number, most significant first. */
struct run {
	bool bound;
	int at, n;		/* free ones: the first of them */
	label *l[RUN_MAX];
};

struct cut {
	algebra *a;
	work *w;
	int nfree, nbound;
	label *free[LEAVES], *bound[LEAVES];
	int tables;		/* index tables of the node */
	int64_t cells;		/* their entries */
};

/* Is the step from each value to the next, but into another block of c, that of the first two? */
static bool blocks_alike(const int64_t *v, int64_t n, int64_t c)
{
	int64_t i;

	for (i = 1; i < n; i++)
		if (i % c && v[i] - v[i - 1] != v[1] - v[0])
			return false;
	return true;
}

/* The first place at which what e says of the run's number is no longer linear, when it may become so by a cut there; else 0. */
static int64_t first_bend(scratch *s, const ix *e, const struct run *r)
{
	int64_t n = grid_size(s, r->n, (label **)r->l), *v = ix_values(s, ix_part(s, e, r->n, r->l), r->n, (label **)r->l), c;

	for (c = 1; c < n && v[c] - v[c - 1] == v[1] - v[0]; c++)
		;
	return c < n && n % c == 0 && blocks_alike(v, n, c) ? c : 0;
}

/* The node with the run's number cut at c, when that leaves fewer tables; else NIL. */
static eg_id recut(struct cut *q, const struct run *r, int64_t c)
{
	scratch *s = &q->a->s;
	work *w = ARENA_NEW(&s->a, work);
	struct run_among among = { r->bound, r->bound ? q->nbound : q->nfree, r->n, r->bound ? q->bound : q->free, r->l };
	int64_t size[RUN_MAX], cells;
	label *v = label_new(s, grid_size(s, r->n, (label **)r->l));
	int i;

	v->bound = r->bound;
	label_cut(s, v, c);
	for (i = 0; i < r->n; i++)
		size[i] = r->l[i]->n;
	*w = *q->w;
	w->slot = ARENA_ARRAY(&s->a, slot, w->nslot);
	memcpy(w->slot, q->w->slot, sizeof *w->slot * (size_t)w->nslot);
	run_join(q->a, w, &among, v, ix_digits(s, ix_of(s, v, 1), r->n, size));
	return index_tables(w, &cells) < q->tables && cells < q->cells ? work_result(q->a, w) : NIL;
}

/* The free labels from the first to the last one that a table reads. */
static bool free_run(const struct cut *q, const ix_table_part *t, struct run *r)
{
	int i, k, lo = q->nfree, hi = -1;

	for (i = 0; i < t->nl; i++) {
		k = label_place(t->l[i], q->nfree, q->free);
		if (k < 0)
			return false;
		lo = k < lo ? k : lo;
		hi = k > hi ? k : hi;
	}
	*r = (struct run){ .at = lo, .n = hi - lo + 1 };
	if (r->n > RUN_MAX)
		return false;
	memcpy(r->l, q->free + lo, sizeof *r->l * (size_t)r->n);
	return true;
}

/* The k-th order of the summed labels that a table reads; false when there is none. */
static bool bound_run(const struct cut *q, const ix_table_part *t, int k, struct run *r)
{
	static const uint8_t order[6][PART_MAX] = { { 0, 1, 2 }, { 1, 0, 2 }, { 2, 0, 1 }, { 0, 2, 1 }, { 1, 2, 0 }, { 2, 1, 0 } };
	int i;

	if (t->nl > PART_MAX || k >= (t->nl == 2 ? 2 : 6))
		return false;
	*r = (struct run){ .bound = true, .n = t->nl };
	for (i = 0; i < t->nl; i++) {
		r->l[i] = t->l[order[k][i]];
		if (!label_in(r->l[i], q->nbound, q->bound))
			return false;
	}
	return true;
}

static eg_id try_run(struct cut *q, const ix *e, const struct run *r)
{
	int64_t c = first_bend(&q->a->s, e, r);

	return c > 1 ? recut(q, r, c) : NIL;
}

static eg_id recut_table(struct cut *q, const ix *e, const ix_table_part *t)
{
	enum core_kind kind = q->w->kind;
	struct run r;
	eg_id res = NIL;
	int k;

	if (t->nl < 2)
		return NIL;
	if (free_run(q, t, &r))
		return try_run(q, e, &r);
	for (k = 0; res == NIL && (kind == C_EIN || kind == C_RED) && bound_run(q, t, k, &r); k++)
		res = try_run(q, e, &r);
	return res;
}

eg_id prim_label_recut(algebra *a, eg_id n)
{
	struct cut *q;
	eg_id res;
	int i, j;

	if (!reads_tables(a, n))
		return NIL;
	q = ARENA_NEW(&a->s.a, struct cut);
	q->a = a;
	q->w = work_open(a, n);
	work_settle(a, q->w);
	q->nfree = free_leaves(&a->s, q->w, q->free, LEAVES);
	q->nbound = bound_leaves(&a->s, q->w, q->bound, LEAVES);
	q->tables = index_tables(q->w, &q->cells);
	for (i = 0; i < q->w->nslot; i++)
		for (j = 0; j < q->w->slot[i].e->ntab; j++)
			if ((res = recut_table(q, q->w->slot[i].e, &q->w->slot[i].e->tab[j])) != NIL)
				return res;
	return NIL;
}
