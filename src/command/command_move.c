/* Commands that move the cursor in the history. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include "command/command_in.h"
#include "report/report.h"
#include "session/outlook.h"

/* ---- where one is */

/* The last firing: its rule, and the row that was being lifted. */
static const char *last_step(struct session *s, char *buf, size_t n)
{
	prover *p = s->p->p;
	uint32_t k = session_step(s), f;
	const struct act *a;
	char name[512];
	int pos;

	if (!k) {
		snprintf(buf, n, "the start");
		return buf;
	}
	f = history_count(&p->a) - 1;
	a = acts_of_firing(s, f);
	pos = VEC_AT(struct boundary, &s->boundary, k).pos - 1;
	snprintf(name, sizeof name, "the outputs");
	if (pos >= 0 && pos < s->p->base->nrow)
		session_name(s, SIDE_BASE, pos, name, sizeof name);
	else if (pos >= 0 && pos < s->p->base->nrow + s->p->dist->nrow)
		session_name(s, SIDE_DIST, pos - s->p->base->nrow, name, sizeof name);
	if (a)
		snprintf(buf, n, "A%d %s", a->id, a->text);
	else if (level_at(&s->levels))
		snprintf(buf, n, "%s in the search: %s", prover_rule_name(p, history_at(&p->a, f)->rule), level_name(level_at(&s->levels)));
	else
		snprintf(buf, n, "%s at %s", prover_rule_name(p, history_at(&p->a, f)->rule), name);
	return buf;
}

/* What became of a level since it was last said: steps that were counted before may be gone with it. */
static const char *level_news(struct session *s)
{
	const char *text = "";
	uint32_t i = s->told_said < s->told.n ? s->told_said : s->told.n;

	for (; i < s->told.n; i++)
		if (strncmp(VEC_AT(struct told, &s->told, i).text, "search begins", 13))
			text = VEC_AT(struct told, &s->told, i).text;
	s->told_said = s->told.n;
	return text;
}

void command_say_where(struct session *s, const char *why)
{
	char last[900], ahead[64] = "";
	const char *news = level_news(s);

	if (s->known > session_step(s))
		snprintf(ahead, sizeof ahead, " of %u", s->known);
	session_say(s, SAY_MESSAGE, "%s%sstep %u%s: %s%s%s", why, *why ? "; " : "", session_step(s), ahead, last_step(s, last, sizeof last),
		    *news ? "; " : "", news);
}

/* The row that is worked at is what one looks at. */
static void follow(struct session *s)
{
	enum program_side side;
	int row;

	if (session_busy_row(s, &side, &row))
		session_select(s, side, row);
}

/* "proved under 1 hypothesis (A1); 2 assumptions": what holds, and what that rests on. */
static void verdict_line(struct session *s, const struct report *r, int frontier)
{
	char under[128], on[160] = "", left[64] = "", files[64] = "";
	bool other = alternatives_any(s->p);

	acts_hypotheses(s, under, sizeof under);
	if (r->nhypothesis)
		snprintf(on, sizeof on, " under %d hypothes%s%s%s%s", r->nhypothesis, r->nhypothesis == 1 ? "is" : "es", *under ? " (" : "",
			 under, *under ? ")" : "");
	if (frontier)
		snprintf(left, sizeof left, "; %d frontier node%s", frontier, frontier == 1 ? "" : "s");
	if (r->nassumption)
		snprintf(files, sizeof files, "; %d assumption%s about the files", r->nassumption, r->nassumption == 1 ? "" : "s");
	session_say(s, r->verdict == VERDICT_PROVED ? SAY_MESSAGE : SAY_WARNING, "%s%s%s%s%s",
		    r->verdict == VERDICT_PROVED_UNDER ? "proved" : verdict_words(r->verdict), on, left, files,
		    other ? "; `alternatives` tries other relations of what was inferred" : "");
}

static bool say_verdict(struct session *s)
{
	struct report *r = session_verdicts(s);
	bool proved = r->verdict == VERDICT_PROVED || r->verdict == VERDICT_PROVED_UNDER;
	int k = session_nfrontier(s);

	verdict_line(s, r, k);
	report_free(r);
	if (proved)
		return command_show(s, PAGE_GOALS);
	if (k) {
		session_reveal(s, SIDE_DIST, session_frontier(s, 0));
		session_select(s, SIDE_DIST, session_frontier(s, 0));
	}
	return command_show(s, k ? PAGE_EXPLAIN : PAGE_GOALS);
}

static bool say_cut(struct session *s)
{
	arena a;

	arena_init(&a);
	session_say(s, SAY_WARNING, "cut at %s%s", pair_cut_text(s->p->q, &a), s->p->q->cut_by_work ? "" : "; `set limit N` allows more");
	arena_free(&a);
	follow(s);
	return true;
}

/* What is said after a run: `stopped` when it ended where it was told to. */
static bool ended(struct session *s, enum acts_end e, const char *stopped)
{
	switch (e) {
	case ACTS_DONE:
		return say_verdict(s);
	case ACTS_CUT:
		return say_cut(s);
	case ACTS_BROKEN:
		session_say(s, SAY_WARNING, "stopped: %s", s->broken);
		return command_show(s, PAGE_WHY);
	case ACTS_INTERRUPTED:
		command_say_where(s, "interrupted");
		follow(s);
		return true;
	default:
		command_say_where(s, stopped);
		follow(s);
		return true;
	}
}

/* ---- step, next, iterate */

bool cmd_step(struct session *s, const char *args)
{
	uint32_t n, to;

	if (!command_count(s, "step", args, &n))
		return false;
	to = session_step(s) + n;
	if (acts_goto(s, to))
		return ended(s, ACTS_STOPPED, "");
	return ended(s, session_done(s) ? ACTS_DONE : s->broken ? ACTS_BROKEN : s->p->q->cut ? ACTS_CUT : ACTS_INTERRUPTED, "");
}

bool cmd_next(struct session *s, const char *args)
{
	enum acts_end e = ACTS_STOPPED;
	uint32_t n;

	if (!command_count(s, "next", args, &n))
		return false;
	while (n-- && e == ACTS_STOPPED)
		e = acts_row(s);
	return ended(s, e, "");
}

static bool pass_goes_on(struct session *s, void *ctx)
{
	uint32_t *left = ctx;

	(void)s;
	return *left && (*left)--;
}

/* Until an instruction is taken up that a rule has something to say about. */
static bool nothing_waits(struct session *s, void *ctx)
{
	return !session_pending(s) && session_step(s) == *(uint32_t *)ctx;
}

/* Passes that began behind the cursor are no longer those that led there. */
static void forget_passes(struct session *s)
{
	while (s->pass.n && VEC_AT(uint32_t, &s->pass, s->pass.n - 1) >= session_step(s))
		s->pass.n--;
}

static void note_pass(struct session *s)
{
	forget_passes(s);
	*(uint32_t *)vec_push(&s->pass) = session_step(s);
}

bool cmd_iterate(struct session *s, const char *args)
{
	enum acts_end e = ACTS_STOPPED;
	uint32_t n, from = session_step(s), left, start;
	char text[64];

	if (!command_count(s, "iterate", args, &n))
		return false;
	while (n-- && e == ACTS_STOPPED) {
		note_pass(s);
		left = session_pending(s);
		start = session_step(s);
		e = left ? acts_moves(s, pass_goes_on, &left) : acts_moves(s, nothing_waits, &start);
	}
	n = session_step(s) - from;
	snprintf(text, sizeof text, "%u firing%s", n, n == 1 ? "" : "s");
	return ended(s, e, text);
}

/* ---- continue */

struct watcher {
	bool frontier;		/* stop at frontier nodes */
	int pos;		/* rows taken up when last looked */
	int settled;		/* rows of DIST that have been judged */
	bool *bad;		/* per row of DIST: it is not verified */
	bool *before;		/* .. it was on the frontier already, or only seemed to be; NULL: not known */
	const struct breakpoint *hit;
	int found;		/* a frontier node, -1 */
	uint32_t hist;
	struct watched { eg_id root; uint32_t size; } *watched;	/* per breakpoint: what its class was */
};

static eg_id watched_node(struct session *s, const struct breakpoint *b, int k)
{
	eg_id core = session_core(s, b->side[k], b->row[k]);

	return core != NIL ? core : session_tensor(s, b->side[k], b->row[k]);
}

static struct watched look_at(struct session *s, const struct breakpoint *b)
{
	const egraph *g = s->p->p->g;
	eg_id n = watched_node(s, b, 0);

	return n == NIL ? (struct watched){ NIL, 0 } : (struct watched){ eg_root(g, n), eg_class_size(g, eg_root(g, n)) };
}

static bool fired_since(struct session *s, uint32_t from, const char *rule)
{
	const algebra *a = &s->p->p->a;
	uint32_t f;

	for (f = from; f < history_count(a); f++)
		if (!strcmp(prover_rule_name(s->p->p, history_at(a, f)->rule), rule))
			return true;
	return false;
}

static bool became_equal(struct session *s, const struct breakpoint *b)
{
	eg_id x = watched_node(s, b, 0), y = watched_node(s, b, 1);

	return x != NIL && y != NIL && eg_root(s->p->p->g, x) == eg_root(s->p->p->g, y);
}

static bool breaks(struct session *s, struct watcher *w, struct breakpoint *b, int i, bool row_taken)
{
	enum program_side side;
	struct watched now;
	int row;

	switch (b->kind) {
	case BREAK_ROW:
		return row_taken && session_busy_row(s, &side, &row) && side == b->side[0] && row == b->row[0];
	case BREAK_RULE:
		return fired_since(s, w->hist, b->rule);
	case BREAK_UNION:
		return !w->watched[i].size && became_equal(s, b);
	default:
		now = look_at(s, b);
		return now.root != w->watched[i].root || now.size != w->watched[i].size;
	}
}

static void start_watching(struct session *s, struct watcher *w)
{
	int i;

	w->pos = pair_position(s->p->q);
	w->hist = history_count(&s->p->p->a);
	w->watched = calloc((size_t)session_nbreak(s) + 1, sizeof *w->watched);
	for (i = 0; w->watched && i < session_nbreak(s); i++) {
		const struct breakpoint *b = session_break(s, i);
		if (b->kind == BREAK_UNION)	/* size says: equal already */
			w->watched[i].size = became_equal(s, b);
		else if (b->kind == BREAK_WATCH)
			w->watched[i] = look_at(s, b);
	}
}

/* A row of the baseline holds this core: no need to ask for states. */
static bool plainly_related(struct session *s, int dist)
{
	const egraph *g = s->p->p->g;
	eg_id core = session_core(s, SIDE_DIST, dist), m, root;
	enum program_side side;
	eg_use u;
	int row, left = 200;

	if (core == NIL || !eg_use_first(g, eg_root(g, core), &u))
		return false;
	do {
		if (core_kind(&s->p->p->a, u.owner) != C_LAID)
			continue;
		m = root = eg_root(g, u.owner);
		do {
			if (pair_row_of(s->p->q, m, &side, &row) && side == SIDE_BASE)
				return true;
			m = eg_next_in_class(g, m);
		} while (m != root && left--);
	} while (left-- > 0 && eg_use_next(g, &u));
	return false;
}

static bool has_bad_input(struct session *s, const struct watcher *w, int dist)
{
	const row *r = &s->p->dist->row[dist];
	int k;

	for (k = 0; k < r->nop; k++)
		if (w->bad[r->op[k]])
			return true;
	return false;
}

/* The row, or one before it that is blamed for it now; -1: none. */
static int blamed_for(struct session *s, const struct watcher *w, int dist)
{
	int k, row;

	session_front(s);
	if (s->on_frontier[dist])
		return dist;
	for (k = 0; w->before && k < session_nfrontier(s); k++) {
		row = session_frontier(s, k);
		if (row < dist && !w->before[row])
			return row;
	}
	return -1;
}

/* States cost time for all rows: they are asked only where a row is not plainly related and no input is to blame. */
static int on_frontier(struct session *s, struct watcher *w, int dist)
{
	if (s->p->dist->row[dist].param >= 0 || plainly_related(s, dist))
		return -1;
	if (has_bad_input(s, w, dist)) {
		w->bad[dist] = true;
		return -1;
	}
	session_moved(s);
	w->bad[dist] = !state_of(session_states(s), dist)->verified;
	return w->bad[dist] ? blamed_for(s, w, dist) : -1;
}

/* Rows of DIST that are settled now and were not judged before. */
static bool judge_rows(struct session *s, struct watcher *w)
{
	int to = pair_position(s->p->q) - s->p->base->nrow;

	if (!normal_idle(&s->p->p->a))
		return false;
	to = to < s->p->dist->nrow ? to : s->p->dist->nrow;
	for (; w->settled < to; w->settled++)
		if ((w->found = on_frontier(s, w, w->settled)) >= 0) {
			w->settled++;
			return true;
		}
	return false;
}

static bool nothing_to_stop_for(struct session *s, void *ctx)
{
	struct watcher *w = ctx;
	bool taken = pair_position(s->p->q) != w->pos;
	int i;

	w->pos = pair_position(s->p->q);
	for (i = 0; i < session_nbreak(s); i++) {
		struct breakpoint *b = &VEC_AT(struct breakpoint, &s->brk, i);
		if (breaks(s, w, b, i, taken)) {
			b->hits++;
			w->hit = b;
			return false;
		}
	}
	w->hist = history_count(&s->p->p->a);
	return !w->frontier || !judge_rows(s, w);
}

/* Rows that are behind the cursor were judged before; the states say which are bad. */
static void judged_before(struct session *s, struct watcher *w)
{
	int to = pair_position(s->p->q) - s->p->base->nrow, k;

	w->bad = calloc((size_t)s->p->dist->nrow + 1, sizeof *w->bad);
	w->settled = to < 0 ? 0 : to < s->p->dist->nrow ? to : s->p->dist->nrow;
	if (!normal_idle(&s->p->p->a) && w->settled)
		w->settled--;
	for (k = 0; w->bad && k < w->settled; k++)
		w->bad[k] = !state_of(session_states(s), k)->verified;
}

static bool at_frontier(struct session *s, int dist, bool provisional)
{
	char name[512], place[300], text[900];

	s->stopped.step = session_step(s);
	s->stopped.row = dist;
	session_reveal(s, SIDE_DIST, dist);
	session_select(s, SIDE_DIST, dist);
	session_name(s, SIDE_DIST, dist, name, sizeof name);
	snprintf(text, sizeof text, "frontier: %s%s%s", name, session_place(s, SIDE_DIST, dist, place, sizeof place),
		 provisional ? ", provisional: search rules have not run, `c` goes on" : "");
	command_say_where(s, text);
	return command_show(s, PAGE_EXPLAIN);
}

static enum acts_end watch_and_run(struct session *s, struct watcher *w)
{
	enum acts_end e;

	w->found = -1;
	start_watching(s, w);
	e = w->bad && w->watched ? acts_moves(s, nothing_to_stop_for, w) : ACTS_INTERRUPTED;
	free(w->watched);
	return e;
}

/* Rows on the frontier where the run began: it does not stop at them again.  By row of DIST. */
static bool *frontier_now(struct session *s)
{
	bool *b = calloc((size_t)s->p->dist->nrow + 1, sizeof *b);
	int k;

	for (k = 0; b && k < session_nfrontier(s); k++)
		b[session_frontier(s, k)] = true;
	return b;
}

/* What is to blame for a row may show only where the run has come to later rows: then it stands before the row that was found. */
static int first_new(struct session *s, const bool *before, int found)
{
	int k, row;

	for (k = 0; before && k < session_nfrontier(s); k++) {
		row = session_frontier(s, k);
		if (row < found && !before[row] && outlook_ask(s, row) == OUTLOOK_STANDS)
			found = row;
	}
	return found;
}

/* The frontier row after the one where it stopped last, while it has not moved; -1: none. */
static int next_here(struct session *s)
{
	int k, row;

	for (k = 0; s->stopped.row >= 0 && s->stopped.step == session_step(s) && k < session_nfrontier(s); k++) {
		row = session_frontier(s, k);
		if (row > s->stopped.row && outlook_known(s, row) == OUTLOOK_STANDS)
			return row;
	}
	return -1;
}

static bool run_to_frontier(struct session *s)
{
	struct watcher w = { .frontier = true, .before = frontier_now(s) };
	enum outlook_word found = OUTLOOK_PASSES;
	enum acts_end e;
	char text[600];

	judged_before(s, &w);
	do {
		e = watch_and_run(s, &w);
		if (e == ACTS_STOPPED && w.found >= 0)
			found = outlook_ask(s, w.found);
		if (found == OUTLOOK_PASSES && w.found >= 0 && w.before)
			w.before[w.found] = true;
	} while (e == ACTS_STOPPED && w.found >= 0 && found == OUTLOOK_PASSES);
	if (e == ACTS_STOPPED && w.found >= 0)
		w.found = first_new(s, w.before, w.found);
	free(w.before);
	free(w.bad);
	if (e == ACTS_STOPPED && w.found >= 0)
		return at_frontier(s, w.found, found == OUTLOOK_UNKNOWN);
	if (w.hit)
		snprintf(text, sizeof text, "%s %d: %s", w.hit->kind == BREAK_WATCH ? "watch" : "breakpoint", w.hit->id, w.hit->text);
	return ended(s, e, w.hit ? text : "");
}

/* What the search proves later is passed by. */
bool cmd_continue(struct session *s, const char *args)
{
	int here;

	if (!command_nothing(s, "continue", args))
		return false;
	here = next_here(s);
	return here >= 0 ? at_frontier(s, here, false) : run_to_frontier(s);
}

bool cmd_continue_all(struct session *s, const char *args)
{
	return command_nothing(s, "continue!", args) && ended(s, acts_continue(s, NULL, NULL), "");
}

struct target {
	enum program_side side;
	int row;
};

static bool not_settled(struct session *s, void *ctx)
{
	const struct target *t = ctx;
	int at = t->row + (t->side == SIDE_DIST ? s->p->base->nrow : 0);

	return pair_position(s->p->q) <= at || !normal_idle(&s->p->p->a);
}

bool cmd_until(struct session *s, const char *args)
{
	struct target t;
	char why[512], *end;
	unsigned long step;
	enum acts_end e;
	bool behind;

	if (!*args)
		return command_fail(s, "until what? an instruction or a step is meant");
	step = strtoul(args, &end, 10);
	if (end != args && !*end && step <= session_step(s))
		return command_fail(s, step == session_step(s) ? "this is step %u" : "step %u is behind already: `goto %lu` goes back to it",
				    (unsigned)step, step);
	if (end != args && !*end)
		return cmd_goto(s, args);
	if (!nodes_row(s, &args, SIDE_DIST, &t.side, &t.row, why, sizeof why))
		return command_fail(s, "%s", why);
	behind = !not_settled(s, &t);
	e = acts_moves(s, not_settled, &t);
	ended(s, e, behind ? "it was decided before" : "");
	if (e == ACTS_STOPPED) {
		session_reveal(s, t.side, t.row);
		session_select(s, t.side, t.row);
	}
	return true;
}

/* ---- back, and to a place */

bool cmd_reverse_step(struct session *s, const char *args)
{
	uint32_t n, at = session_step(s);

	if (!command_count(s, "reverse-step", args, &n))
		return false;
	if (!at)
		return command_fail(s, "this is the start");
	return acts_goto(s, at > n ? at - n : 0) && ended(s, ACTS_STOPPED, "");
}

bool cmd_reverse_next(struct session *s, const char *args)
{
	uint32_t n;

	if (!command_count(s, "reverse-next", args, &n))
		return false;
	if (!session_step(s))
		return command_fail(s, "this is the start");
	while (n-- && session_step(s) && !s->failed)
		acts_back_row(s);
	return !s->failed && ended(s, ACTS_STOPPED, "");
}

bool cmd_reverse_iterate(struct session *s, const char *args)
{
	uint32_t n, to = session_step(s);

	if (!command_count(s, "reverse-iterate", args, &n))
		return false;
	for (forget_passes(s); n && s->pass.n; n--)
		to = VEC_AT(uint32_t, &s->pass, --s->pass.n);
	if (to == session_step(s))
		return command_fail(s, "no `iterate` was made before here; reverse-next goes back by an instruction");
	return acts_goto(s, to) && ended(s, ACTS_STOPPED, "");
}

/* The last step at which no more than so many rows were taken up. */
static uint32_t step_of_row(const struct session *s, int pos)
{
	uint32_t lo = 0, hi = s->boundary.n;

	while (hi - lo > 1) {
		uint32_t mid = (lo + hi) / 2;
		if (VEC_AT(struct boundary, &s->boundary, mid).pos <= pos)
			lo = mid;
		else
			hi = mid;
	}
	return lo;
}

struct stop {
	uint32_t step;
	enum program_side side;
	int row;
	bool frontier;
};

static void consider_stop(const struct session *s, struct stop *best, struct stop x)
{
	if (x.step < session_step(s) && (best->row < 0 || x.step > best->step))
		*best = x;
}

/* Where `continue` would have stopped last before here: behind a frontier node's firings, before those of a breakpoint's. */
static struct stop stop_before(struct session *s)
{
	struct stop best = { 0, SIDE_DIST, -1, false };
	int nb = s->p->base->nrow, k;

	for (k = 0; k < session_nfrontier(s); k++) {
		int row = session_frontier(s, k);
		if (outlook_known(s, row) == OUTLOOK_PASSES)
			continue;
		consider_stop(s, &best, (struct stop){ step_of_row(s, nb + row + 1), SIDE_DIST, row, true });
	}
	for (k = 0; k < session_nbreak(s); k++) {
		const struct breakpoint *b = session_break(s, k);
		int at = b->row[0] + (b->side[0] == SIDE_DIST ? nb : 0);
		if (b->kind == BREAK_ROW && at < pair_position(s->p->q))
			consider_stop(s, &best, (struct stop){ step_of_row(s, at), b->side[0], b->row[0], false });
	}
	return best;
}

bool cmd_reverse_continue(struct session *s, const char *args)
{
	struct stop to;
	char name[512], text[600] = "";

	if (!command_nothing(s, "reverse-continue", args))
		return false;
	if (!session_step(s))
		return command_fail(s, "this is the start");
	to = stop_before(s);
	if (!acts_goto(s, to.step))
		return false;
	if (to.row < 0)
		return ended(s, ACTS_STOPPED, "");
	if (to.frontier)	/* it is one when it is settled, which no firing says */
		acts_moves(s, not_settled, &(struct target){ to.side, to.row });
	session_reveal(s, to.side, to.row);
	session_select(s, to.side, to.row);
	snprintf(text, sizeof text, "back at %s", session_name(s, to.side, to.row, name, sizeof name));
	command_say_where(s, text);
	return true;
}

static bool place_of_act(struct session *s, const char *word, uint32_t *step)
{
	int id = atoi(word + 1), i;

	for (i = 0; i < acts_count(s); i++)
		if (acts_get(s, i)->id == id) {
			*step = acts_get(s, i)->step;
			return true;
		}
	return command_fail(s, "there is no act %s", word);
}

/* A number, an act, or one of the two ends. */
static bool place_meant(struct session *s, const char *args, uint32_t *step)
{
	char *end;
	unsigned long n = strtoul(args, &end, 10);

	*step = 0;
	if ((*args == 'A' || *args == 'a') && isdigit((unsigned char)args[1]))
		return place_of_act(s, args, step);
	if (!strcmp(args, "start"))
		return true;
	if (!isdigit((unsigned char)*args) || *end || n > 2000000000)
		return command_fail(s, "goto takes a step, an act as A4, start or end, and '%s' is none; until NODE runs to an instruction", args);
	*step = (uint32_t)n;
	return true;
}

bool cmd_goto(struct session *s, const char *args)
{
	uint32_t to;

	if (!*args)
		return command_fail(s, "goto where? to a step, an act as A4, start or end");
	if (!strcmp(args, "end"))
		return ended(s, acts_continue(s, NULL, NULL), "");
	if (!place_meant(s, args, &to))
		return false;
	if (acts_goto(s, to))
		return ended(s, ACTS_STOPPED, "");
	if (s->failed)
		return false;
	ended(s, session_done(s) ? ACTS_DONE : s->broken ? ACTS_BROKEN : s->p->q->cut ? ACTS_CUT : ACTS_INTERRUPTED, "");
	return session_done(s) ? command_fail(s, "the run ends at step %u", session_step(s)) : true;
}
