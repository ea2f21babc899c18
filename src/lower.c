#include "lower_in.h"
#include "lift.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "definition.h"
#include "module.h"

#define TABLE_ENTRIES ((int64_t)1 << 18)


/* ---- small tools */

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

static const shape *element_shape(const shape *s, int k)
{
	return s->type == T_TUPLE ? s->elem[k] : s;
}

static bool is_array(const shape *s)
{
	return s->type != T_TUPLE && s->type != T_TOKEN && s->type != T_OPAQUE && s->type != T_BUFFER;
}

static int *rows_of(lowering *w, val **arg, int n, int *count)
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

static const char *attributes_text(lowering *w, const inst *i);

/* A row per array element of the result, all on the same operands. */
static val *emit_each(lowering *w, struct emit *e, const shape *s, int *k)
{
	val *v;
	int i;

	if (s->type == T_TUPLE) {
		v = val_tuple(w, s->n);
		for (i = 0; i < s->n; i++)
			v->elem[i] = emit_each(w, e, s->elem[i], k);
		return v;
	}
	if (!is_array(s))
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
	e.name = e.attrs = attributes_text(w, i);
	e.op = rows_of(w, arg, i->noperand, &e.nop);
	if (i->shape->type == T_TUPLE)
		return emit_each(w, &e, i->shape, &k);
	if (!is_array(i->shape))
		return val_row(w, -1);
	return val_row(w, lower_emit(w, &e));
}

/* ---- device groups */

static void put64(int64_t **v, int *n, int *cap, arena *a, int64_t x)
{
	if (*n == *cap) {
		int64_t *old = *v;
		*cap = *cap ? 2 * *cap : 64;
		*v = ARENA_ARRAY(a, int64_t, *cap);
		if (*n)
			memcpy(*v, old, sizeof *old * (size_t)*n);
	}
	(*v)[(*n)++] = x;
}

struct list { int64_t *v; int n, cap; };
static void list_put(lowering *w, struct list *l, int64_t x) { put64(&l->v, &l->n, &l->cap, &w->p->a, x); }

static bool group_is_partitions(const inst *i)
{
	switch (i->opcode) {
	case OP_ALL_TO_ALL: case OP_RAGGED_ALL_TO_ALL: case OP_COLLECTIVE_BROADCAST:
		return true;
	default:
		return false;
	}
}

/* dimension, number of groups, sizes, members as device ids: whatever the mode */
static void put_groups(lowering *w, const inst *i, int64_t dim, struct list *out)
{
	const attr *g = inst_attr(i, "replica_groups");
	const groups *gr = g && g->kind == ATTR_GROUPS ? g->groups : NULL;
	bool channel = inst_int(i, "channel_id", 0) > 0, global = inst_bool(i, "use_global_device_ids", false);
	int64_t P = w->parts, R = w->reps, all = P * R, none = gr ? gr->ngroup : 0, x, y, k;
	struct list size = { 0 }, id = { 0 };
	const int64_t *m = gr ? gr->id : NULL;
	int q;

	if (none == 0) {	/* one group of all */
		int64_t n = w->bare || global ? all : !channel ? R : group_is_partitions(i) ? P : R;
		int64_t *ids = ARENA_ARRAY(&w->p->a, int64_t, n);
		int *one = ARENA_ARRAY(&w->p->a, int, 1);
		groups *made = ARENA_NEW(&w->p->a, groups);
		for (k = 0; k < n; k++)
			ids[k] = k;
		one[0] = (int)n;
		*made = (groups){ 1, one, ids, NULL };
		gr = made;
		m = ids;
	}
	for (q = 0; q < gr->ngroup; m += gr->size[q++]) {
		int n = gr->size[q];
		if (global || w->bare) {
			list_put(w, &size, n);
			for (k = 0; k < n; k++)
				list_put(w, &id, m[k]);
		} else if (!channel) {			/* replica ids, for every partition */
			for (y = 0; y < P; y++) {
				list_put(w, &size, n);
				for (k = 0; k < n; k++)
					list_put(w, &id, m[k] * P + y);
			}
		} else if (group_is_partitions(i)) {	/* partition ids, for every replica */
			for (x = 0; x < R; x++) {
				list_put(w, &size, n);
				for (k = 0; k < n; k++)
					list_put(w, &id, x * P + m[k]);
			}
		} else {				/* replica ids, all partitions in one group */
			list_put(w, &size, n * P);
			for (k = 0; k < n; k++)
				for (y = 0; y < P; y++)
					list_put(w, &id, m[k] * P + y);
		}
	}
	list_put(w, out, dim);
	list_put(w, out, size.n);
	for (k = 0; k < size.n; k++)
		list_put(w, out, size.v[k]);
	for (k = 0; k < id.n; k++)
		list_put(w, out, id.v[k]);
}

/* Pairs source, target as device ids; a broadcast is its root to every member. */
static void put_pairs(lowering *w, const inst *i, struct list *out)
{
	const attr *a = inst_attr(i, "source_target_pairs");
	bool channel = inst_int(i, "channel_id", 0) > 0;
	int64_t x;
	int k;

	if (i->opcode == OP_COLLECTIVE_BROADCAST) {
		struct list g = { 0 };
		int64_t *p, ng, q;
		put_groups(w, i, -1, &g);
		ng = g.v[1];
		p = g.v + 2 + ng;
		for (q = 0; q < ng; p += g.v[2 + q++])
			for (x = 0; x < g.v[2 + q]; x++) {
				list_put(w, out, p[0]);
				list_put(w, out, p[x]);
			}
		return;
	}
	for (k = 0; a && k < a->n; k++) {
		int64_t s = a->ints[2 * k], t = a->ints[2 * k + 1];
		if (w->bare) {
			list_put(w, out, s);
			list_put(w, out, t);
		} else if (channel) {
			for (x = 0; x < w->reps; x++) {
				list_put(w, out, x * w->parts + s);
				list_put(w, out, x * w->parts + t);
			}
		} else {
			for (x = 0; x < w->parts; x++) {
				list_put(w, out, s * w->parts + x);
				list_put(w, out, t * w->parts + x);
			}
		}
	}
}

/* ---- called computations */

/* The operation of a reducer of two scalars, or NULL. */
static const char *reducer_of(const comp *c)
{
	const inst *r = c ? c->root : NULL;

	if (!r || c->nparam != 2 || c->ninst != 3 || r->noperand != 2)
		return lower_truth_kind(c);
	if (!((r->operand[0] == c->param[0] && r->operand[1] == c->param[1]) ||
	      (r->operand[0] == c->param[1] && r->operand[1] == c->param[0])))
		return NULL;
	switch (r->opcode) {
	case OP_ADD: case OP_MULTIPLY: case OP_MAXIMUM: case OP_MINIMUM: case OP_AND: case OP_OR:
		return opcode_name(r->opcode);
	default:
		return NULL;
	}
}

/* One row per operand of a collective: each alone. */
static val *each_operand(lowering *w, const inst *i, val **arg, const char *prefix, const char *family, struct list *l, const char *name,
			 const char *why)
{
	const shape *s = i->shape;
	val *v;
	int k;

	if (i->opcode == OP_ALL_GATHER_START || i->opcode == OP_COLLECTIVE_PERMUTE_START)
		s = s->type == T_TUPLE && s->n > 1 ? s->elem[1] : s;
	v = s->type == T_TUPLE ? val_tuple(w, s->n) : NULL;
	for (k = 0; k < i->noperand; k++) {
		struct emit e = emit_start(i, prefix, family);
		int *op = ARENA_ARRAY(&w->p->a, int, 1);
		val *r;
		if (s->type == T_TUPLE && k >= s->n)
			break;
		if (arg[k]->row < 0) {	/* a token passes through */
			r = arg[k];
		} else {
			op[0] = arg[k]->row;
			e.op = op;
			e.nop = 1;
			e.ints = l->v;
			e.nint = l->n;
			e.name = name;
			e.why = why;
			e.shape = element_shape(s, k);
			e.element = s->type == T_TUPLE ? k : -1;
			r = val_row(w, lower_emit(w, &e));
		}
		if (!v)
			return r;
		v->elem[k] = r;
	}
	if (v && i->noperand < s->n)
		for (; k < s->n; k++)
			v->elem[k] = val_row(w, -1);
	return v ? v : val_row(w, -1);
}

static val *lower_collective(lowering *w, const inst *i, val **arg, const char *prefix)
{
	struct list l = { 0 };
	const char *op = reducer_of(inst_comp(i, "to_apply")), *why = NULL;
	int nd;
	const int64_t *dims = inst_ints(i, "dimensions", &nd);
	val *v, *t;

	switch (i->opcode) {
	case OP_ALL_REDUCE: case OP_ALL_REDUCE_START:
		put_groups(w, i, -1, &l);
		return each_operand(w, i, arg, prefix, "all-reduce", &l, op ? op : "other", NULL);
	case OP_REDUCE_SCATTER:
		put_groups(w, i, nd ? dims[0] : 0, &l);
		return each_operand(w, i, arg, prefix, "reduce-scatter", &l, op ? op : "other", NULL);
	case OP_ALL_GATHER: case OP_ALL_GATHER_START:
		put_groups(w, i, nd ? dims[0] : 0, &l);
		v = each_operand(w, i, arg, prefix, "all-gather", &l, NULL, NULL);
		break;
	case OP_COLLECTIVE_PERMUTE: case OP_COLLECTIVE_PERMUTE_START: case OP_COLLECTIVE_BROADCAST:
		if (i->noperand != (i->shape->type == T_TUPLE && i->opcode == OP_COLLECTIVE_PERMUTE ? i->shape->n : i->noperand) ||
		    (i->opcode != OP_COLLECTIVE_BROADCAST && i->noperand > 1 && inst_attr(i, "slice_sizes")))
			why = "operands and results do not match";
		put_pairs(w, i, &l);
		v = why ? emit_plain(w, i, arg, prefix, why) : each_operand(w, i, arg, prefix, "collective-permute", &l, NULL, NULL);
		break;
	case OP_ALL_TO_ALL:
		if (nd && i->shape->type != T_TUPLE) {
			put_groups(w, i, dims[0], &l);
			return each_operand(w, i, arg, prefix, "all-to-all", &l, NULL, NULL);
		}
		if (i->shape->type != T_TUPLE)
			return emit_plain(w, i, arg, prefix, NULL);
		v = val_tuple(w, i->shape->n);
		for (nd = 0; nd < i->shape->n; nd++) {
			struct emit e = emit_start(i, prefix, "all-to-all-tuple");
			struct list g = { 0 };
			put_groups(w, i, nd, &g);
			e.ints = g.v;
			e.nint = g.n;
			e.op = rows_of(w, arg, i->noperand, &e.nop);
			e.shape = i->shape->elem[nd];
			e.element = nd;
			v->elem[nd] = val_row(w, lower_emit(w, &e));
		}
		return v;
	default:
		return emit_plain(w, i, arg, prefix, NULL);
	}
	if (i->opcode != OP_ALL_GATHER_START && i->opcode != OP_COLLECTIVE_PERMUTE_START)
		return v;
	t = val_tuple(w, 2);	/* (operand, result), taken apart by -done */
	t->elem[0] = arg[0];
	t->elem[1] = v;
	return t;
}

/* ---- constants */

static int elided_number(lowering *w, const char *shape)
{
	int k;

	for (k = 0; k < w->nkinds; k++)
		if (!strcmp(w->elided[k], shape))
			return ++w->nelided[k];
	if (w->nkinds == w->elidedcap) {
		w->elidedcap = w->elidedcap ? 2 * w->elidedcap : 16;
		w->elided = realloc(w->elided, sizeof *w->elided * (size_t)w->elidedcap);
		w->nelided = realloc(w->nelided, sizeof *w->nelided * (size_t)w->elidedcap);
		if (!w->elided || !w->nelided) {
			die_hook("out of memory");
			return 0;
		}
	}
	w->elided[w->nkinds] = shape;
	w->nelided[w->nkinds] = 1;
	w->nkinds++;
	return 1;
}

static val *constant_atom(lowering *w, struct emit *e, const char *name)
{
	e->family = "constant-atom";
	e->name = name;
	return val_row(w, lower_emit(w, e));
}

static bool all_finite(const literal *l, int64_t n)
{
	int64_t k;

	for (k = 0; l->f && k < n; k++)
		if (!isfinite(l->f[k]))
			return false;
	return true;
}

/* What stands for a constant too large for a table: 128 bits of its words.  One word that differs always shows: every
 * step is one-to-one. */
static const char *digest(arena *a, const char *kind, const shape *s, const void *data, size_t words)
{
	uint64_t x = 0x243f6a8885a308d3ull, y = 0x13198a2e03707344ull, v;
	const char *p = data;
	size_t k;

	for (k = 0; k < words; k++) {
		memcpy(&v, p + 8 * k, 8);
		x = hash_word(x + v) + 0x9e3779b97f4a7c15ull;
		y = hash_word((y ^ v) * 0xff51afd7ed558ccdull) + 0xd1342543de82ef95ull;
	}
	return arena_printf(a, "%s %s %016llx%016llx", kind, shape_text(a, s), (unsigned long long)x, (unsigned long long)y);
}

/* Literals that stand for a number they only round to are taken for it: the user is told once of each. */
static void note_readings(lowering *w, const inst *i, const double *f, int64_t n)
{
	arena *a = &w->p->a;
	const char *first = NULL, *text;
	int64_t k, read = 0;

	for (k = 0; k < n; k++)
		if ((text = literal_reading(a, i->shape->type, f[k]))) {
			first = first ? first : text;
			read++;
		}
	if (read == 1)
		lower_note(w, arena_printf(a, "the literal %s", first));
	else if (read)
		lower_note(w, arena_printf(a, "%lld of %lld literals of %%%s are read as fractions: %s ..", (long long)read, (long long)n, i->name, first));
}

static val *lower_constant(lowering *w, const inst *i, const char *prefix)
{
	struct emit e = emit_start(i, prefix, "constant");
	const literal *l = i->literal;
	arena *a = &w->p->a;
	int64_t n, k, *v;

	if (i->shape->type == T_TUPLE || !l) {
		int j = 0;
		e.family = "constant-tuple";
		e.attrs = attributes_text(w, i);
		return i->shape->type == T_TUPLE ? emit_each(w, &e, i->shape, &j) : emit_plain(w, i, NULL, prefix, "a constant without a value");
	}
	if (l->elided) {
		const char *text = shape_text(a, i->shape);
		int num = elided_number(w, text);
		lower_note(w, arena_printf(a, "elided constant %%%s: the %d. of shape %s, taken to be the same in both programs", i->name, num, text));
		return constant_atom(w, &e, arena_printf(a, "elided %s %d", text, num));
	}
	if (etype_kind(i->shape->type) == 'c')
		return constant_atom(w, &e, digest(a, "complex", i->shape, l->f, 2 * (size_t)(l->splat ? 1 : l->count)));
	n = l->splat || i->shape->rank == 0 ? 1 : l->count;
	for (k = 1; k < n; k++)
		if (l->i ? l->i[k] != l->i[0] : memcmp(&l->f[k], &l->f[0], sizeof(double)) != 0)
			break;
	if (n > 1 && k == n)
		n = 1;
	if (n > TABLE_ENTRIES)
		return constant_atom(w, &e, digest(a, all_finite(l, n) ? "dense" : "wild", i->shape, l->i ? (const void *)l->i : l->f, (size_t)n));
	if (l->f)
		note_readings(w, i, l->f, n);
	v = ARENA_ARRAY(a, int64_t, n);
	if (n)
		memcpy(v, l->i ? (const void *)l->i : l->f, 8 * (size_t)n);
	e.ints = v;
	e.nint = (int)n;
	if (n != 1)
		e.family = "constant-table";
	return val_row(w, lower_emit(w, &e));
}

/* ---- custom calls */

static bool named(const char *s, const char *const *list)
{
	for (; *list; list++)
		if (!strcmp(s, *list))
			return true;
	return false;
}

static const char *call_target(const inst *i)
{
	const char *t = i->opcode == OP_CUSTOM_CALL ? inst_text(i, "custom_call_target") : NULL;

	return t ? t : "";
}

static bool is_marker(const char *target)
{
	static const char *const same[] = { "AwsNeuronTransferWithStaticRing", "Sharding", "SPMDFullToShardShape",
		"SPMDShardToFullShape", "annotate_device_placement", "MoveToHost", "MoveToDevice", NULL };

	return named(target, same) || !strncmp(target, "xla.sdy.", 8);
}

static bool effect(const inst *i)
{
	return inst_bool(i, "custom_call_has_side_effect", false);
}

/* As the computation of its definition; NULL when it has none, or the other program calls it too. */
static val *defined(lowering *w, const inst *i, val **arg, const char *prefix)
{
	const char *target = call_target(i), *words = w->other ? definition_words(i) : NULL;
	program *p = w->p;
	module *m = words && !definition_called(w->other, target) ? definition_module(i) : NULL, **more;

	if (!m)
		return NULL;
	more = realloc(p->definition, sizeof *more * (size_t)(p->ndefinition + 1));
	if (!more) {
		die_hook("out of memory");
		return NULL;
	}
	p->definition = more;
	p->definition[p->ndefinition++] = m;
	lower_note(w, arena_printf(&p->a, "the custom call %s is read as %s", target, words));
	return lower_comp(w, m->entry, arg, lower_prefix(w, i, prefix));
}

static val *lower_custom_call(lowering *w, const inst *i, val **arg, const char *prefix)
{
	const char *t = call_target(i);
	struct emit e;
	val *v;

	if (is_marker(t) && i->noperand >= 1 && arg[0]->row >= 0 && is_array(i->shape)) {
		const row *r = &w->p->row[arg[0]->row];
		bool same = r->type == (int)i->shape->type && r->rank == i->shape->rank &&
			    !memcmp(r->dim, i->shape->dim, sizeof *r->dim * (size_t)r->rank);
		if (same && i->noperand == 1) {
			e = emit_start(i, prefix, "marker");
			e.op = rows_of(w, arg, 1, &e.nop);
			return val_row(w, lower_emit(w, &e));
		}
		return emit_plain(w, i, arg, prefix, "a resharding marker changes the shape");
	}
	if (effect(i))
		return emit_plain(w, i, arg, prefix, "has an effect or hidden state");
	if ((v = defined(w, i, arg, prefix)))
		return v;
	if (!strcmp(t, "TopK"))
		lower_note(w, "the custom call TopK takes the largest values of the last dimension, as topk does");
	if (!lower_crosses(i))
		lower_note(w, arena_printf(&w->p->a, "the custom call %s acts on each device alone", t));
	return emit_plain(w, i, arg, prefix, arena_printf(&w->p->a, "the custom call %s has no rule", t));
}

/* ---- attributes as numbers */

static void put_list(lowering *w, struct list *l, const inst *i, const char *key)
{
	int n, k;
	const int64_t *v = inst_ints(i, key, &n);

	list_put(w, l, n);
	for (k = 0; k < n; k++)
		list_put(w, l, v[k]);
}

static void put_ints(lowering *w, struct list *l, const inst *i, const char *key)
{
	int n, k;
	const int64_t *v = inst_ints(i, key, &n);

	for (k = 0; k < n; k++)
		list_put(w, l, v[k]);
}

static void put_dot(lowering *w, struct list *l, const inst *i)
{
	put_list(w, l, i, "lhs_batch_dims");
	put_ints(w, l, i, "rhs_batch_dims");
	put_list(w, l, i, "lhs_contracting_dims");
	put_ints(w, l, i, "rhs_contracting_dims");
}

static int label_pos(const char *s, const char *end, char c)
{
	const char *p;

	for (p = s; p < end; p++)
		if (*p == c)
			return (int)(p - s);
	return -1;
}

/* false when the attributes are not understood */
static bool put_convolution(lowering *w, struct list *l, const inst *i)
{
	const char *d = inst_text(i, "dim_labels"), *k, *o, *end;
	const attr *win = inst_attr(i, "window");
	int ns, s;
	char c;

	if (!d || !(k = strchr(d, '_')) || !(o = strstr(d, "->")) || inst_int(i, "batch_group_count", 1) > 1)
		return false;
	end = d + strlen(d);
	ns = (int)(k - d) - 2;
	if (win && win->n != ns)
		return false;
	if (!win && ns)
		return false;
	list_put(w, l, inst_int(i, "feature_group_count", 1) > 0 ? inst_int(i, "feature_group_count", 1) : 1);
	list_put(w, l, ns);
	list_put(w, l, label_pos(d, k, 'b'));
	list_put(w, l, label_pos(d, k, 'f'));
	list_put(w, l, label_pos(k + 1, o, 'i'));
	list_put(w, l, label_pos(k + 1, o, 'o'));
	list_put(w, l, label_pos(o + 2, end, 'b'));
	list_put(w, l, label_pos(o + 2, end, 'f'));
	for (s = 0; s < ns; s++) {
		const int64_t *q = win->ints + s * WINDOW_FIELDS;
		c = (char)('0' + s);
		list_put(w, l, label_pos(d, k, c));
		list_put(w, l, label_pos(k + 1, o, c));
		list_put(w, l, label_pos(o + 2, end, c));
		list_put(w, l, q[W_SIZE]);
		list_put(w, l, q[W_STRIDE]);
		list_put(w, l, q[W_PAD_LOW]);
		list_put(w, l, q[W_PAD_HIGH]);
		list_put(w, l, q[W_LHS_DILATE]);
		list_put(w, l, q[W_RHS_DILATE]);
		list_put(w, l, q[W_REVERSAL]);
	}
	for (s = 0; s < 8 + 10 * ns; s++)
		if (l->v[s] < 0 && s < 8)
			return false;
	return true;
}

static bool put_window(lowering *w, struct list *l, const inst *i)
{
	const attr *win = inst_attr(i, "window");
	int s;

	if (!win || win->n != i->operand[0]->shape->rank)
		return false;
	for (s = 0; s < win->n; s++) {
		const int64_t *q = win->ints + s * WINDOW_FIELDS;
		if (q[W_REVERSAL] || q[W_SIZE] < 1)
			return false;
		list_put(w, l, q[W_SIZE]);
		list_put(w, l, q[W_STRIDE]);
		list_put(w, l, q[W_PAD_LOW]);
		list_put(w, l, q[W_PAD_HIGH]);
		list_put(w, l, q[W_LHS_DILATE]);
		list_put(w, l, q[W_RHS_DILATE]);
	}
	return true;
}

static void put_gather(lowering *w, struct list *l, const inst *i)
{
	list_put(w, l, inst_int(i, "index_vector_dim", 0));
	put_list(w, l, i, "offset_dims");
	put_list(w, l, i, "collapsed_slice_dims");
	put_list(w, l, i, "start_index_map");
	put_list(w, l, i, "operand_batching_dims");
	put_list(w, l, i, "start_indices_batching_dims");
	put_list(w, l, i, "slice_sizes");
}

/* Dimensions from most major to most minor; false when the layout is no permutation. */
static bool put_physical(lowering *w, struct list *l, const shape *s)
{
	int k;

	if (s->tiled && s->rank > 1)
		return false;
	for (k = s->rank - 1; k >= 0; k--)
		list_put(w, l, s->minor_to_major ? s->minor_to_major[k] : s->rank - 1 - k);
	return true;
}

static const char *put_bitcast(lowering *w, struct list *l, const inst *i, const char **name)
{
	const shape *from = i->operand[0]->shape, *to = i->shape;

	if (from->type != to->type) {
		if (etype_bits(from->type) != etype_bits(to->type) || !etype_bits(to->type) || from->type == T_PRED || to->type == T_PRED)
			return "a bitcast changes the width of the element type";
		*name = arena_printf(&w->p->a, "bitcast-convert:%s", etype_name(from->type));
	}
	if (shape_elements(from) != shape_elements(to))
		return "a bitcast between tensors of different sizes";
	if (!put_physical(w, l, from) || !put_physical(w, l, to))
		return "the layout is not a permutation";
	return NULL;
}

/* ---- instructions */

static val *simple(lowering *w, const inst *i, val **arg, const char *prefix, struct list *l, const char *name)
{
	struct emit e = emit_start(i, prefix, opcode_name(i->opcode));

	e.ints = l ? l->v : NULL;
	e.nint = l ? l->n : 0;
	e.name = name;
	e.op = rows_of(w, arg, i->noperand, &e.nop);
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
		put_ints(w, &l, i, "dimensions");
		e.ints = l.v;
		e.nint = l.n;
		e.name = lower_arg_kind(inst_comp(i, "to_apply"));
		e.op = rows_of(w, arg, i->noperand, &e.nop);
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
		e.op = rows_of(w, arg, i->noperand, &e.nop);
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
	const char *op = reducer_of(c);

	if (i->noperand != 3 || i->shape->type == T_TUPLE)
		return emit_plain(w, i, arg, prefix, "variadic scatter");
	if (c && c->nparam == 2 && c->root == c->param[1])
		op = "assign";
	list_put(w, &l, inst_int(i, "index_vector_dim", 0));
	put_list(w, &l, i, "update_window_dims");
	put_list(w, &l, i, "inserted_window_dims");
	put_list(w, &l, i, "scatter_dims_to_operand_dims");
	put_list(w, &l, i, "input_batching_dims");
	put_list(w, &l, i, "scatter_indices_batching_dims");
	return simple(w, i, arg, prefix, &l, op ? op : "other");
}

static val *lower_reduce(lowering *w, const inst *i, val **arg, const char *prefix)
{
	struct list l = { 0 };
	const char *op = reducer_of(inst_comp(i, "to_apply"));

	if (i->opcode == OP_REDUCE && i->shape->type == T_TUPLE && i->noperand == 4 && lower_arg_kind(inst_comp(i, "to_apply")))
		return lower_arg_reduce(w, i, arg, prefix);
	if (i->shape->type == T_TUPLE || i->noperand != 2)
		return emit_plain(w, i, arg, prefix, "no rule for this variadic reduction");
	if (i->opcode == OP_REDUCE_WINDOW) {
		if (!put_window(w, &l, i))
			return emit_plain(w, i, arg, prefix, "no rule for this window");
	} else {
		put_ints(w, &l, i, "dimensions");
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

	if (dynamic(i->shape))
		return emit_plain(w, i, arg, prefix, "dynamic shapes");
	if (mixed_types(i))
		return emit_plain(w, i, arg, prefix, "operands of mixed element types");
	if (i->opcode == OP_COPY && is_array(i->shape) && arg[0]->row >= 0 && w->p->row[arg[0]->row].type != (int)i->shape->type) {
		struct emit e = emit_start(i, prefix, "convert");
		e.op = rows_of(w, arg, 1, &e.nop);
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
		put_ints(w, &l, i, "dimensions");
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
		why = put_bitcast(w, &l, i, &name);
		return why ? emit_plain(w, i, arg, prefix, why) : simple(w, i, arg, prefix, &l, name);
	case OP_GATHER:
		put_gather(w, &l, i);
		return simple(w, i, arg, prefix, &l, NULL);
	case OP_DOT:
		put_dot(w, &l, i);
		return simple(w, i, arg, prefix, &l, NULL);
	case OP_CONVOLUTION:
		if (!put_convolution(w, &l, i))
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
	if (strchr("ubtd", opcode_class(i->opcode)) && is_array(i->shape))
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
	if (!is_array(s))
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

/* ---- fallbacks: the canonical key of an operation nobody gave a meaning */

struct text { char *s; size_t n, cap; };

static void text_put(struct text *t, const char *s)
{
	size_t k = strlen(s);

	if (t->n + k + 1 > t->cap) {
		t->cap = 2 * (t->n + k + 64);
		t->s = realloc(t->s, t->cap);
		if (!t->s) {
			die_hook("out of memory");
			return;
		}
	}
	memcpy(t->s + t->n, s, k + 1);
	t->n += k;
}

static bool dropped(const inst *i, const char *key)
{
	static const char *const drop[] = { "metadata", "sharding", "channel_id", "backend_config", "frontend_attributes",
		"origin", "original_value", "api_version", "operand_precision", "indices_are_sorted", "unique_indices",
		"use_global_device_ids", "control-predecessors", "statistics", "result_accuracy", "operand_layout_constraints",
		"custom_call_schedule", "schedule", "output_to_operand_aliasing", "execution_thread", "async_execution_thread", NULL };

	if (!strcmp(key, "backend_config") && i->opcode == OP_CUSTOM_CALL)
		return false;
	if (!strcmp(key, "backend_config") && i->opcode == OP_UNKNOWN)
		return false;
	return named(key, drop);
}

static void canonical_inst_attrs(struct text *t, arena *a, const inst *i);

static void canonical_comp(struct text *t, arena *a, const comp *c, int depth)
{
	int k, j;
	char num[32];

	if (depth > 50) {
		text_put(t, "{deep}");
		return;
	}
	text_put(t, "{");
	for (k = 0; k < c->ninst; k++) {
		const inst *i = c->inst[k];
		text_put(t, i->opcode == OP_UNKNOWN ? i->opname : opcode_name(i->opcode));
		text_put(t, " ");
		text_put(t, shape_text(a, i->shape));
		for (j = 0; j < i->noperand; j++) {
			snprintf(num, sizeof num, " %d", i->operand[j]->index);
			text_put(t, num);
		}
		if (i->number >= 0) {
			snprintf(num, sizeof num, " #%lld", (long long)i->number);
			text_put(t, num);
		}
		canonical_inst_attrs(t, a, i);
		text_put(t, ";");
	}
	snprintf(num, sizeof num, "-> %d}", c->root->index);
	text_put(t, num);
}

static void canonical_literal(struct text *t, const literal *l, const inst *i)
{
	char b[64];
	int64_t k, n = l->splat ? 1 : l->count;

	if (l->elided) {
		snprintf(b, sizeof b, " elided %s:%d", i->parent->name, i->index);
		text_put(t, b);
		return;
	}
	text_put(t, " (");
	for (k = 0; k < n; k++) {
		if (l->i)
			snprintf(b, sizeof b, "%lld,", (long long)l->i[k]);
		else if (l->f)
			snprintf(b, sizeof b, "%a,", l->f[k]);
		else
			b[0] = 0;
		text_put(t, b);
	}
	text_put(t, ")");
}

static void canonical_inst_attrs(struct text *t, arena *a, const inst *i)
{
	int k, j;
	char b[64];

	if (i->literal)
		canonical_literal(t, i->literal, i);
	for (k = 0; k < i->nattr; k++) {
		const attr *x = &i->attr[k];
		if (dropped(i, x->key))
			continue;
		text_put(t, " ");
		text_put(t, x->key);
		text_put(t, "=");
		if (x->kind == ATTR_COMP || x->kind == ATTR_COMPS) {
			for (j = 0; j < (x->kind == ATTR_COMP ? 1 : x->n); j++)
				canonical_comp(t, a, x->comps[j], 1);
		} else if (x->kind == ATTR_LITERAL && x->literal) {
			canonical_literal(t, x->literal, i);
		} else if (x->kind == ATTR_FLOAT) {
			snprintf(b, sizeof b, "%a", x->real);
			text_put(t, b);
		} else if (x->text) {
			text_put(t, x->text);
		} else {
			for (j = 0; j < x->n || (j == 0 && (x->kind == ATTR_INT || x->kind == ATTR_BOOL)); j++) {
				snprintf(b, sizeof b, "%lld,", (long long)x->ints[j]);
				text_put(t, b);
			}
		}
	}
}

const char *lower_canonical(arena *a, const comp *c)
{
	struct text t = { 0 };
	char *r;

	canonical_comp(&t, a, c, 0);
	r = arena_strdup(a, t.s);
	free(t.s);
	return r;
}

static int place_of(const int64_t *v, int n, int64_t x)
{
	int k;

	for (k = 0; k < n && v[k] != x; k++)
		;
	return k < n ? k : -1;
}

/* A scatter works on each index of its batching dimensions by itself. */
static void scatter_passes(lowering *w, const row *r, struct list *l)
{
	const inst *i = r->inst;
	const row *idx = &w->p->row[r->op[1]], *up = &w->p->row[r->op[2]];
	int nb, ni, nw, ivd, d, u, k;
	const int64_t *b = inst_ints(i, "input_batching_dims", &nb), *s = inst_ints(i, "scatter_indices_batching_dims", &ni);
	const int64_t *win = inst_ints(i, "update_window_dims", &nw);

	ivd = (int)inst_int(i, "index_vector_dim", idx->rank);
	for (d = u = 0; d < idx->rank && nb == ni && r->nop == 3; d++) {
		if (d == ivd)
			continue;
		while (u < up->rank && place_of(win, nw, u) >= 0)
			u++;
		k = place_of(s, ni, d);
		if (k >= 0 && u < up->rank) {
			list_put(w, l, 0); list_put(w, l, b[k]); list_put(w, l, b[k]);
			list_put(w, l, 1); list_put(w, l, d); list_put(w, l, b[k]);
			list_put(w, l, 2); list_put(w, l, u); list_put(w, l, b[k]);
		}
		u++;
	}
}

/* Dimensions along which the operation works elementwise. */
static void find_passes(lowering *w, const row *r, struct list *l)
{
	static const char *const elementwise[] = { "AwsNeuronGelu", "AwsNeuronGeluApprxTanh", "AwsNeuronErf", "AwsNeuronSilu", NULL };
	const inst *i = r->inst;
	const char *t = call_target(i);
	program *p = w->p;
	int d, k, nd, last = -1;
	const int64_t *dims = inst_ints(i, "dimensions", &nd);

	if (i->opcode == OP_DOT) {
		int nb, nc, nlb, o, n2;
		const int64_t *lb = inst_ints(i, "lhs_batch_dims", &nb), *rb = inst_ints(i, "rhs_batch_dims", &n2);
		const int64_t *c[2], *b[2];
		int ncs[2];
		c[0] = inst_ints(i, "lhs_contracting_dims", &nc);
		ncs[0] = nc;
		c[1] = inst_ints(i, "rhs_contracting_dims", &nc);
		ncs[1] = nc;
		b[0] = lb;
		b[1] = rb;
		nlb = nb;
		for (k = 0; k < nlb; k++) {
			list_put(w, l, 0); list_put(w, l, lb[k]); list_put(w, l, k);
			list_put(w, l, 1); list_put(w, l, rb[k]); list_put(w, l, k);
		}
		o = nlb;
		for (k = 0; k < 2; k++)
			for (d = 0; d < p->row[r->op[k]].rank; d++) {
				int q, used = 0;
				for (q = 0; q < nlb; q++)
					used |= b[k][q] == d;
				for (q = 0; q < ncs[k]; q++)
					used |= c[k][q] == d;
				if (!used) {
					list_put(w, l, k); list_put(w, l, d); list_put(w, l, o++);
				}
			}
		return;
	}
	if (i->opcode == OP_SCATTER) {
		scatter_passes(w, r, l);
		return;
	}
	if (i->opcode == OP_SORT && nd == 1) {
		for (k = 0; k < r->nop; k++)
			for (d = 0; d < r->rank; d++)
				if (d != dims[0]) {
					list_put(w, l, k); list_put(w, l, d); list_put(w, l, d);
				}
		return;
	}
	if (i->opcode == OP_REDUCE) {
		int o;
		for (k = 0; k < r->nop / 2; k++)
			for (d = o = 0; d < p->row[r->op[k]].rank; d++) {
				int q;
				for (q = 0; q < nd && dims[q] != d; q++)
					;
				if (q == nd) {
					list_put(w, l, k); list_put(w, l, d); list_put(w, l, o++);
				}
			}
		return;
	}
	if (strchr("ubt", opcode_class(i->opcode))) {
		for (k = 0; k < r->nop; k++)
			for (d = 0; d < p->row[r->op[k]].rank && p->row[r->op[k]].rank == r->rank; d++) {
				list_put(w, l, k); list_put(w, l, d); list_put(w, l, d);
			}
		return;
	}
	if (i->opcode == OP_TOPK || !strcmp(t, "TopK") || !strcmp(t, "AwsNeuronSoftmax") || !strcmp(t, "AwsNeuronSoftmaxBackward"))
		last = r->rank - 1;
	else if (!named(t, elementwise))
		return;
	for (k = 0; k < r->nop; k++)
		for (d = 0; d < r->rank; d++)
			if (d != last && p->row[r->op[k]].rank == r->rank && p->row[r->op[k]].dim[d] == r->dim[d]) {
				list_put(w, l, k); list_put(w, l, d); list_put(w, l, d);
			}
}

static bool pass_dim(const struct list *l, int operand, int dim)
{
	int k;

	for (k = 0; k + 2 < l->n; k += 3)
		if (l->v[k] == operand && l->v[k + 1] == dim)
			return true;
	return false;
}

static bool pass_result(const struct list *l, int dim)
{
	int k;

	for (k = 0; k + 2 < l->n; k += 3)
		if (l->v[k + 2] == dim)
			return true;
	return false;
}

static const char *attributes_text(lowering *w, const inst *i)
{
	struct text t = { 0 };
	const char *s;

	canonical_inst_attrs(&t, &w->p->a, i);
	s = arena_strdup(&w->p->a, t.s ? t.s : "");
	free(t.s);
	return s;
}

/* The instruction and the custom call that compilers put in its place; how many it takes is in the shapes. */
static bool takes_largest(const inst *i)
{
	return i->opcode == OP_TOPK ? inst_bool(i, "largest", true) : !strcmp(call_target(i), "TopK");
}

static row_fallback fallback_of(program *p, const row *r)
{
	lowering w = { .p = p, .m = p->m };
	row_fallback f = { 0 };
	struct list l = { 0 };
	struct text t = { 0 };
	char b[64];
	int k, d;

	f.unique = r->role != ROW_PLAIN || lower_crosses(r->inst) ||
		(r->why && (!strcmp(r->why, "has an effect or hidden state") || !strcmp(r->why, "dynamic shapes")));
	if (f.unique) {
		f.key = arena_printf(&p->a, "%s %%%s", p->side == SIDE_BASE ? "base" : "dist", r->path);
		return f;
	}
	find_passes(&w, r, &l);
	if (takes_largest(r->inst)) {
		text_put(&t, "topk largest");
	} else {
		text_put(&t, r->inst->opcode == OP_UNKNOWN ? r->inst->opname : opcode_name(r->inst->opcode));
		text_put(&t, " ");
		canonical_inst_attrs(&t, &p->a, r->inst);
	}
	snprintf(b, sizeof b, " %d -> %s[", r->element, etype_name((enum etype)r->type));
	text_put(&t, b);
	for (d = 0; d < r->rank; d++) {
		snprintf(b, sizeof b, pass_result(&l, d) ? "*," : "%lld,", (long long)r->dim[d]);
		text_put(&t, b);
	}
	for (k = 0; k < r->nop; k++) {
		const row *o = &p->row[r->op[k]];
		snprintf(b, sizeof b, "] %s[", etype_name((enum etype)o->type));
		text_put(&t, b);
		for (d = 0; d < o->rank; d++) {
			snprintf(b, sizeof b, pass_dim(&l, k, d) ? "*," : "%lld,", (long long)o->dim[d]);
			text_put(&t, b);
		}
	}
	f.key = arena_strdup(&p->a, t.s);
	free(t.s);
	f.pass = l.v;
	f.npass = l.n;
	return f;
}

/* ---- what crosses devices */

static bool crosses_deep(const inst *i, int depth)
{
	static const char *const words[] = { "SPMD", "ollective", "llReduce", "llGather", "llToAll", "all_reduce", "all_gather",
		"all_to_all", "all-reduce", "ermute", "endRecv", "sendrecv", "allreduce", "allgather", "alltoall", NULL };
	const char *t = call_target(i);
	int k, j, q;

	if (opcode_class(i->opcode) == 'c' || opcode_class(i->opcode) == 'e' || i->opcode == OP_PARTITION_ID || i->opcode == OP_REPLICA_ID)
		return true;
	if (i->opcode == OP_ASYNC_START || i->opcode == OP_ASYNC_UPDATE || i->opcode == OP_ASYNC_DONE)
		return true;
	if (i->opcode == OP_CUSTOM_CALL && is_marker(t) && !strstr(t, "SPMD"))
		return false;
	if (effect(i))
		return true;
	for (k = 0; i->opcode == OP_CUSTOM_CALL && words[k]; k++)
		if (strstr(t, words[k]))
			return true;
	for (k = 0; k < i->nattr; k++)
		for (j = 0; j < (i->attr[k].kind == ATTR_COMP ? 1 : i->attr[k].kind == ATTR_COMPS ? i->attr[k].n : 0); j++)
			for (q = 0; q < i->attr[k].comps[j]->ninst; q++)
				if (depth > 50 || crosses_deep(i->attr[k].comps[j]->inst[q], depth + 1))
					return true;
	return false;
}

bool lower_crosses(const inst *i)
{
	return crosses_deep(i, 0);
}

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

/* ---- the whole */

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

program *lower_module(const module *m, const module *other, enum program_side side, int64_t ndev, int nkeep, const inst *const *keep,
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
	p->fallback = fallback_of;
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
	if (root->elem) {
		p->nout = root->n;
		p->out = ARENA_ARRAY(&p->a, int, root->n);
		for (k = 0; k < root->n; k++)
			p->out[k] = root->elem[k]->elem ? -1 : root->elem[k]->row;
	} else {
		p->nout = 1;
		p->out = ARENA_ARRAY(&p->a, int, 1);
		p->out[0] = root->row;
	}
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
