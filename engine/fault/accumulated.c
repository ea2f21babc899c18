#include "fault/accumulated.h"

#include <string.h>
#include "fault/fault_in.h"
#include "relation/state_in.h"

enum { CANDIDATES = 8, FOLLOWED = 256 };

/* So many times a chunk of a baseline row's sum; base -1: it is none. */
struct chunk {
	int base;
	rat times;
	uint32_t axes;		/* over which each device has a part of its own */
};

static const struct chunk no_chunk = { -1, { 0, 1 }, 0 };

/* Do two count alike, and are they parts of the same devices? */
static bool alike(struct chunk x, struct chunk y)
{
	return rat_eq(x.times, y.times) && x.axes == y.axes;
}

static bool sums(const struct row *r)
{
	return r->inst->opcode == OP_DOT || (r->inst->opcode == OP_REDUCE && !strcmp(r->name, "add"));
}

/* The baseline row that does the same over more than the blocks that this one takes, and gives as many values on all devices together
 * or on each; -1. */
static int chunk_of(const states *s, int row)
{
	const struct row *r = row_at(s, row);
	int base[CANDIDATES], n, k;

	if (s->rs[row].kind != STATE_NONE || !sums(r) || !row_takes_block(s, r))
		return -1;
	n = counterpart_users(s, row, base, CANDIDATES);
	for (k = 0; k < n; k++) {
		const struct row *b = &s->q->base->row[base[k]];
		if (b->inst->opcode == r->inst->opcode && b->rank == r->rank && !(row_elements(b) % row_elements(r)))
			return base[k];
	}
	return -1;
}

static bool adds_over_devices(const struct row *r)
{
	return (collective_grouped(r) && !strcmp(r->name, "add")) || r->inst->opcode == OP_ALL_GATHER;
}

static struct chunk chunk_behind(const states *s, int row, int *left);

/* Chunks that count alike count so together; a sum begins with 0. */
static struct chunk added(const states *s, const struct row *r, int *left)
{
	struct chunk x, y;
	rat c;
	int k;

	for (k = 0; k < 2; k++)
		if (state_is_number(s, SIDE_DIST, r->op[k], &c) && rat_is_int(c, 0))
			return chunk_behind(s, r->op[1 - k], left);
	x = chunk_behind(s, r->op[0], left);
	y = x.base < 0 ? no_chunk : chunk_behind(s, r->op[1], left);
	return y.base == x.base && alike(x, y) ? x : no_chunk;
}

/* By a number. */
static struct chunk scaled(const states *s, const struct row *r, int *left)
{
	bool quotient = r->inst->opcode == OP_DIVIDE;
	struct chunk x;
	rat c;
	int k;

	for (k = quotient; k < 2; k++) {
		if (!state_is_number(s, SIDE_DIST, r->op[k], &c) || rat_is_int(c, 0))
			continue;
		x = chunk_behind(s, r->op[1 - k], left);
		return x.base >= 0 && (quotient ? rat_div : rat_mul)(&x.times, x.times, c) ? x : no_chunk;
	}
	return no_chunk;
}

/* What the devices have of it, put together. */
static struct chunk over_devices(const states *s, int row, int *left)
{
	struct chunk x = chunk_behind(s, row_at(s, row)->op[0], left);

	x.axes &= ~collective_axes(&s->q->ms, row_at(s, row));
	return x;
}

static struct chunk chunk_behind(const states *s, int row, int *left)
{
	const struct row *r = row_at(s, row);
	int base;

	if (s->rs[row].verified || r->param >= 0 || (*left)-- <= 0)
		return no_chunk;
	if ((base = chunk_of(s, row)) >= 0)
		return (struct chunk){ base, RAT_ONE, row_axes(s, row) };
	switch (r->inst->opcode) {
	case OP_ADD:
		return added(s, r, left);
	case OP_MULTIPLY: case OP_DIVIDE:
		return scaled(s, r, left);
	default:
		return adds_over_devices(r) ? over_devices(s, row, left) : row_moves(r) ? chunk_behind(s, r->op[0], left) : no_chunk;
	}
}

/* Does it add two that do not count alike? */
static bool uneven(const states *s, int row, struct chunk *x, struct chunk *y)
{
	const struct row *r = row_at(s, row);
	int left = FOLLOWED;

	if (s->rs[row].verified || r->inst->opcode != OP_ADD)
		return false;
	*x = chunk_behind(s, r->op[0], &left);
	if (x->base < 0)
		return false;
	*y = chunk_behind(s, r->op[1], &left);
	return y->base == x->base && !alike(*x, *y);
}

/* The next row on the way of a chunk to a sum, -1. */
static int carried_by(const states *s, int row)
{
	const struct side *d = &s->side[SIDE_DIST];
	int k;

	for (k = d->use_at[row]; k < d->use_at[row + 1]; k++) {
		const struct row *u = row_at(s, d->use[k]);
		enum opcode op = u->inst->opcode;
		if (op == OP_ADD || op == OP_MULTIPLY || op == OP_DIVIDE || row_moves(u) || adds_over_devices(u))
			return d->use[k];
	}
	return -1;
}

int accumulated_unevenly(const states *s, int row)
{
	struct chunk x, y;
	int left;

	if (chunk_of(s, row) < 0)
		return -1;
	for (left = FOLLOWED; left && row >= 0 && !uneven(s, row, &x, &y); left--)
		row = carried_by(s, row);
	return left ? row : -1;
}

static const char *times_text(const states *s, int row, struct chunk x, arena *out)
{
	char t[64];

	rat_short(t, sizeof t, x.times);
	return arena_printf(out, "%%%s is %s x such a part", dist_name(s, row), t);
}

/* Of two that count alike, one is added up over some devices already; NULL: both are, or neither. */
static const char *added_before(const states *s, int row, struct chunk x, struct chunk y, arena *out)
{
	const struct row *r = row_at(s, row);
	uint32_t axes = x.axes ^ y.axes;
	int done = x.axes & axes ? 1 : 0;

	if (!axes || ((x.axes & axes) && (y.axes & axes)))
		return NULL;
	return arena_printf(out, "%%%s is added up over %s already, %%%s is each device's own part", dist_name(s, r->op[done]), axes_of(s, axes, out),
			    dist_name(s, r->op[1 - done]));
}

const char *accumulated_fault(const states *s, int row, arena *out)
{
	const struct row *r = row_at(s, row);
	struct chunk x, y;
	const char *t;

	if (!uneven(s, row, &x, &y))
		return NULL;
	if ((t = added_before(s, row, x, y, out)))
		return arena_printf(out, "it adds parts of the sum that %%%s of the baseline is: %s", base_name(s, x.base), t);
	return arena_printf(out, "it adds parts of the sum that %%%s of the baseline is, and they do not count alike: %s, %s", base_name(s, x.base),
			    times_text(s, r->op[0], x, out), times_text(s, r->op[1], y, out));
}
