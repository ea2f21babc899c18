/* What a proof's file has to show, and which nodes and facts that takes. */
#include "proof/proof_write_in.h"

#include <string.h>
#include "core/facts.h"

static void claim(struct proof_writer *w, eg_id x, eg_id y)
{
	eg_id *c;

	if (x >= w->nnode || y >= w->nnode) {
		w->why = "a goal was not built with this graph";
		return;
	}
	c = vec_push_n(&w->claim, 2);
	c[0] = x;
	c[1] = y;
}

bool proof_shows(const struct proof_writer *w, const goal *g)
{
	return g->compared && !g->within && goal_met(w->p->q, g);
}

static void claim_goal(struct proof_writer *w, const goal *g)
{
	eg_id (*pair)[2];
	uint32_t n = goal_claims(w->p->q, g, &w->tmp, &pair), k;

	if (!n)
		w->why = "a goal cannot be built again";
	for (k = 0; k < n; k++)
		claim(w, pair[k][0], pair[k][1]);
}

static void claim_all(struct proof_writer *w)
{
	const pair *q = w->p->q;
	int k;

	for (k = 0; k < q->ngoal; k++)
		if (proof_shows(w, &q->goal[k]))
			claim_goal(w, &q->goal[k]);
}

static void explain_claims(struct proof_writer *w)
{
	if (w->claim.n)
		w->e = proof_of_all(w->a, w->claim.n / 2, (const eg_id (*)[2])w->claim.base, &w->tmp);
}

static bool is_row(const struct proof_writer *w, eg_id n)
{
	enum program_side side;
	int row;

	return pair_row_of(w->p->q, n, &side, &row);
}

/* Operands are older: a stack of those still to be looked at. */
static void need(struct proof_writer *w, eg_id first)
{
	eg_id n;
	uint32_t k;

	*(eg_id *)vec_push(&w->open) = first;
	while (w->open.n) {
		n = VEC_AT(eg_id, &w->open, --w->open.n);
		if (w->number[n])
			continue;
		w->number[n] = 1;
		if (w->source[n])
			*(eg_id *)vec_push(&w->open) = w->source[n] - 1;
		if (is_row(w, n) || w->source[n])
			continue;
		for (k = 0; k < eg_narg(w->g, n); k++)
			*(eg_id *)vec_push(&w->open) = eg_args(w->g, n)[k];
	}
}

const program *proof_program(const struct proof_writer *w, enum program_side side)
{
	return side == SIDE_BASE ? w->p->base : w->p->dist;
}

/* Is another row the first with this row's node? */
static bool is_alias(const struct proof_writer *w, enum program_side side, int row)
{
	enum program_side s;
	int first;

	return pair_row_of(w->p->q, proof_program(w, side)->row[row].tensor, &s, &first) && (s != side || first != row);
}

static void need_operands(struct proof_writer *w, eg_id n);

static void need_row(struct proof_writer *w, enum program_side side, int row)
{
	const program *p = proof_program(w, side);
	const struct row *r = &p->row[row];
	struct proof_alias *x = &w->alias[side][row];
	int k;

	need(w, r->tensor);
	if (!is_alias(w, side, row) || x->number)
		return;
	x->number = 1;
	for (k = 0; k < r->nop; k++) {
		if (p->row[r->op[k]].tensor != eg_args(w->g, r->tensor)[k])
			claim(w, p->row[r->op[k]].tensor, eg_args(w->g, r->tensor)[k]);
		need_row(w, side, r->op[k]);
	}
	need_operands(w, r->tensor);
}

/* Of an instruction: what the check reads as its operands. */
static void need_operands(struct proof_writer *w, eg_id n)
{
	enum program_side side;
	int row, k;

	if (!pair_row_of(w->p->q, n, &side, &row))
		return;
	for (k = 0; k < proof_program(w, side)->row[row].nop; k++)
		if (is_alias(w, side, proof_program(w, side)->row[row].op[k]))
			need_row(w, side, proof_program(w, side)->row[row].op[k]);
}

/* That what the baseline's loop carries is finite is shown before it and after a trip. */
static void need_loop(struct proof_writer *w, int l)
{
	enum { MOST = 256 };
	eg_id form[MOST][2];
	int n, k;

	if (l < 0 || w->loop[l])
		return;
	w->loop[l] = true;
	n = pair_loop_forms(w->p->q, l, MOST, form);
	for (k = 0; k < n; k++) {
		claim(w, form[k][0], form[k][1]);
		need(w, form[k][0]);
		need_operands(w, form[k][0]);
		need(w, form[k][1]);
	}
}

/* The premises of an induction begin with the forms of its operands; then comes the baseline's loop. */
static void need_loop_of(struct proof_writer *w, const hist_entry *f)
{
	uint32_t forms = eg_narg(w->g, f->node);
	enum program_side side;
	int row;

	if (f->rule < RULE_GIVEN && f->nprem > forms && pair_row_of(w->p->q, f->node, &side, &row) &&
	    proof_program(w, side)->row[row].role == ROW_AFTER &&
	    pair_row_of(w->p->q, history_premises(w->a, f)[forms].x, &side, &row) && side == SIDE_BASE)
		need_loop(w, w->p->base->row[row].loop);
}

bool proof_opens_row(const struct proof_writer *w, const premise *p)
{
	return p->x == p->y && is_row(w, p->y);
}

static void need_firing(struct proof_writer *w, const hist_entry *f)
{
	const premise *p = history_premises(w->a, f);
	const made_node *m = history_made(w->a, f);
	uint32_t i, k;

	for (i = 0; i < f->nprem; i++) {
		need(w, p[i].x);
		need(w, p[i].y);
		if (proof_opens_row(w, &p[i]))
			need_operands(w, p[i].y);
	}
	need_loop_of(w, f);
	for (i = 0; i < f->nmade; i++) {
		need(w, m[i].node);
		for (k = 0; k < m[i].narg; k++)
			need(w, history_args(w->a, &m[i])[k]);
	}
}

static void find_sources(struct proof_writer *w)
{
	uint32_t i;

	for (i = 0; i < history_count(w->a); i++)
		if (history_at(w->a, i)->rule == RULE_FALLBACK)
			w->source[history_at(w->a, i)->result] = history_at(w->a, i)->node + 1;
}

static void need_goals(struct proof_writer *w)
{
	const pair *q = w->p->q;
	int k;

	for (k = 0; k < q->ngoal; k++)
		if (proof_shows(w, &q->goal[k])) {
			need_row(w, SIDE_BASE, q->goal[k].base_row);
			need_row(w, SIDE_DIST, q->goal[k].dist_row);
		}
}

static void need_all(struct proof_writer *w)
{
	uint32_t i;

	for (i = 0; i < w->e.n; i++) {
		const eg_edge *e = eg_get_edge(w->g, w->e.item[i].id);
		need(w, e->a);
		need(w, e->b);
		need_operands(w, e->a);
		need_operands(w, e->b);
		if (e->kind != EG_CONGRUENCE)
			need_firing(w, history_at(w->a, e->firing));
	}
	for (i = 0; i < w->claim.n; i++)
		need(w, VEC_AT(eg_id, &w->claim, i));
	need_goals(w);
}

static bool is_core(const struct proof_writer *w, eg_id n)
{
	return core_kind(w->a, n) < C_LAID;
}

/* The member of n's class, not in the file yet, that shows most of this, or NIL. */
static eg_id witness(const struct proof_writer *w, eg_id n, uint32_t missing)
{
	eg_id r = eg_root(w->g, n), m = r, best = NIL;
	uint32_t most = 0, got;

	do {
		got = w->number[m] ? 0 : facts_shown(w->a, m) & missing;
		if (got > most) {
			most = got;
			best = m;
		}
		m = eg_next_in_class(w->g, m);
	} while (m != r);
	return best;
}

static void need_ground(struct proof_writer *w, eg_id n, const fact_ground *g)
{
	const premise *p = facts_ground_premises(w->a, g);
	uint32_t k;

	claim(w, n, g->node);
	need(w, g->node);
	for (k = 0; k < g->nprem; k++) {
		claim(w, p[k].x, p[k].y);
		need(w, p[k].x);
		need(w, p[k].y);
	}
}

/* The first ground there was for some of this. */
static bool claim_ground(struct proof_writer *w, eg_id n, uint32_t missing)
{
	uint32_t i;

	for (i = 0; i < facts_grounds(w->a); i++) {
		const fact_ground *g = facts_ground(w->a, i);
		if (w->ground[i] || !(g->bits & missing) || eg_root(w->g, g->node) != eg_root(w->g, n))
			continue;
		w->ground[i] = 1;
		need_ground(w, n, g);
		return true;
	}
	return false;
}

/* More that shows some of what the class of n knows, and the file does not show yet. */
static void claim_fact(struct proof_writer *w, eg_id n, uint32_t missing)
{
	eg_id m;

	if (claim_ground(w, n, missing) || (m = witness(w, n, missing)) == NIL)
		return;
	claim(w, n, m);
	need(w, m);
}

/* The nodes of the file, but for those that a step showed to be their own operand: abs x = x rests on what x shows. */
static uint32_t *nodes_that_show(struct proof_writer *w)
{
	uint32_t *node = ARENA_ARRAY(&w->tmp, uint32_t, w->nnode + 1), i, k;

	memcpy(node, w->number, sizeof *node * w->nnode);
	for (i = 0; i < w->e.n; i++) {
		const eg_edge *e = eg_get_edge(w->g, w->e.item[i].id);
		eg_id n = e->kind == EG_RULE ? history_at(w->a, e->firing)->node : NIL;
		for (k = 0; n != NIL && k < eg_narg(w->g, n); k++)
			if (eg_root(w->g, eg_args(w->g, n)[k]) == eg_root(w->g, n))
				node[n] = 0;
	}
	return node;
}

static void claim_facts(struct proof_writer *w)
{
	arena_mark mark = arena_at(&w->tmp);
	uint32_t *known = ARENA_ARRAY(&w->tmp, uint32_t, w->a->facts.n), n, r;

	facts_follow(&w->p->p->a, nodes_that_show(w), w->ground, known);
	for (n = 0; n < w->nnode; n++) {
		if (!w->number[n] || !is_core(w, n))
			continue;
		r = eg_root(w->g, n);
		if (core_kind(w->a, n) == C_PARAM)
			need_loop(w, pair_loop_of(w->p->q, n));
		if (type_is_float(core_type(w->a, n)) && facts_of(w->a, r) & ~known[r])
			claim_fact(w, n, facts_of(w->a, r) & ~known[r]);
		known[r] |= facts_of(w->a, r);	/* once for each class */
	}
	arena_reset(&w->tmp, mark);
}

void proof_need(struct proof_writer *w)
{
	uint32_t before;

	find_sources(w);
	claim_all(w);
	do {
		if (w->why)
			return;
		before = w->claim.n;
		explain_claims(w);
		need_all(w);
		claim_facts(w);
	} while (w->claim.n > before);
}
