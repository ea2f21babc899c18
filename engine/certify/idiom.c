#include "certify/idiom.h"

struct idiom {
	enum core_kind kind;
	int weight;
	eg_id (*draw)(struct dice *d);
};

static const struct idiom idioms[] = {
#define IDIOM(kind, weight, fn) { kind, weight, fn },
	IDIOMS(IDIOM)
#undef IDIOM
};
enum { NIDIOM = sizeof idioms / sizeof *idioms };

static int weight_of(enum core_kind kind)
{
	int n = 0, i;

	for (i = 0; i < NIDIOM; i++)
		n += idioms[i].kind == kind ? idioms[i].weight : 0;
	return n;
}

static eg_id nth(struct dice *d, int k)
{
	int i;

	for (i = 0; i < NIDIOM; i++)
		if (idioms[i].kind == d->kind && (k -= idioms[i].weight) < 0)
			return idioms[i].draw(d);
	return NIL;
}

/* Beside those of the table two idioms are of every kind, and one is of all kinds that read with coefficients. */
eg_id idiom_of(struct dice *d, enum core_kind kind)
{
	int n = weight_of(kind), k;

	if (!n)
		return NIL;
	d->kind = kind;
	k = below(d, n + 1);
	if (k == n)
		return cut_elsewhere(d);
	if (!below(d, 8))
		return known_data(d);
	if (!below(d, 8) && (kind == C_AT || kind == C_SUM || kind == C_MUL || kind == C_EIN))
		return spaced_data(d);
	return nth(d, k);
}
