#include "session/acts_in.h"

#include <stdlib.h>
#include <string.h>
#include "session/nodes.h"

/* ---- two constants in one class */

static bool same_number(number x, number y)
{
	if (number_is_rat(x) && number_is_rat(y))
		return x.r.num == y.r.num && x.r.den == y.r.den;
	return number_double(x) == number_double(y);
}

struct number_of {
	eg_id root, node;
};

static int by_root(const void *x, const void *y)
{
	const struct number_of *a = x, *b = y;

	if (a->root != b->root)
		return a->root < b->root ? -1 : 1;
	return a->node < b->node ? -1 : a->node > b->node;
}

const char *acts_contradiction(struct session *s)
{
	prover *p = s->p->p;
	algebra *a = &p->a;
	uint32_t n, i;
	const eg_id *node = eg_family_nodes(p->g, a->fam[C_NUMBER], &n);
	arena_mark m = arena_at(&a->s.a);
	struct number_of *k = ARENA_ARRAY(&a->s.a, struct number_of, n);
	const char *why = NULL;

	for (i = 0; i < n; i++)
		k[i] = (struct number_of){ eg_root(p->g, node[i]), node[i] };
	qsort(k, n, sizeof *k, by_root);
	for (i = 1; i < n && !why; i++) {
		number x = core_number(a, k[i - 1].node), y = core_number(a, k[i].node);
		if (k[i - 1].root != k[i].root || same_number(x, y))
			continue;
		why = arena_printf(&s->text, "%g = %g follows: what is assumed cannot be", number_double(x), number_double(y));
		s->contradiction.a = k[i - 1].node;
		s->contradiction.b = k[i].node;
		snprintf(s->contradiction.text, sizeof s->contradiction.text, "%g = %g", number_double(x), number_double(y));
	}
	arena_reset(&a->s.a, m);
	return why;
}

/* ---- doing an act where the run stands; a reason when it gives nothing */

static const char *find_row(struct session *s, enum program_side side, const char *name, int *row)
{
	*row = program_named(session_program(s, side), name);
	return *row < 0 ? arena_printf(&s->text, "%s has no instruction %s", side == SIDE_BASE ? "BASE" : "DIST", name) : NULL;
}

static const char *shape_difference(struct session *s, const chain *c, const row *b, const row *d)
{
	algebra *a = &s->p->p->a;
	int rank, k;
	int64_t *dim = chain_shape(a, &s->p->ms, c, b->rank, b->dim, &rank);

	for (k = 0; k < rank && rank == d->rank && dim[k] == d->dim[k]; k++)
		;
	if (rank == d->rank && k == rank)
		return NULL;
	{
		shape x = { .type = (enum etype)d->type, .rank = rank, .dim = dim };
		shape y = { .type = (enum etype)d->type, .rank = d->rank, .dim = d->dim };
		return arena_printf(&s->text, "the chain gives shape %s, %%%s has %s", shape_text(&a->s.a, &x), d->path,
				    shape_text(&a->s.a, &y));
	}
}

/* P(op): the baseline's tensor is the reduction of parts nobody knows; the family holds the parts. */
static const char *no_partial(const chain *c)
{
	int k;

	for (k = 0; k < c->n; k++)
		if (c->step[k].kind == CHAIN_PARTIAL)
			return "P(..) of an inner value does not say which parts: assume the value after the reduction";
	return NULL;
}

eg_id acts_chain_node(struct session *s, int base, int dist, const char *text, const char **why)
{
	algebra *a = &s->p->p->a;
	const row *b = &s->p->base->row[base], *d = &s->p->dist->row[dist];
	eg_id cell = session_cell(s, SIDE_BASE, base), laid = NIL;
	arena_mark m = arena_at(&a->s.a);
	arena tmp;
	chain c;

	if (s->p->base_in) {
		*why = "the baseline is a distributed program: its inner values are not related by a chain";
		return NIL;
	}
	arena_init(&tmp);
	if (!problem_read_chain(s->p, &tmp, text, &c, why)) {
		arena_free(&tmp);
		return NIL;
	}
	*why = no_partial(&c);
	if (setjmp(a->s.out)) {
		*why = arena_strdup(&s->text, a->s.reason);
	} else if (!*why && !(*why = shape_difference(s, &c, b, d))) {
		layout y = layout_of(a, cell);
		history_begin(a);
		laid = chain_apply(a, &s->p->ms, &c, d->type, &y, eg_args(a->g, cell)[0], b->rank, b->dim, d->rank, d->dim, d->path);
	}
	arena_free(&tmp);
	arena_reset(&a->s.a, m);
	return *why ? NIL : laid;
}

static const char *do_assume(struct session *s, struct act *a)
{
	algebra *al = &s->p->p->a;
	trail_mark mark = trail_at(al->tr);
	const char *why = NULL;
	int base, dist;
	arena tmp;
	chain c;

	if ((why = find_row(s, SIDE_BASE, a->base, &base)) || (why = find_row(s, SIDE_DIST, a->node, &dist)))
		return why;
	if (session_cell(s, SIDE_BASE, base) == NIL || session_tensor(s, SIDE_DIST, dist) == NIL)
		return arena_printf(&s->text, "%s is not taken up yet", session_tensor(s, SIDE_DIST, dist) == NIL ? a->node : a->base);
	arena_init(&tmp);
	if (problem_read_chain(s->p, &tmp, a->chain, &c, &why))
		why = pair_assume(s->p->q, base, dist, &c, &a->firing);
	arena_free(&tmp);
	if (why)
		trail_undo(al->tr, mark);
	return why;
}

static const char *do_apply(struct session *s, struct act *a)
{
	prover *p = s->p->p;
	uint32_t rule = prover_rule_named(p, a->rule);
	const char *at = a->node, *reason = NULL;
	arena_mark m = arena_at(&p->a.s.a);
	trail_mark mark = trail_at(p->a.tr);
	struct node_ref r;
	char why[512];

	if (rule == NIL)
		return arena_printf(&s->text, "there is no rule %s", a->rule);
	if (!nodes_parse(s, &at, SIDE_DIST, &r, why, sizeof why))
		return arena_strdup(&s->text, why);
	if (r.node == NIL)
		return arena_printf(&s->text, "%s is not taken up yet", a->node);
	a->firing = history_count(&p->a);
	if (prover_apply(p, rule, r.node, &reason))
		return NULL;
	a->firing = NIL;
	reason = arena_strdup(&s->text, reason ? reason : "it does not match there");
	arena_reset(&p->a.s.a, m);
	trail_undo(p->a.tr, mark);
	return reason;
}

static const char *do_switch(struct session *s, struct act *a)
{
	uint32_t rule = prover_rule_named(s->p->p, a->rule);
	bool on = a->kind == ACTS_RULE_ON;

	if (rule == NIL)
		return arena_printf(&s->text, "there is no rule %s", a->rule);
	if (!prover_runs(s->p->p, rules_at(s->p->p->r, rule)->ruleset))
		return "no ruleset that runs has it: `apply` alone fires it";
	if (prover_rule_on(s->p->p, rule) == on)
		return on ? "it is on already" : "it is off already";
	prover_switch(s->p->p, rule, on);
	level_bar(&s->levels, rule, !on);
	return NULL;
}

void acts_perform(struct session *s, struct act *a)
{
	a->mark = trail_at(s->p->p->a.tr);
	a->firing = NIL;
	a->step = session_step(s);
	a->end = session_done(s);
	a->place = acts_here(s);
	a->done = true;
	switch (a->kind) {
	case ACTS_ASSUME:
		a->failed = do_assume(s, a);
		break;
	case ACTS_APPLY:
		a->failed = do_apply(s, a);
		break;
	default:
		a->failed = do_switch(s, a);
	}
	if (!a->failed)
		s->broken = acts_contradiction(s);
}
