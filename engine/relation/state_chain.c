/* Rows chained by the core they hold, while classes merge. */
#include "relation/state_in.h"

#include <stdlib.h>
#include <string.h>

static struct chain_of_rows *chain_at(struct side *d, eg_id root)
{
	if (root >= d->chain.n)
		vec_push_n(&d->chain, root + 1 - d->chain.n);
	return &VEC_AT(struct chain_of_rows, &d->chain, root);
}

const struct chain_of_rows *state_chain(const struct side *d, eg_id root)
{
	static const struct chain_of_rows none = { 0, 0 };

	return root < d->chain.n ? &VEC_AT(struct chain_of_rows, &d->chain, root) : &none;
}

static void set_chain(states *s, struct side *d, eg_id root, struct chain_of_rows to)
{
	struct chain_of_rows *c = chain_at(d, root);

	state_keep(s, c, sizeof *c);
	*c = to;
}

static void set_next(states *s, struct side *d, int row, int32_t to)
{
	trail_set32(&s->log, (uint32_t *)&d->next[row], (uint32_t)to);
}

static void set_core(states *s, struct side *d, int row, eg_id to)
{
	trail_set32(&s->log, &d->core[row], to);
}

/* Two chains in program order become one: stretches that come before all that is left of the other are moved as a whole. */
static struct chain_of_rows merged(states *s, struct side *d, struct chain_of_rows x, struct chain_of_rows y)
{
	struct chain_of_rows r = { 0, 0 };

	while (x.first || y.first) {
		bool first = !y.first || (x.first && x.first < y.first);
		struct chain_of_rows *f = first ? &x : &y, *other = first ? &y : &x;
		if (r.last)
			set_next(s, d, r.last - 1, f->first);
		else
			r.first = f->first;
		r.last = !other->first || f->last < other->first ? f->last : f->first;
		f->first = r.last == f->last ? 0 : d->next[f->first - 1];
	}
	return r;
}

static void join(states *s, struct side *d, eg_id into, eg_id from)
{
	set_chain(s, d, into, merged(s, d, *chain_at(d, into), *chain_at(d, from)));
	set_chain(s, d, from, (struct chain_of_rows){ 0, 0 });
}

static void chain_row(states *s, enum program_side side, int row)
{
	struct side *d = &s->side[side];
	bool whole = side == SIDE_DIST || pair_row(s->q, side, row)->trips == 1;
	eg_id core = whole ? row_core(s->q, side, row) : NIL, root;

	set_next(s, d, row, 0);
	set_core(s, d, row, core);
	if (core == NIL)
		return;
	root = eg_root(s->q->p->g, core);
	set_chain(s, d, root, merged(s, d, *chain_at(d, root), (struct chain_of_rows){ row + 1, row + 1 }));
}

static void unchain_row(states *s, enum program_side side, int row)
{
	struct side *d = &s->side[side];
	eg_id root = eg_root(s->q->p->g, d->core[row]);
	struct chain_of_rows c = *chain_at(d, root);
	int32_t before = 0, i;

	for (i = c.first; i && i != row + 1; i = d->next[i - 1])
		before = i;
	if (!i)
		return;
	if (before)
		set_next(s, d, before - 1, d->next[row]);
	else
		c.first = d->next[row];
	if (c.last == row + 1)
		c.last = before;
	set_chain(s, d, root, c);
}

static void mark_chain(states *s, eg_id root)
{
	int32_t r;

	for (r = state_chain(&s->side[SIDE_DIST], root)->first; r; r = s->side[SIDE_DIST].next[r - 1])
		state_dirty(s, r - 1);
}

/* The chains of a class that has grown become one. */
static void join_class(states *s, eg_id r)
{
	const egraph *g = s->q->p->g;
	bool moved = false;
	eg_id m;
	int i;

	for (m = eg_next_in_class(g, r); m != r; m = eg_next_in_class(g, m))
		for (i = 0; i < 2; i++)
			if (state_chain(&s->side[i], m)->first) {
				join(s, &s->side[i], r, m);
				moved = true;
			}
	if (moved)
		mark_chain(s, r);
}

/* The cell of a row in a class that has grown may be another. */
static void look_at_rows(states *s, eg_id r)
{
	const egraph *g = s->q->p->g;
	enum program_side side;
	eg_id m = r, cell;
	int row;

	do {
		if (core_kind(&s->q->p->a, m) == C_TENSOR && pair_row_of(s->q, m, &side, &row)) {
			struct side *d = &s->side[side];
			cell = row_cell(s->q, side, row);
			if (d->core[row] != NIL && cell != NIL && eg_root(g, eg_args(g, cell)[0]) == eg_root(g, d->core[row])) {
				set_core(s, d, row, eg_args(g, cell)[0]);
			} else {
				if (d->core[row] != NIL)
					unchain_row(s, side, row);
				chain_row(s, side, row);
			}
			if (side == SIDE_DIST)
				state_dirty(s, row);
		}
		m = eg_next_in_class(g, m);
	} while (m != r);
}

/* So may that of a row one of whose forms is on a core that has grown: it is read through a view now, or comes first. */
static void look_at_forms(states *s, eg_id core)
{
	const egraph *g = s->q->p->g;
	eg_use u;
	bool more;

	for (more = eg_use_first(g, core, &u); more; more = eg_use_next(g, &u))
		if (core_kind(&s->q->p->a, u.owner) == C_LAID)
			look_at_rows(s, eg_root(g, u.owner));
}

static int by_id(const void *x, const void *y)
{
	const eg_id *a = x, *b = y;

	return (*a > *b) - (*a < *b);
}

/* First all chains are brought to the roots that classes have now: only then can one be looked up by its core. */
void state_follow_edges(states *s, uint32_t from, uint32_t to)
{
	const egraph *g = s->q->p->g;
	eg_id *root = malloc(sizeof *root * (to - from + 1));
	uint32_t i, n = 0;

	if (!root)
		die_hook("out of memory");
	for (i = from; i < to; i++)
		root[i - from] = eg_root(g, eg_get_edge(g, i)->a);
	qsort(root, to - from, sizeof *root, by_id);
	for (i = 0; i < to - from; i++)
		if (!n || root[n - 1] != root[i])
			root[n++] = root[i];
	for (i = 0; i < n; i++)
		join_class(s, root[i]);
	for (i = 0; i < n; i++) {
		look_at_rows(s, root[i]);
		look_at_forms(s, root[i]);
	}
	free(root);
}

void state_follow_rows(states *s, int from, int to)
{
	int nb = s->q->base->nrow, i;

	for (i = from; i < to; i++) {
		enum program_side side = i < nb ? SIDE_BASE : SIDE_DIST;
		int row = i < nb ? i : i - nb;
		if (row >= s->side[side].p->nrow)
			break;
		if (s->side[side].core[row] == NIL)
			chain_row(s, side, row);
		if (side == SIDE_DIST)
			state_dirty(s, row);
	}
}

void state_chain_anew(states *s)
{
	int i, k;

	for (i = 0; i < 2; i++) {
		struct side *d = &s->side[i];
		if (d->chain.n)
			memset(d->chain.base, 0, sizeof(struct chain_of_rows) * d->chain.n);
		for (k = 0; k < d->p->nrow; k++)
			chain_row(s, (enum program_side)i, k);
	}
}
