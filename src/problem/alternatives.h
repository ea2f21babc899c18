/* alternatives.h - other relations of what was inferred: tried, and offered.
 *
 * When outputs stay unproved and relations were inferred, one of these may be
 * wrong: a bias that is added before an all-reduce, a gradient, a dimension with
 * another axis, a fused weight.  For the inferred inputs that the frontier
 * depends on, nearest first, the relations that shapes allow (suggest.h) are
 * tried one at a time, each in a run of its own (trial.h).  What makes more
 * outputs proved, or else more values of DIST correspond, is taken, and the next
 * is looked for on top of it, until every output is proved, nothing helps, or
 * the budget is used up.  Outputs that are verified with another relation than
 * the inferred one are tried under others likewise.
 *
 * Nothing of this is a proof of the pair as it was given: the run there is, its
 * verdict included, stays as it is.  What comes of it are lines for a plan.
 */
#ifndef DIVERGE_ALTERNATIVES_H
#define DIVERGE_ALTERNATIVES_H

#include "problem/problem.h"

/* Work of all trials: rows lifted, rules fired, scratch memory used, nodes walked over; two or three seconds. */
enum { ALTERNATIVES_WORK = 400000 };

struct alternative {
	bool output;
	int index;
	const char *was, *is;		/* chains, "any", or a value: "= partition-id" */
};

struct alternatives {
	int n;				/* what is offered, together; 0: nothing proves more */
	struct alternative *v;
	int inferred;			/* inputs and outputs whose relation is inferred */
	int tried, left;		/* relations that were tried, and those that a larger budget would try */
	bool stopped;			/* by the user */
	bool trimmed;			/* of some only the likeliest relations were thought of */
	int goals, before, after;	/* outputs compared; proved as it was given; proved with what is offered */
	int verified_before, verified_after;	/* values of DIST that correspond */
	const char *offer;		/* the offer, or that there is none, as a sentence */
	const char *effort;		/* what was tried and what was not */
	int nline;
	const char **line;		/* of a plan that says it */
};

/* Is there anything to try: an output unproved and a relation inferred? */
bool alternatives_any(const struct problem *p);
/* Asked now and then, with the number of relations that were tried so far; true: that is enough. */
struct alternatives_watch {
	bool (*stop)(void *ctx, int tried);
	void *ctx;
};
/* p stands at its verdict.  Keeps the answer in p->alternatives, too; NULL: stopped before anything was known.  `watch` may be
 * NULL. */
const struct alternatives *alternatives_try(struct problem *p, uint64_t work, const struct alternatives_watch *watch);

#endif
