/* prover.h - an algebra with its rules: fires one rule at a time.
 *
 * Owns the e-graph, the algebra, the rule base and the matcher.  `prover_fire`
 * takes the next node off the worklist (operands before users) and tries the
 * rules for its family in file order:
 *   - a Tensor node: the first rule of ruleset `lift` that gives it a form; when
 *     all refuse, the reason is kept and the host's `fallback` says as what it
 *     stands (opaque, or equal to nothing else: RULES 1.6);
 *   - a core node: the first rule of ruleset `normalize` that fires is its step;
 *   - views and forms: the rules of ruleset `structure`.
 * A firing is logged in the history (history.h).  Between two firings the
 * state can be marked, undone, and gone on from: it is all on the trail.
 *
 * A rule whose query is one node and one primitive is called without the
 * matcher; any other goes through it, and its steps are doubted.
 */
#ifndef DIVERGE_PROVER_H
#define DIVERGE_PROVER_H

#include "lift/lift.h"
#include "prim/prim.h"
#include "rule/match.h"

typedef struct prover prover;

/* As what an instruction stands that no rule lifts: another Tensor node over the same operands, or NIL. */
typedef eg_id prover_fallback(void *ctx, prover *p, eg_id tensor, const char *reason);

/* NULL, or what is wrong with a step that nothing vouches for: then it is not taken. */
typedef const char *prover_doubt(prover *p, const hist_entry *f);

struct prover {
	egraph *g;
	algebra a;
	rules *r;
	matcher *m;
	vec direct;		/* per rule: how it is called */
	vec by_family;		/* per family: its rules (struct family_rules) */
	vec on;			/* per rule: u32, on the trail */
	vec tried;		/* per node: what its lift was tried with, u64 */
	vec reason;		/* per node: number of the lift's refusal in `text`, 0 none */
	vec text;		/* const char *, grows only */
	arena names;
	prover_fallback *fallback;
	void *fallback_ctx;
	prover_doubt *doubt;	/* asked of patterns, and of rules from number `vouched` on; NULL: all are taken at their word */
	uint32_t vouched;
	uint64_t fired;		/* steps since the start, probes included: for limits */
	uint32_t set_lift, set_normalize, set_structure, set_search;
	bool trace;		/* keep reasons of normalize rules that refuse */
};

prover *prover_new(void);
void prover_free(prover *p);
/* Reads a rule file's text; NULL, or `file:line:column: message`. */
const char *prover_read(prover *p, const char *file, const char *text, size_t n);
/* After the last file: plans how rules are called.  NULL or an error (a rule without a family to start at). */
const char *prover_ready(prover *p);

enum fire_result { FIRE_IDLE, FIRE_NOTHING, FIRE_FIRED };
/* Looks at one node.  FIRE_NOTHING: it was looked at and no rule fired. */
enum fire_result prover_fire(prover *p);
/* Until idle or `limit` firings; true when idle. */
bool prover_run(prover *p, uint64_t limit);

bool prover_runs(const prover *p, uint32_t ruleset);	/* is it one of the four that are fired without being asked? */
bool prover_rule_on(const prover *p, uint32_t rule);
void prover_switch(prover *p, uint32_t rule, bool on);	/* every node its family has is asked again */
uint32_t prover_rule_named(const prover *p, const char *name);	/* NIL if none */
const char *prover_rule_name(const prover *p, uint32_t rule);	/* of a history entry too */
/* Is what the rule gives worked out by a primitive, which has its own conditions?  Else the rule is a pattern, taken at its word. */
bool prover_computes(const prover *p, uint32_t rule);
prim_fn *prover_prim(const prover *p, uint32_t rule);	/* what a rule calls; NULL when it is matched or a lift */
const char *prover_lift_reason(const prover *p, eg_id tensor);	/* why no rule lifted it, or NULL */
void prover_lift_again(prover *p, eg_id tensor);	/* its lift rests on more than its operands, and that has changed */
/* Tries a rule at a node: the equal node it gives, or NIL and the reason in a->s (scratch). */
eg_id prover_try(prover *p, uint32_t rule, eg_id node, const char **reason);
/* Puts another primitive in the place of a rule's own, for tests of what finds wrong rules. */
void prover_replace(prover *p, uint32_t rule, eg_id (*prim)(algebra *a, eg_id n));
/* Fires a rule by hand (an act): history entry, union; false when it gives nothing new. */
bool prover_apply(prover *p, uint32_t rule, eg_id node, const char **reason);

/* What a firing that came from elsewhere does: it is in the history, and the premises and nodes noted last are its own.
 * Nothing is tried; steps are as if the rule had fired here. */
void prover_follow(prover *p, uint32_t rule, eg_id n, eg_id result, uint32_t firing);

/* An assumed equality. */
bool prover_assume(prover *p, eg_id x, eg_id y);

#endif
