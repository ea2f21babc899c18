/* level.h - the levels of the search: which rules are tried, one set after another (RULES D12).
 *
 * exact; constants read (D11) with the normalize rules alone; search rules; both;
 * search rules with S6; both; search rules with S7.  A level begins at a mark when everything is lifted
 * and an output is unproved.  One that proves no further output is undone to its
 * mark, one that proves one stays, and the next begins on top of it.
 *
 * `level_move` is `pair_move` and then the search.  Where it stands is on the
 * trail: undone to any point it goes on from there in the same way, except that
 * what an undone level did is gone (its mark is the place to go on from).
 * With `look` set, and something unproved in the end, the level that related the
 * most distributed values to the baseline is run once more and stays, proving
 * nothing: what is right is then seen as right, and the frontier is where the fault
 * is.  It is level LEVEL_LOOK.
 *
 * Where the programs part at a few rows and do the same behind them, and are too
 * long for a search of all, or a level was cut, it looks next to those rows only
 * (search_window.h), the cut one once more: AT stays, and that the rest was not looked at
 * is said (`level_near`).
 *
 * A level is cut at `limit` firings, or where it has spent too much: entries of index
 * tables and scratch memory, a table entry counting as 128 bytes, 4 GiB in all in the
 * first level of the search (which proves most of what is proved) and 1 GiB in the
 * others; or at 20000 looks at nodes, and four more for each firing of the lifting.
 * What is unproved then is unknown.
 */
#ifndef DIVERGE_LEVEL_H
#define DIVERGE_LEVEL_H

#include "pair/pair.h"

enum { LEVEL_COUNT = 7, LEVEL_LOOK = LEVEL_COUNT };

typedef struct levels {
	pair *q;
	vec state;		/* words, trailed */
	vec barred;		/* per rule: the user keeps it off */
	uint64_t limit;		/* firings per level; 0: five thousand, or twice those of the lifting */
	bool look;		/* off at first */
	bool logged;		/* the trail was on before the level that runs */
} levels;

enum level_event {
	LEVEL_FIRED,		/* a rule fired */
	LEVEL_LOOKED,		/* nothing fired here */
	LEVEL_BEGUN,		/* level_at is the one that begins */
	LEVEL_KEPT,		/* it proved a further output */
	LEVEL_UNDONE,		/* it did not */
	LEVEL_SHOWN,		/* the look is taken */
	LEVEL_DONE		/* nothing is left to try, or to prove */
};

void level_init(levels *l, pair *q);
void level_free(levels *l);
enum level_event level_move(levels *l);
bool level_over(levels *l);		/* the row that is being settled has used up its limit: nothing more can be done */
void level_run(levels *l);			/* to the end, or to the row whose limit is used up */
int level_at(const levels *l);			/* 0: exact .. 6: with S7, 7: the look; the one that runs, or ran last */
const char *level_name(int level);
bool level_done(const levels *l);
bool level_was_cut(const levels *l, int level);	/* it reached its limit */
/* A level without S6 and S7 was: the verdict of what is unproved is `unknown: limit`.  These are never carried to an
 * end: they enlarge whatever they touch and are tried as far as the limit goes. */
bool level_any_cut(const levels *l);
bool level_near(const levels *l);		/* levels looked next to where the programs part, and nowhere else */
void level_bar(levels *l, uint32_t rule, bool barred);

#endif
