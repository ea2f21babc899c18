/* digits.h - lists of digits: what a layout or a view makes of an index.
 *
 * Digit k of the list is digit k of the index, most significant first, and
 * moves by its stride in the core; a free one moves nowhere.
 */
#ifndef DIVERGE_DIGITS_H
#define DIVERGE_DIGITS_H

#include "index/index.h"

/* One entry of a layout or view: a digit of the index, and how far it moves in the core; stride 0: free. */
typedef struct digit {
	int64_t size, stride;
} digit;

int digits_canon(int n, const digit *d, digit *out);	/* merged, size 1 dropped; may work in place */
int64_t digits_total(int n, const digit *d);
int64_t digits_at(int n, const digit *d, int64_t i);	/* where index i is read */
ix *digits_read(scratch *s, int n, const digit *d, const ix *e);	/* the list read at e */
bool digits_identity(int n, const digit *d, int64_t len);
/* e over labels in this order is a list of digits: fills out (at most max), its number or -1 */
int digits_of_ix(scratch *s, const ix *e, int nl, label **l, digit *out, int max);
bool ix_renames(scratch *s, const ix *e, int64_t len);	/* every digit of 0..len-1 is read by exactly one label */
bool digits_cover(int n, const digit *d, int64_t len);	/* the bound ones hit every place once */

#endif
