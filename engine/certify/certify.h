/* certify.h - a separate small checker of proofs.
 *
 * It believes nothing of the engine but its records: operators, arguments as
 * first written, unions, the history of firings.  It shares no code with the
 * primitives, the layouts, the index expressions, the matcher or the scheduler:
 * nodes are read again from the bytes of their operators.
 *
 * Every union that a goal rests on is taken in order.  A congruence needs equal
 * operators and arguments shown equal before.  A rule's union needs what the step
 * opened shown equal to its operands, and is then checked *by numbers*: both
 * sides are evaluated at sampled places, with every class that was not opened a
 * random function, opened nodes as definitions, built nodes by what was written.
 * Instructions have a small meaning of their own (certify_tensor.c).  Where that
 * would take more than the budget of terms, the rule is called again on a mark
 * and must give the same node (`again`; else `trusted`); so must it with `everywhere`
 * where the places are too many to look at each: two sides may differ at one place
 * only, or by less than numbers cancelled on the way let show.  Given and assumed
 * unions are counted, a fallback's must be of the allowed form.
 *
 * A rule that is a pattern (prover_computes: false) is vouched for by nothing but
 * numbers: calling it again shows nothing, infinities and zeros are always tried,
 * and so are all places, and what is too large to be compared is not certified.
 * Of instructions its step opens those that it names as premises (n, n).
 *
 * A union by numbers is right with overwhelming probability for identities of
 * sums and products (the residues decide; Schwartz 1980, Zippel 1979); for
 * functions such as exp, within rounding (`soft`).  `wild` also tries infinities
 * and zeros where no fact excludes them, at one place and at all.  Facts
 * themselves are believed: where a proof is told, they are what follows from its
 * nodes and unions (facts.h).
 */
#ifndef DIVERGE_CERTIFY_H
#define DIVERGE_CERTIFY_H

#include "pair/pair.h"
#include "prover/proof.h"

typedef struct certificate {
	const char *why;	/* NULL: certified; else what does not hold */
	uint32_t edge;		/* the union that fails, or NIL */
	uint32_t firing;	/* its firing, or NIL */
	const char *rule;	/* and the rule's name, or NULL */
	uint32_t steps;		/* unions looked at */
	uint32_t numbers, soft, merges;	/* rule's unions by residues, within rounding, place by place */
	uint32_t finite;	/* holds where all it reads is finite and not zero, and nothing says that it is (`wild`) */
	uint32_t again;		/* over budget, or of too many places: the rule was called again and gave the same node */
	uint32_t trusted;	/* over budget, or too many places to be run at all of them, and the rule now gives another node */
	uint32_t readings;	/* a constant was read as another (reading.h): equal within READING_ROUNDING */
	uint32_t congruence, given, assumed, fallback, inductions;
} certificate;

typedef struct certify_limits {
	int places;		/* sampled per union; 0: 6 */
	int64_t budget;		/* terms per union; 0: 2^16 */
	double rounding;	/* sides that differ by so much of their size are equal: for constants read as others */
	bool wild;		/* also with infinities and zeros where nothing says that there are none */
	bool views;		/* with digits: views alone, the node itself is a random function, too */
	bool digits;		/* only forms, views, sums and products without tables are looked into, all else is a random function */
	bool everywhere;	/* all places, not the sampled ones alone; where they are too many the rule is called again */
	bool facts;		/* ranges of data are what facts show, not where some node of the step reads them */
	uint64_t seed;
	bool (*shown)(void *ctx, eg_id x, eg_id y);	/* what was shown equal before the union; NULL: nothing */
	void *ctx;
} certify_limits;

/* What was checked of a union stands for all goals; to be forgotten when anything is undone. */
typedef struct certifier certifier;
certifier *certifier_new(prover *p, const certify_limits *l);	/* l NULL: the defaults */
void certifier_free(certifier *c);
/* Is x = y shown? `why` is static or in s. */
bool certify_equal(certifier *c, eg_id x, eg_id y, certificate *out, arena *s);
/* An output: all that goal_claims says of it. */
bool certify_goal(certifier *c, pair *q, const goal *g, certificate *out, arena *s);

/* A proof told union by union, as from a file.  The nodes are in the e-graph, the firings of rules in the history; no
 * union has to be, but a rule that is called again reads those that are. */
typedef struct certify_replay certify_replay;
certify_replay *certify_replay_new(certifier *c, certificate *out, arena *s);	/* both outlive it; in s */
void certify_replay_free(certify_replay *r);
/* Asked when a step does not hold for infinities and zeros: can more facts be shown by now?  Then it is tried again. */
void certify_replay_learn(certify_replay *r, bool (*learn)(void *ctx), void *ctx);
const char *certify_tell(certify_replay *r, const eg_edge *e);	/* a rule's union or a congruence: NULL when it holds */
void certify_grant(certify_replay *r, const eg_edge *e);	/* given or assumed: the caller has seen to it */
bool certify_shown(certify_replay *r, eg_id x, eg_id y);	/* equal by what was told, or congruent by it */
/* Was what was written as n with these arguments shown to be n?  NULL, or what was not. */
const char *certify_built(certify_replay *r, eg_id n, uint32_t narg, const eg_id *arg);

/* Is this a node that the checker and the algebra can read: attribute values of the right sorts, whole, consistent with
 * the operands?  NULL, or what is wrong.  Pairings, layouts and views that read outside of an operand are found later. */
const char *certify_form(const algebra *a, eg_fam f, uint32_t nval, const eg_val *val, uint32_t narg, const eg_id *arg);
/* The words of a pairing that stand for lists of values: their positions, at most `most`; -1 when it is malformed. */
int certify_pairing_lists(int64_t n, const int64_t *w, int64_t *at, int most);

/* One firing alone: NULL when its conclusion holds at all sampled places.  *how: what decided. */
enum certify_how { CERTIFY_NUMBERS, CERTIFY_SOFT, CERTIFY_MERGE, CERTIFY_OVER, CERTIFY_AGAIN, CERTIFY_READING, CERTIFY_FINITE };
const char *certify_firing(const algebra *a, const hist_entry *f, const certify_limits *l, enum certify_how *how, arena *s);


/* The same of one firing that does not hold: where, what both sides are there, and the values they are made of. */
typedef struct certify_leaf {
	eg_id node;		/* a core, a tensor or a form */
	int64_t n;		/* places, on all devices; the first of them stand in `value` */
	const char *const *value;
	int shown;
} certify_leaf;
typedef struct certify_witness {
	int64_t dev, at;
	const char *left, *right;	/* NULL: the sides cannot be compared at all */
	certify_leaf *leaf;
	int nleaf;
} certify_witness;
enum { CERTIFY_LEAF_PLACES = 64 };
/* NULL: it holds, or is too large; else what does not hold, in s. */
const char *certify_refute(const algebra *a, const hist_entry *f, const certify_limits *l, certify_witness *out, arena *s);

#endif
