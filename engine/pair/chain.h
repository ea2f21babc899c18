/* chain.h - a chain of steps from a baseline tensor to a local one, as index maps.
 *
 * A chain is read left to right from the baseline tensor to the local one of
 * every device (DESIGN section 7).  Read backward it says, for every device and
 * local index, which baseline place is held there, times a coefficient, or that
 * the place is zero or arbitrary.  Read forward it says where a baseline place
 * is held; digits of axes that nothing binds stay free.
 *
 * Errors are sentences in the scratch arena (`stuck`).
 */
#ifndef DIVERGE_CHAIN_H
#define DIVERGE_CHAIN_H

#include "core/core.h"
#include "core/layout.h"
#include "core/work.h"

enum chain_kind { CHAIN_SHARD, CHAIN_PARTIAL, CHAIN_RESHAPE, CHAIN_TRANSPOSE, CHAIN_PAD, CHAIN_SCALE, CHAIN_REPEAT,
	CHAIN_TAKE, CHAIN_IGNORE, CHAIN_CONVERT };

typedef struct chain_step {
	enum chain_kind kind;
	int axis;		/* of the mesh */
	int dim;
	const char *op;		/* PARTIAL: add, maximum, minimum, and, or */
	int n;
	const int64_t *v;	/* SHARD: segments; RESHAPE: extents; TRANSPOSE; TAKE: blocks; IGNORE: places */
	int64_t to, count, unit;
	bool zero;
	rat scale;
	int type;
} chain_step;

typedef struct chain {
	int n;
	const chain_step *step;
	const char *text;
} chain;

/* The local shape a chain makes of a baseline shape; stuck with a sentence where a step does not fit. */
int64_t *chain_shape(algebra *a, const mesh *ms, const chain *c, int rank, const int64_t *dim, int *out_rank);

/* Why a chain of an array of this rank names a dimension that is not there; NULL: it names none. */
const char *chain_stray(arena *out, const chain *c, int rank);

typedef struct chain_place {
	ix **e;			/* per baseline dimension */
	int rank;
	rat coef;
	int npart;		/* PARTIAL steps: digit of the axis, its size, the operation */
	ix **part;
	int64_t *partsize;
	const char *op;
	int ntest;		/* places outside of [lo, hi) of an expression are arbitrary or zero */
	struct chain_test { ix *e; int64_t lo, hi; bool zero; ix *pad; int64_t padlen; int id; } *test;
	int convert;		/* element type, or -1 */
} chain_place;

/* Backward: r the device, e the local index (of the local shape). */
chain_place chain_back(algebra *a, const mesh *ms, const chain *c, int rank, const int64_t *dim, ix *r, ix *const *e);
/* t, but where a test of p fails what that says instead: zero, or a value of a core called after `name`. */
slot chain_tested(algebra *a, const chain_place *p, slot t, int type, int nfree, label **free, const char *name);
/* Forward: where base index b is held: the device id (axes that nothing binds: digits `free`), the local index. */
typedef struct chain_held { ix *r; ix **e; int rank; } chain_held;
chain_held chain_forward(algebra *a, const mesh *ms, const chain *c, int rank, const int64_t *dim, ix *const *b, ix *const *axis_free);

/* digits of the device id per axis */
ix **mesh_axes(algebra *a, const mesh *ms, ix *r);
ix *mesh_device(algebra *a, const mesh *ms, ix *const *axis);

/* The tensor of shape (rank, dim) of element type `type` on ms->ndev devices that chain c makes of core x read at the
 * baseline's layout l: a Laid node.  With PARTIAL steps x is the core of the parts, part number major.  `name` names the arbitrary values of its padding. */
eg_id chain_apply(algebra *a, const mesh *ms, const chain *c, int type, const layout *base, eg_id x, int brank, const int64_t *bdim,
		  int rank, const int64_t *dim, const char *name);
/* How many parts the PARTIAL steps of c make (1: none), and their operation. */
int64_t chain_parts(const mesh *ms, const chain *c, const char **op);
/* Why the steps that change values do not stand in an order that is compared, or NULL. */
const char *chain_disorder(const chain *c);
/* Why an input cannot hold such parts, or NULL: of what a step made zero, or repeated, the parts are neither. */
const char *chain_parts_misfit(const chain *c);
bool chain_has(const chain *c, enum chain_kind kind);
/* Its steps of some kinds, a bit 1 << kind each; `text` is that of the whole. */
chain chain_filter(arena *out, const chain *c, unsigned kinds);
rat chain_scale(const chain *c);
int chain_type(const chain *c, int type);	/* the element type after it */

#endif
