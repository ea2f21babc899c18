/* Commands that are acts, or take acts back. */
#include <stdlib.h>
#include <string.h>
#include "command/command_in.h"
#include "relation/candidate.h"

/* ---- apply */

static bool starts_at(struct session *s, uint32_t rule, eg_id node)
{
	const egraph *g = s->p->p->g;

	return !eg_dead(g, node) && rule_root_family(rules_at(s->p->p->r, rule)) == eg_op_family(g, eg_node_op(g, node));
}

/* Would the rule give something new at this node?  Nothing of the try remains. */
static bool gives(struct session *s, uint32_t rule, eg_id node, const char **reason)
{
	prover *p = s->p->p;
	algebra *a = &p->a;
	trail_mark mark = trail_at(a->tr);
	arena_mark m = arena_at(&a->s.a);
	const char *why = NULL;
	eg_id n;
	bool new;

	if (!starts_at(s, rule, node))
		return false;
	n = prover_try(p, rule, node, &why);
	new = n != NIL && eg_root(a->g, n) != eg_root(a->g, node);
	if (!new)
		*reason = n != NIL ? "what it gives is known already" : arena_strdup(&s->text, why ? why : "it does not match");
	trail_undo(a->tr, mark);
	arena_reset(&a->s.a, m);
	return new;
}

/* The first member of a class where the rule gives something: its number by age, or -1. */
static int first_match(struct session *s, uint32_t rule, eg_id class, const char **reason)
{
	const egraph *g = s->p->p->g;
	eg_id root, m;
	uint32_t k;

	if (class == NIL)
		return -1;
	root = eg_root(g, class);
	for (k = 0; (m = nodes_member(g, root, k)) != NIL; k++)
		if (gives(s, rule, m, reason))
			return (int)k;
	return -1;
}

/* The node where the rule gives something: of the instruction, its class, or what it holds. */
static bool find_match(struct session *s, uint32_t rule, enum program_side side, int row, char *node, size_t n)
{
	struct node_place at[NODE_PLACES];
	const char *reason = "no node here is of its kind";
	char name[520];
	int m, i, k;
	arena tmp;

	if (row < 0)
		return command_fail(s, "no instruction is selected");
	if (s->p->files.no_trail)
		return command_fail(s, "started with --no-trail: say where, RULE at NODE");
	*node = 0;
	arena_init(&tmp);
	m = nodes_places(s, side, row, at, NODE_PLACES, &tmp);
	for (i = 0; i < m && !*node; i++) {
		k = first_match(s, rule, at[i].class, &reason);
		if (k >= 0)
			snprintf(node, n, "%s#%d", at[i].name, k);
	}
	arena_free(&tmp);
	session_name(s, side, row, name, sizeof name);
	return *node || command_fail(s, "%s at %s: %s", prover_rule_name(s->p->p, rule), name, reason);
}

/* "RULE at NODE": cuts the text in two; *node is "" without `at`. */
static void split_at(const char *args, char *rule, size_t n, const char **node)
{
	const char *at = strstr(args, " at ");

	snprintf(rule, n, "%.*s", at ? (int)(at - args) : (int)strlen(args), args);
	*node = at ? at + 4 + strspn(at + 4, " ") : "";
}

bool cmd_apply(struct session *s, const char *args)
{
	struct act a = { .kind = ACTS_APPLY };
	char rule[256], node[1200], text[1600], why[512];
	const char *at, *where;
	struct node_ref r;
	uint32_t k;

	split_at(args, rule, sizeof rule, &where);
	if (!*rule)
		return command_fail(s, "apply which rule?");
	k = prover_rule_named(s->p->p, rule);
	if (k == NIL)
		return command_no_rule(s, rule);
	if (*where) {
		at = where;
		if (!nodes_parse(s, &at, SIDE_DIST, &r, why, sizeof why))
			return command_fail(s, "%s", why);
		if (*at)
			return command_fail(s, "one node is meant: '%s' is too much", at);
		/* `.` means another node in another run */
		if (*where == '.') {
			session_name(s, r.side, r.row, node, sizeof node);
			snprintf(node + strlen(node), sizeof node - strlen(node), "%s", where + 1);
		} else {
			snprintf(node, sizeof node, "%s", where);
		}
	}
	if (!*where && !find_match(s, k, s->sel.side, s->sel.row[s->sel.side], node, sizeof node))
		return false;
	/* an instruction stands for its value, too */
	if (*where && !r.inner && r.node != NIL && !starts_at(s, k, r.node) && !find_match(s, k, r.side, r.row, node, sizeof node))
		return false;
	snprintf(text, sizeof text, "apply %s at %s", rule, node);
	a.rule = rule;
	a.node = node;
	a.text = text;
	return acts_do(s, &a);
}

/* ---- assume */

static bool same_shape(const row *x, const row *y)
{
	return x->rank == y->rank && (!x->rank || !memcmp(x->dim, y->dim, sizeof *x->dim * (size_t)x->rank));
}

static bool can_be_assumed(const candidate *c)
{
	return c->fate != FATE_REFUTED && c->fate != FATE_PRUNED;
}

/* The relation to propose: what the operands' relations allow, then what the users need, then R; what the sizes allow where R is none.
 * NULL: none of them fits. */
static const char *proposed_chain(struct session *s, int base, int dist, arena *out)
{
	static const enum candidate_origin order[] = { CAND_OPERANDS, CAND_USERS, CAND_SHAPES };
	bool settled = session_done(s) || normal_idle(&s->p->p->a), same = same_shape(&s->p->base->row[base], &s->p->dist->row[dist]);
	candidates c = { 0 };
	int pass, k;

	if (settled)
		c = candidates_find(session_states(s), base, dist, out);
	for (pass = 0; pass < 3; pass++) {
		if (order[pass] == CAND_SHAPES && same)
			return "R";
		for (k = 0; k < c.n; k++)
			if (c.c[k].chain && c.c[k].origin == order[pass] && can_be_assumed(&c.c[k]))
				return c.c[k].chain;
	}
	return NULL;
}

static bool propose(struct session *s)
{
	int dist = s->sel.row[SIDE_DIST], base;
	const char *chain;
	char line[3600];
	arena tmp;

	if (dist < 0)
		return command_fail(s, "no instruction of DIST is selected");
	base = session_nearest(s, dist);
	if (base < 0)
		return command_fail(s, "nothing in the baseline is near: write assume %%%s = base %%NAME CHAIN", s->p->dist->row[dist].path);
	if (!normal_idle(&s->p->p->a) && !same_shape(&s->p->base->row[base], &s->p->dist->row[dist]))
		return command_fail(s, "%u nodes wait to be looked at: `next` settles them, then a relation can be proposed", session_pending(s));
	arena_init(&tmp);
	chain = proposed_chain(s, base, dist, &tmp);
	snprintf(line, sizeof line, "assume %%%s = base %%%s %s", s->p->dist->row[dist].path, s->p->base->row[base].path, chain ? chain : "");
	arena_free(&tmp);
	if (!chain)
		return command_fail(s, "their sizes suggest no relation to base %%%s, the nearest: write assume %%%s = base %%NAME CHAIN",
				    s->p->base->row[base].path, s->p->dist->row[dist].path);
	if (s->host.screen_command) {
		char prompt[3700];
		snprintf(prompt, sizeof prompt, "prompt %s", line);
		if (s->host.screen_command(s->host.ctx, prompt))
			return true;
	}
	session_say(s, SAY_MESSAGE, "proposed: %s", line);
	return true;
}

static bool accept_word(const char **at, const char *word)
{
	size_t n = strlen(word);

	*at += strspn(*at, " \t");
	if (strncmp(*at, word, n) || ((*at)[n] && !strchr(" \t", (*at)[n])))
		return false;
	*at += n;
	*at += strspn(*at, " \t");
	return true;
}

bool cmd_assume(struct session *s, const char *args)
{
	struct act a = { .kind = ACTS_ASSUME };
	enum program_side side[2];
	char why[512], text[3600], d[1100], b[1100];
	int row[2];

	if (!*args)
		return propose(s);
	if (!nodes_row(s, &args, SIDE_DIST, &side[0], &row[0], why, sizeof why))
		return command_fail(s, "%s", why);
	if (!*args) {
		session_reveal(s, side[0], row[0]);
		session_select(s, side[0], row[0]);
		return propose(s);
	}
	if (!accept_word(&args, "="))
		return command_fail(s, "assume NODE = base NODE CHAIN: '=' is missing before '%s'", args);
	if (!nodes_row(s, &args, SIDE_BASE, &side[1], &row[1], why, sizeof why))
		return command_fail(s, "%s", why);
	if (side[0] != SIDE_DIST || side[1] != SIDE_BASE)
		return command_fail(s, "assume relates an instruction of DIST to one of BASE, in this order");
	snprintf(d, sizeof d, "%%%s", s->p->dist->row[row[0]].path);
	snprintf(b, sizeof b, "%%%s", s->p->base->row[row[1]].path);
	a.node = d;
	a.base = b;
	a.chain = *args ? args : "R";
	snprintf(text, sizeof text, "assume %s = base %s %s", d, b, a.chain);
	a.text = text;
	return acts_do(s, &a);
}

/* ---- taking back */

static bool act_number(struct session *s, const char *args, int *id)
{
	char *end;

	*id = (int)strtol(args + (*args == 'A' || *args == 'a'), &end, 10);
	if (!*args)
		return command_fail(s, "take back which act? info acts lists them");
	return !*end || command_fail(s, "an act is meant, as A4: '%s'", args);
}

bool cmd_retract(struct session *s, const char *args)
{
	int id;

	return act_number(s, args, &id) && acts_retract(s, id);
}

bool cmd_undo(struct session *s, const char *args)
{
	return command_nothing(s, "undo", args) && acts_undo(s);
}

bool cmd_redo(struct session *s, const char *args)
{
	return command_nothing(s, "redo", args) && acts_redo(s);
}

/* ---- rules */

bool cmd_rule(struct session *s, const char *args)
{
	struct act a = { .rule = NULL };
	char word[16], rule[128], text[256];

	command_word(&args, word, sizeof word);
	snprintf(rule, sizeof rule, "%s", args);
	if (!strcmp(word, "check") && *rule)
		return command_check_rule(s, rule);
	if ((strcmp(word, "on") && strcmp(word, "off") && strcmp(word, "show")) || !*rule)
		return command_fail(s, "rule on NAME, rule off NAME, rule show NAME, rule check NAME or rule check all");
	if (prover_rule_named(s->p->p, rule) == NIL)
		return command_no_rule(s, rule);
	if (!strcmp(word, "show")) {
		snprintf(s->rule_shown, sizeof s->rule_shown, "%s", rule);
		return command_show(s, PAGE_RULE);
	}
	a.kind = !strcmp(word, "on") ? ACTS_RULE_ON : ACTS_RULE_OFF;
	a.rule = rule;
	snprintf(text, sizeof text, "rule %s %s", word, rule);
	a.text = text;
	return acts_do(s, &a);
}

static int goals_met(struct session *s)
{
	int k, n = 0;

	for (k = 0; k < s->p->q->ngoal; k++)
		n += goal_met(s->p->q, &s->p->q->goal[k]);
	return n;
}

/* ---- reload: what was, to be compared */

struct before {
	arena a;
	uint32_t nrule, step;
	const char **name, **text;
	bool *verified;		/* per row of DIST */
	struct counts counts;
	int met;
};

static const char *whole_text(const struct session *s, arena *a, uint32_t k)
{
	const rule *r = rules_at(s->p->p->r, k);

	return arena_printf(a, "%s %s", rules_set_name(s->p->p->r, r->ruleset), r->text ? r->text : "");
}

static void remember(struct session *s, struct before *b)
{
	const states *st = session_states(s);
	uint32_t i;
	int k;

	arena_init(&b->a);
	b->nrule = rules_n(s->p->p->r);
	b->step = session_step(s);
	b->name = ARENA_ARRAY(&b->a, const char *, b->nrule);
	b->text = ARENA_ARRAY(&b->a, const char *, b->nrule);
	for (i = 0; i < b->nrule; i++) {
		b->name[i] = arena_strdup(&b->a, rules_at(s->p->p->r, i)->name);
		b->text[i] = whole_text(s, &b->a, i);
	}
	b->verified = ARENA_ARRAY(&b->a, bool, s->p->dist->nrow);
	for (k = 0; k < s->p->dist->nrow; k++)
		b->verified[k] = state_of(st, k)->verified;
	b->counts = *session_counts(s);
	b->met = goals_met(s);
}

static void rule_line(struct page *p, const rule *r, const char *what)
{
	page_add(p, PG_NORMAL, "%s", what);
	page_at(p, 22, PG_RULE, "%s", r->name);
	page_more(p, PG_DIM, "  %s:%u", r->file, r->line);
	page_open(p, "rule show %s", r->name);
}

/* Rules that are new, written otherwise, or gone. */
static void changed_rules(struct session *s, struct before *b, struct page *p)
{
	const rules *all = s->p->p->r;
	uint32_t i, k;

	for (i = 0; i < rules_n(all); i++) {
		for (k = 0; k < b->nrule && strcmp(b->name[k], rules_at(all, i)->name); k++)
			;
		if (k == b->nrule)
			rule_line(p, rules_at(all, i), "new rule");
		else if (strcmp(b->text[k], whole_text(s, &b->a, i)))
			rule_line(p, rules_at(all, i), "changed rule");
	}
	for (k = 0; k < b->nrule; k++)
		if (prover_rule_named(s->p->p, b->name[k]) == NIL) {
			page_add(p, PG_NORMAL, "rule that is gone");
			page_at(p, 22, PG_RULE, "%s", b->name[k]);
		}
}

static void changed_rows(struct session *s, const struct before *b, struct page *p)
{
	const states *st = session_states(s);
	char name[600];
	int k, n = 0;

	for (k = 0; k < s->p->dist->nrow; k++) {
		bool now = state_of(st, k)->verified;
		if (now == b->verified[k] || n++ >= s->setting[SET_LINES])
			continue;
		page_add(p, now ? PG_VERIFIED : PG_UNVERIFIED, now ? "now verified" : "no longer verified");
		page_at(p, 22, PG_NAME, "%s", session_name(s, SIDE_DIST, k, name, sizeof name));
		page_open(p, "select %s", name);
	}
	if (n > s->setting[SET_LINES])
		page_add(p, PG_DIM, "%d more rows; `set lines N` shows them", n - (int)s->setting[SET_LINES]);
}

static void changed_acts(struct session *s, struct page *p, int *gone)
{
	int i;

	for (*gone = i = 0; i < acts_count(s); i++)
		if (acts_get(s, i)->failed) {
			page_add(p, PG_ERROR, "no longer applies");
			page_at(p, 22, PG_NORMAL, "A%d: %s", acts_get(s, i)->id, acts_get(s, i)->failed);
			++*gone;
		}
}

static void say_reloaded(struct session *s, const struct before *b, size_t changed, int gone)
{
	struct counts now = *session_counts(s);
	int met = goals_met(s);

	if (!changed)
		session_say(s, SAY_MESSAGE, "reloaded %u rules: none has changed, the run stands where it stood", b->nrule);
	else
		session_say(s, gone ? SAY_WARNING : SAY_MESSAGE,
			    "reloaded %u rules: unverified %d -> %d, outputs proved %d -> %d, steps %u -> %u, acts that no longer apply: %d",
			    rules_n(s->p->p->r), b->counts.unverified, now.unverified, b->met, met, b->step, session_step(s), gone);
}

bool cmd_reload(struct session *s, const char *args)
{
	struct before b;
	struct diag err;
	struct page *p;
	char text[1200];
	size_t n;
	int gone;

	if (!command_nothing(s, "reload", args))
		return false;
	remember(s, &b);
	if (!acts_reload(s, &err)) {
		arena_free(&b.a);
		return command_fail(s, "%s; the rules are as before", diag_text(&err, text, sizeof text));
	}
	p = command_output(s);
	changed_rules(s, &b, p);
	changed_acts(s, p, &gone);
	changed_rows(s, &b, p);
	n = page_count(p);
	say_reloaded(s, &b, n, gone);
	arena_free(&b.a);
	return !n || command_show(s, PAGE_OUTPUT);
}
