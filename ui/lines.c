#include "lines.h"
#include "utf8.h"

#include <stdio.h>
#include <string.h>

static enum role role_of(enum page_role r)
{
	static const enum role roles[PAGE_ROLE_COUNT] = {
#define X(id) ROLE_##id,
		PAGE_ROLES(X)
#undef X
	};

	return roles[r];
}

/* The rows of the screen. */
static struct page *rows_of(struct lines *l)
{
	return l->wrap ? &l->wrapped : &l->page;
}

/* wrapping: pieces are copied to new lines, cut at blanks where they do not fit */

struct wrapper {
	struct page *to;
	const struct page_line *line;	/* being copied */
	int width;		/* of the pane */
	int x, indent;		/* where the next piece goes; where the rows after the first begin */
};

static void new_row(struct wrapper *w)
{
	page_row(w->to, w->line->open);
	w->x = 0;
}

#define ROOM 24		/* columns that rows after the first need to be read at ease */

/* Rows after the first begin under the last column of the line, where that leaves room. */
static int indent_of(const struct page *p, const struct page_line *l, int width)
{
	int indent = (l->n ? (int)strspn(page_piece_at(p, l, 0)->text, " ") : 0) + 2;
	uint32_t k;

	if (l->hang)
		indent = l->hang;
	for (k = 0; k < l->n; k++)
		if (page_piece_at(p, l, k)->column)
			indent = page_piece_at(p, l, k)->column;
	return indent * 2 > width && width - indent < ROOM ? width / 8 : indent;
}

/* Bytes of the text that fit into `room` cells, cut at a blank where there is one. */
static size_t fitting(const char *text, int room)
{
	const char *at = text, *good = NULL, *start;
	char shown[12];
	int cells = 0;

	while (*at) {
		uint32_t cp;

		start = at;
		cp = utf8_next(&at);
		cells += utf8_visible(cp, shown) ? (int)strlen(shown) : utf8_width(cp);
		if (cells > room)
			return cp == ' ' || !good ? (size_t)(start - text) : (size_t)(good - text);
		if (cp == ' ')
			good = at;
	}
	return (size_t)(at - text);
}

static bool cuts_word(const char *text, size_t n)
{
	return text[n] && text[n] != ' ' && (!n || text[n - 1] != ' ');
}

/* How much of a text goes behind column `from`; 0: the next row is the place for it. */
static size_t take(const struct wrapper *w, const char *text, int from)
{
	size_t n = from < w->width ? fitting(text, w->width - from) : 0;
	const char *at = text;

	if (from > w->indent)
		return cuts_word(text, n) ? 0 : n;
	if (!n)
		utf8_next(&at);
	return n ? n : (size_t)(at - text);
}

static void wrap_piece(struct wrapper *w, const struct page_piece *p)
{
	const char *text = p->text;
	int column = !p->column ? 0 : w->x < p->column ? p->column : w->x + 1;

	for (;;) {
		int from = column ? column : w->x;
		size_t n = take(w, text, from);

		if (n) {
			if (text[n])
				page_at(w->to, column, p->role, "%.*s", (int)n, text);
			else
				page_put(w->to, column, p->role, text);
			w->x = from + utf8_cells(page_last(w->to), w->width);
		}
		text += n;
		if (!*text)
			return;
		text += strspn(text, " ");
		new_row(w);
		column = w->x = w->indent;
	}
}

/* Nearly all lines: their pieces stay as they are. */
static bool fits(const struct page *p, const struct page_line *l, int width)
{
	int x = 0;
	uint32_t k;

	for (k = 0; k < l->n && x <= width; k++) {
		const struct page_piece *s = page_piece_at(p, l, k);

		if (s->column)
			x = x < s->column ? s->column : x + 1;
		x += utf8_cells(s->text, width);
	}
	return x <= width;
}

static void wrap_line(struct wrapper *w, const struct page *p)
{
	bool whole = fits(p, w->line, w->width);
	uint32_t k;

	w->indent = whole ? 0 : indent_of(p, w->line, w->width);
	for (k = 0; k < w->line->n; k++) {
		const struct page_piece *s = page_piece_at(p, w->line, k);

		if (whole)
			page_put(w->to, s->column, s->role, s->text);
		else
			wrap_piece(w, s);
	}
}

static void wrap(struct lines *l)
{
	struct wrapper w = {.to = &l->wrapped, .width = l->width > 0 ? l->width : 80};
	size_t i;

	page_clear(&l->wrapped);
	for (i = 0; i < page_count(&l->page); i++) {
		w.line = page_line_at(&l->page, i);
		new_row(&w);
		if (i == l->page.here)
			page_here(&l->wrapped);
		wrap_line(&w, &l->page);
	}
}

static void fill(struct lines *l)
{
	page_clear(&l->page);
	l->fill(l->ctx, &l->page);
}

/* With a filter the cursor stays: its line may not be shown. */
static void go_here(struct lines *l)
{
	if (rows_of(l)->here == PAGE_NONE || filter_on(&l->pane.filter))
		return;
	l->pane.cur = rows_of(l)->here;
	l->pane.centre = true;
}

/* The pane asks for the number of lines before anything else. */
static size_t lines_count(void *ctx)
{
	struct lines *l = ctx;
	uint64_t version = l->version ? l->version(l->ctx) : 0;
	bool old = l->filled != version + 1;

	if (old)
		fill(l);
	l->filled = version + 1;
	if (l->wrap && (old || l->width != l->pane.width)) {
		l->width = l->pane.width;
		wrap(l);
		old = true;
	}
	if (old)
		go_here(l);
	return page_count(rows_of(l));
}

static uint64_t lines_version(void *ctx)
{
	struct lines *l = ctx;

	return l->wrap ? l->filled * 4096 + (uint64_t)l->width : l->filled;
}

void lines_put(const struct page *p, size_t at, struct window w)
{
	const struct page_line *line = page_line_at(p, at);
	uint32_t k;
	int x = 0;

	for (k = 0; k < line->n; k++) {
		const struct page_piece *s = page_piece_at(p, line, k);

		/* a column that is taken already is one blank away */
		if (s->column)
			x = x < s->column ? s->column : x + 1;
		x = canvas_put(w, x, 0, role_of(s->role), s->text);
	}
}

static void lines_draw(void *ctx, const struct list_row *row, struct window w)
{
	lines_put(rows_of(ctx), row->line, w);
}

static void lines_opened(void *ctx, size_t line, int side, char *command, size_t n)
{
	const char *c = page_line_at(rows_of(ctx), line)->open;

	(void)side;
	snprintf(command, n, "%s", c ? c : "");
}

static void lines_title(void *ctx, int side, char *buf, size_t n)
{
	struct lines *l = ctx;

	(void)side;
	if (*l->page.title)
		snprintf(buf, n, "%s", l->page.title);
}

static const char *lines_empty(void *ctx)
{
	struct lines *l = ctx;

	return l->page.empty ? l->page.empty : "nothing to show";
}

static const struct list_source lines_source = {
	.count = lines_count,
	.draw = lines_draw,
	.version = lines_version,
	.open = lines_opened,
	.title = lines_title,
	.empty = lines_empty,
};

void lines_init(struct lines *l, const char *name, enum pane_home home,
		void (*fill)(void *ctx, struct page *p), uint64_t (*version)(void *ctx), void *ctx)
{
	memset(l, 0, sizeof *l);
	l->fill = fill;
	l->version = version;
	l->ctx = ctx;
	page_init(&l->page);
	page_init(&l->wrapped);
	pane_init(&l->pane, name, home, &lines_source, l);
}

void lines_release(struct lines *l)
{
	pane_release(&l->pane);
	page_release(&l->page);
	page_release(&l->wrapped);
}
