/* text_pair.h - a pair of programs given as text, loaded and run, for tests of what is said about it. */
#ifndef DIVERGE_TEXT_PAIR_H
#define DIVERGE_TEXT_PAIR_H

#include <stdarg.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>
#include "fault/frontier.h"
#include "problem/problem.h"
#include "relation/state.h"

struct text_pair {
	char folder[64], base[96], dist[96], plan[96];
	struct problem *p;
	states *s;
	arena a;
};

static void text_write(const char *path, const char *text)
{
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	assert_true(fputs(text, f) >= 0);
	assert_int_equal(fclose(f), 0);
}

/* Written and loaded: p is NULL where that is refused, and `why` says so. */
static inline struct text_pair *text_load(const char *base, const char *dist, const char *plan, char *why, size_t size)
{
	struct text_pair *t = calloc(1, sizeof *t);
	struct problem_files f = { 0 };
	struct diag d;

	assert_non_null(t);
	strcpy(t->folder, "/tmp/diverge-pair-XXXXXX");
	assert_non_null(mkdtemp(t->folder));
	snprintf(t->base, sizeof t->base, "%s/base.hlo", t->folder);
	snprintf(t->dist, sizeof t->dist, "%s/dist.hlo", t->folder);
	snprintf(t->plan, sizeof t->plan, "%s/dist.plan", t->folder);
	text_write(t->base, base);
	text_write(t->dist, dist);
	text_write(t->plan, plan);
	f.base = t->base;
	f.dist = t->dist;
	f.plan = t->plan;
	t->p = problem_load(&f, &d);
	if (!t->p)
		diag_text(&d, why, size);
	return t;
}

/* Loaded, nothing lifted. */
static inline struct text_pair *text_open(const char *base, const char *dist, const char *plan)
{
	char why[512];
	struct text_pair *t = text_load(base, dist, plan, why, sizeof why);

	if (!t->p)
		fail_msg("%s", why);
	t->s = states_new(t->p->q);
	arena_init(&t->a);
	return t;
}

static inline struct text_pair *text_run(const char *base, const char *dist, const char *plan)
{
	struct text_pair *t = text_open(base, dist, plan);

	pair_run(t->p->q);
	states_refresh(t->s);
	return t;
}

static inline void text_remove(struct text_pair *t)
{
	unlink(t->base);
	unlink(t->dist);
	unlink(t->plan);
	rmdir(t->folder);
	free(t);
}

static inline void text_close(struct text_pair *t)
{
	states_free(t->s);
	problem_free(t->p);
	arena_free(&t->a);
	text_remove(t);
}

static inline int text_dist(const struct text_pair *t, const char *name)
{
	int r = program_named(t->p->dist, name);

	if (r < 0)
		fail_msg("no %s", name);
	return r;
}

static inline int text_base(const struct text_pair *t, const char *name)
{
	int r = program_named(t->p->base, name);

	if (r < 0)
		fail_msg("no %s", name);
	return r;
}

static inline const row_state *text_state(const struct text_pair *t, const char *name)
{
	return state_of(t->s, text_dist(t, name));
}

static inline const char *text_relation(struct text_pair *t, const char *name)
{
	return state_relation(t->s, text_dist(t, name), &t->a);
}

static inline void text_holds(const char *whole, const char *part)
{
	if (!whole || !strstr(whole, part))
		fail_msg("'%s' does not hold '%s'", whole ? whole : "(nothing)", part);
}

#endif
