/* facts.h - what is certain about the values of a core class.
 *
 * RULES section 0: *finite* (no infinity, no NaN, no pole), *below* (nowhere
 * +inf or NaN; -inf may occur), sign.  A class knows what any of its members
 * shows; facts only grow, and are on the trail.  When a class learns something
 * the nodes that use it are looked at again, and asked again by the rules.
 */
#ifndef DIVERGE_FACTS_H
#define DIVERGE_FACTS_H

#include "core.h"

enum { FACT_FINITE = 1, FACT_BELOW = 2, FACT_NONNEG = 4, FACT_POSITIVE = 8 };	/* POSITIVE implies NONNEG */

uint32_t facts_of(const algebra *a, eg_id x);
bool fact_finite(const algebra *a, eg_id x);
bool fact_below(const algebra *a, eg_id x);
bool fact_positive(const algebra *a, eg_id x);	/* positive for certain: sign and finite */
bool fact_finite_power(const algebra *a, eg_id x, int64_t e);
void facts_added(algebra *a, eg_id n);
void facts_merged(algebra *a, eg_id winner, eg_id loser);
void facts_learn(algebra *a, eg_id x, uint32_t bits);	/* from a plan: this parameter is positive */
bool type_is_int(int type);
bool type_is_float(int type);	/* TYPE_REAL too */

#endif
