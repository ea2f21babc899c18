/* infer_in.h - what the files of the inference share: one inference while it runs, and a rule per kind of instruction.
 *
 * A rule answers the shape, or NULL with f->why set (by infer_no) or untouched
 * (there is no rule: infer.h).
 */
#ifndef DIVERGE_INFER_IN_H
#define DIVERGE_INFER_IN_H

#include "tensor/infer.h"

#include <string.h>

#define INFER_RANK 256

/* One inference: the result's extents while they are computed. */
struct infer {
	arena *a;
	const inst *i;
	const char **why;
	int rank;
	int64_t dim[INFER_RANK];
};

static inline const shape *in(const struct infer *f, int k)
{
	return f->i->operand[k]->shape;
}

static inline const char *show(struct infer *f, const shape *s)
{
	return shape_text(f->a, s);
}

static inline void take_dims(struct infer *f, const shape *s)
{
	f->rank = s->rank;
	if (s->rank)
		memcpy(f->dim, s->dim, s->rank * sizeof *s->dim);
}

static inline bool same_dims(const shape *x, const shape *y)
{
	return x->rank == y->rank && (!x->rank || !memcmp(x->dim, y->dim, x->rank * sizeof *x->dim));
}

/* ---- what rules are written with; what answers false or NULL has said why */

const shape *infer_no(struct infer *f, const char *fmt, ...) __attribute__((format(printf, 2, 3)));	/* NULL */
/* The attribute: different dimensions, each below rank; not NULL where there are none. */
const int64_t *infer_dims(struct infer *f, const char *key, int *n, int rank);
bool infer_window(struct infer *f, const shape *x, const attr *w);	/* the extents are those of the windows of x */
bool infer_applies(struct infer *f, const char *key, int nparam);	/* is there a computation with so many parameters? */
bool infer_add_dim(struct infer *f, int64_t d);
const shape *infer_array(struct infer *f, enum etype t);	/* of the extents */
const shape *infer_tuple(struct infer *f, const shape *const *elem, int n);
/* The declared type, where the program may choose it. */
enum etype infer_declared(const struct infer *f, enum etype otherwise);
/* May an operand of type x stand where y is meant?  (Says nothing.) */
bool infer_compatible(const struct infer *f, enum etype x, enum etype y);

/* ---- rules */

/* data movement: infer_move.c */
const shape *infer_bitcast(struct infer *f);
const shape *infer_broadcast(struct infer *f);
const shape *infer_concatenate(struct infer *f);
const shape *infer_dynamic_slice(struct infer *f);
const shape *infer_dynamic_update_slice(struct infer *f);
const shape *infer_gather(struct infer *f);
const shape *infer_pad(struct infer *f);
const shape *infer_reshape(struct infer *f);
const shape *infer_reverse(struct infer *f);
const shape *infer_scatter(struct infer *f);
const shape *infer_slice(struct infer *f);
const shape *infer_transpose(struct infer *f);

/* contractions, matrices: infer_dense.c */
const shape *infer_cholesky(struct infer *f);
const shape *infer_convolution(struct infer *f);
const shape *infer_dot(struct infer *f);
const shape *infer_fft(struct infer *f);
const shape *infer_rng_bit_generator(struct infer *f);
const shape *infer_triangular_solve(struct infer *f);

/* reductions and order: infer_reduce.c */
const shape *infer_batch_norm(struct infer *f);
const shape *infer_map(struct infer *f);
const shape *infer_reduce(struct infer *f);
const shape *infer_reduce_window(struct infer *f);
const shape *infer_select_and_scatter(struct infer *f);
const shape *infer_sort(struct infer *f);
const shape *infer_topk(struct infer *f);

/* collectives: infer_collective.c */
const shape *infer_all_gather_start(struct infer *f);
const shape *infer_all_operands(struct infer *f);
const shape *infer_all_reduce(struct infer *f);
const shape *infer_all_to_all(struct infer *f);
const shape *infer_collective_broadcast(struct infer *f);
const shape *infer_collective_permute(struct infer *f);
const shape *infer_reduce_scatter(struct infer *f);
const shape *infer_scaled_operands(struct infer *f, const shape *said, bool grow);
const shape *infer_start_result(struct infer *f);

/* structure: infer_call.c */
const shape *infer_async_done(struct infer *f);
const shape *infer_async_start(struct infer *f);
const shape *infer_call(struct infer *f, const char *key);
const shape *infer_conditional(struct infer *f);
const shape *infer_constant(struct infer *f);
const shape *infer_copy_done(struct infer *f);
const shape *infer_copy_start(struct infer *f);
const shape *infer_get_tuple_element(struct infer *f);
const shape *infer_iota(struct infer *f);
const shape *infer_scalar(struct infer *f, enum etype t);
const shape *infer_token(struct infer *f);
const shape *infer_while(struct infer *f);

#endif
