/* explain.h - why two nodes are equal.
 *
 * An explanation is a list of items in the order in which they happened: edges
 * (unions) and firings that only made a fact.  Every item rests on items before
 * it: a congruence on what made its arguments equal, a rule's edge on what made
 * the nodes of its match fit together.  Arguments are those first written, so
 * that older edges always suffice (the path between two connected nodes never
 * changes).  Nothing is added to the graph.
 *
 * The explanation is tainted when an assumed edge is among its items.
 */
#ifndef DIVERGE_EXPLAIN_H
#define DIVERGE_EXPLAIN_H

#include "egraph/egraph.h"

/* What a firing rested on is told by whoever keeps the log: `premises` calls
 * explain_equal for every two nodes that had to be equal, explain_fact for every
 * firing that made a fact it read.  `edges` is the number of edges when a firing
 * began (asked only of those named by explain_fact). */
typedef struct explainer explainer;
void explain_equal(explainer *x, eg_id a, eg_id b);
void explain_fact(explainer *x, uint32_t firing);
typedef struct explain_source {
	const egraph *g;
	const void *ctx;
	void (*premises)(const void *ctx, uint32_t firing, explainer *x);
	uint32_t (*edges)(const void *ctx, uint32_t firing);
	bool given;		/* given and assumed unions have premises too */
} explain_source;

typedef struct explain_item {
	uint32_t order;		/* edges older than it */
	bool edge;		/* else a firing */
	uint32_t id;
} explain_item;

typedef struct explanation {
	eg_id a, b;
	bool equal;		/* false: they are not, and there are no items */
	bool tainted;
	uint32_t n;
	const explain_item *item;
	uint32_t path;		/* length of the path from a to b itself */
	uint32_t nrule, ncongruence, ngiven, nassumed;
} explanation;

/* Which edges are tainted: one that is assumed, or needs a tainted one.  Found in edge order and kept, so that it costs
 * no explanations; what lies before the first assumed edge costs nothing.  After an undo the edges that are gone have to
 * be cut off. */
typedef struct taints {
	uint32_t first, known;	/* edges before `first` are not, those from `known` on not looked at */
	vec bit;		/* a byte per edge of first .. known */
} taints;
void taints_init(taints *t);
void taints_free(taints *t);
void taints_cut(taints *t, uint32_t edges);
bool taints_between(taints *t, const explain_source *s, eg_id a, eg_id b);	/* does a = b rest on an assumption? */

explanation explain(const explain_source *s, eg_id a, eg_id b, arena *out);
/* One explanation of several equalities; a, b and path are the first one's. */
explanation explain_all(const explain_source *s, uint32_t n, const eg_id (*pair)[2], arena *out);

#endif
