/* excerpt.c - instructions copied on demand, through calls and tuples: see excerpt.h. */
#include "pair/excerpt.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DEEPEST = 4000 };	/* copies that wait for their operands */

/* A computation as inlined at one place. */
struct scope {
	const struct scope *up;
	const inst *call;		/* of up's computation; NULL: the entry */
	const comp *c;
	const char *prefix;		/* of its rows' names */
	inst ***leaf;			/* per instruction and array or token in its value: the copy, once made */
	inst **whole;			/* .. and of the instruction itself */
	struct scope **callee;		/* per instruction */
};

struct home { struct scope *s; const inst *i; int leaf; };
struct source { int input, row; };	/* of a parameter */

struct excerpt {
	program *p;
	arena a;
	struct scope *entry;
	struct home *home;		/* per row; i NULL: none */
	bool *stop;			/* per row */
	vec want, out;			/* int: rows; inst *: copies in order */
	vec param;			/* struct source */
	vec row;			/* int, per copy */
	vec from;			/* const struct scope *, per copy: NULL for what was put between */
	module m;
	comp c;
	int depth;
	bool failed;
};

/* ---- values as leaves: the arrays and tokens of a tuple in order */

/* How many arrays come before leaf k. */
static int arrays_before(const shape *s, int k)
{
	int n = 0, j;

	for (j = 0; j < k; j++)
		n += shape_leaf(s, j)->type != T_TOKEN;
	return n;
}

static int leaves_before(const shape *tuple, int element)
{
	int n = 0, k;

	for (k = 0; k < element; k++)
		n += shape_leaves(tuple->elem[k]);
	return n;
}

/* ---- where rows are */

static int row_named(excerpt *x, const struct scope *s, const inst *i, int leaf)
{
	bool tuple = i->shape->type == T_TUPLE;
	const shape *sh;
	char name[1100];
	int row;

	sh = shape_leaf(i->shape, leaf);
	if (sh->type == T_TOKEN || (tuple && !program_counts(i)) ||
	    snprintf(name, sizeof name, tuple ? "%s%s%s#%d" : "%s%s%s", s->prefix, *s->prefix ? "%" : "", i->name, arrays_before(i->shape, leaf)) >= (int)sizeof name)
		return -1;
	row = program_named(x->p, name);
	return row >= 0 && x->p->row[row].type == (int)sh->type && row_elements(&x->p->row[row]) == shape_elements(sh) ? row : -1;
}

static struct scope *scope_new(excerpt *x, const struct scope *up, const inst *call, const comp *c)
{
	struct scope *s = ARENA_NEW(&x->a, struct scope);

	*s = (struct scope){ .up = up, .call = call, .c = c, .prefix = "" };
	if (call)
		s->prefix = arena_printf(&x->a, "%s%s%s/", up->prefix, *up->prefix ? "%" : "", call->name);
	s->leaf = arena_zalloc(&x->a, sizeof *s->leaf * (size_t)(c->ninst + 1));
	s->whole = arena_zalloc(&x->a, sizeof *s->whole * (size_t)(c->ninst + 1));
	s->callee = arena_zalloc(&x->a, sizeof *s->callee * (size_t)(c->ninst + 1));
	return s;
}

static void find_homes(excerpt *x, struct scope *s, int depth)
{
	int k, j;

	for (k = 0; k < s->c->ninst; k++) {
		const inst *i = s->c->inst[k];
		const comp *c = inst_called(i);
		int n = shape_leaves(i->shape);

		s->leaf[k] = arena_zalloc(&x->a, sizeof **s->leaf * (size_t)(n + 1));
		if (c && depth < 64) {
			s->callee[k] = scope_new(x, s, i, c);
			find_homes(x, s->callee[k], depth + 1);
		}
		for (j = 0; j < n; j++) {
			int row = row_named(x, s, i, j);
			if (row >= 0 && !x->home[row].i)
				x->home[row] = (struct home){ s, i, j };
		}
	}
}

excerpt *excerpt_new(program *p)
{
	excerpt *x = calloc(1, sizeof *x);

	if (!x)
		die_hook("out of memory");
	x->p = p;
	arena_init(&x->a);
	vec_init(&x->want, sizeof(int));
	vec_init(&x->param, sizeof(struct source));
	vec_init(&x->row, sizeof(int));
	vec_init(&x->from, sizeof(struct scope *));
	vec_init(&x->out, sizeof(inst *));
	x->home = arena_zalloc(&x->a, sizeof *x->home * (size_t)(p->nrow + 1));
	x->stop = arena_zalloc(&x->a, (size_t)p->nrow + 1);
	x->entry = scope_new(x, NULL, NULL, p->m->entry);
	find_homes(x, x->entry, 0);
	return x;
}

void excerpt_free(excerpt *x)
{
	if (!x)
		return;
	vec_free(&x->want);
	vec_free(&x->param);
	vec_free(&x->row);
	vec_free(&x->from);
	vec_free(&x->out);
	arena_free(&x->a);
	free(x);
}

bool excerpt_has(const excerpt *x, int row)
{
	return row >= 0 && x->home[row].i;
}

void excerpt_stop(excerpt *x, int row)
{
	x->stop[row] = true;
}

void excerpt_want(excerpt *x, int row)
{
	*(int *)vec_push(&x->want) = row;
}

/* ---- copies */

static inst *put(excerpt *x, const inst *like, const shape *s, int row)
{
	inst *n = ARENA_NEW(&x->a, inst);

	*n = *like;
	n->shape = s;
	n->parent = &x->c;
	n->index = (int)x->out.n;
	*(inst **)vec_push(&x->out) = n;
	*(int *)vec_push(&x->row) = row;
	vec_push(&x->from);
	return n;
}

/* An instruction of another kind than the one it comes from. */
static inst *put_new(excerpt *x, const inst *like, enum opcode op, const char *opname, const shape *s, int row)
{
	inst *n = put(x, like, s, row);

	n->opcode = op;
	n->opname = opname;
	n->noperand = n->nattr = 0;
	n->operand = NULL;
	n->attr = NULL;
	n->literal = NULL;
	n->number = -1;
	return n;
}

/* input: of the program, or -1 where it is stopped at the row. */
static inst *put_param(excerpt *x, const inst *like, const shape *s, int row, int input)
{
	inst *n = put_new(x, like, OP_PARAMETER, "parameter", s, row);

	n->number = x->param.n;
	*(struct source *)vec_push(&x->param) = (struct source){ input, row };
	return n;
}

static int input_number(const excerpt *x, const inst *param, int leaf)
{
	int k;

	for (k = 0; k < param->number; k++)
		leaf += shape_leaves(x->p->m->entry->param[k]->shape);
	return leaf;
}

static inst *put_operands(excerpt *x, inst *n, int count, inst *const *operand)
{
	inst **o = ARENA_ARRAY(&x->a, inst *, count);

	memcpy(o, operand, sizeof *o * (size_t)count);
	n->operand = o;
	n->noperand = count;
	return n;
}

static inst *leaf_copy(excerpt *x, const struct scope *s, const inst *i, int leaf);

static inst *fail(excerpt *x)
{
	x->failed = true;
	return NULL;
}

/* A tuple of the leaves from *at on. */
static inst *tuple_copy(excerpt *x, const struct scope *s, const inst *i, const shape *sh, int *at)
{
	inst **e = ARENA_ARRAY(&x->a, inst *, sh->n);
	int k;

	if (sh->type != T_TUPLE)
		return leaf_copy(x, s, i, (*at)++);
	for (k = 0; k < sh->n; k++)
		if (!(e[k] = tuple_copy(x, s, i, sh->elem[k], at)))
			return NULL;
	return put_operands(x, put_new(x, i, OP_TUPLE, "tuple", sh, -1), sh->n, e);
}

static bool passes_leaves(const inst *i)
{
	return i->opcode == OP_TUPLE || i->opcode == OP_GET_TUPLE_ELEMENT || i->opcode == OP_PARAMETER || inst_called(i);
}

/* The instruction itself, whatever its shape. */
static inst *whole_copy(excerpt *x, const struct scope *s, const inst *i)
{
	inst **o, *n;
	int k, at = 0;

	if (passes_leaves(i))
		return tuple_copy(x, s, i, i->shape, &at);
	if (s->whole[i->index])
		return s->whole[i->index];
	o = ARENA_ARRAY(&x->a, inst *, i->noperand);
	for (k = 0; k < i->noperand; k++) {
		o[k] = i->operand[k]->shape->type == T_TUPLE ? whole_copy(x, s, i->operand[k]) : leaf_copy(x, s, i->operand[k], 0);
		if (!o[k])
			return NULL;
	}
	n = put(x, i, i->shape, i->shape->type == T_TUPLE ? -1 : row_named(x, s, i, 0));
	VEC_AT(const struct scope *, &x->from, n->index) = s;
	return s->whole[i->index] = put_operands(x, n, i->noperand, o);
}

/* Leaf k of a copy: down to it through the tuple. */
static inst *element_copy(excerpt *x, inst *n, int k, int row)
{
	const shape *s = n->shape;
	int e, c;

	while (n && s->type == T_TUPLE) {
		for (e = 0; k >= (c = shape_leaves(s->elem[e])); e++)
			k -= c;
		s = s->elem[e];
		n = put_operands(x, put_new(x, n, OP_GET_TUPLE_ELEMENT, "get-tuple-element", s, s->type == T_TUPLE ? -1 : row), 1, &n);
		n->number = e;
	}
	return n;
}

static inst *through_tuple(excerpt *x, const struct scope *s, const inst *i, int leaf)
{
	int e, n;

	for (e = 0; leaf >= (n = shape_leaves(i->operand[e]->shape)); e++)
		leaf -= n;
	return leaf_copy(x, s, i->operand[e], leaf);
}

static inst *make_leaf(excerpt *x, const struct scope *s, const inst *i, int leaf, int row)
{
	const shape *sh = shape_leaf(i->shape, leaf);

	if (row >= 0 && x->stop[row])
		return put_param(x, i, sh, row, -1);
	switch (i->opcode) {
	case OP_PARAMETER:
		if (s->up)
			return leaf_copy(x, s->up, s->call->operand[i->number], leaf);
		return sh->type == T_TOKEN ? put_new(x, i, OP_AFTER_ALL, "after-all", sh, -1)
						: put_param(x, i, sh, row, input_number(x, i, leaf));
	case OP_TUPLE:
		return through_tuple(x, s, i, leaf);
	case OP_GET_TUPLE_ELEMENT:
		return leaf_copy(x, s, i->operand[0], leaves_before(i->operand[0]->shape, (int)i->number) + leaf);
	default:
		if (s->callee[i->index])
			return leaf_copy(x, s->callee[i->index], s->callee[i->index]->c->root, leaf);
		return element_copy(x, whole_copy(x, s, i), leaf, row);
	}
}

static inst *leaf_copy(excerpt *x, const struct scope *s, const inst *i, int leaf)
{
	inst **at = &s->leaf[i->index][leaf];

	if (*at)
		return *at;
	if (++x->depth > DEEPEST || x->failed)
		return fail(x);
	*at = make_leaf(x, s, i, leaf, row_named(x, s, i, leaf));
	x->depth--;
	return *at;
}

/* ---- the module */

/* Rows that the wanted ones need, found backwards; operands come first. */
static bool *needed(excerpt *x)
{
	const program *p = x->p;
	bool *need = arena_zalloc(&x->a, (size_t)p->nrow + 1);
	uint32_t k;
	int row, j;

	for (k = 0; k < x->want.n; k++)
		need[VEC_AT(int, &x->want, k)] = true;
	for (row = p->nrow - 1; row >= 0; row--)
		for (j = 0; need[row] && !x->stop[row] && j < p->row[row].nop; j++)
			need[p->row[row].op[j]] = true;
	return need;
}

static inst *row_copy(excerpt *x, int row)
{
	const struct home *h = &x->home[row];

	return h->i ? leaf_copy(x, h->s, h->i, h->leaf) : fail(x);
}

static void put_results(excerpt *x)
{
	int n = (int)x->want.n, k;
	inst **e = ARENA_ARRAY(&x->a, inst *, n);
	const shape **sh = ARENA_ARRAY(&x->a, const shape *, n);
	shape *t = ARENA_NEW(&x->a, shape);

	for (k = 0; k < n; k++) {
		if (!(e[k] = row_copy(x, VEC_AT(int, &x->want, k))))
			return;
		sh[k] = e[k]->shape;
	}
	t->type = T_TUPLE;
	t->n = n;
	t->elem = sh;
	x->c.root = put_operands(x, put_new(x, x->p->m->entry->root, OP_TUPLE, "tuple", t, -1), n, e);
}

static inst *const *params(excerpt *x)
{
	inst **p = ARENA_ARRAY(&x->a, inst *, x->param.n);
	uint32_t k;

	for (k = 0; k < x->out.n; k++)
		if (VEC_AT(inst *, &x->out, k)->opcode == OP_PARAMETER)
			p[VEC_AT(inst *, &x->out, k)->number] = VEC_AT(inst *, &x->out, k);
	return p;
}

static comp *const *computations(excerpt *x)
{
	const module *m = x->p->m;
	comp **c = ARENA_ARRAY(&x->a, comp *, m->ncomp + 1);

	memcpy(c, m->comp, sizeof *c * (size_t)m->ncomp);
	c[m->ncomp] = &x->c;
	return c;
}

const module *excerpt_make(excerpt *x)
{
	const bool *need = needed(x);
	int row;

	for (row = 0; row < x->p->nrow && !x->failed; row++)	/* in order, so that no copy waits for long */
		if (need[row] && x->home[row].i)
			row_copy(x, row);
	if (!x->failed)
		put_results(x);
	if (x->failed)
		return NULL;
	x->m = *x->p->m;
	x->m.ncomp++;
	x->m.comp = computations(x);
	x->m.entry = &x->c;
	x->c = (comp){ .name = x->p->m->entry->name, .module = &x->m, .ninst = (int)x->out.n, .inst = VEC(inst *, &x->out), .root = x->c.root,
		       .nparam = (int)x->param.n, .param = params(x), .index = x->p->m->ncomp };
	return &x->m;
}

int excerpt_input(const excerpt *x, int param)
{
	return VEC_AT(struct source, &x->param, param).input;
}

int excerpt_stopped(const excerpt *x, int param)
{
	return VEC_AT(struct source, &x->param, param).row;
}

int excerpt_row(const excerpt *x, const inst *i)
{
	return i->parent == &x->c ? VEC_AT(int, &x->row, i->index) : -1;
}

const char *excerpt_prefix(const excerpt *x, const inst *i)
{
	const struct scope *s = i->parent == &x->c ? VEC_AT(const struct scope *, &x->from, i->index) : NULL;

	return s ? s->prefix : NULL;
}
