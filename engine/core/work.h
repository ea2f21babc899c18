/* work.h - nodes taken apart, to compute with them.
 *
 * To compute with a node, `work_open` takes it apart into fresh labels and
 * slots; a primitive changes the work; `work_make` closes it again: operands in
 * canonical order, labels numbered by first use (DESIGN section 3, "Canonical
 * pairing").  The result does not depend on the order in which the work was
 * built.  Where the output index moved, `work_result` answers with a `view`.
 */
#ifndef DIVERGE_WORK_H
#define DIVERGE_WORK_H

#include "core/core.h"

typedef struct slot {
	eg_id x;		/* the operand, NIL for a constant table given by labels */
	ix *e;			/* where it is read */
	rat c;			/* coefficient (sum) or exponent (mul, ein: num) */
	int nl;			/* x == NIL: values over these labels, row-major */
	label **l;
	double *v;
	int vtype;		/* their type: TYPE_REAL or T_PRED */
} slot;

typedef struct work {
	enum core_kind kind;
	int type;
	eg_val fn;		/* map, red, lat, pick, opaque, loop: a name; else NIL */
	int64_t tail;		/* opaque: own places of the result, 1 otherwise */
	int nfree, nbound, nslot;
	label **free, **bound;	/* opaque and pick: the order of bound labels counts */
	slot *slot;
} work;

work *work_new(algebra *a, enum core_kind kind, int type, int maxslot);
work *work_open(algebra *a, eg_id n);
work *work_like(algebra *a, const work *w, enum core_kind kind, int nslot, const slot *sl);
void work_set_free(algebra *a, work *w, int n, label **l);
void work_set_bound(algebra *a, work *w, int n, label **l);
slot slot_read(eg_id x, ix *e, rat c);
slot slot_table(int vtype, int nl, label **l, double *v, rat c);
/* The truth table of lo <= e < hi, of all tests at once. */
typedef struct test { ix *e; int64_t lo, hi; } test;
int test_labels(scratch *s, int n, const test *t, label ***out);	/* the labels that tests read: how many */
slot slot_tests(scratch *s, int n, const test *t);

/* where[i]: stride, in the new node's index, of leaf[i] (a digit of a free label) */
typedef struct placed {
	eg_id n;
	int nleaf;
	label **leaf;
	int64_t *stride;
} placed;
int64_t placed_stride(const placed *p, const label *leaf);		/* 0: it is not read */
/* The leaves of n labels as digits of the node; returns their number. */
int placed_digits(const placed *p, int n, label *const *l, digit *out);

/* Normalises every slot until no label is cut any more: leaves of labels are then stable. */
void work_settle(algebra *a, work *w);
/* Closes: the node equal to w, its own index order; neighbouring labels become one (N2). */
placed work_make(algebra *a, work *w);
/* The node equal to w in the index order of w->free: a view where the order moved. */
eg_id work_result(algebra *a, work *w);
/* Would closing w give another node than n?  work_renewed: that node as work_result gives it, else NIL. */
bool work_moves(algebra *a, work *w, eg_id n);
eg_id work_renewed(algebra *a, work *w, eg_id n);
eg_id work_turned(algebra *a, work *w, const label *x, const label *y);	/* .. when it puts the free leaf y before x, else NIL */
/* Orders two works of one kind by what closing them would write: a total order, the same in every run. */
int work_compare(algebra *a, work *x, work *y);
/* All orders of tied equal operands that give the same node: callback with the free leaves in number order. */
typedef struct tie { int nleaf; label **leaf; } tie;
int work_ties(algebra *a, work *w, tie **out);
ix *placed_ix(algebra *a, const placed *p);	/* the index of p->n over w's free leaves */

/* labels that stand for data, with those in their own arguments; each once */
int work_data(algebra *a, const work *w, label ***out);
/* the slots of node o, its free labels at the digits of e; bound labels are added to w (bound, fresh) */
slot *work_inline(algebra *a, eg_id o, const ix *e, work *w, int *nslot);

#endif
