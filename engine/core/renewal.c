#include "core/renewal.h"

#include "core/normal.h"
#include "core/pairing.h"
#include "util/hash.h"

struct known {
	uint64_t pattern[RENEWALS];
	uint32_t undos;		/* of the trail, when it was found */
};

enum { OPERATORS = 1 << 20 };	/* repeated layers have few; of more nothing is kept */

void renewal_init(algebra *a)
{
	vec_init_few(&a->renewed, sizeof(struct known));
}

enum { AGED, SAME, LATER, TABLE };

uint64_t renewal_pattern(const algebra *a, eg_id n)
{
	pairing p = pairing_read(a, n);
	const eg_id *arg = eg_args(a->g, n);
	bool ordered = core_commutes(core_kind(a, n)), table = false;
	uint64_t h = HASH_BEGIN, was = 0, age;
	int k, how;

	if (p.ndata)
		return 0;
	for (k = 0; k < p.nslot; k++, was = age) {
		age = normal_age(a, arg[k]);
		if (core_kind(a, normal_node(a, arg[k])) == C_TABLE)
			how = TABLE;
		else if (ordered && k && (table || age < was))
			return 0;
		else
			how = !k ? AGED : age == was ? SAME : LATER;
		table = how == TABLE;
		h = hash_mix(h ^ (uint64_t)how, HASH_STEP);
	}
	return h | 1;
}

bool renewal_is_known(const algebra *a, eg_id n, enum renewal what, uint64_t pattern)
{
	eg_op o = eg_node_op(a->g, n);
	const struct known *q = o < a->renewed.n ? &VEC_AT(struct known, &a->renewed, o) : NULL;

	return pattern && q && q->undos == a->tr->undos && q->pattern[what] == pattern;
}

void renewal_keep(algebra *a, eg_id n, enum renewal what, uint64_t pattern)
{
	eg_op o = eg_node_op(a->g, n);
	struct known *q;

	if (o >= OPERATORS)
		return;
	if (o >= a->renewed.n)
		vec_push_n(&a->renewed, o + 1 - a->renewed.n);
	q = &VEC_AT(struct known, &a->renewed, o);
	if (q->undos != a->tr->undos)
		*q = (struct known){ .undos = a->tr->undos };
	q->pattern[what] = pattern;
}
