/* prim_extreme.c - maxima and minima: of negated values (N30), and in the search phase S5, S9. */
#include "prim/prim.h"

#include <stdlib.h>

static bool extreme(const algebra *a, eg_id n, bool *max)
{
	const char *op = core_fn(a, n);

	*max = !strcmp(op, "maximum");
	return type_is_float(core_type(a, n)) && (*max || !strcmp(op, "minimum"));
}

/* The factor all coefficients share; negative when all are. */
static bool content(int n, const slot *t, rat *g)
{
	int64_t num = 0, den = 1;
	bool neg = true;
	int k;

	for (k = 0; k < n; k++) {
		num = gcd64(num, t[k].c.num);
		if (__builtin_mul_overflow(den / gcd64(den, t[k].c.den), t[k].c.den, &den))
			return false;
		neg = neg && t[k].c.num < 0;
	}
	return num && rat_make(g, neg ? -num : num, den);
}

/* The extreme n of a sum or product of that kind, opened: its terms; NULL when it is none. */
static slot *open_terms(algebra *a, eg_id n, enum core_kind kind, bool *max, work **w, int *m)
{
	eg_id o = peek(a, eg_args(a->g, n)[0]);
	slot *in;
	int k;

	if (!extreme(a, n, max) || core_kind(a, o) != kind || core_type(a, o) != core_type(a, n) || !normal_opens(a, o, n))
		return NULL;
	*w = work_open(a, n);
	in = work_inline(a, o, (*w)->slot[0].e, *w, m);
	work_settle(a, *w);
	for (k = 0; k < *m; k++)
		in[k].e = ix_norm(&a->s, in[k].e);
	return in;
}

/* The terms `out`, with room for one more, and g times the extreme of the terms `under`. */
static eg_id taken_out(algebra *a, const work *w, enum core_kind kind, bool max, rat g, int nunder, const slot *under, int nout, slot *out)
{
	slot t = beneath(a, w, kind, w->type, nunder, under);
	work *s = work_like(a, w, C_RED, 1, &t);

	s->fn = val_name(a, max ? "maximum" : "minimum");
	out[nout++] = slot_of_work(a, s, g);
	s = work_like(a, w, kind, nout, out);
	s->nbound = 0;
	return work_result(a, s);
}

/* max_l (g x[l] + c) = g max_l x[l] + c, g > 0; with g < 0 the minimum: all finite. */
eg_id prim_extreme_shift(algebra *a, eg_id n)
{
	slot *in, *out, *with;
	int m, k, no = 0, nw = 0;
	work *w;
	bool max;
	rat g;

	in = open_terms(a, n, C_SUM, &max, &w, &m);
	if (!in)
		return NIL;
	out = ARENA_ARRAY(&a->s.a, slot, m + 1);
	with = ARENA_ARRAY(&a->s.a, slot, m);
	for (k = 0; k < m; k++) {
		if (!fact_finite(a, in[k].x))
			return refuse(a, "a term may be infinite");
		if (slot_reads_bound(a, &in[k]))
			with[nw++] = in[k];
		else
			out[no++] = in[k];
	}
	if (!nw || !content(nw, with, &g) || (!no && rat_is_int(g, 1)))
		return NIL;
	opened(a, w->slot[0].x, peek(a, w->slot[0].x));
	for (k = 0; k < nw; k++)
		if (!rat_div(&with[k].c, with[k].c, g))
			return refuse(a, "a constant of more than 64 bits");
	return taken_out(a, w, C_SUM, max == (g.num > 0), g, nw, with, no, out);
}

/* -min_l x[l] = max_l -x[l], whatever x is; the reductions without an initial value in them. */
eg_id prim_extreme_negate(algebra *a, eg_id n)
{
	eg_id o = peek(a, eg_args(a->g, n)[0]);
	slot *in, t;
	work *w, *s;
	bool max;
	int m;

	if (pairing_read(a, n).nslot != 1 || core_kind(a, o) != C_RED || core_type(a, o) != core_type(a, n) || !extreme(a, o, &max) || max ||
	    !normal_opens(a, o, n))
		return NIL;
	w = work_open(a, n);
	if (!rat_is_int(w->slot[0].c, -1))
		return NIL;
	s = work_like(a, w, C_RED, 0, NULL);
	in = work_inline(a, o, w->slot[0].e, s, &m);
	if (m != 1)
		return NIL;
	opened(a, w->slot[0].x, o);
	t = in[0];
	t.c = (rat){ -1, 1 };
	t = beneath(a, s, C_SUM, s->type, 1, &t);
	s = work_like(a, s, C_RED, 1, &t);
	s->fn = val_name(a, "maximum");
	return work_result(a, s);
}

/* max_l (p x[l]) = p max_l x[l] for factors p that are positive for certain; so of the minimum, and whatever x is: p is neither
 * 0 nor infinite. */
eg_id prim_extreme_scale(algebra *a, eg_id n)
{
	int m, k, ni = 0, no = 0;
	slot *in, *out;
	work *w;
	bool max;

	in = open_terms(a, n, C_MUL, &max, &w, &m);
	if (!in)
		return NIL;
	out = ARENA_ARRAY(&a->s.a, slot, m + 1);
	for (k = 0; k < m; k++) {
		if (in[k].x != NIL && fact_positive(a, in[k].x) && !slot_reads_bound(a, &in[k]))
			out[no++] = in[k];
		else
			in[ni++] = in[k];
	}
	if (!no || !ni)
		return NIL;
	opened(a, w->slot[0].x, peek(a, w->slot[0].x));
	return taken_out(a, w, C_MUL, max, RAT_ONE, ni, in, no, out);
}

/* Rounding to these keeps order, and no value becomes NaN. */
static bool plain_float(int t)
{
	return t == T_F64 || t == T_F32 || t == T_BF16 || t == T_F16 || t == TYPE_REAL;
}

static bool increasing(const algebra *a, eg_id o)
{
	const char *f = core_fn(a, o);

	if (pairing_read(a, o).nslot != 1 || !type_is_float(core_type(a, o)))
		return false;
	if (!strcmp(f, "convert"))
		return plain_float(core_type(a, o)) && plain_float(core_type(a, eg_args(a->g, o)[0]));
	return !strcmp(f, "exponential") || !strcmp(f, "tanh") || !strcmp(f, "logistic");
}

/* max f(x) = f(max x), f increasing, over at least one element.  Not for arg-max: tanh saturates, ties appear. */
eg_id prim_extreme_monotone(algebra *a, eg_id n)
{
	eg_id o = peek(a, eg_args(a->g, n)[0]);
	slot *in, t;
	work *w, *s;
	int m, k;
	bool max;

	if (!extreme(a, n, &max) || core_kind(a, o) != C_MAP || !increasing(a, o) || !normal_opens(a, o, n))
		return NIL;
	w = work_open(a, n);
	for (k = 0; k < w->nbound; k++)
		if (w->bound[k]->n < 1)
			return refuse(a, "the extreme of nothing");
	in = work_inline(a, o, w->slot[0].e, w, &m);
	opened(a, w->slot[0].x, o);
	s = work_like(a, w, C_RED, 1, in);
	s->slot[0].c = RAT_ONE;
	s->type = core_type(a, in[0].x);
	t = slot_of_work(a, s, RAT_ONE);
	s = work_like(a, w, C_MAP, 1, &t);
	s->nbound = 0;
	s->fn = val_name(a, core_fn(a, o));
	return work_result(a, s);
}
