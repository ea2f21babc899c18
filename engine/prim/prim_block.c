/* prim_block.c - a mask that holds in one block of a summed run only (N21): attention within chunks, pooling as a matrix. */
#include "prim/prim.h"

#include "core/mask.h"

/* The first and the last place of a row that count; false when none does. */
static bool row_span(const struct grid *g, int64_t row, int64_t *first, int64_t *last)
{
	const double *v = g->v + row * g->size;
	int64_t c;

	for (c = 0; c < g->size && v[c] == 0; c++)
		;
	*first = c;
	for (c = g->size; c-- > *first && v[c] == 0; )
		;
	*last = c;
	return *first < g->size;
}

/* The size of the least blocks of the run of which each row has one with all that counts in it, and which; 0: there are none. */
static int64_t block_size(algebra *a, const struct grid *g, int64_t **block, bool **hit)
{
	int64_t *first = ARENA_ARRAY(&a->s.a, int64_t, g->rows), *last = ARENA_ARRAY(&a->s.a, int64_t, g->rows), low, r;

	*hit = ARENA_ARRAY(&a->s.a, bool, g->rows);
	for (r = 0; r < g->rows; r++)
		if (!((*hit)[r] = row_span(g, r, &first[r], &last[r])))
			first[r] = last[r] = 0;
	for (low = 2; low <= g->size / 2; low++) {
		if (g->size % low)
			continue;
		for (r = 0; r < g->rows && first[r] / low == last[r] / low; r++)
			;
		if (r < g->rows)
			continue;
		for (r = 0; r < g->rows; r++)
			first[r] /= low;
		*block = first;
		return low;
	}
	return 0;
}

/* The run takes the places of its row's block: a mask over them, and where they are. */
static double *mask_of_blocks(algebra *a, const struct grid *g, int64_t low, const int64_t *block, int64_t *place)
{
	double *v = ARENA_ARRAY(&a->s.a, double, g->rows * low);
	int64_t r, c;

	for (r = 0; r < g->rows; r++)
		for (c = 0; c < low; c++) {
			place[r * low + c] = block[r] * low + c;
			v[r * low + c] = g->v[r * g->size + place[r * low + c]];
		}
	return v;
}

static eg_id block_by(algebra *a, eg_id n, masked *m)
{
	label *bl[LEAVES], *mine[LEAVES];
	int64_t *block, *place, low;
	struct runs r;
	struct grid g;
	double *v;
	bool *hit;
	int nb, i;

	(void)n;
	find_runs(m->w, bound_read_by(&a->s, m->w, &m->w->slot[m->tab], bl, &nb, mine), mine, &r);
	for (i = 0; i < r.n; i++) {
		grid_of(a, &m->w->slot[m->tab], r.len[i], r.l[i], &g);
		if (!g.nrest || data_reads(a, g.nrest, g.rest, r.len[i], r.l[i]) || !(low = block_size(a, &g, &block, &hit)))
			continue;
		if (!slots_finite(a, m->w->nslot, m->w->slot))
			return refuse(a, "zero times a tensor that may be infinite");
		fill_rows(g.nrest, g.rest, g.rows, block, hit);
		place = ARENA_ARRAY(&a->s.a, int64_t, g.rows * low);
		v = mask_of_blocks(a, &g, low, block, place);
		masked_recount(a, m, &g, r.len[i], r.l[i], low, place, v);
		return work_result(a, m->w);
	}
	return NIL;
}

/* N21 for blocks: all that counts of a row stands in one block of a summed run, sum_{k, l} K(a, k, l) x[k, l] = sum_l K(a, B(a), l)
 * x[B(a), l]. */
eg_id prim_mask_one_block(algebra *a, eg_id n)
{
	return masked_each(a, n, block_by);
}
