#include "plan/place_map.h"

#include <stdlib.h>
#include <string.h>
#include "interp/numbers.h"
#include "util/integers.h"

enum { MOST_DIMS = 16, MOST_AXES = 64, HELD_MAX = 1 << 22 };

struct walk_shape {
	int rank;
	int64_t dim[MOST_DIMS];
};

/* One chain from a tensor of n elements; steps as the plan has them, shape[k] before step k. */
struct place_map {
	const mesh *ms;
	int n;
	const chain_step *step;
	struct walk_shape *shape;
};

static int64_t elements(const struct walk_shape *s)
{
	return integers_product(s->dim, s->rank);
}

int64_t place_map_coordinate(const mesh *ms, int axis, int64_t device)
{
	int k;

	for (k = ms->n - 1; k > axis; k--)
		device /= ms->axis[k].size;
	return device % ms->axis[axis].size;
}

static bool of_dim(enum chain_kind k)
{
	return k == CHAIN_SHARD || k == CHAIN_PAD || k == CHAIN_REPEAT || k == CHAIN_TAKE || k == CHAIN_IGNORE;
}

static bool step_shape(const mesh *ms, const chain_step *s, const struct walk_shape *in, struct walk_shape *out)
{
	int k;

	*out = *in;
	if (of_dim(s->kind) && s->dim >= in->rank)
		return false;
	switch (s->kind) {
	case CHAIN_SHARD:
		if (in->dim[s->dim] % ms->axis[s->axis].size)
			return false;
		out->dim[s->dim] /= ms->axis[s->axis].size;
		return true;
	case CHAIN_RESHAPE:
		out->rank = s->n;
		for (k = 0; k < s->n && k < MOST_DIMS; k++)
			out->dim[k] = s->v[k];
		return s->n <= MOST_DIMS && elements(in) == elements(out);
	case CHAIN_TRANSPOSE:
		for (k = 0; k < s->n && s->n == in->rank && s->v[k] < in->rank; k++)
			out->dim[k] = in->dim[s->v[k]];
		return s->n == in->rank && k == s->n;
	case CHAIN_PAD:
		out->dim[s->dim] = s->to;
		return true;
	case CHAIN_REPEAT:
		out->dim[s->dim] *= s->count;
		return true;
	case CHAIN_TAKE:
		for (k = 0; k < s->n && (s->v[k] + 1) * s->unit <= in->dim[s->dim]; k++)
			;
		out->dim[s->dim] = s->n * s->unit;
		return k == s->n;
	default:
		return true;
	}
}

/* Place i of dimension `dim` of a shard whose whole is cut into segments, each sharded by itself. */
static int64_t segment_place(const chain_step *s, int64_t axis, int64_t at, int64_t i)
{
	int64_t off = 0;
	int g;

	for (g = 0; g < s->n; g++) {
		int64_t part = s->v[g] / axis;

		if (i < part)
			return off + at * part + i;
		i -= part;
		off += s->v[g];
	}
	return NUMBERS_ANY;
}

static int64_t flatten(const struct walk_shape *s, const int64_t *i)
{
	int64_t at = 0;
	int k;

	for (k = 0; k < s->rank; k++)
		at = at * s->dim[k] + i[k];
	return at;
}

static void unflatten(const struct walk_shape *s, int64_t at, int64_t *i)
{
	int k;

	for (k = s->rank - 1; k >= 0; at /= s->dim[k--])
		i[k] = at % s->dim[k];
}

/* Index i, after a step, as the index before it; NUMBERS_ZERO or NUMBERS_ANY where nothing stands behind it. */
static int64_t step_back(const struct place_map *m, int k, int device, int64_t *i)
{
	const chain_step *s = &m->step[k];
	const struct walk_shape *before = &m->shape[k], *after = &m->shape[k + 1];
	int64_t old[MOST_DIMS], *x = &i[s->dim];
	int j;

	switch (s->kind) {
	case CHAIN_SHARD:
		j = (int)m->ms->axis[s->axis].size;
		*x = s->n ? segment_place(s, j, place_map_coordinate(m->ms, s->axis, device), *x)
			  : place_map_coordinate(m->ms, s->axis, device) * after->dim[s->dim] + *x;
		return 0;
	case CHAIN_RESHAPE:
		unflatten(before, flatten(after, i), i);
		return 0;
	case CHAIN_TRANSPOSE:
		memcpy(old, i, sizeof old);
		for (j = 0; j < before->rank; j++)
			i[s->v[j]] = old[j];
		return 0;
	case CHAIN_PAD:
		return *x < before->dim[s->dim] ? 0 : s->zero ? NUMBERS_ZERO : NUMBERS_ANY;
	case CHAIN_REPEAT:
		*x /= s->count;
		return 0;
	case CHAIN_TAKE:
		if (s->v[*x / s->unit] < 0)
			return NUMBERS_ZERO;
		*x = s->v[*x / s->unit] * s->unit + *x % s->unit;
		return 0;
	case CHAIN_IGNORE:
		for (j = 0; j < s->n; j++)
			if (s->v[j] == *x)
				return NUMBERS_ANY;
		return 0;
	default:
		return 0;
	}
}

/* Every step moves the places of one dimension by themselves, and leaves none without counterpart. */
static bool separable(const struct place_map *m)
{
	int k;

	for (k = 0; k < m->n; k++)
		switch (m->step[k].kind) {
		case CHAIN_SHARD: case CHAIN_REPEAT: case CHAIN_PARTIAL: case CHAIN_SCALE: case CHAIN_CONVERT:
			continue;
		default:
			return false;
		}
	return true;
}

/* Per dimension and place in it, what it adds to the place in the whole. */
static void tables(const struct place_map *m, int device, int64_t **table)
{
	const struct walk_shape *s = &m->shape[0], *local = &m->shape[m->n];
	int64_t i[MOST_DIMS], stride = 1, x;
	int d, k;

	for (d = s->rank - 1; d >= 0; stride *= s->dim[d--])
		for (x = 0; x < local->dim[d]; x++) {
			memset(i, 0, sizeof i);
			i[d] = x;
			for (k = m->n - 1; k >= 0; k--)
				step_back(m, k, device, i);
			table[d][x] = i[d] * stride;
		}
}

/* Places from `from` on, the last dimension fastest. */
static void add_tables(const struct walk_shape *local, int64_t *const *table, int64_t from, int64_t n, int64_t *index)
{
	int last = local->rank - 1, d;
	int64_t i[MOST_DIMS], at = 0, base, x;

	while (at < n) {
		unflatten(local, from + at, i);
		for (base = 0, d = 0; d < last; d++)
			base += table[d][i[d]];
		for (x = i[last]; x < local->dim[last] && at < n; x++)
			index[at++] = base + table[last][x];
	}
}

static bool quick_map(const struct place_map *m, int device, int64_t from, int64_t n, int64_t *index)
{
	const struct walk_shape *local = &m->shape[m->n];
	int64_t *table[MOST_DIMS], *all, sum = 0;
	int d;

	if (!n || !local->rank || elements(local) < from + n || !separable(m))
		return false;
	for (d = 0; d < local->rank; d++)
		sum += local->dim[d];
	all = malloc(sizeof *all * (size_t)sum);
	if (!all)
		die_hook("out of memory");
	for (sum = 0, d = 0; d < local->rank; sum += local->dim[d++])
		table[d] = all + sum;
	tables(m, device, table);
	add_tables(local, table, from, n, index);
	free(all);
	return true;
}

void place_map_index(void *ctx, int device, int64_t from, int64_t n, int64_t *index)
{
	const struct place_map *m = ctx;
	int64_t i[MOST_DIMS] = { 0 }, at, gone;
	int k;

	if (quick_map(m, device, from, n, index))
		return;
	for (at = 0; at < n; at++) {
		unflatten(&m->shape[m->n], from + at, i);
		for (gone = 0, k = m->n - 1; k >= 0 && !gone; k--)
			gone = step_back(m, k, device, i);
		index[at] = gone ? gone : flatten(&m->shape[0], i);
	}
}

struct place_map *place_map_new(arena *a, const mesh *ms, const chain *c, const shape *whole)
{
	struct place_map *m = ARENA_NEW(a, struct place_map);
	int k;

	if (whole->rank > MOST_DIMS || ms->n > MOST_AXES)
		return NULL;
	*m = (struct place_map){ ms, c->n, c->step, ARENA_ARRAY(a, struct walk_shape, c->n + 1) };
	m->shape[0].rank = whole->rank;
	for (k = 0; k < whole->rank; k++)
		m->shape[0].dim[k] = whole->dim[k];
	for (k = 0; k < c->n; k++)
		if (!step_shape(ms, &c->step[k], &m->shape[k], &m->shape[k + 1]))
			return NULL;
	return m;
}

int64_t place_map_size(const struct place_map *m)
{
	return elements(&m->shape[m->n]);
}

static void mark_held(struct place_map *m, bool *held)
{
	int64_t n = place_map_size(m), from, i, index[256];
	int64_t many = sizeof index / sizeof *index;
	int device;

	for (device = 0; device < m->ms->ndev; device++)
		for (from = 0; from < n; from += many) {
			int64_t here = n - from < many ? n - from : many;

			place_map_index(m, device, from, here, index);
			for (i = 0; i < here; i++)
				if (index[i] >= 0 && index[i] < elements(&m->shape[0]))
					held[index[i]] = true;
		}
}

static bool leaves_out(const chain *c)
{
	return chain_has(c, CHAIN_TAKE) || chain_has(c, CHAIN_IGNORE);
}

int64_t places_held(const mesh *ms, const shape *whole, int n, const chain *const *c)
{
	int64_t all = shape_elements(whole), held = 0, k;
	struct place_map *m = NULL;
	bool *is;
	arena a;
	int i;

	for (i = 0; i < n; i++)
		if (!leaves_out(c[i]))
			return all;
	if (all > HELD_MAX)
		return -1;
	arena_init(&a);
	is = arena_zalloc(&a, (size_t)all + 1);
	for (i = 0; i < n && (m = place_map_new(&a, ms, c[i], whole)) && place_map_size(m) * ms->ndev <= HELD_MAX; i++)
		mark_held(m, is);
	for (k = 0; k < all; k++)
		held += is[k];
	arena_free(&a);
	return i < n ? -1 : held;
}

static bool all_free(struct place_map *m)
{
	int64_t n = place_map_size(m), from, index;
	int device;

	if (!n || n * m->ms->ndev > HELD_MAX)
		return false;
	for (device = 0; device < m->ms->ndev; device++)
		for (from = 0; from < n; from++) {
			place_map_index(m, device, from, 1, &index);
			if (index != NUMBERS_ANY)
				return false;
		}
	return true;
}

bool places_free(const mesh *ms, const shape *whole, const chain *c)
{
	struct place_map *m;
	arena a;
	bool yes;

	if (!leaves_out(c))
		return false;
	arena_init(&a);
	m = place_map_new(&a, ms, c, whole);
	yes = m && all_free(m);
	arena_free(&a);
	return yes;
}
