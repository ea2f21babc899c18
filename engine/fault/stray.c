#include "fault/stray.h"

#include "core/constant.h"
#include "fault/fault_in.h"
#include "relation/describe.h"

static const struct row *past_moves(const states *s, enum program_side side, int *row)
{
	const struct row *r = pair_row(s->q, side, *row);

	while (r->nop == 1 && r->param < 0 &&
	       (r->inst->opcode == OP_RESHAPE || r->inst->opcode == OP_BROADCAST || r->inst->opcode == OP_COPY || r->inst->opcode == OP_BITCAST)) {
		*row = r->op[0];
		r = pair_row(s->q, side, *row);
	}
	return r;
}

/* Of the operands that are arithmetic of the distributed program alone, integers or, with `numbers`, any constants, the first; -1. */
static int first_of(const states *s, const struct row *d, bool numbers)
{
	int k, at = -1;

	for (k = 0; k < d->nop; k++) {
		const row_state *o = &s->rs[d->op[k]];

		if ((numbers ? o->kind == STATE_CONSTANT : o->index) && (at < 0 || d->op[k] < d->op[at]))
			at = k;
	}
	return at;
}

/* The one to be followed, integers before floating point numbers, angles of positions, say, and what these are made of. */
static int strays(const states *s, const struct row *d, bool *numbers)
{
	int k = first_of(s, d, false);

	if (k >= 0)
		return k;
	k = first_of(s, d, true);
	if (k >= 0 && etype_is_float((enum etype)s->q->dist->row[d->op[k]].type))
		*numbers = true;
	return *numbers ? k : -1;
}

static bool computes(const struct row *r)
{
	char class = opcode_class(r->inst->opcode);

	return r->param < 0 && (class == 'u' || class == 'b' || class == 't') && r->inst->opcode != OP_CONVERT;
}

int64_t stray_positions(const struct row *r)
{
	return r->inst->opcode == OP_IOTA ? r->dim[inst_int(r->inst, "iota_dimension", 0)] : 0;
}

bool stray_index(const states *s, int dist_row, int base_row, int *dist_at, int *base_at)
{
	const struct row *d = pair_row(s->q, SIDE_DIST, dist_row), *b = pair_row(s->q, SIDE_BASE, base_row);
	bool numbers = false;
	int steps = 0, k;

	while (d->inst->opcode == b->inst->opcode && d->nop == b->nop && (k = strays(s, d, &numbers)) >= 0) {
		*dist_at = d->op[k];
		*base_at = b->op[k];
		d = past_moves(s, SIDE_DIST, dist_at);
		b = past_moves(s, SIDE_BASE, base_at);
		steps += d->inst->opcode == b->inst->opcode && computes(d);
	}
	if (!steps || *dist_at == dist_row)
		return false;
	/* what takes other numbers says how they differ, but not where positions come from that each device counts for itself */
	return numbers ? stray_positions(d) < stray_positions(b) : s->rs[*dist_at].index;
}

/* The number that a row has at all places on all devices. */
static bool one_number(const states *s, int row, double *c, arena *out)
{
	eg_id core = s->side[SIDE_DIST].core[row];
	const double *v = s->rs[row].constant && core != NIL && core_len(&s->q->p->a, core) == 1 ? constant_values(&s->q->p->a, core, out) : NULL;

	if (v)
		*c = *v;
	return v != NULL;
}

/* One number more than in the baseline, which takes the value as it is. */
static const char *step_more(const states *s, int row, int base, arena *out)
{
	const struct row *r = row_at(s, row);
	const char *with = base_name(s, base);
	enum opcode op = r->inst->opcode;
	double c;
	int k;

	for (k = 0; k < r->nop && (op == OP_ADD || op == OP_SUBTRACT || op == OP_MULTIPLY); k++) {
		const row_state *o = &s->rs[r->op[k]];
		if (o->kind != STATE_RELATED || !same_value(s, o->base, base) || !one_number(s, r->op[1 - k], &c, out))
			continue;
		if (op == OP_MULTIPLY || k)
			return arena_printf(out, "it does %s with %%%s and %g, where the baseline takes %%%s as it is", r->inst->opname, with, c, with);
		return arena_printf(out, "it %s %%%s, where the baseline takes that as it is", op == OP_ADD ? arena_printf(out, "adds %g to", c) :
				    arena_printf(out, "subtracts %g from", c), with);
	}
	return NULL;
}

enum { MIXED = 256 };		/* rows behind one that are looked at */

/* What a generator does with its counters: they are shifted both ways and put together by exclusive or, as integers. */
bool stray_draws_alike(const states *s, int row, arena *tmp)
{
	const struct side *d = &s->side[SIDE_DIST];
	int n = d->p->nrow - row < MIXED ? d->p->nrow - row : MIXED, i, k;
	bool *hit = arena_zalloc(tmp, MIXED), left = false, right = false, exclusive = false;

	if (s->rs[row].verified || row_axes(s, row))
		return false;
	for (hit[0] = true, i = 0; i < n; i++) {
		enum opcode op = row_at(s, row + i)->inst->opcode;

		if (!hit[i] || !type_is_int(row_at(s, row + i)->type))
			continue;
		left = left || op == OP_SHIFT_LEFT;
		right = right || op == OP_SHIFT_RIGHT_LOGICAL;
		exclusive = exclusive || op == OP_XOR;
		for (k = d->use_at[row + i]; k < d->use_at[row + i + 1]; k++)
			if (d->use[k] - row < n)
				hit[d->use[k] - row] = true;
	}
	return left && right && exclusive;
}

const char *stray_fault(const states *s, const frontier_entry *e, arena *out)
{
	const char *t;
	int64_t n = stray_positions(row_at(s, e->row)), all = stray_positions(nearest_base(s, e));

	if (n && n < all)
		return arena_printf(out, "it counts 0..%lld on every device, %%%s of the baseline 0..%lld" DIFFERENCE_LOCAL,
				    (long long)n - 1, base_name(s, e->base[0]), (long long)all - 1);
	if ((t = step_more(s, e->row, e->base[0], out)))
		return t;
	if ((t = fault_other_numbers(s, e->row, e->base[0], out)))
		return arena_printf(out, "%%%s of the baseline does the same with other numbers: this %s", base_name(s, e->base[0]), t);
	return arena_printf(out, "the baseline does the same arithmetic with %%%s where this is %s", base_name(s, e->base[0]),
			    describe_row(s, SIDE_DIST, e->row, out));
}
