/* lift.h - lifting an instruction: from the layouts of its operands to a layout of a core.
 *
 * A lift primitive gets the instruction's Tensor node with the cells of its
 * operands and returns a `Laid` node, or NIL with a reason (the rule for what
 * nobody lifts then makes it opaque).  It never looks at an opcode: everything
 * it needs is in the attributes (`ints`, `name`) and in the arguments of the
 * rule (`arg`, for example the name of the elementwise function).
 */
#ifndef DIVERGE_LIFT_H
#define DIVERGE_LIFT_H

#include "layout.h"
#include "prim.h"

/* Every Tensor family has these attributes: element type, ndev and extents, numbers, text. */
enum { TENSOR_TYPE, TENSOR_SHAPE, TENSOR_INTS, TENSOR_NAME };

typedef struct operand_form {
	eg_id t;		/* the operand as written: its own Tensor node */
	eg_id cell, x;
	layout l;
	int type;		/* element type of the tensor */
} operand_form;

typedef struct lift {
	algebra *a;
	eg_id node;
	int type;
	int64_t ndev;
	int rank;
	const int64_t *dim;
	int nint;
	const int64_t *ints;
	const char *name;
	int nop;
	operand_form *op;
	const char *arg;	/* of the rule */
} lift;

typedef eg_id lift_fn(lift *l);

#define LIFT_PRIMS(X) \
	X("lift-sum", lift_sum) X("lift-product", lift_product) X("lift-map", lift_map) X("lift-lattice", lift_lattice) \
	X("lift-convert", lift_convert) X("lift-select", lift_select) X("lift-clamp", lift_clamp) X("lift-rsqrt", lift_rsqrt) \
	X("lift-same", lift_same) X("lift-reshape", lift_reshape) X("lift-transpose", lift_transpose) \
	X("lift-broadcast", lift_broadcast) X("lift-slice", lift_slice) X("lift-reverse", lift_reverse) X("lift-pad", lift_pad) \
	X("lift-concatenate", lift_concatenate) X("lift-bitcast", lift_bitcast) X("lift-dynamic-slice", lift_dynamic_slice) \
	X("lift-dynamic-update-slice", lift_dynamic_update_slice) X("lift-gather", lift_gather) X("lift-iota", lift_iota) \
	X("lift-device", lift_device) X("lift-number", lift_number) X("lift-table", lift_table) X("lift-atom", lift_atom) \
	X("lift-unique", lift_unique) X("lift-opaque", lift_opaque) X("lift-dot", lift_dot) X("lift-reduce", lift_reduce) \
	X("lift-convolution", lift_convolution) X("lift-reduce-window", lift_reduce_window) \
	X("lift-all-reduce", lift_all_reduce) X("lift-all-gather", lift_all_gather) X("lift-reduce-scatter", lift_reduce_scatter) \
	X("lift-all-to-all", lift_all_to_all) X("lift-all-to-all-tuple", lift_all_to_all_tuple) \
	X("lift-permute", lift_permute) X("lift-scatter", lift_scatter) X("lift-arg-reduce", lift_arg_reduce) \
	X("lift-batch-norm-training", lift_batch_norm_training) X("lift-batch-norm-inference", lift_batch_norm_inference) \
	X("lift-batch-norm-grad", lift_batch_norm_grad) X("lift-loop", lift_loop)
#define X(name, fn) lift_fn fn;
LIFT_PRIMS(X)
#undef X

/* Fills l for a Tensor node; false while an operand has no form yet. */
bool lift_begin(lift *l, algebra *a, eg_id node);
bool lift_any_empty(const lift *l);	/* an operand or the result without elements */

/* ---- tools of the primitives */
typedef struct frame_of {	/* labels of the result: the device, every dimension */
	label *r;
	label **i;
	ix *re, **ie;
} frame_of;
frame_of lift_frame(lift *l);
ix *lift_at(lift *l, int k, const ix *r, ix *const *e);		/* where operand k's core is read */
slot lift_slot(lift *l, int k, const ix *r, ix *const *e);
/* Closes w, whose free labels are the frame's: the Laid node. */
eg_id lift_finish(lift *l, work *w, const frame_of *f);
/* The same where the frame has `ni` labels for the local index, whatever the rank. */
eg_id lift_finish_over(lift *l, work *w, const frame_of *f, int ni);
/* Operand k moved: a layout where it is one, else a core of its own. */
eg_id lift_moved(lift *l, int k, const ix *at, const frame_of *f);
work *lift_work(lift *l, enum core_kind kind, const char *fn, int nslot, const frame_of *f);
/* truth table of lo <= e < hi for all tests at once */
typedef struct test { ix *e; int64_t lo, hi; } test;
slot lift_mask(lift *l, int n, const test *t);
ix *lift_clip(lift *l, ix *e, int64_t n);
/* An integer operand as an index clamped to 0..lim: an index expression or a data label. */
ix *lift_start(lift *l, slot t, int type, int64_t lim);
slot lift_select_slots(lift *l, const frame_of *f, slot mask, slot x, slot y);	/* map select */
ix *index_in_type(algebra *a, int type, ix *e);
number literal_number(int type, double v);	/* RULES D1 */
/* "0.100000001 is read as 1/10", NULL where a literal is read as the value it has. */
const char *literal_reading(arena *out, int type, double v);
/* The literals of a table that are all read as 1/whole, one of them rounded: else it is what it is.  `whole` may be `v`. */
bool literal_reciprocals(int type, int64_t n, const double *v, double *whole);

#endif
