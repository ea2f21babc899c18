#include "stray.h"

#include "state_in.h"

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

/* The first of the operands that are arithmetic of the distributed program alone; -1 when there is none. */
static int strays(const states *s, const struct row *d)
{
	int k, at = -1;

	for (k = 0; k < d->nop; k++)
		if (s->rs[d->op[k]].index && (at < 0 || d->op[k] < d->op[at]))
			at = k;
	return at;
}

static bool computes(const struct row *r)
{
	char class = opcode_class(r->inst->opcode);

	return r->param < 0 && (class == 'u' || class == 'b' || class == 't');
}

bool stray_index(const states *s, int dist_row, int base_row, int *dist_at, int *base_at)
{
	const struct row *d = pair_row(s->q, SIDE_DIST, dist_row), *b = pair_row(s->q, SIDE_BASE, base_row);
	int steps = 0, k;

	while (d->inst->opcode == b->inst->opcode && d->nop == b->nop && (k = strays(s, d)) >= 0) {
		*dist_at = d->op[k];
		*base_at = b->op[k];
		d = past_moves(s, SIDE_DIST, dist_at);
		b = past_moves(s, SIDE_BASE, base_at);
		steps += d->inst->opcode == b->inst->opcode && computes(d);
	}
	return steps > 0 && s->rs[*dist_at].index && *dist_at != dist_row;
}
