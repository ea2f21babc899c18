#include "fault/fault_in.h"

#include <string.h>
#include "fault/accumulated.h"
#include "fault/bucket.h"
#include "fault/gathered.h"
#include "fault/pads.h"
#include "fault/ring.h"
#include "fault/running.h"
#include "fault/seam.h"
#include "fault/stage.h"
#include "fault/stray.h"
#include "fault/trips.h"
#include "relation/padded.h"
#include "relation/shift.h"

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

const char *named_operand(const states *s, int row, arena *out)
{
	return arena_printf(out, "%%%s is %s", dist_name(s, row), fault_operand(s, row, out));
}

/* By the baseline's name where it is the baseline's value. */
const char *value_name(const states *s, int row, arena *out)
{
	const row_state *r = &s->rs[row];

	return arena_printf(out, "%%%s", r->kind == STATE_RELATED && r->base >= 0 ? base_name(s, r->base) : dist_name(s, row));
}

/* ---- judgements that have no file of their own */

static const char *unknown_attribute(const states *s, int row, arena *out)
{
	const inst *i = row_at(s, row)->inst;
	int n;
	const char *t = inst_unknown_attr(i, &n);

	return t ? arena_printf(out, "what %s= of %.*s means is not known, so this may be anything", t, n, i->opname) : NULL;
}

static const char *lift_reason(const states *s, int row)
{
	return prover_lift_reason(s->q->p, row_at(s, row)->tensor);
}

static const char *unlifted(const states *s, int row, arena *out)
{
	const struct row *r = row_at(s, row);
	const char *why = r->why ? r->why : lift_reason(s, row);

	return strcmp(why, "no rule") ? arena_printf(out, "no rule says what %s computes: %s", r->inst->opname, why)
				      : arena_printf(out, "no rule says what %s computes", r->inst->opname);
}

static const char *other_numbers(const states *s, const frontier_entry *e, const frontier_candidate *near, arena *out)
{
	return fault_other_numbers(s, e->row, near->base, out);
}

static const char *turned_factor(const states *s, const frontier_entry *e, const frontier_candidate *near, arena *out)
{
	return row_at(s, e->row)->inst->opcode == OP_DOT && near->kind == DIFFERENCE_OPERANDS ? fault_turned_operand(s, e, near, out) : NULL;
}

static const char *difference_but_order(const states *s, const frontier_entry *e, const frontier_candidate *near, arena *out)
{
	(void)s, (void)e, (void)out;
	return difference_of_order(near->kind) || near->kind == DIFFERENCE_UNLIKE ? NULL : near->difference;
}

static const char *difference_told(const states *s, const frontier_entry *e, const frontier_candidate *near, arena *out)
{
	(void)s, (void)e, (void)out;
	return near->kind == DIFFERENCE_UNLIKE ? NULL : near->difference;
}

/* ---- the order in which they are asked */

enum when {
	ALWAYS,
	IF_STRAY,
	IF_UNLIFTED,
	IF_COLLECTIVE,
	IF_DIFFERS,		/* the nearest candidate, in a way that is known */
	IF_OTHER_OPERATION,	/* .. in the operation itself */
	IF_OTHER_CHOICE		/* .. or this is a select */
};

static bool applies(enum when when, const states *s, const frontier_entry *e, const frontier_candidate *near)
{
	switch (when) {
	case IF_STRAY:
		return e->stray;
	case IF_UNLIFTED:
		return lift_reason(s, e->row);
	case IF_COLLECTIVE:
		return collective_grouped(row_at(s, e->row));
	case IF_DIFFERS:
		return near;
	case IF_OTHER_OPERATION:
		return near && difference_of_operation(near->kind);
	case IF_OTHER_CHOICE:
		return near && (difference_of_operation(near->kind) || row_at(s, e->row)->inst->opcode == OP_SELECT);
	default:
		return true;
	}
}

/* What is surely the fault comes before what may follow from it, and a reason in words of its own before the bare difference.  The first
 * that answers is believed. */
static const struct judgement {
	enum when when;
	const char *(*of_row)(const states *s, int row, arena *out);
	const char *(*of_entry)(const states *s, const frontier_entry *e, arena *out);
	const char *(*of_near)(const states *s, const frontier_entry *e, const frontier_candidate *near, arena *out);
} judgements[] = {
	{ IF_STRAY, .of_entry = stray_fault },
	{ ALWAYS, .of_row = unknown_attribute },
	{ IF_UNLIFTED, .of_entry = fault_own_part },
	{ IF_UNLIFTED, .of_row = unlifted },
	{ ALWAYS, .of_row = fault_packed_otherwise },
	{ ALWAYS, .of_row = ring_fault },
	{ ALWAYS, .of_row = fault_lookup },
	{ ALWAYS, .of_row = seam_fault },
	{ ALWAYS, .of_row = fault_blocks_joined },
	{ ALWAYS, .of_row = running_fault },
	{ ALWAYS, .of_row = accumulated_fault },
	{ ALWAYS, .of_row = gathered_fault },
	{ ALWAYS, .of_row = stage_choice_fault },
	{ ALWAYS, .of_row = fault_place_in_part },
	{ ALWAYS, .of_row = shift_fault },
	{ ALWAYS, .of_row = fault_misplaced_block },
	{ ALWAYS, .of_near = fault_parts },
	{ ALWAYS, .of_row = fault_own_mean },
	{ ALWAYS, .of_row = padding_taken },
	{ ALWAYS, .of_row = pads_fault },
	{ ALWAYS, .of_row = fault_lookup_mask },
	{ ALWAYS, .of_row = fault_lookup_index },
	{ ALWAYS, .of_row = fault_without_source },
	{ ALWAYS, .of_row = fault_clamped_start },
	{ ALWAYS, .of_row = fault_overlapping_slices },
	{ ALWAYS, .of_entry = fault_constant_beside_block },
	{ IF_COLLECTIVE, .of_row = fault_counted_often },
	{ ALWAYS, .of_row = fault_added_shards },
	{ ALWAYS, .of_entry = fault_missing_edges },
	{ ALWAYS, .of_entry = fault_padded_parts },
	{ ALWAYS, .of_entry = fault_part_beside },
	{ IF_OTHER_OPERATION, .of_row = fault_handed_shards },
	{ IF_DIFFERS, .of_near = fault_wrong_segment },
	{ ALWAYS, .of_entry = fault_same_slice },
	{ ALWAYS, .of_entry = fault_contracted_apart },
	{ ALWAYS, .of_near = fault_lone_block },
	{ ALWAYS, .of_entry = fault_other_dimensions },
	{ IF_OTHER_CHOICE, .of_row = stage_fault },
	{ IF_OTHER_CHOICE, .of_entry = fault_other_operands },
	{ IF_OTHER_OPERATION, .of_near = other_numbers },
	{ IF_DIFFERS, .of_near = turned_factor },
	{ IF_DIFFERS, .of_near = fault_strangers },
	{ IF_DIFFERS, .of_near = difference_but_order },
	{ ALWAYS, .of_row = fault_parted_operands },
	{ ALWAYS, .of_near = fault_turned_operand },
	{ ALWAYS, .of_row = bucket_fault },
	{ IF_DIFFERS, .of_near = difference_told },
	{ ALWAYS, .of_row = stage_fault },
	{ ALWAYS, .of_row = trips_fault },
	{ ALWAYS, .of_entry = fault_other_operands },
};

static const char *judged(const states *s, const frontier_entry *e, const frontier_candidate *near, arena *out)
{
	const struct judgement *j;
	const char *t = NULL;

	for (j = judgements; j < judgements + sizeof judgements / sizeof *judgements && !t; j++)
		if (applies(j->when, s, e, near))
			t = j->of_row ? j->of_row(s, e->row, out) : j->of_entry ? j->of_entry(s, e, out) : j->of_near(s, e, near, out);
	if (t || near)
		return t ? t : near->difference;
	return e->nbase ? "the baseline computes something else of these operands" : "nothing in the baseline computes this of these operands";
}

/* Where a local index is one of what random bits are made of, that is what a user knows it by. */
static const char *with_draws(const states *s, const frontier_entry *e, const char *t, arena *out)
{
	return strstr(t, DIFFERENCE_LOCAL) && stray_draws_alike(s, e->row, out) ? arena_printf(out, "%s, and every device draws the same random bits", t) : t;
}

const char *fault_sentence(const states *s, const frontier_entry *e, const frontier_candidate *first, arena *out)
{
	const frontier_candidate *near = first && first->difference ? first : NULL;
	const char *t;
	int k;

	switch (e->kind) {
	case FRONTIER_RELATION:
		if (e->fed < 0 && ((t = trips_fault(s, e->row, out)) || (t = fault_blocks_joined(s, e->row, out))))
			return t;
		return e->fed >= 0 ? fault_lost_order(s, e, out) : fault_output(s, e->row, e->goal, out);
	case FRONTIER_SCALED:
		return fault_scaled(s, e, near, out);
	case FRONTIER_ORDER:
		return fault_block_order(s, e, out);
	default:
		t = with_draws(s, e, judged(s, e, near, out), out);
		for (k = 0; k < e->nmore; k++)
			t = arena_printf(out, "%s%s%%%s", t, k ? ", " : "; for the same reason ", dist_name(s, e->more[k]));
		if (e->also)
			t = arena_printf(out, "%s; for the same reason %s", t, fault_output(s, e->also->dist_row, e->also, out));
		return s->rs[e->row].limit ? arena_printf(out, "%s (a question about it was cut by a limit)", t) : t;
	}
}
