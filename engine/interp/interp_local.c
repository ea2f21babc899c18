/* interp_local.c - constants, tuples, and which file knows an operation of one device. */
#include <math.h>
#include <string.h>

#include "interp/interp_in.h"
#include "util/hash.h"

/* ---- constants */

/* The how many-eth elided constant of its type and shape, in the module's order.  A copy shares the literal. */
static int elided_rank(const inst *c)
{
	const module *m = c->parent->module;
	int k, j, n = 0;

	for (k = 0; k < m->ncomp; k++)
		for (j = 0; j < m->comp[k]->ninst; j++) {
			const inst *i = m->comp[k]->inst[j];

			if (i == c || (c->literal && i->literal == c->literal))
				return n;
			n += i->opcode == OP_CONSTANT && i->literal && i->literal->elided
			     && shape_equal(i->shape, c->shape);
		}
	return n;
}

static uint64_t mix(uint64_t v)
{
	return hash_word(v + 0x9e3779b97f4a7c15);
}

static tensor *elided(interp *r, const inst *i)
{
	uint64_t seed;
	tensor *t;
	int64_t k;

	if (!r->o.fill_elided || i->shape->type == T_TUPLE)
		return interp_fail(r, i, "the value of this constant is not in the file");
	interp_assume(r, "elided constants of one type and shape are equal in order");
	seed = mix(r->o.seed ^ hash_bytes(i->shape->dim, sizeof *i->shape->dim * i->shape->rank, i->shape->type + 1)
		   ^ (uint64_t)elided_rank(i) << 48);
	t = interp_alloc(r, i->shape);
	for (k = 0; k < t->n * tensor_words(t); k++) {
		uint64_t v = mix(seed + (uint64_t)k);

		if (t->f)
			t->f[k] = (double)(int64_t)(v >> 11) / 0x1p52 - 1;
		else
			t->i[k] = interp_wrap(i->shape->type, (int64_t)(v >> 60));
	}
	if (t->f && r->o.reading == INTERP_DECLARED)
		interp_round(i->shape->type, t->n, t->f);
	return t;
}

/* Among the reals zero has no sign: numbers of the literal's own, or t itself where no zero has one. */
static tensor *unsigned_zeros(interp *r, tensor *t)
{
	int64_t n = t->f ? t->n * tensor_words(t) : 0, k;
	tensor *u;

	for (k = 0; k < n && !(t->f[k] == 0 && signbit(t->f[k])); k++)
		;
	if (k == n || r->o.reading != INTERP_REALS)
		return t;
	u = interp_alloc(r, t->shape);
	memcpy(u->f, t->f, (size_t)n * sizeof *u->f);
	interp_unsign(n, u->f);
	tensor_unref(t);
	return u;
}

/* The literal's own numbers, unless one stands for all. */
static tensor *literal_tensor(interp *r, const inst *i, const shape *s, const literal *l)
{
	tensor *t, *one;
	int k;

	if (s->type == T_TUPLE) {
		tensor **out = arena_zalloc(&r->scratch, sizeof *out * (s->n + 1));

		for (k = 0; k < s->n && k < l->n; k++)
			out[k] = literal_tensor(r, i, s->elem[k], l->elem[k]);
		return interp_tuple(s, s->n, out);
	}
	if (etype_kind(s->type) == '-')
		return interp_zero(r, s);
	if (l->count && !l->i && !l->f)
		return interp_fail(r, i, "a literal without numbers");
	if (!l->count)
		return interp_zero(r, s);
	if (!l->splat)
		return unsigned_zeros(r, tensor_over(s, l->count, l->f, l->i));
	one = unsigned_zeros(r, tensor_over(shape_array(&r->scratch, s->type, 0, NULL), 1, l->f, l->i));
	t = interp_alloc(r, s);
	interp_fill(t, one);
	tensor_unref(one);
	return t;
}

static tensor *constant(interp *r, const inst *i)
{
	if (!i->literal || i->literal->elided)
		return elided(r, i);
	return literal_tensor(r, i, i->shape, i->literal);
}

/* ---- operations of one device */

static tensor *same(interp *r, const inst *i, tensor *const *a)
{
	tensor *t;

	(void)r;
	if (a[0]->shape == i->shape || i->shape->type == T_TUPLE || !tensor_data(a[0]))
		return tensor_ref(a[0]);
	t = interp_view(i->shape, a[0]);
	return t;
}

static tensor *make_tuple(interp *r, const inst *i, tensor *const *a)
{
	int k;

	(void)r;
	for (k = 0; k < i->noperand; k++)
		tensor_ref(a[k]);
	return interp_tuple(i->shape, i->noperand, a);
}

static tensor *element(interp *r, const inst *i, tensor *const *a, int64_t k)
{
	if (k < 0 || k >= a[0]->nelem)
		return interp_fail(r, i, "there is no tuple element %lld", (long long)k);
	return tensor_ref(a[0]->elem[k]);
}

/* copy-start: (result, operand, context). */
static tensor *copy_start(interp *r, const inst *i, tensor *const *a)
{
	tensor *out[8];
	int k;

	if (i->shape->type != T_TUPLE || i->shape->n > 8 || i->shape->n < 2)
		return tensor_ref(a[0]);
	for (k = 0; k < i->shape->n; k++)
		out[k] = k < 2 ? tensor_ref(a[0]) : interp_zero(r, i->shape->elem[k]);
	return interp_tuple(i->shape, i->shape->n, out);
}

static tensor *dimension_size(interp *r, const inst *i, tensor *const *a)
{
	int64_t d = interp_dimension(i, -1);
	tensor *t;

	if (d < 0 || d >= a[0]->shape->rank || i->operand[0]->shape->dynamic)
		return interp_fail(r, i, "dynamic shapes");
	t = interp_zero(r, i->shape);
	t->i[0] = a[0]->shape->dim[d];
	return t;
}

static tensor *refuse(interp *r, const inst *i)
{
	const char *key;
	int n;

	switch (i->opcode) {
	case OP_SEND: case OP_SEND_DONE: case OP_RECV: case OP_RECV_DONE:
		return interp_fail(r, i, "%s talks to another program or device", i->opname);
	case OP_INFEED: case OP_OUTFEED:
		return interp_fail(r, i, "%s talks to the host", i->opname);
	case OP_RNG: case OP_RNG_GET_AND_UPDATE_STATE:
		return interp_fail(r, i, "%s draws on a hidden state", i->opname);
	case OP_SET_DIMENSION_SIZE: case OP_DYNAMIC_RESHAPE:
		return interp_fail(r, i, "dynamic shapes");
	case OP_UNKNOWN:
		if ((key = inst_unknown_attr(i, &n)))
			return interp_fail(r, i, "what %s= of %.*s means is not known", key, n, i->opname);
		return interp_fail(r, i, "the operation %s is not known", i->opname);
	default:
		return interp_fail(r, i, "%s is not evaluated", i->opname);
	}
}

static tensor *one_device(interp *r, const inst *i, tensor *const *a)
{
	switch (i->opcode) {
	case OP_CONSTANT: return constant(r, i);
	case OP_TUPLE: return make_tuple(r, i, a);
	case OP_GET_TUPLE_ELEMENT: return element(r, i, a, i->number);
	case OP_COPY: case OP_OPT_BARRIER: case OP_ADD_DEPENDENCY: case OP_DOMAIN: case OP_ALL_REDUCE_DONE:
		return same(r, i, a);
	case OP_ALL_GATHER_DONE: case OP_COLLECTIVE_PERMUTE_DONE: case OP_ASYNC_DONE: return element(r, i, a, 1);
	case OP_ASYNC_UPDATE: return tensor_ref(a[0]);
	case OP_COPY_START: return copy_start(r, i, a);
	case OP_COPY_DONE: return a[0]->nelem ? element(r, i, a, 0) : tensor_ref(a[0]);
	case OP_AFTER_ALL: return interp_zero(r, i->shape);
	case OP_DOT: return interp_dot(r, i, a);
	case OP_CONVOLUTION: return interp_convolution(r, i, a);
	case OP_REDUCE: return interp_reduce(r, i, a);
	case OP_REDUCE_WINDOW: return interp_reduce_window(r, i, a);
	case OP_SELECT_AND_SCATTER: return interp_select_and_scatter(r, i, a);
	case OP_MAP: return interp_map(r, i, a);
	case OP_SORT: return interp_sort(r, i, a);
	case OP_TOPK: return interp_topk(r, i, a);
	case OP_GATHER: case OP_SCATTER: return interp_indexed(r, i, a);
	case OP_CHOLESKY: case OP_TRIANGULAR_SOLVE: case OP_FFT: return interp_linalg(r, i, a);
	case OP_BATCH_NORM_TRAINING: case OP_BATCH_NORM_INFERENCE: case OP_BATCH_NORM_GRAD:
		return interp_batch_norm(r, i, a);
	case OP_RNG_BIT_GENERATOR: return interp_rng(r, i, a);
	case OP_CUSTOM_CALL: return interp_custom_call(r, i, a);
	case OP_GET_DIMENSION_SIZE: return dimension_size(r, i, a);
	case OP_BROADCAST: case OP_RESHAPE: case OP_TRANSPOSE: case OP_SLICE: case OP_REVERSE: case OP_PAD:
	case OP_CONCATENATE: case OP_IOTA: case OP_DYNAMIC_SLICE: case OP_DYNAMIC_UPDATE_SLICE: case OP_BITCAST:
	case OP_BITCAST_CONVERT:
		return interp_move(r, i, a);
	default:
		return strchr("ubt", opcode_class(i->opcode)) ? interp_elementwise(r, i, a) : refuse(r, i);
	}
}

/* Operands that must be tensors are: no tuple or token reaches a number's loop. */
static bool operands_fit(interp *r, const inst *i, tensor *const *a)
{
	int k;

	switch (i->opcode) {
	case OP_UNKNOWN: case OP_COPY: case OP_COPY_START: case OP_COPY_DONE: case OP_CUSTOM_CALL:
		return true;
	default:
		if (strchr("xce", opcode_class(i->opcode)))
			return true;
	}
	for (k = 0; k < i->noperand; k++)
		if (!tensor_data(a[k]) || a[k]->shape->rank >= INTERP_RANK - 1)
			return interp_fail(r, i, "operand %d is no tensor", k);
	return true;
}

tensor *interp_local(interp *r, const inst *i, tensor *const *a)
{
	return operands_fit(r, i, a) ? one_device(r, i, a) : NULL;
}
