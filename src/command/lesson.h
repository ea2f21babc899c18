/* lesson.h - an egglog program, run or stepped on a line terminal.
 *
 * `lesson_run` goes through the whole file and prints what the program says.
 * `lesson_step` reads commands, one a line (LESSON_COMMANDS), by `ask` where standard input is a terminal; where it is none and
 * empty, the program is run as by `lesson_run`.  Both end with the size of the graph.  The exit status: 0, or 2 when the file cannot be read or a command of the program fails.
 */
#ifndef DIVERGE_LESSON_H
#define DIVERGE_LESSON_H

#include <stdbool.h>
#include <stdio.h>

/* id, name, arguments, what it does.  Of several with one beginning the first is meant, of `h` history as on the
 * screen; those up to reverse are repeated by an empty line. */
#define LESSON_COMMANDS(X) \
	X(STEP, "step", "[N]", "the next firing, or N; what the program gives is one") \
	X(NEXT, "next", "", "to the end of the form that runs") \
	X(CONTINUE, "continue", "", "to the end of the program") \
	X(REVERSE, "reverse-step", "[N]", "back one firing, or N of them") \
	X(HISTORY, "history", "[N]", "the last firings: 12, or N") \
	X(GRAPH, "graph", "", "a line per class: what is equal; values of functions") \
	X(GOTO, "goto", "N", "to where N firings are done, back or on") \
	X(PRINT, "print", "", "where it is and how large the graph is") \
	X(X, "x", "E", "the best term of what E is, or its value") \
	X(WHY, "why", "A B", "why two are equal: what made them so, oldest first") \
	X(WHYNOT, "whynot", "RULE [E]", "why a rule does not fire, anywhere or in E's class") \
	X(RULES, "rules", "", "the rules, and how often each has fired") \
	X(HELP, "help", "", "all commands") \
	X(QUIT, "quit", "", "leave")

/* What gdb and the screen call them. */
#define LESSON_ALIASES(X) X("rs", REVERSE) X("?", HELP)

enum lesson_command {
#define X(id, name, args, help) LESSON_##id,
	LESSON_COMMANDS(X)
#undef X
	LESSON_COMMAND_COUNT
};

bool lesson_is(const char *file);	/* does the name end in .egg? */
int lesson_run(const char *file);
typedef char *lesson_ask_fn(const char *label);	/* a line from the terminal, to be freed; NULL: it is over */
int lesson_step(const char *file, lesson_ask_fn *ask);
void lesson_man(FILE *f);			/* the commands as a section of the manual page */

#endif
