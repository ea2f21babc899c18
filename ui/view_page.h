/* view_page.h - views that show what the session says: its pages, as panes.
 *
 * What a command prints and what a view shows is the same page (src/text/page.h), so
 * they cannot differ.  A view shows one or several kinds of page, one below the
 * other; the view `output` shows whichever page was asked for last that has no
 * view of its own.  The table says which view is where on the screen, and
 * whether the keys go to it when its page is asked for: lists to choose from
 * take them, what only explains the selection does not.
 *
 * Ownership: the session outlives the views.
 */
#ifndef DIVERGE_VIEW_PAGE_H
#define DIVERGE_VIEW_PAGE_H

#include "lines.h"
#include "session/session.h"

/* name, home, takes the keys, rows that do not fit are wrapped, speaks of the selection or a question, pages */
#define VIEW_PAGES(X) \
	X("explain",     HOME_EXPLAIN,  false, true,  true,  PAGE_EXPLAIN) \
	X("why",         HOME_EXPLAIN,  true,  true,  true,  PAGE_WHY) \
	X("whynot",      HOME_EXPLAIN,  true,  true,  true,  PAGE_WHYNOT) \
	X("matches",     HOME_EXPLAIN,  true,  true,  true,  PAGE_MATCHES) \
	X("class",       HOME_CLASS,    true,  true,  true,  PAGE_CLASS) \
	X("relation",    HOME_RELATION, false, true,  true,  PAGE_RELATION) \
	X("bijections",  HOME_RELATION, true,  true,  true,  PAGE_BIJECTIONS) \
	X("numbers",     HOME_RELATION, true,  false, true,  PAGE_NUMBERS) \
	X("rules",       HOME_RULES,    true,  false, false, PAGE_RULES) \
	X("rule",        HOME_RULES,    true,  true,  true,  PAGE_RULE) \
	X("assumptions", HOME_RULES,    false, true,  false, PAGE_GOALS, PAGE_HYPOTHESES, PAGE_ASSUMPTIONS) \
	X("output",      HOME_EXPLAIN,  true,  true,  true,  PAGE_OUTPUT)

#define VIEW_PAGE_KINDS 3
enum {
#define X(...) +1
	VIEW_PAGE_COUNT = 0 VIEW_PAGES(X)
#undef X
};

struct view_page {
	struct lines lines;
	struct session *s;
	struct page page;		/* one of several */
	char title[sizeof ((struct page *)NULL)->title];	/* of what was shown last */
	enum session_page kind[VIEW_PAGE_KINDS];
	int nkind;
	bool takes_keys;
};

/* The k-th view of the table. */
void view_page_init(struct view_page *v, int k, struct session *s);
void view_page_release(struct view_page *v);
/* Does the view show this kind of page? */
bool view_page_shows(const struct view_page *v, enum session_page kind);
/* What is asked for: it stands first among several, and the last view of the table shows nothing else from now on. */
void view_page_turn(struct view_page *v, enum session_page kind);

#endif
