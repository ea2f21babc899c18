#include "rule/schedule.h"

#include <stdlib.h>
#include <string.h>
#include "rule/firing_in.h"

/* Matches taken up so many later have their memory fetched now, in three stages:
 * nodes, their arguments, what the first act will look up.  In a large graph
 * nearly every look is a cache miss, and the matches say which will come. */
enum { AHEAD = 24, STAGE = 8, RING = 32 };

/* Matches are stored as rule, position nodes, loose values. */
struct schedule {
	firings *f;
	egraph *g;
	matcher *m;
	vec word;		/* matches of this and, while the trail is on, of earlier iterations */
	vec state;		/* rule_state per rule */
	arena terms;
	arena_mark clean;
	iteration now;
	uint32_t begin, at;	/* in word: where the iteration starts, the next match */
	uint32_t count;
	uint32_t limit, length, node_limit;
	uint32_t cut;
	uint32_t ring[RING];	/* where the next matches are */
	uint32_t looked, look_at;	/* matches looked at, where the next one is */
};

schedule *schedule_new(firings *f)
{
	schedule *s = calloc(1, sizeof *s);

	if (!s)
		die_hook("out of memory");
	s->f = f;
	s->g = f->g;
	s->m = matcher_new(f->r);
	vec_init(&s->word, sizeof(uint32_t));
	vec_init(&s->state, sizeof(rule_state));
	arena_init(&s->terms);
	arena_alloc(&s->terms, 1);
	s->clean = arena_at(&s->terms);
	return s;
}

void schedule_free(schedule *s)
{
	if (!s)
		return;
	matcher_free(s->m);
	vec_free(&s->word);
	vec_free(&s->state);
	arena_free(&s->terms);
	free(s);
}

void schedule_backoff(schedule *s, uint32_t limit, uint32_t length)
{
	s->limit = limit;
	s->length = length;
}

void schedule_limit(schedule *s, uint32_t nodes)
{
	s->node_limit = nodes;
}

static void set(schedule *s, uint32_t *p, uint32_t v)
{
	trail_set32(&s->g->trail, p, v);
}

static rule_state *state_of(const schedule *s, const rule *r)
{
	vec_room((vec *)&s->state, r->index + 1);
	return &VEC_AT(rule_state, &s->state, r->index);
}

/* ---- collecting */

static void store(schedule *s, const rule *r)
{
	const pattern *p = r->pattern;
	uint32_t *w = vec_push_n(&s->word, 1 + p->npos);

	*w++ = r->index;
	if (p->npos)
		memcpy(w, s->m->pos, p->npos * sizeof *w);
	if (p->nloose)
		loose_store(s->m, &s->word, &s->terms);
}

/* A rule without a table atom has one match in its life. */
static bool had_its_turn(const rule *r, const rule_state *st)
{
	return st->mark && r->pattern->code[0].start == NIL && !r->pattern->naive;
}

static uint32_t collect(schedule *s, const rule *r, rule_state *st)
{
	uint32_t since = s->g->track && st->mark ? st->mark - 1 : 0, n = 0, touched;
	uint32_t most = s->limit ? s->limit << (st->times_banned < 20 ? st->times_banned : 20) : 0;
	bool more;

	eg_touched(s->g, &touched);
	if (had_its_turn(r, st))
		return 0;
	/* nothing was touched since: nothing can be new */
	if (s->g->track && st->mark && since == touched && !r->pattern->naive)
		return 0;
	for (more = match_all(s->m, r, since); more; more = match_next(s->m)) {
		if (most && n == most) {
			n++;
			break;
		}
		store(s, r);
		n++;
	}
	return n;
}

static void ban(schedule *s, rule_state *st, uint32_t matches)
{
	uint32_t shift = st->times_banned < 20 ? st->times_banned : 20;

	set(s, &st->dropped, st->dropped + matches);
	set(s, &st->banned_until, s->count + (s->length << shift));
	set(s, &st->times_banned, st->times_banned + 1);
	set(s, &s->now.banned, s->now.banned + 1);
}

static void collect_rule(schedule *s, const rule *r)
{
	rule_state *st = state_of(s, r);
	uint32_t before = s->word.n, n, touched;

	if (s->limit && s->count < st->banned_until) {
		set(s, &s->now.banned, s->now.banned + 1);
		return;
	}
	eg_touched(s->g, &touched);
	n = collect(s, r, st);
	if (s->limit && n > s->limit << (st->times_banned < 20 ? st->times_banned : 20)) {
		s->word.n = before;
		ban(s, st, n);
		return;
	}
	set(s, &st->mark, touched + 1);
	set(s, &st->matches, st->matches + n);
	set(s, &s->now.matches, s->now.matches + n);
}

/* Without a trail nobody goes back to the matches of an earlier iteration. */
static void clear_store(schedule *s)
{
	trail *t = &s->g->trail;

	if (!t->on) {
		s->word.n = 0;
		arena_reset(&s->terms, s->clean);
	}
	trail_log(t, (uint64_t)(uintptr_t)&s->word.n | TRAIL_SET32, s->word.n);
}

void schedule_open(schedule *s, uint32_t ruleset)
{
	uint32_t i;

	clear_store(s);
	s->looked = 0;
	s->ring[0] = NIL;
	set(s, &s->count, s->count + 1);
	set(s, &s->begin, s->word.n);
	set(s, &s->at, s->word.n);
	set(s, &s->cut, 0);
	set(s, &s->now.ruleset, ruleset);
	set(s, &s->now.matches, 0);
	set(s, &s->now.done, 0);
	set(s, &s->now.fired, 0);
	set(s, &s->now.banned, 0);
	for (i = 0; i < rules_n(s->f->r); i++) {
		const rule *r = rules_at(s->f->r, i);

		if (r->ruleset != ruleset || !r->on)
			continue;
		collect_rule(s, r);
	}
}

/* ---- firing */

/* The next stored match into the matcher's registers. */
static const rule *restore(schedule *s, uint32_t at, uint32_t *next)
{
	const uint32_t *w = &VEC_AT(uint32_t, &s->word, at), *from = w;
	const rule *r = rules_at(s->f->r, *w++);
	matcher *m = s->m;

	m->p = r->pattern;
	match_room(m, m->p);
	memcpy(m->pos, w, m->p->npos * sizeof *w);
	w += m->p->npos;
	if (m->p->nloose)
		w += loose_load(m, w);
	*next = at + (uint32_t)(w - from);
	arena_reset(&m->scratch, m->clean);
	fire_load(s->f, m);
	return r;
}

/* ---- looking ahead */

static uint32_t match_words(const schedule *s, uint32_t at)
{
	const uint32_t *w = &VEC_AT(uint32_t, &s->word, at);
	const pattern *p = rules_at(s->f->r, *w)->pattern;
	uint32_t n = 1 + p->npos, i;

	for (i = 0; i < p->nloose; i++) {
		const pattern_var *v = &p->var[p->loose[i]];

		if (v->seq)
			n += 1 + w[n];
		else
			n += w[n] == NIL && !v->value ? 3 : 1;
	}
	return n;
}

static void fetch_nodes(const schedule *s, uint32_t at)
{
	const uint32_t *w = &VEC_AT(uint32_t, &s->word, at);
	uint32_t i, n = rules_at(s->f->r, w[0])->pattern->npos;

	for (i = 1; i <= n; i++)
		if (w[i] != NIL)
			__builtin_prefetch(&s->g->node[w[i]]);
}

static void fetch_arguments(const schedule *s, uint32_t at)
{
	const uint32_t *w = &VEC_AT(uint32_t, &s->word, at);
	uint32_t i, n = rules_at(s->f->r, w[0])->pattern->npos;

	for (i = 1; i <= n; i++)
		if (w[i] != NIL)
			__builtin_prefetch(&s->g->cur[s->g->node[w[i]].slot]);
}

/* The first act, when it builds a short node of variables that positions give. */
static void fetch_first_build(const schedule *s, uint32_t at)
{
	const egraph *g = s->g;
	const uint32_t *w = &VEC_AT(uint32_t, &s->word, at);
	const pattern *p = rules_at(s->f->r, w[0])->pattern;
	const act *a = p->act;
	eg_id arg[4];
	uint32_t i;

	if (!p->nact || a->kind != ACT_BUILD || a->op == NIL || a->narg > 4)
		return;
	for (i = 0; i < a->narg; i++) {
		const source *from;

		if (a->arg[i].kind != OPERAND_VAR || a->arg[i].id >= p->nvar)
			return;
		from = &p->source[a->arg[i].id];
		if (from->kind != FROM_ARG)
			return;
		arg[i] = g->cur[g->node[w[1 + from->pos]].slot + from->index];
		__builtin_prefetch(&g->class[arg[i]]);
	}
	eg_prefetch(g, a->op, a->narg, arg);
}

static void look_ahead(schedule *s, uint32_t at, uint32_t done)
{
	uint32_t k;

	if (s->looked <= done || s->looked > done + AHEAD || s->ring[done % RING] != at) {
		s->looked = done;
		s->look_at = at;
	}
	for (; s->looked < s->now.matches && s->looked < done + AHEAD; s->looked++) {
		s->ring[s->looked % RING] = s->look_at;
		fetch_nodes(s, s->look_at);
		s->look_at += match_words(s, s->look_at);
	}
	if ((k = done + 2 * STAGE) < s->looked)
		fetch_arguments(s, s->ring[k % RING]);
	if ((k = done + STAGE) < s->looked)
		fetch_first_build(s, s->ring[k % RING]);
}

static enum step give_up(schedule *s)
{
	set(s, &s->now.done, s->now.matches);
	return STEP_ERROR;
}

/* Only a firing that changed something moves the trailed place: going back to
 * it and on again skips the same idle matches once more. */
enum step schedule_step(schedule *s, fired *out)
{
	uint32_t at = s->at, done = s->now.done;

	while (done < s->now.matches) {
		const rule *r;

		if (s->node_limit && s->g->live >= s->node_limit) {
			set(s, &s->cut, 1);
			break;
		}
		look_ahead(s, at, done);
		r = restore(s, at, &at);
		done++;
		*out = fire_loaded(s->f, s->m, false);
		if (out->error)
			return give_up(s);
		if (out->changed) {
			rule_state *st = state_of(s, r);

			set(s, &s->at, at);
			set(s, &s->now.done, done);
			set(s, &s->now.fired, s->now.fired + 1);
			set(s, &st->fired, st->fired + 1);
			return STEP_FIRED;
		}
	}
	set(s, &s->now.done, s->now.matches);
	return STEP_DONE;
}

const char *schedule_run(schedule *s, uint32_t ruleset)
{
	enum step k;
	fired f;

	schedule_open(s, ruleset);
	while ((k = schedule_step(s, &f)) == STEP_FIRED)
		;
	return k == STEP_ERROR ? f.error : NULL;
}

/* ---- what is seen */

const iteration *schedule_now(const schedule *s)
{
	return &s->now;
}

const rule_state *schedule_rule(const schedule *s, const rule *r)
{
	return state_of(s, r);
}

bool schedule_saturated(const schedule *s)
{
	return s->now.done == s->now.matches && !s->now.fired && !s->now.banned && !s->cut;
}
