/* rule_cores.h - random small cores on which rules are tried (rule_check.h).
 *
 * Any kind of node over parameters (some of them positive, integers in ranges),
 * numbers, tables, index expressions, bound labels and labels that stand for
 * data; and *idioms*: what rules with many conditions are about, written with
 * random sizes, tables and constants - a mask over a shifted reading, a pick of
 * picks, a symmetric sum that is read the other way round, a sum spelled twice.
 */
#ifndef DIVERGE_RULE_CORES_H
#define DIVERGE_RULE_CORES_H

#include "core/core.h"

struct dice {
	algebra *a;
	uint64_t s;		/* the seed, then the state */
};

int dice_below(struct dice *d, int64_t n);	/* 0..n-1 */

/* A node of a kind, C_COUNT: of any; first an idiom of kind `idiom`, where there is one (then it is that).  NIL where
 * the algebra refuses. */
eg_id rule_core(struct dice *d, enum core_kind kind, enum core_kind idiom);

#endif
