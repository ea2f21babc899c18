/* numbers.c - both runs, one after the other: see numbers.h. */
#include <fenv.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "interp/numbers_in.h"

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

/* The global tensors that a parameter of dist was the last to be made of are let go of. */
static void let_go(struct numbers *n, const numbers_side *s, int param)
{
	int at = numbers_first_leaf(s->m->entry, param), k;

	for (k = shape_leaves(s->m->entry->param[param]->shape); k-- > 0; at++)
		if (s->input[at].global >= 0 && !--n->global[s->input[at].global].readers && !n->p->keep_inputs)
			numbers_let_go(&n->global[s->input[at].global]);
}

/* A parameter is made when the run comes to it, for all devices; from then on it is the run's. */
static tensor *parameter(struct numbers *n, const inst *i, int device)
{
	struct side *s = &n->dist;
	tensor *t;

	if (device == 0) {
		numbers_fill_param(n, s, (int)i->number);
		let_go(n, s->s, (int)i->number);
	}
	t = s->input[device][i->number];
	s->input[device][i->number] = NULL;
	return t;
}

static tensor *replace_dist(void *ctx, const inst *i, int device)
{
	struct numbers *n = ctx;
	int k;

	for (k = 0; k < n->p->nassumed; k++)
		if (n->p->assumed[k].inst == i)
			return tensor_ref(n->assumed[k][device]);
	return i->opcode == OP_PARAMETER ? parameter(n, i, device) : NULL;
}

static int progress(void *ctx, double done, double total)
{
	const struct numbers *n = ctx;

	(void)total;
	return n->p->progress(n->p->ctx, n->running_dist ? n->base_work + done : done, n->base_work + n->dist_work);
}

static void visit(void *ctx, const inst *const *path, int depth, const inst *i, int ndev, const int *device, tensor *const *value)
{
	const struct numbers *n = ctx;

	n->p->visit(n->p->ctx, n->running_dist, path, depth, i, ndev, device, value);
}

static void side_init(struct numbers *n, struct side *s, const numbers_side *from, bool dist)
{
	interp_options o = {
		.reading = n->p->reading, .replicas = from->replicas, .partitions = from->partitions,
		.nudge = n->nudge, .fill_elided = n->p->fill_elided, .byte_limit = n->p->byte_limit, .ctx = n,
		.keep = dist ? keep_dist : keep_base, .progress = n->p->progress ? progress : NULL,
		.replace = dist ? replace_dist : replace_base, .visit = n->p->visit ? visit : NULL, .meaning = n->p->meaning, .refusal = n->p->refusal,
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

/* What is assumed of dist holds, whatever it computes there: made when the baseline has run. */
static void assume(struct numbers *n)
{
	int k, d;

	n->assumed = ARENA_ARRAY(&n->arena, tensor **, n->p->nassumed);
	for (k = 0; k < n->p->nassumed; k++) {
		n->assumed[k] = ARENA_ARRAY(&n->arena, tensor *, n->dist.ndev);
		for (d = 0; d < n->dist.ndev; d++)
			n->assumed[k][d] = tensor_new(n->p->assumed[k].inst->shape);
		numbers_stream(n, USE_ASSUMED, k);
		numbers_fill_family(n, &n->p->assumed[k].rel, n->dist.ndev, n->assumed[k]);
	}
}

static void drop_assumed(struct numbers *n)
{
	int k, d;

	for (k = 0; n->assumed && k < n->p->nassumed; k++)
		for (d = 0; d < n->dist.ndev; d++)
			tensor_unref(n->assumed[k][d]);
	n->assumed = NULL;
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

	numbers_drop(&n->base);
	numbers_drop(&n->dist);
	drop_assumed(n);
	interp_free(n->base.run);
	interp_free(n->dist.run);
	n->base.run = n->dist.run = NULL;
	for (k = 0; n->replacement && k < n->p->nglobal; k++)
		tensor_unref(n->replacement[k]);
	n->replacement = NULL;
	n->shaken = NULL;
	for (k = 0; n->global && k < n->p->nglobal; k++)
		numbers_let_go(&n->global[k]);
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

const char *numbers_taken(const numbers *n, int k)
{
	const struct side *side[2] = { &n->base, &n->dist };
	const char *what, *other;
	int i, j, q;

	for (i = 0; i < 2; i++)
		for (j = 0; side[i]->run && (what = interp_assumed(side[i]->run, j)); j++) {
			for (q = 0; i && (other = interp_assumed(n->base.run, q)) && strcmp(other, what); q++)
				;
			if ((!i || !other) && k-- == 0)
				return what;
		}
	return NULL;
}

static bool run_side(numbers *n, struct side *s, bool dist)
{
	bool ok;

	n->running_dist = dist;
	if (dist)
		numbers_room(n, s);
	else
		numbers_fill(n, s);
	ok = interp_run(s->run, (tensor *const *const *)s->input);
	numbers_drop(s);
	return ok;
}

/* Over the reals nothing is too large or too small: what comes of a result beyond the range of doubles is no
 * difference, nor is what comes of dividing by one that became zero.  The processor keeps note of such results. */
static void excuse_overflow(const numbers *n, numbers_result *out)
{
	bool small = fetestexcept(FE_UNDERFLOW) && (!isfinite(out->base) || !isfinite(out->dist));

	if (n->p->reading != INTERP_REALS || out->verdict != NUMBERS_DIFFER || !(small || fetestexcept(FE_OVERFLOW)))
		return;
	out->verdict = NUMBERS_REFUSED;
	out->overflow = true;
	out->why = fetestexcept(FE_OVERFLOW) ? "numbers became too large for double precision" : "numbers became too small for double precision";
}

int64_t numbers_words(const numbers_global *g)
{
	return etype_kind(g->type) == 'c' ? 2 * g->n : g->n;
}

static void give(numbers *n, int global)
{
	const numbers_values *v = n->p->given ? &n->p->given[global] : NULL;
	const struct stock *s = &n->global[global];
	size_t bytes = (size_t)s->words * 8;

	if (v && v->f && s->f)
		memcpy(s->f, v->f, bytes);
	if (v && v->i && s->i)
		memcpy(s->i, v->i, bytes);
}

static int inputs_of(const numbers_side *s)
{
	int k, n = 0;

	for (k = 0; k < s->m->entry->nparam; k++)
		n += shape_leaves(s->m->entry->param[k]->shape);
	return n;
}

static void mark_used(const numbers_side *s, bool *used)
{
	int k, n = inputs_of(s);

	for (k = 0; k < n; k++)
		if (s->input[k].global >= 0)
			used[s->input[k].global] = true;
}

/* An assumption reads its tensor before dist runs; what the baseline computes is learned into it. */
static void count_readers(numbers *n)
{
	const numbers_side *s = &n->p->dist;
	int k, inputs = inputs_of(s);

	for (k = 0; k < inputs; k++)
		if (s->input[k].global >= 0)
			n->global[s->input[k].global].readers++;
}

static void draw_globals(numbers *n)
{
	bool *used = arena_zalloc(&n->arena, (size_t)n->p->nglobal + 1);
	int k;

	mark_used(&n->p->base, used);
	mark_used(&n->p->dist, used);
	for (k = 0; k < n->p->nglobal; k++) {
		const numbers_global *g = &n->p->global[k];

		if (!used[k] && !g->inst)
			continue;
		numbers_stream(n, USE_GLOBAL, k);
		n->global[k] = numbers_hold(&n->arena, g->type, g->n);
		numbers_draw(n, g, &n->global[k]);
		give(n, k);
	}
	count_readers(n);
}

static numbers_result not_comparable(int check)
{
	return (numbers_result){ .verdict = NUMBERS_REFUSED, .ran = true, .check = check,
				 .why = "what is to be compared is no tensor, or not of the same kind" };
}

/* Both programs, the global tensors being drawn. */
static numbers_result run_both(numbers *n)
{
	numbers_result out = { .verdict = NUMBERS_EQUAL };

	side_init(n, &n->base, &n->p->base, false);
	side_init(n, &n->dist, &n->p->dist, true);
	if (!run_side(n, &n->base, false))
		return refused(&n->base, false);
	learn(n);
	assume(n);
	if (!run_side(n, &n->dist, true))
		return refused(&n->dist, true);
	out.ran = true;
	return out;
}

static numbers_result sample(numbers *n)
{
	int k;

	for (k = 0; k < n->p->ncheck; k++)
		if (!numbers_shaken(n, k))
			return not_comparable(k);
	return (numbers_result){ .verdict = NUMBERS_EQUAL, .ran = true };
}

/* The numbers that the first run began with: it has let go of them. */
static void draw_again(numbers *n)
{
	int k;

	drop_assumed(n);
	for (k = 0; k < n->p->nglobal; k++)
		numbers_let_go(&n->global[k]);
	draw_globals(n);
}

/* Runs both again with every result rounded the other way, and keeps what the first run left. */
static numbers_result run_rounded(numbers *n, int mode)
{
	interp *base = n->base.run, *dist = n->dist.run;
	numbers_result out;

	draw_again(n);
	fesetround(mode);
	n->nudge = mode == FE_UPWARD ? 1 : -1;
	out = run_both(n);
	n->nudge = 0;
	fesetround(FE_TONEAREST);
	if (out.ran)
		out = sample(n);
	else
		out.why = arena_strdup(&n->arena, out.why ? out.why : "");
	interp_free(n->base.run);
	interp_free(n->dist.run);
	n->base.run = base;
	n->dist.run = dist;
	return out;
}

/* How much of a difference is rounding: a loop that is chaotic, a sum that cancels, a value that stands at an edge move far
 * when the results of all operations are rounded up, or down, while what is exact stays as it is (Kahan, "How futile are
 * mindless assessments of roundoff", 2006).  Different reals that became one double are moved apart as well, once in one
 * order and once in the other: where they tie, rounding decides. */
static numbers_result shake(numbers *n)
{
	static const int mode[] = { FE_UPWARD, FE_DOWNWARD };
	numbers_result out;
	size_t k;

	n->shaken = arena_zalloc(&n->arena, sizeof *n->shaken * (size_t)(n->p->ncheck + 1));
	out = sample(n);
	for (k = 0; k < sizeof mode / sizeof *mode && out.verdict == NUMBERS_EQUAL; k++)
		out = run_rounded(n, mode[k]);
	if (n->p->keep_inputs) {
		draw_again(n);
		learn(n);
	}
	return out;
}

static bool may_be_rounding(const numbers *n, const numbers_result *out)
{
	return out->verdict == NUMBERS_DIFFER && n->p->reading == INTERP_REALS && !n->p->visit && fetestexcept(FE_INEXACT);
}

static numbers_result compare_all(numbers *n)
{
	numbers_result out = { .verdict = NUMBERS_EQUAL, .ran = true };
	int k;

	for (k = 0; k < n->p->ncheck; k++)
		if (!numbers_compare(n, k, &out))
			return not_comparable(k);
	return out;
}

/* A check whose difference rounding explains: neither equal nor different. */
static void excuse_rounding(const numbers *n, int check, numbers_result *out)
{
	if (out->verdict != NUMBERS_EQUAL || !n->shaken || !n->shaken[check].hides)
		return;
	out->verdict = NUMBERS_REFUSED;
	out->overflow = true;
	out->why = "rounding alone moves the numbers as far";
}

numbers_result numbers_run(numbers *n, enum numbers_kind kind, uint64_t from)
{
	numbers_result out;
	int k;

	clear(n);
	feclearexcept(FE_OVERFLOW | FE_UNDERFLOW | FE_INEXACT);
	n->kind = kind;
	n->seed = from;
	n->global = arena_zalloc(&n->arena, sizeof *n->global * (size_t)(n->p->nglobal + 1));
	n->replacement = arena_zalloc(&n->arena, sizeof *n->replacement * (size_t)(n->p->nglobal + 1));
	draw_globals(n);
	replacements(n);
	out = run_both(n);
	if (out.ran)
		out = compare_all(n);
	if (may_be_rounding(n, &out)) {
		out = shake(n);
		if (out.verdict != NUMBERS_EQUAL)
			return out;
		out = compare_all(n);
		for (k = 0; k < n->p->ncheck; k++)
			excuse_rounding(n, k, &out);
	}
	excuse_overflow(n, &out);
	return out;
}

numbers_result numbers_checked(numbers *n, int check)
{
	numbers_result out = { .verdict = NUMBERS_EQUAL, .ran = true };

	if (!numbers_compare(n, check, &out))
		return not_comparable(check);
	excuse_rounding(n, check, &out);
	excuse_overflow(n, &out);
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
