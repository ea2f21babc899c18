/* lower_order.c - what order a comparator of sort is (RULES 1.4, rows sort and topk).
 *
 * A comparator is run on all order types of its operands: of each, the left
 * value is below, equal to or above the right one.  Zeros of either sign are
 * equal to a comparison of values, and not in the total order: -0 is before 0,
 * as it is among the integers that compilers make of the bits of a value, s < 0
 * ? MAX xor s : s.  Bits are looked at in no other way.  A value is plain when
 * -0 was made 0 and what is no number one NaN, as jax.numpy.sort does: then
 * zeros have one sign in the total order too.
 * What is no number stands in the total order, before or behind all others as
 * its sign says; no comparison of values holds of it but `is another`.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "lower/lower_in.h"
#include "tensor/round.h"

enum { KEYS = 3, INSTS = 64, NO_NUMBER = 2 };	/* operands that are tried, instructions of a comparator; a constant: 0, not 0, NaN */
/* Order types: how the left value stands to the right one.  UNDER and OVER: zeros of other signs; APART: one is no number, and
 * stands so in the total order. */
enum { BELOW, UNDER, EQUAL, OVER, ABOVE, APART_BELOW, APART_EQUAL, APART_ABOVE, PLACES, TYPES = PLACES * PLACES * PLACES };

/* What an instruction of a comparator holds. */
struct seen {
	enum { TRUTH, VALUE, BITS, NEGATIVE, FLIPPED, RANK, NUMBER, ZERO } kind;	/* VALUE, RANK: to be compared with the other side's */
	int operand;		/* of the sort */
	bool right;		/* .. of the right side */
	int at;			/* VALUE, RANK: how it stands to the right one, itself EQUAL; TRUTH: the answer */
	int64_t number;
	bool unsigned_zero;	/* -0 was made 0 */
	bool one_nan;		/* VALUE, BITS, RANK: what is no number was made NaN; TRUTH: says whether it is none, and nothing else */
};

/* How floating point values are compared: as values somewhere, or in the total order alone; and what was made of them before. */
struct way { bool known, by_value, unsigned_zero, one_nan; };

static bool one_way(struct way *w, struct way now)
{
	bool same = !w->known || (w->unsigned_zero == now.unsigned_zero && w->one_nan == now.one_nan);

	now.by_value |= w->by_value;
	*w = now;
	return same;
}

static bool compares(const char *d, int x, int y, bool *out)
{
	static const struct { const char *name; bool below, equal, above; } row[] = {
		{ "EQ", false, true, false }, { "NE", true, false, true }, { "LT", true, false, false },
		{ "LE", true, true, false }, { "GT", false, false, true }, { "GE", false, true, true },
	};
	size_t k;

	for (k = 0; k < sizeof row / sizeof *row; k++)
		if (d && !strcmp(d, row[k].name)) {
			*out = x >= APART_BELOW || y >= APART_BELOW ? !strcmp(d, "NE") : x < y ? row[k].below : x == y ? row[k].equal : row[k].above;
			return true;
		}
	return false;
}

/* Does it tell zeros of either sign apart?  What is no float has one. */
static bool total(const inst *i, const struct seen *x)
{
	const char *type = inst_text(i, "type");

	return x->kind != VALUE || (type && !strcmp(type, "TOTALORDER"));
}

static bool is_signed(int at)
{
	return at == UNDER || at == OVER;
}

static int as_value(int at)
{
	return is_signed(at) ? EQUAL : at;
}

static bool same_side(const struct seen *x, const struct seen *y)
{
	return x->operand == y->operand && x->right == y->right;
}

static bool same_value(const struct seen *x, const struct seen *y)
{
	return same_side(x, y) && x->unsigned_zero == y->unsigned_zero && x->one_nan == y->one_nan;
}

static int in_total(int at)
{
	return at == APART_BELOW ? BELOW : at == APART_EQUAL ? EQUAL : at == APART_ABOVE ? ABOVE : at;
}

/* Of two values of one operand: the way they are compared in is to be that of all others.  x /= x asks whether x is no number. */
static bool compares_values(const inst *i, const struct seen *x, const struct seen *y, struct seen *out, struct way *way)
{
	bool real = etype_is_float(i->operand[0]->shape->type) || x->kind == RANK, all = total(i, x), yes;
	const char *d = inst_text(i, "direction");

	if (x->operand != y->operand || x->unsigned_zero != y->unsigned_zero || x->one_nan != y->one_nan)
		return false;
	if (real && same_side(x, y)) {
		*out = (struct seen){ .kind = TRUTH, .operand = x->operand, .right = x->right, .one_nan = true };
		return !all && d && !strcmp(d, "NE");
	}
	if (!compares(d, all ? in_total(x->at) : as_value(x->at), all ? in_total(y->at) : as_value(y->at), &yes))
		return false;
	*out = (struct seen){ .kind = TRUTH, .at = yes };
	return !real || one_way(way, (struct way){ true, !all, x->unsigned_zero, x->one_nan });
}

static bool run_compare(const inst *i, const struct seen *x, const struct seen *y, struct seen *out, struct way *way)
{
	const char *d = inst_text(i, "direction");
	bool yes;

	if (x->kind == BITS && y->kind == NUMBER && y->number == 0 && d && !strcmp(d, "LT")) {
		*out = *x;
		out->kind = NEGATIVE;
		return true;
	}
	if (x->kind == VALUE && y->kind == NUMBER && y->number == 0 && d && !strcmp(d, "EQ") && !inst_text(i, "type")) {
		*out = (struct seen){ .kind = ZERO, .operand = x->operand, .right = x->right };
		return true;
	}
	if (x->kind == y->kind && (x->kind == VALUE || x->kind == RANK))
		return compares_values(i, x, y, out, way);
	if (x->kind != TRUTH || y->kind != TRUTH || x->one_nan || y->one_nan || !compares(d, x->at, y->at, &yes))
		return false;
	*out = (struct seen){ .kind = TRUTH, .at = yes };
	return true;
}

/* select: a choice by a truth, NaN for what is no number, 0 for what is equal to it, or the last step from bits to their order. */
static bool run_select(const struct seen *p, const struct seen *x, const struct seen *y, struct seen *out)
{
	bool number = x->kind == NUMBER && y->kind == VALUE && same_side(p, y);

	if (p->kind == TRUTH && !p->one_nan) {
		*out = p->at ? *x : *y;
		return true;
	}
	*out = *y;
	if (p->kind == TRUTH) {
		out->one_nan = true;
		return number && x->number == NO_NUMBER;
	}
	if (p->kind == ZERO) {
		out->at = as_value(y->at);
		out->unsigned_zero = true;
		return number && x->number == 0;
	}
	out->kind = RANK;
	return p->kind == NEGATIVE && x->kind == FLIPPED && y->kind == BITS && same_value(p, x) && same_value(p, y);
}

static bool run_bits(const inst *i, const struct seen *x, struct seen *out)
{
	enum etype from = i->operand[0]->shape->type, to = i->shape->type;

	if (from == to) {
		*out = *x;
		return true;
	}
	if (x->kind != VALUE || !etype_is_float(from) || etype_kind(to) != 's' || etype_bits(from) != etype_bits(to))
		return false;
	*out = *x;
	out->kind = BITS;
	return true;
}

/* and, or, xor of truths; MAX xor bits. */
static bool run_logic(const inst *i, const struct seen *x, const struct seen *y, struct seen *out)
{
	const struct seen *b = x->kind == BITS ? x : y, *n = b == x ? y : x;
	int bits = etype_bits(i->shape->type);

	if (x->kind == TRUTH && y->kind == TRUTH) {
		if (x->one_nan || y->one_nan)
			return false;
		*out = (struct seen){ .kind = TRUTH, .at = i->opcode == OP_AND ? x->at & y->at : i->opcode == OP_OR ? x->at | y->at : x->at ^ y->at };
		return true;
	}
	if (i->opcode != OP_XOR || b->kind != BITS || n->kind != NUMBER || n->number != (int64_t)(((uint64_t)1 << (bits - 1)) - 1))
		return false;
	*out = *b;
	out->kind = FLIPPED;
	return true;
}

static bool run_constant(const inst *i, struct seen *out)
{
	if (!i->literal || i->literal->elided || i->shape->rank)
		return false;
	if (i->literal->f) {
		double v = i->literal->f[0];	/* those of negative sign are others in the total order */
		*out = (struct seen){ .kind = NUMBER, .number = signbit(v) ? 1 : isnan(v) ? NO_NUMBER : v != 0 };
		return true;
	}
	if (!i->literal->i)
		return false;
	*out = (struct seen){ .kind = i->shape->type == T_PRED ? TRUTH : NUMBER, .at = i->literal->i[0] != 0, .number = i->literal->i[0] };
	return true;
}

static bool run_comp(const comp *c, const struct seen *arg, struct seen *out, struct way *way);

/* A fusion or call of scalars: what it calls is run. */
static bool run_called(const inst *i, const struct seen *env, struct seen *out, struct way *way)
{
	struct seen arg[2 * KEYS];
	const comp *c = i->opcode == OP_FUSION || i->opcode == OP_CALL ? inst_called(i) : NULL;
	int k;

	if (!c || i->noperand > 2 * KEYS)
		return false;
	for (k = 0; k < i->noperand; k++)
		arg[k] = env[i->operand[k]->index];
	return run_comp(c, arg, out, way);
}

static bool run_comp(const comp *c, const struct seen *arg, struct seen *out, struct way *way)
{
	struct seen env[INSTS];
	bool ok = c->ninst <= INSTS;
	int k;

	for (k = 0; ok && k < c->ninst; k++) {
		const inst *i = c->inst[k];
		const struct seen *x = i->noperand > 0 ? &env[i->operand[0]->index] : NULL, *y = i->noperand > 1 ? &env[i->operand[1]->index] : NULL;
		switch (i->opcode) {
		case OP_PARAMETER: env[k] = arg[i->number]; break;
		case OP_CONSTANT: ok = run_constant(i, &env[k]); break;
		case OP_BITCAST: case OP_BITCAST_CONVERT: case OP_COPY: ok = run_bits(i, x, &env[k]); break;
		case OP_COMPARE: ok = run_compare(i, x, y, &env[k], way); break;
		case OP_SELECT: ok = run_select(x, y, &env[i->operand[2]->index], &env[k]); break;
		case OP_AND: case OP_OR: case OP_XOR: ok = run_logic(i, x, y, &env[k]); break;
		case OP_NOT:
			ok = x->kind == TRUTH && !x->one_nan;
			env[k] = (struct seen){ .kind = TRUTH, .at = !x->at };
			break;
		default: ok = run_called(i, env, &env[k], way);
		}
	}
	if (ok)
		*out = env[c->root->index];
	return ok;
}

/* The comparator's answer when operand k's left value stands to the right one as at[k] says. */
static bool run_order(const comp *c, const int *at, bool *out, struct way *way)
{
	struct seen arg[2 * KEYS], answer;
	int k;

	for (k = 0; k < 2 * KEYS; k++)
		arg[k] = (struct seen){ .kind = VALUE, .operand = k / 2, .right = k % 2, .at = k % 2 ? EQUAL : at[k / 2] };
	if (!run_comp(c, arg, &answer, way) || answer.kind != TRUTH || answer.one_nan)
		return false;
	*out = answer.at;
	return true;
}

/* The answers on all order types of the operands: index in base PLACES, operand 0 first. */
struct answers {
	int n, total;
	bool real[KEYS];	/* a float: zeros have a sign */
	struct way way;
	bool is[TYPES];
};

static int place_in_type(const struct answers *q, int type, int operand)
{
	int k;

	for (k = q->n - 1; k > operand; k--)
		type /= PLACES;
	return type % PLACES;
}

/* No order type: a value that has one zero stands to another as zeros do, or one to which all are in order apart. */
static bool absurd(const struct answers *q, int type)
{
	int k, at;

	for (k = 0; k < q->n; k++) {
		at = place_in_type(q, type, k);
		if ((is_signed(at) && !q->real[k]) || (at >= APART_BELOW && !(q->real[k] && q->way.by_value)))
			return true;
	}
	return false;
}

static bool all_answers(const comp *c, struct answers *q)
{
	int k, j, at[KEYS] = { 0 };

	*q = (struct answers){ .total = 1 };
	if (c->nparam > 2 * KEYS)
		return false;
	for (k = 0; k < c->ninst; k++)
		if (c->inst[k]->opcode == OP_PARAMETER) {	/* in any order */
			q->n++;
			q->real[c->inst[k]->number / 2] = etype_is_float(c->inst[k]->shape->type);
		}
	q->n /= 2;
	for (k = 0; k < q->n; k++)
		q->total *= PLACES;
	for (k = 0; k < q->total; k++) {
		for (j = 0; j < q->n; j++)
			at[j] = place_in_type(q, k, j);
		if (!absurd(q, k) && !run_order(c, at, &q->is[k], &q->way))
			return false;
	}
	return q->n > 0;
}

/* Is the order type one where the operands of `equal` are equal? */
static bool all_equal(const struct answers *q, const bool *equal, int type)
{
	int k;

	for (k = 0; k < q->n && !(equal[k] && place_in_type(q, type, k) != EQUAL); k++)
		;
	return k == q->n && !absurd(q, type);
}

/* Does operand k alone decide wherever its values differ and those of `equal` do not?  Which comes first: '>' the larger, '<'. */
static char decides(const struct answers *q, const bool *equal, int k)
{
	bool more = true, less = true;
	int t, p;

	for (t = 0; t < q->total; t++) {
		p = place_in_type(q, t, k);
		if (p == EQUAL || !all_equal(q, equal, t))
			continue;
		more = more && q->is[t] == (p > EQUAL);
		less = less && q->is[t] == (p < EQUAL);
	}
	return more ? '>' : less ? '<' : 0;
}

/* What decides, then what does among equals, ..; false: not all is decided so. */
static bool in_words(const struct answers *q, char *words, size_t size)
{
	bool equal[KEYS] = { false };
	char way = 1;
	int k, t;

	*words = 0;
	while (way)
		for (k = 0, way = 0; k < q->n && !way; k++)
			if (!equal[k] && (way = decides(q, equal, k))) {
				equal[k] = true;
				snprintf(words + strlen(words), size - strlen(words), "%s%c%d", *words ? " " : "", way, k);
			}
	for (t = 0; t < q->total && !(q->is[t] && all_equal(q, equal, t)); t++)	/* what is equal in all that decide is equal */
		;
	return *words && t == q->total;
}

/* The answers where no value is a zero, or zeros have one sign; and all are numbers, or in order. */
static void without_zeros(const struct answers *q, struct answers *out)
{
	*out = *q;
	memset(out->real, 0, sizeof out->real);
}

/* Between zeros of either sign of operand 0, does operand k decide: the smaller first? */
static bool zeros_by(const struct answers *q, int k)
{
	int t;

	for (t = 0; t < q->total; t++)
		if (!absurd(q, t) && is_signed(place_in_type(q, t, 0)) && q->is[t] != (place_in_type(q, t, k) < EQUAL))
			return false;
	return true;
}

/* .. and between what is no number and a number, or nothing does?  What is no number, and the same, is equal. */
static bool apart_by(const struct answers *q, int k, bool decided)
{
	int t, p, each = q->total / PLACES;
	bool should;

	for (t = 0; t < q->total; t++) {
		p = place_in_type(q, t, 0);
		should = p == APART_EQUAL ? q->is[EQUAL * each + t % each] : decided && place_in_type(q, t, k) < EQUAL;
		if (!absurd(q, t) && p >= APART_BELOW && q->is[t] != should)
			return false;
	}
	return true;
}

const char *lower_order(arena *a, const comp *c)
{
	struct answers *q = ARENA_ARRAY(a, struct answers, 2);
	const char *made;
	char words[KEYS * 3 + 1];

	if (!all_answers(c, q))
		return NULL;
	without_zeros(q, q + 1);
	if (!q->way.by_value) {
		made = q->way.unsigned_zero ? q->way.one_nan ? "plain " : "one zero " : q->way.one_nan ? "one nan " : "";
		return in_words(q + q->way.unsigned_zero, words, sizeof words) ? arena_printf(a, "%s%s", made, words) : NULL;
	}
	if (q->n != KEYS || !q->real[0] || q->real[1] || q->real[2] || !zeros_by(q, 2) || !in_words(q + 1, words, sizeof words))
		return NULL;
	made = apart_by(q, 2, true) ? "" : apart_by(q, 2, false) ? "unordered " : NULL;
	return made ? arena_printf(a, "%szeros <2 %s", made, words) : NULL;
}

const char *lower_sort_order(arena *a, const inst *i)
{
	const comp *c = inst_comp(i, "to_apply");
	int k;

	for (k = 0; c && k < c->nparam; k++)	/* what reads its operands as another type orders by something else */
		if (k / 2 >= i->noperand || c->param[k]->shape->type != i->operand[k / 2]->shape->type)
			return NULL;
	return c ? lower_order(a, c) : NULL;
}

/* What computes the value of i: behind copies and what is called for an array, the fusion that holds an iota alone too. */
static const inst *computed_by(const inst *i)
{
	const comp *c = NULL;

	while (i->opcode == OP_COPY || (i->shape->type != T_TUPLE && (c = inst_called(i)) && c->root->opcode != OP_PARAMETER))
		i = i->opcode == OP_COPY ? i->operand[0] : c->root;
	return i;
}

/* Numbers 0, 1, 2 .. along dimension d. */
static bool counts_along(const inst *i, int64_t d)
{
	int n;
	const int64_t *dims;

	i = computed_by(i);
	if (d >= i->shape->rank || !etype_counts(i->shape->type, i->shape->dim[d]))
		return false;
	if (i->opcode == OP_IOTA)
		return inst_int(i, "iota_dimension", i->shape->rank == 1 ? 0 : -1) == d;
	if (i->opcode != OP_BROADCAST || i->operand[0]->opcode != OP_IOTA || i->operand[0]->shape->rank != 1)
		return false;
	dims = inst_ints(i, "dimensions", &n);
	return n == 1 && dims[0] == d;
}

bool lower_sorts_largest(arena *a, const inst *i)
{
	const char *order = i->opcode == OP_SORT ? lower_sort_order(a, i) : NULL;
	int n;
	const int64_t *d = inst_ints(i, "dimensions", &n);

	if (!order || n != 1 || d[0] != i->operand[0]->shape->rank - 1)
		return false;
	if (i->noperand == 1)
		return !strcmp(order, ">0");
	return i->noperand == 2 && counts_along(i->operand[1], d[0]) && (!strcmp(order, ">0 <1") || !strcmp(order, ">0"));
}

bool lower_leaves_ties(arena *a, const inst *i)
{
	const char *order = i->opcode == OP_SORT && i->noperand > 1 ? lower_sort_order(a, i) : NULL;

	return order && !strcmp(order, ">0") && !inst_bool(i, "is_stable", false);
}
