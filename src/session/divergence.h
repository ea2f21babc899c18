/* divergence.h - the first instruction of DIST whose numbers part from the baseline's while those of its operands do not.
 *
 * A row corresponds to the baseline when it is proved to (without a person's
 * assumptions), has no operands, or is a row of the baseline by its numbers.  From
 * an output that differs one walks back through rows that do not correspond; the
 * first of them in program order has only operands that do.  Rows whose numbers
 * say nothing (one small whole number everywhere), and those that have none, are
 * walked through and never blamed.
 *
 * Over the reals that row is where the programs part.  As declared it is where a
 * rounding differs by more than either program's own rounding explains.
 *
 * A row that computes what the baseline never does may be named though it is
 * right: what is said is that it is no row of the baseline.
 */
#ifndef DIVERGE_DIVERGENCE_H
#define DIVERGE_DIVERGENCE_H

#include "session/values.h"

/* The row, or -1: none can be named; `from` itself: perhaps it corresponds, only not as the plan has it (*corresponds). */
int divergence_reals(struct session *s, const struct values *v, int from, bool *corresponds);
/* The same for two runs on the same inputs, in both readings. */
int divergence_declared(struct session *s, const struct values *reals, const struct values *declared, int from);
/* What two roundings may differ by, relative to the largest value; NAN: not known. */
double divergence_allowed(const struct values *reals, const struct values *declared, int base, int dist);
/* Behind a line that names the row: its source, and lines that say what its operands are, or what itself is. */
void divergence_say(struct session *s, struct page *p, const struct values *v, int row, bool itself);

/* What it means that an unverified row is a row of the baseline by its numbers, while nothing is refuted: ": a rule is missing, not
 * a bug"; "" where it means nothing. */
const char *divergence_meaning(struct session *s, int base, int dist);

#endif
