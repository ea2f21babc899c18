/* hlo_build.h - a module while it is being read.
 *
 * What the text reader and the protobuf reader have in common: names, errors,
 * warnings, and making a computation and a module whole once their parts are
 * known.  A builder owns the unfinished module; build_end hands it over.
 * Errors leave through `fail` (set by the reader with setjmp) after the diag
 * has been filled; the reader then calls build_free, which frees everything.
 */
#ifndef DIVERGE_HLO_BUILD_H
#define DIVERGE_HLO_BUILD_H

#include <setjmp.h>
#include "hlo/hlo_sym.h"
#include "tensor/graph.h"
#include "text/diag.h"

#define BUILD_NEST 200		/* how deep anything may be nested */

/* A called computation that is named before it is known. */
struct comp_ref {
	comp **slot;
	sym *name;
	int line, column;
};

/* A computation to be: the instructions in the order of the file. */
struct body {
	comp *comp;
	inst **inst;
	int n, cap;
	inst *root;
	bool unordered;		/* an operand stands after its user */
};

/* The packed stack of frames read last (hlo_frame.c): neighbours in a file come
 * from the same place but for the innermost frames. */
struct frame_list {
	char *text;
	size_t len, room;
	struct { size_t end; const frame *frame; } *step;	/* up to the quote behind each frame */
	int n, cap;
};

typedef struct builder {
	module *m;
	arena *a;		/* the module's */
	arena tmp;		/* lives as long as the builder */
	arena scratch;		/* for the moment */
	syms syms, frames;
	syms files;		/* names of source files where they stand in the input */
	struct frame_list last;
	struct diag *err;
	jmp_buf fail;
	uint32_t epoch;		/* of the computation being read */
	comp **comp;
	int ncomp, capcomp;
	struct comp_ref *ref;
	int nref, capref;
	const char **warning;
	int nwarning, capwarning;
} builder;

void build_init(builder *b, const char *name, const char *file, struct diag *err);
void build_free(builder *b);		/* and the module, unless build_end took it */
module *build_end(builder *b);		/* everything has been read and checked */

void build_fail(builder *b, int line, int column, const char *fmt, ...)
	__attribute__((noreturn, format(printf, 4, 5)));
void build_warn(builder *b, int line, int column, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

/* Room for one more element of a growing array in b->tmp. */
void *build_grow(builder *b, void *array, int n, int *cap, size_t width);

/* The opcode a word stands for: -start, -update and -done of opcodes that have
 * none of their own are the async ones.  OP_UNKNOWN, with a warning each, for
 * words that are none. */
enum opcode build_opcode(builder *b, sym *word, int line, int column);
/* Does an attribute that nobody knows make an operation of i that nobody knows either?  Not of what only structures, of an
 * input, of a custom call (all its attributes are its name), nor of what has an effect (it is equal to nothing else). */
bool build_opaque(const inst *i);
/* Makes it one, where i has such an attribute: `add/rounding`. */
void build_unknown_attr(builder *b, inst *i);
comp *build_comp(builder *b, sym *name, int line, int column);
void build_comp_ref(builder *b, comp **slot, sym *name, int line, int column);
void build_add(builder *b, struct body *body, inst *i);
/* Order, root and parameters. */
void build_body_end(builder *b, struct body *body);
/* Resolve called computations, spell out async pairs, infer missing shapes,
 * check all shapes. */
void build_check(builder *b);

#endif
