/* test_rule_check.c - the shipped rules pass the check by numbers, and wrong ones do not. */
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>
#include "command.h"
#include "pair_files.h"
#include "rule_check.h"
#include "session_in.h"

enum { CORES = 400, ENOUGH = 40 };

static struct rule_check check(struct session *s, uint32_t rule, int cores, arena *text)
{
	struct rule_check_limits l = { .cores = cores, .firings = ENOUGH, .seed = 1 };
	struct rule_check c;

	assert_true(rule_check(session_problem(s)->q, rule, &l, &c, text));
	return c;
}

static bool checkable(const prover *p, uint32_t rule)
{
	uint32_t set = rules_at(p->r, rule)->ruleset;

	return set == p->set_normalize || set == p->set_search;
}

static void test_shipped(void **state)
{
	struct session *s = pair_open(true);
	prover *p;
	uint32_t k, bad = 0, never = 0, n = 0;
	arena text;

	(void)state;
	arena_init(&text);
	assert_true(command_run(s, "continue!"));
	p = session_problem(s)->p;
	for (k = 0; k < rules_n(p->r); k++) {
		struct rule_check c;
		if (!checkable(p, k))
			continue;
		c = check(s, k, CORES, &text);
		n++;
		never += !c.firings && !c.why;
		if (getenv("SHOW"))
			print_message("%-20s %4d cores %3d firings %d over %s\n", prover_rule_name(p, k), c.cores, c.firings, c.over, c.reason ? c.reason : "");
		if (c.why) {
			print_message("%s: %s\n  %s\n  %s\n", prover_rule_name(p, k), c.why, c.left, c.right);
			bad++;
		}
	}
	print_message("%u rules, %u never fired\n", n, never);
	arena_free(&text);
	session_free(s);
	assert_int_equal(bad, 0);
	assert_true(never < n / 2);
}

/* Tempting rules, each wrong for another reason: negative numbers, unequal ones, ties, zeros and poles. */
static const char wrong[] =
	"(rule ((= s (map t p \"abs\" x))) ((union s (at t p x))) :ruleset search :name \"abs is nothing\")\n"
	"(rule ((= s (red t p \"maximum\" x))) ((union s (red t p \"minimum\" x))) :ruleset search :name \"maximum is minimum\")\n"
	"(rule ((= s (map t p \"compare:LT\" x y))) ((union s (map t p \"compare:LE\" x y))) :ruleset search :name \"less is at most\")\n"
	"(rule ((= s (map t p \"sqrt\" x))) ((union s (map t p \"cbrt\" x))) :ruleset search :name \"root is root\")\n"
	"(rule ((= s (map t p \"exponential\" x))) ((union s (map t p \"exponential-minus-one\" x))) :ruleset search :name \"one less\")\n";
static const char *const wrong_name[] = { "abs is nothing", "maximum is minimum", "less is at most", "root is root", "one less" };

static const char *wrong_rules(void)
{
	static const char *const file[] = { "tensors", "lift", "structure", "normalize", "search" };
	static char folder[200];
	char from[600], to[600], real[PATH_MAX];
	FILE *f;
	int k;

	snprintf(folder, sizeof folder, "%s/rules", pair_folder());
	assert_int_equal(mkdir(folder, 0777), 0);
	for (k = 0; k < 5; k++) {
		snprintf(from, sizeof from, SRCDIR "/rules/%s.egg", file[k]);
		snprintf(to, sizeof to, "%s/%s.egg", folder, file[k]);
		assert_non_null(realpath(from, real));
		assert_int_equal(symlink(real, to), 0);
	}
	snprintf(to, sizeof to, "%s/wrong.egg", folder);
	f = fopen(to, "w");
	assert_non_null(f);
	assert_true(fputs(wrong, f) >= 0);
	assert_int_equal(fclose(f), 0);
	return folder;
}

static void test_wrong(void **state)
{
	struct problem_files f = { SRCDIR "/samples/mlp.base.hlo", SRCDIR "/samples/mlp.dist.hlo", SRCDIR "/samples/mlp.plan",
				   wrong_rules(), false };
	struct diag err;
	char why[1200];
	struct session *s = session_new(&f, &err);
	arena text;
	size_t k;

	(void)state;
	if (!s)
		fail_msg("%s", diag_text(&err, why, sizeof why));
	arena_init(&text);
	for (k = 0; k < sizeof wrong_name / sizeof *wrong_name; k++) {
		uint32_t rule = prover_rule_named(session_problem(s)->p, wrong_name[k]);
		struct rule_check c;
		assert_int_not_equal(rule, NIL);
		c = check(s, rule, 2000, &text);
		if (!c.why)
			fail_msg("%s: not caught in %d firings on %d cores", wrong_name[k], c.firings, c.cores);
	}
	arena_free(&text);
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
	assert_false(command_run(s, "rule check lift-dot"));
	assert_false(command_run(s, "rule check nothing"));
	arena_free(&text);
	session_free(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_shipped), cmocka_unit_test(test_wrong), cmocka_unit_test(test_undone) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
