#include "relation/state_in.h"

#include <stdlib.h>
#include <string.h>
#include "prover/proof.h"
#include "relation/layout_text.h"
#include "relation/lookup.h"
#include "relation/padded.h"
#include "relation/presumed.h"

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

#define NEARBY 1024		/* .. for one that holds a core */

/* Where the baseline stood when the row before had a counterpart. */
int state_order_before(const states *s, int row)
{
	int i;

	for (i = row - 1; i >= 0 && i >= row - ROWS_BEFORE; i--)
		if (s->base[i] >= 0)
			return s->base[i];
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

/* The first row of a class, also where a probe has made a node of its own the root. */
static int32_t first_of_class(const states *s, eg_id root)
{
	const struct side *d = &s->side[SIDE_BASE];
	int32_t first = state_chain(d, root)->first;
	int left = LONGEST;
	eg_id m;

	for (m = eg_next_in_class(s->q->p->g, root); !first && m != root && left; m = eg_next_in_class(s->q->p->g, m), left--)
		first = state_chain(d, m)->first;
	return first;
}

/* Where to begin in a chain that thousands of rows may be on: at a row of it that is not behind `at`, or at its first. */
static int32_t begin_at(const states *s, eg_id root, int at)
{
	const struct side *d = &s->side[SIDE_BASE];
	int i;

	for (i = at; i >= 0 && i > at - NEARBY; i--)
		if (d->core[i] != NIL && eg_root(s->q->p->g, d->core[i]) == root)
			return i + 1;
	return first_of_class(s, root);
}

struct seeker {
	const states *s;
	const struct row *r;
	int row, at;
	int64_t size;
	struct choice best;
};

/* Along a chain; true when the best there can be was found: those behind are farther away. */
static bool seek(struct seeker *k, int32_t i, int most)
{
	const struct side *d = &k->s->side[SIDE_BASE];

	for (; i && most; i = d->next[i - 1], most--) {
		const struct row *b = pair_row(k->s->q, SIDE_BASE, i - 1);
		struct choice c = { i - 1, b->inst->opcode == k->r->inst->opcode, row_elements(b) == k->size, i - 1 > k->at,
				    !k->s->first_of[i - 1] || k->s->first_of[i - 1] > k->row, abs(i - 1 - k->at) };
		if (b->inst->opcode == OP_UNKNOWN)
			c.opcode = k->r->inst->opcode == OP_UNKNOWN && !strcmp(b->inst->opname, k->r->inst->opname);
		if (better(&c, &k->best))
			k->best = c;
		if (k->best.opcode && k->best.size && k->best.order && k->best.fresh && c.order)
			return true;
	}
	return false;
}

/* What a copy is a copy of has a counterpart: that is the copy's, too. */
static int base_of_copied(const states *s, const struct row *r)
{
	int base = r->inst->opcode == OP_COPY ? s->rs[r->op[0]].base : -1;

	return base >= 0 && s->side[SIDE_BASE].core[base] != NIL ? base : -1;
}

int state_base_of_core(const states *s, eg_id core, int dist_row)
{
	eg_id root = eg_root(s->q->p->g, core);
	int32_t first = first_of_class(s, root), begin;
	struct seeker k = { s, pair_row(s->q, SIDE_DIST, dist_row), dist_row, state_order_before(s, dist_row), gathered(s, dist_row),
			    { .row = -1 } };
	int copied;

	if (!first)
		return -1;
	begin = first - 1 > k.at ? first : begin_at(s, root, k.at);
	if (!seek(&k, begin, LONGEST) && begin != first)
		seek(&k, first, LONGEST);
	copied = k.best.opcode ? -1 : base_of_copied(s, k.r);
	return copied >= 0 && eg_root(s->q->p->g, s->side[SIDE_BASE].core[copied]) == root ? copied : k.best.row;
}

/* ---- one row */

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
		if (!s->rs[r->op[i]].constant)
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

static bool arithmetic(const states *s, const struct row *r)
{
	char c = opcode_class(r->inst->opcode);

	if (r->inst->opcode == OP_CONVERT && s->rs[r->op[0]].index && pair_row(s->q, SIDE_DIST, r->op[0])->type == T_PRED)
		return true;	/* a mask in numbers */
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
		if (!s->rs[r->op[k]].constant && row_form(s->q, SIDE_DIST, r->op[k], &l, &x))
			axes &= ~bound_axes(&s->q->ms, &l);
	return axes;
}

/* Integer arithmetic that the baseline has no like of: what it feeds will be blamed. */
static bool is_index(const states *s, int row)
{
	const struct side *d = &s->side[SIDE_DIST];
	const struct row *r = pair_row(s->q, SIDE_DIST, row);
	int base[8], n, k;

	if (!arithmetic(s, r) || d->use_at[row] == d->use_at[row + 1])
		return false;
	for (k = 0; k < s->q->dist->nout; k++)
		if (s->q->dist->out[k] == row)
			return false;
	for (k = 0; k < r->nop; k++)
		if (!s->rs[r->op[k]].verified && !s->rs[r->op[k]].index)
			return false;
	for (k = 0; k < r->nop; k++)	/* what is made of it is no better known */
		if (s->rs[r->op[k]].index)
			return true;
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

/* What was not known part by part, blocks that are all taken a number of times say, may be known when it is summed up. */
static bool sums_over_devices(const states *s, int row)
{
	const struct row *r = pair_row(s->q, SIDE_DIST, row);

	return collective_grouped(r) && !strcmp(r->name, "add");
}

/* A value that is guarded against what it is known not to be, as places out of bounds are. */
static bool guards(const states *s, const struct row *r)
{
	return r->inst->opcode == OP_SELECT && s->rs[r->op[0]].verified && s->rs[r->op[2]].constant;
}

static bool has_goal(const pair *q, int row)
{
	int k;

	for (k = 0; k < q->ngoal && q->goal[k].dist_row != row; k++)
		;
	return k < q->ngoal;
}

int state_moved_to(const states *s, int row)
{
	const struct side *d = &s->side[SIDE_DIST];
	int to = d->use_at[row + 1] == d->use_at[row] + 1 ? d->use[d->use_at[row]] : -1;

	return to >= 0 && row_moves(row_at(s, to)) ? to : -1;
}

int state_given_out(const states *s, int row)
{
	int left = COPIES_BEFORE_OUTPUT;

	while (row >= 0 && !has_goal(s->q, row))
		row = left-- ? state_moved_to(s, row) : -1;
	return row;
}

int state_moved_from(const states *s, int row)
{
	const struct row *r = pair_row(s->q, SIDE_DIST, row);

	if (r->param >= 0 || !(row_moves(r) || guards(s, r)))
		return -1;
	return r->op[r->nop > 1];
}

/* The row that holds the same at other places, before all moves. */
static int before_moves(const states *s, int row)
{
	int o;

	while ((o = state_moved_from(s, row)) >= 0)
		row = o;
	return row;
}

bool state_found_in_part(const states *s, int row)
{
	int find = before_moves(s, row), k, n = 0;
	const struct row *r = pair_row(s->q, SIDE_DIST, find);

	if ((r->inst->opcode != OP_GATHER && r->inst->opcode != OP_DYNAMIC_SLICE) || s->rs[find].kind != STATE_NONE || !s->rs[r->op[0]].verified ||
	    !row_axes(s, r->op[0]))
		return false;
	for (k = 1; k < r->nop; k++) {
		if (!s->rs[r->op[k]].verified && !s->rs[r->op[k]].index)
			return false;
		n += s->rs[r->op[k]].index;
	}
	return n > 0 && !lookup_of_whole(s, find);
}

static bool is_mask(const states *s, int row)
{
	row = before_moves(s, row);
	return s->rs[row].index && pair_row(s->q, SIDE_DIST, row)->type == T_PRED;
}

bool state_masks_found(const states *s, int row, int *what)
{
	const struct row *r = pair_row(s->q, SIDE_DIST, row);
	int k, found = 0, masks = 0;

	if (r->inst->opcode != OP_SELECT && r->inst->opcode != OP_MULTIPLY)
		return false;
	for (k = 0; k < r->nop; k++) {
		if (s->rs[r->op[k]].verified)
			continue;
		if (is_mask(s, r->op[k]))
			masks++;
		else if (state_found_in_part(s, r->op[k]) && !found++)
			*what = r->op[k];
		else
			return false;
	}
	return found && masks == 1;
}

static bool inputs_verified_or_scaled(const states *s, int row)
{
	const struct row *r = pair_row(s->q, SIDE_DIST, row);
	int k, what;

	for (k = 0; k < r->nop; k++)
		if (!s->rs[r->op[k]].verified && s->rs[r->op[k]].kind != STATE_SCALED)
			return state_masks_found(s, row, &what);
	return true;
}

static void scaled(row_state *r, int base, rat scale)
{
	r->kind = STATE_SCALED;
	r->base = base;
	r->scale = scale;
}

static bool is_scaled(states *s, int row, eg_id core, row_state *r)
{
	struct multiple m = state_multiple(s, row, core);

	if (m.base >= 0)
		scaled(r, m.base, m.scale);
	return m.base >= 0;
}

static void judge_by_probe(states *s, int row, const layout *l, eg_id core, row_state *r)
{
	const struct answer *w = state_ask(s, row, l, core);

	if (!w) {	/* another row is being settled: what this one is cannot be asked now */
		r->kind = STATE_OPEN;
		r->settled = false;
		s->now.postponed = true;
	} else if (w->kind == STATE_BLOCK && !w->covered && !pair_done(s->q)) {	/* the rest of the whole may come yet */
		r->kind = STATE_OPEN;
		r->settled = false;
	} else if (w->kind != STATE_NONE && (w->kind != STATE_BLOCK || w->covered)) {
		r->kind = w->kind;
		r->base = w->base;
		r->note = w->note;
		r->verified = true;
	} else if (is_scaled(s, row, core, r)) {
		return;
	} else if (w->scaled_base >= 0) {	/* parts whose sum is a multiple */
		scaled(r, w->scaled_base, w->scale);
		r->note = w->note;
	} else {
		r->limit = w->limit;
		r->index = is_index(s, row);
	}
}

/* A copy of what the plan says of a parameter. */
static bool copies_input(const states *s, int row, row_state *r)
{
	const row_state *o;
	int from = row;

	while (pair_row(s->q, SIDE_DIST, from)->inst->opcode == OP_COPY)
		from = pair_row(s->q, SIDE_DIST, from)->op[0];
	o = &s->rs[from];
	if (from == row || pair_row(s->q, SIDE_DIST, from)->param < 0 || (o->kind != STATE_RELATED && o->kind != STATE_REORDERED) || !o->note ||
	    padded_by(s, from))
		return false;
	r->kind = o->kind;
	r->base = o->base;
	r->note = o->note;
	return r->verified = true;
}

static void judge_trips(const states *s, int row, row_state *r)
{
	const struct row *d = pair_row(s->q, SIDE_DIST, row);
	eg_id core = s->side[SIDE_DIST].core[row];
	int k;

	for (k = 0; k < d->nop && s->rs[d->op[k]].verified; k++)
		;
	if (k < d->nop)
		return;
	r->kind = STATE_TRIPS;
	r->verified = true;
	r->base = core == NIL ? -1 : state_base_of_core(s, core, row);
	r->note = "the parts of all trips";
}

/* Are all operands verified or steps, and one of them a step? */
static bool takes_steps(const states *s, const struct row *r)
{
	int k, n = 0;

	for (k = 0; k < r->nop && (s->rs[r->op[k]].verified || s->rs[r->op[k]].step); k++)
		n += s->rs[r->op[k]].step;
	return n && k == r->nop;
}

static bool joins(enum opcode op)
{
	return op == OP_ADD || op == OP_SUBTRACT || op == OP_DYNAMIC_UPDATE_SLICE || presumed_packs(op);
}

/* Sums and packs of steps may be known where the steps are not. */
static bool joins_steps(const states *s, const struct row *r)
{
	return joins(r->inst->opcode) && takes_steps(s, r);
}

/* What is reduced or multiplied out of blocks, and what is made of that by sums, numbers and moves. */
static bool is_step(const states *s, const struct row *r)
{
	enum opcode op = r->inst->opcode;
	char class = opcode_class(op);
	int k;

	if (takes_steps(s, r))
		return joins(op) || state_relabels(op) || op == OP_NEGATE || op == OP_MULTIPLY || op == OP_DIVIDE;
	for (k = 0; k < r->nop && s->rs[r->op[k]].verified; k++)
		;
	if (k < r->nop || (class != 'r' && class != 'k'))
		return false;
	for (k = 0; k < r->nop && s->rs[r->op[k]].kind != STATE_BLOCK; k++)
		;
	return k < r->nop;
}

static void judge(states *s, int row, row_state *r)
{
	layout l;
	eg_id core;

	if (pair_row(s->q, SIDE_DIST, row)->trips > 1) {
		judge_trips(s, row, r);
		return;
	}
	if (!row_form(s->q, SIDE_DIST, row, &l, &core) || copies_input(s, row, r))
		return;
	if ((r->base = state_base_of_core(s, core, row)) >= 0) {
		r->kind = STATE_RELATED;
		r->verified = true;
	} else if (r->constant) {
		r->kind = STATE_CONSTANT;
		r->verified = true;
	} else if ((operand_scaled(s, row) || sums_over_devices(s, row)) && is_scaled(s, row, core, r)) {
		return;
	} else if (inputs_verified_or_scaled(s, row) || joins_steps(s, pair_row(s->q, SIDE_DIST, row)) || (pair_done(s->q) && state_given_out(s, row) >= 0)) {
		judge_by_probe(s, row, &l, core, r);
	} else {
		r->index = is_index(s, row);
	}
	r->step = r->kind == STATE_NONE && is_step(s, pair_row(s->q, SIDE_DIST, row));
}

/* ---- hypotheses */

static bool rests_on_assumption(states *s, int row, const row_state *r)
{
	const struct row *d = pair_row(s->q, SIDE_DIST, row);
	const algebra *a = &s->q->p->a;
	explain_source from = proof_source(a);
	eg_id cell = row_cell(s->q, SIDE_DIST, row), bcell = r->base >= 0 ? row_cell(s->q, SIDE_BASE, r->base) : NIL, x, y;
	int k;

	for (k = 0; k < d->nop && r->kind != STATE_RELATED; k++)
		if (s->rs[d->op[k]].tainted)
			return true;
	if (cell == NIL)
		return false;
	if (taints_between(&s->taints, &from, d->tensor, cell))
		return true;
	if (bcell == NIL)
		return false;
	if (taints_between(&s->taints, &from, pair_row(s->q, SIDE_BASE, r->base)->tensor, bcell))
		return true;
	/* the cores as the forms were written: what their classes hold now may be equal because of what was assumed */
	x = eg_args(a->g, cell)[0];
	y = eg_args(a->g, bcell)[0];
	return eg_root(a->g, x) == eg_root(a->g, y) && taints_between(&s->taints, &from, x, y);
}

/* ---- the whole */

void state_now(states *s, int row, row_state *r)
{
	int current = pair_position(s->q) - s->q->base->nrow - 1;

	memset(r, 0, sizeof *r);
	r->kind = STATE_OPEN;
	r->base = -1;
	r->scale = RAT_ONE;
	r->settled = row_taken(s->q, SIDE_DIST, row) && (row != current || normal_idle(&s->q->p->a));
	r->constant = s->side[SIDE_DIST].core[row] != NIL && is_constant(s, row);
	if (pair_row(s->q, SIDE_DIST, row)->param >= 0) {
		param_state(s, row, r);
	} else if (r->settled) {
		r->kind = STATE_NONE;
		judge(s, row, r);
	}
	if (s->now.nassumed && r->verified)
		r->tainted = rests_on_assumption(s, row, r);
}
