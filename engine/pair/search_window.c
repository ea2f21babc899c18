#include "pair/search_window.h"

#include <stdlib.h>
#include <string.h>
#include "core/layout.h"
#include "core/normal.h"
#include "pair/probe.h"

struct window_side {			/* of one program */
	const program *p;
	bool *live;		/* a goal that is not met is reached from the row through rows that are not related */
	int *behind;		/* how many rows in a row that are not related end here; 0: it is */
};

static eg_id row_core(const pair *q, const row *r)
{
	algebra *a = &q->p->a;
	eg_id c = r->tensor == NIL || r->tensor >= eg_nnode(a->g) ? NIL : laid_cell(a, r->tensor);

	return c == NIL ? NIL : eg_root(a->g, eg_args(a->g, c)[0]);
}

/* `both`: per class, a bit per program that has a row of it. */
static void count_behind(const pair *q, struct window_side *s, const uint8_t *both)
{
	const program *p = s->p;
	int i, k;

	for (i = 0; i < p->nrow; i++) {
		eg_id c = row_core(q, &p->row[i]);
		if (c != NIL && both[c] == 3)
			continue;
		for (k = 0; k < p->row[i].nop; k++)
			if (s->behind[p->row[i].op[k]] > s->behind[i])
				s->behind[i] = s->behind[p->row[i].op[k]];
		s->behind[i]++;
	}
}

static void mark_live(struct window_side *s)
{
	const program *p = s->p;
	int i, k;

	for (i = p->nrow - 1; i >= 0; i--)
		for (k = 0; k < p->row[i].nop && s->live[i] && s->behind[i]; k++)
			s->live[p->row[i].op[k]] = true;
}

static void take_stock(const pair *q, arena *out, struct window_side s[2])
{
	uint8_t *both = arena_zalloc(out, eg_nnode(q->p->g) + 1);
	int side, i;
	eg_id c;

	for (side = 0; side < 2; side++) {
		const program *p = s[side].p = side == SIDE_BASE ? q->base : q->dist;
		s[side].live = arena_zalloc(out, (size_t)p->nrow + 1);
		s[side].behind = arena_zalloc(out, sizeof(int) * ((size_t)p->nrow + 1));
		for (i = 0; i < p->nrow; i++)
			if ((c = row_core(q, &p->row[i])) != NIL)
				both[c] |= (uint8_t)(1 << side);
	}
	for (i = 0; i < q->ngoal; i++)
		if (q->goal[i].compared && !goal_met(q, &q->goal[i])) {
			s[SIDE_BASE].live[q->goal[i].base_row] = true;
			s[SIDE_DIST].live[q->goal[i].dist_row] = true;
		}
	for (side = 0; side < 2; side++) {
		count_behind(q, &s[side], both);
		mark_live(&s[side]);
	}
}

bool window_long(const pair *q)
{
	struct window_side s[2];
	arena scratch;
	bool is = false;
	int i;

	arena_init(&scratch);
	take_stock(q, &scratch, s);
	for (i = 0; i < q->dist->nrow && !is; i++)
		is = s[SIDE_DIST].live[i] && s[SIDE_DIST].behind[i] > WINDOW_LONG;
	arena_free(&scratch);
	return is;
}

/* ---- the window */

/* The nodes that were made when a row was lifted go with it: rows are lifted in order, parameters before all. */
static void mark_outside(const struct window_side s[2], int deep, uint32_t nnode, uint8_t *outside)
{
	uint32_t from = 0;
	bool inside = false;
	int side, i;

	for (side = 0; side < 2; side++)
		for (i = 0; i < s[side].p->nrow; i++) {
			eg_id t = s[side].p->row[i].tensor;
			if (t == NIL || t >= nnode || t < from)
				continue;
			memset(outside + from, !inside, t - from);
			from = t;
			inside = s[side].live[i] && s[side].behind[i] && s[side].behind[i] <= deep;
		}
	memset(outside + from, !inside, nnode - from);
}

/* The marks of a window as deep as that. */
static const uint8_t *outside_of(const pair *q, const struct window_side s[2], int deep, arena *out)
{
	uint32_t n = eg_nnode(q->p->g);
	uint8_t *outside = arena_zalloc(out, n + 1);

	mark_outside(s, deep, n, outside);
	return outside;
}

static const uint8_t *outside_now(pair *q)
{
	const uint8_t *outside;
	struct window_side s[2];
	arena scratch;

	arena_init(&scratch);
	take_stock(q, &scratch, s);
	outside = outside_of(q, s, WINDOW_DEEP, &q->a);
	arena_free(&scratch);
	return outside;
}

void window_set(pair *q)
{
	normal_limit(&q->p->a, outside_now(q), eg_nnode(q->p->g));
}

/* Asks the nodes that were outside, and are not any longer. */
static bool widen(algebra *a, const uint8_t *outside, uint32_t n)
{
	uint8_t *in = malloc(n + 1);
	bool any = false;
	uint32_t i;

	if (!in) {
		die_hook("out of memory");
		return false;
	}
	for (i = 0; i < n; i++)
		in[i] = normal_outside(a, i) && !(outside && outside[i]) && !eg_dead(a->g, i);
	normal_limit(a, outside, n);
	for (i = 0; i < n; i++)
		if (in[i]) {
			normal_ask(a, i);
			any = true;
		}
	free(in);
	return any;
}

bool window_move(pair *q)
{
	return widen(&q->p->a, outside_now(q), eg_nnode(q->p->g));
}

void window_drop(pair *q)
{
	widen(&q->p->a, NULL, eg_nnode(q->p->g));
}

/* ---- the same behind */

/* The rows read the same cores in the same order. */
static bool read_alike(const pair *q, const row *b, const row *d)
{
	int k;

	if (strcmp(b->family, d->family) || b->nop != d->nop || b->type != d->type || b->rank != d->rank || !d->nop)
		return false;
	for (k = 0; k < d->nop; k++) {
		eg_id x = row_core(q, &q->base->row[b->op[k]]), y = row_core(q, &q->dist->row[d->op[k]]);
		if (x == NIL || x != y)
			return false;
	}
	return true;
}

/* The chain in which every dimension of d that is smaller than b's is divided by one axis of its own; false: there is none. */
static bool chain_by_shapes(const pair *q, const row *b, const row *d, arena *out, chain *c)
{
	chain_step *step = ARENA_ARRAY(out, chain_step, d->rank);
	uint32_t used = 0;
	int k, ax, n = 0;

	for (k = 0; k < d->rank; k++) {
		if (b->dim[k] == d->dim[k])
			continue;
		for (ax = 0; ax < q->ms.n; ax++)
			if (!(used >> ax & 1) && d->dim[k] * q->ms.axis[ax].size == b->dim[k])
				break;
		if (ax == q->ms.n)
			return false;
		used |= 1u << ax;
		step[n++] = (chain_step){ .kind = CHAIN_SHARD, .axis = ax, .dim = k, .scale = RAT_ONE };
	}
	*c = (chain){ n, step, "by its shape" };
	return true;
}

/* Row i of DIST, where the programs part, is assumed to be a baseline row that takes the same. */
static bool assume_row(pair *q, const struct window_side s[2], int i, arena *out)
{
	const row *d = &q->dist->row[i];
	uint32_t firing;
	chain c;
	int k;

	for (k = 0; k < q->base->nrow; k++)
		if (s[SIDE_BASE].live[k] && s[SIDE_BASE].behind[k] && read_alike(q, &q->base->row[k], d) &&
		    chain_by_shapes(q, &q->base->row[k], d, out, &c) && !pair_assume(q, k, i, &c, &firing))
			return true;
	return false;
}

/* The rows at which the programs part are assumed to correspond; false: none can be. */
static bool assume_fronts(pair *q, const struct window_side s[2], arena *out)
{
	bool any = false;
	int i;

	for (i = 0; i < q->dist->nrow; i++)
		if (s[SIDE_DIST].live[i] && s[SIDE_DIST].behind[i] == 1)
			any = assume_row(q, s, i, out) || any;
	return any;
}

/* What was at most WINDOW_SHOWN steps behind, and a goal hangs on it, is related now. */
static bool meet_again(const pair *q, const struct window_side before[2], arena *out)
{
	struct window_side s[2];
	int i;

	take_stock(q, out, s);
	for (i = 0; i < q->dist->nrow; i++)
		if (s[SIDE_DIST].live[i] && s[SIDE_DIST].behind[i] && before[SIDE_DIST].behind[i] <= WINDOW_SHOWN)
			return false;
	return true;
}

enum { FOLLOWED = 10000 };	/* firings it may take */

bool window_explains(pair *q)
{
	struct window_side s[2];
	arena scratch;
	probe p;
	bool is;

	if (!probe_begin(&p, q))
		return false;
	arena_init(&scratch);
	take_stock(q, &scratch, s);
	normal_limit(&q->p->a, outside_of(q, s, WINDOW_SHOWN, &q->a), eg_nnode(q->p->g));
	is = assume_fronts(q, s, &scratch) && prover_run(q->p, FOLLOWED) && meet_again(q, s, &scratch);
	probe_end(&p);
	arena_free(&scratch);
	return is;
}
