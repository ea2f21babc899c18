/* instruction.h - can a node of sort Tensor stand in a program: its attributes and its operands agree.
 *
 * Programs are checked where they are read; this is for nodes from elsewhere:
 * what a rule of a user builds, what a proof's file says.  What reads a Tensor
 * node afterwards (lift.h, certify.h) takes its attributes apart as the lowering
 * writes them, without looking for their ends.
 *
 * An instruction like one there is - the same operator over operands of the same
 * types and extents - needs no other reason; what has few attributes is checked
 * by its meaning.
 */
#ifndef DIVERGE_INSTRUCTION_H
#define DIVERGE_INSTRUCTION_H

#include "core/layout.h"

/* Elementwise: name, operands, types.
 *   f floating point   n numbers   i integers   l integers and truth values   a all of these
 *   q compare: operands of one type, a truth value   p is-finite: a float, a truth value   c convert: any
 *   s select: truth values, then two of the result's type   m clamp: bounds may be scalars */
#define INSTRUCTIONS_BY_PLACES(X) \
	X("abs", 1, 'n') X("acos", 1, 'f') X("acosh", 1, 'f') X("asin", 1, 'f') X("asinh", 1, 'f') X("atanh", 1, 'f') \
	X("cbrt", 1, 'f') X("ceil", 1, 'f') X("cosine", 1, 'f') X("cosh", 1, 'f') X("count-leading-zeros", 1, 'i') \
	X("erf", 1, 'f') X("exponential", 1, 'f') X("exponential-minus-one", 1, 'f') X("floor", 1, 'f') X("log", 1, 'f') \
	X("log-plus-one", 1, 'f') X("logistic", 1, 'f') X("negate", 1, 'n') X("not", 1, 'l') X("popcnt", 1, 'i') \
	X("round-nearest-afz", 1, 'f') X("round-nearest-even", 1, 'f') X("rsqrt", 1, 'f') X("sign", 1, 'n') X("sine", 1, 'f') \
	X("sinh", 1, 'f') X("sqrt", 1, 'f') X("tan", 1, 'f') X("tanh", 1, 'f') X("copy", 1, 'a') \
	X("add", 2, 'a') X("subtract", 2, 'n') X("multiply", 2, 'a') X("divide", 2, 'n') X("maximum", 2, 'a') X("minimum", 2, 'a') \
	X("and", 2, 'l') X("or", 2, 'l') X("xor", 2, 'l') X("power", 2, 'n') X("remainder", 2, 'n') X("atan2", 2, 'f') \
	X("shift-left", 2, 'i') X("shift-right-arithmetic", 2, 'i') X("shift-right-logical", 2, 'i') \
	X("compare", 2, 'q') X("is-finite", 1, 'p') X("convert", 1, 'c') X("select", 3, 's') X("clamp", 3, 'm')

struct by_places {
	const char *name;
	uint32_t n;
	char types;
};
const struct by_places *instruction_by_places(const char *family);	/* NULL: it is not one of them */
bool instruction_takes(char types, int type);	/* may the result be of this element type? */

/* The directions of compare. */
enum { INSTRUCTION_ORDERS = 6 };
extern const char *const instruction_order[INSTRUCTION_ORDERS];

enum { INSTRUCTION_RANK = 16 };
typedef struct tensor_form {
	int type, rank;
	int64_t ndev;
	const int64_t *dim;
} tensor_form;
bool instruction_form(const algebra *a, eg_id t, tensor_form *f);	/* of a Tensor or Laid node; false: of no other */
int64_t form_elements(const tensor_form *f);	/* on one device */

/* NULL, or what is wrong: a static sentence. */
const char *instruction_fault(const algebra *a, eg_fam f, uint32_t nval, const eg_val *val, uint32_t narg, const eg_id *arg);

#endif
