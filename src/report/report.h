/* report.h - the verdict on a pair, as text for a terminal and as JSON (DESIGN section 8).
 *
 * Made from where the pair stands; `report_run` runs it to the end first.  The
 * report owns all it says and stays good when the pair moves on.
 */
#ifndef DIVERGE_REPORT_H
#define DIVERGE_REPORT_H

#include <stdio.h>
#include "fault/frontier.h"
#include "pair/level.h"
#include "problem/alternatives.h"
#include "problem/problem.h"

/* id, name in JSON, words, exit status, what it means */
#define VERDICTS(X) \
	X(PROVED, "proved", "proved", 0, "every output is what the relations say") \
	X(PROVED_UNDER, "proved-under", "proved under hypotheses", 4, "likewise, if what was asserted about values holds") \
	X(REFUTED, "refuted", "refuted", 1, "numbers were found on which an output differs (`test`)") \
	X(UNKNOWN_RULE, "unknown-rule", "unknown: no rule", 1, "no rule applies any more: the frontier says where the proof breaks, which may be a fault or a missing rule") \
	X(UNKNOWN_LIMIT, "unknown-limit", "unknown: limit", 3, "a limit was reached, or the run was not carried to its end")
enum verdict {
#define X(id, name, words, exit, help) VERDICT_##id,
	VERDICTS(X)
#undef X
};
const char *verdict_name(enum verdict v);	/* "proved", "proved-under", .. */
const char *verdict_words(enum verdict v);	/* "proved", "proved under hypotheses", "unknown: no rule", .. */

struct report_output {
	int index;		/* of the distributed program; -1: an inner obligation */
	const char *name;
	enum verdict verdict;
	bool compared;
	const char *relation;	/* as it is, else "" */
	const char *wanted;	/* as the plan wants it */
	const char *why;	/* why it is not proved, or NULL */
	int nhypothesis, nrule;
	const char **hypothesis, **rule;	/* that its proof rests on */
};

struct report_frontier {
	const char *node, *opcode;
	const char *inner;	/* of a loop: the value inside that is meant, in the first of the trips in which it is on the frontier; else NULL */
	int ntrip, *trip;	/* all of them, from 0 on */
	const char *file;	/* NULL: no source position */
	int line;
	const char *source_of, *library;	/* the operand whose line that is, where it has none of its own but in a library, and that; else NULL */
	const char *caller;	/* "attention.py:124" of the user frame that called it; NULL: none */
	int row;
	const frontier_report *r;
	int ncand;
	const char **cand;	/* names of the baseline rows of r->cand */
};

struct report {
	arena a;
	enum verdict verdict;
	int noutput;
	struct report_output *output;
	state_counts counts;
	int nfrontier;
	struct report_frontier *frontier;
	int nassumption, nhypothesis, nrule, nunmatched;
	const char **assumption, **hypothesis, **rule, **unmatched;
	const char **identity;	/* of rule[k], in words; NULL: its file says none */
	const char *cut;	/* by which limit, or NULL */
	bool near;		/* search rules were tried next to the frontier only */
	const struct alternatives *alternatives;	/* what was tried in place of inferred relations, or NULL */
	uint32_t classes, nodes, firings;
	double seconds;
};

/* From where the pair stands; a run not carried to its end is unknown: limit.  `l`: the search, NULL for none;
 * `seconds`: what the caller has measured, 0: nothing. */
struct report *report_make(struct problem *p, states *s, const levels *l, double seconds);
/* .. without the frontier and the rows that nothing corresponds to: what costs little at a million of rows. */
struct report *report_verdicts(struct problem *p, states *s, const levels *l);
/* Runs to the verdict, and tries alternatives, of which `watch` is told (or NULL); `started` as by report_clock. */
struct report *report_run(struct problem *p, double started, const struct alternatives_watch *watch);
void report_free(struct report *r);
double report_clock(void);		/* monotonic seconds */

void report_text(const struct report *r, FILE *to);
void report_json(const struct report *r, FILE *to);
void report_man(FILE *to);		/* verdicts and the fields of the JSON report, as a section of the manual page */
int report_exit(const struct report *r);	/* 0 proved, 4 under hypotheses, 1 not proved, 3 limit */

#endif
