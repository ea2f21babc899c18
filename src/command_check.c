/* `rule check`: rules against numbers, on random small cores. */
#include <stdlib.h>
#include <string.h>
#include "command_in.h"
#include "rule_check.h"

enum { CORES = 1000, CORES_EACH = 300, PATIENCE = 4000, FIRINGS = 200 };

static int busy(void *ctx)
{
	return session_busy(ctx, "checking rules");
}

/* Lifting and structure have no cores to be tried on. */
static bool checkable(const prover *p, uint32_t rule)
{
	uint32_t set = rules_at(p->r, rule)->ruleset;

	return set == p->set_normalize || set == p->set_search;
}

static void say_check(struct page *p, const char *name, const struct rule_check *c)
{
	if (c->why) {
		page_add(p, PG_REFUTED, "%s: %s", name, c->why);
		page_add(p, PG_NORMAL, "  %s", c->left);
		page_add(p, PG_NORMAL, "  %s", c->right);
	} else if (c->firings) {
		page_add(p, PG_VERIFIED, "%s", name);
		page_more(p, PG_NORMAL, ": equal in %d firings on %d random expressions", c->firings, c->cores);
	} else {
		page_add(p, PG_WARNING, "%s", name);
		page_more(p, PG_NORMAL, ": not fired on %d random expressions%s%s%s", c->cores, c->over ? " (too large to compare)" : "",
			  c->reason ? ": " : "", c->reason ? c->reason : "");
	}
}

/* False: stopped, or not possible now. */
static bool check_one(struct session *s, struct page *p, uint32_t rule, int cores, int *wrong)
{
	struct rule_check_limits l = { .cores = cores, .patience = PATIENCE, .firings = FIRINGS, .seed = 1, .busy = busy, .ctx = s };
	struct rule_check c;
	arena text;

	arena_init(&text);
	if (!rule_check(s->p->q, rule, &l, &c, &text)) {
		arena_free(&text);
		return command_fail(s, "a rule is checked between instructions: `next` goes there");
	}
	say_check(p, prover_rule_name(s->p->p, rule), &c);
	*wrong += c.why != NULL;
	arena_free(&text);
	return !c.stopped;
}

bool command_check_rule(struct session *s, const char *name)
{
	const prover *p = s->p->p;
	uint32_t k, rule = prover_rule_named(p, name);
	bool all = !strcmp(name, "all");
	struct page *out;
	bool whole = true;
	int wrong = 0;

	if (!all && rule == NIL)
		return command_fail(s, "there is no rule '%s'; info rules lists them", name);
	if (!all && !checkable(p, rule))
		return command_fail(s, "%s works on instructions: rules of normalize and search are checked", name);
	if (!normal_idle(&p->a))
		return command_fail(s, "a rule is checked between instructions: `next` goes there");
	out = command_output(s);
	for (k = all ? 0 : rule; whole && k < (all ? rules_n(p->r) : rule + 1); k++)
		whole = !checkable(p, k) || check_one(s, out, k, all ? CORES_EACH : CORES, &wrong);
	if (!whole && !s->failed)
		command_fail(s, "stopped before all was checked; %d wrong so far", wrong);
	if (!whole)
		return command_show(s, PAGE_OUTPUT) && false;
	session_say(s, wrong ? SAY_WARNING : SAY_MESSAGE, wrong ? "%d wrong" : "no counterexample was found", wrong);
	return command_show(s, PAGE_OUTPUT);
}
