/* interp_round.c - arrays of numbers rounded to an element type, and their bits.
 *
 * The formats are those of round.h; here are the fast path for arrays and the
 * way back from a number to its code.
 */
#include <math.h>

#include <string.h>
#include "interp/interp_in.h"
#include "tensor/round.h"

/* To a mantissa of that many bits, ties to even, for a number whose result is normal and finite. */
static double round_mantissa(double v, int bits)
{
	int s = 52 - bits;
	uint64_t u;

	memcpy(&u, &v, sizeof u);
	u += ((uint64_t)1 << (s - 1)) - 1 + (u >> s & 1);
	u &= ~(((uint64_t)1 << s) - 1);
	memcpy(&v, &u, sizeof v);
	return v;
}

/* Most numbers lie between lo and hi, normal and far from overflow. */
static void round_array(enum etype t, int bits, double lo, double hi, int64_t n, double *f)
{
	int64_t k;

	for (k = 0; k < n; k++) {
		double a = fabs(f[k]);

		f[k] = a >= lo && a < hi ? round_mantissa(f[k], bits) : etype_round(t, f[k]);
	}
}

void interp_round(enum etype t, int64_t n, double *f)
{
	int64_t k;

	switch (t) {
	case T_F64: case T_C128:
		break;
	case T_F32: case T_C64:
		for (k = 0; k < (t == T_C64 ? 2 * n : n); k++)
			f[k] = (float)f[k];
		break;
	case T_BF16:
		round_array(t, 7, 0x1p-126, 0x1p127, n, f);
		break;
	case T_F16:
		round_array(t, 10, 0x1p-14, 0x1p15, n, f);
		break;
	default:
		for (k = 0; etype_is_float(t) && k < n; k++)
			f[k] = etype_round(t, f[k]);
	}
}

void interp_unsign(int64_t n, double *f)
{
	int64_t k;

	for (k = 0; k < n; k++)
		f[k] += 0.0;	/* -0 + 0 is 0 */
}

/* reduce-precision: IEEE rules for any number of bits; below the smallest normal number is zero. */
double interp_round_to(double v, int exponent_bits, int mantissa_bits)
{
	int bias = (1 << (exponent_bits - 1)) - 1;
	double max = ldexp(2 - ldexp(1, -mantissa_bits), bias), r;

	if (isnan(v) || isinf(v))
		return v;
	r = mantissa_bits < 52 ? round_mantissa(v, mantissa_bits) : v;
	if (fabs(r) > max)
		return copysign(INFINITY, v);
	return fabs(r) < ldexp(1, 1 - bias) ? copysign(0, v) : r;
}

/* The largest code without sign bit that stands for at most a; codes grow with the numbers. */
static unsigned code_below(enum etype t, unsigned codes, double a)
{
	unsigned lo = 0, hi = codes, mid;

	while (hi - lo > 1) {
		mid = lo + (hi - lo) / 2;
		if (etype_decode(t, mid) <= a)	/* not so for NaN */
			lo = mid;
		else
			hi = mid;
	}
	return lo;
}

static uint64_t nan_code(enum etype t, unsigned sign)
{
	unsigned inf = code_below(t, sign, INFINITY);

	if (t == T_F8E8M0FNU)
		return 255;
	if (isinf(etype_decode(t, inf)))	/* exponent all ones, then as many zeros as mantissa bits */
		return inf | 1u << (__builtin_ctz(inf) - 1);
	return isnan(etype_decode(t, sign)) ? sign : sign - 1;
}

uint64_t interp_bits(enum etype t, double v)
{
	unsigned sign = 1u << (etype_bits(t) - 1);
	uint64_t u;
	uint32_t w;
	float s;

	if (t == T_F64) {
		memcpy(&u, &v, sizeof u);
		return u;
	}
	if (t == T_F32) {
		s = (float)v;
		memcpy(&w, &s, sizeof w);
		return w;
	}
	v = etype_round(t, v);
	if (isnan(v))
		return nan_code(t, sign);
	if (t == T_F8E8M0FNU)
		return code_below(t, 255, v);
	return (signbit(v) ? sign : 0) | code_below(t, sign, fabs(v));
}

double interp_from_bits(enum etype t, uint64_t b)
{
	double v;
	uint32_t w = (uint32_t)b;
	float s;

	if (t == T_F64) {
		memcpy(&v, &b, sizeof v);
		return v;
	}
	if (t == T_F32) {
		memcpy(&s, &w, sizeof s);
		return s;
	}
	return etype_decode(t, w & (unsigned)(((uint64_t)1 << etype_bits(t)) - 1));
}

int64_t interp_wrap(enum etype t, int64_t v)
{
	int b = etype_bits(t);

	switch (etype_kind(t)) {
	case 'p':
		return v != 0;
	case 's':
		return b >= 64 ? v : (int64_t)((uint64_t)v << (64 - b)) >> (64 - b);
	case 'u':
		return b >= 64 ? v : v & (int64_t)(((uint64_t)1 << b) - 1);
	default:
		return v;
	}
}
