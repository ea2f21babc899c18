#include "rule/extract.h"

#include <stdlib.h>
#include <string.h>
#include "rule/rule_in.h"

struct prices {
	const rules *r;
	const egraph *g;
	uint64_t *cost;		/* per root; UINT64_MAX: none yet */
	eg_id *best;		/* per root */
	uint32_t *rank;		/* per family: place in order of declaration, NIL: hidden */
	uint32_t *price;	/* per family */
	vec work;
};

static uint64_t plus(uint64_t a, uint64_t b)
{
	return a > UINT64_MAX - 1 - b ? UINT64_MAX - 1 : a + b;
}

static uint64_t node_cost(const struct prices *p, eg_id n)
{
	const egraph *g = p->g;
	const struct eg_node *x = &g->node[n];
	eg_fam f = eg_fam_of(g, n);
	uint64_t sum = plus(p->price[f], eg_family(g, f)->nval);
	uint32_t i;

	for (i = 0; i < x->narg; i++) {
		uint64_t c = p->cost[g->cur[x->slot + i]];

		if (c == UINT64_MAX)
			return c;
		sum = plus(sum, c);
	}
	return sum;
}

static bool better(const struct prices *p, uint64_t c, eg_id n, eg_id root)
{
	eg_id old = p->best[root];
	uint32_t a, b;

	if (c != p->cost[root])
		return c < p->cost[root];
	a = p->rank[eg_fam_of(p->g, n)];
	b = p->rank[eg_fam_of(p->g, old)];
	return a != b ? a < b : n < old;
}

/* A better node of equal cost costs its users nothing. */
static void price(struct prices *p, eg_id n)
{
	const egraph *g = p->g;
	eg_id root = g->root[n];
	uint64_t c;
	bool cheaper;

	if (eg_dead(g, n) || p->rank[eg_fam_of(g, n)] == NIL)
		return;
	c = node_cost(p, n);
	if (c == UINT64_MAX || !better(p, c, n, root))
		return;
	cheaper = c < p->cost[root];
	p->cost[root] = c;
	p->best[root] = n;
	if (cheaper)
		*(eg_id *)vec_push(&p->work) = root;
}

static void price_all(struct prices *p)
{
	const egraph *g = p->g;
	uint32_t i;
	eg_use u;

	for (i = 0; i < g->n; i++)
		price(p, i);
	for (i = 0; i < p->work.n; i++) {
		eg_id root = VEC_AT(eg_id, &p->work, i);

		if (eg_use_first(g, root, &u))
			do
				price(p, u.owner);
			while (eg_use_next(g, &u));
	}
}

static void open_prices(struct prices *p, rules *r)
{
	const egraph *g = r->g;
	uint32_t i, nfam = eg_nfamily(g);

	memset(p, 0, sizeof *p);
	p->r = r;
	p->g = g;
	p->cost = malloc((g->n + 1) * sizeof *p->cost);
	p->best = malloc((g->n + 1) * sizeof *p->best);
	p->rank = malloc((nfam + 1) * sizeof *p->rank);
	p->price = malloc((nfam + 1) * sizeof *p->price);
	if (!p->cost || !p->best || !p->rank || !p->price)
		die_hook("out of memory");
	memset(p->cost, 0xff, g->n * sizeof *p->cost);
	memset(p->rank, 0xff, nfam * sizeof *p->rank);
	vec_init(&p->work, sizeof(eg_id));
	for (i = 0; i < r->tables.n; i++) {
		const table *b = VEC_AT(table *, &r->tables, i);

		p->rank[b->fam] = b->hidden ? NIL : i;
		p->price[b->fam] = b->cost;
	}
}

static void close_prices(struct prices *p)
{
	free(p->cost);
	free(p->best);
	free(p->rank);
	free(p->price);
	vec_free(&p->work);
}

/* ---- writing, with a stack of its own */

struct write {
	eg_id node;
	uint32_t col;		/* next declared column */
	uint32_t rest;		/* next slot behind them */
};

static void put(vec *out, const char *s)
{
	size_t n = strlen(s);

	memcpy(vec_push_n(out, (uint32_t)n), s, n);
}

static void write_open(const struct prices *p, vec *out, vec *stack, eg_id class)
{
	struct write *w = vec_push(stack);

	w->node = p->best[p->g->root[class]];
	put(out, "(");
	put(out, eg_family(p->g, eg_fam_of(p->g, w->node))->name);
}

static const char *write_term(const struct prices *p, arena *a, eg_id class)
{
	const egraph *g = p->g;
	vec out, stack;
	char *text;

	vec_init(&out, 1);
	vec_init(&stack, sizeof(struct write));
	write_open(p, &out, &stack, class);
	while (stack.n) {
		struct write *w = &VEC_AT(struct write, &stack, stack.n - 1);
		const table *b = VEC_AT(table *, &p->r->tables, p->rank[eg_fam_of(g, w->node)]);
		const eg_id *cur = eg_current(g, w->node);

		if (w->col < b->ncol) {
			const column *c = &b->col[w->col++];

			put(&out, " ");
			if (c->value)
				put(&out, rules_value_text(p->r, a, eg_vals_of(g, w->node)[c->index]));
			else
				write_open(p, &out, &stack, cur[c->index]);
		} else if (b->narg + w->rest < eg_narg(g, w->node)) {
			put(&out, " ");
			write_open(p, &out, &stack, cur[b->narg + w->rest++]);
		} else {
			put(&out, ")");
			stack.n--;
		}
	}
	text = arena_alloc(a, out.n + 1);
	memcpy(text, out.base, out.n);
	text[out.n] = 0;
	vec_free(&out);
	vec_free(&stack);
	return text;
}

const char *extract_term(rules *r, arena *a, eg_id class, uint64_t *cost)
{
	struct prices p;
	const char *text = NULL;
	eg_id root = eg_root(r->g, class);

	open_prices(&p, r);
	price_all(&p);
	if (p.cost[root] != UINT64_MAX) {
		text = write_term(&p, a, root);
		if (cost)
			*cost = p.cost[root];
	}
	close_prices(&p);
	return text;
}
