/* mutate.h - small changes to the text of a pair: what a programmer or a compiler might get wrong.
 *
 * One call makes one edit: of an instruction, of a constant, of the plan, or of
 * both programs in the same way.  The text stays text: whether it is still a
 * program the reader decides.
 */
#ifndef DIVERGE_MUTATE_H
#define DIVERGE_MUTATE_H

#include <stdbool.h>
#include <stddef.h>
#include "random_pair.h"

/* False: nothing of that kind fits here (the pair is as before).  `what` says what was done. */
bool mutate(struct dice *d, struct text_pair *t, char *what, size_t n);
int mutate_kinds(void);
const char *mutate_kind(int k);		/* what begins with this word */

#endif
