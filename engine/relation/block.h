/* block.h - is a distributed row a block of a baseline row, and which blocks are all of it together?
 *
 * As reorder.h, but the map need not reach every place of the baseline row: a
 * product of shards, a slice that the baseline does not take, and what is made of
 * such a block place by place.
 */
#ifndef DIVERGE_BLOCK_H
#define DIVERGE_BLOCK_H

#include "relation/state_in.h"

/* Fills w (kind, base, laid, map, what it rests on) and is true when the row is one. */
bool block_ask(states *s, int row, const layout *l, struct answer *w);
/* Marks the blocks that together are the whole of their baseline row as covered, and as dirty: false when there are no new ones. */
bool blocks_find_covered(states *s);

#endif
