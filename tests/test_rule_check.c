/* test_rule_check.c - the shipped rules pass the check by numbers, and wrong ones do not. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "certify/rule_check.h"
#include "command/command.h"
#include "pair_files.h"
#include "prim/prim.h"
#include "session/session_in.h"

enum { CORES = 120, ENOUGH = 30 };

static struct rule_check check(struct session *s, uint32_t rule, int cores, arena *text)
{
	struct rule_check_limits l = { .cores = cores, .patience = 3000, .firings = ENOUGH, .seed = 1 };
	struct rule_check c;

	assert_true(rule_check(session_problem(s)->q, rule, &l, &c, text));
	return c;
}

static void test_shipped(void **state)
{
	struct session *s = pair_open(true);
	prover *p;
	uint32_t k, bad = 0, never = 0, untried = 0, n = 0;
	arena text;

	(void)state;
	arena_init(&text);
	assert_true(command_run(s, "continue!"));
	p = session_problem(s)->p;
	for (k = 0; k < rules_n(p->r); k++) {
		struct rule_check c;
		assert_ptr_equal(rules_named(p->r, rules_at(p->r, k)->name), rules_at(p->r, k));	/* no two share a name */
		c = check(s, k, CORES, &text);
		n++;
		untried += c.never;
		never += !c.firings && !c.why && !c.never;
		if (getenv("SHOW"))
			print_message("%-20s %4d cores %3d firings %d over %s\n", prover_rule_name(p, k), c.cores, c.firings, c.over, c.reason ? c.reason : "");
		if (c.why) {
			print_message("%s: %s\n  %s\n  %s\n", prover_rule_name(p, k), c.why, c.left, c.right);
			bad++;
		}
	}
	print_message("%u rules, %u never fired, %u cannot be tried\n", n, never, untried);
	arena_free(&text);
	session_free(s);
	assert_int_equal(bad, 0);
	assert_true(untried < 40);
	assert_true(never <= 1);	/* no random core has a token of a program */
}

/* ---- tempting rules, each wrong for another reason: negative numbers, unequal ones, ties, zeros, poles */

static bool is(const algebra *a, eg_id n, const char *fn)
{
	return !strcmp(core_fn(a, n), fn);
}

static eg_id abs_is_nothing(algebra *a, eg_id n)
{
	work *w = work_open(a, n);

	return is(a, n, "abs") ? result_slot(a, w, w->slot[0]) : NIL;
}

static eg_id renamed(algebra *a, eg_id n, const char *from, const char *to)
{
	work *w = work_open(a, n);

	if (!is(a, n, from))
		return NIL;
	w->fn = val_name(a, to);
	return work_result(a, w);
}

static eg_id less_is_at_most(algebra *a, eg_id n)
{
	return renamed(a, n, "compare:LT", "compare:LE");
}

static eg_id maximum_is_minimum(algebra *a, eg_id n)
{
	return renamed(a, n, "maximum", "minimum");
}

/* X34: exp(log x) = x, whatever x is. */
static eg_id exp_of_log(algebra *a, eg_id n)
{
	work *w = work_open(a, n);
	eg_id o = is(a, n, "exponential") ? peek(a, w->slot[0].x) : NIL;
	slot *in;
	int m;

	if (o == NIL || core_kind(a, o) != C_MAP || !is(a, o, "log") || !normal_opens(a, o, n))
		return NIL;
	in = work_inline(a, o, w->slot[0].e, w, &m);
	opened(a, w->slot[0].x, o);
	return result_slot(a, w, in[0]);
}

/* X34: x / x = 1. */
static eg_id quotient_of_equals(algebra *a, eg_id n)
{
	work *w = work_open(a, n);

	if (w->nslot != 2 || !type_is_float(w->type) || !slot_same(a, &w->slot[0], &w->slot[1]) || w->slot[0].c.num != -w->slot[1].c.num)
		return NIL;
	return result_number(a, w, RAT_ONE);
}

/* X35: 0 x = 0, whatever x is. */
static eg_id zero_product(algebra *a, eg_id n)
{
	work *w = work_open(a, n);
	number v;
	int k;

	for (k = 0; k < w->nslot; k++)
		if (type_is_float(w->type) && w->slot[k].c.num > 0 && slot_number(a, &w->slot[k], &v) && number_double(v) == 0)
			return result_number(a, w, RAT_ZERO);
	return NIL;
}

/* 2 x - x = x. */
static eg_id terms_add(algebra *a, eg_id n)
{
	work *w = work_open(a, n);
	rat c;

	if (w->nslot != 2 || !type_is_float(w->type) || !slot_same(a, &w->slot[0], &w->slot[1]) ||
	    !rat_add(&c, w->slot[0].c, w->slot[1].c) || !c.num)
		return NIL;
	w->nslot = 1;
	w->slot[0].c = c;
	return work_result(a, w);
}

/* X34: (sqrt x)^2 = x. */
static eg_id square_of_root(algebra *a, eg_id n)
{
	work *w = work_open(a, n);
	int k, m;

	for (k = 0; k < w->nslot; k++) {
		eg_id o = w->slot[k].x == NIL ? NIL : peek(a, w->slot[k].x);
		slot *in;
		if (o == NIL || w->slot[k].c.num != 2 || core_kind(a, o) != C_MAP || !is(a, o, "sqrt") || !normal_opens(a, o, n))
			continue;
		in = work_inline(a, o, w->slot[k].e, w, &m);
		opened(a, w->slot[k].x, o);
		w->slot[k] = in[0];
		w->slot[k].c = RAT_ONE;
		return work_result(a, w);
	}
	return NIL;
}

/* X38: x < y is x - y < 0, on integers. */
static eg_id less_is_negative_difference(algebra *a, eg_id n)
{
	work *w = work_open(a, n), *d;
	slot t[2];

	if (!is(a, n, "compare:LT") || core_type(a, w->slot[0].x) != T_S32)
		return NIL;
	t[0] = w->slot[0];
	t[1] = w->slot[1];
	t[1].c.num = -1;
	d = work_like(a, w, C_SUM, 2, t);
	d->type = T_S32;
	t[0] = slot_of_work(a, d, RAT_ONE);
	t[1] = slot_read(core_line(a, T_S32), ix_const(&a->s, 0), RAT_ONE);
	d = work_like(a, w, C_MAP, 2, t);
	d->fn = w->fn;
	return work_result(a, d);
}

/* X32: the first of the largest is the last of them. */
static eg_id first_is_last(algebra *a, eg_id n)
{
	return renamed(a, n, "first", "last");
}

/* X11: max(-x) = -max x. */
static eg_id sign_leaves_maximum(algebra *a, eg_id n)
{
	work *w = work_open(a, n), *in;
	eg_id o = peek(a, w->slot[0].x);
	slot *t;
	int m;

	if (!is(a, n, "maximum") || core_kind(a, o) != C_SUM || pairing_read(a, o).nslot != 1 || core_coef(a, o, 0).num >= 0 ||
	    !normal_opens(a, o, n))
		return NIL;
	t = work_inline(a, o, w->slot[0].e, w, &m);
	opened(a, w->slot[0].x, o);
	in = work_like(a, w, C_RED, 1, t);
	in->slot[0].c = RAT_ONE;
	in->fn = w->fn;
	return result_scaled(a, in, t[0].c);
}

/* X53: sum_l (a_l / y) = (sum_l a_l) / y, whatever y is. */
static eg_id factor_leaves_sum(algebra *a, eg_id n)
{
	work *w = work_open(a, n), *rest;
	slot t[2];
	int k;

	for (k = 0; k < w->nslot; k++)
		if (w->nslot == 2 && w->slot[k].x != NIL && !slot_reads_bound(a, &w->slot[k]) && slot_reads_bound(a, &w->slot[!k])) {
			t[1] = w->slot[k];
			rest = work_like(a, w, C_EIN, 1, &w->slot[!k]);
			t[0] = slot_of_work(a, rest, RAT_ONE);
			w = work_like(a, w, C_MUL, 2, t);
			w->nbound = 0;
			return work_result(a, w);
		}
	return NIL;
}

/* X36: a maximum starts at 0. */
static eg_id maximum_starts_at_zero(algebra *a, eg_id n)
{
	work *w = work_open(a, n);
	slot t[2];

	if (!is(a, n, "maximum") || !type_is_float(w->type))
		return NIL;
	t[0] = slot_of_work(a, w, RAT_ONE);
	t[1] = slot_read(core_rat(a, TYPE_REAL, RAT_ZERO), ix_const(&a->s, 0), RAT_ONE);
	w = work_like(a, w, C_LAT, 2, t);
	w->nbound = 0;
	w->fn = val_name(a, "maximum");
	return work_result(a, w);
}

static const struct { const char *rule; prim_fn *prim; } wrong[] = {
	{ "root mul", square_of_root }, { "S3", less_is_negative_difference }, { "N32", first_is_last }, { "S9", sign_leaves_maximum },
	{ "S14 ein", factor_leaves_sum }, { "S9", maximum_starts_at_zero },
	{ "S3", abs_is_nothing }, { "S3", less_is_at_most }, { "S9", maximum_is_minimum }, { "S3", exp_of_log },
	{ "S2 mul", quotient_of_equals }, { "S2 mul", zero_product }, { "S14", terms_add },
};

static void test_wrong(void **state)
{
	size_t k;

	(void)state;
	for (k = 0; k < sizeof wrong / sizeof *wrong; k++) {
		struct session *s = pair_open(true);
		prover *p = session_problem(s)->p;
		uint32_t rule = prover_rule_named(p, wrong[k].rule);
		struct rule_check_limits l = { .cores = 20000, .seed = 1 };
		struct rule_check c;
		arena text;
		arena_init(&text);
		prover_replace(p, rule, wrong[k].prim);
		assert_true(rule_check(session_problem(s)->q, rule, &l, &c, &text));
		if (!c.why)
			fail_msg("%zu: not caught in %d firings on %d cores", k, c.firings, c.cores);
		arena_free(&text);
		session_free(s);
	}
}

/* ---- rules of a user, about instructions */

#define RULE(name, left, facts, right) "(rule ((= s " left ") " facts ") ((union s " right ")) :name \"" name "\")\n"
static const char mine[] =
	RULE("even cosine", "(cosine t i j n u)", "(= u (negate t i2 j2 n2 x))", "(cosine t i j n x)")
	RULE("negated twice", "(negate t i j n u)", "(= u (negate t i2 j2 n2 x))", "x")
	RULE("sum turned", "(add t i j n x y)", "", "(add t i j n y x)")
	RULE("copied", "(copy t i j n u)", "(= u (concatenate t i j2 n2 xs..))", "(concatenate t i j2 n2 xs..)")
	RULE("reversed twice", "(reverse t i j n u)", "(= u (reverse t i j n x))", "x")
	RULE("sum of the negated", "(all-reduce t i j n u)", "(= u (copy t i j2 n2 x))", "(all-reduce t i j n x)")
	RULE("least", "(negate t i j n u)", "(= u (negate t i2 j2 n2 x))", "(copy t i j2 n2 x)")
	RULE("even sine", "(sine t i j n u)", "(= u (negate t i2 j2 n2 x))", "(sine t i j n x)")
	RULE("difference turned", "(subtract t i j n x y)", "", "(subtract t i j n y x)")
	RULE("reversed once", "(reverse t i j n x)", "", "x")
	RULE("no sum", "(all-reduce t i j n x)", "", "x")
	RULE("first is second", "(select t i j n p x y)", "", "x")
	RULE("equal or less", "(compare t i j n x y)", "", "(compare t i j n y x)")
	RULE("other extents", "(transpose t i j n x)", "", "x")
	RULE("one", "(multiply t i j n y u)", "(= u (divide t i2 j2 n2 x x))", "y")
	RULE("malformed", "(reverse t i j n x)", "", "(transpose t i j n x)");

static struct session *with_rules(const char *base, const char *dist, const char *rules)
{
	struct problem_files f = { .base = pair_write("rules.base.hlo", base), .dist = pair_write("rules.dist.hlo", dist), .rules = pair_rules(rules) };
	struct diag err;
	struct session *s = session_new(&f, &err);

	if (!s)
		fail_msg("%s", err.message);
	return s;
}

#define ONE(op) "HloModule m\nENTRY e {\n x = f32[8] parameter(0)\n ROOT o = f32[8] " op "(x)\n}\n"
#define TWO(op) "HloModule m, num_partitions=2\nENTRY e {\n x = f32[8] parameter(0)\n n = f32[8] negate(x)\n ROOT o = f32[8] " op "(n)\n}\n"

static void test_mine(void **state)
{
	struct session *s = with_rules(ONE("cosine"), TWO("cosine"), mine);
	prover *p = session_problem(s)->p;
	bool right = true;
	uint32_t k;
	arena text;

	(void)state;
	arena_init(&text);
	for (k = 0; k < rules_n(p->r); k++) {
		struct rule_check c;
		if (!strstr(rules_at(p->r, k)->file, "mine.egg"))
			continue;
		right = right && strcmp(prover_rule_name(p, k), "even sine");
		c = check(s, k, 600, &text);
		if (!strcmp(prover_rule_name(p, k), "malformed")) {
			if (c.reason)		/* some reversed dimensions are an order of dimensions, too */
				assert_non_null(strstr(c.reason, "the transpose that it builds: "));

		}
		if (right ? c.why || c.firings < ENOUGH : !c.why)
			fail_msg("%s: %s, %d firings; %s", prover_rule_name(p, k), c.why ? c.why : "holds", c.firings, c.reason ? c.reason : "");
	}
	arena_free(&text);
	session_free(s);
}

/* A counterexample is told with its extents, its values, its place. */
static void test_told(void **state)
{
	struct session *s = with_rules(ONE("cosine"), TWO("cosine"), mine);
	struct rule_check c;
	char name[64];
	double left, right;
	arena text;

	(void)state;
	arena_init(&text);
	c = check(s, prover_rule_named(session_problem(s)->p, "difference turned"), 600, &text);
	assert_non_null(c.why);
	assert_int_equal(c.ngiven, 2);
	assert_int_equal(sscanf(c.given[0], "x = %63[^:]: %lf", name, &left), 2);
	assert_int_equal(sscanf(c.given[1], "y = %63[^:]: %lf", name, &right), 2);
	assert_non_null(strstr(c.left, "subtract(x, y)"));
	assert_non_null(strstr(c.right, "subtract(y, x)"));
	assert_int_equal(c.size, 1);		/* the smallest there is */
	assert_non_null(strstr(c.where, "the left side is "));
	assert_true(command_run(s, "rule check difference turned"));
	assert_int_equal(session_checked(s), CHECKED_WRONG);
	assert_true(command_run(s, "rule check even cosine"));	/* one that holds does not make up for it */
	assert_int_equal(session_checked(s), CHECKED_WRONG);
	c = check(s, prover_rule_named(session_problem(s)->p, "no sum"), 600, &text);
	assert_non_null(strstr(c.where, "on device "));
	assert_non_null(strstr(c.given[0], "device 1: "));
	arena_free(&text);
	session_free(s);
}

/* What is wrong where it is applied is not done, so that nothing is proved by it. */
static void test_apply(void **state)
{
	struct session *s = with_rules(ONE("sine"), TWO("sine"), mine);
	enum say how;

	(void)state;
	assert_true(command_run(s, "continue!"));
	assert_false(command_run(s, "apply even sine at %o"));
	assert_non_null(strstr(session_message(s, &how), "it is wrong there: the two sides have different values"));
	assert_true(command_run(s, "continue!"));
	assert_int_equal(problem_goals_met(session_problem(s)), 0);
	session_free(s);
	s = with_rules(ONE("cosine"), TWO("cosine"), mine);
	assert_true(command_run(s, "continue!"));
	assert_true(command_run(s, "apply even cosine at %o"));
	assert_true(command_run(s, "continue!"));
	assert_int_equal(problem_goals_met(session_problem(s)), 1);
	assert_true(command_run(s, "certify"));
	session_free(s);
}

/* Nor is what a rule does that is not asked for: f(-x) = f(x) of the cosine alone, f(f(x)) = f(x) of the absolute value alone. */
static void test_fired(void **state)
{
#define EVEN(set) "(rule ((= s (map t p f x)) (= x (sum t2 p2 c y))) ((union s (map t p f y))) :ruleset " set " :name \"even\")\n"
#define ONCE(set) "(rule ((= s (map t p f x)) (= x (map t2 p2 f y))) ((union s x)) :ruleset " set " :name \"once\")\n"
#define SAME(op) "HloModule m\nENTRY e {\n x = f32[8] parameter(0)\n n = f32[8] " op "(x)\n ROOT o = f32[8] " op "(n)\n}\n"
	static const struct { const char *base, *dist, *rules; int met; } fired[] = {
		{ ONE("cosine"), TWO("cosine"), EVEN("normalize"), 1 }, { ONE("sine"), TWO("sine"), EVEN("normalize"), 0 },
		{ ONE("cosine"), TWO("cosine"), EVEN("search"), 1 }, { ONE("sine"), TWO("sine"), EVEN("search"), 0 },
		{ ONE("floor"), SAME("floor"), ONCE("normalize"), 1 }, { ONE("exponential"), SAME("exponential"), ONCE("normalize"), 0 },
		{ ONE("floor"), SAME("floor"), ONCE("search"), 1 }, { ONE("sqrt"), SAME("sqrt"), ONCE("search"), 0 },
	};
	enum say how;
	size_t k;

	(void)state;
	for (k = 0; k < sizeof fired / sizeof *fired; k++) {
		struct session *s = with_rules(fired[k].base, fired[k].dist, fired[k].rules);
		assert_true(command_run(s, "continue!"));
		assert_int_equal(problem_goals_met(session_problem(s)), fired[k].met);
		if (!fired[k].met) {
			assert_true(command_run(s, k < 4 ? "rule check even" : "rule check once"));
			assert_int_equal(session_checked(s), CHECKED_WRONG);
			assert_false(command_run(s, k < 4 ? "apply even at %o" : "apply once at %o"));
			assert_non_null(strstr(session_message(s, &how), "it is wrong there: the two sides have different values"));
		}
		session_free(s);
	}
}

/* What holds of finite numbers only is applied, and said to be so. */
static void test_finite(void **state)
{
	static const char base[] = "HloModule m\nENTRY e {\n x = f32[8] parameter(0)\n y = f32[8] parameter(1)\n ROOT a = f32[8] abs(y)\n}\n",
			  dist[] = "HloModule m\nENTRY e {\n x = f32[8] parameter(0)\n y = f32[8] parameter(1)\n a = f32[8] abs(y)\n"
				   " d = f32[8] divide(x, x)\n ROOT m = f32[8] multiply(a, d)\n}\n";
	struct session *s = with_rules(base, dist, mine);
	struct page p;
	char line[400];

	(void)state;
	assert_true(command_run(s, "continue!"));
	assert_int_equal(problem_goals_met(session_problem(s)), 0);
	assert_true(command_run(s, "apply one at %m"));
	assert_true(command_run(s, "continue!"));
	assert_true(command_run(s, "certify"));
	page_init(&p);
	session_page(s, PAGE_OUTPUT, &p);
	assert_non_null(strstr(page_text(&p, 0, line, sizeof line), "1 hold where what they read is finite"));
	page_release(&p);
	session_free(s);
}

/* Nothing of a check remains. */
static void test_undone(void **state)
{
	struct session *s = pair_open(true);
	const prover *p = session_problem(s)->p;
	uint32_t nodes, classes, firings;
	arena text;

	(void)state;
	arena_init(&text);
	assert_true(command_run(s, "continue!"));
	nodes = eg_nnode(p->g);
	classes = eg_nclass(p->g);
	firings = history_count(&p->a);
	check(s, prover_rule_named(p, "N10"), 50, &text);
	assert_int_equal(eg_nnode(p->g), nodes);
	assert_int_equal(eg_nclass(p->g), classes);
	assert_int_equal(history_count(&p->a), firings);
	assert_true(command_run(s, "rule check N10"));
	assert_true(command_run(s, "rule check lift-dot"));
	assert_int_equal(session_checked(s), CHECKED_RIGHT);
	assert_true(command_run(s, "rule check lift-gather"));	/* none is drawn at random */
	assert_int_equal(session_checked(s), CHECKED_PARTLY);
	assert_false(command_run(s, "rule check nothing"));
	arena_free(&text);
	session_free(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_shipped), cmocka_unit_test(test_wrong), cmocka_unit_test(test_undone),
		cmocka_unit_test(test_mine), cmocka_unit_test(test_told), cmocka_unit_test(test_apply), cmocka_unit_test(test_fired), cmocka_unit_test(test_finite) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
