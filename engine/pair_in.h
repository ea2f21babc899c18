/* pair_in.h - what the files of the pair share: rows as Tensor nodes, claims, loops. */
#ifndef DIVERGE_PAIR_IN_H
#define DIVERGE_PAIR_IN_H

#include "pair.h"

eg_fam pair_family(pair *q, const char *name);	/* declared when the rule files do not */
eg_id pair_tensor(pair *q, eg_fam f, const row *r, int64_t ndev, int nint, const int64_t *ints, const char *name, int nop,
		  const eg_id *arg);
void pair_note_row(pair *q, eg_id t, enum program_side side, int row);
layout pair_plain_layout(int64_t ndev, int rank, const int64_t *dim, digit *d);	/* d: two digits; places in order */
void pair_given(pair *q, eg_id t, eg_id laid);
const char *pair_misfit(pair *q, const chain *c, const row *b, const row *d);	/* why the chain does not lead from b to d, or NULL */
/* n elements of which `parts` holds the parts that chain c speaks of, part number major. */
eg_id pair_sum(pair *q, const mesh *ms, int type, int64_t n, const chain *c, eg_id parts);
void pair_build_claim(pair *q, goal *g);	/* want and have, or why not */

/* pair_loop.c */
void loop_take_carried(pair *q, program *p, int i);
/* The claims of loop l of the distributed program: nodes are built, nothing is concluded. */
void loop_claim(pair *q, int l);
void loop_take_after(pair *q, program *p, int i);

#endif
