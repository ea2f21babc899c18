/* The e-graph against a naive congruence closure, and its undo against copies. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "egraph/egraph.h"

enum { MAXN = 400, ROUNDS = 300 };

static uint64_t seed;

static uint32_t rnd(uint32_t n)
{
	seed = seed * 6364136223846793005ull + 1442695040888963407ull;
	return (uint32_t)((seed >> 33) % n);
}

/* ---- what the graph is compared with: terms, and a closure by repeated passes */
struct naive {
	uint32_t n, label[MAXN], op[MAXN], narg[MAXN], arg[MAXN][3];
};

static void relabel(struct naive *w, uint32_t from, uint32_t to)
{
	uint32_t i;

	for (i = 0; i < w->n; i++)
		if (w->label[i] == from)
			w->label[i] = to;
}

static int congruent(const struct naive *w, uint32_t a, uint32_t b)
{
	uint32_t k;

	if (w->op[a] != w->op[b] || w->narg[a] != w->narg[b])
		return 0;
	for (k = 0; k < w->narg[a]; k++)
		if (w->label[w->arg[a][k]] != w->label[w->arg[b][k]])
			return 0;
	return 1;
}

static void close_naive(struct naive *w)
{
	uint32_t a, b, changed = 1;

	while (changed) {
		changed = 0;
		for (a = 0; a < w->n; a++)
			for (b = 0; b < a; b++)
				if (w->label[a] != w->label[b] && congruent(w, a, b)) {
					relabel(w, w->label[a], w->label[b]);
					changed = 1;
				}
	}
}

/* ---- a copy of all that can be seen */
struct copy {
	uint32_t n, live, classes, edges, nvalue, touched;
	uint32_t root[MAXN], next[MAXN], size[MAXN], cur[3 * MAXN], orig[3 * MAXN], uses[3 * MAXN];
	uint8_t dead[MAXN];
	uint32_t nslot, nuse;
	eg_edge edge[MAXN];
	int path[MAXN];
};

static void take(const egraph *g, struct copy *c)
{
	uint32_t i, k, out[MAXN];
	eg_use u;

	memset(c, 0, sizeof *c);
	c->n = eg_nnode(g);
	c->live = eg_live(g);
	c->classes = eg_nclass(g);
	c->edges = eg_nedge(g);
	c->nvalue = eg_nvalue(g);
	eg_touched(g, &c->touched);
	for (i = 0; i < c->n; i++) {
		c->root[i] = eg_root(g, i);
		c->next[i] = eg_next_in_class(g, i);
		c->dead[i] = eg_dead(g, i);
		c->path[i] = eg_path(g, i, eg_root(g, i), out, MAXN);
		for (k = 0; k < eg_narg(g, i); k++) {
			c->cur[c->nslot] = eg_current(g, i)[k];
			c->orig[c->nslot++] = eg_args(g, i)[k];
		}
		if (c->root[i] != i)
			continue;
		c->size[i] = eg_class_size(g, i);
		if (eg_use_first(g, i, &u))
			do
				c->uses[c->nuse++] = u.slot;
			while (eg_use_next(g, &u));
	}
	for (i = 0; i < c->edges; i++)
		c->edge[i] = *eg_get_edge(g, i);
}

struct world {
	egraph *g;
	eg_fam leaf, f[4];
	eg_sort num;
	struct naive w;
	eg_id id[MAXN];		/* the node each naive term is */
};

static void declare(struct world *x)
{
	static const char *name[] = { "h0", "h1", "h2", "h3" };
	eg_sort s = eg_declare_sort(x->g, "T", false), args[3] = { s, s, s };
	uint32_t i;

	x->num = eg_declare_sort(x->g, "i64", true);
	x->leaf = eg_declare(x->g, &(eg_signature){ .name = "leaf", .nval = 1, .val = &x->num, .rest = NIL, .result = s });
	for (i = 0; i < 4; i++)
		x->f[i] = eg_declare(x->g, &(eg_signature){ .name = name[i], .narg = i, .arg = args, .rest = NIL, .result = s });
}

static void add_term(struct world *x)
{
	uint32_t i = x->w.n, k, narg = i < 3 ? 0 : rnd(4), fam = narg, args[3];
	int64_t value = rnd(6);
	eg_val v;
	eg_op op;

	if (i == MAXN)
		return;
	if (narg) {
		op = eg_operator(x->g, x->f[fam], 0, NULL);
	} else {
		v = eg_value(x->g, x->num, &value, sizeof value);
		op = eg_operator(x->g, x->leaf, 1, &v);
	}
	x->w.op[i] = op;
	x->w.narg[i] = narg;
	for (k = 0; k < narg; k++) {
		x->w.arg[i][k] = rnd(i);
		args[k] = x->id[x->w.arg[i][k]];
	}
	x->w.label[i] = i;
	x->w.n++;
	x->id[i] = eg_add(x->g, op, narg, args);
	assert_int_equal(eg_lookup(x->g, op, narg, args), x->id[i]);
	close_naive(&x->w);
}

static void union_terms(struct world *x)
{
	uint32_t a = rnd(x->w.n), b = rnd(x->w.n);
	int differ = x->w.label[a] != x->w.label[b];

	assert_int_equal(eg_union(x->g, x->id[a], x->id[b], EG_RULE, a), differ);
	relabel(&x->w, x->w.label[a], x->w.label[b]);
	close_naive(&x->w);
}

static void compare(const struct world *x)
{
	uint32_t a, b;

	for (a = 0; a < x->w.n; a++)
		for (b = 0; b < a; b++)
			assert_int_equal(eg_root(x->g, x->id[a]) == eg_root(x->g, x->id[b]),
					 x->w.label[a] == x->w.label[b]);
	assert_null(eg_check(x->g));
}

/* Every edge of a path touches the next, from a to b. */
static void walk(const struct world *x, eg_id a, eg_id b)
{
	uint32_t out[MAXN];
	int n = eg_path(x->g, a, b, out, MAXN), i;

	if (eg_root(x->g, a) != eg_root(x->g, b)) {
		assert_int_equal(n, -1);
		return;
	}
	for (i = 0; i < n; i++) {
		const eg_edge *e = eg_get_edge(x->g, out[i]);

		assert_true(e->a == a || e->b == a);
		a = e->a == a ? e->b : e->a;
	}
	assert_int_equal(a, b);
}

static void random_run(uint64_t s, bool proofs_only)
{
	static struct world x;
	static struct copy copies[64], now;
	static struct naive worlds[64];
	trail_mark marks[64];
	uint32_t n = 0, i, steps = 20 + (uint32_t)(s % 120);

	seed = s;
	memset(&x, 0, sizeof x);
	x.g = eg_new();
	eg_set_track(x.g, !proofs_only);
	declare(&x);
	for (i = 0; i < 3; i++)
		add_term(&x);
	for (i = 0; i < steps; i++) {
		if (n < 64 && rnd(3) == 0) {
			take(x.g, &copies[n]);
			worlds[n] = x.w;
			marks[n++] = trail_at(eg_trail(x.g));
		}
		if (rnd(3))
			add_term(&x);
		else
			union_terms(&x);
		if (n && rnd(9) == 0) {
			n = rnd(n);
			trail_undo(eg_trail(x.g), marks[n]);
			x.w = worlds[n];
			take(x.g, &now);
			assert_memory_equal(&now, &copies[n], sizeof now);
			assert_null(eg_check(x.g));
		}
	}
	compare(&x);
	for (i = 0; i < 50; i++)
		walk(&x, x.id[rnd(x.w.n)], x.id[rnd(x.w.n)]);
	while (n--) {
		trail_undo(eg_trail(x.g), marks[n]);
		take(x.g, &now);
		assert_memory_equal(&now, &copies[n], sizeof now);
		assert_null(eg_check(x.g));
	}
	eg_free(x.g);
}

static void test_random(void **state)
{
	uint64_t s;

	(void)state;
	for (s = 1; s <= ROUNDS; s++)
		random_run(s * 7919, s & 1);
}

/* ---- hooks: told of every node, union and re-keying; may add and union */
struct told {
	egraph *g;
	uint32_t added, merging, merged, rekeyed, loser_members;
	eg_op wrap;
	eg_id late;
};

static void on_added(void *ctx, eg_id n)
{
	(void)n;
	((struct told *)ctx)->added++;
}

static void on_merging(void *ctx, eg_id w, eg_id l, uint32_t edge)
{
	struct told *t = ctx;
	eg_id m = l;

	assert_int_not_equal(eg_root(t->g, w), eg_root(t->g, l));
	assert_int_equal(edge, eg_nedge(t->g) - 1);
	do
		t->loser_members++;
	while ((m = eg_next_in_class(t->g, m)) != l);
	t->merging++;
}

static void on_merged(void *ctx, eg_id w, eg_id l)
{
	struct told *t = ctx;

	assert_int_equal(eg_root(t->g, l), w);
	t->merged++;
}

static void on_rekeyed(void *ctx, eg_id user)
{
	struct told *t = ctx;

	assert_false(t->rekeyed && eg_dead(t->g, user) && eg_rep(t->g, user) == user);
	if (!t->rekeyed++)
		t->late = eg_add(t->g, t->wrap, 1, &user);
}

static void test_hooks(void **state)
{
	egraph *g = eg_new();
	struct told t = { .g = g };
	eg_sort s = eg_declare_sort(g, "T", false);
	eg_fam a = eg_declare(g, &(eg_signature){ .name = "a", .rest = NIL, .result = s });
	eg_fam b = eg_declare(g, &(eg_signature){ .name = "b", .rest = NIL, .result = s });
	eg_fam f = eg_declare(g, &(eg_signature){ .name = "f", .narg = 1, .arg = &s, .rest = NIL, .result = s });
	eg_id x, y, fx, fy;
	trail_mark m;

	(void)state;
	t.wrap = eg_operator(g, f, 0, NULL);
	eg_set_hooks(g, &(eg_hooks){ &t, on_added, on_merging, on_merged, on_rekeyed });
	x = eg_add(g, eg_operator(g, a, 0, NULL), 0, NULL);
	y = eg_add(g, eg_operator(g, b, 0, NULL), 0, NULL);
	fx = eg_add(g, t.wrap, 1, &x);
	fy = eg_add(g, t.wrap, 1, &y);
	m = trail_at(eg_trail(g));
	assert_int_equal(t.added, 4);
	assert_true(eg_union(g, x, y, EG_GIVEN, 0));
	assert_false(eg_union(g, fx, fy, EG_GIVEN, 0));
	assert_int_equal(eg_rep(g, fy), fx);
	assert_true(eg_dead(g, fy));
	assert_int_equal(t.merging, 2);
	assert_int_equal(t.merged, 2);
	assert_int_equal(t.loser_members, 2);
	assert_int_equal(t.added, 5);
	assert_int_equal(eg_root(g, eg_args(g, t.late)[0]), eg_root(g, fx));
	assert_int_equal(eg_get_edge(g, 1)->kind, EG_CONGRUENCE);
	assert_null(eg_check(g));
	trail_undo(eg_trail(g), m);
	assert_int_equal(eg_nnode(g), 4);
	assert_int_equal(eg_live(g), 4);
	assert_null(eg_check(g));
	eg_free(g);
}

/* A circle: f^3(a) = a and f^5(a) = a make f(a) = a. */
static void test_circle(void **state)
{
	egraph *g = eg_new();
	eg_sort s = eg_declare_sort(g, "T", false);
	eg_fam a = eg_declare(g, &(eg_signature){ .name = "a", .rest = NIL, .result = s });
	eg_fam f = eg_declare(g, &(eg_signature){ .name = "f", .narg = 1, .arg = &s, .rest = NIL, .result = s });
	eg_op fo = eg_operator(g, f, 0, NULL);
	eg_id x[6];
	uint32_t i, n;

	(void)state;
	x[0] = eg_add(g, eg_operator(g, a, 0, NULL), 0, NULL);
	for (i = 1; i < 6; i++)
		x[i] = eg_add(g, fo, 1, &x[i - 1]);
	eg_union(g, x[3], x[0], EG_GIVEN, 0);
	assert_int_equal(eg_live(g), 4);
	eg_union(g, x[5], x[0], EG_GIVEN, 1);
	assert_int_equal(eg_live(g), 2);
	assert_int_equal(eg_nclass(g), 1);
	assert_int_equal(eg_root(g, x[1]), eg_root(g, x[0]));
	eg_family_nodes(g, f, &n);
	assert_int_equal(n, 5);
	assert_null(eg_check(g));
	eg_free(g);
}

/* The list of a family is in order whatever its length, on every way there and back. */
static void test_family_list(void **state)
{
	static const uint32_t most[] = { 5000, 40, 1024, 1025, 3000 };
	egraph *g = eg_new();
	eg_sort s = eg_declare_sort(g, "T", false), value = eg_declare_sort(g, "i", true);
	eg_fam f = eg_declare(g, &(eg_signature){ .name = "f", .nval = 1, .val = &value, .rest = NIL, .result = s });
	eg_fam other = eg_declare(g, &(eg_signature){ .name = "g", .nval = 1, .val = &value, .rest = NIL, .result = s });
	const eg_id *node;
	uint32_t i, k, n;

	(void)state;
	for (k = 0; k < sizeof most / sizeof *most; k++) {
		trail_mark m = trail_at(eg_trail(g));

		for (i = 0; i < most[k]; i++) {
			int64_t v = i;
			eg_val val = eg_value(g, value, &v, sizeof v);

			eg_add(g, eg_operator(g, f, 1, &val), 0, NULL);
			if (i % 3 == 0)
				eg_add(g, eg_operator(g, other, 1, &val), 0, NULL);
		}
		node = eg_family_nodes(g, f, &n);
		assert_int_equal(n, most[k]);
		for (i = 0; i < n; i++)
			assert_int_equal(node[i], i + (i + 2) / 3);
		assert_null(eg_check(g));
		trail_undo(eg_trail(g), m);
		eg_family_nodes(g, f, &n);
		assert_int_equal(n, 0);
	}
	eg_free(g);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_random),
		cmocka_unit_test(test_hooks),
		cmocka_unit_test(test_circle),
		cmocka_unit_test(test_family_list),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
