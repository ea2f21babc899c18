#include "state_in.h"

#include <stdlib.h>
#include <string.h>
#include "facts.h"
#include "layout_text.h"
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
	vec_init(&s->edge, sizeof(eg_edge));
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
	vec_free(&s->edge);
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
	struct row whole;

	if (cell == NIL)
		return false;
	if (side == SIDE_BASE)
		return pair_whole(q, row, &whole, l, core);
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

const struct chain_of_rows *state_chain(const struct side *d, eg_id root)
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

	for (r = state_chain(&s->side[SIDE_DIST], root)->first; r; r = s->side[SIDE_DIST].next[r - 1])
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
			if (!pair_row_of(s->q, m, &side, &row))
				goto next;
			if (s->side[side].core[row] == NIL) {	/* lifted only now */
				append(s, side, row);
				if (side == SIDE_DIST)
					s->dirty[row] = 1;
				goto next;
			}
			cell = row_cell(s->q, side, row);
			if (cell == NIL || eg_root(g, eg_args(g, cell)[0]) != eg_root(g, s->side[side].core[row]))
				return false;
			s->side[side].core[row] = eg_args(g, cell)[0];
			if (side == SIDE_DIST)
				s->dirty[row] = 1;
		} else if (m != r) {
			for (i = 0; i < 2; i++)
				if (state_chain(&s->side[i], m)->first) {
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
	bool whole = false;

	for (i = s->nedge; i < n; i++) {
		const eg_edge *e = eg_get_edge(g, i);
		s->nassumed += e->kind == EG_ASSUMED;
		whole = whole || !follow_edge(s, e);
	}
	s->nedge = n;
	if (whole)
		chain_anew(s);
}

static bool same_edge(const eg_edge *x, const eg_edge *y)
{
	return x->a == y->a && x->b == y->b && x->kind == y->kind && x->firing == y->firing;
}

/* Unions are kept as they were seen: what was undone and done again the same way is the same, what was done otherwise takes
 * the answers with it that came after.  Nothing is written to the trail for this.  False when the past has changed. */
static bool same_past(states *s)
{
	const egraph *g = s->q->p->g;
	uint32_t n = eg_nedge(g), both = n < s->edge.n ? n : s->edge.n, i;
	int k;

	i = s->q->p->a.tr->low >= s->at ? s->nedge : 0;	/* nothing older than the last refresh was undone: what is new is compared */
	for (; i < both && same_edge(&VEC_AT(eg_edge, &s->edge, i), eg_get_edge(g, i)); i++)
		;
	if (i < both) {
		s->edge.n = i;
		for (k = 0; k < s->q->dist->nrow; k++)
			s->answer[k].asked = s->answer[k].asked && s->answer[k].edges <= i;
	}
	both = i;
	for (i = s->edge.n; i < n; i++)
		*(eg_edge *)vec_push(&s->edge) = *eg_get_edge(g, i);
	return both >= s->nedge && n >= s->nedge && pair_position(s->q) >= s->position;
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
	bool opcode, size, order, fresh;
	int distance;
};

static bool better(const struct choice *x, const struct choice *y)
{
	if (y->row < 0 || x->opcode != y->opcode)
		return y->row < 0 || x->opcode;
	if (x->size != y->size)
		return x->size;
	if (x->order != y->order)
		return x->order;
	if (x->fresh != y->fresh)
		return x->fresh;
	return x->distance < y->distance;
}

/* Where the baseline stood when the row before had a counterpart. */
int state_order_before(const states *s, int row)
{
	int i;

	for (i = row - 1; i >= 0 && i >= row - 64; i--)
		if (s->rs[i].base >= 0)
			return s->rs[i].base;
	return -1;
}

/* Elements of the gathered tensor; 0 when it is not lifted. */
static int64_t gathered(const states *s, int row)
{
	layout l;
	eg_id x;
	int64_t n;
	int k;

	if (!row_form(s->q, SIDE_DIST, row, &l, &x))
		return 0;
	n = layout_elements(&l);
	for (k = 0; k < l.nd; k++)
		n *= l.dev[k].stride ? l.dev[k].size : 1;
	return n;
}

int state_base_of_core(const states *s, eg_id core, int dist_row)
{
	const struct side *d = &s->side[SIDE_BASE];
	int at = state_order_before(s, dist_row), seen = 0;
	const struct row *r = pair_row(s->q, SIDE_DIST, dist_row);
	struct choice best = { .row = -1 };
	int64_t size = gathered(s, dist_row);
	int32_t i = state_chain(d, eg_root(s->q->p->g, core))->first;

	for (; i && seen < 4096; i = d->next[i - 1], seen++) {
		const struct row *b = pair_row(s->q, SIDE_BASE, i - 1);
		struct choice c = { i - 1, b->inst->opcode == r->inst->opcode, row_elements(b) == size, i - 1 > at,
				    s->partner[i - 1] < 0 || s->partner[i - 1] == dist_row, abs(i - 1 - at) };
		if (b->inst->opcode == OP_UNKNOWN)
			c.opcode = r->inst->opcode == OP_UNKNOWN && !strcmp(b->inst->opname, r->inst->opname);
		if (better(&c, &best))
			best = c;
		if (best.opcode && best.size && best.order && best.fresh && c.order)	/* those behind are farther away */
			break;
	}
	return best.row;
}

/* ---- one row */

static bool inputs_verified(const states *s, int row)
{
	const struct row *r = pair_row(s->q, SIDE_DIST, row);
	int k;

	for (k = 0; k < r->nop; k++)
		if (!s->rs[r->op[k]].verified)
			return false;
	return true;
}

static bool is_constant(const states *s, int row)
{
	const struct row *r = pair_row(s->q, SIDE_DIST, row);
	const algebra *a = &s->q->p->a;
	eg_id n = normal_node(a, s->side[SIDE_DIST].core[row]);
	enum core_kind k = core_kind(a, n);
	int i;

	if (k == C_NUMBER || k == C_TABLE || k == C_INDEX)
		return true;
	if (k == C_PARAM || (k == C_OPAQUE && !eg_narg(a->g, n)) || r->param >= 0)
		return false;
	if (k == C_AT && core_kind(a, normal_node(a, eg_args(a->g, n)[0])) != C_PARAM && eg_narg(a->g, n) == 1 &&
	    (core_kind(a, normal_node(a, eg_args(a->g, n)[0])) == C_INDEX || core_kind(a, normal_node(a, eg_args(a->g, n)[0])) == C_TABLE))
		return true;
	for (i = 0; i < r->nop; i++)
		if (!s->constant[r->op[i]])
			return false;
	return true;
}

static void param_state(states *s, int row, row_state *r)
{
	pair *q = s->q;
	const input_relation *in = &q->in[pair_row(q, SIDE_DIST, row)->param];
	eg_id core = s->side[SIDE_DIST].core[row];
	int k;

	r->verified = true;
	r->kind = STATE_RELATED;
	r->note = *in->c.text ? in->c.text : "R";
	if (in->pin != PIN_NONE) {
		r->kind = STATE_CONSTANT;
		r->note = NULL;
		return;
	}
	r->base = in->base_row;
	for (k = 0; k < q->base->nrow && r->base < 0; k++)
		if (q->base->row[k].param == in->base && q->base->row[k].element == pair_row(q, SIDE_DIST, row)->element)
			r->base = k;
	if (r->base < 0 || core == NIL || s->side[SIDE_BASE].core[r->base] == NIL)
		return;
	if (eg_root(q->p->g, core) == eg_root(q->p->g, s->side[SIDE_BASE].core[r->base]))
		r->note = NULL;		/* two layouts of one core: said as placements */
	else
		r->kind = chain_parts(&q->ms, &in->c, &(const char *){ NULL }) > 1 ? STATE_PARTIAL : STATE_REORDERED;
}

static bool arithmetic(const struct row *r)
{
	char c = opcode_class(r->inst->opcode);

	return (r->type == T_PRED || type_is_int(r->type)) && (c == 'u' || c == 'b' || c == 't' || c == 'd' || c == 'i');
}

/* Mesh axes that a row varies over and none of its operands but constants does. */
static uint32_t new_axes(const states *s, int row)
{
	const struct row *r = pair_row(s->q, SIDE_DIST, row);
	layout l;
	eg_id x;
	uint32_t axes;
	int k;

	if (!row_form(s->q, SIDE_DIST, row, &l, &x))
		return 0;
	axes = bound_axes(&s->q->ms, &l);
	for (k = 0; k < r->nop && axes; k++)
		if (!s->constant[r->op[k]] && row_form(s->q, SIDE_DIST, r->op[k], &l, &x))
			axes &= ~bound_axes(&s->q->ms, &l);
	return axes;
}

/* Integer arithmetic that the baseline has no like of: what it feeds will be blamed. */
static bool is_index(const states *s, int row)
{
	const struct side *d = &s->side[SIDE_DIST];
	const struct row *r = pair_row(s->q, SIDE_DIST, row);
	int base[8], n, k;

	if (!arithmetic(r) || d->use_at[row] == d->use_at[row + 1])
		return false;
	for (k = 0; k < s->q->dist->nout; k++)
		if (s->q->dist->out[k] == row)
			return false;
	for (k = 0; k < r->nop; k++)
		if (!s->rs[r->op[k]].verified && !s->rs[r->op[k]].index)
			return false;
	if (new_axes(s, row))
		return true;
	n = counterpart_users(s, row, base, 8);
	for (k = 0; k < n; k++)
		if (pair_row(s->q, SIDE_BASE, base[k])->inst->opcode == r->inst->opcode)
			return false;
	return true;
}

static bool operand_scaled(const states *s, int row)
{
	const struct row *r = pair_row(s->q, SIDE_DIST, row);
	int k;

	for (k = 0; k < r->nop; k++)
		if (s->rs[r->op[k]].kind == STATE_SCALED)
			return true;
	return false;
}

static void judge(states *s, int row, row_state *r)
{
	layout l;
	eg_id core;
	const struct answer *w;

	if (!row_form(s->q, SIDE_DIST, row, &l, &core))
		return;
	if ((r->base = state_base_of_core(s, core, row)) >= 0) {
		r->kind = STATE_RELATED;
		r->verified = true;
		return;
	}
	if (s->constant[row]) {
		r->kind = STATE_CONSTANT;
		r->verified = true;
		return;
	}
	if (!inputs_verified(s, row)) {
		if (operand_scaled(s, row) && state_scaled(s, row, core, r))
			return;
		r->index = is_index(s, row);
		return;
	}
	w = state_ask(s, row, &l, core);
	if (!w) {	/* another row is being settled: what this one is cannot be asked now */
		r->kind = STATE_OPEN;
		r->settled = false;
		s->postponed = true;
		return;
	}
	if (w->kind != STATE_NONE) {
		r->kind = w->kind;
		r->base = w->base;
		r->note = w->note;
		r->verified = true;
		return;
	}
	if (state_scaled(s, row, core, r))
		return;
	r->limit = w->limit;
	r->index = is_index(s, row);
}

/* ---- hypotheses */

static bool rests_on_assumption(const states *s, int row, const row_state *r)
{
	const struct row *d = pair_row(s->q, SIDE_DIST, row);
	const algebra *a = &s->q->p->a;
	arena scratch;
	eg_id cell = row_cell(s->q, SIDE_DIST, row), bcell = r->base >= 0 ? row_cell(s->q, SIDE_BASE, r->base) : NIL, x, y;
	bool t = false;
	int k;

	for (k = 0; k < d->nop && r->kind != STATE_RELATED; k++)
		t = t || s->rs[d->op[k]].tainted;
	if (t || cell == NIL)
		return t;
	arena_init(&scratch);
	t = proof_of(a, d->tensor, cell, &scratch).tainted;
	/* the cores as the forms were written: what their classes hold now may be equal because of what was assumed */
	if (!t && bcell != NIL) {
		x = eg_args(a->g, cell)[0];
		y = eg_args(a->g, bcell)[0];
		t = eg_root(a->g, x) == eg_root(a->g, y) && proof_of(a, x, y, &scratch).tainted;
	}
	arena_free(&scratch);
	return t;
}

/* ---- all rows */

static void evaluate(states *s, int row)
{
	row_state r = { .kind = STATE_OPEN, .base = -1, .scale = RAT_ONE }, *old = &s->rs[row];
	int current = pair_position(s->q) - s->q->base->nrow - 1;

	if (old->base >= 0 && s->partner[old->base] == row)
		s->partner[old->base] = -1;
	r.settled = taken(s->q, SIDE_DIST, row) && (row != current || normal_idle(&s->q->p->a));
	s->constant[row] = s->side[SIDE_DIST].core[row] != NIL && is_constant(s, row);
	if (pair_row(s->q, SIDE_DIST, row)->param >= 0) {
		param_state(s, row, &r);
	} else if (r.settled) {
		r.kind = STATE_NONE;
		judge(s, row, &r);
	}
	if (s->nassumed && r.verified)
		r.tainted = rests_on_assumption(s, row, &r);
	if (r.base >= 0 && s->partner[r.base] < 0)
		s->partner[r.base] = row;
	s->flip[row] = r.verified != old->verified || r.kind != old->kind || r.index != old->index || r.tainted != old->tainted;
	*old = r;
}

static void evaluate_all(states *s)
{
	const program *p = s->q->dist;
	int i, k, first;

	for (first = 0; first < p->nrow && !s->dirty[first]; first++)
		;
	for (i = first; i < p->nrow; i++) {
		for (k = 0; k < p->row[i].nop && !s->dirty[i]; k++)
			s->dirty[i] = s->flip[p->row[i].op[k]];
		if (s->dirty[i])
			evaluate(s, i);
	}
	memset(s->dirty, 0, (size_t)p->nrow);
	memset(s->flip, 0, (size_t)p->nrow);
}

/* Everything again: the pair was moved back, or this is the first time. */
static void start_anew(states *s)
{
	int i;

	s->nedge = eg_nedge(s->q->p->g);
	s->nassumed = 0;
	for (i = 0; i < (int)s->nedge; i++)
		s->nassumed += eg_get_edge(s->q->p->g, (uint32_t)i)->kind == EG_ASSUMED;
	for (i = 0; i < s->q->base->nrow; i++)
		s->partner[i] = -1;
	for (i = 0; i < s->q->dist->nrow; i++)
		s->rs[i] = (row_state){ .base = -1 };
	chain_anew(s);
}

static bool unchanged(const states *s)
{
	return s->begun && s->at == trail_at(s->q->p->a.tr) && s->fired == s->q->p->fired && s->position == pair_position(s->q) &&
	       s->nnode == eg_nnode(s->q->p->g) && s->nedge == eg_nedge(s->q->p->g) && s->idle == normal_idle(&s->q->p->a);
}

/* What is assumed of a value made by a probe's own steps changes no class that the probe opened. */
static void ask_refused_again(states *s)
{
	int i;

	for (i = 0; i < s->q->dist->nrow; i++)
		s->answer[i].asked = s->answer[i].asked && s->answer[i].kind != STATE_NONE;
}

void states_refresh(states *s)
{
	uint32_t assumed = s->nassumed;

	if (unchanged(s))
		return;
	if (same_past(s) && s->begun && eg_nedge(s->q->p->g)) {
		note_edges(s);
		note_rows(s);
	} else {	/* the first time, moved back, or nobody keeps the unions */
		start_anew(s);
	}
	s->begun = true;
	s->position = pair_position(s->q);
	s->idle = normal_idle(&s->q->p->a);
	if (assumed != s->nassumed)
		ask_refused_again(s);
	if (assumed != s->nassumed || pair_done(s->q) || (s->postponed && s->idle))
		memset(s->dirty, 1, (size_t)s->q->dist->nrow);
	s->postponed = s->postponed && !s->idle;
	evaluate_all(s);
	s->at = trail_at(s->q->p->a.tr);
	s->q->p->a.tr->low = UINT32_MAX;
	s->fired = s->q->p->fired;
	s->nnode = eg_nnode(s->q->p->g);
}

/* ---- reading */

const row_state *state_of(const states *s, int row)
{
	return &s->rs[row];
}

int state_partner(const states *s, int base_row)
{
	return s->partner[base_row];
}

char *state_relation(const states *s, int row, arena *out)
{
	const row_state *r = &s->rs[row];
	layout l, b;
	eg_id x, y;
	char num[64];

	if (r->note)
		return arena_strdup(out, r->note);
	switch (r->kind) {
	case STATE_RELATED:
		if (r->base < 0 || !row_form(s->q, SIDE_DIST, row, &l, &x) || !row_form(s->q, SIDE_BASE, r->base, &b, &y))
			return arena_strdup(out, "");
		return layout_relation(out, &s->q->p->a, &s->q->ms, &b, &l);
	case STATE_SCALED:
		rat_text(num, sizeof num, r->scale);
		return arena_printf(out, "%s x %%%s", num, pair_row(s->q, SIDE_BASE, r->base)->path);
	case STATE_REORDERED:
		return reorder_text(s, &s->answer[row], out);
	case STATE_CONSTANT:
		return arena_strdup(out, "const");
	default:
		return arena_strdup(out, "");
	}
}

char state_mark(const states *s, int row)
{
	const row_state *r = &s->rs[row];

	if (r->kind == STATE_OPEN && !r->verified)
		return '.';
	return r->tainted ? '*' : r->verified ? '=' : '?';
}

state_counts states_count(const states *s)
{
	state_counts c = { .base = s->q->base->nrow, .dist = s->q->dist->nrow };
	int i;

	for (i = 0; i < c.dist; i++) {
		c.n[s->rs[i].kind]++;
		c.verified += s->rs[i].verified;
	}
	return c;
}

/* Rows of a program from which an output is reached. */
static bool *live_rows(const program *p, arena *out)
{
	bool *live = arena_zalloc(out, (size_t)p->nrow + 1);
	int i, k;

	for (i = 0; i < p->nout; i++)
		if (p->out[i] >= 0)
			live[p->out[i]] = true;
	for (i = p->nrow - 1; i >= 0; i--)
		for (k = 0; k < p->row[i].nop && live[i]; k++)
			live[p->row[i].op[k]] = true;
	return live;
}

/* Some distributed row holds it, perhaps under another name. */
static bool has_partner(const states *s, int base_row)
{
	eg_id x = s->side[SIDE_BASE].core[base_row];

	return s->partner[base_row] >= 0 || (x != NIL && state_chain(&s->side[SIDE_DIST], eg_root(s->q->p->g, x))->first);
}

int states_unmatched(const states *s, enum program_side side, arena *out, const int **row)
{
	const program *p = s->side[side].p;
	bool *live = live_rows(p, out);
	int *list = ARENA_ARRAY(out, int, p->nrow), n = 0, i;

	for (i = 0; i < p->nrow; i++)
		if (live[i] && !(side == SIDE_BASE ? has_partner(s, i) : s->rs[i].verified))
			list[n++] = i;
	*row = list;
	return n;
}
