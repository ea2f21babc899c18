/* egglog.h - egglog programs: their commands, run or stepped.
 *
 * A program is the forms of one text.  Declarations and rules go to the rule
 * base; `let`, `union`, `set` and calls act on the graph; `run`, `run-schedule`
 * (`repeat`, `saturate`, `seq`, `run`), `check`, `fail`, `extract`,
 * `print-size`, `push`, `pop` are here.  Where a program is - its command, its
 * open schedules, the iteration under way - and what it declared is on the
 * trail: undo to any point and step on.  Only a `pop` cannot be gone back
 * behind: run the program again.
 *
 * A command that fails is taken back whole.  Errors are
 * `file:line:column: message`; nothing is printed, results go to `say`.
 */
#ifndef DIVERGE_EGGLOG_H
#define DIVERGE_EGGLOG_H

#include "rule/schedule.h"

typedef struct egglog egglog;
typedef void egglog_say_fn(void *ctx, const char *line);

egglog *egglog_new(firings *f, schedule *s, egglog_say_fn *say, void *ctx);
void egglog_free(egglog *p);
/* Adds the forms of a text behind those there are; NULL or an error. */
const char *egglog_load(egglog *p, const char *file, const char *text, size_t n);

enum egglog_step {
	EGGLOG_FIRED,		/* one firing changed the graph */
	EGGLOG_COMMAND,		/* a command is done */
	EGGLOG_END,
	EGGLOG_ERROR,		/* egglog_error says; the command is passed over */
};
enum egglog_step egglog_step(egglog *p);
const char *egglog_error(const egglog *p);
/* To the end or the first error. */
const char *egglog_run(egglog *p);
/* The form that runs, or the next one; NULL at the end. */
const sexp *egglog_at(const egglog *p);
const char *egglog_file(const egglog *p);	/* the file it was loaded as; at the end that of the last one */

/* The node that an expression is in the graph, of a function the row that holds its value (function_value_text); NIL with *error, a sentence without a place, where it is none, or wrong.  Nothing of the question remains. */
eg_id egglog_find(egglog *p, const sexp *e, const char **error);

#endif
