#include "fault/blame.h"

#include "fault/fault_in.h"
#include "relation/layout_text.h"

/* Is it sharded as plans say it, each device having one stretch of places, in the order of the devices? */
static bool plainly_sharded(const states *s, int row, arena *tmp)
{
	const row_state *o = &s->rs[row];
	layout_shard *shard;
	layout l, b;
	eg_id x, y;

	return o->kind == STATE_RELATED && o->base >= 0 && row_form(s->q, SIDE_DIST, row, &l, &x) && row_form(s->q, SIDE_BASE, o->base, &b, &y) &&
	       layout_shards(tmp, &s->q->ms, &b, &l, &shard) >= 0;
}

/* The slice that a row is, moved, when each device begins it at a place of its own; -1. */
static int own_slice(const states *s, int row, arena *tmp)
{
	while (row_moves(row_at(s, row)))
		row = row_at(s, row)->op[0];
	return s->rs[row].verified && slice_begins_apart(s, row, tmp) ? row : -1;
}

/* Does a row take, of its operands, places that do not belong together? */
static bool takes_apart(const states *s, const frontier_entry *e, arena *tmp)
{
	return blame_pairs_otherwise(s, e, tmp) || fault_parted_operands(s, e->row, tmp) || fault_contracted_apart(s, e, tmp);
}

/* The one slice of each device's own among what a row takes beside what the devices have by themselves, when it is the slice that
 * does not fit; -1. */
static int misplaced(const states *s, const frontier_entry *e, arena *tmp)
{
	const struct row *r = row_at(s, e->row);
	int k, d, slice = -1, of = -1, with = -1;

	for (k = 0; k < r->nop; k++) {
		if (s->rs[r->op[k]].constant || !s->rs[r->op[k]].verified)
			continue;
		if ((d = own_slice(s, r->op[k], tmp)) < 0) {
			with = row_axes(s, r->op[k]) ? r->op[k] : with;
			continue;
		}
		if (slice >= 0 && slice != d)
			return -1;
		slice = d;
		of = r->op[k];
	}
	if (slice < 0 || with < 0 || (plainly_sharded(s, of, tmp) && !plainly_sharded(s, with, tmp)))
		return -1;
	return takes_apart(s, e, tmp) ? slice : -1;
}

/* What every device has whole, and slices for itself, is told where it is sliced. */
void blame_slices(struct blame *w)
{
	int k, row, fed;

	for (k = 0; k < w->n; k++) {
		frontier_entry *e = &w->e[k];
		if (e->row < 0 || e->kind != FRONTIER_DIFFERS || (row = misplaced(w->s, e, w->out)) < 0)
			continue;
		fed = e->row;
		*e = (frontier_entry){ .row = blame_entered(w, row) ? -1 : row, .kind = FRONTIER_ORDER, .fed = fed };
	}
}
