#include "random_hlo.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_VALUES = 96, MOST_ELEMENTS = 96, RANK = 6 };

struct value {
	char name[8], type[6];
	int rank, dim[RANK];
	bool data;		/* not known while lifting: a parameter or made of one */
};

struct gen {
	arena *a;
	uint64_t s;
	const char *body;
	struct value v[MOST_VALUES];
	int n, param, channel;
	int64_t replicas, partitions;
};

static int rnd(struct gen *g, int n)
{
	g->s ^= g->s << 13;
	g->s ^= g->s >> 7;
	g->s ^= g->s << 17;
	return (int)(g->s * 0x2545f4914f6cdd1dull >> 33) % n;
}

static bool one_in(struct gen *g, int n)
{
	return rnd(g, n) == 0;
}

static int elements(const struct value *v)
{
	int k, n = 1;

	for (k = 0; k < v->rank; k++)
		n *= v->dim[k];
	return n;
}

static void shuffle(struct gen *g, int n, int *p)
{
	int k, j, t;

	for (k = 0; k < n; k++)
		p[k] = k;
	for (k = n - 1; k > 0; k--) {
		j = rnd(g, k + 1);
		t = p[k];
		p[k] = p[j];
		p[j] = t;
	}
}

/* "2,0,1" */
static const char *list(struct gen *g, int n, const int *v)
{
	const char *t = "";
	int k;

	for (k = 0; k < n; k++)
		t = arena_printf(g->a, "%s%s%d", t, k ? "," : "", v[k]);
	return t;
}

static const char *shape_of(struct gen *g, const struct value *v)
{
	return arena_printf(g->a, "%s[%s]", v->type, list(g, v->rank, v->dim));
}

static int is(const struct value *v, const char *type)
{
	return !strcmp(v->type, type);
}

/* The next value, not yet counted. */
static struct value *fresh(struct gen *g, const char *type, int rank, const int *dim)
{
	struct value *v = &g->v[g->n];

	if (g->n + 6 >= MOST_VALUES)
		return NULL;
	memset(v, 0, sizeof *v);
	snprintf(v->name, sizeof v->name, "v%d", g->n);
	snprintf(v->type, sizeof v->type, "%s", type);
	v->rank = rank;
	if (rank)
		memcpy(v->dim, dim, sizeof *dim * (size_t)rank);
	return v;
}

static struct value *emit(struct gen *g, struct value *v, const char *right)
{
	g->body = arena_printf(g->a, "%s  %s = %s %s\n", g->body, v->name, shape_of(g, v), right);
	g->n++;
	return v;
}

static struct value *parameter(struct gen *g, const char *type, int rank, const int *dim)
{
	struct value *v = fresh(g, type, rank, dim);

	v->data = true;
	return emit(g, v, arena_printf(g->a, "parameter(%d)", g->param++));
}

static void random_dims(struct gen *g, int rank, int *dim)
{
	int k;

	for (k = 0; k < rank; k++)
		dim[k] = 1 + rnd(g, rank > 2 ? 4 : 6);
}

/* An earlier value of a type; a new parameter when there is none or by chance. */
static struct value *some(struct gen *g, const char *type, int low, int high)
{
	int k, at = rnd(g, g->n + 1), dim[RANK], rank;

	if (!one_in(g, 4))
		for (k = 0; k < g->n; k++) {
			struct value *v = &g->v[(at + k) % g->n];
			if (is(v, type) && v->rank >= low && v->rank <= high)
				return v;
		}
	rank = low + rnd(g, (high < 4 ? high : 3) - low + 1);
	random_dims(g, rank, dim);
	return parameter(g, type, rank, dim);
}

static struct value *any(struct gen *g, int low)
{
	return some(g, one_in(g, 4) ? "s32" : one_in(g, 8) ? "pred" : "f32", low, 4);
}

/* Of one shape with v. */
static struct value *alike(struct gen *g, const struct value *v, const char *type)
{
	int k, at = rnd(g, g->n);

	if (!one_in(g, 3))
		for (k = 0; k < g->n; k++) {
			struct value *w = &g->v[(at + k) % g->n];
			if (is(w, type) && w->rank == v->rank && !memcmp(w->dim, v->dim, sizeof *v->dim * (size_t)v->rank))
				return w;
		}
	return parameter(g, type, v->rank, v->dim);
}

static struct value *call(struct gen *g, const char *type, int rank, const int *dim, const char *right)
{
	struct value *v = fresh(g, type, rank, dim);

	return v ? emit(g, v, right) : NULL;
}

static struct value *like(struct gen *g, const struct value *x, const char *right)
{
	return call(g, x->type, x->rank, x->dim, right);
}

static struct value *scalar(struct gen *g, const char *type, const char *text)
{
	return call(g, type, 0, NULL, arena_printf(g->a, "constant(%s)", text));
}

#define T(...) arena_printf(g->a, __VA_ARGS__)

/* ---- elementwise */

static void gen_unary(struct gen *g)
{
	static const char *const op[] = { "negate", "abs", "exponential", "tanh", "logistic", "sine", "cosine", "floor", "ceil", "sign",
		"sqrt", "rsqrt", "log", "log-plus-one", "exponential-minus-one", "cbrt", "erf", "tan", "round-nearest-even",
		"round-nearest-afz", "copy", "asinh", "sinh" };	/* defined everywhere */
	struct value *x = some(g, "f32", 0, 4);
	const char *o = op[rnd(g, sizeof op / sizeof *op)];

	if (strstr(o, "sqrt") || !strncmp(o, "log", 3)) {
		struct value *y = like(g, x, T("abs(%s)", x->name));
		x = y ? y : x;
	}
	if (one_in(g, 20))
		call(g, "pred", x->rank, x->dim, T("is-finite(%s)", x->name));
	else if (one_in(g, 20))
		like(g, x, T("reduce-precision(%s), exponent_bits=8, mantissa_bits=7", x->name));
	else
		like(g, x, T("%s(%s)", o, x->name));
}

static void gen_unary_int(struct gen *g)
{
	static const char *const op[] = { "negate", "abs", "not", "popcnt", "count-leading-zeros", "sign" };
	struct value *x = some(g, "s32", 0, 4);

	like(g, x, T("%s(%s)", op[rnd(g, 6)], x->name));
}

static void gen_binary(struct gen *g)
{
	static const char *const op[] = { "add", "subtract", "multiply", "divide", "maximum", "minimum", "atan2", "remainder", "add", "multiply",
		"power" };
	struct value *x = some(g, "f32", 0, 4), *y = alike(g, x, "f32");

	like(g, x, T("%s(%s, %s)", op[rnd(g, 10)], x->name, y->name));
}

static void gen_binary_int(struct gen *g)
{
	static const char *const op[] = { "add", "subtract", "multiply", "divide", "maximum", "minimum", "remainder", "and", "or", "xor",
		"shift-left", "shift-right-logical", "shift-right-arithmetic", "add", "subtract" };
	static const char *const type[] = { "s32", "s32", "s32", "u8", "s8" };
	struct value *x = some(g, type[rnd(g, 5)], 0, 3), *y = alike(g, x, x->type);

	like(g, x, T("%s(%s, %s)", op[rnd(g, 15)], x->name, y->name));
}

static void gen_logic(struct gen *g)
{
	static const char *const op[] = { "and", "or", "xor", "add", "multiply", "maximum", "minimum" };
	struct value *x = some(g, "pred", 0, 3), *y = alike(g, x, "pred");

	if (one_in(g, 5))
		like(g, x, T("not(%s)", x->name));
	else
		like(g, x, T("%s(%s, %s)", op[rnd(g, 7)], x->name, y->name));
}

static void gen_compare(struct gen *g)
{
	static const char *const dir[] = { "EQ", "NE", "LT", "LE", "GT", "GE" };
	struct value *x = any(g, 0), *y = alike(g, x, x->type);

	call(g, "pred", x->rank, x->dim, T("compare(%s, %s), direction=%s", x->name, y->name, dir[rnd(g, 6)]));
}

static void gen_select(struct gen *g)
{
	struct value *x = any(g, 0), *y = alike(g, x, x->type), *p = alike(g, x, "pred");

	like(g, x, T("select(%s, %s, %s)", p->name, x->name, y->name));
}

static void gen_clamp(struct gen *g)
{
	struct value *x = some(g, one_in(g, 3) ? "s32" : "f32", 0, 4), *lo, *hi;

	if (one_in(g, 2)) {
		lo = scalar(g, x->type, "-2");
		hi = scalar(g, x->type, "1");
	} else {
		lo = alike(g, x, x->type);
		hi = alike(g, x, x->type);
	}
	if (lo && hi)
		like(g, x, T("clamp(%s, %s, %s)", lo->name, x->name, hi->name));
}

static void gen_convert(struct gen *g)
{
	static const char *const type[] = { "f32", "s32", "s8", "u8", "pred", "bf16", "f64", "s64", "f16" };
	struct value *x = any(g, 0), *y;

	y = call(g, type[rnd(g, 9)], x->rank, x->dim, T("convert(%s)", x->name));
	if (y && one_in(g, 2))
		call(g, type[rnd(g, 3)], x->rank, x->dim, T("convert(%s)", y->name));
}

/* ---- data movement */

/* n as a product of up to four numbers */
static int factor(struct gen *g, int n, int *dim)
{
	int rank = 0, want = 1 + rnd(g, 4), d;

	while (rank < want - 1) {
		for (d = 1 + rnd(g, 6); n % d; d--)
			;
		dim[rank++] = d;
		n /= d;
	}
	dim[rank++] = n;
	return rank;
}

static void gen_reshape(struct gen *g)
{
	struct value *x = any(g, 0);
	int dim[RANK], rank = factor(g, elements(x), dim);

	call(g, x->type, rank, dim, T("reshape(%s)", x->name));
}

static void gen_transpose(struct gen *g)
{
	struct value *x = any(g, 1);
	int p[RANK], dim[RANK], k;

	shuffle(g, x->rank, p);
	for (k = 0; k < x->rank; k++)
		dim[k] = x->dim[p[k]];
	call(g, x->type, x->rank, dim, T("transpose(%s), dimensions={%s}", x->name, list(g, x->rank, p)));
}

static struct value *broadcast(struct gen *g, const struct value *x)
{
	int at[RANK], dim[RANK], k, rank = 0, n = elements(x);

	for (k = 0; k <= x->rank; k++) {
		if (rank < 4 && one_in(g, 2) && n * 3 <= MOST_ELEMENTS) {
			dim[rank] = 1 + rnd(g, 3);
			n *= dim[rank++];
		}
		if (k < x->rank) {
			at[k] = rank;
			dim[rank++] = x->dim[k];
		}
	}
	return call(g, x->type, rank, dim, T("broadcast(%s), dimensions={%s}", x->name, list(g, x->rank, at)));
}

static void gen_broadcast(struct gen *g)
{
	broadcast(g, any(g, 0));
}

static void gen_slice(struct gen *g)
{
	struct value *x = any(g, 1);
	const char *t = "";
	int dim[RANK], k, lo, hi, st;

	for (k = 0; k < x->rank; k++) {
		lo = rnd(g, x->dim[k]);
		hi = lo + 1 + rnd(g, x->dim[k] - lo);
		st = 1 + (one_in(g, 2) ? rnd(g, 3) : 0);
		dim[k] = (hi - lo + st - 1) / st;
		t = T("%s%s[%d:%d:%d]", t, k ? ", " : "", lo, hi, st);
	}
	call(g, x->type, x->rank, dim, T("slice(%s), slice={%s}", x->name, t));
}

/* A random choice of 0..n-1, in order; its number. */
static int subset(struct gen *g, int n, int *out)
{
	int k, m = 0;

	for (k = 0; k < n; k++)
		if (one_in(g, 2))
			out[m++] = k;
	return m;
}

static void gen_reverse(struct gen *g)
{
	struct value *x = any(g, 1);
	int d[RANK], n = subset(g, x->rank, d);

	like(g, x, T("reverse(%s), dimensions={%s}", x->name, list(g, n, d)));
}

static const char *zero_of(const char *type)
{
	return strcmp(type, "pred") ? "0" : "false";
}

static void gen_pad(struct gen *g)
{
	struct value *x = any(g, 1), *c;
	const char *t = "";
	int dim[RANK], k, lo, hi, in, n = 1;

	for (k = 0; k < x->rank; k++) {
		do {
			lo = rnd(g, 6) - 2;
			hi = rnd(g, 6) - 2;
			in = one_in(g, 3) ? rnd(g, 3) : 0;
			dim[k] = lo + hi + x->dim[k] + (x->dim[k] - 1) * in;
		} while (dim[k] < 1);
		n *= dim[k];
		t = T("%s%s%d_%d_%d", t, k ? "x" : "", lo, hi, in);
	}
	if (n > MOST_ELEMENTS)
		return;
	c = one_in(g, 2) ? scalar(g, x->type, zero_of(x->type)) : one_in(g, 3) && is(x, "f32") ? scalar(g, "f32", "-inf")
		: parameter(g, x->type, 0, NULL);
	if (c)
		call(g, x->type, x->rank, dim, T("pad(%s, %s), padding=%s", x->name, c->name, t));
}

static void gen_concatenate(struct gen *g)
{
	struct value *x = any(g, 1), *p[3];
	int d = rnd(g, x->rank), n = 2 + rnd(g, 2), k, dim[RANK], total = 0;
	const char *t = "";

	for (k = 0; k < n; k++) {
		memcpy(dim, x->dim, sizeof dim);
		dim[d] = 1 + rnd(g, 3);
		p[k] = k && one_in(g, 2) ? parameter(g, x->type, x->rank, dim) : x;
		total += p[k]->dim[d];
		t = T("%s%s%s", t, k ? ", " : "", p[k]->name);
	}
	memcpy(dim, x->dim, sizeof dim);
	dim[d] = total;
	call(g, x->type, x->rank, dim, T("concatenate(%s), dimensions={%d}", t, d));
}

/* A scalar start: of the device, a constant, or data. */
static struct value *start(struct gen *g)
{
	struct value *p, *c, *s;

	switch (rnd(g, 5)) {
	case 0:
		return scalar(g, "s32", T("%d", rnd(g, 8) - 2));
	case 1:
		return some(g, "s32", 0, 0);
	default:
		p = call(g, "u32", 0, NULL, one_in(g, 3) ? "replica-id()" : "partition-id()");
		s = p ? call(g, "s32", 0, NULL, T("convert(%s)", p->name)) : NULL;
		c = s ? scalar(g, "s32", T("%d", 1 + rnd(g, 4))) : NULL;
		return c ? call(g, "s32", 0, NULL, T("%s(%s, %s)", one_in(g, 3) ? "add" : "multiply", s->name, c->name)) : NULL;
	}
}

static const char *starts(struct gen *g, int n)
{
	const char *t = "";
	int k;

	for (k = 0; k < n; k++) {
		struct value *s = start(g);
		if (!s)
			return NULL;
		t = T("%s, %s", t, s->name);
	}
	return t;
}

static void gen_dynamic_slice(struct gen *g)
{
	struct value *x = any(g, 1);
	int dim[RANK], k;
	const char *t = starts(g, x->rank);

	for (k = 0; k < x->rank; k++)
		dim[k] = 1 + rnd(g, x->dim[k]);
	if (t)
		call(g, x->type, x->rank, dim, T("dynamic-slice(%s%s), dynamic_slice_sizes={%s}", x->name, t, list(g, x->rank, dim)));
}

static void gen_dynamic_update(struct gen *g)
{
	struct value *x = any(g, 1), *u;
	int dim[RANK], k;
	const char *t = starts(g, x->rank);

	for (k = 0; k < x->rank; k++)
		dim[k] = 1 + rnd(g, x->dim[k]);
	u = parameter(g, x->type, x->rank, dim);
	if (t)
		like(g, x, T("dynamic-update-slice(%s, %s%s)", x->name, u->name, t));
}

/* An index tensor: data, or an iota. */
static struct value *indices(struct gen *g, int rank, const int *dim)
{
	static const char *const type[] = { "s32", "s32", "s32", "u8", "s8" };
	struct value *v;

	if (one_in(g, 3)) {
		v = call(g, "s32", rank, dim, T("iota(), iota_dimension=%d", rnd(g, rank)));
		if (v)
			return v;
	}
	return parameter(g, type[rnd(g, 5)], rank, dim);
}

struct window_of {		/* what gather and scatter share */
	int map[RANK], nmap, size[RANK], dropped[RANK], ndropped, kept[RANK], nkept;
	int batch[RANK], nbatch, ivd, idim[RANK], irank, out[RANK], nout, offset[RANK];
};

static bool index_window(struct gen *g, const struct value *x, struct window_of *w, bool batching)
{
	int k, p[RANK], n = 1, o = 0, b = 0;
	bool used[RANK] = { 0 };

	memset(w, 0, sizeof *w);
	shuffle(g, x->rank, p);
	if (batching && x->rank > 1 && one_in(g, 4))
		w->batch[w->nbatch++] = p[x->rank - 1];
	w->nmap = 1 + rnd(g, x->rank - w->nbatch);
	memcpy(w->map, p, sizeof p);
	for (k = 0; k < x->rank; k++) {
		bool bat = w->nbatch && k == w->batch[0];
		w->size[k] = bat || one_in(g, 2) ? 1 : 1 + rnd(g, x->dim[k]);
		if (bat)
			continue;
		if (w->size[k] == 1 && !one_in(g, 3))
			w->dropped[w->ndropped++] = k;
		else
			w->kept[w->nkept++] = k;
	}
	w->irank = 1 + rnd(g, 2);
	for (k = 0; k < w->irank; k++)
		w->idim[k] = 1 + rnd(g, 3);
	if (w->nbatch)
		w->idim[0] = x->dim[w->batch[0]];
	w->nout = w->irank + w->nkept;
	if (w->nout > RANK)
		return false;
	shuffle(g, w->nout, p);
	for (k = 0; k < w->nkept; k++)
		used[p[k]] = true;
	for (k = 0; k < w->nout; k++) {
		if (used[k])
			w->offset[o] = k;
		w->out[k] = used[k] ? w->size[w->kept[o++]] : w->idim[b++];
		n *= w->out[k];
	}
	w->ivd = w->nmap == 1 && one_in(g, 2) ? w->irank : w->nbatch + rnd(g, w->irank + 1 - w->nbatch);
	if (w->ivd < w->irank || w->nmap > 1 || one_in(g, 2)) {
		for (k = w->irank; k > w->ivd; k--)
			w->idim[k] = w->idim[k - 1];
		w->idim[w->ivd] = w->nmap;
		w->irank++;
	}
	return n <= MOST_ELEMENTS;
}

static void gen_gather(struct gen *g)
{
	struct value *x = any(g, 1), *i;
	struct window_of w;
	const char *bat;

	if (!index_window(g, x, &w, true) || !(i = indices(g, w.irank, w.idim)))
		return;
	bat = w.nbatch ? T(", operand_batching_dims={%d}, start_indices_batching_dims={0}", w.batch[0]) : "";
	call(g, x->type, w.nout, w.out,
	     T("gather(%s, %s), offset_dims={%s}, collapsed_slice_dims={%s}, start_index_map={%s}%s, index_vector_dim=%d, slice_sizes={%s}",
	       x->name, i->name, list(g, w.nkept, w.offset), list(g, w.ndropped, w.dropped), list(g, w.nmap, w.map), bat, w.ivd,
	       list(g, x->rank, w.size)));
}

static void gen_scatter(struct gen *g)
{
	static const char *const comb[] = { "add_f32", "add_f32", "take_f32", "take_f32", "mul_f32", "max_f32" };
	struct value *x = some(g, "f32", 1, 3), *i, *u;
	struct window_of w;
	const char *by, *once;

	if (!index_window(g, x, &w, false) || !(i = indices(g, w.irank, w.idim)))
		return;
	u = parameter(g, "f32", w.nout, w.out);
	by = comb[rnd(g, 6)];
	once = one_in(g, 3) ? ", unique_indices=true" : "";
	like(g, x, T("scatter(%s, %s, %s), update_window_dims={%s}, inserted_window_dims={%s}, scatter_dims_to_operand_dims={%s}, "
		     "index_vector_dim=%d%s, to_apply=%s", x->name, i->name, u->name, list(g, w.nkept, w.offset),
		     list(g, w.ndropped, w.dropped), list(g, w.nmap, w.map), w.ivd, once, by));
}

static void gen_iota(struct gen *g)
{
	static const char *const type[] = { "s32", "f32", "u8", "s64" };
	int dim[RANK], rank = 1 + rnd(g, 3), d;

	random_dims(g, rank, dim);
	d = rnd(g, rank);
	call(g, type[rnd(g, 4)], rank, dim, T("iota(), iota_dimension=%d", d));
}

static void gen_constant(struct gen *g)
{
	static const char *const type[] = { "f32", "s32", "pred" };
	const char *ty = type[rnd(g, 3)], *t = "{";
	int n = 2 + rnd(g, 5), k;
	struct value *v;

	for (k = 0; k < n; k++) {
		const char *half = !strcmp(ty, "f32") && one_in(g, 3) ? ".5" : "";
		t = T("%s%s%d%s", t, k ? ", " : "", !strcmp(ty, "pred") ? rnd(g, 2) : rnd(g, 9) - 4, half);
	}
	v = call(g, ty, 1, &n, T("constant(%s})", t));
	if (v && one_in(g, 2))
		broadcast(g, v);
}

static void gen_bitcast(struct gen *g)
{
	struct value *x = any(g, 1), *y;
	int p[RANK], q[RANK], dim[RANK], rank = factor(g, elements(x), dim);

	shuffle(g, x->rank, p);
	y = fresh(g, x->type, x->rank, x->dim);
	if (!y)
		return;
	g->body = T("%s  %s = %s{%s} copy(%s)\n", g->body, y->name, shape_of(g, y), list(g, x->rank, p), x->name);
	g->n++;
	shuffle(g, rank, q);
	x = y;
	y = fresh(g, x->type, rank, dim);
	if (!y)
		return;
	g->body = T("%s  %s = %s{%s} bitcast(%s)\n", g->body, y->name, shape_of(g, y), list(g, rank, q), x->name);
	g->n++;
}

/* ---- contractions, reductions */

static void gen_dot(struct gen *g)
{
	const char *ty = one_in(g, 5) ? "s32" : "f32", *res = ty;
	struct value *x = some(g, ty, 1, 4), *y;
	int p[RANK], nb, nc, k, dim[RANK], rank, q[RANK], yd[RANK], inv[RANK], out[RANK], no = 0, lb[RANK], lc[RANK], rb[RANK], rc[RANK], n = 1;

	shuffle(g, x->rank, p);
	nb = one_in(g, 2) && x->rank > 1 ? 1 : 0;
	nc = rnd(g, x->rank - nb + 1);
	rank = nb + nc;
	for (k = 0; k < rank; k++)
		dim[k] = x->dim[p[k]];
	for (k = rnd(g, 3); k > 0 && rank < 4; k--)
		dim[rank++] = 1 + rnd(g, 4);
	shuffle(g, rank, q);	/* y's dimension k is dim[q[k]] */
	for (k = 0; k < rank; k++) {
		yd[k] = dim[q[k]];
		inv[q[k]] = k;
	}
	y = parameter(g, ty, rank, yd);
	for (k = 0; k < nb; k++) {
		lb[k] = p[k];
		rb[k] = inv[k];
		out[no++] = dim[k];
	}
	for (k = 0; k < nc; k++) {
		lc[k] = p[nb + k];
		rc[k] = inv[nb + k];
	}
	for (k = 0; k < x->rank; k++) {
		int j;
		for (j = 0; j < nb + nc && p[j] != k; j++)
			;
		if (j == nb + nc)
			out[no++] = x->dim[k];
	}
	for (k = 0; k < rank; k++)
		if (q[k] >= nb + nc)
			out[no++] = yd[k];
	for (k = 0; k < no; k++)
		n *= out[k];
	if (no > 4 || n > MOST_ELEMENTS)
		return;
	if (!strcmp(ty, "f32") && one_in(g, 6))
		res = "bf16";
	call(g, res, no, out, T("dot(%s, %s), lhs_batch_dims={%s}, lhs_contracting_dims={%s}, rhs_batch_dims={%s}, rhs_contracting_dims={%s}",
			       x->name, y->name, list(g, nb, lb), list(g, nc, lc), list(g, nb, rb), list(g, nc, rc)));
}

static int windowed(int n, int size, int stride, int lo, int hi, int ld, int rd)
{
	int big = (n - 1) * ld + 1 + lo + hi, win = (size - 1) * rd + 1;

	return big < win ? 0 : (big - win) / stride + 1;
}

struct dims_window { const char *size, *stride, *pad, *ld, *rd, *rev; };

/* One more window dimension; its result extent, 0: none. */
static int add_window(struct gen *g, struct dims_window *w, int n, int *size, bool plain)
{
	const char *x = *w->size ? "x" : "";
	int st = 1 + rnd(g, 2), lo = rnd(g, 4) - 1, hi = rnd(g, 4) - 1, ld = one_in(g, 3) ? 2 : 1, rd = one_in(g, 3) ? 2 : 1;

	if (plain)
		st = ld = rd = 1, lo = hi = 0;
	w->size = T("%s%s%d", w->size, x, *size);
	w->stride = T("%s%s%d", w->stride, x, st);
	w->pad = T("%s%s%d_%d", w->pad, x, lo, hi);
	w->ld = T("%s%s%d", w->ld, x, ld);
	w->rd = T("%s%s%d", w->rd, x, rd);
	w->rev = T("%s%s%d", w->rev, x, plain ? 0 : rnd(g, 2));
	return windowed(n, *size, st, lo, hi, ld, rd);
}

static void gen_convolution(struct gen *g)
{
	struct dims_window w = { "", "", "", "", "", "" };
	int ns = 1 + rnd(g, 2), k, lp[4], rp[4], op[4], groups = 1 + rnd(g, 2), bg = one_in(g, 8) ? 2 : 1, n[2], m[2], o[2];
	int batch = bg * (1 + rnd(g, 2)), in = 1 + rnd(g, 2), out, L[4], R[4], O[4], total;
	struct value *x, *y;
	char ll[8], rl[8], ol[8];

	if (bg > 1)
		groups = 1;
	out = groups * bg * (1 + rnd(g, 2));
	for (k = 0; k < ns; k++) {
		n[k] = 1 + rnd(g, 5);
		m[k] = 1 + rnd(g, 3);
		o[k] = add_window(g, &w, n[k], &m[k], false);
		if (o[k] < 1)
			return;
	}
	shuffle(g, ns + 2, lp);
	shuffle(g, ns + 2, rp);
	shuffle(g, ns + 2, op);
	for (k = 0; k < ns + 2; k++) {	/* logical order: batch feature space.. / in out space.. */
		L[lp[k]] = k == 0 ? batch : k == 1 ? in * groups : n[k - 2];
		ll[lp[k]] = k == 0 ? 'b' : k == 1 ? 'f' : (char)('0' + k - 2);
		R[rp[k]] = k == 0 ? in : k == 1 ? out : m[k - 2];
		rl[rp[k]] = k == 0 ? 'i' : k == 1 ? 'o' : (char)('0' + k - 2);
		O[op[k]] = k == 0 ? batch / bg : k == 1 ? out : o[k - 2];
		ol[op[k]] = k == 0 ? 'b' : k == 1 ? 'f' : (char)('0' + k - 2);
	}
	ll[ns + 2] = rl[ns + 2] = ol[ns + 2] = 0;
	for (total = 1, k = 0; k < ns + 2; k++)
		total *= O[k];
	if (total > MOST_ELEMENTS)
		return;
	x = parameter(g, "f32", ns + 2, L);
	y = parameter(g, "f32", ns + 2, R);
	call(g, one_in(g, 6) ? "bf16" : "f32", ns + 2, O,
	     T("convolution(%s, %s), window={size=%s stride=%s pad=%s lhs_dilate=%s rhs_dilate=%s rhs_reversal=%s}, dim_labels=%s_%s->%s, "
	       "feature_group_count=%d, batch_group_count=%d", x->name, y->name, w.size, w.stride, w.pad, w.ld, w.rd, w.rev, ll, rl, ol, groups, bg));
}

/* The initial value that changes nothing, or any other. */
static struct value *initial(struct gen *g, const char *op, const char *type)
{
	bool f = !strcmp(type, "f32"), p = !strcmp(type, "pred");

	if (one_in(g, 4))
		return scalar(g, type, p ? "true" : "2");
	if (one_in(g, 6))
		return parameter(g, type, 0, NULL);
	if (!strcmp(op, "add") || !strcmp(op, "or"))
		return scalar(g, type, zero_of(type));
	if (!strcmp(op, "mul") || !strcmp(op, "and"))
		return scalar(g, type, p ? "true" : "1");
	if (!strcmp(op, "max"))
		return scalar(g, type, f ? "-inf" : p ? "false" : "-2147483648");
	return scalar(g, type, f ? "inf" : p ? "true" : "2147483647");
}

static const char *reducer(struct gen *g, const char *type)
{
	static const char *const num[] = { "add", "add", "max", "min", "mul" }, *const log[] = { "and", "or" };

	return strcmp(type, "pred") ? num[rnd(g, 5)] : log[rnd(g, 2)];
}

static void gen_reduce(struct gen *g)
{
	struct value *x = any(g, 1), *c;
	const char *op = reducer(g, x->type);
	int d[RANK], n = subset(g, x->rank, d), dim[RANK], rank = 0, k, j;

	c = initial(g, op, x->type);
	for (k = 0; k < x->rank; k++) {
		for (j = 0; j < n && d[j] != k; j++)
			;
		if (j == n)
			dim[rank++] = x->dim[k];
	}
	if (c)
		call(g, x->type, rank, dim, T("reduce(%s, %s), dimensions={%s}, to_apply=%s_%s", x->name, c->name, list(g, n, d), op, x->type));
}

static void gen_window(struct gen *g)
{
	struct value *x = any(g, 1), *c;
	const char *op = reducer(g, x->type);
	struct dims_window w = { "", "", "", "", "", "" };
	int dim[RANK], k, size, n = 1;

	for (k = 0; k < x->rank; k++) {
		bool plain = one_in(g, 3);
		size = plain ? 1 : 1 + rnd(g, 3);
		dim[k] = add_window(g, &w, x->dim[k], &size, plain);
		n *= dim[k];
	}
	if (n < 1 || n > MOST_ELEMENTS)
		return;
	c = initial(g, op, x->type);
	if (c)
		call(g, x->type, x->rank, dim, T("reduce-window(%s, %s), window={size=%s stride=%s pad=%s lhs_dilate=%s rhs_dilate=%s}, to_apply=%s_%s",
						 x->name, c->name, w.size, w.stride, w.pad, w.ld, w.rd, op, x->type));
}

static void gen_arg_reduce(struct gen *g)
{
	static const char *const kind[] = { "arg_first", "arg_last", "arg_least" };
	struct value *x = some(g, "f32", 1, 3), *p, *c, *z, *t;
	int d = rnd(g, x->rank), dim[RANK], k, rank = 0;
	const char *s;

	p = one_in(g, 3) ? parameter(g, "s32", x->rank, x->dim) : call(g, "s32", x->rank, x->dim, T("iota(), iota_dimension=%d", d));
	c = scalar(g, "f32", "-inf");
	z = scalar(g, "s32", "0");
	if (!p || !c || !z)
		return;
	for (k = 0; k < x->rank; k++)
		if (k != d)
			dim[rank++] = x->dim[k];
	t = fresh(g, "f32", rank, dim);
	if (!t)
		return;
	s = list(g, rank, dim);
	g->body = T("%s  t%d = (f32[%s], s32[%s]) reduce(%s, %s, %s, %s), dimensions={%d}, to_apply=%s\n", g->body, g->n, s, s, x->name,
		    p->name, c->name, z->name, d, kind[rnd(g, 3)]);
	t = emit(g, t, T("get-tuple-element(t%d), index=0", k = g->n));
	call(g, "s32", rank, dim, T("get-tuple-element(t%d), index=1", k));
}

static void gen_batch_norm(struct gen *g)
{
	struct value *x = some(g, "f32", 2, 4), *s[5];
	int d = rnd(g, x->rank), n = x->dim[d], k, kind = rnd(g, 3), t;
	const char *f, *of;

	for (k = 0; k < 4; k++)
		s[k] = parameter(g, "f32", 1, &n);
	s[3] = like(g, s[3], T("abs(%s)", s[3]->name));
	if (!s[3] || !fresh(g, "f32", 1, &n))
		return;
	f = T("epsilon=0.5, feature_index=%d", d);
	if (kind == 0) {
		like(g, x, T("batch-norm-inference(%s, %s, %s, %s, %s), %s", x->name, s[0]->name, s[1]->name, s[2]->name, s[3]->name, f));
		return;
	}
	t = g->n;
	if (kind == 1)
		g->body = T("%s  t%d = (%s, f32[%d], f32[%d]) batch-norm-training(%s, %s, %s), %s\n", g->body, t, shape_of(g, x), n, n, x->name,
			    s[0]->name, s[1]->name, f);
	else {
		of = parameter(g, "f32", x->rank, x->dim)->name;
		g->body = T("%s  t%d = (%s, f32[%d], f32[%d]) batch-norm-grad(%s, %s, %s, %s, %s), %s\n", g->body, t, shape_of(g, x), n, n, x->name,
			    s[0]->name, s[2]->name, s[3]->name, of, f);
	}
	like(g, x, T("get-tuple-element(t%d), index=0", t));
	call(g, "f32", 1, &n, T("get-tuple-element(t%d), index=1", t));
	call(g, "f32", 1, &n, T("get-tuple-element(t%d), index=2", t));
}

/* ---- collectives */

struct grouping {
	const char *text;	/* attributes */
	int size;		/* of every group; 0: uneven */
};

static const char *group_list(struct gen *g, int n, int size, bool uneven)
{
	int p[64], k, left;
	const char *t = "{";

	shuffle(g, n, p);
	if (one_in(g, 2))
		for (k = 0; k < n; k++)
			p[k] = k;
	else if (size > 1 && one_in(g, 2))	/* neighbours in different groups */
		for (k = 0; k < n; k++)
			p[k] = k % size * (n / size) + k / size;
	for (k = 0; k < n; k += left) {
		left = uneven ? 1 + rnd(g, n - k) : size;
		t = T("%s%s{%s}", t, k ? "," : "", list(g, left, p + k));
	}
	return T("%s}", t);
}

/* In one of the modes; `pairs`: the two that all-to-all, permute and broadcast know. */
static struct grouping grouping(struct gen *g, bool pairs, bool uneven)
{
	struct grouping r;
	int mode = rnd(g, pairs ? 2 : 3), R = (int)g->replicas, P = (int)g->partitions, n, d;

	n = mode == 0 ? R : pairs ? P : mode == 1 ? R : R * P;
	for (d = 1 + rnd(g, n); n % d; d--)
		;
	uneven = uneven && one_in(g, 4);
	r.size = uneven ? 0 : mode == 1 && !pairs ? d * P : d;
	r.text = T("replica_groups=%s", group_list(g, n, d, uneven));
	if (d == n && one_in(g, 2))
		r.text = "replica_groups={}";
	if (!uneven && d > 1 && n / d > 1 && one_in(g, 3))
		r.text = one_in(g, 2) ? T("replica_groups=[%d,%d]<=[%d]", n / d, d, n) : T("replica_groups=[%d,%d]<=[%d,%d]T(1,0)", n / d, d, d, n / d);
	if (mode > 0)
		r.text = T("%s, channel_id=%d%s", r.text, ++g->channel, mode == 2 ? ", use_global_device_ids=true" : "");
	return r;
}

static void gen_all_reduce(struct gen *g)
{
	struct value *x = any(g, 0);
	struct grouping r = grouping(g, false, true);

	like(g, x, T("all-reduce(%s), %s, to_apply=%s_%s", x->name, r.text, reducer(g, x->type), x->type));
}

static void gen_all_gather(struct gen *g)
{
	struct value *x = any(g, 1);
	struct grouping r = grouping(g, false, false);
	int d = rnd(g, x->rank), dim[RANK];

	memcpy(dim, x->dim, sizeof dim);
	dim[d] *= r.size;
	if (elements(x) * r.size <= 2 * MOST_ELEMENTS)
		call(g, x->type, x->rank, dim, T("all-gather(%s), dimensions={%d}, %s", x->name, d, r.text));
}

/* x with dimension d a multiple of n */
static struct value *multiple(struct gen *g, int n, int *d)
{
	int dim[RANK], rank = 1 + rnd(g, 3);

	random_dims(g, rank, dim);
	*d = rnd(g, rank);
	dim[*d] = n * (1 + rnd(g, 3));
	return parameter(g, one_in(g, 5) ? "s32" : "f32", rank, dim);
}

static void gen_reduce_scatter(struct gen *g)
{
	struct grouping r = grouping(g, false, false);
	int d, dim[RANK];
	struct value *x = multiple(g, r.size, &d);

	memcpy(dim, x->dim, sizeof dim);
	dim[d] /= r.size;
	call(g, x->type, x->rank, dim, T("reduce-scatter(%s), dimensions={%d}, %s, to_apply=%s_%s", x->name, d, r.text, reducer(g, x->type), x->type));
}

static void gen_all_to_all(struct gen *g)
{
	struct grouping r = grouping(g, true, false);
	int d;
	struct value *x = multiple(g, r.size, &d);

	like(g, x, T("all-to-all(%s), dimensions={%d}, %s", x->name, d, r.text));
}

static void gen_all_to_all_tuple(struct gen *g)
{
	struct grouping r = grouping(g, true, false);
	struct value *x = any(g, 0);
	const char *t = "", *s = "";
	int k, at = g->n + 64;

	if (g->n + 2 * r.size + 6 >= MOST_VALUES)
		return;
	for (k = 0; k < r.size; k++) {
		s = T("%s%s%s", s, k ? ", " : "", shape_of(g, x));
		t = T("%s%s%s", t, k ? ", " : "", k ? alike(g, x, x->type)->name : x->name);
	}
	at = g->n;
	if (r.size == 1)
		return;
	g->body = T("%s  t%d = (%s) all-to-all(%s), %s\n", g->body, at, s, t, r.text);
	for (k = 0; k < r.size; k++)
		like(g, x, T("get-tuple-element(t%d), index=%d", at, k));
}

static void gen_permute(struct gen *g)
{
	struct value *x = any(g, 0);
	bool cross = one_in(g, 2);
	int n = (int)(cross ? g->replicas : g->partitions), p[64], q[64], k, shift = rnd(g, n), mode = rnd(g, 3);
	const char *t = "";

	shuffle(g, n, p);
	shuffle(g, n, q);
	for (k = 0; k < n; k++)
		if (mode || !one_in(g, 3))
			t = T("%s%s{%d,%d}", t, *t ? "," : "", mode == 1 ? k : p[k], mode == 1 ? (k + shift) % n : q[k]);
	if (!*t)
		t = "{0,0}";
	like(g, x, T("collective-permute(%s), source_target_pairs={%s}%s", x->name, t, cross ? "" : T(", channel_id=%d", ++g->channel)));
}

static void gen_collective_broadcast(struct gen *g)
{
	struct value *x = any(g, 0);
	int n = (int)g->replicas, p[64];

	shuffle(g, n, p);
	like(g, x, T("collective-broadcast(%s), replica_groups={{%s}}", x->name, list(g, 1 + rnd(g, n), p)));
}

/* ---- what stays opaque, and control */

static void gen_order(struct gen *g)
{
	struct value *x = some(g, "f32", 1, 3);

	like(g, x, T("sort(%s), dimensions={%d}, to_apply=less_f32", x->name, rnd(g, x->rank)));
}

static void gen_branch(struct gen *g)
{
	struct value *p, *x = parameter(g, "f32", 1, &(int){ 4 }), *y;

	switch (rnd(g, 3)) {
	case 0:
		p = scalar(g, "pred", one_in(g, 2) ? "true" : "false");
		break;
	case 1:
		p = some(g, "pred", 0, 0);
		break;
	default:
		p = scalar(g, "u32", "1");
		y = p ? call(g, "u32", 0, NULL, "partition-id()") : NULL;
		p = y ? call(g, "pred", 0, NULL, T("compare(%s, %s), direction=LT", y->name, p->name)) : NULL;
	}
	if (p && one_in(g, 2))
		like(g, x, T("conditional(%s, %s, %s), true_computation=twice, false_computation=minus", p->name, x->name, x->name));
	else if (p)
		like(g, x, T("fusion(%s), kind=kLoop, calls=twice", x->name));
}

/* ---- programs */

static void (*const family[])(struct gen *) = {
#define X(n, s) gen_##s,
	RANDOM_FAMILIES(X)
#undef X
};

const char *random_family_name(enum random_family f)
{
	static const char *const name[] = {
#define X(n, s) #s,
		RANDOM_FAMILIES(X)
#undef X
		"any"
	};

	return name[f];
}

static const char *computations(struct gen *g)
{
	static const char *const type[] = { "f32", "s32", "pred" };
	static const char *const op[][2] = { { "add", "add" }, { "mul", "multiply" }, { "max", "maximum" }, { "min", "minimum" },
		{ "and", "and" }, { "or", "or" } };
	const char *t = "";
	int i, j;

	for (i = 0; i < 3; i++)
		for (j = 0; j < 6; j++) {
			if ((i == 0 && j > 3) || (i == 2 && j < 4))
				continue;
			t = T("%s%s_%s {\n  a = %s[] parameter(0)\n  b = %s[] parameter(1)\n  ROOT r = %s[] %s(a, b)\n}\n", t, op[j][0], type[i],
			      type[i], type[i], type[i], op[j][1]);
		}
	t = T("%stake_f32 {\n  a = f32[] parameter(0)\n  ROOT b = f32[] parameter(1)\n}\n", t);
	t = T("%sless_f32 {\n  a = f32[] parameter(0)\n  b = f32[] parameter(1)\n  ROOT r = pred[] compare(a, b), direction=LT\n}\n", t);
	t = T("%stwice {\n  a = f32[4] parameter(0)\n  ROOT r = f32[4] add(a, a)\n}\n"
	      "minus {\n  a = f32[4] parameter(0)\n  ROOT r = f32[4] negate(a)\n}\n", t);
	for (i = 0; i < 3; i++)	/* at ties: the first, the last, the least payload */
		t = T("%sarg_%s {\n  a = f32[] parameter(0)\n  i = s32[] parameter(1)\n  b = f32[] parameter(2)\n  j = s32[] parameter(3)\n"
		      "  g = pred[] compare(a, b), direction=%s\n%s"
		      "  v = f32[] select(%s, a, b)\n  k = s32[] select(%s, i, j)\n  ROOT t = (f32[], s32[]) tuple(v, k)\n}\n", t,
		      i == 0 ? "first" : i == 1 ? "last" : "least", i == 0 ? "GE" : "GT",
		      i < 2 ? "" : "  e = pred[] compare(a, b), direction=EQ\n  l = pred[] compare(i, j), direction=LT\n"
				   "  el = pred[] and(e, l)\n  u = pred[] or(g, el)\n", i < 2 ? "g" : "u", i < 2 ? "g" : "u");
	return t;
}

random_program random_hlo(arena *a, uint64_t seed, enum random_family f, int steps)
{
	static const int counts[][2] = { { 1, 2 }, { 1, 4 }, { 2, 2 }, { 1, 6 }, { 2, 3 }, { 4, 1 }, { 4, 2 }, { 1, 8 } };
	struct gen *g = arena_zalloc(a, sizeof *g);
	const char *t = "";
	random_program p;
	int k;

	g->a = a;
	g->s = seed * 0x9e3779b97f4a7c15ull | 1;
	rnd(g, 2);
	rnd(g, 2);
	k = rnd(g, 8);
	g->replicas = counts[k][0];
	g->partitions = counts[k][1];
	g->body = "";
	if (f != RF_COUNT)
		family[f](g);
	for (k = 0; k < steps && g->n < MOST_VALUES / 2; k++)
		family[rnd(g, RF_COUNT)](g);
	if (!g->n)
		gen_iota(g);
	for (k = 0; k < g->n; k++)
		t = T("%s%s%s", t, k ? ", " : "", g->v[k].name);
	p.replicas = g->replicas;
	p.partitions = g->partitions;
	p.nparam = g->param;
	{
		const char *s = "";
		for (k = 0; k < g->n; k++)
			s = T("%s%s%s", s, k ? ", " : "", shape_of(g, &g->v[k]));
		p.text = T("HloModule r, replica_count=%d, num_partitions=%d\n%sENTRY e {\n%s  ROOT root = (%s) tuple(%s)\n}\n", (int)g->replicas,
			   (int)g->partitions, computations(g), g->body, s, t);
	}
	return p;
}
