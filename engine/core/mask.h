/* mask.h - a product or contraction with at most one constant table, taken apart, and what the primitives ask about labels.
 *
 * A product is factors and at most one table of values over leaf labels.
 */
#ifndef DIVERGE_MASK_H
#define DIVERGE_MASK_H

#include "core/operand.h"

typedef struct masked {
	work *w;
	int tab;		/* the slot that is the table, values over leaf labels; -1: none */
} masked;

/* False when the node holds no table, or several (they are joined first). */
bool masked_open(algebra *a, eg_id n, masked *m);
bool masked_open_any(algebra *a, eg_id n, masked *m);	/* with no table, too */
/* Several tables that would be too large as one: n opened once for each, the others as factors; how often, at most max. */
int masked_apart(algebra *a, eg_id n, masked *m, int max);
typedef eg_id masked_fn(algebra *a, eg_id n, masked *m);
/* What fn makes of the one table, or of the first of several such that it makes something of. */
eg_id masked_each(algebra *a, eg_id n, masked_fn *fn);
bool tables_fit(algebra *a, int n, const slot *t);	/* are n value tables, as one, not too large? */
bool slots_finite(algebra *a, int n, const slot *t);	/* all of them, as often as they are multiplied */
void work_subst(algebra *a, work *w, int skip, int n, label **from, ix **to);	/* in all operands but `skip` and tables of values */

/* What is summed, labels bl, is counted by one label instead of those gone. */
void work_count_by(algebra *a, work *w, int nb, label *const *bl, int ngone, label *const *gone, label *by);
bool any_nonzero(const slot *t);		/* of a value table */
int index_tables(const work *w, int64_t *cells);	/* of all operands, and their entries */

/* One slot that is t[0] where the mask holds and t[1] elsewhere, both instances of one expression (N27). */
bool choose_instance(algebra *a, eg_id node, const slot *mask, const slot *t, slot *out);

/* ---- labels */

enum { LEAVES = 128 };		/* labels of a node that are looked at */
int free_leaves(scratch *s, const work *w, label **out, int max);	/* as they stand now; stuck when there are more */
int bound_leaves(scratch *s, const work *w, label **out, int max);	/* the summed ones */
int label_place(const label *l, int n, label *const *list);	/* -1: it is not there */
bool labels_meet(int n, label *const *x, int m, label *const *y);	/* is one in both? */
int labels_without(int n, label *const *l, int m, label *const *gone, label **out);
/* The nb summed labels of w, LEAVES at most, and those of them that a value table reads: how many. */
int bound_read_by(scratch *s, const work *w, const slot *t, label **bl, int *nb, label **mine);
bool reads_label(algebra *a, const slot *t, const label *l);
/* Do the data arguments of one of the labels l read one of the list b? */
bool data_reads(algebra *a, int n, label *const *l, int nb, label *const *b);

/* ---- runs: labels that every index expression reads as the digits of one number, most significant first */

enum { RUNS_MAX = 32, RUN_LABELS = 16 };	/* labels behind the first 32, and digits behind the first 16 of a run, are in none */
struct runs {
	int n, len[RUNS_MAX];
	label *l[RUNS_MAX][RUN_LABELS];
};
void find_runs(const work *w, int n, label *const *mine, struct runs *r);
/* A run as one number that is at[i] at place i of the labels `rest`: the expression of each of its labels. */
ix **run_digits(algebra *a, int nrest, label **rest, int64_t rows, const int64_t *at, int nrun, label *const *run);

/* Free or summed labels of a node, and a run among them. */
struct run_among {
	bool bound;
	int n, nrun;
	label *const *all, *const *run;
};
/* One label, of their kind, takes the place of the run, whose labels are its digits. */
void run_join(algebra *a, work *w, const struct run_among *r, label *one, ix **digit);

/* ---- grids */

/* A value table as rows (all labels but the run) by columns (the run's labels as one number). */
struct grid {
	int nrest;
	label **rest;
	int64_t rows, size;
	double *v;		/* rows * size */
};
void grid_of(algebra *a, const slot *t, int nrun, label *const *run, struct grid *g);
int64_t grid_hits(algebra *a, const struct grid *g, int64_t **out);	/* columns that are not 0 in every row: how many, and which */
label **grid_labels(algebra *a, const struct grid *g, label *by);	/* of a table with its rows, whose columns label `by` counts */
slot grid_columns(algebra *a, const struct grid *g, int64_t n, const int64_t *col, label *by, int vtype);	/* that table, of the columns listed */
/* A summed run of a product with a table, taken apart into grid g, is counted by one label of n places instead: in row r of the grid they
 * are places place[r * n ..] of the run, and there the table holds v. */
void masked_recount(algebra *a, masked *m, const struct grid *g, int nrun, label *const *run, int64_t n, int64_t *place, double *v);
/* v = co.x + b on the places of `hit`, row-major over q; false when it is not linear there. */
bool fit_linear(int nq, label *const *q, const int64_t *v, const bool *hit, int64_t len, int64_t *co, int64_t *b);
/* Places of a row that are not hit become the nearest one that is. */
void fill_row(int64_t n, int64_t *at, bool *hit);
/* The same along every label of rows, last first: a row that is not hit takes a neighbour's place. */
void fill_rows(int nrest, label *const *rest, int64_t rows, int64_t *at, bool *hit);

#endif
