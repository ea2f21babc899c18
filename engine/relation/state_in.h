/* state_in.h - what the files of the relations storey share: the inside of `struct states`.
 *
 * Rows with one core are chained per root of its class, in program order; the
 * chains are kept while classes merge.  `core` is the core of a row's cell when
 * it was last looked at.
 *
 * What a refresh changes is logged (`state_keep`, the trail of the states' own),
 * and every refresh leaves a *point*: when the pair was moved back, the states
 * go back to the last point that is not behind it, and forward from there.
 */
#ifndef DIVERGE_STATE_IN_H
#define DIVERGE_STATE_IN_H

#include "egraph/explain.h"
#include "pair/collective.h"
#include "pair/probe.h"
#include "relation/state.h"

#define ROWS_BEFORE 64		/* rows before one that are looked at for where the baseline stood */
#define COPIES_BEFORE_OUTPUT 8	/* copies of an output that are looked behind */
#define LONGEST 4096		/* rows of a chain, or uses of a class, that are looked at */

struct chain_of_rows {
	int32_t first, last;	/* row + 1 */
};

struct side {
	const program *p;
	eg_id *core;		/* per row, NIL: none */
	int32_t *next;		/* per row: the next with its core, + 1 */
	vec chain;		/* per node: struct chain_of_rows, of a root's class */
	int *use_at, *use;	/* users of row r: use[use_at[r]..use_at[r+1]) */
};

/* What a probe answered about a row: kept with what it rests on. */
struct answer {
	bool asked;
	enum state_kind kind;	/* STATE_PARTIAL, STATE_REORDERED, STATE_BLOCK, STATE_RELATED (at the places the baseline has), STATE_NONE */
	bool limit;
	int base;
	const char *note;	/* NONE: of the multiple */
	uint32_t axes;		/* PARTIAL: over these mesh axes, a bit each */
	bool whole;		/* PARTIAL: the reduced value is all of it on every device */
	const char *op;
	eg_id core;
	uint32_t edges;		/* unions there were */
	bool done;		/* asked when everything was lifted */
	const char *rules;
	layout laid;		/* REORDERED, BLOCK: the row's when it was asked */
	bool covered;		/* BLOCK: with others it is the whole */
	const struct index_map *map;	/* REORDERED, BLOCK: place of the row's core -> place of the baseline's */
	const chain *padded;	/* RELATED at the places of this chain */
	int scaled_base;	/* NONE: summed over scaled_axes it is scale times this baseline row's value; -1: it is not */
	rat scale;
	uint32_t scaled_axes;
	int nopened;
	eg_id *opened;
};

/* How far the states have come. */
struct point {
	trail_mark at, log;	/* of the pair's trail; of the states' own */
	arena_mark text;
	uint32_t nedge, nnode, nassumed;
	uint64_t fired;
	int position;
	bool idle;
	bool postponed;		/* a row waits for a moment when it can be asked about */
};

struct states {
	pair *q;
	arena a;
	struct side side[2];
	row_state *rs;
	int *base;		/* per row: rs.base, side by side */
	struct answer *answer;
	bool begun;
	bool judging_all;	/* rows behind the one that is judged are dirty anyhow */
	struct point now;
	trail log;
	taints taints;
	vec point;		/* struct point */
	uint64_t *dirty;	/* a bit per row: to be judged (again); none between refreshes */
	int first_dirty;	/* none before this one is */
	uint64_t *open;		/* .. neither verified nor unsettled */
	uint64_t *scaled;	/* .. of these a multiple of a baseline value */
	uint64_t *subtracts;	/* .. a difference, whatever is known of it */
	uint64_t *refused;	/* .. asked about, and the answer was no, or not yet: a block without the rest */
	uint64_t *block;	/* .. asked about, and it is a block */
	/* distributed rows that have one baseline row as base, in program order: rows + 1 */
	int32_t *same_before, *same_behind, *first_of, *last_of;
	int npack, *pack;	/* rows that pack tensors into one, in program order */
	int nplace, *place;	/* .. that may hold the places where another result was found (presumed_finds) */
	state_counts counts;
};

void state_keep(states *s, void *p, size_t n);	/* n bytes, a multiple of 8, are about to change */
/* The first row from `row` on whose bit is set, n: none. */
int state_next_bit(const uint64_t *bits, int row, int n);
int state_last_bit(const uint64_t *bits, int row);	/* .. the last one up to `row`, -1: none */
static inline bool state_bit(const uint64_t *bits, int row)
{
	return bits[row / 64] >> row % 64 & 1;
}
static inline void state_clear_bit(uint64_t *bits, int row)
{
	bits[row / 64] &= ~((uint64_t)1 << row % 64);
}
static inline void state_set_bit(uint64_t *bits, int row)
{
	bits[row / 64] |= (uint64_t)1 << row % 64;
}
static inline void state_dirty(states *s, int row)
{
	state_set_bit(s->dirty, row);
	if (s->first_dirty > row)
		s->first_dirty = row;
}
static inline const struct row *row_at(const states *s, int dist_row)
{
	return &s->q->dist->row[dist_row];
}
/* What each device finds in its own part by index arithmetic: a part of what the baseline finds, once the rest is masked. */
bool state_found_in_part(const states *s, int row);
/* Does a row mask such a find, its operand `what`, by index arithmetic? */
bool state_masks_found(const states *s, int row, int *what);
int state_given_out(const states *s, int row);	/* the row of a goal that a row is, or is only moved and copied to; -1: none */
int state_moved_to(const states *s, int row);	/* the one row that a row goes to, which only moves or copies it; -1 */
int state_moved_from(const states *s, int row);	/* the operand that a row holds at other places, or guarded; -1: none */
bool row_taken(const pair *q, enum program_side side, int row);	/* row tensors are not on the trail: where the pair stands decides */
eg_id row_core(const pair *q, enum program_side side, int row);	/* NIL: not lifted */
eg_id row_cell(const pair *q, enum program_side side, int row);	/* .. or it stands for all trips of a loop */

/* state_judge.c: what a row is now.  Padding is cleared, too: states are compared as a whole. */
void state_now(states *s, int row, row_state *r);

/* state_chain.c: unions from .. to, rows taken up from .. to; rows of DIST that this concerns become dirty. */
void state_follow_edges(states *s, uint32_t from, uint32_t to);
void state_follow_rows(states *s, int from, int to);
void state_chain_anew(states *s);
const struct chain_of_rows *state_chain(const struct side *d, eg_id root);
int state_order_before(const states *s, int row);	/* the baseline row that the row before corresponds to, or -1 */
const struct answer *state_ask(states *s, int row, const layout *l, eg_id core);	/* NULL: not while nodes wait */
/* Baseline row with `scale` times the value: base -1 when there is none, or it is the value itself. */
struct multiple {
	int base;
	rat scale;
};
struct multiple state_multiple(const states *s, int row, eg_id core);
bool state_is_number(const states *s, enum program_side side, int row, rat *c);	/* one number at all its places */
bool state_number(const states *s, enum program_side side, int row, rat *c);	/* the number that a product or quotient is taken with */
void answer_rests_on(states *s, struct answer *w, const probe *p);
uint32_t bound_axes(const mesh *ms, const layout *l);	/* mesh axes a layout binds, a bit each; 0 where device digits are no axes */
uint32_t row_axes(const states *s, int row);	/* .. that a row of the distributed program binds; 0 where its form is not known */
bool state_relabels(enum opcode op);		/* does it give the values of its operand, at other places or in another type? */
static inline bool row_moves(const struct row *r)	/* .. and has it one operand? */
{
	return r->nop == 1 && state_relabels(r->inst->opcode);
}
static inline bool row_scaled(const states *s, int row)
{
	return s->rs[row].kind == STATE_SCALED;
}

/* Baseline rows that consume counterparts of a distributed row's operands, best first; their number (at most max). */
int counterpart_users(const states *s, int dist_row, int *out, int max);
/* The baseline row without counterpart that does the same operation and is as large, whatever it takes: of several the one that stands
 * among them as the row does among such that are not verified; -1. */
int counterpart_alike(const states *s, int dist_row);
/* Baseline rows that stand for a distributed row: those with its core nearest first, else the one it is reordered, partial, a multiple .. of. */
int counterparts(const states *s, int dist_row, int *out, int max);

#endif
