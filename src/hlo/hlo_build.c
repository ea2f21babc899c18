#include "hlo/hlo_build.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tensor/infer.h"

void build_init(builder *b, const char *name, const char *file, struct diag *err)
{
	memset(b, 0, sizeof *b);
	b->m = module_new(name, file);
	b->a = &b->m->arena;
	b->err = err;
	arena_init(&b->tmp);
	arena_init(&b->scratch);
	syms_init(&b->syms, b->a);
	syms_words(&b->syms);
	syms_init(&b->frames, &b->tmp);
	syms_init(&b->files, NULL);
}

void build_free(builder *b)
{
	syms_free(&b->syms);
	syms_free(&b->frames);
	syms_free(&b->files);
	arena_free(&b->tmp);
	arena_free(&b->scratch);
	if (b->m)
		module_free(b->m);
	b->m = NULL;
}

void build_fail(builder *b, int line, int column, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	diag_vset(b->err, b->m->file, line, column, fmt, ap);
	va_end(ap);
	longjmp(b->fail, 1);
}

void *build_grow(builder *b, void *array, int n, int *cap, size_t width)
{
	void *p;

	if (n < *cap)
		return array;
	*cap = *cap ? *cap * 2 : 16;
	p = arena_alloc(&b->tmp, *cap * width);
	if (n)
		memcpy(p, array, n * width);
	return p;
}

void build_warn(builder *b, int line, int column, const char *fmt, ...)
{
	struct diag d;
	char text[1200];
	va_list ap;

	va_start(ap, fmt);
	diag_vset(&d, b->m->file, line, column, fmt, ap);
	va_end(ap);
	b->warning = build_grow(b, b->warning, b->nwarning, &b->capwarning, sizeof *b->warning);
	b->warning[b->nwarning++] = arena_strdup(b->a, diag_text(&d, text, sizeof text));
}

static enum opcode async_opcode(builder *b, const sym *w)
{
	static const struct { const char *end; size_t n; enum opcode op; } forms[] = {
		{ "-start", 6, OP_ASYNC_START }, { "-update", 7, OP_ASYNC_UPDATE }, { "-done", 5, OP_ASYNC_DONE },
	};

	for (size_t k = 0; k < sizeof forms / sizeof forms[0]; k++)
		if (w->n > forms[k].n && !strcmp(w->s + w->n - forms[k].n, forms[k].end) &&
		    syms_get(&b->syms, w->s, w->n - forms[k].n)->opcode != OP_UNKNOWN)
			return forms[k].op;
	return OP_UNKNOWN;
}

enum opcode build_opcode(builder *b, sym *word, int line, int column)
{
	enum opcode op = (enum opcode)word->opcode;

	if (op != OP_UNKNOWN)
		return op;
	op = async_opcode(b, word);
	if (op == OP_UNKNOWN && !word->told) {
		word->told = true;
		build_warn(b, line, column, "unknown opcode %s", word->s);
	}
	return op;
}

bool build_opaque(const inst *i)
{
	return i->opcode != OP_CUSTOM_CALL && (i->opcode == OP_IOTA || strchr("ubtdkroc", opcode_class(i->opcode)));
}

void build_unknown_attr(builder *b, inst *i)
{
	int k;

	for (k = 0; k < i->nattr && i->attr[k].kind != ATTR_UNKNOWN; k++)
		;
	if (k == i->nattr || i->opcode == OP_UNKNOWN || !build_opaque(i))
		return;
	i->opname = arena_printf(b->a, "%s/%s", i->opname, i->attr[k].key);
	i->opcode = OP_UNKNOWN;
}

comp *build_comp(builder *b, sym *name, int line, int column)
{
	comp *c = ARENA_NEW(b->a, comp);

	if (name->comp)
		build_fail(b, line, column, "a second computation %%%s", name->s);
	name->comp = c;
	c->name = name->s;
	c->module = b->m;
	c->index = b->ncomp;
	b->comp = build_grow(b, b->comp, b->ncomp, &b->capcomp, sizeof *b->comp);
	b->comp[b->ncomp++] = c;
	return c;
}

void build_comp_ref(builder *b, comp **slot, sym *name, int line, int column)
{
	*slot = name->comp;
	if (*slot)
		return;
	b->ref = build_grow(b, b->ref, b->nref, &b->capref, sizeof *b->ref);
	b->ref[b->nref++] = (struct comp_ref){ slot, name, line, column };
}

void build_add(builder *b, struct body *body, inst *i)
{
	body->inst = build_grow(b, body->inst, body->n, &body->cap, sizeof *body->inst);
	i->index = body->n;
	i->parent = body->comp;
	body->inst[body->n++] = i;
}

/* Operands first, else in the order of the file: depth first with a stack of
 * our own, as chains of operands are as long as the program. */
static void order(builder *b, struct body *body)
{
	struct { inst *i; int next; } *stack = arena_alloc(&b->tmp, (body->n + 1) * sizeof *stack);
	char *state = arena_zalloc(&b->tmp, body->n + 1);	/* 1 on the stack, 2 done */
	inst **out = ARENA_ARRAY(&b->tmp, inst *, body->n);
	int n = 0, depth;

	for (int k = 0; k < body->n; k++) {
		if (state[k])
			continue;
		depth = 0;
		stack[depth].i = body->inst[k];
		stack[depth++].next = 0;
		state[k] = 1;
		while (depth) {
			inst *i = stack[depth - 1].i, *x;

			if (stack[depth - 1].next == i->noperand) {
				state[i->index] = 2;
				out[n++] = i;
				depth--;
				continue;
			}
			x = i->operand[stack[depth - 1].next++];
			if (state[x->index] == 1)
				build_fail(b, x->line, x->column, "%%%s depends on itself", x->name);
			if (!state[x->index]) {
				state[x->index] = 1;
				stack[depth].i = x;
				stack[depth++].next = 0;
			}
		}
	}
	for (int k = 0; k < n; k++) {
		out[k]->index = k;
		body->inst[k] = out[k];
	}
}

static void collect_params(builder *b, struct body *body)
{
	comp *c = body->comp;
	inst **param;

	for (int k = 0; k < body->n; k++)
		c->nparam += body->inst[k]->opcode == OP_PARAMETER;
	param = arena_zalloc(b->a, (c->nparam + 1) * sizeof *param);
	for (int k = 0; k < body->n; k++) {
		inst *i = body->inst[k];

		if (i->opcode != OP_PARAMETER)
			continue;
		if (i->number < 0 || i->number >= c->nparam)
			build_fail(b, i->line, i->column, "%%%s is parameter %" PRId64 " but %%%s has %d parameter%s",
				   i->name, i->number, c->name, c->nparam, c->nparam == 1 ? "" : "s");
		if (param[i->number])
			build_fail(b, i->line, i->column, "%%%s and %%%s are both parameter %" PRId64,
				   param[i->number]->name, i->name, i->number);
		param[i->number] = i;
	}
	c->param = param;
}

void build_body_end(builder *b, struct body *body)
{
	comp *c = body->comp;
	inst **copy;

	if (!body->root)
		body->root = body->inst[body->n - 1];
	if (body->unordered)
		order(b, body);
	copy = ARENA_ARRAY(b->a, inst *, body->n);
	memcpy(copy, body->inst, body->n * sizeof *copy);
	c->inst = copy;
	c->ninst = body->n;
	c->root = body->root;
	collect_params(b, body);
}

static void resolve_comps(builder *b)
{
	for (int k = 0; k < b->nref; k++) {
		struct comp_ref *r = &b->ref[k];

		if (!r->name->comp)
			build_fail(b, r->line, r->column, "there is no computation %%%s", r->name->s);
		*r->slot = r->name->comp;
	}
}

static void publish_comps(builder *b)
{
	comp **copy = ARENA_ARRAY(b->a, comp *, b->ncomp);

	if (b->ncomp)
		memcpy(copy, b->comp, b->ncomp * sizeof *copy);
	b->m->comp = copy;
	b->m->ncomp = b->ncomp;
}

/* ---- async pairs written short ---- */

/* X-start with X an opcode that has no start of its own: a computation that
 * holds X is made, and the instruction becomes async-start with calls=. */
static comp *wrap(builder *b, const inst *i, enum opcode op)
{
	const char *name = arena_printf(&b->tmp, "%s.%s.wrapped", i->parent->name, i->name);
	sym *y = syms_get(&b->syms, name, strlen(name));
	struct body body = { .comp = build_comp(b, y, i->line, i->column) };
	inst *x = ARENA_NEW(b->a, inst), **operand = ARENA_ARRAY(b->a, inst *, i->noperand);

	for (int k = 0; k < i->noperand; k++) {
		inst *p = ARENA_NEW(b->a, inst);

		p->opcode = OP_PARAMETER;
		p->opname = opcode_name(OP_PARAMETER);
		p->name = arena_printf(b->a, "param.%d", k);
		p->shape = i->operand[k]->shape;
		p->number = k;
		p->line = i->line;
		p->column = i->column;
		build_add(b, &body, p);
		operand[k] = p;
	}
	*x = *i;
	x->opcode = op;
	x->opname = opcode_name(op);
	x->operand = operand;
	x->shape = i->shape && i->shape->type == T_TUPLE && i->shape->n >= 2 ? i->shape->elem[1] : NULL;
	build_add(b, &body, x);
	build_body_end(b, &body);
	return body.comp;
}

static void desugar(builder *b, inst *i)
{
	size_t n = strlen(i->opname);
	enum opcode op;
	comp **slot;
	attr *calls;

	if (i->opcode != OP_ASYNC_START || inst_attr(i, "calls") || n < 6)
		return;
	op = opcode_named(i->opname, n - 6);
	if (op == OP_UNKNOWN)
		build_fail(b, i->line, i->column, "%%%s: async-start without calls=", i->name);
	for (int k = 0; k < i->noperand; k++)
		if (!i->operand[k]->shape)
			build_fail(b, i->line, i->column, "%%%s: the shape of operand %d is not known", i->name, k);
	slot = ARENA_ARRAY(b->a, comp *, 1);
	calls = ARENA_NEW(b->a, attr);
	*slot = wrap(b, i, op);
	calls->key = "calls";
	calls->kind = ATTR_COMP;
	calls->text = arena_printf(b->a, "%%%s", (*slot)->name);
	calls->n = 1;
	calls->comps = slot;
	i->attr = calls;
	i->nattr = 1;
	i->literal = NULL;
}

/* ---- shapes ---- */

enum { FRESH, OPEN, DONE };

/* Callees first, so that a call can take the shape of its computation. */
static void infer_comp(builder *b, comp *c, char *state, int depth)
{
	const char *why = NULL;

	if (depth > BUILD_NEST)
		build_fail(b, 0, 0, "computations call each other more than %d deep", BUILD_NEST);
	state[c->index] = OPEN;
	for (int k = 0; k < c->ninst; k++) {
		inst *i = c->inst[k];

		for (int j = 0; j < i->nattr; j++)
			for (int e = 0; i->attr[j].comps && e < i->attr[j].n; e++) {
				comp *to = i->attr[j].comps[e];

				if (state[to->index] == OPEN)
					build_fail(b, i->line, i->column, "%%%s: the computation %%%s calls itself",
						   i->name, to->name);
				if (state[to->index] == FRESH)
					infer_comp(b, to, state, depth + 1);
			}
		if (!i->shape) {
			i->shape = infer_shape(b->a, i, &why);
			if (!i->shape)
				build_fail(b, i->line, i->column, "%%%s: %s", i->name,
					   why ? why : "the shape of the result is missing");
		}
	}
	state[c->index] = DONE;
}

void build_check(builder *b)
{
	const inst *bad;
	const char *why = NULL;
	char *state;
	int n;

	publish_comps(b);
	resolve_comps(b);
	n = b->ncomp;
	for (int c = 0; c < n; c++)
		for (int k = 0; k < b->m->comp[c]->ninst; k++)
			desugar(b, b->m->comp[c]->inst[k]);
	publish_comps(b);
	state = arena_zalloc(&b->tmp, b->ncomp + 1);
	for (int c = 0; c < b->m->ncomp; c++)
		if (state[c] == FRESH)
			infer_comp(b, b->m->comp[c], state, 0);
	bad = infer_check(b->m, &b->tmp, &why);
	if (bad)
		build_fail(b, bad->line, bad->column, "%%%s: %s", bad->name, why);
}

module *build_end(builder *b)
{
	module *m = b->m;
	const char **w = ARENA_ARRAY(b->a, const char *, b->nwarning);

	if (b->nwarning)
		memcpy(w, b->warning, b->nwarning * sizeof *w);
	m->warning = w;
	m->nwarning = b->nwarning;
	b->m = NULL;
	build_free(b);
	return m;
}
