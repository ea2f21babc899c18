/* history.h - the log of firings.
 *
 * A firing is one step of one named rule (or a given, an assumption) on one
 * node.  It keeps what the step read - premises, pairs (x, y) of nodes that
 * were equal then: the operand as written and the node opened for it - and the
 * nodes it built with the arguments as it wrote them, so that the proof checker
 * can do the step again.  Firings are numbered from 0 and are on the trail:
 * undone with what they did.
 */
#ifndef DIVERGE_HISTORY_H
#define DIVERGE_HISTORY_H

#include "core/core.h"

typedef struct hist_entry {
	uint32_t rule;		/* number of the rule; RULE_GIVEN, RULE_ASSUMED */
	eg_id node, result;	/* node = result is what it says */
	uint32_t prem, made;	/* first of each in the history */
	uint32_t nprem, nmade;
} hist_entry;
enum { RULE_GIVEN = 0xfffffff0u, RULE_ASSUMED, RULE_FALLBACK };

typedef struct premise {
	eg_id x, y;
} premise;

typedef struct history {
	vec firing, prem, made, args;
	vec now;		/* premises of the step that runs */
	vec fired;		/* uint32_t per rule, by the order of numbers from RULE_GIVEN on: how often */
	uint32_t undo;		/* the trail's number of our call back */
} history;

void history_init(algebra *a, history *h);
void history_free(history *h);
/* Starts a step: forgets premises and nodes noted so far. */
void history_begin(algebra *a);
void history_premise(algebra *a, eg_id x, eg_id y);
/* Logs the step with all that was noted; returns its number. */
uint32_t history_log(algebra *a, uint32_t rule, eg_id node, eg_id result);
uint32_t history_count(const algebra *a);
uint32_t history_fired(const algebra *a, uint32_t rule);	/* of one rule, RULE_GIVEN .. too */
const hist_entry *history_at(const algebra *a, uint32_t f);
const premise *history_premises(const algebra *a, const hist_entry *f);
const made_node *history_made(const algebra *a, const hist_entry *f);
const eg_id *history_args(const algebra *a, const made_node *m);

#endif
