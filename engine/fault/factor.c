#include "fault/factor.h"

#include <string.h>
#include "relation/state_in.h"

/* Is a factor a square, a root or the inverse of another? */
static bool is_power(rat x, rat of)
{
	rat p;

	return (rat_mul(&p, of, of) && rat_eq(x, p)) || (rat_mul(&p, x, x) && rat_eq(of, p)) || (rat_mul(&p, x, of) && rat_eq(p, RAT_ONE));
}

/* Does it do to an operand what its baseline row does, whose multiple the operand is as well? */
static bool does_the_same(const states *s, int row, int operand)
{
	rat c, b;

	return s->rs[operand].base == s->rs[row].base && state_number(s, SIDE_DIST, row, &c) && state_number(s, SIDE_BASE, s->rs[row].base, &b) &&
	       rat_eq(c, b) && s->q->dist->row[row].inst->opcode == s->q->base->row[s->rs[row].base].inst->opcode;
}

enum factor factor_of(const states *s, int row)
{
	const struct row *r = &s->q->dist->row[row];
	rat all = RAT_ONE;
	bool any = false, function = opcode_class(r->inst->opcode) == 'u' || r->inst->opcode == OP_POWER;
	int k;

	for (k = 0; k < r->nop; k++) {
		if (!row_scaled(s, r->op[k]))
			continue;
		if (rat_eq(s->rs[r->op[k]].scale, s->rs[row].scale))
			return FACTOR_KEPT;
		if (does_the_same(s, row, r->op[k]))
			return FACTOR_PRODUCT;
		if (function && is_power(s->rs[row].scale, s->rs[r->op[k]].scale))
			return FACTOR_PRODUCT;
		any = rat_mul(&all, all, s->rs[r->op[k]].scale);
	}
	return any && rat_eq(all, s->rs[row].scale) ? FACTOR_PRODUCT : FACTOR_CHANGED;
}

/* What a multiple is a multiple of, before the baseline moves it. */
static int multiple_of(const states *s, int row)
{
	int base = s->rs[row].base;

	while (row_moves(&s->q->base->row[base]))
		base = s->q->base->row[base].op[0];
	return base;
}

/* The operand that a multiple has the rest of its factor from, with the factor that is its own; -1: none, or it is no product. */
static int factor_from(const states *s, int row, rat *own)
{
	const struct row *r = &s->q->dist->row[row];
	int k, o = -1;

	*own = RAT_ONE;
	if (factor_of(s, row) == FACTOR_PRODUCT)
		return -1;
	*own = s->rs[row].scale;
	for (k = 0; k < r->nop; k++) {
		if (!row_scaled(s, r->op[k]) || r->op[k] == o)
			continue;
		if (rat_eq(s->rs[r->op[k]].scale, s->rs[row].scale)) {
			*own = RAT_ONE;
			return r->op[k];
		}
		if (o >= 0)
			return -1;
		o = r->op[k];
	}
	if (o < 0)
		return -1;
	if (multiple_of(s, o) == multiple_of(s, row) && rat_div(own, s->rs[row].scale, s->rs[o].scale))
		return o;
	*own = RAT_ONE;		/* as many times something else: not known */
	return -1;
}

int factor_sole(const states *s, int row)
{
	rat all = s->rs[row].scale, own;
	int from;

	for (; row >= 0; row = from) {
		from = factor_from(s, row, &own);
		if (rat_eq(own, all))
			return row;
	}
	return -1;
}

/* Does it add up over devices, as many as c says? */
static bool adds_devices(const states *s, int row, rat c)
{
	const struct row *r = row_at(s, row);
	uint32_t axes = collective_grouped(r) && !strcmp(r->name, "add") ? collective_axes(&s->q->ms, r) : 0;

	return axes && rat_is_int(c, axes_size(&s->q->ms, axes));
}

int factor_added_up(const states *s, int row, int *origin)
{
	rat all = s->rs[row].scale, own;
	int from, by = -1;

	for (; row >= 0; row = from) {
		from = factor_from(s, row, &own);
		if (adds_devices(s, row, all))
			by = row;
		if (!rat_eq(own, all) && (from >= 0 || factor_of(s, row) == FACTOR_PRODUCT || !rat_eq(s->rs[row].scale, all)))
			continue;
		*origin = row;
		return by >= 0 && (row_axes(s, row) & collective_axes(&s->q->ms, row_at(s, by))) ? by : -1;
	}
	return -1;
}
