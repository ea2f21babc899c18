#include "session/acts_in.h"

#include <stdlib.h>
#include <string.h>
#include "problem/trial.h"
#include "session/outlook.h"
#include "util/hash.h"

/* ---- the list */

int acts_count(const struct session *s)
{
	return (int)s->act.n;
}

const struct act *acts_get(const struct session *s, int i)
{
	return acts_at(s, i);
}

int acts_applied(const struct session *s, enum act_kind k)
{
	int i, n = 0;

	for (i = 0; i < acts_count(s); i++)
		n += acts_at(s, i)->kind == k && acts_at(s, i)->done && !acts_at(s, i)->failed;
	return n;
}

const char *acts_hypotheses(const struct session *s, char *buf, size_t n)
{
	size_t at = 0;
	int i;

	buf[0] = 0;
	for (i = 0; i < acts_count(s) && at < n; i++) {
		const struct act *a = acts_at(s, i);
		if (a->kind == ACTS_ASSUME && a->done && !a->failed)
			at += (size_t)snprintf(buf + at, n - at, "%sA%d", at ? ", " : "", a->id);
	}
	return buf;
}

uint64_t acts_version(const struct session *s)
{
	uint64_t h = 1;
	int i;

	for (i = 0; i < acts_count(s); i++)
		h = hash_bytes(&acts_at(s, i)->id, sizeof(int), h);
	return h;
}

const struct act *acts_of_firing(const struct session *s, uint32_t firing)
{
	int i;

	for (i = 0; i < acts_count(s); i++)
		if (acts_at(s, i)->done && acts_at(s, i)->firing == firing && firing != NIL)
			return acts_at(s, i);
	return NULL;
}

static int index_of(const struct session *s, int id)
{
	int i;

	for (i = 0; i < acts_count(s) && acts_at(s, i)->id != id; i++)
		;
	return i < acts_count(s) ? i : -1;
}

static void remove_at(vec *v, int i)
{
	struct act *a = VEC(struct act, v);

	memmove(a + i, a + i + 1, sizeof *a * (v->n - (size_t)i - 1));
	v->n--;
}

static void insert_at(vec *v, int i, const struct act *x)
{
	struct act *a;

	vec_push(v);
	a = VEC(struct act, v);
	memmove(a + i + 1, a + i, sizeof *a * (v->n - 1 - (size_t)i));
	a[i] = *x;
}

/* ---- acts as the user makes them */

static int drop_ahead(struct session *s, uint32_t *steps)
{
	int i, n = 0;

	*steps = s->known - session_step(s);
	for (i = acts_count(s) - 1; i >= 0; i--)
		if (!acts_at(s, i)->done) {
			remove_at(&s->act, i);
			n++;
		}
	s->known = session_step(s);
	s->undone.n = 0;
	return n;
}

static void copy_texts(struct session *s, struct act *a)
{
	a->text = arena_strdup(&s->text, a->text);
	a->rule = a->rule ? arena_strdup(&s->text, a->rule) : NULL;
	a->node = a->node ? arena_strdup(&s->text, a->node) : NULL;
	a->base = a->base ? arena_strdup(&s->text, a->base) : NULL;
	a->chain = a->chain ? arena_strdup(&s->text, a->chain) : NULL;
}

/* Both rows of an assumption have to be lifted before it says anything. */
static bool both_lifted(struct session *s, void *ctx)
{
	const struct act *a = ctx;
	int b = program_named(s->p->base, a->base), d = program_named(s->p->dist, a->node);

	return b < 0 || d < 0 || (session_cell(s, SIDE_BASE, b) != NIL && session_tensor(s, SIDE_DIST, d) != NIL);
}

static bool not_both_lifted(struct session *s, void *ctx)
{
	return !both_lifted(s, ctx);
}

bool acts_do(struct session *s, struct act *a)
{
	bool still;
	uint32_t steps = 0, from = session_step(s);
	int acts, done;

	copy_texts(s, a);
	if (a->kind == ACTS_ASSUME && !both_lifted(s, a))
		acts_run_while(s, not_both_lifted, NULL, a);
	still = acts_at_boundary(s);
	a->id = s->next_act;
	acts_perform(s, a);
	if (a->failed) {
		session_say(s, SAY_ERROR, "%s: %s", a->text, a->failed);
		return false;
	}
	acts = drop_ahead(s, &steps);
	s->next_act++;
	for (done = acts_count(s); done > 0 && !acts_at(s, done - 1)->done; done--)
		;
	insert_at(&s->act, done, a);
	if (still)
		acts_note_boundary(s, false);
	session_moved(s);
	if (s->broken)
		session_say(s, SAY_WARNING, "A%d: %s: %s", a->id, a->text, s->broken);
	else if (acts)
		session_say(s, SAY_MESSAGE, "A%d: %s; what lay ahead is dropped: %u step%s, %d act%s", a->id, a->text, steps, steps == 1 ? "" : "s",
			    acts, acts == 1 ? "" : "s");
	else if (steps)
		session_say(s, SAY_MESSAGE, "A%d: %s; the %u step%s ahead %s dropped", a->id, a->text, steps, steps == 1 ? "" : "s", steps == 1 ? "is" : "are");
	else if (session_step(s) != from)
		session_say(s, SAY_MESSAGE, "A%d: %s; went on to step %u, where both are taken up", a->id, a->text, session_step(s));
	else
		session_say(s, SAY_MESSAGE, "A%d: %s", a->id, a->text);
	return true;
}

/* ---- taking back and doing again */

static bool not_reached(struct session *s, void *ctx)
{
	return !acts_reached(s, *(struct place *)ctx);
}

static void replay_to(struct session *s, struct place p, bool end)
{
	if (end)
		acts_run_while(s, NULL, NULL, NULL);
	else
		acts_run_while(s, not_reached, NULL, &p);
}

/* The latest boundary that is not behind a place. */
static uint32_t boundary_before(const struct session *s, struct place p)
{
	const struct boundary *b = VEC(struct boundary, &s->boundary);
	uint32_t k;

	for (k = s->boundary.n - 1; k > 0; k--)
		if (b[k].pos < p.pos || (b[k].pos == p.pos && b[k].moves <= p.in))
			break;
	return k;
}

/* What was run through only to be looked at is not known steps. */
bool acts_look_ahead(struct session *s, void (*look)(struct session *s, void *ctx), void *ctx)
{
	struct place p = acts_here(s);
	uint32_t known = s->known, runs = s->runs;
	enum acts_end e;
	bool seen;

	if (s->p->files.no_trail)
		return false;
	s->looks_ahead = true;
	e = acts_run_while(s, NULL, NULL, NULL);
	seen = e == ACTS_DONE || e == ACTS_CUT;
	if (seen)
		look(s, ctx);
	acts_back_to_step(s, boundary_before(s, p));
	replay_to(s, p, false);
	s->known = runs == s->runs && known > session_step(s) ? known : session_step(s);
	s->looks_ahead = false;
	return seen;
}

static int failures(const struct session *s, char *buf, size_t n)
{
	size_t at = 0;
	int i, k = 0;

	buf[0] = 0;
	for (i = 0; i < acts_count(s); i++) {
		const struct act *a = acts_at(s, i);
		if (!a->done || !a->failed)
			continue;
		k++;
		if (at < n)
			at += (size_t)snprintf(buf + at, n - at, "%sA%d (%s)", at ? ", " : "", a->id, a->failed);
	}
	return k;
}

static void say_replayed(struct session *s, const char *what, const struct act *a)
{
	char gone[512];

	if (s->broken)
		session_say(s, SAY_WARNING, "%s A%d: %s; %s", what, a->id, a->text, s->broken);
	else if (failures(s, gone, sizeof gone))
		session_say(s, SAY_WARNING, "%s A%d: %s; no longer applies: %s", what, a->id, a->text, gone);
	else
		session_say(s, SAY_MESSAGE, "%s A%d: %s", what, a->id, a->text);
}

/* Goes on without act i from where it was made; acts behind it are done again. */
static void without(struct session *s, int i, const char *what)
{
	struct act a = *acts_at(s, i);
	struct place p = acts_here(s);
	bool end = session_done(s), ahead = !a.done;

	if (!ahead)
		acts_back_to(s, a.mark, a.step, a.place.in);
	remove_at(&s->act, i);
	s->known = session_step(s);
	if (!ahead)
		replay_to(s, p, end);
	*(struct act *)vec_push(&s->undone) = a;
	say_replayed(s, what, &a);
}

bool acts_undo(struct session *s)
{
	int i;

	for (i = acts_count(s) - 1; i >= 0 && !acts_at(s, i)->done; i--)
		;
	if (i < 0) {
		session_say(s, SAY_ERROR, "there is no act to take back");
		return false;
	}
	if (!acts_can_go_back(s))
		return false;
	without(s, i, "undone:");
	return true;
}

bool acts_retract(struct session *s, int id)
{
	int i = index_of(s, id);

	if (i < 0) {
		session_say(s, SAY_ERROR, "there is no act A%d", id);
		return false;
	}
	if (!acts_can_go_back(s))
		return false;
	without(s, i, "retracted:");
	return true;
}

static bool earlier(struct place x, struct place y)
{
	return x.pos < y.pos || (x.pos == y.pos && x.in <= y.in);
}

bool acts_redo(struct session *s)
{
	struct place p = acts_here(s);
	bool end = session_done(s);
	struct act a;
	int i;

	if (!s->undone.n) {
		session_say(s, SAY_ERROR, "nothing was taken back that could be done again");
		return false;
	}
	if (!acts_can_go_back(s))
		return false;
	a = VEC_AT(struct act, &s->undone, --s->undone.n);
	a.done = false;
	for (i = 0; i < acts_count(s) && earlier(acts_at(s, i)->place, a.place); i++)
		;
	insert_at(&s->act, i, &a);
	if (!earlier(p, a.place) || end) {
		acts_back_to_step(s, boundary_before(s, a.place));
		s->known = session_step(s);
	}
	replay_to(s, p, end);
	say_replayed(s, "done again:", &a);
	return true;
}

bool acts_reload(struct session *s, struct diag *err)
{
	struct place p = acts_here(s);
	bool end = session_done(s);
	struct trial t;
	int i;

	if (!trial_begin(&t, s->p, err))
		return false;
	acts_drop_states(s);
	trial_keep(&t);
	outlook_forget(s);
	for (i = 0; i < acts_count(s); i++)
		acts_at(s, i)->done = false;
	s->anew = false;
	session_start(s);
	replay_to(s, p, end);
	return true;
}
