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
/* A mask that does not leave what it should of what each device finds in its own part; NULL: it is none. */
const char *lookup_mask_fault(const states *s, int dist_row, arena *out);
/* What is fed by index arithmetic of its own, and what is found with it that no mask guards; NULL: it is not fed by such. */
const char *lookup_index_fault(const states *s, int dist_row, arena *out);

#endif
