#include "random_pair.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

uint64_t dice_next(struct dice *d)	/* splitmix64 */
{
	uint64_t z = d->s += 0x9e3779b97f4a7c15;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
	z = (z ^ z >> 27) * 0x94d049bb133111eb;
	return z ^ z >> 31;
}

int dice_below(struct dice *d, int n)
{
	return (int)(dice_next(d) % (uint64_t)n);
}

void text_pair_free(struct text_pair *t)
{
	free(t->base);
	free(t->dist);
	free(t->plan);
	*t = (struct text_pair){ 0 };
}

/* ---- values and their placements */

enum { WHOLE = -1, PARTS = -2, DIMS = 4, AXES = 2, VALUES = 64 };

struct value {
	int rank, dim[DIMS];
	int at[AXES];		/* per axis: WHOLE, PARTS of a sum, or the dimension it shards */
	char base[24], dist[24];
};

struct writer {
	struct dice *d;
	FILE *base, *dist, *plan;
	int naxis, axis[AXES], ndev;
	int nname, nchannel, nvalue;
	const char *type;	/* element type of the program */
	bool whole;		/* .. it is one of integers */
	int loop;		/* base and dist are the body of a loop over so many parameters, or 0 */
	struct value value[VALUES];
};

static int roll(struct writer *w, int n)
{
	return dice_below(w->d, n);
}

static int shards(const struct writer *w, const struct value *v, int dim)
{
	int k, n = 1;

	for (k = 0; k < w->naxis; k++)
		if (v->at[k] == dim)
			n *= w->axis[k];
	return n;
}

/* Shape text; `local`: of a device. */
static const char *shape_of(const struct writer *w, const struct value *v, bool local, const char *type)
{
	static char ring[8][64];
	static int turn;
	char *s = ring[turn++ % 8];
	int k, at = snprintf(s, 64, "%s[", type);

	for (k = 0; k < v->rank; k++)
		at += snprintf(s + at, 64 - (size_t)at, "%s%d", k ? "," : "", local ? v->dim[k] / shards(w, v, k) : v->dim[k]);
	snprintf(s + at, 64 - (size_t)at, "]");
	return s;
}

static const char *groups(const struct writer *w, int axis)
{
	static char s[160];
	int minor = 1, at = 0, d, k;

	for (k = axis + 1; k < w->naxis; k++)
		minor *= w->axis[k];
	for (d = 0; d < w->ndev; d++) {
		if (d / minor % w->axis[axis])
			continue;
		at += snprintf(s + at, sizeof s - (size_t)at, "%s{", at ? "," : "");
		for (k = 0; k < w->axis[axis]; k++)
			at += snprintf(s + at, sizeof s - (size_t)at, "%s%d", k ? "," : "", d + k * minor);
		at += snprintf(s + at, sizeof s - (size_t)at, "}");
	}
	return s;
}

static void name(struct writer *w, char *to, const char *stem)
{
	snprintf(to, 24, "%%%s.%d", stem, w->nname++);
}

__attribute__((format(printf, 3, 4)))
static void line(FILE *f, const char *to, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	fprintf(f, "  %s = ", to);
	vfprintf(f, fmt, ap);
	fputc('\n', f);
	va_end(ap);
}

/* ---- redistribution, in the distributed program only */

static void coordinate(struct writer *w, int axis, char *to)
{
	char id[24], u[24], c[24], m[24];
	int minor = 1, k;

	for (k = axis + 1; k < w->naxis; k++)
		minor *= w->axis[k];
	name(w, u, "id");
	line(w->dist, u, "u32[] partition-id()");
	name(w, id, "sid");
	line(w->dist, id, "s32[] convert(%s)", u);
	name(w, c, "c");
	line(w->dist, c, "s32[] constant(%d)", minor);
	name(w, m, "div");
	line(w->dist, m, "s32[] divide(%s, %s)", id, c);
	name(w, c, "c");
	line(w->dist, c, "s32[] constant(%d)", w->axis[axis]);
	name(w, to, "rem");
	line(w->dist, to, "s32[] remainder(%s, %s)", m, c);
}

static bool can_shard(const struct writer *w, const struct value *v, int axis, int dim)
{
	struct value t = *v;

	t.at[axis] = dim;
	return dim < v->rank && v->dim[dim] % shards(w, &t, dim) == 0 && shards(w, v, dim) == 1;
}

static void collective(struct writer *w, struct value *v, int axis, const char *op, const char *more)
{
	char to[24];

	name(w, to, op);
	line(w->dist, to, "%s %s(%s), channel_id=%d, replica_groups={%s}, use_global_device_ids=true%s",
	     shape_of(w, v, true, w->type), op, v->dist, ++w->nchannel, groups(w, axis), more);
	strcpy(v->dist, to);
}

static void whole(struct writer *w, struct value *v, int axis)
{
	char more[64] = ", to_apply=%sum";
	int was = v->at[axis];

	if (was == WHOLE)
		return;
	v->at[axis] = WHOLE;
	if (was >= 0)
		snprintf(more, sizeof more, ", dimensions={%d}", was);
	collective(w, v, axis, was == PARTS ? "all-reduce" : "all-gather", more);
}

static void own_slice(struct writer *w, struct value *v, int axis, int dim)
{
	char at[24], c[24], off[24], zero[24], to[24], starts[128] = "", sizes[64] = "";
	int k;

	v->at[axis] = dim;
	coordinate(w, axis, at);
	name(w, c, "c");
	line(w->dist, c, "s32[] constant(%d)", v->dim[dim] / shards(w, v, dim));
	name(w, off, "off");
	line(w->dist, off, "s32[] multiply(%s, %s)", at, c);
	name(w, zero, "c");
	line(w->dist, zero, "s32[] constant(0)");
	for (k = 0; k < v->rank; k++) {
		char size[16];
		strcat(strcat(starts, ", "), k == dim ? off : zero);
		snprintf(size, sizeof size, "%s%d", k ? "," : "", v->dim[k] / shards(w, v, k));
		strcat(sizes, size);
	}
	name(w, to, "ds");
	line(w->dist, to, "%s dynamic-slice(%s%s), dynamic_slice_sizes={%s}", shape_of(w, v, true, w->type), v->dist, starts, sizes);
	strcpy(v->dist, to);
}

static void place(struct writer *w, struct value *v, int axis, int want)
{
	char more[96];
	int was = v->at[axis];

	if (was == want || want == PARTS)
		return;
	if (want == WHOLE || !can_shard(w, v, axis, want)) {
		whole(w, v, axis);
	} else if (was == WHOLE) {
		own_slice(w, v, axis, want);
	} else if (was == PARTS) {
		v->at[axis] = want;
		snprintf(more, sizeof more, ", dimensions={%d}, to_apply=%%sum", want);
		collective(w, v, axis, "reduce-scatter", more);
	} else {
		whole(w, v, axis);
		own_slice(w, v, axis, want);
	}
}

static void no_parts(struct writer *w, struct value *v)
{
	int k;

	for (k = 0; k < w->naxis; k++)
		if (v->at[k] == PARTS)
			place(w, v, k, roll(w, 2) || !v->rank ? WHOLE : roll(w, v->rank));
}

static void free_dim(struct writer *w, struct value *v, int dim)
{
	int k;

	for (k = 0; k < w->naxis; k++)
		if (v->at[k] == dim || v->at[k] == PARTS)
			whole(w, v, k);
}

static bool same_place(const struct writer *w, const struct value *x, const struct value *y)
{
	return !memcmp(x->at, y->at, sizeof *x->at * (size_t)w->naxis);
}

static void align(struct writer *w, struct value *x, struct value *y)
{
	int k;

	no_parts(w, x);
	no_parts(w, y);
	for (k = 0; k < w->naxis; k++)
		if (x->at[k] != y->at[k])
			place(w, y, k, x->at[k]);
	for (k = 0; k < w->naxis; k++)
		if (x->at[k] != y->at[k]) {
			whole(w, x, k);
			whole(w, y, k);
		}
}

/* ---- operations: the new value, from copies of the operands */

__attribute__((format(printf, 4, 5)))
static void both(struct writer *w, struct value *v, const char *type, const char *fmt, ...)
{
	va_list ap;
	char rest[200], base[24], dist[24];
	const char *at, *end;
	FILE *f[2] = { w->base, w->dist };
	int side;

	name(w, base, "v");
	strcpy(dist, base);
	va_start(ap, fmt);
	vsnprintf(rest, sizeof rest, fmt, ap);
	va_end(ap);
	for (side = 0; side < 2; side++) {	/* <base|dist> is the side's own text */
		fprintf(f[side], "  %s = %s ", base, shape_of(w, v, side, type));
		for (at = rest; *at; at = end) {
			if (*at != '<') {
				end = at + strcspn(at, "<");
				fprintf(f[side], "%.*s", (int)(end - at), at);
				continue;
			}
			end = strchr(at, '>') + 1;
			if (side)
				at = strchr(at, '|');
			fprintf(f[side], "%.*s", (int)strcspn(at + 1, "|>"), at + 1);
		}
		fputc('\n', f[side]);
	}
	strcpy(v->base, base);
	strcpy(v->dist, dist);
}

static struct value unary(struct writer *w, struct value x)
{
	static const char *const op[] = { "negate", "exponential", "log", "tanh", "abs", "sqrt", "rsqrt", "logistic", "sign", "floor",
					  "cosine", "exponential-minus-one", "log-plus-one" };
	static const char *const whole_op[] = { "negate", "abs", "sign", "not", "negate", "popcnt", "count-leading-zeros" };
	int k = roll(w, w->whole ? 7 : 13);

	if (k)
		no_parts(w, &x);
	both(w, &x, w->type, "%s(<%s|%s>)", w->whole ? whole_op[k] : op[k], x.base, x.dist);
	return x;
}

static struct value binary(struct writer *w, struct value x, struct value y)
{
	static const char *const op[] = { "add", "subtract", "multiply", "divide", "maximum", "minimum", "power" };
	static const char *const whole_op[] = { "add", "subtract", "multiply", "divide", "maximum", "minimum", "remainder", "and", "or",
						"xor", "shift-left", "shift-right-logical", "shift-right-arithmetic" };
	int k = roll(w, w->whole ? 13 : 7);

	if (k > 1 || !same_place(w, &x, &y))
		align(w, &x, &y);
	both(w, &x, w->type, "%s(<%s|%s>, <%s|%s>)", w->whole ? whole_op[k] : op[k], x.base, x.dist, y.base, y.dist);
	return x;
}

static struct value choose(struct writer *w, struct value x, struct value y)
{
	static const char *const dir[] = { "EQ", "NE", "LT", "LE", "GT", "GE" };
	struct value p;

	align(w, &x, &y);
	p = x;
	both(w, &p, "pred", "compare(<%s|%s>, <%s|%s>), direction=%s", x.base, x.dist, y.base, y.dist, dir[roll(w, 6)]);
	if (roll(w, 2)) {
		struct value t = x;
		x = y;
		y = t;
	}
	both(w, &p, w->type, "select(<%s|%s>, <%s|%s>, <%s|%s>)", p.base, p.dist, x.base, x.dist, y.base, y.dist);
	return p;
}

static struct value constant(struct writer *w, const struct value *like)
{
	static const char *const number[] = { "0", "1", "2", "-1", "0.5", "inf", "-inf", "3", "0.1" };
	static const char *const whole_number[] = { "0", "1", "2", "3", "5", "7", "31", "100", "4" };
	struct value c = { .at = { WHOLE, WHOLE } }, v = *like;
	int k = roll(w, 9);

	both(w, &c, w->type, "constant(%s)", w->whole ? whole_number[k] : number[k]);
	for (k = 0; k < w->naxis; k++)
		v.at[k] = v.at[k] == PARTS ? WHOLE : v.at[k];
	both(w, &v, w->type, "broadcast(<%s|%s>), dimensions={}", c.base, c.dist);
	return v;
}

static struct value transpose(struct writer *w, struct value x)
{
	char perm[32];
	int k;

	if (x.rank < 2)
		return x;
	k = x.dim[0];
	x.dim[0] = x.dim[1];
	x.dim[1] = k;
	for (k = 0; k < w->naxis; k++)
		x.at[k] = x.at[k] == 0 ? 1 : x.at[k] == 1 ? 0 : x.at[k];
	snprintf(perm, sizeof perm, "1,0%s", x.rank > 2 ? x.rank > 3 ? ",2,3" : ",2" : "");
	both(w, &x, w->type, "transpose(<%s|%s>), dimensions={%s}", x.base, x.dist, perm);
	return x;
}

static void drop_dim(struct value *v, int dim)
{
	int k;

	for (k = dim; k + 1 < v->rank; k++)
		v->dim[k] = v->dim[k + 1];
	v->rank--;
	for (k = 0; k < AXES; k++)
		v->at[k] = v->at[k] == dim ? PARTS : v->at[k] > dim ? v->at[k] - 1 : v->at[k];
}

static struct value reduce(struct writer *w, struct value x)
{
	static const char *const op[] = { "sum", "max", "min" }, *const start[] = { "0", "-inf", "inf" };
	struct value c = { .at = { WHOLE, WHOLE } };
	int dim, k;

	if (!x.rank)
		return x;
	k = w->whole ? 0 : roll(w, 3);
	dim = roll(w, x.rank);
	if (k)
		free_dim(w, &x, dim);
	both(w, &c, w->type, "constant(%s)", start[k]);
	drop_dim(&x, dim);
	both(w, &x, w->type, "reduce(<%s|%s>, <%s|%s>), dimensions={%d}, to_apply=%%%s", x.base, x.dist, c.base, c.dist, dim, op[k]);
	return x;
}

static struct value broadcast(struct writer *w, struct value x)
{
	int dim, k, at = 0;
	char dims[32] = "";

	if (x.rank == DIMS)
		return x;
	no_parts(w, &x);
	dim = roll(w, x.rank + 1);
	for (k = 0; k < x.rank; k++)
		at += snprintf(dims + at, sizeof dims - (size_t)at, "%s%d", k ? "," : "", k < dim ? k : k + 1);
	for (k = x.rank; k > dim; k--)
		x.dim[k] = x.dim[k - 1];
	x.dim[dim] = 1 + roll(w, 4);
	x.rank++;
	for (k = 0; k < AXES; k++)
		x.at[k] += x.at[k] >= dim;
	both(w, &x, w->type, "broadcast(<%s|%s>), dimensions={%s}", x.base, x.dist, dims);
	return x;
}

/* The two first dimensions become one; the second is not sharded. */
static struct value merge(struct writer *w, struct value x)
{
	int k;

	if (x.rank < 2)
		return x;
	free_dim(w, &x, 1);
	x.dim[1] *= x.dim[0];
	for (k = 0; k + 1 < x.rank; k++)
		x.dim[k] = x.dim[k + 1];
	x.rank--;
	for (k = 0; k < AXES; k++)
		x.at[k] -= x.at[k] > 0;
	both(w, &x, w->type, "reshape(<%s|%s>)", x.base, x.dist);
	return x;
}

static struct value slice(struct writer *w, struct value x)
{
	char text[96] = "";
	int dim, k, at[2] = { 0, 0 }, lo, n, was, side;
	char bounds[2][96];

	if (!x.rank)
		return x;
	dim = roll(w, x.rank);
	free_dim(w, &x, dim);
	was = x.dim[dim];
	lo = roll(w, was);
	n = 1 + roll(w, was - lo);
	for (side = 0; side < 2; side++)
		for (k = 0; k < x.rank; k++) {
			int ext = side ? x.dim[k] / shards(w, &x, k) : x.dim[k];
			at[side] += snprintf(bounds[side] + at[side], sizeof bounds[side] - (size_t)at[side], "%s[%d:%d]", k ? "," : "",
					     k == dim ? lo : 0, k == dim ? lo + n : ext);
		}
	x.dim[dim] = n;
	snprintf(text, sizeof text, "%s", "");
	both(w, &x, w->type, "slice(<%s|%s>), slice={<%s|%s>}", x.base, x.dist, bounds[0], bounds[1]);
	return x;
}

static struct value concat(struct writer *w, struct value x, struct value y)
{
	int dim;

	if (!x.rank)
		return x;
	dim = roll(w, x.rank);
	align(w, &x, &y);
	free_dim(w, &x, dim);
	free_dim(w, &y, dim);
	x.dim[dim] += y.dim[dim];
	both(w, &x, w->type, "concatenate(<%s|%s>, <%s|%s>), dimensions={%d}", x.base, x.dist, y.base, y.dist, dim);
	return x;
}

static struct value reverse(struct writer *w, struct value x)
{
	int dim;

	if (!x.rank)
		return x;
	dim = roll(w, x.rank);
	free_dim(w, &x, dim);
	both(w, &x, w->type, "reverse(<%s|%s>), dimensions={%d}", x.base, x.dist, dim);
	return x;
}

/* x[a, k] times y[b, k] (dimension 0 of one rank-2 value each), contracted over k. */
static struct value dot(struct writer *w, struct value x, struct value y)
{
	struct value v = { .rank = 2, .dim = { x.dim[0], y.dim[0] } };
	int k;

	no_parts(w, &x);
	no_parts(w, &y);
	for (k = 0; k < w->naxis; k++) {
		if (x.at[k] == 1 && y.at[k] != 1)
			place(w, &y, k, 1);
		if (y.at[k] == 1 && x.at[k] != 1)
			place(w, &x, k, 1);
		if ((x.at[k] == 1) != (y.at[k] == 1) || (x.at[k] == 0 && y.at[k] == 0))
			whole(w, &y, k);
		if (x.at[k] == 1 && y.at[k] != 1)
			whole(w, &x, k);
		v.at[k] = x.at[k] == 1 ? PARTS : x.at[k] == 0 ? 0 : y.at[k] == 0 ? 1 : WHOLE;
	}
	if (shards(w, &x, 1) != shards(w, &y, 1))
		for (k = 0; k < w->naxis; k++) {
			whole(w, &x, k);
			whole(w, &y, k);
			v.at[k] = WHOLE;
		}
	both(w, &v, w->type, "dot(<%s|%s>, <%s|%s>), lhs_contracting_dims={1}, rhs_contracting_dims={1}", x.base, x.dist, y.base, y.dist);
	return v;
}

static struct value softmax(struct writer *w, struct value x)
{
	struct value m, c = { .at = { WHOLE, WHOLE } }, s;
	char dims[32] = "";
	int dim, k, at = 0;

	if (!x.rank || w->whole)
		return x;
	dim = roll(w, x.rank);
	free_dim(w, &x, dim);
	for (k = 0; k < x.rank; k++)
		if (k != dim)
			at += snprintf(dims + at, sizeof dims - (size_t)at, "%s%d", at ? "," : "", k);
	both(w, &c, w->type, "constant(-inf)");
	m = x;
	drop_dim(&m, dim);
	both(w, &m, w->type, "reduce(<%s|%s>, <%s|%s>), dimensions={%d}, to_apply=%%max", x.base, x.dist, c.base, c.dist, dim);
	s = x;
	both(w, &s, w->type, "broadcast(<%s|%s>), dimensions={%s}", m.base, m.dist, dims);
	both(w, &x, w->type, "subtract(<%s|%s>, <%s|%s>)", x.base, x.dist, s.base, s.dist);
	both(w, &x, w->type, "exponential(<%s|%s>)", x.base, x.dist);
	both(w, &c, w->type, "constant(0)");
	m = x;
	drop_dim(&m, dim);
	both(w, &m, w->type, "reduce(<%s|%s>, <%s|%s>), dimensions={%d}, to_apply=%%sum", x.base, x.dist, c.base, c.dist, dim);
	both(w, &s, w->type, "broadcast(<%s|%s>), dimensions={%s}", m.base, m.dist, dims);
	both(w, &x, w->type, "divide(<%s|%s>, <%s|%s>)", x.base, x.dist, s.base, s.dist);
	return x;
}

static struct value rounded(struct writer *w, struct value x)
{
	static const char *const type[] = { "bf16", "f16", "s32", "f64" }, *const whole_type[] = { "s8", "u32", "s64", "u8" };
	int k = roll(w, 4);

	no_parts(w, &x);
	both(w, &x, w->whole ? whole_type[k] : type[k], "convert(<%s|%s>)", x.base, x.dist);
	both(w, &x, w->type, "convert(<%s|%s>)", x.base, x.dist);
	return x;
}

/* Places below a bound along a dimension keep their value, the others become 0. */
static struct value masked(struct writer *w, struct value x)
{
	struct value i, c = { .at = { WHOLE, WHOLE } }, z;
	char off[24], at[24], t[24];
	int dim, k, bound;

	if (!x.rank)
		return x;
	no_parts(w, &x);
	dim = roll(w, x.rank);
	bound = roll(w, x.dim[dim] + 1);
	i = x;
	both(w, &i, "s32", "iota(), iota_dimension=%d", dim);
	for (k = 0; k < w->naxis; k++)
		if (x.at[k] == dim && shards(w, &x, dim) == w->axis[k]) {
			coordinate(w, k, at);
			name(w, t, "c");
			line(w->dist, t, "s32[] constant(%d)", x.dim[dim] / w->axis[k]);
			name(w, off, "off");
			line(w->dist, off, "s32[] multiply(%s, %s)", at, t);
			name(w, t, "b");
			line(w->dist, t, "%s broadcast(%s), dimensions={}", shape_of(w, &x, true, "s32"), off);
			name(w, off, "i");
			line(w->dist, off, "%s add(%s, %s)", shape_of(w, &x, true, "s32"), i.dist, t);
			strcpy(i.dist, off);
		} else if (x.at[k] == dim) {
			return x;
		}
	both(w, &c, "s32", "constant(%d)", bound);
	z = x;
	both(w, &z, "s32", "broadcast(<%s|%s>), dimensions={}", c.base, c.dist);
	both(w, &i, "pred", "compare(<%s|%s>, <%s|%s>), direction=LT", i.base, i.dist, z.base, z.dist);
	both(w, &c, w->type, "constant(%s)", w->whole || roll(w, 3) ? "0" : "-inf");
	both(w, &z, w->type, "broadcast(<%s|%s>), dimensions={}", c.base, c.dist);
	both(w, &x, w->type, "select(<%s|%s>, <%s|%s>, <%s|%s>)", i.base, i.dist, x.base, x.dist, z.base, z.dist);
	return x;
}

/* ---- the program */

static struct value *pick_rank2(struct writer *w)
{
	int k, n = roll(w, w->nvalue);

	for (k = 0; k < w->nvalue; k++)
		if (w->value[(n + k) % w->nvalue].rank == 2)
			return &w->value[(n + k) % w->nvalue];
	return NULL;
}

static struct value *pick_like(struct writer *w, const struct value *x)
{
	int k, n = roll(w, w->nvalue);

	for (k = 0; k < w->nvalue; k++) {
		struct value *y = &w->value[(n + k) % w->nvalue];
		if (y->rank == x->rank && !memcmp(y->dim, x->dim, sizeof *x->dim * (size_t)x->rank))
			return y;
	}
	return NULL;
}

static void step(struct writer *w)
{
	struct value x = w->value[roll(w, 3) ? w->nvalue - 1 : roll(w, w->nvalue)], y, *o;

	o = pick_like(w, &x);
	y = roll(w, 4) ? *o : constant(w, &x);
	switch (roll(w, 15)) {
	case 0: case 1: x = unary(w, x); break;
	case 2: case 3: case 4: x = binary(w, x, y); break;
	case 5: x = choose(w, x, y); break;
	case 6: x = transpose(w, x); break;
	case 7: x = reduce(w, x); break;
	case 8: x = broadcast(w, x); break;
	case 9: x = roll(w, 2) ? merge(w, x) : slice(w, x); break;
	case 10: x = roll(w, 2) ? concat(w, x, y) : reverse(w, x); break;
	case 11: x = roll(w, 2) ? softmax(w, x) : rounded(w, x); break;
	case 12: x = masked(w, x); break;
	default:
		o = pick_rank2(w);
		if (x.rank == 2 && o && o->dim[1] == x.dim[1])
			x = dot(w, x, *o);
		else
			x = unary(w, x);
	}
	if (w->nvalue < VALUES)
		w->value[w->nvalue++] = x;
}

static void chain_text(const struct writer *w, const struct value *v)
{
	int k, n = 0;

	for (k = 0; k < w->naxis; k++) {
		if (v->at[k] >= 0)
			n += fprintf(w->plan, " a%d:S(%d)", k, v->at[k]);
		else if (v->at[k] == PARTS)
			n += fprintf(w->plan, " a%d:P(sum)", k);
	}
	fprintf(w->plan, n ? "\n" : " R\n");
}

static void parameter(struct writer *w, int k)
{
	static const int size[] = { 4, 8, 12, 4, 6, 1, 3, 2 };
	struct value *v = &w->value[w->nvalue++];
	int j;

	*v = (struct value){ .at = { WHOLE, WHOLE } };
	if (k && roll(w, 2)) {
		*v = w->value[roll(w, k)];
		memset(v->at, 0xff, sizeof v->at);	/* WHOLE */
	} else {
		v->rank = roll(w, 6) ? 2 : roll(w, 4);
		for (j = 0; j < v->rank; j++)
			v->dim[j] = size[roll(w, 8)];
	}
	for (j = 0; j < w->naxis; j++) {
		int want = roll(w, 4) - 2;
		if (want == PARTS)
			v->at[j] = roll(w, 2) ? PARTS : WHOLE;
		else if (want >= 0 && can_shard(w, v, j, want))
			v->at[j] = want;
	}
	snprintf(v->base, sizeof v->base, "%%p%d", k);
	strcpy(v->dist, v->base);
	if (w->loop) {
		line(w->base, v->base, "%s get-tuple-element(%%carried), index=%d", shape_of(w, v, false, w->type), k + 1);
		line(w->dist, v->dist, "%s get-tuple-element(%%carried), index=%d", shape_of(w, v, true, w->type), k + 1);
	} else {
		line(w->base, v->base, "%s parameter(%d)", shape_of(w, v, false, w->type), k);
		line(w->dist, v->dist, "%s parameter(%d)", shape_of(w, v, true, w->type), k);
	}
	fprintf(w->plan, "input %d", k);
	chain_text(w, v);
}

static void reducers(FILE *f, const char *type)
{
	static const char *const op[] = { "add", "maximum", "minimum" }, *const called[] = { "sum", "max", "min" };
	int k;

	for (k = 0; k < 3; k++)
		fprintf(f, "%%%s {\n  %%a = %s[] parameter(0)\n  %%b = %s[] parameter(1)\n  ROOT %%r = %s[] %s(%%a, %%b)\n}\n\n",
			called[k], type, type, type, op[k]);
}

static void outputs(struct writer *w)
{
	const struct value *v[2] = { &w->value[w->nvalue - 1], &w->value[roll(w, w->nvalue)] };
	FILE *f[2] = { w->base, w->dist };
	int side, k;

	for (side = 0; side < 2; side++)
		fprintf(f[side], "  ROOT %%out = (%s, %s) tuple(%s, %s)\n}\n", shape_of(w, v[0], side, w->type),
			shape_of(w, v[1], side, w->type), side ? v[0]->dist : v[0]->base, side ? v[1]->dist : v[1]->base);
	for (k = 0; k < 2; k++) {
		fprintf(w->plan, "output %d", k);
		chain_text(w, v[k]);
	}
}

/* ---- loops */

enum { PARAMS = 3, CARRIED = PARAMS + 2 };	/* parameters, and two values that begin as zeros */

struct trip {
	int nparam, n;			/* of them; all that is carried but the counter */
	struct value like[CARRIED];	/* shape and placement */
	struct value next[CARRIED];	/* what the trip gives: names in it */
	int limit, step;
};

/* A value that can stand for v in the next trip: one of its shape and placement, v itself if there is none. */
static struct value successor(struct writer *w, const struct value *v)
{
	int k, from = roll(w, w->nvalue);

	for (k = 0; k < w->nvalue; k++) {
		const struct value *x = &w->value[(from + k) % w->nvalue];
		if (x->rank == v->rank && !memcmp(x->dim, v->dim, sizeof *x->dim * (size_t)x->rank) && !memcmp(x->at, v->at, sizeof x->at))
			return *x;
	}
	return *v;
}

static const char *tuple_of(const struct writer *w, const struct trip *t, bool local)
{
	static char s[2][600];
	int k, at = snprintf(s[local], sizeof s[0], "(s32[]");

	for (k = 0; k < t->n; k++)
		at += snprintf(s[local] + at, sizeof s[0] - (size_t)at, ", %s", shape_of(w, &t->like[k], local, w->type));
	snprintf(s[local] + at, sizeof s[0] - (size_t)at, ")");
	return s[local];
}

static struct trip choose_trip(struct writer *w, int nparam)
{
	struct trip t = { .nparam = nparam, .step = 1 + roll(w, 2) };
	int k;

	t.limit = w->whole && roll(w, 2) ? 33 + roll(w, 9) : 1 + roll(w, 5);
	for (k = 0; k < nparam; k++) {
		t.like[t.n] = w->value[k];
		t.next[t.n++] = roll(w, 2) ? successor(w, &w->value[k]) : w->value[k];
	}
	for (k = 0; k < 2; k++) {
		const struct value *v = k ? &w->value[roll(w, w->nvalue)] : &w->value[w->nvalue - 1];
		t.like[t.n] = *v;
		t.next[t.n++] = *v;
	}
	return t;
}

/* What begins as zeros is written over, or added to. */
static void carry_on(struct writer *w, struct trip *t, FILE *f[2])
{
	int k, side;

	for (k = t->nparam; k < t->n; k++) {
		bool adds = roll(w, 2);
		char was[24], sum[24];
		name(w, was, "was");
		name(w, sum, "sum");
		for (side = 0; side < 2 && adds; side++) {
			const char *s = shape_of(w, &t->like[k], side, w->type), *x = side ? t->next[k].dist : t->next[k].base;
			line(f[side], was, "%s get-tuple-element(%%carried), index=%d", s, k + 1);
			line(f[side], sum, "%s add(%s, %s)", s, was, x);
		}
		if (adds) {
			strcpy(t->next[k].base, sum);
			strcpy(t->next[k].dist, sum);
		}
	}
}

static void write_loop(struct writer *w, const struct trip *t, bool local, FILE *f, const char *body)
{
	const char *tuple = tuple_of(w, t, local);
	int k;

	fprintf(f, "%%trip {\n  %%carried = %s parameter(0)\n%s", tuple, body);
	fprintf(f, "  %%at = s32[] get-tuple-element(%%carried), index=0\n  %%by = s32[] constant(%d)\n  %%then = s32[] add(%%at, %%by)\n", t->step);
	fprintf(f, "  ROOT %%next = %s tuple(%%then", tuple);
	for (k = 0; k < t->n; k++)
		fprintf(f, ", %s", local ? t->next[k].dist : t->next[k].base);
	fprintf(f, ")\n}\n\n%%more {\n  %%held = %s parameter(0)\n  %%count = s32[] get-tuple-element(%%held), index=0\n", tuple);
	fprintf(f, "  %%limit = s32[] constant(%d)\n  ROOT %%less = pred[] compare(%%count, %%limit), direction=LT\n}\n\n", t->limit * t->step);
	fprintf(f, "ENTRY %%main {\n  %%zero = s32[] constant(0)\n  %%nought = %s[] constant(0)\n", w->type);
	for (k = 0; k < t->n; k++)
		if (k < t->nparam)
			fprintf(f, "  %%in%d = %s parameter(%d)\n", k, shape_of(w, &t->like[k], local, w->type), k);
		else
			fprintf(f, "  %%in%d = %s broadcast(%%nought), dimensions={}\n", k, shape_of(w, &t->like[k], local, w->type));
	fprintf(f, "  %%first = %s tuple(%%zero", tuple);
	for (k = 0; k < t->n; k++)
		fprintf(f, ", %%in%d", k);
	fprintf(f, ")\n  %%loop = %s while(%%first), condition=%%more, body=%%trip\n", tuple);
	for (k = 0; k < 2; k++)
		fprintf(f, "  %%left%d = %s get-tuple-element(%%loop), index=%d\n", k, shape_of(w, &t->like[k ? t->n - 1 : 0], local, w->type), k ? t->n : 1);
	fprintf(f, "  ROOT %%out = (%s, %s) tuple(%%left0, %%left1)\n}\n", shape_of(w, &t->like[0], local, w->type),
		shape_of(w, &t->like[t->n - 1], local, w->type));
}

/* What was written so far is the body: the rest of both programs goes around it. */
static void close_loop(struct writer *w, FILE *out[2], char *text[2])
{
	FILE *f[2] = { w->base, w->dist };
	struct trip t = choose_trip(w, w->loop);
	int k;

	carry_on(w, &t, f);
	fclose(w->base);
	fclose(w->dist);
	for (k = 0; k < 2; k++) {
		write_loop(w, &t, k, out[k], text[k]);
		free(text[k]);
		fprintf(w->plan, "output %d", k);
		chain_text(w, &t.like[k ? t.n - 1 : 0]);
	}
	w->base = out[0];
	w->dist = out[1];
}

struct text_pair random_pair(struct dice *d)
{
	struct text_pair t;
	size_t n[3], unused[2];
	struct writer w = { .d = d, .base = open_memstream(&t.base, &n[0]), .dist = open_memstream(&t.dist, &n[1]),
			    .plan = open_memstream(&t.plan, &n[2]) };
	FILE *out[2] = { w.base, w.dist };
	char *text[2];
	int k, count;

	static const char *const types[] = { "s32", "u32", "s8", "u8", "s64", "u64" };

	w.whole = !roll(&w, 3);
	w.type = w.whole ? types[roll(&w, 6)] : "f32";
	w.naxis = 1 + !roll(&w, 4);
	w.axis[0] = w.naxis > 1 ? 2 : 2 + roll(&w, 3);
	w.axis[1] = 2;
	w.ndev = w.axis[0] * (w.naxis > 1 ? w.axis[1] : 1);
	fprintf(w.base, "HloModule base\n\n");
	fprintf(w.dist, "HloModule dist, num_partitions=%d\n\n", w.ndev);
	reducers(w.base, w.type);
	reducers(w.dist, w.type);
	fprintf(w.plan, w.naxis > 1 ? "mesh a0=%d a1=%d\n" : "mesh a0=%d\n", w.axis[0], w.axis[1]);
	count = 1 + roll(&w, PARAMS);
	w.loop = roll(&w, 5) ? 0 : count;
	if (w.loop) {
		w.base = open_memstream(&text[0], &unused[0]);
		w.dist = open_memstream(&text[1], &unused[1]);
	} else {
		fprintf(w.base, "ENTRY %%main {\n");
		fprintf(w.dist, "ENTRY %%main {\n");
	}
	for (k = 0; k < count; k++)
		parameter(&w, k);
	count = 1 + roll(&w, 8);
	for (k = 0; k < count; k++)
		step(&w);
	if (w.loop)
		close_loop(&w, out, text);
	else
		outputs(&w);
	fclose(w.base);
	fclose(w.dist);
	fclose(w.plan);
	return t;
}
