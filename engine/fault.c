#include "fault.h"

#include <string.h>
#include "bucket.h"
#include "constant.h"
#include "describe.h"
#include "difference.h"
#include "factor.h"
#include "layout_text.h"
#include "lookup.h"
#include "padded.h"
#include "places.h"
#include "presumed.h"
#include "reorder.h"
#include "ring.h"
#include "running.h"
#include "seam.h"
#include "shift.h"
#include "stage.h"
#include "stray.h"
#include "trips.h"

static const char *dist_name(const states *s, int row)
{
	return s->q->dist->row[row].path;
}

static const char *base_name(const states *s, int row)
{
	return s->q->base->row[row].path;
}

const char *fault_operand(const states *s, int row, arena *out)
{
	const row_state *r = &s->rs[row];
	const char *t = state_relation(s, row, out);

	if (r->index)
		return "index arithmetic the baseline does not have";
	if (r->kind == STATE_BLOCK)
		return arena_printf(out, "a block of %%%s, %s", base_name(s, r->base), t + strlen("block: "));
	if (r->base >= 0 && r->kind != STATE_SCALED)
		return arena_printf(out, "%s of %%%s", *t ? t : "?", base_name(s, r->base));
	return *t ? t : "unverified";
}

static const char *named_operand(const states *s, int row, arena *out)
{
	return arena_printf(out, "%%%s is %s", dist_name(s, row), fault_operand(s, row, out));
}

static bool elementwise(const states *s, int row)
{
	char class = opcode_class(row_at(s, row)->inst->opcode);

	return class == 'u' || class == 'b' || class == 't';
}

/* By the baseline's name where it is the baseline's value. */
static const char *value_name(const states *s, int row, arena *out)
{
	const row_state *r = &s->rs[row];

	return arena_printf(out, "%%%s", r->kind == STATE_RELATED && r->base >= 0 ? base_name(s, r->base) : dist_name(s, row));
}

static const char *axes_of(const states *s, uint32_t axes, arena *out)
{
	return axes_text(&s->q->ms, axes, out);
}

static uint32_t axes_over(const states *s, int row)
{
	return collective_axes(&s->q->ms, row_at(s, row));
}

/* ---- an output with another relation than the plan's */

static const char *wanted(const goal *g)
{
	return g->rel->c.text && *g->rel->c.text ? g->rel->c.text : "R";
}

static bool wants_axis(const goal *g, int axis)
{
	int k;

	for (k = 0; k < g->rel->c.n; k++)
		if (g->rel->c.step[k].kind == CHAIN_PARTIAL && g->rel->c.step[k].axis == axis)
			return true;
	return false;
}

/* Axes over which it is a part and should not be. */
static uint32_t missing_axes(const states *s, int row, const goal *g)
{
	uint32_t missing = 0;
	int k;

	for (k = 0; s->rs[row].kind == STATE_PARTIAL && k < s->q->ms.n; k++)
		if (s->answer[row].axes >> k & 1 && !wants_axis(g, k))
			missing |= 1u << k;
	return missing;
}

/* Do two baseline rows hold one value? */
static bool same_value(const states *s, int x, int y)
{
	const eg_id *core = s->side[SIDE_BASE].core;

	return x == y || (x >= 0 && y >= 0 && core[x] != NIL && core[y] != NIL && eg_root(s->q->p->g, core[x]) == eg_root(s->q->p->g, core[y]));
}

/* What a baseline row adds to the value of another. */
static const char *not_added(const states *s, int base, int sum, arena *out)
{
	const struct row *b = &s->q->base->row[sum];
	int k;

	for (k = 0; b->inst->opcode == OP_ADD && k < 2; k++)
		if (same_value(s, b->op[k], base))
			return arena_printf(out, ", which adds %%%s to it: that is missing", base_name(s, b->op[1 - k]));
	return "";
}

static const char *relation_fault(const states *s, int row, const goal *g, arena *out)
{
	const row_state *r = &s->rs[row];
	const char *have = state_relation(s, row, out), *name = dist_name(s, row);
	uint32_t missing = missing_axes(s, row, g);

	if (g->why)
		return arena_printf(out, "%%%s is verified, but its goal is not compared: %s", name, g->why);
	if (r->base < 0)
		return arena_printf(out, "%%%s is constant, the plan wants %s of %%%s", name, wanted(g), g->base_row >= 0 ? base_name(s, g->base_row) : "?");
	if (missing && same_value(s, r->base, g->base_row))
		return arena_printf(out, "%%%s is %s of %%%s, the plan wants %s: an all-reduce over %s is missing", name, have, base_name(s, r->base),
				    wanted(g), axes_of(s, missing, out));
	if (g->base_row >= 0 && r->base != g->base_row)
		return arena_printf(out, "%%%s is %s of %%%s, the plan wants %s of %%%s%s", name, have, base_name(s, r->base), wanted(g),
				    base_name(s, g->base_row), not_added(s, r->base, g->base_row, out));
	return arena_printf(out, "%%%s is %s of %%%s, the plan wants %s", name, have, base_name(s, r->base), wanted(g));
}

/* ---- parts of a sum */

/* Axes over which a row is a part: as was found, or as the plan says of an input. */
static uint32_t part_axes(const states *s, int row)
{
	int p = row_at(s, row)->param, k;
	uint32_t axes = 0;
	const chain *c;

	if (s->rs[row].kind != STATE_PARTIAL || p < 0)
		return s->rs[row].kind == STATE_PARTIAL ? s->answer[row].axes : 0;
	c = &s->q->in[p].c;
	for (k = 0; k < c->n; k++)
		if (c->step[k].kind == CHAIN_PARTIAL)
			axes |= 1u << c->step[k].axis;
	return axes;
}

static int partial_operands(const states *s, int row, int *first, int *whole)
{
	const struct row *r = row_at(s, row);
	int k, n = 0;

	*first = *whole = -1;
	for (k = 0; k < r->nop; k++) {
		if (s->rs[r->op[k]].kind == STATE_PARTIAL) {
			*first = *first < 0 ? r->op[k] : *first;
			n++;
		} else if (s->rs[r->op[k]].verified && !s->rs[r->op[k]].constant) {
			*whole = r->op[k];
		}
	}
	return n;
}

static bool moves(const struct row *r)
{
	return state_relabels(r->inst->opcode);
}

/* The sum over devices that a row's value goes into, through rows that add, scale or move; -1 when there is none. */
static int reduced_by(const states *s, int row, bool only_moved)
{
	const struct side *d = &s->side[SIDE_DIST];
	int steps, k;

	for (steps = 0; steps < 16 && d->use_at[row] < d->use_at[row + 1]; steps++) {
		for (k = d->use_at[row]; k < d->use_at[row + 1]; k++)
			if (collective_grouped(row_at(s, d->use[k])) && !strcmp(row_at(s, d->use[k])->name, "add"))
				return d->use[k];
		row = d->use[d->use_at[row]];
		if (only_moved && !moves(row_at(s, row)))
			return -1;
	}
	return -1;
}

/* Parts over some axes, added up over others. */
static const char *wrong_groups(const states *s, int row, int part, arena *out)
{
	uint32_t over = axes_over(s, row), lie = part_axes(s, part);
	const char *is, *groups;
	uint32_t own = row_axes(s, part) & over & ~lie;

	if (!collective_grouped(row_at(s, row)) || !lie)
		return NULL;
	if (!(lie & ~over) && own)
		return arena_printf(out, "it takes parts: %%%s is %s; it adds over %s, and over %s each device has places of its own", dist_name(s, part),
				    state_relation(s, part, out), axes_of(s, over, out), axes_of(s, own, out));
	if (!(lie & ~over))
		return NULL;
	is = arena_printf(out, "it takes parts: %%%s is %s", dist_name(s, part), state_relation(s, part, out));
	groups = collective_over(&s->q->ms, row_at(s, row), out);
	if (!over)
		return arena_printf(out, "%s; it adds those of %s, which are not the devices of %s", is, groups, axes_of(s, lie, out));
	if (over & ~lie)
		return arena_printf(out, "%s; it adds over %s, the parts lie over %s", is, groups, axes_of(s, lie, out));
	return arena_printf(out, "%s; it adds over %s only, a sum over %s is missing", is, groups, axes_of(s, lie & ~over, out));
}

/* An operand that every device adds whole to its part: it counts once per device. */
static const char *adds_whole(const states *s, int row, int part, int whole, arena *out)
{
	uint32_t axes = part_axes(s, part);
	enum opcode op = row_at(s, row)->inst->opcode;
	layout l;
	eg_id x;

	if (whole < 0 || (op != OP_ADD && op != OP_SUBTRACT) || !row_form(s->q, SIDE_DIST, whole, &l, &x) || (bound_axes(&s->q->ms, &l) & axes))
		return "";
	return arena_printf(out, " and counts %%%s %lld times", dist_name(s, whole), (long long)axes_size(&s->q->ms, axes));
}

/* ---- a block that is written to another place than it has in the value it is a part of */

/* Is a place of a row, counted along its dimensions, the same place of its core? */
static bool lies_in_order(const holding *h, const struct row *r)
{
	int64_t n = row_elements(r), stride = n;
	int k;

	for (k = 0; k < r->rank; k++) {
		stride /= r->dim[k] ? r->dim[k] : 1;
		if (r->dim[k] > 1 && (held_place(h, 0, stride) != stride || held_place(h, 0, stride * (r->dim[k] - 1)) != stride * (r->dim[k] - 1)))
			return false;
	}
	return n && held_place(h, 0, n - 1) == n - 1;
}

/* What an index is on a device, as the update takes it: moved into 0..most. */
static bool start_on(const states *s, int row, int64_t dev, int64_t most, int64_t *at, arena *out)
{
	holding h = { .map = NULL };
	const double *v;
	eg_id core;

	if (!row_form(s->q, SIDE_DIST, row, &h.l, &core) || !(v = constant_values(&s->q->p->a, core, out)))
		return false;
	*at = (int64_t)v[held_place(&h, dev, 0)];
	*at = *at < 0 ? 0 : *at > most ? most : *at;
	return true;
}

static const char *span(arena *out, int dim, int rank, int64_t from, int64_t n)
{
	const char *what = describe_dimension(out, rank, dim, 0, NULL);

	return n == 1 ? arena_printf(out, "%s %lld", what, (long long)from)
		      : arena_printf(out, "%s %lld..%lld", what, (long long)from, (long long)(from + n - 1));
}

/* On a device, the first dimension in which the block goes elsewhere than it comes from; false: it is not known where it goes. */
static bool place_on(const states *s, int row, const holding *h, const struct row *b, int64_t dev, const char **text, arena *out)
{
	const struct row *r = row_at(s, row), *u = row_at(s, r->op[1]);
	int64_t stride = row_elements(b), at = held_place(h, dev, 0), from, to;
	int k;

	for (k = 0; k < r->rank && !*text; k++) {
		stride /= b->dim[k];
		from = at / stride % b->dim[k];
		if (u->dim[k] == r->dim[k])	/* all of what the device has */
			continue;
		if (!start_on(s, r->op[2 + k], dev, r->dim[k] - u->dim[k], &to, out))
			return false;
		if (from != to)
			*text = arena_printf(out, "on device %lld it writes %%%s to %s, and %%%s holds %s of %%%s there", (long long)dev, dist_name(s, r->op[1]),
					     span(out, k, r->rank, to, u->dim[k]), dist_name(s, r->op[1]), span(out, k, r->rank, from, u->dim[k]),
					     base_name(s, s->rs[r->op[1]].base));
	}
	return true;
}

/* Does a row have all places of a baseline row in the dimensions in which it is written only a part of? */
static bool writes_into(const struct row *r, const struct row *update, const struct row *b)
{
	int k;

	for (k = 0; k < r->rank && b->rank == r->rank && (update->dim[k] == r->dim[k] || b->dim[k] == r->dim[k]); k++)
		;
	return b->rank == r->rank && k == r->rank;
}

/* Is it known whether a block is written where it comes from?  If it is not, text says so. */
static bool block_placed(const states *s, int row, const char **text, arena *out)
{
	const struct row *r = row_at(s, row), *b;
	holding h, whole = { .map = NULL };
	eg_id core;
	int64_t dev;

	*text = NULL;
	if (r->inst->opcode != OP_DYNAMIC_UPDATE_SLICE || r->nop != 2 + r->rank || !s->rs[r->op[1]].verified || s->rs[r->op[1]].base < 0 ||
	    !state_holding(s, r->op[1], &h) || h.op)
		return false;
	b = &s->q->base->row[s->rs[r->op[1]].base];
	if (!writes_into(r, row_at(s, r->op[1]), b) || !row_elements(b) || !row_form(s->q, SIDE_BASE, s->rs[r->op[1]].base, &whole.l, &core) || !lies_in_order(&whole, b))
		return false;
	for (dev = 0; dev < s->q->ms.ndev && !*text; dev++)
		if (!place_on(s, row, &h, b, dev, text, out))
			return false;
	return true;
}

static const char *misplaced_block(const states *s, int row, arena *out)
{
	const char *t;

	return block_placed(s, row, &t, out) ? t : NULL;
}

bool fault_written_rightly(const states *s, int row, arena *out)
{
	const char *t;

	return block_placed(s, row, &t, out) && !t;
}

/* Parts that are put together by another operation than the devices'. */
static const char *wrong_reduction(const states *s, int row, int part, arena *out)
{
	const struct row *r = row_at(s, row);
	const char *op = row_at(s, part)->param < 0 ? s->answer[part].op : NULL;

	if (!collective_grouped(r) || !*r->name || !op || !strcmp(op, r->name))
		return NULL;
	return arena_printf(out, "it takes parts: %%%s is %s; it puts them together by %s, not by %s", dist_name(s, part), state_relation(s, part, out), r->name, op);
}

/* Does another device get something that is made of a row? */
static bool handed_on(const states *s, int row)
{
	const struct side *d = &s->side[SIDE_DIST];
	int steps, k;

	for (steps = 0; steps < 16 && d->use_at[row] < d->use_at[row + 1]; steps++, row = d->use[d->use_at[row]])
		for (k = d->use_at[row]; k < d->use_at[row + 1]; k++) {
			const struct row *u = row_at(s, d->use[k]);
			int i;
			for (i = 0; i < u->nop; i++)
				if (u->inst->opcode == OP_COLLECTIVE_PERMUTE || row_at(s, u->op[i])->inst->opcode == OP_COLLECTIVE_PERMUTE)
					return true;
		}
	return false;
}

/* Of parts every device keeps other places. */
static const char *sliced_parts(const states *s, int row, int part, arena *out)
{
	const struct row *r = row_at(s, row);
	uint32_t own = 0;
	int k;

	for (k = 1; k < r->nop; k++)
		own |= row_axes(s, r->op[k]) & part_axes(s, part);
	if (r->inst->opcode != OP_DYNAMIC_SLICE || r->op[0] != part || !own)
		return NULL;
	if (handed_on(s, row))
		return arena_printf(out, "it takes parts: %%%s is %s; each device of %s takes other places of its own part and hands them on: what comes together of "
				    "them is not the sum", dist_name(s, part), state_relation(s, part, out), axes_of(s, own, out));
	return arena_printf(out, "it takes parts: %%%s is %s; each device of %s keeps other places of its own part, and what the others have for these is lost: "
			    "an all-reduce over %s is missing before it", dist_name(s, part), state_relation(s, part, out), axes_of(s, own, out),
			    axes_of(s, own, out));
}

/* Parts that are rounded before they are added. */
static const char *rounded_parts(const states *s, int row, int part, arena *out)
{
	const struct row *r = row_at(s, row);
	const char *op = row_at(s, part)->param < 0 ? s->answer[part].op : "add";
	int by;

	if (r->inst->opcode != OP_CONVERT || strcmp(op, "add") || type_bits(r->type) >= type_bits(row_at(s, part)->type))
		return NULL;
	by = reduced_by(s, row, false);
	return arena_printf(out, "it takes parts: %%%s is %s; it rounds them to %s%s, which is not to round their sum", dist_name(s, part), state_relation(s, part, out),
			    etype_name(r->type), by < 0 ? "" : arena_printf(out, " before %%%s adds them", dist_name(s, by)));
}

/* Where parts come from a sum over other axes. */
static const char *added_only(const states *s, int part, arena *out)
{
	const struct row *r = row_at(s, part);

	while (moves(r) && r->nop == 1 && s->rs[r->op[0]].kind == STATE_PARTIAL) {
		part = r->op[0];
		r = row_at(s, part);
	}
	if (!collective_grouped(r) || strcmp(r->name, "add") || s->rs[r->op[0]].kind != STATE_PARTIAL)
		return "";
	return arena_printf(out, ", %%%s adds over %s only", dist_name(s, part), collective_over(&s->q->ms, r, out));
}

static const char *parts_fault(const states *s, int row, const frontier_candidate *first, arena *out)
{
	int part, whole, by;
	const char *t;

	if ((t = misplaced_block(s, row, out)))
		return t;
	if (!partial_operands(s, row, &part, &whole))
		return NULL;
	if ((t = wrong_groups(s, row, part, out)) || (t = wrong_reduction(s, row, part, out)) || (t = rounded_parts(s, row, part, out)) ||
	    (t = sliced_parts(s, row, part, out)))
		return t;
	if (whole < 0)
		t = arena_printf(out, "it takes parts: %%%s is %s", dist_name(s, part), state_relation(s, part, out));
	else
		t = arena_printf(out, "its operands do not agree: %%%s is %s, %s", dist_name(s, part), state_relation(s, part, out),
				 named_operand(s, whole, out));
	if (!first || !first->difference)
		return t;
	t = arena_printf(out, "%s; ", t);
	by = reduced_by(s, row, false);
	if ((by < 0 && elementwise(s, row)) || !strcmp(first->kind, "operation"))
		return arena_printf(out, "%s%s: an all-reduce over %s is missing%s%s", t, first->difference, axes_of(s, part_axes(s, part), out),
				    strcmp(first->kind, "operation") ? "" : " before it", added_only(s, part, out));
	if (!elementwise(s, row) || strcmp(first->kind, "scale"))
		return arena_printf(out, "%s%s", t, first->difference);
	return arena_printf(out, "%s%%%s adds up the parts%s: %s", t, dist_name(s, by), adds_whole(s, row, part, whole, out), first->difference);
}

static int mean_operand(const states *s, int row)
{
	const struct row *r = row_at(s, row);
	int k;

	for (k = 0; k < r->nop && !presumed_mean(s, r->op[k]); k++)
		;
	return k < r->nop ? r->op[k] : -1;
}

/* What every device holds for itself of a mean, taken for the mean or a part of it. */
static const char *mean_fault(const states *s, int row, arena *out)
{
	int o = mean_operand(s, row);
	const char *name = row_at(s, row)->inst->opname, *t = "";

	if (o < 0 || presumed_packs(row_at(s, row)->inst->opcode) || presumed_adds_means(s, row))
		return NULL;
	if (row_at(s, row)->nop == 1)
		t = arena_printf(out, "; the mean of the %ss is no %s of the mean", name, name);
	return arena_printf(out, "it takes each device's own mean: %%%s is %s%s: the mean over %s is missing before it", dist_name(s, o),
			    state_relation(s, o, out), t, axes_of(s, s->answer[o].scaled_axes, out));
}

/* ---- things put together in another order */

/* Which operand of a baseline row has the value of baseline row x; -1. */
static int operand_with(const states *s, int base, int x)
{
	const struct row *b = &s->q->base->row[base];
	int k;

	for (k = 0; k < b->nop && !same_value(s, b->op[k], x); k++)
		;
	return k < b->nop ? k : -1;
}

static bool permutes(const states *s, int row, int base)
{
	const struct row *r = row_at(s, row);
	bool moved = false;
	int k, at;

	for (k = 0; k < r->nop; k++) {
		if (s->rs[r->op[k]].base < 0 || (at = operand_with(s, base, s->rs[r->op[k]].base)) < 0)
			return false;
		moved = moved || at != k;
	}
	return moved;
}

static const char *list_of(const program *p, int row, arena *out)
{
	const char *t = "";
	int k;

	for (k = 0; k < p->row[row].nop; k++)
		t = arena_printf(out, "%s%s%%%s", t, k ? ", " : "", p->row[p->row[row].op[k]].path);
	return t;
}

static const char *packed_otherwise(const states *s, int row, arena *out)
{
	const struct row *r = row_at(s, row), *b = s->q->base->row;
	int k;

	for (k = 0; r->inst->opcode == OP_CONCATENATE && k < s->q->base->nrow; k++)
		if (b[k].inst->opcode == OP_CONCATENATE && b[k].nop == r->nop && permutes(s, row, k))
			return arena_printf(out, "it puts %s together in this order, %%%s of the baseline their counterparts in the order %s",
					    list_of(s->q->dist, row, out), b[k].path, list_of(s->q->base, k, out));
	return NULL;
}

/* A place in each device's own part, taken for one of the whole. */
static const char *place_fault(const states *s, int row, arena *out)
{
	const struct row *r = row_at(s, row);
	const struct row *x;
	uint32_t axes;
	int k, o = -1;

	for (k = 0; k < r->nop && o < 0; k++)
		o = presumed_place_of(s, r->op[k]);
	if (o < 0)
		return NULL;
	x = row_at(s, o);
	axes = row_axes(s, x->op[0]);
	return arena_printf(out, "it takes %%%s for places of the whole: it counts places of each device's own part of %%%s over %s, to which the offset "
			    "of the part has to be added", dist_name(s, o), dist_name(s, x->op[0]), axes_of(s, axes, out));
}

/* ---- multiples */

static char *factor_text(rat c, arena *out)
{
	char t[64];

	rat_short(t, sizeof t, c);
	return arena_strdup(out, t);
}

static int scaled_operand(const states *s, int row)
{
	const struct row *r = row_at(s, row);
	int k;

	for (k = 0; k < r->nop; k++)
		if (s->rs[r->op[k]].kind == STATE_SCALED)
			return r->op[k];
	return -1;
}

static bool others_constant(const states *s, int row, int but)
{
	const struct row *r = row_at(s, row);
	int k;

	for (k = 0; k < r->nop; k++)
		if (r->op[k] != but && !s->rs[r->op[k]].constant)
			return false;
	return true;
}

/* A sum over devices of what they all hold. */
static const char *counted_often(const states *s, int row, arena *out)
{
	const struct row *r = row_at(s, row);
	uint32_t axes = axes_over(s, row);
	layout l;
	eg_id x;

	if (!axes || r->nop < 1 || strcmp(r->name, "add") || !row_form(s->q, SIDE_DIST, r->op[0], &l, &x))
		return NULL;
	axes &= ~bound_axes(&s->q->ms, &l);
	if (!axes)
		return NULL;
	return arena_printf(out, "%%%s is the same on every device of %s and is counted %lld times", dist_name(s, r->op[0]), axes_of(s, axes, out),
			    (long long)axes_size(&s->q->ms, axes));
}

static const char *does_by(const struct row *r, rat c, arena *out)
{
	return arena_printf(out, "%s by %s", r->inst->opcode == OP_DIVIDE ? "divides" : "multiplies", factor_text(c, out));
}

/* The number that a value is multiplied by next, through rows that only move it; 1 where there is none. */
static rat factor_after(const states *s, int row)
{
	const struct side *d = &s->side[SIDE_DIST];
	rat c, one;
	int steps;

	for (steps = 0; steps < 8 && d->use_at[row] < d->use_at[row + 1]; steps++) {
		row = d->use[d->use_at[row]];
		if (state_number(s, SIDE_DIST, row, &c))
			return row_at(s, row)->inst->opcode == OP_MULTIPLY ? c : rat_div(&one, RAT_ONE, c) ? one : RAT_ONE;
		if (!moves(row_at(s, row)))
			break;
	}
	return RAT_ONE;
}

/* What every device divides by its own number is added up, and not divided by the number of devices. */
static const char *undivided(const states *s, int row, arena *out)
{
	rat f = s->rs[row].scale, after;
	int by = reduced_by(s, row, false);
	uint32_t axes = by < 0 ? 0 : axes_over(s, by);

	if (!axes || !(row_axes(s, row) & axes) || !rat_is_int(f, axes_size(&s->q->ms, axes)))
		return "";
	after = factor_after(s, by);
	if (after.num == 1 && after.den == f.num)
		return "";
	return arena_printf(out, "; %%%s adds up over %s what every device divides by its own: a factor of 1/%lld is due after it", dist_name(s, by),
			    axes_of(s, axes, out), (long long)f.num);
}

/* What a row multiplies a value by, and the baseline row that this is or -1; false: it does not multiply one by a number. */
static bool multiplier(const states *s, int row, rat *c, int *of)
{
	const struct row *r = row_at(s, row);
	int k;

	if (!state_number(s, SIDE_DIST, row, c) || (r->inst->opcode == OP_DIVIDE && !rat_div(c, RAT_ONE, *c)))
		return false;
	for (k = 0, *of = -1; k < r->nop; k++)
		if (s->rs[r->op[k]].kind == STATE_RELATED && !s->rs[r->op[k]].constant)
			*of = s->rs[r->op[k]].base;
	return true;
}

/* Another number than the baseline's in its own row, or in several: what they come to. */
static const char *other_number(const states *s, int row, const char *is, arena *out)
{
	int base = s->rs[row].base;
	const struct row *y = base < 0 ? NULL : pair_row(s->q, SIDE_BASE, base);
	rat c, b, m, x;
	int of;

	if (!y || !multiplier(s, row, &m, &of) || !rat_div(&x, m, s->rs[row].scale))
		return NULL;
	if (!state_number(s, SIDE_BASE, base, &b) || !(y->inst->opcode != OP_DIVIDE || rat_div(&b, RAT_ONE, b)) || !rat_eq(x, b))
		return of >= 0 && !same_value(s, base, of) ? arena_printf(out, "%s: it multiplies %%%s by %s, the baseline by %s in %%%s", is,
				base_name(s, of), factor_text(m, out), factor_text(x, out), base_name(s, base)) : NULL;
	state_number(s, SIDE_DIST, row, &c);
	state_number(s, SIDE_BASE, base, &b);
	return arena_printf(out, "%s: it %s, %%%s of the baseline %s", is, does_by(row_at(s, row), c, out), base_name(s, base), does_by(y, b, out));
}

/* .. and what is left out of a sum over devices. */
static const char *other_number_here(const states *s, int row, const char *is, arena *out)
{
	const char *t = other_number(s, row, is, out);

	return t ? arena_printf(out, "%s%s", t, undivided(s, row, out)) : NULL;
}

/* A sum over devices of what each of them has divided by its own number, where the number of devices is left out. */
static const char *undivided_sum(const states *s, int row, const char *is, arena *out)
{
	const char *over, *what;
	int sole;

	if (factor_added_up(s, row, &sole) != row)
		return NULL;
	over = axes_of(s, axes_over(s, row), out);
	what = other_number(s, sole, arena_printf(out, "%%%s", dist_name(s, sole)), out);
	return arena_printf(out, "%s: it adds up over %s what every device has for itself: %s; a factor of 1/%lld is due after it", is, over,
			    what ? what : arena_printf(out, "%%%s is %s", dist_name(s, sole), state_relation(s, sole, out)), (long long)s->rs[row].scale.num);
}

/* A number beside the baseline's, which comes next. */
static const char *extra_step(const states *s, int row, arena *out)
{
	const struct side *d = &s->side[SIDE_DIST];
	const struct row *r = row_at(s, row);
	rat c, u, b;
	int k, next;

	if (d->use_at[row + 1] != d->use_at[row] + 1 || !state_number(s, SIDE_DIST, row, &c))
		return NULL;
	next = d->use[d->use_at[row]];
	if (s->rs[next].kind != STATE_SCALED || s->rs[next].base != s->rs[row].base || !state_number(s, SIDE_DIST, next, &u) ||
	    !state_number(s, SIDE_BASE, s->rs[row].base, &b) || !rat_eq(u, b))
		return NULL;
	for (k = 0; k < r->nop; k++)
		if (s->rs[r->op[k]].verified && !s->rs[r->op[k]].constant)
			return arena_printf(out, "it %s: %%%s is %s, and %%%s does what %%%s of the baseline does: a factor too many", does_by(r, c, out),
					    dist_name(s, r->op[k]), fault_operand(s, r->op[k], out), dist_name(s, next), base_name(s, s->rs[row].base));
	return NULL;
}

/* The device's own mean that a multiple comes of by numbers, and that is averaged for something else; -1. */
static int averaged_elsewhere(const states *s, int row)
{
	const struct row *r = row_at(s, row);
	int k = 0;

	for (; presumed_mean(s, row) && k < r->nop; r = row_at(s, row)) {
		if (presumed_averaged(s, row))
			return row;
		for (k = 0; k < r->nop && !presumed_mean(s, r->op[k]); k++)
			;
		row = k < r->nop ? r->op[k] : row;
	}
	return -1;
}

static const char *own_mean(const states *s, int row, const char *is, arena *out)
{
	int mean = averaged_elsewhere(s, row), by = mean < 0 ? -1 : reduced_by(s, mean, false);

	return by < 0 || mean == row ? NULL :
	       arena_printf(out, "%s: it is made of each device's own mean, %%%s, that %%%s adds up for something else: the mean over %s is missing", is,
			    dist_name(s, mean), dist_name(s, by), axes_of(s, s->answer[row].scaled_axes, out));
}

/* The mean of a group of devices, where the mean over the groups is missing. */
static const char *group_mean(const states *s, int row, const char *is, arena *out)
{
	int from = row, left = 8;

	if (!presumed_mean(s, row))
		return NULL;
	while (left-- && (from = scaled_operand(s, from)) >= 0)
		if (collective_grouped(row_at(s, from)) && !strcmp(row_at(s, from)->name, "add"))
			return arena_printf(out, "%s: %%%s adds over %s only, the mean over %s is missing", is, dist_name(s, from),
					    collective_over(&s->q->ms, row_at(s, from), out), axes_of(s, s->answer[row].scaled_axes, out));
	return NULL;
}

/* One operand of a row is another baseline value than the baseline takes in row b. */
static const char *other_operand(const states *s, int row, int b, arena *out)
{
	const struct row *r = row_at(s, row), *y = &s->q->base->row[b];
	int k;

	for (k = 0; k < r->nop && k < y->nop && elementwise(s, row); k++) {
		const row_state *o = &s->rs[r->op[k]];
		if (o->kind == STATE_RELATED && !o->constant && !same_value(s, o->base, y->op[k]))
			return arena_printf(out, "takes %%%s where %%%s of the baseline takes %%%s", base_name(s, o->base), y->path, base_name(s, y->op[k]));
	}
	return NULL;
}

/* It does to one baseline value what the baseline does to another, and to that one nothing here does. */
static const char *scales_another(const states *s, int row, const char *is, arena *out)
{
	const struct row *r = row_at(s, row);
	int b = elementwise(s, row) ? counterpart_alike(s, row) : -1;
	rat c, d;
	bool numbers = b >= 0 && state_number(s, SIDE_DIST, row, &c);
	const char *t;

	if (numbers && r->nop == 2 && same_value(s, s->q->base->row[b].op[0], s->rs[r->op[0]].base) && !state_number(s, SIDE_BASE, b, &d))
		return arena_printf(out, "%s: it %s, %%%s of the baseline by %%%s", is, does_by(r, c, out), base_name(s, b),
				    base_name(s, s->q->base->row[b].op[1]));
	if (b < 0 || (r->nop > 1 && (!numbers || !state_number(s, SIDE_BASE, b, &d) || !rat_eq(c, d))) || !(t = other_operand(s, row, b, out)))
		return NULL;
	return arena_printf(out, "%s: it %s", is, t);
}

/* A number that does not make up for the factor of what it is taken with. */
static const char *not_made_up(const states *s, int row, int o, const char *is, arena *out)
{
	bool divides = row_at(s, row)->inst->opcode == OP_DIVIDE;
	rat f, due;

	if (s->rs[o].base != s->rs[row].base)
		return state_number(s, SIDE_DIST, row, &f) && (divides ? rat_mul(&due, f, s->rs[row].scale) : rat_div(&due, f, s->rs[row].scale)) ?
		       arena_printf(out, "%s: it %s %%%s, which is %s, by %s, and not by %s", is, divides ? "divides" : "multiplies", dist_name(s, o),
				    state_relation(s, o, out), factor_text(f, out), factor_text(due, out)) : NULL;
	return rat_div(&f, s->rs[row].scale, s->rs[o].scale) && rat_div(&due, RAT_ONE, s->rs[o].scale) ?
	       arena_printf(out, "%s: %%%s is %s x the baseline's, a factor of %s would make up for it, %s does not", is, dist_name(s, o),
			    factor_text(s->rs[o].scale, out), factor_text(due, out), factor_text(f, out)) : NULL;
}

/* Nothing else is known of it than its factor. */
static const char *too_many(const states *s, int row, const char *is, arena *out)
{
	const struct answer *w = &s->answer[row];
	rat f;

	if (presumed_mean(s, row))
		return arena_printf(out, "%s: %%%s of the baseline is the mean of what the devices of %s have here, and that mean is missing", is,
				    base_name(s, s->rs[row].base), axes_of(s, w->scaled_axes, out));
	if (w->asked && w->scaled_axes && w->scaled_base >= 0 && rat_eq(w->scale, s->rs[row].scale) &&
	    rat_div(&f, w->scale, (rat){ axes_size(&s->q->ms, w->scaled_axes), 1 }) && f.den == 1)
		return arena_printf(out, "%s: a factor of %s too many, or of %s for each device's own mean", is, factor_text(w->scale, out), factor_text(f, out));
	return arena_printf(out, "%s: a factor too many", is);
}

static const char *scaled_fault(const states *s, int row, const frontier_candidate *first, arena *out)
{
	const char *is = arena_printf(out, "it is %s", state_relation(s, row, out)), *often = counted_often(s, row, out),
		   *parts = parts_fault(s, row, first, out);
	int o = scaled_operand(s, row);
	rat f;

	if (often)
		return arena_printf(out, "%s: %s", is, often);
	if ((often = undivided_sum(s, row, is, out)))
		return often;
	if ((often = own_mean(s, row, is, out)))
		return often;
	if ((often = extra_step(s, row, out)) || (often = group_mean(s, row, is, out)))
		return often;
	/* parts that are added up later may be multiplied by a number: it is another one */
	if (((presumed_mean(s, row) && *undivided(s, row, out)) || reduced_by(s, row, false) >= 0) && (often = other_number_here(s, row, is, out)))
		return often;
	if (parts)
		return arena_printf(out, "%s: %s", is, parts);
	if (o >= 0 && presumed_mean(s, o) && reduced_by(s, row, false) >= 0 && state_number(s, SIDE_DIST, row, &f))
		return arena_printf(out, "%s: %%%s is each device's own mean, for the mean over %s, and this %s: a factor too many", is, dist_name(s, o),
				    axes_of(s, s->answer[o].scaled_axes, out), does_by(row_at(s, row), f, out));
	if (o >= 0 && elementwise(s, row) && others_constant(s, row, o) && (often = not_made_up(s, row, o, is, out)))
		return often;
	if ((often = other_number_here(s, row, is, out)) || (often = scales_another(s, row, is, out)))
		return often;
	return too_many(s, row, is, out);
}

/* ---- operands */

static bool looks_up(const struct row *r)
{
	return r->inst->opcode == OP_GATHER || r->inst->opcode == OP_DYNAMIC_SLICE;
}

/* A mask that does not leave what it should of what each device finds in its own part. */
static const char *mask_fault(const states *s, int row, arena *out)
{
	int what = -1, k, find;
	const struct row *r = row_at(s, row), *g;

	if (!state_masks_found(s, row, &what))
		return NULL;
	for (k = 0; k < r->nop && (r->op[k] == what || s->rs[r->op[k]].verified); k++)
		;
	for (find = what; state_moved_from(s, find) >= 0; find = state_moved_from(s, find))
		;
	g = row_at(s, find);
	return arena_printf(out, "%%%s leaves, of what %%%s finds in each device's own part of %s over %s, what is no part of the baseline's: each device should "
			    "keep what lies in its own part, and nothing else", dist_name(s, r->op[k]), dist_name(s, find), value_name(s, g->op[0], out),
			    axes_of(s, row_axes(s, g->op[0]), out));
}

/* May a row mask one of its operands?  A product with another value that is the baseline's is none. */
static bool may_mask(const states *s, int row, int what)
{
	const struct row *r = row_at(s, row);
	int k;

	for (k = 0; k < r->nop; k++)
		if (r->op[k] != what && !(s->rs[r->op[k]].verified && !s->rs[r->op[k]].constant))
			return r->inst->opcode == OP_SELECT || r->inst->opcode == OP_MULTIPLY || r->inst->opcode == OP_DOT;
	return false;
}

/* The sum over devices that what a row looks up goes into without a mask; -1: there is a mask, or no such sum. */
static int added_unmasked(const states *s, int row)
{
	const struct side *d = &s->side[SIDE_DIST];
	int next, steps;

	for (steps = 0; steps < 16 && d->use_at[row] < d->use_at[row + 1]; steps++, row = next) {
		next = d->use[d->use_at[row]];
		if (collective_grouped(row_at(s, next)))
			return strcmp(row_at(s, next)->name, "add") ? -1 : next;
		if (may_mask(s, next, row))
			return -1;
	}
	return -1;
}

static const char *index_operand(const states *s, int row, arena *out)
{
	const struct row *r = row_at(s, row);
	int k, by = looks_up(r) ? added_unmasked(s, row) : -1;

	for (k = 0; k < r->nop; k++)
		if (s->rs[r->op[k]].index)
			return arena_printf(out, "it is fed by %%%s, index arithmetic the baseline does not have%s", dist_name(s, r->op[k]),
					    by < 0 ? "" : arena_printf(out, "; %%%s adds up over %s what all devices find, no mask takes out the places of others",
								       dist_name(s, by), collective_over(&s->q->ms, row_at(s, by), out)));
	return NULL;
}

/* Operands of an elementwise operation that lie differently. */
static const char *parted_operands(const states *s, int row, arena *out)
{
	const struct row *r = row_at(s, row);
	char class = opcode_class(r->inst->opcode);
	const char *first = NULL, *t;
	int k, at = -1;

	for (k = 0; k < r->nop && (class == 'b' || class == 't'); k++) {
		const row_state *o = &s->rs[r->op[k]];
		if (s->rs[r->op[k]].constant || (o->kind != STATE_RELATED && o->kind != STATE_REORDERED))
			continue;
		t = state_relation(s, r->op[k], out);
		if (first && strcmp(first, t))
			return arena_printf(out, "its operands do not agree: %s, %s", named_operand(s, at, out), named_operand(s, r->op[k], out));
		first = t;
		at = r->op[k];
	}
	return NULL;
}

/* The place along the only contracted dimension of operand k, of the baseline's, that the first place of a device is; -1: not known. */
static int64_t contracted_at(const states *s, const struct row *r, const struct row *b, int k, int64_t dev)
{
	static const char *const key[] = { "lhs_contracting_dims", "rhs_contracting_dims" };
	const attr *d = inst_attr(r->inst, key[k]), *e = inst_attr(b->inst, key[k]);
	const struct row *x = row_at(s, r->op[k]), *y = &s->q->base->row[b->op[k]];
	holding h = { .map = NULL }, whole = { .map = NULL };
	int64_t stride = 1;
	eg_id c;
	int i;

	if (!d || !e || d->n != 1 || e->n != 1 || d->ints[0] != e->ints[0] || x->rank != y->rank || s->rs[r->op[k]].base != b->op[k] ||
	    !row_elements(y) || !state_holding(s, r->op[k], &h) || h.op || !row_form(s->q, SIDE_BASE, b->op[k], &whole.l, &c) || !lies_in_order(&whole, y))
		return -1;
	for (i = y->rank - 1; i > d->ints[0]; i--)
		stride *= y->dim[i];
	return held_place(&h, dev, 0) / stride % y->dim[d->ints[0]];
}

/* A contraction of the same two as the baseline's whose parts are not cut the same way. */
static const char *contracted_apart(const states *s, const frontier_entry *e, arena *out)
{
	const struct row *r = row_at(s, e->row), *b = e->nbase ? &s->q->base->row[e->base[0]] : NULL;
	int64_t dev, at[2];

	if (r->inst->opcode != OP_DOT || !b || b->inst->opcode != OP_DOT || r->nop != 2 || b->nop != 2)
		return NULL;
	for (dev = 0; dev < s->q->ms.ndev; dev++) {
		at[0] = contracted_at(s, r, b, 0, dev);
		at[1] = contracted_at(s, r, b, 1, dev);
		if (at[0] < 0 || at[1] < 0)
			return NULL;
		if (at[0] != at[1])
			return arena_printf(out, "its operands do not agree: %s, %s; on device %lld what is summed begins at place %lld of the one and at place "
					    "%lld of the other", named_operand(s, r->op[0], out), named_operand(s, r->op[1], out), (long long)dev,
					    (long long)at[0], (long long)at[1]);
	}
	return NULL;
}

static bool turned(const states *s, int row)
{
	const row_state *o = &s->rs[row];
	layout l, b;
	eg_id x, y;

	if (o->kind == STATE_RELATED && !o->note && o->base >= 0 && row_form(s->q, SIDE_DIST, row, &l, &x) &&
	    row_form(s->q, SIDE_BASE, o->base, &b, &y))
		return !layout_keeps_order(&s->q->ms, &b, &l);
	return o->kind == STATE_REORDERED;
}

/* An operand that is the baseline's in another order, and two places that therefore meet, where `first` has them. */
static const char *turned_operand(const states *s, int row, const frontier_candidate *first, arena *out)
{
	const struct row *r = row_at(s, row);
	bool meets = first && !strncmp(first->difference, "takes place", strlen("takes place"));
	int k;

	for (k = 0; k < r->nop; k++)
		if (turned(s, r->op[k]))
			return arena_printf(out, "%%%s is not in the baseline's order: %s%s%s", dist_name(s, r->op[k]), fault_operand(s, r->op[k], out),
					    meets ? "; so it " : "", meets ? first->difference : "");
	return NULL;
}

/* ---- constants beside a block */

static char *place_text(const struct row *r, int64_t at, arena *out)
{
	int64_t inner = row_elements(r);
	char *t = arena_strdup(out, "[");
	int k;

	for (k = 0; k < r->rank; k++) {
		inner /= r->dim[k];
		t = arena_printf(out, "%s%s%lld", t, k ? "," : "", (long long)(at / inner % r->dim[k]));
	}
	return arena_printf(out, "%s]", t);
}

static char *value_text(const struct row *r, double v, arena *out)
{
	return r->type == T_PRED ? arena_strdup(out, v != 0 ? "true" : "false") : arena_printf(out, "%g", v);
}

struct beside {			/* a constant operand, the block it meets, and the baseline's constant for all of it */
	int constant, block, base;
};

/* The first place at which the constant is another than the baseline's there, NULL: none; false: it is not known. */
static bool first_place(const states *s, const struct beside *z, const char **text, arena *out)
{
	algebra *a = &s->q->p->a;
	const struct row *d = row_at(s, z->constant), *b = &s->q->base->row[z->base];
	layout l, bl;
	eg_id x, y;
	const double *v, *bv;
	int64_t dev, i, at, n = row_elements(d);

	if (!row_form(s->q, SIDE_DIST, z->constant, &l, &x) || !row_form(s->q, SIDE_BASE, z->base, &bl, &y) || n * s->q->ms.ndev > CONSTANT_MAX ||
	    !(v = constant_values(a, x, out)) || !(bv = constant_values(a, y, out)))
		return false;
	*text = NULL;
	for (dev = 0; dev < s->q->ms.ndev && !*text; dev++)
		for (i = 0; i < n && !*text; i++) {
			double p = v[digits_at(l.nd, l.dev, dev) + digits_at(l.nl, l.loc, i)];
			at = reorder_place(s, z->block, dev, i);
			if (p != bv[digits_at(bl.nl, bl.loc, at)])
				*text = arena_printf(out, "on device %lld it is %s at %s, %%%s of the baseline is %s at %s there", (long long)dev, value_text(d, p, out),
						    place_text(d, i, out), base_name(s, z->base), value_text(b, bv[digits_at(bl.nl, bl.loc, at)], out),
						    place_text(b, at, out));
		}
	return true;
}

/* An operand that is a block of what the baseline takes there, and a constant of its size beside it; false: there are none, or what the
 * constant is beside it is not known. */
static bool beside_block(const states *s, const frontier_entry *e, struct beside *z, const char **text, arena *out)
{
	const struct row *r = row_at(s, e->row), *b = e->nbase ? &s->q->base->row[e->base[0]] : NULL;
	bool known = false, swaps = r->inst->opcode == OP_MULTIPLY || r->inst->opcode == OP_ADD;
	int k, turn = 0;

	*z = (struct beside){ .block = -1 };
	if (!b || !elementwise(s, e->row) || b->inst->opcode != r->inst->opcode || b->nop != r->nop)
		return false;
	for (k = 0; k < r->nop; k++) {
		if (s->rs[r->op[k]].kind != STATE_BLOCK)
			continue;
		turn = swaps && s->rs[r->op[k]].base == b->op[1 - k];
		z->block = turn || s->rs[r->op[k]].base == b->op[k] ? r->op[k] : z->block;
	}
	for (k = 0, *text = NULL; k < r->nop && z->block >= 0 && !*text; k++) {
		if (!s->rs[r->op[k]].constant || row_elements(row_at(s, r->op[k])) != row_elements(row_at(s, z->block)))
			continue;
		z->constant = r->op[k];
		z->base = b->op[turn ? 1 - k : k];
		known = first_place(s, z, text, out);
	}
	return known;
}

/* A constant, a mask say, that does not fit the block it is taken with. */
static const char *constant_beside_block(const states *s, const frontier_entry *e, arena *out)
{
	struct beside z;
	const char *t;

	return beside_block(s, e, &z, &t, out) && t ? arena_printf(out, "it takes %%%s, %s, with %%%s: %s", dist_name(s, z.block),
								   fault_operand(s, z.block, out), dist_name(s, z.constant), t) : NULL;
}

bool fault_fits_block(const states *s, const frontier_entry *e, arena *out)
{
	struct beside z;
	const char *t;

	return beside_block(s, e, &z, &t, out) && !t;
}

/* ---- a wrong segment */

enum overlap { OVERLAP_NONE, OVERLAP_SOME, OVERLAP_ALL };

static enum overlap overlap_of(const struct place_set *b, int64_t extent, const struct place_set *d)
{
	int64_t i, k = 0, n = 0;

	if (b->by != NIL || d->by != NIL || !d->v)
		return OVERLAP_NONE;
	if (!b->v)
		return b->n == extent ? OVERLAP_ALL : OVERLAP_NONE;
	for (i = 0; i < d->n; i++) {
		while (k < b->n && b->v[k] < d->v[i])
			k++;
		n += k < b->n && b->v[k] == d->v[i];
	}
	return n == d->n ? OVERLAP_ALL : n ? OVERLAP_SOME : OVERLAP_NONE;
}

/* How much of what the distributed row reads, of the same operands, does a baseline row read that does not read all there is? */
static enum overlap reads_of(const states *s, int base, eg_id dn, const struct places *d, arena *out)
{
	const algebra *a = &s->q->p->a;
	eg_id bn = normal_node(a, s->side[SIDE_BASE].core[base]);
	int n = pairing_read(a, dn).nslot, k, i;
	enum overlap least = OVERLAP_ALL, o;
	struct places *b;
	bool some = false;

	if (core_kind(a, bn) != core_kind(a, dn) || pairing_read(a, bn).nslot != n)
		return OVERLAP_NONE;
	b = places_of_node(s, bn, out);
	for (k = 0; k < n; k++) {
		if (eg_current(a->g, dn)[k] != eg_current(a->g, bn)[k] || b[k].rank != d[k].rank)
			return OVERLAP_NONE;
		for (i = 0; i < d[k].rank; i++) {
			if (!d[k].set[i].v)
				continue;
			o = overlap_of(&b[k].set[i], d[k].dim[i], &d[k].set[i]);
			least = o < least ? o : least;
			some = some || b[k].set[i].v;
		}
	}
	return some ? least : OVERLAP_NONE;
}

/* The difference of a slice, and whose places it reads instead. */
static const char *wrong_segment(const states *s, const frontier_entry *e, const frontier_candidate *first, arena *out)
{
	const algebra *a = &s->q->p->a;
	eg_id n = normal_node(a, s->side[SIDE_DIST].core[e->row]);
	const char *across = NULL;
	struct places *d;
	enum overlap o;
	int k;

	if ((strcmp(first->kind, "columns read") && strcmp(first->kind, "rows read") && strcmp(first->kind, "places read")) || core_atom(a, n) ||
	    core_kind(a, n) == C_VIEW)
		return NULL;
	d = places_of_node(s, n, out);
	for (k = 0; k < e->nbase; k++) {
		if ((o = reads_of(s, e->base[k], n, d, out)) == OVERLAP_ALL && k)
			return arena_printf(out, "%s: these are places of %%%s, a wrong segment", first->difference, base_name(s, e->base[k]));
		if (o == OVERLAP_SOME)
			across = across ? arena_printf(out, "%s and %%%s", across, base_name(s, e->base[k])) : arena_printf(out, "%%%s", base_name(s, e->base[k]));
	}
	return across && strstr(across, " and ") ? arena_printf(out, "%s: these are places of %s, cut across segments", first->difference, across) : NULL;
}

/* ---- blocks in another order */

static const char *order_fault(const states *s, const frontier_entry *e, arena *out)
{
	const struct row *r = row_at(s, e->row);

	if (!collective_grouped(r))
		return arena_printf(out, "it puts the blocks together in another order than the baseline's: %s; it is %s, and %%%s takes it",
				    named_operand(s, r->op[0], out), fault_operand(s, e->row, out), dist_name(s, e->fed));
	return arena_printf(out, "it puts the blocks in another order than the baseline's: it gathers over %s, %s; it is %s, and %%%s takes it",
			    collective_over(&s->q->ms, r, out), named_operand(s, r->op[0], out), fault_operand(s, e->row, out), dist_name(s, e->fed));
}

/* ---- permutes */

/* Devices that no pair of a permute sends to hold zeros. */
static const char *without_source(const states *s, int row, arena *out)
{
	const struct row *r = row_at(s, row);
	int64_t ndev = s->q->ms.ndev, *alone = ARENA_ARRAY(out, int64_t, ndev), d, n = 0;
	const attr *pairs = inst_attr(r->inst, "source_target_pairs");
	int k;

	if (!pairs || pairs->kind != ATTR_PAIRS)
		return NULL;
	for (d = 0; d < ndev; d++) {
		for (k = 0; k < pairs->n && pairs->ints[2 * k + 1] != d; k++)
			;
		if (k == pairs->n)
			alone[n++] = d;
	}
	return n ? arena_printf(out, "no pair sends anything to device%s %s, which %s zeros: %s", n > 1 ? "s" : "", describe_runs(out, n, alone),
				n > 1 ? "get" : "gets", pairs->text ? pairs->text : "") : NULL;
}

/* ---- slices beyond the edge */

/* A slice that begins, on some device, where it does not fit is moved back. */
static const char *clamped_start(const states *s, int row, arena *out)
{
	const struct row *r = row_at(s, row);
	const struct row *x;
	int64_t dev;
	int k;

	if (r->inst->opcode != OP_DYNAMIC_SLICE || r->nop != r->rank + 1)
		return NULL;
	x = row_at(s, r->op[0]);
	for (k = 0; k < r->rank; k++) {
		layout l;
		eg_id core;
		const double *v;
		if (!row_form(s->q, SIDE_DIST, r->op[k + 1], &l, &core) || !(v = constant_values(&s->q->p->a, core, out)))
			continue;
		for (dev = 0; dev < s->q->ms.ndev; dev++) {
			double at = v[digits_at(l.nd, l.dev, dev)], last = (double)(x->dim[k] - r->dim[k]);
			if (at < 0 || at > last)
				return arena_printf(out, "on device %lld it would begin at %g of dimension %d, where %lld of %lld places do not fit: it is moved to %g",
						    (long long)dev, at, k, (long long)r->dim[k], (long long)x->dim[k], at < 0 ? 0 : last);
		}
	}
	return NULL;
}

/* The dimension that a slice cuts, where it begins on each device, when these are known and not all the same; -1. */
static int starts_apart(const states *s, int row, int64_t *at, arena *out)
{
	const struct row *r = row_at(s, row), *x = r->nop ? row_at(s, r->op[0]) : NULL;
	int64_t ndev = s->q->ms.ndev, dev;
	int k, cut = -1;

	if (r->inst->opcode != OP_DYNAMIC_SLICE || r->nop != r->rank + 1 || row_axes(s, r->op[0]))
		return -1;
	for (k = 0; k < r->rank; k++)
		if (r->dim[k] != x->dim[k]) {
			if (cut >= 0)
				return -1;
			cut = k;
		}
	for (dev = 0; dev < ndev && cut >= 0; dev++)
		if (!start_on(s, r->op[cut + 1], dev, x->dim[cut] - r->dim[cut], &at[dev], out))
			return -1;
	for (dev = 1; dev < ndev && cut >= 0 && at[dev] == at[0]; dev++)
		;
	return cut >= 0 && dev < ndev ? cut : -1;
}

/* Slices of the devices that take some places twice, and leave out others, of what they could share out evenly. */
static const char *overlapping_slices(const states *s, int row, arena *out)
{
	const struct row *r = row_at(s, row);
	int64_t ndev = s->q->ms.ndev, *at = ARENA_ARRAY(out, int64_t, ndev), dev, n, m = 0, i, extent, *rest;
	int cut = starts_apart(s, row, at, out);
	bool *hit;

	if (cut < 0)
		return NULL;
	n = r->dim[cut];
	extent = row_at(s, r->op[0])->dim[cut];
	for (dev = 0; n && dev < ndev && at[dev] % n == 0; dev++)
		;
	if (!n || dev == ndev || extent % n || extent > n * ndev || extent > CONSTANT_MAX)
		return NULL;
	hit = arena_zalloc(out, (size_t)extent);
	rest = ARENA_ARRAY(out, int64_t, extent);
	for (i = 0; i < ndev * n; i++)
		hit[at[i / n] + i % n] = true;
	for (i = 0; i < extent; i++)
		if (!hit[i])
			rest[m++] = i;
	return m ? arena_printf(out, "on device %lld it takes places %lld..%lld of dimension %d of %s, across two of its parts of %lld: no device takes %s",
				(long long)dev, (long long)at[dev], (long long)(at[dev] + n - 1), cut, value_name(s, r->op[0], out), (long long)n,
				describe_runs(out, m, rest)) : NULL;
}

/* ---- one row */

static bool of_order(const frontier_candidate *c)
{
	return !strcmp(c->kind, "pairing") || !strcmp(c->kind, "places of the result");
}

/* Does what is shared out of operand k of a dot meet places of the other operand?  Where it is not known, it may. */
static bool shares_out_summed(const states *s, const struct row *u, int k)
{
	static const char *const key[2][2] = { { "lhs_contracting_dims", "lhs_batch_dims" }, { "rhs_contracting_dims", "rhs_batch_dims" } };
	const struct row *x = row_at(s, u->op[k]), *whole;
	int i, j, n;

	if (u->inst->opcode != OP_DOT || s->rs[u->op[k]].base < 0)
		return true;
	whole = &s->q->base->row[s->rs[u->op[k]].base];
	if (whole->rank != x->rank || row_elements(whole) == row_elements(x))
		return true;
	for (j = 0; j < 2; j++) {
		const int64_t *dim = inst_ints(u->inst, key[k][j], &n);

		for (i = 0; i < n; i++)
			if (x->dim[dim[i]] != whole->dim[dim[i]])
				return true;
	}
	return false;
}

/* The row with which something is taken at last, through rows that take nothing else but constants, and the operand beside it that
 * every device has for itself; -1. */
static int taken_with(const states *s, int row, int *beside, uint32_t *axes)
{
	const struct side *d = &s->side[SIDE_DIST];
	const struct row *u;
	int left = 8, from, k;

	for (; left && d->use_at[row + 1] == d->use_at[row] + 1; left--) {
		from = row;
		row = d->use[d->use_at[row]];
		u = row_at(s, row);
		for (k = 0; k < u->nop; k++)
			if (u->op[k] != from && s->rs[u->op[k]].verified && (*axes = row_axes(s, u->op[k])) && shares_out_summed(s, u, k)) {
				*beside = u->op[k];
				return row;
			}
		if (!elementwise(s, row) && !moves(u))
			break;
	}
	return -1;
}

static bool slices(const states *s, int row)
{
	enum opcode op = row_at(s, row)->inst->opcode;

	return op == OP_SLICE || op == OP_DYNAMIC_SLICE;
}

enum { SLICES = 4096 };		/* of one operand that are looked at */

/* The only dimension of which not all places are taken; -1: there are several, or none. */
static int cut_dimension(const struct places *p)
{
	int k, which = -1;

	for (k = 0; k < p->rank; k++)
		if (p->set[k].v) {
			if (which >= 0)
				return -1;
			which = k;
		}
	return which >= 0 && p->dim[which] != INT64_MAX ? which : -1;
}

/* Marks the places along a dimension that all slices of an operand take; their number, 0: not known. */
static int slices_of(const states *s, int o, int which, int64_t extent, bool *hit, arena *out)
{
	const struct side *d = &s->side[SIDE_DIST];
	int k, n = 0;
	int64_t i;

	if (d->use_at[o + 1] - d->use_at[o] > SLICES)
		return 0;
	for (k = d->use_at[o]; k < d->use_at[o + 1]; k++) {
		const struct places *p;
		if (!slices(s, d->use[k]))
			continue;
		if (d->core[d->use[k]] == NIL)
			return 0;
		p = places_of_node(s, normal_node(&s->q->p->a, d->core[d->use[k]]), out);
		if (!p->rank || cut_dimension(p) != which || p->dim[which] != extent)
			return 0;
		for (i = 0; i < p->set[which].n; i++)
			hit[p->set[which].v[i]] = true;
		n++;
	}
	return n;
}

/* Does the baseline slice it, too? */
static bool sliced_in_base(const states *s, int o)
{
	const struct side *b = &s->side[SIDE_BASE];
	int base = s->rs[o].base, k;

	for (k = base < 0 ? 0 : b->use_at[base]; base >= 0 && k < b->use_at[base + 1]; k++) {
		enum opcode op = s->q->base->row[b->use[k]].inst->opcode;

		if (op == OP_SLICE || op == OP_DYNAMIC_SLICE)
			return true;
	}
	return false;
}

/* That no slice of an operand takes some places of a dimension, when they cut that alone, and one alone a shard of it; NULL otherwise. */
static const char *not_taken(const states *s, int o, const struct places *p, arena *out)
{
	int which = cut_dimension(p), n, k;
	int64_t *rest, i, m = 0, extent = which < 0 ? 0 : p->dim[which], all = 1;
	const char *t;
	bool *hit;

	for (k = 0; k < p->rank; k++)
		all *= p->dim[k];
	if (!extent || extent > CONSTANT_MAX || sliced_in_base(s, o) || all != row_elements(row_at(s, o)) * axes_size(&s->q->ms, row_axes(s, o)))
		return NULL;
	hit = arena_zalloc(out, (size_t)extent);
	n = slices_of(s, o, which, extent, hit, out);
	if (!n || (n == 1 && extent % p->set[which].n))
		return NULL;
	rest = ARENA_ARRAY(out, int64_t, extent);
	for (i = 0; i < extent; i++)
		if (!hit[i])
			rest[m++] = i;
	if (!m)
		return NULL;
	t = describe_dimension(out, p->rank, which, m, rest);
	return n == 1 ? arena_printf(out, "nothing takes %s", t) : arena_printf(out, "the %d slices there are leave out %s", n, t);
}

/* A slice that every device takes alike, where each should have another: taken with what each has for itself; or slices that leave something
 * out. */
static const char *same_slice(const states *s, const frontier_entry *e, arena *out)
{
	const struct row *r = row_at(s, e->row);
	const char *takes, *rest;
	const struct places *p;
	uint32_t axes = 0;
	int with, by;

	if (!slices(s, e->row) || row_elements(r) == row_elements(row_at(s, r->op[0])) || s->q->base->row[e->base[0]].inst->opcode == OP_SLICE)
		return NULL;
	p = places_of_node(s, normal_node(&s->q->p->a, s->side[SIDE_DIST].core[e->row]), out);
	if (*p->text == '@' || !*p->text)
		return NULL;
	takes = arena_printf(out, "takes %s of %s", p->text, value_name(s, r->op[0], out));
	rest = not_taken(s, r->op[0], p, out);
	if (row_axes(s, e->row))
		return rest ? arena_printf(out, "it %s, and %s", takes, rest) : NULL;
	if ((by = taken_with(s, e->row, &with, &axes)) >= 0)
		return arena_printf(out, "every device of %s %s, and %%%s takes them with %%%s, which is %s", axes_of(s, axes, out), takes,
				    dist_name(s, by), dist_name(s, with), fault_operand(s, with, out));
	return rest ? arena_printf(out, "every device %s, and %s", takes, rest) : NULL;
}

/* Shards that are added up as if they were parts of a sum. */
static const char *added_shards(const states *s, int row, arena *out)
{
	const struct row *r = row_at(s, row);
	uint32_t axes;

	if (!collective_grouped(r) || strcmp(r->name, "add") || s->rs[r->op[0]].kind != STATE_RELATED ||
	    !(axes = row_axes(s, r->op[0]) & axes_over(s, row)))
		return NULL;
	return arena_printf(out, "it adds up over %s places that each device has for itself: %s", axes_of(s, axes, out), named_operand(s, r->op[0], out));
}

/* ---- windows over the edge of a shard */

/* The same window as in the baseline, over what the devices have shared out: it is no sum of parts, so it reaches over the edges. */
static const char *missing_edges(const states *s, const frontier_entry *e, arena *out)
{
	const struct row *r = row_at(s, e->row), *b = e->nbase ? &s->q->base->row[e->base[0]] : NULL;
	const attr *w = inst_attr(r->inst, "window"), *v = b ? inst_attr(b->inst, "window") : NULL;
	layout l;
	eg_id x;
	int k;

	if (!w || !v || !w->text || !v->text || strcmp(w->text, v->text) || b->inst->opcode != r->inst->opcode || !s->rs[r->op[0]].verified ||
	    s->rs[r->op[0]].base != b->op[0] || !row_axes(s, r->op[0]))
		return NULL;
	for (k = 1; k < r->nop; k++)
		if (s->rs[r->op[k]].base != b->op[k] || !row_form(s->q, SIDE_DIST, r->op[k], &l, &x) || bound_axes(&s->q->ms, &l))
			return NULL;
	return arena_printf(out, "%s: a window that reaches over the edge of a shard takes padding there, and not the places next to it that another "
			    "device holds", named_operand(s, r->op[0], out));
}

/* The only operand that is no constant, and is a shard of the only one of the baseline's row that is none; -1: there is none. */
static int shard_among_constants(const states *s, const struct row *r, const struct row *b, arena *out)
{
	int k, at = -1;

	for (k = 0; k < r->nop; k++) {
		if (s->rs[r->op[k]].constant)
			continue;
		if (at >= 0 || !s->rs[r->op[k]].verified || !row_axes(s, r->op[k]))
			return -1;
		at = r->op[k];
	}
	for (k = 0; k < b->nop && at >= 0; k++) {
		eg_id core = s->side[SIDE_BASE].core[b->op[k]];

		if (b->op[k] != s->rs[at].base && (core == NIL || !constant_values(&s->q->p->a, core, out)))
			return -1;
	}
	return at;
}

static bool pads(const struct row *r)
{
	return r->inst->opcode == OP_PAD || r->inst->opcode == OP_CONCATENATE;
}

/* Every device puts constants beside its own part, along the dimension that is shared out, and the baseline beside the whole. */
static const char *padded_parts(const states *s, const frontier_entry *e, arena *out)
{
	const struct row *r = row_at(s, e->row), *b = e->nbase ? &s->q->base->row[e->base[0]] : NULL, *x, *whole;
	int o = b && pads(r) && pads(b) ? shard_among_constants(s, r, b, out) : -1, k;

	if (o < 0 || s->rs[o].base < 0)
		return NULL;
	x = row_at(s, o);
	whole = &s->q->base->row[s->rs[o].base];
	for (k = 0; k < r->rank && x->rank == r->rank && whole->rank == r->rank; k++)
		if (r->dim[k] > x->dim[k] && x->dim[k] < whole->dim[k])
			return arena_printf(out, "it puts constants beside each device's own part of %s, %%%s of the baseline beside the whole: where parts meet, the "
					    "places next to them are with other devices", value_name(s, o, out), base_name(s, e->base[0]));
	return NULL;
}

/* A device's own part beside other things, along the dimension that is shared out, where the baseline puts all of it. */
static const char *own_part_beside(const states *s, const frontier_entry *e, arena *out)
{
	const struct row *r = row_at(s, e->row), *b = e->nbase ? &s->q->base->row[e->base[0]] : NULL;
	int n, k;
	const int64_t *at = inst_ints(r->inst, "dimensions", &n);

	if (r->inst->opcode != OP_CONCATENATE || !b || b->inst->opcode != OP_CONCATENATE || b->nop != r->nop || n != 1)
		return NULL;
	for (k = 0; k < r->nop; k++) {
		const struct row *x = row_at(s, r->op[k]), *whole = &s->q->base->row[b->op[k]];
		if (s->rs[r->op[k]].kind == STATE_RELATED && same_value(s, s->rs[r->op[k]].base, b->op[k]) && row_axes(s, r->op[k]) &&
		    x->rank == whole->rank && x->dim[at[0]] < whole->dim[at[0]])
			return arena_printf(out, "it puts each device's own part of %%%s over %s beside the rest, %%%s of the baseline all of it: %s", base_name(s, b->op[k]),
					    axes_of(s, row_axes(s, r->op[k]), out), b->path, named_operand(s, r->op[k], out));
	}
	return NULL;
}

/* Shards that are handed to other devices, which nothing the baseline has fits. */
static const char *handed_shards(const states *s, int row, arena *out)
{
	const struct row *r = row_at(s, row);
	const attr *pairs = inst_attr(r->inst, "source_target_pairs");
	int k;

	if (!pairs || pairs->kind != ATTR_PAIRS || s->rs[r->op[0]].kind != STATE_RELATED || !row_axes(s, r->op[0]))
		return NULL;
	for (k = 0; k < pairs->n && pairs->ints[2 * k] == pairs->ints[2 * k + 1]; k++)
		;
	return k < pairs->n ? arena_printf(out, "it gives device %lld the part that device %lld has of %s, which is %s: what is made of it is not what the baseline makes",
					   (long long)pairs->ints[2 * k + 1], (long long)pairs->ints[2 * k], value_name(s, r->op[0], out),
					   state_relation(s, r->op[0], out)) : NULL;
}

/* An operand that only some devices have rightly. */
static const char *stage_fault(states *s, int row, arena *out)
{
	const struct row *r = row_at(s, row);
	int64_t dev;
	int k, base;

	for (k = 0; k < r->nop; k++)
		if (s->rs[r->op[k]].kind == STATE_NONE && (base = stage_partner(s, r->op[k], &dev)) >= 0)
			return arena_printf(out, "it takes %%%s, which is %%%s of the baseline on device %lld, not on all: it is taken where it is something else",
					    dist_name(s, r->op[k]), base_name(s, base), (long long)dev);
	if ((base = stage_partner(s, row, &dev)) >= 0)
		return arena_printf(out, "it is %%%s of the baseline on device %lld, and something else on others", base_name(s, base), (long long)dev);
	return NULL;
}

static const char *dimensions_text(const struct row *r, arena *out)
{
	int n, k;
	const int64_t *v = inst_ints(r->inst, "dimensions", &n);
	const char *t = n == 1 ? "dimension " : "dimensions ";

	for (k = 0; k < n; k++)
		t = arena_printf(out, "%s%s%lld", t, k ? "," : "", (long long)v[k]);
	return t;
}

/* A reduction of what the baseline reduces, over other dimensions of it. */
static const char *other_dimensions(const states *s, const frontier_entry *e, arena *out)
{
	const struct row *r = row_at(s, e->row), *b = e->nbase ? &s->q->base->row[e->base[0]] : NULL;
	const char *over, *due;

	if (r->inst->opcode != OP_REDUCE || !b || b->inst->opcode != OP_REDUCE || strcmp(r->name, b->name) || turned(s, r->op[0]) ||
	    s->rs[r->op[0]].kind != STATE_RELATED || !same_value(s, s->rs[r->op[0]].base, b->op[0]) ||
	    row_at(s, r->op[0])->rank != s->q->base->row[b->op[0]].rank)
		return NULL;
	over = dimensions_text(r, out);
	due = dimensions_text(b, out);
	return strcmp(over, due) ? arena_printf(out, "it reduces over %s, %%%s of the baseline over %s", over, b->path, due) : NULL;
}

/* Where two rows do the same to numbers that are constants on both sides: how these differ. */
static const char *numbers_apart(const states *s, const struct row *d, const struct row *b, arena *out)
{
	int k;

	if (d->inst->opcode != b->inst->opcode || d->nop != b->nop)
		return NULL;
	for (k = 0; k < d->nop; k++) {
		difference z = s->rs[d->op[k]].constant ? difference_rows(s, b->op[k], d->op[k], out) : (difference){ 0 };
		if (z.any && (!strcmp(z.kind, "index") || !strcmp(z.kind, "constant") || !strcmp(z.kind, "part of a constant")))
			return z.text;
	}
	return NULL;
}

/* The number that a row has at all places on all devices. */
static bool one_number(const states *s, int row, double *c, arena *out)
{
	eg_id core = s->side[SIDE_DIST].core[row];
	const double *v = s->rs[row].constant && core != NIL && core_len(&s->q->p->a, core) == 1 ? constant_values(&s->q->p->a, core, out) : NULL;

	if (v)
		*c = *v;
	return v != NULL;
}

/* One number more than in the baseline, which takes the value as it is. */
static const char *step_more(const states *s, int row, int base, arena *out)
{
	const struct row *r = row_at(s, row);
	const char *with = base_name(s, base);
	enum opcode op = r->inst->opcode;
	double c;
	int k;

	for (k = 0; k < r->nop && (op == OP_ADD || op == OP_SUBTRACT || op == OP_MULTIPLY); k++) {
		const row_state *o = &s->rs[r->op[k]];
		if (o->kind != STATE_RELATED || !same_value(s, o->base, base) || !one_number(s, r->op[1 - k], &c, out))
			continue;
		if (op == OP_MULTIPLY || k)
			return arena_printf(out, "it does %s with %%%s and %g, where the baseline takes %%%s as it is", r->inst->opname, with, c, with);
		return arena_printf(out, "it %s %%%s, where the baseline takes that as it is", op == OP_ADD ? arena_printf(out, "adds %g to", c) :
				    arena_printf(out, "subtracts %g from", c), with);
	}
	return NULL;
}

/* Index arithmetic in the place of another value. */
static const char *stray_fault(const states *s, const frontier_entry *e, arena *out)
{
	const struct row *d = row_at(s, e->row), *b = &s->q->base->row[e->base[0]];
	const char *t;
	int64_t n = stray_positions(d), all = stray_positions(b);

	if (n && n < all)
		return arena_printf(out, "it counts 0..%lld on every device, %%%s of the baseline 0..%lld: a local index stands for a global one",
				    (long long)n - 1, base_name(s, e->base[0]), (long long)all - 1);
	if ((t = step_more(s, e->row, e->base[0], out)))
		return t;
	if ((t = numbers_apart(s, d, b, out)))
		return arena_printf(out, "%%%s of the baseline does the same with other numbers: this %s", base_name(s, e->base[0]), t);
	return arena_printf(out, "the baseline does the same arithmetic with %%%s where this is %s", base_name(s, e->base[0]),
			    describe_row(s, SIDE_DIST, e->row, out));
}

/* A block of a baseline value, where the rest of it is made by no row. */
static const char *lone_block(const states *s, int row, const frontier_candidate *first, arena *out)
{
	const struct answer *w = &s->answer[row];
	int i, by, with;
	uint32_t axes;

	if (!w->asked || w->kind != STATE_BLOCK || w->covered || s->rs[row].verified)
		return NULL;
	if (slices(s, row) && (by = taken_with(s, row, &with, &axes)) >= 0)
		return arena_printf(out, "it is a block of %%%s, %s, and %%%s takes it with %%%s, which is %s: no row makes the other blocks", base_name(s, w->base),
				    reorder_text(s, w, out), dist_name(s, by), dist_name(s, with), fault_operand(s, with, out));
	for (i = state_next_bit(s->block, 0, s->q->dist->nrow); i < row; i = state_next_bit(s->block, i + 1, s->q->dist->nrow))
		if (s->answer[i].base == w->base && eg_root(s->q->p->g, s->answer[i].core) == eg_root(s->q->p->g, w->core))
			break;
	return arena_printf(out, "it is a block of %%%s, %s%s, and no row makes the rest%s%s", base_name(s, w->base), reorder_text(s, w, out),
			    i < row ? arena_printf(out, ", as %%%s is already", dist_name(s, i)) : "",
			    first && first->difference && of_order(first) ? ": it " : "", first && first->difference && of_order(first) ? first->difference : "");
}

/* Done to a part by every device for itself, and to all of it by the baseline: what is known of the operation or not. */
static const char *own_part(const states *s, const frontier_entry *e, arena *out)
{
	const struct row *r = row_at(s, e->row), *b = e->nbase ? &s->q->base->row[e->base[0]] : NULL;
	uint32_t axes;
	int64_t n;

	if (!b || b->inst->opcode != r->inst->opcode || !r->nop || !b->nop || s->rs[r->op[0]].kind != STATE_RELATED ||
	    !same_value(s, s->rs[r->op[0]].base, b->op[0]) || !(axes = row_axes(s, r->op[0])))
		return NULL;
	n = row_elements(row_at(s, r->op[0]));
	if (row_elements(&s->q->base->row[b->op[0]]) != n * axes_size(&s->q->ms, axes))
		return NULL;
	return arena_printf(out, "it takes each device's own part of %%%s over %s, %%%s of the baseline takes all of it", base_name(s, b->op[0]),
			    axes_of(s, axes, out), b->path);
}

/* Where no baseline row does the operation with these operands: how it differs from the one that is left over. */
static const char *other_operands(const states *s, const frontier_entry *e, arena *out)
{
	int b = e->nbase && s->q->base->row[e->base[0]].inst->opcode == row_at(s, e->row)->inst->opcode ? -1 : counterpart_alike(s, e->row);
	const char *t = b < 0 ? NULL : other_operand(s, e->row, b, out);
	difference z = b < 0 || t ? (difference){ 0 } : difference_rows(s, b, e->row, out);

	if (t)
		return t;
	if (!z.any || !strcmp(z.kind, "operation") || of_order(&(frontier_candidate){ b, z.text, z.kind }))
		return NULL;
	return strstr(z.text, base_name(s, b)) ? z.text : arena_printf(out, "%s, in %%%s", z.text, base_name(s, b));
}

static const char *plain_fault(states *s, const frontier_entry *e, const frontier_candidate *first, arena *out)
{
	const struct row *d = row_at(s, e->row);
	const char *lift = prover_lift_reason(s->q->p, d->tensor), *t;
	bool differs = first && first->difference;
	int n;

	if (e->stray)
		return stray_fault(s, e, out);
	if ((t = inst_unknown_attr(d->inst, &n)))
		return arena_printf(out, "what %s= of %.*s means is not known, so this may be anything", t, n, d->inst->opname);
	if (lift && (t = own_part(s, e, out)))
		return t;
	if (lift && d->why)
		lift = d->why;
	if (lift)
		return arena_printf(out, "no rule says what %s computes%s%s", d->inst->opname, strcmp(lift, "no rule") ? ": " : "", strcmp(lift, "no rule") ? lift : "");
	if ((t = packed_otherwise(s, e->row, out)) || (t = ring_fault(s, e->row, out)) || (t = lookup_fault(s, e->row, out)) ||
	    (t = seam_fault(s, e->row, out)) || (t = running_fault(s, e->row, out)) || (t = place_fault(s, e->row, out)) || (t = shift_fault(s, e->row, out)) ||
	    (t = parts_fault(s, e->row, first, out)) || (t = mean_fault(s, e->row, out)) || (t = padding_taken(s, e->row, out)) ||
	    (t = mask_fault(s, e->row, out)) || (t = index_operand(s, e->row, out)) ||
	    (t = without_source(s, e->row, out)) || (t = clamped_start(s, e->row, out)) || (t = overlapping_slices(s, e->row, out)) || (t = constant_beside_block(s, e, out)))
		return t;
	if (collective_grouped(d) && (t = counted_often(s, e->row, out)))
		return t;
	if ((t = added_shards(s, e->row, out)) || (t = missing_edges(s, e, out)) || (t = padded_parts(s, e, out)))
		return t;
	if ((t = own_part_beside(s, e, out)))
		return t;
	if (differs && !strcmp(first->kind, "operation") && (t = handed_shards(s, e->row, out)))
		return t;
	if (differs && ((t = wrong_segment(s, e, first, out)) || (t = same_slice(s, e, out))))
		return t;
	if ((t = contracted_apart(s, e, out)))
		return t;
	if ((t = lone_block(s, e->row, first, out)) || (t = other_dimensions(s, e, out)))
		return t;
	if (differs && (!strcmp(first->kind, "operation") || d->inst->opcode == OP_SELECT) && ((t = stage_fault(s, e->row, out)) || (t = other_operands(s, e, out))))
		return t;
	if (differs && !strcmp(first->kind, "operation") && (t = numbers_apart(s, d, &s->q->base->row[first->base], out)))
		return t;
	if (differs && d->inst->opcode == OP_DOT && !strcmp(first->kind, "operands") && (t = turned_operand(s, e->row, first, out)))
		return t;
	if (differs && !of_order(first))
		return first->difference;
	if ((t = parted_operands(s, e->row, out)) || (t = turned_operand(s, e->row, differs ? first : NULL, out)))
		return t;
	if ((t = bucket_fault(s, e->row, out)))
		return t;
	if (differs)
		return first->difference;
	if ((t = stage_fault(s, e->row, out)) || (t = trips_fault(s, e->row, out)) || (t = other_operands(s, e, out)))
		return t;
	return e->nbase ? "the baseline computes something else of these operands" : "nothing in the baseline computes this of these operands";
}

/* What an output has its order from. */
static const char *lost_order_fault(const states *s, const frontier_entry *e, arena *out)
{
	const struct row *r = row_at(s, e->row);
	const char *over = collective_grouped(r) ? arena_printf(out, " over %s", collective_over(&s->q->ms, r, out)) : "";

	return arena_printf(out, "it puts places in another order than the baseline's: it does %s%s, %s; it is %s, and of it is made that %s", r->inst->opname,
			    over, r->nop ? named_operand(s, r->op[0], out) : "", fault_operand(s, e->row, out), relation_fault(s, e->fed, e->goal, out));
}

const char *fault_sentence(states *s, const frontier_entry *e, const frontier_candidate *first, arena *out)
{
	const char *t;
	int k;

	switch (e->kind) {
	case FRONTIER_RELATION:
		return e->fed >= 0 ? lost_order_fault(s, e, out) : relation_fault(s, e->row, e->goal, out);
	case FRONTIER_SCALED:
		return scaled_fault(s, e->row, first, out);
	case FRONTIER_ORDER:
		return order_fault(s, e, out);
	default:
		t = plain_fault(s, e, first, out);
		for (k = 0; k < e->nmore; k++)
			t = arena_printf(out, "%s%s%%%s", t, k ? ", " : "; for the same reason ", dist_name(s, e->more[k]));
		if (e->also)
			t = arena_printf(out, "%s; for the same reason %s", t, relation_fault(s, e->also->dist_row, e->also, out));
		return s->rs[e->row].limit ? arena_printf(out, "%s (a question about it was cut by a limit)", t) : t;
	}
}
