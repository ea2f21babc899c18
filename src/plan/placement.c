#include "plan/placement.h"

#include <stdlib.h>
#include <string.h>

struct tiling {
	int rank;		/* of the tensor */
	const int64_t *tiles;	/* per dimension */
	int64_t *tile;		/* per device: its tile, row-major over the dimensions */
};

static int64_t product(int n, const int64_t *v)
{
	int64_t p = 1;
	int k;

	for (k = 0; k < n; k++)
		if (v[k] < 1 || __builtin_mul_overflow(p, v[k], &p))
			return 0;
	return p;
}

/* False when it says something else than a tile for each of ndev devices. */
static bool tiling_of(arena *a, const sharding *s, int rank, int64_t ndev, struct tiling *out)
{
	int64_t at, same;
	int k;

	if (s->kind != SH_TILED || s->ntile != rank + s->nsub || product(s->ntile, s->tile) != ndev)
		return false;
	for (k = 0; k < s->nsub; k++)
		if (s->sub[k] != SH_REPLICATED)
			return false;
	same = product(s->nsub, s->tile + rank);	/* devices that hold one tile */
	*out = (struct tiling){ rank, s->tile, ARENA_ARRAY(a, int64_t, ndev) };
	for (at = 0; at < ndev; at++)
		out->tile[at] = -1;
	for (at = 0; at < ndev; at++) {
		int64_t d = s->devices[at];
		if (d < 0 || d >= ndev || out->tile[d] >= 0)
			return false;
		out->tile[d] = at / same;
	}
	return true;
}

static int64_t tile_along(const struct tiling *s, int64_t dev, int dim)
{
	return s->tile[dev] / product(s->rank - dim - 1, s->tiles + dim + 1) % s->tiles[dim];
}

/* The axes whose digits make up the tile number along a dimension, major first; -1 when it is no such number. */
static int axes_of(const struct tiling *s, const mesh *ms, int dim, int *axis)
{
	int64_t delta[MESH_AXES_MAX], st[MESH_AXES_MAX], below = ms->ndev, dev, want = 1;
	int n = 0, k, j;

	for (k = 0; k < ms->n; k++) {
		below /= ms->axis[k].size;
		st[k] = below;
		delta[k] = ms->axis[k].size > 1 ? tile_along(s, below, dim) - tile_along(s, 0, dim) : 0;
		if (delta[k] <= 0)
			continue;
		for (j = n++; j > 0 && delta[axis[j - 1]] < delta[k]; j--)
			axis[j] = axis[j - 1];
		axis[j] = k;
	}
	for (k = n - 1; k >= 0; k--) {
		if (delta[axis[k]] != want)
			return -1;
		want *= ms->axis[axis[k]].size;
	}
	if (want != s->tiles[dim])
		return -1;
	for (dev = 0; dev < ms->ndev; dev++) {
		int64_t t = 0;
		for (k = 0; k < n; k++)
			t += dev / st[axis[k]] % ms->axis[axis[k]].size * delta[axis[k]];
		if (t != tile_along(s, dev, dim))
			return -1;
	}
	return n;
}

static void add_text(arena *a, chain *c, const char *step)
{
	c->text = c->text ? arena_printf(a, "%s %s", c->text, step) : step;
}

/* Adds the placements of dimension d; false: none. */
static bool place_dimension(arena *a, const struct tiling *t, const mesh *ms, int d, int64_t global, int64_t local, chain *out)
{
	chain_step *c = (chain_step *)out->step + out->n;
	int64_t tiles = t->tiles[d], whole = (global + tiles - 1) / tiles * tiles;
	int axis[MESH_AXES_MAX], k, n;

	if (local * tiles != whole || (n = axes_of(t, ms, d, axis)) < 0)
		return false;
	if (whole != global) {
		*c++ = (chain_step){ .kind = CHAIN_PAD, .dim = d, .to = whole, .scale = RAT_ONE };
		add_text(a, out, arena_printf(a, "pad(%d; %lld)", d, (long long)whole));
	}
	for (k = 0; k < n; k++) {
		*c++ = (chain_step){ .kind = CHAIN_SHARD, .axis = axis[k], .dim = d, .scale = RAT_ONE };
		add_text(a, out, arena_printf(a, "%s:S(%d)", ms->axis[axis[k]].name, d));
	}
	out->n = (int)(c - out->step);
	return true;
}

bool placement_chain(arena *a, const sharding *s, const mesh *ms, const shape *global, const shape *local, chain *out)
{
	chain_step *c = ARENA_ARRAY(a, chain_step, ms->n + global->rank);
	chain r = { 0, c, NULL };
	struct tiling t;
	int d;

	if (ms->n > MESH_AXES_MAX || global->rank != local->rank)
		return false;
	if (s->kind == SH_REPLICATED) {
		for (d = 0; d < global->rank; d++)
			if (global->dim[d] != local->dim[d])
				return false;
	} else if (!tiling_of(a, s, global->rank, ms->ndev, &t)) {
		return false;
	} else {
		for (d = 0; d < global->rank; d++)
			if (!place_dimension(a, &t, ms, d, global->dim[d], local->dim[d], &r))
				return false;
	}
	if (!r.text)
		r.text = "R";
	*out = r;
	return true;
}

mesh placement_mesh(arena *a, int64_t ndev)
{
	struct mesh_axis *ax = ARENA_ARRAY(a, struct mesh_axis, MESH_AXES_MAX);
	int64_t rest = ndev, f;
	int n = 0;

	for (f = 2; rest > 1; f++)
		for (; rest % f == 0; rest /= f, n++)
			ax[n] = (struct mesh_axis){ arena_printf(a, "d%d", n), f };
	if (!n)
		ax[n++] = (struct mesh_axis){ "dev", ndev };
	return (mesh){ n, ax, ndev };
}

/* ---- a mesh from device groups */

enum { BOUNDS_MAX = 24 };

struct bounds {			/* places in the device id where an axis begins or ends, rising */
	int n;
	int64_t at[BOUNDS_MAX];
};

static bool add_bound(struct bounds *b, int64_t at)
{
	int k;

	for (k = 0; k < b->n && b->at[k] < at; k++)
		;
	if (k < b->n && b->at[k] == at)
		return true;
	if (b->n == BOUNDS_MAX)
		return false;
	memmove(b->at + k + 1, b->at + k, sizeof *b->at * (size_t)(b->n - k));
	b->at[k] = at;
	b->n++;
	return true;
}

static int by_id(const void *x, const void *y)
{
	int64_t a = *(const int64_t *)x, b = *(const int64_t *)y;

	return a < b ? -1 : a > b;
}

/* A group as digits of the device id, least significant first: each is counted through before the next moves. */
static bool group_bounds(arena *a, const int64_t *id, int n, struct bounds *b)
{
	int64_t *v = memcpy(ARENA_ARRAY(a, int64_t, n + 1), id, sizeof *id * (size_t)n), stride;
	int done = 1, count, k;

	qsort(v, (size_t)n, sizeof *v, by_id);
	while (done < n) {
		stride = v[done] - v[0];
		for (count = 1; count * done < n && v[count * done] - v[0] == count * stride; count++)
			;
		if (stride < 1 || n % (count * done))
			return false;
		for (k = 0; k < count * done; k++)
			if (v[k] - v[0] != k / done * stride + (v[k % done] - v[0]))
				return false;
		if (!add_bound(b, stride) || !add_bound(b, stride * count))
			return false;
		done *= count;
	}
	return true;
}

static bool all_bounds(arena *a, const module *m, struct bounds *b)
{
	int c, k, g;

	for (c = 0; c < m->ncomp; c++)
		for (k = 0; k < m->comp[c]->ninst; k++) {
			const attr *at = inst_attr(m->comp[c]->inst[k], "replica_groups");
			const groups *gr = at && at->kind == ATTR_GROUPS ? at->groups : NULL;
			const int64_t *id = gr ? gr->id : NULL;
			for (g = 0; gr && g < gr->ngroup; id += gr->size[g++])
				if (!group_bounds(a, id, gr->size[g], b))
					return false;
		}
	return true;
}

mesh placement_groups_mesh(arena *a, const module *m, int64_t ndev)
{
	struct mesh_axis *ax = ARENA_ARRAY(a, struct mesh_axis, BOUNDS_MAX);
	struct bounds b = { 0 };
	bool good = !(m->num_partitions > 1 && m->replica_count > 1) && add_bound(&b, 1) && add_bound(&b, ndev) && all_bounds(a, m, &b);
	int k, n = 0;

	for (k = 1; k < b.n; k++)
		good = good && b.at[k] % b.at[k - 1] == 0 && ndev % b.at[k] == 0;
	if (!good || b.n < 3) {
		ax[0] = (struct mesh_axis){ "dev", ndev };
		return (mesh){ 1, ax, ndev };
	}
	for (k = b.n - 1; k > 0; k--, n++)
		ax[n] = (struct mesh_axis){ arena_printf(a, "d%d", n), b.at[k] / b.at[k - 1] };
	return (mesh){ n, ax, ndev };
}
