/* hlo_frame.h - where an instruction comes from.
 *
 * Source positions come in three forms: tables of stack frames, one position
 * written at the instruction, and Neuron's: a whole stack packed into the name
 * of the source file.  All become chains of struct frame, innermost first,
 * in the module's arena.  Frames that are equal down to the root are one.
 */
#ifndef DIVERGE_HLO_FRAME_H
#define DIVERGE_HLO_FRAME_H

#include "hlo/hlo_build.h"

/* The tables as written; ids count from 1.  parent 0: none. */
struct frame_location {
	int64_t file, function, line, column, end_line, end_column;
};
struct frame_entry {
	int64_t location, parent;
};
struct frame_tables {
	const char **file, **function;
	struct frame_location *location;
	struct frame_entry *entry;
	int nfile, nfunction, nlocation, nentry;
	int capfile, capfunction, caplocation, capentry;
	const frame **frame;		/* by id - 1, made by frames_make */
	int *depth;
};

#define FRAME_DEPTH 1000	/* longest stack */

/* Entries whose ids lead nowhere or in a circle are dropped, and those that
 * are nested deeper than FRAME_DEPTH; says how many. */
int frames_make(builder *b, struct frame_tables *t);
/* One position written at the instruction, in the file of that name as it stands in
 * the input: with escapes, or without.  The name may hold a packed stack. */
const frame *frame_inline(builder *b, const frame *at, const char *file, size_t n, bool escaped);

#endif
