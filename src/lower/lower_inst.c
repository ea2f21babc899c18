/* lower_inst.c - the rows of one instruction, by its opcode. */
#include "lower/lower_in.h"

#include <stdlib.h>
#include <string.h>
#include "hlo/module.h"

static val *simple(lowering *w, const inst *i, val **arg, const char *prefix, struct list *l, const char *name)
{
	struct emit e = emit_start(i, prefix, opcode_name(i->opcode));

	e.ints = l ? l->v : NULL;
	e.nint = l ? l->n : 0;
	e.name = name;
	e.op = lower_rows(w, arg, i->noperand, &e.nop);
	return val_row(w, lower_emit(w, &e));
}

const char *lower_prefix(lowering *w, const inst *i, const char *prefix)
{
	return arena_printf(&w->p->a, "%s%s%s/", prefix, *prefix ? "%" : "", i->name);
}

static val *inlined(lowering *w, const inst *i, const comp *c, val **arg, const char *prefix)
{
	if (w->depth > 100) {
		diag_set(w->err, w->m->file, i->line, i->column, "calls nested more than 100 deep");
		w->failed = true;
		return val_row(w, -1);
	}
	return lower_comp(w, c, arg, lower_prefix(w, i, prefix));
}

static val *lower_map(lowering *w, const inst *i, val **arg, const char *prefix)
{
	const comp *c = inst_comp(i, "to_apply");
	lowering save = *w;
	val *v;
	int k;

	for (k = 0; c && k < c->ninst; k++)
		if (!strchr("ubti", opcode_class(c->inst[k]->opcode)) || c->inst[k]->shape->rank)
			return emit_plain(w, i, arg, prefix, "the computation of map is not elementwise");
	if (!c)
		return emit_plain(w, i, arg, prefix, NULL);
	w->mapped = true;
	w->rank = i->shape->rank;
	w->dim = i->shape->dim;
	v = inlined(w, i, c, arg, prefix);
	w->mapped = save.mapped;
	w->rank = save.rank;
	w->dim = save.dim;
	return v;
}

/* kind, least: as lower_arg_kind says */
static val *lower_arg_reduce(lowering *w, const inst *i, val **arg, const char *prefix, const char *kind, bool least)
{
	val *v = val_tuple(w, 2);
	int k;

	for (k = 0; k < 2; k++) {
		struct emit e = emit_start(i, prefix, "arg-reduce");
		struct list l = { 0 };
		list_put(w, &l, k + 2 * least);
		lower_put_ints(w, &l, i, "dimensions");
		e.ints = l.v;
		e.nint = l.n;
		e.name = arena_printf(&w->p->a, "%s %s", kind, lower_reducer_text(w, i));	/* alike on numbers alone */
		e.op = lower_rows(w, arg, i->noperand, &e.nop);
		e.shape = i->shape->elem[k];
		e.element = k;
		v->elem[k] = val_row(w, lower_emit(w, &e));
	}
	return v;
}

static val *lower_batch_norm(lowering *w, const inst *i, val **arg, const char *prefix)
{
	const attr *eps = inst_attr(i, "epsilon");
	bool many = i->shape->type == T_TUPLE;
	val *v = many ? val_tuple(w, i->shape->n) : NULL;
	int64_t bits = 0;
	double e64 = 0;
	int k;

	if (!eps || (eps->kind != ATTR_FLOAT && eps->kind != ATTR_INT))
		return emit_plain(w, i, arg, prefix, "an epsilon that is not read");
	e64 = (float)(eps->kind == ATTR_FLOAT ? eps->real : (double)eps->ints[0]);	/* a 32-bit float, whatever the element type */
	memcpy(&bits, &e64, sizeof bits);
	for (k = 0; k < (many ? i->shape->n : 1); k++) {
		struct emit e = emit_start(i, prefix, opcode_name(i->opcode));
		struct list l = { 0 };
		val *r;
		list_put(w, &l, k);
		list_put(w, &l, inst_int(i, "feature_index", 0));
		list_put(w, &l, bits);
		e.ints = l.v;
		e.nint = l.n;
		e.op = lower_rows(w, arg, i->noperand, &e.nop);
		e.shape = many ? i->shape->elem[k] : i->shape;
		e.element = many ? k : -1;
		r = val_row(w, lower_emit(w, &e));
		if (!many)
			return r;
		v->elem[k] = r;
	}
	return v;
}

static val *lower_scatter(lowering *w, const inst *i, val **arg, const char *prefix)
{
	struct list l = { 0 };
	const comp *c = inst_comp(i, "to_apply");
	const char *op = lower_reducer(i);

	if (i->noperand != 3 || i->shape->type == T_TUPLE)
		return emit_plain(w, i, arg, prefix, "variadic scatter");
	if (c && c->nparam == 2 && c->root == c->param[1] && c->root->shape->type == i->shape->type)
		op = "assign";
	list_put(w, &l, inst_int(i, "index_vector_dim", 0));
	lower_put_list(w, &l, i, "update_window_dims");
	lower_put_list(w, &l, i, "inserted_window_dims");
	lower_put_list(w, &l, i, "scatter_dims_to_operand_dims");
	lower_put_list(w, &l, i, "input_batching_dims");
	lower_put_list(w, &l, i, "scatter_indices_batching_dims");
	return simple(w, i, arg, prefix, &l, op ? op : lower_reducer_text(w, i));
}

static val *lower_reduce(lowering *w, const inst *i, val **arg, const char *prefix)
{
	struct list l = { 0 };
	const char *op = lower_reducer(i), *kind;
	bool least;

	if (i->opcode == OP_REDUCE && i->shape->type == T_TUPLE && i->noperand == 4 && (kind = lower_arg_kind(i, &least)))
		return lower_arg_reduce(w, i, arg, prefix, kind, least);
	if (i->shape->type == T_TUPLE || i->noperand != 2)
		return emit_plain(w, i, arg, prefix, "no rule for this variadic reduction");
	if (i->opcode == OP_REDUCE_WINDOW) {
		if (!lower_put_window(w, &l, i))
			return emit_plain(w, i, arg, prefix, "no rule for this window");
	} else {
		lower_put_ints(w, &l, i, "dimensions");
	}
	return simple(w, i, arg, prefix, &l, op ? op : lower_reducer_text(w, i));
}

static bool dynamic(const shape *s)
{
	int k;

	for (k = 0; s->type == T_TUPLE && k < s->n; k++)
		if (dynamic(s->elem[k]))
			return true;
	return s->dynamic;
}

static bool takes_dynamic(const inst *i)
{
	int k;

	for (k = 0; k < i->noperand && i->opcode != OP_GET_TUPLE_ELEMENT; k++)
		if (dynamic(i->operand[k]->shape))
			return true;
	return false;
}

/* Scheduled modules mix float widths inside elementwise instructions: a rounding nobody wrote down. */
static bool mixed_types(const inst *i)
{
	int k;

	if (!strchr("ubt", opcode_class(i->opcode)))
		return false;
	switch (i->opcode) {
	case OP_CONVERT: case OP_COMPARE: case OP_BITCAST_CONVERT: case OP_IS_FINITE: case OP_COMPLEX: case OP_REAL: case OP_IMAG:
	case OP_STOCHASTIC_CONVERT: case OP_ABS:
		return false;
	default:
		break;
	}
	for (k = i->opcode == OP_SELECT; k < i->noperand; k++)
		if (i->operand[k]->shape->type != i->shape->type)
			return true;
	return false;
}

/* ---- one instruction: a function per kind */

static val *lower_as_is(lowering *w, const inst *i, val **arg, const char *prefix)
{
	return simple(w, i, arg, prefix, NULL, NULL);
}

static val *lower_same(lowering *w, const inst *i, val **arg, const char *prefix)
{
	(void)w, (void)i, (void)prefix;
	return arg[0];
}

static val *lower_token(lowering *w, const inst *i, val **arg, const char *prefix)
{
	(void)i, (void)arg, (void)prefix;
	return val_row(w, -1);
}

static val *lower_tuple(lowering *w, const inst *i, val **arg, const char *prefix)
{
	val *v = val_tuple(w, i->noperand);
	int k;

	(void)prefix;
	for (k = 0; k < i->noperand; k++)
		v->elem[k] = arg[k];
	return v;
}

static val *lower_element(lowering *w, const inst *i, val **arg, const char *prefix)
{
	if (arg[0]->elem && i->number >= 0 && i->number < arg[0]->n)
		return arg[0]->elem[i->number];
	return emit_plain(w, i, arg, prefix, "not an element of a tuple");
}

static val *lower_called(lowering *w, const inst *i, val **arg, const char *prefix)
{
	const comp *c = inst_called(i);

	return c ? inlined(w, i, c, arg, prefix) : emit_plain(w, i, arg, prefix, NULL);
}

/* A pair of the operand and the result: the end takes the result. */
static val *lower_async_start(lowering *w, const inst *i, val **arg, const char *prefix)
{
	const comp *c = inst_comp(i, "calls");
	val *t;

	if (!c)
		return emit_plain(w, i, arg, prefix, "an asynchronous operation without its computation");
	t = val_tuple(w, 2);
	t->elem[0] = i->noperand ? arg[0] : val_row(w, -1);
	t->elem[1] = inlined(w, i, c, arg, prefix);
	return t;
}

static val *lower_async_done(lowering *w, const inst *i, val **arg, const char *prefix)
{
	return arg[0]->elem && arg[0]->n == 2 ? arg[0]->elem[1] : emit_plain(w, i, arg, prefix, "its start is not known");
}

/* A copy between types is a conversion. */
static val *lower_copy(lowering *w, const inst *i, val **arg, const char *prefix)
{
	struct emit e;

	if (arg[0]->elem || arg[0]->row < 0)
		return arg[0];
	if (!lower_is_array(i->shape) || w->p->row[arg[0]->row].type == (int)i->shape->type)
		return simple(w, i, arg, prefix, NULL, NULL);
	e = emit_start(i, prefix, "convert");
	e.op = lower_rows(w, arg, 1, &e.nop);
	return val_row(w, lower_emit(w, &e));
}

static val *lower_iota(lowering *w, const inst *i, val **arg, const char *prefix)
{
	struct list l = { 0 };

	if (!i->shape->rank)
		return emit_plain(w, i, arg, prefix, "an iota without a dimension");
	list_put(w, &l, inst_int(i, "iota_dimension", 0));
	return simple(w, i, arg, prefix, &l, NULL);
}

/* The id is device / first % second. */
static val *lower_id(lowering *w, const inst *i, val **arg, const char *prefix)
{
	bool part = i->opcode == OP_PARTITION_ID;
	struct list l = { 0 };

	lower_ids_are_devices(w);
	list_put(w, &l, w->bare || part ? 1 : w->parts);
	list_put(w, &l, w->bare ? w->p->ndev : part ? w->parts : w->reps);
	return simple(w, i, arg, prefix, &l, NULL);
}

static val *lower_compare(lowering *w, const inst *i, val **arg, const char *prefix)
{
	const char *name = inst_text(i, "direction");
	const attr *at = inst_attr(i, "type");

	if (!name)
		name = "EQ";
	if (at && at->text && !strcmp(at->text, "TOTALORDER"))
		name = arena_printf(&w->p->a, "%s TOTALORDER", name);
	return simple(w, i, arg, prefix, NULL, name);
}

static val *lower_reduce_precision(lowering *w, const inst *i, val **arg, const char *prefix)
{
	long long exponent = (long long)inst_int(i, "exponent_bits", 0), mantissa = (long long)inst_int(i, "mantissa_bits", 0);

	return simple(w, i, arg, prefix, NULL, arena_printf(&w->p->a, "%lld,%lld", exponent, mantissa));
}

static val *lower_bitcast_convert(lowering *w, const inst *i, val **arg, const char *prefix)
{
	const shape *from = i->operand[0]->shape;

	if (i->shape->rank != from->rank || etype_bits(i->shape->type) != etype_bits(from->type))
		return emit_plain(w, i, arg, prefix, "bitcast-convert changes the shape");
	return simple(w, i, arg, prefix, NULL, etype_name(from->type));
}

static val *lower_dimensions(lowering *w, const inst *i, val **arg, const char *prefix)
{
	struct list l = { 0 };

	lower_put_ints(w, &l, i, "dimensions");
	return simple(w, i, arg, prefix, &l, NULL);
}

/* Three numbers a dimension. */
static void put_triples(lowering *w, struct list *l, const attr *at)
{
	int k;

	for (k = 0; at && k < 3 * at->n; k++)
		list_put(w, l, at->ints[k]);
}

static val *lower_slice(lowering *w, const inst *i, val **arg, const char *prefix)
{
	struct list l = { 0 };

	put_triples(w, &l, inst_attr(i, "slice"));
	return simple(w, i, arg, prefix, &l, NULL);
}

static val *lower_pad(lowering *w, const inst *i, val **arg, const char *prefix)
{
	const attr *at = inst_attr(i, "padding");
	struct list l = { 0 };

	if (!at || at->n != i->shape->rank)
		return i->shape->rank ? emit_plain(w, i, arg, prefix, "padding without its extents") : arg[0];
	put_triples(w, &l, at);
	return simple(w, i, arg, prefix, &l, NULL);
}

static val *lower_bitcast(lowering *w, const inst *i, val **arg, const char *prefix)
{
	struct list l = { 0 };
	const char *name = NULL, *why;

	if (arg[0]->row < 0)
		return arg[0];
	why = lower_put_bitcast(w, &l, i, &name);
	return why ? emit_plain(w, i, arg, prefix, why) : simple(w, i, arg, prefix, &l, name);
}

static val *lower_gather(lowering *w, const inst *i, val **arg, const char *prefix)
{
	struct list l = { 0 };

	lower_put_gather(w, &l, i);
	return simple(w, i, arg, prefix, &l, NULL);
}

static val *lower_dot(lowering *w, const inst *i, val **arg, const char *prefix)
{
	struct list l = { 0 };

	lower_put_dot(w, &l, i);
	return simple(w, i, arg, prefix, &l, NULL);
}

static val *lower_convolution(lowering *w, const inst *i, val **arg, const char *prefix)
{
	struct list l = { 0 };

	if (!lower_put_convolution(w, &l, i))
		return emit_plain(w, i, arg, prefix, "no rule for this convolution");
	return simple(w, i, arg, prefix, &l, NULL);
}

/* Where the opcode itself decides; the others go by their class. */
static lower_fn *const by_opcode[] = {
	[OP_ADD_DEPENDENCY] = lower_same,
	[OP_AFTER_ALL] = lower_token,
	[OP_ALL_GATHER_DONE] = lower_async_done,
	[OP_ALL_REDUCE_DONE] = lower_same,
	[OP_ASYNC_DONE] = lower_async_done,
	[OP_ASYNC_START] = lower_async_start,
	[OP_ASYNC_UPDATE] = lower_same,
	[OP_BATCH_NORM_GRAD] = lower_batch_norm,
	[OP_BATCH_NORM_INFERENCE] = lower_batch_norm,
	[OP_BATCH_NORM_TRAINING] = lower_batch_norm,
	[OP_BITCAST] = lower_bitcast,
	[OP_BITCAST_CONVERT] = lower_bitcast_convert,
	[OP_BROADCAST] = lower_dimensions,
	[OP_CALL] = lower_called,
	[OP_COLLECTIVE_PERMUTE_DONE] = lower_async_done,
	[OP_COMPARE] = lower_compare,
	[OP_CONCATENATE] = lower_dimensions,
	[OP_CONDITIONAL] = lower_conditional,
	[OP_CONSTANT] = lower_constant,
	[OP_CONVOLUTION] = lower_convolution,
	[OP_COPY] = lower_copy,
	[OP_COPY_DONE] = lower_same,
	[OP_COPY_START] = lower_same,
	[OP_CUSTOM_CALL] = lower_custom_call,
	[OP_DOMAIN] = lower_same,
	[OP_DOT] = lower_dot,
	[OP_FUSION] = lower_called,
	[OP_GATHER] = lower_gather,
	[OP_GET_TUPLE_ELEMENT] = lower_element,
	[OP_IOTA] = lower_iota,
	[OP_MAP] = lower_map,
	[OP_OPT_BARRIER] = lower_same,
	[OP_PAD] = lower_pad,
	[OP_PARTITION_ID] = lower_id,
	[OP_REDUCE] = lower_reduce,
	[OP_REDUCE_PRECISION] = lower_reduce_precision,
	[OP_REDUCE_WINDOW] = lower_reduce,
	[OP_REPLICA_ID] = lower_id,
	[OP_REVERSE] = lower_dimensions,
	[OP_SCATTER] = lower_scatter,
	[OP_SLICE] = lower_slice,
	[OP_TRANSPOSE] = lower_dimensions,
	[OP_TUPLE] = lower_tuple,
	[OP_WHILE] = lower_while,
};

val *lower_inst(lowering *w, const inst *i, val **arg, const char *prefix)
{
	char class = opcode_class(i->opcode);

	if (dynamic(i->shape) || takes_dynamic(i))
		return emit_plain(w, i, arg, prefix, "dynamic shapes");
	if (mixed_types(i))
		return emit_plain(w, i, arg, prefix, "operands of mixed element types");
	if ((size_t)i->opcode < sizeof by_opcode / sizeof *by_opcode && by_opcode[i->opcode])
		return by_opcode[i->opcode](w, i, arg, prefix);
	if (class == 'c')
		return lower_collective(w, i, arg, prefix);
	if (strchr("ubtd", class) && lower_is_array(i->shape))
		return lower_as_is(w, i, arg, prefix);
	return emit_plain(w, i, arg, prefix, class == 'e' ? "has an effect or hidden state" : NULL);
}
