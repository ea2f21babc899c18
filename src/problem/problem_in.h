/* problem_in.h - what the files of the problem share. */
#ifndef DIVERGE_PROBLEM_IN_H
#define DIVERGE_PROBLEM_IN_H

#include "problem/problem.h"

/* A new prover and pair over the programs as they are lowered, everything related; what was there before is not freed. */
bool problem_build(struct problem *p, struct diag *err);
/* Lowers both programs: with loops that run in step as one body, and any other unrolled (problem_loop.c).  The pair may
 * be there then, and in a run without a trail on its way. */
bool problem_lower(struct problem *p, struct diag *err);

#endif
