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

#include "core/layout.h"
#include "prim/prim.h"

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

/* The ints of a convolution: these, then for each spatial dimension those of `enum conv_dim`. */
enum conv_ints { CONV_GROUPS, CONV_SPATIAL, CONV_INPUT_BATCH, CONV_INPUT_FEATURE, CONV_KERNEL_INPUT, CONV_KERNEL_OUTPUT,
	CONV_OUTPUT_BATCH, CONV_OUTPUT_FEATURE, CONV_BATCH_GROUPS, CONV_INTS };
enum conv_dim { CONV_INPUT, CONV_KERNEL, CONV_OUTPUT, CONV_SIZE, CONV_STRIDE, CONV_LOW, CONV_HIGH, CONV_BASE_DILATION,
	CONV_DILATION, CONV_REVERSED, CONV_DIM_INTS };

/* With the instructions that each is about; `map` is about all that works elementwise.
 * Named in the rule files as here, with - for _: lift_sum is `lift-sum`. */
#define LIFT_PRIMS(X) \
	X(sum, "add subtract negate") X(product, "multiply divide") X(map, NULL) X(lattice, "maximum minimum") X(convert, "convert") \
	X(select, "select") X(clamp, "clamp") X(rsqrt, "rsqrt") X(same, "copy marker") X(reshape, "reshape") X(transpose, "transpose") \
	X(broadcast, "broadcast") X(slice, "slice") X(reverse, "reverse") X(pad, "pad") X(concatenate, "concatenate") X(bitcast, "bitcast") \
	X(dynamic_slice, "dynamic-slice") X(dynamic_update_slice, "dynamic-update-slice") X(gather, "gather") X(iota, "iota") \
	X(device, "partition-id replica-id") X(number, "constant") X(table, "constant-table") X(atom, "constant-atom") X(unique, "unique") \
	X(opaque, "opaque-call") X(dot, "dot") X(reduce, "reduce") X(convolution, "convolution") X(reduce_window, "reduce-window") \
	X(all_reduce, "all-reduce") X(all_gather, "all-gather") X(reduce_scatter, "reduce-scatter") X(all_to_all, "all-to-all") \
	X(all_to_all_tuple, "all-to-all-tuple") X(permute, "collective-permute") X(scatter, "scatter") X(arg_reduce, "arg-reduce") \
	X(batch_norm_training, "batch-norm-training") X(batch_norm_inference, "batch-norm-inference") X(batch_norm_grad, "batch-norm-grad") \
	X(loop, "loop-result") X(each_trip, "each-trip") X(stack_trips, "stack-trips") X(over_trips, "over-trips")
#define X(name, about) lift_fn lift_##name;
LIFT_PRIMS(X)
#undef X

/* Fills l for a Tensor node; false while an operand has no form yet. */
bool lift_begin(lift *l, algebra *a, eg_id node);
int64_t lift_elements(const lift *l);	/* of the result, on one device */
bool lift_empty(const lift *l);		/* the result without elements */
bool lift_any_empty(const lift *l);	/* an operand or the result */
double lift_real(const lift *l, int k);	/* number k, the bits of a double */

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
/* Operand 0, read at place e of device g, reduced over k by the operation `name`; there is room for another slot. */
work *lift_reduction(lift *l, const frame_of *f, label *k, ix *g, ix *const *e);
ix *lift_clip(lift *l, ix *e, int64_t n);
/* An integer operand as an index clamped to 0..lim: an index expression or a data label.  Where `over` is not NULL the
 * index may instead be lim + 1 times *over, to be kept (NULL: it is not so), and the result, which is only its lower part:
 * beyond the ends, *over < 0 or > 0, the caller reads the ends. */
ix *lift_start(lift *l, slot t, int type, int64_t lim, ix **over);
/* An integer operand, clamped to 0..lim, as a data label. */
ix *lift_clamped(lift *l, slot t, int type, int64_t lim);
/* x compared with e, both integers of a type. */
slot lift_compare(lift *l, const char *direction, int type, slot x, ix *e);
/* Truth tables that all hold where n tests do: one, or, where that is too large, one for those that share labels; how many. */
int lift_tests(lift *l, int n, const test *t, slot *mask);
work *lift_select_work(lift *l, const frame_of *f, slot mask, slot x, slot y);	/* map select: x where the mask holds, else y */
slot lift_select_slots(lift *l, const frame_of *f, slot mask, slot x, slot y);	/* .. closed */

#endif
