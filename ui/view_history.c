#include "view_history.h"
#include "acts.h"
#include "history.h"
#include "nodes.h"

#include <stdio.h>
#include <string.h>

#define RULE_COLUMN 10
#define NODE_COLUMN 32
#define TEXT_COLUMN 54
#define WIDE 90			/* columns from which a line says what the node is */

/* A line is the start, a step, or an act, which stands behind the step it was done after. */
struct entry {
	uint32_t step;
	const struct act *act;	/* NULL: the step itself */
};

static const struct act *done_act(const struct session *s, int i)
{
	const struct act *a = acts_get(s, i);

	return a->done ? a : NULL;
}

static struct entry entry_at(const struct session *s, size_t line)
{
	size_t before = 0;	/* acts above the line */
	int i;

	for (i = 0; i < acts_count(s); i++) {
		const struct act *a = done_act(s, i);

		if (!a)
			continue;
		if (a->step + 1 + before == line)
			return (struct entry){a->step, a};
		if (a->step + 1 + before > line)
			break;
		before++;
	}
	return (struct entry){(uint32_t)(line - before), NULL};
}

static size_t acts_done(const struct session *s)
{
	size_t n = 0;
	int i;

	for (i = 0; i < acts_count(s); i++)
		n += done_act(s, i) != NULL;
	return n;
}

/* The last line that is done: acts behind the last step included. */
static size_t line_of_cursor(const struct session *s)
{
	return session_step(s) + acts_done(s);
}

static void look(struct view_history *v)
{
	uint64_t now = session_version(v->s) + 1;

	if (v->version == now)
		return;
	v->version = now;
	if (v->step == session_step(v->s) && v->cursor == line_of_cursor(v->s))
		return;
	v->step = session_step(v->s);
	v->cursor = line_of_cursor(v->s);
	v->changed++;
	/* with a filter places are not lines */
	if (search_on(&v->pane.filter))
		return;
	v->pane.cur = v->cursor;
	v->pane.centre = true;
}

static size_t history_lines(void *ctx)
{
	struct view_history *v = ctx;

	look(v);
	return session_known(v->s) + acts_done(v->s) + 1;
}

static void draw_firing(struct session *s, uint32_t step, struct window w)
{
	algebra *a = &session_problem(s)->p->a;
	const hist_entry *f = history_at(a, session_firing_of(s, step));
	char name[512];
	arena tmp;
	int x;

	canvas_put(w, RULE_COLUMN, 0, ROLE_RULE, prover_rule_name(session_problem(s)->p, f->rule));
	x = canvas_printf(canvas_sub(w, 0, 0, w.w < WIDE ? w.w : TEXT_COLUMN - 1, 1), NODE_COLUMN, 0, ROLE_NAME, "%s",
			  nodes_name(s, f->node, name, sizeof name));
	if (w.w < WIDE || x >= w.w)
		return;
	arena_init(&tmp);
	canvas_put(w, TEXT_COLUMN, 0, ROLE_DIM, nodes_text(s, f->result, &tmp));
	arena_free(&tmp);
}

static void draw_act(const struct act *a, struct window w)
{
	int x = canvas_printf(w, RULE_COLUMN, 0, ROLE_TAINTED, "A%d  %s", a->id, a->text);

	if (a->failed)
		canvas_printf(w, x + 2, 0, ROLE_WARNING, "gave nothing: %s", a->failed);
}

static void history_draw(void *ctx, const struct list_row *row, struct window w)
{
	struct session *s = ((struct view_history *)ctx)->s;
	struct entry e = entry_at(s, row->line);

	if (row->line == line_of_cursor(s))
		canvas_put(w, 0, 0, ROLE_HERE, ">");
	if (e.act) {
		draw_act(e.act, w);
		return;
	}
	canvas_printf(w, 1, 0, e.step > session_step(s) ? ROLE_DIM : ROLE_NUMBER, "%7u", e.step);
	if (!e.step)
		canvas_put(w, RULE_COLUMN, 0, ROLE_DIM, "the start: both graphs are read, parameters are related");
	else if (e.step > session_step(s))
		canvas_put(w, RULE_COLUMN, 0, ROLE_DIM, "ahead");
	else
		draw_firing(s, e.step, w);
}

static uint64_t history_version(void *ctx)
{
	return ((struct view_history *)ctx)->changed;
}

static void history_open(void *ctx, size_t line, int side, char *command, size_t n)
{
	(void)side;
	snprintf(command, n, "goto %u", entry_at(((struct view_history *)ctx)->s, line).step);
}

static void history_title(void *ctx, int side, char *buf, size_t n)
{
	struct session *s = ((struct view_history *)ctx)->s;

	(void)side;
	snprintf(buf, n, "history  step %u of %u", session_step(s), session_known(s));
}

static const struct list_source history_source = {
	.count = history_lines, .draw = history_draw, .version = history_version, .open = history_open, .title = history_title,
};

void view_history_init(struct view_history *v, struct session *s)
{
	memset(v, 0, sizeof *v);
	v->s = s;
	pane_init(&v->pane, "history", HOME_RULES, &history_source, v);
}

void view_history_release(struct view_history *v)
{
	pane_release(&v->pane);
}
