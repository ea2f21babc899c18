#include "fault/fault_in.h"

#include <string.h>
#include "fault/factor.h"
#include "pair/carry.h"
#include "relation/presumed.h"

static char *factor_text(rat c, arena *out)
{
	char t[64];

	rat_short(t, sizeof t, c);
	return arena_strdup(out, t);
}

static int scaled_operand(const states *s, int row)
{
	const struct row *r = row_at(s, row);
	int k;

	for (k = 0; k < r->nop; k++)
		if (s->rs[r->op[k]].kind == STATE_SCALED)
			return r->op[k];
	return -1;
}

static bool others_constant(const states *s, int row, int but)
{
	const struct row *r = row_at(s, row);
	int k;

	for (k = 0; k < r->nop; k++)
		if (r->op[k] != but && !s->rs[r->op[k]].constant)
			return false;
	return true;
}

static const char *does_by(const struct row *r, rat c, arena *out)
{
	return arena_printf(out, "%s by %s", r->inst->opcode == OP_DIVIDE ? "divides" : "multiplies", factor_text(c, out));
}

/* The number that a value is multiplied by next, through rows that only move it; 1 where there is none. */
static rat factor_after(const states *s, int row)
{
	const struct side *d = &s->side[SIDE_DIST];
	rat c, one;
	int steps;

	for (steps = 0; steps < 8 && d->use_at[row] < d->use_at[row + 1]; steps++) {
		row = d->use[d->use_at[row]];
		if (state_number(s, SIDE_DIST, row, &c))
			return row_at(s, row)->inst->opcode == OP_MULTIPLY ? c : rat_div(&one, RAT_ONE, c) ? one : RAT_ONE;
		if (!state_relabels(row_at(s, row)->inst->opcode))
			break;
	}
	return RAT_ONE;
}

/* What every device divides by its own number is added up, and not divided by the number of devices. */
static const char *undivided(const states *s, int row, arena *out)
{
	rat f = s->rs[row].scale, after;
	int by = row_reduced_by(s, row);
	uint32_t axes = by < 0 ? 0 : axes_over(s, by);

	if (!axes || !(row_axes(s, row) & axes) || !rat_is_int(f, axes_size(&s->q->ms, axes)))
		return "";
	after = factor_after(s, by);
	if (after.num == 1 && after.den == f.num)
		return "";
	return arena_printf(out, "; %%%s adds up over %s what every device divides by its own: a factor of 1/%lld is due after it", dist_name(s, by),
			    axes_of(s, axes, out), (long long)f.num);
}

/* What a row multiplies a value by, and the baseline row that this is or -1; false: it does not multiply one by a number. */
static bool multiplier(const states *s, int row, rat *c, int *of)
{
	const struct row *r = row_at(s, row);
	int k;

	if (!state_number(s, SIDE_DIST, row, c) || (r->inst->opcode == OP_DIVIDE && !rat_div(c, RAT_ONE, *c)))
		return false;
	for (k = 0, *of = -1; k < r->nop; k++)
		if (s->rs[r->op[k]].kind == STATE_RELATED && !s->rs[r->op[k]].constant)
			*of = s->rs[r->op[k]].base;
	return true;
}

/* Another number than the baseline's in its own row, or in several: what they come to. */
static const char *other_number(const states *s, int row, const char *is, arena *out)
{
	int base = s->rs[row].base;
	const struct row *y = base < 0 ? NULL : pair_row(s->q, SIDE_BASE, base);
	rat c, b, m, x;
	int of;

	if (!y || !multiplier(s, row, &m, &of) || !rat_div(&x, m, s->rs[row].scale))
		return NULL;
	if (!state_number(s, SIDE_BASE, base, &b) || !(y->inst->opcode != OP_DIVIDE || rat_div(&b, RAT_ONE, b)) || !rat_eq(x, b))
		return of >= 0 && !same_value(s, base, of) ? arena_printf(out, "%s: it multiplies %%%s by %s, the baseline by %s in %%%s", is,
				base_name(s, of), factor_text(m, out), factor_text(x, out), base_name(s, base)) : NULL;
	state_number(s, SIDE_DIST, row, &c);
	state_number(s, SIDE_BASE, base, &b);
	return arena_printf(out, "%s: it %s, %%%s of the baseline %s", is, does_by(row_at(s, row), c, out), base_name(s, base), does_by(y, b, out));
}

/* .. and what is left out of a sum over devices. */
static const char *other_number_here(const states *s, int row, const char *is, arena *out)
{
	const char *t = other_number(s, row, is, out);

	return t ? arena_printf(out, "%s%s", t, undivided(s, row, out)) : NULL;
}

/* A sum over devices of what each of them has divided by its own number, where the number of devices is left out. */
static const char *undivided_sum(const states *s, int row, const char *is, arena *out)
{
	const char *over, *what;
	int sole;

	if (factor_added_up(s, row, &sole) != row)
		return NULL;
	over = axes_of(s, axes_over(s, row), out);
	what = other_number(s, sole, arena_printf(out, "%%%s", dist_name(s, sole)), out);
	return arena_printf(out, "%s: it adds up over %s what every device has for itself: %s; a factor of 1/%lld is due after it", is, over,
			    what ? what : arena_printf(out, "%%%s is %s", dist_name(s, sole), state_relation(s, sole, out)), (long long)s->rs[row].scale.num);
}

/* A number beside the baseline's, which comes next. */
static const char *extra_step(const states *s, int row, arena *out)
{
	const struct side *d = &s->side[SIDE_DIST];
	const struct row *r = row_at(s, row);
	rat c, u, b;
	int k, next;

	if (d->use_at[row + 1] != d->use_at[row] + 1 || !state_number(s, SIDE_DIST, row, &c))
		return NULL;
	next = d->use[d->use_at[row]];
	if (s->rs[next].kind != STATE_SCALED || s->rs[next].base != s->rs[row].base || !state_number(s, SIDE_DIST, next, &u) ||
	    !state_number(s, SIDE_BASE, s->rs[row].base, &b) || !rat_eq(u, b))
		return NULL;
	for (k = 0; k < r->nop; k++)
		if (s->rs[r->op[k]].verified && !s->rs[r->op[k]].constant)
			return arena_printf(out, "it %s: %%%s is %s, and %%%s does what %%%s of the baseline does: a factor too many", does_by(r, c, out),
					    dist_name(s, r->op[k]), fault_operand(s, r->op[k], out), dist_name(s, next), base_name(s, s->rs[row].base));
	return NULL;
}

/* The device's own mean that a multiple comes of by numbers, and that is averaged for something else; -1. */
static int averaged_elsewhere(const states *s, int row)
{
	const struct row *r = row_at(s, row);
	int k = 0;

	for (; presumed_mean(s, row) && k < r->nop; r = row_at(s, row)) {
		if (presumed_averaged(s, row))
			return row;
		for (k = 0; k < r->nop && !presumed_mean(s, r->op[k]); k++)
			;
		row = k < r->nop ? r->op[k] : row;
	}
	return -1;
}

static const char *own_mean(const states *s, int row, const char *is, arena *out)
{
	int mean = averaged_elsewhere(s, row), by = mean < 0 ? -1 : row_reduced_by(s, mean);

	return by < 0 || mean == row ? NULL :
	       arena_printf(out, "%s: it is made of each device's own mean, %%%s, that %%%s adds up for something else: the mean over %s is missing", is,
			    dist_name(s, mean), dist_name(s, by), axes_of(s, s->answer[row].scaled_axes, out));
}

/* The mean of a group of devices, where the mean over the groups is missing. */
static const char *group_mean(const states *s, int row, const char *is, arena *out)
{
	int from = row, left = 8;

	if (!presumed_mean(s, row))
		return NULL;
	while (left-- && (from = scaled_operand(s, from)) >= 0)
		if (collective_grouped(row_at(s, from)) && !strcmp(row_at(s, from)->name, "add"))
			return arena_printf(out, "%s: %%%s adds over %s only, the mean over %s is missing", is, dist_name(s, from),
					    collective_over(&s->q->ms, row_at(s, from), out), axes_of(s, s->answer[row].scaled_axes, out));
	return NULL;
}

/* It does to one baseline value what the baseline does to another, and to that one nothing here does. */
static const char *scales_another(const states *s, int row, const char *is, arena *out)
{
	const struct row *r = row_at(s, row);
	int b = carry_elementwise(row_at(s, row)) ? counterpart_alike(s, row) : -1;
	rat c, d;
	bool numbers = b >= 0 && state_number(s, SIDE_DIST, row, &c);
	const char *t;

	if (numbers && r->nop == 2 && same_value(s, s->q->base->row[b].op[0], s->rs[r->op[0]].base) && !state_number(s, SIDE_BASE, b, &d))
		return arena_printf(out, "%s: it %s, %%%s of the baseline by %%%s", is, does_by(r, c, out), base_name(s, b),
				    base_name(s, s->q->base->row[b].op[1]));
	if (b < 0 || (r->nop > 1 && (!numbers || !state_number(s, SIDE_BASE, b, &d) || !rat_eq(c, d))) || !(t = other_operand(s, row, b, out)))
		return NULL;
	return arena_printf(out, "%s: it %s", is, t);
}

/* A number that does not make up for the factor of what it is taken with. */
static const char *not_made_up(const states *s, int row, int o, const char *is, arena *out)
{
	bool divides = row_at(s, row)->inst->opcode == OP_DIVIDE;
	rat f, due;

	if (s->rs[o].base != s->rs[row].base)
		return state_number(s, SIDE_DIST, row, &f) && (divides ? rat_mul(&due, f, s->rs[row].scale) : rat_div(&due, f, s->rs[row].scale)) ?
		       arena_printf(out, "%s: it %s %%%s, which is %s, by %s, and not by %s", is, divides ? "divides" : "multiplies", dist_name(s, o),
				    state_relation(s, o, out), factor_text(f, out), factor_text(due, out)) : NULL;
	return rat_div(&f, s->rs[row].scale, s->rs[o].scale) && rat_div(&due, RAT_ONE, s->rs[o].scale) ?
	       arena_printf(out, "%s: %%%s is %s x the baseline's, a factor of %s would make up for it, %s does not", is, dist_name(s, o),
			    factor_text(s->rs[o].scale, out), factor_text(due, out), factor_text(f, out)) : NULL;
}

enum { NUMBERS = 4, ROWS_BEHIND = 16 };

/* Where a value is multiplied by several numbers on its way: all of them, the last first; NULL: there are no two. */
static const char *numbers_together(const states *s, int row, const char *is, arena *out)
{
	const char *t = "";
	int left = ROWS_BEHIND, n = 0, base = s->rs[row].base;
	rat c;

	for (; row >= 0 && left && n < NUMBERS; left--) {
		const struct row *r = row_at(s, row);
		if (state_number(s, SIDE_DIST, row, &c))
			t = arena_printf(out, "%s%s%%%s %s", t, n++ ? ", " : "", dist_name(s, row), does_by(r, c, out));
		else if (!row_moves(r) && !collective_grouped(r))
			break;
		row = s->rs[r->op[0]].constant ? r->nop > 1 ? r->op[1] : -1 : r->op[0];
	}
	if (n < 2)
		return NULL;
	if (state_number(s, SIDE_BASE, base, &c))
		t = arena_printf(out, "%s; %%%s of the baseline %s", t, base_name(s, base), does_by(pair_row(s->q, SIDE_BASE, base), c, out));
	return arena_printf(out, "%s: %s: a factor too many", is, t);
}

/* Nothing else is known of it than its factor. */
static const char *too_many(const states *s, int row, const char *is, arena *out)
{
	const struct answer *w = &s->answer[row];
	const char *t;
	rat f;

	if (presumed_mean(s, row))
		return arena_printf(out, "%s: %%%s of the baseline is the mean of what the devices of %s have here, and that mean is missing", is,
				    base_name(s, s->rs[row].base), axes_of(s, w->scaled_axes, out));
	if (w->asked && w->scaled_axes && w->scaled_base >= 0 && rat_eq(w->scale, s->rs[row].scale) &&
	    rat_div(&f, w->scale, (rat){ axes_size(&s->q->ms, w->scaled_axes), 1 }) && f.den == 1)
		return arena_printf(out, "%s: a factor of %s too many, or of %s for each device's own mean", is, factor_text(w->scale, out), factor_text(f, out));
	return (t = numbers_together(s, row, is, out)) ? t : arena_printf(out, "%s: a factor too many", is);
}

const char *fault_scaled(const states *s, const frontier_entry *e, const frontier_candidate *near, arena *out)
{
	int row = e->row, o = scaled_operand(s, row);
	const char *is = arena_printf(out, "it is %s", state_relation(s, row, out)), *t;
	rat f;

	if ((t = fault_counted_often(s, row, out)))
		return arena_printf(out, "%s: %s", is, t);
	if ((t = undivided_sum(s, row, is, out)) || (t = own_mean(s, row, is, out)) || (t = extra_step(s, row, out)) || (t = group_mean(s, row, is, out)))
		return t;
	/* parts that are added up later may be multiplied by a number: it is another one */
	if (((presumed_mean(s, row) && *undivided(s, row, out)) || row_reduced_by(s, row) >= 0) && (t = other_number_here(s, row, is, out)))
		return t;
	if ((t = fault_misplaced_block(s, row, out)) || (t = fault_parts(s, e, near, out)))
		return arena_printf(out, "%s: %s", is, t);
	if (o >= 0 && presumed_mean(s, o) && row_reduced_by(s, row) >= 0 && state_number(s, SIDE_DIST, row, &f))
		return arena_printf(out, "%s: %%%s is each device's own mean, for the mean over %s, and this %s: a factor too many", is, dist_name(s, o),
				    axes_of(s, s->answer[o].scaled_axes, out), does_by(row_at(s, row), f, out));
	if (o >= 0 && carry_elementwise(row_at(s, row)) && others_constant(s, row, o) && (t = not_made_up(s, row, o, is, out)))
		return t;
	if ((t = other_number_here(s, row, is, out)) || (t = scales_another(s, row, is, out)))
		return t;
	return too_many(s, row, is, out);
}
