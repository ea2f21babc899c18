#include "fault/frontier.h"

#include <ctype.h>
#include <string.h>
#include "fault/difference.h"
#include "fault/fault.h"
#include "pair/carry.h"
#include "relation/describe.h"
#include "relation/presumed.h"
#include "relation/state_in.h"
#include "rule/rule_in.h"

static void explain_operands(states *s, const frontier_entry *e, frontier_report *r, arena *out)
{
	const struct row *d = &s->q->dist->row[e->row];
	int k;

	r->operand = ARENA_ARRAY(out, const char *, d->nop);
	for (k = 0; k < d->nop; k++)
		r->operand[r->nop++] = arena_printf(out, "%%%s: %s", s->q->dist->row[d->op[k]].path, fault_operand(s, d->op[k], out));
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

/* What a row is the sum over devices of, and how many times too much that is. */
struct reduction {
	uint32_t axes;
	rat times;
};

/* A sum of the devices' own means is compared as its mean, what takes parts of a sum as its sum. */
static struct reduction reduction_of(const states *s, int row)
{
	int o = s->q->dist->row[row].nop ? s->q->dist->row[row].op[0] : -1;

	if (o >= 0 && presumed_adds_means(s, row))
		return (struct reduction){ s->answer[o].scaled_axes, s->rs[o].scale };
	return (struct reduction){ partial_axes(s, row), RAT_ONE };
}

/* What takes parts of a sum is compared as its own sum: so it is seen what was counted too often. */
static difference difference_reduced(states *s, int base, int row, struct reduction over, arena *out)
{
	const char *axes = axes_text(&s->q->ms, over.axes, out);
	layout l, y;
	eg_id core, x;
	probe p;
	difference d = { 0 };

	if (!row_form(s->q, SIDE_DIST, row, &l, &core) || s->side[SIDE_BASE].core[base] == NIL || !probe_begin(&p, s->q))
		return d;
	if (probe_run(&p, probe_reduce(&p, &l, core, over.axes, "add", s->q->dist->row[row].type), &y, &x))
		d = difference_cores(s, s->side[SIDE_BASE].core[base], x, base, over.times, out);
	probe_end(&p);
	if (d.kind && opcode_class(s->q->dist->row[row].inst->opcode) == 'c') {
		d.text = arena_printf(out, "does not add the parts over %s", axes);
	} else if (d.kind == DIFFERENCE_OPERATION) {
		const char *name = s->q->dist->row[row].inst->opname;
		d.text = arena_printf(out, "%s of the parts of a sum is no part of %s of the sum", name, name);
	} else if (d.kind) {
		d.text = arena_printf(out, rat_eq(over.times, RAT_ONE) ? "summed over %s it %s" : "on average over %s it %s", axes, d.text);
	}
	return d;
}

/* Axes that divide an operand. */
static uint32_t operand_axes(const states *s, int row)
{
	const struct row *r = &s->q->dist->row[row];
	uint32_t axes = 0;
	layout l;
	eg_id x;
	int k;

	for (k = 0; k < r->nop; k++)
		if (s->rs[r->op[k]].verified && row_form(s->q, SIDE_DIST, r->op[k], &l, &x))
			axes |= bound_axes(&s->q->ms, &l);
	return axes;
}

/* What sums over a part of an axis may be meant to be reduced later: then what it counts too often is the fault, and no reduction is
 * missing here. */
static difference difference_of_parts(states *s, int base, int row, difference d, arena *out)
{
	uint32_t axes = d.kind != DIFFERENCE_SUMMED ? 0 : operand_axes(s, row);
	difference whole = axes ? difference_reduced(s, base, row, (struct reduction){ axes, RAT_ONE }, out) : (difference){ 0 };

	if (whole.kind != DIFFERENCE_SCALE)
		return d;
	whole.text = arena_printf(out, "adds parts of a sum over %s to what every device has whole: %s", axes_text(&s->q->ms, axes, out), whole.text);
	return whole;
}

/* An operation that is none of the baseline's on what it takes: two terms of different kinds say nothing of each other. */
static difference difference_unlike(const states *s, int base, int row, difference d, arena *out)
{
	const struct row *r = &s->q->dist->row[row], *b = &s->q->base->row[base];
	int k;

	if (d.kind != DIFFERENCE_OPERATION || b->inst->opcode == r->inst->opcode || (carry_elementwise(r) && carry_elementwise(b)))
		return d;
	for (k = 0; k < r->nop && (s->rs[r->op[k]].constant || s->rs[r->op[k]].base < 0); k++)
		;
	d.kind = DIFFERENCE_UNLIKE;
	d.text = k == r->nop ? arena_printf(out, "the baseline does no %s here: its %%%s is %s", r->inst->opname, b->path, b->inst->opname)
			     : arena_printf(out, "the baseline does no %s of %%%s: there it goes into %%%s (%s)", r->inst->opname,
					    s->q->base->row[s->rs[r->op[k]].base].path, b->path, b->inst->opname);
	return d;
}

static void explain_candidates(states *s, const frontier_entry *e, frontier_report *r, arena *out)
{
	frontier_candidate *c = ARENA_ARRAY(out, frontier_candidate, e->nbase + 1);	/* one more: name_left_over */
	struct reduction over = reduction_of(s, e->row);
	int k;

	for (k = 0; k < e->nbase; k++) {
		difference d = over.axes ? difference_reduced(s, e->base[k], e->row, over, out) : (difference){ 0 };
		if (!d.kind)
			d = difference_rows(s, e->base[k], e->row, out);
		if (d.kind && !over.axes)
			d = difference_of_parts(s, e->base[k], e->row, d, out);
		if (!over.axes)
			d = difference_unlike(s, e->base[k], e->row, d, out);
		c[r->ncand++] = (frontier_candidate){ e->base[k], d.text, d.kind };
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

/* Rules that start at such a node and refused, each with its reason; tried in a probe, for a rule may build before it refuses.
 * Why the instruction itself is not understood is the sentence of the fault already. */
static void explain_near(states *s, const frontier_entry *e, frontier_report *r, arena *out)
{
	prover *p = s->q->p;
	frontier_near *near = ARENA_ARRAY(out, frontier_near, NEAR_MAX);
	eg_id core = s->side[SIDE_DIST].core[e->row], n;
	const char *why;
	probe b;
	uint32_t i;

	r->near = near;
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
	}
	probe_end(&b);
}

/* Is the name of a row longer than up to here?  A full stop that no digit follows ends a sentence. */
static bool goes_on(const char *at)
{
	return isalnum((unsigned char)*at) || (*at && strchr("_-/[#", *at)) || (*at == '.' && isdigit((unsigned char)at[1]));
}

static bool names(const char *sentence, const char *path)
{
	size_t n = strlen(path);
	const char *at;

	for (at = sentence; (at = strchr(at, '%')); at++)
		if (!strncmp(at + 1, path, n) && !goes_on(at + 1 + n))
			return true;
	return false;
}

/* The row of the baseline that is left over, when the sentence names it, stands before the candidates. */
static void name_left_over(states *s, const frontier_entry *e, frontier_report *r, arena *out)
{
	int b = r->reason ? counterpart_alike(s, e->row) : -1, k;
	frontier_candidate *c = (frontier_candidate *)r->cand;
	difference d;

	if (b < 0 || !names(r->reason, s->q->base->row[b].path))
		return;
	for (k = 0; k < r->ncand; k++)
		if (c[k].base == b)
			return;
	d = difference_rows(s, b, e->row, out);
	memmove(c + 1, c, sizeof *c * (size_t)r->ncand++);
	c[0] = (frontier_candidate){ b, d.text, d.kind };
}

const frontier_report *frontier_explain(states *s, const frontier_entry *e, arena *out)
{
	frontier_report *r = ARENA_NEW(out, frontier_report);

	r->state = state_kind_name(s->rs[e->row].kind);
	r->computes = describe_row(s, SIDE_DIST, e->row, out);
	explain_operands(s, e, r, out);
	explain_candidates(s, e, r, out);
	explain_near(s, e, r, out);
	r->reason = fault_sentence(s, e, r->ncand ? &r->cand[0] : NULL, out);
	name_left_over(s, e, r, out);
	return r;
}
