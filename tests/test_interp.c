/* test_interp.c - known answers of the numeric interpreter.
 *
 * A case is HLO text, inputs and results as lists of numbers: `|` separates
 * arrays, `;` devices.  With one device given, all have the same.  Every answer
 * was worked out by hand or from the definition of the operation.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>
#include "hlo/hlo_text.h"
#include "interp/interp.h"

#ifndef SRCDIR
#define SRCDIR "."
#endif

#define ADD(t) "add { a = " t "[] parameter(0)\n b = " t "[] parameter(1)\n ROOT r = " t "[] add(a, b) }\n"
#define OP2(name, op, t) name " { a = " t "[] parameter(0)\n b = " t "[] parameter(1)\n ROOT r = " t "[] " op "(a, b) }\n"
#define LT(t) "lt { a = " t "[] parameter(0)\n b = " t "[] parameter(1)\n ROOT r = pred[] compare(a, b), direction=LT }\n"

static module *read_module(const char *text)
{
	struct diag err;
	char buf[1200];
	module *m = hlo_read_text("test", text, strlen(text), &err);

	if (!m)
		fail_msg("%s\n%s", diag_text(&err, buf, sizeof buf), text);
	return m;
}

static module *entry(const char *comps, const char *body)
{
	char *t;
	module *m;

	if (asprintf(&t, "HloModule t\n%sENTRY main {\n%s\n}\n", comps, body) < 0)
		abort();
	m = read_module(t);
	free(t);
	return m;
}

/* Numbers up to the next | or ; or the end, into t's words. */
static const char *numbers_into(tensor *t, const char *s, bool *full)
{
	int64_t k = 0, n = t->f && etype_kind(t->shape->type) == 'c' ? 2 * t->n : t->n;
	char *end;

	for (;;) {
		s += strspn(s, " ");
		if (!*s || *s == '|' || *s == ';')
			break;
		if (k < n && t->f)
			t->f[k] = strtod(s, &end);
		else if (k < n)
			t->i[k] = s[0] == '-' ? strtoll(s, &end, 10) : (int64_t)strtoull(s, &end, 10);
		else
			strtod(s, &end);
		if (end == s)
			fail_msg("no number: %s", s);
		s = end;
		k++;
	}
	*full = k == n;
	return s;
}

static const char *fill(tensor *t, const char *s)
{
	bool full;
	int k;

	for (k = 0; k < t->nelem; k++)
		s = fill(t->elem[k], s);
	if (t->nelem)
		return s;
	s = numbers_into(t, s, &full);
	if (!full)
		fail_msg("wrong number of inputs");
	return *s == '|' ? s + 1 : s;
}

static bool close_to(double a, double b, double tol)
{
	return a == b || (isnan(a) && isnan(b)) || fabs(a - b) <= tol * (1 + fabs(b));
}

static void expect_tensor(const tensor *t, const char **s, int device, double tol)
{
	int64_t k, n = t->f && etype_kind(t->shape->type) == 'c' ? 2 * t->n : t->n;
	char *end;

	for (k = 0; k < t->nelem; k++)
		expect_tensor(t->elem[k], s, device, tol);
	if (t->nelem || (!t->f && !t->i))
		return;
	for (k = 0; k < n; k++) {
		double got = t->f ? t->f[k] : t->shape->type == T_U64 ? (double)(uint64_t)t->i[k] : (double)t->i[k];
		double want = strtod(*s, &end);

		if (end == *s)
			fail_msg("device %d: more than the expected numbers", device);
		*s = end;
		if (!close_to(got, want, t->f ? tol : 0))
			fail_msg("device %d element %lld: %.17g, expected %.17g", device, (long long)k, got, want);
	}
	*s += strspn(*s, " ");
	if (**s == '|')
		++*s;
	else if (**s && **s != ';')
		fail_msg("device %d: fewer than the expected numbers, left: %s", device, *s);
}

struct job { module *m; int R, P, n; tensor ***in; interp *r; bool ok; };

static struct job start(module *m, enum interp_reading how, int R, int P, const char *in)
{
	interp_options o = { .reading = how, .replicas = R, .partitions = P };
	struct job j = { m, R, P, R * P, calloc((size_t)(R * P), sizeof *j.in), interp_new(m, &o), false };
	const char *from = in;
	int d, k;

	for (d = 0; d < j.n; d++) {
		const char *s = from;

		j.in[d] = calloc((size_t)m->entry->nparam + 1, sizeof *j.in[d]);
		for (k = 0; k < m->entry->nparam; k++) {
			j.in[d][k] = tensor_new(m->entry->param[k]->shape);
			s = fill(j.in[d][k], s);
		}
		if (*s == ';')
			from = s + 1;
	}
	j.ok = interp_run(j.r, (tensor *const *const *)j.in);
	return j;
}

static void finish(struct job *j)
{
	int d, k;

	interp_free(j->r);
	for (d = 0; d < j->n; d++) {
		for (k = 0; k < j->m->entry->nparam; k++)
			tensor_unref(j->in[d][k]);
		free(j->in[d]);
	}
	free(j->in);
	module_free(j->m);
}

static void check_how(module *m, enum interp_reading how, int R, int P, const char *in, const char *want, double tol)
{
	struct job j = start(m, how, R, P, in);
	const char *s = want;
	int d;

	if (!j.ok)
		fail_msg("%s: %s", interp_where(j.r) ? interp_where(j.r)->name : "", interp_why(j.r));
	for (d = 0; d < j.n; d++) {
		const char *t = s;

		expect_tensor(interp_output(j.r, d), &t, d, tol);
		if (*t == ';')
			s = t + 1;
	}
	finish(&j);
}

static void dist(const char *comps, const char *body, int R, int P, const char *in, const char *want)
{
	check_how(entry(comps, body), INTERP_DECLARED, R, P, in, want, 1e-6);
}

static void one(const char *comps, const char *body, const char *in, const char *want)
{
	dist(comps, body, 1, 1, in, want);
}

static void reals(const char *comps, const char *body, const char *in, const char *want)
{
	check_how(entry(comps, body), INTERP_REALS, 1, 1, in, want, 1e-14);
}

static void refused(const char *comps, const char *body, int R, int P, const char *in, const char *why)
{
	struct job j = start(entry(comps, body), INTERP_DECLARED, R, P, in);

	assert_false(j.ok);
	if (!strstr(interp_why(j.r), why))
		fail_msg("refused for another reason: %s", interp_why(j.r));
	finish(&j);
}

/* ---- element types */

static void rounded(enum etype t, double v, double want)
{
	double got = v;

	interp_round(t, 1, &got);
	if (!(got == want || (isnan(got) && isnan(want))))
		fail_msg("%s: %.17g gives %.17g, expected %.17g", etype_name(t), v, got, want);
}

static void test_rounding(void **state)
{
	(void)state;
	rounded(T_BF16, 1 + 0x1p-8, 1);
	rounded(T_BF16, 1 + 3 * 0x1p-8, 1.015625);
	rounded(T_BF16, 257, 256);
	rounded(T_BF16, 3.4e38, INFINITY);
	rounded(T_BF16, 0x1.fep127, 0x1.fep127);
	rounded(T_BF16, 0x1p-133, 0x1p-133);
	rounded(T_BF16, 0x1p-134, 0);
	rounded(T_BF16, 0x1.8p-134, 0x1p-133);
	rounded(T_F16, 2049, 2048);
	rounded(T_F16, 65519, 65504);
	rounded(T_F16, 65520, INFINITY);
	rounded(T_F16, 0x1p-25, 0);
	rounded(T_F16, 0x1.8p-24, 0x1p-23);
	rounded(T_F32, 16777217, 16777216);
	rounded(T_F32, 0.1, 0.1f);
	rounded(T_F64, 0.1, 0.1);
	rounded(T_F8E4M3FN, 448, 448);
	rounded(T_F8E4M3FN, 464, 448);
	rounded(T_F8E4M3FN, 465, NAN);
	rounded(T_F8E4M3FN, 0.0009765625, 0);
	rounded(T_F8E4M3FN, -1.0625, -1);
	rounded(T_F8E4M3FN, INFINITY, NAN);
	rounded(T_F8E4M3, 247, 240);
	rounded(T_F8E4M3, 249, INFINITY);
	rounded(T_F8E5M2, 65536, INFINITY);
	rounded(T_F8E5M2, 61439, 57344);
	rounded(T_F8E5M2, 9, 8);
	rounded(T_F8E5M2, 11, 12);
	rounded(T_F8E3M4, 15.6, 15.5);
	rounded(T_F8E4M3B11FNUZ, 30, 30);
	rounded(T_F8E4M3B11FNUZ, 31, NAN);
	rounded(T_F8E5M2FNUZ, 57344, 57344);
	rounded(T_F8E4M3FNUZ, 240, 240);
	rounded(T_F8E4M3FNUZ, 0x1p-10, 0x1p-10);
	rounded(T_F8E8M0FNU, 5, 4);
	rounded(T_F8E8M0FNU, -1, NAN);
	rounded(T_F4E2M1FN, 5, 4);
	rounded(T_F4E2M1FN, 100, 6);
	rounded(T_F4E2M1FN, 0.25, 0);
	rounded(T_F6E3M2FN, 30, 28);
	rounded(T_F6E2M3FN, 7.3, 7.5);
	assert_int_equal(interp_wrap(T_S8, 200), -56);
	assert_int_equal(interp_wrap(T_U8, -1), 255);
	assert_int_equal(interp_wrap(T_S4, 8), -8);
	assert_int_equal(interp_wrap(T_PRED, 7), 1);
}

static void test_convert(void **state)
{
	(void)state;
	one("", "a = f32[4] parameter(0)\nROOT r = s32[4] convert(a)", "3.9 -3.9 1e20 nan", "3 -3 2147483647 0");
	one("", "a = f32[3] parameter(0)\nROOT r = u8[3] convert(a)", "-5 300 7.5", "0 255 7");
	one("", "a = s32[2] parameter(0)\nROOT r = s8[2] convert(a)", "200 -129", "-56 127");
	one("", "a = s32[2] parameter(0)\nROOT r = pred[2] convert(a)", "0 -2", "0 1");
	one("", "a = u64[1] parameter(0)\nROOT r = f64[1] convert(a)", "18446744073709551615", "18446744073709551616");
	one("", "a = f32[1] parameter(0)\nb = bf16[1] convert(a)\nROOT r = f32[1] convert(b)", "257", "256");
	reals("", "a = f32[2] parameter(0)\nt = f32[2] constant({3, 3})\nr = f32[2] rsqrt(t)\ns = f32[2] multiply(r, r)\no = f32[2] constant({1, 1})\ne = f32[2] divide(o, s)\n"
		"ROOT p = f32[2] power(a, e)", "-2 5", "-8 125");
	reals("", "a = f32[1] parameter(0)\nb = bf16[1] convert(a)\nROOT r = f32[1] convert(b)", "257", "257");
	one("", "a = f32[2] parameter(0)\nROOT r = u32[2] bitcast-convert(a)", "1 -0.5", "1065353216 3204448256");
	one("", "a = u16[2] parameter(0)\nROOT r = bf16[2] bitcast-convert(a)", "16256 49152", "1 -2");
	one("", "a = u8[3] parameter(0)\nROOT r = f8e4m3fn[3] bitcast-convert(a)", "56 1 255", "1 0.001953125 nan");
	one("", "a = f8e5m2[2] parameter(0)\nROOT r = u8[2] bitcast-convert(a)", "1 inf", "60 124");
	one("", "a = f16[6] parameter(0)\nROOT r = u16[6] bitcast-convert(a)", "-1.5 65504 inf nan 5.9604644775390625e-08 -0", "48640 31743 31744 32256 1 32768");
	one("", "a = bf16[2] parameter(0)\nROOT r = s16[2] bitcast-convert(a)", "-2 nan", "-16384 32704");
	one("", "a = f8e4m3fn[2] parameter(0)\nROOT r = u8[2] bitcast-convert(a)", "448 nan", "126 127");
	one("", "a = f8e4m3fnuz[2] parameter(0)\nROOT r = u8[2] bitcast-convert(a)", "240 nan", "127 128");
	one("", "a = f8e8m0fnu[2] parameter(0)\nROOT r = u8[2] bitcast-convert(a)", "2 nan", "128 255");
	one("", "a = f4e2m1fn[2] parameter(0)\nROOT r = u4[2] bitcast-convert(a)", "-6 0.5", "15 1");
	one("", "a = u32[1] parameter(0)\nROOT r = u8[1,4] bitcast-convert(a)", "67305985", "1 2 3 4");
	one("", "a = u8[1,4] parameter(0)\nROOT r = u32[1] bitcast-convert(a)", "1 2 3 4", "67305985");
	one("", "a = f32[2] parameter(0)\nROOT r = f32[2] reduce-precision(a), exponent_bits=8, mantissa_bits=7", "257 1.5", "256 1.5");
	one("", "a = f32[2] parameter(0)\nROOT r = f32[2] reduce-precision(a), exponent_bits=5, mantissa_bits=10", "65520 0.1", "inf 0.0999755859375");
}

/* ---- elementwise */

static void test_floats(void **state)
{
	static const struct { const char *op; double x, want; } u[] = {
		{ "abs", -2, 2 }, { "acos", 0.5, 1.0471975511965979 }, { "acosh", 2, 1.3169578969248166 },
		{ "asin", 0.5, 0.52359877559829893 }, { "asinh", 1, 0.88137358701954305 }, { "atanh", 0.5, 0.54930614433405489 },
		{ "cbrt", -27, -3 }, { "ceil", 1.2, 2 }, { "cosine", 1, 0.54030230586813977 }, { "cosh", 1, 1.5430806348152437 },
		{ "erf", 0.5, 0.52049987781304652 }, { "exponential", 1, 2.7182818284590451 },
		{ "exponential-minus-one", 1e-9, 1.0000000005e-9 }, { "floor", -1.2, -2 }, { "log", 10, 2.3025850929940459 },
		{ "log-plus-one", 1e-9, 9.999999995e-10 }, { "logistic", 0, 0.5 }, { "negate", 3, -3 },
		{ "round-nearest-afz", 2.5, 3 }, { "round-nearest-afz", -0.5, -1 }, { "round-nearest-afz", 0.49999999999999994, 0 },
		{ "round-nearest-even", 2.5, 2 }, { "rsqrt", 4, 0.5 }, { "sign", -7, -1 }, { "sign", NAN, NAN },
		{ "sine", 1, 0.8414709848078965 }, { "sinh", 1, 1.1752011936438014 }, { "sqrt", 2, 1.4142135623730951 },
		{ "tan", 1, 1.5574077246549023 }, { "tanh", 0.5, 0.46211715726000979 }, { "real", 3, 3 }, { "imag", 3, 0 },
		{ "copy", 3, 3 }, { "log", 0, -INFINITY }, { "sqrt", -1, NAN },
	};
	static const struct { const char *op; double x, y, want; } b[] = {
		{ "add", 1, 2, 3 }, { "subtract", 1, 2, -1 }, { "multiply", 3, 2, 6 }, { "divide", 1, 0, INFINITY },
		{ "maximum", 1, NAN, NAN }, { "maximum", NAN, 1, NAN }, { "minimum", 1, 2, 1 }, { "minimum", 1, NAN, NAN },
		{ "power", 2, 10, 1024 }, { "power", 4, 0.5, 2 }, { "remainder", -7, 3, -1 }, { "atan2", 1, -1, 2.3561944901923448 },
	};
	char body[256], in[64], want[64];
	size_t k;

	(void)state;
	for (k = 0; k < sizeof u / sizeof *u; k++) {
		snprintf(body, sizeof body, "a = f64[1] parameter(0)\nROOT r = f64[1] %s(a)", u[k].op);
		snprintf(in, sizeof in, "%.17g", u[k].x);
		snprintf(want, sizeof want, "%.17g", u[k].want);
		reals("", body, in, want);
	}
	for (k = 0; k < sizeof b / sizeof *b; k++) {
		snprintf(body, sizeof body, "a = f64[1] parameter(0)\nb = f64[1] parameter(1)\nROOT r = f64[1] %s(a, b)", b[k].op);
		snprintf(in, sizeof in, "%.17g|%.17g", b[k].x, b[k].y);
		snprintf(want, sizeof want, "%.17g", b[k].want);
		reals("", body, in, want);
	}
	one("", "a = f32[3] parameter(0)\nROOT r = pred[3] is-finite(a)", "1 inf nan", "1 0 0");
	one("", "p = pred[3] parameter(0)\na = f32[3] parameter(1)\nb = f32[3] parameter(2)\nROOT r = f32[3] select(p, a, b)",
	    "1 0 1|1 2 3|4 5 6", "1 5 3");
	one("", "p = pred[] parameter(0)\na = f32[2] parameter(1)\nb = f32[2] parameter(2)\nROOT r = f32[2] select(p, a, b)",
	    "0|1 2|4 5", "4 5");
	one("", "l = f32[] constant(-1)\nh = f32[] constant(1)\na = f32[4] parameter(0)\nROOT r = f32[4] clamp(l, a, h)", "-3 0.5 7 nan",
	    "-1 0.5 1 nan");
	one("", "a = f32[2] parameter(0)\nb = f32[2] parameter(1)\ne = pred[2] compare(a, b), direction=EQ\n"
	    "l = pred[2] compare(a, b), direction=LE\ng = pred[2] compare(a, b), direction=GT\nROOT t = (pred[2], pred[2], pred[2]) tuple(e, l, g)",
	    "1 nan|2 nan", "0 0|1 0|0 0");
	one("", "a = f32[] parameter(0)\nz = f32[] constant(0)\nn = f32[] negate(z)\nROOT r = f32[] divide(a, n)", "1", "-inf");
	one("", "a = f32[2] parameter(0)\nz = f32[2] constant({0, -0})\nROOT r = f32[2] divide(a, z)", "1 1", "inf -inf");
	reals("", "a = f32[] parameter(0)\nz = f32[] constant(0)\nn = f32[] negate(z)\nROOT r = f32[] divide(a, n)", "1", "inf");
	reals("", "a = f32[2] parameter(0)\nz = f32[2] constant({0, -0})\nROOT r = f32[2] divide(a, z)", "1 1", "inf inf");
	one("", "a = f32[2] parameter(0)\nb = f32[2] parameter(1)\nROOT l = pred[2] compare(a, b), direction=LT, type=TOTALORDER",
	    "-0 nan|0 inf", "1 0");
}

static void ints(const char *type, const char *op, const char *in, const char *want)
{
	char body[256];

	snprintf(body, sizeof body, "a = %s[1] parameter(0)\nb = %s[1] parameter(1)\nROOT r = %s[1] %s(a, b)", type, type, type, op);
	one("", body, in, want);
}

static void test_integers(void **state)
{
	(void)state;
	ints("s32", "divide", "7|-2", "-3");
	ints("s32", "divide", "7|0", "-1");
	ints("s32", "divide", "-2147483648|-1", "-2147483648");
	ints("s32", "remainder", "-7|3", "-1");
	ints("s32", "remainder", "-7|0", "-7");
	ints("s8", "add", "100|100", "-56");
	ints("u32", "multiply", "4000000000|3", "3410065408");
	ints("u32", "subtract", "1|2", "4294967295");
	ints("u64", "divide", "18446744073709551615|2", "9223372036854775807");
	ints("u64", "maximum", "18446744073709551615|1", "18446744073709551615");
	ints("s64", "multiply", "4611686018427387904|3", "-4611686018427387904");
	ints("s32", "power", "3|4", "81");
	ints("s32", "power", "2|-1", "0");
	ints("s32", "shift-left", "1|33", "0");
	ints("s32", "shift-right-arithmetic", "-16|2", "-4");
	ints("s32", "shift-right-arithmetic", "-16|40", "-1");
	ints("s32", "shift-right-logical", "-1|28", "15");
	ints("u32", "shift-right-logical", "4026531840|28", "15");
	ints("s32", "and", "6|3", "2");
	ints("s32", "or", "6|3", "7");
	ints("s32", "xor", "6|3", "5");
	ints("u32", "mulhi", "4294967295|4294967295", "4294967294");
	ints("pred", "add", "1|1", "1");
	ints("pred", "multiply", "1|0", "0");
	ints("pred", "xor", "1|1", "0");
	one("", "a = s32[2] parameter(0)\nROOT r = s32[2] not(a)", "0 5", "-1 -6");
	one("", "a = pred[2] parameter(0)\nROOT r = pred[2] not(a)", "0 1", "1 0");
	one("", "a = u32[2] parameter(0)\nROOT r = u32[2] not(a)", "0 1", "4294967295 4294967294");
	one("", "a = s16[2] parameter(0)\nROOT r = s16[2] popcnt(a)", "-1 5", "16 2");
	one("", "a = s16[2] parameter(0)\nROOT r = s16[2] count-leading-zeros(a)", "1 0", "15 16");
	one("", "a = s32[3] parameter(0)\nb = s32[3] parameter(1)\nROOT r = pred[3] compare(a, b), direction=LT", "-2147483648 0 1|1 0 0", "1 0 0");
	one("", "a = u32[1] parameter(0)\nb = u32[1] parameter(1)\nROOT r = pred[1] compare(a, b), direction=LT", "4294967295|1", "0");
}

static void test_complex(void **state)
{
	(void)state;
	one("", "a = c64[1] parameter(0)\nb = c64[1] parameter(1)\nROOT r = c64[1] multiply(a, b)", "1 2|3 4", "-5 10");
	one("", "a = c64[1] parameter(0)\nb = c64[1] parameter(1)\nROOT r = c64[1] divide(a, b)", "-5 10|3 4", "1 2");
	one("", "a = f32[2] parameter(0)\nb = f32[2] parameter(1)\nc = c64[2] complex(a, b)\nr = f32[2] imag(c)\ns = f32[2] abs(c)\n"
	    "ROOT t = (f32[2], f32[2]) tuple(r, s)", "3 0|4 1", "4 1|5 1");
	one("", "a = c64[1] parameter(0)\nROOT r = c64[1] exponential(a)", "0 3.14159265358979", "-1 0");
	one("", "a = c64[2,2] parameter(0)\nROOT r = c64[2,2] transpose(a), dimensions={1,0}", "1 2 3 4 5 6 7 8", "1 2 5 6 3 4 7 8");
	one("", "a = f32[1] parameter(0)\nROOT r = c64[1] convert(a)", "3", "3 0");
	one("", "a = c64[1,2] parameter(0)\nb = c64[2,1] parameter(1)\nROOT r = c64[1,1] dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0}",
	    "1 1 2 0|0 1 1 1", "1 3");
	one(ADD("c64"), "a = c64[2] parameter(0)\nz = c64[] constant((0, 0))\nROOT r = c64[] reduce(a, z), dimensions={0}, to_apply=add",
	    "1 2 3 4", "4 6");
}

/* ---- moving data */

static void test_moves(void **state)
{
	(void)state;
	one("", "a = f32[2] parameter(0)\nROOT r = f32[3,2] broadcast(a), dimensions={1}", "1 2", "1 2 1 2 1 2");
	one("", "a = f32[2,3] parameter(0)\nROOT r = f32[3,2] broadcast(a), dimensions={1,0}", "1 2 3 4 5 6", "1 4 2 5 3 6");
	one("", "a = f32[2,3] parameter(0)\nROOT r = f32[3,2] transpose(a), dimensions={1,0}", "1 2 3 4 5 6", "1 4 2 5 3 6");
	one("", "a = f32[2,1,3] parameter(0)\nROOT r = f32[3,2,1] transpose(a), dimensions={2,0,1}", "1 2 3 4 5 6", "1 4 2 5 3 6");
	one("", "a = f32[2,3] parameter(0)\nROOT r = f32[6] reshape(a)", "1 2 3 4 5 6", "1 2 3 4 5 6");
	one("", "a = f32[6] parameter(0)\nROOT r = f32[2] slice(a), slice={[1:6:3]}", "0 1 2 3 4 5", "1 4");
	one("", "a = f32[2,2] parameter(0)\nROOT r = f32[2,2] reverse(a), dimensions={1}", "1 2 3 4", "2 1 4 3");
	one("", "a = f32[2,1] parameter(0)\nb = f32[2,2] parameter(1)\nROOT r = f32[2,3] concatenate(a, b), dimensions={1}", "1 2|3 4 5 6", "1 3 4 2 5 6");
	one("", "a = f32[3] parameter(0)\nz = f32[] constant(9)\nROOT r = f32[5] pad(a, z), padding=1_-1_1", "1 2 3", "9 1 9 2 9");
	one("", "a = f32[4] parameter(0)\nz = f32[] constant(9)\nROOT r = f32[3] pad(a, z), padding=-2_1", "1 2 3 4", "3 4 9");
	one("", "a = f32[2] parameter(0)\nz = f32[] constant(9)\nROOT r = f32[2] pad(a, z), padding=-2_0_2", "1 2", "9 2");
	one("", "ROOT r = s32[2,3] iota(), iota_dimension=1", "", "0 1 2 0 1 2");
	one("", "ROOT r = s32[2,3] iota(), iota_dimension=0", "", "0 0 0 1 1 1");
	one("", "ROOT r = f32[2,2] constant({ {1, -inf}, {2.5e-1, nan} })", "", "1 -inf 0.25 nan");
	one("", "a = f32[5] parameter(0)\ni = s32[] parameter(1)\nROOT r = f32[3] dynamic-slice(a, i), dynamic_slice_sizes={3}", "0 1 2 3 4|4", "2 3 4");
	one("", "a = f32[5] parameter(0)\ni = s32[] parameter(1)\nROOT r = f32[3] dynamic-slice(a, i), dynamic_slice_sizes={3}", "0 1 2 3 4|-9", "0 1 2");
	one("", "a = f32[4] parameter(0)\nu = f32[2] parameter(1)\ni = s32[] parameter(2)\nROOT r = f32[4] dynamic-update-slice(a, u, i)",
	    "0 1 2 3|8 9|-3", "8 9 2 3");
	one("", "a = f32[4] parameter(0)\nu = f32[2] parameter(1)\ni = u64[] parameter(2)\nb = f32[4] negate(a)\n"
	    "ROOT r = f32[4] dynamic-update-slice(b, u, i)", "0 1 2 3|8 9|18446744073709551615", "0 -1 8 9");
	one("", "a = f32[2,3]{0,1} parameter(0)\nROOT r = f32[6] bitcast(a)", "1 2 3 4 5 6", "1 4 2 5 3 6");
	one("", "a = f32[2,3]{1,0} parameter(0)\nROOT r = f32[3,2]{0,1} bitcast(a)", "1 2 3 4 5 6", "1 4 2 5 3 6");
	one("", "a = f32[2] parameter(0)\nROOT r = s32[2] bitcast(a)", "1 0", "1065353216 0");
	one("", "a = s32[3,4] parameter(0)\nROOT r = s32[] get-dimension-size(a), dimensions={1}", "0 0 0 0 0 0 0 0 0 0 0 0", "4");
	refused("", "a = f32[2,3]{1,0:T(8,128)} parameter(0)\nROOT r = f32[8]{0:T(1024)} bitcast(a)", 1, 1, "1 2 3 4 5 6", "not a permutation");
}

static void test_gather(void **state)
{
	(void)state;
	one("", "t = f32[3,2] parameter(0)\ni = s32[2,1] parameter(1)\nROOT g = f32[2,2] gather(t, i), offset_dims={1}, collapsed_slice_dims={0}, "
	    "start_index_map={0}, index_vector_dim=1, slice_sizes={1,2}", "1 2 3 4 5 6|2 7", "5 6 5 6");
	one("", "t = f32[3,2] parameter(0)\ni = s32[2] parameter(1)\nROOT g = f32[2,2] gather(t, i), offset_dims={1}, collapsed_slice_dims={0}, "
	    "start_index_map={0}, index_vector_dim=1, slice_sizes={1,2}", "1 2 3 4 5 6|-1 1", "1 2 3 4");
	one("", "t = f32[3,4] parameter(0)\ni = s32[1,2] parameter(1)\nROOT g = f32[1,2,2] gather(t, i), offset_dims={1,2}, collapsed_slice_dims={}, "
	    "start_index_map={1,0}, index_vector_dim=1, slice_sizes={2,2}", "0 1 2 3 4 5 6 7 8 9 10 11|3 1", "6 7 10 11");
	one("", "t = f32[2,3] parameter(0)\ni = s32[2,1] parameter(1)\nROOT g = f32[2] gather(t, i), offset_dims={}, collapsed_slice_dims={1}, "
	    "start_index_map={1}, operand_batching_dims={0}, start_indices_batching_dims={0}, index_vector_dim=1, slice_sizes={1,1}",
	    "1 2 3 4 5 6|2 0", "3 4");
	one("", "t = f32[3] parameter(0)\ni = s32[1] parameter(1)\nROOT g = f32[] gather(t, i), offset_dims={}, collapsed_slice_dims={0}, "
	    "start_index_map={0}, index_vector_dim=0, slice_sizes={1}", "4 5 6|1", "5");
	one(ADD("f32"), "t = f32[3,2] parameter(0)\ni = s32[3,1] constant({ {1}, {1}, {5} })\nu = f32[3,2] parameter(1)\n"
	    "ROOT g = f32[3,2] scatter(t, i, u), update_window_dims={1}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, "
	    "index_vector_dim=1, to_apply=add", "0 0 0 0 0 0|1 2 3 4 5 6", "0 0 4 6 0 0");
	one("set { a = f32[] parameter(0)\n ROOT b = f32[] parameter(1) }\n", "t = f32[3] parameter(0)\ni = s32[2,1] constant({ {1}, {1} })\n"
	    "u = f32[2] parameter(1)\nROOT g = f32[3] scatter(t, i, u), update_window_dims={}, inserted_window_dims={0}, "
	    "scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=set", "7 7 7|10 20", "7 20 7");
	one(OP2("mx", "maximum", "f32"), "t = f32[4] parameter(0)\ni = s32[2,1] constant({ {0}, {3} })\nu = f32[2,2] parameter(1)\n"
	    "ROOT g = f32[4] scatter(t, i, u), update_window_dims={1}, inserted_window_dims={}, scatter_dims_to_operand_dims={0}, "
	    "index_vector_dim=1, to_apply=mx", "1 5 1 1|2 2 9 9", "2 5 1 1");
	one("two { a = f32[] parameter(0)\n b = s32[] parameter(1)\n c = f32[] parameter(2)\n d = s32[] parameter(3)\n e = f32[] subtract(a, c)\n"
	    " f = s32[] add(b, d)\n ROOT t = (f32[], s32[]) tuple(e, f) }\n",
	    "x = f32[2] parameter(0)\ny = s32[2] parameter(1)\ni = s32[1,1] constant({ {1} })\nu = f32[1] parameter(2)\nv = s32[1] parameter(3)\n"
	    "ROOT g = (f32[2], s32[2]) scatter(x, y, i, u, v), update_window_dims={}, inserted_window_dims={0}, "
	    "scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=two", "1 2|3 4|10|20", "1 -8|3 24");
}

/* ---- contractions */

static void test_dot(void **state)
{
	(void)state;
	one("", "a = f32[2,1,2] parameter(0)\nb = f32[2,2,1] parameter(1)\nROOT t = f32[2,1,1] dot(a, b), lhs_batch_dims={0}, "
	    "lhs_contracting_dims={2}, rhs_batch_dims={0}, rhs_contracting_dims={1}", "1 2 3 4|5 6 7 8", "17 53");
	one("", "a = f32[2,3] parameter(0)\nb = f32[2,2] parameter(1)\nROOT t = f32[3,2] dot(a, b), lhs_contracting_dims={0}, rhs_contracting_dims={1}",
	    "1 2 3 4 5 6|1 10 100 1000", "41 4100 52 5200 63 6300");
	one("", "a = bf16[2] parameter(0)\nb = bf16[2] parameter(1)\nROOT t = f32[] dot(a, b), lhs_contracting_dims={0}, rhs_contracting_dims={0}",
	    "256 1|1 1", "257");
	one("", "a = f32[2] parameter(0)\nb = f32[2] parameter(1)\nROOT t = bf16[] dot(a, b), lhs_contracting_dims={0}, rhs_contracting_dims={0}",
	    "256 1|1 1", "256");
	one("", "a = s8[2] parameter(0)\nb = s8[2] parameter(1)\nROOT t = s32[] dot(a, b), lhs_contracting_dims={0}, rhs_contracting_dims={0}",
	    "100 100|100 27", "12700");
	one("", "a = pred[3] parameter(0)\nb = pred[3] parameter(1)\nROOT t = f32[] dot(a, b), lhs_contracting_dims={0}, rhs_contracting_dims={0}",
	    "1 1 0|1 1 1", "2");
	one("", "a = f32[2] parameter(0)\nb = f32[3] parameter(1)\nROOT t = f32[2,3] dot(a, b)", "1 2|3 4 5", "3 4 5 6 8 10");
}

/* A product of odd sizes against three loops: every edge of the blocked kernel. */
static void test_dot_blocks(void **state)
{
	enum { M = 101, N = 37, K = 530 };
	module *m = entry("", "a = f32[530,101] parameter(0)\nb = f32[37,530] parameter(1)\n"
			  "ROOT t = f32[101,37] dot(a, b), lhs_contracting_dims={0}, rhs_contracting_dims={1}");
	interp_options o = { .reading = INTERP_REALS, .replicas = 1, .partitions = 1 };
	interp *r = interp_new(m, &o);
	tensor *in[2] = { tensor_new(m->entry->param[0]->shape), tensor_new(m->entry->param[1]->shape) };
	tensor *const *const all[1] = { in };
	int x, y, z;

	(void)state;
	for (x = 0; x < M * K; x++)
		in[0]->f[x] = (x * 7 % 23) - 11;
	for (x = 0; x < N * K; x++)
		in[1]->f[x] = (x * 5 % 19) - 9;
	assert_true(interp_run(r, all));
	for (x = 0; x < M; x++)
		for (y = 0; y < N; y++) {
			double v = 0;

			for (z = 0; z < K; z++)
				v += in[0]->f[z * M + x] * in[1]->f[y * K + z];
			assert_true(interp_output(r, 0)->f[x * N + y] == v);
		}
	interp_free(r);
	tensor_unref(in[0]);
	tensor_unref(in[1]);
	module_free(m);
}

static void test_convolution(void **state)
{
	(void)state;
	one("", "x = f32[1,4,1] parameter(0)\nw = f32[2,1,1] parameter(1)\nROOT t = f32[1,3,1] convolution(x, w), window={size=2}, "
	    "dim_labels=b0f_0io->b0f", "1 2 3 4|10 1", "12 23 34");
	one("", "x = f32[1,4,1] parameter(0)\nw = f32[2,1,1] parameter(1)\nROOT t = f32[1,3,1] convolution(x, w), window={size=2 rhs_reversal=1}, "
	    "dim_labels=b0f_0io->b0f", "1 2 3 4|10 1", "21 32 43");
	one("", "x = f32[1,3,1] parameter(0)\nw = f32[2,1,1] parameter(1)\nROOT t = f32[1,3,1] convolution(x, w), "
	    "window={size=2 stride=2 pad=1_1 lhs_dilate=2 rhs_dilate=2}, dim_labels=b0f_0io->b0f", "1 2 3|10 1", "0 0 0");
	one("", "x = f32[1,3,1] parameter(0)\nw = f32[2,1,1] parameter(1)\nROOT t = f32[1,4,1] convolution(x, w), "
	    "window={size=2 pad=1_0 lhs_dilate=2 rhs_dilate=2}, dim_labels=b0f_0io->b0f", "1 2 3|10 1", "0 12 0 23");
	one("", "x = f32[1,2,2] parameter(0)\nw = f32[1,1,4] parameter(1)\nROOT t = f32[1,2,4] convolution(x, w), window={size=1}, "
	    "dim_labels=b0f_0io->b0f, feature_group_count=2", "1 2 3 4|1 10 100 1000", "1 10 200 2000 3 30 400 4000");
	one("", "x = f32[2,2,1] parameter(0)\nw = f32[1,1,2] parameter(1)\nROOT t = f32[1,2,2] convolution(x, w), window={size=1}, "
	    "dim_labels=b0f_0io->b0f, batch_group_count=2", "1 2 3 4|1 10", "1 30 2 40");
	one("", "x = f32[2,3] parameter(0)\nw = f32[3,2] parameter(1)\nROOT t = f32[2,2] convolution(x, w), dim_labels=bf_io->bf",
	    "1 2 3 4 5 6|1 0 0 1 1 1", "4 5 10 11");
	one("", "x = f32[1,1,2,2] parameter(0)\nw = f32[1,1,2,2] parameter(1)\nROOT t = f32[1,1,1,1] convolution(x, w), window={size=2x2}, "
	    "dim_labels=bf01_oi01->bf01", "1 2 3 4|1 10 100 1000", "4321");
}

/* ---- reductions and order */

#define ARGMAX "am { a = f32[] parameter(0)\n i = s32[] parameter(1)\n b = f32[] parameter(2)\n j = s32[] parameter(3)\n" \
	" g = pred[] compare(a, b), direction=GE\n v = f32[] select(g, a, b)\n k = s32[] select(g, i, j)\n ROOT t = (f32[], s32[]) tuple(v, k) }\n"

static void test_reduce(void **state)
{
	(void)state;
	one(ADD("f32"), "a = f32[2,2,2] parameter(0)\nz = f32[] constant(0)\nROOT t = f32[2] reduce(a, z), dimensions={0,2}, to_apply=add",
	    "1 2 3 4 5 6 7 8", "14 22");
	one(ADD("f32"), "a = f32[2,3] parameter(0)\nz = f32[] constant(1)\nROOT t = f32[3] reduce(a, z), dimensions={0}, to_apply=add",
	    "1 2 3 4 5 6", "6 8 10");
	one(OP2("mx", "maximum", "f32"), "a = f32[2,3] parameter(0)\nz = f32[] constant(-inf)\nROOT t = f32[2] reduce(a, z), dimensions={1}, to_apply=mx",
	    "-1 -2 -3 nan 5 6", "-1 nan");
	one(OP2("mu", "multiply", "f32"), "a = f32[3] parameter(0)\nz = f32[] constant(2)\nROOT t = f32[] reduce(a, z), dimensions={0}, to_apply=mu",
	    "3 4 5", "120");
	one(OP2("an", "and", "pred"), "a = pred[2,2] parameter(0)\nz = pred[] constant(true)\nROOT t = pred[2] reduce(a, z), dimensions={1}, to_apply=an",
	    "1 1 1 0", "1 0");
	one(ADD("s8"), "a = s8[2] parameter(0)\nz = s8[] constant(0)\nROOT t = s8[] reduce(a, z), dimensions={0}, to_apply=add", "100 100", "-56");
	one(ADD("bf16"), "a = bf16[3] parameter(0)\nz = bf16[] constant(0)\nROOT t = bf16[] reduce(a, z), dimensions={0}, to_apply=add",
	    "256 1 1", "256");
	reals(ADD("bf16"), "a = bf16[3] parameter(0)\nz = bf16[] constant(0)\nROOT t = bf16[] reduce(a, z), dimensions={0}, to_apply=add",
	      "256 1 1", "258");
	one(ARGMAX, "a = f32[2,3] parameter(0)\ni = s32[2,3] iota(), iota_dimension=1\nn = f32[] constant(-inf)\nz = s32[] constant(0)\n"
	    "ROOT r = (f32[2], s32[2]) reduce(a, i, n, z), dimensions={1}, to_apply=am", "1 7 3 9 2 9", "7 9|1 0");
	one("wide { a = bf16[] parameter(0)\n b = bf16[] parameter(1)\n c = f32[] convert(a)\n d = f32[] convert(b)\n e = f32[] add(c, d)\n"
	    " ROOT r = bf16[] convert(e) }\n", "a = bf16[3] parameter(0)\nz = bf16[] constant(0)\nROOT t = bf16[] reduce(a, z), dimensions={0}, to_apply=wide",
	    "256 1 1", "256");
	one(ADD("f32"), "a = f32[0,2] parameter(0)\nz = f32[] constant(3)\nROOT t = f32[2] reduce(a, z), dimensions={0}, to_apply=add", "", "3 3");
}

static void test_windows(void **state)
{
	(void)state;
	one(ADD("f32"), "a = f32[4] parameter(0)\nz = f32[] constant(0)\nROOT t = f32[4] reduce-window(a, z), window={size=4 pad=3_0}, to_apply=add",
	    "1 2 3 4", "1 3 6 10");
	one(ADD("f32"), "a = f32[2,3] parameter(0)\nz = f32[] constant(0)\nROOT t = f32[2,3] reduce-window(a, z), window={size=2x1 pad=1_0x0_0}, to_apply=add",
	    "1 2 3 4 5 6", "1 2 3 5 7 9");
	one(ADD("f32"), "a = f32[3] parameter(0)\nz = f32[] constant(0)\nROOT t = f32[2] reduce-window(a, z), "
	    "window={size=2 stride=4 pad=2_1 lhs_dilate=2 rhs_dilate=3}, to_apply=add", "1 3 5", "0 3");
	one(OP2("mx", "maximum", "f32"), "a = f32[1,4,4] parameter(0)\nz = f32[] constant(-inf)\n"
	    "ROOT t = f32[1,2,2] reduce-window(a, z), window={size=1x2x2 stride=1x2x2}, to_apply=mx", "1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16",
	    "6 8 14 16");
	one(ARGMAX, "a = f32[4] parameter(0)\ni = s32[4] iota(), iota_dimension=0\nn = f32[] constant(-inf)\nz = s32[] constant(0)\n"
	    "ROOT r = (f32[2], s32[2]) reduce-window(a, i, n, z), window={size=2 stride=2}, to_apply=am", "1 7 9 2", "7 9|1 2");
	one(ADD("f32") "ge { a = f32[] parameter(0)\n b = f32[] parameter(1)\n ROOT r = pred[] compare(a, b), direction=GE }\n",
	    "a = f32[4] parameter(0)\ns = f32[2] parameter(1)\nz = f32[] constant(0)\nROOT t = f32[4] select-and-scatter(a, s, z), "
	    "window={size=2 stride=2}, select=ge, scatter=add", "1 5 3 3|10 20", "0 10 20 0");
	one(ADD("f32") "ge { a = f32[] parameter(0)\n b = f32[] parameter(1)\n ROOT r = pred[] compare(a, b), direction=GE }\n",
	    "a = f32[3] parameter(0)\ns = f32[2] parameter(1)\nz = f32[] constant(1)\nROOT t = f32[3] select-and-scatter(a, s, z), "
	    "window={size=2}, select=ge, scatter=add", "1 5 3|10 20", "1 31 1");
}

static void test_sort(void **state)
{
	(void)state;
	one(LT("f32"), "a = f32[2,3] parameter(0)\nROOT t = f32[2,3] sort(a), dimensions={1}, to_apply=lt", "3 1 2 0 -1 5", "1 2 3 -1 0 5");
	one(LT("s32"), "a = s32[3,2] parameter(0)\nROOT t = s32[3,2] sort(a), dimensions={0}, to_apply=lt", "3 1 2 0 -1 5", "-1 0 2 1 3 5");
	one("gt { a = f32[] parameter(0)\n b = f32[] parameter(1)\n c = s32[] parameter(2)\n d = s32[] parameter(3)\n"
	    " ROOT r = pred[] compare(a, b), direction=GT }\n", "a = f32[4] parameter(0)\ni = s32[4] iota(), iota_dimension=0\n"
	    "ROOT t = (f32[4], s32[4]) sort(a, i), dimensions={0}, is_stable=true, to_apply=gt", "1 2 2 3", "3 2 2 1|3 1 2 0");
	one("", "a = f32[2,4] parameter(0)\nROOT t = (f32[2,2], s32[2,2]) topk(a), k=2, largest=true", "1 7 7 2 -1 -2 -3 -4", "7 7 -1 -2|1 2 0 1");
	one("", "a = f32[4] parameter(0)\nROOT t = (f32[2], s32[2]) topk(a), k=2, largest=false", "1 7 0 2", "0 1|2 0");
	one("f { a = f32[] parameter(0)\n b = f32[] parameter(1)\n c = f32[] multiply(a, b)\n ROOT r = f32[] tanh(c) }\n",
	    "a = f32[2] parameter(0)\nb = f32[2] parameter(1)\nROOT t = f32[2] map(a, b), dimensions={0}, to_apply=f", "0.5 0|1 5", "0.46211716 0");
}

static void test_linalg(void **state)
{
	(void)state;
	one("", "a = f32[2,2] parameter(0)\nROOT r = f32[2,2] cholesky(a), lower=true", "4 2 2 5", "2 0 1 2");
	one("", "a = f32[2,2] parameter(0)\nROOT r = f32[2,2] cholesky(a), lower=false", "4 2 2 5", "2 1 0 2");
	one("", "a = f32[2,2] parameter(0)\nb = f32[2,1] parameter(1)\nROOT r = f32[2,1] triangular-solve(a, b), left_side=true, lower=true, "
	    "unit_diagonal=false, transpose_a=NO_TRANSPOSE", "2 0 1 4|2 9", "1 2");
	one("", "a = f32[2,2] parameter(0)\nb = f32[2,1] parameter(1)\nROOT r = f32[2,1] triangular-solve(a, b), left_side=true, lower=true, "
	    "unit_diagonal=false, transpose_a=TRANSPOSE", "2 0 1 4|4 8", "1 2");
	one("", "a = f32[2,2] parameter(0)\nb = f32[1,2] parameter(1)\nROOT r = f32[1,2] triangular-solve(a, b), left_side=false, lower=true, "
	    "unit_diagonal=false, transpose_a=NO_TRANSPOSE", "2 0 1 4|4 8", "1 2");
	one("", "a = c64[4] parameter(0)\nROOT r = c64[4] fft(a), fft_type=FFT, fft_length={4}", "1 0 2 0 3 0 4 0", "10 0 -2 2 -2 0 -2 -2");
	one("", "a = c64[4] parameter(0)\nb = c64[4] fft(a), fft_type=FFT, fft_length={4}\nROOT r = c64[4] fft(b), fft_type=IFFT, fft_length={4}",
	    "1 0 2 1 3 0 4 -5", "1 0 2 1 3 0 4 -5");
	one("", "a = f32[4] parameter(0)\nROOT r = c64[3] fft(a), fft_type=RFFT, fft_length={4}", "1 2 3 4", "10 0 -2 2 -2 0");
	one("", "a = f32[2,5] parameter(0)\nb = c64[2,3] fft(a), fft_type=RFFT, fft_length={2,5}\nROOT r = f32[2,5] fft(b), fft_type=IRFFT, fft_length={2,5}",
	    "1 2 3 4 9 6 5 7 8 0", "1 2 3 4 9 6 5 7 8 0");
}

static void test_norms(void **state)
{
	(void)state;
	/* features 1, 3 and 2, 6: means 2 and 4, variances 1 and 4 */
	one("", "x = f32[2,2] parameter(0)\ns = f32[2] parameter(1)\no = f32[2] parameter(2)\n"
	    "ROOT r = (f32[2,2], f32[2], f32[2]) batch-norm-training(x, s, o), epsilon=0, feature_index=1", "1 2 3 6|1 10|0 5",
	    "-1 -5 1 15|2 4|1 4");
	one("", "x = f32[2,2] parameter(0)\ns = f32[2] parameter(1)\no = f32[2] parameter(2)\nm = f32[2] parameter(3)\nv = f32[2] parameter(4)\n"
	    "ROOT r = f32[2,2] batch-norm-inference(x, s, o, m, v), epsilon=1, feature_index=1", "1 2 3 6|1 10|0 5|0 1|3 8", "0.5 8.3333333 1.5 21.6666667");
	/* N = 2, x = (0, 2): c = (-1, 1), r = 1; dy = (1, 5): d_offset 6, d_scale 4, dx = s (dy - 3 - c 2) = s (0, 0) */
	one("", "x = f32[2,1] parameter(0)\ns = f32[1] parameter(1)\nm = f32[1] parameter(2)\nv = f32[1] parameter(3)\ng = f32[2,1] parameter(4)\n"
	    "ROOT r = (f32[2,1], f32[1], f32[1]) batch-norm-grad(x, s, m, v, g), epsilon=0, feature_index=1", "0 2|3|1|1|1 5", "0 0|4|6");
	one("", "x = f32[2,2] parameter(0)\nw = f32[2] parameter(1)\ne = f32[] constant(0)\nROOT r = f32[2,2] custom-call(x, w, e), "
	    "custom_call_target=\"AwsNeuronRmsNorm\", backend_config=\"0\"", "1 3 7 3|1 10", "0.2 1 14 10");
	one("", "x = f32[1,2] parameter(0)\nROOT r = f32[1,2] custom-call(x), custom_call_target=\"AwsNeuronSoftmax\"", "0 0.6931471805599453", "0.33333333 0.66666667");
	one("", "x = f32[2] parameter(0)\nROOT r = f32[2] custom-call(x), custom_call_target=\"AwsNeuronGelu\"", "0 1", "0 0.8413447");
	one("", "x = f32[1] parameter(0)\nROOT r = f32[1] custom-call(x), custom_call_target=\"AwsNeuronGeluApprxTanh\"", "1", "0.8411920");
	one("", "x = f32[1] parameter(0)\nROOT r = f32[1] custom-call(x), custom_call_target=\"AwsNeuronSilu\"", "1", "0.7310586");
	one("", "x = f32[2] parameter(0)\nROOT r = f32[2] custom-call(x), custom_call_target=\"AwsNeuronTransferWithStaticRing\"", "3 4", "3 4");
	one("", "x = f32[2,3]{1,0} parameter(0)\ny = f32[2,3]{0,1} custom-call(x), custom_call_target=\"MoveToHost\"\n"
	    "ROOT r = f32[6]{0} bitcast(y)", "1 2 3 4 5 6", "1 4 2 5 3 6");
	one("", "x = f32[4] parameter(0)\nROOT t = (f32[2], s32[2]) custom-call(x), custom_call_target=\"TopK\"", "1 7 0 2", "7 2|1 3");
	refused("", "x = f32[2] parameter(0)\nROOT r = f32[2] custom-call(x), custom_call_target=\"foo\"", 1, 1, "1 2", "foo has no public meaning");
	refused("", "x = f32[4] parameter(0)\nROOT r = f32[2] custom-call(x), custom_call_target=\"SPMDFullToShardShape\"", 1, 1, "1 2 3 4", "changes the shape");
}

static void test_random(void **state)
{
	(void)state;
	/* Random123's known answers: threefry2x32, 20 rounds, key 0, counter 0; then all ones */
	one("", "s = u64[2] parameter(0)\nROOT r = (u64[2], u32[2]) rng-bit-generator(s), algorithm=rng_three_fry", "0 0", "0 1|1797259609 2579123966");
	one("", "s = u64[2] parameter(0)\nROOT r = (u64[2], u32[2]) rng-bit-generator(s), algorithm=rng_three_fry",
	    "18446744073709551615 18446744073709551615", "18446744073709551615 0|481924860 3137350631");
	/* philox4x32, 10 rounds, key 0, counter 0 */
	one("", "s = u64[3] parameter(0)\nROOT r = (u64[3], u32[5]) rng-bit-generator(s), algorithm=rng_philox", "0 0 0",
	    "0 2 0|1713891541 3781805453 3159862348 2600524760 4175744164");
	/* a shard does not get a part of the whole (X37) */
	one("", "s = u64[2] parameter(0)\na = (u64[2], u32[6,4]) rng-bit-generator(s), algorithm=rng_three_fry\nb = (u64[2], u32[3,4]) rng-bit-generator(s), algorithm=rng_three_fry\n"
	    "x = u32[6,4] get-tuple-element(a), index=1\ny = u32[3,4] get-tuple-element(b), index=1\nz = u32[3,4] slice(x), slice={[3:6], [0:4]}\n"
	    "e = pred[3,4] compare(z, y), direction=EQ\nROOT r = pred[3,4] copy(e)", "5 0", "0 0 0 0 0 0 0 0 0 0 0 0");
	refused("", "z = f32[] constant(0)\no = f32[] constant(1)\nROOT r = f32[2] rng(z, o), distribution=rng_uniform", 1, 1, "", "hidden state");
}

/* ---- control */

#define LOOP_COND "cond { p = (s32[], f32[]) parameter(0)\n i = s32[] get-tuple-element(p), index=0\n n = s32[] constant(5)\n ROOT r = pred[] compare(i, n), direction=LT }\n"
#define LOOP_BODY "body { p = (s32[], f32[]) parameter(0)\n i = s32[] get-tuple-element(p), index=0\n x = f32[] get-tuple-element(p), index=1\n" \
	" o = s32[] constant(1)\n j = s32[] add(i, o)\n y = f32[] add(x, x)\n ROOT t = (s32[], f32[]) tuple(j, y) }\n"
#define BRANCHES "t { p = f32[] parameter(0)\n ROOT n = f32[] negate(p) }\nf { p = f32[] parameter(0)\n ROOT n = f32[] add(p, p) }\n"

static void test_control(void **state)
{
	(void)state;
	one(LOOP_COND LOOP_BODY, "z = s32[] parameter(0)\nx = f32[] parameter(1)\ns = (s32[], f32[]) tuple(z, x)\n"
	    "w = (s32[], f32[]) while(s), condition=cond, body=body\nROOT r = f32[] get-tuple-element(w), index=1", "0|3", "96");
	one(LOOP_COND LOOP_BODY, "z = s32[] parameter(0)\nx = f32[] parameter(1)\ns = (s32[], f32[]) tuple(z, x)\n"
	    "w = (s32[], f32[]) while(s), condition=cond, body=body\nROOT r = f32[] get-tuple-element(w), index=1", "9|3", "3");
	dist(LOOP_COND LOOP_BODY, "z = s32[] parameter(0)\nx = f32[] parameter(1)\ns = (s32[], f32[]) tuple(z, x)\n"
	     "w = (s32[], f32[]) while(s), condition=cond, body=body\nROOT r = f32[] get-tuple-element(w), index=1", 1, 3, "4|1;0|1;7|1", "2;32;1");
	one(BRANCHES, "p = pred[] parameter(0)\nx = f32[] constant(4)\nROOT r = f32[] conditional(p, x, x), true_computation=t, false_computation=f", "0", "8");
	one(BRANCHES, "p = s32[] parameter(0)\nx = f32[] constant(4)\nROOT r = f32[] conditional(p, x, x), branch_computations={t, f}", "0", "-4");
	one(BRANCHES, "p = s32[] parameter(0)\nx = f32[] constant(4)\nROOT r = f32[] conditional(p, x, x), branch_computations={t, f}", "5", "8");
	one(BRANCHES, "p = s32[] parameter(0)\nx = f32[] constant(4)\nROOT r = f32[] conditional(p, x, x), branch_computations={t, f}", "-1", "8");
	one(BRANCHES, "x = f32[] constant(4)\na = f32[] call(x), to_apply=t\nROOT r = f32[] fusion(a), kind=kLoop, calls=f", "", "-8");
	one(BRANCHES, "x = f32[] constant(4)\na = ((f32[]), f32[], u32[]) async-start(x), calls=t\nb = ((f32[]), f32[], u32[]) async-update(a)\n"
	    "ROOT r = f32[] async-done(b)", "", "-4");
	one("", "x = f32[2] parameter(0)\nc = (f32[2], f32[2], u32[]) copy-start(x)\nd = f32[2] copy-done(c)\nt = token[] after-all()\n"
	    "e = f32[2] add-dependency(d, t)\nf = (f32[2]) tuple(e)\ng = (f32[2]) opt-barrier(f)\nROOT r = f32[2] get-tuple-element(g), index=0", "1 2", "1 2");
	/* a buffer updated in every round: 0 1 4 9 16 */
	one("cond { p = (s32[], f32[5]) parameter(0)\n i = s32[] get-tuple-element(p), index=0\n n = s32[] constant(5)\n ROOT r = pred[] compare(i, n), direction=LT }\n"
	    "body { p = (s32[], f32[5]) parameter(0)\n i = s32[] get-tuple-element(p), index=0\n x = f32[5] get-tuple-element(p), index=1\n o = s32[] constant(1)\n"
	    " j = s32[] add(i, o)\n q = s32[] multiply(i, i)\n c = f32[] convert(q)\n d = f32[1] reshape(c)\n y = f32[5] dynamic-update-slice(x, d, i)\n"
	    " ROOT t = (s32[], f32[5]) tuple(j, y) }\n", "z = s32[] constant(0)\nx = f32[5] parameter(0)\ns = (s32[], f32[5]) tuple(z, x)\n"
	    "w = (s32[], f32[5]) while(s), condition=cond, body=body\nv = f32[5] get-tuple-element(w), index=1\nROOT r = f32[5] subtract(v, x)", "1 1 1 1 1",
	    "-1 0 3 8 15");
	refused("inf { p = s32[] parameter(0)\n ROOT r = pred[] constant(true) }\nnop { ROOT p = s32[] parameter(0) }\n",
		"z = s32[] parameter(0)\nROOT w = s32[] while(z), condition=inf, body=nop", 1, 1, "0", "iterations");
	refused("", "t = token[] after-all()\nROOT r = ((f32[2]), token[]) infeed(t)", 1, 1, "", "host");
}

/* ---- collectives */

#define GLOBAL ", channel_id=1, use_global_device_ids=true"

static void test_collectives(void **state)
{
	const char *x4 = "1 10;2 20;3 30;4 40";

	(void)state;
	dist(ADD("f32"), "x = f32[2] parameter(0)\nROOT r = f32[2] all-reduce(x), replica_groups={{0,2},{1,3}}, to_apply=add" GLOBAL, 1, 4, x4,
	     "4 40;6 60;4 40;6 60");
	dist(ADD("f32"), "x = f32[2] parameter(0)\nROOT r = f32[2] all-reduce(x), replica_groups=[2,2]<=[2,2]T(1,0), to_apply=add" GLOBAL, 1, 4, x4,
	     "4 40;6 60;4 40;6 60");
	dist(ADD("f32"), "x = f32[2] parameter(0)\nROOT r = f32[2] all-reduce(x), replica_groups={{0,1,2},{3}}, to_apply=add" GLOBAL, 1, 4, x4,
	     "6 60;6 60;6 60;4 40");
	dist(OP2("mn", "minimum", "f32"), "x = f32[2] parameter(0)\nROOT r = f32[2] all-reduce(x), replica_groups={}, to_apply=mn", 4, 1, x4, "1 10");
	/* the modes on 2 replicas of 2 partitions: devices r0p0 r0p1 r1p0 r1p1 */
	dist(ADD("f32"), "x = f32[2] parameter(0)\nROOT r = f32[2] all-reduce(x), replica_groups={{0,1}}, to_apply=add", 2, 2, x4, "4 40;6 60;4 40;6 60");
	dist(ADD("f32"), "x = f32[2] parameter(0)\nROOT r = f32[2] all-reduce(x), channel_id=1, replica_groups={{0,1}}, to_apply=add", 2, 2, x4, "10 100");
	dist(ADD("f32"), "x = f32[2] parameter(0)\nROOT r = f32[2] all-reduce(x), channel_id=1, replica_groups={{0},{1}}, to_apply=add", 2, 2, x4,
	     "3 30;3 30;7 70;7 70");
	dist("", "x = f32[2] parameter(0)\nROOT r = f32[2] collective-permute(x), channel_id=1, source_target_pairs={{0,1},{1,0}}", 2, 2, x4,
	     "2 20;1 10;4 40;3 30");
	dist("", "x = f32[2] parameter(0)\nROOT r = f32[2] collective-permute(x), source_target_pairs={{0,1},{1,0}}", 2, 2, x4, "3 30;4 40;1 10;2 20");
	dist("", "x = f32[1] parameter(0)\nROOT r = f32[2] all-gather(x), channel_id=1, replica_groups={{0},{1}}, dimensions={0}", 2, 2, "1;2;3;4",
	     "1 2;1 2;3 4;3 4");
	dist("", "x = f32[2] parameter(0)\nROOT r = f32[4] all-gather(x), replica_groups={{1,0}}, dimensions={0}" GLOBAL, 1, 2, "1 2;3 4", "3 4 1 2");
	dist("", "x = f32[2,1] parameter(0)\nROOT r = f32[2,2] all-gather(x), replica_groups={{0,1}}, dimensions={1}" GLOBAL, 1, 2, "1 2;3 4", "1 3 2 4");
	dist(ADD("f32"), "x = f32[4] parameter(0)\nROOT r = f32[2] reduce-scatter(x), replica_groups={{0,1}}, dimensions={0}, to_apply=add" GLOBAL, 1, 2,
	     "1 2 3 4;10 20 30 40", "11 22;33 44");
	dist("", "x = f32[4] parameter(0)\nROOT r = f32[4] all-to-all(x), channel_id=1, replica_groups={{0,1}}, dimensions={0}", 1, 2,
	     "1 2 3 4;5 6 7 8", "1 2 5 6;3 4 7 8");
	dist("", "a = f32[1] parameter(0)\nb = f32[1] parameter(1)\nROOT r = (f32[1], f32[1]) all-to-all(a, b), channel_id=1, replica_groups={{0,1}}", 1, 2,
	     "1|2;3|4", "1|3;2|4");
	dist("", "x = f32[2] parameter(0)\nROOT r = f32[2] collective-permute(x), channel_id=1, source_target_pairs={{0,1},{1,2},{3,3}}", 1, 4, x4,
	     "0 0;1 10;2 20;4 40");
	dist("", "x = f32[2] parameter(0)\nROOT r = f32[2] collective-broadcast(x), channel_id=1, replica_groups={{2,0,1}}", 1, 4, x4,
	     "3 30;3 30;3 30;0 0");
	dist("", "p = u32[] partition-id()\nr = u32[] replica-id()\nROOT t = (u32[], u32[]) tuple(p, r)", 2, 2, "", "0|0;1|0;0|1;1|1");
	dist(ADD("f32"), "x = f32[1] parameter(0)\ny = f32[1] parameter(1)\nROOT r = (f32[1], f32[1]) all-reduce(x, y), replica_groups={{0,1}}, to_apply=add",
	     2, 1, "1|2;3|4", "4|6");
	dist(ADD("f32"), "x = f32[2] parameter(0)\nt = f32[] parameter(1)\nROOT r = (f32[1], f32[]) reduce-scatter(x, t), replica_groups={{0,1}}, "
	     "dimensions={0}, to_apply=add", 2, 1, "1 2|0;3 4|0", "4|0;6|0");
	dist("", "x = f32[1] parameter(0)\ns = (f32[1], f32[2]) all-gather-start(x), replica_groups={{0,1}}, dimensions={0}" GLOBAL
	     "\nROOT r = f32[2] all-gather-done(s)", 1, 2, "1;2", "1 2");
	dist(ADD("f32"), "x = f32[1] parameter(0)\ns = f32[1] all-reduce-start(x), replica_groups={{0,1}}, to_apply=add" GLOBAL
	     "\nROOT r = f32[1] all-reduce-done(s)", 1, 2, "1;2", "3");
	dist("", "x = f32[1] parameter(0)\ns = (f32[1], f32[1], u32[], u32[]) collective-permute-start(x), channel_id=1, source_target_pairs={{0,1},{1,0}}"
	     "\nROOT r = f32[1] collective-permute-done(s)", 1, 2, "1;2", "2;1");
}

static void test_collectives_refused(void **state)
{
	(void)state;
	refused("", "x = f32[1] parameter(0)\nROOT r = f32[1] all-gather(x), replica_groups={{1}}, dimensions={0}" GLOBAL, 1, 2, "1", "in no group");
	refused(ADD("f32"), "x = f32[1] parameter(0)\nROOT r = f32[1] all-reduce(x), replica_groups={{0,7}}, to_apply=add" GLOBAL, 1, 2, "1", "device 7 of 2");
	refused("", "x = f32[1] parameter(0)\nROOT r = f32[1] collective-permute(x), channel_id=1, source_target_pairs={{0,1},{1,5}}", 1, 2, "1", "does not exist");
	/* a collective in a branch that only one device takes */
	refused(ADD("f32") "t { p = f32[] parameter(0)\n ROOT n = f32[] all-reduce(p), replica_groups={{0,1}}, to_apply=add" GLOBAL " }\n"
		"f { ROOT p = f32[] parameter(0) }\n", "p = pred[] parameter(0)\nx = f32[] constant(4)\n"
		"ROOT r = f32[] conditional(p, x, x), true_computation=t, false_computation=f", 1, 2, "1;0", "only some devices");
}

static void test_collective_in_loop(void **state)
{
	(void)state;
	dist("cond { p = (s32[], f32[1]) parameter(0)\n i = s32[] get-tuple-element(p), index=0\n n = s32[] constant(3)\n ROOT r = pred[] compare(i, n), direction=LT }\n"
	     "body { p = (s32[], f32[1]) parameter(0)\n i = s32[] get-tuple-element(p), index=0\n x = f32[1] get-tuple-element(p), index=1\n o = s32[] constant(1)\n"
	     " j = s32[] add(i, o)\n y = f32[1] collective-permute(x), channel_id=9, source_target_pairs={{0,1},{1,2},{2,0}}\n ROOT t = (s32[], f32[1]) tuple(j, y) }\n",
	     "z = s32[] constant(0)\nx = f32[1] parameter(0)\ns = (s32[], f32[1]) tuple(z, x)\nw = (s32[], f32[1]) while(s), condition=cond, body=body\n"
	     "ROOT r = f32[1] get-tuple-element(w), index=1", 1, 3, "5;6;7", "5;6;7");
}

/* ---- the run itself */

static bool keep_all(void *ctx, const inst *i)
{
	(void)ctx;
	(void)i;
	return true;
}

static int visits, stops;

static void count_visit(void *ctx, const inst *const *path, int depth, const inst *i, int ndev, const int *device, tensor *const *value)
{
	(void)ctx;
	(void)device;
	assert_true(ndev == 2 && value[0] && value[1]);
	if (depth && !strcmp(i->name, "n"))
		assert_string_equal(path[0]->name, "c");
	visits++;
}

static int stop_now(void *ctx, double done, double total)
{
	(void)ctx;
	assert_true(done <= total);
	stops++;
	return 1;
}

static void test_kept_values(void **state)
{
	module *m = entry(BRANCHES, "x = f32[] parameter(0)\nc = f32[] call(x), to_apply=t\nd = f32[] add(c, c)\nROOT r = f32[] multiply(d, d)");
	interp_options o = { .replicas = 1, .partitions = 2, .keep = keep_all, .visit = count_visit };
	interp *r = interp_new(m, &o);
	tensor *in[2] = { tensor_new(m->entry->param[0]->shape), tensor_new(m->entry->param[0]->shape) };
	tensor *const *const all[2] = { &in[0], &in[1] };

	(void)state;
	in[0]->f[0] = 3;
	in[1]->f[0] = 5;
	visits = 0;
	assert_true(interp_run(r, all));
	assert_int_equal(visits, 6);
	assert_true(interp_value(r, comp_inst(m->entry, "c"), 0)->f[0] == -3);
	assert_true(interp_value(r, comp_inst(m->entry, "d"), 1)->f[0] == -10);
	assert_true(interp_output(r, 1)->f[0] == 100);
	interp_free(r);
	tensor_unref(in[0]);
	tensor_unref(in[1]);
	module_free(m);
}

static void test_interrupt(void **state)
{
	module *m = entry("", "a = f32[300,300] parameter(0)\nROOT r = f32[300,300] dot(a, a), lhs_contracting_dims={1}, rhs_contracting_dims={0}");
	interp_options o = { .progress = stop_now };
	interp *r = interp_new(m, &o);
	tensor *in = tensor_new(m->entry->param[0]->shape);
	tensor *const *const all[1] = { &in };

	(void)state;
	stops = 0;
	assert_false(interp_run(r, all));
	assert_true(interp_stopped(r));
	assert_int_equal(stops, 1);
	interp_free(r);
	tensor_unref(in);
	module_free(m);
}

static void test_byte_limit(void **state)
{
	module *m = entry("", "a = f32[] parameter(0)\nb = f32[100000,100000,100] broadcast(a), dimensions={}\nROOT r = f32[100000,100000,100] negate(b)");
	interp_options o = { .byte_limit = 1e9 };
	interp *r = interp_new(m, &o);
	tensor *in = tensor_new(m->entry->param[0]->shape);
	tensor *const *const all[1] = { &in };

	(void)state;
	assert_false(interp_run(r, all));
	assert_string_equal(interp_where(r)->name, "b");
	assert_non_null(strstr(interp_why(r), "bytes"));
	interp_free(r);
	tensor_unref(in);
	module_free(m);
}

static void test_estimate(void **state)
{
	module *m = entry("", "a = f32[10,20] parameter(0)\nb = f32[20,30] parameter(1)\n"
			  "ROOT r = f32[10,30] dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0}");
	interp_cost c = interp_estimate(m, 2);

	(void)state;
	assert_true(c.madds >= 2 * 6000 && c.madds < 2 * 6010);
	assert_true(c.bytes == 2 * 8 * (200 + 600 + 300));
	assert_false(c.loops_unknown);
	module_free(m);
}

static void test_elided(void **state)
{
	const char *body = "c = f32[2] constant({...})\nd = f32[2] constant({...})\nROOT t = (f32[2], f32[2]) tuple(c, d)";
	module *m = entry("", body);
	interp_options o = { .fill_elided = true, .seed = 3 };
	interp *r = interp_new(m, &o), *q = interp_new(m, &o);
	tensor *const none[1] = { NULL };
	tensor *const *const all[1] = { none };

	(void)state;
	refused("", body, 1, 1, "", "not in the file");
	assert_true(interp_run(r, all) && interp_run(q, all));
	assert_true(interp_output(r, 0)->elem[0]->f[0] == interp_output(q, 0)->elem[0]->f[0]);
	assert_true(interp_output(r, 0)->elem[0]->f[0] != interp_output(r, 0)->elem[1]->f[0]);
	assert_non_null(interp_assumed(r, 0));
	interp_free(r);
	interp_free(q);
	module_free(m);
}

/* ---- the reference interpreter */

static void compare_with(const char *driver, const char *source, const char *what)
{
	char *command;

	if (asprintf(&command, "cd %s/../shared && python3 %s/tests/compare_ref.py %s model %s >&2", source, source, driver, what) < 0)
		abort();
	assert_int_equal(system(command), 0);
	free(command);
}

static void test_reference(void **state)
{
	const char *source = getenv("srcdir") ? getenv("srcdir") : SRCDIR, *build = getenv("builddir");
	char *driver, *model;
	bool here;

	(void)state;
	if (asprintf(&driver, "%s/tests/interp_main", build ? build : "/nonexistent") < 0 || asprintf(&model, "%s/../shared/model/hlo_ref.py", source) < 0)
		abort();
	here = !access(driver, X_OK) && !access(model, R_OK) && !system("python3 -c 'import numpy' 2>/dev/null");
	if (here) {
		compare_with(driver, source, "files cases/*.fixed.hlo cases-extra/*.hlo corpus/jax/*-tp2.dist.hlo corpus/torch/*-tp2.dist.hlo");
		compare_with(driver, source, "witnesses cases-extra/*.witness.json");
		compare_with(driver, source, "pairs corpus/jax/expected.tsv corpus/torch/expected.tsv");
	}
	free(driver);
	free(model);
	if (!here)
		skip();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rounding), cmocka_unit_test(test_convert), cmocka_unit_test(test_floats),
		cmocka_unit_test(test_integers), cmocka_unit_test(test_complex), cmocka_unit_test(test_moves),
		cmocka_unit_test(test_gather), cmocka_unit_test(test_dot), cmocka_unit_test(test_dot_blocks),
		cmocka_unit_test(test_convolution), cmocka_unit_test(test_reduce), cmocka_unit_test(test_windows),
		cmocka_unit_test(test_sort), cmocka_unit_test(test_linalg), cmocka_unit_test(test_norms),
		cmocka_unit_test(test_random), cmocka_unit_test(test_control), cmocka_unit_test(test_collectives),
		cmocka_unit_test(test_collectives_refused), cmocka_unit_test(test_collective_in_loop),
		cmocka_unit_test(test_kept_values), cmocka_unit_test(test_interrupt), cmocka_unit_test(test_byte_limit), cmocka_unit_test(test_estimate),
		cmocka_unit_test(test_elided), cmocka_unit_test(test_reference),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
