/* normal.h - heads, steps and normal nodes of core classes, and the worklist.
 *
 * A normalize rule rewrites one node by one step; the node before stays in the
 * class.  A node has at most one *step*.  The *head* of a class is its oldest
 * current node: one made by a lift or an act (an *origin*), or the result of
 * the step of a current node; without any, the oldest.  The *normal node* is
 * the end of the chain of steps from the head (DESIGN section 3).
 *
 * When a head or a normal node changes, the nodes that use the class are asked
 * again: they are put on the worklist, which gives operands before users.
 * Everything here is on the trail; the heap behind the worklist is a cache of
 * the `pending` marks.
 */
#ifndef DIVERGE_NORMAL_H
#define DIVERGE_NORMAL_H

#include "core/core.h"
#include "core/history.h"

typedef struct step {
	eg_id to;		/* NIL: none */
	uint32_t rule;
	eg_id inner;		/* the node a resulting view was built on, or NIL */
} step;

/* What is known of a node, and of the class whose root it is: side by side, since most of it is asked together. */
typedef struct standing {
	eg_id head, norm;	/* of a root */
	uint32_t turns;		/* of a root: how often its head changed without a union */
	eg_id hop;		/* of a root: the view it is read through, kept to see it change */
	step step;
	uint32_t into;		/* first of its incoming links, or NIL */
	uint32_t origin;	/* 1 if made by a lift or an act */
	uint32_t pending;
} standing;

typedef struct normal {
	vec standing;		/* per node */
	vec link;		/* struct { from, next } */
	uint32_t npending;
	vec limit;		/* struct { outside, n }: only grows */
	uint32_t limit_at;	/* which of them holds, counted from 1; 0: none; trailed */
	uint32_t *heap;		/* node ids, a cache */
	uint32_t nheap, heapcap;
	bool turned;		/* readers of the winner of the union being made may see another skeleton */
	uint32_t undo_ask, undo_unask;	/* the trail's numbers */
	uint32_t seen_stamp;
	vec seen;
	history log;
} normal;

void normal_init(algebra *a);
void normal_free(algebra *a);
void normal_added(algebra *a, eg_id n);
void normal_merging(algebra *a, eg_id winner, eg_id loser);
void normal_merged(algebra *a, eg_id winner, eg_id loser);
void normal_rekeyed(algebra *a, eg_id user);

eg_id normal_head(const algebra *a, eg_id x);
/* The order of classes, in which operands stand: the root's, which only unions change.  The head would turn with what is current, and
 * what is current with the order. */
uint64_t normal_age(const algebra *a, eg_id x);
/* The normal node; where that is a view nobody follows, the node before it. */
eg_id normal_node(const algebra *a, eg_id x);
eg_id normal_pretend(algebra *a, eg_id x, eg_id y);	/* y, of its class, is the normal node of x until another is; which was */
eg_id normal_end(const algebra *a, eg_id x);	/* the end of the chain, views included */
/* May a rule that fires on n open o? Never its own class, nor a node that reads its own class or n's: n would be in itself for ever. */
bool normal_opens(const algebra *a, eg_id o, eg_id n);
bool normal_in_chain(algebra *a, eg_id start, eg_id n);
const step *normal_step(const algebra *a, eg_id n);

void normal_origin(algebra *a, eg_id n);	/* n was made by a lift or an act */
void normal_made_origins(algebra *a);		/* all nodes made since history_begin */
void normal_firing_origins(algebra *a, uint32_t firing);	/* all that a firing made */
void normal_set_step(algebra *a, eg_id n, const step *new, uint32_t firing_rule);
void normal_clear_step(algebra *a, eg_id n);

void normal_ask(algebra *a, eg_id n);
void normal_ask_users(algebra *a, eg_id root);
/* From now on, on the trail, none of the first n nodes that are marked is asked: what they were stays, and may be behind
 * what they are made of.  NULL: all are asked again when there is a reason to.  (Kept, not copied.) */
void normal_limit(algebra *a, const uint8_t *outside, uint32_t n);
bool normal_outside(const algebra *a, eg_id n);
bool normal_idle(const algebra *a);
eg_id normal_take(algebra *a);		/* the next pending node, no longer pending; NIL when there is none */

#endif
