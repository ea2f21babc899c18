/* acts_in.h - what the files of the history share.
 *
 * acts.c keeps the list of acts, makes them and takes them back; acts_perform.c
 * does one where the run stands; acts_run.c moves the run forward and back.
 */
#ifndef DIVERGE_ACTS_IN_H
#define DIVERGE_ACTS_IN_H

#include "session/acts.h"
#include "session/session_in.h"

static inline struct act *acts_at(const struct session *s, int i)
{
	return &VEC_AT(struct act, &s->act, i);
}

/* Marks the act as done here; what it gave, or why nothing (`failed`), is in it. */
void acts_perform(struct session *s, struct act *a);

/* ---- places */
struct place acts_here(const struct session *s);

/* Has the run come to the place?  In a run that differs the worklist may empty
 * earlier: the next row must not be taken up. */
bool acts_reached(const struct session *s, struct place p);

/* ---- boundaries: of a new step, or of the last one, where acts were made */
void acts_note_boundary(struct session *s, bool step);

/* Nothing but acts has happened since the last step. */
bool acts_at_boundary(const struct session *s);

/* ---- forward, while `on` says so before a move and `step` after a firing */
enum acts_end acts_run_while(struct session *s, acts_goes_on *on, acts_goes_on *step, void *ctx);
void acts_drop_states(struct session *s);

/* ---- back; false: there is no way back, and it was said */
bool acts_can_go_back(struct session *s);
void acts_back_to(struct session *s, trail_mark mark, uint32_t step, uint32_t moves);
void acts_back_to_step(struct session *s, uint32_t step);

#endif
