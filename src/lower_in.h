/* lower_in.h - what the files of the lowering share: values, and how a row is made. */
#ifndef DIVERGE_LOWER_IN_H
#define DIVERGE_LOWER_IN_H

#include "lower.h"

typedef struct val val;
struct val {			/* a value: a row, or a tuple of values */
	int row;		/* -1: a token, or a tuple */
	int n;
	val **elem;
};

typedef struct lowering {
	program *p;
	const module *m, *other;
	int64_t parts, reps;	/* partitions, replicas */
	bool bare;		/* no counts in the header: every id is a device id */
	int rank;		/* inside a map: the shape scalars take */
	const int64_t *dim;
	bool mapped;
	int depth;
	const inst *const *keep;	/* loops that stay one body */
	int nkeep;
	int loop;		/* the one whose body is lowered, or -1 */
	const char **elided;	/* shapes of elided constants met */
	int *nelided, elidedcap, nkinds;
	struct diag *err;
	bool failed;
} lowering;


struct emit {			/* what emit() makes a row of */
	const inst *i;
	const char *family, *name, *why, *prefix;
	const char *attrs;	/* an instruction no rule knows: its attributes */
	const shape *shape;
	int element;
	int nint;
	const int64_t *ints;
	int nop;
	const int *op;
};


void lower_note(lowering *w, const char *text);		/* an assumption about the file, once */
val *val_row(lowering *w, int row);
val *val_tuple(lowering *w, int n);
struct emit emit_start(const inst *i, const char *prefix, const char *family);
int lower_emit(lowering *w, const struct emit *e);
val *emit_plain(lowering *w, const inst *i, val **arg, const char *prefix, const char *why);
val *lower_comp(lowering *w, const comp *c, val **arg, const char *prefix);
const char *lower_prefix(lowering *w, const inst *i, const char *prefix);	/* of what is inlined at i */

/* lower_loop.c */
val *lower_while(lowering *w, const inst *i, val **arg, const char *prefix);
/* lower_control.c */
/* Is a reducer of two truth values, however it is written, "and" or "or"?  NULL: neither, or it is not known. */
const char *lower_truth_kind(const comp *c);
/* Which payload a reducer of (value, payload) pairs keeps: first, last or least of the largest; NULL: none of these. */
const char *lower_arg_kind(const comp *c);
val *lower_conditional(lowering *w, const inst *i, val **arg, const char *prefix);

#endif
