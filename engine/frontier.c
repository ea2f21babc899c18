#include "frontier.h"

#include <stdlib.h>
#include <string.h>
#include "describe.h"
#include "difference.h"
#include "layout_text.h"
#include "padded.h"
#include "rule_in.h"
#include "state_in.h"

/* ---- which rows */

static bool unproved(const pair *q, const goal *g)
{
	return g->dist_row >= 0 && g->compared && !goal_met(q, g);
}

/* Rows from which an unproved output is reached through unverified rows only, themselves unverified: a byte per row. */
static bool *blamed(const states *s, arena *out)
{
	const struct side *d = &s->side[SIDE_DIST];
	int n = d->p->nrow, i, k, w;
	bool *b = arena_zalloc(out, (size_t)n + 1);
	uint64_t left;

	for (k = 0; k < s->q->ngoal; k++)
		if (unproved(s->q, &s->q->goal[k]))
			b[s->q->goal[k].dist_row] = true;
	for (w = n / 64; w >= 0; w--)
		for (left = s->open[w]; left; left &= ~((uint64_t)1 << i % 64)) {
			i = w * 64 + 63 - __builtin_clzll(left);
			for (k = d->use_at[i]; k < d->use_at[i + 1] && !b[i]; k++) {	/* what is not lifted yet may still need it */
				const row_state *u = &s->rs[d->use[k]];
				b[i] = !u->verified && (b[d->use[k]] || !u->settled);
			}
		}
	return b;
}

static bool inputs_settle_blame(const states *s, int row)
{
	const struct row *r = &s->q->dist->row[row];
	int k;

	for (k = 0; k < r->nop; k++)
		if (!s->rs[r->op[k]].verified && !s->rs[r->op[k]].index)
			return false;
	return true;
}

static void add(states *s, frontier *f, frontier_entry *e, int row, enum frontier_kind kind, const goal *g, arena *out)
{
	int base[8], n = counterpart_users(s, row, base, 8), i, m = 0;
	enum opcode op = s->q->dist->row[row].inst->opcode;

	for (i = 0; i < n; i++)		/* of the same operation, if there are any */
		m += s->q->base->row[base[i]].inst->opcode == op;
	n = m ? m : n > 3 ? 3 : n;
	e[f->n++] = (frontier_entry){ row, kind == FRONTIER_ALONE && n ? FRONTIER_DIFFERS : kind, g, n,
				      memcpy(ARENA_ARRAY(out, int, n), base, sizeof *base * (size_t)n) };
}

static int by_kind(const void *x, const void *y)
{
	const frontier_entry *a = x, *b = y;

	return a->kind != b->kind ? (a->kind > b->kind) - (a->kind < b->kind) : a->row - b->row;
}

/* Outputs that are verified with another relation than their goal's; of several goals of a row the first. */
static void add_relations(states *s, frontier *f, frontier_entry *e, arena *out)
{
	const goal *g;
	int k, i;

	for (k = 0; k < s->q->ngoal && pair_position(s->q) == pair_length(s->q); k++) {
		g = &s->q->goal[k];
		if (!unproved(s->q, g) || !s->rs[g->dist_row].verified)
			continue;
		for (i = 0; i < f->n && e[i].row != g->dist_row; i++)
			;
		if (i == f->n)
			add(s, f, e, g->dist_row, FRONTIER_RELATION, g, out);
	}
}

frontier frontier_find(states *s, arena *out)
{
	int n = s->q->dist->nrow, i, room = s->q->ngoal;
	frontier f = { .so_far = !pair_done(s->q) };
	bool *b = blamed(s, out);
	frontier_entry *e;

	for (i = state_next_bit(s->open, 0, n); i < n; i = state_next_bit(s->open, i + 1, n)) {
		b[i] = b[i] && !s->rs[i].index && inputs_settle_blame(s, i);
		room += b[i];
	}
	e = ARENA_ARRAY(out, frontier_entry, room);
	add_relations(s, &f, e, out);
	for (i = state_next_bit(s->open, 0, n); i < n; i = state_next_bit(s->open, i + 1, n))
		if (b[i])
			add(s, &f, e, i, s->rs[i].kind == STATE_SCALED ? FRONTIER_SCALED : FRONTIER_ALONE, NULL, out);
	qsort(e, (size_t)f.n, sizeof *e, by_kind);
	f.e = e;
	return f;
}

/* ---- what is said about one */

static const char *dist_name(const states *s, int row)
{
	return s->q->dist->row[row].path;
}

static const char *base_name(const states *s, int row)
{
	return s->q->base->row[row].path;
}

static const char *wanted(const goal *g)
{
	return g->rel->c.text && *g->rel->c.text ? g->rel->c.text : "R";
}

static bool wants_axis(const goal *g, int axis)
{
	int k;

	for (k = 0; k < g->rel->c.n; k++)
		if (g->rel->c.step[k].kind == CHAIN_PARTIAL && g->rel->c.step[k].axis == axis)
			return true;
	return false;
}

static const char *relation_reason(states *s, const frontier_entry *e, arena *out)
{
	const row_state *r = &s->rs[e->row];
	const struct answer *w = &s->answer[e->row];
	const char *have = state_relation(s, e->row, out);
	uint32_t missing = 0;
	int k;

	if (e->goal->why)
		return arena_printf(out, "%%%s is verified, but its goal is not compared: %s", dist_name(s, e->row), e->goal->why);
	if (r->base < 0)
		return arena_printf(out, "%%%s is constant, the plan wants %s of %%%s", dist_name(s, e->row), wanted(e->goal),
				    e->goal->base_row >= 0 ? base_name(s, e->goal->base_row) : "?");
	for (k = 0; r->kind == STATE_PARTIAL && k < s->q->ms.n && k < 32; k++)
		if (w->axes >> k & 1 && !wants_axis(e->goal, k))
			missing |= 1u << k;
	if (missing && r->base == e->goal->base_row)
		return arena_printf(out, "%%%s is %s of %%%s, the plan wants %s: an all-reduce over %s is missing", dist_name(s, e->row), have,
				    base_name(s, r->base), wanted(e->goal), axes_text(&s->q->ms, missing, out));
	if (e->goal->base_row >= 0 && r->base != e->goal->base_row)
		return arena_printf(out, "%%%s is %s of %%%s, the plan wants %s of %%%s", dist_name(s, e->row), have, base_name(s, r->base),
				    wanted(e->goal), base_name(s, e->goal->base_row));
	return arena_printf(out, "%%%s is %s of %%%s, the plan wants %s", dist_name(s, e->row), have, base_name(s, r->base), wanted(e->goal));
}

static const char *operand_relation(const states *s, int row, arena *out)
{
	const row_state *r = &s->rs[row];
	const char *t = state_relation(s, row, out);

	if (r->index)
		return "index arithmetic the baseline does not have";
	if (r->base >= 0 && r->kind != STATE_SCALED)
		return arena_printf(out, "%s of %%%s", *t ? t : "?", base_name(s, r->base));
	return *t ? t : "unverified";
}

static int partial_operands(const states *s, int row, int *first, int *whole)
{
	const struct row *r = &s->q->dist->row[row];
	int k, n = 0;

	*first = *whole = -1;
	for (k = 0; k < r->nop; k++) {
		if (s->rs[r->op[k]].kind == STATE_PARTIAL) {
			*first = *first < 0 ? r->op[k] : *first;
			n++;
		} else if (s->rs[r->op[k]].verified && !s->rs[r->op[k]].constant) {
			*whole = r->op[k];
		}
	}
	return n;
}

static const char *padded_operand(const states *s, int row, arena *out)
{
	const struct row *r = &s->q->dist->row[row];
	int k;

	for (k = 0; k < r->nop; k++)
		if (padded_by(s, r->op[k]))
			return arena_printf(out, "it takes in the padding of %%%s, which holds arbitrary values: %s", dist_name(s, r->op[k]),
					    padded_by(s, r->op[k])->text);
	return NULL;
}

static const char *index_operand(const states *s, int row, arena *out)
{
	const struct row *r = &s->q->dist->row[row];
	int k;

	for (k = 0; k < r->nop; k++)
		if (s->rs[r->op[k]].index)
			return arena_printf(out, "it is fed by %%%s, index arithmetic the baseline does not have", dist_name(s, r->op[k]));
	return NULL;
}

/* Operands of an elementwise operation that lie differently. */
static const char *parted_operands(const states *s, int row, arena *out)
{
	const struct row *r = &s->q->dist->row[row];
	char class = opcode_class(r->inst->opcode);
	const char *first = NULL, *t;
	int k, at = -1;

	for (k = 0; k < r->nop && (class == 'b' || class == 't'); k++) {
		const row_state *o = &s->rs[r->op[k]];
		if (s->rs[r->op[k]].constant || (o->kind != STATE_RELATED && o->kind != STATE_REORDERED))
			continue;
		t = state_relation(s, r->op[k], out);
		if (first && strcmp(first, t))
			return arena_printf(out, "its operands do not agree: %%%s is %s, %%%s is %s", dist_name(s, at), operand_relation(s, at, out),
					    dist_name(s, r->op[k]), operand_relation(s, r->op[k], out));
		first = t;
		at = r->op[k];
	}
	return NULL;
}

/* An operand that is the baseline's in another order. */
static const char *turned_operand(const states *s, int row, arena *out)
{
	const struct row *r = &s->q->dist->row[row];
	layout l, b;
	eg_id x, y;
	int k;

	for (k = 0; k < r->nop; k++) {
		const row_state *o = &s->rs[r->op[k]];
		bool turned = o->kind == STATE_REORDERED;
		if (o->kind == STATE_RELATED && !o->note && o->base >= 0 && row_form(s->q, SIDE_DIST, r->op[k], &l, &x) &&
		    row_form(s->q, SIDE_BASE, o->base, &b, &y))
			turned = !layout_keeps_order(&s->q->p->a, &s->q->ms, &b, &l);
		if (turned)
			return arena_printf(out, "%%%s is not in the baseline's order: %s", dist_name(s, r->op[k]), operand_relation(s, r->op[k], out));
	}
	return NULL;
}

static const char *plain_reason(states *s, const frontier_entry *e, const frontier_report *r, arena *out)
{
	const struct row *d = &s->q->dist->row[e->row];
	const char *lift = prover_lift_reason(s->q->p, d->tensor), *t;
	int part, whole;

	if (lift)
		return arena_printf(out, "no rule lifts %s%s%s", d->inst->opname, strcmp(lift, "no rule") ? ": " : "", strcmp(lift, "no rule") ? lift : "");
	if (partial_operands(s, e->row, &part, &whole))
		return arena_printf(out, "%s%s", whole < 0 ? arena_printf(out, "it takes parts: %%%s is %s", dist_name(s, part), state_relation(s, part, out))
							   : arena_printf(out, "its operands do not agree: %%%s is %s, %%%s is %s", dist_name(s, part),
									  state_relation(s, part, out), dist_name(s, whole), operand_relation(s, whole, out)),
				    r->ncand && r->cand[0].difference
					? arena_printf(out, "; %s", r->cand[0].difference) : "");
	if ((t = padded_operand(s, e->row, out)) || (t = index_operand(s, e->row, out)))
		return t;
	if (r->ncand && r->cand[0].difference && strcmp(r->cand[0].kind, "pairing") && strcmp(r->cand[0].kind, "places of the result"))
		return r->cand[0].difference;
	if ((t = parted_operands(s, e->row, out)) || (t = turned_operand(s, e->row, out)))
		return t;
	if (r->ncand && r->cand[0].difference)
		return r->cand[0].difference;
	return e->nbase ? "the baseline computes something else of these operands" : "nothing in the baseline computes this of these operands";
}

static const char *reason_of(states *s, const frontier_entry *e, const frontier_report *r, arena *out)
{
	switch (e->kind) {
	case FRONTIER_RELATION:
		return relation_reason(s, e, out);
	case FRONTIER_SCALED:
		return arena_printf(out, "it is %s: a factor too many", state_relation(s, e->row, out));
	default:
		return s->rs[e->row].limit ? arena_printf(out, "%s (a question about it was cut by a limit)", plain_reason(s, e, r, out))
					   : plain_reason(s, e, r, out);
	}
}

static void explain_operands(states *s, const frontier_entry *e, frontier_report *r, arena *out)
{
	const struct row *d = &s->q->dist->row[e->row];
	int k;

	r->operand = ARENA_ARRAY(out, const char *, d->nop);
	for (k = 0; k < d->nop; k++)
		r->operand[r->nop++] = arena_printf(out, "%%%s: %s", dist_name(s, d->op[k]), operand_relation(s, d->op[k], out));
}

/* Axes over which an operand is a part of a sum. */
static uint32_t partial_axes(const states *s, int row)
{
	const struct row *r = &s->q->dist->row[row];
	uint32_t axes = 0;
	int k;

	for (k = 0; k < r->nop; k++)
		if (s->rs[r->op[k]].kind == STATE_PARTIAL && s->q->dist->row[r->op[k]].param < 0 && !strcmp(s->answer[r->op[k]].op, "add"))
			axes |= s->answer[r->op[k]].axes;
	return axes;
}

/* What takes parts of a sum is compared as its own sum: so it is seen what was counted too often. */
static difference difference_reduced(states *s, int base, int row, uint32_t axes, arena *out)
{
	layout l, y;
	eg_id core, x;
	probe p;
	difference d = { 0 };

	if (!row_form(s->q, SIDE_DIST, row, &l, &core) || s->side[SIDE_BASE].core[base] == NIL || !probe_begin(&p, s->q))
		return d;
	if (probe_run(&p, probe_reduce(&p, &l, core, axes, "add", s->q->dist->row[row].type), &y, &x))
		d = difference_cores(s, s->side[SIDE_BASE].core[base], x, base, out);
	probe_end(&p);
	if (d.any && opcode_class(s->q->dist->row[row].inst->opcode) == 'c') {
		d.text = arena_printf(out, "does not add the parts over %s", axes_text(&s->q->ms, axes, out));
	} else if (d.any && !strcmp(d.kind, "operation")) {
		const char *name = s->q->dist->row[row].inst->opname;
		d.text = arena_printf(out, "%s of the parts of a sum is no part of %s of the sum", name, name);
	} else if (d.any) {
		d.text = arena_printf(out, "summed over %s it %s", axes_text(&s->q->ms, axes, out), d.text);
	}
	return d;
}

static void explain_candidates(states *s, const frontier_entry *e, frontier_report *r, arena *out)
{
	frontier_candidate *c = ARENA_ARRAY(out, frontier_candidate, e->nbase);
	uint32_t axes = partial_axes(s, e->row);
	int k;

	for (k = 0; k < e->nbase; k++) {
		difference d = axes ? difference_reduced(s, e->base[k], e->row, axes, out) : (difference){ 0 };
		if (!d.any)
			d = difference_rows(s, e->base[k], e->row, out);
		c[r->ncand++] = (frontier_candidate){ e->base[k], d.any ? d.text : NULL, d.any ? d.kind : NULL };
	}
	r->cand = c;
}

#define NEAR_MAX 12

static void note_near(frontier_report *r, frontier_near *near, const char *rule, const char *why, arena *out)
{
	int k;

	for (k = 0; k < r->nnear; k++)
		if (!strcmp(near[k].rule, rule))
			return;
	if (r->nnear < NEAR_MAX)
		near[r->nnear++] = (frontier_near){ rule, arena_strdup(out, why) };
}

/* Rules that start at such a node and refused, each with its reason; tried in a probe, for a rule may build before it refuses. */
static void explain_near(states *s, const frontier_entry *e, frontier_report *r, arena *out)
{
	prover *p = s->q->p;
	frontier_near *near = ARENA_ARRAY(out, frontier_near, NEAR_MAX);
	eg_id core = s->side[SIDE_DIST].core[e->row], n;
	const char *why = prover_lift_reason(p, s->q->dist->row[e->row].tensor);
	probe b;
	uint32_t i;

	r->near = near;
	if (why)
		note_near(r, near, s->q->dist->row[e->row].family, why, out);
	if (core == NIL || e->kind == FRONTIER_RELATION || !probe_begin(&b, s->q))
		return;
	n = normal_node(&p->a, core);
	for (i = 0; i < rules_n(p->r); i++) {
		const rule *u = rules_at(p->r, i);
		eg_id m;
		if ((u->ruleset != p->set_normalize && u->ruleset != p->set_search) ||
		    rule_root_family((rule *)u) != eg_op_family(p->g, eg_node_op(p->g, n)))
			continue;
		m = prover_try(p, i, n, &why);
		if (m == NIL && why && strcmp(why, "nothing to do here"))
			note_near(r, near, u->name, why, out);
		else if (m != NIL && !prover_rule_on(p, i) && eg_root(p->g, m) != eg_root(p->g, n))
			note_near(r, near, u->name, "it applies, but is a search rule and was not run", out);
	}
	probe_end(&b);
}

const frontier_report *frontier_explain(states *s, const frontier_entry *e, arena *out)
{
	frontier_report *r = ARENA_NEW(out, frontier_report);

	r->state = state_kind_name(s->rs[e->row].kind);
	r->computes = describe_row(s, SIDE_DIST, e->row, out);
	explain_operands(s, e, r, out);
	explain_candidates(s, e, r, out);
	explain_near(s, e, r, out);
	r->reason = reason_of(s, e, r, out);
	return r;
}
