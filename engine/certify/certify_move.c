/* certify_move.c - what instructions mean, place by place: what only moves values. */
#include "certify/certify_tensor_in.h"

#include <string.h>

val does_pad(struct instr *q)
{
	int64_t e[RANK];
	int d;

	for (d = 0; d < q->f.rank; d++) {
		const int64_t *p = q->ints + 3 * d;
		int64_t v = q->i[d] - p[0];
		if (v < 0 || v % (p[2] + 1) || v / (p[2] + 1) >= q->in[0].dim[d])
			return instr_at(q, 1, q->dev, 0);
		e[d] = v / (p[2] + 1);
	}
	return instr_read(q, 0, q->dev, e);
}

val does_concatenate(struct instr *q)
{
	int64_t e[RANK];
	int64_t d = q->ints[0];
	uint32_t k;

	memcpy(e, q->i, sizeof e);
	for (k = 0; k < q->narg; k++) {
		form own;
		const form *f = instr_form(q, k, &own);
		if (e[d] < f->dim[d])
			return instr_read(q, k, q->dev, e);
		e[d] -= f->dim[d];
	}
	return world_fail(q->w, "a concatenation is too short");
}

val does_bitcast(struct instr *q)
{
	int rin = q->in[0].rank, d;
	const int64_t *src = q->ints, *dst = q->ints + rin;
	int64_t e[RANK], at = 0;
	val v;

	for (d = 0; d < q->f.rank; d++)
		at = at * q->f.dim[dst[d]] + q->i[dst[d]];
	for (d = rin - 1; d >= 0; d--) {
		e[src[d]] = at % q->in[0].dim[src[d]];
		at /= q->in[0].dim[src[d]];
	}
	v = instr_read(q, 0, q->dev, e);
	return *q->name ? cv_map(q->name, q->f.type, &q->in[0].type, 1, &v) : v;
}

val does_gather(struct instr *q)
{
	enum { OFFSET, COLLAPSED, MAP, OBATCH, SBATCH, SIZES };
	const int64_t *list[6], *p = q->ints + 1;
	const form *x = &q->in[0], *s = &q->in[1];
	int64_t n[6], ivd = q->ints[0], e[RANK] = { 0 }, si[RANK] = { 0 }, batch[RANK], nb = 0, k, d, w;

	for (k = 0; k < 6; k++) {
		n[k] = *p++;
		list[k] = p;
		p += n[k];
	}
	for (d = 0; d < q->f.rank; d++)
		if (!instr_listed(d, list[OFFSET], n[OFFSET], NULL))
			batch[nb++] = q->i[d];
	for (d = k = 0; d < s->rank; d++)
		if (d != ivd && k < nb)
			si[d] = batch[k++];
	for (d = 0; d < x->rank; d++) {
		if (instr_listed(d, list[MAP], n[MAP], &w)) {
			if (ivd < s->rank)
				si[ivd] = w;
			e[d] = instr_clip(instr_read(q, 1, q->dev, si).i, x->dim[d] - list[SIZES][d]);
		}
		if (instr_listed(d, list[OBATCH], n[OBATCH], &w))
			e[d] = si[list[SBATCH][w]];
	}
	for (d = k = 0; d < x->rank; d++)
		if (!instr_listed(d, list[COLLAPSED], n[COLLAPSED], NULL) && !instr_listed(d, list[OBATCH], n[OBATCH], NULL))
			e[d] += q->i[list[OFFSET][k++]];
	return instr_read(q, 0, q->dev, e);
}

val does_transpose(struct instr *q)
{
	int64_t e[RANK];
	int d;

	for (d = 0; d < q->f.rank; d++)
		e[q->ints[d]] = q->i[d];
	return instr_read(q, 0, q->dev, e);
}

val does_broadcast(struct instr *q)
{
	int64_t e[RANK];
	int d;

	for (d = 0; d < q->in[0].rank; d++)
		e[d] = q->i[q->ints[d]];
	return instr_read(q, 0, q->dev, e);
}

val does_slice(struct instr *q)
{
	int64_t e[RANK];
	int d;

	for (d = 0; d < q->f.rank; d++)
		e[d] = q->ints[3 * d] + q->i[d] * q->ints[3 * d + 2];
	return instr_read(q, 0, q->dev, e);
}

val does_reverse(struct instr *q)
{
	int64_t e[RANK];
	int d;

	for (d = 0; d < q->f.rank; d++)
		e[d] = instr_listed(d, q->ints, q->nint, NULL) ? q->f.dim[d] - 1 - q->i[d] : q->i[d];
	return instr_read(q, 0, q->dev, e);
}

val does_dynamic_slice(struct instr *q)
{
	int64_t e[RANK];
	int d;

	for (d = 0; d < q->f.rank; d++)
		e[d] = q->i[d] + instr_clip(instr_start(q, 1, d), q->in[0].dim[d] - q->f.dim[d]);
	return instr_read(q, 0, q->dev, e);
}

val does_dynamic_update_slice(struct instr *q)
{
	int64_t e[RANK];
	int d;

	for (d = 0; d < q->f.rank; d++)
		e[d] = q->i[d] - instr_clip(instr_start(q, 2, d), q->f.dim[d] - q->in[1].dim[d]);
	return instr_inside(&q->in[1], e) ? instr_read(q, 1, q->dev, e) : instr_at(q, 0, q->dev, q->at);
}
