/* soundness N SEED [-o FOLDER] [-r RULES] [-t SECONDS] [-s] [-v] FILES..: hunts for false proofs.
 *
 * Takes right pairs - every FILE is a baseline X.base.hlo with X.fixed.hlo or
 * X.dist.hlo and a plan beside it; random pairs are made as well - breaks them
 * by one or two small edits (mutate.h) and runs the prover.  What is proved is
 * computed on several kinds of numbers: a difference is a false proof.  With -s
 * every firing is checked by itself as well (certify.h).  Proofs that differ,
 * wrong steps, crashes, hangs and internal errors are written to FOLDER, each
 * with the pair and what happened.  Mutant k of a seed is the same in every run.
 *
 * Exit status 1 when anything was found, 0 else.
 */
#include <dirent.h>
#include <errno.h>
#include <fenv.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "certify/certify.h"
#include "mutate.h"
#include "pair/level.h"
#include "problem/numbers_run.h"
#include "problem/trial.h"
#include "text/input.h"

enum { SEEDS = 2, HANG = 20, LONG = 4, WORK = 40000000 };
enum kind { FALSE_PROOF, WRONG_STEP, POLE, ROUNDING, CRASH, HUNG, INTERNAL, EVENTS };
static const char *const event_name[] = { "false-proof", "wrong-step", "pole", "rounding", "crash", "hang", "internal" };

/* What the workers count, in shared memory. */
struct tally {
	volatile long now;	/* the mutant a worker is at */
	long tried, unreadable, proved, differ, equal, undecided, unchecked;
	long steps;		/* firings checked one by one */
	long right, right_proved;	/* random pairs that nobody broke */
	long event[EVENTS];
	long equal_kind[64];
	char what[400];		/* of the mutant it is at */
};

struct source {
	const char *name;
	struct text_pair t;
	unsigned kinds[2];	/* numbers that both programs agree on, by reading */
};

static struct {
	struct tally *tally;
	struct source *source;
	int nsource;
	uint64_t seed;
	const char *folder, *rules;
	bool verbose, steps;
	char scratch[64];
} hunt;

/* ---- files */

static char *scratch_file(const char *name, const char *text)
{
	char *path;
	FILE *f;

	if (asprintf(&path, "%s/%d.%s", hunt.scratch, (int)getpid(), name) < 0)
		abort();
	f = fopen(path, "w");
	if (!f || fputs(text, f) < 0 || fclose(f)) {
		perror(path);
		_exit(3);
	}
	return path;
}

static struct problem *load(const struct text_pair *t, struct diag *err)
{
	char *base = scratch_file("base.hlo", t->base), *dist = scratch_file("dist.hlo", t->dist), *plan = scratch_file("plan", t->plan);
	struct problem_files f = { base, dist, plan, hunt.rules, true };

	return problem_load(&f, err);	/* the names stay with it */
}

static void keep(const struct text_pair *t, const char *event, long number, const char *said)
{
	static const char *const form[] = { "base.hlo", "dist.hlo", "plan", "txt" };
	const char *text[] = { t->base, t->dist, t->plan, said };
	char path[600];
	FILE *f;
	int k;

	mkdir(hunt.folder, 0777);
	for (k = 0; k < 4; k++) {
		snprintf(path, sizeof path, "%s/%s-%llu-%ld.%s", hunt.folder, event, (unsigned long long)hunt.seed, number, form[k]);
		f = fopen(path, "w");
		if (!f || fputs(text[k], f) < 0 || fclose(f))
			perror(path);
	}
}

static void found(enum kind e, const struct text_pair *t, long number, const char *said)
{
	char text[2000];

	hunt.tally->event[e]++;
	snprintf(text, sizeof text, "%s\n%s\n", hunt.tally->what, said);
	if (hunt.tally->event[e] <= 200)
		keep(t, event_name[e], number, text);
	printf("%s %ld: %s | %s\n", event_name[e], number, hunt.tally->what, said);
	fflush(stdout);
}

/* ---- proofs and numbers */

static int compared(const struct problem *p)
{
	int k, n = 0;

	for (k = 0; k < p->q->ngoal; k++)
		n += p->q->goal[k].compared;
	return n;
}

/* Goals met, by everything the prover has. */
static int prove(struct problem *p)
{
	int n = compared(p);
	levels l;

	pair_run(p->q);
	if (problem_goals_met(p) < n)
		trial_ranges(p, &(struct trial_stop){ .ask = NULL });
	if (problem_goals_met(p) < n)
		trial_closed(p, &(struct trial_stop){ .ask = NULL });
	if (problem_goals_met(p) == n)
		return n;
	level_init(&l, p->q);
	level_run(&l);
	level_free(&l);
	return problem_goals_met(p);
}

/* Only what is proved is compared. */
static void only_met(const struct problem *p, struct numbers_setup *s)
{
	numbers_check *c = (numbers_check *)s->p.check;
	int k, n = 0;

	for (k = 0; k < s->p.ncheck; k++)
		if (goal_met(p->q, &p->q->goal[s->goal[k]]))
			c[n++] = c[k];
	s->p.ncheck = n;
}

static bool affordable(const struct numbers_setup *s)
{
	interp_cost b = interp_estimate(s->p.base.m, 1), d = interp_estimate(s->p.dist.m, s->p.dist.replicas * s->p.dist.partitions);

	return b.madds + d.madds < WORK && b.bytes + d.bytes < 4e8;
}

enum outcome { SAME, DIFFERENT, REFUSED };

static void describe(char *said, size_t n, enum interp_reading reading, int kind, const numbers_result *r)
{
	size_t at = strlen(said);

	snprintf(said + at, n - at, "[%s, %s: output %d device %d place %lld: base %.9g dist %.9g] ",
		 reading == INTERP_REALS ? "reals" : "declared", numbers_kind_name((enum numbers_kind)kind), r->check, r->device,
		 (long long)r->local, r->base, r->dist);
}

static double clock_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int too_long(void *ctx, double done, double total)
{
	(void)done;
	(void)total;
	return clock_now() > *(double *)ctx;
}

/* The kinds on which the programs differ, as bits; REFUSED in *out when they cannot be run. */
static unsigned differing(struct numbers_setup *s, enum interp_reading reading, double tolerance, unsigned kinds, uint64_t seed,
			  bool *poles, char *said, size_t size, enum outcome *out)
{
	numbers *n;
	unsigned bits = 0;
	double end = clock_now() + LONG;	/* loops may have lost their end */
	int k, j;

	s->p.progress = too_long;
	s->p.ctx = &end;
	s->p.reading = reading;
	s->p.tolerance = tolerance;
	n = numbers_new(&s->p);
	*out = SAME;
	for (k = 0; k < NUMBERS_KINDS && *out != REFUSED; k++)
		for (j = 0; j < SEEDS && (kinds >> k & 1) && !(bits >> k & 1); j++) {
			numbers_result r = numbers_run(n, (enum numbers_kind)k, seed + (uint64_t)j);
			if (r.overflow)
				continue;
			if (r.verdict == NUMBERS_REFUSED) {
				*out = REFUSED;
				snprintf(said, size, "%s", r.why);
				break;
			}
			if (r.verdict != NUMBERS_DIFFER)
				continue;
			*out = DIFFERENT;
			bits |= 1u << k;
			*poles |= !isfinite(r.base) || !isfinite(r.dist) || (k == NUMBERS_WIDE && fetestexcept(FE_UNDERFLOW));
			describe(said, size, reading, k, &r);
		}
	numbers_free(n);
	return bits;
}

/* Was a tensor taken to be finite because a token, which is 0, is multiplied by it?  That is an assumption of the proof. */
static bool took_tokens(const struct problem *p)
{
	uint32_t i, n = 0;

	for (i = 0; i < rules_n(p->p->r); i++)
		if (prover_prim(p->p, i) == prim_token_product)
			n += history_fired(&p->p->a, i);
	return n > 0;
}

static void check_proof(struct problem *p, const struct source *from, const struct text_pair *t, long number)
{
	const char *why;
	char said[1600] = "";
	struct numbers_setup *s = numbers_setup(p, &why);
	bool poles = false;
	enum outcome out = REFUSED;
	unsigned bits;

	hunt.tally->proved++;
	if (!s || !affordable(s)) {
		hunt.tally->unchecked++;
		if (hunt.verbose)
			printf("unchecked %ld: %s | %s\n", number, hunt.tally->what, s ? "too large" : why);
		numbers_setup_free(s);
		return;
	}
	only_met(p, s);
	bits = differing(s, INTERP_REALS, 1e-6, from->kinds[0], (uint64_t)number, &poles, said, sizeof said, &out);
	if (out == REFUSED) {
		hunt.tally->unchecked++;
		if (hunt.verbose)
			printf("unchecked %ld: %s | %s\n", number, hunt.tally->what, said);
	} else if (bits) {
		/* infinities and zeros on large numbers alone left the range of doubles; a token may have met one */
		found(poles && (!(bits & ~(1u << NUMBERS_WIDE | 1u << NUMBERS_INTEGERS)) || took_tokens(p)) ? POLE : FALSE_PROOF, t, number, said);
	} else if (from->kinds[1]) {
		bits = differing(s, INTERP_DECLARED, 3e-3, from->kinds[1], (uint64_t)number, &poles, said, sizeof said, &out);
		if (bits && !poles)	/* in a narrow type overflow comes early */
			found(ROUNDING, t, number, said);
	}
	numbers_setup_free(s);
}

static void check_unproved(struct problem *p, const struct source *from, int kind, long number)
{
	const char *why;
	char said[1600] = "";
	struct numbers_setup *s = numbers_setup(p, &why);
	bool poles;
	enum outcome out = REFUSED;

	if (s && affordable(s))
		differing(s, INTERP_REALS, 1e-6, from->kinds[0], (uint64_t)number, &poles, said, sizeof said, &out);
	numbers_setup_free(s);
	hunt.tally->undecided += out == REFUSED;
	hunt.tally->differ += out == DIFFERENT;
	if (out == SAME) {
		hunt.tally->equal++;
		hunt.tally->equal_kind[kind]++;
		if (hunt.verbose)
			printf("equal, not proved %ld: %s\n", number, hunt.tally->what);
	}
}

/* Every firing by itself, on zeros and infinities too where neither a fact nor an assumption excludes them. */
static void check_steps(struct problem *p, const struct text_pair *t, long number)
{
	certify_limits l = { .places = 8, .budget = 1 << 12, .rounding = 4e-6, .wild = true, .seed = (uint64_t)number };
	uint32_t i, n = history_count(&p->p->a);
	enum certify_how how;
	const char *why;
	char said[300];
	arena s;

	arena_init(&s);
	for (i = 0; i < n; i++) {
		const hist_entry *f = history_at(&p->p->a, i);
		if (f->rule >= rules_n(p->p->r))
			continue;
		l.wild = prover_prim(p->p, f->rule) != prim_token_product;	/* it assumes that a value is finite */
		why = certify_firing(&p->p->a, f, &l, &how, &s);
		hunt.tally->steps++;
		if (!why)
			continue;
		snprintf(said, sizeof said, "step %u, %s: %s", i, prover_rule_name(p->p, f->rule), why);
		found(WRONG_STEP, t, number, said);
		break;
	}
	arena_free(&s);
}

/* Reasons that speak of the program, not of the pair. */
static const char *internal_error(const struct problem *p)
{
	const program *side[] = { p->base, p->dist };
	int k, j;

	for (k = 0; k < 2; k++)
		for (j = 0; j < side[k]->nrow; j++) {
			eg_id t = side[k]->row[j].tensor;
			const char *why = t == NIL ? NULL : prover_lift_reason(p->p, t);
			if (why && strstr(why, "internal"))
				return why;
		}
	for (k = 0; k < p->q->ngoal; k++)
		if (p->q->goal[k].why && strstr(p->q->goal[k].why, "internal"))
			return p->q->goal[k].why;
	return NULL;
}

/* ---- one mutant */

static int kind_of(const char *what)
{
	int k;

	for (k = 0; k < mutate_kinds(); k++)
		if (!strncmp(what, mutate_kind(k), strlen(mutate_kind(k))))
			return k;
	return 63;
}

static struct text_pair text_copy(const struct text_pair *t)
{
	return (struct text_pair){ strdup(t->base), strdup(t->dist), strdup(t->plan) };
}

/* The kinds of numbers on which a pair that should be right agrees. */
static void agreement(struct problem *p, struct source *s)
{
	const char *why;
	struct numbers_setup *n = numbers_setup(p, &why);
	char said[1600] = "";
	bool poles;
	enum outcome out;
	unsigned all = (1u << NUMBERS_KINDS) - 1, d;

	s->kinds[0] = s->kinds[1] = 0;
	if (n && affordable(n)) {
		d = differing(n, INTERP_REALS, 1e-6, all, 1, &poles, said, sizeof said, &out);
		s->kinds[0] = out == REFUSED ? 0 : all & ~d;
		d = differing(n, INTERP_DECLARED, 1e-4, all, 1, &poles, said, sizeof said, &out);
		s->kinds[1] = out == REFUSED ? 0 : s->kinds[0] & ~d;
	}
	numbers_setup_free(n);
}

/* A random pair; those nobody breaks are counted by themselves. */
static bool random_source(struct dice *d, struct source *s, long number)
{
	struct diag err;
	struct problem *p;
	char text[1200];

	s->t = random_pair(d);
	s->name = "random";
	p = load(&s->t, &err);
	if (!p) {
		snprintf(hunt.tally->what, sizeof hunt.tally->what, "random pair");
		found(INTERNAL, &s->t, number, diag_text(&err, text, sizeof text));
		return false;
	}
	agreement(p, s);
	if (s->kinds[0]) {
		const char *why;
		snprintf(hunt.tally->what, sizeof hunt.tally->what, "random pair, not broken");
		hunt.tally->right++;
		if (prove(p) == compared(p))
			hunt.tally->right_proved++;
		else if (hunt.verbose)
			printf("right, not proved %ld\n", number);
		why = internal_error(p);
		if (why)
			found(INTERNAL, &s->t, number, why);
	}
	problem_free(p);
	return s->kinds[0] != 0;
}

static bool edits(struct dice *d, struct text_pair *t)
{
	char one[300];
	size_t at = strlen(hunt.tally->what);
	int k, n = 1 + dice_below(d, 2), done = 0;

	for (k = 0; k < 8 && done < n; k++)
		if (mutate(d, t, one, sizeof one)) {
			snprintf(hunt.tally->what + at, sizeof hunt.tally->what - at, " + %s", one);
			at = strlen(hunt.tally->what);
			done++;
		}
	return done > 0;
}

/* Seconds of computing until the next mutant has to be reached; 0: no limit. */
static void watch(int seconds)
{
	struct itimerval t = { .it_value.tv_sec = seconds };

	setitimer(ITIMER_PROF, &t, NULL);
}

static void one(long number)
{
	struct dice d = { hunt.seed * 0x2545f4914f6cdd1dull + (uint64_t)number };
	struct source random = { 0 }, *from = &random;
	struct text_pair t;
	struct diag err;
	struct problem *p;
	const char *why;
	int met, kind;

	hunt.tally->now = number;
	snprintf(hunt.tally->what, sizeof hunt.tally->what, "random pair");
	watch(HANG);
	dice_next(&d);
	if (hunt.nsource && dice_below(&d, 2))
		from = &hunt.source[dice_below(&d, hunt.nsource)];
	else if (!random_source(&d, &random, number))
		goto out;
	snprintf(hunt.tally->what, sizeof hunt.tally->what, "%s", from->name);
	t = text_copy(&from->t);
	if (edits(&d, &t)) {
		hunt.tally->tried++;
		kind = kind_of(strstr(hunt.tally->what, " + ") + 3);
		watch(HANG);
		p = load(&t, &err);
		if (p) {
			met = prove(p);
			why = internal_error(p);
			if (why)
				found(INTERNAL, &t, number, why);
			if (hunt.steps)
				check_steps(p, &t, number);
			if (met)
				check_proof(p, from, &t, number);
			if (met < compared(p))
				check_unproved(p, from, kind, number);
			problem_free(p);
		} else {
			hunt.tally->unreadable++;
		}
	}
	text_pair_free(&t);
out:
	text_pair_free(&random.t);
	watch(0);
}

/* ---- sources */

static char *slurp(const char *path)
{
	struct input in;
	struct diag err;
	char *s;

	if (!input_read(&in, path, &err))
		return NULL;
	s = strdup(in.data);
	input_free(&in);
	return s;
}

static bool first_of(char **text, const char *stem, const char *const *form)
{
	char path[1000];

	for (; *form && !*text; form++) {
		snprintf(path, sizeof path, "%s.%s", stem, *form);
		*text = slurp(path);
	}
	return *text != NULL;
}

/* Proved, or equal in numbers. */
static bool right_pair(struct source *s)
{
	struct diag err;
	struct problem *p = load(&s->t, &err);

	if (!p)
		return false;
	agreement(p, s);
	problem_free(p);
	return s->kinds[0] != 0;
}

static void add_source(const char *path)
{
	static const char *const dist[] = { "fixed.hlo", "dist.hlo", NULL }, *const plan[] = { "fixed.plan", "plan", NULL };
	struct source s = { 0 };
	char stem[900];
	size_t n = strlen(path);
	pid_t child;
	int status;

	if (n < 10 || n >= sizeof stem || strcmp(path + n - 9, ".base.hlo"))
		return;
	snprintf(stem, sizeof stem, "%.*s", (int)n - 9, path);
	s.name = strrchr(stem, '/') ? strdup(strrchr(stem, '/') + 1) : strdup(stem);
	s.t.base = slurp(path);
	if (!s.t.base || !first_of(&s.t.dist, stem, dist) || !first_of(&s.t.plan, stem, plan) || strlen(s.t.base) > 100000)
		return;
	child = fork();	/* what its numbers are is found apart: it may take too long */
	if (!child) {
		alarm(10);
		_exit(right_pair(&s) ? (int)(s.kinds[0] | (s.kinds[1] ? 1u << NUMBERS_KINDS : 0)) : 0);
	}
	if (child < 0 || waitpid(child, &status, 0) < 0 || !WIFEXITED(status) || !WEXITSTATUS(status))
		return;
	s.kinds[0] = (unsigned)WEXITSTATUS(status) & ((1u << NUMBERS_KINDS) - 1);
	s.kinds[1] = WEXITSTATUS(status) >> NUMBERS_KINDS & 1 ? s.kinds[0] : 0;
	hunt.source = realloc(hunt.source, sizeof *hunt.source * (size_t)(hunt.nsource + 1));
	hunt.source[hunt.nsource++] = s;
}

/* ---- the hunt */

static void lost(long number, int status)
{
	struct dice d = { hunt.seed * 0x2545f4914f6cdd1dull + (uint64_t)number };
	struct source random = { .name = "random" }, *from = &random;
	struct text_pair t;
	char what[sizeof hunt.tally->what], said[80];
	enum kind e = WIFSIGNALED(status) && WTERMSIG(status) == SIGPROF ? HUNG : CRASH;

	memcpy(what, hunt.tally->what, sizeof what);
	dice_next(&d);
	if (hunt.nsource && dice_below(&d, 2))
		from = &hunt.source[dice_below(&d, hunt.nsource)];
	else
		random.t = random_pair(&d);
	t = text_copy(&from->t);
	if (strstr(what, " + ")) {
		snprintf(hunt.tally->what, sizeof hunt.tally->what, "%s", from->name);
		edits(&d, &t);
	}
	snprintf(said, sizeof said, "status %d", status);
	found(e, &t, number, said);
	text_pair_free(&t);
	text_pair_free(&random.t);
}

/* Mutants [from, to) in a process of their own, which may not come back. */
static long run(long from, long to)
{
	pid_t child;
	int status;

	hunt.tally->now = from;
	fflush(stdout);
	child = fork();
	if (!child) {
		for (; from < to; from++)
			one(from);
		fflush(stdout);
		_exit(0);
	}
	if (child < 0 || waitpid(child, &status, 0) < 0) {
		perror("soundness");
		exit(2);
	}
	if (WIFEXITED(status) && !WEXITSTATUS(status))
		return to;
	lost(hunt.tally->now, status);
	return hunt.tally->now + 1;
}

static void summary(double seconds)
{
	const struct tally *t = hunt.tally;
	int k;

	printf("%ld mutants in %.0f s, %ld not readable; %ld proved wholly or in part (%ld of them not computed); not proved: %ld "
	       "different, %ld equal on the numbers tried, %ld not computed\n", t->tried, seconds, t->unreadable, t->proved, t->unchecked,
	       t->differ, t->equal, t->undecided);
	if (t->steps)
		printf("%ld firings checked\n", t->steps);
	printf("random pairs nobody broke: %ld of %ld proved\n", t->right_proved, t->right);
	for (k = 0; k < mutate_kinds(); k++)
		if (t->equal_kind[k])
			printf("equal, not proved: %ld %s\n", t->equal_kind[k], mutate_kind(k));
	for (k = 0; k < EVENTS; k++)
		if (t->event[k])
			printf("%s: %ld\n", event_name[k], t->event[k]);
}

static void remove_scratch(void)
{
	DIR *d = opendir(hunt.scratch);
	struct dirent *e;
	char path[400];

	while (d && (e = readdir(d))) {
		snprintf(path, sizeof path, "%s/%s", hunt.scratch, e->d_name);
		if (*e->d_name != '.')
			unlink(path);
	}
	if (d)
		closedir(d);
	rmdir(hunt.scratch);
}

int main(int argc, char **argv)
{
	double start = clock_now(), limit = 1e9;
	long n, k;
	int i, bad = 0;

	hunt.folder = "soundness-found";
	hunt.rules = SRCDIR "/rules";
	if (argc < 3) {
		fprintf(stderr, "usage: soundness N SEED [-o FOLDER] [-r RULES] [-t SECONDS] [-s] [-v] FILES..\n");
		return 2;
	}
	n = atol(argv[1]);
	hunt.seed = strtoull(argv[2], NULL, 0);
	strcpy(hunt.scratch, access("/dev/shm", W_OK) ? "/tmp/soundness-XXXXXX" : "/dev/shm/soundness-XXXXXX");
	hunt.tally = mmap(NULL, sizeof *hunt.tally, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (!mkdtemp(hunt.scratch) || hunt.tally == MAP_FAILED) {
		perror("soundness");
		return 2;
	}
	for (i = 3; i < argc; i++)
		if (!strcmp(argv[i], "-o") && i + 1 < argc)
			hunt.folder = argv[++i];
		else if (!strcmp(argv[i], "-t") && i + 1 < argc)
			limit = atof(argv[++i]);
		else if (!strcmp(argv[i], "-r") && i + 1 < argc)
			hunt.rules = argv[++i];
		else if (!strcmp(argv[i], "-s"))
			hunt.steps = true;
		else if (!strcmp(argv[i], "-v"))
			hunt.verbose = true;
		else
			add_source(argv[i]);
	printf("%d pairs read\n", hunt.nsource);
	for (k = 0; k < n && clock_now() - start < limit;)
		k = run(k, k + 50 < n ? k + 50 : n);
	summary(clock_now() - start);
	for (i = 0; i < EVENTS; i++)
		bad += hunt.tally->event[i] && i != POLE && i != ROUNDING;
	remove_scratch();
	return bad > 0;
}
