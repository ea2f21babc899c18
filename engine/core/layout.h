/* layout.h - layouts: how a family of local tensors lies in a core.
 *
 * A family d on `ndev` devices with local shape `dim` is the core x read at
 *   (digits of the device id) + (digits of the flattened local index):
 * two lists of (size, stride), most significant first, stride 0 where the
 * value does not depend on the digit (a replica on the device side, a broadcast
 * on the local side).  Lists are canonical (neighbours merged, size 1 dropped),
 * so two layouts are the same map iff they are the same interned value; every
 * place of x is read at some (device, index), bound digits once.
 * Checked by brute force in ../tests/test_layout.c.
 */
#ifndef DIVERGE_LAYOUT_H
#define DIVERGE_LAYOUT_H

#include "core/core.h"

typedef struct layout {
	int64_t ndev;
	int rank, nd, nl;
	const int64_t *dim;
	const digit *dev, *loc;
} layout;

layout layout_of(const algebra *a, eg_id laid);		/* of a Laid node */
int64_t layout_elements(const layout *l);		/* local elements */
eg_id layout_laid(algebra *a, const layout *l, eg_id x);	/* the node Laid l x */
/* x's index at device `r` and flattened local index `i` */
ix *layout_read(algebra *a, const layout *l, const ix *r, const ix *i);
/* l read through a view of x: digits of each side composed; stuck where boundaries do not divide */
bool layout_through(algebra *a, const layout *l, int n, const digit *d, layout *out);
ix *flat_index(algebra *a, int rank, const int64_t *dim, ix *const *e);

/* ---- the cell of a Tensor class: the Laid node that stands for it */
eg_id laid_cell(algebra *a, eg_id tensor);		/* NIL when it has none */
void laid_fire(algebra *a, eg_id n);			/* a Laid node was asked */

/* ---- as people write placements */
enum { MESH_AXES_MAX = 32 };		/* of a mesh: sets of axes are bits of 32 */
struct mesh_axis { const char *name; int64_t size; };
typedef struct mesh { int n; const struct mesh_axis *axis; int64_t ndev; } mesh;

#endif
