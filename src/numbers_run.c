#include "numbers_run.h"

#include <stdlib.h>
#include <string.h>

/* ---- chains on plain integers */

enum { MOST_DIMS = 16 };

struct walk_shape {
	int rank;
	int64_t dim[MOST_DIMS];
};

/* One chain from a tensor of n elements; steps as the plan has them, shape[k] before step k. */
struct place_map {
	const mesh *ms;
	int n;
	const chain_step *step;
	struct walk_shape *shape;
};

static int64_t elements(const struct walk_shape *s)
{
	int64_t n = 1;
	int k;

	for (k = 0; k < s->rank; k++)
		n *= s->dim[k];
	return n;
}

static int64_t coordinate(const mesh *ms, int axis, int64_t device)
{
	int k;

	for (k = ms->n - 1; k > axis; k--)
		device /= ms->axis[k].size;
	return device % ms->axis[axis].size;
}

static bool step_shape(const mesh *ms, const chain_step *s, const struct walk_shape *in, struct walk_shape *out)
{
	int k;

	*out = *in;
	switch (s->kind) {
	case CHAIN_SHARD:
		if (s->dim >= in->rank || in->dim[s->dim] % ms->axis[s->axis].size)
			return false;
		out->dim[s->dim] /= ms->axis[s->axis].size;
		return true;
	case CHAIN_RESHAPE:
		out->rank = s->n;
		for (k = 0; k < s->n && k < MOST_DIMS; k++)
			out->dim[k] = s->v[k];
		return s->n <= MOST_DIMS && elements(in) == elements(out);
	case CHAIN_TRANSPOSE:
		for (k = 0; k < in->rank && s->n == in->rank; k++)
			out->dim[k] = in->dim[s->v[k]];
		return s->n == in->rank;
	case CHAIN_PAD:
		out->dim[s->dim] = s->to;
		return s->dim < in->rank;
	case CHAIN_REPEAT:
		out->dim[s->dim] *= s->count;
		return s->dim < in->rank;
	case CHAIN_TAKE:
		out->dim[s->dim] = s->n * s->unit;
		return s->dim < in->rank;
	case CHAIN_IGNORE:
		return s->dim < in->rank;
	default:
		return true;
	}
}

/* Place i of dimension `dim` of a shard whose whole is cut into segments, each sharded by itself. */
static int64_t segment_place(const chain_step *s, int64_t axis, int64_t at, int64_t i)
{
	int64_t off = 0;
	int g;

	for (g = 0; g < s->n; g++) {
		int64_t part = s->v[g] / axis;

		if (i < part)
			return off + at * part + i;
		i -= part;
		off += s->v[g];
	}
	return NUMBERS_ANY;
}

static int64_t flatten(const struct walk_shape *s, const int64_t *i)
{
	int64_t at = 0;
	int k;

	for (k = 0; k < s->rank; k++)
		at = at * s->dim[k] + i[k];
	return at;
}

static void unflatten(const struct walk_shape *s, int64_t at, int64_t *i)
{
	int k;

	for (k = s->rank - 1; k >= 0; at /= s->dim[k--])
		i[k] = at % s->dim[k];
}

/* Index i, after a step, as the index before it; NUMBERS_ZERO or NUMBERS_ANY where nothing stands behind it. */
static int64_t step_back(const struct place_map *m, int k, int device, int64_t *i)
{
	const chain_step *s = &m->step[k];
	const struct walk_shape *before = &m->shape[k], *after = &m->shape[k + 1];
	int64_t old[MOST_DIMS], *x = &i[s->dim];
	int j;

	switch (s->kind) {
	case CHAIN_SHARD:
		j = (int)m->ms->axis[s->axis].size;
		*x = s->n ? segment_place(s, j, coordinate(m->ms, s->axis, device), *x)
			  : coordinate(m->ms, s->axis, device) * after->dim[s->dim] + *x;
		return 0;
	case CHAIN_RESHAPE:
		unflatten(before, flatten(after, i), i);
		return 0;
	case CHAIN_TRANSPOSE:
		memcpy(old, i, sizeof old);
		for (j = 0; j < before->rank; j++)
			i[s->v[j]] = old[j];
		return 0;
	case CHAIN_PAD:
		return *x < before->dim[s->dim] ? 0 : s->zero ? NUMBERS_ZERO : NUMBERS_ANY;
	case CHAIN_REPEAT:
		*x /= s->count;
		return 0;
	case CHAIN_TAKE:
		if (s->v[*x / s->unit] < 0)
			return NUMBERS_ZERO;
		*x = s->v[*x / s->unit] * s->unit + *x % s->unit;
		return 0;
	case CHAIN_IGNORE:
		for (j = 0; j < s->n; j++)
			if (s->v[j] == *x)
				return NUMBERS_ANY;
		return 0;
	default:
		return 0;
	}
}

static void chain_map(void *ctx, int device, int64_t n, int64_t *index)
{
	const struct place_map *m = ctx;
	int64_t i[MOST_DIMS] = { 0 }, at, gone;
	int k;

	for (at = 0; at < n; at++) {
		unflatten(&m->shape[m->n], at, i);
		for (gone = 0, k = m->n - 1; k >= 0 && !gone; k--)
			gone = step_back(m, k, device, i);
		index[at] = gone ? gone : flatten(&m->shape[0], i);
	}
}

/* ---- relations */

struct builder {
	struct problem *p;
	struct numbers_setup *s;
	const char *why;
	int *global_of;		/* first array of a baseline parameter -> global tensor */
	int nglobal;
	numbers_global *global;
};

static enum numbers_fold fold_of(const char *op)
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
static bool set_parts(struct builder *b, const chain *c, numbers_relation *r)
{
	const mesh *ms = &b->p->ms;
	int *part = ARENA_ARRAY(&b->s->a, int, ms->ndev), *group = ARENA_ARRAY(&b->s->a, int, ms->ndev), d, k, ax;
	bool partial[64] = { false };

	r->nparts = 1;
	for (k = 0; k < c->n; k++) {
		if (c->step[k].kind != CHAIN_PARTIAL)
			continue;
		if (r->nparts > 1 && fold_of(c->step[k].op) != r->fold)
			return fail(b, "parts of two kinds");
		r->fold = fold_of(c->step[k].op);
		r->nparts *= (int)ms->axis[c->step[k].axis].size;
		partial[c->step[k].axis] = true;
	}
	for (d = 0; d < ms->ndev; d++)
		for (part[d] = group[d] = ax = 0; ax < ms->n; ax++) {
			int *to = partial[ax] ? &part[d] : &group[d];
			*to = *to * (int)ms->axis[ax].size + (int)coordinate(ms, ax, d);
		}
	r->part = part;
	r->group = group;
	return true;
}

static bool relation_of(struct builder *b, const chain *c, const shape *base, const shape *local, numbers_relation *r)
{
	struct place_map *m = ARENA_ARRAY(&b->s->a, struct place_map, 1);
	bool partial = false, moves = false;
	double scale = 1;
	int k;

	if (base->rank > MOST_DIMS || b->p->ms.n > 64)
		return fail(b, "a tensor of too many dimensions");
	*m = (struct place_map){ &b->p->ms, c->n, c->step, ARENA_ARRAY(&b->s->a, struct walk_shape, c->n + 1) };
	m->shape[0].rank = base->rank;
	for (k = 0; k < base->rank; k++)
		m->shape[0].dim[k] = base->dim[k];
	for (k = 0; k < c->n; k++) {
		if (!step_shape(&b->p->ms, &c->step[k], &m->shape[k], &m->shape[k + 1]))
			return fail(b, "a chain does not fit its shape");
		partial |= c->step[k].kind == CHAIN_PARTIAL;
		moves |= c->step[k].kind != CHAIN_PARTIAL && c->step[k].kind != CHAIN_SCALE && c->step[k].kind != CHAIN_CONVERT;
		if (c->step[k].kind == CHAIN_SCALE)
			scale *= (double)c->step[k].scale.num / (double)c->step[k].scale.den;
	}
	if (elements(&m->shape[c->n]) != shape_elements(local))
		return fail(b, "a chain does not fit its shape");
	r->scale = scale;
	r->map = moves ? chain_map : NULL;
	r->ctx = m;
	return !partial || set_parts(b, c, r);
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
	case PIN_AXIS: return (double)coordinate(p->ms, p->r->axis, device);
	default: return 0;
	}
}

static numbers_relation pinned(struct builder *b, const input_relation *r)
{
	struct pin *p = ARENA_ARRAY(&b->s->a, struct pin, 1);

	*p = (struct pin){ r, &b->p->ms };
	return (numbers_relation){ .global = -1, .value = r->pin == PIN_ANY ? NULL : pin_value, .ctx = p };
}

/* ---- both sides */

static int leaf_count(const shape *s)
{
	int n = 0, k;

	if (s->type != T_TUPLE)
		return 1;
	for (k = 0; k < s->n; k++)
		n += leaf_count(s->elem[k]);
	return n;
}

static const shape *leaf_shape(const shape *s, int k)
{
	int e, n;

	while (s->type == T_TUPLE) {
		for (e = 0; e < s->n && k >= (n = leaf_count(s->elem[e])); e++)
			k -= n;
		s = s->elem[e];
	}
	return s;
}

static int module_leaves(const module *m)
{
	int k, n = 0;

	for (k = 0; k < m->entry->nparam; k++)
		n += leaf_count(m->entry->param[k]->shape);
	return n;
}

static void narrow(numbers_global *g, const input_relation *r)
{
	if (r->positive)
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

static void base_side(struct builder *b)
{
	const module *m = b->p->base_m;
	numbers_relation *in = ARENA_ARRAY(&b->s->a, numbers_relation, module_leaves(m));
	int k, j, at = 0;

	b->global_of = ARENA_ARRAY(&b->s->a, int, m->entry->nparam + 1);
	b->s->input = ARENA_ARRAY(&b->s->a, struct numbers_input, module_leaves(m));
	for (k = 0; k < m->entry->nparam; k++) {
		const shape *s = m->entry->param[k]->shape;
		b->global_of[k] = at;
		for (j = 0; j < leaf_count(s); j++, at++) {
			const shape *t = leaf_shape(s, j);
			b->global[at] = (numbers_global){ .type = t->type, .n = t->type == T_TOKEN ? 0 : shape_elements(t) };
			in[at] = (numbers_relation){ .global = at, .scale = 1 };
			b->s->input[at] = (struct numbers_input){ m->entry->param[k], k, s->type == T_TUPLE ? j : -1, t };
			narrow(&b->global[at], &b->p->q->base_pin[k]);
		}
	}
	b->nglobal = b->s->ninput = at;
	b->s->p.base = (numbers_side){ m, 1, 1, in };
}

/* The global tensor an input without a parameter of the baseline is drawn from: what the baseline computes in a row. */
static bool inner_global(struct builder *b, int row, int *global, const shape **s)
{
	const inst *i = b->p->base->row[row].inst;

	if (i->parent != b->p->base_m->entry || i->shape->type == T_TUPLE)
		return fail(b, "an input holds a value that is not the baseline's own");
	*s = i->shape;
	*global = b->nglobal;
	b->global[b->nglobal++] = (numbers_global){ .type = i->shape->type, .n = shape_elements(i->shape), .inst = i };
	return true;
}

static bool scaled(const chain *c)
{
	int k;

	for (k = 0; k < c->n; k++)
		if (c->step[k].kind == CHAIN_SCALE)
			return true;
	return false;
}

static bool dist_input(struct builder *b, const input_relation *r, const shape *s, int leaf, numbers_relation *out)
{
	const shape *from;
	int global;

	if (s->type == T_TOKEN || r->pin != PIN_NONE || (r->base < 0 && r->base_row < 0)) {
		*out = pinned(b, r);
		return true;
	}
	if (r->base_row >= 0) {
		if (!inner_global(b, r->base_row, &global, &from))
			return false;
	} else {
		global = b->global_of[r->base] + leaf;
		from = b->p->base_m->entry->param[r->base]->shape;
		if (leaf >= leaf_count(from))
			return fail(b, "an input of another structure");
		from = leaf_shape(from, leaf);
		narrow(&b->global[global], r);
		if ((r->positive || r->has_range) && scaled(&r->c))
			return fail(b, "a range of what is scaled");
	}
	*out = (numbers_relation){ .global = global, .scale = 1 };
	return relation_of(b, &r->c, from, s, out);
}

/* Replica and partition counts of the distributed program; a module that gives none has devices of one kind. */
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
		for (j = 0; j < leaf_count(m->entry->param[k]->shape); j++)
			if (!dist_input(b, &b->p->q->in[k], leaf_shape(m->entry->param[k]->shape, j), j, &in[at++]))
				return false;
	return true;
}

/* ---- what is compared */

static int output_leaf(const module *m, int k)
{
	const shape *s = m->entry->root->shape;
	int e, n = 0;

	for (e = 0; s->type == T_TUPLE && e < k; e++)
		n += leaf_count(s->elem[e]);
	return n;
}

static bool outputs(struct builder *b)
{
	const pair *q = b->p->q;
	numbers_check *c = ARENA_ARRAY(&b->s->a, numbers_check, q->ngoal);
	const shape *bs = b->p->base_m->entry->root->shape, *ds = b->p->dist_m->entry->root->shape;
	int k, n = 0, bl, dl;

	b->s->goal = ARENA_ARRAY(&b->s->a, int, q->ngoal);
	for (k = 0; k < q->ngoal; k++) {
		const goal *g = &q->goal[k];
		if (!g->compared || g->out < 0 || !g->rel || g->rel->base < 0)
			continue;
		bl = output_leaf(b->p->base_m, g->rel->base);
		dl = output_leaf(b->p->dist_m, g->out);
		if (bl >= leaf_count(bs) || dl >= leaf_count(ds))
			return fail(b, "an output of another structure");
		c[n] = (numbers_check){ .n = shape_elements(leaf_shape(bs, bl)), .base = { .leaf = bl, .rel = { .scale = 1 } },
					.dist = { .leaf = dl, .rel = { .scale = 1 } } };
		if (!relation_of(b, &g->rel->c, leaf_shape(bs, bl), leaf_shape(ds, dl), &c[n].dist.rel))
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
	b.global = ARENA_ARRAY(&s->a, numbers_global, module_leaves(p->base_m) + module_leaves(p->dist_m));
	base_side(&b);
	if (!dist_side(&b) || !outputs(&b)) {
		*why = b.why;
		numbers_setup_free(s);
		return NULL;
	}
	s->p.global = b.global;
	s->p.nglobal = b.nglobal;
	s->p.fill_elided = true;
	return s;
}

void numbers_setup_free(struct numbers_setup *s)
{
	if (!s)
		return;
	arena_free(&s->a);
	free(s);
}
