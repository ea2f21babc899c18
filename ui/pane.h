/* pane.h - a list with a cursor.
 *
 * Every view is a *list source*: it says how many lines there are and draws one
 * of them.  The pane around it does the rest: cursor, scrolling both ways,
 * search, filter, title, and staying on the same thing when lines come and go.
 * A pane asks only for the lines that can be seen, so a list of a million lines
 * costs what one of fifty costs; only search and filter read others.
 *
 * A pane may have two *sides* (baseline and distributed) that show one list of
 * pairs with one cursor; where there is no room for two columns, only the side
 * with the focus is shown.
 * Its *home* says where ui/panes puts it.
 *
 * Ownership: a view owns its pane and its context.
 * Units: lines are numbers of the source's list from 0; PANE_NONE is no line.
 */
#ifndef DIVERGE_PANE_H
#define DIVERGE_PANE_H

#include "canvas.h"
#include "filter.h"

#define PANE_NONE ((size_t)-1)

struct list_row {
	size_t line;
	int side;		/* 0, or 1 for the right side of a pane with two */
	bool selected;		/* the cursor is on this line */
	bool focused;		/* .. and keys go to this side of this pane */
};

/* A view's side of the bargain.  Only count and draw are needed; the others may be NULL. */
struct list_source {
	size_t (*count)(void *ctx);
	/* Draws one line into a window one row high.  The selection is laid over it by the pane. */
	void (*draw)(void *ctx, const struct list_row *row, struct window w);
	/* The text search and filter look at; without it the line is drawn and its first 500 columns are read. */
	const char *(*text)(void *ctx, const struct list_row *row, char *buf, size_t n);
	/* Changes whenever lines were added, removed or moved without a change of count(). */
	uint64_t (*version)(void *ctx);
	/* .. or when their texts may have changed: a filter looks at them again. */
	uint64_t (*texts)(void *ctx);
	/* What a line is about, and where that is now (PANE_NONE: gone): the cursor stays on it. */
	uint64_t (*key)(void *ctx, size_t line);
	size_t (*find)(void *ctx, uint64_t key);
	/* The user moved the cursor: tell the session. */
	void (*moved)(void *ctx, size_t line, int side);
	/* The command that Enter stands for; "" when there is none. */
	void (*open)(void *ctx, size_t line, int side, char *command, size_t n);
	/* Text of the title line, which buf holds already as the pane's name. */
	void (*title)(void *ctx, int side, char *buf, size_t n);
	/* Why there is nothing to see, and what to do. */
	const char *(*empty)(void *ctx);
};

enum pane_home { HOME_MAIN, HOME_EXPLAIN, HOME_SOURCE, HOME_CLASS, HOME_RELATION, HOME_RULES, HOME_COUNT };

struct pane {
	const char *name;		/* of the view: in titles, `view NAME` and `bind NAME ..` */
	enum pane_home home;
	const struct list_source *src;
	void *ctx;
	int sides;			/* 1 or 2 */
	int sticky;			/* columns that stay when scrolled sideways (marks) */

	/* the pane's own */
	int side;			/* which has the focus */
	int shift;			/* columns scrolled to the right */
	size_t top, cur;		/* places in what is shown: with a filter not lines */
	size_t lines;			/* count() when last asked */
	uint64_t version, texts, key;
	bool has_key, centre;
	int rows, width;		/* of the list, without its title */
	int tabs_from, tabs_to;		/* columns of the names of other views then; equal: none */
	unsigned used;			/* when last brought to front; 0: never */
	unsigned focused;		/* when keys last came here; 0: never */
	struct search search;
	struct seek {			/* a search that goes on */
		bool on;
		int direction;
		size_t from, at, left;	/* where it began, the line looked at last, lines that were not */
	} seek;
	struct filter filter;
	size_t aim;			/* the line that the cursor goes to .. */
	bool aiming, aim_tells;		/* .. when it is known which is the next one shown */
	size_t height;			/* rows above the cursor that are to stay, PANE_NONE: those there are */
	struct canvas scratch;		/* one row, for sources without text() */
};

void pane_init(struct pane *p, const char *name, enum pane_home home,
	       const struct list_source *src, void *ctx);
void pane_release(struct pane *p);

/* The line under the cursor, PANE_NONE in an empty list. */
size_t pane_line(struct pane *p);
/* Puts the cursor on a line (the nearest one that the filter shows), `centre`d on the screen; tells no one. */
void pane_to(struct pane *p, size_t line, bool centre);
/* Moves as the user does, and tells the source. */
void pane_move(struct pane *p, long by);
void pane_page(struct pane *p, long by);	/* .. and what is shown moves along */
void pane_select(struct pane *p, size_t line);
void pane_scroll(struct pane *p, int columns);

/* Search from the cursor, wrapping around; `text` NULL: the last text again.  What happened is written to `say`;
 * false: no line matches, or the text is no expression.  In a long list both look at some lines and leave the rest to
 * pane_work; what is not known yet is not said. */
bool pane_search(struct pane *p, const char *text, int direction, char *say, size_t n);
/* Shows only lines that match on some side; "" shows all again. */
bool pane_filter(struct pane *p, const char *text, char *say, size_t n);
bool pane_stop(struct pane *p);		/* the search goes on no more; false: it did not */
bool pane_works(const struct pane *p);	/* is there something left to look at? */
/* Looks at some more lines, some thousandths of a second; what came of it is written to `say`, "" when nothing did. */
enum pane_work { PANE_IDLE, PANE_WORKED, PANE_FAILED };
enum pane_work pane_work(struct pane *p, char *say, size_t n);
/* Drops the search, then the filter: true when there was one. */
bool pane_cancel(struct pane *p);

/* What the next drawing will have of the screen, title included. */
void pane_resize(struct pane *p, int w, int h);
/* Draws the list and, in its last row, the title with `tabs`. */
void pane_draw(struct pane *p, struct window w, bool focused, const char *tabs);
/* What lies at a point of the pane, which was last drawn `width` wide: PANE_NONE where there is no line. */
void pane_hit(const struct pane *p, int x, int y, int width, int *side, size_t *line);

#endif
