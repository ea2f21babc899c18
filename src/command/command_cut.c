/* `test --cut`: what is not proved, run by itself (cut.h).
 *
 * Outputs whose whole way from the inputs is affordable are run on it, and can be
 * refuted.  The frontier is run from cuts in front of it: which rows of the
 * baseline its nodes are by their numbers, and whether the outputs behind differ.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "command/command_in.h"
#include "command/command_test.h"

#define SHARE 0.1		/* of the steps that the whole test may take: a cut is there to be quick */
enum { MOST_OUTPUTS = 32, MOST_FRONTIER = 16, MOST_NEAR = 6, MOST_PLACES = 6 };

/* A test of parts at work. */
struct parts {
	struct session *s;
	struct page *p;
	double most, quick;	/* steps of one run: at most; as many as it may take to move cuts away */
	bool refuted, stopped;
};

/* Outputs that are not proved. */
static int open_goals(const struct session *s, int *goal, int most)
{
	const pair *q = s->p->q;
	int k, n = 0;

	for (k = 0; k < q->ngoal && n < most; k++)
		if (q->goal[k].compared && q->goal[k].base_row >= 0 && q->goal[k].dist_row >= 0 && !goal_met(q, &q->goal[k]))
			goal[n++] = k;
	return n;
}

bool test_cut_due(struct session *s)
{
	struct test_cost c = test_cost(s);

	return !test_affordable(s, &c) && session_nfrontier(s);
}

static int kinds_of(const struct parts *x, const struct cut *c)
{
	double n = floor(x->most / (c->steps > 1 ? c->steps : 1));

	return n < 1 ? 1 : n < NUMBERS_KINDS ? (int)n : NUMBERS_KINDS;
}

static struct trial trial_of(struct session *s, const struct cut *c)
{
	struct trial t = { .setup = c->setup, .part = c, .drawn = c->nplace > 0, .base = -1, .dist = -1 };

	c->setup->p.progress = test_progress;
	c->setup->p.ctx = s;
	c->setup->p.byte_limit = TEST_BYTES;
	return t;
}

/* ---- outputs from the inputs on */

struct priced { int goal; double steps; };

static int by_steps(const void *x, const void *y)
{
	const struct priced *a = x, *b = y;

	return a->steps != b->steps ? (a->steps < b->steps ? -1 : 1) : a->goal - b->goal;
}

/* The affordable ones, cheap ones first. */
static int affordable(const struct parts *t, int n, const int *goal, int *out)
{
	struct priced x[MOST_OUTPUTS];
	const char *why;
	int k, m = 0;

	for (k = 0; k < n; k++) {
		struct cut *c = cut_new(t->s, &(struct cut_wish){ .ngoal = 1, .goal = &goal[k], .steps = t->quick, .exact = true }, &why);

		if (c)
			x[m++] = (struct priced){ goal[k], c->steps };
		cut_free(c);
	}
	qsort(x, (size_t)m, sizeof *x, by_steps);
	for (k = 0; k < m; k++)
		out[k] = x[k].goal;
	return m;
}

static struct cut *exact_part(const struct parts *t, int *n, const int *goal)
{
	struct cut *c = NULL;
	const char *why;

	for (; !c && *n; *n -= !c)
		c = cut_new(t->s, &(struct cut_wish){ .ngoal = *n, .goal = goal, .steps = t->quick, .exact = true }, &why);
	return c;
}

/* Takes what it has run out of goal[]. */
static void test_exactly(struct parts *x, int *n, int *goal)
{
	int near[MOST_OUTPUTS], m = affordable(x, *n, goal, near), k, j, left = 0;
	struct cut *c = exact_part(x, &m, near);
	struct test_values seen = { .s = x->s, .part = c };
	const struct answer *a;
	struct trial t;

	if (!c)
		return;
	page_add(x->p, PG_DIM, "%d of %d unproved outputs run by %s, from the inputs: %s a run", m, *n,
		 m == 1 ? "itself" : "themselves", test_steps(c->steps).text);
	t = trial_of(x->s, c);
	a = test_answers(&t, 0, kinds_of(x, c));
	x->refuted = test_tell(x->s, &t, 0, a, &seen);
	x->stopped = test_stopped(&t, a);
	test_values_free(&seen);
	cut_free(c);
	for (k = 0; k < *n; k++) {
		for (j = 0; j < m && near[j] != goal[k]; j++)
			;
		if (j == m)
			goal[left++] = goal[k];
	}
	*n = left;
}

/* ---- the frontier from cuts on */

struct wished { int n[2], row[2][MOST_FRONTIER * (MOST_NEAR + 1)]; };

static void wish(struct wished *w, enum program_side side, int row)
{
	int k;

	for (k = 0; k < w->n[side] && w->row[side][k] != row; k++)
		;
	if (row >= 0 && k == w->n[side])
		w->row[side][w->n[side]++] = row;
}

/* A frontier node, and the rows of the baseline it might be. */
static void wish_entry(struct session *s, struct wished *w, int row)
{
	const frontier_entry *e = session_entry(s, row);
	int k;

	wish(w, SIDE_DIST, row);
	wish(w, SIDE_BASE, session_nearest(s, row));
	for (k = 0; e && k < e->nbase && k < MOST_NEAR; k++)
		wish(w, SIDE_BASE, e->base[k]);
}

/* With the outputs behind, if those are affordable; with as many frontier nodes as are. */
static struct cut *frontier_part(const struct parts *t, int ngoal, const int *goal, int *nfront, const char **why)
{
	struct session *s = t->s;
	struct cut *c = NULL;
	int n = session_nfrontier(s), k;

	for (n = n < MOST_FRONTIER ? n : MOST_FRONTIER; !c && n; n = c ? n : n / 2) {
		struct wished w = { 0 };
		struct cut_wish x = { .row = { w.row[0], w.row[1] }, .ngoal = ngoal, .goal = goal, .steps = t->most, .quick = t->quick };

		for (k = 0; k < n; k++)
			wish_entry(s, &w, session_frontier(s, k));
		x.n[0] = w.n[0];
		x.n[1] = w.n[1];
		*nfront = n;
		c = cut_new(s, &x, why);
		x.ngoal = 0;
		if (!c && ngoal)
			c = cut_new(s, &x, why);
	}
	return c;
}

static void say_place(struct session *s, struct page *p, const struct cut_place *x)
{
	char d[600], b[600];

	if (x->dist >= 0 && x->base >= 0)
		page_add(p, PG_VERIFIED, "  %s is %s %s: proved", session_name(s, SIDE_DIST, x->dist, d, sizeof d),
			 session_name(s, SIDE_BASE, x->base, b, sizeof b), session_relation(s, SIDE_DIST, x->dist));
	else if (x->dist >= 0)
		page_add(p, PG_VERIFIED, "  %s, %s", session_name(s, SIDE_DIST, x->dist, d, sizeof d), session_relation(s, SIDE_DIST, x->dist));
	else
		page_add(p, PG_VERIFIED, "  %s", session_name(s, SIDE_BASE, x->base, b, sizeof b));
}

static void say_cuts(struct session *s, struct page *p, const struct cut *c)
{
	int k;

	if (!c->nplace) {
		page_add(p, PG_DIM, "the frontier is run from the inputs, without a cut: %s a run", test_steps(c->steps).text);
		return;
	}
	page_add(p, PG_DIM, "cut at %d verified node%s: numbers are drawn there, in both programs as the relation has it; behind, %s a run",
		 c->nplace, c->nplace == 1 ? "" : "s", test_steps(c->steps).text);
	page_add(p, PG_DIM, "inputs need not lead to such numbers: what differs behind a cut is a place to look at, and refutes nothing");
	for (k = 0; k < c->nplace && k < MOST_PLACES; k++)
		say_place(s, p, &c->place[k]);
	if (c->nplace > MOST_PLACES)
		page_add(p, PG_DIM, "  and %d more", c->nplace - MOST_PLACES);
}

static void say_frontier(struct session *s, const struct cut *c, struct test_values *seen, int n, bool refuted)
{
	const struct values *v = test_values(seen, NUMBERS_NORMAL);
	int k;

	for (k = 0; v && k < n; k++)
		if (cut_has(c, SIDE_DIST, session_frontier(s, k)))
			test_say_entry(s, v, session_frontier(s, k), refuted);
	if (!v)
		page_add(&s->output, PG_WARNING, "which rows of the baseline they are is not known: %s", seen->why);
	else if (n < session_nfrontier(s))
		page_add(&s->output, PG_DIM, "the first %d of %d frontier nodes", n, session_nfrontier(s));
}

/* What became of the frontier. */
enum outcome { NOT_RUN, RUN_CUT, RUN_WHOLE };	/* WHOLE: from the inputs, with the outputs */

static enum outcome test_frontier(struct parts *x, int ngoal, const int *goal)
{
	struct session *s = x->s;
	const char *why = "nothing is on the frontier";
	int n = 0;
	struct cut *c = frontier_part(x, ngoal, goal, &n, &why);
	struct test_values seen = { .s = s, .part = c };
	const struct answer *a;
	struct trial t;
	bool whole;

	if (!c) {
		page_add(x->p, PG_WARNING, "the frontier is not run: %s", why);
		return NOT_RUN;
	}
	say_cuts(s, x->p, c);
	t = trial_of(s, c);
	say_frontier(s, c, &seen, n, x->refuted);
	a = test_answers(&t, 0, kinds_of(x, c));
	x->refuted |= test_tell(s, &t, 0, a, &seen);
	x->stopped = test_stopped(&t, a);
	test_values_free(&seen);
	whole = !t.drawn && c->setup->p.ncheck == ngoal;
	cut_free(c);
	return whole ? RUN_WHOLE : RUN_CUT;
}

static const char *whole_run(struct session *s)
{
	struct test_cost c = test_cost(s);

	return arena_printf(&s->text, "all of it would take %s and %.2g GB%s; `set work %.0f` lets `test` run it", test_steps(c.steps).text,
			    c.bytes / 1e9, c.loops_unknown ? ", loops of unknown length counted once" : "", ceil(c.steps / 1e9));
}

static void say_left(struct session *s, struct page *p, int n, const int *goal)
{
	char name[600];
	int k;

	for (k = 0; k < n; k++)
		page_add(p, PG_DIM, "output %d %s is not run from the inputs", s->p->q->goal[goal[k]].out,
			 session_name(s, SIDE_DIST, s->p->q->goal[goal[k]].dist_row, name, sizeof name));
	if (n)
		page_add(p, PG_DIM, "%s", whole_run(s));
}

bool test_cut(struct session *s, double steps)
{
	struct parts x = { .s = s, .most = SHARE * 1e9 * (double)session_setting(s, SET_WORK) };
	int goal[MOST_OUTPUTS], n = open_goals(s, goal, MOST_OUTPUTS), all = n;
	enum outcome frontier;

	if (!n && !session_nfrontier(s))
		return command_fail(s, session_done(s) ? "nothing is unproved: there is nothing to test by itself"
						       : "nothing is on the frontier so far");
	x.p = command_output(s);
	x.quick = steps < 0 || steps > x.most ? x.most : steps;
	test_exactly(&x, &n, goal);
	frontier = !x.stopped && session_nfrontier(s) ? test_frontier(&x, n, goal) : NOT_RUN;
	if (x.stopped && !x.refuted)
		return command_fail(s, "the run was stopped");
	if (!x.stopped && n == all && frontier == NOT_RUN)
		return command_fail(s, "no part is small enough: %s", whole_run(s));
	say_left(s, x.p, frontier == RUN_WHOLE ? 0 : n, goal);
	session_say(s, x.refuted ? SAY_WARNING : SAY_MESSAGE, x.refuted ? "refuted: an input on which the outputs differ" :
		    "nothing is refuted; that numbers agree proves nothing");
	return !s->failed && command_show(s, PAGE_OUTPUT);
}
