/* vendor.h - what calls of cuDNN and cuBLAS compute, written out in HLO.
 *
 * Convolutions (forward, with bias and activation, backward to the input and to
 * the filter) and matrix products with their epilogues, as XLA calls them: from
 * window, dim_labels and backend_config.  A field of the configuration that is
 * not known here, or a value of one, and the call has no text, but a reason.
 */
#ifndef DIVERGE_VENDOR_H
#define DIVERGE_VENDOR_H

#include "tensor/graph.h"

/* What the call computes, in words; NULL: no call of theirs that can be written out. */
const char *vendor_words(const inst *i);
/* Why one of theirs cannot be, in words behind its name: "it has no backend_config ..", in the arena; NULL: it can, or is none. */
const char *vendor_refusal(arena *a, const inst *i);
/* The module, in the arena: its entry takes the call's operands and gives its results but for the memory it works in, which is last. */
char *vendor_text(arena *a, const inst *i);

#endif
