#include "problem/counterexample.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "text/words.h"

#define FORMAT 1		/* of the file */

static struct counterexample *new(const struct numbers_setup *s)
{
	struct counterexample *c = calloc(1, sizeof *c);

	if (!c) {
		die_hook("out of memory");
		return NULL;
	}
	arena_init(&c->a);
	c->value = arena_zalloc(&c->a, sizeof *c->value * (size_t)(s->p.nglobal + 1));
	return c;
}

void counterexample_free(struct counterexample *c)
{
	if (!c)
		return;
	arena_free(&c->a);
	free(c);
}

static bool has_floats(const numbers_global *g)
{
	return etype_kind(g->type) == 'f' || etype_kind(g->type) == 'c';
}

/* Room for the words of an input; 8 bytes each. */
static void *room(struct counterexample *c, const struct numbers_setup *s, int k)
{
	void *p = arena_zalloc(&c->a, 8 * (size_t)(numbers_words(&s->p.global[k]) + 1));

	if (has_floats(&s->p.global[k]))
		c->value[k].f = p;
	else
		c->value[k].i = p;
	return p;
}

struct counterexample *counterexample_drawn(const struct numbers_setup *s, int output, enum numbers_kind kind, uint64_t seed,
					    const numbers_result *r)
{
	struct counterexample *c = new(s);

	c->output = output;
	c->kind = kind;
	c->seed = seed;
	c->seen = *r;
	return c;
}

static struct counterexample *with_values(const struct numbers_setup *s, const numbers *n, const struct counterexample *from,
					  const numbers_result *r)
{
	struct counterexample *c = counterexample_drawn(s, from->output, from->kind, from->seed, r);
	int k;

	for (k = 0; k < s->ninput; k++) {
		const void *words = has_floats(&s->p.global[k]) ? (const void *)numbers_floats(n, k) : (const void *)numbers_ints(n, k);
		void *own = room(c, s, k);
		if (words)	/* a baseline on several devices may pin an input of its own */
			memcpy(own, words, 8 * (size_t)numbers_words(&s->p.global[k]));
	}
	return c;
}

numbers_result counterexample_run(struct numbers_setup *s, int check, const struct counterexample *c, struct counterexample **full)
{
	numbers_problem one = s->p;
	numbers_result r;
	numbers *n;

	one.check = &s->p.check[check];
	one.ncheck = 1;
	one.given = c->value;
	one.keep_inputs = full != NULL;
	n = numbers_new(&one);
	r = numbers_run(n, c->kind, c->seed);
	if (full)
		*full = with_values(s, n, c, &r);
	numbers_setup_take(s, n);
	numbers_free(n);
	return r;
}

/* ---- simplifying: delta debugging towards plain values (Zeller and Hildebrandt, 2002) */

static bool allowed(const numbers_global *g, double v)
{
	return !(g->positive && v <= 0) && !(g->bounded && (v < g->lo || v > g->hi));
}

/* The plainest value the plan allows. */
static double plain_value(const numbers_global *g)
{
	return allowed(g, 0) ? 0 : allowed(g, 1) ? 1 : g->bounded ? ceil(g->lo) : 1;
}

struct search {
	struct numbers_setup *s;
	struct counterexample *c;
	int check, runs, most;
	bool stopped;
};

static bool still_differs(struct search *x)
{
	numbers_result r = counterexample_run(x->s, x->check, x->c, NULL);

	x->runs++;
	x->stopped = r.verdict == NUMBERS_REFUSED && r.stopped;
	if (r.verdict != NUMBERS_DIFFER || !isfinite(r.base) || !isfinite(r.dist))
		return false;
	x->c->seen = r;
	return true;
}

/* Words from..to of input k become plain; taken back when nothing differs any more. */
static bool flatten(struct search *x, int k, int64_t from, int64_t to)
{
	const numbers_global *g = &x->s->p.global[k];
	double *f = (double *)x->c->value[k].f, v = plain_value(g);
	int64_t *i = (int64_t *)x->c->value[k].i, at;
	size_t bytes = 8 * (size_t)(to - from);
	void *place = f ? (void *)(f + from) : (void *)(i + from), *was;
	bool same = true;

	if (!allowed(g, v))
		return true;
	for (at = from; at < to; at++)
		same = same && (f ? f[at] == v : (double)i[at] == v);
	if (same)
		return true;
	was = malloc(bytes);
	if (!was)
		die_hook("out of memory");
	memcpy(was, place, bytes);
	for (at = from; at < to; at++)
		if (f)
			f[at] = v;
		else
			i[at] = (int64_t)v;
	same = still_differs(x);
	if (!same)
		memcpy(place, was, bytes);
	free(was);
	return same;
}

int counterexample_simplify(struct numbers_setup *s, int check, struct counterexample *c, int runs)
{
	struct search x = { s, c, check, 0, runs, false };
	int64_t pieces, n;
	int k, p;

	for (pieces = 1; pieces <= 1 << 12; pieces *= 4)
		for (k = 0; k < s->ninput; k++) {
			n = numbers_words(&s->p.global[k]);
			for (p = 0; p < pieces && pieces <= n; p++) {
				if (x.runs >= x.most || x.stopped)
					return x.runs;
				flatten(&x, k, n * p / pieces, n * (p + 1) / pieces);
			}
		}
	return x.runs;
}

/* ---- writing */

static bool same_word(const numbers_values *v, int64_t i, int64_t j)
{
	return v->f ? !memcmp(&v->f[i], &v->f[j], sizeof *v->f) : v->i[i] == v->i[j];
}

static void put_values(FILE *f, const numbers_values *v, int64_t n)
{
	int64_t k, run;
	int on_line = 0;

	for (k = 0; k < n; k += run) {
		for (run = 1; k + run < n && same_word(v, k, k + run); run++)
			;
		run = run > 2 ? run : 1;
		fputs(on_line++ % 12 ? " " : "\n\t", f);
		if (v->f)
			words_put_double(f, v->f[k]);
		else
			fprintf(f, "%lld", (long long)v->i[k]);
		if (run > 1)
			fprintf(f, " * %lld", (long long)run);
	}
	fputc('\n', f);
}

static void input_number(const struct numbers_input *in, char *buf, size_t n)
{
	snprintf(buf, n, in->element < 0 ? "%d" : "%d.%d", in->number, in->element);
}

void counterexample_write(FILE *f, const struct problem *p, const struct numbers_setup *s, const struct counterexample *c)
{
	arena tmp;
	char number[32];
	int k;

	arena_init(&tmp);
	fprintf(f, "diverge counterexample %d\n\nbase ", FORMAT);
	words_put_text(f, p->files.base);
	fputs("\ndist ", f);
	words_put_text(f, p->files.dist);
	fprintf(f, "\n# parts of partial sums, and places that may hold anything, are drawn from the seed\nkind %s  seed %llu\n",
		numbers_kind_name(c->kind), (unsigned long long)c->seed);
	fprintf(f, "\n# what the run gives\noutput %d  device %d  place %lld  value ", c->output, c->seen.device, (long long)c->seen.local);
	words_put_double(f, c->seen.dist);
	fprintf(f, "  base-place %lld  base-value ", (long long)c->seen.global);
	words_put_double(f, c->seen.base);
	fputs("\n\n# the baseline's inputs; V * N is V, N times; DIST's follow from them by the plan\n", f);
	for (k = 0; k < s->ninput; k++) {
		input_number(&s->input[k], number, sizeof number);
		fprintf(f, "input %s %s ", number, shape_text(&tmp, s->input[k].s));
		words_put_text(f, s->input[k].param->name);
		put_values(f, &c->value[k], numbers_words(&s->p.global[k]));
	}
	arena_free(&tmp);
}

/* ---- reading */

struct reader {
	struct words w;
	const struct numbers_setup *s;
	struct counterexample *c;
	const char *type;	/* of the values that are read */
};

static bool fits(const numbers_global *g, double v)
{
	return !g->bounded || (v >= g->lo && v <= g->hi);
}

static bool check_value(struct reader *r, const numbers_global *g, double v)
{
	if (!fits(g, v))
		return words_fail(&r->w, "the plan bounds this input by %.9g..%.9g", g->lo, g->hi);
	if (g->positive && !(v > 0))
		return words_fail(&r->w, "the plan says that this input is positive");
	return true;
}

static bool read_value(struct reader *r, const numbers_global *g, int k, int64_t at)
{
	struct words old = r->w;
	char *stop;

	if (r->c->value[k].f) {
		double v = strtod(r->w.word, &stop);
		if (!check_value(r, g, v))
			return false;
		return words_double(&r->w, r->type, (double *)&r->c->value[k].f[at]);
	}
	if (!words_int(&r->w, r->type, INT64_MIN, INT64_MAX, (int64_t *)&r->c->value[k].i[at]))
		return false;
	if (interp_wrap(g->type, r->c->value[k].i[at]) != r->c->value[k].i[at])
		return words_fail(&old, "%s is out of the range of %s", old.word, etype_name(g->type));
	return check_value(&(struct reader){ old, r->s, r->c, r->type }, g, (double)r->c->value[k].i[at]);
}

static bool read_values(struct reader *r, int k)
{
	const numbers_global *g = &r->s->p.global[k];
	int64_t n = numbers_words(g), at, more, j;

	for (at = 0; at < n; at += more) {
		more = 1;
		if (!read_value(r, g, k, at))
			return false;
		if (words_are(&r->w, "*") && (!words_next(&r->w) || !words_int(&r->w, "how often", 1, n - at, &more)))
			return false;
		for (j = 1; j < more; j++)
			if (r->c->value[k].f)
				((double *)r->c->value[k].f)[at + j] = r->c->value[k].f[at];
			else
				((int64_t *)r->c->value[k].i)[at + j] = r->c->value[k].i[at];
	}
	return true;
}

static bool read_input(struct reader *r)
{
	char number[32];
	arena tmp;
	int k;
	bool ok;

	for (k = 0; k < r->s->ninput; k++) {
		input_number(&r->s->input[k], number, sizeof number);
		if (words_are(&r->w, number))
			break;
	}
	if (k == r->s->ninput)
		return words_fail(&r->w, "the baseline has no input '%.40s'", r->w.word);
	if (r->c->value[k].f || r->c->value[k].i)
		return words_fail(&r->w, "input %s is given twice", number);
	arena_init(&tmp);
	r->type = arena_strdup(&r->c->a, etype_name(r->s->input[k].s->type));
	r->type = arena_printf(&r->c->a, "a value (%s) of input %s", r->type, number);
	ok = words_next(&r->w) && words_expect(&r->w, shape_text(&tmp, r->s->input[k].s));
	arena_free(&tmp);
	if (!ok || !r->w.quoted)
		return ok && words_fail(&r->w, "the name of input %s is expected in quotes", number);
	room(r->c, r->s, k);
	return words_next(&r->w) && read_values(r, k);
}

static bool read_kind(struct reader *r)
{
	int k;

	for (k = 0; k < NUMBERS_KINDS; k++)
		if (words_are(&r->w, numbers_kind_name((enum numbers_kind)k))) {
			r->c->kind = (enum numbers_kind)k;
			return words_next(&r->w);
		}
	return words_fail(&r->w, "'%.40s' is no kind of numbers", r->w.word);
}

static bool read_head(struct reader *r)
{
	struct words *w = &r->w;
	const char *name;
	int64_t v, seed;

	if (!words_begin(w, "counterexample"))
		return false;
	if (!words_are(w, "1"))
		return words_fail(w, "version %d is expected, not '%.40s'", FORMAT, w->word);
	if (!words_next(w) || !words_expect(w, "base") || !words_text(w, "the file of BASE", &name) || !words_expect(w, "dist") ||
	    !words_text(w, "the file of DIST", &name) || !words_expect(w, "kind") || !read_kind(r) || !words_expect(w, "seed") ||
	    !words_int(w, "a seed", 0, INT64_MAX, &seed) || !words_expect(w, "output") || !words_int(w, "an output", 0, 1 << 20, &v))
		return false;
	r->c->seed = (uint64_t)seed;
	r->c->output = (int)v;
	if (!words_expect(w, "device") || !words_int(w, "a device", 0, 1 << 24, &v))
		return false;
	r->c->seen.device = (int)v;
	return words_expect(w, "place") && words_int(w, "a place", 0, INT64_MAX, &r->c->seen.local) && words_expect(w, "value") &&
	       words_double(w, "a value", &r->c->seen.dist) && words_expect(w, "base-place") &&
	       words_int(w, "a place", NUMBERS_ZERO, INT64_MAX, &r->c->seen.global) && words_expect(w, "base-value") &&
	       words_double(w, "a value", &r->c->seen.base);
}

static bool read_all(struct reader *r)
{
	char number[32];
	int k;

	if (!read_head(r))
		return false;
	while (!words_end(&r->w))
		if (!words_expect(&r->w, "input") || !read_input(r))
			return false;
	for (k = 0; k < r->s->ninput; k++)
		if (!r->c->value[k].f && !r->c->value[k].i) {
			input_number(&r->s->input[k], number, sizeof number);
			return words_fail(&r->w, "input %s is missing", number);
		}
	return true;
}

struct counterexample *counterexample_read(const struct numbers_setup *s, const char *file, const char *text, size_t n, struct diag *err)
{
	struct reader r = { .s = s, .c = new(s) };

	if (!words_open(&r.w, &r.c->a, file, text, n, err) || !read_all(&r)) {
		counterexample_free(r.c);
		return NULL;
	}
	return r.c;
}
