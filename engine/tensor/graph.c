#include "tensor/graph.h"

#include <stdlib.h>
#include <string.h>

module *module_new(const char *name, const char *file)
{
	module *m = calloc(1, sizeof *m);

	if (!m) {
		die_hook("out of memory");
		abort();
	}
	arena_init(&m->arena);
	m->name = arena_strdup(&m->arena, name);
	m->file = arena_strdup(&m->arena, file);
	return m;
}

void module_free(module *m)
{
	if (!m)
		return;
	arena_free(&m->arena);
	free(m);
}

const attr *inst_attr(const inst *i, const char *key)
{
	for (int k = 0; k < i->nattr; k++)
		if (!strcmp(i->attr[k].key, key))
			return &i->attr[k];
	return NULL;
}

const int64_t *inst_ints(const inst *i, const char *key, int *n)
{
	const attr *x = inst_attr(i, key);

	*n = x && x->ints ? x->n : 0;
	return x ? x->ints : NULL;
}

int64_t inst_int(const inst *i, const char *key, int64_t otherwise)
{
	const attr *x = inst_attr(i, key);

	return x && x->kind == ATTR_INT ? x->ints[0] : otherwise;
}

bool inst_bool(const inst *i, const char *key, bool otherwise)
{
	const attr *x = inst_attr(i, key);

	return x && x->kind == ATTR_BOOL ? x->ints[0] : otherwise;
}

const char *inst_text(const inst *i, const char *key)
{
	const attr *x = inst_attr(i, key);

	return x ? x->text : NULL;
}

const char *inst_unknown_attr(const inst *i, int *n)
{
	*n = (int)strcspn(i->opname, "/");
	return i->opcode == OP_UNKNOWN && i->opname[*n] ? i->opname + *n + 1 : NULL;
}

comp *inst_comp(const inst *i, const char *key)
{
	const attr *x = inst_attr(i, key);

	return x && x->comps && x->n ? x->comps[0] : NULL;
}

comp *inst_called(const inst *i)
{
	return i->opcode == OP_CALL ? inst_comp(i, "to_apply") : i->opcode == OP_FUSION ? inst_comp(i, "calls") : NULL;
}

comp *module_comp(const module *m, const char *name)
{
	for (int k = 0; k < m->ncomp; k++)
		if (!strcmp(m->comp[k]->name, name))
			return m->comp[k];
	return NULL;
}

inst *comp_inst(const comp *c, const char *name)
{
	for (int k = 0; k < c->ninst; k++)
		if (!strcmp(c->inst[k]->name, name))
			return c->inst[k];
	return NULL;
}

static int64_t max_id(const int64_t *id, int64_t n, int64_t top)
{
	for (int64_t k = 0; k < n; k++)
		if (id[k] > top)
			top = id[k];
	return top;
}

static int64_t sharding_devices(const sharding *s, int64_t top)
{
	int64_t n = 1;

	switch (s->kind) {
	case SH_MAXIMAL:
		return s->device > top ? s->device : top;
	case SH_TUPLE:
		for (int k = 0; k < s->n; k++)
			top = sharding_devices(s->elem[k], top);
		return top;
	case SH_TILED:
		for (int k = 0; k < s->ntile; k++)
			n *= s->tile[k];
		return max_id(s->devices, n, top);
	default:
		return top;
	}
}

static int64_t attr_devices(const attr *x, int64_t top)
{
	int64_t n = 0;

	if (x->kind == ATTR_PAIRS)
		return max_id(x->ints, 2 * (int64_t)x->n, top);
	if (x->kind == ATTR_SHARDING)
		return sharding_devices(x->sharding, top);
	if (x->kind != ATTR_GROUPS)
		return top;
	for (int k = 0; k < x->groups->ngroup; k++)
		n += x->groups->size[k];
	return max_id(x->groups->id, n, top);
}

int64_t module_devices_named(const module *m)
{
	int64_t top = 0;

	for (int c = 0; c < m->ncomp; c++)
		for (int k = 0; k < m->comp[c]->ninst; k++) {
			const inst *i = m->comp[c]->inst[k];

			for (int a = 0; a < i->nattr; a++)
				top = attr_devices(&i->attr[a], top);
		}
	return top + 1;
}
