/* Proofs as files: every proof that is written holds when it is read again, a
 * file that was changed is refused at its place, and no change - the hash made
 * right again - lets the proof of a right program hold for a wrong one.  Pairs:
 * samples/, and ../shared where it is. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>
#include <glob.h>
#include "pair/level.h"
#include "pair_files.h"
#include "proof/proof_file.h"
#include "util/hash.h"

#ifndef SRCDIR
#define SRCDIR "."
#endif
#define SAMPLE(x) SRCDIR "/samples/" x

static char path[] = "/tmp/diverge-proof-XXXXXX";
static uint64_t rng = 0x2545f4914f6cdd1dull;

static uint64_t draw(uint64_t n)
{
	rng ^= rng << 13;
	rng ^= rng >> 7;
	rng ^= rng << 17;
	return rng % n;
}

struct text {
	char *s;
	size_t n;
};

static struct problem *load(const char *base, const char *dist, const char *plan)
{
	struct problem_files f = { .base = base, .dist = dist, .plan = plan };
	struct problem *p;
	struct diag d;

	p = problem_load(&f, &d);
	if (!p)
		fail_msg("%s: %s", dist, d.message);
	return p;
}

/* The proof of what the exact rules and the search prove; *met: goals. */
static struct text prove(const char *base, const char *dist, const char *plan, int *met)
{
	struct problem *p = load(base, dist, plan);
	struct text t = { NULL, 0 };
	FILE *f = open_memstream(&t.s, &t.n);
	levels l;
	const char *why;

	pair_run(p->q);
	level_init(&l, p->q);
	level_run(&l);
	*met = problem_goals_met(p);
	why = proof_write(f, p, NULL, NULL);
	fclose(f);
	if (why)
		fail_msg("%s: %s", dist, why);
	level_free(&l);
	problem_free(p);
	return t;
}

static enum proof_outcome check(const struct text *t, const char *base, const char *dist, const char *plan, struct diag *d)
{
	struct problem *p = load(base, dist, plan);
	FILE *f = fopen(path, "w");
	enum proof_outcome r;
	struct page page;

	assert_non_null(f);
	fwrite(t->s, 1, t->n, f);
	fclose(f);
	page_init(&page);
	memset(d, 0, sizeof *d);
	r = proof_file_check(p, path, &page, d);
	page_release(&page);
	problem_free(p);
	return r;
}

/* ---- what is written holds */

static void round_trip(const char *base, const char *dist, const char *plan)
{
	struct diag d;
	int met;
	struct text t = prove(base, dist, plan, &met);
	enum proof_outcome r = check(&t, base, dist, plan, &d);

	if (r == PROOF_BAD)
		fail_msg("%s: line %d, column %d: %s", dist, d.line, d.column, d.message);
	if (r == PROOF_TOO_LARGE)
		fail_msg("%s: too large", dist);
	free(t.s);
}

static int round_trips(const char *pattern)
{
	char base[512], plan[512];
	glob_t found;
	size_t i, n;

	if (glob(pattern, 0, NULL, &found))
		return 0;
	for (i = 0; i < found.gl_pathc; i++) {
		const char *dist = found.gl_pathv[i];
		int len = (int)(strchr(strrchr(dist, '/'), '.') - dist);
		snprintf(base, sizeof base, "%.*s.base.hlo", len, dist);
		snprintf(plan, sizeof plan, "%.*s.fixed.plan", len, dist);
		if (!strstr(dist, ".fixed.") || access(plan, R_OK))
			snprintf(plan, sizeof plan, "%.*s.plan", len, dist);
		round_trip(base, dist, plan);
	}
	n = found.gl_pathc;
	globfree(&found);
	return (int)n;
}

static void holds(const char *name, const char *folder)
{
	char f[3][256];
	struct text t;
	struct diag d;
	int met, k;

	for (k = 0; k < 3; k++)
		snprintf(f[k], sizeof f[k], SRCDIR "/../shared/corpus/%s/%s%s", folder, name, k == 0 ? ".base.hlo" : k == 1 ? ".dist.hlo" : ".plan");
	if (access(f[0], R_OK))
		return;
	t = prove(f[0], f[1], f[2], &met);
	assert_true(met > 0);
	if (check(&t, f[0], f[1], f[2], &d) != PROOF_HOLDS)
		fail_msg("%s: line %d: %s", name, d.line, d.message);
	free(t.s);
}

/* Steps that rest on what is finite or positive: masked maxima, variances, what loops carry. */
static void test_finite(void **state)
{
	(void)state;
	holds("uneven-tp2", "jax");
	holds("llama-loss-dp2tp2", "jax");
	holds("seq-parallel-tp4", "torch");
	holds("dtensor-sp-tp2", "torch");
}

static void test_round_trip(void **state)
{
	(void)state;
	assert_true(round_trips(SRCDIR "/samples/*.dist.hlo") >= 2);
	round_trips(SRCDIR "/samples/*.broken.hlo");
	round_trips(SRCDIR "/../shared/cases/*.fixed.hlo");
	round_trips(SRCDIR "/../shared/cases/*.dist.hlo");
	if (!access(SRCDIR "/../shared/corpus/hlo/pp-linear-pp2.hlo", R_OK)) {	/* hypotheses, and inputs that hold inner values */
		round_trip(SRCDIR "/../shared/corpus/hlo/pp-linear-pp1.hlo", SRCDIR "/../shared/corpus/hlo/pp-linear-pp2.hlo",
			   SRCDIR "/../shared/corpus/hlo/pp-linear-pp2.plan");
		round_trip(SRCDIR "/../shared/corpus/neuron-llama/tp1_layer1.hlo", SRCDIR "/../shared/corpus/neuron-llama/tp2_layer1.hlo",
			   SRCDIR "/../shared/corpus/neuron-llama/tp2_layer1.plan");
	}
}

/* ---- what was changed is refused */

static const char *const mlp[] = { SAMPLE("mlp.base.hlo"), SAMPLE("mlp.dist.hlo"), SAMPLE("mlp.plan"), SAMPLE("mlp.broken.hlo") };
static const char *const attention[] = { SAMPLE("attention.base.hlo"), SAMPLE("attention.dist.hlo"), SAMPLE("attention.plan"),
	SAMPLE("attention.broken.hlo") };

static struct text copy(const struct text *t, size_t more)
{
	struct text c = { malloc(t->n + more + 1), t->n };

	memcpy(c.s, t->s, t->n + 1);
	return c;
}

static void test_bytes(void **state)
{
	int met, k;
	struct text t = prove(mlp[0], mlp[1], mlp[2], &met), c;
	struct diag d;

	(void)state;
	for (k = 0; k < 150; k++) {
		size_t at = draw(t.n);
		c = copy(&t, 0);
		c.s[at] = (char)(c.s[at] == '#' ? '0' : " 0123456789[]()\"#\nabz\\-*"[draw(24)]);
		if (c.s[at] == t.s[at])
			c.s[at] ^= 1;
		if (check(&c, mlp[0], mlp[1], mlp[2], &d) != PROOF_BAD)
			fail_msg("byte %zu may be '%c' instead of '%c'", at, c.s[at], t.s[at]);
		assert_true(d.line > 0 && d.column > 0 && *d.message);
		free(c.s);
	}
	for (k = 0; k < 40; k++) {	/* cut off */
		c = copy(&t, 0);
		c.n = draw(t.n);
		assert_int_equal(check(&c, mlp[0], mlp[1], mlp[2], &d), PROOF_BAD);
		assert_true((d.line > 0 && d.column > 0) || !c.n);
		free(c.s);
	}
	c = copy(&t, 0);	/* behind a whole line: what misses is said to miss because of the end */
	for (c.n = t.n / 2; c.n && c.s[c.n - 1] != '\n'; c.n--)
		;
	assert_int_equal(check(&c, mlp[0], mlp[1], mlp[2], &d), PROOF_BAD);
	assert_non_null(strstr(d.message, "the file ends here"));
	free(c.s);
	free(t.s);
}

/* Words of the text but for the last line. */
struct word { size_t at, n, line; };

static int words_of(const struct text *t, struct word *w, int most)
{
	size_t i = 0, line = 1, end = t->n;
	int n = 0;

	while (end > 1 && t->s[end - 2] != '\n')
		end--;
	while (i < end && n < most) {
		if (t->s[i] == '\n')
			line++;
		if (t->s[i] == ' ' || t->s[i] == '\n') {
			i++;
			continue;
		}
		w[n].at = i;
		w[n].line = line;
		while (i < end && t->s[i] != ' ' && t->s[i] != '\n')
			i++;
		w[n].n = i - w[n].at;
		n++;
	}
	return n;
}

/* The last line again, for what stands before it. */
static void hash_again(struct text *t)
{
	size_t end = t->n;

	while (end > 1 && t->s[end - 2] != '\n')
		end--;
	end--;
	t->n = end + (size_t)sprintf(t->s + end, "end %016llx\n", (unsigned long long)hash_bytes(t->s, end, 1));
}

static bool is_number(const struct text *t, const struct word *w)
{
	size_t i;

	for (i = 0; i < w->n && t->s[w->at + i] >= '0' && t->s[w->at + i] <= '9'; i++)
		;
	return i == w->n;
}

/* A number becomes another one, or a word one of the others; the hash is right. */
static struct text change(const struct text *t, const struct word *w, int n, const struct word **which)
{
	const struct word *x = *which ? *which : &w[draw((uint64_t)n)], *y = &w[draw((uint64_t)n)];
	struct text c = copy(t, 128);
	char by[80];
	int len;

	*which = x;
	if (is_number(t, x))
		len = snprintf(by, sizeof by, "%lld", atoll(t->s + x->at) + (draw(2) ? 1 : (long long)draw(40) - 20));
	else
		len = snprintf(by, sizeof by, "%.*s", (int)(y->n > 79 ? 79 : y->n), t->s + y->at);
	memmove(c.s + x->at + len, c.s + x->at + x->n, t->n - x->at - x->n + 1);
	memcpy(c.s + x->at, by, (size_t)len);
	c.n = t->n + (size_t)len - x->n;
	c.s[c.n] = 0;
	hash_again(&c);
	return c;
}

/* Whatever is changed in the proof of the right program, it never holds for the wrong one. */
static void wrong_program(const char *const *pair, int rounds)
{
	int met, n, k;
	struct text t = prove(pair[0], pair[1], pair[2], &met), c;
	struct word *w = calloc(t.n, sizeof *w);
	const struct word *which;
	struct diag d;

	assert_true(met > 0);
	assert_int_equal(check(&t, pair[0], pair[3], pair[2], &d), PROOF_BAD);
	assert_true(d.line > 0 && d.column > 0);
	n = words_of(&t, w, (int)t.n);
	for (k = 0; k < rounds; k++) {
		which = NULL;
		c = change(&t, w, n, &which);
		assert_int_equal(check(&c, pair[0], pair[3], pair[2], &d), PROOF_BAD);
		assert_true(d.line > 0 && d.column > 0 && *d.message);
		/* of the right one it may: another node that is equal, a premise more */
		if (check(&c, pair[0], pair[1], pair[2], &d) == PROOF_BAD)
			assert_true(d.line > 0 && d.column > 0 && *d.message);
		free(c.s);
	}
	free(w);
	free(t.s);
}

static void test_wrong_program(void **state)
{
	(void)state;
	wrong_program(mlp, 120);
	wrong_program(attention, 120);
}

/* ---- numbers of one step, the hash right: which step does not hold is said */

static uint32_t up[4096];

static uint32_t find(uint32_t x)
{
	while (up[x] != x)
		x = up[x];
	return x;
}

/* What the whole file says is equal, by the numbers in it. */
static void read_unions(const struct text *t)
{
	const char *s = t->s;
	unsigned x, y;
	char rule[64];

	for (x = 0; x < 4096; x++)
		up[x] = x;
	while (*s) {
		if (sscanf(s, "rule \"%63[^\"]\" %u %u", rule, &x, &y) == 3 || sscanf(s, "given %u %u", &x, &y) == 2 ||
		    sscanf(s, "congruence %u %u", &x, &y) == 2)
			up[find(x)] = find(y);
		s += strcspn(s, "\n");
		s += *s == '\n';
	}
}

/* The result of a rule becomes a node that nothing says is equal: the file is refused, and for this step, but for some
 * that are too large for numbers, after which another one does not fit. */
static void test_result(void **state)
{
	int met, n, k, tried = 0, named = 0;
	struct text t = prove(mlp[0], mlp[1], mlp[2], &met), c;
	struct word *w = calloc(t.n, sizeof *w);
	struct diag d;

	(void)state;
	n = words_of(&t, w, (int)t.n);
	read_unions(&t);
	for (k = 0; k + 4 < n && tried < 60; k++) {
		const struct word *which;
		uint32_t was;
		char *end;
		bool rule = w[k].n == 4 && !strncmp(t.s + w[k].at, "rule", 4);
		while (rule && !is_number(&t, &w[k]))	/* names may have blanks */
			k++;
		if (!rule || draw(2))
			continue;
		which = &w[k + 1];
		was = (uint32_t)atoi(t.s + which->at);
		c = change(&t, w, n, &which);
		if (find((uint32_t)strtoul(c.s + which->at, &end, 10) % 4096) != find(was)) {
			if (check(&c, mlp[0], mlp[1], mlp[2], &d) != PROOF_BAD)
				fail_msg("line %zu: %u may be %lu", which->line, was, strtoul(c.s + which->at, &end, 10));
			named += d.line == (int)which->line;
			assert_true(d.column > 0);
			tried++;
		}
		free(c.s);
	}
	assert_true(tried > 20);
	assert_true(named * 20 >= tried * 19);
	free(w);
	free(t.s);
}

/* A step that others rest on is left out. */
static void test_left_out(void **state)
{
	int met, n, k, refused = 0, tried = 0;
	struct text t = prove(mlp[0], mlp[1], mlp[2], &met), c;
	struct word *w = calloc(t.n, sizeof *w);
	struct diag d;

	(void)state;
	n = words_of(&t, w, (int)t.n);
	for (k = 1; k + 4 < n && tried < 40; k++) {
		char *from, *to;
		if (w[k].n != 4 || strncmp(t.s + w[k].at, "rule", 4) || draw(2))
			continue;
		c = copy(&t, 64);
		from = c.s + w[k].at;
		to = strchr(from, '\n') + 1;
		memmove(from, to, strlen(to) + 1);
		c.n = strlen(c.s);
		hash_again(&c);
		tried++;
		refused += check(&c, mlp[0], mlp[1], mlp[2], &d) == PROOF_BAD;
		free(c.s);
	}
	assert_true(tried > 20);
	assert_true(refused * 10 >= tried * 8);		/* a few are there only for facts */
	free(w);
	free(t.s);
}

/* ---- what holds for finite numbers only: 0 (x y) is 0, 0 (x / y) is not where y is 0 */

#define NOUGHT(head, last) "HloModule m" head "\nENTRY %main {\n%x = f32[2] parameter(0)\n%y = f32[2] parameter(1)\n%z = f32[] constant(0)\n" \
	"%b = f32[2] broadcast(%z), dimensions={}\n" last "\n}\n"
#define TIMES(op) NOUGHT(", num_partitions=2", "%m = f32[2] " op "(%x, %y)\nROOT %o = f32[2] multiply(%m, %b)")

/* The first such text behind another one becomes one as long or shorter by the blanks in it. */
static void replace(struct text *t, const char *behind, const char *what, const char *by)
{
	char *at = strstr(strstr(t->s, behind), what);
	size_t n = strlen(what), m = strlen(by);

	memmove(at + m, at + n, strlen(at + n) + 1);
	memcpy(at, by, m);
	t->n = strlen(t->s);
}

static void test_poles(void **state)
{
	const char *base = pair_write("base.hlo", NOUGHT("", "ROOT %o = f32[2] copy(%b)")), *right = pair_write("right.hlo", TIMES("multiply"));
	const char *wrong = pair_write("wrong.hlo", TIMES("divide")), *plan = pair_write("plan", "mesh tp=2\ninput 0 R\ninput 1 R\noutput 0 R\n");
	int met;
	struct text t = prove(base, right, plan, &met), c = copy(&t, 64);
	struct diag d;

	(void)state;
	assert_int_equal(met, 1);
	assert_int_equal(check(&t, base, right, plan, &d), PROOF_HOLDS);
	replace(&c, "mul f32", "[ 1 1 ]", "[ 1 -1 ]");
	replace(&c, "lift-multiply", "lift-multiply", "lift-divide");
	hash_again(&c);
	assert_int_equal(check(&c, base, wrong, plan, &d), PROOF_TOO_LARGE);
	free(c.s);
	c = copy(&t, 64);
	replace(&c, "mul f32", "[ 1 1 ]", "[ 1 -1 ]");
	replace(&c, "lift-multiply", "lift-multiply", "lift-divide");
	replace(&c, "rule \"N11\"", "\"N11\"", "\"token\"");	/* which takes a value to be finite where a plan says what is 0 */
	hash_again(&c);
	assert_int_equal(check(&c, base, wrong, plan, &d), PROOF_TOO_LARGE);
	free(c.s);
	free(t.s);
}

/* ---- facts that nodes opened show: of a row of a causal mask the maximum is finite, of one that is masked throughout not */

#define MASKED(last) "HloModule m, num_partitions=2\n%max { %p = f32[] parameter(0)\n%q = f32[] parameter(1)\n" \
	"ROOT %r = f32[] maximum(%p, %q) }\nENTRY %main {\n%x = f32[3] parameter(0)\n%z = f32[] constant(0)\n" \
	"%b = f32[3] broadcast(%z), dimensions={}\n%i = f32[] constant(-inf)\n%ii = f32[3,3] broadcast(%i), dimensions={}\n" \
	"%k = pred[3,3] constant({{1,0,0},{1,1,0},{" last "}})\n%xx = f32[3,3] broadcast(%x), dimensions={1}\n" \
	"%s = f32[3,3] select(%k, %xx, %ii)\n%m = f32[3] reduce(%s, %i), dimensions={1}, to_apply=%max\nROOT %o = f32[3] multiply(%m, %b)\n}\n"
#define MASKED_BASE "HloModule m\nENTRY %main {\n%x = f32[3] parameter(0)\n%z = f32[] constant(0)\n" \
	"ROOT %o = f32[3] broadcast(%z), dimensions={}\n}\n"

/* The line that begins so, without its end; the rest of it becomes `by`. */
static void put_line(struct text *t, const char *begin, const char *by)
{
	char *at = strstr(t->s, begin), *end = strchr(at, '\n');
	size_t n = strlen(begin), m = strlen(by);

	t->s = realloc(t->s, t->n + m + 200);
	at = strstr(t->s, begin);
	end = strchr(at, '\n');
	memmove(at + n + m, end, strlen(end) + 1);
	memcpy(at + n, by, m);
	t->n = strlen(t->s);
	hash_again(t);
}

static enum proof_outcome forged(const struct text *t, const char *begin, const char *by, const char *base, const char *dist, const char *plan)
{
	struct text c = copy(t, 0);
	enum proof_outcome r;
	struct diag d;

	put_line(&c, begin, by);
	r = check(&c, base, dist, plan, &d);
	free(c.s);
	return r;
}

static void test_facts(void **state)
{
	const char *base = pair_write("masked.base.hlo", MASKED_BASE), *right = pair_write("masked.hlo", MASKED("0,1,1"));
	const char *wrong = pair_write("unmasked.hlo", MASKED("0,0,0")), *plan = pair_write("masked.plan", "mesh tp=2\ninput 0 R\noutput 0 R\n");
	int met, k;
	struct text t = prove(base, right, plan, &met), c = copy(&t, 0);
	struct diag d;
	static const char *const by[] = { "", " 15 15", " 27 30 20 20 15 15", " 27 15", " 30 27 29 29 15 15", " 27 32", " 32 32" };

	(void)state;
	assert_int_equal(met, 1);
	assert_int_equal(check(&t, base, right, plan, &d), PROOF_HOLDS);
	assert_int_equal(forged(&t, "fact 32 opened", " 27 30 29 29 15 15", base, right, plan), PROOF_HOLDS);
	put_line(&c, "node 20 table pred [", " 1 0 0 1 1 0 0 0 0 ] ( )");
	put_line(&c, "node 29 table pred [", " 1 1 0 0 1 0 0 0 0 ] ( )");
	assert_int_equal(check(&c, base, wrong, plan, &d), PROOF_TOO_LARGE);	/* every step holds but for the infinite maximum */
	for (k = 0; k < (int)(sizeof by / sizeof *by); k++) {
		assert_int_not_equal(forged(&c, "fact 32 opened", by[k], base, wrong, plan), PROOF_HOLDS);
	}
	assert_int_equal(forged(&c, "fact ", "33 opened 32 30", base, wrong, plan), PROOF_TOO_LARGE);
	assert_int_equal(forged(&c, "fact ", "31 opened 27 30", base, wrong, plan), PROOF_BAD);
	assert_int_equal(forged(&c, "fact ", "32 opened 999 30", base, wrong, plan), PROOF_BAD);
	free(c.s);
	free(t.s);
}

/* ---- what a loop carries is finite when a trip keeps it so: of sums, not of quotients */

#define LOOP(head, before, trip) "HloModule m" head "\n%body { %p = (s32[], f32[3], f32[3]) parameter(0)\n%i = s32[] get-tuple-element(%p), index=0\n" \
	"%s = f32[3] get-tuple-element(%p), index=1\n%x = f32[3] get-tuple-element(%p), index=2\n%one = s32[] constant(1)\n" \
	"%j = s32[] add(%i, %one)\n" trip "ROOT %r = (s32[], f32[3], f32[3]) tuple(%j, %t, %x) }\n" \
	"%cond { %p = (s32[], f32[3], f32[3]) parameter(0)\n%i = s32[] get-tuple-element(%p), index=0\n%n = s32[] constant(100000)\n" \
	"ROOT %c = pred[] compare(%i, %n), direction=LT }\nENTRY %main {\n%x = f32[3] parameter(0)\n%y = f32[3] parameter(1)\n" \
	"%zero = s32[] constant(0)\n" before "%in = (s32[], f32[3], f32[3]) tuple(%zero, %e, %x)\n" \
	"%w = (s32[], f32[3], f32[3]) while(%in), condition=%cond, body=%body\nROOT %o = f32[3] get-tuple-element(%w), index=1\n}\n"
#define ENTERS(op) "%e = f32[3] " op "(%y)\n"
#define BASE_LOOP(before, op) LOOP("", ENTERS(before), "%t = f32[3] " op "(%s, %x)\n")
#define DIST_LOOP(before, op) LOOP(", num_partitions=2", ENTERS(before), "%z = f32[] constant(0)\n%b = f32[3] broadcast(%z), dimensions={}\n" \
	"%sb = f32[3] multiply(%s, %b)\n%u = f32[3] " op "(%s, %x)\n%t = f32[3] add(%u, %sb)\n")

#define COPIED_LOOP LOOP(", num_partitions=2", "%c = f32[3] copy(%y)\n%e = f32[3] copy(%c)\n", "%t = f32[3] add(%s, %x)\n")

/* All of this in the text becomes that. */
static void replace_all(struct text *t, const char *what, const char *by)
{
	char *at = t->s;

	for (; (at = strstr(at, what)); at += strlen(by)) {
		memmove(at + strlen(by), at + strlen(what), strlen(at + strlen(what)) + 1);
		memcpy(at, by, strlen(by));
	}
	t->n = strlen(t->s);
}

static void loop_proof(const char *base, const char *dist, const char *wrong_base, const char *wrong_dist)
{
	const char *plan = pair_write("loop.plan", "mesh tp=2\ninput 0 R\ninput 1 R\noutput 0 R\n"), *b[2], *d[2];
	int met;
	struct text t, c;
	struct diag err;

	b[0] = pair_write("loop.base.hlo", base);
	d[0] = pair_write("loop.hlo", dist);
	b[1] = pair_write("loop.wrong.base.hlo", wrong_base);
	d[1] = pair_write("loop.wrong.hlo", wrong_dist);
	t = prove(b[0], d[0], plan, &met);
	assert_int_equal(met, 1);
	assert_int_equal(check(&t, b[0], d[0], plan, &err), PROOF_HOLDS);
	c = copy(&t, 400);
	replace_all(&c, "sum f32 [ 1 0 0 2 0 1 3 0 1 0 0 1 0 ] [ 1 1 ]", "mul f32 [ 1 0 0 2 0 1 3 0 1 0 0 1 0 ] [ -1 1 ]");
	replace_all(&c, "\"lift-add\"", "\"lift-div\"");
	{	/* all lifts but those of the counter and of the sum with nought */
		char *at;
		for (at = c.s; (at = strstr(at, "\"lift-div\"")); at++) {
			char *end = strchr(at, '\n'), *mul = strstr(at, "[ 1 19 ]"), *mul2 = strstr(at, "[ 1 21 ]");
			bool quotient = (mul && mul < end) || (mul2 && mul2 < end);
			memcpy(at, quotient ? "\"lift-div\"" : "\"lift-add\"", 10);
		}
	}
	replace_all(&c, "\"lift-div\"", "\"lift-divide\"");
	hash_again(&c);
	assert_int_equal(check(&c, b[1], d[1], plan, &err), PROOF_TOO_LARGE);	/* nought times what may become infinite */
	free(c.s);
	free(t.s);
}

/* What comes in is a parameter, finite from the start, or shown to be finite on the way. */
static void test_loops(void **state)
{
	(void)state;
	loop_proof(BASE_LOOP("copy", "add"), DIST_LOOP("copy", "add"), BASE_LOOP("copy", "divide"), DIST_LOOP("copy", "divide"));
	loop_proof(BASE_LOOP("exponential", "add"), DIST_LOOP("exponential", "add"), BASE_LOOP("exponential", "divide"),
		   DIST_LOOP("exponential", "divide"));
}

/* The number of the node that is this row of DIST. */
static int row_number(const struct text *t, const char *name)
{
	char row[64];
	int n, k;
	const char *at;

	for (at = t->s; at; at = strchr(at, '\n') ? strchr(at, '\n') + 1 : NULL)
		if (sscanf(at, "node %d row dist %d %63s", &n, &k, row) == 3 && !strncmp(row + 1, name, strlen(name)) && row[1 + strlen(name)] == '"')
			return n;
	fail();
	return 0;
}

/* A copy of the proof whose induction calls what enters the loop by another name. */
static struct text renamed(const struct text *t, const char *from, const char *to)
{
	struct text c = copy(t, 400), line;
	char *at = strstr(c.s, "\nrule \"induction\""), a[32], b[32];

	assert_non_null(at);	/* the induction is the last step */
	line.n = strlen(at);
	line.s = malloc(line.n + 400);
	memcpy(line.s, at, line.n + 1);
	snprintf(a, sizeof a, " %d ", row_number(t, from));
	snprintf(b, sizeof b, " %d ", row_number(t, to));
	replace_all(&line, a, b);
	memcpy(at, line.s, line.n + 1);
	c.n = strlen(c.s);
	free(line.s);
	hash_again(&c);
	return c;
}

/* What enters a loop may be called by what it is a copy of, and by nothing else. */
static void test_copied(void **state)
{
	const char *plan = pair_write("loop.plan", "mesh tp=2\ninput 0 R\ninput 1 R\noutput 0 R\n");
	const char *b = pair_write("loop.base.hlo", BASE_LOOP("copy", "add")), *d = pair_write("loop.hlo", COPIED_LOOP);
	static const char *const name[] = { "c", "x" };
	int met, k;
	struct text t, c;
	struct diag err;

	(void)state;
	t = prove(b, d, plan, &met);
	assert_int_equal(met, 1);
	assert_int_equal(check(&t, b, d, plan, &err), PROOF_HOLDS);
	for (k = 0; k < 2; k++) {
		c = renamed(&t, "e", name[k]);
		assert_int_equal(check(&c, b, d, plan, &err) == PROOF_HOLDS, !k);
		free(c.s);
	}
	free(t.s);
}

static int open_file(void **state)
{
	int fd = mkstemp(path);

	(void)state;
	return fd < 0 || close(fd);
}

static int remove_file(void **state)
{
	(void)state;
	return remove(path);
}

/* ---- one place of many: nobody may have looked at it */

#define ONE_PLACE(n, at) "HloModule m, num_partitions=2\nENTRY %main {\n%x = f32[" n "] parameter(0)\n%z = f32[1] constant({0})\n%i = s32[] constant(" at ")\n" \
	"ROOT %o = f32[" n "] dynamic-update-slice(%x, %z, %i)\n}\n"
#define UNTOUCHED(n) "HloModule m\nENTRY %main {\n%x = f32[" n "] parameter(0)\nROOT %o = f32[" n "] copy(%x)\n}\n"
#define SAID_UNTOUCHED(n, at) "diverge proof 1\nbase \"b\"  dist \"d\"\nnode 0 row base 0 \"x\"\nnode 1 param f32 " n " \"input 0\" ( )\n" \
	"node 2 laid [ 1 1 0 1 " n " " n " 1 ] ( 1 )\nnode 3 row dist 0 \"x\"\nnode 4 laid [ 2 1 1 1 " n " 2 0 " n " 1 ] ( 1 )\nnode 5 row base 1 \"o\"\n" \
	"node 6 row dist 2 \"i\"\nnode 7 number s32 rational [ " at " ] ( )\nnode 8 laid [ 2 0 1 0 2 0 ] ( 7 )\nnode 9 row dist 3 \"o\"\n" \
	"given 0 2 built 1 [ ] built 2 [ 1 ]\ngiven 3 4 opened 0 2 built 4 [ 1 ]\nrule \"lift-copy\" 5 2 opened 0 2 built 2 [ 1 ]\n" \
	"rule \"lift-constant\" 6 8 built 7 [ ] built 8 [ 7 ]\nrule \"lift-dynamic-update-slice\" 9 4 opened 3 4 6 8\ngoal 0 \"o\" 2 4\nend 0\n"

/* What is said of two programs, the hash being right. */
static enum proof_outcome check_said(const char *base, const char *dist, const char *plan, const char *proof)
{
	struct text t = { calloc(strlen(proof) + 64, 1), strlen(proof) };
	const char *b = pair_write("base.hlo", base), *d = pair_write("dist.hlo", dist);
	struct diag said;
	enum proof_outcome r;

	strcpy(t.s, proof);
	hash_again(&t);
	r = check(&t, b, d, pair_write("plan", plan), &said);
	free(t.s);
	return r;
}

#define ONE_INPUT "mesh tp=2\ninput 0 R\noutput 0 R\n"

static void test_one_place(void **state)
{
	(void)state;
	assert_int_equal(check_said(UNTOUCHED("1000"), ONE_PLACE("1000", "517"), ONE_INPUT, SAID_UNTOUCHED("1000", "517")), PROOF_BAD);
	assert_int_equal(check_said(UNTOUCHED("4000000"), ONE_PLACE("4000000", "517"), ONE_INPUT, SAID_UNTOUCHED("4000000", "517")), PROOF_TOO_LARGE);
}

/* ---- x + 1 = x + b - b, in doubles: b is too large to tell, or infinite */

#define ADDED_ONE "HloModule m, num_partitions=2\nENTRY %main {\n%x = f32[2] parameter(0)\n%c = f32[] constant(1)\n%b = f32[2] broadcast(%c), dimensions={}\n" \
	"ROOT %o = f32[2] add(%x, %b)\n}\n"
#define SAID_NOTHING_ADDED(b) "diverge proof 1\nbase \"b\"  dist \"d\"\nnode 0 row base 0 \"x\"\nnode 1 param f32 2 \"input 0\" ( )\nnode 2 laid [ 1 1 0 1 2 2 1 ] ( 1 )\n" \
	"node 3 row dist 0 \"x\"\nnode 4 laid [ 2 1 1 1 2 2 0 2 1 ] ( 1 )\nnode 5 row base 1 \"o\"\nnode 6 row dist 1 \"c\"\nnode 7 number real rational [ 1 ] ( )\n" \
	"node 8 laid [ 2 0 1 0 2 0 ] ( 7 )\nnode 9 row dist 2 \"b\"\nnode 10 laid [ 2 1 1 1 2 2 0 2 0 ] ( 7 )\nnode 11 row dist 3 \"o\"\n" \
	"node 12 sum f32 [ 1 0 0 2 0 1 2 0 1 0 0 0 0 ] [ 1 1 ] ( 1 7 )\nnode 13 laid [ 2 1 1 1 2 2 0 2 1 ] ( 12 )\nnode 14 number real rational [ " b " ] ( )\n" \
	"node 15 map f32 [ 0 0 0 1 0 1 0 0 ] \"exponential\" ( 14 )\nnode 16 sum f32 [ 1 0 0 3 0 1 2 0 1 0 0 0 0 0 0 0 ] [ 1 1 -1 ] ( 1 15 15 )\n" \
	"given 0 2 built 1 [ ] built 2 [ 1 ]\ngiven 3 4 opened 0 2 built 4 [ 1 ]\nrule \"lift-copy\" 5 2 opened 0 2 built 2 [ 1 ]\n" \
	"rule \"lift-constant\" 6 8 built 7 [ ] built 8 [ 7 ]\nrule \"lift-broadcast\" 9 10 opened 6 8 built 10 [ 7 ]\n" \
	"rule \"lift-add\" 11 13 opened 3 4 9 10 built 12 [ 1 7 ] built 13 [ 12 ]\nrule \"N10\" 12 16 opened 7 7 15 15 14 14 built 16 [ 1 15 15 ]\n" \
	"rule \"N10\" 16 1\ncongruence 13 4\ngoal 0 \"o\" 2 4\nend 0\n"

static void test_cancelled(void **state)
{
	(void)state;
	assert_int_equal(check_said(UNTOUCHED("2"), ADDED_ONE, ONE_INPUT, SAID_NOTHING_ADDED("1")), PROOF_BAD);
	assert_int_equal(check_said(UNTOUCHED("2"), ADDED_ONE, ONE_INPUT, SAID_NOTHING_ADDED("40")), PROOF_TOO_LARGE);
	assert_int_equal(check_said(UNTOUCHED("2"), ADDED_ONE, ONE_INPUT, SAID_NOTHING_ADDED("800")), PROOF_TOO_LARGE);
}

/* ---- where all of a row is -inf what a reduction keeps is what it began with */

#define BEST_FROM(payload) "HloModule m, num_partitions=2\n%arg { %v = f32[] parameter(0)\n%i = s32[] parameter(1)\n%w = f32[] parameter(2)\n%j = s32[] parameter(3)\n" \
	"%p = pred[] compare(%v, %w), direction=GE\n%m = f32[] select(%p, %v, %w)\n%k = s32[] select(%p, %i, %j)\nROOT %t = (f32[], s32[]) tuple(%m, %k) }\n" \
	"ENTRY %main {\n%x = f32[3,2] parameter(0)\n%p = pred[3,2] parameter(1)\n%i = s32[3,2] iota(), iota_dimension=1\n%n = f32[] constant(-inf)\n" \
	"%nb = f32[3,2] broadcast(%n), dimensions={}\n%s = f32[3,2] select(%p, %x, %nb)\n%z = s32[] constant(" payload ")\n" \
	"%b = (f32[3], s32[3]) reduce(%s, %i, %n, %z), dimensions={1}, to_apply=%arg\nROOT %o = s32[3] get-tuple-element(%b), index=1\n}\n"
#define SAID_PICKED "diverge proof 1\nbase \"b\"  dist \"d\"\nnode 0 row base 0 \"x\"\nnode 1 param f32 6 \"input 0\" ( )\nnode 2 laid [ 1 2 0 1 3 2 6 1 ] ( 1 )\n" \
	"node 3 row base 1 \"p\"\nnode 4 param pred 6 \"input 1\" ( )\nnode 5 laid [ 1 2 0 1 3 2 6 1 ] ( 4 )\nnode 6 row dist 0 \"x\"\n" \
	"node 7 laid [ 2 2 1 1 3 2 2 0 6 1 ] ( 1 )\nnode 8 row dist 1 \"p\"\nnode 9 laid [ 2 2 1 1 3 2 2 0 6 1 ] ( 4 )\nnode 10 row base 2 \"i\"\n" \
	"node 11 index s32 ( )\nnode 12 at s32 [ 1 0 0 1 0 1 2 0 1 0 ] ( 11 )\nnode 13 laid [ 1 2 0 2 3 2 3 0 2 1 ] ( 12 )\nnode 14 row base 3 \"n\"\n" \
	"node 15 number real double [ -inf ] ( )\nnode 16 laid [ 1 0 0 0 ] ( 15 )\nnode 17 row base 4 \"nb\"\nnode 18 laid [ 1 2 0 1 3 2 6 0 ] ( 15 )\n" \
	"node 19 row base 5 \"s\"\nnode 20 map f32 [ 1 0 0 3 0 1 6 0 1 0 0 1 0 * 4 ] \"select\" ( 4 1 15 )\nnode 21 laid [ 1 2 0 1 3 2 6 1 ] ( 20 )\n" \
	"node 22 row base 6 \"z\"\nnode 23 at s32 [ 0 0 0 1 0 1 0 0 ] ( 11 )\nnode 24 laid [ 1 0 0 0 ] ( 23 )\nnode 25 row base 8 \"b#1\"\n" \
	"node 26 pick s32 [ 1 1 0 2 0 1 3 2 0 2 1 0 0 0 1 0 ] \"first\" ( 20 12 )\nnode 27 laid [ 1 1 0 1 3 3 1 ] ( 26 )\nnode 28 row dist 2 \"i\"\n" \
	"node 29 laid [ 2 2 1 2 3 2 2 0 3 0 2 1 ] ( 12 )\nnode 30 row dist 3 \"n\"\nnode 31 laid [ 2 0 1 0 2 0 ] ( 15 )\nnode 32 row dist 4 \"nb\"\n" \
	"node 33 laid [ 2 2 1 1 3 2 2 0 6 0 ] ( 15 )\nnode 34 row dist 5 \"s\"\nnode 35 laid [ 2 2 1 1 3 2 2 0 6 1 ] ( 20 )\nnode 36 row dist 6 \"z\"\n" \
	"node 37 at s32 [ 0 0 0 1 0 1 7 0 ] ( 11 )\nnode 38 laid [ 2 0 1 0 2 0 ] ( 37 )\nnode 39 row dist 8 \"b#1\"\n" \
	"node 40 laid [ 2 1 1 1 3 2 0 3 1 ] ( 26 )\ngiven 0 2 built 1 [ ] built 2 [ 1 ]\ngiven 3 5 built 4 [ ] built 5 [ 4 ]\n" \
	"given 6 7 opened 0 2 built 7 [ 1 ]\ngiven 8 9 opened 3 5 built 9 [ 4 ]\nrule \"lift-iota\" 10 13 built 11 [ ] built 12 [ 11 ] built 13 [ 12 ]\n" \
	"rule \"lift-constant\" 14 16 built 15 [ ] built 16 [ 15 ]\nrule \"lift-broadcast\" 17 18 opened 14 16 built 18 [ 15 ]\n" \
	"rule \"lift-select\" 19 21 opened 3 5 0 2 17 18 built 20 [ 4 1 15 ] built 21 [ 20 ]\n" \
	"rule \"lift-constant\" 22 24 built 11 [ ] built 23 [ 11 ] built 24 [ 23 ]\n" \
	"rule \"lift-arg-reduce\" 25 27 opened 19 21 10 13 14 16 22 24 15 15 built 26 [ 20 12 ] built 27 [ 26 ]\n" \
	"rule \"lift-iota\" 28 29 built 11 [ ] built 12 [ 11 ] built 29 [ 12 ]\nrule \"lift-constant\" 30 31 built 15 [ ] built 31 [ 15 ]\n" \
	"rule \"lift-broadcast\" 32 33 opened 30 31 built 33 [ 15 ]\nrule \"lift-select\" 34 35 opened 8 9 6 7 32 33 built 20 [ 4 1 15 ] built 35 [ 20 ]\n" \
	"rule \"lift-constant\" 36 38 built 11 [ ] built 37 [ 11 ] built 38 [ 37 ]\n" \
	"rule \"lift-arg-reduce\" 39 40 opened 34 35 28 29 30 31 36 38 15 15 built 26 [ 20 12 ] built 40 [ 26 ]\ngoal 0 \"b#1\" 27 40\nend 0\n"

static void test_begun(void **state)
{
	(void)state;
	assert_int_equal(check_said(BEST_FROM("0"), BEST_FROM("7"), "mesh tp=2\ninput 0 R\ninput 1 R\noutput 0 R\n", SAID_PICKED), PROOF_TOO_LARGE);
}

/* ---- max(x, c) = x where c is the least number of x's type: the least one of another is not */

#define LARGEST_FROM(c) "HloModule m, num_partitions=2\n%max { %p = f32[] parameter(0)\n%q = f32[] parameter(1)\nROOT %r = f32[] maximum(%p, %q) }\nENTRY %main {\n" \
	"%x = f32[1] parameter(0)\n%k = f32[1] constant({1000000})\n%l = f32[1] multiply(%x, %k)\n%m = f32[] constant(" c ")\n" \
	"ROOT %o = f32[] reduce(%l, %m), dimensions={0}, to_apply=%max\n}\n"
#define SAID_FROM_THE_LEAST "diverge proof 1\nbase \"b\"  dist \"d\"\nnode 0 row base 0 \"x\"\nnode 1 param f32 1 \"input 0\" ( )\nnode 2 laid [ 1 1 0 0 1 ] ( 1 )\n" \
	"node 3 row dist 0 \"x\"\nnode 4 laid [ 2 1 1 0 1 2 0 ] ( 1 )\nnode 5 row base 1 \"k\"\nnode 6 number real rational [ 1000000 ] ( )\n" \
	"node 7 laid [ 1 1 0 0 1 ] ( 6 )\nnode 8 row base 2 \"l\"\nnode 9 mul f32 [ 0 0 0 2 0 1 0 * 4 ] [ 1 1 ] ( 1 6 )\nnode 10 laid [ 1 1 0 0 1 ] ( 9 )\n" \
	"node 11 row base 3 \"m\"\nnode 12 number real double [ -inf ] ( )\nnode 13 laid [ 1 0 0 0 ] ( 12 )\nnode 14 row base 4 \"o\"\n" \
	"node 15 red f32 [ 0 0 0 1 0 1 0 0 ] \"maximum\" ( 9 )\nnode 16 lat f32 [ 0 0 0 2 0 1 0 * 4 ] \"maximum\" ( 12 15 )\nnode 17 laid [ 1 0 0 0 ] ( 16 )\n" \
	"node 18 lat f32 [ 0 0 0 1 0 1 0 0 ] \"maximum\" ( 15 )\nnode 19 row dist 1 \"k\"\nnode 20 laid [ 2 1 1 0 1 2 0 ] ( 6 )\nnode 21 row dist 2 \"l\"\n" \
	"node 22 laid [ 2 1 1 0 1 2 0 ] ( 9 )\nnode 23 row dist 3 \"m\"\nnode 24 number real rational [ -65504 ] ( )\nnode 25 laid [ 2 0 1 0 2 0 ] ( 24 )\n" \
	"node 26 row dist 4 \"o\"\nnode 27 lat f32 [ 0 0 0 2 0 1 0 * 4 ] \"maximum\" ( 15 24 )\nnode 28 laid [ 2 0 1 0 2 0 ] ( 27 )\n" \
	"given 0 2 built 1 [ ] built 2 [ 1 ]\ngiven 3 4 opened 0 2 built 4 [ 1 ]\nrule \"lift-constant\" 5 7 built 6 [ ] built 7 [ 6 ]\n" \
	"rule \"lift-multiply\" 8 10 opened 0 2 5 7 built 9 [ 1 6 ] built 10 [ 9 ]\nrule \"lift-constant\" 11 13 built 12 [ ] built 13 [ 12 ]\n" \
	"rule \"lift-reduce\" 14 17 opened 8 10 11 13 built 15 [ 9 ] built 16 [ 12 15 ] built 17 [ 16 ]\n" \
	"rule \"N30 flatten\" 16 18 opened 12 12 built 18 [ 15 ]\nrule \"lift-constant\" 19 20 built 6 [ ] built 20 [ 6 ]\n" \
	"rule \"lift-multiply\" 21 22 opened 3 4 19 20 built 9 [ 1 6 ] built 22 [ 9 ]\nrule \"lift-constant\" 23 25 built 24 [ ] built 25 [ 24 ]\n" \
	"rule \"lift-reduce\" 26 28 opened 21 22 23 25 built 15 [ 9 ] built 27 [ 15 24 ] built 28 [ 27 ]\n" \
	"rule \"N30 flatten\" 27 18 opened 24 24 24 24 24 24 built 18 [ 15 ]\ngoal 0 \"o\" 17 28\nend 0\n"

static void test_last_numbers(void **state)
{
	(void)state;
	assert_int_equal(check_said(LARGEST_FROM("-inf"), LARGEST_FROM("-65504"), ONE_INPUT, SAID_FROM_THE_LEAST), PROOF_TOO_LARGE);
}

/* ---- i mod 4 = i where i is below 4: that some node reads it so does not make it so */

#define ROWS_AT(at) "%j = s32[3,1] reshape(" at ")\nROOT %o = f32[3] gather(%x, %j), offset_dims={}, collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=1, " \
	"slice_sizes={1}\n}\n"
#define ROWS_BASE "HloModule m\nENTRY %main {\n%x = f32[8] parameter(0)\n%i = s32[3] parameter(1)\n" ROWS_AT("%i")
#define ROWS_MOD "HloModule m, num_partitions=2\nENTRY %main {\n%x = f32[8] parameter(0)\n%i = s32[3] parameter(1)\n%c = s32[] constant(4)\n" \
	"%b = s32[3] broadcast(%c), dimensions={}\n%r = s32[3] remainder(%i, %b)\n" ROWS_AT("%r")
#define SAID_BELOW_FOUR "diverge proof 1\nbase \"b\"  dist \"d\"\nnode 0 row base 0 \"x\"\nnode 1 param f32 8 \"input 0\" ( )\nnode 2 laid [ 1 1 0 1 8 8 1 ] ( 1 )\n" \
	"node 3 row base 1 \"i\"\nnode 4 param s32 3 \"input 1\" ( )\nnode 5 laid [ 1 1 0 1 3 3 1 ] ( 4 )\nnode 6 row dist 0 \"x\"\nnode 7 laid [ 2 1 1 1 8 2 0 8 1 ] ( 1 )\n" \
	"node 8 row dist 1 \"i\"\nnode 9 laid [ 2 1 1 1 3 2 0 3 1 ] ( 4 )\nnode 10 row base 2 \"j\"\nnode 11 laid [ 1 2 0 1 3 1 3 1 ] ( 4 )\nnode 12 row base 3 \"o\"\n" \
	"node 13 index s32 ( )\nnode 14 lat s32 [ 1 0 0 2 0 1 3 0 1 0 * 4 ] \"maximum\" ( 4 13 )\nnode 15 lat s32 [ 1 0 0 2 0 1 3 7 0 0 0 1 0 ] \"minimum\" ( 13 14 )\n" \
	"node 16 at f32 [ 1 0 1 * 4 3 8 0 1 8 0 0 1 0 0 1 0 0 ] ( 1 15 )\nnode 17 laid [ 1 1 0 1 3 3 1 ] ( 16 )\nnode 18 row dist 3 \"b\"\nnode 19 row dist 5 \"j\"\n" \
	"node 20 laid [ 2 2 1 1 3 1 2 0 3 1 ] ( 4 )\nnode 21 row dist 6 \"o\"\nnode 22 laid [ 2 1 1 1 3 2 0 3 1 ] ( 16 )\nnode 23 row dist 4 \"r\"\nnode 24 row dist 2 \"c\"\n" \
	"node 25 number s32 rational [ 4 ] ( )\nnode 26 laid [ 2 0 1 0 2 0 ] ( 25 )\nnode 27 laid [ 2 1 1 1 3 2 0 3 0 ] ( 25 )\n" \
	"node 28 map s32 [ 1 0 0 2 0 1 3 0 1 0 * 4 ] \"remainder\" ( 4 25 )\nnode 29 laid [ 2 1 1 1 3 2 0 3 1 ] ( 28 )\n" \
	"node 30 at f32 [ 1 0 1 1 1 1 3 4 0 1 4 0 0 1 0 0 1 0 0 ] ( 1 4 )\ngiven 0 2 built 1 [ ] built 2 [ 1 ]\ngiven 3 5 built 4 [ ] built 5 [ 4 ]\n" \
	"given 6 7 opened 0 2 built 7 [ 1 ]\ngiven 8 9 opened 3 5 built 9 [ 4 ]\nrule \"lift-reshape\" 10 11 opened 3 5 built 11 [ 4 ]\n" \
	"rule \"lift-gather\" 12 17 opened 0 2 10 11 built 13 [ ] built 14 [ 4 13 ] built 13 [ ] built 15 [ 13 14 ] built 16 [ 1 15 ] built 17 [ 16 ]\n" \
	"rule \"lift-constant\" 24 26 built 25 [ ] built 26 [ 25 ]\nrule \"lift-broadcast\" 18 27 opened 24 26 built 27 [ 25 ]\n" \
	"rule \"lift-remainder\" 23 29 opened 8 9 18 27 built 28 [ 4 25 ] built 29 [ 28 ]\nrule \"small\" 28 4 opened 30 30\ncongruence 29 9\n" \
	"rule \"lift-reshape\" 19 20 opened 23 9 built 20 [ 4 ]\n" \
	"rule \"lift-gather\" 21 22 opened 6 7 19 20 built 13 [ ] built 14 [ 4 13 ] built 13 [ ] built 15 [ 13 14 ] built 16 [ 1 15 ] built 22 [ 16 ]\n" \
	"goal 0 \"o\" 17 22\nend 0\n"

static void test_said_range(void **state)
{
	(void)state;
	assert_int_equal(check_said(ROWS_BASE, ROWS_MOD, "mesh tp=2\ninput 0 R\ninput 1 R\noutput 0 R\n", SAID_BELOW_FOUR), PROOF_BAD);
}

/* ---- an instruction that works place by place, of 4096: what its operand's form and the result's core are said to be may read
 * one of them elsewhere */

enum { MANY = 4096 };
#define NEGATED "HloModule m\nENTRY %main {\n%x = f32[4096] parameter(0)\nROOT %o = f32[4096] negate(%x)\n}\n"
#define READ_NEGATED "HloModule m\nENTRY %%main {\n%%x = f32[4096] parameter(0)\n%%i = s32[4096,1] constant({%s})\n" \
	"%%y = f32[4096] gather(%%x, %%i), offset_dims={}, collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=1, slice_sizes={1}\n" \
	"ROOT %%o = f32[4096] negate(%%y)\n}\n"
/* lift-negate of the last one is said to give node 12, the baseline's, and to have opened what stands behind */
#define SAID_NEGATED "diverge proof 1\nbase \"b\"  dist \"d\"\nnode 0 row base 0 \"x\"\nnode 1 param f32 4096 \"input 0\" ( )\n" \
	"node 2 laid [ 1 1 0 1 4096 4096 1 ] ( 1 )\nnode 3 row dist 0 \"x\"\nnode 4 row dist 1 \"i\"\nnode 5 index s32 ( )\ntable 0 [ %s ]\n" \
	"node 6 at s32 [ 1 0 0 1 0 1 4096 0 0 1 1 0 0 ] ( 5 )\nnode 7 laid [ 1 2 0 1 4096 1 4096 1 ] ( 6 )\nnode 8 row dist 2 \"y\"\n" \
	"node 9 at f32 [ 1 0 0 1 0 1 4096 0 0 1 1 0 0 ] ( 1 )\nnode 10 laid [ 1 1 0 1 4096 4096 1 ] ( 9 )\n" \
	"node 11 sum f32 [ 1 0 0 1 0 1 4096 0 1 0 ] [ -1 ] ( 1 )\nnode 12 laid [ 1 1 0 1 4096 4096 1 ] ( 11 )\n" \
	"node 13 row base 1 \"o\"\nnode 14 row dist 3 \"o\"\nnode 15 at f32 [ 1 0 0 1 0 1 4096 0 1 0 ] ( 9 )\n" \
	"node 16 at f32 [ 1 0 0 1 0 1 4096 0 1 0 ] ( 11 )\n" \
	"given 0 2 built 1 [ ] built 2 [ 1 ]\ngiven 3 2 opened 0 2 built 2 [ 1 ]\nrule \"lift-constant-table\" 4 7 built 5 [ ] built 6 [ 5 ] built 7 [ 6 ]\n" \
	"rule \"lift-gather\" 8 10 opened 3 2 4 7 6 6 built 9 [ 1 ] built 10 [ 9 ]\nrule \"lift-negate\" 13 12 opened 0 2 built 11 [ 1 ] built 12 [ 11 ]\n" \
	"rule \"alone at\" 15 9 opened 9 9\nrule \"alone at\" 16 11 opened 11 11\nrule \"lift-negate\" 14 12 opened 8 10 15 9%s\ngoal 0 \"o\" 12 12\nend 0\n"

/* All places in order, but for one. */
static char *places_but(int one, const char *form)
{
	char *s = NULL;
	size_t n;
	FILE *f = open_memstream(&s, &n);
	int k;

	for (k = 0; k < MANY; k++)
		fprintf(f, form, k == one ? 0 : k);
	fclose(f);
	s[n - 1] = 0;
	return s;
}

static enum proof_outcome say_negated(int one, const char *opened)
{
	char *read = places_but(one, "{%d},"), *table = places_but(one, "%d "), *dist, *proof;
	enum proof_outcome r;

	if (asprintf(&dist, READ_NEGATED, read) < 0 || asprintf(&proof, SAID_NEGATED, table, opened) < 0)
		abort();
	r = check_said(NEGATED, dist, "mesh tp=1\ninput 0 R\noutput 0 R\n", proof);
	free(read);
	free(table);
	free(dist);
	free(proof);
	return r;
}

static void test_place_by_place(void **state)
{
	(void)state;
	assert_int_equal(say_negated(3000, " 16 11"), PROOF_BAD);
	assert_int_equal(say_negated(3000, " built 11 [ 1 ] built 12 [ 11 ]"), PROOF_BAD);
	assert_int_equal(say_negated(0, " 16 11"), PROOF_HOLDS);	/* place 0 is read at place 0 */
}

/* ---- a right proof is taken: of one function written twice and read side by side; of a simplification that rests on the sign of
 * its own operand */

#define WRITTEN_TWICE "HloModule m\nENTRY %main {\n%x = f32[4] parameter(0)\n%a = f32[4] exponential(%x)\n%c = f32[4] copy(%x)\n%b = f32[4] exponential(%c)\n" \
	"%p = pred[4] compare(%x, %b), direction=GT\nROOT %o = f32[4] select(%p, %a, %b)\n}\n"
#define WRITTEN_ONCE "HloModule m, num_partitions=2\nENTRY %main {\n%x = f32[4] parameter(0)\nROOT %o = f32[4] exponential(%x)\n}\n"
#define SQUARE_ABS "HloModule m\nENTRY %main {\n%x = f32[4] parameter(0)\n%m = f32[4] multiply(%x, %x)\nROOT %o = f32[4] abs(%m)\n}\n"
#define SQUARE_ALONE "HloModule m, num_partitions=2\nENTRY %main {\n%x = f32[4] parameter(0)\nROOT %o = f32[4] multiply(%x, %x)\n}\n"

/* .. of batch normalisation by an epsilon that is no number of f32; of halves that look values up at places that a plan bounds;
 * of a sum that is positive by what is opened, in two nodes that are one class later; of what exceeds all doubles on the way;
 * of integers of 64 bits. */
#define REDUCERS "%sum { %a = f32[] parameter(0)\n %b = f32[] parameter(1)\n ROOT %r = f32[] add(%a, %b) }\n%min { %a = f32[] parameter(0)\n %b = f32[] parameter(1)\n" \
	" ROOT %r = f32[] minimum(%a, %b) }\nENTRY %main {\n"
#define SUM "HloModule m\n" REDUCERS
#define SUM_ON_TWO "HloModule m, num_partitions=2\n" REDUCERS
#define NORMALISED "%x = f32[4,3] parameter(0)\n%k = f32[] constant(1)\n%g = f32[4] broadcast(%k), dimensions={}\n%z = f32[] constant(0)\n%h = f32[4] broadcast(%z), dimensions={}\n" \
	"%t = (f32[4,3], f32[4], f32[4]) batch-norm-training(%x, %g, %h), epsilon=0.7, feature_index=0\nROOT %o = f32[4,3] get-tuple-element(%t), index=0\n}\n"
#define NORMALISED_BY_HAND(eps) "%x = f32[4,3] parameter(0)\n%z = f32[] constant(0)\n%q = f32[4,3] multiply(%x, %x)\n%s = f32[4] reduce(%x, %z), dimensions={1}, to_apply=%sum\n" \
	"%ss = f32[4] reduce(%q, %z), dimensions={1}, to_apply=%sum\n%n = f32[] constant(3)\n%nn = f32[4] broadcast(%n), dimensions={}\n%m = f32[4] divide(%s, %nn)\n%mq = f32[4] divide(%ss, %nn)\n" \
	"%mm = f32[4] multiply(%m, %m)\n%v = f32[4] subtract(%mq, %mm)\n%e = f32[] constant(" eps ")\n%eb = f32[4] broadcast(%e), dimensions={}\n%ve = f32[4] add(%v, %eb)\n%r = f32[4] rsqrt(%ve)\n" \
	"%mb = f32[4,3] broadcast(%m), dimensions={0}\n%d = f32[4,3] subtract(%x, %mb)\n%rb = f32[4,3] broadcast(%r), dimensions={0}\nROOT %o = f32[4,3] multiply(%d, %rb)\n}\n"
#define LOOKED_UP(n, from) "f32[" n "] gather(%t, " from "), offset_dims={}, collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=1, slice_sizes={1}\n"
#define LOOK_UP "%x = f32[4] parameter(0)\n%i = s32[4] parameter(1)\n%t = f32[3] constant({1, 2, 4})\n%z = f32[] constant(0)\n%j = s32[4,1] reshape(%i)\n%g = " LOOKED_UP("4", "%j") \
	"%e = f32[4] tanh(%x)\n%v = f32[4] multiply(%g, %e)\nROOT %o = f32[] reduce(%v, %z), dimensions={0}, to_apply=%sum\n}\n"
#define HALF(s, part) "%r" s " = s32[2] slice(%i), slice={" part "}\n%j" s " = s32[2,1] reshape(%r" s ")\n%g" s " = " LOOKED_UP("2", "%j" s) "%w" s " = f32[2] slice(%x), slice={" part "}\n" \
	"%e" s " = f32[2] tanh(%w" s ")\n%v" s " = f32[2] multiply(%g" s ", %e" s ")\n%s" s " = f32[] reduce(%v" s ", %z), dimensions={0}, to_apply=%sum\n"
#define LOOK_UP_IN_HALVES "%x = f32[4] parameter(0)\n%i = s32[4] parameter(1)\n%t = f32[3] constant({1, 2, 4})\n%z = f32[] constant(0)\n" HALF("a", "[0:2]") HALF("b", "[2:4]") \
	"ROOT %o = f32[] add(%sa, %sb)\n}\n"
#define WEIGHED(what) "%x = f32[3,8] parameter(0)\n%w = f32[8,2] parameter(1)\n%z = f32[] constant(0)\n" what "%s = f32[3] reduce(%e, %z), dimensions={1}, to_apply=%sum\n" \
	"%sb = f32[3,8] broadcast(%s), dimensions={0}\n%q = f32[3,8] divide(%e, %sb)\nROOT %o = f32[3,2] dot(%q, %w), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n}\n"
#define MASK_ADDED "%k = f32[8] constant({0,0,0,0,0,0,-inf,-inf})\n%kb = f32[3,8] broadcast(%k), dimensions={1}\n%xm = f32[3,8] add(%x, %kb)\n%e = f32[3,8] exponential(%xm)\n"
#define MASK_CHOSEN "%k = pred[8] constant({1,1,1,1,1,1,0,0})\n%f = f32[3,8] exponential(%x)\n%kb = pred[3,8] broadcast(%k), dimensions={1}\n%zb = f32[3,8] broadcast(%z), dimensions={}\n" \
	"%e = f32[3,8] select(%kb, %f, %zb)\n"
#define LEAST_ROOT(from) "%x = f32[4,2] parameter(0)\n%c = f32[4,2] copy(%x)\n%e = f32[4,2] exponential(" from ")\n%r = f32[4,2] rsqrt(%e)\n%i = f32[] constant(inf)\n" \
	"%m = f32[2] reduce(%r, %i), dimensions={0}, to_apply=%min\n%q = f32[2] divide(%m, %m)\nROOT %o = f32[4] concatenate(%q, %m), dimensions={0}\n}\n"

#define FAR(sum) "%x = s64[4] parameter(0)\n%i = s64[4] iota(), iota_dimension=0\n%c = s64[] constant(9223372036854775807)\n%cb = s64[4] broadcast(%c), dimensions={}\n" sum "\n}\n"
#define FAR_FIRST FAR("%j = s64[4] add(%i, %cb)\nROOT %o = s64[4] add(%x, %j)")
#define FAR_LAST FAR("%j = s64[4] add(%x, %cb)\nROOT %o = s64[4] add(%i, %j)")

static enum proof_outcome prove_planned(const char *base, const char *dist, const char *wrong, const char *as)
{
	const char *b = pair_write("twice.base.hlo", base), *d = pair_write("twice.dist.hlo", dist), *plan = pair_write("twice.plan", as);
	enum proof_outcome r;
	struct diag said;
	int met;
	struct text t = prove(b, d, plan, &met);

	assert_int_equal(met, 1);
	r = check(&t, b, pair_write("twice.wrong.hlo", wrong ? wrong : dist), plan, &said);
	free(t.s);
	return r;
}

static enum proof_outcome prove_and_check(const char *base, const char *dist, const char *wrong)
{
	return prove_planned(base, dist, wrong, ONE_INPUT);
}

static void test_right_ones(void **state)
{
	static const char two[] = "mesh tp=2\ninput 0 R\ninput 1 R\noutput 0 R\n", bounded[] = "mesh tp=2\ninput 0 R\ninput 1 R\ninput 1 in 0..2\noutput 0 R\n";

	(void)state;
	assert_int_equal(prove_and_check(SUM NORMALISED, SUM_ON_TWO NORMALISED_BY_HAND("0.7"), NULL), PROOF_HOLDS);
	assert_int_equal(prove_and_check(SUM NORMALISED, SUM_ON_TWO NORMALISED_BY_HAND("0.7"), SUM_ON_TWO NORMALISED_BY_HAND("0.70001")), PROOF_BAD);
	assert_int_equal(prove_planned(SUM LOOK_UP, SUM_ON_TWO LOOK_UP_IN_HALVES, NULL, bounded), PROOF_HOLDS);
	assert_int_equal(prove_planned(SUM WEIGHED(MASK_ADDED), SUM_ON_TWO WEIGHED(MASK_CHOSEN), NULL, two), PROOF_HOLDS);
	assert_int_equal(prove_and_check(SUM LEAST_ROOT("%x"), SUM_ON_TWO LEAST_ROOT("%c"), NULL), PROOF_HOLDS);
	assert_int_equal(prove_and_check(SUM FAR_FIRST, SUM_ON_TWO FAR_LAST, NULL), PROOF_HOLDS);
	assert_int_equal(prove_and_check(WRITTEN_TWICE, WRITTEN_ONCE, NULL), PROOF_HOLDS);
	assert_int_equal(prove_and_check(WRITTEN_TWICE, WRITTEN_ONCE, SQUARE_ALONE), PROOF_BAD);
	assert_int_equal(prove_and_check(SQUARE_ABS, SQUARE_ALONE, NULL), PROOF_HOLDS);
	assert_int_equal(prove_and_check(SQUARE_ABS, SQUARE_ALONE, WRITTEN_ONCE), PROOF_BAD);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_round_trip), cmocka_unit_test(test_finite), cmocka_unit_test(test_bytes), cmocka_unit_test(test_wrong_program),
		cmocka_unit_test(test_result), cmocka_unit_test(test_left_out), cmocka_unit_test(test_poles), cmocka_unit_test(test_facts), cmocka_unit_test(test_loops), cmocka_unit_test(test_copied), cmocka_unit_test(test_one_place),
		cmocka_unit_test(test_cancelled), cmocka_unit_test(test_begun), cmocka_unit_test(test_last_numbers), cmocka_unit_test(test_said_range), cmocka_unit_test(test_place_by_place), cmocka_unit_test(test_right_ones),
	};

	return cmocka_run_group_tests(tests, open_file, remove_file);
}
