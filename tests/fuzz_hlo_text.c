/* Any bytes as HLO text: either one line that says what is wrong, or a module
 * that prints as text which reads back as an equal module. */
#include "fuzz.h"

#include <string.h>

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
	demand_reads_back(m);
	module_free(m);
	return 0;
}
