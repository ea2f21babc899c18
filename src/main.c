/* main.c - the program: reads the command line, then a batch or a screen. */
#include <errno.h>
#include <malloc.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "app.h"
#include "command/batch.h"
#include "command/command.h"
#include "command/lesson.h"
#include "command/options.h"
#include "prompt.h"
#include "proof/certificates.h"
#include "proof/proof_file.h"
#include "report/report.h"
#include "session/session.h"
#include "text/data.h"

#define TROUBLE 2
#define QUIET 0.2		/* seconds that need no word */
#define HEAP_KEPT (32 << 20)
#define HEAP_STEP (1 << 20)

static void die(const char *why)
{
	fprintf(stderr, "diverge: %s\n", why);
	exit(TROUBLE);
}

static int say_trouble(const struct diag *err)
{
	char text[1200];

	fprintf(stderr, "%s\n", diag_text(err, text, sizeof text));
	return TROUBLE;
}

/* What was printed has to have arrived: a full disk or a closed stdout is trouble. */
static int close_stdout(int status)
{
	bool bad = ferror(stdout) != 0;

	if (fclose(stdout) || bad) {
		fprintf(stderr, "diverge: standard output: %s\n", errno ? strerror(errno) : "cannot be written");
		return TROUBLE;
	}
	return status;
}

/* ---- the files */

/* The pair that is opened when none is named: a broken one, so there is something to find. */
static const char *const sample[] = { "samples/attention.base.hlo", "samples/attention.broken.hlo", "samples/attention.plan" };

static struct problem_files files_of(struct options *o)
{
	if (!o->base) {
		o->base = o->owned[0] = data_path(sample[0]);
		o->dist = o->owned[1] = data_path(sample[1]);
		if (!o->plan)
			o->plan = o->owned[2] = data_path(sample[2]);
	}
	return (struct problem_files){ o->base, o->dist, o->plan, o->rules, o->no_trail };
}

/* ---- batch */

static int print_report(struct report *r, bool json)
{
	int status = report_exit(r);

	(json ? report_json : report_text)(r, stdout);
	report_free(r);
	return status;
}

/* What the checker says; with --json only what is wrong is said, on stderr. */
static int certify(const struct problem *p, const struct options *o, int status)
{
	struct page page;
	bool good;

	if (!o->certify)
		return status;
	page_init(&page);
	good = certificates_page(p->q, &page);
	if (!o->json || !good)
		page_print(&page, good ? stdout : stderr);
	page_release(&page);
	return good ? status : TROUBLE;
}

/* What takes long says so on a terminal, and ^C ends that alone: the verdict is known by then. */
static volatile sig_atomic_t enough;

static void on_interrupt(int sig)
{
	(void)sig;
	enough = 1;
}

struct trying {
	double began;		/* 0: not yet */
	bool said;
	void (*before)(int sig);	/* what ^C did; one that was ignored stays so */
};

static bool watch_trying(void *ctx, int tried)
{
	struct trying *t = ctx;

	(void)tried;
	if (!t->began) {
		t->began = report_clock();
		t->before = signal(SIGINT, on_interrupt);
		if (t->before == SIG_IGN)
			signal(SIGINT, SIG_IGN);
	}
	if (!t->said && isatty(STDERR_FILENO) && report_clock() - t->began > QUIET) {
		t->said = true;
		fprintf(stderr, "not proved; other relations of what was inferred are tried, ^C ends that\n");
	}
	return enough;
}

static struct report *verdict(struct problem *p, double started)
{
	struct trying t = { .said = false };
	const struct alternatives_watch watch = { watch_trying, &t };
	struct report *r = report_run(p, started, &watch);

	if (t.began)
		signal(SIGINT, t.before == SIG_ERR ? SIG_DFL : t.before);
	return r;
}

/* Nothing is given back at the end: the kernel takes everything at once when the
 * program leaves, in a fraction of the time. */
static int run_to_verdict(struct options *o)
{
	static struct problem *p;	/* in sight to the end: no leak */
	struct problem_files f = files_of(o);
	double started = report_clock();
	struct diag err;

	p = problem_load(&f, &err);
	if (!p)
		return say_trouble(&err);
	return certify(p, o, print_report(verdict(p, started), o->json));
}

/* The exit status is that of a verdict: proved, under hypotheses, a limit, not everything. */
static int check_proof(struct options *o)
{
	static const int status[] = { [PROOF_BAD] = TROUBLE, [PROOF_HOLDS] = 0, [PROOF_UNDER] = 4, [PROOF_TOO_LARGE] = 3, [PROOF_PARTLY] = 1 };
	struct problem_files f = files_of(o);
	enum proof_outcome r;
	struct problem *p;
	struct page page;
	struct diag err;

	p = problem_load(&f, &err);
	if (!p)
		return say_trouble(&err);
	page_init(&page);
	r = proof_file_check(p, o->check, &page, &err);
	if (r == PROOF_BAD)
		say_trouble(&err);
	else
		page_print(&page, stdout);
	page_release(&page);
	problem_free(p);
	return status[r];
}

static struct session *open_session(struct options *o)
{
	struct problem_files f = files_of(o);
	struct diag err;
	struct session *s = session_new(&f, &err);

	if (!s)
		say_trouble(&err);
	return s;
}

static int session_verdict(struct session *s, const struct options *o, double seconds)
{
	struct report *r = session_report(s, seconds);
	int status = report_exit(r);

	if (o->json)
		report_json(r, stdout);
	report_free(r);
	return status;
}

/* A script that only checked rules is judged by that; and a counterexample is never a success. */
static int checked_status(const struct session *s, int status)
{
	static const int only[] = { [CHECKED_RIGHT] = 0, [CHECKED_PARTLY] = 3, [CHECKED_WRONG] = 1 };
	enum checked c = session_checked(s);

	if (c == CHECKED_NOTHING || status == TROUBLE || (c != CHECKED_WRONG && session_step(s)))
		return status;
	return only[c];
}

static int run_commands(struct options *o)
{
	struct session_host host = { .ctx = NULL };
	double started = report_clock();
	struct session *s = open_session(o);
	struct app *a = s && o->width ? app_new(s, o->width, o->height) : NULL;
	int status = TROUBLE;
	bool left;

	if (!s)
		return TROUBLE;
	if (a)
		host = app_host(a);
	if (batch_commands(s, o, host, o->json, &left))
		status = checked_status(s, certify(session_problem(s), o, session_verdict(s, o, report_clock() - started)));
	if (a)
		app_free(a);
	session_free(s);
	return status;
}

/* ---- the screen */

static int run_screen(struct options *o)
{
	/* the words of these options are in the order of their enums */
	struct term_options t = { .colour = (enum colour_mode)o->color, .background = (enum background)o->background, .mouse = o->mouse };
	struct session *s = open_session(o);
	struct session_host host;
	struct app *a;
	char why[256];
	int status = 0;
	bool left = false;

	if (!s)
		return TROUBLE;
	a = app_new(s, 80, 24);
	host = app_host(a);
	session_set_host(s, &host);
	if (o->ncommand)
		batch_commands(s, o, host, false, &left);
	if (!left && !app_run(a, &t, why, sizeof why)) {
		fprintf(stderr, "diverge: %s\n", why);
		status = TROUBLE;
	}
	app_free(a);
	session_free(s);
	return status;
}

/* ---- all */

static int run(struct options *o)
{
	if (o->help)
		return options_usage(stdout), 0;
	if (o->version)
		return printf("diverge %s\n", PACKAGE_VERSION), 0;
	if (o->help_man)
		return lesson_man(stdout), options_man(stdout), command_man(stdout), app_man(stdout), report_man(stdout), 0;
	if (o->base && !o->dist)
		return o->batch ? lesson_run(o->base) : lesson_step(o->base, prompt_ask);
	if (o->check)
		return check_proof(o);
	if (!o->batch)
		return run_screen(o);
	return o->ncommand ? run_commands(o) : run_to_verdict(o);
}

/* What one step gives back, the next one takes: memory that goes to the kernel
 * and comes again costs more than all else that is done with it. */
static void keep_memory(void)
{
#ifdef M_TRIM_THRESHOLD
	mallopt(M_TRIM_THRESHOLD, HEAP_KEPT);
	mallopt(M_MMAP_THRESHOLD, HEAP_KEPT);
	mallopt(M_TOP_PAD, HEAP_STEP);
#endif
}

int main(int argc, char **argv)
{
	struct options o;
	int status = TROUBLE;

	keep_memory();
	die_hook = die;
	if (options_read(&o, argc, argv))
		status = run(&o);
	options_release(&o);
	return close_stdout(status);
}
