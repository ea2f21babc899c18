/* test_rule_check.c - the shipped rules pass the check by numbers, and wrong ones do not. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
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

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_shipped) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
