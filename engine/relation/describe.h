/* describe.h - cores and rows in words, by the names of the baseline.
 *
 * A core class is named by its oldest baseline instruction, else by its oldest
 * distributed one (with `dist `before it where a baseline instruction has the
 * same name), never by a number alone; one that no instruction has is written
 * out.  Index expressions print as the places they name: `columns 0..255,
 * 1024..1279 of %p9`.  One line is at most about 160 bytes: what does not fit
 * is `..`; `describe_term` writes the normal term, one node per line.
 *
 * Texts live in the arena given.
 */
#ifndef DIVERGE_DESCRIBE_H
#define DIVERGE_DESCRIBE_H

#include "relation/state.h"

/* The name of a core class: "%dot.3", "0.5", "sum of %a, %b"; read at a place it does not say. */
char *describe_class(const states *s, eg_id core, arena *out);
/* What a row computes: "dot over 16: %x, columns 0..3 of %w". */
char *describe_row(const states *s, enum program_side side, int row, arena *out);
/* The same of the normal node of a class, whether a row names it or not. */
char *describe_core(const states *s, eg_id core, arena *out);
/* What one node says, normal or not: operands by name, as they are known now. */
char *describe_node(const states *s, eg_id node, arena *out);
/* The normal term, indented (no further than 30 levels), shared parts once; its first 400 nodes. */
char *describe_term(const states *s, eg_id core, arena *out);
/* The row that names a class, -1 when none does. */
int describe_named(const states *s, eg_id core, enum program_side *side);
/* Places of one dimension, in the order given: "columns 0..3"; the runs alone: "0..3, 8", "3..0", "1, 3 .. 7". */
char *describe_dimension(arena *out, int rank, int k, int64_t n, const int64_t *v);
char *describe_runs(arena *out, int64_t n, const int64_t *v);

#endif
