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

#include "core/operand.h"
#include "core/view.h"

typedef eg_id prim_fn(algebra *a, eg_id n);

/* Every primitive, and the kinds of nodes that it is about: of any other it would say what is not so.
 * Named in the rule files as here, with - for _: prim_read_forward is `read-forward`. */
#define EVERY_KIND "at map sum mul ein red lat pick opaque"
#define NORMAL_PRIMS(X) \
	X(read_forward, EVERY_KIND) X(read_absorb, EVERY_KIND) X(read_absorb_data, EVERY_KIND) X(pairing_merge, EVERY_KIND) \
	X(label_recut, EVERY_KIND) \
	X(read_symmetry, "at map sum mul ein red lat") X(table_tidy, "at map sum mul ein red lat") \
	X(read_clip, "at") X(read_chosen, "at") X(read_push, "at") X(sort_parts, "at") X(pick_read, "at") \
	X(read_select_out, "map sum mul ein red lat pick opaque") \
	X(read_alone, "at sum mul ein red lat") \
	X(table_digits, "mul ein") X(product_index, "mul ein") X(product_content, "mul ein") X(product_root, "mul ein") \
	X(mask_pieces, "mul ein") X(mask_under, "mul ein") X(product_cancel, "mul ein") X(product_root_below, "mul ein") \
	X(product_distribute, "mul ein") \
	X(sum_read, "sum") X(sum_flatten, "sum") X(sum_index, "sum") X(mask_common, "sum") X(sum_fold, "sum") X(sort_places, "sum") X(pick_payload, "sum") \
	X(common_factor, "sum") X(common_table, "sum") X(common_rate, "sum") X(constant_reading, "sum") \
	X(product_flatten, "mul") X(product_under, "mul") X(mask_join, "mul") X(token_product, "mul") X(product_within, "mul") \
	X(table_content, "at sum mul ein") \
	X(contract_flatten, "ein") X(contract_split, "ein") X(contract_sum, "ein") X(contract_alone, "ein") X(contract_picked, "ein") \
	X(contract_equal, "ein") X(mask_one_hot, "ein") X(mask_one_block, "ein") X(mask_chosen, "ein") X(mask_shift, "ein") X(mask_shift_under, "ein") \
	X(table_sum, "ein") X(positive_leaves, "ein") X(mask_background, "ein") \
	X(reduce_fuse, "red") X(reduce_within, "red") X(reduce_places, "red") X(reduce_rows, "red") X(table_reduce, "red") X(reduce_through, "red") X(reduce_chosen, "red") X(extreme_places, "red pick") X(pick_among, "red") \
	X(extreme_monotone, "red") X(extreme_shift, "red") X(extreme_scale, "red") \
	X(reduce_turn, "ein red") X(sum_reindex, "ein red") X(reduction_terms, "ein red") \
	X(lattice_flatten, "lat") X(lattice_fold, "lat") X(lattice_chosen, "lat") X(lattice_cover, "lat") X(lattice_places, "lat") \
	X(lattice_bounds, "lat") X(bound_reading, "lat") \
	X(select_pieces, "map") X(select_index, "map") X(select_lattice, "map") X(select_cover, "map") X(select_read, "map") X(compare_places, "map") X(convert_places, "map") \
	X(map_constant, "map") X(round_constant, "map") X(map_select, "map") X(select_common, "map") X(select_contrary, "map") X(select_truth, "map") \
	X(map_convert, "map") X(convert_count, "map") X(map_compare, "map") X(compare_truth, "map") X(compare_contrary, "map") \
	X(compare_bounds, "map") X(divide_written, "map") X(divide_bits, "map") X(map_simple, "map") X(exp_choice, "map") \
	X(exp_constant, "map") X(not_minus_infinity, "map") X(logistic_quotient, "map") X(exp_log, "map") X(log_product, "map") \
	X(base_two, "map") X(power_sign, "map") X(exp_pieces, "map") X(exp_sum, "map") X(compare_sign, "map") X(compare_zero, "map") \
	X(contrary_leaves, "red lat") X(extreme_truth, "red lat") \
	X(sort_sorted, "opaque") \
	X(pick_fuse, "pick") X(pick_order, "pick") X(pick_self, "pick") X(pick_function, "map lat mul") X(extreme_negate, "sum") \
	X(pairing_recut, "map sum mul ein lat")
#define X(name, about) prim_fn prim_##name;
NORMAL_PRIMS(X)
#undef X
prim_fn mask_pieces_all, mask_under_all;	/* N20, N25 on all factors; registered beside positive ones (prim_positive.c) */

int64_t sorted_places(algebra *a, eg_id x);	/* the integer core's values lie in 0..n-1 as places of a row that topk gives; 0: they do not */
/* A sum or product of nothing: the number, as a node of w's free labels. */
eg_id result_number(algebra *a, const work *w, rat v);
eg_id result_slot(algebra *a, const work *w, slot t);		/* the slot itself, over w's free labels */
/* What stands under a reduction w: a sum or product of slots, over the labels that are kept and those that are reduced. */
slot beneath(algebra *a, const work *w, enum core_kind kind, int type, int n, const slot *t);
eg_id result_scaled(algebra *a, work *w, rat c);	/* c * w */
/* The product of n slots, with room for one more, and of a sum or contraction inside it, over w's free labels. */
eg_id result_times(algebra *a, const work *w, int n, slot *t, work *inside);
/* Its free labels are those that slot t reads, without the digits of data. */
work *work_over(algebra *a, enum core_kind kind, int type, const slot *t, int nslot);
slot slot_negated(algebra *a, slot t);			/* -t */
slot slot_mapped(algebra *a, const char *fn, int type, const slot *t, rat c);	/* c times (or to the power of c) fn of what t reads */
slot slot_of_work(algebra *a, work *w, rat c);			/* w as an operand, read at its labels */
slot slot_over_read(algebra *a, work *w, rat c);		/* .. its free labels those that its operands read and it does not reduce */
bool type_sums(int inner, int outer);	/* may a sum of the one be part of a sum of the other?  One of constants may be, of any */

bool compare_values(const char *fn, double x, double y);	/* fn: compare:EQ, compare:LT .. */
bool op_neutral(const char *op, number v, int type);	/* a value of max, min, and, or that never matters */

/* D2: an integer expression as a value of its type */
ix *index_in_type(algebra *a, int type, ix *e);
bool product_chosen(algebra *a, const work *w, ix **p, ix **e);	/* integers p e, index expressions, p 0 or 1: e where p holds, else 0 */
void index_bounded(algebra *a, const ix *e);	/* stuck where its values are so large that sums of them may wrap around */
slot index_term(algebra *a, int type, ix *e);	/* as coefficient * expression */
bool slot_positive(algebra *a, const slot *t);	/* no constant, and positive for certain */

#endif
