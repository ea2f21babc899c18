/* hlo_sym.h - the words of one file, each stored once.
 *
 * A symbol carries what a reader wants to know about a word without asking
 * twice: which opcode, element type or attribute key it is, which instruction
 * of the computation being read or which computation it names, and the parsed
 * form of an attribute value that was written before.  Symbols live until
 * syms_free; their text lives in the arena given (the module's).  Without an
 * arena it stays where it is, which has to last as long, and no zero byte ends it.
 */
#ifndef DIVERGE_HLO_SYM_H
#define DIVERGE_HLO_SYM_H

#include "tensor/graph.h"

typedef struct sym {
	const char *s;		/* ends with a zero byte */
	uint32_t n, hash;
	uint32_t epoch;		/* inst is valid in the computation with this epoch */
	int16_t opcode;		/* enum opcode, OP_UNKNOWN */
	int8_t etype;		/* enum etype, T_COUNT */
	uint8_t key;		/* of HLO_KEYS */
	bool told;		/* a warning has named it */
	inst *inst;
	comp *comp;
	const attr *value;	/* the parsed attribute value */
	const frame *frame;	/* the frame with that key */
	const shape *shape;	/* the parsed shape */
	const char *decoded;	/* as a string literal's inside: escapes resolved */
} sym;

/* Attribute keys of known form: X(key, kind). */
#define HLO_KEYS(X) \
	X("dimensions", INTS) X("lhs_contracting_dims", INTS) X("rhs_contracting_dims", INTS) \
	X("lhs_batch_dims", INTS) X("rhs_batch_dims", INTS) X("lhs_ragged_dims", INTS) X("rhs_group_dims", INTS) \
	X("dynamic_slice_sizes", INTS) X("offset_dims", INTS) X("collapsed_slice_dims", INTS) \
	X("start_index_map", INTS) X("operand_batching_dims", INTS) X("start_indices_batching_dims", INTS) \
	X("slice_sizes", INTS) X("update_window_dims", INTS) X("inserted_window_dims", INTS) \
	X("scatter_dims_to_operand_dims", INTS) X("input_batching_dims", INTS) \
	X("scatter_indices_batching_dims", INTS) X("fft_length", INTS) \
	X("iota_dimension", INT) X("index", INT) X("channel_id", INT) X("feature_group_count", INT) \
	X("batch_group_count", INT) X("feature_index", INT) X("index_vector_dim", INT) X("exponent_bits", INT) \
	X("mantissa_bits", INT) X("delta", INT) X("k", INT) X("num_carries", INT) \
	X("cross_program_prefetch_index", INT) X("inferred_dimension", INT) \
	X("epsilon", FLOAT) \
	X("is_stable", BOOL) X("largest", BOOL) X("use_global_device_ids", BOOL) X("constrain_layout", BOOL) \
	X("indices_are_sorted", BOOL) X("unique_indices", BOOL) X("is_composite", BOOL) \
	X("custom_call_has_side_effect", BOOL) X("is_host_transfer", BOOL) X("left_side", BOOL) X("lower", BOOL) \
	X("unit_diagonal", BOOL) X("is_reverse", BOOL) X("has_dynamic_root", BOOL) \
	X("is_cross_program_prefetch", BOOL) \
	X("to_apply", COMP) X("calls", COMP) X("condition", COMP) X("body", COMP) X("true_computation", COMP) \
	X("false_computation", COMP) X("select", COMP) X("scatter", COMP) \
	X("branch_computations", COMPS) X("called_computations", COMPS) \
	X("replica_groups", GROUPS) X("source_target_pairs", PAIRS) X("slice", SLICE) X("padding", PADDING) \
	X("window", WINDOW) X("dim_labels", DIM_LABELS) X("sharding", SHARDING) X("literal", LITERAL) \
	X("custom_call_target", STRING) X("infeed_config", STRING) X("outfeed_config", STRING) \
	X("async_execution_thread", STRING) X("backend_config", STRING) \
	X("direction", RAW) X("type", RAW) X("kind", RAW) X("distribution", RAW) X("algorithm", RAW) \
	X("fft_type", RAW) X("transpose_a", RAW) X("api_version", RAW) X("padding_type", RAW) \
	X("operand_precision", RAW) X("convolution_kind", RAW) X("schedule", RAW) X("is_associative", RAW) \
	X("sparsity_config", RAW) X("output_to_operand_aliasing", RAW) X("operand_layout_constraints", RAW) \
	X("frontend_attributes", RAW) X("control-predecessors", RAW) X("origin", RAW) X("original_value", RAW) \
	X("statistics", RAW) X("parameter_replication", RAW) X("result_accuracy", RAW) X("domain", RAW) \
	X("outfeed_shape", RAW) X("mode", RAW) X("metadata", RAW)

enum { KEY_NONE };		/* keys count from 1 in the order of HLO_KEYS */
enum attr_kind hlo_key_kind(int key);

typedef struct syms {
	arena *text;		/* where strings go, or NULL */
	arena nodes;
	sym **slot;
	uint32_t mask, used;
	char *at, *end;		/* room for strings */
} syms;

void syms_init(syms *t, arena *text);
void syms_words(syms *t);	/* the words of HLO: opcodes, element types, keys */
void syms_free(syms *t);
sym *syms_get(syms *t, const char *s, size_t n);
uint32_t syms_hash(const char *s, size_t n);

#endif
