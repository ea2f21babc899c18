/* test_token.c - tokens that are data: proved under a listed assumption where the value they are multiplied by may be
 * infinite, without one where it is finite, and never for a 0 that is no token.  Readings are listed with the verdict.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "pair_files.h"
#include "report/report.h"

#define SUM "%sum { %a = f32[] parameter(0)\n %b = f32[] parameter(1)\n ROOT %r = f32[] add(%a, %b) }\n"
#define GATHER(to, from) to " = f32[4] all-gather(" from "), channel_id=1, replica_groups={{0,1}}, use_global_device_ids=true, dimensions={0}\n"
#define PLAN "mesh tp=2\ninput 0 = 0\ninput 1<-0 tp:S(0)\ninput 2<-1 tp:S(0)\noutput 0 R\noutput 1 R\n"

/* Two gathers: the second one's operand has the next token, token * the first element of the first result. */
#define PROGRAM(f, token) "%t = f32[] parameter(0)\n%x = f32[2] parameter(1)\n%y = f32[2] parameter(2)\n%f = f32[2] " f "(%x)\n" \
	"%b = f32[2] broadcast(%t), dimensions={}\n%p = f32[2] add(%f, %b)\n" GATHER("%g", "%p") "%s = f32[1] slice(%g), slice={[0:1]}\n%e = f32[] reshape(%s)\n" \
	token "%c = f32[2] broadcast(%n), dimensions={}\n%q = f32[2] add(%y, %c)\n" GATHER("%h", "%q") "ROOT %o = (f32[4], f32[4]) tuple(%g, %h)\n"
#define BASE(f) "%x = f32[4] parameter(0)\n%y = f32[4] parameter(1)\n%f = f32[4] " f "(%x)\nROOT %o = (f32[4], f32[4]) tuple(%f, %y)\n"

static const char finite[] = "%e is finite: a token, which is 0, is multiplied by it";

static const struct {
	const char *name, *base, *dist, *plan;
	bool proved;
	const char *assumed;		/* the last assumption, or NULL: none; before it only literals are read as fractions */
} cases[] = {
	{ "finite", BASE("tanh"), PROGRAM("tanh", "%n = f32[] multiply(%t, %e)\n"), PLAN, true, NULL },
	{ "pole", BASE("log"), PROGRAM("log", "%n = f32[] multiply(%t, %e)\n"), PLAN, true, finite },
	{ "other_order", BASE("log"), PROGRAM("log", "%n = f32[] multiply(%e, %t)\n"), PLAN, true, finite },
	{ "reduced_before", BASE("log"), PROGRAM("log", "%r = f32[] all-reduce(%t), channel_id=2, replica_groups={{0,1}}, use_global_device_ids=true, to_apply=%sum\n"
		"%n = f32[] multiply(%r, %e)\n"), PLAN, true, finite },
	{ "reduced_after", BASE("log"), PROGRAM("log", "%m = f32[] multiply(%t, %e)\n%n = f32[] all-reduce(%m), channel_id=2, replica_groups={{0,1}}, "
		"use_global_device_ids=true, to_apply=%sum\n"), PLAN, true, finite },
	{ "copied", BASE("log"), PROGRAM("log", "%k = f32[1] reshape(%t)\n%l = f32[] reshape(%k)\n%n = f32[] multiply(%l, %e)\n"), PLAN, true, finite },
	{ "not_used", BASE("log"), PROGRAM("log", "%m = f32[] multiply(%t, %e)\n%n = f32[] copy(%t)\n"), PLAN, true, NULL },
	{ "literal", BASE("log"), PROGRAM("log", "%z = f32[] constant(0)\n%n = f32[] multiply(%z, %e)\n"), PLAN, false, NULL },
	{ "computed", BASE("log"), PROGRAM("log", "%k = f32[] reduce(%y, %t), dimensions={0}, to_apply=%sum\n%z = f32[] subtract(%k, %k)\n"
		"%n = f32[] multiply(%z, %e)\n"), PLAN, false, NULL },
	{ "divided", BASE("log"), PROGRAM("log", "%n = f32[] divide(%t, %e)\n"), PLAN, false, NULL },
	{ "one", BASE("log"), PROGRAM("log", "%n = f32[] multiply(%t, %e)\n"),
		"mesh tp=2\ninput 0 = 1\ninput 1<-0 tp:S(0)\ninput 2<-1 tp:S(0)\noutput 0 R\noutput 1 R\n", false, NULL },
	{ "base_two", "%x = f32[4] parameter(0)\nROOT %o = f32[4] exponential(%x)\n",
		"%x = f32[4] parameter(0)\n%k = f32[] constant(1.44269502)\n%b = f32[4] broadcast(%k), dimensions={}\n%m = f32[4] multiply(%x, %b)\n"
		"%t = f32[] constant(2)\n%u = f32[4] broadcast(%t), dimensions={}\nROOT %o = f32[4] power(%u, %m)\n",
		"mesh tp=2\ninput 0 R\noutput 0 R\n", true, "the constant 1.44269502 is read as a multiple of log2(e)" },
};

static struct report *report_on(int k)
{
	char name[64], text[4096];
	struct problem_files f = { .rules = SRCDIR "/rules" };
	struct problem *p;
	struct report *r;
	struct diag err;

	snprintf(text, sizeof text, "HloModule m\n%sENTRY %%main {\n%s}\n", SUM, cases[k].base);
	snprintf(name, sizeof name, "%s.base.hlo", cases[k].name);
	f.base = pair_write(name, text);
	snprintf(text, sizeof text, "HloModule m, num_partitions=2\n%sENTRY %%main {\n%s}\n", SUM, cases[k].dist);
	snprintf(name, sizeof name, "%s.dist.hlo", cases[k].name);
	f.dist = pair_write(name, text);
	snprintf(name, sizeof name, "%s.plan", cases[k].name);
	f.plan = pair_write(name, cases[k].plan);
	p = problem_load(&f, &err);
	if (!p)
		fail_msg("%s: %s", cases[k].name, diag_text(&err, text, sizeof text));
	r = report_run(p, report_clock(), NULL);
	problem_free(p);
	return r;
}

static bool holds(int k)
{
	struct report *r = report_on(k);
	const char *last = NULL;
	int n = r->nassumption, i, others = 0;
	bool ok;

	for (i = 0; i < n; i++)		/* literals read as fractions and what the plan says are beside the point */
		if (strncmp(r->assumption[i], "the literal ", 12) && strncmp(r->assumption[i], "the plan says ", 14)) {
			last = r->assumption[i];
			others++;
		}
	ok = (r->verdict == VERDICT_PROVED) == cases[k].proved && others == (cases[k].assumed != NULL) &&
		(!cases[k].assumed || !strcmp(last, cases[k].assumed));

	if (!ok)
		print_message("%s: %s, %d assumptions: %s\n", cases[k].name, verdict_words(r->verdict), n, n ? r->assumption[n - 1] : "");
	report_free(r);
	return ok;
}

static void test_tokens(void **state)
{
	size_t k, bad = 0;

	(void)state;
	for (k = 0; k < sizeof cases / sizeof *cases; k++)
		bad += !holds((int)k);
	assert_int_equal(bad, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_tokens) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
