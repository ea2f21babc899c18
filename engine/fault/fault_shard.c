#include "fault/fault_in.h"

#include <string.h>
#include "core/constant.h"
#include "relation/describe.h"
#include "relation/presumed.h"

/* A place in each device's own part, taken for one of the whole. */
const char *fault_place_in_part(const states *s, int row, arena *out)
{
	const struct row *r = row_at(s, row);
	const struct row *x;
	uint32_t axes;
	int k, o = -1;

	for (k = 0; k < r->nop && o < 0; k++)
		o = presumed_place_of(s, r->op[k]);
	if (o < 0)
		return NULL;
	x = row_at(s, o);
	axes = row_axes(s, x->op[0]);
	return arena_printf(out, "it takes %%%s for places of the whole: it counts places of each device's own part of %%%s over %s, to which the offset "
			    "of the part has to be added", dist_name(s, o), dist_name(s, x->op[0]), axes_of(s, axes, out));
}

/* Done to a part by every device for itself, and to all of it by the baseline: what is known of the operation or not. */
const char *fault_own_part(const states *s, const frontier_entry *e, arena *out)
{
	const struct row *r = row_at(s, e->row), *b = nearest_base(s, e);
	uint32_t axes;
	int64_t n;

	if (!b || b->inst->opcode != r->inst->opcode || !r->nop || !b->nop || s->rs[r->op[0]].kind != STATE_RELATED ||
	    !same_value(s, s->rs[r->op[0]].base, b->op[0]) || !(axes = row_axes(s, r->op[0])))
		return NULL;
	n = row_elements(row_at(s, r->op[0]));
	if (row_elements(&s->q->base->row[b->op[0]]) != n * axes_size(&s->q->ms, axes))
		return NULL;
	return arena_printf(out, "it takes each device's own part of %%%s over %s, %%%s of the baseline takes all of it", base_name(s, b->op[0]),
			    axes_of(s, axes, out), b->path);
}

/* Shards that are added up as if they were parts of a sum. */
const char *fault_added_shards(const states *s, int row, arena *out)
{
	const struct row *r = row_at(s, row);
	uint32_t axes;

	if (!collective_grouped(r) || strcmp(r->name, "add") || s->rs[r->op[0]].kind != STATE_RELATED ||
	    !(axes = row_axes(s, r->op[0]) & axes_over(s, row)))
		return NULL;
	return arena_printf(out, "it adds up over %s places that each device has for itself: %s", axes_of(s, axes, out), named_operand(s, r->op[0], out));
}

/* A device's own part beside other things, along the dimension that is shared out, where the baseline puts all of it. */
const char *fault_part_beside(const states *s, const frontier_entry *e, arena *out)
{
	const struct row *r = row_at(s, e->row), *b = nearest_base(s, e);
	int n, k;
	const int64_t *at = inst_ints(r->inst, "dimensions", &n);

	if (r->inst->opcode != OP_CONCATENATE || !b || b->inst->opcode != OP_CONCATENATE || b->nop != r->nop || n != 1)
		return NULL;
	for (k = 0; k < r->nop; k++) {
		const struct row *x = row_at(s, r->op[k]), *whole = &s->q->base->row[b->op[k]];
		if (s->rs[r->op[k]].kind == STATE_RELATED && same_value(s, s->rs[r->op[k]].base, b->op[k]) && row_axes(s, r->op[k]) &&
		    x->rank == whole->rank && x->dim[at[0]] < whole->dim[at[0]])
			return arena_printf(out, "it puts each device's own part of %%%s over %s beside the rest, %%%s of the baseline all of it: %s", base_name(s, b->op[k]),
					    axes_of(s, row_axes(s, r->op[k]), out), b->path, named_operand(s, r->op[k], out));
	}
	return NULL;
}

/* The only operand that is no constant, and is a shard of the only one of the baseline's row that is none; -1: there is none. */
static int shard_among_constants(const states *s, const struct row *r, const struct row *b, arena *out)
{
	int k, at = -1;

	for (k = 0; k < r->nop; k++) {
		if (s->rs[r->op[k]].constant)
			continue;
		if (at >= 0 || !s->rs[r->op[k]].verified || !row_axes(s, r->op[k]))
			return -1;
		at = r->op[k];
	}
	for (k = 0; k < b->nop && at >= 0; k++) {
		eg_id core = s->side[SIDE_BASE].core[b->op[k]];

		if (b->op[k] != s->rs[at].base && (core == NIL || !constant_values(&s->q->p->a, core, out)))
			return -1;
	}
	return at;
}

static bool pads(const struct row *r)
{
	return r->inst->opcode == OP_PAD || r->inst->opcode == OP_CONCATENATE;
}

/* Every device puts constants beside its own part, along the dimension that is shared out, and the baseline beside the whole. */
const char *fault_padded_parts(const states *s, const frontier_entry *e, arena *out)
{
	const struct row *r = row_at(s, e->row), *b = nearest_base(s, e), *x, *whole;
	int o = b && pads(r) && pads(b) ? shard_among_constants(s, r, b, out) : -1, k;

	if (o < 0 || s->rs[o].base < 0)
		return NULL;
	x = row_at(s, o);
	whole = &s->q->base->row[s->rs[o].base];
	for (k = 0; k < r->rank && x->rank == r->rank && whole->rank == r->rank; k++)
		if (r->dim[k] > x->dim[k] && x->dim[k] < whole->dim[k])
			return arena_printf(out, "it puts constants beside each device's own part of %s, %%%s of the baseline beside the whole: where parts meet, the "
					    "places next to them are with other devices", value_name(s, o, out), base_name(s, e->base[0]));
	return NULL;
}

/* The same window as in the baseline, over what the devices have shared out: it is no sum of parts, so it reaches over the edges. */
const char *fault_missing_edges(const states *s, const frontier_entry *e, arena *out)
{
	const struct row *r = row_at(s, e->row), *b = nearest_base(s, e);
	const attr *w = inst_attr(r->inst, "window"), *v = b ? inst_attr(b->inst, "window") : NULL;
	layout l;
	eg_id x;
	int k;

	if (!w || !v || !w->text || !v->text || strcmp(w->text, v->text) || b->inst->opcode != r->inst->opcode || !s->rs[r->op[0]].verified ||
	    s->rs[r->op[0]].base != b->op[0] || !row_axes(s, r->op[0]))
		return NULL;
	for (k = 1; k < r->nop; k++)
		if (s->rs[r->op[k]].base != b->op[k] || !row_form(s->q, SIDE_DIST, r->op[k], &l, &x) || bound_axes(&s->q->ms, &l))
			return NULL;
	return arena_printf(out, "%s: a window that reaches over the edge of a shard takes padding there, and not the places next to it that another "
			    "device holds", named_operand(s, r->op[0], out));
}

/* Shards that are handed to other devices, which nothing the baseline has fits. */
const char *fault_handed_shards(const states *s, int row, arena *out)
{
	const struct row *r = row_at(s, row);
	const attr *pairs = inst_attr(r->inst, "source_target_pairs");
	int k;

	if (!pairs || pairs->kind != ATTR_PAIRS || s->rs[r->op[0]].kind != STATE_RELATED || !row_axes(s, r->op[0]))
		return NULL;
	for (k = 0; k < pairs->n && pairs->ints[2 * k] == pairs->ints[2 * k + 1]; k++)
		;
	return k < pairs->n ? arena_printf(out, "it gives device %lld the part that device %lld has of %s, which is %s: what is made of it is not what the baseline makes",
					   (long long)pairs->ints[2 * k + 1], (long long)pairs->ints[2 * k], value_name(s, r->op[0], out),
					   state_relation(s, r->op[0], out)) : NULL;
}

/* Devices that no pair of a permute sends to hold zeros. */
const char *fault_without_source(const states *s, int row, arena *out)
{
	const struct row *r = row_at(s, row);
	int64_t ndev = s->q->ms.ndev, *alone = ARENA_ARRAY(out, int64_t, ndev), d, n = 0;
	const attr *pairs = inst_attr(r->inst, "source_target_pairs");
	int k;

	if (!pairs || pairs->kind != ATTR_PAIRS)
		return NULL;
	for (d = 0; d < ndev; d++) {
		for (k = 0; k < pairs->n && pairs->ints[2 * k + 1] != d; k++)
			;
		if (k == pairs->n)
			alone[n++] = d;
	}
	return n ? arena_printf(out, "no pair sends anything to device%s %s, which %s zeros: %s", n > 1 ? "s" : "", describe_runs(out, n, alone),
				n > 1 ? "get" : "gets", pairs->text ? pairs->text : "") : NULL;
}
