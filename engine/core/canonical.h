/* canonical.h - how a work becomes a node: its labels, their numbers, and the words that say so.
 *
 * canonical_begin settles the work and collects what stands in it; canonical_best
 * finds the order of its operands and of its labels that writes the least words
 * (DESIGN section 3, "Canonical pairing"), so that equal works make one node.
 * Everything lives in the scratch arena of the algebra.  For work.c, pairing.c,
 * slot.c and canonical.c; everyone else calls work_make.
 */
#ifndef DIVERGE_CANONICAL_H
#define DIVERGE_CANONICAL_H

#include "core/core.h"

#include "core/work.h"

enum { L_FREE, L_BOUND, L_DATA };

struct group {			/* digits that are one label of the node */
	int n;
	uint16_t leaf[16];
	int64_t size;
	int what;
	double slope;		/* of a label that only value tables know: how fast they rise along it */
	double drift;		/* how far the mean place along data labels moves */
	uint64_t sig;
};

struct canonical {
	algebra *a;
	work *w;
	int nl;			/* leaves: free, then bound, then data */
	label **l;
	uint8_t *what;
	int nx;			/* expressions: slots, then data slots */
	ix **x;
	const datum **dslot;	/* data slots */
	int ndslot;
	uint8_t *istab;		/* per expression: read by a constant table */
	int64_t *st;		/* nx by nl strides */
	int ng;
	struct group *grp;
	uint8_t *numbers;	/* nl by nl, or NULL: are these the digits of one number? */
	int64_t walked;		/* places of tables that were looked at for that */
	int64_t unread;		/* product of the sizes of bound labels nobody reads */
};

struct words {
	int64_t *w;
	int n, cap;
	arena *a;
};

struct closed {
	int *order, *seq;
	struct words w;
};

enum { ORDERS = 120 };		/* of tied operands; with more, one of them is taken as it comes */

void canonical_begin(struct canonical *c, algebra *a, work *w, bool merge);
/* The order and numbering with the least words; with ties collected (at most ORDERS): all that share them. */
struct closed canonical_best(struct canonical *c, struct closed *ties, int *nties);
int canonical_leaf(struct canonical *c, const label *l);
int canonical_data_slot(const struct canonical *c, const datum *d);	/* which holds the value, or ndslot */
static inline int64_t canonical_stride(const struct canonical *c, int x, int leaf) { return c->st[x * c->nl + leaf]; }
/* Are two data labels digits of one value?  That their cores are one class is a premise of what is made of it. */
bool datum_same(algebra *a, const datum *x, const datum *y);

/* The words of an order of the operands and labels; tables of values become nodes. */
struct words pairing_write(struct canonical *c, const int *order, const int *seq);
int words_compare(const void *x, const void *y);	/* of struct words: for qsort */

/* Value tables of slots: axis k of t as outer * n * inner. */
void slot_axis(const slot *t, int k, int64_t *outer, int64_t *n, int64_t *inner);
bool slot_has_data(const slot *t);		/* is it read at a place that data choose? */
void slot_expand(scratch *s, slot *t);		/* cut labels become their digits; a label that stands twice is the diagonal */
void slot_tidy(scratch *s, slot *t);

#endif
