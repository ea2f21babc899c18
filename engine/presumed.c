#include "presumed.h"

#include <string.h>
#include "collective.h"
#include "state_in.h"

enum { STEPS = 16 };	/* from a mean to the sum that came too late */

bool presumed_mean(const states *s, int row)
{
	const struct answer *w = &s->answer[row];

	return s->rs[row].kind == STATE_SCALED && w->scaled_axes && w->scaled_base >= 0 && rat_eq(w->scale, s->rs[row].scale) &&
	       rat_is_int(w->scale, axes_size(&s->q->ms, w->scaled_axes));
}

static bool is_function(enum opcode op)
{
	return opcode_class(op) == 'u' && op != OP_NEGATE && op != OP_CONVERT && op != OP_REAL && op != OP_IMAG && op != OP_BITCAST_CONVERT;
}

static bool packs(enum opcode op)
{
	return op == OP_PAD || op == OP_CONCATENATE;
}

static bool moves(enum opcode op)
{
	return packs(op) || op == OP_RESHAPE || op == OP_TRANSPOSE || op == OP_BITCAST || op == OP_COPY || op == OP_SLICE || op == OP_OPT_BARRIER ||
	       op == OP_ALL_REDUCE || op == OP_ALL_REDUCE_START || op == OP_ALL_REDUCE_DONE || op == OP_REDUCE_SCATTER ||
	       op == OP_ALL_GATHER || op == OP_ALL_GATHER_START || op == OP_ALL_GATHER_DONE;
}

/* Is a verified row cut out of it, behind rows that only move it? */
static bool taken_apart(const states *s, int row, const bool *found)
{
	const struct side *d = &s->side[SIDE_DIST];
	int k;

	for (k = d->use_at[row]; k < d->use_at[row + 1]; k++) {
		const row_state *u = &s->rs[d->use[k]];
		enum opcode op = d->p->row[d->use[k]].inst->opcode;
		if (found[d->use[k]] || (u->verified && !u->constant && op == OP_SLICE))
			return true;
	}
	return false;
}

/* Is a sum over these axes taken of what comes of it? */
static bool summed_later(const states *s, int row, uint32_t axes)
{
	const struct side *d = &s->side[SIDE_DIST];
	int steps, k;

	for (steps = 0; steps < STEPS && d->use_at[row] < d->use_at[row + 1]; steps++) {
		for (k = d->use_at[row]; k < d->use_at[row + 1]; k++) {
			const struct row *u = &d->p->row[d->use[k]];
			if (collective_grouped(u) && !strcmp(u->name, "add") && (collective_axes(&s->q->ms, u) & axes) == axes)
				return true;
		}
		row = d->use[d->use_at[row]];
	}
	return false;
}

static bool all_functions(const states *s, int row, const bool *mean)
{
	const struct side *d = &s->side[SIDE_DIST];
	int k, n = 0;

	for (k = d->use_at[row]; k < d->use_at[row + 1]; k++) {
		if (s->rs[d->use[k]].verified)
			continue;
		if (!mean[d->use[k]] && (s->rs[d->use[k]].kind != STATE_NONE || !is_function(d->p->row[d->use[k]].inst->opcode)))
			return false;
		n++;
	}
	return n > 0;
}

/* From the packs on: what is packed stays so until it is taken apart. */
static void keep_packed(const states *s, bool *apart)
{
	const program *p = s->q->dist;
	int i, k;

	for (i = 0; i < p->nrow; i++) {
		bool packed = packs(p->row[i].inst->opcode);
		for (k = 0; k < p->row[i].nop && !packed; k++)
			packed = apart[p->row[i].op[k]];
		apart[i] = apart[i] && packed;
	}
}

bool *presumed_rows(const states *s, arena *out)
{
	const program *p = s->q->dist;
	bool *apart = arena_zalloc(out, (size_t)p->nrow + 1), *mean = arena_zalloc(out, (size_t)p->nrow + 1);
	int i;

	for (i = p->nrow - 1; i >= 0; i--) {
		apart[i] = s->rs[i].kind == STATE_NONE && moves(p->row[i].inst->opcode) && taken_apart(s, i, apart);
		mean[i] = presumed_mean(s, i) && all_functions(s, i, mean) && summed_later(s, i, s->answer[i].scaled_axes);
	}
	keep_packed(s, apart);
	for (i = 0; i < p->nrow; i++)
		apart[i] = apart[i] || mean[i];
	return apart;
}
