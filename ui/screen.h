/* screen.h - panes, status, message and prompt as one screen, and its main loop.
 *
 * From above: the panes; the status line (two from 40 rows on); the message
 * line; the prompt or, while none is open, the keys of the moment.  Below 40x8
 * it says what it needs.
 *
 * The loop owns no meaning: a key becomes a command line (ui/keys), and every
 * command line goes to the host, which logs it, runs it, and hands what is the
 * screen's (SCREEN_COMMANDS) back to screen_command.  So a script can do what
 * keys can, and `press KEYS` does in a script what a user does.
 *
 * A screen works without a terminal: screen_draw fills its canvas, screen_press
 * feeds keys.  Only screen_run, screen_edit and `suspend` need one.
 */
#ifndef DIVERGE_SCREEN_H
#define DIVERGE_SCREEN_H

#include "keys.h"
#include "panes.h"
#include "prompt.h"
#include "term.h"
#include "view_help.h"

#include <time.h>

/* name, arguments, what it does, function in screen.c */
#define SCREEN_COMMANDS(X) \
	X("cursor", "up|down|left|right|page-up|page-down|half-up|half-down|home|end [N]", "move the cursor of the pane", do_cursor) \
	X("focus", "next|prev|VIEW", "give the keys to a pane", do_focus) \
	X("view", "VIEW", "show a view in its place", do_view) \
	X("tab", "next|prev", "show another view in this place", do_tab) \
	X("zoom", "", "show only this pane, or all again", do_zoom) \
	X("pane-size", "+N|-N", "enlarge or shrink the lower panes", do_pane_size) \
	X("search", "[PATTERN]", "go to the next line that matches", do_search) \
	X("reverse-search", "[PATTERN]", "go to the previous line that matches", do_reverse_search) \
	X("search-next", "", "next line that matches the last search", do_search_next) \
	X("search-prev", "", "previous line that matches the last search", do_search_prev) \
	X("filter", "[PATTERN]", "show only lines that match; without a pattern all", do_filter) \
	X("cancel", "", "drop the search, then the filter, then the zoom", do_cancel) \
	X("open", "", "open what is under the cursor", do_open) \
	X("close", "", "close this view, or what was shown beside the programs; at last quit", do_close) \
	X("prompt", "[TEXT]", "type a command that begins with TEXT", do_prompt) \
	X("press", "KEYS", "do what these keys do", do_press) \
	X("bind", "[VIEW] KEYS [COMMAND]", "give a key a command, or none", do_bind) \
	X("help-keys", "", "keys of this pane", do_help_keys) \
	X("mouse", "[on|off]", "use the mouse, or leave it to the terminal", do_mouse) \
	X("redraw", "", "draw the screen anew", do_redraw) \
	X("suspend", "", "suspend the program", do_suspend)

struct screen_host {
	void (*command)(void *ctx, const char *line);	/* "" is Enter at an empty prompt */
	prompt_complete_fn *complete;			/* may be NULL */
	void (*status)(void *ctx, struct window w);	/* one or two rows */
	void *ctx;
};

struct screen {
	struct canvas cv;
	struct panes panes;
	struct keymap keymap;
	struct view_help help;
	struct screen_host host;
	char message[1024];
	enum role message_role;
	char busy[256];			/* what takes long, "": nothing */
	struct timespec drawn;		/* when screen_busy drew last, or work began */
	int depth;			/* of commands that run commands */
	bool idles;			/* what takes long is done while no key comes, else within its command */
	unsigned said, asked;		/* counts messages; .. when a search or filter began */
	bool quit;
};

void screen_init(struct screen *s, const struct screen_host *host, int w, int h);
void screen_release(struct screen *s);
void screen_resize(struct screen *s, int w, int h);

void screen_draw(struct screen *s);		/* everything into s->cv */
/* The message line, until the next; no text: an empty line. */
void screen_say(struct screen *s, enum role role, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* Runs a command that is the screen's; false: it is not.  Names are not abbreviated here. */
bool screen_command(struct screen *s, const char *line);
/* Does what a key does when no prompt is open. */
void screen_press(struct screen *s, int key);

/* Takes the terminal over and serves keys until screen_quit; false with a reason when there is no terminal.
 * history: the prompt's file, or NULL. */
bool screen_run(struct screen *s, const struct term_options *o, const char *history, char *why, size_t n);
void screen_quit(struct screen *s);

/* Does a little of what is left to do - a filter, a search - and says what came of it; false: there is nothing left. */
bool screen_work(struct screen *s);
void screen_finish(struct screen *s);		/* all of it */

/* To be called now and then by work that takes long: the status line says what it is, the message is taken away, views are
 * not asked for anything; true: the user wants it to stop.  Cheap enough for every thousandth of a second. */
bool screen_busy(struct screen *s, const char *what);

/* Writes the screen as text (canvas_write); false with errno when the file cannot be written. */
bool screen_save(struct screen *s, const char *file, unsigned how);

/* Opens $VISUAL or $EDITOR (vi without) at a line; false with errno when it cannot be run, with 0 in it where it ended with an
 * error. */
bool screen_edit(struct screen *s, const char *file, int line);

#endif
