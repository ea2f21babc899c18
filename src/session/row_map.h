/* row_map.h - which place of a baseline row every place of a distributed row is, as plain numbers.
 *
 * Made from the two layouts over one core, or from a chain.  What it says of
 * places is read by the interpreter's comparison (engine/interp/numbers.h).
 */
#ifndef DIVERGE_ROW_MAP_H
#define DIVERGE_ROW_MAP_H

#include "session/session.h"

struct row_map;

/* By the layouts that are known (chain NULL), else by a chain; NULL and a reason.  *relation: in words.  What is built on
 * the way is undone; the map lives in the arena. */
struct row_map *row_map_new(struct session *s, arena *a, int base, int dist, const char *chain, const char **relation, const char **why);
/* Are the two rows known to hold one core?  Then no chain is needed. */
bool row_map_known(struct session *s, int base, int dist);
/* index[0 .. n): per local place from `from` on the baseline's, or NUMBERS_ANY.  A map function of numbers_relation; ctx: the map. */
void row_map_index(void *map, int device, int64_t from, int64_t n, int64_t *index);

#endif
