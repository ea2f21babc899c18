#include "egraph/egraph_in.h"

#include <string.h>

/* ---- birth and death of the whole */

/* Every array of the graph, with the width of its elements. */
#define NODE_ARRAYS(X) \
	X(node) X(root) X(class) X(born) X(pf)
#define SLOT_ARRAYS(X) \
	X(cur) X(orig) X(link)

egraph *eg_new(void)
{
	arena a;
	egraph *g;

	arena_init(&a);
	g = ARENA_NEW(&a, egraph);
	g->names = a;
	trail_init(&g->trail);
	vec_init_few(&g->sorts, sizeof(struct eg_sort_info));
	vec_init_few(&g->families, sizeof(struct eg_family_info));
	vec_init_few(&g->columns, sizeof(struct eg_column));
	vec_init(&g->value, sizeof(struct eg_value_info));
	vec_init(&g->bytes, sizeof(uint64_t));
	vec_init(&g->op, sizeof(struct eg_opinfo));
	vec_init(&g->opval, sizeof(eg_val));
	vec_room(&g->opval, 1); /* an operator without values points to a place, too */
	vec_init(&g->edges, sizeof(eg_edge));
	vec_init(&g->queue, sizeof(struct eg_pending));
	vec_init(&g->touched, sizeof(eg_id));
	key_table_init(&g->nodes);
	key_table_init(&g->values);
	key_table_init(&g->operators);
	key_table_init(&g->names_of);
#define X(name) \
	vec_init(&g->v_##name, sizeof *g->name); \
	vec_room(&g->v_##name, 1); \
	g->name = (void *)g->v_##name.base;
	NODE_ARRAYS(X)
	SLOT_ARRAYS(X)
#undef X
	g->proofs = true;
	g->firing = NIL;
	g->undo_add = trail_register(&g->trail, eg_undo_add, g);
	g->undo_union = trail_register(&g->trail, eg_undo_union, g);
	g->undo_dead = trail_register(&g->trail, eg_undo_dead, g);
	g->undo_displaced = trail_register(&g->trail, eg_undo_displaced, g);
	g->undo_value = trail_register(&g->trail, eg_undo_value, g);
	g->undo_op = trail_register(&g->trail, eg_undo_op, g);
	return g;
}

void eg_free(egraph *g)
{
	arena a;
	uint32_t i;

	if (!g)
		return;
	for (i = 0; i < g->families.n; i++)
		eg_list_free(&VEC_AT(struct eg_family_info, &g->families, i).nodes);
#define X(name) vec_free(&g->v_##name);
	NODE_ARRAYS(X)
	SLOT_ARRAYS(X)
#undef X
	key_table_free(&g->nodes);
	key_table_free(&g->values);
	key_table_free(&g->operators);
	key_table_free(&g->names_of);
	vec_free(&g->sorts);
	vec_free(&g->families);
	vec_free(&g->value);
	vec_free(&g->bytes);
	vec_free(&g->op);
	vec_free(&g->opval);
	vec_free(&g->edges);
	vec_free(&g->queue);
	vec_free(&g->columns);
	vec_free(&g->touched);
	trail_free(&g->trail);
	a = g->names;
	arena_free(&a);
}

trail *eg_trail(egraph *g)
{
	return &g->trail;
}

void eg_set_hooks(egraph *g, const eg_hooks *h)
{
	g->hooks = *h;
}

void eg_set_fact_hook(egraph *g, void (*merging)(void *ctx, eg_id winner, eg_id loser), void *ctx)
{
	g->fact_merging = merging;
	g->fact_ctx = ctx;
}

void eg_set_firing(egraph *g, uint32_t firing)
{
	g->firing = firing;
}

void eg_set_proofs(egraph *g, bool on)
{
	g->proofs = on;
	g->orig = on ? VEC(eg_id, &g->v_orig) : g->cur;
}

/* ---- nodes */

eg_id eg_node_find(const egraph *g, uint32_t hash, eg_op op, uint32_t narg, const eg_id *cur)
{
	const struct key_table *t = &g->nodes;
	uint32_t i;

	for (i = hash & t->mask; t->at[i].id != NIL; i = (i + 1) & t->mask) {
		const struct eg_node *p;

		if (t->at[i].hash != hash)
			continue;
		p = &g->node[t->at[i].id];
		if (p->op == op && p->narg == narg && same_key(narg, g->cur + p->slot, cur))
			return t->at[i].id;
	}
	return NIL;
}

void eg_prefetch(const egraph *g, eg_op op, uint32_t narg, const eg_id *cur)
{
	__builtin_prefetch(&g->nodes.at[key_hash(op, narg, cur) & g->nodes.mask]);
}

static void node_room(egraph *g)
{
	g->cap = g->cap ? g->cap * 2 : 1024;
#define X(name) vec_room(&g->v_##name, g->cap);
	NODE_ARRAYS(X)
#undef X
}

static void column_add(const struct eg_column *c, uint32_t n)
{
	void *p;

	vec_room(c->v, n + 1);
	c->v->n = n + 1;
	p = c->v->base + (size_t)n * c->v->width;
	if (c->fresh)
		memcpy(p, c->fresh, c->v->width);
	else
		memset(p, 0, c->v->width);
}

static void columns_add(egraph *g, uint32_t n)
{
	for (uint32_t k = 0; k < g->columns.n; k++)
		column_add(&VEC_AT(struct eg_column, &g->columns, k), n);
}

static void columns_cut(egraph *g, uint32_t n)
{
	for (uint32_t k = 0; k < g->columns.n; k++)
		VEC_AT(struct eg_column, &g->columns, k).v->n = n;
}

void eg_column(egraph *g, vec *v, const void *fresh)
{
	struct eg_column *c = vec_push(&g->columns);

	*c = (struct eg_column){ v, fresh };
	for (uint32_t n = 0; n < g->n; n++)
		column_add(c, n);
}

static void slot_room(egraph *g, uint32_t need)
{
	if (!g->slotcap)
		g->slotcap = 2048;
	while (g->slotcap < need)
		g->slotcap *= 2;
#define X(name) vec_room(&g->v_##name, g->slotcap);
	SLOT_ARRAYS(X)
#undef X
}

static void use_link(egraph *g, uint32_t s, eg_id root)
{
	struct eg_class *c = &g->class[root];

	g->link[s].next = c->use;
	if (c->use == NIL)
		c->last = s;
	c->use = s;
	c->nuse++;
}

static void use_unlink(egraph *g, eg_id root)
{
	struct eg_class *c = &g->class[root];

	c->use = g->link[c->use].next;
	if (c->use == NIL)
		c->last = NIL;
	c->nuse--;
}

/* cur is where the slots of the node will be. */
static eg_id node_new(egraph *g, eg_op op, uint32_t narg, const eg_id *args, const eg_id *cur, uint32_t hash)
{
	eg_id n = g->n++;
	struct eg_node *p = &g->node[n];
	uint32_t i;

	p->slot = g->nslot;
	p->op = op;
	p->narg = narg;
	p->flags = 0;
	p->next = n;
	g->root[n] = n;
	g->class[n] = (struct eg_class){ NIL, NIL, 1, 0 };
	if (g->proofs) {
		g->born[n] = g->firing;
		g->pf[n] = NIL;
	}
	for (i = 0; i < narg; i++) {
		uint32_t s = g->nslot + i;

		if (g->proofs)
			g->orig[s] = args[i];
		g->link[s].owner = n;
		use_link(g, s, cur[i]);
	}
	g->nslot += narg;
	eg_list_push(&VEC_AT(struct eg_family_info, &g->families, eg_op_family(g, op)).nodes, &g->names, n);
	key_table_insert(&g->nodes, hash, n);
	g->live++;
	g->nclass++;
	if (g->track)
		eg_log_touch(g, n);
	columns_add(g, n);
	trail_call(&g->trail, g->undo_add, n);
	return n;
}

void eg_undo_add(void *ctx, uint32_t n)
{
	egraph *g = ctx;
	struct eg_node *p = &g->node[n];
	uint32_t i;

	key_table_remove(&g->nodes, eg_node_key(g, n), n);
	for (i = p->narg; i-- > 0;)
		use_unlink(g, g->cur[p->slot + i]);
	VEC_AT(struct eg_family_info, &g->families, eg_op_family(g, p->op)).nodes.n--;
	g->nslot = p->slot;
	columns_cut(g, n);
	g->n--;
	g->live--;
	g->nclass--;
	if (g->track)
		g->touched.n--;
}

/* The roots of the arguments stand where the slots of a new node would:
 * nothing is copied when it is made. */
eg_id eg_add(egraph *g, eg_op op, uint32_t narg, const eg_id *args)
{
	uint32_t hash, i;
	eg_id *cur, n;

	if (g->n == g->cap)
		node_room(g);
	if (g->nslot + narg > g->slotcap)
		slot_room(g, g->nslot + narg);
	cur = g->cur + g->nslot;
	for (i = 0; i < narg; i++)
		cur[i] = g->root[args[i]];
	hash = key_hash(op, narg, cur);
	n = eg_node_find(g, hash, op, narg, cur);
	if (n != NIL)
		return n;
	n = node_new(g, op, narg, args, cur, hash);
	if (g->hooks.added)
		g->hooks.added(g->hooks.ctx, n);
	return n;
}

/* Long keys are compared slot by slot instead of being copied. */
eg_id eg_lookup(const egraph *g, eg_op op, uint32_t narg, const eg_id *args)
{
	enum { SHORT = 16 };
	const struct key_table *t = &g->nodes;
	uint32_t i, k, hash;
	eg_id cur[SHORT];
	uint64_t h;

	if (narg <= SHORT) {
		for (i = 0; i < narg; i++)
			cur[i] = g->root[args[i]];
		return eg_node_find(g, key_hash(op, narg, cur), op, narg, cur);
	}
	h = op * 0x9e3779b97f4a7c15ull;
	for (i = 0; i < narg; i++) {
		h = (h ^ g->root[args[i]]) * 0xff51afd7ed558ccdull;
		h ^= h >> 32;
	}
	hash = (uint32_t)(h * 0x9e3779b97f4a7c15ull >> 32);
	for (i = hash & t->mask; t->at[i].id != NIL; i = (i + 1) & t->mask) {
		const struct eg_node *p = &g->node[t->at[i].id];

		if (t->at[i].hash != hash || p->op != op || p->narg != narg)
			continue;
		for (k = 0; k < narg && g->cur[p->slot + k] == g->root[args[k]]; k++)
			;
		if (k == narg)
			return t->at[i].id;
	}
	return NIL;
}

uint32_t eg_nnode(const egraph *g)
{
	return g->n;
}

eg_op eg_node_op(const egraph *g, eg_id n)
{
	return g->node[n].op;
}

uint32_t eg_narg(const egraph *g, eg_id n)
{
	return g->node[n].narg;
}

const eg_id *eg_args(const egraph *g, eg_id n)
{
	return g->orig + g->node[n].slot;
}

const eg_id *eg_current(const egraph *g, eg_id n)
{
	return g->cur + g->node[n].slot;
}

eg_id eg_root(const egraph *g, eg_id n)
{
	return g->root[n];
}

bool eg_dead(const egraph *g, eg_id n)
{
	return g->node[n].flags & EG_DEAD;
}

eg_id eg_rep(const egraph *g, eg_id n)
{
	const struct eg_node *p = &g->node[n];

	if (!(p->flags & EG_DEAD))
		return n;
	return eg_node_find(g, eg_node_key(g, n), p->op, p->narg, g->cur + p->slot);
}

uint32_t eg_born(const egraph *g, eg_id n)
{
	return g->born[n];
}

uint32_t eg_live(const egraph *g)
{
	return g->live;
}

uint32_t eg_nclass(const egraph *g)
{
	return g->nclass;
}

eg_id eg_next_in_class(const egraph *g, eg_id n)
{
	return g->node[n].next;
}

uint32_t eg_class_size(const egraph *g, eg_id root)
{
	return g->class[root].size;
}

bool eg_use_first(const egraph *g, eg_id root, eg_use *u)
{
	u->slot = g->class[root].use;
	if (u->slot == NIL)
		return false;
	u->owner = g->link[u->slot].owner;
	return true;
}

bool eg_use_next(const egraph *g, eg_use *u)
{
	u->slot = g->link[u->slot].next;
	if (u->slot == NIL)
		return false;
	u->owner = g->link[u->slot].owner;
	return true;
}

/* ---- what changed */

void eg_set_track(egraph *g, bool on)
{
	g->track = on;
}

const eg_id *eg_touched(const egraph *g, uint32_t *n)
{
	*n = g->touched.n;
	return VEC(eg_id, &g->touched);
}

void eg_touch(egraph *g, eg_id n)
{
	if (!g->track)
		return;
	trail_log(&g->trail, (uint64_t)(uintptr_t)&g->touched.n | TRAIL_SET32, g->touched.n);
	eg_log_touch(g, n);
}
