/* numbers.c - see numbers.h. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "numbers.h"

/* Words of one global tensor: doubles, integers, or pairs of doubles. */
struct stock { double *f; int64_t *i; int64_t words; };

struct side {
	const numbers_side *s;
	interp *run;
	int ndev;
	tensor ***input;	/* [device][parameter] */
};

struct numbers {
	const numbers_problem *p;
	arena arena;
	uint64_t rng[4];
	enum numbers_kind kind;
	struct stock *global;
	struct side base, dist;
	bool running_dist;
	double base_work, dist_work;	/* estimates, for the progress call */
	tensor **replacement;	/* cut instruction of the baseline -> its value, by global tensor */
};

/* ---- random numbers */

static uint64_t next(struct numbers *n)
{
	uint64_t *s = n->rng, r = s[1] * 5, t = s[1] << 17;

	r = (r << 7 | r >> 57) * 9;
	s[2] ^= s[0];
	s[3] ^= s[1];
	s[1] ^= s[2];
	s[0] ^= s[3];
	s[2] ^= t;
	s[3] = s[3] << 45 | s[3] >> 19;
	return r;
}

/* splitmix64, to fill the state. */
static void seed(struct numbers *n, uint64_t v)
{
	int k;

	for (k = 0; k < 4; k++) {
		uint64_t z = v += 0x9e3779b97f4a7c15;

		z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
		z = (z ^ z >> 27) * 0x94d049bb133111eb;
		n->rng[k] = z ^ z >> 31;
	}
}

static double uniform(struct numbers *n)
{
	return (double)(next(n) >> 11) * 0x1p-53;
}

/* Mean 0, variance 1, near normal: four uniform pieces of one word added up. */
static double normal(struct numbers *n)
{
	uint64_t v = next(n);

	return ((double)((v & 0xffff) + (v >> 16 & 0xffff) + (v >> 32 & 0xffff) + (v >> 48)) / 0x1p16 - 2) * 1.7320508;
}

static int64_t whole(struct numbers *n, int64_t lo, int64_t hi)
{
	uint64_t span = (uint64_t)hi - (uint64_t)lo + 1;

	return (int64_t)((uint64_t)lo + (span ? next(n) % span : next(n)));
}

static double draw_float(struct numbers *n, const numbers_global *g)
{
	if (g->bounded)
		return n->kind == NUMBERS_INTEGERS || n->kind == NUMBERS_TIES ? (double)whole(n, (int64_t)ceil(g->lo), (int64_t)floor(g->hi))
									      : g->lo + (g->hi - g->lo) * uniform(n);
	if (g->positive)
		return n->kind == NUMBERS_INTEGERS ? (double)whole(n, 1, 4) : 0.3 + 1.7 * uniform(n);
	switch (n->kind) {
	case NUMBERS_INTEGERS: return (double)whole(n, -4, 4);
	case NUMBERS_POSITIVE: return 0.3 + 1.7 * uniform(n);
	case NUMBERS_TIES: return (double)whole(n, -1, 1);
	case NUMBERS_WIDE: return (double)whole(n, -400, 400);
	default: return normal(n);
	}
}

static int64_t draw_int(struct numbers *n, const numbers_global *g)
{
	char k = etype_kind(g->type);

	if (k == 'p')
		return whole(n, 0, 1);
	if (g->bounded)
		return interp_wrap(g->type, whole(n, (int64_t)g->lo, (int64_t)g->hi));
	if (g->positive)
		return whole(n, 1, 7);
	return interp_wrap(g->type, n->kind == NUMBERS_WIDE ? (int64_t)next(n) : whole(n, k == 's' ? -2 : 0, 7));
}

static void draw(struct numbers *n, const numbers_global *g, struct stock *s)
{
	bool plain = s->f && n->kind == NUMBERS_NORMAL && !g->bounded && !g->positive;
	int64_t k;

	for (k = 0; k < s->words; k++)
		if (plain)	/* weights, nearly all of the numbers there are */
			s->f[k] = normal(n);
		else if (s->f)
			s->f[k] = draw_float(n, g);
		else
			s->i[k] = draw_int(n, g);
	if (s->f && n->p->reading == INTERP_DECLARED)
		interp_round(g->type, g->n, s->f);
}

/* ---- parts: values that fold to the whole */

static double part_float(struct numbers *n, enum numbers_fold fold, double x)
{
	double r = n->kind == NUMBERS_INTEGERS || n->kind == NUMBERS_TIES || n->kind == NUMBERS_WIDE ? (double)whole(n, -6, 6)
												      : 2 * normal(n);

	return fold == NUMBERS_SUM ? r : fold == NUMBERS_MAX ? x - fabs(r) : x + fabs(r);
}

static int64_t part_int(struct numbers *n, enum numbers_fold fold, int64_t x)
{
	int64_t r = whole(n, 0, 6);

	switch (fold) {
	case NUMBERS_SUM: return r - 3;
	case NUMBERS_MAX: return x - r;
	case NUMBERS_MIN: return x + r;
	case NUMBERS_AND: return x | (int64_t)next(n);
	default: return x & (int64_t)next(n);
	}
}

/* One part holds what is left of a sum, or the value itself; which one, chance decides. */
static void split_floats(struct numbers *n, enum numbers_fold fold, int parts, const struct stock *whole_, struct stock *out)
{
	int64_t k;
	int j;

	for (k = 0; k < whole_->words; k++) {
		int rest = (int)(next(n) % (uint64_t)parts);
		double left = whole_->f[k];

		for (j = 0; j < parts; j++)
			if (j != rest) {
				out[j].f[k] = part_float(n, fold, whole_->f[k]);
				left -= fold == NUMBERS_SUM ? out[j].f[k] : 0;
			}
		out[rest].f[k] = left;
	}
}

static void split_ints(struct numbers *n, enum numbers_fold fold, enum etype t, int parts, const struct stock *whole_,
		       struct stock *out)
{
	int64_t k;
	int j;

	if (t == T_PRED && fold != NUMBERS_AND && fold != NUMBERS_MIN)
		fold = NUMBERS_OR;
	else if (t == T_PRED)
		fold = NUMBERS_AND;
	for (k = 0; k < whole_->words; k++) {
		int rest = (int)(next(n) % (uint64_t)parts);
		uint64_t left = (uint64_t)whole_->i[k];

		for (j = 0; j < parts; j++)
			if (j != rest) {
				out[j].i[k] = interp_wrap(t, part_int(n, fold, whole_->i[k]));
				if (t == T_PRED)
					out[j].i[k] = fold == NUMBERS_OR ? whole_->i[k] & (int64_t)(next(n) & 1)
									 : whole_->i[k] | (int64_t)(next(n) & 1);
				left -= fold == NUMBERS_SUM ? (uint64_t)out[j].i[k] : 0;
			}
		out[rest].i[k] = interp_wrap(t, (int64_t)left);
	}
}

static struct stock stock_new(arena *a, enum etype t, int64_t n)
{
	struct stock s = { NULL, NULL, n };
	char k = etype_kind(t);

	if (k == 'c')
		s.words = 2 * n;
	if (k == 'f' || k == 'c')
		s.f = arena_zalloc(a, sizeof *s.f * (size_t)(s.words + 1));
	else
		s.i = arena_zalloc(a, sizeof *s.i * (size_t)(s.words + 1));
	return s;
}

static struct stock *split(struct numbers *n, const numbers_relation *r)
{
	const numbers_global *g = &n->p->global[r->global];
	struct stock *out = ARENA_ARRAY(&n->arena, struct stock, r->nparts);
	int j;

	for (j = 0; j < r->nparts; j++)
		out[j] = stock_new(&n->arena, g->type, g->n);
	if (n->global[r->global].f)
		split_floats(n, r->fold, r->nparts, &n->global[r->global], out);
	else
		split_ints(n, r->fold, g->type, r->nparts, &n->global[r->global], out);
	return out;
}

/* ---- local tensors */

static bool has_parts(const numbers_relation *r)
{
	return r->fold != NUMBERS_WHOLE && r->nparts > 0 && r->part;
}

static void identity(int64_t n, int64_t *index)
{
	int64_t k;

	for (k = 0; k < n; k++)
		index[k] = k;
}

static void index_of(const numbers_relation *r, int device, int64_t n, int64_t *index)
{
	if (r->map)
		r->map(r->ctx, device, n, index);
	else
		identity(n, index);
}

/* A place that may hold anything: numbers unlike the others, so that a leak shows. */
static void anything(struct numbers *n, tensor *t, int64_t k)
{
	int w = t->f && etype_kind(t->shape->type) == 'c' ? 2 : 1, j;

	for (j = 0; j < w; j++)
		if (t->f)
			t->f[k * w + j] = rint(3 * normal(n)) + 5;
		else
			t->i[k * w + j] = interp_wrap(t->shape->type, whole(n, 0, 7));
}

static double factor(const numbers_relation *r)
{
	return r->scale == 0 ? 1 : r->scale;
}

/* Word p of a stock as the word at `to` of a tensor. */
static void fill_word(const struct stock *s, int64_t p, double scale, tensor *t, int64_t to)
{
	if (t->f)
		t->f[to] = scale * (s->f ? s->f[p] : (double)s->i[p]);
	else
		t->i[to] = interp_wrap(t->shape->type, s->i ? s->i[p] * (int64_t)scale : (int64_t)(s->f[p] * scale));
}

/* Local places by their global ones; what is not filled is zero already. */
static void fill_places(struct numbers *n, const struct stock *s, double scale, tensor *t, const int64_t *index)
{
	int w = t->f && etype_kind(t->shape->type) == 'c' ? 2 : 1, j;
	int64_t k;

	for (k = 0; k < t->n; k++)
		if (index[k] == NUMBERS_ANY)
			anything(n, t, k);
		else
			for (j = 0; index[k] >= 0 && index[k] * w < s->words && j < w; j++)
				fill_word(s, index[k] * w + j, scale, t, k * w + j);
}

static void fill_fixed(struct numbers *n, const numbers_relation *r, int device, tensor *t)
{
	int64_t k;

	for (k = 0; k < t->n; k++)
		if (!r->value)
			anything(n, t, k);
		else if (t->f)
			t->f[etype_kind(t->shape->type) == 'c' ? 2 * k : k] = r->value(r->ctx, device);
		else
			t->i[k] = interp_wrap(t->shape->type, (int64_t)r->value(r->ctx, device));
}

static void fill_local(struct numbers *n, const numbers_relation *r, int device, const struct stock *parts, tensor *t)
{
	int64_t *index;

	if (r->global < 0) {
		fill_fixed(n, r, device, t);
		return;
	}
	index = malloc(sizeof *index * (size_t)(t->n + 1));
	if (!index)
		die_hook("out of memory");
	index_of(r, device, t->n, index);
	fill_places(n, parts ? &parts[r->part[device]] : &n->global[r->global], factor(r), t, index);
	free(index);
	if (t->f && n->p->reading == INTERP_DECLARED)
		interp_round(t->shape->type, t->n, t->f);
}

/* Arrays in a value, in order. */
static int leaves(tensor *t, tensor **out, int at, int most)
{
	int k;

	if (t->shape->type != T_TUPLE) {
		if (at < most)
			out[at] = t;
		return at + 1;
	}
	for (k = 0; k < t->nelem; k++)
		at = leaves(t->elem[k], out, at, most);
	return at;
}

static tensor *leaf(tensor *t, int want)
{
	tensor **all, *found;
	int n = leaves(t, NULL, 0, 0);

	if (want < 0 || want >= n)
		return NULL;
	all = malloc(sizeof *all * (size_t)n);
	if (!all)
		die_hook("out of memory");
	leaves(t, all, 0, n);
	found = all[want];
	free(all);
	return found;
}

/* One array of the parameters on all devices; equal ones are one tensor. */
static void fill_leaf(struct numbers *n, struct side *s, int param, int k, const numbers_relation *r)
{
	struct stock *parts = r->global >= 0 && has_parts(r) ? split(n, r) : NULL;
	int d;

	for (d = 0; d < s->ndev; d++)
		fill_local(n, r, d, parts, leaf(s->input[d][param], k));
}

/* Every device holds the whole global tensor as it is. */
static bool shared(const struct numbers *n, const numbers_relation *r, const shape *s)
{
	return s->type != T_TUPLE && r->global >= 0 && !r->map && !has_parts(r) && factor(r) == 1
	       && n->p->global[r->global].type == s->type && n->p->global[r->global].n == shape_elements(s);
}

static tensor *whole_tensor(const struct numbers *n, const numbers_relation *r, const shape *s)
{
	const struct stock *k = &n->global[r->global];

	return tensor_over(s, n->p->global[r->global].n, k->f, k->i);
}

static void fill_inputs(struct numbers *n, struct side *s)
{
	const comp *e = s->s->m->entry;
	int p, k, d, at = 0;

	s->input = arena_zalloc(&n->arena, sizeof *s->input * (size_t)s->ndev);
	for (d = 0; d < s->ndev; d++)
		s->input[d] = arena_zalloc(&n->arena, sizeof **s->input * (size_t)(e->nparam + 1));
	for (p = 0; p < e->nparam; p++) {
		const shape *sh = e->param[p]->shape;
		bool one = shared(n, &s->s->input[at], sh);
		int count;

		for (d = 0; d < s->ndev; d++)
			s->input[d][p] = !one ? tensor_new(sh) : d ? tensor_ref(s->input[0][p])
								   : whole_tensor(n, &s->s->input[at], sh);
		count = leaves(s->input[0][p], NULL, 0, 0);
		for (k = 0; !one && k < count; k++)
			fill_leaf(n, s, p, k, &s->s->input[at + k]);
		at += count;
	}
}

static void drop_inputs(struct side *s)
{
	int d, p;

	for (d = 0; s->input && d < s->ndev; d++)
		for (p = 0; p < s->s->m->entry->nparam; p++)
			tensor_unref(s->input[d][p]);
	s->input = NULL;
}

/* ---- the runs */

static bool keep_base(void *ctx, const inst *i)
{
	const struct numbers *n = ctx;
	int k;

	for (k = 0; k < n->p->ncheck; k++)
		if (n->p->check[k].base.inst == i)
			return true;
	for (k = 0; k < n->p->nglobal; k++)
		if (n->p->global[k].inst == i && !n->p->global[k].cut)
			return true;
	return false;
}

static bool keep_dist(void *ctx, const inst *i)
{
	const struct numbers *n = ctx;
	int k;

	for (k = 0; k < n->p->ncheck; k++)
		if (n->p->check[k].dist.inst == i)
			return true;
	return false;
}

static tensor *replace_base(void *ctx, const inst *i, int device)
{
	const struct numbers *n = ctx;
	int k;

	(void)device;
	for (k = 0; k < n->p->nglobal; k++)
		if (n->p->global[k].inst == i && n->p->global[k].cut)
			return tensor_ref(n->replacement[k]);
	return NULL;
}

static int progress(void *ctx, double done, double total)
{
	const struct numbers *n = ctx;

	(void)total;
	return n->p->progress(n->p->ctx, n->running_dist ? n->base_work + done : done, n->base_work + n->dist_work);
}

static void side_init(struct numbers *n, struct side *s, const numbers_side *from, bool dist)
{
	interp_options o = {
		.reading = n->p->reading, .replicas = from->replicas, .partitions = from->partitions,
		.fill_elided = n->p->fill_elided, .byte_limit = n->p->byte_limit, .ctx = n,
		.keep = dist ? keep_dist : keep_base, .progress = n->p->progress ? progress : NULL,
		.replace = dist ? NULL : replace_base,
	};
	int64_t r = from->replicas > 0 ? from->replicas : 1, p = from->partitions > 0 ? from->partitions : 1;

	s->s = from;
	s->run = interp_new(from->m, &o);
	s->ndev = (int)(r * p);
	*(dist ? &n->dist_work : &n->base_work) = interp_estimate(from->m, s->ndev).madds;
}

static numbers_result refused(const struct side *s, bool dist)
{
	numbers_result out = { .verdict = NUMBERS_REFUSED, .in_dist = dist, .where = interp_where(s->run),
			       .why = interp_why(s->run), .stopped = interp_stopped(s->run) };

	return out;
}

/* Global tensors that are what the baseline computes somewhere. */
static void learn(struct numbers *n)
{
	int k;

	for (k = 0; k < n->p->nglobal; k++) {
		const numbers_global *g = &n->p->global[k];
		const tensor *t = g->inst && !g->cut ? interp_value(n->base.run, g->inst, 0) : NULL;
		int64_t w = n->global[k].words;

		if (!t || (n->global[k].f != NULL) != (t->f != NULL) || t->n != g->n)
			continue;
		memcpy(n->global[k].f ? (void *)n->global[k].f : (void *)n->global[k].i, t->f ? (void *)t->f : (void *)t->i,
		       (size_t)w * 8);
	}
}

static void replacements(struct numbers *n)
{
	int k;

	for (k = 0; k < n->p->nglobal; k++) {
		const numbers_global *g = &n->p->global[k];

		if (!g->inst || !g->cut)
			continue;
		n->replacement[k] = tensor_new(g->inst->shape);
		if (n->replacement[k]->n == g->n)
			memcpy(n->global[k].f ? (void *)n->replacement[k]->f : (void *)n->replacement[k]->i,
			       n->global[k].f ? (void *)n->global[k].f : (void *)n->global[k].i, (size_t)n->global[k].words * 8);
	}
}

/* ---- comparison */

/* One thing to compare on all devices of a side. */
struct seen { const struct side *s; const numbers_place *p; tensor **t; int words; };

static tensor *place_value(const struct side *s, const numbers_place *p, int device)
{
	tensor *t = p->inst ? interp_value(s->run, p->inst, device) : interp_output(s->run, device);

	return t ? leaf(t, p->inst ? 0 : p->leaf) : NULL;
}

/* False when it is no tensor everywhere. */
static bool look(struct numbers *n, const struct side *s, const numbers_place *p, struct seen *o)
{
	int d;

	*o = (struct seen){ s, p, ARENA_ARRAY(&n->arena, tensor *, s->ndev), 1 };
	for (d = 0; d < s->ndev; d++) {
		o->t[d] = place_value(s, p, d);
		if (!o->t[d] || (!o->t[d]->f && !o->t[d]->i))
			return false;
	}
	o->words = etype_kind(o->t[0]->shape->type) == 'c' ? 2 : 1;
	return true;
}

static double number(const tensor *t, int64_t k)
{
	return t->f ? t->f[k] : t->shape->type == T_U64 ? (double)(uint64_t)t->i[k] : (double)t->i[k];
}

static double fold2(enum numbers_fold f, double a, double b)
{
	switch (f) {
	case NUMBERS_SUM: return a + b;
	case NUMBERS_MAX: return a > b || a != a ? a : b;
	case NUMBERS_MIN: return a < b || a != a ? a : b;
	case NUMBERS_AND: return (double)((int64_t)a & (int64_t)b);
	case NUMBERS_OR: return (double)((int64_t)a | (int64_t)b);
	default: return a;
	}
}

/* Device d's number at k, folded with one device of its group for every other part, the factor taken out. */
static double folded(const struct seen *o, int d, int64_t k)
{
	const numbers_relation *r = &o->p->rel;
	double v = number(o->t[d], k);
	int e, part;

	for (part = 0; has_parts(r) && part < r->nparts; part++)
		for (e = 0; part != r->part[d] && e < o->s->ndev; e++)
			if (r->part[e] == part && (!r->group || r->group[e] == r->group[d])) {
				v = fold2(r->fold, v, number(o->t[e], k));
				break;
			}
	return v / factor(r);
}

/* A global tensor as far as the baseline's devices hold it. */
struct known { double *v; uint8_t *have; int64_t words; double top; };

static int64_t *index_new(int64_t n)
{
	int64_t *index = malloc(sizeof *index * (size_t)(n + 1));

	if (!index)
		die_hook("out of memory");
	return index;
}

static void gather_base(const struct seen *o, int64_t n, struct known *w)
{
	int64_t *index = index_new(o->t[0]->n), k, at;
	int d, j;

	for (d = 0; d < o->s->ndev; d++) {
		index_of(&o->p->rel, d, o->t[d]->n, index);
		for (k = 0; k < o->t[d]->n; k++)
			for (j = 0; index[k] >= 0 && index[k] < n && j < o->words; j++) {
				at = index[k] * o->words + j;
				w->v[at] = folded(o, d, k * o->words + j);
				w->have[at] = 1;
				if (isfinite(w->v[at]) && fabs(w->v[at]) > w->top)
					w->top = fabs(w->v[at]);
			}
	}
	free(index);
}

static void note(numbers_result *out, int check, int device, int64_t local, int64_t global, double base, double dist)
{
	if (out->verdict == NUMBERS_DIFFER)
		return;
	out->verdict = NUMBERS_DIFFER;
	out->check = check;
	out->device = device;
	out->local = local;
	out->global = global;
	out->base = base;
	out->dist = dist;
}

/* Difference relative to the largest value; infinite when only one side is a number. */
static double difference(double want, double got, double top)
{
	double e;

	if (want == got || (want != want && got != got))
		return 0;
	e = fabs(want - got) / (top > 0 ? top : 1);
	return e == e ? e : INFINITY;
}

static void compare_device(const struct numbers *n, int check, const struct seen *o, int d, const struct known *w,
			   numbers_result *out)
{
	double tol = !o->t[d]->f ? 0 : n->p->tolerance > 0 ? n->p->tolerance : 1e-6;
	int64_t size = n->p->check[check].n, *index = index_new(o->t[d]->n), k;
	int j;

	index_of(&o->p->rel, d, o->t[d]->n, index);
	for (k = 0; k < o->t[d]->n; k++)
		for (j = 0; index[k] != NUMBERS_ANY && index[k] < size && j < o->words; j++) {
			int64_t g = index[k] * o->words + j;
			double want = index[k] < 0 ? 0 : w->v[g], got, e;

			if (index[k] >= 0 && !w->have[g])
				continue;
			got = folded(o, d, k * o->words + j);
			e = difference(want, got, w->top);
			out->compared++;
			out->error = e > out->error ? e : out->error;
			if (e > tol)
				note(out, check, d, k, index[k], want, got);
		}
	free(index);
}

static bool compare(struct numbers *n, int check, numbers_result *out)
{
	const numbers_check *c = &n->p->check[check];
	struct seen base, dist;
	struct known w = { 0 };
	int d;

	if (!look(n, &n->base, &c->base, &base) || !look(n, &n->dist, &c->dist, &dist) || base.words != dist.words
	    || (base.t[0]->f != NULL) != (dist.t[0]->f != NULL))
		return false;
	w.words = c->n * base.words;
	w.v = calloc((size_t)w.words + 1, sizeof *w.v);
	w.have = calloc((size_t)w.words + 1, 1);
	if (!w.v || !w.have)
		die_hook("out of memory");
	gather_base(&base, c->n, &w);
	for (d = 0; d < n->dist.ndev; d++)
		compare_device(n, check, &dist, d, &w, out);
	free(w.v);
	free(w.have);
	return true;
}

/* ---- the interface */

numbers *numbers_new(const numbers_problem *p)
{
	numbers *n = calloc(1, sizeof *n);

	if (!n)
		die_hook("out of memory");
	n->p = p;
	arena_init(&n->arena);
	return n;
}

static void clear(numbers *n)
{
	int k;

	drop_inputs(&n->base);
	drop_inputs(&n->dist);
	interp_free(n->base.run);
	interp_free(n->dist.run);
	n->base.run = n->dist.run = NULL;
	for (k = 0; n->replacement && k < n->p->nglobal; k++)
		tensor_unref(n->replacement[k]);
	n->replacement = NULL;
	n->global = NULL;
	arena_free(&n->arena);
	arena_init(&n->arena);
}

void numbers_free(numbers *n)
{
	if (!n)
		return;
	clear(n);
	arena_free(&n->arena);
	free(n);
}

static bool run_side(numbers *n, struct side *s, bool dist)
{
	bool ok;

	n->running_dist = dist;
	fill_inputs(n, s);
	ok = interp_run(s->run, (tensor *const *const *)s->input);
	drop_inputs(s);
	return ok;
}

numbers_result numbers_run(numbers *n, enum numbers_kind kind, uint64_t from)
{
	numbers_result out = { .verdict = NUMBERS_EQUAL };
	int k;

	clear(n);
	n->kind = kind;
	seed(n, from);
	n->global = ARENA_ARRAY(&n->arena, struct stock, n->p->nglobal);
	n->replacement = arena_zalloc(&n->arena, sizeof *n->replacement * (size_t)(n->p->nglobal + 1));
	for (k = 0; k < n->p->nglobal; k++) {
		n->global[k] = stock_new(&n->arena, n->p->global[k].type, n->p->global[k].n);
		draw(n, &n->p->global[k], &n->global[k]);
	}
	replacements(n);
	side_init(n, &n->base, &n->p->base, false);
	side_init(n, &n->dist, &n->p->dist, true);
	if (!run_side(n, &n->base, false))
		return refused(&n->base, false);
	learn(n);
	if (!run_side(n, &n->dist, true))
		return refused(&n->dist, true);
	for (k = 0; k < n->p->ncheck; k++)
		if (!compare(n, k, &out)) {
			out.verdict = NUMBERS_REFUSED;
			out.check = k;
			out.why = "what is to be compared is no tensor, or not of the same kind";
			return out;
		}
	return out;
}

const double *numbers_floats(const numbers *n, int global)
{
	return n->global ? n->global[global].f : NULL;
}

const int64_t *numbers_ints(const numbers *n, int global)
{
	return n->global ? n->global[global].i : NULL;
}

const interp *numbers_interp(const numbers *n, bool dist)
{
	return dist ? n->dist.run : n->base.run;
}

const char *numbers_kind_name(enum numbers_kind k)
{
	static const char *const name[NUMBERS_KINDS] = { "integers", "normal", "positive", "ties", "wide" };

	return k < NUMBERS_KINDS ? name[k] : "?";
}
