#include "problem/numbers_run.h"

#include <stdlib.h>
#include <string.h>
#include "lower/definition.h"
#include "plan/place_map.h"

/* ---- relations */

struct builder {
	struct problem *p;
	struct numbers_setup *s;
	const char *why;
	int *global_of;		/* first array of a baseline parameter -> global tensor */
	int nglobal;
	numbers_global *global;
};

enum numbers_fold numbers_fold_of(const char *op)
{
	static const struct { const char *op; enum numbers_fold fold; } fold[] = {
		{ "add", NUMBERS_SUM }, { "maximum", NUMBERS_MAX }, { "minimum", NUMBERS_MIN }, { "and", NUMBERS_AND },
		{ "or", NUMBERS_OR } };
	int k;

	for (k = 0; k < 5; k++)
		if (!strcmp(fold[k].op, op))
			return fold[k].fold;
	return NUMBERS_WHOLE;
}

static bool fail(struct builder *b, const char *why)
{
	b->why = why;
	return false;
}

/* Which part every device holds, and which devices make one whole. */
static bool set_parts(struct builder *b, const mesh *ms, const chain *c, numbers_relation *r)
{
	int *part = ARENA_ARRAY(&b->s->a, int, ms->ndev), *group = ARENA_ARRAY(&b->s->a, int, ms->ndev), d, k, ax;
	bool partial[64] = { false };

	r->nparts = 1;
	for (k = 0; k < c->n; k++) {
		if (c->step[k].kind != CHAIN_PARTIAL)
			continue;
		if (r->nparts > 1 && numbers_fold_of(c->step[k].op) != r->fold)
			return fail(b, "parts of two kinds");
		r->fold = numbers_fold_of(c->step[k].op);
		r->nparts *= (int)ms->axis[c->step[k].axis].size;
		partial[c->step[k].axis] = true;
	}
	for (d = 0; d < ms->ndev; d++)
		for (part[d] = group[d] = ax = 0; ax < ms->n; ax++) {
			int *to = partial[ax] ? &part[d] : &group[d];
			*to = *to * (int)ms->axis[ax].size + (int)place_map_coordinate(ms, ax, d);
		}
	r->part = part;
	r->group = group;
	return true;
}

static bool relation_of(struct builder *b, const mesh *ms, const chain *c, const shape *base, const shape *local, numbers_relation *r)
{
	struct place_map *m = place_map_new(&b->s->a, ms, c, base);
	bool partial = false, moves = false;
	double scale = 1;
	int k;

	if (!m || place_map_size(m) != shape_elements(local))
		return fail(b, "a chain does not fit its shape, or a tensor has too many dimensions");
	for (k = 0; k < c->n; k++) {
		partial |= c->step[k].kind == CHAIN_PARTIAL;
		moves |= c->step[k].kind != CHAIN_PARTIAL && c->step[k].kind != CHAIN_SCALE && c->step[k].kind != CHAIN_CONVERT;
		if (c->step[k].kind == CHAIN_SCALE)
			scale *= (double)c->step[k].scale.num / (double)c->step[k].scale.den;
	}
	r->scale = scale;
	r->map = moves ? place_map_index : NULL;
	r->ctx = m;
	return !partial || set_parts(b, ms, c, r);
}

/* ---- values without counterpart */

struct pin {
	const input_relation *r;
	const mesh *ms;
};

static double pin_value(void *ctx, int device)
{
	const struct pin *p = ctx;

	switch (p->r->pin) {
	case PIN_NUMBER: return p->r->value;
	case PIN_DEVICE: return device;
	case PIN_AXIS: return (double)place_map_coordinate(p->ms, p->r->axis, device);
	default: return 0;
	}
}

static numbers_relation pinned(struct builder *b, const mesh *ms, const input_relation *r)
{
	struct pin *p = ARENA_ARRAY(&b->s->a, struct pin, 1);

	*p = (struct pin){ r, ms };
	return (numbers_relation){ .global = -1, .value = r->pin == PIN_ANY ? NULL : pin_value, .ctx = p };
}

/* ---- both sides */

static int module_leaves(const module *m)
{
	int k, n = 0;

	for (k = 0; k < m->entry->nparam; k++)
		n += shape_leaves(m->entry->param[k]->shape);
	return n;
}

static void narrow(numbers_global *g, const input_relation *r)
{
	if (r->positive || r->nonzero)	/* what is not 0 is drawn above it */
		g->positive = true;
	if (r->has_range) {
		g->lo = g->bounded && g->lo > (double)r->lo ? g->lo : (double)r->lo;
		g->hi = g->bounded && g->hi < (double)r->hi ? g->hi : (double)r->hi;
		g->bounded = true;
	}
	if (r->pin == PIN_NUMBER) {
		g->lo = g->hi = r->value;
		g->bounded = true;
	}
}

/* Replica and partition counts of a distributed program; a module that gives none has devices of one kind. */
static void device_counts(const module *m, int64_t ndev, numbers_side *s)
{
	bool bare = m->num_partitions <= 0 && m->replica_count <= 0, replicas = false;
	int c, k;

	for (c = 0; bare && c < m->ncomp; c++)
		for (k = 0; k < m->comp[c]->ninst; k++) {
			const inst *i = m->comp[c]->inst[k];
			if ((inst_attr(i, "replica_groups") || inst_attr(i, "source_target_pairs")) && !inst_attr(i, "channel_id"))
				replicas = true;
		}
	s->replicas = m->replica_count > 0 ? m->replica_count : 1;
	s->partitions = m->num_partitions > 0 ? m->num_partitions : 1;
	if (bare)
		*(replicas ? &s->replicas : &s->partitions) = ndev;
}

/* An array of a baseline parameter: the global tensor itself, or what a distributed baseline's devices hold of it. */
static bool base_input(struct builder *b, int param, const shape *local, int at, numbers_relation *in)
{
	const struct problem *p = b->p;
	const input_relation *pin = &p->q->base_pin[param];
	const shape *whole = local;

	*in = (numbers_relation){ .global = at, .scale = 1 };
	if (p->base_in && p->base_m->entry->param[param]->shape->type != T_TUPLE)
		whole = p->base_shape[0][param];
	b->global[at] = (numbers_global){ .type = local->type, .n = local->type == T_TOKEN ? 0 : shape_elements(whole) };
	narrow(&b->global[at], pin);
	if (pin->has_range && p->base_in && chain_has(&p->base_in[param], CHAIN_PARTIAL))
		return fail(b, "a range of what are parts");
	if (!p->base_in || local->type == T_TOKEN)
		return true;
	if (pin->pin != PIN_NONE)
		*in = pinned(b, &p->base_ms, pin);
	else if (whole != local)
		return relation_of(b, &p->base_ms, &p->base_in[param], whole, local, in);
	return true;
}

static bool base_side(struct builder *b)
{
	const module *m = b->p->base_m;
	numbers_relation *in = ARENA_ARRAY(&b->s->a, numbers_relation, module_leaves(m));
	numbers_side *s = &b->s->p.base;
	int k, j, at = 0;

	*s = (numbers_side){ m, 1, 1, in };
	if (b->p->base_ms.ndev > 1)
		device_counts(m, b->p->base_ms.ndev, s);
	if (s->replicas * s->partitions != b->p->base_ms.ndev)
		return fail(b, "the devices of the plan's mesh base are not those of the module");
	b->global_of = ARENA_ARRAY(&b->s->a, int, m->entry->nparam + 1);
	b->s->input = ARENA_ARRAY(&b->s->a, struct numbers_input, module_leaves(m));
	for (k = 0; k < m->entry->nparam; k++) {
		const shape *t = m->entry->param[k]->shape;
		b->global_of[k] = at;
		for (j = 0; j < shape_leaves(t); j++, at++) {
			b->s->input[at] = (struct numbers_input){ m->entry->param[k], k, t->type == T_TUPLE ? j : -1,
								  t->type == T_TUPLE ? shape_leaf(t, j) : b->p->base_shape[0][k] };
			if (!base_input(b, k, shape_leaf(t, j), at, &in[at]))
				return false;
		}
	}
	b->nglobal = b->s->ninput = at;
	return true;
}

/* The global tensor an input without a parameter of the baseline is drawn from: what the baseline computes in a row. */
static bool inner_global(struct builder *b, int row, int *global, const shape **s)
{
	const inst *i = b->p->base->row[row].inst;

	if (i->parent != b->p->base_m->entry || i->shape->type == T_TUPLE)
		return fail(b, "an input holds a value that is not the baseline's own");
	*s = i->shape;
	for (*global = 0; *global < b->nglobal && b->global[*global].inst != i; ++*global)
		;
	if (*global < b->nglobal)
		return true;
	b->global[b->nglobal++] = (numbers_global){ .type = i->shape->type, .n = shape_elements(i->shape), .inst = i,
						    .cut = b->p->q->cut_row && b->p->q->cut_row[row] };
	return true;
}

/* Rows that are cut hold anything, whether an input holds it or not. */
static bool cut_rows(struct builder *b)
{
	const struct problem *p = b->p;
	const shape *s;
	int row, k, global;

	for (row = 0; row < p->base->nrow; row++) {
		if (!p->q->cut_row || !p->q->cut_row[row])
			continue;
		for (k = 0; k < b->nglobal && b->global[k].inst != p->base->row[row].inst; k++)
			;
		if (k < b->nglobal)
			continue;
		if (p->base_in)
			return fail(b, "a cut of a distributed baseline");
		if (!inner_global(b, row, &global, &s))
			return false;
	}
	return true;
}

static bool dist_input(struct builder *b, const input_relation *r, const shape *s, int leaf, numbers_relation *out)
{
	const shape *from;
	int global;

	if (s->type == T_TOKEN || r->pin != PIN_NONE || (r->base < 0 && r->base_row < 0)) {
		*out = pinned(b, &b->p->ms, r);
		return true;
	}
	if (r->base_row >= 0) {
		if (!inner_global(b, r->base_row, &global, &from))
			return false;
	} else {
		global = b->global_of[r->base] + leaf;
		from = b->p->base_shape[0][r->base];
		if (leaf >= shape_leaves(from))
			return fail(b, "an input of another structure");
		from = shape_leaf(from, leaf);
		narrow(&b->global[global], r);
		if ((r->positive || r->has_range) && chain_has(&r->c, CHAIN_SCALE))
			return fail(b, "a range of what is scaled");
		if (r->has_range && chain_has(&r->c, CHAIN_PARTIAL))
			return fail(b, "a range of what are parts");
	}
	*out = (numbers_relation){ .global = global, .scale = 1 };
	return relation_of(b, &b->p->ms, &r->c, from, s, out);
}

static bool dist_side(struct builder *b)
{
	const module *m = b->p->dist_m;
	numbers_relation *in = ARENA_ARRAY(&b->s->a, numbers_relation, module_leaves(m));
	numbers_side *s = &b->s->p.dist;
	int k, j, at = 0;

	*s = (numbers_side){ m, 1, 1, in };
	device_counts(m, b->p->ms.ndev, s);
	if (s->replicas * s->partitions != b->p->ms.ndev)
		return fail(b, "the plan's devices are not those of the module");
	for (k = 0; k < m->entry->nparam; k++)
		for (j = 0; j < shape_leaves(m->entry->param[k]->shape); j++)
			if (!dist_input(b, &b->p->q->in[k], shape_leaf(m->entry->param[k]->shape, j), j, &in[at++]))
				return false;
	return true;
}

/* ---- what is compared */

/* A row as a place to look at: an output of the program, or an instruction of its entry; false where it is neither. */
static bool row_place(const program *p, int row, numbers_place *at, const shape **s)
{
	const inst *i = p->row[row].inst;

	if (i->parent != p->m->entry || i->shape->type == T_TUPLE || strchr(p->row[row].path, '/'))
		return false;
	*at = (numbers_place){ .inst = i, .rel = { .scale = 1 } };
	*s = i->shape;
	return true;
}

static bool output_place(const module *m, int k, numbers_place *at, const shape **s)
{
	const shape *all = m->entry->root->shape;

	if (k >= shape_leaves(all))
		return false;
	*at = (numbers_place){ .leaf = k, .rel = { .scale = 1 } };
	*s = shape_leaf(all, k);
	return true;
}

/* What the plan assumes holds in every run. */
static bool assumptions(struct builder *b)
{
	const struct problem *p = b->p;
	numbers_assumed *a = ARENA_ARRAY(&b->s->a, numbers_assumed, p->dist_m->entry->ninst);
	int k, i, n = 0, global;
	const shape *from;

	for (k = 0; k < p->q->nrelated; k++) {
		const row_relation *r = &p->q->related[k];
		const row *d = &p->dist->row[r->dist_row];
		int before = n;
		if (!r->assumed)
			continue;
		if (d->inst->parent != p->dist_m->entry || !inner_global(b, r->base_row, &global, &from))
			return fail(b, "what is assumed of an inlined value");
		for (i = 0; i < p->dist_m->entry->ninst; i++) {	/* an element of a tuple by what takes it */
			const inst *x = p->dist_m->entry->inst[i];
			bool element = x->opcode == OP_GET_TUPLE_ELEMENT && x->operand[0] == d->inst && x->number == d->element;
			if (d->element >= 0 ? !element : x != d->inst)
				continue;
			a[n] = (numbers_assumed){ x, { .global = global, .scale = 1 } };
			if (!relation_of(b, &p->ms, &r->rel.c, from, x->shape, &a[n].rel))
				return false;
			n++;
		}
		if (n == before)
			return fail(b, "what is assumed of an inlined value");
	}
	b->s->p.assumed = a;
	b->s->p.nassumed = n;
	return true;
}

/* What a goal compares.  Obligations on inlined instructions are left out: no run keeps their values. */
static bool goal_places(struct builder *b, const goal *g, numbers_check *c, const shape **bs, const shape **ds)
{
	bool inner = g->out < 0 || (g->rel && g->rel->base_row >= 0);

	if (!g->compared || !g->rel || g->base_row < 0)
		return false;
	return (inner ? row_place(b->p->base, g->base_row, &c->base, bs) : output_place(b->p->base_m, g->rel->base, &c->base, bs)) &&
	       (g->out < 0 ? row_place(b->p->dist, g->dist_row, &c->dist, ds) : output_place(b->p->dist_m, g->out, &c->dist, ds));
}

static bool outputs(struct builder *b)
{
	const pair *q = b->p->q;
	numbers_check *c = ARENA_ARRAY(&b->s->a, numbers_check, q->ngoal);
	const shape *bs, *ds, *whole;
	int k, n = 0;

	b->s->goal = ARENA_ARRAY(&b->s->a, int, q->ngoal);
	for (k = 0; k < q->ngoal; k++) {
		const goal *g = &q->goal[k];
		if (!goal_places(b, g, &c[n], &bs, &ds))
			continue;
		whole = b->p->base_in ? b->p->base_shape[1][g->rel->base] : bs;
		c[n].n = shape_elements(whole);
		if (!relation_of(b, &b->p->ms, &g->rel->c, whole, ds, &c[n].dist.rel))
			return false;
		if (b->p->base_in && !relation_of(b, &b->p->base_ms, &b->p->base_out[g->rel->base], whole, bs, &c[n].base.rel))
			return false;
		b->s->goal[n++] = k;
	}
	b->s->p.check = c;
	b->s->p.ncheck = n;
	return true;
}

struct numbers_setup *numbers_setup(struct problem *p, const char **why)
{
	struct numbers_setup *s = calloc(1, sizeof *s);
	struct builder b = { .p = p, .s = s };

	if (!s) {
		die_hook("out of memory");
		return NULL;
	}
	arena_init(&s->a);
	b.global = ARENA_ARRAY(&s->a, numbers_global, module_leaves(p->base_m) + module_leaves(p->dist_m) + p->base->nrow + p->q->nrelated);
	if (!base_side(&b) || !dist_side(&b) || !cut_rows(&b) || !assumptions(&b) || !outputs(&b)) {
		*why = b.why;
		numbers_setup_free(s);
		return NULL;
	}
	s->p.global = b.global;
	s->p.nglobal = b.nglobal;
	s->p.fill_elided = true;
	s->p.meaning = definition_of_vendor;
	s->p.refusal = definition_refusal;
	return s;
}

void numbers_setup_take(struct numbers_setup *s, const numbers *n)
{
	const char *what;
	int k, j;

	for (k = 0; (what = numbers_taken(n, k)); k++) {
		for (j = 0; j < s->ntaken && strcmp(s->taken[j], what); j++)
			;
		if (j == s->ntaken && j < (int)(sizeof s->taken / sizeof *s->taken))
			s->taken[s->ntaken++] = what;
	}
}

const char *numbers_setup_if(struct numbers_setup *s)
{
	const char *text = "";
	int k;

	for (k = 0; k < s->ntaken; k++)
		text = arena_printf(&s->a, "%s%s%s", text, k ? " and " : ", if ", s->taken[k]);
	return text;
}

void numbers_setup_free(struct numbers_setup *s)
{
	if (!s)
		return;
	arena_free(&s->a);
	free(s);
}
