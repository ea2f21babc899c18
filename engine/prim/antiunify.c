#include "prim/antiunify.h"

#include "core/zip.h"
#include "prim/prim.h"

uint64_t slot_skeleton(algebra *a, const slot *t)
{
	return t->x == NIL ? 1 : core_of(a, peek(a, t->x))->skeleton;
}

void sort_slots(algebra *a, slot *t, int n)
{
	int i, j;

	for (i = 1; i < n; i++) {
		slot x = t[i];
		uint64_t h = slot_skeleton(a, &x);
		for (j = i; j > 0; j--) {
			uint64_t q = slot_skeleton(a, &t[j - 1]);
			int c = rat_cmp(t[j - 1].c, x.c);
			if (c < 0 || (c == 0 && q <= h))
				break;
			t[j] = t[j - 1];
		}
		t[j] = x;
	}
}

/* Constants of integers, and equal atoms: only the index differs. */
static int antiunify_index(struct antiunify *g, const slot *t, slot *out)
{
	ix *e[GROUP_MAX], *r;
	eg_id root = eg_root(g->a->g, t[0].x);
	int k;

	for (k = 0; k < g->n && eg_root(g->a->g, t[k].x) == root; k++)
		e[k] = t[k].e;
	if (k == g->n) {
		for (k = 1; k < g->n; k++)
			if (t[k].x != t[0].x)
				history_premise(g->a, t[k].x, t[0].x);
		if ((r = antiunify_ix(g, e, core_len(g->a, t[0].x)))) {
			*out = slot_read(t[0].x, r, t[0].c);
			return 1;
		}
		return core_atom(g->a, peek(g->a, t[0].x)) ? 0 : -1;
	}
	if (!type_is_int(core_type(g->a, t[0].x)))
		return -1;
	for (k = 0; k < g->n && slot_index(g->a, &t[k], &e[k]); k++)
		;
	if (k < g->n)
		return -1;
	r = antiunify_ix(g, e, INT64_MAX);
	if (!r)
		return 0;
	*out = slot_read(core_line(g->a, core_type(g->a, t[0].x)), r, t[0].c);
	return 1;
}

/* ---- constants */

/* Constants that differ. */
static bool antiunify_constant(struct antiunify *g, const slot *t, slot *out)
{
	algebra *a = g->a;
	slot v[GROUP_MAX], w;
	int k, type = T_PRED;

	for (k = 0; k < g->n; k++) {
		if (!slot_table_values(a, &t[k], &v[k]) || (k && v[k].vtype != type))
			return false;
		type = v[k].vtype;
	}
	*out = t[0];
	if (g->choice) {
		v[0] = tables_zip(a, &v[0], g->choice, zip_where, type);
		v[1] = tables_zip(a, &v[1], g->choice, zip_unless, type);
		w = tables_zip(a, &v[0], &v[1], zip_add, type);
		*out = slot_table(type, w.nl, w.l, w.v, t[0].c);
		return true;
	}
	return !g->known || joint_table(g, v, false, out) || (g->masked && joint_table(g, v, true, out));
}

/* ---- operations: opened, all the same, the same summed sizes, operands in one order */

/* What an instance has inside: its operands, and the work that holds its labels. */
struct opened_node {
	eg_id o;
	work *w;
	slot *in;
	int n;
};

static bool opens_alike(const struct antiunify *g, eg_id o, eg_id first)
{
	const algebra *a = g->a;
	enum core_kind k = core_kind(a, o);

	if (core_atom(a, o) || k == C_VIEW || !normal_opens(a, o, g->node) || pairing_read(a, o).nbound > 60)
		return false;
	if (k != core_kind(a, first) || core_type(a, o) != core_type(a, first) || core_of(a, o)->skeleton != core_of(a, first)->skeleton ||
	    eg_narg(a->g, o) != eg_narg(a->g, first))
		return false;
	return !(k == C_MAP || k == C_RED || k == C_LAT || k == C_PICK) || node_val(a, o, 2) == node_val(a, first, 2);
}

static void open_node(struct antiunify *g, const slot *t, struct opened_node *q)
{
	algebra *a = g->a;

	q->w = work_new(a, core_kind(a, q->o), core_type(a, q->o), 0);
	q->in = work_inline(a, q->o, t->e, q->w, &q->n);
	opened(a, t->x, q->o);
	if (core_commutes(core_kind(a, q->o)))
		sort_slots(a, q->in, q->n);
}

/* Summed labels become the first instance's. */
static bool same_bound(algebra *a, struct opened_node *q, const work *first)
{
	label *own[64];
	ix *to[64];
	int j;

	if (q->w->nbound != first->nbound)
		return false;
	for (j = 0; j < q->w->nbound; j++) {
		if (q->w->bound[j]->n != first->bound[j]->n)
			return false;
		own[j] = q->w->bound[j];
		to[j] = ix_of(&a->s, first->bound[j], 1);
	}
	for (j = 0; j < q->n; j++)
		q->in[j].e = ix_subst(&a->s, q->in[j].e, q->w->nbound, own, to);
	return true;
}

/* All instances opened; false when they are not one operation. */
static bool open_nodes(struct antiunify *g, const slot *t, struct opened_node *q)
{
	int k, j;

	for (k = 0; k < g->n; k++) {
		q[k].o = peek(g->a, t[k].x);
		if (!opens_alike(g, q[k].o, q[0].o))
			return false;
	}
	for (k = 0; k < g->n; k++) {
		open_node(g, &t[k], &q[k]);
		if (k && (q[k].n != q[0].n || !same_bound(g->a, &q[k], q[0].w)))
			return false;
		if (!k && g->nbound + q[0].w->nbound > BOUND_MAX)
			return false;
		for (j = 0; !k && j < q[0].w->nbound; j++)
			g->bound[g->nbound++] = q[0].w->bound[j];
	}
	return true;
}

/* Operand j of all instances as one. */
static bool antiunify_operand(struct antiunify *g, const struct opened_node *q, int j, slot *out)
{
	slot col[GROUP_MAX];
	int k;

	for (k = 0; k < g->n; k++) {
		col[k] = q[k].in[j];
		if (!rat_eq(col[k].c, col[0].c))
			return false;
	}
	if (!antiunify_slot(g, col, out))
		return false;
	out->c = col[0].c;
	return true;
}

static bool antiunify_node(struct antiunify *g, const slot *t, slot *out)
{
	algebra *a = g->a;
	struct opened_node *q = ARENA_ARRAY(&a->s.a, struct opened_node, g->n);
	int j, bound0 = g->nbound;
	enum core_kind kind;
	slot *res;
	work *w;

	if (--g->budget < 0 || !open_nodes(g, t, q))
		return false;
	res = ARENA_ARRAY(&a->s.a, slot, q[0].n);
	for (j = 0; j < q[0].n; j++)
		if (!antiunify_operand(g, q, j, &res[j]))
			return false;
	g->nbound = bound0;
	w = q[0].w;
	kind = w->kind;
	w->nslot = q[0].n;
	w->slot = res;
	w->fn = kind == C_SUM || kind == C_MUL || kind == C_EIN ? NIL : node_val(a, q[0].o, 2);
	*out = g->known ? slot_over_read(a, w, t[0].c) : t[0];
	return true;
}

static bool all_same(struct antiunify *g, const slot *t)
{
	int k;

	for (k = 1; k < g->n && slot_same(g->a, &t[0], &t[k]); k++)
		;
	return k == g->n;
}

bool antiunify_slot(struct antiunify *g, const slot *t, slot *out)
{
	int k, r;

	if (all_same(g, t)) {
		for (k = 1; k < g->n; k++)
			if (t[k].x != t[0].x)
				history_premise(g->a, t[k].x, t[0].x);
		*out = t[0];
		return true;
	}
	r = antiunify_index(g, t, out);
	if (r > 0)
		return true;
	for (k = 0; k < g->n && slot_is_constant(g->a, &t[k]); k++)
		;
	if (k == g->n && t[0].x != NIL && !type_is_int(core_type(g->a, t[0].x)))
		return antiunify_constant(g, t, out);
	return r < 0 && antiunify_node(g, t, out);
}

bool antiunify_expression(struct antiunify *g, const slot *t, slot *out)
{
	g->known = false;
	if (!antiunify_slot(g, t, out))
		return false;
	g->known = true;
	g->nbound = 0;
	return antiunify_slot(g, t, out);
}
