#include "egraph/egraph_in.h"

#include <string.h>
#include "util/hash.h"

/* ---- tables */

static void table_init(struct eg_table *t)
{
	vec_init(&t->mem, sizeof(struct eg_entry));
	t->mask = 63;
	t->n = 0;
	vec_room(&t->mem, 64);
	t->at = VEC(struct eg_entry, &t->mem);
	memset(t->at, 0xff, 64 * sizeof *t->at);
}

static void table_put(struct eg_table *t, uint32_t hash, uint32_t id)
{
	uint32_t i = hash & t->mask;

	while (t->at[i].id != NIL)
		i = (i + 1) & t->mask;
	t->at[i].hash = hash;
	t->at[i].id = id;
}

/* Doubled in place.  An entry belongs at or above its old place, or so much
 * above it in the new half; whole runs are taken out first because they wrap. */
static void table_grow(struct eg_table *t)
{
	uint32_t old = t->mask + 1, i, start = 0;

	vec_room(&t->mem, old * 2);
	memset(t->at + old, 0xff, old * sizeof *t->at);
	t->mask = old * 2 - 1;
	while (t->at[start].id != NIL)
		start++;
	for (i = 0; i < old; i++) {
		uint32_t k = (start + i) & (old - 1);
		struct eg_entry e = t->at[k];

		if (e.id == NIL)
			continue;
		t->at[k].id = NIL;
		table_put(t, e.hash, e.id);
	}
}

static void table_insert(struct eg_table *t, uint32_t hash, uint32_t id)
{
	if ((t->n + 1) * 5ull > (t->mask + 1) * 3ull)
		table_grow(t);
	table_put(t, hash, id);
	t->n++;
}

/* Where the entry of this id is, or NIL. */
static uint32_t table_seek(const struct eg_table *t, uint32_t hash, uint32_t id)
{
	uint32_t i;

	for (i = hash & t->mask; t->at[i].id != NIL; i = (i + 1) & t->mask)
		if (t->at[i].id == id)
			return i;
	return NIL;
}

static void table_cut(struct eg_table *t, uint32_t i)
{
	uint32_t j = i;

	for (;;) {
		j = (j + 1) & t->mask;
		if (t->at[j].id == NIL)
			break;
		/* may j's entry stand at i? only if its home is not in (i, j] */
		if (((j - t->at[j].hash) & t->mask) >= ((j - i) & t->mask)) {
			t->at[i] = t->at[j];
			i = j;
		}
	}
	t->at[i].id = NIL;
	t->n--;
}

static void table_remove(struct eg_table *t, uint32_t hash, uint32_t id)
{
	uint32_t i = table_seek(t, hash, id);

	if (i != NIL)
		table_cut(t, i);
}

/* ---- lists */

enum { LIST_FIRST = 8, LIST_ARENA = 1024 };	/* from then on it has an array of its own */

static void list_grow(struct eg_list *l, arena *a)
{
	eg_id *old = l->at;

	if (l->cap >= LIST_ARENA) {
		if (!l->own.base)
			vec_init(&l->own, sizeof *l->at);
		vec_room(&l->own, l->n + 1);
		l->at = VEC(eg_id, &l->own);
		l->cap = (uint32_t)(l->own.committed / sizeof *l->at);
	} else {
		l->cap = l->cap ? l->cap * 2 : LIST_FIRST;
		l->at = ARENA_ARRAY(a, eg_id, l->cap);
	}
	if (l->n && l->at != old)
		memcpy(l->at, old, l->n * sizeof *l->at);
}

static inline void list_push(struct eg_list *l, arena *a, eg_id n)
{
	if (l->n == l->cap)
		list_grow(l, a);
	l->at[l->n++] = n;
}

static void list_free(struct eg_list *l)
{
	if (l->own.base)
		vec_free(&l->own);
}

/* ---- hashing */

static inline uint32_t hash_words(uint32_t head, uint32_t n, const uint32_t *w)
{
	uint64_t h = head * 0x9e3779b97f4a7c15ull;
	uint32_t i;

	for (i = 0; i < n; i++) {
		h = (h ^ w[i]) * 0xff51afd7ed558ccdull;
		h ^= h >> 32;
	}
	h *= 0x9e3779b97f4a7c15ull;
	return (uint32_t)(h >> 32);
}

static inline bool same_words(uint32_t n, const uint32_t *a, const uint32_t *b)
{
	uint32_t i;

	for (i = 0; i < n; i++)
		if (a[i] != b[i])
			return false;
	return true;
}

static uint32_t node_hash(const egraph *g, eg_id n)
{
	const struct eg_node *p = &g->node[n];

	return hash_words(p->op, p->narg, g->cur + p->slot);
}

/* The node with this key (its arguments are roots), or NIL. */
static eg_id node_find(const egraph *g, uint32_t hash, eg_op op, uint32_t narg, const eg_id *cur)
{
	const struct eg_table *t = &g->nodes;
	uint32_t i;

	for (i = hash & t->mask; t->at[i].id != NIL; i = (i + 1) & t->mask) {
		const struct eg_node *p;

		if (t->at[i].hash != hash)
			continue;
		p = &g->node[t->at[i].id];
		if (p->op == op && p->narg == narg && same_words(narg, g->cur + p->slot, cur))
			return t->at[i].id;
	}
	return NIL;
}

void eg_prefetch(const egraph *g, eg_op op, uint32_t narg, const eg_id *cur)
{
	__builtin_prefetch(&g->nodes.at[hash_words(op, narg, cur) & g->nodes.mask]);
}

/* ---- birth and death of the whole */

static void undo_add(void *ctx, uint32_t a);
static void undo_union(void *ctx, uint32_t loser);
static void undo_dead(void *ctx, uint32_t n);
static void undo_displaced(void *ctx, uint32_t n);
static void undo_value(void *ctx, uint32_t v);
static void undo_op(void *ctx, uint32_t o);

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
	vec_init(&g->edges, sizeof(eg_edge));
	vec_init(&g->queue, sizeof(struct eg_pending));
	vec_init(&g->touched, sizeof(eg_id));
	table_init(&g->nodes);
	table_init(&g->values);
	table_init(&g->operators);
	table_init(&g->names_of);
#define X(name) \
	vec_init(&g->v_##name, sizeof *g->name); \
	vec_room(&g->v_##name, 1); \
	g->name = (void *)g->v_##name.base;
	NODE_ARRAYS(X)
	SLOT_ARRAYS(X)
#undef X
	g->proofs = true;
	g->firing = NIL;
	g->undo_add = trail_register(&g->trail, undo_add, g);
	g->undo_union = trail_register(&g->trail, undo_union, g);
	g->undo_dead = trail_register(&g->trail, undo_dead, g);
	g->undo_displaced = trail_register(&g->trail, undo_displaced, g);
	g->undo_value = trail_register(&g->trail, undo_value, g);
	g->undo_op = trail_register(&g->trail, undo_op, g);
	return g;
}

void eg_free(egraph *g)
{
	arena a;
	uint32_t i;

	if (!g)
		return;
	for (i = 0; i < g->families.n; i++)
		list_free(&VEC_AT(struct eg_family_info, &g->families, i).nodes);
#define X(name) vec_free(&g->v_##name);
	NODE_ARRAYS(X)
	SLOT_ARRAYS(X)
#undef X
	vec_free(&g->nodes.mem);
	vec_free(&g->values.mem);
	vec_free(&g->operators.mem);
	vec_free(&g->names_of.mem);
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

/* ---- names */

eg_sort eg_declare_sort(egraph *g, const char *name, bool primitive)
{
	struct eg_sort_info *s = vec_push(&g->sorts);

	s->name = arena_strdup(&g->names, name);
	s->primitive = primitive;
	return g->sorts.n - 1;
}

eg_sort eg_sort_named(const egraph *g, const char *name)
{
	uint32_t i;

	for (i = 0; i < g->sorts.n; i++) {
		const char *known = VEC_AT(struct eg_sort_info, &g->sorts, i).name;

		if (*known == *name && !strcmp(known, name))
			return i;
	}
	return NIL;
}

const char *eg_sort_name(const egraph *g, eg_sort s)
{
	return VEC_AT(struct eg_sort_info, &g->sorts, s).name;
}

bool eg_sort_primitive(const egraph *g, eg_sort s)
{
	return VEC_AT(struct eg_sort_info, &g->sorts, s).primitive;
}

bool eg_sort_of_facts(const egraph *g, eg_sort s)
{
	return VEC_AT(struct eg_sort_info, &g->sorts, s).facts;
}

static const eg_sort *copy_sorts(egraph *g, const eg_sort *s, uint32_t n)
{
	eg_sort *p = ARENA_ARRAY(&g->names, eg_sort, n);

	if (n)
		memcpy(p, s, n * sizeof *p);
	return p;
}

static uint32_t name_hash(const char *name)
{
	return (uint32_t)(hash_bytes(name, strlen(name), 0) >> 32);
}

eg_fam eg_declare(egraph *g, const eg_signature *s)
{
	struct eg_family_info *f = vec_push(&g->families);

	f->sig = *s;
	f->sig.name = arena_strdup(&g->names, s->name);
	f->sig.val = copy_sorts(g, s->val, s->nval);
	f->sig.arg = copy_sorts(g, s->arg, s->narg);
	if (s->fact)
		VEC_AT(struct eg_sort_info, &g->sorts, s->result).facts = true;
	table_insert(&g->names_of, name_hash(s->name), g->families.n - 1);
	return g->families.n - 1;
}

eg_fam eg_family_named(const egraph *g, const char *name)
{
	const struct eg_table *t = &g->names_of;
	uint32_t hash = name_hash(name), i;

	for (i = hash & t->mask; t->at[i].id != NIL; i = (i + 1) & t->mask)
		if (t->at[i].hash == hash && !strcmp(eg_family(g, t->at[i].id)->name, name))
			return t->at[i].id;
	return NIL;
}

const eg_signature *eg_family(const egraph *g, eg_fam f)
{
	return &VEC_AT(struct eg_family_info, &g->families, f).sig;
}

uint32_t eg_nfamily(const egraph *g)
{
	return g->families.n;
}

uint32_t eg_nsort(const egraph *g)
{
	return g->sorts.n;
}

void eg_forget(egraph *g, uint32_t nsort, uint32_t nfamily)
{
	while (g->families.n > nfamily) {
		struct eg_family_info *f = &VEC_AT(struct eg_family_info, &g->families, --g->families.n);

		table_remove(&g->names_of, name_hash(f->sig.name), g->families.n);
		list_free(&f->nodes);
	}
	g->sorts.n = nsort;
}

const eg_id *eg_family_nodes(const egraph *g, eg_fam f, uint32_t *n)
{
	const struct eg_list *l = &VEC_AT(struct eg_family_info, &g->families, f).nodes;

	*n = l->n;
	return l->at;
}

/* ---- values and operators */

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
	table_insert(&g->values, hash, g->value.n - 1);
	trail_call(&g->trail, g->undo_value, g->value.n - 1);
	return g->value.n - 1;
}

eg_val eg_value(egraph *g, eg_sort sort, const void *bytes, size_t n)
{
	uint32_t hash = value_hash(sort, bytes, n), i;
	const struct eg_table *t = &g->values;

	for (i = hash & t->mask; t->at[i].id != NIL; i = (i + 1) & t->mask)
		if (t->at[i].hash == hash && value_is(g, t->at[i].id, sort, bytes, n))
			return t->at[i].id;
	return value_new(g, hash, sort, bytes, n);
}

static void undo_value(void *ctx, uint32_t id)
{
	egraph *g = ctx;
	struct eg_value_info *v = &VEC_AT(struct eg_value_info, &g->value, id);

	table_remove(&g->values, value_hash(v->sort, VEC(uint64_t, &g->bytes) + v->at, v->n), id);
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

static eg_op op_new(egraph *g, uint32_t hash, eg_fam f, uint32_t nval, const eg_val *vals)
{
	struct eg_opinfo *o = vec_push(&g->op);

	o->fam = f;
	o->nval = nval;
	o->val = g->opval.n;
	if (nval)
		memcpy(vec_push_n(&g->opval, nval), vals, nval * sizeof *vals);
	table_insert(&g->operators, hash, g->op.n - 1);
	trail_call(&g->trail, g->undo_op, g->op.n - 1);
	return g->op.n - 1;
}

eg_op eg_find_operator(const egraph *g, eg_fam f, uint32_t nval, const eg_val *vals)
{
	uint32_t hash = hash_words(f, nval, vals), i;
	const struct eg_table *t = &g->operators;

	for (i = hash & t->mask; t->at[i].id != NIL; i = (i + 1) & t->mask) {
		const struct eg_opinfo *o = &VEC_AT(struct eg_opinfo, &g->op, t->at[i].id);

		if (t->at[i].hash == hash && o->fam == f && o->nval == nval &&
		    same_words(nval, &VEC_AT(eg_val, &g->opval, o->val), vals))
			return t->at[i].id;
	}
	return NIL;
}

eg_op eg_operator(egraph *g, eg_fam f, uint32_t nval, const eg_val *vals)
{
	eg_op o = eg_find_operator(g, f, nval, vals);

	return o != NIL ? o : op_new(g, hash_words(f, nval, vals), f, nval, vals);
}

static void undo_op(void *ctx, uint32_t id)
{
	egraph *g = ctx;
	struct eg_opinfo *o = &VEC_AT(struct eg_opinfo, &g->op, id);
	uint32_t hash = hash_words(o->fam, o->nval, &VEC_AT(eg_val, &g->opval, o->val));

	table_remove(&g->operators, hash, id);
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

/* ---- nodes */

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

static void touch(egraph *g, eg_id n)
{
	if (g->touched.n == g->touched.committed / sizeof n)
		vec_room(&g->touched, g->touched.n + 1);
	VEC_AT(eg_id, &g->touched, g->touched.n++) = n;
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
	list_push(&VEC_AT(struct eg_family_info, &g->families, eg_op_family(g, op)).nodes, &g->names, n);
	table_insert(&g->nodes, hash, n);
	g->live++;
	g->nclass++;
	if (g->track)
		touch(g, n);
	columns_add(g, n);
	trail_call(&g->trail, g->undo_add, n);
	return n;
}

static void undo_add(void *ctx, uint32_t n)
{
	egraph *g = ctx;
	struct eg_node *p = &g->node[n];
	uint32_t i;

	table_remove(&g->nodes, node_hash(g, n), n);
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
	hash = hash_words(op, narg, cur);
	n = node_find(g, hash, op, narg, cur);
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
	const struct eg_table *t = &g->nodes;
	uint32_t i, k, hash;
	eg_id cur[SHORT];
	uint64_t h;

	if (narg <= SHORT) {
		for (i = 0; i < narg; i++)
			cur[i] = g->root[args[i]];
		return node_find(g, hash_words(op, narg, cur), op, narg, cur);
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
	return node_find(g, node_hash(g, n), p->op, p->narg, g->cur + p->slot);
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

/* ---- union */

static void swap(uint32_t *a, uint32_t *b)
{
	uint32_t t = *a;

	*a = *b;
	*b = t;
}

static void relabel(egraph *g, eg_id first, eg_id to)
{
	eg_id m = first;

	do {
		g->root[m] = to;
		m = g->node[m].next;
	} while (m != first);
}

/* Makes n the root of its proof tree: the edges on its way up change hands. */
static void pf_reroot(egraph *g, eg_id n)
{
	uint32_t e = g->pf[n], up;

	g->pf[n] = NIL;
	while (e != NIL) {
		const eg_edge *p = &VEC_AT(eg_edge, &g->edges, e);

		n = p->a == n ? p->b : p->a;
		up = g->pf[n];
		g->pf[n] = e;
		e = up;
	}
}

static uint32_t edge_new(egraph *g, const struct eg_pending *p)
{
	eg_edge *e;

	if ((g->edges.n + 1) * sizeof *e > g->edges.committed)
		vec_room(&g->edges, g->edges.n + 1);
	e = &VEC_AT(eg_edge, &g->edges, g->edges.n++);
	e->a = p->a;
	e->b = p->b;
	e->kind = p->why;
	e->firing = p->firing;
	return g->edges.n - 1;
}

/* Joins the lists and counts.  The uses of the loser come first then, up to its
 * last, and the same loser's last tells where to cut them off again. */
static void join(egraph *g, eg_id w, eg_id l)
{
	struct eg_class *a = &g->class[w], *b = &g->class[l];

	swap(&g->node[w].next, &g->node[l].next);
	a->size += b->size;
	a->nuse += b->nuse;
	if (b->use == NIL)
		return;
	g->link[b->last].next = a->use;
	if (a->use == NIL)
		a->last = b->last;
	a->use = b->use;
}

static void unjoin(egraph *g, eg_id w, eg_id l)
{
	struct eg_class *a = &g->class[w], *b = &g->class[l];

	swap(&g->node[w].next, &g->node[l].next);
	a->size -= b->size;
	a->nuse -= b->nuse;
	if (b->use == NIL)
		return;
	a->use = g->link[b->last].next;
	if (a->use == NIL)
		a->last = NIL;
	g->link[b->last].next = NIL;
}

static void enqueue(egraph *g, eg_id a, eg_id b, enum eg_why why, uint32_t firing)
{
	struct eg_pending *p = vec_push(&g->queue);

	p->a = a;
	p->b = b;
	p->why = why;
	p->firing = firing;
}

static void kill(egraph *g, eg_id n, uint32_t undo)
{
	g->node[n].flags |= EG_DEAD;
	g->live--;
	trail_call(&g->trail, undo, n);
}

static void undo_dead(void *ctx, uint32_t n)
{
	egraph *g = ctx;

	g->node[n].flags &= ~EG_DEAD;
	g->live++;
}

/* The younger of two was in the table: it gets its seat back. */
static void undo_displaced(void *ctx, uint32_t n)
{
	egraph *g = ctx;
	uint32_t hash = node_hash(g, n);
	eg_id older = eg_rep(g, n);

	undo_dead(ctx, n);
	g->nodes.at[table_seek(&g->nodes, hash, older)].id = n;
}

/* u has a new key.  Of two nodes with one key the older stays in the table. */
static void rekey(egraph *g, eg_id u)
{
	const struct eg_node *p = &g->node[u];
	uint32_t hash = node_hash(g, u);
	eg_id h = node_find(g, hash, p->op, p->narg, g->cur + p->slot);

	if (h == NIL) {
		table_insert(&g->nodes, hash, u);
		return;
	}
	if (h < u) {
		kill(g, u, g->undo_dead);
	} else {
		g->nodes.at[table_seek(&g->nodes, hash, h)].id = u;
		kill(g, h, g->undo_displaced);
	}
	enqueue(g, h < u ? h : u, h < u ? u : h, EG_CONGRUENCE, NIL);
}

/* Every slot that read the loser reads the winner, those of dead nodes too. */
static void rekey_user(egraph *g, uint32_t s, eg_id w, eg_id l)
{
	eg_id u = g->link[s].owner;
	struct eg_node *p = &g->node[u];
	uint32_t i;

	if (g->cur[s] == w)
		return;		/* done with an earlier slot of the same node */
	if (!(p->flags & EG_DEAD))
		table_remove(&g->nodes, node_hash(g, u), u);
	for (i = p->slot; i < p->slot + p->narg; i++)
		if (g->cur[i] == l)
			g->cur[i] = w;
	if (p->flags & EG_DEAD)
		return;
	rekey(g, u);
	if (g->track)
		touch(g, u);
	if (g->hooks.rekeyed)
		g->hooks.rekeyed(g->hooks.ctx, u);
}

static void rekey_users(egraph *g, eg_id w, eg_id l)
{
	uint32_t last = g->class[l].last, s = g->class[l].use, next;

	for (; last != NIL; s = next) {
		next = g->link[s].next;
		rekey_user(g, s, w, l);
		if (s == last)
			return;
	}
}

static void touch_class(egraph *g, eg_id first)
{
	eg_id m = first;

	trail_log(&g->trail, (uint64_t)(uintptr_t)&g->touched.n | TRAIL_SET32, g->touched.n);
	do {
		touch(g, m);
		m = g->node[m].next;
	} while (m != first);
}

static void merge(egraph *g, const struct eg_pending *p)
{
	eg_id w = g->root[p->a], l = g->root[p->b], in = p->b;
	uint32_t edge = NIL, ww = g->class[w].size + g->class[w].nuse,
		 lw = g->class[l].size + g->class[l].nuse;

	if (lw > ww || (lw == ww && l < w)) {
		swap(&w, &l);
		in = p->a;
	}
	if (g->proofs) {
		edge = edge_new(g, p);
		pf_reroot(g, in);
		g->pf[in] = edge;
	}
	if (g->hooks.merging)
		g->hooks.merging(g->hooks.ctx, w, l, edge);
	if (g->fact_merging && VEC_AT(struct eg_family_info, &g->families, eg_fam_of(g, l)).sig.fact)
		g->fact_merging(g->fact_ctx, w, l);
	if (g->track)
		touch_class(g, l);
	relabel(g, l, w);
	join(g, w, l);
	g->nclass--;
	trail_call(&g->trail, g->undo_union, l);
	rekey_users(g, w, l);
	if (g->hooks.merged)
		g->hooks.merged(g->hooks.ctx, w, l);
}

static uint32_t first_reader(const egraph *g, eg_id u, eg_id class)
{
	uint32_t s = g->node[u].slot;

	while (g->cur[s] != class)
		s++;
	return s;
}

/* What rekey_users did, backwards, on the unjoined list of the loser: all take
 * their entries out, then all have their old keys, then all are put in.  One
 * that died here has no entry, and one it displaced has its seat back already. */
static void unkey_users(egraph *g, eg_id l)
{
	uint32_t first = g->class[l].use, s;

	for (s = first; s != NIL; s = g->link[s].next) {
		eg_id u = g->link[s].owner;

		if (!eg_dead(g, u))
			table_remove(&g->nodes, node_hash(g, u), u);
	}
	for (s = first; s != NIL; s = g->link[s].next)
		g->cur[s] = l;
	for (s = first; s != NIL; s = g->link[s].next) {
		eg_id u = g->link[s].owner;

		if (!eg_dead(g, u) && first_reader(g, u, l) == s)
			table_insert(&g->nodes, node_hash(g, u), u);
	}
}

static void unlink_edge(egraph *g, eg_id l)
{
	const eg_edge *e = &VEC_AT(eg_edge, &g->edges, --g->edges.n);

	g->pf[g->root[e->a] == l ? e->a : e->b] = NIL;
	pf_reroot(g, l);
}

static void undo_union(void *ctx, uint32_t l)
{
	egraph *g = ctx;

	unjoin(g, g->root[l], l);
	unkey_users(g, l);
	relabel(g, l, l);
	g->nclass++;
	if (g->proofs)
		unlink_edge(g, l);
}

/* A hook may union: its request waits in the queue like congruences do. */
bool eg_union(egraph *g, eg_id a, eg_id b, enum eg_why why, uint32_t firing)
{
	uint32_t i;

	if (g->root[a] == g->root[b])
		return false;
	enqueue(g, a, b, why, firing);
	if (g->busy)
		return true;
	g->busy = true;
	for (i = 0; i < g->queue.n; i++) {
		struct eg_pending p = VEC_AT(struct eg_pending, &g->queue, i);

		if (g->root[p.a] != g->root[p.b])
			merge(g, &p);
	}
	g->queue.n = 0;
	g->busy = false;
	return true;
}

/* ---- reasons */

uint32_t eg_nedge(const egraph *g)
{
	return g->edges.n;
}

const eg_edge *eg_get_edge(const egraph *g, uint32_t e)
{
	return &VEC_AT(eg_edge, &g->edges, e);
}

static eg_id pf_up(const egraph *g, eg_id n)
{
	const eg_edge *e = &VEC_AT(eg_edge, &g->edges, g->pf[n]);

	return e->a == n ? e->b : e->a;
}

static uint32_t pf_depth(const egraph *g, eg_id n)
{
	uint32_t d = 0;

	for (; g->pf[n] != NIL; n = pf_up(g, n))
		d++;
	return d;
}

/* The part below b is met upwards and belongs at the end: its length is known
 * once the meeting point is. */
int eg_path(const egraph *g, eg_id a, eg_id b, uint32_t *out, int cap)
{
	uint32_t da = pf_depth(g, a), db = pf_depth(g, b);
	eg_id x = a, y = b;
	int na = 0, nb = 0, k;

	if (g->root[a] != g->root[b])
		return -1;
	for (; da > db; da--, x = pf_up(g, x))
		if (na++ < cap)
			out[na - 1] = g->pf[x];
	for (; db > da; db--, y = pf_up(g, y))
		nb++;
	for (; x != y; x = pf_up(g, x), y = pf_up(g, y), nb++)
		if (na++ < cap)
			out[na - 1] = g->pf[x];
	for (y = b, k = na + nb - 1; y != x; y = pf_up(g, y), k--)
		if (k < cap)
			out[k] = g->pf[y];
	return na + nb;
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
	touch(g, n);
}

/* ---- invariants */

static const char *check_class(const egraph *g, eg_id r)
{
	const struct eg_class *c = &g->class[r];
	uint32_t n = 0, s, last = NIL;
	eg_id m = r;

	do {
		if (g->root[m] != r)
			return "a member has another root";
		n++;
		m = g->node[m].next;
	} while (m != r && n <= g->n);
	if (n != c->size)
		return "a class size is wrong";
	if (g->proofs && g->pf[r] != NIL)
		return "a root is not the root of its proof tree";
	n = 0;
	for (s = c->use; s != NIL && n <= g->nslot; s = g->link[s].next) {
		if (g->cur[s] != r)
			return "a slot is in a list of another class";
		last = s;
		n++;
	}
	if (last != c->last)
		return "the end of a use list is wrong";
	return n != c->nuse ? "a use count is wrong" : NULL;
}

static const char *check_node(const egraph *g, eg_id n)
{
	const struct eg_node *p = &g->node[n];
	uint32_t i;
	eg_id found;

	if (g->root[n] >= g->n || g->root[g->root[n]] != g->root[n])
		return "a root is not its own root";
	for (i = p->slot; i < p->slot + p->narg; i++) {
		if (g->link[i].owner != n)
			return "a slot has another owner";
		if (g->root[g->orig[i]] != g->cur[i])
			return "a current argument is not the root of the one written";
	}
	found = node_find(g, node_hash(g, n), p->op, p->narg, g->cur + p->slot);
	if (found == NIL)
		return "a key is not in the table";
	if ((found == n) == !!(p->flags & EG_DEAD))
		return "a live node is not in the table, or a dead one is";
	if (found > n)
		return "of congruent nodes not the oldest is in the table";
	if (g->root[found] != g->root[n])
		return "congruence is not closed";
	if (g->proofs && g->pf[n] != NIL && g->root[pf_up(g, n)] != g->root[n])
		return "a proof edge leaves its class";
	return NULL;
}

const char *eg_check(const egraph *g)
{
	uint32_t live = 0, classes = 0, members = 0, uses = 0;
	const char *why;
	eg_id n;

	if (g->queue.n || g->busy)
		return "the queue of congruences is not empty";
	for (n = 0; n < g->n; n++) {
		if ((why = check_node(g, n)))
			return why;
		live += !(g->node[n].flags & EG_DEAD);
		if (g->root[n] != n)
			continue;
		if ((why = check_class(g, n)))
			return why;
		classes++;
		members += g->class[n].size;
		uses += g->class[n].nuse;
	}
	if (live != g->live || live != g->nodes.n)
		return "the count of live nodes is wrong";
	if (classes != g->nclass)
		return "the count of classes is wrong";
	return members != g->n || uses != g->nslot ? "lists do not cover the graph" : NULL;
}
