/* stage.h - what some devices hold that others do not: stages of a pipeline.
 *
 * The devices of a pipeline do the same to what each of them has, and only some
 * hold what the baseline has, or a microbatch of it; what the others compute is
 * thrown away later.  A device chooses between what it has and what it was sent
 * by its own number: there a pipeline begins, and there it goes wrong where what
 * is chosen is nothing of the baseline's on any device that chooses it, though
 * others have it.
 */
#ifndef DIVERGE_STAGE_H
#define DIVERGE_STAGE_H

#include "relation/state.h"

/* The baseline row that a row is on one device at least, as large as it is there; -1: none, or nothing may be asked now. */
int stage_partner(const states *s, int dist_row, int64_t *dev);
/* .. or a part of it, for rows of a pipeline: it is asked by terms, which any row may fit by chance. */
int stage_part(const states *s, int dist_row, int64_t *dev);
/* Does every device choose one of two by its own number? */
bool stage_chooses(const states *s, int dist_row, arena *tmp);
/* Does it choose what is nothing of the baseline's there, and is on other devices? */
bool stage_chosen_amiss(const states *s, int dist_row, arena *tmp);
/* The first such choice among the rows that a row is made of; -1: there is none. */
int stage_choice_behind(const states *s, int dist_row, arena *tmp);
/* What is wrong with such a choice; NULL: nothing. */
const char *stage_choice_fault(const states *s, int dist_row, arena *out);
/* That a row, or an operand of it, is the baseline's on some devices only; NULL: it is not. */
const char *stage_fault(const states *s, int dist_row, arena *out);

#endif
