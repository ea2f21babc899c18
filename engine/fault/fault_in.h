/* fault_in.h - what the judgements of fault.c share: the words for rows and axes, and one function per kind of fault.
 *
 * A judgement looks at one unverified row whose inputs are verified.  It answers
 * a sentence, whose subject is the row, or NULL: that is not what is wrong, or it
 * cannot be told.  None changes what is known; sentences live in the arena given.
 * `near` is the nearest candidate where a difference from it is known, else NULL.
 * Judgements with a noun of their own stand in its header: ring.h, seam.h, ..
 */
#ifndef DIVERGE_FAULT_IN_H
#define DIVERGE_FAULT_IN_H

#include "fault/fault.h"

static inline const char *dist_name(const states *s, int row)
{
	return s->q->dist->row[row].path;
}
static inline const char *base_name(const states *s, int row)
{
	return s->q->base->row[row].path;
}
static inline const char *axes_of(const states *s, uint32_t axes, arena *out)
{
	return axes_text(&s->q->ms, axes, out);
}
static inline uint32_t axes_over(const states *s, int row)	/* over which a collective goes */
{
	return collective_axes(&s->q->ms, row_at(s, row));
}
/* The baseline row that most likely is the counterpart, or NULL. */
static inline const struct row *nearest_base(const states *s, const frontier_entry *e)
{
	return e->nbase ? &s->q->base->row[e->base[0]] : NULL;
}
static inline bool row_gathers(const struct row *r)
{
	return r->inst->opcode == OP_ALL_GATHER || r->inst->opcode == OP_ALL_GATHER_DONE;
}
static inline bool same_value(const states *s, int x, int y)	/* of two baseline rows */
{
	const eg_id *core = s->side[SIDE_BASE].core;

	return x == y || (x >= 0 && y >= 0 && core[x] != NIL && core[y] != NIL && eg_root(s->q->p->g, core[x]) == eg_root(s->q->p->g, core[y]));
}
const char *named_operand(const states *s, int row, arena *out);	/* "%x is S(0) of %y" */
const char *value_name(const states *s, int row, arena *out);		/* by the baseline's name where it is the baseline's value */

/* fault_output.c: an output with another relation than the plan's */
const char *fault_output(const states *s, int row, const goal *g, arena *out);
const char *fault_lost_order(const states *s, const frontier_entry *e, arena *out);	/* .. and the row it has its order from */

/* fault_scaled.c: a multiple of a baseline value */
const char *fault_scaled(const states *s, const frontier_entry *e, const frontier_candidate *near, arena *out);

/* fault_parts.c: parts of a sum, and means of each device's own */
const char *fault_parts(const states *s, const frontier_entry *e, const frontier_candidate *near, arena *out);
const char *fault_own_mean(const states *s, int row, arena *out);
const char *fault_counted_often(const states *s, int row, arena *out);	/* what all devices hold is added up over them */
/* The sum over devices that a row's value goes into, through rows that add, scale or move; -1: there is none. */
int row_reduced_by(const states *s, int row);

/* fault_block.c: blocks of a baseline value */
const char *fault_misplaced_block(const states *s, int row, arena *out);
const char *fault_constant_beside_block(const states *s, const frontier_entry *e, arena *out);
const char *fault_lone_block(const states *s, const frontier_entry *e, const frontier_candidate *near, arena *out);	/* no row makes the others */
const char *fault_blocks_joined(const states *s, int row, arena *out);	/* to all of a value, in another order */
const char *fault_block_order(const states *s, const frontier_entry *e, arena *out);
/* Is a place of a row, counted along its dimensions, the same place of its core? */
bool lies_in_order(const holding *h, const struct row *r);
/* What an index is on a device, as a slice or an update takes it: moved into 0..most; false: it is not known. */
bool start_on(const states *s, int row, int64_t dev, int64_t most, int64_t *at, arena *out);

/* fault_slice.c: slices of the wrong places */
const char *fault_wrong_segment(const states *s, const frontier_entry *e, const frontier_candidate *near, arena *out);
const char *fault_same_slice(const states *s, const frontier_entry *e, arena *out);	/* on every device */
const char *fault_clamped_start(const states *s, int row, arena *out);
const char *fault_overlapping_slices(const states *s, int row, arena *out);
bool slice_begins_apart(const states *s, int row, arena *tmp);	/* of what every device has whole, each at a place of its own */
const char *fault_misplaced_slice(const states *s, const frontier_entry *e, arena *out);	/* .. which does not fit what it is taken with */
bool row_slices(const states *s, int row);
bool row_takes_block(const states *s, const struct row *r);
/* The row with which something is taken at last, through rows that take nothing else but constants, and the operand beside it that
 * every device has for itself; -1. */
int taken_with(const states *s, int row, int *beside, uint32_t *axes);

/* fault_shard.c: a device's own part, or what another one sends, where the whole is due */
const char *fault_own_part(const states *s, const frontier_entry *e, arena *out);
const char *fault_place_in_part(const states *s, int row, arena *out);	/* .. taken for one of the whole */
const char *fault_added_shards(const states *s, int row, arena *out);
const char *fault_part_beside(const states *s, const frontier_entry *e, arena *out);
const char *fault_padded_parts(const states *s, const frontier_entry *e, arena *out);
const char *fault_missing_edges(const states *s, const frontier_entry *e, arena *out);	/* of a window */
const char *fault_handed_shards(const states *s, int row, arena *out);
const char *fault_without_source(const states *s, int row, arena *out);	/* devices that a permute sends nothing */

/* fault_lookup.c: what is looked up, or written, in each device's own part (lookup.h) */
const char *fault_lookup(const states *s, int row, arena *out);		/* at places of the whole */
const char *fault_lookup_mask(const states *s, int row, arena *out);	/* a mask that does not leave what it should of the finds */
const char *fault_lookup_index(const states *s, int row, arena *out);	/* index arithmetic of its own, and finds that no mask guards */

/* fault_operands.c: the right operation on other operands than the baseline's, or on these as they lie */
const char *fault_packed_otherwise(const states *s, int row, arena *out);
const char *fault_parted_operands(const states *s, int row, arena *out);
bool contracts_alike(const states *s, int row, int base);	/* parts of what a baseline row contracts, cut the same way */
const char *fault_contracted_apart(const states *s, const frontier_entry *e, arena *out);
const char *fault_strangers(const states *s, const frontier_entry *e, const frontier_candidate *near, arena *out);
const char *fault_turned_operand(const states *s, const frontier_entry *e, const frontier_candidate *near, arena *out);
const char *fault_other_operands(const states *s, const frontier_entry *e, arena *out);
const char *fault_other_dimensions(const states *s, const frontier_entry *e, arena *out);	/* are reduced */
/* The same operation as in a baseline row, with other numbers: how these differ. */
const char *fault_other_numbers(const states *s, int row, int base, arena *out);
const char *other_operand(const states *s, int row, int base, arena *out);	/* of an elementwise row: "takes %x where .." */

#endif
