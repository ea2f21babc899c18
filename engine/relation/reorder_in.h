/* reorder_in.h - what reorder.c and block.c share: guesses at a map from a row's places to a baseline row's, asked by a probe. */
#ifndef DIVERGE_REORDER_IN_H
#define DIVERGE_REORDER_IN_H

#include "relation/reorder.h"

/* A map of the places of a row's core, `of`, and what is read at it over labels of their own. */
struct guess {
	label *of, **own;
	int n;
	ix *e, *read;
};

typedef bool guess_fn(states *s, int row, int base, struct guess *g);

/* By laying the normal nodes of both rows side by side; `block`: the map need not reach every place. */
bool guess_by_terms(states *s, int row, int base, bool block, struct guess *g);
/* Is core d a part of core b, by their terms down to what both read?  Only inside a probe, and a guess. */
bool guess_block_of(states *s, eg_id d, eg_id b);
/* Is the row that baseline row read so?  Fills what w rests on, its rules and its map. */
bool guess_ask(states *s, int row, int base, const layout *l, guess_fn *how, struct answer *w);
/* Baseline rows that it may be, best first: at most 8. */
int guess_candidates(const states *s, int row, int *base);

#endif
