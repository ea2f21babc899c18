/* hlo_text.h - HLO text, as XLA, torch_xla and Neuron have printed it since 2022.
 *
 * A recursive-descent reader.  Accepted besides what XLA prints today: bare
 * and %-names, operands with shapes or without, missing headers, headers without
 * attributes, attributes and opcodes that are not known (kept, with a warning
 * each), result shapes that follow from the operands, fragments without their
 * last brace (a warning).  All shapes are checked (infer.h).
 *
 * A zero byte stands behind the n bytes of `text`; the module returned does not
 * point into it.  On failure the result is NULL and *err says where and what.
 * Only the first module of several in one file is read; that is a warning too.
 */
#ifndef DIVERGE_HLO_TEXT_H
#define DIVERGE_HLO_TEXT_H

#include "tensor/graph.h"
#include "text/diag.h"

module *hlo_read_text(const char *file, const char *text, size_t n, struct diag *err);

#endif
