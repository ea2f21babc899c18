#include "session/scopes.h"

#include <stdlib.h>
#include "util/hash.h"

struct scope_node {
	uint32_t parent, depth;
	const char *name;	/* not ended by a zero byte */
	size_t n;
};

static struct scope_node *node_at(const scopes *x, uint32_t k)
{
	return &VEC_AT(struct scope_node, &x->node, k);
}

static void *zeros(size_t n, size_t width)
{
	void *p = calloc(n, width);

	if (!p) {
		die_hook("out of memory");
		abort();
	}
	return p;
}

static uint32_t *slot_of(const scopes *x, uint32_t parent, const char *name, size_t n)
{
	uint32_t i = (uint32_t)hash_bytes(name, n, parent) & x->mask;

	for (; x->slot[i]; i = (i + 1) & x->mask) {
		const struct scope_node *k = node_at(x, x->slot[i]);

		if (k->parent == parent && k->n == n && !memcmp(k->name, name, n))
			break;
	}
	return &x->slot[i];
}

static void grow(scopes *x)
{
	uint32_t k;

	free(x->slot);
	x->mask = x->mask * 2 + 1;
	x->slot = zeros((size_t)x->mask + 1, sizeof *x->slot);
	for (k = 1; k < x->node.n; k++)
		*slot_of(x, node_at(x, k)->parent, node_at(x, k)->name, node_at(x, k)->n) = k;
}

static uint32_t child(scopes *x, uint32_t parent, const char *name, size_t n)
{
	uint32_t *slot = slot_of(x, parent, name, n), k = *slot;

	if (k)
		return k;
	*slot = k = x->node.n;
	*(struct scope_node *)vec_push(&x->node) = (struct scope_node){ parent, node_at(x, parent)->depth + 1, name, n };
	if (x->node.n * 2 > x->mask)
		grow(x);
	return k;
}

/* The node of all that stands before slashes. */
static uint32_t place(scopes *x, const char *path)
{
	uint32_t at = 0;
	const char *slash;

	for (; path && (slash = strchr(path, '/')); path = slash + 1)
		at = child(x, at, path, (size_t)(slash - path));
	return at;
}

void scopes_init(scopes *x, const program *p)
{
	const char *last = NULL;	/* neighbours share their op_name often */
	int r;

	vec_init(&x->node, sizeof(struct scope_node));
	vec_push(&x->node);
	x->mask = 1023;
	x->slot = zeros((size_t)x->mask + 1, sizeof *x->slot);
	x->row = zeros((size_t)p->nrow + 1, sizeof *x->row);
	for (r = 0; r < p->nrow; r++) {
		const char *scope = p->row[r].inst->op_name;

		x->row[r].call = place(x, p->row[r].path);
		x->row[r].scope = r && scope == last ? x->row[r - 1].scope : place(x, scope);
		last = scope;
	}
}

void scopes_free(scopes *x)
{
	vec_free(&x->node);
	free(x->slot);
	free(x->row);
}

int scopes_calls(const scopes *x, int row)
{
	return (int)node_at(x, x->row[row].call)->depth;
}

int scopes_depth(const scopes *x, int row)
{
	return scopes_calls(x, row) + (int)node_at(x, x->row[row].scope)->depth;
}

/* The node around k that is so deep; k itself, when it is not that deep. */
static uint32_t around(const scopes *x, uint32_t k, uint32_t depth)
{
	while (node_at(x, k)->depth > depth)
		k = node_at(x, k)->parent;
	return k;
}

struct prefix scopes_prefix(const scopes *x, int row, int depth)
{
	int calls = scopes_calls(x, row), scopes = depth > calls ? depth - calls : 0;
	struct prefix p = { .any = scopes <= scopes_depth(x, row) - calls };

	p.call = around(x, x->row[row].call, (uint32_t)depth);
	p.scope = around(x, x->row[row].scope, (uint32_t)scopes);
	return p;
}

bool scopes_has(const scopes *x, int row, const struct prefix *p)
{
	const struct scope_place *at = &x->row[row];

	return p->any && around(x, at->call, node_at(x, p->call)->depth) == p->call &&
	       around(x, at->scope, node_at(x, p->scope)->depth) == p->scope;
}
