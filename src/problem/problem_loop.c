/* problem_loop.c - which loops of both programs run in step, and in which relation (RULES section 5).
 *
 * Tried before anything else, on a pair of its own: all loops stay one body;
 * those of the distributed program are paired with the baseline's; what is
 * carried is related as the shapes allow.  Where the invariant is not kept the
 * next relation is tried, and last the loop is unrolled, if it is short enough,
 * or all are read in closed form, if that proves every output.
 * None of this is believed: it is the pair that shows the invariant (engine/pair/pair_loop.c).
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "core/layout.h"
#include "core/view.h"
#include "lower/lower.h"
#include "pair/level.h"
#include "pair/probe.h"
#include "plan/shape_chains.h"
#include "problem/problem_in.h"

enum { MAX_TRIALS = 16 };

struct choices {		/* of one carried value */
	int at;
	const struct shape_chains *of;
};

struct keep {
	int n;
	kept_loop *l;
};

struct search {
	struct problem *p;
	struct keep keep[2];
	struct choices ***of;	/* per loop of DIST and carried value, NULL without partner */
	bool **swapped;		/* per loop of DIST: pairs of values that have changed partners */
	bool **tried;		/* .. partners that a value was given for what is written into it */
	bool **adopted;		/* .. values that had no partner before that */
};

/* ---- which loops */

static void collect(arena *a, const module *m, struct keep *k)
{
	int c, i, n = 0;

	for (c = 0; c < m->ncomp; c++)
		for (i = 0; i < m->comp[c]->ninst; i++)
			n += m->comp[c]->inst[i]->opcode == OP_WHILE;
	k->l = ARENA_ARRAY(a, kept_loop, n);
	for (c = 0; c < m->ncomp; c++)
		for (i = 0; i < m->comp[c]->ninst; i++)
			if (m->comp[c]->inst[i]->opcode == OP_WHILE)
				k->l[k->n++] = (kept_loop){ m->comp[c]->inst[i], 1 };
}

static bool drop(struct keep *k, const inst *i)
{
	int j;

	for (j = 0; j < k->n; j++)
		if (k->l[j].inst == i) {
			k->l[j] = k->l[--k->n];
			return true;
		}
	return false;
}

static bool lower_both(struct search *s, struct diag *err)
{
	struct problem *p = s->p;

	program_free(p->base);
	program_free(p->dist);
	p->dist = NULL;
	p->base = lower_module(p->base_m, p->dist_m, SIDE_BASE, p->base_ms.ndev, s->keep[0].n, s->keep[0].l, err);
	if (p->base)
		p->dist = lower_module(p->dist_m, p->base_m, SIDE_DIST, p->ms.ndev, s->keep[1].n, s->keep[1].l, err);
	return p->dist != NULL;
}

/* ---- partners */

static bool handed(const loop *l, int k)
{
	return l->init[k] == l->state[k];
}

enum likeness { PLAIN, MOVED };	/* in the baseline's order and shape, or as well in another */

static struct choices *like(struct problem *p, const loop *b, const loop *d, int j, int k, enum likeness how)
{
	struct choices *c;
	const struct shape_chains *of;

	if (handed(b, j))
		return NULL;
	of = shape_chains(&p->a, &p->ms, &p->base->row[b->init[j]], &p->dist->row[d->init[k]]);
	if (!(how == PLAIN ? of->nplain : of->n))
		return NULL;
	c = ARENA_NEW(&p->a, struct choices);
	c->of = of;
	return c;
}

/* Both begin with one number. */
static bool begin_alike(const row *x, const row *y)
{
	return !strcmp(x->family, "constant") && !strcmp(y->family, "constant") && x->nint == 1 && y->nint == 1 && x->ints[0] == y->ints[0];
}

/* A second counter of d beside its like: value k has the partner of another one. */
static void share_partner(struct problem *p, const loop *b, const loop *d, int k, int *partner, struct choices **choice)
{
	int j;

	for (j = 0; j < b->n && partner[k] < 0; j++)
		if (begin_alike(&p->base->row[b->init[j]], &p->dist->row[d->init[k]]) && (choice[k] = like(p, b, d, j, k, PLAIN)))
			partner[k] = j;
}

/* Values of d that have none yet with their likes in b, in order, or each with the one of its number.  How many it found. */
static int match_likes(struct problem *p, const loop *b, const loop *d, enum likeness how, bool by_number, bool *used, int *partner,
		       struct choices **choice)
{
	int k, j, found = 0;

	for (k = 0; k < d->n; k++)
		for (j = by_number ? k : 0; j < (by_number ? k + 1 : b->n) && !handed(d, k) && partner[k] < 0; j++)
			if (!used[j] && (choice[k] = like(p, b, d, j, k, how))) {
				partner[k] = j;
				used[j] = true;
				found++;
			}
	return found;
}

/* Values of d with their likes in b: by number first where both have as many, and in the baseline's order and shape before others. */
static int partners(struct problem *p, const loop *b, const loop *d, int *partner, struct choices **choice)
{
	bool *used = arena_zalloc(&p->a, (size_t)b->n + 1);
	int k, found = 0;
	enum likeness how;

	for (k = 0; k < d->n; k++) {
		partner[k] = -1;
		choice[k] = NULL;
	}
	if (b->trip >= 0 && d->trip >= 0 && (choice[d->trip] = like(p, b, d, b->trip, d->trip, PLAIN))) {
		partner[d->trip] = b->trip;
		used[b->trip] = true;
		found++;
	}
	for (how = PLAIN; how <= MOVED; how++) {
		if (b->n == d->n)
			found += match_likes(p, b, d, how, true, used, partner, choice);
		found += match_likes(p, b, d, how, false, used, partner, choice);
	}
	for (k = 0; k < d->n; k++)
		if (!handed(d, k) && partner[k] < 0)
			share_partner(p, b, d, k, partner, choice);
	return found;
}

/* The first loop of the baseline that makes as many trips at the same place of the nest and carries the most likes. */
static int loop_partner(struct search *s, int at, const bool *used)
{
	struct problem *p = s->p;
	const loop *d = &p->dist->loop[at];
	int outer = d->parent < 0 ? -1 : p->loop[d->parent].base, best = -1, most = 0, i;
	int *partner = ARENA_ARRAY(&p->a, int, d->n);
	struct choices **choice = ARENA_ARRAY(&p->a, struct choices *, d->n);

	for (i = 0; i < p->base->nloop; i++) {
		const loop *b = &p->base->loop[i];
		int n;
		if (used[i] || b->parent != outer || (d->parent >= 0 && outer < 0) || b->trips != d->trips)
			continue;
		n = partners(p, b, d, partner, choice);
		if (n > most) {
			most = n;
			best = i;
		}
	}
	return best;
}

static void relate(struct search *s)
{
	struct problem *p = s->p;
	bool *used = arena_zalloc(&p->a, (size_t)p->base->nloop + 1);
	int l, k;

	p->loop = ARENA_ARRAY(&p->a, loop_relation, p->dist->nloop);
	p->tame = ARENA_ARRAY(&p->a, bool *, p->base->nloop);
	s->of = ARENA_ARRAY(&p->a, struct choices **, p->dist->nloop);
	s->swapped = ARENA_ARRAY(&p->a, bool *, p->dist->nloop);
	s->tried = ARENA_ARRAY(&p->a, bool *, p->dist->nloop);
	s->adopted = ARENA_ARRAY(&p->a, bool *, p->dist->nloop);
	for (l = 0; l < p->base->nloop; l++) {
		p->tame[l] = ARENA_ARRAY(&p->a, bool, p->base->loop[l].n);
		memset(p->tame[l], 1, (size_t)p->base->loop[l].n);
	}
	for (l = 0; l < p->dist->nloop; l++) {
		const loop *d = &p->dist->loop[l];
		loop_relation *r = &p->loop[l];
		*r = (loop_relation){ -1, ARENA_ARRAY(&p->a, int, d->n), ARENA_ARRAY(&p->a, output_relation, d->n) };
		s->of[l] = ARENA_ARRAY(&p->a, struct choices *, d->n);
		s->adopted[l] = arena_zalloc(&p->a, (size_t)d->n + 1);
		s->swapped[l] = arena_zalloc(&p->a, sizeof(bool) * (size_t)(d->n * d->n + 1));
		if ((r->base = loop_partner(s, l, used)) < 0)
			continue;
		used[r->base] = true;
		s->tried[l] = arena_zalloc(&p->a, sizeof(bool) * (size_t)(d->n * p->base->loop[r->base].n + 1));
		partners(p, &p->base->loop[r->base], d, r->partner, s->of[l]);
		for (k = 0; k < d->n; k++)
			r->rel[k] = (output_relation){ .base = -1, .base_row = -1, .where = "a loop", .c = { .text = "R" } };
		for (k = 0; k < d->n; k++)
			if (s->of[l][k])
				r->rel[k].c = s->of[l][k]->of->c[0];
	}
}

enum { AT_ONCE = 8 };

static kept_loop *kept_of(struct keep *k, const inst *i)
{
	int j;

	for (j = 0; j < k->n && k->l[j].inst != i; j++)
		;
	return j < k->n ? &k->l[j] : NULL;
}

/* Some trips of the longer loop are one of the shorter's, if that can be; false: not, or it is so already. */
static bool take_at_once(struct search *s, const loop *b, const loop *d)
{
	bool longer = b->trips > d->trips;
	int64_t most = longer ? b->trips : d->trips, least = longer ? d->trips : b->trips;
	kept_loop *k = longer ? kept_of(&s->keep[0], b->inst) : kept_of(&s->keep[1], d->inst);

	if (least < 2 || most == least || most % least || most / least > AT_ONCE || !k || k->at_once > 1)
		return false;
	k->at_once = (int)(most / least);
	return true;
}

/* A loop without partner may be in step with several trips of another, or several of its trips with one. */
static bool fit_trips(struct search *s)
{
	struct problem *p = s->p;
	int l, i, k;

	for (l = 0; l < p->dist->nloop; l++)
		for (i = 0; i < p->base->nloop && p->loop[l].base < 0; i++) {
			for (k = 0; k < p->dist->nloop && p->loop[k].base != i; k++)
				;
			if (k == p->dist->nloop && p->base->loop[i].parent < 0 && p->dist->loop[l].parent < 0 &&
			    take_at_once(s, &p->base->loop[i], &p->dist->loop[l]))
				return true;
		}
	return false;
}

/* Loops that no loop of the other program runs in step with do not stay; false: there is none. */
static bool drop_alone(struct search *s)
{
	struct problem *p = s->p;
	bool any = false;
	int i, l;

	for (i = 0; i < p->base->nloop; i++) {
		for (l = 0; l < p->dist->nloop && p->loop[l].base != i; l++)
			;
		if (l == p->dist->nloop)
			any = drop(&s->keep[0], p->base->loop[i].inst) || any;
	}
	for (l = 0; l < p->dist->nloop; l++)
		if (p->loop[l].base < 0)
			any = drop(&s->keep[1], p->dist->loop[l].inst) || any;
	return any;
}

/* ---- trials */

/* Until every loop of the distributed program has been left. */
static bool run(struct problem *p)
{
	int i, end = 0;

	for (i = 0; i < p->dist->nrow; i++)
		if (p->dist->row[i].role == ROW_AFTER)
			end = p->base->nrow + i + 1;
	while (pair_position(p->q) < end || !normal_idle(&p->p->a))
		if (pair_over(p->q) || pair_move(p->q) == PAIR_DONE)
			break;
	return !p->q->cut;
}

/* The loop that is left first without its invariant, or -1. */
static int first_failing(const struct problem *p)
{
	int i;

	for (i = 0; i < p->dist->nrow; i++)
		if (p->dist->row[i].role == ROW_AFTER && !pair_loop_holds(p->q, p->dist->row[i].loop))
			return p->dist->row[i].loop;
	return -1;
}

static bool holds(struct problem *p, const loop *b, const loop *d, int j, int k, const chain *c, bool inside)
{
	output_relation rel = { .base = -1, .base_row = -1, .c = *c, .where = "a loop" };

	return probe_claim(p->q, b->init[j], d->init[k], &rel) && (!inside || probe_claim(p->q, b->body[j], d->body[k], &rel));
}

/* The next relation of value k; with `inside` one that the trip as it was lifted keeps. */
static bool next_choice(struct search *s, int l, int k, bool inside)
{
	struct problem *p = s->p;
	loop_relation *r = &p->loop[l];
	struct choices *c = s->of[l][k];
	int i;

	for (i = inside ? 0 : c->at + 1; i < c->of->n; i++)
		if (i != c->at && holds(p, &p->base->loop[r->base], &p->dist->loop[l], r->partner[k], k, &c->of->c[i], inside)) {
			c->at = i;
			r->rel[k].c = c->of->c[i];
			return true;
		}
	return false;
}

static bool fails(const struct problem *p, int l, int k)
{
	const loop_claims *c = &p->q->claims[l];

	return (c->init[k].compared && !goal_met(p->q, &c->init[k])) || (c->body[k].compared && !goal_met(p->q, &c->body[k]));
}

/* Values j and k of loop l change partners, where they can and have not yet. */
static bool swap_partners(struct search *s, int l, int j, int k)
{
	struct problem *p = s->p;
	loop_relation *r = &p->loop[l];
	const loop *b = &p->base->loop[r->base], *d = &p->dist->loop[l];
	struct choices *x = like(p, b, d, r->partner[k], j, MOVED), *y = like(p, b, d, r->partner[j], k, MOVED);
	int was = r->partner[j];

	if (!x || !y || was == r->partner[k] || s->swapped[l][j * d->n + k])
		return false;
	s->swapped[l][j * d->n + k] = true;
	r->partner[j] = r->partner[k];
	r->partner[k] = was;
	s->of[l][j] = x;
	s->of[l][k] = y;
	r->rel[j].c = x->of->c[0];
	r->rel[k].c = y->of->c[0];
	return true;
}

/* Two values that both fail as they are. */
static bool swap_failing(struct search *s, int l)
{
	const loop *d = &s->p->dist->loop[l];
	int j, k;

	for (j = 0; j < d->n; j++)
		for (k = j + 1; k < d->n && s->of[l][j] && fails(s->p, l, j); k++)
			if (s->of[l][k] && fails(s->p, l, k) && swap_partners(s, l, j, k))
				return true;
	return false;
}

static int past_copies(const program *p, int r)
{
	while (!strcmp(p->row[r].family, "copy"))
		r = p->row[r].op[0];
	return r;
}

/* What a trip writes last into value k, which keeps the rest; or else the whole value at its end. */
static int written(const program *p, const loop *l, int k)
{
	int last = past_copies(p, l->body[k]), r = last;

	while (!strcmp(p->row[r].family, "dynamic-update-slice"))
		r = past_copies(p, p->row[r].op[0]);
	return r == l->state[k] && r != last ? p->row[last].op[1] : last;
}

/* The array a row holds, whatever view of it: its class, or NIL. */
static eg_id array_of(struct problem *p, const row *r)
{
	algebra *a = &p->p->a;
	eg_id cell = r->tensor == NIL ? NIL : laid_cell(a, r->tensor), x;
	hop h;

	if (cell == NIL)
		return NIL;
	x = eg_args(a->g, cell)[0];
	return eg_root(a->g, view_hop(a, x, &h) ? h.y : x);
}

/* Does a trip write into value j of the baseline's loop what it writes into value k of loop l? */
static bool writes_alike(struct problem *p, int l, int j, int k)
{
	const loop *b = &p->base->loop[p->loop[l].base], *d = &p->dist->loop[l];
	eg_id x = array_of(p, &p->dist->row[written(p->dist, d, k)]);

	return x != NIL && x == array_of(p, &p->base->row[written(p->base, b, j)]);
}

/* Value k of loop l gets a partner that it is written like; false: it has one, or there is none. */
static bool match_written(struct search *s, int l, int k)
{
	struct problem *p = s->p;
	loop_relation *r = &p->loop[l];
	const loop *b = &p->base->loop[r->base], *d = &p->dist->loop[l];
	struct choices *c = NULL;
	int j;

	if (handed(d, k) || (s->of[l][k] && writes_alike(p, l, r->partner[k], k)))
		return false;
	for (j = 0; j < b->n && !c; j++)
		if (!handed(b, j) && !s->tried[l][k * b->n + j] && writes_alike(p, l, j, k) && (c = like(p, b, d, j, k, MOVED))) {
			s->tried[l][k * b->n + j] = true;
			r->partner[k] = j;
			s->of[l][k] = c;
			r->rel[k].c = c->of->c[0];
		}
	return c != NULL;
}

/* Arrays that are filled trip by trip are told apart by what is written into them: those that fail get other partners. */
static bool match_failing(struct search *s, int l)
{
	bool any = false;
	int k;

	for (k = 0; k < s->p->dist->loop[l].n; k++)
		if (s->of[l][k] && fails(s->p, l, k))
			any = match_written(s, l, k) || any;
	return any;
}

/* What the baseline stacks once may be stacked twice, gathered and not: values without partner get one that has one already. */
static bool adopt(struct search *s)
{
	struct problem *p = s->p;
	bool any = false;
	int l, k;

	for (l = 0; l < p->dist->nloop; l++)
		for (k = 0; k < p->dist->loop[l].n && p->loop[l].base >= 0; k++)
			if (!s->of[l][k] && match_written(s, l, k))
				s->adopted[l][k] = any = true;
	return any;
}

/* A value that was given a partner late, and does not keep to any relation, has none again. */
static bool disown(struct search *s, int l, int k)
{
	if (!s->adopted[l][k])
		return false;
	s->adopted[l][k] = false;
	s->of[l][k] = NULL;
	s->p->loop[l].partner[k] = -1;
	return true;
}

/* Something else to try for loop l; false: nothing is left. */
static bool adjust(struct search *s, int l)
{
	struct problem *p = s->p;
	const loop *d = &p->dist->loop[l];
	bool any = false;
	int k, pass;

	if (p->loop[l].base < 0)
		return false;
	any = match_failing(s, l);
	for (pass = 0; pass < 2 && !any; pass++)
		for (k = 0; k < d->n && (pass == 0 || !any); k++)
			if (s->of[l][k] && fails(p, l, k))
				any = next_choice(s, l, k, pass == 0) || (pass == 1 && disown(s, l, k)) || any;
	any = any || swap_failing(s, l);
	if (!any && (k = pair_loop_untame(p->q, p->loop[l].base)) >= 0) {
		p->tame[p->loop[l].base][k] = false;
		any = true;
	}
	return any;
}

static void end_trial(struct problem *p)
{
	pair_free(p->q);
	prover_free(p->p);
	p->q = NULL;
	p->p = NULL;
}

/* Do all loops hold once constants are read as others (RULES D11)?  The first level of the search asks no more. */
static bool hold_by_reading(struct problem *p)
{
	levels l;
	enum level_event e = LEVEL_LOOKED;
	bool all = false;

	pair_run(p->q);
	if (p->q->cut)
		return false;
	level_init(&l, p->q);
	while (level_at(&l) < 2 && e != LEVEL_DONE && e != LEVEL_KEPT && e != LEVEL_UNDONE && !all) {
		e = level_move(&l);
		all = level_at(&l) == 1 && first_failing(p) < 0;
	}
	level_free(&l);
	return all;
}

enum outcome { TRIAL_BAD, TRIAL_HELD, TRIAL_FAILED };

/* A trial whose loops all hold is where the work begins: at its start again, unless the run will never go back. */
static enum outcome keep_trial(struct problem *p, trail_mark begin, uint64_t fired)
{
	if (p->p->a.tr->on) {
		trail_undo(p->p->a.tr, begin);
		p->p->fired = fired;
	}
	return TRIAL_HELD;
}

/* Tries relations until all loops hold; *failed: the loop that does not. */
static enum outcome try_relations(struct search *s, int *failed, struct diag *err)
{
	struct problem *p = s->p;
	trail_mark begin;
	uint64_t fired;
	int trial;
	bool again, adopted;

	for (trial = 0; trial < MAX_TRIALS; trial++) {
		if (!problem_build(p, err))
			return TRIAL_BAD;
		begin = trail_at(p->p->a.tr);
		fired = p->p->fired;
		again = run(p);
		*failed = first_failing(p);
		adopted = adopt(s);
		if (*failed < 0 && !adopted)
			return keep_trial(p, begin, fired);
		again = again && ((*failed >= 0 && adjust(s, *failed)) || adopted);
		if (!again && hold_by_reading(p)) {
			end_trial(p);
			return TRIAL_HELD;
		}
		end_trial(p);
		if (!again)
			break;
	}
	return TRIAL_FAILED;
}

static bool short_loop(struct keep *k, const loop *l)
{
	return l->trips >= 0 && l->trips * kept_of(k, l->inst)->at_once <= LOOP_UNROLL;
}

/* Loop l of the distributed program and its partner are unrolled instead; false: they are too long for that. */
static bool unroll(struct search *s, int l)
{
	struct problem *p = s->p;
	const loop *d = &p->dist->loop[l];

	if (!short_loop(&s->keep[1], d) || (p->loop[l].base >= 0 && !short_loop(&s->keep[0], &p->base->loop[p->loop[l].base])))
		return false;
	if (p->loop[l].base >= 0)
		drop(&s->keep[0], p->base->loop[p->loop[l].base].inst);
	return drop(&s->keep[1], d->inst);
}

static bool all_met(const pair *q)
{
	int k;

	for (k = 0; k < q->ngoal; k++)
		if (q->goal[k].compared && !goal_met(q, &q->goal[k]))
			return false;
	return !q->cut;
}

/* No loop stays one body: does that prove all outputs, without a search?  Else everything is as it was. */
static bool close_all(struct search *s, bool *proved, struct diag *err)
{
	struct problem *p = s->p;
	struct keep before[2] = { s->keep[0], s->keep[1] };
	loop_relation *loop = p->loop;
	struct diag none;

	s->keep[0].n = s->keep[1].n = 0;
	p->loop = NULL;
	if (lower_both(s, &none) && problem_build(p, &none)) {	/* else the plan names rows that are not there then */
		pair_run(p->q);
		*proved = all_met(p->q);
	}
	end_trial(p);
	if (*proved)
		return true;
	memcpy(s->keep, before, sizeof before);
	p->loop = loop;
	return lower_both(s, err);
}

bool problem_lower(struct problem *p, struct diag *err)
{
	struct search s = { .p = p };
	int failed = -1;
	bool closed = false;

	collect(&p->a, p->base_m, &s.keep[0]);
	collect(&p->a, p->dist_m, &s.keep[1]);
	for (;;) {
		if (!s.keep[0].n || !s.keep[1].n || p->base_in)	/* nor where the baseline runs on a mesh of its own */
			s.keep[0].n = s.keep[1].n = 0;
		p->loop = NULL;
		if (!lower_both(&s, err))
			return false;
		if (!p->base->nloop && !p->dist->nloop)
			return true;
		relate(&s);
		if (fit_trips(&s) || drop_alone(&s))
			continue;
		switch (try_relations(&s, &failed, err)) {
		case TRIAL_BAD:
			return false;
		case TRIAL_HELD:
			return true;
		default:
			if (unroll(&s, failed))
				continue;
			if (!close_all(&s, &closed, err))
				return false;
			if (!closed)
				return true;
		}
	}
}
