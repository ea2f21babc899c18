/* Where a proof breaks and what is said about it: small worked examples, each with its fault. */
#include "text_pair.h"
#include "candidate.h"
#include "describe.h"
#include "difference.h"
#include "report.h"

#define ADD \
	"%add (a: f32[], b: f32[]) -> f32[] {\n" \
	"  %a = f32[] parameter(0)\n" \
	"  %b = f32[] parameter(1)\n" \
	"  ROOT %s = f32[] add(%a, %b)\n" \
	"}\n\n"
#define REDUCE(name, of) \
	"  " name " = f32[4,6]{1,0} all-reduce(" of "), channel_id=1, replica_groups={{0,1}}, use_global_device_ids=true, to_apply=%add\n"
#define PRODUCT "lhs_contracting_dims={1}, rhs_contracting_dims={0}\n"

/* ---- a sharded product, a bias */

static const char bias_base[] =
	"HloModule m\n\nENTRY %main {\n"
	"  %x = f32[4,8]{1,0} parameter(0)\n"
	"  %w = f32[8,6]{1,0} parameter(1)\n"
	"  %b = f32[4,6]{1,0} parameter(2)\n"
	"  %y = f32[4,6]{1,0} dot(%x, %w), " PRODUCT
	"  ROOT %o = f32[4,6]{1,0} add(%y, %b)\n"
	"}\n";

#define BIAS_DIST \
	"HloModule m, num_partitions=2\n\n" ADD "ENTRY %main {\n" \
	"  %x = f32[4,4]{1,0} parameter(0)\n" \
	"  %w = f32[4,6]{1,0} parameter(1)\n" \
	"  %b = f32[4,6]{1,0} parameter(2)\n" \
	"  %p = f32[4,6]{1,0} dot(%x, %w), " PRODUCT

static const char bias_early[] = BIAS_DIST
	"  %q = f32[4,6]{1,0} add(%p, %b)\n"
	"  ROOT " REDUCE("%o", "%q") "}\n";

static const char bias_plan[] = "mesh tp=2\ninput 0 tp:S(1)\ninput 1 tp:S(0)\ninput 2 R\noutput 0 R\n";

static frontier only(struct text_pair *t, const char *name, enum frontier_kind kind)
{
	frontier f = frontier_find(t->s, &t->a);

	assert_int_equal(f.n, 1);
	assert_string_equal(t->p->dist->row[f.e[0].row].path, name);
	assert_int_equal(f.e[0].kind, kind);
	assert_false(f.so_far);
	return f;
}

static void a_bias_added_by_every_device(void **state)
{
	struct text_pair *t = text_run(bias_base, bias_early, bias_plan);
	frontier f = only(t, "q", FRONTIER_DIFFERS);
	const frontier_report *r = frontier_explain(t->s, &f.e[0], &t->a);

	(void)state;
	assert_string_equal(r->reason, "its operands do not agree: %p is P(sum) over tp, %b is R of %b; "
				       "summed over tp it takes 2 x %b; the baseline takes 1 x %b");
	assert_int_equal(r->nop, 2);
	assert_string_equal(r->operand[0], "%p: P(sum) over tp of %y");
	assert_string_equal(r->operand[1], "%b: R of %b");
	assert_int_equal(r->ncand, 1);
	assert_int_equal(r->cand[0].base, text_base(t, "o"));
	assert_string_equal(r->cand[0].kind, "scale");
	text_holds(r->computes, "add: %b + ");
	text_close(t);
}

static const char no_reduce[] = BIAS_DIST "  ROOT %z = f32[4,6]{1,0} copy(%p)\n}\n";
static const char product_base[] =
	"HloModule m\n\nENTRY %main {\n"
	"  %x = f32[4,8]{1,0} parameter(0)\n"
	"  %w = f32[8,6]{1,0} parameter(1)\n"
	"  %b = f32[4,6]{1,0} parameter(2)\n"
	"  ROOT %y = f32[4,6]{1,0} dot(%x, %w), " PRODUCT
	"}\n";

static void an_all_reduce_is_missing(void **state)
{
	struct text_pair *t = text_run(product_base, no_reduce, bias_plan);
	frontier f = only(t, "z", FRONTIER_RELATION);
	const frontier_report *r = frontier_explain(t->s, &f.e[0], &t->a);

	(void)state;
	assert_string_equal(r->state, "partial");
	assert_string_equal(r->reason, "%z is P(sum) over tp of %y, the plan wants R: an all-reduce over tp is missing");
	text_close(t);
}

static const char twice[] = BIAS_DIST REDUCE("%y", "%p")
	"  ROOT %z = f32[4,6]{1,0} all-reduce(%y), channel_id=2, replica_groups={{0,1}}, use_global_device_ids=true, to_apply=%add\n}\n";

static void an_all_reduce_too_many(void **state)
{
	struct text_pair *t = text_run(product_base, twice, bias_plan);
	frontier f = only(t, "z", FRONTIER_SCALED);

	(void)state;
	text_holds(frontier_explain(t->s, &f.e[0], &t->a)->reason, "it is 2 x %y");
	text_close(t);
}

static void nothing_where_all_is_proved(void **state)
{
	static const char good[] = BIAS_DIST REDUCE("%y", "%p") "  ROOT %o = f32[4,6]{1,0} add(%y, %b)\n}\n";
	struct text_pair *t = text_run(bias_base, good, bias_plan);

	(void)state;
	assert_int_equal(frontier_find(t->s, &t->a).n, 0);
	text_close(t);
}

/* ---- columns of a fused weight taken at the wrong place */

static const char fused_base[] =
	"HloModule m\n\nENTRY %main {\n"
	"  %x = f32[4,6]{1,0} parameter(0)\n"
	"  %w = f32[6,12]{1,0} parameter(1)\n"
	"  %f = f32[4,12]{1,0} dot(%x, %w), " PRODUCT
	"  %q = f32[4,6]{1,0} slice(%f), slice={[0:4], [0:6]}\n"
	"  %k = f32[4,3]{1,0} slice(%f), slice={[0:4], [6:9]}\n"
	"  ROOT %out = (f32[4,6]{1,0}, f32[4,3]{1,0}) tuple(%q, %k)\n"
	"}\n";

static const char fused_wrong[] =
	"HloModule m, num_partitions=3\n\nENTRY %main {\n"
	"  %x = f32[4,6]{1,0} parameter(0)\n"
	"  %w = f32[6,4]{1,0} parameter(1)\n"
	"  %f = f32[4,4]{1,0} dot(%x, %w), " PRODUCT
	"  %q = f32[4,2]{1,0} slice(%f), slice={[0:4], [0:2]}\n"
	"  %k = f32[4,1]{1,0} slice(%f), slice={[0:4], [1:2]}\n"
	"  ROOT %out = (f32[4,2]{1,0}, f32[4,1]{1,0}) tuple(%q, %k)\n"
	"}\n";

static void the_wrong_columns(void **state)
{
	struct text_pair *t = text_run(fused_base, fused_wrong, "mesh tp=3\ninput 0 R\ninput 1 tp:S(1; 6,3,3)\noutput 0 tp:S(1)\noutput 1 tp:S(1)\n");
	frontier f = only(t, "k", FRONTIER_DIFFERS);
	const frontier_report *r = frontier_explain(t->s, &f.e[0], &t->a);
	difference d = difference_rows(t->s, text_base(t, "k"), text_dist(t, "k"), &t->a);

	(void)state;
	assert_string_equal(d.kind, "columns read");
	assert_string_equal(d.text, "reads columns 1, 3, 5 of %w; %k of the baseline reads 6..8");
	assert_string_equal(r->cand[0].difference, d.text);
	assert_string_equal(r->reason, d.text);
	assert_string_equal(r->operand[0], "%f: segments 6,3,3 of dim 1 over tp of %f");
	text_close(t);
}

/* ---- two reshapes that agree in shape only */

static const char turned_base[] =
	"HloModule m\n\nENTRY %main {\n"
	"  %a = f32[4,6]{1,0} parameter(0)\n"
	"  %b = f32[4,6]{1,0} parameter(1)\n"
	"  %r = f32[2,2,6]{2,1,0} reshape(%a)\n"
	"  %t = f32[2,2,6]{2,1,0} transpose(%r), dimensions={1,0,2}\n"
	"  %c = f32[4,6]{1,0} reshape(%t)\n"
	"  ROOT %o = f32[4,6]{1,0} add(%c, %b)\n"
	"}\n";

static const char turned_dist[] =
	"HloModule m, num_partitions=2\n\nENTRY %main {\n"
	"  %a = f32[4,6]{1,0} parameter(0)\n"
	"  %b = f32[4,6]{1,0} parameter(1)\n"
	"  %r = f32[2,2,6]{2,1,0} reshape(%a)\n"
	"  %c = f32[4,6]{1,0} reshape(%r)\n"
	"  ROOT %o = f32[4,6]{1,0} add(%c, %b)\n"
	"}\n";

static void a_transpose_left_out(void **state)
{
	struct text_pair *t = text_run(turned_base, turned_dist, "mesh tp=2\ninput 0 R\ninput 1 R\noutput 0 R\n");
	frontier f = only(t, "o", FRONTIER_DIFFERS);
	const frontier_report *r = frontier_explain(t->s, &f.e[0], &t->a);
	layout b, d;
	eg_id x, y;

	(void)state;
	assert_true(row_form(t->p->q, SIDE_BASE, text_base(t, "c"), &b, &x) && row_form(t->p->q, SIDE_DIST, text_dist(t, "c"), &d, &y));
	assert_int_equal(eg_root(t->p->p->g, x), eg_root(t->p->p->g, y));
	text_holds(r->reason, "%c");
	text_close(t);
}

/* Both reshapes come from %a and %c of the baseline has another order: the candidates show where they part. */
static void candidates_of_a_transpose(void **state)
{
	struct text_pair *t = text_run(turned_base, turned_dist, "mesh tp=2\ninput 0 R\ninput 1 R\noutput 0 R\n");
	candidates c = candidates_find(t->s, text_base(t, "c"), text_dist(t, "c"), &t->a);

	(void)state;
	assert_int_equal(c.n, 1);
	assert_int_equal(c.c[0].origin, CAND_PROVED);
	assert_int_equal(c.c[0].fate, FATE_HOLDS);
	assert_string_equal(c.c[0].placements, "R; transpose {1,0,2} of [2,2,6]");
	assert_string_equal(c.c[0].steps, "reshape [4,6] to [2,2,6], transpose {1,0,2} to [2,2,6], reshape to [4,6]");
	assert_string_equal(c.c[0].chain, "reshape(2,2,6) transpose(1,0,2) reshape(4,6)");
	text_holds(c.c[0].grid, "device 1: 0 1 2 3 4 5 | 12 13 14 15 16 17 | 6 7 8 9 10 11");
	text_close(t);
}

static void candidates_from_operands_and_shapes(void **state)
{
	struct text_pair *t = text_run(bias_base, bias_early, bias_plan);
	candidates c = candidates_find(t->s, text_base(t, "o"), text_dist(t, "q"), &t->a);

	(void)state;
	assert_true(c.n >= 2);
	assert_int_equal(c.c[0].origin, CAND_OPERANDS);
	assert_string_equal(c.c[0].chain, "tp:P(sum)");
	assert_string_equal(c.c[1].chain, "R");
	assert_int_equal(c.c[1].fate, FATE_OPEN);
	text_holds(c.parting, "tp:P(sum) and R part everywhere");
	c = candidates_find(t->s, text_base(t, "x"), text_dist(t, "b"), &t->a);	/* shapes that have nothing to do with each other */
	assert_int_equal(c.n, 0);
	text_close(t);
}

/* ---- an operation nobody gave a meaning */

static const char mark_base[] =
	"HloModule m\n\nENTRY %main {\n"
	"  %x = f32[4]{0} parameter(0)\n"
	"  %w = f32[6]{0} parameter(1)\n"
	"  ROOT %o = f32[4,6]{1,0} dot(%x, %w), lhs_contracting_dims={}, rhs_contracting_dims={}\n"
	"}\n";
static const char mark_dist[] =
	"HloModule m, num_partitions=2\n\nENTRY %main {\n"
	"  %x = f32[4]{0} parameter(0)\n"
	"  %w = f32[6]{0} parameter(1)\n"
	"  %c = f32[4]{0} custom-call(%x), custom_call_target=\"Mark\", metadata={op_name=\"mark\" source_file=\"model.py\" source_line=7}\n"
	"  ROOT %o = f32[4,6]{1,0} dot(%c, %w), lhs_contracting_dims={}, rhs_contracting_dims={}\n"
	"}\n";
static const char mark_plan[] = "mesh tp=2\ninput 0 R\ninput 1 R\noutput 0 R\n";

static void an_unknown_operation(void **state)
{
	struct text_pair *t = text_run(mark_base, mark_dist, mark_plan);
	frontier f = frontier_find(t->s, &t->a);
	const frontier_report *r;

	(void)state;
	assert_int_equal(f.n, 1);
	assert_string_equal(t->p->dist->row[f.e[0].row].path, "c");
	r = frontier_explain(t->s, &f.e[0], &t->a);
	text_holds(r->reason, "no rule lifts custom-call");
	assert_true(r->nnear >= 1);
	text_close(t);
}

/* ---- index arithmetic that only the distributed program needs */

static const char table_base[] =
	"HloModule m\n\nENTRY %main {\n"
	"  %t = f32[8,4]{1,0} parameter(0)\n"
	"  %i = s32[3]{0} parameter(1)\n"
	"  %j = s32[3,1]{1,0} reshape(%i)\n"
	"  ROOT %g = f32[3,4]{1,0} gather(%t, %j), offset_dims={1}, collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=1, slice_sizes={1,4}\n"
	"}\n";
static const char table_dist[] =
	"HloModule m, num_partitions=2\n\n" ADD "ENTRY %main {\n"
	"  %t = f32[4,4]{1,0} parameter(0)\n"
	"  %i = s32[3]{0} parameter(1)\n"
	"  %p = u32[] partition-id()\n"
	"  %s = s32[] convert(%p)\n"
	"  %n = s32[] constant(4)\n"
	"  %m = s32[] multiply(%s, %n)\n"
	"  %b = s32[3]{0} broadcast(%m), dimensions={}\n"
	"  %l = s32[3]{0} subtract(%i, %b)\n"
	"  %j = s32[3,1]{1,0} reshape(%l)\n"
	"  %g = f32[3,4]{1,0} gather(%t, %j), offset_dims={1}, collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=1, slice_sizes={1,4}\n"
	"  ROOT %o = f32[3,4]{1,0} all-reduce(%g), channel_id=1, replica_groups={{0,1}}, use_global_device_ids=true, to_apply=%add\n"
	"}\n";

static void index_arithmetic_hands_on_the_blame(void **state)
{
	struct text_pair *t = text_run(table_base, table_dist, "mesh tp=2\ninput 0 tp:S(0)\ninput 1 R\ninput 1 in 0..7\noutput 0 R\n");
	frontier f = frontier_find(t->s, &t->a);

	(void)state;
	assert_true(text_state(t, "l")->index);
	assert_int_equal(text_state(t, "m")->kind, STATE_CONSTANT);
	assert_int_equal(f.n, 1);
	assert_string_equal(t->p->dist->row[f.e[0].row].path, "g");
	text_holds(frontier_explain(t->s, &f.e[0], &t->a)->reason, "index arithmetic the baseline does not have");
	text_close(t);
}

/* ---- the report */

static char *printed(const struct report *r, void (*print)(const struct report *, FILE *))
{
	char *s = NULL;
	size_t n;
	FILE *f = open_memstream(&s, &n);

	assert_non_null(f);
	print(r, f);
	fclose(f);
	return s;
}

static void reports(void **state)
{
	struct text_pair *t = text_run(mark_base, mark_dist, mark_plan);
	struct report *r = report_make(t->p, t->s, NULL, 0.25);
	char *text = printed(r, report_text), *json = printed(r, report_json), *line, *save;

	(void)state;
	assert_int_equal(report_exit(r), 1);
	assert_int_equal(r->nfrontier, 1);
	assert_string_equal(r->frontier[0].node, "%c");
	assert_string_equal(r->frontier[0].file, "model.py");
	assert_int_equal(r->frontier[0].line, 7);
	text_holds(text, "unknown: no rule\n");
	text_holds(text, "! %c (custom-call)\n  at model.py:7\n");
	for (line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save))
		assert_true(strlen(line) <= 80);
	text_holds(json, "{\"verdict\":\"unknown-rule\",\"exit\":1,\"outputs\":[{\"index\":0,\"name\":\"%o\",\"verdict\":\"unknown-rule\"");
	text_holds(json, "\"counts\":{\"base\":3,\"dist\":4,\"related\":2,");
	text_holds(json, "\"frontier\":[{\"node\":\"%c\",\"opcode\":\"custom-call\",\"source\":{\"file\":\"model.py\",\"line\":7},\"state\":\"unverified\"");
	text_holds(json, "\"unmatched\":[\"base %o\"]");
	text_holds(json, "\"seconds\":0.250000}");
	free(text);
	free(json);
	report_free(r);
	text_close(t);
}

static void a_run_that_was_not_ended_is_a_limit(void **state)
{
	struct text_pair *t = text_open(mark_base, mark_dist, mark_plan);
	struct report *r = report_make(t->p, t->s, NULL, 0);

	(void)state;
	assert_int_equal(r->verdict, VERDICT_UNKNOWN_LIMIT);
	assert_int_equal(report_exit(r), 3);
	report_free(r);
	text_close(t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_bias_added_by_every_device), cmocka_unit_test(an_all_reduce_is_missing), cmocka_unit_test(an_all_reduce_too_many),
		cmocka_unit_test(nothing_where_all_is_proved), cmocka_unit_test(the_wrong_columns), cmocka_unit_test(a_transpose_left_out),
		cmocka_unit_test(candidates_of_a_transpose), cmocka_unit_test(candidates_from_operands_and_shapes),
		cmocka_unit_test(an_unknown_operation), cmocka_unit_test(index_arithmetic_hands_on_the_blame), cmocka_unit_test(reports),
		cmocka_unit_test(a_run_that_was_not_ended_is_a_limit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
