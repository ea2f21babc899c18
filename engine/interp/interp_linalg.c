/* interp_linalg.c - cholesky, triangular-solve and fft, as plain loops.
 *
 * All work on the last one or two dimensions; the others are batches.  What
 * the triangle that cholesky does not compute holds is not specified: zeros.
 */
#include <complex.h>

#include <math.h>
#include <string.h>
#include "interp/interp_in.h"

static void finish(interp *r, tensor *t)
{
	if (r->o.reading == INTERP_DECLARED)
		interp_round(t->shape->type, t->n, t->f);
}

/* l l^T = a, of the lower triangle (upper: of the transposed matrix). */
static void cholesky_one(int64_t n, const double *a, double *l, bool lower)
{
	int64_t i, j, k;

#define A(i, j) (lower ? a[(i) * n + (j)] : a[(j) * n + (i)])
#define L(i, j) (*(lower ? &l[(i) * n + (j)] : &l[(j) * n + (i)]))
	for (j = 0; j < n; j++)
		for (i = j; i < n; i++) {
			double v = A(i, j);

			for (k = 0; k < j; k++)
				v -= L(i, k) * L(j, k);
			L(i, j) = i == j ? sqrt(v) : v / L(j, j);
		}
#undef A
#undef L
}

static tensor *cholesky(interp *r, const inst *i, tensor *const *a)
{
	int rank = i->shape->rank;
	int64_t n = rank >= 2 ? i->shape->dim[rank - 1] : 0, b;
	tensor *o;

	if (!a[0]->f || tensor_words(a[0]) != 1 || rank < 2 || i->shape->dim[rank - 2] != n)
		return interp_fail(r, i, "cholesky of what is no real square matrix");
	o = interp_zero(r, i->shape);
	for (b = 0; n && b < o->n / (n * n); b++)
		cholesky_one(n, a[0]->f + b * n * n, o->f + b * n * n, inst_bool(i, "lower", false));
	finish(r, o);
	return o;
}

struct triangle { int64_t n; const double *a; bool lower, unit, transpose; };

static double entry(const struct triangle *t, int64_t i, int64_t j)
{
	return t->transpose ? t->a[j * t->n + i] : t->a[i * t->n + j];
}

/* op(a) x = b for one column with that stride, in place. */
static void solve(const struct triangle *t, double *x, int64_t step)
{
	bool forward = t->lower != t->transpose;
	int64_t k, j;

	for (k = 0; k < t->n; k++) {
		int64_t i = forward ? k : t->n - 1 - k;
		double v = x[i * step];

		for (j = forward ? 0 : i + 1; j < (forward ? i : t->n); j++)
			v -= entry(t, i, j) * x[j * step];
		x[i * step] = t->unit ? v : v / entry(t, i, i);
	}
}

static tensor *triangular_solve(interp *r, const inst *i, tensor *const *a)
{
	bool left = inst_bool(i, "left_side", false);
	const char *tr = inst_text(i, "transpose_a");
	struct triangle t = { .lower = inst_bool(i, "lower", false), .unit = inst_bool(i, "unit_diagonal", false) };
	int rank = i->shape->rank;
	int64_t m, n, b, k;
	tensor *o;

	if (!a[0]->f || tensor_words(a[0]) != 1 || rank < 2 || a[0]->shape->rank != rank)
		return interp_fail(r, i, "triangular-solve of what is no real matrix");
	m = i->shape->dim[rank - 2];
	n = i->shape->dim[rank - 1];
	t.n = left ? m : n;
	if (a[0]->shape->dim[rank - 1] != t.n || a[0]->shape->dim[rank - 2] != t.n)
		return interp_fail(r, i, "its matrices do not fit");
	t.transpose = tr && strcmp(tr, "NO_TRANSPOSE");
	o = interp_alloc(r, i->shape);
	memcpy(o->f, a[1]->f, sizeof *o->f * o->n);
	for (b = 0; m && n && b < o->n / (m * n); b++) {
		t.a = a[0]->f + b * t.n * t.n;
		/* x op(a) = b is op(a)^T x^T = b^T */
		if (left)
			for (k = 0; k < n; k++)
				solve(&t, o->f + b * m * n + k, n);
		else
			for (k = 0, t.transpose = !t.transpose; k < m; k++)
				solve(&t, o->f + b * m * n + k * n, 1);
		if (!left)
			t.transpose = !t.transpose;
	}
	finish(r, o);
	return o;
}

/* ---- fft: sums over roots of unity, dimension by dimension */

typedef double complex cplx;

static void transform(int64_t n, cplx *x, int64_t step, int sign, cplx *tmp)
{
	int64_t j, k;

	for (k = 0; k < n; k++) {
		tmp[k] = 0;
		for (j = 0; j < n; j++)
			tmp[k] += x[j * step] * cexp(sign * 2 * M_PI * I * (double)(j * k % n) / (double)n);
	}
	for (k = 0; k < n; k++)
		x[k * step] = sign > 0 ? tmp[k] / (double)n : tmp[k];
}

/* Along the last nd dimensions of a tensor with those extents. */
static void transform_dims(int rank, const int64_t *dim, int nd, cplx *x, int sign, cplx *tmp)
{
	int64_t total = 1, step = 1, k;
	int d;

	for (d = 0; d < rank; d++)
		total *= dim[d];
	for (d = rank - 1; d >= rank - nd; step *= dim[d--])
		for (k = 0; k < total; k++)
			if (k / step % dim[d] == 0)
				transform(dim[d], x + k, step, sign, tmp);
}

/* The full spectrum of a real signal from its half: x(-k) = conj x(k) in every transformed dimension. */
static void mirror(int rank, const int64_t *dim, int nd, const cplx *half, cplx *full)
{
	int64_t x[INTERP_RANK] = { 0 }, h = dim[rank - 1] / 2 + 1, k = 0, at;
	int d;

	do {
		bool conj_side = x[rank - 1] >= h;

		for (d = 0, at = 0; d < rank; d++) {
			int64_t p = conj_side && d >= rank - nd ? (dim[d] - x[d]) % dim[d] : x[d];

			at = at * (d == rank - 1 ? h : dim[d]) + p;
		}
		full[k++] = conj_side ? conj(half[at]) : half[at];
	} while (interp_step(rank, dim, x));
}

static tensor *fft(interp *r, const inst *i, tensor *const *a)
{
	const char *type = inst_text(i, "fft_type");
	int nd, rank = i->shape->rank;
	int64_t big = 1, n = 1, k;
	const int64_t *dim;
	const shape *s;
	cplx *x, *tmp;
	tensor *o;

	inst_ints(i, "fft_length", &nd);
	if (!type || nd < 1 || nd > rank || !a[0]->f)
		return interp_fail(r, i, "an fft without type or length");
	s = !strcmp(type, "RFFT") ? a[0]->shape : i->shape;	/* of the full signal */
	dim = s->dim;
	for (k = 0; k < rank; k++) {
		n *= dim[k];
		big = dim[k] > big ? dim[k] : big;
	}
	o = interp_alloc(r, i->shape);
	if (!n)
		return o;
	x = (cplx *)interp_buffer(r, 2 * (n + big));
	tmp = x + n;
	if (!strcmp(type, "RFFT")) {
		int64_t h = dim[rank - 1] / 2 + 1;

		for (k = 0; k < n; k++)
			x[k] = a[0]->f[k];
		transform_dims(rank, dim, nd, x, -1, tmp);
		for (k = 0; k < o->n; k++)
			((cplx *)o->f)[k] = x[k / h * dim[rank - 1] + k % h];
	} else if (!strcmp(type, "IRFFT")) {
		mirror(rank, dim, nd, (const cplx *)a[0]->f, x);
		transform_dims(rank, dim, nd, x, 1, tmp);
		for (k = 0; k < n; k++)
			o->f[k] = creal(x[k]);
	} else {
		memcpy(x, a[0]->f, sizeof *x * n);
		transform_dims(rank, dim, nd, x, !strcmp(type, "IFFT") ? 1 : -1, tmp);
		memcpy(o->f, x, sizeof *x * n);
	}
	interp_release(r, x, 2 * (n + big));
	finish(r, o);
	return o;
}

tensor *interp_linalg(interp *r, const inst *i, tensor *const *a)
{
	switch (i->opcode) {
	case OP_CHOLESKY: return cholesky(r, i, a);
	case OP_TRIANGULAR_SOLVE: return triangular_solve(r, i, a);
	default: return fft(r, i, a);
	}
}
