/* What rows are to the baseline, on the programs of small worked examples. */
#include "pair/probe.h"
#include "relation/describe.h"
#include "relation/places.h"
#include "text_pair.h"

/* ---- a Megatron MLP */

static const char mlp_base[] =
	"HloModule m\n\nENTRY %main {\n"
	"  %x = f32[4,6]{1,0} parameter(0)\n"
	"  %w1 = f32[6,8]{1,0} parameter(1)\n"
	"  %w2 = f32[8,6]{1,0} parameter(2)\n"
	"  %h = f32[4,8]{1,0} dot(%x, %w1), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n"
	"  %t = f32[4,8]{1,0} tanh(%h)\n"
	"  ROOT %y = f32[4,6]{1,0} dot(%t, %w2), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n"
	"}\n";

#define MLP_DIST_HEAD \
	"HloModule m, num_partitions=2\n\n" \
	"%add (a: f32[], b: f32[]) -> f32[] {\n" \
	"  %a = f32[] parameter(0)\n" \
	"  %b = f32[] parameter(1)\n" \
	"  ROOT %s = f32[] add(%a, %b)\n" \
	"}\n\n" \
	"ENTRY %main {\n" \
	"  %x = f32[4,6]{1,0} parameter(0)\n" \
	"  %w1 = f32[6,4]{1,0} parameter(1)\n" \
	"  %w2 = f32[4,6]{1,0} parameter(2)\n" \
	"  %h = f32[4,4]{1,0} dot(%x, %w1), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n" \
	"  %t = f32[4,4]{1,0} tanh(%h)\n"

static const char mlp_dist[] = MLP_DIST_HEAD
	"  %p = f32[4,6]{1,0} dot(%t, %w2), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n"
	"  ROOT %y = f32[4,6]{1,0} all-reduce(%p), channel_id=1, replica_groups={{0,1}}, use_global_device_ids=true, to_apply=%add\n"
	"}\n";

static const char mlp_unreduced[] = MLP_DIST_HEAD
	"  ROOT %p = f32[4,6]{1,0} dot(%t, %w2), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n"
	"}\n";

static const char mlp_twice[] = MLP_DIST_HEAD
	"  %p = f32[4,6]{1,0} dot(%t, %w2), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n"
	"  %y = f32[4,6]{1,0} all-reduce(%p), channel_id=1, replica_groups={{0,1}}, use_global_device_ids=true, to_apply=%add\n"
	"  ROOT %z = f32[4,6]{1,0} all-reduce(%y), channel_id=2, replica_groups={{0,1}}, use_global_device_ids=true, to_apply=%add\n"
	"}\n";

static const char mlp_plan[] = "mesh tp=2\ninput 0 R\ninput 1 tp:S(1)\ninput 2 tp:S(0)\noutput 0 R\n";

static void states_of_the_mlp(void **state)
{
	struct text_pair *t = text_run(mlp_base, mlp_dist, mlp_plan);

	(void)state;
	assert_int_equal(text_state(t, "h")->kind, STATE_RELATED);
	assert_string_equal(text_relation(t, "h"), "S(1) over tp");
	assert_string_equal(text_relation(t, "t"), "S(1) over tp");
	assert_int_equal(text_state(t, "p")->kind, STATE_PARTIAL);
	assert_string_equal(text_relation(t, "p"), "P(sum) over tp");
	assert_int_equal(text_state(t, "p")->base, text_base(t, "y"));
	assert_string_equal(text_relation(t, "y"), "R");
	assert_string_equal(text_relation(t, "w1"), "S(1) over tp");
	assert_int_equal(state_partner(t->s, text_base(t, "h")), text_dist(t, "h"));
	assert_int_equal(states_count(t->s).verified, 7);
	assert_int_equal(state_mark(t->s, text_dist(t, "p")), '=');
	text_close(t);
}

static void nothing_is_settled_at_first(void **state)
{
	struct text_pair *t = text_open(mlp_base, mlp_dist, mlp_plan);

	(void)state;
	states_refresh(t->s);
	assert_int_equal(text_state(t, "h")->kind, STATE_OPEN);
	assert_int_equal(state_mark(t->s, text_dist(t, "h")), '.');
	assert_true(text_state(t, "x")->verified);
	text_close(t);
}

static void an_all_reduce_too_many(void **state)
{
	struct text_pair *t = text_run(mlp_base, mlp_twice, mlp_plan);

	(void)state;
	assert_int_equal(text_state(t, "z")->kind, STATE_SCALED);
	assert_string_equal(text_relation(t, "z"), "2 x %y");
	assert_false(text_state(t, "z")->verified);
	assert_int_equal(state_mark(t->s, text_dist(t, "z")), '?');
	text_close(t);
}

static void unmatched_rows(void **state)
{
	struct text_pair *t = text_run(mlp_base, mlp_unreduced, mlp_plan);
	const int *row;

	(void)state;
	assert_int_equal(states_unmatched(t->s, SIDE_BASE, &t->a, &row), 0);	/* %p holds the parts of %y */
	text_close(t);
	t = text_run(mlp_base, mlp_twice, mlp_plan);
	assert_int_equal(states_unmatched(t->s, SIDE_DIST, &t->a, &row), 1);
	assert_int_equal(row[0], text_dist(t, "z"));
	text_close(t);
}

/* ---- what a probe leaves behind */

struct figures {
	uint64_t nodes, classes, edges, firings, pending, fired;	/* of one width: compared as bytes */
};

static struct figures figures_of(const struct problem *p)
{
	return (struct figures){ eg_nnode(p->p->g), eg_nclass(p->p->g), eg_nedge(p->p->g), history_count(&p->p->a), p->p->a.normal->npending,
				 p->p->fired };
}

static void a_probe_leaves_nothing(void **state)
{
	struct text_pair *t = text_open(mlp_base, mlp_dist, mlp_plan);
	struct figures before, after;
	trail_mark at;
	layout l, m;
	eg_id core, x;
	probe p;

	(void)state;
	pair_run(t->p->q);
	before = figures_of(t->p);
	at = trail_at(t->p->p->a.tr);
	assert_true(row_form(t->p->q, SIDE_DIST, text_dist(t, "t"), &l, &core));
	assert_true(probe_begin(&p, t->p->q));
	assert_true(probe_run(&p, probe_reduce(&p, &l, core, 1, "add", T_F32), &m, &x));
	assert_true(eg_nnode(t->p->p->g) > before.nodes);
	assert_true(probe_old(&p, x) == NIL);	/* nothing in the baseline is the sum of the halves */
	probe_end(&p);
	assert_true(row_form(t->p->q, SIDE_DIST, text_dist(t, "p"), &l, &core));
	assert_true(probe_begin(&p, t->p->q));
	assert_true(probe_run(&p, probe_reduce(&p, &l, core, 1, "add", T_F32), &m, &x));
	assert_true(probe_old(&p, x) != NIL);
	probe_end(&p);
	states_refresh(t->s);		/* asks again */
	after = figures_of(t->p);
	assert_memory_equal(&before, &after, sizeof before);
	assert_int_equal(trail_at(t->p->p->a.tr), at);
	assert_null(eg_check(t->p->p->g));
	text_close(t);
}

/* Refreshed after every move, and after going back: the same as at once. */
static void step_by_step(void **state)
{
	struct text_pair *t = text_open(mlp_base, mlp_dist, mlp_plan);
	struct text_pair *once = text_run(mlp_base, mlp_dist, mlp_plan);
	trail_mark half = 0;
	int moves = 0, i;

	(void)state;
	while (pair_move(t->p->q) != PAIR_DONE) {
		states_refresh(t->s);
		if (++moves == 12)
			half = trail_at(t->p->p->a.tr);
	}
	states_refresh(t->s);
	assert_true(moves > 20);
	trail_undo(t->p->p->a.tr, half);
	states_refresh(t->s);
	assert_int_equal(text_state(t, "y")->kind, STATE_OPEN);
	while (pair_move(t->p->q) != PAIR_DONE)
		if (++moves % 3 == 0)
			states_refresh(t->s);
	states_refresh(t->s);
	for (i = 0; i < t->p->dist->nrow; i++) {
		assert_int_equal(state_of(t->s, i)->kind, state_of(once->s, i)->kind);
		assert_int_equal(state_of(t->s, i)->base, state_of(once->s, i)->base);
	}
	text_close(once);
	text_close(t);
}

/* ---- a fused weight: columns in another order than the baseline's */

static const char fused_base[] =
	"HloModule m\n\nENTRY %main {\n"
	"  %x = f32[4,6]{1,0} parameter(0)\n"
	"  %w = f32[6,12]{1,0} parameter(1)\n"
	"  %f = f32[4,12]{1,0} dot(%x, %w), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n"
	"  %e = f32[4,12]{1,0} exponential(%f)\n"
	"  %q = f32[4,6]{1,0} slice(%e), slice={[0:4], [0:6]}\n"
	"  %k = f32[4,3]{1,0} slice(%e), slice={[0:4], [6:9]}\n"
	"  ROOT %out = (f32[4,6]{1,0}, f32[4,3]{1,0}) tuple(%q, %k)\n"
	"}\n";

static const char fused_dist[] =
	"HloModule m, num_partitions=3\n\nENTRY %main {\n"
	"  %x = f32[4,6]{1,0} parameter(0)\n"
	"  %w = f32[6,4]{1,0} parameter(1)\n"
	"  %f = f32[4,4]{1,0} dot(%x, %w), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n"
	"  %e = f32[4,4]{1,0} exponential(%f)\n"
	"  %q = f32[4,2]{1,0} slice(%e), slice={[0:4], [0:2]}\n"
	"  %k = f32[4,1]{1,0} slice(%e), slice={[0:4], [2:3]}\n"
	"  ROOT %out = (f32[4,2]{1,0}, f32[4,1]{1,0}) tuple(%q, %k)\n"
	"}\n";

static const char fused_plan[] = "mesh tp=3\ninput 0 R\ninput 1 tp:S(1; 6,3,3)\noutput 0 tp:S(1)\noutput 1 tp:S(1)\n";

static void columns_in_segments(void **state)
{
	struct text_pair *t = text_run(fused_base, fused_dist, fused_plan);

	(void)state;
	assert_int_equal(text_state(t, "f")->kind, STATE_REORDERED);
	assert_string_equal(text_relation(t, "f"), "segments 6,3,3 of dim 1 over tp");
	assert_int_equal(text_state(t, "e")->kind, STATE_REORDERED);	/* carried through the function */
	assert_string_equal(text_relation(t, "q"), "S(1) over tp");
	assert_string_equal(text_relation(t, "k"), "S(1) over tp");
	text_close(t);
}

/* ---- a slice that depends on the device */

static const char slice_base[] =
	"HloModule m\n\nENTRY %main {\n"
	"  %x = f32[8]{0} parameter(0)\n"
	"  ROOT %y = f32[8]{0} tanh(%x)\n"
	"}\n";

#define SLICE_DIST(by) \
	"HloModule m, num_partitions=4\n\nENTRY %main {\n" \
	"  %x = f32[8]{0} parameter(0)\n" \
	"  %p = u32[] partition-id()\n" \
	"  %n = u32[] constant(" by ")\n" \
	"  %s = u32[] multiply(%p, %n)\n" \
	"  %d = f32[2]{0} dynamic-slice(%x, %s), dynamic_slice_sizes={2}\n" \
	"  ROOT %y = f32[2]{0} tanh(%d)\n" \
	"}\n"

static void a_device_slice_is_a_shard(void **state)
{
	struct text_pair *t = text_run(slice_base, SLICE_DIST("2"), "mesh tp=4\ninput 0 R\noutput 0 tp:S(0)\n");

	(void)state;
	assert_int_equal(text_state(t, "p")->kind, STATE_CONSTANT);
	assert_int_equal(text_state(t, "s")->kind, STATE_CONSTANT);
	assert_string_equal(text_relation(t, "s"), "const");
	assert_string_equal(text_relation(t, "d"), "S(0) over tp");
	text_close(t);
}

static void a_clamped_slice_is_not(void **state)
{
	struct text_pair *t = text_run(slice_base, SLICE_DIST("3"), "mesh tp=4\ninput 0 R\noutput 0 tp:S(0)\n");

	(void)state;
	assert_int_equal(text_state(t, "d")->kind, STATE_NONE);
	text_holds(describe_row(t->s, SIDE_DIST, text_dist(t, "d"), &t->a), "%x");
	text_close(t);
}

/* ---- under a hypothesis */

static const char outer_base[] =
	"HloModule m\n\nENTRY %main {\n"
	"  %x = f32[4]{0} parameter(0)\n"
	"  %w = f32[6]{0} parameter(1)\n"
	"  ROOT %o = f32[4,6]{1,0} dot(%x, %w), lhs_contracting_dims={}, rhs_contracting_dims={}\n"
	"}\n";

static const char outer_dist[] =
	"HloModule m, num_partitions=2\n\nENTRY %main {\n"
	"  %x = f32[4]{0} parameter(0)\n"
	"  %w = f32[6]{0} parameter(1)\n"
	"  %c = f32[4]{0} custom-call(%x), custom_call_target=\"Mark\"\n"
	"  ROOT %o = f32[4,6]{1,0} dot(%c, %w), lhs_contracting_dims={}, rhs_contracting_dims={}\n"
	"}\n";

static void a_hypothesis_taints(void **state)
{
	struct text_pair *t = text_run(outer_base, outer_dist, "mesh tp=2\ninput 0 R\ninput 1 R\noutput 0 R\n");
	const program *d = t->p->dist;

	(void)state;
	assert_int_equal(text_state(t, "c")->kind, STATE_NONE);
	assert_int_equal(text_state(t, "o")->kind, STATE_NONE);
	assert_true(prover_assume(t->p->p, d->row[text_dist(t, "c")].tensor, d->row[text_dist(t, "x")].tensor));
	pair_run(t->p->q);
	states_refresh(t->s);
	assert_int_equal(text_state(t, "o")->kind, STATE_RELATED);
	assert_string_equal(text_relation(t, "o"), "R");
	assert_true(text_state(t, "o")->tainted);
	assert_int_equal(state_mark(t->s, text_dist(t, "o")), '*');
	assert_false(text_state(t, "w")->tainted);
	text_close(t);
}

/* ---- values, each once */

static int by_value(const void *x, const void *y)
{
	int64_t p = *(const int64_t *)x, q = *(const int64_t *)y;

	return p < q ? -1 : p > q;
}

static void each_value_once(void **state)
{
	static const struct { int64_t n, low, range, step; } how[] = {
		{ 0, 0, 1, 1 }, { 1, -7, 1, 1 }, { 500, 0, 64, 1 }, { 500, -1000, 400, 1 }, { 300, INT64_MIN / 2, 1000, INT64_C(1) << 50 },
		{ 64, 3, 4096, 1 }, { 64, 3, 5000, 1 }, { 2, INT64_MIN, 2, INT64_MAX },
	};
	int64_t v[500], want[500], far[2] = { INT64_MAX, INT64_MIN }, n, m, i;
	size_t k;
	int rising;

	(void)state;
	srand(1);
	for (k = 0; k < sizeof how / sizeof *how; k++)
		for (rising = 0; rising < 2; rising++) {
			n = how[k].n;
			for (i = 0; i < n; i++)
				v[i] = want[i] = how[k].low + (int64_t)(rand() % how[k].range) * how[k].step;
			qsort(want, (size_t)n, sizeof *want, by_value);
			if (rising)
				memcpy(v, want, sizeof v);
			for (i = m = 0; i < n; i++)
				if (!m || want[m - 1] != want[i])
					want[m++] = want[i];
			assert_int_equal(places_once(v, n), m);
			assert_memory_equal(v, want, sizeof *v * (size_t)m);
		}
	assert_int_equal(places_once(far, 2), 2);
	assert_true(far[0] == INT64_MIN && far[1] == INT64_MAX);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(states_of_the_mlp), cmocka_unit_test(nothing_is_settled_at_first), cmocka_unit_test(an_all_reduce_too_many),
		cmocka_unit_test(unmatched_rows), cmocka_unit_test(a_probe_leaves_nothing), cmocka_unit_test(step_by_step),
		cmocka_unit_test(columns_in_segments), cmocka_unit_test(a_device_slice_is_a_shard), cmocka_unit_test(a_clamped_slice_is_not),
		cmocka_unit_test(a_hypothesis_taints), cmocka_unit_test(each_value_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
