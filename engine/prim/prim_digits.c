/* prim_digits.c - N3: in which order the digits of a label stand that only a mask knows.
 *
 * A stack that is written two parts a trip is filled at the places 2 i and 2 i + 1
 * by one program, and at place i of one dimension and 0 and 1 of another by the
 * other.  A mask that is a product over digits of such a label says which digits
 * there are; the order in which they stand is then that of the normal form.
 */
#include "prim/prim.h"

#include "core/mask.h"

/* A mask as high x low digits of one label x all other places. */
struct halves {
	int64_t hi, lo, outer, inner;
	const double *v;
};

static bool is_set(const struct halves *h, int64_t hi, int64_t lo, int64_t rest)
{
	return h->v[((rest / h->inner * h->hi + hi) * h->lo + lo) * h->inner + rest % h->inner] != 0;
}

/* Some value of the high digit (`by_low` 0), or of the low one, has the mask set with this value of the other. */
static bool any_set(const struct halves *h, bool by_low, int64_t digit, int64_t rest)
{
	int64_t k;

	for (k = 0; k < (by_low ? h->hi : h->lo); k++)
		if (by_low ? is_set(h, k, digit, rest) : is_set(h, digit, k, rest))
			return true;
	return false;
}

static bool ever_set(const struct halves *h, bool by_low, int64_t digit)
{
	int64_t r;

	for (r = 0; r < h->outer * h->inner; r++)
		if (any_set(h, by_low, digit, r))
			return true;
	return false;
}

/* Is the mask [A(one digit, rest)] [B(other digit)], the other being the low one or else the high one, and A no function of
 * its digit alone? */
static bool is_product(const struct halves *h, bool low)
{
	int64_t n = low ? h->lo : h->hi, m = low ? h->hi : h->lo, i, k, r;
	bool varies = false;

	for (i = 0; i < m; i++)
		for (r = 0; r < h->outer * h->inner; r++)
			varies = varies || any_set(h, !low, i, r) != any_set(h, !low, i, 0);
	for (k = 0; k < n && varies; k++) {
		bool b = ever_set(h, low, k);
		for (i = 0; i < m; i++)
			for (r = 0; r < h->outer * h->inner; r++)
				if ((low ? is_set(h, i, k, r) : is_set(h, k, i, r)) != (b && any_set(h, !low, i, r)))
					return false;
	}
	return varies;
}

static bool splits(const slot *t, int axis, int64_t lo, bool low)
{
	struct halves h = { .lo = lo, .v = t->v };
	int64_t n;

	grid_axis(t->nl, t->l, axis, &h.outer, &n, &h.inner);
	h.hi = n / lo;
	return h.hi * lo == n && is_product(&h, low);
}

/* Where to cut a label, the digit that stands alone as large as can be: else it would be taken to pieces.  0: nowhere. */
static int64_t cut_of(const slot *t, int axis)
{
	int64_t n = t->l[axis]->n, lo;

	for (lo = n / 2; lo > 1; lo--)
		if (splits(t, axis, lo, true))
			return lo;
	for (lo = 2; lo < n; lo++)
		if (splits(t, axis, lo, false))
			return lo;
	return 0;
}

/* A free label of the node that nothing but its mask reads. */
static bool only_mask(algebra *a, const masked *m, int nfree, label *const *free, const label *l)
{
	int k;

	if (l->data || !label_in(l, nfree, free))
		return false;
	for (k = 0; k < m->w->nslot; k++)
		if (k != m->tab && (reads_label(a, &m->w->slot[k], l) || data_reads(a, m->w->slot[k].nl, m->w->slot[k].l, 1, (label *const *)&l)))
			return false;
	return true;
}

/* v with l replaced by two labels, in place k. */
static label **with_digits(scratch *s, int n, label *const *v, int k, label *hi, label *lo)
{
	label **r = ARENA_ARRAY(&s->a, label *, n + 1);

	memcpy(r, v, sizeof *r * (size_t)k);
	r[k] = hi;
	r[k + 1] = lo;
	memcpy(r + k + 2, v + k + 1, sizeof *r * (size_t)(n - k - 1));
	return r;
}

/* The node with the mask's label `axis` as two digits, when these stand in another order then; else NIL. */
static eg_id as_digits(algebra *a, const masked *m, int nfree, label *const *free, int axis, int64_t lo)
{
	scratch *s = &a->s;
	work *w = work_like(a, m->w, m->w->kind, m->w->nslot, m->w->slot);
	slot *t = &w->slot[m->tab];
	label *l = t->l[axis], *high = label_new(s, l->n / lo), *low = label_new(s, lo);

	t->l = with_digits(s, t->nl++, t->l, axis, high, low);
	work_set_free(a, w, nfree + 1, with_digits(s, nfree, free, label_place(l, nfree, free), high, low));
	return work_turned(a, w, high, low);
}

eg_id prim_table_digits(algebra *a, eg_id n)
{
	label *free[LEAVES];
	masked m;
	const slot *t;
	int nfree, k;
	int64_t lo;
	eg_id r = NIL;

	if (pairing_read(a, n).ndata == 0 || !(operand_kinds(a, n) & 1u << C_TABLE) || !masked_open(a, n, &m))
		return NIL;
	t = &m.w->slot[m.tab];
	nfree = free_leaves(&a->s, m.w, free, LEAVES);
	if (t->nl < 2 || t->c.num != 1 || !truth_table(t))
		return NIL;
	for (k = 0; k < t->nl && r == NIL; k++)
		if (only_mask(a, &m, nfree, free, t->l[k]) && (lo = cut_of(t, k)))
			r = as_digits(a, &m, nfree, free, k, lo);
	return r;
}
