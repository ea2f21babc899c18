/* source_lines.h - which instructions come from a line of a source file.
 *
 * An instruction comes from the line of its innermost user frame (source.h).
 * Made once per program, in time linear in its rows, and of use until the
 * sources are forgotten (sources_forgotten): then other frames may count.
 */
#ifndef DIVERGE_SOURCE_LINES_H
#define DIVERGE_SOURCE_LINES_H

#include "pair/program.h"
#include "report/source.h"

struct source_lines;

struct source_lines *source_lines_new(const struct sources *src, const program *p);
void source_lines_free(struct source_lines *x);

/* The first row that comes from there, and the next one from the same line; -1: none. */
int source_lines_first(const struct source_lines *x, const char *file, int line);
int source_lines_next(const struct source_lines *x, int row);

#endif
