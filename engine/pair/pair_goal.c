#include "pair/pair_in.h"

#include <string.h>
#include "pair/whole.h"

/* A row of a program on a mesh, reduced over the axes of the PARTIAL steps of c. */
static eg_id reduced(pair *q, const mesh *ms, const chain *c, const row *r, eg_id cell)
{
	algebra *a = &q->p->a;
	scratch *s = &a->s;
	layout y = layout_of(a, cell), z;
	label *dev = label_new(s, ms->ndev), *i = label_new(s, layout_elements(&y)), **bound = ARENA_ARRAY(&s->a, label *, c->n);
	ix **axis = mesh_axes(a, ms, ix_of(s, dev, 1));
	const char *op = NULL;
	int k, nb = 0;
	work *w;
	placed p;
	digit *dd = ARENA_ARRAY(&s->a, digit, 64), *ld = ARENA_ARRAY(&s->a, digit, 64);
	label *free[2] = { dev, i };

	for (k = 0; k < c->n; k++)
		if (c->step[k].kind == CHAIN_PARTIAL) {
			bound[nb] = label_new(s, ms->axis[c->step[k].axis].size);
			bound[nb]->bound = true;
			axis[c->step[k].axis] = ix_of(s, bound[nb++], 1);
			op = c->step[k].op;
		}
	w = work_new(a, !strcmp(op, "add") ? C_EIN : C_RED, r->type, 1);
	w->fn = !strcmp(op, "add") ? NIL : val_name(a, op);
	work_set_free(a, w, 2, free);
	work_set_bound(a, w, nb, bound);
	w->nslot = 1;
	w->slot[0] = slot_read(eg_args(a->g, cell)[0], layout_read(a, &y, mesh_device(a, ms, axis), ix_of(s, i, 1)), RAT_ONE);
	p = work_make(a, w);
	z = y;
	z.nd = placed_digits(&p, 1, &free[0], dd);
	z.nl = placed_digits(&p, 1, &free[1], ld);
	z.dev = dd;
	z.loc = ld;
	return layout_laid(a, &z, p.n);
}

/* A distributed row (cell: its form) summed, or reduced, over the axes that the PARTIAL steps of c name: a Laid node. */
static eg_id pair_reduced(pair *q, const chain *c, int dist_row, eg_id cell)
{
	return reduced(q, &q->ms, c, &q->dist->row[dist_row], cell);
}

/* ---- hypotheses */

/* The two nodes that a hypothesis makes equal, from forms of both rows (dcell: NIL when nothing is reduced). */
static const char *assumed_nodes(pair *q, int base_row, int dist_row, const chain *c, eg_id cell, eg_id dcell, eg_id node[2])
{
	algebra *a = &q->p->a;
	const row *b = &q->base->row[base_row], *d = &q->dist->row[dist_row];
	layout y = layout_of(a, cell);
	const char *op, *why = pair_misfit(q, c, b, d);
	bool partial = chain_parts(&q->ms, c, &op) > 1;
	chain rest = whole_chain(&a->s.a, c);

	if (why)
		return why;
	if (partial && dcell == NIL)
		return arena_printf(&q->a, "%%%s is not taken up yet", d->path);
	history_begin(a);
	history_premise(a, b->tensor, cell);
	node[0] = d->tensor;
	if (partial) {
		history_premise(a, d->tensor, dcell);
		node[0] = pair_reduced(q, c, dist_row, dcell);
	}
	node[1] = chain_apply(a, &q->ms, &rest, d->type, &y, eg_args(a->g, cell)[0], b->rank, b->dim, d->rank, d->dim, d->path);
	return NULL;
}

static const char *assume(pair *q, int base_row, int dist_row, const chain *c, uint32_t *firing)
{
	prover *p = q->p;
	algebra *a = &p->a;
	const row *b = &q->base->row[base_row], *d = &q->dist->row[dist_row];
	eg_id cell = b->tensor == NIL ? NIL : laid_cell(a, b->tensor), node[2] = { NIL, NIL };
	const char *why;

	if (q->base_in)
		return "the baseline is a distributed program: only its inputs and outputs are related to other tensors";
	if (b->trips > 1 || d->trips > 1)
		return arena_printf(&q->a, "%%%s stands for all trips of a loop: only what comes out of it is related to other tensors", d->trips > 1 ? d->path : b->path);
	if (cell == NIL || d->tensor == NIL)
		return arena_printf(&q->a, "%%%s is not taken up yet", d->tensor == NIL ? d->path : b->path);
	if ((why = assumed_nodes(q, base_row, dist_row, c, cell, laid_cell(a, d->tensor), node)))
		return why;
	if (eg_root(a->g, node[0]) == eg_root(a->g, node[1]))
		return "it is known already";
	*firing = history_log(a, RULE_ASSUMED, node[0], node[1]);
	eg_set_firing(p->g, *firing);
	eg_union(p->g, node[0], node[1], EG_ASSUMED, *firing);
	normal_firing_origins(a, *firing);
	p->fired++;
	return NULL;
}

struct assumption {
	int base_row, dist_row;
	const chain *c;
	uint32_t *firing;
};

static const char *assume_guarded(pair *q, void *ctx)
{
	const struct assumption *x = ctx;

	return assume(q, x->base_row, x->dist_row, x->c, x->firing);
}

const char *pair_assume(pair *q, int base_row, int dist_row, const chain *c, uint32_t *firing)
{
	struct assumption x = { base_row, dist_row, c, firing };

	return pair_guarded(q, assume_guarded, &x);
}

/* What a plan assumes of row i of the distributed program, which is lifted. */
void pair_assume_row(pair *q, int i)
{
	const char *why;
	uint32_t f;
	int k;

	for (k = 0; k < q->nrelated; k++)
		if (q->related[k].assumed && q->related[k].dist_row == i &&
		    (why = pair_assume(q, q->related[k].base_row, i, &q->related[k].rel.c, &f)))
			pair_refused(q, q->related[k].rel.where, why);
}

/* ---- goals */

static eg_id read_tensor(pair *q, eg_id cell, label *dev, int rank, label **dl, const int64_t *dim, ix *at)
{
	algebra *a = &q->p->a;
	eg_id x = eg_args(a->g, cell)[0];
	lift l = { .a = a, .type = core_type(a, x), .ndev = dev->n, .rank = rank, .dim = dim };
	operand_form o = { .x = x, .type = core_type(a, x) };
	frame_of f = { dev, dl, NULL, NULL };

	l.op = &o;
	l.nop = 1;
	return lift_moved(&l, 0, at, &f);
}

/* What a goal compares with: the baseline's output, on one device.  A distributed baseline's is put together of what its devices
 * hold, once for every choice of replicas (`copies`, a dimension of their own in front when there are several): that these
 * agree is part of the claim. */
typedef struct compared {
	eg_id cell;
	row r;
	int64_t copies;
} compared;

/* Coordinates of the axes that the chain leaves free, as digits of `copy`; the others are 0. */
static ix **free_axes(pair *q, const chain *c, label *copy, bool *bound)
{
	scratch *s = &q->p->a.s;
	const mesh *ms = &q->base_ms;
	int64_t *size = ARENA_ARRAY(&s->a, int64_t, ms->n);
	ix **axis;
	int k;

	for (k = 0; k < ms->n; k++)
		size[k] = bound[k] ? 1 : ms->axis[k].size;
	axis = ix_digits(s, ix_of(s, copy, 1), ms->n, size);
	for (k = 0; k < c->n; k++)
		if (c->step[k].kind == CHAIN_SHARD || c->step[k].kind == CHAIN_PARTIAL)
			axis[c->step[k].axis] = ix_const(s, 0);
	return axis;
}

static const char *put_together(pair *q, const chain *c, const row *b, eg_id cell, compared *v)
{
	algebra *a = &q->p->a;
	scratch *s = &a->s;
	const mesh *ms = &q->base_ms;
	bool *bound = arena_zalloc(&s->a, (size_t)ms->n + 1);
	label **l;
	ix **e;
	int64_t *dim, *over;
	int k, rank, first;
	chain rest = whole_chain(&s->a, c);
	const char *why, *op;
	chain_held h;
	layout y;

	for (k = 0; k < c->n; k++) {
		if (c->step[k].kind == CHAIN_SHARD || c->step[k].kind == CHAIN_PARTIAL)
			bound[c->step[k].axis] = true;
		else if (c->step[k].kind != CHAIN_TRANSPOSE)
			return "an output of a distributed baseline is related by placements and transpose";
	}
	if ((why = whole_shape(&q->a, ms, c, b->rank, b->dim, &rank, &dim)) || (why = chain_disorder(c)))
		return why;
	if (chain_parts(ms, c, &op) > 1)
		cell = reduced(q, ms, c, b, cell);
	for (v->copies = 1, k = 0; k < ms->n; k++)
		v->copies *= bound[k] ? 1 : ms->axis[k].size;
	first = v->copies > 1;
	l = ARENA_ARRAY(&s->a, label *, rank + 1);
	e = ARENA_ARRAY(&s->a, ix *, rank + 1);
	over = ARENA_ARRAY(&q->a, int64_t, rank + 1);
	l[0] = label_new(s, v->copies);
	over[0] = v->copies;
	for (k = 0; k < rank; k++) {
		over[first + k] = dim[k];
		l[first + k] = label_new(s, dim[k]);
		e[k] = ix_of(s, l[first + k], 1);
	}
	h = chain_forward(a, ms, &rest, rank, dim, e, free_axes(q, c, first ? l[0] : label_new(s, 1), bound));
	y = layout_of(a, cell);
	v->cell = read_tensor(q, cell, label_new(s, 1), first + rank, l, over, layout_read(a, &y, h.r, flat_index(a, b->rank, b->dim, h.e)));
	v->r = *b;
	v->r.rank = rank;
	v->r.dim = dim;
	return v->cell == NIL ? "what its devices hold is not put together" : NULL;
}

static const char *compared_with(pair *q, const goal *g, compared *v)
{
	*v = (compared){ g->bcell, q->base->row[g->base_row], 1 };
	if (!q->base_in)
		return NULL;
	if (g->rel->base < 0 || g->rel->base_row >= 0)
		return "the baseline is a distributed program: only its inputs and outputs are related to other tensors";
	return put_together(q, &q->base_out[g->rel->base], &q->base->row[g->base_row], g->bcell, v);
}

/* A tensor on the devices of DIST and the baseline's places, but at the places that are ignored a value of its own. */
static eg_id ignoring(pair *q, eg_id laid, const chain_place *p, label *dev, int rank, label **l, const int64_t *dim, const char *name)
{
	algebra *a = &q->p->a;
	scratch *s = &a->s;
	layout y = layout_of(a, laid);
	eg_id x = eg_args(a->g, laid)[0];
	ix **e = ARENA_ARRAY(&s->a, ix *, rank);
	label **all = ARENA_ARRAY(&s->a, label *, rank + 1);
	lift f = { .a = a, .type = core_type(a, x), .ndev = q->ms.ndev, .rank = rank, .dim = dim };
	frame_of frame = { dev, l, NULL, NULL };
	slot t;
	work *w;
	int k;

	all[0] = dev;
	for (k = 0; k < rank; k++) {
		all[1 + k] = l[k];
		e[k] = ix_of(s, l[k], 1);
	}
	t = slot_read(x, layout_read(a, &y, ix_of(s, dev, 1), flat_index(a, rank, dim, e)), RAT_ONE);
	t = chain_tested(a, p, t, core_type(a, x), rank + 1, all, name);
	w = lift_work(&f, C_AT, NULL, 1, &frame);
	w->type = core_type(a, t.x);
	w->slot[0] = t;
	return lift_finish(&f, w, &frame);
}

/* The tests of IGNORE steps, at the places where the baseline's are held. */
static chain_place ignored(pair *q, const chain *c, const row *b, const chain_held *h)
{
	algebra *a = &q->p->a;
	chain_place p = chain_back(a, &q->ms, c, b->rank, b->dim, h->r, h->e);
	int k, n = 0;

	for (k = 0; k < p.ntest; k++)
		if (c->step[p.test[k].id].kind == CHAIN_IGNORE)
			p.test[n++] = p.test[k];
	p.ntest = n;
	return p;
}

/* Where the relation leaves places arbitrary, or orders them through a table, or cuts the baseline's core across its digits,
 * both are read at the baseline's places. */
static void forward_goal(pair *q, goal *g, const compared *v, eg_id dcell)
{
	algebra *a = &q->p->a;
	scratch *s = &a->s;
	const row *b = &v->r, *d = &q->dist->row[g->dist_row];
	label *dev = label_new(s, q->ms.ndev), **l = ARENA_ARRAY(&s->a, label *, b->rank);
	ix **e = ARENA_ARRAY(&s->a, ix *, b->rank), **axis;
	layout yb = layout_of(a, v->cell), yd;
	chain values = chain_filter(&s->a, &g->rel->c, 1u << CHAIN_SCALE | 1u << CHAIN_CONVERT);	/* these move nothing */
	chain_place p;
	chain_held h;
	int k;

	for (k = 0; k < b->rank; k++) {
		l[k] = label_new(s, b->dim[k]);
		e[k] = ix_of(s, l[k], 1);
	}
	axis = mesh_axes(a, &q->ms, ix_of(s, dev, 1));
	h = chain_forward(a, &q->ms, &g->rel->c, b->rank, b->dim, e, axis);
	yd = layout_of(a, dcell);
	g->have = read_tensor(q, dcell, dev, b->rank, l, b->dim, layout_read(a, &yd, h.r, flat_index(a, d->rank, d->dim, h.e)));
	g->want = chain_apply(a, &q->ms, &values, b->type, &yb, eg_args(a->g, v->cell)[0], b->rank, b->dim, b->rank, b->dim, d->path);
	p = ignored(q, &g->rel->c, b, &h);
	if (p.ntest) {
		g->have = ignoring(q, g->have, &p, dev, b->rank, l, b->dim, d->path);
		g->want = ignoring(q, g->want, &p, dev, b->rank, l, b->dim, d->path);
	}
}

/* How the places of a relation are compared. */
typedef struct places_kind {
	bool arbitrary, zero;		/* some hold anything; some hold zeros */
	bool segments, backward;	/* segments are sharded; a step that is not read forward */
} places_kind;

static places_kind places_of(const chain *c)
{
	places_kind p = { false, false, false, false };
	int k;

	for (k = 0; k < c->n; k++) {
		const chain_step *s = &c->step[k];
		p.arbitrary = p.arbitrary || (s->kind == CHAIN_PAD && !s->zero) || s->kind == CHAIN_IGNORE;
		p.zero = p.zero || (s->kind == CHAIN_PAD && s->zero);
		p.segments = p.segments || (s->kind == CHAIN_SHARD && s->n);
		p.backward = p.backward || s->kind == CHAIN_REPEAT || s->kind == CHAIN_TAKE;
	}
	return p;
}

static const char *not_compared(const places_kind *p, int64_t copies)
{
	if (p->arbitrary && p->zero)
		return "zeros and arbitrary places in one relation are not compared";
	if (p->arbitrary && p->backward)
		return "arbitrary places behind repeat or take are not compared";
	if (p->arbitrary && copies > 1)
		return "arbitrary places are not compared with several replicas of the baseline";
	return NULL;
}

/* The same tensor once more for every copy, in a dimension in front. */
static eg_id repeated(pair *q, eg_id cell, int64_t copies)
{
	algebra *a = &q->p->a;
	layout y = layout_of(a, cell);
	eg_id x = eg_args(a->g, cell)[0];
	int64_t *dim = ARENA_ARRAY(&a->s.a, int64_t, y.rank + 1);
	digit *loc = ARENA_ARRAY(&a->s.a, digit, y.nl + 1);
	int k;

	dim[0] = copies;
	for (k = 0; k < y.rank; k++)
		dim[1 + k] = y.dim[k];
	loc[0] = (digit){ copies, 0 };
	for (k = 0; k < y.nl; k++)
		loc[1 + k] = y.loc[k];
	y.rank++;
	y.dim = dim;
	y.nl++;
	y.loc = loc;
	return layout_laid(a, &y, x);
}

static bool through_table(const algebra *a, eg_id core)
{
	return core_kind(a, core) == C_AT && reads_tables(a, core);
}

/* Shards that cut the baseline's core across its digits: a layout cannot say so, and a table would have to. */
static bool across_digits(const algebra *a, eg_id bcell, eg_id want)
{
	return through_table(a, eg_args(a->g, want)[0]) && !through_table(a, normal_node(a, eg_args(a->g, bcell)[0]));
}

/* The goal's nodes from its two forms. */
static void build_goal_on(pair *q, goal *g, eg_id bcell, eg_id dcell)
{
	algebra *a = &q->p->a;
	const row *b, *d = &q->dist->row[g->dist_row];
	eg_id have;
	layout y;
	compared v;
	int64_t *bdim, *ddim;
	int k, first;
	const char *op;
	places_kind places;
	bool partial;
	chain c = g->rel->c, rest;

	g->bcell = bcell;
	g->dcell = dcell;
	if ((g->why = compared_with(q, g, &v)))
		return;
	b = &v.r;
	places = places_of(&c);
	if ((g->why = not_compared(&places, v.copies)))
		return;
	if ((g->why = pair_misfit(q, &c, b, d)))
		return;
	partial = chain_parts(&q->ms, &c, &op) > 1;
	have = partial ? pair_reduced(q, &c, g->dist_row, dcell) : d->tensor;
	rest = whole_chain(&a->s.a, &c);
	if (places.arbitrary || (places.segments && !places.backward && !places.zero && v.copies == 1)) {
		forward_goal(q, g, &v, partial ? have : dcell);
		return;
	}
	first = v.copies > 1;
	y = layout_of(a, v.cell);
	bdim = ARENA_ARRAY(&a->s.a, int64_t, b->rank + 1);
	ddim = ARENA_ARRAY(&a->s.a, int64_t, d->rank + 1);
	bdim[0] = ddim[0] = v.copies;
	for (k = 0; k < b->rank; k++)
		bdim[first + k] = b->dim[k];
	for (k = 0; k < d->rank; k++)
		ddim[first + k] = d->dim[k];
	if (first)
		rest = whole_chain_behind(&a->s.a, &rest, v.copies);
	g->have = first ? repeated(q, partial ? have : dcell, v.copies) : have;
	g->want = chain_apply(a, &q->ms, &rest, b->type, &y, eg_args(a->g, v.cell)[0], first + b->rank, bdim, first + d->rank, ddim, d->path);
	/* what a loop carries has to be the very tensor */
	if (g->out >= 0 && !first && !places.backward && !places.zero && across_digits(a, v.cell, g->want))
		forward_goal(q, g, &v, partial ? have : dcell);
}

static void build_goal(pair *q, goal *g)
{
	algebra *a = &q->p->a;
	eg_id bcell, dcell;

	if (g->base_row < 0) {
		g->why = "the plan does not name a counterpart";
		return;
	}
	bcell = laid_cell(a, q->base->row[g->base_row].tensor);
	dcell = laid_cell(a, q->dist->row[g->dist_row].tensor);
	if (bcell == NIL || dcell == NIL)
		g->why = "it is not lifted";
	else
		build_goal_on(q, g, bcell, dcell);
}

void pair_build_claim(pair *q, goal *g)
{
	algebra *a = &q->p->a;
	arena_mark m = arena_at(&a->s.a);

	history_begin(a);
	if (setjmp(a->s.out))
		g->why = arena_strdup(&q->a, a->s.reason);
	else if (g->compared)
		build_goal(q, g);
	normal_made_origins(a);
	arena_reset(&a->s.a, m);
}

static bool loops_hold(const pair *q, int row)
{
	int l;

	for (l = 0; l < q->dist->nloop; l++)
		if (pair_loop_around(q, l, row) && !pair_loop_holds(q, l))
			return false;
	return true;
}

bool goal_met(const pair *q, const goal *g)
{
	if (g->within && !loops_hold(q, g->dist_row))
		return false;
	return g->want != NIL && g->want < eg_nnode(q->p->g) && g->have < eg_nnode(q->p->g) && eg_root(q->p->g, g->want) == eg_root(q->p->g, g->have);
}

void goal_ends(const pair *q, const goal *g, eg_id out[3][2])
{
	out[0][0] = g->have;
	out[0][1] = g->want;
	out[1][0] = q->base->row[g->base_row].tensor;
	out[1][1] = g->bcell;
	out[2][0] = q->dist->row[g->dist_row].tensor;
	out[2][1] = g->dcell;
}

struct on_forms {
	goal *g;
	const chain *c;
	int base_row, dist_row;
	eg_id bcell, dcell, *node;
};

static const char *goal_of(pair *q, void *ctx)
{
	struct on_forms *o = ctx;

	history_begin(&q->p->a);
	o->g->why = NULL;
	build_goal_on(q, o->g, o->bcell, o->dcell);
	return o->g->why;
}

const char *pair_goal_on(pair *q, goal *g, eg_id bcell, eg_id dcell)
{
	struct on_forms o = { .g = g, .bcell = bcell, .dcell = dcell };

	return pair_guarded(q, goal_of, &o);
}

static uint32_t put_claim(eg_id (*to)[2], uint32_t n, eg_id x, eg_id y)
{
	if (x == y)
		return n;
	to[n][0] = x;
	to[n][1] = y;
	return n + 1;
}

/* What the building that was last logged took for equal, of nodes below `nodes`: behind the n pairs there are. */
static uint32_t claim_built(const algebra *a, uint32_t nodes, eg_id (*to)[2], uint32_t n)
{
	const vec *opened = &a->normal->log.now;
	uint32_t i, k;

	for (i = 0; i < a->made.n; i++) {
		const made_node *m = &VEC_AT(made_node, &a->made, i);
		for (k = 0; k < m->narg && m->node < nodes; k++)
			n = put_claim(to, n, eg_args(a->g, m->node)[k], VEC_AT(eg_id, &a->made_args, m->args + k));
	}
	for (i = 0; i < opened->n; i++)
		if (VEC_AT(premise, opened, i).x < nodes && VEC_AT(premise, opened, i).y < nodes)
			n = put_claim(to, n, VEC_AT(premise, opened, i).x, VEC_AT(premise, opened, i).y);
	return n;
}

static uint32_t own_claims(pair *q, const goal *g, arena *s, eg_id (**claim)[2])
{
	algebra *a = &q->p->a;
	trail_mark mark = trail_at(a->tr);
	uint32_t nodes = eg_nnode(a->g), n = 0;
	goal again = *g;

	if (!pair_goal_on(q, &again, g->bcell, g->dcell) && again.have < nodes && again.want < nodes) {
		*claim = arena_alloc(s, sizeof **claim * (3 + a->made_args.n + a->normal->log.now.n));
		goal_ends(q, &again, *claim);
		n = claim_built(a, nodes, *claim, 3);
	}
	trail_undo(a->tr, mark);
	return n;
}

/* Adds what g claims to the *n pairs; false: it cannot be built again. */
static bool add_claims(pair *q, const goal *g, arena *s, eg_id (**claim)[2], uint32_t *n)
{
	eg_id (*more)[2], (*all)[2];
	uint32_t m = g->compared ? own_claims(q, g, s, &more) : 0;

	if (!m)
		return !g->compared;
	all = arena_alloc(s, sizeof *all * (*n + m));
	if (*n)
		memcpy(all, *claim, sizeof *all * *n);
	memcpy(all + *n, more, sizeof *all * m);
	*claim = all;
	*n += m;
	return true;
}

/* What loop l of the distributed program keeps from trip to trip. */
static bool add_kept(pair *q, int l, arena *s, eg_id (**claim)[2], uint32_t *n)
{
	const loop_claims *c = &q->claims[l];
	int k;

	if (!add_claims(q, &c->cond, s, claim, n))
		return false;
	for (k = 0; k < q->dist->loop[l].n; k++)
		if (!add_claims(q, &c->init[k], s, claim, n) || !add_claims(q, &c->body[k], s, claim, n))
			return false;
	return true;
}

uint32_t goal_claims(pair *q, const goal *g, arena *s, eg_id (**claim)[2])
{
	uint32_t n = own_claims(q, g, s, claim);
	int l;

	for (l = 0; n && g->within && l < q->dist->nloop; l++)
		if (pair_loop_around(q, l, g->dist_row) && !add_kept(q, l, s, claim, &n))
			return 0;
	return n;
}

static const char *assumption_of(pair *q, void *ctx)
{
	struct on_forms *o = ctx;

	return assumed_nodes(q, o->base_row, o->dist_row, o->c, o->bcell, o->dcell, o->node);
}

const char *pair_assumed_on(pair *q, int base_row, int dist_row, const chain *c, eg_id bcell, eg_id dcell, eg_id node[2])
{
	struct on_forms o = { .c = c, .base_row = base_row, .dist_row = dist_row, .bcell = bcell, .dcell = dcell, .node = node };

	return pair_guarded(q, assumption_of, &o);
}
