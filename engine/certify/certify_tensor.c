/* certify_tensor.c - what instructions mean, place by place.
 *
 * Written from the meaning of HLO, not from the lift primitives: operands are
 * read at (device, index), a collective reads other devices.  Attributes stand
 * as the lowering writes them (lift.h).
 */
#include "certify/certify_in.h"

#include <stdlib.h>
#include <string.h>
#include "core/literal.h"
#include "lift/instruction.h"

#define RANK 16

struct instr {
	world *w;
	form f;			/* of the result */
	const int64_t *ints;
	int64_t nint;
	const char *name;
	uint32_t narg;
	const eg_id *arg;
	form in[6];
	int64_t dev, i[RANK];
	int64_t at;		/* flattened */
	uint32_t built;		/* operands are as the first so many nodes of the step were built */
};

bool ck_form(const world *w, eg_id t, form *f)
{
	eg_op op = eg_node_op(w->g, t);
	enum certify_kind k = ck_kind(w, op);
	const int64_t *p;
	size_t n;
	int i;

	memset(f, 0, sizeof *f);
	if (k == K_LAID) {
		p = ck_value(w, op, 0, &n);
		f->ndev = p[0];
		f->rank = (int)p[1];
		f->dim = p + 4;
		f->type = ck_type(w, t);
	} else if (k == K_TENSOR) {
		p = ck_value(w, op, 0, &n);
		f->type = (int)*p;
		p = ck_value(w, op, 1, &n);
		f->ndev = p[0];
		f->rank = (int)(n / sizeof *p) - 1;
		f->dim = p + 1;
	} else {
		return false;
	}
	f->elements = 1;
	for (i = 0; i < f->rank; i++)
		f->elements *= f->dim[i];
	return f->rank <= RANK;
}

static int64_t flat(const form *f, const int64_t *i)
{
	int64_t r = 0;
	int k;

	for (k = 0; k < f->rank; k++)
		r = r * f->dim[k] + i[k];
	return r;
}

static bool inside(const form *f, const int64_t *i)
{
	int k;

	for (k = 0; k < f->rank; k++)
		if (i[k] < 0 || i[k] >= f->dim[k])
			return false;
	return true;
}

static const form *form_of(struct instr *q, uint32_t k, form *own)
{
	if (k < 6)
		return &q->in[k];
	if (!ck_form(q->w, q->arg[k], own))
		world_fail(q->w, "an operand without a form");
	return own;
}

static val at_flat(struct instr *q, uint32_t k, int64_t dev, int64_t at)
{
	form own;
	const form *f;

	if (k >= q->narg)
		return world_fail(q->w, "an operand is missing");
	f = form_of(q, k, &own);
	if (q->w->bad)
		return cv_special(V_NAN);
	if (dev < 0 || dev >= f->ndev || at < 0 || at >= f->elements)
		return world_fail(q->w, "an operand is read outside");
	return world_tensor(q->w, q->arg[k], dev, at, q->built);
}

static val at_index(struct instr *q, uint32_t k, int64_t dev, const int64_t *i)
{
	form own;
	const form *f = form_of(q, k, &own);

	if (!q->w->bad && !inside(f, i))
		return world_fail(q->w, "an operand is read outside");
	return at_flat(q, k, dev, q->w->bad ? 0 : flat(f, i));
}

static int64_t clip(int64_t v, int64_t hi)
{
	return v < 0 ? 0 : v > hi ? hi : v;
}

/* ---- elementwise */

static val elementwise(struct instr *q, const char *fn)
{
	val x[8];
	int from[8];
	uint32_t k;
	char full[200];

	if (q->narg > 8 || !q->narg)
		return world_fail(q->w, "a function of many operands");
	for (k = 0; k < q->narg; k++) {
		form own;
		const form *f = form_of(q, k, &own);
		if (f->rank && (f->rank != q->f.rank || memcmp(f->dim, q->f.dim, sizeof *f->dim * (size_t)f->rank)))
			return world_fail(q->w, "a function of operands of other extents");
		x[k] = at_flat(q, k, q->dev, f->rank == 0 ? 0 : q->at);
		from[k] = f->type;
	}
	if (*q->name && strlen(fn) + strlen(q->name) + 2 < sizeof full) {
		strcpy(full, fn);
		strcat(full, ":");
		strcat(full, q->name);
		fn = full;
	}
	return cv_map(fn, q->f.type, from, (int)q->narg, x);
}

static val compare(struct instr *q)
{
	val x[2];
	int from[2] = { q->in[0].type, q->in[1].type };
	char fn[64] = "compare:";
	bool swap = q->name[0] == 'G';

	x[swap] = at_flat(q, 0, q->dev, q->in[0].rank ? q->at : 0);
	x[!swap] = at_flat(q, 1, q->dev, q->in[1].rank ? q->at : 0);
	if (strlen(q->name) < 40)
		strcat(fn, q->name);
	if (swap)
		fn[8] = 'L';
	return cv_map(fn, q->f.type, from, 2, x);
}

static bool plain(int type)
{
	return cv_int(type) || cv_real(type);
}

static val sum_like(struct instr *q, const char *op)
{
	int t = q->f.type;
	val x = at_flat(q, 0, q->dev, q->at), y;

	if (!plain(t))
		return elementwise(q, op);
	if (!strcmp(op, "negate"))
		return cv_scale(t, (rat){ -1, 1 }, x);
	y = at_flat(q, 1, q->dev, q->at);
	if (!strcmp(op, "add"))
		return cv_add(t, x, y);
	if (!strcmp(op, "subtract"))
		return cv_add(t, x, t == T_PRED ? y : cv_scale(t, (rat){ -1, 1 }, y));
	if (!strcmp(op, "multiply"))
		return cv_mul(t, x, y);
	return cv_int(t) ? elementwise(q, op) : cv_mul(t, x, cv_pow(t, y, -1));
}

static val clamp(struct instr *q)
{
	val lo = at_flat(q, 0, q->dev, q->in[0].rank ? q->at : 0), x = at_flat(q, 1, q->dev, q->at);
	val hi = at_flat(q, 2, q->dev, q->in[2].rank ? q->at : 0);

	return cv_reduce("minimum", q->f.type, cv_reduce("maximum", q->f.type, lo, x), hi);
}

static val constant(struct instr *q, int64_t k)
{
	double d;

	if (k >= q->nint)
		return world_fail(q->w, "a constant is cut off");
	if (cv_int(q->f.type))
		return cv_of_int(q->f.type, q->f.type == T_PRED ? q->ints[k] != 0 : q->ints[k]);
	memcpy(&d, &q->ints[k], sizeof d);
	return cv_of_double(d);
}

/* ---- data movement */

static val pad(struct instr *q)
{
	int64_t e[RANK];
	int d;

	for (d = 0; d < q->f.rank; d++) {
		const int64_t *p = q->ints + 3 * d;
		int64_t v = q->i[d] - p[0];
		if (v < 0 || v % (p[2] + 1) || v / (p[2] + 1) >= q->in[0].dim[d])
			return at_flat(q, 1, q->dev, 0);
		e[d] = v / (p[2] + 1);
	}
	return at_index(q, 0, q->dev, e);
}

static val concatenate(struct instr *q)
{
	int64_t e[RANK];
	int64_t d = q->ints[0];
	uint32_t k;

	memcpy(e, q->i, sizeof e);
	for (k = 0; k < q->narg; k++) {
		form own;
		const form *f = form_of(q, k, &own);
		if (e[d] < f->dim[d])
			return at_index(q, k, q->dev, e);
		e[d] -= f->dim[d];
	}
	return world_fail(q->w, "a concatenation is too short");
}

static int64_t start(struct instr *q, uint32_t first, int d)
{
	form own;
	bool vector = q->narg == first + 1 && form_of(q, first, &own)->rank == 1;
	val v = at_flat(q, vector ? first : first + (uint32_t)d, q->dev, vector ? d : 0);

	return v.i;
}

static val bitcast(struct instr *q)
{
	int rin = q->in[0].rank, d;
	const int64_t *src = q->ints, *dst = q->ints + rin;
	int64_t e[RANK], at = 0;
	val v;

	for (d = 0; d < q->f.rank; d++)
		at = at * q->f.dim[dst[d]] + q->i[dst[d]];
	for (d = rin - 1; d >= 0; d--) {
		e[src[d]] = at % q->in[0].dim[src[d]];
		at /= q->in[0].dim[src[d]];
	}
	v = at_index(q, 0, q->dev, e);
	return *q->name ? cv_map(q->name, q->f.type, &q->in[0].type, 1, &v) : v;
}

static bool listed(int64_t v, const int64_t *list, int64_t n, int64_t *where)
{
	for (int64_t i = 0; i < n; i++)
		if (list[i] == v) {
			if (where)
				*where = i;
			return true;
		}
	return false;
}

static val gather(struct instr *q)
{
	enum { OFFSET, COLLAPSED, MAP, OBATCH, SBATCH, SIZES };
	const int64_t *list[6], *p = q->ints + 1;
	const form *x = &q->in[0], *s = &q->in[1];
	int64_t n[6], ivd = q->ints[0], e[RANK] = { 0 }, si[RANK] = { 0 }, batch[RANK], nb = 0, k, d, w;

	for (k = 0; k < 6; k++) {
		n[k] = *p++;
		list[k] = p;
		p += n[k];
	}
	for (d = 0; d < q->f.rank; d++)
		if (!listed(d, list[OFFSET], n[OFFSET], NULL))
			batch[nb++] = q->i[d];
	for (d = k = 0; d < s->rank; d++)
		if (d != ivd && k < nb)
			si[d] = batch[k++];
	for (d = 0; d < x->rank; d++) {
		if (listed(d, list[MAP], n[MAP], &w)) {
			if (ivd < s->rank)
				si[ivd] = w;
			e[d] = clip(at_index(q, 1, q->dev, si).i, x->dim[d] - list[SIZES][d]);
		}
		if (listed(d, list[OBATCH], n[OBATCH], &w))
			e[d] = si[list[SBATCH][w]];
	}
	for (d = k = 0; d < x->rank; d++)
		if (!listed(d, list[COLLAPSED], n[COLLAPSED], NULL) && !listed(d, list[OBATCH], n[OBATCH], NULL))
			e[d] += q->i[list[OFFSET][k++]];
	return at_index(q, 0, q->dev, e);
}

/* ---- contractions and reductions */

/* Sums of products are exact in the widest type; the result's type rounds. */
static val narrowed(struct instr *q, val v)
{
	int wide = q->f.type, k;

	for (k = 0; k < 2; k++)
		if (q->in[k].type != T_PRED && cv_holds(q->in[k].type, wide))
			wide = q->in[k].type;
	return wide == q->f.type ? v : cv_convert(wide, q->f.type, v);
}

static int wide_of(const struct instr *q)
{
	int wide = q->f.type, k;

	for (k = 0; k < 2; k++)
		if (q->in[k].type != T_PRED && cv_holds(q->in[k].type, wide))
			wide = q->in[k].type;
	return wide;
}

static val in_wide(struct instr *q, int k, int wide, val v)
{
	return q->in[k].type == T_PRED && wide != T_PRED ? cv_of_int(cv_int(wide) ? wide : TYPE_REAL, v.i)
							  : cv_convert(q->in[k].type, wide, v);
}

static val dot(struct instr *q)
{
	int64_t nb = q->ints[0], nc = q->ints[1 + 2 * nb], k, d, o = nb, total = 1;
	const int64_t *lb = q->ints + 1, *rb = lb + nb, *lc = rb + nb + 1, *rc = lc + nc;
	int64_t x[RANK], y[RANK], run[RANK] = { 0 };
	int wide = wide_of(q);
	val s = cv_of_int(cv_int(wide) ? wide : TYPE_REAL, 0), a, b;
	bool first = true;

	for (k = 0; k < nb; k++)
		x[lb[k]] = y[rb[k]] = q->i[k];
	for (d = 0; d < q->in[0].rank; d++)
		if (!listed(d, lb, nb, NULL) && !listed(d, lc, nc, NULL))
			x[d] = q->i[o++];
	for (d = 0; d < q->in[1].rank; d++)
		if (!listed(d, rb, nb, NULL) && !listed(d, rc, nc, NULL))
			y[d] = q->i[o++];
	for (k = 0; k < nc; k++)
		total *= q->in[0].dim[lc[k]];
	for (d = 0; d < total && world_pay(q->w, 3); d++) {
		for (k = 0; k < nc; k++)
			x[lc[k]] = y[rc[k]] = run[k];
		a = in_wide(q, 0, wide, at_index(q, 0, q->dev, x));
		b = in_wide(q, 1, wide, at_index(q, 1, q->dev, y));
		a = cv_mul(wide, a, b);
		s = first ? a : cv_add(wide, s, a);
		first = false;
		for (k = nc - 1; k >= 0 && ++run[k] == q->in[0].dim[lc[k]]; k--)
			run[k] = 0;
	}
	return narrowed(q, s);
}

static val convolution(struct instr *q)
{
	const int64_t *p = q->ints;
	int64_t groups = p[0], ns = p[1], cin = q->in[0].dim[p[3]] / groups, per = q->f.dim[p[7]] / groups, many = q->f.dim[p[7]] / p[8], x[RANK], y[RANK];
	int64_t run[RANK] = { 0 }, k, total = cin;
	int wide = wide_of(q);
	val none = cv_of_int(cv_int(wide) ? wide : TYPE_REAL, 0), s = none;

	for (k = 0; k < ns; k++)
		total *= p[9 + 10 * k + 3];
	for (; total > 0 && world_pay(q->w, 3); total--) {
		bool in = true;
		x[p[2]] = q->i[p[7]] / many * q->f.dim[p[6]] + q->i[p[6]];
		y[p[5]] = q->i[p[7]];
		y[p[4]] = run[ns];
		x[p[3]] = q->i[p[7]] / per * cin + run[ns];
		for (k = 0; k < ns; k++) {
			const int64_t *g = p + 9 + 10 * k;
			int64_t e = q->i[g[2]] * g[4] + run[k] * g[8] - g[5];
			y[g[1]] = g[9] ? g[3] - 1 - run[k] : run[k];
			in = in && e >= 0 && e % g[7] == 0 && e / g[7] < q->in[0].dim[g[0]];
			x[g[0]] = in ? e / g[7] : 0;
		}
		s = cv_add(wide, s, cv_mul(wide, in ? in_wide(q, 0, wide, at_index(q, 0, q->dev, x)) : none,	/* zeros stand around it */
					   in_wide(q, 1, wide, at_index(q, 1, q->dev, y))));
		for (k = ns; k >= 0 && ++run[k] == (k == ns ? cin : p[9 + 10 * k + 3]); k--)
			run[k] = 0;
	}
	return narrowed(q, s);
}

static val reduce(struct instr *q)
{
	int64_t x[RANK], run[RANK] = { 0 }, d, k, o = 0, total = 1;
	val s = at_flat(q, 1, q->dev, 0);

	for (d = 0; d < q->in[0].rank; d++)
		if (!listed(d, q->ints, q->nint, NULL))
			x[d] = q->i[o++];
		else
			total *= q->in[0].dim[d];
	for (d = 0; d < total && world_pay(q->w, 2); d++) {
		for (k = 0; k < q->nint; k++)
			x[q->ints[k]] = run[k];
		s = cv_reduce(q->name, q->f.type, s, at_index(q, 0, q->dev, x));
		for (k = q->nint - 1; k >= 0 && ++run[k] == q->in[0].dim[q->ints[k]]; k--)
			run[k] = 0;
	}
	return s;
}

static val reduce_window(struct instr *q)
{
	int64_t x[RANK], run[RANK] = { 0 }, d, total = 1;
	val s = at_flat(q, 1, q->dev, 0);

	for (d = 0; d < q->f.rank; d++)
		total *= q->ints[6 * d];
	for (; total > 0 && world_pay(q->w, 2); total--) {
		bool in = true;
		for (d = 0; d < q->f.rank; d++) {
			const int64_t *g = q->ints + 6 * d;
			int64_t e = q->i[d] * g[1] + run[d] * g[5] - g[2];
			in = in && e >= 0 && e % g[4] == 0 && e / g[4] < q->in[0].dim[d];
			x[d] = in ? e / g[4] : 0;
		}
		if (in)
			s = cv_reduce(q->name, q->f.type, s, at_index(q, 0, q->dev, x));
		for (d = q->f.rank - 1; d >= 0 && ++run[d] == q->ints[6 * d]; d--)
			run[d] = 0;
	}
	return s;
}

/* Element ints[0] of a reduction over ints[1..] that keeps the largest value (0) or its payload (1), or the smallest (2) or its
 * payload (3), from those it begins with. */
static val arg_reduce(struct instr *q)
{
	int64_t x[RANK], run[RANK] = { 0 }, d, k, o = 0, total = 1, n = q->nint - 1;
	rat sign = { q->ints[0] & 2 ? -1 : 1, 1 };
	const char *kind = !strncmp(q->name, "last ", 5) ? "last" : !strncmp(q->name, "least ", 6) ? "least" : "first";
	val best = cv_scale(q->in[0].type, sign, at_flat(q, 2, q->dev, 0)), pay = at_flat(q, 3, q->dev, 0);

	for (d = 0; d < q->in[0].rank; d++)
		if (!listed(d, q->ints + 1, n, NULL))
			x[d] = q->i[o++];
		else
			total *= q->in[0].dim[d];
	for (o = 0; o < total && world_pay(q->w, 3); o++) {
		for (d = k = 0; d < q->in[0].rank; d++)	/* in the order of the dimensions */
			if (listed(d, q->ints + 1, n, NULL))
				x[d] = run[d];
		cv_choose(kind, q->in[1].type, &best, &pay, cv_scale(q->in[0].type, sign, at_index(q, 0, q->dev, x)),
			  at_index(q, 1, q->dev, x), false);
		for (d = q->in[0].rank - 1; d >= 0; d--) {
			if (!listed(d, q->ints + 1, n, NULL))
				continue;
			if (++run[d] < q->in[0].dim[d])
				break;
			run[d] = 0;
		}
	}
	return q->ints[0] & 1 ? pay : cv_scale(q->in[0].type, sign, best);
}

/* Does the update at u fall on the output place?  The whole window must be inside. */
static bool scattered_to(struct instr *q, const int64_t *u)
{
	enum { WINDOW, INSERTED, MAP, OBATCH, SBATCH };
	const int64_t *list[5], *p = q->ints + 1;
	int64_t n[5], ivd = q->ints[0], si[RANK] = { 0 }, d, k, w;
	const form *x = &q->in[0], *s = &q->in[1], *up = &q->in[2];
	bool hit = true;

	for (k = 0; k < 5; k++) {
		n[k] = *p++;
		list[k] = p;
		p += n[k];
	}
	for (d = k = 0; d < s->rank; d++) {
		if (d == ivd)
			continue;
		while (k < up->rank && listed(k, list[WINDOW], n[WINDOW], NULL))
			k++;
		si[d] = u[k++];
	}
	for (d = w = 0; d < x->rank; d++) {
		int64_t start = 0, width = 1, off = 0, at;
		if (listed(d, list[MAP], n[MAP], &at)) {
			if (ivd < s->rank)
				si[ivd] = at;
			start = at_index(q, 1, q->dev, si).i;
		}
		if (listed(d, list[OBATCH], n[OBATCH], &at)) {
			start = si[list[SBATCH][at]];
		} else if (!listed(d, list[INSERTED], n[INSERTED], NULL)) {
			width = up->dim[list[WINDOW][w]];
			off = u[list[WINDOW][w++]];
		}
		if (start < 0 || start + width > x->dim[d] || start + off != q->i[d])
			hit = false;
	}
	return hit;
}

static val scatter(struct instr *q)
{
	val s = at_flat(q, 0, q->dev, q->at);
	int64_t u[RANK] = { 0 }, k, d;

	for (k = 0; k < q->in[2].elements && world_pay(q->w, 4); k++) {
		if (scattered_to(q, u)) {
			val v = at_index(q, 2, q->dev, u);
			s = !strcmp(q->name, "assign") ? v : cv_reduce(q->name, q->f.type, s, v);
		}
		for (d = q->in[2].rank - 1; d >= 0 && ++u[d] == q->in[2].dim[d]; d--)
			u[d] = 0;
	}
	return s;
}

/* ---- batch normalisation: statistics over all dimensions but the feature's */

struct norm {
	val n, sx, sdy, sdyc;	/* places, sums of x, of operand 4, of operand 4 times (x - mean) */
	val var;
};

static val less(val x, val y)
{
	return cv_add(TYPE_REAL, x, cv_scale(TYPE_REAL, (rat){ -1, 1 }, y));
}

static struct norm statistics(struct instr *q, int64_t feature, bool gradient)
{
	int64_t i[RANK] = { 0 }, fd = q->ints[1], n = q->in[0].elements / q->in[0].dim[fd], k, d, pass;
	struct norm s;
	val mean;

	s.n = cv_of_int(TYPE_REAL, n);
	s.sx = s.sdy = s.sdyc = s.var = cv_of_int(TYPE_REAL, 0);
	mean = gradient ? at_flat(q, 2, q->dev, feature) : s.sx;
	for (pass = gradient; pass < 2; pass++) {
		for (k = 0; k < n && world_pay(q->w, 4); k++) {
			val x, c;
			i[fd] = feature;
			x = at_index(q, 0, q->dev, i);
			c = less(x, mean);
			if (!pass)
				s.sx = cv_add(TYPE_REAL, s.sx, x);
			else if (!gradient)
				s.var = cv_add(TYPE_REAL, s.var, cv_mul(TYPE_REAL, c, c));
			else {
				val dy = at_index(q, 4, q->dev, i);
				s.sdy = cv_add(TYPE_REAL, s.sdy, dy);
				s.sdyc = cv_add(TYPE_REAL, s.sdyc, cv_mul(TYPE_REAL, dy, c));
			}
			for (d = q->in[0].rank - 1; d >= 0; d--) {
				if (d == fd)
					continue;
				if (++i[d] < q->in[0].dim[d])
					break;
				i[d] = 0;
			}
		}
		if (!pass)
			mean = s.sx = cv_scale(TYPE_REAL, (rat){ 1, n }, s.sx);
	}
	s.var = cv_scale(TYPE_REAL, (rat){ 1, n }, s.var);
	return s;
}

/* Epsilon is read as a literal is. */
static val epsilon(struct instr *q)
{
	double eps;
	number n;

	memcpy(&eps, &q->ints[2], sizeof eps);
	n = literal_number(NULL, T_F32, eps);
	return number_is_rat(n) ? cv_of_rat(n.r) : cv_of_double(eps);
}

static val inverse_deviation(struct instr *q, val var)
{
	int t = TYPE_REAL;
	val v = cv_add(t, var, epsilon(q));

	return cv_pow(t, cv_map("sqrt", t, &t, 1, &v), -1);
}

static val normalised(struct instr *q, val mean, val var, int64_t feature)
{
	val y = cv_mul(TYPE_REAL, less(at_flat(q, 0, q->dev, q->at), mean), inverse_deviation(q, var));

	y = cv_mul(TYPE_REAL, y, at_flat(q, 1, q->dev, feature));
	return cv_add(TYPE_REAL, y, at_flat(q, 2, q->dev, feature));
}

static val batch_norm_training(struct instr *q)
{
	int64_t feature = q->ints[0] ? q->i[0] : q->i[q->ints[1]];
	struct norm s = statistics(q, feature, false);

	return q->ints[0] == 1 ? s.sx : q->ints[0] == 2 ? s.var : normalised(q, s.sx, s.var, feature);
}

static val batch_norm_inference(struct instr *q)
{
	int64_t f = q->i[q->ints[1]];

	return normalised(q, at_flat(q, 3, q->dev, f), at_flat(q, 4, q->dev, f), f);
}

/* d_scale = r sum(dy c), d_offset = sum dy, dx = scale r (dy - sum(dy)/N - c r^2 sum(dy c)/N) */
static val batch_norm_grad(struct instr *q)
{
	int64_t f = q->ints[0] ? q->i[0] : q->i[q->ints[1]];
	struct norm s = statistics(q, f, true);
	val r = inverse_deviation(q, at_flat(q, 3, q->dev, f)), c, d;
	int t = TYPE_REAL;
	rat inv = { 1, (int64_t)s.n.d };

	if (q->ints[0] == 2)
		return s.sdy;
	if (q->ints[0] == 1)
		return cv_mul(t, s.sdyc, r);
	c = less(at_flat(q, 0, q->dev, q->at), at_flat(q, 2, q->dev, f));
	c = cv_scale(t, inv, cv_mul(t, cv_mul(t, c, cv_mul(t, r, r)), s.sdyc));
	d = less(less(at_flat(q, 4, q->dev, q->at), cv_scale(t, inv, s.sdy)), c);
	return cv_mul(t, cv_mul(t, d, r), at_flat(q, 1, q->dev, f));
}

/* ---- collectives: ints are the dimension, how many groups, their sizes, the members */

static bool group_of(struct instr *q, int64_t dev, const int64_t **member, int64_t *n, int64_t *pos)
{
	int64_t ng = q->ints[1], g;
	const int64_t *size = q->ints + 2, *id = size + ng;

	for (g = 0; g < ng; id += size[g++])
		if (listed(dev, id, size[g], pos)) {
			*member = id;
			*n = size[g];
			return true;
		}
	world_fail(q->w, "a device in no group");
	return false;
}

static val over_group(struct instr *q, const int64_t *e)
{
	const int64_t *m;
	int64_t n, pos, k;
	val s = cv_special(V_NAN);

	if (!group_of(q, q->dev, &m, &n, &pos))
		return s;
	for (k = 0; k < n && world_pay(q->w, 2); k++) {
		val v = at_index(q, 0, m[k], e);
		s = k ? cv_reduce(q->name, q->f.type, s, v) : v;
	}
	return s;
}

static val reduce_scatter(struct instr *q)
{
	const int64_t *m;
	int64_t n, pos, e[RANK], d = q->ints[0];

	if (!group_of(q, q->dev, &m, &n, &pos))
		return cv_special(V_NAN);
	memcpy(e, q->i, sizeof e);
	e[d] += pos * q->f.dim[d];
	return over_group(q, e);
}

static val all_gather(struct instr *q)
{
	const int64_t *m;
	int64_t n, pos, e[RANK], d = q->ints[0], part = q->in[0].dim[d];

	if (!group_of(q, q->dev, &m, &n, &pos))
		return cv_special(V_NAN);
	memcpy(e, q->i, sizeof e);
	e[d] %= part;
	return at_index(q, 0, m[q->i[d] / part], e);
}

static val all_to_all(struct instr *q)
{
	const int64_t *m;
	int64_t n, pos, e[RANK], d = q->ints[0], part;

	if (!group_of(q, q->dev, &m, &n, &pos))
		return cv_special(V_NAN);
	part = q->f.dim[d] / n;
	memcpy(e, q->i, sizeof e);
	e[d] = pos * part + q->i[d] % part;
	return at_index(q, 0, m[q->i[d] / part], e);
}

/* Element k of the tuple on device R: what member k sends to R's position. */
static val all_to_all_tuple(struct instr *q)
{
	const int64_t *m;
	int64_t n, pos, k = q->ints[0];
	struct instr shifted = *q;

	if (!group_of(&shifted, q->dev, &m, &n, &pos) || k >= n)
		return cv_special(V_NAN);
	return at_flat(q, (uint32_t)pos, m[k], q->at);
}

static val permute(struct instr *q)
{
	int64_t k;

	for (k = 0; k + 1 < q->nint; k += 2)
		if (q->ints[k + 1] == q->dev)
			return at_flat(q, 0, q->ints[k], q->at);
	return cv_of_int(cv_int(q->f.type) ? q->f.type : TYPE_REAL, 0);
}

/* ---- one function per device; ints: triples operand, its dimension, result dimension that pass through */

static int64_t pass_of(const struct instr *q, int64_t k, int64_t d)
{
	int64_t i;

	for (i = 0; i + 2 < q->nint; i += 3)
		if (q->ints[i] == k && q->ints[i + 1] == d)
			return q->ints[i + 2];
	return -1;
}

static int64_t own_place(const struct instr *q)
{
	int64_t at = 0, d, i;

	for (d = 0; d < q->f.rank; d++) {
		for (i = 0; i + 2 < q->nint && q->ints[i + 2] != d; i += 3)
			;
		if (i + 2 >= q->nint)
			at = at * q->f.dim[d] + q->i[d];
	}
	return at;
}

/* The values of all operands along the one dimension that does not pass through; NULL: too many, or another form. */
static val *row_values(struct instr *q, int *type, int64_t *n)
{
	int64_t e[RANK] = { 0 }, j, len = 0;
	uint32_t k;
	val *x = NULL;
	int d, own;

	for (k = 0; k < q->narg; k++) {
		form mine, *f = &mine;
		mine = *form_of(q, k, &mine);
		for (d = 0, own = -1; d < f->rank; d++)
			if (pass_of(q, k, d) >= 0)
				e[d] = q->i[pass_of(q, k, d)];
			else
				own = own < 0 ? d : RANK;
		if (own < 0 || own >= f->rank || f->dim[own] > ORDER_LONGEST || (k && f->dim[own] != len))
			return NULL;
		len = f->dim[own];
		x = x ? x : ARENA_ARRAY(q->w->s, val, len * q->narg);
		type[k] = f->type;
		for (j = 0; j < len && world_pay(q->w, 1); j++) {
			e[own] = j;
			x[k * len + j] = at_index(q, k, q->dev, e);
		}
	}
	*n = len;
	return x;
}

/* The places of all operands that are not those of the result are digits of one number: their weights, [operand][dimension]. */
static int64_t *opaque_weights(struct instr *q)
{
	int64_t *weight = ARENA_ARRAY(q->w->s, int64_t, RANK * (q->narg + 1)), acc = 1, d;
	form own;
	uint32_t k;

	for (k = q->narg; k-- > 0; ) {
		const form *f = form_of(q, k, &own);
		for (d = f->rank - 1; d >= 0; d--)
			if (pass_of(q, k, d) < 0) {
				weight[k * RANK + d] = acc;
				acc *= f->dim[d] ? f->dim[d] : 1;
			}
	}
	return weight;
}

/* The sum of z^place over the places of the other operands. */
static uint64_t opaque_others(struct instr *q, uint32_t k, uint64_t z, const int64_t *weight)
{
	uint64_t rest = 1;
	uint32_t j;
	int64_t d;
	form own;

	for (j = 0; j < q->narg; j++) {
		const form *f = form_of(q, j, &own);
		for (d = 0; j != k && d < f->rank; d++)
			if (pass_of(q, j, d) < 0)
				rest = ck_times(rest, ck_geometric(z, weight[j * RANK + d], f->dim[d] ? f->dim[d] : 1));
	}
	return rest;
}

/* The next place of operand k, along the dimensions that are not the result's; false behind the last. */
static bool opaque_next(struct instr *q, uint32_t k, const form *mine, int64_t *e)
{
	int64_t d;

	for (d = mine->rank - 1; d >= 0; d--) {
		if (pass_of(q, k, d) >= 0)
			continue;
		if (++e[d] < mine->dim[d])
			return true;
		e[d] = 0;
	}
	return false;
}

/* The sum of z^place times the value there over the places of operand k. */
static uint64_t opaque_operand(struct instr *q, uint32_t k, uint64_t z, const int64_t *weight)
{
	form own, mine = *form_of(q, k, &own);
	int64_t e[RANK] = { 0 }, place, d;
	uint64_t sum = 0;

	for (d = 0; d < mine.rank; d++)
		if (pass_of(q, k, d) >= 0)
			e[d] = q->i[pass_of(q, k, d)];
	if (!mine.elements)
		return 0;
	do {
		place = 0;
		for (d = 0; d < mine.rank; d++)
			if (pass_of(q, k, d) < 0)
				place += weight[k * RANK + d] * e[d];
		sum = ck_plus(sum, ck_times(cv_hash(at_index(q, k, q->dev, e)) % CERTIFY_P, ck_power(z, place)));
	} while (world_pay(q->w, 2) && opaque_next(q, k, &mine, e));
	return sum;
}

static val opaque_call(struct instr *q)
{
	ck_order order;
	int64_t n, *weight;
	int *type = ARENA_ARRAY(q->w->s, int, q->narg);
	val *x = ck_order_of(q->name, &order) ? row_values(q, type, &n) : NULL;
	uint64_t h = opaque_start(q->name), z;
	uint32_t k;

	if (x)
		return ck_ordered(q->w, &order, (int)q->narg, type, n, x, own_place(q));
	weight = opaque_weights(q);
	for (k = 0; k < q->narg && !q->w->bad; k++) {
		z = cv_mix(h, (uint64_t)k) % CERTIFY_P;
		h = cv_mix(h, ck_times(opaque_operand(q, k, z, weight), opaque_others(q, k, z, weight)));
	}
	return q->w->bad || q->w->cut ? cv_special(V_NAN) : opaque_finish(h, q->f.type, own_place(q));
}

/* ---- by name */

static val same(struct instr *q) { return at_flat(q, 0, q->dev, q->at); }
static val add(struct instr *q) { return sum_like(q, "add"); }
static val subtract(struct instr *q) { return sum_like(q, "subtract"); }
static val negate(struct instr *q) { return sum_like(q, "negate"); }
static val multiply(struct instr *q) { return sum_like(q, "multiply"); }
static val divide(struct instr *q) { return sum_like(q, "divide"); }
static val number_const(struct instr *q) { return constant(q, 0); }
static val table_const(struct instr *q) { return constant(q, q->at); }
static val atom(struct instr *q) { return world_named(q->w, q->name, q->f.type, q->at); }
static val unique(struct instr *q) { return world_named(q->w, q->name, q->f.type, q->dev * q->f.elements + q->at); }
static val iota(struct instr *q) { return cv_of_int(cv_int(q->f.type) ? q->f.type : TYPE_REAL, q->i[q->ints[0]]); }
static val device(struct instr *q) { return cv_of_int(q->f.type, q->dev / q->ints[0] % q->ints[1]); }
static val all_reduce(struct instr *q) { return over_group(q, q->i); }

static val each_trip(struct instr *q) { return at_flat(q, 0, q->dev % q->in[0].ndev, q->at); }

static val stack_trips(struct instr *q)
{
	return at_flat(q, 0, q->i[0] * q->f.ndev + q->dev, q->at % q->in[0].elements);
}

static val over_trips(struct instr *q)
{
	val s = cv_special(V_NAN);
	int64_t k;

	for (k = 0; k < q->in[0].ndev / q->f.ndev && world_pay(q->w, 2); k++) {
		val v = at_flat(q, 0, k * q->f.ndev + q->dev, q->at);
		s = k ? cv_reduce(q->name, q->f.type, s, v) : v;
	}
	return s;
}

static val lattice(struct instr *q, const char *op)
{
	return cv_reduce(op, q->f.type, at_flat(q, 0, q->dev, q->at), at_flat(q, 1, q->dev, q->at));
}

static val maximum(struct instr *q) { return lattice(q, "maximum"); }
static val minimum(struct instr *q) { return lattice(q, "minimum"); }

static val rsqrt(struct instr *q)
{
	val x = at_flat(q, 0, q->dev, q->at), y;

	if (!cv_real(q->f.type))
		return elementwise(q, "rsqrt");
	y = cv_map("sqrt", q->f.type, &q->f.type, 1, &x);
	return cv_pow(q->f.type, y, -1);
}

static val transpose(struct instr *q)
{
	int64_t e[RANK];
	int d;

	for (d = 0; d < q->f.rank; d++)
		e[q->ints[d]] = q->i[d];
	return at_index(q, 0, q->dev, e);
}

static val broadcast(struct instr *q)
{
	int64_t e[RANK];
	int d;

	for (d = 0; d < q->in[0].rank; d++)
		e[d] = q->i[q->ints[d]];
	return at_index(q, 0, q->dev, e);
}

static val slice(struct instr *q)
{
	int64_t e[RANK];
	int d;

	for (d = 0; d < q->f.rank; d++)
		e[d] = q->ints[3 * d] + q->i[d] * q->ints[3 * d + 2];
	return at_index(q, 0, q->dev, e);
}

static val reverse(struct instr *q)
{
	int64_t e[RANK];
	int d;

	for (d = 0; d < q->f.rank; d++)
		e[d] = listed(d, q->ints, q->nint, NULL) ? q->f.dim[d] - 1 - q->i[d] : q->i[d];
	return at_index(q, 0, q->dev, e);
}

static val dynamic_slice(struct instr *q)
{
	int64_t e[RANK];
	int d;

	for (d = 0; d < q->f.rank; d++)
		e[d] = q->i[d] + clip(start(q, 1, d), q->in[0].dim[d] - q->f.dim[d]);
	return at_index(q, 0, q->dev, e);
}

static val dynamic_update_slice(struct instr *q)
{
	int64_t e[RANK];
	int d;

	for (d = 0; d < q->f.rank; d++)
		e[d] = q->i[d] - clip(start(q, 2, d), q->f.dim[d] - q->in[1].dim[d]);
	return inside(&q->in[1], e) ? at_index(q, 1, q->dev, e) : at_flat(q, 0, q->dev, q->at);
}

static val select_one(struct instr *q)
{
	val p = at_flat(q, 0, q->dev, q->in[0].rank ? q->at : 0);

	return at_flat(q, p.i ? 1 : 2, q->dev, q->at);
}

/* Of an instruction of any other name nothing is known: what is no function place by place must not be taken for one. */
static bool is_elementwise(const char *name)
{
	static const char *const more[] = { "bitcast-convert", "complex", "imag", "mulhi", "real", "reduce-precision", "stochastic-convert" };
	size_t i;

	for (i = 0; i < sizeof more / sizeof *more; i++)
		if (!strcmp(name, more[i]))
			return true;
	return instruction_by_places(name) != NULL;
}

typedef val meaning(struct instr *q);
static const struct { const char *name; meaning *fn; } meanings[] = {
	{ "constant", number_const }, { "constant-table", table_const }, { "constant-atom", atom }, { "iota", iota },
	{ "partition-id", device }, { "replica-id", device }, { "copy", same }, { "marker", same }, { "reshape", same },
	{ "bitcast", bitcast }, { "add", add }, { "subtract", subtract }, { "negate", negate }, { "multiply", multiply },
	{ "divide", divide }, { "rsqrt", rsqrt }, { "maximum", maximum }, { "minimum", minimum }, { "clamp", clamp },
	{ "select", select_one }, { "compare", compare }, { "transpose", transpose }, { "broadcast", broadcast }, { "slice", slice },
	{ "reverse", reverse }, { "pad", pad }, { "concatenate", concatenate }, { "dynamic-slice", dynamic_slice },
	{ "dynamic-update-slice", dynamic_update_slice }, { "gather", gather }, { "dot", dot }, { "convolution", convolution },
	{ "reduce", reduce }, { "reduce-window", reduce_window }, { "all-reduce", all_reduce }, { "all-gather", all_gather },
	{ "reduce-scatter", reduce_scatter }, { "all-to-all", all_to_all }, { "all-to-all-tuple", all_to_all_tuple },
	{ "collective-permute", permute }, { "each-trip", each_trip }, { "stack-trips", stack_trips }, { "over-trips", over_trips }, { "opaque-call", opaque_call },
	{ "unique", unique }, { "arg-reduce", arg_reduce }, { "scatter", scatter }, { "batch-norm-training", batch_norm_training },
	{ "batch-norm-inference", batch_norm_inference }, { "batch-norm-grad", batch_norm_grad },
};

val tensor_value(world *w, eg_op op, uint32_t narg, const eg_id *arg, int64_t dev, int64_t at, uint32_t built)
{
	const char *name = eg_family(w->g, eg_op_family(w->g, op))->name;
	struct instr *q = ARENA_NEW(w->s, struct instr);
	size_t n, i;
	uint32_t k;
	const int64_t *p;
	int d;

	q->w = w;
	q->built = built;
	p = ck_value(w, op, 0, &n);
	q->f.type = (int)*p;
	p = ck_value(w, op, 1, &n);
	q->f.ndev = p[0];
	q->f.rank = (int)(n / sizeof *p) - 1;
	q->f.dim = p + 1;
	q->f.elements = 1;
	if (q->f.rank > RANK)
		return world_fail(w, "a tensor of many dimensions");
	for (d = 0; d < q->f.rank; d++)
		q->f.elements *= q->f.dim[d];
	q->ints = ck_value(w, op, 2, &n);
	q->nint = (int64_t)(n / sizeof *q->ints);
	q->name = ck_value(w, op, 3, &n);
	q->narg = narg;
	q->arg = arg;
	for (k = 0; k < narg && k < 6; k++)
		if (!ck_form(w, arg[k], &q->in[k]))
			return world_fail(w, "an operand without a form");
	q->dev = dev;
	q->at = at;
	for (d = q->f.rank - 1; d >= 0; d--) {
		q->i[d] = at % q->f.dim[d];
		at /= q->f.dim[d];
	}
	for (i = 0; i < sizeof meanings / sizeof *meanings; i++)
		if (!strcmp(name, meanings[i].name))
			return meanings[i].fn(q);
	return is_elementwise(name) ? elementwise(q, name) : world_fail(w, "nothing is known of what this instruction does");
}
