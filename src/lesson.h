/* lesson.h - an egglog program, run or stepped on a line terminal.
 *
 * `lesson_run` goes through the whole file and prints what the program says.
 * `lesson_step` reads commands, one a line: firings forward and back, the next
 * form, the classes, a class's best term, why two terms are equal.  Both end with the size of the graph.  The exit status:
 * 0, or 2 when the file cannot be read or a command of the program fails.
 */
#ifndef DIVERGE_LESSON_H
#define DIVERGE_LESSON_H

#include <stdbool.h>

bool lesson_is(const char *file);	/* does the name end in .egg? */
int lesson_run(const char *file);
int lesson_step(const char *file);

#endif
