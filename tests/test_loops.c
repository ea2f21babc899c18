/* Loops in step: a session goes back and forth through an induction, a fault is found in the trip and a hypothesis
 * there reaches what is carried out, and the checker does not take an induction whose record was changed. */
#include "certify/certify.h"
#include "command/command.h"
#include "core/history.h"
#include "pair_files.h"
#include "plan/shape_chains.h"
#include "proof/proof_file.h"
#include "report/report.h"
#include "run_line.h"
#include "session/acts.h"
#include "session/session_in.h"
#include "util/hash.h"

#include <stdarg.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

/* A layer over stacked weights, 50 trips; the inner width is `n`. */
static const char *scan_text(const char *name, int ndev, int n, const char *sum)
{
	static const char form[] =
		"HloModule m, num_partitions=%d\n"
		"%%sum { a = f32[] parameter(0)\n b = f32[] parameter(1)\n ROOT s = f32[] add(a, b) }\n"
		"%%body { t = (s32[], f32[4,6], f32[50,6,%d], f32[50,%d,6]) parameter(0)\n"
		" i = s32[] get-tuple-element(t), index=0\n v = f32[4,6] get-tuple-element(t), index=1\n"
		" w = f32[50,6,%d] get-tuple-element(t), index=2\n u = f32[50,%d,6] get-tuple-element(t), index=3\n"
		" z = s32[] constant(0)\n k = s32[] constant(1)\n j = s32[] add(i, k)\n"
		" w1 = f32[1,6,%d] dynamic-slice(w, i, z, z), dynamic_slice_sizes={1,6,%d}\n w2 = f32[6,%d] reshape(w1)\n"
		" u1 = f32[1,%d,6] dynamic-slice(u, i, z, z), dynamic_slice_sizes={1,%d,6}\n u2 = f32[%d,6] reshape(u1)\n"
		" h = f32[4,%d] dot(v, w2), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n g = f32[4,%d] tanh(h)\n"
		" y = f32[4,6] dot(g, u2), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n"
		" q = f32[4,6] %s\n r = f32[4,6] tanh(q)\n"
		" ROOT n = (s32[], f32[4,6], f32[50,6,%d], f32[50,%d,6]) tuple(j, r, w, u) }\n"
		"%%cond { t = (s32[], f32[4,6], f32[50,6,%d], f32[50,%d,6]) parameter(0)\n i = s32[] get-tuple-element(t), index=0\n"
		" l = s32[] constant(50)\n ROOT p = pred[] compare(i, l), direction=LT }\n"
		"ENTRY main { x = f32[4,6] parameter(0)\n a = f32[50,6,%d] parameter(1)\n b = f32[50,%d,6] parameter(2)\n"
		" z = s32[] constant(0)\n c = (s32[], f32[4,6], f32[50,6,%d], f32[50,%d,6]) tuple(z, x, a, b)\n"
		" loop = (s32[], f32[4,6], f32[50,6,%d], f32[50,%d,6]) while(c), condition=cond, body=body\n"
		" ROOT o = f32[4,6] get-tuple-element(loop), index=1 }\n";
	char text[4000];

	snprintf(text, sizeof text, form, ndev, n, n, n, n, n, n, n, n, n, n, n, n, sum, n, n, n, n, n, n, n, n, n, n);
	return pair_write(name, text);
}

static struct problem_files scan_files(bool all_reduce)
{
	struct problem_files f = { .rules = SRCDIR "/rules" };

	f.base = scan_text("scan.base.hlo", 1, 8, "copy(y)");
	f.dist = scan_text("scan.dist.hlo", 2, 4, all_reduce
		? "all-reduce(y), channel_id=1, replica_groups={{0,1}}, use_global_device_ids=true, to_apply=sum" : "copy(y)");
	f.plan = pair_write("scan.plan", "mesh tp=2\ninput 0 R\ninput 1 tp:S(2)\ninput 2 tp:S(1)\noutput 0 R\n");
	return f;
}

static struct session *open_scan(bool all_reduce)
{
	struct problem_files f = scan_files(all_reduce);

	return pair_of(f.base, f.dist, f.plan);
}

/* Run to the verdict. */
static struct session *run_files(const char *base, const char *dist, const char *plan)
{
	struct session *s = pair_of(base, dist, plan);

	run_line(s, "continue!");
	return s;
}

static int verdict(struct session *s)
{
	struct report *r = session_report(s, 0);
	int status = report_exit(r);

	report_free(r);
	return status;
}

static int verdict_of(const char *base, const char *dist, const char *plan)
{
	struct session *s = run_files(base, dist, plan);
	int status = verdict(s);

	session_free(s);
	return status;
}

static uint64_t print_of(struct session *s)
{
	const prover *p = session_problem(s)->p;
	uint64_t h = 1;
	uint32_t n;

	for (n = 0; n < eg_nnode(p->g); n++)
		h = hash_bytes(&(uint32_t[]){ eg_root(p->g, n), normal_head(&p->a, n) }, 8, h);
	return h;
}

static void test_back_and_forth(void **state)
{
	struct session *s = open_scan(true);
	uint64_t *print;
	uint32_t n, k;

	(void)state;
	assert_int_equal(session_step(s), 0);
	run_line(s, "continue!");
	assert_int_equal(verdict(s), 0);
	n = session_step(s);
	print = calloc(n + 1, sizeof *print);
	run_line(s, "goto start");
	for (k = 0; k <= n; k++) {
		assert_true(acts_goto(s, k));
		print[k] = print_of(s);
	}
	for (k = n; k-- > 0; ) {
		assert_true(acts_goto(s, k));
		assert_true(print_of(s) == print[k]);
	}
	run_line(s, "goto end");
	assert_true(print_of(s) == print[n]);
	assert_int_equal(verdict(s), 0);
	free(print);
	session_free(s);
}

/* Fewer firings than two layers would cost: how many trips there are does not matter. */
static void test_one_body(void **state)
{
	struct session *s = open_scan(true);

	(void)state;
	run_line(s, "continue!");
	assert_true(session_step(s) < 150);
	assert_true(program_named(session_program(s, SIDE_DIST), "loop[0]/%g") < 0);
	assert_true(program_named(session_program(s, SIDE_DIST), "loop/%g") >= 0);
	session_free(s);
}

static void test_fault_in_the_trip(void **state)
{
	struct session *s = open_scan(false);
	struct program *p = session_program(s, SIDE_DIST);
	const char *why;

	(void)state;
	run_line(s, "continue!");
	assert_int_equal(verdict(s) == 1 || verdict(s) == 3, 1);
	assert_int_equal(session_nfrontier(s), 1);
	assert_int_equal(session_frontier(s, 0), program_named(p, "loop/%r"));
	why = prover_lift_reason(session_problem(s)->p, p->row[program_named(p, "loop#1")].tensor);
	assert_non_null(why);
	assert_non_null(strstr(why, "changes its layout in the loop body"));
	run_line(s, "assume %loop/%q = base %loop/%q R");
	run_line(s, "continue!");
	assert_int_equal(verdict(s), 4);	/* under that hypothesis */
	run_line(s, "undo");
	run_line(s, "continue!");
	assert_int_not_equal(verdict(s), 4);
	session_free(s);
}

/* A value of every trip: what it begins with has to be so at the first trip, and to stay so. */
static int verdict_inside(const char *init, const char *step, const char *act)
{
	static const char form[] =
		"HloModule m%s\n%%cond { p = (s32[], f32[4]) parameter(0)\n i = s32[] get-tuple-element(p), index=0\n n = s32[] constant(60)\n"
		" ROOT r = pred[] compare(i, n), direction=LT }\n"
		"%%body { p = (s32[], f32[4]) parameter(0)\n i = s32[] get-tuple-element(p), index=0\n a = f32[4] get-tuple-element(p), index=1\n"
		" k = s32[] constant(1)\n j = s32[] add(i, k)\n t = f32[4] tanh(a)\n s = f32[4] %s\n ROOT r = (s32[], f32[4]) tuple(j, s) }\n"
		"ENTRY e { x = f32[4] parameter(0)\n z = s32[] constant(0)\n b = f32[4] %s\n c = (s32[], f32[4]) tuple(z, b)\n"
		" w = (s32[], f32[4]) while(c), condition=cond, body=body\n ROOT o = f32[4] get-tuple-element(w), index=1 }\n";
	char text[2][2000];
	struct session *s;
	int status;

	snprintf(text[0], sizeof text[0], form, "", "sine(t)", "copy(x)");
	snprintf(text[1], sizeof text[1], form, ", num_partitions=2", step, init);
	s = pair_of(pair_write("inside.base.hlo", text[0]), pair_write("inside.dist.hlo", text[1]),
		    pair_write("inside.plan", "mesh tp=2\ninput 0 R\noutput 0 any\noutput %w/%t<-%w/%t R\n"));
	if (act)
		run_line(s, act);
	run_line(s, "continue!");
	status = verdict(s);
	if (!status)
		run_line(s, "certify");
	session_free(s);
	return status;
}

static void test_value_of_every_trip(void **state)
{
	(void)state;
	assert_int_equal(verdict_inside("copy(x)", "sine(t)", NULL), 0);
	assert_int_equal(verdict_inside("negate(x)", "sine(t)", NULL), 1);
	assert_int_equal(verdict_inside("copy(x)", "cosine(t)", NULL), 1);
	assert_int_equal(verdict_inside("negate(x)", "sine(t)", "assume %b = base %b R"), 4);	/* the assumption is what the first trip begins with */
}

/* Without the rule the loops stand beside each other. */
static void test_rule_off(void **state)
{
	struct session *s = open_scan(true);

	(void)state;
	run_line(s, "rule off induction");
	run_line(s, "continue!");
	assert_int_not_equal(verdict(s), 0);
	run_line(s, "rule on induction");
	run_line(s, "continue!");
	assert_int_equal(verdict(s), 0);
	session_free(s);
}

/* ---- the checker */

static const char *certified(struct session *s)
{
	pair *q = session_problem(s)->q;
	certifier *c = certifier_new(q->p, NULL);
	certificate r;
	static char why[200];
	arena tmp;
	bool good;

	arena_init(&tmp);
	good = certify_goal(c, q, &q->goal[0], &r, &tmp);
	snprintf(why, sizeof why, "%s", good ? "" : r.why);
	if (good)
		assert_int_equal(r.inductions, 1);
	arena_free(&tmp);
	certifier_free(c);
	return good ? NULL : why;
}

static hist_entry *induction_of(struct session *s)
{
	const prover *p = session_problem(s)->p;
	eg_id out = session_tensor(s, SIDE_DIST, program_named(session_program(s, SIDE_DIST), "loop#1"));
	uint32_t i;

	for (i = 0; i < history_count(&p->a); i++)
		if (!strcmp(prover_rule_name(p, history_at(&p->a, i)->rule), "induction") && history_at(&p->a, i)->node == out)
			return (hist_entry *)history_at(&p->a, i);
	fail_msg("no induction");
	return NULL;
}

/* The operator of a node with word `at` of its numbers changed. */
static void change_number(const prover *p, eg_id n, uint32_t at, int64_t to)
{
	size_t len;
	int64_t *v = (int64_t *)eg_value_bytes(p->g, node_val(&p->a, n, 2), &len);

	assert_true(at < len / sizeof *v);
	v[at] = to;
}

static void test_changed_records(void **state)
{
	struct session *s = open_scan(true);
	const prover *p;
	hist_entry *f, was;
	premise *prem, kept;
	eg_id other;
	int64_t trips;
	uint32_t k, caught = 0;
	size_t len;

	(void)state;
	run_line(s, "continue!");
	p = session_problem(s)->p;
	assert_null(certified(s));
	f = induction_of(s);
	was = *f;
	prem = (premise *)history_premises(&p->a, f);

	/* another number of trips in one of them */
	trips = ((const int64_t *)eg_value_bytes(p->g, node_val(&p->a, f->node, 2), &len))[4];
	assert_int_equal(trips, 50);
	change_number(p, f->node, 4, 49);
	assert_non_null(certified(s));
	change_number(p, f->node, 4, 50);
	assert_null(certified(s));

	/* another of the carried values: the counter */
	change_number(p, f->node, 2, 0);
	assert_non_null(certified(s));
	change_number(p, f->node, 2, 1);
	assert_null(certified(s));

	/* claims left out, each in turn: the counter and the value carried are both needed */
	for (k = eg_narg(p->g, f->node) + 2; k < f->nprem; k += 5) {
		kept = prem[k];
		prem[k].y = kept.x;
		caught += certified(s) != NULL;
		prem[k] = kept;
	}
	assert_int_equal(caught, 4);	/* before the loop and after the trip, for each */

	/* carried out in another layout: what an input is */
	other = laid_cell(&session_problem(s)->p->a, session_tensor(s, SIDE_DIST, program_named(session_program(s, SIDE_DIST), "x")));
	f->result = other;
	assert_non_null(certified(s));
	*f = was;
	assert_null(certified(s));
	session_free(s);
}

/* A proof over a loop is written, and holds when it is read with both programs again, but not with another loop. */
static void test_proof_file(void **state)
{
	struct session *s = open_scan(true);
	char line[200];
	int k;

	(void)state;
	run_line(s, "continue!");
	snprintf(line, sizeof line, "save proof %s/scan.proof", pair_folder());
	run_line(s, line);
	session_free(s);
	for (k = 0; k < 2; k++) {
		struct problem_files f = scan_files(k == 0);
		struct diag err;
		struct page page;
		struct problem *p = problem_load(&f, &err);

		assert_non_null(p);
		page_init(&page);
		snprintf(line, sizeof line, "%s/scan.proof", pair_folder());
		assert_int_equal(proof_file_check(p, line, &page, &err), k == 0 ? PROOF_HOLDS : PROOF_BAD);
		page_release(&page);
		problem_free(p);
	}
}

/* ---- parts of a sum over two axes, handed through from an input */

static const char *parts_text(const char *name, int ndev, const char *whole, const char *next)
{
	static const char form[] =
		"HloModule m, num_partitions=%d\n"
		"%%sum { a = f32[] parameter(0)\n b = f32[] parameter(1)\n ROOT s = f32[] add(a, b) }\n"
		"%%body { t = (s32[], f32[4], f32[4], f32[4]) parameter(0)\n i = s32[] get-tuple-element(t), index=0\n"
		" x = f32[4] get-tuple-element(t), index=3\n k = s32[] constant(1)\n j = s32[] add(i, k)\n"
		" %s\n r = f32[4] %s\n ROOT n = (s32[], f32[4], f32[4], f32[4]) tuple(j, r, y, x) }\n"
		"%%cond { t = (s32[], f32[4], f32[4], f32[4]) parameter(0)\n i = s32[] get-tuple-element(t), index=0\n"
		" l = s32[] constant(50)\n ROOT p = pred[] compare(i, l), direction=LT }\n"
		"ENTRY main { x = f32[4] parameter(0)\n z = s32[] constant(0)\n o = f32[] constant(0)\n v = f32[4] broadcast(o), dimensions={}\n"
		" w = f32[4] broadcast(o), dimensions={}\n c = (s32[], f32[4], f32[4], f32[4]) tuple(z, v, w, x)\n"
		" loop = (s32[], f32[4], f32[4], f32[4]) while(c), condition=cond, body=body\n ROOT q = f32[4] get-tuple-element(loop), index=1 }\n";
	char text[4000];

	snprintf(text, sizeof text, form, ndev, whole, next);
	return pair_write(name, text);
}

#define OVER_A "channel_id=1, replica_groups={{0,2},{1,3}}, use_global_device_ids=true, to_apply=sum"
#define OVER_B "channel_id=2, replica_groups={{0,1},{2,3}}, use_global_device_ids=true, to_apply=sum"

static struct session *open_parts(const char *next)
{
	const char *base = parts_text("parts.base.hlo", 1, "y = f32[4] negate(x)", "copy(x)");
	const char *dist = parts_text("parts.dist.hlo", 4, "a1 = f32[4] all-reduce(x), " OVER_A "\n b1 = f32[4] all-reduce(a1), " OVER_B "\n"
				      " y = f32[4] negate(b1)", next);

	return run_files(base, dist, pair_write("parts.plan", "mesh a=2 b=2\ninput 0 a:P(sum) b:P(sum)\noutput 0 a:P(sum) b:P(sum)\n"));
}

/* The sum over one axis of the sum over the other is one sum: the checker follows it, not without what shows it. */
static void test_parts_handed_through(void **state)
{
	struct session *s = open_parts("copy(x)");
	premise *prem, kept;
	hist_entry *f;
	uint32_t k, caught = 0;
	const prover *p = session_problem(s)->p;

	(void)state;
	assert_int_equal(verdict(s), 0);
	assert_null(certified(s));
	f = induction_of(s);
	prem = (premise *)history_premises(&p->a, f);
	for (k = eg_narg(p->g, f->node) + 2; k < f->nprem; k++) {
		kept = prem[k];
		prem[k].y = kept.x;
		caught += certified(s) != NULL;
		prem[k] = kept;
	}
	assert_true(caught >= 8);
	session_free(s);

	s = open_parts("all-reduce(x), " OVER_A);
	assert_int_not_equal(verdict(s), 0);
	session_free(s);
}

/* ---- stacks in another order */

/* Two results stacked over 40 trips, as values `first`, `second` and `third` of what is carried: tanh, sine or zeros. */
static const char *stacks_text(const char *name, int ndev, int n, const char *first, const char *second, const char *third, const char *out)
{
	static const char form[] =
		"HloModule m, num_partitions=%1$d\n"
		"%%body { t = (s32[], f32[%2$d], f32[40,%2$d], f32[40,%2$d], f32[40,%2$d]) parameter(0)\n"
		" i = s32[] get-tuple-element(t), index=0\n v = f32[%2$d] get-tuple-element(t), index=1\n"
		" a = f32[40,%2$d] get-tuple-element(t), index=2\n b = f32[40,%2$d] get-tuple-element(t), index=3\n"
		" c = f32[40,%2$d] get-tuple-element(t), index=4\n z = s32[] constant(0)\n k = s32[] constant(1)\n j = s32[] add(i, k)\n"
		" f = f32[%2$d] tanh(v)\n g = f32[%2$d] sine(v)\n h = f32[%2$d] add(f, g)\n"
		" tanh = f32[1,%2$d] reshape(f)\n sine = f32[1,%2$d] reshape(g)\n"
		" na = f32[40,%2$d] dynamic-update-slice(a, %3$s, i, z)\n nb = f32[40,%2$d] dynamic-update-slice(b, %4$s, i, z)\n"
		" nc = f32[40,%2$d] dynamic-update-slice(c, %5$s, i, z)\n"
		" ROOT n = (s32[], f32[%2$d], f32[40,%2$d], f32[40,%2$d], f32[40,%2$d]) tuple(j, h, na, nb, nc) }\n"
		"%%cond { t = (s32[], f32[%2$d], f32[40,%2$d], f32[40,%2$d], f32[40,%2$d]) parameter(0)\n"
		" i = s32[] get-tuple-element(t), index=0\n l = s32[] constant(40)\n ROOT p = pred[] compare(i, l), direction=LT }\n"
		"ENTRY main { x = f32[%2$d] parameter(0)\n z = s32[] constant(0)\n o = f32[] constant(0)\n w = f32[40,%2$d] broadcast(o), dimensions={}\n"
		" s = (s32[], f32[%2$d], f32[40,%2$d], f32[40,%2$d], f32[40,%2$d]) tuple(z, x, w, w, w)\n"
		" loop = (s32[], f32[%2$d], f32[40,%2$d], f32[40,%2$d], f32[40,%2$d]) while(s), condition=cond, body=body\n"
		" a = f32[40,%2$d] get-tuple-element(loop), index=2\n b = f32[40,%2$d] get-tuple-element(loop), index=3\n"
		" c = f32[40,%2$d] get-tuple-element(loop), index=4\n ROOT q = f32[40,%2$d] %6$s }\n";
	char text[6000];

	snprintf(text, sizeof text, form, ndev, n, first, second, third, out);
	return pair_write(name, text);
}

static int stacks_verdict(const char *first, const char *second, const char *third, const char *out)
{
	const char *base = stacks_text("stacks.base.hlo", 1, 4, "tanh", "sine", "sine", "subtract(a, b)");

	return verdict_of(base, stacks_text("stacks.dist.hlo", 2, 2, first, second, third, out),
			  pair_write("stacks.plan", "mesh tp=2\ninput 0 tp:S(0)\noutput 0 tp:S(1)\n"));
}

/* What is written into a stack shows which of the baseline's it is. */
static void test_stacks(void **state)
{
	(void)state;
	assert_int_equal(stacks_verdict("tanh", "sine", "sine", "subtract(a, b)"), 0);
	assert_int_equal(stacks_verdict("sine", "tanh", "tanh", "subtract(c, a)"), 0);
	assert_int_equal(stacks_verdict("sine", "sine", "tanh", "subtract(c, b)"), 0);
	assert_int_not_equal(stacks_verdict("sine", "tanh", "tanh", "subtract(a, b)"), 0);
	assert_int_not_equal(stacks_verdict("sine", "sine", "tanh", "subtract(b, a)"), 0);
}

/* ---- a stack that is written two parts a trip */

static const char *layers_text(void)
{
	static const char text[] =
		"HloModule m\n"
		"%body { t = (s32[], f32[4], f32[40,4]) parameter(0)\n i = s32[] get-tuple-element(t), index=0\n"
		" v = f32[4] get-tuple-element(t), index=1\n a = f32[40,4] get-tuple-element(t), index=2\n z = s32[] constant(0)\n"
		" k = s32[] constant(1)\n j = s32[] add(i, k)\n h = f32[4] tanh(v)\n u = f32[1,4] reshape(h)\n"
		" n = f32[40,4] dynamic-update-slice(a, u, i, z)\n ROOT r = (s32[], f32[4], f32[40,4]) tuple(j, h, n) }\n"
		"%cond { t = (s32[], f32[4], f32[40,4]) parameter(0)\n i = s32[] get-tuple-element(t), index=0\n"
		" l = s32[] constant(40)\n ROOT p = pred[] compare(i, l), direction=LT }\n"
		"ENTRY main { x = f32[4] parameter(0)\n z = s32[] constant(0)\n o = f32[] constant(0)\n w = f32[40,4] broadcast(o), dimensions={}\n"
		" s = (s32[], f32[4], f32[40,4]) tuple(z, x, w)\n"
		" loop = (s32[], f32[4], f32[40,4]) while(s), condition=cond, body=body\n"
		" ROOT q = f32[40,4] get-tuple-element(loop), index=2 }\n";

	return pair_write("layers.base.hlo", text);
}

/* Both of a trip side by side, in this order. */
static const char *pairs_text(const char *order)
{
	static const char form[] =
		"HloModule m, num_partitions=2\n"
		"%%body { t = (s32[], f32[2], f32[20,2,2]) parameter(0)\n i = s32[] get-tuple-element(t), index=0\n"
		" v = f32[2] get-tuple-element(t), index=1\n a = f32[20,2,2] get-tuple-element(t), index=2\n z = s32[] constant(0)\n"
		" k = s32[] constant(1)\n j = s32[] add(i, k)\n f = f32[2] tanh(v)\n h = f32[2] tanh(f)\n"
		" first = f32[1,2] reshape(f)\n second = f32[1,2] reshape(h)\n c = f32[2,2] concatenate(%s), dimensions={0}\n"
		" u = f32[1,2,2] reshape(c)\n n = f32[20,2,2] dynamic-update-slice(a, u, i, z, z)\n"
		" ROOT r = (s32[], f32[2], f32[20,2,2]) tuple(j, h, n) }\n"
		"%%cond { t = (s32[], f32[2], f32[20,2,2]) parameter(0)\n i = s32[] get-tuple-element(t), index=0\n"
		" l = s32[] constant(20)\n ROOT p = pred[] compare(i, l), direction=LT }\n"
		"ENTRY main { x = f32[2] parameter(0)\n z = s32[] constant(0)\n o = f32[] constant(0)\n w = f32[20,2,2] broadcast(o), dimensions={}\n"
		" s = (s32[], f32[2], f32[20,2,2]) tuple(z, x, w)\n"
		" loop = (s32[], f32[2], f32[20,2,2]) while(s), condition=cond, body=body\n"
		" g = f32[20,2,2] get-tuple-element(loop), index=2\n ROOT q = f32[40,2] reshape(g) }\n";
	char text[4000];

	snprintf(text, sizeof text, form, order);
	return pair_write("layers.dist.hlo", text);
}

static int layers_verdict(const char *order)
{
	const char *base = layers_text();

	return verdict_of(base, pairs_text(order), pair_write("layers.plan", "mesh tp=2\ninput 0 tp:S(0)\noutput 0 tp:S(1)\n"));
}

static void test_two_parts_a_trip(void **state)
{
	(void)state;
	assert_int_equal(layers_verdict("first, second"), 0);
	assert_int_not_equal(layers_verdict("second, first"), 0);
	assert_int_not_equal(layers_verdict("first, first"), 0);
}

/* ---- numbers inside */

/* Rows of a loop that stands as one body have the numbers of a trip; where the loop goes wrong is named inside of it. */
static void test_numbers_inside(void **state)
{
	struct session *s = open_scan(false);

	(void)state;
	run_line(s, "continue!");
	run_line(s, "numbers %loop/%h");
	assert_true(page_line(s, PAGE_NUMBERS, "trip 0)"));
	run_line(s, "numbers %loop/%h trip 3");
	assert_true(page_line(s, PAGE_NUMBERS, "trip 3)"));
	run_line(s, "numbers %loop/%h trip last");
	assert_true(page_line(s, PAGE_NUMBERS, "last trip)"));
	run_line(s, "numbers %loop/%h trip 50");
	assert_false(page_line(s, PAGE_NUMBERS, "device 0"));
	assert_false(command_run(s, "numbers %loop/%h trip -2"));
	run_line(s, "numbers %loop/%h trip 0");
	run_line(s, "test");
	assert_true(page_line(s, PAGE_OUTPUT, "while its operands correspond: %loop/%r"));
	session_free(s);
}

/* The ways to place nine axes on four dimensions are too many to be written down one by one. */
static void test_many_axes(void **state)
{
	struct mesh_axis axis[9];
	mesh ms = { 9, axis, 512 };
	row b = { .type = T_F32, .rank = 4, .dim = (int64_t[]){ 2048, 1024, 512, 4096 } };
	row d = { .type = T_F32, .rank = 4, .dim = (int64_t[]){ 1024, 512, 256, 128 } };
	struct shape_chains *c;
	arena a;
	int k;

	(void)state;
	for (k = 0; k < 9; k++)
		axis[k] = (struct mesh_axis){ &"abcdefghi\0"[k], 2 };
	arena_init(&a);
	c = shape_chains(&a, &ms, &b, &d);
	assert_int_equal(c->nplain, SHAPE_CHAINS);
	for (k = 0; k < c->c[0].n; k++)
		assert_int_equal(c->c[0].step[k].kind, CHAIN_SHARD);
	assert_int_equal(c->c[0].n, 8);		/* of 2 * 2 * 2 * 32 */
	d.dim = (int64_t[]){ 1024, 512, 256, 3 };
	assert_int_equal(shape_chains(&a, &ms, &b, &d)->n, 0);
	arena_free(&a);
}

/* ---- in closed form */

/* All rows of an input, sines, one by one and added up; `n` trips. */
static const char *trips_text(int n, const char *with)
{
	static const char form[] =
		"HloModule m, num_partitions=2\n"
		"%%sum { a = f32[] parameter(0)\n b = f32[] parameter(1)\n ROOT s = f32[] add(a, b) }\n"
		"%%body { t = (s32[], f32[3], f32[%d,3], f32[%d,3]) parameter(0)\n"
		" i = s32[] get-tuple-element(t), index=0\n v = f32[3] get-tuple-element(t), index=1\n"
		" o = f32[%d,3] get-tuple-element(t), index=2\n w = f32[%d,3] get-tuple-element(t), index=3\n"
		" z = s32[] constant(0)\n k = s32[] constant(1)\n j = s32[] add(i, k)\n"
		" r = f32[1,3] dynamic-slice(w, i, z), dynamic_slice_sizes={1,3}\n y = f32[1,3] sine(r)\n"
		" p = f32[%d,3] dynamic-update-slice(o, y, i, z)\n u = f32[3] reshape(y)\n"
		" a = f32[3] %s\n ROOT n = (s32[], f32[3], f32[%d,3], f32[%d,3]) tuple(j, a, p, w) }\n"
		"%%cond { t = (s32[], f32[3], f32[%d,3], f32[%d,3]) parameter(0)\n i = s32[] get-tuple-element(t), index=0\n"
		" l = s32[] constant(%d)\n ROOT p = pred[] compare(i, l), direction=LT }\n"
		"ENTRY main { x = f32[%d,3] parameter(0)\n z = s32[] constant(0)\n c = f32[] constant(0)\n v = f32[3] broadcast(c), dimensions={}\n"
		" o = f32[%d,3] broadcast(c), dimensions={}\n t = (s32[], f32[3], f32[%d,3], f32[%d,3]) tuple(z, v, o, x)\n"
		" loop = (s32[], f32[3], f32[%d,3], f32[%d,3]) while(t), condition=cond, body=body\n"
		" a = f32[3] get-tuple-element(loop), index=1\n p = f32[%d,3] get-tuple-element(loop), index=2\n"
		" ROOT e = (f32[3], f32[%d,3]) tuple(a, p) }\n";
	char text[4000];

	snprintf(text, sizeof text, form, n, n, n, n, n, with, n, n, n, n, n, n, n, n, n, n, n, n, n);
	return pair_write("trips.dist.hlo", text);
}

static struct session *open_trips(int n, const char *with, const char *more)
{
	char text[1000];
	const char *base, *plan;

	snprintf(text, sizeof text, "HloModule m\n%%sum { a = f32[] parameter(0)\n b = f32[] parameter(1)\n ROOT s = f32[] add(a, b) }\n"
		 "ENTRY main { x = f32[%d,6] parameter(0)\n y = f32[%d,6] sine(x)\n c = f32[] constant(0)\n"
		 " a = f32[6] reduce(y, c), dimensions={0}, to_apply=sum\n ROOT e = (f32[6], f32[%d,6]) tuple(a, y) }\n", n, n, n);
	base = pair_write("trips.base.hlo", text);
	snprintf(text, sizeof text, "mesh tp=2\ninput 0 tp:S(1)\noutput 0 tp:S(0)\noutput 1 tp:S(1)\n%s", more);
	plan = pair_write("trips.plan", text);
	return pair_of(base, trips_text(n, with), plan);
}

/* How many trips there are does not matter. */
static void test_closed_form(void **state)
{
	static const int trips[] = { 33, 500, 16384 };
	uint32_t firings = 0;
	int k;

	(void)state;
	for (k = 0; k < 3; k++) {
		struct session *s = open_trips(trips[k], "add(v, u)", "");
		run_line(s, "continue!");
		assert_int_equal(verdict(s), 0);
		assert_true(!k || session_step(s) == firings);
		firings = session_step(s);
		session_free(s);
	}
}

static void test_closed_rules_off(void **state)
{
	static const char *const rule[] = { "lift-each-trip", "lift-over-trips", "lift-stack-trips" };
	int k;

	(void)state;
	for (k = 0; k < 3; k++) {
		struct session *s = open_trips(50, "add(v, u)", "");
		char line[40];
		snprintf(line, sizeof line, "rule off %s", rule[k]);
		run_line(s, line);
		run_line(s, "continue!");
		assert_int_equal(verdict(s), 1);
		session_free(s);
	}
}

/* Rows of such a loop hold what all trips have: they are shown, and related to nothing else. */
static void test_inside_closed_form(void **state)
{
	struct session *s = open_trips(50, "subtract(v, u)", "");

	(void)state;
	run_line(s, "continue!");
	assert_int_equal(verdict(s), 1);
	run_line(s, "select %loop/%y");
	run_line(s, "print %loop/%y");
	run_line(s, "whynot %loop/%y");
	run_line(s, "bijections %loop/%y");
	run_line(s, "relation %loop/%y");
	assert_int_equal(state_of(session_states(s), program_named(session_problem(s)->dist, "loop/%y"))->kind, STATE_TRIPS);
	refused_line(s, "assume %loop/%y = base %y R", "%loop/%y stands for all trips of a loop: only what comes out of it is related to other tensors");
	run_line(s, "continue!");
	assert_int_equal(verdict(s), 1);
	session_free(s);
}

/* A loop that takes what the trip before made is written out, and when it is too long for that it says so. */
static void test_too_long(void **state)
{
	struct session *s = open_trips(2000, "sine(v)", "");

	(void)state;
	run_line(s, "continue!");
	assert_int_equal(verdict(s), 1);
	run_line(s, "whynot");
	assert_true(page_line(s, PAGE_WHYNOT, "2000 trips are too many to be written out, and they take what others made"));
	session_free(s);
}

/* What 100 rows of sines add up to; DIST takes the row `at` says, in so many trips, and writes it to row i of another tensor. */
static struct session *open_rows(const char *at, int trips)
{
	static const char form[] =
		"HloModule m, num_partitions=2\n"
		"%%body { t = (s32[], f32[1,3], f32[100,3], f32[100,3]) parameter(0)\n i = s32[] get-tuple-element(t), index=0\n"
		" v = f32[1,3] get-tuple-element(t), index=1\n w = f32[100,3] get-tuple-element(t), index=2\n o = f32[100,3] get-tuple-element(t), index=3\n"
		" z = s32[] constant(0)\n k = s32[] constant(1)\n j = s32[] add(i, k)\n h = s32[] constant(99)\n back = s32[] subtract(h, i)\n"
		" two = s32[] constant(2)\n half = s32[] divide(i, two)\n r = f32[1,3] dynamic-slice(w, %s, z), dynamic_slice_sizes={1,3}\n y = f32[1,3] sine(r)\n"
		" a = f32[1,3] add(v, y)\n p = f32[100,3] dynamic-update-slice(o, y, i, z)\n ROOT n = (s32[], f32[1,3], f32[100,3], f32[100,3]) tuple(j, a, w, %s) }\n"
		"%%cond { t = (s32[], f32[1,3], f32[100,3], f32[100,3]) parameter(0)\n i = s32[] get-tuple-element(t), index=0\n"
		" l = s32[] constant(%d)\n ROOT p = pred[] compare(i, l), direction=LT }\n"
		"ENTRY main { x = f32[100,3] parameter(0)\n z = s32[] constant(0)\n c = f32[] constant(0)\n v = f32[1,3] broadcast(c), dimensions={}\n"
		" t = (s32[], f32[1,3], f32[100,3], f32[100,3]) tuple(z, v, x, x)\n"
		" loop = (s32[], f32[1,3], f32[100,3], f32[100,3]) while(t), condition=cond, body=body\n a = f32[%d,3] get-tuple-element(loop), index=%d\n"
		" ROOT e = f32[%d,3] copy(a) }\n";
	bool written = !strcmp(at, "back");
	const char *base, *dist;
	char text[4000];

	snprintf(text, sizeof text, "HloModule m\n%%sum { a = f32[] parameter(0)\n b = f32[] parameter(1)\n ROOT s = f32[] add(a, b) }\n"
		 "ENTRY main { x = f32[100,6] parameter(0)\n y = f32[100,6] sine(x)\n c = f32[] constant(0)\n"
		 " a = f32[6] reduce(y, c), dimensions={0}, to_apply=sum\n r = f32[1,6] reshape(a)\n ROOT e = f32[%d,6] copy(%s) }\n",
		 written ? 100 : 1, written ? "y" : "r");
	base = pair_write("rows.base.hlo", text);
	snprintf(text, sizeof text, form, at, written ? "p" : "o", trips, written ? 100 : 1, written ? 3 : 1, written ? 100 : 1);
	dist = pair_write("rows.dist.hlo", text);
	return pair_of(base, dist, pair_write("rows.plan", "mesh tp=2\ninput 0 tp:S(1)\noutput 0 tp:S(1)\n"));
}

/* Trips that take other places than all, each once and in order. */
static void test_places_of_trips(void **state)
{
	static const struct { const char *at; int trips; const char *says; } wrong[] = {
		{ "i", 99, "no trip reads rows 99 of %x" },
		{ "i", 101, "2 trips read rows 99 of %x" },
		{ "j", 100, "no trip reads rows 0 of %x, 2 trips read rows 99" },
		{ "half", 100, "no trip reads rows 50..99 of %x, 2 trips read rows 0..49" },
		{ "back", 100, "its trips read %x from the last place of dimension 0 to the first" },
	};
	struct session *s = open_rows("i", 100);
	size_t k;

	(void)state;
	run_line(s, "continue!");
	assert_int_equal(verdict(s), 0);
	session_free(s);
	for (k = 0; k < sizeof wrong / sizeof *wrong; k++) {
		s = open_rows(wrong[k].at, wrong[k].trips);
		run_line(s, "continue!");
		assert_int_equal(verdict(s), 1);
		run_line(s, "whynot");
		if (!page_line(s, PAGE_WHYNOT, wrong[k].says))
			fail_msg("%s, %d trips: not said: %s", wrong[k].at, wrong[k].trips, wrong[k].says);
		session_free(s);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_back_and_forth), cmocka_unit_test(test_one_body), cmocka_unit_test(test_fault_in_the_trip),
		cmocka_unit_test(test_value_of_every_trip), cmocka_unit_test(test_rule_off), cmocka_unit_test(test_changed_records),
		cmocka_unit_test(test_proof_file), cmocka_unit_test(test_parts_handed_through), cmocka_unit_test(test_stacks), cmocka_unit_test(test_two_parts_a_trip),
		cmocka_unit_test(test_numbers_inside), cmocka_unit_test(test_many_axes), cmocka_unit_test(test_closed_form),
		cmocka_unit_test(test_closed_rules_off), cmocka_unit_test(test_inside_closed_form), cmocka_unit_test(test_too_long), cmocka_unit_test(test_places_of_trips),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
