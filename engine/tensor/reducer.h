/* reducer.h - the operations that reduce, by their names. */
#ifndef DIVERGE_REDUCER_H
#define DIVERGE_REDUCER_H

#include <stdbool.h>

bool reducer_known(const char *op);
const char *reducer_of_type(const char *op, int type);	/* the operation that it is on that type: of truth values a sum is `or` */
const char *reducer_word(const char *op);	/* as a placement says it, "sum", "max" */
bool reducer_idempotent(const char *op);	/* may a value count twice? */
const char *reducer_choice(const char *name);	/* of pairs, `first {..}`: which of equal values it keeps; NULL: it is none */

#endif
