/* reading.h - constants read as others: D11 of RULES section 4, and S4; tokens (token.h) read as 0; the
 * bounds of a float type read as infinities.
 *
 * An f32 literal stands for every real within half a unit in its last place; so
 * a computed coefficient is read as one met before when they differ by no more
 * than a few roundings.  Never two integers, and never two constants that differ
 * as two literals of the graphs do: these are two numbers (X56).  Only what
 * multiplies is read, and nothing where coefficients nearly cancel: what is left
 * of them would be made of the difference.  What was met and when is on the trail.
 *
 * Every reading is an assumption and is listed with the verdict: `reading_of`
 * makes the sentence from the history.
 */
#ifndef DIVERGE_READING_H
#define DIVERGE_READING_H

#include "prover/prover.h"

/* How far apart the sides of a step may be that reads a constant as another: sixteen times what a reading may move it (2^-22). */
#define READING_ROUNDING 0x1p-18

/* "0.213200718 is read as 1/4.69041586", or NULL when the firing assumes nothing; in the arena given. */
const char *reading_of(const prover *p, uint32_t firing, arena *out);

#endif
