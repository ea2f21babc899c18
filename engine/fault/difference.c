#include "fault/difference.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "core/constant.h"
#include "fault/meet.h"
#include "relation/describe.h"
#include "relation/places.h"
#include "relation/state_in.h"
#include "util/integers.h"

#define DEPTH_MAX 24

struct walk {
	const states *s;
	algebra *a;
	arena *out;
	int base_row, dist_row;	/* -1: of no row */
	rat times;		/* what the distributed core is too many times */
	vec seen;		/* pairs of classes that were compared */
};

static difference say(enum difference_kind kind, const char *text)
{
	return (difference){ kind, text };
}

static const difference none;

static char *name(const struct walk *w, eg_id x)
{
	return describe_class(w->s, x, w->out);
}

static char *whole(const struct walk *w, eg_id x)
{
	return describe_core(w->s, x, w->out);
}

static const char *type_word(int type)
{
	return type == TYPE_REAL ? "a number" : etype_name((enum etype)type);
}

/* Of an operation its name: behind it attributes and the text of what it calls may stand. */
static const char *kind_word(const algebra *a, eg_id n, arena *out)
{
	switch (core_kind(a, n)) {
	case C_EIN: return "a product that is summed";
	case C_MUL: return "a product";
	case C_SUM: return eg_narg(a->g, n) == 1 ? "a multiple" : "a sum";
	case C_AT: return "places read";
	case C_RED: return "a reduction";
	case C_LAT: case C_MAP: case C_PICK: case C_OPAQUE: case C_LOOP:
		return arena_printf(out, "%.*s", (int)strcspn(core_fn(a, n), " "), core_fn(a, n));
	case C_PARAM: return "an input";
	case C_NUMBER: case C_TABLE: case C_INDEX: return "a constant";
	default: return core_kind_name(core_kind(a, n));
	}
}

/* An opaque operation's key begins with its name. */
static bool same_first_word(const char *x, const char *y)
{
	size_t n = strcspn(x, " "), m = strcspn(y, " ");

	return n == m && !strncmp(x, y, n);
}

static difference operation(const struct walk *w, eg_id d, eg_id b)
{
	eg_id dn = normal_node(w->a, d), bn = normal_node(w->a, b);

	if (core_kind(w->a, dn) == C_OPAQUE && core_kind(w->a, bn) == C_OPAQUE && same_first_word(core_fn(w->a, dn), core_fn(w->a, bn)))
		return say(DIFFERENCE_ATTRIBUTES, arena_printf(w->out, "is %.*s, as an operation nobody gave a meaning, of other shapes or attributes than the baseline's",
							       (int)strcspn(core_fn(w->a, dn), " "), core_fn(w->a, dn)));
	return say(DIFFERENCE_OPERATION, arena_printf(w->out, "is %s (%s); the baseline has %s (%s)", kind_word(w->a, normal_node(w->a, d), w->out), whole(w, d),
						      kind_word(w->a, normal_node(w->a, b), w->out), whole(w, b)));
}

/* Bound labels by size, in order. */
static bool same_sums(const pairing *d, const pairing *b, int64_t *nd, int64_t *nb)
{
	int k;
	bool same = d->nbound == b->nbound;

	for (*nd = 1, k = 0; k < d->nbound; k++)
		*nd *= d->size[d->nfree + k];
	for (*nb = 1, k = 0; k < b->nbound; k++)
		*nb *= b->size[b->nfree + k];
	for (k = 0; same && k < d->nbound; k++)
		same = d->size[d->nfree + k] == b->size[b->nfree + k];
	return same;
}

struct compared {
	eg_id x, y;
};

static bool once(struct walk *w, eg_id x, eg_id y)
{
	uint32_t i;

	for (i = 0; i < w->seen.n; i++)
		if (VEC_AT(struct compared, &w->seen, i).x == x && VEC_AT(struct compared, &w->seen, i).y == y)
			return false;
	*(struct compared *)vec_push(&w->seen) = (struct compared){ x, y };
	return true;
}

static difference compare(struct walk *w, eg_id d, eg_id b, int depth);

/* Two numbers as short as they can be told apart. */
static void two_texts(char *p, char *q, int n, rat c, rat e)
{
	rat_short(p, n, c);
	rat_short(q, n, e);
	if (!strcmp(p, q)) {
		rat_text(p, n, c);
		rat_text(q, n, e);
	}
}

/* c x and e x in digits, where x is a number; false where it is none, or one of them has too many digits. */
static bool multiples(const struct walk *w, eg_id x, rat c, rat e, char *p, char *q, int n)
{
	eg_id node = normal_node(w->a, x);
	number v;

	if (core_kind(w->a, node) != C_NUMBER)
		return false;
	v = core_number(w->a, node);
	if (!number_is_rat(v)) {
		snprintf(p, (size_t)n, "%g", rat_double(c) * v.f);
		snprintf(q, (size_t)n, "%g", rat_double(e) * v.f);
		return strcmp(p, q) != 0;
	}
	if (!rat_mul(&c, c, v.r) || !rat_mul(&e, e, v.r))
		return false;
	two_texts(p, q, n, c, e);
	return true;
}

/* The k-th coefficient or exponent of the distributed node. */
static rat coefficient(const struct walk *w, eg_id dn, int k, int depth)
{
	rat c = core_coef(w->a, dn, k), own;

	return !depth && core_kind(w->a, dn) == C_SUM && rat_div(&own, c, w->times) ? own : c;
}

static difference factor(const struct walk *w, eg_id dn, eg_id bn, int k, eg_id x, int depth)
{
	rat c = coefficient(w, dn, k, depth), e = core_coef(w->a, bn, k);
	char p[64], q[64];

	if (core_kind(w->a, dn) == C_SUM && multiples(w, x, c, e, p, q, sizeof p))
		return say(DIFFERENCE_SCALE, arena_printf(w->out, "adds %s; the baseline adds %s", p, q));
	two_texts(p, q, sizeof p, c, e);
	if (core_kind(w->a, dn) == C_SUM)
		return say(DIFFERENCE_SCALE, arena_printf(w->out, "takes %s x %s; the baseline takes %s x %s", p, name(w, x), q, name(w, x)));
	return say(DIFFERENCE_POWER, arena_printf(w->out, "takes %s^%s; the baseline takes %s^%s", name(w, x), p, name(w, x), q));
}

/* The whole numbers a constant takes, in rising order; NULL when it is none, or too large to list. */
static const int64_t *values_of(const struct walk *w, eg_id x, int64_t *n)
{
	const double *t = constant_values(w->a, x, w->out);
	int64_t len = core_len(w->a, x), i, *v;

	if (!t)
		return NULL;
	v = ARENA_ARRAY(w->out, int64_t, len);
	for (i = 0; i < len; i++) {
		if (!(fabs(t[i]) < 1e15) || t[i] != floor(t[i]))
			return NULL;
		v[i] = (int64_t)t[i];
	}
	*n = places_once(v, len);
	return v;
}

/* The first of several stretches of equal length, on every device. */
static bool is_local_index(int64_t n, const int64_t *v, int64_t bn, const int64_t *bv)
{
	return n > 0 && n < bn && bn % n == 0 && v[n - 1] - v[0] == n - 1 && bv[bn - 1] - bv[0] == bn - 1 && v[0] == bv[0];
}

/* Is x the values of part `which` of the k that a dimension of y is cut into?  Of a part `inner` values lie together. */
static bool is_part(const double *x, int64_t n, const double *y, int64_t k, int64_t inner, int64_t which)
{
	int64_t at;

	for (at = 0; at < n; at += inner)
		if (memcmp(x + at, y + at * k + which * inner, sizeof *x * (size_t)inner))
			return false;
	return true;
}

/* Into how many parts, along a dimension, y is cut so that x is the first of them, and not the last as well; 0: into none. */
static int64_t first_part(const double *x, int64_t n, const double *y, int64_t m)
{
	int64_t inner, k = n ? m / n : 0;

	if (n < 2 || k < 2 || m % n)
		return 0;
	for (inner = n; inner > 0; inner--)
		if (n % inner == 0 && is_part(x, n, y, k, inner, 0))
			return is_part(x, n, y, k, inner, k - 1) ? 0 : k;
	return 0;
}

/* Does a device hold less than the baseline does?  Where the rows are not known, it may. */
static bool holds_less(const struct walk *w)
{
	return w->base_row < 0 || w->dist_row < 0 ||
	       row_elements(pair_row(w->s->q, SIDE_DIST, w->dist_row)) < row_elements(pair_row(w->s->q, SIDE_BASE, w->base_row));
}

/* Two constants, the one a part of the other; what counts from one number to another is told so instead. */
static bool parts_differ(const struct walk *w, eg_id d, eg_id b, const char *verb, difference *z)
{
	const double *x = constant_values(w->a, d, w->out), *y = constant_values(w->a, b, w->out);
	int64_t n, bn, parts = x && y ? first_part(x, core_len(w->a, d), y, core_len(w->a, b)) : 0;
	const int64_t *v = values_of(w, d, &n), *bv = values_of(w, b, &bn);

	if (!parts || !holds_less(w) || (v && bv && is_local_index(n, v, bn, bv)))
		return false;
	*z = say(DIFFERENCE_CONSTANT_PART, arena_printf(w->out, "%s %s, the same on every device: the first of %lld parts of the baseline's (%s)" DIFFERENCE_LOCAL, verb, name(w, d),
							(long long)parts, name(w, b)));
	return true;
}

static difference place(const struct walk *w, const struct places *d, const struct places *b, eg_id x, int depth)
{
	const char *at = w->base_row >= 0 && !depth ? arena_printf(w->out, "%%%s of the baseline", w->s->q->base->row[w->base_row].path) : "the baseline";
	int k, part = 0, which = -1;
	const char *there = *b->text == '@' ? "others" : *b->text ? b->text : "all of it";

	for (k = 0; k < d->rank && k < b->rank; k++)
		if (d->set[k].n != b->set[k].n || d->set[k].v != b->set[k].v) {
			part++;
			which = k;
		}
	if (d->rank == 1 && d->dim[0] == INT64_MAX)
		return say(DIFFERENCE_INDEX, arena_printf(w->out, "counts %s; %s counts %s%s", d->text, at, there, b->rank && d->set[0].v && b->set[0].v &&
							  is_local_index(d->set[0].n, d->set[0].v, b->set[0].n, b->set[0].v) ? DIFFERENCE_LOCAL : ""));
	if (part == 1 && b->set[which].v)	/* the word for the dimension is not said twice */
		there = describe_runs(w->out, b->set[which].n, b->set[which].v);
	return say(DIFFERENCE_PLACES, arena_printf(w->out, "reads %s of %s; %s reads %s", *d->text == '@' ? "other places" : *d->text ? d->text : "all", name(w, x),
						   at, there));
}

/* " (a table [2,6] of 1 where column <= row + 4, else 0)", where that says more than its name does; "". */
static const char *values_in_words(const struct walk *w, eg_id x)
{
	const char *t = whole(w, x);

	return strstr(t, " where ") || strstr(t, " in the first ") ? arena_printf(w->out, " (%s)", t) : "";
}

static int by_number(const void *x, const void *y)
{
	double a = *(const double *)x, b = *(const double *)y;

	return (a > b) - (a < b);
}

/* Are they the same numbers, in any order? */
static bool same_numbers(const struct walk *w, const double *x, const double *y, int64_t n)
{
	size_t bytes = sizeof *x * (size_t)n;
	double *p = memcpy(ARENA_ARRAY(w->out, double, n), x, bytes), *q = memcpy(ARENA_ARRAY(w->out, double, n), y, bytes);

	qsort(p, (size_t)n, sizeof *p, by_number);
	qsort(q, (size_t)n, sizeof *q, by_number);
	return !memcmp(p, q, bytes);
}

/* Two constants of one size that differ in some places. */
static bool values_differ(const struct walk *w, eg_id d, eg_id b, difference *z)
{
	const double *x = constant_values(w->a, d, w->out), *y = x ? constant_values(w->a, b, w->out) : NULL;
	int64_t n = core_len(w->a, d), at, apart = 0, first = 0;

	if (!y || n < 2 || n != core_len(w->a, b))
		return false;
	for (at = n - 1; at >= 0; at--)
		if (x[at] != y[at]) {
			first = at;
			apart++;
		}
	if (apart)
		*z = say(same_numbers(w, x, y, n) ? DIFFERENCE_CONSTANT_ORDER : DIFFERENCE_CONSTANT,
			 arena_printf(w->out, "takes %s; %lld of its values are others than the baseline's%s, the first is %g and not %g",
							   name(w, d), (long long)apart, values_in_words(w, b), x[first], y[first]));
	return apart > 0;
}

/* Two constants by their values. */
static bool constants_differ(const struct walk *w, eg_id d, eg_id b, difference *z)
{
	int64_t n, bn;
	const int64_t *v = values_of(w, d, &n), *bv = values_of(w, b, &bn);

	if (parts_differ(w, d, b, "takes", z))
		return true;
	if (!v || !bv || (n == bn && !memcmp(v, bv, sizeof *v * (size_t)n)))
		return values_differ(w, d, b, z);
	*z = say(DIFFERENCE_INDEX, arena_printf(w->out, "takes %s, which counts %s; the baseline takes %s, which counts %s%s", name(w, d),
						describe_runs(w->out, n, v), name(w, b), describe_runs(w->out, bn, bv),
						is_local_index(n, v, bn, bv) ? DIFFERENCE_LOCAL : ""));
	return true;
}

/* Operands that only one side has, where the sides are sets: sums, products, lattices. */
static difference odd_operand(const struct walk *w, eg_id dn, eg_id bn)
{
	const eg_id *d = eg_current(w->a->g, dn), *b = eg_current(w->a->g, bn);
	int nd = pairing_read(w->a, dn).nslot, nb = pairing_read(w->a, bn).nslot, i, j, od = -1, ob = -1;
	difference z;

	for (i = 0; i < nd && od < 0; i++) {
		for (j = 0; j < nb && d[i] != b[j]; j++)
			;
		od = j == nb ? i : -1;
	}
	for (i = 0; i < nb && ob < 0; i++) {
		for (j = 0; j < nd && b[i] != d[j]; j++)
			;
		ob = j == nd ? i : -1;
	}
	if (od >= 0 && ob < 0)
		return say(DIFFERENCE_OPERANDS, arena_printf(w->out, "has %s as well; the baseline does not", name(w, d[od])));
	if (ob >= 0 && od < 0)
		return say(DIFFERENCE_OPERANDS, arena_printf(w->out, "lacks %s, which the baseline has", name(w, b[ob])));
	if (od >= 0 && constants_differ(w, d[od], b[ob], &z))
		return z;
	if (od >= 0)
		return say(DIFFERENCE_OPERANDS, arena_printf(w->out, "takes %s; the baseline takes %s", name(w, d[od]), name(w, b[ob])));
	return say(DIFFERENCE_OPERANDS, arena_printf(w->out, "has %d operands; the baseline has %d", nd, nb));
}

static bool same_word(const int64_t *x, const int64_t *y, int n)
{
	return !memcmp(x, y, sizeof *x * (size_t)n);
}

/* The index expressions of slot k as they are written: the same numbers over labels of the same sizes? */
static bool same_expr(const pairing *d, const pair_expr *x, const pairing *b, const pair_expr *y)
{
	int n = d->nfree + d->nbound + d->ndata;

	return n == b->nfree + b->nbound + b->ndata && d->nfree == b->nfree && same_word(d->size, b->size, n) && x->base == y->base &&
	       same_word(x->stride, y->stride, n) && x->ntab == y->ntab;
}

/* A place as it is written of a row of this shape. */
static char *place_in(const struct walk *w, int rank, const int64_t *dim, int64_t at)
{
	int64_t inner = 1;
	char *t = arena_strdup(w->out, "");
	int k;

	if (rank == 1)
		return arena_printf(w->out, "%lld", (long long)at);
	for (k = rank - 1; k >= 0; inner *= dim[k--])
		t = arena_printf(w->out, "%lld%s%s", (long long)(at / inner % dim[k]), *t ? "," : "", t);
	return arena_printf(w->out, "[%s]", t);
}

/* The first two places that the one takes with each other and the other does not; NULL: not known. */
static const char *pair_apart(const struct walk *w, eg_id dn, eg_id bn)
{
	const eg_id *x = eg_args(w->a->g, dn);
	const char *at[2], *due;
	meeting m;
	int k;

	if (!meet_first(w->s, dn, bn, &m, w->out))
		return NULL;
	for (k = 0; k < 2; k++)
		at[k] = arena_printf(w->out, "place %s of %s", place_in(w, m.rank[k], m.dim[k], m.at[k]), name(w, x[m.slot[k]]));
	due = m.due < 0 ? NULL : place_in(w, m.rank[1], m.dim[1], m.due);
	if (m.wanting)
		return arena_printf(w->out, "takes %s with %s on no device; the baseline does", at[0], at[1]);
	return arena_printf(w->out, "takes %s with %s; the baseline %s", at[0], at[1],
			    due ? arena_printf(w->out, "takes it with %s", due) : "takes neither with the other");
}

static difference sums_differ(const struct walk *w, eg_id dn, int64_t nd, int64_t nb)
{
	enum core_kind k = core_kind(w->a, dn);
	const char *fn = k == C_EIN ? "" : core_fn(w->a, dn);
	const char *does = k == C_EIN ? "sums" : arena_printf(w->out, k == C_OPAQUE ? "is %.*s" : "takes the %.*s", (int)strcspn(fn, " "), fn);

	return say(DIFFERENCE_SUMMED, arena_printf(w->out, "%s over %lld%s; the baseline %s over %lld", does, (long long)nd,
						   nd < nb && nb % nd == 0 ? " places, a part of the axis" : "", does, (long long)nb));
}

/* A difference inside an operand is told with the operand's name; one of operations, as which operands are taken. */
static difference within(const struct walk *w, difference z, eg_id dn, eg_id bn, eg_id x)
{
	enum program_side side;

	if (z.kind == DIFFERENCE_OPERATION && pairing_read(w->a, dn).nslot > 1 && core_kind(w->a, dn) != C_MAP)
		return odd_operand(w, dn, bn);
	if (describe_named(w->s, x, &side) >= 0 && strncmp(z.text, "in ", 3) && !strstr(z.text, name(w, x)))
		z.text = arena_printf(w->out, "in %s: %s", name(w, x), z.text);
	return z;
}

/* What a row reads of operand k, place by place of the row, on one device; n: its core's node, or the operand itself. */
static int64_t *row_places(const struct walk *w, enum program_side side, int row, eg_id n, int k, int64_t dev)
{
	const int64_t *v = k < (int)eg_narg(w->a->g, n) ? meet_places(w->s, n, k, w->out) : NULL;
	int64_t elements = row_elements(pair_row(w->s->q, side, row)), i, *r;
	layout l;
	eg_id core;

	if ((core_kind(w->a, n) == C_AT && !v) || elements > CONSTANT_MAX || !row_form(w->s->q, side, row, &l, &core))
		return NULL;
	r = ARENA_ARRAY(w->out, int64_t, elements);
	for (i = 0; i < elements; i++) {
		int64_t at = digits_at(l.nd, l.dev, dev) + digits_at(l.nl, l.loc, i);
		r[i] = v ? v[at] : at;
	}
	return r;
}

/* The only dimension of a row that is longer in the baseline; -1: the shapes say something else. */
static int sharded_dim(const struct row *d, const struct row *b)
{
	int k, at = -1;

	for (k = 0; k < d->rank && d->rank == b->rank; k++) {
		if (d->dim[k] == b->dim[k])
			continue;
		if (at >= 0 || !d->dim[k] || b->dim[k] % d->dim[k])
			return -1;
		at = k;
	}
	return at;
}

/* The only axis that cuts a row into as many parts, -1: none, or several. */
static int axis_of(const struct walk *w, int64_t parts)
{
	const mesh *ms = &w->s->q->ms;
	uint32_t own = row_axes(w->s, w->dist_row);
	int k, at = -1;

	for (k = 0; k < ms->n; k++)
		if (ms->axis[k].size == parts && (own >> k & 1 || ms->n == 1)) {
			if (at >= 0)
				return -1;
			at = k;
		}
	return at;
}

static int64_t coordinate(const mesh *ms, int axis, int64_t dev)
{
	int k;

	for (k = ms->n - 1; k > axis; k--)
		dev /= ms->axis[k].size;
	return dev % ms->axis[axis].size;
}

static int64_t after(const struct row *r, int dim)
{
	return integers_product(r->dim + dim + 1, r->rank - dim - 1);
}

/* The first place at which a device reads another place of operand k than the baseline does there, by the shapes of the two rows. */
static difference places_apart(const struct walk *w, eg_id dn, eg_id bn, const struct places *p, int k)
{
	const struct row *d = pair_row(w->s->q, SIDE_DIST, w->dist_row), *b = pair_row(w->s->q, SIDE_BASE, w->base_row);
	int dim = sharded_dim(d, b), axis = dim < 0 ? -1 : axis_of(w, b->dim[dim] / d->dim[dim]);
	int64_t ndev = w->s->q->ms.ndev, inner, parts, dev, i, n = row_elements(d);
	const int64_t *bv = axis < 0 ? NULL : row_places(w, SIDE_BASE, w->base_row, bn, k, 0), *v;

	if (!bv)
		return none;
	inner = after(d, dim) * d->dim[dim];
	parts = b->dim[dim] / d->dim[dim];
	for (dev = 0; dev < ndev && (v = row_places(w, SIDE_DIST, w->dist_row, dn, k, dev)); dev++)
		for (i = 0; i < n; i++) {
			int64_t due = bv[i / inner * inner * parts + coordinate(&w->s->q->ms, axis, dev) * inner + i % inner];
			if (v[i] != due)
				return say(DIFFERENCE_INDEX, arena_printf(w->out, "reads, on device %lld, place %s of %s where %%%s of the baseline reads place %s",
									  (long long)dev, place_in(w, p->rank, p->dim, v[i]), name(w, eg_args(w->a->g, dn)[k]), b->path,
									  place_in(w, p->rank, p->dim, due)));
		}
	return none;
}

/* Two selections of one array, place by place; `same`: they read the same set of places. */
static difference selections(const struct walk *w, eg_id dn, eg_id bn, const struct places *p, int depth, bool same)
{
	const double *v = constant_places(w->a, dn, w->out), *bv = v ? constant_places(w->a, bn, w->out) : NULL;
	int64_t parts = bv ? first_part(v, core_len(w->a, dn), bv, core_len(w->a, bn)) : 0;

	if (parts)
		return say(DIFFERENCE_INDEX, arena_printf(w->out, "reads the same places of %s on every device, those of the first of %lld parts of %s%s",
							  name(w, eg_args(w->a->g, dn)[0]), (long long)parts, depth || w->base_row < 0 ? "the baseline" :
							  arena_printf(w->out, "%%%s of the baseline", w->s->q->base->row[w->base_row].path), DIFFERENCE_LOCAL));
	return same && v && !depth && w->base_row >= 0 && w->dist_row >= 0 ? places_apart(w, dn, bn, p, 0) : none;
}

static difference pairing_differs(const struct walk *w, eg_id dn, eg_id bn, eg_id x, const pairing *d, const pairing *b, const struct places *p, int depth)
{
	const char *first = pair_apart(w, dn, bn);
	difference z = none;
	int64_t nd = 1, nb = 1;
	int k;

	for (k = 0; k < d->nfree; k++)
		nd *= d->size[k];
	for (k = 0; k < b->nfree; k++)
		nb *= b->size[k];
	if (first)
		return say(nd != nb ? DIFFERENCE_RESULT : DIFFERENCE_PAIRING, first);
	for (k = 0; k < d->nslot && !z.kind && !depth && w->base_row >= 0 && w->dist_row >= 0; k++)
		z = places_apart(w, dn, bn, &p[k], k);
	if (z.kind)
		return say(nd != nb ? DIFFERENCE_RESULT : DIFFERENCE_PAIRING, z.text);
	if (nd != nb)
		return say(DIFFERENCE_RESULT, arena_printf(w->out, "has %lld different places over all devices, of %s; the baseline has %lld",
							   (long long)nd, name(w, x), (long long)nb));
	return say(DIFFERENCE_PAIRING, arena_printf(w->out, "pairs other places of %s%s than the baseline does", name(w, x),
						    d->nslot > 1 ? arena_printf(w->out, " with those of %s", name(w, eg_args(w->a->g, dn)[d->nslot - 1])) : ""));
}

/* Nodes of one kind, function, type and number of operands. */
static difference operands(struct walk *w, eg_id dn, eg_id bn, int depth)
{
	pairing d = pairing_read(w->a, dn), b = pairing_read(w->a, bn);
	const eg_id *x = eg_args(w->a->g, dn), *y = eg_args(w->a->g, bn);
	struct places *px = places_of_node(w->s, dn, w->out), *py = places_of_node(w->s, bn, w->out);
	const int64_t *at = d.word, *bt = b.word;
	int64_t nd, nb;
	bool odd = false;
	pair_expr e, f;
	int k;

	for (k = 0; k < d.nslot; k++) {
		eg_id rx = eg_root(w->a->g, x[k]), ry = eg_root(w->a->g, y[k]);
		if (rx != ry) {
			difference z = once(w, rx, ry) ? compare(w, rx, ry, depth + 1) : none;
			if (z.kind)
				return within(w, z, dn, bn, x[k]);
			odd = true;
		} else if (!rat_eq(coefficient(w, dn, k, depth), core_coef(w->a, bn, k))) {
			return factor(w, dn, bn, k, x[k], depth);
		} else if (!places_equal(&px[k], &py[k]) || *px[k].text != *py[k].text) {
			difference z = d.nslot == 1 ? selections(w, dn, bn, &px[k], depth, !strcmp(px[k].text, py[k].text)) : none;
			if (!z.kind && !strcmp(px[k].text, py[k].text))
				return pairing_differs(w, dn, bn, x[k], &d, &b, px, depth);
			return z.kind ? z : place(w, &px[k], &py[k], x[k], depth);
		}
	}
	if (core_kind(w->a, dn) == C_AT && d.nslot == 1 && !odd) {
		difference z = selections(w, dn, bn, px, depth, true);
		if (z.kind)	/* the same places, otherwise */
			return say(DIFFERENCE_PAIRING, z.text);
	}
	if (!same_sums(&d, &b, &nd, &nb))
		return nd != nb ? sums_differ(w, dn, nd, nb) : pairing_differs(w, dn, bn, x[0], &d, &b, px, depth);
	for (k = 0; k < d.nslot; k++) {
		at = pairing_expr(&d, at, &e);
		bt = pairing_expr(&b, bt, &f);
		if (!same_expr(&d, &e, &b, &f) && !odd)
			return pairing_differs(w, dn, bn, x[k], &d, &b, px, depth);
	}
	return odd ? none : say(DIFFERENCE_PAIRING, arena_printf(w->out, "pairs other places of %s than the baseline does", name(w, x[0])));
}

static bool has_pairing(const algebra *a, eg_id n)
{
	enum core_kind k = core_kind(a, n);

	return k == C_OPAQUE || k == C_LOOP || (!core_atom(a, n) && k != C_VIEW);
}

static bool named(enum core_kind k)
{
	return k == C_MAP || k == C_RED || k == C_LAT || k == C_PICK || k == C_OPAQUE || k == C_LOOP;
}

static difference numbers(const struct walk *w, eg_id d, eg_id b)
{
	return say(DIFFERENCE_CONSTANT, arena_printf(w->out, "has %s; the baseline has %s", whole(w, d), whole(w, b)));
}

/* One reads an array that the other takes whole. */
static difference read_of(struct walk *w, eg_id dn, eg_id bn, int depth)
{
	eg_id n = core_kind(w->a, dn) == C_AT ? dn : bn, x = eg_args(w->a->g, n)[0];
	struct places *p = places_of_node(w->s, n, w->out), all = { 0 };

	if (eg_root(w->a->g, x) != eg_root(w->a->g, n == dn ? bn : dn))
		return none;
	all.text = "";
	if (n == dn) {
		difference z = selections(w, dn, bn, p, depth, !*p->text);
		if (z.kind)
			return z;
	}
	if (!*p->text)
		return say(DIFFERENCE_PAIRING, arena_printf(w->out, "reads the places of %s in another order than the baseline%s%s", name(w, x),
							    n == dn && *p->order ? ": " : "", n == dn ? p->order : ""));
	return n == dn ? place(w, p, &all, x, depth) : place(w, &all, p, x, depth);
}

static difference compare(struct walk *w, eg_id d, eg_id b, int depth)
{
	algebra *a = w->a;
	eg_id dn = normal_node(a, d), bn = normal_node(a, b);
	difference z;

	if (eg_root(a->g, d) == eg_root(a->g, b) || depth > DEPTH_MAX)
		return none;
	if (core_type(a, dn) != core_type(a, bn) && core_type(a, dn) != TYPE_REAL && core_type(a, bn) != TYPE_REAL)
		return say(DIFFERENCE_TYPE, arena_printf(w->out, "%s is %s from here on; the baseline has %s, %s", name(w, d), type_word(core_type(a, dn)), name(w, b),
							 type_word(core_type(a, bn))));
	if (core_kind(a, dn) == C_NUMBER && core_kind(a, bn) == C_NUMBER)
		return numbers(w, d, b);
	if (core_kind(a, dn) != core_kind(a, bn)) {
		if (core_kind(a, dn) == C_AT || core_kind(a, bn) == C_AT) {
			z = read_of(w, dn, bn, depth);
			if (z.kind)
				return z;
		}
		return constants_differ(w, d, b, &z) ? z : operation(w, d, b);
	}
	if (core_kind(a, dn) == C_TABLE && parts_differ(w, d, b, depth ? "takes" : "is", &z))
		return z;
	if (!has_pairing(a, dn) || (named(core_kind(a, dn)) && strcmp(core_fn(a, dn), core_fn(a, bn))))
		return constants_differ(w, d, b, &z) ? z : operation(w, d, b);
	if (pairing_read(a, dn).nslot != pairing_read(a, bn).nslot)
		return odd_operand(w, dn, bn);
	return operands(w, dn, bn, depth);
}

static difference between(const states *s, eg_id b, eg_id d, int base_row, int dist_row, rat times, arena *out)
{
	struct walk w = { s, &s->q->p->a, out, base_row, dist_row, times, { 0 } };
	difference z;

	vec_init(&w.seen, sizeof(struct compared));
	z = compare(&w, d, b, 0);
	vec_free(&w.seen);
	return z;
}

difference difference_cores(const states *s, eg_id b, eg_id d, int base_row, rat times, arena *out)
{
	return between(s, b, d, base_row, -1, times, out);
}

difference difference_rows(const states *s, int base_row, int dist_row, arena *out)
{
	eg_id d = s->side[SIDE_DIST].core[dist_row], b = s->side[SIDE_BASE].core[base_row];

	return d == NIL || b == NIL ? none : between(s, b, d, base_row, dist_row, RAT_ONE, out);
}
