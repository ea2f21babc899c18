#include "lookup.h"

#include <string.h>
#include "fault_in.h"

/* Along dimension k of a row's first operand, is a place looked up in a part of the baseline's? */
static bool in_part(const states *s, const struct row *r, int k, const int64_t *size, int nsize)
{
	const struct row *x = row_at(s, r->op[0]), *whole = pair_row(s->q, SIDE_BASE, s->rs[r->op[0]].base);

	return k < x->rank && k < nsize && x->dim[k] < whole->dim[k] && size[k] < x->dim[k];
}

/* Does an index come of what the programs are given, and is it the same on all devices of some axes? */
static bool same_on(const states *s, int row, uint32_t axes)
{
	layout l;
	eg_id core;

	return !s->rs[row].constant && row_form(s->q, SIDE_DIST, row, &l, &core) && !(bound_axes(&s->q->ms, &l) & axes);
}

static bool gathers_whole(const states *s, const struct row *r, uint32_t axes)
{
	int nsize, nmap, k;
	const int64_t *size = inst_ints(r->inst, "slice_sizes", &nsize), *map = inst_ints(r->inst, "start_index_map", &nmap);

	for (k = 0; k < nmap && size; k++)
		if (in_part(s, r, (int)map[k], size, nsize))
			return same_on(s, r->op[1], axes);
	return false;
}

static bool slices_whole(const states *s, const struct row *r, uint32_t axes)
{
	int nsize, k;
	const int64_t *size = inst_ints(r->inst, "dynamic_slice_sizes", &nsize);

	for (k = 0; size && k + 1 < r->nop; k++)
		if (in_part(s, r, k, size, nsize))
			return same_on(s, r->op[1 + k], axes);
	return false;
}

bool lookup_of_whole(const states *s, int row)
{
	const struct row *r = row_at(s, row);
	enum opcode op = r->inst->opcode;
	const row_state *x;
	uint32_t axes;

	if ((op != OP_GATHER && op != OP_DYNAMIC_SLICE) || r->nop < 2)
		return false;
	x = &s->rs[r->op[0]];
	if (x->kind != STATE_RELATED || x->constant || x->base < 0 || pair_row(s->q, SIDE_BASE, x->base)->rank != row_at(s, r->op[0])->rank ||
	    !(axes = row_axes(s, r->op[0])))
		return false;
	return op == OP_GATHER ? gathers_whole(s, r, axes) : slices_whole(s, r, axes);
}

/* Is what a row makes chosen over what it is made of on some devices only? */
static bool masked(const states *s, int row)
{
	const struct side *d = &s->side[SIDE_DIST];
	int left = 8, k;

	for (; left; left--) {
		for (k = d->use_at[row]; k < d->use_at[row + 1]; k++)
			if (row_at(s, d->use[k])->inst->opcode == OP_SELECT)
				return true;
		if (d->use_at[row + 1] != d->use_at[row] + 1 || !state_relabels(row_at(s, d->use[d->use_at[row]])->inst->opcode))
			return false;
		row = d->use[d->use_at[row]];
	}
	return true;
}

/* One update that every device writes into its own part of a baseline value; false: the devices write different ones, or it is masked. */
static bool writes_alike(const states *s, int row)
{
	const struct row *r = row_at(s, row), *x, *u, *whole;
	uint32_t axes;
	int k;

	if (r->inst->opcode != OP_DYNAMIC_UPDATE_SLICE || r->nop != 2 + r->rank || s->rs[r->op[0]].kind != STATE_RELATED || s->rs[r->op[0]].constant ||
	    s->rs[r->op[1]].kind != STATE_RELATED || !(axes = row_axes(s, r->op[0])) || !same_on(s, r->op[1], axes))
		return false;
	x = row_at(s, r->op[0]);
	u = row_at(s, r->op[1]);
	whole = pair_row(s->q, SIDE_BASE, s->rs[r->op[0]].base);
	for (k = 0; k < x->rank && whole->rank == x->rank; k++)
		if (x->dim[k] < whole->dim[k] && u->dim[k] < x->dim[k])
			return !masked(s, row);
	return false;
}

const char *lookup_fault(const states *s, int row, arena *out)
{
	int x = row_at(s, row)->nop ? row_at(s, row)->op[0] : -1;

	if (writes_alike(s, row))
		return arena_printf(out, "every device of %s writes %%%s into its own part of %%%s, and no mask leaves the part as it is where another device holds the "
				    "place", axes_text(&s->q->ms, row_axes(s, x), out), pair_row(s->q, SIDE_BASE, s->rs[row_at(s, row)->op[1]].base)->path,
				    pair_row(s->q, SIDE_BASE, s->rs[x].base)->path);
	if (!lookup_of_whole(s, row))
		return NULL;
	return arena_printf(out, "it looks up in each device's own part of %%%s over %s at places that are the same on every device: places of the whole stand for "
			    "places of the part, whose offset is to be taken off", pair_row(s->q, SIDE_BASE, s->rs[x].base)->path,
			    axes_text(&s->q->ms, row_axes(s, x), out));
}

static bool looks_up(const struct row *r)
{
	return r->inst->opcode == OP_GATHER || r->inst->opcode == OP_DYNAMIC_SLICE;
}

const char *lookup_mask_fault(const states *s, int row, arena *out)
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

const char *lookup_index_fault(const states *s, int row, arena *out)
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
