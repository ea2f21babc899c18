#include "relation/lookup.h"

#include <stdlib.h>
#include <string.h>
#include "core/facts.h"
#include "prover/proof.h"
#include "relation/block.h"
#include "relation/layout_text.h"
#include "relation/padded.h"
#include "relation/presumed.h"
#include "relation/reorder.h"
#include "relation/state_in.h"

static const char *const kind_names[STATE_KINDS] = {
	"open", "related", "reordered", "block", "partial", "scaled", "constant", "trips", "unverified"
};

const char *state_kind_name(enum state_kind k)
{
	return kind_names[k];
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

static uint64_t *bits_of(int n)
{
	return zeroed((size_t)n / 64 + 1, sizeof(uint64_t));
}

/* Rows of operations that questions begin at. */
static void find_operations(states *s)
{
	const program *p = s->q->dist;
	int i;

	s->pack = zeroed((size_t)p->nrow, sizeof *s->pack);
	s->subtracts = bits_of(p->nrow);
	for (i = 0; i < p->nrow; i++)
		if (presumed_packs(p->row[i].inst->opcode))
			s->pack[s->npack++] = i;
		else if (p->row[i].inst->opcode == OP_SUBTRACT)
			state_set_bit(s->subtracts, i);
}

states *states_new(pair *q)
{
	states *s = zeroed(1, sizeof *s);
	size_t n = (size_t)q->dist->nrow, nb = (size_t)q->base->nrow;
	int i;

	s->q = q;
	arena_init(&s->a);
	trail_init(&s->log);
	taints_init(&s->taints);
	vec_init(&s->point, sizeof(struct point));
	s->side[SIDE_BASE].p = q->base;
	s->side[SIDE_DIST].p = q->dist;
	for (i = 0; i < 2; i++) {
		struct side *d = &s->side[i];
		d->core = zeroed((size_t)d->p->nrow, sizeof *d->core);
		d->next = zeroed((size_t)d->p->nrow, sizeof *d->next);
		vec_init(&d->chain, sizeof(struct chain_of_rows));
		find_users(d);
	}
	s->rs = zeroed(n, sizeof *s->rs);
	s->base = zeroed(n, sizeof *s->base);
	s->answer = zeroed(n, sizeof *s->answer);
	s->dirty = bits_of((int)n);
	s->open = bits_of((int)n);
	s->scaled = bits_of((int)n);
	s->refused = bits_of((int)n);
	s->block = bits_of((int)n);
	s->same_before = zeroed(n, sizeof *s->same_before);
	s->same_behind = zeroed(n, sizeof *s->same_behind);
	s->first_of = zeroed(nb, sizeof *s->first_of);
	s->last_of = zeroed(nb, sizeof *s->last_of);
	find_operations(s);
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
	free(s->base);
	free(s->answer);
	free(s->dirty);
	free(s->open);
	free(s->scaled);
	free(s->subtracts);
	free(s->pack);
	free(s->refused);
	free(s->block);
	free(s->same_before);
	free(s->same_behind);
	free(s->first_of);
	free(s->last_of);
	trail_free(&s->log);
	taints_free(&s->taints);
	vec_free(&s->point);
	arena_free(&s->a);
	free(s);
}

void state_keep(states *s, void *p, size_t n)
{
	uint64_t *w = p;

	for (n /= sizeof *w; n && s->log.on; n--, w++)
		trail_log(&s->log, (uint64_t)(uintptr_t)w | TRAIL_SET64, *w);
}

int state_next_bit(const uint64_t *bits, int row, int n)
{
	uint64_t w;
	int i = row / 64;

	if (row >= n)
		return n;
	for (w = bits[i] >> row % 64 << row % 64; !w; w = bits[i])
		if (++i > (n - 1) / 64)
			return n;
	return i * 64 + __builtin_ctzll(w);
}

int state_last_bit(const uint64_t *bits, int row)
{
	uint64_t w;
	int i = row / 64;

	if (row < 0)
		return -1;
	for (w = bits[i] << (63 - row % 64) >> (63 - row % 64); !w; w = bits[i])
		if (--i < 0)
			return -1;
	return i * 64 + 63 - __builtin_clzll(w);
}

static void set_bit(states *s, uint64_t *bits, int row, bool to)
{
	uint64_t *w = &bits[row / 64], bit = (uint64_t)1 << row % 64;

	trail_set64(&s->log, w, to ? *w | bit : *w & ~bit);
}

/* ---- rows that are lifted */

/* Row tensors are not on the trail: where the pair stands decides. */
static bool row_taken(const pair *q, enum program_side side, int row)
{
	const struct row *r = pair_row(q, side, row);
	int at = pair_position(q) - (side == SIDE_DIST ? q->base->nrow : 0);

	return row < at || (r->param >= 0 && (side == SIDE_BASE || q->in[r->param].base_row < 0));
}

/* The cell of a row; NIL: not lifted, or not taken yet. */
static eg_id cell_of(const pair *q, enum program_side side, int row)
{
	eg_id t = pair_row(q, side, row)->tensor;

	return t != NIL && t < eg_nnode(q->p->g) && row_taken(q, side, row) ? laid_cell(&q->p->a, t) : NIL;
}

eg_id row_core(const pair *q, enum program_side side, int row)
{
	eg_id cell = cell_of(q, side, row);

	return cell == NIL ? NIL : eg_args(q->p->g, cell)[0];
}

eg_id row_cell(const pair *q, enum program_side side, int row)
{
	return pair_row(q, side, row)->trips == 1 ? cell_of(q, side, row) : NIL;
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

#define BEFORE 64		/* rows that are looked at for where the baseline stood */
#define NEARBY 1024		/* .. for one that holds a core */

/* Where the baseline stood when the row before had a counterpart. */
int state_order_before(const states *s, int row)
{
	int i;

	for (i = row - 1; i >= 0 && i >= row - BEFORE; i--)
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

enum { GIVEN = 8 };	/* copies of an output that are looked behind */

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
	int left = GIVEN;

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

/* ---- rows that have one baseline row as base */

static void set32(states *s, int32_t *p, int32_t to)
{
	trail_set32(&s->log, (uint32_t *)p, (uint32_t)to);
}

static void leave_base(states *s, int row, int base)
{
	int32_t before = s->same_before[row], behind = s->same_behind[row];

	set32(s, before ? &s->same_behind[before - 1] : &s->first_of[base], behind);
	set32(s, behind ? &s->same_before[behind - 1] : &s->last_of[base], before);
}

static void take_base(states *s, int row, int base)
{
	int32_t before = s->last_of[base], behind = 0;

	for (; before > row + 1; before = s->same_before[before - 1])
		behind = before;
	set32(s, &s->same_before[row], before);
	set32(s, &s->same_behind[row], behind);
	set32(s, before ? &s->same_behind[before - 1] : &s->first_of[base], row + 1);
	set32(s, behind ? &s->same_before[behind - 1] : &s->last_of[base], row + 1);
}

/* Later rows with the core of this baseline row may choose otherwise now. */
static void others_choose_again(states *s, int row, int base)
{
	const struct side *d = &s->side[SIDE_DIST];
	eg_id core = s->side[SIDE_BASE].core[base], own = d->core[row];
	const egraph *g = s->q->p->g;
	int32_t r;

	if (core == NIL)
		return;
	r = own != NIL && eg_root(g, own) == eg_root(g, core) ? d->next[row] : state_chain(d, eg_root(g, core))->first;
	for (; r; r = d->next[r - 1])
		if (r - 1 > row)
			state_dirty(s, r - 1);
}

/* .. and so may those that look at this one for where the baseline stood. */
static void next_choose_again(states *s, int row)
{
	int i;

	for (i = row + 1; i < s->q->dist->nrow && i <= row + BEFORE && row_taken(s->q, SIDE_DIST, i); i++) {
		state_dirty(s, i);
		if (s->base[i] >= 0)
			break;
	}
}

static void set_base(states *s, int row, int to)
{
	int from = s->base[row];

	if (from == to)
		return;
	set32(s, &s->base[row], to);
	if (from >= 0)
		leave_base(s, row, from);
	if (to >= 0)
		take_base(s, row, to);
	if (s->judging_all)
		return;
	if (from >= 0 && (!s->first_of[from] || s->first_of[from] > row + 1))
		others_choose_again(s, row, from);
	if (to >= 0 && s->first_of[to] == row + 1)
		others_choose_again(s, row, to);
	next_choose_again(s, row);
}

/* ---- all rows */

/* Padding is cleared, too: states are compared as a whole. */
static void state_now(states *s, int row, row_state *r)
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

static void count(states *s, const row_state *r, int by)
{
	set32(s, &s->counts.n[r->kind], s->counts.n[r->kind] + by);
	if (r->verified)
		set32(s, &s->counts.verified, s->counts.verified + by);
}

static void set_state(states *s, int row, const row_state *r)
{
	const struct side *d = &s->side[SIDE_DIST];
	row_state *old = &s->rs[row];
	int k;

	if (!memcmp(old, r, sizeof *r))
		return;
	count(s, old, -1);
	count(s, r, 1);
	state_keep(s, old, sizeof *old);
	memcpy(old, r, sizeof *r);
	set_base(s, row, r->base);
	set_bit(s, s->open, row, !r->verified && r->kind != STATE_OPEN);
	set_bit(s, s->scaled, row, r->kind == STATE_SCALED);
	for (k = d->use_at[row]; k < d->use_at[row + 1]; k++)
		state_dirty(s, d->use[k]);
}

static bool is_block(const struct answer *w)
{
	return w->asked && w->kind == STATE_BLOCK;
}

/* A block of which the rest is wanting is refused for now. */
static bool is_refused(const struct answer *w)
{
	return w->asked && (w->kind == STATE_NONE || (w->kind == STATE_BLOCK && !w->covered));
}

/* In program order: what a row's state rests on stands before it.  Are there blocks among them? */
static bool judge_dirty(states *s)
{
	int n = s->q->dist->nrow, i;
	bool blocks = false;
	row_state r;

	for (i = state_next_bit(s->dirty, s->first_dirty, n); i < n; i = state_next_bit(s->dirty, i + 1, n)) {
		state_clear_bit(s->dirty, i);
		state_now(s, i, &r);
		set_bit(s, s->refused, i, is_refused(&s->answer[i]));
		set_bit(s, s->block, i, is_block(&s->answer[i]));
		set_state(s, i, &r);
		blocks = blocks || is_block(&s->answer[i]);
	}
	s->judging_all = false;
	s->first_dirty = n;
	return blocks;
}

static void all_dirty(states *s)
{
	int i;

	s->judging_all = true;
	for (i = 0; i < s->q->dist->nrow; i++)
		state_dirty(s, i);
}

/* The first time, or the pair was moved back to before that. */
static void start_anew(states *s)
{
	size_t n = (size_t)s->q->dist->nrow, nb = (size_t)s->q->base->nrow, i;
	size_t words = n / 64 + 1;

	s->log.on = false;
	s->log.entries.n = 0;
	s->point.n = 0;
	taints_cut(&s->taints, 0);
	arena_free(&s->a);
	arena_init(&s->a);
	memset(s->rs, 0, sizeof *s->rs * n);
	memset(s->answer, 0, sizeof *s->answer * n);
	memset(s->open, 0, sizeof *s->open * words);
	memset(s->scaled, 0, sizeof *s->scaled * words);
	memset(s->refused, 0, sizeof *s->refused * words);
	memset(s->block, 0, sizeof *s->block * words);
	memset(s->first_of, 0, sizeof *s->first_of * nb);
	memset(s->last_of, 0, sizeof *s->last_of * nb);
	for (i = 0; i < n; i++)
		s->rs[i].base = s->base[i] = -1;
	s->counts = (state_counts){ .base = (int)nb, .dist = (int)n, .n = { [STATE_OPEN] = (int)n } };
	s->now.nassumed = 0;
	for (i = 0; i < eg_nedge(s->q->p->g); i++)
		s->now.nassumed += eg_get_edge(s->q->p->g, (uint32_t)i)->kind == EG_ASSUMED;
	state_chain_anew(s);
	all_dirty(s);
}

/* To the last point that is not behind what was undone; false: there is none. */
static bool go_back(states *s, trail_mark low)
{
	const struct point *p = VEC(struct point, &s->point);

	while (s->point.n && p[s->point.n - 1].at > low)
		s->point.n--;
	if (!s->point.n)
		return false;
	s->now = p[s->point.n - 1];
	trail_undo(&s->log, s->now.log);
	taints_cut(&s->taints, s->now.nedge);
	arena_reset(&s->a, s->now.text);
	return true;
}

static void ask_refused_again(states *s)
{
	int n = s->q->dist->nrow, i;

	for (i = state_next_bit(s->refused, 0, n); i < n; i = state_next_bit(s->refused, i + 1, n)) {
		state_keep(s, &s->answer[i], sizeof s->answer[i]);
		s->answer[i].asked = false;
	}
}

static void refused_dirty(states *s)
{
	int n = s->q->dist->nrow, i;

	for (i = state_next_bit(s->refused, 0, n); i < n; i = state_next_bit(s->refused, i + 1, n))
		state_dirty(s, i);
}

/* What outputs are copies of may be asked whatever it is made of, once all is lifted. */
static void outputs_dirty(states *s)
{
	int k, row, left;

	for (k = 0; k < s->q->ngoal; k++)
		for (row = s->q->goal[k].dist_row, left = GIVEN; row >= 0; row = row_moves(row_at(s, row)) && left-- ? row_at(s, row)->op[0] : -1)
			state_dirty(s, row);
}

static void go_forward(states *s)
{
	const pair *q = s->q;
	uint32_t n = eg_nedge(q->p->g), assumed = 0, i;
	int from = s->now.position ? s->now.position - 1 : 0;	/* the row that was being settled then */

	s->log.on = q->p->a.tr->on;
	for (i = s->now.nedge; i < n; i++)
		assumed += eg_get_edge(q->p->g, i)->kind == EG_ASSUMED;
	state_follow_edges(s, s->now.nedge, n);
	state_follow_rows(s, from, pair_position(q));
	s->now.nassumed += assumed;
	if (assumed) {	/* what is assumed of a value made by a probe's own steps changes no class that the probe opened */
		ask_refused_again(s);
		all_dirty(s);
	}
	if (pair_done(q)) {
		refused_dirty(s);
		outputs_dirty(s);
	}
	if (s->now.postponed && normal_idle(&q->p->a)) {
		s->now.postponed = false;
		all_dirty(s);
	}
}

static bool unchanged(const states *s)
{
	const struct point *n = &s->now;

	return s->begun && n->at == trail_at(s->q->p->a.tr) && s->q->p->a.tr->low >= n->at && n->fired == s->q->p->fired &&
	       n->position == pair_position(s->q) && n->nnode == eg_nnode(s->q->p->g) && n->nedge == eg_nedge(s->q->p->g) &&
	       n->idle == normal_idle(&s->q->p->a);
}

/* What is refreshed is a point to go back to. */
static void set_point(states *s)
{
	const pair *q = s->q;

	s->now = (struct point){ trail_at(q->p->a.tr), trail_at(&s->log), arena_at(&s->a), eg_nedge(q->p->g), eg_nnode(q->p->g),
				 s->now.nassumed, q->p->fired, pair_position(q), normal_idle(&q->p->a), s->now.postponed };
	*(struct point *)vec_push(&s->point) = s->now;
	q->p->a.tr->low = UINT32_MAX;
	s->begun = true;
}

void states_refresh(states *s)
{
	trail_mark low = s->q->p->a.tr->low;
	bool blocks;

	if (unchanged(s))
		return;
	/* where nobody keeps the unions, there is nothing to follow */
	if (s->begun && eg_nedge(s->q->p->g) && (low >= s->now.at || go_back(s, low)))
		go_forward(s);
	else
		start_anew(s);
	do
		blocks = judge_dirty(s);
	while (blocks && blocks_find_covered(s));
	set_point(s);
}

/* ---- reading */

const row_state *state_of(const states *s, int row)
{
	return &s->rs[row];
}

const int *states_bases(const states *s)
{
	return s->base;
}

int state_partner(const states *s, int base_row)
{
	return s->first_of[base_row] - 1;
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
		return layout_relation(out, &s->q->ms, &b, &l);
	case STATE_SCALED:
		rat_short(num, sizeof num, r->scale);
		return arena_printf(out, "%s x %%%s", num, pair_row(s->q, SIDE_BASE, r->base)->path);
	case STATE_REORDERED:
		return reorder_text(s, &s->answer[row], out);
	case STATE_BLOCK:
		return arena_printf(out, "block: %s", reorder_text(s, &s->answer[row], out));
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
	return s->counts;
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

	return s->first_of[base_row] || (x != NIL && state_chain(&s->side[SIDE_DIST], eg_root(s->q->p->g, x))->first);
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
