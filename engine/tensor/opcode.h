/* opcode.h - the HLO opcodes, once.
 *
 * X(NAME, text, fixed operand count or -1, class):
 *   u unary elementwise, b binary elementwise, t ternary elementwise, d data
 *   movement, c collective, r reduction or order, k contraction, x control or
 *   structure, i input or constant, e effect or hidden state, o other.
 * `-start`, `-update` and `-done` of collectives and copies have rows of their own
 * where XLA has the opcode; other X-start sugar is read as async-start.
 */
#ifndef DIVERGE_OPCODE_H
#define DIVERGE_OPCODE_H

#include <stddef.h>

#define OPCODES(X) \
	X(ABS, "abs", 1, 'u') X(ACOS, "acos", 1, 'u') X(ACOSH, "acosh", 1, 'u') X(ASIN, "asin", 1, 'u') \
	X(ASINH, "asinh", 1, 'u') X(ATANH, "atanh", 1, 'u') X(CBRT, "cbrt", 1, 'u') X(CEIL, "ceil", 1, 'u') \
	X(CONVERT, "convert", 1, 'u') X(COSINE, "cosine", 1, 'u') X(COSH, "cosh", 1, 'u') \
	X(COUNT_LEADING_ZEROS, "count-leading-zeros", 1, 'u') X(ERF, "erf", 1, 'u') \
	X(EXPONENTIAL, "exponential", 1, 'u') X(EXPONENTIAL_MINUS_ONE, "exponential-minus-one", 1, 'u') \
	X(FLOOR, "floor", 1, 'u') X(IMAG, "imag", 1, 'u') X(IS_FINITE, "is-finite", 1, 'u') X(LOG, "log", 1, 'u') \
	X(LOG_PLUS_ONE, "log-plus-one", 1, 'u') X(LOGISTIC, "logistic", 1, 'u') X(NEGATE, "negate", 1, 'u') \
	X(NOT, "not", 1, 'u') X(POPCNT, "popcnt", 1, 'u') X(REAL, "real", 1, 'u') \
	X(REDUCE_PRECISION, "reduce-precision", 1, 'u') X(ROUND_NEAREST_AFZ, "round-nearest-afz", 1, 'u') \
	X(ROUND_NEAREST_EVEN, "round-nearest-even", 1, 'u') X(RSQRT, "rsqrt", 1, 'u') X(SIGN, "sign", 1, 'u') \
	X(SINE, "sine", 1, 'u') X(SINH, "sinh", 1, 'u') X(SQRT, "sqrt", 1, 'u') X(TAN, "tan", 1, 'u') X(TANH, "tanh", 1, 'u') \
	X(BITCAST_CONVERT, "bitcast-convert", 1, 'u') X(COPY, "copy", 1, 'd') \
	X(ADD, "add", 2, 'b') X(ATAN2, "atan2", 2, 'b') X(COMPARE, "compare", 2, 'b') X(COMPLEX, "complex", 2, 'b') \
	X(DIVIDE, "divide", 2, 'b') X(MAXIMUM, "maximum", 2, 'b') X(MINIMUM, "minimum", 2, 'b') X(MULHI, "mulhi", 2, 'b') \
	X(MULTIPLY, "multiply", 2, 'b') X(AND, "and", 2, 'b') X(OR, "or", 2, 'b') X(POWER, "power", 2, 'b') \
	X(REMAINDER, "remainder", 2, 'b') X(SHIFT_LEFT, "shift-left", 2, 'b') \
	X(SHIFT_RIGHT_ARITHMETIC, "shift-right-arithmetic", 2, 'b') X(SHIFT_RIGHT_LOGICAL, "shift-right-logical", 2, 'b') \
	X(SUBTRACT, "subtract", 2, 'b') X(XOR, "xor", 2, 'b') X(STOCHASTIC_CONVERT, "stochastic-convert", 2, 'b') \
	X(SELECT, "select", 3, 't') X(CLAMP, "clamp", 3, 't') \
	X(BITCAST, "bitcast", 1, 'd') X(BROADCAST, "broadcast", 1, 'd') X(CONCATENATE, "concatenate", -1, 'd') \
	X(DYNAMIC_RESHAPE, "dynamic-reshape", -1, 'd') X(DYNAMIC_SLICE, "dynamic-slice", -1, 'd') \
	X(DYNAMIC_UPDATE_SLICE, "dynamic-update-slice", -1, 'd') X(GATHER, "gather", 2, 'd') X(IOTA, "iota", 0, 'i') \
	X(PAD, "pad", 2, 'd') X(RESHAPE, "reshape", 1, 'd') X(REVERSE, "reverse", 1, 'd') X(SCATTER, "scatter", -1, 'd') \
	X(SLICE, "slice", 1, 'd') X(TRANSPOSE, "transpose", 1, 'd') \
	X(CONVOLUTION, "convolution", 2, 'k') X(DOT, "dot", 2, 'k') X(RAGGED_DOT, "ragged-dot", 3, 'k') \
	X(SCALED_DOT, "scaled-dot", 4, 'k') X(CHOLESKY, "cholesky", 1, 'o') X(TRIANGULAR_SOLVE, "triangular-solve", 2, 'o') \
	X(FFT, "fft", 1, 'o') X(REDUCE, "reduce", -1, 'r') X(REDUCE_WINDOW, "reduce-window", -1, 'r') \
	X(SELECT_AND_SCATTER, "select-and-scatter", 3, 'r') X(SCAN, "scan", -1, 'r') X(SORT, "sort", -1, 'r') \
	X(TOPK, "topk", 1, 'r') X(MAP, "map", -1, 'r') \
	X(BATCH_NORM_TRAINING, "batch-norm-training", 3, 'o') X(BATCH_NORM_INFERENCE, "batch-norm-inference", 5, 'o') \
	X(BATCH_NORM_GRAD, "batch-norm-grad", 5, 'o') X(RNG, "rng", -1, 'e') \
	X(RNG_BIT_GENERATOR, "rng-bit-generator", 1, 'o') X(RNG_GET_AND_UPDATE_STATE, "rng-get-and-update-state", 0, 'e') \
	X(TUPLE, "tuple", -1, 'x') X(GET_TUPLE_ELEMENT, "get-tuple-element", 1, 'x') X(CALL, "call", -1, 'x') \
	X(WHILE, "while", 1, 'x') X(CONDITIONAL, "conditional", -1, 'x') X(FUSION, "fusion", -1, 'x') \
	X(ASYNC_START, "async-start", -1, 'x') X(ASYNC_UPDATE, "async-update", 1, 'x') X(ASYNC_DONE, "async-done", 1, 'x') \
	X(OPT_BARRIER, "opt-barrier", 1, 'x') X(ADD_DEPENDENCY, "add-dependency", 2, 'x') X(AFTER_ALL, "after-all", -1, 'x') \
	X(DOMAIN, "domain", 1, 'x') X(CONSTANT, "constant", 0, 'i') X(PARAMETER, "parameter", 0, 'i') \
	X(PARTITION_ID, "partition-id", 0, 'i') X(REPLICA_ID, "replica-id", 0, 'i') \
	X(ALL_GATHER, "all-gather", -1, 'c') X(ALL_GATHER_START, "all-gather-start", -1, 'c') \
	X(ALL_GATHER_DONE, "all-gather-done", 1, 'c') X(ALL_REDUCE, "all-reduce", -1, 'c') \
	X(ALL_REDUCE_START, "all-reduce-start", -1, 'c') X(ALL_REDUCE_DONE, "all-reduce-done", 1, 'c') \
	X(ALL_TO_ALL, "all-to-all", -1, 'c') X(RAGGED_ALL_TO_ALL, "ragged-all-to-all", 6, 'c') \
	X(COLLECTIVE_BROADCAST, "collective-broadcast", -1, 'c') X(COLLECTIVE_PERMUTE, "collective-permute", -1, 'c') \
	X(COLLECTIVE_PERMUTE_START, "collective-permute-start", -1, 'c') \
	X(COLLECTIVE_PERMUTE_DONE, "collective-permute-done", 1, 'c') X(REDUCE_SCATTER, "reduce-scatter", -1, 'c') \
	X(SEND, "send", 2, 'e') X(SEND_DONE, "send-done", 1, 'e') X(RECV, "recv", 1, 'e') X(RECV_DONE, "recv-done", 1, 'e') \
	X(INFEED, "infeed", -1, 'e') X(OUTFEED, "outfeed", -1, 'e') X(COPY_START, "copy-start", 1, 'd') X(COPY_DONE, "copy-done", 1, 'd') \
	X(GET_DIMENSION_SIZE, "get-dimension-size", 1, 'o') X(SET_DIMENSION_SIZE, "set-dimension-size", 2, 'o') \
	X(CUSTOM_CALL, "custom-call", -1, 'o') X(UNKNOWN, "?", -1, 'o')
enum opcode {
#define X(n, s, k, c) OP_##n,
	OPCODES(X)
#undef X
	OP_COUNT
};

const char *opcode_name(enum opcode o);
enum opcode opcode_named(const char *s, size_t n);	/* OP_UNKNOWN if there is none */
int opcode_operands(enum opcode o);			/* -1: any number */
char opcode_class(enum opcode o);

#endif
