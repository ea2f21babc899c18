/* The history of a session, its acts, its rows and lines, its sources. */
#include "command/command.h"
#include "pair_files.h"
#include "report/report.h"
#include "run_line.h"
#include "session/acts.h"
#include "session/source_lines.h"
#include "util/hash.h"

#include <stdarg.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

/* ---- what a state is, as one number */

static uint64_t print_of(struct session *s)
{
	const prover *p = session_problem(s)->p;
	const pair *q = session_problem(s)->q;
	uint64_t h = hash_bytes(&(uint32_t[]){ eg_nnode(p->g), eg_nclass(p->g), eg_nedge(p->g), history_count(&p->a),
					       p->a.normal->npending, (uint32_t)pair_position(q) }, 24, 1);
	uint32_t n;

	for (n = 0; n < eg_nnode(p->g); n++)
		h = hash_bytes(&(uint32_t[]){ eg_root(p->g, n), normal_head(&p->a, n) }, 8, h);
	return h;
}

static void says(struct session *s, const char *part)
{
	if (!strstr(session_message(s, NULL), part))
		fail_msg("'%s' does not hold '%s'", session_message(s, NULL), part);
}

static int verdict(struct session *s)
{
	struct report *r = session_report(s, 0);
	int status = report_exit(r);

	report_free(r);
	return status;
}

static int row_of(struct session *s, enum program_side side, const char *name)
{
	return program_named(session_program(s, side), name);
}

static char mark_of(struct session *s, const char *name)
{
	return session_mark(s, SIDE_DIST, row_of(s, SIDE_DIST, name));
}

/* What is said of the selected row. */
static uint64_t explained(struct session *s, uint64_t h)
{
	char text[2000];
	struct page p;
	size_t i;

	page_init(&p);
	session_page(s, PAGE_EXPLAIN, &p);
	for (i = 0; i < page_count(&p); i++)
		h = hash_bytes(page_text(&p, i, text, sizeof text), strlen(text), h);
	page_release(&p);
	return h;
}

/* What the main view shows of every row, and the frontier. */
static uint64_t seen(struct session *s)
{
	int n = session_program(s, SIDE_DIST)->nrow, k;
	uint64_t h = session_nline(s);

	for (k = 0; k < n; k++) {
		const char *relation = session_relation(s, SIDE_DIST, k);
		int partner = session_partner(s, SIDE_DIST, k);
		char mark = session_mark(s, SIDE_DIST, k);
		h = hash_bytes(relation, strlen(relation), h);
		h = hash_bytes(&mark, 1, hash_bytes(&partner, sizeof partner, h));
	}
	for (k = 0; k < session_nfrontier(s); k++)
		h = hash_bytes(&(int){ session_frontier(s, k) }, sizeof(int), h);
	return h;
}

/* .. and what is said of the row at work, which is selected once something has run. */
static uint64_t looks(struct session *s)
{
	enum program_side side;
	int row;

	return session_step(s) && session_busy_row(s, &side, &row) ? explained(s, seen(s)) : seen(s);
}

/* ---- forward and back */

typedef struct session *opener(const char *stem, const char *form);

/* Rows show the same however one came to a step: by single steps, back from the end, or at once from the start. */
static void same_seen(opener *open, const char *stem, const char *form, const char *act)
{
	struct session *s = open(stem, form), *t = open(stem, form);
	uint64_t *at = calloc(100000, sizeof *at);
	uint32_t n, k;
	char line[64];

	assert_non_null(at);
	if (act) {
		run_line(s, "continue");
		run_line(s, act);
		run_line(s, "goto 0");
	}
	at[0] = looks(s);
	for (n = 0; command_run(s, "step") && session_step(s) > n && n < 99999; )
		at[++n] = looks(s);
	assert_true(n > 10);
	run_line(s, "continue!");
	if (act) {
		run_line(t, "continue");
		run_line(t, act);
	}
	run_line(t, "continue!");
	assert_true(seen(s) == seen(t));
	for (k = session_step(s) < n ? session_step(s) : n; k-- > 0; ) {
		run_line(t, "reverse-step");
		if (looks(t) != at[session_step(t)])
			fail_msg("%s.%s: step %u looks otherwise on the way back", stem, form, session_step(t));
	}
	for (k = 1; k < n && !act; k += 1 + n / 16) {
		struct session *u = open(stem, form);
		snprintf(line, sizeof line, "goto %u", k);
		run_line(u, line);
		if (looks(u) != at[k])
			fail_msg("%s.%s: step %u looks otherwise at once", stem, form, k);
		session_free(u);
	}
	free(at);
	session_free(s);
	session_free(t);
}

static void test_rows_look_the_same_on_every_way(void **state)
{
	(void)state;
	same_seen(pair_sample, "mlp", "dist", NULL);
	same_seen(pair_sample, "mlp", "broken", NULL);
	same_seen(pair_sample, "attention", "dist", NULL);
	same_seen(pair_sample, "attention", "broken", NULL);
	same_seen(pair_sample, "attention", "broken", "assume %slice.1 = base %slice.1 tp:S(2)");
}

/* Scores of which every device holds a block of columns after the other: only both together are the whole.  The form says where
 * the keys that arrived second come from. */
static struct session *ring(const char *stem, const char *form)
{
	static const char most[] = "%most (a: f32[], b: f32[]) -> f32[] {\n  %a = f32[] parameter(0)\n  %b = f32[] parameter(1)\n"
				   "  ROOT %c = f32[] maximum(%a, %b)\n}\n\nENTRY %main {\n";
	static const char scores[] = "lhs_contracting_dims={1}, rhs_contracting_dims={1}\n", max[] = ", dimensions={1}, to_apply=%most\n";
	char base[2048], dist[2048];
	struct problem_files f = { .rules = SRCDIR "/rules" };
	struct diag err;
	struct session *s;

	(void)stem;
	snprintf(base, sizeof base, "HloModule m\n\n%s  %%q = f32[6,5] parameter(0)\n  %%k = f32[6,5] parameter(1)\n  %%s = f32[6,6] dot(%%q, %%k), %s"
		 "  %%t = f32[6,6] tanh(%%s)\n  %%z = f32[] constant(-inf)\n  ROOT %%x = f32[6] reduce(%%t, %%z)%s}\n", most, scores, max);
	snprintf(dist, sizeof dist, "HloModule m, num_partitions=2\n\n%s  %%q = f32[3,5] parameter(0)\n  %%k = f32[3,5] parameter(1)\n"
		 "  %%s0 = f32[3,3] dot(%%q, %%k), %s  %%t0 = f32[3,3] tanh(%%s0)\n  %%z = f32[] constant(-inf)\n  %%x0 = f32[3] reduce(%%t0, %%z)%s"
		 "  %%got = f32[3,5] collective-permute(%%k), channel_id=1, source_target_pairs={%s}\n  %%s1 = f32[3,3] dot(%%q, %%got), %s"
		 "  %%t1 = f32[3,3] tanh(%%s1)\n  %%x1 = f32[3] reduce(%%t1, %%z)%s  ROOT %%x = f32[3] maximum(%%x0, %%x1)\n}\n",
		 most, scores, max, form, scores, max);
	f.base = pair_write("ring.base.hlo", base);
	f.dist = pair_write("ring.dist.hlo", dist);
	f.plan = pair_write("ring.plan", "mesh sp=2\ninput 0 sp:S(0)\ninput 1 sp:S(0)\noutput 0 sp:S(0)\n");
	s = session_new(&f, &err);
	assert_non_null(s);
	return s;
}

/* The first block is none until the second is there, and is none again when it is not. */
static void test_blocks_come_and_go(void **state)
{
	struct session *s = ring("ring", "{0,1},{1,0}");
	uint32_t n;

	(void)state;
	run_line(s, "continue!");
	assert_int_equal(mark_of(s, "t0"), '=');
	assert_int_equal(mark_of(s, "t1"), '=');
	for (n = session_step(s); mark_of(s, "s1") == '=' && n; n--)
		run_line(s, "reverse-step");
	assert_true(n > 0);
	assert_int_equal(mark_of(s, "got"), '=');
	assert_int_equal(mark_of(s, "s0"), '.');
	assert_int_equal(mark_of(s, "t0"), '?');
	run_line(s, "continue!");
	assert_int_equal(mark_of(s, "s0"), '=');
	assert_int_equal(mark_of(s, "t0"), '=');
	session_free(s);
	same_seen(ring, "ring", "{0,1},{1,0}", NULL);
	same_seen(ring, "ring", "{0,0},{1,1}", NULL);
}

static void test_every_step_back_and_forth(void **state)
{
	struct session *s = pair_sample("attention", "broken");
	uint64_t *print;
	uint32_t n, k;

	(void)state;
	run_line(s, "continue!");
	n = session_step(s);
	assert_true(n > 50);
	print = calloc(n + 1, sizeof *print);
	run_line(s, "goto start");
	for (k = 0; k <= n; k++) {
		assert_true(acts_goto(s, k));
		assert_int_equal(session_step(s), k);
		print[k] = print_of(s);
	}
	for (k = n; k-- > 0; ) {
		assert_true(acts_goto(s, k));
		assert_true(print_of(s) == print[k]);
	}
	for (k = 0; k < 200; k++) {
		uint32_t to = k * 7919 % (n + 1);
		assert_true(acts_goto(s, to));
		assert_true(print_of(s) == print[to]);
	}
	assert_int_equal(session_known(s), n);
	free(print);
	session_free(s);
}

static void test_goto(void **state)
{
	struct session *s = pair_open(true);
	uint64_t end;

	(void)state;
	run_line(s, "goto end");
	end = print_of(s);
	assert_int_equal(verdict(s), 0);
	run_line(s, "goto start");
	assert_int_equal(session_step(s), 0);
	assert_int_equal(verdict(s), 3);
	refused_line(s, "reverse-step", "start");
	run_line(s, "continue!");
	assert_true(print_of(s) == end);
	refused_line(s, "goto 100000", "ends at step");
	refused_line(s, "goto x", "goto takes a step, an act as A4, start or end, and 'x' is none");
	refused_line(s, "goto", "goto where? to a step");
	refused_line(s, "goto -1", "'-1' is none");
	refused_line(s, "goto A7", "no act");
	run_line(s, "step");
	says(s, "proved");
	session_free(s);
}

static void test_next(void **state)
{
	struct session *s = pair_open(true);
	enum program_side side;
	int row, was;

	(void)state;
	run_line(s, "next");
	assert_int_equal(session_pending(s), 0);
	assert_true(session_busy_row(s, &side, &row));
	assert_int_equal(side, SIDE_BASE);
	was = row;
	run_line(s, "next");
	assert_true(session_busy_row(s, &side, &row) && row > was);
	run_line(s, "reverse-next");
	assert_int_equal(session_pending(s), 0);
	run_line(s, "until %add");
	assert_int_equal(mark_of(s, "add"), '=');
	assert_int_equal(mark_of(s, "tanh"), '.');
	session_free(s);
}

/* The lifting alone leaves %left unverified: the search proves what is made of it. */
static struct session *pair_that_search_proves(const char *function)
{
	static const char base[] =
		"HloModule b\nENTRY %main {\n %x = f32[4,8] parameter(0)\n %y = f32[4,8] parameter(1)\n %w = f32[8,8] parameter(2)\n"
		" %add = f32[4,8] add(%x, %y)\n %dot = f32[4,8] dot(%add, %w), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n"
		" ROOT %out = f32[4,8] tanh(%dot)\n}\n";
	char dist[1000];

	snprintf(dist, sizeof dist,
		 "HloModule d\nENTRY %%main {\n %%x = f32[4,8] parameter(0)\n %%y = f32[4,8] parameter(1)\n %%w = f32[8,8] parameter(2)\n"
		 " %%left = f32[4,8] dot(%%x, %%w), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n"
		 " %%right = f32[4,8] dot(%%y, %%w), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n"
		 " %%sum = f32[4,8] add(%%left, %%right)\n ROOT %%out = f32[4,8] %s(%%sum)\n}\n", function);
	return pair_texts(base, dist, "mesh dev=1\n");
}

static void test_continue_passes_by(void **state)
{
	struct session *s = pair_that_search_proves("tanh");

	(void)state;
	run_line(s, "until %left");
	assert_int_equal(mark_of(s, "left"), '!');
	run_line(s, "goto start");
	run_line(s, "continue");
	assert_int_equal(verdict(s), 0);
	session_free(s);
	s = pair_that_search_proves("cosine");
	run_line(s, "continue");
	says(s, "1 frontier node");
	assert_int_equal(session_selection(s)->row[SIDE_DIST], row_of(s, SIDE_DIST, "out"));
	session_free(s);
	s = pair_open(false);
	run_line(s, "continue");
	says(s, "frontier: %add");
	assert_false(session_done(s));
	assert_int_equal(session_known(s), session_step(s));	/* what was only looked at is not ahead */
	session_free(s);
}

/* That a step on a block is to blame is known only when the next one is there: the run stops at the first all the same. */
static void test_continue_stops_at_each(void **state)
{
	struct session *s = pair_texts(
		"HloModule b\nadd {\n a = f32[] parameter(0)\n b = f32[] parameter(1)\n ROOT r = f32[] add(a, b)\n}\n"
		"ENTRY m {\n x = f32[4,4] parameter(0)\n m = pred[4,4] constant({{1,0,0,0},{1,1,0,0},{1,1,1,0},{1,1,1,1}})\n z = f32[] constant(0)\n"
		" zb = f32[4,4] broadcast(z), dimensions={}\n sel = f32[4,4] select(m, x, zb)\n"
		" ROOT out = f32[4] reduce(sel, z), dimensions={1}, to_apply=add\n}\n",
		"HloModule d\nadd {\n a = f32[] parameter(0)\n b = f32[] parameter(1)\n ROOT r = f32[] add(a, b)\n}\n"
		"ENTRY m {\n x = f32[2,4] parameter(0)\n m = pred[2,2] constant({{1,0},{0,1}})\n z = f32[] constant(0)\n"
		" zb = f32[2,2] broadcast(z), dimensions={}\n x1 = f32[2,2] slice(x), slice={[0:2],[0:2]}\n sel1 = f32[2,2] select(m, x1, zb)\n"
		" r1 = f32[2] reduce(sel1, z), dimensions={1}, to_apply=add\n x2 = f32[2,2] slice(x), slice={[0:2],[2:4]}\n"
		" sel2 = f32[2,2] select(m, x2, zb)\n r2 = f32[2] reduce(sel2, z), dimensions={1}, to_apply=add\n ROOT out = f32[2] add(r1, r2)\n}\n",
		"mesh tp=2\ninput 0 tp:S(0)\noutput 0 tp:S(0)\n");
	uint32_t step;

	(void)state;
	run_line(s, "continue");
	says(s, "frontier: %sel1");
	step = session_step(s);
	run_line(s, "continue");
	says(s, "frontier: %sel2");
	assert_int_equal(session_step(s), step);
	run_line(s, "continue");
	says(s, "2 frontier nodes");
	session_free(s);
}

static bool stop_at_once(void *ctx, const char *what)
{
	(void)ctx;
	return strstr(what, "looking ahead: ") != NULL;
}

/* A row before the one that is not verified may be to blame for it, as well as verified: `continue` stops there. */
static void test_continue_stops_at_what_is_blamed(void **state)
{
#define TURNED(n) "  %x = f32[" n "] parameter(0)\n  %i = f32[" n "] iota(), iota_dimension=0\n  %c = f32[" n "] cosine(%i)\n" \
		"  %u = f32[" n "] multiply(%x, %c)\n  ROOT %o = f32[" n "] negate(%u)\n}\n"
	struct session *s = pair_texts("HloModule m\n\nENTRY %main {\n" TURNED("8"), "HloModule m, num_partitions=2\n\nENTRY %main {\n" TURNED("4"),
				       "mesh tp=2\ninput 0 tp:S(0)\noutput 0 tp:S(0)\n");

	(void)state;
	run_line(s, "continue");
	assert_false(session_done(s));
	assert_int_equal(session_selection(s)->row[SIDE_DIST], row_of(s, SIDE_DIST, "i"));
	run_line(s, "continue");
	assert_true(session_done(s));
	session_free(s);
}

static void test_continue_is_provisional(void **state)
{
	struct session_host h = { .busy = stop_at_once };
	struct session *s = pair_that_search_proves("tanh");

	(void)state;
	session_set_host(s, &h);
	run_line(s, "continue");
	says(s, "frontier: %left, provisional");
	assert_int_equal(session_selection(s)->row[SIDE_DIST], row_of(s, SIDE_DIST, "left"));
	assert_int_equal(mark_of(s, "left"), '!');
	session_set_host(s, &(struct session_host){ .ctx = NULL });
	run_line(s, "continue");
	assert_int_equal(verdict(s), 0);
	session_free(s);
}

/* A masked lookup in a sharded table, for which the range of the indices has to be assumed. */
static struct session *pair_of_a_lookup(const char *function)
{
	static const char base[] =
		"HloModule b\nENTRY %main {\n %t = f32[8,4] parameter(0)\n %i = s32[3] parameter(1)\n %j = s32[3,1] reshape(%i)\n"
		" %g = f32[3,4] gather(%t, %j), offset_dims={1}, collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=1, slice_sizes={1,4}\n"
		" ROOT %o = f32[3,4] tanh(%g)\n}\n";
	char dist[3000];

	snprintf(dist, sizeof dist,
		 "HloModule d, num_partitions=2\n%%sum {\n %%a = f32[] parameter(0)\n %%b = f32[] parameter(1)\n ROOT %%c = f32[] add(%%a, %%b)\n}\n"
		 "ENTRY %%main {\n %%t = f32[4,4] parameter(0)\n %%i = s32[3] parameter(1)\n %%p = u32[] partition-id()\n %%s = s32[] convert(%%p)\n"
		 " %%n = s32[] constant(4)\n %%m = s32[] multiply(%%s, %%n)\n %%b = s32[3] broadcast(%%m), dimensions={}\n %%l = s32[3] subtract(%%i, %%b)\n"
		 " %%z = s32[] constant(0)\n %%zb = s32[3] broadcast(%%z), dimensions={}\n %%nb = s32[3] broadcast(%%n), dimensions={}\n"
		 " %%ge = pred[3] compare(%%l, %%zb), direction=GE\n %%lt = pred[3] compare(%%l, %%nb), direction=LT\n %%in = pred[3] and(%%ge, %%lt)\n"
		 " %%last = s32[] constant(3)\n %%k = s32[3] clamp(%%z, %%l, %%last)\n %%j = s32[3,1] reshape(%%k)\n"
		 " %%g = f32[3,4] gather(%%t, %%j), offset_dims={1}, collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=1, slice_sizes={1,4}\n"
		 " %%q = pred[3,4] broadcast(%%in), dimensions={0}\n %%f = f32[] constant(0)\n %%fb = f32[3,4] broadcast(%%f), dimensions={}\n"
		 " %%h = f32[3,4] select(%%q, %%g, %%fb)\n"
		 " %%r = f32[3,4] all-reduce(%%h), channel_id=1, replica_groups={{0,1}}, use_global_device_ids=true, to_apply=%%sum\n"
		 " ROOT %%o = f32[3,4] %s(%%r)\n}\n", function);
	return pair_texts(base, dist, "mesh tp=2\ninput 0 tp:S(0)\ninput 1 R\noutput 0 R\n");
}

/* Layers of attention behind a token of their own: what they are multiplied out to is beyond the limit of a row. */
static struct session *layers(bool turned)
{
	char text[2][6000];
	int k, l, n;

	for (k = 0; k < 2; k++) {
		char *t = text[k], *end = t + sizeof text[k];
		n = k ? 2 : 4;
		t += snprintf(t, (size_t)(end - t), "HloModule m%s\nENTRY e {\n x = f32[%d,3,3] parameter(0)\n w = f32[3,3] parameter(1)\n c = f32[1,3] parameter(2)\n"
			      " v = f32[4,3] parameter(3)\n cb = f32[%d,1,3] broadcast(c), dimensions={1,2}\n vb = f32[%d,4,3] broadcast(v), dimensions={1,2}\n"
			      " k = f32[%d,4,3] concatenate(cb, x), dimensions={1}\n h0 = f32[%d,4,3] add(k, vb)\n", k ? ", num_partitions=2" : "", n, n, n, n, n);
		for (l = 0; l < 3; l++)
			t += snprintf(t, (size_t)(end - t), " q%d = f32[%d,4,3] dot(h%d, w), lhs_contracting_dims={2}, rhs_contracting_dims={0}\n"
				      " a%d = f32[%d,4,4] dot(q%d, h%d), lhs_batch_dims={0}, rhs_batch_dims={0}, lhs_contracting_dims={2}, rhs_contracting_dims={2}\n"
				      " y%d = f32[%d,4,3] dot(a%d, h%d), lhs_batch_dims={0}, rhs_batch_dims={0}, lhs_contracting_dims={%d}, rhs_contracting_dims={1}\n"
				      " h%d = f32[%d,4,3] add(h%d, y%d)\n", l, n, l, l, n, l, l, l, n, l, l, turned && k && l == 2 ? 1 : 2, l + 1, n, l, l);
		snprintf(t, (size_t)(end - t), " ROOT out = f32[%d,4,3] copy(h3)\n}\n", n);
	}
	return pair_texts(text[0], text[1], "mesh dp=2\ninput 0 dp:S(0)\ninput 1 R\ninput 2 R\ninput 3 R\noutput 0 dp:S(0)\n");
}

/* .. and proved where sums of more than a few terms are left closed. */
static void test_closed(void **state)
{
	struct session *s;

	(void)state;
	s = layers(false);
	run_line(s, "continue!");
	assert_int_equal(verdict(s), 0);
	run_line(s, "certify");
	assert_int_equal(verdict(s), 0);
	run_line(s, "goto start");
	run_line(s, "continue!");
	assert_int_equal(verdict(s), 0);
	session_free(s);
	s = layers(true);	/* the last layer reads its weights the other way round */
	run_line(s, "continue!");
	assert_int_not_equal(verdict(s), 0);
	session_free(s);
}

/* What is shown of a run's progress. */
struct progress {
	unsigned long long seen;
	int asked, fell;
	bool impatient;		/* with trials */
};

static bool watch_progress(void *ctx, const char *what)
{
	struct progress *p = ctx;
	unsigned long long n = strtoull(what + strcspn(what, "0123456789"), NULL, 10);

	p->asked++;
	if (!strstr(what, "looked at"))
		return false;
	p->fell += n < p->seen;
	p->seen = n;
	return p->impatient && strstr(what, "what may be assumed");
}

static void test_progress_only_grows(void **state)
{
	struct progress p = { .seen = 0 };
	struct session *s = pair_of_a_lookup("logistic");

	(void)state;
	session_set_host(s, &(struct session_host){ .ctx = &p, .busy = watch_progress });
	run_line(s, "continue!");
	assert_int_equal(verdict(s), 1);
	assert_true(p.asked > 5 && p.seen > 0);
	assert_int_equal(p.fell, 0);
	session_free(s);
}

/* A trial that was stopped is made when the run goes on. */
static void test_trials_are_stopped(void **state)
{
	struct progress p = { .impatient = true };
	struct session *s = pair_of_a_lookup("tanh");

	(void)state;
	session_set_host(s, &(struct session_host){ .ctx = &p, .busy = watch_progress });
	run_line(s, "continue!");
	says(s, "interrupted");
	assert_int_not_equal(verdict(s), 0);
	p.impatient = false;
	run_line(s, "continue");
	assert_int_equal(verdict(s), 0);
	assert_true(page_line(s, PAGE_ASSUMPTIONS, "lies in 0..7"));
	session_free(s);
}

/* ---- acts */

static void test_assume(void **state)
{
	struct session *s = pair_open(false);
	char under[32];

	(void)state;
	run_line(s, "continue");
	says(s, "frontier: %add");
	assert_int_equal(mark_of(s, "add"), '!');
	run_line(s, "continue!");
	assert_int_equal(verdict(s), 1);
	assert_int_equal(mark_of(s, "tanh"), '?');
	run_line(s, "assume %dot = base %dot R");
	run_line(s, "continue!");
	assert_int_equal(verdict(s), 4);
	assert_int_equal(mark_of(s, "add"), '*');
	assert_int_equal(mark_of(s, "tanh"), '*');
	assert_int_equal(mark_of(s, "out"), '*');
	assert_int_equal(mark_of(s, "x"), '=');
	assert_string_equal(session_relation(s, SIDE_DIST, row_of(s, SIDE_DIST, "tanh")), "R");
	assert_string_equal(acts_hypotheses(s, under, sizeof under), "A1");
	session_free(s);
}

static void test_hypothesis_is_listed(void **state)
{
	struct session *s = pair_open(false);
	struct report *r;

	(void)state;
	run_line(s, "assume %dot = base %dot R");
	run_line(s, "continue!");
	r = session_report(s, 0);
	assert_int_equal(r->nhypothesis, 1);
	assert_string_equal(r->hypothesis[0], "A1: assume %dot = base %dot R");
	assert_int_equal(r->output[0].nhypothesis, 1);
	report_free(r);
	session_free(s);
}

static void test_assume_is_refused(void **state)
{
	struct session *s = pair_open(false);
	uint64_t before;

	(void)state;
	run_line(s, "continue!");
	before = print_of(s);
	refused_line(s, "assume %dot = base %dot tp:S(1)", "shape");
	refused_line(s, "assume %dot = base %dot pp:S(1)", "pp");
	refused_line(s, "assume %dot base %dot", "'='");
	refused_line(s, "assume %nothing = base %dot", "no instruction");
	refused_line(s, "assume %dot = base %nothing", "BASE has no instruction");
	refused_line(s, "assume base %dot = %dot", "in this order");
	assert_true(print_of(s) == before);
	assert_int_equal(acts_count(s), 0);
	session_free(s);
}

static void test_undo_and_redo(void **state)
{
	struct session *s = pair_open(false);
	uint64_t without, with;

	(void)state;
	run_line(s, "continue!");
	without = print_of(s);
	run_line(s, "assume %dot = base %dot R");
	run_line(s, "continue!");
	with = print_of(s);
	assert_true(with != without);
	run_line(s, "undo");
	assert_true(print_of(s) == without);
	assert_int_equal(verdict(s), 1);
	refused_line(s, "undo", "no act");
	run_line(s, "redo");
	assert_true(print_of(s) == with);
	assert_int_equal(verdict(s), 4);
	refused_line(s, "redo", "nothing");
	session_free(s);
}

static void test_acts_are_replayed(void **state)
{
	struct session *s = pair_open(false);
	uint64_t end;

	(void)state;
	run_line(s, "continue");
	run_line(s, "assume %add = base %add R");
	run_line(s, "continue!");
	end = print_of(s);
	run_line(s, "goto 2");
	assert_false(acts_get(s, 0)->done);
	assert_int_equal(mark_of(s, "add"), '.');
	run_line(s, "continue!");
	assert_true(acts_get(s, 0)->done);
	assert_true(print_of(s) == end);
	run_line(s, "goto A1");
	run_line(s, "continue!");
	assert_true(print_of(s) == end);
	session_free(s);
}

static void test_what_lies_ahead_is_dropped(void **state)
{
	struct session *s = pair_open(false);

	(void)state;
	run_line(s, "continue");
	run_line(s, "assume %add = base %add R");
	run_line(s, "continue!");
	run_line(s, "goto 3");
	run_line(s, "rule off lift-tanh");
	says(s, "what lay ahead is dropped: ");
	says(s, ", 1 act");
	assert_int_equal(acts_count(s), 1);
	assert_int_equal(session_known(s), 3);
	session_free(s);
}

static void test_retract(void **state)
{
	struct session *s = pair_open(true);
	uint64_t plain;

	(void)state;
	run_line(s, "continue!");
	plain = print_of(s);
	run_line(s, "goto start");
	run_line(s, "rule off lift-dot");
	run_line(s, "rule on lift-dot");
	run_line(s, "rule off lift-add");
	run_line(s, "continue!");
	assert_true(print_of(s) != plain);
	run_line(s, "retract A1");
	says(s, "no longer applies: A2 (it is on already)");
	assert_non_null(acts_get(s, 0)->failed);
	run_line(s, "retract A3");
	run_line(s, "retract A2");
	assert_int_equal(acts_count(s), 0);
	assert_true(print_of(s) == plain);
	refused_line(s, "retract A1", "no act A1");
	refused_line(s, "retract x", "as A4");
	session_free(s);
}

static void test_rule_off(void **state)
{
	struct session *s = pair_open(true);

	(void)state;
	run_line(s, "rule off lift-dot");
	refused_line(s, "rule off lift-dot", "off already");
	refused_line(s, "rule off no-such-rule", "no rule");
	refused_line(s, "rule turn lift-dot", "rule on NAME");
	run_line(s, "continue!");
	assert_int_not_equal(verdict(s), 0);
	run_line(s, "undo");
	assert_int_equal(verdict(s), 0);
	session_free(s);
}

static void test_contradiction(void **state)
{
	struct session *s;
	struct problem_files f = { NULL, NULL, NULL, SRCDIR "/rules", false };
	struct diag err;

	(void)state;
	f.base = pair_write("two.base.hlo", "HloModule m\nENTRY %main {\n  %a = f32[] constant(2)\n  %x = f32[] parameter(0)\n"
			    "  ROOT %o = f32[] multiply(%x, %a)\n}\n");
	f.dist = pair_write("two.dist.hlo", "HloModule m, num_partitions=2\nENTRY %main {\n  %a = f32[] constant(3)\n"
			    "  %x = f32[] parameter(0)\n  ROOT %o = f32[] multiply(%x, %a)\n}\n");
	s = session_new(&f, &err);
	assert_non_null(s);
	run_line(s, "continue!");
	assert_int_equal(verdict(s), 1);
	run_line(s, "assume %a = base %a R");
	run_line(s, "continue!");
	says(s, "stopped: 2 = 3 follows");
	run_line(s, "why");
	run_line(s, "continue!");
	says(s, "stopped");
	run_line(s, "undo");
	run_line(s, "continue!");
	says(s, "unknown");
	session_free(s);
}

static void test_reload(void **state)
{
	struct session *s = pair_open(false);
	uint64_t with;

	(void)state;
	run_line(s, "continue");
	run_line(s, "assume %add = base %add R");
	run_line(s, "continue!");
	with = print_of(s);
	run_line(s, "reload");
	says(s, "none has changed");
	assert_true(print_of(s) == with);
	assert_int_equal(verdict(s), 4);
	session_free(s);
}

/* ---- breakpoints */

static void test_breakpoints(void **state)
{
	struct session *s = pair_open(true);
	enum program_side side;
	int row;

	(void)state;
	run_line(s, "break base %tanh");
	run_line(s, "break rule lift-multiply");
	run_line(s, "break union %tanh base %tanh");
	run_line(s, "continue");
	says(s, "breakpoint 1");
	assert_true(session_busy_row(s, &side, &row) && side == SIDE_BASE && row == row_of(s, SIDE_BASE, "tanh"));
	run_line(s, "continue");
	says(s, "breakpoint 2");
	run_line(s, "delete 2");
	run_line(s, "continue");
	says(s, "breakpoint 3");
	assert_int_equal(session_break(s, 1)->hits, 1);
	refused_line(s, "delete 9", "no breakpoint 9");
	run_line(s, "delete");
	run_line(s, "continue");
	says(s, "proved");
	session_free(s);
}

/* ---- rows side by side */

static void check_lines(struct session *s)
{
	int next[2] = { 0, 0 }, side;
	size_t i;

	for (i = 0; i < session_nline(s); i++) {
		struct session_line line, *l = &line;
		session_line(s, i, l);
		for (side = 0; side < 2; side++) {
			if (l->row[side] < 0)
				continue;
			assert_int_equal(l->row[side], next[side]);
			next[side] += l->n[side];
			assert_int_equal(session_line_of(s, (enum program_side)side, l->row[side]), i);
		}
		assert_true(l->row[0] >= 0 || l->row[1] >= 0);
	}
	assert_int_equal(next[0], session_program(s, SIDE_BASE)->nrow);
	assert_int_equal(next[1], session_program(s, SIDE_DIST)->nrow);
}

static void test_alignment(void **state)
{
	struct session *s = pair_sample("attention", "broken");
	int dot;

	(void)state;
	run_line(s, "fold none");
	check_lines(s);
	/* before anything is known by names, afterwards by correspondence */
	dot = row_of(s, SIDE_DIST, "dot");
	assert_int_equal(session_partner(s, SIDE_DIST, dot), row_of(s, SIDE_BASE, "dot"));
	run_line(s, "continue!");
	check_lines(s);
	assert_int_equal(session_partner(s, SIDE_DIST, dot), row_of(s, SIDE_BASE, "dot"));
	session_free(s);
}

static void line_of(struct session *s, const char *row, struct session_line *l)
{
	session_line(s, session_line_of(s, SIDE_DIST, row_of(s, SIDE_DIST, row)), l);
}

static void test_extra_row_faces_nothing(void **state)
{
	struct session *s = pair_open(true);
	struct session_line l;

	(void)state;
	line_of(s, "all-reduce", &l);
	assert_int_equal(l.row[SIDE_BASE], -1);
	/* of two that hold a baseline row the first stays beside it, when both are known */
	run_line(s, "continue!");
	line_of(s, "dot", &l);
	assert_int_equal(l.row[SIDE_BASE], row_of(s, SIDE_BASE, "dot"));
	line_of(s, "all-reduce", &l);
	assert_int_equal(l.row[SIDE_BASE], -1);
	session_free(s);
}

static void test_selection(void **state)
{
	struct session *s = pair_open(true);
	const struct selection *sel;

	(void)state;
	run_line(s, "select base %tanh");
	sel = session_selection(s);
	assert_int_equal(sel->side, SIDE_BASE);
	assert_int_equal(sel->row[SIDE_DIST], row_of(s, SIDE_DIST, "tanh"));
	run_line(s, "select %add");
	assert_int_equal(session_selection(s)->row[SIDE_BASE], row_of(s, SIDE_BASE, "add"));
	run_line(s, "find act/mul");
	assert_int_equal(session_selection(s)->row[SIDE_DIST], row_of(s, SIDE_DIST, "out"));
	refused_line(s, "find nothing like it", "no row");
	refused_line(s, "select %nothing", "no instruction");
	session_free(s);
}

static void test_folds(void **state)
{
	struct session *s = pair_open(true);
	size_t all = session_nline(s);
	struct session_line l;

	(void)state;
	run_line(s, "select %dot");
	run_line(s, "fold group");
	check_lines(s);
	line_of(s, "add", &l);
	assert_true(l.fold);
	assert_string_equal(l.label, "mlp");
	assert_int_equal(l.n[SIDE_DIST], 3);
	assert_int_equal(l.n[SIDE_BASE], 2);
	run_line(s, "fold out");
	line_of(s, "out", &l);
	assert_true(l.fold);
	assert_string_equal(l.label, "layer");
	run_line(s, "fold");
	assert_int_equal(session_nline(s), all);
	run_line(s, "select %dot");
	run_line(s, "fold groups");		/* mlp and act */
	check_lines(s);
	line_of(s, "tanh", &l);
	assert_true(l.fold);
	assert_string_equal(l.label, "act");
	line_of(s, "dot", &l);
	assert_string_equal(l.label, "mlp");
	run_line(s, "fold none");
	run_line(s, "continue!");
	run_line(s, "fold runs");
	check_lines(s);
	assert_true(session_nline(s) < all);
	run_line(s, "fold none");
	assert_int_equal(session_nline(s), all);
	session_free(s);
}

/* A loop is named as one, not by the scope that all of its rows share. */
static void test_fold_of_a_loop(void **state)
{
	static const char text[] = "HloModule m\n"
		"%body (s: (s32[], f32[4])) -> (s32[], f32[4]) {\n"
		"  %s = (s32[], f32[4]) parameter(0), metadata={op_name=\"jit(f)/carry\"}\n"
		"  %i = s32[] get-tuple-element(%s), index=0\n"
		"  %x = f32[4] get-tuple-element(%s), index=1\n"
		"  %one = s32[] constant(1), metadata={op_name=\"jit(f)/next/one\"}\n"
		"  %j = s32[] add(%i, %one), metadata={op_name=\"jit(f)/next/add\"}\n"
		"  %t = f32[4] tanh(%x), metadata={op_name=\"jit(f)/act/tanh\"}\n"
		"  ROOT %r = (s32[], f32[4]) tuple(%j, %t)\n"
		"}\n"
		"%cond (s: (s32[], f32[4])) -> pred[] {\n"
		"  %s = (s32[], f32[4]) parameter(0)\n"
		"  %i = s32[] get-tuple-element(%s), index=0\n"
		"  %n = s32[] constant(2)\n"
		"  ROOT %lt = pred[] compare(%i, %n), direction=LT\n"
		"}\n"
		"ENTRY %main (x: f32[4]) -> f32[4] {\n"
		"  %x = f32[4] parameter(0)\n"
		"  %zero = s32[] constant(0)\n"
		"  %in = (s32[], f32[4]) tuple(%zero, %x)\n"
		"  %loop = (s32[], f32[4]) while(%in), condition=%cond, body=%body\n"
		"  %y = f32[4] get-tuple-element(%loop), index=1\n"
		"  ROOT %z = f32[4] negate(%y)\n"
		"}\n";
	struct session *s = pair_texts(text, text, "mesh dev=1\n");
	struct session_line l;

	(void)state;
	run_line(s, "continue!");
	run_line(s, "select %loop/%one");
	run_line(s, "fold none");
	run_line(s, "fold group");
	line_of(s, "loop/%j", &l);
	assert_string_equal(l.label, "next");
	run_line(s, "fold out");
	line_of(s, "loop/%t", &l);
	assert_true(l.fold);
	assert_string_equal(l.label, "loop, 2 trips");
	run_line(s, "fold none");
	run_line(s, "select %loop/%t");
	run_line(s, "fold groups");
	line_of(s, "loop/%j", &l);
	assert_true(l.fold);
	assert_string_equal(l.label, "loop, 2 trips");
	session_free(s);
}

static void test_fold_shows_the_worst(void **state)
{
	struct session *s = pair_open(false);
	struct session_line l;

	(void)state;
	run_line(s, "continue!");
	run_line(s, "select %dot");
	run_line(s, "fold group");
	line_of(s, "add", &l);
	assert_true(l.fold);
	assert_int_equal(l.mark[SIDE_DIST], '!');
	/* going to the frontier opens the fold */
	run_line(s, "frontier next");
	line_of(s, "add", &l);
	assert_false(l.fold);
	session_free(s);
}

/* ---- back by passes and stops */

static void test_reverse_iterate(void **state)
{
	struct session *s = pair_sample("attention", "broken");
	uint32_t at[4], k;

	(void)state;
	refused_line(s, "reverse-iterate", "no `iterate`");
	for (k = 0; k < 4; k++) {
		at[k] = session_step(s);
		run_line(s, "iterate");
	}
	for (k = 4; k-- > 0; ) {
		uint32_t before = session_step(s);
		if (before == at[k])
			continue;
		run_line(s, "reverse-iterate");
		assert_int_equal(session_step(s), at[k]);
	}
	session_free(s);
}

static void test_reverse_continue(void **state)
{
	struct session *s = pair_sample("attention", "broken");
	uint32_t stop, brk;

	(void)state;
	run_line(s, "break %rsqrt");
	run_line(s, "continue");
	brk = session_step(s);
	run_line(s, "continue");
	stop = session_step(s);
	assert_true(stop > brk && brk > 0);
	run_line(s, "continue!");
	run_line(s, "reverse-continue");
	assert_int_equal(session_step(s), stop);
	assert_int_equal(session_nfrontier(s), 1);
	assert_int_equal(session_selection(s)->row[SIDE_DIST], session_frontier(s, 0));
	run_line(s, "reverse-continue");
	assert_int_equal(session_step(s), brk);
	run_line(s, "reverse-continue");
	assert_int_equal(session_step(s), 0);
	refused_line(s, "reverse-continue", "the start");
	session_free(s);
}

/* ---- what is taken for granted */

static struct session *tenth(const char *literal, const char *divisor)
{
	static const char text[] = "HloModule m%s\n\nENTRY %%main {\n  %%x = f32[4]{0} parameter(0)\n  %%c = f32[] constant(%s)\n"
		"  %%b = f32[4]{0} broadcast(%%c), dimensions={}\n  ROOT %%o = f32[4]{0} %s(%%x, %%b)\n}\n";
	char base[512], dist[512];
	struct problem_files f = { .rules = SRCDIR "/rules" };
	struct session *s;
	struct diag err;

	snprintf(base, sizeof base, text, "", literal, "multiply");
	snprintf(dist, sizeof dist, text, ", num_partitions=2", divisor, "divide");
	f.base = pair_write("tenth.base.hlo", base);
	f.dist = pair_write("tenth.dist.hlo", dist);
	f.plan = pair_write("tenth.plan", "mesh tp=2\ninput 0 R\noutput 0 R\n");
	s = session_new(&f, &err);
	assert_non_null(s);
	run_line(s, "continue!");
	return s;
}

static bool is_granted(struct session *s, const char *sentence)
{
	struct report *r = session_report(s, 0);
	bool found = false;
	int k;

	assert_int_equal(report_exit(r), 0);
	for (k = 0; k < r->nassumption; k++)
		found = found || !strcmp(r->assumption[k], sentence);
	assert_true(found || !r->nassumption);
	report_free(r);
	return found;
}

/* A literal that stands for a fraction is shown with both values, one that is what it says is not. */
static void test_readings_are_listed(void **state)
{
	struct session *s = tenth("0.1", "10");

	(void)state;
	assert_true(is_granted(s, "the literal 0.100000001 is read as 1/10"));
	session_free(s);
	s = tenth("0.5", "2");
	assert_false(is_granted(s, "the literal 0.5 is read as 1/2"));
	session_free(s);
	s = tenth("0.213200718", "4.69041586");		/* one is the other's inverse, rounded */
	assert_true(is_granted(s, "the literal 4.69041586 is read as 18499/3944"));
	session_free(s);
	s = tenth("0.213200718", "4.69041634");		/* by D11, in the proof */
	assert_true(is_granted(s, "1/4.69041634 is read as 0.213200718"));
	session_free(s);
}

/* ---- sources */

static void test_missing_source(void **state)
{
	struct session *s = pair_open(true);
	const struct source_file *f = sources_open(session_sources(s), "/old/place/model.py");

	(void)state;
	assert_null(f->path);
	assert_string_equal(f->tried[0], "/old/place/model.py");
	assert_string_equal(f->propose, "set substitute-path /old/place ");
	session_free(s);
}

static void test_substitute_path(void **state)
{
	struct session *s = pair_open(true);
	const struct source_file *f;
	char line[300];

	(void)state;
	pair_write("model.txt", "one\ntwo\r\nthree");
	/* a prefix ends at a slash; a rule whose result does not exist is passed over */
	snprintf(line, sizeof line, "set substitute-path /old/pl %s", pair_folder());
	run_line(s, line);
	run_line(s, "set substitute-path /old /nowhere");
	snprintf(line, sizeof line, "set substitute-path /old/place/ %s/", pair_folder());
	run_line(s, line);
	f = sources_open(session_sources(s), "/old/place/model.txt");
	assert_non_null(f->path);
	assert_int_equal(f->nline, 3);
	assert_string_equal(f->line[1], "two");
	assert_string_equal(f->line[2], "three");
	assert_int_equal(f->ntried, 2);
	run_line(s, "unset substitute-path /old/place");
	assert_null(sources_open(session_sources(s), "/old/place/else.txt")->path);
	session_free(s);
}

static void test_directory(void **state)
{
	struct session *s = pair_sample("attention", "broken");
	char line[300];

	(void)state;
	pair_write("far.txt", "here\n");
	assert_null(sources_open(session_sources(s), "/gone/far.txt")->path);
	snprintf(line, sizeof line, "directory %s", pair_folder());
	run_line(s, line);
	assert_non_null(sources_open(session_sources(s), "/gone/far.txt")->path);
	run_line(s, "directory");
	assert_null(sources_open(session_sources(s), "/gone/far.txt")->path);
	/* the folder of the programs is always looked in */
	assert_non_null(sources_open(session_sources(s), "attention.py")->path);
	session_free(s);
}

/* What the first line that holds the words leads to. */
static void check_opens(struct session *s, enum session_page k, const char *words, const char *command)
{
	char text[2000];
	struct page p;
	size_t i = 0;

	page_init(&p);
	session_page(s, k, &p);
	while (i < page_count(&p) && !strstr(page_text(&p, i, text, sizeof text), words))
		i++;
	assert_true(i < page_count(&p));
	assert_string_equal(page_line_at(&p, i)->open, command);
	page_release(&p);
}

/* Lines of `why` lead to where it happened; what was there before the run, to its row. */
static void test_why_leads_on(void **state)
{
	struct session *s = pair_sample("attention", "broken");

	(void)state;
	run_line(s, "continue");
	run_line(s, "select %multiply.2");
	check_opens(s, PAGE_WHY, "given               %Arg_0", "select %Arg_0");
	check_opens(s, PAGE_WHY, "given               base %Arg_3", "select base %Arg_3");
	check_opens(s, PAGE_WHY, "lift-multiply       base %multiply", "goto 1");
	session_free(s);
}

static void test_frames(void **state)
{
	frame outer = { "/home/u/train.py", "main", 9, 0, 0, 0, NULL };
	frame middle = { "/home/u/layers/helper.py", "helper", 5, 0, 0, 0, &outer };
	frame inner = { "/usr/lib/python3.11/site-packages/jax/lax.py", "dot", 100, 0, 0, 0, &middle };
	inst i = { .frame = &inner };
	struct sources *s = sources_new();
	int up = 0;

	(void)state;
	assert_ptr_equal(sources_frame(s, &i, &up), &middle);
	up = 1;
	assert_ptr_equal(sources_frame(s, &i, &up), &outer);
	up = 7;
	assert_ptr_equal(sources_frame(s, &i, &up), &outer);
	assert_int_equal(up, 1);
	up = -1;
	assert_ptr_equal(sources_frame(s, &i, &up), &inner);
	sources_skip(s, "helper.py");
	up = 0;
	assert_ptr_equal(sources_frame(s, &i, &up), &outer);
	sources_skip(s, NULL);
	assert_ptr_equal(sources_frame(s, &i, &up), &middle);
	i.frame = NULL;
	assert_null(sources_frame(s, &i, &up));
	sources_free(s);
}

/* Where no file is found the frames are listed all the same, as `up` and `down` count them, and lead to each other. */
static void test_frames_lead_on(void **state)
{
	static const char text[] =
		"HloModule m\n\nFileNames\n1 \"/u/model.py\"\n2 \"/u/site-packages/lib.py\"\n3 \"/u/train.py\"\n\n"
		"FunctionNames\n1 \"forward\"\n\nFileLocations\n"
		"1 {file_name_id=1 function_name_id=1 line=12 end_line=12 column=1 end_column=9}\n"
		"2 {file_name_id=2 function_name_id=1 line=34 end_line=34 column=1 end_column=9}\n"
		"3 {file_name_id=3 function_name_id=1 line=56 end_line=56 column=1 end_column=9}\n\nStackFrames\n"
		"1 {file_location_id=3 parent_frame_id=1}\n2 {file_location_id=2 parent_frame_id=2}\n3 {file_location_id=1 parent_frame_id=3}\n\n"
		"ENTRY %main {\n  %x = f32[4] parameter(0)\n  ROOT %y = f32[4] tanh(%x), metadata={op_name=\"y\" stack_frame_id=3}\n}\n";
	struct session *s = pair_texts(text, text, "output 0 R\n");

	(void)state;
	run_line(s, "select %y");
	assert_true(page_line(s, PAGE_SOURCE, "/u/model.py:12 is not found"));
	assert_true(page_line(s, PAGE_SOURCE, "> #0 model.py:12 in forward  /u/"));
	assert_true(page_line(s, PAGE_SOURCE, "1 frame of libraries is hidden"));
	check_opens(s, PAGE_SOURCE, "#2 train.py:56 in forward", "up 2");
	run_line(s, "up 2");
	check_opens(s, PAGE_SOURCE, "#0 model.py:12 in forward", "down 2");
	session_free(s);
}

/* A collective that no frame or only a library's tells of is told by the nearest operand with a line of the user's. */
static void test_teller(void **state)
{
	frame library = { "/v/site-packages/torch_xla/core/xla_model.py", "all_reduce", 446, 0, 0, 0, NULL };
	frame model = { "/home/u/model.py", "forward", 12, 0, 0, 0, NULL }, far = { "/home/u/far.py", "f", 3, 0, 0, 0, NULL };
	inst input = { .opcode = OP_PARAMETER, .frame = &far }, deep = { .opcode = OP_DOT, .frame = &far }, dot = { .opcode = OP_DOT, .frame = &model };
	inst *of_dot[] = { &deep }, *of_tuple[] = { &input, &dot }, *of_reduce[] = { NULL };
	inst tuple = { .opcode = OP_TUPLE, .noperand = 2, .operand = of_tuple, .frame = &library };
	inst reduce = { .opcode = OP_ALL_REDUCE, .noperand = 1, .operand = of_reduce, .frame = &library };
	struct sources *s = sources_new();

	(void)state;
	dot.noperand = 1;
	dot.operand = of_dot;
	of_reduce[0] = &tuple;
	assert_ptr_equal(sources_teller(s, &reduce), &dot);
	assert_ptr_equal(sources_teller(NULL, &reduce), &dot);
	assert_ptr_equal(sources_teller(s, &dot), &dot);
	sources_skip(s, "model.py");
	assert_ptr_equal(sources_teller(s, &reduce), &deep);
	sources_skip(s, "far.py");
	assert_ptr_equal(sources_teller(s, &reduce), &reduce);
	reduce.frame = NULL;		/* what a compiler put there */
	assert_ptr_equal(sources_teller(s, &reduce), &reduce);
	assert_ptr_equal(sources_teller(NULL, &reduce), &dot);
	sources_free(s);
}

/* Every row is found at the line of its frame, in order; where another frame counts, there. */
static void check_source_lines(struct session *s, enum program_side side)
{
	const program *p = session_program(s, side);
	struct sources *src = session_sources(s);
	struct source_lines *x = source_lines_new(src, p);
	int r, k, n = 0;

	for (r = 0; r < p->nrow; r++) {
		int up = 0;
		const frame *f = sources_frame(src, p->row[r].inst, &up);

		if (!f)
			continue;
		n++;
		for (k = source_lines_first(x, f->file, f->line); k >= 0 && k < r; k = source_lines_next(x, k))
			assert_true(source_lines_next(x, k) > k);
		assert_int_equal(k, r);
		assert_int_equal(source_lines_first(x, f->file, 100000), -1);
	}
	assert_true(n > 20);
	assert_int_equal(source_lines_first(x, "no such file", 1), -1);
	source_lines_free(x);
}

static void test_source_lines(void **state)
{
	struct session *s = pair_sample("attention", "broken");
	unsigned forgotten;

	(void)state;
	check_source_lines(s, SIDE_BASE);
	check_source_lines(s, SIDE_DIST);
	forgotten = sources_forgotten(session_sources(s));
	run_line(s, "skip file attention*");
	assert_true(sources_forgotten(session_sources(s)) != forgotten);
	check_source_lines(s, SIDE_DIST);
	session_free(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define T(name) cmocka_unit_test(name)
		T(test_every_step_back_and_forth), T(test_rows_look_the_same_on_every_way), T(test_blocks_come_and_go), T(test_readings_are_listed), T(test_reverse_iterate), T(test_reverse_continue), T(test_goto), T(test_next), T(test_continue_passes_by), T(test_closed), T(test_continue_stops_at_each), T(test_continue_stops_at_what_is_blamed), T(test_continue_is_provisional), T(test_progress_only_grows), T(test_trials_are_stopped), T(test_assume), T(test_hypothesis_is_listed),
		T(test_assume_is_refused), T(test_undo_and_redo), T(test_acts_are_replayed), T(test_what_lies_ahead_is_dropped),
		T(test_retract), T(test_rule_off), T(test_contradiction), T(test_reload), T(test_breakpoints), T(test_alignment),
		T(test_extra_row_faces_nothing), T(test_selection), T(test_folds), T(test_fold_of_a_loop), T(test_fold_shows_the_worst),
		T(test_missing_source), T(test_substitute_path), T(test_directory), T(test_why_leads_on), T(test_frames), T(test_frames_lead_on), T(test_teller), T(test_source_lines),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
