/* prim_cut.c - one label cut in two ways (search phase): S8.
 *
 * Where operands read one run of labels as digits that do not divide each other
 * (6 as 2 x 3 and as 3 x 2), one of them is read through a table; which one is an
 * accident of how the program was written.  All cuts of the run into two are
 * tried, and the node takes the least: fewest table entries, then the order of
 * what would be written.  So programs that cut it differently meet.
 */
#include "prim/prim.h"

#include "core/mask.h"

enum { PLACES = 4096 };

/* Neighbouring labels, the first of the node's free ones or in the order of `l`. */
struct run {
	bool bound;
	int n, first;
	int64_t size;
};

/* ---- the run */

static bool in_table(const work *w, const label *l)
{
	int k;

	for (k = 0; k < w->nslot; k++)
		if (ix_in_table(w->slot[k].e, l))
			return true;
	return false;
}

/* The summed labels of tables that the first slot which can reads as the digits of one number, most significant first. */
static int chain_of(algebra *a, const work *w, label **out)
{
	label *leaf[LEAVES];
	int n = bound_leaves(&a->s, w, leaf, LEAVES), m = 0, k, i, best;

	for (k = 0; k < w->nslot && m < 2; k++) {
		const ix *e = w->slot[k].e;
		for (m = 0;; out[m++] = leaf[best]) {
			for (best = -1, i = 0; i < n; i++)
				if (in_table(w, leaf[i]) && ix_stride(e, leaf[i]) > 0 &&
				    (m ? ix_stride(e, out[m - 1]) == ix_stride(e, leaf[i]) * leaf[i]->n
				       : best < 0 || ix_stride(e, leaf[i]) > ix_stride(e, leaf[best])))
					best = i;
			if (best < 0 || label_in(leaf[best], m, out))
				break;
		}
	}
	return m;
}

static int labels_of(algebra *a, const work *w, bool bound, label **out)
{
	return bound ? chain_of(a, w, out) : free_leaves(&a->s, w, out, LEAVES);
}

/* From the first to the last label that occurs in a table. */
static struct run find_run(algebra *a, const work *w, bool bound)
{
	label *l[LEAVES];
	int n = labels_of(a, w, bound, l), k, last = -1;
	struct run r = { bound, 0, -1, 1 };

	for (k = 0; k < n; k++)
		if (in_table(w, l[k])) {
			r.first = r.first < 0 ? k : r.first;
			last = k;
		}
	r.n = r.first < 0 ? 0 : last - r.first + 1;
	for (k = 0; k < r.n && r.size <= PLACES; k++)
		r.size *= l[r.first + k]->n;
	return r;
}

/* ---- one cut */

static work *opened_settled(algebra *a, eg_id n)
{
	work *w = work_open(a, n);

	work_settle(a, w);
	return w;
}

/* The node with the run as one label, cut at `low` (1: not at all). */
static work *recut(algebra *a, eg_id n, const struct run *r, int64_t low)
{
	work *w = opened_settled(a, n);
	label *all[LEAVES], *chain[LEAVES], *one[1] = { label_new(&a->s, r->size) };
	struct run_among among = { .bound = r->bound, .all = all, .nrun = r->n, .run = (r->bound ? chain : all) + r->first };
	int64_t *at = ARENA_ARRAY(&a->s.a, int64_t, r->size), i;

	one[0]->bound = r->bound;
	if (low > 1)	/* before anything reads it: a table cuts it as it likes */
		label_cut(&a->s, one[0], low);
	among.n = r->bound ? bound_leaves(&a->s, w, all, LEAVES) : free_leaves(&a->s, w, all, LEAVES);
	if (r->bound)
		chain_of(a, w, chain);
	for (i = 0; i < r->size; i++)
		at[i] = i;
	run_join(a, w, &among, one[0], run_digits(a, 1, one, r->size, at, r->n, among.run));
	return w;
}

/* ---- the least */

static bool less(algebra *a, work *x, work *y)
{
	int64_t c, d;

	index_tables(x, &c);
	index_tables(y, &d);
	return c != d ? c < d : work_compare(a, x, y) < 0;
}

static eg_id least_cut(algebra *a, eg_id n, const struct run *r)
{
	work *best = opened_settled(a, n);
	int64_t low, at = 0;

	for (low = 1; low < r->size; low++) {
		work *w;
		if (r->size % low)
			continue;
		w = recut(a, n, r, low);
		if (less(a, w, best)) {
			best = w;
			at = low;
		}
	}
	return at ? work_result(a, recut(a, n, r, at)) : NIL;
}

/* Is every operand read as a normal form reads it?  Else other rules come first. */
static bool slots_stand(algebra *a, const work *w)
{
	int k;

	for (k = 0; k < w->nslot; k++) {
		eg_id o = peek(a, w->slot[k].x);
		if (!core_atom(a, o) && !ix_renames(&a->s, w->slot[k].e, core_len(a, w->slot[k].x)))
			return false;
	}
	return true;
}

/* S8: a run of labels is cut where its counterpart cuts it. */
eg_id prim_pairing_recut(algebra *a, eg_id n)
{
	work *w;
	int k;

	if (eg_narg(a->g, n) < 2 || !reads_tables(a, n))
		return NIL;
	w = opened_settled(a, n);
	if (!slots_stand(a, w))
		return NIL;
	for (k = 0; k < 2; k++) {
		struct run r = find_run(a, w, k == 1);
		eg_id to = r.n > 1 && r.size <= PLACES ? least_cut(a, n, &r) : NIL;
		if (to != NIL)
			return to;
	}
	return NIL;
}
