#include "egraph/egraph_in.h"

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
	found = eg_node_find(g, eg_node_key(g, n), p->op, p->narg, g->cur + p->slot);
	if (found == NIL)
		return "a key is not in the table";
	if ((found == n) == !!(p->flags & EG_DEAD))
		return "a live node is not in the table, or a dead one is";
	if (found > n)
		return "of congruent nodes not the oldest is in the table";
	if (g->root[found] != g->root[n])
		return "congruence is not closed";
	if (g->proofs && g->pf[n] != NIL && g->root[eg_proof_up(g, n)] != g->root[n])
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
