/* Where a proof breaks and what is said about it: small worked examples, each with its fault. */
#include "fault/difference.h"
#include "pair/level.h"
#include "relation/candidate.h"
#include "relation/describe.h"
#include "report/report.h"
#include "text_pair.h"

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
				       "%o adds up the parts and counts %b 2 times: summed over tp it takes 2 x %b; the baseline takes 1 x %b");
	assert_int_equal(r->nop, 2);
	assert_string_equal(r->operand[0], "%p: P(sum) over tp of %y");
	assert_string_equal(r->operand[1], "%b: R of %b");
	assert_int_equal(r->ncand, 1);
	assert_int_equal(r->cand[0].base, text_base(t, "o"));
	assert_int_equal(r->cand[0].kind, DIFFERENCE_SCALE);
	text_holds(r->computes, "add: %b + ");
	text_close(t);
}

/* The baseline adds the bias last, to what the residual was added to before: its first sum has another term. */
static void a_bias_added_by_every_device_before_the_residual(void **state)
{
	static const char base[] =
		"HloModule m\n\nENTRY %main {\n"
		"  %x = f32[4,8]{1,0} parameter(0)\n"
		"  %w = f32[8,6]{1,0} parameter(1)\n"
		"  %b = f32[4,6]{1,0} parameter(2)\n"
		"  %h = f32[4,6]{1,0} parameter(3)\n"
		"  %y = f32[4,6]{1,0} dot(%x, %w), " PRODUCT
		"  %s = f32[4,6]{1,0} add(%h, %y)\n"
		"  ROOT %o = f32[4,6]{1,0} add(%s, %b)\n"
		"}\n";
	static const char early[] = BIAS_DIST
		"  %q = f32[4,6]{1,0} add(%p, %b)\n"
		"  " REDUCE("%a", "%q")
		"  %h = f32[4,6]{1,0} parameter(3)\n"
		"  ROOT %o = f32[4,6]{1,0} add(%h, %a)\n}\n";
	struct text_pair *t = text_run(base, early, "mesh tp=2\ninput 0 tp:S(1)\ninput 1 tp:S(0)\ninput 2 R\ninput 3 R\noutput 0 R\n");
	frontier f = only(t, "q", FRONTIER_DIFFERS);

	(void)state;
	assert_string_equal(frontier_explain(t->s, &f.e[0], &t->a)->reason,
			    "its operands do not agree: %p is P(sum) over tp, %b is R of %b; %a adds up the parts and counts %b 2 times");
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
	frontier f = only(t, "p", FRONTIER_RELATION);	/* and not its copy */
	const frontier_report *r = frontier_explain(t->s, &f.e[0], &t->a);

	(void)state;
	assert_string_equal(r->state, "partial");
	assert_string_equal(r->reason, "%p is P(sum) over tp of %y, the plan wants R: an all-reduce over tp is missing");
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
	assert_int_equal(f.e[0].nbase, 1);	/* it is compared with what it is a multiple of */
	assert_string_equal(t->p->base->row[f.e[0].base[0]].path, "y");
	text_close(t);
}

/* What the baseline has left over, and the sentence names, is the first that it is compared with. */
static void the_row_left_over(void **state)
{
	struct text_pair *t = text_run("HloModule m\n\nENTRY %main {\n  %x = f32[4] parameter(0)\n  %b = f32[4] parameter(1)\n  %five = f32[] constant(5)\n"
		"  %f = f32[4] broadcast(%five), dimensions={}\n  %s = f32[4] add(%x, %b)\n  %d = f32[4] divide(%s, %f)\n  ROOT %o = f32[4] tanh(%d)\n}\n",
		"HloModule m, num_partitions=2\n\nENTRY %main {\n  %x = f32[2] parameter(0)\n  %b = f32[2] parameter(1)\n  %five = f32[] constant(5)\n"
		"  %f = f32[2] broadcast(%five), dimensions={}\n  %d = f32[2] divide(%x, %f)\n  %h = f32[2] tanh(%d)\n  ROOT %o = f32[2] add(%h, %b)\n}\n",
		"mesh tp=2\ninput 0 tp:S(0)\ninput 1 tp:S(0)\noutput 0 tp:S(0)\n");
	frontier f = only(t, "d", FRONTIER_SCALED);
	const frontier_report *r = frontier_explain(t->s, &f.e[0], &t->a);

	(void)state;
	text_holds(r->reason, "it takes %x where %d of the baseline takes %s");
	assert_int_equal(r->ncand, 2);
	assert_string_equal(t->p->base->row[r->cand[0].base].path, "d");
	assert_string_equal(t->p->base->row[r->cand[1].base].path, "x");
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
	assert_int_equal(d.kind, DIFFERENCE_PLACES);
	assert_string_equal(d.text, "reads columns 1, 3, 5 of %w; %k of the baseline reads 6..8");
	assert_string_equal(r->cand[0].difference, d.text);
	assert_string_equal(r->reason, "reads columns 1, 3, 5 of %w; %k of the baseline reads 6..8: these are places of %q, a wrong segment");
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
	eg_id x = NIL, y = NIL;

	(void)state;
	assert_true(row_form(t->p->q, SIDE_BASE, text_base(t, "c"), &b, &x));
	assert_true(row_form(t->p->q, SIDE_DIST, text_dist(t, "c"), &d, &y));
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
	text_holds(r->reason, "no rule says what custom-call computes");
	assert_int_equal(r->nnear, 0);	/* the reason has said it */
	text_close(t);
}

/* ---- a number that is no fraction of 64 bits */

#define TINY(n, header) \
	"HloModule m" header "\n\nENTRY %main {\n" \
	"  %x = f32[4," n "]{1,0} parameter(0)\n  %w = f32[" n ",4]{1,0} parameter(1)\n" \
	"  %e = f32[] constant(1e-30)\n  %eb = f32[4,4]{1,0} broadcast(%e), dimensions={}\n" \
	"  %d = f32[4,4]{1,0} dot(%x, %w), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n" \
	"  %s = f32[4,4]{1,0} add(%d, %eb)\n  ROOT %o = f32[4,4]{1,0} tanh(%s)\n}\n"

static void a_tiny_number(void **state)
{
	struct text_pair *t = text_run(TINY("8", ""), TINY("4", ", num_partitions=2"), "mesh tp=2\ninput 0 tp:S(1)\ninput 1 tp:S(0)\noutput 0 R\n");
	frontier f = frontier_find(t->s, &t->a);
	const frontier_report *r;

	(void)state;
	assert_true(f.n >= 1);
	r = frontier_explain(t->s, &f.e[0], &t->a);
	text_holds(r->reason, "summed over tp it adds 2e-30; the baseline adds 1e-30");
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

/* ---- named faults */

/* The frontier is these rows, in this order. */
static frontier rows_are(struct text_pair *t, int n, const char *const *name)
{
	frontier f = frontier_find(t->s, &t->a);
	int k;

	for (k = 0; k < f.n && k < n; k++)
		assert_string_equal(t->p->dist->row[f.e[k].row].path, name[k]);
	assert_int_equal(f.n, n);
	return f;
}

struct fault_case {
	const char *base, *dist, *plan, *row, *says;
	enum frontier_kind kind;
};

#define ENTRY "HloModule m\n\nENTRY %main {\n"
#define SPMD(n) "HloModule m, num_partitions=" n "\n\n" ADD "ENTRY %main {\n"
#define ALL_REDUCE(name, shape, of, groups) \
	"  " name " = f32[" shape "] all-reduce(" of "), channel_id=1, replica_groups={" groups "}, use_global_device_ids=true, to_apply=%add\n"

#define LOGSUMEXP(m) "  %mb = f32[3," m "] broadcast(%m), dimensions={0}\n  %d = f32[3," m "] subtract(%x, %mb)\n  %e = f32[3," m "] exponential(%d)\n" \
	"  %s = f32[3] reduce(%e, %z), dimensions={1}, to_apply=%add\n"
#define MAX_BASE ENTRY "  %x = f32[3,8] parameter(0)\n  %i = f32[] constant(-inf)\n  %z = f32[] constant(0)\n" \
	"  %m = f32[3] reduce(%x, %i), dimensions={1}, to_apply=%max\n" LOGSUMEXP("8") "  %l = f32[3] log(%s)\n  ROOT %o = f32[3] add(%l, %m)\n}\n"
#define MAX_DIST SPMD("2") "  %x = f32[3,4] parameter(0)\n  %i = f32[] constant(-inf)\n  %z = f32[] constant(0)\n" \
	"  %own = f32[3] reduce(%x, %i), dimensions={1}, to_apply=%max\n"
#define MAX_ALL "  %m = f32[3] all-reduce(%own), channel_id=1, replica_groups={{0,1}}, use_global_device_ids=true, to_apply=%max\n"
#define MAX_PLAN "mesh tp=2\ninput 0 tp:S(1)\noutput 0 R\n"
#define STEPS_DIST(rescaled) SPMD("2") "  %x = f32[3,8] parameter(0)\n  %v = f32[8] parameter(1)\n  %i = f32[] constant(-inf)\n  %z = f32[] constant(0)\n" \
	"  %x0 = f32[3,4] slice(%x), slice={[0:3], [0:4]}\n  %v0 = f32[4] slice(%v), slice={[0:4]}\n  %m0 = f32[3] reduce(%x0, %i), dimensions={1}, to_apply=%max\n" \
	"  %b0 = f32[3,4] broadcast(%m0), dimensions={0}\n  %d0 = f32[3,4] subtract(%x0, %b0)\n  %e0 = f32[3,4] exponential(%d0)\n" \
	"  %s0 = f32[3] reduce(%e0, %z), dimensions={1}, to_apply=%add\n  %o0 = f32[3] dot(%e0, %v0), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n" \
	"  %x1 = f32[3,4] slice(%x), slice={[0:3], [4:8]}\n  %v1 = f32[4] slice(%v), slice={[4:8]}\n  %own = f32[3] reduce(%x1, %i), dimensions={1}, to_apply=%max\n" \
	"  %m1 = f32[3] maximum(%m0, %own)\n  %b1 = f32[3,4] broadcast(%m1), dimensions={0}\n  %d1 = f32[3,4] subtract(%x1, %b1)\n  %e1 = f32[3,4] exponential(%d1)\n" \
	"  %s1 = f32[3] reduce(%e1, %z), dimensions={1}, to_apply=%add\n  %o1 = f32[3] dot(%e1, %v1), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n" \
	"  %u = f32[] constant(1)\n  %ub = f32[3] broadcast(%u), dimensions={}\n  %mu = f32[3] multiply(%m1, %ub)\n" \
	"  %c = f32[3] subtract(%m0, %mu)\n  %f = f32[3] exponential(%c)\n  %sf = f32[3] multiply(%s0, %f)\n  %of = f32[3] multiply(%o0, %f)\n" \
	"  %sum = f32[3] add(%sf, %s1)\n  %acc = f32[3] add(" rescaled ", %o1)\n  ROOT %o = f32[3] divide(%acc, %sum)\n}\n"
#define STEPS_BASE ENTRY "  %x = f32[3,8] parameter(0)\n  %v = f32[8] parameter(1)\n  %i = f32[] constant(-inf)\n  %z = f32[] constant(0)\n" \
	"  %m = f32[3] reduce(%x, %i), dimensions={1}, to_apply=%max\n" LOGSUMEXP("8") \
	"  %a = f32[3] dot(%e, %v), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n  ROOT %o = f32[3] divide(%a, %s)\n}\n"
#define HASHED_MASK "  %a = u32[4] add(%i, %sb)\n  %m = u32[4] multiply(%a, %a)\n  %k = u32[] constant(7)\n  %kb = u32[4] broadcast(%k), dimensions={}\n  %h = u32[4] xor(%m, %kb)\n" \
	"  %l = pred[4] compare(%h, %kb), direction=GT\n  %z = f32[] constant(0)\n  %zb = f32[4] broadcast(%z), dimensions={}\n  ROOT %o = f32[4] select(%l, %x, %zb)\n}\n"
#define PACKED_BASE "  %x = f32[3] parameter(0)\n  %y = f32[4] parameter(1)\n  %u = f32[3] tanh(%x)\n  %w = f32[4] tanh(%y)\n  ROOT %o = (f32[3], f32[4]) tuple(%u, %w)\n}\n"
#define SCATTER_LOGS(head, n, places) head "  %x = f32[3] parameter(0)\n  %i = s32[3] parameter(1)\n  %l = f32[3] log(%x)\n" places \
	"  %r = s32[3,1] reshape(%j)\n  %z = f32[] constant(0)\n  %zz = f32[" n "] broadcast(%z), dimensions={}\n  ROOT %o = f32[" n "] scatter(%zz, %r, %l), " \
	"update_window_dims={}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=%add\n}\n"
#define PACKED(order, first, second) "  %x = f32[3] parameter(0)\n  %y = f32[4] parameter(1)\n  %c = f32[7] concatenate(" order "), dimensions={0}\n" ALL_REDUCE("%r", "7", "%c", "{0,1}") \
	"  %t = f32[3] slice(%r), slice=" first "\n  %v = f32[4] slice(%r), slice=" second "\n  %u = f32[3] tanh(%t)\n  %w = f32[4] tanh(%v)\n  ROOT %o = (f32[3], f32[4]) tuple(%u, %w)\n}\n"
#define PACKED_PLAN "mesh tp=2\ninput 0 tp:P(sum)\ninput 1 tp:P(sum)\noutput 0 R\noutput 1 R\n"
#define SCATTERED(n) \
	"  %run = f32[6,3] parameter(0)\n  %i = s32[" n ",1] parameter(1)\n  %u = f32[" n ",3] parameter(2)\n" \
	"  %acc = f32[6,3] scatter(%run, %i, %u), update_window_dims={1}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, " \
	"index_vector_dim=1, to_apply=%add\n"
#define SUMMED_TIMES(n, k) "  %x = f32[" n "] parameter(0)\n  %q = f32[" n "] multiply(%x, %x)\n  %z = f32[] constant(0)\n" \
	"  %s = f32[] reduce(%q, %z), dimensions={0}, to_apply=%add\n  %k = f32[] constant(" k ")\n"
#define EDGE_PAD(n, m) "  %x = f32[" n ",3] parameter(0)\n  %z = f32[] constant(0)\n  %p = f32[" m ",3] pad(%x, %z), padding=1_0x0_0\n"

#define ROW_AT(k, n) "  %p = f32[8,4] parameter(0)\n  %w = f32[4," n "] parameter(1)\n  %k = s32[] constant(" k ")\n  %z = s32[] constant(0)\n" \
	"  %r = f32[1,4] dynamic-slice(%p, %k, %z), dynamic_slice_sizes={1,4}\n  %t = f32[1,4] tanh(%r)\n" \
	"  ROOT %o = f32[1," n "] dot(%t, %w), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n}\n"
#define OWN_SLICE(k) "  %x = f32[6] parameter(0)\n  %t = f32[6] tanh(%x)\n  %p = u32[] partition-id()\n  %i = s32[] convert(%p)\n  %k = s32[] constant(" k ")\n" \
	"  %s = s32[] multiply(%i, %k)\n  ROOT %o = f32[3] dynamic-slice(%t, %s), dynamic_slice_sizes={3}\n}\n"
/* an angle that is a multiple of the position, and what is turned by it */
#define ANGLE(n, f) "  %x = f32[" n "] parameter(0)\n  %i = f32[" n "] iota(), iota_dimension=0\n  %f = f32[] constant(" f ")\n" \
	"  %fb = f32[" n "] broadcast(%f), dimensions={}\n  %a = f32[" n "] multiply(%i, %fb)\n  %c = f32[" n "] cosine(%a)\n  %u = f32[" n "] multiply(%x, %c)\n"
#define ROTATED(n) ANGLE(n, "0.5") "  %s = f32[" n "] sine(%a)\n  %v = f32[" n "] multiply(%x, %s)\n  ROOT %o = f32[" n "] subtract(%u, %v)\n}\n"
#define ROTATED_PLAN "mesh tp=2\ninput 0 tp:S(0)\noutput 0 tp:S(0)\n"

#define MEAN(n, count) "  %x = f32[" n "] parameter(0)\n  %z = f32[] constant(0)\n  %s = f32[] reduce(%x, %z), dimensions={0}, to_apply=%add\n  %n = f32[] constant(" count ")\n  %m = f32[] divide(%s, %n)\n"
#define WEIGHED(n, by) "  %x = f32[" n "] parameter(0)\n  %c = f32[] constant(" by ")\n  %b = f32[" n "] broadcast(%c), dimensions={}\n  %w = f32[" n "] multiply(%x, %b)\n" \
	"  %z = f32[] constant(0)\n  %m = f32[] reduce(%w, %z), dimensions={0}, to_apply=%add\n"
#define TWO_MEANS(n, count) MEAN(n, count) "  %y = f32[" n "] parameter(1)\n  %u = f32[] reduce(%y, %z), dimensions={0}, to_apply=%add\n  %v = f32[] divide(%u, %n)\n"
#define LOOK_UP(n) "  %t = f32[6] parameter(0)\n  %j = s32[" n ",1] reshape(%i)\n" \
	"  %g = f32[" n "] gather(%t, %j), offset_dims={}, collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=1, slice_sizes={1}\n  ROOT %o = f32[" n "] tanh(%g)\n"
#define LOOKED_UP(n, at) "  %i = s32[" n "] constant({" at "})\n" LOOK_UP(n)
#define LOOKED_UP_PLAN "mesh tp=2\ninput 0 R\noutput 0 tp:S(0)\n"

#define MICROBATCHES "  %x = f32[4,4] parameter(0)\n  %w = f32[4,3] parameter(1)\n  %n = f32[] constant(2)\n  %nb = f32[4,3] broadcast(%n), dimensions={}\n" \
	"  %x0 = f32[2,4] slice(%x), slice={[0:2], [0:4]}\n  %w0 = f32[2,3] slice(%w), slice={[0:2], [0:3]}\n" \
	"  %d0 = f32[4,3] dot(%x0, %w0), lhs_contracting_dims={0}, rhs_contracting_dims={0}\n" ALL_REDUCE("%p", "4,3", "%d0", "{0,1}") \
	"  %x1 = f32[2,4] slice(%x), slice={[2:4], [0:4]}\n  %w1 = f32[2,3] slice(%w), slice={[2:4], [0:3]}\n" \
	"  %d1 = f32[4,3] dot(%x1, %w1), lhs_contracting_dims={0}, rhs_contracting_dims={0}\n" ALL_REDUCE("%q", "4,3", "%d1", "{0,1}")
#define RUNNING(n, low) "  %x = f32[" n "] parameter(0)\n  %z = f32[] constant(0)\n" \
	"  %c = f32[" n "] reduce-window(%x, %z), window={size=" n " pad=" low "_0}, to_apply=%add\n"
#define OWN_PART "  %t = f32[4] parameter(0)\n  %i = s32[3,1] parameter(1)\n  %u = f32[3] parameter(2)\n  %p = u32[] partition-id()\n  %r = s32[] convert(%p)\n" \
	"  %n = s32[] constant(4)\n  %m = s32[] multiply(%r, %n)\n  %mb = s32[3,1] broadcast(%m), dimensions={}\n  %l = s32[3,1] subtract(%i, %mb)\n  %c0 = s32[] constant(0)\n" \
	"  %z = s32[3,1] broadcast(%c0), dimensions={}\n  %nb = s32[3,1] broadcast(%n), dimensions={}\n  %a = pred[3,1] compare(%l, %z), direction=GE\n" \
	"  %b = pred[3,1] compare(%l, %nb), direction=LT\n  %k2 = pred[3,1] and(%a, %b)\n  %k = pred[3] reshape(%k2)\n  %c3 = s32[] constant(3)\n" \
	"  %t3 = s32[3,1] broadcast(%c3), dimensions={}\n  %j0 = s32[3,1] maximum(%l, %z)\n  %j = s32[3,1] minimum(%j0, %t3)\n" \
	"  %g = f32[3] gather(%t, %j), offset_dims={}, collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=1, slice_sizes={1}\n" \
	"  %f = f32[] constant(0)\n  %fb = f32[3] broadcast(%f), dimensions={}\n  %s = f32[3] select(%k, %g, %fb)\n"

#define RING_PLAN "mesh tp=3\ninput 0 tp:S(1)\ninput 1 tp:S(0)\noutput 0 tp:S(0)\n"
#define RING_PART(k, at) "  %c" k " = s32[3] constant(" at ")\n  %i" k " = s32[1] dynamic-slice(%c" k ", %p), dynamic_slice_sizes={1}\n  %j" k " = s32[] reshape(%i" k ")\n" \
	"  %s" k " = f32[1,2] dynamic-slice(%y, %j" k ", %z), dynamic_slice_sizes={1,2}\n"
#define RING_HOP(name, of) "  " name " = f32[1,2] collective-permute(" of "), channel_id=1, source_target_pairs={{0,1},{1,2},{2,0}}\n"

#define ROW_PRODUCT(k, at) "  %c" k " = s32[3] constant(" at ")\n  %i" k " = s32[1] dynamic-slice(%c" k ", %p), dynamic_slice_sizes={1}\n  %j" k " = s32[] reshape(%i" k ")\n" \
	"  %s" k " = f32[1,2] dynamic-slice(%x, %j" k ", %z), dynamic_slice_sizes={1,2}\n  %d" k " = f32[1,2] dot(%s" k ", %w), " PRODUCT

static const struct fault_case fault_cases[] = {
	/* parts over tp are added over dp */
	{ ENTRY "  %x = f32[4,8] parameter(0)\n  %w = f32[8,6] parameter(1)\n  ROOT %y = f32[4,6] dot(%x, %w), " PRODUCT "}\n",
	  SPMD("4") "  %x = f32[2,4] parameter(0)\n  %w = f32[4,6] parameter(1)\n  %p = f32[2,6] dot(%x, %w), " PRODUCT
	  ALL_REDUCE("ROOT %y", "2,6", "%p", "{0,2},{1,3}") "}\n",
	  "mesh dp=2 tp=2\ninput 0 dp:S(0) tp:S(1)\ninput 1 tp:S(0)\noutput 0 dp:S(0)\n", "y",
	  "it adds over dp (groups {0,2},{1,3}), the parts lie over tp", FRONTIER_ALONE },
	/* parts over both axes are added over one */
	{ ENTRY "  %x = f32[4,8] parameter(0)\n  %w = f32[8,6] parameter(1)\n  %y = f32[4,6] dot(%x, %w), " PRODUCT "  ROOT %o = f32[4,6] tanh(%y)\n}\n",
	  SPMD("4") "  %x = f32[4,2] parameter(0)\n  %w = f32[2,6] parameter(1)\n  %p = f32[4,6] dot(%x, %w), " PRODUCT
	  ALL_REDUCE("%y", "4,6", "%p", "{0,1},{2,3}") "  ROOT %o = f32[4,6] tanh(%y)\n}\n",
	  "mesh dp=2 tp=2\ninput 0 dp:S(1) tp:S(1)\ninput 1 dp:S(0) tp:S(0)\noutput 0 R\n", "o",
	  "tanh of the parts of a sum is no part of tanh of the sum: an all-reduce over dp is missing before it", FRONTIER_DIFFERS },
	/* what every device holds is added up */
	{ ENTRY "  %x = f32[4] parameter(0)\n  ROOT %t = f32[4] tanh(%x)\n}\n",
	  SPMD("2") "  %x = f32[4] parameter(0)\n  %t = f32[4] tanh(%x)\n" ALL_REDUCE("ROOT %y", "4", "%t", "{0,1}") "}\n",
	  "mesh tp=2\ninput 0 R\noutput 0 R\n", "y", "it is 2 x %t: %t is the same on every device of tp and is counted 2 times", FRONTIER_SCALED },
	/* a mean of means, divided by the wrong axis's size: the last factor is blamed, not the first */
	{ ENTRY "  %x = f32[12] parameter(0)\n  %z = f32[] constant(0)\n  %s = f32[] reduce(%x, %z), dimensions={0}, to_apply=%add\n"
	  "  %n = f32[] constant(12)\n  %m = f32[] divide(%s, %n)\n  ROOT %o = f32[] tanh(%m)\n}\n",
	  SPMD("8") "  %x = f32[3] parameter(0)\n  %z = f32[] constant(0)\n  %s = f32[] reduce(%x, %z), dimensions={0}, to_apply=%add\n"
	  "  %n = f32[] constant(3)\n  %m = f32[] divide(%s, %n)\n" ALL_REDUCE("%r", "", "%m", "{0,2,4,6},{1,3,5,7}")
	  "  %k = f32[] constant(2)\n  %d = f32[] divide(%r, %k)\n  ROOT %o = f32[] tanh(%d)\n}\n",
	  "mesh dp=4 tp=2\ninput 0 dp:S(0)\noutput 0 R\n", "d",
	  "it is 2 x %m: %r is 4 x the baseline's, a factor of 1/4 would make up for it, 1/2 does not", FRONTIER_SCALED },
	/* blocks gathered by the minor axis first */
	{ ENTRY "  %w = f32[8,2] parameter(0)\n  %x = f32[3,8] parameter(1)\n  ROOT %y = f32[3,2] dot(%x, %w), " PRODUCT "}\n",
	  SPMD("4") "  %w = f32[2,2] parameter(0)\n  %x = f32[3,8] parameter(1)\n"
	  "  %g = f32[8,2] all-gather(%w), channel_id=1, replica_groups={{0,2,1,3}}, dimensions={0}, use_global_device_ids=true\n"
	  "  ROOT %y = f32[3,2] dot(%x, %g), " PRODUCT "}\n",
	  "mesh dp=2 fsdp=2\ninput 0 dp:S(0) fsdp:S(0)\ninput 1 R\noutput 0 R\n", "g",
	  "it puts the blocks in another order than the baseline's: it gathers over fsdp,dp (groups {0,2,1,3}), %w is S(0) over dp,fsdp of %w", FRONTIER_ORDER },
	/* maxima of the devices added up */
	{ ENTRY "  %x = f32[8] parameter(0)\n  %i = f32[] constant(-inf)\n  %m = f32[] reduce(%x, %i), dimensions={0}, to_apply=%max\n  ROOT %o = f32[] tanh(%m)\n}\n",
	  SPMD("2") "  %x = f32[4] parameter(0)\n  %i = f32[] constant(-inf)\n  %m = f32[] reduce(%x, %i), dimensions={0}, to_apply=%max\n" ALL_REDUCE("%r", "", "%m", "{0,1}")
	  "  ROOT %o = f32[] tanh(%r)\n}\n", "mesh tp=2\ninput 0 tp:S(0)\noutput 0 R\n", "r",
	  "it takes parts: %m is P(max) over tp; it puts them together by add, not by maximum", FRONTIER_DIFFERS },
	/* a pipeline: what every device makes of its own weights is right on one of them; the wrong one is kept */
	{ ENTRY "  %x = f32[2,3] parameter(0)\n  %w = f32[2,3,3] parameter(1)\n  %u = f32[1,3,3] slice(%w), slice={[0:1], [0:3], [0:3]}\n  %a = f32[3,3] reshape(%u)\n"
	  "  %p = f32[2,3] dot(%x, %a), " PRODUCT "  %h = f32[2,3] tanh(%p)\n  %v = f32[1,3,3] slice(%w), slice={[1:2], [0:3], [0:3]}\n  %b = f32[3,3] reshape(%v)\n"
	  "  %q = f32[2,3] dot(%h, %b), " PRODUCT "  ROOT %o = f32[2,3] tanh(%q)\n}\n",
	  SPMD("2") "  %x = f32[2,3] parameter(0)\n  %w = f32[1,3,3] parameter(1)\n  %a = f32[3,3] reshape(%w)\n  %p = f32[2,3] dot(%x, %a), " PRODUCT
	  "  %h = f32[2,3] tanh(%p)\n  %g = f32[2,3] collective-permute(%h), channel_id=1, source_target_pairs={{0,1},{1,0}}\n  %q = f32[2,3] dot(%g, %a), " PRODUCT
	  "  %y = f32[2,3] tanh(%q)\n  %r = u32[] partition-id()\n  %k = u32[] constant(0)\n  %c = pred[] compare(%r, %k), direction=EQ\n  %cb = pred[2,3] broadcast(%c), dimensions={}\n"
	  "  %z = f32[] constant(0)\n  %zb = f32[2,3] broadcast(%z), dimensions={}\n  %s = f32[2,3] select(%cb, %y, %zb)\n" ALL_REDUCE("ROOT %o", "2,3", "%s", "{0,1}") "}\n",
	  "mesh pp=2\ninput 0 R\ninput 1 pp:S(0)\noutput 0 R\n", "s",
	  "on device 0 it takes %y, where that is nothing of the baseline's; on device 1 that is %o of the baseline, and not taken", FRONTIER_ALONE },
	/* .. and shards */
	{ ENTRY "  %x = f32[8] parameter(0)\n  %t = f32[8] tanh(%x)\n  ROOT %o = f32[8] negate(%t)\n}\n",
	  SPMD("2") "  %x = f32[4] parameter(0)\n  %t = f32[4] tanh(%x)\n" ALL_REDUCE("%r", "4", "%t", "{0,1}") "  ROOT %o = f32[4] negate(%r)\n}\n",
	  "mesh tp=2\ninput 0 tp:S(0)\noutput 0 tp:S(0)\n", "r", "it adds up over tp places that each device has for itself: %t is S(0) over tp of %t", FRONTIER_DIFFERS },
	/* rows that every device takes alike, used after a step in between */
	{ ENTRY "  %x = f32[4,3] parameter(0)\n  %p = f32[4,3] parameter(1)\n  %t = f32[4,3] tanh(%p)\n  ROOT %o = f32[4,3] multiply(%x, %t)\n}\n",
	  SPMD("2") "  %x = f32[2,3] parameter(0)\n  %p = f32[4,3] parameter(1)\n  %s = f32[2,3] slice(%p), slice={[0:2], [0:3]}\n  %t = f32[2,3] tanh(%s)\n"
	  "  ROOT %o = f32[2,3] multiply(%x, %t)\n}\n", "mesh tp=2\ninput 0 tp:S(0)\ninput 1 R\noutput 0 tp:S(0)\n", "s",
	  "every device of tp takes rows 0, 1 of %p, and %o takes them with %x, which is S(0) over tp of %x", FRONTIER_DIFFERS },
	/* a convolution of shards without the places next to their edges */
	{ ENTRY "  %x = f32[1,8,1] parameter(0)\n  %k = f32[3,1,1] parameter(1)\n  ROOT %y = f32[1,8,1] convolution(%x, %k), window={size=3 pad=1_1}, dim_labels=b0f_0io->b0f\n}\n",
	  SPMD("2") "  %x = f32[1,4,1] parameter(0)\n  %k = f32[3,1,1] parameter(1)\n  ROOT %y = f32[1,4,1] convolution(%x, %k), window={size=3 pad=1_1}, dim_labels=b0f_0io->b0f\n}\n",
	  "mesh sp=2\ninput 0 sp:S(1)\ninput 1 R\noutput 0 sp:S(1)\n", "y",
	  "%x is S(1) over sp of %x: a window that reaches over the edge of a shard takes padding there", FRONTIER_DIFFERS },
	/* .. gathered side by side, and put together wrongly */
	{ ENTRY "  %x = f32[4,8] parameter(0)\n  %w = f32[8,3] parameter(1)\n  ROOT %y = f32[4,3] dot(%x, %w), " PRODUCT "}\n",
	  SPMD("2") "  %x = f32[4,4] parameter(0)\n  %w = f32[8,3] parameter(1)\n  %u = f32[1,4,4] reshape(%x)\n"
	  "  %g = f32[2,4,4] all-gather(%u), channel_id=1, replica_groups={{0,1}}, dimensions={0}, use_global_device_ids=true\n"
	  "  %r = f32[4,8] reshape(%g)\n  ROOT %y = f32[4,3] dot(%r, %w), " PRODUCT "}\n",
	  "mesh tp=2\ninput 0 tp:S(1)\ninput 1 R\noutput 0 R\n", "r", "it puts the blocks together in another order than the baseline's: %g is R; transpose", FRONTIER_ORDER },
	/* the sum of each device's own means */
	{ ENTRY "  %x = f32[12] parameter(0)\n  %z = f32[] constant(0)\n  %s = f32[] reduce(%x, %z), dimensions={0}, to_apply=%add\n"
	  "  %n = f32[] constant(12)\n  %m = f32[] divide(%s, %n)\n  ROOT %o = f32[] tanh(%m)\n}\n",
	  SPMD("4") "  %x = f32[3] parameter(0)\n  %z = f32[] constant(0)\n  %s = f32[] reduce(%x, %z), dimensions={0}, to_apply=%add\n"
	  "  %n = f32[] constant(3)\n  %m = f32[] divide(%s, %n)\n" ALL_REDUCE("%r", "", "%m", "{0,1,2,3}") "  ROOT %o = f32[] tanh(%r)\n}\n",
	  "mesh dp=4\ninput 0 dp:S(0)\noutput 0 R\n", "r", "it adds up over dp what every device has for itself: "
	  "%m: it divides by 3, %m of the baseline divides by 12; a factor of 1/4 is due after it", FRONTIER_SCALED },
	/* the same number after the sum: nothing more is due after another */
	{ ENTRY "  %x = f32[12] parameter(0)\n  %z = f32[] constant(0)\n  %s = f32[] reduce(%x, %z), dimensions={0}, to_apply=%add\n  %n = f32[] constant(12)\n"
	  "  %m = f32[] divide(%s, %n)\n  %mb = f32[12] broadcast(%m), dimensions={}\n  %d = f32[12] subtract(%x, %mb)\n  %q = f32[12] multiply(%d, %d)\n"
	  "  ROOT %o = f32[] reduce(%q, %z), dimensions={0}, to_apply=%add\n}\n",
	  SPMD("4") "  %x = f32[3] parameter(0)\n  %z = f32[] constant(0)\n  %own = f32[] reduce(%x, %z), dimensions={0}, to_apply=%add\n" ALL_REDUCE("%s", "", "%own", "{0,1,2,3}")
	  "  %n = f32[] constant(0.25)\n  %m = f32[] multiply(%s, %n)\n  %mb = f32[3] broadcast(%m), dimensions={}\n  %d = f32[3] subtract(%x, %mb)\n  %q = f32[3] multiply(%d, %d)\n"
	  "  %p = f32[] reduce(%q, %z), dimensions={0}, to_apply=%add\n" ALL_REDUCE("ROOT %o", "", "%p", "{0,1,2,3}") "}\n",
	  "mesh dp=4\ninput 0 dp:S(0)\noutput 0 R\n", "m", "it is 3 x %m: it multiplies by 1/4, %m of the baseline divides by 12", FRONTIER_SCALED },
	/* one number here, two in the baseline */
	{ ENTRY "  %x = f32[4] parameter(0)\n  %a = f32[4] sine(%x)\n  %k = f32[] constant(2)\n  %kb = f32[4] broadcast(%k), dimensions={}\n  %u = f32[4] divide(%a, %kb)\n"
	  "  %c = f32[] constant(3)\n  %cb = f32[4] broadcast(%c), dimensions={}\n  %v = f32[4] divide(%u, %cb)\n  ROOT %o = f32[4] tanh(%v)\n}\n",
	  SPMD("2") "  %x = f32[2] parameter(0)\n  %a = f32[2] sine(%x)\n  %k = f32[] constant(0.125)\n  %kb = f32[2] broadcast(%k), dimensions={}\n"
	  "  %v = f32[2] multiply(%a, %kb)\n  ROOT %o = f32[2] tanh(%v)\n}\n", "mesh dp=2\ninput 0 dp:S(0)\noutput 0 dp:S(0)\n", "v",
	  "it is 3/4 x %v: it multiplies %a by 1/8, the baseline by 1/6 in %v", FRONTIER_SCALED },
	/* means of each device's own, added up and divided, but packed in another order */
	{ ENTRY "  %x = f32[4,3] parameter(0)\n  %y = f32[4,2] parameter(1)\n  %z = f32[] constant(0)\n  %k = f32[] constant(4)\n  %kb = f32[3] broadcast(%k), dimensions={}\n"
	  "  %kc = f32[2] broadcast(%k), dimensions={}\n  %a = f32[3] reduce(%x, %z), dimensions={0}, to_apply=%add\n  %b = f32[2] reduce(%y, %z), dimensions={0}, to_apply=%add\n"
	  "  %am = f32[3] divide(%a, %kb)\n  %bm = f32[2] divide(%b, %kc)\n  %c = f32[5] concatenate(%am, %bm), dimensions={0}\n  ROOT %o = f32[5] tanh(%c)\n}\n",
	  SPMD("2") "  %x = f32[2,3] parameter(0)\n  %y = f32[2,2] parameter(1)\n  %z = f32[] constant(0)\n  %k = f32[] constant(2)\n  %kb = f32[3] broadcast(%k), dimensions={}\n"
	  "  %kc = f32[2] broadcast(%k), dimensions={}\n  %a = f32[3] reduce(%x, %z), dimensions={0}, to_apply=%add\n  %b = f32[2] reduce(%y, %z), dimensions={0}, to_apply=%add\n"
	  "  %am = f32[3] divide(%a, %kb)\n  %bm = f32[2] divide(%b, %kc)\n  %c = f32[5] concatenate(%bm, %am), dimensions={0}\n" ALL_REDUCE("%r", "5", "%c", "{0,1}")
	  "  %kd = f32[5] broadcast(%k), dimensions={}\n  %m = f32[5] divide(%r, %kd)\n  ROOT %o = f32[5] tanh(%m)\n}\n",
	  "mesh dp=2\ninput 0 dp:S(0)\ninput 1 dp:S(0)\noutput 0 R\n", "c",
	  "it puts %bm, %am together in this order, %c of the baseline their counterparts in the order %am, %bm", FRONTIER_DIFFERS },
	/* sorted by every device for itself */
	{ "HloModule m\n\n%gt (a: f32[], b: f32[]) -> pred[] {\n  %a = f32[] parameter(0)\n  %b = f32[] parameter(1)\n  ROOT %c = pred[] compare(%a, %b), direction=GT, type=TOTALORDER\n}\n\n"
	  "ENTRY %main {\n  %x = f32[8] parameter(0)\n  %s = f32[8] sort(%x), dimensions={0}, to_apply=%gt\n  %t = f32[2] slice(%s), slice={[0:2]}\n  ROOT %o = f32[2] tanh(%t)\n}\n",
	  "HloModule m, num_partitions=2\n\n%gt (a: f32[], b: f32[]) -> pred[] {\n  %a = f32[] parameter(0)\n  %b = f32[] parameter(1)\n  ROOT %c = pred[] compare(%a, %b), direction=GT, type=TOTALORDER\n}\n\n"
	  "ENTRY %main {\n  %x = f32[4] parameter(0)\n  %s = f32[4] sort(%x), dimensions={0}, to_apply=%gt\n  %t = f32[2] slice(%s), slice={[0:2]}\n  ROOT %o = f32[2] tanh(%t)\n}\n",
	  "mesh tp=2\ninput 0 tp:S(0)\noutput 0 R\n", "s", "it takes each device's own part of %x over tp, %s of the baseline takes all of it", FRONTIER_DIFFERS },
	/* shards reshaped as the whole is */
	{ ENTRY "  %x = f32[12,8] parameter(0)\n  %w = f32[6,5] parameter(1)\n  %r = f32[16,6] reshape(%x)\n  %t = f32[16,6] tanh(%r)\n  ROOT %y = f32[16,5] dot(%t, %w), " PRODUCT "}\n",
	  SPMD("4") "  %x = f32[12,2] parameter(0)\n  %w = f32[6,5] parameter(1)\n  %r = f32[4,6] reshape(%x)\n  %t = f32[4,6] tanh(%r)\n  ROOT %y = f32[4,5] dot(%t, %w), " PRODUCT "}\n",
	  "mesh tp=4\ninput 0 tp:S(1)\ninput 1 R\noutput 0 tp:S(0)\n", "r",
	  "it puts the blocks together in another order than the baseline's: %x is S(1) over tp of %x; it is", FRONTIER_ORDER },
	/* the copy of a padded input is what the input is */
	{ ENTRY "  %x = f32[7,2] parameter(0)\n  %t = f32[7,2] tanh(%x)\n  %z = f32[] constant(0)\n  ROOT %s = f32[2] reduce(%t, %z), dimensions={0}, to_apply=%add\n}\n",
	  SPMD("2") "  %x = f32[4,2] parameter(0)\n  %c = f32[4,2] copy(%x)\n  %t = f32[4,2] cosine(%c)\n  %z = f32[] constant(0)\n  %r = f32[2] reduce(%t, %z), dimensions={0}, to_apply=%add\n"
	  ALL_REDUCE("ROOT %s", "2", "%r", "{0,1}") "}\n",
	  "mesh tp=2\ninput 0 pad(0; 8; 0) tp:S(0)\noutput 0 R\n", "t", "", FRONTIER_DIFFERS },
	/* exponentials of what all have, added up */
	{ MAX_BASE, SPMD("2") "  %x = f32[3,8] parameter(0)\n  %i = f32[] constant(-inf)\n  %z = f32[] constant(0)\n  %own = f32[3] reduce(%x, %i), dimensions={1}, to_apply=%max\n"
	  MAX_ALL LOGSUMEXP("8") ALL_REDUCE("%r", "3", "%s", "{0,1}") "  %l = f32[3] log(%r)\n  ROOT %o = f32[3] add(%l, %m)\n}\n",
	  "mesh tp=2\ninput 0 R\noutput 0 R\n", "r", "it is 2 x %s: %s is the same on every device of tp and is counted 2 times", FRONTIER_SCALED },
	/* another shift is not blamed beside what is certain */
	{ ENTRY "  %x = f32[3,8] parameter(0)\n  %w = f32[4] parameter(1)\n  %i = f32[] constant(-inf)\n  %z = f32[] constant(0)\n  %m = f32[3] reduce(%x, %i), dimensions={1}, to_apply=%max\n"
	  "  %mb = f32[3,8] broadcast(%m), dimensions={0}\n  %d = f32[3,8] subtract(%x, %mb)\n  %s = f32[] reduce(%w, %z), dimensions={0}, to_apply=%add\n"
	  "  %t = f32[] tanh(%s)\n  %tb = f32[3,8] broadcast(%t), dimensions={}\n  ROOT %o = f32[3,8] multiply(%d, %tb)\n}\n",
	  SPMD("2") "  %x = f32[3,8] parameter(0)\n  %w = f32[2] parameter(1)\n  %i = f32[] constant(-inf)\n  %z = f32[] constant(0)\n  %own = f32[3] reduce(%x, %i), dimensions={1}, to_apply=%max\n"
	  "  %c = f32[] constant(5)\n  %cb = f32[3] broadcast(%c), dimensions={}\n  %m = f32[3] maximum(%own, %cb)\n  %mb = f32[3,8] broadcast(%m), dimensions={0}\n"
	  "  %d = f32[3,8] subtract(%x, %mb)\n  %s = f32[] reduce(%w, %z), dimensions={0}, to_apply=%add\n  %t = f32[] tanh(%s)\n  %tb = f32[3,8] broadcast(%t), dimensions={}\n"
	  "  ROOT %o = f32[3,8] multiply(%d, %tb)\n}\n", "mesh tp=2\ninput 0 R\ninput 1 tp:S(0)\noutput 0 R\n", "t",
	  "an all-reduce over tp is missing before it", FRONTIER_DIFFERS },
	/* a sum over shards as well as parts */
	{ ENTRY "  %x = f32[8,4] parameter(0)\n  %z = f32[] constant(0)\n  %s = f32[4] reduce(%x, %z), dimensions={0}, to_apply=%add\n  ROOT %o = f32[4] tanh(%s)\n}\n",
	  SPMD("4") "  %x = f32[4,2] parameter(0)\n  %z = f32[] constant(0)\n  %s = f32[2] reduce(%x, %z), dimensions={0}, to_apply=%add\n" ALL_REDUCE("%r", "2", "%s", "{0,1,2,3}")
	  "  ROOT %o = f32[2] tanh(%r)\n}\n", "mesh a=2 b=2\ninput 0 a:S(0) b:S(1)\noutput 0 b:S(0)\n", "r",
	  "it takes parts: %s is S(0) over b · P(sum) over a; it adds over a,b, and over b each device has places of its own", FRONTIER_DIFFERS },
	/* a sum over one axis of two */
	{ ENTRY "  %x = f32[8] parameter(0)\n  %z = f32[] constant(0)\n  %s = f32[] reduce(%x, %z), dimensions={0}, to_apply=%add\n  ROOT %o = f32[] tanh(%s)\n}\n",
	  SPMD("4") "  %x = f32[2] parameter(0)\n  %z = f32[] constant(0)\n  %s = f32[] reduce(%x, %z), dimensions={0}, to_apply=%add\n" ALL_REDUCE("%r", "", "%s", "{0,2},{1,3}")
	  "  ROOT %o = f32[] tanh(%r)\n}\n", "mesh a=2 b=2\ninput 0 a:S(0) b:S(0)\noutput 0 R\n", "o",
	  "an all-reduce over b is missing before it, %r adds over a (groups {0,2},{1,3}) only", FRONTIER_DIFFERS },
	/* a number beside the baseline's */
	{ ENTRY "  %x = f32[4] parameter(0)\n  %w = f32[4] parameter(1)\n  %t = f32[4] tanh(%x)\n  %k = f32[] constant(0.5)\n  %b = f32[4] broadcast(%k), dimensions={}\n"
	  "  %s = f32[4] multiply(%t, %b)\n  ROOT %o = f32[4] subtract(%w, %s)\n}\n",
	  SPMD("2") "  %x = f32[4] parameter(0)\n  %w = f32[4] parameter(1)\n  %t = f32[4] tanh(%x)\n  %n = f32[] constant(3)\n  %nb = f32[4] broadcast(%n), dimensions={}\n"
	  "  %m = f32[4] multiply(%t, %nb)\n  %k = f32[] constant(0.5)\n  %b = f32[4] broadcast(%k), dimensions={}\n  %s = f32[4] multiply(%m, %b)\n  ROOT %o = f32[4] subtract(%w, %s)\n}\n",
	  "mesh tp=2\ninput 0 R\ninput 1 R\noutput 0 R\n", "m",
	  "it multiplies by 3: %t is R of %t, and %s does what %s of the baseline does: a factor too many", FRONTIER_SCALED },
	/* a square of a multiple is one that follows from it */
	{ ENTRY "  %x = f32[4] parameter(0)\n  %t = f32[4] tanh(%x)\n  %k = f32[] constant(2)\n  %b = f32[4] broadcast(%k), dimensions={}\n  %p = f32[4] power(%t, %b)\n  ROOT %o = f32[4] add(%p, %t)\n}\n",
	  SPMD("2") "  %x = f32[4] parameter(0)\n  %t = f32[4] tanh(%x)\n" ALL_REDUCE("%r", "4", "%t", "{0,1}")
	  "  %k = f32[] constant(2)\n  %b = f32[4] broadcast(%k), dimensions={}\n  %p = f32[4] power(%r, %b)\n  ROOT %o = f32[4] add(%p, %t)\n}\n",
	  "mesh tp=2\ninput 0 R\noutput 0 R\n", "r", "it is 2 x %t: %t is the same on every device of tp and is counted 2 times", FRONTIER_SCALED },
	/* .. of a copy, where the baseline only transposes */
	{ ENTRY "  %w = f32[8,2] parameter(0)\n  %x = f32[8,3] parameter(1)\n  %t = f32[2,8] transpose(%w), dimensions={1,0}\n  ROOT %y = f32[2,3] dot(%t, %x), " PRODUCT "}\n",
	  SPMD("4") "  %w = f32[2,2] parameter(0)\n  %x = f32[8,3] parameter(1)\n  %c = f32[2,2] copy(%w)\n"
	  "  %g = f32[8,2] all-gather(%c), channel_id=1, replica_groups={{0,2,1,3}}, dimensions={0}, use_global_device_ids=true\n"
	  "  %t = f32[2,8] transpose(%g), dimensions={1,0}\n  ROOT %y = f32[2,3] dot(%t, %x), " PRODUCT "}\n",
	  "mesh dp=2 fsdp=2\ninput 0 dp:S(0) fsdp:S(0)\ninput 1 R\noutput 0 R\n", "g",
	  "it puts the blocks in another order than the baseline's: it gathers over fsdp,dp (groups {0,2,1,3}), %c is S(0) over dp,fsdp of %w", FRONTIER_ORDER },
	/* a place that every device counts in its shard is right, the mask is missing */
	{ ENTRY "  %w = f32[8,2] parameter(0)\n  %i = s32[3,1] parameter(1)\n"
	  "  ROOT %y = f32[3,2] gather(%w, %i), offset_dims={1}, collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=1, slice_sizes={1,2}\n}\n",
	  SPMD("2") "  %w = f32[4,2] parameter(0)\n  %i = s32[3,1] parameter(1)\n  %p = u32[] partition-id()\n  %q = s32[] convert(%p)\n  %f = s32[] constant(4)\n"
	  "  %o = s32[] multiply(%q, %f)\n  %ob = s32[3,1] broadcast(%o), dimensions={}\n  %l = s32[3,1] subtract(%i, %ob)\n"
	  "  %g = f32[3,2] gather(%w, %l), offset_dims={1}, collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=1, slice_sizes={1,2}\n"
	  ALL_REDUCE("ROOT %y", "3,2", "%g", "{0,1}") "}\n",
	  "mesh tp=2\ninput 0 tp:S(0)\ninput 1 R\ninput 1 in 0..7\noutput 0 R\n", "g",
	  "it is fed by %l, index arithmetic the baseline does not have; %y adds up over tp (groups {0,1}) what all devices find, no mask takes out the places of others",
	  FRONTIER_DIFFERS },
	/* .. of an output: behind the gather it is only moved */
	{ ENTRY "  %w = f32[8,2] parameter(0)\n  ROOT %y = f32[8,2] tanh(%w)\n}\n",
	  SPMD("2") "  %w = f32[4,2] parameter(0)\n  %t = f32[4,2] tanh(%w)\n"
	  "  %u = f32[4,1,2] reshape(%t)\n  %g = f32[4,2,2] all-gather(%u), channel_id=1, replica_groups={{0,1}}, dimensions={1}, use_global_device_ids=true\n"
	  "  %r = f32[8,2] reshape(%g)\n  ROOT %y = f32[8,2] copy(%r)\n}\n",
	  "mesh dp=2\ninput 0 dp:S(0)\noutput 0 R\n", "g",
	  "it puts places in another order than the baseline's: it does all-gather over dp (groups {0,1}), %u is S(0) over dp", FRONTIER_RELATION },
	/* .. and nothing moves between devices: where the order is lost */
	{ ENTRY "  %w = f32[4,4] parameter(0)\n  %t = f32[4,4] tanh(%w)\n  ROOT %y = f32[4,4] negate(%t)\n}\n",
	  SPMD("2") "  %w = f32[4,2] parameter(0)\n  %t = f32[4,2] tanh(%w)\n  %r = f32[2,4] reshape(%t)\n  ROOT %y = f32[2,4] negate(%r)\n}\n",
	  "mesh dp=2\ninput 0 dp:S(1)\noutput 0 dp:S(0)\n", "r", "it puts places in another order than the baseline's: it does reshape, %t is S(1) over dp of %t",
	  FRONTIER_RELATION },
	/* a mean of each device's own, right for the mean of them, and taken for it as well */
	{ ENTRY "  %x = f32[12] parameter(0)\n  %z = f32[] constant(0)\n  %s = f32[] reduce(%x, %z), dimensions={0}, to_apply=%add\n"
	  "  %n = f32[] constant(12)\n  %m = f32[] divide(%s, %n)\n  %b = f32[12] broadcast(%m), dimensions={}\n  %d = f32[12] subtract(%x, %b)\n"
	  "  %t = f32[12] tanh(%d)\n  %e = f32[12] multiply(%d, %b)\n  ROOT %o = f32[12] add(%t, %e)\n}\n",
	  SPMD("4") "  %x = f32[3] parameter(0)\n  %z = f32[] constant(0)\n  %s = f32[] reduce(%x, %z), dimensions={0}, to_apply=%add\n"
	  "  %n = f32[] constant(3)\n  %l = f32[] divide(%s, %n)\n" ALL_REDUCE("%r", "", "%l", "{0,1,2,3}")
	  "  %k = f32[] constant(4)\n  %m = f32[] divide(%r, %k)\n  %b = f32[3] broadcast(%m), dimensions={}\n  %lb = f32[3] broadcast(%l), dimensions={}\n"
	  "  %d = f32[3] subtract(%x, %lb)\n  %t = f32[3] tanh(%d)\n  %e = f32[3] multiply(%d, %b)\n  ROOT %o = f32[3] add(%t, %e)\n}\n",
	  "mesh dp=4\ninput 0 dp:S(0)\noutput 0 dp:S(0)\n", "d", "it takes each device's own mean: %lb is P(sum) over dp of 4 x %b: the mean over dp is missing before it", FRONTIER_DIFFERS },
	/* blocks added up that were each scaled for a mean of their own: the factor is missed where the sum over all of them is known */
	{ ENTRY "  %x = f32[8,3] parameter(0)\n  %n = f32[] constant(0.125)\n  %b = f32[8,3] broadcast(%n), dimensions={}\n  %t = f32[8,3] tanh(%x)\n"
	  "  %m = f32[8,3] multiply(%t, %b)\n  %z = f32[] constant(0)\n  %s = f32[3] reduce(%m, %z), dimensions={0}, to_apply=%add\n  ROOT %o = f32[3] tanh(%s)\n}\n",
	  SPMD("2") "  %x = f32[4,3] parameter(0)\n  %n = f32[] constant(0.5)\n  %b = f32[2,3] broadcast(%n), dimensions={}\n  %z = f32[] constant(0)\n"
	  "  %x0 = f32[2,3] slice(%x), slice={[0:2], [0:3]}\n  %t0 = f32[2,3] tanh(%x0)\n  %m0 = f32[2,3] multiply(%t0, %b)\n"
	  "  %s0 = f32[3] reduce(%m0, %z), dimensions={0}, to_apply=%add\n"
	  "  %x1 = f32[2,3] slice(%x), slice={[2:4], [0:3]}\n  %t1 = f32[2,3] tanh(%x1)\n  %m1 = f32[2,3] multiply(%t1, %b)\n"
	  "  %s1 = f32[3] reduce(%m1, %z), dimensions={0}, to_apply=%add\n  %a = f32[3] add(%s0, %s1)\n" ALL_REDUCE("%r", "3", "%a", "{0,1}")
	  "  %k = f32[] constant(2)\n  %kb = f32[3] broadcast(%k), dimensions={}\n  %d = f32[3] divide(%r, %kb)\n  ROOT %o = f32[3] tanh(%d)\n}\n",
	  "mesh dp=2\ninput 0 dp:S(0)\noutput 0 R\n", "d", "it is 2 x %s: %r is 4 x the baseline's, a factor of 1/4 would make up for it, 1/2 does not",
	  FRONTIER_SCALED },
	/* means that are added, the one without its weight: each is right as such */
	{ ENTRY TWO_MEANS("8", "8") "  %h = f32[] constant(0.25)\n  %w = f32[] multiply(%v, %h)\n  %a = f32[] add(%m, %w)\n  ROOT %o = f32[] tanh(%a)\n}\n",
	  SPMD("2") TWO_MEANS("4", "4") "  %a = f32[] add(%m, %v)\n" ALL_REDUCE("%r", "", "%a", "{0,1}")
	  "  %k = f32[] constant(2)\n  %d = f32[] divide(%r, %k)\n  ROOT %o = f32[] tanh(%d)\n}\n",
	  "mesh dp=2\ninput 0 dp:S(0)\ninput 1 dp:S(0)\noutput 0 R\n", "a", "on average over dp it takes", FRONTIER_DIFFERS },
	/* a factor beside a mean of means that is made rightly */
	{ ENTRY WEIGHED("12", "0.0625") "  ROOT %o = f32[] tanh(%m)\n}\n",
	  SPMD("4") WEIGHED("3", "0.25") "  %t = f32[] constant(2)\n  %f = f32[] multiply(%m, %t)\n" ALL_REDUCE("%r", "", "%f", "{0,1,2,3}")
	  "  %k = f32[] constant(4)\n  %d = f32[] divide(%r, %k)\n  ROOT %o = f32[] tanh(%d)\n}\n",
	  "mesh dp=4\ninput 0 dp:S(0)\noutput 0 R\n", "f",
	  "%m is each device's own mean, for the mean over dp, and this multiplies by 2: a factor too many", FRONTIER_SCALED },
	/* averaged within groups only */
	{ ENTRY MEAN("12", "12") "  ROOT %o = f32[] negate(%m)\n}\n",
	  SPMD("4") MEAN("3", "3") ALL_REDUCE("%r", "", "%m", "{0,1},{2,3}")
	  "  %k = f32[] constant(2)\n  %d = f32[] divide(%r, %k)\n  ROOT %o = f32[] negate(%d)\n}\n",
	  "mesh node=2 dp=2\ninput 0 node:S(0) dp:S(0)\noutput 0 R\n", "d", "%r adds over dp (groups {0,1},{2,3}) only, the mean over node is missing", FRONTIER_SCALED },
	/* parts of one sum, taken twice */
	{ ENTRY "  %x = f32[4,8] parameter(0)\n  %w = f32[8,6] parameter(1)\n  %y = f32[4,6] dot(%x, %w), " PRODUCT
	  "  %t = f32[4,6] tanh(%y)\n  %n = f32[4,6] negate(%y)\n  %e = f32[4,6] exponential(%n)\n  ROOT %o = f32[4,6] add(%t, %e)\n}\n",
	  SPMD("2") "  %x = f32[4,4] parameter(0)\n  %w = f32[4,6] parameter(1)\n  %y = f32[4,6] dot(%x, %w), " PRODUCT
	  "  %t = f32[4,6] tanh(%y)\n  %n = f32[4,6] negate(%y)\n  %e = f32[4,6] exponential(%n)\n  ROOT %o = f32[4,6] add(%t, %e)\n}\n",
	  "mesh tp=2\ninput 0 tp:S(1)\ninput 1 tp:S(0)\noutput 0 R\n", "t",
	  "tanh of the parts of a sum is no part of tanh of the sum: an all-reduce over tp is missing before it; for the same reason %e", FRONTIER_DIFFERS },
	/* what is made of integers in a way of its own is not blamed beside it */
	{ ENTRY "  %x = f32[4,8] parameter(0)\n  %i = s32[4] parameter(1)\n  %z = f32[] constant(0)\n  %y = f32[4] reduce(%x, %z), dimensions={1}, to_apply=%add\n"
	  "  %t = f32[4] tanh(%y)\n  %f = f32[4] convert(%i)\n  %g = f32[4] multiply(%f, %f)\n  ROOT %o = f32[4] multiply(%t, %g)\n}\n",
	  SPMD("2") "  %x = f32[4,4] parameter(0)\n  %i = s32[4] parameter(1)\n  %z = f32[] constant(0)\n  %y = f32[4] reduce(%x, %z), dimensions={1}, to_apply=%add\n"
	  "  %t = f32[4] tanh(%y)\n  %f = f32[4] convert(%i)\n  %g = f32[4] cosine(%f)\n  ROOT %o = f32[4] multiply(%t, %g)\n}\n",
	  "mesh tp=2\ninput 0 tp:S(1)\ninput 1 R\noutput 0 R\n", "t",
	  "tanh of the parts of a sum is no part of tanh of the sum: an all-reduce over tp is missing before it", FRONTIER_DIFFERS },
	/* padding, copied before it does harm */
	{ ENTRY "  %x = f32[6,2] parameter(0)\n  %i = f32[] constant(-inf)\n  ROOT %o = f32[2] reduce(%x, %i), dimensions={0}, to_apply=%max\n}\n",
	  SPMD("4") "  %x = f32[2,2] parameter(0)\n  %c = f32[2,2] copy(%x)\n  %i = f32[] constant(-inf)\n  %m = f32[2] reduce(%c, %i), dimensions={0}, to_apply=%max\n"
	  "  ROOT %o = f32[2] all-reduce(%m), channel_id=1, replica_groups={{0,1,2,3}}, use_global_device_ids=true, to_apply=%max\n}\n",
	  "mesh tp=4\ninput 0 pad(0; 8) tp:S(0)\noutput 0 R\n", "m", "it takes in the padding of %c, which holds arbitrary values: pad(0; 8) tp:S(0)", FRONTIER_DIFFERS },
	/* exponentials relative to a maximum: that of the devices for themselves, summed over them */
	{ MAX_BASE, MAX_DIST "  %m = f32[3] copy(%own)\n" LOGSUMEXP("4") ALL_REDUCE("%r", "3", "%s", "{0,1}") "  %l = f32[3] log(%r)\n  ROOT %o = f32[3] add(%l, %m)\n}\n",
	  MAX_PLAN, "r", "it adds up over tp (groups {0,1}) what each device has taken relative to a maximum of its own, %own: %s has the factor exp(-%own)", FRONTIER_ALONE },
	/* .. the maximum over all of them, but not their sum */
	{ ENTRY "  %x = f32[3,8] parameter(0)\n  %i = f32[] constant(-inf)\n  %z = f32[] constant(0)\n  %n = f32[3] reduce(%x, %i), dimensions={1}, to_apply=%max\n"
	  "  %y = pred[3] is-finite(%n)\n  %zb = f32[3] broadcast(%z), dimensions={}\n  %m = f32[3] select(%y, %n, %zb)\n" LOGSUMEXP("8")
	  "  %l = f32[3] log(%s)\n  ROOT %o = f32[3] add(%l, %m)\n}\n", MAX_DIST MAX_ALL LOGSUMEXP("4") "  %l = f32[3] log(%s)\n  %k = f32[3] add(%l, %m)\n" ALL_REDUCE("%r", "3", "%k", "{0,1}")
	  "  %h = f32[] constant(0.5)\n  %hb = f32[3] broadcast(%h), dimensions={}\n  ROOT %o = f32[3] multiply(%r, %hb)\n}\n", MAX_PLAN, "k",
	  "it takes each device's own sum: %s is not added up over tp, though %m, which it is relative to, is the maximum over all of them", FRONTIER_DIFFERS },
	/* .. of two steps, one of which is not rescaled */
	{ STEPS_BASE, STEPS_DIST("%o0"), "mesh tp=2\ninput 0 R\ninput 1 R\noutput 0 R\n", "acc",
	  "its operands are taken relative to different maxima: %o0 has the factor exp(-%m0), %o1 has exp(-%m1): one is to be rescaled before", FRONTIER_ALONE },
	/* a place in each device's own part, taken for one of the whole */
	{ "HloModule m\n\n" "ENTRY %main {\n  %x = f32[2,8] parameter(0)\n  %k = (f32[2,1], s32[2,1]) topk(%x), k=1, largest=true\n  %v = f32[2,1] get-tuple-element(%k), index=0\n"
	  "  %p = s32[2,1] get-tuple-element(%k), index=1\n  ROOT %o = (f32[2,1], s32[2,1]) tuple(%v, %p)\n}\n",
	  "HloModule m, num_partitions=2\n\n" "ENTRY %main {\n  %x = f32[2,4] parameter(0)\n  %k = (f32[2,1], s32[2,1]) topk(%x), k=1, largest=true\n  %v = f32[2,1] get-tuple-element(%k), index=0\n"
	  "  %p = s32[2,1] get-tuple-element(%k), index=1\n  %q = s32[2] reshape(%p)\n  %r = s32[2,1] reshape(%q)\n"
	  "  %va = f32[2,2] all-gather(%v), channel_id=1, replica_groups={{0,1}}, dimensions={1}, use_global_device_ids=true\n"
	  "  %pa = s32[2,2] all-gather(%r), channel_id=2, replica_groups={{0,1}}, dimensions={1}, use_global_device_ids=true\n"
	  "  %j = (f32[2,1], s32[2,1]) topk(%va), k=1, largest=true\n  %w = f32[2,1] get-tuple-element(%j), index=0\n  %a = s32[2,1] get-tuple-element(%j), index=1\n"
	  "  %i = s32[2,1] iota(), iota_dimension=0\n  %at = s32[2,2] concatenate(%i, %a), dimensions={1}\n"
	  "  %g = s32[2] gather(%pa, %at), offset_dims={}, collapsed_slice_dims={0,1}, start_index_map={0,1}, index_vector_dim=1, slice_sizes={1,1}\n"
	  "  %s = s32[2,1] reshape(%g)\n  ROOT %o = (f32[2,1], s32[2,1]) tuple(%w, %s)\n}\n",
	  "mesh tp=2\ninput 0 tp:S(1)\noutput 0 R\noutput 1 R\n", "pa",
	  "it takes %k#1 for places of the whole: it counts places of each device's own part of %x over tp, to which the offset of the part has to be added",
	  FRONTIER_ALONE },
	/* devices that no pair of a permute sends to */
	{ ENTRY "  %x = f32[4] parameter(0)\n  ROOT %t = f32[4] tanh(%x)\n}\n",
	  SPMD("4") "  %x = f32[1] parameter(0)\n  %p = f32[1] collective-permute(%x), channel_id=1, source_target_pairs={{0,0},{1,1},{2,2}}\n  ROOT %t = f32[1] tanh(%p)\n}\n",
	  "mesh tp=4\ninput 0 tp:S(0)\noutput 0 tp:S(0)\n", "p", "no pair sends anything to device 3, which gets zeros", FRONTIER_DIFFERS },
	/* a slice that is moved back on the last device, and covers all of %x: no block, for it is an output */
	{ ENTRY "  %x = f32[10] parameter(0)\n  %z = f32[] constant(0)\n  ROOT %o = f32[12] pad(%x, %z), padding=0_2\n}\n",
	  SPMD("4") "  %x = f32[10] parameter(0)\n  %p = u32[] partition-id()\n  %i = s32[] convert(%p)\n  %k = s32[] constant(3)\n  %s = s32[] multiply(%i, %k)\n"
	  "  ROOT %o = f32[3] dynamic-slice(%x, %s), dynamic_slice_sizes={3}\n}\n",
	  "mesh x=4\ninput 0 R\noutput 0 x:S(0)\n", "o", "on device 3 it would begin at 9 of dimension 0, where 3 of 10 places do not fit: it is moved to 7", FRONTIER_DIFFERS },
	/* a local index for a global one */
	{ ENTRY "  %x = s32[8] parameter(0)\n  %i = s32[8] iota(), iota_dimension=0\n  ROOT %y = s32[8] add(%x, %i)\n}\n",
	  SPMD("4") "  %x = s32[2] parameter(0)\n  %i = s32[2] iota(), iota_dimension=0\n  ROOT %y = s32[2] add(%x, %i)\n}\n",
	  "mesh tp=4\ninput 0 tp:S(0)\noutput 0 tp:S(0)\n", "y", "counts 0, 1; %y of the baseline counts 0..7: a local index stands for a global one", FRONTIER_DIFFERS },
	{ ENTRY "  %x = f32[8] parameter(0)\n  %i = f32[8] iota(), iota_dimension=0\n  ROOT %y = f32[8] add(%x, %i)\n}\n",
	  SPMD("4") "  %x = f32[2] parameter(0)\n  %i = f32[2] iota(), iota_dimension=0\n  ROOT %y = f32[2] add(%x, %i)\n}\n",
	  "mesh tp=4\ninput 0 tp:S(0)\noutput 0 tp:S(0)\n", "y", "a local index stands for a global one", FRONTIER_DIFFERS },
	{ ENTRY "  %x = f32[4,3] parameter(0)\n  %c = f32[4] constant({0.5, 0.25, 0.125, 3})\n  %b = f32[4,3] broadcast(%c), dimensions={0}\n  ROOT %y = f32[4,3] add(%x, %b)\n}\n",
	  SPMD("2") "  %x = f32[2,3] parameter(0)\n  %c = f32[4] constant({0.5, 0.25, 0.125, 3})\n  %s = f32[2] slice(%c), slice={[0:2]}\n"
	  "  %b = f32[2,3] broadcast(%s), dimensions={0}\n  ROOT %y = f32[2,3] add(%x, %b)\n}\n",
	  "mesh tp=2\ninput 0 tp:S(0)\noutput 0 tp:S(0)\n", "y", "the same on every device: the first of 2 parts of the baseline's (%c): a local index",
	  FRONTIER_DIFFERS },
	/* .. of which angles are made: it is told where it is counted, once; another factor of the angles, where they are taken */
	{ ENTRY ROTATED("8"), SPMD("2") ROTATED("4"), ROTATED_PLAN, "i",
	  "it counts 0..3 on every device, %i of the baseline 0..7: a local index stands for a global one", FRONTIER_DIFFERS },
	{ ENTRY ANGLE("8", "0.5") "  ROOT %o = f32[8] negate(%u)\n}\n", SPMD("2") ANGLE("8", "0.25") "  ROOT %o = f32[8] negate(%u)\n}\n",
	  "mesh tp=2\ninput 0 R\noutput 0 R\n", "u", "takes 1/4 x %i; the baseline takes 1/2 x %i", FRONTIER_DIFFERS },
	/* parts that are added up later, times another number than the baseline's */
	{ ENTRY SUMMED_TIMES("8", "4") "  ROOT %y = f32[] multiply(%s, %k)\n}\n",
	  SPMD("2") SUMMED_TIMES("4", "2") "  %y = f32[] multiply(%s, %k)\n" ALL_REDUCE("ROOT %o", "", "%y", "{0,1}") "}\n",
	  "mesh tp=2\ninput 0 tp:S(0)\noutput 0 R\n", "y", "it is P(sum) over tp of 1/2 x %y: it multiplies by 2, %y of the baseline multiplies by 4", FRONTIER_SCALED },
	/* an edge that every device makes up for itself; along a dimension that is not shared out it is right */
	{ ENTRY EDGE_PAD("8", "9") "  %c = f32[8,3] slice(%p), slice={[0:8],[0:3]}\n  ROOT %o = f32[8,3] add(%c, %x)\n}\n",
	  SPMD("2") EDGE_PAD("4", "5") "  %c = f32[4,3] slice(%p), slice={[0:4],[0:3]}\n  ROOT %o = f32[4,3] add(%c, %x)\n}\n", "mesh sp=2\ninput 0 sp:S(0)\noutput 0 sp:S(0)\n",
	  "p", "it puts constants beside each device's own part of %x, %p of the baseline beside the whole: where parts meet, the places next to them are with other devices",
	  FRONTIER_DIFFERS },
	{ ENTRY EDGE_PAD("8", "9") "  ROOT %o = f32[9,3] negate(%p)\n}\n", SPMD("3") "  %x = f32[8,1] parameter(0)\n  %z = f32[] constant(0)\n"
	  "  %p = f32[9,1] pad(%x, %z), padding=1_0x0_0\n  ROOT %o = f32[9,1] sine(%p)\n}\n", "mesh sp=3\ninput 0 sp:S(1)\noutput 0 sp:S(1)\n", "o", "is ", FRONTIER_DIFFERS },
	/* another row than the baseline's, taken with a weight whose columns are shared out: that is as it should be */
	{ ENTRY ROW_AT("3", "6"), SPMD("2") ROW_AT("0", "3"), "mesh tp=2\ninput 0 R\ninput 1 tp:S(1)\noutput 0 tp:S(1)\n", "r", "reads rows 0 of %p; %r of the baseline reads 3", FRONTIER_DIFFERS },
	/* slices that overlap; that leave nothing out is not said of those that do not */
	{ ENTRY "  %x = f32[6] parameter(0)\n  ROOT %o = f32[6] tanh(%x)\n}\n", SPMD("2") OWN_SLICE("2"), "mesh tp=2\ninput 0 R\noutput 0 tp:S(0)\n", "o",
	  "on device 1 it takes places 2..4 of dimension 0 of %o, across two of its parts of 3: no device takes 5", FRONTIER_ALONE },
	/* one of the whole size is no part, however it repeats itself */
	{ ENTRY "  %x = f32[4] parameter(0)\n  %c = f32[4] constant({2.5, 1.5, 1.5, 2.5})\n  ROOT %y = f32[4] multiply(%x, %c)\n}\n",
	  SPMD("2") "  %x = f32[4] parameter(0)\n  %c = f32[4] constant({2.5, 1.5, 2.5, 1.5})\n  ROOT %y = f32[4] multiply(%x, %c)\n}\n",
	  "mesh tp=2\ninput 0 R\noutput 0 R\n", "y", "takes dist %c; the baseline takes %c", FRONTIER_DIFFERS },
	/* another element type */
	{ ENTRY "  %x = f32[4] parameter(0)\n  %t = f32[4] tanh(%x)\n  ROOT %y = f32[4] negate(%t)\n}\n",
	  SPMD("2") "  %x = f32[4] parameter(0)\n  %h = bf16[4] convert(%x)\n  %t = bf16[4] tanh(%h)\n  %f = f32[4] convert(%t)\n  ROOT %y = f32[4] negate(%f)\n}\n",
	  "mesh tp=2\ninput 0 R\noutput 0 R\n", "h", "%h is bf16 from here on; the baseline has", FRONTIER_DIFFERS },
	/* the root of parts */
	{ ENTRY "  %x = f32[8] parameter(0)\n  %q = f32[8] multiply(%x, %x)\n  %z = f32[] constant(0)\n  %s = f32[] reduce(%q, %z), dimensions={0}, to_apply=%add\n  ROOT %y = f32[] sqrt(%s)\n}\n",
	  SPMD("2") "  %x = f32[4] parameter(0)\n  %q = f32[4] multiply(%x, %x)\n  %z = f32[] constant(0)\n  %s = f32[] reduce(%q, %z), dimensions={0}, to_apply=%add\n"
	  "  %r = f32[] sqrt(%s)\n" ALL_REDUCE("ROOT %y", "", "%r", "{0,1}") "}\n",
	  "mesh tp=2\ninput 0 tp:S(0)\noutput 0 R\n", "r", "sqrt of the parts of a sum is no part of sqrt of the sum: an all-reduce over tp is missing before it", FRONTIER_DIFFERS },
	/* arithmetic that the baseline does too, up to the seed */
	{ ENTRY "  %x = f32[4] parameter(0)\n  %s = u32[] parameter(1)\n  %i = u32[4] iota(), iota_dimension=0\n  %sb = u32[4] broadcast(%s), dimensions={}\n" HASHED_MASK,
	  SPMD("2") "  %x = f32[4] parameter(0)\n  %s = u32[] parameter(1)\n  %i = u32[4] iota(), iota_dimension=0\n  %p = u32[] partition-id()\n  %own = u32[] add(%s, %p)\n"
	  "  %sb = u32[4] broadcast(%own), dimensions={}\n" HASHED_MASK,
	  "mesh tp=2\ninput 0 R\ninput 1 R\noutput 0 R\n", "own", "the baseline does the same arithmetic with %s where this is add: %s + index 0, 1", FRONTIER_DIFFERS },
	/* two tensors are added up as one, and the second is cut out one place too early; then both are packed in the wrong order */
	{ ENTRY PACKED_BASE, SPMD("2") PACKED("%x, %y", "{[0:3]}", "{[2:6]}"), PACKED_PLAN, "v", "it cuts places 2..5 out of what %c puts together: there lie %x at 0..2, %y at 3..6", FRONTIER_ALONE },
	{ ENTRY PACKED_BASE, SPMD("2") PACKED("%y, %x", "{[0:3]}", "{[3:7]}"), PACKED_PLAN, "c", "it takes parts: %y is tp:P(sum): an all-reduce over tp is missing before it", FRONTIER_DIFFERS },
	/* a function of each device's mean, and then the mean; a function of each device's mean alone */
	{ ENTRY MEAN("4", "4") "  ROOT %e = f32[] exponential(%m)\n}\n",
	  SPMD("2") MEAN("2", "2") "  %e = f32[] exponential(%m)\n" ALL_REDUCE("%r", "", "%e", "{0,1}") "  %k = f32[] constant(2)\n  ROOT %d = f32[] divide(%r, %k)\n}\n",
	  "mesh dp=2\ninput 0 dp:S(0)\noutput 0 R\n", "e", "the mean of the exponentials is no exponential of the mean: the mean over dp is missing before it", FRONTIER_DIFFERS },
	{ ENTRY MEAN("4", "4") "  %e = f32[] exponential(%m)\n  %b = f32[4] broadcast(%e), dimensions={}\n  ROOT %o = f32[4] multiply(%x, %b)\n}\n",
	  SPMD("2") MEAN("2", "2") "  %e = f32[] exponential(%m)\n  %b = f32[2] broadcast(%e), dimensions={}\n  ROOT %o = f32[2] multiply(%x, %b)\n}\n",
	  "mesh dp=2\ninput 0 dp:S(0)\noutput 0 dp:S(0)\n", "m", "it is P(sum) over dp of 2 x %m", FRONTIER_SCALED },
	/* places of the first device everywhere; other places on the second device */
	{ ENTRY LOOKED_UP("8", "5, 3, 1, 0, 2, 4, 1, 3") "}\n", SPMD("2") LOOKED_UP("4", "5, 3, 1, 0") "}\n", LOOKED_UP_PLAN, "g",
	  "reads the same places of %t on every device, those of the first of 2 parts of %g of the baseline: a local index stands for a global one", FRONTIER_DIFFERS },
	{ ENTRY LOOKED_UP("8", "5, 3, 1, 0, 2, 4, 1, 3") "}\n",
	  SPMD("2") "  %p = u32[] partition-id()\n  %w = s32[8] constant({5, 3, 1, 0, 2, 4, 3, 1})\n  %q = s32[] convert(%p)\n  %k = s32[] constant(4)\n  %f = s32[] multiply(%q, %k)\n"
	  "  %i = s32[4] dynamic-slice(%w, %f), dynamic_slice_sizes={4}\n" LOOK_UP("4") "}\n", LOOKED_UP_PLAN, "g",
	  "reads, on device 1, place 3 of %t where %g of the baseline reads place 1", FRONTIER_DIFFERS },
	/* the same numbers at other places */
	{ ENTRY "  %x = f32[4,3] parameter(0)\n  %c = f32[4] constant({2, 1, 1, 3})\n  %b = f32[4,3] broadcast(%c), dimensions={0}\n  ROOT %y = f32[4,3] multiply(%x, %b)\n}\n",
	  SPMD("2") "  %x = f32[4,3] parameter(0)\n  %c = f32[4] constant({2, 1, 3, 1})\n  %b = f32[4,3] broadcast(%c), dimensions={0}\n  ROOT %y = f32[4,3] multiply(%x, %b)\n}\n",
	  "mesh tp=2\ninput 0 R\noutput 0 R\n", "y", "takes dist %c; 2 of its values are others than the baseline's, the first is 3 and not 1", FRONTIER_DIFFERS },
	/* another number */
	{ ENTRY "  %x = f32[4] parameter(0)\n  %t = f32[4] tanh(%x)\n  %k = f32[] constant(4)\n  %b = f32[4] broadcast(%k), dimensions={}\n  ROOT %y = f32[4] divide(%t, %b)\n}\n",
	  SPMD("2") "  %x = f32[2] parameter(0)\n  %t = f32[2] tanh(%x)\n  %k = f32[] constant(2)\n  %b = f32[2] broadcast(%k), dimensions={}\n  ROOT %y = f32[2] divide(%t, %b)\n}\n",
	  "mesh tp=2\ninput 0 tp:S(0)\noutput 0 tp:S(0)\n", "y", "it is 2 x %y: it divides by 2, %y of the baseline divides by 4", FRONTIER_SCALED },
	/* a mean over what a device holds, added up */
	{ ENTRY "  %x = f32[4,3] parameter(0)\n  %t = f32[4,3] tanh(%x)\n  %k = f32[] constant(4)\n  %b = f32[4,3] broadcast(%k), dimensions={}\n  %y = f32[4,3] divide(%t, %b)\n"
	  "  %z = f32[] constant(0)\n  %s = f32[3] reduce(%y, %z), dimensions={0}, to_apply=%add\n  ROOT %o = f32[3] tanh(%s)\n}\n",
	  SPMD("2") "  %x = f32[2,3] parameter(0)\n  %t = f32[2,3] tanh(%x)\n  %k = f32[] constant(2)\n  %b = f32[2,3] broadcast(%k), dimensions={}\n  %y = f32[2,3] divide(%t, %b)\n"
	  "  %z = f32[] constant(0)\n  %s = f32[3] reduce(%y, %z), dimensions={0}, to_apply=%add\n" ALL_REDUCE("%r", "3", "%s", "{0,1}") "  ROOT %o = f32[3] tanh(%r)\n}\n",
	  "mesh tp=2\ninput 0 tp:S(0)\noutput 0 R\n", "r", "it is 2 x %s: it adds up over tp what every device has for itself: "
	  "%y: it divides by 2, %y of the baseline divides by 4; a factor of 1/2 is due after it", FRONTIER_SCALED },
	/* a step of the position that the baseline does not do */
	{ ENTRY "  %x = f32[4] parameter(0)\n  %p = s32[] parameter(1)\n  %b = s32[4] broadcast(%p), dimensions={}\n  %i = s32[4] iota(), iota_dimension=0\n"
	  "  %m = pred[4] compare(%i, %b), direction=LE\n  %z = f32[] constant(0)\n  %zb = f32[4] broadcast(%z), dimensions={}\n  ROOT %o = f32[4] select(%m, %x, %zb)\n}\n",
	  SPMD("2") "  %x = f32[2] parameter(0)\n  %p = s32[] parameter(1)\n  %n = s32[] constant(1)\n  %q = s32[] subtract(%p, %n)\n  %b = s32[2] broadcast(%q), dimensions={}\n"
	  "  %r = u32[] partition-id()\n  %d = s32[] convert(%r)\n  %k = s32[] constant(2)\n  %f = s32[] multiply(%d, %k)\n  %fb = s32[2] broadcast(%f), dimensions={}\n"
	  "  %j = s32[2] iota(), iota_dimension=0\n  %i = s32[2] add(%j, %fb)\n  %m = pred[2] compare(%i, %b), direction=LE\n  %z = f32[] constant(0)\n"
	  "  %zb = f32[2] broadcast(%z), dimensions={}\n  ROOT %o = f32[2] select(%m, %x, %zb)\n}\n", "mesh dp=2\ninput 0 dp:S(0)\ninput 1 R\noutput 0 dp:S(0)\n", "q",
	  "it subtracts 1 from %p, where the baseline takes that as it is", FRONTIER_DIFFERS },
	/* Cannon's skew: shards that are handed on where the product is not made of them */
	{ ENTRY "  %x = f32[4,6] parameter(0)\n  %y = f32[4,6] parameter(1)\n  ROOT %o = f32[4,4] dot(%x, %y), lhs_contracting_dims={1}, rhs_contracting_dims={1}\n}\n",
	  SPMD("4") "  %x = f32[2,3] parameter(0)\n  %y = f32[2,3] parameter(1)\n"
	  "  %s = f32[2,3] collective-permute(%x), channel_id=1, source_target_pairs={{0,0},{1,1},{3,2},{2,3}}\n"
	  "  ROOT %o = f32[2,2] dot(%s, %y), lhs_contracting_dims={1}, rhs_contracting_dims={1}\n}\n",
	  "mesh r=2 c=2\ninput 0 r:S(0) c:S(1)\ninput 1 r:S(1) c:S(0)\noutput 0 r:S(0) c:S(1)\n", "s",
	  "it gives device 2 the part that device 3 has of %x, which is S(0) over r", FRONTIER_DIFFERS },
	/* a cache that every device writes to */
	{ ENTRY "  %c = f32[8,3] parameter(0)\n  %k = f32[1,3] parameter(1)\n  %p = s32[] parameter(2)\n  %z = s32[] constant(0)\n"
	  "  ROOT %o = f32[8,3] dynamic-update-slice(%c, %k, %p, %z)\n}\n",
	  SPMD("2") "  %c = f32[4,3] parameter(0)\n  %k = f32[1,3] parameter(1)\n  %p = s32[] parameter(2)\n  %z = s32[] constant(0)\n  %r = u32[] partition-id()\n"
	  "  %d = s32[] convert(%r)\n  %n = s32[] constant(4)\n  %f = s32[] multiply(%d, %n)\n  %l = s32[] subtract(%p, %f)\n  %m = s32[] constant(3)\n  %l0 = s32[] maximum(%l, %z)\n"
	  "  %at = s32[] minimum(%l0, %m)\n  ROOT %o = f32[4,3] dynamic-update-slice(%c, %k, %at, %z)\n}\n",
	  "mesh sp=2\ninput 0 sp:S(0)\ninput 1 R\ninput 2 R\noutput 0 sp:S(0)\n", "o",
	  "every device of sp writes %k into its own part of %c, and no mask leaves the part as it is", FRONTIER_DIFFERS },
	/* a device's own part in a queue, where all of it is due */
	{ ENTRY "  %k = f32[4,3] parameter(0)\n  %q = f32[8,3] parameter(1)\n  %n = f32[4,3] tanh(%k)\n  %c = f32[12,3] concatenate(%n, %q), dimensions={0}\n"
	  "  ROOT %o = f32[8,3] slice(%c), slice={[0:8], [0:3]}\n}\n",
	  SPMD("2") "  %k = f32[2,3] parameter(0)\n  %q = f32[8,3] parameter(1)\n  %n = f32[2,3] tanh(%k)\n  %c = f32[10,3] concatenate(%n, %q), dimensions={0}\n"
	  "  ROOT %o = f32[8,3] slice(%c), slice={[0:8], [0:3]}\n}\n", "mesh dp=2\ninput 0 dp:S(0)\ninput 1 R\noutput 0 R\n", "c",
	  "it puts each device's own part of %n over dp beside the rest, %c of the baseline all of it", FRONTIER_DIFFERS },
	/* a ring that adds up the parts place by place, a hop short; and one that adds other places */
	{ ENTRY "  %x = f32[3,6] parameter(0)\n  %w = f32[6,2] parameter(1)\n  %y = f32[3,2] dot(%x, %w), " PRODUCT "  ROOT %o = f32[3,2] tanh(%y)\n}\n",
	  SPMD("3") "  %x = f32[3,2] parameter(0)\n  %w = f32[2,2] parameter(1)\n  %y = f32[3,2] dot(%x, %w), " PRODUCT "  %z = s32[] constant(0)\n  %p = u32[] partition-id()\n"
	  RING_PART("0", "{0, 1, 2}") RING_PART("1", "{2, 0, 1}") RING_HOP("%g", "%s0") "  %a = f32[1,2] add(%g, %s1)\n  ROOT %o = f32[1,2] tanh(%a)\n}\n",
	  RING_PLAN, "a", "on device 0 the part of device 1 is lacking: it adds up what the others have of %y, P(sum) over tp", FRONTIER_ALONE },
	{ ENTRY "  %x = f32[3,6] parameter(0)\n  %w = f32[6,2] parameter(1)\n  %y = f32[3,2] dot(%x, %w), " PRODUCT "  ROOT %o = f32[3,2] tanh(%y)\n}\n",
	  SPMD("3") "  %x = f32[3,2] parameter(0)\n  %w = f32[2,2] parameter(1)\n  %y = f32[3,2] dot(%x, %w), " PRODUCT "  %z = s32[] constant(0)\n  %p = u32[] partition-id()\n"
	  RING_PART("0", "{0, 1, 2}") RING_PART("1", "{2, 0, 1}") RING_PART("2", "{2, 0, 1}") RING_HOP("%g", "%s0") "  %a = f32[1,2] add(%g, %s1)\n" RING_HOP("%h", "%a")
	  "  %b = f32[1,2] add(%h, %s2)\n  ROOT %o = f32[1,2] tanh(%b)\n}\n",
	  RING_PLAN, "b", "which are other places", FRONTIER_ALONE },
	/* each device's own part backwards, and the parts not exchanged */
	{ ENTRY "  %x = f32[8] parameter(0)\n  %v = f32[8] reverse(%x), dimensions={0}\n  ROOT %o = f32[8] tanh(%v)\n}\n",
	  SPMD("2") "  %x = f32[4] parameter(0)\n  %v = f32[4] reverse(%x), dimensions={0}\n  ROOT %o = f32[4] tanh(%v)\n}\n",
	  "mesh tp=2\ninput 0 tp:S(0)\noutput 0 tp:S(0)\n", "v", "it does reverse, %x is S(0) over tp of %x; it is S(0) rotated by 1 over tp of %v", FRONTIER_RELATION },
	/* sums that are handed round with what they are sums of, a hop short: the rows of them are right as such */
	{ ENTRY "  %x = f32[3,6] parameter(0)\n  %w = f32[6,2] parameter(1)\n  ROOT %y = f32[3,2] dot(%x, %w), " PRODUCT "}\n",
	  SPMD("3") "  %x = f32[3,2] parameter(0)\n  %w = f32[2,2] parameter(1)\n  %z = s32[] constant(0)\n  %p = u32[] partition-id()\n"
	  ROW_PRODUCT("0", "{0, 1, 2}") ROW_PRODUCT("1", "{2, 0, 1}") ROW_PRODUCT("2", "{1, 2, 0}") RING_HOP("%g", "%d0") "  %a = f32[1,2] add(%g, %d1)\n" RING_HOP("%h", "%a")
	  "  ROOT %o = f32[1,2] add(%h, %d2)\n}\n",
	  RING_PLAN, "o", "%o is S(0) rotated by 1 over tp of %y, the plan wants tp:S(0)", FRONTIER_RELATION },
	/* places of the whole, looked up in each device's own part */
	{ ENTRY "  %t = f32[8] parameter(0)\n  %i = s32[3,1] parameter(1)\n"
	  "  ROOT %g = f32[3] gather(%t, %i), offset_dims={}, collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=1, slice_sizes={1}\n}\n",
	  SPMD("2") "  %t = f32[4] parameter(0)\n  %i = s32[3,1] parameter(1)\n  %c0 = s32[] constant(0)\n  %z = s32[3,1] broadcast(%c0), dimensions={}\n  %n = s32[] constant(4)\n"
	  "  %nb = s32[3,1] broadcast(%n), dimensions={}\n  %b = pred[3,1] compare(%i, %nb), direction=LT\n  %k = pred[3] reshape(%b)\n  %c3 = s32[] constant(3)\n"
	  "  %t3 = s32[3,1] broadcast(%c3), dimensions={}\n  %j0 = s32[3,1] maximum(%i, %z)\n  %j = s32[3,1] minimum(%j0, %t3)\n"
	  "  %g = f32[3] gather(%t, %j), offset_dims={}, collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=1, slice_sizes={1}\n"
	  "  %f = f32[] constant(0)\n  %fb = f32[3] broadcast(%f), dimensions={}\n  %s = f32[3] select(%k, %g, %fb)\n" ALL_REDUCE("ROOT %o", "3", "%s", "{0,1}") "}\n",
	  "mesh tp=2\ninput 0 tp:S(0)\ninput 1 R\noutput 0 R\n", "g",
	  "it looks up in each device's own part of %t over tp at places that are the same on every device", FRONTIER_DIFFERS },
	/* what each device has for itself, where the mean is due */
	{ ENTRY "  %w = f32[3] parameter(0)\n  %x = f32[2,3] parameter(1)\n  %z = f32[] constant(0)\n  %s = f32[3] reduce(%x, %z), dimensions={0}, to_apply=%add\n"
	  "  %k = f32[] constant(2)\n  %kb = f32[3] broadcast(%k), dimensions={}\n  %m = f32[3] divide(%s, %kb)\n  %d = f32[3] subtract(%w, %m)\n  ROOT %o = f32[3] negate(%d)\n}\n",
	  SPMD("2") "  %w = f32[3] parameter(0)\n  %x = f32[1,3] parameter(1)\n  %m = f32[3] reshape(%x)\n  %d = f32[3] subtract(%w, %m)\n  ROOT %o = f32[3] negate(%d)\n}\n",
	  "mesh dp=2\ninput 0 R\ninput 1 dp:S(0)\noutput 0 R\n", "d",
	  "%d of the baseline is the mean of what the devices of dp have here, and that mean is missing", FRONTIER_SCALED },
	/* the first columns on every device */
	{ ENTRY "  %x = f32[4,8] parameter(0)\n  %w = f32[8,6] parameter(1)\n  ROOT %y = f32[4,6] dot(%x, %w), " PRODUCT "}\n",
	  SPMD("2") "  %x = f32[4,8] parameter(0)\n  %w = f32[4,6] parameter(1)\n  %s = f32[4,4] slice(%x), slice={[0:4], [0:4]}\n  %p = f32[4,6] dot(%s, %w), " PRODUCT
	  ALL_REDUCE("ROOT %y", "4,6", "%p", "{0,1}") "}\n",
	  "mesh tp=2\ninput 0 R\ninput 1 tp:S(0)\noutput 0 R\n", "s", "every device of tp takes columns 0..3 of %x, and %p takes them with %w, which is S(0) over tp of %w",
	  FRONTIER_DIFFERS },
	/* a running sum that every device has whole takes what each adds, and all is added up later */
	{ ENTRY SCATTERED("8") "  ROOT %y = f32[6,3] tanh(%acc)\n}\n", SPMD("2") SCATTERED("4") ALL_REDUCE("%r", "6,3", "%acc", "{0,1}") "  ROOT %y = f32[6,3] tanh(%r)\n}\n",
	  "mesh dp=2\ninput 0 R\ninput 1 dp:S(0)\ninput 2 dp:S(0)\noutput 0 R\n", "acc",
	  "adds parts of a sum over dp to what every device has whole: summed over dp it takes 2 x %run; the baseline takes 1 x %run", FRONTIER_DIFFERS },
	/* a ring that writes what it received as if it had gone the other way round */
	{ ENTRY "  %x = f32[8] parameter(0)\n  ROOT %y = f32[8] tanh(%x)\n}\n",
	  SPMD("4") "  %x = f32[2] parameter(0)\n  %p = u32[] partition-id()\n  %r = s32[] convert(%p)\n  %n = s32[] constant(2)\n  %o = s32[] multiply(%r, %n)\n"
	  "  %z = f32[] constant(0)\n  %b = f32[8] broadcast(%z), dimensions={}\n  %b0 = f32[8] dynamic-update-slice(%b, %x, %o)\n"
	  "  %got = f32[2] collective-permute(%x), channel_id=1, source_target_pairs={{0,1},{1,2},{2,3},{3,0}}\n  %k = s32[] constant(1)\n  %r1 = s32[] add(%r, %k)\n"
	  "  %m = s32[] constant(3)\n  %m1 = s32[] and(%r1, %m)\n  %o1 = s32[] multiply(%m1, %n)\n  %b1 = f32[8] dynamic-update-slice(%b0, %got, %o1)\n"
	  "  ROOT %y = f32[8] tanh(%b1)\n}\n", "mesh tp=4\ninput 0 tp:S(0)\noutput 0 R\n", "b1",
	  "on device 0 it writes %got to places 2..3, and %got holds places 6..7 of %x there", FRONTIER_DIFFERS },
	/* heads cut by the rank modulo their number: the slice is told, and the first pair that differs */
	{ ENTRY "  %q = f32[4,3,5] parameter(0)\n  %k = f32[2,6,5] parameter(1)\n  %b = f32[2,2,6,5] broadcast(%k), dimensions={0,2,3}\n  %e = f32[4,6,5] reshape(%b)\n"
	  "  %d = f32[4,3,6] dot(%q, %e), lhs_batch_dims={0}, rhs_batch_dims={0}, lhs_contracting_dims={2}, rhs_contracting_dims={2}\n  ROOT %o = f32[4,3,6] tanh(%d)\n}\n",
	  SPMD("4") "  %q = f32[1,3,5] parameter(0)\n  %k = f32[2,6,5] parameter(1)\n  %p = u32[] partition-id()\n  %r = s32[] convert(%p)\n  %n = s32[] constant(2)\n"
	  "  %h = s32[] remainder(%r, %n)\n  %z = s32[] constant(0)\n  %e = f32[1,6,5] dynamic-slice(%k, %h, %z, %z), dynamic_slice_sizes={1,6,5}\n"
	  "  %d = f32[1,3,6] dot(%q, %e), lhs_batch_dims={0}, rhs_batch_dims={0}, lhs_contracting_dims={2}, rhs_contracting_dims={2}\n  ROOT %o = f32[1,3,6] tanh(%d)\n}\n",
	  "mesh tp=4\ninput 0 tp:S(0)\ninput 1 R\noutput 0 tp:S(0)\n", "e",
	  "device by device it begins at 0, 1, 0, 1 of dimension 0 of %k, so it is S(0) over tp % 2 of %k, and %d takes it with %q, which is S(0) over tp of %q: "
	  "it takes place [1,0,0] of %q with place [1,0,0] of %k; the baseline takes it with [0,0,0]", FRONTIER_ORDER },
	/* other pieces than the baseline's, which are the same all together */
	{ ENTRY "  %x = f32[8,3] parameter(0)\n  %w = f32[3,3] parameter(1)\n  %a = f32[2,3] slice(%x), slice={[0:2], [0:3]}\n  %b = f32[2,3] slice(%x), slice={[6:8], [0:3]}\n"
	  "  %c = f32[4,3] slice(%x), slice={[2:6], [0:3]}\n  %z = f32[8,3] concatenate(%a, %b, %c), dimensions={0}\n  ROOT %o = f32[8,3] dot(%z, %w), " PRODUCT "}\n",
	  SPMD("2") "  %x = f32[8,3] parameter(0)\n  %w = f32[3,3] parameter(1)\n  %p = u32[] partition-id()\n  %r = s32[] convert(%p)\n  %n = s32[] constant(2)\n  %s = s32[] multiply(%r, %n)\n"
	  "  %z = s32[] constant(0)\n  %f = s32[] constant(4)\n  %t = s32[] add(%s, %f)\n  %a = f32[2,3] dynamic-slice(%x, %s, %z), dynamic_slice_sizes={2,3}\n"
	  "  %b = f32[2,3] dynamic-slice(%x, %t, %z), dynamic_slice_sizes={2,3}\n  %c = f32[4,3] concatenate(%a, %b), dimensions={0}\n  ROOT %o = f32[4,3] dot(%c, %w), " PRODUCT "}\n",
	  "mesh cp=2\ninput 0 R\ninput 1 R\noutput 0 cp:S(0)\n", "o",
	  "reads, on device 0, place [4,0] of %x where %o of the baseline reads place [6,0]", FRONTIER_DIFFERS },
	/* only the devices' own blocks of a table: the diagonal that is looked up in it is right as such */
	{ ENTRY "  %a = f32[6,4] parameter(0)\n  %b = f32[6,4] parameter(1)\n  %d = f32[6,6] dot(%a, %b), lhs_contracting_dims={1}, rhs_contracting_dims={1}\n"
	  "  %e = f32[6,6] exponential(%d)\n  %z = f32[] constant(0)\n  ROOT %s = f32[6] reduce(%e, %z), dimensions={1}, to_apply=%add\n}\n",
	  SPMD("2") "  %a = f32[3,4] parameter(0)\n  %b = f32[3,4] parameter(1)\n  %d = f32[3,3] dot(%a, %b), lhs_contracting_dims={1}, rhs_contracting_dims={1}\n"
	  "  %e = f32[3,3] exponential(%d)\n  %z = f32[] constant(0)\n  ROOT %s = f32[3] reduce(%e, %z), dimensions={1}, to_apply=%add\n}\n",
	  "mesh dp=2\ninput 0 dp:S(0)\ninput 1 dp:S(0)\noutput 0 dp:S(0)\n", "d",
	  "takes place [0,0] of %a with place [3,0] of %b on no device; the baseline does", FRONTIER_DIFFERS },
	/* a halo of the first rows instead of the last */
	{ ENTRY "  %x = f32[16,3] parameter(0)\n  %z = f32[] constant(0)\n  %p = f32[18,3] pad(%x, %z), padding=2_0x0_0\n  %a = f32[16,3] slice(%p), slice={[0:16], [0:3]}\n"
	  "  %b = f32[16,3] slice(%p), slice={[1:17], [0:3]}\n  ROOT %o = f32[16,3] multiply(%a, %b)\n}\n",
	  SPMD("4") "  %x = f32[4,3] parameter(0)\n  %f = f32[2,3] slice(%x), slice={[0:2], [0:3]}\n"
	  "  %h = f32[2,3] collective-permute(%f), channel_id=1, source_target_pairs={{0,1},{1,2},{2,3}}\n  %p = f32[6,3] concatenate(%h, %x), dimensions={0}\n"
	  "  %a = f32[4,3] slice(%p), slice={[0:4], [0:3]}\n  %b = f32[4,3] slice(%p), slice={[1:5], [0:3]}\n  ROOT %o = f32[4,3] multiply(%a, %b)\n}\n",
	  "mesh sp=4\ninput 0 sp:S(0)\noutput 0 sp:S(0)\n", "p",
	  "on device 1 it puts row 1 of %x before row 4, which is not its neighbour", FRONTIER_ALONE },
	/* two halos, each on the other's side, with a token added to what is handed on */
	{ ENTRY "  %x = f32[16,3] parameter(0)\n  %z = f32[] constant(0)\n  %p = f32[18,3] pad(%x, %z), padding=1_1x0_0\n  %a = f32[16,3] slice(%p), slice={[0:16], [0:3]}\n"
	  "  %b = f32[16,3] slice(%p), slice={[2:18], [0:3]}\n  ROOT %o = f32[16,3] subtract(%a, %b)\n}\n",
	  SPMD("4") "  %x = f32[4,3] parameter(0)\n  %t = f32[] parameter(1)\n  %tb = f32[1,3] broadcast(%t), dimensions={}\n  %f = f32[1,3] slice(%x), slice={[3:4], [0:3]}\n"
	  "  %g = f32[1,3] slice(%x), slice={[0:1], [0:3]}\n  %fa = f32[1,3] add(%f, %tb)\n  %ga = f32[1,3] add(%g, %tb)\n"
	  "  %h = f32[1,3] collective-permute(%fa), channel_id=1, source_target_pairs={{0,1},{1,2},{2,3}}\n"
	  "  %i = f32[1,3] collective-permute(%ga), channel_id=2, source_target_pairs={{1,0},{2,1},{3,2}}\n  %p = f32[6,3] concatenate(%i, %x, %h), dimensions={0}\n"
	  "  %a = f32[4,3] slice(%p), slice={[0:4], [0:3]}\n  %b = f32[4,3] slice(%p), slice={[2:6], [0:3]}\n  ROOT %o = f32[4,3] subtract(%a, %b)\n}\n",
	  "mesh sp=4\ninput 0 sp:S(0)\ninput 1 = 0\noutput 0 sp:S(0)\n", "p",
	  "on device 0 it puts row 4 of %x before row 0, which is not its neighbour", FRONTIER_ALONE },
	/* a mean that is averaged for one output and not for the other */
	{ ENTRY MEAN("8", "8") "  %r = f32[] parameter(1)\n  %t = f32[] constant(0.125)\n  %a = f32[] multiply(%m, %t)\n  %b = f32[] multiply(%r, %t)\n  %n2 = f32[] add(%a, %b)\n"
	  "  ROOT %o = (f32[], f32[]) tuple(%m, %n2)\n}\n",
	  SPMD("2") MEAN("4", "4") "  %r = f32[] parameter(1)\n" ALL_REDUCE("%g", "", "%m", "{0,1}") "  %h = f32[] constant(0.5)\n  %w = f32[] multiply(%g, %h)\n"
	  "  %t = f32[] constant(0.125)\n  %a = f32[] multiply(%m, %t)\n  %b = f32[] multiply(%r, %t)\n  %n2 = f32[] add(%a, %b)\n  %c = f32[] copy(%n2)\n"
	  "  ROOT %o = (f32[], f32[]) tuple(%w, %c)\n}\n", "mesh dp=2\ninput 0 dp:S(0)\ninput 1 R\noutput 0 R\noutput 1 R\n", "n2",
	  "it is made of each device's own mean, %m, that %g adds up for something else: the mean over dp is missing", FRONTIER_SCALED },
	/* a slice that every device takes alike */
	{ ENTRY "  %x = f32[3,4] parameter(0)\n  %w = f32[4,12] parameter(1)\n  %v = f32[12,5] parameter(2)\n  %d = f32[3,12] dot(%x, %w), " PRODUCT
	  "  ROOT %o = f32[3,5] dot(%d, %v), " PRODUCT "}\n",
	  SPMD("2") "  %x = f32[3,4] parameter(0)\n  %w = f32[4,12] parameter(1)\n  %v = f32[6,5] parameter(2)\n  %l = f32[4,6] slice(%w), slice={[0:4], [0:6]}\n"
	  "  %d = f32[3,6] dot(%x, %l), " PRODUCT "  %e = f32[3,5] dot(%d, %v), " PRODUCT ALL_REDUCE("ROOT %o", "3,5", "%e", "{0,1}") "}\n",
	  "mesh tp=2\ninput 0 R\ninput 1 R\ninput 2 tp:S(0)\noutput 0 R\n", "l",
	  "every device of tp takes columns 0..5 of %w, and %e takes them with %v, which is S(0) over tp of %v", FRONTIER_DIFFERS },
	/* what a shard finds, masked: a part of what the baseline finds, that is taken as the whole of it */
	{ ENTRY "  %t = f32[8] parameter(0)\n  %i = s32[3,1] parameter(1)\n  %u = f32[3] parameter(2)\n"
	  "  %g = f32[3] gather(%t, %i), offset_dims={}, collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=1, slice_sizes={1}\n  ROOT %o = f32[3] subtract(%u, %g)\n}\n",
	  SPMD("2") OWN_PART "  %o = f32[3] subtract(%u, %s)\n  ROOT %q = f32[3] copy(%o)\n}\n",
	  "mesh tp=2\ninput 0 tp:S(0)\ninput 1 R\ninput 1 in 0..7\ninput 2 R\noutput 0 R\n", "o",
	  "its operands do not agree: %s is P(sum) over tp, %u is R of %u", FRONTIER_DIFFERS },
	/* the places of others are kept instead */
	{ ENTRY "  %t = f32[8] parameter(0)\n  %i = s32[3,1] parameter(1)\n  %u = f32[3] parameter(2)\n"
	  "  %g = f32[3] gather(%t, %i), offset_dims={}, collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=1, slice_sizes={1}\n  ROOT %o = f32[3] subtract(%u, %g)\n}\n",
	  SPMD("2") OWN_PART "  %kn = pred[3] not(%k)\n  %s2 = f32[3] select(%kn, %g, %fb)\n" ALL_REDUCE("%r2", "3", "%s2", "{0,1}") "  ROOT %o = f32[3] subtract(%u, %r2)\n}\n",
	  "mesh tp=2\ninput 0 tp:S(0)\ninput 1 R\ninput 1 in 0..7\ninput 2 R\noutput 0 R\n", "s2",
	  "%kn leaves, of what %g finds in each device's own part of %t over tp, what is no part of the baseline's", FRONTIER_ALONE },
	/* parts rounded before they are added */
	{ ENTRY "  %x = f32[8] parameter(0)\n  %z = f32[] constant(0)\n  %s = f32[] reduce(%x, %z), dimensions={0}, to_apply=%add\n  ROOT %o = f32[] tanh(%s)\n}\n",
	  SPMD("2") "  %x = f32[4] parameter(0)\n  %z = f32[] constant(0)\n  %s = f32[] reduce(%x, %z), dimensions={0}, to_apply=%add\n  %h = bf16[] convert(%s)\n"
	  "  %r = bf16[] all-reduce(%h), channel_id=1, replica_groups={{0,1}}, use_global_device_ids=true, to_apply=%addh\n  %f = f32[] convert(%r)\n  ROOT %o = f32[] tanh(%f)\n}\n",
	  "mesh tp=2\ninput 0 tp:S(0)\noutput 0 R\n", "h", "it rounds them to bf16 before %r adds them, which is not to round their sum", FRONTIER_DIFFERS },
	/* positions that count from one */
	{ ENTRY "  %c = f32[8] parameter(0)\n  %p = s32[] parameter(1)\n  %i = s32[8] iota(), iota_dimension=0\n  %b = s32[8] broadcast(%p), dimensions={}\n"
	  "  %e = pred[8] compare(%i, %b), direction=EQ\n  %z = f32[8] negate(%c)\n  ROOT %o = f32[8] select(%e, %z, %c)\n}\n",
	  SPMD("2") "  %c = f32[4] parameter(0)\n  %p = s32[] parameter(1)\n  %i = s32[4] iota(), iota_dimension=0\n  %b = s32[4] broadcast(%p), dimensions={}\n"
	  "  %d = u32[] partition-id()\n  %r = s32[] convert(%d)\n  %n = s32[] constant(4)\n  %m = s32[] multiply(%r, %n)\n  %k = s32[] constant(1)\n  %m1 = s32[] add(%m, %k)\n"
	  "  %mb = s32[4] broadcast(%m1), dimensions={}\n  %j = s32[4] add(%i, %mb)\n  %e = pred[4] compare(%j, %b), direction=EQ\n  %z = f32[4] negate(%c)\n"
	  "  ROOT %o = f32[4] select(%e, %z, %c)\n}\n", "mesh sp=2\ninput 0 sp:S(0)\ninput 1 R\ninput 1 in 0..7\noutput 0 sp:S(0)\n", "e",
	  "%e of the baseline does the same with other numbers: this counts 1..8; %i of the baseline counts 0..7", FRONTIER_DIFFERS },
	/* products of a ring: the first is written to its place, the second to that of the first */
	{ ENTRY "  %q = f32[4,3] parameter(0)\n  %k = f32[3,8] parameter(1)\n  ROOT %o = f32[4,8] dot(%q, %k), " PRODUCT "}\n",
	  SPMD("2") "  %q = f32[2,3] parameter(0)\n  %k = f32[3,4] parameter(1)\n  %d = u32[] partition-id()\n  %r = s32[] convert(%d)\n  %n = s32[] constant(4)\n  %m = s32[] multiply(%r, %n)\n"
	  "  %z = s32[] constant(0)\n  %f = f32[] constant(0)\n  %b = f32[2,8] broadcast(%f), dimensions={}\n  %p = f32[2,4] dot(%q, %k), " PRODUCT
	  "  %b0 = f32[2,8] dynamic-update-slice(%b, %p, %z, %m)\n  %l = f32[3,4] collective-permute(%k), channel_id=1, source_target_pairs={{0,1},{1,0}}\n"
	  "  %t = f32[2,4] dot(%q, %l), " PRODUCT "  %b1 = f32[2,8] dynamic-update-slice(%b0, %t, %z, %m)\n  ROOT %c = f32[2,8] copy(%b1)\n}\n",
	  "mesh sp=2\ninput 0 sp:S(0)\ninput 1 sp:S(1)\noutput 0 sp:S(0)\n", "b1",
	  "on device 0 it writes %t to columns 0..3, and %t holds columns 4..7 of %o there", FRONTIER_ALONE },
	/* logits gathered beside each other and cut into rows again */
	{ ENTRY "  %x = f32[3,8] parameter(0)\n  %i = f32[] constant(-inf)\n  %m = f32[3] reduce(%x, %i), dimensions={1}, to_apply=%max\n  ROOT %o = f32[3] tanh(%m)\n}\n",
	  SPMD("2") "  %x = f32[3,4] parameter(0)\n  %g = f32[6,4] all-gather(%x), channel_id=1, replica_groups={{0,1}}, dimensions={0}, use_global_device_ids=true\n"
	  "  %r = f32[3,8] reshape(%g)\n  %i = f32[] constant(-inf)\n  %m = f32[3] reduce(%r, %i), dimensions={1}, to_apply=%max\n  ROOT %o = f32[3] tanh(%m)\n}\n",
	  "mesh tp=2\ninput 0 tp:S(1)\noutput 0 R\n", "g", "it puts the blocks in another order than the baseline's: it gathers over tp", FRONTIER_ORDER },
	/* microbatches: what is added up so far is averaged again */
	{ ENTRY "  %x = f32[8,4] parameter(0)\n  %w = f32[8,3] parameter(1)\n  %d = f32[4,3] dot(%x, %w), lhs_contracting_dims={0}, rhs_contracting_dims={0}\n"
	  "  %n = f32[] constant(2)\n  %nb = f32[4,3] broadcast(%n), dimensions={}\n  %q = f32[4,3] divide(%d, %nb)\n  ROOT %o = f32[4,3] tanh(%q)\n}\n",
	  SPMD("2") MICROBATCHES "  %m = f32[4,3] divide(%p, %nb)\n  %a = f32[4,3] add(%m, %q)\n  %e = f32[4,3] divide(%a, %nb)\n  ROOT %o = f32[4,3] tanh(%e)\n}\n",
	  "mesh dp=2\ninput 0 reshape(2,4,4) dp:S(1) reshape(4,4)\ninput 1 reshape(2,4,3) dp:S(1) reshape(4,3)\noutput 0 R\n", "a",
	  "it adds parts of the sum that %d of the baseline is, and they do not count alike: %m is 1/2 x such a part, %q is 1 x such a part", FRONTIER_ALONE },
	/* running sums: what the device itself has is added as well; nothing is added */
	{ ENTRY RUNNING("8", "7") "  ROOT %o = f32[8] tanh(%c)\n}\n",
	  SPMD("2") RUNNING("4", "3") "  %s = f32[] reduce(%x, %z), dimensions={0}, to_apply=%add\n  %s1 = f32[1] reshape(%s)\n"
	  "  %g = f32[2] all-gather(%s1), channel_id=1, replica_groups={{0,1}}, dimensions={0}, use_global_device_ids=true\n  %p = u32[] partition-id()\n  %r = s32[] convert(%p)\n"
	  "  %i = s32[2] iota(), iota_dimension=0\n  %rb = s32[2] broadcast(%r), dimensions={}\n  %l = pred[2] compare(%i, %rb), direction=LE\n"
	  "  %zb = f32[2] broadcast(%z), dimensions={}\n  %k = f32[2] select(%l, %g, %zb)\n  %t = f32[] reduce(%k, %z), dimensions={0}, to_apply=%add\n"
	  "  %b = f32[4] broadcast(%t), dimensions={}\n  %a = f32[4] add(%c, %b)\n  ROOT %o = f32[4] tanh(%a)\n}\n",
	  "mesh sp=2\ninput 0 sp:S(0)\noutput 0 sp:S(0)\n", "a",
	  "it adds %b to %c, which adds up each device's own part of %x over sp, place by place: what the parts before it come to is due, and it is sum over 8 of %x", FRONTIER_ALONE },
	{ ENTRY RUNNING("8", "7") "  ROOT %o = f32[8] tanh(%c)\n}\n", SPMD("2") RUNNING("4", "3") "  ROOT %o = f32[4] tanh(%c)\n}\n",
	  "mesh sp=2\ninput 0 sp:S(0)\noutput 0 sp:S(0)\n", "c",
	  "it adds up each device's own part of %x over sp, place by place, and what the parts before it come to is added nowhere", FRONTIER_DIFFERS },
	/* a contraction whose operands are cut in another order of axes */
	{ ENTRY "  %x = f32[4,16] parameter(0)\n  %w = f32[16,6] parameter(1)\n  %t = f32[4,16] tanh(%x)\n  %y = f32[4,6] dot(%t, %w), " PRODUCT "  ROOT %o = f32[4,6] tanh(%y)\n}\n",
	  SPMD("4") "  %x = f32[4,4] parameter(0)\n  %w = f32[4,6] parameter(1)\n  %t = f32[4,4] tanh(%x)\n  %y = f32[4,6] dot(%t, %w), " PRODUCT
	  "  %r = f32[4,6] all-reduce(%y), channel_id=1, replica_groups={{0,1,2,3}}, use_global_device_ids=true, to_apply=%add\n  ROOT %o = f32[4,6] tanh(%r)\n}\n",
	  "mesh dp=2 tp=2\ninput 0 dp:S(1) tp:S(1)\ninput 1 tp:S(0) dp:S(0)\noutput 0 R\n", "y",
	  "its operands do not agree: %t is S(1) over dp,tp of %t, %w is S(0) over tp,dp of %w; on device 1 what is summed begins at place 4 of the one and at "
	  "place 8 of the other", FRONTIER_DIFFERS },
	/* padding of zeros is taken in */
	{ ENTRY "  %x = f32[3,7] parameter(0)\n  %t = f32[7,3] transpose(%x), dimensions={1,0}\n  %k = f32[] constant(-inf)\n  ROOT %m = f32[3] reduce(%t, %k), dimensions={0}, to_apply=%max\n}\n",
	  SPMD("2") "  %x = f32[3,8] parameter(0)\n  %t = f32[8,3] transpose(%x), dimensions={1,0}\n  %k = f32[] constant(-inf)\n  ROOT %m = f32[3] reduce(%t, %k), dimensions={0}, to_apply=%max\n}\n",
	  "mesh tp=2\ninput 0 pad(1; 8; 0)\noutput 0 R\n", "m", "it takes in the padding of %t, which the baseline does not have: pad(1; 8; 0)", FRONTIER_DIFFERS },
	/* the other of two values */
	{ ENTRY "  %x = f32[4] parameter(0)\n  %y = f32[4] parameter(1)\n  %l = f32[4] logistic(%x)\n  ROOT %m = f32[4] multiply(%l, %y)\n}\n",
	  SPMD("2") "  %x = f32[2] parameter(0)\n  %y = f32[2] parameter(1)\n  %l = f32[2] logistic(%y)\n  ROOT %m = f32[2] multiply(%l, %x)\n}\n",
	  "mesh tp=2\ninput 0 tp:S(0)\ninput 1 tp:S(0)\noutput 0 tp:S(0)\n", "l", "takes %y where %l of the baseline takes %x", FRONTIER_DIFFERS },
	{ ENTRY "  %x = f32[4] parameter(0)\n  %y = f32[4] parameter(1)\n  %n = f32[4] negate(%x)\n  %e = f32[4] exponential(%n)\n  ROOT %m = f32[4] multiply(%e, %y)\n}\n",
	  SPMD("2") "  %x = f32[2] parameter(0)\n  %y = f32[2] parameter(1)\n  %n = f32[2] negate(%y)\n  %e = f32[2] exponential(%n)\n  ROOT %m = f32[2] multiply(%e, %x)\n}\n",
	  "mesh tp=2\ninput 0 tp:S(0)\ninput 1 tp:S(0)\noutput 0 tp:S(0)\n", "n", "it is -1 x %y: it takes %y where %n of the baseline takes %x", FRONTIER_SCALED },
	/* divided by a number, and not by a value */
	{ ENTRY "  %x = f32[4] parameter(0)\n  %y = f32[4] parameter(1)\n  %t = f32[4] tanh(%x)\n  ROOT %d = f32[4] divide(%t, %y)\n}\n",
	  SPMD("2") "  %x = f32[2] parameter(0)\n  %y = f32[2] parameter(1)\n  %t = f32[2] tanh(%x)\n  %k = f32[] constant(4)\n  %b = f32[2] broadcast(%k), dimensions={}\n  ROOT %d = f32[2] divide(%t, %b)\n}\n",
	  "mesh tp=2\ninput 0 tp:S(0)\ninput 1 tp:S(0)\noutput 0 tp:S(0)\n", "d", "it divides by 4, %d of the baseline by %y", FRONTIER_SCALED },
	/* slices that leave something out */
	{ ENTRY "  %x = f32[6,4] parameter(0)\n  %t = f32[6,4] tanh(%x)\n  %z = f32[] constant(0)\n  ROOT %s = f32[4] reduce(%t, %z), dimensions={0}, to_apply=%add\n}\n",
	  SPMD("2") "  %x = f32[6,2] parameter(0)\n  %y = f32[2,2] slice(%x), slice={[2:4], [0:2]}\n  %t = f32[2,2] tanh(%y)\n  %z = f32[] constant(0)\n  ROOT %s = f32[2] reduce(%t, %z), dimensions={0}, to_apply=%add\n}\n",
	  "mesh tp=2\ninput 0 tp:S(1)\noutput 0 tp:S(0)\n", "y", "it takes rows 2, 3 of %x, and nothing takes rows 0, 1, 4, 5", FRONTIER_DIFFERS },
	/* other places of every device's own part */
	{ ENTRY "  %x = f32[4,6] parameter(0)\n  %w = f32[6,3] parameter(1)\n  %d = f32[4,3] dot(%x, %w), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n  ROOT %t = f32[4,3] tanh(%d)\n}\n",
	  SPMD("2") "  %x = f32[4,3] parameter(0)\n  %w = f32[3,3] parameter(1)\n  %d = f32[4,3] dot(%x, %w), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n"
	  "  %p = u32[] partition-id()\n  %k = u32[] constant(2)\n  %o = u32[] multiply(%p, %k)\n  %z = u32[] constant(0)\n"
	  "  %l = f32[2,3] dynamic-slice(%d, %o, %z), dynamic_slice_sizes={2,3}\n  ROOT %t = f32[2,3] tanh(%l)\n}\n",
	  "mesh tp=2\ninput 0 tp:S(1)\ninput 1 tp:S(0)\noutput 0 tp:S(0)\n", "l",
	  "each device of tp keeps other places of its own part, and what the others have for these is lost: an all-reduce over tp is missing before it", FRONTIER_DIFFERS },
	/* a term that an output lacks */
	{ ENTRY "  %x = f32[4] parameter(0)\n  %t = f32[4] tanh(%x)\n  ROOT %a = f32[4] add(%t, %x)\n}\n",
	  SPMD("2") "  %x = f32[2] parameter(0)\n  ROOT %t = f32[2] tanh(%x)\n}\n",
	  "mesh tp=2\ninput 0 tp:S(0)\noutput 0 tp:S(0)\n", "t", "the plan wants tp:S(0) of %a, which adds %x to it: that is missing", FRONTIER_RELATION },
	/* other dimensions */
	{ ENTRY "  %x = f32[4,4,3] parameter(0)\n  %z = f32[] constant(0)\n  %s = f32[3] reduce(%x, %z), dimensions={0,1}, to_apply=%add\n  ROOT %t = f32[3] tanh(%s)\n}\n",
	  SPMD("2") "  %x = f32[4,4,3] parameter(0)\n  %z = f32[] constant(0)\n  %s = f32[4] reduce(%x, %z), dimensions={0,2}, to_apply=%add\n  %l = f32[3] slice(%s), slice={[0:3]}\n  ROOT %t = f32[3] tanh(%l)\n}\n",
	  "mesh tp=2\ninput 0 R\noutput 0 R\n", "s", "it reduces over dimensions 0,2, %s of the baseline over dimensions 0,1", FRONTIER_DIFFERS },
	/* right on one device, and only given out from there */
	{ ENTRY "  %x = f32[4] parameter(0)\n  %y = f32[4] parameter(1)\n  ROOT %a = f32[4] add(%x, %y)\n}\n",
	  SPMD("2") "  %x = f32[4] parameter(0)\n  %y = f32[4] parameter(1)\n  %a = f32[4] add(%x, %y)\n  %p = u32[] partition-id()\n  %z = u32[] constant(0)\n"
	  "  %q = pred[] compare(%p, %z), direction=EQ\n  %b = pred[4] broadcast(%q), dimensions={}\n  %s = f32[4] select(%b, %a, %x)\n  ROOT %c = f32[4] copy(%s)\n}\n",
	  "mesh dp=2\ninput 0 R\ninput 1 R\noutput 0 R\n", "s", "it is %a of the baseline on device 0, and something else on others", FRONTIER_DIFFERS },
	/* a mask by what it should be */
	{ ENTRY "  %x = f32[3,3] parameter(0)\n  %i = s32[3,3] iota(), iota_dimension=0\n  %j = s32[3,3] iota(), iota_dimension=1\n  %m = pred[3,3] compare(%i, %j), direction=GE\n"
	  "  %z = f32[] constant(-9)\n  %b = f32[3,3] broadcast(%z), dimensions={}\n  ROOT %s = f32[3,3] select(%m, %x, %b)\n}\n",
	  SPMD("2") "  %x = f32[3,3] parameter(0)\n  %i = s32[3,3] iota(), iota_dimension=0\n  %j = s32[3,3] iota(), iota_dimension=1\n  %m = pred[3,3] compare(%i, %j), direction=GT\n"
	  "  %z = f32[] constant(-9)\n  %b = f32[3,3] broadcast(%z), dimensions={}\n  ROOT %s = f32[3,3] select(%m, %x, %b)\n}\n",
	  "mesh dp=2\ninput 0 R\noutput 0 R\n", "s", "others than the baseline's (a table [3,3] of 1 where column <= row, else 0), the first is 0 and not 1", FRONTIER_DIFFERS },
	/* places that data choose in a table: what says them is no operand that is read */
	{ ENTRY "  %s = s32[8] parameter(0)\n  %q = s32[8,8] broadcast(%s), dimensions={0}\n  %k = s32[8,8] broadcast(%s), dimensions={1}\n"
	  "  %e = pred[8,8] compare(%q, %k), direction=EQ\n  %i = s32[8,8] iota(), iota_dimension=0\n  %j = s32[8,8] iota(), iota_dimension=1\n"
	  "  %g = pred[8,8] compare(%i, %j), direction=GE\n  %e8 = u8[8,8] convert(%e)\n  %g8 = u8[8,8] convert(%g)\n  ROOT %a = u8[8,8] and(%e8, %g8)\n}\n",
	  SPMD("4") "  %s = s32[2] parameter(0)\n  %t = s32[8] all-gather(%s), replica_groups={{0,1,2,3}}, dimensions={0}, channel_id=1, use_global_device_ids=true\n"
	  "  %q = s32[2,8] broadcast(%s), dimensions={0}\n  %k = s32[2,8] broadcast(%t), dimensions={1}\n"
	  "  %e = pred[2,8] compare(%q, %k), direction=EQ\n  %i = s32[2,8] iota(), iota_dimension=0\n  %j = s32[2,8] iota(), iota_dimension=1\n"
	  "  %g = pred[2,8] compare(%i, %j), direction=GE\n  %e8 = u8[2,8] convert(%e)\n  %g8 = u8[2,8] convert(%g)\n  ROOT %a = u8[2,8] and(%e8, %g8)\n}\n",
	  "mesh cp=4\ninput 0 cp:S(0)\ninput 0 in 0..3\noutput 0 cp:S(0)\n", "a", "reads, on device 1, place 0 of index where %a of the baseline reads place 1", FRONTIER_DIFFERS },
};

static const char half[] = "%addh (a: bf16[], b: bf16[]) -> bf16[] {\n  %a = bf16[] parameter(0)\n  %b = bf16[] parameter(1)\n  ROOT %s = bf16[] add(%a, %b)\n}\n\n";
static const char maximum[] = "%max (a: f32[], b: f32[]) -> f32[] {\n  %a = f32[] parameter(0)\n  %b = f32[] parameter(1)\n  ROOT %s = f32[] maximum(%a, %b)\n}\n\n";

/* The computations that reductions name, before the entry. */
static const char *with_functions(const char *text)
{
	static char buffer[2][8192];
	static int which;
	const char *entry = strstr(text, "ENTRY");
	char *b = buffer[which++ & 1];

	snprintf(b, sizeof buffer[0], "%.*s%s%s%s%s", (int)(entry - text), text, strstr(text, "%add (") ? "" : ADD, maximum, strstr(text, "%addh") ? half : "", entry);
	return b;
}

static void named_faults(void **state)
{
	size_t k;

	(void)state;
	for (k = 0; k < sizeof fault_cases / sizeof *fault_cases; k++) {
		const struct fault_case *c = &fault_cases[k];
		struct text_pair *t = text_run(with_functions(c->base), with_functions(c->dist), c->plan);
		frontier f = only(t, c->row, c->kind);
		text_holds(frontier_explain(t->s, &f.e[0], &t->a)->reason, c->says);
		text_close(t);
	}
}

/* Rows, each of the one before, that end in one of the name given. */
static char *chain_text(arena *a, const char *from, const char *to, int n)
{
	char *t = "";
	int k;

	for (k = 0; k < n; k++)
		t = arena_printf(a, "%s  %%%s = f32[2,3] %s(%%%s)\n", t, k == n - 1 ? to : arena_printf(a, "%s%d", to, k), k % 2 ? "tanh" : "sine",
				 k ? arena_printf(a, "%s%d", to, k - 1) : from);
	return t;
}

/* However many rows a stage of a pipeline has, they are right on the device that keeps its result. */
static void a_long_stage(void **state)
{
	arena a = { 0 };
	struct text_pair *t;
	frontier f;

	(void)state;
	t = text_run(arena_printf(&a, "%s%s%s%s%s", ENTRY "  %x = f32[2,3] parameter(0)\n  %w = f32[2,3,3] parameter(1)\n  %u = f32[1,3,3] slice(%w), slice={[0:1], [0:3], [0:3]}\n"
				  "  %a = f32[3,3] reshape(%u)\n  %p = f32[2,3] dot(%x, %a), " PRODUCT, chain_text(&a, "p", "h", 25),
				  "  %v = f32[1,3,3] slice(%w), slice={[1:2], [0:3], [0:3]}\n  %b = f32[3,3] reshape(%v)\n  %q = f32[2,3] dot(%h, %b), " PRODUCT,
				  chain_text(&a, "q", "y", 25), "  ROOT %o = f32[2,3] abs(%y)\n}\n"),
		     arena_printf(&a, "%s%s%s%s%s", SPMD("2") "  %x = f32[2,3] parameter(0)\n  %w = f32[1,3,3] parameter(1)\n  %a = f32[3,3] reshape(%w)\n"
				  "  %p = f32[2,3] dot(%x, %a), " PRODUCT, chain_text(&a, "p", "h", 25),
				  "  %g = f32[2,3] collective-permute(%h), channel_id=1, source_target_pairs={{0,1},{1,0}}\n  %q = f32[2,3] dot(%g, %a), " PRODUCT,
				  chain_text(&a, "q", "y", 25), "  %r = u32[] partition-id()\n  %k = u32[] constant(0)\n  %c = pred[] compare(%r, %k), direction=EQ\n"
				  "  %cb = pred[2,3] broadcast(%c), dimensions={}\n  %z = f32[] constant(0)\n  %zb = f32[2,3] broadcast(%z), dimensions={}\n"
				  "  %s = f32[2,3] select(%cb, %y, %zb)\n" ALL_REDUCE("%t", "2,3", "%s", "{0,1}") "  ROOT %o = f32[2,3] abs(%t)\n}\n"),
		     "mesh pp=2\ninput 0 R\ninput 1 pp:S(0)\noutput 0 R\n");
	f = only(t, "s", FRONTIER_ALONE);
	text_holds(frontier_explain(t->s, &f.e[0], &t->a)->reason, "on device 0 it takes %y, where that is nothing of the baseline's; on device 1 that is %y of the baseline, and not taken");
	text_close(t);
	arena_free(&a);
}

/* Every device has another value of the baseline's, which are then mixed up: both are named. */
static void others_on_other_devices(void **state)
{
	struct text_pair *t = text_run(
		ENTRY "  %x = f32[4,3] parameter(0)\n  %a = f32[2,3] slice(%x), slice={[0:2], [0:3]}\n  %b = f32[2,3] slice(%x), slice={[2:4], [0:3]}\n"
		"  %p = f32[2,3] tanh(%a)\n  %q = f32[2,3] tanh(%b)\n  %s = f32[2,3] sine(%p)\n  %t = f32[2,3] cosine(%q)\n"
		"  ROOT %o = f32[4,3] concatenate(%s, %t), dimensions={0}\n}\n",
		SPMD("2") "  %x = f32[2,3] parameter(0)\n  %p = f32[2,3] tanh(%x)\n  ROOT %o = f32[2,3] sine(%p)\n}\n", "mesh dp=2\ninput 0 dp:S(0)\noutput 0 dp:S(0)\n");
	frontier f = frontier_find(t->s, &t->a);

	(void)state;
	assert_int_equal(f.n, 1);
	text_holds(frontier_explain(t->s, &f.e[0], &t->a)->reason, "which is %p of the baseline on device 0 and %q on device 1: what is made of it is not");
	text_close(t);
}

static void same_as(const frontier *f, const frontier *g)
{
	int k;

	assert_int_equal(f->n, g->n);
	for (k = 0; k < f->n; k++) {
		assert_int_equal(f->e[k].row, g->e[k].row);
		assert_int_equal(f->e[k].kind, g->e[k].kind);
		assert_int_equal(f->e[k].nbase, g->e[k].nbase);
	}
}

/* States that were kept up to date, there and back, give the frontier that states made here give. */
static void as_if_made_here(struct text_pair *t)
{
	states *s = states_new(t->p->q);
	frontier f, g;

	states_refresh(t->s);
	f = frontier_find(t->s, &t->a);
	states_refresh(s);
	g = frontier_find(s, &t->a);
	same_as(&f, &g);
	states_free(s);
}

static void there_and_back(void **state)
{
	size_t k;

	(void)state;
	for (k = 0; k < sizeof fault_cases / sizeof *fault_cases; k++) {
		const struct fault_case *c = &fault_cases[k];
		struct text_pair *t = text_open(with_functions(c->base), with_functions(c->dist), c->plan);
		trail_mark half = 0;
		int moves = 0;

		while (pair_move(t->p->q) != PAIR_DONE) {
			states_refresh(t->s);
			if (++moves == 8)
				half = trail_at(t->p->p->a.tr);
		}
		as_if_made_here(t);
		only(t, c->row, c->kind);
		assert_true(half > 0);
		trail_undo(t->p->p->a.tr, half);
		as_if_made_here(t);
		pair_run(t->p->q);
		as_if_made_here(t);
		only(t, c->row, c->kind);
		text_close(t);
	}
}

/* ---- an output in another order that is taken, too */

static void an_output_and_what_takes_it(void **state)
{
	static const char base[] = ENTRY
		"  %x = f32[6,5] parameter(0)\n  %b = f32[5,6] parameter(1)\n  %r = f32[2,3,5] reshape(%x)\n  %t = f32[5,3,2] transpose(%r), dimensions={2,1,0}\n"
		"  %u = f32[5,6] reshape(%t)\n  %y = f32[5,6] add(%u, %b)\n  ROOT %o = (f32[5,6], f32[2,3,5]) tuple(%y, %r)\n}\n";
	static const char dist[] = SPMD("2")
		"  %x = f32[6,5] parameter(0)\n  %b = f32[5,6] parameter(1)\n  %r = f32[3,2,5] reshape(%x)\n  %s = f32[2,3,5] transpose(%r), dimensions={1,0,2}\n"
		"  %t = f32[5,3,2] transpose(%s), dimensions={2,1,0}\n  %u = f32[5,6] reshape(%t)\n  %y = f32[5,6] add(%u, %b)\n  ROOT %o = (f32[5,6], f32[2,3,5]) tuple(%y, %s)\n}\n";
	struct text_pair *t = text_run(base, dist, "mesh tp=2\ninput 0 R\ninput 1 R\noutput 0 R\noutput 1 R\n");
	frontier f = only(t, "y", FRONTIER_DIFFERS);
	const frontier_report *r = frontier_explain(t->s, &f.e[0], &t->a);

	(void)state;
	assert_non_null(f.e[0].also);
	text_holds(r->reason, "its operands do not agree: %u is ");
	text_holds(r->reason, "; for the same reason %s is ");
	text_close(t);
}

/* ---- a ring of two steps: its blocks, and a mask that does not fit one of them */

#define RING_BASE ENTRY \
	"  %q = f32[6,5] parameter(0)\n  %k = f32[6,5] parameter(1)\n  %s = f32[6,6] dot(%q, %k), lhs_contracting_dims={1}, rhs_contracting_dims={1}\n" \
	"  %i = s32[6,6] iota(), iota_dimension=0\n  %j = s32[6,6] iota(), iota_dimension=1\n  %m = pred[6,6] compare(%i, %j), direction=GE\n" \
	"  %n = f32[] constant(-1000)\n  %nb = f32[6,6] broadcast(%n), dimensions={}\n  %h = f32[6,6] select(%m, %s, %nb)\n" \
	"  %z = f32[] constant(-inf)\n  ROOT %x = f32[6] reduce(%h, %z), dimensions={1}, to_apply=%max\n}\n"

/* What arrives has a token added to it, as PyTorch/XLA has it; `offset` is where the keys that arrived in the second step stand: 3 - 3 id. */
#define RING_DIST(offset) SPMD("2") \
	"  %q = f32[3,5] parameter(0)\n  %k = f32[3,5] parameter(1)\n  %p = u32[] partition-id()\n  %c = s32[] convert(%p)\n  %three = s32[] constant(3)\n  %mine = s32[] multiply(%c, %three)\n" \
	"  %mb = s32[3,3] broadcast(%mine), dimensions={}\n  %other = s32[] " offset "\n  %ob = s32[3,3] broadcast(%other), dimensions={}\n" \
	"  %i = s32[3,3] iota(), iota_dimension=0\n  %j = s32[3,3] iota(), iota_dimension=1\n  %ig = s32[3,3] add(%i, %mb)\n  %j0 = s32[3,3] add(%j, %mb)\n  %j1 = s32[3,3] add(%j, %ob)\n" \
	"  %n = f32[] constant(-1000)\n  %nb = f32[3,3] broadcast(%n), dimensions={}\n  %z = f32[] constant(-inf)\n" \
	"  %s0 = f32[3,3] dot(%q, %k), lhs_contracting_dims={1}, rhs_contracting_dims={1}\n  %m0 = pred[3,3] compare(%ig, %j0), direction=GE\n  %h0 = f32[3,3] select(%m0, %s0, %nb)\n" \
	"  %x0 = f32[3] reduce(%h0, %z), dimensions={1}, to_apply=%max\n" \
	"  %got = f32[3,5] collective-permute(%k), channel_id=1, source_target_pairs={{0,1},{1,0}}\n" \
	"  %zero = f32[] constant(0)\n  %token = f32[3,5] broadcast(%zero), dimensions={}\n  %sent = f32[3,5] add(%got, %token)\n" \
	"  %s1 = f32[3,3] dot(%q, %sent), lhs_contracting_dims={1}, rhs_contracting_dims={1}\n  %m1 = pred[3,3] compare(%ig, %j1), direction=GE\n  %h1 = f32[3,3] select(%m1, %s1, %nb)\n" \
	"  %x1 = f32[3] reduce(%h1, %z), dimensions={1}, to_apply=%max\n  ROOT %x = f32[3] maximum(%x0, %x1)\n}\n"

static const char ring_plan[] = "mesh sp=2\ninput 0 sp:S(0)\ninput 1 sp:S(0)\noutput 0 sp:S(0)\n";

static void blocks_of_a_ring(void **state)
{
	struct text_pair *t = text_run(with_functions(RING_BASE), with_functions(RING_DIST("subtract(%three, %mine)")), ring_plan);

	(void)state;
	assert_int_equal(text_state(t, "s0")->kind, STATE_BLOCK);
	assert_string_equal(text_relation(t, "s0"), "block: S(0) over sp · S(1) over sp");
	assert_int_equal(text_state(t, "sent")->kind, STATE_REORDERED);	/* a token added */
	assert_string_equal(text_relation(t, "s1"), "block: S(0) over sp · S(1) rotated by 1 over sp");
	assert_int_equal(text_state(t, "h0")->kind, STATE_BLOCK);
	assert_int_equal(text_state(t, "h1")->kind, STATE_BLOCK);
	text_close(t);
}

static void a_mask_beside_a_block(void **state)
{
	static const char *const rows[] = { "h1" };
	struct text_pair *t = text_run(with_functions(RING_BASE), with_functions(RING_DIST("copy(%mine)")), ring_plan);
	frontier f = rows_are(t, 1, rows);	/* not %x0, a step of what is right */
	const frontier_report *r = frontier_explain(t->s, &f.e[0], &t->a);

	(void)state;
	assert_int_equal(text_state(t, "h0")->kind, STATE_BLOCK);
	text_holds(r->reason, "it takes %s1, a block of %s, S(0) over sp · S(1) rotated by 1 over sp, with %m1: on device 0 it is true at [0,0], "
			      "%m of the baseline is false at [0,3] there");
	text_close(t);
}

/* -1 is right where another device's block stands, though a multiple is no product; it is wrong in the own block. */
static void a_sign_that_fits_a_block(void **state)
{
	static const char base[] = ENTRY
		"  %q = f32[6,5] parameter(0)\n  %k = f32[6,5] parameter(1)\n  %s = f32[6,6] dot(%q, %k), lhs_contracting_dims={1}, rhs_contracting_dims={1}\n"
		"  %b = f32[6] parameter(2)\n  %bb = f32[6,6] broadcast(%b), dimensions={0}\n  %a = f32[6,6] add(%s, %bb)\n"
		"  %i = s32[6,6] iota(), iota_dimension=0\n  %j = s32[6,6] iota(), iota_dimension=1\n  %m = pred[6,6] compare(%i, %j), direction=EQ\n"
		"  %o = f32[] constant(1)\n  %ob = f32[6,6] broadcast(%o), dimensions={}\n  %n = f32[] constant(-1)\n  %nb = f32[6,6] broadcast(%n), dimensions={}\n"
		"  %c = f32[6,6] select(%m, %ob, %nb)\n  %h = f32[6,6] multiply(%c, %a)\n  %e = f32[6,6] tanh(%h)\n"
		"  %z = f32[] constant(-inf)\n  ROOT %x = f32[6] reduce(%e, %z), dimensions={1}, to_apply=%max\n}\n";
	static const char dist[] = SPMD("2")
		"  %q = f32[3,5] parameter(0)\n  %k = f32[3,5] parameter(1)\n  %b = f32[3] parameter(2)\n  %bb = f32[3,3] broadcast(%b), dimensions={0}\n"
		"  %n = f32[] constant(-1)\n  %nb = f32[3,3] broadcast(%n), dimensions={}\n  %z = f32[] constant(-inf)\n"
		"  %s0 = f32[3,3] dot(%q, %k), lhs_contracting_dims={1}, rhs_contracting_dims={1}\n  %a0 = f32[3,3] add(%s0, %bb)\n"
		"  %got = f32[3,5] collective-permute(%k), channel_id=1, source_target_pairs={{0,1},{1,0}}\n"
		"  %s1 = f32[3,3] dot(%q, %got), lhs_contracting_dims={1}, rhs_contracting_dims={1}\n  %a1 = f32[3,3] add(%s1, %bb)\n"
		"  %h1 = f32[3,3] multiply(%a1, %nb)\n  %e1 = f32[3,3] tanh(%h1)\n  %h0 = f32[3,3] multiply(%a0, %nb)\n  %e0 = f32[3,3] tanh(%h0)\n"
		"  %x0 = f32[3] reduce(%e0, %z), dimensions={1}, to_apply=%max\n  %x1 = f32[3] reduce(%e1, %z), dimensions={1}, to_apply=%max\n"
		"  ROOT %x = f32[3] maximum(%x0, %x1)\n}\n";
	static const char *const rows[] = { "h0" };
	struct text_pair *t = text_run(with_functions(base), with_functions(dist), "mesh sp=2\ninput 0 sp:S(0)\ninput 1 sp:S(0)\ninput 2 sp:S(0)\noutput 0 sp:S(0)\n");
	frontier f = rows_are(t, 1, rows);

	(void)state;
	text_holds(frontier_explain(t->s, &f.e[0], &t->a)->reason, "with %nb: on device 0 it is -1 at [0,0], %c of the baseline is 1 at [0,0] there");
	text_close(t);
}

/* Only the blocks on the diagonal: they are not the whole, so none is taken for granted. */
static void blocks_that_are_not_the_whole(void **state)
{
	static const char dist[] = SPMD("2")
		"  %q = f32[3,5] parameter(0)\n  %k = f32[3,5] parameter(1)\n  %s0 = f32[3,3] dot(%q, %k), lhs_contracting_dims={1}, rhs_contracting_dims={1}\n"
		"  %z = f32[] constant(-inf)\n  ROOT %x = f32[3] reduce(%s0, %z), dimensions={1}, to_apply=%max\n}\n";
	struct text_pair *t = text_run(with_functions(RING_BASE), with_functions(dist), ring_plan);

	(void)state;
	only(t, "s0", FRONTIER_DIFFERS);
	assert_int_equal(text_state(t, "s0")->kind, STATE_NONE);
	text_close(t);
}

/* ---- what only a search relates is not blamed in the end */

static void a_last_look(void **state)
{
	static const char base[] = ENTRY
		"  %x = f32[4] parameter(0)\n  %b = f32[4] parameter(1)\n  %l = f32[4] logistic(%x)\n  ROOT %y = f32[4] add(%l, %b)\n}\n";
	static const char dist[] = SPMD("2")
		"  %x = f32[4] parameter(0)\n  %b = f32[4] parameter(1)\n  %n = f32[4] negate(%x)\n  %e = f32[4] exponential(%n)\n  %c = f32[] constant(1)\n"
		"  %cb = f32[4] broadcast(%c), dimensions={}\n  %a = f32[4] add(%cb, %e)\n  %l = f32[4] divide(%cb, %a)\n  ROOT %y = f32[4] subtract(%l, %b)\n}\n";
	struct text_pair *t = text_open(base, dist, "mesh tp=2\ninput 0 R\ninput 1 R\noutput 0 R\n");
	levels l;

	(void)state;
	level_init(&l, t->p->q);
	level_run(&l);
	states_refresh(t->s);
	assert_int_equal(level_at(&l), LEVEL_COUNT - 1);
	assert_true(frontier_find(t->s, &t->a).n > 0);
	assert_string_not_equal(t->p->dist->row[frontier_find(t->s, &t->a).e[0].row].path, "y");
	level_free(&l);
	text_close(t);

	t = text_open(base, dist, "mesh tp=2\ninput 0 R\ninput 1 R\noutput 0 R\n");
	level_init(&l, t->p->q);
	l.look = true;
	level_run(&l);
	states_refresh(t->s);
	assert_int_equal(level_at(&l), LEVEL_LOOK);
	assert_int_equal(text_state(t, "l")->kind, STATE_RELATED);
	only(t, "y", FRONTIER_DIFFERS);
	level_free(&l);
	text_close(t);
}

/* ---- the report */

/* A masked lookup that is right needs the range of the indices, which proves nothing here: it is taken, so that the fault behind it
 * is the only one. */
static void a_range_for_the_frontier(void **state)
{
	static const char base[] = ENTRY
		"  %t = f32[8,4] parameter(0)\n  %i = s32[3] parameter(1)\n  %j = s32[3,1] reshape(%i)\n"
		"  %g = f32[3,4] gather(%t, %j), offset_dims={1}, collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=1, slice_sizes={1,4}\n  ROOT %o = f32[3,4] tanh(%g)\n}\n";
	static const char dist[] = SPMD("2")
		"  %t = f32[4,4] parameter(0)\n  %i = s32[3] parameter(1)\n  %p = u32[] partition-id()\n  %s = s32[] convert(%p)\n  %n = s32[] constant(4)\n  %m = s32[] multiply(%s, %n)\n"
		"  %b = s32[3] broadcast(%m), dimensions={}\n  %l = s32[3] subtract(%i, %b)\n  %z = s32[] constant(0)\n  %zb = s32[3] broadcast(%z), dimensions={}\n  %nb = s32[3] broadcast(%n), dimensions={}\n"
		"  %ge = pred[3] compare(%l, %zb), direction=GE\n  %lt = pred[3] compare(%l, %nb), direction=LT\n  %in = pred[3] and(%ge, %lt)\n  %last = s32[] constant(3)\n"
		"  %c = s32[3] clamp(%z, %l, %last)\n  %j = s32[3,1] reshape(%c)\n"
		"  %g = f32[3,4] gather(%t, %j), offset_dims={1}, collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=1, slice_sizes={1,4}\n"
		"  %k = pred[3,4] broadcast(%in), dimensions={0}\n  %f = f32[] constant(0)\n  %fb = f32[3,4] broadcast(%f), dimensions={}\n  %h = f32[3,4] select(%k, %g, %fb)\n"
		ALL_REDUCE("%r", "3,4", "%h", "{0,1}") "  ROOT %o = f32[3,4] logistic(%r)\n}\n";
	struct text_pair *t = text_open(base, dist, "mesh tp=2\ninput 0 tp:S(0)\ninput 1 R\noutput 0 R\n");
	struct report *r = report_run(t->p, 0, NULL);

	(void)state;
	assert_int_equal(r->verdict, VERDICT_UNKNOWN_RULE);
	assert_int_equal(r->nfrontier, 1);
	assert_string_equal(r->frontier[0].node, "%o");
	assert_int_equal(r->nassumption, 1);
	text_holds(r->assumption[0], "lies in 0..7");
	report_free(r);
	text_close(t);
}

/* Numbers of a PyTorch program are inputs (`xla__device_data`): one that the baseline divides by is taken not to be 0, one it adds
 * below a root to be positive, when that proves more; inputs of other programs are not. */
static void numbers_of_a_program(void **state)
{
#define PARTS(n, p) "  %x = f32[" n "] parameter(0)\n  %z = f32[] constant(0)\n  %y = f32[] parameter(2)\n  %q = f32[] multiply(%y, %y)\n" \
	"  %p = f32[] parameter(1), metadata={op_name=\"" p "\"}\n"
#define EACH(p, scale) "HloModule m\n\n" ADD "ENTRY %main {\n" PARTS("4", p) "  %b = f32[4] broadcast(%p), dimensions={}\n" scale "  ROOT %o = f32[] reduce(%v, %z), dimensions={0}, to_apply=%add\n}\n"
#define ONCE(scale) SPMD("2") PARTS("2", "p") "  %s = f32[] reduce(%x, %z), dimensions={0}, to_apply=%add\n" ALL_REDUCE("%r", "", "%s", "{0,1}") scale "}\n"
#define ROOTED "  %e = f32[] add(%q, %p)\n  %w = f32[] rsqrt(%e)\n"
	static const struct { const char *base, *dist, *assumed; } c[] = {
		{ EACH("xla__device_data", "  %v = f32[4] divide(%x, %b)\n"), ONCE("  ROOT %o = f32[] divide(%r, %p)\n"), "baseline input 1 is not 0" },
		{ EACH("xla__device_data", ROOTED "  %c = f32[4] broadcast(%w), dimensions={}\n  %v = f32[4] multiply(%x, %c)\n"),
		  ONCE(ROOTED "  ROOT %o = f32[] multiply(%r, %w)\n"), "baseline input 1 is positive" },
		{ EACH("y", "  %v = f32[4] divide(%x, %b)\n"), ONCE("  ROOT %o = f32[] divide(%r, %p)\n"), NULL },
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof c / sizeof *c; i++) {
		struct text_pair *t = text_open(c[i].base, c[i].dist, "mesh dp=2\ninput 0 dp:S(0)\ninput 1 R\ninput 2 R\noutput 0 R\n");
		struct report *r = report_run(t->p, 0, NULL);
		assert_int_equal(r->verdict, c[i].assumed ? VERDICT_PROVED : VERDICT_UNKNOWN_RULE);
		assert_int_equal(r->nassumption, c[i].assumed != NULL);
		if (c[i].assumed)
			text_holds(r->assumption[0], c[i].assumed);
		report_free(r);
		text_close(t);
	}
}

/* Means of parts are multiples of the parts of a mean; the proved output rests on them, so the slice that goes wrong is blamed. */
static void a_multiple_that_is_made_up_for(void **state)
{
#define HALVES(n, c) "  %x = f32[" n ",2] parameter(0)\n  %y = f32[" n ",2] parameter(1)\n  %z = f32[] constant(0)\n  %c = f32[] constant(" c ")\n" \
	"  %b = f32[" n ",2] broadcast(%c), dimensions={}\n  %dx = f32[" n ",2] multiply(%x, %b)\n  %dy = f32[" n ",2] multiply(%y, %b)\n" \
	"  %rx = f32[2] reduce(%dx, %z), dimensions={0}, to_apply=%add\n  %ry = f32[2] reduce(%dy, %z), dimensions={0}, to_apply=%add\n"
	static const char base[] = "HloModule m\n\n" ADD "ENTRY %main {\n" HALVES("4", "0.25") "  ROOT %t = (f32[2], f32[2]) tuple(%rx, %ry)\n}\n";
	static const char dist[] = SPMD("2") HALVES("2", "0.5") "  %k = f32[4] concatenate(%rx, %ry), dimensions={0}\n" ALL_REDUCE("%r", "4", "%k", "{0,1}")
		"  %h = f32[4] broadcast(%c), dimensions={}\n  %m = f32[4] multiply(%r, %h)\n  %o0 = f32[2] slice(%m), slice={[0:2]}\n"
		"  %o1 = f32[2] slice(%m), slice={[1:3]}\n  ROOT %t = (f32[2], f32[2]) tuple(%o0, %o1)\n}\n";
	struct text_pair *t = text_open(base, dist, "mesh dp=2\ninput 0 dp:S(0)\ninput 1 dp:S(0)\noutput 0 R\noutput 1 R\n");
	struct report *r = report_run(t->p, 0, NULL);

	(void)state;
	assert_int_equal(r->verdict, VERDICT_UNKNOWN_RULE);
	assert_int_equal(r->nfrontier, 1);
	assert_string_equal(r->frontier[0].node, "%o1");
	report_free(r);
	text_close(t);
}

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

static char *man_of_report(void)
{
	char *text = NULL;
	size_t n = 0;
	FILE *f = open_memstream(&text, &n);

	assert_non_null(f);
	report_man(f);
	fclose(f);
	return text;
}

/* Every key of an object, however deep, is spoken of in the manual page. */
static void keys_are_in(const char *json, const char *man)
{
	const char *end;
	char item[100], inner[100];
	int n = 0;

	for (; (json = strchr(json, '"')); json = end + 1) {
		for (end = ++json; *end != '"'; end++)
			end += *end == '\\';
		if (end[1] != ':')
			continue;
		n++;
		snprintf(item, sizeof item, ".B %.*s\n", (int)(end - json), json);
		snprintf(inner, sizeof inner, "`%.*s`", (int)(end - json), json);
		if (!strstr(man, item) && !strstr(man, inner))
			fail_msg("the manual page does not speak of %s", inner);
	}
	assert_true(n > 20);
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
	text = man_of_report();
	keys_are_in(json, text);
	text_holds(text, ".B unknown\\-rule \\fR\"unknown: no rule\", 1\n");
	free(text);
	free(json);
	r->frontier[0].file = "a\"\xc3\xa9\xe9\t\xed\xa0\x80";
	json = printed(r, report_json);
	text_holds(json, "\"file\":\"a\\\"\xc3\xa9\\ufffd\\u0009\\ufffd\\ufffd\\ufffd\"");
	free(json);
	report_free(r);
	text_close(t);
}

/* The report on an unproved pair, which is closed. */
static void report_tells(struct text_pair *t, const char *what)
{
	struct report *r = report_make(t->p, t->s, NULL, 0);
	char *text = printed(r, report_text);

	assert_int_equal(report_exit(r), 1);
	text_holds(text, what);
	free(text);
	report_free(r);
	text_close(t);
}

/* Numbers that are compared with places, beside ones that stand for too many places to be listed. */
static void counted_beside_many(void **state)
{
	struct text_pair *t = text_run(SCATTER_LOGS("HloModule m\n\n" ADD "ENTRY %main {\n", "16777216", "  %j = s32[3] copy(%i)\n"),
				       SCATTER_LOGS(SPMD("2"), "2", "  %p = u32[] partition-id()\n  %q = s32[] convert(%p)\n  %k = s32[3] broadcast(%q), dimensions={}\n"
									"  %j = s32[3] add(%i, %k)\n"),
				       "mesh tp=2\ninput 0 R\ninput 1 R\noutput 0 tp:S(0)\n");

	(void)state;
	report_tells(t, "the baseline counts others");
}

/* A slice that takes all is its operand, an atom that reads nothing: it says nothing of what slices leave out (the report asked it what it reads, and for all memory). */
static void a_slice_that_takes_all(void **state)
{
	struct text_pair *t = text_run("HloModule m\n\n" ADD "ENTRY %main {\n  %x = f32[4] parameter(0)\n  %u = f32[2,2] parameter(1)\n  %k = s32[2,1] constant({{0},{3}})\n"
				       "  ROOT %o = f32[4] scatter(%x, %k, %u), update_window_dims={1}, inserted_window_dims={}, scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=%add\n}\n",
				       SPMD("2") "  %x = f32[4] parameter(0)\n  %u = f32[2,2] parameter(1)\n  %w = f32[2,2] slice(%u), slice={[0:2], [0:2]}\n"
				       "  %a = f32[1,2] slice(%u), slice={[0:1], [0:2]}\n  %ar = f32[2] reshape(%a)\n  %b = f32[1,1] slice(%u), slice={[1:2], [0:1]}\n  %br = f32[1] reshape(%b)\n"
				       "  %z = f32[] constant(0)\n  %zb = f32[1] broadcast(%z), dimensions={}\n  %c = f32[4] concatenate(%ar, %zb, %br), dimensions={0}\n  ROOT %o = f32[4] add(%x, %c)\n}\n",
				       "mesh tp=2\ninput 0 R\ninput 1 R\noutput 0 R\n");

	(void)state;
	report_tells(t, "! %b (slice)");
}

/* What reads an empty tensor reads no places of it: the report asked which, and divided by its size. */
#define PADDED_AWAY(init) "  %x = f32[2,1] parameter(0)\n  %z = f32[] constant(7)\n  %e = f32[4,0] pad(%x, %z), padding=0_2_0x0_-1_1\n" \
	"  %i = f32[] constant(" init ")\n  ROOT %o = f32[] reduce(%e, %i), dimensions={0,1}, to_apply=%add\n}\n"

static void nothing_is_read_of_an_empty_tensor(void **state)
{
	struct text_pair *t = text_run("HloModule m\n\n" ADD "ENTRY %main {\n" PADDED_AWAY("1"), SPMD("2") PADDED_AWAY("2"), "mesh tp=2\ninput 0 R\noutput 0 R\n");

	(void)state;
	report_tells(t, "! %o (reduce)");
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
		cmocka_unit_test(a_bias_added_by_every_device), cmocka_unit_test(a_bias_added_by_every_device_before_the_residual),
		cmocka_unit_test(an_all_reduce_is_missing), cmocka_unit_test(an_all_reduce_too_many),
		cmocka_unit_test(the_row_left_over), cmocka_unit_test(nothing_where_all_is_proved), cmocka_unit_test(the_wrong_columns), cmocka_unit_test(a_transpose_left_out),
		cmocka_unit_test(candidates_of_a_transpose), cmocka_unit_test(candidates_from_operands_and_shapes),
		cmocka_unit_test(an_unknown_operation), cmocka_unit_test(a_tiny_number), cmocka_unit_test(index_arithmetic_hands_on_the_blame), cmocka_unit_test(named_faults), cmocka_unit_test(a_long_stage),
		cmocka_unit_test(others_on_other_devices), cmocka_unit_test(there_and_back),
		cmocka_unit_test(an_output_and_what_takes_it), cmocka_unit_test(blocks_of_a_ring), cmocka_unit_test(a_mask_beside_a_block),
		cmocka_unit_test(a_sign_that_fits_a_block),
		cmocka_unit_test(blocks_that_are_not_the_whole), cmocka_unit_test(a_last_look), cmocka_unit_test(a_range_for_the_frontier), cmocka_unit_test(numbers_of_a_program), cmocka_unit_test(a_multiple_that_is_made_up_for), cmocka_unit_test(reports),
		cmocka_unit_test(counted_beside_many),
		cmocka_unit_test(a_slice_that_takes_all),
		cmocka_unit_test(nothing_is_read_of_an_empty_tensor), cmocka_unit_test(a_run_that_was_not_ended_is_a_limit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
