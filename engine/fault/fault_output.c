#include "fault/fault_in.h"

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

/* The number of another output whose value this is, while that one is not met; -1. */
static int meant_for(const states *s, int row, const goal *g)
{
	int k;

	for (k = 0; k < s->q->ngoal; k++) {
		const goal *o = &s->q->goal[k];
		if (o != g && o->compared && same_value(s, o->base_row, s->rs[row].base) && !goal_met(s->q, o))
			return k;
	}
	return -1;
}

static const char *swapped(const states *s, int row, const goal *g, arena *out)
{
	int k = meant_for(s, row, g);

	return k < 0 ? "" : arena_printf(out, "; %%%s is what output %d should be: outputs are swapped", base_name(s, s->rs[row].base), k);
}

const char *fault_output(const states *s, int row, const goal *g, arena *out)
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
		return arena_printf(out, "%%%s is %s of %%%s, the plan wants %s of %%%s%s%s", name, have, base_name(s, r->base), wanted(g),
				    base_name(s, g->base_row), not_added(s, r->base, g->base_row, out), swapped(s, row, g, out));
	return arena_printf(out, "%%%s is %s of %%%s, the plan wants %s", name, have, base_name(s, r->base), wanted(g));
}

/* What an output has its order from. */
const char *fault_lost_order(const states *s, const frontier_entry *e, arena *out)
{
	const struct row *r = row_at(s, e->row);
	const char *over = collective_grouped(r) ? arena_printf(out, " over %s", collective_over(&s->q->ms, r, out)) : "";

	return arena_printf(out, "it puts places in another order than the baseline's: it does %s%s, %s; it is %s, and of it is made that %s", r->inst->opname,
			    over, r->nop ? named_operand(s, r->op[0], out) : "", fault_operand(s, e->row, out), fault_output(s, e->fed, e->goal, out));
}
