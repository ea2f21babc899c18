#include "tensor/infer_in.h"

#include <inttypes.h>
#include "util/integers.h"

bool infer_applies(struct infer *f, const char *key, int nparam)
{
	const comp *c = inst_comp(f->i, key);

	if (c && c->nparam == nparam)
		return true;
	if (c)
		infer_no(f, "%%%s has %d parameters, %s needs %d", c->name, c->nparam, f->i->opname, nparam);
	else
		infer_no(f, "%s= is missing", key);
	return false;
}

/* One shape of the current extents per operand, with the type of its start value. */
static const shape *per_operand(struct infer *f, int n, int type_from)
{
	const shape **elem;

	if (n == 1)
		return infer_array(f, in(f, type_from)->type);
	elem = ARENA_ARRAY(f->a, const shape *, n);
	for (int k = 0; k < n; k++)
		elem[k] = infer_array(f, in(f, type_from + k)->type);
	return infer_tuple(f, elem, n);
}

static bool reduce_operands(struct infer *f, int *n)
{
	*n = f->i->noperand / 2;
	if (f->i->noperand < 2 || f->i->noperand % 2) {
		infer_no(f, "%s with %d operands", f->i->opname, f->i->noperand);
		return false;
	}
	for (int k = 0; k < *n; k++) {
		if (!same_dims(in(f, k), in(f, 0))) {
			infer_no(f, "the operands are %s and %s", show(f, in(f, 0)), show(f, in(f, k)));
			return false;
		}
		if (in(f, *n + k)->rank || !infer_compatible(f, in(f, *n + k)->type, in(f, k)->type)) {
			infer_no(f, "the initial value is %s for %s", show(f, in(f, *n + k)), show(f, in(f, k)));
			return false;
		}
	}
	return infer_applies(f, "to_apply", f->i->noperand);
}

const shape *infer_reduce(struct infer *f)
{
	int n, nd;
	const int64_t *d;

	if (!reduce_operands(f, &n))
		return NULL;
	d = infer_dims(f, "dimensions", &nd, in(f, 0)->rank);
	if (!d)
		return NULL;
	for (int k = 0; k < in(f, 0)->rank; k++)
		if (!integers_have(d, nd, k))
			f->dim[f->rank++] = in(f, 0)->dim[k];
	return per_operand(f, n, n);
}

const shape *infer_reduce_window(struct infer *f)
{
	int n;

	if (!reduce_operands(f, &n) || !infer_window(f, in(f, 0), inst_attr(f->i, "window")))
		return NULL;
	return per_operand(f, n, n);
}

const shape *infer_select_and_scatter(struct infer *f)
{
	if (!infer_window(f, in(f, 0), inst_attr(f->i, "window")) || !infer_applies(f, "select", 2) ||
	    !infer_applies(f, "scatter", 2))
		return NULL;
	if (f->rank != in(f, 1)->rank || (f->rank && memcmp(f->dim, in(f, 1)->dim, f->rank * sizeof *f->dim)))
		return infer_no(f, "the source is %s", show(f, in(f, 1)));
	if (!infer_compatible(f, in(f, 1)->type, in(f, 0)->type))
		return infer_no(f, "the source is %s", show(f, in(f, 1)));
	if (in(f, 2)->rank || !infer_compatible(f, in(f, 2)->type, in(f, 0)->type))
		return infer_no(f, "the initial value is %s for %s", show(f, in(f, 2)), show(f, in(f, 0)));
	take_dims(f, in(f, 0));
	return infer_array(f, in(f, 0)->type);
}

const shape *infer_sort(struct infer *f)
{
	int n, count = f->i->noperand;

	if (!count)
		return infer_no(f, "sort of nothing");
	if (!infer_dims(f, "dimensions", &n, in(f, 0)->rank) || !infer_applies(f, "to_apply", 2 * count))
		return NULL;
	if (n != 1)
		return infer_no(f, "it takes one dimension, not %d", n);
	for (int k = 1; k < count; k++)
		if (!same_dims(in(f, k), in(f, 0)))
			return infer_no(f, "the operands are %s and %s", show(f, in(f, 0)), show(f, in(f, k)));
	take_dims(f, in(f, 0));
	return per_operand(f, count, 0);
}

const shape *infer_topk(struct infer *f)
{
	const shape *x = in(f, 0), *elem[2];
	int64_t k = inst_int(f->i, "k", -1);

	if (!x->rank || k < 0 || k > x->dim[x->rank - 1])
		return infer_no(f, "k=%" PRId64 " for %s", k, show(f, x));
	take_dims(f, x);
	f->dim[f->rank - 1] = k;
	elem[0] = infer_array(f, x->type);
	elem[1] = infer_array(f, T_S32);
	return infer_tuple(f, elem, 2);
}

const shape *infer_map(struct infer *f)
{
	const comp *c = inst_comp(f->i, "to_apply");

	if (!f->i->noperand || !infer_applies(f, "to_apply", f->i->noperand))
		return NULL;
	for (int k = 1; k < f->i->noperand; k++)
		if (!same_dims(in(f, k), in(f, 0)))
			return infer_no(f, "the operands are %s and %s", show(f, in(f, 0)), show(f, in(f, k)));
	take_dims(f, in(f, 0));
	return infer_array(f, c->root->shape->type);
}

const shape *infer_batch_norm(struct infer *f)
{
	const shape *x = in(f, 0), *elem[3];
	int64_t d = inst_int(f->i, "feature_index", -1);

	if (d < 0 || d >= x->rank)
		return infer_no(f, "feature_index=%" PRId64 " for %s", d, show(f, x));
	for (int k = 1; k < f->i->noperand; k++) {
		const shape *s = in(f, k);
		bool whole = f->i->opcode == OP_BATCH_NORM_GRAD && k == 4;

		if (whole ? !same_dims(s, x) : s->rank != 1 || s->dim[0] != x->dim[d])
			return infer_no(f, "operand %d is %s for %s", k, show(f, s), show(f, x));
	}
	take_dims(f, x);
	elem[0] = infer_array(f, x->type);
	if (f->i->opcode == OP_BATCH_NORM_INFERENCE)
		return elem[0];
	f->rank = 1;
	f->dim[0] = x->dim[d];
	elem[1] = elem[2] = infer_array(f, in(f, 1)->type);
	return infer_tuple(f, elem, 3);
}
