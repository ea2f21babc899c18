#include "problem/alternatives.h"

#include <stdlib.h>
#include <string.h>
#include "fault/frontier.h"
#include "pair/level.h"
#include "plan/suggest.h"
#include "problem/trial.h"

enum { WORK_SHIFT = 14, WALK_SHIFT = 8 };	/* so much scratch memory, and so many nodes walked over, count as a firing */

/* What a run came to, and what its frontier depends on. */
struct look {
	int met, verified;
	int nnear, *near;		/* inferred inputs, nearest to the frontier first */
	int nmissed, *missed;		/* outputs of inferred relation that are verified as something else */
	bool *goal_met;			/* per goal */
};

struct hunt {
	struct problem *p;
	arena *a;
	uint64_t work, used;
	const struct alternatives_watch *watch;
	struct trial_stop stop;
	bool search;			/* runs go on to the levels */
	bool *inferred[2];		/* per input, per output */
	const char **was[2];
	const struct suggestion **now[2];	/* what is taken so far */
	int ncut;
	const struct cut *cut;
	bool trimmed;
	int tried, left;
	struct look best;
};

/* ---- one run */

static bool over(struct hunt *h)
{
	if (!h->stop.stopped && h->stop.ask)
		h->stop.stopped = h->stop.ask(h);
	return h->stop.stopped || h->used >= h->work;
}

static bool asked(void *ctx)
{
	struct hunt *h = ctx;

	return h->watch->stop(h->watch->ctx, h->tried);
}

static void list_near(struct hunt *h, const program *d, const frontier *f, struct look *l)
{
	int *queue = ARENA_ARRAY(h->a, int, d->nrow), n = 0, i, k;
	bool *seen = arena_zalloc(h->a, (size_t)d->nrow + 1);

	l->near = ARENA_ARRAY(h->a, int, d->nrow);
	for (i = 0; i < f->n; i++)
		if (!seen[f->e[i].row]) {
			seen[f->e[i].row] = true;
			queue[n++] = f->e[i].row;
		}
	for (i = 0; i < n; i++) {
		const row *r = &d->row[queue[i]];
		if (r->param >= 0 && h->inferred[0][r->param])
			l->near[l->nnear++] = r->param;
		for (k = 0; k < r->nop; k++)
			if (!seen[r->op[k]]) {
				seen[r->op[k]] = true;
				queue[n++] = r->op[k];
			}
	}
}

static void look_at(struct hunt *h, struct look *l)
{
	struct problem *p = h->p;
	states *s = states_new(p->q);
	frontier f;
	int k;

	*l = (struct look){ .met = problem_goals_met(p) };
	states_refresh(s);
	l->verified = states_count(s).verified;
	f = frontier_find(s, h->a);
	list_near(h, p->dist, &f, l);
	l->missed = ARENA_ARRAY(h->a, int, f.n);
	for (k = 0; k < f.n; k++)
		if (f.e[k].kind == FRONTIER_RELATION && f.e[k].goal->out >= 0 && h->inferred[1][f.e[k].goal->out])
			l->missed[l->nmissed++] = f.e[k].goal->out;
	l->goal_met = ARENA_ARRAY(h->a, bool, p->q->ngoal);
	for (k = 0; k < p->q->ngoal; k++)
		l->goal_met[k] = goal_met(p->q, &p->q->goal[k]);
	states_free(s);
}

static void run_to_end(struct hunt *h)
{
	struct problem *p = h->p;
	levels v;

	trial_lift(p, &h->stop);
	if (!h->search || p->q->cut)
		return;
	level_init(&v, p->q);
	trial_search(&v, &h->stop);
	level_free(&v);
}

/* Runs p with what is taken now, and looks; false where that fits no shape, or was stopped. */
static bool run(struct hunt *h, struct look *l)
{
	struct problem *p = h->p;
	struct trial t;
	struct diag err;
	bool ok;

	p->instead[0] = h->now[0];
	p->instead[1] = h->now[1];
	ok = trial_begin(&t, p, &err);
	if (ok) {
		run_to_end(h);
		ok = !h->stop.stopped;
		if (ok)
			look_at(h, l);
		h->used += p->p->fired + (p->p->a.s.a.taken >> WORK_SHIFT) + (p->p->a.s.cells >> WALK_SHIFT);
		trial_drop(&t);
	}
	h->used += (uint64_t)(p->base->nrow + p->dist->nrow);
	p->instead[0] = p->instead[1] = NULL;
	return ok;
}

static bool better(const struct look *x, const struct look *y)
{
	return x->met != y->met ? x->met > y->met : x->verified > y->verified;
}

static bool all_met(const struct hunt *h, const struct look *l)
{
	return l->met == problem_goals_compared(h->p);
}

/* ---- what to try */

static int suggestions(struct hunt *h, int output, int k, struct suggestion *out)
{
	const struct problem *p = h->p;
	const shape *whole = problem_whole_shape(p, output, output ? k : problem_counterpart(p, k));
	bool more;
	int n;

	if (!output && h->p->q->in[k].pin == PIN_ANY && (n = suggest_values(h->a, &p->ms, p->dist_m->entry->param[k]->shape, out)))
		return n;
	if (!whole)
		return 0;
	n = suggest_relations(h->a, &p->ms, whole, output ? problem_output_shape(p->dist_m, k) : p->dist_m->entry->param[k]->shape, h->ncut,
			      h->cut, out, &more);
	h->trimmed = h->trimmed || more;
	return n;
}

static const char *text_now(const struct hunt *h, int output, int k)
{
	return h->now[output][k] ? h->now[output][k]->c.text : h->was[output][k];
}

static const struct suggestion *kept(struct hunt *h, const struct suggestion *s)
{
	struct suggestion *k = ARENA_NEW(h->a, struct suggestion);

	*k = *s;
	return k;
}

/* ---- inputs */

/* The opcodes of the rows that read input k, in order. */
static bool same_users(const program *d, int x, int y)
{
	int rx = d->param[x], ry = d->param[y], i = -1, j = -1;

	for (;;) {
		int k;
		for (i++; i < d->nrow; i++) {
			for (k = 0; k < d->row[i].nop && d->row[i].op[k] != rx; k++)
				;
			if (k < d->row[i].nop)
				break;
		}
		for (j++; j < d->nrow; j++) {
			for (k = 0; k < d->row[j].nop && d->row[j].op[k] != ry; k++)
				;
			if (k < d->row[j].nop)
				break;
		}
		if (i == d->nrow || j == d->nrow)
			return i == d->nrow && j == d->nrow;
		if (d->row[i].inst->opcode != d->row[j].inst->opcode)
			return false;
	}
}

/* Inputs that look like k take the same relation, all at once: gradients come in dozens. */
static void try_likes(struct hunt *h, int k)
{
	const program *d = h->p->dist;
	const struct suggestion **before = ARENA_ARRAY(h->a, const struct suggestion *, d->nparam);
	struct suggestion s[SUGGEST_MAX];
	struct look l;
	int i, j, n, more = 0;

	memcpy(before, h->now[0], sizeof *before * (size_t)d->nparam);
	for (j = 0; j < d->nparam; j++) {
		if (j == k || h->now[0][j] || !h->inferred[0][j] || d->param[j] < 0 || strcmp(h->was[0][j], h->was[0][k]) || !same_users(d, j, k))
			continue;
		n = suggestions(h, 0, j, s);
		for (i = 0; i < n && strcmp(s[i].c.text, h->now[0][k]->c.text); i++)
			;
		if (i < n) {
			h->now[0][j] = kept(h, &s[i]);
			more++;
		}
	}
	if (more && !over(h)) {
		h->tried++;
		if (run(h, &l) && better(&l, &h->best)) {
			h->best = l;
			return;
		}
	}
	memcpy(h->now[0], before, sizeof *before * (size_t)d->nparam);
}

/* The best of what shapes allow for input k; true when it is better than what there is. */
static bool try_input(struct hunt *h, int k)
{
	struct suggestion s[SUGGEST_MAX];
	const struct suggestion *before = h->now[0][k], *found = NULL;
	const char *text = text_now(h, 0, k);
	int n = suggestions(h, 0, k, s), i;
	struct look l;

	for (i = 0; i < n; i++) {
		if (!strcmp(s[i].c.text, text))
			continue;
		if (over(h)) {
			h->left++;
			continue;
		}
		h->now[0][k] = kept(h, &s[i]);
		h->tried++;
		if (run(h, &l) && better(&l, &h->best)) {
			h->best = l;
			found = h->now[0][k];
			if (all_met(h, &l))
				break;
		}
	}
	h->now[0][k] = found ? found : before;
	if (found && !all_met(h, &h->best))
		try_likes(h, k);
	return found != NULL;
}

/* ---- outputs */

/* The i-th suggestion for every output that is verified as something else; false when none has one. */
static bool put_outputs(struct hunt *h, const struct look *first, int i, bool *more)
{
	const pair *q = h->p->q;
	struct suggestion s[SUGGEST_MAX];
	bool any = false;
	int k, g, n;

	*more = false;
	for (k = 0; k < first->nmissed; k++) {
		int out = first->missed[k];
		for (g = 0; g < q->ngoal && q->goal[g].out != out; g++)
			;
		n = suggestions(h, 1, out, s);
		*more = *more || i + 1 < n;
		if (i >= n || h->best.goal_met[g] || !strcmp(s[i].c.text, text_now(h, 1, out)))
			continue;
		if (over(h)) {
			h->left++;
			continue;
		}
		h->now[1][out] = kept(h, &s[i]);
		h->tried++;
		any = true;
	}
	return any;
}

/* Outputs do not meddle with each other: one run tries one relation of each. */
static bool try_outputs(struct hunt *h)
{
	const pair *q = h->p->q;
	const struct suggestion **before = ARENA_ARRAY(h->a, const struct suggestion *, q->noutput + 1);
	bool taken = false, more = h->best.nmissed > 0;
	struct look l, first = h->best;
	int i, g;

	for (i = 0; more; i++) {
		memcpy(before, h->now[1], sizeof *before * (size_t)q->noutput);
		if (!put_outputs(h, &first, i, &more))
			continue;
		if (!run(h, &l) || !better(&l, &h->best)) {
			memcpy(h->now[1], before, sizeof *before * (size_t)q->noutput);
			continue;
		}
		for (g = 0; g < q->ngoal; g++)
			if (q->goal[g].out >= 0 && !l.goal_met[g])
				h->now[1][q->goal[g].out] = before[q->goal[g].out];
		h->best = l;
		taken = true;
	}
	return taken;
}

/* ---- axes of one size */

static const chain *chain_now(const struct hunt *h, int output, int k)
{
	const pair *q = h->p->q;

	return h->now[output][k] ? &h->now[output][k]->c : output ? &q->out[k].c : &q->in[k].c;
}

/* Is y what x is with axis b in place of a? */
static bool is_renamed(const chain *x, const chain *y, int a, int b)
{
	bool any = false;
	int i;

	if (x->n != y->n)
		return false;
	for (i = 0; i < x->n; i++) {
		const chain_step *s = &x->step[i], *t = &y->step[i];
		bool on_axis = s->kind == CHAIN_SHARD || s->kind == CHAIN_PARTIAL;
		any = any || (on_axis && s->axis == a);
		if (s->kind != t->kind || s->dim != t->dim || s->n != t->n || s->to != t->to ||
		    (on_axis && (s->axis == b || t->axis != (s->axis == a ? b : s->axis))))
			return false;
	}
	return any;
}

/* What is inferred and has axis a, as if it had b instead; false when that is no suggestion. */
static bool renamed(struct hunt *h, int output, int k, int a, int b, const struct suggestion **to)
{
	struct suggestion s[SUGGEST_MAX];
	int i, n = h->inferred[output][k] && strcmp(text_now(h, output, k), "any") ? suggestions(h, output, k, s) : 0;

	for (i = 0; i < n && !is_renamed(chain_now(h, output, k), &s[i].c, a, b); i++)
		;
	*to = i < n ? kept(h, &s[i]) : NULL;
	return *to != NULL;
}

/* Relations as they are taken, side by side. */
struct taking {
	const struct suggestion **v[2];
};

static size_t side_size(const struct hunt *h, int side)
{
	return sizeof(const struct suggestion *) * (size_t)(side ? h->p->q->noutput : h->p->q->ninput);
}

static struct taking taken_now(struct hunt *h)
{
	struct taking t;
	int side;

	for (side = 0; side < 2; side++)
		t.v[side] = memcpy(arena_alloc(h->a, side_size(h, side) + 1), h->now[side], side_size(h, side));
	return t;
}

static void take_back(struct hunt *h, const struct taking *t)
{
	int side;

	for (side = 0; side < 2; side++)
		memcpy(h->now[side], t->v[side], side_size(h, side));
}

/* Axis b for a in all of `r` but input `but`, outputs included or not: true when it is better than what there is, and then it
 * stays. */
static bool try_renaming(struct hunt *h, const struct taking *r, int but, bool outputs)
{
	struct taking before = taken_now(h);
	struct look l;
	int side, k, n = 0;

	for (side = 0; side <= outputs; side++)
		for (k = 0; k < (side ? h->p->q->noutput : h->p->q->ninput); k++)
			if (r->v[side][k] && (side || k != but)) {
				h->now[side][k] = r->v[side][k];
				n++;
			}
	if (n && over(h)) {
		h->left++;
	} else if (n) {
		h->tried++;
		if (run(h, &l) && better(&l, &h->best)) {
			h->best = l;
			return true;
		}
	}
	take_back(h, &before);
	return false;
}

/* Shapes cannot tell axes of one size apart: one goes for the other everywhere, or everywhere but in one input (a batch among
 * weights). */
static bool try_axis(struct hunt *h, int a, int b)
{
	const pair *q = h->p->q;
	struct taking start = taken_now(h), r = taken_now(h), best = start;
	int side, k, outputs;
	bool found = false;

	for (side = 0; side < 2; side++)
		for (k = 0; k < (side ? q->noutput : q->ninput); k++)
			renamed(h, side, k, a, b, &r.v[side][k]);
	for (k = -1; k < q->ninput && !all_met(h, &h->best); k++)
		for (outputs = 1; outputs >= 0 && !all_met(h, &h->best); outputs--) {
			if (k >= 0 && !r.v[0][k])
				continue;
			if (try_renaming(h, &r, k, outputs)) {
				best = taken_now(h);
				found = true;
			}
			take_back(h, &start);
		}
	take_back(h, &best);
	return found;
}

static bool try_axes(struct hunt *h)
{
	const mesh *ms = &h->p->q->ms;
	bool taken = false;
	int a, b;

	for (a = 0; a < ms->n; a++)
		for (b = 0; b < ms->n; b++)
			if (a != b && ms->axis[a].size == ms->axis[b].size && ms->axis[a].size > 1 && !all_met(h, &h->best))
				taken = try_axis(h, a, b) || taken;
	return taken;
}

/* ---- rounds */

static bool improve(struct hunt *h)
{
	int nnear = h->best.nnear, i;
	const int *near = h->best.near;

	h->left = 0;
	if (try_axes(h) || try_outputs(h))
		return true;
	for (i = 0; i < nnear; i++)
		if (try_input(h, near[i]))
			return true;
	return false;
}

static void rounds(struct hunt *h)
{
	while (!all_met(h, &h->best) && improve(h))
		;
}

static bool none_taken(const struct hunt *h)
{
	int side, k;

	for (side = 0; side < 2; side++)
		for (k = 0; k < (side ? h->p->q->noutput : h->p->q->ninput); k++)
			if (h->now[side][k])
				return false;
	return true;
}

/* Again with the levels of the search in every run, for what needs their rules. */
static void search_rounds(struct hunt *h, struct look *first)
{
	const struct suggestion **taken[2] = { h->now[0], h->now[1] };
	struct look l;

	h->search = true;
	h->now[0] = arena_zalloc(h->a, sizeof *h->now[0] * (size_t)(h->p->q->ninput + 1));
	h->now[1] = arena_zalloc(h->a, sizeof *h->now[1] * (size_t)(h->p->q->noutput + 1));
	if (!run(h, &l))
		return;
	*first = l;
	h->now[0] = taken[0];
	h->now[1] = taken[1];
	if (none_taken(h) || run(h, &l)) {
		h->best = l;
		rounds(h);
	}
}

static void set_up(struct hunt *h)
{
	const pair *q = h->p->q;
	int side, k;

	for (side = 0; side < 2; side++) {
		int n = side ? q->noutput : q->ninput;
		h->inferred[side] = arena_zalloc(h->a, (size_t)n + 1);
		h->now[side] = arena_zalloc(h->a, sizeof *h->now[side] * (size_t)(n + 1));
		h->was[side] = ARENA_ARRAY(h->a, const char *, n);
		for (k = 0; k < n; k++) {
			h->inferred[side][k] = side ? q->out[k].inferred && h->p->dist->out[k] >= 0 : q->in[k].inferred;
			h->was[side][k] = (side ? q->out[k].base < 0 : q->in[k].pin == PIN_ANY) ? "any" : side ? q->out[k].c.text : q->in[k].c.text;
		}
	}
	h->ncut = suggest_cuts(h->a, &q->ms, h->p->base, h->p->dist, &h->cut);
}

/* ---- words */

static const char *mesh_line(arena *a, const mesh *ms)
{
	return arena_printf(a, "mesh%s", problem_mesh_text(a, ms));
}

static void add_lines(struct hunt *h, struct alternatives *r)
{
	struct problem *p = h->p;
	int k;

	r->line = ARENA_ARRAY(&p->a, const char *, r->n + 1);
	if (r->n && !(p->plan && p->plan->mesh.line))
		r->line[r->nline++] = mesh_line(&p->a, &p->ms);
	for (k = 0; k < r->n; k++)
		r->line[r->nline++] = arena_printf(&p->a, "%s %d %s", r->v[k].output ? "output" : "input", r->v[k].index, r->v[k].is);
}

static const char *plural(int n)
{
	return n == 1 ? "" : "s";
}

static const char *what_it_gives(struct hunt *h, const struct alternatives *r)
{
	arena *a = &h->p->a;

	if (r->after == r->goals)
		return r->goals == 1 ? "the output is proved" : "every output is proved";
	if (r->after > r->before)
		return arena_printf(a, "%d of %d outputs are proved, not %d", r->after, r->goals, r->before);
	return arena_printf(a, "%d more value%s correspond%s to the baseline's, but no further output is proved",
			    r->verified_after - r->verified_before, plural(r->verified_after - r->verified_before),
			    r->verified_after - r->verified_before == 1 ? "s" : "");
}

/* Runs of one relation are said together: "with inputs 3, 4, 5 as dp:P(sum) every output is proved". */
static const char *offer_text(struct hunt *h, const struct alternatives *r)
{
	arena *a = &h->p->a;
	bool *said = arena_zalloc(h->a, (size_t)r->n + 1);
	const char *t = "";
	int i, k;

	for (i = 0; i < r->n; i++) {
		const char *list = "";
		int n = 0;
		for (k = i; k < r->n; k++)
			if (!said[k] && r->v[k].output == r->v[i].output && !strcmp(r->v[k].is, r->v[i].is) && !strcmp(r->v[k].was, r->v[i].was)) {
				said[k] = true;
				list = arena_printf(h->a, "%s%s%d", list, n++ ? ", " : "", r->v[k].index);
			}
		if (n)
			t = arena_printf(a, "%s%s%s%s %s%s %s instead of %s", t, *t ? " and " : "with ", r->v[i].output ? "output" : "input",
					 plural(n), list, *r->v[i].is == '=' ? "" : " as", r->v[i].is, r->v[i].was);
	}
	if (!r->n && (r->left || r->stopped))
		return r->tried ? "none of the relations that were tried proves more" : "no other relation was tried";
	if (!r->n)
		return r->tried ? "no other relation of what was inferred proves more" : "shapes allow no other relation of what the frontier depends on";
	return arena_printf(a, "%s %s", t, what_it_gives(h, r));
}

static const char *effort_text(struct hunt *h, const struct alternatives *r)
{
	return arena_printf(&h->p->a, "%d relation%s of %d inferred input%s and output%s tried%s%s%s", r->tried, plural(r->tried), r->inferred,
			    plural(r->inferred), plural(r->inferred), r->left ? arena_printf(h->a, ", %d more were not: %s", r->left,
			    r->stopped ? "it was stopped" : "`alternatives N` does N times as much") : r->stopped ? ", then it was stopped" : "",
			    r->after < r->goals && !r->left && !r->stopped ? "; those of inputs that the frontier does not depend on were not" : "",
			    r->trimmed ? arena_printf(h->a, "; of each at most the %d likeliest are thought of", SUGGEST_MAX) : "");
}

static struct alternatives *answer(struct hunt *h, const struct look *first)
{
	struct problem *p = h->p;
	struct alternatives *r = ARENA_NEW(&p->a, struct alternatives);
	int side, k;

	*r = (struct alternatives){ .tried = h->tried, .left = h->left, .stopped = h->stop.stopped, .trimmed = h->trimmed,
				    .goals = problem_goals_compared(p), .before = problem_goals_met(p), .after = h->best.met,
				    .verified_before = first->verified, .verified_after = h->best.verified };
	r->v = ARENA_ARRAY(&p->a, struct alternative, p->q->ninput + p->q->noutput);
	for (side = 0; side < 2; side++)
		for (k = 0; k < (side ? p->q->noutput : p->q->ninput); k++) {
			r->inferred += h->inferred[side][k];
			if (h->now[side][k] && strcmp(h->now[side][k]->c.text, h->was[side][k]))
				r->v[r->n++] = (struct alternative){ side, k, h->was[side][k], arena_strdup(&p->a, h->now[side][k]->c.text) };
		}
	if (r->after <= r->before && r->verified_after <= r->verified_before)
		r->n = 0;
	add_lines(h, r);
	r->offer = offer_text(h, r);
	r->effort = effort_text(h, r);
	return r;
}

bool alternatives_any(const struct problem *p)
{
	bool any = false;
	int k;

	if (problem_goals_met(p) >= problem_goals_compared(p))
		return false;
	for (k = 0; k < p->q->ninput; k++)
		any = any || p->q->in[k].inferred;
	for (k = 0; k < p->q->noutput; k++)
		any = any || (p->q->out[k].inferred && p->dist->out[k] >= 0);
	return any;
}

const struct alternatives *alternatives_try(struct problem *p, uint64_t work, const struct alternatives_watch *watch)
{
	arena a;
	struct hunt h = { .p = p, .a = &a, .work = work, .watch = watch };
	struct look first;

	arena_init(&a);
	h.stop = (struct trial_stop){ .ask = watch ? asked : NULL, .ctx = &h };
	set_up(&h);
	if (run(&h, &first)) {
		h.best = first;
		rounds(&h);
		if (h.tried && !all_met(&h, &h.best) && !over(&h))
			search_rounds(&h, &first);
		p->alternatives = answer(&h, &first);
	}
	arena_free(&a);
	return p->alternatives;
}
