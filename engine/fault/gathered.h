/* gathered.h - parts of one sum that are gathered side by side, and of which each device adds those it needs.
 *
 * A device that has its own terms for itself - the state of linear attention, say -
 * adds the parts of the devices before it, so a gather of parts is right as such.
 * Which parts each device takes is followed through slices, choices and masks
 * that are known in numbers; what is in no order with the devices is told.
 */
#ifndef DIVERGE_GATHERED_H
#define DIVERGE_GATHERED_H

#include "relation/state.h"

/* Does a row gather parts of a sum side by side, which are not added up there? */
bool gathered_parts(const states *s, int dist_row);
/* The row behind such a gather that holds what each device takes of the parts, when they are neither those before nor those behind
 * its own, nor all; -1. */
int gathered_amiss(const states *s, int gather, arena *tmp);
const char *gathered_fault(const states *s, int dist_row, arena *out);	/* .. in a sentence; NULL: it is no such row */

#endif
