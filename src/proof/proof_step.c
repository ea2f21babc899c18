/* The lines of a proof's file that claim something: steps, facts and goals. */
#include "proof/proof_check_in.h"

#include <string.h>
#include "core/facts.h"
#include "problem/rule_files.h"
#include "prover/reading.h"

static bool step_fails(struct proof_checker *k, const char *why)
{
	return words_fail(&k->at, "step %u does not hold: %s", k->step, why);
}

/* What is shown by now is what facts may be learned from. */
static void unite(struct proof_checker *k, eg_id x, eg_id y, enum eg_why why, uint32_t firing)
{
	eg_set_firing(k->g, firing);
	eg_union(k->g, x, y, why, firing);
}

/* A step that is counted among those of which not all was shown is named. */
static void name_step(struct proof_checker *k, vec *to, uint32_t count, uint32_t rule)
{
	if (count > to->n)
		*(const char **)vec_push(to) = arena_printf(&k->tmp, "%u (%s)", k->step, rule < RULE_GIVEN ? prover_rule_name(k->p->p, rule) : "fallback");
}

static bool tell(struct proof_checker *k, uint32_t rule, eg_id x, eg_id y)
{
	eg_edge e = { x, y, EG_RULE, history_log(k->a, rule, x, y) };
	const char *why = certify_tell(k->r, &e), *reading;

	if (why)
		return step_fails(k, why);
	name_step(k, &k->open, k->out.trusted, rule);
	name_step(k, &k->unproved, k->out.finite, rule);
	reading = rule < RULE_GIVEN && k->out.readings > k->reading.n ? reading_of(k->p->p, e.firing, &k->tmp) : NULL;
	if (k->out.readings > k->reading.n)
		*(const char **)vec_push(&k->reading) = reading ? reading : "a constant is read as another";
	if (rule < RULE_GIVEN)
		prover_follow(k->p->p, rule, x, y, e.firing);
	else
		unite(k, x, y, EG_RULE, e.firing);
	return true;
}

/* Does the rule work on nodes of this kind at all?  Those of structure are about a class. */
static bool suits(const struct proof_checker *k, uint32_t rule, eg_id n)
{
	const prover *p = k->p->p;

	return rules_at(p->r, rule)->ruleset == p->set_structure || rule_root_family(rules_at(k->p->p->r, rule)) == eg_op_family(k->g, eg_node_op(k->g, n));
}

static bool may_open(struct proof_checker *k, const premise *p, uint32_t n)
{
	uint32_t i;

	for (i = 0; i < n; i++)
		if (core_kind(k->a, p[i].y) == C_VIEW || eg_root(k->g, p[i].x) != eg_root(k->g, p[i].y) || !certify_shown(k->r, p[i].x, p[i].y))
			return false;
	return true;
}

/* What the file's facts and the loops show by now; is there anything new? */
bool proof_learn(void *ctx)
{
	struct proof_checker *k = ctx;
	bool any = pair_loop_learn(k->p->q);
	uint32_t i;

	for (i = 0; i < k->fact.n; i++) {
		const struct told_fact *f = &VEC_AT(struct told_fact, &k->fact, i);
		const premise *p = VEC(premise, &k->opened) + f->prem;
		if (may_open(k, p, f->nprem))
			any = facts_show_again(k->a, f->node, f->nprem, p) || any;
	}
	return any;
}

bool proof_read_fact(struct proof_checker *k)
{
	struct told_fact f = { NIL, k->opened.n, 0 };
	struct words begin;
	premise p;

	if (!words_next(&k->in.w))
		return false;
	begin = k->in.w;
	if (!proof_read_node(&k->in, &f.node) || !words_expect(&k->in.w, "opened"))
		return false;
	for (; proof_at_number(&k->in); f.nprem++) {
		if (!proof_read_node(&k->in, &p.x) || !proof_read_node(&k->in, &p.y))
			return false;
		if (core_kind(k->a, p.x) >= C_LAID || core_kind(k->a, p.y) >= C_LAID)
			return words_fail(&begin, "a fact is read from cores");
		*(premise *)vec_push(&k->opened) = p;
	}
	if (core_kind(k->a, f.node) >= C_LAID)
		return words_fail(&begin, "a fact is of a core");
	*(struct told_fact *)vec_push(&k->fact) = f;
	return true;
}

/* An induction is over values that stay finite where that was taken for granted: NULL, or of which it is not shown. */
static const char *loops_stay_finite(struct proof_checker *k, eg_id n)
{
	const pair *q = k->p->q;
	uint32_t forms = eg_narg(k->g, n);
	const vec *now = &k->a->normal->log.now;
	enum program_side side;
	int row, base, dist;

	if (!pair_row_of(q, n, &side, &row) || side != SIDE_DIST || q->dist->row[row].role != ROW_AFTER)
		return "an induction without its loops";
	dist = q->dist->row[row].loop;
	if (now->n <= forms || !pair_row_of(q, VEC_AT(premise, now, forms).x, &side, &row) || side != SIDE_BASE ||
	    q->base->row[row].role != ROW_AFTER)
		return "an induction without its loops";
	base = q->base->row[row].loop;
	while (proof_learn(k))
		;
	return pair_loop_infinite(k->p->q, base, dist);
}

static bool is_loop(const struct proof_checker *k, eg_id n)
{
	return !strcmp(eg_family(k->g, eg_op_family(k->g, eg_node_op(k->g, n)))->name, "loop-result");
}

/* What a step takes for granted, once. */
static void grant(struct proof_checker *k, const char *text)
{
	uint32_t i;

	for (i = 0; text && i < k->granted.n && strcmp(VEC_AT(const char *, &k->granted, i), text); i++)
		;
	if (text && i == k->granted.n)
		*(const char **)vec_push(&k->granted) = text;
}

bool proof_check_rule(struct proof_checker *k)
{
	uint32_t rule;
	const char *why;
	eg_id x, y;

	if (!words_next(&k->in.w))
		return false;
	rule = prover_rule_named(k->p->p, k->in.w.word);
	if (rule == NIL)
		return words_fail(&k->in.w, "there is no rule '%.60s': --rules names the folder that has it", k->in.w.word);
	if (!words_next(&k->in.w) || !proof_read_ends(&k->in, &x, &y) || !proof_read_firing(&k->in))
		return false;
	if (!suits(k, rule, x))
		return step_fails(k, "the rule is not for nodes of this kind");
	grant(k, rule_files_granted(&k->tmp, k->p->files.rules, rules_at(k->p->p->r, rule)));
	grant(k, rule_assumes(rules_at(k->p->p->r, rule), &k->tmp));
	why = is_loop(k, x) ? loops_stay_finite(k, x) : NULL;
	return why ? step_fails(k, why) : tell(k, rule, x, y);
}

bool proof_check_fallback(struct proof_checker *k)
{
	eg_id x, y;

	if (!words_next(&k->in.w) || !proof_read_ends(&k->in, &x, &y) || !proof_read_firing(&k->in))
		return false;
	if (pair_fallback(k->p->q, x) != y)
		return step_fails(k, "it does not stand as this");
	return tell(k, RULE_FALLBACK, x, y);
}

bool proof_check_congruence(struct proof_checker *k)
{
	eg_edge e = { .kind = EG_CONGRUENCE, .firing = NIL };
	const char *why;

	if (!words_next(&k->in.w) || !proof_read_ends(&k->in, &e.a, &e.b))
		return false;
	why = certify_tell(k->r, &e);
	return !why || step_fails(k, why);
}

static bool given_by_plan(const struct proof_checker *k, eg_id x, eg_id y)
{
	uint32_t i;

	for (i = 0; i < history_count(k->a); i++) {
		const hist_entry *f = history_at(k->a, i);
		if (f->rule == RULE_GIVEN && f->node == x && f->result == y)
			return true;
	}
	return false;
}

/* A parameter that holds an inner value is given once a form of that is known: what the step opened.  Of a partial one
 * two unions are given, the first one of the baseline's form: every parameter of this inner value is. */
static const char *give_late(struct proof_checker *k, eg_id x, eg_id y)
{
	const pair *q = k->p->q;
	const premise *p = (const premise *)k->a->normal->log.now.base;
	eg_id form = k->a->normal->log.now.n ? p[0].y : NIL;
	const char *why = NULL;
	int i;

	if (form == NIL || core_kind(k->a, form) != C_LAID)
		return NULL;
	for (i = 0; i < k->p->dist->nrow && !given_by_plan(k, x, y); i++) {
		int param = k->p->dist->row[i].param, from = param < 0 ? -1 : q->in[param].base_row;
		if (from >= 0 && certify_shown(k->r, k->p->base->row[from].tensor, form))
			why = pair_give_late(k->p->q, i, form);
	}
	return given_by_plan(k, x, y) ? NULL : why;
}

bool proof_check_given(struct proof_checker *k)
{
	eg_edge e = { .kind = EG_GIVEN, .firing = NIL };
	const char *why = NULL;

	if (!words_next(&k->in.w) || !proof_read_ends(&k->in, &e.a, &e.b) || !proof_read_firing(&k->in))
		return false;
	if (!given_by_plan(k, e.a, e.b))
		why = give_late(k, e.a, e.b);
	if (why)
		return step_fails(k, why);
	if (!given_by_plan(k, e.a, e.b))
		return step_fails(k, "the plan does not say so");
	certify_grant(k->r, &e);
	return true;
}

static bool read_assumed_row(struct proof_checker *k, program *p, int *row)
{
	*row = program_named(p, k->in.w.word);
	if (*row < 0)
		return words_fail(&k->in.w, "%s has no instruction %%%.200s", p == k->p->base ? "BASE" : "DIST", k->in.w.word);
	return words_next(&k->in.w);
}

/* The plan's own are listed already. */
static void list_assumed(struct proof_checker *k, int base, int dist, const char *chain)
{
	const char *text = arena_printf(&k->tmp, "%%%s = base %%%s %s", k->p->dist->row[dist].path, k->p->base->row[base].path, chain);
	int i;

	for (i = 0; i < k->p->nhypothesis; i++)
		if (strstr(k->p->hypothesis[i], text))
			return;
	*(const char **)vec_push(&k->assumed) = text;
}

/* What is assumed is built again from the forms the step opened. */
static const char *same_assumption(struct proof_checker *k, const eg_edge *e, int base, int dist, const chain *c)
{
	uint32_t n = k->a->normal->log.now.n;
	const premise *p = (const premise *)k->a->normal->log.now.base;
	eg_id bcell = n ? p[0].y : NIL, dcell = n > 1 ? p[1].y : NIL, node[2] = { NIL, NIL };
	const char *why;

	if (bcell == NIL || core_kind(k->a, bcell) != C_LAID || !certify_shown(k->r, k->p->base->row[base].tensor, bcell))
		return "the baseline's value was not shown to have this form";
	if (dcell != NIL && (core_kind(k->a, dcell) != C_LAID || !certify_shown(k->r, k->p->dist->row[dist].tensor, dcell)))
		return "the instruction was not shown to have this form";
	why = pair_assumed_on(k->p->q, base, dist, c, bcell, dcell, node);
	if (why)
		return why;
	return certify_shown(k->r, node[0], e->a) && certify_shown(k->r, node[1], e->b) ? NULL : "this is not what is assumed";
}

bool proof_check_assumed(struct proof_checker *k)
{
	eg_edge e = { .kind = EG_ASSUMED, .firing = NIL };
	const char *why = NULL, *text = NULL;
	int base, dist;
	arena tmp;
	chain c;

	if (!words_next(&k->in.w) || !proof_read_ends(&k->in, &e.a, &e.b) || !read_assumed_row(k, k->p->base, &base) ||
	    !read_assumed_row(k, k->p->dist, &dist) || !words_text(&k->in.w, "a chain", &text) || !proof_read_firing(&k->in))
		return false;
	arena_init(&tmp);
	if (problem_read_chain(k->p, &tmp, text, &c, &why))
		why = same_assumption(k, &e, base, dist, &c);
	arena_free(&tmp);
	if (why)
		return step_fails(k, why);
	list_assumed(k, base, dist, text);
	certify_grant(k->r, &e);
	unite(k, e.a, e.b, EG_ASSUMED, history_log(k->a, RULE_ASSUMED, e.a, e.b));
	return true;
}

static const char *goal_holds(struct proof_checker *k, goal *g, eg_id bcell, eg_id dcell)
{
	const char *why;
	uint32_t i;

	if (!g->compared || g->base_row < 0)
		return "the plan does not compare this";
	if (g->within)
		return "a proof in a file does not show what a loop keeps, which a value of its trips rests on";
	if (core_kind(k->a, bcell) != C_LAID || !certify_shown(k->r, k->p->base->row[g->base_row].tensor, bcell))
		return "the baseline's value was not shown to have this form";
	if (core_kind(k->a, dcell) != C_LAID || !certify_shown(k->r, k->p->dist->row[g->dist_row].tensor, dcell))
		return "the output was not shown to have this form";
	if ((why = pair_goal_on(k->p->q, g, bcell, dcell)))
		return why;
	for (i = 0; i < k->a->made.n; i++) {
		const made_node *m = &VEC_AT(made_node, &k->a->made, i);
		why = certify_built(k->r, m->node, m->narg, (const eg_id *)k->a->made_args.base + m->args);
		if (why)
			return why;
	}
	return certify_shown(k->r, g->have, g->want) ? NULL : "the output was not shown to be what the plan says";
}

bool proof_check_goal(struct proof_checker *k)
{
	const pair *q = k->p->q;
	int64_t i;
	eg_id bcell, dcell;
	const char *why;

	if (!words_next(&k->in.w) || !words_int(&k->in.w, "a goal", 0, q->ngoal - 1, &i))
		return false;
	if (strcmp(k->in.w.word, k->p->dist->row[q->goal[i].dist_row].path))
		return words_fail(&k->in.w, "goal %d is of %%%s", (int)i, k->p->dist->row[q->goal[i].dist_row].path);
	if (!words_next(&k->in.w) || !proof_read_ends(&k->in, &bcell, &dcell))
		return false;
	why = goal_holds(k, &q->goal[i], bcell, dcell);
	if (why)
		return words_fail(&k->at, "goal %d does not follow: %s", (int)i, why);
	k->nshown += !k->shown[i];
	k->shown[i] = true;
	return true;
}
