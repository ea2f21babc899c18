/* rule_cores.h - random small cores on which rules are tried (rule_check.h).
 *
 * Any kind of node over parameters (some of them positive, integers in ranges),
 * numbers, tables, index expressions, bound labels and labels that stand for
 * data; and the idioms (idiom.h) that rules with many conditions are about.
 */
#ifndef DIVERGE_RULE_CORES_H
#define DIVERGE_RULE_CORES_H

#include "certify/dice.h"

/* A node of a kind, C_COUNT: of any; first an idiom of kind `idiom`, where there is one (then it is that).  NIL where
 * the algebra refuses. */
eg_id rule_core(struct dice *d, enum core_kind kind, enum core_kind idiom);

#endif
