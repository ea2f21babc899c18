/* prim_zero.c - how many of something there are, asked only for whether there is any (S19): counts of infinities in the
 * gradients of devices, of tokens that are no padding. */
#include "core/bounds.h"

#include <string.h>
#include "prim/prim.h"

/* x = 0 or not, as the comparison n asks it: x <= 0 and 0 < x, too. */
struct asked {
	work *w;
	int at, zero;		/* the operands: x, and 0 */
	bool is;		/* x = 0; else x /= 0 */
	bool orders;		/* by an order, where no number is never above 0 */
};

static bool asks_zero(algebra *a, eg_id n, struct asked *q)
{
	const char *f = core_fn(a, n);
	bool lt = !strcmp(f, "compare:LT"), le = !strcmp(f, "compare:LE"), eq = !strcmp(f, "compare:EQ");

	if (!(lt || le || eq || !strcmp(f, "compare:NE")) || pairing_read(a, n).nslot != 2)
		return false;
	q->w = work_open(a, n);
	q->zero = lt ? 0 : le ? 1 : !slot_is_zero(a, &q->w->slot[1]) ? 0 : 1;
	q->at = 1 - q->zero;
	q->is = le || eq;
	q->orders = lt;
	return q->w->slot[q->at].x != NIL && slot_is_zero(a, &q->w->slot[q->zero]);
}

/* Is this term, or what is compared, nowhere below 0?  One that is no number is equal to nothing, alone and in a sum. */
static bool never_below(algebra *a, const slot *t)
{
	struct bounds b;

	if (type_is_float(core_type(a, t->x)))
		return facts_of(a, t->x) & FACT_NONNEG;
	return slot_bounds(a, t, &b) && rat_cmp(b.lo, RAT_ZERO) >= 0;
}

static bool wraps(algebra *a, eg_id o)
{
	struct bounds b;
	int64_t lo, hi;

	if (!type_is_int(core_type(a, o)))
		return false;
	int_range(core_type(a, o), &lo, &hi);
	return !node_bounds(a, o, &b) || !bounds_within(b, 0, hi);
}

/* Are all the operands of o nowhere negative, and o 0 only where they are? */
static bool adds_up(algebra *a, eg_id o, int m, const slot *in)
{
	bool sum = core_kind(a, o) == C_SUM;
	int k;

	for (k = 0; k < m; k++)
		if (in[k].x == NIL || (sum && in[k].c.num <= 0) || !never_below(a, &in[k]))
			return false;
	return !wraps(a, o);
}

static bool counts(const algebra *a, eg_id o)
{
	enum core_kind k = core_kind(a, o);

	return k == C_SUM || k == C_EIN || ((k == C_RED || k == C_LAT) && !strcmp(core_fn(a, o), "maximum"));
}

/* x = 0 or x /= 0 of one term. */
static slot tested(algebra *a, const struct asked *q, slot t)
{
	work *w;
	slot s[2] = { t, q->w->slot[q->zero] };

	s[0].c = RAT_ONE;
	w = work_over(a, C_MAP, T_PRED, s, 2);
	memcpy(w->slot, s, sizeof s);
	w->fn = val_name(a, q->is ? "compare:EQ" : "compare:NE");
	return slot_of_work(a, w, RAT_ONE);
}

/* S19: sum c x = 0 where all x = 0, of terms that are nowhere negative; of sums over labels, and of maxima. */
eg_id prim_compare_zero(algebra *a, eg_id n)
{
	struct asked q;
	slot *in, t;
	eg_id x, o;
	work *w;
	int m, k;
	bool all;

	if (!asks_zero(a, n, &q))
		return NIL;
	x = q.w->slot[q.at].x;
	o = peek(a, x);
	all = core_kind(a, o) == C_SUM || core_kind(a, o) == C_LAT;
	if (!counts(a, o) || core_type(a, o) != core_type(a, x) || !normal_opens(a, o, n))
		return NIL;
	w = work_like(a, q.w, all ? C_LAT : C_RED, 0, NULL);
	in = work_inline(a, o, q.w->slot[q.at].e, w, &m);
	if (!adds_up(a, o, m, in) || (q.orders && type_is_float(core_type(a, o)) && !fact_finite(a, x)))
		return refuse(a, "a term may be negative");
	opened(a, x, o);
	if (all) {
		for (k = 0; k < m; k++)
			in[k] = tested(a, &q, in[k]);
	} else {
		t = tested(a, &q, beneath(a, w, C_MUL, core_type(a, o), m, in));
		in = &t;
		m = 1;
	}
	w = work_like(a, w, w->kind, m, in);
	w->fn = val_name(a, q.is ? "and" : "or");
	return work_result(a, w);
}

/* op(f(p), f(q)..) or op over all places of f(p), every operand f of a truth value, = f(to(p, q..)). */
static eg_id function_leaves(algebra *a, eg_id n, const char *f, const char *to)
{
	int type = core_type(a, n), m, k;
	work *w;
	slot t;

	for (k = 0; k < (int)eg_narg(a->g, n); k++)
		if (!is_map(a, peek(a, eg_args(a->g, n)[k]), f) || !normal_opens(a, peek(a, eg_args(a->g, n)[k]), n))
			return NIL;
	w = work_open(a, n);
	for (k = 0; k < w->nslot; k++) {
		eg_id x = w->slot[k].x;
		if (x == NIL || w->slot[k].c.num != w->slot[k].c.den)
			return NIL;
		w->slot[k] = work_inline(a, peek(a, x), w->slot[k].e, w, &m)[0];
		opened(a, x, peek(a, x));
	}
	w->fn = val_name(a, to);
	w->type = T_PRED;
	t = slot_of_work(a, w, RAT_ONE);
	w = work_like(a, w, C_MAP, 1, &t);
	w->nbound = 0;
	w->type = type;
	w->fn = val_name(a, f);
	return work_result(a, w);
}

/* S19: not p and not q is not (p or q), of any number of truth values, and of all places of one. */
eg_id prim_contrary_leaves(algebra *a, eg_id n)
{
	bool both = !strcmp(core_fn(a, n), "and");

	if (core_type(a, n) != T_PRED || (!both && strcmp(core_fn(a, n), "or")))
		return NIL;
	return function_leaves(a, n, "not", both ? "or" : "and");
}

/* S19: the least of num p and num q is num (p and q), the largest num (p or q). */
eg_id prim_extreme_truth(algebra *a, eg_id n)
{
	bool least = !strcmp(core_fn(a, n), "minimum");

	if (core_type(a, n) == T_PRED || (!least && strcmp(core_fn(a, n), "maximum")))
		return NIL;
	return function_leaves(a, n, "num", least ? "and" : "or");
}
