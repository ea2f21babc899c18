/* Normal forms: the worked examples by rule names, unions that come late,
 * absurd hypotheses, pairs of writings of one expression, undo and redo. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include <glob.h>
#include "core/renewal.h"
#include "lab.h"
#include "prim/prim.h"
#include "problem/problem.h"
#include "random_hlo.h"
#include "util/hash.h"

#ifndef SRCDIR
#define SRCDIR "."
#endif

#define ADD "add {\n a = f32[] parameter(0)\n b = f32[] parameter(1)\n ROOT r = f32[] add(a, b)\n}\n"
#define SUM2 "channel_id=1, replica_groups={{0,1}}, use_global_device_ids=true, to_apply=add"

static lab *run(const char *base, const char *dist, int64_t ndev, const char *in, const char *out)
{
	lab *b = lab_open(base, dist, ndev, in, out, NULL);

	pair_run(b->q);
	assert_false(b->q->cut);
	return b;
}

static layout form(lab *b, const char *name)
{
	return layout_of(&b->p->a, laid_cell(&b->p->a, lab_row(b, SIDE_DIST, name)->tensor));
}

static void is_digits(int n, const digit *d, int want, const digit *w)
{
	int k;

	assert_int_equal(n, want);
	for (k = 0; k < n; k++) {
		assert_int_equal(d[k].size, w[k].size);
		assert_int_equal(d[k].stride, w[k].stride);
	}
}

/* ---- the worked examples */

#define MLP_BASE "HloModule b\nENTRY e {\n x = f32[4,6] parameter(0)\n w1 = f32[6,8] parameter(1)\n w2 = f32[8,6] parameter(2)\n" \
	" h = f32[4,8] dot(x, w1), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n t = f32[4,8] tanh(h)\n" \
	" ROOT y = f32[4,6] dot(t, w2), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n}\n"
#define MLP_HEAD "HloModule d, num_partitions=2\n" ADD "ENTRY e {\n x = f32[4,6] parameter(0)\n w1 = f32[6,4] parameter(1)\n w2 = f32[4,6] parameter(2)\n" \
	" h = f32[4,4] dot(x, w1), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n t = f32[4,4] tanh(h)\n" \
	" p = f32[4,6] dot(t, w2), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n"
#define MLP_DIST MLP_HEAD " y = f32[4,6] all-reduce(p), " SUM2 "\n ROOT z = f32[4,6] exponential(y)\n}\n"

/* Nodes are built with merged labels, so that N2 does not show; d.h finds the core of b.h by its lift.  After the
 * lift of the all-reduce, N13 joins the two sums: that is the core of b.y. */
static void test_megatron(void **state)
{
	static const char *const want[] = { "lift-dot", "lift-tanh", "lift-dot", "lift-dot", "lift-tanh", "lift-dot", "lift-all-reduce", "N13" };
	lab *b = run(MLP_BASE, MLP_HEAD " ROOT y = f32[4,6] all-reduce(p), " SUM2 "\n}\n", 2, "R10", "R");
	uint32_t k, n = history_count(&b->p->a), at = 0;

	(void)state;
	for (k = 0; k < n; k++) {
		const char *rule = prover_rule_name(b->p, history_at(&b->p->a, k)->rule);
		if (!strcmp(rule, "given"))
			continue;
		if (at == sizeof want / sizeof *want)
			break;
		if (strcmp(rule, want[at]))
			fail_msg("firing %u is %s, not %s", k, rule, want[at]);
		at++;
	}
	assert_int_equal(at, sizeof want / sizeof *want);
	assert_true(lab_proved(b));
	assert_true(lab_related(b, "h", "h") && lab_related(b, "t", "t") && lab_related(b, "y", "y"));
	assert_false(lab_related(b, "y", "p"));
	is_digits(form(b, "h").nd, form(b, "h").dev, 1, (digit[]){ { 2, 4 } });
	is_digits(form(b, "h").nl, form(b, "h").loc, 2, (digit[]){ { 4, 8 }, { 4, 1 } });
	lab_free(b);
}

static void test_fused_qkv(void **state)
{
	lab *b = run("HloModule b\nENTRY e {\n x = f32[4,6] parameter(0)\n w = f32[6,12] parameter(1)\n"
		     " f = f32[4,12] dot(x, w), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n q = f32[4,6] slice(f), slice={[0:4], [0:6]}\n"
		     " k = f32[4,3] slice(f), slice={[0:4], [6:9]}\n v = f32[4,3] slice(f), slice={[0:4], [9:12]}\n"
		     " ROOT t = (f32[4,6], f32[4,3], f32[4,3]) tuple(q, k, v)\n}\n",
		     "HloModule d, num_partitions=3\nENTRY e {\n x = f32[4,6] parameter(0)\n w = f32[6,4] parameter(1)\n"
		     " f = f32[4,4] dot(x, w), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n q = f32[4,2] slice(f), slice={[0:4], [0:2]}\n"
		     " k = f32[4,1] slice(f), slice={[0:4], [2:3]}\n v = f32[4,1] slice(f), slice={[0:4], [3:4]}\n"
		     " wrong = f32[4,1] slice(f), slice={[0:4], [1:2]}\n"
		     " ROOT t = (f32[4,2], f32[4,1], f32[4,1], f32[4,1]) tuple(q, k, v, wrong)\n}\n", 3, "RG", "111A");

	(void)state;
	assert_true(lab_proved(b));
	assert_true(lab_related(b, "q", "q") && lab_related(b, "k", "k") && lab_related(b, "v", "v"));
	assert_false(lab_related(b, "f", "f"));	/* a bijection, no layout */
	assert_false(lab_related(b, "k", "wrong"));
	lab_free(b);
}

static void test_reshapes_of_one_shape(void **state)
{
	lab *b = run("HloModule b\nENTRY e {\n a = f32[4,6] parameter(0)\n b = f32[4,6] parameter(1)\n c = f32[2,2,6] reshape(a)\n"
		     " t = f32[2,2,6] transpose(c), dimensions={1,0,2}\n r = f32[4,6] reshape(t)\n ROOT s = f32[4,6] add(r, b)\n}\n",
		     "HloModule d\nENTRY e {\n a = f32[4,6] parameter(0)\n b = f32[4,6] parameter(1)\n c = f32[2,2,6] reshape(a)\n"
		     " r = f32[4,6] reshape(c)\n ROOT s = f32[4,6] add(r, b)\n}\n", 1, "RR", "R");

	(void)state;
	assert_true(lab_related(b, "r", "r"));	/* the residual permutation is in the layouts */
	assert_false(lab_related(b, "s", "s"));
	assert_false(lab_proved(b));
	lab_free(b);
}

#define SLICED(step) "HloModule d, num_partitions=4\nENTRY e {\n x = f32[8] parameter(0)\n p = u32[] partition-id()\n i = s32[] convert(p)\n" \
	" c = s32[] constant(" step ")\n s = s32[] multiply(i, c)\n ROOT y = f32[2] dynamic-slice(x, s), dynamic_slice_sizes={2}\n}\n"

static void test_slice_of_a_device(void **state)
{
	static const char base[] = "HloModule b\nENTRY e {\n x = f32[8] parameter(0)\n ROOT y = f32[8] copy(x)\n}\n";
	lab *b = run(base, SLICED("2"), 4, "R", "0");

	(void)state;
	assert_true(lab_proved(b));
	is_digits(form(b, "y").nd, form(b, "y").dev, 1, (digit[]){ { 4, 2 } });
	lab_free(b);
	b = run(base, SLICED("3"), 4, "R", "0");
	assert_false(lab_proved(b));
	assert_int_equal(core_len(&b->p->a, lab_core(b, SIDE_DIST, "y")), 8);
	assert_false(lab_related(b, "x", "y"));
	lab_free(b);
}

/* ---- unions after lifting */

static void assume_cores(lab *b, eg_id x, eg_id y)
{
	prover_assume(b->p, x, y);
	assert_true(prover_run(b->p, 20000));
	assert_null(eg_check(b->p->g));
}

static void test_union_after_lifting(void **state)
{
	lab *b = run("HloModule b\nENTRY e {\n x = f32[4] parameter(0)\n w = f32[6] parameter(1)\n"
		     " ROOT o = f32[4,6] dot(x, w)\n}\n",
		     "HloModule d, num_partitions=2\nENTRY e {\n x = f32[4] parameter(0)\n w = f32[6] parameter(1)\n"
		     " c = f32[4] custom-call(x), custom_call_target=\"Mark\"\n ROOT o = f32[4,6] dot(c, w)\n}\n", 2, "RR", "R");
	trail_mark m = trail_at(b->p->a.tr);

	(void)state;
	assert_false(lab_proved(b));
	assume_cores(b, lab_core(b, SIDE_DIST, "c"), lab_core(b, SIDE_BASE, "x"));
	assert_true(lab_related(b, "o", "o") && lab_proved(b));
	trail_undo(b->p->a.tr, m);
	assert_false(lab_related(b, "o", "o"));
	lab_free(b);
}

/* F is an opaque result in one graph; later somebody says what it is. */
static void test_assumed_later(void **state)
{
	lab *b = run("HloModule b\nENTRY e {\n x = f32[4,6] parameter(0)\n y = f32[4,6] parameter(1)\n s = f32[4,6] add(x, y)\n"
		     " t = f32[6,4] transpose(s), dimensions={1,0}\n m = f32[6,4] multiply(t, t)\n ROOT z = f32[6,4] add(m, t)\n}\n",
		     "HloModule d\nENTRY e {\n x = f32[4,6] parameter(0)\n y = f32[4,6] parameter(1)\n"
		     " F = f32[4,6] custom-call(x, y), custom_call_target=\"F\"\n m = f32[4,6] multiply(F, F)\n z = f32[4,6] add(F, m)\n"
		     " ROOT t = f32[6,4] transpose(z), dimensions={1,0}\n}\n", 1, "RR", "R");

	(void)state;
	assert_false(lab_proved(b));
	assume_cores(b, lab_core(b, SIDE_DIST, "F"), lab_core(b, SIDE_BASE, "s"));
	assert_true(lab_proved(b));
	lab_free(b);
}

/* (a F) b and a (F b), F being two things that become one. */
static void test_brackets_around_a_merged_class(void **state)
{
	lab *b = run("HloModule b\nENTRY e {\n a = f32[4,6] parameter(0)\n x = f32[6,5] parameter(1)\n b = f32[5,3] parameter(2)\n"
		     " F = f32[6,5] custom-call(x), custom_call_target=\"F\"\n l = f32[4,5] dot(a, F), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n"
		     " ROOT y = f32[4,3] dot(l, b), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n}\n",
		     "HloModule d\nENTRY e {\n a = f32[4,6] parameter(0)\n x = f32[6,5] parameter(1)\n b = f32[5,3] parameter(2)\n"
		     " G = f32[6,5] custom-call(x), custom_call_target=\"G\"\n r = f32[6,3] dot(G, b), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n"
		     " ROOT y = f32[4,3] dot(a, r), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n}\n", 1, "RRR", "R");
	trail_mark m = trail_at(b->p->a.tr);
	eg_id F = lab_core(b, SIDE_BASE, "F"), G = lab_core(b, SIDE_DIST, "G");

	(void)state;
	assert_false(lab_proved(b));
	assume_cores(b, F, G);
	assert_true(lab_proved(b));
	trail_undo(b->p->a.tr, m);
	assume_cores(b, G, F);
	assert_true(lab_proved(b));
	lab_free(b);
}

/* An all-reduce is missing; assumed R there, everything behind is related. */
static void test_assumed_all_reduce(void **state)
{
	lab *b = run("HloModule b\nENTRY e {\n x = f32[4,6] parameter(0)\n w1 = f32[6,8] parameter(1)\n w2 = f32[8,6] parameter(2)\n"
		     " h = f32[4,8] dot(x, w1), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n t = f32[4,8] tanh(h)\n"
		     " y = f32[4,6] dot(t, w2), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n a = f32[4,6] add(y, x)\n"
		     " ROOT z = f32[4,6] exponential(a)\n}\n",
		     MLP_HEAD " a = f32[4,6] add(p, x)\n ROOT z = f32[4,6] exponential(a)\n}\n", 2, "R10", "R");
	algebra *g = &b->p->a;
	layout y = layout_of(g, laid_cell(g, lab_row(b, SIDE_BASE, "y")->tensor));
	digit dev = { 2, 0 };
	eg_id want;

	(void)state;
	assert_false(lab_proved(b));
	y.ndev = 2;
	y.nd = 1;
	y.dev = &dev;
	want = layout_laid(g, &y, eg_args(g->g, laid_cell(g, lab_row(b, SIDE_BASE, "y")->tensor))[0]);
	assume_cores(b, lab_row(b, SIDE_DIST, "p")->tensor, want);
	assert_true(lab_related(b, "a", "a") && lab_related(b, "z", "z") && lab_proved(b));
	lab_free(b);
}

/* ---- absurd hypotheses end */

static void absurd(const char *body, const char *x, const char *y)
{
	char text[800];
	lab *b;
	bool idle;

	snprintf(text, sizeof text, "HloModule d\nENTRY e {\n x = f32[6] parameter(0)\n y = f32[6] parameter(1)\n v = f32[8] parameter(2)\n"
		 " c = f32[] constant(2)\n two = f32[6] broadcast(c), dimensions={}\n%s}\n", body);
	b = lab_alone(text, 1);
	pair_run(b->q);
	prover_assume(b->p, lab_core(b, SIDE_DIST, x), lab_core(b, SIDE_DIST, y));
	idle = prover_run(b->p, 3000);
	assert_null(eg_check(b->p->g));
	if (!idle)
		print_message("%s = %s is cut by the limit\n", x, y);
	lab_free(b);
}

static void test_absurd(void **state)
{
	(void)state;
	absurd(" ROOT d = f32[6] multiply(x, two)\n", "x", "d");
	absurd(" d = f32[6] add(x, y)\n ROOT e = f32[6] multiply(d, d)\n", "x", "d");
	absurd(" t = f32[8] broadcast(c), dimensions={}\n m = f32[8] multiply(v, t)\n a = f32[6] slice(m), slice={[0:6]}\n"
	       " ROOT b = f32[6] slice(v), slice={[0:6]}\n", "a", "b");
	absurd(" ROOT u = f32[6] tanh(x)\n", "x", "u");
	absurd(" r = f32[6] reverse(x), dimensions={0}\n ROOT s = f32[6] add(r, y)\n", "x", "r");
	absurd(" a = f32[6] multiply(x, y)\n b = f32[6] add(a, y)\n ROOT d = f32[6] multiply(b, y)\n", "x", "b");
	absurd(" a = f32[6] add(x, y)\n b = f32[6] tanh(a)\n ROOT d = f32[6] subtract(b, y)\n", "x", "d");
	absurd(" ROOT d = f32[6] multiply(x, x)\n", "x", "d");
}

/* A product does not take its mask into a sum that has the product as a term: y = a + y m would be taken into itself for ever. */
static void test_not_into_its_own_reader(void **state)
{
	lab *b = lab_alone("HloModule d\nENTRY e {\n x = f32[6] parameter(0)\n y = f32[6] parameter(1)\n m = f32[6] multiply(x, y)\n"
			   " q = f32[6] multiply(x, x)\n s = f32[6] add(m, y)\n ROOT t = (f32[6], f32[6]) tuple(s, q)\n}\n", 1);
	eg_id s, m, q;

	(void)state;
	pair_run(b->q);
	s = lab_core(b, SIDE_DIST, "s");
	m = lab_core(b, SIDE_DIST, "m");
	q = lab_core(b, SIDE_DIST, "q");
	assert_false(normal_opens(&b->p->a, s, m));
	assert_false(normal_opens(&b->p->a, s, s));
	assert_true(normal_opens(&b->p->a, s, q));
	assert_true(normal_opens(&b->p->a, m, s));
	lab_free(b);
}

static void ends(const char *body)
{
	char text[600];
	lab *b;

	snprintf(text, sizeof text, "HloModule d\nENTRY e {\n%s}\n", body);
	b = lab_alone(text, 1);
	pair_run(b->q);
	assert_false(b->q->cut);
	assert_true(history_count(&b->p->a) < 40);
	lab_free(b);
}

/* The window of a strided convolution may run over the operand or over the kernel: N8 chooses one and stays with it, also where
 * another label moves the operand, too. */
static void test_shifts_end(void **state)
{
	(void)state;
	ends(" x = f32[1,4,1] parameter(0)\n w = f32[2,1,2] parameter(1)\n"
	     " ROOT r = f32[1,3,2] convolution(x, w), window={size=2 stride=2 pad=1_1}, dim_labels=b0f_0io->b0f\n");
	ends(" x = f32[4,1,1,2] parameter(0)\n w = f32[1,1,2,2] parameter(1)\n"
	     " ROOT r = f32[2,1,3,3] convolution(x, w), window={size=1x2 stride=2x2 pad=0_2x1_1 lhs_dilate=2x1}, dim_labels=1bf0_i01o->fb01\n");
}

/* ---- all members of all classes of the case bank agree by numbers */

static int check_case(const char *base, const char *dist)
{
	struct problem_files files = { .base = base, .dist = dist, .rules = SRCDIR "/rules" };
	struct diag err;
	struct problem *p = problem_load(&files, &err);
	const char *why;
	core_eval e;
	eg_id x, y;

	if (!p)
		return 0;
	pair_run(p->q);
	core_eval_run(&e, &p->p->a, 3, false);
	why = core_eval_classes(&e, &x, &y);
	if (why)
		fail_msg("%s: %s", dist, why);
	core_eval_free(&e);
	problem_free(p);
	return 1;
}

static void test_cases_by_numbers(void **state)
{
	static const char *const kind[] = { "dist", "fixed" };
	glob_t g;
	size_t i, k;
	int done = 0;

	(void)state;
	if (glob(SRCDIR "/../shared/cases*/*.base.hlo", 0, NULL, &g))
		skip();
	for (i = 0; i < g.gl_pathc; i++)
		for (k = 0; k < 2; k++) {
			char dist[4096];
			snprintf(dist, sizeof dist, "%.*s%s.hlo", (int)(strlen(g.gl_pathv[i]) - strlen("base.hlo")), g.gl_pathv[i], kind[k]);
			done += check_case(g.gl_pathv[i], dist);
		}
	globfree(&g);
	assert_true(done > 50);
}

/* ---- two writings of one expression */

struct expr {
	int kind, n, rows, cols, lo;
	struct expr *sub[3];
};
enum { E_PARAM, E_SUM, E_PRODUCT, E_DOT, E_TRANSPOSE, E_SLICE, E_EXP, E_SCALE, E_MAX };

struct writer {
	arena *a;
	uint64_t s;
	const char *text;
	int n;
};

static int draw(struct writer *w, int n)
{
	w->s ^= w->s << 13;
	w->s ^= w->s >> 7;
	w->s ^= w->s << 17;
	return (int)(w->s * 0x2545f4914f6cdd1dull >> 33) % n;
}

/* Parameters: 0: 4x6, 1: 6x4, 2: 4x6, 3: 6x4, 4: 4x4, 5: 6x6 */
static struct expr *random_expr(struct writer *w, int rows, int cols, int depth)
{
	struct expr *e = arena_zalloc(w->a, sizeof *e);
	int k, inner;

	e->rows = rows;
	e->cols = cols;
	e->kind = depth ? 1 + draw(w, 8) : E_PARAM;
	if (e->kind == E_SLICE && (rows != 4 || cols != 4))
		e->kind = E_SUM;
	switch (e->kind) {
	case E_PARAM:
		e->n = rows == 4 ? cols == 6 ? 2 * draw(w, 2) : 4 : cols == 4 ? 1 + 2 * draw(w, 2) : 5;
		break;
	case E_SUM: case E_PRODUCT: case E_MAX:
		e->n = 2 + draw(w, 2);
		for (k = 0; k < e->n; k++)
			e->sub[k] = random_expr(w, rows, cols, depth - 1);
		break;
	case E_DOT:
		inner = draw(w, 2) ? 4 : 6;
		e->sub[0] = random_expr(w, rows, inner, depth - 1);
		e->sub[1] = random_expr(w, inner, cols, depth - 1);
		break;
	case E_TRANSPOSE:
		e->sub[0] = random_expr(w, cols, rows, depth - 1);
		break;
	case E_SLICE:		/* rows lo..lo+3 of six */
		e->lo = draw(w, 3);
		e->sub[0] = random_expr(w, 6, 4, depth - 1);
		break;
	default:
		e->lo = 2 + draw(w, 3);
		e->sub[0] = random_expr(w, rows, cols, depth - 1);
	}
	return e;
}

static int put(struct writer *w, int rows, int cols, const char *right)
{
	w->text = arena_printf(w->a, "%s v%d = f32[%d,%d] %s\n", w->text, w->n, rows, cols, right);
	return w->n++;
}

static int put2(struct writer *w, const char *op, int rows, int cols, int x, int y)
{
	return put(w, rows, cols, arena_printf(w->a, "%s(v%d, v%d)", op, x, y));
}

/* What stands outside of e: a transposition, a slice of rows (lo < 0: none). */
static int write_expr(struct writer *w, const struct expr *e, bool turned, int lo)
{
	int rows = lo >= 0 ? 4 : e->rows, cols = e->cols, k, v, x, y, order[3] = { 0, 1, 2 };
	const char *op = e->kind == E_SUM ? "add" : e->kind == E_PRODUCT ? "multiply" : "maximum";

	if ((turned || lo >= 0) && (e->kind == E_PARAM || draw(w, 2))) {	/* here, not further inside */
		v = write_expr(w, e, false, -1);
		if (lo >= 0)
			v = put(w, 4, e->cols, arena_printf(w->a, "slice(v%d), slice={[%d:%d], [0:%d]}", v, lo, lo + 4, e->cols));
		return turned ? put(w, cols, rows, arena_printf(w->a, "transpose(v%d), dimensions={1,0}", v)) : v;
	}
	if (turned) {
		int t = rows;
		rows = cols;
		cols = t;
	}
	switch (e->kind) {
	case E_PARAM:
		return put(w, e->rows, e->cols, arena_printf(w->a, "copy(p%d)", e->n));
	case E_SUM: case E_PRODUCT: case E_MAX:
		for (k = e->n - 1; k > 0; k--) {
			int j = draw(w, k + 1), t = order[k];
			order[k] = order[j];
			order[j] = t;
		}
		v = write_expr(w, e->sub[order[0]], turned, lo);
		for (k = 1; k < e->n; k++) {
			x = write_expr(w, e->sub[order[k]], turned, lo);
			v = draw(w, 2) ? put2(w, op, rows, cols, v, x) : put2(w, op, rows, cols, x, v);
		}
		return v;
	case E_DOT:	/* slices go to the left factor; (a b)^T = b^T a^T */
		x = write_expr(w, e->sub[0], turned, lo);
		y = write_expr(w, e->sub[1], turned, -1);
		if (turned) {
			k = x;
			x = y;
			y = k;
		}
		if (draw(w, 2))
			return put(w, rows, cols, arena_printf(w->a, "dot(v%d, v%d), lhs_contracting_dims={1}, rhs_contracting_dims={0}", x, y));
		v = put(w, cols, rows, arena_printf(w->a, "dot(v%d, v%d), lhs_contracting_dims={0}, rhs_contracting_dims={1}", y, x));
		return put(w, rows, cols, arena_printf(w->a, "transpose(v%d), dimensions={1,0}", v));
	case E_TRANSPOSE:
		if (lo >= 0) {	/* no slice of columns is written */
			v = write_expr(w, e, false, -1);
			v = put(w, 4, e->cols, arena_printf(w->a, "slice(v%d), slice={[%d:%d], [0:%d]}", v, lo, lo + 4, e->cols));
			return turned ? put(w, rows, cols, arena_printf(w->a, "transpose(v%d), dimensions={1,0}", v)) : v;
		}
		return write_expr(w, e->sub[0], !turned, -1);
	case E_SLICE:
		return write_expr(w, e->sub[0], turned, e->lo);
	case E_EXP:
		v = write_expr(w, e->sub[0], turned, lo);
		return put(w, rows, cols, arena_printf(w->a, "tanh(v%d)", v));
	default:	/* scaled: by a constant, by repeated sums, or from the left */
		v = write_expr(w, e->sub[0], turned, lo);
		if (draw(w, 2)) {
			x = v;
			for (k = 1; k < e->lo; k++)
				v = put2(w, "add", rows, cols, v, x);
			return v;
		}
		k = w->n++;
		w->text = arena_printf(w->a, "%s v%d = f32[] constant(%d)\n", w->text, k, e->lo);
		k = put(w, rows, cols, arena_printf(w->a, "broadcast(v%d), dimensions={}", k));
		return put2(w, "multiply", rows, cols, k, v);
	}
}

static const char *written(struct writer *w, const struct expr *e)
{
	static const int dim[6][2] = { { 4, 6 }, { 6, 4 }, { 4, 6 }, { 6, 4 }, { 4, 4 }, { 6, 6 } };
	int k, v;

	w->n = 0;
	w->text = "HloModule m\nENTRY e {\n";
	for (k = 0; k < 6; k++)
		w->text = arena_printf(w->a, "%s p%d = f32[%d,%d] parameter(%d)\n", w->text, k, dim[k][0], dim[k][1], k);
	v = write_expr(w, e, false, -1);
	return arena_printf(w->a, "%s ROOT r = f32[%d,%d] copy(v%d)\n}\n", w->text, e->rows, e->cols, v);
}

static bool reads_operands(const algebra *a, eg_id n)
{
	eg_fam f = eg_op_family(a->g, eg_node_op(a->g, n));

	return f == a->fam[C_MAP] || f == a->fam[C_SUM] || f == a->fam[C_MUL] || f == a->fam[C_EIN] || f == a->fam[C_RED];
}

/* Of every node that is known to be as closing it again makes it, the primitive is asked anew. */
static int check_known(const lab *b)
{
	algebra *a = &b->p->a;
	uint32_t n, nn = eg_nnode(a->g);
	bool *known = calloc(nn + 1, sizeof *known);
	volatile int cnt = 0;

	for (n = 0; n < nn; n++)
		cnt += known[n] = !eg_dead(a->g, n) && reads_operands(a, n) && renewal_is_known(a, n, RENEWED_AS_READ, renewal_pattern(a, n));
	a->tr->undos++;		/* all is forgotten */
	for (n = 0; n < nn; n++)
		if (known[n] && !setjmp(a->s.out) && prim_pairing_merge(a, n) != NIL)
			fail_msg("node %u was known to stay", n);
	free(known);
	return cnt;
}

/* Ties beyond 120 orders, and products that are not spread over sums, may keep two writings apart: few. */
static void test_writings(void **state)
{
	int n = 500, missed = 0, known = 0, k;
	arena a;

	(void)state;
	arena_init(&a);
	for (k = 0; k < n; k++) {
		arena_mark m = arena_at(&a);
		struct writer w = { &a, (uint64_t)(k + 1) * 0x9e3779b97f4a7c15ull, NULL, 0 };
		struct expr *e = random_expr(&w, draw(&w, 2) ? 4 : 6, draw(&w, 2) ? 4 : 6, 2 + draw(&w, 2));
		const char *x = written(&w, e), *y = written(&w, e);
		lab *b = lab_open(x, y, 1, "RRRRRR", "R", NULL);
		pair_run(b->q);
		if (!lab_proved(b)) {
			missed++;
			print_message("seed %d: two writings do not meet\n", k);
		}
		known += check_known(b);
		lab_free(b);
		arena_reset(&a, m);
	}
	arena_free(&a);
	assert_true(missed <= n / 50);
	assert_true(known > n);
}

/* ---- undo and redo */

static uint64_t print_of(const lab *b)
{
	const prover *p = b->p;
	const algebra *a = &p->a;
	uint32_t n, k, nn = eg_nnode(p->g);
	uint64_t h = hash_bytes(&(uint32_t[]){ nn, eg_nclass(p->g), eg_nedge(p->g), history_count(a), a->normal->npending,
					       (uint32_t)pair_position(b->q), a->bent.n, a->range.n, a->searching }, 36, 1);

	for (n = 0; n < nn; n++) {
		const step *s = normal_step(a, n);
		uint32_t narg = eg_narg(p->g, n), root = eg_root(p->g, n);
		const standing *own = &VEC_AT(standing, &a->normal->standing, n), *of = &VEC_AT(standing, &a->normal->standing, root);
		h = hash_bytes(&(uint32_t[]){ eg_node_op(p->g, n), root, eg_dead(p->g, n), VEC_AT(uint32_t, &a->facts, n),
					      own->pending, of->head, of->norm, s ? s->to : NIL, s ? s->rule : NIL,
					      eg_next_in_class(p->g, n) }, 40, h);
		for (k = 0; k < narg; k++)
			h = hash_bytes(&(uint32_t[]){ eg_args(p->g, n)[k], eg_current(p->g, n)[k] }, 8, h);
		h = hash_bytes(core_of(a, n), sizeof(core_info), h);
	}
	return h;
}

/* What is counted of each rule is what the log holds. */
static void check_counts(const lab *b)
{
	uint32_t nrule = rules_n(b->p->r), i, n;
	uint32_t *fired = calloc(nrule + 1, sizeof *fired);

	for (i = n = 0; i < history_count(&b->p->a); i++)
		if (history_at(&b->p->a, i)->rule < nrule)
			fired[history_at(&b->p->a, i)->rule]++;
		else
			n++;
	for (i = 0; i < nrule; i++)
		assert_int_equal(history_fired(&b->p->a, i), fired[i]);
	assert_int_equal(history_fired(&b->p->a, RULE_GIVEN) + history_fired(&b->p->a, RULE_ASSUMED) + history_fired(&b->p->a, RULE_FALLBACK), n);
	free(fired);
}

static void check_undo(const char *text, int64_t ndev, uint64_t seed)
{
	lab *b = lab_alone(text, ndev);
	uint64_t *print = NULL;
	trail_mark *mark = NULL;
	int n = 0, cap = 0, k, i;

	while (!pair_done(b->q) && n < 3000) {
		if (n == cap) {
			cap = cap ? 2 * cap : 256;
			print = realloc(print, sizeof *print * (size_t)cap);
			mark = realloc(mark, sizeof *mark * (size_t)cap);
		}
		mark[n] = trail_at(b->p->a.tr);
		print[n++] = print_of(b);
		pair_move(b->q);
	}
	for (i = 0; i < 4; i++) {	/* back in leaps, forward again */
		for (k = n - 1; k >= 0; k -= 1 + (int)((seed + (uint64_t)i) % 5)) {
			trail_undo(b->p->a.tr, mark[k]);
			if (print_of(b) != print[k])
				fail_msg("seed %llu: undone to move %d of %d, the state is another\n%s", (unsigned long long)seed, k, n, strstr(text, "ENTRY"));
		}
		assert_null(eg_check(b->p->g));
		check_counts(b);
		for (k = k < 0 ? k + 1 + (int)((seed + (uint64_t)i) % 5) : k; k < n; k++) {
			if (trail_at(b->p->a.tr) != mark[k] || print_of(b) != print[k])
				fail_msg("seed %llu: redone to move %d of %d, the state is another\n%s", (unsigned long long)seed, k, n, strstr(text, "ENTRY"));
			pair_move(b->q);
		}
		check_counts(b);
	}
	free(print);
	free(mark);
	lab_free(b);
}

static void test_undo(void **state)
{
	uint64_t s;
	arena a;

	(void)state;
	arena_init(&a);
	for (s = 1; s <= 60; s++) {
		arena_mark m = arena_at(&a);
		random_program r = random_hlo(&a, s, RF_COUNT, 6);
		check_undo(r.text, r.replicas * r.partitions, s);
		arena_reset(&a, m);
	}
	arena_free(&a);
	check_undo(MLP_DIST, 2, 3);
}

/* A rule off: its steps go, unions stay.  On again: normal nodes are as before. */
static void test_switch(void **state)
{
	lab *b = run(MLP_BASE, MLP_DIST, 2, "R10", "A");
	uint32_t n13 = prover_rule_named(b->p, "N13"), k;
	eg_id y = lab_core(b, SIDE_DIST, "y"), was = normal_node(&b->p->a, y);
	trail_mark m = trail_at(b->p->a.tr);
	uint64_t before = print_of(b);

	(void)state;
	for (k = 0; k < 3; k++) {
		assert_true(lab_related(b, "y", "y"));
		prover_switch(b->p, n13, false);
		assert_true(prover_run(b->p, 10000));
		assert_false(prover_rule_on(b->p, n13));
		assert_true(lab_related(b, "y", "y"));
		for (eg_id n = 0; n < eg_nnode(b->p->g); n++) {
			const step *s = normal_step(&b->p->a, n);
			assert_false(s && s->to != NIL && s->rule == n13);
		}
		prover_switch(b->p, n13, true);
		assert_true(prover_run(b->p, 10000));
		assert_int_equal(normal_node(&b->p->a, lab_core(b, SIDE_DIST, "y")), was);
	}
	trail_undo(b->p->a.tr, m);
	assert_true(print_of(b) == before);
	lab_free(b);
	b = lab_open(MLP_BASE, MLP_HEAD " ROOT y = f32[4,6] all-reduce(p), " SUM2 "\n}\n", 2, "R10", "R", NULL);
	prover_switch(b->p, prover_rule_named(b->p, "N13"), false);
	pair_run(b->q);
	assert_false(lab_proved(b));
	prover_switch(b->p, prover_rule_named(b->p, "N13"), true);
	assert_true(prover_run(b->p, 10000));
	assert_true(lab_proved(b));
	lab_free(b);
}

/* ---- what is read as it was before it was pushed or cut */

#define MAXIMUM "maximum {\n a = f32[] parameter(0)\n b = f32[] parameter(1)\n ROOT r = f32[] maximum(a, b)\n}\n"
/* Causal attention of h heads over scores s and values v of 4 places. */
#define ATTEND(h) " i = s32[" h ",4,4] iota(), iota_dimension=1\n j = s32[" h ",4,4] iota(), iota_dimension=2\n" \
	" c = pred[" h ",4,4] compare(i, j), direction=GE\n z = f32[] constant(0)\n n = f32[] constant(-inf)\n" \
	" nb = f32[" h ",4,4] broadcast(n), dimensions={}\n m = f32[" h ",4,4] select(c, s, nb)\n" \
	" x = f32[" h ",4] reduce(m, n), dimensions={2}, to_apply=maximum\n xb = f32[" h ",4,4] broadcast(x), dimensions={0,1}\n" \
	" d = f32[" h ",4,4] subtract(m, xb)\n e = f32[" h ",4,4] exponential(d)\n" \
	" l = f32[" h ",4] reduce(e, z), dimensions={2}, to_apply=add\n lb = f32[" h ",4,4] broadcast(l), dimensions={0,1}\n" \
	" p = f32[" h ",4,4] divide(e, lb)\n" \
	" o = f32[" h ",4] dot(p, v), lhs_batch_dims={0}, lhs_contracting_dims={2}, rhs_batch_dims={0}, rhs_contracting_dims={1}\n"
#define HEADS_BASE "HloModule b\n" MAXIMUM ADD "ENTRY e {\n s = f32[2,4,4] parameter(0)\n v = f32[2,4] parameter(1)\n" ATTEND("2") \
	" ROOT y = f32[2,4] copy(o)\n}\n"
#define HEADS_DIST(operands) "HloModule d, num_partitions=2\n" MAXIMUM ADD "ENTRY e {\n s = f32[1,4,4] parameter(0)\n" \
	" v = f32[1,4] parameter(1)\n" ATTEND("1") " o0 = f32[1,2] slice(o), slice={[0:1],[0:2]}\n" \
	" o1 = f32[1,2] slice(o), slice={[0:1],[2:4]}\n" \
	" a = (f32[1,2], f32[1,2]) all-to-all(" operands "), channel_id=1, replica_groups={{0,1}}\n" \
	" a0 = f32[1,2] get-tuple-element(a), index=0\n a1 = f32[1,2] get-tuple-element(a), index=1\n" \
	" ROOT y = f32[2,2] concatenate(a0, a1), dimensions={0}\n}\n"
/* Sums over devices of [2,3,5] and [2,3], by one all-reduce of both side by side, taken apart from `second` on. */
#define TOGETHER_BASE "HloModule b\n" ADD "ENTRY e {\n x = f32[2,3,5,4] parameter(0)\n w = f32[2,3,4] parameter(1)\n" \
	" r = f32[2,3] parameter(2)\n z = f32[] constant(0)\n t = f32[2,3] tanh(r)\n tb = f32[2,3,5] broadcast(t), dimensions={0,1}\n" \
	" xs = f32[2,3,5] reduce(x, z), dimensions={3}, to_apply=add\n ws = f32[2,3] reduce(w, z), dimensions={2}, to_apply=add\n" \
	" o = f32[2,3,5] multiply(xs, tb)\n l = f32[2,3] multiply(ws, t)\n ROOT y = (f32[2,3,5], f32[2,3]) tuple(o, l)\n}\n"
#define TOGETHER_DIST(second) "HloModule d, num_partitions=2\n" ADD "ENTRY e {\n x = f32[2,3,5,2] parameter(0)\n" \
	" w = f32[2,3,2] parameter(1)\n r = f32[2,3] parameter(2)\n z = f32[] constant(0)\n t = f32[2,3] tanh(r)\n" \
	" tb = f32[2,3,5] broadcast(t), dimensions={0,1}\n xs = f32[2,3,5] reduce(x, z), dimensions={3}, to_apply=add\n" \
	" ws = f32[2,3] reduce(w, z), dimensions={2}, to_apply=add\n o = f32[2,3,5] multiply(xs, tb)\n l = f32[2,3] multiply(ws, t)\n" \
	" of = f32[30] reshape(o)\n lf = f32[6] reshape(l)\n c = f32[36] concatenate(of, lf), dimensions={0}\n" \
	" a = f32[36] all-reduce(c), " SUM2 "\n oa = f32[30] slice(a), slice={[0:30]}\n la = f32[6] slice(a), slice={[" second "]}\n" \
	" oy = f32[2,3,5] reshape(oa)\n ly = f32[2,3] reshape(la)\n ROOT y = (f32[2,3,5], f32[2,3]) tuple(oy, ly)\n}\n"

static bool proves_on(int ndev, const char *base, const char *dist, const char *in, const char *out, const char *without)
{
	lab *b = lab_open(base, dist, ndev, in, out, without);
	bool yes;

	pair_run(b->q);
	assert_false(b->q->cut);
	yes = lab_proved(b);
	lab_free(b);
	return yes;
}

static bool proves(const char *base, const char *dist, const char *in, const char *out, const char *without)
{
	return proves_on(2, base, dist, in, out, without);
}

/* Parts of an attention over which places pass are its rows, though each alone sums over fewer places. */
static void test_parts_of_one_core(void **state)
{
	(void)state;
	assert_true(proves(HEADS_BASE, HEADS_DIST("o0, o1"), "00", "1", NULL));
	assert_false(proves(HEADS_BASE, HEADS_DIST("o1, o0"), "00", "1", NULL));
	assert_false(proves(HEADS_BASE, HEADS_DIST("o0, o0"), "00", "1", NULL));
	assert_false(proves(HEADS_BASE, HEADS_DIST("o0, o1"), "00", "0", NULL));
}

/* Windows of 3 places over rows of 8 on 4 devices: each gets the last place of the device before and the first of the one
 * after, or what stands beyond the ends. */
#define WINDOW_BASE(op, init) "HloModule b\n" MAXIMUM ADD "ENTRY e {\n x = f32[2,8] parameter(0)\n i = f32[] constant(" init ")\n" \
	" ROOT y = f32[2,8] reduce-window(x, i), window={size=1x3 pad=0_0x1_1}, to_apply=" op "\n}\n"
#define WINDOW_DIST(op, init, beyond, after) "HloModule d, num_partitions=4\n" MAXIMUM ADD "ENTRY e {\n x = f32[2,2] parameter(0)\n" \
	" i = f32[] constant(" init ")\n v = f32[] constant(" beyond ")\n vb = f32[2,1] broadcast(v), dimensions={}\n" \
	" r = u32[] partition-id()\n n0 = u32[] constant(0)\n n3 = u32[] constant(3)\n" \
	" a = pred[] compare(r, n0), direction=EQ\n ab = pred[2,1] broadcast(a), dimensions={}\n" \
	" z = pred[] compare(r, n3), direction=EQ\n zb = pred[2,1] broadcast(z), dimensions={}\n" \
	" l = f32[2,1] slice(x), slice={[0:2],[1:2]}\n lp = f32[2,1] collective-permute(l), channel_id=1, source_target_pairs={{0,1},{1,2},{2,3}}\n" \
	" f = f32[2,1] slice(x), slice={[0:2],[0:1]}\n fp = f32[2,1] collective-permute(f), channel_id=2, source_target_pairs={" after "}\n" \
	" ls = f32[2,1] select(ab, vb, lp)\n fs = f32[2,1] select(zb, vb, fp)\n" \
	" c = f32[2,4] concatenate(ls, x, fs), dimensions={1}\n" \
	" ROOT y = f32[2,2] reduce-window(c, i), window={size=1x3}, to_apply=" op "\n}\n"
#define AFTER "{1,0},{2,1},{3,2}"

static bool windows_prove(const char *base, const char *dist, const char *in, const char *without)
{
	return proves_on(4, base, dist, in, "1", without);
}

/* N39, N40: a maximum over windows knows of -inf beyond the ends, and of nothing else there. */
static void test_maximum_beside_the_end(void **state)
{
	const char *base = WINDOW_BASE("maximum", "-inf");

	(void)state;
	assert_true(windows_prove(base, WINDOW_DIST("maximum", "-inf", "-inf", AFTER), "1", NULL));
	assert_false(windows_prove(base, WINDOW_DIST("maximum", "-inf", "-inf", AFTER), "1", "\"N39\""));
	assert_false(windows_prove(base, WINDOW_DIST("maximum", "-inf", "-inf", AFTER), "1", "\"N40\""));
	assert_false(windows_prove(base, WINDOW_DIST("maximum", "-inf", "0", AFTER), "1", NULL));
	assert_false(windows_prove(base, WINDOW_DIST("maximum", "-inf", "inf", AFTER), "1", NULL));
	assert_false(windows_prove(base, WINDOW_DIST("maximum", "-inf", "-inf", "{1,0},{3,1},{2,3}"), "1", NULL));
	assert_false(windows_prove(base, WINDOW_DIST("maximum", "-inf", "-inf", "{1,0},{2,1}"), "1", NULL));
	assert_false(windows_prove(WINDOW_BASE("maximum", "0"), WINDOW_DIST("maximum", "-inf", "-inf", AFTER), "1", NULL));
}

static void test_sum_beside_the_end(void **state)
{
	const char *base = WINDOW_BASE("add", "0");

	(void)state;
	assert_true(windows_prove(base, WINDOW_DIST("add", "0", "0", AFTER), "1", NULL));
	assert_false(windows_prove(base, WINDOW_DIST("add", "0", "1", AFTER), "1", NULL));
	assert_false(windows_prove(base, WINDOW_DIST("add", "0", "0", "{1,0},{2,1}"), "1", NULL));
}

/* A convolution, a function of it, and another one over windows that reach into the next device. */
#define CONV2_BASE "HloModule b\nENTRY e {\n x = f32[2,8,3] parameter(0)\n w = f32[3,3,5] parameter(1)\n u = f32[3,5,4] parameter(2)\n" \
	" h = f32[2,8,5] convolution(x, w), window={size=3 pad=1_1}, dim_labels=b0f_0io->b0f\n t = f32[2,8,5] tanh(h)\n" \
	" ROOT y = f32[2,8,4] convolution(t, u), window={size=3 pad=0_2}, dim_labels=b0f_0io->b0f\n}\n"
#define CONV2_DIST(after) "HloModule d, num_partitions=4\nENTRY e {\n x = f32[2,2,3] parameter(0)\n w = f32[3,3,5] parameter(1)\n" \
	" u = f32[3,5,4] parameter(2)\n" \
	" l = f32[2,1,3] slice(x), slice={[0:2],[1:2],[0:3]}\n lp = f32[2,1,3] collective-permute(l), channel_id=1, source_target_pairs={{0,1},{1,2},{2,3}}\n" \
	" f = f32[2,1,3] slice(x), slice={[0:2],[0:1],[0:3]}\n fp = f32[2,1,3] collective-permute(f), channel_id=2, source_target_pairs={" AFTER "}\n" \
	" c = f32[2,4,3] concatenate(lp, x, fp), dimensions={1}\n" \
	" h = f32[2,2,5] convolution(c, w), window={size=3}, dim_labels=b0f_0io->b0f\n t = f32[2,2,5] tanh(h)\n" \
	" tp = f32[2,2,5] collective-permute(t), channel_id=3, source_target_pairs={" after "}\n" \
	" e = f32[2,4,5] concatenate(t, tp), dimensions={1}\n" \
	" ROOT y = f32[2,2,4] convolution(e, u), window={size=3}, dim_labels=b0f_0io->b0f\n}\n"

/* N27 read: what a device has of a convolution and what it is sent of it are one core, though pushed into each they differ. */
static void test_halo_of_what_was_computed(void **state)
{
	(void)state;
	assert_true(windows_prove(CONV2_BASE, CONV2_DIST(AFTER), "1RR", NULL));
	assert_false(windows_prove(CONV2_BASE, CONV2_DIST(AFTER), "1RR", "N27 read"));
	assert_false(windows_prove(CONV2_BASE, CONV2_DIST("{0,1},{1,2},{2,3}"), "1RR", NULL));
	assert_false(windows_prove(CONV2_BASE, CONV2_DIST("{1,0},{2,1},{3,2},{0,3}"), "1RR", NULL));
}

/* Updates of row u at column ids[u]: every device looks at all of them, and keeps those of its rows. */
#define ROWS_BASE "HloModule b\n" ADD "ENTRY e {\n x = f32[4,3] parameter(0)\n k = s32[4] parameter(1)\n u = f32[4] parameter(2)\n" \
	" o = s32[] constant(0)\n t = s32[] constant(2)\n c = s32[4] clamp(o, k, t)\n i = s32[4] iota(), iota_dimension=0\n" \
	" i1 = s32[4,1] reshape(i)\n c1 = s32[4,1] reshape(c)\n p = s32[4,2] concatenate(i1, c1), dimensions={1}\n" \
	" ROOT y = f32[4,3] scatter(x, p, u), update_window_dims={}, inserted_window_dims={0,1}, scatter_dims_to_operand_dims={0,1}, " \
	"index_vector_dim=1, to_apply=add\n}\n"
#define ROWS_DIST(rows, column) "HloModule d, num_partitions=2\n" ADD "ENTRY e {\n x = f32[2,3] parameter(0)\n k = s32[4] parameter(1)\n" \
	" u = f32[4] parameter(2)\n o = s32[] constant(0)\n t = s32[] constant(2)\n c = s32[4] clamp(o, k, t)\n" \
	" i = s32[4] iota(), iota_dimension=0\n r = u32[] partition-id()\n rs = s32[] convert(r)\n n = s32[] constant(" rows ")\n" \
	" f = s32[] multiply(rs, n)\n fb = s32[4] broadcast(f), dimensions={}\n l = s32[4] subtract(i, fb)\n l1 = s32[4,1] reshape(l)\n" \
	" c1 = s32[4,1] reshape(" column ")\n p = s32[4,2] concatenate(l1, c1), dimensions={1}\n" \
	" ROOT y = f32[2,3] scatter(x, p, u), update_window_dims={}, inserted_window_dims={0,1}, scatter_dims_to_operand_dims={0,1}, " \
	"index_vector_dim=1, to_apply=add\n}\n"

/* N21: which update reaches a row does not depend on its column, which is data. */
static void test_rows_of_all_updates(void **state)
{
	(void)state;
	assert_true(proves(ROWS_BASE, ROWS_DIST("2", "c"), "0RR", "0", NULL));
	assert_false(proves(ROWS_BASE, ROWS_DIST("2", "c"), "0RR", "0", "\"N21\""));
	assert_false(proves(ROWS_BASE, ROWS_DIST("1", "c"), "0RR", "0", NULL));
	assert_false(proves(ROWS_BASE, ROWS_DIST("2", "i"), "0RR", "0", NULL));
}

/* N3 recut: 30 places beside 6 are cut at 6, and needed cut at 5. */
static void test_cut_elsewhere(void **state)
{
	(void)state;
	assert_true(proves(TOGETHER_BASE, TOGETHER_DIST("30:36"), "32R", "RR", NULL));
	assert_false(proves(TOGETHER_BASE, TOGETHER_DIST("30:36"), "32R", "RR", "N3 recut"));
	assert_false(proves(TOGETHER_BASE, TOGETHER_DIST("29:35"), "32R", "RR", NULL));
}

/* Parts of a whole, kept where a parameter says so: by a product, or by a choice that is one only of finite values. */
#define PARTS(values, kept) "HloModule m\n" ADD "greater {\n a = f32[] parameter(0)\n b = f32[] parameter(1)\n c = f32[] parameter(2)\n" \
	" d = f32[] parameter(3)\n ROOT r = pred[] compare(a, b), direction=GT\n}\nENTRY e {\n x = f32[2,4] parameter(0)\n" \
	" k = pred[2,2] parameter(1)\n e = f32[2,4] exponential(x)\n z = f32[] constant(0)\n" values \
	" l = f32[2] reduce(v, z), dimensions={1}, to_apply=add\n lb = f32[2,2] broadcast(l), dimensions={0}\n p = f32[2,2] divide(v, lb)\n" kept "}\n"
#define LARGEST(of) " t = (f32[2,2], s32[2,2]) topk(" of "), k=2, largest=true\n v = f32[2,2] get-tuple-element(t), index=0\n"
#define SORTED(which) " t = (f32[2,4], f32[2,4]) sort(x, e), dimensions={1}, is_stable=true, to_apply=greater\n" \
	" s = f32[2,4] get-tuple-element(t), index=" which "\n v = f32[2,2] slice(s), slice={[0:2],[0:2]}\n"
#define BY_PRODUCT " n = f32[2,2] convert(k)\n ROOT y = f32[2,2] multiply(p, n)\n"
#define BY_CHOICE " zb = f32[2,2] broadcast(z), dimensions={}\n ROOT y = f32[2,2] select(k, p, zb)\n"

/* RULES section 0: values of sort and topk have the sign of their operand, so that their sum is no zero. */
static void test_sign_of_the_sorted(void **state)
{
	(void)state;
	assert_true(proves(PARTS(LARGEST("e"), BY_PRODUCT), PARTS(LARGEST("e"), BY_CHOICE), "RR", "R", NULL));
	assert_false(proves(PARTS(LARGEST("x"), BY_PRODUCT), PARTS(LARGEST("x"), BY_CHOICE), "RR", "R", NULL));
	assert_true(proves(PARTS(SORTED("1"), BY_PRODUCT), PARTS(SORTED("1"), BY_CHOICE), "RR", "R", NULL));
	assert_false(proves(PARTS(SORTED("0"), BY_PRODUCT), PARTS(SORTED("0"), BY_CHOICE), "RR", "R", NULL));
}

/* ---- sort and topk */

#define RANKED " kb = s32[] bitcast-convert(b)\n ka = s32[] bitcast-convert(a)\n o = s32[] constant(0)\n h = s32[] constant(2147483647)\n" \
	" fa = s32[] xor(h, ka)\n fb = s32[] xor(kb, h)\n na = pred[] compare(ka, o), direction=LT\n nb = pred[] compare(kb, o), direction=LT\n" \
	" ra = s32[] select(na, fa, ka)\n rb = s32[] select(nb, fb, kb)\n"
#define GREATER " ROOT r = pred[] compare(a, b), direction=GT, type=TOTALORDER\n"
#define GREATER_BITS RANKED " ROOT r = pred[] compare(rb, ra), direction=LT\n"
#define THEN_PLACE(way) " g = pred[] compare(a, b), direction=GT, type=TOTALORDER\n l = pred[] compare(b, a), direction=GT, type=TOTALORDER\n e = pred[] compare(g, l), direction=EQ\n" \
	" p = pred[] compare(c, d), direction=" way "\n ROOT r = pred[] select(e, p, g)\n"
#define ORDER(body) "order {\n a = f32[] parameter(0)\n b = f32[] parameter(1)\n c = s32[] parameter(2)\n d = s32[] parameter(3)\n" body "}\n"
#define TOP_OF(made, of) "HloModule b\nENTRY e {\n x = f32[4,6] parameter(0)\n" made " t = (f32[4,2], s32[4,2]) topk(" of "), k=2, largest=true\n" \
	" v = f32[4,2] get-tuple-element(t), index=0\n i = s32[4,2] get-tuple-element(t), index=1\n ROOT y = (f32[4,2], s32[4,2]) tuple(v, i)\n}\n"
#define TOP TOP_OF("", "x")
#define SORT_AND_CUT(order, places, more, from) "HloModule d, num_partitions=2\n" order "ENTRY e {\n x = f32[2,6] parameter(0)\n" \
	" n = s32[2,6] " places "\n t = (f32[2,6], s32[2,6]) sort(x, n), dimensions={1}, " more "to_apply=order\n" \
	" vs = f32[2,6] get-tuple-element(t), index=0\n is = s32[2,6] get-tuple-element(t), index=1\n" \
	" v = f32[2,2] slice(vs), slice={[0:2],[" from "]}\n i = s32[2,2] slice(is), slice={[0:2],[" from "]}\n" \
	" ROOT y = (f32[2,2], s32[2,2]) tuple(v, i)\n}\n"
#define SORT_ONE(more) "HloModule b\n" ORDER(GREATER) "ENTRY e {\n x = f32[4,6] parameter(0)\n n = s32[4,6] iota(), iota_dimension=1\n" \
	" t = (f32[4,6], s32[4,6]) sort(x, n), dimensions={1}, " more "to_apply=order\n vs = f32[4,6] get-tuple-element(t), index=0\n" \
	" is = s32[4,6] get-tuple-element(t), index=1\n v = f32[4,2] slice(vs), slice={[0:4],[0:2]}\n i = s32[4,2] slice(is), slice={[0:4],[0:2]}\n" \
	" ROOT y = (f32[4,2], s32[4,2]) tuple(v, i)\n}\n"
#define ALONG "iota(), iota_dimension=1"
#define FUSED(x, y) "inner {\n a = f32[] parameter(0)\n b = f32[] parameter(1)\n" GREATER "}\n" ORDER(" ROOT r = pred[] fusion(" x ", " y "), kind=kLoop, calls=inner\n")
#define COUNT(places) "count {\n ROOT n = s32[2,6] " places "\n}\n"

/* topk is the beginning of a sort that puts the larger first, of equal ones the one before, however it is written. */
static void test_topk_as_sort(void **state)
{
	(void)state;
	assert_true(proves(TOP, SORT_AND_CUT(ORDER(GREATER), ALONG, "is_stable=true, ", "0:2"), "0", "00", NULL));
	assert_true(proves(TOP, SORT_AND_CUT(ORDER(GREATER_BITS), ALONG, "is_stable=true, ", "0:2"), "0", "00", NULL));
	assert_true(proves(TOP, SORT_AND_CUT(ORDER(THEN_PLACE("LT")), ALONG, "", "0:2"), "0", "00", NULL));
	assert_true(proves(TOP, SORT_AND_CUT(COUNT(ALONG) ORDER(GREATER), "fusion(), kind=kLoop, calls=count", "is_stable=true, ", "0:2"), "0", "00", NULL));
	assert_false(proves(TOP, SORT_AND_CUT(COUNT("iota(), iota_dimension=0") ORDER(GREATER), "fusion(), kind=kLoop, calls=count", "is_stable=true, ", "0:2"),
			    "0", "00", NULL));
	assert_false(proves(TOP, SORT_AND_CUT(ORDER(GREATER), ALONG, "", "0:2"), "0", "00", NULL));	/* ties come as they like */
	assert_true(proves(SORT_ONE(""), SORT_AND_CUT(ORDER(GREATER), ALONG, "", "0:2"), "0", "00", NULL));	/* .. in both programs: an assumption */
	assert_true(proves(SORT_ONE(""), SORT_AND_CUT(ORDER(GREATER), ALONG, "is_stable=true, ", "0:2"), "0", "00", NULL));
	assert_false(proves(SORT_ONE("is_stable=true, "), SORT_AND_CUT(ORDER(GREATER), ALONG, "", "0:2"), "0", "00", NULL));
	assert_true(proves(TOP, SORT_AND_CUT(FUSED("a", "b"), ALONG, "is_stable=true, ", "0:2"), "0", "00", NULL));
	assert_false(proves(TOP, SORT_AND_CUT(FUSED("b", "a"), ALONG, "is_stable=true, ", "0:2"), "0", "00", NULL));
	assert_false(proves(TOP, SORT_AND_CUT(FUSED("a", "a"), ALONG, "is_stable=true, ", "0:2"), "0", "00", NULL));
	assert_false(proves(TOP, SORT_AND_CUT(ORDER(THEN_PLACE("GT")), ALONG, "", "0:2"), "0", "00", NULL));
	assert_false(proves(TOP, SORT_AND_CUT(ORDER(THEN_PLACE("LE")), ALONG, "", "0:2"), "0", "00", NULL));	/* no order */
	assert_false(proves(TOP, SORT_AND_CUT(ORDER(" ROOT r = pred[] compare(a, b), direction=LT\n"), ALONG, "is_stable=true, ", "0:2"), "0", "00", NULL));
	assert_false(proves(TOP, SORT_AND_CUT(ORDER(RANKED " ROOT r = pred[] compare(ka, kb), direction=GT\n"), ALONG, "is_stable=true, ", "0:2"),
			    "0", "00", NULL));	/* of two negative numbers the bits of the smaller are more */
	assert_false(proves(TOP, SORT_AND_CUT(ORDER(GREATER), "iota(), iota_dimension=0", "is_stable=true, ", "0:2"), "0", "00", NULL));
	assert_false(proves(TOP, SORT_AND_CUT(ORDER(GREATER), ALONG, "is_stable=true, ", "1:3"), "0", "00", NULL));
}

#define AGAIN_ORDER_BY(key, way, kind, zeros) "again {\n a = f32[] parameter(0)\n b = f32[] parameter(1)\n c = s32[] parameter(2)\n d = s32[] parameter(3)\n" \
	" p = s32[] parameter(4)\n q = s32[] parameter(5)\n g = pred[] compare(" key "), direction=GT" kind "\n e = pred[] compare(a, b), direction=EQ, type=TOTALORDER\n" \
	" l = pred[] compare(c, d), direction=" way "\n" zeros " ROOT r = pred[] select(e, l, h)\n}\n"
#define AGAIN_ORDER(key, way) AGAIN_ORDER_BY(key, way, ", type=TOTALORDER", " h = pred[] copy(g)\n")
#define ZEROS_BY(x, y) " s = pred[] compare(a, b), direction=EQ\n i = pred[] compare(" x ", " y "), direction=LT\n h = pred[] select(s, i, g)\n"
#define SORT_AGAIN(order, cut, by) SORT_AGAIN_OF("", "x", order, cut, by)
#define SORT_AGAIN_OF(made, of, order, cut, by) "HloModule d, num_partitions=2\n" order "ENTRY e {\n x = f32[2,6] parameter(0)\n" made \
	" t = (f32[2,4], s32[2,4]) topk(" of "), k=4, largest=true\n vs = f32[2,4] get-tuple-element(t), index=0\n" \
	" is = s32[2,4] get-tuple-element(t), index=1\n vc = f32[2,2] slice(vs), slice={[0:2],[" cut "]}\n" \
	" ic = s32[2,2] slice(is), slice={[0:2],[" cut "]}\n n = s32[2,2] iota(), iota_dimension=1\n" \
	" u = (f32[2,2], s32[2,2], s32[2,2]) sort(vc, " by ", n), dimensions={1}, to_apply=again\n" \
	" v = f32[2,2] get-tuple-element(u), index=0\n i = s32[2,2] get-tuple-element(u), index=1\n" \
	" ROOT y = (f32[2,2], s32[2,2]) tuple(v, i)\n}\n"

/* What stands in order, with its places beside it, is sorted by both to what it is. */
static void test_sorted_again(void **state)
{
	(void)state;
	assert_true(proves(TOP, SORT_AGAIN(AGAIN_ORDER("a, b", "LT"), "0:2", "ic"), "0", "00", NULL));
	assert_false(proves(TOP, SORT_AGAIN(AGAIN_ORDER("a, b", "LT"), "0:2", "ic"), "0", "00", "sort-sorted"));
	assert_false(proves(TOP, SORT_AGAIN(AGAIN_ORDER("a, b", "GT"), "0:2", "ic"), "0", "00", NULL));	/* equal ones the other way round */
	assert_false(proves(TOP, SORT_AGAIN(AGAIN_ORDER("b, a", "LT"), "0:2", "ic"), "0", "00", NULL));
	assert_false(proves(TOP, SORT_AGAIN(AGAIN_ORDER("a, b", "LT"), "1:3", "ic"), "0", "00", NULL));
	assert_false(proves(TOP, SORT_AGAIN(AGAIN_ORDER("a, b", "LT"), "0:2", "n"), "0", "00", NULL));	/* beside places of another row */
	/* Zeros of either sign are left where they stand, and not put into the order of their places. */
	assert_true(proves(TOP, SORT_AGAIN(AGAIN_ORDER_BY("a, b", "LT", "", ZEROS_BY("p", "q")), "0:2", "ic"), "0", "00", NULL));
	assert_false(proves(TOP, SORT_AGAIN(AGAIN_ORDER_BY("a, b", "LT", "", ZEROS_BY("q", "p")), "0:2", "ic"), "0", "00", NULL));
	assert_false(proves(TOP, SORT_AGAIN(AGAIN_ORDER_BY("a, b", "LT", "", ZEROS_BY("c", "d")), "0:2", "ic"), "0", "00", NULL));
	/* .. but what is no number may go anywhere, where it is in no order. */
	assert_true(proves(TOP_OF(" l = f32[4,6] log(x)\n", "l"), SORT_AGAIN_OF(" l = f32[2,6] log(x)\n", "l", AGAIN_ORDER("a, b", "LT"), "0:2", "ic"), "0", "00", NULL));
	assert_false(proves(TOP_OF(" l = f32[4,6] log(x)\n", "l"), SORT_AGAIN_OF(" l = f32[2,6] log(x)\n", "l", AGAIN_ORDER_BY("a, b", "LT", "", ZEROS_BY("p", "q")), "0:2", "ic"), "0", "00", NULL));
}

/* Parts of 3 of a row of 6, K places of each in order, beside each other; what FROM adds to the places of a part. */
#define TOP_OF_PARTS(k, all, from, read) "HloModule d, num_partitions=2\nENTRY e {\n x = f32[4,3] parameter(0)\n" \
	" t = (f32[4," k "], s32[4," k "]) topk(x), k=" k ", largest=true\n v = f32[4," k "] get-tuple-element(t), index=0\n" \
	" i = s32[4," k "] get-tuple-element(t), index=1\n p = u32[] partition-id()\n d = s32[] convert(p)\n" from \
	" o = s32[4," k "] broadcast(f), dimensions={}\n j = s32[4," k "] add(i, o)\n" \
	" va = f32[4," all "] all-gather(v), dimensions={1}, replica_groups={{0,1}}, channel_id=1, use_global_device_ids=true\n" \
	" ja = s32[4," all "] all-gather(j), dimensions={1}, replica_groups={{0,1}}, channel_id=2, use_global_device_ids=true\n" \
	" u = (f32[4,2], s32[4,2]) topk(va), k=2, largest=true\n w = f32[4,2] get-tuple-element(u), index=0\n" \
	" q = s32[4,2] get-tuple-element(u), index=1\n" read " ROOT y = (f32[4,2], s32[4,2]) tuple(w, g)\n}\n"
#define READ_AT(index) " r = s32[4,2,1] reshape(" index ")\n g = s32[4,2] gather(ja, r), offset_dims={}, collapsed_slice_dims={1}, start_index_map={1}, " \
	"operand_batching_dims={0}, start_indices_batching_dims={0}, index_vector_dim=2, slice_sizes={1,1}\n"
#define TIMES(n) " n = s32[] constant(" n ")\n f = s32[] multiply(d, n)\n"

/* The largest of a row are the largest of the largest of its parts, their places those in the part behind the parts before it. */
static void test_largest_of_parts(void **state)
{
	(void)state;
	assert_true(proves(TOP, TOP_OF_PARTS("2", "4", TIMES("3"), READ_AT("q")), "1", "RR", NULL));
	assert_true(proves(TOP, TOP_OF_PARTS("3", "6", TIMES("3"), READ_AT("q")), "1", "RR", NULL));
	assert_false(proves(TOP, TOP_OF_PARTS("2", "4", TIMES("3"), READ_AT("q")), "1", "RR", "sort-parts"));
	assert_false(proves(TOP, TOP_OF_PARTS("2", "4", TIMES("3"), READ_AT("q")), "1", "RR", "sort-places"));
	assert_false(proves(TOP, TOP_OF_PARTS("1", "2", TIMES("3"), READ_AT("q")), "1", "RR", NULL));	/* both may be in one part */
	assert_false(proves(TOP, TOP_OF_PARTS("2", "4", TIMES("2"), READ_AT("q")), "1", "RR", NULL));
	assert_false(proves(TOP, TOP_OF_PARTS("2", "4", " f = s32[] copy(d)\n", READ_AT("q")), "1", "RR", NULL));	/* the part, not its first place */
	assert_false(proves(TOP, TOP_OF_PARTS("2", "4", " h = s32[] constant(1)\n m = s32[] subtract(h, d)\n n = s32[] constant(3)\n f = s32[] multiply(m, n)\n",
					      READ_AT("q")), "1", "RR", NULL));	/* the other part's */
	assert_false(proves(TOP, TOP_OF_PARTS("2", "4", TIMES("3"), " g = s32[4,2] copy(q)\n"), "1", "RR", NULL));	/* places among the kept */
	assert_false(proves(TOP, TOP_OF_PARTS("2", "4", TIMES("3"), READ_AT("i")), "1", "RR", NULL));
}

#define TOP_LONG "HloModule b\nENTRY e {\n x = f32[4,6] parameter(0)\n t = (f32[4,2], s32[4,2]) topk(x), k=2, largest=true\n" \
	" v = f32[4,2] get-tuple-element(t), index=0\n j = s32[4,2] get-tuple-element(t), index=1\n i = s64[4,2] convert(j)\n ROOT y = (f32[4,2], s64[4,2]) tuple(v, i)\n}\n"
/* .. whose places are made numbers of another type before the offset OF of a part is added, and others of all parts before they are read at. */
#define TOP_OF_LONG(of, at) "HloModule d, num_partitions=2\nENTRY e {\n x = f32[4,3] parameter(0)\n" \
	" t = (f32[4,2], s32[4,2]) topk(x), k=2, largest=true\n v = f32[4,2] get-tuple-element(t), index=0\n" \
	" n = s32[4,2] get-tuple-element(t), index=1\n i = s64[4,2] convert(n)\n p = u32[] partition-id()\n d = s64[] convert(p)\n c = s64[] constant(" of ")\n f = s64[] multiply(d, c)\n" \
	" o = s64[4,2] broadcast(f), dimensions={}\n j = s64[4,2] add(o, i)\n" \
	" va = f32[4,4] all-gather(v), dimensions={1}, replica_groups={{0,1}}, channel_id=1, use_global_device_ids=true\n" \
	" ja = s64[4,4] all-gather(j), dimensions={1}, replica_groups={{0,1}}, channel_id=2, use_global_device_ids=true\n" \
	" u = (f32[4,2], s32[4,2]) topk(va), k=2, largest=true\n w = f32[4,2] get-tuple-element(u), index=0\n" \
	" q = s32[4,2] get-tuple-element(u), index=1\n q1 = " at "[4,2] convert(q)\n r = " at "[4,2,1] reshape(q1)\n" \
	" g = s64[4,2] gather(ja, r), offset_dims={}, collapsed_slice_dims={1}, start_index_map={1}, " \
	"operand_batching_dims={0}, start_indices_batching_dims={0}, index_vector_dim=2, slice_sizes={1,1}\n ROOT y = (f32[4,2], s64[4,2]) tuple(w, g)\n}\n"

/* Places are the same numbers in every type that counts so far. */
static void test_places_in_types(void **state)
{
	(void)state;
	assert_true(proves(TOP_LONG, TOP_OF_LONG("3", "u32"), "1", "RR", NULL));
	assert_true(proves(TOP_LONG, TOP_OF_LONG("3", "s8"), "1", "RR", NULL));
	assert_false(proves(TOP_LONG, TOP_OF_LONG("3", "u32"), "1", "RR", "convert-places"));
	assert_false(proves(TOP_LONG, TOP_OF_LONG("2", "u32"), "1", "RR", NULL));
	assert_false(proves(TOP_LONG, TOP_OF_LONG("3", "s2"), "1", "RR", NULL));	/* 2 and 3 are below 0 there */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_megatron),
		cmocka_unit_test(test_fused_qkv),
		cmocka_unit_test(test_reshapes_of_one_shape),
		cmocka_unit_test(test_slice_of_a_device),
		cmocka_unit_test(test_union_after_lifting),
		cmocka_unit_test(test_assumed_later),
		cmocka_unit_test(test_brackets_around_a_merged_class),
		cmocka_unit_test(test_assumed_all_reduce),
		cmocka_unit_test(test_absurd), cmocka_unit_test(test_not_into_its_own_reader),
		cmocka_unit_test(test_shifts_end),
		cmocka_unit_test(test_cases_by_numbers),
		cmocka_unit_test(test_writings),
		cmocka_unit_test(test_undo),
		cmocka_unit_test(test_switch),
		cmocka_unit_test(test_parts_of_one_core), cmocka_unit_test(test_maximum_beside_the_end),
		cmocka_unit_test(test_sum_beside_the_end), cmocka_unit_test(test_halo_of_what_was_computed), cmocka_unit_test(test_rows_of_all_updates),
		cmocka_unit_test(test_cut_elsewhere),
		cmocka_unit_test(test_sign_of_the_sorted),
		cmocka_unit_test(test_topk_as_sort), cmocka_unit_test(test_places_in_types),
		cmocka_unit_test(test_sorted_again),
		cmocka_unit_test(test_largest_of_parts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
