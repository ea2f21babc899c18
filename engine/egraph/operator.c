#include "egraph/egraph_in.h"

#include <string.h>
#include "util/hash.h"

/* ---- values */

static uint32_t value_hash(eg_sort sort, const void *bytes, size_t n)
{
	return (uint32_t)(hash_bytes(bytes, n, sort) >> 32);
}

static bool value_is(const egraph *g, uint32_t id, eg_sort sort, const void *bytes, size_t n)
{
	const struct eg_value_info *v = &VEC_AT(struct eg_value_info, &g->value, id);

	return v->sort == sort && v->n == n &&
	       (!n || !memcmp(VEC(uint64_t, &g->bytes) + v->at, bytes, n));
}

static eg_val value_new(egraph *g, uint32_t hash, eg_sort sort, const void *bytes, size_t n)
{
	struct eg_value_info *v = vec_push(&g->value);
	uint32_t words = (uint32_t)((n + 7) / 8);

	v->sort = sort;
	v->n = n;
	v->at = g->bytes.n;
	if (n)	/* a list of nothing may come without an address */
		memcpy(vec_push_n(&g->bytes, words), bytes, n);
	key_table_insert(&g->values, hash, g->value.n - 1);
	trail_call(&g->trail, g->undo_value, g->value.n - 1);
	return g->value.n - 1;
}

eg_val eg_value(egraph *g, eg_sort sort, const void *bytes, size_t n)
{
	uint32_t hash = value_hash(sort, bytes, n), i;
	const struct key_table *t = &g->values;

	for (i = hash & t->mask; t->at[i].id != NIL; i = (i + 1) & t->mask)
		if (t->at[i].hash == hash && value_is(g, t->at[i].id, sort, bytes, n))
			return t->at[i].id;
	return value_new(g, hash, sort, bytes, n);
}

void eg_undo_value(void *ctx, uint32_t id)
{
	egraph *g = ctx;
	struct eg_value_info *v = &VEC_AT(struct eg_value_info, &g->value, id);

	key_table_remove(&g->values, value_hash(v->sort, VEC(uint64_t, &g->bytes) + v->at, v->n), id);
	g->bytes.n = v->at;
	g->value.n--;
}

const void *eg_value_bytes(const egraph *g, eg_val v, size_t *n)
{
	const struct eg_value_info *p = &VEC_AT(struct eg_value_info, &g->value, v);

	if (n)
		*n = p->n;
	return VEC(uint64_t, &g->bytes) + p->at;
}

eg_sort eg_value_sort(const egraph *g, eg_val v)
{
	return VEC_AT(struct eg_value_info, &g->value, v).sort;
}

uint32_t eg_nvalue(const egraph *g)
{
	return g->value.n;
}

/* ---- operators */

static eg_op op_new(egraph *g, uint32_t hash, eg_fam f, uint32_t nval, const eg_val *vals)
{
	struct eg_opinfo *o = vec_push(&g->op);

	o->fam = f;
	o->nval = nval;
	o->val = g->opval.n;
	if (nval)
		memcpy(vec_push_n(&g->opval, nval), vals, nval * sizeof *vals);
	key_table_insert(&g->operators, hash, g->op.n - 1);
	trail_call(&g->trail, g->undo_op, g->op.n - 1);
	return g->op.n - 1;
}

eg_op eg_find_operator(const egraph *g, eg_fam f, uint32_t nval, const eg_val *vals)
{
	uint32_t hash = key_hash(f, nval, vals), i;
	const struct key_table *t = &g->operators;

	for (i = hash & t->mask; t->at[i].id != NIL; i = (i + 1) & t->mask) {
		const struct eg_opinfo *o = &VEC_AT(struct eg_opinfo, &g->op, t->at[i].id);

		if (t->at[i].hash == hash && o->fam == f && o->nval == nval &&
		    same_key(nval, &VEC_AT(eg_val, &g->opval, o->val), vals))
			return t->at[i].id;
	}
	return NIL;
}

eg_op eg_operator(egraph *g, eg_fam f, uint32_t nval, const eg_val *vals)
{
	eg_op o = eg_find_operator(g, f, nval, vals);

	return o != NIL ? o : op_new(g, key_hash(f, nval, vals), f, nval, vals);
}

void eg_undo_op(void *ctx, uint32_t id)
{
	egraph *g = ctx;
	struct eg_opinfo *o = &VEC_AT(struct eg_opinfo, &g->op, id);
	uint32_t hash = key_hash(o->fam, o->nval, &VEC_AT(eg_val, &g->opval, o->val));

	key_table_remove(&g->operators, hash, id);
	g->opval.n = o->val;
	g->op.n--;
}

eg_fam eg_op_family(const egraph *g, eg_op o)
{
	return VEC_AT(struct eg_opinfo, &g->op, o).fam;
}

const eg_val *eg_op_values(const egraph *g, eg_op o, uint32_t *n)
{
	const struct eg_opinfo *p = &VEC_AT(struct eg_opinfo, &g->op, o);

	if (n)
		*n = p->nval;
	return VEC(eg_val, &g->opval) + p->val;
}
