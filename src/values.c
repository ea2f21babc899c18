#include "values.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "session_in.h"

#define MOST_BYTES 1e9		/* of all values together */
enum { MOST_DIMS = 16 };

struct values {
	struct session *s;
	struct numbers_setup *setup;
	numbers_problem p;
	numbers *n;
	enum numbers_kind kind;
	uint64_t seed;
	struct like { bool known; int row; char chain[120]; } *like;	/* per row of DIST, once asked */
};

static const program *program_of(const struct values *v, enum program_side side)
{
	return side == SIDE_BASE ? v->s->p->base : v->s->p->dist;
}

static double bytes_of(const program *p)
{
	double sum = 0;
	int i;

	for (i = 0; i < p->nrow; i++)
		sum += 8.0 * (double)row_elements(&p->row[i]) * (double)p->ndev;
	return sum;
}

static int progress(void *ctx, double done, double total)
{
	char text[64];

	snprintf(text, sizeof text, "running numbers, %d%%", total > 0 ? (int)(100 * done / total) : 0);
	return session_busy(ctx, text);
}

static const char *refusal(struct session *s, const numbers_result *r)
{
	if (r->stopped)
		return "the run was stopped";
	return arena_printf(&s->text, "%s%s%s", r->where ? r->where->name : "", r->where ? ": " : "", r->why ? r->why : "it cannot be run");
}

struct values *values_run(struct session *s, enum numbers_kind kind, uint64_t seed, const char **why)
{
	double bytes = bytes_of(s->p->base) + bytes_of(s->p->dist);
	struct values *v;
	numbers_result r;

	if (bytes > MOST_BYTES) {
		*why = arena_printf(&s->text, "all values together take %.1f GB", bytes / 1e9);
		return NULL;
	}
	v = calloc(1, sizeof *v);
	if (!v)
		die_hook("out of memory");
	v->s = s;
	v->like = calloc((size_t)s->p->dist->nrow + 1, sizeof *v->like);
	if (!v->like)
		die_hook("out of memory");
	v->kind = kind;
	v->seed = seed;
	v->setup = numbers_setup(s->p, why);
	if (!v->setup) {
		values_free(v);
		return NULL;
	}
	v->p = v->setup->p;
	v->p.ncheck = 0;
	v->p.keep_all = true;
	v->p.progress = progress;
	v->p.ctx = s;
	v->n = numbers_new(&v->p);
	r = numbers_run(v->n, kind, seed);
	if (r.verdict == NUMBERS_REFUSED) {
		*why = refusal(s, &r);
		values_free(v);
		return NULL;
	}
	return v;
}

void values_free(struct values *v)
{
	if (!v)
		return;
	numbers_free(v->n);
	numbers_setup_free(v->setup);
	free(v->like);
	free(v);
}

enum numbers_kind values_kind(const struct values *v)
{
	return v->kind;
}

uint64_t values_seed(const struct values *v)
{
	return v->seed;
}

int values_devices(const struct values *v, enum program_side side)
{
	return (int)program_of(v, side)->ndev;
}

/* Only what the entry computation computes, and no element of a tuple. */
const tensor *values_of(const struct values *v, enum program_side side, int row, int device)
{
	const program *p = program_of(v, side);
	const struct row *r = row < 0 ? NULL : &p->row[row];
	const tensor *t;

	if (!r || r->element >= 0 || r->inst->parent != p->m->entry || strchr(r->path, '/'))
		return NULL;
	t = interp_value(numbers_interp(v->n, side == SIDE_DIST), r->inst, device);
	return t && (t->f || t->i) && t->n == row_elements(r) && etype_kind(t->shape->type) != 'c' ? t : NULL;
}

double values_number(const tensor *t, int64_t k)
{
	return t->f ? t->f[k] : t->shape->type == T_U64 ? (double)(uint64_t)t->i[k] : (double)t->i[k];
}

/* ---- comparing */

static double largest(const tensor *t)
{
	double most = 0, x;
	int64_t k;

	for (k = 0; k < t->n; k++)
		if (isfinite(x = fabs(values_number(t, k))) && x > most)
			most = x;
	return most;
}

static bool near(double x, double y, double top)
{
	return x == y || (x != x && y != y) || fabs(x - y) <= 1e-6 * top;
}

bool values_agree(const struct values *v, int base, int dist, struct row_map *map, struct value_difference *d)
{
	const tensor *b = values_of(v, SIDE_BASE, base, 0), *t;
	int64_t *index, k;
	double top;
	int dev, ndev = values_devices(v, SIDE_DIST);
	bool same = true;

	if (!b)
		return true;
	top = largest(b);
	for (dev = 0; dev < ndev && same; dev++) {
		if (!(t = values_of(v, SIDE_DIST, dist, dev)))
			return true;
		index = malloc(sizeof *index * (size_t)(t->n + 1));
		if (!index)
			die_hook("out of memory");
		row_map_index(map, dev, t->n, index);
		for (k = 0; k < t->n && same; k++)
			if (index[k] >= 0 && index[k] < b->n && !near(values_number(b, index[k]), values_number(t, k), top)) {
				*d = (struct value_difference){ dev, k, index[k], values_number(t, k), values_number(b, index[k]) };
				same = false;
			}
		free(index);
	}
	return same;
}

/* ---- which row it is */

struct placing {		/* of a local tensor in a whole one: per dimension the axis that shards it, or -1; and a sum */
	int axis[MOST_DIMS];
	int summed;
};

static int64_t coordinate(const mesh *ms, int axis, int64_t device)
{
	int k;

	for (k = ms->n - 1; k > axis; k--)
		device /= ms->axis[k].size;
	return device % ms->axis[axis].size;
}

/* The device with another coordinate on one axis. */
static int moved(const mesh *ms, int axis, int device, int64_t to)
{
	int64_t step = 1;
	int k;

	for (k = ms->n - 1; k > axis; k--)
		step *= ms->axis[k].size;
	return (int)(device + (to - coordinate(ms, axis, device)) * step);
}

static double placed_number(const struct values *v, int dist, int dev, int64_t k, const struct placing *x)
{
	const mesh *ms = &v->s->p->ms;
	double sum = 0;
	int64_t i;

	if (x->summed < 0)
		return values_number(values_of(v, SIDE_DIST, dist, dev), k);
	for (i = 0; i < ms->axis[x->summed].size; i++)
		sum += values_number(values_of(v, SIDE_DIST, dist, moved(ms, x->summed, dev, i)), k);
	return sum;
}

/* Place k of a device's tensor in the whole one. */
static int64_t whole_place(const struct values *v, const struct row *b, const struct row *d, int dev, int64_t k, const struct placing *x)
{
	const mesh *ms = &v->s->p->ms;
	int64_t i[MOST_DIMS], at = 0;
	int r;

	for (r = d->rank - 1; r >= 0; r--) {
		i[r] = k % d->dim[r];
		k /= d->dim[r];
	}
	for (r = 0; r < d->rank; r++)
		at = at * b->dim[r] + i[r] + (x->axis[r] < 0 ? 0 : coordinate(ms, x->axis[r], dev) * d->dim[r]);
	return at;
}

static bool is_placed(const struct values *v, int base, int dist, const struct placing *x)
{
	const struct row *b = &v->s->p->base->row[base], *d = &v->s->p->dist->row[dist];
	const tensor *t = values_of(v, SIDE_BASE, base, 0);
	double top = largest(t);
	int64_t k, n = row_elements(d);
	int dev;

	for (dev = 0; dev < values_devices(v, SIDE_DIST); dev++)
		for (k = 0; k < n; k++)
			if (!near(values_number(t, whole_place(v, b, d, dev, k, x)), placed_number(v, dist, dev, k, x), top))
				return false;
	return true;
}

/* Every axis may shard one dimension: those whose sizes fit, and then perhaps a sum over another. */
static bool place_dims(const struct values *v, int base, int dist, int from, struct placing *x)
{
	const struct row *b = &v->s->p->base->row[base], *d = &v->s->p->dist->row[dist];
	const mesh *ms = &v->s->p->ms;
	int ax, r;

	if (from < d->rank) {
		x->axis[from] = -1;
		if (b->dim[from] == d->dim[from])
			return place_dims(v, base, dist, from + 1, x);
		for (ax = 0; ax < ms->n; ax++) {
			for (r = 0; r < from && x->axis[r] != ax; r++)
				;
			x->axis[from] = ax;
			if (r == from && b->dim[from] == d->dim[from] * ms->axis[ax].size && place_dims(v, base, dist, from + 1, x))
				return true;
		}
		return false;
	}
	for (x->summed = -1; x->summed < ms->n; x->summed++) {
		for (r = 0; r < d->rank && (x->summed < 0 || x->axis[r] != x->summed); r++)
			;
		if (r == d->rank && (x->summed < 0 || values_of(v, SIDE_DIST, dist, 0)->f) && is_placed(v, base, dist, x))
			return true;
	}
	return false;
}

static void placing_text(const struct values *v, int rank, const struct placing *x, char *buf, size_t n)
{
	const mesh *ms = &v->s->p->ms;
	size_t len = 0;
	int r;

	snprintf(buf, n, "R");
	for (r = 0; r < rank && len < n; r++)
		if (x->axis[r] >= 0)
			len += (size_t)snprintf(buf + len, n - len, "%s%s:S(%d)", len ? " " : "", ms->axis[x->axis[r]].name, r);
	if (x->summed >= 0 && len < n)
		snprintf(buf + len, n - len, "%s%s:P(sum)", len ? " " : "", ms->axis[x->summed].name);
}

static bool all_equal(const tensor *t)
{
	int64_t k;

	for (k = 1; k < t->n && values_number(t, k) == values_number(t, 0); k++)
		;
	return k >= t->n;
}

static bool may_be(const struct values *v, int base, int dist)
{
	const struct row *b = &v->s->p->base->row[base], *d = &v->s->p->dist->row[dist];

	return !v->s->p->base_in && b->rank == d->rank && b->rank <= MOST_DIMS && b->type == d->type && values_of(v, SIDE_BASE, base, 0);
}

static void find_like(const struct values *v, int dist, struct like *out)
{
	const tensor *t = values_of(v, SIDE_DIST, dist, 0);
	struct placing x;

	out->known = true;
	out->row = -1;
	if (!t || all_equal(t))
		return;
	for (out->row = 0; out->row < v->s->p->base->nrow; out->row++)
		if (may_be(v, out->row, dist) && place_dims(v, out->row, dist, 0, &x)) {
			placing_text(v, v->s->p->dist->row[dist].rank, &x, out->chain, sizeof out->chain);
			return;
		}
	out->row = -1;
}

int values_like(const struct values *v, int dist, const char **chain)
{
	struct like *x = &v->like[dist];

	if (!x->known)
		find_like(v, dist, x);
	*chain = x->chain;
	return x->row;
}
