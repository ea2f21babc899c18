#include "pair/level.h"

#include "core/normal.h"
#include "pair/pair_in.h"
#include "pair/search_window.h"
#include "prim/prim.h"

/* Words of the state. WINDOW: 0, or how many rows were related when it was set, and one; AGAIN: the level that was cut begins once more;
 * SINCE: how many firings there were when it began, or its window moved; FIRST: constants are read, the other rules come after. */
enum word { AT, RUNNING, MARK, MET, FIRINGS, SPENT, CUT, LOOKS, BEST, RELATED, READ, WINDOW, EXPLAINED, AGAIN, SINCE, FIRST, WORDS };
#define W(l, w) VEC_AT(uint32_t, &(l)->state, w)
enum { NOT_ASKED, IS_NOT, IS };		/* EXPLAINED */

enum { READS = 1, SEARCHES = 2, SPREADS = 4, WRITES = 8, GATHERS = 16 };	/* GATHERS: what would get back what is spread */
/* What a level may spend, the first search and the others: table entries in units of 256, and scratch memory in units of 32 KiB. */
enum { CELLS_SHIFT = 8, BYTES_SHIFT = 15, SPENT_MAX = 1 << 15, SPENT_FIRST = 1 << 17 };
enum { LOOKS_LEAST = 20000, LOOKS_PER_FIRING = 4 };

static const struct {
	const char *name;
	int rules;
} level_of[LEVEL_COUNT + 1] = {
	{ "exact", 0 },
	{ "constants read", READS },
	{ "search rules", SEARCHES | GATHERS },
	{ "search rules, constants read", SEARCHES | GATHERS | READS },
	{ "search rules with products spread", SEARCHES | SPREADS },
	{ "search rules with products spread, constants read", SEARCHES | READS | SPREADS },
	{ "reductions written out", WRITES },
	{ "a last look", 0 },	/* with the rules of the level that related most */
};

const char *level_name(int level)
{
	return level_of[level].name;
}

void level_init(levels *l, pair *q)
{
	int k;

	*l = (levels){ .q = q };
	vec_init(&l->state, sizeof(uint32_t));
	vec_init(&l->barred, sizeof(uint8_t));
	for (k = 0; k < WORDS; k++)
		vec_push(&l->state);
}

void level_free(levels *l)
{
	vec_free(&l->state);
	vec_free(&l->barred);
}

static void set(levels *l, enum word w, uint32_t v)
{
	trail_set32(l->q->p->a.tr, &W(l, w), v);
}

int level_at(const levels *l)
{
	return (int)W(l, AT);
}

bool level_was_cut(const levels *l, int level)
{
	return W(l, CUT) >> level & 1;
}

bool level_any_cut(const levels *l)
{
	int k;

	for (k = 0; k < LEVEL_COUNT; k++)
		if (!(level_of[k].rules & (SPREADS | WRITES)) && level_was_cut(l, k))
			return true;
	return false;
}

bool level_near(const levels *l)
{
	return W(l, EXPLAINED) == IS;
}

void level_bar(levels *l, uint32_t rule, bool barred)
{
	while (l->barred.n <= rule)
		vec_push(&l->barred);
	VEC_AT(uint8_t, &l->barred, rule) = barred;
}

/* ---- rules */

static int kind_of(const prover *p, uint32_t rule)
{
	prim_fn *f = prover_prim(p, rule);

	return f == prim_constant_reading || f == prim_token_product || f == prim_bound_reading ? READS : f == prim_product_distribute || f == prim_mask_background ? SPREADS
	       : f == prim_reduction_terms ? WRITES : f == prim_common_rate ? GATHERS : SEARCHES;
}

static bool barred(const levels *l, uint32_t rule)
{
	return rule < l->barred.n && VEC_AT(uint8_t, &l->barred, rule);
}

static void switch_rules(levels *l, int rules)
{
	prover *p = l->q->p;
	uint32_t k;

	for (k = 0; k < rules_n(p->r); k++)
		if (rules_at(p->r, k)->ruleset == p->set_search)
			prover_switch(p, k, !barred(l, k) && (rules & kind_of(p, k)));
}

/* ---- outputs */

static uint32_t met(const pair *q, bool *all)
{
	uint32_t n = 0;
	int k;

	*all = true;
	for (k = 0; k < q->ngoal; k++) {
		if (!q->goal[k].compared)
			continue;
		if (goal_met(q, &q->goal[k]))
			n++;
		else
			*all = false;
	}
	return n;
}

/* A last look is worth it: some level related more values than are related now, or read a constant. */
static bool look_due(const levels *l)
{
	return l->look && W(l, AT) == LEVEL_COUNT - 1 && (W(l, BEST) || W(l, READ));
}

static int rules_of(const levels *l)
{
	return W(l, AT) == LEVEL_LOOK ? level_of[W(l, BEST)].rules | (W(l, READ) ? READS : 0) : level_of[W(l, AT)].rules;
}

bool level_done(const levels *l)
{
	bool all;

	if (!pair_done(l->q) || W(l, RUNNING))
		return false;
	met(l->q, &all);
	return all || (W(l, AT) >= LEVEL_COUNT - 1 && !look_due(l));
}

static void note_related(levels *l, uint32_t level, uint32_t n)
{
	if (n <= W(l, RELATED))
		return;
	set(l, BEST, level);
	set(l, RELATED, n);
}

/* ---- moving */

/* Constants are read as they stand, before a search multiplies them: what it makes of one may be near to what it makes of another. */
static void first(levels *l, bool reads)
{
	set(l, FIRST, reads);
	switch_rules(l, reads ? READS : rules_of(l));
}

static bool all_read(levels *l)
{
	if (!W(l, FIRST))
		return false;
	first(l, false);
	return true;
}

/* Are the programs the same behind where they part?  Asked once for the goals that are met. */
static bool explained(levels *l)
{
	if (W(l, EXPLAINED) == NOT_ASKED)
		set(l, EXPLAINED, window_explains(l->q) ? IS : IS_NOT);
	return W(l, EXPLAINED) == IS;
}

static void begin(levels *l)
{
	algebra *a = &l->q->p->a;
	trail_mark mark;
	bool all, narrow;

	l->logged = a->tr->on;
	a->tr->on = true;	/* a run that never goes back still takes a level back */
	if (l->look && !W(l, AT))
		set(l, RELATED, pair_related(l->q));
	narrow = W(l, EXPLAINED) == IS || (window_long(l->q) && explained(l));
	mark = trail_at(a->tr);
	set(l, AT, W(l, AT) + !W(l, AGAIN));
	set(l, AGAIN, 0);
	set(l, RUNNING, 1);
	set(l, MARK, mark);
	set(l, MET, met(l->q, &all));
	set(l, FIRINGS, history_count(a));
	set(l, SPENT, 0);
	set(l, SINCE, history_count(a));
	set(l, LOOKS, 0);
	set(l, WINDOW, 0);
	if (narrow) {
		set(l, WINDOW, 1 + (uint32_t)pair_related(l->q));
		window_set(l->q);
	}
	first(l, rules_of(l) & READS && rules_of(l) != READS);
}

/* A level that was cut, and is taken back, is tried again in the window where that is enough. */
static bool try_again(levels *l, uint32_t at, bool window)
{
	return !window && at != LEVEL_LOOK && !(level_of[at].rules & SPREADS) && explained(l);
}

static enum level_event end(levels *l, bool cut)
{
	algebra *a = &l->q->p->a;
	uint32_t at = W(l, AT), cuts = W(l, CUT), n = l->look && !cut ? pair_related(l->q) : 0, read;
	bool all, kept = met(l->q, &all) > W(l, MET), window = W(l, WINDOW) != 0;

	if (l->look && level_of[at].rules == READS && !kept)
		set(l, READ, !cut && history_count(a) > W(l, FIRINGS));
	read = W(l, READ);
	if (!kept && at != LEVEL_LOOK)
		trail_undo(a->tr, W(l, MARK));
	else
		normal_limit(a, NULL, 0);
	a->tr->on = l->logged;
	set(l, READ, read);
	set(l, AT, at);
	set(l, RUNNING, 0);
	set(l, AGAIN, cut && !kept && try_again(l, at, window));
	set(l, CUT, W(l, AGAIN) || at == LEVEL_LOOK ? cuts : cuts | (uint32_t)cut << at);
	if (kept) {	/* the next begin on top of it; what it left to be done has a limit of its own */
		pair_row_begins(l->q);
		set(l, EXPLAINED, NOT_ASKED);
		set(l, BEST, 0);
		set(l, RELATED, n);
	} else if (at != LEVEL_LOOK) {
		note_related(l, at, n);
	}
	return kept ? LEVEL_KEPT : at == LEVEL_LOOK ? LEVEL_SHOWN : LEVEL_UNDONE;
}

enum { FIRINGS_LEAST = 5000, FIRINGS_OPEN = 1000 };	/* .. of what is never carried to an end, in a window */

/* A window is as large as it is, whatever the program. */
static uint64_t limit_of(const levels *l)
{
	uint64_t twice = 2 * (uint64_t)W(l, FIRINGS);

	if (l->limit)
		return l->limit;
	if (W(l, WINDOW))
		return level_of[W(l, AT)].rules & (SPREADS | WRITES) ? FIRINGS_OPEN : FIRINGS_LEAST;
	return twice > FIRINGS_LEAST ? twice : FIRINGS_LEAST;
}

/* Most that a search proves, its first level proves: the later ones, which repeat its work, are kept short. */
static uint32_t spent_of(const levels *l)
{
	return level_of[W(l, AT)].rules == (SEARCHES | GATHERS) ? SPENT_FIRST : SPENT_MAX;
}

/* Steps can go round without a firing: looks at nodes are limited, too. */
static uint32_t looks_of(const levels *l)
{
	return LOOKS_LEAST + (W(l, WINDOW) ? 0 : LOOKS_PER_FIRING * W(l, FIRINGS));
}

/* Nothing is left to do in the window: it moves on when something came of it, and all is looked at when an output did. */
static bool look_further(levels *l)
{
	uint32_t related;
	bool all;

	if (!W(l, WINDOW))
		return false;
	if (met(l->q, &all) > W(l, MET)) {
		set(l, WINDOW, 0);
		window_drop(l->q);
		return true;
	}
	related = 1 + (uint32_t)pair_related(l->q);
	if (related <= W(l, WINDOW))
		return false;
	set(l, WINDOW, related);
	set(l, SINCE, history_count(&l->q->p->a));
	set(l, LOOKS, 0);
	return window_move(l->q);
}

static enum level_event run_level(levels *l)
{
	prover *p = l->q->p;
	uint64_t cells = p->a.s.cells, taken = p->a.s.a.taken;
	enum fire_result r;

	if (history_count(&p->a) - W(l, SINCE) > limit_of(l) || W(l, SPENT) > spent_of(l) || W(l, LOOKS) > looks_of(l))
		return end(l, true);
	set(l, LOOKS, W(l, LOOKS) + 1);
	r = prover_fire(p);
	set(l, SPENT, W(l, SPENT) + (uint32_t)(((p->a.s.cells - cells) >> CELLS_SHIFT) + ((p->a.s.a.taken - taken) >> BYTES_SHIFT)));
	switch (r) {
	case FIRE_IDLE:
		return all_read(l) || pair_loop_again(l->q) || look_further(l) ? LEVEL_LOOKED : end(l, false);
	case FIRE_FIRED:
		return LEVEL_FIRED;
	default:
		return LEVEL_LOOKED;
	}
}

enum level_event level_move(levels *l)
{
	if (W(l, RUNNING))
		return run_level(l);
	if (!pair_done(l->q))
		switch (pair_move(l->q)) {
		case PAIR_FIRED:
			return LEVEL_FIRED;
		case PAIR_LIFTING:
			return LEVEL_LOOKED;
		default:
			break;
		}
	if (level_done(l))
		return LEVEL_DONE;
	begin(l);
	return LEVEL_BEGUN;
}

bool level_over(levels *l)
{
	return !W(l, RUNNING) && !pair_done(l->q) && pair_over(l->q);
}

void level_run(levels *l)
{
	while (!level_over(l) && level_move(l) != LEVEL_DONE)
		;
}
