/* interp_collective.c - collectives: who forms a group, and what each member gets.
 *
 * Groups are expanded into device numbers (replica * partitions + partition) by
 * XLA's four modes: cross_replica, cross_partition, cross_replica_and_partition
 * (replicas outer, partitions inner) and flattened_id.  A group acts when all
 * of its members are here: inside a loop or branch only some devices may be.
 */
#include <string.h>

#include "interp/interp_in.h"

/* One call: the devices taking part, their operands, their results. */
struct call {
	interp *r;
	const inst *i;
	enum opcode op;		/* without -start */
	int n;
	const int *dev;
	int *slot;		/* device -> k, -1 when not here */
	tensor *const *const *value;	/* [operand][k] */
	tensor **result;
	const shape *shape;	/* of the result proper */
};

static enum opcode base_op(enum opcode op)
{
	switch (op) {
	case OP_ALL_GATHER_START: return OP_ALL_GATHER;
	case OP_ALL_REDUCE_START: return OP_ALL_REDUCE;
	case OP_COLLECTIVE_PERMUTE_START: return OP_COLLECTIVE_PERMUTE;
	default: return op;
	}
}

static bool by_partition(enum opcode op)
{
	return op == OP_ALL_TO_ALL || op == OP_COLLECTIVE_BROADCAST || op == OP_COLLECTIVE_PERMUTE
	       || op == OP_RAGGED_ALL_TO_ALL;
}

enum mode { CROSS_REPLICA, CROSS_PARTITION, CROSS_BOTH, FLATTENED };

static enum mode mode_of(const struct call *c)
{
	bool channel = inst_int(c->i, "channel_id", 0) > 0;

	if (!channel)
		return CROSS_REPLICA;
	if (by_partition(c->op))
		return CROSS_PARTITION;
	return inst_bool(c->i, "use_global_device_ids", false) ? FLATTENED : CROSS_BOTH;
}

/* ---- results */

/* Shape of the k-th result when there are `count` of them. */
static const shape *part_shape(const struct call *c, int k, int count)
{
	return c->shape->type == T_TUPLE && c->shape->n == count ? c->shape->elem[k] : c->shape;
}

/* One member's results as its value. */
static tensor *member_value(const struct call *c, int count, tensor **out)
{
	return c->shape->type == T_TUPLE ? interp_tuple(c->shape, count, out) : out[0];
}

static tensor *operand(const struct call *c, int op, int member)
{
	return c->value[op][c->slot[member]];
}

static tensor *fold_members(const struct call *c, const struct prog *p, int op, int n, const int *member)
{
	tensor *first = operand(c, op, member[0]), *acc = interp_alloc(c->r, first->shape);
	int k;

	memcpy(tensor_data(acc), tensor_data(first), (size_t)first->n * 8 * tensor_words(first));
	for (k = 1; k < n; k++)
		prog_run(p, acc->n, (void *[]){ tensor_data(acc) },
			 (const void *[]){ tensor_data(acc), tensor_data(operand(c, op, member[k])) });
	return acc;
}

/* The part of x from `start` along dimension d that has the shape s. */
static tensor *cut(const struct call *c, const shape *s, const tensor *x, int64_t d, int64_t start)
{
	int64_t at[INTERP_RANK] = { 0 };

	at[d] = start;
	return interp_slice(c->r, s, x, at, NULL);
}

/* Writes x into y at `start` along dimension d. */
static void paste(tensor *y, const tensor *x, int64_t d, int64_t start)
{
	int64_t n[INTERP_RANK + 1], ds[INTERP_RANK + 1], ss[INTERP_RANK + 1];
	int k, w = tensor_words(x), rank = x->shape->rank;

	shape_strides(y->shape, w, ds);
	shape_strides(x->shape, w, ss);
	for (k = 0; k < rank; k++)
		n[k] = x->shape->dim[k];
	n[rank] = w;
	ds[rank] = ss[rank] = 1;
	interp_copy(rank + (w > 1), n, (int64_t *)tensor_data(y) + start * ds[d], ds, tensor_data(x), ss);
}

static bool dimension(const struct call *c, const tensor *x, int64_t *d)
{
	*d = interp_dimension(c->i, -1);
	if (*d < 0 || *d >= x->shape->rank)
		return interp_fail(c->r, c->i, "there is no dimension %lld", (long long)*d);
	return true;
}

static bool all_reduce(const struct call *c, const struct prog *p, int op, int n, const int *member, tensor **out)
{
	tensor *acc = fold_members(c, p, op, n, member);
	int k;

	acc->shape = part_shape(c, op, c->i->noperand);
	for (k = 0; k < n; k++)
		out[k] = k ? tensor_ref(acc) : acc;
	return true;
}

static bool reduce_scatter(const struct call *c, const struct prog *p, int op, int n, const int *member, tensor **out)
{
	const shape *s = part_shape(c, op, c->i->noperand);
	tensor *acc;
	int64_t d;
	int k;

	if (!dimension(c, operand(c, op, member[0]), &d))
		return false;
	if (s->rank != operand(c, op, member[0])->shape->rank || s->dim[d] * n != operand(c, op, member[0])->shape->dim[d])
		return interp_fail(c->r, c->i, "the shapes do not fit groups of %d", n);
	acc = fold_members(c, p, op, n, member);
	for (k = 0; k < n; k++)
		out[k] = cut(c, s, acc, d, k * s->dim[d]);
	tensor_unref(acc);
	return true;
}

static bool all_gather(const struct call *c, int op, int n, const int *member, tensor **out)
{
	const shape *s = part_shape(c, op, c->i->noperand);
	tensor *x = operand(c, op, member[0]), *y;
	int64_t d;
	int k;

	if (!dimension(c, x, &d))
		return false;
	if (s->rank != x->shape->rank || s->dim[d] != n * x->shape->dim[d])
		return interp_fail(c->r, c->i, "the shapes do not fit groups of %d", n);
	y = interp_alloc(c->r, s);
	for (k = 0; k < n; k++)
		paste(y, operand(c, op, member[k]), d, k * x->shape->dim[d]);
	for (k = 0; k < n; k++)
		out[k] = k ? tensor_ref(y) : y;
	return true;
}

static bool all_to_all(const struct call *c, int op, int n, const int *member, tensor **out)
{
	const shape *s = part_shape(c, op, c->i->noperand);
	tensor *x = operand(c, op, member[0]), *piece;
	int64_t d, len, dim[INTERP_RANK];
	const shape *ps;
	int k, m;

	if (!dimension(c, x, &d))
		return false;
	if (x->shape->dim[d] % n || !shape_equal(s, x->shape))
		return interp_fail(c->r, c->i, "dimension %lld does not divide into %d parts", (long long)d, n);
	len = x->shape->dim[d] / n;
	memcpy(dim, x->shape->dim, sizeof *dim * x->shape->rank);
	dim[d] = len;
	ps = shape_array(&c->r->scratch, s->type, s->rank, dim);
	for (k = 0; k < n; k++) {
		out[k] = interp_alloc(c->r, s);
		for (m = 0; m < n; m++) {
			piece = cut(c, ps, operand(c, op, member[m]), d, k * len);
			paste(out[k], piece, d, m * len);
			tensor_unref(piece);
		}
	}
	return true;
}

static bool broadcast(const struct call *c, int op, int n, const int *member, tensor **out)
{
	const attr *dynamic = inst_attr(c->i, "has_dynamic_root");
	int k;

	if (dynamic && dynamic->n && dynamic->ints[0])
		return interp_fail(c->r, c->i, "the sender of the broadcast is chosen at run time");
	for (k = 0; k < n; k++)
		out[k] = tensor_ref(operand(c, op, member[0]));
	return true;
}

/* Element k of member m's tuple goes to element m of member k's. */
static bool exchange_tuples(const struct call *c, int n, const int *member)
{
	tensor *out[1024];
	int k, m;

	if (c->i->noperand != n || n > 1024)
		return interp_fail(c->r, c->i, "%d operands for groups of %d", c->i->noperand, n);
	for (k = 0; k < n; k++) {
		for (m = 0; m < n; m++)
			out[m] = tensor_ref(operand(c, k, member[m]));
		c->result[c->slot[member[k]]] = interp_tuple(c->shape, n, out);
	}
	return true;
}

/* A scalar that torch_xla and Neuron pass along to order collectives: it has no dimension to work on. */
static bool is_token(const struct call *c, int op, int first)
{
	return (c->op == OP_REDUCE_SCATTER || c->op == OP_ALL_GATHER || c->op == OP_ALL_TO_ALL) && c->i->noperand > 1
	       && !operand(c, op, first)->shape->rank && !part_shape(c, op, c->i->noperand)->rank;
}

static bool pass_on(const struct call *c, int op, int n, const int *member, tensor **out)
{
	int k;

	interp_assume(c->r, "scalar operands of all-gather and reduce-scatter are tokens");
	for (k = 0; k < n; k++)
		out[k] = tensor_ref(operand(c, op, member[k]));
	return true;
}

/* out[k]: operand `op`'s result at the k-th member. */
static bool one_operand(const struct call *c, const struct prog *p, int op, int n, const int *member, tensor **out)
{
	if (is_token(c, op, member[0]))
		return pass_on(c, op, n, member, out);
	switch (c->op) {
	case OP_ALL_REDUCE: return all_reduce(c, p, op, n, member, out);
	case OP_REDUCE_SCATTER: return reduce_scatter(c, p, op, n, member, out);
	case OP_ALL_GATHER: return all_gather(c, op, n, member, out);
	case OP_ALL_TO_ALL: return all_to_all(c, op, n, member, out);
	case OP_COLLECTIVE_BROADCAST: return broadcast(c, op, n, member, out);
	default: return interp_fail(c->r, c->i, "%s has no public meaning here", c->i->opname);
	}
}

static bool group_results(const struct call *c, const struct prog *p, int n, const int *member)
{
	int nop = c->i->noperand, op, k;
	tensor **out = arena_zalloc(&c->r->scratch, sizeof *out * n * nop), **mine;
	bool ok = true;

	if (c->op == OP_ALL_TO_ALL && c->shape->type == T_TUPLE)
		return exchange_tuples(c, n, member);
	for (op = 0; ok && op < nop; op++)
		ok = one_operand(c, p, op, n, member, out + op * n);
	mine = arena_zalloc(&c->r->scratch, sizeof *mine * (nop + 1));
	for (k = 0; k < n; k++) {
		for (op = 0; op < nop; op++)
			mine[op] = out[op * n + k];
		if (ok)
			c->result[c->slot[member[k]]] = member_value(c, nop, mine);
		else
			for (op = 0; op < nop; op++)
				tensor_unref(mine[op]);
	}
	return ok;
}

/* ---- groups */

/* A group acts when all members are here; none of it may be here otherwise. */
static bool act(const struct call *c, const struct prog *p, int n, const int *member, bool *seen)
{
	int k, here = 0;

	for (k = 0; k < n; k++) {
		if (member[k] < 0 || member[k] >= c->r->ndev)
			return interp_fail(c->r, c->i, "its groups name device %d of %d", member[k], c->r->ndev);
		if (seen[member[k]])
			return interp_fail(c->r, c->i, "device %d is in two groups", member[k]);
		seen[member[k]] = true;
		here += c->slot[member[k]] >= 0;
	}
	if (here && here < n)
		return interp_fail(c->r, c->i, "only some devices of a group come here: the others took another branch or "
				   "left the loop");
	return !here || group_results(c, p, n, member);
}

/* One listed group for every replica or partition it is repeated on. */
static bool expand(const struct call *c, const struct prog *p, enum mode mode, int n, const int64_t *id, bool *seen)
{
	int R = (int)c->r->o.replicas, P = (int)c->r->o.partitions, k, x;
	int *m = ARENA_ARRAY(&c->r->scratch, int, n * P + 1);
	int64_t limit = mode == FLATTENED ? (int64_t)R * P : mode == CROSS_PARTITION ? P : R;

	for (k = 0; k < n; k++)
		if (id[k] < 0 || id[k] >= limit)
			return interp_fail(c->r, c->i, "its groups name %s %lld of %lld", mode == FLATTENED ? "device" :
					   mode == CROSS_PARTITION ? "partition" : "replica", (long long)id[k], (long long)limit);
	switch (mode) {
	case FLATTENED:
		for (k = 0; k < n; k++)
			m[k] = (int)id[k];
		return act(c, p, n, m, seen);
	case CROSS_BOTH:
		for (k = 0; k < n * P; k++)
			m[k] = (int)id[k / P] * P + k % P;
		return act(c, p, n * P, m, seen);
	case CROSS_REPLICA:
		for (x = 0; x < P; x++) {
			for (k = 0; k < n; k++)
				m[k] = (int)id[k] * P + x;
			if (!act(c, p, n, m, seen))
				return false;
		}
		return true;
	default:
		for (x = 0; x < R; x++) {
			for (k = 0; k < n; k++)
				m[k] = x * P + (int)id[k];
			if (!act(c, p, n, m, seen))
				return false;
		}
		return true;
	}
}

static bool everybody(const struct call *c, const struct prog *p, enum mode mode, bool *seen)
{
	int64_t n = mode == FLATTENED ? c->r->ndev : mode == CROSS_PARTITION ? c->r->o.partitions : c->r->o.replicas, k;
	int64_t *id = ARENA_ARRAY(&c->r->scratch, int64_t, n);

	for (k = 0; k < n; k++)
		id[k] = k;
	return expand(c, p, mode, (int)n, id, seen);
}

/* A tuple of zeros, or one, in the shape of the result. */
static void zeros_for_the_rest(const struct call *c)
{
	int k;

	for (k = 0; k < c->n; k++)
		if (!c->result[k])
			c->result[k] = interp_zero(c->r, c->shape);
}

static bool grouped(const struct call *c)
{
	const attr *a = inst_attr(c->i, "replica_groups");
	const groups *g = a ? a->groups : NULL;
	const struct prog *p = NULL;
	bool *seen = arena_zalloc(&c->r->scratch, c->r->ndev);
	int64_t at = 0;
	int k;

	if (c->op == OP_ALL_REDUCE || c->op == OP_REDUCE_SCATTER) {
		p = interp_prog(c->r, c->i, inst_comp(c->i, "to_apply"));
		if (!p)
			return false;
		if (p->nparam != 2 || p->nresult != 1)
			return interp_fail(c->r, c->i, "its computation does not fold two values");
	}
	if (mode_of(c) == CROSS_BOTH && c->r->o.replicas > 1 && c->r->o.partitions > 1 && !p)
		interp_assume(c->r, "groups over replicas and partitions are ordered replicas first");
	if (!g || !g->ngroup)
		return everybody(c, p, mode_of(c), seen);
	for (k = 0; k < g->ngroup; at += g->size[k++])
		if (!expand(c, p, mode_of(c), g->size[k], g->id + at, seen))
			return false;
	for (k = 0; k < c->n; k++)
		if (!seen[c->dev[k]] && c->op != OP_COLLECTIVE_BROADCAST)
			return interp_fail(c->r, c->i, "device %d is in no group", c->dev[k]);
	return true;
}

/* ---- collective-permute */

enum { PERMUTED_MAX = 64 };

static bool permute_to(const struct call *c, int to, int from)
{
	tensor *out[PERMUTED_MAX];
	int k = c->slot[to], op;

	if (k < 0)
		return true;
	if (c->i->noperand > PERMUTED_MAX)
		return interp_fail(c->r, c->i, "it permutes more than %d operands", PERMUTED_MAX);
	if (c->slot[from] < 0)
		return interp_fail(c->r, c->i, "device %d waits for device %d, which took another branch", to, from);
	if (c->result[k])
		return interp_fail(c->r, c->i, "device %d receives twice", to);
	for (op = 0; op < c->i->noperand; op++)
		out[op] = tensor_ref(c->value[op][c->slot[from]]);
	c->result[k] = member_value(c, op, out);
	return true;
}

static bool permute(const struct call *c)
{
	const attr *a = inst_attr(c->i, "source_target_pairs");
	bool partitions = mode_of(c) == CROSS_PARTITION;
	int R = (int)c->r->o.replicas, P = (int)c->r->o.partitions, k, x;
	int64_t limit = partitions ? P : R;

	if (c->shape->type == T_TUPLE ? c->shape->n != c->i->noperand : c->i->noperand != 1)
		return interp_fail(c->r, c->i, "operands and results do not match");
	for (k = 0; a && k < a->n; k++) {
		int64_t s = a->ints[2 * k], t = a->ints[2 * k + 1];

		if (s < 0 || t < 0 || s >= limit || t >= limit)
			return interp_fail(c->r, c->i, "a pair names device %lld, which does not exist",
					   (long long)(s > t ? s : t));
		for (x = 0; x < (partitions ? R : P); x++)
			if (!permute_to(c, partitions ? x * P + (int)t : (int)t * P + x,
					partitions ? x * P + (int)s : (int)s * P + x))
				return false;
	}
	return true;
}

/* ---- the tuple an X-start gives: (operands, result, context..) */

static void wrap_start(const struct call *c)
{
	const shape *s = c->i->shape;
	int k, j, op;

	for (k = 0; k < c->n; k++) {
		tensor **out = arena_zalloc(&c->r->scratch, sizeof *out * s->n), **in;

		in = arena_zalloc(&c->r->scratch, sizeof *in * (c->i->noperand + 1));
		for (op = 0; op < c->i->noperand; op++)
			in[op] = tensor_ref(c->value[op][k]);
		out[0] = s->elem[0]->type == T_TUPLE ? interp_tuple(s->elem[0], c->i->noperand, in) : in[0];
		out[1] = c->result[k];
		for (j = 2; j < s->n; j++)
			out[j] = interp_zero(c->r, s->elem[j]);
		c->result[k] = interp_tuple(s, s->n, out);
	}
}

bool interp_collective(interp *r, const inst *i, int ndev, const int *dev, tensor *const *const *value, tensor **result)
{
	struct call c = { r, i, base_op(i->opcode), ndev, dev, NULL, value, result, i->shape };
	bool start = i->opcode == OP_ALL_GATHER_START || i->opcode == OP_COLLECTIVE_PERMUTE_START, ok;
	int k, op;

	if (start && (i->shape->type != T_TUPLE || i->shape->n < 2))
		return interp_fail(r, i, "its result is no tuple of operand and result");
	if (start)
		c.shape = i->shape->elem[1];
	for (op = 0; op < i->noperand; op++)
		if (value[op][0]->nelem || !tensor_data(value[op][0]))
			return interp_fail(r, i, "operand %d is no tensor", op);
	if (i->noperand < 1 || (c.shape->type == T_TUPLE && c.op != OP_ALL_TO_ALL && c.shape->n != i->noperand))
		return interp_fail(r, i, "operands and results do not match");
	c.slot = ARENA_ARRAY(&r->scratch, int, r->ndev);
	for (k = 0; k < r->ndev; k++)
		c.slot[k] = -1;
	for (k = 0; k < ndev; k++)
		c.slot[dev[k]] = k;
	ok = c.op == OP_COLLECTIVE_PERMUTE ? permute(&c) : grouped(&c);
	if (!ok)
		return false;
	zeros_for_the_rest(&c);
	if (start)
		wrap_start(&c);
	return true;
}
