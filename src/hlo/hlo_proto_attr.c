#include <inttypes.h>
#include <string.h>
#include "hlo/hlo_proto_in.h"

/* One instruction's attributes, in the words XLA's printer uses. */

static attr *new_attr(proto *p, const char *key, enum attr_kind kind)
{
	attr *x;

	p->attr = build_grow(&p->b, p->attr, p->nattr, &p->capattr, sizeof *p->attr);
	x = &p->attr[p->nattr++];
	memset(x, 0, sizeof *x);
	x->key = key;
	x->kind = kind;
	x->n = 1;
	return x;
}

/* The text is read as if it stood in a file. */
static void add_text(proto *p, const inst *i, const char *key, const struct text *t)
{
	sym *y = syms_get(&p->b.syms, key, strlen(key));
	lexer l;
	attr x;

	lex_init(&l, &p->b, t->s, t->n);
	l.who = i->name;
	hlo_value(&l, y, &x);
	if (l.p != l.end)
		build_fail(&p->b, 0, 0, "%%%s: %s= is not well-formed", i->name, key);
	*new_attr(p, y->s, x.kind) = x;
}

#define ADD(p, i, key, ...) do { \
	struct text t_ = { .a = &(p)->b.tmp }; \
	put(&t_, __VA_ARGS__); \
	add_text(p, i, key, &t_); \
} while (0)

static void add_ints(proto *p, const inst *i, const char *key, const int64_t *v, size_t n)
{
	struct text t = { .a = &p->b.tmp };

	put(&t, "{");
	put_ints(&t, v, n);
	put(&t, "}");
	add_text(p, i, key, &t);
}

static void add_some(proto *p, const inst *i, const char *key, const int64_t *v, size_t n)
{
	if (n)
		add_ints(p, i, key, v, n);
}

static void add_true(proto *p, const inst *i, const char *key, bool value)
{
	if (value)
		ADD(p, i, key, "true");
}

static void add_bool(proto *p, const inst *i, const char *key, bool value)
{
	ADD(p, i, key, "%s", value ? "true" : "false");
}

static void add_string(proto *p, const char *key, const void *s, size_t n)
{
	sym *y = syms_get(&p->b.syms, s, strnlen(s, n));

	new_attr(p, key, ATTR_STRING)->text = y->s;
}

/* A word out of a list; values beyond it are numbers. */
static void add_word(proto *p, const inst *i, const char *key, const char *const *words, size_t n, int32_t v)
{
	if (v >= 0 && (size_t)v < n && words[v])
		ADD(p, i, key, "%s", words[v]);
	else
		ADD(p, i, key, "%" PRId32, v);
}
#define WORD(p, i, key, list, v) add_word(p, i, key, list, sizeof(list) / sizeof(list)[0], v)

/* ---- called computations ---- */

static comp *called(proto *p, const inst *i, const Pb__Instruction *pb, size_t k)
{
	comp *c = k < pb->n_called_ids ? ids_get(&p->comps, pb->called_ids[k]) : NULL;

	if (!c)
		build_fail(&p->b, 0, 0, "%%%s: a called computation is missing", i->name);
	return c;
}

static void add_comps(proto *p, const char *key, enum attr_kind kind, comp *const *c, size_t n)
{
	comp **copy = ARENA_ARRAY(p->b.a, comp *, n);
	struct text t = { .a = p->b.a };
	attr *x = new_attr(p, key, kind);

	if (n)
		memcpy(copy, c, n * sizeof *copy);
	put(&t, kind == ATTR_COMPS ? "{" : "");
	for (size_t k = 0; k < n; k++)
		put(&t, "%s%%%s", k ? ", " : "", c[k]->name);
	put(&t, kind == ATTR_COMPS ? "}" : "");
	x->text = t.s;
	x->comps = copy;
	x->n = (int)n;
}

static void add_comp(proto *p, const inst *i, const Pb__Instruction *pb, const char *key, size_t k)
{
	comp *c = called(p, i, pb, k);

	add_comps(p, key, ATTR_COMP, &c, 1);
}

static void add_all_comps(proto *p, const inst *i, const Pb__Instruction *pb, const char *key)
{
	comp **c = ARENA_ARRAY(&p->b.tmp, comp *, pb->n_called_ids);

	for (size_t k = 0; k < pb->n_called_ids; k++)
		c[k] = called(p, i, pb, k);
	add_comps(p, key, ATTR_COMPS, c, pb->n_called_ids);
}

static bool gives_pred(proto *p, const Pb__Instruction *pb, size_t k)
{
	const comp *c = k < pb->n_called_ids ? ids_get(&p->comps, pb->called_ids[k]) : NULL;

	return c && c->root && c->root->shape->type == T_PRED;
}

/* XLA writes the body first; the one that gives a truth value is the condition. */
static void while_comps(proto *p, const inst *i, const Pb__Instruction *pb)
{
	size_t condition = gives_pred(p, pb, 0) && !gives_pred(p, pb, 1) ? 0 : 1;

	add_comp(p, i, pb, "condition", condition);
	add_comp(p, i, pb, "body", 1 - condition);
}

static void called_comps(proto *p, const inst *i, const Pb__Instruction *pb)
{
	switch (i->opcode) {
	case OP_WHILE:
		while_comps(p, i, pb);
		break;
	case OP_CONDITIONAL:
		if (i->noperand && i->operand[0]->shape->type == T_PRED) {
			add_comp(p, i, pb, "true_computation", 0);
			add_comp(p, i, pb, "false_computation", 1);
		} else {
			add_all_comps(p, i, pb, "branch_computations");
		}
		break;
	case OP_SELECT_AND_SCATTER:
		add_comp(p, i, pb, "select", 0);
		add_comp(p, i, pb, "scatter", 1);
		break;
	case OP_FUSION: case OP_ASYNC_START:
		add_comp(p, i, pb, "calls", 0);
		break;
	case OP_ASYNC_UPDATE: case OP_ASYNC_DONE:
		break;
	case OP_CUSTOM_CALL:
		if (pb->n_called_ids)
			add_all_comps(p, i, pb, "called_computations");
		break;
	default:
		if (pb->n_called_ids == 1)
			add_comp(p, i, pb, "to_apply", 0);
		else if (pb->n_called_ids)
			add_all_comps(p, i, pb, "called_computations");
	}
}

/* ---- dimensions ---- */

static void dimensions(proto *p, const inst *i, const Pb__Instruction *pb)
{
	switch (i->opcode) {
	case OP_IOTA:
		if (pb->n_dimensions)
			ADD(p, i, "iota_dimension", "%" PRId64, pb->dimensions[0]);
		break;
	case OP_RESHAPE:
		if (pb->n_dimensions)
			ADD(p, i, "inferred_dimension", "%" PRId64, pb->dimensions[0]);
		break;
	case OP_BROADCAST: case OP_TRANSPOSE: case OP_REDUCE: case OP_CONCATENATE: case OP_REVERSE: case OP_MAP:
		add_ints(p, i, "dimensions", pb->dimensions, pb->n_dimensions);
		break;
	default:
		add_some(p, i, "dimensions", pb->dimensions, pb->n_dimensions);
	}
}

static void put_field(struct text *t, const char *key, const Pb__Window *w, int64_t (*get)(const Pb__WindowDim *),
		      int64_t absent, bool always)
{
	bool any = always;

	for (size_t k = 0; k < w->n_dims; k++)
		any |= get(w->dims[k]) != absent;
	for (size_t k = 0; any && k < w->n_dims; k++) {
		if (!k)
			put(t, "%s%s=", t->n > 1 ? " " : "", key);
		put(t, "%s%" PRId64, k ? "x" : "", get(w->dims[k]));
	}
}

static int64_t w_size(const Pb__WindowDim *d) { return d->size; }
static int64_t w_stride(const Pb__WindowDim *d) { return d->stride; }
static int64_t w_lhs(const Pb__WindowDim *d) { return d->lhs_dilate; }
static int64_t w_rhs(const Pb__WindowDim *d) { return d->rhs_dilate; }
static int64_t w_reversal(const Pb__WindowDim *d) { return d->reversal; }

static void window(proto *p, const inst *i, const Pb__Window *w)
{
	struct text t = { .a = &p->b.tmp };
	bool pad = false;

	if (!w || !w->n_dims)
		return;
	put(&t, "{");
	put_field(&t, "size", w, w_size, 0, true);
	put_field(&t, "stride", w, w_stride, 1, false);
	for (size_t k = 0; k < w->n_dims; k++)
		pad |= w->dims[k]->pad_low || w->dims[k]->pad_high;
	for (size_t k = 0; pad && k < w->n_dims; k++)
		put(&t, "%s%" PRId64 "_%" PRId64, k ? "x" : " pad=", w->dims[k]->pad_low, w->dims[k]->pad_high);
	put_field(&t, "lhs_dilate", w, w_lhs, 1, false);
	put_field(&t, "rhs_dilate", w, w_rhs, 1, false);
	put_field(&t, "rhs_reversal", w, w_reversal, 0, false);
	put(&t, "}");
	add_text(p, i, "window", &t);
}

#define LABELS 64

static bool label(char *at, int64_t d, size_t rank, char c)
{
	if (d < 0 || (size_t)d >= rank || at[d] != '?')
		return false;
	at[d] = c;
	return true;
}

static bool labels(struct text *t, int64_t x, char cx, int64_t y, char cy, const int64_t *spatial, size_t n)
{
	char at[LABELS + 3];
	bool ok = n <= 10;

	memset(at, '?', sizeof at);
	ok = ok && label(at, x, n + 2, cx) && label(at, y, n + 2, cy);
	for (size_t k = 0; ok && k < n; k++)
		ok = label(at, spatial[k], n + 2, (char)('0' + k));
	put(t, "%.*s", (int)(ok ? n + 2 : 0), at);
	return ok;
}

static void conv_dims(proto *p, const inst *i, const Pb__ConvDims *c)
{
	struct text t = { .a = &p->b.tmp };
	bool ok;

	ok = labels(&t, c->input_batch, 'b', c->input_feature, 'f', c->input_spatial, c->n_input_spatial);
	put(&t, "_");
	ok = ok && labels(&t, c->kernel_input, 'i', c->kernel_output, 'o', c->kernel_spatial, c->n_kernel_spatial);
	put(&t, "->");
	ok = ok && labels(&t, c->output_batch, 'b', c->output_feature, 'f', c->output_spatial, c->n_output_spatial);
	if (!ok)
		build_fail(&p->b, 0, 0, "%%%s: the dimensions of the convolution are not sensible", i->name);
	add_text(p, i, "dim_labels", &t);
}

static void slice(proto *p, const inst *i, const Pb__Instruction *pb)
{
	struct text t = { .a = &p->b.tmp };
	bool stride = false;

	for (size_t k = 0; k < pb->n_slice; k++)
		stride |= pb->slice[k]->stride != 1;
	put(&t, "{");
	for (size_t k = 0; k < pb->n_slice; k++) {
		put(&t, "%s[%" PRId64 ":%" PRId64, k ? ", " : "", pb->slice[k]->start, pb->slice[k]->limit);
		if (stride)
			put(&t, ":%" PRId64, pb->slice[k]->stride);
		put(&t, "]");
	}
	put(&t, "}");
	add_text(p, i, "slice", &t);
}

static void padding(proto *p, const inst *i, const Pb__Padding *pad)
{
	struct text t = { .a = &p->b.tmp };

	if (!pad || !pad->n_dims)
		return;
	for (size_t k = 0; k < pad->n_dims; k++) {
		put(&t, "%s%" PRId64 "_%" PRId64, k ? "x" : "", pad->dims[k]->low, pad->dims[k]->high);
		if (pad->dims[k]->interior)
			put(&t, "_%" PRId64, pad->dims[k]->interior);
	}
	add_text(p, i, "padding", &t);
}

static void dot_dims(proto *p, const inst *i, const Pb__DotDims *d)
{
	if (!d)
		return;
	add_some(p, i, "lhs_batch_dims", d->lhs_batch, d->n_lhs_batch);
	add_ints(p, i, "lhs_contracting_dims", d->lhs_contracting, d->n_lhs_contracting);
	add_some(p, i, "rhs_batch_dims", d->rhs_batch, d->n_rhs_batch);
	add_ints(p, i, "rhs_contracting_dims", d->rhs_contracting, d->n_rhs_contracting);
}

static void gather_dims(proto *p, const inst *i, const Pb__Instruction *pb)
{
	const Pb__GatherDims *g = pb->gather;

	add_ints(p, i, "offset_dims", g->offset, g->n_offset);
	add_ints(p, i, "collapsed_slice_dims", g->collapsed, g->n_collapsed);
	add_ints(p, i, "start_index_map", g->start_index_map, g->n_start_index_map);
	add_some(p, i, "operand_batching_dims", g->operand_batching, g->n_operand_batching);
	add_some(p, i, "start_indices_batching_dims", g->start_batching, g->n_start_batching);
	ADD(p, i, "index_vector_dim", "%" PRId64, g->index_vector_dim);
	add_ints(p, i, "slice_sizes", pb->gather_slice_sizes, pb->n_gather_slice_sizes);
}

static void scatter_dims(proto *p, const inst *i, const Pb__ScatterDims *s)
{
	add_ints(p, i, "update_window_dims", s->update_window, s->n_update_window);
	add_ints(p, i, "inserted_window_dims", s->inserted_window, s->n_inserted_window);
	add_ints(p, i, "scatter_dims_to_operand_dims", s->to_operand, s->n_to_operand);
	add_some(p, i, "input_batching_dims", s->input_batching, s->n_input_batching);
	add_some(p, i, "scatter_indices_batching_dims", s->indices_batching, s->n_indices_batching);
	ADD(p, i, "index_vector_dim", "%" PRId64, s->index_vector_dim);
}

/* ---- single opcodes ---- */

static void precision(proto *p, const inst *i, const Pb__Precision *c)
{
	static const char *const words[] = { "default", "high", "highest" };
	static const char *const algorithms[] = { NULL, "dot_any_f8_any_f8_f32", "dot_any_f8_any_f8_f32_fast_accum",
		"dot_f16_f16_f16", "dot_f16_f16_f32", "dot_bf16_bf16_bf16", "dot_bf16_bf16_f32", "dot_bf16_bf16_f32_x3",
		"dot_bf16_bf16_f32_x6", "dot_tf32_tf32_f32", "dot_tf32_tf32_f32_x3", "dot_f32_f32_f32",
		"dot_f64_f64_f64", "dot_bf16_bf16_f32_x9" };
	struct text t = { .a = &p->b.tmp };
	bool any = false;

	if (!c)
		return;
	for (size_t k = 0; k < c->n_operand; k++) {
		any |= c->operand[k] != 0;
		put(&t, "%s%s", k ? "," : "{", c->operand[k] >= 0 && c->operand[k] < 3 ? words[c->operand[k]] : "packed_nibble");
	}
	put(&t, "}");
	if (any)
		add_text(p, i, "operand_precision", &t);
	if (c->algorithm)
		WORD(p, i, "algorithm", algorithms, c->algorithm);
}

/* TYPE is written where it is not the element type's own. */
static void compare(proto *p, const inst *i, const Pb__Instruction *pb)
{
	static const struct { const char *opcode, *direction; } old[] = { { "equal-to", "EQ" }, { "not-equal-to", "NE" },
		{ "greater-than", "GT" }, { "greater-than-or-equal-to", "GE" }, { "less-than", "LT" },
		{ "less-than-or-equal-to", "LE" } };
	const char *direction = pb->comparison_direction, *type = pb->comparison_type, *own;
	char kind = i->noperand ? etype_kind(i->operand[0]->shape->type) : 'f';

	for (size_t k = 0; k < sizeof old / sizeof old[0]; k++)
		if (!strcmp(pb->opcode, old[k].opcode))
			direction = old[k].direction;
	own = kind == 's' ? "SIGNED" : kind == 'u' || kind == 'p' ? "UNSIGNED" : "FLOAT";
	if (!*direction)
		build_fail(&p->b, 0, 0, "%%%s: a comparison without direction", i->name);
	ADD(p, i, "direction", "%s", proto_name(p, direction));
	if (*type && strcmp(type, own))
		ADD(p, i, "type", "%s", proto_name(p, type));
}

static void custom_call(proto *p, const inst *i, const Pb__Instruction *pb)
{
	static const char *const paddings[] = { NULL, "PADDING_VALID", "PADDING_SAME" };
	static const char *const schedules[] = { NULL, "SCHEDULE_LATEST", "SCHEDULE_EARLIEST" };
	static const char *const versions[] = { "API_VERSION_UNSPECIFIED", "API_VERSION_ORIGINAL",
		"API_VERSION_STATUS_RETURNING", "API_VERSION_STATUS_RETURNING_UNIFIED", "API_VERSION_TYPED_FFI" };
	struct text t = { .a = &p->b.tmp };

	add_string(p, "custom_call_target", pb->custom_call_target, strlen(pb->custom_call_target));
	if (pb->constrain_layout) {
		put(&t, "{");
		for (size_t k = 0; k < pb->n_operand_shapes; k++) {
			if (k)
				put(&t, ", ");
			put_shape(&t, pb->operand_shapes[k]);
		}
		put(&t, "}");
		add_text(p, i, "operand_layout_constraints", &t);
	}
	add_true(p, i, "custom_call_has_side_effect", pb->side_effect);
	if (pb->padding_type)
		WORD(p, i, "padding_type", paddings, pb->padding_type);
	if (pb->schedule)
		WORD(p, i, "schedule", schedules, pb->schedule);
	if (pb->api_version != 1)
		WORD(p, i, "api_version", versions, pb->api_version);
}

static void output_alias(proto *p, const inst *i, const Pb__Instruction *pb)
{
	struct text t = { .a = &p->b.tmp };

	if (!pb->n_output_alias)
		return;
	put(&t, "{");
	for (size_t k = 0; k < pb->n_output_alias; k++) {
		const Pb__OutputAlias *x = pb->output_alias[k];

		put(&t, "%s{", k ? ", " : "");
		put_ints(&t, x->output_index, x->n_output_index);
		put(&t, "}: (%" PRId64 ", {", x->operand);
		put_ints(&t, x->operand_index, x->n_operand_index);
		put(&t, "})");
	}
	put(&t, "}");
	add_text(p, i, "output_to_operand_aliasing", &t);
}

static void domain(proto *p, const inst *i, const Pb__Instruction *pb)
{
	struct text t = { .a = &p->b.tmp };

	put(&t, "{kind=\"sharding\", entry=");
	if (pb->domain_entry)
		put_sharding(&t, pb->domain_entry);
	else
		put(&t, "{}");
	put(&t, ", exit=");
	if (pb->domain_exit)
		put_sharding(&t, pb->domain_exit);
	else
		put(&t, "{}");
	put(&t, "}");
	add_text(p, i, "domain", &t);
}

static void solve(proto *p, const inst *i, const Pb__TriangularSolve *s)
{
	static const char *const words[] = { "TRANSPOSE_INVALID", "NO_TRANSPOSE", "TRANSPOSE", "ADJOINT" };

	if (!s)
		return;
	add_true(p, i, "left_side", s->left_side);
	add_true(p, i, "lower", s->lower);
	add_true(p, i, "unit_diagonal", s->unit_diagonal);
	WORD(p, i, "transpose_a", words, s->transpose_a);
}

static void by_opcode(proto *p, const inst *i, const Pb__Instruction *pb)
{
	static const char *const fft[] = { "FFT", "IFFT", "RFFT", "IRFFT" };
	static const char *const distribution[] = { "rng_invalid", "rng_uniform", "rng_normal" };
	static const char *const rng[] = { "rng_default", "rng_three_fry", "rng_philox" };
	static const char *const tristate[] = { "unspecified", "true", "false" };

	switch (i->opcode) {
	case OP_GET_TUPLE_ELEMENT: ADD(p, i, "index", "%" PRId64, pb->tuple_index); break;
	case OP_COMPARE: compare(p, i, pb); break;
	case OP_SLICE: slice(p, i, pb); break;
	case OP_PAD: padding(p, i, pb->padding); break;
	case OP_DYNAMIC_SLICE:
		add_ints(p, i, "dynamic_slice_sizes", pb->dynamic_slice_sizes, pb->n_dynamic_slice_sizes);
		break;
	case OP_REDUCE_PRECISION:
		ADD(p, i, "exponent_bits", "%" PRId32, pb->exponent_bits);
		ADD(p, i, "mantissa_bits", "%" PRId32, pb->mantissa_bits);
		break;
	case OP_DOT: case OP_SCALED_DOT: dot_dims(p, i, pb->dot); break;
	case OP_RAGGED_DOT:
		if (!pb->ragged)
			break;
		dot_dims(p, i, pb->ragged->dot);
		add_ints(p, i, "lhs_ragged_dims", pb->ragged->lhs_ragged, pb->ragged->n_lhs_ragged);
		add_ints(p, i, "rhs_group_dims", pb->ragged->rhs_group, pb->ragged->n_rhs_group);
		break;
	case OP_CUSTOM_CALL: custom_call(p, i, pb); break;
	case OP_DOMAIN: domain(p, i, pb); break;
	case OP_FFT:
		WORD(p, i, "fft_type", fft, pb->fft_type);
		add_ints(p, i, "fft_length", pb->fft_length, pb->n_fft_length);
		break;
	case OP_RNG: WORD(p, i, "distribution", distribution, pb->distribution); break;
	case OP_RNG_BIT_GENERATOR: WORD(p, i, "algorithm", rng, pb->rng_algorithm); break;
	case OP_RNG_GET_AND_UPDATE_STATE: ADD(p, i, "delta", "%" PRId64, pb->delta); break;
	case OP_BATCH_NORM_TRAINING: case OP_BATCH_NORM_INFERENCE: case OP_BATCH_NORM_GRAD:
		ADD(p, i, "epsilon", "%.9g", (double)pb->epsilon);
		ADD(p, i, "feature_index", "%" PRId64, pb->feature_index);
		break;
	case OP_TRIANGULAR_SOLVE: solve(p, i, pb->triangular_solve); break;
	case OP_CHOLESKY: add_true(p, i, "lower", pb->cholesky && pb->cholesky->lower); break;
	case OP_TOPK:
		ADD(p, i, "k", "%" PRId64, pb->k);
		add_bool(p, i, "largest", pb->largest);
		break;
	case OP_FUSION: ADD(p, i, "kind", "%s", proto_name(p, pb->fusion_kind)); break;
	case OP_INFEED: add_string(p, "infeed_config", pb->infeed_config.data, pb->infeed_config.len); break;
	case OP_OUTFEED: add_string(p, "outfeed_config", pb->outfeed_config.data, pb->outfeed_config.len); break;
	case OP_SCAN:
		ADD(p, i, "num_carries", "%" PRId64, pb->num_carries);
		add_true(p, i, "is_reverse", pb->is_reverse);
		if (pb->is_associative)
			WORD(p, i, "is_associative", tristate, pb->is_associative);
		break;
	default: break;
	}
}

/* ---- any opcode ---- */

static void collective(proto *p, const inst *i, const Pb__Instruction *pb)
{
	struct text groups = { .a = &p->b.tmp }, pairs = { .a = &p->b.tmp };
	int64_t channel = pb->channel_id > 0 ? pb->channel_id : pb->all_reduce_id;
	bool listed = opcode_class(i->opcode) == 'c' && i->opcode != OP_COLLECTIVE_PERMUTE &&
		i->opcode != OP_COLLECTIVE_PERMUTE_START && i->opcode != OP_COLLECTIVE_PERMUTE_DONE &&
		i->opcode != OP_ALL_REDUCE_DONE && i->opcode != OP_ALL_GATHER_DONE;

	if (channel > 0)
		ADD(p, i, "channel_id", "%" PRId64, channel);
	if (listed && !put_groups(&groups, pb))
		put(&groups, "{}");
	if (listed)
		add_text(p, i, "replica_groups", &groups);
	if (i->opcode == OP_COLLECTIVE_PERMUTE || i->opcode == OP_COLLECTIVE_PERMUTE_START) {
		put(&pairs, "{");
		for (size_t k = 0; k < pb->n_source_target_pairs; k++)
			put(&pairs, "%s{%" PRId64 ",%" PRId64 "}", k ? "," : "", pb->source_target_pairs[k]->source,
			    pb->source_target_pairs[k]->target);
		put(&pairs, "}");
		add_text(p, i, "source_target_pairs", &pairs);
	}
	if (i->opcode != OP_CUSTOM_CALL)
		add_true(p, i, "constrain_layout", pb->constrain_layout);
	add_true(p, i, "use_global_device_ids", pb->use_global_device_ids);
	add_true(p, i, "has_dynamic_root", pb->has_dynamic_root);
	add_true(p, i, "is_host_transfer", pb->is_host_transfer);
}

static void flags(proto *p, const inst *i, const Pb__Instruction *pb)
{
	add_true(p, i, "is_stable", pb->is_stable);
	add_true(p, i, "is_composite", pb->is_composite);
	add_true(p, i, "indices_are_sorted", pb->indices_are_sorted);
	add_true(p, i, "unique_indices", pb->unique_indices);
	if (pb->prefetch_case == PB__INSTRUCTION__PREFETCH_CROSS_PROGRAM_PREFETCH_INDEX)
		ADD(p, i, "cross_program_prefetch_index", "%" PRId32, pb->cross_program_prefetch_index);
	else if (pb->is_cross_program_prefetch)
		ADD(p, i, "cross_program_prefetch_index", "0");
	if (pb->feature_group_count > 1)
		ADD(p, i, "feature_group_count", "%" PRId64, pb->feature_group_count);
	if (pb->batch_group_count > 1)
		ADD(p, i, "batch_group_count", "%" PRId64, pb->batch_group_count);
	if (*pb->async_thread && strcmp(pb->async_thread, "main"))
		add_string(p, "async_execution_thread", pb->async_thread, strlen(pb->async_thread));
}

static void replication(proto *p, const inst *i, const Pb__ParameterReplication *r)
{
	struct text t = { .a = &p->b.tmp };

	if (!r || !r->n_replicated)
		return;
	for (size_t k = 0; k < r->n_replicated; k++)
		put(&t, "%s%s", k ? "," : "{", r->replicated[k] ? "true" : "false");
	put(&t, "}");
	add_text(p, i, "parameter_replication", &t);
}

static void predecessors(proto *p, const inst *i, const Pb__Instruction *pb)
{
	struct text t = { .a = &p->b.tmp };

	if (!pb->n_control_predecessor_ids)
		return;
	for (size_t k = 0; k < pb->n_control_predecessor_ids; k++) {
		const inst *x = ids_get(&p->insts, pb->control_predecessor_ids[k]);

		if (!x)
			build_fail(&p->b, 0, 0, "%%%s: a control predecessor is missing", i->name);
		put(&t, "%s%%%s", k ? ", " : "{", x->name);
	}
	put(&t, "}");
	add_text(p, i, "control-predecessors", &t);
}

/* Bytes, or an index into the module's list of them. */
static void backend_config(proto *p, const inst *i, const Pb__Instruction *pb)
{
	const ProtobufCBinaryData *d = &pb->backend_config;
	const Pb__Payload *x = pb->backend_payload;
	struct text t = { .a = &p->b.tmp };

	if (x && x->what_case == PB__PAYLOAD__WHAT_VALUE)
		d = &x->value;
	else if (x && x->what_case == PB__PAYLOAD__WHAT_ID && x->id >= 0 && (uint64_t)x->id < p->pb->n_payloads)
		d = &p->pb->payloads[x->id];
	if (!d->len)
		return;
	if (in_brackets(d->data, d->len)) {
		put(&t, "%.*s", (int)d->len, (const char *)d->data);
		add_text(p, i, "backend_config", &t);
	} else {
		add_string(p, "backend_config", d->data, d->len);
	}
}

void proto_attrs(proto *p, inst *i, const Pb__Instruction *pb)
{
	struct text t = { .a = &p->b.tmp }, u = { .a = &p->b.tmp };
	attr *copy;

	p->nattr = 0;
	dimensions(p, i, pb);
	window(p, i, pb->window);
	if (pb->conv)
		conv_dims(p, i, pb->conv);
	if (pb->gather)
		gather_dims(p, i, pb);
	if (pb->scatter)
		scatter_dims(p, i, pb->scatter);
	by_opcode(p, i, pb);
	collective(p, i, pb);
	flags(p, i, pb);
	precision(p, i, pb->precision);
	output_alias(p, i, pb);
	replication(p, i, pb->parameter_replication);
	called_comps(p, i, pb);
	if (pb->sharding) {
		put_sharding(&t, pb->sharding);
		add_text(p, i, "sharding", &t);
	}
	if (pb->frontend && pb->frontend->n_map) {
		put_frontend(&u, pb->frontend);
		add_text(p, i, "frontend_attributes", &u);
	}
	predecessors(p, i, pb);
	backend_config(p, i, pb);
	copy = ARENA_ARRAY(p->b.a, attr, p->nattr);
	if (p->nattr)
		memcpy(copy, p->attr, p->nattr * sizeof *copy);
	i->attr = copy;
	i->nattr = p->nattr;
}
