#include "relation/lookup.h"

#include "relation/state_in.h"

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

bool lookup_written_alike(const states *s, int row)
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
