#include "fault/pads.h"

#include <string.h>
#include "fault/fault_in.h"
#include "pair/carry.h"
#include "util/integers.h"

enum { STEPS = 64 };	/* from what takes padding in back to the pad */

struct padding {
	int pad;		/* the row that pads; -1: there is none */
	int dim;		/* of the row that is asked about, or what carry.h answers */
	bool zero;		/* the places put behind hold zeros still */
};

static const struct padding no_padding = { -1, 0, false };

/* The only dimension behind which a row puts places, none before or between; -1. */
static int padded_dim(const struct row *r)
{
	int k, dim = -1;

	if (r->inst->opcode != OP_PAD)
		return -1;
	for (k = 0; k < r->rank; k++) {
		if (r->ints[3 * k] || r->ints[3 * k + 2] || r->ints[3 * k + 1] < 0 || (r->ints[3 * k + 1] && dim >= 0))
			return -1;
		dim = r->ints[3 * k + 1] ? k : dim;
	}
	return dim;
}

static bool baseline_pads(const states *s, int row)
{
	int base[8], n = counterpart_users(s, row, base, 8), k;

	for (k = 0; k < n && pair_row(s->q, SIDE_BASE, base[k])->inst->opcode != OP_PAD; k++)
		;
	return k < n;
}

/* What a row that is not verified pads of the baseline's, where the baseline pads nothing: its dimension as large as there, or a part of
 * that; -1: nothing. */
static int pads_of(const states *s, int row, bool part)
{
	const struct row *r = row_at(s, row), *b;
	const row_state *o = &s->rs[r->nop ? r->op[0] : row];
	int dim = padded_dim(r);

	if (dim < 0 || s->rs[row].verified || o->kind != STATE_RELATED || o->base < 0 || baseline_pads(s, row))
		return -1;
	b = pair_row(s->q, SIDE_BASE, o->base);
	if (b->rank != r->rank || part != (b->dim[dim] > row_at(s, r->op[0])->dim[dim]))
		return -1;
	return dim;
}

/* Is what it makes of zero zero? */
static bool keeps_zero(const struct row *r)
{
	enum opcode op = r->inst->opcode;

	return op == OP_DOT || op == OP_MULTIPLY || op == OP_NEGATE || op == OP_ABS || op == OP_TANH || op == OP_TRANSPOSE || op == OP_CONVERT || op == OP_COPY ||
	       op == OP_SLICE || op == OP_DYNAMIC_SLICE;
}

/* Where places of a dimension are looked up one by one, the dimension that counts the finds. */
static int looked_up_along(const struct row *r, int rank, int dim)
{
	int n, m, no, k;
	const int64_t *from = inst_ints(r->inst, "start_index_map", &n), *gone = inst_ints(r->inst, "collapsed_slice_dims", &m);
	const int64_t *kept = inst_ints(r->inst, "offset_dims", &no);

	if (n != 1 || m != 1 || from[0] != dim || gone[0] != dim || r->rank != rank || no != rank - 1)
		return CARRY_UNKNOWN;
	for (k = 0; integers_have(kept, no, k); k++)
		;
	return k;
}

/* What a reshape makes of a dimension that it leaves as it is. */
static int reshaped_to(const struct row *r, const struct row *operand, int dim)
{
	int64_t before = integers_product(operand->dim, dim), n = 1;
	int k;

	for (k = 0; k < r->rank && (n < before || r->dim[k] == 1); k++)
		n *= r->dim[k];
	return k < r->rank && n == before && r->dim[k] == operand->dim[dim] ? k : CARRY_UNKNOWN;
}

/* The dimension in which the places of one of an operand lie, all of them or a device's own; or what carry.h answers. */
static int carried_to(const states *s, const struct row *r, int which, int dim)
{
	const struct row *o = row_at(s, r->op[which]);
	enum opcode op = r->inst->opcode;

	if (op == OP_DYNAMIC_SLICE || op == OP_GATHER)
		return which ? CARRY_UNKNOWN : op == OP_GATHER ? looked_up_along(r, o->rank, dim) : dim;
	if (op == OP_RESHAPE)
		return reshaped_to(r, o, dim);
	return collective_grouped(r) && r->nop == 1 ? dim : carry_dimension(r, o, which, dim);
}

static struct padding padding_in(const states *s, int row, int *left);

/* .. that an operand brings; `dim` may be summed, or unknown. */
static struct padding padding_from(const states *s, int row, int *left)
{
	const struct row *r = row_at(s, row);
	struct padding p = no_padding;
	int k;

	for (k = 0; k < r->nop && p.pad < 0; k++) {
		p = s->rs[r->op[k]].verified ? no_padding : padding_in(s, r->op[k], left);
		if (p.pad >= 0)
			p.dim = carried_to(s, r, k, p.dim);
	}
	return p;
}

/* Does a slice leave the padding out again?  Otherwise not all of what is no padding is kept. */
static bool cut_off(const states *s, const struct row *r, struct padding p, bool *rightly)
{
	int dim = padded_dim(row_at(s, p.pad));
	int64_t n = row_at(s, row_at(s, p.pad)->op[0])->dim[dim], all = row_at(s, p.pad)->dim[dim];

	if (r->inst->opcode != OP_SLICE || row_at(s, r->op[0])->dim[p.dim] != all || r->dim[p.dim] > n)
		return false;
	*rightly = !r->ints[3 * p.dim] && r->ints[3 * p.dim + 1] <= n;
	return true;
}

static struct padding padding_in(const states *s, int row, int *left)
{
	bool rightly;
	struct padding p = { row, pads_of(s, row, false), false };
	rat c;

	if (p.dim >= 0) {
		p.zero = state_is_number(s, SIDE_DIST, row_at(s, row)->op[1], &c) && rat_is_int(c, 0);
		return p;
	}
	if (row_at(s, row)->param >= 0 || --*left < 0)
		return no_padding;
	p = padding_from(s, row, left);
	p.zero = p.zero && keeps_zero(row_at(s, row));
	return p.pad >= 0 && p.dim >= 0 && !cut_off(s, row_at(s, row), p, &rightly) ? p : no_padding;
}

bool pads_carried(const states *s, int row)
{
	int left = STEPS;

	return padding_in(s, row, &left).pad >= 0;
}

static const char *number_text(const states *s, int row, arena *out)
{
	char t[64];
	rat c;

	if (!state_is_number(s, SIDE_DIST, row, &c))
		return arena_printf(out, "%%%s", dist_name(s, row));
	rat_short(t, sizeof t, c);
	return arena_strdup(out, t);
}

/* "%pad, which puts 2 places of 0 behind the 14 of dimension 1 of %w" */
static const char *pad_text(const states *s, int pad, arena *out)
{
	const struct row *r = row_at(s, pad);
	int dim = padded_dim(r);

	return arena_printf(out, "%%%s, which puts %lld place%s of %s behind the %lld that %s has in dimension %d", dist_name(s, pad), (long long)r->ints[3 * dim + 1],
			    r->ints[3 * dim + 1] == 1 ? "" : "s", number_text(s, r->op[1], out), (long long)row_at(s, r->op[0])->dim[dim], value_name(s, r->op[0], out), dim);
}

static const char *parts_padded(const states *s, int row, int dim, arena *out)
{
	const struct row *r = row_at(s, row);

	return arena_printf(out, "it pads each device's own part: %s, and %lld places are put behind each part in dimension %d; put together, they lie between the parts",
			    named_operand(s, r->op[0], out), (long long)r->ints[3 * dim + 1], dim);
}

/* A slice that keeps padding for what lies before it. */
static const char *padding_kept(const states *s, int row, struct padding p, arena *out)
{
	const struct row *r = row_at(s, row);
	bool rightly;

	if (!cut_off(s, r, p, &rightly) || rightly)
		return NULL;
	return arena_printf(out, "it cuts places %lld..%lld out of dimension %d, and these lie there as they came from %s", (long long)r->ints[3 * p.dim],
			    (long long)r->ints[3 * p.dim + 1] - 1, p.dim, pad_text(s, p.pad, out));
}

const char *pads_fault(const states *s, int row, arena *out)
{
	const struct row *r = row_at(s, row);
	int dim = pads_of(s, row, true), left = STEPS;
	struct padding p;

	if (dim >= 0)
		return parts_padded(s, row, dim, out);
	p = padding_from(s, row, &left);
	if (p.pad >= 0 && p.dim >= 0)
		return padding_kept(s, row, p, out);
	if (p.pad < 0 || p.dim != CARRY_SUMMED || (p.zero && (r->inst->opcode == OP_DOT || !strcmp(r->name, "add"))))
		return NULL;
	return arena_printf(out, "it takes in the padding of %s%s", pad_text(s, p.pad, out), p.zero ? "" : ": what was made of it is not 0");
}
