/* trace.c - how far a rule got at a node, and why it stopped. */
#include "rule/match_in.h"

#include <string.h>

struct trace {
	arena *a;
	miss best;
	bool any;
	uint32_t rank;		/* of best: instruction, then field */
};

/* ---- texts */

static const char *fam_name(const egraph *g, eg_id n)
{
	return eg_family(g, eg_fam_of(g, n))->name;
}

/* The different operators of a class, oldest list first, at most eight. */
static const char *members(arena *a, const egraph *g, eg_id class)
{
	const char *seen[8], *out = "";
	eg_id root = g->root[class], m = root;
	uint32_t n = 0, i;

	do {
		const char *name = fam_name(g, m);

		for (i = 0; i < n && strcmp(seen[i], name); i++)
			;
		if (i < n || eg_dead(g, m))
			continue;
		if (n == 8)
			return arena_printf(a, "%s ..", out);
		out = n ? arena_printf(a, "%s, %s", out, name) : name;
		seen[n++] = name;
	} while ((m = g->node[m].next) != root);
	return out;
}

static const char *operand_name(const matcher *m, operand o, arena *a)
{
	const char *name;

	if (o.kind == OPERAND_VALUE)
		return rules_value_text(m->r, a, o.id);
	if (o.kind == OPERAND_NODE)
		return fam_name(m->g, o.id);
	name = o.kind == OPERAND_VAR ? m->p->var[o.id].name : NULL;
	return name ? name : "_";
}

/* The atom as the rule writes it, with its variables' names. */
static const char *atom_text(const matcher *m, const atom *at, arena *a)
{
	const char *s = arena_printf(a, "(%s", at->table->name);
	uint32_t i;

	for (i = 0; i < at->table->ncol; i++) {
		const column *c = &at->table->col[i];

		s = arena_printf(a, "%s %s", s, operand_name(m, c->value ? at->val[c->index] : at->arg[c->index], a));
	}
	return arena_printf(a, "%s)", s);
}

/* ---- one stop */

static void field_stop(const matcher *m, const insn *in, eg_id n, const field *f, miss *x, arena *a)
{
	const egraph *g = m->g;
	uint32_t have;

	x->why = MISS_DIFFER;
	switch (f->kind) {
	case FIELD_ARG_SAME:
	case FIELD_ARG_NODE:
		x->class = g->cur[g->node[n].slot + f->index];
		x->other = g->root[f->kind == FIELD_ARG_NODE ? f->id : m->reg[f->id].id];
		x->text = arena_printf(a, "argument %u of %s is another class than %s", f->index + 1, fam_name(g, n),
				       operand_name(m, in->atom->arg[f->index], a));
		return;
	case FIELD_OUT_SAME:
	case FIELD_OUT_NODE:
		x->class = g->root[n];
		x->other = g->root[f->kind == FIELD_OUT_NODE ? f->id : m->reg[f->id].id];
		x->text = arena_printf(a, "%s is in another class", fam_name(g, n));
		return;
	case FIELD_VAL_SAME:
	case FIELD_VAL_IS:
		have = eg_vals_of(g, n)[f->index];
		x->text = arena_printf(a, "%s has %s, not %s", fam_name(g, n), rules_value_text(m->r, a, have),
				       rules_value_text(m->r, a, f->kind == FIELD_VAL_IS ? f->id : m->reg[f->id].id));
		return;
	case FIELD_REST_SAME:
		x->text = arena_printf(a, "%s has other operands", fam_name(g, n));
		return;
	default:
		x->why = MISS_FACT;
		x->text = arena_printf(a, "%s has no such value", atom_text(m, in->atom, a));
	}
}

static void none_stop(const matcher *m, const insn *in, miss *x, arena *a)
{
	if (in->kind == INSN_EXACT) {
		eg_id n = m->reg[in->from.id].id;

		x->why = MISS_OPERATOR;
		x->class = m->g->root[n];
		x->text = arena_printf(a, "%s is no %s but %s", operand_name(m, in->from, a), in->atom->table->name,
				       fam_name(m->g, n));
	} else if (in->kind == INSN_MEMBERS) {
		x->why = MISS_OPERATOR;
		x->class = m->g->root[match_operand(m, in->from).id];
		x->text = arena_printf(a, "no %s in the class; there is %s", in->atom->table->name, members(a, m->g, x->class));
	} else {
		x->why = MISS_FACT;
		x->text = arena_printf(a, "no %s %s", in->atom->table->kind == TABLE_CONSTRUCTOR ? "node" : "fact",
				       atom_text(m, in->atom, a));
	}
}

void trace_stop(matcher *m, uint32_t pc, enum stop why, eg_id n, const field *f, const char *reason)
{
	struct trace *t = m->trace;
	const insn *in = &m->prog->insn[pc];
	uint32_t rank = pc * 1024 + (f ? (uint32_t)(f - in->field) + 1 : why == STOP_HOST || why == STOP_EQUAL ? 1 : 0);

	if (t->any && rank <= t->rank)
		return;
	t->any = true;
	t->rank = rank;
	t->best.passed = pc;
	t->best.class = t->best.other = NIL;
	switch (why) {
	case STOP_FIELD:
		field_stop(m, in, n, f, &t->best, t->a);
		break;
	case STOP_NONE:
	case STOP_LOOKUP:
		none_stop(m, in, &t->best, t->a);
		break;
	case STOP_HOST:
		t->best.why = MISS_REFUSED;
		t->best.text = arena_printf(t->a, "%s refused: %s", in->atom->host->fn.name, reason ? reason : "undefined");
		break;
	case STOP_EQUAL:
		t->best.why = MISS_DIFFER;
		t->best.text = in->kind == INSN_HOST ?
			       arena_printf(t->a, "%s gives another result", in->atom->host->fn.name) :
			       "two constants of the rule differ";
		break;
	}
}

/* ---- one rule */

static void wrong_root(const matcher *m, const rule *r, eg_id node, miss *x, arena *a)
{
	const pattern *p = r->pattern;
	const insn *in = &p->code[0].insn[0];
	eg_fam want = p->atom[p->code[0].start].table->fam;

	if (eg_dead(m->g, node)) {
		x->why = MISS_OPERATOR;
		x->text = "the node has become another one by congruence";
	} else if (eg_fam_of(m->g, node) != want) {
		x->why = MISS_OPERATOR;
		x->text = arena_printf(a, "it starts at %s, this is %s", eg_family(m->g, want)->name, fam_name(m->g, node));
	} else if (m->g->node[node].narg != in->narg) {
		x->why = MISS_DIFFER;
		x->text = arena_printf(a, "it wants %s%u operands, there are %u", in->variadic ? "at least " : "", in->narg,
				       m->g->node[node].narg);
	} else {
		x->why = MISS_DIFFER;
		x->text = "the attributes differ";
	}
}

/* Whatever host calls intern or add while tracing is taken back. */
miss match_trace(matcher *m, const rule *r, eg_id node, arena *a)
{
	trail_mark mark = trail_at(&m->g->trail);
	struct trace t = { .a = a };
	bool found, changes = false;

	t.best = (miss){ .rule = r, .node = node, .class = NIL, .other = NIL, .text = "" };
	t.best.total = r->pattern->code[0].ninsn - 1;
	m->trace = &t;
	found = match_at(m, r, node);
	while (found && !(changes = match_would_change(m)) && match_next(m))
		;
	if (changes) {
		t.best.why = r->on ? MISS_NONE : MISS_OFF;
		t.best.passed = t.best.total;
		t.best.text = r->on ? "it matches" : "it matches, but is switched off";
	} else if (found || m->depth) {
		t.any = true;
		t.best.why = MISS_EQUAL;
		t.best.text = "it matches, and all it would say is known";
	} else if (!t.any && r->pattern->code[0].start != NIL) {
		wrong_root(m, r, node, &t.best, a);
	}
	m->trace = NULL;
	trail_undo(&m->g->trail, mark);
	return t.best;
}
