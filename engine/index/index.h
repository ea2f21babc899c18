/* index.h - labels and integer index expressions over them.
 *
 * A *label* is an index variable 0..n-1.  It may be cut into a high and a low
 * part (`label_cut`), for good: every expression that holds it then means its
 * digits.  A *data label* is a digit of the value of an integer core whose
 * range is known: (core[at] / div) % n, core[at] in 0..full-1; in expressions
 * it behaves like a label that nobody sums (RULES section 0).  It may be cut
 * where that divides nothing: digits that together say full or more occur
 * never, and what tables hold for them is arbitrary.
 *
 * An expression is  base + sum stride * label + sum table[labels].  It lives in
 * the scratch arena of the computation (`struct scratch`) and is not changed
 * once made.  `ix_norm` gives the canonical form: digits uncut, no zero
 * strides, tables without what is linear, separable or irrelevant in them
 * (RULES N3).  It may cut labels.
 *
 * Refusals: a function that cannot go on calls `stuck` with a sentence; it
 * does not return (longjmp to the primitive's caller, all memory is scratch).
 * Tables are never larger than TABLE_MAX entries.
 */
#ifndef DIVERGE_INDEX_H
#define DIVERGE_INDEX_H

#include <setjmp.h>
#include <stdbool.h>
#include <stdint.h>
#include "util/arena.h"

#define TABLE_MAX ((int64_t)1 << 18)

typedef struct scratch {
	arena a;
	jmp_buf out;
	const char *reason;	/* of the last refusal; in the arena or static */
	uint32_t nlabel;	/* labels made */
	uint32_t ncut;		/* cuts made */
	uint32_t stamp;		/* of marks in labels */
	uint64_t budget;	/* a.taken beyond which an index operation refuses; 0: none */
	uint64_t cells;		/* table entries asked for, and nodes walked over, so far: a measure of work */
} scratch;

_Noreturn void stuck(scratch *s, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

typedef struct label label;
typedef struct ix ix;

typedef struct datum {
	uint32_t core;		/* the class that is read */
	const ix *at;		/* where */
	int64_t div, full;
} datum;

struct label {
	int64_t n;
	label *hi, *lo;		/* both NULL until cut */
	const datum *data;	/* NULL for an ordinary label */
	label *root;		/* what it was cut from (itself when it was not) */
	int64_t weight;		/* of this digit in the root */
	uint32_t id;		/* order of making: decides ties */
	uint32_t mark;		/* == scratch.stamp: `num` is valid */
	int num;
	bool bound;
};

typedef struct ix_term {
	label *l;
	int64_t s;
} ix_term;

typedef struct ix_table_part {
	int nl;
	label **l;
	int64_t *v;		/* row-major over l */
	int64_t len;
} ix_table_part;

struct ix {
	int64_t base;
	int nt, ntab;
	uint32_t normal;	/* 1 + the cuts there were when it came out of ix_norm; 0: it did not */
	ix_term *t;
	ix_table_part *tab;
};

label *label_new(scratch *s, int64_t n);
label *label_data(scratch *s, uint32_t core, const ix *at, int64_t n);	/* the whole value, 0..n-1 */
void label_cut(scratch *s, label *l, int64_t low);	/* label_cuts(l, low) */
/* May it be cut there: low divides l->n, or l is long and has the highest digit of data, whose last place may have fewer below it? */
bool label_cuts(const label *l, int64_t low);
/* Is one of them the highest digit of data, and has it places, with all others, that are beyond the data's range? */
bool labels_slack(int n, label *const *l);
/* Leaves of size > 1, most significant first; returns their number, at most max.  A label has at most LABEL_LEAVES. */
enum { LABEL_LEAVES = 62 };
int label_leaves(label *l, label **out, int max);
bool labels_data(int n, label *const *l);	/* is one of them a data label? */
bool label_in(const label *l, int n, label *const *list);
int label_put(label **list, int n, label *l);	/* behind the n that there are, unless it is one of them; how many there are now */
int label_collect(scratch *s, label **list, int n, int max, label *l);	/* the same; stuck where the list, of `max`, is full */
int labels_leaves(scratch *s, int n, label *const *l, label **out, int max);	/* of all of them, in order; stuck when there are more */

ix *ix_const(scratch *s, int64_t base);
ix *ix_of(scratch *s, label *l, int64_t stride);
ix *ix_add(scratch *s, const ix *a, const ix *b);
ix *ix_plus(scratch *s, const ix *a, int64_t base);
ix *ix_times(scratch *s, const ix *a, int64_t k);
ix *ix_table(scratch *s, int nl, label **l, const int64_t *v);	/* normalised; v is kept, l is not */
ix *ix_without_table(scratch *s, const ix *e, int k);	/* shares what is left with e */
ix *ix_part(scratch *s, const ix *e, int n, label *const *l);	/* its terms and tables that read labels of the list alone */
ix *ix_norm(scratch *s, const ix *e);
/* x - y; NULL where one of them may lie beyond 2^52, so that the difference may wrap. */
ix *ix_difference(scratch *s, const ix *x, const ix *y);
void ix_range(scratch *s, const ix *e, int64_t *lo, int64_t *hi);	/* of a normalised one */
bool ix_is_const(scratch *s, const ix *e, int64_t *v);
int64_t ix_stride(const ix *e, const label *l);		/* of a normalised one */
/* (e / m, e % m), rounding down: by cutting digits where they do not carry, else by a table. */
void ix_divmod(scratch *s, const ix *e, int64_t m, ix **quot, ix **rem);
/* Do they need no table: is e, normalised, whole multiples of m beside digits that do not carry? */
bool ix_divides(scratch *s, const ix *e, int64_t m);
/* Floor of e / m by the largest m that is a stride of e and divides it so; e itself where there is none.  Its labels are
 * fewer, and it is negative where e is. */
ix *ix_coarse(scratch *s, const ix *e);
/* e as a mixed-radix number: one expression per size, most significant first */
ix **ix_digits(scratch *s, const ix *e, int n, const int64_t *size);
/* leaf labels of e in order of first use (tables after terms); with data labels, their own arguments not */
int ix_labels(scratch *s, const ix *e, label ***out);
int ix_union(scratch *s, const ix *x, const ix *y, label ***out);	/* .. of both */
bool ix_apart(scratch *s, const ix *x, const ix *y);	/* would a table of what they are together be too large? */
/* values over the grid of leaf labels l (row-major); stuck when too large */
int64_t *ix_values(scratch *s, const ix *e, int nl, label **l);
/* elementwise function of the value, through a table */
ix *ix_map(scratch *s, const ix *e, int64_t (*f)(int64_t v, const void *arg), const void *arg);
/* labels replaced: env[i] for from[i]; digits of a cut label are replaced digit by digit */
ix *ix_subst(scratch *s, const ix *e, int n, label **from, ix **to);
bool ix_equal(scratch *s, const ix *a, const ix *b);	/* the same expression (both are normalised inside) */
int64_t grid_size(scratch *s, int nl, label **l);	/* stuck beyond TABLE_MAX */
bool grid_fits(int nl, label *const *l);		/* .. asked before */
/* Axis k of the grid of these labels, seen as outer x n x inner. */
void grid_axis(int nl, label *const *l, int k, int64_t *outer, int64_t *n, int64_t *inner);
/* Words (8 bytes each) over the grid of *nl labels, read at places step*j, j < m, of axis k; `to` takes the axis (NULL: m
 * is 1, the axis is gone). */
void *grid_take(scratch *s, const void *v, int *nl, label ***l, int k, int64_t step, int64_t m, label *to);
/* base + the sum of stride[k] * l[k] for all values of the labels, row-major; grid_size was asked before, as below */
int64_t *grid_linear(scratch *s, int nl, label *const *l, int64_t base, const int64_t *stride);
/* where a table over `own`, row-major, holds its entry for all values of the labels l; 0 for labels that are not among them */
int64_t *grid_places(scratch *s, int nl, label *const *l, int nown, label *const *own);
/* The same where labels of `own` have been cut, and l has their leaves. */
int64_t *grid_cut(scratch *s, int nl, label *const *l, int nown, label *const *own);
/* The places q of a grid, in order, at which digits of data are beyond its range.  q - back and base, as far back, are not;
 * they differ from q in the highest digit and in all others. */
typedef struct grid_beyond {
	int nl, top;
	label *const *l;
	int64_t weight[LABEL_LEAVES], step[LABEL_LEAVES], full, len, q, back, base;
} grid_beyond;
bool grid_beyond_first(scratch *s, int nl, label *const *l, grid_beyond *k);	/* false: there is none */
bool grid_beyond_next(grid_beyond *k);
bool ix_has_data(const ix *e);				/* does it read a place that data choose? */
bool ix_reads(const ix *e, const label *l);		/* of a normalised one: in a term or table */
bool ix_in_table(const ix *e, const label *l);		/* does one of its tables read it? */

#endif
