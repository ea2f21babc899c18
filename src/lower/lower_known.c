#include "lower/lower_known.h"

#include <string.h>

static known unknown_like(arena *a, const shape *s)
{
	known k = { 0 };
	int i;

	if (s->type != T_TUPLE)
		return k;
	k.n = s->n;
	k.elem = ARENA_ARRAY(a, known, s->n);
	for (i = 0; i < s->n; i++)
		k.elem[i] = unknown_like(a, s->elem[i]);
	return k;
}

static known yes(int64_t v)
{
	return (known){ .is = true, .v = v };
}

static int64_t wrapped(enum etype t, int64_t v)
{
	int b = etype_bits(t);

	if (t == T_PRED)
		return v != 0;
	if (b >= 64)
		return v;
	v &= ((int64_t)1 << b) - 1;
	if (etype_kind(t) == 's' && v >> (b - 1))
		v -= (int64_t)1 << b;
	return v;
}

/* Numbers of the type in their order: 2^63 and more are held as negative numbers. */
static int64_t ordered(enum etype t, int64_t v)
{
	return t == T_U64 ? (int64_t)((uint64_t)v ^ (uint64_t)1 << 63) : v;
}

static bool compared(const char *d, int64_t x, int64_t y)
{
	if (!strcmp(d, "EQ"))
		return x == y;
	if (!strcmp(d, "NE"))
		return x != y;
	if (!strcmp(d, "LT"))
		return x < y;
	if (!strcmp(d, "LE"))
		return x <= y;
	return !strcmp(d, "GT") ? x > y : x >= y;
}

static known eval_comp(arena *a, const comp *c, const known *arg, const bool *wanted, int depth);

static known eval_binary(const inst *i, known x, known y)
{
	enum etype t = i->operand[0]->shape->type;
	int64_t r, p = ordered(t, x.v), q = ordered(t, y.v);

	if (!x.is || !y.is)
		return (known){ 0 };
	switch (i->opcode) {	/* modulo 2^64, and then of the type */
	case OP_ADD: r = (int64_t)((uint64_t)x.v + (uint64_t)y.v); break;
	case OP_SUBTRACT: r = (int64_t)((uint64_t)x.v - (uint64_t)y.v); break;
	case OP_MULTIPLY: r = (int64_t)((uint64_t)x.v * (uint64_t)y.v); break;
	case OP_MAXIMUM: r = p > q ? x.v : y.v; break;
	case OP_MINIMUM: r = p < q ? x.v : y.v; break;
	case OP_AND: r = x.v & y.v; break;
	case OP_OR: r = x.v | y.v; break;
	case OP_XOR: r = x.v ^ y.v; break;
	case OP_COMPARE:
		return inst_text(i, "direction") ? yes(compared(inst_text(i, "direction"), p, q)) : (known){ 0 };
	default:
		return (known){ 0 };
	}
	return yes(wrapped(i->shape->type, r));
}

bool known_scalar(const shape *s)
{
	return s->type != T_TUPLE && s->rank == 0 && (etype_is_int(s->type) || s->type == T_PRED);
}

static known eval_inst(arena *a, const inst *i, const known *env, int depth)
{
	known *arg;
	int k;
	const comp *c;

	switch (i->opcode) {
	case OP_CONSTANT:
		return known_scalar(i->shape) && i->literal && !i->literal->elided && i->literal->i ? yes(i->literal->i[0]) : unknown_like(a, i->shape);
	case OP_TUPLE:
	{
		known t = { .n = i->noperand, .elem = ARENA_ARRAY(a, known, i->noperand) };
		for (k = 0; k < i->noperand; k++)
			t.elem[k] = env[i->operand[k]->index];
		return t;
	}
	case OP_GET_TUPLE_ELEMENT:
	{
		known t = env[i->operand[0]->index];
		return t.elem && i->number < t.n ? t.elem[i->number] : unknown_like(a, i->shape);
	}
	case OP_COPY: case OP_OPT_BARRIER: case OP_BITCAST: case OP_RESHAPE:
		if (i->shape->type != i->operand[0]->shape->type)
			return (known){ 0 };
		return i->shape->type == T_TUPLE || known_scalar(i->shape) ? env[i->operand[0]->index] : (known){ 0 };
	case OP_CONVERT:
		return known_scalar(i->shape) && known_scalar(i->operand[0]->shape) && env[i->operand[0]->index].is
			? yes(wrapped(i->shape->type, env[i->operand[0]->index].v)) : (known){ 0 };
	case OP_NOT:
		return known_scalar(i->shape) && env[i->operand[0]->index].is && i->shape->type == T_PRED ? yes(!env[i->operand[0]->index].v) : (known){ 0 };
	case OP_SELECT:
		if (known_scalar(i->shape) && env[i->operand[0]->index].is)
			return env[i->operand[env[i->operand[0]->index].v ? 1 : 2]->index];
		return (known){ 0 };
	case OP_CALL: case OP_FUSION:
		c = inst_comp(i, i->opcode == OP_CALL ? "to_apply" : "calls");
		if (!c || depth > 20)
			return unknown_like(a, i->shape);
		arg = ARENA_ARRAY(a, known, i->noperand);
		for (k = 0; k < i->noperand; k++)
			arg[k] = env[i->operand[k]->index];
		return eval_comp(a, c, arg, NULL, depth + 1);
	default:
		if (i->noperand == 2 && known_scalar(i->shape) && known_scalar(i->operand[0]->shape) && known_scalar(i->operand[1]->shape))
			return eval_binary(i, env[i->operand[0]->index], env[i->operand[1]->index]);
		return unknown_like(a, i->shape);
	}
}

static known eval_comp(arena *a, const comp *c, const known *arg, const bool *wanted, int depth)
{
	known *env = ARENA_ARRAY(a, known, c->ninst);
	int k;

	for (k = 0; k < c->ninst; k++)
		if (c->inst[k]->opcode == OP_PARAMETER)
			env[k] = arg[c->inst[k]->number];
		else
			env[k] = !wanted || wanted[k] ? eval_inst(a, c->inst[k], env, depth) : unknown_like(a, c->inst[k]->shape);
	return env[c->root->index];
}

known known_run(arena *a, const comp *c, const known *arg, const bool *wanted)
{
	return eval_comp(a, c, arg, wanted, 0);
}

/* What is known of a lowered value: scalar constants, also through copies and conversions. */
known known_of(arena *a, const program *p, const val *v)
{
	known k = { 0 };
	const row *r;
	int i;

	if (v->elem) {
		k.n = v->n;
		k.elem = ARENA_ARRAY(a, known, v->n);
		for (i = 0; i < v->n; i++)
			k.elem[i] = known_of(a, p, v->elem[i]);
		return k;
	}
	if (v->row < 0)
		return k;
	r = &p->row[v->row];
	while (r->rank == 0 && r->nop == 1 && (!strcmp(r->family, "copy") || !strcmp(r->family, "reshape") || !strcmp(r->family, "marker")))
		r = &p->row[r->op[0]];
	if (r->rank == 0 && !strcmp(r->family, "constant") && (etype_is_int((enum etype)r->type) || r->type == T_PRED))
		return yes(r->ints[0]);
	return k;
}
