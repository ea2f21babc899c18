/* integers.h - lists of integers. */
#ifndef DIVERGE_INTEGERS_H
#define DIVERGE_INTEGERS_H

#include <stdbool.h>
#include <stdint.h>

bool integers_have(const int64_t *v, int n, int64_t x);
bool integers_distinct(const int64_t *v, int n, int64_t below);	/* all in 0 .. below - 1, none twice */
int64_t integers_product(const int64_t *v, int n);	/* 1 of none; the caller knows that it fits */
int integers_compare(const void *x, const void *y);	/* of two int64_t, for qsort: rising */
/* The next order of p in the dictionary's sense, equal numbers staying as they are to each other; after the last one the
 * first, and false. */
bool integers_permute(int *p, int n);

#endif
