/* cut.h - a part of both programs that can be run by itself: what some rows and outputs need, from the inputs or from verified nodes.
 *
 * Where the run of what is asked for would take too long, both programs are cut at
 * cores of the baseline that verified nodes of DIST hold: one tensor of numbers is
 * drawn for the core, and every row that holds it, on either side, is what its
 * layout makes of that, parts of sums included.  Cheap steps are run all the same, so that the cuts
 * lie as far from what is asked for as the bound allows; without any cut left the
 * part is exact: what it computes on inputs, the whole programs compute on them.
 *
 * Numbers at cuts are drawn one by one.  No inputs need lead to them, and two of them
 * may depend on each other in every real run: a difference behind a cut is a place to
 * look at and refutes nothing.
 *
 * Only nodes that are proved to correspond, under no hypothesis, are cut at; of
 * integers, truth values and inputs none.
 */
#ifndef DIVERGE_CUT_H
#define DIVERGE_CUT_H

#include "pair/excerpt.h"
#include "problem/numbers_run.h"
#include "session/session.h"

struct cut_wish {
	int n[2];		/* rows, by side; those that no part can have are left out */
	const int *row[2];
	int ngoal;
	const int *goal;	/* of the pair: outputs to compare */
	double steps;		/* of one run, at most */
	double quick;		/* cuts are moved away from what is asked for while it takes no more */
	bool exact;		/* no cuts: refuse what takes more */
};

struct cut_place {		/* where it is cut */
	int base, dist;		/* the last row of each side that is not run; -1: none is needed there */
};

struct cut {
	struct numbers_setup *setup;	/* its checks are the goals, in the order asked */
	excerpt *part[2];
	int nplace;
	struct cut_place *place;
	double steps, bytes;		/* of one run, estimated */
};

/* NULL and why not. */
struct cut *cut_new(struct session *s, const struct cut_wish *w, const char **why);
void cut_free(struct cut *c);
bool cut_has(const struct cut *c, enum program_side side, int row);	/* it can be asked for */

#endif
