/* place_map.h - a chain of a plan as a map of places: which place of the whole a device holds where.
 *
 * Chains are walked on plain integers, place by place.  Nothing is shared with the
 * algebra's reading of a plan (engine/pair/chain.h), so that each can catch the other.
 */
#ifndef DIVERGE_PLACE_MAP_H
#define DIVERGE_PLACE_MAP_H

#include "pair/chain.h"
#include "tensor/shape.h"

struct place_map;

/* From a tensor of that shape; NULL: the chain does not fit it, or there are more than 16 dimensions or 64 axes.  Lives in the
 * arena, and uses the mesh and the chain's steps. */
struct place_map *place_map_new(arena *a, const mesh *ms, const chain *c, const shape *whole);
int64_t place_map_size(const struct place_map *m);	/* places that a device holds */
/* index[0 .. n): per local place from `from` on that of the whole, NUMBERS_ZERO or NUMBERS_ANY.  A map function of
 * numbers_relation; ctx: the map. */
void place_map_index(void *ctx, int device, int64_t from, int64_t n, int64_t *index);
int64_t place_map_coordinate(const mesh *ms, int axis, int64_t device);

/* How many places of a tensor some device holds by one of the chains; -1: too many to look at. */
int64_t places_held(const mesh *ms, const shape *whole, int n, const chain *const *c);
/* Does every place of every device hold what it will, so that nothing is said of them?  False where they are too many to look at. */
bool places_free(const mesh *ms, const shape *whole, const chain *c);

#endif
