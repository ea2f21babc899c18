/* state.h - what the rows of the distributed program are to the baseline (DESIGN section 4).
 *
 * `states_refresh` brings everything up to where the pair stands.  The first
 * time that is linear in the number of rows; then it costs what has changed since
 * the last time, also when the pair was undone.  What it finds depends on where
 * the pair stands alone, not on how often it was called on the way, as far as
 * probes answer the same.  Call it after the pair has moved and before reading;
 * it does nothing when nothing has changed.
 *
 * A `block` is a part of a baseline value (one step of a ring, one chunk): a product
 * of shards, or a slice where the baseline takes none, when all such rows together
 * are the whole value; and what is made of a block as the baseline makes it of the
 * whole.
 *
 * What all trips of a loop in closed form have (`trips`) is as well known as what it
 * is made of.
 *
 * States `partial`, `reordered` and `block` are asked by probes (probe.h), in program
 * order, only for settled rows that are not related and whose inputs are
 * verified, or which put steps together; answers are kept.  Texts are made when
 * asked for.
 *
 * The states own their memory; pointers are good until the next refresh.
 */
#ifndef DIVERGE_STATE_H
#define DIVERGE_STATE_H

#include "pair/pair.h"

enum state_kind {
	STATE_OPEN,		/* not settled yet */
	STATE_RELATED, STATE_REORDERED, STATE_BLOCK, STATE_PARTIAL, STATE_SCALED, STATE_CONSTANT, STATE_TRIPS, STATE_NONE,
	STATE_KINDS
};
const char *state_kind_name(enum state_kind k);	/* "open", "related", .. "unverified" */

typedef struct row_state {
	enum state_kind kind;
	bool verified;		/* all but open, scaled and none; parameters always */
	bool tainted;		/* verified only under a hypothesis */
	bool limit;		/* none, because a probe was cut: unknown */
	bool settled;
	bool constant;		/* depends on no parameter, whatever it is related to */
	bool index;		/* integer or predicate arithmetic without counterpart: the rows it feeds are blamed */
	bool step;		/* none: what is reduced or multiplied out of blocks, perhaps a part of what is put together later */
	int base;		/* baseline row it corresponds to, or -1 */
	rat scale;		/* STATE_SCALED: d = scale * base */
	const char *note;	/* the relation in words where it was made with the state, else NULL: state_relation makes it */
} row_state;

typedef struct states states;
states *states_new(pair *q);
void states_free(states *s);
void states_refresh(states *s);

const row_state *state_of(const states *s, int dist_row);
const int *states_bases(const states *s);	/* per distributed row: state_of(..)->base, to be compared as a whole */
/* The distributed row that stands for a baseline row: the first one that has it as base; -1 if none. */
int state_partner(const states *s, int base_row);
/* "S(1) over tp", "P(sum) over tp", "4 x %add.7", "const", "" when unverified.  In the arena given. */
char *state_relation(const states *s, int dist_row, arena *out);
/* How a verified row holds the core of its baseline row: device and local place to place of the core; reduced by op over the
 * mesh axes first, when there is an op.  False: it is verified in another way, or not. */
typedef struct holding {
	layout l;
	const struct index_map *map;	/* of the places of l to those of the core; NULL: they are */
	const char *op;
	uint32_t axes;			/* a bit each */
} holding;
bool state_holding(const states *s, int dist_row, holding *out);
int64_t held_place(const holding *h, int64_t dev, int64_t local);	/* local: flat */
/* One mark for column one: '=' '!' '.' '?' 'x' '*' as DESIGN section 8; frontier rows are the caller's to mark. */
char state_mark(const states *s, int dist_row);

typedef struct state_counts {
	int base, dist;		/* rows in all */
	int n[STATE_KINDS];	/* rows per state */
	int verified;
} state_counts;
state_counts states_count(const states *s);	/* kept while refreshing */
/* Live rows without counterpart: of the baseline, those no distributed row corresponds to; of the distributed program, the
 * unverified ones.  Their number. */
int states_unmatched(const states *s, enum program_side side, arena *out, const int **row);

/* Tools for the files of this storey. */
int state_base_of_core(const states *s, eg_id core, int dist_row);	/* best baseline row with this core, or -1 */
bool row_form(const pair *q, enum program_side side, int row, layout *l, eg_id *core);	/* its cell, of the baseline pair_whole's; false when not lifted */

#endif
