#include "core/history.h"
#include "session/acts.h"
#include "session/nodes.h"
#include "view_history.h"

#include <stdio.h>
#include <string.h>

#define RULE_COLUMN 10
#define NODE_COLUMN 32
#define TEXT_COLUMN 54
#define WIDE 90			/* columns from which what a node was made to be stands in a column of its own */

/* A line that is no step: it stands behind the step it was done after. */
struct note {
	uint32_t step;
	const struct act *act;	/* NULL: a level */
	const char *text;
};

/* A line is the start, a step, or a note. */
struct entry {
	uint32_t step;
	const struct note *note;	/* NULL: the step itself */
};

static const struct note *note_at(const struct view_history *v, uint32_t i)
{
	return &VEC_AT(struct note, &v->notes, i);
}

static struct entry entry_at(const struct view_history *v, size_t line)
{
	uint32_t i;

	for (i = 0; i < v->notes.n && note_at(v, i)->step + 1 + (size_t)i <= line; i++)
		if (note_at(v, i)->step + 1 + (size_t)i == line)
			return (struct entry){note_at(v, i)->step, note_at(v, i)};
	return (struct entry){(uint32_t)(line - i), NULL};
}

/* The last line that is done: notes behind the last step included. */
static size_t line_of_cursor(const struct view_history *v)
{
	return session_step(v->s) + v->notes.n;
}

static void add_note(struct view_history *v, struct note n)
{
	*(struct note *)vec_push(&v->notes) = n;
}

static void take_notes(struct view_history *v)
{
	struct session *s = v->s;
	int i, t = 0, nt = session_ntold(s);
	uint32_t step = 0;

	v->notes.n = 0;
	for (i = 0; i <= acts_count(s); i++) {
		const struct act *a = i < acts_count(s) ? acts_get(s, i) : NULL;

		if (a && !a->done)
			continue;
		for (; t < nt; t++) {
			const char *text = session_told(s, t, &step);

			if (a && step >= a->step)
				break;
			add_note(v, (struct note){step, NULL, text});
		}
		if (a)
			add_note(v, (struct note){a->step, a, NULL});
	}
}

/* Steps done again are the same steps, unless acts came or went or the rules were read again. */
static void forget_other_runs(struct view_history *v)
{
	const void *pair = session_problem(v->s)->q;
	uint32_t notes = 0, i;

	for (i = 0; i < v->notes.n; i++)
		notes = notes * 31 + (note_at(v, i)->act ? (uint32_t)note_at(v, i)->act->id + 1 : 1);
	if (v->kept_of == pair && v->kept_notes == notes)
		return;
	memset(v->kept, 0, sizeof v->kept);
	v->kept_of = pair;
	v->kept_notes = notes;
}

static void look(struct view_history *v)
{
	uint64_t now = session_version(v->s) + 1;

	if (v->version == now)
		return;
	v->version = now;
	take_notes(v);
	forget_other_runs(v);
	if (v->step == session_step(v->s) && v->cursor == line_of_cursor(v))
		return;
	v->step = session_step(v->s);
	v->cursor = line_of_cursor(v);
	v->changed++;
	/* with a filter places are not lines */
	if (filter_on(&v->pane.filter))
		return;
	v->pane.cur = v->cursor;
	v->pane.centre = true;
}

static size_t history_lines(void *ctx)
{
	struct view_history *v = ctx;

	look(v);
	return session_known(v->s) + (size_t)v->notes.n + 1;
}

static const struct history_text *text_of(struct view_history *v, uint32_t step)
{
	struct history_text *t = &v->kept[step % HISTORY_KEPT];
	struct prover *p = session_problem(v->s)->p;
	struct step_text says;
	const hist_entry *f;
	arena tmp;

	if (t->step == step)
		return t;
	f = history_at(&p->a, session_firing_of(v->s, step));
	arena_init(&tmp);
	t->step = step;
	snprintf(t->rule, sizeof t->rule, "%s", prover_rule_name(p, f->rule));
	says = nodes_step(v->s, f->node, f->result, &tmp);
	snprintf(t->node, sizeof t->node, "%s", says.node);
	snprintf(t->made, sizeof t->made, "%s", says.made);
	arena_free(&tmp);
	return t;
}

static void draw_firing(struct view_history *v, uint32_t step, struct window w)
{
	const struct history_text *t = text_of(v, step);
	int x;

	canvas_put(w, RULE_COLUMN, 0, ROLE_RULE, t->rule);
	x = canvas_put(canvas_sub(w, 0, 0, w.w < WIDE ? w.w : TEXT_COLUMN - 1, 1), NODE_COLUMN, 0, ROLE_NAME, t->node);
	if (w.w >= WIDE)
		canvas_put(w, TEXT_COLUMN, 0, ROLE_DIM, t->made);
	else
		canvas_printf(w, x, 0, ROLE_DIM, " = %s", t->made);
}

static void draw_note(const struct note *n, struct window w)
{
	int x;

	if (!n->act) {
		canvas_put(w, RULE_COLUMN, 0, ROLE_COMMENT, n->text);
		return;
	}
	x = canvas_printf(w, RULE_COLUMN, 0, ROLE_TAINTED, "A%d  %s", n->act->id, n->act->text);
	if (n->act->failed)
		canvas_printf(w, x + 2, 0, ROLE_WARNING, "gave nothing: %s", n->act->failed);
}

static void history_draw(void *ctx, const struct list_row *row, struct window w)
{
	struct view_history *v = ctx;
	struct session *s = v->s;
	struct entry e = entry_at(v, row->line);

	if (row->line == line_of_cursor(v))
		canvas_put(w, 0, 0, ROLE_HERE, ">");
	if (e.note) {
		draw_note(e.note, w);
		return;
	}
	canvas_printf(w, 1, 0, e.step > session_step(s) ? ROLE_DIM : ROLE_NUMBER, "%7u", e.step);
	if (!e.step)
		canvas_put(w, RULE_COLUMN, 0, ROLE_DIM, "the start: both graphs are read, parameters are related");
	else if (e.step > session_step(s))
		canvas_put(w, RULE_COLUMN, 0, ROLE_DIM, "ahead");
	else
		draw_firing(v, e.step, w);
}

static uint64_t history_version(void *ctx)
{
	return ((struct view_history *)ctx)->changed;
}

static void history_open(void *ctx, size_t line, int side, char *command, size_t n)
{
	(void)side;
	snprintf(command, n, "goto %u", entry_at(ctx, line).step);
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
	vec_init(&v->notes, sizeof(struct note));
	pane_init(&v->pane, "history", HOME_RULES, &history_source, v);
}

void view_history_release(struct view_history *v)
{
	pane_release(&v->pane);
	vec_free(&v->notes);
}
