#include "view_graph.h"
#include "utf8.h"

#include <stdio.h>
#include <string.h>

#define NAME_COLUMN 2
#define NARROW 56		/* columns of a side from which there is more room for names */
#define RELATION_LEAST 8	/* columns the shape leaves to it */
#define OP_NAME_LEAST 12

enum role view_graph_mark_role(char mark)
{
	static const struct {
		char mark;
		enum role role;
	} marks[] = {
		{'=', ROLE_VERIFIED}, {'!', ROLE_FRONTIER}, {'.', ROLE_UNSETTLED}, {'?', ROLE_UNVERIFIED},
		{'x', ROLE_REFUTED}, {'*', ROLE_TAINTED}, {'+', ROLE_FOLDED},
	};
	size_t i;

	for (i = 0; i < sizeof marks / sizeof *marks; i++)
		if (marks[i].mark == mark)
			return marks[i].role;
	return ROLE_NORMAL;
}

static void put_mark(struct window w, int x, char mark)
{
	char text[2] = {mark, 0};

	canvas_put(w, x, 0, view_graph_mark_role(mark), text);
}

/* a row's pieces */

/* What the name does not say already. */
static const char *opcode_of(const row *r)
{
	const char *name = strrchr(r->path, '/'), *op = r->inst->opname;

	name = name ? name + 1 : r->path;
	name += *name == '%';
	return strncmp(name, op, strlen(op)) ? op : "";
}

/* With one mesh axis it goes without saying which. */
static const char *relation_of(struct session *s, int r, char *buf, size_t n)
{
	const struct problem *p = session_problem(s);
	const char *text = session_relation(s, SIDE_DIST, r), *over;
	size_t len;

	if (p->ms.n != 1 || !(over = strstr(text, " over ")))
		return text;
	len = strlen(p->ms.axis[0].name);
	if (strncmp(over + 6, p->ms.axis[0].name, len) || !strchr(" ;", over[6 + len]))
		return text;
	snprintf(buf, n, "%.*s%s", (int)(over - text), text, over + 6 + len);
	return buf;
}

/* Of a path that is too long the end matters: the beginning is where it was inlined from. */
static int put_path(struct window w, int x, int room, enum role role, const char *path)
{
	const char *at = path;

	if (utf8_cells(path, room + 1) <= room || !strchr(path, '/'))
		return canvas_put(canvas_sub(w, 0, 0, x + room, 1), x, 0, role, path);
	while (*at && utf8_cells(at, room) > room - 1)
		utf8_next(&at);
	x = canvas_put(w, x, 0, ROLE_DIM, "\xe2\x80\xa6");
	return canvas_put(w, x, 0, role, at);
}

static int put_name(struct window w, int x, int room, const char *path)
{
	char name[1024];

	snprintf(name, sizeof name, "%%%s", path);
	return put_path(w, x, room, ROLE_NAME, name);
}

static bool is_operand(struct session *s, enum program_side side, int r)
{
	const struct selection *sel = session_selection(s);
	const row *x = session_row(s, side, sel->row[side]);
	int k;

	for (k = 0; x && k < x->nop; k++)
		if (x->op[k] == r)
			return true;
	return false;
}

static void put_place(struct session *s, struct window w, enum program_side side, int r)
{
	enum program_side at;
	int busy;

	if (session_busy_row(s, &at, &busy) && at == side && busy == r)
		canvas_put(w, 1, 0, ROLE_HERE, ">");
	else if (session_row_breaks(s, side, r))
		canvas_put(w, 1, 0, ROLE_WARNING, "b");
	else if (is_operand(s, side, r))
		canvas_put(w, 1, 0, ROLE_DIM, "<");
}

static int shape_column(const struct window *w)
{
	return w->w < NARROW ? 18 : w->w / 2 - 8 < 44 ? w->w / 2 - 8 : 44;
}

static int shape_width(const struct window *w)
{
	return w->w < 50 ? 14 : w->w < 62 ? 16 : 18;
}

/* The shape gives way to the relation where both do not fit. */
static void put_shape_and_relation(struct window w, int column, const char *shape, enum role role, const char *relation)
{
	int wide = utf8_cells(relation, w.w), least = wide < RELATION_LEAST ? wide : RELATION_LEAST;
	int end = canvas_put(canvas_sub(w, 0, 0, w.w - (least ? least + 1 : 0), 1), column, 0, ROLE_SHAPE, shape) + 1;
	int at = column + shape_width(&w) < w.w - wide ? column + shape_width(&w) : w.w - wide;

	at = at < end ? end : at;
	canvas_put(w, at, 0, role, relation);
}

/* What a parameter is called in the model says more than that it is one. */
static const char *remark_of(const row *r)
{
	if (r->param < 0)
		return opcode_of(r);
	return r->inst->op_name && *r->inst->op_name ? r->inst->op_name : "param";
}

static void draw_row(struct session *s, enum program_side side, int r, char mark, struct window w)
{
	const row *x = session_row(s, side, r);
	char shape[256], relation[512];
	int at, column = shape_column(&w);

	put_mark(w, 0, mark);
	put_place(s, w, side, r);
	at = put_name(w, NAME_COLUMN, column - NAME_COLUMN - 1, x->path);
	if (*remark_of(x) && at + 2 < column)
		canvas_put(canvas_sub(w, 0, 0, column - 1, 1), at + 1, 0, ROLE_OPCODE, remark_of(x));
	row_shape(x, shape, sizeof shape);
	if (side == SIDE_DIST) {
		put_shape_and_relation(w, column, shape, mark == '*' ? ROLE_TAINTED : ROLE_RELATION,
				       relation_of(s, r, relation, sizeof relation));
		return;
	}
	at = canvas_put(w, column, 0, ROLE_SHAPE, shape);
	at = at < column + shape_width(&w) ? column + shape_width(&w) : at + 1;
	if (x->inst->op_name && x->param < 0 && w.w - at >= OP_NAME_LEAST)
		put_path(w, at, w.w - at, ROLE_DIM, x->inst->op_name);
}

static void draw_fold(const struct session_line *l, enum program_side side, struct window w)
{
	int column = shape_column(&w);

	put_mark(w, 0, '+');
	put_mark(w, 1, l->mark[side]);
	canvas_put(canvas_sub(w, 0, 0, column - 1, 1), NAME_COLUMN, 0, ROLE_FOLDED, l->label);
	canvas_printf(w, column, 0, ROLE_SHAPE, "%d row%s", l->n[side], l->n[side] == 1 ? "" : "s");
}

/* The last row of a side above a line, which has none of it: lines keep the order of rows. */
static int row_above(struct session *s, enum program_side side, size_t line)
{
	int lo = 0, hi = session_program(s, side)->nrow;

	while (lo < hi) {
		int mid = (lo + hi) / 2;

		if (session_line_of(s, side, mid) < line)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo - 1;
}

static void draw_blank(struct session *s, enum program_side side, size_t line, struct window w)
{
	int above = row_above(s, side, line);
	const row *x = session_row(s, side, above < 0 ? 0 : above);
	char name[1024];
	int at;

	if (!x)
		return;
	snprintf(name, sizeof name, "%%%s", x->path);
	at = canvas_put(w, NAME_COLUMN + 2, 0, ROLE_DIM, above < 0 ? "before" : "after") + 1;
	put_path(w, at, w.w - at, ROLE_DIM, name);
}

/* the list */

static size_t graph_count(void *ctx)
{
	return session_nline(((struct view_graph *)ctx)->s);
}

static bool is_selected(struct session *s, const struct session_line *l, int side)
{
	int r = session_selection(s)->row[side];

	return !l->fold && r >= 0 && l->row[side] == r;
}

static void graph_draw(void *ctx, const struct list_row *row, struct window w)
{
	struct session *s = ((struct view_graph *)ctx)->s;
	enum program_side side = (enum program_side)row->side;
	struct session_line l;

	session_line(s, row->line, &l);
	if (l.row[side] < 0) {
		draw_blank(s, side, row->line, w);
		return;
	}
	if (l.fold)
		draw_fold(&l, side, w);
	else
		draw_row(s, side, l.row[side], l.mark[side], w);
	if (!row->selected && is_selected(s, &l, row->side))
		canvas_over(w, (struct rect){0, 0, w.w, 1}, ROLE_PARTNER);
}

/* What is written to, and the bytes that are left of it. */
struct text {
	char *at;
	size_t left;
};

/* Of all lines, when one searches: snprintf takes longer than what it writes takes to be found. */
static void append(struct text *t, const char *word)
{
	size_t n = strlen(word);

	n = n < t->left ? n : t->left - 1;
	memcpy(t->at, word, n);
	t->at += n;
	t->left -= n;
	*t->at = 0;
}

/* "= %dot.3 dot f32[2,8] S(1) jit(f)/dot" */
static void append_row(struct text *t, struct session *s, const struct session_line *l, enum program_side side, const struct row *r)
{
	char mark[] = {l->mark[side], ' ', '%', 0}, shape[256], relation[512];

	append(t, mark);
	append(t, r->path);
	append(t, " ");
	append(t, r->inst->opname);
	append(t, " ");
	append(t, row_shape(r, shape, sizeof shape));
	append(t, " ");
	append(t, side == SIDE_DIST ? relation_of(s, l->row[side], relation, sizeof relation) : "");
	append(t, " ");
	append(t, r->inst->op_name ? r->inst->op_name : "");
}

static const char *graph_text(void *ctx, const struct list_row *row, char *buf, size_t n)
{
	struct session *s = ((struct view_graph *)ctx)->s;
	enum program_side side = (enum program_side)row->side;
	struct session_line line, *l = &line;
	struct text t = {buf, n};
	const struct row *r;

	session_line(s, row->line, l);
	r = session_row(s, side, l->row[side]);
	*buf = 0;
	if (r && l->fold)
		snprintf(buf, n, "+%c %s %d rows", l->mark[side], l->label, l->n[side]);
	else if (r)
		append_row(&t, s, l, side, r);
	return buf;
}

static uint64_t graph_version(void *ctx)
{
	return session_lines_version(((struct view_graph *)ctx)->s);
}

static uint64_t graph_texts(void *ctx)
{
	return session_marks_version(((struct view_graph *)ctx)->s);
}

static uint64_t graph_key(void *ctx, size_t line)
{
	struct session_line l;
	enum program_side side;

	session_line(((struct view_graph *)ctx)->s, line, &l);
	side = l.row[SIDE_DIST] >= 0 ? SIDE_DIST : SIDE_BASE;
	return (uint64_t)side << 32 | (uint32_t)l.row[side];
}

static size_t graph_find(void *ctx, uint64_t key)
{
	return session_line_of(((struct view_graph *)ctx)->s, (enum program_side)(key >> 32), (int)(uint32_t)key);
}

static void graph_moved(void *ctx, size_t line, int side)
{
	session_select_line(((struct view_graph *)ctx)->s, (enum program_side)side, line);
}

static void graph_open(void *ctx, size_t line, int side, char *command, size_t n)
{
	struct session_line l;

	(void)side;
	session_line(((struct view_graph *)ctx)->s, line, &l);
	snprintf(command, n, "%s", l.fold ? "fold" : "info class");
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static void graph_title(void *ctx, int side, char *buf, size_t n)
{
	const struct problem_files *f = &session_problem(((struct view_graph *)ctx)->s)->files;

	snprintf(buf, n, "[%s] %s", side ? "dist" : "base", base_name(side ? f->dist : f->base));
}

static const struct list_source graph_source = {
	.count = graph_count, .draw = graph_draw, .text = graph_text, .version = graph_version, .texts = graph_texts, .key = graph_key,
	.find = graph_find, .moved = graph_moved, .open = graph_open, .title = graph_title,
};

void view_graph_init(struct view_graph *v, struct session *s)
{
	v->s = s;
	pane_init(&v->pane, "graph", HOME_MAIN, &graph_source, v);
	v->pane.sides = 2;
	v->pane.side = SIDE_DIST;
	v->pane.sticky = NAME_COLUMN;
}

void view_graph_release(struct view_graph *v)
{
	pane_release(&v->pane);
}

void view_graph_follow(struct view_graph *v)
{
	const struct selection *sel = session_selection(v->s);
	size_t line = session_line_of(v->s, sel->side, sel->row[sel->side]), cursor = pane_line(&v->pane);
	struct session_line l;

	if (line == PANE_NONE)
		return;
	if (line != cursor)
		pane_to(&v->pane, line, true);
	/* the cursor may stand on the blank side of a line: there it stays */
	session_line(v->s, line, &l);
	if (line != cursor || l.row[v->pane.side] >= 0)
		v->pane.side = (int)sel->side;
}
