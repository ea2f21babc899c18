/* fuzz.h - what the fuzz targets demand of any input: a failed demand aborts, and the driver keeps the input. */
#ifndef DIVERGE_FUZZ_H
#define DIVERGE_FUZZ_H

#include <stdio.h>
#include <stdlib.h>
#include "hlo/hlo_print.h"
#include "hlo/hlo_text.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static inline void demand(bool ok, const char *what)
{
	if (ok)
		return;
	fprintf(stderr, "%s\n", what);
	abort();
}

/* A module prints as text that reads back as an equal module. */
static inline void demand_reads_back(const module *m)
{
	char *text = NULL, why[1200] = "";
	struct diag d;
	size_t n = 0;
	arena a;
	FILE *f = open_memstream(&text, &n);
	const char *difference;
	module *again;

	hlo_print(f, m);
	fclose(f);
	again = hlo_read_text("again", text, n, &d);
	demand(again != NULL, again ? "" : diag_text(&d, why, sizeof why));
	arena_init(&a);
	difference = module_difference(&a, m, again, true);
	demand(!difference, difference);
	arena_free(&a);
	module_free(again);
	free(text);
}

#endif
