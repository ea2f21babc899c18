#include "problem/problem_in.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include "hlo/module.h"
#include "lower/lower.h"
#include "pair/level.h"
#include "pair/whole.h"
#include "plan/place_map.h"
#include "plan/placement.h"
#include "plan/suggest.h"
#include "problem/rule_files.h"
#include "problem/trial.h"
#include "tensor/round.h"
#include "text/input.h"

static void add_sentence(struct problem *p, const char ***list, int *n, int *cap, const char *s)
{
	int i;

	for (i = 0; i < *n; i++)
		if (!strcmp((*list)[i], s))
			return;
	if (*n == *cap) {
		const char **old = *list;
		*cap = *cap ? 2 * *cap : 32;
		*list = ARENA_ARRAY(&p->a, const char *, *cap);
		if (*n)
			memcpy(*list, old, sizeof *old * (size_t)*n);
	}
	(*list)[(*n)++] = s;
}

static void assume(struct problem *p, const char *s)
{
	add_sentence(p, &p->assumption, &p->nassumption, &p->assumption_cap, s);
}

static void hypothesis(struct problem *p, const char *s)
{
	add_sentence(p, &p->hypothesis, &p->nhypothesis, &p->hypothesis_cap, s);
}

/* ---- the plan's chains for the engine */

static const char *op_word(enum plan_op op)
{
	static const char *const w[] = { "add", "maximum", "minimum", "and", "or" };

	return w[op];
}

static chain chain_of(struct problem *p, const struct plan_mesh *m, int n, const struct plan_step *s)
{
	static const enum chain_kind kind[PLAN_STEP_KINDS] = {
		[PLAN_SHARD] = CHAIN_SHARD, [PLAN_PARTIAL] = CHAIN_PARTIAL, [PLAN_RESHAPE] = CHAIN_RESHAPE,
		[PLAN_TRANSPOSE] = CHAIN_TRANSPOSE, [PLAN_PAD] = CHAIN_PAD, [PLAN_SCALE] = CHAIN_SCALE,
		[PLAN_REPEAT] = CHAIN_REPEAT, [PLAN_TAKE] = CHAIN_TAKE, [PLAN_IGNORE] = CHAIN_IGNORE, [PLAN_CONVERT] = CHAIN_CONVERT };
	chain_step *c = ARENA_ARRAY(&p->a, chain_step, n);
	chain r = { n, c, NULL };
	int i;

	for (i = 0; i < n; i++)
		c[i] = (chain_step){ .kind = kind[s[i].kind], .axis = s[i].axis, .dim = s[i].dim, .op = op_word(s[i].op),
				     .n = s[i].n, .v = s[i].v, .to = s[i].to, .count = s[i].count, .unit = s[i].unit,
				     .zero = s[i].zero, .scale = { s[i].num, s[i].den ? s[i].den : 1 }, .type = (int)s[i].type };
	r.text = m ? plan_chain_text(&p->a, m, n, s) : "R";
	return r;
}

chain problem_chain(struct problem *p, int n, const struct plan_step *s)
{
	return chain_of(p, p->plan ? &p->plan->mesh : NULL, n, s);
}

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

const shape *problem_whole_shape(const struct problem *p, bool output, int k)
{
	return k >= 0 && k < (output ? p->base->nout : p->base_m->entry->nparam) ? p->base_shape[output][k] : NULL;
}

/* ---- inference from annotations */

const shape *problem_output_shape(const module *m, int k)
{
	return shape_leaf(m->entry->root->shape, k);
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
static bool has_annotations(const struct problem *p)
{
	const module *m[2] = { p->base_m, p->dist_m };
	int i, k;

	for (i = 0; i < 2; i++)
		for (k = 0; k < m[i]->entry->nparam; k++)
			if (annotation(m[i]->entry->param[k]) && annotation(m[i]->entry->param[k])->kind == SH_TILED)
				return true;
	return false;
}

/* ---- relations */

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

int problem_counterpart(const struct problem *p, int k)
{
	return p->counterpart[k];
}

static bool shapes_fit(struct problem *p, int base, int dist)
{
	arena_mark m = arena_at(&p->a);
	chain c;
	bool fit = suggest_plain(&p->a, &p->ms, problem_whole_shape(p, false, base), p->dist_m->entry->param[dist]->shape, &c);

	arena_reset(&p->a, m);
	return fit;
}

/* Lists of parameters that the plan leaves to be matched. */
struct unsaid {
	int n, *v;
};

/* The most pairs that fit with both lists in order (a longest common subsequence); what has no partner gets -1. */
static int match_in_order(struct problem *p, const struct unsaid *b, const struct unsaid *d, int *to)
{
	int w = d->n + 1, i, j, *most = arena_zalloc(&p->a, sizeof *most * (size_t)(b->n + 1) * (size_t)w);
	bool *fit = ARENA_ARRAY(&p->a, bool, b->n * d->n + 1);

	for (i = b->n - 1; i >= 0; i--)
		for (j = d->n - 1; j >= 0; j--) {
			int skip = most[(i + 1) * w + j] > most[i * w + j + 1] ? most[(i + 1) * w + j] : most[i * w + j + 1];
			fit[i * d->n + j] = shapes_fit(p, b->v[i], d->v[j]);
			most[i * w + j] = fit[i * d->n + j] && most[(i + 1) * w + j + 1] + 1 > skip ? most[(i + 1) * w + j + 1] + 1 : skip;
		}
	for (j = 0; j < d->n; j++)
		to[j] = -1;
	for (i = j = 0; i < b->n && j < d->n; )
		if (fit[i * d->n + j] && most[i * w + j] == most[(i + 1) * w + j + 1] + 1)
			to[j++] = b->v[i++];
		else if (most[(i + 1) * w + j] == most[i * w + j])
			i++;
		else
			j++;
	return most[0];
}

enum { MATCHED_MAX = 1 << 20 };		/* pairs of parameters that are compared by shape */

/* Inputs that the plan says nothing of, and the baseline's parameters that it says nothing of. */
static void find_counterparts(struct problem *p)
{
	int nd = p->dist_m->entry->nparam, nb = p->base_m->entry->nparam, k, fit = 0;
	bool *taken = arena_zalloc(&p->a, (size_t)nb + 1);
	struct unsaid b = { 0, ARENA_ARRAY(&p->a, int, nb) }, d = { 0, ARENA_ARRAY(&p->a, int, nd) };
	int *to = ARENA_ARRAY(&p->a, int, nd);

	p->counterpart = ARENA_ARRAY(&p->a, int, nd + 1);
	for (k = 0; k < nd; k++) {
		const struct plan_bound *x = p->bind ? &p->bind->input[k] : NULL;
		p->counterpart[k] = x && x->base >= 0 ? x->base : k < nb ? k : -1;
		if (!(x && x->relation))
			d.v[d.n++] = k;
		else if (x->base >= 0)
			taken[x->base] = true;
	}
	for (k = 0; k < nb; k++)
		if (!taken[k] && !(p->bind && p->bind->base_input[k].relation))
			b.v[b.n++] = k;
	if (b.n == d.n) {
		for (k = 0; k < d.n; k++)
			p->counterpart[d.v[k]] = b.v[k];
		return;
	}
	if ((int64_t)b.n * d.n > MATCHED_MAX)
		return;
	for (k = 0; k < d.n; k++)
		fit += p->counterpart[d.v[k]] >= 0 && shapes_fit(p, p->counterpart[d.v[k]], d.v[k]);
	if (match_in_order(p, &b, &d, to) > fit)
		for (k = 0; k < d.n; k++)
			p->counterpart[d.v[k]] = to[k];
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
		hypothesis(p, arena_printf(&p->a, "input %d holds %%%s of the baseline%s", k, l->base.text,
					   chain_has(&r->c, CHAIN_PARTIAL) ? ", in parts that are finite" : ""));
	}
	for (j = 0; j < r->c.n; j++)
		if (r->c.step[j].kind == CHAIN_CONVERT)
			hypothesis(p, arena_printf(&p->a, "input %d holds the baseline's values exactly in another element type (%s)", k, l->text));
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
		assume(p, arena_printf(&p->a, "%s: %s, from its sharding annotation", input_name(p, k), r->c.text));
		return;
	}
	whole = problem_whole_shape(p, false, r->base);
	if (shape_suggests(p, whole ? input_annotation(p, r->base, k) : NULL, whole, d->shape, &r->c, &why)) {
		assume(p, arena_printf(&p->a, "%s: %s, inferred from its shape", input_name(p, k), r->c.text));
		return;
	}
	assume(p, arena_printf(&p->a, "%s: no relation is seen%s, its values are arbitrary", input_name(p, k), why));
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

static const shape *shape_of_row(struct problem *p, const row *b)
{
	return shape_array(&p->a, (enum etype)b->type, b->rank, b->dim);
}

/* A dimension that the array does not have is a slip of the plan; a shape that does not fit may be the program's. */
static bool has_dims(struct problem *p, int k, const struct plan_line *l, const output_relation *r, struct diag *err)
{
	const shape *whole = r->base_row >= 0 ? shape_of_row(p, &p->base->row[r->base_row]) : problem_whole_shape(p, true, r->base);
	const char *why = whole ? chain_stray(&p->a, &r->c, whole->rank) : NULL;

	if (why)
		diag_set(err, p->plan->file, l->line, l->ref.column, "output %d: %s", k, why);
	return !why;
}

static bool output_relations(struct problem *p, output_relation *out, struct diag *err)
{
	int k;

	for (k = 0; k < p->dist->nout; k++) {
		const struct plan_bound *b = p->bind ? &p->bind->output[k] : NULL;
		output_relation *r = &out[k];
		const char *why;
		*r = (output_relation){ .base = k, .base_row = -1, .c.text = "R", .where = "inferred" };
		if (b && b->relation) {
			const struct plan_line *l = b->relation;
			r->where = arena_printf(&p->a, "%s:%d", p->plan->file, l->line);
			r->base = b->base;
			if (l->form == PLAN_ANY || (l->form == PLAN_VALUE && l->value.kind == PLAN_VALUE_ANY)) {
				r->any = true;
				continue;
			}
			r->c = problem_chain(p, l->n, l->step);
			if (l->base.kind == PLAN_REF_INSTRUCTION && !row_named(p, p->base, "BASE", l, &l->base, &r->base_row, err))
				return false;
			if (!has_dims(p, k, l, r, err))
				return false;
			continue;
		}
		r->inferred = true;
		if (p->dist->out[k] < 0)
			continue;
		if (p->instead[1] && p->instead[1][k]) {
			r->c = p->instead[1][k]->c;
			continue;
		}
		if (k < p->base->nout && annotated_output(p, k, &r->c)) {
			assume(p, arena_printf(&p->a, "output %d: %s, from its sharding annotation", k, r->c.text));
			continue;
		}
		if (!shape_suggests(p, output_annotation(p, k), problem_whole_shape(p, true, k), problem_output_shape(p->dist_m, k), &r->c, &why)) {
			r->base = -1;
			assume(p, arena_printf(&p->a, "output %d: no relation is seen%s, it is not proved", k, why));
			continue;
		}
		assume(p, arena_printf(&p->a, "output %d: %s, inferred from its shape", k, r->c.text));
	}
	return true;
}

/* Lines about instructions: obligations, hypotheses, cuts. */
static bool inner_relations(struct problem *p, row_relation *r, int *n, bool *cut_row, struct diag *err)
{
	int k, row;

	for (k = 0; p->bind && k < p->bind->ninner; k++) {
		const struct plan_line *l = p->bind->inner[k];
		row_relation *x = &r[*n];
		if (l->subject == PLAN_BASE) {
			if (!row_named(p, p->base, "BASE", l, &l->ref, &row, err))
				return false;
			if (l->form != PLAN_ANY && !(l->form == PLAN_VALUE && l->value.kind == PLAN_VALUE_ANY)) {
				diag_set(err, p->plan->file, l->line, l->ref.column, "an inner value of BASE can only be `any`");
				return false;
			}
			cut_row[row] = true;
			hypothesis(p, arena_printf(&p->a, "%%%s of the baseline is arbitrary%s", l->ref.text,
						   strchr("fc", etype_kind((enum etype)p->base->row[row].type)) ? ", but finite" : ""));
			continue;
		}
		*x = (row_relation){ .assumed = l->subject == PLAN_ASSUME };
		x->rel = (output_relation){ .base = -1, .where = arena_printf(&p->a, "%s:%d", p->plan->file, l->line) };
		x->rel.c = problem_chain(p, l->n, l->step);
		if (!row_named(p, p->dist, "DIST", l, &l->ref, &x->dist_row, err))
			return false;
		if (l->base.kind == PLAN_REF_NUMBER && l->base.number < p->base->nparam)
			x->base_row = p->base->param[l->base.number];
		else if (!row_named(p, p->base, "BASE", l, l->base.kind == PLAN_REF_SAME ? &l->ref : &l->base, &x->base_row, err))
			return false;
		if (x->assumed)
			hypothesis(p, l->text);
		(*n)++;
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
		assume(p, arena_printf(&p->a, "baseline input %d lies in 0..%lld: %s", k, (long long)s->n - 1,
				       because(p, "a lookup clamps it to that range")));
	}
	r->positive = s->positive;
	r->nonzero = s->nonzero;
	if (s->positive)
		assume(p, arena_printf(&p->a, "baseline input %d is positive: %s", k,
				       because(p, "the number is added below a root or in a divisor")));
	else if (s->nonzero)
		assume(p, arena_printf(&p->a, "baseline input %d is not 0: %s", k, because(p, "the number is a divisor")));
}

static input_relation *base_pins(struct problem *p)
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
				hypothesis(p, b->relation->text);
		}
	}
	return r;
}

/* ---- mesh */

static mesh mesh_of_plan(struct problem *p, const struct plan_mesh *m)
{
	struct mesh_axis *ax = ARENA_ARRAY(&p->a, struct mesh_axis, m->n);
	int k;

	for (k = 0; k < m->n; k++)
		ax[k] = (struct mesh_axis){ m->axis[k].name, m->axis[k].size };
	return (mesh){ m->n, ax, m->devices };
}

const char *problem_mesh_text(arena *a, const mesh *ms)
{
	const char *t = "";
	int k;

	for (k = 0; k < ms->n; k++)
		t = arena_printf(a, "%s %s=%lld", t, ms->axis[k].name, (long long)ms->axis[k].size);
	return t;
}

/* Does a line speak of an axis?  Without a mesh line that is the implied one. */
static bool names_axis(const struct plan *l)
{
	int i, k;

	for (i = 0; i < l->n; i++) {
		if (l->line[i].form == PLAN_VALUE && l->line[i].value.kind == PLAN_VALUE_AXIS)
			return true;
		for (k = 0; k < l->line[i].n; k++)
			if (l->line[i].step[k].kind == PLAN_SHARD || l->line[i].step[k].kind == PLAN_PARTIAL)
				return true;
	}
	return false;
}

static bool set_mesh(struct problem *p, struct diag *err)
{
	int64_t n = lower_devices(p->dist_m);
	struct mesh_axis *ax;

	p->base_ms = p->plan && p->plan->base_mesh.n ? mesh_of_plan(p, &p->plan->base_mesh) : (mesh){ 0, NULL, 1 };
	if (p->plan && p->plan->mesh.line) {
		p->ms = mesh_of_plan(p, &p->plan->mesh);
		return true;
	}
	if (n < 1 || n > 1 << 20) {
		diag_set(err, p->files.dist, 0, 0, "%lld devices", (long long)n);
		return false;
	}
	if (!p->plan && has_annotations(p)) {
		p->ms = placement_mesh(&p->a, n);
		return true;
	}
	if (p->plan && names_axis(p->plan)) {
		ax = ARENA_ARRAY(&p->a, struct mesh_axis, 1);
		ax[0] = (struct mesh_axis){ "dev", n };
		p->ms = (mesh){ 1, ax, n };
	} else {
		p->ms = placement_groups_mesh(&p->a, p->dist_m, n);
	}
	if (p->ms.n > 1)
		p->mesh_inferred = arena_printf(&p->a, "the mesh is what the device groups are made of:%s", problem_mesh_text(&p->a, &p->ms));
	return true;
}

/* The mesh of one program by the plan, at its line there. */
static bool check_mesh(const struct problem *p, const module *m, const struct plan_mesh *ms, const char *words, struct diag *err)
{
	if (!ms->line || lower_runs_on(m, ms->devices))
		return true;
	diag_set(err, p->plan->file, ms->line, ms->column, "%s has %d devices, %s is a program for %lld", words, ms->devices, m->file,
		 (long long)lower_devices(m));
	return false;
}

/* A baseline for several devices that no line gives a mesh. */
static bool check_single(const struct problem *p, struct diag *err)
{
	if (p->base_ms.n || lower_runs_on(p->base_m, 1))
		return true;
	diag_set(err, p->base_m->file, 0, 0, "BASE is a program for %lld devices%s  A distributed baseline needs mesh base AXIS=SIZE .. in the plan",
		 (long long)lower_devices(p->base_m),
		 lower_devices(p->dist_m) <= 1 ? " and DIST for one: are they the wrong way round?" : ".");
	return false;
}

static bool check_meshes(const struct problem *p, struct diag *err)
{
	return (!p->plan || (check_mesh(p, p->base_m, &p->plan->base_mesh, "the base mesh", err) &&
			     check_mesh(p, p->dist_m, &p->plan->mesh, "the mesh", err))) &&
	       check_single(p, err);
}

/* ---- a baseline that is a distributed program */

static bool spread_inner(struct problem *p, const struct plan_line *l, struct diag *err)
{
	diag_set(err, p->plan->file, l->line, l->ref.column,
		 "BASE is a distributed program here: only its inputs and outputs are related to other tensors, and inner values cut");
	return false;
}

static bool check_spread(struct problem *p, struct diag *err)
{
	int k;

	for (k = 0; k < p->bind->ninner; k++)
		if (p->bind->inner[k]->subject != PLAN_BASE)
			return spread_inner(p, p->bind->inner[k], err);
	for (k = 0; k < p->bind->ninput; k++)
		if (p->bind->input[k].relation && p->bind->input[k].relation->base.kind == PLAN_REF_INSTRUCTION)
			return spread_inner(p, p->bind->input[k].relation, err);
	for (k = 0; k < p->bind->noutput; k++)
		if (p->bind->output[k].relation && p->bind->output[k].relation->base.kind == PLAN_REF_INSTRUCTION)
			return spread_inner(p, p->bind->output[k].relation, err);
	return true;
}

/* The whole shape of a parameter or output; NULL and a diag when the line's chain does not say it. */
static bool set_whole(struct problem *p, bool output, int k, const shape *local, const struct plan_line *l, chain *c, struct diag *err)
{
	shape *s = ARENA_NEW(&p->a, shape);
	const char *why;
	int64_t *dim;

	*c = l ? chain_of(p, &p->plan->base_mesh, l->n, l->step) : (chain){ 0, NULL, "R" };
	if (local->type == T_TUPLE) {
		p->base_shape[output][k] = local;
		return true;
	}
	*s = *local;
	why = whole_shape(&p->a, &p->base_ms, c, local->rank, local->dim, &s->rank, &dim);
	if (why) {
		diag_set(err, p->plan->file, l->line, l->ref.column, "%s", why);
		return false;
	}
	s->dim = dim;
	p->base_shape[output][k] = s;
	return true;
}

static bool set_base(struct problem *p, struct diag *err)
{
	int nin = p->base_m->entry->nparam, nout = plan_outputs(p->base_m), k;

	p->base_shape[0] = ARENA_ARRAY(&p->a, const shape *, nin);
	p->base_shape[1] = ARENA_ARRAY(&p->a, const shape *, nout);
	for (k = 0; k < nin; k++)
		p->base_shape[0][k] = p->base_m->entry->param[k]->shape;
	for (k = 0; k < nout; k++)
		p->base_shape[1][k] = problem_output_shape(p->base_m, k);
	if (!p->plan || !p->plan->base_mesh.n)
		return true;
	p->base_in = ARENA_ARRAY(&p->a, chain, nin);
	p->base_out = ARENA_ARRAY(&p->a, chain, nout);
	for (k = 0; k < nin; k++) {
		const struct plan_line *l = p->bind->base_input[k].relation;
		if (!set_whole(p, false, k, p->base_shape[0][k], l && l->form == PLAN_CHAIN ? l : NULL, &p->base_in[k], err))
			return false;
	}
	for (k = 0; k < nout; k++)
		if (!set_whole(p, true, k, p->base_shape[1][k], p->bind->base_output[k].relation, &p->base_out[k], err))
			return false;
	return check_spread(p, err);
}

/* What was read of a file otherwise than it stands there: cut off, or at odds with itself. */
static void assume_read(struct problem *p, const module *m)
{
	int k;

	for (k = 0; k < m->nwarning; k++)
		if (!strstr(m->warning[k], "stack frame"))
			assume(p, m->warning[k]);
}

/* Values and ranges are part of what is claimed (a value that is `any` is a hypothesis). */
static void assume_told(struct problem *p)
{
	int k;

	for (k = 0; p->plan && k < p->plan->n; k++) {
		const struct plan_line *l = &p->plan->line[k];
		if (l->form == PLAN_RANGE || l->form == PLAN_POSITIVE || (l->form == PLAN_VALUE && l->value.kind != PLAN_VALUE_ANY))
			assume(p, arena_printf(&p->a, "the plan says `%s`", l->text));
	}
}

/* What the plan leaves unsaid of a distributed baseline. */
static void assume_base(struct problem *p)
{
	int k;

	for (k = 0; p->base_in && k < p->base->nparam; k++)
		if (!p->bind->base_input[k].relation && p->base->param[k] >= 0)
			assume(p, arena_printf(&p->a, "baseline input %d: R, no line of the plan says", k));
	for (k = 0; p->base_in && k < p->base->nout; k++)
		if (!p->bind->base_output[k].relation && p->base->out[k] >= 0)
			assume(p, arena_printf(&p->a, "baseline output %d: R, no line of the plan says", k));
}

/* Outputs of the baseline that no output of the distributed program is compared with. */
static void assume_unseen(struct problem *p, const output_relation *out)
{
	int k, i;

	for (k = 0; k < p->base->nout; k++) {
		for (i = 0; i < p->dist->nout && out[i].base != k; i++)
			;
		if (i == p->dist->nout && p->base->out[k] >= 0)
			assume(p, arena_printf(&p->a, "baseline output %d is compared with nothing", k));
	}
}

static void say_held(struct problem *p, const char *name, const shape *whole, int n, const chain *const *c)
{
	int64_t all = n ? shape_elements(whole) : 0, held = n ? places_held(&p->ms, whole, n, c) : 0;

	if (held < 0)
		assume(p, arena_printf(&p->a, "what the plan leaves out of %s is not compared", name));
	else if (held < all)
		assume(p, arena_printf(&p->a, "%lld of %lld places of %s are compared", (long long)held, (long long)all, name));
}

static bool nothing_said(struct problem *p, const char *name, const shape *whole, const chain *c)
{
	if (!places_free(&p->ms, whole, c))
		return false;
	assume(p, arena_printf(&p->a, "the plan leaves out every place of %s: it is not compared", name));
	return true;
}

/* What is compared with nothing but places that hold what they will is not compared. */
static void leave_out(struct problem *p, output_relation *out, int ninner, row_relation *inner)
{
	const shape *whole;
	int k;

	for (k = 0; k < p->dist->nout; k++) {
		whole = out[k].base_row >= 0 ? shape_of_row(p, &p->base->row[out[k].base_row]) : problem_whole_shape(p, true, out[k].base);
		if (whole && !out[k].any && nothing_said(p, arena_printf(&p->a, "output %d", k), whole, &out[k].c))
			out[k].any = true;
	}
	for (k = 0; k < ninner; k++)
		if (!inner[k].assumed && nothing_said(p, arena_printf(&p->a, "%%%s", p->dist->row[inner[k].dist_row].path),
						      shape_of_row(p, &p->base->row[inner[k].base_row]), &inner[k].rel.c))
			inner[k].rel.any = true;
}

/* What is compared of the baseline's outputs and inner values where a chain takes a part. */
static void assume_part(struct problem *p, const output_relation *out, int ninner, const row_relation *inner)
{
	const chain **c = ARENA_ARRAY(&p->a, const chain *, p->dist->nout + 1);
	const shape *whole;
	const row *b;
	int k, i, n;

	for (k = 0; k < p->base->nout; k++) {
		if (!(whole = problem_whole_shape(p, true, k)) || p->base->out[k] < 0)
			continue;
		for (i = n = 0; i < p->dist->nout; i++)
			if (out[i].base == k && out[i].base_row < 0 && !out[i].any)
				c[n++] = &out[i].c;
		say_held(p, arena_printf(&p->a, "baseline output %d", k), whole, n, c);
	}
	for (i = 0; i < p->dist->nout + ninner; i++) {
		const row_relation *r = i < p->dist->nout ? NULL : &inner[i - p->dist->nout];
		int row = r ? r->base_row : out[i].base_row;

		c[0] = r ? &r->rel.c : &out[i].c;
		if (row < 0 || (r ? r->assumed || r->rel.any : out[i].any))
			continue;
		b = &p->base->row[row];
		say_held(p, arena_printf(&p->a, "%%%s of the baseline", b->path), shape_of_row(p, b), 1, c);
	}
}

static bool find_plan(struct problem *p, struct diag *err)
{
	const char *name = p->files.plan;

	if (!name) {
		name = plan_beside(&p->a, p->files.dist);
		if (!name)
			return true;
		p->plan_found = true;
		p->files.plan = name;
	}
	p->plan = plan_read(&p->a, name, err);
	return p->plan != NULL;
}

/* The k-th line of the plan that relates two instructions. */
static const struct plan_line *line_of_rows(const struct plan_binding *b, int k)
{
	int i = 0;

	while (b->inner[i]->subject == PLAN_BASE || k-- > 0)
		i++;
	return b->inner[i];
}

/* NULL: the relation was inferred. */
static const struct plan_line *refused_line(const struct problem *p, const pair_refusal *no)
{
	const struct plan_bound *b;

	if (!p->bind)
		return NULL;
	if (no->what == REFUSED_ROW)
		return line_of_rows(p->bind, no->k);
	b = no->what == REFUSED_BASE_INPUT ? &p->bind->base_input[no->k] : &p->bind->input[no->k];
	return b->relation ? b->relation : b->range;
}

static void relation_trouble(const struct problem *p, const pair_refusal *no, struct diag *err)
{
	const struct plan_line *l = refused_line(p, no);
	const char *file = p->plan ? p->plan->file : p->files.dist;
	int line = l ? l->line : 0, column = l ? l->ref.column : 0;

	if (no->what == REFUSED_ROW)
		diag_set(err, file, line, column, "%s", no->why);
	else
		diag_set(err, file, line, column, "%s%sinput %d: %s", l ? "" : "inferred: ", no->what == REFUSED_BASE_INPUT ? "base " : "",
			 no->k, no->why);
}

bool problem_build(struct problem *p, struct diag *err)
{
	input_relation *in = ARENA_ARRAY(&p->a, input_relation, p->dist_m->entry->nparam);
	output_relation *out = ARENA_ARRAY(&p->a, output_relation, p->dist->nout);
	row_relation *inner = ARENA_ARRAY(&p->a, row_relation, p->bind ? p->bind->ninner : 0);
	bool *cut_row = arena_zalloc(&p->a, (size_t)p->base->nrow + 1);
	pair_refusal no;
	const char *rules;
	int k, n = 0;

	p->nassumption = p->nhypothesis = 0;
	if ((rules = rule_files_assumed(&p->a, p->files.rules)))
		assume(p, rules);
	if (p->mesh_inferred)
		assume(p, p->mesh_inferred);
	assume_read(p, p->base_m);
	assume_read(p, p->dist_m);
	p->q = NULL;
	p->p = prover_new();
	p->p->a.tr->on = !p->files.no_trail;
	p->p->a.closed = p->closed;
	if (!rule_files_read(p->p, p->files.rules, err))
		return false;
	if (!input_relations(p, in, err) || !output_relations(p, out, err) || !inner_relations(p, inner, &n, cut_row, err))
		return false;
	assume_told(p);
	assume_base(p);
	leave_out(p, out, n, inner);
	assume_unseen(p, out);
	assume_part(p, out, n, inner);
	for (k = 0; k < p->dist->nnote; k++)
		assume(p, p->dist->note[k]);
	for (k = 0; k < p->base->nnote; k++)
		assume(p, p->base->note[k]);
	p->q = pair_new(p->p, p->base, p->dist, &p->ms, in, out, base_pins(p));
	pair_relate(p->q, n, inner, cut_row);
	if (p->base_in)
		pair_spread_base(p->q, &p->base_ms, p->base_in, p->base_out);
	if (p->loop)
		pair_loops(p->q, p->loop, p->tame);
	if (!pair_start(p->q, &no)) {
		relation_trouble(p, &no, err);
		return false;
	}
	return true;
}

static bool load(struct problem *p, struct diag *err)
{
	p->base_m = module_read(p->files.base, err);
	if (!p->base_m)
		return false;
	p->dist_m = module_read(p->files.dist, err);
	if (!p->dist_m || !find_plan(p, err) || !set_mesh(p, err) || !check_meshes(p, err))
		return false;
	if (p->plan) {
		p->bind = plan_bind(&p->a, p->plan, p->base_m, p->dist_m, err);
		if (!p->bind)
			return false;
	}
	if (!set_base(p, err))
		return false;
	find_counterparts(p);
	return problem_lower(p, err) && (p->q || problem_build(p, err));
}

struct problem *problem_load(const struct problem_files *f, struct diag *err)
{
	struct problem *p = calloc(1, sizeof *p);

	if (!p) {
		die_hook("out of memory");
		return NULL;
	}
	arena_init(&p->a);
	p->files = *f;
	if (load(p, err))
		return p;
	problem_free(p);
	return NULL;
}

bool problem_reload(struct problem *p, struct diag *err)
{
	struct trial t;

	if (!trial_begin(&t, p, err))
		return false;
	trial_keep(&t);
	return true;
}

bool problem_suppose(struct problem *p, const struct supposition *s, struct diag *err)
{
	p->supposed = arena_zalloc(&p->a, sizeof *s * (size_t)(p->base->nparam + 1));
	memcpy(p->supposed, s, sizeof *s * (size_t)p->base->nparam);
	p->supposed_by_file = true;
	return problem_reload(p, err);
}

/* Read as the line of a plan that says the same. */
bool problem_read_chain(struct problem *p, arena *tmp, const char *text, chain *out, const char **why)
{
	char *axes = "", *line;
	struct plan *plan;
	struct diag err;
	int k;

	for (k = 0; k < p->ms.n; k++)
		axes = arena_printf(tmp, "%s %s=%lld", axes, p->ms.axis[k].name, (long long)p->ms.axis[k].size);
	line = arena_printf(tmp, "mesh%s\nassume %%d = base %%b %s\n", axes, *text ? text : "R");
	plan = plan_parse(tmp, "assume", line, strlen(line), &err);
	if (!plan || plan->n != 1) {
		*why = arena_strdup(&p->a, plan ? "one chain is meant" : err.message);
		return false;
	}
	*out = problem_chain(p, plan->line[0].n, plan->line[0].step);
	return true;
}

int problem_goals_met(const struct problem *p)
{
	int k, n = 0;

	for (k = 0; k < p->q->ngoal; k++)
		n += p->q->goal[k].compared && goal_met(p->q, &p->q->goal[k]);
	return n;
}

int problem_goals_compared(const struct problem *p)
{
	int k, n = 0;

	for (k = 0; k < p->q->ngoal; k++)
		n += p->q->goal[k].compared;
	return n;
}

void problem_free(struct problem *p)
{
	if (!p)
		return;
	pair_free(p->q);
	prover_free(p->p);
	program_free(p->base);
	program_free(p->dist);
	if (p->base_m)
		module_free(p->base_m);
	if (p->dist_m)
		module_free(p->dist_m);
	arena_free(&p->a);
	free(p);
}
