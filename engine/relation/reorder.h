/* reorder.h - is a distributed row a baseline row read in another order?
 *
 * Both normal nodes are laid side by side: same operation, same coefficients,
 * operand for operand the same class - or classes known to be reorderings of
 * each other - and every index the baseline's node reads is solved for its free
 * labels.  What comes out is a map from the places of the distributed core to
 * those of the baseline's.  It is asked by a probe only when it is a bijection
 * onto the baseline's places, replicas aside; the probe decides, the matching
 * only guesses.
 */
#ifndef DIVERGE_REORDER_H
#define DIVERGE_REORDER_H

#include "relation/state_in.h"

/* base place = map of (distributed core's place): over digits of the latter, row-major. */
struct index_map {
	int n;
	const int64_t *size;
	int64_t base;
	const int64_t *stride;
	int ntab;
	struct index_map_table {
		int n;
		const int *digit;
		const int64_t *v;
	} *tab;
};

/* Fills w (kind, base, laid, map, what it rests on) and is true when it is one. */
bool reorder_ask(states *s, int row, const layout *l, struct answer *w);
/* The map of a reordered row, or of a block, to its baseline row's core in words: "segments 2048,512,512 of dim 1 over tp". */
char *reorder_text(const states *s, const struct answer *w, arena *out);
/* Which place of its baseline row a reordered row or a block holds at a device and local place, both flat. */
int64_t reorder_place(const states *s, int row, int64_t dev, int64_t local);
int64_t reorder_map_at(const struct index_map *m, int64_t at);
ix *reorder_apply(scratch *s, const struct index_map *m, const ix *at);	/* the map as an index */

#endif
