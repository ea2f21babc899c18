/* prim_shift.c - a shift inside one index (N7). */
#include "mask.h"

static double mask_times(double x, double y)
{
	return x * y;
}

/* sum_s K(a, s) x[c s + c T(a)] = sum_s' K(a, s' - T(a)) x[c s'] */
eg_id prim_shift(algebra *a, eg_id n)
{
	masked m;
	label *bl[128];
	int nb, i, k, j, q;

	if (!reads_tables(a, n) || !masked_open_any(a, n, &m))
		return NIL;
	nb = bound_leaves(m.w, bl, 128);
	for (i = 0; i < nb; i++) {
		label *s = bl[i], **u, **v, **left, *fresh;
		int uses = 0, where = -1, nu = 0, nv, ntake = 0;
		int64_t c, cnt, lo = INT64_MAX, hi = INT64_MIN, *off, len, r, x, rows;
		ix *e, *rest;
		bool ok = true, chunks = true;
		slot one, *t;
		double *K, unit = 1;
		struct grid g;
		label *run[1] = { s };
		for (k = 0; k < m.w->nslot; k++)
			if (k != m.tab && reads_label(a, &m.w->slot[k], s)) {
				uses++;
				where = k;
			}
		if (uses != 1 || m.w->slot[where].c.num != 1)
			continue;
		e = ix_norm(&a->s, m.w->slot[where].e);
		c = ix_stride(e, s);
		if (!c)
			continue;
		rest = ARENA_NEW(&a->s.a, ix);
		*rest = *e;
		rest->tab = ARENA_ARRAY(&a->s.a, ix_table_part, e->ntab);
		rest->ntab = 0;
		u = ARENA_ARRAY(&a->s.a, label *, 64);
		one = slot_read(0, ix_const(&a->s, 0), RAT_ONE);
		for (k = 0; k < e->ntab && ok; k++) {
			const ix_table_part *p = &e->tab[k];
			bool fits = true;
			for (x = 0; x < p->len && fits; x++)
				fits = p->v[x] % c == 0;
			for (j = 0; j < p->nl; j++) {
				if (p->l[j] == s)
					ok = false;
				fits = fits && !p->l[j]->data && !label_in(p->l[j], nb, bl) && !ix_stride(e, p->l[j]);
			}
			if (!fits) {
				rest->tab[rest->ntab++] = *p;
				continue;
			}
			ntake++;
			for (j = 0; j < p->nl && ok; j++)
				if (!label_in(p->l[j], nu, u)) {
					ok = nu < 64;
					if (ok)
						u[nu++] = p->l[j];
				}
			{
				ix *add = ARENA_NEW(&a->s.a, ix);
				add->tab = (ix_table_part *)p;
				add->ntab = 1;
				one.e = ix_add(&a->s, one.e, add);
			}
		}
		for (k = 0; k < rest->ntab && ok; k++)
			ok = !labels_meet(rest->tab[k].nl, rest->tab[k].l, nu, u);
		if (!ok || !ntake)
			continue;
		len = grid_size(&a->s, nu, u);
		off = ix_values(&a->s, one.e, nu, u);
		for (x = 0; x < len; x++) {
			off[x] /= c;
			lo = off[x] < lo ? off[x] : lo;
			hi = off[x] > hi ? off[x] : hi;
		}
		for (x = 0; x < len; x++)
			chunks = chunks && (off[x] - lo) % s->n == 0;
		if (chunks)
			continue;		/* whole chunks: a digit, not a shift */
		cnt = s->n + hi - lo;
		t = m.tab >= 0 ? &m.w->slot[m.tab] : NULL;
		{	/* K over (u, the table's other labels; s) */
			slot full = slot_table(TYPE_REAL, nu, u, ARENA_ARRAY(&a->s.a, double, len), RAT_ONE), own;
			for (x = 0; x < len; x++)
				full.v[x] = 1;
			own = slot_table(TYPE_REAL, 0, NULL, &unit, RAT_ONE);
			full = tables_zip(a, &full, t ? t : &own, mask_times, TYPE_REAL);
			if (!label_in(s, full.nl, full.l)) {
				slot line = slot_table(TYPE_REAL, 1, run, ARENA_ARRAY(&a->s.a, double, s->n), RAT_ONE);
				for (x = 0; x < s->n; x++)
					line.v[x] = 1;
				full = tables_zip(a, &full, &line, mask_times, TYPE_REAL);
			}
			grid_of(a, &full, 1, run, &g);
		}
		rows = g.rows;
		if (rows * cnt > TABLE_MAX)
			stuck(&a->s, "a table of %lld entries would be needed", (long long)(rows * cnt));
		if (data_reads(a, g.nrest, g.rest, 1, run))
			continue;
		if (m.tab < 0)
			for (k = 0; k < m.w->nslot; k++)
				if (!slot_finite_power(a, &m.w->slot[k]))
					return refuse(a, "zero times a tensor that may be infinite");
		if (m.tab >= 0 && !work_finite(a, m.w))
			return refuse(a, "zero times a tensor that may be infinite");
		fresh = label_new(&a->s, cnt);
		fresh->bound = true;
		K = arena_zalloc(&a->s.a, sizeof *K * (size_t)(rows * cnt));
		for (r = 0; r < rows; r++) {
			int64_t pu = 0, w = rows, shift;
			int64_t *at = ARENA_ARRAY(&a->s.a, int64_t, g.nrest);
			for (j = 0; j < g.nrest; j++) {
				w /= g.rest[j]->n;
				at[j] = r / w % g.rest[j]->n;
			}
			for (j = 0; j < nu; j++)
				pu = pu * u[j]->n + at[label_place(u[j], g.nrest, g.rest)];
			shift = off[pu];
			for (x = 0; x < cnt; x++) {
				int64_t back = x + lo - shift;
				if (back >= 0 && back < s->n)
					K[r * cnt + x] = g.v[r * s->n + back];
			}
		}
		v = ARENA_ARRAY(&a->s.a, label *, g.nrest + 1);
		memcpy(v, g.rest, sizeof *v * (size_t)g.nrest);
		v[g.nrest] = fresh;
		nv = g.nrest + 1;
		{	/* the index: c s' + what is left */
			ix *b = ix_plus(&a->s, rest, c * lo);
			ix *z = ix_const(&a->s, 0);
			label *f2[1] = { s };
			b = ix_subst(&a->s, b, 1, f2, &z);
			m.w->slot[where].e = ix_norm(&a->s, ix_add(&a->s, b, ix_of(&a->s, fresh, c)));
		}
		one = slot_table(TYPE_REAL, nv, v, K, RAT_ONE);
		if (m.tab >= 0) {
			m.w->slot[m.tab] = one;
		} else {
			slot *fs = ARENA_ARRAY(&a->s.a, slot, m.w->nslot + 1);
			memcpy(fs, m.w->slot, sizeof *fs * (size_t)m.w->nslot);
			fs[m.w->nslot] = one;
			m.w->slot = fs;
			m.w->nslot++;
		}
		left = ARENA_ARRAY(&a->s.a, label *, nb + 1);
		q = labels_without(nb, bl, 1, run, left);
		left[q++] = fresh;
		work_set_bound(a, m.w, q, left);
		{	/* read outside of x nowhere that counts; held inside elsewhere */
			int64_t l2, h2, xl = core_len(a, m.w->slot[where].x);
			ix_range(&a->s, m.w->slot[where].e, &l2, &h2);
			if (l2 < 0 || h2 >= xl)
				return refuse(a, "the shift leaves its range");
		}
		return work_result(a, m.w);
	}
	return NIL;
}
