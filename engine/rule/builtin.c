/* builtin.c - i64, f64, bool, String and their primitives.
 *
 * One table per sort: name, signature, and the expression.  A primitive that
 * is undefined for its arguments refuses with the reason.
 */
#include "rule/rule_in.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- values */

static eg_val value_of(egraph *g, const char *sort, const void *p, size_t n)
{
	return eg_value(g, eg_sort_named(g, sort), p, n);
}

eg_val value_i64(egraph *g, int64_t v)
{
	return value_of(g, "i64", &v, sizeof v);
}

/* 0.0 and -0.0 are one value, and so are all NaNs. */
eg_val value_f64(egraph *g, double v)
{
	if (v == 0)
		v = 0;
	if (isnan(v))
		v = NAN;
	return value_of(g, "f64", &v, sizeof v);
}

eg_val value_bool(egraph *g, bool v)
{
	int64_t i = v;

	return value_of(g, "bool", &i, sizeof i);
}

eg_val value_string(egraph *g, const char *s, size_t n)
{
	return value_of(g, "String", s, n);
}

static int64_t int_in(const host_call *c, uint32_t i)
{
	int64_t v;

	memcpy(&v, eg_value_bytes(c->g, c->in[i].id, NULL), sizeof v);
	return v;
}

static double float_in(const host_call *c, uint32_t i)
{
	double v;

	memcpy(&v, eg_value_bytes(c->g, c->in[i].id, NULL), sizeof v);
	return v;
}

static const char *text_in(const host_call *c, uint32_t i, size_t *n)
{
	return eg_value_bytes(c->g, c->in[i].id, n);
}

static bool refuse(host_call *c, const char *why)
{
	c->reason = why;
	return false;
}

static bool give_int(host_call *c, int64_t v)
{
	c->out[0].id = value_i64(c->g, v);
	return true;
}

static bool give_float(host_call *c, double v)
{
	c->out[0].id = value_f64(c->g, v);
	return true;
}

static bool give_bool(host_call *c, bool v)
{
	c->out[0].id = value_bool(c->g, v);
	return true;
}

/* ---- printing */

static const char *print_int(arena *a, const egraph *g, eg_val v, void *ctx)
{
	int64_t i;

	(void)ctx;
	memcpy(&i, eg_value_bytes(g, v, NULL), sizeof i);
	return arena_printf(a, "%" PRId64, i);
}

/* The shortest decimals that read back as the same number. */
static const char *print_float(arena *a, const egraph *g, eg_val v, void *ctx)
{
	char text[400];
	double x, back = 0;
	int digits;

	(void)ctx;
	memcpy(&x, eg_value_bytes(g, v, NULL), sizeof x);
	if (!isfinite(x))
		return isnan(x) ? "NaN" : x < 0 ? "-inf" : "inf";
	for (digits = 1; digits < 340; digits++) {
		snprintf(text, sizeof text, "%.*f", digits, x);
		if (sscanf(text, "%lf", &back) == 1 && back == x)
			break;
	}
	return arena_strdup(a, text);
}

static const char *print_bool(arena *a, const egraph *g, eg_val v, void *ctx)
{
	int64_t i;

	(void)a;
	(void)ctx;
	memcpy(&i, eg_value_bytes(g, v, NULL), sizeof i);
	return i ? "true" : "false";
}

static const char *print_string(arena *a, const egraph *g, eg_val v, void *ctx)
{
	size_t n, i;
	const char *s = eg_value_bytes(g, v, &n);
	char *out = arena_alloc(a, 2 * n + 3), *o = out;

	(void)ctx;
	*o++ = '"';
	for (i = 0; i < n; i++) {
		if (s[i] == '"' || s[i] == '\\')
			*o++ = '\\';
		*o++ = s[i];
	}
	*o++ = '"';
	*o = 0;
	return out;
}

static const char *print_unit(arena *a, const egraph *g, eg_val v, void *ctx)
{
	(void)a, (void)g, (void)v, (void)ctx;
	return "()";
}

/* ---- any sort */

static bool f_differ(host_call *c)
{
	bool same = c->in[0].id == c->in[1].id;

	return same ? refuse(c, "both are equal") : true;
}

static bool f_bool_differ(host_call *c)
{
	return give_bool(c, c->in[0].id != c->in[1].id);
}

/* ---- i64 */

#define X0 int_in(c, 0)
#define X1 int_in(c, 1)

static bool checked(host_call *c, bool overflow, int64_t v)
{
	return overflow ? refuse(c, "the result does not fit 64 bits") : give_int(c, v);
}

static bool i_add(host_call *c)
{
	int64_t v;
	bool over = __builtin_add_overflow(X0, X1, &v);

	return checked(c, over, v);
}

static bool i_sub(host_call *c)
{
	int64_t v;
	bool over = __builtin_sub_overflow(X0, X1, &v);

	return checked(c, over, v);
}

static bool i_mul(host_call *c)
{
	int64_t v;
	bool over = __builtin_mul_overflow(X0, X1, &v);

	return checked(c, over, v);
}

static bool i_abs(host_call *c)
{
	return checked(c, X0 == INT64_MIN, X0 < 0 && X0 != INT64_MIN ? -X0 : X0);
}

static bool divides(host_call *c)
{
	if (!X1)
		return refuse(c, "division by zero");
	return X1 != -1 || X0 != INT64_MIN || refuse(c, "the result does not fit 64 bits");
}

static bool i_div(host_call *c)
{
	return divides(c) && give_int(c, X0 / X1);
}

static bool i_mod(host_call *c)
{
	return divides(c) && give_int(c, X0 % X1);
}

static bool shift(host_call *c)
{
	return (X1 >= 0 && X1 <= 63) || refuse(c, "a shift is 0 to 63");
}

static bool i_shl(host_call *c)
{
	return shift(c) && give_int(c, (int64_t)((uint64_t)X0 << X1));
}

static bool i_shr(host_call *c)
{
	return shift(c) && give_int(c, X0 >> X1);
}

static bool i_log2(host_call *c)
{
	return X0 > 0 ? give_int(c, 63 - __builtin_clzll((uint64_t)X0)) : refuse(c, "log2 of a number that is not positive");
}

#define INT_TOTAL(X) \
	X(i_and, "&", X0 & X1) X(i_or, "|", X0 | X1) X(i_xor, "^", X0 ^ X1) \
	X(i_min, "min", X0 < X1 ? X0 : X1) X(i_max, "max", X0 > X1 ? X0 : X1)
#define COMPARE(X) X(lt, <) X(gt, >) X(le, <=) X(ge, >=)

#define X(f, name, e) static bool f(host_call *c) { return give_int(c, e); }
INT_TOTAL(X)
#undef X
#define X(f, op) \
	static bool i_##f(host_call *c) { return X0 op X1 || refuse(c, "it does not hold that first " #op " second"); } \
	static bool i_bool_##f(host_call *c) { return give_bool(c, X0 op X1); }
COMPARE(X)
#undef X

static bool i_not(host_call *c) { return give_int(c, ~X0); }
static bool i_bool_eq(host_call *c) { return give_bool(c, X0 == X1); }
static bool i_to_f64(host_call *c) { return give_float(c, (double)X0); }

static bool give_text(host_call *c, value_print_fn *print)
{
	const char *s = print(c->scratch, c->g, c->in[0].id, NULL);

	c->out[0].id = value_string(c->g, s, strlen(s));
	return true;
}

static bool i_to_string(host_call *c) { return give_text(c, print_int); }
#undef X0
#undef X1

/* ---- f64: NaN equals NaN and is greater than all */

#define X0 float_in(c, 0)
#define X1 float_in(c, 1)

static int order(double x, double y)
{
	if (isnan(x) || isnan(y))
		return !!isnan(x) - !!isnan(y);
	return (x > y) - (x < y);
}

#define FLOAT_TWO(X) \
	X(d_add, "+", X0 + X1) X(d_sub, "-", X0 - X1) X(d_mul, "*", X0 * X1) X(d_pow, "^", pow(X0, X1)) \
	X(d_min, "min", order(X0, X1) < 0 ? X0 : X1) X(d_max, "max", order(X0, X1) > 0 ? X0 : X1)
#define FLOAT_ONE(X) \
	X(d_neg, "neg", -X0) X(d_abs, "abs", fabs(X0)) X(d_exp, "exp", exp(X0))

#define X(f, name, e) static bool f(host_call *c) { return give_float(c, e); }
FLOAT_TWO(X)
FLOAT_ONE(X)
#undef X
#define X(f, op) \
	static bool d_##f(host_call *c) \
	{ \
		return order(X0, X1) op 0 || refuse(c, "it does not hold that first " #op " second"); \
	}
COMPARE(X)
#undef X

static bool d_div(host_call *c) { return X1 != 0 ? give_float(c, X0 / X1) : refuse(c, "division by zero"); }
static bool d_mod(host_call *c) { return X1 != 0 ? give_float(c, fmod(X0, X1)) : refuse(c, "division by zero"); }
static bool d_log(host_call *c) { return X0 > 0 ? give_float(c, log(X0)) : refuse(c, "log of a number that is not positive"); }
static bool d_sqrt(host_call *c) { return X0 >= 0 ? give_float(c, sqrt(X0)) : refuse(c, "root of a negative number"); }
static bool d_to_string(host_call *c) { return give_text(c, print_float); }

static bool d_to_i64(host_call *c)
{
	double x = X0;

	if (isnan(x))
		return give_int(c, 0);
	return give_int(c, x >= 0x1p63 ? INT64_MAX : x < -0x1p63 ? INT64_MIN : (int64_t)x);
}
#undef X0
#undef X1

/* ---- bool */

static bool b_not(host_call *c) { return give_bool(c, !int_in(c, 0)); }
static bool b_and(host_call *c) { return give_bool(c, int_in(c, 0) && int_in(c, 1)); }
static bool b_xor(host_call *c) { return give_bool(c, int_in(c, 0) != int_in(c, 1)); }
static bool b_implies(host_call *c) { return give_bool(c, !int_in(c, 0) || int_in(c, 1)); }
static bool b_guard(host_call *c) { return int_in(c, 0) || refuse(c, "the guard is false"); }

static bool b_or(host_call *c)
{
	bool v = false;
	uint32_t i;

	for (i = 0; i < c->nin; i++)
		v = v || int_in(c, i);
	return give_bool(c, v);
}

/* ---- String */

static bool s_concat(host_call *c)
{
	size_t total = 0, n;
	uint32_t i;
	char *s, *o;

	for (i = 0; i < c->nin; i++) {
		text_in(c, i, &n);
		total += n;
	}
	o = s = arena_alloc(c->scratch, total + 1);
	for (i = 0; i < c->nin; i++) {
		const char *t = text_in(c, i, &n);

		memcpy(o, t, n);
		o += n;
	}
	c->out[0].id = value_string(c->g, s, total);
	return true;
}

static bool s_count(host_call *c)
{
	size_t n, m, i;
	const char *s = text_in(c, 0, &n), *part = text_in(c, 1, &m);
	int64_t found = 0;

	if (!m)
		return give_int(c, (int64_t)n + 1);
	for (i = 0; i + m <= n;) {
		bool here = !memcmp(s + i, part, m);

		found += here;
		i += here ? m : 1;
	}
	return give_int(c, found);
}

static bool s_replace(host_call *c)
{
	size_t n, m, k, i, len = 0;
	const char *s = text_in(c, 0, &n), *from = text_in(c, 1, &m), *to = text_in(c, 2, &k);
	char *out;

	if (!m)
		return refuse(c, "nothing to replace");
	out = arena_alloc(c->scratch, n + (n / m + 1) * k + 1);
	for (i = 0; i < n;) {
		if (i + m <= n && !memcmp(s + i, from, m)) {
			memcpy(out + len, to, k);
			len += k;
			i += m;
		} else {
			out[len++] = s[i++];
		}
	}
	c->out[0].id = value_string(c->g, out, len);
	return true;
}

/* ---- the table */

static const struct {
	const char *name, *signature;
	host_call_fn *fn;
} builtins[] = {
	{ "!=", "? ? ->", f_differ },
	{ "bool-!=", "? ? -> bool", f_bool_differ },
	{ "+", "i64 i64 -> i64", i_add },
	{ "-", "i64 i64 -> i64", i_sub },
	{ "*", "i64 i64 -> i64", i_mul },
	{ "/", "i64 i64 -> i64", i_div },
	{ "%", "i64 i64 -> i64", i_mod },
	{ "<<", "i64 i64 -> i64", i_shl },
	{ ">>", "i64 i64 -> i64", i_shr },
	{ "abs", "i64 -> i64", i_abs },
	{ "log2", "i64 -> i64", i_log2 },
	{ "not-i64", "i64 -> i64", i_not },
	{ "to-f64", "i64 -> f64", i_to_f64 },
	{ "to-string", "i64 -> String", i_to_string },
	{ "bool-=", "i64 i64 -> bool", i_bool_eq },
#define X(f, name, e) { name, "i64 i64 -> i64", f },
	INT_TOTAL(X)
#undef X
#define X(f, op) { #op, "i64 i64 ->", i_##f }, { "bool-" #op, "i64 i64 -> bool", i_bool_##f }, \
	{ #op, "f64 f64 ->", d_##f },
	COMPARE(X)
#undef X
#define X(f, name, e) { name, "f64 f64 -> f64", f },
	FLOAT_TWO(X)
#undef X
#define X(f, name, e) { name, "f64 -> f64", f },
	FLOAT_ONE(X)
#undef X
	{ "/", "f64 f64 -> f64", d_div },
	{ "%", "f64 f64 -> f64", d_mod },
	{ "log", "f64 -> f64", d_log },
	{ "sqrt", "f64 -> f64", d_sqrt },
	{ "to-i64", "f64 -> i64", d_to_i64 },
	{ "to-string", "f64 -> String", d_to_string },
	{ "not", "bool -> bool", b_not },
	{ "and", "bool bool -> bool", b_and },
	{ "xor", "bool bool -> bool", b_xor },
	{ "=>", "bool bool -> bool", b_implies },
	{ "or", "bool* -> bool", b_or },
	{ "guard", "bool ->", b_guard },
	{ "+", "String* -> String", s_concat },
	{ "replace", "String String String -> String", s_replace },
	{ "count-matches", "String String -> i64", s_count },
};

static eg_sort sort_with(rules *r, const char *name, value_print_fn *print)
{
	eg_sort s = eg_sort_named(r->g, name);

	if (s == NIL)
		s = eg_declare_sort(r->g, name, true);
	rules_print_values(r, s, print, NULL);
	return s;
}

void builtin_register(rules *r)
{
	uint32_t i;

	r->i64 = sort_with(r, "i64", print_int);
	r->f64 = sort_with(r, "f64", print_float);
	r->boolean = sort_with(r, "bool", print_bool);
	r->string = sort_with(r, "String", print_string);
	r->unit = sort_with(r, "Unit", print_unit);
	for (i = 0; i < sizeof builtins / sizeof *builtins; i++)
		rules_host(r, &(host_fn){ builtins[i].name, builtins[i].signature, builtins[i].fn, NULL, HOST_BUILTIN });
}
