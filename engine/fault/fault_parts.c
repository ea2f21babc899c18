#include "fault/fault_in.h"

#include <string.h>
#include "pair/carry.h"
#include "relation/presumed.h"

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

int row_reduced_by(const states *s, int row)
{
	const struct side *d = &s->side[SIDE_DIST];
	int steps, k;

	for (steps = 0; steps < 16 && d->use_at[row] < d->use_at[row + 1]; steps++) {
		for (k = d->use_at[row]; k < d->use_at[row + 1]; k++)
			if (collective_grouped(row_at(s, d->use[k])) && !strcmp(row_at(s, d->use[k])->name, "add"))
				return d->use[k];
		row = d->use[d->use_at[row]];
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
	by = row_reduced_by(s, row);
	return arena_printf(out, "it takes parts: %%%s is %s; it rounds them to %s%s, which is not to round their sum", dist_name(s, part), state_relation(s, part, out),
			    etype_name(r->type), by < 0 ? "" : arena_printf(out, " before %%%s adds them", dist_name(s, by)));
}

/* Where parts come from a sum over other axes. */
static const char *added_only(const states *s, int part, arena *out)
{
	const struct row *r = row_at(s, part);

	while (row_moves(r) && s->rs[r->op[0]].kind == STATE_PARTIAL) {
		part = r->op[0];
		r = row_at(s, part);
	}
	if (!collective_grouped(r) || strcmp(r->name, "add") || s->rs[r->op[0]].kind != STATE_PARTIAL)
		return "";
	return arena_printf(out, ", %%%s adds over %s only", dist_name(s, part), collective_over(&s->q->ms, r, out));
}

const char *fault_parts(const states *s, const frontier_entry *e, const frontier_candidate *near, arena *out)
{
	int row = e->row, part, whole, by;
	const char *t, *often;

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
	if (!near)
		return t;
	if (s->answer[part].op && strcmp(s->answer[part].op, "add") && whole < 0 && !collective_grouped(row_at(s, row)))
		return arena_printf(out, "%s: an all-reduce (%s) over %s is missing before it; %s", t, s->answer[part].op, axes_of(s, part_axes(s, part), out), near->difference);
	if (near->kind == DIFFERENCE_UNLIKE)
		return arena_printf(out, "%s: an all-reduce over %s is missing before it%s", t, axes_of(s, part_axes(s, part), out), added_only(s, part, out));
	t = arena_printf(out, "%s; ", t);
	by = row_reduced_by(s, row);
	if ((by < 0 && carry_elementwise(row_at(s, row))) || near->kind == DIFFERENCE_OPERATION)
		return arena_printf(out, "%s%s: an all-reduce over %s is missing%s%s", t, near->difference, axes_of(s, part_axes(s, part), out),
				    near->kind != DIFFERENCE_OPERATION ? "" : " before it", added_only(s, part, out));
	often = adds_whole(s, row, part, whole, out);
	if (by >= 0 && *often && near->kind == DIFFERENCE_OPERANDS)	/* what the baseline adds there is another term */
		return arena_printf(out, "%s%%%s adds up the parts%s", t, dist_name(s, by), often);
	if (!carry_elementwise(row_at(s, row)) || near->kind != DIFFERENCE_SCALE)
		return arena_printf(out, "%s%s", t, near->difference);
	return arena_printf(out, "%s%%%s adds up the parts%s: %s", t, dist_name(s, by), often, near->difference);
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
const char *fault_own_mean(const states *s, int row, arena *out)
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

/* A sum over devices of what they all hold. */
const char *fault_counted_often(const states *s, int row, arena *out)
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
