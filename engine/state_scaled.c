#include "state_in.h"

#include <stdlib.h>
#include <string.h>

/* A core without its rational factor is found by a key: the class it scales, or what the sum adds, coefficients divided by
 * what they have in common (RULES N10, N11). */
static uint64_t mix(uint64_t h, uint64_t v)
{
	return hash_bytes(&v, sizeof v, h);
}

/* The rational factor of a sum: what all coefficients have in common, with the first one's sign. */
static rat content(const algebra *a, eg_id n, int nslot)
{
	int64_t num = 0, den = 1;
	int k;

	for (k = 0; k < nslot; k++) {
		rat c = core_coef(a, n, k);
		num = gcd64(c.num, num);
		if (den / gcd64(den, c.den) > INT64_MAX / c.den)
			return RAT_ONE;
		den = den / gcd64(den, c.den) * c.den;
	}
	return num ? (rat){ core_coef(a, n, 0).num < 0 ? -num : num, den } : RAT_ONE;
}

static bool reads_as_it_stands(const algebra *a, eg_id n, const pairing *p)
{
	pair_expr e;

	if (p->nfree != 1 || p->nbound || p->nslot != 1 || p->ndata)
		return p->nfree == 0 && p->nbound == 0 && p->nslot == 1 && core_len(a, eg_args(a->g, n)[0]) == 1;
	pairing_expr(p, p->word, &e);
	return e.base == 0 && e.ntab == 0 && e.stride[0] == 1 && p->size[0] == core_len(a, eg_args(a->g, n)[0]);
}

/* False for what has no primitive part of its own: numbers. */
static bool prim_of(const states *s, eg_id core, struct prim *p)
{
	const algebra *a = &s->q->p->a;
	eg_id n = normal_node(a, core);
	pairing w;
	uint32_t k;

	p->c = RAT_ONE;
	if (core_kind(a, n) == C_NUMBER || core_kind(a, n) == C_TABLE)
		return false;
	p->key = mix(1, eg_root(a->g, core));
	if (core_kind(a, n) != C_SUM)
		return true;
	w = pairing_read(a, n);
	p->c = content(a, n, w.nslot);
	if (reads_as_it_stands(a, n, &w)) {
		p->key = mix(1, eg_root(a->g, eg_args(a->g, n)[0]));
		return true;
	}
	p->key = mix(2, node_val(a, n, 1));
	for (k = 0; k < eg_narg(a->g, n); k++) {
		rat c = k < (uint32_t)w.nslot ? core_coef(a, n, (int)k) : RAT_ONE, d;
		p->key = mix(p->key, eg_current(a->g, n)[k]);
		if (k < (uint32_t)w.nslot && rat_div(&d, c, p->c))
			p->key = mix(mix(p->key, (uint64_t)d.num), (uint64_t)d.den);
	}
	return true;
}

static int by_key(const void *x, const void *y)
{
	const struct prim *p = x, *q = y;

	return p->key < q->key ? -1 : p->key > q->key ? 1 : p->row - q->row;
}

static void index_prims(states *s)
{
	const program *b = s->q->base;
	int i;

	if (s->prim_edges == eg_nedge(s->q->p->g))
		return;
	for (s->nprim = i = 0; i < b->nrow; i++)
		if (s->side[SIDE_BASE].core[i] != NIL && prim_of(s, s->side[SIDE_BASE].core[i], &s->prim[s->nprim]))
			s->prim[s->nprim++].row = i;
	qsort(s->prim, (size_t)s->nprim, sizeof *s->prim, by_key);
	s->prim_edges = eg_nedge(s->q->p->g);
}

bool state_scaled(states *s, int row, eg_id core, row_state *r)
{
	struct prim p;
	int lo = 0, hi, best = -1, at = state_order_before(s, row), i;

	if (!prim_of(s, core, &p))
		return false;
	index_prims(s);
	for (hi = s->nprim; lo < hi; ) {
		int mid = (lo + hi) / 2;
		if (s->prim[mid].key < p.key)
			lo = mid + 1;
		else
			hi = mid;
	}
	for (i = lo; i < s->nprim && s->prim[i].key == p.key && i < lo + 256; i++)
		if (best < 0 || abs(s->prim[i].row - at) < abs(s->prim[best].row - at))
			best = i;
	if (best < 0 || !rat_div(&r->scale, p.c, s->prim[best].c) || rat_is_int(r->scale, 1))
		return false;
	r->kind = STATE_SCALED;
	r->base = s->prim[best].row;
	return true;
}
