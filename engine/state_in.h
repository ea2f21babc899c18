/* state_in.h - what the files of the relations storey share: the inside of `struct states`.
 *
 * Rows with one core are chained per root of its class, in program order; the
 * chains are kept while classes merge.  `core` is the core of a row's cell when
 * it was last looked at.
 */
#ifndef DIVERGE_STATE_IN_H
#define DIVERGE_STATE_IN_H

#include "probe.h"
#include "state.h"

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
	enum state_kind kind;	/* STATE_PARTIAL, STATE_REORDERED, STATE_RELATED (at the places the baseline has), STATE_NONE */
	bool limit;
	int base;
	const char *note;
	uint32_t axes;		/* PARTIAL: over these mesh axes, a bit each */
	bool whole;		/* PARTIAL: the reduced value is all of it on every device */
	const char *op;
	eg_id core;
	uint32_t edges;		/* unions there were: it is an answer of that moment and after */
	bool done;		/* asked when everything was lifted */
	const char *rules;
	layout laid;		/* REORDERED: the row's when it was asked */
	const struct index_map *map;	/* REORDERED: place of the row's core -> place of the baseline's */
	const chain *padded;	/* RELATED at the places of this chain */
	int nopened;
	eg_id *opened;
};

struct prim {			/* a core without its rational factor */
	uint64_t key;
	rat c;
	int row;
};

struct states {
	pair *q;
	arena a;
	struct side side[2];
	row_state *rs;
	struct answer *answer;
	vec edge;		/* all unions seen, those ahead of an undo too */
	uint32_t nedge, nnode, nassumed;	/* at the last refresh */
	bool postponed;		/* a row waits for a moment when it can be asked about */
	bool begun;
	uint64_t fired;
	trail_mark at;
	int position;
	bool idle;
	uint8_t *dirty, *flip, *constant;
	int *partner;		/* per baseline row */
	struct prim *prim;
	int nprim;
	uint32_t prim_edges;
};

const struct chain_of_rows *state_chain(const struct side *d, eg_id root);
int state_order_before(const states *s, int row);	/* the baseline row that the row before corresponds to, or -1 */
const struct answer *state_ask(states *s, int row, const layout *l, eg_id core);	/* NULL: not while nodes wait */
bool state_scaled(states *s, int row, eg_id core, row_state *r);
void answer_rests_on(states *s, struct answer *w, const probe *p);
const char *partial_word(const char *op);		/* "sum", "max", .. */
char *axes_text(const mesh *ms, uint32_t axes, arena *out);	/* "dp,tp" */
uint32_t bound_axes(const mesh *ms, const layout *l);	/* mesh axes a layout binds, a bit each; 0 where device digits are no axes */

/* Baseline rows that consume counterparts of a distributed row's operands, best first; their number (at most max). */
int counterpart_users(const states *s, int dist_row, int *out, int max);
/* Baseline rows that stand for a distributed row: those with its core nearest first, else the one it is reordered, partial .. of. */
int counterparts(const states *s, int dist_row, int *out, int max);

#endif
