/* prim_reindex.c - summed labels that only choose among the values of one index expression (N6). */
#include "mask.h"

#include <stdlib.h>

static int cmp64(const void *x, const void *y)
{
	int64_t a = *(const int64_t *)x, b = *(const int64_t *)y;

	return a < b ? -1 : a > b;
}

/* sum_q F(T(q, rest)) = m * sum over the values of T, when each is taken m times whatever rest is. */
eg_id prim_reindex(algebra *a, eg_id n)
{
	enum core_kind kind = core_kind(a, n);
	bool idem = kind == C_RED && strcmp(core_fn(a, n), "multiply");
	work *w = work_open(a, n);
	label *bl[128];
	int nb, j, k, i, q;

	work_settle(a, w);
	nb = bound_leaves(w, bl, 128);
	for (j = 0; j < w->nslot; j++) {
		const ix *e = w->slot[j].e;
		for (k = 0; e && k < e->ntab; k++) {
			const ix_table_part *p = &e->tab[k];
			label *Q[16], *rest[16], *fresh, **left;
			int nq = 0, nr = 0;
			int64_t rows, cols, *v, *first, r, c, nv = 0, mult = 0, base, g = 0, *vals;
			bool ok = true, data = false, affine = true;
			for (i = 0; i < p->nl; i++) {
				data = data || p->l[i]->data;
				if (nq < 16 && nr < 16) {
					if (label_in(p->l[i], nb, bl))
						Q[nq++] = p->l[i];
					else
						rest[nr++] = p->l[i];
				}
			}
			if (!nq || data || p->nl > 16)
				continue;
			rows = grid_size(&a->s, nr, rest);
			cols = grid_size(&a->s, nq, Q);
			v = ARENA_ARRAY(&a->s.a, int64_t, rows * cols);
			for (r = 0; r < rows * cols; r++) {
				int64_t at = 0, rr = r / cols, cc = r % cols;
				for (i = 0; i < p->nl; i++) {
					int x = label_place(p->l[i], nq, Q), y = label_place(p->l[i], nr, rest), z;
					int64_t st = 1;
					if (x >= 0)
						for (z = x + 1; z < nq; z++)
							st *= Q[z]->n;
					else
						for (z = y + 1; z < nr; z++)
							st *= rest[z]->n;
					at = at * p->l[i]->n + (x >= 0 ? cc : rr) / st % p->l[i]->n;
				}
				v[r] = p->v[at];
			}
			for (r = 0; r < rows; r++)
				qsort(v + r * cols, (size_t)cols, sizeof *v, cmp64);
			first = v;
			for (r = 1; r < rows && ok; r++)
				ok = !memcmp(first, v + r * cols, sizeof *v * (size_t)cols);
			if (!ok) {
				refuse(a, "the values taken differ between devices");
				continue;
			}
			vals = ARENA_ARRAY(&a->s.a, int64_t, cols);
			for (c = 0; c < cols; ) {
				int64_t d = c;
				while (d < cols && first[d] == first[c])
					d++;
				if (nv && d - c != mult)
					ok = false;
				mult = d - c;
				vals[nv++] = first[c];
				c = d;
			}
			if (!ok && !idem)
				continue;
			base = vals[0];
			for (c = 0; c < nv; c++)
				for (r = vals[c] - base; r; ) {
					int64_t t = g ? r % g : 0;
					if (!g) {
						g = r;
						break;
					}
					r = t ? (t < g ? t : g) : 0;
					if (t) {
						int64_t x = g;
						while (t) {
							int64_t y = x % t;
							x = t;
							t = y;
						}
						g = x;
						r = 0;
					}
				}
			if (!g)
				g = 1;
			for (c = 0; c < nv; c++)
				affine = affine && vals[c] == base + g * c;
			if (p->nl == 1 && !affine)
				continue;	/* nothing would be gained */
			/* every reading of Q must be through this very table, or a multiple of it */
			fresh = label_new(&a->s, nv);
			fresh->bound = true;
			{
				slot *fs = ARENA_ARRAY(&a->s.a, slot, w->nslot);
				int64_t *norm = ARENA_ARRAY(&a->s.a, int64_t, nv);
				for (c = 0; c < nv; c++)
					norm[c] = (vals[c] - base) / g;
				for (i = 0, ok = true; i < w->nslot && ok; i++) {
					const ix *b = w->slot[i].e;
					int x, mine = -1, count = 0;
					int64_t num = 0, den = 0, at;
					ix *ne;
					fs[i] = w->slot[i];
					if (w->slot[i].x == NIL) {
						ok = !labels_meet(w->slot[i].nl, w->slot[i].l, nq, Q);
						continue;
					}
					for (x = 0; x < nq; x++)
						ok = ok && !ix_stride(b, Q[x]);
					for (x = 0; x < b->nt; x++)
						if (b->t[x].l->data && data_reads(a, 1, &b->t[x].l, nq, Q))
							ok = false;
					for (x = 0; x < b->ntab; x++)
						if (labels_meet(b->tab[x].nl, b->tab[x].l, nq, Q)) {
							mine = x;
							count++;
						}
					if (!ok || !count)
						continue;
					if (count != 1 || b->tab[mine].nl != p->nl || b->tab[mine].len != p->len) {
						ok = false;
						continue;
					}
					for (x = 0; x < p->nl; x++)
						if (b->tab[mine].l[x] != p->l[x])
							ok = false;
					for (at = 0; at < p->len && ok; at++) {	/* r - r0 = k (p - p0) */
						int64_t dp = (p->v[at] - p->v[0]) / g, dr = b->tab[mine].v[at] - b->tab[mine].v[0];
						if (dp && !den) {
							num = dr;
							den = dp;
							ok = num % den == 0;
						}
					}
					if (!ok || !den) {
						ok = false;
						continue;
					}
					num /= den;
					for (at = 0; at < p->len && ok; at++)
						ok = b->tab[mine].v[at] - b->tab[mine].v[0] == num * ((p->v[at] - p->v[0]) / g);
					if (!ok)
						continue;
					ne = ARENA_NEW(&a->s.a, ix);
					*ne = *b;
					ne->tab = ARENA_ARRAY(&a->s.a, ix_table_part, b->ntab);
					ne->ntab = 0;
					for (x = 0; x < b->ntab; x++)
						if (x != mine)
							ne->tab[ne->ntab++] = b->tab[x];
					ne = ix_plus(&a->s, ne, b->tab[mine].v[0] - num * ((p->v[0] - base) / g));
					{
						label *one[1] = { fresh };
						ne = ix_add(&a->s, ne, ix_times(&a->s, ix_table(&a->s, 1, one, norm), num));
					}
					fs[i].e = ix_norm(&a->s, ne);
				}
				if (!ok)
					continue;
				w->slot = fs;
			}
			left = ARENA_ARRAY(&a->s.a, label *, nb + 1);
			q = labels_without(nb, bl, nq, Q, left);
			if (nv > 1)
				left[q++] = fresh;
			work_set_bound(a, w, q, left);
			if (kind == C_EIN)
				return result_scaled(a, w, (rat){ mult, 1 });
			if (!idem && mult != 1)
				return NIL;
			return work_result(a, w);
		}
	}
	return NIL;
}
