/* bucket.h - values put side by side in one array, and cut out of it again.
 *
 * Gradients and weights travel in buckets: flattened, concatenated, reduced or
 * gathered together, and taken apart by slices.  A slice that does not cut where
 * one was put is told by what lies at its places.
 */
#ifndef DIVERGE_BUCKET_H
#define DIVERGE_BUCKET_H

#include "relation/state.h"

/* The row is a slice of such an array, of another range than any part of it: what it cuts, as a sentence.  Else NULL. */
const char *bucket_fault(const states *s, int dist_row, arena *out);

#endif
