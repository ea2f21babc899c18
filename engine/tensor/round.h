/* round.h - numbers as an element type can hold them.
 *
 * Rounds to nearest, ties to even; overflow gives infinity, or NaN in types
 * that have no infinity, or the largest number in those that have neither.
 * Formats as in ml_dtypes / OCP MX.  Integer types and pred are not touched.
 */
#ifndef DIVERGE_ROUND_H
#define DIVERGE_ROUND_H

#include "tensor/shape.h"

double etype_round(enum etype t, double x);
/* The number that `bits` (of etype_bits(t)) stand for; t is a float type of at
 * most 16 bits. */
double etype_decode(enum etype t, unsigned bits);
/* Whether the two's complement or unsigned value v is one of integer type t
 * (or pred); negative: it was written with a minus, else v is unsigned. */
bool etype_holds(enum etype t, int64_t v, bool negative);
/* Whether t holds all of 0 .. n - 1: others begin anew, or have two that are rounded to one. */
bool etype_counts(enum etype t, int64_t n);

#endif
