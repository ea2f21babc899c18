/* seam.h - pieces put together that do not fit: a halo from the wrong side, or of the wrong rows.
 *
 * Where pieces of one array are put together to be worked on as if they were
 * neighbours, the last place of each should come before the first of the next.
 * Where on some device it does not, that is told.  It is looked at only where
 * something is to be blamed: pieces may be put together otherwise and be right.
 */
#ifndef DIVERGE_SEAM_H
#define DIVERGE_SEAM_H

#include "relation/state.h"

/* The row that puts a row, moved by itself, together with others; -1. */
int seam_behind(const states *s, int dist_row);
/* What does not fit where a row puts pieces together, in a sentence; NULL: all fits, or it is not known. */
const char *seam_fault(const states *s, int dist_row, arena *out);

#endif
