#include "core/fact_node.h"

#include <math.h>
#include <string.h>
#include "core/certain.h"
#include "core/operand.h"
#include "core/overflow.h"
#include "tensor/opcode.h"
#include "tensor/round.h"
#include "util/spelling.h"

/* Every value of the type is finite. */
static bool exact(int type)
{
	return type_is_int(type) || type == T_PRED;
}

static uint32_t all_of(const algebra *a, eg_id n, uint32_t mask)
{
	const eg_id *x = eg_args(a->g, n);
	uint32_t i, k = eg_narg(a->g, n);

	for (i = 0; i < k; i++)
		mask &= facts_of(a, x[i]);
	return mask;
}

static uint32_t number_facts(number v, int type)
{
	double d = number_double(v);
	uint32_t f = 0;

	if (isfinite(d))
		f |= FACT_FINITE | FACT_BELOW;
	else if (d < 0)
		f |= FACT_BELOW;
	if (type_is_float(type) && d >= 0)
		f |= d > 0 ? FACT_NONNEG | FACT_POSITIVE : FACT_NONNEG;
	return f;
}

static uint32_t table_facts(const algebra *a, eg_id n)
{
	int64_t len, i;
	const double *v = core_table(a, n, &len);
	uint32_t f = FACT_FINITE | FACT_BELOW | FACT_NONNEG | FACT_POSITIVE;

	for (i = 0; i < len; i++) {
		if (!isfinite(v[i]))
			f &= ~(uint32_t)FACT_FINITE;
		if (!(v[i] < INFINITY))
			f &= ~(uint32_t)FACT_BELOW;
		if (!(v[i] >= 0))
			f &= ~(uint32_t)FACT_NONNEG;
		if (!(v[i] > 0))
			f &= ~(uint32_t)FACT_POSITIVE;
	}
	return f;
}

/* Sign of a sum: all terms at least 0, one positive. */
static uint32_t sum_facts(const algebra *a, eg_id n, bool open)
{
	const eg_id *x = eg_args(a->g, n);
	pairing p = pairing_read(a, n);
	uint32_t f = FACT_FINITE | FACT_BELOW | FACT_NONNEG, pos = 0;
	int k;

	for (k = 0; k < p.nslot; k++) {
		uint32_t q = facts_of(a, x[k]);
		rat c = core_coef(a, n, k);
		if (!(q & FACT_FINITE)) {
			f &= ~(uint32_t)FACT_FINITE;
			if (c.num <= 0 || !(q & FACT_BELOW))
				f &= ~(uint32_t)FACT_BELOW;
		}
		if (c.num <= 0 || !(q & FACT_NONNEG))
			f &= ~(uint32_t)FACT_NONNEG;
		if (c.num > 0)
			pos |= q & FACT_POSITIVE;
	}
	if (open && p.nslot == 2 && !(f & FACT_NONNEG) && certain_spread((algebra *)a, n))
		return f | FACT_NONNEG;
	return f & FACT_NONNEG ? f | pos : f;
}

static uint32_t product_facts(const algebra *a, eg_id n)
{
	const eg_id *x = eg_args(a->g, n);
	pairing p = pairing_read(a, n);
	uint32_t f = FACT_FINITE | FACT_BELOW | FACT_NONNEG | FACT_POSITIVE;
	int k;

	for (k = 0; k < p.nslot; k++) {
		int64_t e = core_coef(a, n, k).num;
		uint32_t q = facts_of(a, x[k]);
		if (!fact_finite_power(a, x[k], e))
			f &= ~(uint32_t)(FACT_FINITE | FACT_BELOW);
		if (!(q & FACT_POSITIVE) || (e < 0 && !(q & FACT_FINITE)))	/* 1 / inf is 0 */
			f &= ~(uint32_t)FACT_POSITIVE;
		if (!(q & FACT_NONNEG) && e % 2)
			f &= ~(uint32_t)FACT_NONNEG;
	}
	return f;
}

static const char *const poles[] = { "log", "log-plus-one", "sqrt", "rsqrt", "power", "divide", "remainder", "tan",
	"asin", "acos", "acosh", "atanh", NULL };

static uint32_t map_sign(const algebra *a, eg_id n, const char *f)
{
	const eg_id *x = eg_args(a->g, n);
	uint32_t q = eg_narg(a->g, n) ? facts_of(a, x[0]) : 0, s = 0;

	if (!strcmp(f, "exponential") || !strcmp(f, "logistic")) {
		if (q & (FACT_FINITE | FACT_BELOW))
			s = FACT_NONNEG;
		if (q & FACT_FINITE)
			s |= FACT_POSITIVE;
	} else if (!strcmp(f, "num") || !strcmp(f, "abs")) {
		s = FACT_NONNEG;
	} else if (!strcmp(f, "sqrt")) {
		s = FACT_NONNEG | (q & FACT_POSITIVE);
	} else if (!strcmp(f, "convert") && type_is_float(core_type(a, x[0]))) {
		/* a narrower type may round to 0 */
		s = q & (type_holds(core_type(a, n), core_type(a, x[0])) ? FACT_NONNEG | FACT_POSITIVE : FACT_NONNEG);
	} else if (!strcmp(f, "convert") && type_is_int(core_type(a, x[0]))) {
		s = q & FACT_NONZERO;
	} else if (!strcmp(f, "select") && eg_narg(a->g, n) >= 3) {
		s = facts_of(a, x[1]) & facts_of(a, x[2]) & (FACT_NONNEG | FACT_POSITIVE);
	}
	return s;
}

/* A branch that is never +inf counts as finite where it is chosen only when it is not -inf. */
static uint32_t select_finite(const algebra *a, eg_id n, bool open)
{
	const eg_id *x = eg_args(a->g, n);
	uint32_t f = facts_of(a, x[1]) & facts_of(a, x[2]) & (FACT_FINITE | FACT_BELOW);
	int k;

	if (f != FACT_BELOW || !open || !type_is_float(core_type(a, n)))
		return f;
	for (k = 1; k < 3; k++)
		if (!fact_finite(a, x[k]) && !certain_guard((algebra *)a, n, k))
			return f;
	return FACT_FINITE | FACT_BELOW;
}

static uint32_t map_finite(const algebra *a, eg_id n, const char *f, bool open)
{
	const eg_id *x = eg_args(a->g, n);
	uint32_t both = FACT_FINITE | FACT_BELOW;

	if (!strcmp(f, "num") || !strncmp(f, "compare", 7) || !strcmp(f, "is-finite"))
		return both;
	if (type_is_complex(core_type(a, n)) && (!strcmp(f, "logistic") || !strcmp(f, "tanh") || !strcmp(f, "atan2")))
		return 0;		/* they have poles off the real line */
	if (!strcmp(f, "exponential") || !strcmp(f, "logistic") || !strcmp(f, "tanh"))
		return fact_below(a, x[0]) ? both : 0;
	if (!strcmp(f, "select") && eg_narg(a->g, n) >= 3)
		return select_finite(a, n, open);
	if (!type_has_zero(core_type(a, n)))	/* what is not positive is no number there */
		return !strcmp(f, "convert") && fact_positive(a, x[0]) && !core_overflows(a, n, f) ? both : 0;
	if (!strncmp(f, "bitcast-convert", 15) || (type_is_float(core_type(a, n)) && eg_narg(a->g, n) && core_overflows(a, n, f)))
		return 0;
	if (!exact(core_type(a, n)) && spelling_listed(f, poles)) {
		if (!strcmp(f, "log"))
			return fact_positive(a, x[0]) ? both : 0;
		if (!strcmp(f, "power"))
			return fact_positive(a, x[0]) && fact_finite(a, x[1]) ? both : 0;
		if (!strcmp(f, "sqrt") || !strcmp(f, "log-plus-one"))
			return fact_finite(a, x[0]) && (facts_of(a, x[0]) & FACT_NONNEG) ? both : 0;
		return 0;
	}
	return all_of(a, n, FACT_FINITE) ? both : 0;
}

/* Does the key call a function of this very name? */
static bool calls(const char *key, const char *target)
{
	static const char attribute[] = " custom_call_target=";
	const char *at = !strncmp(key, "custom-call ", 12) ? strstr(key, attribute) : NULL;
	size_t n = strlen(target);

	at = at ? at + sizeof attribute - 1 : "";
	return !strncmp(at, target, n) && (at[n] == ' ' || !at[n]);
}

/* An opaque key begins with its opcode and a blank.  Bits that are read as another type, constants nobody looked into, and
 * what nobody knows, may be anything. */
static bool tame(const algebra *a, eg_id n, const char *key)
{
	static const char *const wild[] = { "custom-call", "fft", "cholesky", "triangular-solve", "map", "conditional", "fusion", "call", "while", "reduce", "scatter",
		"reduce-window", "select-and-scatter", "scan", "scaled-dot", "ragged-dot", "batch-norm-training",
		"batch-norm-inference", "batch-norm-grad", "bitcast", "bitcast-convert", "constant", "?", NULL };
	char op[32];
	size_t k = strcspn(key, " ");

	if (calls(key, "AwsNeuronRmsNorm"))	/* x, weight, epsilon */
		return eg_narg(a->g, n) == 3 && fact_positive(a, eg_args(a->g, n)[2]);
	if (calls(key, "AwsNeuronSoftmax") || calls(key, "TopK"))
		return true;
	if (k >= sizeof op)
		return false;
	memcpy(op, key, k);
	op[k] = 0;
	return opcode_named(op, strlen(op)) != OP_UNKNOWN && !spelling_listed(op, wild) && !spelling_listed(op, poles);
}

/* Result k of sort and topk holds values of operand k. */
static uint32_t sorted_sign(const algebra *a, eg_id n, const char *key)
{
	int k = opaque_result(key);

	if ((strncmp(key, "sort ", 5) && strncmp(key, "topk ", 5)) || k < 0 || k >= (int)eg_narg(a->g, n))
		return 0;
	return facts_of(a, eg_args(a->g, n)[k]) & (FACT_NONNEG | FACT_POSITIVE);
}

static uint32_t opaque_facts(const algebra *a, eg_id n)
{
	const char *key = core_fn(a, n);
	uint32_t f = 0;

	if (exact(core_type(a, n)))
		return FACT_FINITE | FACT_BELOW;
	if (tame(a, n, key) && all_of(a, n, FACT_FINITE))
		f = FACT_FINITE | FACT_BELOW;
	return f | sorted_sign(a, n, key);
}

static uint32_t extreme_facts(const algebra *a, eg_id n, bool open)
{
	const eg_id *x = eg_args(a->g, n);
	bool max = !strcmp(core_fn(a, n), "maximum"), min = !strcmp(core_fn(a, n), "minimum");
	pairing p = pairing_read(a, n);
	uint32_t f = all_of(a, n, FACT_FINITE), sign = all_of(a, n, FACT_NONNEG | FACT_POSITIVE), any = 0;
	bool below = true;
	int k;

	for (k = 0; k < p.nslot; k++) {
		below = below && fact_below(a, x[k]);
		any |= facts_of(a, x[k]) & (FACT_NONNEG | FACT_POSITIVE);
	}
	if ((max || min) && below)
		f |= FACT_BELOW;
	if (max && open && below && !(f & FACT_FINITE) && type_is_float(core_type(a, n)) && certain_maximum((algebra *)a, n))
		f |= FACT_FINITE;
	if (f & FACT_FINITE)
		f |= FACT_BELOW;
	if (max)
		f |= any;
	else if (min)
		f |= sign;
	return f;
}

/* Finite and nowhere negative: its support may be everything. */
static bool weighed(const algebra *a, eg_id n, uint32_t f)
{
	enum core_kind k = core_kind(a, n);

	return (k == C_SUM || k == C_MUL || k == C_EIN) &&
	       (f & (FACT_FINITE | FACT_NONNEG | FACT_POSITIVE)) == (FACT_FINITE | FACT_NONNEG);
}

/* Atoms that are no inputs: what an instruction equal to nothing else gives (`base %x`, `dist %x`), large constants with
 * infinities in them (`wild ..`). */
static bool untold(const char *name)
{
	return !strncmp(name, "base %", 6) || !strncmp(name, "dist %", 6) || !strncmp(name, "wild ", 5);
}

uint32_t node_facts(const algebra *a, eg_id n, bool open)
{
	uint32_t f;

	switch (core_kind(a, n)) {
	case C_TENSOR: case C_LAID:
		return 0;
	case C_PARAM:
		return !exact(core_type(a, n)) && untold(core_fn(a, n)) ? 0 : FACT_FINITE | FACT_BELOW;
	case C_INDEX:
		return FACT_FINITE | FACT_BELOW;
	case C_NUMBER:
		return number_facts(core_number(a, n), core_type(a, n));
	case C_TABLE:
		return table_facts(a, n);
	case C_AT: case C_VIEW:
		return facts_of(a, eg_args(a->g, n)[0]);
	case C_SUM:
		f = sum_facts(a, n, open);
		break;
	case C_MUL: case C_EIN:
		f = product_facts(a, n);
		break;
	case C_MAP:
		f = map_finite(a, n, core_fn(a, n), open) | map_sign(a, n, core_fn(a, n));
		break;
	case C_RED: case C_LAT:
		f = extreme_facts(a, n, open);
		break;
	case C_PICK:
		f = facts_of(a, eg_args(a->g, n)[1]) & (FACT_FINITE | FACT_BELOW);
		break;
	default:
		f = opaque_facts(a, n);
	}
	if (exact(core_type(a, n)))	/* signs of integers wrap */
		return FACT_FINITE | FACT_BELOW;
	if (!type_is_float(core_type(a, n)))
		return f & FACT_FINITE;
	if (open && weighed(a, n, f) && certain_positive((algebra *)a, n))
		f |= FACT_POSITIVE;
	return f;
}

bool node_may_learn(const algebra *a, eg_id n, uint32_t f)
{
	enum core_kind k = core_kind(a, n);

	return k != C_TENSOR && k != C_LAID && type_is_float(core_type(a, n)) &&
	       ((f & (FACT_FINITE | FACT_BELOW)) == FACT_BELOW || weighed(a, n, f));
}
