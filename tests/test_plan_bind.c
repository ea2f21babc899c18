/* Which parameters and outputs a plan's lines mean, and every message. */
#include "hlo/hlo_text.h"
#include "plan/plan_bind.h"

#include <stdarg.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

/* The baseline has its parameters in another order, as captured graphs do. */
static const char base_text[] =
	"HloModule b\n"
	"ENTRY %main {\n"
	"  %x = f32[4] parameter(0)\n"
	"  %a.1 = f32[4] parameter(1), metadata={op_name=\"layers.1.w\"}\n"
	"  %a.0 = f32[4] parameter(2), metadata={op_name=\"layers.0.w\"}\n"
	"  %q = f32[4] parameter(3), metadata={op_name=\"p[\\'wq\\']\"}\n"
	"  %inner = f32[4] add(%x, %a.1)\n"
	"  %sum = f32[4] add(%a.0, %q)\n"
	"  ROOT %out = (f32[4], f32[4]) tuple(%inner, %sum)\n"
	"}\n";
static const char dist_text[] =
	"HloModule d\n"
	"ENTRY %main {\n"
	"  %param.0 = f32[4] parameter(0), metadata={op_name=\"layers.0.w\"}\n"
	"  %param.1 = f32[4] parameter(1), metadata={op_name=\"layers.1.w\"}\n"
	"  %param.2 = f32[4] parameter(2), metadata={op_name=\"p[\\'wq\\']\"}\n"
	"  %x = f32[4] parameter(3)\n"
	"  %token = f32[4] parameter(4)\n"
	"  %inner = f32[4] add(%x, %param.1)\n"
	"  %sum = f32[4] add(%param.0, %param.2)\n"
	"  ROOT %out = (f32[4], f32[4], f32[4]) tuple(%inner, %sum, %token)\n"
	"}\n";

static arena memory;
static module *base, *dist;
static struct diag diag;

static struct plan_binding *bind(const char *text)
{
	const struct plan *p = plan_parse(&memory, "p", text, strlen(text), &diag);

	if (!p)
		fail_msg("%d:%d: %s", diag.line, diag.column, diag.message);
	return plan_bind(&memory, p, base, dist, &diag);
}

static struct plan_binding *good(const char *text)
{
	struct plan_binding *b = bind(text);

	if (!b)
		fail_msg("%s: %d:%d: %s", text, diag.line, diag.column, diag.message);
	return b;
}

static void test_counts(void **state)
{
	struct plan_binding *b = good("");

	(void)state;
	assert_int_equal(b->ninput, 5);
	assert_int_equal(b->noutput, 3);
	assert_int_equal(b->nbase_input, 4);
	assert_int_equal(b->nbase_output, 2);
	assert_null(b->input[0].relation);
	assert_int_equal(b->input[0].base, -1);
}

static void test_inputs(void **state)
{
	struct plan_binding *b = good("input 0<-2 R\ninput 1 R\ninput p['wq'] R\ninput %x R\ninput 4 = 0\ninput 4 > 0\n");

	(void)state;
	assert_int_equal(b->input[0].base, 2);
	assert_int_equal(b->input[1].base, 1);
	assert_int_equal(b->input[2].base, 3);		/* by op_name */
	assert_int_equal(b->input[3].base, 0);		/* by name */
	assert_int_equal(b->input[4].base, -1);
	assert_int_equal(b->input[4].relation->form, PLAN_VALUE);
	assert_int_equal(b->input[4].range->form, PLAN_POSITIVE);
	b = good("input token<-%inner R\n");
	assert_int_equal(b->input[4].base, -1);
	assert_string_equal(b->input[4].relation->base.text, "inner");
	b = good("input token<-%q R\n");
	assert_int_equal(b->input[4].base, 3);
}

static void test_globs(void **state)
{
	struct plan_binding *b = good("input layers.*.w R\n");

	(void)state;
	assert_int_equal(b->input[0].base, 2);
	assert_int_equal(b->input[1].base, 1);
	assert_ptr_equal(b->input[0].relation, b->input[1].relation);
	b = good("input layers.*.w<-%a.* R\n");	/* both in the order of their numbers */
	assert_int_equal(b->input[0].base, -1);
	b = good("input param.?<-p* R\n");
	assert_int_equal(b->input[2].base, 3);
	b = good("input layers.*<-a.? R\n");
	assert_int_equal(b->input[0].base, 1);
	assert_int_equal(b->input[1].base, 2);
}

static void test_outputs(void **state)
{
	struct plan_binding *b = good("output 0 R\noutput 1<-0 R\noutput 2<-%sum R\n");

	(void)state;
	assert_int_equal(b->output[0].base, 0);
	assert_int_equal(b->output[1].base, 0);
	assert_int_equal(b->output[2].base, -1);
	assert_string_equal(b->output[2].relation->base.text, "sum");
	b = good("output 2 any\n");
	assert_int_equal(b->output[2].relation->form, PLAN_ANY);
}

static void test_inner(void **state)
{
	struct plan_binding *b = good("output %inner<-%sum R\nassume %sum = base %sum R\nbase %inner = any\nbase %x = 1\n");

	(void)state;
	assert_int_equal(b->ninner, 3);
	assert_int_equal(b->inner[0]->subject, PLAN_OUTPUT);
	assert_int_equal(b->inner[1]->subject, PLAN_ASSUME);
	assert_int_equal(b->inner[2]->subject, PLAN_BASE);
	assert_int_equal(b->base_input[0].relation->form, PLAN_VALUE);
}

static void test_base(void **state)
{
	struct plan_binding *b = good("mesh base dp=2\nbase input 0 dp:S(0)\nbase 0 > 0\nbase 1 = any\nbase output 1 R\n");

	(void)state;
	assert_int_equal(b->base_input[0].relation->n, 1);
	assert_int_equal(b->base_input[0].range->form, PLAN_POSITIVE);
	assert_int_equal(b->base_input[1].relation->value.kind, PLAN_VALUE_ANY);
	assert_non_null(b->base_output[1].relation);
	assert_null(b->base_output[0].relation);
}

static const struct { const char *text, *where, *message; } wrong[] = {
	{ "input 5 R", "1:7", "DIST has 5 parameters, no number 5" },
	{ "input 0<-4 R", "1:10", "BASE has 4 parameters, no number 4" },
	{ "input 4 R", "1:7", "BASE has no parameter 4 that belongs to it: write 4<-N" },
	{ "input token R", "1:7", "BASE has no parameter 4 that belongs to it: write 4<-N" },
	{ "input wk R", "1:7", "no parameter of DIST is called 'wk'" },
	{ "input w*k R", "1:7", "no parameter of DIST is called 'w*k'" },
	{ "input \"layers.*.w\" R", "1:7", "no parameter of DIST is called 'layers.*.w'" },
	{ "input 0<-wk R", "1:10", "no parameter of BASE is called 'wk'" },
	{ "input 0 R\ninput layers.0.w R", "2:7", "input 0 is named before, in line 1" },
	{ "input layers.*.w R\ninput 1 = 0", "2:7", "input 1 is named before, in line 1" },
	{ "input 0 > 0\ninput layers.* in 0..1", "2:7", "input 0 is named before, in line 1" },
	{ "input param.*<-a.? R", "1:16", "3 parameters of DIST, but 2 of BASE" },
	{ "output 3 R", "1:8", "DIST has 3 outputs, no number 3" },
	{ "output 2 R", "1:8", "BASE has 2 outputs, no number 2" },
	{ "output 0<-2 R", "1:11", "BASE has 2 outputs, no number 2" },
	{ "output sum R", "1:8", "an output has a number, or is an instruction's %name" },
	{ "output 0<-sum R", "1:11", "an output has a number, or is an instruction's %name" },
	{ "mesh base z=2\nbase output sum R", "2:13", "an output has a number" },
	{ "mesh base z=2\nbase input 4 R", "2:12", "BASE has 4 parameters, no number 4" },
	{ "base 9 = 1", "1:6", "BASE has 4 parameters, no number 9" },
	{ "base wk = 1", "1:6", "no parameter of BASE is called 'wk'" },
	{ "base 0 = 1\nbase %x = 2", "2:6", "base input 0 is named before, in line 1" },
};

static void test_wrong(void **state)
{
	char where[32];
	size_t i;

	(void)state;
	for (i = 0; i < sizeof wrong / sizeof *wrong; i++) {
		if (bind(wrong[i].text))
			fail_msg("accepted: %s", wrong[i].text);
		snprintf(where, sizeof where, "%d:%d", diag.line, diag.column);
		if (strcmp(where, wrong[i].where) || strcmp(diag.message, wrong[i].message))
			fail_msg("%s\n\tis    %s: %s\n\twant  %s: %s", wrong[i].text, where, diag.message,
				 wrong[i].where, wrong[i].message);
	}
}

static module *read_module(const char *text)
{
	module *m = hlo_read_text("m", text, strlen(text), &diag);

	if (!m)
		fail_msg("%d:%d: %s", diag.line, diag.column, diag.message);
	return m;
}

/* A value is one that the parameter's type holds: nothing can be proved of others. */
static void test_values(void **state)
{
	static const char text[] = "HloModule d\nENTRY e {\n a = s8[] parameter(0)\n b = u8[] parameter(1)\n c = bf16[] parameter(2)\n"
				   " d = pred[] parameter(3)\n e = f32[] parameter(4)\n f = s64[] parameter(5)\n ROOT g = f8e4m3fn[] parameter(6)\n}\n";
	static const char *const fits[] = { "0 = -128", "0 = 127", "1 = 255", "2 = 256", "2 = 0.5", "3 = 1", "4 = 0.1", "4 = -16777216",
					    "5 = -9007199254740991", "4 = -inf", "2 = inf", "0 = x", "0 = partition-id", "2 = any" };
	static const struct { const char *line, *message; } off[] = {
		{ "0 = 128", "s8 does not hold 128" }, { "0 = 0.5", "s8 does not hold 0.5" }, { "1 = -1", "u8 does not hold -1" },
		{ "1 = 256", "u8 does not hold 256" }, { "2 = 257", "bf16 does not hold 257" }, { "2 = 0.1", "bf16 does not hold 0.1" },
		{ "3 = 2", "pred does not hold 2" }, { "4 = 16777217", "f32 does not hold 16777217" }, { "4 = 1e39", "f32 does not hold 1e39" },
		{ "0 = -inf", "s8 does not hold -inf" }, { "3 = inf", "pred does not hold inf" }, { "6 = -inf", "f8e4m3fn does not hold -inf" },
		{ "5 = 9007199254740993", "values from 2^53 on are not told apart" },
		{ "3 = x", "pred does not hold the numbers 0 to 199" }, { "0 = partition-id", "s8 does not hold the numbers 0 to 399" },
	};
	module *m = dist, *b = base;
	size_t i;

	(void)state;
	base = dist = read_module(text);
	for (i = 0; i < sizeof fits / sizeof *fits; i++)
		good(arena_printf(&memory, "mesh x=2\ninput %s\n", fits[i]));
	for (i = 0; i < sizeof off / sizeof *off; i++) {
		assert_null(bind(arena_printf(&memory, "mesh x=200 y=2\ninput %s\n", off[i].line)));
		assert_string_equal(diag.message, off[i].message);
		assert_int_equal(diag.line, 2);
	}
	assert_null(bind("base 1 = 300\n"));
	assert_string_equal(diag.message, "u8 does not hold 300");
	module_free(dist);
	dist = m;
	base = b;
}

static int setup(void **state)
{
	(void)state;
	arena_init(&memory);
	base = read_module(base_text);
	dist = read_module(dist_text);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	module_free(base);
	module_free(dist);
	arena_free(&memory);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define T(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
		T(test_counts), T(test_inputs), T(test_globs), T(test_outputs), T(test_inner), T(test_base),
		T(test_wrong), T(test_values),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
