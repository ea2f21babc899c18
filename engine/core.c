#include "core.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "facts.h"
#include "normal.h"

static const char *const kind_names[C_COUNT] = {
#define X(n, s) s,
	CORE_KINDS(X)
#undef X
};

const char *core_kind_name(enum core_kind k)
{
	return kind_names[k];
}

bool core_atom(const algebra *a, eg_id n)
{
	switch (core_kind(a, n)) {
	case C_PARAM: case C_NUMBER: case C_TABLE: case C_INDEX: case C_OPAQUE: case C_LOOP:
		return true;
	default:
		return false;
	}
}

/* ---- attribute values */

eg_val val_int(algebra *a, int64_t v)
{
	return eg_value(a->g, a->v_int, &v, sizeof v);
}

int64_t val_get_int(const algebra *a, eg_val v)
{
	int64_t r;

	memcpy(&r, eg_value_bytes(a->g, v, NULL), sizeof r);
	return r;
}

eg_val val_ints(algebra *a, int n, const int64_t *v)
{
	return eg_value(a->g, a->v_ints, v, sizeof *v * (size_t)n);
}

const int64_t *val_get_ints(const algebra *a, eg_val v, int *n)
{
	size_t len;
	const int64_t *p = eg_value_bytes(a->g, v, &len);

	*n = (int)(len / sizeof *p);
	return p;
}

eg_val val_name(algebra *a, const char *s)
{
	return eg_value(a->g, a->v_name, s, strlen(s) + 1);
}

const char *val_get_name(const algebra *a, eg_val v)
{
	return eg_value_bytes(a->g, v, NULL);
}

eg_val val_digits(algebra *a, eg_sort sort, int n, const digit *d)
{
	return eg_value(a->g, sort, d, sizeof *d * (size_t)n);
}

const digit *val_get_digits(const algebra *a, eg_val v, int *n)
{
	size_t len;
	const digit *d = eg_value_bytes(a->g, v, &len);

	*n = (int)(len / sizeof *d);
	return d;
}

eg_val node_val(const algebra *a, eg_id n, int k)
{
	return eg_op_values(a->g, eg_node_op(a->g, n), NULL)[k];
}

eg_val ints_type(algebra *a, int type)
{
	int64_t t = type;

	return eg_value(a->g, a->v_type, &t, sizeof t);
}

int val_type(const algebra *a, eg_val v)
{
	return (int)val_get_int(a, v);
}

const char *core_fn(const algebra *a, eg_id n)
{
	return val_get_name(a, node_val(a, n, 2));
}

bool number_is_rat(number v)
{
	return v.r.den != 0;
}

double number_double(number v)
{
	return v.r.den ? rat_double(v.r) : v.f;
}

number core_number(const algebra *a, eg_id n)
{
	number v;

	memcpy(&v, eg_value_bytes(a->g, node_val(a, n, 1), NULL), sizeof v);
	return v;
}

const double *core_table(const algebra *a, eg_id n, int64_t *len)
{
	*len = core_len(a, n);
	return eg_value_bytes(a->g, node_val(a, n, 1), NULL);
}

/* ---- lists of digits */

int digits_canon(int n, const digit *d, digit *out)
{
	int i, m = 0;

	for (i = 0; i < n; i++) {
		digit x = d[i];
		if (x.size == 1)
			continue;
		if (m && out[m - 1].stride == x.size * x.stride) {
			x.size *= out[m - 1].size;
			out[m - 1] = x;
		} else {
			out[m++] = x;
		}
	}
	return m;
}

int64_t digits_at(int n, const digit *d, int64_t i)
{
	int64_t v = 0;
	int k;

	for (k = n - 1; k >= 0; k--) {
		v += i % d[k].size * d[k].stride;
		i /= d[k].size;
	}
	return v;
}

int64_t digits_total(int n, const digit *d)
{
	int64_t t = 1;
	int i;

	for (i = 0; i < n; i++)
		t *= d[i].size;
	return t;
}

bool digits_identity(int n, const digit *d, int64_t len)
{
	return n == 0 ? len == 1 : n == 1 && d[0].stride == 1 && d[0].size == len;
}

ix *digits_read(scratch *s, int n, const digit *d, const ix *e)
{
	int64_t *size = ARENA_ARRAY(&s->a, int64_t, n);
	ix **part, *r = ix_const(s, 0);
	int i;

	if (n == 1)
		return ix_times(s, e, d[0].stride);
	for (i = 0; i < n; i++)
		size[i] = d[i].size;
	part = ix_digits(s, e, n, size);
	for (i = 0; i < n; i++)
		if (d[i].stride)
			r = ix_add(s, r, ix_times(s, part[i], d[i].stride));
	return ix_norm(s, r);
}

int digits_of_ix(scratch *s, const ix *e, int nl, label **l, digit *out, int max)
{
	label *leaf[64];
	int i, j, k, n = 0;

	e = ix_norm(s, e);
	if (e->base || e->ntab)
		return -1;
	for (i = 0; i < nl; i++) {
		k = label_leaves(l[i], leaf, 64);
		if (n + k > max)
			return -1;
		for (j = 0; j < k; j++)
			out[n++] = (digit){ leaf[j]->n, ix_stride(e, leaf[j]) };
	}
	return digits_canon(n, out, out);
}

bool ix_renames(scratch *s, const ix *e, int64_t len)
{
	int64_t w = 1;
	int i, found;

	e = ix_norm(s, e);
	if (e->base || e->ntab)
		return false;
	for (found = 0; found < e->nt; found++) {
		for (i = 0; i < e->nt && e->t[i].s != w; i++)
			;
		if (i == e->nt || e->t[i].l->data)
			return false;
		w *= e->t[i].l->n;
	}
	return w == len;
}

bool digits_cover(int n, const digit *d, int64_t len)
{
	int64_t w = 1;
	int i, found, bound = 0;

	for (i = 0; i < n; i++)
		bound += d[i].stride != 0;
	for (found = 0; found < bound; found++) {
		for (i = 0; i < n && d[i].stride != w; i++)
			;
		if (i == n)
			return false;
		w *= d[i].size;
	}
	return w == len;
}

/* ---- pairings as words
 * nfree nbound ndata nslot ndslot tail | sizes | (data slot, div, full) per data label |
 * per slot, data slots last: base, strides, ntab, per table: nl, labels, value list
 */

static pairing pairing_parse(const int64_t *w)
{
	pairing p = { (int)w[0], (int)w[1], (int)w[2], (int)w[3], (int)w[4], w[5], w + 6, NULL, NULL };

	p.data = p.size + p.nfree + p.nbound + p.ndata;
	p.word = p.data + 3 * p.ndata;
	return p;
}

pairing pairing_read(const algebra *a, eg_id n)
{
	return pairing_parse(eg_value_bytes(a->g, node_val(a, n, 1), NULL));
}

const int64_t *pairing_expr(const pairing *p, const int64_t *at, pair_expr *out)
{
	int k;

	out->base = *at++;
	out->stride = at;
	at += p->nfree + p->nbound + p->ndata;
	out->ntab = (int)*at++;
	out->tab = at;
	for (k = 0; k < out->ntab; k++)
		at += at[0] + 2;
	return at;
}

static bool has_name(enum core_kind k)
{
	return k == C_MAP || k == C_RED || k == C_LAT || k == C_PICK || k == C_OPAQUE || k == C_LOOP;
}

static bool commutes(enum core_kind k)
{
	return k == C_SUM || k == C_MUL || k == C_EIN || k == C_LAT;
}

/* The order of bound labels is part of the meaning. */
static bool keeps_order(enum core_kind k)
{
	return k == C_OPAQUE || k == C_PICK || k == C_LOOP;
}

rat core_coef(const algebra *a, eg_id n, int k)
{
	switch (core_kind(a, n)) {
	case C_SUM:
		return ((const rat *)eg_value_bytes(a->g, node_val(a, n, 2), NULL))[k];
	case C_MUL: case C_EIN:
		return (rat){ ((const int64_t *)eg_value_bytes(a->g, node_val(a, n, 2), NULL))[k], 1 };
	default:
		return RAT_ONE;
	}
}

/* ---- opening */

slot slot_read(eg_id x, ix *e, rat c)
{
	return (slot){ .x = x, .e = e, .c = c, .nl = 0, .l = NULL, .v = NULL, .vtype = 0 };
}

slot slot_table(int vtype, int nl, label **l, double *v, rat c)
{
	return (slot){ .x = NIL, .e = NULL, .c = c, .nl = nl, .l = l, .v = v, .vtype = vtype };
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
	if (!has_name(kind))
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
	w->fn = has_name(w->kind) ? node_val(a, n, 2) : NIL;
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

/* ---- value tables of slots: only what they depend on */

static bool same_bits(double x, double y)
{
	return memcmp(&x, &y, sizeof x) == 0;
}

static void vaxis(const slot *t, int k, int64_t *outer, int64_t *n, int64_t *inner)
{
	int i;

	*outer = *inner = 1;
	*n = t->l[k]->n;
	for (i = 0; i < k; i++)
		*outer *= t->l[i]->n;
	for (i = k + 1; i < t->nl; i++)
		*inner *= t->l[i]->n;
}

static void vtake(scratch *s, slot *t, int k, int64_t step, int64_t m, label *l)
{
	int64_t outer, n, inner, o, j, i, q = 0;
	label **nl = ARENA_ARRAY(&s->a, label *, t->nl);
	double *v;
	int x, c = 0;

	vaxis(t, k, &outer, &n, &inner);
	v = ARENA_ARRAY(&s->a, double, outer * m * inner);
	for (o = 0; o < outer; o++)
		for (j = 0; j < m; j++)
			for (i = 0; i < inner; i++)
				v[q++] = t->v[(o * n + j * step) * inner + i];
	for (x = 0; x < t->nl; x++)
		if (x != k)
			nl[c++] = t->l[x];
		else if (l)
			nl[c++] = l;
	t->l = nl;
	t->nl = c;
	t->v = v;
}

static bool vsame(const slot *t, int k, int64_t lo, bool low)
{
	int64_t outer, n, inner, o, j, i;

	vaxis(t, k, &outer, &n, &inner);
	for (o = 0; o < outer; o++)
		for (j = 0; j < n; j++)
			for (i = 0; i < inner; i++)
				if (!same_bits(t->v[(o * n + j) * inner + i],
					       t->v[(o * n + (low ? j / lo * lo : j % lo)) * inner + i]))
					return false;
	return true;
}

static bool vdrop(scratch *s, slot *t, int k)
{
	label *l = t->l[k];
	int64_t n = l->n, lo;

	if (vsame(t, k, n, true)) {
		vtake(s, t, k, 1, 1, NULL);
		return true;
	}
	for (lo = n / 2; lo > 1; lo--)
		if (n % lo == 0 && vsame(t, k, lo, true)) {
			label_cut(s, l, lo);
			vtake(s, t, k, lo, n / lo, l->hi);
			return true;
		}
	for (lo = 2; lo < n; lo++)
		if (n % lo == 0 && vsame(t, k, lo, false)) {
			label_cut(s, l, lo);
			vtake(s, t, k, 1, lo, l->lo);
			return true;
		}
	return false;
}

/* Cut labels become their digits; a label that stands twice is read on the diagonal. */
static void vexpand(scratch *s, slot *t)
{
	label **flat, *leaf[64], **u;
	int i, j, n, nf = 0, nu = 0, cap = 0;
	bool same = true;
	int64_t *at, len, q;
	double *v;

	for (i = 0; i < t->nl; i++) {
		n = label_leaves(t->l[i], leaf, 64);
		same = same && n == 1 && leaf[0] == t->l[i];
		cap += n;
		for (j = 0; j < i; j++)
			same = same && t->l[j] != t->l[i];
	}
	if (same)
		return;
	flat = ARENA_ARRAY(&s->a, label *, cap);
	u = ARENA_ARRAY(&s->a, label *, cap);
	for (i = 0; i < t->nl; i++)
		nf += label_leaves(t->l[i], flat + nf, cap - nf);
	for (i = 0; i < nf; i++) {
		for (j = 0; j < nu && u[j] != flat[i]; j++)
			;
		if (j == nu)
			u[nu++] = flat[i];
	}
	len = grid_size(s, nu, u);
	v = ARENA_ARRAY(&s->a, double, len);
	at = grid_places(s, nu, u, nf, flat);
	for (q = 0; q < len; q++)
		v[q] = t->v[at[q]];
	t->l = u;
	t->nl = nu;
	t->v = v;
}

static void vtidy(scratch *s, slot *t)
{
	bool again = true;
	int k;

	vexpand(s, t);
	while (again) {
		again = false;
		for (k = 0; k < t->nl && !again; k++)
			again = vdrop(s, t, k);
	}
}

/* ---- closing */

enum { L_FREE, L_BOUND, L_DATA };

struct group {			/* digits that are one label of the node */
	int n;
	uint16_t leaf[16];
	int64_t size;
	int what;
	double slope;		/* of a label that only value tables know: how fast they rise along it */
	uint64_t sig;
};

struct closing {
	algebra *a;
	work *w;
	int nl;			/* leaves: free, then bound, then data */
	label **l;
	uint8_t *what;
	int nx;			/* expressions: slots, then data slots */
	ix **x;
	const datum **dslot;	/* data slots */
	int ndslot;
	uint8_t *istab;		/* per expression: read by a constant table */
	int64_t *st;		/* nx by nl strides */
	int ng;
	struct group *grp;
	int64_t unread;		/* product of the sizes of bound labels nobody reads */
};

static int64_t stride_at(const struct closing *c, int x, int leaf)
{
	return c->st[x * c->nl + leaf];
}

/* Are two data labels digits of one value? */
static bool one_value(algebra *a, const datum *x, const datum *y)
{
	return eg_root(a->g, x->core) == eg_root(a->g, y->core) && x->full == y->full && ix_equal(&a->s, x->at, y->at);
}

/* Cuts l where a digit of place value v begins, if that lies inside of it and divides. */
static bool cut_at(scratch *s, label *l, int64_t v)
{
	int64_t low = l->data->div ? v / l->data->div : 0;

	if (l->hi || v % l->data->div || low <= 1 || low >= l->n || l->n % low)
		return false;
	label_cut(s, l, low);
	return true;
}

/* N5: digits of one value have common boundaries, so that equal ones are one label. */
static void share_digits(algebra *a, work *w)
{
	label **l;
	int n, i, j, k;
	bool any = false;

	for (k = 0; k < w->nslot && !any; k++) {
		const slot *t = &w->slot[k];
		for (i = 0; t->x != NIL && i < t->e->nt && !any; i++)
			any = t->e->t[i].l->data != NULL;
		for (i = 0; t->x != NIL && i < t->e->ntab; i++)
			for (j = 0; j < t->e->tab[i].nl && !any; j++)
				any = t->e->tab[i].l[j]->data != NULL;
		for (i = 0; i < t->nl && !any; i++)
			any = t->l[i]->data != NULL;
	}
	if (!any)
		return;
	n = work_data(a, w, &l);
	for (i = 0; i < n; i++)
		for (j = 0; j < n; j++) {
			if (i == j || l[i]->hi || !one_value(a, l[i]->data, l[j]->data))
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
				vtidy(&a->s, t);
		}
		share_digits(a, w);
	} while (a->s.ncut != cuts);
}

static void note_read(scratch *s, label *l)
{
	int i, j;

	if (l->mark == s->stamp)
		return;
	l->mark = s->stamp;
	l->num = -1;
	if (l->data) {
		const ix *e = ix_norm(s, l->data->at);
		for (i = 0; i < e->nt; i++)
			note_read(s, e->t[i].l);
		for (i = 0; i < e->ntab; i++)
			for (j = 0; j < e->tab[i].nl; j++)
				note_read(s, e->tab[i].l[j]);
	}
}

static void note_slot(scratch *s, const slot *t)
{
	int i, j;

	if (t->x == NIL) {
		for (i = 0; i < t->nl; i++)
			note_read(s, t->l[i]);
		return;
	}
	for (i = 0; i < t->e->nt; i++)
		note_read(s, t->e->t[i].l);
	for (i = 0; i < t->e->ntab; i++)
		for (j = 0; j < t->e->tab[i].nl; j++)
			note_read(s, t->e->tab[i].l[j]);
}

static void add_leaf(struct closing *c, label *l, int what)
{
	l->num = c->nl;
	c->l[c->nl] = l;
	c->what[c->nl++] = (uint8_t)what;
}

/* Data labels in an order in which arguments come first; equal ones are one. */
static void add_data(struct closing *c, label *l)
{
	scratch *s = &c->a->s;
	const ix *e;
	int i, j;

	if (l->num >= 0)
		return;
	e = ix_norm(s, l->data->at);
	for (i = 0; i < e->nt; i++)
		if (e->t[i].l->data)
			add_data(c, e->t[i].l);
	for (i = 0; i < e->ntab; i++)
		for (j = 0; j < e->tab[i].nl; j++)
			if (e->tab[i].l[j]->data)
				add_data(c, e->tab[i].l[j]);
	for (i = 0; i < c->nl; i++)
		if (c->what[i] == L_DATA && c->l[i]->n == l->n && c->l[i]->data->div == l->data->div &&
		    one_value(c->a, c->l[i]->data, l->data)) {
			l->num = i;
			return;
		}
	add_leaf(c, l, L_DATA);
}

static void collect_labels(struct closing *c)
{
	scratch *s = &c->a->s;
	work *w = c->w;
	label *leaf[64];
	int i, j, k, n, cap = 8;
	bool data = false;

	s->stamp++;
	for (k = 0; k < w->nslot; k++)
		note_slot(s, &w->slot[k]);
	for (k = 0; k < w->nslot; k++) {
		const slot *t = &w->slot[k];
		cap += t->nl;
		for (i = 0; t->x != NIL && i < t->e->nt; i++)
			data = data || t->e->t[i].l->data, cap++;
		for (i = 0; t->x != NIL && i < t->e->ntab; i++)
			for (j = 0; j < t->e->tab[i].nl; j++)
				data = data || t->e->tab[i].l[j]->data, cap++;
		for (i = 0; i < t->nl; i++)
			data = data || t->l[i]->data;
	}
	cap += 24 * (w->nfree + w->nbound);
	c->l = ARENA_ARRAY(&s->a, label *, cap * (data ? 8 : 1));
	c->what = ARENA_ARRAY(&s->a, uint8_t, cap * (data ? 8 : 1));
	for (i = 0; i < w->nfree; i++) {
		n = label_leaves(w->free[i], leaf, 64);
		for (j = 0; j < n; j++)
			if (leaf[j]->mark == s->stamp && leaf[j]->num < 0)
				add_leaf(c, leaf[j], L_FREE);
	}
	c->unread = 1;
	for (i = 0; i < w->nbound; i++) {
		n = label_leaves(w->bound[i], leaf, 64);
		for (j = 0; j < n; j++)
			if (leaf[j]->mark == s->stamp || keeps_order(w->kind)) {
				leaf[j]->mark = s->stamp;
				add_leaf(c, leaf[j], L_BOUND);
			} else {
				c->unread *= leaf[j]->n;
			}
	}
	if (!data)
		return;
	for (k = 0; k < w->nslot; k++) {
		const slot *t = &w->slot[k];
		for (i = 0; i < t->nl; i++)
			if (t->l[i]->data)
				add_data(c, t->l[i]);
		for (i = 0; t->x != NIL && i < t->e->nt; i++)
			if (t->e->t[i].l->data)
				add_data(c, t->e->t[i].l);
		for (i = 0; t->x != NIL && i < t->e->ntab; i++)
			for (j = 0; j < t->e->tab[i].nl; j++)
				if (t->e->tab[i].l[j]->data)
					add_data(c, t->e->tab[i].l[j]);
	}
}

static int leaf_of(struct closing *c, const label *l)
{
	if (l->mark != c->a->s.stamp || l->num < 0)
		stuck(&c->a->s, "internal: a label left its scope");
	return l->num;
}

/* A table that holds two copies of one data label reads it on the diagonal. */
static void unify_tables(struct closing *c)
{
	int k, i;

	for (k = 0; k < c->w->nslot; k++) {
		slot *t = &c->w->slot[k];
		for (i = 0; i < t->nl; i++)
			if (t->l[i]->data)
				t->l[i] = c->l[leaf_of(c, t->l[i])];
		if (t->x == NIL)
			vexpand(&c->a->s, t);
	}
}

/* A constant table takes the order of the labels that the other operands give: it is written anew with the node. */
static bool is_table_slot(const struct closing *c, int x)
{
	return x < c->w->nslot && (c->w->slot[x].x == NIL || core_kind(c->a, normal_node(c->a, c->w->slot[x].x)) == C_TABLE);
}

/* The data slot that holds the value, or ndslot. */
static int data_slot(const struct closing *c, const datum *d)
{
	int j;

	for (j = 0; j < c->ndslot && !one_value(c->a, d, c->dslot[j]); j++)
		;
	return j;
}

static void collect_exprs(struct closing *c)
{
	scratch *s = &c->a->s;
	int i, k, j, n = 0;

	for (i = 0; i < c->nl; i++)
		n += c->what[i] == L_DATA;
	c->x = ARENA_ARRAY(&s->a, ix *, c->w->nslot + n);
	c->dslot = ARENA_ARRAY(&s->a, const datum *, n);
	for (k = 0; k < c->w->nslot; k++)
		c->x[k] = c->w->slot[k].x == NIL ? NULL : c->w->slot[k].e;
	c->nx = c->w->nslot;
	for (i = 0; i < c->nl; i++) {
		if (c->what[i] != L_DATA)
			continue;
		j = data_slot(c, c->l[i]->data);
		if (j == c->ndslot) {
			c->dslot[c->ndslot++] = c->l[i]->data;
			c->x[c->nx++] = ix_norm(s, c->l[i]->data->at);
		}
	}
	c->istab = ARENA_ARRAY(&s->a, uint8_t, c->nx);
	for (k = 0; k < c->nx; k++)
		c->istab[k] = is_table_slot(c, k);
	c->st = arena_zalloc(&s->a, sizeof(int64_t) * (size_t)(c->nx * c->nl + 1));
	for (k = 0; k < c->nx; k++)
		for (i = 0; c->x[k] && i < c->x[k]->nt; i++)
			c->st[k * c->nl + leaf_of(c, c->x[k]->t[i].l)] += c->x[k]->t[i].s;
}

static bool in_table(struct closing *c, const ix_table_part *t, int leaf)
{
	int i;

	for (i = 0; i < t->nl; i++)
		if (leaf_of(c, t->l[i]) == leaf)
			return true;
	return false;
}

static bool in_vtable(const slot *t, const label *l)
{
	int i;

	for (i = 0; i < t->nl; i++)
		if (t->l[i] == l)
			return true;
	return false;
}

/* Does a table rise (or fall) over leaves a (high) and b (low) as over the digits of one number, each step being
 * nothing or one length: a constant slope outside of a linear part, or a slope held inside a range? */
static bool one_number(struct closing *c, const ix_table_part *t, int a, int b)
{
	int64_t sa = 1, sb = 1, p, d = 0, nb = c->l[b]->n, na = c->l[a]->n;
	int i, ia = -1, ib = -1;
	bool low = false, carry = false;

	for (i = 0; i < t->nl; i++) {
		if (leaf_of(c, t->l[i]) == a)
			ia = i;
		if (leaf_of(c, t->l[i]) == b)
			ib = i;
	}
	if (ia < 0 || ib < 0)
		return false;
	for (i = ia + 1; i < t->nl; i++)
		sa *= t->l[i]->n;
	for (i = ib + 1; i < t->nl; i++)
		sb *= t->l[i]->n;
	for (p = 0; p < t->len; p++) {
		bool last = p / sb % nb == nb - 1;
		int64_t q;
		if (last && p / sa % na == na - 1)
			continue;
		q = t->v[last ? p - (nb - 1) * sb + sa : p + sb] - t->v[p];
		if (q && d && q != d)
			return false;
		d = q ? q : d;
		low = low || (q && !last);
		carry = carry || (q && last);
	}
	return low && carry;
}

static bool merges(struct closing *c, const struct group *A, const struct group *B)
{
	int a = A->leaf[A->n - 1], b0 = B->leaf[0], b = B->leaf[B->n - 1], k, i;
	const label *la = c->l[a], *lb = c->l[b0];
	bool lin = la->root == lb->root && la->weight == lb->weight * lb->n;

	if (A->what != B->what || A->n + B->n > 16)
		return false;
	if (A->what == L_DATA &&
	    !(one_value(c->a, la->data, lb->data) && la->data->div == lb->data->div * lb->n))
		return false;
	for (k = 0; k < c->nx; k++) {
		const ix *e = c->x[k];
		int64_t sa = stride_at(c, k, a);
		if (sa != stride_at(c, k, b) * B->size)
			return false;
		lin = lin || sa;
		for (i = 0; e && i < e->ntab; i++) {
			if (in_table(c, &e->tab[i], a) != in_table(c, &e->tab[i], b0))
				return false;
			lin = lin || (!la->data && one_number(c, &e->tab[i], a, b0) && !one_number(c, &e->tab[i], b0, a));
		}
	}
	for (k = 0; k < c->w->nslot; k++)
		if (c->w->slot[k].x == NIL && in_vtable(&c->w->slot[k], la) != in_vtable(&c->w->slot[k], lb))
			return false;
	return lin || A->what == L_DATA;
}

static void merge_groups(struct closing *c)
{
	bool fixed = keeps_order(c->w->kind), again = true;
	int i, j;

	while (again) {
		again = false;
		for (i = 0; i < c->ng && !again; i++)
			for (j = 0; j < c->ng && !again; j++) {
				if (i == j || !merges(c, &c->grp[i], &c->grp[j]))
					continue;
				if (fixed && c->grp[i].what == L_BOUND && j != i + 1)
					continue;
				memcpy(c->grp[i].leaf + c->grp[i].n, c->grp[j].leaf, sizeof *c->grp[j].leaf * (size_t)c->grp[j].n);
				c->grp[i].n += c->grp[j].n;
				c->grp[i].size *= c->grp[j].size;
				memmove(&c->grp[j], &c->grp[j + 1], sizeof *c->grp * (size_t)(c->ng - j - 1));
				c->ng--;
				again = true;
			}
	}
}

static uint64_t hash_value(double v)
{
	uint64_t x;

	memcpy(&x, &v, sizeof x);
	return hash_word(x);
}

/* What a value table looks like along one label, whatever the order of the others: sums of hashes do not know it. */
static uint64_t signature(struct closing *c, const label *l)
{
	uint64_t h = 0;
	int k, i;

	for (k = 0; k < c->w->nslot; k++) {
		const slot *t = &c->w->slot[k];
		int64_t outer, n, inner, j, o, q;
		if (t->x != NIL || !in_vtable(t, l))
			continue;
		for (i = 0; t->l[i] != l; i++)
			;
		vaxis(t, i, &outer, &n, &inner);
		for (j = 0; j < n; j++) {
			uint64_t sum = 0;
			for (o = 0; o < outer; o++)
				for (q = 0; q < inner; q++)
					sum += hash_value(t->v[(o * n + j) * inner + q]);
			h = (h ^ sum) * 0x9e3779b97f4a7c15ull + 1;
		}
	}
	return h;
}

/* Mean rise of the value tables along a label. */
static double slope_of(struct closing *c, const label *l)
{
	double sum = 0;
	int k, i;

	for (k = 0; k < c->w->nslot; k++) {
		const slot *t = &c->w->slot[k];
		int64_t outer, n, inner, o, q;
		double d = 0;
		if (t->x != NIL || !in_vtable(t, l))
			continue;
		for (i = 0; t->l[i] != l; i++)
			;
		vaxis(t, i, &outer, &n, &inner);
		for (o = 0; o < outer; o++)
			for (q = 0; q < inner; q++)
				d += t->v[(o * n + n - 1) * inner + q] - t->v[o * n * inner + q];
		d /= (double)(n - 1) * (double)(outer * inner);
		if (isfinite(d))
			sum += d;
	}
	return sum;
}

static void make_groups(struct closing *c, bool merge)
{
	int i, k;
	bool vt = false;

	c->grp = ARENA_ARRAY(&c->a->s.a, struct group, c->nl);
	for (i = 0; i < c->nl; i++)
		c->grp[i] = (struct group){ .n = 1, .leaf = { (uint16_t)i }, .size = c->l[i]->n, .what = c->what[i] };
	c->ng = c->nl;
	if (merge)
		merge_groups(c);
	for (k = 0; k < c->w->nslot; k++)
		vt = vt || (c->w->slot[k].x == NIL && c->w->slot[k].nl > 1);
	for (i = 0; vt && i < c->ng; i++) {
		c->grp[i].sig = signature(c, c->l[c->grp[i].leaf[0]]);
		c->grp[i].slope = slope_of(c, c->l[c->grp[i].leaf[0]]);
	}
}

static int table_pos(struct closing *c, const ix *e, int leaf)
{
	int i, j, best = 1000;

	for (i = 0; e && i < e->ntab; i++)
		for (j = 0; j < e->tab[i].nl; j++)
			if (leaf_of(c, e->tab[i].l[j]) == leaf && j < best)
				best = j;
	return best;
}

static int cmp_groups(struct closing *c, const int *order, const struct group *g, const struct group *h)
{
	int k, x, tables;

	for (tables = 0; tables < 2; tables++)
		for (k = 0; k < c->nx; k++) {
			int64_t a, b;
			x = k < c->w->nslot ? order[k] : k;
			if (c->istab[x] != tables)
				continue;
			a = stride_at(c, x, g->leaf[g->n - 1]);
			b = stride_at(c, x, h->leaf[h->n - 1]);
			if (a != b)
				return a > b ? -1 : 1;
			if (tables && x < c->w->nslot && c->w->slot[x].x == NIL) {	/* not written yet: its labels will have strides */
				bool p = in_vtable(&c->w->slot[x], c->l[g->leaf[0]]), q = in_vtable(&c->w->slot[x], c->l[h->leaf[0]]);
				if (p != q)
					return p ? -1 : 1;
			}
			if (c->x[x] && c->x[x]->ntab) {
				int p = table_pos(c, c->x[x], g->leaf[0]), q = table_pos(c, c->x[x], h->leaf[0]);
				if (p != q)
					return p < q ? -1 : 1;
			}
		}
	if (fabs(g->slope) != fabs(h->slope))	/* high digits of a number come first, rising or falling */
		return fabs(g->slope) > fabs(h->slope) ? -1 : 1;
	if (g->size != h->size)
		return g->size < h->size ? -1 : 1;
	if (g->sig != h->sig)
		return g->sig < h->sig ? -1 : 1;
	return 0;
}

/* Numbers the groups for an order of slots: free, then bound, then data. */
static void number_groups(struct closing *c, const int *order, int *out)
{
	int i, j, n = 0, what;
	bool fixed = keeps_order(c->w->kind);

	for (what = L_FREE; what <= L_DATA; what++) {
		int first = n;
		for (i = 0; i < c->ng; i++) {
			if (c->grp[i].what != what)
				continue;
			for (j = n; j > first && what != L_DATA && !(fixed && what == L_BOUND) &&
			     cmp_groups(c, order, &c->grp[i], &c->grp[out[j - 1]]) < 0; j--)
				out[j] = out[j - 1];
			out[j] = i;
			n++;
		}
	}
}

/* ---- writing a pairing */

struct writer {
	int64_t *w;
	int n, cap;
	arena *a;
};

static void put(struct writer *w, int64_t v)
{
	if (w->n == w->cap) {
		int64_t *old = w->w;
		w->cap = w->cap ? 2 * w->cap : 128;
		w->w = ARENA_ARRAY(w->a, int64_t, w->cap);
		if (w->n)
			memcpy(w->w, old, sizeof *old * (size_t)w->n);
	}
	w->w[w->n++] = v;
}

/* The groups that the labels of a table belong to, by number, rising: groups of several
 * digits are whole in a table or absent.  Returns how many entries they span. */
static int64_t table_groups(struct closing *c, int nl, label *const *l, const int *num_of_leaf, const int *seq, int *ng, int *n)
{
	int64_t len = 1;
	int *group = ARENA_ARRAY(&c->a->s.a, int, nl), i, j;

	for (j = 0; j < nl; j++)
		group[j] = num_of_leaf[leaf_of(c, l[j])];
	*n = 0;
	for (i = 0; i < c->ng; i++) {
		for (j = 0; j < nl && group[j] != i; j++)
			;
		if (j == nl)
			continue;
		ng[(*n)++] = i;
		len *= c->grp[seq[i]].size;
		if (len > TABLE_MAX)
			stuck(&c->a->s, "a table of %lld entries would be needed", (long long)len);
	}
	return len;
}

/* How far each value of a group moves in a table over labels l. */
static int64_t *group_offsets(struct closing *c, int nl, label *const *l, const struct group *g)
{
	int64_t *off = arena_zalloc(&c->a->s.a, sizeof *off * (size_t)g->size), w = 1, inner, x;
	int i, j;

	for (i = nl - 1; i >= 0; w *= l[i--]->n) {
		int leaf = leaf_of(c, l[i]);
		for (inner = 1, j = g->n - 1; j >= 0 && g->leaf[j] != leaf; j--)
			inner *= c->l[g->leaf[j]]->n;
		for (x = 0; j >= 0 && x < g->size; x++)
			off[x] += x / inner % l[i]->n * w;
	}
	return off;
}

/* Where a table over labels l holds the entry of each tuple of n groups, row-major. */
static const int64_t *table_places(struct closing *c, int nl, label *const *l, int n, const int *ng, const int *seq, int64_t len)
{
	int64_t *p = ARENA_ARRAY(&c->a->s.a, int64_t, len), have = 1, i, x;
	int k;

	p[0] = 0;
	for (k = 0; k < n; k++) {
		const struct group *g = &c->grp[seq[ng[k]]];
		const int64_t *off = group_offsets(c, nl, l, g);
		for (i = have - 1; i >= 0; i--) {	/* from the end: what is spread has been read */
			int64_t at = p[i];
			for (x = g->size - 1; x >= 0; x--)
				p[i * g->size + x] = at + off[x];
		}
		have *= g->size;
	}
	return p;
}

static void put_table(struct closing *c, struct writer *w, const ix_table_part *t, const int *num_of_leaf, const int *seq)
{
	int *ng = ARENA_ARRAY(&c->a->s.a, int, c->ng), n, k;
	int64_t len = table_groups(c, t->nl, t->l, num_of_leaf, seq, ng, &n), *v = ARENA_ARRAY(&c->a->s.a, int64_t, len), q;
	const int64_t *p = table_places(c, t->nl, t->l, n, ng, seq, len);

	for (q = 0; q < len; q++)
		v[q] = t->v[p[q]];
	put(w, n);
	for (k = 0; k < n; k++)
		put(w, ng[k]);
	put(w, eg_value(c->a->g, c->a->v_ints, v, sizeof *v * (size_t)len));
}

static int cmp_tab(const void *x, const void *y)
{
	const struct writer *a = x, *b = y;
	int n = a->n < b->n ? a->n : b->n, i;

	for (i = 0; i < n; i++)
		if (a->w[i] != b->w[i])
			return a->w[i] < b->w[i] ? -1 : 1;
	return a->n - b->n;
}

static void put_expr(struct closing *c, struct writer *w, int x, const int *num_of_leaf, const int *seq)
{
	const ix *e = c->x[x];
	struct writer *t;
	int i, j;

	put(w, e->base);
	for (i = 0; i < c->ng; i++) {
		const struct group *g = &c->grp[seq[i]];
		put(w, stride_at(c, x, g->leaf[g->n - 1]));
	}
	put(w, e->ntab);
	t = arena_zalloc(&c->a->s.a, sizeof *t * (size_t)(e->ntab + 1));
	for (i = 0; i < e->ntab; i++) {
		t[i].a = &c->a->s.a;
		put_table(c, &t[i], &e->tab[i], num_of_leaf, seq);
	}
	qsort(t, (size_t)e->ntab, sizeof *t, cmp_tab);
	for (i = 0; i < e->ntab; i++)
		for (j = 0; j < t[i].n; j++)
			put(w, t[i].w[j]);
}

/* A constant table becomes a node of its own, read row-major over its labels. */
static void put_vtable(struct closing *c, struct writer *w, slot *t, const int *num_of_leaf, const int *seq)
{
	int *ng = ARENA_ARRAY(&c->a->s.a, int, c->ng), n, i, k = 0;
	int64_t len = table_groups(c, t->nl, t->l, num_of_leaf, seq, ng, &n), stride = len, q;
	const int64_t *p = table_places(c, t->nl, t->l, n, ng, seq, len);
	double *v = ARENA_ARRAY(&c->a->s.a, double, len);
	bool number;

	for (q = 0; q < len; q++)
		v[q] = t->v[p[q]] + 0.0;
	t->x = core_values(c->a, t->vtype, len, v);
	number = core_kind(c->a, t->x) == C_NUMBER;
	put(w, 0);
	for (i = 0; i < c->ng; i++) {
		bool in = k < n && ng[k] == i;
		if (in)
			stride /= c->grp[seq[ng[k++]]].size;
		put(w, in && !number ? stride : 0);
	}
	put(w, 0);
}

static struct writer write_pairing(struct closing *c, const int *order, const int *seq)
{
	struct writer w = { NULL, 0, 0, &c->a->s.a };
	int *num = ARENA_ARRAY(&c->a->s.a, int, c->nl), i, j, count[3] = { 0, 0, 0 };
	work *k = c->w;

	for (i = 0; i < c->ng; i++) {
		const struct group *g = &c->grp[seq[i]];
		count[g->what]++;
		for (j = 0; j < g->n; j++)
			num[g->leaf[j]] = i;
	}
	put(&w, count[L_FREE]);
	put(&w, count[L_BOUND]);
	put(&w, count[L_DATA]);
	put(&w, k->nslot);
	put(&w, c->ndslot);
	put(&w, k->tail);
	for (i = 0; i < c->ng; i++)
		put(&w, c->grp[seq[i]].size);
	for (i = 0; i < c->ng; i++) {
		const struct group *g = &c->grp[seq[i]];
		const label *l = c->l[g->leaf[g->n - 1]];
		if (g->what != L_DATA)
			continue;
		put(&w, data_slot(c, l->data));
		put(&w, l->data->div);
		put(&w, l->data->full);
	}
	for (i = 0; i < k->nslot; i++)
		if (k->slot[order[i]].x == NIL)
			put_vtable(c, &w, &k->slot[order[i]], num, seq);
		else if (c->x[order[i]])
			put_expr(c, &w, order[i], num, seq);
		else	/* a table that an earlier order already made a node of */
			stuck(&c->a->s, "internal: a table was written twice");
	for (i = k->nslot; i < c->nx; i++)
		put_expr(c, &w, i, num, seq);
	return w;
}

/* ---- orders of commutative slots */

/* Constant tables stand last, whatever their age: they are written anew whenever a node is. */
static uint64_t slot_age(const algebra *a, const slot *t)
{
	if (t->x == NIL)
		return UINT64_MAX;
	if (core_kind(a, normal_node(a, t->x)) == C_TABLE)
		return UINT64_MAX - 1;
	return normal_age(a, t->x);
}

static void sort_slots(const algebra *a, const work *w, int *order)
{
	int i, j;

	for (i = 0; i < w->nslot; i++) {
		uint64_t age = slot_age(a, &w->slot[i]);
		for (j = i; j > 0 && slot_age(a, &w->slot[order[j - 1]]) > age; j--)
			order[j] = order[j - 1];
		order[j] = i;
	}
}

#define ORDERS 120

static bool next_permutation(int *p, int n)
{
	int i = n - 2, j = n - 1, t;

	while (i >= 0 && p[i] >= p[i + 1])
		i--;
	if (i < 0) {	/* back to the first one */
		for (i = 0; i < n / 2; i++) {
			t = p[i];
			p[i] = p[n - 1 - i];
			p[n - 1 - i] = t;
		}
		return false;
	}
	while (p[j] <= p[i])
		j--;
	t = p[i];
	p[i] = p[j];
	p[j] = t;
	for (i++, j = n - 1; i < j; i++, j--) {
		t = p[i];
		p[i] = p[j];
		p[j] = t;
	}
	return true;
}

struct run { int at, n; };

static int tied_runs(const algebra *a, const work *w, const int *order, struct run *r, int64_t *count)
{
	int i, j, n = 0, k;

	*count = 1;
	for (i = 0; i < w->nslot; i = j) {
		for (j = i + 1; j < w->nslot && w->slot[order[i]].x != NIL &&
		     slot_age(a, &w->slot[order[j]]) == slot_age(a, &w->slot[order[i]]); j++)
			;
		if (j - i > 1) {
			r[n++] = (struct run){ i, j - i };
			for (k = 2; k <= j - i && *count <= ORDERS; k++)
				*count *= k;
		}
	}
	return n;
}

static bool next_order(int *order, const struct run *r, int n)
{
	int k;

	for (k = n - 1; k >= 0; k--)
		if (next_permutation(order + r[k].at, r[k].n))
			return true;
	return false;
}

static int cmp_words(const struct writer *a, const struct writer *b)
{
	return cmp_tab(a, b);
}

static bool closing_begin(struct closing *c, algebra *a, work *w, bool merge)
{
	*c = (struct closing){ .a = a, .w = w };
	work_settle(a, w);
	collect_labels(c);
	for (int i = 0; i < c->nl; i++)
		if (c->what[i] == L_DATA) {
			unify_tables(c);
			break;
		}
	collect_exprs(c);
	make_groups(c, merge);
	return true;
}

struct closed {
	int *order, *seq;
	struct writer w;
};

static int same_node_key(const work *w, const int *o, const int *p)
{
	int i, d;

	for (i = 0; i < w->nslot; i++)	/* coefficients are part of the key */
		if ((d = rat_cmp(w->slot[o[i]].c, w->slot[p[i]].c)))
			return d;
	return 0;
}

/* The order and numbering with the least key. With ties collected: all that share it. */
static struct closed closing_best(struct closing *c, struct closed *ties, int *nties)
{
	algebra *a = c->a;
	work *w = c->w;
	int n = w->nslot, nrun = 0;
	int *order = ARENA_ARRAY(&a->s.a, int, n), *seq = ARENA_ARRAY(&a->s.a, int, c->ng);
	struct run *run = ARENA_ARRAY(&a->s.a, struct run, n);
	struct closed best = { order, seq, { 0 } };
	int64_t count = 1;
	int i;

	if (nties)
		*nties = 0;
	for (i = 0; i < n; i++)
		order[i] = i;
	if (commutes(w->kind)) {
		sort_slots(a, w, order);
		nrun = tied_runs(a, w, order, run, &count);
	}
	if (nrun && count <= ORDERS) {	/* runs must start in rising order for the permutations to be all of them */
		bool first = true;
		do {
			int *o = ARENA_ARRAY(&a->s.a, int, n), *q = ARENA_ARRAY(&a->s.a, int, c->ng), d;
			struct closed now = { o, q, { 0 } };
			memcpy(o, order, sizeof *o * (size_t)n);
			number_groups(c, o, q);
			for (i = 0; i < n; i++)	/* tables of values are written once, when the order is known */
				if (w->slot[o[i]].x == NIL)
					break;
			if (i == n)
				now.w = write_pairing(c, o, q);
			d = first ? -1 : cmp_words(&now.w, &best.w);
			if (d == 0)
				d = same_node_key(w, o, best.order);
			if (d < 0) {
				best = now;
				if (nties)
					*nties = 0;
			}
			if (d <= 0 && nties)
				ties[(*nties)++] = now;
			first = false;
		} while (next_order(order, run, nrun));
		if (best.w.n)
			return best;
		order = best.order;
		seq = best.seq;
		best.w = write_pairing(c, order, seq);
		return best;
	}
	number_groups(c, order, seq);
	best.w = write_pairing(c, order, seq);
	return best;
}

static eg_op closed_op(algebra *a, const work *w, const struct closed *b)
{
	eg_val v[3];
	uint32_t nv = 2;
	int i;

	v[0] = ints_type(a, w->type);
	v[1] = eg_value(a->g, a->v_pairing, b->w.w, sizeof(int64_t) * (size_t)b->w.n);
	if (has_name(w->kind)) {
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

static eg_id *closed_args(struct closing *c, const struct closed *b)
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

static void place_labels(struct closing *c, const struct closed *b, placed *p)
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

/* A summed label that nobody reads multiplies; where nothing is counted it vanishes. */
static placed times_unread(algebra *a, const work *w, placed p, int64_t n)
{
	work *m;

	if (w->kind == C_RED && !strcmp(val_get_name(a, w->fn), "multiply"))
		stuck(&a->s, "a product over %lld equal factors", (long long)n);
	if (w->kind != C_EIN)
		return p;
	m = work_new(a, C_SUM, w->type, 1);
	work_set_free(a, m, p.nleaf, p.leaf);
	m->nslot = 1;
	m->slot[0] = slot_read(p.n, placed_ix(a, &p), (rat){ n, 1 });
	return work_make(a, m);
}

static placed build_closed(struct closing *c, const struct closed *b)
{
	placed p = { 0 };

	place_labels(c, b, &p);
	p.n = core_build(c->a, closed_op(c->a, c->w, b), (uint32_t)(c->w->nslot + c->ndslot), closed_args(c, b));
	return c->unread == 1 ? p : times_unread(c->a, c->w, p, c->unread);
}

placed work_make(algebra *a, work *w)
{
	struct closing c;
	struct closed b;

	closing_begin(&c, a, w, true);
	b = closing_best(&c, NULL, NULL);
	return build_closed(&c, &b);
}

/* The digits of w's own free labels, in order, in p->n. */
static int own_digits(algebra *a, const work *w, const placed *p, digit **out)
{
	label *leaf[64];
	int i, j, k, n = 0, m, cap = 1;
	digit *d;

	for (i = 0; i < w->nfree; i++)
		cap += w->free[i]->hi ? 64 : 1;
	d = *out = ARENA_ARRAY(&a->s.a, digit, cap);
	for (i = 0; i < w->nfree; i++) {
		m = label_leaves(w->free[i], leaf, 64);
		for (j = 0; j < m; j++) {
			for (k = 0; k < p->nleaf && p->leaf[k] != leaf[j]; k++)
				;
			d[n++] = (digit){ leaf[j]->n, k < p->nleaf ? p->stride[k] : 0 };
		}
	}
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
static bool is_closed_form(struct closing *c, const struct closed *b, eg_id n)
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
	struct closing c;
	struct closed b;

	closing_begin(&c, a, w, true);
	b = closing_best(&c, NULL, NULL);
	return !is_closed_form(&c, &b, n);
}

eg_id work_renewed(algebra *a, work *w, eg_id n)
{
	struct closing c;
	struct closed b;
	placed p;

	closing_begin(&c, a, w, true);
	b = closing_best(&c, NULL, NULL);
	if (is_closed_form(&c, &b, n))
		return NIL;
	p = build_closed(&c, &b);
	return view_of_own(a, w, &p);
}

int work_compare(algebra *a, work *x, work *y)
{
	struct closing cx, cy;
	struct closed bx, by;
	eg_id *ax, *ay;
	int i, d;

	closing_begin(&cx, a, x, true);
	bx = closing_best(&cx, NULL, NULL);
	ax = closed_args(&cx, &bx);
	closing_begin(&cy, a, y, true);
	by = closing_best(&cy, NULL, NULL);
	ay = closed_args(&cy, &by);
	if ((d = cmp_words(&bx.w, &by.w)))
		return d;
	for (i = 0; i < x->nslot; i++)
		if (normal_age(a, ax[i]) != normal_age(a, ay[i]))
			return normal_age(a, ax[i]) < normal_age(a, ay[i]) ? -1 : 1;
	return 0;
}

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
	if (n < 64)
		out[n++] = l;
	return n;
}

int work_data(algebra *a, const work *w, label ***out)
{
	scratch *s = &a->s;
	int k, i, j, n = 0;

	*out = ARENA_ARRAY(&s->a, label *, 64);
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
	struct closing c;
	struct closed *t = ARENA_ARRAY(&a->s.a, struct closed, ORDERS);
	int n, i;

	closing_begin(&c, a, w, false);
	closing_best(&c, t, &n);
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

/* ---- building nodes */

eg_id core_build(algebra *a, eg_op op, uint32_t narg, const eg_id *args)
{
	eg_id n = eg_add(a->g, op, narg, args);

	if (a->recording) {
		made_node *m = vec_push(&a->made);
		uint32_t i;
		m->node = n;
		m->op = op;
		m->args = a->made_args.n;
		m->narg = narg;
		for (i = 0; i < narg; i++)
			*(eg_id *)vec_push(&a->made_args) = args[i];
	}
	return n;
}

static eg_id build_leaf(algebra *a, enum core_kind k, uint32_t nv, const eg_val *v)
{
	return core_build(a, eg_operator(a->g, a->fam[k], nv, v), 0, NULL);
}

eg_id core_param(algebra *a, int type, int64_t len, const char *name)
{
	eg_val v[3] = { ints_type(a, type), val_int(a, len), val_name(a, name) };

	return build_leaf(a, C_PARAM, 3, v);
}

eg_id core_num(algebra *a, int type, number x)
{
	eg_val v[2] = { ints_type(a, type), 0 };

	if (x.r.den)
		x.f = 0;
	else if (isnan(x.f))
		x.f = NAN;
	v[1] = eg_value(a->g, a->v_number, &x, sizeof x);
	return build_leaf(a, C_NUMBER, 2, v);
}

eg_id core_rat(algebra *a, int type, rat r)
{
	return core_num(a, type, (number){ r, 0 });
}

eg_id core_values(algebra *a, int type, int64_t len, const double *d)
{
	eg_val v[2] = { ints_type(a, type), 0 };
	int64_t i;

	for (i = 1; i < len && same_bits(d[i], d[0]); i++)
		;
	if (i >= len) {
		number x = { { 0, 0 }, d[0] };
		rat r;
		if (rat_from_double(&r, d[0]))
			x.r = r;
		return core_num(a, type, x);
	}
	v[1] = eg_value(a->g, a->v_table, d, sizeof *d * (size_t)len);
	return build_leaf(a, C_TABLE, 2, v);
}

eg_id core_line(algebra *a, int type)
{
	eg_val v = ints_type(a, type);

	return build_leaf(a, C_INDEX, 1, &v);
}

eg_id core_view(algebra *a, int n, const digit *d, eg_id x)
{
	eg_val v;

	if (digits_identity(n, d, core_len(a, x)))
		return x;
	v = val_digits(a, a->v_view, n, d);
	return core_build(a, eg_operator(a->g, a->fam[C_VIEW], 1, &v), 1, &x);
}

/* ---- set-up */

static int64_t pairing_len(const algebra *a, eg_id n)
{
	pairing p = pairing_read(a, n);
	int64_t len = p.tail;
	int i;

	for (i = 0; i < p.nfree; i++)
		len *= p.size[i];
	return len;
}

static core_info describe(const algebra *a, eg_id n, enum core_kind k)
{
	core_info c = { .kind = (uint8_t)k };
	int m;
	const digit *d;

	switch (k) {
	case C_TENSOR: case C_LAID:
		return c;
	case C_VIEW:
		d = val_get_digits(a, node_val(a, n, 0), &m);
		c.len = digits_total(m, d);
		c.type = core_of(a, eg_args(a->g, n)[0])->type;
		return c;
	case C_PARAM:
		c.len = val_get_int(a, node_val(a, n, 1));
		break;
	case C_NUMBER:
		c.len = 1;
		break;
	case C_TABLE: {
		size_t len;
		eg_value_bytes(a->g, node_val(a, n, 1), &len);
		c.len = (int64_t)(len / sizeof(double));
		break;
	}
	case C_INDEX:
		c.len = INT64_MAX;
		break;
	default:
		c.len = pairing_len(a, n);
	}
	c.type = (uint8_t)val_type(a, node_val(a, n, 0));
	return c;
}

const bent_ranges *core_bent(const algebra *a, eg_id n)
{
	return &VEC_AT(bent_ranges, &a->bent, core_of(a, n)->bent);
}

static void bent_add(bent_ranges *b, int64_t lo, int64_t hi)
{
	int i;

	for (i = 0; i < b->n; i++)
		if (lo <= b->hi[i] && hi >= b->lo[i]) {	/* touches: widen */
			b->lo[i] = lo < b->lo[i] ? lo : b->lo[i];
			b->hi[i] = hi > b->hi[i] ? hi : b->hi[i];
			return;
		}
	if (b->n == BENT_MAX) {
		b->lo[0] = b->lo[0] < lo ? b->lo[0] : lo;
		b->hi[0] = b->hi[0] > hi ? b->hi[0] : hi;
		return;
	}
	b->lo[b->n] = lo;
	b->hi[b->n++] = hi;
}

static bool bent_hits(const bent_ranges *b, int64_t lo, int64_t hi)
{
	int i;

	for (i = 0; i < b->n; i++)
		if (lo < b->hi[i] && hi > b->lo[i])
			return true;
	return false;
}

/* The free labels of a node that its operands, or the tables of its own index expressions, use other than linearly. */
static bent_ranges node_bent(const algebra *a, eg_id n)
{
	pairing p = pairing_read(a, n);
	const eg_id *arg = eg_args(a->g, n);
	const int64_t *at = p.word, *t;
	int64_t own = p.tail;
	bent_ranges r = { 0 };
	uint64_t mask = 0;
	pair_expr x;
	int k, j, q;

	for (k = 0; k < p.nslot + p.ndslot; k++) {
		const bent_ranges *b = core_bent(a, normal_node(a, arg[k]));
		at = pairing_expr(&p, at, &x);
		for (j = 0; j < p.nfree && j < 64; j++)
			if (x.stride[j] && b->n && bent_hits(b, llabs(x.stride[j]), llabs(x.stride[j]) * p.size[j]))
				mask |= (uint64_t)1 << j;
		for (t = x.tab, q = 0; q < x.ntab; q++, t += t[0] + 2)
			for (j = 0; j < t[0]; j++)
				if (t[1 + j] < p.nfree && t[1 + j] < 64)
					mask |= (uint64_t)1 << t[1 + j];
	}
	for (j = p.nfree - 1; j >= 0; own *= p.size[j--])
		if (mask >> j & 1)
			bent_add(&r, own, own * p.size[j]);
	return r;
}

static uint32_t find_bent(algebra *a, eg_id n, enum core_kind k)
{
	bent_ranges r = { 0 }, *q;
	int i, m;

	if (k == C_TABLE) {
		r.n = 1;
		r.lo[0] = 1;
		r.hi[0] = core_of(a, n)->len;
	} else if (k >= C_AT && k <= C_LOOP) {
		r = node_bent(a, n);
	} else if (k == C_VIEW) {
		const bent_ranges *b = core_bent(a, normal_node(a, eg_args(a->g, n)[0]));
		const digit *d = val_get_digits(a, node_val(a, n, 0), &m);
		int64_t own = 1;
		for (i = m - 1; i >= 0; own *= d[i--].size)
			if (d[i].stride && b->n && bent_hits(b, d[i].stride, d[i].stride * d[i].size))
				bent_add(&r, own, own * d[i].size);
	}
	if (!r.n)
		return 0;
	q = trail_push(a->tr, &a->bent);
	*q = r;
	return a->bent.n - 1;
}

static uint64_t find_skeleton(const algebra *a, eg_id n, enum core_kind k)
{
	const eg_id *arg = eg_args(a->g, n);
	pairing p;
	uint64_t h = hash_bytes(&k, sizeof k, 7), sum = 0, x[3];
	int i;

	if (k == C_TABLE || k == C_TENSOR || k == C_LAID)
		return h;
	if (k == C_VIEW)
		return core_of(a, normal_node(a, arg[0]))->skeleton;
	if (k < C_AT || k > C_LOOP)
		return hash_bytes(&n, sizeof n, h);
	p = pairing_read(a, n);
	if (k == C_AT)
		return core_of(a, normal_node(a, arg[0]))->skeleton;
	if (has_name(k)) {
		eg_val fn = node_val(a, n, 2);
		h = hash_bytes(&fn, sizeof fn, h);
	}
	for (i = 0; i < p.nslot; i++) {
		x[0] = core_of(a, normal_node(a, arg[i]))->skeleton;
		x[1] = (uint64_t)core_coef(a, n, i).num;
		x[2] = commutes(k) ? 0 : (uint64_t)i;
		sum += hash_bytes(x, sizeof x, 3);
	}
	x[0] = h ^ sum;
	x[1] = core_of(a, n)->type;
	for (x[2] = 1, i = 0; i < p.nbound; i++)
		x[2] *= (uint64_t)p.size[p.nfree + i];
	return hash_bytes(x, sizeof x, 11);
}

bool core_skeleton_anew(algebra *a, eg_id n)
{
	core_info *c = &VEC_AT(core_info, &a->info, n);
	uint64_t h = find_skeleton(a, n, c->kind);

	if (h == c->skeleton)
		return false;
	trail_set64(a->tr, &c->skeleton, h);
	return true;
}

static enum core_kind kind_of_family(const algebra *a, eg_fam f)
{
	int k;

	for (k = 0; k < C_TENSOR; k++)
		if (a->fam[k] == f)
			return (enum core_kind)k;
	return C_TENSOR;
}

static void on_added(void *ctx, eg_id n)
{
	algebra *a = ctx;
	core_info *c = &VEC_AT(core_info, &a->info, n);

	*c = describe(a, n, kind_of_family(a, eg_op_family(a->g, eg_node_op(a->g, n))));
	facts_added(a, n);
	normal_added(a, n);
	c = &VEC_AT(core_info, &a->info, n);
	c->skeleton = find_skeleton(a, n, c->kind);
	c->bent = find_bent(a, n, c->kind);
}

static void on_merging(void *ctx, eg_id winner, eg_id loser, uint32_t edge)
{
	algebra *al = ctx;

	if (eg_get_edge(al->g, edge)->kind == EG_ASSUMED)
		trail_set32(al->tr, &al->assumed, 1);
	normal_merging(ctx, winner, loser);
}

static void on_merged(void *ctx, eg_id winner, eg_id loser)
{
	facts_merged(ctx, winner, loser);
	normal_merged(ctx, winner, loser);
}

static void on_rekeyed(void *ctx, eg_id user)
{
	normal_rekeyed(ctx, user);
}

static void declare(algebra *a, enum core_kind k, uint32_t nval, const eg_sort *val, uint32_t narg, bool rest)
{
	eg_sort arg = a->core;
	eg_signature s = { kind_names[k], nval, narg, val, &arg, rest ? a->core : NIL,
			   k == C_LAID ? a->tensor : a->core, false };

	a->fam[k] = eg_declare(a->g, &s);
}

static void declare_kinds(algebra *a)
{
	eg_sort param[3] = { a->v_type, a->v_int, a->v_name }, num[2] = { a->v_type, a->v_number };
	eg_sort tab[2] = { a->v_type, a->v_table }, named[3] = { a->v_type, a->v_pairing, a->v_name };
	eg_sort sum[3] = { a->v_type, a->v_pairing, a->v_rats }, mul[3] = { a->v_type, a->v_pairing, a->v_exps };
	int k;

	declare(a, C_PARAM, 3, param, 0, false);
	declare(a, C_NUMBER, 2, num, 0, false);
	declare(a, C_TABLE, 2, tab, 0, false);
	declare(a, C_INDEX, 1, &a->v_type, 0, false);
	declare(a, C_AT, 2, named, 0, true);
	declare(a, C_SUM, 3, sum, 0, true);
	declare(a, C_MUL, 3, mul, 0, true);
	declare(a, C_EIN, 3, mul, 0, true);
	for (k = C_MAP; k <= C_LOOP; k++)
		if (has_name((enum core_kind)k))
			declare(a, (enum core_kind)k, 3, named, 0, true);
	declare(a, C_VIEW, 1, &a->v_view, 1, false);
	declare(a, C_LAID, 1, &a->v_layout, 1, false);
	a->fam[C_TENSOR] = NIL;
}

void algebra_init(algebra *a, egraph *g)
{
	eg_hooks h = { a, on_added, on_merging, on_merged, on_rekeyed };

	memset(a, 0, sizeof *a);
	a->g = g;
	a->tr = eg_trail(g);
	arena_init(&a->s.a);
	a->tensor = eg_declare_sort(g, "Tensor", false);
	a->core = eg_declare_sort(g, "Core", false);
	a->v_type = eg_declare_sort(g, "Type", true);
	a->v_int = eg_declare_sort(g, "Int", true);
	a->v_ints = eg_declare_sort(g, "Ints", true);
	a->v_pairing = eg_declare_sort(g, "Pairing", true);
	a->v_rats = eg_declare_sort(g, "Rationals", true);
	a->v_exps = eg_declare_sort(g, "Exponents", true);
	a->v_name = eg_declare_sort(g, "Name", true);
	a->v_number = eg_declare_sort(g, "Number", true);
	a->v_table = eg_declare_sort(g, "Values", true);
	a->v_view = eg_declare_sort(g, "View", true);
	a->v_layout = eg_declare_sort(g, "Layout", true);
	a->v_shape = eg_declare_sort(g, "Shape", true);
	vec_init(&a->info, sizeof(core_info));
	vec_init(&a->facts, sizeof(uint32_t));
	vec_init(&a->range, sizeof(param_range));
	vec_init(&a->hint, sizeof(param_range));
	vec_init(&a->bent, sizeof(bent_ranges));
	vec_push(&a->bent);
	vec_init(&a->met, sizeof(met_constant));
	vec_init(&a->token, sizeof(token_mark));
	vec_init(&a->made, sizeof(made_node));
	vec_init(&a->made_args, sizeof(eg_id));
	eg_column(g, &a->info, 0);
	eg_column(g, &a->facts, 0);
	declare_kinds(a);
	normal_init(a);
	eg_set_hooks(g, &h);
}

void algebra_free(algebra *a)
{
	normal_free(a);
	vec_free(&a->info);
	vec_free(&a->facts);
	vec_free(&a->bent);
	vec_free(&a->met);
	vec_free(&a->token);
	vec_free(&a->range);
	vec_free(&a->hint);
	vec_free(&a->made);
	vec_free(&a->made_args);
	arena_free(&a->s.a);
}
