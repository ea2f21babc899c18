/* lookup.h - what is looked up in each device's own part at places of the whole, or written into all parts.
 *
 * A gather or dynamic slice of a shard along the dimension that is shared out,
 * whose index does not vary over the devices that share it: the offset of the part
 * was not taken off.  An update that all devices write, each into its own part, where
 * the baseline writes it to one place.
 */
#ifndef DIVERGE_LOOKUP_H
#define DIVERGE_LOOKUP_H

#include "relation/state.h"

bool lookup_of_whole(const states *s, int dist_row);
/* One update that every device writes into its own part of a baseline value; false: the devices write different ones, or it is masked. */
bool lookup_written_alike(const states *s, int dist_row);

#endif
