/* firing_explain.c - what a logged firing rested on, and how it reads. */
#include "rule/firing_explain.h"

#include "rule/firing_in.h"

struct opener {
	const firings *f;
	const egraph *g;
	explainer *x;
	rv *value;		/* of the variables of the rule */
	vec v_value;
};

/* ---- a firing: its substitution, then all that had to fit */

static void load_values(struct opener *x, const firing *f)
{
	const pattern *p = f->rule->pattern;
	const uint32_t *w = f->loose;
	uint32_t i;

	vec_room(&x->v_value, p->nreg + 1);
	x->value = VEC(rv, &x->v_value);
	for (i = 0; i < p->nloose; i++) {
		rv *v = &x->value[p->loose[i]];

		v->id = *w++;
		if (p->var[p->loose[i]].seq) {
			v->n = v->id;
			v->at = w;
			w += v->n;
		}
	}
	for (i = 0; i < p->nvar; i++) {
		const source *s = &p->source[i];
		rv *v = &x->value[i];

		if (s->kind == FROM_NODE)
			v->id = f->pos[s->pos];
		else if (s->kind == FROM_ARG)
			v->id = eg_args(x->g, f->pos[s->pos])[s->index];
		if (s->kind != FROM_REST)
			continue;
		v->at = eg_args(x->g, f->pos[s->pos]) + s->index;
		v->n = eg_narg(x->g, f->pos[s->pos]) - s->index;
	}
	for (i = 0; i < p->nact; i++)
		if (p->act[i].kind == ACT_BUILD)
			x->value[p->act[i].out].id = f->built[p->act[i].built];
}

static eg_id node_of(const struct opener *x, operand o)
{
	return o.kind == OPERAND_VAR ? x->value[o.id].id : o.id;
}

/* The arguments of a node against operands, sequences spread out. */
static void need_arguments(struct opener *x, const pattern *p, eg_id n, const operand *o, uint32_t no)
{
	const eg_id *arg = eg_args(x->g, n);
	uint32_t i, k, at = 0;

	for (i = 0; i < no; i++) {
		if (o[i].kind == OPERAND_NONE) {
			at++;
		} else if (o[i].kind == OPERAND_VAR && p->var[o[i].id].seq) {
			for (k = 0; k < x->value[o[i].id].n; k++)
				explain_equal(x->x, arg[at++], x->value[o[i].id].at[k]);
		} else {
			explain_equal(x->x, arg[at++], node_of(x, o[i]));
		}
	}
}

/* A fact holds because of the firing that made it, a function's value because
 * of the one that wrote it. */
static void need_fact(struct opener *x, eg_id n)
{
	uint32_t root = x->g->root[n];
	const rules *r = x->f->r;

	if (!eg_family(x->g, eg_fam_of(x->g, n))->fact)
		return;
	explain_fact(x->x, eg_born(x->g, n));
	if (rules_cell(r, root))
		explain_fact(x->x, VEC_AT(uint32_t, &r->cell_by, root));
}

static void open_table_atom(struct opener *x, const pattern *p, const atom *a, eg_id n)
{
	need_arguments(x, p, n, a->arg, a->narg);
	if (a->variadic && a->rest.kind == OPERAND_VAR) {
		const rv *v = &x->value[a->rest.id];
		uint32_t k;

		for (k = 0; k < v->n; k++)
			explain_equal(x->x, eg_args(x->g, n)[a->narg + k], v->at[k]);
	}
	if (a->table->kind == TABLE_CONSTRUCTOR && a->out.kind != OPERAND_NONE)
		explain_equal(x->x, n, node_of(x, a->out));
	need_fact(x, n);
}

/* What an atom read is in the class it was asked about. */
static void open_host_atom(struct opener *x, const atom *a, eg_id witness)
{
	const host *h = a->host;
	uint32_t k;

	if (witness != NIL && a->nval && !h->in[0].seq && h->in[0].sort != NIL && !eg_sort_primitive(x->g, h->in[0].sort))
		explain_equal(x->x, node_of(x, a->val[0]), witness);
	for (k = 0; k < a->narg; k++) {
		const rv *in, *out;
		uint32_t i;

		if (!h->out[k].seq || !h->out[k].node || !h->nin || !h->in[0].seq)
			continue;
		in = &x->value[a->val[0].id];
		out = &x->value[a->arg[k].id];
		for (i = 0; i < in->n && i < out->n; i++)
			explain_equal(x->x, in->at[i], out->at[i]);
	}
}

static void open_acts(struct opener *x, const firing *f)
{
	const pattern *p = f->rule->pattern;
	const uint32_t *w = f->extra, *end = w + f->nextra;
	uint32_t i, k;

	for (i = 0; i < p->nact; i++) {
		const act *a = &p->act[i];

		if (a->kind == ACT_BUILD || a->kind == ACT_SET)
			need_arguments(x, p, f->built[a->built], a->arg, a->narg);
	}
	for (; w < end; w += 2 + w[1])
		for (k = 0; k < w[1]; k++)
			explain_equal(x->x, eg_args(x->g, w[0])[k], w[2 + k]);
}

static void premises(const void *ctx, uint32_t id, explainer *to)
{
	const firings *fs = ctx;
	struct opener o = { .f = fs, .g = fs->g, .x = to };
	firing f;
	uint32_t i;

	if (id >= firing_n(fs))
		return;
	f = firing_at(fs, id);
	if (!f.rule)
		return;
	vec_init(&o.v_value, sizeof(rv));
	load_values(&o, &f);
	for (i = 0; i < f.rule->pattern->natom; i++) {
		const atom *a = &f.rule->pattern->atom[i];

		if (a->kind == ATOM_TABLE)
			open_table_atom(&o, f.rule->pattern, a, f.pos[a->pos]);
		else if (a->kind == ATOM_HOST && a->pos != NIL)
			open_host_atom(&o, a, f.pos[a->pos]);
	}
	open_acts(&o, &f);
	vec_free(&o.v_value);
}

static uint32_t edges_before(const void *ctx, uint32_t id)
{
	return id < firing_n(ctx) ? firing_at(ctx, id).edges : 0;
}

explain_source firings_source(const firings *f)
{
	return (explain_source){ f->g, f, premises, edges_before, false };
}

/* ---- texts */

const char *node_text(const rules *r, arena *a, eg_id n, uint32_t depth)
{
	const egraph *g = r->g;
	const table *b = rules_table(r, eg_family(g, eg_fam_of(g, n))->name);
	const char *s;
	uint32_t i, k;

	if (!b)
		return arena_printf(a, "#%u", n);
	if (!depth && b->ncol)
		return arena_printf(a, "(%s ..)", b->name);
	s = arena_printf(a, "(%s", b->name);
	for (i = 0; i < b->ncol; i++) {
		const column *c = &b->col[i];

		s = arena_printf(a, "%s %s", s,
				 c->value ? rules_value_text(r, a, eg_vals_of(g, n)[c->index]) :
					    node_text(r, a, eg_args(g, n)[c->index], depth - 1));
	}
	for (k = b->narg; k < eg_narg(g, n) && depth; k++)
		s = arena_printf(a, "%s %s", s, node_text(r, a, eg_args(g, n)[k], depth - 1));
	return arena_printf(a, "%s)", s);
}

const char *function_value_text(const rules *r, arena *a, eg_id n, uint32_t depth)
{
	const table *b = rules_table(r, eg_family(r->g, eg_fam_of(r->g, n))->name);
	uint32_t cell = b && b->kind == TABLE_FUNCTION ? rules_cell(r, eg_root(r->g, n)) : 0;

	if (!cell)
		return NULL;
	return b->value ? rules_value_text(r, a, cell - 1) : node_text(r, a, cell - 1, depth);
}

static const char *edge_name(const firings *f, const eg_edge *e)
{
	firing x;

	if (e->kind == EG_CONGRUENCE)
		return "congruence";
	if (e->kind == EG_ASSUMED)
		return "assumed";
	if (e->firing >= firing_n(f))
		return "given";
	x = firing_at(f, e->firing);
	return x.rule ? x.rule->name : "given";
}

const char *explain_text(const firings *f, arena *a, const explain_item *it, uint32_t depth)
{
	const eg_edge *e;
	firing x;

	if (it->edge) {
		e = eg_get_edge(f->g, it->id);
		return arena_printf(a, "%s: %s = %s", edge_name(f, e), node_text(f->r, a, e->a, depth),
				    node_text(f->r, a, e->b, depth));
	}
	x = firing_at(f, it->id);
	return x.rule ? arena_printf(a, "%s: a fact", x.rule->name) : arena_printf(a, "given: %s", x.note);
}
