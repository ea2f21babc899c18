/* Pages that list what a session holds. */
#include "session/pages.h"

#include <string.h>
#include "report/report.h"

static const struct {
	const char *name, *help;
	page_fn *fill;
} pages[] = {
#define X(id, name, help) { name, help, page_of_##id },
	SESSION_PAGES(X)
#undef X
};

const char *session_page_name(enum session_page k)
{
	return pages[k].name;
}

const char *session_page_help(enum session_page k)
{
	return pages[k].help;
}

void session_page(struct session *s, enum session_page k, struct page *out)
{
	page_clear(out);
	snprintf(out->title, sizeof out->title, "%s", pages[k].name);
	pages[k].fill(s, out);
}

void page_of_OUTPUT(struct session *s, struct page *p)
{
	page_append(p, &s->output);
	p->empty = "nothing was printed yet";
}

/* ---- history */

static void act_line(struct session *s, struct page *p, const struct act *a)
{
	page_add(p, a->failed ? PG_ERROR : a->done ? PG_KEY : PG_DIM, "A%d", a->id);
	page_at(p, 6, PG_NUMBER, "step %u", a->done ? a->step : session_known(s));
	page_at(p, 20, PG_NORMAL, "%s", a->text);
	if (a->failed)
		page_more(p, PG_ERROR, "  no longer applies: %s", a->failed);
	else if (!a->done)
		page_more(p, PG_DIM, "  ahead");
	page_open(p, "goto A%d", a->id);
}

void page_of_ACTS(struct session *s, struct page *p)
{
	int i;

	for (i = 0; i < acts_count(s); i++)
		act_line(s, p, acts_get(s, i));
	p->empty = "you have done nothing yet: apply, assume and rule on|off are acts";
}

static void firing_line(struct session *s, struct page *p, uint32_t f)
{
	const hist_entry *e = history_at(&s->p->p->a, f);
	const struct act *a = acts_of_firing(s, f);
	uint32_t step = session_step_of(s, f);
	struct step_text t;
	arena tmp;

	arena_init(&tmp);
	t = nodes_step(s, e->node, e->result, &tmp);
	page_add(p, PG_NUMBER, "%u", step);
	if (a)
		page_at(p, 8, PG_KEY, "A%d", a->id);
	page_at(p, 12, PG_RULE, "%s", prover_rule_name(s->p->p, e->rule));
	page_at(p, 32, PG_NORMAL, "%s = %s", t.node, t.made);
	page_open(p, "goto %u", step);
	arena_free(&tmp);
}

void page_of_HISTORY(struct session *s, struct page *p)
{
	uint32_t n = history_count(&s->p->p->a), lines = (uint32_t)s->setting[SET_LINES], f = n > lines ? n - lines : 0, t = 0;

	if (f)
		page_add(p, PG_DIM, "%u firings before; `set lines N` shows more", f);
	for (; f < n; f++) {
		for (; t < s->told.n && VEC_AT(struct told, &s->told, t).hist <= f; t++)
			if (VEC_AT(struct told, &s->told, t).hist == f)
				page_add(p, PG_HEADING, "%s", VEC_AT(struct told, &s->told, t).text);
		firing_line(s, p, f);
	}
	for (; t < s->told.n; t++)
		page_add(p, PG_HEADING, "%s", VEC_AT(struct told, &s->told, t).text);
	page_add(p, PG_HERE, "here: step %u of %u known", session_step(s), session_known(s));
	page_here(p);
	if (session_known(s) > session_step(s))
		page_add(p, PG_DIM, "%u steps ahead", session_known(s) - session_step(s));
}

void page_of_LOG(struct session *s, struct page *p)
{
	int k;

	for (k = 0; k < session_nlog(s); k++)
		page_add(p, PG_NORMAL, "%s", session_log(s, k));
	if (k)
		page_here(p);
	p->empty = "no command was run yet";
}

/* ---- rules */

/* Rules of other rulesets than the four, or of none, are fired by hand. */
static void add_set(const prover *pr, struct page *p, uint32_t set)
{
	const char *name = rules_set_name(pr->r, set);

	page_add(p, PG_HEADING, "%s", *name ? name : "without a ruleset");
	if (!prover_runs(pr, set))
		page_more(p, PG_DIM, ": fired by `apply` alone");
}

void page_of_RULES(struct session *s, struct page *p)
{
	const rules *all = s->p->p->r;
	uint32_t i, set = NIL;

	for (i = 0; i < rules_n(all); i++) {
		const rule *r = rules_at(all, i);
		if (r->ruleset != set) {
			set = r->ruleset;
			add_set(s->p->p, p, set);
		}
		page_add(p, PG_DIM, "%s", prover_rule_on(s->p->p, i) ? "on" : "off");
		page_at(p, 5, PG_RULE, "%s", r->name);
		page_at(p, 34, PG_NUMBER, "%u", history_fired(&s->p->p->a, i));
		page_at(p, 42, PG_COMMENT, "%.*s", r->comment ? (int)strcspn(r->comment, "\n") : 0, r->comment ? r->comment : "");
		page_open(p, "rule show %s", r->name);
	}
}

static void text_lines(struct page *p, enum page_role role, const char *text)
{
	size_t n;

	for (; text && *text; text += n + (text[n] == '\n')) {
		n = strcspn(text, "\n");
		page_add(p, role, "%.*s", (int)n, text);
	}
}

/* Sources of rules are kept as written; a rule whose text is one line is shown as that. */
void page_of_RULE(struct session *s, struct page *p)
{
	uint32_t k = prover_rule_named(s->p->p, s->rule_shown);
	const rule *r;

	p->empty = "no rule was chosen: rule show NAME";
	if (k == NIL)
		return;
	r = rules_at(s->p->p->r, k);
	page_add(p, PG_RULE, "%s", r->name);
	page_more(p, PG_DIM, "  %s:%u  %s%s", r->file, r->line, rules_set_name(s->p->p->r, r->ruleset),
		  prover_rule_on(s->p->p, k) ? "" : ", off");
	page_open(p, "rule %s %s", prover_rule_on(s->p->p, k) ? "off" : "on", r->name);
	text_lines(p, PG_COMMENT, r->comment);
	text_lines(p, PG_NORMAL, r->text);
}

/* ---- outputs, plan, assumptions */

void page_of_GOALS(struct session *s, struct page *p)
{
	struct report *r = session_verdicts(s);
	int k;

	page_add(p, PG_HEADING, "%s", verdict_words(r->verdict));
	if (!session_done(s))
		page_more(p, PG_DIM, "  so far: the run is not at its end");
	for (k = 0; k < r->noutput; k++) {
		const struct report_output *o = &r->output[k];
		if (o->index >= 0)
			page_add(p, PG_NUMBER, "%d", o->index);
		else
			page_add(p, PG_DIM, "-");
		page_at(p, 4, PG_NAME, "%%%s", o->name + (*o->name == '%'));
		page_at(p, 28, o->verdict == VERDICT_PROVED ? PG_VERIFIED : PG_FRONTIER, "%s", o->compared ? verdict_words(o->verdict) : "not compared");
		page_at(p, 54, PG_RELATION, "%s", o->relation);
		if (o->wanted && o->verdict != VERDICT_PROVED && o->verdict != VERDICT_PROVED_UNDER && strcmp(o->wanted, o->relation))
			page_more(p, PG_DIM, "  wanted: %s", o->wanted);
		if (o->why)
			page_more(p, PG_NORMAL, "  %s", o->why);
		page_open(p, "select %%%s", o->name + (*o->name == '%'));
	}
	report_free(r);
}

void page_of_ALTERNATIVES(struct session *s, struct page *p)
{
	const struct alternatives *t = s->p->alternatives;
	int k;

	p->empty = !session_done(s) || alternatives_any(s->p) ? "nothing was tried: at the verdict `alternatives` tries other relations of what was inferred" :
		   "there is nothing to try: every output is proved, or the plan names all relations";
	if (!t)
		return;
	page_add(p, t->n ? PG_HEADING : PG_NORMAL, "%s", t->offer);
	for (k = 0; k < t->nline; k++) {
		page_add(p, PG_RELATION, "  %s", t->line[k]);
		page_open(p, "prompt save plan");
	}
	page_add(p, PG_DIM, "%s", t->effort);
	if (!t->n)
		return;
	page_add(p, PG_DIM, "an offer: the verdict is that of the relations as they are; `save plan FILE` writes a plan with it, for --plan");
	page_open(p, "prompt save plan");
}

/* A baseline that is a distributed program: its mesh, and what its inputs and outputs are of the global tensors. */
static void base_lines(const struct problem *q, struct page *p)
{
	int k;

	if (!q->base_in)
		return;
	page_add(p, PG_NORMAL, "mesh base");
	for (k = 0; k < q->base_ms.n; k++)
		page_more(p, PG_NUMBER, " %s=%lld", q->base_ms.axis[k].name, (long long)q->base_ms.axis[k].size);
	for (k = 0; k < q->base->nparam; k++) {
		page_add(p, PG_NORMAL, "base input %d", k);
		page_at(p, 40, PG_RELATION, "%s", q->base_in[k].text);
	}
	for (k = 0; k < q->base->nout; k++) {
		page_add(p, PG_NORMAL, "base output %d", k);
		page_at(p, 40, PG_RELATION, "%s", q->base_out[k].text);
	}
}

/* Where the plan says so. */
static void place_of(struct page *p, const char *where)
{
	page_put(p, 0, PG_DIM, "  ");
	page_copy(p, 0, PG_DIM, where);
}

void page_of_PLAN(struct session *s, struct page *p)
{
	const pair *q = s->p->q;
	int k;

	page_add(p, PG_HEADING, "%s%s", s->p->plan ? s->p->plan->file : "no plan", s->p->plan_found ? ", found beside DIST" : "");
	page_add(p, PG_NORMAL, "mesh");
	for (k = 0; k < s->p->ms.n; k++)
		page_more(p, PG_NUMBER, " %s=%lld", s->p->ms.axis[k].name, (long long)s->p->ms.axis[k].size);
	base_lines(s->p, p);
	for (k = 0; k < q->ninput; k++) {
		const input_relation *r = &q->in[k];
		static const char *const pin[] = { "", "a number", "partition-id", "a mesh axis", "any" };
		page_add(p, PG_NORMAL, "input %d", k);
		if (s->p->dist->param[k] >= 0) {
			page_put(p, 12, PG_NAME, "%");
			page_copy(p, 0, PG_NAME, s->p->dist->row[s->p->dist->param[k]].path);
		}
		if (r->pin == PIN_NONE)
			page_copy(p, 40, PG_RELATION, r->c.text ? r->c.text : "R");
		else
			page_at(p, 40, PG_RELATION, "= %s", pin[r->pin]);
		place_of(p, r->where);
	}
	for (k = 0; k < q->noutput; k++) {
		const output_relation *r = &q->out[k];
		page_add(p, PG_NORMAL, "output %d", k);
		page_copy(p, 40, PG_RELATION, r->any ? "any" : r->base < 0 ? "no counterpart" : r->c.text ? r->c.text : "R");
		place_of(p, r->where);
	}
}

void page_of_ASSUMPTIONS(struct session *s, struct page *p)
{
	struct report *r = session_verdicts(s);	/* constants that proofs read as others, too */
	int k;

	for (k = 0; k < r->nassumption; k++)
		page_add(p, k >= s->p->nassumption && k < s->p->nassumption + s->p->q->nrefused ? PG_WARNING : PG_NORMAL, "%s", r->assumption[k]);
	p->empty = "nothing is taken for granted about the files";
	report_free(r);
}

static void add_unmatched(struct session *s, struct page *p, enum program_side side)
{
	const int *row;
	char name[600];
	arena tmp;
	int n, k;

	arena_init(&tmp);
	n = states_unmatched(session_states(s), side, &tmp, &row);
	if (n)
		page_add(p, PG_HEADING, "%d value%s of %s without counterpart", n, n == 1 ? "" : "s", side == SIDE_BASE ? "BASE" : "DIST");
	for (k = 0; k < n; k++) {
		session_name(s, side, row[k], name, sizeof name);
		page_add(p, PG_NAME, "%s", name);
		page_open(p, "select %s", name);
	}
	arena_free(&tmp);
}

void page_of_UNMATCHED(struct session *s, struct page *p)
{
	add_unmatched(s, p, SIDE_DIST);
	add_unmatched(s, p, SIDE_BASE);
	if (page_count(p) && !session_done(s))
		page_add(p, PG_DIM, "so far: the run is not at its end");
	p->empty = "every value that an output depends on has a counterpart";
}

void page_of_HYPOTHESES(struct session *s, struct page *p)
{
	int k;

	for (k = 0; k < s->p->nhypothesis; k++)
		page_add(p, PG_TAINTED, "plan: %s", s->p->hypothesis[k]);
	for (k = 0; k < acts_count(s); k++)
		if (acts_get(s, k)->kind == ACTS_ASSUME)
			act_line(s, p, acts_get(s, k));
	p->empty = "nothing is asserted about values";
}

void page_of_FILES(struct session *s, struct page *p)
{
	const rules *all = s->p->p->r;
	const char *last = "";
	uint32_t i;

	page_add(p, PG_NORMAL, "base   %s", s->p->files.base);
	page_at(p, 60, PG_DIM, "%d rows, module %s", s->p->base->nrow, s->p->base_m->name);
	page_add(p, PG_NORMAL, "dist   %s", s->p->files.dist);
	page_at(p, 60, PG_DIM, "%d rows, module %s, %lld devices", s->p->dist->nrow, s->p->dist_m->name, (long long)s->p->dist->ndev);
	if (s->p->plan)
		page_add(p, PG_NORMAL, "plan   %s", s->p->plan->file);
	for (i = 0; i < rules_n(all); i++)
		if (strcmp(rules_at(all, i)->file, last)) {
			last = rules_at(all, i)->file;
			page_add(p, PG_NORMAL, "rules  %s", last);
		}
}

/* ---- breakpoints, frontier, classes */

void page_of_BREAKPOINTS(struct session *s, struct page *p)
{
	int k;

	for (k = 0; k < session_nbreak(s); k++) {
		const struct breakpoint *b = session_break(s, k);
		page_add(p, PG_NUMBER, "%d", b->id);
		page_at(p, 4, PG_NORMAL, "%s", b->kind == BREAK_WATCH ? "watch" : "break");
		page_at(p, 11, PG_NAME, "%s", b->text);
		page_at(p, 50, PG_DIM, b->hits == 1 ? "hit once" : b->hits ? "hit %d times" : "never hit", b->hits);
	}
	p->empty = "no breakpoints: break stops at the selected instruction";
}

/* What a frontier node is by its numbers, once there are some. */
static void add_numbers(struct session *s, struct page *p, int row)
{
	const char *chain;
	char name[600];
	int b;

	if (!s->values || !values_of(s->values, SIDE_DIST, row, 0))
		return;
	b = values_like(s->values, row, &chain);
	page_add(p, b < 0 ? PG_REFUTED : PG_RELATION, "  by its numbers it is ");
	if (b < 0)
		page_more(p, PG_NORMAL, "no row of the baseline");
	else
		page_more(p, PG_NORMAL, "%s %s: a rule is missing, not a bug", session_name(s, SIDE_BASE, b, name, sizeof name), chain);
}

void page_of_FRONTIER(struct session *s, struct page *p)
{
	const frontier *f = session_front(s);
	int k;

	for (k = 0; k < f->n; k++) {
		const frontier_report *r = session_explained(s, &f->e[k]);
		const row *x = &s->p->dist->row[f->e[k].row];
		page_add(p, PG_FRONTIER, "!");
		page_more(p, PG_NAME, " %%%s", x->path);
		page_at(p, 24, PG_OPCODE, "%s", x->inst->opname);
		page_at(p, 40, PG_NORMAL, "%s", r->reason ? r->reason : r->state);
		page_open(p, "frontier %d", k + 1);
		add_numbers(s, p, f->e[k].row);
	}
	if (f->n && f->so_far)
		page_add(p, PG_DIM, "so far: the run is not at its end");
	p->empty = session_done(s) ? "there is no frontier" : "there is no frontier so far";
}

void page_of_CLASSES(struct session *s, struct page *p)
{
	const algebra *a = &s->p->p->a;
	uint32_t count[C_COUNT] = { 0 }, n;
	int k;

	for (n = 0; n < eg_nnode(a->g); n++)
		count[core_kind(a, n)] += !eg_dead(a->g, n);
	page_add(p, PG_NORMAL, "classes %u, nodes %u (%u live), unions %u, firings %u, waiting %u", eg_nclass(a->g), eg_nnode(a->g),
		 eg_live(a->g), eg_nedge(a->g), history_count(a), session_pending(s));
	for (k = 0; k < C_COUNT; k++)
		if (count[k]) {
			page_add(p, PG_OPCODE, "%s", core_kind_name((enum core_kind)k));
			page_at(p, 12, PG_NUMBER, "%u", count[k]);
		}
}
