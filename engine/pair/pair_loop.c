/* pair_loop.c - two loops in step: an invariant of what they carry (RULES section 5).
 *
 * At the beginning of a trip the values that the baseline carries are new cores,
 * and those of the distributed program are what the relation makes of them.  One
 * trip of each is lifted.  Shown are: the relation before the loop; the relation
 * again at the end of the trip; the same number of trips, or the same condition.
 * Then it holds when the loops are left: that is one firing of the rule
 * `induction` per value, with all of this as its premises.
 *
 * Nothing that is assumed of a trip can reach anything else.  The cores of a
 * trip are free variables that occur in its rows alone, every one of them is
 * given once, and what is shown with free variables holds for all their values.
 * That they are finite is shown like the rest: before the loop, and again at the
 * end of a trip that begins with finite ones.
 */
#include "pair/pair_in.h"

#include <string.h>
#include "core/fact_range.h"
#include "core/facts.h"

enum { OPEN, CONCLUDED, REFUSED };
#define CLOSED(q, l) VEC_AT(uint32_t, &(q)->closed, l)

static loop *loop_at(const pair *q, enum program_side side, int l)
{
	return &(side == SIDE_BASE ? q->base : q->dist)->loop[l];
}

static bool handed(const loop *l, int k)
{
	return l->state[k] == l->init[k];
}

/* ---- what is carried in */

static eg_id cell_of(const pair *q, enum program_side side, int row)
{
	eg_id t = pair_row(q, side, row)->tensor;

	return t == NIL || t >= eg_nnode(q->p->g) ? NIL : laid_cell(&q->p->a, t);
}

static bool finite_row(const pair *q, enum program_side side, int row)
{
	int type = pair_row(q, side, row)->type;
	eg_id cell;

	if (type_is_int(type) || type == T_PRED)
		return true;
	cell = cell_of(q, side, row);
	return cell != NIL && fact_finite(&q->p->a, eg_args(q->p->g, cell)[0]);
}

/* A core nothing is known of (facts.c: untold); `tame`: but that it is finite. */
static eg_id new_core(pair *q, const program *p, const row *r, int64_t n, bool tame)
{
	algebra *a = &q->p->a;
	eg_id x = core_param(a, r->type, n, arena_printf(&q->a, "%s %%%s", p->side == SIDE_BASE ? "base" : "dist", r->path));

	if (tame && type_is_float(r->type))
		facts_learn(a, x, FACT_FINITE | FACT_BELOW);
	return x;
}

/* The relation in which value j of the baseline's loop is the sum of parts that the distributed program carries, or NULL. */
static const output_relation *parts_of(const pair *q, int base_loop, int j)
{
	const char *op;
	int l, k;

	for (l = 0; q->loop && l < q->dist->nloop; l++)
		for (k = 0; q->loop[l].base == base_loop && k < q->dist->loop[l].n; k++)
			if (q->loop[l].partner[k] == j && chain_parts(&q->ms, &q->loop[l].rel[k].c, &op) > 1)
				return &q->loop[l].rel[k];
	return NULL;
}

/* A baseline row of a loop as a new core, or as the sum of the parts of one: any value is the sum of some parts. */
static eg_id base_form(pair *q, const row *r, bool tame)
{
	const output_relation *rel = parts_of(q, r->loop, r->carried);
	digit d[2];
	layout y = pair_plain_layout(1, r->rank, r->dim, d);
	int64_t n = d[1].size;
	const char *op;
	eg_id parts;

	if (!rel)
		return layout_laid(&q->p->a, &y, new_core(q, q->base, r, n, tame));
	parts = new_core(q, q->base, r, n * chain_parts(&q->ms, &rel->c, &op), tame);
	return layout_laid(&q->p->a, &y, pair_sum(q, &q->ms, r->type, n, &rel->c, parts));
}

/* What a parameter was given as last, or NIL. */
static eg_id given_form(const pair *q, eg_id tensor)
{
	const algebra *a = &q->p->a;
	uint32_t i;

	for (i = history_count(a); i-- > 0; ) {
		const hist_entry *f = history_at(a, i);
		if (f->rule == RULE_GIVEN && f->node == tensor)
			return f->result;
	}
	return NIL;
}

/* What a form holds, whatever views it is read through. */
static eg_id under_views(const algebra *a, eg_id cell)
{
	eg_id x = eg_args(a->g, cell)[0];

	while (core_kind(a, x) == C_VIEW)
		x = eg_args(a->g, x)[0];
	return x;
}

/* The parts that base_form gave the row. */
static eg_id parts_given(const pair *q, const row *b)
{
	const algebra *a = &q->p->a;
	eg_id cell = given_form(q, b->tensor);

	return cell == NIL ? NIL : eg_args(a->g, under_views(a, cell))[0];
}

/* The variable that a row of the baseline's loop was given as, or as the sum of whose parts; NIL: none. */
static eg_id variable_of(const pair *q, const row *b, bool *parts)
{
	const algebra *a = &q->p->a;
	eg_id cell = b->tensor == NIL ? NIL : given_form(q, b->tensor), x;

	if (cell == NIL || core_kind(a, cell) != C_LAID)
		return NIL;
	x = under_views(a, cell);
	*parts = core_kind(a, x) != C_PARAM;
	if (*parts)
		x = eg_narg(a->g, x) == 1 ? eg_args(a->g, x)[0] : NIL;
	return x != NIL && core_kind(a, x) == C_PARAM ? x : NIL;
}

/* Values on all devices that nothing is said of. */
static eg_id any_form(pair *q, const row *r)
{
	digit d[2];
	layout y = pair_plain_layout(q->dist->ndev, r->rank, r->dim, d);

	d[0].stride = d[1].size;
	return layout_laid(&q->p->a, &y, new_core(q, q->dist, r, d[0].size * d[1].size, false));
}

static bool tame_base(const pair *q, int l, int k)
{
	return q->tame && q->tame[l][k] && finite_row(q, SIDE_BASE, loop_at(q, SIDE_BASE, l)->init[k]);
}

static void carried_base(pair *q, const row *r)
{
	const loop *l = loop_at(q, SIDE_BASE, r->loop);
	eg_id laid = base_form(q, r, tame_base(q, r->loop, r->carried));

	pair_given(q, r->tensor, laid);
	if (l->range[r->carried] && type_is_int(r->type) && !parts_of(q, r->loop, r->carried))
		facts_range(&q->p->a, eg_args(q->p->g, laid)[0], 0, l->range[r->carried]);
}

/* What the relation makes of a baseline row of a loop. */
static eg_id related_form(pair *q, const output_relation *rel, const row *b, const row *r)
{
	algebra *a = &q->p->a;
	eg_id cell = laid_cell(a, b->tensor), x = eg_args(a->g, cell)[0];
	layout y = layout_of(a, cell);
	const char *op;
	digit d[2];

	if (chain_parts(&q->ms, &rel->c, &op) > 1) {
		y = pair_plain_layout(1, b->rank, b->dim, d);
		x = parts_given(q, b);
	}
	return chain_apply(a, &q->ms, &rel->c, r->type, &y, x, b->rank, b->dim, r->rank, r->dim, r->path);
}

static void carried_dist(pair *q, const row *r)
{
	const loop_relation *rel = q->loop ? &q->loop[r->loop] : NULL;
	int j = rel && rel->base >= 0 ? rel->partner[r->carried] : -1;
	const row *b = j < 0 ? NULL : &q->base->row[loop_at(q, SIDE_BASE, rel->base)->state[j]];
	eg_id cell = b ? laid_cell(&q->p->a, b->tensor) : NIL;

	if (cell == NIL) {
		pair_given(q, r->tensor, any_form(q, r));
		return;
	}
	history_premise(&q->p->a, b->tensor, cell);
	pair_given(q, r->tensor, related_form(q, &rel->rel[r->carried], b, r));
}

void loop_take_carried(pair *q, program *p, int i)
{
	row *r = &p->row[i];
	algebra *a = &q->p->a;
	int64_t id[3] = { p->side, -2 - r->loop, r->carried };

	r->tensor = pair_tensor(q, pair_family(q, "parameter"), r, p->ndev, 3, id, r->path, 0, NULL);
	pair_note_row(q, r->tensor, p->side, i);
	history_begin(a);
	if (p->side == SIDE_BASE) {
		carried_base(q, r);
	} else if (setjmp(a->s.out)) {	/* the relation does not fit: nothing is said of it, and its claims fail */
		history_begin(a);
		pair_given(q, r->tensor, any_form(q, r));
	} else {
		carried_dist(q, r);
	}
}

/* ---- what has to be shown */

static void claim(pair *q, goal *g, int base_row, int dist_row, const output_relation *rel)
{
	*g = (goal){ .out = -1, .base_row = base_row, .dist_row = dist_row, .rel = rel, .want = NIL, .have = NIL, .bcell = NIL,
		     .dcell = NIL, .compared = true };
	pair_build_claim(q, g);
}

void loop_claim(pair *q, int at)
{
	static const output_relation same = { .c = { .text = "R" } };
	const loop *d = loop_at(q, SIDE_DIST, at), *b;
	const loop_relation *r = q->loop ? &q->loop[at] : NULL;
	loop_claims *c = &q->claims[at];
	int k;

	if (!r || r->base < 0)
		return;
	b = loop_at(q, SIDE_BASE, r->base);
	for (k = 0; k < d->n; k++) {
		int j = r->partner[k];
		c->init[k].compared = c->body[k].compared = false;
		if (handed(d, k) || j < 0)
			continue;
		claim(q, &c->init[k], b->init[j], d->init[k], &r->rel[k]);
		claim(q, &c->body[k], b->body[j], d->body[k], &r->rel[k]);
	}
	c->made = true;
	c->cond.compared = false;
	if (d->cond >= 0 && b->cond >= 0)
		claim(q, &c->cond, b->cond, d->cond, &same);
}

static const char *row_name(pair *q, enum program_side side, int row)
{
	return row < 0 ? "?" : arena_printf(&q->a, "%%%s", pair_row(q, side, row)->path);
}

/* The loops around them run in step, too: else a trip of one has no trip of the other. */
static bool nested_alike(const pair *q, const loop *b, const loop *d)
{
	if (b->parent < 0 || d->parent < 0)
		return b->parent < 0 && d->parent < 0;
	return q->loop[d->parent].base == b->parent;
}

/* A baseline value taken to be finite at the beginning of a trip, and not shown to be so at its end: its number, or -1. */
static int not_finite(const pair *q, int at)
{
	const loop *b = loop_at(q, SIDE_BASE, at);
	int j;

	for (j = 0; j < b->n; j++)
		if (!handed(b, j) && finite_row(q, SIDE_BASE, b->state[j]) &&
		    (!finite_row(q, SIDE_BASE, b->body[j]) || !finite_row(q, SIDE_BASE, b->init[j])))
			return j;
	return -1;
}

/* Does the form read other places on devices that differ in an axis the relation does not name?  Parts that are not the
 * same there are no parts of one whole. */
static bool spreads(const pair *q, const chain *c, eg_id cell)
{
	layout y = layout_of(&q->p->a, cell);
	int64_t dev, inner = 1;
	int ax, k;

	for (ax = q->ms.n - 1; ax >= 0; inner *= q->ms.axis[ax--].size) {
		int64_t n = q->ms.axis[ax].size;
		for (k = 0; k < c->n && c->step[k].axis != ax; k++)
			;
		for (dev = 0; k == c->n && dev < q->ms.ndev; dev++)
			if (digits_at(y.nd, y.dev, dev) != digits_at(y.nd, y.dev, dev - dev / inner % n * inner))
				return true;
	}
	return false;
}

/* Parts of a sum, value k of the loop: nobody else carries parts of the same whole, and they are the same wherever the
 * relation says so, and finite where that was taken for granted. */
static bool parts_fail(const pair *q, int at, int k)
{
	const loop *d = loop_at(q, SIDE_DIST, at), *b = loop_at(q, SIDE_BASE, q->loop[at].base);
	const loop_claims *c = &q->claims[at];
	const output_relation *rel = &q->loop[at].rel[k];
	int j = q->loop[at].partner[k];
	const char *op;

	if (chain_parts(&q->ms, &rel->c, &op) == 1)
		return false;
	if (parts_of(q, q->loop[at].base, j) != rel || spreads(q, &rel->c, c->init[k].dcell) || spreads(q, &rel->c, c->body[k].dcell))
		return true;
	return finite_row(q, SIDE_BASE, b->state[j]) && !(finite_row(q, SIDE_DIST, d->init[k]) && finite_row(q, SIDE_DIST, d->body[k]));
}

enum failure { HOLDS, NO_LOOP, NOT_YET, NESTED, ONE_KNOWN, TRIPS, CONDITION, BEFORE, BODY, PARTS, INFINITE };

/* The first thing that is not shown; *k: of which carried value. */
static enum failure failure_of(const pair *q, int at, int *k)
{
	const loop *d = loop_at(q, SIDE_DIST, at), *b;
	const loop_claims *c;

	if (!q->loop || q->loop[at].base < 0)
		return NO_LOOP;
	b = loop_at(q, SIDE_BASE, q->loop[at].base);
	c = &q->claims[at];
	if (!c->made)
		return NOT_YET;
	if (!nested_alike(q, b, d))
		return NESTED;
	if ((b->trips < 0) != (d->trips < 0))
		return ONE_KNOWN;
	if (b->trips != d->trips)
		return TRIPS;
	if (d->trips < 0 && (!c->cond.compared || !goal_met(q, &c->cond)))
		return CONDITION;
	for (*k = 0; *k < d->n; ++*k) {
		if (c->init[*k].compared && !goal_met(q, &c->init[*k]))
			return BEFORE;
		if (c->body[*k].compared && !goal_met(q, &c->body[*k]))
			return BODY;
		if (c->body[*k].compared && parts_fail(q, at, *k))
			return PARTS;
	}
	*k = not_finite(q, q->loop[at].base);
	return *k < 0 ? HOLDS : INFINITE;
}

bool pair_loop_around(const pair *q, int l, int row)
{
	int at = q->dist->row[row].within;

	while (at >= 0 && at != l)
		at = q->dist->loop[at].parent;
	return at == l;
}

bool pair_loop_holds(const pair *q, int at)
{
	int k;

	return failure_of(q, at, &k) == HOLDS;
}

static const char *goal_note(arena *out, const goal *g)
{
	return g->why ? arena_printf(out, ": %s", g->why) : "";
}

static const char *failure_text(pair *q, int at, enum failure f, int k)
{
	const loop *d = loop_at(q, SIDE_DIST, at), *b = f == NO_LOOP ? NULL : loop_at(q, SIDE_BASE, q->loop[at].base);
	const loop_claims *c = &q->claims[at];
	arena *out = &q->a;
	int j = f == BEFORE || f == BODY ? q->loop[at].partner[k] : -1;

	switch (f) {
	case NO_LOOP:
		return "no loop of the baseline corresponds to it";
	case NOT_YET:
		return "none of its passes is taken up yet";
	case NESTED:
		return arena_printf(out, "it is nested otherwise than %%%s of the baseline", b->path);
	case ONE_KNOWN:
		return arena_printf(out, "only one of it and %%%s of the baseline has a number of trips that is known", b->path);
	case TRIPS:
		return arena_printf(out, "the loop makes %lld trips, %%%s of the baseline makes %lld", (long long)d->trips, b->path, (long long)b->trips);
	case CONDITION:
		return arena_printf(out, "its condition %s is not %s of the baseline on every device", row_name(q, SIDE_DIST, d->cond),
				    row_name(q, SIDE_BASE, b->cond));
	case BEFORE:
		return arena_printf(out, "carried tensor %d: before the loop %s is not %s of %s of the baseline%s", k,
				    row_name(q, SIDE_DIST, d->init[k]), q->loop[at].rel[k].c.text, row_name(q, SIDE_BASE, b->init[j]),
				    goal_note(out, &c->init[k]));
	case BODY:
		return arena_printf(out, "carried tensor %d changes its layout in the loop body: %s is not %s of %s of the baseline%s", k,
				    row_name(q, SIDE_DIST, d->body[k]), q->loop[at].rel[k].c.text, row_name(q, SIDE_BASE, b->body[j]),
				    goal_note(out, &c->body[k]));
	case PARTS:
		return arena_printf(out, "carried tensor %d: %s is not parts of a sum alone, the same on all other devices and finite", k,
				    row_name(q, SIDE_DIST, d->body[k]));
	default:
		return arena_printf(out, "carried tensor %s of the baseline may become infinite in the loop body", row_name(q, SIDE_BASE, b->state[k]));
	}
}

/* NULL, or a sentence: the first thing that is not shown. */
static const char *pair_loop_fails(pair *q, int at)
{
	int k = -1;
	enum failure f = failure_of(q, at, &k);

	return f == HOLDS ? NULL : failure_text(q, at, f, k);
}

int pair_loop_untame(const pair *q, int base_loop)
{
	return not_finite(q, base_loop);
}

static bool tame_after(const pair *q, int l, int k)
{
	return finite_row(q, SIDE_BASE, loop_at(q, SIDE_BASE, l)->state[k]) && not_finite(q, l) < 0;
}

/* ---- what is carried and finite, for a proof that is gone through */

static bool learn_finite(pair *q, const row *r, bool shown)
{
	algebra *a = &q->p->a;
	bool parts;
	eg_id x = shown && type_is_float(r->type) ? variable_of(q, r, &parts) : NIL;

	if (x == NIL || fact_finite(a, x))
		return false;
	facts_learn(a, x, FACT_FINITE | FACT_BELOW);
	return true;
}

bool pair_loop_learn(pair *q)
{
	bool any = false;
	int l, k;

	for (l = 0; l < q->base->nloop; l++)
		for (k = 0; k < q->base->loop[l].n; k++) {
			const loop *b = &q->base->loop[l];
			if (handed(b, k))
				continue;
			any = learn_finite(q, &q->base->row[b->state[k]], tame_base(q, l, k)) || any;
			any = learn_finite(q, &q->base->row[b->after[k]], tame_after(q, l, k)) || any;
		}
	return any;
}

int pair_loop_of(const pair *q, eg_id core)
{
	const char *name = core_fn(&q->p->a, core);
	int row = strncmp(name, "base %", 6) ? -1 : program_named(q->base, name + 6);

	return row < 0 || q->base->row[row].role == ROW_PLAIN ? -1 : q->base->row[row].loop;
}

/* Does the distributed loop carry parts of x in value k that are not shown to be finite before it and after a trip? */
static bool parts_infinite(const pair *q, const loop *d, int k, eg_id x)
{
	bool parts;

	return !handed(d, k) && variable_of(q, &q->dist->row[d->state[k]], &parts) == x &&
	       !(finite_row(q, SIDE_DIST, d->init[k]) && finite_row(q, SIDE_DIST, d->body[k]));
}

const char *pair_loop_infinite(pair *q, int base_loop, int dist_loop)
{
	const loop *b = loop_at(q, SIDE_BASE, base_loop), *d = loop_at(q, SIDE_DIST, dist_loop);
	int j = not_finite(q, base_loop), k;
	bool parts = false;

	for (k = 0; k < b->n && j < 0; k++) {
		eg_id x = handed(b, k) || !finite_row(q, SIDE_BASE, b->state[k]) ? NIL : variable_of(q, &q->base->row[b->state[k]], &parts);
		int i;
		for (i = 0; x != NIL && parts && i < d->n && j < 0; i++)
			if (parts_infinite(q, d, i, x))
				j = k;
	}
	return j < 0 ? NULL : arena_printf(&q->a, "value %d of loop %%%s was not shown to stay finite", j, b->path);
}

static int add_form(const pair *q, enum program_side side, int row, int most, eg_id (*form)[2], int n)
{
	eg_id cell = cell_of(q, side, row);

	if (cell == NIL || n == most || !type_is_float(pair_row(q, side, row)->type))
		return n;
	form[n][0] = pair_row(q, side, row)->tensor;
	form[n][1] = cell;
	return n + 1;
}

int pair_loop_forms(const pair *q, int base_loop, int most, eg_id (*form)[2])
{
	const loop *b = loop_at(q, SIDE_BASE, base_loop);
	const char *op;
	int n = 0, l, k;

	for (k = 0; k < b->n; k++)
		if (!handed(b, k) && finite_row(q, SIDE_BASE, b->state[k])) {
			n = add_form(q, SIDE_BASE, b->init[k], most, form, n);
			n = add_form(q, SIDE_BASE, b->body[k], most, form, n);
		}
	for (l = 0; q->loop && l < q->dist->nloop; l++)
		for (k = 0; k < q->dist->loop[l].n && q->loop[l].base == base_loop; k++)
			if (!handed(&q->dist->loop[l], k) && chain_parts(&q->ms, &q->loop[l].rel[k].c, &op) > 1) {
				n = add_form(q, SIDE_DIST, q->dist->loop[l].init[k], most, form, n);
				n = add_form(q, SIDE_DIST, q->dist->loop[l].body[k], most, form, n);
			}
	return n;
}

/* ---- what is carried out */

/* Is n a node of one operand, of the class of `core`? */
static bool reads_core(const egraph *g, eg_id n, eg_id core)
{
	return eg_narg(g, n) == 1 && eg_root(g, eg_args(g, n)[0]) == eg_root(g, core);
}

/* Two forms read one core; the first one perhaps through a table, which is a node of its own. */
static void note_cores(pair *q, eg_id x, eg_id y)
{
	const egraph *g = q->p->g;
	eg_id own = eg_args(g, x)[0], core = eg_args(g, y)[0];

	if (eg_root(g, own) != eg_root(g, core) && core_kind(&q->p->a, own) == C_AT && reads_core(g, own, core))
		own = eg_args(g, own)[0];
	history_premise(&q->p->a, own, core);
}

/* What the sum of parts adds up is the core of their form. */
static void note_summand(pair *q, eg_id have, eg_id cell)
{
	const egraph *g = q->p->g;
	eg_id core = eg_args(g, cell)[0], x = core_kind(&q->p->a, have) == C_LAID ? eg_args(g, have)[0] : NIL;

	x = x != NIL && reads_core(g, x, core) ? eg_args(g, x)[0] : core;
	history_premise(&q->p->a, x, core);
}

/* What is shown, that the forms it was built on are those of the instructions, and which cores they read: the checker
 * expects them in this order. */
static void note_claim(pair *q, const goal *g)
{
	eg_id p[3][2];
	int k;

	if (!g->compared)
		return;
	goal_ends(q, g, p);
	for (k = 0; k < 3; k++)
		history_premise(&q->p->a, p[k][0], p[k][1]);
	note_cores(q, g->want, g->bcell);
	note_summand(q, g->have, g->dcell);
}

/* The relation holds of what is carried out: its form. */
static eg_id concluded(pair *q, int at, int k)
{
	algebra *a = &q->p->a;
	const loop *d = loop_at(q, SIDE_DIST, at);
	const loop_relation *rel = &q->loop[at];
	int j = rel->partner[k], i;
	const row *r = &q->dist->row[d->after[k]], *b = &q->base->row[loop_at(q, SIDE_BASE, rel->base)->after[j]];
	eg_id cell = laid_cell(a, b->tensor), laid = related_form(q, &rel->rel[k], b, r);

	history_premise(a, b->tensor, cell);
	history_premise(a, eg_args(a->g, cell)[0], eg_args(a->g, cell)[0]);
	for (i = 0; i < d->n; i++) {
		note_claim(q, &q->claims[at].init[i]);
		note_claim(q, &q->claims[at].body[i]);
	}
	note_claim(q, &q->claims[at].cond);
	return laid;
}

/* What the rule `induction` asks of its node. */
static eg_id in_step(void *ctx, eg_id node)
{
	pair *q = ctx;
	enum program_side side;
	const char *why;
	int i;
	const row *r;

	if (!pair_row_of(q, node, &side, &i) || side != SIDE_DIST)
		stuck(&q->p->a.s, "it is not in step with another loop");
	r = &q->dist->row[i];
	if ((why = pair_loop_fails(q, r->loop)))
		stuck(&q->p->a.s, "%s", why);
	if (q->loop[r->loop].partner[r->carried] < 0)
		stuck(&q->p->a.s, "carried tensor %d has no counterpart in the baseline's loop", r->carried);
	return concluded(q, r->loop, r->carried);
}

/* A node of its own: whose loop, which of its values, how many of each kind its operands are (rules/tensors.egg). */
static void after_node(pair *q, program *p, int i)
{
	row *r = &p->row[i];
	const loop *l = &p->loop[r->loop];
	int64_t id[6] = { p->side, r->loop, r->carried, l->n, l->trips, l->cond >= 0 };
	eg_id *arg = ARENA_ARRAY(&q->p->a.s.a, eg_id, 3 * l->n + 1);
	int k, n = 0;

	for (k = 0; k < l->n; k++)
		arg[n++] = p->row[l->init[k]].tensor;
	for (k = 0; k < l->n; k++)
		arg[n++] = p->row[l->state[k]].tensor;
	for (k = 0; k < l->n; k++)
		arg[n++] = p->row[l->body[k]].tensor;
	if (l->cond >= 0)
		arg[n++] = p->row[l->cond].tensor;
	r->tensor = pair_tensor(q, pair_family(q, "loop-result"), r, p->ndev, 6, id, r->path, n, arg);
	pair_note_row(q, r->tensor, p->side, i);
}

static void after_base(pair *q, const row *r)
{
	history_begin(&q->p->a);
	pair_given(q, r->tensor, base_form(q, r, tame_after(q, r->loop, r->carried)));
}

void loop_take_after(pair *q, program *p, int i)
{
	row *r = &p->row[i];

	after_node(q, p, i);
	if (p->side == SIDE_BASE) {
		after_base(q, r);
		return;
	}
	if (!pair_loop_holds(q, r->loop) && q->loop)
		trail_set32(q->p->a.tr, &CLOSED(q, r->loop), REFUSED);
	normal_ask(&q->p->a, r->tensor);
}

/* ---- later */

static int late_loop(const pair *q)
{
	int l;

	for (l = 0; l < q->dist->nloop; l++)
		if (CLOSED(q, l) == REFUSED && pair_loop_holds(q, l))
			return l;
	return -1;
}

bool pair_loop_due(const pair *q)
{
	return q->loop && late_loop(q) >= 0;
}

bool pair_loop_again(pair *q)
{
	int l = q->loop ? late_loop(q) : -1, k;
	const loop *d = l < 0 ? NULL : loop_at(q, SIDE_DIST, l);

	if (!d)
		return false;
	trail_set32(q->p->a.tr, &CLOSED(q, l), CONCLUDED);
	for (k = 0; k < d->n; k++)
		if (!handed(d, k))
			prover_lift_again(q->p, q->dist->row[d->after[k]].tensor);
	return true;
}

void pair_loops(pair *q, const loop_relation *r, bool *const *tame)
{
	int l;

	q->loop = r;
	q->tame = tame;
	q->p->a.in_step = in_step;
	q->p->a.in_step_ctx = q;
	q->claims = ARENA_ARRAY(&q->a, loop_claims, q->dist->nloop);
	vec_push_n(&q->closed, (uint32_t)q->dist->nloop);
	for (l = 0; l < q->dist->nloop; l++) {
		size_t n = sizeof(goal) * (size_t)q->dist->loop[l].n;
		q->claims[l] = (loop_claims){ false, arena_zalloc(&q->a, n + 1), arena_zalloc(&q->a, n + 1), { .compared = false } };
	}
}
