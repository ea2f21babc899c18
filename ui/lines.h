/* lines.h - a view that is a page of text, made anew when what it shows changes.
 *
 * Most views say a few things about the selection: the members of a class, why
 * two nodes are equal, which rules match.  Such a view is one function that
 * fills in a page (src/text/page.h); this file makes a pane of it.  It is called when
 * the pane is looked at and `version` differs from the last time, so nothing is
 * computed for views that are not seen.
 *
 *	static void fill_why(void *ctx, struct page *p)
 *	{
 *		struct session *s = ctx;
 *
 *		page_add(p, PG_NAME, "%s", name_of(s->selected));
 *		page_more(p, PG_DIM, " computes ");
 *		page_more(p, PG_NORMAL, "%s", text_of(s->selected));
 *		page_open(p, "list %s", name_of(s->selected));
 *	}
 *	...
 *	lines_init(&why, "why", HOME_EXPLAIN, fill_why, session_version, session);
 *	panes_add(&screen->panes, &why.pane);
 */
#ifndef DIVERGE_LINES_H
#define DIVERGE_LINES_H

#include "pane.h"
#include "text/page.h"

struct lines {
	struct pane pane;
	void (*fill)(void *ctx, struct page *p);	/* begins with an empty page */
	uint64_t (*version)(void *ctx);	/* NULL: the lines never change */
	void *ctx;
	bool wrap;			/* lines wider than the pane go on in the next row, at blanks */

	/* private */
	uint64_t filled;		/* version of the lines + 1; 0: none yet */
	struct page page;		/* as it was filled in; without a title it has the pane's name */
	struct page wrapped;		/* .. cut into rows */
	int width;			/* of these */
};

void lines_init(struct lines *l, const char *name, enum pane_home home,
		void (*fill)(void *ctx, struct page *p), uint64_t (*version)(void *ctx), void *ctx);
void lines_release(struct lines *l);
/* One line of a page, its pieces in their colours. */
void lines_put(const struct page *p, size_t line, struct window w);

#endif
