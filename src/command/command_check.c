/* `rule check`: rules against numbers, on random small cores and instructions. */
#include <stdlib.h>
#include <string.h>
#include "certify/rule_check.h"
#include "command/command_in.h"

enum { CORES = 1000, CORES_EACH = 300, PATIENCE = 4000, FIRINGS = 200 };

struct never {			/* a rule that was not compared, and why */
	const char *name, *why;
};

struct checking {
	struct session *s;
	struct page *out;
	arena text;
	vec never;			/* struct never */
	uint32_t done, all;
	const char *name;		/* of the rule that is checked */
	int wrong, nheld, nnever;
	long firings, instances;
};

static int busy(void *ctx)
{
	struct checking *c = ctx;
	char what[120];

	if (c->all > 1)
		snprintf(what, sizeof what, "checking rule %u of %u, %.60s; %d wrong so far", c->done + 1, c->all, c->name, c->wrong);
	else
		snprintf(what, sizeof what, "checking %.60s", c->name);
	return session_busy(c->s, what);
}

static void say_wrong(struct checking *k, const struct rule_check *c)
{
	int i;

	page_add(k->out, PG_REFUTED, "%s: %s", k->name, c->why);
	page_add(k->out, PG_NORMAL, "  left   %s", c->left);
	page_add(k->out, PG_NORMAL, "  right  %s", c->right);
	for (i = 0; i < c->ngiven; i++)
		page_add(k->out, PG_NUMBER, "  with   %s", c->given[i]);
	if (c->where)
		page_add(k->out, PG_REFUTED, "  %s", c->where);
}

static void note_never(struct checking *k, const struct rule_check *c)
{
	struct never *n = vec_push(&k->never);

	k->nnever++;
	n->name = k->name;
	n->why = c->reason ? c->reason : c->over ? "what it gives is too large to be compared" : "it did not fire";
}

/* Of one rule by itself all is said; of all rules what holds is only counted. */
static void say(struct checking *k, const struct rule_check *c)
{
	k->firings += c->firings;
	k->instances += c->cores;
	if (c->why) {
		k->wrong++;
		say_wrong(k, c);
	} else if (!c->firings) {
		note_never(k, c);
	} else {
		k->nheld++;
		if (k->all > 1)
			return;
		page_add(k->out, PG_VERIFIED, "%s", k->name);
		page_more(k->out, PG_NORMAL, ": equal in %d firings on %d random instances", c->firings, c->cores);
	}
}

/* Those not compared, by what is the reason. */
static void say_never(struct checking *k)
{
	char *list;
	uint32_t i, j;

	for (i = 0; i < k->never.n; i++) {
		const struct never *n = &VEC_AT(struct never, &k->never, i);
		if (!n->name)
			continue;
		list = arena_printf(&k->text, "%s", n->name);
		for (j = i + 1; j < k->never.n; j++) {
			struct never *m = &VEC_AT(struct never, &k->never, j);
			if (!m->name || strcmp(m->why, n->why))
				continue;
			list = arena_printf(&k->text, "%s, %s", list, m->name);
			m->name = NULL;
		}
		page_add(k->out, PG_WARNING, "not compared: %s", n->why);
		page_wrap(k->out, PG_NORMAL, 2, (int)session_setting(k->s, SET_WIDTH), list);
	}
}

/* False: stopped, or not possible now. */
static bool check_one(struct checking *k, uint32_t rule, int cores)
{
	struct rule_check_limits l = { .cores = cores, .patience = PATIENCE, .firings = FIRINGS, .seed = 1, .busy = busy, .ctx = k };
	struct rule_check c;

	k->name = prover_rule_name(k->s->p->p, rule);
	if (!rule_check(k->s->p->q, rule, &l, &c, &k->text))
		return command_fail(k->s, "a rule is checked between instructions: `next` goes there");
	if (!c.stopped || c.why)
		say(k, &c);
	return !c.stopped;
}

static void begin(struct checking *k, struct session *s, uint32_t all)
{
	*k = (struct checking){ .s = s, .out = command_output(s), .all = all };
	vec_init(&k->never, sizeof(struct never));
	arena_init(&k->text);
}

/* Behind the counterexamples: what nothing is known of, and the sum of it. */
static void finish(struct checking *k)
{
	say_never(k);
	if (k->all > 1)
		page_add(k->out, k->wrong ? PG_REFUTED : PG_HEADING,
			 "%d of %u rules: %d hold, in %ld firings on %ld random instances; %d wrong; %d not compared", k->wrong + k->nheld + k->nnever,
			 k->all, k->nheld, k->firings, k->instances, k->wrong, k->nnever);
	vec_free(&k->never);
	arena_free(&k->text);
}

static bool answer(struct checking *k, bool whole)
{
	struct session *s = k->s;

	if (k->wrong)
		s->checked = CHECKED_WRONG;
	else if (!whole || (k->nnever && k->all == 1))
		s->checked = s->checked == CHECKED_WRONG ? s->checked : CHECKED_PARTLY;
	else if (s->checked == CHECKED_NOTHING)
		s->checked = CHECKED_RIGHT;
	if (!whole && !s->failed)
		command_fail(s, "stopped at rule %u of %u, %s; %d wrong so far", k->done + 1, k->all, k->name, k->wrong);
	else if (whole)
		session_say(s, k->wrong || (k->nnever && k->all == 1) ? SAY_WARNING : SAY_MESSAGE,
			    k->wrong == 1 ? "a counterexample was found" : k->wrong ? "%d rules have counterexamples"
			    : k->nnever && k->all == 1 ? "nothing was compared" : "no counterexample was found", k->wrong);
	return command_show(s, PAGE_OUTPUT) && whole;
}

bool command_check_rule(struct session *s, const char *name)
{
	const prover *p = s->p->p;
	uint32_t rule = prover_rule_named(p, name), n = rules_n(p->r);
	bool all = !strcmp(name, "all") && rule == NIL, whole = true;
	struct checking k;

	if (!all && rule == NIL)
		return command_no_rule(s, name);
	if (!normal_idle(&p->a))
		return command_fail(s, "a rule is checked between instructions: `next` goes there");
	begin(&k, s, all ? n : 1);
	if (!all)
		whole = check_one(&k, rule, CORES);
	for (; all && whole && k.done < n; k.done += whole)
		whole = check_one(&k, k.done, CORES_EACH);
	finish(&k);
	return answer(&k, whole);
}
