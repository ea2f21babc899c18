/* Any bytes as a protobuf: an error, or a module that prints as text which
 * reads back as an equal module. */
#include "fuzz.h"

#include "hlo/hlo_proto.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct diag d;
	module *m = hlo_read_proto("input", data, size, &d);

	if (!m) {
		demand(*d.message, "a failure without a message");
		return 0;
	}
	demand_reads_back(m);
	module_free(m);
	return 0;
}
