/* Runs a fuzz target without a fuzzer: every file given as it is, then RUNS
 * (environment, default 2000) mutations of each.  The mutations depend on
 * nothing but the files, so a crash comes back.  FUZZ_KEEP=FILE writes the input
 * of the moment there before it is tried. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { ROOM = 1 << 16 };
static uint64_t seed = 88172645463325252u;

/* Marsaglia, "Xorshift RNGs" (2003). */
static uint64_t next(uint64_t below)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return seed % below;
}

static void try(const uint8_t *data, size_t n)
{
	const char *keep = getenv("FUZZ_KEEP");
	FILE *f = keep ? fopen(keep, "w") : NULL;
	uint8_t *exact = malloc(n ? n : 1);	/* of the exact size, so that a sanitizer sees one byte too many */

	if (f) {
		fwrite(data, 1, n, f);
		fclose(f);
	}
	memcpy(exact, data, n);
	LLVMFuzzerTestOneInput(exact, n);
	free(exact);
}

/* Replaces, drops or doubles a piece. */
static size_t mutate(uint8_t *d, size_t n)
{
	size_t at = n ? next(n) : 0, len = n ? next(n - at < 24 ? n - at : 24) + 1 : 0;

	if (at + len > n)
		len = n - at;
	switch (next(5)) {
	case 0:
		if (n)
			d[at] = (uint8_t)next(256);
		return n;
	case 1:
		if (n)
			d[at] = (uint8_t)"0123456789(){}[],;:=%-<>.#\"\n "[next(29)];
		return n;
	case 2:
		memmove(d + at, d + at + len, n - at - len);
		return n - len;
	case 3:
		if (n + len > ROOM)
			return n;
		memmove(d + at + len, d + at, n - at);
		return n + len;
	default:
		if (n)
			memmove(d + next(n - len + 1), d + at, len);
		return n;
	}
}

static void mutations(const uint8_t *data, size_t n, long runs)
{
	static uint8_t d[ROOM + 32];
	size_t m;
	long i, k;

	n = n > ROOM ? ROOM : n;
	for (i = 0; i < runs; i++) {
		memcpy(d, data, n);
		m = n;
		for (k = (long)next(6) + 1; k; k--)
			m = mutate(d, m);
		try(d, m);
	}
}

int main(int argc, char **argv)
{
	static uint8_t data[1 << 22];
	const char *runs = getenv("RUNS");
	size_t n;
	FILE *f;
	int i;

	for (i = 1; i < argc; i++) {
		f = fopen(argv[i], "r");
		if (!f) {
			perror(argv[i]);
			return 2;
		}
		n = fread(data, 1, sizeof data, f);
		fclose(f);
		try(data, n);
		mutations(data, n, runs ? strtol(runs, NULL, 10) : 2000);
	}
	printf("%d files\n", argc - 1);
	return argc < 2;
}
