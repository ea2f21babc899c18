/* bench_redraw BASE DIST PLAN: how long a key takes until the screen is drawn
 * anew, without a terminal, at 80x24 and at 200x60: median and worst of some
 * presses, in milliseconds of processor time: what else runs does not count.
 *
 * First where the run stops by itself (the pair should have a fault in its
 * middle), then among verified rows before that, then at the verdict. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "app.h"
#include "command/command.h"

#define PRESSES 15

static const struct press {
	const char *what, *keys, *before, *after;
	int n;
} at_fault[] = {
	{ "cursor", "press j", NULL, NULL, PRESSES },
	{ "page", "press PageUp", NULL, NULL, PRESSES },
	{ "step", "press s", NULL, NULL, PRESSES },
	{ "reverse-step", "press [", NULL, NULL, PRESSES },
	{ "next", "press }", NULL, NULL, PRESSES },
	{ "reverse-next", "press {", NULL, NULL, PRESSES },
}, before_fault[] = {
	{ "step", "press s", NULL, NULL, 3 * PRESSES },
	{ "reverse-step", "press [", NULL, NULL, 3 * PRESSES },
	{ "next", "press }", NULL, NULL, PRESSES },
	{ "reverse-next", "press {", NULL, NULL, PRESSES },
}, at_verdict[] = {
	{ "frontier", "press f", "press Home", NULL, PRESSES },
	{ "reverse-step", "press [", NULL, NULL, PRESSES },
	{ "fold", "press Space", NULL, NULL, 2 },
	{ "fold all", "fold groups", NULL, "fold none", 3 },
	{ "source", "press l", "select base %add.100000", "press j", 3 },
	{ "plan", "info plan", NULL, "focus graph", 3 },
	{ "assumptions", "info assumptions", NULL, "focus graph", 3 },
	{ "search", "search no such line", NULL, NULL, 3 },
	{ "find", "find no such row", NULL, NULL, 3 },
	{ "filter", "filter all-reduce", NULL, "filter", 3 },
	{ "filter [", "press [", "filter all-reduce", "filter", 3 },
};

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

static void run(struct session *s, const char *line)
{
	if (line && !command_run(s, line)) {
		fprintf(stderr, "bench_redraw: %s: %s\n", line, session_message(s, NULL));
		exit(1);
	}
}

/* A key, and all that is done until its effect is seen. */
static double measure(struct app *a, const char *line)
{
	double t = now();

	app_key(a, line);
	return now() - t;
}

/* What is left is done while no key comes: how long one waits that comes then. */
static double measure_idle(struct app *a)
{
	double t = now(), worst = 0, last;

	for (last = t; app_idle(a); last = t) {
		t = now();
		worst = t - last > worst ? t - last : worst;
	}
	return worst;
}

static int by_time(const void *x, const void *y)
{
	const double *a = x, *b = y;

	return *a < *b ? -1 : *a > *b;
}

static void print_row(struct app *a, const struct press *p, const char *size)
{
	double t[3 * PRESSES], idle = 0, one;
	int i;

	for (i = 0; i < p->n; i++) {
		if (p->before)
			app_key(a, p->before);
		t[i] = measure(a, p->keys);
		one = measure_idle(a);
		idle = one > idle ? one : idle;
		if (p->after)
			app_key(a, p->after);
	}
	qsort(t, (size_t)p->n, sizeof *t, by_time);
	printf("%-14s %-8s %9.2f ms %9.2f ms worst", p->what, size, t[p->n / 2], t[p->n - 1]);
	printf(idle ? ", %.2f ms while it goes on\n" : "\n", idle);
}

/* start: the command that brings the run there again */
static void print_rows(struct session *s, const char *start, const struct press *p, size_t n)
{
	static const struct { int w, h; const char *text; } sizes[] = { { 80, 24, "80x24" }, { 200, 60, "200x60" } };
	struct session_host none = { .ctx = NULL }, h;
	struct app *a;
	size_t i, k;

	for (k = 0; k < sizeof sizes / sizeof *sizes; k++) {
		a = app_new(s, sizes[k].w, sizes[k].h);
		h = app_host(a);
		session_set_host(s, &h);
		run(s, start);
		printf("%-14s %-8s %9.2f ms\n", "first look", sizes[k].text, measure(a, "redraw"));
		for (i = 0; i < n; i++)
			print_row(a, &p[i], sizes[k].text);
		session_set_host(s, &none);
		app_free(a);
	}
}

static void print_place(struct session *s, const char *where)
{
	const egraph *g = session_problem(s)->p->g;

	printf("%s: %d + %d rows, %u nodes, step %u\n", where, session_problem(s)->base->nrow, session_problem(s)->dist->nrow, eg_nnode(g),
	       session_step(s));
}

static void die(const char *why)
{
	fprintf(stderr, "bench_redraw: %s\n", why);
	exit(2);
}

int main(int argc, char **argv)
{
	struct problem_files f = { .rules = NULL };
	char text[1200], back[64];
	struct diag err;
	struct session *s;

	if (argc != 4) {
		fprintf(stderr, "usage: bench_redraw BASE DIST PLAN\n");
		return 2;
	}
	die_hook = die;
	f.base = argv[1];
	f.dist = argv[2];
	f.plan = argv[3];
	f.rules = SRCDIR "/rules";
	s = session_new(&f, &err);
	if (!s)
		die(diag_text(&err, text, sizeof text));
	run(s, "continue");
	print_place(s, "at the first fault");
	print_rows(s, NULL, at_fault, sizeof at_fault / sizeof *at_fault);
	snprintf(back, sizeof back, "goto %u", session_step(s) * 19 / 20);
	run(s, back);
	print_place(s, "before it");
	print_rows(s, back, before_fault, sizeof before_fault / sizeof *before_fault);
	run(s, "continue!");
	print_place(s, "at the verdict");
	print_rows(s, "continue!", at_verdict, sizeof at_verdict / sizeof *at_verdict);
	session_free(s);
	return 0;
}
