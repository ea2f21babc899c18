/* certify_core.c - the small world of one step: what its nodes are worth.
 *
 * A class is what the step knows of it: an opened node is its definition, a
 * built node is what was written; anything else is a random function of the
 * class and the place.  A class that is said to be a view of itself is random,
 * but the same at all places of an orbit.
 */
#include "certify/certify_in.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "core/facts.h"
#include "lift/instruction.h"

/* ---- reading operators */

enum certify_kind ck_kind(const world *w, eg_op op)
{
	static const struct { enum core_kind core; enum certify_kind kind; } t[] = {
		{ C_PARAM, K_PARAM }, { C_NUMBER, K_NUMBER }, { C_TABLE, K_TABLE }, { C_INDEX, K_INDEX }, { C_AT, K_AT },
		{ C_MAP, K_MAP }, { C_SUM, K_SUM }, { C_MUL, K_MUL }, { C_EIN, K_EIN }, { C_RED, K_RED }, { C_LAT, K_LAT },
		{ C_PICK, K_PICK }, { C_OPAQUE, K_OPAQUE }, { C_LOOP, K_LOOP }, { C_VIEW, K_VIEW }, { C_LAID, K_LAID },
	};
	eg_fam f = eg_op_family(w->g, op);
	size_t i;

	for (i = 0; i < sizeof t / sizeof *t; i++)
		if (w->a->fam[t[i].core] == f)
			return t[i].kind;
	return eg_family(w->g, f)->result == w->a->tensor ? K_TENSOR : K_OTHER;
}

const void *ck_value(const world *w, eg_op op, uint32_t k, size_t *n)
{
	uint32_t count;
	const eg_val *v = eg_op_values(w->g, op, &count);

	if (k >= count) {
		*n = 0;
		return NULL;
	}
	return eg_value_bytes(w->g, v[k], n);
}

static const int64_t *words(const world *w, eg_op op, uint32_t k, int64_t *n)
{
	size_t len;
	const int64_t *p = ck_value(w, op, k, &len);

	*n = (int64_t)(len / sizeof *p);
	return p;
}

static const char *text(const world *w, eg_op op, uint32_t k)
{
	size_t n;
	const char *s = ck_value(w, op, k, &n);

	return s ? s : "";
}

int ck_type(const world *w, eg_id n)
{
	enum certify_kind k = ck_kind(w, eg_node_op(w->g, n));
	int64_t len;

	while (k == K_VIEW || k == K_LAID) {
		n = eg_args(w->g, n)[0];
		k = ck_kind(w, eg_node_op(w->g, n));
	}
	return (int)*words(w, eg_node_op(w->g, n), 0, &len);
}

static int64_t list_length(const digit *d, int64_t n)
{
	int64_t t = 1, i;

	for (i = 0; i < n; i++)
		t *= d[i].size;
	return t;
}

/* Offset of place `at` in a list of digits, most significant first. */
static int64_t list_offset(const digit *d, int64_t n, int64_t at)
{
	int64_t i, r = 0;

	for (i = n - 1; i >= 0; i--) {
		r += at % d[i].size * d[i].stride;
		at /= d[i].size;
	}
	return r;
}

struct pairs {			/* a pairing, as its words say (pairing.c) */
	int64_t nfree, nbound, ndata, nslot, ndslot, tail;
	const int64_t *size, *data, *word, *end;
};

static bool read_pairs(const world *w, eg_op op, struct pairs *p)
{
	int64_t n;
	const int64_t *x = words(w, op, 1, &n);

	if (n < 6)
		return false;
	*p = (struct pairs){ x[0], x[1], x[2], x[3], x[4], x[5], x + 6, NULL, NULL, x + n };
	p->data = p->size + p->nfree + p->nbound + p->ndata;
	p->word = p->data + 3 * p->ndata;
	return p->nfree >= 0 && p->nbound >= 0 && p->ndata >= 0 && p->word <= p->end;
}

int64_t ck_len(const world *w, eg_id x)
{
	eg_op op = eg_node_op(w->g, x);
	struct pairs p;
	int64_t n, i, len;
	const int64_t *v;
	form f;

	switch (ck_kind(w, op)) {
	case K_PARAM: return *words(w, op, 1, &n);
	case K_NUMBER: return 1;
	case K_TABLE: words(w, op, 1, &n); return n;
	case K_INDEX: return INT64_MAX;
	case K_VIEW: v = words(w, op, 0, &n); return list_length((const digit *)v, n / 2);
	case K_LAID: case K_TENSOR: return ck_form(w, x, &f) ? f.elements * f.ndev : 0;
	default:
		if (!read_pairs(w, op, &p))
			return 0;
		for (len = p.tail, i = 0; i < p.nfree; i++)
			len *= p.size[i];
		return len;
	}
}

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

	if (k < K_AT || k > K_LOOP || !read_pairs(w, op, &p))
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

static bool defines(const world *w, eg_id n)
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
		if (defines(w, p[i].y))
			add_def(w, p[i].y, p[i].y);
	for (i = 0; i < w->f->nprem; i++)		/* of instructions, those that a rule's pattern found */
		if (p[i].x == p[i].y && ck_kind(w, eg_node_op(w->g, p[i].y)) == K_TENSOR)
			add_def(w, p[i].y, p[i].y);
	for (i = 0; i < w->f->nmade; i++)
		add_def(w, m[i].node, BUILT + i);
	for (i = 0; i < w->f->nprem; i++)
		if (defines(w, p[i].x) && p[i].x != w->f->node)
			add_def(w, p[i].x, p[i].x);
	for (i = 0; i < w->f->nprem; i++)
		if (ck_kind(w, eg_node_op(w->g, p[i].y)) == K_VIEW && p[i].x != p[i].y)
			add_def(w, eg_args(w->g, p[i].y)[0], INVERSE + i);
	if (defines(w, w->f->node))
		add_def(w, w->f->node, w->f->node);
}

/* Numbers the choices of a definition. */
static void count_choices(world *w)
{
	uint32_t i;

	w->choices = 2;
	for (i = 0; i < w->n; i++) {
		struct world_node *q = &w->node[i];
		q->first = w->choices - 2;
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

	if (!read_pairs(w, op, &p) || p.ndata)
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
static bool chosen(const world *w, const struct world_node *q)
{
	return q->ndef && w->choice >= 2 + q->first && w->choice - 2 - q->first <= q->ndef;
}

/* Is it a view of what is being evaluated? */
static bool leads_back(world *w, uint32_t def)
{
	uint32_t r = def & (BUILT | INVERSE) || ck_kind(w, eg_node_op(w->g, def)) != K_VIEW ? NIL : world_find(w, eg_args(w->g, def)[0]);

	return r != NIL && w->node[r].busy;
}

/* The definition in force, or NIL. */
static uint32_t definition(world *w, const struct world_node *q)
{
	uint32_t k = chosen(w, q) ? w->choice - 2 - q->first : 0;

	while (w->views && !chosen(w, q) && k < q->ndef && leads_back(w, q->def[k]))
		k++;
	if (!q->ndef || w->choice == 1 || k == q->ndef)
		return NIL;
	if (!chosen(w, q) && q->def[k] & INVERSE && !(q->def[k] & BUILT))
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
			d = (const digit *)words(w, eg_node_op(w->g, x->def[i]), 0, &len);
			to = list_offset(d, len / 2, seen[k]);
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
static val random_place(world *w, eg_id x, int type, uint64_t key, int64_t at)
{
	uint64_t h = cv_mix(w->seed, key);

	return with_facts(w, x, type, cv_mix(h, w->wild && cv_mix(h, 97) % 3 == 0 ? 0 : (uint64_t)at));
}

static val world_leaf(world *w, eg_id x, int type, int64_t at)
{
	uint32_t i = world_find(w, x);
	const struct world_node *r = i == NIL ? NULL : &w->node[i];

	world_pay(w, 1);
	if (r)
		at = orbit(w, r, at);
	if (r && r->full && cv_int(type))
		return bounded(w, x, type, r->full, cv_mix(cv_mix(w->seed, r->id), (uint64_t)at));
	return random_place(w, x, type, r ? r->id : x, at);
}

/* The core of this name that the step built, or NIL. */
static eg_id named_core(const world *w, const char *name)
{
	const made_node *m = history_made(w->a, w->f);
	uint32_t i;

	for (i = 0; i < w->f->nmade; i++)
		if (ck_kind(w, m[i].op) == K_PARAM && !strcmp(text(w, m[i].op, 2), name))
			return m[i].node;
	return NIL;
}

val world_named(world *w, const char *name, int type, int64_t at)
{
	return random_place(w, named_core(w, name), type, cv_name(name), at);
}

/* ---- nodes by their operators */

static val eval(world *w, eg_op op, uint32_t narg, const eg_id *arg, eg_id self, int64_t at, uint32_t built);

/* An expression of the pairing at the labels' values; the next one's words. */
static const int64_t *expression(world *w, const struct pairs *p, const int64_t *x, const int64_t *lab, int64_t *out, bool *reads)
{
	int64_t nl = p->nfree + p->nbound + p->ndata, k, j, ntab;
	uint64_t r;		/* integers of 64 bits wrap */

	if (x + 2 + nl > p->end) {
		world_fail(w, "a pairing is cut off");
		return NULL;
	}
	r = (uint64_t)*x++;
	for (k = 0; k < nl; k++) {
		r += (uint64_t)x[k] * (uint64_t)lab[k];
		if (reads)
			reads[k] = reads[k] || x[k];
	}
	x += nl;
	ntab = *x++;
	for (k = 0; k < ntab; k++) {
		int64_t n = *x++, q = 0, len;
		size_t bytes;
		const int64_t *v;
		for (j = 0; j < n; j++) {
			q = q * p->size[x[j]] + lab[x[j]];
			if (reads)
				reads[x[j]] = true;
		}
		v = eg_value_bytes(w->g, (eg_val)x[n], &bytes);
		len = (int64_t)(bytes / sizeof *v);
		if (q < 0 || q >= len) {
			world_fail(w, "an index table is read outside");
			return NULL;
		}
		r += (uint64_t)v[q];
		x += n + 1;
	}
	*out = (int64_t)r;
	return x;
}

struct reading {		/* a node's labels at one place */
	struct pairs p;
	const int64_t **slot;	/* the words of each slot's expression */
	int64_t *lab;
	uint32_t narg;
	const eg_id *arg;
	uint32_t built;
};

static val read_slot(world *w, struct reading *r, int64_t k)
{
	int64_t at = 0;

	if (!expression(w, &r->p, r->slot[k], r->lab, &at, NULL))
		return cv_special(V_NAN);
	return world_core(w, r->arg[k], at, r->built);
}

/* Data labels are digits of values; each reads only labels before it. */
static bool data_labels(world *w, struct reading *r)
{
	int64_t first = r->p.nfree + r->p.nbound, j;

	for (j = 0; j < r->p.ndata; j++) {
		const int64_t *d = r->p.data + 3 * j;
		val v;
		if (d[0] < 0 || d[0] >= r->p.ndslot || d[1] < 1 || d[2] < 1)
			return world_fail(w, "a data label of nothing"), false;
		v = read_slot(w, r, r->p.nslot + d[0]);
		if (w->bad || w->cut)
			return false;
		if (v.i < 0 || v.i >= d[2])
			return world_fail(w, "a data digit leaves its range"), false;
		r->lab[first + j] = v.i / d[1] % r->p.size[first + j];
	}
	return true;
}

static bool open_reading(world *w, struct reading *r, eg_op op, uint32_t narg, const eg_id *arg, uint32_t built)
{
	int64_t n, k, nl;
	const int64_t *x;
	int64_t ignore;

	if (!read_pairs(w, op, &r->p) || r->p.nslot + r->p.ndslot != (int64_t)narg)
		return world_fail(w, "a pairing does not fit its operands"), false;
	nl = r->p.nfree + r->p.nbound + r->p.ndata;
	n = r->p.nslot + r->p.ndslot;
	r->slot = ARENA_ARRAY(w->s, const int64_t *, n + 1);
	r->lab = arena_zalloc(w->s, sizeof(int64_t) * (size_t)(nl + 1));
	r->narg = narg;
	r->arg = arg;
	r->built = built;
	for (x = r->p.word, k = 0; k < n; k++) {
		r->slot[k] = x;
		if (!(x = expression(w, &r->p, x, r->lab, &ignore, NULL)))
			return false;
	}
	return true;
}

static void set_free(struct reading *r, int64_t at)
{
	int64_t k;

	for (k = r->p.nfree - 1; k >= 0; k--) {
		r->lab[k] = at % r->p.size[k];
		at /= r->p.size[k];
	}
}

static bool next_bound(struct reading *r)
{
	int64_t k;

	for (k = r->p.nfree + r->p.nbound - 1; k >= r->p.nfree; k--) {
		if (++r->lab[k] < r->p.size[k])
			return true;
		r->lab[k] = 0;
	}
	return false;
}

static val eval_sum(world *w, struct reading *r, eg_op op, int type)
{
	int64_t n, k;
	const rat *c = (const rat *)words(w, op, 2, &n);
	val s = cv_of_int(cv_int(type) ? type : TYPE_REAL, 0), t;

	if (n / 2 != r->p.nslot)
		return world_fail(w, "a sum has not one coefficient per operand");
	if (!data_labels(w, r))
		return s;
	for (k = 0; k < r->p.nslot && world_pay(w, 1); k++) {
		if (c[k].den < 1 || (cv_int(type) && c[k].den != 1))
			return world_fail(w, "a coefficient is no number of the ring");
		t = cv_scale(type, c[k], read_slot(w, r, k));
		s = k ? cv_add(type, s, t) : t;		/* (a zero keeps its sign) */
	}
	return s;
}

static val eval_product(world *w, struct reading *r, eg_op op, int type)
{
	int64_t n, k;
	const int64_t *e = words(w, op, 2, &n);
	int own = cv_int(type) ? type : TYPE_REAL;
	val s = cv_of_int(own, 0), t;
	bool first = true;

	if (n != r->p.nslot)
		return world_fail(w, "a product has not one exponent per operand");
	do {
		if (!data_labels(w, r))
			return s;
		t = cv_of_int(own, 1);
		for (k = 0; k < r->p.nslot && world_pay(w, 1); k++) {
			if (cv_int(type) && e[k] < 0)
				return world_fail(w, "an exponent is no power of the ring");
			t = cv_mul(type, t, cv_pow(type, read_slot(w, r, k), e[k]));
		}
		s = first ? t : cv_add(type, s, t);
		first = false;
	} while (world_pay(w, 1) && next_bound(r));
	return s;
}

static val eval_extreme(world *w, struct reading *r, eg_op op, int type)
{
	const char *fn = text(w, op, 2);
	val s = cv_special(V_NAN), v;
	bool first = true;
	int64_t k;

	do {
		if (!data_labels(w, r))
			return s;
		for (k = 0; k < r->p.nslot && world_pay(w, 1); k++) {
			v = read_slot(w, r, k);
			s = first ? v : cv_reduce(fn, type, s, v);
			first = false;
		}
	} while (world_pay(w, 1) && next_bound(r));
	return s;
}

static val eval_map(world *w, struct reading *r, eg_op op, int type)
{
	val x[8] = { 0 };
	int from[8] = { 0 };
	int64_t k;

	if (r->p.nslot > 8)
		return world_fail(w, "a function of many operands");
	if (!data_labels(w, r))
		return cv_special(V_NAN);
	for (k = 0; k < r->p.nslot && world_pay(w, 1); k++) {
		x[k] = read_slot(w, r, k);
		from[k] = ck_type(w, r->arg[k]);
	}
	return cv_map(text(w, op, 2), type, from, (int)r->p.nslot, x);
}

/* The payload (the last operand) where the first operand is largest, or smallest. */
static val eval_pick(world *w, struct reading *r, eg_op op, int type)
{
	const char *fn = text(w, op, 2);
	val best = cv_special(V_NAN), pay = best, v;
	bool first = true;

	do {
		if (!data_labels(w, r) || r->p.nslot < 2)
			return pay;
		v = read_slot(w, r, 0);
		cv_choose(fn, type, &best, &pay, v, read_slot(w, r, r->p.nslot - 1), first);
		first = false;
	} while (world_pay(w, 2) && next_bound(r));
	return pay;
}

uint64_t opaque_start(const char *name)
{
	return cv_mix(cv_name(name), 0x0bad);
}

val opaque_finish(uint64_t h, int type, int64_t own)
{
	return cv_random(type, cv_mix(h, (uint64_t)own));
}

/* The bound labels that belong to operand k where each has n places of its own: [*lo, *hi). */
static bool own_labels(const struct reading *r, int64_t k, int64_t n, int64_t *lo, int64_t *hi)
{
	int64_t j = r->p.nfree, end = j + r->p.nbound, places;

	for (; k >= 0; k--) {
		*lo = j;
		for (places = 1; j < end && places < n; j++)
			places *= r->p.size[j];
		*hi = j;
		if (places != n)
			return false;
	}
	return true;
}

/* The values of all operands at all places of a row of `tail` places; NULL: too many, or another form. */
static val *row_values(world *w, struct reading *r, int *type, int64_t *n)
{
	int64_t k, j, lo, hi, l, rest;
	val *x;

	*n = r->p.tail;
	if (*n > ORDER_LONGEST)
		return NULL;
	x = ARENA_ARRAY(w->s, val, *n * r->p.nslot);
	for (k = 0; k < r->p.nslot; k++) {
		type[k] = ck_type(w, r->arg[k]);
		if (!own_labels(r, k, *n, &lo, &hi))
			return NULL;
		memset(r->lab + r->p.nfree, 0, sizeof *r->lab * (size_t)r->p.nbound);
		for (j = 0; j < *n && world_pay(w, 1); j++) {
			for (rest = j, l = hi; l-- > lo; rest /= r->p.size[l])
				r->lab[l] = rest % r->p.size[l];
			if (!data_labels(w, r))
				break;
			x[k * *n + j] = read_slot(w, r, k);
		}
	}
	return x;
}

/* A polynomial hash over all bound labels: those an operand does not read are a factor. */
static val eval_opaque(world *w, struct reading *r, eg_op op, int type, int64_t own)
{
	uint64_t h = opaque_start(text(w, op, 2));
	int64_t nl = r->p.nfree + r->p.nbound + r->p.ndata, k, j, first = r->p.nfree, n;
	ck_order order;
	int *from = ARENA_ARRAY(w->s, int, r->p.nslot);
	val *x = ck_order_of(text(w, op, 2), &order) ? row_values(w, r, from, &n) : NULL;

	if (x)
		return ck_ordered(w, &order, (int)r->p.nslot, from, n, x, own);
	for (k = 0; k < r->p.nslot; k++) {
		bool *reads = arena_zalloc(w->s, (size_t)nl + 1);
		uint64_t z = cv_mix(h, (uint64_t)k) % CERTIFY_P, sum = 0, rest = 1;
		bool empty = ck_len(w, r->arg[k]) == 0;
		int64_t *weight = ARENA_ARRAY(w->s, int64_t, nl), at, acc = 1;
		for (j = first + r->p.nbound - 1; j >= first; j--) {
			weight[j] = acc;
			acc *= r->p.size[j];
			r->lab[j] = 0;
		}
		if (!expression(w, &r->p, r->slot[k], r->lab, &at, reads))
			return cv_special(V_NAN);
		for (j = 0; j < r->p.ndata; j++)	/* what data labels read, the slot reads */
			if (reads[first + r->p.nbound + j])
				memset(reads + first, 1, (size_t)r->p.nbound);
		for (j = first; j < first + r->p.nbound; j++)
			if (!reads[j])
				rest = ck_times(rest, ck_geometric(z, weight[j], r->p.size[j]));
		while (!empty) {
			int64_t place = 0;
			val v;
			for (j = first; j < first + r->p.nbound; j++)
				place += weight[j] * r->lab[j];
			if (!data_labels(w, r))
				return cv_special(V_NAN);
			v = read_slot(w, r, k);
			sum = ck_plus(sum, ck_times(cv_hash(v) % CERTIFY_P, ck_power(z, place)));
			if (!world_pay(w, 2))
				return v;
			for (j = first + r->p.nbound - 1; j >= first; j--) {
				if (!reads[j])
					continue;
				if (++r->lab[j] < r->p.size[j])
					break;
				r->lab[j] = 0;
			}
			if (j < first)
				break;
		}
		h = cv_mix(h, ck_times(sum, rest));
	}
	return opaque_finish(h, type, own);
}

static val eval_table(world *w, eg_op op, int64_t at, bool is_pred)
{
	size_t n;
	const double *v = ck_value(w, op, 1, &n);

	if (at < 0 || at >= (int64_t)(n / sizeof *v))
		return world_fail(w, "a table is read outside");
	return is_pred ? cv_of_int(T_PRED, v[at] != 0) : cv_of_double(v[at]);
}

static val eval_number(world *w, eg_op op, bool is_pred)
{
	size_t n;
	number x;
	const void *p = ck_value(w, op, 1, &n);

	if (n != sizeof x)
		return world_fail(w, "a number has another size");
	memcpy(&x, p, sizeof x);
	if (is_pred)
		return cv_of_int(T_PRED, x.r.den ? x.r.num != 0 : x.f != 0);
	return x.r.den ? cv_of_rat(x.r) : cv_of_double(x.f);
}

static val eval_view(world *w, eg_op op, eg_id x, int64_t at, uint32_t built)
{
	int64_t n;
	const digit *d = (const digit *)words(w, op, 0, &n);

	if (at < 0 || at >= list_length(d, n / 2))
		return world_fail(w, "a view is read outside");
	return world_core(w, x, list_offset(d, n / 2, at), built);
}

/* False: it is no leaf, and has operands. */
static bool eval_leaf(world *w, eg_op op, int type, eg_id self, int64_t at, val *v)
{
	switch (ck_kind(w, op)) {
	case K_PARAM:
		*v = random_place(w, self, type, cv_name(text(w, op, 2)), at);
		return true;
	case K_NUMBER:
		*v = eval_number(w, op, type == T_PRED);
		return true;
	case K_TABLE:
		*v = eval_table(w, op, at, type == T_PRED);
		return true;
	case K_INDEX:
		*v = cv_of_int(type, at);
		return true;
	case K_LAID: case K_TENSOR: case K_OTHER:
		*v = world_fail(w, "a tensor stands for a core");
		return true;
	default:
		return false;
	}
}

static val eval(world *w, eg_op op, uint32_t narg, const eg_id *arg, eg_id self, int64_t at, uint32_t built)
{
	enum certify_kind k = ck_kind(w, op);
	struct reading r;
	int64_t n;
	int type;
	arena_mark m = arena_at(w->s);
	val v = cv_special(V_NAN);

	if (!world_pay(w, 1))
		return v;
	if (k == K_VIEW)
		return eval_view(w, op, arg[0], at, built);
	type = (int)*words(w, op, 0, &n);
	if (eval_leaf(w, op, type, self, at, &v))
		return v;
	if (!open_reading(w, &r, op, narg, arg, built))
		return v;
	set_free(&r, at / r.p.tail);
	switch (k) {
	case K_AT:
		if (data_labels(w, &r))
			v = read_slot(w, &r, 0);
		break;
	case K_SUM:
		v = eval_sum(w, &r, op, type);
		break;
	case K_MUL: case K_EIN:
		v = eval_product(w, &r, op, type);
		break;
	case K_RED: case K_LAT:
		v = eval_extreme(w, &r, op, type);
		break;
	case K_MAP:
		v = eval_map(w, &r, op, type);
		break;
	case K_PICK:
		v = eval_pick(w, &r, op, type);
		break;
	default:
		v = eval_opaque(w, &r, op, type, at % r.p.tail);
	}
	arena_reset(w->s, m);
	return v;
}

/* ---- operands */

static val laid_value(world *w, eg_op op, eg_id x, int64_t dev, int64_t at, uint32_t built);

static val eval_built(world *w, uint32_t k, int64_t at)
{
	const made_node *m = history_made(w->a, w->f) + k;

	return eval(w, m->op, m->narg, history_args(w->a, m), m->node, at, k);
}

/* Of an instruction, or of a form, that the step built. */
static val built_tensor(world *w, uint32_t k, int64_t dev, int64_t at)
{
	const made_node *m = history_made(w->a, w->f) + k;

	if (ck_kind(w, m->op) == K_LAID)
		return laid_value(w, m->op, history_args(w->a, m)[0], dev, at, k);
	return tensor_value(w, m->op, m->narg, history_args(w->a, m), dev, at, k);
}

/* A definition that is a symmetry of its own class defines nothing. */
static bool is_symmetry(world *w, uint32_t root, uint32_t def)
{
	return !(def & (BUILT | INVERSE)) && ck_kind(w, eg_node_op(w->g, def)) == K_VIEW && world_find(w, eg_args(w->g, def)[0]) == root;
}

/* The place at which a list of digits reads `to`, or -1. */
static int64_t list_inverse(const digit *d, int64_t n, int64_t to)
{
	int64_t i, at = 0;

	for (i = 0; i < n; i++)
		at = at * d[i].size + (d[i].stride > 0 ? to / d[i].stride % d[i].size : 0);
	return list_offset(d, n, at) == to ? at : -1;
}

static val eval_inverse(world *w, const premise *p, eg_id x, int64_t at)
{
	int64_t n, i;
	const digit *d = (const digit *)words(w, eg_node_op(w->g, p->y), 0, &n);

	i = list_inverse(d, n / 2, at);
	return i < 0 ? world_leaf(w, x, ck_type(w, x), at) : world_core(w, p->x, i, 0);
}

static val eval_definition(world *w, uint32_t d, eg_id x, int64_t at)
{
	if (d & BUILT)
		return eval_built(w, d - BUILT, at);
	if (d & INVERSE)
		return eval_inverse(w, history_premises(w->a, w->f) + (d - INVERSE), x, at);
	return eval(w, eg_node_op(w->g, d), eg_narg(w->g, d), eg_args(w->g, d), d, at, 0);
}

static bool leaf_kind(enum certify_kind k)
{
	return k == K_NUMBER || k == K_TABLE || k == K_INDEX;
}

val world_core(world *w, eg_id x, int64_t at, uint32_t built)
{
	eg_op op = eg_node_op(w->g, x);
	enum certify_kind k = ck_kind(w, op);
	const made_node *m = history_made(w->a, w->f);
	uint32_t i, r;
	val v;

	if (w->bad || w->cut)
		return cv_special(V_NAN);
	if (k != K_INDEX && (at < 0 || at >= ck_len(w, x)))
		return world_fail(w, "an operand is read outside");
	r = world_find(w, x);
	if (leaf_kind(k) && (r == NIL || !chosen(w, &w->node[r])))
		return eval(w, op, 0, NULL, x, at, built);
	for (i = built; i-- > 0; )
		if (m[i].node == x)
			return eval_built(w, i, at);
	if (r != NIL && w->node[r].ndef && !w->node[r].busy) {
		struct world_node *q = &w->node[r];
		uint32_t d = definition(w, q);
		if (d != NIL && !is_symmetry(w, r, d)) {
			q->busy = true;
			v = eval_definition(w, d, x, at);
			q->busy = false;
			return v;
		}
	}
	if ((k == K_PARAM && r == NIL) || leaf_kind(k))
		return eval(w, op, 0, NULL, x, at, built);
	return world_leaf(w, x, ck_type(w, x), at);
}

bool world_knows(world *w, eg_id x)
{
	uint32_t r = world_find(w, x);

	return leaf_kind(ck_kind(w, eg_node_op(w->g, x))) || (r != NIL && w->node[r].ndef && definition(w, &w->node[r]) != NIL);
}

int64_t ck_laid_place(const world *w, eg_op op, int64_t dev, int64_t at)
{
	int64_t n, i, el = 1;
	const int64_t *p = words(w, op, 0, &n);
	const digit *dd, *ld;

	if (n < 4)
		return -1;
	dd = (const digit *)(p + 4 + p[1]);
	ld = dd + p[2];
	for (i = 0; i < p[1]; i++)
		el *= p[4 + i];
	if (list_length(dd, p[2]) != p[0] || list_length(ld, p[3]) != el)
		return -1;
	return list_offset(dd, p[2], dev) + list_offset(ld, p[3], at);
}

static val laid_value(world *w, eg_op op, eg_id x, int64_t dev, int64_t at, uint32_t built)
{
	int64_t place = ck_laid_place(w, op, dev, at);

	if (place < 0)
		return world_fail(w, "a layout does not cover its devices or places");
	return world_core(w, x, place, built);
}

/* What the class of a tensor was opened as; false: as nothing. */
static bool opened_tensor(world *w, uint32_t r, int64_t dev, int64_t at, val *v)
{
	struct world_node *q = r == NIL ? NULL : &w->node[r];
	uint32_t d = q && q->ndef && !q->busy ? definition(w, q) : NIL;
	eg_op op;

	if (d == NIL || d & (BUILT | INVERSE))
		return false;
	op = eg_node_op(w->g, d);
	q->busy = true;
	*v = ck_kind(w, op) == K_LAID ? laid_value(w, op, eg_args(w->g, d)[0], dev, at, 0)
				      : tensor_value(w, op, eg_narg(w->g, d), eg_args(w->g, d), dev, at, 0);
	w->node[r].busy = false;
	return true;
}

val world_tensor(world *w, eg_id t, int64_t dev, int64_t at, uint32_t built)
{
	const made_node *m = history_made(w->a, w->f);
	eg_op op = eg_node_op(w->g, t);
	uint32_t i;
	form f;
	val v;

	if (!world_pay(w, 1))
		return cv_special(V_NAN);
	for (i = built; i-- > 0; )
		if (m[i].node == t)
			return built_tensor(w, i, dev, at);
	if (ck_kind(w, op) == K_LAID)
		return laid_value(w, op, eg_args(w->g, t)[0], dev, at, 0);
	if (opened_tensor(w, world_find(w, t), dev, at, &v))
		return v;
	if (!ck_form(w, t, &f))
		return world_fail(w, "a tensor without a form");
	return world_leaf(w, t, f.type, dev * f.elements + at);
}

val world_own(world *w, eg_id n, int64_t dev, int64_t at)
{
	eg_op op = eg_node_op(w->g, n);

	switch (ck_kind(w, op)) {
	case K_TENSOR:
		return tensor_value(w, op, eg_narg(w->g, n), eg_args(w->g, n), dev, at, 0);
	case K_LAID:
		return laid_value(w, op, eg_args(w->g, n)[0], dev, at, 0);
	default:
		return eval(w, op, eg_narg(w->g, n), eg_args(w->g, n), n, at, 0);
	}
}

val world_result(world *w, uint32_t as, int64_t dev, int64_t at)
{
	const made_node *m = history_made(w->a, w->f);
	eg_id n = w->f->result;

	if (as != NIL) {
		return ck_kind(w, m[as].op) >= K_LAID ? built_tensor(w, as, dev, at) : eval_built(w, as, at);
	}
	if (ck_kind(w, eg_node_op(w->g, n)) >= K_LAID)
		return world_tensor(w, n, dev, at, w->f->nmade);
	return world_core(w, n, at, w->f->nmade);
}

/* ---- merges: element by element */

/* Places of a tensor, slots of their table, and places of a view that are tried. */
enum { PLACES_MAX = 1 << 17, PLACE_SLOTS = 1 << 20, PLACES_TRIED = 200 };

struct place_sets {			/* disjoint sets of (class, place) */
	world *w;
	uint64_t *key;
	uint32_t *up, n, mask, *slot;
	bool full;
};

static uint32_t place_of(struct place_sets *p, eg_id x, int64_t at)
{
	uint32_t r = world_find(p->w, x), i;
	uint64_t k = (uint64_t)(r == NIL ? x + 0x80000000ull : r) << 28 ^ (uint64_t)at;

	for (i = (uint32_t)(k * 0x9e3779b97f4a7c15ull >> 32) & p->mask; p->slot[i] != NIL; i = (i + 1) & p->mask)
		if (p->key[p->slot[i]] == k)
			return p->slot[i];
	if (p->n * 2 > p->mask || at >> 28) {
		p->full = true;
		return 0;
	}
	p->key[p->n] = k;
	p->up[p->n] = p->n;
	return p->slot[i] = p->n++;
}

static uint32_t rep_of(struct place_sets *p, uint32_t i)
{
	while (p->up[i] != i)
		i = p->up[i] = p->up[p->up[i]];
	return i;
}

static void same_place(struct place_sets *p, uint32_t i, uint32_t j)
{
	p->up[rep_of(p, i)] = rep_of(p, j);
}

/* Where a plain reading reads its operand at place `at`; -1: data choose, or it is malformed. */
static int64_t plain_place(world *w, eg_op op, const eg_id *arg, int64_t at, uint32_t built)
{
	struct reading r;
	int64_t to;

	if (!read_pairs(w, op, &r.p) || r.p.ndata || !open_reading(w, &r, op, 1, arg, built))
		return -1;
	set_free(&r, at);
	return expression(w, &r.p, r.slot[0], r.lab, &to, NULL) ? to : -1;
}

int64_t ck_plain_place(world *w, eg_id n, int64_t at)
{
	return plain_place(w, eg_node_op(w->g, n), eg_args(w->g, n), at, 0);
}

/* Where a form, a view or a plain reading reads: the place of its operand; of anything else its own place. */
static uint32_t read_place(struct place_sets *p, eg_op op, const eg_id *arg, eg_id self, int64_t at, uint32_t built)
{
	world *w = p->w;
	int64_t n, to;
	const int64_t *v;
	form f;

	switch (ck_kind(w, op)) {
	case K_VIEW:
		v = words(w, op, 0, &n);
		return place_of(p, arg[0], list_offset((const digit *)v, n / 2, at));
	case K_LAID:
		v = words(w, op, 0, &n);
		if (!ck_form(w, self, &f))
			return place_of(p, self, at);
		to = list_offset((const digit *)(v + 4 + v[1]), v[2], at / f.elements) +
		     list_offset((const digit *)(v + 4 + v[1]) + v[2], v[3], at % f.elements);
		return place_of(p, arg[0], to);
	case K_AT:
		to = plain_place(w, op, arg, at, built);
		return to < 0 ? place_of(p, self, at) : place_of(p, arg[0], to);
	default:
		return place_of(p, self, at);
	}
}

static bool one_to_one(enum certify_kind k)
{
	return k == K_VIEW || k == K_LAID || k == K_AT;
}

static void relate_node(struct place_sets *p, eg_op op, const eg_id *arg, eg_id self, uint32_t built)
{
	int64_t n = ck_len(p->w, self), i;

	if (ck_kind(p->w, op) == K_LAID || !one_to_one(ck_kind(p->w, op)))
		return;
	if (n > PLACES_MAX) {
		p->full = true;
		return;
	}
	for (i = 0; i < n && !p->full; i++)
		same_place(p, place_of(p, self, i), read_place(p, op, arg, self, i, built));
}

static void relate_pair(struct place_sets *p, eg_id x, eg_id y)
{
	const egraph *g = p->w->g;
	int64_t n = ck_len(p->w, x), i;

	if (!one_to_one(ck_kind(p->w, eg_node_op(g, x))) && !one_to_one(ck_kind(p->w, eg_node_op(g, y))))
		return;		/* the classes are one already */
	if (n > PLACES_MAX || n != ck_len(p->w, y)) {
		p->full = true;
		return;
	}
	for (i = 0; i < n && !p->full; i++)
		same_place(p, read_place(p, eg_node_op(g, x), eg_args(g, x), x, i, 0),
			   read_place(p, eg_node_op(g, y), eg_args(g, y), y, i, 0));
}

/* A form has no places of its own. */
static uint32_t own_place(struct place_sets *p, eg_id n, int64_t at)
{
	eg_op op = eg_node_op(p->w->g, n);

	return ck_kind(p->w, op) == K_LAID ? read_place(p, op, eg_args(p->w->g, n), n, at, 0) : place_of(p, n, at);
}

/* The same for large ones, at sampled places: two forms of one class, the one core read through the other. */
static bool sampled_merge(world *w)
{
	const premise *p = history_premises(w->a, w->f);
	eg_id n = w->f->node, to = w->f->result, form[2], core[2];
	const digit *d[2];
	int64_t len[2], i;
	int side, k;

	if (w->f->nprem != 1)
		return false;
	form[0] = p->x;
	form[1] = p->y;
	for (k = 0; k < 2; k++) {
		eg_op op = eg_node_op(w->g, form[k]);
		const int64_t *v = words(w, op, 0, &len[k]);
		if (ck_kind(w, op) == K_LAID) {		/* device digits, then local ones: one list */
			d[k] = (const digit *)(v + 4 + v[1]);
			len[k] = v[2] + v[3];
		} else if (ck_kind(w, op) == K_VIEW) {
			d[k] = (const digit *)v;
			len[k] /= 2;
		} else {
			return false;
		}
		core[k] = eg_args(w->g, form[k])[0];
	}
	side = core[0] == n ? 0 : 1;
	if (core[side] != n)
		return false;
	for (i = 0; i < PLACES_TRIED; i++) {
		int64_t at = i == 0 ? 0 : i == 1 ? ck_len(w, n) - 1 : (int64_t)(cv_mix(7, (uint64_t)i) % (uint64_t)ck_len(w, n));
		int64_t from = list_inverse(d[side], len[side], at), other, n2;
		eg_id y = to;
		if (from < 0)
			return false;
		other = list_offset(d[!side], len[!side], from);
		if (ck_kind(w, eg_node_op(w->g, to)) == K_VIEW && to != core[!side]) {
			const digit *v = (const digit *)words(w, eg_node_op(w->g, to), 0, &n2);
			y = eg_args(w->g, to)[0];
			at = list_offset(v, n2 / 2, at);
		}
		if (y != core[!side] || at != other)
			return false;
	}
	return true;
}

bool world_closure(world *w)
{
	const hist_entry *f = w->f;
	const premise *q = history_premises(w->a, f);
	const made_node *m = history_made(w->a, f);
	uint32_t i, slots = PLACE_SLOTS;
	struct place_sets p = { .w = w, .mask = slots - 1 };
	int64_t n, k;
	bool ok = true;

	p.key = ARENA_ARRAY(w->s, uint64_t, slots / 2 + 2);
	p.up = ARENA_ARRAY(w->s, uint32_t, slots / 2 + 2);
	p.slot = ARENA_ARRAY(w->s, uint32_t, slots);
	memset(p.slot, 0xff, slots * sizeof *p.slot);
	for (i = 0; i < f->nprem; i++) {
		relate_pair(&p, q[i].x, q[i].y);
		relate_node(&p, eg_node_op(w->g, q[i].x), eg_args(w->g, q[i].x), q[i].x, 0);
		relate_node(&p, eg_node_op(w->g, q[i].y), eg_args(w->g, q[i].y), q[i].y, 0);
	}
	for (i = 0; i < f->nmade; i++)
		relate_node(&p, m[i].op, history_args(w->a, &m[i]), m[i].node, i);
	relate_node(&p, eg_node_op(w->g, f->node), eg_args(w->g, f->node), f->node, 0);
	relate_node(&p, eg_node_op(w->g, f->result), eg_args(w->g, f->result), f->result, 0);
	n = ck_len(w, f->node);
	if (n != ck_len(w, f->result))
		return false;
	if (n > PLACES_MAX || p.full)
		return sampled_merge(w);
	for (k = 0; k < n && ok && !p.full && !w->bad; k++) {
		uint32_t x = own_place(&p, f->node, k), y = own_place(&p, f->result, k);
		ok = rep_of(&p, x) == rep_of(&p, y);
	}
	return ok && !p.full && !w->bad;
}
