#include "core/facts.h"

#include <math.h>
#include <string.h>
#include "core/certain.h"
#include "core/normal.h"
#include "core/operand.h"
#include "tensor/opcode.h"
#include "tensor/round.h"

#define FACT(a, r) VEC_AT(uint32_t, &(a)->facts, r)

/* Every value of the type is finite. */
static bool exact(int type)
{
	return type_is_int(type) || type == T_PRED;
}

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

static bool is_one_of(const char *s, const char *const *list)
{
	for (; *list; list++)
		if (!strcmp(s, *list))
			return true;
	return false;
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

	return kind == C_MAP ? is_one_of(f, maps) || !strncmp(f, "reduce-precision", 16) : kind != C_OPAQUE || strncmp(f, "custom-call ", 12);
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

/* Is a constant converted to a type that has no number as large?  That no result overflows is taken for granted of others
 * only. */
static bool overflows(const algebra *a, eg_id n, const char *f)
{
	if (!strcmp(f, "convert") || !strncmp(f, "stochastic-convert", 18))
		return slot_too_large(a, n, 0, 1, core_type(a, n) < T_COUNT ? (enum etype)core_type(a, n) : T_F64, 6);
	return !strncmp(f, "reduce-precision", 16) && slot_too_large(a, n, 0, 1, T_F8E4M3, 6);	/* it may leave no larger ones */
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
		return !strcmp(f, "convert") && fact_positive(a, x[0]) && !overflows(a, n, f) ? both : 0;
	if (!strncmp(f, "bitcast-convert", 15) || (type_is_float(core_type(a, n)) && eg_narg(a->g, n) && overflows(a, n, f)))
		return 0;
	if (!exact(core_type(a, n)) && is_one_of(f, poles)) {
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
	return opcode_named(op, strlen(op)) != OP_UNKNOWN && !is_one_of(op, wild) && !is_one_of(op, poles);
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

/* `open`: nodes may be opened to decide it, and are then among a->looked; else by the operands' facts alone. */
static uint32_t evaluate(const algebra *a, eg_id n, bool open)
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

/* Nodes that may know more than their bits when a node two steps below has learned something. */
static bool may_learn(const algebra *a, eg_id n, uint32_t f)
{
	enum core_kind k = core_kind(a, n);

	return k != C_TENSOR && k != C_LAID && type_is_float(core_type(a, n)) &&
	       ((f & (FACT_FINITE | FACT_BELOW)) == FACT_BELOW || weighed(a, n, f));
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
	f = evaluate(a, n, true);
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
				if (i < npassed || npassed == 64 || !may_learn(a, u.owner, f))
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
	return evaluate(a, n, false);
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
	f = evaluate(a, n, true);
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
		if (node[i] && core_kind(a, i) < C_LAID && (f = evaluate(a, i, false)) & ~facts_of(a, i)) {
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

/* ---- ranges of integers */

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

/* ---- least values: a parameter's by the plan, those of extremes by their operands' */

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
