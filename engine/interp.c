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
#include "interp_priv.h"

struct activation {
	const comp *c;
	int n;
	const int *dev;
	tensor **value;		/* [inst * n + k] */
	tensor *const *const *arg;	/* [k][parameter] */
	bool give;		/* the caller's references become the parameters': arg entries turn NULL */
};

static bool run_comp(interp *r, const comp *c, int n, const int *dev, tensor *const *const *arg, tensor **out);
static bool run_activation(interp *r, struct activation *f, tensor **out);

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

/* ---- constants */

/* The how many-eth elided constant of its type and shape, in the module's order. */
static int elided_rank(const inst *c)
{
	const module *m = c->parent->module;
	int k, j, n = 0;

	for (k = 0; k < m->ncomp; k++)
		for (j = 0; j < m->comp[k]->ninst; j++) {
			const inst *i = m->comp[k]->inst[j];

			if (i == c)
				return n;
			n += i->opcode == OP_CONSTANT && i->literal && i->literal->elided && shape_equal(i->shape, c->shape);
		}
	return n;
}

static uint64_t mix(uint64_t v)
{
	v += 0x9e3779b97f4a7c15;
	v = (v ^ v >> 30) * 0xbf58476d1ce4e5b9;
	v = (v ^ v >> 27) * 0x94d049bb133111eb;
	return v ^ v >> 31;
}

static tensor *elided(interp *r, const inst *i)
{
	uint64_t seed;
	tensor *t;
	int64_t k;

	if (!r->o.fill_elided || i->shape->type == T_TUPLE)
		return interp_fail(r, i, "the value of this constant is not in the file");
	interp_assume(r, "elided constants of one type and shape are equal in order");
	seed = mix(r->o.seed ^ hash_bytes(i->shape->dim, sizeof *i->shape->dim * i->shape->rank, i->shape->type + 1)
		   ^ (uint64_t)elided_rank(i) << 48);
	t = interp_alloc(r, i->shape);
	for (k = 0; k < t->n * tensor_words(t); k++) {
		uint64_t v = mix(seed + (uint64_t)k);

		if (t->f)
			t->f[k] = (double)(int64_t)(v >> 11) / 0x1p52 - 1;
		else
			t->i[k] = interp_wrap(i->shape->type, (int64_t)(v >> 60));
	}
	if (t->f && r->o.reading == INTERP_DECLARED)
		interp_round(i->shape->type, t->n, t->f);
	return t;
}

/* The literal's own numbers, unless one stands for all. */
static tensor *literal_tensor(interp *r, const inst *i, const shape *s, const literal *l)
{
	tensor *t, *one;
	int k;

	if (s->type == T_TUPLE) {
		tensor **out = arena_zalloc(&r->scratch, sizeof *out * (s->n + 1));

		for (k = 0; k < s->n && k < l->n; k++)
			out[k] = literal_tensor(r, i, s->elem[k], l->elem[k]);
		return interp_tuple(s, s->n, out);
	}
	if (etype_kind(s->type) == '-')
		return interp_zero(r, s);
	if (l->count && !l->i && !l->f)
		return interp_fail(r, i, "a literal without numbers");
	if (!l->count)
		return interp_zero(r, s);
	if (!l->splat)
		return tensor_over(s, l->count, l->f, l->i);
	one = tensor_over(shape_array(&r->scratch, s->type, 0, NULL), 1, l->f, l->i);
	t = interp_alloc(r, s);
	interp_fill(t, one);
	tensor_unref(one);
	return t;
}

static tensor *constant(interp *r, const inst *i)
{
	if (!i->literal || i->literal->elided)
		return elided(r, i);
	return literal_tensor(r, i, i->shape, i->literal);
}

/* ---- operations of one device */

static tensor *same(interp *r, const inst *i, tensor *const *a)
{
	tensor *t;

	(void)r;
	if (a[0]->shape == i->shape || i->shape->type == T_TUPLE || !tensor_data(a[0]))
		return tensor_ref(a[0]);
	t = interp_view(i->shape, a[0]);
	return t;
}

static tensor *make_tuple(interp *r, const inst *i, tensor *const *a)
{
	int k;

	(void)r;
	for (k = 0; k < i->noperand; k++)
		tensor_ref(a[k]);
	return interp_tuple(i->shape, i->noperand, a);
}

static tensor *element(interp *r, const inst *i, tensor *const *a, int64_t k)
{
	if (k < 0 || k >= a[0]->nelem)
		return interp_fail(r, i, "there is no tuple element %lld", (long long)k);
	return tensor_ref(a[0]->elem[k]);
}

/* copy-start: (result, operand, context). */
static tensor *copy_start(interp *r, const inst *i, tensor *const *a)
{
	tensor *out[8];
	int k;

	if (i->shape->type != T_TUPLE || i->shape->n > 8 || i->shape->n < 2)
		return tensor_ref(a[0]);
	for (k = 0; k < i->shape->n; k++)
		out[k] = k < 2 ? tensor_ref(a[0]) : interp_zero(r, i->shape->elem[k]);
	return interp_tuple(i->shape, i->shape->n, out);
}

static tensor *dimension_size(interp *r, const inst *i, tensor *const *a)
{
	int64_t d = interp_dimension(i, -1);
	tensor *t;

	if (d < 0 || d >= a[0]->shape->rank || i->operand[0]->shape->dynamic)
		return interp_fail(r, i, "dynamic shapes");
	t = interp_zero(r, i->shape);
	t->i[0] = a[0]->shape->dim[d];
	return t;
}

static tensor *refuse(interp *r, const inst *i)
{
	switch (i->opcode) {
	case OP_SEND: case OP_SEND_DONE: case OP_RECV: case OP_RECV_DONE:
		return interp_fail(r, i, "%s talks to another program or device", i->opname);
	case OP_INFEED: case OP_OUTFEED:
		return interp_fail(r, i, "%s talks to the host", i->opname);
	case OP_RNG: case OP_RNG_GET_AND_UPDATE_STATE:
		return interp_fail(r, i, "%s draws on a hidden state", i->opname);
	case OP_SET_DIMENSION_SIZE: case OP_DYNAMIC_RESHAPE:
		return interp_fail(r, i, "dynamic shapes");
	case OP_UNKNOWN:
		return interp_fail(r, i, "the operation %s is not known", i->opname);
	default:
		return interp_fail(r, i, "%s is not evaluated", i->opname);
	}
}

static tensor *local(interp *r, const inst *i, tensor *const *a)
{
	switch (i->opcode) {
	case OP_CONSTANT: return constant(r, i);
	case OP_TUPLE: return make_tuple(r, i, a);
	case OP_GET_TUPLE_ELEMENT: return element(r, i, a, i->number);
	case OP_COPY: case OP_OPT_BARRIER: case OP_ADD_DEPENDENCY: case OP_DOMAIN: case OP_ALL_REDUCE_DONE:
		return same(r, i, a);
	case OP_ALL_GATHER_DONE: case OP_COLLECTIVE_PERMUTE_DONE: case OP_ASYNC_DONE: return element(r, i, a, 1);
	case OP_ASYNC_UPDATE: return tensor_ref(a[0]);
	case OP_COPY_START: return copy_start(r, i, a);
	case OP_COPY_DONE: return a[0]->nelem ? element(r, i, a, 0) : tensor_ref(a[0]);
	case OP_AFTER_ALL: return interp_zero(r, i->shape);
	case OP_DOT: return interp_dot(r, i, a);
	case OP_CONVOLUTION: return interp_convolution(r, i, a);
	case OP_REDUCE: return interp_reduce(r, i, a);
	case OP_REDUCE_WINDOW: return interp_reduce_window(r, i, a);
	case OP_SELECT_AND_SCATTER: return interp_select_and_scatter(r, i, a);
	case OP_MAP: return interp_map(r, i, a);
	case OP_SORT: return interp_sort(r, i, a);
	case OP_TOPK: return interp_topk(r, i, a);
	case OP_GATHER: case OP_SCATTER: return interp_indexed(r, i, a);
	case OP_CHOLESKY: case OP_TRIANGULAR_SOLVE: case OP_FFT: return interp_linalg(r, i, a);
	case OP_BATCH_NORM_TRAINING: case OP_BATCH_NORM_INFERENCE: case OP_BATCH_NORM_GRAD: return interp_batch_norm(r, i, a);
	case OP_RNG_BIT_GENERATOR: return interp_rng(r, i, a);
	case OP_CUSTOM_CALL: return interp_custom_call(r, i, a);
	case OP_GET_DIMENSION_SIZE: return dimension_size(r, i, a);
	case OP_BROADCAST: case OP_RESHAPE: case OP_TRANSPOSE: case OP_SLICE: case OP_REVERSE: case OP_PAD:
	case OP_CONCATENATE: case OP_IOTA: case OP_DYNAMIC_SLICE: case OP_DYNAMIC_UPDATE_SLICE: case OP_BITCAST:
	case OP_BITCAST_CONVERT:
		return interp_move(r, i, a);
	default:
		return strchr("ubt", opcode_class(i->opcode)) ? interp_elementwise(r, i, a) : refuse(r, i);
	}
}

/* Operands that must be tensors are: no tuple or token reaches a number's loop. */
static bool operands_fit(interp *r, const inst *i, tensor *const *a)
{
	int k;

	if (strchr("xce", opcode_class(i->opcode)) || i->opcode == OP_UNKNOWN || i->opcode == OP_COPY || i->opcode == OP_COPY_START || i->opcode == OP_COPY_DONE
	    || i->opcode == OP_CUSTOM_CALL)
		return true;
	for (k = 0; k < i->noperand; k++)
		if (!tensor_data(a[k]) || a[k]->shape->rank >= INTERP_RANK - 1)
			return interp_fail(r, i, "operand %d is no tensor", k);
	return true;
}

/* ---- one instruction on all devices of a frame */

static tensor **slot(const struct activation *f, const inst *i)
{
	return f->value + (size_t)i->index * f->n;
}

static bool same_operands(const struct activation *f, const inst *i, int a, int b)
{
	int k;

	for (k = 0; k < i->noperand; k++)
		if (slot(f, i->operand[k])[a] != slot(f, i->operand[k])[b])
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
	int k, j, t;
	arena_mark m = arena_at(&r->scratch);

	r->steal = dying(r, f, i);
	for (k = 0; k < f->n; k++) {
		for (j = 0; j < i->noperand; j++)
			a[j] = slot(f, i->operand[j])[k];
		t = twin(f, i, k);
		if (t >= 0) {
			slot(f, i)[k] = tensor_ref(slot(f, i)[t]);
			continue;
		}
		slot(f, i)[k] = affordable(r, i) && operands_fit(r, i, a) ? local(r, i, a) : NULL;
		arena_reset(&r->scratch, m);
		if (!slot(f, i)[k] || !interp_tick(r, i->opcode == OP_DOT || i->opcode == OP_CONVOLUTION ? 1 : inst_work(i)))
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

		slot(f, i)[k] = interp_zero(r, i->shape);
		if (!slot(f, i)[k]->i)
			return interp_fail(r, i, "its type is no integer");
		slot(f, i)[k]->i[0] = v;
	}
	return true;
}

/* Arguments from operands first on: arg[k][j]. */
static tensor *const *const *arguments(interp *r, const struct activation *f, const inst *i, int first, int count)
{
	tensor ***arg = ARENA_ARRAY(&r->scratch, tensor **, f->n);
	int k, j;

	for (k = 0; k < f->n; k++) {
		arg[k] = ARENA_ARRAY(&r->scratch, tensor *, count);
		for (j = 0; j < count; j++)
			arg[k][j] = slot(f, i->operand[first + j])[k];
	}
	return (tensor *const *const *)arg;
}

static bool run_call(interp *r, const struct activation *f, const inst *i, const char *key)
{
	const comp *c = inst_comp(i, key);

	if (!c)
		return interp_fail(r, i, "it calls nothing");
	return run_comp(r, c, f->n, f->dev, arguments(r, f, i, 0, i->noperand), slot(f, i));
}

/* async-start: (operands, result, context..) around the called computation. */
static bool run_async(interp *r, const struct activation *f, const inst *i)
{
	const shape *s = i->shape;
	int k, j;

	if (!inst_comp(i, "calls") || s->type != T_TUPLE || s->n < 2 || s->elem[0]->type != T_TUPLE)
		return interp_fail(r, i, "an asynchronous operation of unknown form");
	if (!run_call(r, f, i, "calls"))
		return false;
	for (k = 0; k < f->n; k++) {
		tensor **out = arena_zalloc(&r->scratch, sizeof *out * s->n), **in = ARENA_ARRAY(&r->scratch, tensor *, i->noperand);

		for (j = 0; j < i->noperand; j++)
			in[j] = tensor_ref(slot(f, i->operand[j])[k]);
		out[0] = interp_tuple(s->elem[0], i->noperand, in);
		out[1] = slot(f, i)[k];
		for (j = 2; j < s->n; j++)
			out[j] = interp_zero(r, s->elem[j]);
		slot(f, i)[k] = interp_tuple(s, s->n, out);
	}
	return true;
}

/* One round of a loop for the devices still in it; state[] is theirs, in order. */
static int loop_condition(interp *r, const inst *i, const comp *cond, int n, int *dev, tensor **state, tensor **done, int *where)
{
	tensor **ask = ARENA_ARRAY(&r->scratch, tensor *, n);
	tensor ***arg = ARENA_ARRAY(&r->scratch, tensor **, n);
	int k, m = 0;

	for (k = 0; k < n; k++) {
		arg[k] = &state[k];
		ask[k] = NULL;
	}
	if (!run_comp(r, cond, n, dev, (tensor *const *const *)arg, ask))
		return -1;
	for (k = 0; k < n; k++) {
		bool on = ask[k]->i && ask[k]->i[0];

		tensor_unref(ask[k]);
		if (!on) {
			done[where[k]] = state[k];
			continue;
		}
		state[m] = state[k];
		dev[m] = dev[k];
		where[m++] = where[k];
	}
	(void)i;
	return m;
}

/* The state goes to the body as a gift, so that a buffer it updates need not be copied in every round. */
static bool loop_body(interp *r, const comp *body, int n, const int *dev, tensor **state)
{
	tensor **next = ARENA_ARRAY(&r->scratch, tensor *, n);
	tensor ***arg = ARENA_ARRAY(&r->scratch, tensor **, n);
	struct activation f = { body, n, dev, NULL, (tensor *const *const *)arg, true };
	int k;
	bool ok;

	for (k = 0; k < n; k++) {
		arg[k] = &state[k];
		next[k] = NULL;
	}
	ok = run_activation(r, &f, next);
	for (k = 0; ok && k < n; k++) {
		tensor_unref(state[k]);
		state[k] = next[k];
	}
	return ok;
}

static bool run_while(interp *r, const struct activation *f, const inst *i)
{
	const comp *cond = inst_comp(i, "condition"), *body = inst_comp(i, "body");
	tensor **state = ARENA_ARRAY(&r->scratch, tensor *, f->n);
	int *dev = ARENA_ARRAY(&r->scratch, int, f->n), *where = ARENA_ARRAY(&r->scratch, int, f->n), n = f->n, k, m;
	int64_t trip, limit = r->o.trip_limit > 0 ? r->o.trip_limit : 1000000;
	arena_mark mark;

	if (!cond || !body)
		return interp_fail(r, i, "a loop without condition or body");
	for (k = 0; k < n; k++) {
		state[k] = tensor_ref(slot(f, i->operand[0])[k]);
		dev[k] = f->dev[k];
		where[k] = k;
	}
	mark = arena_at(&r->scratch);
	for (trip = 0; n; trip++) {
		m = trip > limit ? -1 : loop_condition(r, i, cond, n, dev, state, slot(f, i), where);
		if (trip > limit)
			interp_fail(r, i, "more than %lld iterations", (long long)limit);
		if (m < 0 || !loop_body(r, body, m, dev, state)) {
			for (k = 0; k < (m < 0 ? n : m); k++)
				tensor_unref(state[k]);
			return false;
		}
		n = m;
		arena_reset(&r->scratch, mark);
	}
	return true;
}

/* The branch computations in order: of an index, or of true and false. */
static int branches(const inst *i, const comp **out, int most)
{
	const attr *a = inst_attr(i, "branch_computations");
	int k;

	if (!a) {
		out[0] = inst_comp(i, "true_computation");
		out[1] = inst_comp(i, "false_computation");
		return out[0] && out[1] ? 2 : 0;
	}
	for (k = 0; k < a->n && k < most; k++)
		out[k] = a->comps[k];
	return a->n <= most ? a->n : 0;
}

static int branch_taken(const tensor *p, int n)
{
	if (p->shape->type == T_PRED)
		return p->i[0] ? 0 : 1;
	return p->i[0] < 0 || p->i[0] >= n ? n - 1 : (int)p->i[0];
}

static bool run_branch(interp *r, const struct activation *f, const inst *i, const comp *c, int b, int n)
{
	tensor **out = arena_zalloc(&r->scratch, sizeof *out * f->n);
	tensor ***arg = ARENA_ARRAY(&r->scratch, tensor **, f->n);
	int *dev = ARENA_ARRAY(&r->scratch, int, f->n), *where = ARENA_ARRAY(&r->scratch, int, f->n), k, m = 0;

	for (k = 0; k < f->n; k++)
		if (branch_taken(slot(f, i->operand[0])[k], n) == b) {
			arg[m] = &slot(f, i->operand[1 + b])[k];
			where[m] = k;
			dev[m++] = f->dev[k];
		}
	if (m && !run_comp(r, c, m, dev, (tensor *const *const *)arg, out))
		return false;
	for (k = 0; k < m; k++)
		slot(f, i)[where[k]] = out[k];
	return true;
}

static bool run_conditional(interp *r, const struct activation *f, const inst *i)
{
	const comp *c[256];
	int n = branches(i, c, 256), b;

	if (!n || i->noperand != n + 1 || !slot(f, i->operand[0])[0]->i)
		return interp_fail(r, i, "%d branches and %d operands", n, i->noperand);
	for (b = 0; b < n; b++)
		if (!run_branch(r, f, i, c[b], b, n))
			return false;
	return true;
}

static bool run_collective(interp *r, const struct activation *f, const inst *i)
{
	tensor *const **value = (tensor *const **)ARENA_ARRAY(&r->scratch, tensor **, i->noperand);
	int k;

	for (k = 0; k < i->noperand; k++)
		value[k] = slot(f, i->operand[k]);
	return interp_collective(r, i, f->n, f->dev, value, slot(f, i)) && interp_tick(r, inst_work(i) * f->n);
}

/* The host's values for an entry instruction, if it has any. */
static bool replaced(interp *r, const struct activation *f, const inst *i)
{
	int k;

	if (!r->o.replace || f->c != r->m->entry)
		return false;
	for (k = 0; k < f->n; k++) {
		slot(f, i)[k] = r->o.replace(r->o.ctx, i, f->dev[k]);
		if (!slot(f, i)[k])
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
			slot(f, i)[k] = f->give ? f->arg[k][i->number] : tensor_ref(f->arg[k][i->number]);
			if (f->give)
				((tensor **)f->arg[k])[i->number] = NULL;
		}
		return true;
	case OP_PARTITION_ID: case OP_REPLICA_ID: return run_id(r, f, i);
	case OP_CALL: return run_call(r, f, i, "to_apply");
	case OP_FUSION: return run_call(r, f, i, "calls");
	case OP_ASYNC_START: return run_async(r, f, i);
	case OP_WHILE: return run_while(r, f, i);
	case OP_CONDITIONAL: return run_conditional(r, f, i);
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
		r->kept[(size_t)i->index * r->ndev + f->dev[k]] = tensor_ref(slot(f, i)[k]);
}

/* Lets go of what instruction k was the last to read, or of its own value when nobody reads it. */
static void release(const struct activation *f, const int *last, int k)
{
	const inst *i = f->c->inst[k];
	int j, d;

	for (j = 0; j <= i->noperand; j++) {
		const inst *o = j < i->noperand ? i->operand[j] : i;

		for (d = 0; last[o->index] == k && d < f->n; d++) {
			tensor_unref(slot(f, o)[d]);
			slot(f, o)[d] = NULL;
		}
	}
}

static bool fits(const inst *i, const tensor *t)
{
	return t->nelem ? i->shape->type == T_TUPLE && i->shape->n == t->nelem
			: etype_kind(i->shape->type) == '-' || (i->shape->type != T_TUPLE && t->n == shape_elements(i->shape));
}

static bool after(interp *r, const struct activation *f, const inst *i)
{
	int k;

	for (k = 0; k < f->n; k++)
		if (!fits(i, slot(f, i)[k]))
			return interp_fail(r, i, "its value does not have the declared shape");
	keep_values(r, f, i);
	if (r->o.visit)
		r->o.visit(r->o.ctx, r->path, r->depth, i, f->n, f->dev, slot(f, i));
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
		out[d] = tensor_ref(slot(f, f->c->root)[d]);
	return true;
}

static bool run_activation(interp *r, struct activation *f, tensor **out)
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

static bool run_comp(interp *r, const comp *c, int n, const int *dev, tensor *const *const *arg, tensor **out)
{
	struct activation f = { c, n, dev, NULL, arg, false };

	return run_activation(r, &f, out);
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
			if (!input[d][k] || !fits(r->m->entry->param[k], input[d][k]))
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
	return run_comp(r, r->m->entry, r->ndev, dev, input, r->kept + (size_t)r->m->entry->ninst * r->ndev);
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

const char *interp_assumed(const interp *r, int k)
{
	return k < r->nassumed ? r->assumed[k] : NULL;
}
