/* frontier.h - where the proof breaks: the rows to look at, and what is wrong with them.
 *
 * The frontier is the set of unverified rows all of whose inputs are verified
 * and from which an unproved output is reachable through unverified rows only;
 * and outputs that are verified with another relation than their goal's.
 * Integer or predicate index arithmetic without counterpart is passed through:
 * the rows it feeds are on the frontier and name it.
 * Order: wrong relation, scaled, differing from a candidate, without candidate;
 * within that, program order.
 *
 * `frontier_find` is linear; `frontier_explain` compares terms and tries rules
 * for one row.  Results live in the arena given.
 */
#ifndef DIVERGE_FRONTIER_H
#define DIVERGE_FRONTIER_H

#include "state.h"

enum frontier_kind { FRONTIER_RELATION, FRONTIER_SCALED, FRONTIER_DIFFERS, FRONTIER_ALONE };

typedef struct frontier_entry {
	int row;		/* of the distributed program */
	enum frontier_kind kind;
	const goal *goal;	/* FRONTIER_RELATION: the goal it misses */
	int nbase;		/* candidates: baseline rows that consume counterparts of its operands, nearest first */
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
	const char *difference;	/* one sentence */
	const char *kind;	/* what differs, for lists: "columns read", "operation", "summed labels" .. */
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
