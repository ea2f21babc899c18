#include "tensor/infer_in.h"

#include <inttypes.h>

const shape *infer_get_tuple_element(struct infer *f)
{
	const shape *x = in(f, 0);

	if (x->type != T_TUPLE || f->i->number < 0 || f->i->number >= x->n)
		return infer_no(f, "%s has no element %" PRId64, show(f, x), f->i->number);
	return x->elem[f->i->number];
}

/* The operands from `first` on are the parameters of c. */
static bool passes(struct infer *f, const comp *c, int first, int n)
{
	if (c->nparam != n) {
		infer_no(f, "%%%s has %d parameters, %d operands are given", c->name, c->nparam, n);
		return false;
	}
	for (int k = 0; k < n; k++) {
		const shape *p = c->param[k]->shape;

		if (p && !shape_equal(p, in(f, first + k))) {
			infer_no(f, "parameter %d of %%%s is %s, the operand is %s", k, c->name, show(f, p),
			   show(f, in(f, first + k)));
			return false;
		}
	}
	return true;
}

const shape *infer_call(struct infer *f, const char *key)
{
	const comp *c = inst_comp(f->i, key);

	if (!c)
		return infer_no(f, "%s= is missing", key);
	return passes(f, c, 0, f->i->noperand) ? c->root->shape : NULL;
}

const shape *infer_while(struct infer *f)
{
	const comp *c = inst_comp(f->i, "condition"), *b = inst_comp(f->i, "body");

	if (!c || !b)
		return infer_no(f, "condition= or body= is missing");
	if (!passes(f, c, 0, 1) || !passes(f, b, 0, 1))
		return NULL;
	if (c->root->shape->type != T_PRED || c->root->shape->rank)
		return infer_no(f, "the condition gives %s", show(f, c->root->shape));
	if (!shape_equal(b->root->shape, in(f, 0)))
		return infer_no(f, "the body gives %s for %s", show(f, b->root->shape), show(f, in(f, 0)));
	return in(f, 0);
}

const shape *infer_conditional(struct infer *f)
{
	const attr *x = inst_attr(f->i, "branch_computations");
	comp *pair[2] = { inst_comp(f->i, "true_computation"), inst_comp(f->i, "false_computation") };
	comp *const *branch = x ? x->comps : pair;
	int n = x ? x->n : 2;

	if (!n || !branch[0] || !branch[n - 1] || f->i->noperand != n + 1)
		return infer_no(f, "conditional with %d operands for its branches", f->i->noperand);
	if (in(f, 0)->rank || (in(f, 0)->type != T_PRED && in(f, 0)->type != T_S32))
		return infer_no(f, "the choice is %s", show(f, in(f, 0)));
	for (int k = 0; k < n; k++) {
		if (!passes(f, branch[k], k + 1, 1))
			return NULL;
		if (!shape_equal(branch[k]->root->shape, branch[0]->root->shape))
			return infer_no(f, "the branches give %s and %s", show(f, branch[0]->root->shape),
				  show(f, branch[k]->root->shape));
	}
	return branch[0]->root->shape;
}

/* ((operands), result, contexts...): the contexts are free. */
const shape *infer_async_start(struct infer *f)
{
	const shape *s = f->i->shape, *given;
	const comp *c = inst_comp(f->i, "calls");

	if (!s || !c)
		return infer_no(f, "async-start needs calls= and its shape");
	if (!passes(f, c, 0, f->i->noperand))
		return NULL;
	if (s->type != T_TUPLE || s->n < 2 || s->elem[0]->type != T_TUPLE)
		return infer_no(f, "async-start gives ((operands), result, ...), the text says %s", show(f, s));
	given = c->root->shape;
	if (!shape_equal(s->elem[1], given))
		return infer_no(f, "%%%s gives %s, the text says %s", c->name, show(f, given), show(f, s->elem[1]));
	if (s->elem[0]->n != f->i->noperand)
		return infer_no(f, "async-start has %d operands, the text says %s", f->i->noperand, show(f, s->elem[0]));
	for (int k = 0; k < f->i->noperand; k++)
		if (!shape_equal(s->elem[0]->elem[k], in(f, k)))
			return infer_no(f, "operand %d is %s, the text says %s", k, show(f, in(f, k)),
				  show(f, s->elem[0]->elem[k]));
	return s;
}

const shape *infer_async_done(struct infer *f)
{
	const shape *s = in(f, 0);

	if (s->type != T_TUPLE || s->n < 2)
		return infer_no(f, "async-done of %s", show(f, s));
	return s->elem[1];
}

const shape *infer_copy_start(struct infer *f)
{
	const shape *s = f->i->shape;

	if (!s || s->type != T_TUPLE || s->n < 2)
		return NULL;
	if (!shape_equal(s->elem[0], in(f, 0)) || !shape_equal(s->elem[1], in(f, 0)))
		return infer_no(f, "copy-start of %s, the text says %s", show(f, in(f, 0)), show(f, s));
	return s;
}

const shape *infer_copy_done(struct infer *f)
{
	const shape *s = in(f, 0);

	return s->type == T_TUPLE && s->n ? s->elem[0] : NULL;
}

static bool literal_fits(const literal *x, const shape *s)
{
	if (!x)
		return false;
	if (x->elided)
		return true;
	if (s->type != T_TUPLE)
		return x->count == shape_elements(s) && (x->i || x->f);
	if (x->n != s->n)
		return false;
	for (int k = 0; k < x->n; k++)
		if (!literal_fits(x->elem[k], s->elem[k]))
			return false;
	return true;
}

const shape *infer_constant(struct infer *f)
{
	const shape *s = f->i->shape;

	if (s && !literal_fits(f->i->literal, s))
		return infer_no(f, "the constant does not fit %s", show(f, s));
	return s;
}

const shape *infer_iota(struct infer *f)
{
	const shape *s = f->i->shape;
	int64_t d = inst_int(f->i, "iota_dimension", -1);

	if (s && (d < 0 || d >= s->rank))
		return infer_no(f, "iota_dimension=%" PRId64 " of %s", d, show(f, s));
	return s;
}

const shape *infer_token(struct infer *f)
{
	f->rank = 0;
	return shape_array(f->a, T_TOKEN, 0, f->dim);
}

const shape *infer_scalar(struct infer *f, enum etype t)
{
	f->rank = 0;
	return shape_array(f->a, t, 0, f->dim);
}
