/* certify_tensor_in.h - an instruction while it is read at one place, for the
 * files that say what each does there.
 *
 * What is read outside an operand, or is missing, makes the world bad
 * (world_fail): no value is made up.
 */
#ifndef DIVERGE_CERTIFY_TENSOR_IN_H
#define DIVERGE_CERTIFY_TENSOR_IN_H

#include "certify/certify_in.h"

#define RANK 16

struct instr {
	world *w;
	form f;			/* of the result */
	const int64_t *ints;
	int64_t nint;
	const char *name;
	uint32_t narg;
	const eg_id *arg;
	form in[6];
	int64_t dev, i[RANK];
	int64_t at;		/* flattened */
	uint32_t built;		/* operands are as the first so many nodes of the step were built */
};

/* ---- operands: k at a device, flattened or by index */
const form *instr_form(struct instr *q, uint32_t k, form *own);
val instr_at(struct instr *q, uint32_t k, int64_t dev, int64_t at);
val instr_read(struct instr *q, uint32_t k, int64_t dev, const int64_t *i);
bool instr_inside(const form *f, const int64_t *i);
int64_t instr_start(struct instr *q, uint32_t first, int d);

/* Is v among the n values?  *at is where. */
bool instr_listed(int64_t v, const int64_t *list, int64_t n, int64_t *where);
int64_t instr_clip(int64_t v, int64_t hi);

/* Any function of the values at one place, by its name. */
val does_elementwise(struct instr *q, const char *fn);

/* What is more than that: does_FN is the value at the place that q is at. */
#define MEANINGS(X) \
	X("constant", number_const) \
	X("constant-table", table_const) \
	X("constant-atom", atom) \
	X("iota", iota) \
	X("partition-id", device) \
	X("replica-id", device) \
	X("copy", same) \
	X("marker", same) \
	X("reshape", same) \
	X("bitcast", bitcast) \
	X("add", add) \
	X("subtract", subtract) \
	X("negate", negate) \
	X("multiply", multiply) \
	X("divide", divide) \
	X("rsqrt", rsqrt) \
	X("maximum", maximum) \
	X("minimum", minimum) \
	X("clamp", clamp) \
	X("select", select_one) \
	X("compare", compare) \
	X("transpose", transpose) \
	X("broadcast", broadcast) \
	X("slice", slice) \
	X("reverse", reverse) \
	X("pad", pad) \
	X("concatenate", concatenate) \
	X("dynamic-slice", dynamic_slice) \
	X("dynamic-update-slice", dynamic_update_slice) \
	X("gather", gather) \
	X("dot", dot) \
	X("convolution", convolution) \
	X("reduce", reduce) \
	X("reduce-window", reduce_window) \
	X("all-reduce", all_reduce) \
	X("all-gather", all_gather) \
	X("reduce-scatter", reduce_scatter) \
	X("all-to-all", all_to_all) \
	X("all-to-all-tuple", all_to_all_tuple) \
	X("collective-permute", permute) \
	X("each-trip", each_trip) \
	X("stack-trips", stack_trips) \
	X("over-trips", over_trips) \
	X("opaque-call", opaque_call) \
	X("unique", unique) \
	X("arg-reduce", arg_reduce) \
	X("scatter", scatter) \
	X("batch-norm-training", batch_norm_training) \
	X("batch-norm-inference", batch_norm_inference) \
	X("batch-norm-grad", batch_norm_grad)

#define MEANING(name, fn) val does_##fn(struct instr *q);
MEANINGS(MEANING)
#undef MEANING

#endif
