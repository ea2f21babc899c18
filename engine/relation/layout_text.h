/* layout_text.h - layouts in the words people use for placements.
 *
 * The relation of a distributed tensor d (layout m of x) to a baseline tensor b
 * (layout l of the same x) prints as
 *     R                                   every device holds all of it
 *     S(1) over tp                        dimension 1 is sharded by mesh axis tp
 *     S(0) over dp · S(1) over tp         several axes; on one dimension the major axis first
 *     S(0) over tp[0:2]                   by a part of an axis: digits counted major to minor
 * and, where that is not all, what has to be done with the gathered tensor to
 * get the baseline's: a permutation (`transpose {1,0,2} of [2,2,6]`), else the
 * shortest sequence of reshapes and transposes with shapes.  Digits of d that x
 * does not know are named as broadcast.
 *
 * Texts live in the arena given, and so does what finding them takes; the e-graph
 * is not looked at.
 */
#ifndef DIVERGE_LAYOUT_TEXT_H
#define DIVERGE_LAYOUT_TEXT_H

#include "pair/chain.h"

/* False: they have no common pieces, so that the relation would be the layout in digits. */
bool layout_relates(const mesh *ms, const layout *base, const layout *dist);
/* What dist is to base: placements, then `; ` and the residue if there is one. */
char *layout_relation(arena *out, const mesh *ms, const layout *base, const layout *dist);
/* The relation as a plan writes it, "R", "tp:S(1)", "reshape(2,2,8) transpose(1,0,2) reshape(8,4)"; false where it has no such form. */
bool layout_chain(arena *out, const mesh *ms, const layout *base, const layout *dist, chain *c);
/* A plain placement as shards: whole axes, in the order a plan writes them; -1 when it is none (or not by whole axes). */
typedef struct layout_shard { int axis, dim; } layout_shard;
int layout_shards(arena *out, const mesh *ms, const layout *base, const layout *dist, layout_shard **s);
/* Nothing but placements and reshapes lies between them. */
bool layout_keeps_order(const mesh *ms, const layout *base, const layout *dist);
/* .. and a dimension is sharded in equal segments: each device has several, far apart. */
bool layout_in_segments(const mesh *ms, const layout *base, const layout *dist);
/* From the gathered distributed tensor to the baseline's: "reshape [2,2,6], transpose {1,0,2}, reshape [4,6]"; "" if they are the same. */
char *layout_steps(arena *out, const mesh *ms, const layout *base, const layout *dist);
/* Small tensors: which element of the baseline lies where on which device, one line per device; NULL beyond `max` elements in all. */
char *layout_grid(arena *out, const layout *base, const layout *dist, int64_t max);
/* Digits: "4 at 32, 8 free". */
char *layout_digits(arena *out, int n, const digit *d);
/* The layout alone: device and local digits by the factor of the core they bind. */
char *layout_text(arena *out, const layout *l);

#endif
