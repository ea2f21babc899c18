/* prompt.h - the line where commands are typed: the only file that knows readline.
 *
 * Readline edits, completes and remembers; it reads no keyboard and writes to
 * no terminal.  Bytes of keys are given to it (prompt_feed), and the line is
 * drawn into a window (prompt_draw), scrolled sideways where it is too long.
 * Users' inputrc is honoured (`$if diverge`).  There is one prompt at a time.
 *
 * Esc, ^C and ^G leave; in vi mode Esc leaves from command mode.
 */
#ifndef DIVERGE_PROMPT_H
#define DIVERGE_PROMPT_H

#include "canvas.h"

/* Candidates for the word [start, end) of a line: the completer calls prompt_offer for each of them. */
typedef void prompt_complete_fn(void *ctx, const char *line, size_t start, size_t end);

/* history: the file's name, NULL for none; it is read here and extended by prompt_end. */
void prompt_begin(const char *history, prompt_complete_fn *complete, void *ctx);
void prompt_end(void);
/* The place for it: $XDG_STATE_HOME/diverge/history or ~/.local/state/diverge/history, folders made; NULL when
 * there is no home.  The text is the caller's to free. */
char *prompt_history_file(void);

void prompt_open(const char *label, const char *text);	/* text is there to be edited */
void prompt_close(void);
bool prompt_is_open(void);

/* Bytes of one key.  DONE: prompt_line() is what was typed; the prompt is closed then, as it is for LEFT. */
enum prompt_result { PROMPT_MORE, PROMPT_DONE, PROMPT_LEFT };
enum prompt_result prompt_feed(const char *bytes, size_t n);
void prompt_paste(const char *text, size_t n);	/* inserted as it is, line ends as blanks, and not run */
const char *prompt_line(void);			/* without blanks around it */

void prompt_draw(struct window w);		/* one row; places the cursor */

/* Only for the completer.  A word beginning otherwise than the typed one is left out; `more`: the word goes on, so
 * no blank is put behind it. */
void prompt_offer(const char *word, bool more);
void prompt_offer_files(void);			/* names of files that fit the typed word */

/* The candidates to choose from after a Tab that was not enough; gone with the next key. */
size_t prompt_choices(const char *const **words);

/* A line typed on a terminal that no screen has, to be freed; NULL at the end of the input.  What is typed is kept to be
 * had again until the program ends. */
char *prompt_ask(const char *label);

void prompt_remember(const char *line);		/* adds to the history what came from elsewhere (a key) */

#endif
