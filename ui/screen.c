#include "screen.h"
#include "utf8.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LEAST_W 40
#define LEAST_H 8
#define OPEN_NEAR 20		/* lines below that are looked at for one that opens */
#define DEEPEST 50		/* commands that run commands */
#define BUSY_NS 33000000	/* while busy the screen is drawn at most 30 times a second */

void screen_init(struct screen *s, const struct screen_host *host, int w, int h)
{
	memset(s, 0, sizeof *s);
	s->host = *host;
	canvas_init(&s->cv, w, h);
	panes_init(&s->panes);
	keymap_init(&s->keymap);
	view_help_init(&s->help, &s->keymap);
}

void screen_release(struct screen *s)
{
	view_help_release(&s->help);
	keymap_release(&s->keymap);
	canvas_release(&s->cv);
}

void screen_say(struct screen *s, enum role role, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(s->message, sizeof s->message, fmt, ap);
	va_end(ap);
	s->message_role = role;
	s->said++;
}

void screen_quit(struct screen *s)
{
	s->quit = true;
}

/* what goes on while no key comes */

static struct pane *working(const struct screen *s)
{
	int i;

	for (i = 0; i < s->panes.n; i++)
		if (panes_visible(&s->panes, s->panes.pane[i]) && pane_works(s->panes.pane[i]))
			return s->panes.pane[i];
	return NULL;
}

/* Something else that was said since is not overwritten. */
bool screen_work(struct screen *s)
{
	struct pane *p = working(s);
	char say[512];
	bool good;

	if (!p)
		return false;
	good = pane_work(p, say, sizeof say) != PANE_FAILED;
	if (s->asked == s->said) {
		screen_say(s, good ? ROLE_MESSAGE : ROLE_ERROR, "%s", say);
		s->asked = s->said;
	}
	return true;
}

void screen_finish(struct screen *s)
{
	while (screen_work(s))
		;
}

/* drawing */

static int bottom_rows(const struct screen *s)
{
	return s->cv.h >= 40 ? 4 : 3;
}

static void layout(struct screen *s)
{
	panes_layout(&s->panes, s->cv.w, s->cv.h - bottom_rows(s));
}

void screen_resize(struct screen *s, int w, int h)
{
	canvas_resize(&s->cv, w, h);
	layout(s);
}

/* How it is stopped is what has to fit. */
static void draw_busy(struct screen *s, struct window w)
{
	static const char stop[] = "; ^C stops it";
	int room = w.w - (int)sizeof stop + 1, x;

	x = canvas_printf(canvas_sub(w, 0, 0, room, 1), 0, 0, ROLE_WARNING, "busy: %s", s->busy);
	canvas_put(w, x < room ? x : room, 0, ROLE_WARNING, stop);
}

static void draw_status(struct screen *s, struct window w)
{
	if (*s->busy)
		draw_busy(s, w);
	else if (s->host.status)
		s->host.status(s->host.ctx, w);
}

/* The keys a user needs most, as far as they fit; the keymap says which they are. */
static void draw_hints(struct screen *s, struct window w)
{
	static const struct {
		const char *command, *label;
	} hints[] = {
		{"prompt", "command"}, {"step", "step"}, {"next", "next"}, {"continue", "continue"},
		{"frontier next", "frontier"}, {"info matches", "matches"}, {"assume", "assume"},
		{"list", "source"}, {"why", "why"}, {"focus next", "pane"}, {"prompt search ", "search"},
		{"help-keys", "help"}, {"quit", "quit"},
	};
	const char *view = s->panes.focus ? s->panes.focus->name : "";
	char key[32], pending[64];
	int x = 0, room;
	size_t i;

	keymap_pending(&s->keymap, pending, sizeof pending);
	room = w.w - utf8_cells(pending, w.w) - 1;
	for (i = 0; i < sizeof hints / sizeof *hints; i++) {
		if (!keymap_key_of(&s->keymap, view, hints[i].command, key, sizeof key))
			continue;
		if (x + utf8_cells(key, w.w) + 1 + (int)strlen(hints[i].label) > room)
			break;
		x = canvas_put(w, x, 0, ROLE_KEY, key);
		x = canvas_put(w, x + 1, 0, ROLE_DIM, hints[i].label) + 2;
	}
	canvas_put(w, room + 1, 0, ROLE_KEY, pending);
}

/* Bytes of text that fit, cut behind a blank where there is one in the later half. */
static size_t fitting(const char *text, int width)
{
	const char *p = text, *blank = NULL;
	int cells = 0;

	while (*p) {
		const char *at = p;
		uint32_t cp = utf8_next(&p);
		char shown[12];
		const char *as = utf8_visible(cp, shown);

		cells += as ? (int)strlen(as) : utf8_width(cp);
		if (cells > width)
			return (size_t)((blank ? blank : at) - text);
		if (cp == ' ' && cells > width / 2)
			blank = p;
	}
	return (size_t)(p - text);
}

/* The message; what does not fit stands in the place of the keys, until the next one. */
static void draw_bottom(struct screen *s, struct window message, struct window prompt)
{
	size_t n = fitting(s->message, message.w);

	if (!s->message[n] || prompt_is_open()) {
		canvas_put(message, 0, 0, s->message_role, s->message);
	} else {
		canvas_printf(message, 0, 0, s->message_role, "%.*s", (int)n, s->message);
		canvas_put(prompt, 0, 0, s->message_role, s->message + n);
		return;
	}
	if (prompt_is_open())
		prompt_draw(prompt);
	else
		draw_hints(s, prompt);
}

/* In the middle of work views may not be asked: only the lines below them are drawn anew.  What was said before the work
 * began is not about it. */
static void show_busy(struct screen *s)
{
	struct window w = canvas_root(&s->cv);
	int bottom = bottom_rows(s);

	s->message[0] = 0;
	if (w.w < LEAST_W || w.h < LEAST_H)
		return;
	w = canvas_sub(w, 0, w.h - bottom, w.w, bottom);
	canvas_fill(w, (struct rect){0, 0, w.w, 1}, ROLE_NORMAL, ' ');
	canvas_fill(w, (struct rect){0, bottom - 2, w.w, 2}, ROLE_NORMAL, ' ');
	draw_status(s, canvas_sub(w, 0, 0, w.w, 1));
	draw_bottom(s, canvas_sub(w, 0, bottom - 2, w.w, 1), canvas_sub(w, 0, bottom - 1, w.w, 1));
	term_flush(&s->cv);
}

/* Candidates of a completion lie over the panes, in columns, directly above the last three lines. */
static void draw_choices(struct window area)
{
	const char *const *words;
	size_t n = prompt_choices(&words), i, shown;
	int width = 0, columns, rows, most = area.h * 2 / 3;
	struct window w;

	if (!n || most < 2)
		return;
	for (i = 0; i < n; i++)
		width = width > utf8_cells(words[i], area.w) ? width : utf8_cells(words[i], area.w);
	columns = area.w / (width + 2) > 0 ? area.w / (width + 2) : 1;
	rows = (int)((n + (size_t)columns - 1) / (size_t)columns);
	rows = rows > most ? most : rows;
	shown = (size_t)rows * (size_t)columns < n ? (size_t)rows * (size_t)columns - 1 : n;
	w = canvas_sub(area, 0, area.h - rows, area.w, rows);
	canvas_fill(w, (struct rect){0, 0, w.w, w.h}, ROLE_NORMAL, ' ');
	for (i = 0; i < shown; i++)
		canvas_put(canvas_sub(w, (int)i % columns * (width + 2), (int)i / columns, width + 1, 1),
			   0, 0, ROLE_NORMAL, words[i]);
	if (shown < n)
		canvas_printf(w, (int)shown % columns * (width + 2), rows - 1, ROLE_DIM, "%zu more", n - shown);
}

static void draw_small(struct screen *s)
{
	struct window w = canvas_root(&s->cv);

	if (w.w < 37 && w.h > 2) {	/* the sentence would be cut */
		canvas_printf(w, 0, 0, ROLE_ERROR, "%dx%d is too small", w.w, w.h);
		canvas_printf(w, 0, 1, ROLE_ERROR, "%dx%d is the least", LEAST_W, LEAST_H);
	} else {
		canvas_printf(w, 0, 0, ROLE_ERROR, "%dx%d is too small: %dx%d is the least", w.w, w.h, LEAST_W, LEAST_H);
	}
	if (prompt_is_open() && w.h > 1)
		prompt_draw(canvas_sub(w, 0, w.h - 1, w.w, 1));
}

void screen_draw(struct screen *s)
{
	struct window w = canvas_root(&s->cv), area;
	int bottom = bottom_rows(s);

	canvas_clear(&s->cv);
	if (w.w < LEAST_W || w.h < LEAST_H) {
		draw_small(s);
		return;
	}
	area = canvas_sub(w, 0, 0, w.w, w.h - bottom);
	layout(s);
	panes_draw(&s->panes, area);
	if (!s->idles && working(s)) {	/* other lines match than before */
		screen_finish(s);
		canvas_clear(&s->cv);
		panes_draw(&s->panes, area);
	}
	draw_choices(area);
	draw_status(s, canvas_sub(w, 0, area.h, w.w, bottom - 2));
	draw_bottom(s, canvas_sub(w, 0, w.h - 2, w.w, 1), canvas_sub(w, 0, w.h - 1, w.w, 1));
}

static void show(struct screen *s)
{
	screen_draw(s);
	term_flush(&s->cv);
}

/* commands: each gets what stands behind its name */

static void complain(struct screen *s, const char *command, const char *args)
{
	screen_say(s, ROLE_ERROR, "%s: cannot do '%s'", command, args);
}

static struct pane *focus_of(struct screen *s)
{
	return s->panes.focus;
}

static void do_cursor(struct screen *s, const char *args)
{
	struct pane *p = focus_of(s);
	char where[16] = "";
	unsigned n = 0;
	int got = sscanf(args, "%15s %u", where, &n);
	long by = got > 1 ? (long)n : 1, page, half;

	layout(s);	/* in a script nothing is drawn after a view is opened */
	page = p->rows > 2 ? p->rows - 1 : 1;
	half = (page + 1) / 2;

	if (!strcmp(where, "down"))
		pane_move(p, by);
	else if (!strcmp(where, "up"))
		pane_move(p, -by);
	else if (!strcmp(where, "page-down"))
		pane_page(p, by * page);
	else if (!strcmp(where, "page-up"))
		pane_page(p, -by * page);
	else if (!strcmp(where, "half-down"))
		pane_page(p, by * half);
	else if (!strcmp(where, "half-up"))
		pane_page(p, -by * half);
	else if (!strcmp(where, "home"))
		pane_select(p, 0);
	else if (!strcmp(where, "end"))
		pane_select(p, got > 1 && n ? n - 1 : p->lines ? p->lines - 1 : 0);
	else if (!strcmp(where, "left"))
		pane_scroll(p, got > 1 ? -(int)n : -8);
	else if (!strcmp(where, "right"))
		pane_scroll(p, got > 1 ? (int)n : 8);
	else
		complain(s, "cursor", args);
}

static int direction(const char *args)
{
	return !strcmp(args, "next") ? 1 : !strcmp(args, "prev") ? -1 : 0;
}

static struct pane *named(struct screen *s, const char *command, const char *name)
{
	struct pane *p = panes_find(&s->panes, name);

	if (!p)
		screen_say(s, ROLE_ERROR, "%s: there is no view '%s'", command, name);
	return p;
}

static void do_focus(struct screen *s, const char *args)
{
	struct pane *p;

	if (direction(args))
		panes_focus_next(&s->panes, direction(args));
	else if ((p = named(s, "focus", args)))
		panes_focus(&s->panes, p);
}

static void do_view(struct screen *s, const char *args)
{
	struct pane *p = named(s, "view", args);

	if (!p)
		return;
	panes_show(&s->panes, p);
	layout(s);
	/* where one pane is shown at a time, it is this one */
	if (!panes_visible(&s->panes, p))
		panes_focus(&s->panes, p);
}

static void do_tab(struct screen *s, const char *args)
{
	if (direction(args))
		panes_tab_next(&s->panes, direction(args));
	else
		complain(s, "tab", args);
}

static void do_zoom(struct screen *s, const char *args)
{
	(void)args;
	s->panes.zoom = !s->panes.zoom;
}

static void do_pane_size(struct screen *s, const char *args)
{
	char *end;
	long by = strtol(args, &end, 10);

	if (end == args || *end || by < -100 || by > 100) {
		complain(s, "pane-size", args);
		return;
	}
	s->panes.lower_more += (int)by;
}

static void search(struct screen *s, const char *text, int way)
{
	char say[512];
	bool found = pane_search(focus_of(s), text && *text ? text : NULL, way, say, sizeof say);

	screen_say(s, found ? ROLE_MESSAGE : ROLE_ERROR, "%s", say);
	s->asked = s->said;
}

static void do_search(struct screen *s, const char *args)
{
	search(s, args, 1);
}

static void do_reverse_search(struct screen *s, const char *args)
{
	search(s, args, -1);
}

static void do_search_next(struct screen *s, const char *args)
{
	(void)args;
	search(s, NULL, 1);
}

static void do_search_prev(struct screen *s, const char *args)
{
	(void)args;
	search(s, NULL, -1);
}

static void do_filter(struct screen *s, const char *args)
{
	char say[512];
	bool good = pane_filter(focus_of(s), args, say, sizeof say);

	screen_say(s, good ? ROLE_MESSAGE : ROLE_ERROR, "%s", say);
	s->asked = s->said;
}

static void do_cancel(struct screen *s, const char *args)
{
	(void)args;
	keymap_reset(&s->keymap);
	if (!pane_cancel(focus_of(s)))
		s->panes.zoom = false;
	screen_say(s, ROLE_MESSAGE, "%s", "");
}

/* Who has gone to a view beside the programs does not see at once that the keys which move are its own now. */
static void tell_focus(struct screen *s)
{
	struct pane *p = focus_of(s);
	char title[128], *end;

	if (*s->message || s->quit || p == s->panes.pane[0] || p == &s->help.pane)
		return;
	snprintf(title, sizeof title, "%s", p->name);
	pane_line(p);	/* a page is titled when it is made */
	if (p->src->title)
		p->src->title(p->ctx, p->side, title, sizeof title);
	if ((end = strstr(title, "  ")))	/* what follows says where in the view one is */
		*end = 0;
	screen_say(s, ROLE_MESSAGE, "`%s` has the keys that move; q closes it", title);
}

/* Work that is over in a moment is not announced. */
static void run(struct screen *s, const char *line)
{
	const struct pane *focus = focus_of(s);

	if (s->depth == DEEPEST) {
		screen_say(s, ROLE_ERROR, "'%s': a key or command that runs itself", line);
		return;
	}
	if (!s->depth++) {
		clock_gettime(CLOCK_MONOTONIC, &s->drawn);
		term_busy(true);
	}
	s->host.command(s->host.ctx, line);
	if (--s->depth)
		return;
	term_busy(false);
	*s->busy = 0;
	if (focus && focus_of(s) != focus)
		tell_focus(s);
}

/* Moves the cursor to the next line that can be opened, where one is near. */
static bool to_openable(struct pane *p, size_t line)
{
	char command[1024] = "";
	size_t end = p->lines < line + OPEN_NEAR ? p->lines : line + OPEN_NEAR;

	while (p->src->open && p->home != HOME_MAIN && ++line < end) {
		p->src->open(p->ctx, line, p->side, command, sizeof command);
		if (*command) {
			pane_select(p, line);
			return true;
		}
	}
	return false;
}

static void do_open(struct screen *s, const char *args)
{
	struct pane *p = focus_of(s);
	size_t line = pane_line(p);
	char command[1024] = "";

	(void)args;
	if (p->src->open && line != PANE_NONE)
		p->src->open(p->ctx, line, p->side, command, sizeof command);
	if (*command)
		run(s, command);
	else if (line != PANE_NONE && to_openable(p, line))
		screen_say(s, ROLE_MESSAGE, "nothing to open on that line; this one leads somewhere");
	else
		screen_say(s, ROLE_MESSAGE, "nothing to open here");
}

/* The help is there only while it is looked at. */
static void close_view(struct screen *s)
{
	struct pane *p = focus_of(s);

	panes_close(&s->panes);
	if (p == &s->help.pane)
		panes_remove(&s->panes, p);
}

static void do_close(struct screen *s, const char *args)
{
	(void)args;
	if (s->panes.zoom)
		s->panes.zoom = false;
	else if (focus_of(s) == s->panes.pane[0] && !panes_uncover(&s->panes))
		run(s, "quit");
	else if (focus_of(s) == s->panes.pane[0])
		return;
	else
		close_view(s);
}

/* What goes on is a new word: lines of commands have no blanks at their end. */
static void do_prompt(struct screen *s, const char *args)
{
	char text[1024];
	size_t n = strlen(args);

	(void)s;
	snprintf(text, sizeof text, "%s%s", args, n && args[n - 1] != ' ' ? " " : "");
	prompt_open(":", text);
}

/* One word, or several between double quotes; moves *args behind it. */
static char *take_word(const char **args, char *out, size_t n)
{
	const char *at = *args + strspn(*args, " ");
	bool quoted = *at == '"';
	size_t len;

	at += quoted;
	len = strcspn(at, quoted ? "\"" : " ");
	snprintf(out, n, "%.*s", (int)len, at);
	at += len;
	at += quoted && *at;
	*args = at + strspn(at, " ");
	return out;
}

static void do_press(struct screen *s, const char *args)
{
	char name[32];
	int key;

	while (*args) {
		key = keys_parse(take_word(&args, name, sizeof name));
		if (!key) {
			screen_say(s, ROLE_ERROR, "press: there is no key '%s'", name);
			return;
		}
		screen_press(s, key);
	}
}

static void do_bind(struct screen *s, const char *args)
{
	char view[32] = "", keys[64];

	take_word(&args, keys, sizeof keys);
	if (panes_find(&s->panes, keys) && *args) {
		snprintf(view, sizeof view, "%.31s", keys);
		take_word(&args, keys, sizeof keys);
	}
	if (!keymap_bind(&s->keymap, view, keys, args))
		screen_say(s, ROLE_ERROR, "bind: '%s' are no keys; a key is written `s`, `C-l`, `F5`, \"g g\"", keys);
}

static void do_help_keys(struct screen *s, const char *args)
{
	(void)args;
	if (focus_of(s) == &s->help.pane)
		return;
	if (!panes_find(&s->panes, s->help.pane.name))
		panes_add(&s->panes, &s->help.pane);
	view_help_set(&s->help, focus_of(s)->name);
	panes_focus(&s->panes, &s->help.pane);
}

static void do_mouse(struct screen *s, const char *args)
{
	bool on = *args ? !strcmp(args, "on") : !term_has_mouse();

	if (*args && !on && strcmp(args, "off")) {
		complain(s, "mouse", args);
		return;
	}
	term_mouse(on);
	screen_say(s, ROLE_MESSAGE, "the mouse is %s", on ? "on" : "left to the terminal");
}

static void do_redraw(struct screen *s, const char *args)
{
	(void)s;
	(void)args;
	term_redraw();
}

static void resize_to_terminal(struct screen *s)
{
	int w, h;

	term_size(&w, &h);
	if (w != s->cv.w || h != s->cv.h)
		screen_resize(s, w, h);
}

static void do_suspend(struct screen *s, const char *args)
{
	(void)args;
	if (!term_started())
		return;
	term_suspend();
	resize_to_terminal(s);
}

bool screen_command(struct screen *s, const char *line)
{
	static const struct {
		const char *name, *args;
		void (*run)(struct screen *s, const char *args);
	} commands[] = {
#define X(name, args, help, function) {name, args, function},
		SCREEN_COMMANDS(X)
#undef X
	};
	size_t i, n = strcspn(line, " ");
	const char *args;

	for (i = 0; i < sizeof commands / sizeof *commands; i++) {
		if (strlen(commands[i].name) != n || memcmp(commands[i].name, line, n))
			continue;
		args = line + n + (line[n] == ' ');
		if (!*commands[i].args && *args)
			screen_say(s, ROLE_ERROR, "%s takes no arguments: '%s'", commands[i].name, args);
		else if (focus_of(s))
			commands[i].run(s, args);
		if (!s->idles)
			screen_finish(s);
		return true;
	}
	return false;
}

/* keys */

void screen_press(struct screen *s, int key)
{
	const char *view = focus_of(s) ? focus_of(s)->name : "";
	char command[1024], name[32], before[64];

	keymap_pending(&s->keymap, before, sizeof before);
	switch (keymap_feed(&s->keymap, view, key, command, sizeof command)) {
	case KEYMAP_COMMAND:
		run(s, command);
		break;
	case KEYMAP_UNBOUND:
		keys_name(key, name, sizeof name);
		if (*before)
			screen_say(s, ROLE_ERROR, "the keys %s %s mean nothing here; h shows the keys", before, name);
		else
			screen_say(s, ROLE_ERROR, "the key %s means nothing here; h shows the keys", name);
		break;
	case KEYMAP_MORE:
		break;
	}
}

/* The pane under the mouse, which gets the keys: `focus VIEW`. */
static struct pane *point(struct screen *s, int *side, size_t *line)
{
	char command[64];
	struct pane *p;
	int x, y;

	term_key_at(&x, &y);
	p = panes_at(&s->panes, x, y, side, line);
	if (p && p != focus_of(s)) {
		snprintf(command, sizeof command, "focus %s", p->name);
		run(s, command);
	}
	return p;
}

/* A click is what it selects: `focus VIEW`, `cursor end LINE`. */
static void click(struct screen *s)
{
	char command[64];
	size_t line;
	int side;
	struct pane *p = point(s, &side, &line);

	if (!p)
		return;
	p->side = side;
	if (line == PANE_NONE)
		return;
	snprintf(command, sizeof command, "cursor end %zu", line + 1);
	run(s, command);
}

/* The wheel moves what it is over. */
static void wheel(struct screen *s, int key)
{
	size_t line;
	int side;

	if (point(s, &side, &line))
		screen_press(s, key);
}

static void prompt_key(struct screen *s, int key)
{
	size_t n;
	const char *bytes = term_key_bytes(&n);

	if (key == K_PASTE_BEGIN) {
		prompt_paste(bytes, n);
		return;
	}
	if (key == K_CONTROL('z') || key == K_CONTROL('l')) {
		screen_command(s, key == K_CONTROL('z') ? "suspend" : "redraw");
		return;
	}
	if (key == K_PAGE_UP || key == K_PAGE_DOWN || key == K_WHEEL_UP || key == K_WHEEL_DOWN) {
		screen_press(s, key);
		return;
	}
	/* readline would insert the end of a sequence it does not know */
	if (key == K_CLICK || key == K_UNKNOWN || key == K_INSERT || (key >= K_F1 && key <= K_F12))
		return;
	if (prompt_feed(bytes, n) == PROMPT_DONE)
		run(s, prompt_line());
}

static void one_key(struct screen *s, int key)
{
	switch (key) {
	case K_NONE:
		break;
	case K_HANGUP:
		screen_quit(s);
		break;
	case K_RESIZE:
	case K_CONTINUED:
		resize_to_terminal(s);
		break;
	default:
		if (focus_of(s) && pane_stop(focus_of(s)))
			screen_say(s, ROLE_MESSAGE, "the search was stopped");
		if (prompt_is_open())
			prompt_key(s, key);
		else if (key == K_CLICK)
			click(s);
		else if (key == K_WHEEL_UP || key == K_WHEEL_DOWN)
			wheel(s, key);
		else if (key == K_PASTE_BEGIN)
			screen_say(s, ROLE_WARNING, "pasted text is no keys: press : first");
		else if (key != K_UNKNOWN)
			screen_press(s, key);
	}
}

/* What a library wrote to stderr would be seen only at the end. */
static void show_complaints(struct screen *s)
{
	char text[512];
	size_t n = term_complaints(text, sizeof text);

	while (n && text[n - 1] == '\n')
		text[--n] = 0;
	if (n)
		screen_say(s, ROLE_ERROR, "%s", text);
}

static int64_t nanoseconds(struct timespec from, struct timespec to)
{
	return (int64_t)(to.tv_sec - from.tv_sec) * 1000000000 + (to.tv_nsec - from.tv_nsec);
}

/* Until there is a key, nothing left, or something new to be shown; false: there was nothing to do. */
static bool work_until_key(struct screen *s)
{
	struct timespec began, now;
	bool any = false;

	clock_gettime(CLOCK_MONOTONIC, &began);
	while (!term_key_waiting() && screen_work(s)) {
		any = true;
		clock_gettime(CLOCK_MONOTONIC, &now);
		if (nanoseconds(began, now) > BUSY_NS)
			break;
	}
	return any;
}

bool screen_run(struct screen *s, const struct term_options *o, const char *history, char *why, size_t n)
{
	if (!term_start(o, why, n))
		return false;
	prompt_begin(history, s->host.complete, s->host.ctx);
	resize_to_terminal(s);
	s->idles = true;
	while (!s->quit) {
		/* keys that are already there are done before the screen is drawn once */
		if (!term_key_waiting())
			show(s);
		one_key(s, term_key(work_until_key(s) ? 0 : -1));
		show_complaints(s);
	}
	prompt_end();
	term_stop();
	return true;
}

/* The picture there is, without views being asked, in another size. */
static void crop_to_terminal(struct screen *s)
{
	int w, h;

	term_size(&w, &h);
	if (w != s->cv.w || h != s->cv.h)
		canvas_crop(&s->cv, w, h, s->cv.h - bottom_rows(s));
}

/* ^Z and a terminal of another size do not wait for the end of the work. */
static void serve_signals(struct screen *s)
{
	int key;

	while ((key = term_busy_key()) != K_NONE) {
		if (key == K_HANGUP)
			screen_quit(s);
		else if (key == K_CONTROL('z'))
			term_suspend();
		crop_to_terminal(s);
		s->drawn = (struct timespec){ 0, 0 };
	}
}

bool screen_busy(struct screen *s, const char *what)
{
	struct timespec now;

	serve_signals(s);
	clock_gettime(CLOCK_MONOTONIC, &now);
	if (term_started() && nanoseconds(s->drawn, now) > BUSY_NS) {
		s->drawn = now;
		snprintf(s->busy, sizeof s->busy, "%s", what);
		show_busy(s);
	}
	return term_stop_asked();
}

bool screen_save(struct screen *s, const char *file, unsigned how)
{
	FILE *f = fopen(file, "w");
	bool bad;

	if (!f)
		return false;
	screen_draw(s);
	canvas_write(&s->cv, f, how);
	bad = ferror(f);
	return !fclose(f) && !bad;
}

bool screen_edit(struct screen *s, const char *file, int line)
{
	char at[16];
	char *argv[] = {"/bin/sh", "-c", "exec ${VISUAL:-${EDITOR:-vi}} \"+$0\" \"$1\"", at, (char *)file, NULL};
	int status;

	snprintf(at, sizeof at, "%d", line);
	status = term_run(argv);
	resize_to_terminal(s);
	if (status > 0)		/* the two are the shell's own */
		errno = status == 127 ? ENOENT : status == 126 ? EACCES : 0;
	return status == 0;
}
