/* The math benchmark: golden counts of every step, however they are reached. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "egglog_world.h"
#include "rule/check.h"

#ifndef SRCDIR
#define SRCDIR "."
#endif

enum { STEPS = 10 };
static const uint32_t nodes[] = { 35, 69, 118, 208, 389, 784, 1576, 3160, 8113, 28303, 136446 };
static const uint32_t classes[] = { 0, 50, 71, 116, 197, 361, 666, 1347, 3576, 12445, 58464 };

static void load(struct world *w, const char *name)
{
	static char text[1 << 16];
	FILE *file = fopen(name, "rb");
	const char *error;
	size_t n;

	assert_non_null(file);
	n = fread(text, 1, sizeof text, file);
	fclose(file);
	error = egglog_load(w->p, name, text, n);
	if (!error)
		error = egglog_run(w->p);
	if (error)
		fail_msg("%s", error);
}

static void open_math(struct world *w, bool trail_on, bool proofs, bool track)
{
	open_world(w, trail_on, proofs, track);
	load(w, SRCDIR "/tests/math.egg");
}

static void golden(const struct world *w, uint32_t step)
{
	assert_int_equal(eg_live(w->g), nodes[step]);
	if (step)
		assert_int_equal(eg_nclass(w->g), classes[step]);
}

static void run_all(bool trail_on, bool proofs, bool track)
{
	struct world w;
	uint32_t k;

	open_math(&w, trail_on, proofs, track);
	golden(&w, 0);
	assert_int_equal(rules_n(w.r), 24);
	for (k = 1; k <= STEPS; k++) {
		assert_null(schedule_run(w.s, 0));
		golden(&w, k);
	}
	assert_null(eg_check(w.g));
	close_world(&w);
}

static void test_plain(void **state)
{
	(void)state;
	run_all(false, false, false);
}

static void test_proofs(void **state)
{
	(void)state;
	run_all(true, true, false);
}

static void test_delta(void **state)
{
	(void)state;
	run_all(false, false, true);
}

static void test_stepped(void **state)
{
	struct world w;
	uint32_t k, firings_before;
	fired x;

	open_math(&w, true, true, true);
	(void)state;
	for (k = 1; k <= 8; k++) {
		schedule_open(w.s, 0);
		for (;;) {
			firings_before = firing_n(w.f);
			if (schedule_step(w.s, &x) != STEP_FIRED)
				break;
			assert_true(x.changed);
			assert_int_equal(firing_n(w.f), firings_before + 1);
		}
		golden(&w, k);
	}
	close_world(&w);
}

/* Back to the start of every step and forward again; then into the middle of one. */
static void test_undo(void **state)
{
	struct world w;
	trail_mark mark[STEPS + 1], middle;
	uint32_t k, i, live, n;
	fired x;

	open_math(&w, true, true, true);
	(void)state;
	for (k = 1; k <= 9; k++) {
		mark[k] = trail_at(eg_trail(w.g));
		assert_null(schedule_run(w.s, 0));
	}
	golden(&w, 9);
	for (k = 9; k >= 1; k--) {
		trail_undo(eg_trail(w.g), mark[k]);
		golden(&w, k - 1);
	}
	assert_null(eg_check(w.g));
	for (k = 1; k <= 7; k++)
		assert_null(schedule_run(w.s, 0));
	golden(&w, 7);
	schedule_open(w.s, 0);
	for (i = 0; i < 1000; i++)
		assert_int_equal(schedule_step(w.s, &x), STEP_FIRED);
	middle = trail_at(eg_trail(w.g));
	live = eg_live(w.g);
	n = firing_n(w.f);
	while (schedule_step(w.s, &x) == STEP_FIRED)
		;
	golden(&w, 8);
	trail_undo(eg_trail(w.g), middle);
	assert_int_equal(eg_live(w.g), live);
	assert_int_equal(firing_n(w.f), n);
	assert_null(eg_check(w.g));
	while (schedule_step(w.s, &x) == STEP_FIRED)
		;
	golden(&w, 8);
	close_world(&w);
}

/* With fuel it saturates: the last iteration changes nothing. */
static void test_fuel(void **state)
{
	static const struct {
		const char *fuel;
		uint32_t iterations, nodes, classes;
	} golden_fuel[] = {
		{ "(let $fuel (More (Zero)))", 11, 973, 176 },
		{ "(let $fuel (More (More (Zero))))", 12, 1516, 308 },
		{ "(let $fuel (More (More (More (Zero)))))", 23, 50021, 5131 },
	};
	uint32_t i, k, n;

	(void)state;
	for (i = 0; i < 6; i++) {
		struct world w;
		char text[200];

		open_world(&w, i & 1, i & 1, true);
		snprintf(text, sizeof text, "(datatype Fuel (Zero) (More Fuel)) %s", golden_fuel[i / 2].fuel);
		assert_null(egglog_load(w.p, "fuel", text, strlen(text)));
		load(&w, SRCDIR "/tests/fuel.egg");
		for (k = 0, n = 0; k < 40 && !n; k++) {
			assert_null(schedule_run(w.s, 0));
			n = schedule_saturated(w.s) ? k + 1 : 0;
		}
		assert_int_equal(n, golden_fuel[i / 2].iterations);
		assert_int_equal(eg_live(w.g), golden_fuel[i / 2].nodes);
		assert_int_equal(eg_nclass(w.g), golden_fuel[i / 2].classes);
		assert_null(eg_check(w.g));
		close_world(&w);
	}
}

/* Random pairs of equal nodes: every explanation passes the checker, and none
 * passes with one of its unions left out. */
static void test_explain(void **state)
{
	struct world w;
	uint32_t k, i, longest = 0, shown = 0, spoilt = 0;
	uint64_t seed = 1;
	arena a;

	open_math(&w, true, true, false);
	(void)state;
	arena_init(&a);
	for (k = 1; k <= 8; k++)
		assert_null(schedule_run(w.s, 0));
	for (i = 0; i < 200000 && shown < 400; i++) {
		arena_mark mark = arena_at(&a);
		eg_id x, y;
		explanation e;
		check_result c;

		seed = seed * 6364136223846793005ull + 1442695040888963407ull;
		x = (eg_id)((seed >> 33) % eg_nnode(w.g));
		y = eg_root(w.g, x);
		if (x == y)
			continue;
		shown++;
		e = explain_now(w.f, x, y, &a);
		assert_true(e.equal);
		assert_false(e.tainted);
		c = check_explanation(w.f, &e, &a);
		if (c.why)
			fail_msg("%s (item %u of %u)", c.why, c.item, e.n);
		assert_int_equal(c.rules, e.nrule);
		if (e.n > longest)
			longest = e.n;
		if (e.n > 1) {
			explain_item *less = ARENA_ARRAY(&a, explain_item, e.n);
			uint32_t out = (uint32_t)(seed >> 20) % e.n;

			memcpy(less, e.item, out * sizeof *less);
			memcpy(less + out, e.item + out + 1, (e.n - out - 1) * sizeof *less);
			e.item = less;
			e.n--;
			assert_non_null(check_explanation(w.f, &e, &a).why);
			spoilt++;
		}
		assert_non_null(explain_text(w.f, &a, &e.item[0], 3));
		arena_reset(&a, mark);
	}
	assert_true(shown == 400 && spoilt > 50 && longest > 5);
	arena_free(&a);
	close_world(&w);
}

/* A rule edge that is attributed to another firing does not pass. */
static void test_forged(void **state)
{
	struct world w;
	uint32_t k, refused = 0, tried = 0;
	arena a;

	open_math(&w, true, true, false);
	(void)state;
	arena_init(&a);
	for (k = 1; k <= 4; k++)
		assert_null(schedule_run(w.s, 0));
	for (k = 0; k < eg_nedge(w.g); k++) {
		eg_edge *edge = (eg_edge *)eg_get_edge(w.g, k);
		uint32_t was = edge->firing;
		explanation e;

		if (edge->kind != EG_RULE)
			continue;
		e = explain_now(w.f, edge->a, edge->b, &a);
		edge->firing = (was + 7) % firing_n(w.f);
		refused += check_explanation(w.f, &e, &a).why != NULL;
		edge->firing = was;
		tried++;
	}
	assert_true(tried > 100 && refused == tried);
	arena_free(&a);
	close_world(&w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_plain),	cmocka_unit_test(test_proofs), cmocka_unit_test(test_delta),
		cmocka_unit_test(test_stepped), cmocka_unit_test(test_undo),   cmocka_unit_test(test_fuel), cmocka_unit_test(test_explain),
		cmocka_unit_test(test_forged),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
