/* plan_write.h - the relations of a problem as a plan that says them all.
 *
 * The lines of the plan there is, in their order, without comments; then what
 * was inferred, each with a comment that says so; where alternatives
 * (alternatives.h) are offered, those instead.  What is written can be read as a
 * plan again, and then nothing is inferred.
 */
#ifndef DIVERGE_PLAN_WRITE_H
#define DIVERGE_PLAN_WRITE_H

#include <stdio.h>
#include "problem/alternatives.h"

void plan_write(const struct problem *p, FILE *to);

#endif
