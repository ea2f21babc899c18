/* test_numbers.c - tempting but wrong distributed programs must differ in numbers, right ones must not.
 *
 * A relation is a letter per array: R whole, P part of a sum, M part of a
 * maximum, 0 or 1 sharded along that dimension, over all devices in order.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "hlo/hlo_text.h"
#include "interp/numbers.h"

#define OP2(name, op, t) name " { a = " t "[] parameter(0)\n b = " t "[] parameter(1)\n ROOT r = " t "[] " op "(a, b) }\n"
#define FNS OP2("add", "add", "f32") OP2("mx", "maximum", "f32") OP2("addb", "add", "bf16") \
	"below { a = f32[] parameter(0)\nb = f32[] parameter(1)\nc = s32[] parameter(2)\nd = s32[] parameter(3)\n" \
	"ROOT r = pred[] compare(a, b), direction=LT }\n"
#define AR "replica_groups={}, to_apply=add"

enum { MOST = 8 };

/* Sharding of one dimension over N devices: [outer, N * part, inner]. */
struct shard { int n; int64_t outer, part, inner; };

static void shard_map(void *ctx, int device, int64_t from, int64_t n, int64_t *index)
{
	const struct shard *s = ctx;
	int64_t k;

	for (k = 0; k < n; k++) {
		int64_t at = from + k, i = at % s->inner, p = at / s->inner % s->part, o = at / s->inner / s->part;

		index[k] = (o * s->n * s->part + device * s->part + p) * s->inner + i;
	}
}

static module *entry(const char *body)
{
	struct diag err;
	char *t, buf[1200];
	module *m;

	if (asprintf(&t, "HloModule t\n%sENTRY main {\n%s\n}\n", FNS, body) < 0)
		abort();
	m = hlo_read_text("test", t, strlen(t), &err);
	if (!m)
		fail_msg("%s\n%s", diag_text(&err, buf, sizeof buf), t);
	free(t);
	return m;
}

static const int parts[MOST] = { 0, 1, 2, 3, 4, 5, 6, 7 };

static numbers_relation relation(char c, int global, const shape *whole, int n, struct shard *s)
{
	numbers_relation r = { .global = global };
	int k, d = c - '0';

	if (c == 'P' || c == 'M') {
		r.fold = c == 'P' ? NUMBERS_SUM : NUMBERS_MAX;
		r.nparts = n;
		r.part = parts;
	} else if (c != 'R') {
		*s = (struct shard){ n, 1, whole->dim[d] / n, 1 };
		for (k = 0; k < whole->rank; k++)
			*(k < d ? &s->outer : &s->inner) *= k == d ? 1 : whole->dim[k];
		r.map = shard_map;
		r.ctx = s;
	}
	return r;
}

struct pair {
	module *base, *dist;
	numbers_global global[MOST];
	numbers_relation in[MOST], whole[MOST];
	struct shard shard[MOST + 1];
	numbers_check check;
	numbers_problem p;
};

static void pair_init(struct pair *q, const char *base, const char *dist, const char *in, char out, int n)
{
	int k;

	memset(q, 0, sizeof *q);
	q->base = entry(base);
	q->dist = entry(dist);
	for (k = 0; k < q->base->entry->nparam; k++) {
		const shape *s = q->base->entry->param[k]->shape;

		q->global[k] = (numbers_global){ .type = s->type, .n = shape_elements(s) };
		q->whole[k] = (numbers_relation){ .global = k };
		q->in[k] = relation(in[k], k, s, n, &q->shard[k]);
	}
	q->check.n = shape_elements(q->base->entry->root->shape);
	q->check.dist.rel = relation(out, 0, q->base->entry->root->shape, n, &q->shard[MOST]);
	q->p = (numbers_problem){ .base = { q->base, 1, 1, q->whole }, .dist = { q->dist, n, 1, q->in },
				  .nglobal = q->base->entry->nparam, .global = q->global, .ncheck = 1, .check = &q->check };
}

static void pair_free(struct pair *q)
{
	module_free(q->base);
	module_free(q->dist);
}

static numbers_result run(const struct pair *q, enum numbers_kind kind, uint64_t seed)
{
	numbers *n = numbers_new(&q->p);
	numbers_result r = numbers_run(n, kind, seed);

	if (r.verdict == NUMBERS_REFUSED)
		fail_msg("%s: %s", r.where ? r.where->name : "", r.why);
	numbers_free(n);
	return r;
}

/* Equal on every kind of numbers, or different on at least one. */
static void expect(const char *name, bool equal, const char *base, const char *dist, const char *in, char out, int n,
		   enum interp_reading how)
{
	struct pair q;
	bool differ = false;
	int k;

	pair_init(&q, base, dist, in, out, n);
	q.p.reading = how;
	for (k = 0; k < NUMBERS_KINDS; k++) {
		numbers_result r = run(&q, (enum numbers_kind)k, 7 + (uint64_t)k);

		assert_true(r.compared > 0);
		if (r.verdict == NUMBERS_DIFFER && equal)
			fail_msg("%s: %s numbers differ: %g and %g at %lld on device %d", name, numbers_kind_name((enum numbers_kind)k),
				 r.base, r.dist, (long long)r.local, r.device);
		differ |= r.verdict == NUMBERS_DIFFER;
	}
	if (!equal && !differ)
		fail_msg("%s: no numbers differ", name);
	pair_free(&q);
}

#define P1 "p = f32[4] parameter(0)\n"
#define B1 "b = f32[4] parameter(1)\n"
#define ONE "o = f32[] constant(1)\nw = f32[4] broadcast(o), dimensions={}\n"

static const struct { const char *name; bool equal; const char *base, *dist, *in; char out; } cases[] = {
	{ "all-reduce of a part", true, "ROOT " P1, P1 "ROOT r = f32[4] all-reduce(p), " AR, "P", 'R' },
	{ "X1 bias before the sum", false, P1 B1 "ROOT r = f32[4] add(p, b)", P1 B1 "q = f32[4] add(p, b)\nROOT r = f32[4] all-reduce(q), " AR, "PR", 'R' },
	{ "bias after the sum", true, P1 B1 "ROOT r = f32[4] add(p, b)", P1 B1 "q = f32[4] all-reduce(p), " AR "\nROOT r = f32[4] add(q, b)", "PR", 'R' },
	{ "bias that is a part too", true, P1 B1 "ROOT r = f32[4] add(p, b)", P1 B1 "q = f32[4] add(p, b)\nROOT r = f32[4] all-reduce(q), " AR, "PP", 'R' },
	{ "X2 part plus constant", false, P1 ONE "ROOT r = f32[4] add(p, w)", P1 ONE "ROOT r = f32[4] add(p, w)", "P", 'P' },
	{ "X3 product of parts", false, P1 B1 "ROOT r = f32[4] multiply(p, b)", P1 B1 "ROOT r = f32[4] multiply(p, b)", "PP", 'P' },
	{ "part times whole", true, P1 B1 "ROOT r = f32[4] multiply(p, b)", P1 B1 "ROOT r = f32[4] multiply(p, b)", "PR", 'P' },
	{ "X4 dot of parts", false, P1 B1 "ROOT r = f32[] dot(p, b), lhs_contracting_dims={0}, rhs_contracting_dims={0}",
	  P1 B1 "ROOT r = f32[] dot(p, b), lhs_contracting_dims={0}, rhs_contracting_dims={0}", "PP", 'P' },
	{ "dot over a sharded contraction", true, P1 B1 "ROOT r = f32[] dot(p, b), lhs_contracting_dims={0}, rhs_contracting_dims={0}",
	  "p = f32[2] parameter(0)\nb = f32[2] parameter(1)\nROOT r = f32[] dot(p, b), lhs_contracting_dims={0}, rhs_contracting_dims={0}", "00", 'P' },
	{ "X5 abs of a part", false, P1 "ROOT r = f32[4] abs(p)", P1 "ROOT r = f32[4] abs(p)", "P", 'P' },
	{ "X5 tanh of a part", false, P1 "ROOT r = f32[4] tanh(p)", P1 "ROOT r = f32[4] tanh(p)", "P", 'P' },
	{ "negated part", true, P1 "ROOT r = f32[4] negate(p)", P1 "ROOT r = f32[4] negate(p)", "P", 'P' },
	{ "X6 divided by a part", false, P1 ONE "ROOT r = f32[4] divide(w, p)", P1 ONE "ROOT r = f32[4] divide(w, p)", "P", 'P' },
	{ "X9 maximum of a part of a sum", false, P1 B1 "ROOT r = f32[4] maximum(p, b)", P1 B1 "ROOT r = f32[4] maximum(p, b)", "PR", 'M' },
	{ "maximum of a part of a maximum", true, P1 B1 "ROOT r = f32[4] maximum(p, b)", P1 B1 "ROOT r = f32[4] maximum(p, b)", "MR", 'M' },
	{ "X10 sum of parts of maxima", false, P1 B1 "ROOT r = f32[4] add(p, b)", P1 B1 "ROOT r = f32[4] add(p, b)", "MM", 'M' },
	{ "X11 negated part of a maximum", false, P1 "ROOT r = f32[4] negate(p)", P1 "ROOT r = f32[4] negate(p)", "M", 'M' },
	{ "X13 select between part and whole", false, "m = pred[4] parameter(0)\np = f32[4] parameter(1)\nb = f32[4] parameter(2)\nROOT r = f32[4] select(m, p, b)",
	  "m = pred[4] parameter(0)\np = f32[4] parameter(1)\nb = f32[4] parameter(2)\nROOT r = f32[4] select(m, p, b)", "RPR", 'P' },
	{ "X14 padding a part with one", false, P1 "o = f32[] constant(1)\nROOT r = f32[5] pad(p, o), padding=0_1", P1 "o = f32[] constant(1)\nROOT r = f32[5] pad(p, o), padding=0_1", "P", 'P' },
	{ "padding a part with zero", true, P1 "o = f32[] constant(0)\nROOT r = f32[5] pad(p, o), padding=0_1", P1 "o = f32[] constant(0)\nROOT r = f32[5] pad(p, o), padding=0_1", "P", 'P' },
	{ "X15 all-reduce of a replica", false, "ROOT " P1, P1 "ROOT r = f32[4] all-reduce(p), " AR, "R", 'R' },
	{ "X16 all-reduce twice", false, "ROOT " P1, P1 "q = f32[4] all-reduce(p), " AR "\nROOT r = f32[4] all-reduce(q), " AR, "P", 'R' },
	{ "maximum twice", true, "ROOT " P1, P1 "q = f32[4] all-reduce(p), replica_groups={}, to_apply=mx\nROOT r = f32[4] all-reduce(q), replica_groups={}, to_apply=mx", "M", 'R' },
	{ "X18 initial value on every device", false, P1 "o = f32[] constant(1)\nROOT r = f32[] reduce(p, o), dimensions={0}, to_apply=add",
	  "p = f32[2] parameter(0)\no = f32[] constant(1)\nROOT r = f32[] reduce(p, o), dimensions={0}, to_apply=add", "0", 'P' },
	{ "reduce over a sharded dimension", true, P1 "o = f32[] constant(0)\nROOT r = f32[] reduce(p, o), dimensions={0}, to_apply=add",
	  "p = f32[2] parameter(0)\no = f32[] constant(0)\nROOT r = f32[] reduce(p, o), dimensions={0}, to_apply=add", "0", 'P' },
	{ "X20 all-gather in another order", false, "ROOT " P1, "p = f32[2] parameter(0)\nROOT r = f32[4] all-gather(p), replica_groups={{1,0}}, dimensions={0}", "0", 'R' },
	{ "all-gather", true, "ROOT " P1, "p = f32[2] parameter(0)\nROOT r = f32[4] all-gather(p), replica_groups={{0,1}}, dimensions={0}", "0", 'R' },
	{ "X21 slice of a shard", false, P1 "ROOT r = f32[2] slice(p), slice={[0:2]}", "p = f32[2] parameter(0)\nROOT r = f32[1] slice(p), slice={[0:1]}", "0", '0' },
	{ "X22 concatenate along the sharded dimension", false, P1 B1 "ROOT r = f32[8] concatenate(p, b), dimensions={0}",
	  "p = f32[2] parameter(0)\nb = f32[2] parameter(1)\nROOT r = f32[4] concatenate(p, b), dimensions={0}", "00", '0' },
	{ "X24 merging reshape", false, "p = f32[2,4] parameter(0)\nROOT r = f32[8] reshape(p)", "p = f32[2,2] parameter(0)\nROOT r = f32[4] reshape(p)", "1", '0' },
	{ "merging reshape of the outer factor", true, "p = f32[4,2] parameter(0)\nROOT r = f32[8] reshape(p)", "p = f32[2,2] parameter(0)\nROOT r = f32[4] reshape(p)", "0", '0' },
	{ "X28 dynamic-slice past the end", false, P1 "i = s32[] constant(3)\nROOT r = f32[2] dynamic-slice(p, i), dynamic_slice_sizes={2}",
	  P1 "a = f32[1] slice(p), slice={[3:4]}\nz = f32[] constant(0)\nROOT r = f32[2] pad(a, z), padding=0_1", "R", 'R' },
	{ "X29 a device nobody sends to", false, "ROOT " P1, P1 "ROOT r = f32[4] collective-permute(p), source_target_pairs={{0,1}}", "R", 'R' },
	{ "X30 cumulative sum of a shard", false, P1 "z = f32[] constant(0)\nROOT r = f32[4] reduce-window(p, z), window={size=4 pad=3_0}, to_apply=add",
	  "p = f32[2] parameter(0)\nz = f32[] constant(0)\nROOT r = f32[2] reduce-window(p, z), window={size=2 pad=1_0}, to_apply=add", "0", '0' },
	{ "reduce-scatter of a part", true, "ROOT " P1, P1 "ROOT r = f32[2] reduce-scatter(p), replica_groups={{0,1}}, dimensions={0}, to_apply=add", "P", '0' },
	{ "X34 quotient of equals", false, P1 ONE "ROOT r = f32[4] copy(w)", P1 "ROOT r = f32[4] divide(p, p)", "R", 'R' },
	{ "integers: halves of a sum", false, "p = s32[4] parameter(0)\nb = s32[4] parameter(1)\nc = s32[4] add(p, b)\no = s32[] constant(2)\nw = s32[4] broadcast(o), dimensions={}\nROOT r = s32[4] divide(c, w)",
	  "p = s32[4] parameter(0)\nb = s32[4] parameter(1)\no = s32[] constant(2)\nw = s32[4] broadcast(o), dimensions={}\nc = s32[4] divide(p, w)\nd = s32[4] divide(b, w)\nROOT r = s32[4] add(c, d)", "RR", 'R' },
};

static void test_tempting(void **state)
{
	size_t k;

	(void)state;
	for (k = 0; k < sizeof cases / sizeof *cases; k++)
		expect(cases[k].name, cases[k].equal, cases[k].base, cases[k].dist, cases[k].in, cases[k].out, 2, INTERP_REALS);
}

static void test_rounding(void **state)
{
	(void)state;
	expect("X7 parts rounded to bf16", false, P1 "ROOT r = bf16[4] convert(p)", P1 "q = bf16[4] convert(p)\nROOT r = bf16[4] all-reduce(q), replica_groups={}, to_apply=addb",
	       "P", 'R', 2, INTERP_DECLARED);
	expect("X8 through bf16 and back", false, "ROOT " P1, P1 "q = bf16[4] convert(p)\nROOT r = f32[4] convert(q)", "R", 'R', 2, INTERP_DECLARED);
	expect("through bf16 and back over the reals", true, "ROOT " P1, P1 "q = bf16[4] convert(p)\nROOT r = f32[4] convert(q)", "R", 'R', 2, INTERP_REALS);
}

/* The first difference is named by its place, and the same seed gives the same numbers. */
static void test_first_difference(void **state)
{
	struct pair q;
	numbers_result a, b;

	(void)state;
	pair_init(&q, "ROOT " P1, "p = f32[2] parameter(0)\no = f32[2] constant({0, 1})\nROOT r = f32[2] add(p, o)", "0", '0', 2);
	a = run(&q, NUMBERS_INTEGERS, 3);
	b = run(&q, NUMBERS_INTEGERS, 3);
	assert_int_equal(a.verdict, NUMBERS_DIFFER);
	assert_int_equal(a.device, 0);
	assert_int_equal(a.local, 1);
	assert_int_equal(a.global, 1);
	assert_true(a.dist == a.base + 1 && a.base == b.base && a.error == b.error);
	assert_int_equal(a.compared, 4);
	pair_free(&q);
}

static void test_scale(void **state)
{
	struct pair q;

	(void)state;
	pair_init(&q, "ROOT " P1, "ROOT " P1, "P", 'P', 4);
	q.in[0].scale = 4;
	q.check.dist.rel.scale = 4;
	assert_int_equal(run(&q, NUMBERS_NORMAL, 1).verdict, NUMBERS_EQUAL);
	q.check.dist.rel.scale = 2;
	assert_int_equal(run(&q, NUMBERS_NORMAL, 1).verdict, NUMBERS_DIFFER);
	pair_free(&q);
}

/* Two axes: parts over the inner one, whole over the outer, each device's group its own. */
static void test_groups(void **state)
{
	static const int part[4] = { 0, 1, 0, 1 }, group[4] = { 0, 0, 1, 1 };
	struct pair q;

	(void)state;
	pair_init(&q, "ROOT " P1, P1 "ROOT r = f32[4] all-reduce(p), replica_groups={{0,1},{2,3}}, to_apply=add", "P", 'R', 4);
	q.in[0].nparts = 2;
	q.in[0].part = part;
	assert_int_equal(run(&q, NUMBERS_NORMAL, 1).verdict, NUMBERS_EQUAL);
	pair_free(&q);
	pair_init(&q, "ROOT " P1, "ROOT " P1, "P", 'P', 4);
	q.in[0].nparts = q.check.dist.rel.nparts = 2;
	q.in[0].part = q.check.dist.rel.part = part;
	q.check.dist.rel.group = group;
	assert_int_equal(run(&q, NUMBERS_NORMAL, 1).verdict, NUMBERS_EQUAL);
	pair_free(&q);
}

/* [3] padded to 4 on two devices: the last place is arbitrary, or zero. */
static int64_t outside;

static void pad_map(void *ctx, int device, int64_t from, int64_t n, int64_t *index)
{
	int64_t k;

	(void)ctx;
	for (k = 0; k < n; k++) {
		index[k] = device * n + from + k;
		if (index[k] >= 3)
			index[k] = outside;
	}
}

static void test_padding(void **state)
{
	struct pair q;
	const char *sum = "z = f32[] constant(0)\nROOT r = f32[] reduce(p, z), dimensions={0}, to_apply=add";
	char base[256], dist[256];

	(void)state;
	snprintf(base, sizeof base, "p = f32[3] parameter(0)\n%s", sum);
	snprintf(dist, sizeof dist, "p = f32[2] parameter(0)\n%s", sum);
	pair_init(&q, base, dist, "R", 'P', 2);
	q.in[0].map = pad_map;
	outside = NUMBERS_ZERO;
	assert_int_equal(run(&q, NUMBERS_NORMAL, 1).verdict, NUMBERS_EQUAL);
	outside = NUMBERS_ANY;
	assert_int_equal(run(&q, NUMBERS_NORMAL, 1).verdict, NUMBERS_DIFFER);
	pair_free(&q);
	pair_init(&q, "p = f32[3] parameter(0)\nROOT r = f32[3] exponential(p)", "p = f32[2] parameter(0)\nROOT r = f32[2] exponential(p)", "R", 'R', 2);
	q.in[0].map = q.check.dist.rel.map = pad_map;
	assert_int_equal(run(&q, NUMBERS_NORMAL, 1).verdict, NUMBERS_EQUAL);
	assert_int_equal(run(&q, NUMBERS_NORMAL, 1).compared, 3);
	outside = NUMBERS_ZERO;
	assert_int_equal(run(&q, NUMBERS_NORMAL, 1).verdict, NUMBERS_DIFFER);
	pair_free(&q);
}

static double device_number(void *ctx, int device)
{
	(void)ctx;
	return device;
}

/* A parameter without counterpart, a range, an inner instruction compared. */
static void test_values_and_obligations(void **state)
{
	struct pair q;
	numbers_relation in[2];

	(void)state;
	pair_init(&q, "p = f32[2,3] parameter(0)\nq = f32[2,3] negate(p)\nROOT r = f32[2,3] add(p, q)",
		  "i = u32[] parameter(0)\np = f32[2,3] parameter(1)\nj = s32[] convert(i)\nz = s32[] constant(0)\n"
		  "n = f32[1,3] dynamic-slice(p, j, z), dynamic_slice_sizes={1,3}\nm = f32[1,3] negate(n)\nROOT r = f32[1,3] add(n, m)", "R", '0', 2);
	in[0] = (numbers_relation){ .global = -1, .value = device_number };
	in[1] = q.in[0];
	q.p.dist.input = in;
	q.global[0].bounded = true;
	q.global[0].lo = 5;
	q.global[0].hi = 6;
	assert_int_equal(run(&q, NUMBERS_NORMAL, 1).verdict, NUMBERS_EQUAL);
	q.check.base.inst = comp_inst(q.base->entry, "q");
	q.check.dist.inst = comp_inst(q.dist->entry, "m");
	assert_int_equal(run(&q, NUMBERS_NORMAL, 1).verdict, NUMBERS_EQUAL);
	q.check.dist.inst = comp_inst(q.dist->entry, "n");
	assert_int_equal(run(&q, NUMBERS_NORMAL, 1).verdict, NUMBERS_DIFFER);
	assert_true(run(&q, NUMBERS_NORMAL, 1).dist >= 5);
	pair_free(&q);
}

/* The distributed program starts at an inner value of the baseline: what it computes, or a cut. */
static void test_inner_values(void **state)
{
	struct pair q;
	numbers_relation whole[1], in[1];
	numbers_global g[2];

	(void)state;
	pair_init(&q, P1 "t = f32[4] tanh(p)\nROOT r = f32[4] exponential(t)", "t = f32[2] parameter(0)\nROOT r = f32[2] exponential(t)", "0", '0', 2);
	g[0] = q.global[0];
	g[1] = (numbers_global){ .type = T_F32, .n = 4, .inst = comp_inst(q.base->entry, "t") };
	whole[0] = q.whole[0];
	in[0] = q.in[0];
	in[0].global = 1;
	q.p.nglobal = 2;
	q.p.global = g;
	q.p.base.input = whole;
	q.p.dist.input = in;
	assert_int_equal(run(&q, NUMBERS_NORMAL, 1).verdict, NUMBERS_EQUAL);
	g[1].cut = true;
	assert_int_equal(run(&q, NUMBERS_NORMAL, 1).verdict, NUMBERS_EQUAL);
	g[1].inst = NULL;
	assert_int_equal(run(&q, NUMBERS_NORMAL, 1).verdict, NUMBERS_DIFFER);
	pair_free(&q);
}

static int stop(void *ctx, double done, double total)
{
	(void)ctx;
	(void)done;
	(void)total;
	return 1;
}

static void test_refusals(void **state)
{
	struct pair q;
	numbers *n;
	numbers_result r;

	(void)state;
	pair_init(&q, "ROOT " P1, P1 "ROOT r = f32[4] custom-call(p), custom_call_target=\"foo\"", "R", 'R', 2);
	n = numbers_new(&q.p);
	r = numbers_run(n, NUMBERS_NORMAL, 1);
	assert_int_equal(r.verdict, NUMBERS_REFUSED);
	assert_true(r.in_dist && r.where && strstr(r.why, "foo"));
	numbers_free(n);
	pair_free(&q);
	pair_init(&q, P1 "ROOT r = f32[4] negate(p)", P1 "ROOT r = f32[4] negate(p)", "R", 'R', 2);
	q.p.progress = stop;
	n = numbers_new(&q.p);
	r = numbers_run(n, NUMBERS_NORMAL, 1);
	assert_true(r.verdict == NUMBERS_REFUSED && r.stopped && !r.in_dist);
	numbers_free(n);
	pair_free(&q);
}

/* 80 steps of a logistic map, x <- 3.9 x (1 - x) or 3.9 x - 3.9 x^2. */
static char *logistic_map(bool expanded)
{
	char *t;
	size_t n;
	FILE *f = open_memstream(&t, &n);
	int k;

	fprintf(f, P1 "s = f32[4] logistic(p)\nc = f32[] constant(3.9)\nf = f32[4] broadcast(c), dimensions={}\n"
		"d = f32[] constant(1)\no = f32[4] broadcast(d), dimensions={}\nx0 = f32[4] copy(s)\n");
	for (k = 0; k < 80; k++)
		if (expanded)
			fprintf(f, "a%d = f32[4] multiply(f, x%d)\nb%d = f32[4] multiply(a%d, x%d)\nx%d = f32[4] subtract(a%d, b%d)\n",
				k, k, k, k, k, k + 1, k, k);
		else
			fprintf(f, "a%d = f32[4] subtract(o, x%d)\nb%d = f32[4] multiply(a%d, x%d)\nx%d = f32[4] multiply(f, b%d)\n",
				k, k, k, k, k, k + 1, k);
	fprintf(f, "ROOT r = f32[4] copy(x%d)", k);
	fclose(f);
	return t;
}

static numbers_result run_pair(const char *base, const char *dist)
{
	struct pair q;
	numbers *n;
	numbers_result r;

	pair_init(&q, base, dist, "R", 'R', 2);
	n = numbers_new(&q.p);
	r = numbers_run(n, NUMBERS_NORMAL, 1);
	numbers_free(n);
	pair_free(&q);
	return r;
}

/* Programs equal over the reals whose numbers part by rounding alone are not told to differ; those that differ beyond it are. */
static void test_rounding_alone(void **state)
{
	char *map = logistic_map(false), *expanded = logistic_map(true);
	numbers_result r;

	(void)state;
	r = run_pair(map, expanded);
	assert_true(r.verdict == NUMBERS_REFUSED && r.overflow && strstr(r.why, "rounding"));
	r = run_pair(map, map);
	assert_int_equal(r.verdict, NUMBERS_EQUAL);
	r = run_pair(P1 "ROOT r = f32[4] logistic(p)", P1 "s = f32[4] logistic(p)\nc = f32[] constant(1.00001)\n"
		     "m = f32[4] broadcast(c), dimensions={}\nROOT r = f32[4] multiply(s, m)");
	assert_int_equal(r.verdict, NUMBERS_DIFFER);
	free(map);
	free(expanded);
}

/* Wide numbers whose order is told by a function that doubles are too short for: they tie, and rounding decides. */
static void test_rounding_ties(void **state)
{
	static const char *const key[] = { "tanh(p)", "logistic(p)", "erf(p)", "divide(o, q)", "negate(p)" };
	static const char before[] = "p = f32[64] parameter(0)\ni = s32[64] iota(), iota_dimension=0\nn = f32[64] negate(p)\n"
		"e = f32[64] exponential(n)\none = f32[] constant(1)\no = f32[64] broadcast(one), dimensions={}\nq = f32[64] add(o, e)\n";
	static const char after[] = "s = (f32[64], s32[64]) sort(t, i), dimensions={0}, is_stable=true, to_apply=below\n"
		"ROOT r = s32[64] get-tuple-element(s), index=1\n";
	char text[2][1024];
	int k;

	(void)state;
	snprintf(text[0], sizeof text[0], "%st = f32[64] copy(p)\n%s", before, after);
	for (k = 0; k < 5; k++) {
		struct pair q;
		numbers *n;

		snprintf(text[1], sizeof text[1], "%st = f32[64] %s\n%s", before, key[k], after);
		pair_init(&q, text[0], text[1], "R", 'R', 2);
		n = numbers_new(&q.p);
		assert_int_equal(numbers_run(n, NUMBERS_WIDE, 1).verdict, k < 4 ? NUMBERS_REFUSED : NUMBERS_DIFFER);
		assert_int_equal(numbers_run(n, NUMBERS_NORMAL, 1).verdict, k < 4 ? NUMBERS_EQUAL : NUMBERS_DIFFER);
		numbers_free(n);
		pair_free(&q);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_tempting), cmocka_unit_test(test_rounding), cmocka_unit_test(test_first_difference),
		cmocka_unit_test(test_scale), cmocka_unit_test(test_groups), cmocka_unit_test(test_padding), cmocka_unit_test(test_values_and_obligations),
		cmocka_unit_test(test_inner_values), cmocka_unit_test(test_refusals), cmocka_unit_test(test_rounding_alone), cmocka_unit_test(test_rounding_ties),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
