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
/* Reduced labels that read the first factors at the same stride are the same label; the labels that all terms reduce, and their number. */
int terms_share(algebra *a, int n, struct fold_term *r, label **common);
/* Once the terms are known to be instances, whose indices may have cut labels: labels as they stand now, the number of `common`
 * ones; one and the same expression has an s of one value. */
int terms_settle(struct antiunify *g, struct fold_term *r, int ncommon, label **common);
/* The values of s that instance k takes, as a table over s and other labels: its own table where it takes them, times the ratio,
 * summed over the labels gone; false: these are not all read. */
bool row_matrix(struct antiunify *g, int k, const struct fold_term *r, double ratio, int ngone, label *const *gone, slot *out);
slot *with_one(algebra *a, const work *w, const slot *one, int n, const int *at, int *m);	/* w's operands, one in place of those at at[] */

#endif
