/* Any bytes as a protobuf: an error, or a module that prints as text which
 * reads back as an equal module. */
#include <stdio.h>
#include <stdlib.h>
#include "hlo_print.h"
#include "hlo_proto.h"
#include "hlo_text.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void demand(bool ok, const char *what)
{
	if (ok)
		return;
	fprintf(stderr, "%s\n", what);
	abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = NULL, why[1200];
	struct diag d;
	size_t n = 0;
	FILE *f;
	arena a;
	const char *difference;
	module *m = hlo_read_proto("input", data, size, &d), *again;

	if (!m) {
		demand(*d.message, "a failure without a message");
		return 0;
	}
	f = open_memstream(&text, &n);
	hlo_print(f, m);
	fclose(f);
	again = hlo_read_text("again", text, n, &d);
	demand(again != NULL, again ? "" : diag_text(&d, why, sizeof why));
	arena_init(&a);
	difference = module_difference(&a, m, again, true);
	demand(!difference, difference);
	arena_free(&a);
	module_free(again);
	module_free(m);
	free(text);
	return 0;
}
