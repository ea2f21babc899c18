#include "tensor/round.h"

#include <math.h>

/* How the topmost codes are used: IEEE; FN: one NaN code per sign and no
 * infinity; FNUZ: NaN is minus zero and nothing else; FINITE: neither. */
enum special { IEEE, FN, FNUZ, FINITE };

static const struct format {
	enum etype type;
	int exponent, mantissa, bias;
	double max;
	enum special special;
} formats[] = {
	{ T_F16, 5, 10, 15, 65504, IEEE },
	{ T_BF16, 8, 7, 127, 0x1.fep127, IEEE },
	{ T_F8E5M2, 5, 2, 15, 57344, IEEE },
	{ T_F8E4M3, 4, 3, 7, 240, IEEE },
	{ T_F8E3M4, 3, 4, 3, 15.5, IEEE },
	{ T_F8E4M3FN, 4, 3, 7, 448, FN },
	{ T_F8E5M2FNUZ, 5, 2, 16, 57344, FNUZ },
	{ T_F8E4M3FNUZ, 4, 3, 8, 240, FNUZ },
	{ T_F8E4M3B11FNUZ, 4, 3, 11, 30, FNUZ },
	{ T_F4E2M1FN, 2, 1, 1, 6, FINITE },
	{ T_F6E3M2FN, 3, 2, 3, 28, FINITE },
	{ T_F6E2M3FN, 2, 3, 1, 7.5, FINITE },
};

static const struct format *format_of(enum etype t)
{
	for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++)
		if (formats[i].type == t)
			return &formats[i];
	return NULL;
}

static double round_to(const struct format *f, double x)
{
	double quantum, r;
	int e;

	if (isnan(x))
		return f->special == FINITE ? 0 : x;
	if (isinf(x))
		return f->special == IEEE ? x : f->special == FINITE ? copysign(f->max, x) : NAN;
	frexp(x, &e);
	e = (e - 1 > 1 - f->bias ? e - 1 : 1 - f->bias) - f->mantissa;
	quantum = ldexp(1, e);
	r = rint(x / quantum) * quantum;
	if (fabs(r) > f->max)
		return f->special == IEEE ? copysign(INFINITY, x) :
			f->special == FINITE ? copysign(f->max, x) : NAN;
	if (r == 0 && f->special == FNUZ)
		return 0;	/* there is no minus zero */
	return r;
}

/* f8e8m0fnu holds the powers of two from 2^-127 to 2^127 and NaN. */
static double round_power(double x)
{
	int e;
	double m;

	if (!(x > 0) || isinf(x))
		return NAN;
	m = frexp(x, &e);	/* 0.5 <= m < 1 */
	e = m > 0.75 || (m == 0.75 && (e & 1)) ? e : e - 1;
	return e > 127 ? NAN : ldexp(1, e < -127 ? -127 : e);
}

double etype_round(enum etype t, double x)
{
	const struct format *f;

	if (t == T_F32 || t == T_C64)
		return (float)x;
	if (t == T_F8E8M0FNU)
		return round_power(x);
	f = format_of(t);
	return f ? round_to(f, x) : x;
}

double etype_decode(enum etype t, unsigned bits)
{
	const struct format *f = format_of(t);
	unsigned m, e, top;
	double sign, v;

	if (t == T_F8E8M0FNU)
		return bits == 255 ? NAN : ldexp(1, (int)bits - 127);
	if (!f)
		return 0;
	m = bits & ((1u << f->mantissa) - 1);
	top = (1u << f->exponent) - 1;
	e = bits >> f->mantissa & top;
	sign = bits >> (f->mantissa + f->exponent) & 1 ? -1 : 1;
	if (f->special == IEEE && e == top)
		return m ? copysign(NAN, sign) : sign * INFINITY;
	if (f->special == FN && e == top && m == (1u << f->mantissa) - 1)
		return copysign(NAN, sign);
	if (f->special == FNUZ && e == 0 && m == 0 && sign < 0)
		return NAN;
	v = e ? ldexp(m + (1u << f->mantissa), (int)e - f->bias - f->mantissa) :
		ldexp(m, 1 - f->bias - f->mantissa);
	return sign * v;
}

bool etype_holds(enum etype t, int64_t v, bool negative)
{
	int bits = etype_bits(t);

	if (t == T_PRED)
		return v == 0 || v == 1;
	if (etype_kind(t) == 'u')
		return !negative && (bits == 64 || (uint64_t)v >> bits == 0);
	if (bits == 64)
		return negative == (v < 0);
	return negative == (v < 0) && v >= -(int64_t)((uint64_t)1 << (bits - 1)) &&
		v < (int64_t)((uint64_t)1 << (bits - 1));
}

bool etype_counts(enum etype t, int64_t n)
{
	if (etype_is_float(t))
		return etype_round(t, (double)n) == (double)n && etype_round(t, (double)n - 1) == (double)n - 1;
	return (etype_is_int(t) || t == T_PRED) && etype_holds(t, n - 1, false);
}
