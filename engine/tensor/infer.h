/* infer.h - the shape an instruction must have.
 *
 * A declared shape is never believed: a wrong one can make two different
 * programs look equal.  `infer_shape` computes the shape from operands,
 * attributes and called computations; where part of it is free (the element
 * type of a convert or a dot, the extents of a reshape), that part is taken
 * from the declared shape and the rest is checked.  Extents of windows and
 * slices are at least 1.
 *
 * Result NULL: with *why set the instruction is ill-formed, with *why NULL
 * there is no rule (custom-call, rng, ...) or a declared shape is needed and
 * missing.  Shapes and texts are allocated in `a`.
 */
#ifndef DIVERGE_INFER_H
#define DIVERGE_INFER_H

#include "tensor/graph.h"

const shape *infer_shape(arena *a, const inst *i, const char **why);
/* The first ill-formed instruction, in order; *why in `a`.  NULL: none.  What
 * was allocated in `a` on the way is given back. */
const inst *infer_check(const module *m, arena *a, const char **why);

#endif
