#include "session/cut.h"

#include <stdlib.h>
#include <string.h>
#include "interp/interp.h"
#include "session/session_in.h"

enum { MOST_OPENED = 20000 };	/* cores that are run after all */

struct member { enum program_side side; int row; };

/* Rows of both programs that hold one core, as it is or as the states know: in another order, in parts, in blocks. */
struct class {
	eg_id core;
	int first, n;		/* in builder.member */
	bool fit;		/* it may be cut at */
	bool met, open;		/* something needs it; it is run */
};

struct builder {
	struct session *s;
	struct cut *c;
	arena a;
	const struct cut_wish *wish;
	program *p[2];
	int nclass;
	struct class *class;
	struct member *member;
	int *of[2];		/* row -> class, or -1 */
	bool *need[2], *run[2];
	double steps;
	vec todo;		/* struct member: rows to run whose operands are not looked at yet */
	vec met;		/* int: classes */
};

/* ---- cores */

struct held { eg_id core; struct member m; };

static int by_core(const void *x, const void *y)
{
	const struct held *a = x, *b = y;

	if (a->core != b->core)
		return a->core < b->core ? -1 : 1;
	return a->m.side != b->m.side ? (int)a->m.side - (int)b->m.side : a->m.row - b->m.row;
}

static const states *known(const struct builder *b)
{
	return session_states(b->s);
}

static bool base_core(const struct builder *b, int row, eg_id *root)
{
	layout l;
	eg_id core;

	if (!row_form(b->s->p->q, SIDE_BASE, row, &l, &core))
		return false;
	*root = eg_root(b->s->p->p->g, core);
	return true;
}

/* The core that a row of DIST stands for: the baseline's, if it is verified, else its own. */
static bool dist_core(const struct builder *b, int row, eg_id *root)
{
	layout l;
	eg_id core;
	holding h;

	if (state_holding(known(b), row, &h))
		return base_core(b, state_of(known(b), row)->base, root);
	if (!row_form(b->s->p->q, SIDE_DIST, row, &l, &core))
		return false;
	*root = eg_root(b->s->p->p->g, core);
	return true;
}

static int hold(const struct builder *b, struct held *h)
{
	int side, row, n = 0;
	eg_id root;

	for (side = 0; side < 2; side++)
		for (row = 0; row < b->p[side]->nrow; row++)
			if (side == SIDE_BASE ? base_core(b, row, &root) : dist_core(b, row, &root))
				h[n++] = (struct held){ root, { side, row } };
	return n;
}

static bool can_stop(const struct builder *b, const struct member *m)
{
	const row *r = &b->p[m->side]->row[m->row];
	const row_state *st = m->side == SIDE_DIST ? state_of(known(b), m->row) : NULL;
	holding h;

	return r->param < 0 && r->nop && etype_is_float((enum etype)r->type) && excerpt_has(b->c->part[m->side], m->row) &&
	       (!st || (!st->tainted && !st->constant && state_holding(known(b), m->row, &h)));
}

/* Both programs have it, and every row can be stopped at. */
static bool fits(const struct builder *b, const struct class *c)
{
	bool side[2] = { false, false };
	int k;

	for (k = c->first; k < c->first + c->n; k++) {
		if (!can_stop(b, &b->member[k]))
			return false;
		side[b->member[k].side] = true;
	}
	return side[SIDE_BASE] && side[SIDE_DIST];
}

static void find_classes(struct builder *b)
{
	int rows = b->p[0]->nrow + b->p[1]->nrow, n, k, side;
	struct held *h = ARENA_ARRAY(&b->a, struct held, rows);

	n = hold(b, h);
	qsort(h, (size_t)n, sizeof *h, by_core);
	b->class = arena_zalloc(&b->a, sizeof *b->class * (size_t)(n + 1));
	b->member = ARENA_ARRAY(&b->a, struct member, n);
	for (side = 0; side < 2; side++) {
		b->of[side] = ARENA_ARRAY(&b->a, int, b->p[side]->nrow);
		for (k = 0; k < b->p[side]->nrow; k++)
			b->of[side][k] = -1;
	}
	for (k = 0; k < n; k++) {
		if (!k || h[k].core != h[k - 1].core)
			b->class[b->nclass++] = (struct class){ .core = h[k].core, .first = k };
		b->class[b->nclass - 1].n++;
		b->member[k] = h[k].m;
		b->of[h[k].m.side][h[k].m.row] = b->nclass - 1;
	}
	for (k = 0; k < b->nclass && !b->wish->exact; k++)
		b->class[k].fit = fits(b, &b->class[k]);
}

/* ---- what is run */

static double steps_of(const struct builder *b, const struct member *m)
{
	return inst_work(b->p[m->side]->row[m->row].inst) * (double)b->p[m->side]->ndev;
}

static void run_row(struct builder *b, struct member m)
{
	if (b->run[m.side][m.row])
		return;
	b->run[m.side][m.row] = true;
	b->steps += steps_of(b, &m);
	*(struct member *)vec_push(&b->todo) = m;
}

static void need_row(struct builder *b, struct member m)
{
	int c = b->of[m.side][m.row];
	bool closed = c >= 0 && b->class[c].fit && !b->class[c].open;

	if (b->need[m.side][m.row])
		return;
	b->need[m.side][m.row] = true;
	if (closed && !b->class[c].met)
		*(int *)vec_push(&b->met) = c;
	if (closed)
		b->class[c].met = true;
	else
		run_row(b, m);
}

static void settle(struct builder *b)
{
	while (b->todo.n) {
		struct member m = VEC_AT(struct member, &b->todo, --b->todo.n);
		const row *r = &b->p[m.side]->row[m.row];
		int k;

		for (k = 0; k < r->nop; k++)
			need_row(b, (struct member){ m.side, r->op[k] });
	}
}

/* What running the rows of a class themselves takes. */
static double price(const struct builder *b, const struct class *c)
{
	double sum = 0;
	int k;

	for (k = c->first; k < c->first + c->n; k++)
		if (b->need[b->member[k].side][b->member[k].row])
			sum += steps_of(b, &b->member[k]);
	return sum;
}

static void open_class(struct builder *b, struct class *c)
{
	int k;

	c->open = true;
	for (k = c->first; k < c->first + c->n; k++)
		if (b->need[b->member[k].side][b->member[k].row])
			run_row(b, b->member[k]);
	settle(b);
}

/* The cheapest class that still is cut at, or NULL. */
static struct class *cheapest(struct builder *b, double *least)
{
	struct class *best = NULL;
	uint32_t k;

	for (k = 0; k < b->met.n; k++) {
		struct class *c = &b->class[VEC_AT(int, &b->met, k)];
		double x;

		if (c->open) {	/* no longer of interest */
			VEC_AT(int, &b->met, k) = VEC_AT(int, &b->met, b->met.n - 1);
			b->met.n--;
			k--;
			continue;
		}
		x = price(b, c);
		if (!best || x < *least) {
			best = c;
			*least = x;
		}
	}
	return best;
}

static void extend(struct builder *b)
{
	struct class *c;
	double more = 0;
	int k;

	for (k = 0; k < MOST_OPENED && (c = cheapest(b, &more)) && b->steps + more <= b->wish->quick; k++)
		open_class(b, c);
}

static void need_goal(struct builder *b, const goal *g)
{
	need_row(b, (struct member){ SIDE_BASE, g->base_row });
	need_row(b, (struct member){ SIDE_DIST, g->dist_row });
}

/* What is asked for is run: numbers drawn for it would say nothing. */
static void never_cut(struct builder *b, enum program_side side, int row)
{
	if (b->of[side][row] >= 0)
		b->class[b->of[side][row]].fit = false;
}

static void find_needed(struct builder *b)
{
	int side, k;

	for (side = 0; side < 2; side++) {
		b->need[side] = arena_zalloc(&b->a, (size_t)b->p[side]->nrow + 1);
		b->run[side] = arena_zalloc(&b->a, (size_t)b->p[side]->nrow + 1);
	}
	for (side = 0; side < 2; side++)
		for (k = 0; k < b->wish->n[side]; k++)
			if (cut_has(b->c, side, b->wish->row[side][k]))
				never_cut(b, side, b->wish->row[side][k]);
	for (side = 0; side < 2; side++)
		for (k = 0; k < b->wish->n[side]; k++)
			if (cut_has(b->c, side, b->wish->row[side][k]))
				need_row(b, (struct member){ side, b->wish->row[side][k] });
	for (k = 0; k < b->wish->ngoal; k++)
		need_goal(b, &b->s->p->q->goal[b->wish->goal[k]]);
	settle(b);
	extend(b);
}

/* ---- the problem */

static bool is_cut(const struct builder *b, int class)
{
	return class >= 0 && b->class[class].fit && b->class[class].met && !b->class[class].open;
}

static void want_goals(struct builder *b)
{
	int k;

	for (k = 0; k < b->wish->ngoal; k++) {
		const goal *g = &b->s->p->q->goal[b->wish->goal[k]];

		excerpt_want(b->c->part[SIDE_BASE], g->base_row);
		excerpt_want(b->c->part[SIDE_DIST], g->dist_row);
	}
}

static bool make_parts(struct builder *b, const module *m[2])
{
	int side, k;

	want_goals(b);
	for (side = 0; side < 2; side++) {
		for (k = 0; k < b->wish->n[side]; k++)
			if (cut_has(b->c, side, b->wish->row[side][k]))
				excerpt_want(b->c->part[side], b->wish->row[side][k]);
		for (k = 0; k < b->p[side]->nrow; k++)
			if (is_cut(b, b->of[side][k]))
				excerpt_stop(b->c->part[side], k);
		m[side] = excerpt_make(b->c->part[side]);
		if (!m[side])
			return false;
	}
	return true;
}

/* The global tensors of the cuts stand behind those of the inputs, in the order of the classes. */
static int add_globals(struct builder *b, int *global)
{
	numbers_problem *p = &b->c->setup->p;
	numbers_global *g = ARENA_ARRAY(&b->c->setup->a, numbers_global, p->nglobal + (int)b->met.n);
	int k, n = p->nglobal;

	if (n)
		memcpy(g, p->global, sizeof *g * (size_t)n);
	for (k = 0; k < b->nclass; k++) {
		const row *r = &b->p[b->member[b->class[k].first].side]->row[b->member[b->class[k].first].row];

		global[k] = -1;
		if (!is_cut(b, k))
			continue;
		global[k] = n;
		g[n++] = (numbers_global){ .type = (enum etype)r->type, .n = core_len(&b->s->p->p->a, b->class[k].core) };
	}
	p->global = g;
	p->nglobal = n;
	return n;
}

static void holds_index(void *ctx, int device, int64_t from, int64_t n, int64_t *index)
{
	const holding *h = ctx;
	int64_t k;

	for (k = 0; k < n; k++)
		index[k] = held_place(h, device, from + k);
}

/* Which part every device holds, and which devices make one whole. */
static void set_parts(struct builder *b, const holding *h, numbers_relation *r)
{
	const mesh *ms = &b->s->p->ms;
	int *part = ARENA_ARRAY(&b->c->setup->a, int, ms->ndev), *group = ARENA_ARRAY(&b->c->setup->a, int, ms->ndev), d, k, at;

	r->nparts = 1;
	for (k = 0; k < ms->n; k++)
		r->nparts *= h->axes >> k & 1 ? (int)ms->axis[k].size : 1;
	for (d = 0; d < ms->ndev; d++) {
		int inner = (int)ms->ndev, *to;

		for (part[d] = group[d] = k = 0; k < ms->n; k++) {
			inner /= (int)ms->axis[k].size;
			at = d / inner % (int)ms->axis[k].size;
			to = h->axes >> k & 1 ? &part[d] : &group[d];
			*to = *to * (int)ms->axis[k].size + at;
		}
	}
	r->fold = numbers_fold_of(h->op);
	r->part = part;
	r->group = group;
}

/* What a row at which its program is cut holds of its core's tensor. */
static numbers_relation cut_relation(struct builder *b, enum program_side side, int row, int global)
{
	holding *h = ARENA_NEW(&b->c->setup->a, holding);
	numbers_relation r = { .global = global, .scale = 1, .map = holds_index, .ctx = h };
	eg_id core;

	if (side == SIDE_BASE)
		row_form(b->s->p->q, side, row, &h->l, &core);
	else
		state_holding(known(b), row, h);
	if (h->op)
		set_parts(b, h, &r);
	return r;
}

static numbers_relation *relations(struct builder *b, enum program_side side, const module *m, const int *global, const numbers_relation *whole)
{
	numbers_relation *in = ARENA_ARRAY(&b->c->setup->a, numbers_relation, m->entry->nparam);
	int k;

	for (k = 0; k < m->entry->nparam; k++) {
		int input = excerpt_input(b->c->part[side], k), row = excerpt_stopped(b->c->part[side], k);

		in[k] = input >= 0 ? whole[input] : cut_relation(b, side, row, global[b->of[side][row]]);
		in[k].stream = input >= 0 ? input + 1 : -1 - in[k].global;	/* drawn as in a run of the whole */
	}
	return in;
}

/* The check of a goal, of all that the plan has; NULL: it is not compared. */
static const numbers_check *check_of(const struct numbers_setup *n, int goal)
{
	int k;

	for (k = 0; k < n->p.ncheck; k++)
		if (n->goal[k] == goal)
			return &n->p.check[k];
	return NULL;
}

static bool set_checks(struct builder *b)
{
	struct numbers_setup *n = b->c->setup;
	numbers_check *c = ARENA_ARRAY(&n->a, numbers_check, b->wish->ngoal);
	int *goal = ARENA_ARRAY(&n->a, int, b->wish->ngoal), k;

	for (k = 0; k < b->wish->ngoal; k++) {
		const numbers_check *of = check_of(n, b->wish->goal[k]);

		if (!of)
			return false;
		c[k] = *of;
		c[k].base.inst = c[k].dist.inst = NULL;
		c[k].base.leaf = c[k].dist.leaf = k;
		goal[k] = b->wish->goal[k];
	}
	n->p.check = c;
	n->p.ncheck = b->wish->ngoal;
	n->goal = goal;
	return true;
}

static int last_needed(const struct builder *b, const struct class *c, enum program_side side)
{
	int k, row = -1;

	for (k = c->first; k < c->first + c->n; k++)
		if (b->member[k].side == side && b->need[side][b->member[k].row])
			row = b->member[k].row;
	return row;
}

static void list_places(struct builder *b)
{
	int k;

	b->c->place = ARENA_ARRAY(&b->c->setup->a, struct cut_place, (int)b->met.n);
	for (k = 0; k < b->nclass; k++)
		if (is_cut(b, k))
			b->c->place[b->c->nplace++] = (struct cut_place){ last_needed(b, &b->class[k], SIDE_BASE),
									  last_needed(b, &b->class[k], SIDE_DIST) };
}

static void estimate(struct builder *b, const module *const m[2])
{
	int side;

	for (side = 0; side < 2; side++) {
		interp_cost x = interp_estimate(m[side], b->p[side]->ndev);

		b->c->steps += x.madds;
		b->c->bytes += x.bytes;
	}
}

static bool build(struct builder *b, const char **why)
{
	const module *m[2];
	int *global;

	find_classes(b);
	find_needed(b);
	if (b->steps > b->wish->steps || !make_parts(b, m)) {
		*why = b->steps > b->wish->steps ? "what is asked for takes too many steps, however it is cut" : "it cannot be taken out of the programs";
		return false;
	}
	estimate(b, m);
	if (b->c->steps > b->wish->steps) {
		*why = "what is asked for takes too many steps, however it is cut";
		return false;
	}
	global = ARENA_ARRAY(&b->a, int, b->nclass);
	add_globals(b, global);
	b->c->setup->p.base.input = relations(b, SIDE_BASE, m[SIDE_BASE], global, b->c->setup->p.base.input);
	b->c->setup->p.dist.input = relations(b, SIDE_DIST, m[SIDE_DIST], global, b->c->setup->p.dist.input);
	b->c->setup->p.base.m = m[SIDE_BASE];
	b->c->setup->p.dist.m = m[SIDE_DIST];
	list_places(b);
	*why = "an output that is asked for is not compared";
	return set_checks(b);
}

/* What the plan says of inner values is said of instructions, which the parts have copies of. */
static bool can_be_cut(const struct session *s, const struct numbers_setup *n, const char **why)
{
	int k;

	for (k = 0; k < n->p.nglobal; k++)
		if (n->p.global[k].inst) {
			*why = "the plan relates inputs to inner values of the baseline";
			return false;
		}
	if (n->p.nassumed)
		*why = "the plan assumes what inner values are";
	else if (s->p->base_in)
		*why = "the baseline is a distributed program";
	return !n->p.nassumed && !s->p->base_in;
}

struct cut *cut_new(struct session *s, const struct cut_wish *w, const char **why)
{
	struct builder b = { .s = s, .wish = w, .p = { s->p->base, s->p->dist } };
	bool ok;

	b.c = calloc(1, sizeof *b.c);
	if (!b.c)
		die_hook("out of memory");
	b.c->setup = numbers_setup(s->p, why);
	if (!b.c->setup || !can_be_cut(s, b.c->setup, why)) {
		cut_free(b.c);
		return NULL;
	}
	b.c->part[SIDE_BASE] = excerpt_new(s->p->base);
	b.c->part[SIDE_DIST] = excerpt_new(s->p->dist);
	arena_init(&b.a);
	vec_init(&b.todo, sizeof(struct member));
	vec_init(&b.met, sizeof(int));
	ok = build(&b, why);
	vec_free(&b.todo);
	vec_free(&b.met);
	arena_free(&b.a);
	if (ok)
		return b.c;
	cut_free(b.c);
	return NULL;
}

void cut_free(struct cut *c)
{
	if (!c)
		return;
	numbers_setup_free(c->setup);
	excerpt_free(c->part[SIDE_BASE]);
	excerpt_free(c->part[SIDE_DIST]);
	free(c);
}

bool cut_has(const struct cut *c, enum program_side side, int row)
{
	return excerpt_has(c->part[side], row);
}
