/* lower_loop.h - what the ways to lower a loop share: as one body, in closed form, written out.
 *
 * A course is how a loop goes: how often, and which integers it carries are
 * known at every trip.  Arrays in it have an entry per element of the state.
 */
#ifndef DIVERGE_LOWER_LOOP_H
#define DIVERGE_LOWER_LOOP_H

#include "lower/lower_known.h"

typedef struct course {
	int64_t trips;		/* -1: the condition is no constant, or there are too many */
	int64_t *lo, *hi;	/* its least and largest value at the beginning of a trip */
	bool *known;		/* .. and whether it was always known */
	int64_t *first, *step;	/* where it is `even`, it is first + step * trip at the beginning of a trip, and after the last */
	bool *even;
} course;

/* Does the body give element k back as it came? */
bool course_handed(const comp *body, int k);
int course_leaves(const val *state);	/* arrays in it */
/* The rows of v where `like` has rows, in order; -1 where v has none. */
void course_gather(const val *like, const val *v, int *out, int *n);
val *course_with_rows(lowering *w, const val *like, const int *row, int *n);	/* `like` with those rows */
/* Rows that are named as `like`'s: a number; first + step * trip, where the row `trip` is of the type and has, where that is all, the
 * name of the element already.  What has no element of the loop to be named by is named by *next, which counts on. */
int course_integer(lowering *w, const struct emit *like, int element, int type, int64_t v);
int course_counter(lowering *w, const struct emit *like, int element, int *next, int type, int trip, int64_t first, int64_t step);

/* A loop whose trips know nothing of each other, lowered once; NULL: it is none, or has too many trips, and *why may say more. */
val *lower_closed(lowering *w, const inst *i, const val *state, const char *prefix, const comp *body, const course *c, const char **why);

#endif
