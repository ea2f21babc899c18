#include "lower_in.h"

#include <stdlib.h>
#include <string.h>
#include "module.h"

void lower_note(lowering *w, const char *text)
{
	program *p = w->p;
	int i;

	for (i = 0; i < p->nnote; i++)
		if (!strcmp(p->note[i], text))
			return;
	if (p->nnote == p->notecap) {
		const char **old = p->note;
		p->notecap = p->notecap ? 2 * p->notecap : 16;
		p->note = ARENA_ARRAY(&p->a, const char *, p->notecap);
		if (p->nnote)
			memcpy(p->note, old, sizeof *old * (size_t)p->nnote);
	}
	p->note[p->nnote++] = text;
}

val *val_row(lowering *w, int row)
{
	val *v = ARENA_NEW(&w->p->a, val);

	v->row = row;
	return v;
}

val *val_tuple(lowering *w, int n)
{
	val *v = val_row(w, -1);

	v->n = n;
	v->elem = ARENA_ARRAY(&w->p->a, val *, n);
	return v;
}

static int val_leaves(const val *v, int *out, int n)
{
	int i;

	if (!v->elem) {
		if (v->row >= 0 && out)
			out[n] = v->row;
		return n + (v->row >= 0);
	}
	for (i = 0; i < v->n; i++)
		n = val_leaves(v->elem[i], out, n);
	return n;
}

static const char *path_of(lowering *w, const struct emit *e)
{
	arena *a = &w->p->a;

	if (!*e->prefix && e->element < 0)
		return e->i->name;
	return e->element < 0 ? arena_printf(a, "%s%%%s", e->prefix, e->i->name)
	     : *e->prefix ? arena_printf(a, "%s%%%s#%d", e->prefix, e->i->name, e->element)
			  : arena_printf(a, "%s#%d", e->i->name, e->element);
}

int lower_emit(lowering *w, const struct emit *e)
{
	program *p = w->p;
	row *r;

	if (p->nrow == p->cap) {
		row *more;
		p->cap = p->cap ? 2 * p->cap : 1024;
		more = realloc(p->row, sizeof *more * (size_t)p->cap);
		if (!more) {
			die_hook("out of memory");
			return -1;
		}
		p->row = more;
	}
	r = &p->row[p->nrow];
	memset(r, 0, sizeof *r);
	r->inst = e->i;
	r->path = path_of(w, e);
	r->family = e->family;
	r->type = e->shape->type;
	r->rank = e->shape->rank;
	r->dim = e->shape->dim;
	if (w->mapped && r->rank == 0) {
		r->rank = w->rank;
		r->dim = w->dim;
	}
	r->nint = e->nint;
	r->ints = e->ints;
	r->name = e->name ? e->name : "";
	r->nop = e->nop;
	r->op = e->op;
	r->param = -1;
	r->element = e->element;
	r->why = e->why;
	r->tensor = NIL;
	return p->nrow++;
}

const shape *lower_element_shape(const shape *s, int k)
{
	return s->type == T_TUPLE ? s->elem[k] : s;
}

bool lower_is_array(const shape *s)
{
	return s->type != T_TUPLE && s->type != T_TOKEN && s->type != T_OPAQUE && s->type != T_BUFFER;
}

int *lower_rows(lowering *w, val **arg, int n, int *count)
{
	int i, k = 0, *out;

	for (i = 0; i < n; i++)
		k = val_leaves(arg[i], NULL, k);
	out = ARENA_ARRAY(&w->p->a, int, k);
	for (i = k = 0; i < n; i++)
		k = val_leaves(arg[i], out, k);
	*count = k;
	return out;
}

void list_put(lowering *w, struct list *l, int64_t x)
{
	if (l->n == l->cap) {
		const int64_t *old = l->v;
		l->cap = l->cap ? 2 * l->cap : 64;
		l->v = ARENA_ARRAY(&w->p->a, int64_t, l->cap);
		if (l->n)
			memcpy(l->v, old, sizeof *old * (size_t)l->n);
	}
	l->v[l->n++] = x;
}

struct emit emit_start(const inst *i, const char *prefix, const char *family)
{
	struct emit e = { 0 };

	e.i = i;
	e.prefix = prefix;
	e.family = family;
	e.shape = i->shape;
	e.element = -1;
	return e;
}

/* A row per array element of the result, all on the same operands. */
val *emit_each(lowering *w, struct emit *e, const shape *s, int *k)
{
	val *v;
	int i;

	if (s->type == T_TUPLE) {
		v = val_tuple(w, s->n);
		for (i = 0; i < s->n; i++)
			v->elem[i] = emit_each(w, e, s->elem[i], k);
		return v;
	}
	if (!lower_is_array(s))
		return val_row(w, -1);
	e->shape = s;
	e->element = (*k)++;
	if (e->attrs)
		e->name = arena_printf(&w->p->a, "%s #%d", e->attrs, e->element);
	return val_row(w, lower_emit(w, e));
}

/* An instruction no rule knows: its fallback says what it is.  Its attributes, and which result it is, stand in its name:
 * two of them over the same operands are two values. */
val *emit_plain(lowering *w, const inst *i, val **arg, const char *prefix, const char *why)
{
	struct emit e = emit_start(i, prefix, i->opcode == OP_UNKNOWN ? i->opname : opcode_name(i->opcode));
	int k = 0;

	e.why = why;
	e.name = e.attrs = lower_attributes(w, i);
	if (strstr(e.name, " elided "))
		lower_note(w, arena_printf(&w->p->a, "elided constants in what %%%s calls, taken to be the same in both programs and finite", i->name));
	e.op = lower_rows(w, arg, lower_takes_largest(&w->p->a, i) ? 1 : i->noperand, &e.nop);
	if (i->shape->type == T_TUPLE)
		return emit_each(w, &e, i->shape, &k);
	if (!lower_is_array(i->shape))
		return val_row(w, -1);
	return val_row(w, lower_emit(w, &e));
}

/* ---- instructions */

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

static val *lower_arg_reduce(lowering *w, const inst *i, val **arg, const char *prefix)
{
	val *v = val_tuple(w, 2);
	int k;

	for (k = 0; k < 2; k++) {
		struct emit e = emit_start(i, prefix, "arg-reduce");
		struct list l = { 0 };
		list_put(w, &l, k);
		lower_put_ints(w, &l, i, "dimensions");
		e.ints = l.v;
		e.nint = l.n;
		e.name = lower_arg_kind(inst_comp(i, "to_apply"));
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
	const char *op = lower_reducer(c);

	if (i->noperand != 3 || i->shape->type == T_TUPLE)
		return emit_plain(w, i, arg, prefix, "variadic scatter");
	if (c && c->nparam == 2 && c->root == c->param[1])
		op = "assign";
	list_put(w, &l, inst_int(i, "index_vector_dim", 0));
	lower_put_list(w, &l, i, "update_window_dims");
	lower_put_list(w, &l, i, "inserted_window_dims");
	lower_put_list(w, &l, i, "scatter_dims_to_operand_dims");
	lower_put_list(w, &l, i, "input_batching_dims");
	lower_put_list(w, &l, i, "scatter_indices_batching_dims");
	return simple(w, i, arg, prefix, &l, op ? op : "other");
}

static val *lower_reduce(lowering *w, const inst *i, val **arg, const char *prefix)
{
	struct list l = { 0 };
	const char *op = lower_reducer(inst_comp(i, "to_apply"));

	if (i->opcode == OP_REDUCE && i->shape->type == T_TUPLE && i->noperand == 4 && lower_arg_kind(inst_comp(i, "to_apply")))
		return lower_arg_reduce(w, i, arg, prefix);
	if (i->shape->type == T_TUPLE || i->noperand != 2)
		return emit_plain(w, i, arg, prefix, "no rule for this variadic reduction");
	if (i->opcode == OP_REDUCE_WINDOW) {
		if (!lower_put_window(w, &l, i))
			return emit_plain(w, i, arg, prefix, "no rule for this window");
	} else {
		lower_put_ints(w, &l, i, "dimensions");
	}
	return simple(w, i, arg, prefix, &l, op ? op : "other");
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

static val *lower_inst(lowering *w, const inst *i, val **arg, const char *prefix)
{
	struct list l = { 0 };
	const char *name = NULL, *why;
	const attr *at;
	int k;

	if (dynamic(i->shape) || takes_dynamic(i))
		return emit_plain(w, i, arg, prefix, "dynamic shapes");
	if (mixed_types(i))
		return emit_plain(w, i, arg, prefix, "operands of mixed element types");
	if (i->opcode == OP_COPY && lower_is_array(i->shape) && arg[0]->row >= 0 && w->p->row[arg[0]->row].type != (int)i->shape->type) {
		struct emit e = emit_start(i, prefix, "convert");
		e.op = lower_rows(w, arg, 1, &e.nop);
		return val_row(w, lower_emit(w, &e));
	}
	switch (i->opcode) {
	case OP_TUPLE:
	{
		val *v = val_tuple(w, i->noperand);
		for (k = 0; k < i->noperand; k++)
			v->elem[k] = arg[k];
		return v;
	}
	case OP_GET_TUPLE_ELEMENT:
		if (arg[0]->elem && i->number >= 0 && i->number < arg[0]->n)
			return arg[0]->elem[i->number];
		return emit_plain(w, i, arg, prefix, "not an element of a tuple");
	case OP_CALL: case OP_FUSION:
	{
		const comp *c = inst_comp(i, i->opcode == OP_CALL ? "to_apply" : "calls");
		return c ? inlined(w, i, c, arg, prefix) : emit_plain(w, i, arg, prefix, NULL);
	}
	case OP_ASYNC_START:
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
	case OP_ASYNC_UPDATE:
		return arg[0];
	case OP_ASYNC_DONE: case OP_ALL_GATHER_DONE: case OP_COLLECTIVE_PERMUTE_DONE:
		return arg[0]->elem && arg[0]->n == 2 ? arg[0]->elem[1] : emit_plain(w, i, arg, prefix, "its start is not known");
	case OP_COPY: case OP_COPY_START: case OP_COPY_DONE: case OP_ALL_REDUCE_DONE: case OP_DOMAIN:
		if (arg[0]->elem || arg[0]->row < 0 || i->opcode != OP_COPY)
			return arg[0];
		return simple(w, i, arg, prefix, NULL, NULL);
	case OP_OPT_BARRIER: case OP_ADD_DEPENDENCY:
		return arg[0];
	case OP_AFTER_ALL:
		return val_row(w, -1);
	case OP_CONSTANT:
		return lower_constant(w, i, prefix);
	case OP_IOTA:
		list_put(w, &l, inst_int(i, "iota_dimension", 0));
		if (!i->shape->rank)
			return emit_plain(w, i, arg, prefix, "an iota without a dimension");
		return simple(w, i, arg, prefix, &l, NULL);
	case OP_PARTITION_ID: case OP_REPLICA_ID:
		if (w->bare) {
			list_put(w, &l, 1);
			list_put(w, &l, w->p->ndev);
			if (w->p->ndev > 1)
				lower_note(w, "ids are taken as device ids");
		} else {
			bool part = i->opcode == OP_PARTITION_ID;
			list_put(w, &l, part ? 1 : w->parts);
			list_put(w, &l, part ? w->parts : w->reps);
		}
		return simple(w, i, arg, prefix, &l, NULL);
	case OP_COMPARE:
		name = inst_text(i, "direction");
		at = inst_attr(i, "type");
		if (at && at->text && !strcmp(at->text, "TOTALORDER"))
			name = arena_printf(&w->p->a, "%s TOTALORDER", name ? name : "EQ");
		return simple(w, i, arg, prefix, NULL, name ? name : "EQ");
	case OP_REDUCE_PRECISION:
		return simple(w, i, arg, prefix, NULL, arena_printf(&w->p->a, "%lld,%lld", (long long)inst_int(i, "exponent_bits", 0),
								     (long long)inst_int(i, "mantissa_bits", 0)));
	case OP_BITCAST_CONVERT:
		if (i->shape->rank != i->operand[0]->shape->rank ||
		    etype_bits(i->shape->type) != etype_bits(i->operand[0]->shape->type))
			return emit_plain(w, i, arg, prefix, "bitcast-convert changes the shape");
		return simple(w, i, arg, prefix, NULL, etype_name(i->operand[0]->shape->type));
	case OP_TRANSPOSE: case OP_BROADCAST: case OP_REVERSE: case OP_CONCATENATE:
		lower_put_ints(w, &l, i, "dimensions");
		return simple(w, i, arg, prefix, &l, NULL);
	case OP_SLICE:
		at = inst_attr(i, "slice");
		for (k = 0; at && k < 3 * at->n; k++)
			list_put(w, &l, at->ints[k]);
		return simple(w, i, arg, prefix, &l, NULL);
	case OP_PAD:
		at = inst_attr(i, "padding");
		for (k = 0; at && k < 3 * at->n; k++)
			list_put(w, &l, at->ints[k]);
		if (!at || at->n != i->shape->rank)
			return i->shape->rank ? emit_plain(w, i, arg, prefix, "padding without its extents") : arg[0];
		return simple(w, i, arg, prefix, &l, NULL);
	case OP_BITCAST:
		if (arg[0]->row < 0)
			return arg[0];
		why = lower_put_bitcast(w, &l, i, &name);
		return why ? emit_plain(w, i, arg, prefix, why) : simple(w, i, arg, prefix, &l, name);
	case OP_GATHER:
		lower_put_gather(w, &l, i);
		return simple(w, i, arg, prefix, &l, NULL);
	case OP_DOT:
		lower_put_dot(w, &l, i);
		return simple(w, i, arg, prefix, &l, NULL);
	case OP_CONVOLUTION:
		if (!lower_put_convolution(w, &l, i))
			return emit_plain(w, i, arg, prefix, "no rule for this convolution");
		return simple(w, i, arg, prefix, &l, NULL);
	case OP_REDUCE: case OP_REDUCE_WINDOW:
		return lower_reduce(w, i, arg, prefix);
	case OP_MAP:
		return lower_map(w, i, arg, prefix);
	case OP_SCATTER:
		return lower_scatter(w, i, arg, prefix);
	case OP_BATCH_NORM_TRAINING: case OP_BATCH_NORM_INFERENCE: case OP_BATCH_NORM_GRAD:
		return lower_batch_norm(w, i, arg, prefix);
	case OP_WHILE:
		return lower_while(w, i, arg, prefix);
	case OP_CONDITIONAL:
		return lower_conditional(w, i, arg, prefix);
	case OP_CUSTOM_CALL:
		return lower_custom_call(w, i, arg, prefix);
	default:
		break;
	}
	if (opcode_class(i->opcode) == 'c')
		return lower_collective(w, i, arg, prefix);
	if (strchr("ubtd", opcode_class(i->opcode)) && lower_is_array(i->shape))
		return simple(w, i, arg, prefix, NULL, NULL);
	return emit_plain(w, i, arg, prefix, opcode_class(i->opcode) == 'e' ? "has an effect or hidden state" : NULL);
}

static val *lower_param(lowering *w, const inst *i, const shape *s, int *k, int number)
{
	struct emit e = emit_start(i, "", "parameter");
	val *v;
	int j, r;

	if (s->type == T_TUPLE) {
		v = val_tuple(w, s->n);
		for (j = 0; j < s->n; j++)
			v->elem[j] = lower_param(w, i, s->elem[j], k, number);
		return v;
	}
	if (!lower_is_array(s))
		return val_row(w, -1);
	e.shape = s;
	e.element = i->shape->type == T_TUPLE ? (*k)++ : -1;
	r = lower_emit(w, &e);
	w->p->row[r].param = number;
	return val_row(w, r);
}

val *lower_comp(lowering *w, const comp *c, val **arg, const char *prefix)
{
	val **env = calloc((size_t)c->ninst + 1, sizeof *env), *root, **op;
	int k, j, most = 1;

	if (!env) {
		die_hook("out of memory");
		return val_row(w, -1);
	}
	w->depth++;
	for (k = 0; k < c->ninst; k++)
		if (c->inst[k]->noperand > most)
			most = c->inst[k]->noperand;
	op = ARENA_ARRAY(&w->p->a, val *, most);
	for (k = 0; k < c->ninst && !w->failed; k++) {
		const inst *i = c->inst[k];
		if (i->opcode == OP_PARAMETER) {
			env[k] = arg[i->number];
			continue;
		}
		for (j = 0; j < i->noperand; j++)
			op[j] = env[i->operand[j]->index];
		env[k] = lower_inst(w, i, op, prefix);
		if (!w->failed && !env[k]->elem && env[k]->row >= 0 && w->p->row[env[k]->row].inst != i)
			program_alias(w->p, *prefix ? arena_printf(&w->p->a, "%s%%%s", prefix, i->name) : i->name, env[k]->row);
	}
	root = w->failed ? val_row(w, -1) : env[c->root->index];
	free(env);
	w->depth--;
	return root;
}

/* ---- the whole */
int64_t lower_devices(const module *m)
{
	int64_t p = m->num_partitions > 0 ? m->num_partitions : 1, r = m->replica_count > 0 ? m->replica_count : 1;

	return p * r > 1 ? p * r : module_devices_named(m);
}

static bool entry_crosses(const module *m)
{
	int k;

	for (k = 0; k < m->entry->ninst; k++)
		if (lower_crosses(m->entry->inst[k]))
			return true;
	return false;
}

static bool set_counts(lowering *w, int64_t ndev)
{
	const module *m = w->m;

	w->parts = m->num_partitions > 0 ? m->num_partitions : 1;
	w->reps = m->replica_count > 0 ? m->replica_count : 1;
	if (ndev == 1 && w->parts * w->reps > 1 && !entry_crosses(m))
		w->parts = w->reps = 1;		/* before partitioning: a program for one device */
	w->bare = w->parts * w->reps != ndev;
	if (w->bare && w->parts * w->reps != 1) {
		diag_set(w->err, m->file, 0, 0, "the mesh has %lld devices, the module %lld%s", (long long)ndev, (long long)(w->parts * w->reps),
			 w->p->side == SIDE_BASE ? "; where the baseline is a distributed program, the plan says so: mesh base AXIS=SIZE ..": "");
		return false;
	}
	if (w->bare) {
		w->parts = ndev;
		w->reps = 1;
	}
	return true;
}

/* The outputs, those of nested tuples one after another; -1: no array. */
static void take_outputs(program *p, const val *v)
{
	int k;

	if (!v->elem)
		p->out[p->nout++] = v->row;
	for (k = 0; v->elem && k < v->n; k++)
		take_outputs(p, v->elem[k]);
}

program *lower_module(const module *m, const module *other, enum program_side side, int64_t ndev, int nkeep, const kept_loop *keep,
		      struct diag *err)
{
	program *p = calloc(1, sizeof *p);
	lowering w = { .p = p, .m = m, .other = other, .err = err, .keep = keep, .nkeep = nkeep, .loop = -1 };
	val **arg, *root;
	int k, j = 0;

	if (!p) {
		die_hook("out of memory");
		return NULL;
	}
	arena_init(&p->a);
	p->side = side;
	p->m = m;
	p->ndev = ndev;
	p->fallback = lower_fallback;
	if (!set_counts(&w, ndev)) {
		program_free(p);
		return NULL;
	}
	p->nparam = m->entry->nparam;
	p->param = ARENA_ARRAY(&p->a, int, p->nparam);
	arg = ARENA_ARRAY(&p->a, val *, p->nparam);
	for (k = 0; k < p->nparam; k++) {
		j = 0;
		arg[k] = lower_param(&w, m->entry->param[k], m->entry->param[k]->shape, &j, k);
		p->param[k] = arg[k]->row;
	}
	root = lower_comp(&w, m->entry, arg, "");
	free(w.elided);
	free(w.nelided);
	if (w.failed) {
		program_free(p);
		return NULL;
	}
	p->out = ARENA_ARRAY(&p->a, int, shape_leaves(m->entry->root->shape) + 1);
	take_outputs(p, root);
	return p;
}

void program_free(program *p)
{
	int k;

	if (!p)
		return;
	for (k = 0; k < p->ndefinition; k++)
		module_free(p->definition[k]);
	free(p->definition);
	free(p->row);
	arena_free(&p->a);
	free(p);
}
