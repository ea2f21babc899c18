/* trial.h - the same problem run under other relations, beside the run there is.
 *
 *     if (trial_begin(&t, p, &err)) ..    p->p and p->q are new, nothing is lifted
 *     trial_drop(&t)  or  trial_keep(&t)  p is as it was, or the old run is freed
 *
 * Between the two only what hangs on p->p and p->q may be looked at; states and
 * levels of the old pair rest.  What the problem takes for granted is that of
 * the run in it.  When trial_begin fails, nothing has changed.
 */
#ifndef DIVERGE_TRIAL_H
#define DIVERGE_TRIAL_H

#include "pair/level.h"
#include "problem/problem.h"

struct trial {
	struct problem *p;
	prover *pr;		/* the run that is put aside */
	pair *q;
	eg_id *tensor[2];	/* rows know their nodes of the prover that lifted them last */
	const char **assumption, **hypothesis;
	int nassumption, assumption_cap, nhypothesis, hypothesis_cap;
};

bool trial_begin(struct trial *t, struct problem *p, struct diag *err);
void trial_drop(struct trial *t);
void trial_keep(struct trial *t);

/* Asked every TRIAL_ASKS moves while a trial runs; true: it is given up, as if it proved nothing. */
enum { TRIAL_ASKS = 16 };
struct trial_stop {
	bool (*ask)(void *ctx);		/* NULL: never */
	void *ctx;
	bool stopped;
};
void trial_lift(struct problem *p, struct trial_stop *stop);	/* all of both programs */
void trial_search(levels *l, struct trial_stop *stop);		/* .. and the search, to its end */

/* Lifting clamped integer parameters of the baseline that no plan bounds: assumes their ranges (RULES D7), runs
 * everything again and keeps that, with the assumptions listed, when it proves more outputs.  True when it did;
 * the prover and the pair are then new ones. */
bool trial_ranges(struct problem *p, struct trial_stop *stop);
/* Where programs are long, sums of sums grow from layer to layer, and what they are multiplied out to is no longer met by the
 * other program, or is beyond a limit: runs everything again with sums of more than a few terms left closed, which takes
 * nothing for granted, if need be with the ranges above; keeps that when all outputs are proved by the exact rules. */
bool trial_closed(struct problem *p, struct trial_stop *stop);
/* .. where a row has used up its limit, so that nothing is searched: when it proves more outputs, by the exact rules or else by a search. */
bool trial_closed_search(struct problem *p, struct trial_stop *stop);
/* Likewise, when a search has not proved all without: numbers of a PyTorch program, which are inputs, are not 0 where the
 * baseline divides by them, and positive where it adds them to a divisor or below a root. */
bool trial_numbers(struct problem *p, struct trial_stop *stop);
/* When all has been tried and nothing was proved since: everything is related again with what only relates more, so that the
 * frontier is where the fault is; then it has to run again.  False where there is nothing. */
bool trial_look_supposed(struct problem *p);

#endif
