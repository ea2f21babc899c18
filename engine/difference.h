/* difference.h - the first difference of two normal terms.
 *
 * Both terms are walked together, outermost first: operation, element type,
 * number of operands, then the operands in order (same class and place: on;
 * same class, other place: that is the difference), then summed labels.
 */
#ifndef DIVERGE_DIFFERENCE_H
#define DIVERGE_DIFFERENCE_H

#include "state.h"

typedef struct difference {
	bool any;
	const char *kind;	/* "columns read", "operation", "element type", "operands", "summed", "scale" */
	const char *text;	/* one sentence */
} difference;

/* Of two cores (base_row: what the baseline's is called, or -1; the other is told as if it were divided by `times`, where it is a
 * sum), of two rows.  Texts in the arena given. */
difference difference_cores(const states *s, eg_id base, eg_id dist, int base_row, rat times, arena *out);
difference difference_rows(const states *s, int base_row, int dist_row, arena *out);

#endif
