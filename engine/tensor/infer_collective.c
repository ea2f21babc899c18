#include "tensor/infer_in.h"

#include <inttypes.h>

/* All ids are different and not negative. */
static bool groups_fit(struct infer *f, const groups *g)
{
	int64_t n = 0, top = -1;
	char *seen;

	for (int k = 0; k < g->ngroup; k++)
		n += g->size[k];
	for (int64_t k = 0; k < n; k++) {
		if (g->id[k] < 0 || g->id[k] >= (int64_t)1 << 24) {
			infer_no(f, "replica_groups= names device %" PRId64, g->id[k]);
			return false;
		}
		top = g->id[k] > top ? g->id[k] : top;
	}
	seen = arena_zalloc(f->a, (size_t)(top + 2));
	for (int64_t k = 0; k < n; k++) {
		if (seen[g->id[k]]) {
			infer_no(f, "replica_groups= names device %" PRId64 " twice", g->id[k]);
			return false;
		}
		seen[g->id[k]] = 1;
	}
	return true;
}

/* Members of a group: 0 if unknown, -1 if ill-formed.  Groups of replica ids
 * with a channel hold all partitions of each replica. */
static int64_t group_size(struct infer *f, bool even)
{
	const attr *x = inst_attr(f->i, "replica_groups");
	const module *m = f->i->parent->module;
	bool across = inst_int(f->i, "channel_id", 0) > 0 && !inst_bool(f->i, "use_global_device_ids", false);

	if (!x || x->kind != ATTR_GROUPS || !x->groups->ngroup)
		return 0;
	if (!groups_fit(f, x->groups))
		return -1;
	for (int k = 1; even && k < x->groups->ngroup; k++)
		if (x->groups->size[k] != x->groups->size[0]) {
			infer_no(f, "the groups have different sizes");
			return -1;
		}
	if (!across || (f->i->opcode != OP_ALL_GATHER && f->i->opcode != OP_ALL_GATHER_START &&
			f->i->opcode != OP_REDUCE_SCATTER))
		return x->groups->size[0];
	return m->num_partitions ? x->groups->size[0] * m->num_partitions : 0;
}

const shape *infer_all_operands(struct infer *f)
{
	const shape **elem;

	if (f->i->noperand == 1)
		return in(f, 0);
	elem = ARENA_ARRAY(f->a, const shape *, f->i->noperand);
	for (int k = 0; k < f->i->noperand; k++)
		elem[k] = in(f, k);
	return infer_tuple(f, elem, f->i->noperand);
}

/* Operand x along d: times size, or divided by it.  Where the size is not
 * known the declared result tells it, if it is a multiple at all. */
static const shape *scaled(struct infer *f, const shape *x, const shape *said, int64_t d, int64_t size, bool grow)
{
	int64_t n;

	if (x->rank == 0 && f->i->noperand > 1)
		return x;	/* torch_xla sends its token along */
	if (d < 0 || d >= x->rank)
		return infer_no(f, "dimension %" PRId64 " of %s", d, show(f, x));
	n = x->dim[d];
	if (!size && said && said->rank == x->rank) {
		int64_t big = grow ? said->dim[d] : n, small = grow ? n : said->dim[d];

		if (small ? big % small : big)
			return infer_no(f, "dimension %" PRId64 " of %s does not give %s", d, show(f, x), show(f, said));
		size = small ? big / small : 1;
	}
	if (!size)
		return NULL;
	take_dims(f, x);
	if (grow && __builtin_mul_overflow(n, size, &f->dim[d]))
		return infer_no(f, "the result is too large");
	if (!grow && n % size)
		return infer_no(f, "dimension %" PRId64 " of %s does not split into %" PRId64 " parts", d, show(f, x), size);
	if (!grow)
		f->dim[d] = n / size;
	return infer_array(f, x->type);
}

const shape *infer_scaled_operands(struct infer *f, const shape *said, bool grow)
{
	int n, count = f->i->noperand;
	const int64_t *d = inst_ints(f->i, "dimensions", &n);
	int64_t size = group_size(f, true);
	const shape **elem;

	if (size < 0)
		return NULL;
	if (n != 1 || !count)
		return infer_no(f, "%s needs one dimension", f->i->opname);
	if (count == 1)
		return scaled(f, in(f, 0), said, d[0], size, grow);
	elem = ARENA_ARRAY(f->a, const shape *, count);
	for (int k = 0; k < count; k++) {
		elem[k] = scaled(f, in(f, k), said && said->type == T_TUPLE && k < said->n ? said->elem[k] : NULL, d[0],
				 size, grow);
		if (!elem[k])
			return NULL;
	}
	return infer_tuple(f, elem, count);
}

const shape *infer_all_gather_start(struct infer *f)
{
	const shape *s = f->i->shape, *elem[2];

	if (!s)
		return NULL;
	if (s->type != T_TUPLE || s->n != 2)
		return infer_scaled_operands(f, s, true);
	elem[0] = infer_all_operands(f);
	elem[1] = infer_scaled_operands(f, s->elem[1], true);
	return elem[1] ? infer_tuple(f, elem, 2) : NULL;
}

/* The result inside what a start gives: (operands, result, ...). */
const shape *infer_start_result(struct infer *f)
{
	const shape *s = in(f, 0);

	return s->type == T_TUPLE && s->n >= 2 ? s->elem[1] : s;
}

const shape *infer_all_reduce(struct infer *f)
{
	if (!f->i->noperand)
		return infer_no(f, "%s of nothing", f->i->opname);
	return group_size(f, false) < 0 || !infer_applies(f, "to_apply", 2) ? NULL : infer_all_operands(f);
}

const shape *infer_reduce_scatter(struct infer *f)
{
	return infer_applies(f, "to_apply", 2) ? infer_scaled_operands(f, f->i->shape, false) : NULL;
}

const shape *infer_all_to_all(struct infer *f)
{
	int n, count = f->i->noperand;
	const int64_t *d = inst_ints(f->i, "dimensions", &n);
	int64_t size = group_size(f, true);

	if (size < 0)
		return NULL;
	if (!count || n > 1)
		return infer_no(f, "all-to-all with %d operands and %d dimensions", count, n);
	if (n == 0) {
		const shape *const *elem;

		if (size && size != count)
			return infer_no(f, "%d operands for groups of %" PRId64, count, size);
		for (int k = 1; k < count; k++)
			if (!shape_equal(in(f, k), in(f, 0)))
				return infer_no(f, "the operands are %s and %s", show(f, in(f, 0)), show(f, in(f, k)));
		elem = ARENA_ARRAY(f->a, const shape *, count);
		for (int k = 0; k < count; k++)
			((const shape **)elem)[k] = in(f, k);
		return infer_tuple(f, elem, count);
	}
	for (int k = 0; k < count; k++) {
		if (d[0] < 0 || d[0] >= in(f, k)->rank)
			return infer_no(f, "dimension %" PRId64 " of %s", d[0], show(f, in(f, k)));
		if (size && in(f, k)->dim[d[0]] % size)
			return infer_no(f, "dimension %" PRId64 " of %s does not split into %" PRId64 " parts", d[0],
				  show(f, in(f, k)), size);
	}
	return infer_all_operands(f);
}

static bool pairs_fit(struct infer *f)
{
	const attr *p = inst_attr(f->i, "source_target_pairs");
	int64_t top = -1;
	char *seen;

	if (!p) {
		infer_no(f, "source_target_pairs= is missing");
		return false;
	}
	for (int k = 0; k < 2 * p->n; k++) {
		if (p->ints[k] < 0 || p->ints[k] >= (int64_t)1 << 24) {
			infer_no(f, "source_target_pairs= names device %" PRId64, p->ints[k]);
			return false;
		}
		top = p->ints[k] > top ? p->ints[k] : top;
	}
	seen = arena_zalloc(f->a, (size_t)(top + 2));
	for (int k = 0; k < 2 * p->n; k++) {
		char bit = (char)(1 << (k & 1));

		if (seen[p->ints[k]] & bit) {
			infer_no(f, "device %" PRId64 " is twice a %s", p->ints[k], k & 1 ? "target" : "source");
			return false;
		}
		seen[p->ints[k]] |= bit;
	}
	return true;
}

/* Forms with buffers and slices (4 operands) have no rule. */
const shape *infer_collective_permute(struct infer *f)
{
	const shape *s = f->i->shape;

	if (!pairs_fit(f))
		return NULL;
	if (inst_attr(f->i, "slice_sizes"))
		return NULL;
	if (!f->i->noperand)
		return infer_no(f, "%s of nothing", f->i->opname);
	if (f->i->opcode == OP_COLLECTIVE_PERMUTE)
		return infer_all_operands(f);
	if (!s || s->type != T_TUPLE || s->n < 2)
		return NULL;
	for (int k = 0; k < 2; k++)
		if (!shape_equal(s->elem[k], infer_all_operands(f)))
			return infer_no(f, "%s of %s, the text says %s", f->i->opname, show(f, infer_all_operands(f)), show(f, s));
	return s;
}

const shape *infer_collective_broadcast(struct infer *f)
{
	if (!f->i->noperand)
		return infer_no(f, "%s of nothing", f->i->opname);
	if (group_size(f, false) < 0)
		return NULL;
	if (inst_bool(f->i, "has_dynamic_root", false))
		return f->i->noperand == 2 ? in(f, 0) : NULL;
	return infer_all_operands(f);
}
