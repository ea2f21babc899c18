/* meet.h - which places of one operand a node takes together with which of another.
 *
 * Two nodes of one operation over the same operands may pair their places
 * otherwise; here is found, by listing them, the first pair that one takes and
 * the other does not.  Nodes with too many pairs are not listed.
 */
#ifndef DIVERGE_MEET_H
#define DIVERGE_MEET_H

#include "relation/state.h"

typedef struct meeting {
	int slot[2];		/* of two operands */
	int64_t at[2];		/* places of them, flat in the rows that name them */
	int64_t due;		/* the place of the second that the other node takes the first's with, the next one there is; -1: none */
	bool wanting;		/* a pair of the other node, that the first does not take */
	int rank[2];		/* the shapes they are counted in */
	const int64_t *dim[2];
} meeting;

/* A pair that node n takes and `other` does not, else one that only `other` takes.  False: there is none, or it is not known. */
bool meet_first(const states *s, eg_id n, eg_id other, meeting *out, arena *a);
/* Per place of node n the place it reads of operand k, flat in the row that names it, the summed labels at 0; NULL: not known. */
const int64_t *meet_places(const states *s, eg_id n, int k, arena *out);

#endif
