/* interp_reduce.c - reduce, reduce-window, select-and-scatter and map.
 *
 * Folds go from left to right in row-major order, starting with the initial
 * value; the called computation is a register program, run on a whole line of
 * results at a time.  A place of a window outside the operand is left out.
 */
#include <math.h>

#include <string.h>
#include "interp/interp_in.h"

enum { MAX_VAR = 16 };

/* The tensors of a reduction: n of them, folded together. */
struct fold {
	int n;
	const struct prog *p;
	tensor *const *in, *const *init;
	tensor *acc[MAX_VAR];
};

static tensor *result(const inst *i, int n, tensor **out)
{
	return i->shape->type == T_TUPLE ? interp_tuple(i->shape, n, out) : out[0];
}

static const shape *result_shape(const inst *i, int k)
{
	return i->shape->type == T_TUPLE ? i->shape->elem[k] : i->shape;
}

static bool fold_init(interp *r, const inst *i, tensor *const *a, struct fold *f)
{
	int k;

	f->n = i->noperand / 2;
	if (f->n < 1 || f->n > MAX_VAR || i->noperand % 2)
		return interp_fail(r, i, "%s of %d operands", i->opname, i->noperand);
	f->in = a;
	f->init = a + f->n;
	f->p = interp_prog(r, i, inst_comp(i, "to_apply"));
	if (!f->p)
		return false;
	if (f->p->nparam != 2 * f->n || f->p->nresult != f->n)
		return interp_fail(r, i, "its computation takes %d values and gives %d", f->p->nparam, f->p->nresult);
	for (k = 0; k < f->n; k++)
		if (f->init[k]->n != 1 || a[k]->shape->rank != a[0]->shape->rank || a[k]->n != a[0]->n)
			return interp_fail(r, i, "operand %d does not fit the others", k);
	return true;
}

static void fold_start(interp *r, const inst *i, struct fold *f)
{
	int k;

	for (k = 0; k < f->n; k++) {
		f->acc[k] = interp_alloc(r, result_shape(i, k));
		interp_fill(f->acc[k], f->init[k]);
	}
}

/* acc[at .. at + n) folded with n elements of each line. */
static void fold_line(struct fold *f, int64_t at, int64_t n, void *const *line)
{
	const void *in[2 * MAX_VAR];
	void *out[MAX_VAR];
	int k;

	for (k = 0; k < f->n; k++) {
		in[k] = out[k] = (int64_t *)tensor_data(f->acc[k]) + at * tensor_words(f->acc[k]);
		in[f->n + k] = line[k];
	}
	prog_run(f->p, n, out, in);
}

/* ---- reduce */

/* One number folded over a line of memory, without leaving the registers. */
static double fold_floats(enum opcode op, enum etype t, bool round, double v, const double *x, int64_t n, int64_t step)
{
	int64_t k;

	if (op == OP_ADD && !round)
		for (k = 0; k < n; k++)
			v += x[k * step];
	else if (op == OP_ADD && t == T_F32)
		for (k = 0; k < n; k++)
			v = (float)(v + x[k * step]);
	else if (op == OP_MAXIMUM)
		for (k = 0; k < n; k++)
			v = v > x[k * step] || v != v ? v : x[k * step];
	else if (op == OP_MINIMUM)
		for (k = 0; k < n; k++)
			v = v < x[k * step] || v != v ? v : x[k * step];
	else
		for (k = 0; k < n; k++) {
			v = op == OP_ADD ? v + x[k * step] : v * x[k * step];
			if (round)
				interp_round(t, 1, &v);
		}
	return v;
}

struct axes { int n; int64_t extent[INTERP_RANK], stride[INTERP_RANK]; };

static void split_axes(const tensor *t, int n, const int64_t *dims, struct axes *kept, struct axes *gone)
{
	int64_t st[INTERP_RANK];
	int k, j;

	kept->n = gone->n = 0;
	shape_strides(t->shape, tensor_words(t), st);
	for (k = 0; k < t->shape->rank; k++) {
		struct axes *a = kept;

		for (j = 0; j < n; j++)
			if (dims[j] == k)
				a = gone;
		a->extent[a->n] = t->shape->dim[k];
		a->stride[a->n++] = st[k];
	}
}

static int64_t count(const struct axes *a)
{
	int64_t n = 1;
	int k;

	for (k = 0; k < a->n; k++)
		n *= a->extent[k];
	return n;
}

/* The recognised reducers on one float tensor whose last dimension is reduced. */
static bool reduce_rows(interp *r, struct fold *f, const struct axes *kept, const struct axes *gone)
{
	enum opcode op = prog_kind(f->p);
	const tensor *t = f->in[0];
	enum etype type = f->p->nstep ? f->p->step[0].e.out : T_F64;
	int64_t x[INTERP_RANK] = { 0 }, y[INTERP_RANK] = { 0 }, at, o = 0;
	int k;
	bool round = r->o.reading == INTERP_DECLARED && f->p->nstep && f->p->step[0].e.round;

	if (op != OP_ADD && op != OP_MULTIPLY && op != OP_MAXIMUM && op != OP_MINIMUM)
		return false;
	if (f->n != 1 || !t->f || tensor_words(t) != 1 || !gone->n || gone->stride[gone->n - 1] != 1)
		return false;
	do {
		double v = f->acc[0]->f[o];

		do {
			for (at = 0, k = 0; k < kept->n; k++)
				at += x[k] * kept->stride[k];
			for (k = 0; k < gone->n - 1; k++)
				at += y[k] * gone->stride[k];
			v = fold_floats(op, type, round, v, t->f + at, gone->extent[gone->n - 1], 1);
		} while (interp_step(gone->n - 1, gone->extent, y));
		f->acc[0]->f[o++] = v;
	} while (interp_step(kept->n, kept->extent, x));
	return true;
}

/* Operands with the reduced dimensions first: one line per reduced place. */
static void reduce_lines(interp *r, struct fold *f, const int64_t *perm, int64_t ngone, int64_t nkept)
{
	tensor *t[MAX_VAR];
	void *line[MAX_VAR];
	int64_t g;
	int k;

	for (k = 0; k < f->n; k++)
		t[k] = interp_permute(r, f->in[k], perm);
	for (g = 0; g < ngone; g++) {
		for (k = 0; k < f->n; k++)
			line[k] = (int64_t *)tensor_data(t[k]) + g * nkept * tensor_words(t[k]);
		fold_line(f, 0, nkept, line);
	}
	for (k = 0; k < f->n; k++)
		tensor_unref(t[k]);
}

static void order_of(int rank, int n, const int64_t *dims, int64_t *perm)
{
	int k, j, at = 0, pass;

	for (pass = 0; pass < 2; pass++)
		for (k = 0; k < rank; k++) {
			bool gone = false;

			for (j = 0; j < n; j++)
				gone |= dims[j] == k;
			if (gone == (pass == 0))
				perm[at++] = k;
		}
}

tensor *interp_reduce(interp *r, const inst *i, tensor *const *a)
{
	struct fold f;
	struct axes kept, gone;
	int64_t perm[INTERP_RANK];
	int n;
	const int64_t *dims = inst_ints(i, "dimensions", &n);

	if (!fold_init(r, i, a, &f))
		return NULL;
	split_axes(a[0], n, dims, &kept, &gone);
	if (count(&kept) != shape_elements(result_shape(i, 0)))
		return interp_fail(r, i, "the result does not have the shape of what is left");
	fold_start(r, i, &f);
	if (a[0]->n && !reduce_rows(r, &f, &kept, &gone)) {
		order_of(a[0]->shape->rank, n, dims, perm);
		reduce_lines(r, &f, perm, count(&gone), count(&kept));
	}
	return result(i, f.n, f.acc);
}

/* ---- windows */

/* The operand position under each (output place, window place), per dimension; -1 outside. */
struct window {
	int rank;
	int64_t size[INTERP_RANK];	/* window */
	int64_t out[INTERP_RANK];
	int64_t *pos[INTERP_RANK];	/* [output place * size + window place] */
};

static bool window_init(interp *r, const inst *i, const shape *in, const int64_t *out, struct window *w)
{
	const attr *at = inst_attr(i, "window");
	int d;
	int64_t o, k;

	if (!at || at->n != in->rank)
		return interp_fail(r, i, "its window has %d dimensions, the operand %d", at ? at->n : 0, in->rank);
	w->rank = in->rank;
	for (d = 0; d < w->rank; d++) {
		const int64_t *f = at->ints + d * WINDOW_FIELDS;

		w->size[d] = f[W_SIZE];
		w->out[d] = out[d];
		if (f[W_SIZE] < 1 || f[W_STRIDE] < 1 || f[W_LHS_DILATE] < 1 || f[W_RHS_DILATE] < 1)
			return interp_fail(r, i, "a window of size or step zero");
		w->pos[d] = ARENA_ARRAY(&r->scratch, int64_t, out[d] * f[W_SIZE]);
		for (o = 0; o < out[d]; o++)
			for (k = 0; k < f[W_SIZE]; k++) {
				int64_t p = o * f[W_STRIDE] + k * f[W_RHS_DILATE] - f[W_PAD_LOW];

				p = p < 0 || p % f[W_LHS_DILATE] ? -1 : p / f[W_LHS_DILATE];
				w->pos[d][o * f[W_SIZE] + k] = p < in->dim[d] ? p : -1;
			}
	}
	return true;
}

/* Operand offset under output x and window place y, or -1. */
static int64_t window_at(const struct window *w, const int64_t *x, const int64_t *y, const int64_t *stride)
{
	int64_t at = 0;
	int d;

	for (d = 0; d < w->rank; d++) {
		int64_t p = w->pos[d][x[d] * w->size[d] + y[d]];

		if (p < 0)
			return -1;
		at += p * stride[d];
	}
	return at;
}

/* Outputs whose window place y lies inside are collected into blocks and folded together. */
static void window_place(struct fold *f, const struct window *w, const int64_t *y, const int64_t *stride, double *buf)
{
	int64_t x[INTERP_RANK] = { 0 }, to[PROG_BLOCK], from[PROG_BLOCK], m = 0, o = 0, j;
	const void *in[2 * MAX_VAR];
	void *out[MAX_VAR];
	bool more = true;
	int k;

	while (more) {
		from[m] = window_at(w, x, y, stride);
		to[m] = o++;
		m += from[m] >= 0;
		more = interp_step(w->rank, w->out, x);
		if (m < PROG_BLOCK && (more || !m))
			continue;
		for (k = 0; k < f->n; k++) {
			int64_t *acc = (int64_t *)buf + 2 * k * PROG_BLOCK, *val = acc + PROG_BLOCK;

			for (j = 0; j < m; j++) {
				acc[j] = ((int64_t *)tensor_data(f->acc[k]))[to[j]];
				val[j] = ((int64_t *)tensor_data(f->in[k]))[from[j]];
			}
			in[k] = out[k] = acc;
			in[f->n + k] = val;
		}
		prog_run(f->p, m, out, in);
		for (k = 0; k < f->n; k++)
			for (j = 0; j < m; j++)
				((int64_t *)tensor_data(f->acc[k]))[to[j]] = ((int64_t *)out[k])[j];
		m = 0;
	}
}

/* A window along one dimension that starts at the first element and ends at every output: a cumulative fold. */
static bool cumulative(const inst *i, const struct fold *f, const shape *in, int *dim)
{
	const attr *at = inst_attr(i, "window");
	enum opcode op = prog_kind(f->p);
	int d;

	*dim = -1;
	for (d = 0; d < in->rank; d++) {
		const int64_t *w = at->ints + d * WINDOW_FIELDS;

		if (w[W_STRIDE] != 1 || w[W_LHS_DILATE] != 1 || w[W_RHS_DILATE] != 1)
			return false;
		if (w[W_SIZE] == 1 && !w[W_PAD_LOW] && !w[W_PAD_HIGH])
			continue;
		if (*dim >= 0 || w[W_SIZE] != in->dim[d] || w[W_PAD_LOW] != in->dim[d] - 1 || w[W_PAD_HIGH])
			return false;
		*dim = d;
	}
	return *dim >= 0 && f->n == 1 && op != OP_UNKNOWN && op != OP_PARAMETER;
}

/* acc[p] = acc[p - 1] folded with x[p]: the same folds as one by one, since acc[0] starts from the initial value. */
static void fold_cumulative(struct fold *f, int dim)
{
	const shape *s = f->in[0]->shape;
	int64_t outer = 1, inner = 1, a, p;
	int d;

	for (d = 0; d < s->rank; d++)
		*(d < dim ? &outer : &inner) *= d == dim ? 1 : s->dim[d];
	for (a = 0; a < outer; a++)
		for (p = 0; p < s->dim[dim]; p++) {
			int64_t at = (a * s->dim[dim] + p) * inner, *acc = tensor_data(f->acc[0]);
			void *line = (int64_t *)tensor_data(f->in[0]) + at;

			if (p)
				memcpy(acc + at, acc + at - inner, (size_t)inner * 8);
			fold_line(f, at, inner, &line);
		}
}

tensor *interp_reduce_window(interp *r, const inst *i, tensor *const *a)
{
	struct fold f;
	struct window w;
	int64_t y[INTERP_RANK] = { 0 }, st[INTERP_RANK];
	double *buf;
	int dim, k;

	if (!fold_init(r, i, a, &f) || !window_init(r, i, a[0]->shape, result_shape(i, 0)->dim, &w))
		return NULL;
	for (k = 0; k < f.n; k++)
		if (tensor_words(a[k]) != 1)
			return interp_fail(r, i, "windows of complex numbers");
	fold_start(r, i, &f);
	if (!f.acc[0]->n || !a[0]->n)
		return result(i, f.n, f.acc);
	if (cumulative(i, &f, a[0]->shape, &dim)) {
		fold_cumulative(&f, dim);
		return result(i, f.n, f.acc);
	}
	buf = interp_buffer(r, 2 * PROG_BLOCK * f.n);
	shape_strides(a[0]->shape, 1, st);
	do
		window_place(&f, &w, y, st, buf);
	while (interp_step(w.rank, w.size, y));
	interp_release(r, buf, 2 * PROG_BLOCK * f.n);
	return result(i, f.n, f.acc);
}

/* ---- select-and-scatter: of each window the selected place receives the source's element */

static int64_t selected(const struct window *w, const struct prog *select, const tensor *t, const int64_t *x,
			const int64_t *stride)
{
	int64_t y[INTERP_RANK] = { 0 }, best = -1, at, yes;
	const int64_t *v = tensor_data(t);

	do {
		at = window_at(w, x, y, stride);
		if (at < 0)
			continue;
		yes = 0;
		if (best >= 0)
			prog_run(select, 1, (void *[]){ &yes }, (const void *[]){ v + best, v + at });
		if (best < 0 || !yes)
			best = at;
	} while (interp_step(w->rank, w->size, y));
	return best;
}

tensor *interp_select_and_scatter(interp *r, const inst *i, tensor *const *a)
{
	const struct prog *select = interp_prog(r, i, inst_comp(i, "select"));
	const struct prog *scatter = interp_prog(r, i, inst_comp(i, "scatter"));
	struct window w;
	int64_t x[INTERP_RANK] = { 0 }, st[INTERP_RANK], at, k = 0, *d;
	tensor *o;

	if (!select || !scatter || !window_init(r, i, a[0]->shape, a[1]->shape->dim, &w))
		return NULL;
	if (select->nparam != 2 || scatter->nparam != 2 || tensor_words(a[0]) != 1)
		return interp_fail(r, i, "its computations do not take two values");
	o = interp_alloc(r, i->shape);
	interp_fill(o, a[2]);
	d = tensor_data(o);
	shape_strides(a[0]->shape, 1, st);
	do {
		at = a[1]->n ? selected(&w, select, a[0], x, st) : -1;
		if (at >= 0)
			prog_run(scatter, 1, (void *[]){ d + at }, (const void *[]){ d + at, (int64_t *)tensor_data(a[1]) + k });
		k++;
	} while (interp_step(w.rank, w.out, x));
	return o;
}

/* ---- map */

tensor *interp_map(interp *r, const inst *i, tensor *const *a)
{
	const struct prog *p = interp_prog(r, i, inst_comp(i, "to_apply"));
	const void *in[64];
	void *out[1];
	tensor *o;
	int k;

	if (!p)
		return NULL;
	o = interp_alloc(r, i->shape);
	for (k = 0; k < i->noperand && k < 64; k++)
		in[k] = tensor_data(a[k]);
	if (p->nparam != i->noperand || p->nresult != 1) {
		tensor_unref(o);
		return interp_fail(r, i, "its computation takes %d values", p->nparam);
	}
	out[0] = tensor_data(o);
	prog_run(p, o->n, out, in);
	return o;
}
