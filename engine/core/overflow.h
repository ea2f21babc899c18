/* overflow.h - constants that are converted to a type without a number as large.
 *
 * That no result overflows is taken for granted of all others.
 */
#ifndef DIVERGE_OVERFLOW_H
#define DIVERGE_OVERFLOW_H

#include "core/core.h"

/* Does the conversion n, of the function f, make an infinity of a constant that its operand is made of? */
bool core_overflows(const algebra *a, eg_id n, const char *f);

#endif
