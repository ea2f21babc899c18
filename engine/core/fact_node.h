/* fact_node.h - what one node of a core shows of its values (facts.h), given what is known of its operands.
 *
 * By RULES section 0: finite, below, sign, nowhere 0.  Nothing is learned here: the answer is of this node, not of its class.
 */
#ifndef DIVERGE_FACT_NODE_H
#define DIVERGE_FACT_NODE_H

#include "core/facts.h"

/* `open`: nodes may be opened to decide it, and are then among a->looked; else by the operands' facts alone. */
uint32_t node_facts(const algebra *a, eg_id n, bool open);
/* May n, which shows f, show more when a node two steps below has learned something? */
bool node_may_learn(const algebra *a, eg_id n, uint32_t f);

#endif
