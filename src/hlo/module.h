/* module.h - reading a program, whatever form its file has.
 *
 * HLO text, HloProto, HloModuleProto and HloSnapshot binaries, each plain or
 * gzip, told apart by content.  NULL and one diag on failure; text formats that
 * look alike but are not read (MLIR, protobuf text format) are named.
 */
#ifndef DIVERGE_MODULE_H
#define DIVERGE_MODULE_H

#include "tensor/graph.h"
#include "text/diag.h"

module *module_read(const char *path, struct diag *err);

#endif
