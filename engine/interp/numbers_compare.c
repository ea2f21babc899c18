/* numbers_compare.c - the results of both programs, place by place. */
#include <math.h>

#include <stdlib.h>
#include "interp/numbers_in.h"

enum { SHAKEN_TIMES = 1000 };	/* three runs do not show all that rounding can do */

/* ---- comparison */

/* One thing to compare on all devices of a side. */
struct seen { const struct side *s; const numbers_place *p; tensor **t; int words; };

static tensor *place_value(const struct side *s, const numbers_place *p, int device)
{
	tensor *t = p->inst ? interp_value(s->run, p->inst, device) : interp_output(s->run, device);

	return t ? numbers_leaf(t, p->inst ? 0 : p->leaf) : NULL;
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

/* Of more digits than a double has: neighbours of 64 bits are not equal. */
static long double number(const tensor *t, int64_t k)
{
	return t->f ? t->f[k] : t->shape->type == T_U64 ? (long double)(uint64_t)t->i[k] : (long double)t->i[k];
}

static double fold2(enum numbers_fold f, double a, double b)
{
	switch (f) {
	case NUMBERS_SUM: return a + b;
	case NUMBERS_MAX: return a > b || a != a ? a : b;
	case NUMBERS_MIN: return a < b || a != a ? a : b;
	default: return a;
	}
}

static int64_t fold_whole(enum numbers_fold f, enum etype t, int64_t a, int64_t b)
{
	bool more = t == T_U64 ? (uint64_t)a > (uint64_t)b : a > b;

	switch (f) {
	case NUMBERS_SUM: return t == T_PRED ? a | b : interp_wrap(t, (int64_t)((uint64_t)a + (uint64_t)b));
	case NUMBERS_MAX: return more ? a : b;
	case NUMBERS_MIN: return more ? b : a;
	case NUMBERS_AND: return a & b;
	case NUMBERS_OR: return a | b;
	default: return a;
	}
}

/* The device of d's group that holds a part, -1: none. */
static int holder(const struct seen *o, int d, int part)
{
	const numbers_relation *r = &o->p->rel;
	int e;

	for (e = 0; e < o->s->ndev; e++)
		if (r->part[e] == part && (!r->group || r->group[e] == r->group[d]))
			return e;
	return -1;
}

/* Device d's number at k, folded with one device of its group for every other part, the factor taken out. */
static long double folded(const struct seen *o, int d, int64_t k)
{
	const numbers_relation *r = &o->p->rel;
	const tensor *t = o->t[d];
	tensor one = *t;
	int64_t whole = t->i ? t->i[k] : 0;
	double v = t->f ? t->f[k] : 0;
	int e, part;

	for (part = 0; numbers_has_parts(r) && part < r->nparts; part++) {
		if (part == r->part[d] || (e = holder(o, d, part)) < 0)
			continue;
		if (t->i)
			whole = fold_whole(r->fold, t->shape->type, whole, o->t[e]->i[k]);
		else
			v = fold2(r->fold, v, o->t[e]->f[k]);
	}
	one.i = t->i ? &whole : NULL;
	one.f = t->f ? &v : NULL;
	return number(&one, 0) / numbers_factor(r);
}

/* A global tensor as far as the baseline's devices hold it. */
struct known { long double *v; uint8_t *have; int64_t words; double top; };

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
		numbers_index(&o->p->rel, d, 0, o->t[d]->n, index);
		for (k = 0; k < o->t[d]->n; k++)
			for (j = 0; index[k] >= 0 && index[k] < n && j < o->words; j++) {
				at = index[k] * o->words + j;
				w->v[at] = folded(o, d, k * o->words + j);
				w->have[at] = 1;
				if (isfinite(w->v[at]) && fabsl(w->v[at]) > w->top)
					w->top = (double)fabsl(w->v[at]);
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
static double difference(long double want, long double got, double top)
{
	double e;

	if (want == got || (want != want && got != got))
		return 0;
	e = (double)(fabsl(want - got) / (top > 0 ? top : 1));
	return e == e ? e : INFINITY;
}

/* The relative difference that is none. */
static double tolerance(const struct numbers *n, bool floats)
{
	return !floats ? 0 : n->p->tolerance > 0 ? n->p->tolerance : 1e-6;
}

/* What rounding may move values by, relative to the largest: a whole number that it moves at all may be any. */
static double shaken_by(const struct numbers *n, int check, bool floats, double top)
{
	double spread = n->shaken ? n->shaken[check].spread : 0;

	return !(spread > 0) ? 0 : floats ? SHAKEN_TIMES * spread / (top > 0 ? top : 1) : INFINITY;
}

static void compare_device(const struct numbers *n, int check, const struct seen *o, int d, const struct known *w,
			   numbers_result *out)
{
	double tol = tolerance(n, o->t[d]->f != NULL), moved = shaken_by(n, check, o->t[d]->f != NULL, w->top);
	int64_t size = n->p->check[check].n, *index = index_new(o->t[d]->n), k;
	int j;

	numbers_index(&o->p->rel, d, 0, o->t[d]->n, index);
	for (k = 0; k < o->t[d]->n; k++)
		for (j = 0; index[k] != NUMBERS_ANY && index[k] < size && j < o->words; j++) {
			int64_t g = index[k] * o->words + j;
			long double want = index[k] < 0 ? 0 : w->v[g], got;
			double e;

			if (index[k] >= 0 && !w->have[g])
				continue;
			got = folded(o, d, k * o->words + j);
			e = difference(want, got, w->top);
			out->compared++;
			out->error = e > out->error ? e : out->error;
			if (e > tol && e <= tol + moved)
				n->shaken[check].hides = true;
			else if (e > tol)
				note(out, check, d, k, index[k], (double)want, (double)got);
		}
	free(index);
}

/* Integers that a plan says are held in another type: what that type makes of them. */
static void convert_integers(struct known *w, enum etype from, enum etype to)
{
	int64_t k;

	for (k = 0; from != to && k < w->words; k++)
		if (fabsl(w->v[k]) < 0x1p63L)
			w->v[k] = to == T_PRED ? w->v[k] != 0 : (long double)interp_wrap(to, (int64_t)w->v[k]);
}

/* Both sides of a check, and the baseline as one whole; false: see numbers_compare. */
static bool look_both(struct numbers *n, int check, struct seen *base, struct seen *dist, struct known *w)
{
	const numbers_check *c = &n->p->check[check];

	if (!look(n, &n->base, &c->base, base) || !look(n, &n->dist, &c->dist, dist) || base->words != dist->words
	    || (base->t[0]->f != NULL) != (dist->t[0]->f != NULL))
		return false;
	w->words = c->n * base->words;
	w->v = calloc((size_t)w->words + 1, sizeof *w->v);
	w->have = calloc((size_t)w->words + 1, 1);
	if (!w->v || !w->have)
		die_hook("out of memory");
	gather_base(base, c->n, w);
	if (base->t[0]->i)
		convert_integers(w, base->t[0]->shape->type, dist->t[0]->shape->type);
	return true;
}

bool numbers_compare(struct numbers *n, int check, numbers_result *out)
{
	struct seen base, dist;
	struct known w = { 0 };
	int d;

	if (!look_both(n, check, &base, &dist, &w))
		return false;
	for (d = 0; n->base.ndev > 1 && d < n->base.ndev; d++)	/* do its devices agree where they hold the same? */
		compare_device(n, check, &base, d, &w, out);
	out->within_base = out->within_base || (out->verdict == NUMBERS_DIFFER && out->check == check);
	for (d = 0; d < n->dist.ndev; d++)
		compare_device(n, check, &dist, d, &w, out);
	free(w.v);
	free(w.have);
	return true;
}

/* ---- what rounding does */

static void take_value(struct shaken *s, bool first, int64_t at, double v)
{
	double e;

	if (first)
		s->plain[at] = v;
	e = difference(s->plain[at], v, 1);
	s->spread = e > s->spread ? e : s->spread;
}

bool numbers_shaken(struct numbers *n, int check)
{
	struct shaken *s = &n->shaken[check];
	struct seen base, dist;
	struct known w = { 0 };
	bool first = !s->plain;
	int64_t k, at = 0;
	int d;

	if (!look_both(n, check, &base, &dist, &w))
		return false;
	if (first) {
		s->n = w.words + dist.t[0]->n * dist.words * n->dist.ndev;
		s->plain = ARENA_ARRAY(&n->arena, double, s->n);
	}
	for (k = 0; k < w.words; k++)
		take_value(s, first, at++, (double)w.v[k]);
	for (d = 0; d < n->dist.ndev; d++)
		for (k = 0; k < dist.t[d]->n * dist.words && at < s->n; k++)
			take_value(s, first, at++, (double)folded(&dist, d, k));
	free(w.v);
	free(w.have);
	return true;
}
