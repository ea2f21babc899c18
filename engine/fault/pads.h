/* pads.h - what the program itself pads where the baseline does not: a vocabulary to a multiple of the devices, say.
 *
 * Places put behind a dimension that every device has whole are right as such,
 * and so is what is made of them place by place, until the dimension is summed
 * or reduced: zeros add nothing to a sum, and do to everything else.  Each
 * device's own part may not be padded where the parts are put together again:
 * the padding would lie between them.
 */
#ifndef DIVERGE_PADS_H
#define DIVERGE_PADS_H

#include "relation/state.h"

/* Does a row that is not verified hold such padding, rightly so far? */
bool pads_carried(const states *s, int dist_row);
/* That it takes in padding, or pads a device's own part; NULL: it does not. */
const char *pads_fault(const states *s, int dist_row, arena *out);

#endif
