#include "session/values.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "session/cut.h"
#include "session/session_in.h"

#define MOST_BYTES 1e9		/* of all values together */
#define FAR_BELOW 1e-4		/* of the largest number */
#define MOST_COMPUTED 1e15	/* what is larger was written, not computed */
enum { MOST_DIMS = 16 };

struct placing {		/* of a local tensor in a whole one: per dimension the axis that shards it, or -1; and a sum */
	int axis[MOST_DIMS];
	int summed;
};

struct measure {		/* what a difference is relative to; -1: not asked yet */
	double top;		/* the largest number */
	double beside;		/* for numbers far below it */
};

struct values {
	struct session *s;
	struct numbers_setup *setup;
	numbers_problem p;
	numbers *n;
	struct values_options o;
	tensor **row[2];	/* by side: row * devices + device; NULL: none */
	bool *compared[2];	/* by side and row, where only those are kept; else NULL */
	numbers_result *check;	/* .. and what the checks said, the run being over */
	struct measure *measure;	/* per row of BASE */
	struct like { bool known; int row; struct placing x; char chain[120]; } *like;	/* per row of DIST, once asked */
};

static const program *program_of(const struct values *v, enum program_side side)
{
	return side == SIDE_BASE ? v->s->p->base : v->s->p->dist;
}

static double row_bytes(const program *p, int row)
{
	return 8.0 * (double)row_elements(&p->row[row]) * (double)p->ndev;
}

/* Of a part the instructions it has; its inputs are not kept. */
static double bytes_of(const struct values_options *o, const program *p)
{
	const comp *e = o->part ? (p->side == SIDE_BASE ? &o->part->setup->p.base : &o->part->setup->p.dist)->m->entry : NULL;
	double sum = 0;
	int i, row;

	if (o->outputs)
		return 0;
	for (i = 0; !e && i < p->nrow; i++)
		sum += row_bytes(p, i);
	for (i = 0; e && i < e->ninst; i++) {
		row = excerpt_row(o->part->part[p->side], e->inst[i]);
		sum += row < 0 || p->row[row].param >= 0 ? 0 : row_bytes(p, row);
	}
	return sum;
}

static int progress(void *ctx, double done, double total)
{
	const struct values *v = ctx;
	char text[64];

	snprintf(text, sizeof text, "running numbers, %d%%", total > 0 ? (int)(100 * done / total) : 0);
	return session_busy(v->s, text);
}

/* ---- taking values as the run goes */

static bool names(const attr *a, const comp *c)
{
	int k, n = a->kind == ATTR_COMP ? 1 : a->kind == ATTR_COMPS ? a->n : 0;

	for (k = 0; k < n; k++)
		if (a->comps[k] == c)
			return true;
	return false;
}

static bool calls(const inst *i, const comp *c)
{
	int k;

	for (k = 0; k < i->nattr; k++)
		if (names(&i->attr[k], c))
			return true;
	return false;
}

static bool one_body(const program *p, const char *path)
{
	int k;

	for (k = 0; k < p->nloop; k++)
		if (!strcmp(p->loop[k].path, path))
			return true;
	return false;
}

/* What stands behind the name of a loop in those of its rows; false: the rows are of another trip. */
static bool in_loop(const struct values *v, enum program_side side, const inst *loop, const comp *c, int64_t trip, char *buf, size_t n)
{
	bool one = one_body(program_of(v, side), buf);
	size_t len = strlen(buf);

	if (c == inst_comp(loop, "condition")) {
		snprintf(buf + len, n - len, "[condition]");
		return one && (v->o.trip < 0 || trip == v->o.trip);
	}
	if (!one)
		snprintf(buf + len, n - len, "[%lld]", (long long)trip);
	return !one || v->o.trip < 0 || trip == v->o.trip;
}

static bool inlined(const struct values *v, enum program_side side, const inst *i, const comp *c, int64_t trip, char *buf, size_t n)
{
	switch (i->opcode) {
	case OP_CALL: case OP_FUSION: case OP_ASYNC_START: case OP_CONDITIONAL:
		return calls(i, c);
	case OP_WHILE:
		return calls(i, c) && in_loop(v, side, i, c, trip, buf, n);
	default:
		return false;
	}
}

/* How the names of rows begin that stand beside this instruction. */
static const char *prefix_of(const struct values *v, enum program_side side, const inst *i)
{
	if (v->o.part)
		return excerpt_prefix(v->o.part->part[side], i);
	return i->parent == program_of(v, side)->m->entry ? "" : NULL;
}

/* The row's name: every instruction stands in the computation that the one before it calls, the first in the entry. */
static bool path_of(const struct values *v, enum program_side side, const inst *const *path, int depth, const inst *i, char *buf, size_t n)
{
	const char *prefix = prefix_of(v, side, depth ? path[0] : i);
	size_t len;
	int k;

	if (!prefix)
		return false;
	snprintf(buf, n, "%s%s%s", prefix, *prefix ? "%" : "", depth ? path[0]->name : i->name);
	for (k = 0; k < depth; k++) {
		const inst *in = k + 1 < depth ? path[k + 1] : i;

		if (!inlined(v, side, path[k], in->parent, interp_trip(numbers_interp(v->n, side == SIDE_DIST), k), buf, n))
			return false;
		len = strlen(buf);
		snprintf(buf + len, n - len, "/%%%s", in->name);
	}
	return strlen(buf) + 1 < n;
}

/* That outlives the run. */
static tensor *copy(const tensor *t)
{
	tensor *c = tensor_new(t->shape);

	memcpy(c->f ? (void *)c->f : (void *)c->i, t->f ? (void *)t->f : (void *)t->i, (size_t)t->n * 8);
	return c;
}

static void take_row(struct values *v, enum program_side side, int row, int device, tensor *t)
{
	const program *p = program_of(v, side);
	tensor **at;

	if (row < 0 || device >= (int)p->ndev || !(t->f || t->i) || t->n != row_elements(&p->row[row]) ||
	    (int)t->shape->type != p->row[row].type || etype_kind(t->shape->type) == 'c')
		return;
	at = &v->row[side][(size_t)row * (size_t)p->ndev + (size_t)device];
	if (v->compared[side] && !v->compared[side][row])
		return;
	if (*at && !(v->o.trip < 0 && values_in_loop(v, side, row)))
		return;
	tensor_unref(*at);
	*at = v->compared[side] ? copy(t) : tensor_ref(t);
}

static int row_named(const struct values *v, enum program_side side, const char *name)
{
	return program_named(side == SIDE_BASE ? v->s->p->base : v->s->p->dist, name);
}

/* Arrays of a tuple are counted through. */
static void take_elements(struct values *v, enum program_side side, const char *name, int device, tensor *t, int *k)
{
	char element[1100];
	int j;

	for (j = 0; j < t->nelem; j++)
		if (t->elem[j]->nelem) {
			take_elements(v, side, name, device, t->elem[j], k);
		} else if (t->elem[j]->f || t->elem[j]->i) {
			snprintf(element, sizeof element, "%s#%d", name, (*k)++);
			take_row(v, side, row_named(v, side, element), device, t->elem[j]);
		}
}

/* Two branches may have instructions of one name: the row is the first's. */
static bool shadowed(const struct values *v, enum program_side side, const inst *const *path, int depth, const inst *i, const char *name)
{
	int k, row;

	for (k = 0; k < depth && path[k]->opcode != OP_CONDITIONAL; k++)
		;
	row = k < depth ? row_named(v, side, name) : -1;
	return row >= 0 && program_of(v, side)->row[row].inst != i;
}

static void take(void *ctx, bool dist, const inst *const *path, int depth, const inst *i, int ndev, const int *device, tensor *const *value)
{
	struct values *v = ctx;
	enum program_side side = dist ? SIDE_DIST : SIDE_BASE;
	char name[1000];
	int d, k;

	if (!path_of(v, side, path, depth, i, name, sizeof name) || shadowed(v, side, path, depth, i, name))
		return;
	for (d = 0; d < ndev; d++) {
		k = 0;
		if (value[d]->nelem && program_counts(i))
			take_elements(v, side, name, device[d], value[d], &k);
		else if (!value[d]->nelem)
			take_row(v, side, row_named(v, side, name), device[d], value[d]);
	}
}

static void take_of_part(void *ctx, bool dist, const inst *const *path, int depth, const inst *i, int ndev, const int *device,
			 tensor *const *value)
{
	struct values *v = ctx;
	enum program_side side = dist ? SIDE_DIST : SIDE_BASE;
	int row = excerpt_row(v->o.part->part[side], i), d;

	if (depth)
		take(ctx, dist, path, depth, i, ndev, device, value);
	for (d = 0; !depth && row >= 0 && program_of(v, side)->row[row].param < 0 && d < ndev; d++)
		take_row(v, side, row, device[d], value[d]);
}

static void drop_rows(struct values *v, enum program_side side)
{
	const program *p = program_of(v, side);
	size_t k, n = (size_t)p->nrow * (size_t)p->ndev;

	for (k = 0; v->row[side] && k < n; k++)
		tensor_unref(v->row[side][k]);
	free(v->row[side]);
}

static void *zeros(size_t n, size_t size)
{
	void *p = calloc(n + 1, size);

	if (!p)
		die_hook("out of memory");
	return p;
}

/* The rows of what the outputs compare. */
static void mark_compared(struct values *v)
{
	const pair *q = v->s->p->q;
	int k;

	for (k = 0; k < 2; k++)
		v->compared[k] = zeros((size_t)program_of(v, k)->nrow, sizeof *v->compared[k]);
	for (k = 0; k < q->ngoal; k++) {
		if (q->goal[k].base_row >= 0)
			v->compared[SIDE_BASE][q->goal[k].base_row] = true;
		if (q->goal[k].dist_row >= 0)
			v->compared[SIDE_DIST][q->goal[k].dist_row] = true;
	}
}

/* Nothing is left of the run but those rows, and what its checks say. */
static void close_run(struct values *v)
{
	int k;

	v->check = zeros((size_t)v->p.ncheck, sizeof *v->check);
	for (k = 0; k < v->p.ncheck; k++)
		v->check[k] = numbers_checked(v->n, k);
	numbers_free(v->n);
	v->n = NULL;
}

/* ---- the run */

static const char *refusal(struct session *s, const numbers_result *r)
{
	if (r->stopped)
		return "the run was stopped";
	return arena_printf(&s->text, "%s%s%s", r->where ? r->where->name : "", r->where ? ": " : "", r->why ? r->why : "it cannot be run");
}

struct values *values_run(struct session *s, const struct values_options *o, const char **why)
{
	double bytes = bytes_of(o, s->p->base) + bytes_of(o, s->p->dist);
	struct values *v;
	numbers_result r;
	int k;

	if (bytes > MOST_BYTES) {
		*why = arena_printf(&s->text, "all values together take %.1f GB", bytes / 1e9);
		return NULL;
	}
	v = zeros(1, sizeof *v);
	v->s = s;
	v->o = *o;
	v->like = zeros((size_t)s->p->dist->nrow, sizeof *v->like);
	v->measure = zeros((size_t)s->p->base->nrow, sizeof *v->measure);
	for (k = 0; k < s->p->base->nrow; k++)
		v->measure[k] = (struct measure){ -1, -1 };
	for (k = 0; k < 2; k++)
		v->row[k] = zeros((size_t)program_of(v, k)->nrow * (size_t)program_of(v, k)->ndev, sizeof *v->row[k]);
	v->setup = o->part ? o->part->setup : numbers_setup(s->p, why);
	if (!v->setup) {
		values_free(v);
		return NULL;
	}
	if (o->outputs)
		mark_compared(v);
	v->p = v->setup->p;
	v->p.reading = o->reading;
	v->p.rounded = o->rounded;
	v->p.visit = o->part ? take_of_part : take;
	v->p.progress = progress;
	v->p.ctx = v;
	v->n = numbers_new(&v->p);
	r = numbers_run(v->n, o->kind, o->seed);
	if (!r.ran) {
		*why = refusal(s, &r);
		values_free(v);
		return NULL;
	}
	if (o->outputs)
		close_run(v);
	return v;
}

void values_free(struct values *v)
{
	if (!v)
		return;
	drop_rows(v, SIDE_BASE);
	drop_rows(v, SIDE_DIST);
	numbers_free(v->n);
	if (!v->o.part)
		numbers_setup_free(v->setup);
	free(v->like);
	free(v->measure);
	free(v->compared[SIDE_BASE]);
	free(v->compared[SIDE_DIST]);
	free(v->check);
	free(v);
}

const struct numbers_setup *values_setup(const struct values *v)
{
	return v->setup;
}

numbers_result values_check(struct values *v, int check)
{
	return v->check ? v->check[check] : numbers_checked(v->n, check);
}

enum numbers_kind values_kind(const struct values *v)
{
	return v->o.kind;
}

uint64_t values_seed(const struct values *v)
{
	return v->o.seed;
}

int64_t values_trip(const struct values *v)
{
	return v->o.trip;
}

bool values_in_loop(const struct values *v, enum program_side side, int row)
{
	const program *p = program_of(v, side);
	size_t n;
	int k;

	for (k = 0; k < p->nloop; k++) {
		n = strlen(p->loop[k].path);
		if (!strncmp(p->row[row].path, p->loop[k].path, n) && (p->row[row].path[n] == '/' || p->row[row].path[n] == '['))
			return true;
	}
	return false;
}

int values_devices(const struct values *v, enum program_side side)
{
	return (int)program_of(v, side)->ndev;
}

const tensor *values_of(const struct values *v, enum program_side side, int row, int device)
{
	return row < 0 ? NULL : v->row[side][(size_t)row * (size_t)program_of(v, side)->ndev + (size_t)device];
}

double values_number(const tensor *t, int64_t k)
{
	return t->f ? t->f[k] : t->shape->type == T_U64 ? (double)(uint64_t)t->i[k] : (double)t->i[k];
}

/* ---- comparing */

const char *values_place_text(const struct row *r, int64_t at, char *buf, size_t n)
{
	int64_t i[16];
	size_t len = 0;
	int k;

	for (k = r->rank - 1; k >= 0 && k < 16; k--) {
		i[k] = at % r->dim[k];
		at /= r->dim[k];
	}
	len = (size_t)snprintf(buf, n, "[");
	for (k = 0; k < r->rank && k < 16 && len < n; k++)
		len += (size_t)snprintf(buf + len, n - len, "%s%lld", k ? "," : "", (long long)i[k]);
	if (len < n)
		snprintf(buf + len, n - len, "]");
	return buf;
}

static double largest(const tensor *t)
{
	double most = 0, x;
	int64_t k;

	for (k = 0; k < t->n; k++)
		if (isfinite(x = fabs(values_number(t, k))) && x > most)
			most = x;
	return most;
}

static double top_of(const struct values *v, int base)
{
	struct measure *m = &v->measure[base];

	if (m->top < 0)
		m->top = largest(values_of(v, SIDE_BASE, base, 0));
	return m->top;
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
	top = top_of(v, base);
	for (dev = 0; dev < ndev && same; dev++) {
		if (!(t = values_of(v, SIDE_DIST, dist, dev)))
			return true;
		index = malloc(sizeof *index * (size_t)(t->n + 1));
		if (!index)
			die_hook("out of memory");
		row_map_index(map, dev, 0, t->n, index);
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

/* A fill value (-1e9, the least number of a type) is no measure of the numbers beside it: the largest of those, or 0. */
static double largest_beside(const tensor *t, double top)
{
	double most = 0, x;
	int64_t k;

	for (k = 0; k < t->n; k++)
		if ((x = fabs(values_number(t, k))) < FAR_BELOW * top && x > most)
			most = x;
	return most;
}

/* What is left of larger numbers that cancel is noise: far less is asked of it. */
static const struct measure *measure_of(const struct values *v, int base)
{
	struct measure *m = &v->measure[base];
	double top = top_of(v, base);

	if (m->beside < 0)
		m->beside = fmax(largest_beside(values_of(v, SIDE_BASE, base, 0), top), top < MOST_COMPUTED ? 1e-6 * top : 0);
	return m;
}

static bool alike(double x, double y, const struct measure *m)
{
	return near(x, y, fmax(fabs(x), fabs(y)) < FAR_BELOW * m->top ? m->beside : m->top);
}

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
	const struct measure *m = measure_of(v, base);
	int64_t k, n = row_elements(d);
	int dev;

	for (dev = 0; dev < values_devices(v, SIDE_DIST); dev++)
		for (k = 0; k < n; k++)
			if (!alike(values_number(t, whole_place(v, b, d, dev, k, x)), placed_number(v, dist, dev, k, x), m))
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

/* The same number everywhere, and one that many rows have. */
static bool says_nothing(const tensor *t)
{
	double x = t->n ? values_number(t, 0) : 0;
	int64_t k;

	for (k = 1; k < t->n && values_number(t, k) == x; k++)
		;
	return k >= t->n && (x != x || (x == rint(x) && fabs(x) <= 16));
}

static bool on_all_devices(const struct values *v, int dist)
{
	int d;

	for (d = 0; d < values_devices(v, SIDE_DIST); d++)
		if (!values_of(v, SIDE_DIST, dist, d))
			return false;
	return true;
}

bool values_telling(const struct values *v, int dist)
{
	int d;

	for (d = 0; d < values_devices(v, SIDE_DIST) && on_all_devices(v, dist); d++)
		if (!says_nothing(values_of(v, SIDE_DIST, dist, d)))
			return true;
	return false;
}

/* Of one type; or both of float types, for a conversion changes nothing over the reals. */
static bool may_be(const struct values *v, int base, int dist, bool same_type)
{
	const struct row *b = &v->s->p->base->row[base], *d = &v->s->p->dist->row[dist];

	return !v->s->p->base_in && b->rank == d->rank && b->rank <= MOST_DIMS && (b->type == d->type) == same_type &&
	       (same_type || (etype_is_float((enum etype)b->type) && etype_is_float((enum etype)d->type))) &&
	       values_of(v, SIDE_BASE, base, 0);
}

static void find_like(const struct values *v, int dist, struct like *out)
{
	int pass;

	out->known = true;
	out->row = -1;
	if (!values_telling(v, dist))
		return;
	for (pass = 0; pass < 2; pass++)
		for (out->row = 0; out->row < v->s->p->base->nrow; out->row++)
			if (may_be(v, out->row, dist, !pass) && place_dims(v, out->row, dist, 0, &out->x)) {
				placing_text(v, v->s->p->dist->row[dist].rank, &out->x, out->chain, sizeof out->chain);
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

/* ---- one run beside another */

static double apart(double x, double y, double top)
{
	double e = x == y || (x != x && y != y) ? 0 : fabs(x - y) / (top > 0 ? top : 1);

	return e == e ? e : INFINITY;
}

double values_apart(const struct values *v, int dist, const struct values *base, const struct values *local)
{
	const char *chain;
	int b = values_like(v, dist, &chain), dev;
	const tensor *t = b < 0 ? NULL : values_of(base, SIDE_BASE, b, 0);
	const struct row *d = &v->s->p->dist->row[dist];
	int64_t k, n = row_elements(d);
	double most = 0, e;

	if (!t || !on_all_devices(local, dist))
		return NAN;
	for (dev = 0; dev < values_devices(v, SIDE_DIST); dev++)
		for (k = 0; k < n; k++) {
			e = apart(values_number(t, whole_place(v, &v->s->p->base->row[b], d, dev, k, &v->like[dist].x)),
				  placed_number(local, dist, dev, k, &v->like[dist].x), top_of(v, b));
			most = e > most ? e : most;
		}
	return most;
}

double values_change(const struct values *v, const struct values *w, enum program_side side, int row)
{
	double most = 0, e;
	int64_t k;
	int d;

	for (d = 0; d < values_devices(v, side); d++) {
		const tensor *a = values_of(v, side, row, d), *b = values_of(w, side, row, d);
		double top = a ? largest(a) : 0;

		if (!a || !b)
			return NAN;
		for (k = 0; k < a->n; k++) {
			e = apart(values_number(a, k), values_number(b, k), top);
			most = e > most ? e : most;
		}
	}
	return most;
}
