/* graph.h - a tensor program in memory: modules, computations, instructions.
 *
 * What the readers make and everything else reads.  A module owns all its
 * memory (one arena); nothing is changed after the reader is done.  Operands
 * are pointers to instructions of the same computation.  Attributes keep their
 * order; every attribute is kept, known or not, with a typed value where its
 * form is known.
 *
 * The readers make the graph uniform: element accesses that a dump leaves out
 * (%t#1) are instructions named t#1; X-start of an X without a start of its own
 * is async-start with calls= a computation `comp.inst.wrapped` that holds X and
 * its attributes.  All shapes have been checked (infer.h); in a module whose
 * header says is_scheduled=true, instructions may still mix float widths, which
 * means that they convert.
 */
#ifndef DIVERGE_GRAPH_H
#define DIVERGE_GRAPH_H

#include "tensor/opcode.h"
#include "tensor/shape.h"
#include "util/arena.h"

typedef struct inst inst;
typedef struct comp comp;
typedef struct module module;

enum attr_kind {
	ATTR_RAW,	/* text as written (words such as kLoop) */
	ATTR_UNKNOWN,	/* likewise, of a key that nobody knows */
	ATTR_STRING,	/* text without quotes, escapes decoded */
	ATTR_INT,	/* ints[0] */
	ATTR_BOOL,	/* ints[0] is 0 or 1 */
	ATTR_FLOAT,	/* real */
	ATTR_INTS,	/* {0,2}: n integers */
	ATTR_COMP,	/* one called computation: comps[0] */
	ATTR_COMPS,	/* {%a, %b}: n of them */
	ATTR_GROUPS,	/* device groups, see struct groups */
	ATTR_PAIRS,	/* source_target_pairs: ints holds n pairs, 2n integers */
	ATTR_SLICE,	/* n triples start, limit, stride: 3n integers */
	ATTR_PADDING,	/* n triples low, high, interior: 3n integers */
	ATTR_WINDOW,	/* n dimensions of WINDOW_FIELDS integers each */
	ATTR_DIM_LABELS,/* raw text b01f_01io->b01f */
	ATTR_SHARDING,	/* struct sharding */
	ATTR_LITERAL	/* struct literal (custom-call literal=) */
};
/* fields of one window dimension, in this order */
enum { W_SIZE, W_STRIDE, W_PAD_LOW, W_PAD_HIGH, W_LHS_DILATE, W_RHS_DILATE, W_REVERSAL, WINDOW_FIELDS };

/* Device groups as ids in member order, whatever form they were written in.
 * ngroup 0: one group of all.  id holds the groups one after another. */
typedef struct groups {
	int ngroup;
	const int *size;	/* members of each group */
	const int64_t *id;
	const char *text;	/* as written */
} groups;

/* One tensor's sharding. */
enum sharding_kind { SH_REPLICATED, SH_MAXIMAL, SH_MANUAL, SH_UNKNOWN, SH_UNREDUCED, SH_TILED, SH_TUPLE };
typedef struct sharding sharding;
struct sharding {
	enum sharding_kind kind;
	int64_t device;			/* SH_MAXIMAL */
	int ntile;			/* SH_TILED: extents of the tile assignment, subgroup dims included */
	const int64_t *tile;
	const int64_t *devices;		/* product(tile) ids in row-major order of the tiles */
	int nsub;			/* how many trailing tile dims are subgroups */
	const enum sharding_kind *sub;	/* what each is: replicated, manual, unreduced.. */
	int n;				/* SH_TUPLE */
	const sharding *const *elem;
	const char *text;
};

/* A constant.  `elided`: written {...}, the value is unknown.  Values are kept
 * exactly: integers and truth values in i (2's complement of the type), floats
 * in f as the double of the literal as written, rounded to the element type;
 * complex in f as pairs.  count elements, row-major logical order. `splat`: all
 * elements equal and only one is stored. */
typedef struct literal {
	bool elided, splat;
	int64_t count;
	const int64_t *i;	/* pred and integer types, else NULL */
	const double *f;	/* float and complex types, else NULL */
	int n;			/* tuple literals */
	const struct literal *const *elem;
} literal;

typedef struct attr {
	const char *key;
	enum attr_kind kind;
	const char *text;	/* as written (RAW, STRING decoded) */
	int n;
	const int64_t *ints;
	double real;
	comp *const *comps;
	const groups *groups;
	const sharding *sharding;
	const literal *literal;
	const shape *shape;	/* of literal */
} attr;

/* A stack frame; parent NULL at the outermost. */
typedef struct frame frame;
struct frame {
	const char *file, *function;	/* function may be NULL */
	int line, column, end_line, end_column;	/* 0: unknown */
	const frame *parent;
};

struct inst {
	const char *name;		/* without % */
	enum opcode opcode;		/* OP_UNKNOWN: opname tells */
	/* as written, "-start"/"-done" sugar included; `add/rounding`: a known operation with an attribute nobody knows, OP_UNKNOWN */
	const char *opname;
	const shape *shape;
	comp *parent;
	int index;			/* position in its computation */
	int noperand;
	inst *const *operand;
	int64_t number;			/* parameter number; get-tuple-element index; else -1 */
	const literal *literal;		/* constant */
	int nattr;
	const attr *attr;
	const char *op_name, *op_type;	/* metadata, or NULL */
	const frame *frame;		/* innermost frame, or NULL */
	const char *metadata;		/* the rest of the metadata as written, or NULL */
	int line, column;		/* in the file read; 0 for protobuf */
};

struct comp {
	const char *name;
	module *module;
	int ninst;
	inst *const *inst;		/* in the file's order made topological: operands first */
	inst *root;
	int nparam;
	inst *const *param;		/* by number */
	int index;
};

struct module {
	arena arena;
	const char *name, *file;
	int ncomp;
	comp *const *comp;
	comp *entry;
	int64_t num_partitions, replica_count;	/* 0: the header does not say */
	int nattr;
	const attr *attr;		/* header attributes, raw */
	int nwarning;
	const char *const *warning;	/* "file:line:column: ..." */
};

const attr *inst_attr(const inst *i, const char *key);		/* NULL if absent */
const int64_t *inst_ints(const inst *i, const char *key, int *n);	/* n = 0 and NULL if absent */
int64_t inst_int(const inst *i, const char *key, int64_t otherwise);
bool inst_bool(const inst *i, const char *key, bool otherwise);
const char *inst_text(const inst *i, const char *key);		/* NULL if absent */
/* The attribute nobody knows that stands in the name of i, n: how long its name is without it; NULL: there is none. */
const char *inst_unknown_attr(const inst *i, int *n);
comp *inst_comp(const inst *i, const char *key);		/* NULL if absent */
comp *inst_called(const inst *i);		/* what a call or a fusion stands for; NULL for all else */
comp *module_comp(const module *m, const char *name);
inst *comp_inst(const comp *c, const char *name);
module *module_new(const char *name, const char *file);
void module_free(module *m);
/* The first structural difference of two modules, as a line in `a`; NULL if
 * they are equal: the same computations and instructions by name, operands,
 * shapes and layouts, attributes, constants (an elided one equals any), op_names
 * and source places (`stacks`: down to the outermost frame and to the column).
 * Header attributes, the order of instructions and the place in the file are
 * not compared. */
const char *module_difference(arena *a, const module *x, const module *y, bool stacks);
/* Largest device id named anywhere plus one (groups, pairs, shardings); 1 if none. */
int64_t module_devices_named(const module *m);

#endif
