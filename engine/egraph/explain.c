#include "egraph/explain.h"

#include <stdlib.h>
#include <string.h>

struct explainer {
	const explain_source *s;
	const egraph *g;
	vec item;		/* explain_item, in the order met */
	uint32_t next;		/* first not yet opened */
	uint32_t *seen;		/* open-addressing set of edge and firing numbers */
	uint32_t mask, nseen;
	vec path;
	const taints *taints;	/* asks only whether an edge that is met is tainted */
	bool tainted;
};

/* ---- the set of what was met */

static void set_open(struct explainer *x, uint32_t size)
{
	x->seen = malloc(size * sizeof *x->seen);
	if (!x->seen)
		die_hook("out of memory");
	memset(x->seen, 0xff, size * sizeof *x->seen);
	x->mask = size - 1;
	x->nseen = 0;
}

static bool set_add(struct explainer *x, uint32_t key);

static void set_grow(struct explainer *x)
{
	uint32_t *old = x->seen, n = x->mask + 1, i;

	set_open(x, n * 2);
	for (i = 0; i < n; i++)
		if (old[i] != NIL)
			set_add(x, old[i]);
	free(old);
}

static bool set_add(struct explainer *x, uint32_t key)
{
	uint32_t i = key * 0x9e3779b1u & x->mask;

	for (; x->seen[i] != NIL; i = (i + 1) & x->mask)
		if (x->seen[i] == key)
			return false;
	x->seen[i] = key;
	if (++x->nseen * 2 > x->mask)
		set_grow(x);
	return true;
}

static bool is_tainted(const taints *t, uint32_t e)
{
	return e >= t->first && (e >= t->known || VEC_AT(uint8_t, &t->bit, e - t->first));
}

static void need_edge(struct explainer *x, uint32_t e)
{
	explain_item *it;

	if (x->taints) {
		x->tainted = x->tainted || is_tainted(x->taints, e);
		return;
	}
	if (!set_add(x, e * 2))
		return;
	it = vec_push(&x->item);
	it->order = e;
	it->edge = true;
	it->id = e;
}

void explain_fact(explainer *x, uint32_t id)
{
	explain_item *it;

	if (id == NIL || !set_add(x, id * 2 + 1))
		return;
	it = vec_push(&x->item);
	it->order = x->s->edges(x->s->ctx, id);
	it->id = id;
}

/* Whatever says that a and b are equal; the length of the path. */
static int need_equal(struct explainer *x, eg_id a, eg_id b)
{
	int n, i;

	if (a == b)
		return 0;
	n = eg_path(x->g, a, b, VEC(uint32_t, &x->path), (int)x->path.n);
	if (n > (int)x->path.n) {
		vec_push_n(&x->path, (uint32_t)n - x->path.n);
		n = eg_path(x->g, a, b, VEC(uint32_t, &x->path), (int)x->path.n);
	}
	for (i = 0; i < n; i++)
		need_edge(x, VEC_AT(uint32_t, &x->path, i));
	return n;
}

void explain_equal(explainer *x, eg_id a, eg_id b)
{
	need_equal(x, a, b);
}

/* ---- opening */

static void open_firing(struct explainer *x, uint32_t id)
{
	if (id != NIL)
		x->s->premises(x->s->ctx, id, x);
}

static void open_edge(struct explainer *x, uint32_t id)
{
	const eg_edge *e = eg_get_edge(x->g, id);
	uint32_t k;

	if (e->kind == EG_RULE || ((e->kind == EG_GIVEN || e->kind == EG_ASSUMED) && x->s->given))
		open_firing(x, e->firing);
	if (e->kind != EG_CONGRUENCE)
		return;
	for (k = 0; k < eg_narg(x->g, e->a); k++)
		need_equal(x, eg_args(x->g, e->a)[k], eg_args(x->g, e->b)[k]);
}

/* ---- the whole */

static void open_explainer(struct explainer *x, const explain_source *s)
{
	memset(x, 0, sizeof *x);
	x->s = s;
	x->g = s->g;
	vec_init(&x->item, sizeof(explain_item));
	vec_init(&x->path, sizeof(uint32_t));
	vec_push_n(&x->path, 64);
	set_open(x, 64);
}

static void close_explainer(struct explainer *x)
{
	vec_free(&x->item);
	vec_free(&x->path);
	free(x->seen);
}

static void open_all(struct explainer *x)
{
	while (x->next < x->item.n) {
		explain_item it = VEC_AT(explain_item, &x->item, x->next++);

		if (it.edge)
			open_edge(x, it.id);
		else
			open_firing(x, it.id);
	}
}

/* Of equal order a firing comes first: it made a fact before the next edge. */
static int by_order(const void *p, const void *q)
{
	const explain_item *a = p, *b = q;

	if (a->order != b->order)
		return a->order < b->order ? -1 : 1;
	if (a->edge != b->edge)
		return a->edge ? 1 : -1;
	return a->id < b->id ? -1 : a->id > b->id;
}

static void count(const struct explainer *x, explanation *out)
{
	uint32_t i;

	for (i = 0; i < out->n; i++) {
		const explain_item *it = &out->item[i];

		if (!it->edge)
			continue;
		switch ((enum eg_why)eg_get_edge(x->g, it->id)->kind) {
		case EG_RULE:
			out->nrule++;
			break;
		case EG_CONGRUENCE:
			out->ncongruence++;
			break;
		case EG_GIVEN:
			out->ngiven++;
			break;
		case EG_ASSUMED:
			out->nassumed++;
			break;
		}
	}
	out->tainted = out->nassumed > 0;
}

static void finish(struct explainer *x, explanation *out, arena *a)
{
	explain_item *item;

	open_all(x);
	out->n = x->item.n;
	item = ARENA_ARRAY(a, explain_item, out->n);
	if (out->n) {
		memcpy(item, x->item.base, out->n * sizeof *item);
		qsort(item, out->n, sizeof *item, by_order);
	}
	out->item = item;
	count(x, out);
}

explanation explain(const explain_source *s, eg_id a, eg_id b, arena *out)
{
	const eg_id pair[1][2] = { { a, b } };

	return explain_all(s, 1, pair, out);
}

explanation explain_all(const explain_source *s, uint32_t n, const eg_id (*pair)[2], arena *out)
{
	explanation e = { .a = pair[0][0], .b = pair[0][1], .equal = true };
	struct explainer x;
	uint32_t i;

	for (i = 0; i < n; i++)
		e.equal = e.equal && eg_root(s->g, pair[i][0]) == eg_root(s->g, pair[i][1]);
	if (!e.equal)
		return e;
	open_explainer(&x, s);
	e.path = (uint32_t)need_equal(&x, e.a, e.b);
	for (i = 1; i < n; i++)
		need_equal(&x, pair[i][0], pair[i][1]);
	finish(&x, &e, out);
	close_explainer(&x);
	return e;
}

/* ---- taints */

void taints_init(taints *t)
{
	*t = (taints){ 0, 0, { .base = NULL } };
	vec_init(&t->bit, 1);
}

void taints_free(taints *t)
{
	vec_free(&t->bit);
}

void taints_cut(taints *t, uint32_t edges)
{
	if (t->known <= edges)
		return;
	t->known = edges;
	if (t->first > edges)
		t->first = edges;
	t->bit.n = edges - t->first;
}

/* Facts that an edge rests on are opened, too. */
static bool rests_on_taint(struct explainer *x, uint32_t edge)
{
	x->tainted = eg_get_edge(x->g, edge)->kind == EG_ASSUMED;
	open_edge(x, edge);
	if (x->item.n) {
		open_all(x);
		x->item.n = x->next = x->nseen = 0;
		memset(x->seen, 0xff, (x->mask + 1) * sizeof *x->seen);
	}
	return x->tainted;
}

static void look_at_edges(struct explainer *x, taints *t)
{
	uint32_t n = eg_nedge(x->g);

	for (; t->known < n; t->known++)
		if (!t->bit.n && eg_get_edge(x->g, t->known)->kind != EG_ASSUMED)
			t->first = t->known + 1;
		else
			*(uint8_t *)vec_push(&t->bit) = rests_on_taint(x, t->known);
}

bool taints_between(taints *t, const explain_source *s, eg_id a, eg_id b)
{
	struct explainer x;

	open_explainer(&x, s);
	x.taints = t;
	look_at_edges(&x, t);
	x.tainted = false;
	need_equal(&x, a, b);
	close_explainer(&x);
	return x.tainted;
}
