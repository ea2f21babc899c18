/* Relations that no plan line gives: what shapes say, and what is tried and offered when that turns out wrong. */
#include "hlo/hlo_text.h"
#include "plan/placement.h"
#include "plan/suggest.h"
#include "problem/alternatives.h"
#include "problem/plan_write.h"
#include "report/report.h"
#include "text_pair.h"

#define ADD "%add (a: f32[], b: f32[]) -> f32[] {\n%a = f32[] parameter(0)\n%b = f32[] parameter(1)\nROOT %s = f32[] add(%a, %b)\n}\n"
#define BASE(lines) "HloModule m\n\nENTRY %main {\n" lines "}\n"
#define DIST(n, lines) "HloModule m, num_partitions=" #n "\n\n" ADD "ENTRY %main {\n" lines "}\n"
#define ALL(groups, n) ", channel_id=" #n ", replica_groups={" groups "}, use_global_device_ids=true, to_apply=%add\n"
#define MATMUL ", lhs_contracting_dims={1}, rhs_contracting_dims={0}\n"

struct example {
	const char *name, *base, *dist, *plan;
	int proved, proved_with;
	const char *offer;
	const char *line[4];		/* of the plan that is offered */
};

/* ---- a bias before the all-reduce */

#define BIAS_BASE BASE( \
	"%x = f32[4,8] parameter(0)\n%w = f32[8,6] parameter(1)\n%b = f32[6] parameter(2)\n" \
	"%y = f32[4,6] dot(%x, %w)" MATMUL "%bb = f32[4,6] broadcast(%b), dimensions={1}\nROOT %o = f32[4,6] add(%y, %bb)\n")
#define BIAS_DIST(last) DIST(2, \
	"%x = f32[4,4] parameter(0)\n%w = f32[4,6] parameter(1)\n%b = f32[6] parameter(2)\n" \
	"%p = f32[4,6] dot(%x, %w)" MATMUL "%bb = f32[4,6] broadcast(%b), dimensions={1}\n%q = f32[4,6] add(%p, %bb)\n" last)
#define REDUCED "ROOT %o = f32[4,6] all-reduce(%q)" ALL("{0,1}", 1)

/* ---- two gradients */

#define STEP_BASE BASE( \
	"%w = f32[6] parameter(0)\n%g = f32[6] parameter(1)\n%v = f32[5] parameter(2)\n%h = f32[5] parameter(3)\n" \
	"%o = f32[6] subtract(%w, %g)\n%u = f32[5] subtract(%v, %h)\nROOT %t = (f32[6], f32[5]) tuple(%o, %u)\n")
#define STEP_DIST DIST(4, \
	"%w = f32[6] parameter(0)\n%g = f32[6] parameter(1)\n%v = f32[5] parameter(2)\n%h = f32[5] parameter(3)\n" \
	"%gr = f32[6] all-reduce(%g)" ALL("{0,1,2,3}", 1) "%hr = f32[5] all-reduce(%h)" ALL("{0,1,2,3}", 2) \
	"%o = f32[6] subtract(%w, %gr)\n%u = f32[5] subtract(%v, %hr)\nROOT %t = (f32[6], f32[5]) tuple(%o, %u)\n")

/* ---- a fused weight */

#define FUSED_BASE BASE( \
	"%x = f32[4,5] parameter(0)\n%w = f32[5,16] parameter(1)\n%z = f32[4,16] dot(%x, %w)" MATMUL \
	"%q = f32[4,8] slice(%z), slice={[0:4], [0:8]}\n%k = f32[4,4] slice(%z), slice={[0:4], [8:12]}\n" \
	"%v = f32[4,4] slice(%z), slice={[0:4], [12:16]}\n%kv = f32[4,4] multiply(%k, %v)\n" \
	"ROOT %t = (f32[4,8], f32[4,4]) tuple(%q, %kv)\n")
#define FUSED_DIST DIST(2, \
	"%x = f32[4,5] parameter(0)\n%w = f32[5,8] parameter(1)\n%z = f32[4,8] dot(%x, %w)" MATMUL \
	"%q = f32[4,4] slice(%z), slice={[0:4], [0:4]}\n%k = f32[4,2] slice(%z), slice={[0:4], [4:6]}\n" \
	"%v = f32[4,2] slice(%z), slice={[0:4], [6:8]}\n%kv = f32[4,2] multiply(%k, %v)\n" \
	"ROOT %t = (f32[4,4], f32[4,2]) tuple(%q, %kv)\n")

/* ---- axes of one size */

#define COLUMNS_BASE BASE( \
	"%x = f32[4,8] parameter(0)\n%w = f32[8,6] parameter(1)\nROOT %y = f32[4,6] dot(%x, %w)" MATMUL)
#define COLUMNS_DIST DIST(4, \
	"%x = f32[4,4] parameter(0)\n%w = f32[4,6] parameter(1)\n%p = f32[4,6] dot(%x, %w)" MATMUL \
	"ROOT %y = f32[4,6] all-reduce(%p)" ALL("{0,1},{2,3}", 1))

/* Rows over dp, the inner dimension over tp. */
#define BATCH_BASE BASE( \
	"%x = f32[6,8] parameter(0)\n%v = f32[8,4] parameter(1)\n%w = f32[4,10] parameter(2)\n" \
	"%h = f32[6,4] dot(%x, %v)" MATMUL "%t = f32[6,4] tanh(%h)\nROOT %y = f32[6,10] dot(%t, %w)" MATMUL)
#define BATCH_DIST DIST(4, \
	"%x = f32[3,8] parameter(0)\n%v = f32[8,2] parameter(1)\n%w = f32[2,10] parameter(2)\n" \
	"%h = f32[3,2] dot(%x, %v)" MATMUL "%t = f32[3,2] tanh(%h)\n%p = f32[3,10] dot(%t, %w)" MATMUL \
	"ROOT %y = f32[3,10] all-reduce(%p)" ALL("{0,1},{2,3}", 1))

/* A second parameter, which the baseline does not have. */
#define SLICE_BASE BASE("%x = f32[4] parameter(0)\nROOT %y = f32[4] negate(%x)\n")
#define SLICE_DIST DIST(2, \
	"%x = f32[4] parameter(0)\n%i = s32[] parameter(1)\n%k = s32[] constant(2)\n%o = s32[] multiply(%i, %k)\n" \
	"%d = f32[2] dynamic-slice(%x, %o), dynamic_slice_sizes={2}\nROOT %y = f32[2] negate(%d)\n")

/* Device r = 2 dp + tp holds block 2 tp + dp: first gathered over dp, then over tp. */
#define GATHER_BASE BASE("%x = f32[8] parameter(0)\nROOT %y = f32[8] negate(%x)\n")
#define GATHER_DIST DIST(4, \
	"%x = f32[2] parameter(0)\n%g = f32[4] all-gather(%x), channel_id=1, replica_groups={{0,2},{1,3}}, dimensions={0}, use_global_device_ids=true\n" \
	"%h = f32[8] all-gather(%g), channel_id=2, replica_groups={{0,1},{2,3}}, dimensions={0}, use_global_device_ids=true\n" \
	"ROOT %y = f32[8] negate(%h)\n")

static const struct example examples[] = {
	{ "a bias before the all-reduce", BIAS_BASE, BIAS_DIST(REDUCED), "mesh tp=2\n", 0, 1,
	  "with input 2 as tp:P(sum) instead of R the output is proved", { "input 2 tp:P(sum)" } },
	{ "without a plan there is one axis", BIAS_BASE, BIAS_DIST(REDUCED), "# nothing\n", 0, 1,
	  "with input 2 as dev:P(sum) instead of R the output is proved", { "mesh dev=2", "input 2 dev:P(sum)" } },
	{ "what is nowhere reduced", BIAS_BASE, BIAS_DIST("ROOT %o = f32[4,6] copy(%q)\n"), "mesh tp=2\n", 0, 1,
	  "with input 2 as tp:P(sum) instead of R and output 0 as tp:P(sum) instead of R the output is proved",
	  { "input 2 tp:P(sum)", "output 0 tp:P(sum)" } },
	{ "gradients that are summed", STEP_BASE, STEP_DIST, "mesh dp=4\n", 0, 2,
	  "with inputs 1, 3 as dp:P(sum) instead of R every output is proved",
	  { "input 1 dp:P(sum)", "input 3 dp:P(sum)" } },
	{ "gradients, of which the plan names one", STEP_BASE, STEP_DIST, "mesh dp=4\ninput 3 R\n", 0, 1,
	  "with input 1 as dp:P(sum) instead of R 1 of 2 outputs are proved, not 0", { "input 1 dp:P(sum)" } },
	{ "a fused weight", FUSED_BASE, FUSED_DIST, "mesh tp=2\n", 0, 2,
	  "with input 1 as tp:S(1; 8,4,4) instead of tp:S(1) every output is proved", { "input 1 tp:S(1; 8,4,4)" } },
	{ "the other axis of that size", COLUMNS_BASE, COLUMNS_DIST, "mesh dp=2 tp=2\n", 0, 1,
	  "with input 0 as tp:S(1) instead of dp:S(1) and input 1 as tp:S(0) instead of dp:S(0) the output is proved",
	  { "input 0 tp:S(1)", "input 1 tp:S(0)" } },
	{ "axes that only the groups show", COLUMNS_BASE, COLUMNS_DIST, "# nothing\n", 0, 1,
	  "with input 0 as d1:S(1) instead of d0:S(1) and input 1 as d1:S(0) instead of d0:S(0) the output is proved",
	  { "mesh d0=2 d1=2", "input 0 d1:S(1)", "input 1 d1:S(0)" } },
	{ "an axis for all but the batch", BATCH_BASE, BATCH_DIST, "mesh dp=2 tp=2\n", 0, 1,
	  "with input 1 as tp:S(1) instead of dp:S(1) and input 2 as tp:S(0) instead of dp:S(0) the output is proved",
	  { "input 1 tp:S(1)", "input 2 tp:S(0)" } },
	{ "two axes, the minor first", GATHER_BASE, GATHER_DIST, "mesh dp=2 tp=2\n", 0, 1,
	  "with input 0 as tp:S(0) dp:S(0) instead of dp:S(0) tp:S(0) the output is proved", { "input 0 tp:S(0) dp:S(0)" } },
	{ "a parameter that is the device", SLICE_BASE, SLICE_DIST, "mesh tp=2\n", 0, 1,
	  "with input 1 = partition-id instead of any the output is proved", { "input 1 = partition-id" } },
	{ "what is simply wrong", BIAS_BASE, BIAS_DIST("%z = f32[4,6] all-reduce(%q)" ALL("{0,1}", 1) "ROOT %o = f32[4,6] multiply(%z, %z)\n"),
	  "mesh tp=2\ninput 2 tp:P(sum)\n", 0, 0, "no other relation of what was inferred proves more", { NULL } },
};

static const struct alternatives *tried(struct text_pair *t, uint64_t work)
{
	assert_true(alternatives_any(t->p));
	return alternatives_try(t->p, work, NULL);
}

static void is_offered(void **state)
{
	const struct example *x = *state;
	struct text_pair *t = text_run(x->base, x->dist, x->plan);
	prover *pr = t->p->p;
	int na = t->p->nassumption, k, n;
	const struct alternatives *r = tried(t, ALTERNATIVES_WORK);

	if (strncmp(r->offer, x->offer, strlen(x->offer)))
		fail_msg("'%s' instead of '%s' (%s)", r->offer, x->offer, r->effort);
	assert_int_equal(r->before, x->proved);
	assert_int_equal(r->after, x->proved_with);
	assert_int_equal(r->left, 0);
	for (n = 0; n < 4 && x->line[n]; n++)
		;
	for (k = 0; n && k < r->nline; k++) {
		const char *line = n == 1 || r->nline == n ? r->line[k] : "";
		assert_string_equal(line, x->line[k]);
	}
	if (n)
		assert_int_equal(r->nline, n);
	assert_ptr_equal(t->p->p, pr);		/* the run there is stays */
	assert_int_equal(problem_goals_met(t->p), x->proved);
	assert_int_equal(t->p->nassumption, na);
	text_close(t);
}

/* What is offered is a plan: with its lines the pair is proved. */
static void holds_as_a_plan(void **state)
{
	const struct example *x = *state;
	struct text_pair *t = text_run(x->base, x->dist, x->plan), *u;
	const struct alternatives *r = tried(t, ALTERNATIVES_WORK);
	char plan[1024];
	int k;

	snprintf(plan, sizeof plan, "%s", x->plan);
	for (k = 0; k < r->nline; k++)
		snprintf(plan + strlen(plan), sizeof plan - strlen(plan), "%s\n", r->line[k]);
	u = text_run(x->base, x->dist, plan);
	assert_int_equal(problem_goals_met(u->p), x->proved_with);
	text_close(t);
	text_close(u);
}

/* The whole plan, written and read: nothing is inferred any more, and as much is proved. */
static void can_be_saved(void **state)
{
	const struct example *x = *state;
	struct text_pair *t = text_run(x->base, x->dist, x->plan), *u;
	char *plan = NULL;
	size_t size;
	FILE *f = open_memstream(&plan, &size);
	int k;

	tried(t, ALTERNATIVES_WORK);
	assert_non_null(f);
	plan_write(t->p, f);
	assert_int_equal(fclose(f), 0);
	u = text_run(x->base, x->dist, plan);
	assert_int_equal(problem_goals_met(u->p), x->proved_with);
	for (k = 0; k < u->p->nassumption; k++)
		assert_ptr_equal(strstr(u->p->assumption[k], "the plan says "), u->p->assumption[k]);
	for (k = 0; k < u->p->q->ninput; k++)
		assert_false(u->p->q->in[k].inferred);
	free(plan);
	text_close(t);
	text_close(u);
}

/* ---- the verdict, and what is said */

static char *report_of(struct text_pair *t, bool json, enum verdict *v, int *status)
{
	struct report *r = report_run(t->p, report_clock(), NULL);
	char *text = NULL;
	size_t n;
	FILE *f = open_memstream(&text, &n);

	assert_non_null(f);
	(json ? report_json : report_text)(r, f);
	assert_int_equal(fclose(f), 0);
	*v = r->verdict;
	*status = report_exit(r);
	report_free(r);
	return text;
}

static void the_verdict_stays(void **state)
{
	int json, status;
	enum verdict v;
	char *text;

	(void)state;
	for (json = 0; json < 2; json++) {
		struct text_pair *t = text_open(BIAS_BASE, BIAS_DIST(REDUCED), "mesh tp=2\n");
		text = report_of(t, json, &v, &status);
		assert_int_equal(v, VERDICT_UNKNOWN_RULE);
		assert_int_equal(status, 1);
		text_holds(text, json ? "\"alternatives\":{\"offer\":\"with input 2 as tp:P(sum) instead of R the output is proved\","
				"\"plan\":[\"input 2 tp:P(sum)\"],\"outputs\":1,\"proved\":0,\"proved_with\":1,"
			      : "alternative with input 2 as tp:P(sum) instead of R the output is proved\n                input 2 tp:P(sum)\n");
		free(text);
		text_close(t);
	}
}

static void nothing_to_try(void **state)
{
	struct text_pair *t = text_open(BIAS_BASE, BIAS_DIST(REDUCED), "mesh tp=2\ninput 0 tp:S(1)\ninput 1 tp:S(0)\ninput 2 R\noutput 0 R\n");
	int status;
	enum verdict v;
	char *text = report_of(t, false, &v, &status);

	(void)state;
	assert_false(alternatives_any(t->p));	/* the plan says it all */
	assert_null(strstr(text, "alternative"));
	free(text);
	text_close(t);
	t = text_open(BIAS_BASE, BIAS_DIST(REDUCED), "mesh tp=2\ninput 2 tp:P(sum)\n");
	text = report_of(t, true, &v, &status);
	assert_int_equal(v, VERDICT_PROVED);
	assert_false(alternatives_any(t->p));	/* all is proved */
	text_holds(text, "\"alternatives\":null");
	free(text);
	text_close(t);
}

static void what_is_cut_is_said(void **state)
{
	struct text_pair *t = text_run(STEP_BASE, STEP_DIST, "mesh dp=4\n");
	const struct alternatives *r = tried(t, 1);

	(void)state;
	assert_int_equal(r->n, 0);
	assert_int_equal(r->tried, 0);
	assert_true(r->left > 0);
	text_holds(r->effort, "more were not: `alternatives N` does N times as much");
	text_close(t);
}

static bool after_some(void *ctx, int tried)
{
	return tried >= *(int *)ctx;
}

static void it_can_be_stopped(void **state)
{
	struct text_pair *t = text_run(STEP_BASE, STEP_DIST, "mesh dp=4\n");
	int some = 0;
	const struct alternatives_watch watch = { after_some, &some };
	const struct alternatives *r;

	(void)state;
	assert_null(alternatives_try(t->p, ALTERNATIVES_WORK, &watch));
	some = 1;
	r = alternatives_try(t->p, ALTERNATIVES_WORK, &watch);
	assert_true(r->stopped);
	assert_int_equal(r->tried, 1);
	assert_int_equal(r->n, 0);
	assert_true(r->left > 0);
	text_holds(r->effort, "it was stopped");
	assert_string_equal(r->offer, "none of the relations that were tried proves more");
	text_close(t);
}

/* ---- what shapes say */

struct shapes {
	const char *mesh;		/* of the plan */
	int rank, lrank;
	int64_t base[4], local[4];
	bool plain;
	const char *first;
	const char *among, *not_among;	/* of the suggestions */
};

static const struct shapes shapes[] = {
	{ "tp=2", 2, 2, { 4, 6 }, { 4, 6 }, true, "R", "tp:P(sum)", "tp:S(0)" },
	{ "tp=2", 2, 2, { 4, 6 }, { 4, 3 }, true, "tp:S(1)", "tp:S(1; 2,4)", "tp:P(sum)" },
	{ "dp=2 tp=4", 2, 2, { 4, 8 }, { 2, 2 }, true, "dp:S(0) tp:S(1)", NULL, "tp:S(1)" },
	{ "dp=2 tp=4", 1, 1, { 16 }, { 2 }, true, "dp:S(0) tp:S(0)", "tp:S(0) dp:S(0)", NULL },
	{ "dp=2 tp=4", 1, 1, { 16 }, { 4 }, true, "tp:S(0)", "dp:P(sum) tp:S(0)", "dp:S(0)" },
	{ "dp=2 tp=2", 1, 1, { 16 }, { 8 }, true, "dp:S(0)", "tp:S(0)", "dp:S(0) tp:S(0)" },
	{ "tp=4", 1, 1, { 10 }, { 3 }, true, "pad(0; 12) tp:S(0)", "pad(0; 12; 0) tp:S(0)", "tp:S(0)" },
	{ "tp=2", 1, 2, { 6 }, { 1, 6 }, true, "reshape(1,6)", "tp:P(sum) reshape(1,6)", NULL },
	{ "tp=2", 1, 2, { 6 }, { 2, 3 }, false, "reshape(2,3)", NULL, NULL },
	{ "tp=2", 2, 1, { 4, 6 }, { 12 }, false, "tp:S(0) reshape(12)", "tp:S(1) reshape(12)", NULL },
	{ "tp=2", 2, 2, { 4, 6 }, { 6, 4 }, false, "transpose(1,0)", NULL, "R" },
	{ "tp=2", 1, 1, { 6 }, { 4 }, false, NULL, NULL, NULL },
};

static bool found(int n, const struct suggestion *s, const char *text)
{
	int k;

	for (k = 0; k < n; k++)
		if (!strcmp(s[k].c.text, text))
			return true;
	return false;
}

static mesh mesh_of(arena *a, const char *text)
{
	struct mesh_axis *ax = ARENA_ARRAY(a, struct mesh_axis, 4);
	mesh m = { 0, ax, 1 };
	char name[16];
	int size, used;

	for (; sscanf(text, " %15[a-z]=%d%n", name, &size, &used) == 2; text += used) {
		ax[m.n++] = (struct mesh_axis){ arena_strdup(a, name), size };
		m.ndev *= size;
	}
	return m;
}

static void shapes_say(void **state)
{
	static const int64_t sizes[2] = { 2, 4 };
	static const struct cut cut = { 6, 2, sizes };
	struct suggestion s[SUGGEST_MAX];
	arena a;
	size_t i;

	(void)state;
	arena_init(&a);
	for (i = 0; i < sizeof shapes / sizeof *shapes; i++) {
		const struct shapes *x = &shapes[i];
		shape b = { .type = T_F32, .rank = x->rank, .dim = x->base }, d = { .type = T_F32, .rank = x->lrank, .dim = x->local };
		mesh m = mesh_of(&a, x->mesh);
		bool more;
		chain c;
		int n = suggest_relations(&a, &m, &b, &d, 1, &cut, s, &more);
		assert_false(more);
		assert_int_equal(n > 0, x->first != NULL);
		if (n)
			assert_string_equal(s[0].c.text, x->first);
		if (x->among && !found(n, s, x->among))
			fail_msg("%zu: no %s", i, x->among);
		if (x->not_among && found(n, s, x->not_among))
			fail_msg("%zu: %s", i, x->not_among);
		assert_int_equal(suggest_plain(&a, &m, &b, &d, &c), x->plain);
		d.type = T_BF16;
		assert_int_equal(suggest_relations(&a, &m, &b, &d, 1, &cut, s, &more), 0);
	}
	arena_free(&a);
}

/* ---- what device groups say */

static void groups_say(void **state)
{
	static const struct { const char *groups, *more, *mesh; int ndev; } x[] = {
		{ "{{0,1,2,3,4,5,6,7}}", NULL, "dev=8", 8 },
		{ "{{0,1},{2,3},{4,5},{6,7}}", NULL, "d0=4 d1=2", 8 },
		{ "{{0,4},{1,5},{2,6},{3,7}}", NULL, "d0=2 d1=4", 8 },
		{ "{{0,1},{2,3},{4,5},{6,7}}", "{{0,2,4,6},{1,3,5,7}}", "d0=4 d1=2", 8 },
		{ "{{0,1},{2,3},{4,5},{6,7}}", "{{0,4},{1,5},{2,6},{3,7}}", "d0=2 d1=2 d2=2", 8 },
		{ "{{0,1,4,5},{2,3,6,7}}", NULL, "d0=2 d1=2 d2=2", 8 },		/* two axes at once */
		{ "{{1,0},{3,2},{5,4},{7,6}}", NULL, "d0=4 d1=2", 8 },		/* whatever the order */
		{ "{{0,1,2},{3,4,5}}", NULL, "d0=2 d1=3", 6 },
		{ "[4,2]<=[2,4]T(1,0)", NULL, "d0=2 d1=4", 8 },
		{ "{{0,1,2},{3,4,5}}", "{{0,1},{2,3},{4,5}}", "dev=6", 6 },	/* 2 and 3 are no digits of one number */
		{ "{{0,1,3},{2,4,5}}", NULL, "dev=6", 6 },
	};
	char text[2048], got[64];
	struct diag d;
	size_t i;
	arena a;
	int k;

	(void)state;
	arena_init(&a);
	for (i = 0; i < sizeof x / sizeof *x; i++) {
		module *m;
		mesh ms;
		snprintf(text, sizeof text, "HloModule m, num_partitions=%d\n%sENTRY %%main {\n%%x = f32[4] parameter(0)\n"
			 "%%y = f32[4] all-reduce(%%x), channel_id=1, replica_groups=%s, use_global_device_ids=true, to_apply=%%add\n"
			 "ROOT %%z = f32[4] all-reduce(%%y), channel_id=2, replica_groups=%s, use_global_device_ids=true, to_apply=%%add\n}\n",
			 x[i].ndev, ADD, x[i].groups, x[i].more ? x[i].more : x[i].groups);
		m = hlo_read_text("t", text, strlen(text), &d);
		if (!m)
			fail_msg("%s", d.message);
		ms = placement_groups_mesh(&a, m, x[i].ndev);
		for (*got = 0, k = 0; k < ms.n; k++)
			snprintf(got + strlen(got), sizeof got - strlen(got), "%s%s=%d", k ? " " : "", ms.axis[k].name, (int)ms.axis[k].size);
		assert_string_equal(got, x[i].mesh);
		assert_int_equal(ms.ndev, x[i].ndev);
		module_free(m);
	}
	arena_free(&a);
}

static void too_many_are_said(void **state)
{
	static const int64_t whole[3] = { 4, 4, 4 }, part[3] = { 2, 2, 2 };
	shape b = { .type = T_F32, .rank = 3, .dim = whole }, d = { .type = T_F32, .rank = 3, .dim = part };
	struct suggestion s[SUGGEST_MAX];
	arena a;
	mesh m;
	bool more;

	(void)state;
	arena_init(&a);
	m = mesh_of(&a, "a=2 b=2 c=2 d=2");
	assert_int_equal(suggest_relations(&a, &m, &b, &d, 0, NULL, s, &more), SUGGEST_MAX);
	assert_true(more);
	arena_free(&a);
}

static const char *assumed(const struct text_pair *t, const char *part)
{
	int k;

	for (k = 0; k < t->p->nassumption; k++)
		if (strstr(t->p->assumption[k], part))
			return t->p->assumption[k];
	return "";
}

/* Both dimensions sharded, an uneven vocabulary: nothing has to be tried. */
static void two_dimensions(void **state)
{
	struct text_pair *t = text_run(BASE("%x = f32[4,7] parameter(0)\nROOT %y = f32[4,7] negate(%x)\n"),
				       DIST(4, "%x = f32[2,4] parameter(0)\nROOT %y = f32[2,4] negate(%x)\n"), "mesh dp=2 tp=2\n");

	(void)state;
	assert_int_equal(problem_goals_met(t->p), 1);
	assert_string_equal(assumed(t, "input 0"), "input 0 (%x): dp:S(0) pad(1; 8) tp:S(1), inferred from its shape");
	text_close(t);
}

/* An annotation that is no chain is not set aside for what the shape suggests; one that is, is. */
static void annotations_that_no_chain_says(void **state)
{
	static const struct { const char *devices, *input; int met; } c[] = {
		{ "[4,1]<=[4]", "input 0 (%x): d0:S(0) d1:S(0), from its sharding annotation", 1 },
		{ "[4,1]0,2,1,3", "input 0 (%x): d1:S(0) d0:S(0), from its sharding annotation", 0 },
		{ "[4,1]1,0,3,2", "input 0 (%x): no relation is seen (no chain says what its sharding annotation does), its values are arbitrary", 0 },
	};
	size_t k;

	(void)state;
	for (k = 0; k < sizeof c / sizeof *c; k++) {
		char *dist;
		struct text_pair *t;
		if (asprintf(&dist, "HloModule d, num_partitions=4\nENTRY %%main {\n%%x = f32[2,8] parameter(0), sharding={devices=%s}\n"
			     "ROOT %%y = f32[2,8] tanh(%%x)\n}\n", c[k].devices) < 0)
			abort();
		t = text_run(BASE("%x = f32[8,8] parameter(0)\nROOT %y = f32[8,8] tanh(%x)\n"), dist, "mesh d0=2 d1=2\n");
		assert_string_equal(assumed(t, "input 0"), c[k].input);
		assert_int_equal(problem_goals_met(t->p), c[k].met);
		text_close(t);
		free(dist);
	}
}

/* Whose ids a collective names depends on how many replicas and partitions there are, but where they are those of devices. */
static void ids_without_counts(void **state)
{
	static const struct { const char *head, *op; bool said; } c[] = {
		{ "", "all-reduce(%x), to_apply=%s", true },
		{ "", "all-reduce(%x), replica_groups={{0,1}}, channel_id=1, to_apply=%s", true },
		{ "", "all-reduce(%x), replica_groups={{0,1}}, channel_id=1, use_global_device_ids=true, to_apply=%s", false },
		{ "", "collective-permute(%x), source_target_pairs={{0,1},{1,0}}", true },
		{ ", replica_count=2", "all-reduce(%x), to_apply=%s", false },
		{ ", num_partitions=2", "collective-permute(%x), channel_id=1, source_target_pairs={{0,1},{1,0}}", false },
	};
	size_t k;

	(void)state;
	for (k = 0; k < sizeof c / sizeof *c; k++) {
		char *dist;
		struct text_pair *t;
		if (asprintf(&dist, "HloModule d%s\n%%s { %%a = f32[] parameter(0)\n%%b = f32[] parameter(1)\nROOT %%r = f32[] add(%%a, %%b) }\n"
			     "ENTRY %%main {\n%%x = f32[4] parameter(0)\nROOT %%y = f32[4] %s\n}\n", c[k].head, c[k].op) < 0)
			abort();
		t = text_run(BASE("%x = f32[4] parameter(0)\nROOT %y = f32[4] copy(%x)\n"), dist, "mesh tp=2\ninput 0 tp:P(sum)\noutput 0 R\n");
		assert_int_equal(problem_goals_met(t->p), strstr(c[k].op, "all-reduce") != NULL);
		assert_int_equal(*assumed(t, "ids are taken as device ids") != 0, c[k].said);
		text_close(t);
		free(dist);
	}
}

/* A parameter that only DIST has moves the numbers of those behind it. */
static void counterparts_in_order(void **state)
{
	const char *base = BASE("%x = f32[4] parameter(0)\n%y = f32[4] parameter(1)\nROOT %z = f32[4] subtract(%x, %y)\n");
	const char *dist = DIST(2, "%id = u32[] parameter(0)\n%x = f32[2] parameter(1)\n%y = f32[2] parameter(2)\nROOT %z = f32[2] subtract(%x, %y)\n");
	struct text_pair *t = text_run(base, dist, "mesh tp=2\ninput 0 = partition-id\n");

	(void)state;
	assert_int_equal(problem_goals_met(t->p), 1);
	assert_string_equal(assumed(t, "%y"), "input 2<-1 (%y): tp:S(0), inferred from its shape");
	text_close(t);
	t = text_run(base, dist, "mesh tp=2\n");	/* as many are not left: as most fit */
	assert_int_equal(problem_goals_met(t->p), 1);
	assert_string_equal(assumed(t, "%id"), "input 0 (%id): no relation is seen, its values are arbitrary");
	assert_string_equal(assumed(t, "%y"), "input 2<-1 (%y): tp:S(0), inferred from its shape");
	text_close(t);
	t = text_run(base, dist, "mesh tp=2\ninput 2<-0 tp:S(0)\n");	/* what is said is not moved */
	assert_int_equal(problem_goals_met(t->p), 0);
	assert_string_equal(assumed(t, "%x"), "input 1 (%x): tp:S(0), inferred from its shape");
	text_close(t);
}

static void conversions_are_not_inferred(void **state)
{
	struct text_pair *t = text_run(BASE("%x = f32[4] parameter(0)\nROOT %y = f32[4] negate(%x)\n"),
				       DIST(2, "%x = bf16[4] parameter(0)\nROOT %y = bf16[4] negate(%x)\n"), "mesh tp=2\n");

	(void)state;
	assert_int_equal(problem_goals_met(t->p), 0);
	assert_string_equal(assumed(t, "input 0"), "input 0 (%x): no relation is seen (its type is bf16, the baseline's f32), its values are arbitrary");
	assert_string_equal(assumed(t, "output 0"), "output 0: no relation is seen (its type is bf16, the baseline's f32), it is not proved");
	text_close(t);
}

int main(void)
{
	static const struct CMUnitTest others[] = {
		cmocka_unit_test(the_verdict_stays),
		cmocka_unit_test(nothing_to_try),
		cmocka_unit_test(what_is_cut_is_said),
		cmocka_unit_test(it_can_be_stopped),
		cmocka_unit_test(shapes_say),
		cmocka_unit_test(groups_say),
		cmocka_unit_test(too_many_are_said),
		cmocka_unit_test(two_dimensions), cmocka_unit_test(annotations_that_no_chain_says),
		cmocka_unit_test(counterparts_in_order), cmocka_unit_test(ids_without_counts),
		cmocka_unit_test(conversions_are_not_inferred),
	};
	enum { EXAMPLES = sizeof examples / sizeof *examples, OTHERS = sizeof others / sizeof *others };
	struct CMUnitTest test[3 * EXAMPLES + OTHERS];
	int k, n = 0;

	for (k = 0; k < EXAMPLES; k++) {
		test[n++] = (struct CMUnitTest){ examples[k].name, is_offered, NULL, NULL, (void *)&examples[k] };
		test[n++] = (struct CMUnitTest){ examples[k].name, holds_as_a_plan, NULL, NULL, (void *)&examples[k] };
		test[n++] = (struct CMUnitTest){ examples[k].name, can_be_saved, NULL, NULL, (void *)&examples[k] };
	}
	for (k = 0; k < OTHERS; k++)
		test[n++] = others[k];
	return cmocka_run_group_tests(test, NULL, NULL);
}
