#include "app.h"
#include "command/command.h"
#include "session/acts.h"
#include "text/man.h"
#include "view_graph.h"
#include "view_history.h"
#include "view_page.h"
#include "view_source.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct app {
	struct session *s;
	struct screen screen;
	struct view_graph graph;
	struct view_source source;
	struct view_history history;
	struct view_page page[VIEW_PAGE_COUNT];
	bool spoken;		/* the screen has said something about the command that runs */
};

static struct view_page *output_of(struct app *a)
{
	return &a->page[VIEW_PAGE_COUNT - 1];
}

/* what the session asks for */

static struct pane *pane_of(struct app *a, enum session_page kind, bool *takes_keys)
{
	int k;

	*takes_keys = kind != PAGE_SOURCE;
	if (kind == PAGE_SOURCE)
		return &a->source.pane;
	if (kind == PAGE_HISTORY)
		return &a->history.pane;
	for (k = 0; k < VIEW_PAGE_COUNT - 1; k++)
		if (view_page_shows(&a->page[k], kind)) {
			view_page_turn(&a->page[k], kind);
			*takes_keys = a->page[k].takes_keys;
			return &a->page[k].lines.pane;
		}
	view_page_turn(output_of(a), kind);
	return &output_of(a)->lines.pane;
}

/* What takes no keys hands those of the view that it covers to the programs, where they are beside it: a run that ends is
 * followed by a move in them. */
static void show(void *ctx, enum session_page kind)
{
	struct app *a = ctx;
	struct panes *ps = &a->screen.panes;
	const struct pane *before = ps->focus;
	char command[64];
	bool takes_keys;
	struct pane *p = pane_of(a, kind, &takes_keys);

	snprintf(command, sizeof command, "%s %s", takes_keys ? "focus" : "view", p->name);
	screen_command(&a->screen, command);
	if (!takes_keys && ps->focus == p && before != p && panes_visible(ps, ps->pane[0]))
		panes_focus(ps, ps->pane[0]);
}

static enum role role_of(enum say how)
{
	return how == SAY_ERROR ? ROLE_ERROR : how == SAY_WARNING ? ROLE_WARNING : ROLE_MESSAGE;
}

/* The session's message goes to the message line, else what the screen has said of the same command stays there. */
static void take_message(struct app *a)
{
	enum say how;
	const char *text = session_message(a->s, &how);

	if (*text || !a->spoken)
		screen_say(&a->screen, role_of(how), "%s", text);
	a->spoken = false;
}

/* A command of the screen that failed has failed for a script, too. */
static bool screen_does(void *ctx, const char *line)
{
	struct app *a = ctx;
	/* what was said before is to be read on when one is back, and on a screen drawn anew */
	bool stays = !strcmp(line, "suspend") || !strcmp(line, "redraw");

	if (!stays)
		a->screen.message[0] = 0;
	if (!screen_command(&a->screen, line))
		return false;
	if (stays) {
		a->spoken = true;
		return true;
	}
	if (a->screen.message[0] && a->screen.message_role == ROLE_ERROR)
		session_say(a->s, SAY_ERROR, "%s", a->screen.message);
	a->spoken = a->screen.message[0];
	return true;
}

static const struct {
	const char *name, *args, *help;
} screen_commands[] = {
#define X(name, args, help, function) {name, args, help},
	SCREEN_COMMANDS(X)
#undef X
};
#define NSCREEN (sizeof screen_commands / sizeof *screen_commands)

static bool screen_name(void *ctx, int i, const char **name, const char **args, const char **help)
{
	(void)ctx;
	if (i < 0 || (size_t)i >= NSCREEN)
		return false;
	*name = screen_commands[i].name;
	*args = screen_commands[i].args;
	*help = screen_commands[i].help;
	return true;
}

static const char *screen_view(void *ctx, int i)
{
	const struct panes *ps = &((struct app *)ctx)->screen.panes;

	return i < ps->n ? ps->pane[i]->name : NULL;
}

static void man_keys(FILE *f)
{
	static const struct {
		const char *view, *keys, *command, *help;
	} keys[] = {
#define X(view, keys, command, help) {view, keys, command, help},
		KEYS_MAP(X)
#undef X
	};
	char what[200];
	size_t k;

	fputs(".SS Keys\nA number before a key stands in its command for #.\n.B bind\ngives keys other commands.\n", f);
	for (k = 0; k < sizeof keys / sizeof *keys; k++) {
		snprintf(what, sizeof what, "%s%s%s", keys[k].help, *keys[k].view ? ", in the view " : "", keys[k].view);
		man_item(f, keys[k].keys, keys[k].command, what);
	}
}

void app_man(FILE *f)
{
	static const char *const views[] = {
#define X(name, ...) name,
		VIEW_PAGES(X)
#undef X
	};
	size_t k;

	fputs(".SS Commands of the screen\nThese are there where a screen is, on a terminal or by\n.BR \\-\\-size ;\ntheir names are not shortened.\n"
	      "VIEW is graph, source, history", f);
	for (k = 0; k < VIEW_PAGE_COUNT; k++)
		fprintf(f, ", %s", views[k]);
	fputs(".\n", f);
	for (k = 0; k < NSCREEN; k++)
		man_item(f, screen_commands[k].name, screen_commands[k].args, screen_commands[k].help);
	man_keys(f);
}

static bool save_screen(void *ctx, const char *file)
{
	struct app *a = ctx;

	if (*file)
		return screen_save(&a->screen, file, 0);
	if (term_started()) {
		errno = EINVAL;
		return false;
	}
	screen_draw(&a->screen);
	canvas_write(&a->screen.cv, stdout, 0);
	return true;
}

static bool edit(void *ctx, const char *file, int line)
{
	struct app *a = ctx;

	if (!term_started()) {
		errno = ENOTTY;
		return false;
	}
	return screen_edit(&a->screen, file, line);
}

static bool busy(void *ctx, const char *what)
{
	return screen_busy(&((struct app *)ctx)->screen, what);
}

static void quit(void *ctx)
{
	screen_quit(&((struct app *)ctx)->screen);
}

static void said(void *ctx)
{
	struct app *a = ctx;

	take_message(a);
	view_graph_follow(&a->graph);
}

/* The next line of a script finds done what this one began. */
static void script_said(void *ctx)
{
	screen_finish(&((struct app *)ctx)->screen);
	said(ctx);
}

struct session_host app_host(struct app *a)
{
	return (struct session_host){
		.ctx = a, .show = show, .said = script_said, .screen_command = screen_does, .screen_name = screen_name, .screen_view = screen_view,
		.save_screen = save_screen, .edit = edit, .busy = busy, .quit = quit, .asks = true,
	};
}

/* what the screen asks for */

static void command(void *ctx, const char *line)
{
	struct app *a = ctx;

	command_run(a->s, line);
	said(a);
}

static void offer(void *ctx, const char *word, bool more)
{
	(void)ctx;
	if (word)
		prompt_offer(word, more);
	else
		prompt_offer_files();
}

static void complete(void *ctx, const char *line, size_t start, size_t end)
{
	command_complete(((struct app *)ctx)->s, line, start, end, offer, NULL);
}

/* The whole run as one line: how much is done, where acts were made. */
static void draw_timeline(struct app *a, struct window w)
{
	struct session *s = a->s;
	uint32_t all = session_known(s), here = session_step(s);
	int width = w.w - 2, i, x;

	if (!all || width < 10)
		return;
	canvas_put(w, 0, 0, ROLE_DIM, "[");
	canvas_fill(w, (struct rect){1, 0, (int)((uint64_t)here * (uint64_t)width / all), 1}, ROLE_STATUS, '=');
	canvas_fill(w, (struct rect){1 + (int)((uint64_t)here * (uint64_t)width / all), 0, width, 1}, ROLE_DIM, '-');
	for (i = 0; i < acts_count(s); i++) {
		const struct act *act = acts_get(s, i);

		if (act->done && act->step <= all)
			canvas_put(w, 1 + (int)((uint64_t)act->step * (uint64_t)(width - 1) / all), 0, ROLE_TAINTED, "A");
	}
	x = 1 + (int)((uint64_t)here * (uint64_t)(width - 1) / all);
	canvas_put(w, x, 0, ROLE_HERE, "o");
	canvas_put(w, width + 1, 0, ROLE_DIM, "]");
}

/* What matters less stands further right and is left out as a whole where there is no room. */
static void status(void *ctx, struct window w)
{
	struct app *a = ctx;
	char text[512], *at, *last;

	session_status(a->s, 0, text, sizeof text);
	while (strlen(text) > (size_t)w.w) {
		for (last = NULL, at = text; (at = strstr(at, "  ")); at += 2)
			last = at;
		if (!last)
			break;
		*last = 0;
	}
	canvas_put(w, 0, 0, ROLE_STATUS, text);
	if (w.h > 1)
		draw_timeline(a, canvas_sub(w, 0, 1, w.w, 1));
}

/* begin and end */

static void add_panes(struct app *a)
{
	struct panes *ps = &a->screen.panes;
	int k;

	panes_add(ps, &a->graph.pane);
	for (k = 0; k < VIEW_PAGE_COUNT; k++)
		panes_add(ps, &a->page[k].lines.pane);
	panes_add(ps, &a->source.pane);
	panes_add(ps, &a->history.pane);
}

struct app *app_new(struct session *s, int columns, int rows)
{
	struct app *a = calloc(1, sizeof *a);
	struct screen_host host = {.command = command, .complete = complete, .status = status, .ctx = a};
	int k;

	if (!a) {
		die_hook("out of memory");
		return NULL;
	}
	a->s = s;
	screen_init(&a->screen, &host, columns, rows);
	view_graph_init(&a->graph, s);
	view_source_init(&a->source, s);
	view_history_init(&a->history, s);
	for (k = 0; k < VIEW_PAGE_COUNT; k++)
		view_page_init(&a->page[k], k, s);
	add_panes(a);
	screen_resize(&a->screen, columns, rows);
	view_graph_follow(&a->graph);
	screen_say(&a->screen, ROLE_MESSAGE, "nothing has run: s fires one rule, c runs to the first frontier node, h helps");
	return a;
}

void app_free(struct app *a)
{
	int k;

	screen_release(&a->screen);
	view_graph_release(&a->graph);
	view_source_release(&a->source);
	view_history_release(&a->history);
	for (k = 0; k < VIEW_PAGE_COUNT; k++)
		view_page_release(&a->page[k]);
	free(a);
}

void app_key(struct app *a, const char *line)
{
	a->screen.idles = true;
	command(a, line);
	screen_draw(&a->screen);
}

bool app_idle(struct app *a)
{
	return screen_work(&a->screen);
}

bool app_run(struct app *a, const struct term_options *o, char *why, size_t n)
{
	char *history = prompt_history_file();
	struct session_host host = app_host(a);
	bool ran;

	session_set_host(a->s, &host);
	ran = screen_run(&a->screen, o, history, why, n);
	free(history);
	return ran;
}
