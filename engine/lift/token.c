#include "lift/token.h"

enum { DEPTH = 16 };

static const token_mark *mark_of(const algebra *a, eg_id tensor)
{
	uint32_t i;

	for (i = 0; i < a->token.n; i++)
		if (VEC_AT(token_mark, &a->token, i).tensor == tensor)
			return &VEC_AT(token_mark, &a->token, i);
	return NULL;
}

static void add(algebra *a, eg_id tensor, eg_id core, eg_id factor)
{
	token_mark *m;

	if (mark_of(a, tensor))
		return;
	m = trail_push(a->tr, &a->token);
	*m = (token_mark){ tensor, core, factor };
}

void token_input(algebra *a, eg_id tensor)
{
	add(a, tensor, NIL, NIL);
}

/* Computed, as it is written, from tokens alone. */
static bool from_tokens(const algebra *a, eg_id t, int depth)
{
	const eg_id *arg = eg_args(a->g, t);
	uint32_t k, n = eg_narg(a->g, t);

	if (mark_of(a, t))
		return true;
	for (k = 0; k < n && depth && core_kind(a, arg[k]) == C_TENSOR; k++)
		if (!from_tokens(a, arg[k], depth - 1))
			return false;
	return n && k == n;
}

/* Is it the core of a product of a token, or of what is reduced from one? */
static bool marked_core(const algebra *a, eg_id core)
{
	uint32_t i;

	for (i = 0; i < a->token.n; i++) {
		eg_id c = VEC_AT(token_mark, &a->token, i).core;
		if (c != NIL && eg_root(a->g, c) == eg_root(a->g, core))
			return true;
	}
	return false;
}

static bool is_token(lift *l, int k)
{
	slot t = slot_read(l->op[k].x, ix_const(&l->a->s, 0), RAT_ONE);
	number v;

	if (layout_elements(&l->op[k].l) != 1 || !type_is_float(l->op[k].type))
		return false;
	return marked_core(l->a, t.x) ||
	       (slot_number(l->a, &t, &v) && number_is_rat(v) && !v.r.num && from_tokens(l->a, l->op[k].t, DEPTH));
}

void token_product(lift *l, eg_id laid)
{
	int k;

	if (!l->a->token.n || l->nop != 2 || laid == NIL)
		return;
	for (k = 0; k < 2; k++)
		if (is_token(l, k) && layout_elements(&l->op[1 - k].l) == 1) {
			bool zero = is_token(l, 1 - k) || fact_finite(l->a, l->op[1 - k].x);
			add(l->a, l->node, zero ? NIL : eg_args(l->a->g, laid)[0], zero ? NIL : l->op[1 - k].t);
			return;
		}
}

void token_reduced(lift *l, eg_id laid)
{
	if (l->a->token.n && laid != NIL && is_token(l, 0) && marked_core(l->a, l->op[0].x))
		add(l->a, l->node, eg_args(l->a->g, laid)[0], NIL);
}

static const token_mark *product_of(const algebra *a, eg_id n)
{
	uint32_t i;

	for (i = 0; i < a->token.n; i++) {
		const token_mark *m = &VEC_AT(token_mark, &a->token, i);
		if (m->factor != NIL && eg_root(a->g, m->core) == eg_root(a->g, n))
			return m;
	}
	return NULL;
}

/* All products taken to be 0 are one class afterwards: which it was is among the premises. */
const token_mark *token_assumed(const algebra *a, const hist_entry *h)
{
	const premise *q = history_premises(a, h);
	uint32_t i, k;

	for (i = 0; i < a->token.n; i++)
		for (k = 0; k < h->nprem; k++)
			if (VEC_AT(token_mark, &a->token, i).core == q[k].x && q[k].y == h->node)
				return &VEC_AT(token_mark, &a->token, i);
	return NULL;
}

/* 0 x = 0, where the 0 is a token and x is assumed to be finite. */
eg_id prim_token_product(algebra *a, eg_id n)
{
	const token_mark *m = a->token.n ? product_of(a, n) : NULL;
	work *w;
	number v;
	int k;

	if (!m)
		return NIL;
	history_premise(a, m->core, n);
	w = work_open(a, n);
	for (k = 0; k < w->nslot; k++)
		if (w->slot[k].c.num > 0 && slot_number(a, &w->slot[k], &v) && number_is_rat(v) && !v.r.num)
			return result_number(a, w, RAT_ZERO);
	return NIL;
}
