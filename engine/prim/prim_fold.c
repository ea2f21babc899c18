/* prim_fold.c - terms of a sum that are instances of one expression: N23. */
#include "prim/prim.h"

#include <stdlib.h>
#include "core/zip.h"
#include "prim/fold.h"
#include "util/hash.h"

enum { FOLD_CELLS = 1 << 17, TERMS = 64 };

static uint64_t skeleton_key(const algebra *a, eg_id o)
{
	return hash_bytes(&core_of(a, o)->skeleton, 8, 1);
}

/* The only contraction among the factors of a product, to the power 1; -1: none, -2: several. */
static int inner_contraction(const algebra *a, eg_id o, int type)
{
	const eg_id *arg = eg_args(a->g, o);
	int i, m = core_kind(a, o) == C_MUL ? pairing_read(a, o).nslot : 0, inner = -1;

	for (i = 0; i < m; i++) {
		eg_id x = peek(a, arg[i]);
		if (core_kind(a, x) == C_EIN && core_type(a, x) == type && core_coef(a, o, i).num == 1)
			inner = inner == -1 ? i : -2;
	}
	return inner;
}

/* The factors of o; a table times a contraction is the contraction with the table.  -1: too many, or one does not open. */
static int factors_of(algebra *a, work *e, eg_id o, const ix *at, eg_id n, slot *all, int max)
{
	int m, i, q, k = 0, inner = inner_contraction(a, o, e->type);
	slot *in = work_inline(a, o, at, e, &m), *more;

	for (i = 0; i < m; i++) {
		eg_id x = peek(a, in[i].x);
		if (k == max || (i == inner && !normal_opens(a, x, n)))
			return -1;
		if (i != inner) {
			all[k++] = in[i];
			continue;
		}
		more = work_inline(a, x, in[i].e, e, &q);
		opened(a, in[i].x, x);
		for (q--; q >= 0; q--) {
			if (k == max)
				return -1;
			all[k++] = more[q];
		}
	}
	return k;
}

/* Is it a table, or in integers an index expression that is one? */
static bool is_table(const algebra *a, eg_id o)
{
	return core_kind(a, o) == C_TABLE || core_kind(a, o) == C_INDEX;
}

/* The values of a constant factor; false: data choose them. */
static bool constant_factor(algebra *a, const slot *t, slot *out)
{
	bool exact;
	ix *e;

	if (core_kind(a, peek(a, t->x)) == C_TABLE)
		return slot_table_values(a, t, out);
	if (!slot_index(a, t, &e) || ix_has_data(e))
		return false;
	*out = slot_of_ix(a, e, t->c, &exact);
	return true;
}

/* A factor of a term: its table, of which there is one, exact; or another, as a table is that is read where data says
 * when such are set apart. */
static bool put_part(algebra *a, struct fold_term *r, const slot *t, bool apart)
{
	slot v;

	if (is_table(a, peek(a, t->x)) && !(apart && ix_has_data(t->e)) && (constant_factor(a, t, &v) || core_kind(a, peek(a, t->x)) == C_TABLE)) {
		if (r->table || t->c.num != 1 || v.x != NIL || !exact_values(slot_cells(&v), v.v))
			return false;
		r->table = true;
		r->tab = v;
		r->tab.c = RAT_ONE;
		return true;
	}
	if (r->nf == TERM_FACTORS)
		return false;
	r->f[r->nf++] = *t;
	return true;
}

static uint64_t factors_key(algebra *a, const struct fold_term *r)
{
	uint64_t key = 0;
	int i;

	if (r->nf == 1 && r->f[0].c.num == 1)
		return skeleton_key(a, peek(a, r->f[0].x));
	for (i = 0; i < r->nf; i++) {
		uint64_t x[3] = { key, slot_skeleton(a, &r->f[i]), (uint64_t)r->f[i].c.num };
		key = hash_bytes(x, sizeof x, 5);
	}
	return key;
}

static bool takes_table(const algebra *a, eg_id o)
{
	uint32_t k;

	for (k = 0; k < eg_narg(a->g, o) && !is_table(a, peek(a, eg_args(a->g, o)[k])); k++)
		;
	return k < eg_narg(a->g, o) || carries_table(a, o);
}

/* Is a term taken apart? */
static bool opens_term(const algebra *a, eg_id o, int type, eg_id n)
{
	return (core_kind(a, o) == C_EIN || (core_kind(a, o) == C_MUL && takes_table(a, o))) && core_type(a, o) == type &&
	       normal_opens(a, o, n);
}

/* A term taken apart: its table, its factors, its summed labels. */
static bool open_term(algebra *a, const work *w, int at, eg_id n, bool apart, struct fold_term *r)
{
	const slot *t = &w->slot[at];
	eg_id o = t->x == NIL ? NIL : peek(a, t->x);
	work *e = work_new(a, C_EIN, w->type, 0);
	slot all[31];
	int i, k;

	*r = (struct fold_term){ .at = at, .c = t->c };
	if (slot_is_constant(a, t))
		return false;
	if (!opens_term(a, o, w->type, n)) {
		r->nf = 1;
		r->f[0] = *t;
		r->f[0].c = RAT_ONE;
		r->key = skeleton_key(a, o);
		return true;
	}
	k = factors_of(a, e, o, t->e, n, all, 31);
	opened(a, t->x, o);
	for (i = 0; i < k; i++)
		if (!put_part(a, r, &all[i], apart))
			return false;
	if (k < 0 || !r->nf)
		return false;
	sort_slots(a, r->f, r->nf);
	r->nb = bound_leaves(&a->s, e, r->b, TERM_LABELS);
	r->key = factors_key(a, r);
	return true;
}

/* A table's labels with others in place of some, also where the data is that it is read by. */
static label **renamed_labels(algebra *a, const slot *t, int n, label **from, ix **to)
{
	label **out = ARENA_ARRAY(&a->s.a, label *, t->nl);
	int k;

	for (k = 0; k < t->nl; k++) {
		const ix *e = ix_subst(&a->s, ix_of(&a->s, t->l[k], 1), n, from, to);
		out[k] = e->nt == 1 && !e->ntab && !e->base && e->t[0].s == 1 && e->t[0].l->n == t->l[k]->n ? e->t[0].l : t->l[k];
	}
	return out;
}

/* Summed labels that read the first factors at the same stride are the same label. */
static void share_labels(algebra *a, const struct fold_term *r0, struct fold_term *r)
{
	label *from[64], *used[64];
	ix *to[64];
	int n = 0, k, i, j;

	for (k = 0; k < r->nf && k < r0->nf; k++) {
		const ix *e0 = ix_norm(&a->s, r0->f[k].e), *e = ix_norm(&a->s, r->f[k].e);
		for (i = 0; i < e->nt; i++) {
			label *x = e->t[i].l;
			if (!label_in(x, r->nb, r->b) || label_in(x, n, from))
				continue;
			for (j = 0; j < e0->nt; j++) {
				label *y = e0->t[j].l;
				if (e0->t[j].s == e->t[i].s && y->n == x->n && label_in(y, r0->nb, r0->b) && !label_in(y, n, used))
					break;
			}
			if (j == e0->nt)
				continue;
			from[n] = x;
			used[n] = e0->t[j].l;
			to[n++] = ix_of(&a->s, e0->t[j].l, 1);
		}
	}
	if (!n)
		return;
	for (k = 0; k < r->nf; k++)
		r->f[k].e = ix_norm(&a->s, ix_subst(&a->s, r->f[k].e, n, from, to));
	if (r->table)
		r->tab.l = renamed_labels(a, &r->tab, n, from, to);
	for (k = 0; k < r->nb; k++) {
		for (i = 0; i < n && from[i] != r->b[k]; i++)
			;
		if (i < n)
			r->b[k] = used[i];
	}
}

/* values of t one-hot over s, times the table and the ratio, summed over private labels */
bool row_matrix(struct antiunify *g, int k, const struct fold_term *r, double ratio, int ngone, label *const *gone, slot *out)
{
	algebra *a = g->a;
	slot t = g->t[k], one, m;
	int64_t n, cnt, i, size = g->s ? g->s->n : 1, o;
	int j, p = 0;
	label **keep;

	one = table_one(a);
	m = r->table ? r->tab : one;
	m = tables_zip(a, &t, &m, zip_second, TYPE_REAL);		/* the table over all labels */
	t = tables_zip(a, &t, &m, zip_first, TYPE_REAL);
	/* both have the union of labels, in the same order */
	keep = ARENA_ARRAY(&a->s.a, label *, m.nl + 1);
	for (j = 0; j < m.nl; j++)
		if (!label_in(m.l[j], ngone, gone))
			keep[p++] = m.l[j];
	for (j = 0; j < ngone; j++)
		if (!label_in(gone[j], m.nl, m.l))
			return false;
	if (t.nl != m.nl)
		return false;
	for (j = 0; j < m.nl; j++)
		if (t.l[j] != m.l[j])
			return false;
	keep[p] = g->s;
	n = grid_size(&a->s, p, keep);
	if (n * size > TABLE_MAX)
		stuck(&a->s, "a table of %lld entries would be needed", (long long)(n * size));
	*out = slot_table(TYPE_REAL, p + 1, keep, arena_zalloc(&a->s.a, sizeof(double) * (size_t)(n * size)), RAT_ONE);
	cnt = slot_cells(&m);
	for (i = 0; i < cnt; i++) {
		int64_t w = cnt, at = 0, x;
		for (j = 0; j < m.nl; j++) {
			w /= m.l[j]->n;
			x = i / w % m.l[j]->n;
			if (!label_in(m.l[j], ngone, gone))
				at = at * m.l[j]->n + x;
		}
		o = (int64_t)t.v[i];
		out->v[at * size + o] += m.v[i] * ratio;
	}
	return true;
}

static bool antiunify_factors(struct antiunify *g, const struct fold_term *r, int n, int first, slot *out)
{
	slot col[GROUP_MAX];
	int i, j, k;

	g->nbound = 0;
	for (i = 0; i < r[0].nf; i++) {
		j = i == 0 ? first : i <= first ? i - 1 : i;
		for (k = 0; k < n; k++)
			col[k] = r[k].f[j];
		if (!antiunify_slot(g, col, &out[j]))
			return false;
		out[j].c = r[0].f[j].c;
	}
	return true;
}

/* Labels as they stand now; returns their number. */
static int labels_now(algebra *a, int n, label **l)
{
	label *now[TERM_LABELS];

	n = labels_leaves(&a->s, n, l, now, TERM_LABELS);
	memcpy(l, now, sizeof *l * (size_t)n);
	return n;
}

/* One factor for all terms, for every factor; the index that factor `first` differs in says what s is. */
static bool fold_factors(struct antiunify *g, const struct fold_term *r, int n, int first, slot *out)
{
	g->s = NULL;
	g->clash = g->known = false;
	if (!antiunify_factors(g, r, n, first, out))
		return false;
	g->known = true;
	return antiunify_factors(g, r, n, first, out);
}

/* Terms of one key being folded. */
struct folding {
	algebra *a;
	work *w;		/* the sum */
	struct antiunify *g;
	struct fold_term *r;
	int n;
	slot out[TERM_FACTORS];	/* the factors of the one expression */
	int ncommon;
	label *common[TERM_LABELS];	/* summed in all terms */
	bool tables;		/* some term has one */
	bool opposed;		/* signs differ */
	rat c0;			/* taken out of all */
	slot K;			/* over s and other labels: the sum of the terms' own tables */
	bool flat;		/* .. which is one number */
};

/* Labels that every term reduces. */
static int labels_common(int n, const struct fold_term *r, label **out)
{
	int j, k, nc = 0;

	for (j = 0; j < r[0].nb; j++) {
		for (k = 1; k < n && label_in(r[0].b[j], r[k].nb, r[k].b); k++)
			;
		if (k == n)
			out[nc++] = r[0].b[j];
	}
	return nc;
}

int terms_share(algebra *a, int n, struct fold_term *r, label **common)
{
	int k;

	for (k = 1; k < n; k++)
		share_labels(a, &r[0], &r[k]);
	return labels_common(n, r, common);
}

int terms_settle(struct antiunify *g, struct fold_term *r, int ncommon, label **common)
{
	int k;

	ncommon = labels_now(g->a, ncommon, common);
	for (k = 0; k < g->n; k++)
		r[k].nb = labels_now(g->a, r[k].nb, r[k].b);
	if (g->s)
		return ncommon;
	g->s = label_new(&g->a->s, 1);
	for (k = 0; k < g->n; k++) {
		g->t[k] = table_one(g->a);
		g->t[k].v[0] = 0;
	}
	return ncommon;
}

static void common_of_terms(struct folding *f)
{
	int k;

	for (k = 0; k < f->n; k++)
		f->opposed = f->opposed || (f->r[k].c.num < 0) != (f->c0.num < 0);
	f->ncommon = terms_share(f->a, f->n, f->r, f->common);
}

/* Where the terms count, and what each alone sums; false: too many labels. */
static bool note_terms(struct folding *f)
{
	struct antiunify *g = f->g;
	slot one = table_one(f->a);
	int k, j;

	g->masked = true;
	for (k = 0; k < f->n; k++) {
		g->mask[k] = f->r[k].table ? tables_zip(f->a, &f->r[k].tab, &one, zip_holds, TYPE_REAL) : one;
		f->tables = f->tables || f->r[k].table;
		for (j = 0; j < g->mask[k].nl; j++)
			g->masked = g->masked && !g->mask[k].l[j]->data;
	}
	for (k = 0; k < f->n; k++)
		if (!note_instance(g, k, f->r[k].nb, f->r[k].b, f->ncommon, f->common, &g->mask[k]))
			return false;
	if (f->tables)
		g->most = SPAN_MAX;
	else
		g->masked = false;	/* they count everywhere */
	return true;
}

/* The one expression; what differs is one function of one of the factors. */
static bool find_factors(struct folding *f)
{
	uint64_t before = f->a->s.cells;
	int i, nf = f->r[0].nf;

	for (i = 0; i < nf && !fold_factors(f->g, f->r, f->n, i, f->out); i++)
		if (!f->g->clash || f->a->s.cells - before > FOLD_CELLS)
			return false;
	return i < nf;
}

/* What term k adds to K. */
static bool row_of_term(struct folding *f, int k, slot *row)
{
	const struct fold_term *r = &f->r[k];
	label *own[TERM_LABELS];
	int np = labels_without(r->nb, r->b, f->ncommon, f->common, own);
	rat ratio;

	if (labels_data(f->g->t[k].nl, f->g->t[k].l) || (r->table && np && labels_data(r->tab.nl, r->tab.l)))
		return false;
	if (!rat_div(&ratio, r->c, f->c0) || !exact_value(rat_double(ratio)))
		return false;
	return row_matrix(f->g, k, r, rat_double(ratio), np, own, row);
}

/* K; false when it is not exact, or the terms are no more than instances with weights of their own. */
static bool sum_rows(struct folding *f)
{
	int64_t cnt, q;
	slot row;
	int k;

	for (k = 0; k < f->n; k++) {
		if (!row_of_term(f, k, &row))
			return false;
		f->K = k ? tables_zip(f->a, &f->K, &row, zip_add, TYPE_REAL) : row;
	}
	cnt = slot_cells(&f->K);
	for (f->flat = true, q = 1; q < cnt && f->flat; q++)
		f->flat = f->K.v[q] == f->K.v[0];
	return (f->flat || f->tables) && exact_values(cnt, f->K.v);
}

/* 0 inf and 2 inf - inf are no numbers. */
static bool terms_finite(struct folding *f)
{
	bool weighed = f->tables || f->ncommon || f->opposed;
	int k, j;

	for (j = 0; j < f->r[0].nf; j++)
		if ((weighed || !f->flat) && !slot_finite_power(f->a, &f->out[j]))
			return false;
	for (k = 0; k < f->n && weighed; k++)
		for (j = 0; j < f->r[k].nf; j++)
			if (!slot_finite_power(f->a, &f->r[k].f[j]))
				return false;
	return true;
}

/* K as a factor; integers: an index expression. */
static slot weight_slot(struct folding *f)
{
	int64_t cnt = slot_cells(&f->K), q, *v;

	f->K.c = RAT_ONE;
	if (!type_is_int(f->w->type))
		return f->K;
	v = ARENA_ARRAY(&f->a->s.a, int64_t, cnt);
	for (q = 0; q < cnt; q++)
		v[q] = (int64_t)f->K.v[q];
	return slot_read(core_line(f->a, f->w->type), ix_table(&f->a->s, f->K.nl, f->K.l, v), RAT_ONE);
}

/* The operands of w with one in the place of those at at[]. */
slot *with_one(algebra *a, const work *w, const slot *one, int n, const int *at, int *m)
{
	slot *t = ARENA_ARRAY(&a->s.a, slot, w->nslot);
	int i, k;

	t[0] = *one;
	*m = 1;
	for (i = 0; i < w->nslot; i++) {
		for (k = 0; k < n && at[k] != i; k++)
			;
		if (k == n)
			t[(*m)++] = w->slot[i];
	}
	return t;
}

/* ---- at every place one value of s counts, and it is read there: K, a column for each that any place may read, would grow with
 * every row that a loop writes */

/* What the terms read together, as places; false: data choose some, a term sums labels of its own, or counts everywhere. */
static bool places_of_terms(struct folding *f, slot *all)
{
	label *own[TERM_LABELS];
	int k;

	*all = table_one(f->a);
	for (k = 0; k < f->n; k++) {
		if (!f->r[k].table || labels_without(f->r[k].nb, f->r[k].b, f->ncommon, f->common, own))
			return false;
		*all = tables_zip(f->a, all, &f->g->t[k], zip_first, TYPE_REAL);
		*all = tables_zip(f->a, all, &f->r[k].tab, zip_first, TYPE_REAL);
	}
	return !labels_data(all->nl, all->l);
}

/* The value of s that counts at every place, and what it counts, into K; NULL: several do, or not exactly. */
static int64_t *counted_values(struct folding *f, const slot *all)
{
	algebra *a = f->a;
	int64_t n = slot_cells(all), i, *s = arena_zalloc(&a->s.a, sizeof *s * (size_t)n);
	rat ratio;
	slot m, t;
	int k;

	f->K = slot_table(TYPE_REAL, all->nl, all->l, arena_zalloc(&a->s.a, sizeof(double) * (size_t)n), RAT_ONE);
	for (k = 0; k < f->n; k++) {
		if (!rat_div(&ratio, f->r[k].c, f->c0) || !exact_value(rat_double(ratio)))
			return NULL;
		m = tables_zip(a, all, &f->r[k].tab, zip_second, TYPE_REAL);
		t = tables_zip(a, all, &f->g->t[k], zip_second, TYPE_REAL);
		for (i = 0; i < n; i++) {
			if (m.v[i] == 0)
				continue;
			if (f->K.v[i] != 0 && s[i] != (int64_t)t.v[i])
				return NULL;
			s[i] = (int64_t)t.v[i];
			f->K.v[i] += m.v[i] * rat_double(ratio);
		}
	}
	for (f->flat = true, i = 1; i < n && f->flat; i++)
		f->flat = f->K.v[i] == f->K.v[0];
	return exact_values(n, f->K.v) ? s : NULL;
}

/* The sum with the terms as one: the factors of e, weighed by K. */
static eg_id with_terms_as(struct folding *f, work *e)
{
	algebra *a = f->a;
	int at[GROUP_MAX], k, m;
	slot one, *terms;

	if (!(f->flat && f->K.v[0] == 1))
		e->slot[e->nslot++] = weight_slot(f);
	work_set_bound(a, e, f->ncommon, f->common);
	work_set_free(a, e, f->w->nfree, f->w->free);
	one = slot_of_work(a, e, f->c0);
	for (k = 0; k < f->n; k++)
		at[k] = f->r[k].at;
	terms = with_one(a, f->w, &one, f->n, at, &m);
	return work_result(a, work_like(a, f->w, C_SUM, m, terms));
}

static eg_id fold_places(struct folding *f)
{
	algebra *a = f->a;
	int j, m = f->r[0].nf;
	work *e = work_new(a, f->ncommon ? C_EIN : C_MUL, f->w->type, m + 1);
	slot all;
	int64_t *s;
	ix *is;

	if (!places_of_terms(f, &all) || !(s = counted_values(f, &all)))
		return NIL;
	if (!terms_finite(f))
		return refuse(a, "zero times a tensor that may be infinite");
	is = ix_table(&a->s, all.nl, all.l, s);
	for (j = 0; j < m; j++) {
		e->slot[j] = f->out[j];
		if (e->slot[j].x == NIL)
			return NIL;
		e->slot[j].e = ix_subst(&a->s, e->slot[j].e, 1, &f->g->s, &is);
	}
	e->nslot = m;
	return with_terms_as(f, e);
}

/* The sum with the terms as one contraction over s and what all sum. */
static eg_id folded(struct folding *f)
{
	work *e = work_new(f->a, C_EIN, f->w->type, f->r[0].nf + 1);

	f->g->s->bound = true;
	memcpy(e->slot, f->out, sizeof *f->out * (size_t)f->r[0].nf);
	e->nslot = f->r[0].nf;
	f->common[f->ncommon++] = f->g->s;
	return with_terms_as(f, e);
}

struct antiunify *antiunify_of(algebra *a, int n, eg_id node)
{
	struct antiunify *g = ARENA_NEW(&a->s.a, struct antiunify);

	g->a = a;
	g->n = n;
	g->node = node;
	g->budget = 600;
	return g;
}

static eg_id fold_group(algebra *a, work *w, struct fold_term *r, int n, eg_id node)
{
	struct folding *f = arena_zalloc(&a->s.a, sizeof *f);
	rat ratio;
	eg_id res;
	int k;

	*f = (struct folding){ .a = a, .w = w, .g = antiunify_of(a, n, node), .r = r, .n = n, .c0 = r[0].c };
	common_of_terms(f);
	if (!note_terms(f) || !find_factors(f))
		return NIL;
	f->ncommon = terms_settle(f->g, r, f->ncommon, f->common);
	for (k = 0; k < n && type_is_int(w->type); k++)	/* residues do not divide */
		if (!rat_div(&ratio, r[k].c, f->c0) || ratio.den != 1)
			f->c0 = RAT_ONE;
	if ((res = fold_places(f)) != NIL)
		return res;
	if (!sum_rows(f))
		return NIL;
	if (!terms_finite(f))
		return refuse(a, "zero times a tensor that may be infinite");
	return folded(f);
}

static uint64_t factor_look(const algebra *a, eg_id o, int64_t power)
{
	return hash_three(core_of(a, o)->skeleton, (uint64_t)power, 0, 5);
}

/* The factors of o, of the contraction `inner` among them its own, tables aside: the same whatever their order. */
static uint64_t factors_look(const algebra *a, eg_id o, int inner)
{
	const eg_id *arg = eg_args(a->g, o);
	int i, n = pairing_read(a, o).nslot;
	uint64_t look = 0;

	for (i = 0; i < n; i++) {
		eg_id x = peek(a, arg[i]);
		if (i == inner)
			look += factors_look(a, x, -1);
		else if (!is_table(a, x))
			look += factor_look(a, x, core_coef(a, o, i).num);
	}
	return look;
}

/* Can two terms of n have one key?  It is a function of what is compared here, for which nothing is opened. */
static bool some_alike(const algebra *a, eg_id n, int nterm)
{
	const eg_id *arg = eg_args(a->g, n);
	uint64_t look[TERMS];
	int i, j, type = core_type(a, n);

	for (i = 0; i < nterm; i++) {
		eg_id o = peek(a, arg[i]);
		look[i] = opens_term(a, o, type, n) ? factors_look(a, o, inner_contraction(a, o, type)) : factor_look(a, o, 1);
		for (j = 0; j < i; j++)
			if (look[j] == look[i])
				return true;
	}
	return false;
}

/* The first group of terms of one kind that is one contraction. */
static eg_id fold_terms(algebra *a, work *w, eg_id n, bool apart)
{
	struct fold_term *r = ARENA_ARRAY(&a->s.a, struct fold_term, w->nslot), *g = ARENA_ARRAY(&a->s.a, struct fold_term, w->nslot);
	int i, j, k = 0, m;
	eg_id res;

	for (i = 0; i < w->nslot; i++)
		if (open_term(a, w, i, n, apart, &r[k]))
			k++;
	for (i = 0; i < k; i++) {
		for (j = 0; j < i && r[j].key != r[i].key; j++)
			;
		if (j < i)
			continue;
		for (m = 0, j = i; j < k && m < GROUP_MAX; j++)
			if (r[j].key == r[i].key && r[j].nf == r[i].nf)
				g[m++] = r[j];
		if (m < 2)
			continue;
		res = fold_group(a, w, g, m, n);
		if (res != NIL)
			return res;
		refuse(a, "terms differ in more than an index");
	}
	return NIL;
}

/* Does an operand of o read at places that data gives? */
static bool by_data(const algebra *a, eg_id o)
{
	return (core_kind(a, o) == C_EIN || core_kind(a, o) == C_MUL) && pairing_read(a, o).ndata;
}

/* Does a term, or a factor of one? */
static bool reads_by_data(const algebra *a, const work *w)
{
	uint32_t j;
	int i;

	for (i = 0; i < w->nslot; i++) {
		eg_id o = w->slot[i].x == NIL ? NIL : peek(a, w->slot[i].x);
		if (o != NIL && by_data(a, o))
			return true;
		for (j = 0; o != NIL && core_kind(a, o) == C_MUL && j < eg_narg(a->g, o); j++)
			if (by_data(a, peek(a, eg_args(a->g, o)[j])))
				return true;
	}
	return false;
}

eg_id prim_sum_fold(algebra *a, eg_id n)
{
	pairing p = pairing_read(a, n);
	work *w;
	eg_id res;

	if (p.nslot < 2 || p.nslot > TERMS || (!type_is_float(core_type(a, n)) && !type_is_int(core_type(a, n))))
		return NIL;
	if (!some_alike(a, n, p.nslot))
		return NIL;
	w = work_open(a, n);
	work_settle(a, w);
	res = reads_by_data(a, w) ? fold_terms(a, w, n, true) : NIL;
	return res != NIL ? res : fold_terms(a, w, n, false);
}
