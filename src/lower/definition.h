/* definition.h - custom calls with a public meaning, written out in HLO.
 *
 * A program that calls AwsNeuronRmsNorm or AwsNeuronSoftmax (f32, the axis in
 * backend_config) can so be compared with one that spells the same out.  The
 * definition is an assumption about the call: whoever uses it lists it.  Calls of
 * cuDNN and cuBLAS are written out in vendor.h.
 */
#ifndef DIVERGE_DEFINITION_H
#define DIVERGE_DEFINITION_H

#include "tensor/graph.h"
#include "text/diag.h"

/* What the call computes, in words; NULL when it has no definition here, or not for these types and shapes. */
const char *definition_words(const inst *i);
/* Why one that has a definition is not read as that: "it has no backend_config ..", in the arena; NULL: it is, or has none. */
const char *definition_refusal(arena *a, const inst *i);
/* A module of its own whose entry takes the call's operands and has its shape; instructions have the call's source and op_name.
 * The caller owns it.  Only where definition_words is not NULL. */
module *definition_module(const inst *i);
/* Does a module call this target anywhere? */
bool definition_called(const module *m, const char *target);
/* A call that is always read as its definition, as that is convolutions and products of matrices; its last results may be missing
 * there: memory that the call works in. */
bool definition_is_vendor(const inst *i);
module *definition_of_vendor(void *ctx, const inst *i);	/* definition_module of such a call, else NULL; ctx is not read */

#endif
