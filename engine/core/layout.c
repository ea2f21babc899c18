#include "core/layout.h"

#include <stdlib.h>
#include <string.h>
#include "core/normal.h"
#include "core/view.h"
#include "util/integers.h"

/* Words: ndev, rank, nd, nl, extents, device digits, local digits; the lists made canonical. */
static eg_val layout_value(algebra *a, const layout *l)
{
	int n = 4 + l->rank + 2 * (l->nd + l->nl), nd, nl;
	int64_t *w = ARENA_ARRAY(&a->s.a, int64_t, n);
	digit *d;

	w[0] = l->ndev;
	w[1] = l->rank;
	if (l->rank)
		memcpy(w + 4, l->dim, sizeof *w * (size_t)l->rank);
	d = (digit *)(w + 4 + l->rank);
	nd = digits_canon(l->nd, l->dev, d);
	nl = digits_canon(l->nl, l->loc, d + nd);
	w[2] = nd;
	w[3] = nl;
	return eg_value(a->g, a->v_layout, w, sizeof *w * (size_t)(4 + l->rank + 2 * (nd + nl)));
}

static layout layout_get(const algebra *a, eg_val v)
{
	const int64_t *w = eg_value_bytes(a->g, v, NULL);
	layout l = { w[0], (int)w[1], (int)w[2], (int)w[3], w + 4, NULL, NULL };

	l.dev = (const digit *)(w + 4 + l.rank);
	l.loc = l.dev + l.nd;
	return l;
}

layout layout_of(const algebra *a, eg_id laid)
{
	return layout_get(a, node_val(a, laid, 0));
}

int64_t layout_elements(const layout *l)
{
	return integers_product(l->dim, l->rank);
}

eg_id layout_laid(algebra *a, const layout *l, eg_id x)
{
	eg_val v = layout_value(a, l);

	return core_build(a, eg_operator(a->g, a->fam[C_LAID], 1, &v), 1, &x);
}

ix *layout_read(algebra *a, const layout *l, const ix *r, const ix *i)
{
	return ix_add(&a->s, digits_read(&a->s, l->nd, l->dev, r), digits_read(&a->s, l->nl, l->loc, i));
}

ix *flat_index(algebra *a, int rank, const int64_t *dim, ix *const *e)
{
	ix *r = ix_const(&a->s, 0);
	int64_t w = 1;
	int i;

	for (i = rank - 1; i >= 0; w *= dim[i--])
		r = ix_add(&a->s, r, ix_times(&a->s, e[i], w));
	return r;
}

static int through(algebra *a, int n, const digit *part, int nv, const digit *view, digit **out)
{
	label *k = label_new(&a->s, digits_total(n, part));
	digit *d = *out = ARENA_ARRAY(&a->s.a, digit, 64);
	ix *e = digits_read(&a->s, nv, view, digits_read(&a->s, n, part, ix_of(&a->s, k, 1)));

	return digits_of_ix(&a->s, e, 1, &k, d, 64);
}

bool layout_through(algebra *a, const layout *l, int n, const digit *d, layout *out)
{
	digit *dev, *loc;

	*out = *l;
	out->nd = through(a, l->nd, l->dev, n, d, &dev);
	out->nl = through(a, l->nl, l->loc, n, d, &loc);
	out->dev = dev;
	out->loc = loc;
	return out->nd >= 0 && out->nl >= 0;
}

/* ---- cells */

static int cmp_form(algebra *a, eg_id m, eg_id best)
{
	eg_id x = eg_args(a->g, m)[0], y = eg_args(a->g, best)[0];
	size_t nx, ny;
	const void *vx, *vy;
	int d;

	if (core_len(a, x) != core_len(a, y))
		return core_len(a, x) < core_len(a, y) ? -1 : 1;
	if (normal_head(a, x) != normal_head(a, y))
		return normal_head(a, x) < normal_head(a, y) ? -1 : 1;
	vx = eg_value_bytes(a->g, node_val(a, m, 0), &nx);
	vy = eg_value_bytes(a->g, node_val(a, best, 0), &ny);
	if (nx != ny)
		return nx < ny ? -1 : 1;
	d = memcmp(vx, vy, nx);
	return d ? d : m < best ? -1 : m > best;
}

/* Forms of forwarded cores count only where none could be carried on (boundaries that do not divide, a rule off). */
eg_id laid_cell(algebra *a, eg_id tensor)
{
	eg_id r = eg_root(a->g, tensor), m = r, best[2] = { NIL, NIL };
	hop h;

	do {
		if (core_kind(a, m) == C_LAID && !eg_dead(a->g, m)) {
			int far = view_hop(a, eg_args(a->g, m)[0], &h);
			if (best[far] == NIL || cmp_form(a, m, best[far]) < 0)
				best[far] = m;
		}
		m = eg_next_in_class(a->g, m);
	} while (m != r);
	return best[0] != NIL ? best[0] : best[1];
}

/* The form of n under a symmetry of its core, where that is the lesser one. */
static void symmetric_forms(algebra *a, eg_id n, eg_id x)
{
	eg_id v[8];
	int i, nv = view_symmetries(a, x, v, 8), k;
	layout l = layout_of(a, n), m;

	for (i = 0; i < nv; i++) {
		const digit *d = val_get_digits(a, node_val(a, v[i], 0), &k);
		size_t n1, n2;
		const void *p, *q;
		eg_val mv;
		history_begin(a);
		if (!layout_through(a, &l, k, d, &m))
			continue;
		mv = layout_value(a, &m);
		p = eg_value_bytes(a->g, mv, &n1);
		q = eg_value_bytes(a->g, node_val(a, n, 0), &n2);
		if (n1 > n2 || (n1 == n2 && memcmp(p, q, n1) >= 0))
			continue;
		history_premise(a, eg_args(a->g, v[i])[0], x);
		history_premise(a, x, v[i]);
		view_unite(a, n, layout_laid(a, &m, x), SR_LAID_SYMMETRY);
	}
}

static void merge_forms(algebra *a, eg_id n, eg_id c)
{
	eg_id r = eg_root(a->g, n), m = r, *form;
	int k = 0, i;
	hop h;

	do {
		k++;
		m = eg_next_in_class(a->g, m);
	} while (m != r);
	form = ARENA_ARRAY(&a->s.a, eg_id, k);
	k = 0;
	do {
		if (core_kind(a, m) == C_LAID && !eg_dead(a->g, m) && m != c)
			form[k++] = m;
		m = eg_next_in_class(a->g, m);
	} while (m != r);
	for (i = 0; i < k; i++) {
		layout l = layout_of(a, c), o = layout_of(a, form[i]);
		digit *dl, *dm;
		if (view_hop(a, eg_args(a->g, form[i])[0], &h) || view_hop(a, eg_args(a->g, c)[0], &h))
			continue;
		dl = ARENA_ARRAY(&a->s.a, digit, l.nd + l.nl);
		dm = ARENA_ARRAY(&a->s.a, digit, o.nd + o.nl);
		memcpy(dl, l.dev, sizeof *dl * (size_t)(l.nd + l.nl));
		memcpy(dm, o.dev, sizeof *dm * (size_t)(o.nd + o.nl));
		history_begin(a);
		history_premise(a, c, form[i]);
		view_same_map(a, l.nd + l.nl, dl, eg_args(a->g, c)[0], o.nd + o.nl, dm, eg_args(a->g, form[i])[0], SR_LAID_MERGE);
	}
}

/* The digits that l binds, most significant first: x read at them is what l lays out in its own order, by `out`. */
static int digits_in_order(algebra *a, const layout *l, layout *out, digit *bound)
{
	int i, n = 0, all = l->nd + l->nl;
	digit *d = ARENA_ARRAY(&a->s.a, digit, all + 1);
	int64_t stride = 1;

	memcpy(d, l->dev, sizeof *d * (size_t)l->nd);
	memcpy(d + l->nd, l->loc, sizeof *d * (size_t)l->nl);
	for (i = 0; i < all; i++)
		if (d[i].stride)
			bound[n++] = d[i];
	for (i = all - 1; i >= 0; i--)
		if (d[i].stride) {
			d[i].stride = stride;
			stride *= d[i].size;
		}
	*out = *l;
	out->dev = d;
	out->loc = d + l->nd;
	return n;
}

/* n's core is a view whose digits its layout cuts across: the form on the core in the layout's own order is one for all
 * such forms. */
static void order_form(algebra *a, eg_id n, const layout *l)
{
	eg_id x = eg_args(a->g, n)[0];
	digit *d = ARENA_ARRAY(&a->s.a, digit, l->nd + l->nl);
	layout m;
	int k = digits_in_order(a, l, &m, d);

	if (digits_total(k, d) != core_len(a, x))
		return;
	k = digits_canon(k, d, d);
	if (!digits_identity(k, d, core_len(a, x)))
		view_unite(a, n, layout_laid(a, &m, core_view(a, k, d, x)), SR_LAID_FORWARD);
}

void laid_fire(algebra *a, eg_id n)
{
	eg_id x = eg_args(a->g, n)[0], c, *seen;
	hop h;
	layout l = layout_of(a, n), m;

	history_begin(a);
	if (view_hop(a, x, &h)) {
		if (structure_rule_id[SR_LAID_FORWARD] != NIL && layout_through(a, &l, h.n, h.d, &m)) {
			history_premise(a, x, h.via);
			view_unite(a, n, layout_laid(a, &m, h.y), SR_LAID_FORWARD);
		} else if (structure_rule_id[SR_LAID_FORWARD] != NIL) {
			order_form(a, n, &l);
		}
	} else if (structure_rule_id[SR_LAID_SYMMETRY] != NIL) {
		symmetric_forms(a, n, x);
	}
	c = laid_cell(a, n);
	if (c == NIL)
		return;
	seen = &VEC_AT(standing, &a->normal->standing, eg_root(a->g, n)).hop;
	if (*seen != c) {	/* the cell has changed: users are lifted again */
		trail_set32(a->tr, seen, c);
		normal_ask_users(a, eg_root(a->g, n));
	}
	if (structure_rule_id[SR_LAID_MERGE] != NIL)
		merge_forms(a, n, c);
}
