/* hlo_proto.h - HloModuleProto, HloProto and HloSnapshot binaries.
 *
 * The graph is the same as that of the text XLA prints for the module: values
 * of attributes are put into that text first and read as text is.  What text
 * has not is kept as header attributes: the shardings of inputs and outputs
 * that the SPMD partitioner leaves.  On failure NULL, and *err without a line.
 */
#ifndef DIVERGE_HLO_PROTO_H
#define DIVERGE_HLO_PROTO_H

#include "tensor/graph.h"
#include "text/diag.h"

module *hlo_read_proto(const char *file, const void *data, size_t n, struct diag *err);

#endif
