#include "core/literal.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include "tensor/shape.h"

enum { DENOMINATOR = 4096, DENOMINATOR_WIDE = 1 << 20, DENOMINATOR_JOINED = 1 << 14 };

/* What rounds to v lies between. */
static void rounds_to(int type, double v, double *lo, double *hi)
{
	*lo = ((type == T_F32 ? (double)nextafterf((float)v, -INFINITY) : nextafter(v, -INFINITY)) + v) / 2;
	*hi = ((type == T_F32 ? (double)nextafterf((float)v, INFINITY) : nextafter(v, INFINITY)) + v) / 2;
}

/* ---- literals that are inverses of each other */

static int compare(const void *x, const void *y)
{
	float a = *(const float *)x, b = *(const float *)y;

	return a < b ? -1 : a > b;
}

static int compare_joined(const void *x, const void *y)
{
	return compare(&((const struct joined_literal *)x)->v, &((const struct joined_literal *)y)->v);
}

/* Signs dropped, each once, rising. */
static int tidy(int n, float *v)
{
	int k, m = 0;

	for (k = 0; k < n; k++)
		v[k] = fabsf(v[k]);
	qsort(v, (size_t)n, sizeof *v, compare);
	for (k = 0; k < n; k++)
		if (isnormal(v[k]) && (!m || v[m - 1] != v[k]))
			v[m++] = v[k];
	return m;
}

/* The number that v is read as if 1 over it is to round to u. */
static bool join(float v, float u, rat *r)
{
	double lo, hi, ulo, uhi;

	if (v == rintf(v))
		return v < 0x1p24f && rat_make(r, (int64_t)v, 1);
	rounds_to(T_F32, v, &lo, &hi);
	rounds_to(T_F32, u, &ulo, &uhi);
	return rat_simplest(r, fmax(lo, 1 / uhi), fmin(hi, 1 / ulo), DENOMINATOR_JOINED);
}

static const struct joined_literal *find(const literals *t, float v)
{
	struct joined_literal key = { .v = v };

	return t->n ? bsearch(&key, t->at, (size_t)t->n, sizeof key, compare_joined) : NULL;
}

static void put(literals *t, float v, rat r)
{
	int k;

	for (k = t->n++; k && t->at[k - 1].v > v; k--)
		t->at[k] = t->at[k - 1];
	t->at[k] = (struct joined_literal){ v, r };
}

/* ---- literals that are products of others */

/* Fractions of smaller numbers than these are what was meant. */
enum { MEANT = 512, FACTORS = 64 };

static bool meant(float v, rat *r)
{
	double lo, hi;

	if (v == rintf(v))
		return v < 0x1p24f && rat_make(r, (int64_t)v, 1);
	rounds_to(T_F32, v, &lo, &hi);
	return rat_simplest(r, lo, hi, MEANT);
}

/* What a factor is read as, if it is not to be read anew. */
static bool settled(const literals *t, float v, rat *r)
{
	const struct joined_literal *j = find(t, v);

	if (j)
		*r = j->r;
	return j || meant(v, r);
}

/* A reading of v so that r times it rounds to c; r: NULL, where it may be any. */
static bool fitting(float v, const rat *r, float c, rat *out)
{
	double lo, hi, clo, chi, x = r ? rat_double(*r) : 1;

	rounds_to(T_F32, v, &lo, &hi);
	rounds_to(T_F32, c, &clo, &chi);
	return rat_simplest(out, r ? fmax(lo, clo / x) : lo, r ? fmin(hi, chi / x) : hi, DENOMINATOR_JOINED);
}

static bool rounds_back(float c, rat r)
{
	return (float)rat_double(r) == c;
}

/* c, the rounded product of a and b; a is settled before b, if one of them is. */
static void join_factors(literals *t, float c, float a, float b)
{
	rat x, y, r;
	bool new_a = !settled(t, a, &x), new_b = a != b && !settled(t, b, &y);

	if (new_a && !fitting(a, NULL, c, &x))
		return;
	if (new_b && !fitting(b, &x, c, &y))
		return;
	if (!rat_mul(&r, x, a == b ? x : y) || !rounds_back(c, r))
		return;
	if (new_a)
		put(t, a, x);
	if (new_b)
		put(t, b, y);
	put(t, c, r);
}

static void join_product(literals *t, float c, float a, float b)
{
	rat r;

	if (settled(t, a, &r))
		join_factors(t, c, a, b);
	else
		join_factors(t, c, b, a);
}

static void join_products(literals *t, int m, const float *v)
{
	rat r;
	int i, j;

	for (i = 0; i < m && m <= FACTORS; i++)
		for (j = i; j < m; j++) {
			float c = v[i] * v[j], *at = bsearch(&c, v, (size_t)m, sizeof c, compare);
			if (at && at != &v[i] && at != &v[j] && !settled(t, c, &r))
				join_product(t, c, v[i], v[j]);
		}
}

/* v and its inverse, unless one of them is read by what it was joined with before. */
static void join_pair(literals *t, float v, float u)
{
	rat r, q;

	if (v == u || find(t, v) || find(t, u) || !join(v, u, &r) || !rat_div(&q, RAT_ONE, r))
		return;
	put(t, v, r);
	put(t, u, q);
}

literals literals_join(arena *a, int n, float *v)
{
	literals t = { 0 };
	float u, *at;
	int k, m = tidy(n, v);

	t.at = ARENA_ARRAY(a, struct joined_literal, m);
	for (k = m - 1; k >= 0; k--) {
		u = 1 / v[k];
		at = bsearch(&u, v, (size_t)m, sizeof u, compare);
		if (at && v[k] > 1)
			join_pair(&t, v[k], u);
		else if (at)
			join_pair(&t, u, v[k]);
	}
	join_products(&t, m, v);
	return t;
}

/* ---- numbers */

number literal_number(const literals *t, int type, double v)
{
	number x = { { 0, 0 }, v };
	const struct joined_literal *j;
	double lo, hi;
	rat r;

	if (!isfinite(v))
		return x;
	if (v == rint(v) && fabs(v) < 9e15 && (type == T_F32 || type == T_F64))
		return (number){ .r = { (int64_t)v, 1 } };
	if (type == T_F32 && t && (j = find(t, fabsf((float)v))))
		return (number){ .r = { v < 0 ? -j->r.num : j->r.num, j->r.den } };
	if (type == T_F32 || type == T_F64) {
		rounds_to(type, v, &lo, &hi);
		if (rat_simplest(&r, lo, hi, type == T_F32 ? DENOMINATOR : DENOMINATOR_WIDE))
			return (number){ .r = r };
	}
	return rat_from_double(&r, v) ? (number){ .r = r } : x;
}

/* Does a fraction stand for a number that the type only rounds to? */
static bool is_rounded(number x)
{
	return number_is_rat(x) && (x.r.den & (x.r.den - 1)) != 0;
}

bool literal_reciprocals(int type, int64_t n, const double *v, double *whole)
{
	bool rounded = false;
	number x;
	int64_t i;

	if (type != T_F32 && type != T_F64)
		return false;
	for (i = 0; i < n; i++) {
		x = literal_number(NULL, type, v[i]);
		if (!number_is_rat(x) || x.r.num != 1)
			return false;
		rounded = rounded || is_rounded(x);
	}
	for (i = 0; i < n && rounded; i++)
		whole[i] = (double)literal_number(NULL, type, v[i]).r.den;
	return rounded;
}

const char *literal_reading(const literals *t, arena *out, int type, double v)
{
	number x = literal_number(t, type, v);
	char text[64];

	if (!is_rounded(x))
		return NULL;
	rat_text(text, sizeof text, x.r);
	return arena_printf(out, type == T_F64 ? "%.17g is read as %s" : "%.9g is read as %s", v, text);
}
