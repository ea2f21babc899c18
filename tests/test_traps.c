/* test_traps.c - pairs that look equal and are not, each with its nearest right variant.
 *
 * Tempting rules and traps as small programs.  Every pair is also computed:
 * what must not be proved has to differ in numbers (or, marked U, cannot be
 * computed), and what must be proved has to agree, so that no entry is there
 * for the wrong reason.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "certify/certify.h"
#include "pair/level.h"
#include "pair_files.h"
#include "problem/numbers_run.h"

/* P: proved.  F: proved, with literals that are read as the fractions they round from.  N: not proved, and different.
 * U: not proved, and not computed.  Q: proved, and not computed: a call is known by its name.  E: not proved, and different where no number was drawn. */
struct trap { const char *name; char want; int ndev; const char *base, *dist, *plan; };

#define FN(name, t, op) "%" name " { %a = " t "[] parameter(0)\n %b = " t "[] parameter(1)\n ROOT %r = " t "[] " op "(%a, %b) }\n"
static const char functions[] =
	FN("sum", "f32", "add") FN("max", "f32", "maximum") FN("min", "f32", "minimum") FN("prod", "f32", "multiply")
	FN("sumb", "bf16", "add") FN("sums", "s32", "add") FN("sum8", "s8", "add") FN("max8", "s8", "maximum") FN("min8", "s8", "minimum") FN("maxs", "s32", "maximum") FN("mins", "s32", "minimum") FN("minu", "u64", "minimum")
	FN("ands", "s32", "and") FN("and", "pred", "and") FN("or", "pred", "or");

#define ONE "mesh tp=2\ninput 0 R\noutput 0 R\n"
#define TWO "mesh tp=2\ninput 0 R\ninput 1 R\noutput 0 R\n"
#define THREE "mesh tp=2\ninput 0 R\ninput 1 R\ninput 2 R\noutput 0 R\n"
#define SUM(x) "all-reduce(" x "), channel_id=1, replica_groups={{0,1}}, use_global_device_ids=true, to_apply=%sum"
#define ALL "channel_id=1, replica_groups={{0,1}}, use_global_device_ids=true"
#define X(s) "%x = " s " parameter(0)\n"
#define Y(s) "%y = " s " parameter(1)\n"

/* A body may use the reducers of `functions`: %sum, %max .. */
static const struct trap traps[] = {
#include "traps_catalogue.inc"
#include "traps_infinite.inc"
#include "traps_types.inc"
#include "traps_opaque.inc"
#include "traps_places.inc"
#include "traps_reductions.inc"
#include "traps_devices.inc"
#include "traps_loops.inc"
#include "traps_trips.inc"
#include "traps_steps.inc"
#include "traps_folds.inc"
#include "traps_shards.inc"
#include "traps_taken.inc"
#include "traps_choices.inc"
#include "traps_counts.inc"
#include "traps_windows.inc"
#include "traps_extremes.inc"
#include "traps_far.inc"
#include "traps_large.inc"
};
enum { TRAPS = sizeof traps / sizeof *traps };

enum { TRIES = 100 };	/* some differ only where a zero or a tie is drawn */

static const char *text_file(const struct trap *t, const char *form, const char *header, const char *body)
{
	char name[200], *s;
	const char *path, *at = strstr(body, "@@");	/* computations may stand before @@ */

	snprintf(name, sizeof name, "%s.%s.hlo", t->name, form);
	if (asprintf(&s, "HloModule m%s\n%s%.*s\nENTRY %%main {\n%s\n}\n", header, functions, at ? (int)(at - body) : 0, body,
		     at ? at + 2 : body) < 0)
		abort();
	path = pair_write(name, s);
	free(s);
	return path;
}

static struct problem *load(const struct trap *t, struct diag *err)
{
	char header[64] = "", name[200];
	struct problem_files f = { .rules = SRCDIR "/rules", .no_trail = false };

	if (t->ndev)
		snprintf(header, sizeof header, ", num_partitions=%d", t->ndev);
	snprintf(name, sizeof name, "%s.plan", t->name);
	f.base = text_file(t, "base", "", t->base);
	f.dist = text_file(t, "dist", header, t->dist);
	f.plan = pair_write(name, t->plan);
	return problem_load(&f, err);
}

/* By all levels.  No ranges are assumed: a proof under an assumption is another claim. */
static bool proved(struct problem *p)
{
	levels l;
	int k, n = 0;

	level_init(&l, p->q);
	level_run(&l);
	level_free(&l);
	for (k = 0; k < p->q->ngoal; k++)
		n += p->q->goal[k].compared;
	return n && problem_goals_met(p) == n;
}

/* 'D' different, 'E' equal, 'R' refused.  Over the reals `exact` is allowed; rounded as declared, what cancels is off by more: `off`. */
static char computed(struct problem *p, double exact, double off, char *why, size_t size)
{
	const char *refusal = "";
	struct numbers_setup *s = numbers_setup(p, &refusal);
	char out = s ? 'E' : 'R';
	numbers *n;
	int k, reading;

	snprintf(why, size, "%s", refusal);
	for (reading = INTERP_REALS; s && reading <= INTERP_DECLARED && out == 'E'; reading++) {
		s->p.reading = (enum interp_reading)reading;
		s->p.tolerance = reading == INTERP_REALS ? exact : off;
		n = numbers_new(&s->p);
		for (k = 0; k < TRIES && out == 'E'; k++) {
			numbers_result r = numbers_run(n, (enum numbers_kind)(k % NUMBERS_KINDS), (uint64_t)k + 1);
			if (r.overflow)
				continue;
			out = r.verdict == NUMBERS_DIFFER ? 'D' : r.verdict == NUMBERS_REFUSED ? 'R' : 'E';
			if (out == 'R')
				snprintf(why, size, "%s", r.why);
			if (out == 'D')
				snprintf(why, size, "reading %d, numbers of kind %d", reading, k % NUMBERS_KINDS);
		}
		numbers_free(n);
	}
	numbers_setup_free(s);
	return out;
}

/* What was proved over a loop, or of literals that round, is certified, too. */
static bool certified(struct problem *p, const struct trap *t)
{
	certifier *c = certifier_new(p->p, NULL);
	bool good = true;
	certificate r;
	arena s;
	int k;

	arena_init(&s);
	for (k = 0; k < p->q->ngoal && (p->dist->nloop || t->want == 'F'); k++)
		if (p->q->goal[k].compared && goal_met(p->q, &p->q->goal[k]) && !certify_goal(c, p->q, &p->q->goal[k], &r, &s)) {
			print_message("%s: not certified: %s (%s)\n", t->name, r.why, r.rule ? r.rule : "-");
			good = false;
		}
	arena_free(&s);
	certifier_free(c);
	return good;
}

static bool holds(const struct trap *t)
{
	struct diag err;
	struct problem *p = load(t, &err);
	char text[1200], why[300] = "", c;
	bool ok, is, equal = t->want == 'P' || t->want == 'F', should = equal || t->want == 'Q';

	if (!p) {
		print_message("%s: %s\n", t->name, diag_text(&err, text, sizeof text));
		return false;
	}
	is = proved(p);
	c = computed(p, t->want == 'F' ? 1e-7 : 1e-9, equal ? 1e-3 : 1e-5, why, sizeof why);
	ok = certified(p, t) && is == should && (equal ? c == 'E' : t->want == 'N' ? c == 'D' : t->want == 'E' ? c == 'E' : c == 'R');
	if (!ok)
		print_message("%s: wanted %c, %s, computed %c %s\n", t->name, t->want, is ? "proved" : "not proved", c, why);
	problem_free(p);
	return ok;
}

static void test_traps(void **state)
{
	int k, bad = 0;

	(void)state;
	for (k = 0; k < TRAPS; k++)
		bad += !holds(&traps[k]);
	if (bad)
		fail_msg("%d of %d", bad, TRAPS);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_traps) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
