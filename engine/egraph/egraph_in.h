/* egraph_in.h - the arrays of the e-graph, for the files of the e-graph storey
 * whose inner loops read them (egraph.c alone changes them).
 */
#ifndef DIVERGE_EGRAPH_IN_H
#define DIVERGE_EGRAPH_IN_H

#include "egraph/egraph.h"

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

/* Open addressing, linear probing, no tombstones (deletion shifts back). The
 * hash beside the id saves the look at nearly every node that differs. */
struct eg_entry {
	uint32_t hash;
	uint32_t id;
};

struct eg_table {
	vec mem;
	struct eg_entry *at;
	uint32_t mask, n;
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
	struct eg_table nodes, values, operators, names_of;	/* names_of: families by name */
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

/* Fetches the place in the table where a look-up of this key (roots) begins. */
void eg_prefetch(const egraph *g, eg_op op, uint32_t narg, const eg_id *cur);

static inline eg_fam eg_fam_of(const egraph *g, eg_id n)
{
	return VEC_AT(struct eg_opinfo, &g->op, g->node[n].op).fam;
}

static inline const eg_val *eg_vals_of(const egraph *g, eg_id n)
{
	return &VEC_AT(eg_val, &g->opval, VEC_AT(struct eg_opinfo, &g->op, g->node[n].op).val);
}

#endif
