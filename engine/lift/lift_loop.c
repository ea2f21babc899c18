/* lift_loop.c - what a loop carries out (RULES section 5): only the host knows which loop runs in step with it. */
#include "lift/lift.h"

eg_id lift_loop(lift *l)
{
	if (!l->a->in_step)
		stuck(&l->a->s, "there is no other loop");
	return l->a->in_step(l->a->in_step_ctx, l->node);
}
