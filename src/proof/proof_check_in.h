/* proof_check_in.h - what the files of a proof's check share: the check as it is under way, and what a line claims.
 *
 * False is returned with a diag, at the word that is wrong or at the beginning of the step that does not hold.
 */
#ifndef DIVERGE_PROOF_CHECK_IN_H
#define DIVERGE_PROOF_CHECK_IN_H

#include "certify/certify.h"
#include "proof/proof_read.h"

struct told_fact {		/* a line `fact`: where its premises are in proof_checker.opened */
	eg_id node;
	uint32_t prem, nprem;
};

struct proof_checker {
	struct proof_reader in;
	struct words at;		/* where the step begins that is checked */
	uint32_t step;			/* its number */
	struct problem *p;
	algebra *a;
	egraph *g;
	arena tmp;			/* words, and what is built for the whole check */
	vec fact, opened;		/* struct told_fact, premise */
	certifier *c;
	certify_replay *r;
	certificate out;
	bool *shown;			/* per goal */
	int nshown;
	vec granted, assumed;		/* const char *: sentences, of rules and of acts */
	vec open, unproved;		/* const char *: steps that numbers did not decide, and those that hold of finite numbers alone */
	vec reading;			/* const char *: by which an expression is read as another */
};

/* Steps, at their first word. */
bool proof_check_rule(struct proof_checker *k);
bool proof_check_fallback(struct proof_checker *k);
bool proof_check_congruence(struct proof_checker *k);
bool proof_check_given(struct proof_checker *k);
bool proof_check_assumed(struct proof_checker *k);
/* Lines that are no steps. */
bool proof_read_fact(struct proof_checker *k);
bool proof_check_goal(struct proof_checker *k);
/* What the file's facts and the loops show by now (of a proof_checker); is there anything new? */
bool proof_learn(void *checker);

#endif
