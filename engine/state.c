#include "state_in.h"

#include <stdlib.h>
#include <string.h>
#include "facts.h"
#include "proof.h"
#include "reorder.h"

static const char *const kind_names[STATE_KINDS] = {
	"open", "related", "reordered", "partial", "scaled", "constant", "unverified"
};

const char *state_kind_name(enum state_kind k)
{
	return kind_names[k];
}

pair *states_pair(const states *s)
{
	return s->q;
}

/* ---- set-up */

static void *zeroed(size_t n, size_t size)
{
	void *p = calloc(n ? n : 1, size);

	if (!p)
		die_hook("out of memory");
	return p;
}

static void find_users(struct side *d)
{
	const program *p = d->p;
	int i, k, *fill;

	d->use_at = zeroed((size_t)p->nrow + 1, sizeof *d->use_at);
	for (i = 0; i < p->nrow; i++)
		for (k = 0; k < p->row[i].nop; k++)
			d->use_at[p->row[i].op[k] + 1]++;
	for (i = 0; i < p->nrow; i++)
		d->use_at[i + 1] += d->use_at[i];
	d->use = zeroed((size_t)d->use_at[p->nrow], sizeof *d->use);
	fill = zeroed((size_t)p->nrow, sizeof *fill);
	for (i = 0; i < p->nrow; i++)
		for (k = 0; k < p->row[i].nop; k++) {
			int o = p->row[i].op[k];
			d->use[d->use_at[o] + fill[o]++] = i;
		}
	free(fill);
}

states *states_new(pair *q)
{
	states *s = zeroed(1, sizeof *s);
	size_t n = (size_t)q->dist->nrow;
	int i;

	s->q = q;
	arena_init(&s->a);
	s->side[SIDE_BASE].p = q->base;
	s->side[SIDE_DIST].p = q->dist;
	for (i = 0; i < 2; i++) {
		struct side *d = &s->side[i];
		d->core = zeroed((size_t)d->p->nrow, sizeof *d->core);
		memset(d->core, 0xff, sizeof *d->core * (size_t)d->p->nrow);
		d->next = zeroed((size_t)d->p->nrow, sizeof *d->next);
		vec_init(&d->chain, sizeof(struct chain_of_rows));
		find_users(d);
	}
	s->rs = zeroed(n, sizeof *s->rs);
	s->answer = zeroed(n, sizeof *s->answer);
	s->dirty = zeroed(n, 1);
	s->flip = zeroed(n, 1);
	s->constant = zeroed(n, 1);
	s->partner = zeroed((size_t)q->base->nrow, sizeof *s->partner);
	vec_init(&s->asked, sizeof(uint32_t));
	vec_init(&s->mark, sizeof(uint32_t));
	vec_push_n(&s->asked, (uint32_t)n);
	vec_push(&s->mark);
	s->stamp = 1;	/* unlike the word: the first refresh takes everything up */
	return s;
}

void states_free(states *s)
{
	int i;

	if (!s)
		return;
	for (i = 0; i < 2; i++) {
		free(s->side[i].core);
		free(s->side[i].next);
		free(s->side[i].use_at);
		free(s->side[i].use);
		vec_free(&s->side[i].chain);
	}
	free(s->rs);
	free(s->answer);
	free(s->dirty);
	free(s->flip);
	free(s->constant);
	free(s->partner);
	free(s->prim);
	vec_free(&s->asked);
	vec_free(&s->mark);
	arena_free(&s->a);
	free(s);
}

/* ---- rows that are lifted */

/* Row tensors are not on the trail: where the pair stands decides. */
static bool taken(const pair *q, enum program_side side, int row)
{
	const struct row *r = pair_row(q, side, row);
	int at = pair_position(q) - (side == SIDE_DIST ? q->base->nrow : 0);

	return row < at || (r->param >= 0 && (side == SIDE_BASE || q->in[r->param].base_row < 0));
}

static eg_id row_cell(const pair *q, enum program_side side, int row)
{
	eg_id t = pair_row(q, side, row)->tensor;

	return t != NIL && t < eg_nnode(q->p->g) && taken(q, side, row) ? laid_cell(&q->p->a, t) : NIL;
}

bool row_form(const pair *q, enum program_side side, int row, layout *l, eg_id *core)
{
	eg_id cell = row_cell(q, side, row);

	if (cell == NIL)
		return false;
	*l = layout_of(&q->p->a, cell);
	*core = eg_args(q->p->g, cell)[0];
	return true;
}

/* ---- chains of rows with one core */

static struct chain_of_rows *chain_at(struct side *d, eg_id root)
{
	if (root >= d->chain.n)
		vec_push_n(&d->chain, root + 1 - d->chain.n);
	return &VEC_AT(struct chain_of_rows, &d->chain, root);
}

static const struct chain_of_rows *chain_of(const struct side *d, eg_id root)
{
	static const struct chain_of_rows none = { 0, 0 };

	return root < d->chain.n ? &VEC_AT(struct chain_of_rows, &d->chain, root) : &none;
}

static void append(states *s, enum program_side side, int row)
{
	struct side *d = &s->side[side];
	eg_id cell = row_cell(s->q, side, row);
	struct chain_of_rows *c;

	d->next[row] = 0;
	d->core[row] = cell == NIL ? NIL : eg_args(s->q->p->g, cell)[0];
	if (cell == NIL)
		return;
	c = chain_at(d, eg_root(s->q->p->g, d->core[row]));
	if (c->last)
		d->next[c->last - 1] = row + 1;
	else
		c->first = row + 1;
	c->last = row + 1;
}

/* Two chains in program order become one. */
static void join(struct side *d, eg_id into, eg_id from)
{
	struct chain_of_rows x = *chain_at(d, into), y = *chain_at(d, from), r = { 0, 0 };

	while (x.first || y.first) {
		int32_t *f = !y.first || (x.first && x.first < y.first) ? &x.first : &y.first, row = *f;
		*f = d->next[row - 1];
		if (r.last)
			d->next[r.last - 1] = row;
		else
			r.first = row;
		r.last = row;
		d->next[row - 1] = 0;
	}
	*chain_at(d, into) = r;
	*chain_at(d, from) = (struct chain_of_rows){ 0, 0 };
}

static void mark_chain(states *s, eg_id root)
{
	int32_t r;

	for (r = chain_of(&s->side[SIDE_DIST], root)->first; r; r = s->side[SIDE_DIST].next[r - 1])
		s->dirty[r - 1] = 1;
}

/* The classes an edge joined: their chains become one.  False when a row's cell has moved: then all is chained anew. */
static bool follow_edge(states *s, const eg_edge *e)
{
	egraph *g = s->q->p->g;
	eg_id r = eg_root(g, e->a), m = r;
	bool moved = false;
	int row, i;
	enum program_side side;

	do {
		if (core_kind(&s->q->p->a, m) == C_TENSOR) {
			eg_id cell;
			if (!pair_row_of(s->q, m, &side, &row) || s->side[side].core[row] == NIL)
				goto next;
			cell = row_cell(s->q, side, row);
			if (cell == NIL || eg_root(g, eg_args(g, cell)[0]) != eg_root(g, s->side[side].core[row]))
				return false;
			s->side[side].core[row] = eg_args(g, cell)[0];
			if (side == SIDE_DIST)
				s->dirty[row] = 1;
		} else if (m != r) {
			for (i = 0; i < 2; i++)
				if (chain_of(&s->side[i], m)->first) {
					join(&s->side[i], r, m);
					moved = true;
				}
		}
next:
		m = eg_next_in_class(g, m);
	} while (m != r);
	if (moved)
		mark_chain(s, r);
	return true;
}

static void chain_anew(states *s)
{
	int i, k;

	for (i = 0; i < 2; i++) {
		struct side *d = &s->side[i];
		if (d->chain.n)
			memset(d->chain.base, 0, sizeof(struct chain_of_rows) * d->chain.n);
		for (k = 0; k < d->p->nrow; k++)
			append(s, (enum program_side)i, k);
	}
	memset(s->dirty, 1, (size_t)s->side[SIDE_DIST].p->nrow);
}

static void note_edges(states *s)
{
	egraph *g = s->q->p->g;
	uint32_t n = eg_nedge(g), i;
	bool whole = s->nedge > n;

	if (whole)
		s->nedge = s->nassumed = 0;
	for (i = s->nedge; i < n; i++) {
		const eg_edge *e = eg_get_edge(g, i);
		s->nassumed += e->kind == EG_ASSUMED;
		whole = whole || !follow_edge(s, e);
	}
	s->nedge = n;
	if (whole)
		chain_anew(s);
}

/* Rows taken up since. */
static void note_rows(states *s)
{
	int from = s->position, to = pair_position(s->q), nb = s->q->base->nrow, i;

	for (i = from; i < to; i++) {
		enum program_side side = i < nb ? SIDE_BASE : SIDE_DIST;
		int row = i < nb ? i : i - nb;
		if (row >= s->side[side].p->nrow)
			break;
		if (s->side[side].core[row] == NIL)
			append(s, side, row);
		if (side == SIDE_DIST)
			s->dirty[row] = 1;
	}
	if (to > nb && to - nb <= s->side[SIDE_DIST].p->nrow)	/* the last one may have settled since */
		s->dirty[to - nb - 1] = 1;
}

/* ---- which baseline row */

struct choice {
	int row;
	bool opcode, order, fresh;
	int distance;
};

static bool better(const struct choice *x, const struct choice *y)
{
	if (y->row < 0 || x->opcode != y->opcode)
		return y->row < 0 || x->opcode;
	if (x->order != y->order)
		return x->order;
	if (x->fresh != y->fresh)
		return x->fresh;
	return x->distance < y->distance;
}

/* Where the baseline stood when the row before had a counterpart. */
static int order_before(const states *s, int row)
{
	int i;

	for (i = row - 1; i >= 0 && i >= row - 64; i--)
		if (s->rs[i].base >= 0)
			return s->rs[i].base;
	return -1;
}

int state_base_of_core(const states *s, eg_id core, int dist_row)
{
	const struct side *d = &s->side[SIDE_BASE];
	int at = order_before(s, dist_row), seen = 0;
	const struct row *r = pair_row(s->q, SIDE_DIST, dist_row);
	struct choice best = { .row = -1 };
	int32_t i = chain_of(d, eg_root(s->q->p->g, core))->first;

	for (; i && seen < 4096; i = d->next[i - 1], seen++) {
		const struct row *b = pair_row(s->q, SIDE_BASE, i - 1);
		struct choice c = { i - 1, b->inst->opcode == r->inst->opcode, i - 1 > at,
				    s->partner[i - 1] < 0 || s->partner[i - 1] == dist_row, abs(i - 1 - at) };
		if (b->inst->opcode == OP_UNKNOWN)
			c.opcode = r->inst->opcode == OP_UNKNOWN && !strcmp(b->inst->opname, r->inst->opname);
		if (better(&c, &best))
			best = c;
		if (best.opcode && best.order && best.fresh && c.order)	/* those behind are farther away */
			break;
	}
	return best.row;
}

/* ---- probes, and what they answered */

static bool answer_stands(const states *s, int row, eg_id core)
{
	const struct answer *w = &s->answer[row];
	const egraph *g = s->q->p->g;

	if (!VEC_AT(uint32_t, &s->asked, row) || w->core >= eg_nnode(g) || eg_root(g, w->core) != eg_root(g, core))
		return false;
	if (w->kind != STATE_NONE)
		return true;
	return probe_same(&s->q->p->a, w->nopened, w->opened) && (!pair_done(s->q) || (w->done && w->edges == eg_nedge(g)));
}

static const char *with_partial(states *s, const char *rest, const char *op, uint32_t axes)
{
	const mesh *ms = &s->q->ms;
	char *t = arena_strdup(&s->a, "");
	const char *word = !strcmp(op, "add") ? "sum" : !strcmp(op, "maximum") ? "max" : !strcmp(op, "minimum") ? "min" : op;
	int k;

	for (k = 0; k < ms->n; k++)
		if (axes >> k & 1)
			t = arena_printf(&s->a, "%s%s%s", t, *t ? "," : "", ms->axis[k].name);
	if (!strcmp(rest, "R"))
		return arena_printf(&s->a, "P(%s) over %s", word, t);
	return arena_printf(&s->a, "%s · P(%s) over %s", rest, word, t);
}

/* Is d, reduced by op over these axes, a baseline row's core? */
static bool ask_partial(states *s, int row, const layout *l, eg_id core, uint32_t axes, const char *op, struct answer *w)
{
	pair *q = s->q;
	probe p;
	layout y, b;
	eg_id x, bx, old = NIL;
	eg_id *pairs;
	int n, i;
	char *rest = NULL;

	if (!probe_begin(&p, q))
		return false;
	if (probe_run(&p, probe_reduce(&p, l, core, axes, op, pair_row(q, SIDE_DIST, row)->type), &y, &x))
		old = probe_old(&p, x);
	w->limit = w->limit || p.cut;
	n = probe_opened(&p, &s->a, &pairs);
	w->opened = memcpy(ARENA_ARRAY(&s->a, eg_id, 2 * (w->nopened + n)), w->opened ? w->opened : pairs, sizeof *pairs * 2 * (size_t)w->nopened);
	memcpy(w->opened + 2 * w->nopened, pairs, sizeof *pairs * 2 * (size_t)n);
	w->nopened += n;
	if (old != NIL) {
		eg_id root = NIL;
		for (i = 0; i < 1; i++)
			root = old;
		w->rules = probe_rules(&p, &s->a);
		w->base = -1;
		(void)root;
	}
	y.dim = l->dim;
	if (old != NIL)
		y.dev = memcpy(ARENA_ARRAY(&s->a, digit, y.nd), y.dev, sizeof *y.dev * (size_t)y.nd);
	if (old != NIL)
		y.loc = memcpy(ARENA_ARRAY(&s->a, digit, y.nl), y.loc, sizeof *y.loc * (size_t)y.nl);
	probe_end(&p);
	if (old == NIL || (w->base = state_base_of_core(s, old, row)) < 0 || !row_form(q, SIDE_BASE, w->base, &b, &bx))
		return false;
	rest = layout_relation(&s->a, &q->p->a, &q->ms, &b, &y);
	w->kind = STATE_PARTIAL;
	w->axes = axes;
	w->op = op;
	w->note = with_partial(s, rest, op, axes);
	return true;
}
