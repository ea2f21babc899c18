/* certify_value.c - numbers of the checker: residues and doubles side by side. */
#include "certify/certify_in.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* ---- arithmetic modulo 2^61 - 1 */

static uint64_t fold(uint64_t x)
{
	x = (x & CERTIFY_P) + (x >> 61);
	return x >= CERTIFY_P ? x - CERTIFY_P : x;
}

uint64_t ck_plus(uint64_t a, uint64_t b)
{
	return fold(a + b);
}

uint64_t ck_times(uint64_t a, uint64_t b)
{
	unsigned __int128 x = (unsigned __int128)a * b;

	return fold((uint64_t)(x & CERTIFY_P) + (uint64_t)(x >> 61));
}

uint64_t ck_power(uint64_t z, int64_t e)
{
	uint64_t r = 1, k = e < 0 ? CERTIFY_P - 1 - (uint64_t)(-e) % (CERTIFY_P - 1) : (uint64_t)e;

	for (; k; k >>= 1, z = ck_times(z, z))
		if (k & 1)
			r = ck_times(r, z);
	return r;
}

uint64_t ck_geometric(uint64_t z, int64_t weight, int64_t n)
{
	uint64_t q = ck_power(z, weight), top;

	if (q == 1)
		return fold((uint64_t)n);
	top = ck_plus(ck_power(q, n), CERTIFY_P - 1);
	return ck_times(top, ck_power(ck_plus(q, CERTIFY_P - 1), -1));
}

static uint64_t residue_of_int(int64_t i)
{
	return i < 0 ? fold(CERTIFY_P - fold((uint64_t)-(i + 1) + 1)) : fold((uint64_t)i);
}

/* 2^61 is 1, so a power of two is a shift. */
static uint64_t residue_of_double(double d)
{
	int e;
	double f = frexp(d, &e);

	e = ((e - 53) % 61 + 61) % 61;
	return ck_times(residue_of_int((int64_t)ldexp(f, 53)), (uint64_t)1 << e);
}

/* ---- hashing */

uint64_t cv_mix(uint64_t a, uint64_t b)
{
	uint64_t h = a ^ (b + 0x9e3779b97f4a7c15ull + (a << 6) + (a >> 2));

	h ^= h >> 30;
	h *= 0xbf58476d1ce4e5b9ull;
	h ^= h >> 27;
	h *= 0x94d049bb133111ebull;
	return h ^ h >> 31;
}

uint64_t cv_name(const char *s)
{
	uint64_t h = 0x1234567;

	for (; *s; s++)
		h = cv_mix(h, (unsigned char)*s);
	return h;
}

uint64_t cv_hash(val x)
{
	return cv_mix(x.kind + 77, x.kind == V_NUM ? x.r : 0);
}

/* ---- making values */

static int bits(int type)
{
	return type < T_COUNT ? etype_bits((enum etype)type) : 64;
}

static char kind(int type)
{
	return type == TYPE_REAL ? 'f' : type < T_COUNT ? etype_kind((enum etype)type) : '-';
}

bool cv_int(int type)
{
	char k = kind(type);

	return k == 's' || k == 'u' || k == 'p';
}

bool cv_real(int type)
{
	return kind(type) == 'f';
}

static int64_t wrap(int type, int64_t i)
{
	int b = bits(type);

	if (kind(type) == 'p')
		return i != 0;
	if (b >= 64)
		return i;
	i &= ((int64_t)1 << b) - 1;
	return kind(type) == 's' && i >> (b - 1) ? i - ((int64_t)1 << b) : i;
}

val cv_of_int(int type, int64_t i)
{
	val v = { 0 };

	v.i = cv_int(type) ? wrap(type, i) : i;
	v.d = (double)v.i;
	v.m = fabs(v.d);
	v.r = residue_of_int(v.i);
	return v;
}

val cv_special(int kind)
{
	val v = { 0 };

	v.kind = (uint8_t)kind;
	v.d = kind == V_PLUS ? INFINITY : kind == V_MINUS ? -INFINITY : NAN;
	return v;
}

val cv_of_double(double d)
{
	val v = { 0 };

	if (isnan(d))
		return cv_special(V_NAN);
	if (isinf(d))
		return cv_special(d > 0 ? V_PLUS : V_MINUS);
	v.d = d;
	v.m = fabs(d);
	v.r = residue_of_double(d);
	v.i = fabs(d) < 9e18 ? (int64_t)d : 0;
	return v;
}

val cv_of_rat(rat q)
{
	val v = { 0 };

	v.d = (double)q.num / (double)q.den;
	v.m = fabs(v.d);
	v.r = residue_of_int(q.num);
	if (q.den != 1)
		v.r = ck_times(v.r, ck_power(residue_of_int(q.den), -1));
	v.i = q.den == 1 ? q.num : 0;
	return v;
}

static int mantissa(int type);

/* Real leaves are values of their type, and of no narrower one if it has up to 30 bits. */
val cv_random(int type, uint64_t h)
{
	int b = bits(type);

	if (kind(type) == 'p')
		return cv_of_int(type, (int64_t)(h >> 40 & 1));
	if (cv_int(type)) {
		int64_t i = (int64_t)(h >> 3);
		if (h & 1)
			i = i % 17 - (kind(type) == 's' ? 8 : 0);
		else if (h & 4)		/* the bounds of narrower types, and what is beside them */
			i = (int64_t)(((uint64_t)1 << (i >> 2 & 63)) + (uint64_t)(i & 3) - 1);
		else if (h & 2)		/* the highest bits, too */
			i = (int64_t)cv_mix(h, 1);
		return cv_of_int(type, i);
	}
	if (!(h >> 4 & 15))	/* ties between whole numbers */
		return cv_of_double((double)((int64_t)(h >> 32 & 15) - 8) + 0.5);
	b = mantissa(type) < 30 ? mantissa(type) : 30;
	if (!(h >> 8 & 31))	/* beyond what constants usually bound */
		return cv_of_double(ldexp((double)((int64_t)(h >> (64 - b) | 1) * (h & 1 ? 1 : -1)), 13 - b));
	return cv_of_double(ldexp((double)((int64_t)(h >> (64 - b) | 1) * (h & 1 ? 1 : -1)), 1 - b));
}

/* ---- comparing */

bool cv_same(val x, val y)
{
	if (x.lost || y.lost)
		return true;
	if (x.kind != y.kind)
		return false;
	if (x.kind != V_NUM || x.r == y.r)
		return true;
	return (x.soft || y.soft) && isfinite(x.d) && isfinite(y.d) && fabs(x.d - y.d) <= 1e-9 * (x.m + y.m) + 1e-290;
}

/* Without what was larger on the way, and cancelled, or left the range of doubles. */
bool cv_close(val x, val y)
{
	if (x.kind == V_NUM)
		x.m = fabs(x.d);
	if (y.kind == V_NUM)
		y.m = fabs(y.d);
	return !x.lost && !y.lost && cv_same(x, y);
}

static int order(val x, val y)
{
	double a = x.d, b = y.d;

	if (x.kind == V_NUM && y.kind == V_NUM && x.r == y.r)
		return 0;
	return a < b ? -1 : a > b;
}

static int whole_order(int type, int64_t x, int64_t y)
{
	if (type == T_U64)
		return ((uint64_t)x > (uint64_t)y) - ((uint64_t)x < (uint64_t)y);
	return (x > y) - (x < y);
}

/* ---- sums and products */

static val soften(val v, val x, val y)
{
	v.soft = x.soft || y.soft;
	v.lost = x.lost || y.lost;
	return v;
}

/* An integer or truth value that was made of these. */
static val made_of(val v, val x, val y)
{
	v.lost = x.lost || y.lost;
	return v;
}

static val special(int kind, val x, val y)
{
	return soften(cv_special(kind), x, y);
}

val cv_add(int type, val x, val y)
{
	val v = { 0 };

	if (kind(type) == 'p')
		return made_of(cv_of_int(type, x.i || y.i), x, y);
	if (cv_int(type))
		return made_of(cv_of_int(type, (int64_t)((uint64_t)x.i + (uint64_t)y.i)), x, y);
	if (x.kind != V_NUM || y.kind != V_NUM) {
		if (x.kind == V_NAN || y.kind == V_NAN || (x.kind != V_NUM && y.kind != V_NUM && x.kind != y.kind))
			return special(V_NAN, x, y);
		return soften(x.kind != V_NUM ? x : y, x, y);
	}
	v.r = ck_plus(x.r, y.r);
	v.d = x.d + y.d;
	v.m = x.m + y.m;
	return soften(v, x, y);
}

static int sign_of(val x)
{
	return x.kind == V_PLUS ? 1 : x.kind == V_MINUS ? -1 : x.r == 0 ? 0 : signbit(x.d) ? -1 : 1;
}

val cv_mul(int type, val x, val y)
{
	val v = { 0 };

	if (kind(type) == 'p')
		return made_of(cv_of_int(type, x.i && y.i), x, y);
	if (cv_int(type))
		return made_of(cv_of_int(type, (int64_t)((uint64_t)x.i * (uint64_t)y.i)), x, y);
	if (x.kind != V_NUM || y.kind != V_NUM) {
		int s = sign_of(x) * sign_of(y);
		if (x.kind == V_NAN || y.kind == V_NAN || s == 0)
			return special(V_NAN, x, y);
		return special(s > 0 ? V_PLUS : V_MINUS, x, y);
	}
	v.r = ck_times(x.r, y.r);
	v.d = x.d * y.d;
	v.m = x.m * y.m;
	return soften(v, x, y);
}

static val inverse(val x)
{
	val v = { 0 };

	if (x.kind == V_NAN)
		return x;
	if (x.kind != V_NUM) {
		v = cv_of_int(TYPE_REAL, 0);
		if (x.kind == V_MINUS)
			v.d = -0.0;
		return made_of(v, x, x);
	}
	if (x.r == 0)		/* zeros keep the sign of what they are products of */
		return made_of(cv_special(signbit(x.d) ? V_MINUS : V_PLUS), x, x);
	v.r = ck_power(x.r, -1);
	v.d = 1 / x.d;
	v.m = x.m / fabs(x.d) / fabs(x.d);	/* a square may leave the range of doubles */
	return soften(v, x, x);
}

/* Below the normal numbers a double has lost digits, at last all of them. */
static bool vanishing(double d)
{
	return fabs(d) < DBL_MIN;
}

val cv_pow(int type, val x, int64_t e)
{
	uint64_t k = e < 0 ? -(uint64_t)e : (uint64_t)e;
	val b = e < 0 ? inverse(x) : x, r = k & 1 ? b : cv_of_int(type, 1);

	for (k >>= 1; k; k >>= 1) {
		b = cv_mul(type, b, b);
		if (k & 1)
			r = cv_mul(type, r, b);
	}
	r.lost = r.lost || (r.kind == V_NUM && r.soft && (!isfinite(r.d) || (vanishing(r.d) && r.r)));
	return r;
}

val cv_scale(int type, rat c, val x)
{
	if (c.num == 1 && c.den == 1)
		return x;
	return cv_mul(type, cv_int(type) ? cv_of_int(type, c.num) : cv_of_rat(c), x);
}

static val cv_lattice(const char *op, int type, val x, val y)
{
	int o;

	if (!strcmp(op, "and") || !strcmp(op, "or")) {
		bool any = op[0] == 'o';
		if (cv_int(type))
			return made_of(cv_of_int(type, any ? x.i | y.i : x.i & y.i), x, y);
		return cv_random(type, cv_mix(cv_name(op), cv_hash(x) + cv_hash(y)));
	}
	if (x.kind == V_NAN || y.kind == V_NAN)
		return special(V_NAN, x, y);
	o = cv_int(type) ? whole_order(type, x.i, y.i) : order(x, y);
	if (op[1] == 'i')
		o = -o;
	return o >= 0 ? x : y;
}

val cv_reduce(const char *op, int type, val x, val y)
{
	if (!strcmp(op, "add"))
		return cv_add(type, x, y);
	if (!strcmp(op, "multiply"))
		return cv_mul(type, x, y);
	if (kind(type) == 'p' && op[0] == 'm')
		op = op[1] == 'a' ? "or" : "and";
	return cv_lattice(op, type, x, y);
}

void cv_choose(const char *which, int type, val *best, val *pay, val v, val p, bool first)
{
	int o = first ? 1 : cv_same(v, *best) ? 0 : order(v, *best);

	if (o == 0)
		o = !strcmp(which, "last") ? 1 : !strcmp(which, "least") && (cv_int(type) ? p.i < pay->i : order(p, *pay) < 0) ? 1 : -1;
	if (o < 0) {
		pay->lost = pay->lost || v.lost;
		return;
	}
	p.lost = p.lost || v.lost || (!first && best->lost);
	*best = v;
	*pay = p;
}

/* ---- conversions: rounding is done, so that it shows and is monotone */

static int mantissa(int type)
{
	switch (type) {
	case T_F64: return 53;
	case T_F32: return 24;
	case T_F16: return 11;
	case T_BF16: return 8;
	case T_F8E5M2: case T_F8E5M2FNUZ: return 3;
	case T_F8E3M4: return 5;
	case T_F8E4M3: case T_F8E4M3FN: case T_F8E4M3FNUZ: case T_F8E4M3B11FNUZ: return 4;
	default: return type == TYPE_REAL ? 53 : 2;
	}
}

static int widest_exponent(int type)
{
	return type == T_F64 || type == TYPE_REAL ? 11 : type == T_F32 || type == T_BF16 ? 8 : type == T_F16 ? 5 : 0;
}

double cv_greatest(int type)
{
	int e = type == TYPE_REAL ? 0 : widest_exponent(type);

	return e ? ldexp(2 - ldexp(1, 1 - mantissa(type)), (1 << (e - 1)) - 1) : 0;
}

bool cv_holds(int to, int from)
{
	if (to == from)
		return true;
	if (kind(from) == 'p')
		return to != T_F8E8M0FNU;
	if (cv_int(from) && cv_real(to))
		return bits(from) - (kind(from) == 's') <= mantissa(to);
	if (cv_int(from) && cv_int(to))
		return kind(from) == kind(to) ? bits(from) <= bits(to) : kind(from) == 'u' && bits(from) < bits(to);
	if (cv_real(from) && cv_real(to) && from != TYPE_REAL && widest_exponent(to))
		return mantissa(to) >= mantissa(from) && widest_exponent(to) >= widest_exponent(from);
	return false;
}

static double round_to(double d, int m)
{
	int e;
	double f = frexp(d, &e);

	return ldexp(rint(ldexp(f, m)), e - m);
}

/* Towards zero, and to the nearest value of the type; NaN gives 0. */
static val clamped(int to, val x)
{
	int b = bits(to) < 62 ? bits(to) : 62;
	double hi = ldexp(1, kind(to) == 's' ? b - 1 : b) - 1, lo = kind(to) == 's' ? -hi - 1 : 0;

	if (x.kind == V_NAN)
		return cv_of_int(to, 0);
	return cv_of_int(to, (int64_t)(x.d > hi ? hi : x.d < lo ? lo : trunc(x.d)));
}

static val converted(int from, int to, val x)
{
	val v;

	if (!(cv_int(from) || cv_real(from)) || !(cv_int(to) || cv_real(to)))
		return cv_random(to, cv_mix(cv_name("convert"), cv_mix((uint64_t)to, cv_hash(x))));
	if (cv_int(to)) {
		if (kind(to) == 'p')
			return cv_of_int(to, cv_int(from) ? x.i : x.kind != V_NUM || x.r);
		if (cv_int(from))
			return cv_of_int(to, x.i);
		return clamped(to, x);
	}
	if (to == T_F8E8M0FNU && from != to && (x.kind != V_NUM || !(x.d > 0)))
		return cv_special(V_NAN);	/* it has neither zero nor sign */
	if (x.kind != V_NUM || cv_holds(to, from))
		return x;
	v = cv_of_double(round_to(x.d, mantissa(to)));
	if (v.kind != V_NUM)
		return v;
	if (v.d == x.d && v.r != x.r && mantissa(to) < 53)	/* the double only looks as if it fitted */
		v.d = x.d;
	v.soft = x.soft;
	v.m = x.m > v.m ? x.m : v.m;
	return v;
}

val cv_convert(int from, int to, val x)
{
	return made_of(converted(from, to, x), x, x);
}

/* ---- elementwise functions */

static bool truth(val x)
{
	return x.kind == V_NAN || x.kind != V_NUM || x.r != 0;
}

static bool int_map(const char *f, int type, const val *x, int n, val *out)
{
	int b = bits(type);
	uint64_t all = b >= 64 ? ~0ull : ((uint64_t)1 << b) - 1, u = (uint64_t)x[0].i & all, v = n > 1 ? (uint64_t)x[1].i & all : 0;
	uint64_t fill = u >> (b - 1) ? ~0ull : 0;	/* by the top bit, also of what has no sign */
	int64_t p = x[0].i, q = n > 1 ? x[1].i : 0, r;
	bool s = kind(type) == 's';

	if (!strcmp(f, "divide") && q)	/* the least number by -1 wraps */
		r = !s ? (int64_t)(u / v) : q == -1 ? (int64_t)(0 - (uint64_t)p) : p / q;
	else if (!strcmp(f, "remainder") && q)
		r = !s ? (int64_t)(u % v) : q == -1 ? 0 : p % q;
	else if (!strcmp(f, "and"))
		r = p & q;
	else if (!strcmp(f, "or"))
		r = p | q;
	else if (!strcmp(f, "xor"))
		r = kind(type) == 'p' ? p != q : p ^ q;
	else if (!strcmp(f, "not"))
		r = kind(type) == 'p' ? !p : ~p;
	else if (!strcmp(f, "abs"))
		r = p < 0 ? (int64_t)-(uint64_t)p : p;
	else if (!strcmp(f, "sign"))
		r = (p > 0) - (p < 0);
	else if (!strcmp(f, "negate"))
		r = (int64_t)-(uint64_t)p;
	else if (!strcmp(f, "shift-left"))
		r = v >= (uint64_t)b ? 0 : (int64_t)(u << v);
	else if (!strcmp(f, "shift-right-logical"))
		r = v >= (uint64_t)b ? 0 : (int64_t)(u >> v);
	else if (!strcmp(f, "shift-right-arithmetic"))
		r = (int64_t)(v >= (uint64_t)b ? fill : (u >> v) | (v ? fill << (b - (int)v) : 0));
	else if (!strcmp(f, "popcnt"))
		for (r = 0; u; u &= u - 1)
			r++;
	else if (!strcmp(f, "count-leading-zeros"))
		for (r = b; u; u >>= 1)
			r--;
	else if (!strcmp(f, "power") && q >= 0 && q < 64)
		for (r = 1; q; q--)
			r = (int64_t)((uint64_t)r * (uint64_t)p);
	else
		return false;
	*out = cv_of_int(type, r);
	return true;
}

struct real_fn { const char *name; double (*f)(double); };

static double f_logistic(double x) { return 1 / (1 + exp(-x)); }
static double f_sign(double x) { return isnan(x) ? x : (x > 0) - (x < 0); }
static double f_rsqrt(double x) { return 1 / sqrt(x); }

/* Exact on doubles: their residue is that of the result. */
static const struct real_fn exact_fn[] = { { "abs", fabs }, { "floor", floor }, { "ceil", ceil }, { "sign", f_sign },
	{ "round-nearest-even", rint }, { "round-nearest-afz", round } };
static const struct real_fn soft_fn[] = { { "exponential", exp }, { "exponential-minus-one", expm1 }, { "log", log },
	{ "log-plus-one", log1p }, { "logistic", f_logistic }, { "tanh", tanh }, { "sqrt", sqrt }, { "rsqrt", f_rsqrt }, { "cbrt", cbrt },
	{ "sine", sin }, { "cosine", cos }, { "tan", tan }, { "erf", erf }, { "sinh", sinh }, { "cosh", cosh } };

/* A function of a real: the double is real, the residue random, but the same for the same argument. */
static val soft_value(const char *f, double d, val x, double slope)
{
	val v = cv_of_double(d);

	v.lost = x.lost || (x.kind == V_NUM && x.r && (isinf(d) || (vanishing(d) && (!strcmp(f, "exponential") || !strcmp(f, "logistic")))));
	if (v.kind != V_NUM)
		return v;
	v.m = fabs(d) + fabs(slope) * x.m;
	v.soft = true;
	if (x.kind == V_NUM && x.r == 0) {	/* exp 0 = 1, sine 0 = 0: exact */
		v.soft = x.soft;
		return v;
	}
	if (x.kind == V_NUM)
		v.r = cv_mix(cv_name(f), x.r) % CERTIFY_P;
	return v;
}

static bool real_map(const char *f, val x, val *out)
{
	size_t k;

	for (k = 0; k < sizeof exact_fn / sizeof *exact_fn; k++)
		if (!strcmp(f, exact_fn[k].name)) {
			double d = exact_fn[k].f(x.d);
			*out = d == x.d ? x : cv_of_double(d);
			if (!strcmp(f, "abs") && x.kind == V_NUM && x.d < 0) {
				*out = x;
				out->d = -x.d;
				out->r = ck_plus(CERTIFY_P - x.r, 0);
			}
			out->soft = x.soft;
			out->lost = x.lost;
			return true;
		}
	for (k = 0; k < sizeof soft_fn / sizeof *soft_fn; k++)
		if (!strcmp(f, soft_fn[k].name)) {
			double d = soft_fn[k].f(x.d), h = 1e-6 * (1 + fabs(x.d));
			double s = isfinite(x.d) ? (soft_fn[k].f(x.d + h) - d) / h : 0;
			*out = soft_value(f, d, x, isfinite(s) ? s : 0);
			return true;
		}
	return false;
}

static bool compare(const char *dir, int type, val x, val y)
{
	int o;

	if (x.kind == V_NAN || y.kind == V_NAN)
		return !strncmp(dir, "NE", 2);
	o = cv_int(type) ? whole_order(type, x.i, y.i) : cv_same(x, y) ? 0 : order(x, y);
	switch (dir[0] << 8 | dir[1]) {
	case 'E' << 8 | 'Q': return o == 0;
	case 'N' << 8 | 'E': return o != 0;
	case 'L' << 8 | 'T': return o < 0;
	case 'L' << 8 | 'E': return o <= 0;
	case 'G' << 8 | 'T': return o > 0;
	default: return o >= 0;
	}
}

static val power(val x, val y)
{
	if (y.kind == V_NUM && y.d == rint(y.d) && fabs(y.d) <= 16 && y.r == cv_of_double(y.d).r)
		return cv_pow(TYPE_REAL, x, (int64_t)y.d);
	if (y.kind == V_NUM && y.d == 0.5) {
		val v;
		real_map("sqrt", x, &v);
		return v;
	}
	{
		val v = cv_of_double(pow(x.d, y.d));
		v.lost = x.lost || y.lost || (x.kind == V_NUM && y.kind == V_NUM && x.r && (isinf(v.d) || vanishing(v.d)));
		if (v.kind != V_NUM || v.d == 0)	/* of infinities, or of zero: exact */
			return v;
		v.soft = true;
		v.m *= 1 + y.m * 40;
		v.r = cv_mix(cv_name("power"), cv_mix(x.r, y.r)) % CERTIFY_P;
		return v;
	}
}

static val mapped(const char *f, int type, const int *from, int n, const val *x)
{
	uint64_t h;
	val v;
	int k;

	if (!strncmp(f, "compare:", 8) && n == 2 && kind(from[0]) != 'c')
		return cv_of_int(T_PRED, compare(f + 8, from[0], x[0], x[1]));
	if (!strcmp(f, "convert") && n == 1)
		return cv_convert(from[0], type, x[0]);
	if (!strcmp(f, "num") && n == 1)
		return cv_of_int(cv_int(type) ? type : TYPE_REAL, truth(x[0]));
	if (!strcmp(f, "is-finite") && n == 1)
		return cv_of_int(T_PRED, x[0].kind == V_NUM);
	if (cv_int(type) && cv_int(from[0]) && int_map(f, type, x, n, &v))
		return v;
	if (cv_real(type) && cv_real(from[0]) && n == 1 && real_map(f, x[0], &v))
		return v;
	if (cv_real(type) && n == 2 && !strcmp(f, "power"))
		return power(x[0], x[1]);
	if (cv_real(type) && n == 2 && !strcmp(f, "divide"))
		return cv_mul(type, x[0], inverse(x[1]));
	for (h = cv_name(f), k = 0; k < n; k++)
		h = cv_mix(h, cv_hash(x[k]));
	v = cv_random(type, h);
	for (k = 0; k < n; k++)
		v.soft = v.soft || (x[k].soft && !cv_int(type));
	return v;
}

/* What is chosen is what it is, if it is known which that is; of all else everything has to be known. */
val cv_map(const char *f, int type, const int *from, int n, const val *x)
{
	bool select = !strcmp(f, "select") && n == 3;
	val v = !select ? mapped(f, type, from, n, x) : truth(x[0]) ? x[1] : x[2];
	int k;

	for (k = 0; k < (select ? 1 : n); k++)
		v.lost = v.lost || x[k].lost;
	return v;
}
