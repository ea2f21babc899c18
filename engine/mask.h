/* mask.h - a product or contraction with at most one constant table, taken apart; for prim_mask.c, prim_fold.c;
 * and what the files on labels share: prim_window.c, prim_cut.c, prim_unroll.c. */
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
bool index_bends(const algebra *a, eg_id n);	/* does an operand's index hold a table? */
bool reads_label(algebra *a, const slot *t, const label *l);
double mask_times(double x, double y);
/* A run of labels as one number that is at[i] at place i of the labels `rest`: the expression of each. */
ix **run_digits(algebra *a, int nrest, label **rest, int64_t rows, const int64_t *at, int nrun, label *const *run);

/* Index tables that are linear under the mask and leave the range elsewhere: places for N8. */
typedef struct shifts {
	int n, nq[8];
	label *q[8][8];
	int64_t co[8][8];
} shifts;

#endif
