/* certify_tensor.c - what instructions mean, place by place.
 *
 * Written from the meaning of HLO, not from the lift primitives: operands are
 * read at (device, index), a collective reads other devices.  Attributes stand
 * as the lowering writes them (lift.h).
 */
#include "certify/certify_tensor_in.h"

#include <string.h>
#include "lift/instruction.h"

bool ck_form(const world *w, eg_id t, form *f)
{
	eg_op op = eg_node_op(w->g, t);
	enum certify_kind k = ck_kind(w, op);
	const int64_t *p;
	size_t n;
	int i;

	memset(f, 0, sizeof *f);
	if (k == K_LAID) {
		p = ck_value(w, op, 0, &n);
		f->ndev = p[0];
		f->rank = (int)p[1];
		f->dim = p + 4;
		f->type = ck_type(w, t);
	} else if (k == K_TENSOR) {
		p = ck_value(w, op, 0, &n);
		f->type = (int)*p;
		p = ck_value(w, op, 1, &n);
		f->ndev = p[0];
		f->rank = (int)(n / sizeof *p) - 1;
		f->dim = p + 1;
	} else {
		return false;
	}
	f->elements = 1;
	for (i = 0; i < f->rank; i++)
		f->elements *= f->dim[i];
	return f->rank <= RANK;
}

static int64_t flat(const form *f, const int64_t *i)
{
	int64_t r = 0;
	int k;

	for (k = 0; k < f->rank; k++)
		r = r * f->dim[k] + i[k];
	return r;
}

bool instr_inside(const form *f, const int64_t *i)
{
	int k;

	for (k = 0; k < f->rank; k++)
		if (i[k] < 0 || i[k] >= f->dim[k])
			return false;
	return true;
}

const form *instr_form(struct instr *q, uint32_t k, form *own)
{
	if (k < 6)
		return &q->in[k];
	if (!ck_form(q->w, q->arg[k], own))
		world_fail(q->w, "an operand without a form");
	return own;
}

val instr_at(struct instr *q, uint32_t k, int64_t dev, int64_t at)
{
	form own;
	const form *f;

	if (k >= q->narg)
		return world_fail(q->w, "an operand is missing");
	f = instr_form(q, k, &own);
	if (q->w->bad)
		return cv_special(V_NAN);
	if (dev < 0 || dev >= f->ndev || at < 0 || at >= f->elements)
		return world_fail(q->w, "an operand is read outside");
	return world_tensor(q->w, q->arg[k], dev, at, q->built);
}

val instr_read(struct instr *q, uint32_t k, int64_t dev, const int64_t *i)
{
	form own;
	const form *f = instr_form(q, k, &own);

	if (!q->w->bad && !instr_inside(f, i))
		return world_fail(q->w, "an operand is read outside");
	return instr_at(q, k, dev, q->w->bad ? 0 : flat(f, i));
}

int64_t instr_clip(int64_t v, int64_t hi)
{
	return v < 0 ? 0 : v > hi ? hi : v;
}

int64_t instr_start(struct instr *q, uint32_t first, int d)
{
	form own;
	bool vector = q->narg == first + 1 && instr_form(q, first, &own)->rank == 1;
	val v = instr_at(q, vector ? first : first + (uint32_t)d, q->dev, vector ? d : 0);

	return v.i;
}

bool instr_listed(int64_t v, const int64_t *list, int64_t n, int64_t *where)
{
	for (int64_t i = 0; i < n; i++)
		if (list[i] == v) {
			if (where)
				*where = i;
			return true;
		}
	return false;
}

/* ---- by name */

val does_same(struct instr *q) { return instr_at(q, 0, q->dev, q->at); }
val does_atom(struct instr *q) { return world_named(q->w, q->name, q->f.type, q->at); }
val does_unique(struct instr *q) { return world_named(q->w, q->name, q->f.type, q->dev * q->f.elements + q->at); }
val does_iota(struct instr *q) { return cv_of_int(cv_int(q->f.type) ? q->f.type : TYPE_REAL, q->i[q->ints[0]]); }
val does_device(struct instr *q) { return cv_of_int(q->f.type, q->dev / q->ints[0] % q->ints[1]); }

val does_each_trip(struct instr *q) { return instr_at(q, 0, q->dev % q->in[0].ndev, q->at); }

val does_stack_trips(struct instr *q)
{
	return instr_at(q, 0, q->i[0] * q->f.ndev + q->dev, q->at % q->in[0].elements);
}

val does_over_trips(struct instr *q)
{
	val s = cv_special(V_NAN);
	int64_t k;

	for (k = 0; k < q->in[0].ndev / q->f.ndev && world_pay(q->w, 2); k++) {
		val v = instr_at(q, 0, k * q->f.ndev + q->dev, q->at);
		s = k ? cv_reduce(q->name, q->f.type, s, v) : v;
	}
	return s;
}

/* Of an instruction of any other name nothing is known: what is no function place by place must not be taken for one. */
static bool is_elementwise(const char *name)
{
	static const char *const more[] = { "bitcast-convert", "complex", "imag", "mulhi", "real", "reduce-precision", "stochastic-convert" };
	size_t i;

	for (i = 0; i < sizeof more / sizeof *more; i++)
		if (!strcmp(name, more[i]))
			return true;
	return instruction_by_places(name) != NULL;
}

typedef val meaning(struct instr *q);
#define ROW(name, fn) { name, does_##fn },
static const struct { const char *name; meaning *fn; } meanings[] = { MEANINGS(ROW) };
#undef ROW

val tensor_value(world *w, eg_op op, uint32_t narg, const eg_id *arg, int64_t dev, int64_t at, uint32_t built)
{
	const char *name = eg_family(w->g, eg_op_family(w->g, op))->name;
	struct instr *q = ARENA_NEW(w->s, struct instr);
	size_t n, i;
	uint32_t k;
	const int64_t *p;
	int d;

	q->w = w;
	q->built = built;
	p = ck_value(w, op, 0, &n);
	q->f.type = (int)*p;
	p = ck_value(w, op, 1, &n);
	q->f.ndev = p[0];
	q->f.rank = (int)(n / sizeof *p) - 1;
	q->f.dim = p + 1;
	q->f.elements = 1;
	if (q->f.rank > RANK)
		return world_fail(w, "a tensor of many dimensions");
	for (d = 0; d < q->f.rank; d++)
		q->f.elements *= q->f.dim[d];
	q->ints = ck_value(w, op, 2, &n);
	q->nint = (int64_t)(n / sizeof *q->ints);
	q->name = ck_value(w, op, 3, &n);
	q->narg = narg;
	q->arg = arg;
	for (k = 0; k < narg && k < 6; k++)
		if (!ck_form(w, arg[k], &q->in[k]))
			return world_fail(w, "an operand without a form");
	q->dev = dev;
	q->at = at;
	for (d = q->f.rank - 1; d >= 0; d--) {
		q->i[d] = at % q->f.dim[d];
		at /= q->f.dim[d];
	}
	for (i = 0; i < sizeof meanings / sizeof *meanings; i++)
		if (!strcmp(name, meanings[i].name))
			return meanings[i].fn(q);
	return is_elementwise(name) ? does_elementwise(q, name) : world_fail(w, "nothing is known of what this instruction does");
}
