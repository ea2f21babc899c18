/* trips.h - which places the trips of a loop in closed form read, and in which order they write.
 *
 * What such a loop gives and the baseline does not have is told by that: places
 * that no trip reads, that several read, that are read or written from the last
 * to the first.  Only slices along one dimension at starts known in numbers, the
 * same on every device, are looked at.
 */
#ifndef DIVERGE_TRIPS_H
#define DIVERGE_TRIPS_H

#include "relation/state.h"

/* One sentence about what a row is made of; NULL: it is no such loop's, or its trips read and write all there is in order. */
const char *trips_fault(const states *s, int dist_row, arena *out);

#endif
