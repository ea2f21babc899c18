#include "fault/gathered.h"

#include <string.h>
#include "core/constant.h"
#include "fault/fault_in.h"
#include "util/integers.h"

enum { ROWS_BEHIND = 256, FOLLOWED = 64, PARTS = 64, TOLD = 4 };

/* What each device takes of the parts that a gather puts side by side: n of them along a dimension, each with a weight. */
struct parts {
	int gather, dim;	/* dim -1: they are added up */
	int n, *part;		/* per device and place */
	double *weight;
};

struct follow {
	const states *s;
	arena *a;
	int left;
};

static int stacked_dim(const states *s, const struct row *r)
{
	const struct row *x = row_at(s, r->op[0]);
	int k;

	for (k = 0; k < r->rank && r->rank == x->rank; k++)
		if (r->dim[k] != x->dim[k])
			return x->dim[k] == 1 ? k : -1;
	return -1;
}

bool gathered_parts(const states *s, int row)
{
	const struct row *r = row_at(s, row);
	const struct answer *w = r->inst->opcode == OP_ALL_GATHER && r->nop == 1 ? &s->answer[r->op[0]] : NULL;

	return w && s->rs[r->op[0]].kind == STATE_PARTIAL && w->op && !strcmp(w->op, "add") && (w->axes & axes_over(s, row)) && stacked_dim(s, r) >= 0;
}

static void room(const struct follow *f, struct parts *p, int n)
{
	size_t places = (size_t)n * (size_t)f->s->q->ms.ndev;

	p->n = n;
	p->part = ARENA_ARRAY(f->a, int, places);
	p->weight = ARENA_ARRAY(f->a, double, places);
}

static bool whole(const struct follow *f, int row, struct parts *p)
{
	const struct row *r = row_at(f->s, row);
	int64_t dev;
	int i;

	*p = (struct parts){ .gather = row, .dim = stacked_dim(f->s, r) };
	if (r->dim[p->dim] > PARTS)
		return false;
	room(f, p, (int)r->dim[p->dim]);
	for (dev = 0; dev < f->s->q->ms.ndev; dev++)
		for (i = 0; i < p->n; i++) {
			p->part[dev * p->n + i] = i;
			p->weight[dev * p->n + i] = 1;
		}
	return true;
}

/* The dimension goes on, or there is one part only, which may lie anywhere. */
static bool reshaped(const struct row *r, const struct row *x, struct parts *p)
{
	int64_t before = p->dim < 0 ? 0 : integers_product(x->dim, p->dim);
	int k;

	if (p->dim < 0 || p->n == 1) {
		p->dim = -1;
		return true;
	}
	for (k = 0; k < r->rank && !(r->dim[k] == p->n && integers_product(r->dim, k) == before); k++)
		;
	p->dim = k;
	return k < r->rank;
}

/* The parts from a place on, which may be another on each device. */
static bool cut(const struct follow *f, const struct row *r, struct parts *p)
{
	struct parts all = *p;
	int64_t dev, at = 0, step = 1, most;
	int i;

	if (p->dim < 0 || r->dim[p->dim] == p->n)
		return true;
	room(f, p, (int)r->dim[p->dim]);
	most = all.n - p->n;
	for (dev = 0; dev < f->s->q->ms.ndev; dev++) {
		if (r->inst->opcode == OP_SLICE) {
			at = r->ints[3 * p->dim];
			step = r->ints[3 * p->dim + 2];
		} else if (!start_on(f->s, r->op[1 + p->dim], dev, most, &at, f->a)) {
			return false;
		}
		for (i = 0; i < p->n; i++) {
			p->part[dev * p->n + i] = all.part[dev * all.n + at + i * step];
			p->weight[dev * p->n + i] = all.weight[dev * all.n + at + i * step];
		}
	}
	return true;
}

/* By a constant that is one number for each part. */
static bool weighed(const struct follow *f, int by, bool turned, struct parts *p)
{
	const struct row *r = row_at(f->s, by);
	int dim = r->rank ? p->dim : -1;	/* one truth value chooses all */
	int64_t n = row_elements(r), inner = dim < 0 ? n : integers_product(r->dim + dim + 1, r->rank - dim - 1), dev, i;
	const double *v;
	layout l;
	eg_id core;

	if (!n || !f->s->rs[by].constant || n * f->s->q->ms.ndev > CONSTANT_MAX || !row_form(f->s->q, SIDE_DIST, by, &l, &core) ||
	    !(v = constant_values(&f->s->q->p->a, core, f->a)))
		return false;
	for (dev = 0; dev < f->s->q->ms.ndev; dev++) {
		double *known = ARENA_ARRAY(f->a, double, p->n);
		bool *has = arena_zalloc(f->a, (size_t)p->n);
		for (i = 0; i < n; i++) {
			int64_t at = dim < 0 ? 0 : i / inner % p->n;
			double c = v[digits_at(l.nd, l.dev, dev) + digits_at(l.nl, l.loc, i)];
			if (has[at] && known[at] != c)
				return false;
			known[at] = c;
			has[at] = true;
		}
		for (i = 0; i < p->n; i++) {
			double c = known[dim < 0 ? 0 : i];
			p->weight[dev * p->n + i] *= turned ? c == 0 : c;
		}
	}
	return true;
}

static bool is_zero(const states *s, int row)
{
	rat c;

	return state_is_number(s, SIDE_DIST, row, &c) && rat_is_int(c, 0);
}

static bool parts_of(struct follow *f, int row, struct parts *p);

static bool added(struct follow *f, const struct row *r, struct parts *p)
{
	struct parts x, y;
	int64_t dev, ndev = f->s->q->ms.ndev;

	if (!parts_of(f, r->op[0], &x) || !parts_of(f, r->op[1], &y) || x.gather != y.gather || x.dim >= 0 || y.dim >= 0 || x.n + y.n > PARTS)
		return false;
	*p = x;
	room(f, p, x.n + y.n);
	for (dev = 0; dev < ndev; dev++) {
		memcpy(p->part + dev * p->n, x.part + dev * x.n, sizeof *x.part * (size_t)x.n);
		memcpy(p->weight + dev * p->n, x.weight + dev * x.n, sizeof *x.weight * (size_t)x.n);
		memcpy(p->part + dev * p->n + x.n, y.part + dev * y.n, sizeof *y.part * (size_t)y.n);
		memcpy(p->weight + dev * p->n + x.n, y.weight + dev * y.n, sizeof *y.weight * (size_t)y.n);
	}
	return true;
}

static bool chosen(struct follow *f, const struct row *r, struct parts *p)
{
	int k = is_zero(f->s, r->op[2]) ? 1 : 2;

	return is_zero(f->s, r->op[3 - k]) && parts_of(f, r->op[k], p) && weighed(f, r->op[0], k == 2, p);
}

static bool multiplied(struct follow *f, const struct row *r, struct parts *p)
{
	int k = f->s->rs[r->op[0]].constant;

	return f->s->rs[r->op[1 - k]].constant && parts_of(f, r->op[k], p) && weighed(f, r->op[1 - k], false, p);
}

static bool reduced(struct follow *f, const struct row *r, struct parts *p)
{
	int n;
	const int64_t *dim = inst_ints(r->inst, "dimensions", &n);

	if (strcmp(r->name, "add") || !is_zero(f->s, r->op[1]) || !parts_of(f, r->op[0], p) || n != 1 || *dim != p->dim)
		return false;
	p->dim = -1;
	return true;
}

static bool parts_of(struct follow *f, int row, struct parts *p)
{
	const struct row *r = row_at(f->s, row);

	if (f->left-- <= 0 || r->param >= 0 || f->s->rs[row].verified)
		return false;
	if (gathered_parts(f->s, row))
		return whole(f, row, p);
	switch (r->inst->opcode) {
	case OP_RESHAPE: case OP_COPY: case OP_CONVERT: case OP_BITCAST:
		return parts_of(f, r->op[0], p) && reshaped(r, row_at(f->s, r->op[0]), p);
	case OP_SLICE: case OP_DYNAMIC_SLICE:
		return parts_of(f, r->op[0], p) && cut(f, r, p);
	case OP_SELECT:
		return chosen(f, r, p);
	case OP_MULTIPLY:
		return multiplied(f, r, p);
	case OP_ADD:
		return added(f, r, p);
	case OP_REDUCE:
		return r->nop == 2 && reduced(f, r, p);
	default:
		return false;
	}
}

/* ---- orders of the devices */

enum order { NONE, BEFORE, UP_TO, BEHIND, FROM, OTHERS, ALL, OWN, ORDERS };

static bool in_order(enum order o, int64_t part, int64_t own)
{
	switch (o) {
	case BEFORE: return part < own;
	case UP_TO: return part <= own;
	case BEHIND: return part > own;
	case FROM: return part >= own;
	case OTHERS: return part != own;
	case ALL: return true;
	case OWN: return part == own;
	default: return false;
	}
}

/* The number of a device along the one axis of a collective; false: there are several, or none. */
static bool along_axis(const states *s, int gather, int64_t dev, int64_t *at)
{
	uint32_t axes = axes_over(s, gather);
	const mesh *ms = &s->q->ms;
	int k;

	for (k = ms->n - 1; k >= 0 && axes != 1u << k; k--)
		dev /= ms->axis[k].size;
	*at = k < 0 ? 0 : dev % ms->axis[k].size;
	return k >= 0;
}

/* How often a device takes a part. */
static double taken(const struct parts *p, int64_t dev, int part)
{
	double c = 0;
	int i;

	for (i = 0; i < p->n; i++)
		c += p->part[dev * p->n + i] == part ? p->weight[dev * p->n + i] : 0;
	return c;
}

static bool fits(const states *s, const struct parts *p, enum order o)
{
	int n = (int)row_at(s, p->gather)->dim[stacked_dim(s, row_at(s, p->gather))], j;
	int64_t dev, at;

	for (dev = 0; dev < s->q->ms.ndev; dev++)
		for (j = 0; j < n; j++) {
			double c = taken(p, dev, j);
			if ((c != 0 && c != 1) || !along_axis(s, p->gather, dev, &at))
				return true;	/* something else */
			if ((c == 1) != in_order(o, j, at))
				return false;
		}
	return true;
}

/* Are they added up, in no order of the devices? */
static bool amiss(const states *s, int row, struct parts *p, arena *tmp)
{
	struct follow f = { s, tmp, FOLLOWED };
	enum order o;

	if (!parts_of(&f, row, p) || p->dim >= 0)
		return false;
	for (o = NONE; o < ORDERS && !fits(s, p, o); o++)
		;
	return o == ORDERS;
}

/* Does a row go on to one that takes nothing but such parts? */
static bool goes_on(const states *s, int row, arena *tmp)
{
	const struct side *d = &s->side[SIDE_DIST];
	struct parts p;
	int k;

	for (k = d->use_at[row]; k < d->use_at[row + 1]; k++) {
		struct follow f = { s, tmp, FOLLOWED };
		if (parts_of(&f, d->use[k], &p))
			return true;
	}
	return false;
}

int gathered_amiss(const states *s, int gather, arena *tmp)
{
	int n = s->q->dist->nrow, row;
	struct parts p;

	for (row = gather; row < n && row < gather + ROWS_BEHIND; row++)
		if (amiss(s, row, &p, tmp) && p.gather == gather && !goes_on(s, row, tmp))
			return row;
	return -1;
}

static const char *taken_text(const struct parts *p, int64_t dev, int n, arena *out)
{
	const char *t = "";
	int j;

	for (j = 0; j < n; j++)
		if (taken(p, dev, j) != 0)
			t = arena_printf(out, "%s%s%d", t, *t ? ", " : "", j);
	return *t ? arena_printf(out, "device %lld takes %s", (long long)dev, t) : arena_printf(out, "device %lld takes none", (long long)dev);
}

const char *gathered_fault(const states *s, int row, arena *out)
{
	enum opcode op = row_at(s, row)->inst->opcode;
	const char *t = "";
	struct parts p;
	int64_t dev;
	int n;

	if ((op != OP_SELECT && op != OP_MULTIPLY && op != OP_ADD && op != OP_REDUCE && op != OP_SLICE && op != OP_DYNAMIC_SLICE && op != OP_RESHAPE) ||
	    !amiss(s, row, &p, out))
		return NULL;
	n = (int)row_at(s, p.gather)->dim[stacked_dim(s, row_at(s, p.gather))];
	for (dev = 0; dev < s->q->ms.ndev && dev < TOLD; dev++)
		t = arena_printf(out, "%s%s%s", t, dev ? ", " : "", taken_text(&p, dev, n, out));
	return arena_printf(out, "of the parts of a sum that %%%s gathers over %s, %s%s: these are neither the parts before each device's own nor those behind it",
			    dist_name(s, p.gather), axes_of(s, axes_over(s, p.gather), out), t, dev < s->q->ms.ndev ? ", .." : "");
}
