/* acts.h - one history of firings and acts, and a cursor in it.
 *
 * Going forward fires rules one at a time (level_move); what was seen before is
 * replayed, acts included, since the engine is deterministic.  After every
 * firing the trail's position is kept: a *boundary*; going back is undoing to
 * one.  Boundary k is the state right after step k (a step is a firing), with
 * the acts made there.  A level of the search that is undone takes its steps
 * with it.
 *
 * An *act* is what a person did: `apply`, `assume`, a rule on or off.  It names
 * instructions, rules and nodes (src/session/nodes.h), never ids, and has a *place*: how
 * many rows were taken up, and how many moves ago.  So it can be done again
 * in a run that differs: it is due when that place is reached or passed.  An act
 * that gives nothing any more stays in the list with the reason.
 *
 * A new act with steps or acts ahead of the cursor drops them.  `acts_undo`
 * returns to the mark of the last act and replays the rest without it.
 *
 * Functions that can fail return false and have said why (session_say).
 */
#ifndef DIVERGE_ACTS_H
#define DIVERGE_ACTS_H

#include "session/session.h"

enum act_kind { ACTS_APPLY, ACTS_ASSUME, ACTS_RULE_ON, ACTS_RULE_OFF };

struct place {
	int pos;		/* rows taken up */
	uint32_t in;		/* moves of the pair since then */
};

struct act {
	int id;			/* shown as A4 */
	enum act_kind kind;
	const char *text;	/* the command that does it */
	const char *rule;	/* APPLY, RULE_* */
	const char *node;	/* APPLY: a node; ASSUME: an instruction of DIST */
	const char *base;	/* ASSUME: an instruction of BASE */
	const char *chain;	/* ASSUME: as plans write it */
	struct place place;
	bool done;		/* the cursor is behind it */
	const char *failed;	/* done again it gave nothing: why; else NULL */
	trail_mark mark;	/* while done: the trail before it */
	uint32_t step;		/* while done: steps done before it */
	bool end;		/* while done: the run was at its end */
	uint32_t firing;	/* while done: its history entry, NIL: none */
};

int acts_count(const struct session *s);		/* ahead of the cursor included, in order */
const struct act *acts_get(const struct session *s, int i);
int acts_applied(const struct session *s, enum act_kind k);	/* done and not failed */
/* "A1, A3": the hypotheses in force; "" when there are none. */
const char *acts_hypotheses(const struct session *s, char *buf, size_t n);
/* Changes with the list of acts: what was saved, or known of the run's end, is compared with it. */
uint64_t acts_version(const struct session *s);
const struct act *acts_of_firing(const struct session *s, uint32_t firing);	/* NULL: not an act's */

/* ---- moving; `stop` is asked after every step: false ends the run.  It may be NULL. */
enum acts_end { ACTS_STOPPED, ACTS_DONE, ACTS_CUT, ACTS_BROKEN, ACTS_INTERRUPTED };
typedef bool acts_goes_on(struct session *s, void *ctx);
enum acts_end acts_continue(struct session *s, acts_goes_on *stop, void *ctx);
/* .. asked before every move of the pair, also those that fire nothing. */
enum acts_end acts_moves(struct session *s, acts_goes_on *on, void *ctx);
enum acts_end acts_row(struct session *s);	/* all firings of the next row */
bool acts_goto(struct session *s, uint32_t step);	/* back or forth; false: the run ends before */
void acts_back_row(struct session *s);			/* to where the row before was taken up */
/* Runs to the end of the run, lets `look` see it, and comes back to where it stands; nothing was seen: false, it was interrupted,
 * broke, or there is no way back. */
bool acts_look_ahead(struct session *s, void (*look)(struct session *s, void *ctx), void *ctx);

/* ---- acts */
bool acts_do(struct session *s, struct act *a);	/* texts are copied; fills id and place */
bool acts_undo(struct session *s);
bool acts_redo(struct session *s);
bool acts_retract(struct session *s, int id);
/* Reads the rule files again and replays to the same place; false and a diag: nothing has changed. */
bool acts_reload(struct session *s, struct diag *err);
/* The Laid node that a chain makes of a baseline row's value; NIL and a reason.  It is the caller's to undo. */
eg_id acts_chain_node(struct session *s, int base_row, int dist_row, const char *chain, const char **why);
/* Two different constants in one class: a sentence, or NULL. */
const char *acts_contradiction(struct session *s);

#endif
