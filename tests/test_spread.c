/* Two distributed programs of one model: `mesh base`.  Every example is proved or not as it says, every proof passes the separate
 * checker, and both programs are run on numbers: equal where it is proved, different where it is wrong. */
#include "certify/certify.h"
#include "pair/whole.h"
#include "problem/numbers_run.h"
#include "text_pair.h"

#define ADD "%add (a: f32[], b: f32[]) -> f32[] {\n%a = f32[] parameter(0)\n%b = f32[] parameter(1)\nROOT %s = f32[] add(%a, %b)\n}\n"
#define ON(n, lines) "HloModule m, num_partitions=" #n "\n\n" ADD "ENTRY %main {\n" lines "}\n"
#define ALL(groups, n) ", channel_id=" #n ", replica_groups={" groups "}, use_global_device_ids=true, to_apply=%add\n"
#define GATHER(groups, dim) ", channel_id=7, replica_groups={" groups "}, dimensions={" #dim "}, use_global_device_ids=true\n"
#define MATMUL ", lhs_contracting_dims={1}, rhs_contracting_dims={0}\n"

/* Rows over dp: the product, and its sum over all rows. */
#define ROWS(last) ON(2, \
	"%x = f32[4,8] parameter(0)\n%w = f32[8,6] parameter(1)\n%t = f32[4,6] dot(%x, %w)" MATMUL \
	"%z = f32[] constant(0)\n%l = f32[6] reduce(%t, %z), dimensions={0}, to_apply=%add\n" last)
#define ROWS_SUMMED "%r = f32[6] all-reduce(%l)" ALL("{0,1}", 1) "ROOT %o = (f32[4,6], f32[6]) tuple(%t, %r)\n"
#define ROWS_APART "ROOT %o = (f32[4,6], f32[6]) tuple(%t, %l)\n"
#define ROWS_IN "base input 0 dp:S(0)\nbase output 0 dp:S(0)\n"
/* The contraction over tp. */
#define COLUMNS ON(4, \
	"%x = f32[8,2] parameter(0)\n%w = f32[2,6] parameter(1)\n%h = f32[8,6] dot(%x, %w)" MATMUL \
	"%t = f32[8,6] all-reduce(%h)" ALL("{0,1,2,3}", 1) \
	"%z = f32[] constant(0)\n%l = f32[6] reduce(%t, %z), dimensions={0}, to_apply=%add\nROOT %o = (f32[8,6], f32[6]) tuple(%t, %l)\n")
#define COLUMNS_IN "input 0 tp:S(1)\ninput 1 tp:S(0)\n"
#define MESHES "mesh base dp=2\nmesh tp=4\n"

/* One operand, on meshes of 4 and of 2. */
#define NEGATE4(shape) ON(4, "%x = " shape " parameter(0)\nROOT %y = " shape " negate(%x)\n")
#define NEGATE2(shape) ON(2, "%x = " shape " parameter(0)\nROOT %y = " shape " negate(%x)\n")
#define SUM2(shape) ON(2, "%x = " shape " parameter(0)\nROOT %y = " shape " all-reduce(%x)" ALL("{0,1}", 1))
#define GRID "mesh base dp=2 tp=2\nmesh x=2\n"
#define IDENTITY ON(2, "%x = f32[4] parameter(0)\nROOT %y = f32[4] copy(%x)\n")
#define BY_DEVICE ON(2, \
	"%x = f32[4] parameter(0)\n%i = u32[] partition-id()\n%f = f32[] convert(%i)\n%b = f32[4] broadcast(%f), dimensions={}\n" \
	"ROOT %y = f32[4] add(%x, %b)\n")

static const struct example {
	const char *name, *base, *dist, *plan;
	bool proved;
	bool equal;		/* on numbers */
} examples[] = {
	{ "rows against columns", ROWS(ROWS_SUMMED), COLUMNS, MESHES ROWS_IN COLUMNS_IN "base output 1 R\n", true, true },
	{ "unsaid is R", ROWS(ROWS_SUMMED), COLUMNS, MESHES ROWS_IN COLUMNS_IN, true, true },
	{ "the baseline is not reduced", ROWS(ROWS_APART), COLUMNS, MESHES ROWS_IN COLUMNS_IN "base output 1 R\n", false, false },
	{ "the baseline's output is P(sum)", ROWS(ROWS_APART), COLUMNS, MESHES ROWS_IN COLUMNS_IN "base output 1 dp:P(sum)\n", true, true },
	{ "reduced and said to be P(sum)", ROWS(ROWS_SUMMED), COLUMNS, MESHES ROWS_IN COLUMNS_IN "base output 1 dp:P(sum)\n", false, false },
	{ "both outputs are parts", ROWS(ROWS_APART), ROWS(ROWS_APART),
	  "mesh base dp=2\nmesh q=2\n" ROWS_IN "base output 1 dp:P(sum)\ninput 0 q:S(0)\noutput 0 q:S(0)\noutput 1 q:P(sum)\n", true, true },
	{ "a grid against one axis", NEGATE4("f32[2,3]"), NEGATE2("f32[2,6]"),
	  GRID "base input 0 dp:S(0) tp:S(1)\nbase output 0 dp:S(0) tp:S(1)\ninput 0 x:S(0)\noutput 0 x:S(0)\n", true, true },
	{ "the other axis in the result", NEGATE4("f32[2,3]"), NEGATE2("f32[2,6]"),
	  GRID "base input 0 dp:S(0) tp:S(1)\nbase output 0 tp:S(0) dp:S(1)\ninput 0 x:S(0)\noutput 0 x:S(0)\n", false, false },
	{ "two axes on a dimension", NEGATE4("f32[3]"), NEGATE2("f32[6]"),
	  GRID "base input 0 tp:S(0) dp:S(0)\nbase output 0 tp:S(0) dp:S(0)\ninput 0 x:S(0)\noutput 0 x:S(0)\n", true, true },
	{ ".. in another order in the result", NEGATE4("f32[3]"), NEGATE2("f32[6]"),
	  GRID "base input 0 tp:S(0) dp:S(0)\nbase output 0 dp:S(0) tp:S(0)\ninput 0 x:S(0)\noutput 0 x:S(0)\n", false, false },
	{ "replicas of the baseline beside shards", NEGATE4("f32[2,6]"), NEGATE2("f32[6,2]"),
	  GRID "base input 0 dp:S(0)\nbase output 0 dp:S(0)\ninput 0 transpose(1,0) x:S(1)\noutput 0 transpose(1,0) x:S(1)\n", true, true },
	{ "a reshape beside replicas", NEGATE4("f32[2,6]"), NEGATE2("f32[12]"),
	  GRID "base input 0 dp:S(0)\nbase output 0 dp:S(0)\ninput 0 reshape(24) x:S(0)\noutput 0 reshape(24) x:S(0)\n", true, true },
	{ "a transposed baseline", NEGATE4("f32[6,2]"), NEGATE2("f32[2,6]"),
	  GRID "base input 0 transpose(1,0) dp:S(1)\nbase output 0 transpose(1,0) dp:S(1)\ninput 0 x:S(0)\noutput 0 x:S(0)\n", true, true },
	{ "segments of the baseline", NEGATE2("f32[6]"), NEGATE4("f32[3]"),
	  "mesh base a=2\nmesh b=4\nbase input 0 a:S(0; 8,4)\nbase output 0 a:S(0; 8,4)\ninput 0 b:S(0; 8,4)\noutput 0 b:S(0; 8,4)\n", true, true },
	{ "segments against a block", NEGATE2("f32[6]"), NEGATE4("f32[3]"),
	  "mesh base a=2\nmesh b=4\nbase input 0 a:S(0; 8,4)\nbase output 0 a:S(0; 8,4)\ninput 0 b:S(0)\noutput 0 b:S(0; 8,4)\n", false, false },
	{ "parts that the baseline adds", SUM2("f32[6]"), NEGATE2("f32[6]"),
	  "mesh base a=2\nmesh b=2\nbase input 0 a:P(sum)\nbase output 0 R\ninput 0 R\noutput 0 scale(-1)\n", true, true },
	{ "parts that both add", SUM2("f32[6]"), SUM2("f32[6]"),
	  "mesh base a=2\nmesh b=2\nbase input 0 a:P(sum)\nbase output 0 R\ninput 0 b:P(sum)\noutput 0 R\n", true, true },
	{ "parts that only DIST adds", NEGATE2("f32[3]"), SUM2("f32[6]"),
	  "mesh base a=2\nmesh b=2\nbase input 0 a:S(0)\nbase output 0 a:S(0)\ninput 0 scale(-1) b:P(sum)\noutput 0 R\n", true, true },
	{ "a whole that the baseline adds twice", SUM2("f32[6]"), SUM2("f32[6]"),
	  "mesh base a=2\nmesh b=2\nbase input 0 R\nbase output 0 R\ninput 0 b:P(sum)\noutput 0 R\n", false, false },
	{ "devices that do not agree", BY_DEVICE, IDENTITY, "mesh base a=2\nmesh b=2\ninput 0 R\noutput 0 R\n", false, false },
	{ "devices that do not agree, in both", BY_DEVICE, BY_DEVICE, "mesh base a=2\nmesh b=2\ninput 0 R\noutput 0 R\n", false, false },
	{ "the same shards of both", BY_DEVICE, BY_DEVICE,
	  "mesh base a=2\nmesh b=2\nbase input 0 a:S(0)\nbase output 0 a:S(0)\ninput 0 b:S(0)\noutput 0 b:S(0)\n", true, true },
	{ "uneven shards of DIST", NEGATE2("f32[5]"), NEGATE4("f32[3]"),
	  "mesh base a=2\nmesh b=4\nbase input 0 a:S(0)\nbase output 0 a:S(0)\ninput 0 pad(0; 12) b:S(0)\noutput 0 pad(0; 12) b:S(0)\n", true, true },
	{ "a baseline of one axis of size 1", ON(1, "%x = f32[6] parameter(0)\nROOT %y = f32[6] negate(%x)\n"), NEGATE2("f32[3]"),
	  "mesh base a=1\nmesh b=2\nbase input 0 a:S(0)\ninput 0 b:S(0)\noutput 0 b:S(0)\n", true, true },
	{ "gathered by both", ON(4, "%x = f32[2,3] parameter(0)\nROOT %y = f32[4,3] all-gather(%x)" GATHER("{0,2},{1,3}", 0)),
	  ON(2, "%x = f32[2,6] parameter(0)\nROOT %y = f32[4,6] all-gather(%x)" GATHER("{0,1}", 0)),
	  GRID "base input 0 dp:S(0) tp:S(1)\nbase output 0 tp:S(1)\ninput 0 x:S(0)\noutput 0 R\n", true, true },
	{ "gathered over the wrong axis", ON(4, "%x = f32[2,3] parameter(0)\nROOT %y = f32[4,3] all-gather(%x)" GATHER("{0,1},{2,3}", 0)),
	  ON(2, "%x = f32[2,6] parameter(0)\nROOT %y = f32[4,6] all-gather(%x)" GATHER("{0,1}", 0)),
	  GRID "base input 0 dp:S(0) tp:S(1)\nbase output 0 tp:S(1)\ninput 0 x:S(0)\noutput 0 R\n", false, false },
	{ "shards without a place", NEGATE2("f32[0,3]"), NEGATE2("f32[0,3]"),
	  "mesh base a=2\nmesh b=2\nbase input 0 a:S(0)\nbase output 0 a:S(0)\ninput 0 b:S(0)\noutput 0 b:S(0)\n", false, true },
};

/* ---- every example */

static void run_numbers(struct text_pair *t, bool equal)
{
	const char *why = "";
	struct numbers_setup *s = numbers_setup(t->p, &why);
	numbers *n;
	int k, differ = 0;

	if (!s)
		fail_msg("no numbers: %s", why);
	n = numbers_new(&s->p);
	for (k = 0; k < NUMBERS_KINDS; k++) {
		numbers_result r = numbers_run(n, (enum numbers_kind)k, 3);
		if (r.verdict == NUMBERS_REFUSED)
			fail_msg("refused: %s", r.why);
		differ += r.verdict == NUMBERS_DIFFER;
	}
	numbers_free(n);
	numbers_setup_free(s);
	assert_int_equal(equal, !differ);
}

static void certify_all(struct text_pair *t)
{
	certifier *c = certifier_new(t->p->p, NULL);
	certificate o;
	int k;

	for (k = 0; k < t->p->q->ngoal; k++)
		if (goal_met(t->p->q, &t->p->q->goal[k]) && !certify_goal(c, t->p->q, &t->p->q->goal[k], &o, &t->a))
			fail_msg("output %d: %s", k, o.why);
	certifier_free(c);
}

static void comes_out(void **state)
{
	const struct example *x = *state;
	struct text_pair *t = text_run(x->base, x->dist, x->plan);
	int k;

	if ((problem_goals_met(t->p) == problem_goals_compared(t->p)) != x->proved) {
		for (k = 0; k < t->p->q->ngoal; k++)
			print_message("output %d: %s\n", k, t->p->q->goal[k].why ? t->p->q->goal[k].why : "");
		fail_msg("%d of %d goals are met", problem_goals_met(t->p), problem_goals_compared(t->p));
	}
	certify_all(t);
	run_numbers(t, x->equal);
	text_close(t);
}

/* ---- what is said */

static void rows_are_whole_tensors(void **state)
{
	struct text_pair *t = text_run(ROWS(ROWS_SUMMED), COLUMNS, MESHES ROWS_IN COLUMNS_IN);
	layout l;
	eg_id x;
	row whole;

	(void)state;
	assert_string_equal(text_relation(t, "x"), "S(1) over tp");
	assert_string_equal(text_relation(t, "t"), "R");
	assert_string_equal(text_relation(t, "h"), "P(sum) over tp");
	assert_true(pair_whole(t->p->q, text_base(t, "t"), &whole, &l, &x));
	assert_int_equal(l.ndev, 1);
	assert_int_equal(whole.dim[0], 8);
	assert_int_equal(whole.dim[1], 6);
	text_close(t);
}

static void layouts_are_put_together(void **state)
{
	static const struct { int nd, rank, nl; digit dev[3], loc[3]; int64_t dim[3], whole[3]; bool is; } layouts[] = {
		{ 1, 2, 1, { { 2, 24 } }, { { 24, 1 } }, { 4, 6 }, { 8, 6 }, true },		/* rows */
		{ 1, 2, 2, { { 2, 6 } }, { { 4, 12 }, { 6, 1 } }, { 4, 6 }, { 4, 12 }, true },	/* columns */
		{ 2, 2, 2, { { 2, 48 }, { 2, 6 } }, { { 4, 12 }, { 6, 1 } }, { 4, 6 }, { 8, 12 }, true },
		{ 2, 1, 1, { { 2, 3 }, { 2, 6 } }, { { 3, 1 } }, { 3 }, { 12 }, true },		/* the minor axis first */
		{ 1, 1, 1, { { 2, 0 } }, { { 3, 1 } }, { 3 }, { 3 }, true },			/* a replica */
		{ 1, 1, 1, { { 2, 12 } }, { { 3, 1 } }, { 3 }, { 0 }, false },			/* a gap */
		{ 1, 2, 1, { { 5, 24 } }, { { 24, 1 } }, { 5, 6 }, { 0 }, false },		/* 24 places in 30 */
	};
	int64_t dim[3];
	digit loc[WHOLE_DIGITS];
	size_t i;
	int k;

	(void)state;
	for (i = 0; i < sizeof layouts / sizeof *layouts; i++) {
		layout l = { 4, layouts[i].rank, layouts[i].nd, layouts[i].nl, layouts[i].dim, layouts[i].dev, layouts[i].loc }, w;
		assert_int_equal(whole_layout(&l, dim, loc, &w), layouts[i].is);
		for (k = 0; layouts[i].is && k < layouts[i].rank; k++)
			assert_int_equal(w.dim[k], layouts[i].whole[k]);
	}
}

/* ---- what is refused, and in which words */

static void refused(const char *plan, const char *words)
{
	char why[512];
	struct text_pair *t = text_load(ROWS(ROWS_SUMMED), COLUMNS, plan, why, sizeof why);

	if (t->p)
		fail_msg("not refused: %s", plan);
	text_holds(why, words);
	text_remove(t);
}

static void words_of_refusals(void **state)
{
	(void)state;
	refused("mesh tp=4\n", "BASE is a program for 2 devices.  A distributed baseline needs mesh base AXIS=SIZE .. in the plan");
	refused("mesh base dp=4\nmesh tp=4\n", ".plan:1:11: the base mesh has 4 devices, ");
	refused("# two\nmesh base dp=2\nmesh\ttp=2\n", ".plan:3:6: the mesh has 2 devices, ");
	refused(MESHES "base input 0 reshape(16,2) dp:S(0)\n", ".plan:3:12: the relation of a distributed baseline has placements, transpose and scale");
	refused(MESHES "base output 0 tp:S(0)\n", "'tp' is no axis of the base mesh");
	refused(MESHES "base input 0 dp:S(2)\n", "no dimension 2: the tensor has 2, numbered from 0");
	refused(MESHES ROWS_IN "output %t<-%t R\n", "only its inputs and outputs are related to other tensors");
	refused(MESHES ROWS_IN "assume %t = base %t R\n", "only its inputs and outputs are related to other tensors");
	refused(MESHES ROWS_IN "input 0<-%t R\n", "only its inputs and outputs are related to other tensors");
	refused(MESHES ROWS_IN "input 0 tp:S(0)\n", "input 0: that gives shape f32[2,8]");
}

static void an_output_with_padding_and_replicas(void **state)
{
	struct text_pair *t = text_run(NEGATE2("f32[10]"), NEGATE4("f32[3]"), "mesh base a=2\nmesh b=4\ninput 0 pad(0; 12) b:S(0)\noutput 0 pad(0; 12) b:S(0)\n");

	(void)state;
	assert_int_equal(problem_goals_met(t->p), 0);
	assert_string_equal(t->p->q->goal[0].why, "arbitrary places are not compared with several replicas of the baseline");
	text_close(t);
}

#define RAGGED(channel) "HloModule m, replica_count=2, num_partitions=2\nENTRY %main {\n%x = f32[8] parameter(0)\n%o = f32[8] parameter(1)\n%a = s32[2] parameter(2)\n" \
	"ROOT %y = f32[8] ragged-all-to-all(%x, %o, %a, %a, %a, %a), replica_groups={{0,1}}" channel "\n}\n"
#define RAGGED_PLAN "mesh base a=4\nmesh b=4\nbase input 0 a:S(0)\nbase input 1 a:S(0)\nbase input 2 a:S(0)\nbase output 0 a:S(0)\n" \
	"input 0 b:S(0)\ninput 1 b:S(0)\ninput 2 b:S(0)\noutput 0 b:S(0)\n"

/* Its groups are of replicas in one, of partitions in the other: one of them alone is equal to nothing, too. */
static void groups_that_number_other_devices(void **state)
{
	struct text_pair *t = text_run(RAGGED(""), RAGGED(", channel_id=1"), RAGGED_PLAN);

	(void)state;
	assert_int_equal(problem_goals_met(t->p), 0);
	text_close(t);
}

int main(void)
{
	static const struct CMUnitTest others[] = {
		cmocka_unit_test(groups_that_number_other_devices),
		cmocka_unit_test(rows_are_whole_tensors),
		cmocka_unit_test(layouts_are_put_together),
		cmocka_unit_test(words_of_refusals),
		cmocka_unit_test(an_output_with_padding_and_replicas),
	};
	enum { EXAMPLES = sizeof examples / sizeof *examples, OTHERS = sizeof others / sizeof *others };
	struct CMUnitTest test[EXAMPLES + OTHERS];
	int k, n = 0;

	for (k = 0; k < EXAMPLES; k++)
		test[n++] = (struct CMUnitTest){ examples[k].name, comes_out, NULL, NULL, (void *)&examples[k] };
	for (k = 0; k < OTHERS; k++)
		test[n++] = others[k];
	return cmocka_run_group_tests(test, NULL, NULL);
}
