/* operand.h - what a step asks about the operands of a node: opened through their normal nodes, read at slots.
 *
 * What is opened is noted as a premise of the firing (`opened`): the checker
 * goes through it again.  A slot is a constant when it is an index expression of
 * integers, or a table of values over labels; it is then brought into that form.
 * `stuck` is said where numbers grow too large to be exact.
 */
#ifndef DIVERGE_OPERAND_H
#define DIVERGE_OPERAND_H

#include "core/facts.h"
#include "core/normal.h"
#include "core/pairing.h"
#include "core/work.h"

/* Says why and returns NIL. */
eg_id refuse(algebra *a, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* The normal node of x when n may open it, with the premise noted by `opened`. */
static inline eg_id peek(const algebra *a, eg_id x) { return normal_node(a, x); }
static inline void opened(algebra *a, eg_id x, eg_id o) { history_premise(a, x, o); }	/* x = o too: the checker wants to know */
bool is_map(const algebra *a, eg_id o, const char *fn);	/* is node o the function fn of its operands? */
bool operands_repeat(const algebra *a, eg_id n, int m);	/* are two of the first m operands of one class? */
bool reads_tables(const algebra *a, eg_id n);		/* does an index of n hold a table? */
uint32_t operand_kinds(const algebra *a, eg_id n);	/* kinds of the operands' normal nodes, as bits 1 << kind */
/* A table, a product or contraction with one, or a product with such a contraction (N26). */
bool carries_table(const algebra *a, eg_id o);
bool is_piecewise(const algebra *a, eg_id o, int type);	/* is node o a sum of that type some of whose terms carry a constant table? */

/* Is a slot a constant?  Index expression (integers), or a table of values over labels: it is brought into
 * that form (`slot_index`, `slot_table_values`), premises noted. */
bool slot_index(algebra *a, const slot *t, ix **e);
bool slot_table_values(algebra *a, const slot *t, slot *out);	/* number, table, 0/1 of a mask: values over leaf labels */
bool slot_number(algebra *a, const slot *t, number *v);		/* the same value at every place */
bool slot_is_zero(algebra *a, const slot *t);
bool slot_is_constant(algebra *a, const slot *t);	/* .. or a digit of data: an integer of known range */
bool slot_is_written(algebra *a, const slot *t);	/* a number, table or index expression, or a reading of one */
bool slot_same(algebra *a, const slot *x, const slot *y);	/* same class, same place */
bool value_in(double v, int type);	/* is it a number of that type, exactly? */
bool rat_in(rat v, int type);
bool exact_value(double v);	/* dyadic with room to add and multiply a little */
bool exact_values(int64_t n, const double *v);

slot slot_of_ix(algebra *a, const ix *e, rat c, bool *exact);	/* c * e, without data; exact: differences of its values are, too */
int64_t slot_cells(const slot *t);	/* entries of a value table */
bool truth_table(const slot *t);	/* a value table of 0 and 1 alone */
slot table_one(algebra *a);		/* the number 1 as a value table */
/* out = f(a, b) over the union of the labels of two value tables */
slot tables_zip(algebra *a, const slot *x, const slot *y, double (*f)(double, double), int vtype);
int slot_labels(algebra *a, const slot *t, label ***out);	/* all leaf labels a slot reads, data arguments' too */
bool slot_reads_bound(algebra *a, const slot *t);	/* .. a summed one among them */
bool slot_finite(algebra *a, const slot *t);	/* of a table: by its values */
bool slot_finite_power(algebra *a, const slot *t);	/* .. raised to its exponent */

#endif
