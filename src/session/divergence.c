#include "session/divergence.h"

#include <math.h>
#include <stdlib.h>
#include "session/session_in.h"

enum verdict { GOOD, BAD, BLANK };

struct walk {
	struct session *s;
	const struct values *reals, *declared;	/* declared: NULL where only the reals matter */
};

/* ---- what corresponds */

static bool proved(struct session *s, int row)
{
	const row_state *st = state_of(session_states(s), row);

	return st->verified && !st->tainted && st->kind != STATE_OPEN;
}

/* A multiple may look like parts of a sum.  Index arithmetic without counterpart is not blamed, but what it feeds. */
static enum verdict over_reals(const struct walk *w, int row)
{
	const row_state *st = state_of(session_states(w->s), row);
	const char *chain;

	if (!w->s->p->dist->row[row].nop || proved(w->s, row))
		return GOOD;
	if (st->kind == STATE_SCALED)
		return BAD;
	if (values_like(w->reals, row, &chain) >= 0)
		return GOOD;
	return values_telling(w->reals, row) && !st->index ? BAD : BLANK;
}

/* The smallest step of a type beside one. */
static double step_of(enum etype t)
{
	double x = 0, e;

	if (!etype_is_float(t))
		return 0;
	for (e = 0x1p-52; e < 1 && !(x > 1); e *= 2) {
		x = 1 + e;
		interp_round(t, 1, &x);
	}
	return e / 2;
}

/* Each program is off the reals by its own rounding; that of the better one times a generous factor, and some last places
 * of the finer type, is what other orders of rounding explain. */
double divergence_allowed(const struct values *reals, const struct values *declared, int base, int dist)
{
	const tensor *b = values_of(reals, SIDE_BASE, base, 0), *d = values_of(reals, SIDE_DIST, dist, 0);
	double of_base = values_change(reals, declared, SIDE_BASE, base), of_dist = values_change(reals, declared, SIDE_DIST, dist);

	if (!b || !d || of_base != of_base || of_dist != of_dist)
		return NAN;
	return 16 * fmin(of_base, of_dist) + 2 * fmin(step_of(b->shape->type), step_of(d->shape->type));
}

static enum verdict as_declared(const struct walk *w, int row)
{
	const char *chain;
	int base = values_like(w->reals, row, &chain);
	double e;

	if (!w->s->p->dist->row[row].nop)
		return GOOD;
	if (base < 0)
		return BLANK;
	e = values_apart(w->reals, row, w->declared, w->declared);
	return e > divergence_allowed(w->reals, w->declared, base, row) ? BAD : GOOD;
}

/* ---- walking back */

/* Operands come before what reads them: one pass from the last row to the first. */
static int first_bad(const struct walk *w, int from)
{
	const program *p = w->s->p->dist;
	bool *reached = calloc((size_t)from + 1, sizeof *reached);
	int row, k, found = -1;

	if (!reached)
		die_hook("out of memory");
	reached[from] = true;
	for (row = from; row >= 0; row--) {
		enum verdict v = !reached[row] ? GOOD : w->declared ? as_declared(w, row) : over_reals(w, row);

		if (v == BAD)
			found = row;
		for (k = 0; v != GOOD && k < p->row[row].nop; k++)
			reached[p->row[row].op[k]] = true;
	}
	free(reached);
	return found;
}

int divergence_reals(struct session *s, const struct values *v, int from, bool *corresponds)
{
	struct walk w = { .s = s, .reals = v };

	*corresponds = over_reals(&w, from) == GOOD;
	return *corresponds ? from : first_bad(&w, from);
}

int divergence_declared(struct session *s, const struct values *reals, const struct values *declared, int from)
{
	struct walk w = { .s = s, .reals = reals, .declared = declared };

	return first_bad(&w, from);
}

/* ---- in words */

static void say_source(struct session *s, struct page *p, const inst *i)
{
	int up = 0;
	const inst *of = sources_teller(s->src, i);
	const frame *f = sources_frame(s->src, of, &up);

	if (f)
		page_more(p, PG_DIM, "  %s%s:%d", of == i ? "" : "after ", f->file, f->line);
	else if (i->line)
		page_more(p, PG_DIM, "  %s:%d", s->p->files.dist, i->line);
}

static void say_what(struct session *s, struct page *p, const struct values *v, int row)
{
	char name[600], of[600];
	const char *chain;
	const row_state *st = state_of(session_states(s), row);
	int b = values_like(v, row, &chain);

	session_name(s, SIDE_DIST, row, name, sizeof name);
	if (proved(s, row) && st->base >= 0)
		page_add(p, PG_VERIFIED, "    %s is %s %s: proved", name, session_name(s, SIDE_BASE, st->base, of, sizeof of),
			 session_relation(s, SIDE_DIST, row));
	else if (proved(s, row) || !s->p->dist->row[row].nop)
		page_add(p, PG_VERIFIED, "    %s is %s", name, s->p->dist->row[row].param >= 0 ? "an input" : "a constant");
	else if (b >= 0)
		page_add(p, PG_RELATION, "    %s is %s %s: by its numbers", name, session_name(s, SIDE_BASE, b, of, sizeof of), chain);
	else
		page_add(p, PG_DIM, "    %s: %s", name, st->index ? "index arithmetic the baseline does not have" : "its numbers say nothing");
}

void divergence_say(struct session *s, struct page *p, const struct values *v, int row, bool itself)
{
	const struct row *r = &s->p->dist->row[row];
	int k, j;

	say_source(s, p, r->inst);
	if (itself)
		say_what(s, p, v, row);
	for (k = 0; !itself && k < r->nop; k++) {
		for (j = 0; j < k && r->op[j] != r->op[k]; j++)
			;
		if (j == k)
			say_what(s, p, v, r->op[k]);
	}
}

const char *divergence_meaning(struct session *s, int base, int dist)
{
	enum state_kind known = state_of(session_states(s), dist)->kind;

	if (known == STATE_SCALED || known == STATE_OPEN)
		return known == STATE_OPEN ? "; the run has not decided it yet" : "";
	return s->p->dist->row[dist].type == s->p->base->row[base].type ? ": a rule is missing, not a bug" :
	       " over the reals, but of another type: what they round differs";
}
