/* constant.h - the values of a core that depends on no parameter, place by place. */
#ifndef DIVERGE_CONSTANT_H
#define DIVERGE_CONSTANT_H

#include "core/core.h"

#define CONSTANT_MAX ((int64_t)1 << 18)

/* Numbers, tables, index expressions, and places read of these: core_len values in the arena given; NULL for anything else
 * and beyond CONSTANT_MAX. */
const double *constant_values(algebra *a, eg_id core, arena *out);
/* The places that node n reads of its only operand, core_len of them; NULL where values say which, and beyond CONSTANT_MAX. */
const double *constant_places(algebra *a, eg_id n, arena *out);

#endif
