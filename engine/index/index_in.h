/* index_in.h - what the files of index expressions share: index.c has labels, linear parts, digits and substitution,
 * index_table.c tables and the grids they are over. */
#ifndef DIVERGE_INDEX_IN_H
#define DIVERGE_INDEX_IN_H

#include "index/index.h"

/* Expressions stand for integers, too, which wrap; places are never that far. */
static inline int64_t wrap_add(int64_t x, int64_t y)
{
	return (int64_t)((uint64_t)x + (uint64_t)y);
}

static inline int64_t wrap_sub(int64_t x, int64_t y)
{
	return (int64_t)((uint64_t)x - (uint64_t)y);
}

static inline int64_t wrap_mul(int64_t x, int64_t y)
{
	return (int64_t)((uint64_t)x * (uint64_t)y);
}

ix *ix_raw(scratch *s, int nt, int ntab);	/* 0, with room for so many terms and tables */
ix *ix_flatten(scratch *s, const ix *e);	/* the linear part: leaves with their strides, equal leaves added, zeros dropped */
bool data_same(scratch *s, const label *l, const label *m);	/* are they digits of one value? */

/* index_table.c */
ix *ix_norm_tables(scratch *s, const ix *e);	/* the canonical form of an expression that has tables; may cut labels */
ix_table_part ix_table_times(scratch *s, const ix_table_part *t, int64_t k);
bool ix_table_divisible(const ix_table_part *t, int64_t m);
ix_table_part ix_table_div(scratch *s, const ix_table_part *t, int64_t m);
bool ix_table_equal(scratch *s, const ix_table_part *a, const ix_table_part *b);	/* labels in any order */

#endif
