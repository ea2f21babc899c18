/* program.h - a tensor program as rows: one per array-shaped value, ready to be lifted.
 *
 * Made from a module by the host (src/lower/lower.c): calls and fusions are inlined
 * (`path` is then `%call.3/%dot.7`), tuples taken apart, collectives with
 * several operands split.  A row is an operation - the name of a Tensor
 * constructor of the rule files and its attributes - on earlier rows.  Rows are
 * in program order; operands come first.
 *
 * A loop in closed form (RULES section 5) stands as one body whose rows hold what
 * all trips have: trip s of device d is device s * ndev + d of them.
 *
 * A loop that is kept stands as one body: a row per carried value at the
 * beginning of a trip (its operand is only where it comes from), the rows of
 * one trip, and a row per value that is carried out.
 */
#ifndef DIVERGE_PROGRAM_H
#define DIVERGE_PROGRAM_H

#include "core/literal.h"
#include "egraph/egraph.h"
#include "tensor/graph.h"

enum program_side { SIDE_BASE, SIDE_DIST };

enum row_role { ROW_PLAIN, ROW_CARRIED, ROW_AFTER };

typedef struct row {
	const inst *inst;	/* where it comes from; several rows may share one */
	const char *path;	/* name shown, without the leading %; unique in the program */
	const char *family;	/* Tensor constructor, for example "dot"; "parameter" for inputs */
	int type;
	int rank;
	const int64_t *dim;
	int nint;
	const int64_t *ints;
	const char *name;	/* text attribute, "" if none */
	int nop;
	const int *op;		/* rows */
	int param;		/* parameter number, else -1 */
	int element;		/* of a tuple-shaped instruction, else -1 */
	const char *why;	/* the lowering's own reason why no rule lifts it, or NULL */
	eg_id tensor;		/* NIL until it is lifted */
	enum row_role role;
	int loop, carried;	/* CARRIED, AFTER: of which loop, which of its values */
	int64_t trips;		/* it stands for so many trips of the loops in closed form that it is in: the devices of its tensor are so many times as many */
	int within;		/* the innermost loop that stands as one body in whose body or condition it is, or -1 */
} row;

/* A loop as one body.  Arrays are rows, one per carried array; where the body hands a value through, `state`, `body` and
 * `after` are its row before the loop. */
typedef struct loop {
	const inst *inst;
	const char *path;	/* as a row's */
	int parent;		/* the loop whose body it is in, or -1 */
	int n;
	int *init;		/* before the loop */
	int *state;		/* at the beginning of a trip */
	int *body;		/* at the end of that trip */
	int *after;		/* when the loop is left */
	int64_t *range;		/* of an integer whose values at the beginning of every trip lie in 0..range-1; else 0 */
	int64_t trips;		/* the same on every device, -1 if not known */
	int trip;		/* the value that is the number of the trip, or -1 */
	int cond;		/* trips not known: the condition at the beginning of a trip; else -1 */
} loop;

/* As what a row stands when no rule lifts it (RULES 1.6). */
typedef struct row_fallback {
	bool unique;		/* depends on more than its own operands: equal to nothing else */
	const char *key;	/* canonical: operation, attributes, called computations, operand types and shapes */
	int npass;
	const int64_t *pass;	/* triples (operand, its dimension, result dimension) that pass through; one number more: so many
				 * places has the only other dimension of the result before it is cut off */
} row_fallback;

typedef struct program program;
struct program {
	enum program_side side;
	const module *m;
	arena a;
	int64_t ndev;
	int nrow, cap;
	row *row;
	int nparam;
	int *param;		/* rows, -1: a token or tuple */
	int nout;
	int *out;		/* rows of the outputs, -1: a token */
	int nloop, loopcap;
	loop *loop;		/* outer ones first */
	struct name_table *names;
	const char **note;	/* assumptions about the file, one sentence each */
	int nnote, notecap;
	module **definition;	/* what custom calls were read as: owned */
	int ndefinition;
	literals literals;	/* of this program and the other */
	bool ties_open;		/* the baseline has sorts that do not say which of equal values is first: neither need the other's */
	row_fallback (*fallback)(program *p, const row *r);	/* asked only when it is needed */
};

int program_named(program *p, const char *path);	/* row, or -1; a leading % is allowed */
void program_alias(program *p, const char *path, int row);	/* another name: of an instruction that only passes a value on */
/* Are the rows of a tuple-shaped instruction's arrays named by their number in it, counted through: `x#0`, `x#1`?  Else by what
 * takes them out of it. */
bool program_counts(const inst *i);
int64_t row_elements(const row *r);

/* "f32[8,16]", cut where buf is full; returns buf. */
const char *row_shape(const row *r, char *buf, size_t n);

#endif
