/* lower.h - from a module to a program of rows (engine/pair/program.h).
 *
 * `ndev` is how many devices run it (1 for a baseline).  Device groups become
 * lists of device ids in member order, by the mode of the instruction
 * (RULES 1.5, HLO notes 4.1).  What is taken for granted about the file is
 * noted as a sentence in the program.
 */
#ifndef DIVERGE_LOWER_H
#define DIVERGE_LOWER_H

#include "pair/program.h"
#include "text/diag.h"

enum { LOOP_UNROLL = 32 };	/* a loop of at most so many trips is unrolled, unless it is kept */
typedef struct kept_loop {
	const inst *inst;
	int at_once;		/* so many trips are one, if that divides their number */
} kept_loop;

/* `other`: the program it will be compared with, or NULL.  A custom call that has a definition and is not called by the other is
 * read as its definition.  keep: while instructions that stay one body (program.h, struct loop).  NULL and a diag. */
program *lower_module(const module *m, const module *other, enum program_side side, int64_t ndev, int nkeep, const kept_loop *keep,
		      struct diag *err);
void program_free(program *p);

/* The number of devices the files speak of: header counts, else groups; 1 if nothing says. */
int64_t lower_devices(const module *m);
/* Does the header say so many, or nothing, or is the program for one device until it is partitioned? */
bool lower_runs_on(const module *m, int64_t ndev);
/* May the result on a device depend on more than its own operands, at any depth? */
bool lower_crosses(const inst *i);

#endif
