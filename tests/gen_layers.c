/* gen_layers [-l LAYERS] [-t TP] [-m LAYER] [-r] [-s] OUT: writes OUT.base.hlo, OUT.dist.hlo and
 * OUT.plan, a stack of transformer layers and its tensor-parallel form over TP
 * devices, at least 100 instructions a layer in each.  -r: the sizes of a model
 * of 405 billion parameters instead of small ones.  -m LAYER: the distributed
 * program leaves out one all-reduce, the one behind that layer's MLP.  -s: the
 * layers are one body, a loop over stacked weights (with -m: in every trip).
 *
 * A layer is RMS norm, grouped-query attention with rotary positions and a
 * causal mask, and a gated MLP. */
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct sizes {
	int batch, length, hidden, heads, kv_heads, head_dim, ff;
};

static const struct sizes small = { 2, 16, 2048, 128, 64, 16, 6144 };
static const struct sizes real = { 1, 8192, 16384, 128, 8, 128, 53248 };

/* An instruction written before: its name and what its uses repeat. */
struct val {
	char name[32], shape[64];
};

struct program {
	FILE *f;
	struct sizes s;
	int tp;
	int next;		/* number of the next instruction */
	int nparam;
	int layer;
	int leave_out;		/* the layer without its second all-reduce; -1: none */
	const char *scope;	/* what op_name says between layer and primitive */
	int line;
};

static struct val start(struct program *p, const char *op, const char *shape)
{
	struct val v;

	snprintf(v.name, sizeof v.name, "%s.%d", op, p->next++);
	snprintf(v.shape, sizeof v.shape, "%s", shape);
	fprintf(p->f, "  %%%s = %s ", v.name, v.shape);
	return v;
}

static void metadata(struct program *p, const char *op)
{
	fprintf(p->f, ", metadata={op_name=\"jit(model)/layer_%d/%s/%s\" source_file=\"layers.py\" source_line=%d}\n",
		p->layer, p->scope, op, ++p->line);
}

static struct val parameter(struct program *p, const char *shape, const char *fmt, ...)
{
	struct val v = start(p, "param", shape);
	va_list ap;

	fprintf(p->f, "parameter(%d), metadata={op_name=\"", p->nparam++);
	va_start(ap, fmt);
	vfprintf(p->f, fmt, ap);
	va_end(ap);
	fprintf(p->f, "\"}\n");
	return v;
}

static struct val constant(struct program *p, const char *value)
{
	struct val v = start(p, "constant", "f32[]");

	fprintf(p->f, "constant(%s)\n", value);
	return v;
}

/* n operands, then the attributes as printf would write them. */
static struct val op(struct program *p, const char *name, const char *shape, int n, const struct val *x,
		     const char *fmt, ...) __attribute__((format(printf, 6, 7)));

static struct val op(struct program *p, const char *name, const char *shape, int n, const struct val *x,
		     const char *fmt, ...)
{
	struct val v = start(p, name, shape);
	char attributes[256];
	va_list ap;
	int i;

	va_start(ap, fmt);
	vsnprintf(attributes, sizeof attributes, fmt, ap);
	va_end(ap);
	fprintf(p->f, "%s(", name);
	for (i = 0; i < n; i++)
		fprintf(p->f, "%s%s %%%s", i ? ", " : "", x[i].shape, x[i].name);
	fprintf(p->f, ")%s%s", *attributes ? ", " : "", attributes);
	metadata(p, name);
	return v;
}

static struct val unary(struct program *p, const char *name, struct val a)
{
	return op(p, name, a.shape, 1, &a, "%s", "");
}

static struct val binary(struct program *p, const char *name, struct val a, struct val b)
{
	struct val x[2] = { a, b };

	return op(p, name, a.shape, 2, x, "%s", "");
}

static struct val broadcast(struct program *p, struct val a, const char *shape, const char *dims)
{
	return op(p, "broadcast", shape, 1, &a, "dimensions={%s}", dims);
}

static struct val scalar(struct program *p, const char *value, const char *shape)
{
	return broadcast(p, constant(p, value), shape, "");
}

static struct val reduce(struct program *p, const char *how, const char *zero, struct val a, const char *shape,
			 int dim)
{
	struct val x[2] = { a, constant(p, zero) };

	return op(p, "reduce", shape, 2, x, "dimensions={%d}, to_apply=%%%s", dim, how);
}

static struct val reshape(struct program *p, struct val a, const char *shape)
{
	return op(p, "reshape", shape, 1, &a, "%s", "");
}

static struct val transpose(struct program *p, struct val a, const char *shape)
{
	return op(p, "transpose", shape, 1, &a, "dimensions={0,2,1,3}");
}

/* The last dimension of a with the first of w. */
static struct val dot(struct program *p, struct val a, int last, struct val w, const char *shape)
{
	struct val x[2] = { a, w };

	return op(p, "dot", shape, 2, x, "lhs_contracting_dims={%d}, rhs_contracting_dims={0}", last);
}

static struct val all_reduce(struct program *p, struct val a)
{
	int i;
	struct val v;

	if (p->tp == 1)
		return a;
	v = start(p, "all-reduce", a.shape);
	fprintf(p->f, "all-reduce(%s %%%s), channel_id=%d, replica_groups={{", a.shape, a.name, p->next);
	for (i = 0; i < p->tp; i++)
		fprintf(p->f, "%s%d", i ? "," : "", i);
	fprintf(p->f, "}}, use_global_device_ids=true, to_apply=%%add_f32");
	metadata(p, "psum");
	return v;
}

struct text {
	char s[64];
};

static struct text shape(const char *type, int n, ...)
{
	struct text t;
	int i, at = snprintf(t.s, sizeof t.s, "%s[", type);
	va_list ap;

	va_start(ap, n);
	for (i = 0; i < n; i++)
		at += snprintf(t.s + at, sizeof t.s - at, "%s%d", i ? "," : "", va_arg(ap, int));
	va_end(ap);
	at += snprintf(t.s + at, sizeof t.s - at, "]{");
	for (i = n - 1; i >= 0; i--)
		at += snprintf(t.s + at, sizeof t.s - at, "%d%s", i, i ? "," : "");
	snprintf(t.s + at, sizeof t.s - at, "}");
	return t;
}

static struct val rms_norm(struct program *p, struct val x, struct val weight)
{
	struct text row = shape("f32", 2, p->s.batch, p->s.length);
	struct text kept = shape("f32", 3, p->s.batch, p->s.length, 1);
	struct val mean, scale;
	char width[16];

	p->scope = "rms_norm";
	snprintf(width, sizeof width, "%d", p->s.hidden);
	mean = reduce(p, "add_f32", "0", binary(p, "multiply", x, x), row.s, 2);
	mean = reshape(p, mean, kept.s);
	mean = binary(p, "divide", mean, scalar(p, width, kept.s));
	scale = unary(p, "rsqrt", binary(p, "add", mean, scalar(p, "1e-05", kept.s)));
	x = binary(p, "multiply", x, broadcast(p, reshape(p, scale, row.s), x.shape, "0,1"));
	return binary(p, "multiply", x, broadcast(p, weight, x.shape, "2"));
}

static struct val half(struct program *p, struct val x, int heads, int from)
{
	const struct sizes *s = &p->s;
	struct text part = shape("f32", 4, s->batch, heads, s->length, s->head_dim / 2);

	return op(p, "slice", part.s, 1, &x, "slice={[0:%d], [0:%d], [0:%d], [%d:%d]}", s->batch, heads, s->length,
		  from, from + s->head_dim / 2);
}

/* x cos + rotate_half(x) sin */
static struct val rotary(struct program *p, struct val x, int heads, struct val cos, struct val sin)
{
	struct val x1, parts[2], turned;

	p->scope = "rotary";
	x1 = half(p, x, heads, 0);
	parts[0] = unary(p, "negate", half(p, x, heads, p->s.head_dim / 2));
	parts[1] = x1;
	turned = op(p, "concatenate", x.shape, 2, parts, "dimensions={3}");
	x = binary(p, "multiply", x, broadcast(p, cos, x.shape, "2,3"));
	turned = binary(p, "multiply", turned, broadcast(p, sin, turned.shape, "2,3"));
	return binary(p, "add", x, turned);
}

static struct val heads_of(struct program *p, struct val h, struct val w, int heads)
{
	const struct sizes *s = &p->s;
	struct val x = dot(p, h, 2, w, shape("f32", 3, s->batch, s->length, heads * s->head_dim).s);

	x = reshape(p, x, shape("f32", 4, s->batch, s->length, heads, s->head_dim).s);
	return transpose(p, x, shape("f32", 4, s->batch, heads, s->length, s->head_dim).s);
}

static struct val repeat_heads(struct program *p, struct val x, int heads, int times)
{
	const struct sizes *s = &p->s;

	p->scope = "repeat_heads";
	x = broadcast(p, x, shape("f32", 5, s->batch, heads, times, s->length, s->head_dim).s, "0,1,3,4");
	return reshape(p, x, shape("f32", 4, s->batch, heads * times, s->length, s->head_dim).s);
}

static struct val causal(struct program *p, struct val scores, int heads)
{
	const struct sizes *s = &p->s;
	struct text square = shape("s32", 2, s->length, s->length);
	struct val rc[2], x[3];

	p->scope = "causal";
	rc[0] = op(p, "iota", square.s, 0, NULL, "iota_dimension=0");
	rc[1] = op(p, "iota", square.s, 0, NULL, "iota_dimension=1");
	x[0] = op(p, "compare", shape("pred", 2, s->length, s->length).s, 2, rc, "direction=GE");
	x[0] = broadcast(p, x[0], shape("pred", 4, s->batch, heads, s->length, s->length).s, "2,3");
	x[1] = scores;
	x[2] = scalar(p, "-1e+09", scores.shape);
	return op(p, "select", scores.shape, 3, x, "%s", "");
}

/* Along the last dimension, through the form that keeps it, as JAX does. */
static struct val spread(struct program *p, struct val x, const char *kept, const char *row, const char *shape)
{
	return broadcast(p, reshape(p, reshape(p, x, kept), row), shape, "0,1,2");
}

static struct val softmax(struct program *p, struct val x, int heads)
{
	struct text row = shape("f32", 3, p->s.batch, heads, p->s.length);
	struct text kept = shape("f32", 4, p->s.batch, heads, p->s.length, 1);
	struct val e, top;

	p->scope = "softmax";
	top = reduce(p, "max_f32", "-inf", x, row.s, 3);
	top = binary(p, "maximum", scalar(p, "-inf", row.s), top);
	e = unary(p, "exponential", binary(p, "subtract", x, spread(p, top, kept.s, row.s, x.shape)));
	return binary(p, "divide", e, spread(p, reduce(p, "add_f32", "0", e, row.s, 3), kept.s, row.s, x.shape));
}

static struct val attend(struct program *p, struct val q, struct val k, struct val v, int heads)
{
	static const char *const batch = "lhs_batch_dims={0,1}, lhs_contracting_dims={3}, rhs_batch_dims={0,1}, ";
	const struct sizes *s = &p->s;
	struct val x[2] = { q, k };
	struct text scores = shape("f32", 4, s->batch, heads, s->length, s->length);

	p->scope = "attention";
	x[0] = op(p, "dot", scores.s, 2, x, "%srhs_contracting_dims={3}", batch);
	x[0] = binary(p, "multiply", x[0], scalar(p, s->head_dim == 16 ? "0.25" : "0.0883883461", scores.s));
	x[0] = softmax(p, causal(p, x[0], heads), heads);
	x[1] = v;
	p->scope = "attention";
	x[0] = op(p, "dot", q.shape, 2, x, "%srhs_contracting_dims={2}", batch);
	x[0] = transpose(p, x[0], shape("f32", 4, s->batch, s->length, heads, s->head_dim).s);
	return reshape(p, x[0], shape("f32", 3, s->batch, s->length, heads * s->head_dim).s);
}

static struct val attention(struct program *p, struct val x, const struct val *w, struct val cos, struct val sin)
{
	int heads = p->s.heads / p->tp, kv = p->s.kv_heads / p->tp;
	struct val h = rms_norm(p, x, w[0]), q, k, v;

	p->scope = "qkv";
	q = heads_of(p, h, w[1], heads);
	k = heads_of(p, h, w[2], kv);
	v = heads_of(p, h, w[3], kv);
	q = rotary(p, q, heads, cos, sin);
	k = repeat_heads(p, rotary(p, k, kv, cos, sin), kv, heads / kv);
	v = repeat_heads(p, v, kv, heads / kv);
	h = dot(p, attend(p, q, k, v, heads), 2, w[4], x.shape);
	return binary(p, "add", x, all_reduce(p, h));
}

static struct val mlp(struct program *p, struct val x, const struct val *w)
{
	struct text wide = shape("f32", 3, p->s.batch, p->s.length, p->s.ff / p->tp);
	struct val h = rms_norm(p, x, w[0]), gate, one;

	p->scope = "mlp";
	gate = dot(p, h, 2, w[1], wide.s);
	one = scalar(p, "1", wide.s);		/* the logistic function written out, as PyTorch lowers it */
	one = binary(p, "divide", one, binary(p, "add", one, unary(p, "exponential", unary(p, "negate", gate))));
	gate = binary(p, "multiply", gate, one);
	h = dot(p, binary(p, "multiply", gate, dot(p, h, 2, w[2], wide.s)), 2, w[3], x.shape);
	return binary(p, "add", x, p->layer == p->leave_out ? h : all_reduce(p, h));
}

/* The weights of a layer in the order of their parameters. */
static const struct {
	const char *name;
	int rows, columns;	/* 0: a vector; D: hidden, H: heads, K: key heads, F: inner width */
	int sharded;		/* dimension, -1: none */
} weights[] = {
	{ "attn_norm", 0, 'D', -1 }, { "wq", 'D', 'H', 1 }, { "wk", 'D', 'K', 1 }, { "wv", 'D', 'K', 1 }, { "wo", 'H', 'D', 0 },
	{ "mlp_norm", 0, 'D', -1 }, { "w_gate", 'D', 'F', 1 }, { "w_up", 'D', 'F', 1 }, { "w_down", 'F', 'D', 0 },
};
enum { WEIGHTS = sizeof weights / sizeof *weights };

static int extent(const struct program *p, int what)
{
	const struct sizes *s = &p->s;

	return what == 'D' ? s->hidden : what == 'H' ? s->heads * s->head_dim / p->tp :
	       what == 'K' ? s->kv_heads * s->head_dim / p->tp : s->ff / p->tp;
}

/* The shape of weight i, or of as many of them stacked. */
static struct text weight_shape(const struct program *p, int i, int stacked)
{
	int n = extent(p, weights[i].columns), rows = weights[i].rows ? extent(p, weights[i].rows) : 0;

	if (!stacked)
		return rows ? shape("f32", 2, rows, n) : shape("f32", 1, n);
	return rows ? shape("f32", 3, stacked, rows, n) : shape("f32", 2, stacked, n);
}

static void layer(struct program *p, struct val *x, struct val cos, struct val sin)
{
	struct val w[WEIGHTS];
	int i;

	p->line = 0;
	for (i = 0; i < WEIGHTS; i++)
		w[i] = parameter(p, weight_shape(p, i, 0).s, "layers.%d.%s", p->layer, weights[i].name);
	*x = mlp(p, attention(p, *x, w, cos, sin), w + 5);
}

static FILE *create(const char *out, const char *suffix)
{
	char path[4096];
	FILE *f;

	snprintf(path, sizeof path, "%s%s", out, suffix);
	f = fopen(path, "w");
	if (!f) {
		perror(path);
		exit(2);
	}
	return f;
}

static void done(FILE *f)
{
	if (fclose(f)) {
		perror("gen_layers");
		exit(2);
	}
}

static void header(struct program *p)
{
	static const char *const region = "%%%s_f32 (a: f32[], b: f32[]) -> f32[] {\n  %%a = f32[] parameter(0)\n"
		"  %%b = f32[] parameter(1)\n  ROOT %%%s = f32[] %s(f32[] %%a, f32[] %%b)\n}\n\n";

	fprintf(p->f, "HloModule jit_model, num_partitions=%d\n\n", p->tp);
	fprintf(p->f, region, "add", "sum", "add");
	fprintf(p->f, region, "max", "top", "maximum");
}

static void write_program(struct program *p, int layers)
{
	struct text t = shape("f32", 3, p->s.batch, p->s.length, p->s.hidden);
	struct text angles = shape("f32", 2, p->s.length, p->s.head_dim);
	struct val x, cos, sin;

	header(p);
	fprintf(p->f, "ENTRY %%main {\n");
	x = parameter(p, t.s, "x");
	cos = parameter(p, angles.s, "cos");
	sin = parameter(p, angles.s, "sin");
	for (p->layer = 0; p->layer < layers; p->layer++)
		layer(p, &x, cos, sin);
	fprintf(p->f, "  ROOT %%out = (%s) tuple(%s %%%s)\n}\n", x.shape, x.shape, x.name);
	done(p->f);
}

/* ---- as a loop */

enum { COUNTER, X, COS, SIN, FIRST_WEIGHT, CARRIED = FIRST_WEIGHT + WEIGHTS };

struct carried {
	char shape[CARRIED][64], tuple[CARRIED * 72];
};

static struct carried carried_shapes(const struct program *p, int layers)
{
	struct carried c;
	size_t at = 0;
	int i;

	strcpy(c.shape[COUNTER], "s32[]");
	memcpy(c.shape[X], shape("f32", 3, p->s.batch, p->s.length, p->s.hidden).s, sizeof c.shape[X]);
	memcpy(c.shape[COS], shape("f32", 2, p->s.length, p->s.head_dim).s, sizeof c.shape[COS]);
	memcpy(c.shape[SIN], c.shape[COS], sizeof c.shape[SIN]);
	for (i = 0; i < WEIGHTS; i++)
		memcpy(c.shape[FIRST_WEIGHT + i], weight_shape(p, i, layers).s, sizeof c.shape[0]);
	for (i = 0; i < CARRIED; i++)
		at += (size_t)snprintf(c.tuple + at, sizeof c.tuple - at, "%s%s", i ? ", " : "(", c.shape[i]);
	snprintf(c.tuple + at, sizeof c.tuple - at, ")");
	return c;
}

static void unpack(struct program *p, const struct carried *c, const char *tuple, struct val *out)
{
	int i;

	for (i = 0; i < CARRIED; i++) {
		out[i] = start(p, "get-tuple-element", c->shape[i]);
		fprintf(p->f, "get-tuple-element(%s %%%s), index=%d\n", c->tuple, tuple, i);
	}
}

static void pack(struct program *p, const struct carried *c, const char *name, const struct val *x)
{
	int i;

	fprintf(p->f, "  %s = %s tuple(", name, c->tuple);
	for (i = 0; i < CARRIED; i++)
		fprintf(p->f, "%s%s %%%s", i ? ", " : "", x[i].shape, x[i].name);
	fprintf(p->f, ")\n");
}

static struct val number(struct program *p, int n)
{
	struct val v = start(p, "constant", "s32[]");

	fprintf(p->f, "constant(%d)\n", n);
	return v;
}

/* Weight i of this trip out of the stack. */
static struct val one_of(struct program *p, int i, struct val stack, struct val at, struct val zero)
{
	int rank = weights[i].rows ? 3 : 2, n = extent(p, weights[i].columns), rows = weights[i].rows ? extent(p, weights[i].rows) : n;
	struct val x[4] = { stack, at, zero, zero };
	struct text one = weight_shape(p, i, 1);

	x[0] = rank == 3 ? op(p, "dynamic-slice", one.s, 4, x, "dynamic_slice_sizes={1,%d,%d}", rows, n)
			 : op(p, "dynamic-slice", one.s, 3, x, "dynamic_slice_sizes={1,%d}", n);
	return reshape(p, x[0], weight_shape(p, i, 0).s);
}

static void write_body(struct program *p, const struct carried *c)
{
	struct val v[CARRIED], w[WEIGHTS], zero;
	int i;

	fprintf(p->f, "%%body {\n  %%carried = %s parameter(0)\n", c->tuple);
	p->scope = "scan";
	unpack(p, c, "carried", v);
	zero = number(p, 0);
	for (i = 0; i < WEIGHTS; i++)
		w[i] = one_of(p, i, v[FIRST_WEIGHT + i], v[COUNTER], zero);
	v[X] = mlp(p, attention(p, v[X], w, v[COS], v[SIN]), w + 5);
	v[COUNTER] = binary(p, "add", v[COUNTER], number(p, 1));
	pack(p, c, "ROOT %next", v);
	fprintf(p->f, "}\n\n");
}

static void write_condition(struct program *p, const struct carried *c, int layers)
{
	fprintf(p->f, "%%condition {\n  %%carried = %s parameter(0)\n", c->tuple);
	fprintf(p->f, "  %%at = s32[] get-tuple-element(%s %%carried), index=0\n  %%layers = s32[] constant(%d)\n", c->tuple, layers);
	fprintf(p->f, "  ROOT %%more = pred[] compare(s32[] %%at, s32[] %%layers), direction=LT\n}\n\n");
}

static void write_scan(struct program *p, int layers)
{
	struct carried c = carried_shapes(p, layers);
	struct val v[CARRIED];
	int i;

	header(p);
	write_body(p, &c);
	write_condition(p, &c, layers);
	fprintf(p->f, "ENTRY %%main {\n");
	v[X] = parameter(p, c.shape[X], "x");
	v[COS] = parameter(p, c.shape[COS], "cos");
	v[SIN] = parameter(p, c.shape[SIN], "sin");
	for (i = 0; i < WEIGHTS; i++)
		v[FIRST_WEIGHT + i] = parameter(p, c.shape[FIRST_WEIGHT + i], "layers.%s", weights[i].name);
	v[COUNTER] = number(p, 0);
	pack(p, &c, "%first", v);
	fprintf(p->f, "  %%scan = %s while(%s %%first), condition=%%condition, body=%%body\n", c.tuple, c.tuple);
	unpack(p, &c, "scan", v);
	fprintf(p->f, "  ROOT %%out = (%s) tuple(%s %%%s)\n}\n", v[X].shape, v[X].shape, v[X].name);
	done(p->f);
}

static void write_plan(const char *out, int tp, bool scan)
{
	FILE *f = create(out, ".plan");
	int i;

	fprintf(f, "mesh tp=%d\ninput x R\ninput cos R\ninput sin R\n", tp);
	for (i = 0; i < WEIGHTS; i++) {
		fprintf(f, "input layers.%s%s ", scan ? "" : "*.", weights[i].name);
		fprintf(f, weights[i].sharded < 0 ? "R\n" : "tp:S(%d)\n", weights[i].sharded + scan);
	}
	fprintf(f, "output 0 R\n");
	done(f);
}

static int usage(void)
{
	fprintf(stderr, "usage: gen_layers [-l LAYERS] [-t TP] [-m LAYER] [-r] [-s] OUT\n");
	return 2;
}

int main(int argc, char **argv)
{
	struct program p = { .s = small, .tp = 1, .leave_out = -1 };
	int c, layers = 1, tp = 2, leave_out = -1;
	bool scan = false;

	while ((c = getopt(argc, argv, "l:t:m:rs")) != -1) {
		if (c == 'l')
			layers = atoi(optarg);
		else if (c == 't')
			tp = atoi(optarg);
		else if (c == 'm')
			leave_out = atoi(optarg);
		else if (c == 'r')
			p.s = real;
		else if (c == 's')
			scan = true;
		else
			return usage();
	}
	if (optind + 1 != argc || layers < 1 || tp < 1 || p.s.kv_heads % tp || p.s.ff % tp)
		return usage();
	p.f = create(argv[optind], ".base.hlo");
	(scan ? write_scan : write_program)(&p, layers);
	p = (struct program){ .s = p.s, .tp = tp, .leave_out = scan && leave_out >= 0 ? 0 : leave_out, .f = create(argv[optind], ".dist.hlo") };
	(scan ? write_scan : write_program)(&p, layers);
	write_plan(argv[optind], tp, scan);
	return 0;
}
