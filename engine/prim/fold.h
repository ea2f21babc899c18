/* fold.h - operands that are instances of one expression, as what they read and the reduced labels of each: N23, N24. */
#ifndef DIVERGE_FOLD_H
#define DIVERGE_FOLD_H

#include "prim/antiunify.h"

enum { TERM_FACTORS = 16 };

struct fold_term {
	int at;			/* slot of the sum */
	rat c;
	bool table;
	slot tab;		/* values */
	int nf;
	slot f[TERM_FACTORS];
	int nb;
	label *b[TERM_LABELS];
	uint64_t key;
};

struct antiunify *antiunify_of(algebra *a, int n, eg_id node);	/* of n instances, for a rule that fires on the node */
/* Reduced labels that read the first factors at the same stride are the same label. */
void share_labels(algebra *a, const struct fold_term *r0, struct fold_term *r);
int labels_common(int n, const int *nb, label *const *const *b, label **out);	/* labels that every list has */
int labels_now(algebra *a, int n, label **l);	/* as they stand now, in their place; their number */
/* The values of s that instance k takes, as a table over s and other labels: its own table where it takes them, times the ratio,
 * summed over the labels gone; false: these are not all read. */
bool row_matrix(struct antiunify *g, int k, const struct fold_term *r, double ratio, int ngone, label *const *gone, slot *out);
slot *with_one(algebra *a, const work *w, const slot *one, int n, const int *at, int *m);	/* w's operands, one in place of those at at[] */

#endif
