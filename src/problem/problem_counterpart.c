/* Which parameters of the two programs belong together where no line of the plan says. */
#include "problem/problem_in.h"

#include "plan/suggest.h"

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
void problem_find_counterparts(struct problem *p)
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
