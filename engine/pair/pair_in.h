/* pair_in.h - what the files of the pair share: rows as Tensor nodes, parameters, claims, loops. */
#ifndef DIVERGE_PAIR_IN_H
#define DIVERGE_PAIR_IN_H

#include "pair/pair.h"

/* pair.c: rows in order */
eg_fam pair_family(pair *q, const char *name);	/* declared when the rule files do not */
eg_id pair_tensor(pair *q, eg_fam f, const row *r, int64_t ndev, int nint, const int64_t *ints, const char *name, int nop,
		  const eg_id *arg);
void pair_note_row(pair *q, eg_id t, enum program_side side, int row);
void pair_row_begins(pair *q);			/* firings and work are counted from here */
/* Builds by fn(q, ctx): what it says, or where the algebra is stuck, the reason; NULL when it is done. */
const char *pair_guarded(pair *q, const char *(*fn)(pair *q, void *ctx), void *ctx);
/* What the plan says of inner values is carried out on the way: where it cannot be, that is kept, once. */
void pair_refused(pair *q, const char *where, const char *why);

/* pair_start.c: parameters, as the plan relates them */
layout pair_plain_layout(int64_t ndev, int rank, const int64_t *dim, digit *d);	/* d: two digits; places in order */
void pair_given(pair *q, eg_id t, eg_id laid);
void pair_param(pair *q, program *p, int i);	/* its Tensor node; what it is is not said */
void pair_late_param(pair *q, int i);		/* one that holds an inner value of the baseline, which is lifted */
void pair_cut_row(pair *q, int i);		/* a row of the baseline becomes what a parameter with arbitrary values is */
const char *pair_misfit(pair *q, const chain *c, const row *b, const row *d);	/* why the chain does not lead from b to d, or NULL */
/* n elements of which `parts` holds the parts that chain c speaks of, part number major. */
eg_id pair_sum(pair *q, const mesh *ms, int type, int64_t n, const chain *c, eg_id parts);

/* pair_goal.c: what has to be shown, what is assumed */
void pair_build_claim(pair *q, goal *g);	/* want and have, or why not */
void pair_assume_row(pair *q, int i);		/* what the plan assumes of row i of DIST, which is lifted */

/* pair_loop.c */
void loop_take_carried(pair *q, program *p, int i);
/* The claims of loop l of the distributed program: nodes are built, nothing is concluded. */
void loop_claim(pair *q, int l);
void loop_take_after(pair *q, program *p, int i);

#endif
