/* firing_explain.h - explanations from the log of firings.
 *
 * A firing's premises: the arguments of every matched node and the values its
 * pattern's variables have, a fact's maker, a function's writer, the nodes of
 * host atoms and the classes they were asked about; and for every node built,
 * its arguments as the rule wrote them and as they stand in the node found.
 */
#ifndef DIVERGE_FIRING_EXPLAIN_H
#define DIVERGE_FIRING_EXPLAIN_H

#include "egraph/explain.h"
#include "rule/firing.h"

explain_source firings_source(const firings *f);

/* A node as first written, arguments below `depth` shortened to `..`. */
const char *node_text(const rules *r, arena *a, eg_id n, uint32_t depth);
/* The value that a row of a function has now; NULL: it has none, or the node is no such row. */
const char *function_value_text(const rules *r, arena *a, eg_id n, uint32_t depth);
/* One line: the rule (or congruence, given, assumed) and the two sides. */
const char *explain_text(const firings *f, arena *a, const explain_item *it, uint32_t depth);

#endif
