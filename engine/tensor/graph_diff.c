/* graph_diff.c - where two modules differ first (graph.h). */
#include "tensor/graph.h"

#include <string.h>

/* Where two things differ: the first place is written down. */
struct diff {
	arena *a;
	const char *at;		/* NULL: no difference yet */
	bool stacks;		/* whole stacks, not only the innermost place */
};

static bool differ(struct diff *d, const inst *i, const char *what, const char *x, const char *y)
{
	d->at = arena_printf(d->a, "%%%s: %s: %s and %s", i->name, what, x ? x : "nothing", y ? y : "nothing");
	return false;
}

static bool same_text(const char *x, const char *y)
{
	return x == y || (x && y && !strcmp(x, y));
}

/* Row-major order may be written or not. */
static bool same_layout(const shape *x, const shape *y)
{
	if (x->tiled != y->tiled || !x->minor_to_major != !y->minor_to_major)
		return false;
	if (x->minor_to_major && memcmp(x->minor_to_major, y->minor_to_major, x->rank * sizeof *x->minor_to_major))
		return false;
	for (int k = 0; k < x->n; k++)
		if (!same_layout(x->elem[k], y->elem[k]))
			return false;
	return true;
}

static bool same_frames(const frame *x, const frame *y)
{
	for (; x && y && x != y; x = x->parent, y = y->parent)
		if (!same_text(x->file, y->file) || !same_text(x->function, y->function) || x->line != y->line ||
		    x->column != y->column || x->end_line != y->end_line || x->end_column != y->end_column)
			return false;
	return x == y;
}

static bool same_place(const frame *x, const frame *y)
{
	return x == y || (x && y && same_text(x->file, y->file) && x->line == y->line);
}

static bool same_values(const void *x, const void *y, size_t width, const literal *a, const literal *b)
{
	int64_t n = a->splat ? (a->count != 0) : a->count;

	if (!x || !y || a->splat != b->splat)
		return x == y && a->splat == b->splat;
	return !n || !memcmp(x, y, n * width);
}

static bool same_literal(const literal *x, const literal *y, const shape *s)
{
	if (x == y)
		return true;
	if (!x || !y)
		return false;
	if (x->elided || y->elided)
		return true;
	if (x->count != y->count || x->n != y->n || x->splat != y->splat)
		return false;
	for (int k = 0; k < x->n; k++)
		if (!same_literal(x->elem[k], y->elem[k], s->elem[k]))
			return false;
	return same_values(x->i, y->i, sizeof *x->i, x, y) &&
		same_values(x->f, y->f, (etype_kind(s->type) == 'c' ? 2 : 1) * sizeof *x->f, x, y);
}

static bool same_ints(const int64_t *x, const int64_t *y, int64_t n)
{
	return !n || !memcmp(x, y, n * sizeof *x);
}

static bool same_groups(const groups *x, const groups *y)
{
	int64_t n = 0;

	if (x->ngroup != y->ngroup || (x->ngroup && memcmp(x->size, y->size, x->ngroup * sizeof *x->size)))
		return false;
	for (int k = 0; k < x->ngroup; k++)
		n += x->size[k];
	return same_ints(x->id, y->id, n);
}

static bool same_sharding(const sharding *x, const sharding *y)
{
	int64_t n = 1;

	if (x->kind != y->kind || x->ntile != y->ntile || x->nsub != y->nsub || x->n != y->n)
		return false;
	for (int k = 0; k < x->n; k++)
		if (!same_sharding(x->elem[k], y->elem[k]))
			return false;
	if (x->kind == SH_MAXIMAL)
		return x->device == y->device;
	if (x->kind != SH_TILED)
		return true;
	for (int k = 0; k < x->ntile; k++)
		n *= x->tile[k];
	for (int k = 0; k < x->nsub; k++)
		if (x->sub[k] != y->sub[k])
			return false;
	return same_ints(x->tile, y->tile, x->ntile) && same_ints(x->devices, y->devices, n);
}

static int ints_of(const attr *x)
{
	switch (x->kind) {
	case ATTR_PAIRS: return 2 * x->n;
	case ATTR_SLICE: case ATTR_PADDING: return 3 * x->n;
	case ATTR_WINDOW: return WINDOW_FIELDS * x->n;
	default: return x->n;
	}
}

static bool same_attr(const attr *x, const attr *y)
{
	if (x->kind != y->kind)
		return false;
	switch (x->kind) {
	case ATTR_INT: case ATTR_BOOL: case ATTR_INTS: case ATTR_PAIRS: case ATTR_SLICE: case ATTR_PADDING:
	case ATTR_WINDOW:
		return x->n == y->n && same_ints(x->ints, y->ints, ints_of(x));
	case ATTR_FLOAT:
		return (float)x->real == (float)y->real;
	case ATTR_COMP: case ATTR_COMPS:
		for (int k = 0; k < x->n && k < y->n; k++)
			if (strcmp(x->comps[k]->name, y->comps[k]->name))
				return false;
		return x->n == y->n;
	case ATTR_GROUPS:
		return same_groups(x->groups, y->groups);
	case ATTR_SHARDING:
		return same_sharding(x->sharding, y->sharding);
	case ATTR_LITERAL:
		return shape_equal(x->shape, y->shape) && same_literal(x->literal, y->literal, x->shape);
	default:
		return same_text(x->text, y->text);
	}
}

static bool same_attrs(struct diff *d, const inst *x, const inst *y)
{
	for (int k = 0; k < x->nattr; k++) {
		const attr *b = inst_attr(y, x->attr[k].key);

		if (!b || !same_attr(&x->attr[k], b))
			return differ(d, x, x->attr[k].key, x->attr[k].text, b ? b->text : NULL);
	}
	for (int k = 0; k < y->nattr; k++)
		if (!inst_attr(x, y->attr[k].key))
			return differ(d, x, y->attr[k].key, NULL, y->attr[k].text);
	return true;
}

/* Attributes that nobody knows, which stand in the name behind a slash, are compared as attributes. */
static bool same_operation(const inst *x, const inst *y)
{
	int n, m;

	if (x->opcode != OP_UNKNOWN && x->opcode == y->opcode)
		return true;
	inst_unknown_attr(x, &n);
	inst_unknown_attr(y, &m);
	return (x->opcode == OP_UNKNOWN || y->opcode == OP_UNKNOWN) && n == m && !memcmp(x->opname, y->opname, (size_t)n);
}

static bool same_inst(struct diff *d, const inst *x, const inst *y)
{
	if (!same_operation(x, y))
		return differ(d, x, "opcode", x->opname, y->opname);
	if (!shape_equal(x->shape, y->shape))
		return differ(d, x, "shape", shape_text(d->a, x->shape), shape_text(d->a, y->shape));
	if (!same_layout(x->shape, y->shape))
		return differ(d, x, "layout", x->shape->layout, y->shape->layout);
	if (x->number != y->number || x->noperand != y->noperand)
		return differ(d, x, "number of operands", "one", "another");
	for (int k = 0; k < x->noperand; k++)
		if (strcmp(x->operand[k]->name, y->operand[k]->name))
			return differ(d, x, "operand", x->operand[k]->name, y->operand[k]->name);
	if (!same_literal(x->literal, y->literal, x->shape))
		return differ(d, x, "constant", "one", "another");
	if (!same_text(x->op_name, y->op_name))
		return differ(d, x, "op_name", x->op_name, y->op_name);
	if (!same_text(x->op_type, y->op_type))
		return differ(d, x, "op_type", x->op_type, y->op_type);
	if (!same_text(x->metadata, y->metadata))
		return differ(d, x, "metadata", x->metadata, y->metadata);
	if (!(d->stacks ? same_frames : same_place)(x->frame, y->frame))
		return differ(d, x, "stack frame", x->frame ? x->frame->file : NULL, y->frame ? y->frame->file : NULL);
	return same_attrs(d, x, y);
}

static bool same_comp(struct diff *d, const comp *x, const comp *y)
{
	if (x->ninst != y->ninst) {
		d->at = arena_printf(d->a, "%%%s: %d and %d instructions", x->name, x->ninst, y->ninst);
		return false;
	}
	if (!x->root != !y->root || (x->root && strcmp(x->root->name, y->root->name)))
		return differ(d, x->root, "root", x->root->name, y->root ? y->root->name : NULL);
	for (int k = 0; k < x->ninst; k++) {
		const inst *i = x->inst[k], *j = y->inst[k];

		if (strcmp(i->name, j->name))
			j = comp_inst(y, i->name);
		if (!j)
			return differ(d, i, "instruction", i->opname, NULL);
		if (!same_inst(d, i, j))
			return false;
	}
	return true;
}

const char *module_difference(arena *a, const module *x, const module *y, bool stacks)
{
	struct diff d = { a, NULL, stacks };

	if (x->ncomp != y->ncomp)
		return arena_printf(a, "%d and %d computations", x->ncomp, y->ncomp);
	if (strcmp(x->entry->name, y->entry->name))
		return arena_printf(a, "the entries are %%%s and %%%s", x->entry->name, y->entry->name);
	for (int k = 0; k < x->ncomp; k++) {
		const comp *c = x->comp[k], *e = y->comp[k];

		if (strcmp(c->name, e->name))
			e = module_comp(y, c->name);
		if (!e)
			return arena_printf(a, "the computation %%%s is in one only", c->name);
		if (!same_comp(&d, c, e))
			return d.at;
	}
	return NULL;
}
