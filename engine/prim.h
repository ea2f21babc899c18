/* prim.h - primitives of the normalize rules: one step of one identity on one node.
 *
 * A primitive gets a core node, opens operands through their normal nodes
 * (noting each as a premise) and returns a node that is equal, built with
 * core_build, or NIL.  NIL with `a->s.reason` set is a refusal in words a user
 * understands; NIL without is "nothing to do here".  Which primitive runs when
 * is the rules' business (rules/normalize.egg): none looks at another.
 * A primitive may call `stuck`.
 */
#ifndef DIVERGE_PRIM_H
#define DIVERGE_PRIM_H

#include <string.h>
#include "facts.h"
#include "normal.h"
#include "view.h"

typedef eg_id prim_fn(algebra *a, eg_id n);

/* name in the rule files, C function */
#define NORMAL_PRIMS(X) \
	X("read-forward", prim_forward) X("read-symmetry", prim_symmetry) X("read-absorb", prim_absorb) \
	X("read-absorb-data", prim_absorb_data) X("read-select-out", prim_select_out) X("read-push", prim_push) X("read-alone", prim_alone) \
	X("pairing-merge", prim_merge) X("label-recut", prim_recut) X("table-tidy", prim_table) X("table-digits", prim_digits) \
	X("sum-flatten", prim_sum_flatten) X("sum-index", prim_sum_index) \
	X("product-flatten", prim_product_flatten) X("product-index", prim_product_index) \
	X("product-content", prim_product_content) X("table-content", prim_table_content) X("product-root", prim_square_root) \
	X("contract-flatten", prim_contract_flatten) X("contract-split", prim_contract_split) \
	X("contract-sum", prim_contract_sum) X("contract-alone", prim_contract_alone) \
	X("reduce-fuse", prim_reduce_fuse) X("table-reduce", prim_table_reduce) X("reduce-through", prim_reduce_through) X("reduce-turn", prim_reduce_turn) X("lattice-flatten", prim_lattice_flatten) X("lattice-fold", prim_lattice_fold) \
	X("mask-pieces", prim_pieces_beside) X("mask-common", prim_common_mask) X("mask-join", prim_join) X("mask-under", prim_under_beside) X("mask-one-hot", prim_one_hot) \
	X("mask-chosen", prim_chosen) X("select-pieces", prim_select_pieces) X("reduce-chosen", prim_reduce_chosen) \
	X("mask-shift", prim_shift) X("mask-shift-under", prim_shift_mask) X("sum-reindex", prim_reindex) X("table-sum", prim_table_sum) \
	X("sum-fold", prim_sum_fold) X("lattice-cover", prim_lattice_cover) X("select-index", prim_select_index) X("select-read", prim_select_read) \
	X("sort-sorted", prim_sort_sorted) X("pick-fuse", prim_pick_fuse) X("pick-payload", prim_pick_payload) \
	X("pick-order", prim_pick_order) X("pick-self", prim_pick_self) X("pick-read", prim_pick_read) X("pick-among", prim_pick_among) \
	X("map-constant", prim_map_constant) X("map-select", prim_map_select) X("map-convert", prim_map_convert) \
	X("map-compare", prim_map_compare) X("compare-bounds", prim_compare_bounds) X("map-simple", prim_map_simple) \
	SEARCH_PRIMS(X)
/* the search phase */
#define SEARCH_PRIMS(X) \
	X("exp-choice", prim_exp_choice) X("exp-constant", prim_exp_constant) X("not-minus-infinity", prim_not_minus_infinity) \
	X("logistic-quotient", prim_logistic) X("exp-log", prim_exp_log) X("log-product", prim_log_product) \
	X("base-two", prim_base_two) X("power-sign", prim_power_sign) X("exp-pieces", prim_exp_pieces) X("exp-sum", prim_exp_sum) \
	X("extreme-monotone", prim_extreme_monotone) X("extreme-shift", prim_extreme_shift) X("extreme-scale", prim_extreme_scale) \
	X("compare-sign", prim_compare_sign) X("product-cancel", prim_cancel) X("product-root-below", prim_square_root_below) \
	X("common-factor", prim_common_factor) X("common-table", prim_common_table) X("common-rate", prim_common_rate) X("positive-leaves", prim_positive_leaves) \
	X("product-distribute", prim_distribute) X("constant-reading", prim_reading) \
	X("mask-background", prim_background) X("token-product", prim_token) X("pairing-recut", prim_cut_least) \
	X("reduction-terms", prim_write_out)
#define X(name, fn) prim_fn fn;
NORMAL_PRIMS(X)
#undef X
prim_fn prim_pieces, prim_under;	/* N20, N25 on all factors; registered beside positive ones (prim_positive.c) */

/* Says why and returns NIL. */
eg_id refuse(algebra *a, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* The normal node of x when n may open it, with the premise noted by `opened`. */
static inline eg_id peek(const algebra *a, eg_id x) { return normal_node(a, x); }
bool operands_repeat(const algebra *a, eg_id n, int m);	/* are two of the first m operands of one class? */
bool reads_tables(const algebra *a, eg_id n);		/* does an index of n hold a table? */
uint32_t operand_kinds(const algebra *a, eg_id n);	/* kinds of the operands' normal nodes, as bits 1 << kind */
/* A table, a product or contraction with one, or a product with such a contraction (N26). */
bool carries_table(const algebra *a, eg_id o);
bool is_piecewise(const algebra *a, eg_id o, int type);	/* is node o a sum of that type some of whose terms carry a constant table? */
static inline void opened(algebra *a, eg_id x, eg_id o) { history_premise(a, x, o); }	/* x = o too: the checker wants to know */

/* Is a slot a constant?  Index expression (integers), or a table of values over labels: it is brought into
 * that form (slot_as_index / slot_as_table), premises noted. */
bool slot_index(algebra *a, const slot *t, ix **e);
bool slot_table_values(algebra *a, const slot *t, slot *out);	/* number, table, 0/1 of a mask: values over leaf labels */
bool slot_number(algebra *a, const slot *t, number *v);		/* the same value at every place */
bool slot_is_constant(algebra *a, const slot *t);	/* .. or a digit of data: an integer of known range */
bool slot_is_written(algebra *a, const slot *t);	/* a number, table or index expression, or a reading of one */
bool slot_same(algebra *a, const slot *x, const slot *y);	/* same class, same place */
/* A sum or product of nothing: the number, as a node of w's free labels. */
eg_id result_number(algebra *a, const work *w, rat v);
eg_id result_slot(algebra *a, const work *w, slot t);		/* the slot itself, over w's free labels */
eg_id result_scaled(algebra *a, work *w, rat c);	/* c * w */
slot slot_of_work(algebra *a, work *w, rat c);			/* w as an operand, read at its labels */
bool type_holds(int to, int from);	/* every value of `from`, exactly */
bool type_sums(int inner, int outer);	/* may a sum of the one be part of a sum of the other?  One of constants may be, of any */
bool exact_value(double v);	/* dyadic with room to add and multiply a little */
bool exact_values(int64_t n, const double *v);
rat coef_in(int type, rat c);	/* integers: the residue; floats: c */
int type_bits(int type);
void int_range(int type, int64_t *lo, int64_t *hi);

bool op_idempotent(const char *op);	/* of red and lat: all but multiply */
bool op_neutral(const char *op, number v, int type);	/* a value of max, min, and, or that never matters */

/* value tables over labels: out = f(a, b) over the union of their labels */
int64_t slot_cells(const slot *t);	/* entries of a value table */
bool truth_table(const slot *t);	/* a value table of 0 and 1 alone */
slot table_one(algebra *a);		/* the number 1 as a value table */
slot tables_zip(algebra *a, const slot *x, const slot *y, double (*f)(double, double), int vtype);
int slot_labels(algebra *a, const slot *t, label ***out);	/* all leaf labels a slot reads, data arguments' too */
bool slot_reads_bound(algebra *a, const slot *t);	/* .. a summed one among them */
/* D2: an integer expression as a value of its type */
ix *index_in_type(algebra *a, int type, ix *e);
slot index_term(algebra *a, int type, ix *e);	/* as coefficient * expression */
/* finite / finite power of a slot (tables: by value) */
bool slot_finite(algebra *a, const slot *t);
bool slot_finite_power(algebra *a, const slot *t);

#endif
