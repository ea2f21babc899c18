/* suggest.h - the relations that two shapes allow, likeliest first.
 *
 * From the shape of a baseline tensor, that of the local one, and a mesh: the
 * chains (DESIGN section 7) that lead from one to the other.  Every axis shards
 * a dimension, replicates, or the local tensors are summed over it; a dimension
 * that is not divided is padded; a dimension is sharded as a whole or segment by
 * segment, where segments are known (`cuts`).  Chains of equal cost come in the
 * order of the mesh's axes.  At most SUGGEST_MAX are kept, the dearest are
 * dropped, and *more says so.
 *
 * Element types must agree: a conversion is nothing that is inferred.
 * Everything lives in the arena given; a chain's text is as plans write it.
 */
#ifndef DIVERGE_SUGGEST_H
#define DIVERGE_SUGGEST_H

#include "pair/chain.h"
#include "pair/pair.h"

enum { SUGGEST_MAX = 24 };

struct suggestion {
	chain c;		/* of a value only the text: "= partition-id" */
	int cost;
	enum pin_kind pin;	/* a value instead of a relation; else PIN_NONE */
	double value;		/* PIN_NUMBER */
	int axis;		/* PIN_AXIS */
};

struct cut {			/* a dimension of this extent is taken apart into these segments somewhere */
	int64_t extent;
	int n;
	const int64_t *size;
};

/* The suggestions, cheapest first; their number, at most SUGGEST_MAX. */
int suggest_relations(arena *a, const mesh *ms, const shape *base, const shape *local, int ncut, const struct cut *cut,
		      struct suggestion *out, bool *more);
/* What a parameter of DIST without counterpart may hold, when it is one number: the device, its coordinate on an axis, the size
 * of an axis or the number of devices, 0, 1.  At most SUGGEST_MAX. */
int suggest_values(arena *a, const mesh *ms, const shape *local, struct suggestion *out);
/* The first relation, where shapes alone say it: whole or sharded, padded where it is not divided; else R and false. */
bool suggest_plain(arena *a, const mesh *ms, const shape *base, const shape *local, chain *out);

/* The segments that slices of both programs show, and reshapes that take a few equal parts apart; what DIST slices is
 * local, the whole has every axis of the mesh as often.  Their number, in *out. */
int suggest_cuts(arena *a, const mesh *ms, const program *base, const program *dist, const struct cut **out);

#endif
