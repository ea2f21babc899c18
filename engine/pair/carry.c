#include "pair/carry.h"

#include "util/integers.h"

bool carry_elementwise(const struct row *r)
{
	char class = opcode_class(r->inst->opcode);

	return class == 'u' || class == 'b' || class == 't';
}

static int rank_below(const int64_t *v, int n, int64_t x)
{
	int i, k = 0;

	for (i = 0; i < n; i++)
		k += v[i] < x;
	return k;
}

/* The result's dimension that operand `which`'s dimension becomes; -1: summed, -2: not known. */
static int dot_dimension(const struct row *r, int which, int dim)
{
	int nb, nc, mb, mc;
	const int64_t *b = inst_ints(r->inst, which ? "rhs_batch_dims" : "lhs_batch_dims", &nb);
	const int64_t *c = inst_ints(r->inst, which ? "rhs_contracting_dims" : "lhs_contracting_dims", &nc);
	int i, place = 0, free_lhs;

	inst_ints(r->inst, "lhs_batch_dims", &mb);
	inst_ints(r->inst, "lhs_contracting_dims", &mc);
	if (integers_have(c, nc, dim))
		return CARRY_SUMMED;
	for (i = 0; i < nb; i++)
		if (b[i] == dim)
			return i;
	for (i = 0; i < dim; i++)
		place += !integers_have(c, nc, i) && !integers_have(b, nb, i);
	free_lhs = r->inst->operand[0]->shape->rank - mb - mc;
	return nb + (which ? free_lhs : 0) + place;
}

int carry_dimension(const struct row *r, const struct row *operand, int which, int dim)
{
	int n, k;
	const int64_t *v;

	switch (r->inst->opcode) {
	case OP_DOT:
		return dot_dimension(r, which, dim);
	case OP_TRANSPOSE:
		v = inst_ints(r->inst, "dimensions", &n);
		for (k = 0; k < n && v[k] != dim; k++)
			;
		return k < n ? k : CARRY_UNKNOWN;
	case OP_BROADCAST:
		v = inst_ints(r->inst, "dimensions", &n);
		return dim < n ? (int)v[dim] : CARRY_UNKNOWN;
	case OP_REDUCE:
		v = inst_ints(r->inst, "dimensions", &n);
		return integers_have(v, n, dim) ? CARRY_SUMMED : dim - rank_below(v, n, dim);
	case OP_SLICE: case OP_CONCATENATE: case OP_PAD: case OP_REVERSE: case OP_COPY:
		return dim;
	default:
		return carry_elementwise(r) && operand->rank == r->rank ? dim : CARRY_UNKNOWN;
	}
}
