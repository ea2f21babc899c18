/* prim_shift.c - a shift inside one index (N7). */
#include "prim/prim.h"

#include "core/mask.h"
#include "core/zip.h"

enum { SHIFTERS = 64 };

/* The one factor x[rest + c s + c T(u)] that a summed label s is read by, and T. */
typedef struct shift {
	label *s;
	int where;		/* the factor */
	int64_t c;
	ix *rest;
	int nu;			/* labels the shift depends on */
	label *u[SHIFTERS];
	int64_t *by, len;	/* T, over u */
	int64_t lo, hi;		/* of T */
} shift;

/* The only factor, and it once, that reads s; -1: there are none or several. */
static int only_reader(algebra *a, const masked *m, const label *s)
{
	int k, where = -1;

	for (k = 0; k < m->w->nslot; k++)
		if (k != m->tab && reads_label(a, &m->w->slot[k], s)) {
			if (where >= 0)
				return -1;
			where = k;
		}
	return where >= 0 && m->w->slot[where].c.num == 1 ? where : -1;
}

/* Whether a table moves the index by whole steps of c, for reasons that are not summed and move it in no other way. */
static bool table_shifts(const ix *e, const ix_table_part *p, int64_t c, int nb, label *const *bl)
{
	int64_t x;
	int j;

	for (x = 0; x < p->len; x++)
		if (p->v[x] % c)
			return false;
	for (j = 0; j < p->nl; j++)
		if (p->l[j]->data || label_in(p->l[j], nb, bl) || ix_stride(e, p->l[j]))
			return false;
	return true;
}

static bool add_labels(shift *h, const ix_table_part *p)
{
	int j;

	for (j = 0; j < p->nl; j++)
		if (!label_in(p->l[j], h->nu, h->u)) {
			if (h->nu == SHIFTERS)
				return false;
			h->u[h->nu++] = p->l[j];
		}
	return true;
}

/* The index of the factor taken apart: tables that shift it, summed in *by, and the rest. */
static bool take_apart(algebra *a, shift *h, const ix *e, int nb, label *const *bl, ix **by)
{
	ix *rest = (ix *)e;
	int k;

	*by = ix_const(&a->s, 0);
	h->nu = 0;
	for (k = 0; k < rest->ntab; ) {
		ix_table_part *p = &rest->tab[k];
		ix one = { .ntab = 1, .tab = p };
		if (label_in(h->s, p->nl, p->l))
			return false;
		if (!table_shifts(e, p, h->c, nb, bl)) {
			k++;
			continue;
		}
		if (!add_labels(h, p))
			return false;
		*by = ix_add(&a->s, *by, &one);
		rest = ix_without_table(&a->s, rest, k);
	}
	for (k = 0; k < rest->ntab; k++)
		if (labels_meet(rest->tab[k].nl, rest->tab[k].l, h->nu, h->u))
			return false;
	h->rest = rest;
	return rest != e;
}

/* The values of T; false when s moves by whole chunks: those are a digit, not a shift. */
static bool shift_values(algebra *a, shift *h, const ix *by)
{
	bool chunks = true;
	int64_t x;

	h->len = grid_size(&a->s, h->nu, h->u);
	h->by = ix_values(&a->s, by, h->nu, h->u);
	h->lo = INT64_MAX;
	h->hi = INT64_MIN;
	for (x = 0; x < h->len; x++) {
		h->by[x] /= h->c;
		h->lo = h->by[x] < h->lo ? h->by[x] : h->lo;
		h->hi = h->by[x] > h->hi ? h->by[x] : h->hi;
	}
	for (x = 0; x < h->len; x++)
		chunks = chunks && (h->by[x] - h->lo) % h->s->n == 0;
	return !chunks;
}

static bool shift_open(algebra *a, const masked *m, label *s, int nb, label *const *bl, shift *h)
{
	ix *e, *by;

	h->s = s;
	h->where = only_reader(a, m, s);
	if (h->where < 0)
		return false;
	e = ix_norm(&a->s, m->w->slot[h->where].e);
	h->c = ix_stride(e, s);
	return h->c && take_apart(a, h, e, nb, bl, &by) && shift_values(a, h, by);
}

static slot ones(algebra *a, int nl, label **l)
{
	int64_t n = grid_size(&a->s, nl, l), i;
	slot t = slot_table(TYPE_REAL, nl, l, ARENA_ARRAY(&a->s.a, double, n), RAT_ONE);

	for (i = 0; i < n; i++)
		t.v[i] = 1;
	return t;
}

/* The mask as it is, over u, its own other labels and, as its columns, s. */
static void mask_before(algebra *a, const masked *m, shift *h, struct grid *g)
{
	label **run = &h->s;
	slot all = ones(a, h->nu, h->u), line = ones(a, 1, run), none = table_one(a);

	all = tables_zip(a, &all, m->tab >= 0 ? &m->w->slot[m->tab] : &none, zip_times, TYPE_REAL);
	if (!label_in(h->s, all.nl, all.l))
		all = tables_zip(a, &all, &line, zip_times, TYPE_REAL);
	grid_of(a, &all, 1, run, g);
}

/* The mask by s' = s + T - lo, which takes *n values. */
static double *mask_shifted(algebra *a, const shift *h, const struct grid *g, int64_t n)
{
	int64_t *at = grid_places(&a->s, g->nrest, g->rest, h->nu, h->u), r, x;
	double *v = arena_zalloc(&a->s.a, sizeof *v * (size_t)(g->rows * n));

	for (r = 0; r < g->rows; r++)
		for (x = 0; x < n; x++) {
			int64_t back = x + h->lo - h->by[at[r]];
			if (back >= 0 && back < h->s->n)
				v[r * n + x] = g->v[r * h->s->n + back];
		}
	return v;
}

/* Where the mask is zero after the shift, any value may stand: all of them must be finite. */
static bool zero_annuls(algebra *a, const masked *m)
{
	int k;

	if (m->tab >= 0)
		return slots_finite(a, m->w->nslot, m->w->slot);
	for (k = 0; k < m->w->nslot; k++)
		if (!slot_finite_power(a, &m->w->slot[k]))
			return false;
	return true;
}

static void put_mask(algebra *a, masked *m, const struct grid *g, label *fresh, double *v)
{
	slot *fs, t = slot_table(TYPE_REAL, g->nrest + 1, grid_labels(a, g, fresh), v, RAT_ONE);

	if (m->tab >= 0) {
		m->w->slot[m->tab] = t;
		return;
	}
	fs = ARENA_ARRAY(&a->s.a, slot, m->w->nslot + 1);
	memcpy(fs, m->w->slot, sizeof *fs * (size_t)m->w->nslot);
	fs[m->w->nslot] = t;
	m->w->slot = fs;
	m->w->nslot++;
}

/* The factor reads rest + c s'; false when it would be read where it has no values. */
static bool read_shifted(algebra *a, work *w, const shift *h, label *fresh)
{
	ix *zero = ix_const(&a->s, 0), *e = ix_plus(&a->s, h->rest, h->c * h->lo);
	label *from[1] = { h->s };
	slot *t = &w->slot[h->where];
	int64_t lo, hi;

	e = ix_subst(&a->s, e, 1, from, &zero);
	t->e = ix_norm(&a->s, ix_add(&a->s, e, ix_of(&a->s, fresh, h->c)));
	ix_range(&a->s, t->e, &lo, &hi);
	return lo >= 0 && hi < core_len(a, t->x);
}

/* The node with s counted from the shifted place. */
static eg_id shift_one(algebra *a, masked *m, const shift *h, const struct grid *g, int nb, label *const *bl)
{
	int64_t n = h->s->n + h->hi - h->lo;
	label *fresh;

	if (g->rows * n > TABLE_MAX)
		stuck(&a->s, "a table of %lld entries would be needed", (long long)(g->rows * n));
	if (!zero_annuls(a, m))
		return refuse(a, "zero times a tensor that may be infinite");
	fresh = label_new(&a->s, n);
	fresh->bound = true;
	put_mask(a, m, g, fresh, mask_shifted(a, h, g, n));
	work_count_by(a, m->w, nb, bl, 1, &h->s, fresh);
	if (!read_shifted(a, m->w, h, fresh))
		return refuse(a, "the shift leaves its range");
	return work_result(a, m->w);
}

/* sum_s K(a, s) x[c s + c T(a)] = sum_s' K(a, s' - T(a)) x[c s'] */
eg_id prim_mask_shift(algebra *a, eg_id n)
{
	masked m;
	label *bl[LEAVES];
	struct grid g;
	shift h;
	int nb, i;

	if (!reads_tables(a, n) || !masked_open_any(a, n, &m))
		return NIL;
	nb = bound_leaves(&a->s, m.w, bl, LEAVES);
	for (i = 0; i < nb; i++) {
		if (!shift_open(a, &m, bl[i], nb, bl, &h))
			continue;
		mask_before(a, &m, &h, &g);
		if (!data_reads(a, g.nrest, g.rest, 1, &h.s))
			return shift_one(a, &m, &h, &g, nb, bl);
	}
	return NIL;
}
