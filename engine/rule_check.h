/* rule_check.h - is a rule right?  Fires it on random small cores and compares both sides by numbers.
 *
 * A random core is built over parameters (some known to be positive), numbers,
 * tables, index expressions, bound labels and data labels; the rule is tried at
 * every node of its family, then everything is normalized with the rule
 * switched on.  Each of its firings is evaluated on both sides at random places
 * (certify.h), on unequal numbers of both signs, zeros, and infinities where no
 * fact excludes them.  What is not found is not proved to be absent.
 *
 * Everything happens behind a mark and is undone (probe.h): the pair is as it
 * was.  It has to be idle.
 */
#ifndef DIVERGE_RULE_CHECK_H
#define DIVERGE_RULE_CHECK_H

#include "pair.h"

struct rule_check_limits {
	int cores;		/* random cores at most.. */
	int patience;		/* .. and so many more while the rule has fired less than 10 times */
	int firings;		/* enough of this rule; 0: all that come */
	uint64_t seed;
	int (*busy)(void *ctx);	/* asked after every core: nonzero stops.  NULL: never */
	void *ctx;
};

struct rule_check {
	int cores;		/* tried */
	int firings, over;	/* compared; too large to be compared */
	const char *why;	/* a counterexample: what does not hold; else NULL */
	uint64_t seed;		/* of the core it was found in */
	const char *left, *right;	/* both sides, as text */
	const char *reason;	/* no firing: what the rule said most often, or NULL */
	bool stopped;
};

/* Texts live in the arena given.  False: the pair is not idle. */
bool rule_check(pair *q, uint32_t rule, const struct rule_check_limits *l, struct rule_check *out, arena *text);

#endif
