/* certify_sum.c - what instructions mean, place by place: contractions, reductions, scatters. */
#include "certify/certify_tensor_in.h"

#include <string.h>

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

val does_dot(struct instr *q)
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
		if (!instr_listed(d, lb, nb, NULL) && !instr_listed(d, lc, nc, NULL))
			x[d] = q->i[o++];
	for (d = 0; d < q->in[1].rank; d++)
		if (!instr_listed(d, rb, nb, NULL) && !instr_listed(d, rc, nc, NULL))
			y[d] = q->i[o++];
	for (k = 0; k < nc; k++)
		total *= q->in[0].dim[lc[k]];
	for (d = 0; d < total && world_pay(q->w, 3); d++) {
		for (k = 0; k < nc; k++)
			x[lc[k]] = y[rc[k]] = run[k];
		a = in_wide(q, 0, wide, instr_read(q, 0, q->dev, x));
		b = in_wide(q, 1, wide, instr_read(q, 1, q->dev, y));
		a = cv_mul(wide, a, b);
		s = first ? a : cv_add(wide, s, a);
		first = false;
		for (k = nc - 1; k >= 0 && ++run[k] == q->in[0].dim[lc[k]]; k--)
			run[k] = 0;
	}
	return narrowed(q, s);
}

val does_convolution(struct instr *q)
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
		s = cv_add(wide, s, cv_mul(wide, in ? in_wide(q, 0, wide, instr_read(q, 0, q->dev, x)) : none,	/* zeros stand around it */
					   in_wide(q, 1, wide, instr_read(q, 1, q->dev, y))));
		for (k = ns; k >= 0 && ++run[k] == (k == ns ? cin : p[9 + 10 * k + 3]); k--)
			run[k] = 0;
	}
	return narrowed(q, s);
}

val does_reduce(struct instr *q)
{
	int64_t x[RANK], run[RANK] = { 0 }, d, k, o = 0, total = 1;
	val s = instr_at(q, 1, q->dev, 0);

	for (d = 0; d < q->in[0].rank; d++)
		if (!instr_listed(d, q->ints, q->nint, NULL))
			x[d] = q->i[o++];
		else
			total *= q->in[0].dim[d];
	for (d = 0; d < total && world_pay(q->w, 2); d++) {
		for (k = 0; k < q->nint; k++)
			x[q->ints[k]] = run[k];
		s = cv_reduce(q->name, q->f.type, s, instr_read(q, 0, q->dev, x));
		for (k = q->nint - 1; k >= 0 && ++run[k] == q->in[0].dim[q->ints[k]]; k--)
			run[k] = 0;
	}
	return s;
}

val does_reduce_window(struct instr *q)
{
	int64_t x[RANK], run[RANK] = { 0 }, d, total = 1;
	val s = instr_at(q, 1, q->dev, 0);

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
			s = cv_reduce(q->name, q->f.type, s, instr_read(q, 0, q->dev, x));
		for (d = q->f.rank - 1; d >= 0 && ++run[d] == q->ints[6 * d]; d--)
			run[d] = 0;
	}
	return s;
}

/* Element ints[0] of a reduction over ints[1..] that keeps the largest value (0) or its payload (1), or the smallest (2) or its
 * payload (3), from those it begins with. */
val does_arg_reduce(struct instr *q)
{
	int64_t x[RANK], run[RANK] = { 0 }, d, k, o = 0, total = 1, n = q->nint - 1;
	rat sign = { q->ints[0] & 2 ? -1 : 1, 1 };
	const char *kind = !strncmp(q->name, "last ", 5) ? "last" : !strncmp(q->name, "least ", 6) ? "least" : "first";
	val best = cv_scale(q->in[0].type, sign, instr_at(q, 2, q->dev, 0)), pay = instr_at(q, 3, q->dev, 0);

	for (d = 0; d < q->in[0].rank; d++)
		if (!instr_listed(d, q->ints + 1, n, NULL))
			x[d] = q->i[o++];
		else
			total *= q->in[0].dim[d];
	for (o = 0; o < total && world_pay(q->w, 3); o++) {
		for (d = k = 0; d < q->in[0].rank; d++)	/* in the order of the dimensions */
			if (instr_listed(d, q->ints + 1, n, NULL))
				x[d] = run[d];
		cv_choose(kind, q->in[1].type, &best, &pay, cv_scale(q->in[0].type, sign, instr_read(q, 0, q->dev, x)),
			  instr_read(q, 1, q->dev, x), false);
		for (d = q->in[0].rank - 1; d >= 0; d--) {
			if (!instr_listed(d, q->ints + 1, n, NULL))
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
		while (k < up->rank && instr_listed(k, list[WINDOW], n[WINDOW], NULL))
			k++;
		si[d] = u[k++];
	}
	for (d = w = 0; d < x->rank; d++) {
		int64_t start = 0, width = 1, off = 0, at;
		if (instr_listed(d, list[MAP], n[MAP], &at)) {
			if (ivd < s->rank)
				si[ivd] = at;
			start = instr_read(q, 1, q->dev, si).i;
		}
		if (instr_listed(d, list[OBATCH], n[OBATCH], &at)) {
			start = si[list[SBATCH][at]];
		} else if (!instr_listed(d, list[INSERTED], n[INSERTED], NULL)) {
			width = up->dim[list[WINDOW][w]];
			off = u[list[WINDOW][w++]];
		}
		if (start < 0 || start + width > x->dim[d] || start + off != q->i[d])
			hit = false;
	}
	return hit;
}

val does_scatter(struct instr *q)
{
	val s = instr_at(q, 0, q->dev, q->at);
	int64_t u[RANK] = { 0 }, k, d;

	for (k = 0; k < q->in[2].elements && world_pay(q->w, 4); k++) {
		if (scattered_to(q, u)) {
			val v = instr_read(q, 2, q->dev, u);
			s = !strcmp(q->name, "assign") ? v : cv_reduce(q->name, q->f.type, s, v);
		}
		for (d = q->in[2].rank - 1; d >= 0 && ++u[d] == q->in[2].dim[d]; d--)
			u[d] = 0;
	}
	return s;
}
