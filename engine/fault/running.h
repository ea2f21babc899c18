/* running.h - running sums of each device's own part, to which what the others have is to be added. */
#ifndef DIVERGE_RUNNING_H
#define DIVERGE_RUNNING_H

#include "relation/state.h"

/* The row that runs over a device's own part where the baseline runs over all of it, and that this row holds, moved; -1. */
int running_part(const states *s, int dist_row);
/* The row that adds something to such a one; -1: none does. */
int running_added(const states *s, int dist_row);
/* What is wrong where a row adds something to one, or is one that nothing is added to; NULL: it is neither. */
const char *running_fault(const states *s, int dist_row, arena *out);

#endif
