#include "tensor/infer_in.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

const shape *infer_no(struct infer *f, const char *fmt, ...)
{
	char text[400];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	*f->why = arena_strdup(f->a, text);
	return NULL;
}

bool infer_add_dim(struct infer *f, int64_t d)
{
	if (f->rank == INFER_RANK) {
		infer_no(f, "a result of more than %d dimensions", INFER_RANK);
		return false;
	}
	f->dim[f->rank++] = d;
	return true;
}

/* Bounds of dynamic extents are not tracked, only that there are some. */
const shape *infer_array(struct infer *f, enum etype t)
{
	shape *s = shape_array(f->a, t, f->rank, f->dim);

	for (int k = 0; k < f->i->noperand; k++)
		s->dynamic |= in(f, k)->dynamic;
	if (s->dynamic)
		s->bounded = arena_zalloc(f->a, f->rank + 1);
	return s;
}

const shape *infer_tuple(struct infer *f, const shape *const *elem, int n)
{
	const shape **copy = ARENA_ARRAY(f->a, const shape *, n);
	shape *s = ARENA_NEW(f->a, shape);

	if (n)
		memcpy(copy, elem, n * sizeof *copy);
	s->type = T_TUPLE;
	s->n = n;
	s->elem = copy;
	return s;
}

enum etype infer_declared(const struct infer *f, enum etype otherwise)
{
	return f->i->shape && f->i->shape->type != T_TUPLE ? f->i->shape->type : otherwise;
}

/* Code that a compiler has scheduled for TPUs mixes float widths: a copy may
 * go from f32 to bf16.  Elsewhere that is a mismatch. */
static bool mixes_floats(const inst *i)
{
	const module *m = i->parent->module;

	for (int k = 0; k < m->nattr; k++)
		if (!strcmp(m->attr[k].key, "is_scheduled"))
			return !strcmp(m->attr[k].text, "true");
	return false;
}

bool infer_compatible(const struct infer *f, enum etype x, enum etype y)
{
	return x == y || (etype_is_float(x) && etype_is_float(y) && mixes_floats(f->i));
}

static const shape *unary(struct infer *f)
{
	enum etype t = in(f, 0)->type, part = t == T_C64 ? T_F32 : t == T_C128 ? T_F64 : t;

	take_dims(f, in(f, 0));
	switch (f->i->opcode) {
	case OP_IS_FINITE:
		return infer_array(f, T_PRED);
	case OP_REAL: case OP_IMAG: case OP_ABS:
		return infer_array(f, part);
	case OP_CONVERT:
		return f->i->shape ? infer_array(f, f->i->shape->type) : NULL;
	default:
		return infer_array(f, t);
	}
}

/* Of another width, the minor dimension takes the difference. */
static const shape *bitcast_convert(struct infer *f)
{
	const shape *x = in(f, 0), *s = f->i->shape;
	int64_t ratio;
	int from, to;

	if (!s)
		return NULL;
	from = etype_bits(x->type);
	to = etype_bits(s->type);
	take_dims(f, x);
	if (from > to && to && from % to == 0) {
		if (!infer_add_dim(f, from / to))
			return NULL;
	} else if (from < to && from) {
		ratio = to / from;
		if (!f->rank || f->dim[f->rank - 1] != ratio)
			return infer_no(f, "the last dimension of %s is not %" PRId64, show(f, x), ratio);
		f->rank--;
	}
	return infer_array(f, s->type);
}

static bool on_bits(enum opcode o)
{
	return o == OP_AND || o == OP_OR || o == OP_XOR || o == OP_SHIFT_LEFT || o == OP_SHIFT_RIGHT_LOGICAL || o == OP_SHIFT_RIGHT_ARITHMETIC;
}

/* `type` says how bits are compared: as the numbers of the element type, which it repeats. */
static const shape *compared(struct infer *f, enum etype t)
{
	const char *by = inst_text(f->i, "type");
	char kind = etype_kind(t);

	if (by && ((!strcmp(by, "SIGNED") && kind != 's') || (!strcmp(by, "UNSIGNED") && kind != 'u' && t != T_PRED) ||
		   ((!strcmp(by, "FLOAT") || !strcmp(by, "TOTALORDER")) && kind != 'f' && kind != 'c')))
		return infer_no(f, "type=%s does not compare %s", by, etype_name(t));
	return infer_array(f, T_PRED);
}

static const shape *binary(struct infer *f)
{
	const shape *x = in(f, 0), *y = in(f, 1);
	enum etype t = x->type;

	if (!same_dims(x, y))
		return infer_no(f, "the operands are %s and %s", show(f, x), show(f, y));
	if (!infer_compatible(f, x->type, y->type) && f->i->opcode != OP_STOCHASTIC_CONVERT)
		return infer_no(f, "the operands are %s and %s", show(f, x), show(f, y));
	if (on_bits(f->i->opcode) && (etype_kind(t) == 'f' || etype_kind(t) == 'c'))
		return infer_no(f, "it takes integers and truth values, not %s", etype_name(t));
	if (f->i->opcode == OP_COMPLEX && t != T_F32 && t != T_F64)
		return infer_no(f, "it takes f32 or f64, not %s", etype_name(t));
	take_dims(f, x);
	if (f->i->opcode == OP_COMPARE)
		return compared(f, t);
	if (f->i->opcode == OP_COMPLEX)
		return infer_array(f, t == T_F64 ? T_C128 : T_C64);
	if (f->i->opcode == OP_STOCHASTIC_CONVERT)
		return f->i->shape ? infer_array(f, f->i->shape->type) : NULL;
	return infer_array(f, t);
}

static const shape *select_(struct infer *f)
{
	const shape *p = in(f, 0), *x = in(f, 1), *y = in(f, 2);
	
	if (x->type == T_TUPLE || x->type == T_TOKEN)
		return shape_equal(x, y) ? x : infer_no(f, "the operands are %s and %s", show(f, x), show(f, y));
	if (!same_dims(x, y) || !infer_compatible(f, x->type, y->type))
		return infer_no(f, "the operands are %s and %s", show(f, x), show(f, y));
	if (p->type != T_PRED || (p->rank && !same_dims(p, x)))
		return infer_no(f, "the predicate is %s for operands %s", show(f, p), show(f, x));
	take_dims(f, x);
	return infer_array(f, x->type);
}

static const shape *clamp(struct infer *f)
{
	const shape *lo = in(f, 0), *x = in(f, 1), *hi = in(f, 2);

	if (!infer_compatible(f, lo->type, x->type) || !infer_compatible(f, hi->type, x->type) ||
	    (lo->rank && !same_dims(lo, x)) || (hi->rank && !same_dims(hi, x)))
		return infer_no(f, "the bounds are %s and %s for %s", show(f, lo), show(f, hi), show(f, x));
	take_dims(f, x);
	return infer_array(f, x->type);
}

/* The one dimension that a size is asked of, or set of to a scalar. */
static bool has_dimension(struct infer *f)
{
	int n;
	const int64_t *d = infer_dims(f, "dimensions", &n, in(f, 0)->rank);

	if (d && n != 1)
		infer_no(f, "it takes one dimension, not %d", n);
	if (d && n == 1 && f->i->noperand > 1 && in(f, 1)->rank)
		infer_no(f, "the size is %s", show(f, in(f, 1)));
	return d && n == 1 && !*f->why;
}

static const shape *by_opcode(struct infer *f)
{
	switch (f->i->opcode) {
	case OP_BITCAST_CONVERT: return bitcast_convert(f);
	case OP_SELECT: return select_(f);
	case OP_CLAMP: return clamp(f);
	case OP_BROADCAST: return infer_broadcast(f);
	case OP_RESHAPE: return infer_reshape(f);
	case OP_BITCAST: return infer_bitcast(f);
	case OP_TRANSPOSE: return infer_transpose(f);
	case OP_REVERSE: return infer_reverse(f);
	case OP_CONCATENATE: return infer_concatenate(f);
	case OP_SLICE: return infer_slice(f);
	case OP_PAD: return infer_pad(f);
	case OP_DYNAMIC_SLICE: return infer_dynamic_slice(f);
	case OP_DYNAMIC_UPDATE_SLICE: return infer_dynamic_update_slice(f);
	case OP_GATHER: return infer_gather(f);
	case OP_SCATTER: return infer_scatter(f);
	case OP_DOT: case OP_SCALED_DOT: return infer_dot(f);
	case OP_CONVOLUTION: return infer_convolution(f);
	case OP_FFT: return infer_fft(f);
	case OP_RNG_BIT_GENERATOR: return infer_rng_bit_generator(f);
	case OP_CHOLESKY: return infer_cholesky(f);
	case OP_TRIANGULAR_SOLVE: return infer_triangular_solve(f);
	case OP_REDUCE: return infer_reduce(f);
	case OP_REDUCE_WINDOW: return infer_reduce_window(f);
	case OP_SELECT_AND_SCATTER: return infer_select_and_scatter(f);
	case OP_SORT: return infer_sort(f);
	case OP_TOPK: return infer_topk(f);
	case OP_MAP: return infer_map(f);
	case OP_BATCH_NORM_TRAINING: case OP_BATCH_NORM_INFERENCE: case OP_BATCH_NORM_GRAD: return infer_batch_norm(f);
	case OP_ALL_GATHER: return infer_scaled_operands(f, f->i->shape, true);
	case OP_ALL_GATHER_START: return infer_all_gather_start(f);
	case OP_ALL_GATHER_DONE: case OP_COLLECTIVE_PERMUTE_DONE: return infer_start_result(f);
	case OP_ALL_REDUCE: case OP_ALL_REDUCE_START: return infer_all_reduce(f);
	case OP_REDUCE_SCATTER: return infer_reduce_scatter(f);
	case OP_ALL_TO_ALL: return infer_all_to_all(f);
	case OP_COLLECTIVE_PERMUTE: case OP_COLLECTIVE_PERMUTE_START: return infer_collective_permute(f);
	case OP_COLLECTIVE_BROADCAST: return infer_collective_broadcast(f);
	case OP_TUPLE: return f->i->noperand == 1 ? infer_tuple(f, &f->i->operand[0]->shape, 1) :
		f->i->noperand ? infer_all_operands(f) : infer_tuple(f, NULL, 0);
	case OP_GET_TUPLE_ELEMENT: return infer_get_tuple_element(f);
	case OP_CALL: return infer_call(f, "to_apply");
	case OP_FUSION: return infer_call(f, "calls");
	case OP_WHILE: return infer_while(f);
	case OP_CONDITIONAL: return infer_conditional(f);
	case OP_ASYNC_START: return infer_async_start(f);
	case OP_ASYNC_DONE: return infer_async_done(f);
	case OP_COPY: case OP_OPT_BARRIER: case OP_ADD_DEPENDENCY: case OP_DOMAIN: case OP_ASYNC_UPDATE:
	case OP_ALL_REDUCE_DONE: return in(f, 0);
	case OP_COPY_START: return infer_copy_start(f);
	case OP_COPY_DONE: return infer_copy_done(f);
	case OP_AFTER_ALL: return infer_token(f);
	case OP_CONSTANT: return infer_constant(f);
	case OP_IOTA: return infer_iota(f);
	case OP_PARTITION_ID: case OP_REPLICA_ID: return infer_scalar(f, T_U32);
	case OP_GET_DIMENSION_SIZE: return has_dimension(f) ? infer_scalar(f, T_S32) : NULL;
	case OP_SET_DIMENSION_SIZE: return has_dimension(f) ? in(f, 0) : NULL;
	default: return opcode_class(f->i->opcode) == 'u' ? unary(f) : opcode_class(f->i->opcode) == 'b' ? binary(f) : NULL;
	}
}

/* Rules of these classes look at extents: tuples and tokens have none. */
static bool wants_arrays(const inst *i)
{
	if (i->opcode == OP_COPY || i->opcode == OP_COPY_START || i->opcode == OP_COPY_DONE || i->opcode == OP_SELECT ||
	    i->opcode == OP_BITCAST)
		return false;
	return strchr("ubtdkr", opcode_class(i->opcode)) != NULL;
}

/* Extents that are not even bounded are never checked. */
static bool unbounded(const shape *s)
{
	for (int k = 0; s->dynamic && k < s->rank; k++)
		if (s->dim[k] < 0)
			return true;
	for (int k = 0; s->dynamic && k < s->n; k++)
		if (unbounded(s->elem[k]))
			return true;
	return false;
}

const shape *infer_shape(arena *a, const inst *i, const char **why)
{
	struct infer f;
	int want = opcode_operands(i->opcode);

	f.a = a;
	f.i = i;
	f.why = why;
	f.rank = 0;
	*why = NULL;
	if (want >= 0 && i->noperand != want)
		return infer_no(&f, "%s takes %d operand%s, not %d", i->opname, want, want == 1 ? "" : "s", i->noperand);
	for (int k = 0; k < i->noperand; k++)
		if (!in(&f, k))
			return infer_no(&f, "the shape of operand %d is not known", k);
		else if (unbounded(in(&f, k)))
			return NULL;
		else if (etype_kind(in(&f, k)->type) == '-' && wants_arrays(i))
			return infer_no(&f, "operand %d of %s is %s", k, i->opname, show(&f, in(&f, k)));
	if (i->shape && unbounded(i->shape))
		return NULL;
	if (i->shape && i->shape->type == T_TUPLE && strchr("ubt", opcode_class(i->opcode)) && i->opcode != OP_SELECT)
		return infer_no(&f, "%s gives no tuple", i->opname);
	return by_opcode(&f);
}

static bool equal_but_floats(const shape *x, const shape *y)
{
	if (x->type != y->type && !(etype_is_float(x->type) && etype_is_float(y->type)))
		return false;
	if (!same_dims(x, y) || x->n != y->n)
		return false;
	for (int k = 0; k < x->n; k++)
		if (!equal_but_floats(x->elem[k], y->elem[k]))
			return false;
	return true;
}

static bool check_one(arena *a, const inst *i, const char **why)
{
	const shape *s = infer_shape(a, i, why);

	if (*why)
		return false;
	if (!s || shape_equal(s, i->shape))
		return true;
	if (!strchr("xi", opcode_class(i->opcode)) && mixes_floats(i) && equal_but_floats(s, i->shape))
		return true;
	*why = arena_printf(a, "the %s gives %s, the text says %s", i->opname, shape_text(a, s), shape_text(a, i->shape));
	return false;
}

const inst *infer_check(const module *m, arena *a, const char **why)
{
	arena_mark mark = arena_at(a);

	for (int c = 0; c < m->ncomp; c++)
		for (int k = 0; k < m->comp[c]->ninst; k++) {
			if (!check_one(a, m->comp[c]->inst[k], why))
				return m->comp[c]->inst[k];
			arena_reset(a, mark);
		}
	return NULL;
}
