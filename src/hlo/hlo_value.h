/* hlo_value.h - the values of attributes: text to typed value.
 *
 * `hlo_value` reads the value of one attribute at the lexer's position into
 * `out` (key, kind, text and the typed fields).  A value written before in the
 * same file is not parsed again.  Nested computations are left to the caller:
 * `hlo_value` is never called at the `{` of one.
 */
#ifndef DIVERGE_HLO_VALUE_H
#define DIVERGE_HLO_VALUE_H

#include "hlo/hlo_lex.h"

void hlo_value(lexer *l, const sym *key, attr *out);
/* One shape; layouts are kept. */
const shape *hlo_shape(lexer *l);
/* Does a shape begin here?  Looks only. */
bool hlo_shape_here(lexer *l);
/* A literal of this shape. */
const literal *hlo_literal(lexer *l, const shape *s);

/* Device meshes, also for the protobuf reader.  `ref` names parts of axes:
 * axis `axis` seen as [pre, size, rest], its middle. */
struct mesh {
	int n;
	const char **name;
	int64_t *size;
	int64_t ndevice;
	const int64_t *device;		/* NULL: 0..ndevice-1 */
};
struct axis_ref {
	int axis;
	int64_t pre, size;
};
/* The devices with the referred axes moved last (`last`) or first, in the
 * order of the references; the rest keeps its order.  *why is set on failure. */
const int64_t *mesh_order(arena *a, const struct mesh *m, const struct axis_ref *ref, int nref, bool last,
			  const char **why);
/* 0..product(dim)-1 in shape dim, transposed by perm, row-major.  NULL if the
 * product is not `want` or perm is no permutation. */
const int64_t *iota_order(arena *a, int n, const int64_t *dim, const int64_t *perm, int64_t want);
/* A sharding whose dims are split by the given references: fills tile, sub, devices. */
bool mesh_sharding(arena *a, sharding *s, const struct mesh *m, const struct axis_ref *ref, const int *dim_refs,
		   int ndim, const int *sub_refs, const enum sharding_kind *sub, int nsub, const char **why);

#define MESH_MAX ((int64_t)1 << 22)	/* devices in one list */

/* A literal from values in logical order: found to be a splat or copied. */
literal *literal_ints(arena *a, const int64_t *v, int64_t n);
literal *literal_floats(arena *a, const double *v, int64_t n, int per_element);

#endif
