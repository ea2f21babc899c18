/* plan.h - plans: how the inputs and outputs of two programs are related.
 *
 * The text form is the manual page diverge-plan(5).  `plan_parse` turns it into
 * the structures below and checks all that needs no graph: axes, permutations,
 * divisibility by an axis, one thing said twice.  Which parameter a name or
 * glob means, and whether a chain fits a shape, is asked later.
 *
 * Everything a plan points to lives in the arena given; nothing of the text is
 * kept.  Axes are numbered from 0, major to minor.  On malformed input the
 * functions return NULL with one `struct diag` filled.
 */
#ifndef DIVERGE_PLAN_H
#define DIVERGE_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "tensor/shape.h"
#include "text/diag.h"
#include "util/arena.h"

struct plan_axis {
	const char *name;
	int size;		/* 0: the device count, only for the implied axis `dev` */
};

/* `devices` is the product of the sizes.  A plan without a mesh line has one
 * axis `dev` and devices 0: the count comes from the programs. */
struct plan_mesh {
	int n;
	const struct plan_axis *axis;
	int devices;
	int line, column;	/* of its axes; line 0: no such line in the plan */
};

enum plan_ref_kind {
	PLAN_REF_SAME,		/* not written: what the other side's reference says */
	PLAN_REF_NUMBER,	/* a parameter's or an output's number */
	PLAN_REF_INSTRUCTION,	/* written %name: an instruction */
	PLAN_REF_NAME		/* a parameter's name, or what its op_name says */
};

struct plan_ref {
	enum plan_ref_kind kind;
	bool glob;		/* text holds `*` or `?` as wild cards */
	int number;
	const char *text;	/* without % and quotes; NULL for numbers */
	int column;
};

/* keyword, constant; the chain steps that are written like calls */
#define PLAN_STEPS(X) \
	X("reshape", RESHAPE) X("transpose", TRANSPOSE) X("pad", PAD) X("scale", SCALE) \
	X("repeat", REPEAT) X("take", TAKE) X("ignore", IGNORE) X("convert", CONVERT)
enum plan_step_kind {
	PLAN_SHARD,		/* axis, dim; v: sizes of segments that are sharded each, or n = 0 */
	PLAN_PARTIAL,		/* axis, op */
#define X(text, name) PLAN_##name,
	PLAN_STEPS(X)		/* RESHAPE v: extents; TRANSPOSE v: permutation;
				 * PAD dim, to, zero; SCALE num / den; REPEAT dim, count;
				 * TAKE dim, unit, v: blocks, -1 for zeros;
				 * IGNORE dim, v: local places; CONVERT type */
#undef X
	PLAN_STEP_KINDS
};

#define PLAN_OPS(X) X("sum", SUM) X("max", MAX) X("min", MIN) X("and", AND) X("or", OR)
enum plan_op {
#define X(text, name) PLAN_##name,
	PLAN_OPS(X)
#undef X
	PLAN_OP_KINDS
};

struct plan_step {
	enum plan_step_kind kind;
	int axis;
	int dim;
	enum plan_op op;
	int n;
	const int64_t *v;
	int64_t to;		/* PAD: the padded extent */
	bool zero;		/* PAD: the padding holds zeros, not arbitrary values */
	int64_t count;		/* REPEAT */
	int64_t unit;		/* TAKE */
	int64_t num, den;	/* SCALE, lowest terms, den > 0, num not 0 */
	enum etype type;	/* CONVERT */
	int column;
};

enum plan_value_kind { PLAN_VALUE_NUMBER, PLAN_VALUE_PARTITION_ID, PLAN_VALUE_AXIS, PLAN_VALUE_ANY };
struct plan_value {
	enum plan_value_kind kind;
	const char *text;	/* as written */
	bool integer;		/* a number without point and exponent that fits i */
	int64_t i;
	double f;
	int axis;
};

enum plan_subject {
	PLAN_INPUT,		/* a parameter of DIST */
	PLAN_OUTPUT,		/* an output of DIST, or an instruction: an obligation */
	PLAN_BASE,		/* a parameter or an instruction of BASE: a value or a range */
	PLAN_BASE_INPUT,	/* with a base mesh: BASE and the global tensor */
	PLAN_BASE_OUTPUT,
	PLAN_ASSUME		/* an instruction of DIST: a hypothesis */
};

enum plan_form {
	PLAN_CHAIN,		/* step[0..n), from the baseline tensor to the local one; R is n = 0 */
	PLAN_VALUE,		/* = value */
	PLAN_RANGE,		/* in lo..hi */
	PLAN_POSITIVE,		/* > 0 */
	PLAN_ANY		/* an output that is not compared */
};

struct plan_line {
	enum plan_subject subject;
	enum plan_form form;
	struct plan_ref ref;	/* what the line is about */
	struct plan_ref base;	/* its counterpart in BASE: `ref<-base`, `assume ref = base base` */
	int n;
	const struct plan_step *step;
	struct plan_value value;
	int64_t lo, hi;
	int line;
	const char *text;	/* as written, without comment and outer blanks */
};

struct plan {
	const char *file;
	struct plan_mesh mesh, base_mesh;	/* base_mesh.n 0: BASE runs on one device */
	int n;
	const struct plan_line *line;		/* in the order of the file, mesh lines left out */
};

struct plan *plan_parse(arena *a, const char *file, const char *text, size_t n,
			struct diag *d);
/* The same of a file; one that cannot be read or is empty is a diag with line 0. */
struct plan *plan_read(arena *a, const char *file, struct diag *d);

/* The plan that lies beside a program: for a/x.dist.hlo it is a/x.dist.plan, else
 * a/x.plan.  NULL if neither can be read. */
char *plan_beside(arena *a, const char *program);

const char *plan_op_name(enum plan_op op);
int plan_axis_named(const struct plan_mesh *m, const char *name);	/* -1 if none */
/* A chain as one writes it: "R", "dp:S(0) tp:S(1)". */
char *plan_chain_text(arena *a, const struct plan_mesh *m, int n, const struct plan_step *s);
/* Is `text` what the reference names?  `*` any text, `?` one byte. */
bool plan_ref_matches(const struct plan_ref *r, const char *text);

#endif
