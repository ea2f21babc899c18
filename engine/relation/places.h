/* places.h - which places of its operands a core node reads, dimension by dimension.
 *
 * An operand class is seen in the shape of the row that names it (describe.h);
 * an index expression is taken apart into one expression per dimension of that
 * row, and each into the set of places it takes.  `text` is empty when all
 * places are read; it begins with '@' when the expression is too large to list.
 */
#ifndef DIVERGE_PLACES_H
#define DIVERGE_PLACES_H

#include "relation/state.h"

struct place_set {
	int64_t n;		/* different places */
	const int64_t *v;	/* in rising order; NULL: all of them, or the places that values say */
	eg_id by;		/* the class whose values say which, else NIL */
	int64_t nread;		/* they are read one after another in this order, which is not the rising one; 0: in that */
	const int64_t *read;
};

struct places {
	int rank;
	const int64_t *dim;
	struct place_set *set;	/* per dimension */
	const char *text;	/* "columns 0..255, 1024..1279"; "" for all */
	const char *order;	/* likewise in the order in which they are read: "rows 3..0"; "" for all, rising */
};

/* One per operand slot of node n, in the arena given; or those of single slots, between begin and end. */
struct places *places_of_node(const states *s, eg_id n, arena *out);
struct place_reader {
	const states *s;
	work *w;		/* NULL: too large to be taken apart */
	arena_mark m;
};
struct place_reader places_begin(const states *s, eg_id n);
struct places places_of_slot(const struct place_reader *r, int k, arena *out);
void places_end(const struct place_reader *r);
/* A place of the core as a flat index of the row that lies in it so; broadcast digits are read at 0. */
ix *places_of_row(algebra *a, const layout *l, const ix *place);
/* How places of a class are counted: as the baseline row that names it lies, else flat; flat and len are room for that. */
void places_shape(const states *s, eg_id x, layout *l, digit *flat, int64_t *len);
/* Brings values into rising order, each once; returns how many there are then. */
int64_t places_once(int64_t *v, int64_t n);
bool places_equal(const struct places *x, const struct places *y);

#endif
