/* prim_mask.c - products and contractions with constant tables: pieces (N20), joined tables (N26), a table that is summed alone.
 *
 * All factors are finite where a zero of the table removes them (N17).
 */
#include "prim/prim.h"

#include "core/mask.h"

/* ---- N20 */

/* N20: a piecewise factor is distributed; disjoint masks cancel then. */
eg_id mask_pieces_all(algebra *a, eg_id n)
{
	pairing p = pairing_read(a, n);
	work *w;
	int j, k, i, m;
	eg_id o;

	if (!type_is_float(core_type(a, n)) && !type_is_int(core_type(a, n)))
		return NIL;
	for (j = 0; j < p.nslot; j++) {
		slot *in, *res, *fs;
		if (core_coef(a, n, j).num != 1 || (p.nslot == 1 && core_kind(a, n) == C_MUL))
			continue;
		o = peek(a, eg_args(a->g, n)[j]);
		if (!is_piecewise(a, o, core_type(a, n)) || !normal_opens(a, o, n))
			continue;
		w = work_open(a, n);
		if (!slots_finite(a, w->nslot, w->slot))
			return refuse(a, "zero times a tensor that may be infinite");
		in = work_inline(a, o, w->slot[j].e, w, &m);
		opened(a, w->slot[j].x, o);
		res = ARENA_ARRAY(&a->s.a, slot, m);
		for (i = 0; i < m; i++) {
			work *t;
			fs = ARENA_ARRAY(&a->s.a, slot, w->nslot);
			for (k = 0; k < w->nslot; k++)
				fs[k] = w->slot[k];
			fs[j] = in[i];
			fs[j].c = RAT_ONE;
			t = work_like(a, w, w->kind, w->nslot, fs);
			res[i] = slot_of_work(a, t, in[i].c);
		}
		w = work_like(a, w, C_SUM, m, res);
		w->nbound = 0;
		return work_result(a, w);
	}
	return NIL;
}

/* ---- N26 */

/* N26: tab(a) * sum_s K(a, s) x[s] is one contraction with the table tab K. */
eg_id prim_mask_join(algebra *a, eg_id n)
{
	masked m;
	int j, i;

	if (core_kind(a, n) != C_MUL || !masked_open(a, n, &m))
		return NIL;
	for (j = 0; j < m.w->nslot; j++) {
		slot *t = &m.w->slot[j], *in;
		eg_id o;
		int k;
		bool has = false;
		work *e;
		if (t->x == NIL || t->c.num != 1)
			continue;
		o = peek(a, t->x);
		if (core_kind(a, o) != C_EIN || core_type(a, o) != m.w->type || !normal_opens(a, o, n))
			continue;
		for (i = 0; i < pairing_read(a, o).nslot; i++)
			has = has || core_kind(a, peek(a, eg_args(a->g, o)[i])) == C_TABLE;
		if (!has)
			continue;
		e = work_like(a, m.w, C_EIN, 0, NULL);
		in = work_inline(a, o, t->e, e, &k);
		opened(a, t->x, o);
		{	/* the table goes in; the other factors stay outside */
			slot *fs = ARENA_ARRAY(&a->s.a, slot, k + 1), *rest = ARENA_ARRAY(&a->s.a, slot, m.w->nslot);
			int r = 0;
			work *inner;
			memcpy(fs, in, sizeof *fs * (size_t)k);
			fs[k] = m.w->slot[m.tab];
			inner = work_like(a, e, C_EIN, k + 1, fs);
			for (i = 0; i < inner->nslot; i++)
				if (!slot_finite_power(a, &inner->slot[i]))
					return refuse(a, "zero times a tensor that may be infinite");
			rest[r++] = slot_of_work(a, inner, RAT_ONE);
			for (i = 0; i < m.w->nslot; i++)
				if (i != j && i != m.tab)
					rest[r++] = m.w->slot[i];
			return work_result(a, work_like(a, m.w, C_MUL, r, rest));
		}
	}
	return NIL;
}

/* ---- a sum of a table alone */

/* The constant table that remains of a contraction that is nothing else. */
eg_id prim_table_sum(algebra *a, eg_id n)
{
	masked m;
	label *bl[128], *leftl[128];
	int nb, i, k = 0;
	const slot *t;
	double *v;
	struct grid g;
	int64_t r, c;

	if (pairing_read(a, n).nslot != 1 || !type_is_float(core_type(a, n)) || !masked_open(a, n, &m))
		return NIL;
	t = &m.w->slot[m.tab];
	nb = bound_leaves(&a->s, m.w, bl, 128);
	for (i = 0; i < nb; i++)
		if (label_in(bl[i], t->nl, t->l))
			leftl[k++] = bl[i];
	if (!k)
		return NIL;
	if (data_reads(a, t->nl, t->l, k, leftl))
		return NIL;
	grid_of(a, t, k, leftl, &g);
	v = arena_zalloc(&a->s.a, sizeof *v * (size_t)g.rows);
	for (r = 0; r < g.rows; r++)
		for (c = 0; c < g.size; c++)
			v[r] += g.v[r * g.size + c];
	if (!exact_values(g.rows, v))
		return refuse(a, "a sum of constants is not exact");
	m.w->slot[m.tab] = slot_table(TYPE_REAL, g.nrest, g.rest, v, RAT_ONE);
	{
		label *rest[128];
		i = labels_without(nb, bl, k, leftl, rest);
		work_set_bound(a, m.w, i, rest);
	}
	return work_result(a, m.w);
}
