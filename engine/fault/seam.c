#include "fault/seam.h"

#include <string.h>
#include "core/constant.h"
#include "fault/meet.h"
#include "relation/describe.h"
#include "relation/places.h"
#include "relation/state_in.h"

enum { STEPS = 8 };	/* from a piece to what takes it */

/* Where an operand has its places from, read of what array and under which mask. */
struct piece {
	const states *s;
	const struct row *r;
	layout l;
	eg_id of;		/* a class that the baseline names */
	const int64_t *at;	/* per place of the core the place of `of`; NULL: the same in another frame */
	const double *mask;	/* .. 0: nothing is there; NULL: all is */
	layout shape;		/* of `of` */
	digit flat;
	int64_t len;
};

static bool moves(const struct row *r)
{
	enum opcode op = r->inst->opcode;

	return r->nop && (state_relabels(op) || op == OP_SLICE || op == OP_DYNAMIC_SLICE || op == OP_COLLECTIVE_PERMUTE ||
			  op == OP_COLLECTIVE_PERMUTE_START || op == OP_COLLECTIVE_PERMUTE_DONE || op == OP_SELECT || op == OP_OPT_BARRIER);
}

/* Does a row hold what another holds, a token that is 0 added to it, say? */
static bool holds(const states *s, int row, int of)
{
	const eg_id *core = s->side[SIDE_DIST].core;

	return core[row] != NIL && core[of] != NIL && eg_root(s->q->p->g, core[row]) == eg_root(s->q->p->g, core[of]);
}

int seam_behind(const states *s, int row)
{
	const struct side *d = &s->side[SIDE_DIST];
	int left = STEPS, from, k;

	for (; left && d->use_at[row] < d->use_at[row + 1]; left--) {
		for (k = d->use_at[row]; k < d->use_at[row + 1]; k++)
			if (d->p->row[d->use[k]].inst->opcode == OP_CONCATENATE)
				return d->use[k];
		from = row;
		row = d->use[d->use_at[row]];
		if (!moves(&d->p->row[row]) && !holds(s, row, from))
			break;
	}
	return -1;
}

/* ---- what a device holds */

static bool of_baseline(const states *s, eg_id x)
{
	enum program_side side;

	return describe_named(s, x, &side) >= 0 && side == SIDE_BASE;
}

/* Of a product: the operand that is no mask, -1 when there are others; what the masks leave. */
static int unmasked(struct piece *p, eg_id n, arena *out)
{
	algebra *a = &p->s->q->p->a;
	const eg_id *x = eg_args(a->g, n);
	int64_t len = core_len(a, n), i;
	double *all = ARENA_ARRAY(out, double, len);
	int k, which = -1;

	for (i = 0; i < len; i++)
		all[i] = 1;
	for (k = 0; k < (int)eg_narg(a->g, n); k++) {
		const double *v = constant_values(a, x[k], out);
		const int64_t *at = v ? meet_places(p->s, n, k, out) : NULL;
		if (!v && which >= 0)
			return -1;
		if (!v)
			which = k;
		else if (!at)
			return -1;
		for (i = 0; v && i < len; i++)
			all[i] *= v[at[i]];
	}
	p->mask = all;
	return which;
}

static bool open_piece(struct piece *p, const states *s, int row, arena *out)
{
	algebra *a = &s->q->p->a;
	eg_id core, n;
	int k = 0;

	*p = (struct piece){ .s = s, .r = &s->q->dist->row[row] };
	if (!row_form(s->q, SIDE_DIST, row, &p->l, &core))
		return false;
	n = normal_node(a, core);
	p->of = core;
	if (!of_baseline(s, core)) {
		if (core_kind(a, n) != C_AT && core_kind(a, n) != C_MUL)
			return false;
		if ((core_kind(a, n) == C_MUL && (k = unmasked(p, n, out)) < 0) || !(p->at = meet_places(s, n, k, out)))
			return false;
		p->of = eg_args(a->g, n)[k];
	}
	places_shape(s, p->of, &p->shape, &p->flat, &p->len);
	return p->shape.rank > 0;
}

/* Digits of a place along the dimensions of the piece's array; false: the place holds nothing, or it is not known. */
static bool held(const struct piece *p, int64_t dev, int64_t local, int64_t *digit)
{
	int64_t at = digits_at(p->l.nd, p->l.dev, dev) + digits_at(p->l.nl, p->l.loc, local), inner = 1;
	int k;

	if (p->mask && p->mask[at] == 0)
		return false;
	at = p->at ? p->at[at] : at;
	for (k = p->shape.rank - 1; k >= 0; inner *= p->shape.dim[k--])
		digit[k] = at / inner % p->shape.dim[k];
	return true;
}

/* ---- what lies beside what */

enum { RANK_MAX = 8 };

/* The flat place of a piece at `at` along a dimension, the first along all others. */
static int64_t along(const struct row *r, int dim, int64_t at)
{
	int k;

	for (k = dim + 1; k < r->rank; k++)
		at *= r->dim[k];
	return at;
}

/* The only dimension in which two places differ; -1: none or several. */
static int apart_in(const struct piece *p, const int64_t *x, const int64_t *y)
{
	int k, which = -1;

	for (k = 0; k < p->shape.rank; k++)
		if (x[k] != y[k]) {
			if (which >= 0)
				return -1;
			which = k;
		}
	return which;
}

/* The dimension of its array that a piece runs along, one place after the other; -1. */
static int runs_along(const struct piece *p, int dim, int64_t dev)
{
	int64_t x[RANK_MAX], y[RANK_MAX];
	int which;

	if (p->r->dim[dim] < 2 || !held(p, dev, 0, x) || !held(p, dev, along(p->r, dim, 1), y))
		return -1;
	which = apart_in(p, x, y);
	return which >= 0 && y[which] == x[which] + 1 ? which : -1;
}

static const char *place_word(const struct piece *p, int dim, int64_t at, arena *out)
{
	if (p->shape.rank > 2)
		return arena_printf(out, "place %lld of dimension %d", (long long)at, dim);
	return arena_printf(out, "%s %lld", p->shape.rank == 1 ? "place" : dim ? "column" : "row", (long long)at);
}

static const char *place_of(const struct piece *p, int dim, int64_t at, arena *out)
{
	return arena_printf(out, "%s of %s", place_word(p, dim, at, out), describe_class(p->s, p->of, out));
}

/* One piece holds zeros at the seam: that is right at the edge of the array. */
static const char *beside_zeros(const struct piece *p, int dim, const int64_t *x, bool before, int64_t dev, arena *out)
{
	int64_t due = before ? x[dim] - 1 : x[dim] + 1;

	if (due < 0 || due >= p->shape.dim[dim])
		return NULL;
	return arena_printf(out, "on device %lld it puts zeros %s %s, where %s should be", (long long)dev, before ? "before" : "behind",
			    place_of(p, dim, x[dim], out), place_word(p, dim, due, out));
}

static const char *seam_on(const struct piece *a, const struct piece *b, int dim, int64_t dev, arena *out)
{
	int64_t x[RANK_MAX], y[RANK_MAX];
	int d = runs_along(a, dim, dev);
	bool left, right;

	d = d < 0 ? runs_along(b, dim, dev) : d;
	if (d < 0)
		return NULL;
	left = held(a, dev, along(a->r, dim, a->r->dim[dim] - 1), x);
	right = held(b, dev, 0, y);
	if (left != right)
		return left ? beside_zeros(a, d, x, false, dev, out) : beside_zeros(b, d, y, true, dev, out);
	if (!left || (y[d] == x[d] + 1 && apart_in(a, x, y) == d))
		return NULL;
	return arena_printf(out, "on device %lld it puts %s before %s, which is not its neighbour", (long long)dev, place_of(a, d, x[d], out),
			    place_word(a, d, y[d], out));
}

/* The dimension along which a row puts its operands together; -1. */
static int joined_dim(const states *s, const struct row *r)
{
	const struct row *o = &s->q->dist->row[r->op[0]];
	int k;

	for (k = 0; k < r->rank && r->dim[k] == o->dim[k]; k++)
		;
	return k < r->rank ? k : -1;
}

const char *seam_fault(const states *s, int row, arena *out)
{
	const struct row *r = &s->q->dist->row[row];
	int dim = r->inst->opcode == OP_CONCATENATE && r->nop > 1 ? joined_dim(s, r) : -1, k;
	struct piece a, b;
	const char *t = NULL;
	int64_t dev;

	if (dim < 0 || !open_piece(&b, s, r->op[0], out))
		return NULL;
	for (k = 1; k < r->nop && !t; k++) {
		a = b;
		if (!open_piece(&b, s, r->op[k], out) || eg_root(s->q->p->g, a.of) != eg_root(s->q->p->g, b.of) || a.shape.rank > RANK_MAX)
			return NULL;
		for (dev = 0; dev < s->q->ms.ndev && !t; dev++)
			t = seam_on(&a, &b, dim, dev, out);
	}
	return t;
}
