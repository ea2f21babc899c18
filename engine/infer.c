#include "infer.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define RANK 256

/* One inference: the result's extents while they are computed. */
struct infer {
	arena *a;
	const inst *i;
	const char **why;
	int rank;
	int64_t dim[RANK];
};

static const shape *no(struct infer *f, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
static const shape *no(struct infer *f, const char *fmt, ...)
{
	char text[400];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	*f->why = arena_strdup(f->a, text);
	return NULL;
}

static const shape *in(const struct infer *f, int k)
{
	return f->i->operand[k]->shape;
}

static const char *show(struct infer *f, const shape *s)
{
	return shape_text(f->a, s);
}

static bool add_dim(struct infer *f, int64_t d)
{
	if (f->rank == RANK) {
		no(f, "a result of more than %d dimensions", RANK);
		return false;
	}
	f->dim[f->rank++] = d;
	return true;
}

static void take_dims(struct infer *f, const shape *s)
{
	f->rank = s->rank;
	if (s->rank)
		memcpy(f->dim, s->dim, s->rank * sizeof *s->dim);
}

static bool same_dims(const shape *x, const shape *y)
{
	return x->rank == y->rank && (!x->rank || !memcmp(x->dim, y->dim, x->rank * sizeof *x->dim));
}

/* Bounds of dynamic extents are not tracked, only that there are some. */
static const shape *array(struct infer *f, enum etype t)
{
	shape *s = shape_array(f->a, t, f->rank, f->dim);

	for (int k = 0; k < f->i->noperand; k++)
		s->dynamic |= in(f, k)->dynamic;
	if (s->dynamic)
		s->bounded = arena_zalloc(f->a, f->rank + 1);
	return s;
}

static const shape *tuple_of(struct infer *f, const shape *const *elem, int n)
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

/* Operand k, or the declared type where the program may choose. */
static enum etype declared_type(const struct infer *f, enum etype otherwise)
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

static bool compatible(const struct infer *f, enum etype x, enum etype y)
{
	return x == y || (etype_is_float(x) && etype_is_float(y) && mixes_floats(f->i));
}

/* ---- elementwise ---- */

static const shape *unary(struct infer *f)
{
	enum etype t = in(f, 0)->type, part = t == T_C64 ? T_F32 : t == T_C128 ? T_F64 : t;

	take_dims(f, in(f, 0));
	switch (f->i->opcode) {
	case OP_IS_FINITE:
		return array(f, T_PRED);
	case OP_REAL: case OP_IMAG: case OP_ABS:
		return array(f, part);
	case OP_CONVERT:
		return f->i->shape ? array(f, f->i->shape->type) : NULL;
	default:
		return array(f, t);
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
		if (!add_dim(f, from / to))
			return NULL;
	} else if (from < to && from) {
		ratio = to / from;
		if (!f->rank || f->dim[f->rank - 1] != ratio)
			return no(f, "the last dimension of %s is not %" PRId64, show(f, x), ratio);
		f->rank--;
	}
	return array(f, s->type);
}

static bool on_bits(enum opcode o)
{
	return o == OP_AND || o == OP_OR || o == OP_XOR || o == OP_SHIFT_LEFT || o == OP_SHIFT_RIGHT_LOGICAL || o == OP_SHIFT_RIGHT_ARITHMETIC;
}

static const shape *binary(struct infer *f)
{
	const shape *x = in(f, 0), *y = in(f, 1);
	enum etype t = x->type;

	if (!same_dims(x, y))
		return no(f, "the operands are %s and %s", show(f, x), show(f, y));
	if (!compatible(f, x->type, y->type) && f->i->opcode != OP_STOCHASTIC_CONVERT)
		return no(f, "the operands are %s and %s", show(f, x), show(f, y));
	if (on_bits(f->i->opcode) && (etype_kind(t) == 'f' || etype_kind(t) == 'c'))
		return no(f, "it takes integers and truth values, not %s", etype_name(t));
	take_dims(f, x);
	if (f->i->opcode == OP_COMPARE)
		return array(f, T_PRED);
	if (f->i->opcode == OP_COMPLEX)
		return array(f, t == T_F64 ? T_C128 : T_C64);
	if (f->i->opcode == OP_STOCHASTIC_CONVERT)
		return f->i->shape ? array(f, f->i->shape->type) : NULL;
	return array(f, t);
}

static const shape *select_(struct infer *f)
{
	const shape *p = in(f, 0), *x = in(f, 1), *y = in(f, 2);
	
	if (x->type == T_TUPLE || x->type == T_TOKEN)
		return shape_equal(x, y) ? x : no(f, "the operands are %s and %s", show(f, x), show(f, y));
	if (!same_dims(x, y) || !compatible(f, x->type, y->type))
		return no(f, "the operands are %s and %s", show(f, x), show(f, y));
	if (p->type != T_PRED || (p->rank && !same_dims(p, x)))
		return no(f, "the predicate is %s for operands %s", show(f, p), show(f, x));
	take_dims(f, x);
	return array(f, x->type);
}

static const shape *clamp(struct infer *f)
{
	const shape *lo = in(f, 0), *x = in(f, 1), *hi = in(f, 2);

	if (!compatible(f, lo->type, x->type) || !compatible(f, hi->type, x->type) ||
	    (lo->rank && !same_dims(lo, x)) || (hi->rank && !same_dims(hi, x)))
		return no(f, "the bounds are %s and %s for %s", show(f, lo), show(f, hi), show(f, x));
	take_dims(f, x);
	return array(f, x->type);
}

/* ---- lists of dimensions ---- */

/* `n` different dimensions, each below rank. */
static bool dims_fit(struct infer *f, const char *key, const int64_t *d, int n, int rank)
{
	bool seen[RANK] = { false };

	for (int k = 0; k < n; k++) {
		if (d[k] < 0 || d[k] >= rank) {
			no(f, "%s= names dimension %" PRId64 " of %d", key, d[k], rank);
			return false;
		}
		if (seen[d[k]]) {
			no(f, "%s= names dimension %" PRId64 " twice", key, d[k]);
			return false;
		}
		seen[d[k]] = true;
	}
	return true;
}

static bool member(const int64_t *d, int n, int64_t x)
{
	for (int k = 0; k < n; k++)
		if (d[k] == x)
			return true;
	return false;
}

static const int64_t *get_dims(struct infer *f, const char *key, int *n, int rank)
{
	const int64_t *d = inst_ints(f->i, key, n);

	return dims_fit(f, key, d, *n, rank) ? d ? d : (const int64_t *)"" : NULL;
}

/* ---- data movement ---- */

static const shape *broadcast(struct infer *f)
{
	const shape *x = in(f, 0), *s = f->i->shape;
	int n;
	const int64_t *d;

	if (!s)
		return NULL;
	d = get_dims(f, "dimensions", &n, s->rank);
	if (!d)
		return NULL;
	if (n != x->rank)
		return no(f, "dimensions= has %d numbers for %s", n, show(f, x));
	for (int k = 0; k < n; k++)
		if (x->dim[k] != s->dim[d[k]])
			return no(f, "dimension %d of %s goes to dimension %" PRId64 " of %s", k, show(f, x),
				  d[k], show(f, s));
	take_dims(f, s);
	return array(f, x->type);
}

static const shape *reshape(struct infer *f)
{
	const shape *x = in(f, 0), *s = f->i->shape;

	if (!s)
		return NULL;
	take_dims(f, s);
	if (shape_elements(x) != shape_elements(s))
		return no(f, "reshape of %s to %s", show(f, x), show(f, s));
	return array(f, x->type);
}

/* Tiles pad; without them not a bit may appear or vanish. */
static const shape *bitcast(struct infer *f)
{
	const shape *x = in(f, 0), *s = f->i->shape;
	__int128 from, to;

	if (!s || etype_kind(x->type) == '-' || etype_kind(s->type) == '-')
		return s;
	from = (__int128)shape_elements(x) * etype_bits(x->type);
	to = (__int128)shape_elements(s) * etype_bits(s->type);
	if (from != to && !x->tiled && !s->tiled)
		return no(f, "bitcast of %s to %s", show(f, x), show(f, s));
	return s;
}

static const shape *transpose(struct infer *f)
{
	const shape *x = in(f, 0);
	int n;
	const int64_t *d = get_dims(f, "dimensions", &n, x->rank);

	if (!d)
		return NULL;
	if (n != x->rank)
		return no(f, "dimensions= has %d numbers for %s", n, show(f, x));
	for (int k = 0; k < n; k++)
		f->dim[f->rank++] = x->dim[d[k]];
	return array(f, x->type);
}

static const shape *reverse(struct infer *f)
{
	int n;

	if (!get_dims(f, "dimensions", &n, in(f, 0)->rank))
		return NULL;
	take_dims(f, in(f, 0));
	return array(f, in(f, 0)->type);
}

static const shape *concatenate(struct infer *f)
{
	int n;
	const int64_t *d;
	enum etype t;

	if (!f->i->noperand)
		return no(f, "concatenate of nothing");
	d = get_dims(f, "dimensions", &n, in(f, 0)->rank);
	if (!d)
		return NULL;
	if (n != 1)
		return no(f, "concatenate needs one dimension");
	t = in(f, 0)->type;
	take_dims(f, in(f, 0));
	for (int k = 1; k < f->i->noperand; k++) {
		const shape *x = in(f, k);

		if (x->rank != f->rank || !compatible(f, x->type, t))
			return no(f, "concatenate of %s and %s", show(f, in(f, 0)), show(f, x));
		for (int e = 0; e < f->rank; e++)
			if (e != d[0] && x->dim[e] != f->dim[e])
				return no(f, "concatenate of %s and %s", show(f, in(f, 0)), show(f, x));
		if (__builtin_add_overflow(f->dim[d[0]], x->dim[d[0]], &f->dim[d[0]]))
			return no(f, "the result is too large");
	}
	return array(f, t);
}

static const shape *slice(struct infer *f)
{
	const shape *x = in(f, 0);
	const attr *s = inst_attr(f->i, "slice");

	if (!s || s->n != x->rank)
		return no(f, "slice= does not fit %s", show(f, x));
	for (int k = 0; k < s->n; k++) {
		int64_t start = s->ints[3 * k], limit = s->ints[3 * k + 1], stride = s->ints[3 * k + 2];

		if (start < 0 || limit > x->dim[k] || start > limit || stride < 1)
			return no(f, "the slice [%" PRId64 ":%" PRId64 ":%" PRId64 "] of dimension %d of %s", start,
				  limit, stride, k, show(f, x));
		f->dim[f->rank++] = (limit - start - 1) / stride + 1;
	}
	return array(f, x->type);
}

static const shape *pad(struct infer *f)
{
	const shape *x = in(f, 0);
	const attr *p = inst_attr(f->i, "padding");

	if (in(f, 1)->rank)
		return no(f, "the padding value is %s", show(f, in(f, 1)));
	if (x->rank && (!p || p->n != x->rank))
		return no(f, "padding= does not fit %s", show(f, x));
	for (int k = 0; k < x->rank; k++) {
		int64_t lo = p->ints[3 * k], hi = p->ints[3 * k + 1], inner = p->ints[3 * k + 2], d = x->dim[k];
		__int128 n = (__int128)d + (d ? (__int128)(d - 1) * inner : 0) + lo + hi;

		if (inner < 0 || n < 0 || n > INT64_MAX)
			return no(f, "the padding %" PRId64 "_%" PRId64 "_%" PRId64 " of dimension %d of %s", lo, hi,
				  inner, k, show(f, x));
		f->dim[f->rank++] = (int64_t)n;
	}
	return array(f, x->type);
}

/* Start indices from operand `first` on: one scalar each, or one vector. */
static bool starts_fit(struct infer *f, int first, const shape *x)
{
	int n = f->i->noperand - first;

	if (n == 1 && in(f, first)->rank == 1 && in(f, first)->dim[0] == x->rank)
		return true;
	if (n != x->rank) {
		no(f, "%d start indices for %s", n, show(f, x));
		return false;
	}
	for (int k = first; k < f->i->noperand; k++)
		if (in(f, k)->rank || !etype_is_int(in(f, k)->type)) {
			no(f, "a start index is %s", show(f, in(f, k)));
			return false;
		}
	return true;
}

static const shape *dynamic_slice(struct infer *f)
{
	const shape *x;
	int n;
	const int64_t *size = inst_ints(f->i, "dynamic_slice_sizes", &n);

	if (!f->i->noperand)
		return no(f, "dynamic-slice of nothing");
	x = in(f, 0);
	if (n != x->rank)
		return no(f, "dynamic_slice_sizes= has %d numbers for %s", n, show(f, x));
	if (!starts_fit(f, 1, x))
		return NULL;
	for (int k = 0; k < n; k++) {
		if (size[k] < 1 || size[k] > x->dim[k])
			return no(f, "a slice of %" PRId64 " in dimension %d of %s", size[k], k, show(f, x));
		f->dim[f->rank++] = size[k];
	}
	return array(f, x->type);
}

static const shape *dynamic_update_slice(struct infer *f)
{
	const shape *x, *u;

	if (f->i->noperand < 2)
		return no(f, "dynamic-update-slice needs an operand and an update");
	x = in(f, 0);
	u = in(f, 1);
	if (u->rank != x->rank || !compatible(f, u->type, x->type))
		return no(f, "an update of %s for %s", show(f, u), show(f, x));
	for (int k = 0; k < x->rank; k++)
		if (u->dim[k] > x->dim[k])
			return no(f, "an update of %s for %s", show(f, u), show(f, x));
	if (!starts_fit(f, 2, x))
		return NULL;
	take_dims(f, x);
	return array(f, x->type);
}

static const shape *gather(struct infer *f)
{
	const shape *x = in(f, 0), *idx = in(f, 1);
	int noff, ncol, nsize, nmap, nbatch, nstart, batch = 0, window = 0;
	const int64_t *off = inst_ints(f->i, "offset_dims", &noff);
	const int64_t *col = get_dims(f, "collapsed_slice_dims", &ncol, x->rank);
	const int64_t *size = inst_ints(f->i, "slice_sizes", &nsize);
	const int64_t *map = col ? get_dims(f, "start_index_map", &nmap, x->rank) : NULL;
	const int64_t *ob = map ? get_dims(f, "operand_batching_dims", &nbatch, x->rank) : NULL;
	const int64_t *sb = ob ? get_dims(f, "start_indices_batching_dims", &nstart, idx->rank) : NULL;
	int64_t vector = inst_int(f->i, "index_vector_dim", 0), nidx = idx->rank;
	int64_t kept[RANK];

	if (!sb)
		return NULL;
	if (vector < 0 || vector > nidx)
		return no(f, "index_vector_dim=%" PRId64 " for indices %s", vector, show(f, idx));
	if ((vector < nidx ? idx->dim[vector] : 1) != nmap)
		return no(f, "start_index_map= has %d numbers for indices %s", nmap, show(f, idx));
	if (nsize != x->rank || nbatch != nstart)
		return no(f, "slice_sizes= has %d numbers for %s", nsize, show(f, x));
	for (int k = 0; k < nsize; k++) {
		bool gone = member(col, ncol, k) || member(ob, nbatch, k);

		if (size[k] < 1 || size[k] > x->dim[k] || (gone && size[k] > 1))
			return no(f, "a slice of %" PRId64 " in dimension %d of %s", size[k], k, show(f, x));
		if (!gone)
			kept[window++] = size[k];
	}
	for (int k = 0; k < nbatch; k++)
		if (x->dim[ob[k]] != idx->dim[sb[k]])
			return no(f, "batches of %s and %s", show(f, x), show(f, idx));
	f->rank = (int)(nidx - (vector < nidx)) + window;
	if (f->rank > RANK || noff != window || !dims_fit(f, "offset_dims", off, noff, f->rank))
		return *f->why ? NULL : no(f, "offset_dims= does not fit slices of %s", show(f, x));
	window = 0;
	for (int d = 0; d < f->rank; d++) {
		if (member(off, noff, d)) {
			f->dim[d] = kept[window++];
			continue;
		}
		batch += batch == vector;
		f->dim[d] = idx->dim[batch++];
	}
	return array(f, x->type);
}

/* N operands, indices, N updates. */
static const shape *scatter(struct infer *f)
{
	int n = f->i->noperand / 2, nwin, nins, nmap, nbatch, nsb, window = 0, batch = 0;
	const shape *x, *idx, *elem[RANK];
	const int64_t *win, *ins, *map, *ib, *sb;
	int64_t vector = inst_int(f->i, "index_vector_dim", 0), kept[RANK];

	if (f->i->noperand % 2 == 0 || n < 1 || n > RANK)
		return no(f, "scatter with %d operands", f->i->noperand);
	x = in(f, 0);
	idx = in(f, n);
	win = inst_ints(f->i, "update_window_dims", &nwin);
	ins = get_dims(f, "inserted_window_dims", &nins, x->rank);
	map = ins ? get_dims(f, "scatter_dims_to_operand_dims", &nmap, x->rank) : NULL;
	ib = map ? get_dims(f, "input_batching_dims", &nbatch, x->rank) : NULL;
	sb = ib ? get_dims(f, "scatter_indices_batching_dims", &nsb, idx->rank) : NULL;
	if (!sb)
		return NULL;
	if (vector < 0 || vector > idx->rank || nbatch != nsb ||
	    (vector < idx->rank ? idx->dim[vector] : 1) != nmap)
		return no(f, "scatter_dims_to_operand_dims= has %d numbers for indices %s", nmap, show(f, idx));
	for (int k = 0; k < nbatch; k++)
		if (x->dim[ib[k]] != idx->dim[sb[k]])
			return no(f, "batches of %s and %s", show(f, x), show(f, idx));
	for (int k = 0; k < x->rank; k++)
		if (!member(ins, nins, k) && !member(ib, nbatch, k))
			kept[window++] = x->dim[k];
	for (int k = 0; k < n; k++) {
		const shape *u = in(f, n + 1 + k);
		int w = 0;

		elem[k] = in(f, k);
		if (!same_dims(elem[k], x) || !compatible(f, u->type, elem[k]->type))
			return no(f, "updates %s for %s", show(f, u), show(f, elem[k]));
		if (nwin != window || u->rank != window + idx->rank - (vector < idx->rank) ||
		    !dims_fit(f, "update_window_dims", win, nwin, u->rank))
			return *f->why ? NULL : no(f, "updates %s for indices %s", show(f, u), show(f, idx));
		batch = 0;
		for (int d = 0; d < u->rank; d++) {
			if (member(win, nwin, d)) {
				if (u->dim[d] > kept[w++])
					return no(f, "updates %s for %s", show(f, u), show(f, x));
				continue;
			}
			batch += batch == vector;
			if (u->dim[d] != idx->dim[batch++])
				return no(f, "updates %s for indices %s", show(f, u), show(f, idx));
		}
	}
	if (n > 1)
		return tuple_of(f, elem, n);
	take_dims(f, x);
	return array(f, x->type);
}

/* ---- contractions ---- */

static const shape *dot(struct infer *f)
{
	const shape *x = in(f, 0), *y = in(f, 1);
	int nxc, nyc, nxb, nyb;
	const int64_t *xc = get_dims(f, "lhs_contracting_dims", &nxc, x->rank);
	const int64_t *yc = xc ? get_dims(f, "rhs_contracting_dims", &nyc, y->rank) : NULL;
	const int64_t *xb = yc ? get_dims(f, "lhs_batch_dims", &nxb, x->rank) : NULL;
	const int64_t *yb = xb ? get_dims(f, "rhs_batch_dims", &nyb, y->rank) : NULL;

	if (!yb)
		return NULL;
	if (nxc != nyc || nxb != nyb)
		return no(f, "the dimension lists of the two operands differ in length");
	for (int k = 0; k < nxc; k++)
		if (member(xb, nxb, xc[k]) || member(yb, nyb, yc[k]))
			return no(f, "a dimension is both a batch dimension and contracted");
		else if (x->dim[xc[k]] != y->dim[yc[k]])
			return no(f, "dimension %" PRId64 " of %s is contracted with dimension %" PRId64 " of %s",
				  xc[k], show(f, x), yc[k], show(f, y));
	for (int k = 0; k < nxb; k++) {
		if (x->dim[xb[k]] != y->dim[yb[k]])
			return no(f, "batch dimension %" PRId64 " of %s is dimension %" PRId64 " of %s", xb[k],
				  show(f, x), yb[k], show(f, y));
		if (!add_dim(f, x->dim[xb[k]]))
			return NULL;
	}
	for (int k = 0; k < x->rank; k++)
		if (!member(xb, nxb, k) && !member(xc, nxc, k) && !add_dim(f, x->dim[k]))
			return NULL;
	for (int k = 0; k < y->rank; k++)
		if (!member(yb, nyb, k) && !member(yc, nyc, k) && !add_dim(f, y->dim[k]))
			return NULL;
	return array(f, declared_type(f, x->type));
}

/* How often the window fits; -1 if the window is not sensible. */
static int64_t window_out(int64_t n, const int64_t *w)
{
	__int128 wide = n ? (__int128)(n - 1) * w[W_LHS_DILATE] + 1 : 0, span;

	if (w[W_SIZE] < 1 || w[W_STRIDE] < 1 || w[W_LHS_DILATE] < 1 || w[W_RHS_DILATE] < 1)
		return -1;
	span = (__int128)(w[W_SIZE] - 1) * w[W_RHS_DILATE] + 1;
	wide += (__int128)w[W_PAD_LOW] + w[W_PAD_HIGH];
	if (wide > INT64_MAX)
		return -1;
	return wide < span ? 0 : (int64_t)((wide - span) / w[W_STRIDE] + 1);
}

static bool window_dims(struct infer *f, const shape *x, const attr *w)
{
	if ((w ? w->n : 0) != x->rank) {
		no(f, "window= does not fit %s", show(f, x));
		return false;
	}
	for (int k = 0; k < x->rank; k++) {
		f->dim[k] = window_out(x->dim[k], w->ints + k * WINDOW_FIELDS);
		if (f->dim[k] < 0) {
			no(f, "dimension %d of the window is not sensible (size %" PRId64 ", stride %" PRId64 ")", k,
			   w->ints[k * WINDOW_FIELDS + W_SIZE], w->ints[k * WINDOW_FIELDS + W_STRIDE]);
			return false;
		}
	}
	f->rank = x->rank;
	return true;
}

/* b01f: where batch, feature and the spatial dimensions are.  -1: absent. */
struct labels {
	int batch, feature, spatial[16], n;	/* n: rank */
};

static const char *read_labels(const char *p, char batch, char feature, struct labels *l)
{
	l->batch = l->feature = -1;
	for (int k = 0; k < 16; k++)
		l->spatial[k] = -1;
	for (l->n = 0; *p && *p != '_' && *p != '-'; p++, l->n++) {
		if (*p == batch)
			l->batch = l->n;
		else if (*p == feature)
			l->feature = l->n;
		else if (*p >= '0' && *p <= '9')
			l->spatial[*p - '0'] = l->n;
		else if (*p != '?')
			return NULL;
	}
	if (l->batch < 0 || l->feature < 0)
		return NULL;
	return p;
}

static bool conv_labels(const char *p, struct labels *x, struct labels *k, struct labels *y)
{
	p = read_labels(p, 'b', 'f', x);
	if (!p || *p++ != '_')
		return false;
	p = read_labels(p, 'i', 'o', k);
	if (!p || *p++ != '-' || *p++ != '>')
		return false;
	p = read_labels(p, 'b', 'f', y);
	return p && !*p;
}

static const shape *convolution(struct infer *f)
{
	const shape *x = in(f, 0), *k = in(f, 1);
	const char *text = inst_text(f->i, "dim_labels");
	const attr *w = inst_attr(f->i, "window");
	int64_t groups = inst_int(f->i, "feature_group_count", 1), batches = inst_int(f->i, "batch_group_count", 1);
	struct labels lx, lk, ly;

	if (!text || !conv_labels(text, &lx, &lk, &ly))
		return no(f, "dim_labels= cannot be read");
	if (lx.n != x->rank || lk.n != k->rank || ly.n != x->rank || lk.n != lx.n || lx.n - 2 > 10)
		return no(f, "dim_labels=%s for %s and %s", text, show(f, x), show(f, k));
	if ((w ? w->n : 0) != lx.n - 2)
		return no(f, "window= does not fit dim_labels=%s", text);
	if (groups < 1 || batches < 1 || x->dim[lx.feature] != k->dim[lk.batch] * groups ||
	    k->dim[lk.feature] % groups || k->dim[lk.feature] % batches || x->dim[lx.batch] % batches)
		return no(f, "the features of %s and %s do not fit", show(f, x), show(f, k));
	f->rank = ly.n;
	f->dim[ly.batch] = x->dim[lx.batch] / batches;
	f->dim[ly.feature] = k->dim[lk.feature];
	for (int s = 0; s < lx.n - 2; s++) {
		const int64_t *field = w->ints + s * WINDOW_FIELDS;

		if (lx.spatial[s] < 0 || lk.spatial[s] < 0 || ly.spatial[s] < 0)
			return no(f, "dim_labels=%s lacks dimension %d", text, s);
		if (field[W_SIZE] != k->dim[lk.spatial[s]])
			return no(f, "the window has size %" PRId64 " in dimension %d of the kernel %s", field[W_SIZE],
				  s, show(f, k));
		f->dim[ly.spatial[s]] = window_out(x->dim[lx.spatial[s]], field);
		if (f->dim[ly.spatial[s]] < 0)
			return no(f, "dimension %d of the window is not sensible", s);
	}
	return array(f, declared_type(f, x->type));
}

/* (next state, bits); the extents of the bits are free. */
static const shape *rng_bit_generator(struct infer *f)
{
	const shape *s = f->i->shape;

	if (!s || s->type != T_TUPLE)
		return NULL;
	if (s->n != 2 || !shape_equal(s->elem[0], in(f, 0)))
		return no(f, "the state is %s, the text says %s", show(f, in(f, 0)), show(f, s));
	return s;
}

static const shape *fft(struct infer *f)
{
	const char *type = inst_text(f->i, "fft_type");
	const shape *x = in(f, 0);
	int n;
	const int64_t *len = inst_ints(f->i, "fft_length", &n);

	if (!type || n < 1 || n > x->rank)
		return no(f, "fft_length= does not fit %s", show(f, x));
	take_dims(f, x);
	if (!strcmp(type, "RFFT")) {
		f->dim[f->rank - 1] = len[n - 1] / 2 + 1;
		return array(f, x->type == T_F64 ? T_C128 : T_C64);
	}
	if (!strcmp(type, "IRFFT")) {
		f->dim[f->rank - 1] = len[n - 1];
		return array(f, x->type == T_C128 ? T_F64 : T_F32);
	}
	return array(f, x->type);
}

/* ---- reductions and order ---- */

/* to_apply with that many parameters; its absence is left to the caller. */
static bool applies(struct infer *f, const char *key, int nparam)
{
	const comp *c = inst_comp(f->i, key);

	if (c && c->nparam == nparam)
		return true;
	if (c)
		no(f, "%%%s has %d parameters, %s needs %d", c->name, c->nparam, f->i->opname, nparam);
	else
		no(f, "%s= is missing", key);
	return false;
}

/* One shape of the current extents per operand, with the type of its start value. */
static const shape *per_operand(struct infer *f, int n, int type_from)
{
	const shape **elem;

	if (n == 1)
		return array(f, in(f, type_from)->type);
	elem = ARENA_ARRAY(f->a, const shape *, n);
	for (int k = 0; k < n; k++)
		elem[k] = array(f, in(f, type_from + k)->type);
	return tuple_of(f, elem, n);
}

static bool reduce_operands(struct infer *f, int *n)
{
	*n = f->i->noperand / 2;
	if (f->i->noperand < 2 || f->i->noperand % 2) {
		no(f, "%s with %d operands", f->i->opname, f->i->noperand);
		return false;
	}
	for (int k = 0; k < *n; k++) {
		if (!same_dims(in(f, k), in(f, 0))) {
			no(f, "the operands are %s and %s", show(f, in(f, 0)), show(f, in(f, k)));
			return false;
		}
		if (in(f, *n + k)->rank || !compatible(f, in(f, *n + k)->type, in(f, k)->type)) {
			no(f, "the initial value is %s for %s", show(f, in(f, *n + k)), show(f, in(f, k)));
			return false;
		}
	}
	return applies(f, "to_apply", f->i->noperand);
}

static const shape *reduce(struct infer *f)
{
	int n, nd;
	const int64_t *d;

	if (!reduce_operands(f, &n))
		return NULL;
	d = get_dims(f, "dimensions", &nd, in(f, 0)->rank);
	if (!d)
		return NULL;
	for (int k = 0; k < in(f, 0)->rank; k++)
		if (!member(d, nd, k))
			f->dim[f->rank++] = in(f, 0)->dim[k];
	return per_operand(f, n, n);
}

static const shape *reduce_window(struct infer *f)
{
	int n;

	if (!reduce_operands(f, &n) || !window_dims(f, in(f, 0), inst_attr(f->i, "window")))
		return NULL;
	return per_operand(f, n, n);
}

static const shape *select_and_scatter(struct infer *f)
{
	if (!window_dims(f, in(f, 0), inst_attr(f->i, "window")) || !applies(f, "select", 2) ||
	    !applies(f, "scatter", 2))
		return NULL;
	if (f->rank != in(f, 1)->rank || (f->rank && memcmp(f->dim, in(f, 1)->dim, f->rank * sizeof *f->dim)))
		return no(f, "the source is %s", show(f, in(f, 1)));
	take_dims(f, in(f, 0));
	return array(f, in(f, 0)->type);
}

static const shape *sort(struct infer *f)
{
	int n, count = f->i->noperand;

	if (!count)
		return no(f, "sort of nothing");
	if (!get_dims(f, "dimensions", &n, in(f, 0)->rank) || !applies(f, "to_apply", 2 * count))
		return NULL;
	for (int k = 1; k < count; k++)
		if (!same_dims(in(f, k), in(f, 0)))
			return no(f, "the operands are %s and %s", show(f, in(f, 0)), show(f, in(f, k)));
	take_dims(f, in(f, 0));
	return per_operand(f, count, 0);
}

static const shape *topk(struct infer *f)
{
	const shape *x = in(f, 0), *elem[2];
	int64_t k = inst_int(f->i, "k", -1);

	if (!x->rank || k < 0 || k > x->dim[x->rank - 1])
		return no(f, "k=%" PRId64 " for %s", k, show(f, x));
	take_dims(f, x);
	f->dim[f->rank - 1] = k;
	elem[0] = array(f, x->type);
	elem[1] = array(f, T_S32);
	return tuple_of(f, elem, 2);
}

static const shape *map(struct infer *f)
{
	const comp *c = inst_comp(f->i, "to_apply");

	if (!f->i->noperand || !applies(f, "to_apply", f->i->noperand))
		return NULL;
	for (int k = 1; k < f->i->noperand; k++)
		if (!same_dims(in(f, k), in(f, 0)))
			return no(f, "the operands are %s and %s", show(f, in(f, 0)), show(f, in(f, k)));
	take_dims(f, in(f, 0));
	return array(f, c->root->shape->type);
}

static const shape *batch_norm(struct infer *f)
{
	const shape *x = in(f, 0), *elem[3];
	int64_t d = inst_int(f->i, "feature_index", -1);

	if (d < 0 || d >= x->rank)
		return no(f, "feature_index=%" PRId64 " for %s", d, show(f, x));
	for (int k = 1; k < f->i->noperand; k++) {
		const shape *s = in(f, k);
		bool whole = f->i->opcode == OP_BATCH_NORM_GRAD && k == 4;

		if (whole ? !same_dims(s, x) : s->rank != 1 || s->dim[0] != x->dim[d])
			return no(f, "operand %d is %s for %s", k, show(f, s), show(f, x));
	}
	take_dims(f, x);
	elem[0] = array(f, x->type);
	if (f->i->opcode == OP_BATCH_NORM_INFERENCE)
		return elem[0];
	f->rank = 1;
	f->dim[0] = x->dim[d];
	elem[1] = elem[2] = array(f, in(f, 1)->type);
	return tuple_of(f, elem, 3);
}

/* ---- collectives ---- */

/* All ids are different and not negative. */
static bool groups_fit(struct infer *f, const groups *g)
{
	int64_t n = 0, top = -1;
	char *seen;

	for (int k = 0; k < g->ngroup; k++)
		n += g->size[k];
	for (int64_t k = 0; k < n; k++) {
		if (g->id[k] < 0 || g->id[k] >= (int64_t)1 << 24) {
			no(f, "replica_groups= names device %" PRId64, g->id[k]);
			return false;
		}
		top = g->id[k] > top ? g->id[k] : top;
	}
	seen = arena_zalloc(f->a, (size_t)(top + 2));
	for (int64_t k = 0; k < n; k++) {
		if (seen[g->id[k]]) {
			no(f, "replica_groups= names device %" PRId64 " twice", g->id[k]);
			return false;
		}
		seen[g->id[k]] = 1;
	}
	return true;
}

/* Members of a group: 0 if unknown, -1 if ill-formed.  Groups of replica ids
 * with a channel hold all partitions of each replica. */
static int64_t group_size(struct infer *f, bool even)
{
	const attr *x = inst_attr(f->i, "replica_groups");
	const module *m = f->i->parent->module;
	bool across = inst_int(f->i, "channel_id", 0) > 0 && !inst_bool(f->i, "use_global_device_ids", false);

	if (!x || x->kind != ATTR_GROUPS || !x->groups->ngroup)
		return 0;
	if (!groups_fit(f, x->groups))
		return -1;
	for (int k = 1; even && k < x->groups->ngroup; k++)
		if (x->groups->size[k] != x->groups->size[0]) {
			no(f, "the groups have different sizes");
			return -1;
		}
	if (!across || (f->i->opcode != OP_ALL_GATHER && f->i->opcode != OP_ALL_GATHER_START &&
			f->i->opcode != OP_REDUCE_SCATTER))
		return x->groups->size[0];
	return m->num_partitions ? x->groups->size[0] * m->num_partitions : 0;
}

static const shape *all_operands(struct infer *f)
{
	const shape **elem;

	if (f->i->noperand == 1)
		return in(f, 0);
	elem = ARENA_ARRAY(f->a, const shape *, f->i->noperand);
	for (int k = 0; k < f->i->noperand; k++)
		elem[k] = in(f, k);
	return tuple_of(f, elem, f->i->noperand);
}

/* Operand x along d: times size, or divided by it.  Where the size is not
 * known the declared result tells it, if it is a multiple at all. */
static const shape *scaled(struct infer *f, const shape *x, const shape *said, int64_t d, int64_t size, bool grow)
{
	int64_t n;

	if (x->rank == 0 && f->i->noperand > 1)
		return x;	/* torch_xla sends its token along */
	if (d < 0 || d >= x->rank)
		return no(f, "dimension %" PRId64 " of %s", d, show(f, x));
	n = x->dim[d];
	if (!size && said && said->rank == x->rank) {
		int64_t big = grow ? said->dim[d] : n, small = grow ? n : said->dim[d];

		if (small ? big % small : big)
			return no(f, "dimension %" PRId64 " of %s does not give %s", d, show(f, x), show(f, said));
		size = small ? big / small : 1;
	}
	if (!size)
		return NULL;
	take_dims(f, x);
	if (grow && __builtin_mul_overflow(n, size, &f->dim[d]))
		return no(f, "the result is too large");
	if (!grow && n % size)
		return no(f, "dimension %" PRId64 " of %s does not split into %" PRId64 " parts", d, show(f, x), size);
	if (!grow)
		f->dim[d] = n / size;
	return array(f, x->type);
}

static const shape *scaled_operands(struct infer *f, const shape *said, bool grow)
{
	int n, count = f->i->noperand;
	const int64_t *d = inst_ints(f->i, "dimensions", &n);
	int64_t size = group_size(f, true);
	const shape **elem;

	if (size < 0)
		return NULL;
	if (n != 1 || !count)
		return no(f, "%s needs one dimension", f->i->opname);
	if (count == 1)
		return scaled(f, in(f, 0), said, d[0], size, grow);
	elem = ARENA_ARRAY(f->a, const shape *, count);
	for (int k = 0; k < count; k++) {
		elem[k] = scaled(f, in(f, k), said && said->type == T_TUPLE && k < said->n ? said->elem[k] : NULL, d[0],
				 size, grow);
		if (!elem[k])
			return NULL;
	}
	return tuple_of(f, elem, count);
}

static const shape *all_gather_start(struct infer *f)
{
	const shape *s = f->i->shape, *elem[2];

	if (!s)
		return NULL;
	if (s->type != T_TUPLE || s->n != 2)
		return scaled_operands(f, s, true);
	elem[0] = all_operands(f);
	elem[1] = scaled_operands(f, s->elem[1], true);
	return elem[1] ? tuple_of(f, elem, 2) : NULL;
}

/* The result inside what a start gives: (operands, result, ...). */
static const shape *start_result(struct infer *f)
{
	const shape *s = in(f, 0);

	return s->type == T_TUPLE && s->n >= 2 ? s->elem[1] : s;
}

static const shape *all_reduce(struct infer *f)
{
	if (!f->i->noperand)
		return no(f, "%s of nothing", f->i->opname);
	return group_size(f, false) < 0 || !applies(f, "to_apply", 2) ? NULL : all_operands(f);
}

static const shape *reduce_scatter(struct infer *f)
{
	return applies(f, "to_apply", 2) ? scaled_operands(f, f->i->shape, false) : NULL;
}

static const shape *all_to_all(struct infer *f)
{
	int n, count = f->i->noperand;
	const int64_t *d = inst_ints(f->i, "dimensions", &n);
	int64_t size = group_size(f, true);

	if (size < 0)
		return NULL;
	if (!count || n > 1)
		return no(f, "all-to-all with %d operands and %d dimensions", count, n);
	if (n == 0) {
		const shape *const *elem;

		if (size && size != count)
			return no(f, "%d operands for groups of %" PRId64, count, size);
		for (int k = 1; k < count; k++)
			if (!shape_equal(in(f, k), in(f, 0)))
				return no(f, "the operands are %s and %s", show(f, in(f, 0)), show(f, in(f, k)));
		elem = ARENA_ARRAY(f->a, const shape *, count);
		for (int k = 0; k < count; k++)
			((const shape **)elem)[k] = in(f, k);
		return tuple_of(f, elem, count);
	}
	for (int k = 0; k < count; k++) {
		if (d[0] < 0 || d[0] >= in(f, k)->rank)
			return no(f, "dimension %" PRId64 " of %s", d[0], show(f, in(f, k)));
		if (size && in(f, k)->dim[d[0]] % size)
			return no(f, "dimension %" PRId64 " of %s does not split into %" PRId64 " parts", d[0],
				  show(f, in(f, k)), size);
	}
	return all_operands(f);
}

static bool pairs_fit(struct infer *f)
{
	const attr *p = inst_attr(f->i, "source_target_pairs");
	int64_t top = -1;
	char *seen;

	if (!p) {
		no(f, "source_target_pairs= is missing");
		return false;
	}
	for (int k = 0; k < 2 * p->n; k++) {
		if (p->ints[k] < 0 || p->ints[k] >= (int64_t)1 << 24) {
			no(f, "source_target_pairs= names device %" PRId64, p->ints[k]);
			return false;
		}
		top = p->ints[k] > top ? p->ints[k] : top;
	}
	seen = arena_zalloc(f->a, (size_t)(top + 2));
	for (int k = 0; k < 2 * p->n; k++) {
		char bit = (char)(1 << (k & 1));

		if (seen[p->ints[k]] & bit) {
			no(f, "device %" PRId64 " is twice a %s", p->ints[k], k & 1 ? "target" : "source");
			return false;
		}
		seen[p->ints[k]] |= bit;
	}
	return true;
}

/* Forms with buffers and slices (4 operands) have no rule. */
static const shape *collective_permute(struct infer *f)
{
	const shape *s = f->i->shape;

	if (!pairs_fit(f))
		return NULL;
	if (inst_attr(f->i, "slice_sizes"))
		return NULL;
	if (!f->i->noperand)
		return no(f, "%s of nothing", f->i->opname);
	if (f->i->opcode == OP_COLLECTIVE_PERMUTE)
		return all_operands(f);
	if (!s || s->type != T_TUPLE || s->n < 2)
		return NULL;
	for (int k = 0; k < 2; k++)
		if (!shape_equal(s->elem[k], all_operands(f)))
			return no(f, "%s of %s, the text says %s", f->i->opname, show(f, all_operands(f)), show(f, s));
	return s;
}

static const shape *collective_broadcast(struct infer *f)
{
	if (!f->i->noperand)
		return no(f, "%s of nothing", f->i->opname);
	if (group_size(f, false) < 0)
		return NULL;
	if (inst_bool(f->i, "has_dynamic_root", false))
		return f->i->noperand == 2 ? in(f, 0) : NULL;
	return all_operands(f);
}

/* ---- structure ---- */

static const shape *get_tuple_element(struct infer *f)
{
	const shape *x = in(f, 0);

	if (x->type != T_TUPLE || f->i->number < 0 || f->i->number >= x->n)
		return no(f, "%s has no element %" PRId64, show(f, x), f->i->number);
	return x->elem[f->i->number];
}

/* The operands from `first` on are the parameters of c. */
static bool passes(struct infer *f, const comp *c, int first, int n)
{
	if (c->nparam != n) {
		no(f, "%%%s has %d parameters, %d operands are given", c->name, c->nparam, n);
		return false;
	}
	for (int k = 0; k < n; k++) {
		const shape *p = c->param[k]->shape;

		if (p && !shape_equal(p, in(f, first + k))) {
			no(f, "parameter %d of %%%s is %s, the operand is %s", k, c->name, show(f, p),
			   show(f, in(f, first + k)));
			return false;
		}
	}
	return true;
}

static const shape *call(struct infer *f, const char *key)
{
	const comp *c = inst_comp(f->i, key);

	if (!c)
		return no(f, "%s= is missing", key);
	return passes(f, c, 0, f->i->noperand) ? c->root->shape : NULL;
}

static const shape *while_(struct infer *f)
{
	const comp *c = inst_comp(f->i, "condition"), *b = inst_comp(f->i, "body");

	if (!c || !b)
		return no(f, "condition= or body= is missing");
	if (!passes(f, c, 0, 1) || !passes(f, b, 0, 1))
		return NULL;
	if (c->root->shape->type != T_PRED || c->root->shape->rank)
		return no(f, "the condition gives %s", show(f, c->root->shape));
	if (!shape_equal(b->root->shape, in(f, 0)))
		return no(f, "the body gives %s for %s", show(f, b->root->shape), show(f, in(f, 0)));
	return in(f, 0);
}

static const shape *conditional(struct infer *f)
{
	const attr *x = inst_attr(f->i, "branch_computations");
	comp *pair[2] = { inst_comp(f->i, "true_computation"), inst_comp(f->i, "false_computation") };
	comp *const *branch = x ? x->comps : pair;
	int n = x ? x->n : 2;

	if (!n || !branch[0] || !branch[n - 1] || f->i->noperand != n + 1)
		return no(f, "conditional with %d operands for its branches", f->i->noperand);
	if (in(f, 0)->rank || (in(f, 0)->type != T_PRED && in(f, 0)->type != T_S32))
		return no(f, "the choice is %s", show(f, in(f, 0)));
	for (int k = 0; k < n; k++) {
		if (!passes(f, branch[k], k + 1, 1))
			return NULL;
		if (!shape_equal(branch[k]->root->shape, branch[0]->root->shape))
			return no(f, "the branches give %s and %s", show(f, branch[0]->root->shape),
				  show(f, branch[k]->root->shape));
	}
	return branch[0]->root->shape;
}

/* ((operands), result, contexts...): the contexts are free. */
static const shape *async_start(struct infer *f)
{
	const shape *s = f->i->shape, *given;
	const comp *c = inst_comp(f->i, "calls");

	if (!s || !c)
		return no(f, "async-start needs calls= and its shape");
	if (!passes(f, c, 0, f->i->noperand))
		return NULL;
	if (s->type != T_TUPLE || s->n < 2 || s->elem[0]->type != T_TUPLE)
		return no(f, "async-start gives ((operands), result, ...), the text says %s", show(f, s));
	given = c->root->shape;
	if (!shape_equal(s->elem[1], given))
		return no(f, "%%%s gives %s, the text says %s", c->name, show(f, given), show(f, s->elem[1]));
	if (s->elem[0]->n != f->i->noperand)
		return no(f, "async-start has %d operands, the text says %s", f->i->noperand, show(f, s->elem[0]));
	for (int k = 0; k < f->i->noperand; k++)
		if (!shape_equal(s->elem[0]->elem[k], in(f, k)))
			return no(f, "operand %d is %s, the text says %s", k, show(f, in(f, k)),
				  show(f, s->elem[0]->elem[k]));
	return s;
}

static const shape *async_done(struct infer *f)
{
	const shape *s = in(f, 0);

	if (s->type != T_TUPLE || s->n < 2)
		return no(f, "async-done of %s", show(f, s));
	return s->elem[1];
}

static const shape *copy_start(struct infer *f)
{
	const shape *s = f->i->shape;

	if (!s || s->type != T_TUPLE || s->n < 2)
		return NULL;
	if (!shape_equal(s->elem[0], in(f, 0)) || !shape_equal(s->elem[1], in(f, 0)))
		return no(f, "copy-start of %s, the text says %s", show(f, in(f, 0)), show(f, s));
	return s;
}

static const shape *copy_done(struct infer *f)
{
	const shape *s = in(f, 0);

	return s->type == T_TUPLE && s->n ? s->elem[0] : NULL;
}

static bool literal_fits(const literal *x, const shape *s)
{
	if (!x)
		return false;
	if (x->elided)
		return true;
	if (s->type != T_TUPLE)
		return x->count == shape_elements(s) && (x->i || x->f);
	if (x->n != s->n)
		return false;
	for (int k = 0; k < x->n; k++)
		if (!literal_fits(x->elem[k], s->elem[k]))
			return false;
	return true;
}

static const shape *constant(struct infer *f)
{
	const shape *s = f->i->shape;

	if (s && !literal_fits(f->i->literal, s))
		return no(f, "the constant does not fit %s", show(f, s));
	return s;
}

static const shape *iota(struct infer *f)
{
	const shape *s = f->i->shape;
	int64_t d = inst_int(f->i, "iota_dimension", -1);

	if (s && (d < 0 || d >= s->rank))
		return no(f, "iota_dimension=%" PRId64 " of %s", d, show(f, s));
	return s;
}

static const shape *token(struct infer *f)
{
	f->rank = 0;
	return shape_array(f->a, T_TOKEN, 0, f->dim);
}

static const shape *scalar(struct infer *f, enum etype t)
{
	f->rank = 0;
	return shape_array(f->a, t, 0, f->dim);
}

/* ---- the table ---- */

static const shape *by_opcode(struct infer *f)
{
	switch (f->i->opcode) {
	case OP_BITCAST_CONVERT: return bitcast_convert(f);
	case OP_SELECT: return select_(f);
	case OP_CLAMP: return clamp(f);
	case OP_BROADCAST: return broadcast(f);
	case OP_RESHAPE: return reshape(f);
	case OP_BITCAST: return bitcast(f);
	case OP_TRANSPOSE: return transpose(f);
	case OP_REVERSE: return reverse(f);
	case OP_CONCATENATE: return concatenate(f);
	case OP_SLICE: return slice(f);
	case OP_PAD: return pad(f);
	case OP_DYNAMIC_SLICE: return dynamic_slice(f);
	case OP_DYNAMIC_UPDATE_SLICE: return dynamic_update_slice(f);
	case OP_GATHER: return gather(f);
	case OP_SCATTER: return scatter(f);
	case OP_DOT: case OP_SCALED_DOT: return dot(f);
	case OP_CONVOLUTION: return convolution(f);
	case OP_FFT: return fft(f);
	case OP_RNG_BIT_GENERATOR: return rng_bit_generator(f);
	case OP_CHOLESKY: return in(f, 0);
	case OP_TRIANGULAR_SOLVE: return in(f, 1);
	case OP_REDUCE: return reduce(f);
	case OP_REDUCE_WINDOW: return reduce_window(f);
	case OP_SELECT_AND_SCATTER: return select_and_scatter(f);
	case OP_SORT: return sort(f);
	case OP_TOPK: return topk(f);
	case OP_MAP: return map(f);
	case OP_BATCH_NORM_TRAINING: case OP_BATCH_NORM_INFERENCE: case OP_BATCH_NORM_GRAD: return batch_norm(f);
	case OP_ALL_GATHER: return scaled_operands(f, f->i->shape, true);
	case OP_ALL_GATHER_START: return all_gather_start(f);
	case OP_ALL_GATHER_DONE: case OP_COLLECTIVE_PERMUTE_DONE: return start_result(f);
	case OP_ALL_REDUCE: case OP_ALL_REDUCE_START: return all_reduce(f);
	case OP_REDUCE_SCATTER: return reduce_scatter(f);
	case OP_ALL_TO_ALL: return all_to_all(f);
	case OP_COLLECTIVE_PERMUTE: case OP_COLLECTIVE_PERMUTE_START: return collective_permute(f);
	case OP_COLLECTIVE_BROADCAST: return collective_broadcast(f);
	case OP_TUPLE: return f->i->noperand == 1 ? tuple_of(f, &f->i->operand[0]->shape, 1) :
		f->i->noperand ? all_operands(f) : tuple_of(f, NULL, 0);
	case OP_GET_TUPLE_ELEMENT: return get_tuple_element(f);
	case OP_CALL: return call(f, "to_apply");
	case OP_FUSION: return call(f, "calls");
	case OP_WHILE: return while_(f);
	case OP_CONDITIONAL: return conditional(f);
	case OP_ASYNC_START: return async_start(f);
	case OP_ASYNC_DONE: return async_done(f);
	case OP_COPY: case OP_OPT_BARRIER: case OP_ADD_DEPENDENCY: case OP_DOMAIN: case OP_ASYNC_UPDATE:
	case OP_ALL_REDUCE_DONE: return in(f, 0);
	case OP_COPY_START: return copy_start(f);
	case OP_COPY_DONE: return copy_done(f);
	case OP_AFTER_ALL: return token(f);
	case OP_CONSTANT: return constant(f);
	case OP_IOTA: return iota(f);
	case OP_PARTITION_ID: case OP_REPLICA_ID: return scalar(f, T_U32);
	case OP_GET_DIMENSION_SIZE: return scalar(f, T_S32);
	case OP_SET_DIMENSION_SIZE: return in(f, 0);
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
		return no(&f, "%s takes %d operand%s, not %d", i->opname, want, want == 1 ? "" : "s", i->noperand);
	for (int k = 0; k < i->noperand; k++)
		if (!in(&f, k))
			return no(&f, "the shape of operand %d is not known", k);
		else if (unbounded(in(&f, k)))
			return NULL;
		else if (etype_kind(in(&f, k)->type) == '-' && wants_arrays(i))
			return no(&f, "operand %d of %s is %s", k, i->opname, show(&f, in(&f, k)));
	if (i->shape && unbounded(i->shape))
		return NULL;
	if (i->shape && i->shape->type == T_TUPLE && strchr("ubt", opcode_class(i->opcode)) && i->opcode != OP_SELECT)
		return no(&f, "%s gives no tuple", i->opname);
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
