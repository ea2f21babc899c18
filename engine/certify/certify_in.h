/* certify_in.h - inside the checker by numbers: values, and one step's small world.
 *
 * A value is held twice: as an exact residue modulo the prime 2^61 - 1 and as a
 * double.  The residue decides; where a function has no exact residue (exp,
 * log, sine ..) the value is `soft` and the doubles decide, within the error
 * that `m`, the largest magnitude on the way, allows.  Infinities and NaN are
 * kinds of their own.  Integers and truth values are exact: `i`.
 */
#ifndef DIVERGE_CERTIFY_IN_H
#define DIVERGE_CERTIFY_IN_H

#include "certify/certify.h"

enum { V_NUM, V_PLUS, V_MINUS, V_NAN };
typedef struct val {
	uint64_t r;
	double d, m;
	int64_t i;
	uint8_t kind;
	bool soft, lost;	/* lost: a double left its range, nothing is known */
} val;

#define CERTIFY_P ((1ull << 61) - 1)

/* ---- numbers (certify_value.c); `type` is an element type, TYPE_REAL included */
bool cv_int(int type);			/* integers and truth values */
bool cv_real(int type);			/* floating point */
uint64_t cv_mix(uint64_t a, uint64_t b);
uint64_t cv_name(const char *s);
val cv_of_int(int type, int64_t i);	/* wrapped into the type */
val cv_of_double(double d);
val cv_of_rat(rat q);
val cv_special(int kind);
val cv_random(int type, uint64_t h);
double cv_greatest(int type);	/* the greatest finite number; 0: not known */
val cv_add(int type, val x, val y);
val cv_mul(int type, val x, val y);
val cv_pow(int type, val x, int64_t e);
val cv_scale(int type, rat c, val x);	/* c * x */
val cv_reduce(const char *op, int type, val x, val y);	/* add and multiply too */
/* The payload at the largest value: at ties the first, the last, or the least. */
void cv_choose(const char *which, int type, val *best, val *pay, val v, val p, bool first);
val cv_map(const char *fn, int type, const int *from, int n, const val *x);
val cv_convert(int from, int to, val x);
bool cv_holds(int to, int from);	/* every value of `from` is one of `to` */
bool cv_same(val x, val y);
bool cv_close(val x, val y);	/* the same, by their own sizes */
uint64_t cv_hash(val x);		/* equal for equal values */

/* ---- the world of one step (certify_world.c) */

enum { DEFS = 6 };
#define BUILT 0x80000000u
#define INVERSE 0x40000000u
struct world_node {
	eg_id id;
	uint32_t up;		/* index of another entry, or its own */
	int64_t full;		/* as a data digit it is below this; 0: none */
	uint32_t ndef;		/* of a root: how many definitions */
	/* nodes; BUILT + k: the k-th node the step built; INVERSE + k: premise k says that a view of this class is x */
	uint32_t def[DEFS];
	uint32_t first;		/* choices from here on take its other definitions, then none */
	bool busy;
};

/* What classes are taken for.  A conclusion that holds under any choice follows from the premises. */
enum certify_choice {
	CHOICE_FIRST,		/* of every class its first definition, the views that it has not turned round */
	CHOICE_NONE,		/* all are random */
	CHOICE_BACK,		/* as the first, and what is known by a view of it alone is read through that */
	CHOICE_OTHER		/* from here on one class at a time takes another definition */
};

typedef struct world {
	const algebra *a;
	const egraph *g;
	arena *s;
	const hist_entry *f;	/* the step */
	struct world_node *node;
	uint32_t n;
	uint32_t *slot;		/* hash: id -> node */
	uint32_t mask;
	uint64_t seed;
	uint32_t choice, choices;	/* an enum certify_choice */
	bool wild;
	bool extremes;		/* the step is about largest and least of its operands alone: random reals are also the last ones of their type */
	bool facts;		/* ranges of data are what facts show, not where some node reads them */
	bool views;		/* views alone are definitions (world_of_digits): one that leads back is passed over */
	int sign;		/* of random reals: 0 both, else this one, so that maxima and masks show */
	int64_t cost, budget;
	const char *bad;	/* what is not as it must be: the evaluation stops */
	bool cut;		/* over budget */
} world;

void world_open(world *w, const algebra *a, const hist_entry *f, bool facts, arena *s);
/* Instructions all of whose values are, place by place, one function of those of their operands: what holds at many drawn places
 * holds at all. */
bool world_of_places(const world *w);
/* Forgets all definitions but forms, views, sums and products without tables (`views`: all but views); false where the step itself is
 * about something else. */
bool world_of_digits(world *w, bool views);
/* The value of a core node at a place: as an operand (`built` 0), or as built by the first `built` nodes of the step. */
val world_core(world *w, eg_id x, int64_t at, uint32_t built);
/* Of a Tensor or Laid node, on a device, at a flattened local index. */
val world_tensor(world *w, eg_id t, int64_t dev, int64_t at, uint32_t built);
/* The node the step started from, by its own operator. */
val world_own(world *w, eg_id n, int64_t dev, int64_t at);
val world_fail(world *w, const char *why);
bool world_pay(world *w, int64_t n);
uint32_t world_find(world *w, eg_id id);	/* index of the root entry, or NIL */
bool world_knows(world *w, eg_id x);	/* it has a definition, or is a constant: no leaf */
/* Of an instruction that is equal to nothing else but the parameter of its name: anything, but for what facts say of that. */
val world_named(world *w, const char *name, int type, int64_t at);
/* What the step gives: its result, as built (by the node `as` of what it built, NIL: the result itself). */
val world_result(world *w, uint32_t as, int64_t dev, int64_t at);

/* Merges of views and forms: every place of every premise, one by one. */
bool world_closure(world *w);

enum certify_kind { K_OTHER, K_PARAM, K_NUMBER, K_TABLE, K_INDEX, K_AT, K_MAP, K_SUM, K_MUL, K_EIN, K_RED, K_LAT, K_PICK,
	K_OPAQUE, K_LOOP, K_VIEW, K_LAID, K_TENSOR };
enum certify_kind ck_kind(const world *w, eg_op op);
int ck_type(const world *w, eg_id n);
int64_t ck_len(const world *w, eg_id n);	/* of a core; of a Laid or Tensor node: elements on all devices */
const void *ck_value(const world *w, eg_op op, uint32_t k, size_t *n);

/* Where a Laid node reads its core, on a device, at a flattened local index; -1: its layout does not cover them. */
int64_t ck_laid_place(const world *w, eg_op op, int64_t dev, int64_t at);
int64_t ck_plain_place(world *w, eg_id n, int64_t at);	/* where the plain reading n, of one operand, reads it; -1: data choose */

/* An induction: NULL, or what does not hold, its premises granted (certify_loop.c). */
const char *certify_induction(const algebra *a, const hist_entry *f, const certify_limits *l, arena *s);

/* ---- instructions (certify_tensor.c) */
typedef struct form { int64_t ndev; int rank; const int64_t *dim; int64_t elements; int type; } form;
bool ck_form(const world *w, eg_id t, form *f);
/* Its operands are read as they stand (`built` 0), or as built by the first `built` nodes of the step. */
val tensor_value(world *w, eg_op op, uint32_t narg, const eg_id *arg, int64_t dev, int64_t at, uint32_t built);
/* A function that nobody gave a meaning: of the places of its operands that are its own (certify_node.c). */
uint64_t opaque_start(const char *name);
val opaque_finish(uint64_t h, int type, int64_t own);
/* A sort or topk that says by what it orders is run (certify_sort.c). */
enum { ORDER_KEYS = 3, ORDER_LONGEST = 512 };
typedef struct ck_order {
	int result, n, operand[ORDER_KEYS];
	char way[ORDER_KEYS];
	int zeros;		/* between zeros of either sign of operand 0 the smaller of this operand is first; -1: they are equal */
} ck_order;
bool ck_order_of(const char *name, ck_order *o);
/* Result `o->result` at place `own`, of the values x[k * n + j] of operands k of these types at places j. */
val ck_ordered(world *w, const ck_order *o, int nop, const int *type, int64_t n, const val *x, int64_t own);
/* Sum over the labels not read of z^(weight * label). */
uint64_t ck_geometric(uint64_t z, int64_t weight, int64_t n);
uint64_t ck_power(uint64_t z, int64_t e);
uint64_t ck_times(uint64_t a, uint64_t b);
uint64_t ck_plus(uint64_t a, uint64_t b);

#endif
