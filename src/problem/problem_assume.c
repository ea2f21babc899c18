/* The sentences that say what is taken for granted: each once, in the order in which they are found. */
#include "problem/problem_in.h"

#include <string.h>
#include "problem/rule_files.h"

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

void problem_assume(struct problem *p, const char *s)
{
	add_sentence(p, &p->assumption, &p->nassumption, &p->assumption_cap, s);
}

void problem_hypothesis(struct problem *p, const char *s)
{
	add_sentence(p, &p->hypothesis, &p->nhypothesis, &p->hypothesis_cap, s);
}

/* What was read of a file otherwise than it stands there: cut off, or at odds with itself. */
static void assume_read(struct problem *p, const module *m)
{
	int k;

	for (k = 0; k < m->nwarning; k++)
		if (!strstr(m->warning[k], "stack frame"))
			problem_assume(p, m->warning[k]);
}

/* Values and ranges are part of what is claimed (a value that is `any` is a hypothesis). */
static void assume_told(struct problem *p)
{
	int k;

	for (k = 0; p->plan && k < p->plan->n; k++) {
		const struct plan_line *l = &p->plan->line[k];
		if (l->form == PLAN_RANGE || l->form == PLAN_POSITIVE || (l->form == PLAN_VALUE && l->value.kind != PLAN_VALUE_ANY))
			problem_assume(p, arena_printf(&p->a, "the plan says `%s`", l->text));
	}
}

/* What the plan leaves unsaid of a distributed baseline. */
static void assume_base(struct problem *p)
{
	int k;

	for (k = 0; p->base_in && k < p->base->nparam; k++)
		if (!p->bind->base_input[k].relation && p->base->param[k] >= 0)
			problem_assume(p, arena_printf(&p->a, "baseline input %d: R, no line of the plan says", k));
	for (k = 0; p->base_in && k < p->base->nout; k++)
		if (!p->bind->base_output[k].relation && p->base->out[k] >= 0)
			problem_assume(p, arena_printf(&p->a, "baseline output %d: R, no line of the plan says", k));
}

void problem_assume_files(struct problem *p)
{
	const char *rules = rule_files_assumed(&p->a, p->files.rules);

	if (rules)
		problem_assume(p, rules);
	if (p->mesh_inferred)
		problem_assume(p, p->mesh_inferred);
	assume_read(p, p->base_m);
	assume_read(p, p->dist_m);
}

void problem_assume_plan(struct problem *p)
{
	assume_told(p);
	assume_base(p);
}

void problem_assume_notes(struct problem *p, const program *g)
{
	int k;

	for (k = 0; k < g->nnote; k++)
		problem_assume(p, g->note[k]);
}
