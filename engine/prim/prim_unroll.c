/* prim_unroll.c - a short reduction written out as its terms (search phase): S7.
 *
 * The reverse of N23 and N24, for a counterpart that was unrolled and whose terms
 * are no instances of one expression any more, because some became simpler, or
 * may not be folded.  Only where there is such a counterpart: terms of the same
 * operation, length and number, made of what the reduction reads.
 */
#include "prim/prim.h"

#include "core/mask.h"

enum { TERMS_MAX = 16, CHUNKED_MAX = 64, READ_MAX = 64, DEPTH = 4 };

/* ---- what an expression reads nearby */

struct reads {
	int n;
	eg_id root[READ_MAX];
};

static bool constant_core(const algebra *a, eg_id o)
{
	enum core_kind k = core_kind(a, o);

	return k == C_NUMBER || k == C_TABLE || k == C_INDEX;
}

static void add_reads(algebra *a, eg_id x, int depth, struct reads *r)
{
	eg_id o = peek(a, x), root = eg_root(a->g, x);
	uint32_t k, i;

	if (constant_core(a, o) || r->n == READ_MAX)
		return;
	for (i = 0; i < (uint32_t)r->n; i++)
		if (r->root[i] == root)
			return;
	r->root[r->n++] = root;
	for (k = 0; depth > 0 && k < eg_narg(a->g, o); k++)
		add_reads(a, eg_args(a->g, o)[k], depth - 1, r);
}

/* Is x an expression of what is read, and of constants? */
static bool made_of(algebra *a, eg_id x, int depth, const struct reads *r)
{
	eg_id o = peek(a, x), root = eg_root(a->g, x);
	uint32_t k, m = eg_narg(a->g, o);
	int i;

	if (constant_core(a, o))
		return true;
	for (i = 0; i < r->n; i++)
		if (r->root[i] == root)
			return true;
	for (k = 0; depth > 0 && k < m && made_of(a, eg_args(a->g, o)[k], depth - 1, r); k++)
		;
	return depth > 0 && m && k == m;
}

/* ---- the counterpart */

static enum core_kind unrolled_kind(const algebra *a, eg_id n)
{
	if (core_kind(a, n) == C_EIN)
		return C_SUM;
	return strcmp(core_fn(a, n), "multiply") ? C_LAT : C_MUL;
}

/* Operands of o that are made of what n reads: most of them, at least two; else 0. */
static int terms_like(algebra *a, eg_id o, const struct reads *mine)
{
	int m = (int)eg_narg(a->g, o), like = 0, other = 0, k;

	for (k = 0; k < m && 2 * other <= m; k++)
		if (constant_core(a, peek(a, eg_args(a->g, o)[k])))
			continue;
		else if (made_of(a, eg_args(a->g, o)[k], DEPTH, mine))
			like++;
		else
			other++;
	return like >= 2 && like > other ? like : 0;
}

/* How many terms another node has that n may be written out as: the most that fit, or 0. */
static int counterpart(algebra *a, eg_id n, int64_t size)
{
	enum core_kind kind = unrolled_kind(a, n);
	struct reads mine = { .n = 0 };
	uint32_t count, k;
	const eg_id *of = eg_family_nodes(a->g, a->fam[kind], &count);
	int most = 0, like;

	for (k = 0; k < eg_narg(a->g, n); k++)
		add_reads(a, eg_args(a->g, n)[k], DEPTH - 1, &mine);
	a->s.cells += count;
	for (k = 0; k < count; k++) {
		uint32_t m = eg_narg(a->g, of[k]);
		if (m < 2 || m > TERMS_MAX || core_type(a, of[k]) != core_type(a, n) || core_len(a, of[k]) != core_len(a, n) ||
		    normal_node(a, of[k]) != of[k] || eg_root(a->g, of[k]) == eg_root(a->g, n) ||
		    (kind == C_LAT && strcmp(core_fn(a, of[k]), core_fn(a, n))))
			continue;
		like = terms_like(a, of[k], &mine);
		if (like <= size && like > most)
			most = like;
	}
	return most;
}

/* ---- the terms */

/* The node at one value of a summed label. */
static slot term_at(algebra *a, const work *w, label *s, int64_t at)
{
	slot *fs = ARENA_ARRAY(&a->s.a, slot, w->nslot);
	label *all[128], *own[64], **left = ARENA_ARRAY(&a->s.a, label *, 128), *from[1] = { s };
	ix *to[1] = { ix_const(&a->s, at) };
	int n, m = 0, k, nown;
	work *t;

	for (k = 0; k < w->nslot; k++) {
		fs[k] = w->slot[k];
		fs[k].e = ix_norm(&a->s, ix_subst(&a->s, fs[k].e, 1, from, to));
	}
	n = bound_leaves(&a->s, w, all, 128);
	nown = label_leaves(s, own, 64);
	for (k = 0; k < n; k++)
		if (!label_in(all[k], nown, own))
			left[m++] = all[k];
	if (!m && w->kind == C_RED)
		return fs[0];
	t = work_like(a, w, m ? w->kind : C_MUL, w->nslot, fs);
	work_set_bound(a, t, m, left);
	return slot_of_work(a, t, RAT_ONE);
}

static eg_id written_out(algebra *a, eg_id n, work *w, label *s)
{
	slot *t = ARENA_ARRAY(&a->s.a, slot, s->n);
	int64_t k;
	work *r;

	for (k = 0; k < s->n; k++) {
		t[k] = term_at(a, w, s, k);
		t[k].c = RAT_ONE;
	}
	r = work_like(a, w, unrolled_kind(a, n), (int)s->n, t);
	r->nbound = 0;
	return work_result(a, r);
}

/* The label, or its high digit, of whose values at least half have a term in the counterpart.  Sums of chunks are folded
 * by N23 and need no digit. */
static label *digit_for(algebra *a, const work *w, label *l, int terms)
{
	if (l->n <= TERMS_MAX && 2 * terms >= l->n)
		return l;
	if (w->kind == C_EIN || l->n > CHUNKED_MAX || l->n % terms)
		return NULL;
	label_cut(&a->s, l, l->n / terms);
	return l->hi;
}

/* S7: a reduction over a factor of n is n terms. */
eg_id prim_reduction_terms(algebra *a, eg_id n)
{
	label *b[128], *s;
	work *w;
	int k, nb, terms;

	if (!pairing_read(a, n).nbound || (terms = counterpart(a, n, TERMS_MAX)) < 2)
		return NIL;
	w = work_open(a, n);
	work_settle(a, w);
	nb = bound_leaves(&a->s, w, b, 128);
	for (k = 0; k < nb; k++)
		if ((s = digit_for(a, w, b[k], terms))) {
			work_settle(a, w);
			return written_out(a, n, w, s);
		}
	return refuse(a, "no factor of the reduction has %d places", terms);
}
