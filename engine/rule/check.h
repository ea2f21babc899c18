/* check.h - a separate small proof checker.
 *
 * It believes nothing of an explanation: a plain union-find is fed with its
 * items in their order.  A rule's edge must be an instance of the rule as it
 * was typed (atoms and acts, not the compiled programs): every node of the
 * match has the operator and the arguments the pattern says, by what was shown
 * before; the nodes built are instances of the right side; the edge is one of
 * the rule's unions.  Congruent nodes must have one operator and equal arguments.
 * Facts must have been made by an item before.  Built-in functions, and host
 * functions from values to values, are called again; other host calls are
 * counted as trusted.  No code of matcher, scheduler or explain is used.
 */
#ifndef DIVERGE_CHECK_H
#define DIVERGE_CHECK_H

#include "egraph/explain.h"
#include "rule/firing.h"

typedef struct check_result {
	const char *why;	/* NULL: the explanation holds; else what does not */
	uint32_t item;		/* where */
	uint32_t rules, congruences, given, assumed;
	uint32_t trusted;	/* host calls that were not repeated */
} check_result;

check_result check_explanation(firings *f, const explanation *e, arena *a);

#endif
