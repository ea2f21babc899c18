/* placement.h - a `sharding=` annotation as placements over the axes of a mesh.
 *
 * Device d's tile along a dimension must be a number whose digits are those of
 * whole axes, major first, else there is no relation.  `placement_mesh` is the
 * finest mesh, one axis per prime factor of the device count: over it every
 * regular annotation is placements of whole axes.  An annotation that keeps a
 * device apart, is manual or not reduced gives none.
 */
#ifndef DIVERGE_PLACEMENT_H
#define DIVERGE_PLACEMENT_H

#include "pair/chain.h"
#include "tensor/graph.h"

/* The chain from a tensor of shape `global` to the local one of shape `local`; false when there is none. */
bool placement_chain(arena *a, const sharding *s, const mesh *ms, const shape *global, const shape *local, chain *out);
mesh placement_mesh(arena *a, int64_t ndev);
/* The mesh whose axes the device groups of a program are made of, d0 .. major first: of one axis, `dev`, where there are no
 * groups, they are made of no axes, or ids are not those of devices. */
mesh placement_groups_mesh(arena *a, const module *m, int64_t ndev);

#endif
