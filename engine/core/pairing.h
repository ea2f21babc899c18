/* pairing.h - the words of a pairing, as they stand in a node's attribute: for display and the checker. */
#ifndef DIVERGE_PAIRING_H
#define DIVERGE_PAIRING_H

#include "core/core.h"

typedef struct pairing {
	int nfree, nbound, ndata, nslot, ndslot;
	int64_t tail;
	const int64_t *size;	/* nfree + nbound + ndata */
	const int64_t *data;	/* ndata times (data slot, div, full) */
	const int64_t *word;	/* the expressions, one after another */
} pairing;
typedef struct pair_expr {
	int64_t base;
	const int64_t *stride;	/* one per label */
	int ntab;
	const int64_t *tab;	/* each: nl, labels.., id of the value list */
} pair_expr;
pairing pairing_read(const algebra *a, eg_id n);
const int64_t *pairing_expr(const pairing *p, const int64_t *at, pair_expr *out);	/* returns the next */

#endif
