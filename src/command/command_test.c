/* `test`: both programs run on random numbers that satisfy the plan, outputs and a pair of rows compared. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "command/command_in.h"
#include "command/command_test.h"
#include "problem/alternatives.h"
#include "session/divergence.h"
#include "session/row_map.h"
#include "text/input.h"

#define WORK 5e8			/* comparisons of places to say what rows are by their numbers */
#define SIMPLIFY 2e9		/* multiply-adds to make a counterexample simpler.. */
#define SIMPLIFY_RUNS 400	/* .. and runs, at most */

/* ---- the pair */

static bool plain_row(const program *p, int row)
{
	return row >= 0 && p->row[row].element < 0 && p->row[row].inst->parent == p->m->entry && !strchr(p->row[row].path, '/');
}

static bool add_pair(struct session *s, struct trial *t, const char *chain, const char **why)
{
	struct row_map *map = NULL;
	numbers_check *c;
	int n = t->setup->p.ncheck;

	if (!plain_row(s->p->base, t->base) || !plain_row(s->p->dist, t->dist)) {
		*why = "only instructions of the entry computation can be compared";
		return false;
	}
	map = row_map_new(s, &t->setup->a, t->base, t->dist, chain, &t->relation, why);
	if (!map)
		return false;
	c = ARENA_ARRAY(&t->setup->a, numbers_check, n + 1);
	if (n)
		memcpy(c, t->setup->p.check, sizeof *c * (size_t)n);
	memset(&c[n], 0, sizeof c[n]);
	c[n].n = row_elements(&s->p->base->row[t->base]);
	c[n].base.inst = s->p->base->row[t->base].inst;
	c[n].dist.inst = s->p->dist->row[t->dist].inst;
	c[n].dist.rel.map = row_map_index;
	c[n].dist.rel.ctx = map;
	t->setup->p.check = c;
	t->setup->p.ncheck = n + 1;
	t->npair = 1;
	return true;
}

/* ---- running, and what came out */

struct test_steps test_steps(double steps)
{
	struct test_steps t;

	snprintf(t.text, sizeof t.text, steps < 99.5e9 ? "%.2g billion steps" : "%.0f billion steps", steps / 1e9);
	return t;
}

int test_progress(void *ctx, double done, double total)
{
	char text[96];

	snprintf(text, sizeof text, "running numbers, %d%% of %s", total > 0 ? (int)(100 * done / total) : 0, test_steps(total).text);
	return session_busy(ctx, text);
}

static const char *check_name(struct session *s, const struct trial *t, int check, char *buf, size_t n)
{
	const goal *g;
	char d[500], b[500];

	if (check == t->setup->p.ncheck - 1 && t->npair) {
		snprintf(buf, n, "%s = %s %s", session_name(s, SIDE_DIST, t->dist, d, sizeof d),
			 session_name(s, SIDE_BASE, t->base, b, sizeof b), t->relation);
		return buf;
	}
	g = &s->p->q->goal[t->setup->goal[check]];
	snprintf(buf, n, "output %d %s", g->out, session_name(s, SIDE_DIST, g->dist_row, d, sizeof d));
	return buf;
}

/* What the whole tensors are of which a distributed baseline's rows are parts, no row says: a number then. */
static const char *place_of(const struct session *s, const struct row *r, int64_t at, char *buf, size_t n)
{
	if (!s->p->base_in)
		return values_place_text(r, at, buf, n);
	snprintf(buf, n, "place %lld", (long long)at);
	return buf;
}

/* As many digits as tell the two apart, if there are so many. */
static int digits_of(double x, double y)
{
	char a[40], b[40];

	snprintf(a, sizeof a, "%.9g", x);
	snprintf(b, sizeof b, "%.9g", y);
	return strcmp(a, b) ? 9 : 17;
}

/* "device 0, [0,1,0] has 3, the baseline's [0,1,0] has 4" */
static const char *seen_text(const struct session *s, const struct trial *t, int check, const numbers_result *x, char *buf, size_t n)
{
	bool pair = check == t->setup->p.ncheck - 1 && t->npair;
	const goal *g = pair ? NULL : &s->p->q->goal[t->setup->goal[check]];
	const struct row *d = &s->p->dist->row[pair ? t->dist : g->dist_row], *b = &s->p->base->row[pair ? t->base : g->base_row];
	char local[200], global[200];
	int digits = digits_of(x->dist, x->base);

	snprintf(buf, n, "device %d, %s has %.*g, the baseline's %s has %.*g", x->device, place_of(s, d, x->local, local, sizeof local), digits,
		 x->dist, place_of(s, b, x->global, global, sizeof global), digits, x->base);
	return buf;
}

static void remember(struct session *s, struct counterexample *c)
{
	counterexample_free(s->found);
	s->found = c;
	s->found_saved = false;
}

static void say_difference(struct session *s, struct page *p, const struct trial *t, const numbers_result *r, enum numbers_kind kind)
{
	char name[1100], seen[600];

	page_add(p, t->drawn ? PG_FRONTIER : PG_REFUTED, "%s differs", check_name(s, t, r->check, name, sizeof name));
	page_more(p, PG_NORMAL, "%s: %s%s (%s)", t->drawn ? " on operands that the verified nodes allow" : "",
		  r->within_base ? "the devices of the baseline do not agree; its " : "", seen_text(s, t, r->check, r, seen, sizeof seen),
		  numbers_kind_name(kind));
}

static void say_answer(struct session *s, struct page *p, const struct trial *t, int check, const struct answer *x)
{
	const numbers_result *r = &x->r;
	char name[1100];

	if (r->verdict == NUMBERS_DIFFER) {
		say_difference(s, p, t, r, x->kind);
		if (!t->drawn && check < t->setup->p.ncheck - t->npair)
			remember(s, counterexample_drawn(t->setup, s->p->q->goal[t->setup->goal[check]].out, x->kind, (uint64_t)x->kind + 1, r));
	} else if (r->verdict == NUMBERS_REFUSED) {
		page_add(p, PG_WARNING, "%s: %s%s%s", check_name(s, t, check, name, sizeof name), r->where ? r->where->name : "",
			 r->where ? ": " : "", r->why ? r->why : "it cannot be run");
	} else if (!x->agreed) {
		page_add(p, PG_WARNING, "%s: numbers of every kind left the range of double precision, or hang on how they are rounded", check_name(s, t, check, name, sizeof name));
	} else {
		page_add(p, PG_VERIFIED, "%s", check_name(s, t, check, name, sizeof name));
		page_more(p, PG_NORMAL, ": equal on %d kind%s of numbers, %lld places each%s", x->agreed, x->agreed == 1 ? "" : "s",
			  (long long)r->compared, t->drawn ? ", from the cuts on" : "");
	}
}

/* One run of both programs answers for all checks that have agreed so far; false: none is left, or no run is possible. */
static bool run_kind(const struct trial *t, int from, enum numbers_kind kind, struct answer *x)
{
	numbers *n = numbers_new(&t->setup->p);
	numbers_result all = numbers_run(n, kind, (uint64_t)kind + 1), r;
	bool open = false;
	int k;

	for (k = from; k < t->setup->p.ncheck; k++) {
		if (x[k].r.verdict != NUMBERS_EQUAL)
			continue;
		r = all.ran ? numbers_checked(n, k) : all;
		r.overflow |= t->drawn && r.verdict == NUMBERS_DIFFER && !(isfinite(r.base) && isfinite(r.dist));	/* out of its domain */
		open |= r.overflow;
		if (r.overflow)
			continue;
		x[k].r = r;
		x[k].r.check = k;
		x[k].r.why = r.why ? arena_strdup(&t->setup->a, r.why) : NULL;	/* the numbers go */
		x[k].agreed += r.verdict == NUMBERS_EQUAL;
		x[k].kind = kind;
		open |= x[k].r.verdict == NUMBERS_EQUAL;
	}
	numbers_setup_take(t->setup, n);
	numbers_free(n);
	return open;
}

struct answer *test_answers(const struct trial *t, int from, int kinds)
{
	struct answer *x = arena_zalloc(&t->setup->a, sizeof *x * (size_t)(t->setup->p.ncheck + 1));
	int k;

	for (k = 0; k < kinds && run_kind(t, from, (enum numbers_kind)k, x); k++)
		;
	return x;
}

/* ---- values of all rows */

struct values *test_values(struct test_values *seen, enum numbers_kind kind)
{
	struct values_options o = { .kind = kind, .seed = (uint64_t)kind + 1, .part = seen->part };
	struct session *s = seen->s;

	if (!seen->part && s->values && values_kind(s->values) == kind)
		return s->values;
	if (!seen->v[kind] && !seen->tried[kind])
		seen->v[kind] = values_run(s, &o, &seen->why);
	seen->tried[kind] = true;
	return seen->v[kind];
}

void test_values_free(struct test_values *seen)
{
	struct session *s = seen->s;
	int k;

	if (!seen->part && !s->values) {	/* pages show them */
		s->values = seen->v[NUMBERS_NORMAL];
		seen->v[NUMBERS_NORMAL] = NULL;
	}
	for (k = 0; k < NUMBERS_KINDS; k++)
		values_free(seen->v[k]);
}

/* ---- the frontier by numbers */

/* Every row of DIST against every row of BASE, in a few placements. */
static bool affordable(const struct session *s)
{
	double sum = 0;
	int k;

	for (k = 0; k < s->p->dist->nrow; k++)
		sum += (double)row_elements(&s->p->dist->row[k]) * (double)s->p->ms.ndev * s->p->base->nrow;
	return sum < WORK;
}

void test_say_entry(struct session *s, const struct values *v, int row, bool refuted)
{
	struct page *p = &s->output;
	char name[600], of[600];
	const char *chain;
	int b, like;

	if (!values_of(v, SIDE_DIST, row, 0))
		return;
	b = values_like(v, row, &chain);
	page_add(p, b < 0 ? PG_FRONTIER : PG_RELATION, "%s", session_name(s, SIDE_DIST, row, name, sizeof name));
	like = state_of(session_states(s), row)->verified ? session_counterpart(s, SIDE_DIST, row) : -1;
	if (b < 0) {
		if (like < 0)
			page_more(p, PG_NORMAL, ": by its numbers it is no row of the baseline");
		else
			page_more(p, PG_NORMAL, ": it is %s, but in no plain placement: %s", session_name(s, SIDE_BASE, like, of, sizeof of),
				  session_relation(s, SIDE_DIST, row));
		return;
	}
	page_more(p, PG_NORMAL, ": by its numbers it is %s %s%s", session_name(s, SIDE_BASE, b, of, sizeof of), chain,
		  refuted ? "" : divergence_meaning(s, b, row));
}

/* Beside the frontier by proof: what its nodes are by their numbers.  Where nothing is refuted, a rule is missing. */
static void say_frontier(struct session *s, struct test_values *seen, bool refuted)
{
	int k, n = session_nfrontier(s);
	const struct values *v = n && affordable(s) ? test_values(seen, NUMBERS_NORMAL) : NULL;

	for (k = 0; k < n && v; k++)
		test_say_entry(s, v, session_frontier(s, k), refuted);
}

/* ---- where they part */

static void say_apart(struct session *s, struct page *p, const struct values *v, int out, int *last)
{
	char name[600];
	bool corresponds;
	int row = divergence_reals(s, v, out, &corresponds);

	if (row < 0) {
		page_add(p, PG_DIM, "  no instruction can be named at which they part");
		return;
	}
	session_name(s, SIDE_DIST, row, name, sizeof name);
	page_add(p, PG_FRONTIER, corresponds ? "  %s is a row of the baseline, only not as the plan has it: a step is missing or wrong" :
		 "  the first instruction that differs while its operands correspond: %s", name);
	if (row == *last)
		page_more(p, PG_DIM, ", as above");
	else
		divergence_say(s, p, v, row, corresponds);
	if (!pair_done(s->p->q))
		page_add(p, PG_WARNING, "  not all rows are related yet: run to the verdict, and test again, before this is believed");
	*last = row;
}

/* A refuted output, with the values of every row: on normal numbers, where hardly two rows are alike by chance, if they show the
 * difference, too; else on those that did. */
static void say_parting(struct session *s, struct page *p, const struct trial *t, int check, const struct answer *x,
			struct test_values *seen, int *last)
{
	struct values *v = test_values(seen, NUMBERS_NORMAL);

	if (x->kind != NUMBERS_NORMAL && !(v && values_check(v, check).verdict == NUMBERS_DIFFER))
		v = test_values(seen, x->kind);
	if (v)
		say_apart(s, p, v, s->p->q->goal[t->setup->goal[check]].dist_row, last);
	else
		page_add(p, PG_WARNING, "  where they part is not known: %s", seen->why);
}

/* ---- equal over the reals, different as declared */

struct readings {
	struct values *declared, *reals;
	const char *why;	/* there are none */
};

/* Of the outputs alone, or of all rows. */
static struct readings read_both(struct session *s, bool outputs)
{
	struct values_options o = { .kind = NUMBERS_NORMAL, .seed = NUMBERS_NORMAL + 1, .reading = INTERP_DECLARED, .rounded = true,
				    .outputs = outputs };
	struct readings r = { 0 };

	r.declared = values_run(s, &o, &r.why);
	o.reading = INTERP_REALS;
	r.reals = r.declared ? values_run(s, &o, &r.why) : NULL;
	return r;
}

static void readings_free(struct readings *r)
{
	values_free(r->reals);
	values_free(r->declared);
}

static void say_rounding(struct session *s, struct page *p, int row, struct readings *all)
{
	char name[600];
	int at;

	if (!all->reals && !all->why)
		*all = read_both(s, false);
	at = all->reals ? divergence_declared(s, all->reals, all->declared, row) : -1;
	if (!all->reals)
		page_add(p, PG_DIM, "  where rounding differs first is not known: %s", all->why);
	if (at >= 0) {
		page_add(p, PG_FRONTIER, "  the first rounding that differs: %s", session_name(s, SIDE_DIST, at, name, sizeof name));
		divergence_say(s, p, all->reals, at, false);
	}
}

static void say_precision(struct session *s, struct page *p, const struct trial *t, int check, const struct readings *r,
			  struct readings *all)
{
	const goal *g = &s->p->q->goal[t->setup->goal[check]];
	double allowed = g->base_row < 0 || g->dist_row < 0 ? NAN : divergence_allowed(r->reals, r->declared, g->base_row, g->dist_row);
	numbers_result x = values_check(r->declared, check);
	char name[1100];

	if (!x.compared || !(x.error > allowed))
		return;
	page_add(p, PG_WARNING, "%s: a precision change", check_name(s, t, check, name, sizeof name));
	page_more(p, PG_NORMAL, ": equal over the reals; rounded as declared it differs by %.2g of the largest value, rounding explains %.2g; "
		  "this refutes nothing", x.error, allowed);
	say_rounding(s, p, g->dist_row, all);
}

/* Of the outputs that are equal over the reals. */
static void say_precisions(struct session *s, struct page *p, const struct trial *t, const struct answer *x)
{
	struct readings r = { 0 }, all = { 0 };
	int k;

	for (k = 0; k < t->setup->p.ncheck - t->npair; k++) {
		if (x[k].r.verdict != NUMBERS_EQUAL || !x[k].agreed)
			continue;
		if (!r.reals && !r.why)
			r = read_both(s, true);
		if (r.reals)
			say_precision(s, p, t, k, &r, &all);
	}
	if (r.why)
		page_add(p, PG_DIM, "rounding as declared was not compared: %s", r.why);
	readings_free(&r);
	readings_free(&all);
}

bool test_tell(struct session *s, const struct trial *t, int from, const struct answer *x, struct test_values *seen)
{
	int k, last = -1;
	bool refuted = false;

	for (k = from; k < t->setup->p.ncheck; k++) {
		say_answer(s, &s->output, t, k, &x[k]);
		if (x[k].r.verdict != NUMBERS_DIFFER || t->drawn || k >= t->setup->p.ncheck - t->npair)
			continue;
		s->refuted[t->setup->goal[k]] = refuted = true;
		say_parting(s, &s->output, t, k, &x[k], seen, &last);
	}
	if (refuted)
		session_moved(s);
	if (refuted && t->setup->ntaken)
		page_add(&s->output, PG_NORMAL, "that holds%s", numbers_setup_if(t->setup));
	return refuted;
}

bool test_stopped(const struct trial *t, const struct answer *x)
{
	int k;

	for (k = 0; k < t->setup->p.ncheck && !x[k].r.stopped; k++)
		;
	return k < t->setup->p.ncheck;
}

/* Was anything compared on any numbers? */
static bool test_compared(const struct answer *x, int from, int n)
{
	for (; from < n && !x[from].agreed && x[from].r.verdict == NUMBERS_REFUSED; from++)
		;
	return from < n;
}

/* Is an output refuted of which there is a proof? */
static bool contradicted(const struct session *s)
{
	int k;

	for (k = 0; k < s->p->q->ngoal && !(s->refuted[k] && goal_met(s->p->q, &s->p->q->goal[k])); k++)
		;
	return k < s->p->q->ngoal;
}

static void run_test(struct session *s, const struct trial *t, bool outputs)
{
	struct page *p = command_output(s);
	int n = t->setup->p.ncheck, from = outputs ? 0 : n - t->npair;
	struct test_values seen = { .s = s };
	const struct answer *x = test_answers(t, from, NUMBERS_KINDS);
	bool refuted = test_tell(s, t, from, x, &seen), apart = t->npair && x[n - 1].r.verdict == NUMBERS_DIFFER;

	if (test_stopped(t, x) && !refuted) {
		test_values_free(&seen);
		command_fail(s, "the run was stopped");
		return;
	}
	if (outputs && !test_stopped(t, x)) {	/* else nothing more begins */
		say_precisions(s, p, t, x);
		say_frontier(s, &seen, refuted);
	}
	test_values_free(&seen);
	session_say(s, refuted || apart ? SAY_WARNING : SAY_MESSAGE, "%s%s",
		    refuted && contradicted(s) ? "refuted, though there is a proof: a rule, a hypothesis or an assumption is wrong; `why` lists the steps" :
		    refuted ? "refuted: an input on which the outputs differ" :
		    apart ? "the pair is not related in this way" : test_compared(x, from, outputs ? n - t->npair : n) ? "that numbers agree proves nothing"
									    : outputs ? "no output could be compared" : "it could not be compared", numbers_setup_if(t->setup));
}

/* A constant that no row of the baseline holds is compared only with what is named: the row beside it says nothing of it. */
static bool constant_alone(struct session *s, int dist)
{
	return dist >= 0 && state_of(session_states(s), dist)->kind == STATE_CONSTANT && session_counterpart(s, SIDE_DIST, dist) < 0;
}

static int beside(struct session *s, int dist)
{
	return dist < 0 || constant_alone(s, dist) ? -1 : session_nearest(s, dist);
}

/* "NODE = base NODE CHAIN"; bare: the selected pair, where there is one to compare. */
static bool read_test(struct session *s, const char *args, struct trial *t, const char **chain)
{
	enum program_side side[2];
	char why[512];

	*chain = NULL;
	t->dist = s->sel.row[SIDE_DIST];
	t->base = beside(s, t->dist);
	if (!*args)
		return true;
	if (!nodes_row(s, &args, SIDE_DIST, &side[0], &t->dist, why, sizeof why))
		return command_fail(s, "%s", why);
	t->base = beside(s, t->dist);
	if (side[0] != SIDE_DIST)
		return command_fail(s, "test NODE = base NODE CHAIN: the first is of DIST");
	if (!*args)
		return t->base >= 0 || command_fail(s, constant_alone(s, t->dist) ? "it is a constant that no row of the baseline holds: test NODE = base NODE CHAIN compares it with one"
									 : "nothing in the baseline is near it");
	if (*args != '=')
		return command_fail(s, "test NODE = base NODE CHAIN: '=' is missing before '%s'", args);
	args++;
	if (!nodes_row(s, &args, SIDE_BASE, &side[1], &t->base, why, sizeof why))
		return command_fail(s, "%s", why);
	if (side[1] != SIDE_BASE)
		return command_fail(s, "test NODE = base NODE CHAIN: the second is of BASE");
	*chain = *args ? args : NULL;
	return true;
}

struct test_cost test_cost(const struct session *s)
{
	interp_cost b = interp_estimate(s->p->base_m, s->p->base_ms.ndev), d = interp_estimate(s->p->dist_m, s->p->ms.ndev);
	struct test_cost c = { (b.madds + d.madds) * NUMBERS_KINDS, b.bytes + d.bytes, b.loops_unknown || d.loops_unknown };

	return c;
}

bool test_affordable(const struct session *s, const struct test_cost *c)
{
	return c->steps <= (double)session_setting(s, SET_WORK) * 1e9;
}

static bool small_enough(struct session *s)
{
	struct test_cost c = test_cost(s);

	return test_affordable(s, &c) ||
	       command_fail(s, "%s, %.2g GB: `set work %.0f` allows them, `test --cut` runs parts%s", test_steps(c.steps).text, c.bytes / 1e9,
			    ceil(c.steps / 1e9), c.loops_unknown ? "; loops of unknown length are counted once" : "");
}

static bool open_trial(struct session *s, struct trial *t)
{
	const char *why = NULL;

	if (!small_enough(s))
		return false;
	t->setup = numbers_setup(s->p, &why);
	if (!t->setup)
		return command_fail(s, "numbers cannot be drawn: %s", why);
	t->setup->p.progress = test_progress;
	t->setup->p.ctx = s;
	t->setup->p.byte_limit = TEST_BYTES;
	return true;
}

/* ---- counterexamples in files */

/* The check of an output, or -1. */
static int check_of(const struct session *s, const struct numbers_setup *n, int output)
{
	int k;

	for (k = 0; k < n->p.ncheck; k++)
		if (s->p->q->goal[n->goal[k]].out == output)
			return k;
	return -1;
}

static struct counterexample *read_counterexample(struct session *s, const struct numbers_setup *n, const char *file)
{
	struct counterexample *c = NULL;
	struct input in;
	struct diag err;
	char text[1200];

	if (input_read(&in, file, &err)) {
		c = counterexample_read(n, file, in.data, in.n, &err);
		input_free(&in);
	}
	if (!c)
		command_fail(s, "%s", diag_text(&err, text, sizeof text));
	return c;
}

static bool as_recorded(const numbers_result *r, const numbers_result *seen)
{
	return r->device == seen->device && r->local == seen->local && r->global == seen->global && r->base == seen->base &&
	       r->dist == seen->dist;
}

static void replay(struct session *s, const struct trial *t, struct counterexample *c)
{
	struct page *p = command_output(s);
	int check = check_of(s, t->setup, c->output);
	char name[1100], seen[600];
	numbers_result r;

	if (check < 0) {
		command_fail(s, "output %d is not compared here", c->output);
		counterexample_free(c);
		return;
	}
	r = counterexample_run(t->setup, check, c, NULL);
	if (r.verdict == NUMBERS_DIFFER) {
		r.check = check;
		say_difference(s, p, t, &r, c->kind);
		if (!as_recorded(&r, &c->seen))
			page_add(p, PG_WARNING, "the file says: %s", seen_text(s, t, check, &c->seen, seen, sizeof seen));
		s->refuted[t->setup->goal[check]] = true;
		remember(s, c);
		session_moved(s);
		session_say(s, SAY_WARNING, "refuted: an input on which the outputs differ%s", numbers_setup_if(t->setup));
		return;
	}
	counterexample_free(c);
	if (r.verdict == NUMBERS_REFUSED)
		command_fail(s, "%s%s%s", r.where ? r.where->name : "", r.where ? ": " : "", r.why ? r.why : "it cannot be run");
	else
		page_add(p, PG_VERIFIED, "%s", check_name(s, t, check, name, sizeof name));
	if (r.verdict == NUMBERS_EQUAL) {
		page_more(p, PG_NORMAL, ": equal on the inputs of the file, %lld places", (long long)r.compared);
		session_say(s, SAY_WARNING, "these programs agree on the inputs of the file");
	}
}

static bool test_from(struct session *s, const char *file)
{
	struct trial t = { .base = -1, .dist = -1 };
	struct counterexample *c;

	if (!*file)
		return command_fail(s, "test --from which file?");
	if (!open_trial(s, &t))
		return false;
	c = read_counterexample(s, t.setup, file);
	if (c)
		replay(s, &t, c);
	numbers_setup_free(t.setup);
	return !s->failed && command_show(s, PAGE_OUTPUT);
}

static int simplifying_runs(const struct session *s, const struct numbers_setup *n)
{
	double once = interp_estimate(s->p->base_m, s->p->base_ms.ndev).madds + interp_estimate(s->p->dist_m, s->p->ms.ndev).madds;

	return once * SIMPLIFY_RUNS < SIMPLIFY || !n->ninput ? SIMPLIFY_RUNS : (int)(SIMPLIFY / once);
}

static bool write_counterexample(struct session *s, const struct numbers_setup *n, struct counterexample *c, const char *file)
{
	FILE *f = fopen(file, "w");
	bool bad;

	if (!f)
		return command_fail(s, "%s: %s", file, strerror(errno));
	counterexample_write(f, s->p, n, c);
	bad = ferror(f) != 0;
	if (fclose(f) || bad)
		return command_fail(s, "%s: it cannot be written: %s", file, strerror(errno));
	return true;
}

bool command_save_counterexample(struct session *s, const char *file)
{
	struct trial t = { .base = -1, .dist = -1 };
	struct counterexample *full = NULL;
	int check, runs;
	bool ok = false;

	if (!s->found)
		return command_fail(s, "there is none yet: `test` looks for one");
	if (!open_trial(s, &t))
		return false;
	check = check_of(s, t.setup, s->found->output);
	if (counterexample_run(t.setup, check, s->found, &full).verdict == NUMBERS_DIFFER) {
		runs = counterexample_simplify(t.setup, check, full, simplifying_runs(s, t.setup));
		ok = write_counterexample(s, t.setup, full, file);
		s->found_saved = s->found_saved || ok;
		if (ok)
			session_say(s, SAY_MESSAGE, "written to %s, made simpler in %d runs; test --from %s replays it", file, runs, file);
	} else {
		command_fail(s, "the run was stopped");
	}
	counterexample_free(full);
	numbers_setup_free(t.setup);
	return ok;
}

/* "N": billions of steps. */
static bool test_parts(struct session *s, const char *args)
{
	char *end;
	double n = strtod(args, &end);

	if (*args && (*end || !(n >= 0)))
		return command_fail(s, "test --cut N: a number of billions of steps is meant, not '%s'", args);
	return test_cut(s, *args ? n * 1e9 : -1);
}

static int count_refuted(const struct session *s)
{
	int k, n = 0;

	for (k = 0; k < s->p->q->ngoal; k++)
		n += s->refuted[k];
	return n;
}

static bool test_by(struct session *s, const char *args)
{
	struct trial t = { .base = -1, .dist = -1 };
	const char *why = NULL, *chain, *rest = args;
	char word[16];
	bool paired;

	if (s->p->files.no_trail)
		return command_fail(s, "started with --no-trail: --batch without commands tests nothing");
	if (!strcmp(command_word(&rest, word, sizeof word), "--from"))
		return test_from(s, rest);
	if (!strcmp(word, "--cut"))
		return test_parts(s, rest);
	if (!*args && test_cut_due(s))
		return test_cut(s, -1);
	if (!read_test(s, args, &t, &chain) || !open_trial(s, &t))
		return false;
	paired = t.base >= 0 && add_pair(s, &t, chain, &why);
	if (*args && !paired)
		command_fail(s, "%s", why);
	else
		run_test(s, &t, !*args);
	numbers_setup_free(t.setup);
	return !s->failed && command_show(s, PAGE_OUTPUT);
}

/* A saved session has what refuted: the same numbers are run again. */
bool cmd_test(struct session *s, const char *args)
{
	int before = count_refuted(s);
	bool good = test_by(s, args);

	if (count_refuted(s) > before) {
		free(s->test);
		s->test = strdup(args);
	}
	return good;
}

/* ---- other relations of what was inferred */

static bool interrupted(void *ctx, int tried)
{
	char text[64];

	snprintf(text, sizeof text, "trying other relations, %d so far", tried);
	return session_busy(ctx, text);
}

bool cmd_alternatives(struct session *s, const char *args)
{
	const struct alternatives_watch watch = { interrupted, s };
	const struct alternatives *t;
	uint32_t n;

	if (!command_count(s, "alternatives", args, &n))
		return false;
	if (!session_done(s))
		return command_fail(s, "the run is not at its verdict yet: continue! goes there");
	if (!alternatives_any(s->p))
		return command_fail(s, problem_goals_met(s->p) < problem_goals_compared(s->p) ? "no relation was inferred: the plan names them all"
					: problem_goals_compared(s->p) ? "every output is proved" : "nothing is compared");
	t = alternatives_try(s->p, (uint64_t)n * ALTERNATIVES_WORK, &watch);
	if (!t)
		return command_fail(s, "stopped before the first was tried");
	session_say(s, SAY_MESSAGE, "%s", t->offer);
	session_changed(s);
	return command_show(s, PAGE_ALTERNATIVES);
}
