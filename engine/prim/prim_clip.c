/* prim_clip.c - a place that is clipped to the ends of what is read, or chosen (N5): a choice between what is read. */
#include "prim/prim.h"

#include <string.h>

/* A clip that is read: min(max(e, 0), n - 1), e = n q + r. */
struct clip {
	const datum *d;
	int64_t n;
	ix *q, *r;
};

/* Which of two slots is a number; -1: neither. */
static int number_beside(algebra *a, const slot *s, int n, int64_t *number)
{
	ix *e;
	int k;

	for (k = 0; k < n && n == 2; k++)
		if (slot_index(a, &s[k], &e) && ix_is_const(&a->s, e, number))
			return k;
	return -1;
}

/* The operand beside the number in an extreme of two; false when x, read at `at`, is none. */
static bool extreme_of(algebra *a, eg_id x, const ix *at, const char *fn, int64_t *number, slot *other)
{
	eg_id o = peek(a, x);
	slot *s;
	int n, k;

	if (core_kind(a, o) != C_LAT || strcmp(core_fn(a, o), fn) || core_type(a, o) == T_U64)
		return false;
	s = work_inline(a, o, at, work_new(a, C_AT, core_type(a, o), 1), &n);
	k = number_beside(a, s, n, number);
	if (k < 0)
		return false;
	opened(a, x, o);
	*other = s[1 - k];
	return true;
}

static bool clip_read(algebra *a, const datum *d, struct clip *c)
{
	int64_t last, zero, lo, hi;
	slot t, v;
	ix *e;

	if (!extreme_of(a, d->core, d->at, "minimum", &last, &t) || !extreme_of(a, t.x, t.e, "maximum", &zero, &v) || zero ||
	    last < 1 || last + 1 != d->full || !slot_index(a, &v, &e))
		return false;
	ix_range(&a->s, e, &lo, &hi);
	if ((lo >= 0 && hi <= last) || !ix_divides(&a->s, e, last + 1))
		return false;
	c->d = d;
	c->n = last + 1;
	ix_divmod(&a->s, e, c->n, &c->q, &c->r);
	return true;
}

/* What is read, with `e` as the value that was clipped. */
static slot read_at(algebra *a, const work *w, const struct clip *c, int n, label **l, ix *e)
{
	label **from = ARENA_ARRAY(&a->s.a, label *, n);
	ix **to = ARENA_ARRAY(&a->s.a, ix *, n), *q, *r;
	slot s = w->slot[0];
	int k, m = 0;

	for (k = 0; k < n; k++) {
		const datum *d = l[k]->data;
		if (d->core != c->d->core || !ix_equal(&a->s, d->at, c->d->at))
			continue;
		ix_divmod(&a->s, e, d->div, &q, &r);
		ix_divmod(&a->s, q, l[k]->n, &q, &r);
		from[m] = l[k];
		to[m++] = r;
	}
	s.e = ix_subst(&a->s, s.e, m, from, to);
	return s;
}

static work *choice(algebra *a, const work *w, slot mask, slot x, slot y)
{
	slot *s = ARENA_ARRAY(&a->s.a, slot, 3);
	work *r;

	s[0] = mask;
	s[1] = x;
	s[2] = y;
	r = work_like(a, w, C_MAP, 3, s);
	r->fn = val_name(a, "select");
	return r;
}

eg_id prim_read_clip(algebra *a, eg_id n)
{
	struct clip c;
	label **l;
	slot end, last;
	int64_t lo, hi;
	int k, nl;
	work *w;

	if (!pairing_read(a, n).ndata)
		return NIL;
	w = work_open(a, n);
	nl = work_data(a, w, &l);
	for (k = 0; k < nl && (eg_root(a->g, l[k]->data->core) == eg_root(a->g, n) || !clip_read(a, l[k]->data, &c)); k++)
		;
	if (k == nl)
		return NIL;
	end = read_at(a, w, &c, nl, l, ix_const(&a->s, 0));
	last = read_at(a, w, &c, nl, l, ix_const(&a->s, c.n - 1));
	ix_range(&a->s, c.q, &lo, &hi);
	if (lo >= 0)
		end = last;
	else if (hi > 0)
		end = slot_of_work(a, choice(a, w, slot_tests(&a->s, 1, &(test){ c.q, INT64_MIN, 0 }), end, last), RAT_ONE);
	return work_result(a, choice(a, w, slot_tests(&a->s, 1, &(test){ c.q, 0, 1 }), read_at(a, w, &c, nl, l, c.r), end));
}

/* A place that is p e: product_chosen. */
static bool chosen_place(algebra *a, const datum *d, ix **p, ix **e)
{
	eg_id o = peek(a, d->core);
	int n;
	work *w;

	if (core_kind(a, o) != C_MUL || !type_is_int(core_type(a, o)))
		return false;
	w = work_new(a, C_MUL, core_type(a, o), 0);
	w->slot = work_inline(a, o, d->at, w, &n);
	w->nslot = n;
	if (!product_chosen(a, w, p, e))
		return false;
	opened(a, d->core, o);
	return true;
}

/* x[p e] = select(p, x[e], x[0]), p 0 or 1. */
eg_id prim_read_chosen(algebra *a, eg_id n)
{
	int64_t lo, hi;
	struct clip c;
	label **l;
	int k, nl;
	ix *p, *e;
	work *w;

	if (!pairing_read(a, n).ndata)
		return NIL;
	w = work_open(a, n);
	nl = work_data(a, w, &l);
	for (k = 0; k < nl && (eg_root(a->g, l[k]->data->core) == eg_root(a->g, n) || !chosen_place(a, l[k]->data, &p, &e)); k++)
		;
	if (k == nl)
		return NIL;
	c.d = l[k]->data;
	ix_range(&a->s, e, &lo, &hi);
	if (lo < 0 || hi >= c.d->full)
		return NIL;
	return work_result(a, choice(a, w, slot_tests(&a->s, 1, &(test){ p, 1, 2 }), read_at(a, w, &c, nl, l, e), read_at(a, w, &c, nl, l, ix_const(&a->s, 0))));
}
