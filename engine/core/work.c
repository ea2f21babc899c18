/* work.c - nodes taken apart and closed again (work.h). */
#include "core/canonical.h"

#include <string.h>
#include "core/history.h"
#include "core/normal.h"
#include "core/pairing.h"

slot slot_read(eg_id x, ix *e, rat c)
{
	return (slot){ .x = x, .e = e, .c = c, .nl = 0, .l = NULL, .v = NULL, .vtype = 0 };
}

slot slot_table(int vtype, int nl, label **l, double *v, rat c)
{
	return (slot){ .x = NIL, .e = NULL, .c = c, .nl = nl, .l = l, .v = v, .vtype = vtype };
}

int test_labels(scratch *s, int n, const test *t, label ***out)
{
	enum { MOST = 256 };
	label **v;
	int nu, i, j, m;
	uint32_t cuts;

	do {	/* asking an index for its labels may cut those already collected */
		cuts = s->ncut;
		*out = ARENA_ARRAY(&s->a, label *, MOST);
		for (nu = i = 0; i < n; i++) {
			m = ix_labels(s, t[i].e, &v);
			for (j = 0; j < m; j++)
				nu = label_collect(s, *out, nu, MOST, v[j]);
		}
	} while (s->ncut != cuts);
	return nu;
}

slot slot_tests(scratch *s, int n, const test *t)
{
	label **u;
	int nu = test_labels(s, n, t, &u), i;
	int64_t cnt, k, *val;
	double *ok;

	cnt = grid_size(s, nu, u);
	ok = ARENA_ARRAY(&s->a, double, cnt);
	for (k = 0; k < cnt; k++)
		ok[k] = 1;
	for (i = 0; i < n; i++) {
		val = ix_values(s, t[i].e, nu, u);
		for (k = 0; k < cnt; k++)
			if (val[k] < t[i].lo || val[k] >= t[i].hi)
				ok[k] = 0;
	}
	return slot_table(T_PRED, nu, u, ok, RAT_ONE);
}

work *work_new(algebra *a, enum core_kind kind, int type, int maxslot)
{
	work *w = ARENA_NEW(&a->s.a, work);

	w->kind = kind;
	w->type = type;
	w->fn = NIL;
	w->tail = 1;
	w->slot = ARENA_ARRAY(&a->s.a, slot, maxslot);
	return w;
}

void work_set_free(algebra *a, work *w, int n, label **l)
{
	w->nfree = n;
	w->free = ARENA_ARRAY(&a->s.a, label *, n);
	if (n)
		memcpy(w->free, l, sizeof *l * (size_t)n);
}

void work_set_bound(algebra *a, work *w, int n, label **l)
{
	int i;

	w->nbound = n;
	w->bound = ARENA_ARRAY(&a->s.a, label *, n);
	for (i = 0; i < n; i++)
		w->bound[i] = l[i];
}

work *work_like(algebra *a, const work *w, enum core_kind kind, int nslot, const slot *sl)
{
	work *r = ARENA_NEW(&a->s.a, work);

	*r = *w;
	r->kind = kind;
	if (!core_has_name(kind))
		r->fn = NIL;
	r->nslot = nslot;
	r->slot = ARENA_ARRAY(&a->s.a, slot, nslot);
	if (nslot)
		memcpy(r->slot, sl, sizeof *sl * (size_t)nslot);
	return r;
}

static ix *open_expr(algebra *a, const pairing *p, const pair_expr *x, label **lab)
{
	int nl = p->nfree + p->nbound + p->ndata, j, k;
	scratch *s = &a->s;
	ix *e = ARENA_NEW(&s->a, ix);
	const int64_t *t = x->tab;

	e->base = x->base;
	e->t = ARENA_ARRAY(&s->a, ix_term, nl);
	for (j = 0; j < nl; j++)
		if (x->stride[j])
			e->t[e->nt++] = (ix_term){ lab[j], x->stride[j] };
	e->ntab = x->ntab;
	if (x->ntab)
		e->tab = ARENA_ARRAY(&s->a, ix_table_part, x->ntab);
	for (k = 0; k < x->ntab; k++) {
		size_t len;
		ix_table_part *q = &e->tab[k];
		q->nl = (int)t[0];
		q->l = ARENA_ARRAY(&s->a, label *, q->nl);
		for (j = 0; j < q->nl; j++)
			q->l[j] = lab[t[1 + j]];
		q->v = (int64_t *)eg_value_bytes(a->g, (eg_val)t[1 + q->nl], &len);
		q->len = (int64_t)(len / sizeof(int64_t));
		t += q->nl + 2;
	}
	return e;
}

/* The labels and slot expressions of node o; data labels are made from their slots. */
static slot *open_slots(algebra *a, eg_id o, label **lab, const pairing *p)
{
	const eg_id *arg = eg_args(a->g, o);
	int n = p->nslot + p->ndslot, k, j, first = p->nfree + p->nbound;
	pair_expr *x = ARENA_ARRAY(&a->s.a, pair_expr, n);
	slot *sl = ARENA_ARRAY(&a->s.a, slot, p->nslot);
	const int64_t *at = p->word;

	for (k = 0; k < n; k++)
		at = pairing_expr(p, at, &x[k]);
	for (j = 0; j < p->ndata; j++) {	/* a data slot reads only labels before its own */
		const int64_t *d = p->data + 3 * j;
		datum *q = ARENA_NEW(&a->s.a, datum);
		pairing upto = *p;
		upto.ndata = j;
		q->core = arg[p->nslot + d[0]];
		q->at = open_expr(a, &upto, &x[p->nslot + d[0]], lab);
		q->div = d[1];
		q->full = d[2];
		lab[first + j] = label_new(&a->s, p->size[first + j]);
		lab[first + j]->data = q;
	}
	for (k = 0; k < p->nslot; k++)
		sl[k] = slot_read(arg[k], open_expr(a, p, &x[k], lab), core_coef(a, o, k));
	return sl;
}

work *work_open(algebra *a, eg_id n)
{
	pairing p = pairing_read(a, n);
	work *w = ARENA_NEW(&a->s.a, work);
	label **lab = ARENA_ARRAY(&a->s.a, label *, p.nfree + p.nbound + p.ndata);
	int j;

	w->kind = core_kind(a, n);
	w->type = core_type(a, n);
	w->fn = core_has_name(w->kind) ? node_val(a, n, 2) : NIL;
	w->tail = p.tail;
	for (j = 0; j < p.nfree + p.nbound; j++) {
		lab[j] = label_new(&a->s, p.size[j]);
		lab[j]->bound = j >= p.nfree;
	}
	w->nfree = p.nfree;
	w->free = lab;
	w->nbound = p.nbound;
	w->bound = lab + p.nfree;
	w->nslot = p.nslot;
	w->slot = open_slots(a, n, lab, &p);
	return w;
}

slot *work_inline(algebra *a, eg_id o, const ix *e, work *w, int *nslot)
{
	work *i = work_open(a, o);
	int64_t *size = ARENA_ARRAY(&a->s.a, int64_t, i->nfree + 1);
	label **bound;
	ix **dig;
	int k;

	for (k = 0; k < i->nfree; k++)
		size[k] = i->free[k]->n;
	size[i->nfree] = i->tail;
	if (i->tail != 1)
		stuck(&a->s, "%s has places of its own", core_kind_name(i->kind));
	dig = ix_digits(&a->s, e, i->nfree, size);
	for (k = 0; k < i->nslot; k++)
		i->slot[k].e = ix_subst(&a->s, i->slot[k].e, i->nfree, i->free, dig);
	if (i->nbound) {
		bound = ARENA_ARRAY(&a->s.a, label *, w->nbound + i->nbound);
		if (w->nbound)
			memcpy(bound, w->bound, sizeof *bound * (size_t)w->nbound);
		memcpy(bound + w->nbound, i->bound, sizeof *bound * (size_t)i->nbound);
		w->bound = bound;
		w->nbound += i->nbound;
	}
	*nslot = i->nslot;
	return i->slot;
}

bool datum_same(algebra *a, const datum *x, const datum *y)
{
	if (eg_root(a->g, x->core) != eg_root(a->g, y->core) || x->full != y->full || !ix_equal(&a->s, x->at, y->at))
		return false;
	if (x->core != y->core)
		history_premise(a, x->core, y->core);
	return true;
}

/* Cuts l where a digit of place value v begins, if that lies inside of it and divides. */
static bool cut_at(scratch *s, label *l, int64_t v)
{
	int64_t low = l->data->div ? v / l->data->div : 0;

	if (l->hi || v % l->data->div || low <= 1 || low >= l->n || !label_cuts(l, low))
		return false;
	label_cut(s, l, low);
	return true;
}

/* N5: digits of one value have common boundaries, so that equal ones are one label. */
static void share_digits(algebra *a, work *w)
{
	label **l;
	int n, i, j, k;

	for (k = 0; k < w->nslot && !slot_has_data(&w->slot[k]); k++)
		;
	if (k == w->nslot)
		return;
	n = work_data(a, w, &l);
	for (i = 0; i < n; i++)
		for (j = 0; j < n; j++) {
			if (i == j || l[i]->hi || !datum_same(a, l[i]->data, l[j]->data))
				continue;
			if (!cut_at(&a->s, l[i], l[j]->data->div))
				cut_at(&a->s, l[i], l[j]->data->div * l[j]->n);
		}
}

/* Every cut any expression makes is seen by all: again until none is made. */
void work_settle(algebra *a, work *w)
{
	uint32_t cuts;
	int k;

	do {
		cuts = a->s.ncut;
		for (k = 0; k < w->nslot; k++) {
			slot *t = &w->slot[k];
			if (t->x != NIL)
				t->e = ix_norm(&a->s, t->e);
			else
				slot_tidy(&a->s, t);
		}
		share_digits(a, w);
	} while (a->s.ncut != cuts);
}

/* ---- closing */

static eg_op closed_op(algebra *a, const work *w, const struct closed *b)
{
	eg_val v[3];
	uint32_t nv = 2;
	int i;

	v[0] = ints_type(a, w->type);
	v[1] = eg_value(a->g, a->v_pairing, b->w.w, sizeof(int64_t) * (size_t)b->w.n);
	if (core_has_name(w->kind)) {
		v[nv++] = w->fn;
	} else if (w->kind == C_SUM) {
		rat *c = ARENA_ARRAY(&a->s.a, rat, w->nslot);
		for (i = 0; i < w->nslot; i++)
			c[i] = w->slot[b->order[i]].c;
		v[nv++] = eg_value(a->g, a->v_rats, c, sizeof *c * (size_t)w->nslot);
	} else if (w->kind == C_MUL || w->kind == C_EIN) {
		int64_t *x = ARENA_ARRAY(&a->s.a, int64_t, w->nslot);
		for (i = 0; i < w->nslot; i++)
			x[i] = w->slot[b->order[i]].c.num;
		v[nv++] = eg_value(a->g, a->v_exps, x, sizeof *x * (size_t)w->nslot);
	}
	return eg_operator(a->g, a->fam[w->kind], nv, v);
}

static eg_id *closed_args(struct canonical *c, const struct closed *b)
{
	work *w = c->w;
	eg_id *arg = ARENA_ARRAY(&c->a->s.a, eg_id, w->nslot + c->ndslot);
	int i;

	for (i = 0; i < w->nslot; i++)
		arg[i] = w->slot[b->order[i]].x;
	for (i = 0; i < c->ndslot; i++)
		arg[w->nslot + i] = c->dslot[i]->core;
	return arg;
}

static void place_labels(struct canonical *c, const struct closed *b, placed *p)
{
	int64_t st = c->w->tail;
	int i, j;

	p->leaf = ARENA_ARRAY(&c->a->s.a, label *, c->nl);
	p->stride = ARENA_ARRAY(&c->a->s.a, int64_t, c->nl);
	p->nleaf = 0;
	for (i = c->ng - 1; i >= 0; i--) {
		const struct group *g = &c->grp[b->seq[i]];
		if (g->what != L_FREE)
			continue;
		for (j = g->n - 1; j >= 0; j--) {
			p->leaf[p->nleaf] = c->l[g->leaf[j]];
			p->stride[p->nleaf++] = st;
			st *= c->l[g->leaf[j]]->n;
		}
	}
}

ix *placed_ix(algebra *a, const placed *p)
{
	ix *e = ARENA_NEW(&a->s.a, ix);
	int i;

	e->t = ARENA_ARRAY(&a->s.a, ix_term, p->nleaf);
	for (i = 0; i < p->nleaf; i++)
		e->t[e->nt++] = (ix_term){ p->leaf[i], p->stride[i] };
	return e;
}

enum { POWER_MAX = 64 };

/* A summed label that nobody reads multiplies, in a product it is a power; where nothing is counted it vanishes. */
static placed times_unread(algebra *a, const work *w, placed p, int64_t n)
{
	bool product = w->kind == C_RED && !strcmp(val_get_name(a, w->fn), "multiply");
	work *m;

	if (product && n > POWER_MAX)
		stuck(&a->s, "a product over %lld equal factors", (long long)n);
	if (w->kind != C_EIN && !product)
		return p;
	m = work_new(a, product ? C_MUL : C_SUM, w->type, 1);
	work_set_free(a, m, p.nleaf, p.leaf);
	m->nslot = 1;
	m->slot[0] = slot_read(p.n, placed_ix(a, &p), (rat){ n, 1 });
	return work_make(a, m);
}

static placed build_closed(struct canonical *c, const struct closed *b)
{
	placed p = { 0 };

	place_labels(c, b, &p);
	p.n = core_build(c->a, closed_op(c->a, c->w, b), (uint32_t)(c->w->nslot + c->ndslot), closed_args(c, b));
	return c->unread == 1 ? p : times_unread(c->a, c->w, p, c->unread);
}
/* Kinds that sum, reduce or take labels whole.  In another the next step would lose sight of bound labels: (sum x)^2 is no
 * product of squares. */
static bool binds(enum core_kind k)
{
	return k == C_EIN || k == C_RED || k == C_PICK || k == C_OPAQUE || k == C_LOOP;
}

static bool sums_any(const work *w)
{
	label *leaf[1];
	int i;

	for (i = 0; i < w->nbound; i++)
		if (label_leaves(w->bound[i], leaf, 1))
			return true;
	return false;
}

placed work_make(algebra *a, work *w)
{
	struct canonical c;
	struct closed b;

	if (!binds(w->kind) && sums_any(w))
		stuck(&a->s, "a %s that sums", core_kind_name(w->kind));
	canonical_begin(&c, a, w, true);
	b = canonical_best(&c, NULL, NULL);
	return build_closed(&c, &b);
}

int64_t placed_stride(const placed *p, const label *leaf)
{
	int k;

	for (k = 0; k < p->nleaf; k++)
		if (p->leaf[k] == leaf)
			return p->stride[k];
	return 0;
}

int placed_digits(const placed *p, int n, label *const *l, digit *out)
{
	label *leaf[64];
	int i, j, m, c = 0;

	for (i = 0; i < n; i++) {
		m = label_leaves(l[i], leaf, 64);
		for (j = 0; j < m; j++)
			out[c++] = (digit){ leaf[j]->n, placed_stride(p, leaf[j]) };
	}
	return c;
}

/* The digits of w's own free labels, in order, in p->n. */
static int own_digits(algebra *a, const work *w, const placed *p, digit **out)
{
	int i, n, cap = 1;
	digit *d;

	for (i = 0; i < w->nfree; i++)
		cap += w->free[i]->hi ? 64 : 1;
	d = *out = ARENA_ARRAY(&a->s.a, digit, cap);
	n = placed_digits(p, w->nfree, w->free, d);
	if (w->tail != 1)
		d[n++] = (digit){ w->tail, 1 };
	return digits_canon(n, d, d);
}

static eg_id view_of_own(algebra *a, const work *w, const placed *p)
{
	digit *d;
	int n = own_digits(a, w, p, &d);

	return core_view(a, n, d, p->n);
}

eg_id work_result(algebra *a, work *w)
{
	placed p = work_make(a, w);

	return view_of_own(a, w, &p);
}

/* Is n, as it stands, what the closed work would build? */
static bool is_closed_form(struct canonical *c, const struct closed *b, eg_id n)
{
	algebra *a = c->a;
	const eg_id *cur = eg_current(a->g, n);
	const eg_id *arg;
	int i;

	if (closed_op(a, c->w, b) != eg_node_op(a->g, n) || c->unread != 1)
		return false;
	arg = closed_args(c, b);
	for (i = 0; i < c->w->nslot + c->ndslot; i++)
		if (eg_root(a->g, arg[i]) != cur[i])
			return false;
	return true;
}

bool work_moves(algebra *a, work *w, eg_id n)
{
	struct canonical c;
	struct closed b;

	canonical_begin(&c, a, w, true);
	b = canonical_best(&c, NULL, NULL);
	return !is_closed_form(&c, &b, n);
}

eg_id work_renewed(algebra *a, work *w, eg_id n)
{
	struct canonical c;
	struct closed b;
	placed p;

	canonical_begin(&c, a, w, true);
	b = canonical_best(&c, NULL, NULL);
	if (is_closed_form(&c, &b, n))
		return NIL;
	p = build_closed(&c, &b);
	return view_of_own(a, w, &p);
}

eg_id work_turned(algebra *a, work *w, const label *x, const label *y)
{
	struct canonical c;
	struct closed b;
	placed p;

	canonical_begin(&c, a, w, true);
	b = canonical_best(&c, NULL, NULL);
	place_labels(&c, &b, &p);
	if (placed_stride(&p, y) <= placed_stride(&p, x))
		return NIL;
	p = build_closed(&c, &b);
	return view_of_own(a, w, &p);
}

int work_compare(algebra *a, work *x, work *y)
{
	struct canonical cx, cy;
	struct closed bx, by;
	eg_id *ax, *ay;
	int i, d;

	canonical_begin(&cx, a, x, true);
	bx = canonical_best(&cx, NULL, NULL);
	ax = closed_args(&cx, &bx);
	canonical_begin(&cy, a, y, true);
	by = canonical_best(&cy, NULL, NULL);
	ay = closed_args(&cy, &by);
	if ((d = words_compare(&bx.w, &by.w)))
		return d;
	for (i = 0; i < x->nslot; i++)
		if (normal_age(a, ax[i]) != normal_age(a, ay[i]))
			return normal_age(a, ax[i]) < normal_age(a, ay[i]) ? -1 : 1;
	return 0;
}

enum { DATA_LABELS = 64 };

static int note_data(scratch *s, label *l, label **out, int n)
{
	const ix *e;
	int i, j;

	if (!l->data || l->mark == s->stamp)
		return n;
	l->mark = s->stamp;
	l->num = -1;
	e = ix_norm(s, l->data->at);
	for (i = 0; i < e->nt; i++)
		n = note_data(s, e->t[i].l, out, n);
	for (i = 0; i < e->ntab; i++)
		for (j = 0; j < e->tab[i].nl; j++)
			n = note_data(s, e->tab[i].l[j], out, n);
	if (n == DATA_LABELS)
		stuck(s, "more than %d of its labels are read from data", DATA_LABELS);
	out[n++] = l;
	return n;
}

int work_data(algebra *a, const work *w, label ***out)
{
	scratch *s = &a->s;
	int k, i, j, n = 0;

	*out = ARENA_ARRAY(&s->a, label *, DATA_LABELS);
	s->stamp++;
	for (k = 0; k < w->nslot; k++) {
		const slot *t = &w->slot[k];
		const ix *e;
		for (i = 0; i < t->nl; i++)
			n = note_data(s, t->l[i], *out, n);
		if (t->x == NIL)
			continue;
		e = ix_norm(s, t->e);
		for (i = 0; i < e->nt; i++)
			n = note_data(s, e->t[i].l, *out, n);
		for (i = 0; i < e->ntab; i++)
			for (j = 0; j < e->tab[i].nl; j++)
				n = note_data(s, e->tab[i].l[j], *out, n);
	}
	return n;
}

int work_ties(algebra *a, work *w, tie **out)
{
	struct canonical c;
	struct closed *t = ARENA_ARRAY(&a->s.a, struct closed, ORDERS);
	int n, i;

	canonical_begin(&c, a, w, false);
	canonical_best(&c, t, &n);
	*out = ARENA_ARRAY(&a->s.a, tie, n);
	for (i = 0; i < n; i++) {
		placed p;
		int k;
		place_labels(&c, &t[i], &p);
		(*out)[i].nleaf = p.nleaf;
		(*out)[i].leaf = ARENA_ARRAY(&a->s.a, label *, p.nleaf);
		for (k = 0; k < p.nleaf; k++)	/* most significant first */
			(*out)[i].leaf[k] = p.leaf[p.nleaf - 1 - k];
	}
	return n;
}
