/* difference.h - the first difference of two normal terms.
 *
 * Both terms are walked together, outermost first: operation, element type,
 * number of operands, then the operands in order (same class and place: on;
 * same class, other place: that is the difference), then summed labels.
 */
#ifndef DIVERGE_DIFFERENCE_H
#define DIVERGE_DIFFERENCE_H

#include "relation/state.h"

enum difference_kind {
	DIFFERENCE_NONE,
	DIFFERENCE_OPERATION,
	DIFFERENCE_UNLIKE,	/* .. and the baseline does none like it on what the row takes */
	DIFFERENCE_ATTRIBUTES, DIFFERENCE_TYPE,
	DIFFERENCE_OPERANDS,	/* other ones, or another number of them */
	DIFFERENCE_PLACES,	/* of one operand are read */
	DIFFERENCE_PAIRING,	/* the same places, put together otherwise */
	DIFFERENCE_RESULT,	/* .. and more or fewer of them over all devices */
	DIFFERENCE_SUMMED,	/* labels */
	DIFFERENCE_SCALE, DIFFERENCE_POWER,
	DIFFERENCE_INDEX,	/* what is counted, or read at data */
	DIFFERENCE_CONSTANT,
	DIFFERENCE_CONSTANT_ORDER,	/* the same numbers at other places */
	DIFFERENCE_CONSTANT_PART	/* every device takes the same part of the baseline's */
};

#define DIFFERENCE_LOCAL ": a local index stands for a global one"

typedef struct difference {
	enum difference_kind kind;
	const char *text;	/* one sentence without its subject, NULL: there is none */
} difference;

static inline bool difference_of_order(enum difference_kind k)
{
	return k == DIFFERENCE_PAIRING || k == DIFFERENCE_RESULT;
}

static inline bool difference_of_constant(enum difference_kind k)
{
	return k == DIFFERENCE_INDEX || k == DIFFERENCE_CONSTANT || k == DIFFERENCE_CONSTANT_ORDER || k == DIFFERENCE_CONSTANT_PART;
}

static inline bool difference_of_operation(enum difference_kind k)
{
	return k == DIFFERENCE_OPERATION || k == DIFFERENCE_UNLIKE;
}

/* Of two cores (base_row: what the baseline's is called, or -1; the other is told as if it were divided by `times`, where it is a
 * sum), of two rows.  Texts in the arena given. */
difference difference_cores(const states *s, eg_id base, eg_id dist, int base_row, rat times, arena *out);
difference difference_rows(const states *s, int base_row, int dist_row, arena *out);

#endif
