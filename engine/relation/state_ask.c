#include "relation/state_in.h"

#include <stdlib.h>
#include <string.h>
#include "relation/block.h"
#include "relation/layout_text.h"
#include "relation/padded.h"
#include "relation/reorder.h"
#include "tensor/reducer.h"

/* Is the answer still good?  A positive one until it is undone, whatever form the row is shown in; a negative one while what it
 * opened stands as it did, and once more when all is lifted. */
static bool answer_stands(const states *s, int row, eg_id core)
{
	const struct answer *w = &s->answer[row];
	const egraph *g = s->q->p->g;

	if (!w->asked)
		return false;
	if (w->kind != STATE_NONE && (w->kind != STATE_BLOCK || w->covered))
		return true;
	return eg_root(g, w->core) == eg_root(g, core) && probe_same(&s->q->p->a, w->nopened, w->opened) &&
	       (!pair_done(s->q) || (w->done && w->edges == eg_nedge(g)));
}

/* What a negative answer rests on. */
void answer_rests_on(states *s, struct answer *w, const probe *p)
{
	eg_id *pairs, *all;
	int n = probe_opened(p, &s->a, &pairs);

	all = ARENA_ARRAY(&s->a, eg_id, 2 * (w->nopened + n));
	if (w->nopened)
		memcpy(all, w->opened, sizeof *all * 2 * (size_t)w->nopened);
	if (n)
		memcpy(all + 2 * w->nopened, pairs, sizeof *all * 2 * (size_t)n);
	w->opened = all;
	w->nopened += n;
	w->limit = w->limit || p->cut;
}

static layout kept(arena *a, layout y)
{
	digit *d = ARENA_ARRAY(a, digit, y.nd + y.nl);
	int64_t *dim = ARENA_ARRAY(a, int64_t, y.rank);

	memcpy(d, y.dev, sizeof *d * (size_t)y.nd);
	memcpy(d + y.nd, y.loc, sizeof *d * (size_t)y.nl);
	if (y.rank)
		memcpy(dim, y.dim, sizeof *dim * (size_t)y.rank);
	y.dim = dim;
	y.dev = d;
	y.loc = d + y.nd;
	return y;
}

static void find_multiple(const states *s, int row, eg_id sum, uint32_t axes, struct answer *w)
{
	struct multiple m = state_multiple(s, row, sum);

	w->scaled_base = m.base;
	w->scale = m.scale;
	w->scaled_axes = axes;
}

/* Is d, reduced by op over these axes, a baseline row's core? */
static bool ask_partial(states *s, int row, const layout *l, eg_id core, uint32_t axes, const char *op, struct answer *w)
{
	pair *q = s->q;
	probe p;
	layout y, b;
	eg_id x, bx, old;
	const char *rest, *rules = NULL;

	if (!probe_begin(&p, q))
		return false;
	if (probe_run(&p, probe_reduce(&p, l, core, axes, op, pair_row(q, SIDE_DIST, row)->type), &y, &x)) {
		if ((old = probe_old(&p, x)) != NIL && (w->base = state_base_of_core(s, old, row)) >= 0) {
			y = kept(&s->a, y);
			rules = probe_rules(&p, &s->a);
		} else if (w->scaled_base < 0 && !strcmp(op, "add")) {
			find_multiple(s, row, x, axes, w);
		}
	}
	answer_rests_on(s, w, &p);
	probe_end(&p);
	if (w->base < 0 || !row_form(q, SIDE_BASE, w->base, &b, &bx))
		return false;
	rest = layout_relation(&s->a, &q->ms, &b, &y);
	w->kind = STATE_PARTIAL;
	w->axes = axes;
	w->op = op;
	w->laid = y;
	w->whole = !strcmp(rest, "R");
	w->rules = rules;
	w->note = arena_printf(&s->a, "%s%sP(%s) over %s", strcmp(rest, "R") ? rest : "", strcmp(rest, "R") ? " · " : "",
			       reducer_word(op), axes_text(&q->ms, axes, &s->a));
	return true;
}

/* Mesh axes that the layout binds, a bit each; 0 where device digits are no axes. */
uint32_t bound_axes(const mesh *ms, const layout *l)
{
	uint32_t m = 0;
	int k, i = l->nd - 1;
	int64_t left = l->nd ? l->dev[i].size : 1;

	for (k = ms->n - 1; k >= 0; k--) {	/* minor to major: an axis is bound when a digit that overlaps it is */
		int64_t n = ms->axis[k].size;
		while (n > 1 && i >= 0) {
			int64_t take = left < n ? left : n;
			if (n % take || left % take)
				return 0;
			if (l->dev[i].stride)
				m |= 1u << k;
			n /= take;
			left /= take;
			if (left == 1 && --i >= 0)
				left = l->dev[i].size;
		}
	}
	return m;
}

bool state_relabels(enum opcode op)
{
	return op == OP_RESHAPE || op == OP_TRANSPOSE || op == OP_BITCAST || op == OP_COPY || op == OP_CONVERT || op == OP_BROADCAST;
}

uint32_t row_axes(const states *s, int row)
{
	layout l;
	eg_id x;

	return row_form(s->q, SIDE_DIST, row, &l, &x) ? bound_axes(&s->q->ms, &l) : 0;
}

static int bits(uint32_t x)
{
	return __builtin_popcount(x);
}

#define SUBSETS 16

static bool partial_over(states *s, int row, const layout *l, eg_id core, const char *op, struct answer *w)
{
	uint32_t bound = bound_axes(&s->q->ms, l), a;
	int size, asked = 0;

	for (size = 1; size <= bits(bound); size++)
		for (a = bound & -bound; a && a <= bound; a = ((a | ~bound) + 1) & bound) {	/* subsets in rising order */
			if (bits(a) != size)
				continue;
			if (asked++ == SUBSETS)
				return false;
			if (ask_partial(s, row, l, core, a, op, w))
				return true;
		}
	return false;
}

static bool is_partial(states *s, int row, const layout *l, eg_id core, struct answer *w)
{
	algebra *a = &s->q->p->a;
	eg_id o = normal_node(a, core);
	enum core_kind k = core_kind(a, o);

	if (core_type(a, o) != T_PRED && partial_over(s, row, l, core, "add", w))
		return true;
	return (k == C_RED || k == C_LAT) && partial_over(s, row, l, core, core_fn(a, o), w);
}

/* A text is made once: states are compared as a whole. */
static void note_multiple(states *s, struct answer *w)
{
	char num[64];

	w->base = -1;
	if (w->scaled_base < 0)
		return;
	rat_short(num, sizeof num, w->scale);
	w->note = arena_printf(&s->a, "P(sum) over %s of %s x %%%s", axes_text(&s->q->ms, w->scaled_axes, &s->a), num,
			       pair_row(s->q, SIDE_BASE, w->scaled_base)->path);
}

const struct answer *state_ask(states *s, int row, const layout *l, eg_id core)
{
	struct answer *w = &s->answer[row];

	if (answer_stands(s, row, core))
		return w;
	if (!normal_idle(&s->q->p->a))
		return NULL;
	state_keep(s, w, sizeof *w);
	memset(w, 0, sizeof *w);
	w->kind = STATE_NONE;
	w->base = w->scaled_base = -1;
	w->core = core;
	w->edges = eg_nedge(s->q->p->g);
	w->done = pair_done(s->q);
	if (!padded_ask(s, row, l, core, w) && !is_partial(s, row, l, core, w) && !reorder_ask(s, row, l, w))
		block_ask(s, row, l, w);
	if (w->kind == STATE_NONE)
		note_multiple(s, w);
	w->asked = true;
	return w;
}

static bool same_core(const states *s, int row, eg_id *core, layout *l)
{
	const egraph *g = s->q->p->g;
	layout b;
	eg_id base;

	return row_form(s->q, SIDE_DIST, row, l, core) && row_form(s->q, SIDE_BASE, s->rs[row].base, &b, &base) &&
	       eg_root(g, *core) == eg_root(g, base);
}

bool state_holding(const states *s, int row, holding *out)
{
	const row_state *st = &s->rs[row];
	const struct answer *w = &s->answer[row];
	eg_id core;

	if (!st->verified || st->base < 0)
		return false;
	*out = (holding){ .op = NULL };
	if (same_core(s, row, &core, &out->l))
		return true;
	if (st->kind != w->kind || w->base != st->base)
		return false;
	switch (st->kind) {
	case STATE_PARTIAL:
		out->l = w->laid;
		out->axes = w->axes;
		out->op = w->op;
		return true;
	case STATE_REORDERED: case STATE_BLOCK:
		out->map = w->map;
		return true;
	default:
		return false;
	}
}

int64_t held_place(const holding *h, int64_t dev, int64_t local)
{
	int64_t at = digits_at(h->l.nd, h->l.dev, dev) + digits_at(h->l.nl, h->l.loc, local);

	return h->map ? reorder_map_at(h->map, at) : at;
}
