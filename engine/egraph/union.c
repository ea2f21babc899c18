#include "egraph/egraph_in.h"

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

void eg_undo_dead(void *ctx, uint32_t n)
{
	egraph *g = ctx;

	g->node[n].flags &= ~EG_DEAD;
	g->live++;
}

/* The younger of two was in the table: it gets its seat back. */
void eg_undo_displaced(void *ctx, uint32_t n)
{
	egraph *g = ctx;
	uint32_t hash = eg_node_key(g, n);
	eg_id older = eg_rep(g, n);

	eg_undo_dead(ctx, n);
	g->nodes.at[key_table_seek(&g->nodes, hash, older)].id = n;
}

/* u has a new key.  Of two nodes with one key the older stays in the table. */
static void rekey(egraph *g, eg_id u)
{
	const struct eg_node *p = &g->node[u];
	uint32_t hash = eg_node_key(g, u);
	eg_id h = eg_node_find(g, hash, p->op, p->narg, g->cur + p->slot);

	if (h == NIL) {
		key_table_insert(&g->nodes, hash, u);
		return;
	}
	if (h < u) {
		kill(g, u, g->undo_dead);
	} else {
		g->nodes.at[key_table_seek(&g->nodes, hash, h)].id = u;
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
		key_table_remove(&g->nodes, eg_node_key(g, u), u);
	for (i = p->slot; i < p->slot + p->narg; i++)
		if (g->cur[i] == l)
			g->cur[i] = w;
	if (p->flags & EG_DEAD)
		return;
	rekey(g, u);
	if (g->track)
		eg_log_touch(g, u);
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
		eg_log_touch(g, m);
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
			key_table_remove(&g->nodes, eg_node_key(g, u), u);
	}
	for (s = first; s != NIL; s = g->link[s].next)
		g->cur[s] = l;
	for (s = first; s != NIL; s = g->link[s].next) {
		eg_id u = g->link[s].owner;

		if (!eg_dead(g, u) && first_reader(g, u, l) == s)
			key_table_insert(&g->nodes, eg_node_key(g, u), u);
	}
}

static void unlink_edge(egraph *g, eg_id l)
{
	const eg_edge *e = &VEC_AT(eg_edge, &g->edges, --g->edges.n);

	g->pf[g->root[e->a] == l ? e->a : e->b] = NIL;
	pf_reroot(g, l);
}

void eg_undo_union(void *ctx, uint32_t l)
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

static uint32_t pf_depth(const egraph *g, eg_id n)
{
	uint32_t d = 0;

	for (; g->pf[n] != NIL; n = eg_proof_up(g, n))
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
	for (; da > db; da--, x = eg_proof_up(g, x))
		if (na++ < cap)
			out[na - 1] = g->pf[x];
	for (; db > da; db--, y = eg_proof_up(g, y))
		nb++;
	for (; x != y; x = eg_proof_up(g, x), y = eg_proof_up(g, y), nb++)
		if (na++ < cap)
			out[na - 1] = g->pf[x];
	for (y = b, k = na + nb - 1; y != x; y = eg_proof_up(g, y), k--)
		if (k < cap)
			out[k] = g->pf[y];
	return na + nb;
}
