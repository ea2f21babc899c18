#include "fault/blame.h"

#include "fault/fault.h"
#include "fault/pads.h"
#include "fault/stage.h"
#include "relation/state_in.h"

/* Is an entry of a size that a baseline row has that it may be, or made of what was presumed? */
static bool of_whole_size(const struct blame *w, const frontier_entry *e)
{
	const states *s = w->s;
	const struct row *r = &s->q->dist->row[e->row];
	int k;

	for (k = 0; k < r->nop; k++)
		if (w->presumed[r->op[k]])
			return true;
	for (k = 0; k < e->nbase && row_elements(&s->q->base->row[e->base[k]]) != row_elements(&s->q->dist->row[e->row]); k++)
		;
	return k < e->nbase;
}

/* A part of a baseline value that is written to its place in it, beside what is there already, is right so far. */
static bool is_step_right(const struct blame *w, int row)
{
	const struct row *r = &w->s->q->dist->row[row];

	return r->inst->opcode == OP_DYNAMIC_UPDATE_SLICE && (w->s->rs[r->op[0]].constant || w->presumed[r->op[0]]) && fault_written_rightly(w->s, row, w->out);
}

/* Is it an output, or only moved and copied to one? */
static bool given_out(const states *s, int row)
{
	while (row >= 0 && !blame_goal(s->q, row))
		row = state_moved_to(s, row);
	return row >= 0;
}

bool blame_takes_staged(const struct blame *w, int row)
{
	const struct row *r = &w->s->q->dist->row[row];
	int k;

	for (k = 0; k < r->nop; k++)
		if (w->staged[r->op[k]])
			return true;
	return false;
}

/* Is an unverified row the baseline's on some device, or a part of it in a pipeline?  Then it is presumed. */
static bool presume_stage(const struct blame *w, int row, int *left)
{
	bool staged = blame_takes_staged(w, row) || stage_chooses(w->s, row, w->out);
	int64_t dev;

	--*left;
	if (staged && stage_chosen_amiss(w->s, row, w->out))
		return false;
	w->presumed[row] = stage_partner(w->s, row, &dev) >= 0 || (staged && stage_part(w->s, row, &dev) >= 0);
	w->staged[row] = staged && w->presumed[row];
	return w->presumed[row];
}

/* What is made of a row that was presumed, of rows that are verified or presumed alone, and is the baseline's on some device, too. */
static void presume_made_of(const struct blame *w, int row, int *left)
{
	const struct side *d = &w->s->side[SIDE_DIST];
	int k, u;

	for (k = d->use_at[row]; k < d->use_at[row + 1] && *left > 0; k++) {
		u = d->use[k];
		if (w->live[u] && !w->presumed[u] && !w->s->rs[u].verified && !w->s->rs[u].index && !row_scaled(w->s, u) && blame_settled(w, u) &&
		    !given_out(w->s, u) && presume_stage(w, u, left))
			presume_made_of(w, u, left);
	}
}

/* Entries that are the baseline's on some device, or in part: presumed, but for outputs.  Is there one?  No more than `left` are asked. */
bool blame_presume_stages(const struct blame *w, int *left)
{
	bool any = false;
	int k;

	for (k = 0; k < w->n && *left > 0; k++) {
		const frontier_entry *e = &w->e[k];
		if (e->kind < FRONTIER_DIFFERS || e->stray || given_out(w->s, e->row))
			continue;
		if (is_step_right(w, e->row) || pads_carried(w->s, e->row))
			any = w->presumed[e->row] = true;
		else if ((of_whole_size(w, e) || stage_chooses(w->s, e->row, w->out)) && presume_stage(w, e->row, left)) {
			any = true;
			presume_made_of(w, e->row, left);
		}
	}
	return any;
}
