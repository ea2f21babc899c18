/* lower_order.c - what order a comparator of sort is (RULES 1.4, rows sort and topk).
 *
 * A comparator is run on all order types of its operands: of each, the left
 * value is below, equal to or above the right one.  Floating point values are
 * compared as they are, or as the integers that compilers make of their bits, s
 * < 0 ? MAX xor s : s, which have the same order; bits are looked at in no other
 * way.  Zeros of either sign are one number.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "lower_in.h"

enum { KEYS = 3, INSTS = 64 };	/* operands that are tried, instructions of a comparator */

/* What an instruction of a comparator holds. */
struct seen {
	enum { TRUTH, VALUE, BITS, NEGATIVE, FLIPPED, RANK, NUMBER } kind;	/* VALUE, RANK: to be compared with the other side's */
	int operand;		/* of the sort */
	int at;			/* VALUE, RANK: its place in the order of the two; TRUTH: the answer */
	int64_t number;
};

static bool compares(const char *d, int x, int y, bool *out)
{
	static const struct { const char *name; bool below, equal, above; } row[] = {
		{ "EQ", false, true, false }, { "NE", true, false, true }, { "LT", true, false, false },
		{ "LE", true, true, false }, { "GT", false, false, true }, { "GE", false, true, true },
	};
	size_t k;

	for (k = 0; k < sizeof row / sizeof *row; k++)
		if (d && !strcmp(d, row[k].name)) {
			*out = x < y ? row[k].below : x == y ? row[k].equal : row[k].above;
			return true;
		}
	return false;
}

static bool run_compare(const inst *i, const struct seen *x, const struct seen *y, struct seen *out)
{
	const char *d = inst_text(i, "direction");
	bool yes;

	if (x->kind == BITS && y->kind == NUMBER && y->number == 0 && d && !strcmp(d, "LT")) {
		*out = (struct seen){ .kind = NEGATIVE, .operand = x->operand, .at = x->at };
		return true;
	}
	if (x->kind != y->kind || (x->kind != TRUTH && ((x->kind != VALUE && x->kind != RANK) || x->operand != y->operand)) ||
	    !compares(d, x->at, y->at, &yes))
		return false;
	*out = (struct seen){ .kind = TRUTH, .at = yes };
	return true;
}

/* select: a choice by a truth, or the last step from bits to their order. */
static bool run_select(const struct seen *p, const struct seen *x, const struct seen *y, struct seen *out)
{
	if (p->kind == TRUTH) {
		*out = p->at ? *x : *y;
		return true;
	}
	if (p->kind != NEGATIVE || x->kind != FLIPPED || y->kind != BITS || p->operand != x->operand || p->operand != y->operand ||
	    p->at != x->at || p->at != y->at)
		return false;
	*out = (struct seen){ .kind = RANK, .operand = p->operand, .at = p->at };
	return true;
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
	*out = (struct seen){ .kind = BITS, .operand = x->operand, .at = x->at };
	return true;
}

/* and, or, xor of truths; MAX xor bits. */
static bool run_logic(const inst *i, const struct seen *x, const struct seen *y, struct seen *out)
{
	const struct seen *b = x->kind == BITS ? x : y, *n = b == x ? y : x;
	int bits = etype_bits(i->shape->type);

	if (x->kind == TRUTH && y->kind == TRUTH) {
		*out = (struct seen){ .kind = TRUTH, .at = i->opcode == OP_AND ? x->at & y->at : i->opcode == OP_OR ? x->at | y->at : x->at ^ y->at };
		return true;
	}
	if (i->opcode != OP_XOR || b->kind != BITS || n->kind != NUMBER || n->number != (int64_t)(((uint64_t)1 << (bits - 1)) - 1))
		return false;
	*out = (struct seen){ .kind = FLIPPED, .operand = b->operand, .at = b->at };
	return true;
}

static bool run_constant(const inst *i, struct seen *out)
{
	if (!i->literal || !i->literal->i || i->literal->elided || i->shape->rank)
		return false;
	*out = (struct seen){ .kind = i->shape->type == T_PRED ? TRUTH : NUMBER, .at = i->literal->i[0] != 0, .number = i->literal->i[0] };
	return true;
}

/* The comparator's answer when operand k's left value has place at[k] beside 1, the right one's. */
static bool run_order(const comp *c, const int *at, bool *out)
{
	struct seen env[INSTS];
	bool ok = c->ninst <= INSTS;
	int k;

	for (k = 0; ok && k < c->ninst; k++) {
		const inst *i = c->inst[k];
		const struct seen *x = i->noperand > 0 ? &env[i->operand[0]->index] : NULL, *y = i->noperand > 1 ? &env[i->operand[1]->index] : NULL;
		switch (i->opcode) {
		case OP_PARAMETER:
			env[k] = (struct seen){ .kind = VALUE, .operand = (int)i->number / 2, .at = i->number % 2 ? 1 : at[i->number / 2] };
			break;
		case OP_CONSTANT: ok = run_constant(i, &env[k]); break;
		case OP_BITCAST: case OP_BITCAST_CONVERT: case OP_COPY: ok = run_bits(i, x, &env[k]); break;
		case OP_COMPARE: ok = run_compare(i, x, y, &env[k]); break;
		case OP_SELECT: ok = run_select(x, y, &env[i->operand[2]->index], &env[k]); break;
		case OP_AND: case OP_OR: case OP_XOR: ok = run_logic(i, x, y, &env[k]); break;
		case OP_NOT:
			ok = x->kind == TRUTH;
			env[k] = (struct seen){ .kind = TRUTH, .at = !x->at };
			break;
		default:
			ok = false;
		}
	}
	if (!ok || env[c->root->index].kind != TRUTH)
		return false;
	*out = env[c->root->index].at;
	return true;
}

/* The answers on all order types of n operands: index in base 3, operand 0 first. */
static bool all_answers(const comp *c, int n, bool *answer)
{
	int k, j, total = 1, at[KEYS];

	for (k = 0; k < n; k++)
		total *= 3;
	for (k = 0; k < total; k++) {
		int rest = k;
		for (j = n; j-- > 0; rest /= 3)
			at[j] = rest % 3;
		if (!run_order(c, at, &answer[k]))
			return false;
	}
	return true;
}

static int place_in_type(int type, int n, int operand)
{
	int k;

	for (k = n - 1; k > operand; k--)
		type /= 3;
	return type % 3;
}

/* Does operand k alone decide wherever its values differ and those of `equal` do not?  Which comes first: '>' the larger, '<'. */
static char decides(const bool *answer, int n, const bool *equal, int k)
{
	int t, j, total = n == 1 ? 3 : n == 2 ? 9 : 27;
	bool more = true, less = true;

	for (t = 0; t < total; t++) {
		int p = place_in_type(t, n, k);
		for (j = 0; j < n && !(equal[j] && place_in_type(t, n, j) != 1); j++)
			;
		if (j < n || p == 1)
			continue;
		more = more && answer[t] == (p == 2);
		less = less && answer[t] == (p == 0);
	}
	return more ? '>' : less ? '<' : 0;
}

const char *lower_order(arena *a, const comp *c)
{
	bool answer[27], equal[KEYS] = { false };
	int n = 0, k, t, total;
	char words[KEYS * 3 + 1] = "", way = 1;

	for (k = 0; k < c->ninst; k++)
		n += c->inst[k]->opcode == OP_PARAMETER;
	n /= 2;
	if (n < 1 || n > KEYS || !all_answers(c, n, answer))
		return NULL;
	while (way)
		for (k = 0, way = 0; k < n && !way; k++)
			if (!equal[k] && (way = decides(answer, n, equal, k))) {
				equal[k] = true;
				snprintf(words + strlen(words), sizeof words - strlen(words), "%s%c%d", *words ? " " : "", way, k);
			}
	for (t = 0, total = n == 1 ? 3 : n == 2 ? 9 : 27; t < total; t++) {	/* what is equal in all that decide is equal */
		for (k = 0; k < n && !(equal[k] && place_in_type(t, n, k) != 1); k++)
			;
		if (k == n && answer[t])
			return NULL;
	}
	return *words ? arena_strdup(a, words) : NULL;
}

/* Numbers 0, 1, 2 .. along dimension d. */
static bool counts_along(const inst *i, int64_t d)
{
	int n;
	const int64_t *dims;

	while (i->opcode == OP_COPY)
		i = i->operand[0];
	if (i->opcode == OP_IOTA)
		return inst_int(i, "iota_dimension", i->shape->rank == 1 ? 0 : -1) == d;
	if (i->opcode != OP_BROADCAST || i->operand[0]->opcode != OP_IOTA || i->operand[0]->shape->rank != 1)
		return false;
	dims = inst_ints(i, "dimensions", &n);
	return n == 1 && dims[0] == d;
}

bool lower_sorts_largest(arena *a, const inst *i)
{
	const comp *c = i->opcode == OP_SORT ? inst_comp(i, "to_apply") : NULL;
	const char *order = c ? lower_order(a, c) : NULL;
	int n;
	const int64_t *d = inst_ints(i, "dimensions", &n);

	if (!order || n != 1 || d[0] != i->operand[0]->shape->rank - 1)
		return false;
	if (i->noperand == 1)
		return !strcmp(order, ">0");
	return i->noperand == 2 && counts_along(i->operand[1], d[0]) &&
	       (!strcmp(order, ">0 <1") || (!strcmp(order, ">0") && inst_bool(i, "is_stable", false)));
}
