/* facts.h - what is certain about the values of a core class.
 *
 * RULES section 0: *finite* (no infinity, no NaN, no pole), *below* (nowhere
 * +inf or NaN; -inf may occur), sign, nowhere 0.  A class knows what any of its members
 * shows; facts only grow, and are on the trail.  When a class learns something
 * the nodes that use it are looked at again, and asked again by the rules.
 */
#ifndef DIVERGE_FACTS_H
#define DIVERGE_FACTS_H

#include "core/history.h"

enum { FACT_FINITE = 1, FACT_BELOW = 2, FACT_NONNEG = 4, FACT_POSITIVE = 8, FACT_NONZERO = 16 };	/* POSITIVE implies NONNEG */

uint32_t facts_of(const algebra *a, eg_id x);
bool fact_finite(const algebra *a, eg_id x);
bool fact_below(const algebra *a, eg_id x);
bool fact_positive(const algebra *a, eg_id x);	/* positive for certain: sign and finite */
bool fact_finite_power(const algebra *a, eg_id x, int64_t e);
uint32_t facts_shown(const algebra *a, eg_id n);	/* by this node alone and what is known of its operands, opening none */
void facts_added(algebra *a, eg_id n);
void facts_merged(algebra *a, eg_id winner, eg_id loser);
void facts_learn(algebra *a, eg_id x, uint32_t bits);	/* from a plan, or an assumption: this parameter is positive, or not 0 */

/* What a class knows because nodes were opened (certain.h): which node shows it, and the premises, pairs of equal nodes. */
typedef struct fact_ground {
	eg_id node;
	uint32_t bits, prem, nprem;
} fact_ground;
/* As facts_learn: n shows it when these are opened. */
void facts_learn_opened(algebra *a, eg_id n, uint32_t bits, uint32_t nprem, const premise *p);
uint32_t facts_grounds(const algebra *a);		/* how many there are */
const fact_ground *facts_ground(const algebra *a, uint32_t i);
const premise *facts_ground_premises(const algebra *a, const fact_ground *g);
/* What classes know by these nodes and grounds (each by its number not 0), and what is said of parameters: per root, in
 * `known`.  It is what a reader of no more than them learns, given time. */
void facts_follow(algebra *a, const uint32_t *node, const uint8_t *ground, uint32_t *known);
/* What n shows when each x is opened as its y, which is of its class, is learned: has its class learned anything? */
bool facts_show_again(algebra *a, eg_id n, uint32_t nprem, const premise *p);

#endif
