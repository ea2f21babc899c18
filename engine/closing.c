#include "closing.h"

#include <math.h>
#include <string.h>
#include "normal.h"

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
		    datum_same(c->a, c->l[i]->data, l->data)) {
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
			if (leaf[j]->mark == s->stamp || core_keeps_order(w->kind)) {
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

int closing_leaf(struct closing *c, const label *l)
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
				t->l[i] = c->l[closing_leaf(c, t->l[i])];
		if (t->x == NIL)
			slot_expand(&c->a->s, t);
	}
}

/* A constant table takes the order of the labels that the other operands give: it is written anew with the node. */
static bool is_table_slot(const struct closing *c, int x)
{
	return x < c->w->nslot && (c->w->slot[x].x == NIL || core_kind(c->a, normal_node(c->a, c->w->slot[x].x)) == C_TABLE);
}

/* The data slot that holds the value, or ndslot. */
int closing_data_slot(const struct closing *c, const datum *d)
{
	int j;

	for (j = 0; j < c->ndslot && !datum_same(c->a, d, c->dslot[j]); j++)
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
		j = closing_data_slot(c, c->l[i]->data);
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
			c->st[k * c->nl + closing_leaf(c, c->x[k]->t[i].l)] += c->x[k]->t[i].s;
}

static bool in_table(struct closing *c, const ix_table_part *t, int leaf)
{
	int i;

	for (i = 0; i < t->nl; i++)
		if (closing_leaf(c, t->l[i]) == leaf)
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
		if (closing_leaf(c, t->l[i]) == a)
			ia = i;
		if (closing_leaf(c, t->l[i]) == b)
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
	    !(datum_same(c->a, la->data, lb->data) && la->data->div == lb->data->div * lb->n))
		return false;
	for (k = 0; k < c->nx; k++) {
		const ix *e = c->x[k];
		int64_t sa = closing_stride(c, k, a);
		if (sa != closing_stride(c, k, b) * B->size)
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
			if (closing_leaf(c, e->tab[i].l[j]) == leaf && j < best)
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
			a = closing_stride(c, x, g->leaf[g->n - 1]);
			b = closing_stride(c, x, h->leaf[h->n - 1]);
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

void closing_begin(struct closing *c, algebra *a, work *w, bool merge)
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
struct closed closing_best(struct closing *c, struct closed *ties, int *nties)
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
	if (core_commutes(w->kind)) {
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
				now.w = pairing_write(c, o, q);
			d = first ? -1 : words_compare(&now.w, &best.w);
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
		best.w = pairing_write(c, order, seq);
		return best;
	}
	number_groups(c, order, seq);
	best.w = pairing_write(c, order, seq);
	return best;
}
