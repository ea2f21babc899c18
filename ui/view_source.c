#include "view_source.h"
#include "source.h"
#include "utf8.h"
#include "view_graph.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TAB 8
#define SIGNS_LEAST 44		/* column at which instructions are named at the earliest */
#define SIGNS_MOST 4		/* of one line */

/* An instruction comes from a line of a file. */
struct source_place {
	const char *file;
	int line, row;
};

/* the index */

static int by_place(const void *a, const void *b)
{
	const struct source_place *x = a, *y = b;
	int d = strcmp(x->file, y->file);

	if (d)
		return d;
	return x->line != y->line ? (x->line > y->line) - (x->line < y->line) : x->row - y->row;
}

static void make_index(struct view_source *v, const struct program *p)
{
	struct sources *src = session_sources(v->s);
	int r;

	v->place.n = 0;
	for (r = 0; r < p->nrow; r++) {
		int up = 0;
		const struct frame *f = sources_frame(src, p->row[r].inst, &up);

		if (f && f->file)
			*(struct source_place *)vec_push(&v->place) = (struct source_place){f->file, f->line, r};
	}
	if (v->place.n)
		qsort(v->place.base, v->place.n, sizeof(struct source_place), by_place);
	v->program = p;
	v->side = p->side;
	v->nskip = sources_nskip(src);
}

/* The first place of a file and line, or of what comes behind. */
static uint32_t find_place(const struct view_source *v, const char *file, int line)
{
	struct source_place wanted = {file, line, -1};
	uint32_t lo = 0, hi = v->place.n;

	while (lo < hi) {
		uint32_t mid = (lo + hi) / 2;

		if (by_place(&VEC_AT(struct source_place, &v->place, mid), &wanted) < 0)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

static const struct source_place *place_at(const struct view_source *v, uint32_t i, int line)
{
	const struct source_place *p = i < v->place.n ? &VEC_AT(struct source_place, &v->place, i) : NULL;

	return p && p->line == line && !strcmp(p->file, v->frame->file) ? p : NULL;
}

/* keeping up with the selection */

static void add_text(struct view_source *v, const char *text)
{
	*(const char **)vec_push(&v->tried) = text;
}

static void say_missing(struct view_source *v)
{
	int k;

	v->tried.n = 0;
	if (!v->file || v->file->path)
		return;
	add_text(v, v->file->name);
	add_text(v, "was not found; tried:");
	for (k = 0; k < v->file->ntried; k++)
		add_text(v, v->file->tried[k]);
	add_text(v, v->file->propose);
}

static void look(struct view_source *v)
{
	uint64_t now = session_version(v->s) + 1;
	const struct frame *was = v->frame;
	const struct source_file *file = v->file;
	const struct program *p;

	if (v->version == now)
		return;
	v->version = now;
	p = session_program(v->s, session_selection(v->s)->side);
	if (v->program != p || v->nskip != sources_nskip(session_sources(v->s)))
		make_index(v, p);
	v->frame = session_frame(v->s);
	v->file = v->frame && v->frame->file ? sources_open(session_sources(v->s), v->frame->file) : NULL;
	if (v->file == file && v->frame == was && v->forgotten == sources_forgotten(session_sources(v->s)))
		return;
	v->forgotten = sources_forgotten(session_sources(v->s));
	v->changed++;
	say_missing(v);
	/* with a filter places are not lines */
	if (v->file && v->file->path && v->frame->line > 0 && !search_on(&v->pane.filter)) {
		v->pane.cur = (size_t)v->frame->line - 1;
		v->pane.centre = true;
	}
}

/* the list */

static size_t source_count(void *ctx)
{
	struct view_source *v = ctx;

	look(v);
	return !v->file ? 0 : v->file->path ? (size_t)v->file->nline : v->tried.n;
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
	uint32_t i = find_place(v, v->frame->file, line);
	const struct source_place *p;
	int n = 0;

	x = x + 3 < SIGNS_LEAST ? SIGNS_LEAST : x + 3;
	for (; (p = place_at(v, i, line)) != NULL; i++, n++) {
		const row *r = session_row(v->s, v->side, p->row);
		char mark[2] = {session_mark(v->s, v->side, p->row), 0};

		if (n == SIGNS_MOST) {
			canvas_put(w, x + 1, 0, ROLE_DIM, "..");
			return;
		}
		x = canvas_put(w, n ? x + 2 : x, 0, view_graph_mark_role(*mark), mark);
		x = canvas_printf(w, x + 1, 0, ROLE_DIM, "%%%s", r->path);
	}
}

static void source_draw(void *ctx, const struct list_row *row, struct window w)
{
	struct view_source *v = ctx;
	char text[2048];
	int line = (int)row->line + 1, x;
	bool here;

	if (!v->file->path) {
		canvas_put(w, 0, 0, line == 1 ? ROLE_NAME : row->line + 1 == v->tried.n ? ROLE_KEY : ROLE_NORMAL,
			   VEC_AT(const char *, &v->tried, row->line));
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
	const struct source_place *p;

	(void)side;
	if (!v->file->path) {
		if (line + 1 == v->tried.n)
			snprintf(command, n, "prompt %s", v->file->propose);
		return;
	}
	p = place_at(v, find_place(v, v->frame->file, (int)line + 1), (int)line + 1);
	if (p)
		snprintf(command, n, "select %s%%%s", v->side == SIDE_BASE ? "base " : "dist ", session_row(v->s, v->side, p->row)->path);
}

static void source_title(void *ctx, int side, char *buf, size_t n)
{
	struct view_source *v = ctx;
	const char *slash;

	(void)side;
	if (!v->frame || !v->frame->file)
		return;
	slash = strrchr(v->frame->file, '/');
	snprintf(buf, n, "%s:%d%s%s  frame %d", slash ? slash + 1 : v->frame->file, v->frame->line,
		 v->frame->function ? " in " : "", v->frame->function ? v->frame->function : "", session_frame_index(v->s));
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
	vec_init(&v->place, sizeof(struct source_place));
	vec_init(&v->tried, sizeof(const char *));
	pane_init(&v->pane, "source", HOME_SOURCE, &source_source, v);
	v->pane.sticky = 6;
}

void view_source_release(struct view_source *v)
{
	pane_release(&v->pane);
	vec_free(&v->place);
	vec_free(&v->tried);
}
