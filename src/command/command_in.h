/* command_in.h - for the files that hold commands: the table's functions, words, answers. */
#ifndef DIVERGE_COMMAND_IN_H
#define DIVERGE_COMMAND_IN_H

#include "command/command.h"
#include "command/command_table.h"
#include "session/nodes.h"
#include "session/session_in.h"

enum { CMD_REPEAT = 1 };
typedef bool command_fn(struct session *s, const char *args);
#define X(name, args, complete, flags, fn, help, more) command_fn fn;
COMMANDS(X)
#undef X

/* The next word of *at, copied; "" at the end. */
const char *command_word(const char **at, char *buf, size_t n);
bool command_count(struct session *s, const char *name, const char *args, uint32_t *n);	/* a number; 1 when nothing is written */
bool command_fail(struct session *s, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
bool command_nothing(struct session *s, const char *name, const char *args);	/* no arguments are allowed */
bool command_no_rule(struct session *s, const char *name);	/* false: it says so, and which may be meant */
struct page *command_output(struct session *s);		/* empty, to be filled and shown */
bool command_show(struct session *s, enum session_page k);
bool command_save_counterexample(struct session *s, const char *file);
bool command_check_rule(struct session *s, const char *name);	/* `rule check`: a rule's name, or all */
/* The selected row becomes the one an optional argument names. */
bool command_select(struct session *s, const char *args);
/* "step 30 lift-dot at %dot.7": where the cursor is. */
void command_say_where(struct session *s, const char *why);

#endif
