/* core.h - cores: arrays that know nothing of devices or layouts, as e-nodes.
 *
 * A class of cores of length n is an array 0..n-1.  A node's output index is the
 * row-major number of its free labels (times `tail` own places for an opaque
 * result); it reads every operand at one index expression.  Which labels there
 * are and what each operand is read at is the *pairing*, an attribute value.
 *
 * Here are kinds of nodes and their attributes; lists of digits are digits.h,
 * words of a pairing pairing.h, element types core_type.h.
 */
#ifndef DIVERGE_CORE_H
#define DIVERGE_CORE_H

#include "core/core_type.h"
#include "egraph/egraph.h"
#include "index/digits.h"
#include "index/index.h"
#include "util/rational.h"

/* family name, number of extra attribute values after type and pairing */
#define CORE_KINDS(X) \
	X(PARAM, "param") X(NUMBER, "number") X(TABLE, "table") X(INDEX, "index") \
	X(AT, "at") X(MAP, "map") X(SUM, "sum") X(MUL, "mul") X(EIN, "ein") X(RED, "red") \
	X(LAT, "lat") X(PICK, "pick") X(OPAQUE, "opaque") X(LOOP, "loop") X(VIEW, "view") \
	X(LAID, "laid") X(TENSOR, "tensor")
enum core_kind {
#define X(n, s) C_##n,
	CORE_KINDS(X)
#undef X
	C_COUNT
};
const char *core_kind_name(enum core_kind k);

typedef struct algebra {
	egraph *g;
	trail *tr;
	scratch s;
	eg_sort tensor, core;
	eg_sort v_type, v_int, v_ints, v_pairing, v_rats, v_exps, v_name, v_number, v_table, v_view, v_layout, v_shape;
	eg_fam fam[C_COUNT];
	vec info;		/* struct core_info per node */
	vec facts;		/* facts.h: bits per root */
	vec learned;		/* roots that learned something and have not told their users */
	vec ground, ground_prem;	/* facts.h: struct fact_ground, premise; on the trail */
	vec looked;		/* premises of the fact that is decided: struct premise */
	vec range, hint;	/* facts.h: struct param_range, on the trail; suggestions
				 * met while lifting, which only grow */
	vec bent;		/* struct bent; entry 0 is none */
	struct normal *normal;	/* heads, steps, worklist: normal.h */
	vec made;		/* nodes built by the primitive that runs: struct made_node */
	vec made_args;
	bool recording;
	vec renewed;		/* renewal.h: per operator */
	vec met;		/* constants in sums, in the order they were met (reading.h) */
	uint32_t met_upto;	/* nodes looked through for them; trailed */
	vec token;		/* token_mark, trailed */
	uint32_t assumed;	/* a hypothesis has been made; trailed */
	uint32_t facts_assumed;	/* .. and since then a class learned something from another: facts may rest on it (RULES T45); trailed */
	eg_id (*in_step)(void *ctx, eg_id node);	/* the host's: the form of what a loop carries out, or `stuck` */
	void *in_step_ctx;
	const struct literals *literals;	/* literal.h: of both programs, or NULL */
	bool closed;		/* sums of more than a few terms are not opened (normal_opens); the same for a whole run */
	uint32_t searching;	/* S14 is on: N20 and N25 set positive factors aside, N25 reads less anew; trailed */
} algebra;

/* A constant that stands in a sum of this type. */
typedef struct met_constant {
	rat v;
	int type;
} met_constant;

/* A token (token.h): its Tensor node; of a product or reduction the core, of a product the Tensor node of the other factor, else NIL. */
typedef struct token_mark {
	eg_id tensor, core, factor;
} token_mark;

typedef struct core_info {
	int64_t len;
	uint64_t skeleton;	/* the expression but for where things are read: equal for instances of one */
	uint8_t kind, type;
	uint16_t pad;
	uint32_t bent;		/* 0: nothing bent; else which of algebra.bent */
} core_info;

/* Ranges [lo, hi) of digits of a core's flat index (lo, hi are strides). */
enum { BENT_MAX = 4 };
typedef struct bent_ranges {
	int n;
	int64_t lo[BENT_MAX], hi[BENT_MAX];
} bent_ranges;

/* What an expression does with digits of its index, at any depth. */
typedef struct bent {
	bent_ranges table;	/* some constant table or tabulated index depends on them: other than linearly */
	bent_ranges crossed;	/* they overlap with other digits in an index, as i and j in x[i + j] */
	bent_ranges back;	/* some index runs backwards over them */
} bent;

/* A node as a primitive asked for it: the table may have answered with an older one, written with other arguments. */
typedef struct made_node {
	eg_id node;
	eg_op op;
	uint32_t args, narg;	/* in algebra.made_args */
} made_node;

void algebra_init(algebra *a, egraph *g);
void algebra_free(algebra *a);

bool core_skeleton_anew(algebra *a, eg_id n);	/* by the normal nodes of its operands as they are now: has it changed? */
static inline const core_info *core_of(const algebra *a, eg_id n) { return &VEC_AT(core_info, &a->info, n); }
static inline enum core_kind core_kind(const algebra *a, eg_id n) { return core_of(a, n)->kind; }
static inline int64_t core_len(const algebra *a, eg_id n) { return core_of(a, n)->len; }
const bent_ranges *core_bent(const algebra *a, eg_id n);
const bent_ranges *core_crossed(const algebra *a, eg_id n);
const bent_ranges *core_back(const algebra *a, eg_id n);
bool bent_hits(const bent_ranges *b, int64_t lo, int64_t hi);
bool core_bends_bound(const algebra *a, eg_id n);	/* a label that is bound here is read through a table, or crosses another one, at any depth */
bool core_backs_bound(const algebra *a, eg_id n);	/* some index runs backwards over a label that is bound here, at any depth */
static inline int core_type(const algebra *a, eg_id n) { return core_of(a, n)->type; }
/* an index stays in its slot over these (DESIGN section 3, Reading) */
bool core_atom(const algebra *a, eg_id n);
bool core_has_name(enum core_kind k);		/* attribute 2 is a name */
bool core_commutes(enum core_kind k);
bool core_keeps_order(enum core_kind k);	/* the order of bound labels is part of the meaning */

/* ---- attribute values */
eg_val val_int(algebra *a, int64_t v);
int64_t val_get_int(const algebra *a, eg_val v);
eg_val val_ints(algebra *a, int n, const int64_t *v);
const int64_t *val_get_ints(const algebra *a, eg_val v, int *n);
eg_val val_name(algebra *a, const char *s);
const char *val_get_name(const algebra *a, eg_val v);
eg_val val_digits(algebra *a, eg_sort sort, int n, const digit *d);
const digit *val_get_digits(const algebra *a, eg_val v, int *n);
eg_val node_val(const algebra *a, eg_id n, int k);	/* attribute k of a node's operator */
const char *core_fn(const algebra *a, eg_id n);		/* map, red, lat, pick: the operation; opaque: its key; param: its name */
int opaque_result(const char *key);	/* which result of its instruction an opaque core is; -1: its key does not say */

/* A number: a rational, or a double no rational of 64 bits stands for (infinities and NaN too). */
typedef struct number {
	rat r;			/* den 0: not a rational */
	double f;
} number;
number core_number(const algebra *a, eg_id n);
bool number_is_rat(number v);
double number_double(number v);
bool double_same_bits(double x, double y);	/* tells 0 from -0, and a NaN is itself */
const double *core_table(const algebra *a, eg_id n, int64_t *len);

/* ---- building nodes; every one is recorded for the proof of the firing that runs */
eg_id core_build(algebra *a, eg_op op, uint32_t narg, const eg_id *args);
eg_id core_param(algebra *a, int type, int64_t len, const char *name);
eg_id core_num(algebra *a, int type, number v);
eg_id core_rat(algebra *a, int type, rat v);
eg_id core_values(algebra *a, int type, int64_t len, const double *v);	/* a table; constant ones become numbers */
eg_id core_line(algebra *a, int type);		/* the atom whose value at i is i */
eg_id core_view(algebra *a, int n, const digit *d, eg_id x);	/* x itself when d is the identity */

eg_val ints_type(algebra *a, int type);
int val_type(const algebra *a, eg_val v);

const rat *core_coefs(const algebra *a, eg_id sum);
rat core_coef(const algebra *a, eg_id n, int k);	/* of slot k: coefficient or exponent; 1 otherwise */

#endif
