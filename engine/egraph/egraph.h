/* egraph.h - e-nodes, classes, union and congruence.
 *
 * Ids are 32-bit; a class is named by its root node.  A node is an interned
 * operator (a family and its attribute values) and argument slots, any number
 * of them.  Attribute values are interned byte strings with a sort.
 *
 * Invariants, whenever no call of this file is running:
 *   - root[] is exact (quick-find: union relabels the smaller class);
 *   - congruence is closed: `eg_union` works its queue off before it returns;
 *   - of several congruent nodes the oldest is in the hash table, the others
 *     are DEAD (still members: they can be shown and explained);
 *   - every change is on the trail; undoing restores arrays, lists and tables.
 * Per slot there are the current argument (the key) and the argument as first
 * written (never changes; proofs use it).
 *
 * Nothing here knows what a node means.  Structures after Z3's euf_egraph and
 * Nieuwenhuis & Oliveras, "Fast congruence closure and extensions" (2007).
 */
#ifndef DIVERGE_EGRAPH_H
#define DIVERGE_EGRAPH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "egraph/key_table.h"
#include "util/arena.h"
#include "util/trail.h"

typedef uint32_t eg_id;		/* an e-node; a class is the id of its root */
typedef uint32_t eg_op;		/* an interned operator */
typedef uint32_t eg_val;	/* an interned attribute value */
typedef uint32_t eg_fam;	/* an operator family: a constructor's name and signature */
typedef uint32_t eg_sort;

typedef struct egraph egraph;

egraph *eg_new(void);
void eg_free(egraph *g);
trail *eg_trail(egraph *g);

/* ---- names of sorts and families (declared once, never undone) */
eg_sort eg_declare_sort(egraph *g, const char *name, bool primitive);
eg_sort eg_sort_named(const egraph *g, const char *name);	/* NIL if none */
const char *eg_sort_name(const egraph *g, eg_sort s);
bool eg_sort_primitive(const egraph *g, eg_sort s);
bool eg_sort_of_facts(const egraph *g, eg_sort s);	/* it is the result of a family of facts */
/* A constructor: `nval` attribute sorts first, then `narg` argument sorts (variadic:
 * any number more of sort `rest`, else rest is NIL), and the sort of the result. */
typedef struct eg_signature {
	const char *name;
	uint32_t nval, narg;
	const eg_sort *val, *arg;
	eg_sort rest, result;
	bool fact;		/* a relation: never unioned */
} eg_signature;
eg_fam eg_declare(egraph *g, const eg_signature *s);
eg_fam eg_family_named(const egraph *g, const char *name);	/* NIL if none */
const eg_signature *eg_family(const egraph *g, eg_fam f);
uint32_t eg_nfamily(const egraph *g);
uint32_t eg_nsort(const egraph *g);
/* Takes declarations back to so many; no node, operator or value of the others
 * may be left (undo the trail first). */
void eg_forget(egraph *g, uint32_t nsort, uint32_t nfamily);

/* ---- values and operators (interned; undone with the trail) */
eg_val eg_value(egraph *g, eg_sort sort, const void *bytes, size_t n);
const void *eg_value_bytes(const egraph *g, eg_val v, size_t *n);	/* 8-byte aligned, stable */
eg_sort eg_value_sort(const egraph *g, eg_val v);
uint32_t eg_nvalue(const egraph *g);
eg_op eg_operator(egraph *g, eg_fam f, uint32_t nval, const eg_val *vals);
eg_op eg_find_operator(const egraph *g, eg_fam f, uint32_t nval, const eg_val *vals);	/* NIL if none */
eg_fam eg_op_family(const egraph *g, eg_op o);
const eg_val *eg_op_values(const egraph *g, eg_op o, uint32_t *n);

/* ---- nodes */
uint32_t eg_nnode(const egraph *g);	/* nodes ever made and not undone */
eg_id eg_add(egraph *g, eg_op op, uint32_t narg, const eg_id *args);	/* finds or makes */
eg_id eg_lookup(const egraph *g, eg_op op, uint32_t narg, const eg_id *args);	/* NIL if none */
eg_op eg_node_op(const egraph *g, eg_id n);
uint32_t eg_narg(const egraph *g, eg_id n);
const eg_id *eg_args(const egraph *g, eg_id n);		/* as first written */
const eg_id *eg_current(const egraph *g, eg_id n);	/* current arguments: roots */
eg_id eg_root(const egraph *g, eg_id n);
eg_id eg_rep(const egraph *g, eg_id n);	/* the live (oldest) node congruent to n */
bool eg_dead(const egraph *g, eg_id n);
uint32_t eg_born(const egraph *g, eg_id n);	/* the firing that made it */
uint32_t eg_live(const egraph *g);	/* nodes that are not DEAD */
uint32_t eg_nclass(const egraph *g);
/* All nodes of a family by age, dead ones among them. */
const eg_id *eg_family_nodes(const egraph *g, eg_fam f, uint32_t *n);

/* Members of a class are a circular list through its root:
 * m = root; do { .. m = eg_next_in_class(g, m); } while (m != root); */
eg_id eg_next_in_class(const egraph *g, eg_id n);
uint32_t eg_class_size(const egraph *g, eg_id root);
/* slots that read a class: a circular list per root. `eg_use_first` NIL if none. */
typedef struct eg_use { uint32_t slot; eg_id owner; } eg_use;
bool eg_use_first(const egraph *g, eg_id root, eg_use *u);
bool eg_use_next(const egraph *g, eg_use *u);	/* false at the end */

/* ---- union and its reasons */
enum eg_why { EG_RULE, EG_CONGRUENCE, EG_GIVEN, EG_ASSUMED };
typedef struct eg_edge {
	eg_id a, b;		/* the two nodes said to be equal */
	uint32_t kind;		/* enum eg_why */
	uint32_t firing;	/* for EG_RULE, EG_GIVEN, EG_ASSUMED: the host's number */
} eg_edge;
/* Makes a and b equal and closes congruence.  False if they were equal already. */
bool eg_union(egraph *g, eg_id a, eg_id b, enum eg_why why, uint32_t firing);
uint32_t eg_nedge(const egraph *g);
const eg_edge *eg_get_edge(const egraph *g, uint32_t e);
/* Edges between two nodes of one class, from a to b; their number, or -1 when not equal.
 * Proof-forest walk; writes at most cap edges to out. */
int eg_path(const egraph *g, eg_id a, eg_id b, uint32_t *out, int cap);
void eg_set_firing(egraph *g, uint32_t firing);	/* what `born` of new nodes will say */

/* Without proofs no edge is recorded (`merging` gets NIL, eg_path must not be
 * asked).  To be set before the first node, like the next. */
void eg_set_proofs(egraph *g, bool on);

/* ---- what changed (delta matching): with `track` on, every node that was made,
 * got a new argument or a new class is appended to a list that undo cuts back. */
void eg_set_track(egraph *g, bool on);
const eg_id *eg_touched(const egraph *g, uint32_t *n);
void eg_touch(egraph *g, eg_id n);	/* the host changed what it keeps with n */

/* ---- columns of the storey above: one element for every node.  A node gets its
 * own when it is made, as `fresh` is (NULL: all zeros), and undo takes it away
 * with the node; the vec stays its owner's, who frees it after the last change. */
void eg_column(egraph *g, vec *v, const void *fresh);

/* ---- hooks of the storey above (all optional) */
typedef struct eg_hooks {
	void *ctx;
	void (*added)(void *ctx, eg_id n);
	/* Hooks may add nodes and union; a union asked for here waits until the
	 * running one is done.  `merging` comes before
	 * lists are joined: members and uses of each side can still be walked. */
	void (*merging)(void *ctx, eg_id winner, eg_id loser, uint32_t edge);
	void (*merged)(void *ctx, eg_id winner, eg_id loser);
	void (*rekeyed)(void *ctx, eg_id user);		/* an argument of user has a new root */
} eg_hooks;
void eg_set_hooks(egraph *g, const eg_hooks *h);
/* Called as `merging` when congruence joins two facts: rows of a function whose
 * keys became equal.  Beside the hooks above, for the rule base. */
void eg_set_fact_hook(egraph *g, void (*merging)(void *ctx, eg_id winner, eg_id loser), void *ctx);

/* Checks every invariant; NULL when they hold, else what is broken (static text). For debug builds and tests. */
const char *eg_check(const egraph *g);

#endif
