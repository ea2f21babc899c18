/* prim_cover.c - what a maximum (minimum, and, or) takes of instances of one expression is one reduction: N24.
 *
 * An operand is what is reduced in it, reductions inside each other and choices
 * by constant masks opened.  The operation is idempotent: a value counts that is
 * taken once, or more often.  Of a reduction within a choice within a reduction one is made, too (N30).
 */
#include "prim/prim.h"

#include "core/zip.h"
#include "prim/counting.h"
#include "prim/fold.h"
#include "tensor/reducer.h"

enum { DEEP = 8 };

/* Operands of a lattice that are instances of one expression. */
struct covering {
	algebra *a;
	work *w;		/* the lattice */
	eg_id n;
	const char *op;
	bool masks;		/* choices are opened */
	int m;
	struct fold_term body[GROUP_MAX];	/* where one is chosen by a mask, that is its table */
	int ncommon;
	label *common[TERM_LABELS];
};

/* One level of t opened into e, which collects what is reduced; false: there is none. */
static bool open_level(struct covering *c, slot *t, work *e, struct fold_term *r)
{
	algebra *a = c->a;
	eg_id o = peek(a, t->x);
	counting by;
	int m;

	if (core_kind(a, o) == C_RED && !strcmp(core_fn(a, o), c->op) && core_type(a, o) == c->w->type && normal_opens(a, o, c->n)) {
		opened(a, t->x, o);
		*t = work_inline(a, o, t->e, e, &m)[0];
		return true;
	}
	if (!c->masks || !counting_open(a, c->n, c->op, c->w->type, t, &by))
		return false;
	r->tab = r->table ? tables_zip(a, &r->tab, &by.mask, zip_and, TYPE_REAL) : by.mask;
	r->table = true;
	*t = by.value;
	return true;
}

/* Operand j as what is reduced in it, the labels of that, and where it counts, as far as r says there already. */
static void open_body(struct covering *c, int j, struct fold_term *r)
{
	work *e = work_new(c->a, C_RED, c->w->type, 0);
	slot t = c->w->slot[j];
	int deep = 0;

	while (deep++ < DEEP && t.x != NIL && open_level(c, &t, e, r))
		;
	r->at = j;
	r->nf = 1;
	r->f[0] = t;
	r->nb = bound_leaves(&c->a->s, e, r->b, TERM_LABELS);
}

/* The operands from i on that look like operand i. */
static void take_alike(struct covering *c, int i)
{
	uint64_t key = 0;
	int j;

	for (c->m = 0, j = i; j < c->w->nslot && c->m < GROUP_MAX; j++) {
		struct fold_term *r = &c->body[c->m];
		if (slot_is_constant(c->a, &c->w->slot[j]))
			continue;
		r->table = false;
		open_body(c, j, r);
		if (j == i)
			key = slot_skeleton(c->a, &r->f[0]);
		else if (slot_skeleton(c->a, &r->f[0]) != key)
			continue;
		c->m++;
	}
}

/* Where each counts. */
static bool note_bodies(struct antiunify *g, const struct covering *c)
{
	slot one = table_one(c->a);
	int k;

	for (k = 0; k < c->m; k++) {
		const struct fold_term *r = &c->body[k];
		g->mask[k] = r->table ? tables_zip(c->a, &r->tab, &one, zip_holds, TYPE_REAL) : one;
		g->masked = g->masked || r->table;
		if (!note_instance(g, k, r->nb, r->b, c->ncommon, c->common, r->table ? &g->mask[k] : NULL))
			return false;
	}
	if (g->masked)
		g->most = SPAN_MAX;
	return true;
}

/* The one expression of the bodies. */
static bool one_expression(struct antiunify *g, struct covering *c, slot *out)
{
	slot f[GROUP_MAX];
	int k;

	for (k = 0; k < c->m; k++)
		f[k] = c->body[k].f[0];
	if (!note_bodies(g, c) || !antiunify_expression(g, f, out) || (!g->s && !g->masked))
		return false;
	c->ncommon = terms_settle(g, c->body, c->ncommon, c->common);
	return true;
}

/* Which values of s are taken, over the labels that decide; false when that cannot be told. */
static bool values_taken(struct antiunify *g, const struct covering *c, slot *taken)
{
	label *own[TERM_LABELS];
	int k, j, np;
	slot row;

	for (k = 0; k < c->m; k++) {
		const struct fold_term *r = &c->body[k];
		for (j = np = 0; j < r->nb; j++)
			if (!label_in(r->b[j], c->ncommon, c->common) &&
			    (label_in(r->b[j], g->t[k].nl, g->t[k].l) || (r->table && label_in(r->b[j], r->tab.nl, r->tab.l))))
				own[np++] = r->b[j];
		if (!row_matrix(g, k, r, 1, np, own, &row))
			return false;
		*taken = k ? tables_zip(g->a, taken, &row, zip_or, T_PRED) : tables_zip(g->a, &row, &row, zip_holds, T_PRED);
	}
	return true;
}

static bool all_nonzero(const slot *t)
{
	int64_t n = slot_cells(t), i;

	for (i = 0; i < n && t->v[i] != 0; i++)
		;
	return i == n;
}

/* The lattice with the operands as one reduction of `out` over s and what all reduce. */
static eg_id covered(struct covering *c, label *s, const slot *out)
{
	algebra *a = c->a;
	work *e = work_new(a, C_RED, c->w->type, 1);
	int at[GROUP_MAX], m, k;
	slot one, *terms;

	s->bound = true;
	c->common[c->ncommon++] = s;
	e->fn = c->w->fn;
	e->nslot = 1;
	e->slot[0] = *out;
	e->slot[0].c = RAT_ONE;
	work_set_bound(a, e, c->ncommon, c->common);
	work_set_free(a, e, c->w->nfree, c->w->free);
	one = slot_of_work(a, e, RAT_ONE);
	for (k = 0; k < c->m; k++)
		at[k] = c->body[k].at;
	terms = with_one(a, c->w, &one, c->m, at, &m);
	return work_result(a, work_like(a, c->w, C_LAT, m, terms));
}

/* Does it read a label that one of the bodies alone reduces? */
static bool reads_own(const struct covering *c, const slot *t)
{
	int k, j;

	for (k = 0; k < c->m; k++)
		for (j = 0; j < c->body[k].nb; j++)
			if (!label_in(c->body[k].b[j], c->ncommon, c->common) && reads_label(c->a, t, c->body[k].b[j]))
				return true;
	return false;
}

/* The bodies as one. */
static eg_id cover_bodies(struct covering *c)
{
	algebra *a = c->a;
	struct antiunify *g;
	counting of;
	slot out;

	c->ncommon = terms_share(a, c->m, c->body, c->common);
	g = antiunify_of(a, c->m, c->n);
	if (!one_expression(g, c, &out) || !values_taken(g, c, &of.mask) || reads_own(c, &out))
		return NIL;
	if (all_nonzero(&of.mask))
		return covered(c, g->s, &out);
	if (!g->masked)
		return refuse(a, "not every index value is covered");
	of.value = out;
	out = counting_slot(a, c->op, c->w->type, &of);
	return covered(c, g->s, &out);
}

/* The operands of n, as w has them; the bodies are not begun: they are large. */
static struct covering *covering_of(algebra *a, eg_id n, work *w, const char *op)
{
	struct covering *c = ARENA_ARRAY(&a->s.a, struct covering, 1);

	c->a = a;
	c->w = w;
	c->n = n;
	c->op = op;
	c->masks = true;
	work_settle(a, w);
	return c;
}

/* lat of instances is a reduction over the values of the index that they take, a choice where these are not the same everywhere. */
eg_id prim_lattice_cover(algebra *a, eg_id n)
{
	struct covering *c = covering_of(a, n, work_open(a, n), core_fn(a, n));
	int i;
	eg_id r;

	for (; ; c->masks = false) {
		for (i = 0; i < c->w->nslot; i++) {
			if (slot_is_constant(a, &c->w->slot[i]))
				continue;
			take_alike(c, i);
			if (c->m > 1 && (r = cover_bodies(c)) != NIL)
				return r;
		}
		if (!c->masks)
			return NIL;
	}
}

/* red op_l select(K(l), red op_m x, e) = red op_{l, m} select(K(l), x, e). */
eg_id prim_reduce_within(algebra *a, eg_id n)
{
	const char *op = core_fn(a, n);
	struct covering *c;
	struct fold_term r;
	work *e;
	slot t;
	int deep, own;

	if (!reducer_idempotent(op) || core_kind(a, peek(a, eg_args(a->g, n)[0])) == C_RED)
		return NIL;
	c = covering_of(a, n, work_open(a, n), op);
	e = work_like(a, c->w, C_RED, 1, c->w->slot);
	t = e->slot[0];
	own = e->nbound;
	r.table = false;
	for (deep = 0; deep < DEEP && t.x != NIL && open_level(c, &t, e, &r); deep++)
		;
	if (!r.table || e->nbound == own || !labels_meet(own, c->w->bound, r.tab.nl, r.tab.l))
		return NIL;
	e->slot[0] = counting_slot(a, op, c->w->type, &(counting){ r.tab, t });
	return work_result(a, e);
}

/* What operation is reduced by at x, or where x counts. */
static const char *reduced_by(algebra *a, eg_id x)
{
	eg_id o = peek(a, x);

	return core_kind(a, o) == C_RED && reducer_idempotent(core_fn(a, o)) ? core_fn(a, o) : NULL;
}

/* select(K, x, y), x and y reductions of instances of one expression, is max(select(K, x, e), select(not K, y, e)). */
eg_id prim_select_cover(algebra *a, eg_id n)
{
	struct covering *c;
	const char *op;
	slot mask;
	work *w;

	if (strcmp(core_fn(a, n), "select") || pairing_read(a, n).nslot != 3)
		return NIL;
	w = work_open(a, n);
	if ((!(op = reduced_by(a, w->slot[1].x)) && !(op = reduced_by(a, w->slot[2].x))) || !op_has_number(op, w->type) || !slot_table_values(a, &w->slot[0], &mask) ||
	    labels_data(mask.nl, mask.l))
		return NIL;
	w = work_like(a, w, C_LAT, 2, w->slot + 1);
	w->fn = val_name(a, op);
	c = covering_of(a, n, w, op);
	for (c->m = 0; c->m < 2; c->m++) {
		c->body[c->m].table = true;
		c->body[c->m].tab = c->m ? tables_zip(a, &mask, &mask, zip_not, TYPE_REAL) : mask;
		open_body(c, c->m, &c->body[c->m]);
	}
	if (slot_is_constant(a, &c->body[0].f[0]) || slot_skeleton(a, &c->body[0].f[0]) != slot_skeleton(a, &c->body[1].f[0]))
		return NIL;
	return cover_bodies(c);
}
