#include "plan/shape_chains.h"

#include <string.h>
#include "util/arena.h"
#include "util/integers.h"

enum { MAX_RANK = 32, MAX_ORDERED = 4, TRIES = 1 << 14 };
enum { NOWHERE = -1, PARTS = -2 };	/* instead of the dimension an axis divides */

struct making {
	arena *a;
	const mesh *ms;
	const row *b, *d;
	int order[MAX_RANK];	/* dimension k of the transposed baseline value is order[k] of it */
	bool ordered;		/* .. not as they are */
	bool parts, reshaped;	/* make those that leave parts of a sum; those that take another shape */
	int *dim_of;		/* per axis: the dimension it divides */
	int64_t left[MAX_RANK];	/* per dimension: axes that divide it further divide this */
	int64_t ratio;		/* .. and all of them this; 0: that goes without saying */
	int tries;		/* ways to place all axes that are still looked at */
	struct shape_chains *out;
};

static void add_text(struct making *m, chain *c, const char *text)
{
	c->text = arena_printf(m->a, "%s%s%s", c->text, *c->text ? " " : "", text);
}

static const char *list_text(arena *a, int n, const int64_t *v)
{
	char *t = arena_strdup(a, "");
	int k;

	for (k = 0; k < n; k++)
		t = arena_printf(a, "%s%s%lld", t, k ? "," : "", (long long)v[k]);
	return t;
}

static void add_order(struct making *m, chain *c, chain_step *step)
{
	int64_t *v = ARENA_ARRAY(m->a, int64_t, m->b->rank);
	int k;

	for (k = 0; k < m->b->rank; k++)
		v[k] = m->order[k];
	step[c->n++] = (chain_step){ .kind = CHAIN_TRANSPOSE, .n = m->b->rank, .v = v, .scale = RAT_ONE };
	add_text(m, c, arena_printf(m->a, "transpose(%s)", list_text(m->a, m->b->rank, v)));
}

static void add_shape(struct making *m, chain *c, chain_step *step)
{
	step[c->n++] = (chain_step){ .kind = CHAIN_RESHAPE, .n = m->d->rank, .v = m->d->dim, .scale = RAT_ONE };
	add_text(m, c, arena_printf(m->a, "reshape(%s)", list_text(m->a, m->d->rank, m->d->dim)));
}

/* The axes that divide a dimension, or with `parts` those that leave parts; false: one does not divide. */
static bool add_axes(struct making *m, chain *c, chain_step *step, bool parts, int64_t *left)
{
	int k;

	for (k = 0; k < m->ms->n; k++) {
		int dim = m->dim_of[k];
		if (dim == NOWHERE || (dim == PARTS) != parts)
			continue;
		if (m->ms->axis[k].size == 1 || (!parts && left[dim] % m->ms->axis[k].size))
			return false;
		if (!parts)
			left[dim] /= m->ms->axis[k].size;
		step[c->n++] = (chain_step){ .kind = parts ? CHAIN_PARTIAL : CHAIN_SHARD, .axis = k, .dim = parts ? 0 : dim,
					     .op = parts ? "add" : NULL, .scale = RAT_ONE };
		add_text(m, c, parts ? arena_printf(m->a, "%s:P(sum)", m->ms->axis[k].name)
				     : arena_printf(m->a, "%s:S(%d)", m->ms->axis[k].name, dim));
	}
	return true;
}

static bool as_many(const row *d, int rank, const int64_t *dim)
{
	return integers_product(dim, rank) == row_elements(d);
}

/* The chain in which axis k divides dimension dim_of[k]; false where it does not give the shape of d. */
static bool add_chain(struct making *m)
{
	chain_step *step = ARENA_ARRAY(m->a, chain_step, m->ms->n + 2);
	chain c = { 0, step, "" };
	int64_t left[MAX_RANK];
	bool same;
	int k;

	for (k = 0; k < m->b->rank; k++)
		left[k] = m->b->dim[m->order[k]];
	if (m->ordered)
		add_order(m, &c, step);
	if (!add_axes(m, &c, step, false, left))
		return false;
	same = m->b->rank == m->d->rank && !memcmp(left, m->d->dim, sizeof *left * (size_t)m->d->rank);
	if (m->reshaped ? same || !as_many(m->d, m->b->rank, left) : !same)
		return false;
	if (m->reshaped)
		add_shape(m, &c, step);
	if (!add_axes(m, &c, step, true, left))
		return false;
	if (!c.n)
		c.text = "R";
	m->out->c[m->out->n++] = c;
	return true;
}

static void try_placing(struct making *m)
{
	arena_mark mark = arena_at(m->a);
	bool any = false;
	int k;

	m->tries--;
	for (k = 0; k < m->ms->n; k++)
		any = any || m->dim_of[k] == PARTS;
	if (any != m->parts || !add_chain(m))
		arena_reset(m->a, mark);
}

/* Every way to place the axes from number `ax` on. */
static void place(struct making *m, int ax)
{
	int64_t size, left, ratio = m->ratio;
	int k;

	if (m->out->n == SHAPE_CHAINS || !m->tries)
		return;
	if (ax == m->ms->n) {
		try_placing(m);
		return;
	}
	size = m->ms->axis[ax].size;
	for (k = m->parts ? PARTS : NOWHERE; k < m->b->rank; k++) {
		m->dim_of[ax] = k;
		left = k < 0 ? size : m->left[k];
		if (k != NOWHERE && (size == 1 || left % size || (k >= 0 && ratio % size)))
			continue;
		if (k >= 0) {
			m->left[k] = left / size;
			m->ratio = ratio / size;
		}
		place(m, ax + 1);
		if (k >= 0)
			m->left[k] = left;
		m->ratio = ratio;
	}
}

/* What the axes have to divide the dimensions by; false: no axes make the shape of d. */
static bool set_out(struct making *m)
{
	int64_t nb = row_elements(m->b), nd = row_elements(m->d);
	int k;

	m->ratio = 0;
	if (!m->reshaped && m->b->rank != m->d->rank)
		return false;
	if (m->reshaped && nd) {
		m->ratio = nb / nd;
		if (nb % nd)
			return false;
	}
	for (k = 0; k < m->b->rank; k++) {
		int64_t dim = m->b->dim[m->order[k]], to = m->reshaped || !m->d->dim[k] ? 1 : m->d->dim[k];
		m->left[k] = dim / to;
		if (dim % to)
			return false;
	}
	return true;
}

static void place_all(struct making *m)
{
	if (!set_out(m))
		return;
	m->parts = false;
	place(m, 0);
	m->parts = m->d->type != T_PRED;
	if (m->parts)
		place(m, 0);
}

/* Orders of the dimensions that are not 1, which stand from `at` on; as they are: not again. */
static void order_all(struct making *m, int at)
{
	int k, was = m->order[at];
	bool moved = false;

	if (at == m->b->rank) {
		for (k = 1; k < m->b->rank; k++)
			moved = moved || (m->order[k] < m->order[k - 1] && m->b->dim[m->order[k - 1]] > 1);
		if (moved)
			place_all(m);
		return;
	}
	if (m->b->dim[was] == 1) {
		order_all(m, at + 1);
		return;
	}
	for (k = at; k < m->b->rank; k++) {
		int other = m->order[k];
		memmove(m->order + at + 1, m->order + at, sizeof *m->order * (size_t)(k - at));
		m->order[at] = other;
		order_all(m, at + 1);
		memmove(m->order + at, m->order + at + 1, sizeof *m->order * (size_t)(k - at));
		m->order[k] = other;
	}
}

/* In order, those that are 1 before all others, if asked for; how many are not 1. */
static int start_order(struct making *m, bool ones_first)
{
	int k, n = 0, wide = 0;

	for (k = 0; k < m->b->rank && ones_first; k++)
		if (m->b->dim[k] == 1)
			m->order[n++] = k;
	for (k = 0; k < m->b->rank; k++)
		if (!ones_first || m->b->dim[k] != 1)
			m->order[n++] = k;
	for (k = 0; k < m->b->rank; k++)
		wide += m->b->dim[k] != 1;
	return wide;
}

struct shape_chains *shape_chains(arena *a, const mesh *ms, const row *b, const row *d)
{
	struct making m = { .a = a, .ms = ms, .b = b, .d = d, .out = ARENA_NEW(a, struct shape_chains) };
	int wide;

	if (b->type != d->type || b->rank > MAX_RANK || d->rank > MAX_RANK)
		return m.out;
	m.dim_of = ARENA_ARRAY(a, int, ms->n);
	m.tries = TRIES;
	start_order(&m, false);
	place_all(&m);
	m.out->nplain = m.out->n;
	for (m.reshaped = false; ; m.reshaped = true) {
		m.ordered = false;
		start_order(&m, false);
		if (m.reshaped)
			place_all(&m);
		m.ordered = true;
		wide = start_order(&m, true);
		if (wide > 1 && wide <= MAX_ORDERED)
			order_all(&m, 0);
		if (m.reshaped)
			return m.out;
	}
}
