#include "fault/frontier.h"

#include <stdlib.h>
#include <string.h>
#include "fault/accumulated.h"
#include "fault/difference.h"
#include "fault/factor.h"
#include "fault/fault.h"
#include "fault/pads.h"
#include "fault/ring.h"
#include "fault/running.h"
#include "fault/seam.h"
#include "fault/stage.h"
#include "fault/stray.h"
#include "relation/layout_text.h"
#include "relation/lookup.h"
#include "relation/presumed.h"
#include "relation/state_in.h"

struct blame {
	states *s;
	arena *out;
	bool *live;		/* unverified, and an unproved output is reached through unverified rows only */
	bool *presumed;		/* unverified, and nothing speaks against it */
	bool *staged;		/* presumed as what a stage of a pipeline has, or makes of that */
	bool *held;		/* something that it takes is to be blamed before it */
	frontier_entry *e;
	int n;
};

static bool unproved(const pair *q, const goal *g)
{
	return g->dist_row >= 0 && g->compared && !goal_met(q, g);
}

static const goal *unproved_goal(const pair *q, int row)
{
	int k;

	for (k = 0; k < q->ngoal; k++)
		if (q->goal[k].dist_row == row && unproved(q, &q->goal[k]))
			return &q->goal[k];
	return NULL;
}

/* A byte per row; an output may be live without being unverified. */
static bool *find_live(const states *s, arena *out)
{
	const struct side *d = &s->side[SIDE_DIST];
	int n = d->p->nrow, i, k;
	bool *b = arena_zalloc(out, (size_t)n + 1);

	for (k = 0; k < s->q->ngoal; k++)
		if (unproved(s->q, &s->q->goal[k]))
			b[s->q->goal[k].dist_row] = true;
	for (i = state_last_bit(s->open, n - 1); i >= 0; i = state_last_bit(s->open, i - 1))
		for (k = d->use_at[i]; k < d->use_at[i + 1] && !b[i]; k++) {	/* what is not lifted yet may still need it */
			const row_state *u = &s->rs[d->use[k]];
			b[i] = !u->verified && (b[d->use[k]] || !u->settled);
		}
	return b;
}

/* A byte per row: most of those behind a fault, found without a look at what each of them takes. */
static bool *find_held(const struct blame *w)
{
	const states *s = w->s;
	const struct side *d = &s->side[SIDE_DIST];
	int n = d->p->nrow, i, k;
	bool *b = arena_zalloc(w->out, (size_t)n + 1);

	for (i = state_next_bit(s->open, 0, n); i < n; i = state_next_bit(s->open, i + 1, n))
		for (k = d->use_at[i]; k < d->use_at[i + 1] && !s->rs[i].index && !w->presumed[i]; k++)
			b[d->use[k]] = true;
	return b;
}

static bool inputs_settle_blame(const struct blame *w, int row)
{
	const struct row *r = &w->s->q->dist->row[row];
	int k;

	for (k = 0; k < r->nop; k++)
		if (!w->s->rs[r->op[k]].verified && !w->s->rs[r->op[k]].index && !w->presumed[r->op[k]])
			return false;
	return true;
}

/* Of the candidates for an output, the baseline's output is the one that was meant. */
static void goal_first(const pair *q, int row, int *base, int n)
{
	const goal *g = unproved_goal(q, row);
	int k;

	for (k = 1; g && k < n; k++)
		if (base[k] == g->base_row) {
			base[k] = base[0];
			base[0] = g->base_row;
		}
}

/* Baseline rows it is compared with: what it is a multiple of; else those that take its operands, of the same operation, if there
 * are any, and an output first. */
static int find_candidates(const struct blame *w, int row, enum frontier_kind kind, int *base, int max)
{
	int n = counterpart_users(w->s, row, base, max), i, m = 0;
	enum opcode op = w->s->q->dist->row[row].inst->opcode;

	if (kind == FRONTIER_SCALED && w->s->rs[row].base >= 0) {
		*base = w->s->rs[row].base;
		return 1;
	}
	for (i = 0; i < n; i++)
		m += w->s->q->base->row[base[i]].inst->opcode == op;
	n = m ? m : n > 3 ? 3 : n;
	goal_first(w->s->q, row, base, n);
	return n;
}

static frontier_entry *add(struct blame *w, int row, enum frontier_kind kind, const goal *g)
{
	int base[8], n = find_candidates(w, row, kind, base, 8);
	frontier_entry *e = &w->e[w->n++];

	*e = (frontier_entry){ .row = row, .kind = kind == FRONTIER_ALONE && n ? FRONTIER_DIFFERS : kind, .goal = g, .fed = -1, .nbase = n,
			       .base = memcpy(ARENA_ARRAY(w->out, int, n), base, sizeof *base * (size_t)n) };
	return e;
}

/* ---- multiples of baseline values */

/* Per multiple: the last row on the way to it that changed a factor. */
static int *last_changes(const struct blame *w)
{
	const states *s = w->s;
	int n = s->q->dist->nrow, *last = ARENA_ARRAY(w->out, int, n), i, k;

	for (i = state_next_bit(s->scaled, 0, n); i < n; i = state_next_bit(s->scaled, i + 1, n)) {
		const struct row *r = &s->q->dist->row[i];
		last[i] = i;
		if (factor_of(s, i) == FACTOR_CHANGED)
			continue;
		for (last[i] = -1, k = 0; k < r->nop; k++)
			if (row_scaled(s, r->op[k]) && last[r->op[k]] > last[i])
				last[i] = last[r->op[k]];
	}
	return last;
}

/* Does a row take something that is neither known nor a multiple, so that it says nothing of the multiples it takes? */
static bool takes_unknown(const struct blame *w, int row)
{
	const struct row *r = &w->s->q->dist->row[row];
	int k;

	for (k = 0; k < r->nop; k++)
		if (!w->s->rs[r->op[k]].verified && !w->s->rs[r->op[k]].index && !row_scaled(w->s, r->op[k]) && !w->presumed[r->op[k]])
			return true;
	return false;
}

/* Does what is wrong with it show in a row that is no multiple, or in an output? */
static bool chain_ends(const struct blame *w, int row)
{
	const struct side *d = &w->s->side[SIDE_DIST];
	int k;

	for (k = d->use_at[row]; k < d->use_at[row + 1]; k++)
		if (!w->s->rs[d->use[k]].verified && !row_scaled(w->s, d->use[k]) && !takes_unknown(w, d->use[k]))
			return true;
	return unproved_goal(w->s->q, row) != NULL;
}

static void ask_operands(const struct blame *w, int row, const int *last, bool *asked)
{
	const struct row *r = &w->s->q->dist->row[row];
	int k, latest = -1;

	for (k = 0; k < r->nop; k++) {
		if (!row_scaled(w->s, r->op[k]))
			continue;
		if (rat_eq(w->s->rs[r->op[k]].scale, w->s->rs[row].scale))
			asked[r->op[k]] = true;
		else if (latest < 0 || last[r->op[k]] > last[latest])
			latest = r->op[k];
	}
	if (factor_of(w->s, row) == FACTOR_PRODUCT)
		asked[latest] = true;
}

/* From every end of a chain of multiples back to the row whose factor is the odd one, or that last changed it.  NULL: there are no
 * multiples. */
static bool *find_factors(const struct blame *w)
{
	const states *s = w->s;
	int n = s->q->dist->nrow, i, sole, origin, *last;
	bool *asked, *blamed, *meant, *given;

	if (!s->counts.n[STATE_SCALED])
		return NULL;
	last = last_changes(w);
	meant = presumed_meant(s, w->out);
	given = arena_zalloc(w->out, (size_t)n + 1);
	asked = arena_zalloc(w->out, (size_t)n + 1);
	blamed = arena_zalloc(w->out, (size_t)n + 1);
	for (i = state_last_bit(s->scaled, n - 1); i >= 0; i = state_last_bit(s->scaled, i - 1)) {
		if (!w->live[i] || w->presumed[i] || !(asked[i] || chain_ends(w, i)))
			continue;
		given[i] = meant[i] && (given[i] || unproved_goal(s->q, i));
		if (given[i] && s->q->dist->row[i].inst->opcode == OP_COPY) {
			given[s->q->dist->row[i].op[0]] = asked[s->q->dist->row[i].op[0]] = true;
			continue;
		}
		if (!given[i] && !asked[i] && ((sole = factor_added_up(s, i, &origin)) >= 0 || (sole = factor_sole(s, i)) >= 0)) {
			blamed[sole] = true;
			continue;
		}
		/* a mean that is averaged for something else is right as such: it is missing where it is given out */
		blamed[i] = given[i] || factor_of(s, i) == FACTOR_CHANGED;
		if (!blamed[i])
			ask_operands(w, i, last, asked);
	}
	return blamed;
}

/* ---- a gather that mixes up the blocks */

static bool in_order(const states *s, int row)
{
	const row_state *o = &s->rs[row];
	layout l, b;
	eg_id x, y;

	return o->kind == STATE_RELATED && !o->note && o->base >= 0 && row_form(s->q, SIDE_DIST, row, &l, &x) &&
	       row_form(s->q, SIDE_BASE, o->base, &b, &y) && layout_keeps_order(&s->q->ms, &b, &l);
}

static bool is_gather(const struct row *r)
{
	return r->inst->opcode == OP_ALL_GATHER || r->inst->opcode == OP_ALL_GATHER_DONE;
}

/* A gather along a dimension that each device has one place of: the pieces lie beside each other, yet to be put together. */
static bool stacks(const states *s, int row)
{
	const struct row *r = &s->q->dist->row[row], *o = &s->q->dist->row[r->op[0]];
	int k;

	for (k = 0; k < r->rank && r->rank == o->rank; k++)
		if (r->dim[k] != o->dim[k])
			return o->dim[k] == 1;
	return false;
}

static bool joins_dimensions(const states *s, int row)
{
	const struct row *r = &s->q->dist->row[row];

	return r->inst->opcode == OP_RESHAPE && r->rank < s->q->dist->row[r->op[0]].rank;
}

/* The gather after which an operand is not in the baseline's order any more, or what puts its pieces together; -1 when there is none. */
static int order_lost(const states *s, int row)
{
	const struct row *r = &s->q->dist->row[row];
	int k, o, joined;

	for (k = 0; k < r->nop; k++) {
		joined = -1;
		for (o = r->op[k]; row_moves(&s->q->dist->row[o]); o = s->q->dist->row[o].op[0])
			if (joins_dimensions(s, o))
				joined = o;
		if (is_gather(&s->q->dist->row[o]) && s->rs[o].kind == STATE_RELATED && !in_order(s, o) && in_order(s, s->q->dist->row[o].op[0]))
			return joined >= 0 && stacks(s, o) ? joined : o;
	}
	return -1;
}

static bool pairs_otherwise(const states *s, const frontier_entry *e, arena *out)
{
	difference d = e->nbase ? difference_rows(s, e->base[0], e->row, out) : (difference){ 0 };

	return difference_of_order(d.kind);
}

static int reshape_lost(const states *s, int row, arena *tmp);

static void blame_gathers(struct blame *w)
{
	int k, i, o, n = w->n;

	for (k = 0; k < n; k++) {
		frontier_entry *e = &w->e[k];
		if (e->kind != FRONTIER_DIFFERS || !pairs_otherwise(w->s, e, w->out) ||
		    ((o = order_lost(w->s, e->row)) < 0 && (o = reshape_lost(w->s, e->row, w->out)) < 0))
			continue;
		for (i = 0; i < n && w->e[i].row != o; i++)
			;
		if (i < n && i != k) {		/* told there */
			e->row = -1;
			continue;
		}
		i = e->row;
		w->n = k;
		add(w, o, FRONTIER_ORDER, NULL)->fed = i;
		w->n = n;
	}
}

/* ---- outputs in another order */

static bool takes(const states *s, int row, int out)
{
	const struct row *r = &s->q->dist->row[row];
	int k, o;

	for (k = 0; k < r->nop; k++)
		for (o = r->op[k]; ; o = s->q->dist->row[o].op[0]) {
			if (o == out)
				return true;
			if (!row_moves(&s->q->dist->row[o]))
				break;
		}
	return false;
}

static bool out_of_order(const states *s, int row)
{
	enum state_kind k = s->rs[row].kind;

	return (k == STATE_RELATED || k == STATE_REORDERED) && !s->rs[row].constant && !in_order(s, row);
}

static bool moves_between_devices(const struct row *r)
{
	return opcode_class(r->inst->opcode) == 'c' && !(collective_grouped(r) && *r->name && r->inst->opcode == OP_ALL_REDUCE);
}

struct lost {			/* where on the way to an output the order is lost */
	int moved;		/* the last row that moves places between devices and is not in order */
	bool before;		/* what that one takes is not in order either */
	int first, n;		/* rows that are not in order though what they take is, and their number */
};

static bool puts_together(const states *s, int row)
{
	enum opcode op = s->q->dist->row[row].inst->opcode;

	return op == OP_CONCATENATE || op == OP_RESHAPE || op == OP_GATHER;
}

enum { LOST_ROWS = 256 };

static struct lost find_lost(const states *s, int row, arena *tmp)
{
	struct lost t = { .moved = -1, .first = -1 };
	bool *seen = arena_zalloc(tmp, (size_t)s->q->dist->nrow + 1);
	int left = LOST_ROWS, k;

	seen[row] = true;
	for (; row >= 0 && left; row--) {	/* operands lie before their users */
		const struct row *r = &s->q->dist->row[row];
		bool carried = false;
		if (!seen[row])
			continue;
		left--;
		for (k = 0; k < r->nop; k++)
			if (out_of_order(s, r->op[k]))
				carried = seen[r->op[k]] = true;
		if (moves_between_devices(r) && t.moved < 0) {
			t.moved = row;
			t.before = carried;
		}
		if (!carried) {
			t.first = row;
			t.n++;
		}
	}
	return t;
}

/* Does every device hold another part? */
static bool all_differ(const layout *l)
{
	int k;

	for (k = 0; k < l->nd && l->dev[k].stride; k++)
		;
	return l->nd && k == l->nd;
}

/* The only place where the order of what a row takes is lost, when that is a reshape: of shards, as the whole is reshaped. */
static int reshape_lost(const states *s, int row, arena *tmp)
{
	const struct row *r = &s->q->dist->row[row];
	struct lost t;
	layout l;
	eg_id x;
	int k;

	for (k = 0; k < r->nop; k++) {
		if (!out_of_order(s, r->op[k]))
			continue;
		t = find_lost(s, r->op[k], tmp);
		if (t.moved < 0 && t.n == 1 && s->q->dist->row[t.first].inst->opcode == OP_RESHAPE &&
		    row_form(s->q, SIDE_DIST, t.first, &l, &x) && all_differ(&l))
			return t.first;
	}
	return -1;
}

/* An output in another order than the goal's: what lost the order is told, a row that moves places between devices before others. */
static void blame_lost_order(struct blame *w)
{
	int k, row;
	struct lost t;

	for (k = 0; k < w->n; k++) {
		frontier_entry *e = &w->e[k];
		if (e->row < 0 || e->kind != FRONTIER_RELATION || !e->goal || e->goal->why || w->s->rs[e->row].base != e->goal->base_row ||
		    !out_of_order(w->s, e->row))
			continue;
		t = find_lost(w->s, e->row, w->out);
		row = t.n == 1 && (t.moved < 0 || (t.before && puts_together(w->s, t.first))) ? t.first : t.moved;
		if (row < 0 || row == e->row || w->s->q->dist->row[row].param >= 0)
			continue;
		e->fed = e->row;
		e->row = row;
	}
}

/* The row that takes an output whose relation is not the goal's is told; the output with it. */
static void join_outputs(struct blame *w)
{
	int k, i;

	for (k = 0; k < w->n; k++) {
		frontier_entry *e = &w->e[k];
		if (e->row < 0 || e->kind != FRONTIER_RELATION || w->s->rs[e->row].kind != STATE_RELATED)
			continue;
		for (i = 0; i < w->n; i++)
			if (w->e[i].row >= 0 && w->e[i].kind == FRONTIER_DIFFERS && takes(w->s, w->e[i].row, e->row) && pairs_otherwise(w->s, &w->e[i], w->out)) {
				w->e[i].also = e->goal;
				e->row = -1;
				break;
			}
	}
}

/* ---- index arithmetic that the baseline does too, up to a row */

static bool entered(const struct blame *w, int row)
{
	int k;

	for (k = 0; k < w->n && w->e[k].row != row; k++)
		;
	return k < w->n;
}

/* A place that each device counts for itself, looked up in what the devices have shared out, or written there: that is right as such. */
static bool is_place_in_shard(const states *s, int row, int index)
{
	const struct row *r = &s->q->dist->row[row];
	enum opcode op = r->inst->opcode;

	return (op == OP_GATHER || op == OP_SCATTER || op == OP_DYNAMIC_SLICE || op == OP_DYNAMIC_UPDATE_SLICE) &&
	       row_axes(s, index);
}

static void blame_strays(struct blame *w)
{
	int k, d = -1, b = -1, *base;

	for (k = 0; k < w->n; k++) {
		frontier_entry *e = &w->e[k];
		if (e->row < 0 || e->kind != FRONTIER_DIFFERS || lookup_of_whole(w->s, e->row) || !stray_index(w->s, e->row, e->base[0], &d, &b) || is_place_in_shard(w->s, e->row, d))
			continue;
		if (entered(w, d)) {
			e->row = -1;
			continue;
		}
		base = ARENA_ARRAY(w->out, int, 1);
		*base = b;
		*e = (frontier_entry){ .row = d, .kind = FRONTIER_DIFFERS, .fed = -1, .stray = true, .nbase = 1, .base = base };
	}
}

/* ---- pieces that do not fit */

enum { SEAMS = 32, CHUNKS = 64 };	/* pieces that are looked at */

/* A piece alone is what some device has; what puts it beside others that do not fit is told instead, once. */
static void blame_seams(struct blame *w)
{
	int k, row, left = SEAMS;

	for (k = 0; k < w->n && left; k++) {
		frontier_entry *e = &w->e[k];
		if (e->row < 0 || e->kind < FRONTIER_DIFFERS || (row = seam_behind(w->s, e->row)) < 0)
			continue;
		left--;
		if (!seam_fault(w->s, row, w->out))
			continue;
		e->row = entered(w, row) ? -1 : row;
		e->kind = FRONTIER_ALONE;
		e->nbase = 0;
	}
}

/* ---- rings */

/* Slices of parts that are handed on are right as such: what comes together of them is told, once. */
static void blame_rings(struct blame *w)
{
	int k, row;

	for (k = 0; k < w->n; k++) {
		frontier_entry *e = &w->e[k];
		if (e->row < 0 || e->kind < FRONTIER_DIFFERS || (row = ring_end(w->s, e->row)) < 0 || !(entered(w, row) || ring_fault(w->s, row, w->out)))
			continue;
		e->row = entered(w, row) ? -1 : row;
		e->kind = FRONTIER_ALONE;
		e->nbase = 0;
	}
}

/* ---- running sums */

/* Is a row made of another, by unverified rows? */
static bool comes_of(const states *s, int row, int of, arena *tmp)
{
	const struct side *d = &s->side[SIDE_DIST];
	bool *hit = arena_zalloc(tmp, (size_t)(row - of) + 1);
	int i, k;

	hit[0] = true;
	for (i = of; i < row && !hit[row - of]; i++)
		for (k = d->use_at[i]; hit[i - of] && k < d->use_at[i + 1]; k++)
			if (d->use[k] <= row && !s->rs[d->use[k]].verified)
				hit[d->use[k] - of] = true;
	return hit[row - of];
}

/* Own running sums are right as such where something is added to them: there it is told, with what this is made of. */
static void blame_running(struct blame *w)
{
	int k, i, row;

	for (k = 0; k < w->n; k++) {
		frontier_entry *e = &w->e[k];
		if (e->row < 0 || e->kind < FRONTIER_DIFFERS || running_part(w->s, e->row) < 0 || (row = running_added(w->s, e->row)) < 0 ||
		    w->s->rs[row].verified || entered(w, row))
			continue;
		for (i = 0; i < w->n; i++)
			if (i != k && w->e[i].row >= 0 && w->e[i].kind >= FRONTIER_DIFFERS && w->e[i].row < row && comes_of(w->s, row, w->e[i].row, w->out))
				w->e[i].row = -1;
		e->row = row;
		e->kind = FRONTIER_ALONE;
		e->nbase = 0;
	}
}

/* ---- chunks of a sum */

/* A chunk is right as such where it is added to others: that is told where they do not count alike, once. */
static void blame_uneven_chunks(struct blame *w)
{
	int k, row, left = CHUNKS;

	for (k = 0; k < w->n && left; k++) {
		frontier_entry *e = &w->e[k];
		if (e->row < 0 || e->kind < FRONTIER_DIFFERS || (row = accumulated_unevenly(w->s, e->row)) < 0)
			continue;
		left--;
		e->row = entered(w, row) ? -1 : row;
		e->kind = FRONTIER_ALONE;
		e->nbase = 0;
	}
}

/* ---- stages */

/* What is made of what the stages of a pipeline have is told where a device chose amiss, once. */
static void blame_choices(struct blame *w)
{
	int k, i, row;

	for (k = 0; k < w->n; k++) {
		frontier_entry *e = &w->e[k];
		const struct row *r = &w->s->q->dist->row[e->row >= 0 ? e->row : 0];
		for (i = 0; i < r->nop && !w->staged[r->op[i]]; i++)
			;
		if (e->row < 0 || e->kind < FRONTIER_DIFFERS || i == r->nop || (row = stage_choice_behind(w->s, e->row, w->out)) < 0)
			continue;
		e->row = entered(w, row) ? -1 : row;
		e->kind = FRONTIER_ALONE;
		e->nbase = 0;
	}
}

/* ---- what takes parts of one sum */

/* The operand that is a part of a sum, -1: none, or several. */
static int one_part(const states *s, int row)
{
	const struct row *r = &s->q->dist->row[row];
	int k, o = -1;

	for (k = 0; k < r->nop; k++)
		if (s->rs[r->op[k]].kind == STATE_PARTIAL) {
			if (o >= 0 && o != r->op[k])
				return -1;
			o = r->op[k];
		}
	return o;
}

/* Where the parts of a sum that an entry takes come from, through what takes nothing else that is one place by place; -1. */
static int parts_taken(const states *s, int row)
{
	const struct row *r = &s->q->dist->row[row];
	int o = opcode_class(r->inst->opcode) == 'c' ? -1 : one_part(s, row), from;

	for (; o >= 0; o = from) {
		r = &s->q->dist->row[o];
		char class = opcode_class(r->inst->opcode);
		if (r->param >= 0 || (!row_moves(r) && class != 'b' && class != 'u') || (from = one_part(s, o)) < 0)
			break;
	}
	return o;
}

/* One all-reduce is missing for all that take it: the first is told, with the others. */
static void join_parts(struct blame *w)
{
	int k, i, o;

	for (k = 0; k < w->n; k++) {
		frontier_entry *e = &w->e[k];
		if (e->row < 0 || e->kind < FRONTIER_DIFFERS || (o = parts_taken(w->s, e->row)) < 0)
			continue;
		for (i = 0; i < w->n; i++) {
			frontier_entry *f = &w->e[i];
			if (i == k || f->row < e->row || f->kind < FRONTIER_DIFFERS || parts_taken(w->s, f->row) != o)
				continue;
			if (!e->more)
				e->more = ARENA_ARRAY(w->out, int, w->n);
			e->more[e->nmore++] = f->row;
			f->row = -1;
		}
	}
}

/* ---- steps */

/* It reduces, multiplies out or otherwise works on blocks, as no baseline row does: perhaps rightly. */
static bool is_step(const states *s, const frontier_entry *e, arena *tmp)
{
	const struct row *r = &s->q->dist->row[e->row];
	char class = opcode_class(r->inst->opcode);
	int k;

	for (k = 0; k < r->nop && s->rs[r->op[k]].kind != STATE_BLOCK; k++)
		;
	if (k == r->nop)
		return false;
	return class == 'r' || class == 'k' || e->kind == FRONTIER_ALONE || s->q->base->row[e->base[0]].inst->opcode != r->inst->opcode ||
	       fault_fits_block(s, e, tmp);
}

/* A byte per row: it depends on integers and truth values alone, as masks and one-hots do, or on such as are verified, the place of a
 * largest, say. */
static bool *of_integers(const struct blame *w)
{
	const program *p = w->s->q->dist;
	bool *b = arena_zalloc(w->out, (size_t)p->nrow + 1);
	int i, k;

	for (i = 0; i < p->nrow; i++) {
		bool integer = type_is_int(p->row[i].type) || p->row[i].type == T_PRED;

		b[i] = p->row[i].param < 0 || integer || w->s->rs[i].constant;
		for (k = 0; k < p->row[i].nop && b[i] && !(integer && w->s->rs[i].verified); k++)
			b[i] = b[p->row[i].op[k]] || w->s->rs[p->row[i].op[k]].constant;
	}
	return b;
}

/* Positions, masks, lookups may be found in ways of their own: perhaps rightly. */
static bool is_lookup(const states *s, const frontier_entry *e, const bool *integers)
{
	const struct row *r = &s->q->dist->row[e->row];
	int k;

	for (k = 0; k < r->nop && !s->rs[r->op[k]].index; k++)
		;
	return integers[e->row] || k < r->nop;
}

/* A maximum that is only taken away again, or compared with others: any would do. */
static bool is_shift(const states *s, int row)
{
	const struct side *d = &s->side[SIDE_DIST];
	const struct row *r = &d->p->row[row];
	int k, n = 0;

	if (r->inst->opcode != OP_MAXIMUM && (r->inst->opcode != OP_REDUCE || strcmp(r->name, "maximum")))
		return false;
	for (k = d->use_at[row]; k < d->use_at[row + 1]; k++, n++) {
		const struct row *u = &d->p->row[d->use[k]];
		if (u->inst->opcode != OP_SUBTRACT && u->inst->opcode != OP_MAXIMUM && !row_moves(u))
			return false;
	}
	return n > 0;
}

static bool is_doubtful(const states *s, const frontier_entry *e, const bool *integers, arena *tmp)
{
	return (e->kind == FRONTIER_DIFFERS || e->kind == FRONTIER_ALONE) && !lookup_of_whole(s, e->row) && (is_step(s, e, tmp) || is_lookup(s, e, integers) || is_shift(s, e->row));
}

/* Unverified rows that are reached from the entries, the doubtful ones or the others. */
static bool *reached(const struct blame *w, bool doubtful, const bool *integers)
{
	const program *p = w->s->q->dist;
	bool *hit = arena_zalloc(w->out, (size_t)p->nrow + 1);
	int i, k;

	for (i = 0; i < w->n; i++)
		if (w->e[i].row >= 0 && is_doubtful(w->s, &w->e[i], integers, w->out) == doubtful)
			hit[w->e[i].row] = true;
	for (i = 0; i < p->nrow; i++)
		for (k = 0; k < p->row[i].nop && !hit[i]; k++)
			hit[i] = hit[p->row[i].op[k]] && !w->s->rs[i].verified;
	return hit;
}

/* What is doubtful is blamed only where nothing else is: for an output that no other entry reaches. */
static void drop_doubtful(struct blame *w)
{
	const program *p = w->s->q->dist;
	bool *by_doubtful, *by_others, *integers;
	int i;

	if (w->n < 2)
		return;
	integers = of_integers(w);
	for (i = 0; i < w->n && !(w->e[i].row >= 0 && is_doubtful(w->s, &w->e[i], integers, w->out)); i++)
		;
	if (i == w->n)
		return;
	by_doubtful = reached(w, true, integers);
	by_others = reached(w, false, integers);
	for (i = 0; i < p->nrow; i++)
		if (by_doubtful[i] && !by_others[i] && unproved_goal(w->s->q, i))
			return;
	for (i = 0; i < w->n; i++)
		if (w->e[i].row >= 0 && is_doubtful(w->s, &w->e[i], integers, w->out))
			w->e[i].row = -1;
}

/* ---- all of it */

/* What a copy is a copy of, when that is known as well. */
static int not_a_copy(const states *s, int row)
{
	const struct row *r = &s->q->dist->row[row];

	while (r->inst->opcode == OP_COPY && r->nop == 1 && s->rs[r->op[0]].verified && s->q->dist->row[r->op[0]].param < 0) {
		row = r->op[0];
		r = &s->q->dist->row[row];
	}
	return row;
}

/* Outputs that are verified with another relation than their goal's; of several goals of a row the first. */
static void find_outputs(struct blame *w)
{
	const states *s = w->s;
	const goal *g;
	int k, i, row;

	for (k = 0; k < s->q->ngoal && pair_position(s->q) == pair_length(s->q); k++) {
		g = &s->q->goal[k];
		if (!unproved(s->q, g) || !s->rs[g->dist_row].verified)
			continue;
		row = not_a_copy(s, g->dist_row);
		for (i = 0; i < w->n && w->e[i].row != row; i++)
			;
		if (i == w->n)	/* a block of something is not what an output should be */
			add(w, row, s->rs[row].kind == STATE_BLOCK ? FRONTIER_ALONE : FRONTIER_RELATION, g);
	}
}

static int next_open(const states *s, int row)
{
	return state_next_bit(s->open, row, s->q->dist->nrow);
}

static bool is_blamed(const struct blame *w, int row, const bool *factor)
{
	const states *s = w->s;

	if (factor && row_scaled(s, row))
		return factor[row];
	return w->live[row] && !w->held[row] && !s->rs[row].index && !w->presumed[row] && inputs_settle_blame(w, row);
}

/* What comes of an unverified row: nothing that is known, a multiple of a baseline value (of what is none itself), or one that is
 * right, so that what it is made of was made right on the way. */
enum outcome { OUT_UNKNOWN, OUT_MULTIPLE, OUT_RIGHT };

/* Does it look up some places of it only, a diagonal say, so that it says nothing of the others? */
static bool looks_up(const states *s, int row, int user)
{
	const struct row *u = &s->q->dist->row[user];

	return u->inst->opcode == OP_GATHER && u->op[0] == row && row_elements(u) < row_elements(&s->q->dist->row[row]);
}

static char outcome_at(const states *s, int row, int user, const char *of)
{
	const row_state *u = &s->rs[user];

	enum outcome o = (u->verified && !u->constant && u->base >= 0) || of[user] == OUT_RIGHT ? OUT_RIGHT :
			 row_scaled(s, row) ? OUT_UNKNOWN : row_scaled(s, user) ? OUT_MULTIPLE : of[user];

	return o != OUT_UNKNOWN && looks_up(s, row, user) ? OUT_UNKNOWN : o;
}

/* A byte per row.  What only moves a multiple that is made up for elsewhere is taken with it. */
static char *find_outcomes(const struct blame *w)
{
	const states *s = w->s;
	const pair *q = s->q;
	const struct side *d = &s->side[SIDE_DIST];
	char *of = arena_zalloc(w->out, (size_t)q->dist->nrow + 1), o;
	int i, k;

	for (k = 0; k < q->ngoal; k++)
		if (q->goal[k].dist_row >= 0 && q->goal[k].compared && goal_met(q, &q->goal[k]))
			of[q->goal[k].dist_row] = OUT_RIGHT;
	for (i = state_last_bit(s->open, q->dist->nrow - 1); i >= 0; i = state_last_bit(s->open, i - 1)) {
		for (k = d->use_at[i]; k < d->use_at[i + 1] && s->rs[i].settled; k++)
			if ((o = outcome_at(s, i, d->use[k], of)) > of[i])
				of[i] = o;
		if (row_scaled(s, i) && of[i] != OUT_RIGHT && presumed_averaged(s, i))
			of[i] = OUT_RIGHT;	/* as far as it goes */
	}
	for (i = state_next_bit(s->scaled, 0, q->dist->nrow); i < q->dist->nrow; i = state_next_bit(s->scaled, i + 1, q->dist->nrow))
		if (row_moves(&q->dist->row[i]) && of[q->dist->row[i].op[0]] > of[i])
			of[i] = of[q->dist->row[i].op[0]];
	return of;
}

/* Is another result of the same instruction right? */
static bool result_of_right(const states *s, int row)
{
	const struct row *r = &s->q->dist->row[row];

	return r->element > 0 && row > 0 && r[-1].inst == r->inst && s->rs[row - 1].verified;
}

/* Nothing that came out right rests on it, but all it takes is verified or bears something that did, and something is not verified. */
static bool leaves_rested(const struct blame *w, int row, const char *rested)
{
	const struct row *r = &w->s->q->dist->row[row];
	bool some = false;
	int k;

	if (rested[row] || !w->live[row] || w->s->rs[row].index || row_scaled(w->s, row) || w->presumed[row] || result_of_right(w->s, row))
		return false;
	for (k = 0; k < r->nop; k++) {
		bool told = w->s->rs[r->op[k]].verified || w->s->rs[r->op[k]].index;
		if (!told && !rested[r->op[k]])
			return false;
		some = some || !told;
	}
	return some;
}

/* What came out right behind a row made up for it: instead of it, what goes another way is blamed. */
static void excuse_rested(const struct blame *w, uint64_t *blamed)
{
	const states *s = w->s;
	const char *rested = find_outcomes(w);
	int n = s->q->dist->nrow, i;
	bool excused = false, other = false;

	for (i = next_open(s, 0); i < n; i = next_open(s, i + 1)) {
		excused = excused || (state_bit(blamed, i) && rested[i]);
		other = other || leaves_rested(w, i, rested) || (state_bit(blamed, i) && !rested[i]);
	}
	if (!excused || !other)
		return;
	for (i = next_open(s, 0); i < n; i = next_open(s, i + 1))
		if (leaves_rested(w, i, rested))
			state_set_bit(blamed, i);
		else if (rested[i])
			state_clear_bit(blamed, i);
}

static void find_rows(struct blame *w)
{
	const states *s = w->s;
	int n = s->q->dist->nrow, room = s->q->ngoal, i;
	uint64_t *blamed = arena_zalloc(w->out, sizeof *blamed * ((size_t)n / 64 + 1));
	bool *factor = find_factors(w);

	for (i = next_open(s, 0); i < n; i = next_open(s, i + 1))
		if (is_blamed(w, i, factor))
			state_set_bit(blamed, i);
	excuse_rested(w, blamed);
	for (i = state_next_bit(blamed, 0, n); i < n; i = state_next_bit(blamed, i + 1, n))
		room++;
	w->e = ARENA_ARRAY(w->out, frontier_entry, room);
	find_outputs(w);
	for (i = state_next_bit(blamed, 0, n); i < n; i = state_next_bit(blamed, i + 1, n))
		add(w, i, row_scaled(s, i) ? FRONTIER_SCALED : FRONTIER_ALONE, NULL);
}

static int by_kind(const void *x, const void *y)
{
	const frontier_entry *a = x, *b = y;

	return a->kind != b->kind ? (a->kind > b->kind) - (a->kind < b->kind) : a->row - b->row;
}

static void sort(struct blame *w)
{
	int i, n = 0;

	for (i = 0; i < w->n; i++)
		if (w->e[i].row >= 0)
			w->e[n++] = w->e[i];
	w->n = n;
	qsort(w->e, (size_t)n, sizeof *w->e, by_kind);
}

static struct blame find(states *s, bool *presumed, bool *staged, arena *out)
{
	struct blame w = { .s = s, .out = out, .live = find_live(s, out), .presumed = presumed, .staged = staged };

	w.held = find_held(&w);
	find_rows(&w);
	blame_gathers(&w);
	join_outputs(&w);
	blame_lost_order(&w);
	blame_seams(&w);
	blame_rings(&w);
	blame_running(&w);
	blame_uneven_chunks(&w);
	blame_choices(&w);
	drop_doubtful(&w);
	join_parts(&w);
	blame_strays(&w);
	sort(&w);
	return w;
}

/* Is an entry of a size that a baseline row has that it may be, or made of what was presumed? */
static bool of_whole_size(const struct blame *w, const frontier_entry *e)
{
	const states *s = w->s;
	const struct row *r = &s->q->dist->row[e->row];
	int k;

	for (k = 0; k < r->nop; k++)
		if (w->presumed[r->op[k]])
			return true;
	for (k = 0; k < e->nbase && row_elements(&s->q->base->row[e->base[k]]) != row_elements(&s->q->dist->row[e->row]); k++)
		;
	return k < e->nbase;
}

/* A part of a baseline value that is written to its place in it, beside what is there already, is right so far. */
static bool is_step_right(const struct blame *w, int row)
{
	const struct row *r = &w->s->q->dist->row[row];

	return r->inst->opcode == OP_DYNAMIC_UPDATE_SLICE && (w->s->rs[r->op[0]].constant || w->presumed[r->op[0]]) && fault_written_rightly(w->s, row, w->out);
}

/* Is it an output, or only moved and copied to one? */
static bool given_out(const states *s, int row)
{
	while (row >= 0 && !unproved_goal(s->q, row))
		row = state_moved_to(s, row);
	return row >= 0;
}

/* Is it a choice between devices, or made of what a stage has? */
static bool in_stage(const struct blame *w, int row)
{
	const struct row *r = &w->s->q->dist->row[row];
	int k;

	for (k = 0; k < r->nop; k++)
		if (w->staged[r->op[k]])
			return true;
	return stage_chooses(w->s, row, w->out);
}

/* Is an unverified row the baseline's on some device, or a part of it in a pipeline?  Then it is presumed. */
static bool presume_stage(const struct blame *w, int row, int *left)
{
	bool staged = in_stage(w, row);
	int64_t dev;

	--*left;
	if (staged && stage_chosen_amiss(w->s, row, w->out))
		return false;
	w->presumed[row] = stage_partner(w->s, row, &dev) >= 0 || (staged && stage_part(w->s, row, &dev) >= 0);
	w->staged[row] = staged && w->presumed[row];
	return w->presumed[row];
}

/* What is made of a row that was presumed, of rows that are verified or presumed alone, and is the baseline's on some device, too. */
static void presume_made_of(const struct blame *w, int row, int *left)
{
	const struct side *d = &w->s->side[SIDE_DIST];
	int k, u;

	for (k = d->use_at[row]; k < d->use_at[row + 1] && *left > 0; k++) {
		u = d->use[k];
		if (w->live[u] && !w->presumed[u] && !w->s->rs[u].verified && !w->s->rs[u].index && !row_scaled(w->s, u) && inputs_settle_blame(w, u) &&
		    !given_out(w->s, u) && presume_stage(w, u, left))
			presume_made_of(w, u, left);
	}
}

/* Entries that are the baseline's on some device, or in part: presumed, but for outputs.  Is there one?  No more than `left` are asked. */
static bool presume_stages(const struct blame *w, int *left)
{
	bool any = false;
	int k;

	for (k = 0; k < w->n && *left > 0; k++) {
		const frontier_entry *e = &w->e[k];
		if (e->kind < FRONTIER_DIFFERS || e->stray || given_out(w->s, e->row))
			continue;
		if (is_step_right(w, e->row) || pads_carried(w->s, e->row))
			any = w->presumed[e->row] = true;
		else if ((of_whole_size(w, e) || stage_chooses(w->s, e->row, w->out)) && presume_stage(w, e->row, left)) {
			any = true;
			presume_made_of(w, e->row, left);
		}
	}
	return any;
}

enum { STAGES = 256 };	/* rows that are asked */

frontier frontier_find(states *s, arena *out)
{
	bool *presumed = presumed_rows(s, out), *staged = arena_zalloc(out, (size_t)s->q->dist->nrow + 1);
	struct blame w = find(s, presumed, staged, out), t = w;
	int left = pair_done(s->q) ? STAGES : 0;

	while (t.n && presume_stages(&t, &left))
		t = find(s, presumed, staged, out);
	if (t.n)
		w = t;
	return (frontier){ .n = w.n, .e = w.e, .so_far = !pair_done(s->q) };
}
