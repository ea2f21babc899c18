/* fuzz_rules FILE..: reads each as an egglog program, with limits, and must
 * neither crash nor hang; with -s N SEED, N mutations of the files' text. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "egglog.h"

enum { STEPS = 400, NODES = 3000 };

static void run_text(const char *text, size_t n)
{
	egraph *g = eg_new();
	rules *r = rules_new(g);
	firings *f = firings_new(r);
	schedule *s = schedule_new(f);
	egglog *p = egglog_new(f, s, NULL, NULL);
	uint32_t k;
	const char *why;

	eg_set_track(g, n & 1);
	schedule_limit(s, NODES);
	if (!egglog_load(p, "fuzz", text, n))
		for (k = 0; k < STEPS && egglog_step(p) != EGGLOG_END; k++)
			;
	why = eg_check(g);
	if (!why) {
		trail_undo(eg_trail(g), 0);
		why = eg_nnode(g) ? "nodes are left" : eg_check(g);
	}
	if (why) {
		fprintf(stderr, "%s\n%.*s\n", why, (int)n, text);
		abort();
	}
	egglog_free(p);
	schedule_free(s);
	firings_free(f);
	rules_free(r);
	eg_free(g);
}

static uint64_t seed;

static uint32_t rnd(uint32_t n)
{
	seed = seed * 6364136223846793005ull + 1442695040888963407ull;
	return (uint32_t)((seed >> 33) % n);
}

/* A piece of the text over another place of it, a byte changed, a piece left out. */
static size_t mutate(char *text, size_t n)
{
	uint32_t times = 1 + rnd(4);

	while (times-- && n > 4) {
		size_t len = 1 + rnd(n < 40 ? (uint32_t)n / 2 : 20), from = rnd((uint32_t)(n - len)), to = rnd((uint32_t)(n - len));

		switch (rnd(4)) {
		case 0:
			memmove(text + to, text + from, len);
			break;
		case 1:
			text[to] = "()\"; ax0-1.:*_\n"[rnd(15)];
			break;
		case 2:
			memmove(text + from, text + from + len, n - from - len);
			n -= len;
			break;
		default:
			text[to] = (char)rnd(256);
		}
	}
	return n;
}

int main(int argc, char **argv)
{
	static char text[1 << 20], copy[1 << 20];
	uint32_t times = 0, k;
	int i = 1;

	if (argc > 3 && !strcmp(argv[1], "-s")) {
		times = (uint32_t)atoi(argv[2]);
		seed = (uint64_t)atoi(argv[3]);
		i = 4;
	}
	for (; i < argc; i++) {
		FILE *f = fopen(argv[i], "rb");
		size_t n;

		if (!f) {
			perror(argv[i]);
			return 2;
		}
		n = fread(text, 1, sizeof text, f);
		fclose(f);
		run_text(text, n);
		for (k = 0; k < times; k++) {
			memcpy(copy, text, n);
			run_text(copy, mutate(copy, n));
		}
	}
	return 0;
}
