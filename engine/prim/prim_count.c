/* prim_count.c - what is counted in integers and then converted: it is counted in floats, where both hold every whole
 * number that may come out. */
#include "core/bounds.h"

#include <string.h>
#include "prim/prim.h"

/* Are the result, and all that it is made of, whole numbers that nothing wraps and the float holds? */
static bool counted_exactly(algebra *a, eg_id o, int to)
{
	work *w = work_open(a, o);
	int64_t most = float_counts_to(to), lo, hi;
	struct bounds b;
	int k;

	int_range(core_type(a, o), &lo, &hi);
	if (!node_bounds(a, o, &b) || !bounds_within(b, lo, hi) || !bounds_within(b, -most, most))
		return false;
	for (k = 0; k < w->nslot; k++)
		if (!slot_bounds(a, &w->slot[k], &b) || !bounds_within(b, -most, most))
			return false;
	return true;
}

/* convert(sum c x) = sum c convert(x), of products and their sums, too. */
eg_id prim_convert_count(algebra *a, eg_id n)
{
	int to = core_type(a, n), m, k;
	enum core_kind kind;
	slot *in;
	work *w;
	eg_id x, o;

	if (strcmp(core_fn(a, n), "convert") || !float_counts_to(to))
		return NIL;
	x = eg_args(a->g, n)[0];
	o = peek(a, x);
	kind = core_kind(a, o);
	if (!type_is_int(core_type(a, x)) || core_type(a, o) != core_type(a, x) || (kind != C_SUM && kind != C_MUL && kind != C_EIN) ||
	    !normal_opens(a, o, n))
		return NIL;
	if (!counted_exactly(a, o, to))
		return refuse(a, "what is counted may be beyond the whole numbers that %s holds", etype_name((enum etype)to));
	opened(a, x, o);
	w = work_open(a, n);
	in = work_inline(a, o, w->slot[0].e, w, &m);
	w = work_like(a, w, kind, m, in);
	work_settle(a, w);
	for (k = 0; k < m; k++)
		w->slot[k] = slot_mapped(a, "convert", to, &w->slot[k], w->slot[k].c);
	return work_result(a, w);
}
