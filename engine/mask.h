/* mask.h - a product or contraction with at most one constant table, taken apart; for prim_mask.c and prim_fold.c. */
#ifndef DIVERGE_MASK_H
#define DIVERGE_MASK_H

#include "prim.h"

typedef struct masked {
	work *w;
	int tab;		/* the slot that is the table, values over leaf labels; -1: none */
} masked;

/* False when the node holds no table, or several (they are joined first). */
bool masked_open(algebra *a, eg_id n, masked *m);
int bound_leaves(const work *w, label **out, int max);
int slot_bent(algebra *a, const slot *t, label **out, int max);	/* labels it uses other than linearly */
bool reads_label(algebra *a, const slot *t, const label *l);
double mask_times(double x, double y);

/* Index tables that are linear under the mask and leave the range elsewhere: places for N8. */
typedef struct shifts {
	int n, nq[8];
	label *q[8][8];
	int64_t co[8][8];
} shifts;

#endif
