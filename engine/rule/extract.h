/* extract.h - the cheapest term of a class.
 *
 * Costs spread from the leaves: a node is priced once all its arguments are,
 * a class by its cheapest node, and a class that got cheaper prices its users
 * again.  A primitive value costs 1.
 */
#ifndef DIVERGE_EXTRACT_H
#define DIVERGE_EXTRACT_H

#include "rule/rule.h"

/* The term as text: sums of the constructors' costs, as trees;
 * ties by declaration, then age.  NULL when there is none. */
const char *extract_term(rules *r, arena *a, eg_id class, uint64_t *cost);

#endif
