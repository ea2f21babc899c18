#include "lines.h"

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

/* With a filter the cursor stays: its line may not be shown. */
void lines_here(struct lines *l)
{
	if (search_on(&l->pane.filter))
		return;
	l->pane.cur = l->line.n - 1;
	l->pane.centre = true;
}

static void clear(struct lines *l)
{
	arena_reset(&l->text, (arena_mark){NULL, NULL});
	l->spans.n = 0;
	l->line.n = 0;
}

/* The pane asks for the number of lines before anything else. */
static size_t lines_count(void *ctx)
{
	struct lines *l = ctx;
	uint64_t version = l->version ? l->version(l->ctx) : 0;

	if (l->filled != version + 1) {
		clear(l);
		l->fill(l->ctx, l);
		l->filled = version + 1;
	}
	return l->line.n;
}

static uint64_t lines_version(void *ctx)
{
	return ((struct lines *)ctx)->filled;
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
	pane_init(&l->pane, name, home, &lines_source, l);
}

void lines_release(struct lines *l)
{
	pane_release(&l->pane);
	arena_free(&l->text);
	vec_free(&l->spans);
	vec_free(&l->line);
}
