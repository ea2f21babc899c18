#include "core/core_type.h"

bool type_is_int(int type)
{
	return type < T_COUNT && etype_is_int((enum etype)type);
}

/* Powers of two alone, and NaN for what is not positive. */
bool type_has_zero(int type)
{
	return type != T_F8E8M0FNU;
}

/* What holds of sums and products does not hold without a zero. */
bool type_is_float(int type)
{
	return type == TYPE_REAL || (type < T_COUNT && type_has_zero(type) && etype_is_float((enum etype)type));
}

bool type_is_complex(int type)
{
	return type < T_COUNT && etype_kind((enum etype)type) == 'c';
}

int type_bits(int type)
{
	return type < T_COUNT ? etype_bits((enum etype)type) : 64;
}

void int_range(int type, int64_t *lo, int64_t *hi)
{
	int b = type_bits(type);
	char k = type < T_COUNT ? etype_kind((enum etype)type) : 's';

	if (k == 'p') {
		*lo = 0;
		*hi = 1;
	} else if (k == 'u') {
		*lo = 0;
		*hi = b >= 63 ? INT64_MAX : ((int64_t)1 << b) - 1;
	} else {
		*lo = b >= 64 ? INT64_MIN / 4 : -((int64_t)1 << (b - 1));
		*hi = b >= 64 ? INT64_MAX / 4 : ((int64_t)1 << (b - 1)) - 1;
	}
}

rat coef_in(int type, rat c)
{
	int b = type_bits(type);
	int64_t v;

	if (!type_is_int(type) || b >= 63)
		return c;
	v = c.num & (((int64_t)1 << b) - 1);
	if (etype_kind((enum etype)type) == 's' && v >> (b - 1))
		v -= (int64_t)1 << b;
	return (rat){ v, 1 };
}

int type_mantissa(int t)
{
	switch (t) {
	case T_F64: return 53;
	case T_F32: return 24;
	case T_F16: return 11;
	case T_BF16: return 8;
	default: return 0;
	}
}

static int exponent_bits(int t)
{
	switch (t) {
	case T_F64: return 11;
	case T_F32: case T_BF16: return 8;
	case T_F16: return 5;
	default: return 0;
	}
}

static bool small_float(int t)
{
	return t < T_COUNT && etype_kind((enum etype)t) == 'f' && etype_bits((enum etype)t) <= 8;
}

/* Does type `to` hold every value of type `from`? */
bool type_holds(int to, int from)
{
	if (to == from)
		return true;
	if (from == T_PRED)
		return type_has_zero(to);
	if (type_mantissa(to) && type_mantissa(from))
		return type_mantissa(to) >= type_mantissa(from) && exponent_bits(to) >= exponent_bits(from);
	if (type_mantissa(to) && small_float(from))
		return from != T_F8E8M0FNU || exponent_bits(to) >= 8;
	if (type_is_int(from) && type_mantissa(to))
		return type_bits(from) - (etype_kind((enum etype)from) == 's') <= type_mantissa(to);
	if (type_is_int(from) && type_is_int(to)) {
		int64_t l, h, l2, h2;
		int_range(from, &l, &h);
		int_range(to, &l2, &h2);
		return l2 <= l && h <= h2;
	}
	return false;
}
