/* idiom.h - what rules with many conditions are about, drawn with random sizes, tables and constants.
 *
 * A random node hardly ever is a mask over a shifted reading, a pick of picks,
 * a symmetric sum that is read the other way round or a sum spelled twice.  An
 * idiom is; now and then it misses a condition, so that a rule which forgets to
 * ask is caught.  Idioms are listed once: a kind of node (d->kind while it is
 * drawn), how often, and the function.
 */
#ifndef DIVERGE_IDIOM_H
#define DIVERGE_IDIOM_H

#include "certify/draft.h"

/* kind, out of all of its kind how many are this one, the function */
#define IDIOMS(X) \
	X(C_AT, 1, read_at_pick) X(C_AT, 1, read_symmetric) X(C_AT, 1, parts_in_order) X(C_AT, 1, two_data) \
	X(C_AT, 1, clipped_place) X(C_AT, 1, chosen_place) \
	X(C_SUM, 1, pick_and_constant) X(C_SUM, 1, weighted_twice) X(C_SUM, 1, almost_equal) X(C_SUM, 1, parts_in_order) \
	X(C_SUM, 1, negated_least) X(C_SUM, 1, pieces_of_one) X(C_SUM, 1, read_symmetric) \
	X(C_MUL, 1, rooted) X(C_MUL, 1, read_symmetric) X(C_MUL, 1, quotient) X(C_MUL, 1, stacked) \
	X(C_MUL, 1, chosen_place) X(C_MUL, 1, of_picks) X(C_MUL, 1, cancels_within) X(C_MUL, 1, mask_of_masked) \
	X(C_EIN, 1, rooted) X(C_EIN, 2, shifted) X(C_EIN, 1, rotated) X(C_EIN, 1, summed_alone) \
	X(C_EIN, 1, read_symmetric) X(C_EIN, 1, summed_choice) X(C_EIN, 1, smoothed) X(C_EIN, 1, backwards) \
	X(C_EIN, 1, picked_data) X(C_EIN, 1, stacked) X(C_EIN, 1, picked_and_summed) X(C_EIN, 1, chosen_by_equality) \
	X(C_EIN, 1, quotient) \
	X(C_MAP, 1, logarithms) X(C_MAP, 1, powers) X(C_MAP, 1, chosen_instances) X(C_MAP, 1, two_data) \
	X(C_MAP, 1, of_choice) X(C_MAP, 1, drawn) X(C_MAP, 1, choice_of_choices) X(C_MAP, 1, compared_places) \
	X(C_MAP, 1, divided_out) X(C_MAP, 1, halved) X(C_MAP, 1, counted_compared) X(C_MAP, 1, choice_of_products) \
	X(C_MAP, 1, of_picks) X(C_MAP, 1, made_whole) X(C_MAP, 1, masked_maxima) X(C_MAP, 1, choice_of_maxima) \
	X(C_MAP, 1, read_symmetric) \
	X(C_LAT, 1, covered) X(C_LAT, 1, begun_at_bound) X(C_LAT, 1, compared_places) X(C_LAT, 1, joined_windows) \
	X(C_LAT, 1, of_picks) X(C_LAT, 1, masked_maxima) X(C_LAT, 1, read_symmetric) \
	X(C_RED, 1, least_of_largest) X(C_RED, 1, rotated) X(C_RED, 1, backwards) X(C_RED, 1, window_choice) \
	X(C_RED, 1, masked_row) X(C_RED, 1, maximum_within) X(C_RED, 1, maximum_of_places) X(C_RED, 1, read_symmetric) \
	X(C_PICK, 2, pick_of_picks) X(C_PICK, 1, masked_row) X(C_PICK, 1, two_data) \
	X(C_OPAQUE, 2, sorted_twice) X(C_OPAQUE, 1, two_data)

/* idiom_mask.c */
eg_id chosen_instances(struct dice *d);
eg_id pieces_of_one(struct dice *d);
eg_id choice_of_choices(struct dice *d);
eg_id window_choice(struct dice *d);
eg_id summed_choice(struct dice *d);
eg_id smoothed(struct dice *d);
eg_id mask_of_masked(struct dice *d);
eg_id covered(struct dice *d);
eg_id joined_windows(struct dice *d);
eg_id begun_at_bound(struct dice *d);
eg_id masked_row(struct dice *d);
eg_id maximum_within(struct dice *d);
eg_id maximum_of_places(struct dice *d);
eg_id masked_maxima(struct dice *d);
eg_id choice_of_maxima(struct dice *d);

/* idiom_pick.c */
eg_id pick_of_picks(struct dice *d);
eg_id pick_and_constant(struct dice *d);
eg_id picked_and_summed(struct dice *d);
eg_id read_at_pick(struct dice *d);
eg_id least_of_largest(struct dice *d);
eg_id of_picks(struct dice *d);
eg_id parts_in_order(struct dice *d);
eg_id compared_places(struct dice *d);
eg_id sorted_twice(struct dice *d);

/* idiom_place.c */
eg_id shifted(struct dice *d);
eg_id rotated(struct dice *d);
eg_id backwards(struct dice *d);
eg_id two_data(struct dice *d);
eg_id known_data(struct dice *d);
eg_id clipped_place(struct dice *d);
eg_id chosen_place(struct dice *d);
eg_id chosen_by_equality(struct dice *d);
eg_id spaced_data(struct dice *d);
eg_id picked_data(struct dice *d);
eg_id stacked(struct dice *d);
eg_id cut_elsewhere(struct dice *d);

/* idiom_value.c */
eg_id logarithms(struct dice *d);
eg_id powers(struct dice *d);
eg_id rooted(struct dice *d);
eg_id drawn(struct dice *d);
eg_id summed_alone(struct dice *d);
eg_id negated_least(struct dice *d);
eg_id weighted_twice(struct dice *d);
eg_id almost_equal(struct dice *d);
eg_id read_symmetric(struct dice *d);
eg_id of_choice(struct dice *d);
eg_id quotient(struct dice *d);
eg_id cancels_within(struct dice *d);
eg_id divided_out(struct dice *d);
eg_id halved(struct dice *d);
eg_id counted_compared(struct dice *d);
eg_id made_whole(struct dice *d);
eg_id choice_of_products(struct dice *d);

/* An idiom of a kind; NIL: there is none. */
eg_id idiom_of(struct dice *d, enum core_kind kind);

#endif
