#include "core/view.h"

#include <string.h>
#include "core/pairing.h"
#include "core/work.h"

uint32_t structure_rule_id[SR_COUNT];

/* ---- forwarding */

struct rank {
	int64_t len;
	bool view;
	uint64_t age;
};

static struct rank rank_of(const algebra *a, eg_id r)
{
	return (struct rank){ core_len(a, r), core_kind(a, normal_end(a, r)) == C_VIEW, normal_age(a, r) };
}

static bool better(struct rank x, struct rank y)
{
	if (x.len != y.len)
		return x.len < y.len;
	if (x.view != y.view)
		return !x.view;
	return x.age < y.age;
}

#define REACH 64

bool view_hop(algebra *a, eg_id x, hop *h)
{
	eg_id r = eg_root(a->g, x), q[REACH], first[REACH], m;
	int n = 1, i, j, best = 0;
	struct rank rb;

	q[0] = r;
	first[0] = NIL;
	rb = rank_of(a, r);
	for (i = 0; i < n; i++) {
		m = q[i];
		do {
			if (core_kind(a, m) == C_VIEW) {
				eg_id y = eg_current(a->g, m)[0];
				for (j = 0; j < n && q[j] != y; j++)
					;
				if (j == n && n < REACH) {
					struct rank ry = rank_of(a, y);
					q[n] = y;
					first[n] = i ? first[i] : m;
					if (better(ry, rb)) {
						rb = ry;
						best = n;
					}
					n++;
				}
			}
			m = eg_next_in_class(a->g, m);
		} while (m != q[i]);
	}
	if (!best)
		return false;
	h->via = first[best];
	h->d = val_get_digits(a, node_val(a, h->via, 0), &h->n);
	h->y = eg_args(a->g, h->via)[0];
	return true;
}

int view_symmetries(algebra *a, eg_id x, eg_id *out, int max)
{
	eg_id r = eg_root(a->g, x), m = r;
	int n = 0, i;

	do {
		if (core_kind(a, m) == C_VIEW && eg_current(a->g, m)[0] == r) {
			for (i = n < max ? n++ : n - 1; i > 0 && out[i - 1] > m; i--)
				out[i] = out[i - 1];
			if (i < max && (n < max || out[i] > m || i == n - 1))
				out[i] = m;
		}
		m = eg_next_in_class(a->g, m);
	} while (m != r);
	return n;
}

/* ---- relating two readings */

void view_unite(algebra *a, eg_id x, eg_id v, enum structure_rule sr)
{
	uint32_t f;

	if (eg_root(a->g, x) == eg_root(a->g, v))
		return;
	f = history_log(a, structure_rule_id[sr], x, v);
	eg_set_firing(a->g, f);
	eg_union(a->g, x, v, EG_RULE, f);
}

/* x = view d of y, as a firing of rule `sr`: a union unless it is known. */
static void view_relate(algebra *a, eg_id x, int n, const digit *d, eg_id y, enum structure_rule sr)
{
	digit *c = ARENA_ARRAY(&a->s.a, digit, n);
	int k = digits_canon(n, d, c);

	view_unite(a, x, core_view(a, k, c, y), sr);
}

/* As view_same_map where boundaries do not divide: the younger is the older read at a table. */
static void by_table(algebra *a, int nl, const digit *l, eg_id x, int nm, const digit *m, eg_id y, enum structure_rule sr)
{
	scratch *s = &a->s;
	int64_t total = digits_total(nl, l), len, *to, i;
	label *k, *idx;
	ix *ex, *ey;
	work *w;

	if (normal_age(a, x) < normal_age(a, y)) {
		const digit *t = l;
		int nt = nl;
		eg_id z = x;
		l = m; nl = nm; x = y;
		m = t; nm = nt; y = z;
	}
	len = core_len(a, x);
	if (total > TABLE_MAX || len > TABLE_MAX)
		stuck(s, "a table of %lld entries would be needed", (long long)(total > len ? total : len));
	idx = label_new(s, total);
	ex = digits_read(s, nl, l, ix_of(s, idx, 1));
	ey = digits_read(s, nm, m, ix_of(s, idx, 1));
	to = ARENA_ARRAY(&s->a, int64_t, len);
	memset(to, 0xff, sizeof *to * (size_t)len);
	{
		label *leaf[64];
		int n = label_leaves(idx, leaf, 64);
		int64_t *vx = ix_values(s, ex, n, leaf), *vy = ix_values(s, ey, n, leaf);
		for (i = 0; i < total; i++)
			to[vx[i]] = vy[i];
	}
	for (i = 0; i < len; i++)
		if (to[i] < 0)
			return;		/* x has places the reading does not reach */
	k = label_new(s, len);
	w = work_new(a, C_AT, core_type(a, y), 1);
	work_set_free(a, w, 1, &k);
	w->nslot = 1;
	w->slot[0] = slot_read(y, ix_table(s, 1, &k, to), RAT_ONE);
	view_unite(a, x, work_result(a, w), sr);
}

static int by_stride(const ix_term *t, int n, int *order)
{
	int i, j;

	for (i = 0; i < n; i++) {
		for (j = i; j > 0 && t[order[j - 1]].s < t[i].s; j--)
			order[j] = order[j - 1];
		order[j] = i;
	}
	return n;
}

/* The digits of x's own index (e: x read over common labels), each with its stride in f. */
static int own_order(scratch *s, const ix *e, const ix *f, digit **out)
{
	int *o = ARENA_ARRAY(&s->a, int, e->nt), i;
	digit *d = *out = ARENA_ARRAY(&s->a, digit, e->nt);

	by_stride(e->t, e->nt, o);
	for (i = 0; i < e->nt; i++)
		d[i] = (digit){ e->t[o[i]].l->n, ix_stride(f, e->t[o[i]].l) };
	return e->nt;
}

/* One is free where the other is bound: both are views of the core read where the values are the same. */
static void through_shorter(algebra *a, eg_id x, const ix *ex, eg_id y, const ix *ey, enum structure_rule sr)
{
	scratch *s = &a->s;
	bool xfirst = normal_age(a, x) < normal_age(a, y);
	const ix *es = xfirst ? ex : ey, *eo = xfirst ? ey : ex;
	label **free = ARENA_ARRAY(&s->a, label *, es->nt);
	int *o = ARENA_ARRAY(&s->a, int, es->nt), i, n = 0, side;
	ix *e = ix_const(s, 0);
	work *w = work_new(a, C_AT, core_type(a, x), 1);
	placed p;

	by_stride(es->t, es->nt, o);
	for (i = 0; i < es->nt; i++) {
		const ix_term *t = &es->t[o[i]];
		if (!ix_stride(eo, t->l))
			continue;
		free[n++] = t->l;
		e = ix_add(s, e, ix_of(s, t->l, t->s));
	}
	work_set_free(a, w, n, free);
	w->nslot = 1;
	w->slot[0] = slot_read(xfirst ? x : y, e, RAT_ONE);
	p = work_make(a, w);
	for (side = 0; side < 2; side++) {
		const ix *mine = side ? ey : ex;
		digit *d = ARENA_ARRAY(&s->a, digit, mine->nt);
		by_stride(mine->t, mine->nt, o = ARENA_ARRAY(&s->a, int, mine->nt));
		for (i = 0; i < mine->nt; i++) {
			const label *l = mine->t[o[i]].l;
			d[i] = (digit){ l->n, placed_stride(&p, l) };
		}
		i = digits_canon(mine->nt, d, d);
		view_unite(a, side ? y : x, core_view(a, i, d, p.n), sr);
	}
}

void view_same_map(algebra *a, int nl, const digit *l, eg_id x, int nm, const digit *m, eg_id y, enum structure_rule sr)
{
	scratch *s = &a->s;
	label *i = label_new(s, digits_total(nl, l));
	ix *ex = digits_read(s, nl, l, ix_of(s, i, 1)), *ey = digits_read(s, nm, m, ix_of(s, i, 1));
	int k, both = 0, n;
	digit *d;

	ex = ix_norm(s, ex);
	ey = ix_norm(s, ey);
	ex = ix_norm(s, ex);
	if (ex->ntab || ey->ntab || ex->base || ey->base) {
		by_table(a, nl, l, x, nm, m, y, sr);
		return;
	}
	for (k = 0; k < ex->nt; k++)
		both += ix_stride(ey, ex->t[k].l) != 0;
	if (both == ex->nt && both == ey->nt) {
		eg_id rx = eg_root(a->g, x), ry = eg_root(a->g, y);
		if (rx == ry) {
			n = own_order(s, ex, ey, &d);
			n = digits_canon(n, d, d);
			if (!digits_identity(n, d, core_len(a, x)))
				view_relate(a, x, n, d, y, sr);
		} else if (better(rank_of(a, rx), rank_of(a, ry))) {
			n = own_order(s, ey, ex, &d);
			view_relate(a, y, n, d, x, sr);
		} else {
			n = own_order(s, ex, ey, &d);
			view_relate(a, x, n, d, y, sr);
		}
	} else if (both == ey->nt) {	/* y is the shorter one */
		n = own_order(s, ex, ey, &d);
		view_relate(a, x, n, d, y, sr);
	} else if (both == ex->nt) {
		n = own_order(s, ey, ex, &d);
		view_relate(a, y, n, d, x, sr);
	} else {
		through_shorter(a, x, ex, y, ey, sr);
	}
}

/* ---- a view node is asked */

/* Where the way leads back to n's own class, the chain of steps goes on to the node it ends at. */
static void forward_view(algebra *a, eg_id n, const hop *f)
{
	scratch *s = &a->s;
	int nd, k;
	const digit *d = val_get_digits(a, node_val(a, n, 0), &nd);
	label *i = label_new(s, core_len(a, n));
	digit out[64];
	ix *e = digits_read(s, f->n, f->d, digits_read(s, nd, d, ix_of(s, i, 1)));
	eg_id v;

	k = digits_of_ix(s, e, 1, &i, out, 64);
	if (k < 0)
		return;
	history_premise(a, eg_args(a->g, n)[0], f->via);
	v = core_view(a, k, out, f->y);
	if (v != eg_rep(a->g, v))
		history_premise(a, v, eg_rep(a->g, v));
	v = eg_rep(a->g, v);
	if (core_kind(a, v) != C_VIEW && v != n && !normal_in_chain(a, v, n)) {
		step st = { v, structure_rule_id[SR_VIEW_FORWARD], NIL };
		normal_set_step(a, n, &st, st.rule);
		return;
	}
	normal_clear_step(a, n);
	view_unite(a, n, v, SR_VIEW_FORWARD);
}

void view_fire(algebra *a, eg_id n)
{
	eg_id y = eg_args(a->g, n)[0], r = eg_root(a->g, n), *seen = &VEC_AT(standing, &a->normal->standing, r).hop, now;
	hop f;
	int nd;
	const digit *d;
	digit whole;

	history_begin(a);
	now = view_hop(a, r, &f) ? f.via : NIL;
	if (*seen != now) {	/* where the class is read from has changed */
		trail_set32(a->tr, seen, now);
		normal_ask_users(a, r);
	}
	if (eg_root(a->g, y) == r) {
		normal_clear_step(a, n);
		return;
	}
	if (view_hop(a, y, &f)) {
		if (structure_rule_id[SR_VIEW_FORWARD] != NIL)
			forward_view(a, n, &f);
		return;
	}
	normal_clear_step(a, n);
	if (structure_rule_id[SR_VIEW_MERGE] == NIL)
		return;
	d = val_get_digits(a, node_val(a, n, 0), &nd);
	if (!view_hop(a, n, &f)) {
		whole = (digit){ core_len(a, n), 1 };
		history_premise(a, n, n);
		view_same_map(a, 1, &whole, n, nd, d, y, SR_VIEW_MERGE);
	} else if (f.via != n && (eg_root(a->g, f.y) != eg_root(a->g, y) || f.n != nd || memcmp(f.d, d, sizeof *d * (size_t)nd))) {
		history_premise(a, n, f.via);
		view_same_map(a, f.n, f.d, f.y, nd, d, y, SR_VIEW_MERGE);
	}
}

/* ---- symmetries */

static bool repeats(const algebra *a, eg_id n)
{
	const eg_id *c = eg_current(a->g, n);
	uint32_t i, j, k = eg_narg(a->g, n);

	if (k > 16)
		return false;
	for (i = 0; i < k; i++)
		for (j = 0; j < i; j++)
			if (c[i] == c[j])
				return true;
	return false;
}

static void premise_repeats(algebra *a, eg_id n)
{
	const eg_id *c = eg_current(a->g, n), *o = eg_args(a->g, n);
	uint32_t i, j, k = eg_narg(a->g, n);

	for (i = 0; i < k; i++)
		for (j = 0; j < i; j++)
			if (c[i] == c[j] && o[i] != o[j]) {
				history_premise(a, o[i], o[j]);
				break;
			}
}

/* n in the index order of `from` is n in the index order of `to`. */
static void symmetry_found(algebra *a, eg_id n, const tie *from, const tie *to)
{
	digit *d = ARENA_ARRAY(&a->s.a, digit, from->nleaf);
	int64_t st = 1;
	int i, j, k;

	for (i = 0; i < from->nleaf; i++) {
		for (j = 0; j < to->nleaf && to->leaf[j] != from->leaf[i]; j++)
			;
		for (st = 1, k = j + 1; k < to->nleaf; k++)
			st *= to->leaf[k]->n;
		d[i] = (digit){ from->leaf[i]->n, st };
	}
	k = digits_canon(from->nleaf, d, d);
	if (digits_identity(k, d, core_len(a, n)))
		return;
	{
		eg_val v = val_digits(a, a->v_view, k, d);
		if (eg_lookup(a->g, eg_operator(a->g, a->fam[C_VIEW], 1, &v), 1, &n) != NIL)
			return;
	}
	view_unite(a, n, core_view(a, k, d, n), SR_SYMMETRIC);
}

static void tie_symmetries(algebra *a, eg_id n)
{
	work *w = work_open(a, n);
	tie *t;
	int k, nt = work_ties(a, w, &t), i;
	bool first = true;
	tie own;

	/* the node's own order: its free labels as they are */
	own.nleaf = w->nfree;
	own.leaf = w->free;
	for (k = 0; k < nt && k < 8; k++) {
		if (t[k].nleaf != own.nleaf)
			continue;
		for (i = 0; i < own.nleaf && t[k].leaf[i] == own.leaf[i]; i++)
			;
		if (i == own.nleaf)
			continue;
		if (first && work_moves(a, work_open(a, n), n))	/* not in canonical order: ties speak of another node */
			return;
		first = false;
		history_begin(a);
		premise_repeats(a, n);
		symmetry_found(a, n, &t[k], &own);
	}
}

/* A symmetry of operand k may leave the node what it is, with other output labels. */
static void operand_symmetry(algebra *a, eg_id n, int k, eg_id v)
{
	scratch *s = &a->s;
	work *w = work_open(a, n);
	int nd;
	const digit *d = val_get_digits(a, node_val(a, v, 0), &nd);
	placed p, q;
	tie from, to;
	int i;
	work *w0;

	if (k >= w->nslot)	/* what an index reads */
		return;
	w->slot[k].e = digits_read(s, nd, d, w->slot[k].e);
	p = work_make(a, w);
	w0 = work_like(a, w, w->kind, w->nslot, w->slot);
	w0->slot[k].e = work_open(a, n)->slot[k].e;
	{	/* the plain node over the same labels */
		pairing pr = pairing_read(a, n);
		pair_expr x = { 0 };
		const int64_t *at = pr.word;
		ix *e;
		for (i = 0; i <= k; i++)
			at = pairing_expr(&pr, at, &x);
		if (x.ntab)
			return;
		e = ix_const(s, x.base);
		for (i = 0; i < pr.nfree; i++)
			e = ix_add(s, e, ix_of(s, w->free[i], x.stride[i]));
		for (i = 0; i < pr.nbound; i++)
			e = ix_add(s, e, ix_of(s, w->bound[i], x.stride[pr.nfree + i]));
		w0->slot[k].e = e;
	}
	q = work_make(a, w0);
	if (p.n != q.n || p.nleaf != q.nleaf)
		return;
	from = (tie){ p.nleaf, ARENA_ARRAY(&s->a, label *, p.nleaf) };
	to = (tie){ q.nleaf, ARENA_ARRAY(&s->a, label *, q.nleaf) };
	for (i = 0; i < p.nleaf; i++) {
		from.leaf[i] = p.leaf[p.nleaf - 1 - i];
		to.leaf[i] = q.leaf[q.nleaf - 1 - i];
	}
	if (eg_root(a->g, p.n) != eg_root(a->g, n))
		return;
	history_premise(a, eg_args(a->g, v)[0], eg_args(a->g, n)[k]);
	history_premise(a, eg_args(a->g, n)[k], v);
	symmetry_found(a, p.n, &from, &to);
}

void view_find_symmetry(algebra *a, eg_id n)
{
	enum core_kind kind = core_kind(a, n);
	eg_id v[8];
	uint32_t i;
	int k, nv;

	if (structure_rule_id[SR_SYMMETRIC] == NIL)
		return;
	if ((kind == C_SUM || kind == C_MUL || kind == C_EIN || kind == C_LAT) && repeats(a, n))
		tie_symmetries(a, n);
	for (i = 0; i < eg_narg(a->g, n) && kind != C_OPAQUE; i++) {
		nv = view_symmetries(a, eg_args(a->g, n)[i], v, 8);
		for (k = 0; k < nv; k++) {
			history_begin(a);
			operand_symmetry(a, n, (int)i, v[k]);
		}
	}
}
