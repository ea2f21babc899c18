/* random_hlo.h - small random HLO programs that are well typed, for tests.
 *
 * The same seed gives the same text.  A program has a few parameters and a
 * chain of instructions; the instructions of one *family* can be asked for.
 * Extents are small and uneven, attributes are drawn from all that the
 * operation allows: negative and interior padding, strides, dilations, group
 * lists in every mode.
 */
#ifndef DIVERGE_TEST_RANDOM_HLO_H
#define DIVERGE_TEST_RANDOM_HLO_H

#include <stdint.h>
#include "util/arena.h"

#define RANDOM_FAMILIES(X) \
	X(UNARY, unary) X(UNARY_INT, unary_int) X(BINARY, binary) X(BINARY_INT, binary_int) X(COMPARE, compare) X(SELECT, select) \
	X(CLAMP, clamp) X(CONVERT, convert) X(RESHAPE, reshape) X(TRANSPOSE, transpose) X(BROADCAST, broadcast) X(SLICE, slice) \
	X(REVERSE, reverse) X(PAD, pad) X(CONCATENATE, concatenate) X(DYNAMIC_SLICE, dynamic_slice) \
	X(DYNAMIC_UPDATE, dynamic_update) X(GATHER, gather) X(SCATTER, scatter) X(IOTA, iota) X(CONSTANT, constant) \
	X(BITCAST, bitcast) X(DOT, dot) X(CONVOLUTION, convolution) X(REDUCE, reduce) X(WINDOW, window) X(ARG_REDUCE, arg_reduce) \
	X(BATCH_NORM, batch_norm) X(ALL_REDUCE, all_reduce) X(ALL_GATHER, all_gather) X(REDUCE_SCATTER, reduce_scatter) \
	X(ALL_TO_ALL, all_to_all) X(ALL_TO_ALL_TUPLE, all_to_all_tuple) X(PERMUTE, permute) X(COLLECTIVE_BROADCAST, collective_broadcast) \
	X(ORDER, order) X(BRANCH, branch) X(LOGIC, logic)
enum random_family {
#define X(n, s) RF_##n,
	RANDOM_FAMILIES(X)
#undef X
	RF_COUNT
};
const char *random_family_name(enum random_family f);

typedef struct random_program {
	const char *text;
	int64_t replicas, partitions;
	int nparam;
} random_program;

/* `steps` instructions after the one of family f (RF_COUNT: all drawn); text in `a`. */
random_program random_hlo(arena *a, uint64_t seed, enum random_family f, int steps);

#endif
