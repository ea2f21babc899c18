/* interp_round.c - float formats narrower than a double.
 *
 * Every format is a line of a table: mantissa bits, exponent of the smallest
 * normal number, largest finite number, and what overflow gives.  Rounding is
 * one step from the double, to nearest, ties to even.
 */
#include <math.h>
#include <string.h>
#include "interp_priv.h"

enum overflow { TO_INF, TO_NAN, TO_MAX };
struct format {
	int mantissa, emin;	/* emin: exponent of the smallest normal number */
	int emax;		/* exponent of the largest finite number */
	double max;
	enum overflow over;
	bool signed_zero;
	int bias;
};

static const struct format *format_of(enum etype t)
{
	static const struct format table[T_COUNT] = {
		[T_F32] = { 23, -126, 127, 0x1.fffffep127, TO_INF, true, 127 },
		[T_BF16] = { 7, -126, 127, 0x1.fep127, TO_INF, true, 127 },
		[T_F16] = { 10, -14, 15, 65504, TO_INF, true, 15 },
		[T_F8E5M2] = { 2, -14, 15, 57344, TO_INF, true, 15 },
		[T_F8E4M3] = { 3, -6, 7, 240, TO_INF, true, 7 },
		[T_F8E4M3FN] = { 3, -6, 8, 448, TO_NAN, true, 7 },
		[T_F8E3M4] = { 4, -2, 3, 15.5, TO_INF, true, 3 },
		[T_F8E4M3B11FNUZ] = { 3, -10, 4, 30, TO_NAN, false, 11 },
		[T_F8E5M2FNUZ] = { 2, -15, 15, 57344, TO_NAN, false, 16 },
		[T_F8E4M3FNUZ] = { 3, -7, 7, 240, TO_NAN, false, 8 },
		[T_F8E8M0FNU] = { 0, -127, 127, 0x1p127, TO_NAN, false, 127 },
		[T_F4E2M1FN] = { 1, 0, 2, 6, TO_MAX, true, 1 },
		[T_F6E3M2FN] = { 2, -2, 4, 28, TO_MAX, true, 3 },
		[T_F6E2M3FN] = { 3, 0, 2, 7.5, TO_MAX, true, 1 },
	};

	return table[t].max != 0 ? &table[t] : NULL;
}

/* To a mantissa of that many bits, for a number in the normal range. */
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

static double round_format(const struct format *f, double v)
{
	double a = fabs(v);

	if (isnan(v))
		return f->over == TO_MAX ? -0.0 : v;
	if (f->mantissa == 0 && (v <= 0 || isinf(v)))
		return NAN;	/* f8e8m0fnu: powers of two alone, no zero, no sign */
	if (a < ldexp(1, f->emin))
		a = f->mantissa ? rint(ldexp(a, f->mantissa - f->emin)) * ldexp(1, f->emin - f->mantissa) : ldexp(1, f->emin);
	else if (!isinf(a))
		a = round_mantissa(a, f->mantissa);
	if (a > f->max)
		a = f->over == TO_INF ? INFINITY : f->over == TO_NAN ? NAN : f->max;
	if (a == 0 && !f->signed_zero)
		return 0;
	return copysign(a, v);
}

/* Most numbers are normal and far from overflow: those need no case. */
static void round_all(const struct format *m, int64_t n, double *f)
{
	double lo = ldexp(1, m->emin), hi = ldexp(1, m->emax);
	int64_t k;

	for (k = 0; k < n; k++) {
		double a = fabs(f[k]);

		f[k] = m->mantissa && a >= lo && a < hi ? round_mantissa(f[k], m->mantissa) : round_format(m, f[k]);
	}
}

void interp_round(enum etype t, int64_t n, double *f)
{
	const struct format *m;
	int64_t k;

	if (t == T_F64 || t == T_C128)
		return;
	if (t == T_F32) {
		for (k = 0; k < n; k++)
			f[k] = (float)f[k];
	} else if (t == T_C64) {
		for (k = 0; k < 2 * n; k++)
			f[k] = (float)f[k];
	} else if ((m = format_of(t))) {
		round_all(m, n, f);
	}
}

/* reduce-precision: IEEE rules for any number of bits. */
double interp_round_to(double v, int exponent_bits, int mantissa_bits)
{
	int bias = (1 << (exponent_bits - 1)) - 1;
	struct format f = { mantissa_bits, 1 - bias, bias, 0, TO_INF, true, bias };
	double a;

	f.max = ldexp(2 - ldexp(1, -mantissa_bits), bias);
	if (mantissa_bits >= 52 || isnan(v) || isinf(v))
		return v;
	/* numbers below the smallest normal one flush to zero, as the specification asks */
	a = round_format(&f, v);
	return fabs(a) < ldexp(1, f.emin) ? copysign(0, v) : a;
}

static uint64_t encode(const struct format *f, int width, double v)
{
	uint64_t sign = signbit(v) ? (uint64_t)1 << (width - 1) : 0, m;
	int e;
	double a = fabs(v);

	if (f->mantissa == 0)
		return isnan(v) ? 0xff : (uint64_t)(ilogb(v) + f->bias);
	if (isnan(v) || isinf(v)) {
		uint64_t all = ((uint64_t)1 << (width - 1)) - 1;

		if (f->over == TO_INF)
			return sign | (all >> f->mantissa << f->mantissa) | (isnan(v) ? (uint64_t)1 << (f->mantissa - 1) : 0);
		return f->signed_zero ? sign | all : (uint64_t)1 << (width - 1);
	}
	if (a < ldexp(1, f->emin))
		return sign | (uint64_t)ldexp(a, f->mantissa - f->emin);
	e = ilogb(a);
	m = (uint64_t)ldexp(a, f->mantissa - e) - ((uint64_t)1 << f->mantissa);
	return sign | (uint64_t)(e + f->bias) << f->mantissa | m;
}

static double decode(const struct format *f, int width, uint64_t b)
{
	uint64_t sign = b >> (width - 1) & 1, all = ((uint64_t)1 << (width - 1)) - 1, r = b & all;
	uint64_t e = r >> f->mantissa, m = r & (((uint64_t)1 << f->mantissa) - 1);
	double a;

	if (f->mantissa == 0)
		return (b & 0xff) == 0xff ? NAN : ldexp(1, (int)(b & 0xff) - f->bias);
	if (!f->signed_zero && sign && r == 0)
		return NAN;
	if (f->over == TO_NAN && f->signed_zero && r == all)
		return NAN;
	if (f->over == TO_INF && e == all >> f->mantissa)
		return m ? NAN : sign ? -INFINITY : INFINITY;
	a = e ? ldexp((double)(m | (uint64_t)1 << f->mantissa), (int)e - f->bias - f->mantissa)
	      : ldexp((double)m, f->emin - f->mantissa);
	return sign ? -a : a;
}

uint64_t interp_bits(enum etype t, double v)
{
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
	interp_round(t, 1, &v);
	return format_of(t) ? encode(format_of(t), etype_bits(t), v) : 0;
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
	return format_of(t) ? decode(format_of(t), etype_bits(t), b) : 0;
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
