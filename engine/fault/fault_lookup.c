#include "fault/fault_in.h"

#include <string.h>
#include "relation/lookup.h"

const char *fault_lookup(const states *s, int row, arena *out)
{
	int x = row_at(s, row)->nop ? row_at(s, row)->op[0] : -1;

	if (lookup_written_alike(s, row))
		return arena_printf(out, "every device of %s writes %%%s into its own part of %%%s, and no mask leaves the part as it is where another device holds the "
				    "place", axes_of(s, row_axes(s, x), out), base_name(s, s->rs[row_at(s, row)->op[1]].base),
				    base_name(s, s->rs[x].base));
	if (!lookup_of_whole(s, row))
		return NULL;
	return arena_printf(out, "it looks up in each device's own part of %%%s over %s at places that are the same on every device: places of the whole stand for "
			    "places of the part, whose offset is to be taken off", base_name(s, s->rs[x].base),
			    axes_of(s, row_axes(s, x), out));
}

static bool looks_up(const struct row *r)
{
	return r->inst->opcode == OP_GATHER || r->inst->opcode == OP_DYNAMIC_SLICE;
}

const char *fault_lookup_mask(const states *s, int row, arena *out)
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

const char *fault_lookup_index(const states *s, int row, arena *out)
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
