/* rule_check.h - is a rule right?  Fires it on random small expressions and compares both sides by numbers.
 *
 * A rule about instructions is tried on instructions made for it (rule_instances.h),
 * on several devices; one of lift fires as they are lifted.  Of what does not
 * hold the smallest instance that was met is told.
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

#include "pair/pair.h"

struct rule_check_limits {
	int cores;		/* random cores at most.. */
	int patience;		/* .. and so many more while the rule has fired less than 10 times */
	int firings;		/* enough of this rule; 0: all that come */
	uint64_t seed;
	int (*busy)(void *ctx);	/* asked after every core: nonzero stops.  NULL: never */
	void *ctx;
};

struct rule_check {
	int cores;		/* random cores, or instructions, tried */
	int firings, over;	/* compared; too large to be compared */
	const char *why;	/* a counterexample: what does not hold; else NULL */
	uint64_t seed;		/* of the core it was found in */
	const char *left, *right;	/* both sides, as text */
	int64_t size;		/* places of it */
	const char *where;	/* "on device 1 at [0,2] ..", both values; NULL: there are none */
	const char **given;	/* the values it was met with, a line each */
	int ngiven;
	const char *reason;	/* no firing: what the rule said most often, or NULL */
	bool never;		/* nothing can be made for it to be tried on: `reason` says why */
	bool stopped;
};

/* Texts live in the arena given.  False: the pair is not idle. */
bool rule_check(pair *q, uint32_t rule, const struct rule_check_limits *l, struct rule_check *out, arena *text);

#endif
