/* prim_sum.c - linear combinations: N10, N12, the integers of D2. */
#include "prim/prim.h"

#include <stdlib.h>
#include "core/zip.h"

#define SUM_MAX 128

struct terms {
	slot *t;
	int n, cap;
	bool opposed;		/* like terms stand apart */
};

static void put_term(algebra *a, struct terms *s, slot t)
{
	if (s->n == s->cap) {
		slot *old = s->t;
		s->cap = s->cap ? 2 * s->cap : 16;
		s->t = ARENA_ARRAY(&a->s.a, slot, s->cap);
		if (s->n)
			memcpy(s->t, old, sizeof *old * (size_t)s->n);
	}
	s->t[s->n++] = t;
}

/* Terms of opposite signs do not add up where they may be infinite: 2 inf - inf is no number. */
static bool opposed(algebra *a, const slot *x, const slot *y, int type)
{
	bool same = (x->c.num > 0 && y->c.num > 0) || (x->c.num < 0 && y->c.num < 0);

	return type_is_float(type) && !same && !slot_finite(a, x);
}

/* Adds a term to like ones; false when it stands apart: the coefficient leaves 64 bits, or the terms are opposed. */
static bool add_like(algebra *a, struct terms *s, slot t, int type)
{
	int i;
	rat c;

	for (i = 0; i < s->n; i++) {
		if (!slot_same(a, &s->t[i], &t) || !rat_add(&c, s->t[i].c, t.c))
			continue;
		if (opposed(a, &s->t[i], &t, type)) {
			s->opposed = true;
			continue;
		}
		if (s->t[i].x != t.x)
			history_premise(a, t.x, s->t[i].x);
		s->t[i].c = coef_in(type, c);
		return true;
	}
	put_term(a, s, t);
	return false;
}

static void scale_table(algebra *a, slot *t)
{
	int64_t n = grid_size(&a->s, t->nl, t->l), i;
	double *v = ARENA_ARRAY(&a->s.a, double, n), c = rat_double(t->c);

	for (i = 0; i < n; i++)
		v[i] = t->v[i] * c;
	t->v = v;
	t->c = RAT_ONE;
}

/* Exact constant tables, and numbers once there is a table, add up to one. */
static bool join_tables(algebra *a, struct terms *s)
{
	slot sum, t;
	int i, k = 0, tables = 0, rest = 0;
	bool have = false;

	for (i = 0; i < s->n; i++) {
		number one;
		if (s->t[i].x == NIL)
			tables++;
		else if (core_kind(a, peek(a, s->t[i].x)) == C_NUMBER && slot_number(a, &s->t[i], &one) && number_is_rat(one) &&
			 exact_value(rat_double(s->t[i].c)))
			rest++;
	}
	if (!tables || (tables == 1 && !rest))
		return false;
	for (i = 0; i < s->n; i++) {
		number v;
		t = s->t[i];
		if (t.x != NIL) {
			if (core_kind(a, peek(a, t.x)) != C_NUMBER || !slot_number(a, &t, &v) || !number_is_rat(v) ||
			    !exact_value(rat_double(t.c))) {
				s->t[k++] = t;
				continue;
			}
			{
				double *one = ARENA_ARRAY(&a->s.a, double, 1);
				one[0] = rat_double(v.r);
				t = slot_table(TYPE_REAL, 0, NULL, one, t.c);
			}
		}
		scale_table(a, &t);
		sum = have ? tables_zip(a, &sum, &t, zip_add, TYPE_REAL) : t;
		have = true;
	}
	sum.c = RAT_ONE;
	s->t[k++] = sum;
	s->n = k;
	return true;
}

/* A slot over a constant table, its coefficient exact, becomes values over labels. */
static bool open_table(algebra *a, slot *t)
{
	slot v;
	enum core_kind k = core_kind(a, peek(a, t->x));
	rat c = t->c;

	if ((k != C_TABLE && k != C_AT) || !slot_table_values(a, t, &v))
		return false;
	if (!exact_values(slot_cells(&v), v.v) || !exact_value(rat_double(c)))
		return false;
	*t = v;
	t->c = c;
	return true;
}

/* Nothing to join, fold or drop: no constant and no sum among the terms, none twice, none times zero. */
static bool plain_sum(algebra *a, eg_id n)
{
	int k, m = pairing_read(a, n).nslot;

	if (operand_kinds(a, n) & (1u << C_SUM | 1u << C_NUMBER | 1u << C_TABLE | 1u << C_AT))
		return false;
	for (k = 0; k < m; k++)
		if (!core_coef(a, n, k).num)
			return false;
	return !operands_repeat(a, n, m);
}

/* A sum being flattened. */
struct flatten {
	eg_id n;
	work *w;
	int type;
	struct terms s;
	int total;		/* terms there would be if none were alike */
	bool hit;		/* something was joined, folded or dropped */
	bool tables;
	bool kept;		/* a term times zero that may be infinite */
};

/* The terms of a nested sum, times its coefficient; false when those leave 64 bits. */
static bool take_nested(algebra *a, struct flatten *f, slot t, eg_id o)
{
	int j, m = pairing_read(a, o).nslot, total = f->total - 1 + m;
	slot *in;
	rat c;

	if (total > SUM_MAX) {
		refuse(a, "a sum of %d terms", total);
		add_like(a, &f->s, t, f->type);
		return true;
	}
	for (j = 0; j < m; j++)
		if (!rat_mul(&c, t.c, core_coef(a, o, j)))
			return false;
	in = work_inline(a, o, t.e, f->w, &m);
	opened(a, t.x, o);
	for (j = 0; j < m; j++) {
		rat_mul(&c, t.c, in[j].c);
		in[j].c = coef_in(f->type, c);
		add_like(a, &f->s, in[j], f->type);
	}
	f->total = total;
	f->hit = true;
	return true;
}

/* A number becomes a multiple of 1. */
static bool take_number(algebra *a, struct flatten *f, const slot *t, eg_id o)
{
	number v = core_number(a, o);
	ix *e;
	rat c;

	if (!number_is_rat(v) || !rat_mul(&c, t->c, v.r))
		return false;
	e = ix_norm(&a->s, t->e);
	f->hit = f->hit || !rat_is_int(v.r, 1) || e->nt || e->base;
	opened(a, t->x, o);
	add_like(a, &f->s, slot_read(core_rat(a, TYPE_REAL, RAT_ONE), ix_const(&a->s, 0), c), f->type);
	return true;
}

bool type_sums(int inner, int outer)
{
	return inner == outer || (inner == TYPE_REAL && type_is_float(outer));
}

static void take_term(algebra *a, struct flatten *f, slot t)
{
	eg_id o = peek(a, t.x);
	enum core_kind k = core_kind(a, o);

	if (k == C_SUM && type_sums(core_type(a, o), f->type) && normal_opens(a, o, f->n) && take_nested(a, f, t, o))
		return;
	if (k == C_NUMBER && type_is_float(f->type) && take_number(a, f, &t, o))
		return;
	if (type_is_float(f->type) && open_table(a, &t)) {
		f->tables = true;
		put_term(a, &f->s, t);
	} else {
		add_like(a, &f->s, t, f->type);
	}
}

/* A table of one value as a multiple of 1; false when it is none. */
static bool table_to_number(algebra *a, slot *t)
{
	rat c, v;

	if (t->x != NIL || t->nl || !rat_from_double(&v, t->v[0]) || !rat_mul(&c, v, t->c))
		return false;
	*t = slot_read(core_rat(a, TYPE_REAL, RAT_ONE), ix_const(&a->s, 0), c);
	return true;
}

/* Terms times zero go where they are finite, and tables that have become numbers are numbers. */
static void drop_zeros(algebra *a, struct flatten *f)
{
	struct terms *s = &f->s;
	int i, k = 0;

	for (i = 0; i < s->n; i++) {
		slot *t = &s->t[i];
		bool zero = t->c.num == 0;
		if (zero && slot_finite(a, t)) {
			f->hit = true;
			continue;
		}
		f->kept = f->kept || zero;
		if (table_to_number(a, t)) {
			f->hit = true;
			if (!t->c.num)
				continue;
		}
		s->t[k++] = *t;
	}
	s->n = k;
}

/* What is left: nothing, a number, one factor, or a sum. */
static eg_id flattened(algebra *a, struct flatten *f)
{
	slot *t = f->s.t;

	if (f->s.n == 0)
		return result_number(a, f->w, RAT_ZERO);
	if (f->s.n == 1 && t->x != NIL && core_kind(a, peek(a, t->x)) == C_NUMBER && type_is_float(f->type)) {
		number v = core_number(a, peek(a, t->x));
		opened(a, t->x, peek(a, t->x));
		if (number_is_rat(v) && rat_is_int(v.r, 1))
			return result_number(a, f->w, t->c);
	}
	if (f->s.n == 1 && t->x == NIL && rat_is_int(t->c, 1))
		return result_slot(a, f->w, *t);
	return work_result(a, work_like(a, f->w, C_SUM, f->s.n, t));
}

/* N10: nested sums are one, like terms add, numbers are collected, zero terms go. */
eg_id prim_sum_flatten(algebra *a, eg_id n)
{
	struct flatten f = { .n = n, .type = core_type(a, n) };
	int i;

	if (plain_sum(a, n))
		return NIL;
	f.w = work_open(a, n);
	f.total = pairing_read(a, n).nslot;
	for (i = 0; i < f.w->nslot; i++)
		take_term(a, &f, f.w->slot[i]);
	f.hit = f.hit || f.s.n != f.total;
	f.hit = (f.tables && join_tables(a, &f.s)) || f.hit;
	drop_zeros(a, &f);
	if (!f.hit)
		return f.kept || f.s.opposed ? refuse(a, "a term may be infinite") : NIL;
	return flattened(a, &f);
}

static int64_t f_wrap(int64_t v, const void *arg)
{
	return coef_in(*(const int *)arg, (rat){ v, 1 }).num;
}

/* An integer expression as a value of its type: D2, wrapped by a table where it leaves the range. */
ix *index_in_type(algebra *a, int type, ix *e)
{
	int64_t lo, hi, l, h;

	ix_range(&a->s, e, &lo, &hi);
	int_range(type, &l, &h);
	if (lo >= l && hi <= h)
		return ix_norm(&a->s, e);
	if (type_bits(type) >= 63)
		stuck(&a->s, "the value may wrap around");
	return ix_map(&a->s, e, f_wrap, &type);
}

void index_bounded(algebra *a, const ix *e)
{
	int64_t lo, hi;

	ix_range(&a->s, e, &lo, &hi);
	if (lo < -((int64_t)1 << 61) || hi > (int64_t)1 << 61)
		stuck(&a->s, "the value may wrap around");
}

/* An integer constant of a type as coefficient * expression: 1 * e where it stays in range, else its content (a residue)
 * times a part that does: a ring keeps linear what a table would not. */
slot index_term(algebra *a, int type, ix *e)
{
	int64_t lo, hi, l, h, g, i;
	int k;
	ix *part;

	e = ix_norm(&a->s, e);
	ix_range(&a->s, e, &lo, &hi);
	int_range(type, &l, &h);
	if (lo >= l && hi <= h)
		return slot_read(core_line(a, type), e, RAT_ONE);
	index_bounded(a, e);
	g = llabs(e->base);
	for (k = 0; k < e->nt; k++)
		g = gcd64(g, e->t[k].s);
	for (k = 0; k < e->ntab; k++)
		for (i = 0; i < e->tab[k].len; i++)
			g = gcd64(g, e->tab[k].v[i]);
	if (g > 1 && lo / g >= l && hi / g <= h) {
		part = ARENA_NEW(&a->s.a, ix);
		*part = *e;
		part->base = e->base / g;
		part->t = ARENA_ARRAY(&a->s.a, ix_term, e->nt);
		for (k = 0; k < e->nt; k++)
			part->t[k] = (ix_term){ e->t[k].l, e->t[k].s / g };
		part->tab = ARENA_ARRAY(&a->s.a, ix_table_part, e->ntab);
		for (k = 0; k < e->ntab; k++) {
			part->tab[k] = e->tab[k];
			part->tab[k].v = ARENA_ARRAY(&a->s.a, int64_t, e->tab[k].len);
			for (i = 0; i < e->tab[k].len; i++)
				part->tab[k].v[i] = e->tab[k].v[i] / g;
		}
		return slot_read(core_line(a, type), part, coef_in(type, (rat){ g, 1 }));
	}
	return slot_read(core_line(a, type), index_in_type(a, type, e), RAT_ONE);
}

/* D2: constant terms of an integer sum are one index expression, and none where that is 0. */
eg_id prim_sum_index(algebra *a, eg_id n)
{
	work *w;
	ix *sum, *e, *first = NULL;
	int i, k = 0, found = 0, type = core_type(a, n);
	slot *t, one;
	int64_t v;
	rat c = RAT_ONE;
	bool line = true, zero;

	if (!type_is_int(type))
		return NIL;
	w = work_open(a, n);
	t = ARENA_ARRAY(&a->s.a, slot, w->nslot + 1);
	sum = ix_const(&a->s, 0);
	for (i = 0; i < w->nslot; i++) {
		if (!slot_index(a, &w->slot[i], &e)) {
			t[k++] = w->slot[i];
			continue;
		}
		found++;
		first = e;
		c = w->slot[i].c;
		line = line && core_kind(a, peek(a, w->slot[i].x)) == C_INDEX;
		sum = ix_add(&a->s, sum, ix_times(&a->s, e, w->slot[i].c.num));
	}
	if (!found)
		return NIL;
	one = index_term(a, type, sum);
	zero = ix_is_const(&a->s, one.e, &v) && v == 0;
	if (found == 1 && line && rat_eq(one.c, c) && ix_equal(&a->s, one.e, first) && (k ? !zero : !rat_is_int(c, 1)))
		return NIL;
	if (!k && rat_is_int(one.c, 1))
		return result_slot(a, w, one);
	if (!zero)
		t[k++] = one;
	return work_result(a, work_like(a, w, C_SUM, k, t));
}
