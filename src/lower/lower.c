#include "lower/lower_in.h"

#include <stdlib.h>
#include <string.h>
#include "hlo/module.h"

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

void lower_ids_are_devices(lowering *w)
{
	if (w->bare && w->p->ndev > 1)
		lower_note(w, "ids are taken as device ids");
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

/* An extent without a bound counts as one: the value is equal to nothing else, whatever it is. */
static const int64_t *extents(lowering *w, const shape *s)
{
	int64_t *d;
	int k;

	for (k = 0; k < s->rank && s->dim[k] >= 0; k++)
		;
	if (k == s->rank)
		return s->dim;
	d = ARENA_ARRAY(&w->p->a, int64_t, s->rank);
	for (k = 0; k < s->rank; k++)
		d[k] = s->dim[k] < 0 ? 1 : s->dim[k];
	return d;
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
	r->dim = extents(w, e->shape);
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
	r->trips = w->trips;
	r->within = w->loop;
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
	struct key_text t = lower_attributes(w, i);
	bool largest = lower_takes_largest(w->p, i);
	int k = 0;

	e.why = !why && lower_crosses(i) ? "no rule for what crosses devices" : why;	/* which ones is not in its attributes alone */
	e.name = e.attrs = t.s;
	if (t.over)
		lower_note(w, arena_printf(&w->p->a, "what %%%s calls is too long to be compared: it is taken for equal to nothing", i->name));
	if (t.elided)
		lower_note(w, arena_printf(&w->p->a, "elided constants in what %%%s calls, taken to be the same in both programs and finite", i->name));
	if (largest && lower_leaves_ties(&w->p->a, i))
		lower_note(w, "sorts that are not stable leave equal values in their order, as topk does");
	e.op = lower_rows(w, arg, largest ? 1 : i->noperand, &e.nop);
	if (i->shape->type == T_TUPLE)
		return emit_each(w, &e, i->shape, &k);
	if (!lower_is_array(i->shape)) {	/* it is there for what it does */
		if (i->opcode == OP_OUTFEED || i->opcode == OP_SEND || lower_effect(i))
			lower_note(w, arena_printf(&w->p->a, "what %%%s (%s) sends away is not compared", i->name, opcode_name(i->opcode)));
		return val_row(w, -1);
	}
	return val_row(w, lower_emit(w, &e));
}

val *emit_beyond(lowering *w, const inst *i, val **arg, const char *prefix, const val *first)
{
	struct emit e = emit_start(i, prefix, opcode_name(i->opcode));
	val *v = val_tuple(w, i->shape->n);
	int k;

	e.why = "memory that the call works in";
	e.attrs = lower_attributes(w, i).s;
	e.op = lower_rows(w, arg, i->noperand, &e.nop);
	for (k = 0; k < v->n; k++) {
		int at = k;
		v->elem[k] = k < first->n ? first->elem[k] : emit_each(w, &e, i->shape->elem[k], &at);
	}
	return v;
}

/* ---- programs */

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

/* Calls of calls grow without bound.  At most so many instructions are looked at: the largest programs have a fourth of it. */
enum { LOWERED_MAX = 1 << 22 };

static bool lowered_too_many(lowering *w, const comp *c)
{
	w->nlowered += c->ninst;
	if (w->nlowered <= LOWERED_MAX)
		return false;
	diag_set(w->err, w->m->file, c->ninst ? c->inst[0]->line : 0, 1, "with all calls and loops written out the program has more than %d instructions",
		 LOWERED_MAX);
	w->failed = true;
	return true;
}

val *lower_comp(lowering *w, const comp *c, val **arg, const char *prefix)
{
	val **env, *root, **op;
	int k, j, most = 1;

	if (lowered_too_many(w, c))
		return val_row(w, -1);
	env = calloc((size_t)c->ninst + 1, sizeof *env);
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

static int64_t parts_of(const module *m)
{
	return m->num_partitions > 0 ? m->num_partitions : 1;
}

static int64_t replicas_of(const module *m)
{
	return m->replica_count > 0 ? m->replica_count : 1;
}

int64_t lower_devices(const module *m)
{
	int64_t n = parts_of(m) * replicas_of(m);

	return n > 1 ? n : module_devices_named(m);
}

static bool entry_crosses(const module *m)
{
	int k;

	for (k = 0; k < m->entry->ninst; k++)
		if (lower_crosses(m->entry->inst[k]))
			return true;
	return false;
}

/* Is it written before it is partitioned, for one device that stands for all?  Then its header's counts say nothing. */
static bool before_partitioning(const module *m, int64_t ndev)
{
	return ndev == 1 && !entry_crosses(m);
}

bool lower_runs_on(const module *m, int64_t ndev)
{
	int64_t n = parts_of(m) * replicas_of(m);

	return n == 1 || n == ndev || before_partitioning(m, ndev);
}

static void set_counts(lowering *w, int64_t ndev)
{
	w->parts = parts_of(w->m);
	w->reps = replicas_of(w->m);
	if (before_partitioning(w->m, ndev))
		w->parts = w->reps = 1;
	w->bare = w->parts * w->reps != ndev;
	if (w->bare) {
		w->parts = ndev;
		w->reps = 1;
	}
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

/* f32 constants that are one number everywhere. */
static int take_literals(const module *m, float *out)
{
	int c, k, n = 0;

	for (c = 0; m && c < m->ncomp; c++)
		for (k = 0; k < m->comp[c]->ninst; k++) {
			const inst *i = m->comp[c]->inst[k];
			if (i->opcode != OP_CONSTANT || i->shape->type != T_F32 || !i->literal || !i->literal->f || (i->literal->count != 1 && !i->literal->splat))
				continue;
			if (out)
				out[n] = (float)i->literal->f[0];
			n++;
		}
	return n;
}

static literals join_literals(arena *a, const module *m, const module *other)
{
	int n = take_literals(m, NULL) + take_literals(other, NULL);
	float *v = ARENA_ARRAY(a, float, n);

	take_literals(other, v + take_literals(m, v));
	return literals_join(a, n, v);
}

static bool leaves_ties(arena *a, const module *m)
{
	int c, k;

	for (c = 0; m && c < m->ncomp; c++)
		for (k = 0; k < m->comp[c]->ninst; k++)
			if (lower_leaves_ties(a, m->comp[c]->inst[k]))
				return true;
	return false;
}

program *lower_module(const module *m, const module *other, enum program_side side, int64_t ndev, int nkeep, const kept_loop *keep,
		      struct diag *err)
{
	program *p;
	lowering w = { .m = m, .other = other, .err = err, .keep = keep, .nkeep = nkeep, .loop = -1, .trips = 1 };
	val **arg, *root;
	int k, j = 0;

	if (!lower_runs_on(m, ndev)) {
		diag_set(err, m->file, 0, 0, "a program for %lld devices, not %lld", (long long)lower_devices(m), (long long)ndev);
		return NULL;
	}
	w.p = p = calloc(1, sizeof *p);
	if (!p) {
		die_hook("out of memory");
		return NULL;
	}
	arena_init(&p->a);
	p->side = side;
	p->m = m;
	p->ndev = ndev;
	p->fallback = lower_fallback;
	p->literals = join_literals(&p->a, m, other);
	p->ties_open = leaves_ties(&p->a, side == SIDE_BASE ? m : other);
	set_counts(&w, ndev);
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
