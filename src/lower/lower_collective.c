#include "lower/lower_in.h"

#include <string.h>

static bool group_is_partitions(const inst *i)
{
	switch (i->opcode) {
	case OP_ALL_TO_ALL: case OP_RAGGED_ALL_TO_ALL: case OP_COLLECTIVE_BROADCAST:
		return true;
	default:
		return false;
	}
}

/* The ids of all trips: those of trip s stand D s behind. */
static void put_trips(lowering *w, struct list *out, const struct list *l, bool devices)
{
	int64_t s;
	int k;

	for (s = 0; s < w->trips; s++)
		for (k = 0; k < l->n; k++)
			list_put(w, out, l->v[k] + (devices ? s * w->p->ndev : 0));
}

/* dimension, number of groups, sizes, members as device ids: whatever the mode */
static void put_groups(lowering *w, const inst *i, int64_t dim, struct list *out)
{
	const attr *g = inst_attr(i, "replica_groups");
	const groups *gr = g && g->kind == ATTR_GROUPS ? g->groups : NULL;
	bool channel = inst_int(i, "channel_id", 0) > 0, global = inst_bool(i, "use_global_device_ids", false);
	int64_t P = w->parts, R = w->reps, all = P * R, none = gr ? gr->ngroup : 0, x, y, k;
	struct list size = { 0 }, id = { 0 };
	const int64_t *m = gr ? gr->id : NULL;
	int q;

	if (!global)
		lower_ids_are_devices(w);
	if (none == 0) {	/* one group of all */
		int64_t n = w->bare || global ? all : !channel ? R : group_is_partitions(i) ? P : R;
		int64_t *ids = ARENA_ARRAY(&w->p->a, int64_t, n);
		int *one = ARENA_ARRAY(&w->p->a, int, 1);
		groups *made = ARENA_NEW(&w->p->a, groups);
		for (k = 0; k < n; k++)
			ids[k] = k;
		one[0] = (int)n;
		*made = (groups){ 1, one, ids, NULL };
		gr = made;
		m = ids;
	}
	for (q = 0; q < gr->ngroup; m += gr->size[q++]) {
		int n = gr->size[q];
		if (global || w->bare) {
			list_put(w, &size, n);
			for (k = 0; k < n; k++)
				list_put(w, &id, m[k]);
		} else if (!channel) {			/* replica ids, for every partition */
			for (y = 0; y < P; y++) {
				list_put(w, &size, n);
				for (k = 0; k < n; k++)
					list_put(w, &id, m[k] * P + y);
			}
		} else if (group_is_partitions(i)) {	/* partition ids, for every replica */
			for (x = 0; x < R; x++) {
				list_put(w, &size, n);
				for (k = 0; k < n; k++)
					list_put(w, &id, x * P + m[k]);
			}
		} else {				/* replica ids, all partitions in one group */
			list_put(w, &size, n * P);
			for (k = 0; k < n; k++)
				for (y = 0; y < P; y++)
					list_put(w, &id, m[k] * P + y);
		}
	}
	list_put(w, out, dim);
	list_put(w, out, size.n * w->trips);
	put_trips(w, out, &size, false);
	put_trips(w, out, &id, true);
}

/* Pairs source, target as device ids; a broadcast is its root to every member. */
static void put_pairs(lowering *w, const inst *i, struct list *to)
{
	const attr *a = inst_attr(i, "source_target_pairs");
	bool channel = inst_int(i, "channel_id", 0) > 0;
	struct list pairs = { 0 }, *out = &pairs;
	int64_t x;
	int k;

	if (i->opcode == OP_COLLECTIVE_BROADCAST) {
		struct list g = { 0 };
		int64_t *p, ng, q;
		put_groups(w, i, -1, &g);
		ng = g.v[1];
		p = g.v + 2 + ng;
		for (q = 0; q < ng; p += g.v[2 + q++])
			for (x = 0; x < g.v[2 + q]; x++) {
				list_put(w, to, p[0]);
				list_put(w, to, p[x]);
			}
		return;
	}
	lower_ids_are_devices(w);
	for (k = 0; a && k < a->n; k++) {
		int64_t s = a->ints[2 * k], t = a->ints[2 * k + 1];
		if (w->bare) {
			list_put(w, out, s);
			list_put(w, out, t);
		} else if (channel) {
			for (x = 0; x < w->reps; x++) {
				list_put(w, out, x * w->parts + s);
				list_put(w, out, x * w->parts + t);
			}
		} else {
			for (x = 0; x < w->parts; x++) {
				list_put(w, out, s * w->parts + x);
				list_put(w, out, t * w->parts + x);
			}
		}
	}
	put_trips(w, to, &pairs, true);
}

/* The operation of a reducer of two scalars, or NULL. */
/* Does it compute in the element type of all it is given?  Else it rounds, or reads bits as another type. */
static bool of_its_operands(const comp *c, const inst *i)
{
	int j, k;

	for (j = 0; j < i->noperand; j++) {
		enum etype t = i->operand[j]->shape->type;
		if (t == T_TUPLE || t == T_TOKEN || (i->opcode == OP_SCATTER && j == 1))
			continue;
		for (k = 0; k < c->nparam; k++)
			if (c->param[k]->shape->type != t)
				return false;
	}
	return true;
}

const char *lower_reducer(const inst *i)
{
	const comp *c = inst_comp(i, "to_apply");
	const inst *r = c ? c->root : NULL;

	if (!r || !of_its_operands(c, i))
		return NULL;

	if (c->nparam != 2 || c->ninst != 3 || r->noperand != 2)
		return lower_truth_kind(c);
	if (!((r->operand[0] == c->param[0] && r->operand[1] == c->param[1]) ||
	      (r->operand[0] == c->param[1] && r->operand[1] == c->param[0])))
		return NULL;
	switch (r->opcode) {
	case OP_ADD: case OP_MULTIPLY: case OP_MAXIMUM: case OP_MINIMUM: case OP_AND: case OP_OR:
		return opcode_name(r->opcode);
	default:
		return NULL;
	}
}

/* One row per operand of a collective: each alone. */
static val *each_operand(lowering *w, const inst *i, val **arg, const char *prefix, const char *family, struct list *l, const char *name,
			 const char *why)
{
	const shape *s = i->shape;
	val *v;
	int k;

	if (i->opcode == OP_ALL_GATHER_START || i->opcode == OP_COLLECTIVE_PERMUTE_START)
		s = s->type == T_TUPLE && s->n > 1 ? s->elem[1] : s;
	v = s->type == T_TUPLE ? val_tuple(w, s->n) : NULL;
	for (k = 0; k < i->noperand; k++) {
		struct emit e = emit_start(i, prefix, family);
		int *op = ARENA_ARRAY(&w->p->a, int, 1);
		val *r;
		if (s->type == T_TUPLE && k >= s->n)
			break;
		if (arg[k]->row < 0) {	/* a token passes through */
			r = arg[k];
		} else {
			op[0] = arg[k]->row;
			e.op = op;
			e.nop = 1;
			e.ints = l->v;
			e.nint = l->n;
			e.name = name;
			e.why = why;
			e.shape = lower_element_shape(s, k);
			e.element = s->type == T_TUPLE ? k : -1;
			r = val_row(w, lower_emit(w, &e));
		}
		if (!v)
			return r;
		v->elem[k] = r;
	}
	if (v && i->noperand < s->n)
		for (; k < s->n; k++)
			v->elem[k] = val_row(w, -1);
	return v ? v : val_row(w, -1);
}

/* How many results a permutation has: one per operand, but where pieces of tensors are permuted in place. */
static int permuted(const inst *i)
{
	const shape *s = i->shape;

	if (i->opcode == OP_COLLECTIVE_PERMUTE_START && s->type == T_TUPLE && s->n > 1)
		s = s->elem[1];
	return s->type == T_TUPLE ? s->n : 1;
}

val *lower_collective(lowering *w, const inst *i, val **arg, const char *prefix)
{
	struct list l = { 0 };
	const char *op = lower_reducer(i), *why = NULL;
	int nd;
	const int64_t *dims = inst_ints(i, "dimensions", &nd);
	val *v, *t;

	switch (i->opcode) {
	case OP_ALL_REDUCE: case OP_ALL_REDUCE_START:
		put_groups(w, i, -1, &l);
		return each_operand(w, i, arg, prefix, "all-reduce", &l, op ? op : lower_reducer_text(w, i), NULL);
	case OP_REDUCE_SCATTER:
		put_groups(w, i, nd ? dims[0] : 0, &l);
		return each_operand(w, i, arg, prefix, "reduce-scatter", &l, op ? op : lower_reducer_text(w, i), NULL);
	case OP_ALL_GATHER: case OP_ALL_GATHER_START:
		put_groups(w, i, nd ? dims[0] : 0, &l);
		v = each_operand(w, i, arg, prefix, "all-gather", &l, NULL, NULL);
		break;
	case OP_COLLECTIVE_PERMUTE: case OP_COLLECTIVE_PERMUTE_START: case OP_COLLECTIVE_BROADCAST:
		if (i->noperand != permuted(i) || (i->noperand > 1 && inst_attr(i, "slice_sizes")))
			why = "operands and results do not match";
		put_pairs(w, i, &l);
		v = why ? emit_plain(w, i, arg, prefix, why) : each_operand(w, i, arg, prefix, "collective-permute", &l, NULL, NULL);
		break;
	case OP_ALL_TO_ALL:
		if (nd && i->shape->type != T_TUPLE) {
			put_groups(w, i, dims[0], &l);
			return each_operand(w, i, arg, prefix, "all-to-all", &l, NULL, NULL);
		}
		if (i->shape->type != T_TUPLE)
			return emit_plain(w, i, arg, prefix, NULL);
		v = val_tuple(w, i->shape->n);
		for (nd = 0; nd < i->shape->n; nd++) {
			struct emit e = emit_start(i, prefix, "all-to-all-tuple");
			struct list g = { 0 };
			put_groups(w, i, nd, &g);
			e.ints = g.v;
			e.nint = g.n;
			e.op = lower_rows(w, arg, i->noperand, &e.nop);
			e.shape = i->shape->elem[nd];
			e.element = nd;
			v->elem[nd] = val_row(w, lower_emit(w, &e));
		}
		return v;
	default:
		return emit_plain(w, i, arg, prefix, NULL);
	}
	if (i->opcode != OP_ALL_GATHER_START && i->opcode != OP_COLLECTIVE_PERMUTE_START)
		return v;
	t = val_tuple(w, 2);	/* (operand, result), taken apart by -done */
	t->elem[0] = arg[0];
	t->elem[1] = v;
	return t;
}

/* ---- what crosses devices */

/* Does the instruction say so itself, by its opcode or the name of what it calls? */
static bool speaks_of_devices(const inst *i)
{
	static const char *const words[] = { "SPMD", "ollective", "llReduce", "llGather", "llToAll", "all_reduce", "all_gather",
		"all_to_all", "all-reduce", "all-gather", "all-to-all", "reduce-scatter", "ermute", "endRecv", "sendrecv", "allreduce", "allgather", "alltoall", NULL };
	const char *t = i->opcode == OP_UNKNOWN ? i->opname : lower_call_target(i);
	int k;

	if (opcode_class(i->opcode) == 'c' || opcode_class(i->opcode) == 'e' || i->opcode == OP_PARTITION_ID || i->opcode == OP_REPLICA_ID)
		return true;
	if (i->opcode == OP_ASYNC_START || i->opcode == OP_ASYNC_UPDATE || i->opcode == OP_ASYNC_DONE || lower_effect(i))
		return true;
	for (k = 0; words[k]; k++)
		if (strstr(t, words[k]))
			return true;
	return false;
}

static void note_once(vec *seen, const comp *c)
{
	uint32_t k;

	for (k = 0; k < seen->n && VEC_AT(const comp *, seen, k) != c; k++)
		;
	if (k == seen->n)
		*(const comp **)vec_push(seen) = c;
}

/* Does it by itself?  What it calls is noted in `called`, each computation once: they may call one another as often as they like. */
static bool crosses(const inst *i, vec *called)
{
	int k, j;

	if (i->opcode == OP_CUSTOM_CALL && lower_is_marker(lower_call_target(i)) && !strstr(lower_call_target(i), "SPMD"))
		return false;
	if (speaks_of_devices(i))
		return true;
	for (k = 0; k < i->nattr; k++)
		for (j = 0; j < (i->attr[k].kind == ATTR_COMP ? 1 : i->attr[k].kind == ATTR_COMPS ? i->attr[k].n : 0); j++)
			note_once(called, i->attr[k].comps[j]);
	return false;
}

bool lower_crosses(const inst *i)
{
	vec called;
	uint32_t k;
	int j;
	bool yes;

	vec_init_few(&called, sizeof(const comp *));
	yes = crosses(i, &called);
	for (k = 0; k < called.n && !yes; k++) {
		const comp *c = VEC_AT(const comp *, &called, k);
		for (j = 0; j < c->ninst && !yes; j++)
			yes = crosses(c->inst[j], &called);
	}
	vec_free(&called);
	return yes;
}
