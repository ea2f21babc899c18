/* padded.h - is a distributed row a baseline row at the places the baseline has?
 *
 * Where a plan pads a dimension, or ignores places, what follows holds arbitrary
 * values there, or what comes of zeros.  The chain of such an operand is carried to the result; both
 * rows, read at the baseline's places, must be one: asked by a probe.
 */
#ifndef DIVERGE_PADDED_H
#define DIVERGE_PADDED_H

#include "relation/state_in.h"

const chain *padded_by(const states *s, int row);	/* the chain by which a row is padded, or NULL */
/* That a row takes in padding, in a sentence; NULL: it does not, or keeps what are zeros in their places. */
const char *padding_taken(const states *s, int row, arena *out);
/* Fills w and is true when it is one. */
bool padded_ask(states *s, int row, const layout *l, eg_id core, struct answer *w);

#endif
