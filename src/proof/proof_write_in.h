/* proof_write_in.h - what the files of a proof's writer share: the file as it is made.
 *
 * First what it takes is found, then written, so that a node's number is known before it is used.  `why`, once set, is the
 * reason why there is no such file; what is done from then on is thrown away.
 */
#ifndef DIVERGE_PROOF_WRITE_IN_H
#define DIVERGE_PROOF_WRITE_IN_H

#include "proof/proof_file.h"
#include "prover/proof.h"

/* A row whose instruction equals an older one's: one node in the graph of the run, but two in that of the check, where
 * operands are not equal yet.  A congruence says so before it is needed. */
struct proof_alias { uint32_t number; bool told; };	/* number + 1; 0: not in the file */

struct proof_writer {
	FILE *f;
	struct problem *p;
	const algebra *a;
	const egraph *g;
	arena tmp;
	uint32_t nnode;
	uint32_t *number;		/* per node: its number in the file + 1; 0: it is not in it */
	uint32_t *source;		/* per node: of a fallback, the instruction + 1 */
	struct proof_alias *alias[2];		/* by side and row */
	vec table;			/* eg_val */
	vec claim;			/* eg_id[2]: what has to be shown */
	vec open;			/* eg_id: nodes to be looked at */
	uint8_t *ground;		/* per ground of a fact: is it in the file */
	bool *loop;			/* per loop of the baseline: is it shown what it carries that is finite */
	explanation e;
	proof_act_chain *chain;
	void *ctx;
	const char *why;
};

const program *proof_program(const struct proof_writer *w, enum program_side side);
bool proof_shows(const struct proof_writer *w, const goal *g);
/* An instruction of a program that a pattern found: what it reads is part of the step. */
bool proof_opens_row(const struct proof_writer *w, const premise *p);
/* Explains the goals that are met, and marks the nodes, rows and grounds of facts that the steps rest on; facts that they need
 * are claims, explained as goals are. */
void proof_need(struct proof_writer *w);

#endif
