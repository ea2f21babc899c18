/* interp_norm.c - batch normalisation, and the custom calls whose meaning is public.
 *
 * Statistics are sums in doubles.  A custom call without an entry here is
 * refused by name: nobody knows what it computes.
 */
#include <math.h>

#include <stdlib.h>
#include <string.h>
#include "interp/interp_in.h"

/* A tensor seen as [outer, features, inner]. */
struct feature { int64_t outer, n, inner; double count; };

static bool feature_of(interp *r, const inst *i, const tensor *t, int64_t d, struct feature *f)
{
	int k;

	if (!t->f || tensor_words(t) != 1 || d < 0 || d >= t->shape->rank)
		return interp_fail(r, i, "there is no feature dimension %lld of real numbers", (long long)d);
	*f = (struct feature){ 1, t->shape->dim[d], 1, 0 };
	for (k = 0; k < t->shape->rank; k++)
		*(k < d ? &f->outer : &f->inner) *= k == d ? 1 : t->shape->dim[k];
	f->count = (double)f->outer * (double)f->inner;
	return true;
}

#define FOREACH(f, j, at) \
	for (int64_t o_ = 0; o_ < (f)->outer; o_++) \
		for (int64_t at = (o_ * (f)->n + (j)) * (f)->inner, end_ = at + (f)->inner; at < end_; at++)

static void moments(const struct feature *f, const double *x, int64_t j, double *mean, double *var)
{
	double s = 0, v = 0;

	FOREACH(f, j, at)
		s += x[at];
	s /= f->count;
	FOREACH(f, j, at)
		v += (x[at] - s) * (x[at] - s);
	*mean = s;
	*var = v / f->count;
}

static void normalise(const struct feature *f, const double *x, int64_t j, double mean, double var, double eps, double scale,
		      double offset, double *y)
{
	double r = 1 / sqrt(var + eps);

	FOREACH(f, j, at)
		y[at] = (x[at] - mean) * r * scale + offset;
}

static void gradient(const struct feature *f, const double *x, const double *dy, int64_t j, double mean, double var,
		     double eps, double scale, double *dx, double *dscale, double *doffset)
{
	double r = 1 / sqrt(var + eps), sum = 0, dot = 0;

	FOREACH(f, j, at) {
		sum += dy[at];
		dot += dy[at] * (x[at] - mean);
	}
	FOREACH(f, j, at)
		dx[at] = scale * r * (dy[at] - sum / f->count - (x[at] - mean) * r * r * dot / f->count);
	*dscale = dot * r;
	*doffset = sum;
}

static void round_result(interp *r, tensor *t)
{
	int k;

	if (r->o.reading != INTERP_DECLARED)
		return;
	for (k = 0; k < t->nelem; k++)
		round_result(r, t->elem[k]);
	if (t->f)
		interp_round(t->shape->type, t->n, t->f);
}

static double real_attr(const inst *i, const char *key)
{
	const attr *a = inst_attr(i, key);

	return !a ? 0 : a->kind == ATTR_INT ? (double)a->ints[0] : a->real;
}

tensor *interp_batch_norm(interp *r, const inst *i, tensor *const *a)
{
	double eps = (float)real_attr(i, "epsilon");
	struct feature f;
	tensor *o;
	int64_t j;
	int k;

	if (!feature_of(r, i, a[0], inst_int(i, "feature_index", -1), &f))
		return NULL;
	for (k = 1; k < i->noperand; k++)
		if (a[k]->n != (k == 4 && i->opcode == OP_BATCH_NORM_GRAD ? a[0]->n : f.n) || !a[k]->f)
			return interp_fail(r, i, "operand %d does not fit the features", k);
	if (i->opcode != OP_BATCH_NORM_INFERENCE && (i->shape->type != T_TUPLE || i->shape->n != 3))
		return interp_fail(r, i, "its result is no tuple of three");
	o = interp_alloc(r, i->shape);
	for (j = 0; j < f.n; j++) {
		if (i->opcode == OP_BATCH_NORM_TRAINING) {
			moments(&f, a[0]->f, j, &o->elem[1]->f[j], &o->elem[2]->f[j]);
			normalise(&f, a[0]->f, j, o->elem[1]->f[j], o->elem[2]->f[j], eps, a[1]->f[j], a[2]->f[j],
				  o->elem[0]->f);
		} else if (i->opcode == OP_BATCH_NORM_INFERENCE) {
			normalise(&f, a[0]->f, j, a[3]->f[j], a[4]->f[j], eps, a[1]->f[j], a[2]->f[j], o->f);
		} else {
			gradient(&f, a[0]->f, a[4]->f, j, a[2]->f[j], a[3]->f[j], eps, a[1]->f[j], o->elem[0]->f,
				 &o->elem[1]->f[j], &o->elem[2]->f[j]);
		}
	}
	round_result(r, o);
	return o;
}

/* ---- custom calls */

static double gelu(double x)
{
	return 0.5 * x * (1 + erf(x * M_SQRT1_2));
}

static double gelu_tanh(double x)
{
	return 0.5 * x * (1 + tanh(sqrt(2 / M_PI) * (x + 0.044715 * x * x * x)));
}

static double gelu_derivative(double x)
{
	return 0.5 * (1 + erf(x * M_SQRT1_2)) + x * exp(-0.5 * x * x) / sqrt(2 * M_PI);
}

static double silu(double x)
{
	return x / (1 + exp(-x));
}

static tensor *pointwise(interp *r, const inst *i, tensor *const *a, double (*f)(double))
{
	tensor *o;
	int64_t k;

	if (i->noperand != 1 || !a[0]->f || !etype_is_float(i->shape->type) || a[0]->n != shape_elements(i->shape))
		return interp_fail(r, i, "it does not take one tensor of real numbers");
	o = interp_alloc(r, i->shape);
	for (k = 0; k < o->n; k++)
		o->f[k] = f(a[0]->f[k]);
	round_result(r, o);
	return o;
}

static tensor *call_gelu(interp *r, const inst *i, tensor *const *a) { return pointwise(r, i, a, gelu); }
static tensor *call_gelu_tanh(interp *r, const inst *i, tensor *const *a) { return pointwise(r, i, a, gelu_tanh); }
static tensor *call_gelu_grad(interp *r, const inst *i, tensor *const *a) { return pointwise(r, i, a, gelu_derivative); }
static tensor *call_silu(interp *r, const inst *i, tensor *const *a) { return pointwise(r, i, a, silu); }
static tensor *call_erf(interp *r, const inst *i, tensor *const *a) { return pointwise(r, i, a, erf); }

static tensor *call_identity(interp *r, const inst *i, tensor *const *a)
{
	if (i->noperand < 1 || !shape_equal(i->shape, i->operand[0]->shape))
		return interp_fail(r, i, "%s changes the shape: it has no meaning on one device",
				   inst_text(i, "custom_call_target"));
	return tensor_ref(a[0]);
}

/* The dimension named by backend_config ("3", or {"axis":3}), the last one without it. */
int64_t interp_custom_axis(const inst *i, int rank)
{
	const char *s = inst_text(i, "backend_config");

	s = s ? strpbrk(s, "-0123456789") : NULL;
	if (!s)
		return rank - 1;
	return strtol(s, NULL, 10) + (*s == '-' ? rank : 0);
}

/* One line of a softmax; `step` apart. */
static void softmax_line(int64_t n, int64_t step, const double *x, double *y)
{
	double top = -INFINITY, sum = 0;
	int64_t k;

	for (k = 0; k < n; k++)
		top = x[k * step] > top || isnan(x[k * step]) ? x[k * step] : top;
	for (k = 0; k < n; k++)
		sum += y[k * step] = exp(x[k * step] - top);
	for (k = 0; k < n; k++)
		y[k * step] /= sum;
}

/* dx = y (dy - sum y dy), operands dy and y. */
static void softmax_grad_line(int64_t n, int64_t step, const double *dy, const double *y, double *dx)
{
	double s = 0;
	int64_t k;

	for (k = 0; k < n; k++)
		s += y[k * step] * dy[k * step];
	for (k = 0; k < n; k++)
		dx[k * step] = y[k * step] * (dy[k * step] - s);
}

static void rms_line(int64_t n, int64_t step, const double *x, const double *weight, double eps, double *y)
{
	double s = 0;
	int64_t k;

	for (k = 0; k < n; k++)
		s += x[k * step] * x[k * step];
	s = 1 / sqrt(s / (double)n + eps);
	for (k = 0; k < n; k++)
		y[k * step] = x[k * step] * s * weight[k];
}

static tensor *along_axis(interp *r, const inst *i, tensor *const *a, char what)
{
	struct feature f;
	int64_t o, q, at;
	tensor *t;

	if (i->noperand < 1 || !feature_of(r, i, a[0], interp_custom_axis(i, a[0]->shape->rank), &f))
		return NULL;
	if (!etype_is_float(i->shape->type) || a[0]->n != shape_elements(i->shape))
		return interp_fail(r, i, "its result is no tensor of that shape");
	if (what == 'r' && (i->noperand != 3 || !a[1]->f || a[1]->n != f.n || !a[2]->f || a[2]->n != 1))
		return interp_fail(r, i, "it does not take a tensor, weights and a number");
	if (what == 'b' && (i->noperand != 2 || !a[1]->f || a[1]->n != a[0]->n))
		return interp_fail(r, i, "it does not take two tensors");
	t = interp_alloc(r, i->shape);
	for (o = 0; o < f.outer; o++)
		for (q = 0; q < f.inner; q++) {
			at = o * f.n * f.inner + q;
			if (what == 's')
				softmax_line(f.n, f.inner, a[0]->f + at, t->f + at);
			else if (what == 'b')
				softmax_grad_line(f.n, f.inner, a[0]->f + at, a[1]->f + at, t->f + at);
			else
				rms_line(f.n, f.inner, a[0]->f + at, a[1]->f, a[2]->f[0], t->f + at);
		}
	round_result(r, t);
	return t;
}

static tensor *call_softmax(interp *r, const inst *i, tensor *const *a) { return along_axis(r, i, a, 's'); }
static tensor *call_softmax_grad(interp *r, const inst *i, tensor *const *a) { return along_axis(r, i, a, 'b'); }
static tensor *call_rms_norm(interp *r, const inst *i, tensor *const *a) { return along_axis(r, i, a, 'r'); }

static const struct { const char *name; tensor *(*call)(interp *, const inst *, tensor *const *); } calls[] = {
	{ "AwsNeuronTransferWithStaticRing", call_identity },
	{ "Sharding", call_identity },
	{ "SPMDFullToShardShape", call_identity },
	{ "SPMDShardToFullShape", call_identity },
	{ "annotate_device_placement", call_identity },
	{ "MoveToHost", call_identity },
	{ "MoveToDevice", call_identity },
	{ "PropagationBarrier", call_identity },
	{ "AssumeGatherIndicesInBound", call_identity },
	{ "xla.sdy.FuncResultSharding", call_identity },
	{ "xla.sdy.GlobalToLocalShape", call_identity },
	{ "xla.sdy.LocalToGlobalShape", call_identity },
	{ "TopK", interp_topk },
	{ "AwsNeuronGelu", call_gelu },
	{ "AwsNeuronGeluApprxTanh", call_gelu_tanh },
	{ "AwsNeuronGeluBackward", call_gelu_grad },
	{ "AwsNeuronSilu", call_silu },
	{ "AwsNeuronErf", call_erf },
	{ "AwsNeuronSoftmax", call_softmax },
	{ "AwsNeuronSoftmaxBackward", call_softmax_grad },
	{ "AwsNeuronRmsNorm", call_rms_norm },
};

/* Numbers of a value under the shapes of another module. */
static void copy_out(const tensor *from, tensor *to)
{
	int k;

	for (k = 0; k < to->nelem; k++)
		copy_out(from->elem[k], to->elem[k]);
	if (to->n && from->n == to->n && tensor_words(from) == tensor_words(to) && !from->f == !to->f)
		memcpy(tensor_data(to), tensor_data(from), sizeof(double) * (size_t)(to->n * tensor_words(to)));
}

static tensor *run_meaning(interp *r, const inst *i, const module *m, tensor *const *a)
{
	interp_options o = { .reading = r->o.reading, .replicas = 1, .partitions = 1, .nudge = r->o.nudge };
	interp *inner = interp_new(m, &o);
	tensor *out = NULL, *got;
	int k, n;

	if (interp_run(inner, &a)) {
		got = interp_output(inner, 0);
		out = interp_zero(r, i->shape);
		n = got->nelem < out->nelem ? got->nelem : out->nelem;
		for (k = 0; k < n; k++)
			copy_out(got->elem[k], out->elem[k]);
		if (!out->nelem)
			copy_out(got, out);
	} else {
		interp_fail(r, i, "%s", interp_why(inner));
	}
	interp_free(inner);
	return out;
}

static tensor *no_meaning(interp *r, const inst *i, const char *target)
{
	const char *why;
	arena a;

	arena_init(&a);
	if (target && r->o.refusal && (why = r->o.refusal(&a, i)))
		interp_fail(r, i, "the custom call %s is not read: %s", target, why);
	else
		interp_fail(r, i, "the custom call %s has no public meaning", target ? target : "without a target");
	arena_free(&a);
	return NULL;
}

tensor *interp_custom_call(interp *r, const inst *i, tensor *const *a)
{
	module *m;
	tensor *t;
	const char *target = inst_text(i, "custom_call_target");
	size_t k;

	for (k = 0; target && k < sizeof calls / sizeof *calls; k++)
		if (!strcmp(calls[k].name, target))
			return calls[k].call(r, i, a);
	if ((m = r->o.meaning ? r->o.meaning(r->o.ctx, i) : NULL)) {
		t = run_meaning(r, i, m, a);
		module_free(m);
		return t;
	}
	return no_meaning(r, i, target);
}
