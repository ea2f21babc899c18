#include "fault/bucket.h"

#include "pair/collective.h"
#include "relation/state_in.h"

enum { STEPS = 16, TOLD = 3 };

/* The operand that a row of one dimension hands on place by place: scaled by constants, moved, or added up over devices; -1: none. */
static int handed_on(const states *s, int row)
{
	const struct row *r = pair_row(s->q, SIDE_DIST, row), *o;
	int k, from = -1;

	if (collective_grouped(r) && r->nop > 1)
		from = r->element >= 0 && r->element < r->nop ? r->op[r->element] : -1;
	else
		for (k = 0; k < r->nop; k++)
			if (!s->rs[r->op[k]].constant)
				from = from == -1 ? r->op[k] : -2;
	if (from < 0)
		return -1;
	o = pair_row(s->q, SIDE_DIST, from);
	return o->rank == 1 && o->dim[0] == r->dim[0] ? from : -1;
}

/* The concatenation of vectors behind a row; -1: there is none. */
static int bucket_behind(const states *s, int row)
{
	int steps;

	for (steps = 0; steps < STEPS && row >= 0; steps++) {
		const struct row *r = pair_row(s->q, SIDE_DIST, row);
		if (r->rank != 1)
			return -1;
		if (r->inst->opcode == OP_CONCATENATE)
			return row;
		row = handed_on(s, row);
	}
	return -1;
}

/* ", %a at 0..6, %b at 7..18": the parts that places from to below `to` meet; NULL where they are one part. */
static const char *parts_met(const states *s, int bucket, int64_t from, int64_t to, arena *out)
{
	const struct row *b = pair_row(s->q, SIDE_DIST, bucket), *r;
	const char *text = "";
	int64_t at = 0, n;
	int k, told = 0;

	for (k = 0; k < b->nop; k++, at += n) {
		r = pair_row(s->q, SIDE_DIST, b->op[k]);
		n = r->dim[0];
		if (at == from && at + n == to)
			return NULL;
		if (at + n <= from || at >= to)
			continue;
		if (told++ < TOLD)
			text = arena_printf(out, "%s%s%%%s at %lld..%lld", text, *text ? ", " : "", r->path, (long long)at, (long long)(at + n - 1));
	}
	return told > TOLD ? arena_printf(out, "%s ..", text) : text;
}

const char *bucket_fault(const states *s, int dist_row, arena *out)
{
	const struct row *r = pair_row(s->q, SIDE_DIST, dist_row);
	const char *parts;
	int bucket;

	if (r->inst->opcode != OP_SLICE || r->rank != 1 || r->ints[2] != 1)
		return NULL;
	bucket = bucket_behind(s, r->op[0]);
	parts = bucket < 0 ? NULL : parts_met(s, bucket, r->ints[0], r->ints[1], out);
	return parts ? arena_printf(out, "it cuts places %lld..%lld out of what %%%s puts together: there lie %s", (long long)r->ints[0],
				    (long long)r->ints[1] - 1, pair_row(s->q, SIDE_DIST, bucket)->path, parts) : NULL;
}
