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
 * and must give the same node (`again`).  Given and assumed unions are counted, a
 * fallback's must be of the allowed form.
 *
 * A union by numbers is right with overwhelming probability for identities of
 * sums and products (the residues decide; Schwartz 1980, Zippel 1979); for
 * functions such as exp, within rounding (`soft`).  Conditions that only
 * infinities could break are tried where a class is not known to be finite.
 */
#ifndef DIVERGE_CERTIFY_H
#define DIVERGE_CERTIFY_H

#include "proof.h"
#include "prover.h"

typedef struct certificate {
	const char *why;	/* NULL: certified; else what does not hold */
	uint32_t edge;		/* the union that fails, NIL: the skeleton */
	uint32_t firing;	/* its firing, or NIL */
	const char *rule;	/* and the rule's name */
	uint32_t by_numbers, soft, closure, again, congruence, given, assumed, fallback;
} certificate;

typedef struct certify_limits {
	int places;		/* sampled per union; 0: 6 */
	int64_t budget;		/* terms per union; 0: 2^16 */
	bool wild;		/* also with infinities and zeros where nothing says that there are none */
	bool no_again;		/* a union over budget is a failure */
	uint64_t seed;
} certify_limits;

/* Is x = y certified?  p: to call rules again; NULL: never. */
bool certify_equal(prover *p, const algebra *a, eg_id x, eg_id y, const certify_limits *l, certificate *out, arena *s);
/* One firing alone, by numbers: NULL when its conclusion holds at all sampled places; *again when it is over budget. */
const char *certify_firing(const algebra *a, const hist_entry *f, const certify_limits *l, bool *again, arena *s);

#endif
