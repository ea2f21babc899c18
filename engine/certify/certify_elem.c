/* certify_elem.c - what instructions mean, place by place: functions of the values at one place. */
#include "certify/certify_tensor_in.h"

#include <string.h>

val does_elementwise(struct instr *q, const char *fn)
{
	val x[8];
	int from[8];
	uint32_t k;
	char full[200];

	if (q->narg > 8 || !q->narg)
		return world_fail(q->w, "a function of many operands");
	for (k = 0; k < q->narg; k++) {
		form own;
		const form *f = instr_form(q, k, &own);
		if (f->rank && (f->rank != q->f.rank || memcmp(f->dim, q->f.dim, sizeof *f->dim * (size_t)f->rank)))
			return world_fail(q->w, "a function of operands of other extents");
		x[k] = instr_at(q, k, q->dev, f->rank == 0 ? 0 : q->at);
		from[k] = f->type;
	}
	if (*q->name && strlen(fn) + strlen(q->name) + 2 < sizeof full) {
		strcpy(full, fn);
		strcat(full, ":");
		strcat(full, q->name);
		fn = full;
	}
	return cv_map(fn, q->f.type, from, (int)q->narg, x);
}

val does_compare(struct instr *q)
{
	val x[2];
	int from[2] = { q->in[0].type, q->in[1].type };
	char fn[64] = "compare:";
	bool swap = q->name[0] == 'G';

	x[swap] = instr_at(q, 0, q->dev, q->in[0].rank ? q->at : 0);
	x[!swap] = instr_at(q, 1, q->dev, q->in[1].rank ? q->at : 0);
	if (strlen(q->name) < 40)
		strcat(fn, q->name);
	if (swap)
		fn[8] = 'L';
	return cv_map(fn, q->f.type, from, 2, x);
}

static bool plain(int type)
{
	return cv_int(type) || cv_real(type);
}

static val sum_like(struct instr *q, const char *op)
{
	int t = q->f.type;
	val x = instr_at(q, 0, q->dev, q->at), y;

	if (!plain(t))
		return does_elementwise(q, op);
	if (!strcmp(op, "negate"))
		return cv_scale(t, (rat){ -1, 1 }, x);
	y = instr_at(q, 1, q->dev, q->at);
	if (!strcmp(op, "add"))
		return cv_add(t, x, y);
	if (!strcmp(op, "subtract"))
		return cv_add(t, x, t == T_PRED ? y : cv_scale(t, (rat){ -1, 1 }, y));
	if (!strcmp(op, "multiply"))
		return cv_mul(t, x, y);
	return cv_int(t) ? does_elementwise(q, op) : cv_mul(t, x, cv_pow(t, y, -1));
}

val does_clamp(struct instr *q)
{
	val lo = instr_at(q, 0, q->dev, q->in[0].rank ? q->at : 0), x = instr_at(q, 1, q->dev, q->at);
	val hi = instr_at(q, 2, q->dev, q->in[2].rank ? q->at : 0);

	return cv_reduce("minimum", q->f.type, cv_reduce("maximum", q->f.type, lo, x), hi);
}

static val constant(struct instr *q, int64_t k)
{
	double d;

	if (k >= q->nint)
		return world_fail(q->w, "a constant is cut off");
	if (cv_int(q->f.type))
		return cv_of_int(q->f.type, q->f.type == T_PRED ? q->ints[k] != 0 : q->ints[k]);
	memcpy(&d, &q->ints[k], sizeof d);
	return cv_of_double(d);
}

val does_add(struct instr *q) { return sum_like(q, "add"); }
val does_subtract(struct instr *q) { return sum_like(q, "subtract"); }
val does_negate(struct instr *q) { return sum_like(q, "negate"); }
val does_multiply(struct instr *q) { return sum_like(q, "multiply"); }
val does_divide(struct instr *q) { return sum_like(q, "divide"); }
val does_number_const(struct instr *q) { return constant(q, 0); }
val does_table_const(struct instr *q) { return constant(q, q->at); }

static val lattice(struct instr *q, const char *op)
{
	return cv_reduce(op, q->f.type, instr_at(q, 0, q->dev, q->at), instr_at(q, 1, q->dev, q->at));
}

val does_maximum(struct instr *q) { return lattice(q, "maximum"); }
val does_minimum(struct instr *q) { return lattice(q, "minimum"); }

val does_rsqrt(struct instr *q)
{
	val x = instr_at(q, 0, q->dev, q->at), y;

	if (!cv_real(q->f.type))
		return does_elementwise(q, "rsqrt");
	y = cv_map("sqrt", q->f.type, &q->f.type, 1, &x);
	return cv_pow(q->f.type, y, -1);
}

val does_select_one(struct instr *q)
{
	val p = instr_at(q, 0, q->dev, q->in[0].rank ? q->at : 0);

	return instr_at(q, p.i ? 1 : 2, q->dev, q->at);
}
