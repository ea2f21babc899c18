/* lower_in.h - what the files of the lowering share: values, and how a row is made.
 *
 * A function that takes an instruction and the values of its operands emits the
 * rows it needs and returns its value.  What no rule can lift becomes a row
 * with the reason (emit.why).  A program that cannot be lowered at all sets
 * w->failed and w->err.
 */
#ifndef DIVERGE_LOWER_IN_H
#define DIVERGE_LOWER_IN_H

#include "lower/lower.h"

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
	int64_t nlowered;	/* instructions looked at, those of calls and loops each time */
	const kept_loop *keep;	/* loops that stay one body */
	int nkeep;
	int64_t trips;		/* of the loops in closed form whose bodies are lowered, multiplied: 1 outside */
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

struct list { int64_t *v; int n, cap; };		/* numbers of a row, in the program's arena */
void list_put(lowering *w, struct list *l, int64_t x);

void lower_note(lowering *w, const char *text);		/* an assumption about the file, once */
void lower_ids_are_devices(lowering *w);		/* .. that names replicas or partitions, and does not say how many there are */
val *val_row(lowering *w, int row);
val *val_tuple(lowering *w, int n);
struct emit emit_start(const inst *i, const char *prefix, const char *family);
int lower_emit(lowering *w, const struct emit *e);
val *emit_plain(lowering *w, const inst *i, val **arg, const char *prefix, const char *why);
/* Likewise the results beyond those of a tuple at hand: memory that a call works in. */
val *emit_beyond(lowering *w, const inst *i, val **arg, const char *prefix, const val *first);
val *lower_comp(lowering *w, const comp *c, val **arg, const char *prefix);
const char *lower_prefix(lowering *w, const inst *i, const char *prefix);	/* of what is inlined at i */

bool lower_is_array(const shape *s);
const shape *lower_element_shape(const shape *s, int k);
/* The rows of n values, leaf by leaf. */
int *lower_rows(lowering *w, val **arg, int n, int *count);
/* A row per array element of the result, all on the same operands. */
val *emit_each(lowering *w, struct emit *e, const shape *s, int *k);

typedef val *lower_fn(lowering *w, const inst *i, val **arg, const char *prefix);

/* lower_inst.c */
lower_fn lower_inst;

/* lower_attr.c: attributes as numbers */
void lower_put_list(lowering *w, struct list *l, const inst *i, const char *key);
void lower_put_ints(lowering *w, struct list *l, const inst *i, const char *key);
void lower_put_dot(lowering *w, struct list *l, const inst *i);
void lower_put_gather(lowering *w, struct list *l, const inst *i);
/* .. false, or a sentence: no rule takes such a one */
bool lower_put_convolution(lowering *w, struct list *l, const inst *i);
bool lower_put_window(lowering *w, struct list *l, const inst *i);
const char *lower_put_bitcast(lowering *w, struct list *l, const inst *i, const char **name);

/* lower_constant.c */
val *lower_constant(lowering *w, const inst *i, val **arg, const char *prefix);	/* arg is not read */

/* lower_call.c */
const char *lower_call_target(const inst *i);
bool lower_is_marker(const char *target);	/* the custom call is the identity */
bool lower_effect(const inst *i);		/* it says that it has one */
/* topk, or the custom call that compilers put in its place, unless that says more: of the largest values; how many is in the
 * shapes.  A sort that has them in front takes all. */
bool lower_takes_largest(program *p, const inst *i);
val *lower_custom_call(lowering *w, const inst *i, val **arg, const char *prefix);

/* lower_collective.c */
/* The operation of a reducer of two scalars, or NULL. */
const char *lower_reducer(const inst *i);
/* What a reducer is that has no such name: its computation, word for word. */
const char *lower_reducer_text(lowering *w, const inst *i);
val *lower_collective(lowering *w, const inst *i, val **arg, const char *prefix);

/* lower_key.c: the canonical key of an operation nobody gave a meaning */
struct key_text {
	const char *s;
	bool over;	/* too long to be compared: s is this instruction's own */
	bool elided;	/* constants without values are in it */
};
struct key_text lower_attributes(lowering *w, const inst *i);
row_fallback lower_fallback(program *p, const row *r);

/* lower_order.c: by which operands a comparator orders, the larger (>) or the smaller (<) first: ">0 <1", in the total order;
 * "zeros <2 >0 <1": operand 2 decides between zeros of operand 0 that have other signs, and where one is no number;
 * "unordered zeros <2 >0 <1": what is no number is in no order with numbers;
 * "one zero <0", "one nan <0", "plain <0": zeros have one sign, what is no number is one NaN, both; NULL: not known. */
const char *lower_order(arena *a, const comp *c);
const char *lower_sort_order(arena *a, const inst *i);	/* of a sort whose comparator takes its operands as they are */
/* Is it the sort that topk takes the first values of: the larger first, of equal ones that of the lower place? Where it is
 * not said which of equal ones is first (lower_leaves_ties), that is assumed, if the baseline does not say it either. */
bool lower_sorts_largest(arena *a, const inst *i);
bool lower_leaves_ties(arena *a, const inst *i);

/* lower_loop.c: a while */
val *lower_while(lowering *w, const inst *i, val **arg, const char *prefix);

/* lower_control.c */
/* Is a reducer of two truth values, however it is written, "and" or "or"?  NULL: neither, or it is not known. */
const char *lower_truth_kind(const comp *c);
/* Which payload a reducer of (value, payload) pairs keeps: first, last or least of the largest, or of the smallest; NULL: none
 * of these. */
const char *lower_arg_kind(const inst *i, bool *least);
val *lower_conditional(lowering *w, const inst *i, val **arg, const char *prefix);

#endif
