/* prim_common.c - factors that all terms of a sum, or both branches of a choice, share: S14, S17, N20 backwards, N42. */
#include "prim/prim.h"

#include <stdlib.h>
#include <string.h>
#include "prim/counting.h"

enum { ROWS_MAX = 128 };

struct factors {
	rat c;			/* of the term */
	int n;
	slot *t;
};

static void factors_of(algebra *a, work *w, eg_id n, const slot *t, struct factors *f)
{
	eg_id o = peek(a, t->x);

	f->c = t->c;
	if (core_kind(a, o) == C_MUL && core_type(a, o) == w->type && normal_opens(a, o, n)) {
		f->t = work_inline(a, o, t->e, w, &f->n);
		opened(a, t->x, o);
		return;
	}
	f->t = ARENA_NEW(&a->s.a, slot);
	*f->t = *t;
	f->t->c = RAT_ONE;
	f->n = 1;
}

static int find_factor(algebra *a, const struct factors *f, const slot *t)
{
	int k;

	for (k = 0; k < f->n; k++)
		if ((f->t[k].c.num > 0) == (t->c.num > 0) && slot_same(a, &f->t[k], t))
			return k;
	return -1;
}

/* Reduces the powers in `common` to what this term has, too; returns how many are left. */
static int meet(algebra *a, const struct factors *f, slot *common, int n)
{
	int k, j, m = 0;

	for (k = 0; k < n; k++) {
		if ((j = find_factor(a, f, &common[k])) < 0)
			continue;
		if (llabs(f->t[j].c.num) < llabs(common[k].c.num))
			common[k].c = f->t[j].c;
		common[m++] = common[k];
	}
	return m;
}

static slot without(algebra *a, const work *w, const struct factors *f, int n, const slot *common)
{
	slot *t = ARENA_ARRAY(&a->s.a, slot, f->n);
	work *p;
	int k, j, m = 0;

	memcpy(t, f->t, sizeof *t * (size_t)f->n);
	for (k = 0; k < n; k++) {
		j = find_factor(a, f, &common[k]);
		if (f->t[j].x != common[k].x)
			history_premise(a, f->t[j].x, common[k].x);
		t[j].c.num -= common[k].c.num;
	}
	for (k = 0; k < f->n; k++)
		if (t[k].c.num)
			t[m++] = t[k];
	if (!m)
		return slot_read(core_rat(a, TYPE_REAL, RAT_ONE), ix_const(&a->s, 0), f->c);
	if (m == 1 && rat_is_int(t[0].c, 1)) {
		t[0].c = f->c;
		return t[0];
	}
	p = work_like(a, w, C_MUL, m, t);
	p->nbound = 0;
	return slot_of_work(a, p, f->c);
}

/* Is every factor of f but the common ones one of those that may stand beside them? */
static bool all_beside(algebra *a, const struct factors *f, int n, const slot *common, bool (*beside)(algebra *, const slot *))
{
	int k, j;

	for (k = 0; k < f->n; k++) {
		for (j = 0; j < n && !slot_same(a, &f->t[k], &common[j]); j++)
			;
		if (j == n && !beside(a, &f->t[k]))
			return false;
	}
	return true;
}

/* The sum without the factors that `may` leave it and all terms share; these times it.  `beside` says what may stand beside
 * them, NULL: anything. */
static eg_id share_factors(algebra *a, eg_id n, bool (*may)(algebra *, const slot *), bool (*beside)(algebra *, const slot *))
{
	struct factors *f;
	slot *common, *row, *res;
	work *w, *s;
	int k, nc = 0;

	if (!type_is_float(core_type(a, n)) || pairing_read(a, n).nslot < 2 || pairing_read(a, n).nslot > ROWS_MAX)
		return NIL;
	w = work_open(a, n);
	f = ARENA_ARRAY(&a->s.a, struct factors, w->nslot);
	factors_of(a, w, n, &w->slot[0], &f[0]);
	common = ARENA_ARRAY(&a->s.a, slot, f[0].n);
	for (k = 0; k < f[0].n; k++)
		if (may(a, &f[0].t[k]))
			common[nc++] = f[0].t[k];
	for (k = 1; k < w->nslot && nc; k++) {
		factors_of(a, w, n, &w->slot[k], &f[k]);
		nc = meet(a, &f[k], common, nc);
	}
	if (!nc)
		return NIL;
	for (k = 0; beside && k < w->nslot; k++)
		if (!all_beside(a, &f[k], nc, common, beside))
			return NIL;
	row = ARENA_ARRAY(&a->s.a, slot, w->nslot);
	for (k = 0; k < w->nslot; k++)
		row[k] = without(a, w, &f[k], nc, common);
	s = work_like(a, w, C_SUM, w->nslot, row);
	s->nbound = 0;
	res = ARENA_ARRAY(&a->s.a, slot, nc + 1);
	memcpy(res, common, sizeof *res * (size_t)nc);
	return result_times(a, w, nc, res, s);
}

/* a/M + b/M = (a + b)/M: powers of positive finite cores that all terms share leave the sum. */
eg_id prim_common_factor(algebra *a, eg_id n)
{
	return share_factors(a, n, slot_positive, NULL);
}

/* ---- N20 backwards, S17 */

static bool is_mask(algebra *a, const slot *t)
{
	slot v;

	return t->x != NIL && t->c.num == 1 && core_kind(a, peek(a, t->x)) == C_TABLE && slot_table_values(a, t, &v) && truth_table(&v);
}

static bool carries_none(algebra *a, const slot *t)
{
	return t->x != NIL && !carries_table(a, peek(a, t->x)) && !is_piecewise(a, peek(a, t->x), core_type(a, t->x));
}

/* A learning rate, a loss scale: one finite number for all places. */
static bool is_rate(algebra *a, const slot *t)
{
	return t->x != NIL && t->c.num > 0 && core_len(a, t->x) == 1 && !slot_is_constant(a, t) && slot_finite(a, t);
}

/* y a + y b = y (a + b), y one number. */
eg_id prim_common_rate(algebra *a, eg_id n)
{
	return share_factors(a, n, is_rate, carries_none);
}

/* [p] a + [p] b = [p] (a + b), where no piece is left in the sum: N20 would spread the mask again. */
eg_id prim_mask_common(algebra *a, eg_id n)
{
	return carries_table(a, peek(a, eg_args(a->g, n)[0])) ? share_factors(a, n, is_mask, carries_none) : NIL;
}

/* ---- N42 */

/* A branch as a number times powers of cores. */
static void branch_factors(algebra *a, work *w, eg_id n, const slot *t, struct factors *f)
{
	eg_id o = peek(a, t->x);
	slot *in;
	int m;

	if (core_kind(a, o) != C_SUM || core_type(a, o) != w->type || pairing_read(a, o).nslot != 1 || !normal_opens(a, o, n)) {
		factors_of(a, w, n, t, f);
		return;
	}
	in = work_inline(a, o, t->e, w, &m);
	opened(a, t->x, o);
	factors_of(a, w, n, in, f);
}

/* What is left of a branch, with its number, as an operand of a choice. */
static slot rest_of_branch(algebra *a, const work *w, const struct factors *f, int n, const slot *common)
{
	slot t = without(a, w, f, n, common);

	if (slot_is_constant(a, &t) && f->n == n)
		return slot_read(core_rat(a, TYPE_REAL, t.c), t.e, RAT_ONE);
	return rat_is_int(t.c, 1) ? t : slot_of_work(a, work_like(a, w, C_SUM, 1, &t), RAT_ONE);
}

/* select(p, c a, 0) = c select(p, a, 0): the number alone, where 0 times the other factors may be no number. */
static eg_id number_leaves(algebra *a, eg_id n, work *w)
{
	int zero = slot_is_zero(a, &w->slot[1]) ? 1 : 2;
	struct factors f;
	rat c;

	if (!slot_is_zero(a, &w->slot[zero]) || slot_is_written(a, &w->slot[0]) || slot_is_written(a, &w->slot[3 - zero]))
		return NIL;
	branch_factors(a, w, n, &w->slot[3 - zero], &f);
	c = f.c;
	if (rat_is_int(c, 1) || !c.num)
		return NIL;
	f.c = RAT_ONE;
	w->slot[3 - zero] = rest_of_branch(a, w, &f, 0, NULL);
	return result_scaled(a, work_like(a, w, C_MAP, 3, w->slot), c);
}

/* select(p, c x a, d x b) = x select(p, c a, d b), and c select(p, a, b) where c is d. */
eg_id prim_select_common(algebra *a, eg_id n)
{
	struct factors f[2];
	slot *out, t[3];
	work *w;
	rat c;
	int k, nc;

	if (strcmp(core_fn(a, n), "select") || pairing_read(a, n).nslot != 3 || !type_is_float(core_type(a, n)) ||
	    !(operand_kinds(a, n) & (1u << C_MUL | 1u << C_SUM)))
		return NIL;
	w = work_open(a, n);
	if (slot_is_written(a, &w->slot[0]) || slot_is_written(a, &w->slot[1]) || slot_is_written(a, &w->slot[2]))
		return number_leaves(a, n, w);
	for (k = 0; k < 2; k++)
		branch_factors(a, w, n, &w->slot[1 + k], &f[k]);
	out = ARENA_ARRAY(&a->s.a, slot, f[0].n + 1);
	memcpy(out, f[0].t, sizeof *out * (size_t)f[0].n);
	nc = meet(a, &f[1], out, f[0].n);
	c = rat_eq(f[0].c, f[1].c) ? f[0].c : RAT_ONE;
	if (!nc && rat_is_int(c, 1))
		return NIL;
	t[0] = w->slot[0];
	for (k = 0; k < 2; k++) {
		f[k].c = rat_is_int(c, 1) ? f[k].c : RAT_ONE;
		t[1 + k] = rest_of_branch(a, w, &f[k], nc, out);
	}
	w = work_like(a, w, C_MAP, 3, t);
	if (!nc)
		return result_scaled(a, w, c);
	out[nc++] = slot_of_work(a, w, RAT_ONE);
	return result_scaled(a, work_like(a, w, C_MUL, nc, out), c);
}

/* ---- N42 of maxima, minima, and, or */

/* A branch as operands of op: its own where it is one. */
struct branch {
	int n;
	slot *t;
};

static const char *lattice_of(const algebra *a, eg_id x)
{
	eg_id o = peek(a, x);

	return core_kind(a, o) == C_LAT ? core_fn(a, o) : NULL;
}

static bool open_branch(algebra *a, work *w, eg_id n, const char *op, int k, struct branch *b)
{
	slot *t = &w->slot[1 + k];
	const char *f = lattice_of(a, t->x);
	eg_id o = peek(a, t->x);

	*b = (struct branch){ 1, t };
	if (!f || strcmp(f, op))
		return true;
	if (core_type(a, o) != w->type || !normal_opens(a, o, n))
		return false;
	b->t = work_inline(a, o, t->e, w, &b->n);
	opened(a, t->x, o);
	return true;
}

static bool branch_has(algebra *a, const struct branch *b, const slot *t)
{
	int k;

	for (k = 0; k < b->n && !slot_same(a, &b->t[k], t); k++)
		;
	if (k < b->n && b->t[k].x != t->x)
		history_premise(a, b->t[k].x, t->x);
	return k < b->n;
}

/* What the other branch has not. */
static slot rest_of(algebra *a, const work *w, const char *op, const struct branch *b, const struct branch *other)
{
	slot *t = ARENA_ARRAY(&a->s.a, slot, b->n);
	work *l;
	int k, m = 0;

	for (k = 0; k < b->n; k++)
		if (!branch_has(a, other, &b->t[k]))
			t[m++] = b->t[k];
	if (m < 2)
		return m ? t[0] : op_number(a, op, w->type);
	l = work_like(a, w, C_LAT, m, t);
	l->fn = val_name(a, op);
	return slot_of_work(a, l, RAT_ONE);
}

/* select(p, max(u, v), max(u, w)) = max(u, select(p, v, w)); a branch of which nothing is left is the number that never matters. */
eg_id prim_select_lattice(algebra *a, eg_id n)
{
	const eg_id *arg = eg_args(a->g, n);
	const char *op;
	struct branch b[2];
	slot *out, t[3];
	work *w, *s;
	int k, m = 0;

	if (strcmp(core_fn(a, n), "select") || pairing_read(a, n).nslot != 3)
		return NIL;
	if ((!(op = lattice_of(a, arg[1])) && !(op = lattice_of(a, arg[2]))) || !op_has_number(op, core_type(a, n)))
		return NIL;
	w = work_open(a, n);
	for (k = 0; k < 2; k++)
		if (!open_branch(a, w, n, op, k, &b[k]))
			return NIL;
	out = ARENA_ARRAY(&a->s.a, slot, b[0].n + 1);
	for (k = 0; k < b[0].n; k++)
		if (branch_has(a, &b[1], &b[0].t[k]))
			out[m++] = b[0].t[k];
	if (!m)
		return NIL;
	t[0] = w->slot[0];
	for (k = 0; k < 2; k++)
		t[1 + k] = rest_of(a, w, op, &b[k], &b[1 - k]);
	s = work_like(a, w, C_MAP, 3, t);
	out[m++] = slot_of_work(a, s, RAT_ONE);
	w = work_like(a, w, C_LAT, m, out);
	w->fn = val_name(a, op);
	return work_result(a, w);
}
