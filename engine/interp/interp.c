/* interp.c - the run: computations, control flow, the life of values.
 *
 * An activation is one computation at work on some devices; value[inst][k] belongs
 * to device dev[k].  Loops and branches go on with the devices that take them;
 * a collective inside checks that its whole group came along.
 */
#include <stdarg.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "interp/interp_in.h"

void *interp_fail(interp *r, const inst *i, const char *fmt, ...)
{
	va_list ap;

	if (r->failed)
		return NULL;
	r->failed = true;
	r->where = i;
	va_start(ap, fmt);
	vsnprintf(r->why, sizeof r->why, fmt, ap);
	va_end(ap);
	return NULL;
}

bool interp_tick(interp *r, double work)
{
	r->done += work;
	if (r->done < r->next)
		return !r->failed;
	r->next = r->done + 1e7;
	if (r->o.progress && r->o.progress(r->o.ctx, r->done, r->total > r->done ? r->total : r->done)) {
		r->stopped = true;
		interp_fail(r, NULL, "stopped");
	}
	return !r->failed;
}

void interp_assume(interp *r, const char *what)
{
	int k;

	for (k = 0; k < r->nassumed; k++)
		if (!strcmp(r->assumed[k], what))
			return;
	if (r->nassumed < (int)(sizeof r->assumed / sizeof *r->assumed))
		r->assumed[r->nassumed++] = what;
}

/* ---- one instruction on all devices of a frame */

static bool same_operands(const struct activation *f, const inst *i, int a, int b)
{
	int k;

	for (k = 0; k < i->noperand; k++)
		if (tensors_of(f, i->operand[k])[a] != tensors_of(f, i->operand[k])[b])
			return false;
	return true;
}

/* An earlier device with the very same operands, or -1.  On many devices only the first few are asked. */
static int twin(const struct activation *f, const inst *i, int k)
{
	int j, n = k < 16 ? k : 16;

	for (j = 0; j < n; j++)
		if (same_operands(f, i, j, k))
			return j;
	return k > 16 && same_operands(f, i, k - 1, k) ? k - 1 : -1;
}

static uint32_t dying(interp *r, const struct activation *f, const inst *i)
{
	const int *last = r->info[f->c->index].last;
	uint32_t bits = 0;
	int k, j;

	for (k = 0; k < i->noperand && k < 32; k++) {
		if (last[i->operand[k]->index] != i->index)
			continue;
		if (f->c == r->m->entry && r->o.keep && r->o.keep(r->o.ctx, i->operand[k]))
			continue;
		for (j = 0; j < i->noperand && (j == k || i->operand[j] != i->operand[k]); j++)
			;
		bits |= j == i->noperand ? (uint32_t)1 << k : 0;
	}
	return bits;
}

/* Checked before the memory is asked for; one device's value, as many may share it. */
static bool affordable(interp *r, const inst *i)
{
	double more = interp_shares(i) || strchr("x", opcode_class(i->opcode)) ? 0 : 8 * interp_words(i->shape);

	if (r->o.byte_limit <= 0 || (double)r->bytes + more <= r->o.byte_limit)
		return true;
	return interp_fail(r, i, "it needs more than %.3g bytes of numbers at once", r->o.byte_limit);
}

static bool run_local(interp *r, const struct activation *f, const inst *i)
{
	tensor **a = ARENA_ARRAY(&r->scratch, tensor *, i->noperand);
	bool counted = i->opcode == OP_DOT || i->opcode == OP_CONVOLUTION;	/* they count their steps themselves */
	int k, j, t;
	arena_mark m = arena_at(&r->scratch);

	r->steal = dying(r, f, i);
	for (k = 0; k < f->n; k++) {
		for (j = 0; j < i->noperand; j++)
			a[j] = tensors_of(f, i->operand[j])[k];
		t = twin(f, i, k);
		if (t >= 0) {
			tensors_of(f, i)[k] = tensor_ref(tensors_of(f, i)[t]);
			continue;
		}
		tensors_of(f, i)[k] = affordable(r, i) ? interp_local(r, i, a) : NULL;
		arena_reset(&r->scratch, m);
		if (!tensors_of(f, i)[k] || !interp_tick(r, counted ? 1 : inst_work(i)))
			return false;
	}
	return true;
}

/* A number that depends on the device only. */
static bool run_id(interp *r, const struct activation *f, const inst *i)
{
	int k;

	for (k = 0; k < f->n; k++) {
		int64_t p = r->o.partitions, v = i->opcode == OP_PARTITION_ID ? f->dev[k] % p : f->dev[k] / p;

		tensors_of(f, i)[k] = interp_zero(r, i->shape);
		if (!tensors_of(f, i)[k]->i)
			return interp_fail(r, i, "its type is no integer");
		tensors_of(f, i)[k]->i[0] = v;
	}
	return true;
}

static bool run_collective(interp *r, const struct activation *f, const inst *i)
{
	tensor *const **value = (tensor *const **)ARENA_ARRAY(&r->scratch, tensor **, i->noperand);
	int k;

	for (k = 0; k < i->noperand; k++)
		value[k] = tensors_of(f, i->operand[k]);
	return interp_collective(r, i, f->n, f->dev, value, tensors_of(f, i)) && interp_tick(r, inst_work(i) * f->n);
}

/* The host's values for an entry instruction, if it has any. */
static bool replaced(interp *r, const struct activation *f, const inst *i)
{
	int k;

	if (!r->o.replace || f->c != r->m->entry)
		return false;
	for (k = 0; k < f->n; k++) {
		tensors_of(f, i)[k] = r->o.replace(r->o.ctx, i, f->dev[k]);
		if (!tensors_of(f, i)[k])
			return false;	/* the first device answers for all */
	}
	return true;
}

static bool run_inst(interp *r, const struct activation *f, const inst *i)
{
	int k;

	if (replaced(r, f, i))
		return true;
	if (!affordable(r, i))
		return false;
	switch (i->opcode) {
	case OP_PARAMETER:
		for (k = 0; k < f->n; k++) {
			tensors_of(f, i)[k] = f->give ? f->arg[k][i->number] : tensor_ref(f->arg[k][i->number]);
			if (f->give)
				((tensor **)f->arg[k])[i->number] = NULL;
		}
		return true;
	case OP_PARTITION_ID: case OP_REPLICA_ID: return run_id(r, f, i);
	case OP_CALL: return interp_call(r, f, i, "to_apply");
	case OP_FUSION: return interp_call(r, f, i, "calls");
	case OP_ASYNC_START: return interp_async(r, f, i);
	case OP_WHILE: return interp_while(r, f, i);
	case OP_CONDITIONAL: return interp_conditional(r, f, i);
	case OP_ALL_GATHER: case OP_ALL_GATHER_START: case OP_ALL_REDUCE: case OP_ALL_REDUCE_START: case OP_ALL_TO_ALL:
	case OP_COLLECTIVE_BROADCAST: case OP_COLLECTIVE_PERMUTE: case OP_COLLECTIVE_PERMUTE_START: case OP_REDUCE_SCATTER:
	case OP_RAGGED_ALL_TO_ALL:
		return run_collective(r, f, i);
	default:
		return run_local(r, f, i);
	}
}

/* ---- computations */

static const int *last_use(interp *r, const comp *c)
{
	struct comp_info *info = &r->info[c->index];
	int k, j;

	if (info->last)
		return info->last;
	info->last = ARENA_ARRAY(&r->arena, int, c->ninst);
	for (k = 0; k < c->ninst; k++) {
		info->last[k] = k;
		for (j = 0; j < c->inst[k]->noperand; j++)
			info->last[c->inst[k]->operand[j]->index] = k;
	}
	info->last[c->root->index] = c->ninst;
	return info->last;
}

static void keep_values(interp *r, const struct activation *f, const inst *i)
{
	int k;

	if (f->c != r->m->entry || !r->o.keep || !r->o.keep(r->o.ctx, i))
		return;
	for (k = 0; k < f->n; k++)
		r->kept[(size_t)i->index * r->ndev + f->dev[k]] = tensor_ref(tensors_of(f, i)[k]);
}

/* Lets go of what instruction k was the last to read, or of its own value when nobody reads it. */
static void release(const struct activation *f, const int *last, int k)
{
	const inst *i = f->c->inst[k];
	int j, d;

	for (j = 0; j <= i->noperand; j++) {
		const inst *o = j < i->noperand ? i->operand[j] : i;

		for (d = 0; last[o->index] == k && d < f->n; d++) {
			tensor_unref(tensors_of(f, o)[d]);
			tensors_of(f, o)[d] = NULL;
		}
	}
}

static bool fits(const inst *i, const tensor *t)
{
	if (t->nelem)
		return i->shape->type == T_TUPLE && i->shape->n == t->nelem;
	return etype_kind(i->shape->type) == '-' || t->n == shape_elements(i->shape);
}

static bool after(interp *r, const struct activation *f, const inst *i)
{
	int k;

	for (k = 0; k < f->n; k++)
		if (!fits(i, tensors_of(f, i)[k]))
			return interp_fail(r, i, "its value does not have the declared shape");
	keep_values(r, f, i);
	if (r->o.visit)
		r->o.visit(r->o.ctx, r->path, r->depth, i, f->n, f->dev, tensors_of(f, i));
	return true;
}

static bool run_frame(interp *r, struct activation *f, tensor **out)
{
	const int *last = last_use(r, f->c);
	bool calls;
	int k, d;

	for (k = 0; k < f->c->ninst; k++) {
		const inst *i = f->c->inst[k];
		arena_mark m = arena_at(&r->scratch);

		calls = opcode_class(i->opcode) == 'x' && r->depth < INTERP_PATH;
		if (calls)
			r->path[r->depth++] = i;
		if (!run_inst(r, f, i))
			return false;
		r->depth -= calls;
		arena_reset(&r->scratch, m);
		if (!after(r, f, i))
			return false;
		release(f, last, k);
	}
	for (d = 0; d < f->n; d++)
		out[d] = tensor_ref(tensors_of(f, f->c->root)[d]);
	return true;
}

bool interp_activation(interp *r, struct activation *f, tensor **out)
{
	size_t k, all = (size_t)f->c->ninst * f->n;
	bool ok;

	if (r->depth >= INTERP_PATH)
		return interp_fail(r, f->c->root, "computations call each other too deeply");
	if (!f->n)
		return true;
	f->value = calloc(all ? all : 1, sizeof *f->value);
	if (!f->value)
		die_hook("out of memory");
	ok = run_frame(r, f, out);
	for (k = 0; k < all; k++)
		tensor_unref(f->value[k]);
	free(f->value);
	return ok;
}

bool interp_comp(interp *r, const comp *c, int n, const int *dev, tensor *const *const *arg, tensor **out)
{
	struct activation f = { c, n, dev, NULL, arg, false };

	return interp_activation(r, &f, out);
}

/* ---- the interface */

interp *interp_new(const module *m, const interp_options *o)
{
	interp *r = calloc(1, sizeof *r);

	if (!r)
		die_hook("out of memory");
	r->m = m;
	r->o = *o;
	if (r->o.replicas < 1)
		r->o.replicas = 1;
	if (r->o.partitions < 1)
		r->o.partitions = 1;
	r->ndev = (int)(r->o.replicas * r->o.partitions);
	arena_init(&r->arena);
	arena_init(&r->scratch);
	r->info = arena_zalloc(&r->arena, sizeof *r->info * (m->ncomp + 1));
	r->kept = calloc((size_t)(m->entry->ninst + 1) * r->ndev, sizeof *r->kept);
	if (!r->kept)
		die_hook("out of memory");
	return r;
}

static void forget(interp *r)
{
	size_t k;

	for (k = 0; k < (size_t)(r->m->entry->ninst + 1) * r->ndev; k++) {
		tensor_unref(r->kept[k]);
		r->kept[k] = NULL;
	}
}

void interp_free(interp *r)
{
	int k;

	if (!r)
		return;
	forget(r);
	for (k = 0; k < 16; k++)
		free(r->cache[k]);
	free(r->kept);
	arena_free(&r->arena);
	arena_free(&r->scratch);
	free(r);
}

static bool inputs_fit(interp *r, tensor *const *const *input)
{
	int d, k;

	for (d = 0; d < r->ndev; d++)
		for (k = 0; k < r->m->entry->nparam; k++)
			if (input[d][k] ? !fits(r->m->entry->param[k], input[d][k]) : !r->o.replace)
				return interp_fail(r, r->m->entry->param[k], "the input of device %d does not have its shape", d);
	return true;
}

bool interp_run(interp *r, tensor *const *const *input)
{
	int *dev = ARENA_ARRAY(&r->arena, int, r->ndev), k;

	forget(r);
	r->failed = r->stopped = false;
	r->where = NULL;
	r->done = r->next = 0;
	r->depth = 0;
	r->total = interp_estimate(r->m, r->ndev).madds;
	for (k = 0; k < r->ndev; k++)
		dev[k] = k;
	if (!inputs_fit(r, input))
		return false;
	return interp_comp(r, r->m->entry, r->ndev, dev, input, r->kept + (size_t)r->m->entry->ninst * r->ndev);
}

const char *interp_why(const interp *r)
{
	return r->why;
}

const inst *interp_where(const interp *r)
{
	return r->where;
}

bool interp_stopped(const interp *r)
{
	return r->stopped;
}

tensor *interp_output(const interp *r, int device)
{
	return r->kept[(size_t)r->m->entry->ninst * r->ndev + device];
}

tensor *interp_value(const interp *r, const inst *i, int device)
{
	return i->parent == r->m->entry ? r->kept[(size_t)i->index * r->ndev + device] : NULL;
}

int64_t interp_trip(const interp *r, int depth)
{
	return depth < INTERP_PATH ? r->trip[depth] : 0;
}

const char *interp_assumed(const interp *r, int k)
{
	return k < r->nassumed ? r->assumed[k] : NULL;
}
