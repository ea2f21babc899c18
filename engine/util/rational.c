#include "util/rational.h"

#include <math.h>
#include <stdio.h>

int64_t gcd64(int64_t x, int64_t y)
{
	while (y) {
		int64_t t = x % y;
		x = y;
		y = t;
	}
	return x < 0 ? -x : x;
}

static unsigned __int128 gcd128(unsigned __int128 a, unsigned __int128 b)
{
	while (b) {
		unsigned __int128 t;
		if (!(a >> 64) && !(b >> 64)) {	/* the machine divides these itself */
			uint64_t x = (uint64_t)a, y = (uint64_t)b, r;
			for (; y; x = y, y = r)
				r = x % y;
			return x;
		}
		t = a % b;
		a = b;
		b = t;
	}
	return a;
}

bool rat_make(rat *r, __int128 num, __int128 den)
{
	unsigned __int128 n = num < 0 ? -(unsigned __int128)num : (unsigned __int128)num;
	unsigned __int128 d = den < 0 ? -(unsigned __int128)den : (unsigned __int128)den;
	unsigned __int128 g = d == 1 ? 1 : gcd128(n, d);
	bool neg = (num < 0) != (den < 0);

	if (g > 1) {
		n /= g;
		d /= g;
	}
	if (n > INT64_MAX || d > INT64_MAX)
		return false;
	r->num = neg ? -(int64_t)n : (int64_t)n;
	r->den = (int64_t)d;
	return true;
}

bool rat_add(rat *r, rat a, rat b)
{
	__int128 x = (__int128)a.num * b.den, y = (__int128)b.num * a.den;

	if (a.den == 1 && b.den == 1)
		return rat_make(r, (__int128)a.num + b.num, 1);
	return rat_make(r, x + y, (__int128)a.den * b.den);
}

bool rat_mul(rat *r, rat a, rat b)
{
	return rat_make(r, (__int128)a.num * b.num, (__int128)a.den * b.den);
}

bool rat_div(rat *r, rat a, rat b)
{
	return rat_make(r, (__int128)a.num * b.den, (__int128)a.den * b.num);
}

bool rat_pow(rat *r, rat a, int64_t e)
{
	rat x = RAT_ONE, base = a;
	bool neg = e < 0;
	int64_t k;

	for (k = neg ? -e : e; k; k--)
		if (!rat_mul(&x, x, base))
			return false;
	if (neg)
		return rat_make(r, x.den, x.num);
	*r = x;
	return true;
}

int rat_cmp(rat a, rat b)
{
	__int128 x = (__int128)a.num * b.den, y = (__int128)b.num * a.den;

	return x < y ? -1 : x > y;
}

double rat_double(rat a)
{
	return (double)a.num / (double)a.den;
}

bool rat_from_double(rat *r, double v)
{
	int e;
	double m;
	int64_t k;

	if (!isfinite(v))
		return false;
	m = frexp(v, &e);
	k = (int64_t)ldexp(m, 53);
	e -= 53;
	while (k && k % 2 == 0 && e < 0) {
		k /= 2;
		e++;
	}
	if (e < -62 || e > 62)
		return k == 0 ? rat_make(r, 0, 1) : false;
	return e <= 0 ? rat_make(r, k, (__int128)1 << -e)
		     : rat_make(r, (__int128)k * ((__int128)1 << e), 1);
}

/* How many steps from a/b towards c/d stay on this side of the edge, the first of which does: they come in rows as long as the
 * quotients of a continued fraction are large. */
static int64_t mediants(int64_t a, int64_t b, int64_t c, int64_t d, double edge, bool below, int64_t max)
{
	int64_t most = d ? (max - b) / d : 1, k = 1, step = 1;

	while (step) {
		int64_t to = k + step;
		double v = to <= most ? (double)(a + to * c) / (double)(b + to * d) : 0;

		if (to <= most && (below ? v <= edge : v >= edge)) {
			k = to;
			step *= 2;
		} else {
			step /= 2;
		}
	}
	return k;
}

bool rat_simplest(rat *r, double lo, double hi, int64_t max)
{
	int64_t a = 0, b = 1, c = 1, d = 0, whole;	/* between a/b and c/d */
	bool neg = hi <= 0;
	double l = neg ? -hi : lo, h = neg ? -lo : hi;

	if (lo < 0 && hi > 0)
		return rat_make(r, 0, 1);
	if (!(l < h) || h > 1e15)
		return false;
	whole = (int64_t)floor(l);
	if ((double)(whole + 1) < h) {	/* an integer lies inside */
		int64_t n = (double)whole > l ? whole : whole + 1;
		return rat_make(r, neg ? -n : n, 1);
	}
	l -= (double)whole;
	h -= (double)whole;
	for (;;) {
		int64_t m = a + c, q = b + d, k;
		double v = (double)m / (double)q;
		if (q > max)
			return false;
		if (v <= l) {
			k = mediants(a, b, c, d, l, true, max);
			a += k * c;
			b += k * d;
		} else if (v >= h) {
			k = mediants(c, d, a, b, h, false, max);
			c += k * a;
			d += k * b;
		} else {
			__int128 n = (__int128)whole * q + m;
			return rat_make(r, neg ? -n : n, q);
		}
	}
}

int rat_text(char *buf, int n, rat a)
{
	return a.den == 1 ? snprintf(buf, (size_t)n, "%lld", (long long)a.num)
			  : snprintf(buf, (size_t)n, "%lld/%lld", (long long)a.num, (long long)a.den);
}

int rat_short(char *buf, int n, rat a)
{
	enum { LONG = 100000, SEEN_AT_ONCE = 1000, LARGE = 1000000000 };
	int64_t most = a.den == 1 ? LARGE : SEEN_AT_ONCE;

	if (a.den < LONG && a.num <= most && a.num >= -most)
		return rat_text(buf, n, a);
	return snprintf(buf, (size_t)n, "%.9g", rat_double(a));
}
