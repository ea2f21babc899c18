#include "core/facts.h"

#include <string.h>
#include "core/fact_node.h"
#include "core/normal.h"

#define FACT(a, r) VEC_AT(uint32_t, &(a)->facts, r)

uint32_t facts_of(const algebra *a, eg_id x)
{
	return FACT(a, eg_root(a->g, x));
}

bool fact_finite(const algebra *a, eg_id x)
{
	return facts_of(a, x) & FACT_FINITE;
}

bool fact_below(const algebra *a, eg_id x)
{
	return facts_of(a, x) & (FACT_FINITE | FACT_BELOW);
}

bool fact_positive(const algebra *a, eg_id x)
{
	return (facts_of(a, x) & (FACT_FINITE | FACT_POSITIVE)) == (FACT_FINITE | FACT_POSITIVE);
}

bool fact_finite_power(const algebra *a, eg_id x, int64_t e)
{
	return fact_finite(a, x) && (e > 0 || facts_of(a, x) & (FACT_POSITIVE | FACT_NONZERO));
}

static void keep_ground(algebra *a, eg_id n, uint32_t bits, uint32_t nprem, const premise *p)
{
	fact_ground *g = trail_push(a->tr, &a->ground);
	uint32_t i;

	*g = (fact_ground){ n, bits, a->ground_prem.n, nprem };
	for (i = 0; i < nprem; i++)
		*(premise *)trail_push(a->tr, &a->ground_prem) = p[i];
}

/* What n shows, nodes opened; `had`: of what its class knows already no ground is kept. */
static uint32_t shown_opened(algebra *a, eg_id n, uint32_t had)
{
	uint32_t f;

	a->looked.n = 0;
	f = node_facts(a, n, true);
	if (a->looked.n && f & ~had)
		keep_ground(a, n, f, a->looked.n, VEC(premise, &a->looked));
	return f;
}

/* A class has learned something: who uses it may learn too, and is asked by the rules. */
static void spread(algebra *a, eg_id root)
{
	eg_id passed[64];
	int npassed = 0, i;
	eg_use u;
	bool more;

	a->learned.n = 0;
	*(eg_id *)vec_push(&a->learned) = root;
	while (a->learned.n) {
		eg_id r = VEC_AT(eg_id, &a->learned, --a->learned.n);
		for (more = eg_use_first(a->g, r, &u); more; more = eg_use_next(a->g, &u)) {
			eg_id ur = eg_root(a->g, u.owner);
			uint32_t f = FACT(a, ur) | shown_opened(a, u.owner, FACT(a, ur));
			normal_ask(a, u.owner);
			if (f == FACT(a, ur)) {
				for (i = 0; i < npassed && passed[i] != ur; i++)
					;
				if (i < npassed || npassed == 64 || !node_may_learn(a, u.owner, f))
					continue;
				passed[npassed++] = ur;
			}
			trail_set32(a->tr, &FACT(a, ur), f);
			*(eg_id *)vec_push(&a->learned) = ur;
		}
	}
}

uint32_t facts_shown(const algebra *a, eg_id n)
{
	return node_facts(a, n, false);
}

void facts_added(algebra *a, eg_id n)
{
	FACT(a, n) = shown_opened(a, n, 0);
}

void facts_merged(algebra *a, eg_id winner, eg_id loser)
{
	uint32_t w = FACT(a, winner), l = FACT(a, loser), f = w | l;

	trail_set32(a->tr, &FACT(a, winner), f);
	if (f == w && f == l)
		return;
	if (a->assumed)
		trail_set32(a->tr, &a->facts_assumed, 1);
	spread(a, winner);
}

void facts_learn(algebra *a, eg_id x, uint32_t bits)
{
	eg_id r = eg_root(a->g, x);

	if ((FACT(a, r) | bits) == FACT(a, r))
		return;
	trail_set32(a->tr, &FACT(a, r), FACT(a, r) | bits);
	spread(a, r);
}

void facts_learn_opened(algebra *a, eg_id n, uint32_t bits, uint32_t nprem, const premise *p)
{
	if ((facts_of(a, n) | bits) == facts_of(a, n))
		return;
	keep_ground(a, n, bits, nprem, p);
	facts_learn(a, n, bits);
}

uint32_t facts_grounds(const algebra *a)
{
	return a->ground.n;
}

const fact_ground *facts_ground(const algebra *a, uint32_t i)
{
	return &VEC_AT(fact_ground, &a->ground, i);
}

const premise *facts_ground_premises(const algebra *a, const fact_ground *g)
{
	return VEC(premise, &a->ground_prem) + g->prem;
}

/* What n shows with these opened. */
static uint32_t shown_with(algebra *a, eg_id n, uint32_t nprem, const premise *p)
{
	arena_mark m = arena_at(&a->s.a);
	eg_id *was = ARENA_ARRAY(&a->s.a, eg_id, nprem + 1);
	uint32_t i, f;

	for (i = 0; i < nprem; i++)
		was[i] = normal_pretend(a, p[i].x, p[i].y);
	f = node_facts(a, n, true);
	for (i = nprem; i-- > 0; )
		normal_pretend(a, p[i].x, was[i]);
	arena_reset(&a->s.a, m);
	return f;
}

/* Each once: has any class learned anything? */
static bool follow_once(algebra *a, const uint32_t *node, const uint8_t *ground)
{
	bool any = false;
	uint32_t i, f;

	for (i = 0; i < eg_nnode(a->g); i++)
		if (node[i] && core_kind(a, i) < C_LAID && (f = node_facts(a, i, false)) & ~facts_of(a, i)) {
			FACT(a, eg_root(a->g, i)) |= f;
			any = true;
		}
	for (i = 0; i < facts_grounds(a); i++) {
		const fact_ground *g = facts_ground(a, i);
		f = ground[i] ? shown_with(a, g->node, g->nprem, facts_ground_premises(a, g)) : 0;
		if (f & ~facts_of(a, g->node)) {
			FACT(a, eg_root(a->g, g->node)) |= f;
			any = true;
		}
	}
	return any;
}

void facts_follow(algebra *a, const uint32_t *node, const uint8_t *ground, uint32_t *known)
{
	uint32_t *own = VEC(uint32_t, &a->facts), n = a->facts.n, i;

	memcpy(known, own, sizeof *own * n);
	memset(own, 0, sizeof *own * n);
	for (i = 0; i < eg_nnode(a->g); i++)
		if (node[i] && core_kind(a, i) == C_PARAM)
			own[eg_root(a->g, i)] |= known[eg_root(a->g, i)];
	while (follow_once(a, node, ground))
		;
	for (i = 0; i < n; i++) {
		uint32_t f = own[i];
		own[i] = known[i];
		known[i] = f;
	}
}

bool facts_show_again(algebra *a, eg_id n, uint32_t nprem, const premise *p)
{
	uint32_t f = shown_with(a, n, nprem, p);

	if (!(f & ~facts_of(a, n)))
		return false;
	facts_learn(a, n, f);
	return true;
}
