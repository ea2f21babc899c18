/* core_type.h - element types of cores: T_* of shape.h, or TYPE_REAL for a constant that is the same in every floating
 * point type. */
#ifndef DIVERGE_CORE_TYPE_H
#define DIVERGE_CORE_TYPE_H

#include "tensor/shape.h"
#include "util/rational.h"

enum { TYPE_REAL = T_COUNT };

bool type_is_int(int type);
bool type_is_float(int type);	/* TYPE_REAL too; a type without zero is none */
bool type_has_zero(int type);
bool type_is_complex(int type);
int type_bits(int type);
int type_mantissa(int type);	/* bits, the hidden one too; 0: no float of 16 bits or more */
void int_range(int type, int64_t *lo, int64_t *hi);
rat coef_in(int type, rat c);	/* integers: the residue; floats: c */
bool type_holds(int to, int from);	/* every value of `from`, exactly */

#endif
