/* certify_world.c - the small world of one step: what its nodes are worth.
 *
 * A class is what the step knows of it: an opened node is its definition, a
 * built node is what was written; anything else is a random function of the
 * class and the place.  A class that is said to be a view of itself is random,
 * but the same at all places of an orbit.
 */
#include "certify/certify_core_in.h"

#include <math.h>
#include <string.h>
#include "core/fact_range.h"
#include "core/facts.h"
#include "lift/instruction.h"

/* ---- the world */

val world_fail(world *w, const char *why)
{
	if (!w->bad)
		w->bad = why;
	return cv_special(V_NAN);
}

bool world_pay(world *w, int64_t n)
{
	w->cost += n;
	if (w->cost > w->budget)
		w->cut = true;
	return !w->cut && !w->bad;
}

static uint32_t entry(world *w, eg_id id, bool make)
{
	uint32_t i = id * 0x9e3779b1u & w->mask;

	for (; w->slot[i] != NIL; i = (i + 1) & w->mask)
		if (w->node[w->slot[i]].id == id)
			return w->slot[i];
	if (!make)
		return NIL;
	memset(&w->node[w->n], 0, sizeof *w->node);
	w->node[w->n].id = id;
	w->node[w->n].up = w->n;
	return w->slot[i] = w->n++;
}

static uint32_t top(const world *w, uint32_t i)
{
	while (w->node[i].up != i)
		i = w->node[i].up;
	return i;
}

uint32_t world_find(world *w, eg_id id)
{
	uint32_t i = entry(w, id, false);

	return i == NIL ? NIL : top(w, i);
}

static void add_def(world *w, eg_id of, uint32_t def)
{
	struct world_node *r = &w->node[top(w, entry(w, of, true))];
	uint32_t i;

	for (i = 0; i < r->ndef; i++)
		if (r->def[i] == def)
			return;
	if (r->ndef < DEFS)
		r->def[r->ndef++] = def;
}

/* A data digit is read only below `full`: random leaves stay there. */
static void note_full(world *w, eg_op op, uint32_t narg, const eg_id *arg)
{
	enum certify_kind k = ck_kind(w, op);
	struct pairs p;
	int64_t i;

	if (k < K_AT || k > K_LOOP || !ck_pairs(w, op, &p))
		return;
	for (i = 0; i < p.ndata; i++) {
		int64_t slot = p.nslot + p.data[3 * i], full = p.data[3 * i + 2];
		struct world_node *x;
		if (slot >= narg)
			continue;
		x = &w->node[top(w, entry(w, arg[slot], true))];
		if (!x->full || full < x->full)
			x->full = full;
	}
}

/* Data are read where they may be read: asked where nobody said which nodes there are. */
static void note_data(world *w)
{
	const hist_entry *f = w->f;
	const premise *p = history_premises(w->a, f);
	const made_node *m = history_made(w->a, f);
	uint32_t i;

	note_full(w, eg_node_op(w->g, f->node), eg_narg(w->g, f->node), eg_args(w->g, f->node));
	for (i = 0; i < f->nprem; i++) {
		note_full(w, eg_node_op(w->g, p[i].x), eg_narg(w->g, p[i].x), eg_args(w->g, p[i].x));
		note_full(w, eg_node_op(w->g, p[i].y), eg_narg(w->g, p[i].y), eg_args(w->g, p[i].y));
	}
	for (i = 0; i < f->nmade; i++)
		note_full(w, m[i].op, m[i].narg, history_args(w->a, &m[i]));
}

bool world_defines(const world *w, eg_id n)
{
	enum certify_kind k = ck_kind(w, eg_node_op(w->g, n));

	return k != K_OTHER && k != K_TENSOR;
}

static void join(world *w, eg_id x, eg_id y)
{
	uint32_t i = top(w, entry(w, x, true)), j = top(w, entry(w, y, true));

	if (i != j)
		w->node[i].up = j;
}

/* Entries that a step may need. */
static uint32_t room_of(const world *w)
{
	const premise *p = history_premises(w->a, w->f);
	const made_node *m = history_made(w->a, w->f);
	uint32_t i, room = 2 * w->f->nprem + 4 * w->f->nmade + 16;

	for (i = 0; i < w->f->nprem; i++)
		room += eg_narg(w->g, p[i].y) + eg_narg(w->g, p[i].x);
	for (i = 0; i < w->f->nmade; i++)
		room += 2 * m[i].narg;
	return room + eg_narg(w->g, w->f->node) + eg_narg(w->g, w->f->result);
}

static void make_room(world *w)
{
	uint32_t room = room_of(w), slots = 64;

	while (slots < 2 * room)
		slots *= 2;
	w->node = ARENA_ARRAY(w->s, struct world_node, room);
	w->slot = ARENA_ARRAY(w->s, uint32_t, slots);
	memset(w->slot, 0xff, slots * sizeof *w->slot);
	w->mask = slots - 1;
}

/* What the step takes for equal. */
static void join_premises(world *w)
{
	const premise *p = history_premises(w->a, w->f);
	const made_node *m = history_made(w->a, w->f);
	uint32_t i, k;

	for (i = 0; i < w->f->nprem; i++)
		join(w, p[i].x, p[i].y);
	for (i = 0; i < w->f->nmade; i++)	/* what was found in the table was first written with equal arguments */
		for (k = 0; k < m[i].narg; k++)
			if (eg_args(w->g, m[i].node)[k] != history_args(w->a, &m[i])[k])
				join(w, eg_args(w->g, m[i].node)[k], history_args(w->a, &m[i])[k]);
}

/* By what a class may be evaluated, the best first. */
static void add_definitions(world *w)
{
	const premise *p = history_premises(w->a, w->f);
	const made_node *m = history_made(w->a, w->f);
	uint32_t i;

	for (i = 0; i < w->f->nprem; i++)
		if (world_defines(w, p[i].y))
			add_def(w, p[i].y, p[i].y);
	for (i = 0; i < w->f->nprem; i++)		/* of instructions, those that a rule's pattern found */
		if (p[i].x == p[i].y && ck_kind(w, eg_node_op(w->g, p[i].y)) == K_TENSOR)
			add_def(w, p[i].y, p[i].y);
	for (i = 0; i < w->f->nmade; i++)
		add_def(w, m[i].node, BUILT + i);
	for (i = 0; i < w->f->nprem; i++)
		if (world_defines(w, p[i].x) && p[i].x != w->f->node)
			add_def(w, p[i].x, p[i].x);
	for (i = 0; i < w->f->nprem; i++)
		if (ck_kind(w, eg_node_op(w->g, p[i].y)) == K_VIEW && p[i].x != p[i].y)
			add_def(w, eg_args(w->g, p[i].y)[0], INVERSE + i);
	if (world_defines(w, w->f->node))
		add_def(w, w->f->node, w->f->node);
}

/* Numbers the choices of a definition. */
static void count_choices(world *w)
{
	uint32_t i;

	w->choices = CHOICE_OTHER;
	for (i = 0; i < w->n; i++) {
		struct world_node *q = &w->node[i];
		q->first = w->choices;
		if (q->up == i && q->ndef)
			w->choices += q->ndef + 1;
	}
}

static bool about_extremes(const world *w, eg_op op)
{
	switch (ck_kind(w, op)) {
	case K_LAT: case K_RED: case K_NUMBER: case K_PARAM: case K_AT: case K_VIEW:
		return true;
	default:
		return false;
	}
}

/* Does the step read and build largest and least values alone? */
static bool only_extremes(const world *w)
{
	const made_node *m = history_made(w->a, w->f);
	const premise *p = history_premises(w->a, w->f);
	uint32_t i;

	for (i = 0; i < w->f->nprem; i++)
		if (!about_extremes(w, eg_node_op(w->g, p[i].x)) || !about_extremes(w, eg_node_op(w->g, p[i].y)))
			return false;
	for (i = 0; i < w->f->nmade; i++)
		if (!about_extremes(w, m[i].op))
			return false;
	return about_extremes(w, eg_node_op(w->g, w->f->node));
}

void world_open(world *w, const algebra *a, const hist_entry *f, bool facts, arena *s)
{
	memset(w, 0, sizeof *w);
	w->a = a;
	w->g = a->g;
	w->f = f;
	w->facts = facts;
	w->s = s;
	make_room(w);
	join_premises(w);
	add_definitions(w);
	if (!w->facts)
		note_data(w);
	count_choices(w);
	w->extremes = only_extremes(w);
}

/* No table in any index expression, no data. */
static bool reads_lines(const world *w, eg_op op)
{
	struct pairs p;
	const int64_t *x;
	int64_t k, nl;

	if (!ck_pairs(w, op, &p) || p.ndata)
		return false;
	nl = p.nfree + p.nbound;
	for (x = p.word, k = 0; k < p.nslot; k++, x += nl + 2)
		if (x + nl + 2 > p.end || x[nl + 1])
			return false;
	return true;
}

static bool reads_digits(const world *w, eg_op op, bool views)
{
	enum certify_kind k = ck_kind(w, op);

	if (views)
		return k == K_VIEW;
	return k == K_VIEW || k == K_LAID || ((k == K_AT || k == K_SUM || k == K_MUL || k == K_EIN) && reads_lines(w, op));
}

bool world_of_digits(world *w, bool views)
{
	const made_node *m = history_made(w->a, w->f);
	uint32_t i, k, n;

	w->views = views;
	for (i = 0; i < w->n; i++) {
		struct world_node *q = &w->node[i];
		for (k = n = 0; k < q->ndef; k++) {
			uint32_t d = q->def[k];
			if (d & INVERSE || reads_digits(w, d & BUILT ? m[d & ~BUILT].op : eg_node_op(w->g, d), views))
				q->def[n++] = d;
		}
		q->ndef = n;
	}
	for (i = 0; i < w->f->nmade; i++)
		if (!reads_digits(w, m[i].op, views))
			return false;
	return views ? ck_kind(w, eg_node_op(w->g, w->f->node)) < K_LAID : reads_digits(w, eg_node_op(w->g, w->f->node), false);
}

/* All operands have the extents of the result: it is taken place by place. */
static bool by_places(const world *w, eg_op op, uint32_t narg, const eg_id *arg)
{
	const eg_signature *s = eg_family(w->g, eg_op_family(w->g, op));
	form x;
	size_t own;
	const int64_t *dim = ck_value(w, op, 1, &own);
	uint32_t k;

	if (ck_kind(w, op) != K_TENSOR || !instruction_by_places(s->name) || !narg)
		return false;
	for (k = 0; k < narg; k++) {
		if (!ck_form(w, arg[k], &x) || (size_t)(x.rank + 1) * sizeof *dim != own || x.ndev != dim[0] ||
		    memcmp(x.dim, dim + 1, own - sizeof *dim))
			return false;
	}
	return true;
}

static bool is_instruction(const world *w, eg_id n)
{
	return ck_kind(w, eg_node_op(w->g, n)) == K_TENSOR;
}

/* Forms and cores, whatever of the step says what they are, may read their operands elsewhere. */
bool world_of_places(const world *w)
{
	const made_node *m = history_made(w->a, w->f);
	const premise *p = history_premises(w->a, w->f);
	uint32_t i;

	if (!is_instruction(w, w->f->result))
		return false;
	for (i = 0; i < w->f->nprem; i++)
		if (!is_instruction(w, p[i].x) || !is_instruction(w, p[i].y) ||
		    (p[i].x == p[i].y && !by_places(w, eg_node_op(w->g, p[i].y), eg_narg(w->g, p[i].y), eg_args(w->g, p[i].y))))
			return false;
	for (i = 0; i < w->f->nmade; i++)
		if (!by_places(w, m[i].op, m[i].narg, history_args(w->a, &m[i])))
			return false;
	return by_places(w, eg_node_op(w->g, w->f->node), eg_narg(w->g, w->f->node), eg_args(w->g, w->f->node));
}

/* Is it this class's turn to take another definition than the first? */
bool world_chosen(const world *w, const struct world_node *q)
{
	return q->ndef && w->choice >= q->first && w->choice - q->first <= q->ndef;
}

/* Is it a view of what is being evaluated? */
static bool leads_back(world *w, uint32_t def)
{
	uint32_t r = def & (BUILT | INVERSE) || ck_kind(w, eg_node_op(w->g, def)) != K_VIEW ? NIL : world_find(w, eg_args(w->g, def)[0]);

	return r != NIL && w->node[r].busy;
}

/* The definition in force, or NIL. */
uint32_t world_definition(world *w, const struct world_node *q)
{
	uint32_t k = world_chosen(w, q) ? w->choice - q->first : 0;

	while (w->views && !world_chosen(w, q) && k < q->ndef && leads_back(w, q->def[k]))
		k++;
	if (!q->ndef || w->choice == CHOICE_NONE || k == q->ndef)
		return NIL;
	if (!world_chosen(w, q) && w->choice != CHOICE_BACK && q->def[k] & INVERSE && !(q->def[k] & BUILT))
		return NIL;
	return q->def[k];
}

/* ---- leaves */

/* The least place of an orbit under the symmetries the step knows. */
static int64_t orbit(world *w, const struct world_node *x, int64_t at)
{
	int64_t *seen, n = 0, k, least = at;
	uint32_t i;
	bool any = false;

	for (i = 0; i < x->ndef; i++)
		any = any || (!(x->def[i] & (BUILT | INVERSE)) && ck_kind(w, eg_node_op(w->g, x->def[i])) == K_VIEW &&
			      world_find(w, eg_args(w->g, x->def[i])[0]) == (uint32_t)(x - w->node));
	if (!any)
		return at;
	seen = ARENA_ARRAY(w->s, int64_t, 256);
	seen[n++] = at;
	for (k = 0; k < n; k++)
		for (i = 0; i < x->ndef; i++) {
			int64_t len, to, j;
			const digit *d;
			if (x->def[i] & (BUILT | INVERSE) || ck_kind(w, eg_node_op(w->g, x->def[i])) != K_VIEW)
				continue;
			d = (const digit *)ck_words(w, eg_node_op(w->g, x->def[i]), 0, &len);
			to = ck_list_offset(d, len / 2, seen[k]);
			for (j = 0; j < n && seen[j] != to; j++)
				;
			if (j == n && n < 256)
				seen[n++] = to;
			if (to < least)
				least = to;
		}
	return least;
}

/* A random integer that is below n and not less than facts say of its class. */
static val bounded(const world *w, eg_id x, int type, int64_t n, uint64_t h)
{
	int64_t lo = x == NIL ? 0 : fact_least_shown((algebra *)w->a, x);

	if (lo < 0 || lo >= n)
		lo = 0;
	return cv_of_int(type, lo + (int64_t)(h % (uint64_t)(n - lo)));
}

/* What facts say of a class holds for its random values. */
static val with_facts(world *w, eg_id x, int type, uint64_t h)
{
	uint32_t known = x == NIL ? 0 : facts_of(w->a, x);
	val v = cv_random(type, h);

	if (!cv_real(type)) {
		int64_t range = x == NIL || type == T_PRED || !cv_int(type) ? 0 : fact_range_shown((algebra *)w->a, x);
		if (range > 0)
			return bounded(w, x, type, range, h);
		return w->sign && cv_int(type) && type != T_PRED ? cv_of_int(type, w->sign > 0 ? (int64_t)(h % 8) : (int64_t)(h % 5) - 2) : v;
	}
	if (w->wild && !(known & FACT_FINITE)) {
		uint64_t k = cv_mix(h, 99) % 8;
		if (k == 0 && !(known & FACT_NONNEG))
			return cv_special(V_MINUS);
		if (k == 1 && !(known & FACT_BELOW))
			return cv_special(V_PLUS);
		if (k == 2 && !(known & FACT_BELOW))
			return cv_special(V_NAN);
	}
	if (w->wild && w->extremes && cv_mix(h, 96) % 8 == 0 && cv_greatest(type) > 0)
		v = cv_of_double(copysign(cv_greatest(type), v.d));
	if (w->wild && cv_mix(h, 98) % 4 == 0 && !(known & (FACT_POSITIVE | FACT_NONZERO)))
		return cv_of_int(TYPE_REAL, 0);
	if (known & (FACT_NONNEG | FACT_POSITIVE) ? v.d < 0 : v.d * w->sign < 0)
		v = cv_of_double(-v.d);
	return v;
}

/* A row that is infinite, zero or masked throughout is too rare to be met place by place: sometimes all places are one. */
val world_random(world *w, eg_id x, int type, uint64_t key, int64_t at)
{
	uint64_t h = cv_mix(w->seed, key);

	return with_facts(w, x, type, cv_mix(h, w->wild && cv_mix(h, 97) % 3 == 0 ? 0 : (uint64_t)at));
}

val world_leaf(world *w, eg_id x, int type, int64_t at)
{
	uint32_t i = world_find(w, x);
	const struct world_node *r = i == NIL ? NULL : &w->node[i];

	world_pay(w, 1);
	if (r)
		at = orbit(w, r, at);
	if (r && r->full && cv_int(type))
		return bounded(w, x, type, r->full, cv_mix(cv_mix(w->seed, r->id), (uint64_t)at));
	return world_random(w, x, type, r ? r->id : x, at);
}

/* The core of this name that the step built, or NIL. */
static eg_id named_core(const world *w, const char *name)
{
	const made_node *m = history_made(w->a, w->f);
	uint32_t i;

	for (i = 0; i < w->f->nmade; i++)
		if (ck_kind(w, m[i].op) == K_PARAM && !strcmp(ck_text(w, m[i].op, 2), name))
			return m[i].node;
	return NIL;
}

val world_named(world *w, const char *name, int type, int64_t at)
{
	return world_random(w, named_core(w, name), type, cv_name(name), at);
}
