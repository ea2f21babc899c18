/* lines.h - a view that is a page of text, made anew when what it shows changes.
 *
 * Most views say a few things about the selection: the members of a class, why
 * two nodes are equal, which rules match.  Such a view is one function that
 * fills in lines; this file makes a pane of them.  It is called when the pane
 * is looked at and `version` differs from the last time, so nothing is computed
 * for views that are not seen.  Lists that can have more than some thousand
 * lines are a list_source of their own instead (ui/pane.h).
 *
 *	static void fill_why(void *ctx, struct lines *l)
 *	{
 *		struct session *s = ctx;
 *
 *		lines_add(l, ROLE_NAME, "%s", name_of(s->selected));
 *		lines_more(l, ROLE_DIM, " computes ");
 *		lines_more(l, ROLE_NORMAL, "%s", text_of(s->selected));
 *		lines_open(l, "list %s", name_of(s->selected));
 *	}
 *	...
 *	lines_init(&why, "why", HOME_EXPLAIN, fill_why, session_version, session);
 *	panes_add(&screen->panes, &why.pane);
 */
#ifndef DIVERGE_LINES_H
#define DIVERGE_LINES_H

#include "pane.h"

struct lines {
	struct pane pane;
	void (*fill)(void *ctx, struct lines *l);
	uint64_t (*version)(void *ctx);	/* NULL: the lines never change */
	void *ctx;
	const char *empty;		/* shown when there is no line; may be NULL */
	bool wrap;			/* lines wider than the pane go on in the next row, at blanks */
	char title[128];		/* of the title line; "": the name of the pane */

	/* private */
	uint64_t filled;		/* version of the lines + 1; 0: none yet */
	arena text;
	vec spans, line;		/* pieces of text; where each line begins in them, its command */
	size_t here;			/* line that lines_here named, PANE_NONE: none */
	int wrapped;			/* width they were wrapped for */
	vec raw_spans, raw_line;	/* .. from these */
};

void lines_init(struct lines *l, const char *name, enum pane_home home,
		void (*fill)(void *ctx, struct lines *l), uint64_t (*version)(void *ctx), void *ctx);
void lines_release(struct lines *l);

/* For `fill`, which begins with no lines. */
void lines_add(struct lines *l, enum role role, const char *fmt, ...)		/* a new line */
	__attribute__((format(printf, 3, 4)));
void lines_more(struct lines *l, enum role role, const char *fmt, ...)		/* behind the last piece of it */
	__attribute__((format(printf, 3, 4)));
void lines_at(struct lines *l, int column, enum role role, const char *fmt, ...) /* .. but not before this column */
	__attribute__((format(printf, 4, 5)));
void lines_open(struct lines *l, const char *fmt, ...)	/* the command Enter runs on this line */
	__attribute__((format(printf, 2, 3)));
void lines_here(struct lines *l);	/* the cursor goes to this line, in the middle; without, it stays where it is */

#endif
