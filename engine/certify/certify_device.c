/* certify_device.c - what instructions mean, place by place: collectives, and functions that each device computes. */
#include "certify/certify_tensor_in.h"

#include <string.h>

/* ---- collectives: ints are the dimension, how many groups, their sizes, the members */

static bool group_of(struct instr *q, int64_t dev, const int64_t **member, int64_t *n, int64_t *pos)
{
	int64_t ng = q->ints[1], g;
	const int64_t *size = q->ints + 2, *id = size + ng;

	for (g = 0; g < ng; id += size[g++])
		if (instr_listed(dev, id, size[g], pos)) {
			*member = id;
			*n = size[g];
			return true;
		}
	world_fail(q->w, "a device in no group");
	return false;
}

static val over_group(struct instr *q, const int64_t *e)
{
	const int64_t *m;
	int64_t n, pos, k;
	val s = cv_special(V_NAN);

	if (!group_of(q, q->dev, &m, &n, &pos))
		return s;
	for (k = 0; k < n && world_pay(q->w, 2); k++) {
		val v = instr_read(q, 0, m[k], e);
		s = k ? cv_reduce(q->name, q->f.type, s, v) : v;
	}
	return s;
}

val does_reduce_scatter(struct instr *q)
{
	const int64_t *m;
	int64_t n, pos, e[RANK], d = q->ints[0];

	if (!group_of(q, q->dev, &m, &n, &pos))
		return cv_special(V_NAN);
	memcpy(e, q->i, sizeof e);
	e[d] += pos * q->f.dim[d];
	return over_group(q, e);
}

val does_all_gather(struct instr *q)
{
	const int64_t *m;
	int64_t n, pos, e[RANK], d = q->ints[0], part = q->in[0].dim[d];

	if (!group_of(q, q->dev, &m, &n, &pos))
		return cv_special(V_NAN);
	memcpy(e, q->i, sizeof e);
	e[d] %= part;
	return instr_read(q, 0, m[q->i[d] / part], e);
}

val does_all_to_all(struct instr *q)
{
	const int64_t *m;
	int64_t n, pos, e[RANK], d = q->ints[0], part;

	if (!group_of(q, q->dev, &m, &n, &pos))
		return cv_special(V_NAN);
	part = q->f.dim[d] / n;
	memcpy(e, q->i, sizeof e);
	e[d] = pos * part + q->i[d] % part;
	return instr_read(q, 0, m[q->i[d] / part], e);
}

/* Element k of the tuple on device R: what member k sends to R's position. */
val does_all_to_all_tuple(struct instr *q)
{
	const int64_t *m;
	int64_t n, pos, k = q->ints[0];
	struct instr shifted = *q;

	if (!group_of(&shifted, q->dev, &m, &n, &pos) || k >= n)
		return cv_special(V_NAN);
	return instr_at(q, (uint32_t)pos, m[k], q->at);
}

val does_permute(struct instr *q)
{
	int64_t k;

	for (k = 0; k + 1 < q->nint; k += 2)
		if (q->ints[k + 1] == q->dev)
			return instr_at(q, 0, q->ints[k], q->at);
	return cv_of_int(cv_int(q->f.type) ? q->f.type : TYPE_REAL, 0);
}

val does_all_reduce(struct instr *q) { return over_group(q, q->i); }

/* ---- one function per device; ints: triples operand, its dimension, result dimension that pass through */

static int64_t pass_of(const struct instr *q, int64_t k, int64_t d)
{
	int64_t i;

	for (i = 0; i + 2 < q->nint; i += 3)
		if (q->ints[i] == k && q->ints[i + 1] == d)
			return q->ints[i + 2];
	return -1;
}

static int64_t own_place(const struct instr *q)
{
	int64_t at = 0, d, i;

	for (d = 0; d < q->f.rank; d++) {
		for (i = 0; i + 2 < q->nint && q->ints[i + 2] != d; i += 3)
			;
		if (i + 2 >= q->nint)
			at = at * q->f.dim[d] + q->i[d];
	}
	return at;
}

/* The values of all operands along the one dimension that does not pass through; NULL: too many, or another form. */
static val *row_values(struct instr *q, int *type, int64_t *n)
{
	int64_t e[RANK] = { 0 }, j, len = 0;
	uint32_t k;
	val *x = NULL;
	int d, own;

	for (k = 0; k < q->narg; k++) {
		form mine, *f = &mine;
		mine = *instr_form(q, k, &mine);
		for (d = 0, own = -1; d < f->rank; d++)
			if (pass_of(q, k, d) >= 0)
				e[d] = q->i[pass_of(q, k, d)];
			else
				own = own < 0 ? d : RANK;
		if (own < 0 || own >= f->rank || f->dim[own] > ORDER_LONGEST || (k && f->dim[own] != len))
			return NULL;
		len = f->dim[own];
		x = x ? x : ARENA_ARRAY(q->w->s, val, len * q->narg);
		type[k] = f->type;
		for (j = 0; j < len && world_pay(q->w, 1); j++) {
			e[own] = j;
			x[k * len + j] = instr_read(q, k, q->dev, e);
		}
	}
	*n = len;
	return x;
}

/* The places of all operands that are not those of the result are digits of one number: their weights, [operand][dimension]. */
static int64_t *opaque_weights(struct instr *q)
{
	int64_t *weight = ARENA_ARRAY(q->w->s, int64_t, RANK * (q->narg + 1)), acc = 1, d;
	form own;
	uint32_t k;

	for (k = q->narg; k-- > 0; ) {
		const form *f = instr_form(q, k, &own);
		for (d = f->rank - 1; d >= 0; d--)
			if (pass_of(q, k, d) < 0) {
				weight[k * RANK + d] = acc;
				acc *= f->dim[d] ? f->dim[d] : 1;
			}
	}
	return weight;
}

/* The sum of z^place over the places of the other operands. */
static uint64_t opaque_others(struct instr *q, uint32_t k, uint64_t z, const int64_t *weight)
{
	uint64_t rest = 1;
	uint32_t j;
	int64_t d;
	form own;

	for (j = 0; j < q->narg; j++) {
		const form *f = instr_form(q, j, &own);
		for (d = 0; j != k && d < f->rank; d++)
			if (pass_of(q, j, d) < 0)
				rest = ck_times(rest, ck_geometric(z, weight[j * RANK + d], f->dim[d] ? f->dim[d] : 1));
	}
	return rest;
}

/* The next place of operand k, along the dimensions that are not the result's; false behind the last. */
static bool opaque_next(struct instr *q, uint32_t k, const form *mine, int64_t *e)
{
	int64_t d;

	for (d = mine->rank - 1; d >= 0; d--) {
		if (pass_of(q, k, d) >= 0)
			continue;
		if (++e[d] < mine->dim[d])
			return true;
		e[d] = 0;
	}
	return false;
}

/* The sum of z^place times the value there over the places of operand k. */
static uint64_t opaque_operand(struct instr *q, uint32_t k, uint64_t z, const int64_t *weight)
{
	form own, mine = *instr_form(q, k, &own);
	int64_t e[RANK] = { 0 }, place, d;
	uint64_t sum = 0;

	for (d = 0; d < mine.rank; d++)
		if (pass_of(q, k, d) >= 0)
			e[d] = q->i[pass_of(q, k, d)];
	if (!mine.elements)
		return 0;
	do {
		place = 0;
		for (d = 0; d < mine.rank; d++)
			if (pass_of(q, k, d) < 0)
				place += weight[k * RANK + d] * e[d];
		sum = ck_plus(sum, ck_times(cv_hash(instr_read(q, k, q->dev, e)) % CERTIFY_P, ck_power(z, place)));
	} while (world_pay(q->w, 2) && opaque_next(q, k, &mine, e));
	return sum;
}

val does_opaque_call(struct instr *q)
{
	ck_order order;
	int64_t n, *weight;
	int *type = ARENA_ARRAY(q->w->s, int, q->narg);
	val *x = ck_order_of(q->name, &order) ? row_values(q, type, &n) : NULL;
	uint64_t h = opaque_start(q->name), z;
	uint32_t k;

	if (x)
		return ck_ordered(q->w, &order, (int)q->narg, type, n, x, own_place(q));
	weight = opaque_weights(q);
	for (k = 0; k < q->narg && !q->w->bad; k++) {
		z = cv_mix(h, (uint64_t)k) % CERTIFY_P;
		h = cv_mix(h, ck_times(opaque_operand(q, k, z, weight), opaque_others(q, k, z, weight)));
	}
	return q->w->bad || q->w->cut ? cv_special(V_NAN) : opaque_finish(h, q->f.type, own_place(q));
}
