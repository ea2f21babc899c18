/* test_cut.c - parts of programs: exact ones compute what the whole programs do, number for number; and what lies behind
 * cuts agrees in programs that are right.
 *
 * Pairs may be named on the command line: STEM.FORM.hlo with STEM.base.hlo and STEM.plan beside it. */
#include <glob.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>
#include "command/command.h"
#include "pair_files.h"
#include "session/cut.h"
#include "session/session_in.h"

#define STEPS 2e8		/* of one run: larger programs are left out */

static int exact, drawn, cuts, differing;

static struct session *open_dist(const char *dist)
{
	char base[600], plan[600];
	size_t stem = strlen(dist) - strlen(".hlo");

	while (stem && dist[stem - 1] != '.')
		stem--;
	snprintf(base, sizeof base, "%.*s.base.hlo", (int)stem - 1, dist);
	snprintf(plan, sizeof plan, "%.*s.plan", (int)stem - 1, dist);
	return access(base, R_OK) ? NULL : pair_of(base, dist, access(plan, R_OK) ? NULL : plan);
}

static int goals_of(const struct numbers_setup *n, int *goal, int most)
{
	int k;

	for (k = 0; k < n->p.ncheck && k < most; k++)
		goal[k] = n->goal[k];
	return k;
}

static void same_results(const char *name, const numbers_result *w, const numbers_result *p, int check, int kind)
{
	bool same = w->verdict == p->verdict && w->compared == p->compared &&
		    (w->verdict != NUMBERS_DIFFER || (w->device == p->device && w->local == p->local && w->global == p->global &&
						      !memcmp(&w->base, &p->base, sizeof w->base) && !memcmp(&w->dist, &p->dist, sizeof w->dist)));

	if (!same)
		fail_msg("%s: check %d, kind %d: the whole says %d (%.17g, %.17g; %lld), its part %d (%.17g, %.17g; %lld)", name, check, kind, w->verdict,
			 w->base, w->dist, (long long)w->compared, p->verdict, p->base, p->dist, (long long)p->compared);
}

/* Every goal by itself, and all together. */
static void check_part(const char *name, struct session *s, const struct numbers_setup *whole, int n, const int *goal, int first)
{
	const char *why;
	struct cut *c = cut_new(s, &(struct cut_wish){ .ngoal = n, .goal = goal, .steps = STEPS, .exact = true }, &why);
	numbers *a, *b;
	int kind, k;

	if (!c)
		return;
	assert_int_equal(c->nplace, 0);
	a = numbers_new(&whole->p);
	b = numbers_new(&c->setup->p);
	for (kind = 0; kind < NUMBERS_KINDS; kind++) {
		numbers_result x = numbers_run(a, (enum numbers_kind)kind, (uint64_t)kind + 1);
		numbers_result y = numbers_run(b, (enum numbers_kind)kind, (uint64_t)kind + 1);

		if (!x.ran)	/* an operation that a part may do without */
			break;
		assert_true(y.ran);
		for (k = 0; k < n && !x.overflow; k++) {
			numbers_result w = numbers_checked(a, first + k), p = numbers_checked(b, k);

			same_results(name, &w, &p, first + k, kind);
			exact++;
		}
	}
	numbers_free(a);
	numbers_free(b);
	cut_free(c);
}

static void check_exact(const char *name, struct session *s)
{
	const char *why;
	struct numbers_setup *whole = numbers_setup(s->p, &why);
	int goal[64], n, k;

	if (!whole)
		return;
	n = goals_of(whole, goal, 64);
	if (interp_estimate(s->p->base_m, s->p->base_ms.ndev).madds + interp_estimate(s->p->dist_m, s->p->ms.ndev).madds < STEPS) {
		check_part(name, s, whole, n, goal, 0);
		for (k = 0; k < n && n > 1; k++)
			check_part(name, s, whole, 1, &goal[k], k);
	}
	numbers_setup_free(whole);
}

/* Cut as near in front of a proved output as can be. */
static void check_drawn(const char *name, struct session *s, int k)
{
	const goal *g = &s->p->q->goal[k];
	struct cut_wish w = { .n = { 1, 1 }, .row = { &g->base_row, &g->dist_row }, .ngoal = 1, .goal = &k, .steps = STEPS };
	const char *why;
	struct cut *c = cut_new(s, &w, &why);
	numbers *n;
	int kind;

	if (!c || !c->nplace) {
		cut_free(c);
		return;
	}
	n = numbers_new(&c->setup->p);
	for (kind = 0; kind < NUMBERS_KINDS; kind++) {
		numbers_result r = numbers_run(n, (enum numbers_kind)kind, (uint64_t)kind + 1);

		if (!r.ran || r.overflow)
			continue;
		drawn++;
		cuts += c->nplace;
		if (r.verdict != NUMBERS_DIFFER || !isfinite(r.base) || !isfinite(r.dist))
			continue;
		differing++;
		print_message("%s: output %d behind %d cuts, kind %d: %.9g, %.9g\n", name, g->out, c->nplace, kind, r.base, r.dist);
		break;
	}
	numbers_free(n);
	cut_free(c);
}

static void check_pair(const char *dist)
{
	const char *slash = strrchr(dist, '/'), *name = slash ? slash + 1 : dist;
	struct session *s = open_dist(dist);
	int k;

	if (!s)
		return;
	command_run(s, "continue!");
	if (!s->p->base_in) {
		check_exact(name, s);
		for (k = 0; k < s->p->q->ngoal; k++)
			if (s->p->q->goal[k].compared && goal_met(s->p->q, &s->p->q->goal[k]))
				check_drawn(name, s, k);
	}
	session_free(s);
}

static void check_all(const char *pattern)
{
	glob_t found = { 0 };
	size_t k;

	if (!glob(pattern, 0, NULL, &found))
		for (k = 0; k < found.gl_pathc; k++)
			check_pair(found.gl_pathv[k]);
	globfree(&found);
}

static void test_samples(void **state)
{
	(void)state;
	check_all(SRCDIR "/samples/*.broken.hlo");
	check_all(SRCDIR "/samples/*.dist.hlo");
	assert_true(exact > 0);
	assert_true(drawn > 0);
	assert_int_equal(differing, 0);
}

static void test_cases(void **state)
{
	(void)state;
	if (access(SRCDIR "/../shared/cases", R_OK))
		skip();
	check_all(SRCDIR "/../shared/cases/*.dist.hlo");
	check_all(SRCDIR "/../shared/cases/*.fixed.hlo");
	assert_true(drawn > 100);
	assert_int_equal(differing, 1);	/* its cuts hold the largest values, and where they are: not any two go together */
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_samples), cmocka_unit_test(test_cases) };
	int k;

	for (k = 1; k < argc; k++)
		check_pair(argv[k]);
	if (argc > 1) {
		printf("%d exact, %d drawn behind %d cuts, %d differ\n", exact, drawn, cuts, differing);
		return 0;
	}
	return cmocka_run_group_tests(tests, NULL, NULL);
}
