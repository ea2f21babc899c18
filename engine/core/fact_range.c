#include "core/fact_range.h"

#include <string.h>
#include "core/normal.h"
#include "core/operand.h"

enum { RANGE_BITS = 40 };	/* longer ranges are of no use, and their labels would overflow what counts places */

/* Between which numbers the line is that node o reads in slot k; false where a table says so. */
static bool line_span(algebra *a, eg_id o, int k, int64_t *lo, int64_t *hi)
{
	pairing p = pairing_read(a, o);
	const int64_t *at = p.word;
	int64_t far;
	pair_expr e;
	int i;

	for (i = 0; i <= k; i++)
		at = pairing_expr(&p, at, &e);
	*lo = *hi = e.base;
	for (i = 0; i < p.nfree + p.nbound + p.ndata && !e.ntab; i++) {
		if (__builtin_mul_overflow(e.stride[i], p.size[i] - 1, &far) || __builtin_add_overflow(far < 0 ? *lo : *hi, far, far < 0 ? lo : hi))
			return false;
	}
	return !e.ntab;
}

/* .. and what slot k is, where that is the line, or a reading of it; but for `wide` where it is one number. */
static bool slot_span(algebra *a, eg_id n, int k, bool wide, int64_t *lo, int64_t *hi)
{
	eg_id x = eg_args(a->g, n)[k], o = normal_node(a, x);
	bool known;

	if (core_kind(a, o) == C_INDEX)
		known = line_span(a, n, k, lo, hi);
	else
		known = core_kind(a, o) == C_AT && core_kind(a, normal_node(a, eg_args(a->g, o)[0])) == C_INDEX && line_span(a, o, 0, lo, hi);
	return known && (wide || *lo == *hi);
}

static bool nowhere_negative(algebra *a, eg_id x, int depth, bool wide);
static int64_t range_of(algebra *a, eg_id x, int depth, bool wide);

static bool some_slot_nonneg(algebra *a, eg_id o, int depth, bool wide)
{
	int k, n = pairing_read(a, o).nslot;
	int64_t lo, hi;

	for (k = 0; k < n; k++)
		if (slot_span(a, o, k, wide, &lo, &hi) ? lo >= 0 : nowhere_negative(a, eg_args(a->g, o)[k], depth + 1, wide))
			return true;
	return false;
}

static bool nowhere_negative(algebra *a, eg_id x, int depth, bool wide)
{
	eg_id o = normal_node(a, x);
	int t = core_type(a, o), k, n;
	int64_t lo, hi;

	if (depth > 8)
		return false;
	if (t < T_COUNT && etype_kind((enum etype)t) == 'u')
		return true;
	if (range_of(a, x, depth + 1, wide))
		return true;
	if (core_kind(a, o) != C_LAT)
		return false;
	if (!strcmp(core_fn(a, o), "maximum"))
		return some_slot_nonneg(a, o, depth, wide);
	if (strcmp(core_fn(a, o), "minimum"))
		return false;
	n = pairing_read(a, o).nslot;
	for (k = 0; k < n; k++)
		if (!(slot_span(a, o, k, wide, &lo, &hi) ? lo >= 0 : nowhere_negative(a, eg_args(a->g, o)[k], depth + 1, wide)))
			return false;
	return true;
}

/* The payload of a pick is the line read at labels that only add: beyond its largest value, else 0. */
static int64_t payload_range(algebra *a, eg_id o)
{
	pairing p = pairing_read(a, o);
	const int64_t *at = p.word;
	pair_expr e;
	int64_t top;
	int j;

	if (p.nslot != 2 || core_kind(a, normal_node(a, eg_args(a->g, o)[1])) != C_INDEX)
		return 0;
	at = pairing_expr(&p, at, &e);
	pairing_expr(&p, at, &e);
	if (e.ntab || e.base < 0)
		return 0;
	top = e.base;
	for (j = 0; j < p.nfree + p.nbound + p.ndata; j++) {
		if (e.stride[j] < 0 || (e.stride[j] && j >= p.nfree + p.nbound) || e.stride[j] > TABLE_MAX)
			return 0;
		top += e.stride[j] * (p.size[j] - 1);
	}
	return top < TABLE_MAX ? top + 1 : 0;
}

/* What a plan or an assumption says of a parameter; NULL: nothing. */
static const param_range *told_range(const algebra *a, eg_id param)
{
	uint32_t i;

	for (i = 0; i < a->range.n; i++)
		if (eg_root(a->g, VEC_AT(param_range, &a->range, i).param) == eg_root(a->g, param))
			return &VEC_AT(param_range, &a->range, i);
	return NULL;
}

/* A class may read itself (x = min(x, 8)): what is asked again and again is not known. */
static int64_t node_range(algebra *a, eg_id o, int depth, bool wide)
{
	const param_range *r;
	int64_t lo, hi, best = 0;
	int k, n;

	if (depth > 8 || !type_is_int(core_type(a, o)))
		return 0;
	if (core_kind(a, o) == C_PARAM)
		return (r = told_range(a, o)) ? r->n : 0;
	if (core_kind(a, o) == C_AT || core_kind(a, o) == C_VIEW)
		return core_kind(a, normal_node(a, eg_args(a->g, o)[0])) == C_PARAM ? range_of(a, eg_args(a->g, o)[0], depth + 1, wide) : 0;
	if (core_kind(a, o) == C_PICK)
		return payload_range(a, o);
	if (core_kind(a, o) != C_LAT || strcmp(core_fn(a, o), "minimum"))
		return 0;
	n = pairing_read(a, o).nslot;
	for (k = 0; k < n; k++)
		if (slot_span(a, o, k, wide, &lo, &hi)) {
			if (lo < 0)
				return 0;
			if (!(hi >> RANGE_BITS) && (!best || hi + 1 < best))
				best = hi + 1;
		} else if (!nowhere_negative(a, eg_args(a->g, o)[k], depth, wide)) {
			return 0;
		}
	return best;
}

static int64_t range_of(algebra *a, eg_id x, int depth, bool wide)
{
	return node_range(a, normal_node(a, x), depth, wide);
}

int64_t fact_range(algebra *a, eg_id x)
{
	return range_of(a, x, 0, false);
}

/* Places of a row of topk, or a reading of such, are places of that row. */
static int64_t places_range(algebra *a, eg_id m)
{
	eg_id o = core_kind(a, m) == C_AT || core_kind(a, m) == C_VIEW ? normal_node(a, eg_args(a->g, m)[0]) : m;

	return core_kind(a, o) == C_OPAQUE && !strncmp(core_fn(a, o), "topk largest 1 ", 15) ? pairing_read(a, o).tail : 0;
}

int64_t fact_range_shown(algebra *a, eg_id x)
{
	int64_t n = range_of(a, x, 0, true);
	eg_id m = eg_root(a->g, x);
	int k;

	for (k = 0; !n && k < 32 && (k == 0 || m != eg_root(a->g, x)); k++, m = eg_next_in_class(a->g, m))
		n = core_kind(a, m) == C_LAT ? node_range(a, m, 0, true) : places_range(a, m);
	return n;
}

static eg_id as_it_stands(algebra *a, eg_id x)
{
	return normal_node(a, x);
}

static int64_t least_of(algebra *a, eg_id o, int depth, eg_id (*open)(algebra *a, eg_id x));

static int64_t least_in_slot(algebra *a, eg_id o, int k, int depth, eg_id (*open)(algebra *a, eg_id x))
{
	int64_t lo, hi;

	if (slot_span(a, o, k, true, &lo, &hi)) {
		open(a, eg_args(a->g, o)[k]);
		return lo;
	}
	return least_of(a, open(a, eg_args(a->g, o)[k]), depth + 1, open);
}

/* The largest of the operands' least values is below a maximum, the least of them below a minimum. */
static int64_t least_extreme(algebra *a, eg_id o, int depth, eg_id (*open)(algebra *a, eg_id x))
{
	bool max = !strcmp(core_fn(a, o), "maximum");
	int k, n = pairing_read(a, o).nslot;
	int64_t best = max ? INT64_MIN : INT64_MAX, v;

	if (!max && strcmp(core_fn(a, o), "minimum"))
		return INT64_MIN;
	for (k = 0; k < n; k++) {
		v = least_in_slot(a, o, k, depth, open);
		if (max ? v > best : v < best)
			best = v;
	}
	return n ? best : INT64_MIN;
}

/* As node_range, from below. */
static int64_t least_of(algebra *a, eg_id o, int depth, eg_id (*open)(algebra *a, eg_id x))
{
	enum core_kind k = core_kind(a, o);
	const param_range *r;

	if (depth > 8 || !type_is_int(core_type(a, o)))
		return INT64_MIN;
	if (k == C_PARAM)
		return (r = told_range(a, o)) ? r->lo : INT64_MIN;
	if (k == C_AT || k == C_VIEW)
		return least_of(a, open(a, eg_args(a->g, o)[0]), depth + 1, open);
	return k == C_LAT ? least_extreme(a, o, depth, open) : INT64_MIN;
}

int64_t fact_least(algebra *a, eg_id x, eg_id (*open)(algebra *a, eg_id x))
{
	return least_of(a, open(a, x), 0, open);
}

int64_t fact_least_shown(algebra *a, eg_id x)
{
	int64_t best = fact_least(a, x, as_it_stands), v;
	eg_id m = eg_root(a->g, x);
	int k;

	for (k = 0; k < 32 && (k == 0 || m != eg_root(a->g, x)); k++, m = eg_next_in_class(a->g, m)) {
		v = core_kind(a, m) == C_LAT ? least_of(a, m, 0, as_it_stands) : INT64_MIN;
		best = v > best ? v : best;
	}
	return best;
}

void facts_range(algebra *a, eg_id param, int64_t lo, int64_t n)
{
	param_range *r = n < 1 || n >> RANGE_BITS ? NULL : trail_push(a->tr, &a->range);

	if (!r)
		return;
	*r = (param_range){ param, lo, n };
	normal_ask_users(a, eg_root(a->g, param));
}

/* Integer parameters that an expression holds as they are: through extremes, choices, conversions, readings.  What is added to
 * one says nothing of it, but in a choice the other branch may: `p < 0 ? p + n : p`. */
static void find_params(algebra *a, eg_id x, eg_id *found, int *n, int depth)
{
	eg_id o = normal_node(a, x);
	uint32_t i;
	int k;

	if (depth > 20 || *n > 1 || !type_is_int(core_type(a, o)))
		return;
	if (core_kind(a, o) == C_PARAM) {
		for (k = 0; k < *n; k++)
			if (found[k] == eg_root(a->g, o))
				return;
		if (*n < 2)
			found[(*n)++] = eg_root(a->g, o);
		return;
	}
	switch (core_kind(a, o)) {
	case C_MAP:
		if (strcmp(core_fn(a, o), "select") && strcmp(core_fn(a, o), "convert"))
			return;
		/* fallthrough */
	case C_LAT: case C_AT: case C_VIEW:
		for (i = 0; i < eg_narg(a->g, o); i++)
			find_params(a, eg_args(a->g, o)[i], found, n, depth + 1);
		return;
	default:
		return;
	}
}

void facts_suggest(algebra *a, eg_id x, int64_t lim)
{
	eg_id found[2];
	int n = 0;
	uint32_t i;

	find_params(a, x, found, &n, 0);
	if (n != 1)
		return;
	for (i = 0; i < a->hint.n; i++) {
		param_range *h = &VEC_AT(param_range, &a->hint, i);
		if (h->param == found[0]) {
			if (lim + 1 < h->n)
				h->n = lim + 1;
			return;
		}
	}
	*(param_range *)vec_push(&a->hint) = (param_range){ found[0], 0, lim + 1 };
}
