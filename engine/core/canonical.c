#include "core/canonical.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "core/normal.h"
#include "core/operand.h"
#include "util/hash.h"
#include "util/integers.h"

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

static void add_leaf(struct canonical *c, label *l, int what)
{
	l->num = c->nl;
	c->l[c->nl] = l;
	c->what[c->nl++] = (uint8_t)what;
}

/* Data labels in an order in which arguments come first; equal ones are one. */
static void add_data(struct canonical *c, label *l)
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
		    datum_same(c->a, c->l[i]->data, l->data)) {
			l->num = i;
			return;
		}
	add_leaf(c, l, L_DATA);
}

/* Room for the labels that the operands read, and those of data behind them. */
static void label_room(struct canonical *c, bool data)
{
	const work *w = c->w;
	int k, i, cap = 8 + 24 * (w->nfree + w->nbound);

	for (k = 0; k < w->nslot; k++) {
		const slot *t = &w->slot[k];
		cap += t->nl + (t->x != NIL ? t->e->nt : 0);
		for (i = 0; t->x != NIL && i < t->e->ntab; i++)
			cap += t->e->tab[i].nl;
	}
	if (data)
		cap *= 8;
	c->l = ARENA_ARRAY(&c->a->s.a, label *, cap);
	c->what = ARENA_ARRAY(&c->a->s.a, uint8_t, cap);
}

/* The leaves of the node's own labels that are read; of summed ones, where their order is no part of the meaning, the others
 * are counted only. */
static void collect_own(struct canonical *c)
{
	work *w = c->w;
	uint32_t stamp = c->a->s.stamp;
	label *leaf[64];
	int i, j, n;

	for (i = 0; i < w->nfree; i++) {
		n = label_leaves(w->free[i], leaf, 64);
		for (j = 0; j < n; j++)
			if (leaf[j]->mark == stamp && leaf[j]->num < 0)
				add_leaf(c, leaf[j], L_FREE);
	}
	c->unread = 1;
	for (i = 0; i < w->nbound; i++) {
		n = label_leaves(w->bound[i], leaf, 64);
		for (j = 0; j < n; j++)
			if (leaf[j]->mark == stamp || core_keeps_order(w->kind)) {
				leaf[j]->mark = stamp;
				add_leaf(c, leaf[j], L_BOUND);
			} else {
				c->unread *= leaf[j]->n;
			}
	}
}

static void collect_data(struct canonical *c, const slot *t)
{
	int i, j;

	for (i = 0; i < t->nl; i++)
		if (t->l[i]->data)
			add_data(c, t->l[i]);
	if (t->x == NIL)
		return;
	for (i = 0; i < t->e->nt; i++)
		if (t->e->t[i].l->data)
			add_data(c, t->e->t[i].l);
	for (i = 0; i < t->e->ntab; i++)
		for (j = 0; j < t->e->tab[i].nl; j++)
			if (t->e->tab[i].l[j]->data)
				add_data(c, t->e->tab[i].l[j]);
}

static void collect_labels(struct canonical *c)
{
	work *w = c->w;
	bool data = false;
	int k;

	c->a->s.stamp++;
	for (k = 0; k < w->nslot; k++) {
		note_slot(&c->a->s, &w->slot[k]);
		data = data || slot_has_data(&w->slot[k]);
	}
	label_room(c, data);
	collect_own(c);
	for (k = 0; data && k < w->nslot; k++)
		collect_data(c, &w->slot[k]);
}

int canonical_leaf(struct canonical *c, const label *l)
{
	if (l->mark != c->a->s.stamp || l->num < 0)
		stuck(&c->a->s, "internal: a label left its scope");
	return l->num;
}

/* A table that holds two copies of one data label reads it on the diagonal. */
static void unify_tables(struct canonical *c)
{
	int k, i;

	for (k = 0; k < c->w->nslot; k++) {
		slot *t = &c->w->slot[k];
		for (i = 0; i < t->nl; i++)
			if (t->l[i]->data)
				t->l[i] = c->l[canonical_leaf(c, t->l[i])];
		if (t->x == NIL)
			slot_expand(&c->a->s, t);
	}
}

/* A constant table takes the order of the labels that the other operands give: it is written anew with the node. */
static bool is_table_slot(const struct canonical *c, int x)
{
	return x < c->w->nslot && (c->w->slot[x].x == NIL || core_kind(c->a, normal_node(c->a, c->w->slot[x].x)) == C_TABLE);
}

/* The data slot that holds the value, or ndslot. */
int canonical_data_slot(const struct canonical *c, const datum *d)
{
	int j;

	for (j = 0; j < c->ndslot && !datum_same(c->a, d, c->dslot[j]); j++)
		;
	return j;
}

static void collect_exprs(struct canonical *c)
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
		j = canonical_data_slot(c, c->l[i]->data);
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
			c->st[k * c->nl + canonical_leaf(c, c->x[k]->t[i].l)] += c->x[k]->t[i].s;
}

static bool in_table(struct canonical *c, const ix_table_part *t, int leaf)
{
	int i;

	for (i = 0; i < t->nl; i++)
		if (canonical_leaf(c, t->l[i]) == leaf)
			return true;
	return false;
}

/* Places p and what comes next of a table over leaves a (high) and b (low) as the digits of one number. */
struct number_walk {
	int64_t sa, sb, na, nb;
};

static bool walk_begin(struct canonical *c, const ix_table_part *t, int a, int b, struct number_walk *w)
{
	int i, ia = -1, ib = -1;

	*w = (struct number_walk){ 1, 1, c->l[a]->n, c->l[b]->n };
	for (i = 0; i < t->nl; i++) {
		if (canonical_leaf(c, t->l[i]) == a)
			ia = i;
		if (canonical_leaf(c, t->l[i]) == b)
			ib = i;
	}
	if (ia < 0 || ib < 0)
		return false;
	for (i = ia + 1; i < t->nl; i++)
		w->sa *= t->l[i]->n;
	for (i = ib + 1; i < t->nl; i++)
		w->sb *= t->l[i]->n;
	return true;
}

/* The place after p, -1 when the number ends there; does the high digit change? */
static int64_t walk_next(const struct number_walk *w, int64_t p, bool *carry)
{
	*carry = p / w->sb % w->nb == w->nb - 1;
	if (*carry && p / w->sa % w->na == w->na - 1)
		return -1;
	return *carry ? p - (w->nb - 1) * w->sb + w->sa : p + w->sb;
}

/* Does a table rise, or fall, over leaves a (high) and b (low) as over the digits of one number: a linear function held inside
 * a range, or more than once, as windows of windows do?  Most steps that are not nothing are one length, the others less. */
static bool one_number(struct canonical *c, const ix_table_part *t, int a, int b)
{
	struct number_walk w;
	int64_t p, next, d = 0, q, whole = 0, less = 0;
	bool low = false, carries = false, carry;

	if (!walk_begin(c, t, a, b, &w))
		return false;
	for (p = 0; p < t->len; p++) {
		if ((next = walk_next(&w, p, &carry)) < 0 || !(q = t->v[next] - t->v[p]))
			continue;
		if (d && (q < 0) != (d < 0))
			return false;
		if (llabs(q) > llabs(d)) {
			less += whole;
			whole = 0;
			d = q;
		}
		if (q == d)
			whole++;
		else
			less++;
		low = low || !carry;
		carries = carries || carry;
	}
	return low && carries && whole > less;
}

enum { SUPPORT_MAX = 1 << 16 };		/* entries of a value table that is looked at for its support */

/* The places of a value table at all values of the number that a group is. */
static int64_t *group_places(struct canonical *c, const slot *t, const struct group *g)
{
	label **l = ARENA_ARRAY(&c->a->s.a, label *, g->n);
	int i;

	for (i = 0; i < g->n; i++)
		l[i] = c->l[g->leaf[i]];
	return grid_places(&c->a->s, g->n, l, t->nl, t->l);
}

static bool group_in(const struct canonical *c, const slot *t, const struct group *g)
{
	int i;

	for (i = 0; i < g->n && label_in(c->l[g->leaf[i]], t->nl, t->l); i++)
		;
	return i == g->n;
}

/* The places of a value table along all labels but those of three groups. */
static int64_t *rest_places(struct canonical *c, const slot *t, const struct group *const *g, int64_t *n)
{
	label **l = ARENA_ARRAY(&c->a->s.a, label *, t->nl);
	int i, j, k, m = 0;

	for (i = 0; i < t->nl; i++) {
		bool mine = false;
		for (j = 0; j < 3; j++)
			for (k = 0; k < g[j]->n; k++)
				mine = mine || c->l[g[j]->leaf[k]] == t->l[i];
		if (!mine)
			l[m++] = t->l[i];
	}
	*n = grid_size(&c->a->s, m, l);
	return grid_places(&c->a->s, m, l, t->nl, t->l);
}

/* Does the first place along s at which a value table is not 0 rise (or fall) over a (high) and b (low) as in one_number? */
static bool support_moves(struct canonical *c, const slot *t, const struct group *a, const struct group *b, const struct group *s)
{
	const struct group *g[3] = { a, b, s };
	int64_t nr, n = a->size * b->size, *pa = group_places(c, t, a), *pb = group_places(c, t, b), *ps = group_places(c, t, s);
	int64_t *pr = rest_places(c, t, g, &nr), was = -1, d = 0, i, k, r, q;
	bool low = false, carry = false;

	for (i = 0; i < n; i++, was = k) {
		for (k = 0; k < s->size; k++) {
			for (r = 0; r < nr && t->v[pa[i / b->size] + pb[i % b->size] + ps[k] + pr[r]] == 0; r++)
				;
			if (r < nr)
				break;
		}
		if (k == s->size)
			return false;
		q = i ? k - was : 0;
		if (q && d && q != d)
			return false;
		d = q ? q : d;
		low = low || (q && i % b->size);
		carry = carry || (q && i % b->size == 0);
	}
	return low && carry;
}

/* Do labels that only a value table knows move what it holds along another label as the digits of one number do: a window
 * that moves over the rows of devices? */
static bool window_moves(struct canonical *c, const struct group *A, const struct group *B)
{
	int k, g;

	for (k = 0; k < c->w->nslot; k++) {
		const slot *t = &c->w->slot[k];
		if (t->x != NIL || t->nl < 3 || slot_cells(t) > SUPPORT_MAX || !group_in(c, t, A) || !group_in(c, t, B))
			continue;
		for (g = 0; g < c->ng; g++) {
			const struct group *G = &c->grp[g];
			if (G != A && G != B && G->size > 1 && G->what != A->what && group_in(c, t, G) && support_moves(c, t, A, B, G) &&
			    !support_moves(c, t, B, A, G))
				return true;
		}
	}
	return false;
}

/* Does every index move by A as by the digit above B? */
static bool strides_follow(const struct canonical *c, const struct group *A, const struct group *B)
{
	int a = A->leaf[A->n - 1], b = B->leaf[B->n - 1], k;

	for (k = 0; k < c->nx; k++)
		if (canonical_stride(c, k, a) != canonical_stride(c, k, b) * B->size)
			return false;
	return true;
}

/* Does every index table read both leaves, or none of them, and every table of values likewise? */
static bool read_together(struct canonical *c, int a, int b)
{
	int k, i;

	for (k = 0; k < c->nx; k++)
		for (i = 0; c->x[k] && i < c->x[k]->ntab; i++)
			if (in_table(c, &c->x[k]->tab[i], a) != in_table(c, &c->x[k]->tab[i], b))
				return false;
	for (k = 0; k < c->w->nslot; k++)
		if (c->w->slot[k].x == NIL &&
		    label_in(c->l[a], c->w->slot[k].nl, c->w->slot[k].l) != label_in(c->l[b], c->w->slot[k].nl, c->w->slot[k].l))
			return false;
	return true;
}

/* Are leaves a (high) and b (low) the digits of one number to an index table?  Tables are looked at once for a pair, and large
 * ones with many labels not for all: pairs that are not looked at stay apart, which is right as well. */
static bool one_number_somewhere(struct canonical *c, int a, int b)
{
	enum { UNKNOWN, NO, YES, PLACES = 1 << 22 };
	uint8_t *known;
	bool one = false;
	int k, i;

	if (!c->numbers)
		c->numbers = arena_zalloc(&c->a->s.a, (size_t)c->nl * (size_t)c->nl);
	known = &c->numbers[a * c->nl + b];
	if (*known != UNKNOWN)
		return *known == YES;
	for (k = 0; k < c->nx && !one; k++)
		for (i = 0; c->x[k] && i < c->x[k]->ntab && !one && c->walked < PLACES; i++) {
			c->walked += c->x[k]->tab[i].len;
			one = one_number(c, &c->x[k]->tab[i], a, b) && !one_number(c, &c->x[k]->tab[i], b, a);
		}
	*known = one ? YES : NO;
	return one;
}

static bool read_in_line(const struct canonical *c, int a)
{
	int k;

	for (k = 0; k < c->nx && !canonical_stride(c, k, a); k++)
		;
	return k < c->nx;
}

static bool merges(struct canonical *c, const struct group *A, const struct group *B)
{
	int a = A->leaf[A->n - 1], b0 = B->leaf[0];
	const label *la, *lb;

	if (A->what != B->what || A->n + B->n > 16 || !strides_follow(c, A, B))
		return false;
	la = c->l[a];
	lb = c->l[b0];
	if (A->what == L_DATA && !(datum_same(c->a, la->data, lb->data) && la->data->div == lb->data->div * lb->n))
		return false;
	if (!read_together(c, a, b0))
		return false;
	return A->what == L_DATA || (la->root == lb->root && la->weight == lb->weight * lb->n) || read_in_line(c, a) ||
	       (A->what == L_FREE && window_moves(c, A, B)) || (!la->data && one_number_somewhere(c, a, b0));
}

/* Digits of data have together no more places than the data. */
static int64_t joined_size(const struct canonical *c, const struct group *hi, const struct group *lo)
{
	const datum *d = c->l[lo->leaf[lo->n - 1]]->data;
	int64_t most = d ? (d->full + d->div - 1) / d->div : INT64_MAX;

	return hi->size * lo->size < most ? hi->size * lo->size : most;
}

static void merge_groups(struct canonical *c)
{
	bool fixed = core_keeps_order(c->w->kind), again = true;
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
				c->grp[i].size = joined_size(c, &c->grp[i], &c->grp[j]);
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
static uint64_t signature(struct canonical *c, const label *l)
{
	uint64_t h = 0;
	int k, i;

	for (k = 0; k < c->w->nslot; k++) {
		const slot *t = &c->w->slot[k];
		int64_t outer, n, inner, j, o, q;
		if (t->x != NIL || !label_in(l, t->nl, t->l))
			continue;
		for (i = 0; t->l[i] != l; i++)
			;
		slot_axis(t, i, &outer, &n, &inner);
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
static double slope_of(struct canonical *c, const label *l)
{
	double sum = 0;
	int k, i;

	for (k = 0; k < c->w->nslot; k++) {
		const slot *t = &c->w->slot[k];
		int64_t outer, n, inner, o, q;
		double d = 0;
		if (t->x != NIL || !label_in(l, t->nl, t->l))
			continue;
		for (i = 0; t->l[i] != l; i++)
			;
		slot_axis(t, i, &outer, &n, &inner);
		for (o = 0; o < outer; o++)
			for (q = 0; q < inner; q++)
				d += t->v[(o * n + n - 1) * inner + q] - t->v[o * n * inner + q];
		d /= (double)(n - 1) * (double)(outer * inner);
		if (isfinite(d))
			sum += d;
	}
	return sum;
}

/* Mean rise, along one axis of a value table, of value times place of a data label. */
static double drift(const slot *t, int axis, int data)
{
	int64_t outer, n, inner, douter, dn, dinner, o, q, at;
	double d = 0;

	slot_axis(t, axis, &outer, &n, &inner);
	slot_axis(t, data, &douter, &dn, &dinner);
	for (o = 0; o < outer; o++)
		for (q = 0; q < inner; q++) {
			at = o * n * inner + q;
			d += (t->v[at + (n - 1) * inner] - t->v[at]) * (double)(at / dinner % dn);
		}
	return d / ((double)(n - 1) * (double)(outer * inner));
}

/* The same over all value tables and data labels: of a mask that compares a value with a place, the high digits of the
 * place go further than the low ones. */
static double drift_of(struct canonical *c, const label *l)
{
	double sum = 0, d;
	int k, i, j;

	for (k = 0; k < c->w->nslot; k++) {
		const slot *t = &c->w->slot[k];
		if (t->x != NIL || !label_in(l, t->nl, t->l))
			continue;
		for (i = 0; t->l[i] != l; i++)
			;
		for (j = 0; j < t->nl; j++)
			if (t->l[j]->data && j != i && isfinite(d = drift(t, i, j)))
				sum += d * (double)t->l[j]->data->div;
	}
	return sum;
}

static void make_groups(struct canonical *c, bool merge)
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
		c->grp[i].drift = drift_of(c, c->l[c->grp[i].leaf[0]]);
	}
}

/* How fast the index tables of e rise along a label in the mean; false when none reads it.  (The order in which a table has
 * its labels says nothing: it is written in the order that is looked for here.) */
static bool table_rise(struct canonical *c, const ix *e, int leaf, double *rise)
{
	int i, k;
	bool in = false;

	*rise = 0;
	for (i = 0; e && i < e->ntab; i++) {
		const ix_table_part *t = &e->tab[i];
		int64_t inner = 1, n = c->l[leaf]->n, o, q, sum = 0;
		if (!in_table(c, t, leaf))
			continue;
		for (k = t->nl - 1; canonical_leaf(c, t->l[k]) != leaf; k--)
			inner *= t->l[k]->n;
		for (o = 0; o < t->len; o += n * inner)
			for (q = 0; q < inner; q++)
				sum += t->v[o + (n - 1) * inner + q] - t->v[o + q];
		*rise += (double)sum / (double)((n - 1) * (t->len / n));
		in = true;
	}
	return in;
}

/* What index tables look like along one label, whatever the order of the others. */
static uint64_t index_signature(struct canonical *c, const int *order, int leaf)
{
	uint64_t h = 0;
	int k, i, m;

	for (k = 0; k < c->nx; k++) {
		const ix *e = c->x[k < c->w->nslot ? order[k] : k];
		for (i = 0; e && i < e->ntab; i++) {
			const ix_table_part *t = &e->tab[i];
			int64_t inner = 1, p, n = c->l[leaf]->n;
			uint64_t sum = 0;
			if (!in_table(c, t, leaf))
				continue;
			for (m = t->nl - 1; canonical_leaf(c, t->l[m]) != leaf; m--)
				inner *= t->l[m]->n;
			for (p = 0; p < t->len; p++)
				sum += hash_word((uint64_t)t->v[p] * 0x9e3779b97f4a7c15ull + (uint64_t)(p / inner % n));
			h += hash_word(sum + (uint64_t)k);
		}
	}
	return h;
}

static int cmp_groups(struct canonical *c, const int *order, const struct group *g, const struct group *h)
{
	int k, x, tables;
	bool tables_read = false;

	for (tables = 0; tables < 2; tables++)
		for (k = 0; k < c->nx; k++) {
			int64_t a, b;
			x = k < c->w->nslot ? order[k] : k;
			if (c->istab[x] != tables)
				continue;
			a = canonical_stride(c, x, g->leaf[g->n - 1]);
			b = canonical_stride(c, x, h->leaf[h->n - 1]);
			if (a != b)
				return a > b ? -1 : 1;
			if (tables && x < c->w->nslot && c->w->slot[x].x == NIL) {	/* not written yet: its labels will have strides */
				bool p = label_in(c->l[g->leaf[0]], c->w->slot[x].nl, c->w->slot[x].l), q = label_in(c->l[h->leaf[0]], c->w->slot[x].nl, c->w->slot[x].l);
				if (p != q)
					return p ? -1 : 1;
			}
			if (c->x[x] && c->x[x]->ntab) {
				double r, s;
				bool p = table_rise(c, c->x[x], g->leaf[g->n - 1], &r), q = table_rise(c, c->x[x], h->leaf[h->n - 1], &s);
				if (p != q)
					return p ? -1 : 1;
				if (r != s)
					return r > s ? -1 : 1;
				tables_read = tables_read || p;
			}
		}
	if (fabs(g->slope) != fabs(h->slope))	/* high digits of a number come first, rising or falling */
		return fabs(g->slope) > fabs(h->slope) ? -1 : 1;
	if (fabs(g->drift) != fabs(h->drift))
		return fabs(g->drift) > fabs(h->drift) ? -1 : 1;
	if (g->size != h->size)
		return g->size < h->size ? -1 : 1;
	if (g->sig != h->sig)
		return g->sig < h->sig ? -1 : 1;
	if (tables_read) {
		uint64_t p = index_signature(c, order, g->leaf[g->n - 1]), q = index_signature(c, order, h->leaf[h->n - 1]);
		if (p != q)
			return p < q ? -1 : 1;
	}
	return 0;
}

/* Numbers the groups for an order of slots: free, then bound, then data. */
static void number_groups(struct canonical *c, const int *order, int *out)
{
	int i, j, n = 0, what;
	bool fixed = core_keeps_order(c->w->kind);

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
		if (integers_permute(order + r[k].at, r[k].n))
			return true;
	return false;
}

void canonical_begin(struct canonical *c, algebra *a, work *w, bool merge)
{
	*c = (struct canonical){ .a = a, .w = w };
	work_settle(a, w);
	collect_labels(c);
	for (int i = 0; i < c->nl; i++)
		if (c->what[i] == L_DATA) {
			unify_tables(c);
			break;
		}
	collect_exprs(c);
	make_groups(c, merge);
}

static int same_node_key(const work *w, const int *o, const int *p)
{
	int i, d;

	for (i = 0; i < w->nslot; i++)	/* coefficients are part of the key */
		if ((d = rat_cmp(w->slot[o[i]].c, w->slot[p[i]].c)))
			return d;
	return 0;
}

/* The order and numbering with the least key. With ties collected: all that share it. */
/* Does an operand hold a table of values?  Such are written once, when the order is known. */
static bool holds_values(const work *w)
{
	int i;

	for (i = 0; i < w->nslot; i++)
		if (w->slot[i].x == NIL)
			return true;
	return false;
}

/* The node with its operands in this order: is it the least so far, or as good? */
static void try_order(struct canonical *c, const int *order, bool first, struct closed *best, struct closed *ties, int *nties)
{
	arena *s = &c->a->s.a;
	int n = c->w->nslot, *o = ARENA_ARRAY(s, int, n), *q = ARENA_ARRAY(s, int, c->ng), d;
	struct closed now = { o, q, { 0 } };

	memcpy(o, order, sizeof *o * (size_t)n);
	number_groups(c, o, q);
	if (!holds_values(c->w))
		now.w = pairing_write(c, o, q);
	d = first ? -1 : words_compare(&now.w, &best->w);
	if (d == 0)
		d = same_node_key(c->w, o, best->order);
	if (d < 0) {
		*best = now;
		if (nties)
			*nties = 0;
	}
	if (d <= 0 && nties)
		ties[(*nties)++] = now;
}

struct closed canonical_best(struct canonical *c, struct closed *ties, int *nties)
{
	algebra *a = c->a;
	work *w = c->w;
	int n = w->nslot, nrun = 0, i;
	int *order = ARENA_ARRAY(&a->s.a, int, n);
	struct run *run = ARENA_ARRAY(&a->s.a, struct run, n);
	struct closed best = { order, ARENA_ARRAY(&a->s.a, int, c->ng), { 0 } };
	int64_t count = 1;
	bool first = true;

	if (nties)
		*nties = 0;
	for (i = 0; i < n; i++)
		order[i] = i;
	if (core_commutes(w->kind)) {
		sort_slots(a, w, order);
		nrun = tied_runs(a, w, order, run, &count);
	}
	if (nrun && count <= ORDERS)	/* runs must start in rising order for the permutations to be all of them */
		do {
			try_order(c, order, first, &best, ties, nties);
			first = false;
		} while (next_order(order, run, nrun));
	else
		number_groups(c, best.order, best.seq);
	if (!best.w.n)
		best.w = pairing_write(c, best.order, best.seq);
	return best;
}
