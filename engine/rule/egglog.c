#include "rule/egglog.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "rule/extract.h"
#include "rule/firing_in.h"

enum frame_kind { FRAME_TIMES, FRAME_RUN, FRAME_SEQ, FRAME_REPEAT, FRAME_SATURATE };

/* An open schedule.  TIMES is the command (run R n), RUN one iteration. */
typedef struct frame {
	uint64_t form;		/* const sexp * */
	uint32_t kind;
	uint32_t child;		/* next child; of RUN and TIMES: 1 while an iteration is open */
	uint32_t left;		/* passes of REPEAT and TIMES still to come */
	uint32_t pass;		/* something changed in this pass */
	uint32_t changed;	/* .. in any */
	uint32_t ruleset;
	uint32_t until, nuntil;	/* facts, in form->at */
} frame;

/* What was declared, and the trail, at some point. */
struct level {
	trail_mark mark;
	uint32_t tables, sets, rules, sorts, families;
};

struct egglog {
	firings *f;
	schedule *s;
	rules *r;
	egraph *g;
	egglog_say_fn *say;
	void *ctx;
	vec form;		/* const sexp * */
	vec file;		/* const char * per form */
	vec frames;
	vec levels;		/* struct level: pushed */
	vec declared;		/* struct level: before each command */
	uint32_t undo;
	uint32_t at;		/* form that runs or comes next */
	uint32_t depth;		/* open frames */
	trail_mark begun;	/* of the command under way */
	const char *error;
	bool late;		/* the error is of a kind that `fail` catches */
	arena scratch;
};

/* ---- levels */

static void note_level(const egglog *p, struct level *l)
{
	l->mark = trail_at(&p->g->trail);
	l->tables = p->r->tables.n;
	l->sets = p->r->sets.n;
	l->rules = p->r->rules.n;
	l->sorts = eg_nsort(p->g);
	l->families = eg_nfamily(p->g);
}

static void forget(egglog *p, const struct level *l)
{
	rules_forget(p->r, l->tables);
	p->r->sets.n = l->sets;
	p->r->rules.n = p->r->name_hash.n = l->rules;
	eg_forget(p->g, l->sorts, l->families);
}

static void undo_declaration(void *ctx, uint32_t i)
{
	egglog *p = ctx;

	forget(p, &VEC_AT(struct level, &p->declared, i));
	p->declared.n = i;
}

/* ---- the whole */

egglog *egglog_new(firings *f, schedule *s, egglog_say_fn *say, void *ctx)
{
	egglog *p = calloc(1, sizeof *p);

	if (!p)
		die_hook("out of memory");
	p->f = f;
	p->s = s;
	p->r = f->r;
	p->g = f->g;
	p->say = say;
	p->ctx = ctx;
	vec_init(&p->form, sizeof(const sexp *));
	vec_init(&p->file, sizeof(const char *));
	vec_init(&p->frames, sizeof(frame));
	vec_init(&p->levels, sizeof(struct level));
	vec_init(&p->declared, sizeof(struct level));
	p->undo = trail_register(&p->g->trail, undo_declaration, p);
	arena_init(&p->scratch);
	return p;
}

void egglog_free(egglog *p)
{
	if (!p)
		return;
	vec_free(&p->form);
	vec_free(&p->file);
	vec_free(&p->frames);
	vec_free(&p->levels);
	vec_free(&p->declared);
	arena_free(&p->scratch);
	free(p);
}

const char *egglog_load(egglog *p, const char *file, const char *text, size_t n)
{
	const char *error;
	const sexp *top;
	uint32_t i;

	file = arena_strdup(&p->r->a, file);
	top = sexp_read(&p->r->a, file, text, n, &error);
	if (!top)
		return error;
	for (i = 0; i < top->n; i++) {
		*(const sexp **)vec_push(&p->form) = &top->at[i];
		*(const char **)vec_push(&p->file) = file;
	}
	return NULL;
}

const sexp *egglog_at(const egglog *p)
{
	return p->at < p->form.n ? VEC_AT(const sexp *, &p->form, p->at) : NULL;
}

const char *egglog_error(const egglog *p)
{
	return p->error;
}

static void set(egglog *p, uint32_t *at, uint32_t v)
{
	trail_set32(&p->g->trail, at, v);
}

/* At the end of the program still the last one: expressions are read there, too. */
const char *egglog_file(const egglog *p)
{
	return p->file.n ? VEC_AT(const char *, &p->file, p->at < p->file.n ? p->at : p->file.n - 1) : "";
}

static void say(const egglog *p, const char *line)
{
	if (p->say)
		p->say(p->ctx, line);
}

/* An error of reading or typing. */
static bool wrong(egglog *p, const sexp *at, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
static bool wrong(egglog *p, const sexp *at, const char *fmt, ...)
{
	char text[400];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	p->error = sexp_error(&p->r->a, egglog_file(p), at, "%s", text);
	p->late = false;
	return false;
}

/* An error of running. */
static bool failed(egglog *p, const sexp *at, const char *why)
{
	wrong(p, at, "%s", why);
	p->late = true;
	return false;
}

/* ---- facts */

/* Does a conjunction of facts hold now?  1, 0, or -1 with *error. */
static int egglog_holds(egglog *p, const char *file, const sexp *facts, uint32_t n, const char **error)
{
	pattern *q = rules_alloc(p->r, sizeof *q);
	rule *u = rules_alloc(p->r, sizeof *u);

	u->name = "check";
	u->pattern = q;
	q->rule = u;
	if ((*error = type_rule(p->r, file, q, facts, n, NULL, 0)) || (*error = pattern_compile(p->r, q, file, facts)))
		return -1;
	return match_all(p->f->sub, u, 0);
}

static bool command_check(egglog *p, const sexp *s)
{
	const char *error;
	int holds;

	p->r->ungrounded = false;
	holds = egglog_holds(p, egglog_file(p), s->at + 1, s->n - 1, &error);

	if (holds < 0) {
		p->error = error;
		p->late = p->r->ungrounded;
		return false;
	}
	return holds || failed(p, s, "check failed");
}

/* ---- acts */

/* Runs the acts of a pattern as something given. */
static bool run_given(egglog *p, const sexp *s, const pattern *q)
{
	uint32_t id = firing_note(p->f, s->text[0] ? s->text : "given");
	const char *error;
	bool changed;

	match_room(p->f->sub, q);
	p->f->sub->p = q;
	error = acts_run(p->f, p->f->sub, q, EG_GIVEN, id, &changed);
	if (!error)
		error = cells_settle(p->f, id, &changed);
	return !error || failed(p, s, error);
}

static bool command_action(egglog *p, const sexp *s)
{
	pattern *q = rules_alloc(p->r, sizeof *q);

	p->error = type_rule(p->r, egglog_file(p), q, NULL, 0, s, 1);
	p->late = false;
	return !p->error && run_given(p, s, q);
}

/* The value of an expression; adds what it calls. */
static bool evaluate(egglog *p, const sexp *whole, const sexp *e, eg_sort *sort, uint32_t *value)
{
	pattern *q = rules_alloc(p->r, sizeof *q);
	operand out;

	p->error = type_expr(p->r, egglog_file(p), q, e, NIL, NULL, 0, &out, sort);
	p->late = false;
	if (p->error || !run_given(p, whole, q))
		return false;
	*value = out.kind == OPERAND_VAR ? p->f->sub->reg[out.id].id : out.id;
	return true;
}

/* The row of a function whose columns are these: a row that is there, not one that is built. */
static eg_id find_row(const egglog *p, const table *b, const uint32_t *value)
{
	const egraph *g = p->g;
	uint32_t i;
	eg_id k;

	for (k = 0; k < eg_nnode(g); k++) {
		if (eg_dead(g, k) || eg_fam_of(g, k) != b->fam)
			continue;
		for (i = 0; i < b->ncol; i++) {
			const column *c = &b->col[i];
			if (c->value ? eg_vals_of(g, k)[c->index] != value[i] : eg_root(g, eg_args(g, k)[c->index]) != eg_root(g, value[i]))
				break;
		}
		if (i == b->ncol)
			return k;
	}
	return NIL;
}

static eg_id function_row(egglog *p, const table *b, const sexp *e, const char **error)
{
	uint32_t *value = rules_alloc(p->r, sizeof *value * (b->ncol + 1)), n = eg_nnode(p->g), i;
	eg_sort sort;
	eg_id k;

	if (e->n != b->ncol + 1) {
		*error = "a function is asked with all its arguments";
		return NIL;
	}
	for (i = 0; i < b->ncol; i++)
		if (!evaluate(p, e, &e->at[i + 1], &sort, &value[i])) {
			*error = sexp_message(p->error, egglog_file(p));
			return NIL;
		} else if (sort != b->col[i].sort) {
			*error = "an argument is of another sort";
			return NIL;
		}
	k = eg_nnode(p->g) == n ? find_row(p, b, value) : NIL;
	if (k == NIL)
		*error = "the function has no value there";
	return k;
}

eg_id egglog_find(egglog *p, const sexp *e, const char **error)
{
	trail_mark mark = trail_at(&p->g->trail);
	const table *b = e->kind == SEXP_LIST && e->n && e->at[0].kind == SEXP_SYMBOL ? rules_table(p->r, e->at[0].text) : NULL;
	uint32_t n = eg_nnode(p->g), value;
	eg_sort sort;
	eg_id x = NIL;

	*error = NULL;
	if (b && b->kind == TABLE_FUNCTION)
		x = function_row(p, b, e, error);
	else if (!evaluate(p, e, e, &sort, &value))
		*error = sexp_message(p->error, egglog_file(p));
	else if (eg_sort_primitive(p->g, sort))
		*error = "it is a value, no node";
	else if (eg_nnode(p->g) > n)
		*error = "it is not in the graph";
	else
		x = value;
	trail_undo(&p->g->trail, mark);
	return x;
}

static bool command_let(egglog *p, const sexp *s)
{
	struct global *g;
	uint32_t value;
	eg_sort sort;

	if (s->n != 3 || s->at[1].kind != SEXP_SYMBOL)
		return wrong(p, s, "let takes a name and an expression");
	if (rules_global(p->r, s->at[1].text) || rules_table(p->r, s->at[1].text))
		return wrong(p, &s->at[1], "`%s` is declared already", s->at[1].text);
	if (!evaluate(p, s, &s->at[2], &sort, &value))
		return false;
	g = trail_push(&p->g->trail, &p->r->globals);
	g->name = s->at[1].text;
	g->sort = sort;
	g->at.kind = eg_sort_primitive(p->g, sort) ? OPERAND_VALUE : OPERAND_NODE;
	g->at.id = value;
	return true;
}

static bool command_extract(egglog *p, const sexp *s)
{
	const char *text;
	uint32_t value;
	eg_sort sort;

	if (s->n != 2)
		return wrong(p, s, "extract takes an expression");
	if (!evaluate(p, s, &s->at[1], &sort, &value))
		return false;
	if (eg_sort_primitive(p->g, sort))
		text = rules_value_text(p->r, &p->scratch, value);
	else
		text = extract_term(p->r, &p->scratch, value, NULL);
	if (!text)
		return failed(p, s, "nothing to extract");
	say(p, text);
	return true;
}

static uint32_t table_size(const egglog *p, const table *b)
{
	uint32_t n, i, live = 0;
	const eg_id *nodes = eg_family_nodes(p->g, b->fam, &n);

	for (i = 0; i < n; i++)
		live += !eg_dead(p->g, nodes[i]);
	return live;
}

static int by_name(const void *a, const void *b)
{
	return strcmp((*(table *const *)a)->name, (*(table *const *)b)->name);
}

static bool command_print_size(egglog *p, const sexp *s)
{
	const rules *r = p->r;
	uint32_t i, n = r->tables.n;
	table **all;

	if (s->n == 2 && s->at[1].kind == SEXP_SYMBOL) {
		const table *b = rules_table(r, s->at[1].text);

		if (!b)
			return wrong(p, &s->at[1], "unknown function `%s`", s->at[1].text);
		say(p, arena_printf(&p->scratch, "%u", table_size(p, b)));
		return true;
	}
	if (s->n != 1)
		return wrong(p, s, "print-size takes a name or nothing");
	all = ARENA_ARRAY(&p->scratch, table *, n);
	if (n) {
		memcpy(all, r->tables.base, n * sizeof *all);
		qsort(all, n, sizeof *all, by_name);
	}
	for (i = 0; i < n; i++)
		say(p, arena_printf(&p->scratch, "%s%s %u%s", i ? " (" : "((", all[i]->name, table_size(p, all[i]),
				    i + 1 < n ? ")" : "))"));
	return true;
}

/* ---- push and pop */

static bool read_count(egglog *p, const sexp *s, uint32_t *n)
{
	*n = 1;
	if (s->n == 1)
		return true;
	if (s->n > 2 || s->at[1].kind != SEXP_INT || s->at[1].i < 0 || s->at[1].i > INT32_MAX)
		return wrong(p, &s->at[1], "a number of times is expected");
	*n = (uint32_t)s->at[1].i;
	return true;
}

static bool command_push(egglog *p, const sexp *s)
{
	uint32_t n;

	if (!read_count(p, s, &n))
		return false;
	while (n--) {
		struct level l;

		note_level(p, &l);
		*(struct level *)trail_push(&p->g->trail, &p->levels) = l;
	}
	return true;
}

/* The place in the program is not part of what is popped. */
static bool command_pop(egglog *p, const sexp *s)
{
	uint32_t n, at = p->at;
	struct level l;

	if (!read_count(p, s, &n))
		return false;
	if (n > p->levels.n)
		return failed(p, s, "pop without push");
	if (!n)
		return true;
	l = VEC_AT(struct level, &p->levels, p->levels.n - n);
	trail_undo(&p->g->trail, l.mark);
	forget(p, &l);
	p->at = at;
	p->begun = l.mark;
	return true;
}

/* ---- schedules */

static frame *top(const egglog *p)
{
	return &VEC_AT(frame, &p->frames, p->depth - 1);
}

static const sexp *frame_form(const frame *f)
{
	return (const sexp *)(uintptr_t)f->form;
}

/* Frames are written through the trail: a place on the stack is used again. */
static frame *open_frame(egglog *p, const sexp *form, enum frame_kind kind, uint32_t child, uint32_t left)
{
	frame *f;

	vec_room(&p->frames, p->depth + 1);
	f = &VEC_AT(frame, &p->frames, p->depth);
	trail_set64(&p->g->trail, &f->form, (uint64_t)(uintptr_t)form);
	set(p, &f->kind, kind);
	set(p, &f->child, child);
	set(p, &f->left, left);
	set(p, &f->pass, 0);
	set(p, &f->changed, 0);
	set(p, &f->ruleset, 0);
	set(p, &f->until, 0);
	set(p, &f->nuntil, 0);
	set(p, &p->depth, p->depth + 1);
	return f;
}

/* (run [ruleset] [count, at top level] [:until facts]) */
static bool open_run(egglog *p, const sexp *s, bool counted)
{
	uint32_t i = 1, set_no = 0, left = 1;
	frame *f;

	if (i < s->n && s->at[i].kind == SEXP_SYMBOL && s->at[i].text[0] != ':') {
		set_no = rules_set_named(p->r, s->at[i].text);
		if (set_no == NIL)
			return failed(p, &s->at[i], "no such ruleset");
		i++;
	}
	if (counted) {
		if (i == s->n || s->at[i].kind != SEXP_INT || s->at[i].i < 0 || s->at[i].i > INT32_MAX)
			return wrong(p, s, "run takes a number of steps");
		left = (uint32_t)s->at[i++].i;
	}
	if (i < s->n && !sexp_is(&s->at[i], ":until"))
		return wrong(p, &s->at[i], "unknown option");
	f = open_frame(p, s, counted ? FRAME_TIMES : FRAME_RUN, 0, left);
	set(p, &f->ruleset, set_no);
	if (i < s->n) {
		set(p, &f->until, i + 1);
		set(p, &f->nuntil, s->n - i - 1);
	}
	return true;
}

static bool open_named(egglog *p, const sexp *s)
{
	uint32_t set_no = rules_set_named(p->r, s->text);

	if (set_no == NIL)
		return failed(p, s, "no such ruleset");
	set(p, &open_frame(p, s, FRAME_RUN, 0, 1)->ruleset, set_no);
	return true;
}

static bool open_repeat(egglog *p, const sexp *s)
{
	if (s->n < 2 || s->at[1].kind != SEXP_INT || s->at[1].i < 0 || s->at[1].i > INT32_MAX)
		return wrong(p, s, "repeat takes a number of times");
	open_frame(p, s, FRAME_REPEAT, 2, (uint32_t)s->at[1].i);
	return true;
}

static bool open_schedule(egglog *p, const sexp *s)
{
	if (s->kind == SEXP_SYMBOL)
		return open_named(p, s);
	if (s->kind == SEXP_LIST && s->n) {
		if (sexp_is(&s->at[0], "run"))
			return open_run(p, s, false);
		if (sexp_is(&s->at[0], "seq"))
			return open_frame(p, s, FRAME_SEQ, 1, 1) != NULL;
		if (sexp_is(&s->at[0], "saturate"))
			return open_frame(p, s, FRAME_SATURATE, 1, 1) != NULL;
		if (sexp_is(&s->at[0], "repeat"))
			return open_repeat(p, s);
	}
	return wrong(p, s, "a schedule is a ruleset, run, seq, repeat or saturate");
}

/* The top frame is done; what it changed, its parent changed. */
static void close_frame(egglog *p)
{
	uint32_t changed = top(p)->changed;

	set(p, &p->depth, p->depth - 1);
	if (p->depth && changed) {
		set(p, &top(p)->pass, 1);
		set(p, &top(p)->changed, 1);
	}
}

/* A pass over the children is over: once more? */
static void end_pass(egglog *p, frame *f, uint32_t first)
{
	bool again = f->pass && f->kind != FRAME_SEQ;

	if (f->kind == FRAME_REPEAT && again) {
		set(p, &f->left, f->left - 1);
		again = f->left > 0;
	}
	if (!again) {
		close_frame(p);
		return;
	}
	set(p, &f->pass, 0);
	set(p, &f->child, first);
}

static bool step_children(egglog *p, frame *f)
{
	const sexp *s = frame_form(f);
	uint32_t first = f->kind == FRAME_REPEAT ? 2 : 1;

	if (f->kind == FRAME_REPEAT && !f->left) {
		close_frame(p);
		return true;
	}
	if (f->child == s->n) {
		end_pass(p, f, first);
		return true;
	}
	set(p, &f->child, f->child + 1);
	return open_schedule(p, &s->at[f->child - 1]);
}

/* RUN and TIMES: opens an iteration, or closes the frame. */
static bool begin_iteration(egglog *p, frame *f)
{
	const char *error;
	int holds = 0;

	if (f->left && f->nuntil) {
		holds = egglog_holds(p, egglog_file(p), frame_form(f)->at + f->until, f->nuntil, &error);
		if (holds < 0) {
			p->error = error;
			p->late = false;
			return false;
		}
	}
	if (!f->left || holds) {
		close_frame(p);
		return true;
	}
	set(p, &f->left, f->left - 1);
	set(p, &f->child, 1);
	schedule_open(p->s, f->ruleset);
	return true;
}

static void end_iteration(egglog *p, frame *f)
{
	const iteration *it = schedule_now(p->s);

	set(p, &f->child, 0);
	if (it->fired)
		set(p, &f->changed, 1);
	else if (!it->banned)
		set(p, &f->left, 0);
}

/* One move of the open schedules; *fired_one when a firing changed something. */
static bool step_frames(egglog *p, bool *fired_one)
{
	frame *f = top(p);
	fired x;

	*fired_one = false;
	if (f->kind != FRAME_RUN && f->kind != FRAME_TIMES)
		return step_children(p, f);
	if (!f->child)
		return begin_iteration(p, f);
	switch (schedule_step(p->s, &x)) {
	case STEP_FIRED:
		*fired_one = true;
		return true;
	case STEP_DONE:
		end_iteration(p, f);
		return true;
	case STEP_ERROR:
		break;
	}
	return failed(p, frame_form(f), x.error);
}

static bool command_run(egglog *p, const sexp *s)
{
	return open_run(p, s, true);
}

static bool command_run_schedule(egglog *p, const sexp *s)
{
	return open_frame(p, s, FRAME_SEQ, 1, 1) != NULL;
}

/* ---- commands */

static bool command_fail(egglog *p, const sexp *s);

static const struct {
	const char *name;
	bool (*run)(egglog *p, const sexp *s);
} commands[] = {
	{ "let", command_let },	  { "check", command_check },
	{ "fail", command_fail }, { "extract", command_extract },
	{ "push", command_push }, { "pop", command_pop },
	{ "run", command_run },	  { "run-schedule", command_run_schedule },
	{ "print-size", command_print_size },
};

static bool declaration(egglog *p, const sexp *s, bool *mine)
{
	p->error = rules_declare(p->r, egglog_file(p), s, mine);
	p->late = p->error && p->r->ungrounded;
	return !p->error;
}

static bool command(egglog *p, const sexp *s)
{
	uint32_t i;
	bool mine;

	note_level(p, vec_push(&p->declared));
	trail_call(&p->g->trail, p->undo, p->declared.n - 1);
	if (!declaration(p, s, &mine) || mine)
		return !p->error;
	for (i = 0; i < sizeof commands / sizeof *commands; i++)
		if (sexp_is(&s->at[0], commands[i].name))
			return commands[i].run(p, s);
	return command_action(p, s);
}

static bool drain(egglog *p)
{
	bool fired_one;

	while (p->depth)
		if (!step_frames(p, &fired_one))
			return false;
	return true;
}

/* An error of running is what is wanted; the command's effects are taken back. */
static bool command_fail(egglog *p, const sexp *s)
{
	trail_mark mark = trail_at(&p->g->trail);

	if (s->n != 2 || s->at[1].kind != SEXP_LIST)
		return wrong(p, s, "fail takes a command");
	if (command(p, &s->at[1]) && drain(p))
		return failed(p, s, "the command did not fail");
	if (!p->late)
		return false;
	trail_undo(&p->g->trail, mark);
	p->error = NULL;
	return true;
}

static enum egglog_step give_up(egglog *p)
{
	uint32_t at = p->at;

	trail_undo(&p->g->trail, p->begun);
	set(p, &p->at, at + 1);
	return EGGLOG_ERROR;
}

static enum egglog_step end_command(egglog *p)
{
	set(p, &p->at, p->at + 1);
	return EGGLOG_COMMAND;
}

static enum egglog_step step_schedule(egglog *p)
{
	bool fired_one;

	while (p->depth) {
		if (!step_frames(p, &fired_one))
			return give_up(p);
		if (fired_one)
			return EGGLOG_FIRED;
	}
	return end_command(p);
}

enum egglog_step egglog_step(egglog *p)
{
	p->error = NULL;
	if (p->depth)
		return step_schedule(p);
	if (p->at == p->form.n)
		return EGGLOG_END;
	p->begun = trail_at(&p->g->trail);
	if (!command(p, egglog_at(p)))
		return give_up(p);
	return p->depth ? step_schedule(p) : end_command(p);
}

const char *egglog_run(egglog *p)
{
	enum egglog_step k;

	do
		k = egglog_step(p);
	while (k != EGGLOG_END && k != EGGLOG_ERROR);
	return k == EGGLOG_ERROR ? p->error : NULL;
}
