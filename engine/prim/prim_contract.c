/* prim_contract.c - products summed over labels: what N11 does to their factors, then what only sums have (N13 to N15). */
#include "prim/factors.h"

#include <string.h>

/* N13: an inner contraction that shares a summed label is part of this one. */
eg_id prim_contract_flatten(algebra *a, eg_id n)
{
	work *w;
	struct factors *f;
	int i, wild = -1, nwild = 0;

	if (product_is_plain(a, n) && !(operand_kinds(a, n) & 1u << C_EIN))
		return NIL;
	w = work_open(a, n);
	f = factors_collect(a, w, n);
	if (type_is_float(w->type))
		factors_join_tables(a, f);
	if (f->hit)
		return factors_finish(a, w, f);
	for (i = 0; i < f->n; i++)
		if (!slot_finite_power(a, &f->t[i])) {
			wild = i;
			nwild++;
		}
	for (i = 0; i < f->n; i++) {
		struct factors *g;
		slot t = f->t[i];
		int j;
		eg_id o = t.x == NIL ? NIL : peek(a, t.x);
		if (o == NIL || t.c.num != 1 || core_kind(a, o) != C_EIN || core_type(a, o) != w->type)
			continue;
		if (!slot_reads_bound(a, &t))	/* it must share a label that is summed here */
			continue;
		if (nwild && (nwild > 1 || wild != i)) {
			refuse(a, "a factor may be infinite and stays in the sum");
			continue;
		}
		if (!normal_opens(a, o, n)) {
			refuse(a, "ein is defined by itself");
			continue;
		}
		if (f->n - 1 + pairing_read(a, o).nslot > FACTORS_MAX) {
			refuse(a, "a product of %d factors", f->n - 1 + pairing_read(a, o).nslot);
			continue;
		}
		g = factors_new(a);
		for (j = 0; j < f->n; j++)
			if (j != i)
				factors_put(a, g, f->t[j]);
		factors_take(a, g, w, &t, n, C_EIN);
		return factors_finish(a, w, g);
	}
	return NIL;
}

static bool reads_any(algebra *a, const slot *t, int n, label *const *list)
{
	label **l;
	int nl = slot_labels(a, t, &l), i;

	for (i = 0; i < nl; i++)
		if (label_in(l[i], n, list))
			return true;
	return false;
}

/* By the words of the pairing: does every factor read a summed label, and do these connect all factors? */
static bool connected(const algebra *a, eg_id n)
{
	pairing p = pairing_read(a, n);
	const int64_t *at = p.word;
	uint64_t all = 0, rest[FACTORS_MAX];
	int k, j, left = 0;
	bool grew = true;

	if (p.ndata || p.nbound > 64 || p.nslot > FACTORS_MAX)
		return false;
	for (k = 0; k < p.nslot; k++) {
		pair_expr x;
		uint64_t reads = 0;
		at = pairing_expr(&p, at, &x);
		if (x.ntab)
			return false;
		for (j = 0; j < p.nbound; j++)
			if (x.stride[p.nfree + j])
				reads |= (uint64_t)1 << j;
		if (!reads)
			return false;
		if (!k)
			all = reads;
		else
			rest[left++] = reads;
	}
	while (left && grew)
		for (grew = false, j = 0; j < left; j++)
			if (rest[j] & all) {
				all |= rest[j];
				rest[j--] = rest[--left];
				grew = true;
			}
	return !left;
}

/* The leaves of all summed labels. */
static int summed_leaves(algebra *a, const work *w, label ***out)
{
	int max = 64 * w->nbound;

	*out = ARENA_ARRAY(&a->s.a, label *, max);
	return labels_leaves(&a->s, w->nbound, w->bound, *out, max);
}

/* The part of a contraction every factor is in, numbered by its first one: factors that share a summed label; -1: it reads none. */
static int *parts_of(algebra *a, const work *w, int nb, label **bl)
{
	int *part = ARENA_ARRAY(&a->s.a, int, w->nslot), i, j, k;

	for (i = 0; i < w->nslot; i++)
		part[i] = reads_any(a, &w->slot[i], nb, bl) ? i : -1;
	for (i = 0; i < nb; i++) {
		int first = -1;
		for (j = 0; j < w->nslot; j++) {
			int old = part[j];
			if (old < 0 || !reads_any(a, &w->slot[j], 1, &bl[i]))
				continue;
			if (first < 0)
				first = old;
			for (k = 0; old != first && k < w->nslot; k++)
				if (part[k] == old)
					part[k] = first;
		}
	}
	return part;
}

static bool first_of_part(const int *part, int i)
{
	int j;

	for (j = 0; j < i && part[j] != part[i]; j++)
		;
	return j == i;
}

/* Is there a factor that stays out of the sum, or are there two sums? */
static bool parts_apart(const int *part, int n)
{
	int i, sums = 0, out = 0;

	for (i = 0; i < n; i++) {
		out += part[i] < 0;
		sums += part[i] >= 0 && first_of_part(part, i);
	}
	return out || sums > 1;
}

/* One part as a contraction of its own over the labels it reads. */
static slot part_alone(algebra *a, const work *w, const int *part, int which, int nb, label **bl)
{
	slot *in = ARENA_ARRAY(&a->s.a, slot, w->nslot);
	label **mine = ARENA_ARRAY(&a->s.a, label *, nb);
	int j, q, m = 0, b = 0;
	work *p;

	for (j = 0; j < w->nslot; j++)
		if (part[j] == which)
			in[m++] = w->slot[j];
	for (j = 0; j < nb; j++) {
		for (q = 0; q < m && !reads_any(a, &in[q], 1, &bl[j]); q++)
			;
		if (q < m)
			mine[b++] = bl[j];
	}
	p = work_like(a, w, C_EIN, m, in);
	work_set_bound(a, p, b, mine);
	return slot_of_work(a, p, RAT_ONE);
}

static bool all_finite(algebra *a, const work *w)
{
	int i;

	for (i = 0; i < w->nslot && slot_finite_power(a, &w->slot[i]); i++)
		;
	return i == w->nslot;
}

/* Factors without a summed label that are finite leave a sum of what may be infinite; tables stay (N26 would take them in again). */
static eg_id finite_leave(algebra *a, work *w, const int *part, int nb, label **bl)
{
	slot *out = ARENA_ARRAY(&a->s.a, slot, w->nslot + 1), *in = ARENA_ARRAY(&a->s.a, slot, w->nslot);
	int i, k = 0, m = 0;
	work *p;

	for (i = 0; i < w->nslot; i++)
		if (part[i] < 0 && w->slot[i].x != NIL && !slot_is_constant(a, &w->slot[i]) && slot_finite_power(a, &w->slot[i]))
			out[k++] = w->slot[i];
		else
			in[m++] = w->slot[i];
	if (!k || !m)
		return refuse(a, "a factor may be infinite and stays in the sum");
	p = work_like(a, w, C_EIN, m, in);
	work_set_bound(a, p, nb, bl);
	return result_times(a, w, k, out, p);
}

/* N13: factors without a summed label leave the sum; labels that no factor connects are summed apart. */
eg_id prim_contract_split(algebra *a, eg_id n)
{
	int *part, i, k = 0, nb;
	label **bl;
	slot *res;
	work *w, *r;

	if (connected(a, n))
		return NIL;
	w = work_open(a, n);
	work_settle(a, w);
	nb = summed_leaves(a, w, &bl);
	part = parts_of(a, w, nb, bl);
	if (!parts_apart(part, w->nslot))
		return NIL;
	if (!all_finite(a, w))
		return finite_leave(a, w, part, nb, bl);
	res = ARENA_ARRAY(&a->s.a, slot, w->nslot);
	for (i = 0; i < w->nslot; i++)
		if (part[i] < 0)
			res[k++] = w->slot[i];
		else if (first_of_part(part, i))
			res[k++] = part_alone(a, w, part, part[i], nb, bl);
	r = work_like(a, w, C_MUL, k, res);
	r->nbound = 0;
	return work_result(a, r);
}

/* N14: the sum of a linear combination is the combination of the sums. */
eg_id prim_contract_sum(algebra *a, eg_id n)
{
	eg_id x, o;
	work *w;
	slot *in, *res;
	int m, i;
	pairing p = pairing_read(a, n);

	if (p.nslot != 1 || core_coef(a, n, 0).num != 1)
		return NIL;
	x = eg_args(a->g, n)[0];
	o = peek(a, x);
	if (core_kind(a, o) != C_SUM || core_type(a, o) != core_type(a, n))
		return NIL;
	if (!normal_opens(a, o, n))
		return refuse(a, "sum is defined by itself");
	w = work_open(a, n);
	in = work_inline(a, o, w->slot[0].e, w, &m);
	opened(a, x, o);
	res = ARENA_ARRAY(&a->s.a, slot, m);
	for (i = 0; i < m; i++) {
		work *t = work_like(a, w, C_EIN, 1, &in[i]);
		t->slot[0].c = RAT_ONE;
		res[i] = slot_of_work(a, t, in[i].c);
	}
	w = work_like(a, w, C_SUM, m, res);
	w->nbound = 0;
	return work_result(a, w);
}

/* The summed labels that factor i alone reads, and the others. */
static int labels_alone(algebra *a, const work *w, int i, int nb, label **bl, label **mine, label **rest, int *nrest)
{
	int nm = 0, b, j;

	*nrest = 0;
	for (b = 0; b < nb; b++) {
		bool alone = reads_any(a, &w->slot[i], 1, &bl[b]);
		for (j = 0; alone && j < w->nslot; j++)
			alone = j == i || !reads_any(a, &w->slot[j], 1, &bl[b]);
		if (alone)
			mine[nm++] = bl[b];
		else
			rest[(*nrest)++] = bl[b];
	}
	return nm;
}

/* A factor summed over some of its labels; the others stay free. */
static slot summed_over(algebra *a, const slot *t, int type, int n, label **over)
{
	work *w = work_new(a, C_EIN, type, 1);
	label **l, **fr;
	int nl = slot_labels(a, t, &l), nf = 0, k;

	fr = ARENA_ARRAY(&a->s.a, label *, nl);
	for (k = 0; k < nl; k++)
		if (!l[k]->data && !label_in(l[k], n, over))
			fr[nf++] = l[k];
	work_set_free(a, w, nf, fr);
	work_set_bound(a, w, n, over);
	w->nslot = 1;
	w->slot[0] = *t;
	return slot_of_work(a, w, RAT_ONE);
}

/* N15: a summed label that occurs in one factor only, which is a sum, is summed inside it. */
eg_id prim_contract_alone(algebra *a, eg_id n)
{
	label **bl, **mine, **rest;
	int i, k, nb, nm, nr;
	work *w;

	if (pairing_read(a, n).nslot < 2)
		return NIL;
	w = work_open(a, n);
	work_settle(a, w);
	nb = summed_leaves(a, w, &bl);
	mine = ARENA_ARRAY(&a->s.a, label *, nb);
	rest = ARENA_ARRAY(&a->s.a, label *, nb);
	for (i = 0; i < w->nslot; i++) {
		eg_id o = peek(a, w->slot[i].x);
		if (core_kind(a, o) != C_SUM || w->slot[i].c.num != 1 || core_type(a, o) != w->type)
			continue;
		nm = labels_alone(a, w, i, nb, bl, mine, rest, &nr);
		if (!nm)
			continue;
		for (k = 0; k < w->nslot; k++)
			if (k != i && !slot_finite_power(a, &w->slot[k]))
				return refuse(a, "a factor may be infinite and stays in the sum");
		opened(a, w->slot[i].x, o);
		w->slot[i] = summed_over(a, &w->slot[i], w->type, nm, mine);
		work_set_bound(a, w, nr, rest);
		return work_result(a, w);
	}
	return NIL;
}

/* sum_r pick(v, p_r) = pick(v, sum_r p_r) where v does not depend on r. */
eg_id prim_contract_picked(algebra *a, eg_id n)
{
	eg_id o = peek(a, eg_args(a->g, n)[0]);
	label **bl;
	slot *in, t[2];
	int nb, m, k;
	work *w, *r;

	if (pairing_read(a, n).nslot != 1 || core_kind(a, o) != C_PICK || core_type(a, o) != core_type(a, n) || !normal_opens(a, o, n))
		return NIL;
	if (!strcmp(core_fn(a, o), "least"))
		return refuse(a, "ties go by the payload");
	w = work_open(a, n);
	work_settle(a, w);
	if (w->slot[0].c.num != 1)
		return NIL;
	nb = summed_leaves(a, w, &bl);
	r = work_like(a, w, C_PICK, 0, NULL);
	r->nbound = 0;
	in = work_inline(a, o, w->slot[0].e, r, &m);
	if (!nb || m != 2 || reads_any(a, &in[0], nb, bl))
		return refuse(a, "what is chosen depends on the summed label");
	for (k = 0; k < nb; k++)
		if (!reads_any(a, &in[1], 1, &bl[k]))
			return NIL;
	opened(a, w->slot[0].x, o);
	t[0] = in[0];
	t[1] = summed_over(a, &in[1], w->type, nb, bl);
	r = work_like(a, r, C_PICK, 2, t);
	r->fn = node_val(a, o, 2);
	return work_result(a, r);
}
