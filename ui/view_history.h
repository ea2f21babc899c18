/* view_history.h - everything that was done: firings and acts, and the cursor among them.
 *
 * One line per step of the run, acts (`A1 assume ..`) and what the search says
 * of its levels between them; `>` marks the last one done.  What lies ahead is known by number only until it is done
 * again.  Enter goes there.  Lines are made when they are seen, so that a history
 * of a million firings costs what one of fifty does.
 */
#ifndef DIVERGE_VIEW_HISTORY_H
#define DIVERGE_VIEW_HISTORY_H

#include "pane.h"
#include "session/session.h"

#define HISTORY_KEPT 128

/* What a step did, in words: large terms take a while to describe. */
struct history_text {
	uint32_t step;		/* 0: empty */
	char rule[64], node[128], made[200];
};

struct view_history {
	struct pane pane;
	struct session *s;
	uint64_t version;	/* of the session when last looked at, + 1 */
	uint64_t changed;	/* counts changes of the list */
	uint32_t step;		/* where the session was then, and its line */
	size_t cursor;
	vec notes;		/* struct note: acts done and levels, by step */
	struct history_text kept[HISTORY_KEPT];		/* step k at k modulo their number */
	uint32_t kept_notes;	/* they are of a run with these notes .. */
	const void *kept_of;	/* .. on this pair */
};

void view_history_init(struct view_history *v, struct session *s);
void view_history_release(struct view_history *v);

#endif
