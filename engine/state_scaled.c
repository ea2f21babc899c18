#include "state_in.h"

#include <stdlib.h>
#include <string.h>

/* A core without its rational factor has a key: the class it scales, or what the sum adds, coefficients divided by what they
 * have in common (RULES N10, N11).  Cores of one key are that class, or are made of sums that read it. */
struct prim {
	uint64_t key;
	rat c;			/* the factor */
	eg_id reads;		/* a class that every core of this key is, or reads */
};

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
	p->reads = eg_root(a->g, core);
	p->key = mix(1, p->reads);
	if (core_kind(a, n) != C_SUM)
		return true;
	w = pairing_read(a, n);
	p->c = content(a, n, w.nslot);
	if (reads_as_it_stands(a, n, &w)) {
		p->reads = eg_root(a->g, eg_args(a->g, n)[0]);
		p->key = mix(1, p->reads);
		return true;
	}
	p->reads = eg_current(a->g, n)[0];
	p->key = mix(2, node_val(a, n, 1));
	for (k = 0; k < eg_narg(a->g, n); k++) {
		rat c = k < (uint32_t)w.nslot ? core_coef(a, n, (int)k) : RAT_ONE, d;
		p->key = mix(p->key, eg_current(a->g, n)[k]);
		if (k < (uint32_t)w.nslot && rat_div(&d, c, p->c))
			p->key = mix(mix(p->key, (uint64_t)d.num), (uint64_t)d.den);
	}
	return true;
}

/* The nearest baseline row whose core is of class x, where that has the key of p. */
static void consider(const states *s, const struct prim *p, eg_id x, int at, struct prim *found, int *best)
{
	const struct side *d = &s->side[SIDE_BASE];
	int32_t r = state_chain(d, x)->first, left;
	struct prim q;

	if (!r || !prim_of(s, x, &q) || q.key != p->key)
		return;
	for (left = LONGEST; r && left; r = d->next[r - 1], left--) {
		int far = abs(r - 1 - at), nearest = abs(*best - at);
		if (*best < 0 || far < nearest || (far == nearest && r - 1 < *best)) {
			*best = r - 1;
			*found = q;
		}
	}
}

bool state_scaled(states *s, int row, eg_id core, row_state *r)
{
	const algebra *a = &s->q->p->a;
	int best = -1, at = state_order_before(s, row), left = LONGEST;
	struct prim p, found;
	eg_use u;
	bool more;

	if (!prim_of(s, core, &p))
		return false;
	consider(s, &p, eg_root(a->g, p.reads), at, &found, &best);
	for (more = eg_use_first(a->g, eg_root(a->g, p.reads), &u); more && left; left--) {
		if (core_kind(a, u.owner) == C_SUM)
			consider(s, &p, eg_root(a->g, u.owner), at, &found, &best);
		more = eg_use_next(a->g, eg_root(a->g, p.reads), &u);
	}
	if (best < 0 || !rat_div(&r->scale, p.c, found.c) || rat_is_int(r->scale, 1))
		return false;
	r->kind = STATE_SCALED;
	r->base = best;
	return true;
}
