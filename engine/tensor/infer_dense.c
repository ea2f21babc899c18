#include "tensor/infer_in.h"

#include <inttypes.h>
#include "util/integers.h"

const shape *infer_dot(struct infer *f)
{
	const shape *x = in(f, 0), *y = in(f, 1);
	int nxc, nyc, nxb, nyb;
	const int64_t *xc = infer_dims(f, "lhs_contracting_dims", &nxc, x->rank);
	const int64_t *yc = xc ? infer_dims(f, "rhs_contracting_dims", &nyc, y->rank) : NULL;
	const int64_t *xb = yc ? infer_dims(f, "lhs_batch_dims", &nxb, x->rank) : NULL;
	const int64_t *yb = xb ? infer_dims(f, "rhs_batch_dims", &nyb, y->rank) : NULL;

	if (!yb)
		return NULL;
	if (nxc != nyc || nxb != nyb)
		return infer_no(f, "the dimension lists of the two operands differ in length");
	for (int k = 0; k < nxc; k++)
		if (integers_have(xb, nxb, xc[k]) || integers_have(yb, nyb, yc[k]))
			return infer_no(f, "a dimension is both a batch dimension and contracted");
		else if (x->dim[xc[k]] != y->dim[yc[k]])
			return infer_no(f, "dimension %" PRId64 " of %s is contracted with dimension %" PRId64 " of %s",
				  xc[k], show(f, x), yc[k], show(f, y));
	for (int k = 0; k < nxb; k++) {
		if (x->dim[xb[k]] != y->dim[yb[k]])
			return infer_no(f, "batch dimension %" PRId64 " of %s is dimension %" PRId64 " of %s", xb[k],
				  show(f, x), yb[k], show(f, y));
		if (!infer_add_dim(f, x->dim[xb[k]]))
			return NULL;
	}
	for (int k = 0; k < x->rank; k++)
		if (!integers_have(xb, nxb, k) && !integers_have(xc, nxc, k) && !infer_add_dim(f, x->dim[k]))
			return NULL;
	for (int k = 0; k < y->rank; k++)
		if (!integers_have(yb, nyb, k) && !integers_have(yc, nyc, k) && !infer_add_dim(f, y->dim[k]))
			return NULL;
	return infer_array(f, infer_declared(f, x->type));
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

bool infer_window(struct infer *f, const shape *x, const attr *w)
{
	if ((w ? w->n : 0) != x->rank) {
		infer_no(f, "window= does not fit %s", show(f, x));
		return false;
	}
	for (int k = 0; k < x->rank; k++) {
		f->dim[k] = window_out(x->dim[k], w->ints + k * WINDOW_FIELDS);
		if (f->dim[k] < 0) {
			infer_no(f, "dimension %d of the window is not sensible (size %" PRId64 ", stride %" PRId64 ")", k,
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

const shape *infer_convolution(struct infer *f)
{
	const shape *x = in(f, 0), *k = in(f, 1);
	const char *text = inst_text(f->i, "dim_labels");
	const attr *w = inst_attr(f->i, "window");
	int64_t groups = inst_int(f->i, "feature_group_count", 1), batches = inst_int(f->i, "batch_group_count", 1);
	struct labels lx, lk, ly;

	if (!text || !conv_labels(text, &lx, &lk, &ly))
		return infer_no(f, "dim_labels= cannot be read");
	if (lx.n != x->rank || lk.n != k->rank || ly.n != x->rank || lk.n != lx.n || lx.n - 2 > 10)
		return infer_no(f, "dim_labels=%s for %s and %s", text, show(f, x), show(f, k));
	if ((w ? w->n : 0) != lx.n - 2)
		return infer_no(f, "window= does not fit dim_labels=%s", text);
	if (groups < 1 || batches < 1 || x->dim[lx.feature] != k->dim[lk.batch] * groups ||
	    k->dim[lk.feature] % groups || k->dim[lk.feature] % batches || x->dim[lx.batch] % batches)
		return infer_no(f, "the features of %s and %s do not fit", show(f, x), show(f, k));
	f->rank = ly.n;
	f->dim[ly.batch] = x->dim[lx.batch] / batches;
	f->dim[ly.feature] = k->dim[lk.feature];
	for (int s = 0; s < lx.n - 2; s++) {
		const int64_t *field = w->ints + s * WINDOW_FIELDS;

		if (lx.spatial[s] < 0 || lk.spatial[s] < 0 || ly.spatial[s] < 0)
			return infer_no(f, "dim_labels=%s lacks dimension %d", text, s);
		if (field[W_SIZE] != k->dim[lk.spatial[s]])
			return infer_no(f, "the window has size %" PRId64 " in dimension %d of the kernel %s", field[W_SIZE],
				  s, show(f, k));
		f->dim[ly.spatial[s]] = window_out(x->dim[lx.spatial[s]], field);
		if (f->dim[ly.spatial[s]] < 0)
			return infer_no(f, "dimension %d of the window is not sensible", s);
	}
	return infer_array(f, infer_declared(f, x->type));
}

/* (next state, bits); the extents of the bits are free. */
const shape *infer_rng_bit_generator(struct infer *f)
{
	const shape *s = f->i->shape;

	if (!s || s->type != T_TUPLE)
		return NULL;
	if (s->n != 2 || !shape_equal(s->elem[0], in(f, 0)))
		return infer_no(f, "the state is %s, the text says %s", show(f, in(f, 0)), show(f, s));
	return s;
}

/* ---- matrices in the last two dimensions, transforms of the last ones */

static bool real_or_complex(enum etype t)
{
	return etype_kind(t) == 'f' || etype_kind(t) == 'c';
}

static bool square_matrices(struct infer *f, const shape *a)
{
	if (a->rank >= 2 && a->dim[a->rank - 1] == a->dim[a->rank - 2] && real_or_complex(a->type))
		return true;
	infer_no(f, "%s holds no square matrices", show(f, a));
	return false;
}

const shape *infer_cholesky(struct infer *f)
{
	return square_matrices(f, in(f, 0)) ? in(f, 0) : NULL;
}

const shape *infer_triangular_solve(struct infer *f)
{
	const shape *a = in(f, 0), *b = in(f, 1);
	bool left = inst_bool(f->i, "left_side", false);
	int k;

	if (!square_matrices(f, a))
		return NULL;
	if (b->rank != a->rank || !infer_compatible(f, a->type, b->type) || b->dim[b->rank - (left ? 2 : 1)] != a->dim[a->rank - 1])
		return infer_no(f, "%s does not fit %s on its %s", show(f, a), show(f, b), left ? "left" : "right");
	for (k = 0; k < a->rank - 2; k++)
		if (a->dim[k] != b->dim[k])
			return infer_no(f, "batch dimension %d of %s and %s differ", k, show(f, a), show(f, b));
	return b;
}

enum fft { FFT_NONE, FFT_WHOLE, FFT_REAL, FFT_REAL_BACK };

static enum fft fft_kind(const char *type)
{
	if (!type)
		return FFT_NONE;
	return !strcmp(type, "RFFT") ? FFT_REAL : !strcmp(type, "IRFFT") ? FFT_REAL_BACK :
		!strcmp(type, "FFT") || !strcmp(type, "IFFT") ? FFT_WHOLE : FFT_NONE;
}

const shape *infer_fft(struct infer *f)
{
	enum fft kind = fft_kind(inst_text(f->i, "fft_type"));
	const shape *x = in(f, 0);
	int n, k;
	const int64_t *len = inst_ints(f->i, "fft_length", &n);

	if (kind == FFT_NONE)
		return infer_no(f, "fft_type= is none of FFT, IFFT, RFFT, IRFFT");
	if (kind == FFT_REAL ? x->type != T_F32 && x->type != T_F64 : etype_kind(x->type) != 'c')
		return infer_no(f, "%s transforms %s numbers, not %s", inst_text(f->i, "fft_type"), kind == FFT_REAL ? "real" : "complex", show(f, x));
	if (n < 1 || n > x->rank)
		return infer_no(f, "fft_length= does not fit %s", show(f, x));
	take_dims(f, x);
	for (k = 0; k < n; k++) {
		bool half = kind == FFT_REAL_BACK && k == n - 1;
		if (len[k] < 0 || x->dim[x->rank - n + k] != (half ? len[k] / 2 + 1 : len[k]))
			return infer_no(f, "fft_length= does not fit %s", show(f, x));
	}
	if (kind == FFT_REAL) {
		f->dim[f->rank - 1] = len[n - 1] / 2 + 1;
		return infer_array(f, x->type == T_F64 ? T_C128 : T_C64);
	}
	if (kind == FFT_REAL_BACK) {
		f->dim[f->rank - 1] = len[n - 1];
		return infer_array(f, x->type == T_C128 ? T_F64 : T_F32);
	}
	return infer_array(f, x->type);
}
