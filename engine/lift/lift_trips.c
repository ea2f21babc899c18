/* lift_trips.c - a loop in closed form (RULES section 5): its trips are taken for devices.
 *
 * Within such a loop of N trips on D devices a value is a family on N * D: what
 * trip s of device d has is on device s * D + d.
 */
#include "lift/lift.h"

#include <string.h>

/* One operand, which has the extents of the result but its first so many; `many` devices are trips of `few`. */
static bool fits(lift *l, int first, int64_t few, int64_t many)
{
	const layout *o = &l->op[0].l;

	if (l->nop == 1 && !lift_any_empty(l) && o->rank == l->rank - first && many % few == 0 &&
	    !memcmp(o->dim, l->dim + first, sizeof *o->dim * (size_t)o->rank))
		return true;
	refuse(l->a, "the shapes do not fit the trips");
	return false;
}

/* What the loop does not change: every trip takes it. */
eg_id lift_each_trip(lift *l)
{
	frame_of f = lift_frame(l);
	ix *trip, *dev;

	if (!fits(l, 0, l->op[0].l.ndev, l->ndev))
		return NIL;
	ix_divmod(&l->a->s, f.re, l->op[0].l.ndev, &trip, &dev);
	return lift_moved(l, 0, lift_at(l, 0, dev, f.ie), &f);
}

/* The device that trip `trip` of the result's device is. */
static ix *at_trip(lift *l, const frame_of *f, ix *trip)
{
	scratch *s = &l->a->s;

	return ix_add(s, ix_times(s, trip, l->ndev), f->re);
}

/* What all trips have, one behind the other along a first dimension. */
eg_id lift_stack_trips(lift *l)
{
	frame_of f = lift_frame(l);

	if (l->rank < 1 || !fits(l, 1, l->ndev, l->op[0].l.ndev))
		return NIL;
	if (l->dim[0] != l->op[0].l.ndev / l->ndev)
		return refuse(l->a, "the shapes do not fit the trips");
	return lift_moved(l, 0, lift_at(l, 0, at_trip(l, &f, f.ie[0]), f.ie + 1), &f);
}

/* What all trips have, reduced by the operation `name`. */
eg_id lift_over_trips(lift *l)
{
	frame_of f = lift_frame(l);
	label *trip;

	if (!fits(l, 0, l->ndev, l->op[0].l.ndev))
		return NIL;
	trip = label_new(&l->a->s, l->op[0].l.ndev / l->ndev);
	return lift_finish(l, lift_reduction(l, &f, trip, at_trip(l, &f, ix_of(&l->a->s, trip, 1)), f.ie), &f);
}
