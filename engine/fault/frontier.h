/* frontier.h - where the proof breaks: the rows to look at, and what is wrong with them.
 *
 * The frontier is the set of unverified rows all of whose inputs are verified
 * and from which an unproved output is reachable through unverified rows only;
 * and outputs that are verified with another relation than their goal's.
 * Integer or predicate index arithmetic without counterpart is passed through:
 * the rows it feeds are on the frontier and name it, unless the baseline does the
 * same arithmetic up to one row, which is then blamed (stray.h).  What packs
 * tensors that are taken apart again rightly is passed through, and a device's own
 * mean that a function is taken of (presumed.h).  So is a multiple of a
 * baseline value: of a chain of multiples the row that last changed the factor is
 * blamed.  A row that pairs the wrong places because a gather has put the blocks
 * of its operand in another order hands the blame back to the gather, or to what
 * else puts places in another order; one that takes what each device has sliced at
 * places that do not belong there, back to the slice.  An output
 * in another order than its goal's is told at the row it feeds, if there is one, else
 * where the order was lost, at what moves places between devices before others.
 * Pieces that are put together to be worked on, a halo say, are told where they do not fit (seam.h).
 * Running sums of each device's own part are told where something is added to them (running.h).
 * Chunks of one sum that do not count alike are told where they are added (accumulated.h),
 * parts that the devices gather and take the wrong ones of, where they take them
 * (gathered.h), a correction of maxima the wrong way round where these are subtracted.
 * What came out right behind an unverified row has made up for it: what goes another
 * way from there is blamed.
 * What is looked up in a device's own part at places of the whole is told there (lookup.h).
 * Rows that take parts of one sum are told together.  What works on blocks of a
 * baseline value as no baseline row does, and what depends on integers alone or is
 * looked up by integer arithmetic of its own, and a maximum that is only subtracted,
 * is blamed only for outputs that nothing else is blamed for; a chunk of what the
 * baseline contracts, and a gather of parts, only where none of these is.
 * Order: wrong relation, scaled, blocks in the wrong order, differing from a
 * candidate, without candidate; within that, program order.
 *
 * `frontier_find` is linear; `frontier_explain` compares terms and tries rules
 * for one row.  Results live in the arena given.
 */
#ifndef DIVERGE_FRONTIER_H
#define DIVERGE_FRONTIER_H

#include "fault/difference.h"

enum frontier_kind { FRONTIER_RELATION, FRONTIER_SCALED, FRONTIER_ORDER, FRONTIER_DIFFERS, FRONTIER_ALONE };

typedef struct frontier_entry {
	int row;		/* of the distributed program */
	enum frontier_kind kind;
	const goal *goal;	/* FRONTIER_RELATION: the goal it misses */
	int fed;		/* FRONTIER_ORDER: the row that takes what it has put in the wrong order; FRONTIER_RELATION: the output made of it; else -1 */
	bool stray;		/* index arithmetic that parts here from the baseline's, which has base[0] */
	int nmore, *more;	/* rows that take parts of the same sum */
	const goal *also;	/* of another kind: the goal of an output that it takes, missed for the same reason, or NULL */
	int nbase;		/* candidates: baseline rows that consume counterparts of its operands, nearest first; FRONTIER_SCALED: its own */
	const int *base;
} frontier_entry;

typedef struct frontier {
	int n;
	const frontier_entry *e;
	bool so_far;		/* not everything is lifted yet */
} frontier;

frontier frontier_find(states *s, arena *out);

typedef struct frontier_candidate {
	int base;
	const char *difference;	/* one sentence, NULL: none is known */
	enum difference_kind kind;
} frontier_candidate;

typedef struct frontier_near {	/* a rule that nearly applied */
	const char *rule, *reason;
} frontier_near;

typedef struct frontier_report {
	const char *state;	/* "none", "scaled", "related" .. */
	const char *reason;	/* one sentence: why it is here */
	const char *computes;	/* what it computes, by baseline names */
	int nop;
	const char **operand;	/* "%x: S(0) over dp" */
	int ncand;
	const frontier_candidate *cand;
	int nnear;
	const frontier_near *near;
} frontier_report;

const frontier_report *frontier_explain(states *s, const frontier_entry *e, arena *out);

#endif
