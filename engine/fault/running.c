#include "fault/running.h"

#include <stdio.h>
#include <string.h>
#include "relation/describe.h"
#include "relation/layout_text.h"
#include "relation/state_in.h"

enum { STEPS = 4, CANDIDATES = 8 };

/* Does the baseline do the same, with a longer window, to all of what the devices have shared out? */
static bool runs_over_part(const states *s, int row)
{
	const struct row *r = row_at(s, row);
	int base[CANDIDATES], n, k;

	if (r->inst->opcode != OP_REDUCE_WINDOW || strcmp(r->name, "add") || s->rs[row].kind != STATE_NONE || s->rs[r->op[0]].kind != STATE_RELATED ||
	    !row_axes(s, r->op[0]))
		return false;
	n = counterpart_users(s, row, base, CANDIDATES);
	for (k = 0; k < n; k++) {
		const struct row *b = &s->q->base->row[base[k]];
		const attr *v = inst_attr(r->inst, "window"), *w = inst_attr(b->inst, "window");
		if (b->inst->opcode == OP_REDUCE_WINDOW && v && w && v->text && w->text && strcmp(v->text, w->text))
			return true;
	}
	return false;
}

int running_part(const states *s, int row)
{
	int left;

	for (left = STEPS; left; left--, row = row_at(s, row)->op[0]) {
		if (runs_over_part(s, row))
			return row;
		if (row_at(s, row)->nop != 1 || !state_relabels(row_at(s, row)->inst->opcode))
			break;
	}
	return -1;
}

int running_added(const states *s, int row)
{
	const struct side *d = &s->side[SIDE_DIST];
	int left, k;

	for (left = STEPS; left && d->use_at[row] < d->use_at[row + 1]; left--) {
		for (k = d->use_at[row]; k < d->use_at[row + 1]; k++)
			if (row_at(s, d->use[k])->inst->opcode == OP_ADD)
				return d->use[k];
		row = d->use[d->use_at[row]];
		if (!state_relabels(row_at(s, row)->inst->opcode))
			break;
	}
	return -1;
}

/* Padding stands on the side from which a window comes: "before", "behind". */
static const char *side_word(const struct row *r)
{
	const attr *w = inst_attr(r->inst, "window");
	const char *p = w && w->text ? strstr(w->text, "pad=") : NULL;
	int low, high;

	for (p = p ? p + strlen("pad=") : NULL; p && sscanf(p, "%d_%d", &low, &high) == 2; p = strchr(p, 'x') ? strchr(p, 'x') + 1 : NULL)
		if (high > 0)
			return "behind";
	return "before";
}

const char *running_fault(const states *s, int row, arena *out)
{
	const struct row *r = row_at(s, row), *x;
	int k, part = running_part(s, row), other = -1;
	const char *own;

	for (k = 0; part < 0 && r->inst->opcode == OP_ADD && k < 2; k++)
		if ((part = running_part(s, r->op[k])) >= 0)
			other = r->op[1 - k];
	if (part < 0)
		return NULL;
	x = row_at(s, part);
	own = arena_printf(out, "each device's own part of %%%s over %s", s->q->base->row[s->rs[x->op[0]].base].path,
			   axes_text(&s->q->ms, row_axes(s, x->op[0]), out));
	if (other < 0)
		return arena_printf(out, "it adds up %s, place by place, and what the parts %s it come to is added nowhere", own, side_word(x));
	return arena_printf(out, "it adds %%%s to %%%s, which adds up %s, place by place: what the parts %s it come to is due, and it is %s", row_at(s, other)->path,
			    x->path, own, side_word(x), describe_core(s, s->side[SIDE_DIST].core[other], out));
}
