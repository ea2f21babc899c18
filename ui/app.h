/* app.h - the debugger's screen: a session, its views, and the screen around them.
 *
 * The app makes the panes and stands between screen and session.  A key or a
 * typed line becomes a command of the session's language (src/command/command.h), which
 * logs and runs it and hands what is the screen's back; after every command the
 * graph's cursor goes where the selection is.  Nothing else changes a session
 * but a cursor that moves: it is the selection.
 *
 * Without a terminal the app still has a canvas, so that `--batch --size WxH`
 * draws the same screen: app_host is what main registers with the session then.
 *
 * Ownership: the session outlives the app; the app owns its views.
 */
#ifndef DIVERGE_APP_H
#define DIVERGE_APP_H

#include "screen.h"
#include "session/session.h"

#include <stdio.h>

struct app;

struct app *app_new(struct session *s, int columns, int rows);
void app_free(struct app *a);

/* What the session asks of the world outside while this screen is there.  `show` brings a page's view to the front. */
struct session_host app_host(struct app *a);

/* As a terminal does it: runs what a key stands for and draws; what may wait is done by app_idle, a little at a time,
 * until it is false. */
void app_key(struct app *a, const char *line);
bool app_idle(struct app *a);

/* Takes the terminal over and serves keys until the user quits; false with a reason when there is none that will do. */
bool app_run(struct app *a, const struct term_options *o, char *why, size_t n);

/* The commands of the screen, its views and the keys, as sections of the manual page. */
void app_man(FILE *f);

#endif
