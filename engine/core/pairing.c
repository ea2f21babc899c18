/* A pairing as words of an attribute value:
 * nfree nbound ndata nslot ndslot tail | sizes | (data slot, div, full) per data label |
 * per slot, data slots last: base, strides, ntab, per table: nl, labels, value list
 */
#include "core/canonical.h"

#include <stdlib.h>
#include <string.h>
#include "core/pairing.h"

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

/* ---- writing */

/* Room for n more words; where the next one goes. */
static int64_t *put_room(struct words *w, int n)
{
	int64_t *old = w->w;

	if (w->n + n > w->cap) {
		w->cap = 2 * (w->cap + n) > 128 ? 2 * (w->cap + n) : 128;
		w->w = ARENA_ARRAY(w->a, int64_t, w->cap);
		if (w->n)
			memcpy(w->w, old, sizeof *old * (size_t)w->n);
	}
	return w->w + w->n;
}

static void put(struct words *w, int64_t v)
{
	*put_room(w, 1) = v;
	w->n++;
}

/* The groups that the labels of a table belong to, by number, rising: groups of several
 * digits are whole in a table or absent.  Returns how many entries they span. */
static int64_t table_groups(struct canonical *c, int nl, label *const *l, const int *num_of_leaf, const int *seq, int *ng, int *n)
{
	int64_t len = 1;
	int *group = ARENA_ARRAY(&c->a->s.a, int, nl), i, j;

	for (j = 0; j < nl; j++)
		group[j] = num_of_leaf[canonical_leaf(c, l[j])];
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
static int64_t *group_offsets(struct canonical *c, int nl, label *const *l, const struct group *g)
{
	int64_t *off = arena_zalloc(&c->a->s.a, sizeof *off * (size_t)g->size), w = 1, inner, x;
	int i, j;

	for (i = nl - 1; i >= 0; w *= l[i--]->n) {
		int leaf = canonical_leaf(c, l[i]);
		for (inner = 1, j = g->n - 1; j >= 0 && g->leaf[j] != leaf; j--)
			inner *= c->l[g->leaf[j]]->n;
		for (x = 0; j >= 0 && x < g->size; x++)
			off[x] += x / inner % l[i]->n * w;
	}
	return off;
}

/* Where a table over labels l holds the entry of each tuple of n groups, row-major. */
static const int64_t *table_places(struct canonical *c, int nl, label *const *l, int n, const int *ng, const int *seq, int64_t len)
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

static void put_table(struct canonical *c, struct words *w, const ix_table_part *t, const int *num_of_leaf, const int *seq)
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

int words_compare(const void *x, const void *y)
{
	const struct words *a = x, *b = y;
	int n = a->n < b->n ? a->n : b->n, i;

	for (i = 0; i < n; i++)
		if (a->w[i] != b->w[i])
			return a->w[i] < b->w[i] ? -1 : 1;
	return a->n - b->n;
}

static void put_expr(struct canonical *c, struct words *w, int x, const int *num_of_leaf, const int *seq)
{
	const ix *e = c->x[x];
	int64_t *to = put_room(w, c->ng + 2);
	struct words *t;
	int i, j;

	*to++ = e->base;
	for (i = 0; i < c->ng; i++) {
		const struct group *g = &c->grp[seq[i]];
		*to++ = canonical_stride(c, x, g->leaf[g->n - 1]);
	}
	*to = e->ntab;
	w->n += c->ng + 2;
	if (!e->ntab)
		return;
	t = arena_zalloc(&c->a->s.a, sizeof *t * (size_t)(e->ntab + 1));
	for (i = 0; i < e->ntab; i++) {
		t[i].a = &c->a->s.a;
		put_table(c, &t[i], &e->tab[i], num_of_leaf, seq);
	}
	qsort(t, (size_t)e->ntab, sizeof *t, words_compare);
	for (i = 0; i < e->ntab; i++)
		for (j = 0; j < t[i].n; j++)
			put(w, t[i].w[j]);
}

/* A constant table becomes a node of its own, read row-major over its labels. */
static void put_vtable(struct canonical *c, struct words *w, slot *t, const int *num_of_leaf, const int *seq)
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

struct words pairing_write(struct canonical *c, const int *order, const int *seq)
{
	struct words w = { NULL, 0, 0, &c->a->s.a };
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
		put(&w, canonical_data_slot(c, l->data));
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
