/* Exact rationals against arithmetic of 128 bits, the simplest one in an interval against a search, and literals read as them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <math.h>
#include <cmocka.h>
#include "core/literal.h"
#include "tensor/shape.h"
#include "util/rational.h"

enum { TRIES = 200000 };

static uint64_t seed = 0x9e3779b97f4a7c15ull;

static uint64_t rnd(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return seed * 0x2545f4914f6cdd1dull;
}

/* Numbers of any length, the largest ones often. */
static int64_t any_int(void)
{
	int64_t v = (int64_t)(rnd() >> 1) >> (rnd() >> 32) % 63;

	if (rnd() >> 61 == 0)
		v = INT64_MAX - (int64_t)(rnd() >> 62);
	return rnd() >> 63 ? v : -v;
}

static rat any_rat(void)
{
	int64_t den = any_int();
	rat r;

	while (!rat_make(&r, any_int(), den ? den : 1))
		den = any_int();
	return r;
}

static __int128 abs128(__int128 x)
{
	return x < 0 ? -x : x;
}

static __int128 gcd128(__int128 x, __int128 y)
{
	while (y) {
		__int128 t = x % y;
		x = y;
		y = t;
	}
	return abs128(x);
}

/* r, or its absence when `made` is false, is num / den in lowest terms. */
static void is_quotient(bool made, rat r, __int128 num, __int128 den)
{
	__int128 g = gcd128(num, den);

	if (den < 0)
		g = -g;
	num /= g;
	den /= g;
	assert_int_equal(made, num >= -INT64_MAX && num <= INT64_MAX && den <= INT64_MAX);
	if (!made)
		return;
	assert_true(r.num == num && r.den == den);
}

static void test_quotients(void **state)
{
	int k;

	(void)state;
	for (k = 0; k < TRIES; k++) {
		int64_t num = any_int(), den = any_int();
		rat r;
		if (den)
			is_quotient(rat_make(&r, num, den), r, num, den);
	}
}

static void test_products(void **state)
{
	int k;

	(void)state;
	for (k = 0; k < TRIES; k++) {
		rat x = any_rat(), y = any_rat(), r;
		is_quotient(rat_mul(&r, x, y), r, (__int128)x.num * y.num, (__int128)x.den * y.den);
		if (y.num)
			is_quotient(rat_div(&r, x, y), r, (__int128)x.num * y.den, (__int128)x.den * y.num);
	}
}

/* Sums of halves as long as 128 bits hold. */
static void test_sums(void **state)
{
	int k, kept = 0;

	(void)state;
	for (k = 0; k < TRIES; k++) {
		rat x = any_rat(), y = any_rat(), r;
		bool made = rat_add(&r, x, y);
		__int128 a = (__int128)x.num * y.den, b = (__int128)y.num * x.den;
		if (abs128(a) >> 125 || abs128(b) >> 125)
			continue;
		is_quotient(made, r, a + b, (__int128)x.den * y.den);
		kept++;
	}
	assert_true(kept > TRIES / 2);
}

static void test_order(void **state)
{
	int k;

	(void)state;
	for (k = 0; k < TRIES; k++) {
		rat x = any_rat(), y = any_rat();
		__int128 a = (__int128)x.num * y.den, b = (__int128)y.num * x.den;
		int c = rat_cmp(x, y);
		assert_int_equal(c < 0 ? -1 : c > 0, a < b ? -1 : a > b);
	}
}

static void test_powers(void **state)
{
	int k, e;

	(void)state;
	for (k = 0; k < 2000; k++) {
		rat x, r, want = RAT_ONE;
		bool fits = true;
		assert_true(rat_make(&x, (int64_t)(rnd() % 41) - 20, (int64_t)(rnd() % 20) + 1));
		for (e = 0; e < 12; e++) {
			assert_int_equal(rat_pow(&r, x, e), fits);
			assert_true(!fits || rat_eq(r, want));
			if (fits && x.num) {
				rat back;
				assert_true(rat_pow(&r, x, -e) && rat_mul(&back, r, want) && rat_is_int(back, 1));
			}
			fits = fits && rat_mul(&want, want, x);
		}
	}
}

static void test_doubles(void **state)
{
	int k;

	(void)state;
	for (k = 0; k < TRIES; k++) {
		double v = ldexp((double)(int64_t)(rnd() >> 11), (int)(rnd() % 160) - 120);
		rat r;
		if (rat_from_double(&r, v)) {
			assert_true(rat_double(r) == v);
			assert_true((r.den & (r.den - 1)) == 0);
		} else {
			assert_true(v >= 0x1p63 || v != ldexp(floor(ldexp(v, 62)), -62));
		}
	}
	assert_false(rat_from_double(&(rat){ 0, 1 }, INFINITY));
	assert_false(rat_from_double(&(rat){ 0, 1 }, NAN));
}

/* The least denominator of a fraction strictly between two doubles. */
static int64_t least_denominator(rat lo, rat hi)
{
	int64_t den;

	for (den = 1; ; den++) {
		int64_t num = (int64_t)floor(rat_double(lo) * (double)den) - 1, k;
		for (k = num; k < num + 4; k++) {
			rat r;
			if (rat_make(&r, k, den) && rat_cmp(r, lo) > 0 && rat_cmp(r, hi) < 0)
				return den;
		}
	}
}

static void test_simplest(void **state)
{
	int k;

	(void)state;
	for (k = 0; k < 5000; k++) {
		double x = (double)(rnd() % 4096) / 1024 - 2, y = x + (double)(rnd() % 1024 + 1) / 65536;
		rat lo, hi, r;
		int64_t den;
		assert_true(rat_from_double(&lo, x));
		assert_true(rat_from_double(&hi, y));
		den = least_denominator(lo, hi);
		assert_true(rat_simplest(&r, x, y, 1 << 30));
		assert_int_equal(r.den, den);
		assert_true(rat_cmp(r, lo) > 0 && rat_cmp(r, hi) < 0);
		assert_false(den > 1 && rat_simplest(&r, x, y, den - 1));
	}
}

static const char *text(int (*f)(char *, int, rat), int64_t num, int64_t den)
{
	static char buf[64];
	rat r;

	assert_true(rat_make(&r, num, den));
	f(buf, sizeof buf, r);
	return buf;
}

static void test_texts(void **state)
{
	(void)state;
	assert_string_equal(text(rat_text, 6, 2), "3");
	assert_string_equal(text(rat_text, 7, -4), "-7/4");
	assert_string_equal(text(rat_text, 10610843, 15005998), "10610843/15005998");
	assert_string_equal(text(rat_short, 7, -4), "-7/4");
	assert_string_equal(text(rat_short, 123456789, 1), "123456789");
	assert_string_equal(text(rat_short, 10610843, 15005998), "0.707106785");
	assert_string_equal(text(rat_short, 1, 1 << 20), "9.53674316e-07");
	assert_string_equal(text(rat_short, 1, 4096), "1/4096");
	assert_string_equal(text(rat_short, 3596, 13455), "0.267261241");
	assert_string_equal(text(rat_short, 1000000000, 1), "1000000000");
	assert_string_equal(text(rat_short, 1125899906842624, 1), "1.12589991e+15");
}

/* ---- literals, by themselves and with others of two programs */

static rat read_with(const literals *t, double v)
{
	number x = literal_number(t, T_F32, v);

	assert_true(number_is_rat(x));
	assert_true((float)rat_double(x.r) == (float)v);	/* whatever it is read as rounds to it */
	return x.r;
}

static rat times(rat x, rat y)
{
	rat r;

	assert_true(rat_mul(&r, x, y));
	return r;
}

static literals joined(arena *a, int n, const float *v)
{
	float *copy = ARENA_ARRAY(a, float, n);

	memcpy(copy, v, sizeof *v * (size_t)n);
	return literals_join(a, n, copy);
}

/* A compiler writes x / c as x * (1/c): alone the two literals are no inverses of each other. */
static void test_inverses(void **state)
{
	float v[] = { 2.23606801f, -0.44721359f, 50257, 1 / 50257.0f }, off[] = { 2.23606801f, 0.44721362f };
	arena a;
	literals t;

	(void)state;
	arena_init(&a);
	assert_false(rat_is_int(times(read_with(NULL, v[0]), read_with(NULL, v[1])), -1));
	t = joined(&a, 4, v);
	assert_true(rat_is_int(times(read_with(&t, v[0]), read_with(&t, v[1])), -1));
	assert_true(rat_is_int(times(read_with(&t, v[2]), read_with(&t, v[3])), 1));
	t = joined(&a, 2, off);	/* the next number above the inverse is another one */
	assert_int_equal(t.n, 0);
	assert_false(rat_is_int(times(read_with(&t, off[0]), read_with(&t, off[1])), 1));
	arena_free(&a);
}

/* .. and x * a * b as x times their rounded product. */
static void test_folded(void **state)
{
	float a1 = 0.797884583f, a2 = 0.0447149985f, v[] = { a1, a2, a1 * a2, 3, 3 * a2 }, off[] = { a1, a2, nextafterf(a1 * a2, 1) };
	float plain[] = { 0.1f, 0.25f, 0.1f * 0.25f };
	arena a;
	literals t;

	(void)state;
	arena_init(&a);
	t = joined(&a, 5, v);
	assert_true(rat_eq(times(read_with(&t, v[0]), read_with(&t, v[1])), read_with(&t, v[2])));
	assert_true(rat_eq(times((rat){ 3, 1 }, read_with(&t, v[1])), read_with(&t, v[4])));
	t = joined(&a, 3, off);
	assert_false(rat_eq(times(read_with(&t, off[0]), read_with(&t, off[1])), read_with(&t, off[2])));
	t = joined(&a, 3, plain);	/* fractions of small numbers are what was meant */
	assert_int_equal(t.n, 0);
	assert_true(rat_eq(read_with(&t, plain[2]), (rat){ 1, 40 }));
	arena_free(&a);
}

/* Whatever the literals are, each is read as what rounds to it, and once. */
static void test_any_literals(void **state)
{
	float v[40];
	arena a;
	literals t;
	int i, k;

	(void)state;
	arena_init(&a);
	for (i = 0; i < 300; i++) {
		for (k = 0; k < 40; k++)
			v[k] = k < 10 ? ldexpf((float)(rnd() >> 40), (int)(rnd() % 30) - 30) : k < 20 ? 1 / v[k - 10] : v[rnd() % 20] * v[rnd() % (uint64_t)k];
		t = joined(&a, 40, v);
		assert_true(t.n <= 40);
		for (k = 0; k < 40; k++)
			if (isnormal(v[k]) && fabsf(v[k]) > 1e-6f && fabsf(v[k]) < 1e6f)
				read_with(&t, v[k]);
		for (k = 1; k < t.n; k++)
			assert_true(t.at[k - 1].v < t.at[k].v);
	}
	arena_free(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_quotients),
		cmocka_unit_test(test_products),
		cmocka_unit_test(test_sums),
		cmocka_unit_test(test_order),
		cmocka_unit_test(test_powers),
		cmocka_unit_test(test_doubles),
		cmocka_unit_test(test_simplest),
		cmocka_unit_test(test_texts),
		cmocka_unit_test(test_inverses),
		cmocka_unit_test(test_folded),
		cmocka_unit_test(test_any_literals),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
