/* schedule.h - running rulesets, firing by firing.
 *
 * An *iteration* of a ruleset collects the matches of its rules against the
 * graph as it stands (only those with something new since the rule last ran,
 * when the e-graph keeps its touched list), then fires them one by one in the
 * order of the rules.  Matches and all marks are on the trail: after an undo
 * into the middle of an iteration `schedule_step` goes on as it did before.
 *
 * Back-off (egg's): a rule with more than `limit << times_banned` matches in an
 * iteration is banned for `length << times_banned` iterations and its matches
 * of that iteration are dropped; all of it can be read in `rule_state`.  Limit 0,
 * as at first, switches it off.
 */
#ifndef DIVERGE_SCHEDULE_H
#define DIVERGE_SCHEDULE_H

#include "rule/firing.h"

typedef struct schedule schedule;

typedef struct rule_state {
	uint32_t mark;		/* touched entries + 1 when it last ran, 0: never */
	uint32_t banned_until;	/* iteration from which it runs again */
	uint32_t times_banned;
	uint32_t dropped;	/* matches dropped by bans, at least: counting stops at the limit */
	uint32_t matches, fired;	/* in all */
} rule_state;

typedef struct iteration {
	uint32_t ruleset;
	uint32_t matches;	/* collected */
	uint32_t done;		/* taken up so far */
	uint32_t fired;		/* that changed something */
	uint32_t banned;	/* rules that were not asked, or whose matches were dropped */
} iteration;

enum step { STEP_FIRED, STEP_DONE, STEP_ERROR };

schedule *schedule_new(firings *f);
void schedule_free(schedule *s);
void schedule_backoff(schedule *s, uint32_t limit, uint32_t length);
/* Stops collecting at so many nodes of the graph: 0 none.  What was cut is said. */
void schedule_limit(schedule *s, uint32_t nodes);

/* Collects the matches of an iteration. */
void schedule_open(schedule *s, uint32_t ruleset);
/* The next firing that changes something.  STEP_ERROR: out->error, the iteration is over. */
enum step schedule_step(schedule *s, fired *out);
/* A whole iteration; NULL or an error. */
const char *schedule_run(schedule *s, uint32_t ruleset);

const iteration *schedule_now(const schedule *s);
const rule_state *schedule_rule(const schedule *s, const rule *r);
/* Did the last iteration change nothing, with nobody banned and nothing cut? */
bool schedule_saturated(const schedule *s);

#endif
