/* numbers_draw.c - random global tensors, parts of them, and the local tensors of every device. */
#include <fenv.h>

#include <math.h>
#include <stdlib.h>
#include "interp/numbers_in.h"
#include "util/hash.h"

enum { CHUNK = 1 << 22 };	/* places mapped at a time */

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
static void fill_state(struct numbers *n, uint64_t v)
{
	int k;

	for (k = 0; k < 4; k++)
		n->rng[k] = hash_word(v += 0x9e3779b97f4a7c15);
}

void numbers_stream(struct numbers *n, enum numbers_use use, int k)
{
	fill_state(n, hash_word(n->seed + ((uint64_t)k * 4 + use + 1) * 0x9e3779b97f4a7c15));
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

/* Bounded or positive.  A number that is given may be infinite, or beyond all integers. */
static double draw_float(struct numbers *n, const numbers_global *g)
{
	if (g->bounded && g->lo == g->hi)
		return g->lo;
	if (g->bounded && (n->kind == NUMBERS_INTEGERS || n->kind == NUMBERS_TIES) && ceil(g->lo) <= floor(g->hi))
		return (double)whole(n, (int64_t)ceil(g->lo), (int64_t)floor(g->hi));
	if (g->bounded)
		return g->lo + (g->hi - g->lo) * uniform(n);
	return n->kind == NUMBERS_INTEGERS ? (double)whole(n, 1, 4) : 0.3 + 1.7 * uniform(n);
}

/* A bound as an integer's bits: those beyond the signed ones are an unsigned number's, those beyond all the last one. */
static int64_t bound_bits(double v)
{
	if (v >= 0x1p64)
		return -1;
	if (v >= 0x1p63)
		return (int64_t)(uint64_t)v;
	return v <= -0x1p63 ? INT64_MIN : (int64_t)v;
}

static int64_t draw_int(struct numbers *n, const numbers_global *g)
{
	char k = etype_kind(g->type);

	if (k == 'p')
		return g->bounded ? whole(n, g->lo > 0, g->hi > 0) : whole(n, 0, 1);
	if (g->bounded)
		return interp_wrap(g->type, whole(n, bound_bits(g->lo), bound_bits(g->hi)));
	if (g->positive)
		return whole(n, 1, 7);
	return interp_wrap(g->type, n->kind == NUMBERS_WIDE ? (int64_t)next(n) : whole(n, k == 's' ? -2 : 0, 7));
}

/* Weights, nearly all of the numbers there are: a loop for each kind, the bounds known to the compiler. */
static void draw_plain(struct numbers *n, struct stock *s)
{
	int64_t k;

	switch (n->kind) {
	case NUMBERS_INTEGERS:
		for (k = 0; k < s->words; k++)
			s->f[k] = (double)whole(n, -4, 4);
		return;
	case NUMBERS_POSITIVE:
		for (k = 0; k < s->words; k++)
			s->f[k] = 0.3 + 1.7 * uniform(n);
		return;
	case NUMBERS_TIES:
		for (k = 0; k < s->words; k++)
			s->f[k] = (double)whole(n, -1, 1);
		return;
	case NUMBERS_WIDE:
		for (k = 0; k < s->words; k++)
			s->f[k] = (double)whole(n, -400, 400);
		return;
	default:
		for (k = 0; k < s->words; k++)
			s->f[k] = normal(n);
	}
}

static bool rounds(const struct numbers *n)
{
	return n->p->reading == INTERP_DECLARED || n->p->rounded;
}

void numbers_draw(struct numbers *n, const numbers_global *g, struct stock *s)
{
	bool all_equal = g->type == T_PRED && n->kind == NUMBERS_TIES && !g->bounded;
	int64_t k, v = all_equal ? whole(n, 0, 1) : 0;

	if (s->f && !g->bounded && !g->positive)
		draw_plain(n, s);
	else
		for (k = 0; k < s->words; k++)
			if (all_equal)
				s->i[k] = v;
			else if (s->f)
				s->f[k] = draw_float(n, g);
			else
				s->i[k] = draw_int(n, g);
	if (s->f && rounds(n))
		interp_round(g->type, g->n, s->f);
}

/* ---- parts: values that fold to the whole */

static double part_float(struct numbers *n, enum numbers_fold fold, double x)
{
	bool exact = n->kind == NUMBERS_INTEGERS || n->kind == NUMBERS_TIES || n->kind == NUMBERS_WIDE;
	double r = exact ? (double)whole(n, -6, 6) : 2 * normal(n);

	return fold == NUMBERS_SUM ? r : fold == NUMBERS_MAX ? x - fabs(r) : x + fabs(r);
}

/* Of what a plan calls positive every part is; of a sum, `left` has to be shared with others. */
static double part_positive(struct numbers *n, enum numbers_fold fold, double x, double left)
{
	double share = (double)whole(n, 1, 3) / 4;

	return fold == NUMBERS_SUM ? left * share : fold == NUMBERS_MAX ? x * share : x / share;
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

static bool below(enum etype t, int64_t x, int64_t y)
{
	return etype_kind(t) == 'u' ? (uint64_t)x < (uint64_t)y : x < y;
}

/* One that leaves the type, and comes in again at the other end, is the value itself. */
static int64_t part_of_type(struct numbers *n, enum numbers_fold fold, enum etype t, int64_t x)
{
	int64_t r = interp_wrap(t, part_int(n, fold, x));

	return (fold == NUMBERS_MAX && below(t, x, r)) || (fold == NUMBERS_MIN && below(t, r, x)) ? x : r;
}

/* One part holds what is left of a sum, or the value itself; which one, chance decides. */
static void split_floats(struct numbers *n, enum numbers_fold fold, bool positive, int parts, const struct stock *whole_, struct stock *out)
{
	int64_t k;
	int j;

	for (k = 0; k < whole_->words; k++) {
		int rest = (int)(next(n) % (uint64_t)parts);
		double left = whole_->f[k];

		for (j = 0; j < parts; j++)
			if (j != rest) {
				out[j].f[k] = positive ? part_positive(n, fold, whole_->f[k], left) : part_float(n, fold, whole_->f[k]);
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
				out[j].i[k] = part_of_type(n, fold, t, whole_->i[k]);
				if (t == T_PRED)
					out[j].i[k] = fold == NUMBERS_OR ? whole_->i[k] & (int64_t)(next(n) & 1)
									 : whole_->i[k] | (int64_t)(next(n) & 1);
				left -= fold == NUMBERS_SUM ? (uint64_t)out[j].i[k] : 0;
			}
		out[rest].i[k] = interp_wrap(t, (int64_t)left);
	}
}

static struct stock numbers_stock(arena *a, enum etype t, int64_t n)
{
	struct stock s = { .words = n };
	char k = etype_kind(t);

	if (k == 'c')
		s.words = 2 * n;
	if (k == 'f' || k == 'c')
		s.f = arena_zalloc(a, sizeof *s.f * (size_t)(s.words + 1));
	else
		s.i = arena_zalloc(a, sizeof *s.i * (size_t)(s.words + 1));
	return s;
}

struct stock numbers_hold(arena *a, enum etype t, int64_t n)
{
	struct stock s = { .words = etype_kind(t) == 'c' ? 2 * n : n };

	s.hold = tensor_new(shape_array(a, t, 1, &n));
	s.f = s.hold->f;
	s.i = s.hold->i;
	return s;
}

void numbers_let_go(struct stock *s)
{
	tensor_unref(s->hold);
	s->hold = NULL;
	s->f = NULL;
	s->i = NULL;
}

static struct stock *split(struct numbers *n, const numbers_relation *r)
{
	const numbers_global *g = &n->p->global[r->global];
	struct stock *out = ARENA_ARRAY(&n->arena, struct stock, r->nparts);
	int j;

	for (j = 0; j < r->nparts; j++)
		out[j] = numbers_stock(&n->arena, g->type, g->n);
	if (n->global[r->global].f)
		split_floats(n, r->fold, g->positive, r->nparts, &n->global[r->global], out);
	else
		split_ints(n, r->fold, g->type, r->nparts, &n->global[r->global], out);
	return out;
}

/* ---- local tensors */

bool numbers_has_parts(const numbers_relation *r)
{
	return r->fold != NUMBERS_WHOLE && r->nparts > 0 && r->part;
}

void numbers_index(const numbers_relation *r, int device, int64_t from, int64_t n, int64_t *index)
{
	int64_t k;

	if (r->map)
		r->map(r->ctx, device, from, n, index);
	for (k = 0; !r->map && k < n; k++)
		index[k] = from + k;
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

double numbers_factor(const numbers_relation *r)
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

/* Local places from `from` on by their global ones; what is not filled is zero already. */
static void fill_places(struct numbers *n, const struct stock *s, double scale, tensor *t, int64_t from, int64_t count, const int64_t *index)
{
	int w = t->f && etype_kind(t->shape->type) == 'c' ? 2 : 1, j;
	int64_t k;

	for (k = 0; k < count; k++)
		if (index[k] == NUMBERS_ANY)
			anything(n, t, from + k);
		else
			for (j = 0; index[k] >= 0 && index[k] * w < s->words && j < w; j++)
				fill_word(s, index[k] * w + j, scale, t, (from + k) * w + j);
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
	const struct stock *s = parts ? &parts[r->part[device]] : r->global < 0 ? NULL : &n->global[r->global];
	int64_t *index, from, count;

	if (r->global < 0) {
		fill_fixed(n, r, device, t);
		return;
	}
	index = malloc(sizeof *index * (size_t)((t->n < CHUNK ? t->n : CHUNK) + 1));
	if (!index)
		die_hook("out of memory");
	for (from = 0; from < t->n; from += count) {
		count = t->n - from < CHUNK ? t->n - from : CHUNK;
		numbers_index(r, device, from, count, index);
		fill_places(n, s, numbers_factor(r), t, from, count, index);
	}
	free(index);
	if (t->f && rounds(n))
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

tensor *numbers_leaf(tensor *t, int want)
{
	tensor **all, *found;
	int n = shape_leaves(t->shape);

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

void numbers_fill_family(struct numbers *n, const numbers_relation *r, int ndev, tensor **t)
{
	int mode = fegetround(), d;
	struct stock *parts;

	fesetround(FE_TONEAREST);	/* what a run begins with is the same, however it rounds */
	parts = r->global >= 0 && numbers_has_parts(r) ? split(n, r) : NULL;
	for (d = 0; d < ndev; d++)
		fill_local(n, r, d, parts, t[d]);
	fesetround(mode);
}

/* One array of the parameters on all devices, by relation `at`; equal ones are one tensor. */
static void fill_leaf(struct numbers *n, struct side *s, int param, int k, int at)
{
	const numbers_relation *r = &s->s->input[at];
	tensor **t = ARENA_ARRAY(&n->arena, tensor *, s->ndev);
	int d;

	for (d = 0; d < s->ndev; d++)
		t[d] = numbers_leaf(s->input[d][param], k);
	numbers_stream(n, s == &n->dist ? USE_DIST : USE_BASE, r->stream ? r->stream : at + 1);
	numbers_fill_family(n, r, s->ndev, t);
}

/* Every device holds the whole global tensor as it is. */
static bool shared(const struct numbers *n, const numbers_relation *r, const shape *s)
{
	return s->type != T_TUPLE && r->global >= 0 && !r->map && !numbers_has_parts(r) && numbers_factor(r) == 1
	       && n->p->global[r->global].type == s->type && n->p->global[r->global].n == shape_elements(s);
}

static tensor *whole_tensor(const struct numbers *n, const numbers_relation *r, const shape *s)
{
	const struct stock *k = &n->global[r->global];
	tensor *t = tensor_over(s, n->p->global[r->global].n, k->f, k->i);

	if (k->hold)
		t->owner = tensor_ref(k->hold);
	return t;
}

void numbers_room(struct numbers *n, struct side *s)
{
	const comp *e = s->s->m->entry;
	int d;

	s->input = arena_zalloc(&n->arena, sizeof *s->input * (size_t)s->ndev);
	for (d = 0; d < s->ndev; d++)
		s->input[d] = arena_zalloc(&n->arena, sizeof **s->input * (size_t)(e->nparam + 1));
}

int numbers_first_leaf(const comp *e, int param)
{
	int p, at = 0;

	for (p = 0; p < param; p++)
		at += shape_leaves(e->param[p]->shape);
	return at;
}

void numbers_fill_param(struct numbers *n, struct side *s, int p)
{
	const comp *e = s->s->m->entry;
	const shape *sh = e->param[p]->shape;
	int at = numbers_first_leaf(e, p), count = shape_leaves(sh), k, d;
	bool one = shared(n, &s->s->input[at], sh);

	for (d = 0; d < s->ndev; d++)
		s->input[d][p] = !one ? tensor_new(sh) : d ? tensor_ref(s->input[0][p]) : whole_tensor(n, &s->s->input[at], sh);
	for (k = 0; !one && k < count; k++)
		fill_leaf(n, s, p, k, at + k);
}

void numbers_fill(struct numbers *n, struct side *s)
{
	int p;

	numbers_room(n, s);
	for (p = 0; p < s->s->m->entry->nparam; p++)
		numbers_fill_param(n, s, p);
}

void numbers_drop(struct side *s)
{
	int d, p;

	for (d = 0; s->input && d < s->ndev; d++)
		for (p = 0; p < s->s->m->entry->nparam; p++)
			tensor_unref(s->input[d][p]);
	s->input = NULL;
}
