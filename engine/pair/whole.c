#include "pair/whole.h"

#include <string.h>

/* ---- shapes */

static const char *shape_before(arena *out, const mesh *ms, const chain_step *s, int rank, int64_t *d)
{
	int64_t *old, sum = 0;
	int k;

	switch (s->kind) {
	case CHAIN_PARTIAL: case CHAIN_SCALE:
		return NULL;
	case CHAIN_SHARD:
		if (s->dim >= rank)
			return arena_printf(out, "no dimension %d: the tensor has %d, numbered from 0", s->dim, rank);
		d[s->dim] *= ms->axis[s->axis].size;
		for (k = 0; k < s->n; k++)
			sum += s->v[k];
		if (s->n && sum != d[s->dim])
			return arena_printf(out, "the segments add up to %lld, dimension %d has %lld", (long long)sum, s->dim, (long long)d[s->dim]);
		return NULL;
	case CHAIN_TRANSPOSE:
		if (s->n != rank)
			return arena_printf(out, "transpose of %d dimensions, the tensor has %d", s->n, rank);
		old = memcpy(ARENA_ARRAY(out, int64_t, rank + 1), d, sizeof *d * (size_t)rank);
		for (k = 0; k < rank; k++)
			d[s->v[k]] = old[k];
		return NULL;
	default:
		return "the relation of a distributed baseline has placements, transpose and scale, from which its whole shape is known";
	}
}

const char *whole_shape(arena *out, const mesh *ms, const chain *c, int rank, const int64_t *local, int *wrank, int64_t **dim)
{
	const char *why = NULL;
	int k;

	*wrank = rank;
	*dim = ARENA_ARRAY(out, int64_t, rank + 1);
	if (rank)
		memcpy(*dim, local, sizeof *local * (size_t)rank);
	for (k = c->n - 1; k >= 0 && !why; k--)
		why = shape_before(out, ms, &c->step[k], rank, *dim);
	return why;
}

chain whole_chain(arena *out, const chain *c)
{
	return chain_filter(out, c, ~(1u << CHAIN_PARTIAL));
}

chain whole_chain_behind(arena *out, const chain *c, int64_t n)
{
	chain_step *st = ARENA_ARRAY(out, chain_step, c->n);
	int k, j;

	for (k = 0; k < c->n; k++) {
		const chain_step *s = &c->step[k];
		st[k] = *s;
		st[k].dim++;
		if (s->kind == CHAIN_RESHAPE || s->kind == CHAIN_TRANSPOSE) {
			int64_t *v = ARENA_ARRAY(out, int64_t, s->n + 1);
			v[0] = s->kind == CHAIN_RESHAPE ? n : 0;
			for (j = 0; j < s->n; j++)
				v[1 + j] = s->v[j] + (s->kind == CHAIN_TRANSPOSE);
			st[k].v = v;
			st[k].n++;
		}
	}
	return (chain){ c->n, st, c->text };
}

/* ---- layouts */

/* Local digits cut at the boundaries of dimensions: digit i belongs to dimension of[i]; -1: a boundary does not divide. */
static int cut_local(const layout *l, digit *d, int *of)
{
	int n = 0, i, k = l->rank - 1;
	int64_t left = k >= 0 ? l->dim[k] : 1;

	for (i = l->nl - 1; i >= 0; i--) {
		int64_t size = l->loc[i].size, stride = l->loc[i].stride;
		while (size > 1) {
			while (k > 0 && left == 1)
				left = l->dim[--k];
			if (n == WHOLE_DIGITS || left == 1)
				return -1;
			if (size <= left ? left % size : size % left)
				return -1;
			d[n] = (digit){ size <= left ? size : left, stride };
			of[n] = k;
			stride *= d[n].size;
			size /= d[n].size;
			left /= d[n].size;
			n++;
		}
	}
	return n;
}

/* The dimension that a device digit continues: its stride is what the dimension's digits so far reach; -1: none. */
static int continued(const digit *d, const int *of, int n, const digit *dev)
{
	int i, k;

	for (i = n - 1; i >= 0; i--) {
		for (k = i + 1; k < n && of[k] != of[i]; k++)
			;
		if (k == n && d[i].stride && d[i].stride * d[i].size == dev->stride)	/* the front digit of its dimension */
			return of[i];
	}
	return -1;
}

bool whole_layout(const layout *l, int64_t *dim, digit *loc, layout *w)
{
	digit d[WHOLE_DIGITS];
	int of[WHOLE_DIGITS], n = cut_local(l, d, of), k, i, left = 0;
	bool done[WHOLE_DIGITS] = { false }, moved = true;

	if (n < 0 || l->nd > WHOLE_DIGITS)
		return false;
	if (l->rank)
		memcpy(dim, l->dim, sizeof *dim * (size_t)l->rank);
	while (moved) {
		moved = false;
		left = 0;
		for (k = l->nd - 1; k >= 0; k--) {
			int at;
			if (done[k] || !l->dev[k].stride)
				continue;
			left++;
			at = continued(d, of, n, &l->dev[k]);
			if (at < 0 || n == WHOLE_DIGITS)
				continue;
			d[n] = l->dev[k];
			of[n++] = at;
			dim[at] *= l->dev[k].size;
			done[k] = moved = true;
			left--;
		}
	}
	if (left)
		return false;
	*w = (layout){ 1, l->rank, 0, 0, dim, NULL, loc };
	for (k = 0; k < l->rank; k++)	/* least significant digits come first in d */
		for (i = n - 1; i >= 0; i--)
			if (of[i] == k)
				loc[w->nl++] = d[i];
	return true;
}
