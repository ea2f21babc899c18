/* HLO text: every form that notes on real files list, every message word for
 * word, and the files of ../shared where that folder is. */
#include <ftw.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>
#include "hlo/hlo_print.h"
#include "hlo/hlo_text.h"
#include "hlo/module.h"

#ifndef SRCDIR
#define SRCDIR "."
#endif

static char said[1200];

static module *parse(const char *text)
{
	struct diag d;
	module *m = hlo_read_text("t.hlo", text, strlen(text), &d);

	*said = 0;
	if (!m)
		diag_text(&d, said, sizeof said);
	return m;
}

static module *good(const char *text)
{
	module *m = parse(text);

	if (!m)
		fail_msg("%s", said);
	return m;
}

static void bad(const char *text, const char *message)
{
	module *m = parse(text);

	if (m)
		fail_msg("accepted: %s", text);
	assert_string_equal(said, message);
}

static void warned(const module *m, const char *message)
{
	for (int k = 0; k < m->nwarning; k++)
		if (!strcmp(m->warning[k], message))
			return;
	fail_msg("no warning: %s (but %s)", message, m->nwarning ? m->warning[0] : "none");
}

/* The root of a module whose entry computation has these lines. */
static const inst *root_of(module **m, const char *lines)
{
	char text[4096];

	snprintf(text, sizeof text, "HloModule m\nENTRY e {\n%s\n}\n", lines);
	*m = good(text);
	return (*m)->entry->root;
}

static void bad_lines(const char *lines, const char *message)
{
	char text[4096];

	snprintf(text, sizeof text, "HloModule m\nENTRY e {\n%s\n}\n", lines);
	bad(text, message);
}

/* ---- modules and computations ---- */

static void long_form(void **state)
{
	module *m = good("HloModule jit_f, is_scheduled=true, entry_computation_layout={(f32[4]{0})->f32[4]{0}}, num_partitions=4, "
			 "replica_count=2, frontend_attributes={xla.sdy.meshes={mesh = #sdy.mesh<[\"tp\"=2]>}}\n\n"
			 "%add (a: f32[], b: f32[]) -> f32[] {\n  %a = f32[] parameter(0)\n  %b = f32[] parameter(1)\n"
			 "  ROOT %s = f32[] add(f32[] %a, f32[] %b)\n}, execution_thread=\"main\"\n\n"
			 "ENTRY %main.5 (x: f32[4]) -> f32[] {\n  %x = f32[4]{0} parameter(0), sharding={replicated}\n"
			 "  %c = f32[] constant(0)\n"
			 "  ROOT %r = f32[] reduce(f32[4]{0} %x, f32[] %c), dimensions={0}, to_apply=%add\n}\n");

	(void)state;
	assert_string_equal(m->name, "jit_f");
	assert_int_equal(m->num_partitions, 4);
	assert_int_equal(m->replica_count, 2);
	assert_int_equal(m->nattr, 5);
	assert_string_equal(m->attr[4].text, "{xla.sdy.meshes={mesh = #sdy.mesh<[\"tp\"=2]>}}");
	assert_int_equal(m->ncomp, 2);
	assert_string_equal(m->entry->name, "main.5");
	assert_ptr_equal(inst_comp(m->entry->root, "to_apply"), module_comp(m, "add"));
	assert_int_equal(m->entry->root->line, 12);
	assert_int_equal(m->entry->root->column, 8);
	assert_int_equal(m->nwarning, 0);
	module_free(m);
}

static void short_form(void **state)
{
	module *m = good("\r\nregion_0.1 {\r\n  p0 = f32[] parameter(0)\r\n  p1 = f32[] parameter(1)\r\n"
			 "  ROOT add.1 = f32[] add(p0, p1)\r\n}\r\n"
			 "main {\r\n  replicated.3 = f32[2,/*i*/3]{1,0} parameter(0) // note\r\n"
			 "  zero = f32[] constant(0)\r\n"
			 "  red = f32[2] reduce(replicated.3, zero), dimensions={1}, to_apply=region_0.1\r\n}\r\n");

	(void)state;
	assert_string_equal(m->name, "");
	assert_string_equal(m->entry->name, "main");
	assert_string_equal(m->entry->root->name, "red");
	assert_string_equal(m->entry->param[0]->name, "replicated.3");
	module_free(m);
}

static void one_line(void **state)
{
	module *m = good("ENTRY e { a = f32[2] parameter(0) ROOT b = f32[2] negate(a), metadata={op_name=\"n\"} }");

	(void)state;
	assert_string_equal(m->entry->root->op_name, "n");
	module_free(m);
}

static void nested_forms(void **state)
{
	module *m;
	const inst *r = root_of(&m, " p = f32[2] parameter(0)\n z = f32[] constant(0)\n"
		"ROOT r = f32[] reduce(add(p, f32[2] multiply(f32[2] p, p)), z), dimensions={0}, to_apply={\n"
		"  a = f32[] parameter(0)\n  b = f32[] parameter(1)\n  ROOT c = f32[] maximum(a, b)\n}");

	(void)state;
	assert_int_equal(r->operand[0]->opcode, OP_ADD);
	assert_int_equal(r->operand[0]->operand[1]->opcode, OP_MULTIPLY);
	assert_int_equal(inst_comp(r, "to_apply")->root->opcode, OP_MAXIMUM);
	assert_string_equal(inst_comp(r, "to_apply")->name, "e.r.to_apply");
	module_free(m);
}

static void out_of_order(void **state)
{
	module *m;
	const inst *r = root_of(&m, "ROOT r = f32[2] add(n, p)\n n = f32[2] negate(p)\n p = f32[2] parameter(0)");

	(void)state;
	assert_string_equal(m->entry->inst[0]->name, "p");
	assert_string_equal(m->entry->inst[1]->name, "n");
	assert_ptr_equal(m->entry->inst[2], r);
	assert_int_equal(r->index, 2);
	assert_string_equal(r->operand[0]->name, "n");
	module_free(m);
}

static void fragment(void **state)
{
	module *m = good("ENTRY %e (p: f32[2], q: f32[3]) -> f32[9] {\n\n  %p = f32[2] parameter(0)\n  %n = f32[2] negate(%p)\n");

	(void)state;
	assert_int_equal(m->entry->nparam, 2);
	assert_string_equal(m->entry->param[1]->name, "q");
	assert_string_equal(m->entry->root->name, "n");
	warned(m, "t.hlo:5:1: the file ends inside %e; its result is taken to be %n");
	warned(m, "t.hlo:1:7: 1 parameter of %e added from its header");
	module_free(m);
}

static void several_modules(void **state)
{
	module *m = good("HloModule a\nENTRY e { ROOT c = f32[] constant(1) }\n// -----\nHloModule b\nENTRY e { }");

	(void)state;
	assert_string_equal(m->name, "a");
	warned(m, "t.hlo:4:1: more modules follow; only the first is read");
	module_free(m);
}

static void log_prefixes(void **state)
{
	module *m = good("I0521 12:04:45.883483    1509 x.cc:186] HloModule m\n"
			 "I0521 12:04:45.883484    1509 x.cc:187] ENTRY e {\n"
			 "I0521 12:04:45.883485    1509 x.cc:188]   ROOT c = f32[] constant(1)\n}\n");

	(void)state;
	assert_int_equal(m->entry->root->line, 3);
	assert_int_equal(m->entry->root->column, 48);
	module_free(m);
}

/* ---- shapes ---- */

static void shapes(void **state)
{
	module *m;
	arena *a;
	const shape *s = root_of(&m, "ROOT t = ((f32[2,3]{0,1:T(8,128)(2,1)}, s32[]), /*index=1*/bf16[<=8,2]{1,0}, pred[0], token[], "
				 "b(f32[4]), f32[?,2]) custom-call(), custom_call_target=\"x\"")->shape;

	(void)state;
	a = &m->arena;
	assert_string_equal(shape_text(a, s), "((f32[2,3], s32[]), bf16[<=8,2], pred[0], token[], b(f32[4]), f32[?,2])");
	assert_int_equal(s->type, T_TUPLE);
	assert_true(s->dynamic);
	assert_true(s->elem[0]->elem[0]->tiled);
	assert_int_equal(s->elem[0]->elem[0]->minor_to_major[0], 0);
	assert_string_equal(s->elem[0]->elem[0]->layout, "{0,1:T(8,128)(2,1)}");
	assert_null(s->elem[1]->minor_to_major);
	assert_true(s->elem[1]->bounded[0]);
	assert_false(s->elem[1]->bounded[1]);
	assert_int_equal(shape_elements(s->elem[2]), 0);
	assert_int_equal(shape_elements(s->elem[5]), -1);
	module_free(m);
}

/* ---- constants ---- */

static const literal *constant(module **m, const char *text)
{
	char line[512];

	snprintf(line, sizeof line, "ROOT c = %s", text);
	return root_of(m, line)->literal;
}

static void integers(void **state)
{
	module *m;
	const literal *x = constant(&m, "s32[2,3]{0,1} constant({ { 1, -2, 3 }, { 4, 5, 2147483647 } })");

	(void)state;
	assert_int_equal(x->count, 6);
	assert_false(x->splat);
	assert_int_equal(x->i[1], -2);
	assert_int_equal(x->i[3], 4);
	assert_int_equal(x->i[5], INT32_MAX);
	module_free(m);
	x = constant(&m, "u64[] constant(18446744073709551615)");
	assert_int_equal((uint64_t)x->i[0], UINT64_MAX);
	module_free(m);
	x = constant(&m, "pred[3] constant({1, true, 1})");
	assert_true(x->splat);
	assert_int_equal(x->count, 3);
	assert_int_equal(x->i[0], 1);
	module_free(m);
}

static void one_float(const char *text, double want)
{
	module *m;
	const literal *x = constant(&m, text);

	assert_true(x->f[0] == want);
	module_free(m);
}

static void floats(void **state)
{
	module *m;
	const literal *x = constant(&m, "f32[5] constant({-0, nan, -inf, 1e-05, -nan(0x7fc00001)})");

	(void)state;
	assert_true(signbit(x->f[0]));
	assert_true(isnan(x->f[1]) && !signbit(x->f[1]));
	assert_true(x->f[2] == -INFINITY);
	assert_true(x->f[3] == (float)1e-05);
	assert_true(isnan(x->f[4]) && signbit(x->f[4]));
	module_free(m);
	one_float("bf16[] constant(3.734)", 3.734375);
	one_float("f16[] constant(0.1)", 0x1.998p-4);
	one_float("f16[] constant(6e-8)", 0x1p-24);
	one_float("f64[] constant(0.1)", 0.1);
	one_float("f32[] constant(0.1)", 0x1.99999ap-4);
	one_float("f8e4m3fn[] constant(17)", 16);
	one_float("f8e5m2[] constant(1.2)", 1.25);
	one_float("f8e8m0fnu[] constant(3.5)", 4);
	one_float("f4e2m1fn[] constant(-2.5)", -2);
	x = constant(&m, "c64[2] constant({(1, -2), (0.5, inf)})");
	assert_int_equal(x->count, 2);
	assert_true(x->f[1] == -2 && x->f[2] == 0.5 && x->f[3] == INFINITY);
	module_free(m);
	x = constant(&m, "f8e4m3fn[4] constant({1, -inf, inf, nan})");
	assert_true(isnan(x->f[1]) && isnan(x->f[3]));
	warned(m, "t.hlo:3:35: f8e4m3fn has no infinity: it is read as nan");
	assert_int_equal(m->nwarning, 1);
	module_free(m);
	x = constant(&m, "f8e5m2[2] constant({nan, inf})");
	assert_true(x->f[1] == INFINITY);
	assert_int_equal(m->nwarning, 0);
	module_free(m);
}

static void elided(void **state)
{
	module *m;
	const literal *x = constant(&m, "f32[1000,1000] constant({...})");

	(void)state;
	assert_true(x->elided);
	assert_int_equal(x->count, 1000000);
	assert_null(x->f);
	module_free(m);
	x = constant(&m, "(s32[2], (f32[], f32[4])) constant(( {1, 2}, ( 3, {...} ) ))");
	assert_false(x->elided);
	assert_int_equal(x->elem[0]->i[1], 2);
	assert_true(x->elem[1]->elem[1]->elided);
	module_free(m);
	x = constant(&m, "f32[2,0] constant({ {}, {} })");
	assert_int_equal(x->count, 0);
	module_free(m);
}

/* ---- attributes ---- */

static const attr *attribute(module **m, const char *text)
{
	char line[1024];

	snprintf(line, sizeof line, "ROOT c = f32[4] custom-call(), custom_call_target=\"t\", %s", text);
	return &root_of(m, line)->attr[1];
}

static void groups_are(const char *text, int ngroup, int size, const char *ids)
{
	char line[512], got[512] = "";
	module *m;
	const groups *g;

	snprintf(line, sizeof line, "replica_groups=%s", text);
	g = attribute(&m, line)->groups;
	assert_int_equal(g->ngroup, ngroup);
	for (int k = 0; k < ngroup * size; k++)
		snprintf(got + strlen(got), sizeof got - strlen(got), "%s%d", k ? "," : "", (int)g->id[k]);
	assert_string_equal(got, ids);
	assert_string_equal(g->text, text);
	for (int k = 0; k < ngroup; k++)
		assert_int_equal(g->size[k], size);
	module_free(m);
}

static void group_forms(void **state)
{
	(void)state;
	groups_are("{{0,1},{2,3}}", 2, 2, "0,1,2,3");
	groups_are("{}", 0, 0, "");
	groups_are("[2,4]<=[8]", 2, 4, "0,1,2,3,4,5,6,7");
	groups_are("[4,2]<=[2,2,2]T(0,2,1)", 4, 2, "0,2,1,3,4,6,5,7");
	groups_are("[4,2]<=[4,2]T(1,0)", 4, 2, "0,2,4,6,1,3,5,7");
	groups_are("mesh['axis_0'=2,'axis_1'=4] {'axis_1'}", 2, 4, "0,1,2,3,4,5,6,7");
	groups_are("mesh['a'=2,'b'=4] {'a'}", 4, 2, "0,4,1,5,2,6,3,7");
	groups_are("mesh['a'=2,'b'=2,'c'=1] {'b','a'}", 1, 4, "0,2,1,3");
	groups_are("mesh['a'=2,'b'=2,'c'=1] {'c','b'}", 2, 2, "0,1,2,3");
	groups_are("mesh['a'=8] {'a':(2)2}", 4, 2, "0,2,1,3,4,6,5,7");
	groups_are("mesh['a'=2,'b'=2], device_ids=(0,2,1,3) {'b'}", 2, 2, "0,2,1,3");
	groups_are("mesh['a'=2,'b'=2], device_ids=([2,2]T(1,0)) {'b'}", 2, 2, "0,2,1,3");
	groups_are("@mesh<a=2,b=2>(3,2,1,0) {a}", 2, 2, "3,1,2,0");
	groups_are("maximal_mesh[device_id=5] {}", 1, 1, "5");
}

static void sharding_is(const char *text, const char *want)
{
	char line[512], got[512] = "";
	module *m;
	const sharding *s;
	int64_t n = 1;

	snprintf(line, sizeof line, "sharding=%s", text);
	s = attribute(&m, line)->sharding;
	assert_int_equal(s->kind, SH_TILED);
#define SAY(...) snprintf(got + strlen(got), sizeof got - strlen(got), __VA_ARGS__)
	for (int k = 0; k < s->ntile; n *= s->tile[k++])
		SAY("%s%d", k ? "x" : "", (int)s->tile[k]);
	for (int k = 0; k < s->nsub; k++)
		SAY(" sub%d", s->sub[k]);
	SAY(":");
	for (int k = 0; k < n; k++)
		SAY(" %d", (int)s->devices[k]);
#undef SAY
	assert_string_equal(got, want);
	module_free(m);
}

static void sharding_forms(void **state)
{
	module *m;
	const sharding *s;

	(void)state;
	sharding_is("{devices=[2,2]0,2,1,3}", "2x2: 0 2 1 3");
	sharding_is("{devices=[2,1,2]<=[2,2]T(1,0) last_tile_dim_replicate}", "2x1x2 sub0: 0 2 1 3");
	sharding_is("{devices=[2,1,2]<=[4] last_tile_dims={manual} metadata={op_name=\"x\"}}", "2x1x2 sub2: 0 1 2 3");
	sharding_is("{devices=[2,2]<=[4] shard_as 7}", "2x2: 0 1 2 3");
	sharding_is("{mesh['a'=2,'b'=4], [{'a'}, {'b':(2)2, ?}]}", "2x2x2 sub0: 0 2 1 3 4 6 5 7");
	sharding_is("{mesh['a'=2,'b'=2], [{}, {'b'}], unreduced=[sum]{'a'}}", "1x2x2 sub4: 0 2 1 3");
	s = attribute(&m, "sharding={{replicated}, {maximal device=3}, {manual}, {unknown}, {maximal_mesh[device_id=5]}}")->sharding;
	assert_int_equal(s->kind, SH_TUPLE);
	assert_int_equal(s->n, 5);
	assert_int_equal(s->elem[1]->device, 3);
	assert_int_equal(s->elem[2]->kind, SH_MANUAL);
	assert_int_equal(s->elem[3]->kind, SH_UNKNOWN);
	assert_int_equal(s->elem[4]->kind, SH_MAXIMAL);
	assert_int_equal(s->elem[4]->device, 5);
	assert_int_equal(module_devices_named(m), 6);
	module_free(m);
	s = attribute(&m, "sharding={}")->sharding;
	assert_int_equal(s->kind, SH_TUPLE);
	assert_int_equal(s->n, 0);
	module_free(m);
}

static void typed_values(void **state)
{
	module *m;
	const attr *x = attribute(&m, "window={size=3x2 stride=1x2 pad=-1_2x0_0 rhs_dilate=1x3 rhs_reversal=0x1}");
	const int64_t want[2][WINDOW_FIELDS] = { { 3, 1, -1, 2, 1, 1, 0 }, { 2, 2, 0, 0, 1, 3, 1 } };

	(void)state;
	assert_int_equal(x->n, 2);
	assert_memory_equal(x->ints, want, sizeof want);
	module_free(m);
	x = attribute(&m, "padding=0_1x-2_2_1");
	assert_int_equal(x->n, 2);
	assert_int_equal(x->ints[3], -2);
	assert_int_equal(x->ints[5], 1);
	module_free(m);
	x = attribute(&m, "slice={[0:5], [1:8:2]}");
	assert_int_equal(x->n, 2);
	assert_int_equal(x->ints[2], 1);
	assert_int_equal(x->ints[5], 2);
	module_free(m);
	x = attribute(&m, "source_target_pairs={{0,1},{1,0}}");
	assert_int_equal(x->kind, ATTR_PAIRS);
	assert_int_equal(x->n, 2);
	module_free(m);
	x = attribute(&m, "literal=s32[2] {4, 5}");
	assert_int_equal(x->literal->i[1], 5);
	module_free(m);
	x = attribute(&m, "epsilon=1e-05");
	assert_true(x->real == 1e-05);
	module_free(m);
	x = attribute(&m, "use_global_device_ids=true");
	assert_int_equal(x->kind, ATTR_BOOL);
	assert_int_equal(x->ints[0], 1);
	module_free(m);
	x = attribute(&m, "dim_labels=bf01_oi01->bf01");
	assert_string_equal(x->text, "bf01_oi01->bf01");
	module_free(m);
}

static void text_values(void **state)
{
	module *m;
	const attr *x = attribute(&m, "backend_config=\"a\\\"b\\n\\x41\\101\"");

	(void)state;
	assert_int_equal(x->kind, ATTR_STRING);
	assert_string_equal(x->text, "a\"b\nAA");
	module_free(m);
	x = attribute(&m, "backend_config={\"known_trip_count\":{\"n\":\"32\"},\"s\":\"}\"}");
	assert_int_equal(x->kind, ATTR_RAW);
	assert_string_equal(x->text, "{\"known_trip_count\":{\"n\":\"32\"},\"s\":\"}\"}");
	module_free(m);
	x = attribute(&m, "frontend_attributes={neff_input_names=\"input3\",composite.attributes={n = 1 : i32}}, xyz={1,{2}} 3");
	assert_string_equal(x->text, "{neff_input_names=\"input3\",composite.attributes={n = 1 : i32}}");
	assert_string_equal(x[1].text, "{1,{2}} 3");
	warned(m, "t.hlo:3:140: unknown attribute xyz=, taken to change nothing");
	assert_int_equal(x[1].kind, ATTR_UNKNOWN);
	assert_int_equal(m->nwarning, 1);
	module_free(m);
	x = attribute(&m, "control-predecessors={a,%b}");
	assert_string_equal(x->text, "{%a, %b}");
	module_free(m);
}

/* An attribute that nobody knows may say anything: what has it is no longer the operation of that name, wherever it stands. */
static void unknown_attribute(void **state)
{
	module *m;
	const inst *r = root_of(&m, "p = f32[2] parameter(0), odd=1\nq = f32[2] add(p, p), rounding=up\nt = (f32[2], f32[2]) tuple(q, p), kept=2\n"
				    "c = f32[2] custom-call(q), custom_call_target=\"f\", other=3\nROOT r = f32[2] add(q, c), backend_config=\"x\"");
	const inst *q = r->operand[0];

	(void)state;
	assert_int_equal(q->opcode, OP_UNKNOWN);
	assert_string_equal(q->opname, "add/rounding");
	assert_int_equal(r->opcode, OP_ADD);
	assert_int_equal(q->operand[0]->opcode, OP_PARAMETER);
	assert_int_equal(r->operand[1]->opcode, OP_CUSTOM_CALL);
	warned(m, "t.hlo:3:26: unknown attribute odd=, taken to change nothing");
	module_free(m);
}

static void unknown_opcode(void **state)
{
	module *m;
	const inst *r = root_of(&m, "p = f32[2] parameter(0)\nq = f32[2] frobnicate(p, p), level=3\nROOT r = f32[2] frobnicate(q)");

	(void)state;
	assert_int_equal(r->opcode, OP_UNKNOWN);
	assert_string_equal(r->opname, "frobnicate");
	assert_string_equal(r->operand[0]->attr[0].text, "3");
	assert_int_equal(m->nwarning, 2);
	warned(m, "t.hlo:4:12: unknown opcode frobnicate");
	module_free(m);
}

/* ---- tuples ---- */

static void compact_elements(void **state)
{
	module *m;
	const inst *r = root_of(&m, "t = ((f32[2], s32[]), f32[2]) parameter(0)\n"
		"ROOT r = f32[2] add(%t#0#0, f32[2] t#1)\ns = s32[] negate(%t#0#1)");

	(void)state;
	assert_string_equal(r->operand[0]->name, "t#0#0");
	assert_int_equal(r->operand[0]->opcode, OP_GET_TUPLE_ELEMENT);
	assert_int_equal(r->operand[0]->number, 0);
	assert_string_equal(r->operand[0]->operand[0]->name, "t#0");
	assert_string_equal(r->operand[1]->operand[0]->name, "t");
	assert_int_equal(m->entry->ninst, 7);	/* t#0 is made once */
	module_free(m);
	r = root_of(&m, "ROOT r = f32[2] negate(%t#1)\nt = (s32[], f32[2]) parameter(0)");
	assert_string_equal(r->operand[0]->name, "t#1");
	assert_ptr_equal(m->entry->inst[2], r);
	module_free(m);
}

static void async_pairs(void **state)
{
	module *m;
	const inst *r = root_of(&m, "p = f32[4] parameter(0)\n"
		"s = ((f32[4]), f32[4], u32[]) all-to-all-start(p), replica_groups={{0,1}}, dimensions={0}\n"
		"ROOT d = f32[4] all-to-all-done(s)");
	const inst *start = r->operand[0], *inner;

	(void)state;
	assert_int_equal(r->opcode, OP_ASYNC_DONE);
	assert_int_equal(start->opcode, OP_ASYNC_START);
	assert_string_equal(start->opname, "all-to-all-start");
	inner = inst_comp(start, "calls")->root;
	assert_int_equal(inner->opcode, OP_ALL_TO_ALL);
	assert_int_equal(inst_attr(inner, "replica_groups")->groups->size[0], 2);
	assert_string_equal(shape_text(&m->arena, inner->shape), "f32[4]");
	assert_int_equal(inner->operand[0]->opcode, OP_PARAMETER);
	module_free(m);
	r = root_of(&m, "p = f32[4] parameter(0)\ns = (f32[4], f32[8]) all-gather-start(p), replica_groups={{0,1}}, dimensions={0}\n"
		    "ROOT d = f32[8] all-gather-done(s)");
	assert_int_equal(r->operand[0]->opcode, OP_ALL_GATHER_START);
	module_free(m);
}

static void missing_shapes(void **state)
{
	module *m;
	const inst *r = root_of(&m, "p = f32[4,8] parameter(0)\nq = f32[8,2] parameter(1)\n"
		"d = dot(p, q), lhs_contracting_dims={1}, rhs_contracting_dims={0}\nt = transpose(d), dimensions={1,0}\n"
		"ROOT r = tuple(t, %s)\ns = compare(d, d), direction=LT");

	(void)state;
	assert_string_equal(shape_text(&m->arena, r->shape), "(f32[2,4], pred[4,2])");
	module_free(m);
}

/* ---- where things come from ---- */

static void stack_tables(void **state)
{
	module *m = good("HloModule m\n\nFileNames\n1 \"model.py\"\n2 \"tr\\\"ain.py\"\n\nFunctionNames\n1 \"loss_fn\"\n\nFileLocations\n"
		"1 {file_name_id=2 function_name_id=0 line=7 end_line=7 column=1 end_column=9}\n"
		"2 {file_name_id=1 function_name_id=1 line=17 end_line=18 column=8 end_column=31}\n\nStackFrames\n"
		"1 {file_location_id=1 parent_frame_id=1}\n2 {file_location_id=2 parent_frame_id=2}\n\n"
		"ENTRY e {\n  a = f32[] constant(1), metadata={op_name=\"x\" stack_frame_id=2}\n"
		"  ROOT b = f32[] negate(a), metadata={op_type=\"neg\", op_name=\"jit(f)/neg[a=\\'b\\']\", profile_type={1,2} "
		"scheduling_name=\"s\" stack_frame_id=0}\n}\n");
	const frame *f = m->entry->inst[0]->frame;
	const inst *b = m->entry->root;

	(void)state;
	assert_string_equal(f->file, "model.py");
	assert_string_equal(f->function, "loss_fn");
	assert_int_equal(f->line, 17);
	assert_int_equal(f->end_line, 18);
	assert_int_equal(f->column, 8);
	assert_int_equal(f->end_column, 31);
	assert_string_equal(f->parent->file, "tr\"ain.py");
	assert_null(f->parent->function);
	assert_null(f->parent->parent);
	assert_string_equal(b->op_type, "neg");
	assert_string_equal(b->op_name, "jit(f)/neg[a='b']");
	assert_string_equal(b->metadata, "profile_type={1,2} scheduling_name=\"s\"");
	assert_null(b->frame);
	module_free(m);
}

static void broken_tables(void **state)
{
	module *m = good("HloModule m\nFileNames\n1 \"a.py\"\nFunctionNames\nFileLocations\n"
		"1 {file_name_id=1 function_name_id=0 line=7 end_line=7 column=1 end_column=9}\nStackFrames\n"
		"1 {file_location_id=1 parent_frame_id=3}\n2 {file_location_id=1 parent_frame_id=2}\n"
		"3 {file_location_id=9 parent_frame_id=1}\n4 {file_location_id=1 parent_frame_id=1}\n"
		"ENTRY e {\n  a = f32[] constant(1), metadata={stack_frame_id=2}\n  ROOT b = f32[] negate(a), metadata={stack_frame_id=4}\n}\n");

	(void)state;
	warned(m, "t.hlo:7:1: 3 of 4 stack frames lead nowhere or in a circle and are dropped");
	assert_null(m->entry->inst[0]->frame);
	assert_int_equal(m->entry->root->frame->line, 7);
	module_free(m);
}

static void inline_places(void **state)
{
	module *m;
	const inst *r = root_of(&m, "ROOT a = f32[] constant(1), metadata={op_name=\"x\" source_file=\"/a/b.py\" source_line=12 "
				"source_end_line=13 source_column=4 source_end_column=5}");

	(void)state;
	assert_string_equal(r->frame->file, "/a/b.py");
	assert_int_equal(r->frame->line, 12);
	assert_int_equal(r->frame->end_line, 13);
	assert_int_equal(r->frame->column, 4);
	assert_null(r->frame->parent);
	module_free(m);
}

static void packed_stacks(void **state)
{
	module *m;
	const inst *r = root_of(&m, "a = f32[] constant(1), metadata={op_type=\"<module>\" source_file=\"/t/test.py\\n----\\n[\\'/t/test.py:46\\', "
		"\\'/t/attention.py:124\\', \\'/t/hlo.py:1935\\']\" source_line=46}\n"
		"ROOT b = f32[] negate(a), metadata={source_file=\"/t/test.py\\n----\\n[\\'/t/test.py:46\\', \\'/t/attention.py:127\\']\" source_line=46}");
	const frame *f = r->operand[0]->frame;

	(void)state;
	assert_string_equal(f->file, "/t/hlo.py");
	assert_int_equal(f->line, 1935);
	assert_string_equal(f->parent->file, "/t/attention.py");
	assert_int_equal(f->parent->line, 124);
	assert_int_equal(f->parent->parent->line, 46);
	assert_null(f->parent->parent->parent);
	assert_ptr_equal(r->frame->parent, f->parent->parent);
	module_free(m);
}

/* Stacks that begin alike share their frames as far as whole frames agree, whatever their order. */
static void stacks_alike(void **state)
{
	static const char *const list[] = {
		"[\\'a.py:1\\', \\'b.py:2\\', \\'c.py:3\\']", "[\\'a.py:1\\', \\'b.py:2\\', \\'d.py:4\\']",
		"[\\'a.py:1\\', \\'b.py:21\\']", "[\\'a.py:1\\']", "[\\'a.py:1\\', \\'b.py:2\\', \\'c.py:3\\', \\'c.py:3\\']",
		"[\\'a.py\\', \\'b.py:2\\']", "[\\'a.py\\', \\'b.py:2\\', \\'c.py:3\\']", "[\\'b.py:2\\', \\'c.py:3\\']", "[",
		"['a\\tb\\\\.py:1', \\'b.py:2\\']", "['a\\tb\\\\.py:1', 'b:\\\\'",
		"[\\'a.py:1\\', \\'b.py:2\\', \\'c.py:3\\']",
	};
	static const char *const want[] = {
		"c.py:3 b.py:2 a.py:1 ", "d.py:4 b.py:2 a.py:1 ", "b.py:21 a.py:1 ", "a.py:1 ", "c.py:3 c.py:3 b.py:2 a.py:1 ",
		"b.py:2 ", "c.py:3 b.py:2 ", "c.py:3 b.py:2 ", "t.py:7 ", "b.py:2 a\tb\\.py:1 ", "b:0 a\tb\\.py:1 ",
		"c.py:3 b.py:2 a.py:1 ",
	};
	enum { N = sizeof list / sizeof *list };
	char text[4096] = "", said[200];
	const frame *f[N];
	module *m;

	(void)state;
	for (int k = 0; k < N; k++)
		sprintf(text + strlen(text), "%sc%d = f32[] constant(1), metadata={source_file=\"t.py\\n----\\n%s\" source_line=7}\n",
			k == N - 1 ? "ROOT " : "", k, list[k]);
	root_of(&m, text);
	for (int k = 0; k < N; k++) {
		f[k] = m->entry->inst[k]->frame;
		said[0] = 0;
		for (const frame *p = f[k]; p; p = p->parent)
			sprintf(said + strlen(said), "%s:%d ", p->file, p->line);
		assert_string_equal(said, want[k]);
	}
	assert_ptr_equal(f[0]->parent, f[1]->parent);
	assert_ptr_equal(f[2]->parent, f[3]);
	assert_ptr_equal(f[4]->parent, f[0]);
	assert_ptr_equal(f[6], f[7]);
	assert_ptr_equal(f[N - 1], f[0]);
	module_free(m);
}

static void escapes(void **state)
{
	module *m;
	const inst *r = root_of(&m, "ROOT a = f32[] constant(1), metadata={op_name=\"\\\\\" op_type=\"a\\\"b\\\\\\\"\\x41\\102\\000c\\td\"}");

	(void)state;
	assert_string_equal(r->op_name, "\\");
	assert_string_equal(r->op_type, "a\"b\\\"ABc\td");
	module_free(m);
}

/* ---- what is refused ---- */

static void bad_modules(void **state)
{
	(void)state;
	bad("", "t.hlo:1:1: no computation in this file");
	bad("HloModule m\n", "t.hlo:2:1: no computation in this file");
	bad("HloModule m, ", "t.hlo:1:14: expected a header attribute, found the end of the file");
	bad("HloModule m, num_partitions=2ENTRY e { }", "t.hlo:1:30: expected nothing but a number");
	bad("HloModule m, replica_count=4294967296, num_partitions=4294967296\nENTRY e { }", "t.hlo:1:28: expected a number from 0 to 2147483647");
	bad("HloModule m, num_partitions=-2\nENTRY e { }", "t.hlo:1:29: expected a number from 0 to 2147483647");
	bad("HloModule m, a=", "t.hlo:1:16: expected a value, found the end of the file");
	bad("42", "t.hlo:1:1: expected a computation, found '42'");
	bad("ENTRY e", "t.hlo:1:8: expected '{', found the end of the file");
	bad("ENTRY e { }", "t.hlo:1:7: the computation %e is empty");
	bad("/* x", "t.hlo:1:1: the comment does not end");
	bad("e { a = f32[] constant(1) } , foo=3", "t.hlo:1:31: expected execution_thread=");
	bad("e { a = f32[] constant(1) }\ne { a = f32[] constant(1) }", "t.hlo:2:1: a second computation %e");
	bad("ENTRY e { a = f32[] constant(1) }\nENTRY f { a = f32[] constant(1) }", "t.hlo:2:7: a second ENTRY; the first is %e");
	bad("e (p: f32[]) -> f32[3] { a = f32[] parameter(0) }", "t.hlo:1:3: the header of %e says it gives f32[3], its root is f32[]");
	bad("HloModule m\nFileNames\n2 \"a\"\n", "t.hlo:3:1: expected id 1");
	bad("HloModule m\nStackFrames\n1 {file_location_id=1 what=1}\n", "t.hlo:3:23: this does not belong into a table of frames");
}

static void bad_instructions(void **state)
{
	(void)state;
	bad_lines("a = f32[] constant(1)\n a = f32[] constant(1)", "t.hlo:4:2: a second instruction %a; the first is on line 3");
	bad_lines("ROOT a = f32[] constant(1)\nROOT b = f32[] constant(1)", "t.hlo:4:6: a second ROOT; the first is %a");
	bad_lines("b = f32[] negate(x)", "t.hlo:3:18: there is no instruction %x in %e");
	bad_lines("a = f32[] negate(b)\nb = f32[] negate(a)", "t.hlo:3:1: %a depends on itself");
	bad_lines("a f32[]", "t.hlo:3:3: expected '=', found 'f32'");
	bad_lines("a \u00e9= f32[] constant(1)", "t.hlo:3:3: expected '=', found '\u00e9'");
	bad_lines("a \u201cb\u201d = f32[] constant(1)", "t.hlo:3:3: expected '=', found '\u201c'");
	bad_lines("a \xff= f32[] constant(1)", "t.hlo:3:3: expected '=', found the byte ff");
	bad_lines("a \xe2\x80= f32[] constant(1)", "t.hlo:3:3: expected '=', found the byte e2");
	bad_lines("a = f32[] negate", "t.hlo:4:1: expected '(', found '}'");
	bad_lines("a = f32[] constant(1) junk", "t.hlo:4:1: expected '=', found '}'");
	bad_lines("a = f32[] parameter(1)", "t.hlo:3:1: %a is parameter 1 but %e has 1 parameter");
	bad_lines("a = f32[] parameter(0)\nb = f32[] parameter(0)", "t.hlo:4:1: %a and %b are both parameter 0");
	bad_lines("a = f32[] parameter(x)", "t.hlo:3:21: expected an integer, found 'x'");
	bad_lines("a = f99[] parameter(0)", "t.hlo:3:5: unknown element type f99");
	bad_lines("a = f32[-3] parameter(0)", "t.hlo:3:5: a negative dimension");
	bad_lines("a = f32[2]{1} parameter(0)", "t.hlo:3:11: the layout does not order the 1 dimensions");
	bad_lines("a = f32[2,2]{0,0} parameter(0)", "t.hlo:3:13: the layout does not order the 2 dimensions");
	bad_lines("a = f32[9999999999,9999999999,9] parameter(0)", "t.hlo:3:5: a shape of more elements than 64 bits can count");
	bad_lines("a = f32[99999999999999999999] parameter(0)", "t.hlo:3:9: the number does not fit into 64 bits");
	bad_lines("a = (f32[], f32[2]) parameter(0)\nb = f32[] negate(%a#2)", "t.hlo:4:18: %a has no element 2");
	bad_lines("a = f32[2] parameter(0)\nb = f32[2] negate(f32[3] a)", "t.hlo:4:19: operand %a is f32[2], the text says f32[3] here");
	bad_lines("a = reshape(b)\nb = f32[] parameter(0)", "t.hlo:3:1: %a: the shape of the result is missing");
}

static void bad_attributes(void **state)
{
#define CALL "a = f32[] custom-call(), custom_call_target=\"t\", "
	(void)state;
	bad_lines(CALL "dimensions={0}, dimensions={1}", "t.hlo:3:66: a second dimensions=");
	bad_lines(CALL "dimensions={0;1}", "t.hlo:3:63: expected '}', found ';'");
	bad_lines(CALL "dimensions=", "t.hlo:4:1: expected a value, found '}'");
	bad("e { " CALL "dimensions={0 ", "t.hlo:1:65: the bracket is not closed");
	bad_lines(CALL "index=x", "t.hlo:3:56: expected an integer, found 'x'");
	bad_lines(CALL "is_stable=1", "t.hlo:3:60: expected true or false");
	bad_lines(CALL "to_apply=%nobody", "t.hlo:3:59: there is no computation %nobody");
	bad_lines(CALL "to_apply=e", "t.hlo:3:1: %a: the computation %e calls itself");
	bad_lines(CALL "replica_groups={0,1}", "t.hlo:3:66: expected '{', found '0'");
	bad_lines(CALL "replica_groups=[2,4]<=[9]", "t.hlo:3:70: the device list does not fit its dimensions");
	bad_lines(CALL "replica_groups=[2,4]<=[4,2]T(0,0)", "t.hlo:3:70: the device list does not fit its dimensions");
	bad_lines(CALL "replica_groups=mesh['a'=2] {'b'}", "t.hlo:3:78: the mesh has no axis 'b'");
	bad_lines(CALL "replica_groups=mesh['a'=4] {'a':(3)2}", "t.hlo:3:65: the axes of the mesh do not split like this");
	bad_lines(CALL "replica_groups=mesh['a'=4] {'a','a'}", "t.hlo:3:65: an axis of the mesh is used twice");
	bad_lines(CALL "sharding={devices=[2,2]0,1,2}", "t.hlo:3:67: 3 devices for 4 tiles");
	bad_lines(CALL "sharding={tiled}", "t.hlo:3:60: expected a sharding");
	bad_lines(CALL "sharding={replicated of}", "t.hlo:3:71: this does not belong into a sharding");
	bad_lines(CALL "window={size=2x2 stride=1}", "t.hlo:3:67: the fields of the window have different lengths");
	bad_lines(CALL "window={height=2}", "t.hlo:3:58: expected size, stride, pad, lhs_dilate, rhs_dilate or rhs_reversal");
	bad_lines(CALL "backend_config=\"x", "t.hlo:3:65: the string does not end on its line");
	bad_lines(CALL "backend_config=\"x\\\"", "t.hlo:3:65: the string does not end on its line");
	bad_lines(CALL "backend_config=\"x\ny\"", "t.hlo:3:65: the string does not end on its line");
	bad_lines(CALL "metadata={op_name=3}", "t.hlo:3:68: expected a string, found '3'");
	bad_lines(CALL "metadata={=3}", "t.hlo:3:60: expected a field of the metadata, found '='");
#undef CALL
}

static void bad_constants(void **state)
{
	(void)state;
	bad_lines("c = s8[] constant(128)", "t.hlo:3:19: 128 is out of the range of s8");
	bad_lines("c = u8[] constant(-1)", "t.hlo:3:19: -1 is out of the range of u8");
	bad_lines("c = pred[] constant(2)", "t.hlo:3:21: 2 is out of the range of pred");
	bad_lines("c = s64[] constant(9223372036854775808)", "t.hlo:3:20: 9223372036854775808 is out of the range of s64");
	bad_lines("c = s64[] constant(-9223372036854775809)", "t.hlo:3:20: the number does not fit into 64 bits");
	bad_lines("c = u64[] constant(18446744073709551616)", "t.hlo:3:20: the number does not fit into 64 bits");
	bad_lines("c = u64[] constant(-1)", "t.hlo:3:20: -1 is out of the range of u64");
	bad_lines("c = f64[] constant(1e400)", "t.hlo:3:20: 1e400 is out of the range of f64");
	bad_lines("a = f32[4] parameter(0)\nz = f32[] constant(0)\np = f32[3] pad(a, z), padding=18446744073709551615_0",
		  "t.hlo:5:31: the number does not fit into 64 bits");
	bad_lines("c = f16[] constant(70000)", "t.hlo:3:20: 70000 is out of the range of f16");
	bad_lines("c = f32[] constant(abc)", "t.hlo:3:20: 'abc' is not a number");
	bad_lines("c = s32[] constant(1.5)", "t.hlo:3:21: expected ')', found '.5'");
	bad_lines("c = s32[2] constant({1, 2, 3})", "t.hlo:3:21: 3 elements in dimension 0 of a constant that has 2 there");
	bad_lines("c = s32[2,1] constant({1, 2})", "t.hlo:3:24: expected '{', found '1'");
	bad_lines("c = (s32[], s32[]) constant((1))", "t.hlo:3:31: expected ',', found ')'");
	bad_lines("c = token[] constant(1)", "t.hlo:3:22: a constant of type token");
	bad_lines("c = constant(1)", "t.hlo:3:14: a constant needs its shape");
}

/* Deep nesting of anything ends in a message, not in a crash. */
static void nesting(void **state)
{
	enum { DEEP = 100000 };
	static const struct { const char *before, *open, *core; const char *message; } forms[] = {
		{ "e { a = ", "(", "", "shapes nested too deep" },
		{ "e { p = f32[] parameter(0) a = f32[] ", "negate(", "", "operands nested too deep" },
		{ "e { a = f32[] custom-call(), sharding=", "{", "", "the bracket is not closed" },
	};

	(void)state;
	for (size_t k = 0; k < sizeof forms / sizeof forms[0]; k++) {
		size_t n = strlen(forms[k].before), w = strlen(forms[k].open);
		char *text = malloc(n + DEEP * w + 1);

		strcpy(text, forms[k].before);
		for (int d = 0; d < DEEP; d++)
			memcpy(text + n + d * w, forms[k].open, w);
		text[n + DEEP * w] = 0;
		assert_null(parse(text));
		assert_true(k == 0 || strstr(said, forms[k].message));
		free(text);
	}
}

static void zero_bytes(void **state)
{
	struct diag d;
	char text[] = "HloModule m\nENTRY e { a = \0 }", buf[1200];

	(void)state;
	assert_null(hlo_read_text("t.hlo", text, sizeof text - 1, &d));
	assert_string_equal(diag_text(&d, buf, sizeof buf), "t.hlo:2:15: a zero byte in the text");
}

/* ---- printing ---- */

static char *printed(const module *m)
{
	char *text = NULL;
	size_t n = 0;
	FILE *f = open_memstream(&text, &n);

	hlo_print(f, m);
	fclose(f);
	return text;
}

static void prints(void **state)
{
	static const char text[] =
		"HloModule m, num_partitions=2\n\nFileNames\n1 \"a.py\"\n\nFunctionNames\n1 \"f\"\n\nFileLocations\n"
		"1 {file_name_id=1 function_name_id=1 line=3 end_line=3 column=4 end_column=5}\n\nStackFrames\n"
		"1 {file_location_id=1 parent_frame_id=1}\n\n\n"
		"%add (a: f32[], b: f32[]) -> f32[] {\n  %a = f32[] parameter(0)\n  %b = f32[] parameter(1)\n"
		"  ROOT %s = f32[] add(%a, %b)\n}\n\n"
		"ENTRY %e (t: (f32[2,2]{0,1}, s32[<=4])) -> (f32[2,2], f32[]) {\n  %t = (f32[2,2]{0,1}, s32[<=4]) parameter(0)\n"
		"  %c = f32[2,2] constant({{1, 0.5}, {-inf, nan}}), metadata={op_type=\"k\" op_name=\"x\\'y\" stack_frame_id=1}\n"
		"  %r = f32[2,2] all-reduce(%t#0), replica_groups={{0,1}}, to_apply=%add, backend_config=\"a\\nb\"\n"
		"  %z = f32[] constant({...})\n  ROOT %u = (f32[2,2], f32[]) tuple(%r, %z)\n}\n";
	module *m = good(text);
	char *again = printed(m);

	(void)state;
	assert_string_equal(again, text);
	free(again);
	module_free(m);
}

/* Found by fuzzing: these printed as text that read back differently or not at all. */
static void odd_texts(void **state)
{
	static const char *const texts[] = {
		"HloModule %8x\n%9e (%8r: f32[]) -> f32[] { %8r = f32[] parameter(0) }",
		"HloModule m\nENTRY e { a = f32[] constant(1), metadata={op_name=\"x\" e=maximal_mesh[u32[],metadata={1}] op_type=\"y\"} }",
	};

	(void)state;
	for (size_t k = 0; k < sizeof texts / sizeof texts[0]; k++) {
		module *m = good(texts[k]), *again;
		char *text = printed(m);

		again = good(text);
		assert_null(module_difference(&m->arena, m, again, true));
		module_free(m);
		module_free(again);
		free(text);
	}
}

static void differences(void **state)
{
	static const struct { const char *a, *b, *want; } cases[] = {
		{ "a = f32[] constant(1)", "a = f32[] constant(2)", "%a: constant: one and another" },
		{ "a = f32[2] parameter(0)", "a = f32[3] parameter(0)", "%a: shape: f32[2] and f32[3]" },
		{ "a = f32[2,2]{0,1} parameter(0)", "a = f32[2,2]{1,0} parameter(0)", "%a: layout: {0,1} and {1,0}" },
		{ "a = f32[2] parameter(0)", "b = f32[2] parameter(0)", "%a: root: a and b" },
		{ "a = f32[2] iota(), iota_dimension=0", "a = f32[2] iota(), iota_dimension=0, x=1", "%a: x: nothing and 1" },
		{ "a = s32[] constant(1), metadata={op_name=\"x\"}", "a = s32[] constant(1)", "%a: op_name: x and nothing" },
	};

	(void)state;
	for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
		module *x, *y;

		root_of(&x, cases[k].a);
		root_of(&y, cases[k].b);
		assert_string_equal(module_difference(&x->arena, x, y, true), cases[k].want);
		assert_null(module_difference(&x->arena, x, x, true));
		module_free(x);
		module_free(y);
	}
}

/* ---- files ---- */

static char *written(const char *name, const char *text, size_t n)
{
	static char path[4096];
	const char *dir = getenv("TMPDIR");
	FILE *f;

	snprintf(path, sizeof path, "%s/diverge-%d-%s", dir ? dir : "/tmp", (int)getpid(), name);
	f = fopen(path, "w");
	assert_non_null(f);
	fwrite(text, 1, n, f);
	fclose(f);
	return path;
}

static void refused(const char *path, const char *message)
{
	struct diag d;

	assert_null(module_read(path, &d));
	assert_string_equal(d.message, message);
	assert_string_equal(d.file, path);
}

static void refused_text(const char *text, const char *message)
{
	char *path = written("in", text, strlen(text));

	refused(path, message);
	remove(path);
}

static void byte_order_mark(void **state)
{
	static const char text[] = "\xef\xbb\xbf" "HloModule m\nENTRY %e {\n  ROOT %p = f32[2] parameter(0)\n}\n";
	char *path = written("mark", text, sizeof text - 1);
	struct diag d;
	module *m = module_read(path, &d);

	(void)state;
	remove(path);
	assert_non_null(m);
	module_free(m);
}

static void other_files(void **state)
{
	(void)state;
	refused("/", "is a directory");
	refused("/nonexistent/x", "No such file or directory");
	refused_text("", "the file is empty");
	refused_text("\x1f\x8b\x08 and no more", "the gzip data is broken or cut short");
	refused_text("// RUN\nmodule @jit_f attributes {} {\n", "this is MLIR text; HLO text or an HLO protobuf is needed");
	refused_text("#loc1 = loc(unknown)\n", "this is MLIR text; HLO text or an HLO protobuf is needed");
	refused_text("\xff\xfeH\0l\0", "this is UTF-16 text; save it as UTF-8");
	refused_text("ML\xefR\x01", "this is MLIR bytecode; HLO text or an HLO protobuf is needed");
	refused_text("# comment\nname: \"main\"\ncomputations {\n", "this is protobuf text format; HLO text or a binary protobuf is needed");
	refused_text("hlo_module       {\n  name: \"m\"\n", "this is protobuf text format; HLO text or a binary protobuf is needed");
	refused_text("import torch\nx = 3\n", "this is no HLO, which begins with HloModule NAME; the file begins with 'import torch'");
	refused_text("\n  {\"a\": 3}\n", "this is no HLO, which begins with HloModule NAME; the file begins with '{\"a\": 3}'");
	refused_text("mesh tp=2\n", "this is no HLO, which begins with HloModule NAME; the file begins with 'mesh tp=2'");
	refused_text("; 234567890123456789012345678901234567890123456789 and on\n",
		     "this is no HLO, which begins with HloModule NAME; the file begins with '; 234567890123456789012345678901234567890123456789..'");
	refused_text("main {\n x = f32[] what(y)\n}\n", "there is no instruction %y in %main");
	refused_text("\x0a\x05hello\x12\x01x", "neither HLO text nor an HLO protobuf, or one that is cut short");
}

/* ---- the corpus ---- */

static int files, failures;

static const char *expected_failure(const char *path)
{
	static const struct { const char *end, *message; } known[] = {
		{ "xla-test-import.hlo", "%convolution.4: the window has size 3 in dimension 0 of the kernel f32[2,2,1,1]" },
		{ "xla-test-module-attributes.hlo", "this is protobuf text format; HLO text or a binary protobuf is needed" },
		{ "xla-test-spmd-module-sharding.hlo", "this is protobuf text format; HLO text or a binary protobuf is needed" },
		{ "xla-test-stacktrace.hlo", "this is protobuf text format; HLO text or a binary protobuf is needed" },
	};
	size_t n = strlen(path);

	for (size_t k = 0; k < sizeof known / sizeof known[0]; k++)
		if (n > strlen(known[k].end) && !strcmp(path + n - strlen(known[k].end), known[k].end))
			return known[k].message;
	return NULL;
}

static void complain(const char *path, const char *what)
{
	print_error("%s: %s\n", path, what);
	failures++;
}

/* Reads, prints, reads again. */
static void one_file(const char *path)
{
	const char *expected = expected_failure(path), *difference;
	struct diag d = { .message = "" };
	module *m = module_read(path, &d), *again;
	char *text;
	arena a;

	files++;
	if (!m || expected) {
		if (m || !expected || strcmp(d.message, expected))
			complain(path, m ? "accepted" : d.message);
		module_free(m);
		return;
	}
	text = printed(m);
	again = hlo_read_text("printed", text, strlen(text), &d);
	if (again) {
		arena_init(&a);
		difference = module_difference(&a, m, again, true);
		if (difference)
			complain(path, difference);
		for (int k = 0; k < m->nattr; k++)
			if (again->nattr != m->nattr || strcmp(m->attr[k].text, again->attr[k].text))
				complain(path, m->attr[k].key);
		arena_free(&a);
	} else {
		complain(path, d.message);
	}
	module_free(again);
	module_free(m);
	free(text);
}

static int visit(const char *path, const struct stat *st, int type, struct FTW *w)
{
	const char *dot = strstr(path, ".hlo");

	(void)st;
	(void)w;
	if (type == FTW_F && dot && (!strcmp(dot, ".hlo") || !strcmp(dot, ".hlo.gz")))
		one_file(path);
	return 0;
}

static void corpus(void **state)
{
	(void)state;
	if (nftw(SRCDIR "/../shared/.", visit, 32, FTW_PHYS) || !files)
		skip();
	print_message("%d files\n", files);
	assert_int_equal(failures, 0);
}

/* The broken slice of the Neuron pair is at attention.py:124. */
static void broken_slice(void **state)
{
	struct diag d;
	module *m = module_read(SRCDIR "/../shared/corpus/neuron-llama/tp2_layer1.broken.hlo", &d);
	const frame *f;

	(void)state;
	if (!m)
		skip();
	f = comp_inst(m->entry, "slice.54")->frame;
	assert_non_null(strstr(f->file, "site-packages"));
	f = f->parent;
	assert_non_null(strstr(f->file, "/transformers_neuronx/hlo.py"));
	assert_int_equal(f->line, 1935);
	f = f->parent;
	assert_non_null(strstr(f->file, "/layers/attention.py"));
	assert_int_equal(f->line, 124);
	module_free(m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(long_form), cmocka_unit_test(short_form), cmocka_unit_test(one_line),
		cmocka_unit_test(nested_forms), cmocka_unit_test(out_of_order), cmocka_unit_test(fragment),
		cmocka_unit_test(several_modules), cmocka_unit_test(log_prefixes), cmocka_unit_test(shapes),
		cmocka_unit_test(integers), cmocka_unit_test(floats), cmocka_unit_test(elided),
		cmocka_unit_test(group_forms), cmocka_unit_test(sharding_forms), cmocka_unit_test(typed_values),
		cmocka_unit_test(text_values), cmocka_unit_test(unknown_attribute), cmocka_unit_test(unknown_opcode), cmocka_unit_test(compact_elements),
		cmocka_unit_test(async_pairs), cmocka_unit_test(missing_shapes), cmocka_unit_test(stack_tables),
		cmocka_unit_test(broken_tables), cmocka_unit_test(inline_places), cmocka_unit_test(packed_stacks), cmocka_unit_test(stacks_alike),
		cmocka_unit_test(escapes),
		cmocka_unit_test(bad_modules), cmocka_unit_test(bad_instructions), cmocka_unit_test(bad_attributes),
		cmocka_unit_test(bad_constants), cmocka_unit_test(nesting), cmocka_unit_test(zero_bytes),
		cmocka_unit_test(prints), cmocka_unit_test(odd_texts), cmocka_unit_test(differences), cmocka_unit_test(byte_order_mark), cmocka_unit_test(other_files),
		cmocka_unit_test(corpus), cmocka_unit_test(broken_slice),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
