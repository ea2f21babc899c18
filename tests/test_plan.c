/* Plans: what every line means, every message word for word, and the plans of
 * ../shared where that folder is. */
#include "plan/plan.h"

#include <ftw.h>
#include <stdarg.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#ifndef SRCDIR
#define SRCDIR "."
#endif

static arena memory;
static struct diag diag;

static const struct plan *parse(const char *text)
{
	return plan_parse(&memory, "p", text, strlen(text), &diag);
}

static const struct plan *good(const char *text)
{
	const struct plan *p = parse(text);

	if (!p)
		fail_msg("%d:%d: %s", diag.line, diag.column, diag.message);
	return p;
}

/* The only line of a plan whose mesh is dp=2 tp=4. */
static const struct plan_line *line(const char *text)
{
	const struct plan *p = good(arena_printf(&memory, "mesh dp=2 tp=4\nmesh base z=2\n%s\n", text));

	assert_int_equal(p->n, 1);
	return p->line;
}

static void assert_list(const struct plan_step *s, int n, ...)
{
	va_list ap;
	int i;

	assert_int_equal(s->n, n);
	va_start(ap, n);
	for (i = 0; i < n; i++)
		assert_int_equal(s->v[i], va_arg(ap, int));
	va_end(ap);
}

static void test_mesh(void **state)
{
	const struct plan *p = good("# a comment\n\nmesh dp=2 tp=4 # another\nmesh base dp=3\n");

	(void)state;
	assert_int_equal(p->mesh.n, 2);
	assert_string_equal(p->mesh.axis[0].name, "dp");
	assert_string_equal(p->mesh.axis[1].name, "tp");
	assert_int_equal(p->mesh.axis[1].size, 4);
	assert_int_equal(p->mesh.devices, 8);
	assert_int_equal(p->base_mesh.devices, 3);
	assert_int_equal(p->n, 0);
	p = good("mesh base=2\n");
	assert_string_equal(p->mesh.axis[0].name, "base");
	assert_int_equal(p->base_mesh.n, 0);
}

static void test_no_mesh(void **state)
{
	const struct plan *p = good("input 0 dev:S(1; 3,5)\n");

	(void)state;
	assert_int_equal(p->mesh.n, 1);
	assert_int_equal(p->mesh.axis[0].size, 0);
	assert_int_equal(p->mesh.devices, 0);
	assert_int_equal(p->line[0].step[0].axis, 0);
}

static void test_references(void **state)
{
	const struct plan_line *l = line("input 5<-3 R");

	(void)state;
	assert_int_equal(l->ref.kind, PLAN_REF_NUMBER);
	assert_int_equal(l->ref.number, 5);
	assert_int_equal(l->base.kind, PLAN_REF_NUMBER);
	assert_int_equal(l->base.number, 3);
	assert_int_equal(l->line, 3);
	l = line("input 6 <- %call.3/%dot.7 R");
	assert_int_equal(l->base.kind, PLAN_REF_INSTRUCTION);
	assert_string_equal(l->base.text, "call.3/%dot.7");
	l = line("input layers.*.q_proj.weight<-0.weight  tp:S(0)");
	assert_int_equal(l->ref.kind, PLAN_REF_NAME);
	assert_true(l->ref.glob);
	assert_true(plan_ref_matches(&l->ref, "layers.12.q_proj.weight"));
	assert_false(plan_ref_matches(&l->ref, "layers.12.k_proj.weight"));
	assert_string_equal(l->base.text, "0.weight");
	assert_false(l->base.glob);
	l = line("input p['wq'] R");
	assert_true(plan_ref_matches(&l->ref, "p['wq']"));
	assert_false(plan_ref_matches(&l->ref, "p['wq'] "));
	l = line("input \"a = b # *\" R # comment");
	assert_string_equal(l->ref.text, "a = b # *");
	assert_false(l->ref.glob);
	assert_string_equal(l->text, "input \"a = b # *\" R");
	l = line("output %a<-%b R");
	assert_int_equal(l->subject, PLAN_OUTPUT);
	assert_int_equal(l->ref.kind, PLAN_REF_INSTRUCTION);
	assert_string_equal(l->ref.text, "a");
}

static void test_globs(void **state)
{
	static const struct {
		const char *glob, *text;
		bool match;
	} t[] = {
		{ "*", "", true }, { "*", "abc", true }, { "a*c", "abbc", true }, { "a*c", "abcb", false },
		{ "a?c", "abc", true }, { "a?c", "ac", false }, { "*ab*ab", "aabab", true },
		{ "*ab*ab", "abb", false }, { "a**", "a", true }, { "a*[0]", "ab[0]", true },
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof t / sizeof *t; i++) {
		struct plan_ref r = { .kind = PLAN_REF_NAME, .glob = true, .text = t[i].glob };

		if (plan_ref_matches(&r, t[i].text) != t[i].match)
			fail_msg("glob '%s' on '%s'", t[i].glob, t[i].text);
	}
}

static void test_placements(void **state)
{
	const struct plan_line *l = line("input 0 dp:S(0) tp:S(1; 2048,512,512)");

	(void)state;
	assert_int_equal(l->form, PLAN_CHAIN);
	assert_int_equal(l->n, 2);
	assert_int_equal(l->step[0].kind, PLAN_SHARD);
	assert_int_equal(l->step[0].axis, 0);
	assert_int_equal(l->step[0].dim, 0);
	assert_int_equal(l->step[0].n, 0);
	assert_int_equal(l->step[1].axis, 1);
	assert_int_equal(l->step[1].dim, 1);
	assert_list(&l->step[1], 3, 2048, 512, 512);
	assert_int_equal(line("input 0 R")->n, 0);
	assert_int_equal(line("input 0 dp:R tp:R")->n, 0);
	l = line("input 0 tp:P(max) dp : P( or )");
	assert_int_equal(l->step[0].kind, PLAN_PARTIAL);
	assert_int_equal(l->step[0].op, PLAN_MAX);
	assert_int_equal(l->step[1].op, PLAN_OR);
	assert_string_equal(plan_op_name(PLAN_SUM), "sum");
}

static void test_steps(void **state)
{
	const struct plan_line *l = line("input 4 reshape(8,3,8) tp:S(2) reshape(8,12) transpose(1,0)");

	(void)state;
	assert_int_equal(l->n, 4);
	assert_list(&l->step[0], 3, 8, 3, 8);
	assert_int_equal(l->step[3].kind, PLAN_TRANSPOSE);
	assert_list(&l->step[3], 2, 1, 0);
	l = line("input 6 pad(0; 8) pad(1; 16; 0)");
	assert_int_equal(l->step[0].to, 8);
	assert_false(l->step[0].zero);
	assert_int_equal(l->step[1].dim, 1);
	assert_true(l->step[1].zero);
	l = line("input 9 repeat(1; 4) take(0; unit 16; 0,1,-1) ignore(0; 5,8) convert(bf16)");
	assert_int_equal(l->step[0].dim, 1);
	assert_int_equal(l->step[0].count, 4);
	assert_int_equal(l->step[1].unit, 16);
	assert_list(&l->step[1], 3, 0, 1, -1);
	assert_list(&l->step[2], 2, 5, 8);
	assert_int_equal(l->step[3].type, T_BF16);
}

static void assert_scale(const char *text, int64_t num, int64_t den)
{
	const struct plan_line *l = line(arena_printf(&memory, "input 0 scale(%s)", text));

	assert_int_equal(l->step[0].num, num);
	assert_int_equal(l->step[0].den, den);
}

static void test_scale(void **state)
{
	(void)state;
	assert_scale("4", 4, 1);
	assert_scale("-4", -4, 1);
	assert_scale("6/4", 3, 2);
	assert_scale("0.25", 1, 4);
	assert_scale("-0.5", -1, 2);
	assert_scale("-1.25", -5, 4);
}

static void test_values(void **state)
{
	const struct plan_line *l = line("input 13 = 1");

	(void)state;
	assert_int_equal(l->form, PLAN_VALUE);
	assert_true(l->value.integer);
	assert_int_equal(l->value.i, 1);
	l = line("input 13=-1.5e-1");
	assert_false(l->value.integer);
	assert_true(l->value.f == -0.15);
	assert_string_equal(l->value.text, "-1.5e-1");
	assert_int_equal(line("input 13 = partition-id")->value.kind, PLAN_VALUE_PARTITION_ID);
	assert_int_equal(line("input 13 = any")->value.kind, PLAN_VALUE_ANY);
	l = line("input 13 = tp");
	assert_int_equal(l->value.kind, PLAN_VALUE_AXIS);
	assert_int_equal(l->value.axis, 1);
	l = line("base %add.5 = any");
	assert_int_equal(l->subject, PLAN_BASE);
	assert_string_equal(l->ref.text, "add.5");
	l = line("base 7 = z");
	assert_int_equal(l->value.axis, 0);
}

static void test_ranges(void **state)
{
	const struct plan_line *l = line("input 2 in -3..63");
	const struct plan *p;

	(void)state;
	assert_int_equal(l->form, PLAN_RANGE);
	assert_int_equal(l->lo, -3);
	assert_int_equal(l->hi, 63);
	assert_int_equal(line("input 9 > 0")->form, PLAN_POSITIVE);
	assert_int_equal(line("base 9>0")->form, PLAN_POSITIVE);
	p = good("input 2 R\ninput 2 in 0..1\n");	/* a range stands beside a relation */
	assert_int_equal(p->n, 2);
}

static void test_subjects(void **state)
{
	const struct plan_line *l = line("assume %dot.7 = base %dot.3 tp:S(1)");

	(void)state;
	assert_int_equal(l->subject, PLAN_ASSUME);
	assert_string_equal(l->ref.text, "dot.7");
	assert_string_equal(l->base.text, "dot.3");
	assert_int_equal(l->n, 1);
	assert_int_equal(line("output 1 any")->form, PLAN_ANY);
	l = line("base input 0 z:S(0)");
	assert_int_equal(l->subject, PLAN_BASE_INPUT);
	assert_int_equal(l->n, 1);
	assert_int_equal(line("base output 0 R")->subject, PLAN_BASE_OUTPUT);
}

static void test_text(void **state)
{
	static const char *const chain = "dp:S(0) reshape(8,3,8) tp:S(2; 4,8) transpose(1,0) pad(0; 8) pad(1; 8; 0) "
		"scale(-3/2) scale(4) repeat(1; 4) take(0; unit 16; 0,1,-1) ignore(0; 5,8) convert(bf16)";
	const struct plan *p;

	(void)state;
	p = good(arena_printf(&memory, "mesh dp=2 tp=4\ninput 0 %s\ninput 1 R\ninput 2 tp:P(and)", chain));
	assert_string_equal(plan_chain_text(&memory, &p->mesh, p->line[0].n, p->line[0].step), chain);
	assert_string_equal(plan_chain_text(&memory, &p->mesh, p->line[1].n, p->line[1].step), "R");
	assert_string_equal(plan_chain_text(&memory, &p->mesh, p->line[2].n, p->line[2].step), "tp:P(and)");
}

static void test_layout_of_text(void **state)
{
	const struct plan *p = good("\xef\xbb\xbfmesh tp=2\r\n\t input\t0  tp:S(0)\t\r\n#end");

	(void)state;
	assert_int_equal(p->n, 1);
	assert_int_equal(p->line[0].n, 1);
	assert_string_equal(p->line[0].text, "input\t0  tp:S(0)");
}

/* A plan and the one message it gives, with its place. */
static const struct { const char *text, *where, *message; } wrong[] = {
	{ "inputs 0 R", "1:1", "cannot read 'inputs 0 R': a line begins with mesh, input, output, base or assume" },
	{ "\xff", "1:1", "cannot read '?': a line begins with mesh, input, output, base or assume" },
	{ "a23456789012345678901234567890123456789012345678901234567 \xe2\x80\x9c\xe2\x80\x9d", "1:1",
	  "cannot read 'a23456789012345678901234567890123456789012345678901234567 \xe2\x80\x9c': a line begins with mesh, input, output, base or assume" },
	{ "input 0 R\n=", "2:1", "cannot read '=': a line begins with mesh, input, output, base or assume" },
	{ "input 0 R\ninput 0 R", "2:7", "named before, in line 1" },
	{ "input 0 R\n\ninput 0<-2 R", "3:7", "named before, in line 1" },
	{ "input 0 = 1\ninput 00 R", "2:7", "named before, in line 1" },
	{ "input 0 in 1..2\ninput 0 > 0", "2:7", "named before, in line 1" },
	{ "input a.* R\ninput a.* R", "2:7", "named before, in line 1" },
	{ "output 1 R\noutput 1 any", "2:8", "named before, in line 1" },
	{ "base 1 = 1\nbase 1 = 2", "2:6", "named before, in line 1" },
	{ "mesh tp=2\ninput 0 tp:S(0) tp:S(1)", "2:17", "axis 'tp' is used twice" },
	{ "mesh tp=2\ninput 0 tp:S(0) tp:P(sum)", "2:17", "axis 'tp' is used twice" },
	{ "mesh tp=2\ninput 0 tp:R tp:S(0)", "2:14", "axis 'tp' is used twice" },
	{ "mesh tp=2\ninput 0 dp:S(0)", "2:9", "'dp' is no axis of the mesh, which has tp" },
	{ "mesh dp=2 tp=2\ninput 0 tq:S(0)", "2:9", "'tq' is no axis of the mesh, which has dp, tp" },
	{ "input 0 tp:S(0)", "1:9", "'tp' is no axis of the mesh: without a line `mesh` it is `dev`" },
	{ "mesh tp=2\nmesh base dp=2\nbase input 0 tp:S(0)", "3:14", "'tp' is no axis of the base mesh, which has dp" },
	{ "base input 0 R", "1:11", "the plan has no line 'mesh base AXIS=SIZE'" },
	{ "mesh tp=2 tp=3", "1:11", "axis 'tp' is named twice" },
	{ "mesh tp=2\nmesh dp=2", "2:1", "a second mesh; the first is in line 1" },
	{ "mesh", "1:5", "AXIS=SIZE expected at the end of the line" },
	{ "mesh 2", "1:6", "AXIS=SIZE expected, not '2'" },
	{ "mesh tp 2", "1:9", "'=' expected, not '2'" },
	{ "mesh tp=x", "1:9", "an axis size expected, not 'x'" },
	{ "mesh tp=0", "1:9", "an axis size is at least 1" },
	{ "mesh a=1 b=1 c=1 d=1 e=1 f=1 g=1 h=1 i=1 j=1 k=1 l=1 m=1 n=1 o=1 p=1 q=1 r=1 s=1 t=1 u=1 v=1 w=1 x=1 y=1 z=1 A=1 B=1 C=1 D=1 E=1 F=1 G=1",
	  "1:134", "a mesh of more than 32 axes" },
	{ "mesh a=65536 b=65536", "1:14", "a mesh of more than 2147483647 devices" },
	{ "mesh any=2", "1:6", "'any' is no name for an axis" },
	{ "mesh tp=2, dp=2", "1:10", "AXIS=SIZE expected, not ', dp=2'" },
	{ "input", "1:6", "a number or a name expected at the end of the line" },
	{ "input = 1", "1:7", "a number or a name expected, not '= 1'" },
	{ "input % R", "1:7", "a number or a name expected, not '% R'" },
	{ "input \"a R", "1:7", "a name without its closing quote" },
	{ "input \"\" R", "1:7", "a name is empty" },
	{ "input 2147483648 R", "1:7", "no program has number 2147483648" },
	{ "input 0", "1:8", "a relation (R, AXIS:S(0), = VALUE, in A..B, > 0) expected at the end of the line" },
	{ "input 0<-", "1:10", "a number or a name expected at the end of the line" },
	{ "input 0<-1 = 3", "1:10", "a value or a range has no counterpart" },
	{ "input 0<-1 in 0..3", "1:10", "a value or a range has no counterpart" },
	{ "output 0", "1:9", "a relation (R, AXIS:S(0), any) expected at the end of the line" },
	{ "output 0<-1 any", "1:11", "a value or a range has no counterpart" },
	{ "output 0 = 1", "1:10", "cannot read '= 1'" },
	{ "output 0 any R", "1:14", "cannot read 'R'" },
	{ "input 0 R in 0..3", "1:11", "cannot read 'in 0..3': a relation is made of R, AXIS:S(..), AXIS:P(..), reshape, transpose, pad, scale, repeat, take, ignore, convert" },
	{ "input 0 replicated", "1:9", "cannot read 'replicated': a relation is made of R, AXIS:S(..), AXIS:P(..), reshape, transpose, pad, scale, repeat, take, ignore, convert" },
	{ "output 0 transpos(1,0)", "1:10", "cannot read 'transpos(1,0)': a relation is made of R, AXIS:S(..), AXIS:P(..), reshape, transpose, pad, scale, repeat, take, ignore, convert" },
	{ "input 0 S(0)", "1:9", "an axis of the mesh stands before it, as in dev:S(..)" },
	{ "mesh dp=2 tp=2\noutput 0 P(avg)", "2:10", "an axis of the mesh stands before it, as in dp:P(..)" },
	{ "input 0 R, R", "1:10", "cannot read ', R'" },
	{ "input 0 = 1 2", "1:13", "cannot read '2'" },
	{ "input 0 in 0..3 x", "1:17", "cannot read 'x'" },
	{ "input 0 > 0 x", "1:13", "cannot read 'x'" },
	{ "base 0", "1:7", "= VALUE, in A..B or > 0 expected at the end of the line" },
	{ "base 0 R", "1:8", "= VALUE, in A..B or > 0 expected, not 'R'" },
	{ "mesh base z=2\nbase output 0", "2:14", "a relation (R, AXIS:S(0)) expected at the end of the line" },
	{ "assume", "1:7", "an instruction's %name expected at the end of the line" },
	{ "assume 0 = base %b R", "1:8", "an instruction's %name expected, not '0 = base %b R'" },
	{ "assume %a* = base %b R", "1:8", "an instruction is named in full here, without * and ?" },
	{ "assume %a R", "1:11", "'=' expected, not 'R'" },
	{ "assume %a = %b R", "1:13", "base expected, not '%b R'" },
	{ "assume %a = base 3 R", "1:18", "an instruction's %name expected, not '3 R'" },
	{ "assume %a = base %b", "1:20", "a relation (R, AXIS:S(0)) expected at the end of the line" },
	{ "mesh t=2\ninput 0 t:", "2:11", "S(dimension), P(op) or R expected at the end of the line" },
	{ "mesh t=2\ninput 0 t:X(0)", "2:11", "S(dimension), P(op) or R expected, not 'X(0)'" },
	{ "mesh t=2\ninput 0 t:S", "2:12", "'(' expected at the end of the line" },
	{ "mesh t=2\ninput 0 t:S(", "2:13", "a dimension expected at the end of the line" },
	{ "mesh t=2\ninput 0 t:S(-1)", "2:13", "a dimension is at least 0" },
	{ "mesh t=2\ninput 0 t:S(3000000000)", "2:13", "no tensor has dimension 3000000000" },
	{ "mesh t=2\ninput 0 t:S(0", "2:14", "')' expected at the end of the line" },
	{ "mesh t=2\ninput 0 t:S(0 1)", "2:15", "')' expected, not '1)'" },
	{ "mesh t=2\ninput 0 t:S(0;)", "2:15", "a segment expected, not ')'" },
	{ "mesh t=2\ninput 0 t:S(0; 0)", "2:16", "a segment is at least 1" },
	{ "mesh t=2\ninput 0 t:S(0; 4,5)", "2:16", "a segment of 5 is not divisible by t=2" },
	{ "mesh t=2\ninput 0 t:P(avg)", "2:13", "one of sum, max, min, and, or expected, not 'avg)'" },
	{ "input 0 reshape", "1:16", "'(' expected at the end of the line" },
	{ "input 0 reshape()", "1:17", "an extent expected, not ')'" },
	{ "input 0 reshape(0)", "1:17", "an extent is at least 1" },
	{ "input 0 reshape(2,)", "1:19", "an extent expected, not ')'" },
	{ "input 0 reshape(2x)", "1:17", "an extent expected, not '2x)'" },
	{ "input 0 reshape(9223372036854775808)", "1:17", "a number of more than 63 bits" },
	{ "input 0 transpose(0,2)", "1:19", "not a permutation of 2 dimensions" },
	{ "input 0 transpose(0,0)", "1:19", "not a permutation of 2 dimensions" },
	{ "input 0 pad(0)", "1:14", "';' expected, not ')'" },
	{ "input 0 pad(0; x)", "1:16", "a padded size expected, not 'x)'" },
	{ "input 0 pad(0; 8; 1)", "1:19", "0 (the padding holds zeros) expected, not '1)'" },
	{ "input 0 scale()", "1:15", "a number expected, not ')'" },
	{ "input 0 scale(0)", "1:15", "scale by 0 forgets the value" },
	{ "input 0 scale(0.0)", "1:15", "scale by 0 forgets the value" },
	{ "input 0 scale(1/0)", "1:17", "a denominator is at least 1" },
	{ "input 0 scale(0.12345678901234567890)", "1:15", "a number of more than 63 bits" },
	{ "input 0 repeat(1)", "1:17", "';' expected, not ')'" },
	{ "input 0 repeat(1; 0)", "1:19", "a count is at least 1" },
	{ "input 0 take(0; 16; 1)", "1:17", "unit expected, not '16; 1)'" },
	{ "input 0 take(0; unit 0; 1)", "1:22", "a unit is at least 1" },
	{ "input 0 take(0; unit 2; -2)", "1:25", "a block is at least -1" },
	{ "input 0 ignore(0; a)", "1:19", "a place expected, not 'a)'" },
	{ "input 0 convert(float)", "1:17", "an element type expected, not 'float)'" },
	{ "input 0 convert(token)", "1:17", "an element type expected, not 'token)'" },
	{ "mesh t=2\noutput 0 t:P(sum) convert(bf16)", "2:19", "the sum of rounded parts is not the rounded sum" },
	{ "input 0 =", "1:10", "a number, partition-id, an axis or any expected at the end of the line" },
	{ "input 0 = foo", "1:11", "cannot read 'foo'" },
	{ "input 0 = 1x", "1:11", "cannot read '1x'" },
	{ "input 0 = -info", "1:11", "cannot read '-info'" },
	{ "input 0 = --inf", "1:11", "cannot read '--inf'" },
	{ "input 0 = 1e999", "1:11", "cannot read '1e999'" },
	{ "input 0 in", "1:11", "a number expected at the end of the line" },
	{ "input 0 in 0", "1:13", "'..' expected at the end of the line" },
	{ "input 0 in 0..", "1:15", "a number expected at the end of the line" },
	{ "input 0 in 5..2", "1:12", "5..2 is empty" },
	{ "input 0 > 1", "1:11", "'0' expected, not '1'" },
	{ "input 0 \x01", "1:9", "cannot read '?'" },
};

static void test_wrong(void **state)
{
	char where[32];
	size_t i;

	(void)state;
	for (i = 0; i < sizeof wrong / sizeof *wrong; i++) {
		memset(&diag, 0, sizeof diag);
		if (parse(wrong[i].text))
			fail_msg("accepted: %s", wrong[i].text);
		snprintf(where, sizeof where, "%d:%d", diag.line, diag.column);
		if (strcmp(where, wrong[i].where) || strcmp(diag.message, wrong[i].message))
			fail_msg("%s\n\tis    %s: %s\n\twant  %s: %s", wrong[i].text, where, diag.message,
				 wrong[i].where, wrong[i].message);
		assert_string_equal(diag.file, "p");
	}
}

/* A file may end within a character, and is read no further. */
static void test_end_within_a_character(void **state)
{
	static const char text[] = "input 0 R\n\xe2\x80";
	size_t n = sizeof text - 1;
	char *exact = malloc(n);

	(void)state;
	assert_non_null(exact);
	memcpy(exact, text, n);
	assert_null(plan_parse(&memory, "p", exact, n, &diag));
	assert_int_equal(diag.line, 2);
	assert_string_equal(diag.message, "cannot read '\?\?': a line begins with mesh, input, output, base or assume");
	free(exact);
}

static void test_zero_byte(void **state)
{
	(void)state;
	assert_null(plan_parse(&memory, "p", "input 0 R\nin\0put", 16, &diag));
	assert_int_equal(diag.line, 2);
	assert_int_equal(diag.column, 3);
	assert_string_equal(diag.message, "a zero byte: this is no text");
}

static void test_no_file(void **state)
{
	(void)state;
	assert_null(plan_read(&memory, "/nonexistent/a.plan", &diag));
	assert_string_equal(diag.file, "/nonexistent/a.plan");
	assert_int_equal(diag.line, 0);
	assert_string_equal(diag.message, "No such file or directory");
	assert_null(plan_read(&memory, "/", &diag));
	assert_string_equal(diag.message, "is a directory");
	assert_null(plan_read(&memory, "/dev/null", &diag));
	assert_string_equal(diag.message, "the file is empty");
}

/* 40,000 lines: references are looked up, not compared one by one. */
static void test_long(void **state)
{
	enum { N = 40000 };
	char *text = malloc((size_t)N * 64), *to = text;
	const struct plan *p;
	int i;

	(void)state;
	to += sprintf(to, "mesh tp=8\n");
	for (i = 0; i < N; i++)
		to += sprintf(to, i % 2 ? "input %d<-%d tp:S(1)\n" : "input layers.%d.weight tp:S(0) # %d\n", i, i);
	p = good(text);
	assert_int_equal(p->n, N);
	to += sprintf(to, "input layers.8.weight R\n");
	assert_null(parse(text));
	assert_string_equal(diag.message, "named before, in line 10");
	assert_int_equal(diag.line, N + 2);
	free(text);
}

static void make_file(const char *folder, const char *name)
{
	FILE *f = fopen(arena_printf(&memory, "%s/%s", folder, name), "w");

	assert_non_null(f);
	fclose(f);
}

static void test_beside(void **state)
{
	static const struct { const char *program, *plan; } t[] = {
		{ "x.hlo", "x.plan" }, { "x.dist.hlo", "x.plan" }, { "x.dist.hlo.gz", "x.plan" },
		{ "x.broken.hlo", "x.broken.plan" }, { "x.broken.pb.gz", "x.broken.plan" },
		{ "x", NULL }, { "y.dist.hlo", NULL }, { ".hlo", NULL }, { "x.a.dist.hlo", NULL },
	};
	char folder[] = "/tmp/diverge.plan-XXXXXX", *got;
	size_t i;

	(void)state;
	assert_non_null(mkdtemp(folder));
	make_file(folder, "x.plan");
	make_file(folder, "x.broken.plan");
	for (i = 0; i < sizeof t / sizeof *t; i++) {
		got = plan_beside(&memory, arena_printf(&memory, "%s/%s", folder, t[i].program));
		if (!got != !t[i].plan || (got && strcmp(got + strlen(folder) + 1, t[i].plan)))
			fail_msg("%s: %s", t[i].program, got ? got : "none");
	}
	unlink(arena_printf(&memory, "%s/x.plan", folder));
	unlink(arena_printf(&memory, "%s/x.broken.plan", folder));
	rmdir(folder);
}

static int shared_plans;

static int read_shared(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	const char *dot = strrchr(path, '.');

	(void)st;
	(void)ftw;
	if (type != FTW_F || !dot || strcmp(dot, ".plan"))
		return 0;
	shared_plans++;
	if (!plan_read(&memory, path, &diag))
		fail_msg("%s:%d:%d: %s", diag.file, diag.line, diag.column, diag.message);
	return 0;
}

static void test_shared(void **state)
{
	(void)state;
	nftw(SRCDIR "/../shared/.", read_shared, 8, FTW_PHYS);
	if (!shared_plans)
		skip();
}

static int setup(void **state)
{
	(void)state;
	arena_init(&memory);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	arena_free(&memory);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define T(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
		T(test_mesh), T(test_no_mesh), T(test_references), T(test_globs), T(test_placements),
		T(test_steps), T(test_scale), T(test_values), T(test_ranges), T(test_subjects), T(test_text),
		T(test_layout_of_text), T(test_wrong), T(test_zero_byte), T(test_end_within_a_character), T(test_no_file), T(test_long),
		T(test_beside), T(test_shared),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
