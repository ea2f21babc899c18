#include "reorder.h"

#include <stdlib.h>
#include <string.h>

/* Places are marked one by one up to here; beyond, products of shards are taken to hold different ones. */
#define MARK_MAX ((int64_t)1 << 18)

static int next_block(const states *s, int row)
{
	return state_next_bit(s->block, row, s->q->dist->nrow);
}

static eg_id core_root(const states *s, int row)
{
	return eg_root(s->q->p->g, s->answer[row].core);
}

/* Every place of the baseline row's core, by the maps of all its blocks? */
static bool places_covered(const states *s, int base, int64_t len)
{
	uint8_t *hit = calloc((size_t)len, 1);
	int64_t left = len, at, i;
	int k;

	if (!hit)
		die_hook("out of memory");
	for (k = next_block(s, 0); k < s->q->dist->nrow; k = next_block(s, k + 1)) {
		const struct answer *w = &s->answer[k];
		if (w->base != base)
			continue;
		for (i = 0; i < core_len(&s->q->p->a, w->core); i++)
			if ((at = reorder_map_at(w->map, i)) >= 0 && at < len && !hit[at]) {
				hit[at] = 1;
				left--;
			}
	}
	free(hit);
	return left == 0;
}

static bool counted_before(const states *s, int row)
{
	int i;

	for (i = next_block(s, 0); i < row; i = next_block(s, i + 1))
		if (s->answer[i].base == s->answer[row].base && core_root(s, i) == core_root(s, row))
			return true;
	return false;
}

static bool lengths_covered(const states *s, int base, int64_t len)
{
	int64_t held = 0;
	int k;

	for (k = next_block(s, 0); k < s->q->dist->nrow; k = next_block(s, k + 1))
		if (s->answer[k].base == base && opcode_class(pair_row(s->q, SIDE_DIST, k)->inst->opcode) == 'k' && !counted_before(s, k))
			held += core_len(&s->q->p->a, s->answer[k].core);
	return held >= len;
}

static bool covered(const states *s, int base)
{
	int64_t len = core_len(&s->q->p->a, s->side[SIDE_BASE].core[base]);

	return len <= MARK_MAX ? places_covered(s, base, len) : lengths_covered(s, base, len);
}

static void cover(states *s, int row)
{
	state_keep(s, &s->answer[row], sizeof s->answer[row]);
	s->answer[row].covered = true;
	state_dirty(s, row);
}

bool blocks_find_covered(states *s)
{
	int n = s->q->dist->nrow, i, k;
	bool any = false;

	for (i = next_block(s, 0); i < n; i = next_block(s, i + 1)) {
		if (s->answer[i].covered || !covered(s, s->answer[i].base))
			continue;
		for (k = i; k < n; k = next_block(s, k + 1))
			if (s->answer[k].base == s->answer[i].base && !s->answer[k].covered)
				cover(s, k);
		any = true;
	}
	return any;
}
