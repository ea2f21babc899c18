#include "session/acts_in.h"

#include "problem/trial.h"

#define BUSY_EVERY 16		/* moves between two looks at the user's wishes */
#define STATES_EVERY 512	/* .. between two looks at the states where no row of DIST settles */

/* ---- places */

struct place acts_here(const struct session *s)
{
	return (struct place){ pair_position(s->p->q), s->moves };
}

bool acts_reached(const struct session *s, struct place p)
{
	int pos = pair_position(s->p->q);
	bool last = pos == pair_length(s->p->q);

	if (pos != p.pos)
		return pos > p.pos;
	return s->moves >= p.in || (last ? session_done(s) : normal_idle(&s->p->p->a));
}

/* ---- forward */

/* Boundary k holds the acts made right after step k. */
void acts_note_boundary(struct session *s, bool step)
{
	struct boundary *b = step ? vec_push(&s->boundary) : &VEC_AT(struct boundary, &s->boundary, s->boundary.n - 1);

	*b = (struct boundary){ trail_at(s->p->p->a.tr), history_count(&s->p->p->a), pair_position(s->p->q), s->moves };
	if (s->known < session_step(s))
		s->known = session_step(s);
}

bool acts_at_boundary(const struct session *s)
{
	return VEC_AT(struct boundary, &s->boundary, s->boundary.n - 1).mark == trail_at(s->p->p->a.tr);
}

static void due_acts(struct session *s)
{
	int i;

	for (i = 0; i < acts_count(s); i++) {
		struct act *a = acts_at(s, i);
		bool still = acts_at_boundary(s);
		if (a->done)
			continue;
		if (!acts_reached(s, a->place))
			return;
		acts_perform(s, a);
		if (still)
			acts_note_boundary(s, false);
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
		[LEVEL_BEGUN] = "search begins", [LEVEL_KEPT] = "search proved an output", [LEVEL_UNDONE] = "a search that proved nothing was taken back",
		[LEVEL_SHOWN] = "kept for the values it relates",
	};
	int level = level_at(&s->levels);

	*(struct told *)vec_push(&s->told) = (struct told){ history_count(&s->p->p->a),
		arena_printf(&s->text, "%s: %s%s", what[e], level_name(level), level_was_cut(&s->levels, level) ? ", at its limit" : "") };
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
		if (acts_at(s, i)->done && acts_at(s, i)->step > session_step(s))
			acts_at(s, i)->done = false;
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
		acts_note_boundary(s, true);
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
		acts_at(s, i)->done = false;
	s->anew = true;
	session_start(s);
}

void acts_drop_states(struct session *s)
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
	acts_drop_states(s);
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
	acts_drop_states(s);
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

static enum acts_end run_on(struct session *s, acts_goes_on *on, acts_goes_on *step, void *ctx)
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
enum acts_end acts_run_while(struct session *s, acts_goes_on *on, acts_goes_on *step, void *ctx)
{
	enum acts_end e;

	session_moved(s);
	e = run_on(s, on, step, ctx);
	session_moved(s);
	return e;
}

enum acts_end acts_continue(struct session *s, acts_goes_on *stop, void *ctx)
{
	return acts_run_while(s, NULL, stop, ctx);
}

enum acts_end acts_moves(struct session *s, acts_goes_on *on, void *ctx)
{
	return acts_run_while(s, on, NULL, ctx);
}

static bool row_unfinished(struct session *s, void *ctx)
{
	return session_step(s) == *(uint32_t *)ctx || !normal_idle(&s->p->p->a);
}

/* A row in the middle of its firings is finished; else the next one that fires is done. */
enum acts_end acts_row(struct session *s)
{
	uint32_t from = session_step(s);

	return acts_run_while(s, row_unfinished, NULL, &from);
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
		const struct act *a = acts_at(s, i);
		if (!a->done || a->failed || (a->kind != ACTS_RULE_ON && a->kind != ACTS_RULE_OFF))
			continue;
		rule = prover_rule_named(s->p->p, a->rule);
		level_bar(&s->levels, rule, a->kind == ACTS_RULE_OFF);
	}
}

void acts_back_to(struct session *s, trail_mark mark, uint32_t step, uint32_t moves)
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
		if (acts_at(s, i)->done && acts_at(s, i)->mark >= mark)
			acts_at(s, i)->done = false;
	while (s->told.n && VEC_AT(struct told, &s->told, s->told.n - 1).hist >= history_count(&s->p->p->a))
		s->told.n--;
	if (s->sel.class != NIL && s->sel.class >= eg_nnode(s->p->p->g))
		s->sel.class = NIL;	/* its number will be another node's */
	bar_rules(s);
	forget_ahead(s);
	s->at_pos = pair_position(s->p->q);
	session_moved(s);
}

void acts_back_to_step(struct session *s, uint32_t step)
{
	const struct boundary *b = &VEC_AT(struct boundary, &s->boundary, step);

	acts_back_to(s, b->mark, step, b->moves);
}

bool acts_can_go_back(struct session *s)
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
	if (step < session_step(s) || (step == session_step(s) && !acts_at_boundary(s))) {
		if (!acts_can_go_back(s))
			return false;
		acts_back_to_step(s, step);
		return true;
	}
	return step == session_step(s) || acts_run_while(s, short_of, NULL, &step) == ACTS_STOPPED;
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

	if (!k || !acts_can_go_back(s))
		return;
	pos = b[k].pos;
	while (k > 0 && b[k].pos == pos)
		k--;
	acts_back_to_step(s, k);
	/* what that row had still to look at fires nothing */
	if (k)
		acts_run_while(s, is_pending, NULL, NULL);
}
