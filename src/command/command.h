/* command.h - the command language: one table, and what is made of it.
 *
 * Every line comes through command_run: typed ones, keys, scripts, options.
 * The table (command_table.h) gives the parser, unique prefixes, help, apropos,
 * completion and the commands' part of the manual page.  Names are looked for in
 * this order: a command, a command of the screen, an alias of one letter, the
 * only command that begins so.  An empty line repeats the last command that
 * steps or lists.  A line that begins with # is a comment.
 *
 * What a command prints goes to the page `output` or to a page of its own, and
 * the host shows that page; a one-line answer is the session's message.
 */
#ifndef DIVERGE_COMMAND_H
#define DIVERGE_COMMAND_H

#include <stdio.h>
#include "session/session.h"

/* Runs one line; false: it failed, and the message says why. */
bool command_run(struct session *s, const char *line);
/* Runs a file of commands; stops at the first that fails, with its place in the message. */
bool command_source(struct session *s, const char *file);

/* Candidates for the word [start, end) of a line.  `more`: the word goes on.  word NULL: names of files fit here. */
typedef void command_offer_fn(void *ctx, const char *word, bool more);
void command_complete(struct session *s, const char *line, size_t start, size_t end, command_offer_fn *offer, void *ctx);

/* The section COMMANDS of the manual page, and its list of settings. */
void command_man(FILE *f);

#endif
