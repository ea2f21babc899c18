/* bench_math [STEPS [off|on|delta ..]] - the math benchmark, one line per mode:
 * mode, steps, seconds, peak MB, nodes, classes, then what one small firing and
 * its undo cost on the graph it left.  `off`: no trail, no proofs; `on`: both;
 * `delta` added: semi-naive matching.  Every mode runs in a process of its own.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "rule/egglog.h"

#ifndef SRCDIR
#define SRCDIR "."
#endif

static const uint32_t golden[] = { 35, 69, 118, 208, 389, 784, 1576, 3160, 8113, 28303, 136446, 1047896 };

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static char *slurp(const char *name, size_t *n)
{
	FILE *f = fopen(name, "rb");
	char *text = malloc(1 << 20);

	if (!f || !text) {
		perror(name);
		exit(2);
	}
	*n = fread(text, 1, 1 << 20, f);
	fclose(f);
	return text;
}

/* A rule of its own on the one Ln node: build, union, undo. */
static double small_firing(rules *r, firings *f, uint32_t k, double *undo)
{
	egraph *g = rules_egraph(r);
	char text[100];
	uint32_t n;
	matcher *m = matcher_new(r);
	trail_mark mark;
	double t, fire_time;

	snprintf(text, sizeof text, "(rewrite (Ln x) (Pow x (Num %u)))", 1000 + k);
	if (rules_read(r, "small", text, strlen(text)))
		exit(2);
	mark = trail_at(eg_trail(g));
	t = now();
	if (!match_at(m, rules_at(r, rules_n(r) - 1), eg_family_nodes(g, eg_family_named(g, "Ln"), &n)[0]))
		exit(2);
	fire(f, m, false);
	fire_time = now() - t;
	t = now();
	trail_undo(eg_trail(g), mark);
	*undo = now() - t;
	matcher_free(m);
	return fire_time;
}

static void run(const char *mode, uint32_t steps)
{
	double t = now(), fire_time, undo;
	egraph *g = eg_new();
	rules *r = rules_new(g);
	firings *f = firings_new(r);
	schedule *s = schedule_new(f);
	egglog *p = egglog_new(f, s, NULL, NULL);
	struct rusage u;
	const char *error;
	uint32_t k;
	size_t n;
	char *text = slurp(SRCDIR "/tests/math.egg", &n);

	eg_trail(g)->on = !!strstr(mode, "on");
	eg_set_proofs(g, eg_trail(g)->on);
	eg_set_track(g, !!strstr(mode, "delta"));
	error = egglog_load(p, "tests/math.egg", text, n);
	if (!error)
		error = egglog_run(p);
	for (k = 1; k <= steps && !error; k++)
		error = schedule_run(s, 0);
	if (error) {
		fprintf(stderr, "%s\n", error);
		exit(2);
	}
	t = now() - t;
	getrusage(RUSAGE_SELF, &u);
	printf("%-9s %u %.3f s %.1f MB %u nodes %u classes", mode, steps, t, (double)u.ru_maxrss / 1024, eg_live(g),
	       eg_nclass(g));
	if (steps < sizeof golden / sizeof *golden && eg_live(g) != golden[steps]) {
		printf("  WRONG: %u expected\n", golden[steps]);
		exit(1);
	}
	if (eg_trail(g)->on) {
		small_firing(r, f, 0, &undo);
		fire_time = small_firing(r, f, 1, &undo);
		printf("  firing %.4f ms undo %.4f ms", fire_time * 1e3, undo * 1e3);
	}
	printf("\n");
}

int main(int argc, char **argv)
{
	static char *all[] = { "off", "on", "off-delta", "on-delta" };
	uint32_t steps = argc > 1 ? (uint32_t)atoi(argv[1]) : 11;
	char **mode = argc > 2 ? argv + 2 : all;
	int n = argc > 2 ? argc - 2 : 4, i, status, bad = 0;

	for (i = 0; i < n; i++) {
		pid_t child = fork();

		if (!child) {
			run(mode[i], steps);
			fflush(stdout);
			_exit(0);
		}
		waitpid(child, &status, 0);
		bad |= status;
	}
	return bad ? 1 : 0;
}
