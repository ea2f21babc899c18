/* proof_read.h - the words of a proof's file (proof_file.h) as nodes and firings.
 *
 * A node that the file names is found where the run of the check has it, as it was first written, else made; what is no node of
 * any family, or malformed, is refused, but nothing is believed of it.  A firing is read into the history's open record.
 *
 * False is returned with a diag at the word.  The problem and the arena outlive the reader.
 */
#ifndef DIVERGE_PROOF_READ_H
#define DIVERGE_PROOF_READ_H

#include "problem/problem.h"
#include "text/words.h"

struct proof_reader {
	struct words w;
	struct problem *p;
	algebra *a;
	egraph *g;
	arena *tmp;
	vec node, table;		/* eg_id, eg_val: by their numbers in the file */
	vec word, rat;			/* of the value that is read */
	uint32_t *slot, mask;		/* nodes there were, by operator and operands as written */
};

void proof_reader_init(struct proof_reader *r, struct problem *p, arena *tmp);
/* When the pair is there that the check builds on: before the first node is read. */
void proof_reader_begin(struct proof_reader *r);
void proof_reader_free(struct proof_reader *r);

/* At the first word of the line. */
bool proof_read_table(struct proof_reader *r);
bool proof_read_node_line(struct proof_reader *r);
/* At the word itself. */
bool proof_at_number(const struct proof_reader *r);
bool proof_read_node(struct proof_reader *r, eg_id *n);
bool proof_read_ends(struct proof_reader *r, eg_id *x, eg_id *y);
bool proof_read_firing(struct proof_reader *r);

#endif
