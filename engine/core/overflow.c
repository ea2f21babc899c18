#include "core/overflow.h"

#include <math.h>
#include <string.h>
#include "core/normal.h"
#include "core/operand.h"
#include "tensor/round.h"
#include "util/spelling.h"

static bool too_large(double v, enum etype t)
{
	return isfinite(v) && !isfinite(etype_round(t, v));
}

static bool table_too_large(const algebra *a, eg_id table, double scale, enum etype t)
{
	int64_t len, i;
	const double *v = core_table(a, table, &len);

	for (i = 0; i < len && !too_large(scale * v[i], t); i++)
		;
	return i < len;
}

/* Does the index that slot k reads reach a number that t does not have?  Of one read through tables nothing is known. */
static bool index_too_large(const algebra *a, eg_id n, uint32_t k, enum etype t)
{
	pairing p = pairing_read(a, n);
	const int64_t *at = p.word;
	pair_expr e;
	int type = core_type(a, eg_args(a->g, n)[k]);
	double lo, hi, far;
	uint32_t i;
	int j;

	for (i = 0; i <= k; i++)
		at = pairing_expr(&p, at, &e);
	if (e.ntab)
		return too_large(INT32_MAX, t);
	lo = hi = (double)e.base;
	for (j = 0; j < p.nfree + p.nbound + p.ndata; j++) {
		far = (double)e.stride[j] * (double)(p.size[j] - 1);
		*(far < 0 ? &lo : &hi) += far;
	}
	if (lo < 0 && type < T_COUNT && etype_kind((enum etype)type) == 'u')
		hi = 0x1p64;
	return too_large(lo, t) || too_large(hi, t);
}

static bool holds_too_large(const algebra *a, eg_id n, double scale, enum etype t, int depth);

static bool slot_too_large(const algebra *a, eg_id n, uint32_t k, double scale, enum etype t, int depth)
{
	eg_id o = normal_node(a, eg_args(a->g, n)[k]);

	return core_kind(a, o) == C_INDEX ? index_too_large(a, n, k, t) : holds_too_large(a, o, scale, t, depth);
}

/* May the result of a function be as large as what it is given, and of an operation without a meaning? */
static bool keeps_size(const algebra *a, eg_id n, enum core_kind kind)
{
	static const char *const maps[] = { "select", "convert", "abs", "floor", "ceil", "round-nearest-even", "round-nearest-afz", NULL };
	const char *f = kind == C_MAP || kind == C_OPAQUE ? core_fn(a, n) : "";

	return kind == C_MAP ? spelling_listed(f, maps) || !strncmp(f, "reduce-precision", 16) : kind != C_OPAQUE || strncmp(f, "custom-call ", 12);
}

/* Does what n is made of hold a constant that t has no number as large as: chosen, added, masked, sorted, or an extreme? */
static bool holds_too_large(const algebra *a, eg_id n, double scale, enum etype t, int depth)
{
	enum core_kind kind = core_kind(a, n);
	bool chosen = kind == C_MAP && !strcmp(core_fn(a, n), "select");
	uint32_t k;

	if (kind == C_NUMBER)
		return too_large(scale * number_double(core_number(a, n)), t);
	if (kind == C_TABLE)
		return table_too_large(a, n, scale, t);
	if (!depth || kind == C_PARAM || kind == C_INDEX || kind > C_OPAQUE || !keeps_size(a, n, kind))
		return false;
	for (k = chosen; k < eg_narg(a->g, n); k++)
		if (slot_too_large(a, n, k, kind == C_SUM ? scale * rat_double(core_coef(a, n, (int)k)) : scale, t, depth - 1))
			return true;
	return false;
}

bool core_overflows(const algebra *a, eg_id n, const char *f)
{
	if (!strcmp(f, "convert") || !strncmp(f, "stochastic-convert", 18))
		return slot_too_large(a, n, 0, 1, core_type(a, n) < T_COUNT ? (enum etype)core_type(a, n) : T_F64, 6);
	return !strncmp(f, "reduce-precision", 16) && slot_too_large(a, n, 0, 1, T_F8E4M3, 6);	/* it may leave no larger ones */
}
