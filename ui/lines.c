#include "lines.h"
#include "utf8.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

struct span {
	const char *text;
	int column;		/* least column */
	enum role role;
};

struct line {
	uint32_t first;		/* span; the line ends where the next begins */
	const char *command;	/* NULL: none */
};

static struct line *last_line(struct lines *l)
{
	return &VEC_AT(struct line, &l->line, l->line.n - 1);
}

static const char *format(struct lines *l, const char *fmt, va_list ap)
{
	va_list again;
	char *s;
	int n;

	va_copy(again, ap);
	n = vsnprintf(NULL, 0, fmt, again);
	va_end(again);
	s = arena_alloc(&l->text, (size_t)n + 1);
	vsnprintf(s, (size_t)n + 1, fmt, ap);
	return s;
}

static void add_span(struct lines *l, int column, enum role role, const char *text)
{
	*(struct span *)vec_push(&l->spans) = (struct span){text, column, role};
}

void lines_add(struct lines *l, enum role role, const char *fmt, ...)
{
	va_list ap;

	*(struct line *)vec_push(&l->line) = (struct line){l->spans.n, NULL};
	va_start(ap, fmt);
	add_span(l, 0, role, format(l, fmt, ap));
	va_end(ap);
}

void lines_more(struct lines *l, enum role role, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	add_span(l, 0, role, format(l, fmt, ap));
	va_end(ap);
}

void lines_at(struct lines *l, int column, enum role role, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	add_span(l, column, role, format(l, fmt, ap));
	va_end(ap);
}

void lines_open(struct lines *l, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	last_line(l)->command = format(l, fmt, ap);
	va_end(ap);
}

void lines_here(struct lines *l)
{
	l->here = l->line.n - 1;
}

/* wrapping: spans are copied to new lines, cut at blanks where they do not fit */

struct wrapper {
	struct lines *l;
	const vec *spans, *line;	/* what there was */
	const char *command;	/* of the line being copied */
	int x, indent;		/* where the next piece goes; where the rows after the first begin */
};

static void new_row(struct wrapper *w)
{
	*(struct line *)vec_push(&w->l->line) = (struct line){w->l->spans.n, w->command};
	w->x = 0;
}

/* Rows after the first begin under the last column of the line, where that leaves room. */
static int indent_of(const struct wrapper *w, uint32_t from, uint32_t to)
{
	const char *text = VEC_AT(struct span, w->spans, from).text;
	int indent = (int)strspn(text, " ") + 2;

	for (; from < to; from++)
		if (VEC_AT(struct span, w->spans, from).column)
			indent = VEC_AT(struct span, w->spans, from).column;
	return indent * 2 > w->l->pane.width ? w->l->pane.width / 8 : indent;
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
	size_t n = from < w->l->pane.width ? fitting(text, w->l->pane.width - from) : 0;
	const char *at = text;

	if (from > w->indent)
		return cuts_word(text, n) ? 0 : n;
	if (!n)
		utf8_next(&at);
	return n ? n : (size_t)(at - text);
}

static void wrap_span(struct wrapper *w, const struct span *s)
{
	struct lines *l = w->l;
	const char *text = s->text;
	int column = !s->column ? 0 : w->x < s->column ? s->column : w->x + 1;

	for (;;) {
		int from = column ? column : w->x;
		size_t n = take(w, text, from);

		if (n) {
			add_span(l, column, s->role, arena_printf(&l->text, "%.*s", (int)n, text));
			w->x = from + utf8_cells(VEC_AT(struct span, &l->spans, l->spans.n - 1).text, l->pane.width);
		}
		text += n;
		if (!*text)
			return;
		text += strspn(text, " ");
		new_row(w);
		column = w->x = w->indent;
	}
}

static void wrap_line(struct wrapper *w, uint32_t i, uint32_t to)
{
	uint32_t from = VEC_AT(struct line, w->line, i).first, k;

	w->command = VEC_AT(struct line, w->line, i).command;
	w->indent = indent_of(w, from, to);
	new_row(w);
	for (k = from; k < to; k++)
		wrap_span(w, &VEC_AT(struct span, w->spans, k));
}

static void swap(vec *x, vec *y)
{
	vec t = *x;

	*x = *y;
	*y = t;
}

static void wrap(struct lines *l)
{
	struct wrapper w = {.l = l, .spans = &l->raw_spans, .line = &l->raw_line};
	size_t here = PANE_NONE;
	uint32_t i, n = l->line.n;

	swap(&l->spans, &l->raw_spans);
	swap(&l->line, &l->raw_line);
	l->spans.n = l->line.n = 0;
	for (i = 0; i < n; i++) {
		if (i == l->here)
			here = l->line.n;
		wrap_line(&w, i, i + 1 < n ? VEC_AT(struct line, w.line, i + 1).first : w.spans->n);
	}
	l->here = here;
}

static void clear(struct lines *l)
{
	arena_reset(&l->text, (arena_mark){NULL, NULL});
	l->spans.n = 0;
	l->line.n = 0;
	l->here = PANE_NONE;
}

static void fill(struct lines *l)
{
	clear(l);
	l->fill(l->ctx, l);
	if (l->wrap && l->pane.width > 0)
		wrap(l);
	l->wrapped = l->pane.width;
	/* with a filter the cursor stays: its line may not be shown */
	if (l->here != PANE_NONE && !search_on(&l->pane.filter)) {
		l->pane.cur = l->here;
		l->pane.centre = true;
	}
}

/* The pane asks for the number of lines before anything else. */
static size_t lines_count(void *ctx)
{
	struct lines *l = ctx;
	uint64_t version = l->version ? l->version(l->ctx) : 0;

	if (l->filled != version + 1 || (l->wrap && l->wrapped != l->pane.width)) {
		fill(l);
		l->filled = version + 1;
	}
	return l->line.n;
}

static uint64_t lines_version(void *ctx)
{
	struct lines *l = ctx;

	return l->wrap ? l->filled * 4096 + (uint64_t)l->wrapped : l->filled;
}

static void lines_draw(void *ctx, const struct list_row *row, struct window w)
{
	struct lines *l = ctx;
	uint32_t i = VEC_AT(struct line, &l->line, row->line).first, end = l->spans.n;
	int x = 0;

	if (row->line + 1 < l->line.n)
		end = VEC_AT(struct line, &l->line, row->line + 1).first;
	for (; i < end; i++) {
		const struct span *s = &VEC_AT(struct span, &l->spans, i);

		/* a column that is taken already is one blank away */
		if (s->column)
			x = x < s->column ? s->column : x + 1;
		x = canvas_put(w, x, 0, s->role, s->text);
	}
}

static void lines_opened(void *ctx, size_t line, int side, char *command, size_t n)
{
	struct lines *l = ctx;
	const char *c = VEC_AT(struct line, &l->line, line).command;

	(void)side;
	snprintf(command, n, "%s", c ? c : "");
}

static void lines_title(void *ctx, int side, char *buf, size_t n)
{
	struct lines *l = ctx;

	(void)side;
	if (*l->title)
		snprintf(buf, n, "%s", l->title);
}

static const char *lines_empty(void *ctx)
{
	struct lines *l = ctx;

	return l->empty ? l->empty : "nothing to show";
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
		void (*fill)(void *ctx, struct lines *l), uint64_t (*version)(void *ctx), void *ctx)
{
	memset(l, 0, sizeof *l);
	l->fill = fill;
	l->version = version;
	l->ctx = ctx;
	arena_init(&l->text);
	vec_init(&l->spans, sizeof(struct span));
	vec_init(&l->line, sizeof(struct line));
	vec_init(&l->raw_spans, sizeof(struct span));
	vec_init(&l->raw_line, sizeof(struct line));
	l->here = PANE_NONE;
	pane_init(&l->pane, name, home, &lines_source, l);
}

void lines_release(struct lines *l)
{
	pane_release(&l->pane);
	arena_free(&l->text);
	vec_free(&l->spans);
	vec_free(&l->line);
	vec_free(&l->raw_spans);
	vec_free(&l->raw_line);
}
