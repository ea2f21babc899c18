#include "certify/certify.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "certify/certify_in.h"
#include "prover/reading.h"

struct certifier {
	prover *p;
	const algebra *a;
	const egraph *g;
	certify_limits l;
	vec done;		/* per union: how it was checked + 1 */
};

/* ---- one firing by numbers */

static uint32_t built(const world *w, const hist_entry *f, eg_id node)
{
	const made_node *m = history_made(w->a, f);
	uint32_t i;

	for (i = f->nmade; i-- > 0; )
		if (m[i].node == node)
			return i;
	return NIL;
}

/* The built node that the result stands for, or NIL: the one that the last premise
 * says it equals, as when a view of its own class came out, else itself. */
static uint32_t stands_for(const world *w, const hist_entry *f)
{
	const premise *last = f->nprem ? history_premises(w->a, f) + f->nprem - 1 : NULL;
	uint32_t i = last && last->y == f->result ? built(w, f, last->x) : NIL;

	return i == NIL ? built(w, f, f->result) : i;
}

enum { BEHIND = 3 };	/* views that are looked through, one behind the other */

/* A class with a constant of every floating point type, or a view of one, has all these types. */
static bool holds_constant(const world *w, eg_id x, int behind)
{
	eg_id r = eg_root(w->g, x), m = r;

	do {
		enum certify_kind k = ck_kind(w, eg_node_op(w->g, m));
		if (k != K_TENSOR && k != K_OTHER && ck_type(w, m) == TYPE_REAL)
			return true;
		if (k == K_VIEW && behind && holds_constant(w, eg_args(w->g, m)[0], behind - 1))
			return true;
		m = eg_next_in_class(w->g, m);
	} while (m != r);
	return false;
}

static bool types_agree(const world *w, eg_id x, eg_id y)
{
	int s = ck_type(w, x), t = ck_type(w, y);

	if (s == t || ((s == TYPE_REAL || t == TYPE_REAL) && cv_real(s) && cv_real(t)))
		return true;
	if (ck_kind(w, eg_node_op(w->g, y)) == K_LAID)
		y = eg_args(w->g, y)[0];
	return cv_real(s) && cv_real(t) && holds_constant(w, y, BEHIND);
}

static const char *shapes_agree(const world *w, const hist_entry *f)
{
	form x, y;
	bool fx = ck_form(w, f->node, &x), fy = ck_form(w, f->result, &y);

	if (fx != fy)
		return "a core is said to equal a tensor";
	if (ck_len(w, f->node) && !types_agree(w, f->node, f->result))
		return "the element types differ";
	if (!fx)
		return ck_len(w, f->node) == ck_len(w, f->result) ? NULL : "the lengths differ";
	if (x.ndev != y.ndev || x.rank != y.rank || memcmp(x.dim, y.dim, sizeof *x.dim * (size_t)x.rank))
		return "the shapes differ";
	return NULL;
}

/* A literal stands for the simplest number that rounds to it (RULES D1). */
static bool literal_agrees(const world *w, const hist_entry *f, val x, val y)
{
	const char *name = eg_family(w->g, eg_op_family(w->g, eg_node_op(w->g, f->node)))->name;
	int t = ck_type(w, f->node);

	if ((strcmp(name, "constant") && strcmp(name, "constant-table")) || x.kind != V_NUM || y.kind != V_NUM)
		return false;
	return t == T_F32 ? (float)x.d == (float)y.d : t == T_F64 && (float)x.d == (float)y.d &&
	       cv_same(cv_convert(TYPE_REAL, T_F64, x), cv_convert(TYPE_REAL, T_F64, cv_of_double(y.d)));
}

enum { EVERYWHERE = 1 << 21, MORE = 1 << 11 };	/* terms of a union that is run at all places; that is tried with more infinities */
enum { ALIKE = 1 << 10 };	/* places looked at where one function of the operands is taken at each */
struct place {
	int64_t dev, at;
};
struct trial {
	const char *why;
	struct place p;		/* of what does not hold: where, and both sides */
	val x, y;
	bool cut, soft, few;	/* few: not all places were to be had, or rounding may hide a difference */
	int64_t cost;
};

static struct place place_of(const world *w, const hist_entry *f, int64_t at)
{
	form x;

	if (!ck_form(w, f->node, &x))
		return (struct place){ 0, at };
	return (struct place){ at / x.elements, at % x.elements };
}

/* The first, the last, and places drawn from the seed. */
static int64_t sample(const world *w, const hist_entry *f, int k, uint64_t h)
{
	int64_t n = ck_len(w, f->node);

	return k == 0 ? 0 : k == 1 ? n - 1 : (int64_t)(cv_mix(h, (uint64_t)k + 1) % (uint64_t)n);
}

/* A factor that is read as another one changes a term by so much of the term, however small the sum is. */
static bool rounds_to(val x, val y, double rounding)
{
	return x.kind == V_NUM && y.kind == V_NUM && fabs(x.d - y.d) <= rounding * (x.m + y.m);
}

/* Both sides at one place; i: which random functions. */
static void try_place(world *w, const hist_entry *f, const certify_limits *l, struct place p, uint64_t seed, int64_t i, struct trial *t)
{
	uint32_t k;
	val x, y;

	w->seed = cv_mix(seed, (uint64_t)(w->wild ? i : i % 3));
	w->sign = i % 3 == 1 ? -1 : i % 3 == 2;
	w->cost = 0;
	w->bad = NULL;
	for (k = 0; k < w->n; k++)
		w->node[k].busy = false;
	x = l->views ? world_core(w, f->node, p.at, 0) : world_own(w, f->node, p.dev, p.at);
	y = world_result(w, stands_for(w, f), p.dev, p.at);
	t->cut = w->cut;
	t->cost += w->cost;
	t->soft = t->soft || x.soft || y.soft;
	if (w->cut)
		return;
	if (w->bad)
		t->why = w->bad;
	else if (!cv_same(x, y) && !literal_agrees(w, f, x, y) && !rounds_to(x, y, l->rounding))
		t->why = "the two sides have different values";
	t->few = t->few || (cv_same(x, y) && !cv_close(x, y));
	t->p = p;
	t->x = x;
	t->y = y;
}

/* One choice of definitions, sampled places; the random functions change from round to round. */
static struct trial try_choice(world *w, const hist_entry *f, const certify_limits *l, uint64_t seed)
{
	struct trial t = { 0 };
	int places = l->places ? l->places : 6, i;

	for (i = 0; i < places && !t.why && !t.cut; i++)
		try_place(w, f, l, place_of(w, f, sample(w, f, i, seed)), seed, i, &t);
	return t;
}

/* All places, one after another, numbers of both signs, positive and negative ones, where that is affordable. */
static struct trial try_everywhere(world *w, const hist_entry *f, const certify_limits *l, uint64_t seed)
{
	struct trial t = { 0 };
	bool alike = world_of_places(w);
	int64_t n = alike && ck_len(w, f->node) > ALIKE ? ALIKE : ck_len(w, f->node), left = EVERYWHERE - n, k;

	for (k = 0; k < 3 * n && !t.why && !t.cut && left >= 0; k++, left -= w->cost)
		try_place(w, f, l, place_of(w, f, k / 3), cv_mix(seed, (uint64_t)k), k, &t);
	t.few = !t.why && (t.few || t.cut || k < 3 * n);
	t.cut = false;
	return t;
}

/* Without infinities and zeros first; with them more often where that costs little, for few of them may show. */
static struct trial try_rounds(world *w, const hist_entry *f, const certify_limits *l)
{
	struct trial t = { 0 };
	bool few = false;
	int64_t cost = 0;
	int round;

	for (round = 0; round < (!l->wild ? 1 : cost < MORE ? 32 : 8) && !t.why && !t.cut; round++, cost += t.cost) {
		w->wild = round > 0;
		t = try_choice(w, f, l, cv_mix(l->seed + 1, (uint64_t)round));
		if (l->everywhere && round < 4 && !t.why && !t.cut) {	/* one with infinities might miss them */
			t = try_everywhere(w, f, l, cv_mix(l->seed + 2, (uint64_t)round));
			few = few || t.few;
		}
	}
	t.cut = t.cut || (few && !t.why);
	return t;
}

static bool is_induction(const algebra *a, const hist_entry *f)
{
	return !strcmp(eg_family(a->g, eg_op_family(a->g, eg_node_op(a->g, f->node)))->name, "loop-result");
}

const char *certify_firing(const algebra *a, const hist_entry *f, const certify_limits *l, enum certify_how *how, arena *s)
{
	arena_mark mark = arena_at(s);
	world w;
	struct trial t = { 0 };
	const char *why;
	uint32_t c;

	if (is_induction(a, f)) {
		*how = CERTIFY_NUMBERS;
		return certify_induction(a, f, l, s);
	}
	world_open(&w, a, f, l->facts, s);
	w.budget = l->budget ? l->budget : 1 << 16;
	*how = CERTIFY_NUMBERS;
	why = l->digits && !world_of_digits(&w, l->views) ? "more is read than forms and views" : shapes_agree(&w, f);
	if (why || ck_len(&w, f->node) == 0) {
		arena_reset(s, mark);
		return why;
	}
	for (c = 0; c < w.choices && (!c || (t.why && !t.cut)); c++) {
		w.choice = c;
		t = try_rounds(&w, f, l);
	}
	*how = t.cut ? CERTIFY_OVER : t.soft ? CERTIFY_SOFT : CERTIFY_NUMBERS;
	if (t.why && !t.cut) {
		w.bad = NULL;
		w.cut = false;
		w.budget = INT64_MAX;
		if (world_closure(&w)) {
			*how = CERTIFY_MERGE;
			t.why = NULL;
		}
	}
	arena_reset(s, mark);
	return t.why;
}

/* ---- what one firing that does not hold says, with values */

static const char *value_text(int type, val v, arena *s)
{
	if (cv_int(type))
		return arena_printf(s, "%lld", (long long)v.i);
	return v.kind == V_NUM ? arena_printf(s, "%.6g", v.d) : v.kind == V_PLUS ? "inf" : v.kind == V_MINUS ? "-inf" : "nan";
}

struct leaves {
	world *w;
	certify_leaf *leaf;
	int n, room;
	arena *s;
};

static val leaf_value(world *w, eg_id x, int64_t at)
{
	form f;

	w->cost = 0;
	return ck_form(w, x, &f) ? world_tensor(w, x, at / f.elements, at % f.elements, 0) : world_core(w, x, at, 0);
}

static void add_leaf(struct leaves *l, eg_id x)
{
	world *w = l->w;
	uint32_t r = world_find(w, x);
	const char **value;
	certify_leaf *to;
	int64_t n = ck_len(w, x), k;
	int i;

	if (world_knows(w, x) || l->n == l->room)
		return;
	for (i = 0; i < l->n; i++)
		if (l->leaf[i].node == x || (r != NIL && world_find(w, l->leaf[i].node) == r))
			return;
	to = &l->leaf[l->n++];
	*to = (certify_leaf){ .node = x, .n = n, .shown = (int)(n < CERTIFY_LEAF_PLACES ? n : CERTIFY_LEAF_PLACES) };
	value = ARENA_ARRAY(l->s, const char *, to->shown);
	for (k = 0; k < to->shown; k++)
		value[k] = value_text(ck_type(w, x), leaf_value(w, x, k), l->s);
	to->value = value;
}

static void add_leaves(struct leaves *l, uint32_t n, const eg_id *arg)
{
	uint32_t k;

	for (k = 0; k < n; k++)
		add_leaf(l, arg[k]);
}

static void find_leaves(struct leaves *l, const hist_entry *f)
{
	const egraph *g = l->w->g;
	const premise *p = history_premises(l->w->a, f);
	const made_node *m = history_made(l->w->a, f);
	uint32_t i;

	l->room = 64;
	l->leaf = ARENA_ARRAY(l->s, certify_leaf, l->room);
	add_leaves(l, eg_narg(g, f->node), eg_args(g, f->node));
	for (i = 0; i < f->nprem; i++)
		if (world_knows(l->w, p[i].y))
			add_leaves(l, eg_narg(g, p[i].y), eg_args(g, p[i].y));
	for (i = 0; i < f->nmade; i++)
		add_leaves(l, m[i].narg, history_args(l->w->a, &m[i]));
	if (!f->nmade)
		add_leaf(l, f->result);
}

const char *certify_refute(const algebra *a, const hist_entry *f, const certify_limits *l, certify_witness *out, arena *s)
{
	struct leaves ls = { .s = s };
	struct trial t;
	const char *why;
	uint32_t k;
	world w;

	memset(out, 0, sizeof *out);
	world_open(&w, a, f, l->facts, s);
	w.budget = l->budget ? l->budget : 1 << 16;
	why = shapes_agree(&w, f);
	if (why || is_induction(a, f) || ck_len(&w, f->node) == 0)
		return why;
	t = try_rounds(&w, f, l);
	if (!t.why || t.cut)
		return NULL;
	*out = (certify_witness){ .dev = t.p.dev, .at = t.p.at };
	if (w.bad)
		return t.why;
	for (k = 0; k < w.n; k++)
		w.node[k].busy = false;
	ls.w = &w;
	find_leaves(&ls, f);
	out->left = value_text(ck_type(&w, f->node), t.x, s);
	out->right = value_text(ck_type(&w, f->result), t.y, s);
	out->leaf = ls.leaf;
	out->nleaf = ls.n;
	return t.why;
}

/* ---- the skeleton: what rests on what */

struct certify_replay {
	certifier *c;
	const egraph *g;
	vec up;			/* per node; those behind its end stand alone */
	certificate *out;
	arena *s;
	bool (*learn)(void *ctx);
	void *ctx;
};
#define UP(r, n) VEC_AT(uint32_t, &(r)->up, n)

static uint32_t find(struct certify_replay *r, uint32_t n)
{
	if (n >= r->up.n)
		return n;
	while (UP(r, n) != n)
		n = UP(r, n) = UP(r, UP(r, n));
	return n;
}

static void join(struct certify_replay *r, eg_id x, eg_id y)
{
	uint32_t most = x > y ? x : y;

	while (r->up.n <= most) {
		uint32_t *u = vec_push(&r->up);
		*u = r->up.n - 1;
	}
	UP(r, find(r, x)) = find(r, y);
}

static bool same(struct certify_replay *r, eg_id x, eg_id y)
{
	return find(r, x) == find(r, y);
}

static const char *congruent(struct certify_replay *r, eg_id x, eg_id y)
{
	uint32_t k;

	if (eg_node_op(r->g, x) != eg_node_op(r->g, y) || eg_narg(r->g, x) != eg_narg(r->g, y))
		return "congruent nodes have different operators";
	for (k = 0; k < eg_narg(r->g, x); k++)
		if (!same(r, eg_args(r->g, x)[k], eg_args(r->g, y)[k]))
			return "arguments of congruent nodes were not shown equal";
	return NULL;
}

/* What the step opened, and the nodes it found in the table instead of building them. */
static const char *premises_hold(struct certify_replay *r, const hist_entry *f)
{
	const premise *p = history_premises(r->c->a, f);
	const made_node *m = history_made(r->c->a, f);
	uint32_t i, k;

	for (i = 0; i < f->nprem; i++)
		if (!same(r, p[i].x, p[i].y))
			return "what the step opened was not shown to be its operand";
	for (i = 0; i < f->nmade; i++) {
		if (eg_node_op(r->g, m[i].node) != m[i].op || eg_narg(r->g, m[i].node) != m[i].narg)
			return "a built node has another operator";
		for (k = 0; k < m[i].narg; k++)
			if (!same(r, eg_args(r->g, m[i].node)[k], history_args(r->c->a, &m[i])[k]))
				return "an argument of a built node was not shown to be the one written";
	}
	return NULL;
}

static const char *family(const struct certify_replay *r, eg_id n)
{
	return eg_family(r->g, eg_op_family(r->g, eg_node_op(r->g, n)))->name;
}

/* An instruction no rule lifts: one function per device of its own operands, or equal to nothing else. */
static const char *check_fallback(struct certify_replay *r, const hist_entry *f)
{
	const char *to = family(r, f->result);
	world w = { .g = r->g, .a = r->c->a };
	form x, y;
	uint32_t i, k;

	if (!ck_form(&w, f->node, &x) || !ck_form(&w, f->result, &y) || x.type != y.type || x.ndev != y.ndev || x.rank != y.rank ||
	    memcmp(x.dim, y.dim, sizeof *x.dim * (size_t)x.rank))
		return "a fallback of another type or shape";
	if (!strcmp(to, "opaque-call")) {
		if (eg_narg(r->g, f->node) != eg_narg(r->g, f->result))
			return "a fallback of other operands";
		for (k = 0; k < eg_narg(r->g, f->node); k++)
			if (!same(r, eg_args(r->g, f->node)[k], eg_args(r->g, f->result)[k]))
				return "a fallback of other operands";
		return NULL;
	}
	if (strcmp(to, "unique") || eg_narg(r->g, f->result))
		return "a fallback to an operation with a meaning";
	for (i = 0; i < history_count(r->c->a); i++) {
		const hist_entry *o = history_at(r->c->a, i);
		if (o->rule == RULE_FALLBACK && o->result == f->result && o->node != f->node)
			return "two instructions share what should be equal to nothing else";
	}
	return NULL;
}

static bool is_parameter(const struct certify_replay *r, eg_id n)
{
	return !strcmp(family(r, n), "parameter");
}

/* An inner value that a plan calls arbitrary is a new parameter, or the sum of a new parameter's parts: a name, not a claim. */
static bool names_a_value(const struct certify_replay *r, const hist_entry *f)
{
	eg_id x = f->result;
	int k;

	if (strcmp(family(r, x), "laid"))
		return false;
	for (k = 0; k < 4 && eg_narg(r->g, x) == 1; k++)
		x = eg_args(r->g, x)[0];
	return !strcmp(family(r, x), "param");
}

/* Parameters are what the plan says; each is said once. */
static const char *check_given(struct certify_replay *r, const hist_entry *f, uint32_t firing)
{
	uint32_t i;

	if (!is_parameter(r, f->node) ? !names_a_value(r, f) : strcmp(family(r, f->result), "laid") != 0)
		return "what is given speaks of no parameter";
	for (i = 0; i < history_count(r->c->a); i++) {
		const hist_entry *o = history_at(r->c->a, i);
		if (i != firing && o->rule == RULE_GIVEN && o->node == f->node)
			return "a parameter is given twice";
	}
	return NULL;
}

/* What the step opened stands for its class; of two nodes of one class the last, or backwards the first. */
static eg_id *open_premises(algebra *a, const premise *p, uint32_t n, bool backwards)
{
	eg_id *was = ARENA_ARRAY(&a->s.a, eg_id, n + 1);
	uint32_t k, i;

	for (k = 0; k < n; k++) {
		i = backwards ? n - 1 - k : k;
		was[k] = core_kind(a, p[i].y) < C_VIEW && eg_root(a->g, p[i].x) == eg_root(a->g, p[i].y) ? normal_pretend(a, p[i].x, p[i].y) : NIL;
	}
	return was;
}

static void close_premises(algebra *a, const premise *p, uint32_t n, bool backwards, const eg_id *was)
{
	uint32_t k;

	for (k = n; k-- > 0; )
		if (was[k] != NIL)
			normal_pretend(a, p[backwards ? n - 1 - k : k].x, was[k]);
}

/* A node is opened, its operands are their classes. */
static void open_node(algebra *a, eg_id n)
{
	uint32_t k;

	history_premise(a, n, n);
	for (k = 0; k < eg_narg(a->g, n); k++)
		history_premise(a, eg_args(a->g, n)[k], eg_root(a->g, eg_args(a->g, n)[k]));
}

/* Are two nodes one but for the order of operands and labels?  On a mark. */
static bool written_otherwise(certifier *c, eg_id x, eg_id y)
{
	algebra *a = &c->p->a;
	const certify_limits l = { .digits = true, .facts = true, .places = 64, .seed = c->l.seed };
	enum certify_how how;

	history_begin(a);
	open_node(a, y);
	if (core_kind(a, x) == C_LAID && core_kind(a, y) == C_LAID) {
		open_node(a, eg_args(c->g, x)[0]);
		open_node(a, eg_args(c->g, y)[0]);
	}
	return !certify_firing(a, history_at(a, history_log(a, NIL, x, y)), &l, &how, &a->s.a) && how == CERTIFY_NUMBERS;
}

enum { FURTHER = 3, ALIKE_MOST = 64 };	/* nodes looked at on each side */

/* The class of n written with its operands and labels in the order that they have now. */
static eg_id in_order(certifier *c, eg_id n)
{
	algebra *a = &c->p->a;

	if (core_kind(a, n) < C_AT || core_kind(a, n) > C_PICK || setjmp(a->s.out))
		return eg_root(c->g, n);
	return eg_root(c->g, work_result(a, work_open(a, n)));
}

/* Is a node of y's class, in order, x in order? */
static bool in_class(certifier *c, eg_id x, eg_id y, int *left)
{
	eg_id m = y, form = in_order(c, x);

	do {
		if (in_order(c, m) == form)
			return true;
		m = eg_next_in_class(c->g, m);
	} while (m != y && --*left > 0);
	return false;
}

/* Are they one class, or would be if written in one order, or one operator of operands that are? */
static bool alike(certifier *c, eg_id x, eg_id y, int *left)
{
	uint32_t k;

	if (eg_root(c->g, x) == eg_root(c->g, y) || in_class(c, x, y, left))
		return true;
	if (--*left < 0 || eg_node_op(c->g, x) != eg_node_op(c->g, y) || eg_narg(c->g, x) != eg_narg(c->g, y))
		return false;
	for (k = 0; k < eg_narg(c->g, x) && alike(c, eg_args(c->g, x)[k], eg_args(c->g, y)[k], left); k++)
		;
	return k == eg_narg(c->g, x);
}

/* n, and what the rule gives of it, and of that, each in order; how many. */
static int follow(certifier *c, uint32_t rule, eg_id n, eg_id *out)
{
	int k;

	for (k = 0; k <= FURTHER && n != NIL && n < eg_nnode(c->g); k++) {
		out[k] = in_order(c, n);
		n = k < FURTHER ? prover_try(c->p, rule, n, NULL) : NIL;
	}
	return k;
}

/* Is x y, or made one with it by the same rule: of several things to be done it may have done another one first? */
static bool lead_to_one(certifier *c, uint32_t rule, eg_id x, eg_id y)
{
	int n[2], i, j, left = ALIKE_MOST;
	eg_id from[2][FURTHER + 1];

	if (alike(c, x, y, &left))
		return true;
	n[0] = follow(c, rule, x, from[0]);
	n[1] = follow(c, rule, y, from[1]);
	for (i = 0; i < n[0]; i++)
		for (j = 0; j < n[1]; j++)
			if (from[0][i] == from[1][j])
				return true;
	return false;
}

/* The rule, on a mark: does it give a node that is the result by what was shown so far?  With the normal nodes there are, or
 * those the step opened; some rules read more while S14 is off. */
static bool called_again(certifier *c, const hist_entry *f)
{
	algebra *a = &c->p->a;
	trail_mark m = trail_at(a->tr);
	arena_mark am = arena_at(&a->s.a);
	const hist_entry was = *f;
	uint32_t n = was.nprem;
	premise *p = ARENA_ARRAY(&a->s.a, premise, n + 1);
	bool ok = false;
	int k;

	memcpy(p, history_premises(a, f), sizeof *p * n);
	for (k = 0; k < 6 && !ok && prover_computes(c->p, was.rule); k++) {	/* of a pattern it would show nothing */
		eg_id *normal = open_premises(a, p, k < 2 ? 0 : n, k > 3), to;
		if (k % 2)
			trail_set32(a->tr, &a->searching, !a->searching);
		to = prover_try(c->p, was.rule, was.node, NULL);
		ok = to != NIL && to < eg_nnode(c->g) && (lead_to_one(c, was.rule, to, was.result) || written_otherwise(c, to, was.result));
		trail_undo(a->tr, m);
		close_premises(a, p, k < 2 ? 0 : n, k > 3, normal);
	}
	arena_reset(&a->s.a, am);
	return ok;
}

static void count(certificate *out, enum certify_how how)
{
	switch (how) {
	case CERTIFY_NUMBERS: out->numbers++; break;
	case CERTIFY_SOFT: out->soft++; break;
	case CERTIFY_MERGE: out->merges++; break;
	case CERTIFY_READING: out->readings++; break;
	case CERTIFY_AGAIN: out->again++; break;
	case CERTIFY_FINITE: out->finite++; break;
	default: out->trusted++;
	}
}

static bool more_facts(struct certify_replay *r)
{
	return r->learn && r->learn(r->ctx);
}

/* Does it hold of forms, views, sums and products alone, whatever they are of?  Index expressions without tables that are one
 * at many drawn places are one everywhere. */
static bool holds_of_digits(struct certify_replay *r, const hist_entry *f, certify_limits l)
{
	enum certify_how how;
	int k;

	l.digits = true;
	l.places = 64;
	for (k = 0; k < 2; k++) {
		l.views = k;
		if (!certify_firing(r->c->a, f, &l, &how, r->s) && how == CERTIFY_NUMBERS)
			return true;
	}
	return false;
}

/* Two sides that agree at sampled places may differ at another: the rule gives the same node, or all places are looked at.
 * NULL, or what is wrong; *how is CERTIFY_OVER where neither can be. */
static const char *holds_everywhere(struct certify_replay *r, const hist_entry *f, certify_limits l, enum certify_how *how)
{
	enum certify_how all;
	const char *why;

	if (*how == CERTIFY_OVER || *how == CERTIFY_MERGE || called_again(r->c, f) || holds_of_digits(r, f, l))
		return NULL;
	l.everywhere = true;
	why = certify_firing(r->c->a, f, &l, &all, r->s);
	if (!why && (all == CERTIFY_OVER || is_induction(r->c->a, f)))	/* whose sums are sampled, too */
		*how = CERTIFY_OVER;
	if (!why && all == CERTIFY_SOFT && prover_computes(r->c->p, f->rule))	/* a small difference, again and again, is a large one */
		*how = CERTIFY_OVER;
	return why;
}

/* The rule that takes a value to be finite, of programs that have tokens: an assumption, which is listed. */
static bool takes_token(const certifier *c, const hist_entry *f)
{
	return prover_prim(c->p, f->rule) == prim_token_product && c->a->token.n;
}

/* At the sampled places, and at all. */
static const char *holds(struct certify_replay *r, const hist_entry *f, certify_limits l, enum certify_how *how)
{
	bool everywhere = l.everywhere;
	const char *why;

	l.everywhere = false;
	why = certify_firing(r->c->a, f, &l, how, r->s);
	return !why && everywhere ? holds_everywhere(r, f, l, how) : why;
}

static bool shown_before(void *ctx, eg_id x, eg_id y)
{
	return certify_shown(ctx, x, y);
}

static const char *by_numbers(struct certify_replay *r, const hist_entry *f, uint32_t firing, uint8_t *done)
{
	certifier *c = r->c;
	enum certify_how how;
	const char *why;
	certify_limits l = c->l;

	l.shown = shown_before;
	l.ctx = r;
	if (!*done) {
		if (!prover_computes(c->p, f->rule))	/* a pattern: nobody vouches for it */
			l.wild = l.everywhere = true;
		do
			why = holds(r, f, l, &how);
		while (why && l.wild && more_facts(r));
		if (why && l.wild) {
			l.wild = false;
			why = holds(r, f, l, &how);
			how = !takes_token(c, f) ? CERTIFY_FINITE : how == CERTIFY_OVER ? how : CERTIFY_READING;
		}
		if (why && reading_of(c->p, firing, r->s)) {
			l.rounding = READING_ROUNDING;
			why = holds(r, f, l, &how);
			how = how == CERTIFY_OVER ? how : CERTIFY_READING;
		}
		if (why)
			return why;
		*done = (uint8_t)(1 + how);
		if (how == CERTIFY_OVER && !prover_computes(c->p, f->rule)) {
			*done = 0;
			return "it is too large to be compared by numbers, and the rule is a pattern, for which nothing else speaks";
		}
		if (how == CERTIFY_OVER && holds_of_digits(r, f, l))
			*done = 1 + CERTIFY_NUMBERS;
		else if (how == CERTIFY_OVER && (called_again(c, f) || (more_facts(r) && called_again(c, f))))
			*done = 1 + CERTIFY_AGAIN;
	}
	count(r->out, (enum certify_how)(*done - 1));
	return NULL;
}

static const char *check_firing(struct certify_replay *r, const eg_edge *e, uint8_t *done)
{
	const hist_entry *f;
	const char *why;

	if (e->firing >= history_count(r->c->a))
		return "there is no such firing";
	f = history_at(r->c->a, e->firing);
	r->out->rule = prover_rule_name(r->c->p, f->rule);
	r->out->firing = e->firing;
	if (e->a != f->node || e->b != f->result)
		return "the firing says something else";
	if ((why = premises_hold(r, f)))
		return why;
	if (e->kind == EG_GIVEN) {
		r->out->given++;
		return check_given(r, f, e->firing);
	}
	if (e->kind == EG_ASSUMED) {
		r->out->assumed++;
		return NULL;
	}
	if (f->rule == RULE_FALLBACK) {
		r->out->fallback++;
		return check_fallback(r, f);
	}
	r->out->inductions += is_induction(r->c->a, f);
	return by_numbers(r, f, e->firing, done);
}

static const char *check_union(struct certify_replay *r, const eg_edge *e, uint8_t *done)
{
	const char *why;

	r->out->firing = NIL;
	r->out->rule = NULL;
	r->out->steps++;
	if (e->kind == EG_CONGRUENCE) {
		r->out->congruence++;
		why = congruent(r, e->a, e->b);
	} else {
		why = check_firing(r, e, done);
	}
	if (!why)
		join(r, e->a, e->b);
	return why;
}

static const char *check_edge(struct certify_replay *r, const explain_item *it)
{
	if (!it->edge || it->id >= eg_nedge(r->g))
		return "there is no such union";
	r->out->edge = it->id;
	return check_union(r, eg_get_edge(r->g, it->id), &VEC_AT(uint8_t, &r->c->done, it->id));
}

/* ---- entry */

certifier *certifier_new(prover *p, const certify_limits *l)
{
	certifier *c = calloc(1, sizeof *c);

	if (!c) {
		die_hook("out of memory");
		return NULL;
	}
	c->p = p;
	c->a = &p->a;
	c->g = p->g;
	if (l)
		c->l = *l;
	vec_init(&c->done, sizeof(uint8_t));
	return c;
}

void certifier_free(certifier *c)
{
	if (!c)
		return;
	vec_free(&c->done);
	free(c);
}

static void replay_open(struct certify_replay *r, certifier *c, certificate *out, arena *s)
{
	*r = (struct certify_replay){ .c = c, .g = c->g, .out = out, .s = s };
	memset(out, 0, sizeof *out);
	out->edge = out->firing = NIL;
	vec_init(&r->up, sizeof(uint32_t));
}

static bool certify_one(struct certify_replay *r, eg_id x, eg_id y)
{
	explanation e = proof_of(r->c->a, x, y, r->s);
	certificate *out = r->out;
	uint32_t i;

	for (i = 0; i < e.n && !out->why; i++)
		if (!e.item[i].edge || e.item[i].id >= eg_nedge(r->g) ||
		    !same(r, eg_get_edge(r->g, e.item[i].id)->a, eg_get_edge(r->g, e.item[i].id)->b))
			out->why = check_edge(r, &e.item[i]);
	if (out->why)
		return false;
	if (same(r, x, y))
		return true;
	out->edge = out->firing = NIL;
	out->rule = NULL;
	out->why = "what was to be shown does not follow";
	return false;
}

static bool certify_pairs(certifier *c, uint32_t n, const eg_id (*pair)[2], certificate *out, arena *s)
{
	struct certify_replay r;
	bool ok = true;
	uint32_t k;

	replay_open(&r, c, out, s);
	while (c->done.n < eg_nedge(c->g))
		vec_push(&c->done);
	for (k = 0; k < n && ok; k++)
		ok = certify_one(&r, pair[k][0], pair[k][1]);
	vec_free(&r.up);
	return ok;
}

bool certify_equal(certifier *c, eg_id x, eg_id y, certificate *out, arena *s)
{
	const eg_id pair[1][2] = { { x, y } };

	return certify_pairs(c, 1, pair, out, s);
}

bool certify_goal(certifier *c, pair *q, const goal *g, certificate *out, arena *s)
{
	eg_id (*p)[2];
	uint32_t n;

	memset(out, 0, sizeof *out);
	if (!goal_met(q, g) || g->base_row < 0) {
		out->why = "the goal is not met";
		return false;
	}
	if (!(n = goal_claims(q, g, s, &p))) {
		out->why = "the goal cannot be built again";
		return false;
	}
	return certify_pairs(c, n, (const eg_id (*)[2])p, out, s);
}

/* ---- told from elsewhere */

certify_replay *certify_replay_new(certifier *c, certificate *out, arena *s)
{
	certify_replay *r = ARENA_NEW(s, certify_replay);

	replay_open(r, c, out, s);
	return r;
}

void certify_replay_free(certify_replay *r)
{
	if (r)
		vec_free(&r->up);
}

void certify_replay_learn(certify_replay *r, bool (*learn)(void *ctx), void *ctx)
{
	r->learn = learn;
	r->ctx = ctx;
}

const char *certify_tell(certify_replay *r, const eg_edge *e)
{
	arena_mark m = arena_at(r->s);
	uint8_t done = 0;
	const char *why;

	if (e->kind != EG_RULE && e->kind != EG_CONGRUENCE)
		return "only rules and congruences can be told";
	why = check_union(r, e, &done);
	arena_reset(r->s, m);
	return why;
}

void certify_grant(certify_replay *r, const eg_edge *e)
{
	r->out->steps++;
	if (e->kind == EG_ASSUMED)
		r->out->assumed++;
	else
		r->out->given++;
	join(r, e->a, e->b);
}

bool certify_shown(certify_replay *r, eg_id x, eg_id y)
{
	return same(r, x, y) || !congruent(r, x, y);
}

const char *certify_built(certify_replay *r, eg_id n, uint32_t narg, const eg_id *arg)
{
	uint32_t k;

	if (narg != eg_narg(r->g, n))
		return "a built node has another number of operands";
	for (k = 0; k < narg; k++)
		if (!same(r, eg_args(r->g, n)[k], arg[k]))
			return "an argument of a built node was not shown to be the one written";
	return NULL;
}
