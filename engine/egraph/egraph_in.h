/* egraph_in.h - the arrays of the e-graph, for the files of the e-graph storey
 * whose inner loops read them.  Those that change them: egraph.c makes nodes,
 * union.c joins classes, signature.c and operator.c keep what has a name or is
 * interned; each has the undo of what it does.
 */
#ifndef DIVERGE_EGRAPH_IN_H
#define DIVERGE_EGRAPH_IN_H

#include "egraph/egraph.h"
#include "egraph/key_table.h"

#define EG_DEAD 1u

/* Per node what a look-up and a walk over a class read together. */
struct eg_node {
	uint32_t slot;		/* its first slot */
	eg_op op;
	uint32_t narg : 24, flags : 8;
	eg_id next;		/* circular list of a class */
};

/* Of a root.  The use list is open: a new use goes in front, a loser's list in
 * front of the winner's. */
struct eg_class {
	uint32_t use, last;	/* first and last slot of the list, or NIL */
	uint32_t size;		/* members */
	uint32_t nuse;		/* length of the list */
};

/* Of a slot: the use list it is on, and the node it belongs to. */
struct eg_link {
	uint32_t next;
	eg_id owner;
};

struct eg_opinfo {
	eg_fam fam;
	uint32_t val, nval;	/* its values in g->opval */
};

struct eg_value_info {
	eg_sort sort;
	uint32_t at;		/* in words of g->bytes */
	size_t n;
};

struct eg_sort_info {
	const char *name;
	bool primitive, facts;
};

/* Most families are small and there are many: their lists begin in an arena, and
 * only long ones have an array of their own.  What a shorter list left behind in
 * the arena stays readable. */
struct eg_list {
	eg_id *at;
	uint32_t n, cap;
	vec own;
};

struct eg_family_info {
	eg_signature sig;
	struct eg_list nodes;	/* every node of the family, by age */
};

struct eg_column {
	vec *v;
	const void *fresh;	/* what a new element is; NULL: zeros */
};

struct eg_pending {
	eg_id a, b;
	enum eg_why why;
	uint32_t firing;
};

struct egraph {
	trail trail;
	arena names;
	vec sorts, families;
	struct key_table nodes, values, operators, names_of;	/* names_of: families by name */
	vec value, bytes, op, opval;
	vec edges;
	vec queue;		/* struct eg_pending */
	bool busy, proofs, track;
	eg_hooks hooks;
	void (*fact_merging)(void *ctx, eg_id winner, eg_id loser);
	void *fact_ctx;
	uint32_t firing;
	uint32_t undo_add, undo_union, undo_dead, undo_displaced, undo_value, undo_op;

	/* per node; n nodes */
	uint32_t n, cap, live, nclass;
	vec v_node, v_root, v_class, v_born, v_pf;
	struct eg_node *node;
	eg_id *root;
	struct eg_class *class;
	uint32_t *born;
	uint32_t *pf;		/* edge towards the root of the proof tree, which is root[] */

	/* per slot */
	uint32_t nslot, slotcap;
	vec v_cur, v_orig, v_link;
	eg_id *cur, *orig;	/* one array when proofs are off */
	struct eg_link *link;

	vec columns;		/* struct eg_column */
	vec touched;
};

/* What the trail calls to take back: a node, a union (by the class that lost),
 * a node's death, a node's seat in the table, a value, an operator. */
void eg_undo_add(void *ctx, uint32_t n);
void eg_undo_union(void *ctx, uint32_t l);
void eg_undo_dead(void *ctx, uint32_t n);
void eg_undo_displaced(void *ctx, uint32_t n);
void eg_undo_value(void *ctx, uint32_t id);
void eg_undo_op(void *ctx, uint32_t id);

/* The node with this key (its arguments are roots), or NIL. */
eg_id eg_node_find(const egraph *g, uint32_t hash, eg_op op, uint32_t narg, const eg_id *cur);

/* Fetches the place in the table where a look-up of this key (roots) begins. */
void eg_prefetch(const egraph *g, eg_op op, uint32_t narg, const eg_id *cur);

static inline uint32_t eg_node_key(const egraph *g, eg_id n)
{
	const struct eg_node *p = &g->node[n];

	return key_hash(p->op, p->narg, g->cur + p->slot);
}

/* The node is looked at anew where what changed is followed. */
static inline void eg_log_touch(egraph *g, eg_id n)
{
	if (g->touched.n == g->touched.committed / sizeof n)
		vec_room(&g->touched, g->touched.n + 1);
	VEC_AT(eg_id, &g->touched, g->touched.n++) = n;
}

/* One edge up in the proof tree. */
static inline eg_id eg_proof_up(const egraph *g, eg_id n)
{
	const eg_edge *e = &VEC_AT(eg_edge, &g->edges, g->pf[n]);

	return e->a == n ? e->b : e->a;
}

void eg_list_grow(struct eg_list *l, arena *a);
void eg_list_free(struct eg_list *l);

static inline void eg_list_push(struct eg_list *l, arena *a, eg_id n)
{
	if (l->n == l->cap)
		eg_list_grow(l, a);
	l->at[l->n++] = n;
}

static inline eg_fam eg_fam_of(const egraph *g, eg_id n)
{
	return VEC_AT(struct eg_opinfo, &g->op, g->node[n].op).fam;
}

static inline const eg_val *eg_vals_of(const egraph *g, eg_id n)
{
	return &VEC_AT(eg_val, &g->opval, VEC_AT(struct eg_opinfo, &g->op, g->node[n].op).val);
}

#endif
