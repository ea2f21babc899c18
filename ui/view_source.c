#include "session/source_lines.h"
#include "utf8.h"
#include "view_graph.h"
#include "view_source.h"

#include <stdio.h>
#include <string.h>

#define TAB 8
#define SIGNS_LEAST 44		/* column at which instructions are named at the earliest */
#define SIGNS_MOST 4		/* of one line */
#define SIGN_LEAST 4		/* columns in which one says something: a mark, a blank, %, a character */

/* the index */

static const struct source_lines *index_of(struct view_source *v, enum program_side side)
{
	if (!v->index[side])
		v->index[side] = source_lines_new(session_sources(v->s), session_program(v->s, side));
	return v->index[side];
}

static void drop_indices(struct view_source *v)
{
	int side;

	for (side = 0; side < 2; side++) {
		source_lines_free(v->index[side]);
		v->index[side] = NULL;
	}
}

/* keeping up with the selection */

/* Which frames there are is all that can be shown then; who goes from one to the next stays where they are listed. */
static void say_missing(struct view_source *v)
{
	bool before = v->is_missing;

	v->is_missing = v->file && !v->file->path;
	if (!v->is_missing)
		return;
	session_page(v->s, PAGE_SOURCE, &v->missing);
	if (!before)
		v->pane.cur = 0;
}

static void look(struct view_source *v)
{
	uint64_t now = session_version(v->s) + 1;
	const struct frame *was = v->frame;
	const struct source_file *file = v->file;

	if (v->version == now)
		return;
	v->version = now;
	v->side = session_selection(v->s)->side;
	v->frame = session_frame(v->s);
	v->file = v->frame && v->frame->file ? sources_open(session_sources(v->s), v->frame->file) : NULL;
	if (v->file == file && v->frame == was && v->forgotten == sources_forgotten(session_sources(v->s)))
		return;
	if (v->forgotten != sources_forgotten(session_sources(v->s)))
		drop_indices(v);
	v->forgotten = sources_forgotten(session_sources(v->s));
	v->changed++;
	say_missing(v);
	/* with a filter places are not lines */
	if (v->file && v->file->path && v->frame->line > 0 && !filter_on(&v->pane.filter)) {
		v->pane.cur = (size_t)v->frame->line - 1;
		v->pane.centre = true;
	}
}

/* the list */

static size_t source_count(void *ctx)
{
	struct view_source *v = ctx;

	look(v);
	return !v->file ? 0 : v->file->path ? (size_t)v->file->nline : page_count(&v->missing);
}

static const char *expanded(const char *text, char *buf, size_t n)
{
	size_t at = 0;

	for (; *text && at + TAB + 1 < n; text++) {
		if (*text != '\t')
			buf[at++] = *text;
		else
			do
				buf[at++] = ' ';
			while (at % TAB);
	}
	buf[at] = 0;
	return buf;
}

/* The instructions that come from this line. */
static void put_signs(struct view_source *v, struct window w, int x, int line)
{
	const struct source_lines *index = index_of(v, v->side);
	int n = 0, r;

	x = x + 3 < SIGNS_LEAST ? SIGNS_LEAST : x + 3;
	for (r = source_lines_first(index, v->frame->file, line); r >= 0; r = source_lines_next(index, r), n++) {
		char mark[2] = {session_mark(v->s, v->side, r), 0};

		if (n == SIGNS_MOST) {
			canvas_put(w, x + 1, 0, ROLE_DIM, "..");
			return;
		}
		if (n && x + 2 + SIGN_LEAST > w.w) {
			canvas_put(w, w.w - 1, 0, ROLE_DIM, "…");
			return;
		}
		x = canvas_put(w, n ? x + 2 : x, 0, view_graph_mark_role(*mark), mark);
		x = canvas_printf(w, x + 1, 0, ROLE_DIM, "%%%s", session_row(v->s, v->side, r)->path);
	}
}

static void source_draw(void *ctx, const struct list_row *row, struct window w)
{
	struct view_source *v = ctx;
	char text[2048];
	int line = (int)row->line + 1, x;
	bool here;

	if (!v->file->path) {
		lines_put(&v->missing, row->line, w);
		return;
	}
	here = line == v->frame->line;
	canvas_put(w, 0, 0, ROLE_HERE, here ? ">" : " ");
	x = canvas_printf(w, 1, 0, here ? ROLE_HERE : ROLE_DIM, "%4d  ", line);
	x = canvas_put(w, x, 0, here ? ROLE_HERE : ROLE_NORMAL, expanded(v->file->line[row->line], text, sizeof text));
	put_signs(v, w, x, line);
}

static uint64_t source_version(void *ctx)
{
	struct view_source *v = ctx;

	look(v);
	return v->changed;
}

static void source_open(void *ctx, size_t line, int side, char *command, size_t n)
{
	struct view_source *v = ctx;
	const char *opens;
	int r;

	(void)side;
	if (!v->file->path) {
		opens = page_line_at(&v->missing, line)->open;
		snprintf(command, n, "%s", opens ? opens : "");
		return;
	}
	r = source_lines_first(index_of(v, v->side), v->frame->file, (int)line + 1);
	if (r >= 0)
		snprintf(command, n, "select %s%%%s", v->side == SIDE_BASE ? "base " : "dist ", session_row(v->s, v->side, r)->path);
}

static void source_title(void *ctx, int side, char *buf, size_t n)
{
	struct view_source *v = ctx;
	const struct inst *of;
	const struct row *row;
	const char *slash;

	(void)side;
	if (!v->frame || !v->frame->file)
		return;
	slash = strrchr(v->frame->file, '/');
	row = session_row(v->s, session_selection(v->s)->side, session_selection(v->s)->row[session_selection(v->s)->side]);
	of = session_teller(v->s);
	snprintf(buf, n, "%s:%d%s%s%s%s  frame %d", slash ? slash + 1 : v->frame->file, v->frame->line,
		 v->frame->function ? " in " : "", v->frame->function ? v->frame->function : "",
		 row && of != row->inst ? ", of %" : "", row && of != row->inst ? of->name : "", session_frame_index(v->s));
}

static const char *source_empty(void *ctx)
{
	(void)ctx;
	return "no source position is recorded for this instruction";
}

static const struct list_source source_source = {
	.count = source_count, .draw = source_draw, .version = source_version, .open = source_open,
	.title = source_title, .empty = source_empty,
};

void view_source_init(struct view_source *v, struct session *s)
{
	memset(v, 0, sizeof *v);
	v->s = s;
	page_init(&v->missing);
	pane_init(&v->pane, "source", HOME_SOURCE, &source_source, v);
	v->pane.sticky = 6;
}

void view_source_release(struct view_source *v)
{
	pane_release(&v->pane);
	drop_indices(v);
	page_release(&v->missing);
}
