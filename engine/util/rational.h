/* rational.h - exact rationals with 64-bit numerator and denominator.
 *
 * Always in lowest terms, denominator positive.  Operations return false when
 * the result does not fit; the arguments are then unchanged.
 */
#ifndef DIVERGE_RATIONAL_H
#define DIVERGE_RATIONAL_H

#include <stdbool.h>
#include <stdint.h>

typedef struct rat {
	int64_t num, den;
} rat;

#define RAT_ZERO ((rat){ 0, 1 })
#define RAT_ONE ((rat){ 1, 1 })

int64_t gcd64(int64_t x, int64_t y);			/* never negative; of 0 and x: x */
bool rat_make(rat *r, __int128 num, __int128 den);	/* den != 0 */
bool rat_add(rat *r, rat a, rat b);
bool rat_mul(rat *r, rat a, rat b);
bool rat_div(rat *r, rat a, rat b);			/* b != 0 */
bool rat_pow(rat *r, rat a, int64_t e);			/* a != 0 when e < 0 */
int rat_cmp(rat a, rat b);
static inline bool rat_eq(rat a, rat b) { return a.num == b.num && a.den == b.den; }
static inline bool rat_is_int(rat a, int64_t v) { return a.num == v && a.den == 1; }
double rat_double(rat a);
bool rat_from_double(rat *r, double v);			/* exactly; false when it does not fit */
/* The simplest rational whose double is strictly inside (lo, hi), by the Stern-Brocot tree; false above denominator `max`. */
bool rat_simplest(rat *r, double lo, double hi, int64_t max);
/* "3", "1/2", "-7/4" */
int rat_text(char *buf, int n, rat a);
int rat_short(char *buf, int n, rat a);		/* for people: a long fraction or number as a decimal of 9 digits */

#endif
