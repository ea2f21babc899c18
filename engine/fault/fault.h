/* fault.h - what is wrong with a frontier row: one sentence in words a user understands.
 *
 * Named are: a collective that is missing, too many, or over other devices than
 * the parts lie on; a value that every device of an axis adds; a factor that is
 * not made up for; blocks put in another order; padding taken in; a local index
 * used for a global one; operands that lie differently; else the first difference
 * from the nearest baseline row.
 */
#ifndef DIVERGE_FAULT_H
#define DIVERGE_FAULT_H

#include "fault/frontier.h"
#include "relation/state_in.h"

/* first: the nearest candidate and how it differs, or NULL. */
const char *fault_sentence(const states *s, const frontier_entry *e, const frontier_candidate *first, arena *out);
/* "S(0) over dp of %x", as an operand is listed. */
const char *fault_operand(const states *s, int dist_row, arena *out);
/* Does a row write a part of a baseline value to its place in it?  False: it does not, or it is not known. */
bool fault_written_rightly(const states *s, int dist_row, arena *out);
/* Does it do to a block, with a constant, what the baseline does with that there?  False: it does not, or it is not known. */
bool fault_fits_block(const states *s, const frontier_entry *e, arena *out);

#endif
