/* page.h - a page of text with meaning: what commands print and views show.
 *
 * A page is a list of lines, a line a list of pieces, each with what it is
 * (PAGE_ROLES, the names of the theme's roles).  A line may carry the command
 * that Enter on it stands for.  Without a screen a page is printed as plain
 * text; on the screen a view (ui/lines.h) draws it.  So a command and the view
 * that shows the same thing cannot differ.
 *
 * A page owns its text; page_clear makes it empty for the next use.
 */
#ifndef DIVERGE_PAGE_H
#define DIVERGE_PAGE_H

#include <stdbool.h>
#include <stdio.h>
#include "util/arena.h"

#define PAGE_ROLES(X) \
	X(NORMAL) X(VERIFIED) X(FRONTIER) X(UNSETTLED) X(UNVERIFIED) X(REFUTED) X(TAINTED) X(FOLDED) X(NAME) \
	X(OPCODE) X(SHAPE) X(RELATION) X(NUMBER) X(RULE) X(COMMENT) X(DIM) X(HEADING) X(KEY) X(ERROR) X(WARNING) X(HERE)
enum page_role {
#define X(id) PG_##id,
	PAGE_ROLES(X)
#undef X
	PAGE_ROLE_COUNT
};

struct page_piece {
	const char *text;
	enum page_role role;
	int column;		/* not before this column; 0: directly behind */
};

struct page_line {
	uint32_t first, n;	/* pieces */
	const char *open;	/* command, or NULL */
	int hang;		/* where rows behind the first begin, when it takes several; 0: as its columns say */
	int width;		/* printed, it is cut into rows of so many columns; 0: it is one row */
};

struct page {
	char title[160];
	const char *empty;	/* shown where there is no line, may be NULL */
	size_t here;		/* a line to be shown in the middle, or PAGE_NONE */
	vec pieces, lines;
	arena text;
};
#define PAGE_NONE ((size_t)-1)

void page_init(struct page *p);
void page_release(struct page *p);
void page_clear(struct page *p);

void page_add(struct page *p, enum page_role role, const char *fmt, ...)	/* a new line */
	__attribute__((format(printf, 3, 4)));
void page_more(struct page *p, enum page_role role, const char *fmt, ...)	/* behind the last piece of it */
	__attribute__((format(printf, 3, 4)));
void page_at(struct page *p, int column, enum page_role role, const char *fmt, ...)	/* .. but not before this column */
	__attribute__((format(printf, 4, 5)));
void page_put(struct page *p, int column, enum page_role role, const char *text);	/* .. text that lives as long as the page */
void page_row(struct page *p, const char *open);	/* a new line without a piece yet; open, its command or NULL, lives as long */
void page_copy(struct page *p, int column, enum page_role role, const char *text);	/* .. text that does not: long pages are made faster than by a format */
void page_open(struct page *p, const char *fmt, ...)	/* the command of the last line */
	__attribute__((format(printf, 2, 3)));
void page_here(struct page *p);				/* the last line is the one to look at */
/* A long text: one line, of as many rows as the screen's width, or printed this one, makes of it. */
void page_wrap(struct page *p, enum page_role role, int indent, int width, const char *text);

void page_append(struct page *p, const struct page *from);	/* its lines, behind those there are */

size_t page_count(const struct page *p);
const struct page_line *page_line_at(const struct page *p, size_t i);
const struct page_piece *page_piece_at(const struct page *p, const struct page_line *l, uint32_t k);
const char *page_last(const struct page *p);	/* text of the last piece of all */
/* One line as plain text; returns buf. */
const char *page_text(const struct page *p, size_t i, char *buf, size_t n);
void page_print(const struct page *p, FILE *f);

#endif
