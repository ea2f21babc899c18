/* Every union the algebra makes on real pairs has a proof that the checker
 * accepts, and none when a step is left out or a firing is swapped; undo to the
 * start and a second run give the same graph.  Pairs: samples/, and ../shared
 * where it is. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>
#include <glob.h>
#include "problem/problem.h"
#include "prover/proof.h"

#ifndef SRCDIR
#define SRCDIR "."
#endif

static uint32_t pairs, proofs, dropped, swapped;

static void check_proof(struct problem *p, uint32_t edge, arena *a)
{
	const egraph *g = p->p->g;
	const eg_edge *e = eg_get_edge(g, edge);
	explanation x = proof_of(&p->p->a, e->a, e->b, a);
	explain_item *less;
	uint32_t item = 0, out;
	const char *why = proof_check(&p->p->a, &x, &item);

	if (why)
		fail_msg("%s, edge %u, item %u of %u: %s", p->files.dist, edge, item, x.n, why);
	proofs++;
	if (x.n < 2)
		return;
	out = edge % x.n;
	less = ARENA_ARRAY(a, explain_item, x.n);
	memcpy(less, x.item, out * sizeof *less);
	memcpy(less + out, x.item + out + 1, (x.n - out - 1) * sizeof *less);
	x.item = less;
	x.n--;
	assert_non_null(proof_check(&p->p->a, &x, &item));
	dropped++;
}

/* A union that points at another firing is not accepted. */
static void check_swap(struct problem *p, uint32_t edge, arena *a)
{
	eg_edge *e = (eg_edge *)eg_get_edge(p->p->g, edge);
	explanation x = proof_of(&p->p->a, e->a, e->b, a);
	uint32_t was = e->firing, item;
	const hist_entry *f;

	if (e->kind != EG_RULE)
		return;
	e->firing = (was + 1) % history_count(&p->p->a);
	f = history_at(&p->p->a, e->firing);
	if (eg_root(p->p->g, f->node) != eg_root(p->p->g, e->a)) {
		assert_non_null(proof_check(&p->p->a, &x, &item));
		swapped++;
	}
	e->firing = was;
}

static void check_pair(const char *base, const char *dist)
{
	struct problem_files files = { .base = base, .dist = dist };
	struct diag d;
	struct problem *p = problem_load(&files, &d);
	trail_mark start;
	uint32_t i, nodes, edges, nstart;
	arena a;

	if (!p)
		return;
	arena_init(&a);
	start = trail_at(eg_trail(p->p->g));
	nstart = eg_nnode(p->p->g);
	pair_run(p->q);
	nodes = eg_nnode(p->p->g);
	edges = eg_nedge(p->p->g);
	assert_null(eg_check(p->p->g));
	for (i = 0; i < edges; i++) {
		arena_mark mark = arena_at(&a);

		check_proof(p, i, &a);
		check_swap(p, i, &a);
		arena_reset(&a, mark);
	}
	trail_undo(eg_trail(p->p->g), start);
	assert_null(eg_check(p->p->g));
	assert_int_equal(eg_nnode(p->p->g), nstart);
	pair_run(p->q);
	assert_int_equal(eg_nnode(p->p->g), nodes);
	assert_int_equal(eg_nedge(p->p->g), edges);
	pairs++;
	arena_free(&a);
	problem_free(p);
}

static void check_all(const char *pattern)
{
	static const char *kind[] = { "dist", "fixed" };
	glob_t g;
	size_t i, k;

	if (glob(pattern, 0, NULL, &g))
		return;
	for (i = 0; i < g.gl_pathc; i++) {
		size_t stem = strlen(g.gl_pathv[i]) - strlen("base.hlo");

		for (k = 0; k < 2; k++) {
			char dist[4096];

			snprintf(dist, sizeof dist, "%.*s%s.hlo", (int)stem, g.gl_pathv[i], kind[k]);
			check_pair(g.gl_pathv[i], dist);
		}
	}
	globfree(&g);
}

static void test_pairs(void **state)
{
	(void)state;
	check_all(SRCDIR "/samples/*.base.hlo");
	check_all(SRCDIR "/../shared/cases/*.base.hlo");
	check_all(SRCDIR "/../shared/cases-extra/*.base.hlo");
	if (!pairs)
		skip();
	assert_true(proofs > 20 && dropped > 5 && swapped > 5);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_pairs) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
