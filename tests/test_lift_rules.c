/* Every lift rule against the interpreter, element by element on all devices,
 * and every class of cores by numbers: members must agree.  Random programs
 * with random attributes (random_hlo.h), a table of one small program per rule,
 * and each rule taken away in turn. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "lab.h"
#include "random_hlo.h"

/* ---- random programs */

struct tally {
	int rows, compared;
};

static void search_on(prover *p)
{
	uint32_t k;

	for (k = 0; k < rules_n(p->r); k++)
		if (rules_at(p->r, k)->ruleset == p->set_search)
			prover_switch(p, k, true);
}

static void check_program(const random_program *r, uint64_t seed, bool rounds, bool search, struct tally *t)
{
	lab *b = lab_alone(r->text, r->replicas * r->partitions);
	const char *why;
	core_eval e;
	eg_id x, y;
	int k;

	if (search)
		search_on(b->p);
	pair_run(b->q);
	if (b->q->cut && !search)	/* all search rules at once may reach the limit: what is there must hold */
		fail_msg("seed %llu: cut at %s\n%s", (unsigned long long)seed, b->q->cut_at ? b->q->cut_at->path : "the outputs", strstr(r->text, "ENTRY"));
	core_eval_run(&e, &b->p->a, seed, rounds);
	why = lab_compare(b, &e, &t->compared);
	if (why)
		fail_msg("seed %llu: %s\n%s", (unsigned long long)seed, why, strstr(r->text, "ENTRY"));
	why = core_eval_classes(&e, &x, &y);
	if (why)
		fail_msg("seed %llu: %s\n%s", (unsigned long long)seed, why, strstr(r->text, "ENTRY"));
	for (k = 0; k < b->dist->nrow; k++)
		t->rows += b->dist->row[k].param < 0;
	core_eval_free(&e);
	lab_free(b);
}

static void check_random(enum random_family f, uint64_t from, uint64_t n, int steps, bool rounds, bool search, struct tally *t)
{
	uint64_t s;
	arena a;

	arena_init(&a);
	for (s = from; s < from + n; s++) {
		arena_mark m = arena_at(&a);
		random_program r = random_hlo(&a, s, f, steps);
		check_program(&r, s, rounds, search, t);
		arena_reset(&a, m);
	}
	arena_free(&a);
}

/* Families whose operations stay opaque now and then; everything else is lifted whatever its attributes. */
static bool may_stay(int f)
{
	return f == RF_SCATTER || f == RF_CONVOLUTION || f == RF_WINDOW || f == RF_ALL_REDUCE || f == RF_ORDER || f == RF_BRANCH || f == RF_UNARY;
}

static void test_families(void **state)
{
	int f;

	(void)state;
	for (f = 0; f < RF_COUNT; f++) {
		struct tally t = { 0 };
		check_random((enum random_family)f, 100, 40, 0, false, false, &t);
		if (f != RF_ORDER)
			assert_true(t.compared > 20);
		if (!may_stay(f) && t.compared != t.rows)
			fail_msg("%s: %d of %d rows compared", random_family_name((enum random_family)f), t.compared, t.rows);
	}
}

static void test_chains(void **state)
{
	struct tally t = { 0 };

	(void)state;
	check_random(RF_COUNT, 1, 300, 6, false, false, &t);
	check_random(RF_COUNT, 1000, 60, 16, false, false, &t);
	assert_true(t.compared > 2000);
}

/* Results rounded to their types: a convert is a function. */
static void test_rounding(void **state)
{
	struct tally t = { 0 };

	(void)state;
	check_random(RF_CONVERT, 1, 60, 0, true, false, &t);
	check_random(RF_COUNT, 4000, 100, 5, true, false, &t);
	assert_true(t.compared > 500);
}

static void test_chains_under_search_rules(void **state)
{
	struct tally t = { 0 };

	(void)state;
	check_random(RF_COUNT, 2000, 150, 6, false, true, &t);
	assert_true(t.compared > 800);
}

/* ---- one program per rule */

#define FNS "take { a = f32[] parameter(0)\n ROOT b = f32[] parameter(1) }\nadd { a = f32[] parameter(0)\n b = f32[] parameter(1)\n ROOT r = f32[] add(a, b) }\n" \
	"arg { a = f32[] parameter(0)\n i = s32[] parameter(1)\n b = f32[] parameter(2)\n j = s32[] parameter(3)\n" \
	" g = pred[] compare(a, b), direction=GE\n v = f32[] select(g, a, b)\n k = s32[] select(g, i, j)\n" \
	" ROOT t = (f32[], s32[]) tuple(v, k) }\n"

enum { UNSEEN = 1 };	/* the interpreter does not know it, or the function is random */
static const struct { const char *rule, *body; int flags; } programs[] = {
	{ "constant", "r = f32[3] broadcast(c), dimensions={}\n", 0 },
	{ "constant-table", "r = f32[3] constant({1, 2.5, -1})\n", 0 },
	{ "constant-atom", "r = f32[3] constant({...})\n", UNSEEN },
	{ "iota", "r = s32[3,2] iota(), iota_dimension=0\n", 0 },
	{ "partition-id", "r = u32[] partition-id()\n", 0 },
	{ "replica-id", "r = u32[] replica-id()\n", 0 },
	{ "marker", "r = f32[4,6] custom-call(x), custom_call_target=\"Sharding\"\n", 0 },
	{ "reshape", "r = f32[3,8] reshape(x)\n", 0 },
	{ "bitcast", "v = f32[4,6]{0,1} copy(x)\n r = f32[24]{0} bitcast(v)\n", 0 },
	{ "add", "r = f32[4,6] add(x, y)\n", 0 }, { "subtract", "r = f32[4,6] subtract(x, y)\n", 0 },
	{ "multiply", "r = f32[4,6] multiply(x, y)\n", 0 }, { "divide", "r = f32[4,6] divide(x, y)\n", 0 },
	{ "maximum", "r = f32[4,6] maximum(x, y)\n", 0 }, { "minimum", "r = f32[4,6] minimum(x, y)\n", 0 },
	{ "clamp", "r = f32[4,6] clamp(c, x, y)\n", 0 }, { "select", "r = f32[4,6] select(p, x, y)\n", 0 },
	{ "convert", "r = s32[4,6] convert(x)\n", 0 }, { "and", "r = s32[5] and(i, j)\n", 0 }, { "or", "r = s32[5] or(i, j)\n", 0 },
	{ "compare", "r = pred[4,6] compare(x, y), direction=GT\n", 0 }, { "count-leading-zeros", "r = s32[5] count-leading-zeros(i)\n", 0 },
	{ "popcnt", "r = s32[5] popcnt(i)\n", 0 }, { "not", "r = s32[5] not(i)\n", 0 }, { "is-finite", "r = pred[4,6] is-finite(x)\n", 0 },
	{ "reduce-precision", "r = f32[4,6] reduce-precision(x), exponent_bits=5, mantissa_bits=3\n", 0 },
	{ "imag", "v = c64[4,6] complex(x, y)\n r = f32[4,6] imag(v)\n", UNSEEN }, { "real", "v = c64[4,6] complex(x, y)\n r = f32[4,6] real(v)\n", UNSEEN },
	{ "complex", "r = c64[4,6] complex(x, y)\n", UNSEEN }, { "bitcast-convert", "r = s32[4,6] bitcast-convert(x)\n", UNSEEN },
	{ "stochastic-convert", "u = u32[4,6] convert(x)\n r = s32[4,6] stochastic-convert(x, u)\n", UNSEEN },
	{ "atan2", "r = f32[4,6] atan2(x, y)\n", 0 }, { "power", "r = f32[4,6] power(x, y)\n", 0 }, { "remainder", "r = f32[4,6] remainder(x, y)\n", 0 },
	{ "mulhi", "r = s32[5] mulhi(i, j)\n", UNSEEN }, { "shift-left", "r = s32[5] shift-left(i, j)\n", 0 },
	{ "shift-right-arithmetic", "r = s32[5] shift-right-arithmetic(i, j)\n", 0 },
	{ "shift-right-logical", "r = s32[5] shift-right-logical(i, j)\n", 0 }, { "xor", "r = s32[5] xor(i, j)\n", 0 },
	{ "transpose", "r = f32[6,4] transpose(x), dimensions={1,0}\n", 0 }, { "broadcast", "r = f32[4,2,6] broadcast(x), dimensions={0,2}\n", 0 },
	{ "slice", "r = f32[2,3] slice(x), slice={[1:4:2], [0:6:2]}\n", 0 }, { "reverse", "r = f32[4,6] reverse(x), dimensions={0}\n", 0 },
	{ "pad", "r = f32[6,11] pad(x, c), padding=3_-1_0x0_0_1\n", 0 }, { "concatenate", "r = f32[8,6] concatenate(x, y), dimensions={0}\n", 0 },
	{ "dynamic-slice", "u = u32[] partition-id()\n s = s32[] convert(u)\n r = f32[3,6] dynamic-slice(x, s, z), dynamic_slice_sizes={3,6}\n", 0 },
	{ "dynamic-update-slice", "w = f32[2,6] slice(y), slice={[0:2], [0:6]}\n u = u32[] partition-id()\n s = s32[] convert(u)\n"
	  "r = f32[4,6] dynamic-update-slice(x, w, s, z)\n", 0 },
	{ "gather", "k = s32[5,1] reshape(i)\n r = f32[5,6] gather(x, k), offset_dims={1}, collapsed_slice_dims={0}, start_index_map={0}, "
	  "index_vector_dim=1, slice_sizes={1,6}\n", 0 },
	{ "scatter", "k = s32[4,1] iota(), iota_dimension=0\n r = f32[4,6] scatter(x, k, y), update_window_dims={1}, inserted_window_dims={0}, "
	  "scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=add\n", 0 },
	{ "scatter-last", "o = s32[] constant(1)\n k = s32[4,1] broadcast(o), dimensions={}\n r = f32[4,6] scatter(x, k, y), update_window_dims={1}, inserted_window_dims={0}, "
	  "scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=take\n", 0 },
	{ "dot", "r = f32[4,4] dot(x, y), lhs_contracting_dims={1}, rhs_contracting_dims={1}\n", 0 },
	{ "convolution", "a = f32[1,4,6] reshape(x)\n b = f32[1,4,6] reshape(y)\n"
	  "r = f32[1,1,11] convolution(a, b), window={size=6 pad=5_5}, dim_labels=bf0_oi0->bf0\n", 0 },
	{ "reduce", "r = f32[4] reduce(x, c), dimensions={1}, to_apply=add\n", 0 },
	{ "reduce-window", "o = f32[] constant(0)\n r = f32[4,3] reduce-window(x, o), window={size=1x2 stride=1x2}, to_apply=add\n", 0 },
	{ "arg-reduce", "n = f32[] constant(-inf)\n k = s32[4,6] iota(), iota_dimension=1\n t = (f32[4], s32[4]) reduce(x, k, n, z), dimensions={1}, "
	  "to_apply=arg\n r = s32[4] get-tuple-element(t), index=1\n", 0 },
	{ "batch-norm-training", "q = f32[4] slice(l), slice={[0:4]}\n t = (f32[4,6], f32[4], f32[4]) batch-norm-training(x, q, q), epsilon=0.5, feature_index=0\n"
	  "r = f32[4,6] get-tuple-element(t), index=0\n", 0 },
	{ "batch-norm-inference", "q = f32[4] slice(l), slice={[0:4]}\n a = f32[4] abs(q)\n"
	  "r = f32[4,6] batch-norm-inference(x, q, q, q, a), epsilon=0.5, feature_index=0\n", 0 },
	{ "batch-norm-grad", "q = f32[4] slice(l), slice={[0:4]}\n a = f32[4] abs(q)\n t = (f32[4,6], f32[4], f32[4]) batch-norm-grad(x, q, q, a, y), "
	  "epsilon=0.5, feature_index=0\n r = f32[4,6] get-tuple-element(t), index=0\n", 0 },
	{ "all-reduce", "r = f32[4,6] all-reduce(x), channel_id=1, replica_groups={{0,1}}, use_global_device_ids=true, to_apply=add\n", 0 },
	{ "all-gather", "r = f32[8,6] all-gather(x), channel_id=1, replica_groups={{1,0}}, use_global_device_ids=true, dimensions={0}\n", 0 },
	{ "reduce-scatter", "r = f32[2,6] reduce-scatter(x), channel_id=1, replica_groups={{1,0}}, use_global_device_ids=true, dimensions={0}, to_apply=add\n", 0 },
	{ "all-to-all", "r = f32[4,6] all-to-all(x), channel_id=1, replica_groups={{1,0}}, dimensions={1}\n", 0 },
	{ "all-to-all-tuple", "t = (f32[5], f32[5]) all-to-all(l, m), channel_id=1, replica_groups={{0,1}}\n r = f32[5] get-tuple-element(t), index=1\n", 0 },
	{ "collective-permute", "r = f32[4,6] collective-permute(x), channel_id=1, source_target_pairs={{1,0}}\n", 0 },
	{ "opaque-call", "r = f32[4,6] custom-call(x), custom_call_target=\"Mark\"\n", UNSEEN },
	{ "unique", "r = f32[4,6] custom-call(x), custom_call_target=\"Mark\", custom_call_has_side_effect=true\n", UNSEEN },
};

#define HEAD "HloModule m, num_partitions=2\n" FNS "ENTRY e {\n x = f32[4,6] parameter(0)\n y = f32[4,6] parameter(1)\n p = pred[4,6] parameter(2)\n" \
	"i = s32[5] parameter(3)\n j = s32[5] parameter(4)\n l = f32[5] parameter(5)\n m = f32[5] parameter(6)\n c = f32[] constant(0.5)\n" \
	"z = s32[] constant(0)\n"

/* The body's last line is `r`; others are elementwise in one operand. */
static const char *program_of(arena *a, const char *rule, int *flags)
{
	size_t k;
	const char *body = NULL, *name;
	char *last;

	*flags = 0;
	for (k = 0; k < sizeof programs / sizeof *programs; k++)
		if (!strcmp(programs[k].rule, rule)) {
			body = programs[k].body;
			*flags = programs[k].flags;
		}
	if (!body)
		body = arena_printf(a, "r = f32[4,6] %s(x)\n", rule);
	body = arena_printf(a, "\n%s", body);
	for (name = body; (name = strstr(name, "r = ")) && name[-1] != '\n' && name[-1] != ' '; name++)
		;
	last = arena_printf(a, "%.*sROOT %s}\n", (int)(name - body), body, name);
	return arena_printf(a, HEAD "%s", last + 1);
}

static lab *open_rule(const char *text, const char *without)
{
	return lab_open("HloModule b\nENTRY b { ROOT c = f32[] constant(0) }\n", text, 2, "AAAAAAA", "A", without);
}

static void check_lifted(const char *rule, const char *text, int flags)
{
	lab *b = open_rule(text, NULL);
	const char *why;
	core_eval e;
	eg_id x, y;
	int n = 0;

	pair_run(b->q);
	why = lab_reason(b, "r");
	if (why && strcmp(rule, "opaque-call") && strcmp(rule, "unique"))
		fail_msg("%s: not lifted: %s", rule, why);
	core_eval_run(&e, &b->p->a, 5, !strcmp(rule, "reduce-precision"));
	if (!(flags & UNSEEN)) {
		why = lab_compare(b, &e, &n);
		if (why || !n)
			fail_msg("%s: %s", rule, why ? why : "nothing was compared");
	}
	why = core_eval_classes(&e, &x, &y);
	if (why)
		fail_msg("%s: %s", rule, why);
	core_eval_free(&e);
	lab_free(b);
}

/* Without the rule the instruction stays, the reason kept, and nothing else changes its mind. */
static void check_without(const char *name, const char *text, bool by_switch)
{
	const char *rule = name + strlen("lift-");
	char line[80];
	lab *b;

	snprintf(line, sizeof line, ":name \"%s\"", name);
	b = open_rule(text, by_switch ? NULL : line);
	if (by_switch)
		prover_switch(b->p, prover_rule_named(b->p, name), false);
	pair_run(b->q);
	if (!strcmp(rule, "opaque-call") || !strcmp(rule, "unique")) {
		assert_int_equal(laid_cell(&b->p->a, lab_row(b, SIDE_DIST, "r")->tensor), NIL);
	} else {
		const row *w = lab_row(b, SIDE_DIST, strcmp(rule, "constant") ? strcmp(rule, "copy") ? "r" : "r" : "c");
		const char *why = prover_lift_reason(b->p, w->tensor);
		if (!why || strcmp(why, strcmp(rule, "scatter-last") ? "no rule" : "several updates may meet"))
			fail_msg("%s taken away: %s", name, why ? why : "still lifted");
		assert_int_not_equal(laid_cell(&b->p->a, w->tensor), NIL);
	}
	lab_free(b);
}

static void test_each_rule(void **state)
{
	prover *p = lab_prover(NULL);
	uint32_t k, n = 0;
	arena a;

	(void)state;
	arena_init(&a);
	for (k = 0; k < rules_n(p->r); k++) {
		const char *name = rules_at(p->r, k)->name, *text;
		int flags;
		if (rules_at(p->r, k)->ruleset != p->set_lift)
			continue;
		if (!strcmp(name, "induction") || strstr(name, "-trip"))	/* of loops: test_loops.c */
			continue;
		assert_memory_equal(name, "lift-", 5);
		text = program_of(&a, name + 5, &flags);
		check_lifted(name + 5, text, flags);
		check_without(name, text, true);
		check_without(name, text, false);
		n++;
	}
	assert_true(n > 90);
	arena_free(&a);
	prover_free(p);
}

/* The sum of tanh over the values of a counter, 60 of them. */
#define COUNTED(first, step, limit) "HloModule m\n" \
	"cond { p = (s32[], f32[]) parameter(0)\n i = s32[] get-tuple-element(p), index=0\n n = s32[] constant(" limit ")\n ROOT c = pred[] compare(i, n), direction=LT }\n" \
	"body { p = (s32[], f32[]) parameter(0)\n i = s32[] get-tuple-element(p), index=0\n s = f32[] get-tuple-element(p), index=1\n f = f32[] convert(i)\n" \
	" t = f32[] tanh(f)\n a = f32[] add(s, t)\n k = s32[] constant(" step ")\n j = s32[] add(i, k)\n ROOT r = (s32[], f32[]) tuple(j, a) }\n" \
	"ENTRY e { x = f32[] parameter(0)\n z = s32[] constant(" first ")\n b = (s32[], f32[]) tuple(z, x)\n w = (s32[], f32[]) while(b), condition=cond, body=body\n" \
	" ROOT o = f32[] get-tuple-element(w), index=1 }\n"

static bool proves_without(const char *base, const char *dist, int n, const char *const *rule)
{
	lab *b = lab_open(base, dist, 1, "R", "R", NULL);
	bool yes;
	int k;

	for (k = 0; k < n; k++)
		prover_switch(b->p, prover_rule_named(b->p, rule[k]), false);
	pair_run(b->q);
	yes = lab_proved(b);
	lab_free(b);
	return yes;
}

/* A counter is written out in rows that stand for no instruction: what they compute tells them apart where no rule lifts them. */
static void test_counters_without_rules(void **state)
{
	static const char *const arithmetic[] = { "lift-multiply", "lift-add" }, *const trip[] = { "lift-partition-id" };

	(void)state;
	assert_true(proves_without(COUNTED("0", "3", "180"), COUNTED("0", "3", "180"), 2, arithmetic));
	assert_false(proves_without(COUNTED("0", "3", "180"), COUNTED("3", "1", "63"), 2, arithmetic));
	assert_true(proves_without(COUNTED("0", "1", "60"), COUNTED("0", "1", "60"), 0, NULL));
	assert_false(proves_without(COUNTED("0", "1", "60"), COUNTED("60", "-1", "0"), 1, trip));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_counters_without_rules),
		cmocka_unit_test(test_each_rule),
		cmocka_unit_test(test_families),
		cmocka_unit_test(test_chains),
		cmocka_unit_test(test_rounding),
		cmocka_unit_test(test_chains_under_search_rules),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
