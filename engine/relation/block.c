#include "relation/block.h"

#include <stdlib.h>
#include "pair/carry.h"
#include "relation/places.h"
#include "relation/reorder_in.h"

/* ---- is a row a block? */

static int block_operand(const states *s, int row)
{
	const struct row *r = pair_row(s->q, SIDE_DIST, row);
	int k;

	for (k = 0; k < r->nop; k++)
		if (s->rs[r->op[k]].kind == STATE_BLOCK)
			return k;
	return -1;
}

struct weight {
	digit d;
	int64_t w;
	int which;		/* 0: of the device, 1: of the local place */
};

static int by_digit_stride(const void *x, const void *y)
{
	const struct weight *p = x, *q = y;

	return p->d.stride > q->d.stride ? -1 : p->d.stride < q->d.stride;
}

static int weights(const digit *d, int n, int which, struct weight *w)
{
	int64_t v = 1;
	int k, m = 0;

	for (k = n - 1; k >= 0; v *= d[k--].size)
		if (d[k].stride)
			w[m++] = (struct weight){ d[k], v, which };
	return m;
}

/* Where a place of the core lies: device and local place; what does not bind a digit of it is 0. */
static void lies_at(scratch *s, const layout *l, const ix *place, ix *at[2])
{
	struct weight *w = ARENA_ARRAY(&s->a, struct weight, l->nd + l->nl);
	int n = weights(l->dev, l->nd, 0, w), k;
	int64_t *size;
	ix **digit;

	n += weights(l->loc, l->nl, 1, w + n);
	qsort(w, (size_t)n, sizeof *w, by_digit_stride);
	size = ARENA_ARRAY(&s->a, int64_t, n);
	for (k = 0; k < n; k++)
		size[k] = w[k].d.size;
	digit = ix_digits(s, place, n, size);
	at[0] = ix_const(s, 0);
	at[1] = ix_const(s, 0);
	for (k = 0; k < n; k++)
		at[w[k].which] = ix_add(s, at[w[k].which], ix_times(s, digit[k], w[k].w));
}

/* An elementwise row holds of the baseline's row what its operand number k holds of that row's operand. */
static __attribute__((noinline)) void carry_map(states *s, int row, int base, int k, struct guess *g)
{
	algebra *a = &s->q->p->a;
	int o = pair_row(s->q, SIDE_DIST, row)->op[k];
	layout l, lo, b, bo;
	eg_id x;
	ix *at[2], *e;

	row_form(s->q, SIDE_DIST, row, &l, &x);
	row_form(s->q, SIDE_DIST, o, &lo, &x);
	row_form(s->q, SIDE_BASE, base, &b, &x);
	row_form(s->q, SIDE_BASE, s->rs[o].base, &bo, &x);
	lies_at(&a->s, &l, ix_of(&a->s, g->of, 1), at);
	e = reorder_apply(&a->s, s->answer[o].map, layout_read(a, &lo, at[0], at[1]));
	e = layout_read(a, &b, ix_const(&a->s, 0), places_of_row(a, &bo, e));
	g->e = ix_norm(&a->s, e);
	g->n = 1;
	g->own = ARENA_ARRAY(&a->s.a, label *, 1);
	g->own[0] = label_new(&a->s, core_len(a, s->side[SIDE_DIST].core[row]));
	g->read = ix_subst(&a->s, g->e, 1, &g->of, (ix *[]){ ix_of(&a->s, g->own[0], 1) });
}

static bool by_operand(states *s, int row, int base, struct guess *g)
{
	const struct row *b = pair_row(s->q, SIDE_BASE, base), *r = pair_row(s->q, SIDE_DIST, row);
	int k = block_operand(s, row), o = k < 0 ? -1 : r->op[k];

	if (o < 0 || !carry_elementwise(r) || k >= b->nop || b->op[k] != s->rs[o].base || b->rank != pair_row(s->q, SIDE_BASE, b->op[k])->rank ||
	    r->rank != pair_row(s->q, SIDE_DIST, o)->rank || setjmp(s->q->p->a.s.out))
		return false;
	carry_map(s, row, base, k, g);
	return true;
}

static bool block(states *s, int row, int base, struct guess *g)
{
	return by_operand(s, row, base, g) || guess_by_terms(s, row, base, true, g);
}

/* May a row that takes no block be one?  Products of shards; slices, where the baseline takes none of that operand. */
static bool begins_block(const states *s, int row, const int *base, int n)
{
	enum opcode op = pair_row(s->q, SIDE_DIST, row)->inst->opcode;
	int k;

	if (opcode_class(op) == 'k')
		return true;
	for (k = 0; k < n && pair_row(s->q, SIDE_BASE, base[k])->inst->opcode != op; k++)
		;
	return (op == OP_SLICE || op == OP_DYNAMIC_SLICE) && k == n;
}

/* What is made of a block place by place may be written otherwise: a division as a product. */
static int block_candidates(const states *s, int row, int *base)
{
	int n = guess_candidates(s, row, base), k, m = 0;

	if (n || !carry_elementwise(pair_row(s->q, SIDE_DIST, row)))
		return n;
	n = counterpart_users(s, row, base, 8);
	for (k = 0; k < n; k++)
		if (carry_elementwise(pair_row(s->q, SIDE_BASE, base[k])))
			base[m++] = base[k];
	return m;
}

bool block_ask(states *s, int row, const layout *l, struct answer *w)
{
	int base[8], n = block_candidates(s, row, base), k;
	bool made = block_operand(s, row) >= 0;

	if (!made && !begins_block(s, row, base, n))
		return false;
	for (k = 0; k < n; k++) {
		if (!guess_ask(s, row, base[k], l, block, w))
			continue;
		w->kind = STATE_BLOCK;
		w->covered = made;
		w->base = base[k];
		w->laid = *l;
		return true;
	}
	return false;
}

/* ---- what blocks cover together */

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
