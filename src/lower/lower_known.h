/* lower_known.h - which integers and truth values are constants before anything runs.
 *
 * Scalars are followed through a computation; whatever is no scalar of these
 * types is not known.  Everything lives in the arena given.
 */
#ifndef DIVERGE_LOWER_KNOWN_H
#define DIVERGE_LOWER_KNOWN_H

#include "lower/lower_in.h"

typedef struct known known;
struct known {			/* a scalar, or a tuple of them */
	bool is;
	int64_t v;
	int n;
	known *elem;
};

bool known_scalar(const shape *s);	/* an integer or truth value alone */
/* The result of a computation; instructions that are not wanted count as unknown (NULL: all are wanted). */
known known_run(arena *a, const comp *c, const known *arg, const bool *wanted);
/* What is known of a lowered value: scalar constants, also through copies and conversions. */
known known_of(arena *a, const program *p, const val *v);

#endif
