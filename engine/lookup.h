/* lookup.h - what is looked up in each device's own part at places of the whole, or written into all parts.
 *
 * A gather or dynamic slice of a shard along the dimension that is shared out,
 * whose index does not vary over the devices that share it: the offset of the part
 * was not taken off.  An update that all devices write, each into its own part, where
 * the baseline writes it to one place.
 */
#ifndef DIVERGE_LOOKUP_H
#define DIVERGE_LOOKUP_H

#include "state.h"

bool lookup_of_whole(const states *s, int dist_row);
const char *lookup_fault(const states *s, int dist_row, arena *out);	/* NULL: it is none */

#endif
