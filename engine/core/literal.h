/* literal.h - the number that a literal of a float type stands for (RULES D1).
 *
 * An f32 or f64 literal is the simplest rational within half a unit in the last
 * place.  Where one f32 literal of the two programs is the rounded inverse of
 * another, as compilers write x / c, both are read as inverses of each other:
 * the simplest rational that rounds to the one, and whose inverse rounds to the
 * other.  So is a literal that is the rounded product of two others, as compilers
 * fold constants, unless a fraction of small numbers rounds to it.  Every reading
 * is an assumption, and is listed.
 */
#ifndef DIVERGE_LITERAL_H
#define DIVERGE_LITERAL_H

#include "core/core.h"

/* Literals that are read otherwise than by themselves; rising, without their signs. */
typedef struct literals {
	int n;
	struct joined_literal { float v; rat r; } *at;
} literals;

/* Of f32 literals, in any order: those that are inverses and products of others.  In the arena; v is sorted. */
literals literals_join(arena *a, int n, float *v);
/* t: NULL, where literals are read by themselves. */
number literal_number(const literals *t, int type, double v);
/* "0.100000001 is read as 1/10", NULL where a literal is read as the value it has. */
const char *literal_reading(const literals *t, arena *out, int type, double v);
/* The literals of a table that are all read as 1/whole, one of them rounded: else it is what it is.  `whole` may be `v`. */
bool literal_reciprocals(int type, int64_t n, const double *v, double *whole);

#endif
