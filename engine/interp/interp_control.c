/* interp_control.c - calls, asynchronous calls, loops and branches.
 *
 * A loop goes on with the devices that still want to, a branch runs the devices
 * that take it; a collective inside checks that its whole group came along.
 */
#include "interp/interp_in.h"

/* Arguments from operands first on: arg[k][j]. */
static tensor *const *const *arguments(interp *r, const struct activation *f, const inst *i, int first, int count)
{
	tensor ***arg = ARENA_ARRAY(&r->scratch, tensor **, f->n);
	int k, j;

	for (k = 0; k < f->n; k++) {
		arg[k] = ARENA_ARRAY(&r->scratch, tensor *, count);
		for (j = 0; j < count; j++)
			arg[k][j] = tensors_of(f, i->operand[first + j])[k];
	}
	return (tensor *const *const *)arg;
}

bool interp_call(interp *r, const struct activation *f, const inst *i, const char *key)
{
	const comp *c = inst_comp(i, key);

	if (!c)
		return interp_fail(r, i, "it calls nothing");
	return interp_comp(r, c, f->n, f->dev, arguments(r, f, i, 0, i->noperand), tensors_of(f, i));
}

/* async-start: (operands, result, context..) around the called computation. */
bool interp_async(interp *r, const struct activation *f, const inst *i)
{
	const shape *s = i->shape;
	int k, j;

	if (!inst_comp(i, "calls") || s->type != T_TUPLE || s->n < 2 || s->elem[0]->type != T_TUPLE)
		return interp_fail(r, i, "an asynchronous operation of unknown form");
	if (!interp_call(r, f, i, "calls"))
		return false;
	for (k = 0; k < f->n; k++) {
		tensor **out = arena_zalloc(&r->scratch, sizeof *out * s->n);
		tensor **in = ARENA_ARRAY(&r->scratch, tensor *, i->noperand);

		for (j = 0; j < i->noperand; j++)
			in[j] = tensor_ref(tensors_of(f, i->operand[j])[k]);
		out[0] = interp_tuple(s->elem[0], i->noperand, in);
		out[1] = tensors_of(f, i)[k];
		for (j = 2; j < s->n; j++)
			out[j] = interp_zero(r, s->elem[j]);
		tensors_of(f, i)[k] = interp_tuple(s, s->n, out);
	}
	return true;
}

/* One round of a loop for the devices still in it; state[] is theirs, in order. */
static int loop_condition(interp *r, const comp *cond, int n, int *dev, tensor **state, tensor **done, int *where)
{
	tensor **ask = ARENA_ARRAY(&r->scratch, tensor *, n);
	tensor ***arg = ARENA_ARRAY(&r->scratch, tensor **, n);
	int k, m = 0;

	for (k = 0; k < n; k++) {
		arg[k] = &state[k];
		ask[k] = NULL;
	}
	if (!interp_comp(r, cond, n, dev, (tensor *const *const *)arg, ask))
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
	ok = interp_activation(r, &f, next);
	for (k = 0; ok && k < n; k++) {
		tensor_unref(state[k]);
		state[k] = next[k];
	}
	return ok;
}

bool interp_while(interp *r, const struct activation *f, const inst *i)
{
	const comp *cond = inst_comp(i, "condition"), *body = inst_comp(i, "body");
	tensor **state = ARENA_ARRAY(&r->scratch, tensor *, f->n);
	int *dev = ARENA_ARRAY(&r->scratch, int, f->n), *where = ARENA_ARRAY(&r->scratch, int, f->n), n = f->n, k, m;
	int64_t trip, limit = r->o.trip_limit > 0 ? r->o.trip_limit : 1000000;
	arena_mark mark;

	if (!cond || !body)
		return interp_fail(r, i, "a loop without condition or body");
	for (k = 0; k < n; k++) {
		state[k] = tensor_ref(tensors_of(f, i->operand[0])[k]);
		dev[k] = f->dev[k];
		where[k] = k;
	}
	mark = arena_at(&r->scratch);
	for (trip = 0; n; trip++) {
		if (r->depth)
			r->trip[r->depth - 1] = trip;
		m = trip > limit ? -1 : loop_condition(r, cond, n, dev, state, tensors_of(f, i), where);
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
		if (branch_taken(tensors_of(f, i->operand[0])[k], n) == b) {
			arg[m] = &tensors_of(f, i->operand[1 + b])[k];
			where[m] = k;
			dev[m++] = f->dev[k];
		}
	if (m && !interp_comp(r, c, m, dev, (tensor *const *const *)arg, out))
		return false;
	for (k = 0; k < m; k++)
		tensors_of(f, i)[where[k]] = out[k];
	return true;
}

bool interp_conditional(interp *r, const struct activation *f, const inst *i)
{
	const comp *c[256];
	int n = branches(i, c, 256), b;

	if (!n || i->noperand != n + 1 || !tensors_of(f, i->operand[0])[0]->i)
		return interp_fail(r, i, "%d branches and %d operands", n, i->noperand);
	for (b = 0; b < n; b++)
		if (!run_branch(r, f, i, c[b], b, n))
			return false;
	return true;
}
