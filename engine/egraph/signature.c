#include "egraph/egraph_in.h"

#include <string.h>
#include "util/hash.h"

/* ---- the nodes of a family */

enum { LIST_FIRST = 8, LIST_ARENA = 1024 };	/* from then on it has an array of its own */

void eg_list_grow(struct eg_list *l, arena *a)
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

void eg_list_free(struct eg_list *l)
{
	if (l->own.base)
		vec_free(&l->own);
}

/* ---- sorts and families */

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
	key_table_insert(&g->names_of, name_hash(s->name), g->families.n - 1);
	return g->families.n - 1;
}

eg_fam eg_family_named(const egraph *g, const char *name)
{
	const struct key_table *t = &g->names_of;
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

		key_table_remove(&g->names_of, name_hash(f->sig.name), g->families.n);
		eg_list_free(&f->nodes);
	}
	g->sorts.n = nsort;
}

const eg_id *eg_family_nodes(const egraph *g, eg_fam f, uint32_t *n)
{
	const struct eg_list *l = &VEC_AT(struct eg_family_info, &g->families, f).nodes;

	*n = l->n;
	return l->at;
}
