#include "report/report.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "lift/token.h"
#include "problem/rule_files.h"
#include "problem/trial.h"
#include "prover/proof.h"
#include "prover/reading.h"
#include "report/source.h"
#include "text/diag.h"

/* ---- verdicts */

static const struct { const char *name, *words; int exit; } verdicts[] = {
#define X(id, name, words, exit, help) { name, words, exit },
	VERDICTS(X)
#undef X
};

const char *verdict_name(enum verdict v)
{
	return verdicts[v].name;
}

const char *verdict_words(enum verdict v)
{
	return verdicts[v].words;
}

/* Over all outputs the first that applies: not proved, limit, under hypotheses, proved. */
static int gravity(enum verdict v)
{
	static const int g[] = { [VERDICT_REFUTED] = 4, [VERDICT_UNKNOWN_RULE] = 3, [VERDICT_UNKNOWN_LIMIT] = 2, [VERDICT_PROVED_UNDER] = 1,
				 [VERDICT_PROVED] = 0 };

	return g[v];
}

int report_exit(const struct report *r)
{
	return verdicts[r->verdict].exit;
}

double report_clock(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* ---- outputs */

static bool ended(const struct problem *p, const levels *l)
{
	return l ? level_done(l) : pair_done(p->q);
}

static bool was_cut(const struct problem *p, const levels *l)
{
	return p->q->cut || !ended(p, l) || (l && level_any_cut(l));
}

static bool noted(int n, const char *const *list, const char *s)
{
	int k;

	for (k = 0; k < n; k++)
		if (!strcmp(list[k], s))
			return true;
	return false;
}

/* Nothing but lifting and normalizing, and nothing assumed: then no proof has to be looked at. */
static bool is_plain(const struct problem *p)
{
	const algebra *a = &p->p->a;
	uint32_t i, n = history_fired(a, RULE_ASSUMED);

	for (i = 0; i < rules_n(p->p->r); i++)
		if (rules_at(p->p->r, i)->ruleset == p->p->set_search)
			n += history_fired(a, i);
	return !n;
}

static void assume(struct report *r, const char *s)
{
	const char **more;

	if (noted(r->nassumption, r->assumption, s))
		return;
	more = ARENA_ARRAY(&r->a, const char *, r->nassumption + 1);
	memcpy(more, r->assumption, sizeof *more * (size_t)r->nassumption);
	more[r->nassumption++] = arena_strdup(&r->a, s);
	r->assumption = more;
}

/* What rules that fired take for granted. */
static void rules_assume(struct report *r, const struct problem *p)
{
	const char *text;
	uint32_t i;

	for (i = 0; i < rules_n(p->p->r); i++) {
		const rule *u = rules_at(p->p->r, i);

		if (!history_fired(&p->p->a, i))
			continue;
		if ((text = rule_files_granted(&r->a, p->files.rules, u)))
			assume(r, text);
		if ((text = rule_assumes(u, &r->a)))
			assume(r, text);
	}
}

/* The search rules an explanation meets, the readings, and whether it meets an assumption. */
static bool proof_meets(struct report *r, struct report_output *o, struct problem *p, const goal *g)
{
	arena scratch;
	const char *text;
	explanation e;
	eg_id (*claim)[2];
	uint32_t i, n, cap = rules_n(p->p->r);
	bool tainted;

	arena_init(&scratch);
	n = goal_claims(p->q, g, &scratch, &claim);
	e = proof_of_all(&p->p->a, n, (const eg_id (*)[2])claim, &scratch);
	tainted = e.tainted || !n;
	o->rule = ARENA_ARRAY(&r->a, const char *, cap);
	for (i = 0; i < e.n; i++) {
		uint32_t f = e.item[i].edge ? eg_get_edge(p->p->g, e.item[i].id)->firing : e.item[i].id, rule;
		if (e.item[i].edge && eg_get_edge(p->p->g, e.item[i].id)->kind != EG_RULE)
			continue;
		rule = history_at(&p->p->a, f)->rule;
		text = rule < cap && prover_prim(p->p, rule) != prim_token_product ? reading_of(p->p, f, &r->a) : NULL;
		if (text)
			assume(r, text);
		if (rule < cap && rules_at(p->p->r, rule)->ruleset == p->p->set_search && !noted(o->nrule, o->rule, prover_rule_name(p->p, rule)))
			o->rule[o->nrule++] = arena_strdup(&r->a, prover_rule_name(p->p, rule));
	}
	arena_free(&scratch);
	return tainted;
}

static enum verdict output_verdict(struct report *r, struct report_output *o, struct problem *p, const levels *l, const goal *g)
{
	bool tainted = p->nhypothesis > 0 || p->p->a.facts_assumed;

	if (!goal_met(p->q, g))
		return was_cut(p, l) ? VERDICT_UNKNOWN_LIMIT : VERDICT_UNKNOWN_RULE;
	if (!is_plain(p))
		tainted = proof_meets(r, o, p, g) || tainted;
	return tainted ? VERDICT_PROVED_UNDER : VERDICT_PROVED;
}

static void add_rules(struct report *r, const struct problem *p, const struct report_output *o)
{
	int k;

	for (k = 0; k < o->nrule; k++) {
		if (noted(r->nrule, r->rule, o->rule[k]))
			continue;
		r->identity[r->nrule] = rule_identity(rules_named(p->p->r, o->rule[k]), &r->a);
		r->rule[r->nrule++] = o->rule[k];
	}
}

static void add_output(struct report *r, struct problem *p, states *s, const levels *l, const goal *g)
{
	struct report_output *o = &r->output[r->noutput++];
	int i;

	*o = (struct report_output){ .index = g->out, .compared = g->compared };
	o->name = arena_printf(&r->a, "%%%s", p->dist->row[g->dist_row].path);
	o->wanted = arena_strdup(&r->a, g->rel && g->rel->c.text && *g->rel->c.text ? g->rel->c.text : g->compared ? "R" : "any");
	o->why = g->why ? arena_strdup(&r->a, g->why) : g->within && !goal_met(p->q, g) ? "it is a value within a loop: what the loop keeps is to be shown, too" : NULL;
	o->verdict = g->compared ? output_verdict(r, o, p, l, g) : VERDICT_PROVED;
	o->relation = state_relation(s, g->dist_row, &r->a);
	if (!*o->relation && g->compared && goal_met(p->q, g))
		o->relation = o->wanted;
	add_rules(r, p, o);
	if (o->verdict == VERDICT_PROVED_UNDER) {
		o->hypothesis = ARENA_ARRAY(&r->a, const char *, p->nhypothesis);
		for (i = 0; i < p->nhypothesis; i++)
			o->hypothesis[o->nhypothesis++] = r->hypothesis[i];
	}
	if (g->compared && gravity(o->verdict) > gravity(r->verdict))
		r->verdict = o->verdict;
}

static const char **copies(arena *a, int n, const char *const *v)
{
	const char **c = ARENA_ARRAY(a, const char *, n);
	int i;

	for (i = 0; i < n; i++)
		c[i] = arena_strdup(a, v[i]);
	return c;
}

/* The innermost frame outside of libraries; where all are inside, the innermost. */
static const frame *user_frame(const frame *f)
{
	const frame *at;

	for (at = f; at && !sources_user_frame(NULL, at); at = at->parent)
		;
	return at ? at : f;
}

/* From the folder of packages on. */
static const char *in_library(const char *file)
{
	const char *at = strstr(file, "-packages/");

	return at ? at + strlen("-packages/") : file;
}

static const char *caller_text(arena *a, const frame *f)
{
	const frame *at;
	const char *slash;

	if (!f)
		return NULL;
	for (at = f->parent; at && !sources_user_frame(NULL, at); at = at->parent)
		;
	if (!at)
		return NULL;
	slash = strrchr(at->file, '/');
	return arena_printf(a, "%s:%d", slash ? slash + 1 : at->file, at->line);
}

/* The name a person knows: a tuple's element by the instruction that takes it, a value of an unrolled loop by the loop. */
static const char *node_name(arena *a, const row *d)
{
	const char *iteration = strchr(d->path, '['), *slash = strrchr(d->path, '/');
	const comp *c = d->inst->parent;
	int k;

	if (iteration)
		return arena_printf(a, "%%%.*s", (int)(iteration - d->path), d->path);
	for (k = 0; d->element >= 0 && k < c->ninst; k++)
		if (c->inst[k]->opcode == OP_GET_TUPLE_ELEMENT && c->inst[k]->operand[0] == d->inst && c->inst[k]->number == d->element)
			return slash ? arena_printf(a, "%%%.*s/%%%s", (int)(slash - d->path), d->path, c->inst[k]->name)
				     : arena_printf(a, "%%%s", c->inst[k]->name);
	return arena_printf(a, "%%%s", d->path);
}

/* Does an output of its program depend on a row? */
static bool is_needed(const program *p, int row)
{
	bool *on = calloc((size_t)p->nrow + 1, sizeof *on), needed;
	int i, k;

	for (k = 0; on && k < p->nout; k++)
		if (p->out[k] >= 0)
			on[p->out[k]] = true;
	for (i = p->nrow - 1; on && i >= 0; i--)
		for (k = 0; on[i] && k < p->row[i].nop; k++)
			on[p->row[i].op[k]] = true;
	needed = !on || on[row];
	free(on);
	return needed;
}

/* A firing that takes a token's product to be 0: the other factor of the product is finite. */
static void add_token(struct report *r, const struct problem *p, uint32_t firing)
{
	const algebra *a = &p->p->a;
	const token_mark *m = token_assumed(a, history_at(a, firing));
	enum program_side side, own;
	int k, product;

	if (!m || !pair_row_of(p->q, m->factor, &side, &k) || !pair_row_of(p->q, m->tensor, &own, &product))
		assume(r, reading_of(p->p, firing, &r->a));
	else if (is_needed(own == SIDE_BASE ? p->base : p->dist, product))
		assume(r, arena_printf(&r->a, "%s%s is finite: a token, which is 0, is multiplied by it",
				       side == SIDE_BASE ? "base " : "", node_name(&r->a, pair_row(p->q, side, k))));
}

/* Whether a class is finite may rest on a token without a proof that shows it: all that were assumed are listed. */
static void add_tokens(struct report *r, const struct problem *p)
{
	const algebra *a = &p->p->a;
	uint32_t i, rule, left = 0;

	for (i = 0; i < rules_n(p->p->r); i++)
		if (prover_prim(p->p, i) == prim_token_product)
			left += history_fired(a, i);
	for (i = 0; left && i < history_count(a); i++) {
		rule = history_at(a, i)->rule;
		if (rule >= rules_n(p->p->r) || prover_prim(p->p, rule) != prim_token_product)
			continue;
		add_token(r, p, i);
		left--;
	}
}

/* One row in two trips of a loop that is written out. */
static bool same_but_trip(const char *x, const char *y)
{
	size_t n = x && y ? strcspn(x, "[") : 0;

	return x && y && !strncmp(x, y, n + 1) && strchr(x + n, ']') && strchr(y + n, ']') && !strcmp(strchr(x + n, ']'), strchr(y + n, ']'));
}

/* A row that is there in many trips is told once, of the first.  False: another tells it. */
static bool add_trip(struct report *r, struct report_frontier *e, int most)
{
	struct report_frontier *first = r->frontier;

	while (first < e && !same_but_trip(first->inner, e->inner))
		first++;
	if (!first->trip)
		first->trip = ARENA_ARRAY(&r->a, int, most);
	first->trip[first->ntrip++] = atoi(strchr(e->inner, '[') + 1);
	return first == e;
}

static void add_source(struct report *r, struct report_frontier *e, const struct inst *self)
{
	const inst *of = sources_teller(NULL, self);
	const frame *at = user_frame(of->frame);

	e->file = at ? arena_strdup(&r->a, at->file) : NULL;
	e->line = at ? at->line : 0;
	e->caller = caller_text(&r->a, at);
	if (of != self) {
		e->source_of = arena_printf(&r->a, "%%%s", of->name);
		e->library = self->frame ? arena_printf(&r->a, "%s:%d", in_library(self->frame->file), self->frame->line) : NULL;
	}
}

static void add_frontier(struct report *r, struct problem *p, states *s)
{
	frontier f = frontier_find(s, &r->a);
	int i, k;

	r->frontier = arena_zalloc(&r->a, sizeof *r->frontier * (size_t)(f.n + 1));
	for (i = 0; i < f.n; i++) {
		struct report_frontier *e = &r->frontier[r->nfrontier];
		const row *d = &p->dist->row[f.e[i].row];
		e->inner = strchr(d->path, '[') ? arena_printf(&r->a, "%%%s", d->path) : NULL;
		if (e->inner && !add_trip(r, e, f.n - i))
			continue;
		r->nfrontier++;
		e->row = f.e[i].row;
		e->node = node_name(&r->a, d);
		e->opcode = arena_strdup(&r->a, d->inst->opname);
		add_source(r, e, d->inst);
		e->r = frontier_explain(s, &f.e[i], &r->a);
		e->cand = ARENA_ARRAY(&r->a, const char *, e->r->ncand);
		for (k = 0; k < e->r->ncand; k++)
			e->cand[e->ncand++] = arena_printf(&r->a, "%%%s", p->base->row[e->r->cand[k].base].path);
	}
}

/* Equal over the reals is not equally safe in floats (RULES T24): what a proved program computes beside the baseline is named,
 * and what of the baseline it does not. */
static void add_unmatched(struct report *r, const struct problem *p, states *s)
{
	const int *dist, *base;
	int nd = states_unmatched(s, SIDE_DIST, &r->a, &dist), nb = states_unmatched(s, SIDE_BASE, &r->a, &base), i;

	if (r->verdict != VERDICT_PROVED && r->verdict != VERDICT_PROVED_UNDER)
		nd = 0;		/* the frontier speaks of those */
	r->unmatched = ARENA_ARRAY(&r->a, const char *, nd + nb);
	for (i = 0; i < nd; i++)
		r->unmatched[r->nunmatched++] = arena_printf(&r->a, "%%%s", p->dist->row[dist[i]].path);
	for (i = 0; i < nb; i++)
		r->unmatched[r->nunmatched++] = arena_printf(&r->a, "base %%%s", p->base->row[base[i]].path);
}

/* A proved pair has no alternatives to offer. */
static const struct alternatives *copied(struct report *r, const struct alternatives *from)
{
	struct alternatives *c;

	if (!from || r->verdict == VERDICT_PROVED || r->verdict == VERDICT_PROVED_UNDER)
		return NULL;
	c = ARENA_NEW(&r->a, struct alternatives);
	*c = *from;
	c->n = 0;
	c->v = NULL;
	c->offer = arena_strdup(&r->a, from->offer);
	c->effort = arena_strdup(&r->a, from->effort);
	c->line = copies(&r->a, from->nline, from->line);
	return c;
}

static const char *cut_text(struct report *r, const struct problem *p, const levels *l)
{
	int k;

	if (p->q->cut)
		return pair_cut_text(p->q, &r->a);
	if (!ended(p, l))
		return "the run was not carried to its end";
	for (k = 0; l && k < LEVEL_COUNT; k++)
		if (level_was_cut(l, k))
			return arena_printf(&r->a, "the search was cut at its limit, level %s", level_name(k));
	return NULL;
}

struct report *report_verdicts(struct problem *p, states *s, const levels *l)
{
	struct report *r = calloc(1, sizeof *r);
	int i;

	if (!r) {
		die_hook("out of memory");
		return NULL;
	}
	arena_init(&r->a);
	states_refresh(s);
	r->verdict = VERDICT_PROVED;
	r->nassumption = p->nassumption + p->q->nrefused;
	r->assumption = ARENA_ARRAY(&r->a, const char *, r->nassumption);
	for (i = 0; i < r->nassumption; i++)
		r->assumption[i] = arena_strdup(&r->a, i < p->nassumption ? p->assumption[i] : p->q->refused[i - p->nassumption]);
	rules_assume(r, p);
	r->nhypothesis = p->nhypothesis;
	r->hypothesis = copies(&r->a, p->nhypothesis, p->hypothesis);
	r->rule = ARENA_ARRAY(&r->a, const char *, rules_n(p->p->r));
	r->identity = ARENA_ARRAY(&r->a, const char *, rules_n(p->p->r));
	r->output = arena_zalloc(&r->a, sizeof *r->output * (size_t)(p->q->ngoal + 1));
	for (i = 0; i < p->q->ngoal; i++)
		add_output(r, p, s, l, &p->q->goal[i]);
	if (!problem_goals_compared(p))		/* of nothing nothing is shown */
		r->verdict = VERDICT_UNKNOWN_RULE;
	add_tokens(r, p);
	r->counts = states_count(s);
	r->cut = r->verdict == VERDICT_UNKNOWN_LIMIT || (r->verdict != VERDICT_PROVED && !ended(p, l)) ? cut_text(r, p, l) : NULL;
	r->near = r->verdict == VERDICT_UNKNOWN_RULE && l && level_near(l);
	r->alternatives = copied(r, p->alternatives);
	r->classes = eg_nclass(p->p->g);
	r->nodes = eg_nnode(p->p->g);
	r->firings = history_count(&p->p->a);
	return r;
}

struct report *report_make(struct problem *p, states *s, const levels *l, double seconds)
{
	struct report *r = report_verdicts(p, s, l);

	if (r->verdict != VERDICT_PROVED && r->verdict != VERDICT_PROVED_UNDER)
		add_frontier(r, p, s);
	add_unmatched(r, p, s);
	r->seconds = seconds;
	return r;
}

static void run_levels(struct problem *p, levels *l)
{
	level_init(l, p->q);
	l->look = true;
	level_run(l);
}

struct report *report_run(struct problem *p, double started, const struct alternatives_watch *watch)
{
	struct trial_stop never = { .ask = NULL };
	struct report *r;
	states *s;
	levels l;

	pair_run(p->q);
	if (problem_goals_met(p) < problem_goals_compared(p))
		trial_ranges(p, &never);
	if (problem_goals_met(p) < problem_goals_compared(p) && !trial_closed(p, &never))
		trial_closed_search(p, &never);
	run_levels(p, &l);
	if (problem_goals_met(p) < problem_goals_compared(p) && (trial_numbers(p, &never) || trial_look_supposed(p))) {
		level_free(&l);
		pair_run(p->q);
		run_levels(p, &l);
	}
	s = states_new(p->q);
	if (alternatives_any(p))
		alternatives_try(p, ALTERNATIVES_WORK, watch);
	r = report_make(p, s, &l, 0);
	level_free(&l);
	r->seconds = report_clock() - started;
	states_free(s);
	return r;
}

void report_free(struct report *r)
{
	if (!r)
		return;
	arena_free(&r->a);
	free(r);
}

/* ---- text, for a terminal of 80 columns */

/* Words of `t` behind `head`, broken before column 79, further lines indented as far as the head. */
static void folded(FILE *to, const char *head, const char *t)
{
	int indent = (int)strlen(head), at = indent;
	bool first;

	if (indent > 24)
		indent = 6;
	fputs(head, to);
	for (first = true; *t; first = false) {
		size_t n = strcspn(t, " ");
		if (!first && at + 1 + (int)n > 79) {
			fprintf(to, "\n%*s", indent, "");
			at = indent;
			first = true;
		}
		at += fprintf(to, "%s%.*s", first ? "" : " ", (int)n, t);
		t += n;
		t += strspn(t, " ");
	}
	fputc('\n', to);
}

static void text_output(const struct report_output *o, FILE *to)
{
	if (o->index >= 0)
		fprintf(to, "output %d %s: ", o->index, o->name);
	else
		fprintf(to, "obligation %s: ", o->name);
	if (!o->compared) {
		fputs("not compared\n", to);
		return;
	}
	fputs(verdict_words(o->verdict), to);
	if (o->verdict == VERDICT_PROVED || o->verdict == VERDICT_PROVED_UNDER)
		fprintf(to, " as %s\n", *o->relation ? o->relation : o->wanted);
	else
		fprintf(to, "; wanted %s%s%s\n", o->wanted, *o->relation ? ", is " : "", o->relation);
	if (o->why)
		folded(to, "  ", o->why);
}

/* What parts it from a baseline row; the reason above may have been just that. */
static const char *against(const frontier_report *r, const frontier_candidate *c)
{
	if (!c->difference)
		return "no difference is seen in what both compute; their places may lie otherwise";
	return r->reason && strstr(r->reason, c->difference) ? "as said" : c->difference;
}

static void text_frontier(const struct report_frontier *f, FILE *to)
{
	const frontier_report *r = f->r;
	char head[160];
	int k;

	fprintf(to, "\n! %s (%s)", f->node, f->opcode);
	if (f->inner)
		fprintf(to, "\n  in it %s", f->inner);
	if (f->file)
		fprintf(to, "\n  %s %s:%d", f->source_of ? "after" : "at", f->file, f->line);
	if (f->source_of)
		fprintf(to, ", the line of %s, which it comes from", f->source_of);
	if (f->library)
		fprintf(to, ";\n  itself in a library: %s", f->library);
	if (f->caller)
		fprintf(to, "\n  called from %s", f->caller);
	fputc('\n', to);
	folded(to, "  ", r->reason);
	folded(to, "  computes ", r->computes);
	for (k = 0; k < r->nop; k++)
		folded(to, k ? "           " : "  operands ", r->operand[k]);
	for (k = 0; k < r->ncand; k++) {
		snprintf(head, sizeof head, "  against  base %s: ", f->cand[k]);
		folded(to, head, against(r, &r->cand[k]));
	}
	for (k = 0; k < r->nnear; k++) {
		snprintf(head, sizeof head, "  near     %s: ", r->near[k].rule);
		folded(to, head, r->near[k].reason);
	}
}

/* Of a row that is there in many trips the first is told, and how many there are. */
static void text_frontiers(const struct report *r, FILE *to)
{
	int k;

	for (k = 0; k < r->nfrontier; k++) {
		text_frontier(&r->frontier[k], to);
		if (r->frontier[k].ntrip > 1)
			fprintf(to, "  and so in %d more trip%s of the loop; --json lists them\n", r->frontier[k].ntrip - 1, r->frontier[k].ntrip == 2 ? "" : "s");
	}
}

static void text_list(FILE *to, const char *what, int n, const char **v)
{
	int k;

	for (k = 0; k < n; k++)
		folded(to, what, v[k]);
}

static bool same_identity(const struct report *r, int k, int j)
{
	return r->identity[k] && r->identity[j] && !strcmp(r->identity[k], r->identity[j]);
}

/* Rules that one comment speaks of stand together. */
static void text_rules(const struct report *r, FILE *to)
{
	char line[1024];
	int k, j;

	for (k = 0; k < r->nrule; k++) {
		size_t len;
		for (j = 0; j < k && !same_identity(r, j, k); j++)
			;
		if (j < k)
			continue;
		len = (size_t)snprintf(line, sizeof line, "%s", r->rule[k]);
		for (j = k + 1; j < r->nrule && len < sizeof line / 2; j++)
			if (same_identity(r, k, j))
				len += (size_t)snprintf(line + len, sizeof line - len, ", %s", r->rule[j]);
		if (r->identity[k])
			snprintf(line + len, sizeof line - len, ": %s", r->identity[k]);
		folded(to, "search rule ", line);
	}
}

#define UNMATCHED_SHOWN 8	/* a loop that is written out has thousands */

static void text_unmatched(const struct report *r, FILE *to)
{
	int n = r->nunmatched > UNMATCHED_SHOWN + 1 ? UNMATCHED_SHOWN : r->nunmatched;

	text_list(to, "unmatched   ", n, r->unmatched);
	if (n < r->nunmatched)
		fprintf(to, "            %d more of %d; `info unmatched` and --json list them all\n", r->nunmatched - n, r->nunmatched);
}

static void text_alternatives(const struct alternatives *t, FILE *to)
{
	int k;

	if (!t)
		return;
	fputc('\n', to);
	folded(to, "alternative ", t->offer);
	for (k = 0; k < t->nline; k++)
		fprintf(to, "                %s\n", t->line[k]);
	folded(to, "            ", t->effort);
}

/* What there is none of is not said. */
static void text_counts(const state_counts *c, FILE *to)
{
	static const struct {
		enum state_kind kind;
		const char *name;
	} kinds[] = {
		{ STATE_RELATED, "related" }, { STATE_REORDERED, "reordered" }, { STATE_BLOCK, "blocks" }, { STATE_PARTIAL, "partial" },
		{ STATE_SCALED, "scaled" }, { STATE_CONSTANT, "constant" }, { STATE_TRIPS, "of all trips of loops" },
	};
	char line[300];
	size_t len, k;

	len = (size_t)snprintf(line, sizeof line, "%d base and %d dist values: ", c->base, c->dist);
	for (k = 0; k < sizeof kinds / sizeof *kinds; k++)
		if (c->n[kinds[k].kind])
			len += (size_t)snprintf(line + len, sizeof line - len, "%d %s, ", c->n[kinds[k].kind], kinds[k].name);
	snprintf(line + len, sizeof line - len, "%d unverified", c->n[STATE_NONE] + c->n[STATE_OPEN]);
	folded(to, "", line);
}

void report_text(const struct report *r, FILE *to)
{
	bool proved = r->verdict == VERDICT_PROVED || r->verdict == VERDICT_PROVED_UNDER;
	int k;

	fprintf(to, "%s", verdict_words(r->verdict));
	if (r->cut)
		fprintf(to, " (%s)", r->cut);
	else if (r->near)
		fputs(" (behind the frontier both programs do the same: search rules were tried next to it)", to);
	fprintf(to, "\n");
	for (k = 0; k < r->noutput; k++)
		text_output(&r->output[k], to);
	text_counts(&r->counts, to);
	text_frontiers(r, to);
	if (r->nassumption + r->nhypothesis + r->nrule + (proved ? r->nunmatched : 0))
		fputc('\n', to);
	text_list(to, "assumption  ", r->nassumption, r->assumption);
	text_list(to, "hypothesis  ", r->nhypothesis, r->hypothesis);
	text_rules(r, to);
	if (proved)
		text_unmatched(r, to);
	text_alternatives(r->alternatives, to);
	fprintf(to, "%u firings, %u nodes, %u classes", r->firings, r->nodes, r->classes);
	if (r->seconds > 0)
		fprintf(to, ", %.3f s", r->seconds);
	fprintf(to, "\n");
}
