/* interp_elem.c - operations that work element by element.
 *
 * One loop per operation and kind of number; results are rounded and integers
 * wrapped in a second pass over a block that is still in the cache.  All of
 * them may write over an operand.
 */
#include <complex.h>

#include <math.h>
#include <string.h>
#include "interp/interp_in.h"

#undef I	/* the imaginary unit, not needed here */

enum { BLOCK = 512 };
typedef double complex cplx;

/* Elements of one operand: word 0 again and again when it is a scalar. */
#define F(k) (((const double *)a)[k])
#define G(k) (((const double *)b)[k])
#define I(k) (((const int64_t *)a)[k])
#define J(k) (((const int64_t *)b)[k])
#define U(k) (((const uint64_t *)a)[k])
#define V(k) (((const uint64_t *)b)[k])
#define LOOP(stmt) do { for (k = 0; k < n; k++) { stmt; } } while (0)

static double sign_of(double v)
{
	return v > 0 ? 1 : v < 0 ? -1 : v;
}

static double round_afz(double v)
{
	return copysign(floor(fabs(v) + (fabs(v) - floor(fabs(v)) >= 0.5 && floor(fabs(v)) < 0x1p52 ? 1 : 0)), v);
}

/* In every rounding mode of the processor. */
static double round_even(double v)
{
	return fabs(v - trunc(v)) == 0.5 ? 2 * round(v / 2) : round(v);
}

static bool float_unary(const struct elem *e, int64_t n, double *d, const void *a)
{
	int64_t k;

	switch (e->op) {
	case OP_ABS: LOOP(d[k] = fabs(F(k))); return true;
	case OP_ACOS: LOOP(d[k] = acos(F(k))); return true;
	case OP_ACOSH: LOOP(d[k] = acosh(F(k))); return true;
	case OP_ASIN: LOOP(d[k] = asin(F(k))); return true;
	case OP_ASINH: LOOP(d[k] = asinh(F(k))); return true;
	case OP_ATANH: LOOP(d[k] = atanh(F(k))); return true;
	case OP_CBRT: LOOP(d[k] = cbrt(F(k))); return true;
	case OP_CEIL: LOOP(d[k] = ceil(F(k))); return true;
	case OP_COSINE: LOOP(d[k] = cos(F(k))); return true;
	case OP_COSH: LOOP(d[k] = cosh(F(k))); return true;
	case OP_ERF: LOOP(d[k] = erf(F(k))); return true;
	case OP_EXPONENTIAL: LOOP(d[k] = exp(F(k))); return true;
	case OP_EXPONENTIAL_MINUS_ONE: LOOP(d[k] = expm1(F(k))); return true;
	case OP_FLOOR: LOOP(d[k] = floor(F(k))); return true;
	case OP_IMAG: LOOP(d[k] = 0); return true;
	case OP_LOG: LOOP(d[k] = log(F(k))); return true;
	case OP_LOG_PLUS_ONE: LOOP(d[k] = log1p(F(k))); return true;
	case OP_LOGISTIC: LOOP(d[k] = 1 / (1 + exp(-F(k)))); return true;
	case OP_NEGATE: LOOP(d[k] = -F(k)); return true;
	case OP_REAL: case OP_COPY: LOOP(d[k] = F(k)); return true;
	case OP_ROUND_NEAREST_AFZ: LOOP(d[k] = round_afz(F(k))); return true;
	case OP_ROUND_NEAREST_EVEN: LOOP(d[k] = round_even(F(k))); return true;
	case OP_RSQRT: LOOP(d[k] = 1 / sqrt(F(k))); return true;
	case OP_SIGN: LOOP(d[k] = sign_of(F(k))); return true;
	case OP_SINE: LOOP(d[k] = sin(F(k))); return true;
	case OP_SINH: LOOP(d[k] = sinh(F(k))); return true;
	case OP_SQRT: LOOP(d[k] = sqrt(F(k))); return true;
	case OP_TAN: LOOP(d[k] = tan(F(k))); return true;
	case OP_TANH: LOOP(d[k] = tanh(F(k))); return true;
	default: return false;
	}
}

/* A NaN on either side comes out. */
static double max2(double x, double y)
{
	return x > y || x != x ? x : y;
}

static double min2(double x, double y)
{
	return x < y || x != x ? x : y;
}

/* Reals are doubles here: an exponent that is whole but for their rounding is whole, or a negative number would have no power. */
static double power(const struct elem *e, double x, double y)
{
	if (!e->round && fabs(y - rint(y)) <= 1e-13 * fabs(y))
		y = rint(y);
	return y == 2 ? x * x : pow(x, y);
}

static bool float_binary(const struct elem *e, int64_t n, double *d, const void *a, const void *b)
{
	int64_t k;

	switch (e->op) {
	case OP_ADD: LOOP(d[k] = F(k) + G(k)); return true;
	case OP_SUBTRACT: LOOP(d[k] = F(k) - G(k)); return true;
	case OP_MULTIPLY: LOOP(d[k] = F(k) * G(k)); return true;
	case OP_DIVIDE: LOOP(d[k] = F(k) / G(k)); return true;
	case OP_MAXIMUM: LOOP(d[k] = max2(F(k), G(k))); return true;
	case OP_MINIMUM: LOOP(d[k] = min2(F(k), G(k))); return true;
	case OP_POWER: LOOP(d[k] = power(e, F(k), G(k))); return true;
	case OP_REMAINDER: LOOP(d[k] = fmod(F(k), G(k))); return true;
	case OP_ATAN2: LOOP(d[k] = atan2(F(k), G(k))); return true;
	default: return false;
	}
}

static int64_t divide_signed(int64_t x, int64_t y)
{
	return y == 0 ? -1 : y == -1 ? (int64_t)(0 - (uint64_t)x) : x / y;
}

static int64_t remain_signed(int64_t x, int64_t y)
{
	return y == 0 ? x : y == -1 ? 0 : x % y;
}

static int64_t power_int(int64_t x, int64_t y, bool is_signed)
{
	uint64_t r = 1, b = (uint64_t)x, e = (uint64_t)y;

	if (is_signed && y < 0)
		return x == 1 ? 1 : x == -1 ? (y & 1 ? -1 : 1) : 0;
	for (; e; e >>= 1, b *= b)
		if (e & 1)
			r *= b;
	return (int64_t)r;
}

static int64_t leading_zeros(int bits, uint64_t v)
{
	uint64_t low = bits >= 64 ? v : v & (((uint64_t)1 << bits) - 1);

	return low ? __builtin_clzll(low) - (64 - bits) : bits;
}

static int64_t ones(int bits, uint64_t v)
{
	return __builtin_popcountll(bits >= 64 ? v : v & (((uint64_t)1 << bits) - 1));
}

static int64_t shift_logical(int bits, uint64_t v, uint64_t s)
{
	uint64_t low = bits >= 64 ? v : v & (((uint64_t)1 << bits) - 1);

	return s >= (uint64_t)bits ? 0 : (int64_t)(low >> s);
}

static int64_t shift_arithmetic(int bits, int64_t v, uint64_t s)
{
	int64_t x = (int64_t)((uint64_t)v << (64 - bits)) >> (64 - bits);

	return x >> (s >= (uint64_t)bits ? bits - 1 : (int)s);
}

static int64_t mulhi(enum etype t, int64_t x, int64_t y)
{
	int bits = etype_bits(t);

	if (etype_kind(t) == 's')
		return (int64_t)(((__int128)x * y) >> bits);
	return (int64_t)(((unsigned __int128)(uint64_t)x * (uint64_t)y) >> bits);
}

static bool int_unary(const struct elem *e, int64_t n, int64_t *d, const void *a)
{
	int bits = etype_bits(e->in);
	bool pred = e->in == T_PRED, sig = etype_kind(e->in) == 's';
	int64_t k;

	switch (e->op) {
	case OP_ABS: LOOP(d[k] = sig && I(k) < 0 ? (int64_t)(0 - U(k)) : I(k)); return true;
	case OP_NEGATE: LOOP(d[k] = pred ? I(k) : (int64_t)(0 - U(k))); return true;
	case OP_SIGN: LOOP(d[k] = sig ? (I(k) > 0) - (I(k) < 0) : I(k) != 0); return true;
	case OP_NOT: LOOP(d[k] = pred ? !I(k) : ~I(k)); return true;
	case OP_POPCNT: LOOP(d[k] = ones(bits, U(k))); return true;
	case OP_COUNT_LEADING_ZEROS: LOOP(d[k] = leading_zeros(bits, U(k))); return true;
	case OP_COPY: case OP_REAL: case OP_CEIL: case OP_FLOOR: LOOP(d[k] = I(k)); return true;
	case OP_IS_FINITE: LOOP(d[k] = 1); return true;
	default: return false;
	}
}

static bool int_binary(const struct elem *e, int64_t n, int64_t *d, const void *a, const void *b)
{
	int bits = etype_bits(e->in);
	bool pred = e->in == T_PRED, sig = etype_kind(e->in) == 's';
	int64_t k;

	switch (e->op) {
	case OP_ADD: LOOP(d[k] = pred ? I(k) | J(k) : (int64_t)(U(k) + V(k))); return true;
	case OP_SUBTRACT: LOOP(d[k] = pred ? I(k) ^ J(k) : (int64_t)(U(k) - V(k))); return true;
	case OP_MULTIPLY: LOOP(d[k] = pred ? I(k) & J(k) : (int64_t)(U(k) * V(k))); return true;
	case OP_DIVIDE:
		if (sig)
			LOOP(d[k] = divide_signed(I(k), J(k)));
		else
			LOOP(d[k] = V(k) ? (int64_t)(U(k) / V(k)) : -1);
		return true;
	case OP_REMAINDER:
		if (sig)
			LOOP(d[k] = remain_signed(I(k), J(k)));
		else
			LOOP(d[k] = V(k) ? (int64_t)(U(k) % V(k)) : I(k));
		return true;
	case OP_MAXIMUM:
		if (sig)
			LOOP(d[k] = I(k) > J(k) ? I(k) : J(k));
		else
			LOOP(d[k] = U(k) > V(k) ? I(k) : J(k));
		return true;
	case OP_MINIMUM:
		if (sig)
			LOOP(d[k] = I(k) < J(k) ? I(k) : J(k));
		else
			LOOP(d[k] = U(k) < V(k) ? I(k) : J(k));
		return true;
	case OP_POWER: LOOP(d[k] = power_int(I(k), J(k), sig)); return true;
	case OP_AND: LOOP(d[k] = I(k) & J(k)); return true;
	case OP_OR: LOOP(d[k] = I(k) | J(k)); return true;
	case OP_XOR: LOOP(d[k] = I(k) ^ J(k)); return true;
	case OP_MULHI: LOOP(d[k] = mulhi(e->in, I(k), J(k))); return true;
	case OP_SHIFT_LEFT: LOOP(d[k] = V(k) >= (uint64_t)bits ? 0 : (int64_t)(U(k) << V(k))); return true;
	case OP_SHIFT_RIGHT_LOGICAL: LOOP(d[k] = shift_logical(bits, U(k), V(k))); return true;
	case OP_SHIFT_RIGHT_ARITHMETIC: LOOP(d[k] = shift_arithmetic(bits, I(k), V(k))); return true;
	default: return false;
	}
}

static cplx complex_sign(cplx z)
{
	double r = cabs(z);

	return r == 0 ? z : z / r;
}

static bool complex_unary(const struct elem *e, int64_t n, void *out, const void *in)
{
	const cplx *a = in;
	cplx *d = out;
	double *f = out;
	int64_t k;

	switch (e->op) {
	case OP_ABS: LOOP(f[k] = cabs(a[k])); return true;
	case OP_REAL: LOOP(f[k] = creal(a[k])); return true;
	case OP_IMAG: LOOP(f[k] = cimag(a[k])); return true;
	case OP_COPY: LOOP(d[k] = a[k]); return true;
	case OP_NEGATE: LOOP(d[k] = -a[k]); return true;
	case OP_COSINE: LOOP(d[k] = ccos(a[k])); return true;
	case OP_SINE: LOOP(d[k] = csin(a[k])); return true;
	case OP_TAN: LOOP(d[k] = ctan(a[k])); return true;
	case OP_TANH: LOOP(d[k] = ctanh(a[k])); return true;
	case OP_SINH: LOOP(d[k] = csinh(a[k])); return true;
	case OP_COSH: LOOP(d[k] = ccosh(a[k])); return true;
	case OP_ACOS: LOOP(d[k] = cacos(a[k])); return true;
	case OP_ACOSH: LOOP(d[k] = cacosh(a[k])); return true;
	case OP_ASIN: LOOP(d[k] = casin(a[k])); return true;
	case OP_ASINH: LOOP(d[k] = casinh(a[k])); return true;
	case OP_ATANH: LOOP(d[k] = catanh(a[k])); return true;
	case OP_EXPONENTIAL: LOOP(d[k] = cexp(a[k])); return true;
	case OP_EXPONENTIAL_MINUS_ONE: LOOP(d[k] = cexp(a[k]) - 1); return true;
	case OP_LOG: LOOP(d[k] = clog(a[k])); return true;
	case OP_LOG_PLUS_ONE: LOOP(d[k] = clog(1 + a[k])); return true;
	case OP_LOGISTIC: LOOP(d[k] = 1 / (1 + cexp(-a[k]))); return true;
	case OP_SQRT: LOOP(d[k] = csqrt(a[k])); return true;
	case OP_RSQRT: LOOP(d[k] = 1 / csqrt(a[k])); return true;
	case OP_SIGN: LOOP(d[k] = complex_sign(a[k])); return true;
	case OP_IS_FINITE: LOOP(((int64_t *)out)[k] = isfinite(creal(a[k])) && isfinite(cimag(a[k]))); return true;
	default: return false;
	}
}

static bool complex_binary(const struct elem *e, int64_t n, void *out, const void *x, const void *y)
{
	const cplx *a = x, *b = y;
	cplx *d = out;
	int64_t k, *t = out;

	switch (e->op) {
	case OP_ADD: LOOP(d[k] = a[k] + b[k]); return true;
	case OP_SUBTRACT: LOOP(d[k] = a[k] - b[k]); return true;
	case OP_MULTIPLY: LOOP(d[k] = a[k] * b[k]); return true;
	case OP_DIVIDE: LOOP(d[k] = a[k] / b[k]); return true;
	case OP_POWER: LOOP(d[k] = a[k] == 0 && b[k] != 0 ? 0 : cpow(a[k], b[k])); return true;
	case OP_COMPARE:
		if (e->dir == 'e')
			LOOP(t[k] = a[k] == b[k]);
		else
			LOOP(t[k] = a[k] != b[k]);
		return e->dir == 'e' || e->dir == 'n';
	default: return false;
	}
}

#define COMPARE(X, Y) do { switch (e->dir) { \
	case 'e': LOOP(d[k] = (X) == (Y)); break; \
	case 'n': LOOP(d[k] = (X) != (Y)); break; \
	case 'l': LOOP(d[k] = (X) < (Y)); break; \
	case 'L': LOOP(d[k] = (X) <= (Y)); break; \
	case 'g': LOOP(d[k] = (X) > (Y)); break; \
	default: LOOP(d[k] = (X) >= (Y)); break; \
	} } while (0)

static void compare(const struct elem *e, int64_t n, int64_t *d, const void *a, const void *b)
{
	int64_t k;

	if (etype_is_float(e->in) && e->total)
		COMPARE(interp_total_key(F(k)), interp_total_key(G(k)));
	else if (etype_is_float(e->in))
		COMPARE(F(k), G(k));
	else if (etype_kind(e->in) == 's')
		COMPARE(I(k), J(k));
	else
		COMPARE(U(k), V(k));
}

static int64_t float_to_int(enum etype t, double v)
{
	int b = etype_bits(t);
	bool sig = etype_kind(t) == 's';
	double lo = sig ? -ldexp(1, b - 1) : 0, hi = ldexp(1, sig ? b - 1 : b);

	if (isnan(v))
		return 0;
	v = trunc(v);
	if (v < lo)
		v = lo;
	if (v >= hi)
		return sig ? (int64_t)(((uint64_t)1 << (b - 1)) - 1) : b >= 64 ? -1 : (int64_t)(((uint64_t)1 << b) - 1);
	return sig ? (int64_t)v : (int64_t)(uint64_t)v;
}

/* Numbers of any type as doubles, and back. */
static void convert(const struct elem *e, int64_t n, void *out, const void *a)
{
	char from = etype_kind(e->src[0]), to = etype_kind(e->out);
	double *f = out;
	int64_t *d = out, k;

	if (from == 'c' && to == 'c')
		memmove(out, a, sizeof(cplx) * n);
	else if (from == 'c')
		for (k = 0; k < n; k++) {
			double re = F(2 * k);

			if (to == 'f')
				f[k] = re;
			else
				d[k] = to == 'p' ? F(2 * k) != 0 || F(2 * k + 1) != 0 : float_to_int(e->out, re);
		}
	else if (to == 'c')	/* backwards: the result is wider than the operand it may lie on */
		for (k = n - 1; k >= 0; k--) {
			f[2 * k] = from == 'f' ? F(k) : from == 'u' ? (double)U(k) : (double)I(k);
			f[2 * k + 1] = 0;
		}
	else if (from == 'f' && to == 'f')
		LOOP(f[k] = F(k));
	else if (from == 'f')
		LOOP(d[k] = to == 'p' ? F(k) != 0 : float_to_int(e->out, F(k)));
	else if (to == 'f' && from == 'u')
		LOOP(f[k] = (double)U(k));
	else if (to == 'f')
		LOOP(f[k] = (double)I(k));
	else
		LOOP(d[k] = I(k));
}

/* One word to one word of the same width. */
static void bitcast(const struct elem *e, int64_t n, void *out, const void *a)
{
	bool from = etype_is_float(e->src[0]), to = etype_is_float(e->out);
	double *f = out;
	int64_t *d = out, k;

	if (from && to)
		LOOP(f[k] = interp_from_bits(e->out, interp_bits(e->src[0], F(k))));
	else if (from)
		LOOP(d[k] = interp_wrap(e->out, (int64_t)interp_bits(e->src[0], F(k))));
	else if (to)
		LOOP(f[k] = interp_from_bits(e->out, U(k)));
	else
		LOOP(d[k] = I(k));
}

static void select_words(const struct elem *e, int64_t n, void *out, const int64_t *p, const void *a, const void *b)
{
	int64_t *d = out, k;

	if (etype_kind(e->out) == 'c')
		for (k = 0; k < n; k++)
			((cplx *)out)[k] = p[k] ? ((const cplx *)a)[k] : ((const cplx *)b)[k];
	else
		LOOP(d[k] = p[k] ? I(k) : J(k));
}

/* min(max(x, lo), hi) with lo in a, x in b, hi in c; any of them may be d. */
static void clamp(const struct elem *e, int64_t n, void *out, const void *a, const void *b, const void *c)
{
	const double *h = c;
	const int64_t *hi = c;
	double *f = out;
	int64_t *d = out, k;

	if (etype_is_float(e->out))
		LOOP(f[k] = min2(max2(G(k), F(k)), h[k]));
	else if (etype_kind(e->out) == 's')
		LOOP(int64_t v = J(k) > I(k) ? J(k) : I(k); d[k] = v < hi[k] ? v : hi[k]);
	else
		LOOP(uint64_t v = V(k) > U(k) ? V(k) : U(k); d[k] = v < (uint64_t)hi[k] ? (int64_t)v : hi[k]);
}

static bool by_kind(const struct elem *e, int64_t n, void *d, const void *a, const void *b)
{
	char kind = etype_kind(e->in);

	if (kind == 'c')
		return b ? complex_binary(e, n, d, a, b) : complex_unary(e, n, d, a);
	if (kind == 'f')
		return b ? float_binary(e, n, d, a, b) : float_unary(e, n, d, a);
	return b ? int_binary(e, n, d, a, b) : int_unary(e, n, d, a);
}

/* False when the operation does not exist on that kind of number. */
static bool block(const struct elem *e, int64_t n, void *d, const void *a, const void *b, const void *c)
{
	int64_t k;

	switch (e->op) {
	case OP_CONVERT: case OP_STOCHASTIC_CONVERT:
		convert(e, n, d, a);
		return true;
	case OP_BITCAST_CONVERT:
		bitcast(e, n, d, a);
		return true;
	case OP_SELECT:
		select_words(e, n, d, a, b, c);
		return true;
	case OP_CLAMP:
		clamp(e, n, d, a, b, c);
		return etype_kind(e->in) != 'c';
	case OP_COMPLEX:
		for (k = n - 1; k >= 0; k--) {
			double im = G(k);

			((double *)d)[2 * k] = F(k);
			((double *)d)[2 * k + 1] = im;
		}
		return true;
	case OP_REDUCE_PRECISION:
		LOOP(((double *)d)[k] = e->round ? interp_round_to(F(k), e->exponent_bits, e->mantissa_bits) : F(k));
		return etype_is_float(e->in);
	case OP_COMPARE:
		if (etype_kind(e->in) == 'c')
			return complex_binary(e, n, d, a, b);
		compare(e, n, d, a, b);
		return true;
	case OP_IS_FINITE:
		if (etype_is_float(e->in)) {
			LOOP(((int64_t *)d)[k] = isfinite(F(k)));
			return true;
		}
		return by_kind(e, n, d, a, b);
	default:
		return by_kind(e, n, d, a, b);
	}
}

static void finish(const struct elem *e, int64_t n, void *d)
{
	char kind = etype_kind(e->out);
	int64_t k, *i = d;

	if (kind == 'f' || kind == 'c') {
		if (e->round)
			interp_round(e->out, n, d);
		else
			interp_unsign(kind == 'c' ? 2 * n : n, d);
	} else if (e->op != OP_COMPARE && etype_bits(e->out) < 64) {
		LOOP(i[k] = interp_wrap(e->out, i[k]));
	}
}

/* ---- what becomes of operands that doubles lose
 *
 * tanh 30 and tanh 31 are two reals and one double, and so are 1 + 1e-20 and 1 + 2e-20: whoever sorts by them, or asks
 * whether they are equal, decides by rounding.  Rounding up or down moves all of them alike, so these are moved apart, by
 * a number that depends on the operand: in one order for `nudge` 1, in the other for -1. */

enum { NUDGES = 1024 };
#define CLOSE (1 + 0x1p-12)	/* an operand is lost when one so close by gives the same result */

static uint64_t bits_of(double v)
{
	uint64_t u;

	memcpy(&u, &v, sizeof u);
	return u;
}

/* How far: 0 .. NUDGES - 1, the same for the same operands. */
static double nudge_of(const struct elem *e, double x, double y)
{
	uint64_t h = (bits_of(x) ^ bits_of(y) * 0x9e3779b97f4a7c15u) * 0xbf58476d1ce4e5b9u;
	int k = (int)(h >> 54) % NUDGES;

	return e->nudge > 0 ? k : NUDGES - 1 - k;
}

static double once(const struct elem *e, double x, double y, bool two)
{
	double d = 0;

	if (two)
		float_binary(e, 1, &d, &x, &y);
	else
		float_unary(e, 1, &d, &x);
	return d;
}

/* Steps, choices and what only moves or rounds numbers: nothing is told apart. */
static bool may_lose(enum opcode op)
{
	switch (op) {
	case OP_ABS: case OP_CEIL: case OP_FLOOR: case OP_IMAG: case OP_NEGATE: case OP_REAL: case OP_COPY: case OP_SIGN:
	case OP_ROUND_NEAREST_AFZ: case OP_ROUND_NEAREST_EVEN: case OP_MAXIMUM: case OP_MINIMUM: case OP_REMAINDER: case OP_ATAN2:
	case OP_CONVERT: case OP_STOCHASTIC_CONVERT: case OP_BITCAST_CONVERT: case OP_REDUCE_PRECISION: case OP_SELECT: case OP_CLAMP:
		return false;
	default:
		return true;
	}
}

/* Which way v moves: a sum by the sign of what is lost of it, a function towards zero, for it is close to its bound, and
 * a zero away from it; 0: nothing is lost. */
static double lost_way(const struct elem *e, double v, double x, double y, bool two)
{
	bool sum = e->op == OP_ADD || e->op == OP_SUBTRACT;

	if (!isfinite(v) || !isfinite(x) || (two && !isfinite(y)) || x == 0 || (two && y == 0))
		return 0;
	if (once(e, x * CLOSE, y, two) == v)
		return sum ? copysign(1, x) : v == 0 ? copysign(1, v) : -copysign(1, v);
	if (two && e->op != OP_POWER && once(e, x, y * CLOSE, two) == v)
		return sum ? copysign(1, e->op == OP_ADD ? y : -y) : v == 0 ? copysign(1, v) : -copysign(1, v);
	return 0;
}

static void nudged(const struct elem *e, int64_t n, double *d, const void *a, const void *b)
{
	int64_t k;

	for (k = 0; k < n; k++) {
		double x = F(k), y = b ? G(k) : 0, v = once(e, x, y, b), way = lost_way(e, v, x, y, b);

		d[k] = way == 0 ? v : v + way * nudge_of(e, x, y) * (v == 0 ? 0x1p-1074 : fabs(v) * 0x1p-53);
	}
}

void elem_run(const struct elem *e, int64_t n, void *d, const void *a, const void *b, const void *c)
{
	if (e->nudge && !c && etype_kind(e->in) == 'f' && etype_kind(e->out) == 'f' && may_lose(e->op))
		nudged(e, n, d, a, b);
	else
		block(e, n, d, a, b, c);
	finish(e, n, d);
}

/* ---- the description of an instruction */

static char direction(const char *s)
{
	static const char *const name[] = { "EQ", "NE", "LT", "LE", "GT", "GE" };
	int k;

	for (k = 0; s && k < 6; k++)
		if (!strcmp(s, name[k]))
			return "enlLgG"[k];
	return 0;
}

static bool prepare_attrs(interp *r, const inst *i, struct elem *e)
{
	const char *type = inst_text(i, "type");

	if (e->op == OP_COMPARE) {
		e->dir = direction(inst_text(i, "direction"));
		if (!e->dir)
			return interp_fail(r, i, "a comparison without a known direction");
		e->total = type && !strcmp(type, "TOTALORDER");
	}
	if (e->op == OP_REDUCE_PRECISION) {
		e->exponent_bits = (int)inst_int(i, "exponent_bits", 0);
		e->mantissa_bits = (int)inst_int(i, "mantissa_bits", -1);
		if (e->exponent_bits < 1 || e->exponent_bits > 11 || e->mantissa_bits < 1)
			return interp_fail(r, i, "reduce-precision to %d exponent and %d mantissa bits",
					   e->exponent_bits, e->mantissa_bits);
	}
	return true;
}

bool elem_prepare(interp *r, const inst *i, struct elem *e)
{
	double probe[2] = { 0, 0 }, out[2];
	int k;

	memset(e, 0, sizeof *e);
	e->op = i->opcode;
	if (i->noperand < 1 || i->noperand > 3)
		return interp_fail(r, i, "%s with %d operands", i->opname, i->noperand);
	for (k = 0; k < i->noperand; k++)
		e->src[k] = i->operand[k]->shape->type;
	for (k = 0; k < i->noperand; k++)
		if (etype_kind(e->src[k]) == '-')
			return interp_fail(r, i, "%s has no meaning on %s", i->opname, etype_name(e->src[k]));
	e->in = e->op == OP_SELECT ? e->src[1] : e->src[0];
	e->out = i->shape->type;
	e->round = r->o.reading == INTERP_DECLARED;
	e->nudge = r->o.nudge;
	if (e->op == OP_STOCHASTIC_CONVERT && e->round)
		return interp_fail(r, i, "stochastic rounding depends on the backend");
	if (e->op == OP_BITCAST_CONVERT && (etype_bits(e->in) != etype_bits(e->out) || etype_kind(e->in) == 'c'
					    || etype_kind(e->out) == 'c'))
		return interp_fail(r, i, "a bitcast of %s to %s inside a scalar computation", etype_name(e->in),
				   etype_name(e->out));
	if (!prepare_attrs(r, i, e))
		return false;
	if (e->op == OP_SELECT || block(e, 1, out, probe, i->noperand > 1 ? probe : NULL, i->noperand > 2 ? probe : NULL))
		return true;
	return interp_fail(r, i, "%s has no meaning on %s", i->opname, etype_name(e->in));
}

/* ---- whole tensors */

/* An operand's block: where it lies, or a scalar repeated in the scratch. */
static const void *operand_block(const tensor *t, int64_t at, int64_t n, bool scalar, void *scratch)
{
	int w = tensor_words(t);
	int64_t k;

	if (!scalar)
		return (const int64_t *)tensor_data(t) + at * w;
	for (k = 0; at == 0 && k < n * w; k++)
		((int64_t *)scratch)[k] = ((const int64_t *)tensor_data(t))[k % w];
	return scratch;
}

/* An operand that dies here and holds words of the same number can take the result. */
static tensor *take_operand(interp *r, const inst *i, tensor *const *a)
{
	bool is_float = etype_is_float(i->shape->type);
	int k;

	if (etype_kind(i->shape->type) == 'c')
		return NULL;
	for (k = 0; k < i->noperand; k++) {
		if (!(r->steal >> k & 1) || a[k]->refs != 1 || a[k]->owner || a[k]->fixed || a[k]->run != r)
			continue;
		if (a[k]->shape->rank != i->shape->rank || tensor_words(a[k]) != 1)
			continue;
		if (is_float != (a[k]->f != NULL) || a[k]->n != shape_elements(i->shape))
			continue;
		a[k]->shape = i->shape;
		return tensor_ref(a[k]);
	}
	return NULL;
}

tensor *interp_elementwise(interp *r, const inst *i, tensor *const *a)
{
	double scratch[3][2 * BLOCK];
	struct elem e;
	tensor *t;
	int64_t at, n;
	int k, w;
	bool scalar[3];
	const void *src[3] = { NULL, NULL, NULL };

	if (!elem_prepare(r, i, &e))
		return NULL;
	n = shape_elements(i->shape);
	for (k = 0; k < i->noperand; k++) {
		scalar[k] = a[k]->n == 1 && n != 1;
		if (!scalar[k] && a[k]->n != n)
			return interp_fail(r, i, "operand %d has %lld elements, the result %lld", k, (long long)a[k]->n,
					   (long long)n);
	}
	t = take_operand(r, i, a);
	if (!t)
		t = interp_alloc(r, i->shape);
	w = tensor_words(t);
	for (at = 0; at < n; at += BLOCK) {
		int64_t m = n - at < BLOCK ? n - at : BLOCK;

		for (k = 0; k < i->noperand; k++)
			src[k] = operand_block(a[k], at, m, scalar[k], scratch[k]);
		elem_run(&e, m, (int64_t *)tensor_data(t) + at * w, src[0], src[1], src[2]);
	}
	return t;
}
