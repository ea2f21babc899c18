/* certify_sort.c - sort and topk by numbers: the places of a row in their order.
 *
 * A key that says by which operands it orders (`sort .. to_apply=>0 <1`, or `topk largest`: `>0`, and places; `zeros <2`
 * before them: between zeros of either sign the smaller of operand 2 is first) is run; what is equal in all of them
 * stays in the order it came in.  `unordered` speaks of what is no number, which is not looked at.
 */
#include "certify/certify_in.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

bool ck_order_of(const char *name, ck_order *o)
{
	const char *at = strstr(name, " to_apply="), *arrow;
	bool top = !strncmp(name, "topk largest ", 13);

	*o = (ck_order){ .zeros = -1 };
	if (!top && (strncmp(name, "sort ", 5) || !at))
		return false;
	at = top ? ">0" : at + 10;
	at += strncmp(at, "unordered ", 10) ? 0 : 10;
	if (!strncmp(at, "zeros <", 7) && at[7] >= '0' && at[7] <= '9' && at[8] == ' ') {
		o->zeros = at[7] - '0';
		at += 9;
	}
	for (; (*at == '<' || *at == '>') && o->n < ORDER_KEYS; at += at[2] == ' ' ? 3 : 2) {
		o->way[o->n] = *at;
		o->operand[o->n++] = at[1] - '0';
		if (at[2] != ' ')
			break;
	}
	for (arrow = NULL, at = name; (at = strstr(at, " -> ")); at++)
		arrow = at;
	if (!o->n || !arrow || arrow == name || arrow[-1] < '0' || arrow[-1] > '9' || (arrow - 1 > name && arrow[-2] != ' '))
		return false;
	o->result = arrow[-1] - '0';
	return true;
}

/* Are these zeros, one of them below zero? */
static bool zeros_apart(val x, val y)
{
	return x.kind == V_NUM && y.kind == V_NUM && !x.r && !y.r && !x.soft && !y.soft && !signbit(x.d) != !signbit(y.d);
}

/* What is no number is larger than any, and equal to its like: else it would stand beside all of them. */
static bool less(int type, val x, val y)
{
	const val v[2] = { x, y };
	const int from[2] = { type, type };

	if (x.kind == V_NAN || y.kind == V_NAN)
		return x.kind != V_NAN;
	return cv_map("compare:LT", T_PRED, from, 2, v).i;
}

/* Does place i stand before place j? */
static bool before(const ck_order *o, const int *type, int64_t n, const val *x, int64_t i, int64_t j)
{
	const val *by = o->zeros < 0 ? NULL : x + o->zeros * n;
	int k;

	if (by && cv_real(type[0]) && zeros_apart(x[i], x[j]) && (less(type[o->zeros], by[i], by[j]) || less(type[o->zeros], by[j], by[i])))
		return less(type[o->zeros], by[i], by[j]);
	for (k = 0; k < o->n; k++) {
		const val *row = x + o->operand[k] * n, *a = &row[o->way[k] == '<' ? i : j], *b = &row[o->way[k] == '<' ? j : i];
		if (less(type[o->operand[k]], *a, *b))
			return true;
		if (less(type[o->operand[k]], *b, *a))
			return false;
	}
	return i < j;
}

val ck_ordered(world *w, const ck_order *o, int nop, const int *type, int64_t n, const val *x, int64_t own)
{
	int64_t i, j, first;
	int k;

	for (k = 0; k < o->n; k++)
		if (o->operand[k] >= nop)
			return world_fail(w, "an order by an operand that is not there");
	if (o->zeros >= nop)
		return world_fail(w, "an order by an operand that is not there");
	for (j = 0; j < n && world_pay(w, n); j++) {
		for (i = first = 0; i < n; i++)
			first += i != j && before(o, type, n, x, i, j);
		if (first == own)
			return o->result < nop ? x[o->result * n + j] : cv_of_int(T_S32, j);
	}
	return cv_special(V_NAN);
}
