#include "core/normal.h"

#include <stdlib.h>
#include <string.h>

struct link {
	eg_id from;
	uint32_t next;
};

#define OF(m, n) VEC_AT(standing, &(m)->standing, n)
#define HEAD(m, r) OF(m, r).head
#define NORM(m, r) OF(m, r).norm
#define STEP(m, n) OF(m, n).step
#define INTO(m, n) OF(m, n).into
#define ORIGIN(m, n) OF(m, n).origin
#define PENDING(m, n) OF(m, n).pending

/* ---- the worklist */

static void heap_push(normal *m, uint32_t n)
{
	uint32_t i = m->nheap++, up;

	if (i == m->heapcap) {
		m->heapcap = m->heapcap ? 2 * m->heapcap : 1024;
		m->heap = realloc(m->heap, sizeof *m->heap * m->heapcap);
		if (!m->heap) {
			die_hook("out of memory");
			return;
		}
	}
	for (; i; i = up) {
		up = (i - 1) / 2;
		if (m->heap[up] <= n)
			break;
		m->heap[i] = m->heap[up];
	}
	m->heap[i] = n;
}

static void heap_pop(normal *m)
{
	uint32_t last = m->heap[--m->nheap], i = 0, c;

	for (; (c = 2 * i + 1) < m->nheap; i = c) {
		if (c + 1 < m->nheap && m->heap[c + 1] < m->heap[c])
			c++;
		if (m->heap[c] >= last)
			break;
		m->heap[i] = m->heap[c];
	}
	if (m->nheap)
		m->heap[i] = last;
}

static void undo_ask(void *ctx, uint32_t n)
{
	normal *m = ctx;

	PENDING(m, n) = 0;
	m->npending--;
}

static void undo_unask(void *ctx, uint32_t n)
{
	normal *m = ctx;

	PENDING(m, n) = 1;
	m->npending++;
	heap_push(m, n);
}

struct limit {
	const uint8_t *outside;
	uint32_t n;
};

void normal_limit(algebra *a, const uint8_t *outside, uint32_t n)
{
	normal *m = a->normal;

	if (outside)
		*(struct limit *)vec_push(&m->limit) = (struct limit){ outside, n };
	trail_set32(a->tr, &m->limit_at, outside ? m->limit.n : 0);
}

bool normal_outside(const algebra *a, eg_id n)
{
	const normal *m = a->normal;
	const struct limit *l = m->limit_at ? &VEC_AT(struct limit, &m->limit, m->limit_at - 1) : NULL;

	return l && n < l->n && l->outside[n];
}

void normal_ask(algebra *a, eg_id n)
{
	normal *m = a->normal;

	if (PENDING(m, n) || normal_outside(a, n))
		return;
	PENDING(m, n) = 1;
	m->npending++;
	trail_call(a->tr, m->undo_ask, n);
	heap_push(m, n);
}

static void unask(algebra *a, eg_id n)
{
	normal *m = a->normal;

	PENDING(m, n) = 0;
	m->npending--;
	trail_call(a->tr, m->undo_unask, n);
}

/* What is compared as instances of one expression is smaller than so many classes, and is read by fewer operands. */
enum { SKELETONS = 256, SKELETON_READS = 1 << 12 };

/* n's skeleton by its operands as they are now. Has it changed for those who read n's class? Sums and extrema, which
 * compare skeletons, are asked. */
static bool skeleton_anew(algebra *a, eg_id n)
{
	enum core_kind k = core_kind(a, n);

	if (k >= C_TENSOR || !core_skeleton_anew(a, n))
		return false;
	if (k == C_SUM || k == C_LAT)
		normal_ask(a, n);
	return normal_node(a, n) == n;
}

/* The skeletons of the users of a class, and of theirs where they change.  Not again where a class reads itself, as
 * while x = 1 x is being made one: that would never come to an end. */
static void skeletons_anew(algebra *a, eg_id root)
{
	eg_id todo[SKELETONS];
	eg_use u;
	bool more;
	uint32_t reads = 0;
	int i, n = 1;

	todo[0] = root;
	for (i = 0; i < n; i++)
		for (more = eg_use_first(a->g, todo[i], &u); more && n < SKELETONS && reads < SKELETON_READS; more = eg_use_next(a->g, &u)) {
			reads += eg_narg(a->g, u.owner);
			if (skeleton_anew(a, u.owner) && eg_root(a->g, u.owner) != todo[i])
				todo[n++] = eg_root(a->g, u.owner);
		}
}

void normal_ask_users(algebra *a, eg_id root)
{
	eg_use u;
	bool more;

	for (more = eg_use_first(a->g, root, &u); more; more = eg_use_next(a->g, &u))
		normal_ask(a, u.owner);
}

bool normal_idle(const algebra *a)
{
	return a->normal->npending == 0;
}

static bool see(normal *m, eg_id n)
{
	uint32_t *s = &VEC_AT(uint32_t, &m->seen, n);

	if (*s == m->seen_stamp)
		return false;
	*s = m->seen_stamp;
	return true;
}

/* Steps of a chain that are looked along for what waits: the order of the work depends on it, nothing else. */
enum { WAITING_LOOK = 1000 };

/* The least pending node on the chain of an operand of n that was not passed yet, or NIL. */
static eg_id pending_operand(algebra *a, eg_id n)
{
	normal *m = a->normal;
	const eg_id *arg = eg_current(a->g, n);
	uint32_t i, narg = eg_narg(a->g, n);
	eg_id best = NIL, x;
	int guard;

	for (i = 0; i < narg; i++)
		for (x = HEAD(m, arg[i]), guard = 0; x != NIL && guard < WAITING_LOOK; x = STEP(m, x).to, guard++)
			if (PENDING(m, x) && x < best && VEC_AT(uint32_t, &m->seen, x) != m->seen_stamp)
				best = x;
	return best;
}

eg_id normal_take(algebra *a)
{
	normal *m = a->normal;
	eg_id n, x;

	if (!m->npending)
		return NIL;
	while (m->heap[0] >= eg_nnode(a->g) || !PENDING(m, m->heap[0]))
		heap_pop(m);
	n = m->heap[0];
	m->seen_stamp++;
	see(m, n);
	while ((x = pending_operand(a, n)) != NIL) {
		see(m, x);
		n = x;
	}
	unask(a, n);
	return n;
}

/* ---- heads and normal nodes */

eg_id normal_head(const algebra *a, eg_id x)
{
	return HEAD(a->normal, eg_root(a->g, x));
}

uint64_t normal_age(const algebra *a, eg_id x)
{
	return eg_root(a->g, x);
}

const step *normal_step(const algebra *a, eg_id n)
{
	return &STEP(a->normal, n);
}

bool normal_in_chain(algebra *a, eg_id start, eg_id n)
{
	eg_id behind = start;	/* left where the walk was at the last power of two: a chain that runs in a circle comes back to it */
	uint64_t k, power = 1;

	for (k = 1; start != NIL && start != n; k++) {
		a->s.cells++;
		start = STEP(a->normal, start).to;
		if (start == behind)
			break;
		if (k == power) {
			behind = start;
			power *= 2;
		}
	}
	return start == n && n != NIL;
}

/* End of the chain of steps; a chain that runs in a circle ends before it closes. */
static eg_id chain_end(const algebra *a, eg_id n)
{
	normal *m = a->normal;

	m->seen_stamp++;
	see(m, n);
	while (STEP(m, n).to != NIL && see(m, STEP(m, n).to))
		n = STEP(m, n).to;
	return n;
}

eg_id normal_end(const algebra *a, eg_id x)
{
	return NORM(a->normal, eg_root(a->g, x));
}

eg_id normal_node(const algebra *a, eg_id x)
{
	normal *m = a->normal;
	eg_id r = eg_root(a->g, x), n = NORM(m, r), best, k;

	if (core_kind(a, n) != C_VIEW)
		return n;
	m->seen_stamp++;
	for (best = k = HEAD(m, r); k != NIL && see(m, k); k = STEP(m, k).to)
		if (core_kind(a, k) != C_VIEW)
			best = k;
	return best;
}

eg_id normal_pretend(algebra *a, eg_id x, eg_id y)
{
	eg_id *n = &NORM(a->normal, eg_root(a->g, x)), was = *n;

	*n = y;
	return was;
}

enum { CLOSED_TERMS = 4 };

bool normal_opens(const algebra *a, eg_id o, eg_id n)
{
	eg_id r = eg_root(a->g, o), own = eg_root(a->g, n);
	const eg_id *arg = eg_current(a->g, o);
	uint32_t i, k = eg_narg(a->g, o);

	if (r == own || (a->closed && core_kind(a, o) == C_SUM && k > CLOSED_TERMS))
		return false;
	for (i = 0; i < k; i++)
		if (arg[i] == r || arg[i] == own)
			return false;
	return true;
}

/* Made by a lift or an act, or the result of the step of a node that is current. */
static bool normal_current(algebra *a, eg_id n)
{
	normal *m = a->normal;
	arena_mark mk = arena_at(&a->s.a);
	eg_id *todo = NULL;
	int nt = 0, cap = 0;
	bool yes = false;
	uint32_t l;

	if (ORIGIN(m, n))
		return true;
	if (INTO(m, n) == NIL)
		return false;
	m->seen_stamp++;
	see(m, n);
	for (;;) {
		for (l = INTO(m, n); l != NIL; l = VEC_AT(struct link, &m->link, l).next) {
			eg_id from = VEC_AT(struct link, &m->link, l).from;
			if (!see(m, from))
				continue;
			a->s.cells++;
			if (ORIGIN(m, from)) {
				yes = true;
				break;
			}
			if (nt == cap) {
				eg_id *more = arena_alloc(&a->s.a, sizeof *more * (size_t)(2 * cap + 16));
				if (nt)
					memcpy(more, todo, sizeof *more * (size_t)nt);
				todo = more;
				cap = 2 * cap + 16;
			}
			todo[nt++] = from;
		}
		if (yes || !nt)
			break;
		n = todo[--nt];
	}
	arena_reset(&a->s.a, mk);
	return yes;
}

static eg_id oldest(algebra *a, eg_id r)
{
	eg_id n = r, first = NIL, current = NIL;

	do {
		if (n < first)
			first = n;
		if (n < current && normal_current(a, n))
			current = n;
		n = eg_next_in_class(a->g, n);
	} while (n != r);
	return current != NIL ? current : first;
}

static bool reads_itself(const algebra *a, eg_id n, eg_id r)
{
	const eg_id *arg = eg_current(a->g, n);
	uint32_t i, k = eg_narg(a->g, n);

	for (i = 0; i < k; i++)
		if (arg[i] == r)
			return true;
	return false;
}

/* Where the chain ends at a node that reads its own class (y = [p] y: nothing can open it), the end of the chain of
 * the oldest member that does not. */
static eg_id sound_end(const algebra *a, eg_id r, eg_id end)
{
	eg_id n = r, best = NIL, e, found = end;

	if (core_kind(a, end) == C_VIEW || !reads_itself(a, end, r))
		return end;
	do {
		if (n < best && core_kind(a, n) != C_VIEW && !reads_itself(a, n, r)) {
			e = chain_end(a, n);
			if (core_kind(a, e) != C_VIEW && eg_root(a->g, e) == r && !reads_itself(a, e, r)) {
				best = n;
				found = e;
			}
		}
		n = eg_next_in_class(a->g, n);
	} while (n != r);
	return found;
}

/* May readers of a class see another skeleton when its normal node is n after it was old?  Of a view they see the node
 * before it, which may be another. */
static bool skeletons_part(const algebra *a, eg_id n, eg_id old)
{
	return core_kind(a, n) == C_VIEW || core_kind(a, old) == C_VIEW || core_of(a, n)->skeleton != core_of(a, old)->skeleton;
}

static void renormal(algebra *a, eg_id r)
{
	normal *m = a->normal;
	eg_id n = sound_end(a, r, chain_end(a, HEAD(m, r))), old = NORM(m, r);

	if (n != old) {
		trail_set32(a->tr, &NORM(m, r), n);
		normal_ask_users(a, r);
	}
	if (skeletons_part(a, n, old))
		skeletons_anew(a, r);
}

/* What a head makes current may be what makes another node the head: a class whose head turns that often keeps it. */
enum { TURNS_MOST = 16 };

static void rehead_class(algebra *a, eg_id r)
{
	normal *m = a->normal;
	uint32_t *turns = &VEC_AT(standing, &m->standing, r).turns;
	eg_id h = *turns < TURNS_MOST ? oldest(a, r) : HEAD(m, r);

	if (h == HEAD(m, r))
		return;
	trail_set32(a->tr, turns, *turns + 1);
	trail_set32(a->tr, &HEAD(m, r), h);
	normal_ask_users(a, r);
	renormal(a, r);
}

/* Where chains run in a circle or spread: so many nodes are looked at, the first of them with what they lead to. */
enum { REHEAD_OPEN = 64, REHEAD_SPREAD = 200 };

/* Heads along the chains of steps from n: what was current may no longer be, and the reverse. */
static void rehead(algebra *a, int n, const eg_id *start)
{
	normal *m = a->normal;
	eg_id todo[REHEAD_OPEN];
	int nt = 0, i, seen = 0;

	for (i = 0; i < n; i++)
		if (start[i] != NIL)
			todo[nt++] = start[i];
	while (nt) {
		eg_id t = todo[--nt];
		const step *s = &STEP(m, t);
		rehead_class(a, eg_root(a->g, t));
		if (s->to == NIL || nt + 2 > REHEAD_OPEN || ++seen > REHEAD_SPREAD)
			continue;
		if (eg_root(a->g, s->to) != eg_root(a->g, t) || !normal_in_chain(a, s->to, t))
			todo[nt++] = s->to;
		if (s->inner != NIL && s->inner != t)
			todo[nt++] = s->inner;
	}
}

void normal_origin(algebra *a, eg_id n)
{
	normal *m = a->normal;

	if (ORIGIN(m, n))
		return;
	trail_set32(a->tr, &ORIGIN(m, n), 1);
	rehead(a, 1, &n);
}

void normal_made_origins(algebra *a)
{
	uint32_t i;

	for (i = 0; i < a->made.n; i++)
		normal_origin(a, VEC_AT(made_node, &a->made, i).node);
}

void normal_firing_origins(algebra *a, uint32_t firing)
{
	const hist_entry *f = history_at(a, firing);
	const made_node *m = history_made(a, f);
	uint32_t i;

	for (i = 0; i < f->nmade; i++)
		normal_origin(a, m[i].node);
}

/* ---- steps */

static void link_into(algebra *a, eg_id from, eg_id to)
{
	normal *m = a->normal;
	struct link *l = trail_push(a->tr, &m->link);

	l->from = from;
	l->next = INTO(m, to);
	trail_set32(a->tr, &INTO(m, to), m->link.n - 1);
}

static void unlink_from(algebra *a, eg_id from, eg_id to)
{
	normal *m = a->normal;
	uint32_t *p = &INTO(m, to);

	while (*p != NIL && VEC_AT(struct link, &m->link, *p).from != from)
		p = &VEC_AT(struct link, &m->link, *p).next;
	if (*p != NIL)
		trail_set32(a->tr, p, VEC_AT(struct link, &m->link, *p).next);
}

static void put_step(algebra *a, eg_id n, const step *s)
{
	normal *m = a->normal;
	step *old = &STEP(m, n);

	if (old->to != NIL) {
		unlink_from(a, n, old->to);
		if (old->inner != NIL)
			unlink_from(a, n, old->inner);
	}
	trail_set32(a->tr, &old->to, s->to);
	trail_set32(a->tr, &old->rule, s->rule);
	trail_set32(a->tr, &old->inner, s->inner);
	if (s->to != NIL) {
		link_into(a, n, s->to);
		if (s->inner != NIL)
			link_into(a, n, s->inner);
	}
}

void normal_clear_step(algebra *a, eg_id n)
{
	step none = { NIL, NIL, NIL }, old = STEP(a->normal, n);
	eg_id was[2] = { old.to, old.inner };

	if (old.to == NIL)
		return;
	put_step(a, n, &none);
	rehead(a, 2, was);
	renormal(a, eg_root(a->g, n));
}

/* The firing that gives n the step; both sides become equal. */
void normal_set_step(algebra *a, eg_id n, const step *new, uint32_t rule)
{
	step old = STEP(a->normal, n);
	eg_id touched[4] = { old.to, old.inner, new->to, new->inner };

	if (old.to == new->to && old.inner == new->inner && old.rule == new->rule)
		return;
	put_step(a, n, new);
	if (old.to != new->to) {
		uint32_t f = history_log(a, rule, n, new->to);
		eg_set_firing(a->g, f);
		if (eg_root(a->g, n) != eg_root(a->g, new->to))
			eg_union(a->g, n, new->to, EG_RULE, f);
	}
	rehead(a, 4, touched);
	renormal(a, eg_root(a->g, n));
}

/* ---- what the e-graph tells */

void normal_added(algebra *a, eg_id n)
{
	normal *m = a->normal;

	HEAD(m, n) = n;
	NORM(m, n) = n;
	if (m->seen.n <= n)
		vec_push(&m->seen);
	normal_ask(a, n);
}

/* Somebody's operand gets another head: the users of the side that changes are asked. */
void normal_merging(algebra *a, eg_id winner, eg_id loser)
{
	normal *m = a->normal;
	eg_id hw = HEAD(m, winner), hl = HEAD(m, loser), h = hw < hl ? hw : hl;
	bool cw = normal_current(a, hw), cl = normal_current(a, hl);

	if (cw != cl)
		h = cw ? hw : hl;
	if (h != hw)
		normal_ask_users(a, winner);
	if (h != hl)
		normal_ask_users(a, loser);
	m->turned = h != hw && skeletons_part(a, NORM(m, loser), NORM(m, winner));
	trail_set32(a->tr, &NORM(m, winner), h == hw ? NORM(m, winner) : NORM(m, loser));
	trail_set32(a->tr, &HEAD(m, winner), h);
}

/* Forms and views of a class look at each other when it grows; readers of a symmetric class are asked. */
void normal_merged(algebra *a, eg_id winner, eg_id loser)
{
	normal *m = a->normal;
	eg_id n = winner;
	bool symmetric = false;

	(void)loser;
	do {
		enum core_kind k = core_kind(a, n);
		if (k == C_VIEW || k == C_LAID)
			normal_ask(a, n);
		if (k == C_VIEW && eg_current(a->g, n)[0] == winner)
			symmetric = true;
		n = eg_next_in_class(a->g, n);
	} while (n != winner);
	if (symmetric)
		normal_ask_users(a, winner);
	if (m->turned)
		skeletons_anew(a, winner);
	renormal(a, winner);
}

void normal_rekeyed(algebra *a, eg_id user)
{
	normal_ask(a, user);
	if (skeleton_anew(a, user))
		skeletons_anew(a, eg_root(a->g, user));
}

void normal_init(algebra *a)
{
	static const standing fresh = { .head = NIL, .norm = NIL, .hop = NIL, .step = { NIL, NIL, NIL }, .into = NIL };
	normal *m = a->normal = calloc(1, sizeof *m);

	if (!m) {
		die_hook("out of memory");
		return;
	}
	vec_init(&m->standing, sizeof(standing));
	vec_init(&m->link, sizeof(struct link));
	vec_init(&m->seen, sizeof(uint32_t));
	vec_init(&m->limit, sizeof(struct limit));
	eg_column(a->g, &m->standing, &fresh);
	m->undo_ask = trail_register(a->tr, undo_ask, m);
	m->undo_unask = trail_register(a->tr, undo_unask, m);
	history_init(a, &m->log);
}

void normal_free(algebra *a)
{
	normal *m = a->normal;

	vec_free(&m->standing);
	vec_free(&m->link);
	vec_free(&m->seen);
	vec_free(&m->limit);
	history_free(&m->log);
	free(m->heap);
	free(m);
}
