/* firing.h - rules fire, and the log of it.
 *
 * `fire` runs the actions of the matcher's current match: it builds, unions,
 * sets.  Every firing that is kept is a record on a trailed log: the rule, the
 * node at every pattern position, the values of variables that no position
 * gives, the nodes built (for every call on the right side, inner ones first).
 * Arguments are kept as written: variables stand for the argument as first
 * written at their first occurrence, so that explain can justify every step.
 */
#ifndef DIVERGE_FIRING_H
#define DIVERGE_FIRING_H

#include "rule/match.h"

typedef struct firings firings;

typedef struct fired {
	uint32_t id;		/* number in the log; NIL when nothing changed and keep was false */
	bool changed;		/* a node, a union, or a value */
	uint32_t nunion;	/* union actions of the rule */
	eg_id a, b;		/* sides of its first union action, NIL without one */
	const char *error;	/* a panic, a conflict or a refused builtin: nothing was changed */
} fired;

firings *firings_new(rules *r);
void firings_free(firings *f);

/* keep: log it even when it changes nothing. */
fired fire(firings *f, matcher *m, bool keep);
/* A record for something that is no rule (an act, a given): so that born, edges
 * and reasons share one numbering.  `what` is copied. */
uint32_t firing_note(firings *f, const char *what);

uint32_t firing_n(const firings *f);
typedef struct firing {
	const rule *rule;	/* NULL: a note */
	const char *note;
	uint32_t edges;		/* of the graph when it fired: it rests on older ones */
	uint32_t npos, nloose, nbuilt, nextra;
	const eg_id *pos;	/* node per position */
	const uint32_t *loose;	/* encoded values of variables without position */
	const eg_id *built;	/* node per call on the right side */
	const uint32_t *extra;	/* nodes of host terms: node, number of arguments, arguments as written */
} firing;
firing firing_at(const firings *f, uint32_t id);

#endif
