/* interp_dot.c - dot and convolution.
 *
 * Both are products of matrices whose entries lie at sums of offsets, so no
 * operand is transposed as a whole: blocks are packed into panels that fit the
 * caches (Goto and van de Geijn, "Anatomy of high-performance matrix
 * multiplication", 2008).  Sums are kept in doubles and rounded once.
 */
#include <math.h>

#include <string.h>
#include "interp/interp_in.h"

#if defined(__x86_64__)
#if __has_include(<sys/platform/x86.h>)
#include <sys/platform/x86.h>
#endif
/* The C library has asked the processor already.  The compiler's own test asks again at every start of the program,
 * which a virtual machine answers slowly. */
#ifdef CPU_FEATURE_ACTIVE
#define HAS_AVX2_FMA (CPU_FEATURE_ACTIVE(AVX2) && CPU_FEATURE_ACTIVE(FMA))
#else
#define HAS_AVX2_FMA (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
#endif
#endif

enum { MR = 4, NR = 12, KC = 256, MC = 96, NC = 1536 };

typedef double v4 __attribute__((vector_size(32), aligned(8)));

struct panel { double a[MC * KC] __attribute__((aligned(64))), b[NC * KC] __attribute__((aligned(64))); };

/* MR rows times NR columns over k steps, added to c. */
static inline __attribute__((always_inline)) void micro(int64_t k, const double *a, const double *b, double *out)
{
	v4 c[MR][3];
	int i, j;
	int64_t z;

	memset(c, 0, sizeof c);
	for (z = 0; z < k; z++, a += MR, b += NR) {
		v4 b0 = *(const v4 *)b, b1 = *(const v4 *)(b + 4), b2 = *(const v4 *)(b + 8);

#pragma GCC unroll 4
		for (i = 0; i < MR; i++) {
			v4 x = { a[i], a[i], a[i], a[i] };

			c[i][0] += x * b0;
			c[i][1] += x * b1;
			c[i][2] += x * b2;
		}
	}
	for (i = 0; i < MR; i++)
		for (j = 0; j < 3; j++)
			memcpy(out + i * NR + j * 4, &c[i][j], sizeof c[i][j]);
}

static void micro_plain(int64_t k, const double *a, const double *b, double *out)
{
	micro(k, a, b, out);
}

#if defined(__x86_64__)
__attribute__((target("avx2,fma"))) static void micro_avx2(int64_t k, const double *a, const double *b, double *out)
{
	micro(k, a, b, out);
}
#endif

typedef void micro_fn(int64_t k, const double *a, const double *b, double *out);

static micro_fn *micro_best(void)
{
#if defined(__x86_64__)
	if (HAS_AVX2_FMA)
		return micro_avx2;
#endif
	return micro_plain;
}

/* Panels of `width` lines: p[panel][z][line], missing lines are zero. */
static void pack(int width, int64_t n, int64_t k, const double *s, const int64_t *line, const int64_t *step, double *p)
{
	int64_t at, z;
	int j, m;

	for (at = 0; at < n; at += width, p += width * k) {
		m = n - at < width ? (int)(n - at) : width;
		if (m < width)
			memset(p, 0, sizeof *p * width * k);
		if (k > 1 && step[1] - step[0] == 1)
			for (j = 0; j < m; j++)
				for (z = 0; z < k; z++)
					p[z * width + j] = s[line[at + j] + step[z]];
		else
			for (z = 0; z < k; z++)
				for (j = 0; j < m; j++)
					p[z * width + j] = s[line[at + j] + step[z]];
	}
}

/* c[x * n + y] = sum over z of a[am[x] + ak[z]] * b[bn[y] + bk[z]] */
struct gemm {
	int64_t m, n, k;
	const double *a, *b;
	const int64_t *am, *ak, *bn, *bk;
	double *c;
};

static void add_tile(const struct gemm *g, int64_t x, int64_t y, const double *t)
{
	int64_t i, j, m = g->m - x < MR ? g->m - x : MR, n = g->n - y < NR ? g->n - y : NR;

	for (i = 0; i < m; i++)
		for (j = 0; j < n; j++)
			g->c[(x + i) * g->n + y + j] += t[i * NR + j];
}

static int64_t least(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

static void macro(const struct gemm *g, int64_t x0, int64_t mb, int64_t y0, int64_t nb, int64_t kb, const struct panel *p,
		  micro_fn *kernel)
{
	double t[MR * NR];
	int64_t x, y;

	for (y = 0; y < nb; y += NR)
		for (x = 0; x < mb; x += MR) {
			kernel(kb, p->a + x * kb, p->b + y * kb, t);
			add_tile(g, x0 + x, y0 + y, t);
		}
}

/* False: stopped. */
static bool interp_gemm(interp *r, const struct gemm *g)
{
	struct panel *p = (struct panel *)interp_buffer(r, sizeof *p / 8 + 8);
	struct panel *q = (struct panel *)(((uintptr_t)p + 63) & ~(uintptr_t)63);
	micro_fn *kernel = micro_best();
	int64_t x, y, z;
	bool ok = true;

	memset(g->c, 0, sizeof *g->c * g->m * g->n);
	for (y = 0; ok && y < g->n; y += NC)
		for (z = 0; ok && z < g->k; z += KC) {
			int64_t nb = least(NC, g->n - y), kb = least(KC, g->k - z);

			pack(NR, nb, kb, g->b, g->bn + y, g->bk + z, q->b);
			for (x = 0; ok && x < g->m; x += MC) {
				int64_t mb = least(MC, g->m - x);

				pack(MR, mb, kb, g->a, g->am + x, g->ak + z, q->a);
				macro(g, x, mb, y, nb, kb, q, kernel);
				ok = interp_tick(r, (double)mb * (double)nb * (double)kb);
			}
		}
	interp_release(r, p, sizeof *p / 8 + 8);
	return ok;
}

/* Offsets of all positions of some dimensions of a tensor, row-major; arena r->scratch. */
static int64_t *interp_offsets(interp *r, int ndim, const int64_t *extent, const int64_t *stride, int64_t *count)
{
	int64_t x[INTERP_RANK] = { 0 }, n = 1, k, *o;
	int d;

	for (d = 0; d < ndim; d++)
		n *= extent[d];
	*count = n;
	o = ARENA_ARRAY(&r->scratch, int64_t, n);
	for (k = 0; k < n; k++) {
		o[k] = 0;
		for (d = 0; d < ndim; d++)
			o[k] += x[d] * stride[d];
		interp_step(ndim, extent, x);
	}
	return o;
}

/* The same numbers as doubles: the tensor itself or a converted copy; a new reference. */
static tensor *interp_as_floats(interp *r, tensor *t)
{
	struct elem e = { .op = OP_CONVERT, .in = t->shape->type, .out = T_F64, .src = { t->shape->type } };
	tensor *o;

	if (t->f)
		return tensor_ref(t);
	o = interp_alloc(r, shape_array(&r->scratch, T_F64, t->shape->rank, t->shape->dim));
	elem_run(&e, t->n, o->f, t->i, NULL, NULL);
	return o;
}

/* ---- dot */

struct dims { int n; int64_t extent[INTERP_RANK], stride[INTERP_RANK]; };

static bool take(const tensor *t, int n, const int64_t *list, struct dims *d, uint64_t *left)
{
	int64_t st[INTERP_RANK];
	int k;

	shape_strides(t->shape, 1, st);
	d->n = n;
	for (k = 0; k < n; k++) {
		if (list[k] < 0 || list[k] >= t->shape->rank || !(*left >> list[k] & 1))
			return false;
		*left &= ~((uint64_t)1 << list[k]);
		d->extent[k] = t->shape->dim[list[k]];
		d->stride[k] = st[list[k]];
	}
	return true;
}

static void take_rest(const tensor *t, struct dims *d, uint64_t left)
{
	int64_t list[INTERP_RANK];
	int k, n = 0;

	for (k = 0; k < t->shape->rank; k++)
		if (left >> k & 1)
			list[n++] = k;
	take(t, n, list, d, &left);
}

struct operand_dims { struct dims batch, free, sum; };

static bool side_of(const inst *i, const tensor *t, const char *batch, const char *sum, struct operand_dims *s)
{
	int nb, nc;
	const int64_t *b = inst_ints(i, batch, &nb), *c = inst_ints(i, sum, &nc);
	uint64_t left = t->shape->rank >= 64 ? ~(uint64_t)0 : ((uint64_t)1 << t->shape->rank) - 1;

	if (!take(t, nb, b, &s->batch, &left) || !take(t, nc, c, &s->sum, &left))
		return false;
	take_rest(t, &s->free, left);
	return true;
}

static bool same_extents(const struct dims *a, const struct dims *b)
{
	return a->n == b->n && !memcmp(a->extent, b->extent, sizeof *a->extent * a->n);
}

/* Plain loops for integers and complex numbers. */
static bool plain_product(interp *r, const struct gemm *g, const tensor *ta, const tensor *tb, int64_t a0, int64_t b0,
			  tensor *o, int64_t at)
{
	const int64_t *a = ta->i, *b = tb->i;
	int64_t x, y, z;

	for (x = 0; x < g->m; x++) {
		for (y = 0; y < g->n; y++) {
			uint64_t v = 0;
			double re = 0, im = 0;

			for (z = 0; z < g->k; z++) {
				int64_t p = a0 + g->am[x] + g->ak[z], q = b0 + g->bn[y] + g->bk[z];

				if (o->i) {
					v += (uint64_t)a[p] * (uint64_t)b[q];
				} else {
					re += ta->f[2 * p] * tb->f[2 * q] - ta->f[2 * p + 1] * tb->f[2 * q + 1];
					im += ta->f[2 * p] * tb->f[2 * q + 1] + ta->f[2 * p + 1] * tb->f[2 * q];
				}
			}
			if (o->i) {
				o->i[at + x * g->n + y] = interp_wrap(o->shape->type, (int64_t)v);
			} else {
				o->f[2 * (at + x * g->n + y)] = re;
				o->f[2 * (at + x * g->n + y) + 1] = im;
			}
		}
		if (!interp_tick(r, (double)g->n * (double)g->k))
			return false;
	}
	return true;
}

static tensor *dot(interp *r, const inst *i, tensor *ta, tensor *tb)
{
	struct operand_dims a, b;
	struct gemm g = { 0 };
	int64_t nb, k, *ba, *bb;
	bool plain, ok = true;
	tensor *o;

	if (!side_of(i, ta, "lhs_batch_dims", "lhs_contracting_dims", &a)
	    || !side_of(i, tb, "rhs_batch_dims", "rhs_contracting_dims", &b) || !same_extents(&a.batch, &b.batch)
	    || !same_extents(&a.sum, &b.sum))
		return interp_fail(r, i, "the dimensions of the operands do not match");
	g.am = interp_offsets(r, a.free.n, a.free.extent, a.free.stride, &g.m);
	g.bn = interp_offsets(r, b.free.n, b.free.extent, b.free.stride, &g.n);
	g.ak = interp_offsets(r, a.sum.n, a.sum.extent, a.sum.stride, &g.k);
	g.bk = interp_offsets(r, b.sum.n, b.sum.extent, b.sum.stride, &g.k);
	ba = interp_offsets(r, a.batch.n, a.batch.extent, a.batch.stride, &nb);
	bb = interp_offsets(r, b.batch.n, b.batch.extent, b.batch.stride, &nb);
	o = interp_alloc(r, i->shape);
	if (o->n != nb * g.m * g.n) {
		tensor_unref(o);
		return interp_fail(r, i, "the result does not have the shape of the product");
	}
	plain = o->i || etype_kind(i->shape->type) == 'c';
	for (k = 0; ok && k < nb; k++) {
		if (plain) {
			ok = plain_product(r, &g, ta, tb, ba[k], bb[k], o, k * g.m * g.n);
			continue;
		}
		g.a = ta->f + ba[k];
		g.b = tb->f + bb[k];
		g.c = o->f + k * g.m * g.n;
		ok = interp_gemm(r, &g);
	}
	if (!ok) {
		tensor_unref(o);
		return NULL;
	}
	if (o->f && r->o.reading == INTERP_DECLARED)
		interp_round(i->shape->type, o->n, o->f);
	return o;
}

tensor *interp_dot(interp *r, const inst *i, tensor *const *a)
{
	char out = etype_kind(i->shape->type), ka = etype_kind(a[0]->shape->type), kb = etype_kind(a[1]->shape->type);
	tensor *x, *y, *o;

	if ((out == 'c') != (ka == 'c') || (out == 'c') != (kb == 'c')
	    || (out != 'f' && out != 'c' && (ka == 'f' || kb == 'f')))
		return interp_fail(r, i, "a product of %s and %s has no %s result", etype_name(a[0]->shape->type),
				   etype_name(a[1]->shape->type), etype_name(i->shape->type));
	x = out == 'f' ? interp_as_floats(r, a[0]) : tensor_ref(a[0]);
	y = out == 'f' ? interp_as_floats(r, a[1]) : tensor_ref(a[1]);
	o = dot(r, i, x, y);
	tensor_unref(x);
	tensor_unref(y);
	return o;
}

/* ---- convolution */

struct conv {
	int ns;				/* spatial dimensions */
	int64_t lb, lf, li[INTERP_RANK];	/* dimensions of the left side: batch, feature, spatial */
	int64_t ro, ri, rs[INTERP_RANK];	/* of the kernel: output, input feature, spatial */
	int64_t ob, of, os[INTERP_RANK];	/* of the result */
	const int64_t *w;		/* window fields */
	int64_t group, batch_group;
	const tensor *x, *k;
	int64_t xs[INTERP_RANK], ks[INTERP_RANK], ys[INTERP_RANK];
};

/* One part of dim_labels: which dimension each label is. */
static bool labels(const char *s, const char *end, char p, char q, int64_t *a, int64_t *b, int64_t *spatial, int ns)
{
	int k, found = 0;

	for (k = 0; s + k < end; k++) {
		if (s[k] == p)
			*a = k;
		else if (s[k] == q)
			*b = k;
		else if (s[k] >= '0' && s[k] - '0' < ns)
			spatial[s[k] - '0'] = k;
		else
			return false;
		found++;
	}
	return found == ns + 2;
}

static bool conv_labels(const char *t, struct conv *c)
{
	const char *bar = t ? strchr(t, '_') : NULL, *arrow = bar ? strstr(bar, "->") : NULL;

	return arrow && labels(t, bar, 'b', 'f', &c->lb, &c->lf, c->li, c->ns)
	       && labels(bar + 1, arrow, 'o', 'i', &c->ro, &c->ri, c->rs, c->ns)
	       && labels(arrow + 2, arrow + 2 + strlen(arrow + 2), 'b', 'f', &c->ob, &c->of, c->os, c->ns);
}

/* The patches under the window: row = output place, column = (window place, input feature). */
static void patches(const struct conv *c, int64_t first, int64_t rows, int64_t feature0, int64_t nf,
		    int64_t batch0, const int64_t *outer, double *p)
{
	int64_t row, x[INTERP_RANK], win[INTERP_RANK], size[INTERP_RANK], rem, f;
	int d;

	for (d = 0; d < c->ns; d++)
		size[d] = c->w[d * WINDOW_FIELDS + W_SIZE];
	for (row = first; row < first + rows; row++) {
		for (d = c->ns - 1, rem = row; d >= 0; d--) {
			x[d] = rem % outer[d];
			rem /= outer[d];
		}
		memset(win, 0, sizeof *win * (c->ns + 1));
		do {
			int64_t at = (rem + batch0) * c->xs[c->lb] + feature0 * c->xs[c->lf];
			bool in = true;

			for (d = 0; d < c->ns; d++) {
				const int64_t *w = c->w + d * WINDOW_FIELDS;
				int64_t pos = x[d] * w[W_STRIDE] + win[d] * w[W_RHS_DILATE] - w[W_PAD_LOW];

				if (pos < 0 || pos % w[W_LHS_DILATE] || pos / w[W_LHS_DILATE] >= c->x->shape->dim[c->li[d]]) {
					in = false;
					break;
				}
				at += pos / w[W_LHS_DILATE] * c->xs[c->li[d]];
			}
			for (f = 0; f < nf; f++)
				*p++ = in ? c->x->f[at + f * c->xs[c->lf]] : 0;
		} while (interp_step(c->ns, size, win));
	}
}

/* Where kernel entry (window place, input feature) lies, reversal included; the order of patches(). */
static int64_t *kernel_offsets(interp *r, const struct conv *c, int64_t nf, int64_t *count)
{
	int64_t ext[INTERP_RANK], st[INTERP_RANK], base = 0, k, *o;
	int d;

	for (d = 0; d < c->ns; d++) {
		const int64_t *w = c->w + d * WINDOW_FIELDS;

		ext[d] = w[W_SIZE];
		st[d] = w[W_REVERSAL] ? -c->ks[c->rs[d]] : c->ks[c->rs[d]];
		if (w[W_REVERSAL])
			base += (w[W_SIZE] - 1) * c->ks[c->rs[d]];
	}
	ext[c->ns] = nf;
	st[c->ns] = c->ks[c->ri];
	o = interp_offsets(r, c->ns + 1, ext, st, count);
	for (k = 0; k < *count; k++)
		o[k] += base;
	return o;
}

static int64_t *ramp(interp *r, int64_t n, int64_t step)
{
	int64_t count;

	return interp_offsets(r, 1, &n, &step, &count);
}

/* Output features [o0, o0 + no) from input features [f0, f0 + nf) and batches from b0 on. */
static bool conv_group(interp *r, const struct conv *c, tensor *y, int64_t o0, int64_t no, int64_t f0, int64_t nf, int64_t b0)
{
	int64_t outer[INTERP_RANK], nb = y->shape->dim[c->ob], total = nb, chunk, at, j, q;
	struct gemm g = { .n = no, .b = c->k->f + o0 * c->ks[c->ro] };
	double *p, *out;
	bool ok = true;
	int d;

	for (d = 0; d < c->ns; d++) {
		outer[d] = y->shape->dim[c->os[d]];
		total *= outer[d];
	}
	g.bk = kernel_offsets(r, c, nf, &g.k);
	g.bn = ramp(r, no, c->ks[c->ro]);
	chunk = g.k ? (1 << 19) / g.k + 1 : total;
	if (chunk > total)
		chunk = total;
	g.am = ramp(r, chunk, g.k);
	g.ak = ramp(r, g.k, 1);
	g.a = p = interp_buffer(r, chunk * g.k);
	g.c = out = interp_buffer(r, chunk * no);
	for (at = 0; ok && at < total; at += chunk) {
		g.m = least(chunk, total - at);
		patches(c, at, g.m, f0, nf, b0, outer, p);
		ok = interp_gemm(r, &g);
		for (q = 0; ok && q < g.m; q++) {
			int64_t rem = at + q, to = o0 * c->ys[c->of];

			for (d = c->ns - 1; d >= 0; d--) {
				to += rem % outer[d] * c->ys[c->os[d]];
				rem /= outer[d];
			}
			to += rem * c->ys[c->ob];
			for (j = 0; j < no; j++)
				y->f[to + j * c->ys[c->of]] = out[q * no + j];
		}
	}
	interp_release(r, p, chunk * g.k);
	interp_release(r, out, chunk * no);
	return ok;
}

static bool conv_shapes(interp *r, const inst *i, const struct conv *c)
{
	const int64_t *xd = c->x->shape->dim, *kd = c->k->shape->dim, *yd = i->shape->dim;
	int d;

	if (c->x->shape->rank != c->ns + 2 || c->k->shape->rank != c->ns + 2 || i->shape->rank != c->ns + 2)
		return interp_fail(r, i, "its window has %d dimensions", c->ns);
	if (c->group < 1 || c->batch_group < 1 || xd[c->lf] != kd[c->ri] * c->group || kd[c->ro] != yd[c->of]
	    || kd[c->ro] % (c->group * c->batch_group) || xd[c->lb] != yd[c->ob] * c->batch_group)
		return interp_fail(r, i, "features and groups do not fit");
	for (d = 0; d < c->ns; d++) {
		const int64_t *w = c->w + d * WINDOW_FIELDS;

		if (w[W_SIZE] != kd[c->rs[d]] || w[W_STRIDE] < 1 || w[W_LHS_DILATE] < 1 || w[W_RHS_DILATE] < 1)
			return interp_fail(r, i, "its window does not fit the kernel");
	}
	return true;
}

static tensor *convolution(interp *r, const inst *i, struct conv *c)
{
	int64_t groups, k, no, nf;
	shape *wide;
	tensor *y, *o;
	struct elem e = { .op = OP_CONVERT, .in = T_F64, .out = i->shape->type, .src = { T_F64 } };

	if (!conv_shapes(r, i, c))
		return NULL;
	shape_strides(c->x->shape, 1, c->xs);
	shape_strides(c->k->shape, 1, c->ks);
	shape_strides(i->shape, 1, c->ys);
	wide = shape_array(&r->scratch, T_F64, i->shape->rank, i->shape->dim);
	y = interp_alloc(r, wide);
	groups = c->group * c->batch_group;
	no = i->shape->dim[c->of] / groups;
	nf = c->k->shape->dim[c->ri];
	for (k = 0; y->n && k < groups; k++)
		if (!conv_group(r, c, y, k * no, no, c->group > 1 ? k * nf : 0, nf,
				c->batch_group > 1 ? k * i->shape->dim[c->ob] : 0)) {
			tensor_unref(y);
			return NULL;
		}
	if (etype_is_float(i->shape->type)) {
		if (r->o.reading == INTERP_DECLARED)
			interp_round(i->shape->type, y->n, y->f);
		y->shape = i->shape;
		return y;
	}
	o = interp_alloc(r, i->shape);
	elem_run(&e, y->n, tensor_data(o), y->f, NULL, NULL);
	tensor_unref(y);
	return o;
}

tensor *interp_convolution(interp *r, const inst *i, tensor *const *a)
{
	const attr *w = inst_attr(i, "window");
	struct conv c = { .ns = w ? w->n : 0, .w = w ? w->ints : NULL };
	tensor *x, *k, *o;

	if (!conv_labels(inst_text(i, "dim_labels"), &c))
		return interp_fail(r, i, "its dim_labels do not name every dimension");
	if (etype_kind(i->shape->type) == 'c')
		return interp_fail(r, i, "a convolution of complex numbers");
	c.group = inst_int(i, "feature_group_count", 1);
	c.batch_group = inst_int(i, "batch_group_count", 1);
	if (c.group > 1 && c.batch_group > 1)
		return interp_fail(r, i, "groups of features and of batches at once");
	x = interp_as_floats(r, a[0]);
	k = interp_as_floats(r, a[1]);
	c.x = x;
	c.k = k;
	o = convolution(r, i, &c);
	tensor_unref(x);
	tensor_unref(k);
	return o;
}
