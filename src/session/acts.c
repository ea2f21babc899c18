#include "session/acts.h"

#include <stdlib.h>
#include <string.h>
#include "problem/trial.h"
#include "session/nodes.h"
#include "session/outlook.h"
#include "session/session_in.h"
#include "util/hash.h"

#define BUSY_EVERY 16		/* moves between two looks at the user's wishes */
#define STATES_EVERY 512	/* .. between two looks at the states where no row of DIST settles */

/* ---- the list */

static struct act *act_at(const struct session *s, int i)
{
	return &VEC_AT(struct act, &s->act, i);
}

int acts_count(const struct session *s)
{
	return (int)s->act.n;
}

const struct act *acts_get(const struct session *s, int i)
{
	return act_at(s, i);
}

int acts_applied(const struct session *s, enum act_kind k)
{
	int i, n = 0;

	for (i = 0; i < acts_count(s); i++)
		n += act_at(s, i)->kind == k && act_at(s, i)->done && !act_at(s, i)->failed;
	return n;
}

const char *acts_hypotheses(const struct session *s, char *buf, size_t n)
{
	size_t at = 0;
	int i;

	buf[0] = 0;
	for (i = 0; i < acts_count(s) && at < n; i++) {
		const struct act *a = act_at(s, i);
		if (a->kind == ACTS_ASSUME && a->done && !a->failed)
			at += (size_t)snprintf(buf + at, n - at, "%sA%d", at ? ", " : "", a->id);
	}
	return buf;
}

uint64_t acts_version(const struct session *s)
{
	uint64_t h = 1;
	int i;

	for (i = 0; i < acts_count(s); i++)
		h = hash_bytes(&act_at(s, i)->id, sizeof(int), h);
	return h;
}

const struct act *acts_of_firing(const struct session *s, uint32_t firing)
{
	int i;

	for (i = 0; i < acts_count(s); i++)
		if (act_at(s, i)->done && act_at(s, i)->firing == firing && firing != NIL)
			return act_at(s, i);
	return NULL;
}

static int index_of(const struct session *s, int id)
{
	int i;

	for (i = 0; i < acts_count(s) && act_at(s, i)->id != id; i++)
		;
	return i < acts_count(s) ? i : -1;
}

static void remove_at(vec *v, int i)
{
	struct act *a = VEC(struct act, v);

	memmove(a + i, a + i + 1, sizeof *a * (v->n - (size_t)i - 1));
	v->n--;
}

static void insert_at(vec *v, int i, const struct act *x)
{
	struct act *a;

	vec_push(v);
	a = VEC(struct act, v);
	memmove(a + i + 1, a + i, sizeof *a * (v->n - 1 - (size_t)i));
	a[i] = *x;
}

/* ---- places */

static struct place here(const struct session *s)
{
	return (struct place){ pair_position(s->p->q), s->moves };
}

/* Has the run come to the place?  In a run that differs the worklist may empty earlier: the next row must not be taken up. */
static bool reached(const struct session *s, struct place p)
{
	int pos = pair_position(s->p->q);
	bool last = pos == pair_length(s->p->q);

	if (pos != p.pos)
		return pos > p.pos;
	return s->moves >= p.in || (last ? session_done(s) : normal_idle(&s->p->p->a));
}

/* ---- two constants in one class */

static bool same_number(number x, number y)
{
	if (number_is_rat(x) && number_is_rat(y))
		return x.r.num == y.r.num && x.r.den == y.r.den;
	return number_double(x) == number_double(y);
}

struct number_of {
	eg_id root, node;
};

static int by_root(const void *x, const void *y)
{
	const struct number_of *a = x, *b = y;

	if (a->root != b->root)
		return a->root < b->root ? -1 : 1;
	return a->node < b->node ? -1 : a->node > b->node;
}

const char *acts_contradiction(struct session *s)
{
	prover *p = s->p->p;
	algebra *a = &p->a;
	uint32_t n, i;
	const eg_id *node = eg_family_nodes(p->g, a->fam[C_NUMBER], &n);
	arena_mark m = arena_at(&a->s.a);
	struct number_of *k = ARENA_ARRAY(&a->s.a, struct number_of, n);
	const char *why = NULL;

	for (i = 0; i < n; i++)
		k[i] = (struct number_of){ eg_root(p->g, node[i]), node[i] };
	qsort(k, n, sizeof *k, by_root);
	for (i = 1; i < n && !why; i++) {
		number x = core_number(a, k[i - 1].node), y = core_number(a, k[i].node);
		if (k[i - 1].root != k[i].root || same_number(x, y))
			continue;
		why = arena_printf(&s->text, "%g = %g follows: what is assumed cannot be", number_double(x), number_double(y));
		s->contradiction.a = k[i - 1].node;
		s->contradiction.b = k[i].node;
		snprintf(s->contradiction.text, sizeof s->contradiction.text, "%g = %g", number_double(x), number_double(y));
	}
	arena_reset(&a->s.a, m);
	return why;
}

/* ---- doing an act where the run stands; a reason when it gives nothing */

static const char *find_row(struct session *s, enum program_side side, const char *name, int *row)
{
	*row = program_named(session_program(s, side), name);
	return *row < 0 ? arena_printf(&s->text, "%s has no instruction %s", side == SIDE_BASE ? "BASE" : "DIST", name) : NULL;
}

static const char *shape_difference(struct session *s, const chain *c, const row *b, const row *d)
{
	algebra *a = &s->p->p->a;
	int rank, k;
	int64_t *dim = chain_shape(a, &s->p->ms, c, b->rank, b->dim, &rank);

	for (k = 0; k < rank && rank == d->rank && dim[k] == d->dim[k]; k++)
		;
	if (rank == d->rank && k == rank)
		return NULL;
	{
		shape x = { .type = (enum etype)d->type, .rank = rank, .dim = dim };
		shape y = { .type = (enum etype)d->type, .rank = d->rank, .dim = d->dim };
		return arena_printf(&s->text, "the chain gives shape %s, %%%s has %s", shape_text(&a->s.a, &x), d->path,
				    shape_text(&a->s.a, &y));
	}
}

/* P(op): the baseline's tensor is the reduction of parts nobody knows; the family holds the parts. */
static const char *no_partial(const chain *c)
{
	int k;

	for (k = 0; k < c->n; k++)
		if (c->step[k].kind == CHAIN_PARTIAL)
			return "P(..) of an inner value does not say which parts: assume the value after the reduction";
	return NULL;
}

eg_id acts_chain_node(struct session *s, int base, int dist, const char *text, const char **why)
{
	algebra *a = &s->p->p->a;
	const row *b = &s->p->base->row[base], *d = &s->p->dist->row[dist];
	eg_id cell = session_cell(s, SIDE_BASE, base), laid = NIL;
	arena_mark m = arena_at(&a->s.a);
	arena tmp;
	chain c;

	if (s->p->base_in) {
		*why = "the baseline is a distributed program: its inner values are not related by a chain";
		return NIL;
	}
	arena_init(&tmp);
	if (!problem_read_chain(s->p, &tmp, text, &c, why)) {
		arena_free(&tmp);
		return NIL;
	}
	*why = no_partial(&c);
	if (setjmp(a->s.out)) {
		*why = arena_strdup(&s->text, a->s.reason);
	} else if (!*why && !(*why = shape_difference(s, &c, b, d))) {
		layout y = layout_of(a, cell);
		history_begin(a);
		laid = chain_apply(a, &s->p->ms, &c, d->type, &y, eg_args(a->g, cell)[0], b->rank, b->dim, d->rank, d->dim, d->path);
	}
	arena_free(&tmp);
	arena_reset(&a->s.a, m);
	return *why ? NIL : laid;
}

static const char *do_assume(struct session *s, struct act *a)
{
	algebra *al = &s->p->p->a;
	trail_mark mark = trail_at(al->tr);
	const char *why = NULL;
	int base, dist;
	arena tmp;
	chain c;

	if ((why = find_row(s, SIDE_BASE, a->base, &base)) || (why = find_row(s, SIDE_DIST, a->node, &dist)))
		return why;
	if (session_cell(s, SIDE_BASE, base) == NIL || session_tensor(s, SIDE_DIST, dist) == NIL)
		return arena_printf(&s->text, "%s is not taken up yet", session_tensor(s, SIDE_DIST, dist) == NIL ? a->node : a->base);
	arena_init(&tmp);
	if (problem_read_chain(s->p, &tmp, a->chain, &c, &why))
		why = pair_assume(s->p->q, base, dist, &c, &a->firing);
	arena_free(&tmp);
	if (why)
		trail_undo(al->tr, mark);
	return why;
}

static const char *do_apply(struct session *s, struct act *a)
{
	prover *p = s->p->p;
	uint32_t rule = prover_rule_named(p, a->rule);
	const char *at = a->node, *reason = NULL;
	arena_mark m = arena_at(&p->a.s.a);
	trail_mark mark = trail_at(p->a.tr);
	struct node_ref r;
	char why[512];

	if (rule == NIL)
		return arena_printf(&s->text, "there is no rule %s", a->rule);
	if (!nodes_parse(s, &at, SIDE_DIST, &r, why, sizeof why))
		return arena_strdup(&s->text, why);
	if (r.node == NIL)
		return arena_printf(&s->text, "%s is not taken up yet", a->node);
	a->firing = history_count(&p->a);
	if (prover_apply(p, rule, r.node, &reason))
		return NULL;
	a->firing = NIL;
	reason = arena_strdup(&s->text, reason ? reason : "it does not match there");
	arena_reset(&p->a.s.a, m);
	trail_undo(p->a.tr, mark);
	return reason;
}

static const char *do_switch(struct session *s, struct act *a)
{
	uint32_t rule = prover_rule_named(s->p->p, a->rule);
	bool on = a->kind == ACTS_RULE_ON;

	if (rule == NIL)
		return arena_printf(&s->text, "there is no rule %s", a->rule);
	if (!prover_runs(s->p->p, rules_at(s->p->p->r, rule)->ruleset))
		return "no ruleset that runs has it: `apply` alone fires it";
	if (prover_rule_on(s->p->p, rule) == on)
		return on ? "it is on already" : "it is off already";
	prover_switch(s->p->p, rule, on);
	level_bar(&s->levels, rule, !on);
	return NULL;
}

static void perform(struct session *s, struct act *a)
{
	a->mark = trail_at(s->p->p->a.tr);
	a->firing = NIL;
	a->step = session_step(s);
	a->end = session_done(s);
	a->place = here(s);
	a->done = true;
	switch (a->kind) {
	case ACTS_ASSUME:
		a->failed = do_assume(s, a);
		break;
	case ACTS_APPLY:
		a->failed = do_apply(s, a);
		break;
	default:
		a->failed = do_switch(s, a);
	}
	if (!a->failed)
		s->broken = acts_contradiction(s);
}

/* ---- forward */

/* Boundary k holds the acts made right after step k. */
static void note_boundary(struct session *s, bool step)
{
	struct boundary *b = step ? vec_push(&s->boundary) : &VEC_AT(struct boundary, &s->boundary, s->boundary.n - 1);

	*b = (struct boundary){ trail_at(s->p->p->a.tr), history_count(&s->p->p->a), pair_position(s->p->q), s->moves };
	if (s->known < session_step(s))
		s->known = session_step(s);
}

/* Nothing but acts has happened since the last step. */
static bool at_boundary(const struct session *s)
{
	return VEC_AT(struct boundary, &s->boundary, s->boundary.n - 1).mark == trail_at(s->p->p->a.tr);
}

static void due_acts(struct session *s)
{
	int i;

	for (i = 0; i < acts_count(s); i++) {
		struct act *a = act_at(s, i);
		bool still = at_boundary(s);
		if (a->done)
			continue;
		if (!reached(s, a->place))
			return;
		perform(s, a);
		if (still)
			note_boundary(s, false);
	}
}

/* Whenever a row is settled: that is often enough, and costs little. */
static void look_for_contradiction(struct session *s)
{
	if (!s->broken && acts_applied(s, ACTS_ASSUME))
		s->broken = acts_contradiction(s);
}

static void tell_level(struct session *s, enum level_event e)
{
	static const char *const what[] = {
		[LEVEL_BEGUN] = "search begins", [LEVEL_KEPT] = "search proved an output", [LEVEL_UNDONE] = "search proved nothing, undone",
		[LEVEL_SHOWN] = "kept for the values it relates",
	};
	int level = level_at(&s->levels);

	*(struct told *)vec_push(&s->told) = (struct told){ history_count(&s->p->p->a),
		arena_printf(&s->text, "%s: %s%s", what[e], level_name(level), level_was_cut(&s->levels, level) ? ", cut" : "") };
}

/* Steps and acts of a level that is undone are gone. */
static void drop_undone(struct session *s)
{
	const algebra *a = &s->p->p->a;
	int i;

	while (s->boundary.n > 1 && VEC_AT(struct boundary, &s->boundary, s->boundary.n - 1).hist > history_count(a))
		s->boundary.n--;
	s->known = session_step(s);
	for (i = 0; i < acts_count(s); i++)
		if (act_at(s, i)->done && act_at(s, i)->step > session_step(s))
			act_at(s, i)->done = false;
}

/* One move of the pair, or of the search behind it. */
static enum level_event move(struct session *s)
{
	pair *q = s->p->q;
	enum level_event e = level_move(&s->levels);

	if (pair_position(q) != s->at_pos) {
		s->at_pos = pair_position(q);
		s->moves = 0;
		look_for_contradiction(s);
	} else {
		s->moves += e != LEVEL_DONE;
	}
	if (e == LEVEL_FIRED)
		note_boundary(s, true);
	if (e == LEVEL_UNDONE)
		drop_undone(s);
	if (e == LEVEL_BEGUN || e == LEVEL_KEPT || e == LEVEL_UNDONE || e == LEVEL_SHOWN)
		tell_level(s, e);
	if (e == LEVEL_DONE || e == LEVEL_BEGUN)
		look_for_contradiction(s);
	due_acts(s);
	return e;
}

/* A row that fires without end; levels have limits of their own. */
static bool cut(struct session *s)
{
	return level_over(&s->levels);
}

static bool told_to_stop(struct session *s, const char *doing)
{
	char what[256];

	snprintf(what, sizeof what, "%s%s", s->looks_ahead ? "looking ahead: " : "", doing);
	return session_busy(s, what);
}

/* What is done, and how far it is: a count that only grows, since a level that proves nothing takes its steps back. */
static bool stops(struct session *s)
{
	int level = level_at(&s->levels), at = pair_position(s->p->q), all = pair_length(s->p->q);
	char doing[200];

	s->work += BUSY_EVERY;
	if (level)
		snprintf(doing, sizeof doing, "%llu nodes looked at, search: %s", (unsigned long long)s->work, level_name(level));
	else
		snprintf(doing, sizeof doing, "%s row %d of %d", s->anew ? "beginning anew with what may be assumed:" : "firing rules:",
			 at < all ? at : all, all);
	return told_to_stop(s, doing);
}

static bool unproved(const struct session *s)
{
	const pair *q = s->p->q;
	int k;

	for (k = 0; k < q->ngoal; k++)
		if (q->goal[k].compared && !goal_met(q, &q->goal[k]))
			return true;
	return false;
}

/* Everything begins anew with other assumptions: what is ahead is done again. */
static void begin_anew(struct session *s)
{
	int i;

	for (i = 0; i < acts_count(s); i++)
		act_at(s, i)->done = false;
	s->anew = true;
	session_start(s);
}

static void drop_states(struct session *s)
{
	states_free(s->st);
	s->st = NULL;
	session_moved(s);
}

static bool stops_trial(void *ctx)
{
	struct session *s = ctx;
	char doing[120];

	s->work += TRIAL_ASKS;
	snprintf(doing, sizeof doing, "%llu nodes looked at, trying what may be assumed of inputs", (unsigned long long)s->work);
	return told_to_stop(s, doing);
}

/* Once in a history, unless it was interrupted. */
static bool trial_kept(struct session *s, bool (*try)(struct problem *p, struct trial_stop *stop), bool *tried, bool *interrupted)
{
	struct trial_stop stop = { .ask = stops_trial, .ctx = s };
	struct diag err;

	*tried = true;
	if (!try(s->p, &stop)) {
		*interrupted = stop.stopped;
		*tried = !stop.stopped;
		return false;
	}
	drop_states(s);
	if (problem_reload(s->p, &err))
		begin_anew(s);
	return true;
}

/* Before the search: would ranges that lookups suggest prove more?  Then everything begins anew with them. */
static void try_ranges(struct session *s, bool *interrupted)
{
	if (!s->ranges_tried && !level_at(&s->levels) && pair_done(s->p->q) && unproved(s))
		trial_kept(s, trial_ranges, &s->ranges_tried, interrupted);
}

/* .. and would sums left closed prove all? Likewise where a row has used up its limit. */
static bool try_closed(struct session *s, bool *interrupted)
{
	return !*interrupted && !s->closed_tried && !level_at(&s->levels) && (pair_done(s->p->q) || s->p->q->cut) && unproved(s) &&
	       trial_kept(s, trial_closed, &s->closed_tried, interrupted);
}

/* Behind the search: would numbers of the program that are not 0 prove more?  Then everything begins anew with them. */
static bool try_numbers(struct session *s, bool *interrupted)
{
	return !s->numbers_tried && unproved(s) && trial_kept(s, trial_numbers, &s->numbers_tried, interrupted);
}

/* In the end: what only relates more values stands, so that the frontier is where the fault is. */
static bool look_ranges(struct session *s)
{
	if (!unproved(s) || !s->p->relating)
		return false;
	drop_states(s);
	if (!trial_look_supposed(s->p))
		return false;
	begin_anew(s);
	return true;
}

/* .. or, where it has, prove more with a search? */
static bool search_closed(struct session *s, bool *interrupted)
{
	return !*interrupted && !s->closed_searched && unproved(s) && trial_kept(s, trial_closed_search, &s->closed_searched, interrupted);
}

/* States are looked at whenever a row of DIST has settled, so that what is known of one does not depend on where runs stopped
 * on the way; and they go back to where they were last looked at: after a long run a step back would be as long. */
static void look_at_states(struct session *s, uint32_t *left, int *pos)
{
	int at = pair_position(s->p->q);
	bool settled = at > s->p->base->nrow && at != *pos;

	*left -= *left > 0;
	if ((!settled && *left) || !normal_idle(&s->p->p->a) || s->p->files.no_trail)
		return;
	session_moved(s);
	session_states(s);
	*left = STATES_EVERY;
	*pos = at;
}

static enum acts_end run_on(struct session *s, bool (*on)(struct session *s, void *ctx), bool (*step)(struct session *s, void *ctx),
			    void *ctx)
{
	uint32_t n = 0, left = STATES_EVERY;
	int pos = -1;
	enum level_event e;
	bool interrupted = false;

	s->p->q->cut = false;
	if (s->broken)
		return ACTS_BROKEN;
	due_acts(s);
	for (;;) {
		if (on && !on(s, ctx))
			return ACTS_STOPPED;
		if (cut(s)) {
			if (try_closed(s, &interrupted) || search_closed(s, &interrupted))
				continue;
			return interrupted ? ACTS_INTERRUPTED : ACTS_CUT;
		}
		try_ranges(s, &interrupted);
		try_closed(s, &interrupted);
		if (interrupted)
			return ACTS_INTERRUPTED;
		e = move(s);
		look_at_states(s, &left, &pos);
		if (s->broken)
			return ACTS_BROKEN;
		if (e == LEVEL_DONE && (try_numbers(s, &interrupted) || (!interrupted && look_ranges(s))))
			continue;
		if (e == LEVEL_DONE)
			return interrupted ? ACTS_INTERRUPTED : ACTS_DONE;
		if (e == LEVEL_FIRED && step && !step(s, ctx))
			return ACTS_STOPPED;
		if (++n % BUSY_EVERY == 0 && stops(s))
			return ACTS_INTERRUPTED;
	}
}

/* What was looked at on the way is not what stands in the end. */
static enum acts_end run_while(struct session *s, bool (*on)(struct session *s, void *ctx), bool (*step)(struct session *s, void *ctx),
			       void *ctx)
{
	enum acts_end e;

	session_moved(s);
	e = run_on(s, on, step, ctx);
	session_moved(s);
	return e;
}

enum acts_end acts_continue(struct session *s, acts_goes_on *stop, void *ctx)
{
	return run_while(s, NULL, stop, ctx);
}

enum acts_end acts_moves(struct session *s, acts_goes_on *on, void *ctx)
{
	return run_while(s, on, NULL, ctx);
}

static bool row_unfinished(struct session *s, void *ctx)
{
	return session_step(s) == *(uint32_t *)ctx || !normal_idle(&s->p->p->a);
}

/* A row in the middle of its firings is finished; else the next one that fires is done. */
enum acts_end acts_row(struct session *s)
{
	uint32_t from = session_step(s);

	return run_while(s, row_unfinished, NULL, &from);
}

/* ---- back */

/* Goals and taken up rows are not on the trail: what the pair will make again is forgotten. */
static void forget_ahead(struct session *s)
{
	pair *q = s->p->q;
	int at = pair_position(q) - q->base->nrow - q->dist->nrow, k;

	for (k = at < 0 ? 0 : at; k < q->ngoal; k++) {
		q->goal[k].want = q->goal[k].have = NIL;
		q->goal[k].why = NULL;
	}
	q->cut = false;
	q->cut_at = NULL;
	s->broken = NULL;
}

/* Which rules the search must leave off is what the acts that are done say. */
static void bar_rules(struct session *s)
{
	uint32_t rule;
	int i;

	s->levels.barred.n = 0;
	for (i = 0; i < acts_count(s); i++) {
		const struct act *a = act_at(s, i);
		if (!a->done || a->failed || (a->kind != ACTS_RULE_ON && a->kind != ACTS_RULE_OFF))
			continue;
		rule = prover_rule_named(s->p->p, a->rule);
		level_bar(&s->levels, rule, a->kind == ACTS_RULE_OFF);
	}
}

static void back_to(struct session *s, trail_mark mark, uint32_t step, uint32_t moves)
{
	struct boundary *b;
	int i;

	trail_undo(s->p->p->a.tr, mark);
	s->boundary.n = step + 1;
	b = &VEC_AT(struct boundary, &s->boundary, step);
	if (b->mark > mark) {	/* it held an act that is undone */
		b->mark = mark;
		b->hist = history_count(&s->p->p->a);
	}
	s->moves = moves;
	for (i = 0; i < acts_count(s); i++)
		if (act_at(s, i)->done && act_at(s, i)->mark >= mark)
			act_at(s, i)->done = false;
	while (s->told.n && VEC_AT(struct told, &s->told, s->told.n - 1).hist >= history_count(&s->p->p->a))
		s->told.n--;
	if (s->sel.class != NIL && s->sel.class >= eg_nnode(s->p->p->g))
		s->sel.class = NIL;	/* its number will be another node's */
	bar_rules(s);
	forget_ahead(s);
	s->at_pos = pair_position(s->p->q);
	session_moved(s);
}

static void back_to_step(struct session *s, uint32_t step)
{
	const struct boundary *b = &VEC_AT(struct boundary, &s->boundary, step);

	back_to(s, b->mark, step, b->moves);
}

static bool can_go_back(struct session *s)
{
	if (s->p->files.no_trail)
		session_say(s, SAY_ERROR, "started with --no-trail: there is no way back");
	return !s->p->files.no_trail;
}

static bool short_of(struct session *s, void *ctx)
{
	return session_step(s) < *(uint32_t *)ctx;
}

bool acts_goto(struct session *s, uint32_t step)
{
	if (step < session_step(s) || (step == session_step(s) && !at_boundary(s))) {
		if (!can_go_back(s))
			return false;
		back_to_step(s, step);
		return true;
	}
	return step == session_step(s) || run_while(s, short_of, NULL, &step) == ACTS_STOPPED;
}

static bool is_pending(struct session *s, void *ctx)
{
	(void)ctx;
	return !normal_idle(&s->p->p->a);
}

void acts_back_row(struct session *s)
{
	struct boundary *b = VEC(struct boundary, &s->boundary);
	uint32_t k = session_step(s);
	int pos;

	if (!k || !can_go_back(s))
		return;
	pos = b[k].pos;
	while (k > 0 && b[k].pos == pos)
		k--;
	back_to_step(s, k);
	/* what that row had still to look at fires nothing */
	if (k)
		run_while(s, is_pending, NULL, NULL);
}

/* ---- acts as the user makes them */

static int drop_ahead(struct session *s, uint32_t *steps)
{
	int i, n = 0;

	*steps = s->known - session_step(s);
	for (i = acts_count(s) - 1; i >= 0; i--)
		if (!act_at(s, i)->done) {
			remove_at(&s->act, i);
			n++;
		}
	s->known = session_step(s);
	s->undone.n = 0;
	return n;
}

static void copy_texts(struct session *s, struct act *a)
{
	a->text = arena_strdup(&s->text, a->text);
	a->rule = a->rule ? arena_strdup(&s->text, a->rule) : NULL;
	a->node = a->node ? arena_strdup(&s->text, a->node) : NULL;
	a->base = a->base ? arena_strdup(&s->text, a->base) : NULL;
	a->chain = a->chain ? arena_strdup(&s->text, a->chain) : NULL;
}

/* Both rows of an assumption have to be lifted before it says anything. */
static bool both_lifted(struct session *s, void *ctx)
{
	const struct act *a = ctx;
	int b = program_named(s->p->base, a->base), d = program_named(s->p->dist, a->node);

	return b < 0 || d < 0 || (session_cell(s, SIDE_BASE, b) != NIL && session_tensor(s, SIDE_DIST, d) != NIL);
}

static bool not_both_lifted(struct session *s, void *ctx)
{
	return !both_lifted(s, ctx);
}

bool acts_do(struct session *s, struct act *a)
{
	bool still;
	uint32_t steps = 0, from = session_step(s);
	int acts, done;

	copy_texts(s, a);
	if (a->kind == ACTS_ASSUME && !both_lifted(s, a))
		run_while(s, not_both_lifted, NULL, a);
	still = at_boundary(s);
	a->id = s->next_act;
	perform(s, a);
	if (a->failed) {
		session_say(s, SAY_ERROR, "%s: %s", a->text, a->failed);
		return false;
	}
	acts = drop_ahead(s, &steps);
	s->next_act++;
	for (done = acts_count(s); done > 0 && !act_at(s, done - 1)->done; done--)
		;
	insert_at(&s->act, done, a);
	if (still)
		note_boundary(s, false);
	session_moved(s);
	if (s->broken)
		session_say(s, SAY_WARNING, "A%d: %s: %s", a->id, a->text, s->broken);
	else if (steps || acts)
		session_say(s, SAY_MESSAGE, "A%d: %s; %u steps and %d acts that lay ahead are dropped", a->id, a->text, steps, acts);
	else if (session_step(s) != from)
		session_say(s, SAY_MESSAGE, "A%d: %s; went on to step %u, where both are taken up", a->id, a->text, session_step(s));
	else
		session_say(s, SAY_MESSAGE, "A%d: %s", a->id, a->text);
	return true;
}

/* ---- taking back and doing again */

static bool not_reached(struct session *s, void *ctx)
{
	return !reached(s, *(struct place *)ctx);
}

static void replay_to(struct session *s, struct place p, bool end)
{
	if (end)
		run_while(s, NULL, NULL, NULL);
	else
		run_while(s, not_reached, NULL, &p);
}

/* The latest boundary that is not behind a place. */
static uint32_t boundary_before(const struct session *s, struct place p)
{
	const struct boundary *b = VEC(struct boundary, &s->boundary);
	uint32_t k;

	for (k = s->boundary.n - 1; k > 0; k--)
		if (b[k].pos < p.pos || (b[k].pos == p.pos && b[k].moves <= p.in))
			break;
	return k;
}

/* What was run through only to be looked at is not known steps. */
bool acts_look_ahead(struct session *s, void (*look)(struct session *s, void *ctx), void *ctx)
{
	struct place p = here(s);
	uint32_t known = s->known, runs = s->runs;
	enum acts_end e;
	bool seen;

	if (s->p->files.no_trail)
		return false;
	s->looks_ahead = true;
	e = run_while(s, NULL, NULL, NULL);
	seen = e == ACTS_DONE || e == ACTS_CUT;
	if (seen)
		look(s, ctx);
	back_to_step(s, boundary_before(s, p));
	replay_to(s, p, false);
	s->known = runs == s->runs && known > session_step(s) ? known : session_step(s);
	s->looks_ahead = false;
	return seen;
}

static int failures(const struct session *s, char *buf, size_t n)
{
	size_t at = 0;
	int i, k = 0;

	buf[0] = 0;
	for (i = 0; i < acts_count(s); i++) {
		const struct act *a = act_at(s, i);
		if (!a->done || !a->failed)
			continue;
		k++;
		if (at < n)
			at += (size_t)snprintf(buf + at, n - at, "%sA%d (%s)", at ? ", " : "", a->id, a->failed);
	}
	return k;
}

static void say_replayed(struct session *s, const char *what, const struct act *a)
{
	char gone[512];

	if (s->broken)
		session_say(s, SAY_WARNING, "%s A%d: %s; %s", what, a->id, a->text, s->broken);
	else if (failures(s, gone, sizeof gone))
		session_say(s, SAY_WARNING, "%s A%d: %s; no longer applies: %s", what, a->id, a->text, gone);
	else
		session_say(s, SAY_MESSAGE, "%s A%d: %s", what, a->id, a->text);
}

/* Goes on without act i from where it was made; acts behind it are done again. */
static void without(struct session *s, int i, const char *what)
{
	struct act a = *act_at(s, i);
	struct place p = here(s);
	bool end = session_done(s), ahead = !a.done;

	if (!ahead)
		back_to(s, a.mark, a.step, a.place.in);
	remove_at(&s->act, i);
	s->known = session_step(s);
	if (!ahead)
		replay_to(s, p, end);
	*(struct act *)vec_push(&s->undone) = a;
	say_replayed(s, what, &a);
}

bool acts_undo(struct session *s)
{
	int i;

	for (i = acts_count(s) - 1; i >= 0 && !act_at(s, i)->done; i--)
		;
	if (i < 0) {
		session_say(s, SAY_ERROR, "there is no act to take back");
		return false;
	}
	if (!can_go_back(s))
		return false;
	without(s, i, "undone:");
	return true;
}

bool acts_retract(struct session *s, int id)
{
	int i = index_of(s, id);

	if (i < 0) {
		session_say(s, SAY_ERROR, "there is no act A%d", id);
		return false;
	}
	if (!can_go_back(s))
		return false;
	without(s, i, "retracted:");
	return true;
}

static bool earlier(struct place x, struct place y)
{
	return x.pos < y.pos || (x.pos == y.pos && x.in <= y.in);
}

bool acts_redo(struct session *s)
{
	struct place p = here(s);
	bool end = session_done(s);
	struct act a;
	int i;

	if (!s->undone.n) {
		session_say(s, SAY_ERROR, "nothing was taken back that could be done again");
		return false;
	}
	if (!can_go_back(s))
		return false;
	a = VEC_AT(struct act, &s->undone, --s->undone.n);
	a.done = false;
	for (i = 0; i < acts_count(s) && earlier(act_at(s, i)->place, a.place); i++)
		;
	insert_at(&s->act, i, &a);
	if (!earlier(p, a.place) || end) {
		back_to_step(s, boundary_before(s, a.place));
		s->known = session_step(s);
	}
	replay_to(s, p, end);
	say_replayed(s, "done again:", &a);
	return true;
}

bool acts_reload(struct session *s, struct diag *err)
{
	struct place p = here(s);
	bool end = session_done(s);
	struct trial t;
	int i;

	if (!trial_begin(&t, s->p, err))
		return false;
	drop_states(s);
	trial_keep(&t);
	outlook_forget(s);
	for (i = 0; i < acts_count(s); i++)
		act_at(s, i)->done = false;
	s->anew = false;
	session_start(s);
	replay_to(s, p, end);
	return true;
}
