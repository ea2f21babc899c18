#include "fault/blame.h"

#include "fault/difference.h"
#include "fault/fault_in.h"
#include "relation/layout_text.h"

/* ---- a gather that mixes up the blocks */

static bool in_order(const states *s, int row)
{
	const row_state *o = &s->rs[row];
	layout l, b;
	eg_id x, y;

	return o->kind == STATE_RELATED && !o->note && o->base >= 0 && row_form(s->q, SIDE_DIST, row, &l, &x) &&
	       row_form(s->q, SIDE_BASE, o->base, &b, &y) && layout_keeps_order(&s->q->ms, &b, &l);
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
		if (row_gathers(&s->q->dist->row[o]) && s->rs[o].kind == STATE_RELATED && !in_order(s, o) && in_order(s, s->q->dist->row[o].op[0]))
			return joined >= 0 && stacks(s, o) ? joined : o;
	}
	return -1;
}

bool blame_pairs_otherwise(const states *s, const frontier_entry *e, arena *tmp)
{
	difference d = e->nbase ? difference_rows(s, e->base[0], e->row, tmp) : (difference){ 0 };

	return difference_of_order(d.kind) || d.kind == DIFFERENCE_CONSTANT_ORDER;
}

static int lost_behind(const states *s, int row, arena *tmp);

void blame_gathers(struct blame *w)
{
	int k, i, o, n = w->n;

	for (k = 0; k < n; k++) {
		frontier_entry *e = &w->e[k];
		if (e->kind != FRONTIER_DIFFERS || !blame_pairs_otherwise(w->s, e, w->out) ||
		    ((o = order_lost(w->s, e->row)) < 0 && (o = lost_behind(w->s, e->row, w->out)) < 0))
			continue;
		for (i = 0; i < n && w->e[i].row != o; i++)
			;
		if (i < n && i != k) {		/* told there */
			e->row = -1;
			continue;
		}
		i = e->row;
		w->n = k;
		blame_add(w, o, FRONTIER_ORDER, NULL)->fed = i;
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

/* Sharded in segments, far apart. */
static bool in_segments(const states *s, int row)
{
	const row_state *o = &s->rs[row];
	layout l, b;
	eg_id x, y;

	return o->kind == STATE_RELATED && !o->constant && !o->note && o->base >= 0 && row_form(s->q, SIDE_DIST, row, &l, &x) &&
	       row_form(s->q, SIDE_BASE, o->base, &b, &y) && layout_in_segments(&s->q->ms, &b, &l);
}

static bool wants_segments(const goal *g)
{
	int k;

	for (k = 0; k < g->rel->c.n; k++)
		if (g->rel->c.step[k].kind == CHAIN_SHARD && g->rel->c.step[k].n)
			return true;
	return false;
}

static bool moves_between_devices(const struct row *r)
{
	return opcode_class(r->inst->opcode) == 'c' && !(collective_grouped(r) && *r->name && r->inst->opcode == OP_ALL_REDUCE);
}

typedef bool astray(const states *s, int row);	/* is a row in another order than the baseline's, in some way? */

struct lost {			/* where on the way to an output the order is lost */
	int moved;		/* the last row that moves places between devices and is not in order */
	bool before;		/* what that one takes is not in order either */
	int first, n;		/* rows that are not in order though what they take is, and their number */
	int joined;		/* the first row on the way that is not in order and makes one dimension of several */
};

static bool puts_together(const states *s, int row)
{
	enum opcode op = s->q->dist->row[row].inst->opcode;

	return op == OP_CONCATENATE || op == OP_RESHAPE || op == OP_GATHER;
}

enum { LOST_ROWS = 256 };

static struct lost find_lost(const states *s, int row, astray *is_astray, arena *tmp)
{
	struct lost t = { .moved = -1, .first = -1, .joined = -1 };
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
			if (is_astray(s, r->op[k]))
				carried = seen[r->op[k]] = true;
		if (moves_between_devices(r) && t.moved < 0) {
			t.moved = row;
			t.before = carried;
		}
		if (joins_dimensions(s, row))
			t.joined = row;
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

/* The only operand that is not in order; -1: none, or several. */
static int one_out_of_order(const states *s, int row)
{
	const struct row *r = &s->q->dist->row[row];
	int k, o = -1;

	for (k = 0; k < r->nop; k++)
		if (out_of_order(s, r->op[k])) {
			if (o >= 0)
				return -1;
			o = r->op[k];
		}
	return o;
}

/* Has each device its own part of it, or has it been put together from what they have? */
static bool from_devices(const states *s, int row)
{
	const struct row *r = &s->q->dist->row[row];
	bool shared_out = row_axes(s, row);

	for (; row_moves(r); r = &s->q->dist->row[r->op[0]])
		;
	return shared_out || moves_between_devices(r);
}

/* The only place where the order of what a row takes is lost: what moves places between devices; a reshape of shards, as the whole
 * is reshaped; or what makes one dimension of some that were put in another order before. */
static int lost_behind(const states *s, int row, arena *tmp)
{
	int o = one_out_of_order(s, row);
	struct lost t = o < 0 ? (struct lost){ 0 } : find_lost(s, o, out_of_order, tmp);
	const struct row *r = t.n == 1 ? &s->q->dist->row[t.first] : NULL;
	layout l;
	eg_id x;

	if (!r)
		return -1;
	if (moves_between_devices(r) || (t.moved < 0 && r->inst->opcode == OP_RESHAPE && row_form(s->q, SIDE_DIST, t.first, &l, &x) && all_differ(&l)))
		return t.first;
	return t.joined >= 0 && from_devices(s, t.joined) ? t.joined : -1;
}

/* How an output is in another order than its goal's; NULL: it is not, or the plan says so. */
static astray *astray_as(const states *s, int row, const goal *g)
{
	return out_of_order(s, row) ? out_of_order : in_segments(s, row) && !wants_segments(g) ? in_segments : NULL;
}

/* An output in another order than the goal's: what lost the order is told, a row that moves places between devices before others. */
void blame_lost_order(struct blame *w)
{
	astray *is_astray;
	int k, row;
	struct lost t;

	for (k = 0; k < w->n; k++) {
		frontier_entry *e = &w->e[k];
		if (e->row < 0 || e->kind != FRONTIER_RELATION || !e->goal || e->goal->why || w->s->rs[e->row].base != e->goal->base_row ||
		    !(is_astray = astray_as(w->s, e->row, e->goal)))
			continue;
		t = find_lost(w->s, e->row, is_astray, w->out);
		row = t.n == 1 && (t.moved < 0 || (t.before && puts_together(w->s, t.first))) ? t.first : t.moved;
		if (row < 0 || row == e->row || w->s->q->dist->row[row].param >= 0)
			continue;
		e->fed = e->row;
		e->row = row;
	}
}

/* The row that takes an output whose relation is not the goal's is told; the output with it. */
void blame_outputs(struct blame *w)
{
	int k, i;

	for (k = 0; k < w->n; k++) {
		frontier_entry *e = &w->e[k];
		if (e->row < 0 || e->kind != FRONTIER_RELATION || w->s->rs[e->row].kind != STATE_RELATED)
			continue;
		for (i = 0; i < w->n; i++)
			if (w->e[i].row >= 0 && w->e[i].kind == FRONTIER_DIFFERS && takes(w->s, w->e[i].row, e->row) && blame_pairs_otherwise(w->s, &w->e[i], w->out)) {
				w->e[i].also = e->goal;
				e->row = -1;
				break;
			}
	}
}
