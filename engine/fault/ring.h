/* ring.h - parts of a sum that are sliced, handed from device to device, and added on the way.
 *
 * Each device takes other places of its own part, adds what another device has
 * sent, and sends on: what comes together on a device at last should be the same
 * places of all parts, once each.
 */
#ifndef DIVERGE_RING_H
#define DIVERGE_RING_H

#include "relation/state.h"

/* The row that slices of parts come together in, when they are handed on on the way; -1. */
int ring_end(const states *s, int dist_row);
/* What is wrong with what comes together there: a part that is lacking, or added again, or of other places; NULL: nothing, or it is
 * not known. */
const char *ring_fault(const states *s, int dist_row, arena *out);

#endif
