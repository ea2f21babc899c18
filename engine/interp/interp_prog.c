/* interp_prog.c - reducers, comparators and other scalar computations, compiled.
 *
 * A computation on scalars becomes a list of elementwise steps on registers; a
 * register holds a block of numbers, so a program runs on many elements at a
 * time.  Calls are inlined; a conditional computes its branches and selects.
 */
#include <string.h>

#include "interp/interp_in.h"

enum { MAX_REG = 4096, MAX_CALL = 32 };

/* A value while compiling: one register, or several for a tuple. */
struct value { int n; int *reg; };

struct compiler {
	interp *r;
	struct prog *p;
	vec steps, regs, types;
	int depth;
	const char *why;
};

static int new_reg(struct compiler *c, enum etype t)
{
	void **slot = vec_push(&c->regs);
	enum etype *type = vec_push(&c->types);

	*slot = arena_zalloc(&c->r->arena, PROG_BLOCK * 16);
	*type = t;
	return (int)c->regs.n - 1;
}

static struct value one(struct compiler *c, int reg)
{
	struct value v = { 1, ARENA_ARRAY(&c->r->arena, int, 1) };

	v.reg[0] = reg;
	return v;
}

static bool give_up(struct compiler *c, const char *why)
{
	c->why = why;
	return false;
}

static bool constant(struct compiler *c, const inst *i, struct value *out)
{
	const literal *l = i->literal;
	int reg, k;

	if (!l || l->elided || l->count != 1)
		return give_up(c, "it holds a constant that is no number");
	reg = new_reg(c, i->shape->type);
	for (k = 0; k < PROG_BLOCK; k++) {
		if (etype_kind(i->shape->type) == 'c')
			memcpy(VEC_AT(double *, &c->regs, reg) + 2 * k, l->f, 16);
		else if (l->f)
			VEC_AT(double *, &c->regs, reg)[k] = l->f[0];
		else
			VEC_AT(int64_t *, &c->regs, reg)[k] = l->i[0];
	}
	*out = one(c, reg);
	return true;
}

static bool elementwise(struct compiler *c, const inst *i, const struct value *arg, struct value *out)
{
	struct prog_step *s = vec_push(&c->steps);
	int k;

	if (!elem_prepare(c->r, i, &s->e))
		return give_up(c, c->r->why);
	for (k = 0; k < i->noperand; k++)
		s->src[k] = arg[k].reg[0];
	for (; k < 3; k++)
		s->src[k] = -1;
	s->dst = new_reg(c, i->shape->type);
	*out = one(c, s->dst);
	return true;
}

static bool body(struct compiler *c, const comp *k, const struct value *param, struct value *out);

static int select_reg(struct compiler *c, enum etype t, int pred, int a, int b)
{
	struct prog_step *s = vec_push(&c->steps);

	s->e = (struct elem){ .op = OP_SELECT, .in = t, .out = t, .src = { T_PRED, t, t } };
	s->src[0] = pred;
	s->src[1] = a;
	s->src[2] = b;
	s->dst = new_reg(c, t);
	return s->dst;
}

static bool conditional(struct compiler *c, const inst *i, const struct value *arg, struct value *out)
{
	const comp *t = inst_comp(i, "true_computation"), *f = inst_comp(i, "false_computation");
	struct value no;
	int k;

	if (!t || !f || i->noperand != 3)
		return give_up(c, "it branches on an index");
	if (!body(c, t, &arg[1], out) || !body(c, f, &arg[2], &no))
		return false;
	if (out->n != no.n)
		return give_up(c, "its branches differ in shape");
	for (k = 0; k < out->n; k++)
		out->reg[k] = select_reg(c, VEC_AT(enum etype, &c->types, out->reg[k]), arg[0].reg[0], out->reg[k], no.reg[k]);
	return true;
}

static bool tuple(struct compiler *c, const inst *i, const struct value *arg, struct value *out)
{
	int k;

	out->n = i->noperand;
	out->reg = ARENA_ARRAY(&c->r->arena, int, out->n);
	for (k = 0; k < out->n; k++) {
		if (arg[k].n != 1)
			return give_up(c, "it nests tuples");
		out->reg[k] = arg[k].reg[0];
	}
	return true;
}

static bool step(struct compiler *c, const inst *i, const struct value *param, const struct value *arg, struct value *out)
{
	const comp *called;
	inst cast;

	switch (i->opcode) {
	case OP_PARAMETER:
		*out = param[i->number];
		return true;
	case OP_CONSTANT:
		return constant(c, i, out);
	case OP_TUPLE:
		return tuple(c, i, arg, out);
	case OP_GET_TUPLE_ELEMENT:
		if (i->number < 0 || i->number >= arg[0].n)
			return give_up(c, "it asks for a missing tuple element");
		*out = one(c, arg[0].reg[i->number]);
		return true;
	case OP_CONDITIONAL:
		return conditional(c, i, arg, out);
	case OP_CALL: case OP_FUSION:
		called = inst_comp(i, i->opcode == OP_CALL ? "to_apply" : "calls");
		return called ? body(c, called, arg, out) : give_up(c, "it calls nothing");
	case OP_COPY: case OP_RESHAPE: case OP_BROADCAST: case OP_BITCAST: case OP_OPT_BARRIER: case OP_TRANSPOSE:
		if (i->opcode == OP_BITCAST && i->shape->type != i->operand[0]->shape->type) {
			cast = *i;
			cast.opcode = OP_BITCAST_CONVERT;
			return elementwise(c, &cast, arg, out);
		}
		*out = arg[0];
		return true;
	default:
		if (!strchr("ubt", opcode_class(i->opcode)))
			return give_up(c, "it is more than arithmetic on scalars");
		return elementwise(c, i, arg, out);
	}
}

static bool scalar_shape(const shape *s)
{
	int k;

	for (k = 0; k < s->n; k++)
		if (!scalar_shape(s->elem[k]))
			return false;
	return s->n || (etype_kind(s->type) != '-' && shape_elements(s) == 1);
}

static bool body(struct compiler *c, const comp *k, const struct value *param, struct value *out)
{
	struct value *v = arena_zalloc(&c->r->arena, sizeof *v * (k->ninst + 1)), arg[16];
	int j, a;

	if (++c->depth > MAX_CALL)
		return give_up(c, "it calls itself");
	for (j = 0; j < k->ninst; j++) {
		const inst *i = k->inst[j];

		if (i->noperand > 16 || !scalar_shape(i->shape) || c->regs.n > MAX_REG)
			return give_up(c, "it does not work on scalars");
		for (a = 0; a < i->noperand; a++)
			arg[a] = v[i->operand[a]->index];
		if (!step(c, i, param, arg, &v[j]))
			return false;
	}
	*out = v[k->root->index];
	c->depth--;
	return true;
}

static bool compile(struct compiler *c, const comp *k)
{
	struct value param[64], out;
	struct prog *p = c->p;
	int j;

	if (k->nparam > 64)
		return give_up(c, "it has more than 64 parameters");
	for (j = 0; j < k->nparam; j++) {
		if (!scalar_shape(k->param[j]->shape) || k->param[j]->shape->n)
			return give_up(c, "it does not work on scalars");
		param[j] = one(c, new_reg(c, k->param[j]->shape->type));
	}
	if (!body(c, k, param, &out))
		return false;
	p->nparam = k->nparam;
	p->nresult = out.n;
	p->result = out.reg;
	p->nreg = (int)c->regs.n;
	p->nstep = (int)c->steps.n;
	p->step = ARENA_ARRAY(&c->r->arena, struct prog_step, p->nstep);
	if (p->nstep)
		memcpy(p->step, c->steps.base, sizeof *p->step * p->nstep);
	p->reg = ARENA_ARRAY(&c->r->arena, void *, p->nreg);
	memcpy(p->reg, c->regs.base, sizeof *p->reg * p->nreg);
	p->type = ARENA_ARRAY(&c->r->arena, enum etype, p->nreg);
	memcpy(p->type, c->types.base, sizeof *p->type * p->nreg);
	return true;
}

const struct prog *interp_prog(interp *r, const inst *i, const comp *k)
{
	struct comp_info *info;
	struct compiler c = { .r = r };

	if (!k)
		return interp_fail(r, i, "%s names no computation", i->opname);
	info = &r->info[k->index];
	if (!info->prog && !info->no_prog) {
		vec_init(&c.steps, sizeof(struct prog_step));
		vec_init(&c.regs, sizeof(void *));
		vec_init(&c.types, sizeof(enum etype));
		c.p = ARENA_NEW(&r->arena, struct prog);
		if (compile(&c, k))
			info->prog = c.p;
		else
			info->no_prog = arena_strdup(&r->arena, c.why);
		vec_free(&c.steps);
		vec_free(&c.regs);
		vec_free(&c.types);
	}
	if (!info->prog)
		return interp_fail(r, i, "computation %s cannot be applied element by element: %s", k->name, info->no_prog);
	return info->prog;
}

static int words(enum etype t)
{
	return etype_kind(t) == 'c' ? 2 : 1;
}

static void run_block(const struct prog *p, int64_t n, int64_t at, void *const *out, const void *const *in)
{
	bool direct = p->nresult == 1 && p->nstep && p->step[p->nstep - 1].dst == p->result[0];
	int k;

	for (k = 0; k < p->nparam; k++)
		p->reg[k] = (int64_t *)in[k] + at * words(p->type[k]);
	for (k = 0; k < p->nstep; k++) {
		const struct prog_step *s = &p->step[k];
		void *d = direct && k == p->nstep - 1 ? (int64_t *)out[0] + at * words(p->type[s->dst]) : p->reg[s->dst];

		elem_run(&s->e, n, d, p->reg[s->src[0]], s->src[1] < 0 ? NULL : p->reg[s->src[1]],
			 s->src[2] < 0 ? NULL : p->reg[s->src[2]]);
	}
	for (k = 0; !direct && k < p->nresult; k++) {
		int w = words(p->type[p->result[k]]);

		memmove((int64_t *)out[k] + at * w, p->reg[p->result[k]], (size_t)n * 8 * w);
	}
}

void prog_run(const struct prog *p, int64_t n, void *const *out, const void *const *in)
{
	int64_t at;

	for (at = 0; at < n; at += PROG_BLOCK)
		run_block(p, n - at < PROG_BLOCK ? n - at : PROG_BLOCK, at, out, in);
}

enum opcode prog_kind(const struct prog *p)
{
	const struct prog_step *s = p->step;

	if (p->nparam != 2 || p->nresult != 1)
		return OP_UNKNOWN;
	if (p->nstep == 0)
		return p->result[0] == 1 ? OP_PARAMETER : OP_UNKNOWN;
	if (p->nstep != 1 || p->result[0] != s->dst || s->src[0] + s->src[1] != 1 || s->src[0] < 0 || s->src[1] < 0)
		return OP_UNKNOWN;
	switch (s->e.op) {
	case OP_ADD: case OP_MULTIPLY: case OP_MAXIMUM: case OP_MINIMUM: case OP_AND: case OP_OR:
		return s->e.op;
	default:
		return OP_UNKNOWN;
	}
}
