/* How the inputs, outputs and inner values of the two programs are related: by the lines of the plan, else by what the other
 * relations that are tried, annotations and shapes suggest. */
#include "problem/problem_in.h"

#include <string.h>
#include "plan/placement.h"
#include "plan/suggest.h"
#include "tensor/round.h"

/* A number is held as the type of the parameter rounds it. */
static void set_pin(input_relation *r, const struct plan_value *v, const shape *of)
{
	r->base = -1;
	switch (v->kind) {
	case PLAN_VALUE_NUMBER:
		r->pin = PIN_NUMBER;
		r->value = etype_round(of->type, v->integer ? (double)v->i : v->f);
		break;
	case PLAN_VALUE_PARTITION_ID:
		r->pin = PIN_DEVICE;
		break;
	case PLAN_VALUE_AXIS:
		r->pin = PIN_AXIS;
		r->axis = v->axis;
		break;
	case PLAN_VALUE_ANY:
		r->pin = PIN_ANY;
		break;
	}
}

static void set_range(input_relation *r, const struct plan_line *l)
{
	if (!l)
		return;
	if (l->form == PLAN_POSITIVE) {
		r->positive = true;
	} else {
		r->has_range = true;
		r->lo = l->lo;
		r->hi = l->hi;
	}
}

static const sharding *annotation(const inst *i)
{
	const attr *at = inst_attr(i, "sharding");

	return at && at->kind == ATTR_SHARDING ? at->sharding : NULL;
}

/* Does the file say how an input or output lies?  Where that is no chain, its shape does not decide instead. */
static bool says_where(const sharding *s)
{
	return s && (s->kind == SH_TILED || s->kind == SH_REPLICATED);
}

/* The annotation of DIST, else of BASE: of parameter k, which is the baseline's b. */
static const sharding *input_annotation(const struct problem *p, int b, int k)
{
	const sharding *s = annotation(p->dist_m->entry->param[k]);

	return s ? s : annotation(p->base_m->entry->param[b]);
}

static const sharding *output_annotation(const struct problem *p, int k)
{
	const sharding *s = annotation(p->dist_m->entry->root);

	if (!s)
		s = annotation(p->base_m->entry->root);
	return s && s->kind == SH_TUPLE ? k < s->n ? s->elem[k] : NULL : s;
}

/* What the parameter says in DIST, else in BASE. */
static bool annotated_input(struct problem *p, const inst *b, const inst *d, chain *out)
{
	const sharding *s = input_annotation(p, b->number, d->number);

	return s && b->shape->type != T_TUPLE && d->shape->type != T_TUPLE &&
	       placement_chain(&p->a, s, &p->ms, problem_whole_shape(p, false, b->number), d->shape, out);
}

/* What the roots say of output k, DIST first. */
static bool annotated_output(struct problem *p, int k, chain *out)
{
	const sharding *s = output_annotation(p, k);

	return s && placement_chain(&p->a, s, &p->ms, problem_whole_shape(p, true, k), problem_output_shape(p->dist_m, k), out);
}

/* Is a parameter of either program cut into tiles? */
bool problem_annotated(const struct problem *p)
{
	const module *m[2] = { p->base_m, p->dist_m };
	int i, k;

	for (i = 0; i < 2; i++)
		for (k = 0; k < m[i]->entry->nparam; k++)
			if (annotation(m[i]->entry->param[k]) && annotation(m[i]->entry->param[k])->kind == SH_TILED)
				return true;
	return false;
}

static bool row_named(struct problem *p, program *g, const char *side, const struct plan_line *l, const struct plan_ref *r, int *row,
		      struct diag *err)
{
	*row = r->text ? program_named(g, r->text) : -1;
	if (*row < 0)
		diag_set(err, p->plan->file, l->line, r->column, "%s has no instruction %%%s", side, r->text ? r->text : "?");
	else if (g->row[*row].trips > 1)
		diag_set(err, p->plan->file, l->line, r->column, "%%%s stands for all trips of a loop: only what comes out of it is related to other tensors",
			 r->text);
	return *row >= 0 && g->row[*row].trips == 1;
}

static void set_suggested(input_relation *r, const struct suggestion *s)
{
	r->c = s->c;
	if (s->pin == PIN_NONE)
		return;
	r->base = -1;
	r->pin = s->pin;
	r->value = s->value;
	r->axis = s->axis;
}

/* A conversion is not inferred. */
static const char *types_part(struct problem *p, const shape *b, const shape *d)
{
	return b->type == d->type ? "" : arena_printf(&p->a, " (its type is %s, the baseline's %s)", etype_name(d->type), etype_name(b->type));
}

/* What the shapes suggest of an input or output that s annotates, which no chain says; false: nothing, and why is added to what is said. */
static bool shape_suggests(struct problem *p, const sharding *s, const shape *whole, const shape *d, chain *c, const char **why)
{
	*why = !whole ? "" : says_where(s) ? " (no chain says what its sharding annotation does)" : types_part(p, whole, d);
	return whole && !says_where(s) && suggest_plain(&p->a, &p->ms, whole, d, c);
}

/* "input 4 (%x)", or "input 4<-3 (%x)" where the numbers differ. */
static const char *input_name(struct problem *p, int k)
{
	const char *name = p->dist_m->entry->param[k]->name;

	return p->counterpart[k] == k || p->counterpart[k] < 0 ? arena_printf(&p->a, "input %d (%%%s)", k, name)
				      : arena_printf(&p->a, "input %d<-%d (%%%s)", k, p->counterpart[k], name);
}

/* What a line of the plan says of input k. */
static bool told_input(struct problem *p, int k, const struct plan_bound *b, input_relation *r, struct diag *err)
{
	const struct plan_line *l = b->relation;
	int j;

	r->where = arena_printf(&p->a, "%s:%d", p->plan->file, l->line);
	if (l->form == PLAN_ANY) {
		r->pin = PIN_ANY;
		r->base = -1;
		return true;
	}
	if (l->form == PLAN_VALUE) {
		set_pin(r, &l->value, p->dist_m->entry->param[k]->shape);
		return true;
	}
	r->base = b->base;
	r->c = problem_chain(p, l->n, l->step);
	if (l->base.kind == PLAN_REF_INSTRUCTION) {
		if (!row_named(p, p->base, "BASE", l, &l->base, &r->base_row, err))
			return false;
		problem_hypothesis(p, arena_printf(&p->a, "input %d holds %%%s of the baseline%s", k, l->base.text,
					   chain_has(&r->c, CHAIN_PARTIAL) ? ", in parts that are finite" : ""));
	}
	for (j = 0; j < r->c.n; j++)
		if (r->c.step[j].kind == CHAIN_CONVERT)
			problem_hypothesis(p, arena_printf(&p->a, "input %d holds the baseline's values exactly in another element type (%s)", k, l->text));
	return true;
}

/* What is seen of input k where the plan is silent: another relation that is tried, an annotation, its shape; else nothing. */
static void inferred_input(struct problem *p, int k, const inst *d, input_relation *r)
{
	const shape *whole;
	const char *why;

	r->inferred = true;
	r->base = problem_counterpart(p, k);
	if (p->instead[0] && p->instead[0][k]) {
		set_suggested(r, p->instead[0][k]);
		return;
	}
	if (r->base >= 0 && r->base < p->base_m->entry->nparam && annotated_input(p, p->base_m->entry->param[r->base], d, &r->c)) {
		problem_assume(p, arena_printf(&p->a, "%s: %s, from its sharding annotation", input_name(p, k), r->c.text));
		return;
	}
	whole = problem_whole_shape(p, false, r->base);
	if (shape_suggests(p, whole ? input_annotation(p, r->base, k) : NULL, whole, d->shape, &r->c, &why)) {
		problem_assume(p, arena_printf(&p->a, "%s: %s, inferred from its shape", input_name(p, k), r->c.text));
		return;
	}
	problem_assume(p, arena_printf(&p->a, "%s: no relation is seen%s, its values are arbitrary", input_name(p, k), why));
	r->pin = PIN_ANY;
	r->base = -1;
}

static bool input_relations(struct problem *p, input_relation *in, struct diag *err)
{
	int k;

	for (k = 0; k < p->dist_m->entry->nparam; k++) {
		const struct plan_bound *b = p->bind ? &p->bind->input[k] : NULL;
		const inst *d = p->dist_m->entry->param[k];
		in[k] = (input_relation){ .base = k, .base_row = -1, .c.text = "R", .where = "inferred" };
		if (p->dist->param[k] < 0 && d->shape->type != T_TUPLE) {	/* a token */
			in[k].base = -1;
			continue;
		}
		if (b)
			set_range(&in[k], b->range);
		if (!b || !b->relation)
			inferred_input(p, k, d, &in[k]);
		else if (!told_input(p, k, b, &in[k], err))
			return false;
	}
	return true;
}

const shape *problem_row_shape(struct problem *p, int b)
{
	const row *r = &p->base->row[b];

	return shape_array(&p->a, (enum etype)r->type, r->rank, r->dim);
}

const shape *problem_related_shape(struct problem *p, const output_relation *r)
{
	return r->base_row >= 0 ? problem_row_shape(p, r->base_row) : problem_whole_shape(p, true, r->base);
}

/* A dimension that the array does not have is a slip of the plan; a shape that does not fit may be the program's. */
static bool has_dims(struct problem *p, int k, const struct plan_line *l, const output_relation *r, struct diag *err)
{
	const shape *whole = problem_related_shape(p, r);
	const char *why = whole ? chain_stray(&p->a, &r->c, whole->rank) : NULL;

	if (why)
		diag_set(err, p->plan->file, l->line, l->ref.column, "output %d: %s", k, why);
	return !why;
}

static bool says_any(const struct plan_line *l)
{
	return l->form == PLAN_ANY || (l->form == PLAN_VALUE && l->value.kind == PLAN_VALUE_ANY);
}

/* What a line of the plan says of output k. */
static bool told_output(struct problem *p, int k, const struct plan_bound *b, output_relation *r, struct diag *err)
{
	const struct plan_line *l = b->relation;

	r->where = arena_printf(&p->a, "%s:%d", p->plan->file, l->line);
	r->base = b->base;
	r->any = says_any(l);
	if (r->any)
		return true;
	r->c = problem_chain(p, l->n, l->step);
	return (l->base.kind != PLAN_REF_INSTRUCTION || row_named(p, p->base, "BASE", l, &l->base, &r->base_row, err)) &&
	       has_dims(p, k, l, r, err);
}

/* What is seen of output k where the plan is silent, as of an input. */
static void inferred_output(struct problem *p, int k, output_relation *r)
{
	const shape *d = problem_output_shape(p->dist_m, k);
	const char *why;

	r->inferred = true;
	if (p->dist->out[k] < 0)
		return;
	if (p->instead[1] && p->instead[1][k]) {
		r->c = p->instead[1][k]->c;
	} else if (k < p->base->nout && annotated_output(p, k, &r->c)) {
		problem_assume(p, arena_printf(&p->a, "output %d: %s, from its sharding annotation", k, r->c.text));
	} else if (shape_suggests(p, output_annotation(p, k), problem_whole_shape(p, true, k), d, &r->c, &why)) {
		problem_assume(p, arena_printf(&p->a, "output %d: %s, inferred from its shape", k, r->c.text));
	} else {
		r->base = -1;
		problem_assume(p, arena_printf(&p->a, "output %d: no relation is seen%s, it is not proved", k, why));
	}
}

static bool output_relations(struct problem *p, output_relation *out, struct diag *err)
{
	int k;

	for (k = 0; k < p->dist->nout; k++) {
		const struct plan_bound *b = p->bind ? &p->bind->output[k] : NULL;
		out[k] = (output_relation){ .base = k, .base_row = -1, .c.text = "R", .where = "inferred" };
		if (!b || !b->relation)
			inferred_output(p, k, &out[k]);
		else if (!told_output(p, k, b, &out[k], err))
			return false;
	}
	return true;
}

/* A line that cuts the baseline at one of its instructions. */
static bool cut_at(struct problem *p, const struct plan_line *l, bool *cut_row, struct diag *err)
{
	int row;

	if (!row_named(p, p->base, "BASE", l, &l->ref, &row, err))
		return false;
	if (!says_any(l)) {
		diag_set(err, p->plan->file, l->line, l->ref.column, "an inner value of BASE can only be `any`");
		return false;
	}
	cut_row[row] = true;
	problem_hypothesis(p, arena_printf(&p->a, "%%%s of the baseline is arbitrary%s", l->ref.text,
					   strchr("fc", etype_kind((enum etype)p->base->row[row].type)) ? ", but finite" : ""));
	return true;
}

/* A line that relates two instructions: an obligation or a hypothesis. */
static bool inner_relation(struct problem *p, const struct plan_line *l, row_relation *r, struct diag *err)
{
	*r = (row_relation){ .assumed = l->subject == PLAN_ASSUME };
	r->rel = (output_relation){ .base = -1, .where = arena_printf(&p->a, "%s:%d", p->plan->file, l->line) };
	r->rel.c = problem_chain(p, l->n, l->step);
	if (!row_named(p, p->dist, "DIST", l, &l->ref, &r->dist_row, err))
		return false;
	if (l->base.kind == PLAN_REF_NUMBER && l->base.number < p->base->nparam)
		r->base_row = p->base->param[l->base.number];
	else if (!row_named(p, p->base, "BASE", l, l->base.kind == PLAN_REF_SAME ? &l->ref : &l->base, &r->base_row, err))
		return false;
	if (r->assumed)
		problem_hypothesis(p, l->text);
	return true;
}

static bool inner_relations(struct problem *p, struct problem_relations *r, struct diag *err)
{
	int k;

	for (k = 0; p->bind && k < p->bind->ninner; k++) {
		const struct plan_line *l = p->bind->inner[k];
		if (l->subject == PLAN_BASE ? !cut_at(p, l, r->cut_row, err) : !inner_relation(p, l, &r->inner[r->ninner++], err))
			return false;
	}
	return true;
}

/* Why it is assumed; what a file says is not known to have been found so. */
static const char *because(const struct problem *p, const char *why)
{
	return p->supposed_by_file ? "the proof takes it so" : why;
}

/* What is assumed of baseline parameter k, with the sentences that say so. */
static void suppose(struct problem *p, int k, input_relation *r)
{
	const struct supposition *s = &p->supposed[k];

	if (s->n) {
		r->has_range = true;
		r->hi = s->n - 1;
		problem_assume(p, arena_printf(&p->a, "baseline input %d lies in 0..%lld: %s", k, (long long)s->n - 1,
				       because(p, "a lookup clamps it to that range")));
	}
	r->positive = s->positive;
	r->nonzero = s->nonzero;
	if (s->positive)
		problem_assume(p, arena_printf(&p->a, "baseline input %d is positive: %s", k,
				       because(p, "the number is added below a root or in a divisor")));
	else if (s->nonzero)
		problem_assume(p, arena_printf(&p->a, "baseline input %d is not 0: %s", k, because(p, "the number is a divisor")));
}

input_relation *problem_base_pins(struct problem *p)
{
	input_relation *r = ARENA_ARRAY(&p->a, input_relation, p->base->nparam);
	int k;

	for (k = 0; k < p->base->nparam; k++) {
		const struct plan_bound *b = p->bind ? &p->bind->base_input[k] : NULL;
		r[k] = (input_relation){ .base = k, .base_row = -1, .c.text = "R", .where = "" };
		if (p->supposed && !(b && b->range))
			suppose(p, k, &r[k]);
		if (!b)
			continue;
		set_range(&r[k], b->range);
		if (b->relation && b->relation->form == PLAN_VALUE) {
			set_pin(&r[k], &b->relation->value, p->base_m->entry->param[k]->shape);
			r[k].where = arena_printf(&p->a, "%s:%d", p->plan->file, b->relation->line);
			if (r[k].pin == PIN_ANY)
				problem_hypothesis(p, b->relation->text);
		}
	}
	return r;
}

bool problem_relate(struct problem *p, struct problem_relations *r, struct diag *err)
{
	*r = (struct problem_relations){
		.in = ARENA_ARRAY(&p->a, input_relation, p->dist_m->entry->nparam),
		.out = ARENA_ARRAY(&p->a, output_relation, p->dist->nout),
		.inner = ARENA_ARRAY(&p->a, row_relation, p->bind ? p->bind->ninner : 0),
		.cut_row = arena_zalloc(&p->a, (size_t)p->base->nrow + 1) };
	return input_relations(p, r->in, err) && output_relations(p, r->out, err) && inner_relations(p, r, err);
}
