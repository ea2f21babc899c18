/* Any bytes as HLO text: either one line that says what is wrong, or a module
 * that prints as text which reads back as an equal module. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "hlo_print.h"
#include "hlo_text.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void demand(bool ok, const char *what)
{
	if (ok)
		return;
	fprintf(stderr, "%s\n", what);
	abort();
}

static void read_back(const module *m)
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

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct diag d;
	char *text = calloc(size + 1, 1);	/* of the exact size, so that a sanitizer sees one byte too many */
	module *m;

	if (!text)
		return 0;
	if (size)
		memcpy(text, data, size);
	m = hlo_read_text("input", text, size, &d);
	free(text);
	if (!m) {
		demand(*d.message && d.line > 0 && !strchr(d.message, '\n'), "a failure without a place");
		return 0;
	}
	read_back(m);
	module_free(m);
	return 0;
}
