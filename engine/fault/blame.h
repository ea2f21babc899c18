/* blame.h - the frontier while it is found: entries, and the passes that move
 * them to where a fault is best told.
 *
 * frontier_find.c makes an entry of every row that is to be blamed; then each
 * pass (the table is there) looks at all entries: it may move one to another row,
 * add what belongs to it, or drop it where another tells it, by row -1.
 */
#ifndef DIVERGE_BLAME_H
#define DIVERGE_BLAME_H

#include "fault/frontier.h"

struct blame {
	states *s;
	arena *out;
	bool *live;		/* unverified, and an unproved output is reached through unverified rows only */
	bool *presumed;		/* unverified, and nothing speaks against it */
	bool *staged;		/* presumed as what a stage of a pipeline has, or makes of that */
	bool *held;		/* something that it takes is to be blamed before it */
	frontier_entry *e;
	int n;
};

/* The goal that is not met at a row of DIST, or NULL. */
const goal *blame_goal(const pair *q, int row);
/* Is everything that it takes verified, presumed, or passed through? */
bool blame_settled(const struct blame *w, int row);
bool blame_entered(const struct blame *w, int row);
frontier_entry *blame_add(struct blame *w, int row, enum frontier_kind kind, const goal *g);

bool blame_takes_staged(const struct blame *w, int row);

/* ---- blame_order.c: places in another order */
void blame_gathers(struct blame *w);
void blame_outputs(struct blame *w);
void blame_lost_order(struct blame *w);
/* Does it put other places together than its nearest candidate? */
bool blame_pairs_otherwise(const states *s, const frontier_entry *e, arena *tmp);

/* ---- blame_slice.c: what each device takes of what all have */
void blame_slices(struct blame *w);

/* ---- blame_pass.c: parts, pieces, indices */
void blame_seams(struct blame *w);
void blame_rings(struct blame *w);
void blame_running(struct blame *w);
void blame_uneven_chunks(struct blame *w);
void blame_shares(struct blame *w);
void blame_corrections(struct blame *w);
void blame_choices(struct blame *w);
void blame_parts(struct blame *w);
void blame_strays(struct blame *w);

/* ---- blame_doubt.c: what may be right in a way of its own is blamed only where nothing else is */
void blame_doubtful(struct blame *w);

/* ---- blame_stage.c: entries that are the baseline's on some device, or in part, are presumed, but for outputs.  Is there
 * one?  No more than `left` rows are asked. */
bool blame_presume_stages(const struct blame *w, int *left);

#endif
