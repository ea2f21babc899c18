/* factors.h - the factors of a product while they are put together: powers of
 * cores, constant tables, one number.
 *
 * Of scratch memory; `hit` says that two met, so that there is something new.
 */
#ifndef DIVERGE_FACTORS_H
#define DIVERGE_FACTORS_H

#include "prim/prim.h"

#define FACTORS_MAX 256

struct factors {
	slot t[FACTORS_MAX];
	int n;
	rat coef;
	bool hit;
};

struct factors *factors_new(algebra *a);
struct factors *factors_collect(algebra *a, work *w, eg_id n);
/* Collects a power; exponents of one sign add, opposite signs stay apart (x/x is not 1). */
void factors_put(algebra *a, struct factors *f, slot t);
/* What an inner product gives: its own powers, each to the power it stands with. */
bool factors_take(algebra *a, struct factors *f, work *w, const slot *t, eg_id n, enum core_kind kind);
/* N16: exact constant tables are one; where that is too large, those that have a label in common. */
void factors_join_tables(algebra *a, struct factors *f);
eg_id factors_finish(algebra *a, work *w, struct factors *f);
/* Nothing `factors_collect` or `factors_join_tables` would look into: no constant, product or scaled operand, none twice. */
bool product_is_plain(algebra *a, eg_id n);

#endif
