/* counting.h - a choice by a constant mask between values and the number that never matters to max, min, and, or.
 *
 * It has a form in every type: select(K, x, -inf) of floats, K x + (1 - K) m of
 * integers, m their least number, x and K, or x or not K, of truth values.
 */
#ifndef DIVERGE_COUNTING_H
#define DIVERGE_COUNTING_H

#include "core/operand.h"

typedef struct counting {
	slot mask;		/* where the values count: truth values over labels, none of them data */
	slot value;
} counting;

/* Of a choice's operands: the branch, 1 or 2, that is the number that never matters, and where the other counts; 0: none is. */
int choice_number(algebra *a, const char *op, int type, const slot *t, slot *mask);
/* Is t, of the type of the idempotent op, such a choice, which node n may open? */
bool counting_open(algebra *a, eg_id n, const char *op, int type, const slot *t, counting *c);
/* select(mask, value, the number): over all labels that these read. */
slot counting_slot(algebra *a, const char *op, int type, const counting *c);

/* The number that never matters, as an operand; there is none that is known of integers of 64 bits. */
bool op_has_number(const char *op, int type);
slot op_number(algebra *a, const char *op, int type);

#endif
