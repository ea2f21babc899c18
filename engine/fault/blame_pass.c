#include "fault/blame.h"

#include "fault/accumulated.h"
#include "fault/gathered.h"
#include "fault/ring.h"
#include "fault/running.h"
#include "fault/seam.h"
#include "fault/stage.h"
#include "fault/stray.h"
#include "relation/lookup.h"
#include "relation/shift.h"
#include "relation/state_in.h"

/* Instead of where it shows, an entry is told at a row, once. */
static void tell_at(struct blame *w, frontier_entry *e, int row)
{
	e->row = blame_entered(w, row) ? -1 : row;
	e->kind = FRONTIER_ALONE;
	e->nbase = 0;
}

/* ---- index arithmetic that the baseline does too, up to a row */

/* A place that each device counts for itself, looked up in what the devices have shared out, or written there: that is right as such. */
static bool is_place_in_shard(const states *s, int row, int index)
{
	const struct row *r = &s->q->dist->row[row];
	enum opcode op = r->inst->opcode;

	return (op == OP_GATHER || op == OP_SCATTER || op == OP_DYNAMIC_SLICE || op == OP_DYNAMIC_UPDATE_SLICE) &&
	       row_axes(s, index);
}

void blame_strays(struct blame *w)
{
	int k, d = -1, b = -1, *base;

	for (k = 0; k < w->n; k++) {
		frontier_entry *e = &w->e[k];
		if (e->row < 0 || e->kind != FRONTIER_DIFFERS || lookup_of_whole(w->s, e->row) || !stray_index(w->s, e->row, e->base[0], &d, &b) || is_place_in_shard(w->s, e->row, d))
			continue;
		if (blame_entered(w, d)) {
			e->row = -1;
			continue;
		}
		base = ARENA_ARRAY(w->out, int, 1);
		*base = b;
		*e = (frontier_entry){ .row = d, .kind = FRONTIER_DIFFERS, .fed = -1, .stray = true, .nbase = 1, .base = base };
	}
}

/* ---- pieces that do not fit */

enum { SEAMS = 32, CHUNKS = 64, SUMS = 64 };	/* pieces that are looked at */

/* A piece alone is what some device has; what puts it beside others that do not fit is told instead, once. */
void blame_seams(struct blame *w)
{
	int k, row, left = SEAMS;

	for (k = 0; k < w->n && left; k++) {
		frontier_entry *e = &w->e[k];
		if (e->row < 0 || e->kind < FRONTIER_DIFFERS || (row = seam_behind(w->s, e->row)) < 0)
			continue;
		left--;
		if (!seam_fault(w->s, row, w->out))
			continue;
		tell_at(w, e, row);
	}
}

/* ---- rings */

/* Slices of parts that are handed on are right as such: what comes together of them is told, once. */
void blame_rings(struct blame *w)
{
	int k, row;

	for (k = 0; k < w->n; k++) {
		frontier_entry *e = &w->e[k];
		if (e->row < 0 || e->kind < FRONTIER_DIFFERS || (row = ring_end(w->s, e->row)) < 0 || !(blame_entered(w, row) || ring_fault(w->s, row, w->out)))
			continue;
		tell_at(w, e, row);
	}
}

/* ---- running sums */

/* Is a row made of another, by unverified rows? */
static bool comes_of(const states *s, int row, int of, arena *tmp)
{
	const struct side *d = &s->side[SIDE_DIST];
	bool *hit = arena_zalloc(tmp, (size_t)(row - of) + 1);
	int i, k;

	hit[0] = true;
	for (i = of; i < row && !hit[row - of]; i++)
		for (k = d->use_at[i]; hit[i - of] && k < d->use_at[i + 1]; k++)
			if (d->use[k] <= row && !s->rs[d->use[k]].verified)
				hit[d->use[k] - of] = true;
	return hit[row - of];
}

/* Own running sums are right as such where something is added to them: there it is told, with what this is made of. */
void blame_running(struct blame *w)
{
	int k, i, row;

	for (k = 0; k < w->n; k++) {
		frontier_entry *e = &w->e[k];
		if (e->row < 0 || e->kind < FRONTIER_DIFFERS || running_part(w->s, e->row) < 0 || (row = running_added(w->s, e->row)) < 0 ||
		    w->s->rs[row].verified || blame_entered(w, row))
			continue;
		for (i = 0; i < w->n; i++)
			if (i != k && w->e[i].row >= 0 && w->e[i].kind >= FRONTIER_DIFFERS && w->e[i].row < row && comes_of(w->s, row, w->e[i].row, w->out))
				w->e[i].row = -1;
		tell_at(w, e, row);
	}
}

/* ---- chunks of a sum */

/* A chunk is right as such where it is added to others: that is told where they do not count alike, once. */
void blame_uneven_chunks(struct blame *w)
{
	int k, row, left = CHUNKS;

	for (k = 0; k < w->n && left; k++) {
		frontier_entry *e = &w->e[k];
		if (e->row < 0 || e->kind < FRONTIER_DIFFERS || (row = accumulated_unevenly(w->s, e->row)) < 0)
			continue;
		left--;
		tell_at(w, e, row);
	}
}

/* ---- parts that are gathered and not added up there */

/* A block of a baseline value, the rest of which no row makes. */
static bool is_lone_block(const states *s, int row)
{
	return s->answer[row].asked && s->answer[row].kind == STATE_BLOCK && !s->answer[row].covered && !s->rs[row].verified;
}

/* A gather of parts is right as such: told is what each device takes of them, and not the block of its own beside it. */
void blame_shares(struct blame *w)
{
	int k, i, row;

	for (k = 0; k < w->n; k++) {
		frontier_entry *e = &w->e[k];
		if (e->row < 0 || e->kind < FRONTIER_DIFFERS || !gathered_parts(w->s, e->row) || (row = gathered_amiss(w->s, e->row, w->out)) < 0)
			continue;
		for (i = 0; i < w->n; i++)
			if (i != k && w->e[i].row >= 0 && w->e[i].kind >= FRONTIER_DIFFERS && is_lone_block(w->s, w->e[i].row))
				w->e[i].row = -1;
		tell_at(w, e, row);
	}
}

/* ---- what is rescaled from one maximum to another */

/* Where that is done the wrong way round is told, once, and not where it shows. */
void blame_corrections(struct blame *w)
{
	int k, row, left = SUMS;

	for (k = 0; k < w->n && left; k++) {
		frontier_entry *e = &w->e[k];
		if (e->row < 0 || e->kind < FRONTIER_DIFFERS)
			continue;
		left--;
		if ((row = shift_reversed(w->s, e->row, w->out)) >= 0)
			tell_at(w, e, row);
	}
}

/* ---- stages */

/* What is made of what the stages of a pipeline have is told where a device chose amiss, once. */
void blame_choices(struct blame *w)
{
	int k, row;

	for (k = 0; k < w->n; k++) {
		frontier_entry *e = &w->e[k];
		if (e->row < 0 || e->kind < FRONTIER_DIFFERS || !blame_takes_staged(w, e->row) || (row = stage_choice_behind(w->s, e->row, w->out)) < 0)
			continue;
		tell_at(w, e, row);
	}
}

/* ---- what takes parts of one sum */

/* The operand that is a part of a sum, -1: none, or several. */
static int one_part(const states *s, int row)
{
	const struct row *r = &s->q->dist->row[row];
	int k, o = -1;

	for (k = 0; k < r->nop; k++)
		if (s->rs[r->op[k]].kind == STATE_PARTIAL) {
			if (o >= 0 && o != r->op[k])
				return -1;
			o = r->op[k];
		}
	return o;
}

/* Where the parts of a sum that an entry takes come from, through what takes nothing else that is one place by place; -1. */
static int parts_taken(const states *s, int row)
{
	const struct row *r = &s->q->dist->row[row];
	int o = opcode_class(r->inst->opcode) == 'c' ? -1 : one_part(s, row), from;

	for (; o >= 0; o = from) {
		r = &s->q->dist->row[o];
		char class = opcode_class(r->inst->opcode);
		if (r->param >= 0 || (!row_moves(r) && class != 'b' && class != 'u') || (from = one_part(s, o)) < 0)
			break;
	}
	return o;
}

/* One all-reduce is missing for all that take it: the first is told, with the others. */
void blame_parts(struct blame *w)
{
	int k, i, o;

	for (k = 0; k < w->n; k++) {
		frontier_entry *e = &w->e[k];
		if (e->row < 0 || e->kind < FRONTIER_DIFFERS || (o = parts_taken(w->s, e->row)) < 0)
			continue;
		for (i = 0; i < w->n; i++) {
			frontier_entry *f = &w->e[i];
			if (i == k || f->row < e->row || f->kind < FRONTIER_DIFFERS || parts_taken(w->s, f->row) != o)
				continue;
			if (!e->more)
				e->more = ARENA_ARRAY(w->out, int, w->n);
			e->more[e->nmore++] = f->row;
			f->row = -1;
		}
	}
}
