/* match.h - finding matches of a rule.
 *
 * A matcher runs the compiled programs of pattern.h on an explicit stack; it
 * allocates nothing while it runs (host calls use its scratch arena, reset by
 * match_at).  A match holds good until the next call on its matcher.
 *
 *   if (match_at(m, rule, node))
 *           do .. while (match_next(m));
 *
 * In a match every variable has a value (roots for classes) and every pattern
 * position has the node that was found there: positions are the table and host
 * atoms in the order of the text (a host atom's node is its witness).  A rule
 * starts at its first table atom, which is position 0 unless a host atom stands
 * before it.
 */
#ifndef DIVERGE_MATCH_H
#define DIVERGE_MATCH_H

#include "rule/rule.h"

typedef struct matcher matcher;

matcher *matcher_new(rules *r);
void matcher_free(matcher *m);

/* Matches whose first table atom is `node` (a live node; others give none). */
bool match_at(matcher *m, const rule *r, eg_id node);
/* All matches; the touched list of the e-graph from `since` on says what is new:
 * with since > 0 only matches with a new node at some position (semi-naive). */
bool match_all(matcher *m, const rule *r, uint32_t since);
bool match_next(matcher *m);

uint32_t match_npos(const matcher *m);
eg_id match_node(const matcher *m, uint32_t pos);	/* NIL where an atom had no witness */
rv match_var(const matcher *m, uint32_t var);
/* Would firing it change anything?  Reads only; a host call among the acts counts as yes. */
bool match_would_change(matcher *m);

/* ---- how far a rule got and why it stopped */
enum miss_why {
	MISS_NONE,		/* it matches, and would change something */
	MISS_OPERATOR,		/* no node of that family in the class */
	MISS_DIFFER,		/* two classes, or two values, that should be one */
	MISS_REFUSED,		/* a host function refused */
	MISS_FACT,		/* no such row */
	MISS_EQUAL,		/* it matches, what it would union is equal already */
	MISS_OFF,		/* switched off */
};
typedef struct miss {
	const rule *rule;
	eg_id node;		/* where it was tried */
	enum miss_why why;
	uint32_t passed, total;	/* steps of the program */
	eg_id class;		/* the class looked into; of MISS_DIFFER one of the two */
	eg_id other;		/* of MISS_DIFFER, when both are classes: the other */
	const char *text;	/* one sentence, in the arena given */
} miss;
/* The furthest any branch of the rule got at the node. */
miss match_trace(matcher *m, const rule *r, eg_id node, arena *a);

#endif
