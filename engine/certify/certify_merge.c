/* certify_merge.c - merges of views and forms: which places of which classes are one. */
#include "certify/certify_core_in.h"

#include <stdlib.h>
#include <string.h>

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

	if (!ck_pairs(w, op, &r.p) || r.p.ndata || !reading_open(w, &r, op, 1, arg, built))
		return -1;
	reading_set_free(&r, at);
	return ck_expression(w, &r.p, r.slot[0], r.lab, &to, NULL) ? to : -1;
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
		v = ck_words(w, op, 0, &n);
		return place_of(p, arg[0], ck_list_offset((const digit *)v, n / 2, at));
	case K_LAID:
		v = ck_words(w, op, 0, &n);
		if (!ck_form(w, self, &f))
			return place_of(p, self, at);
		to = ck_list_offset((const digit *)(v + 4 + v[1]), v[2], at / f.elements) +
		     ck_list_offset((const digit *)(v + 4 + v[1]) + v[2], v[3], at % f.elements);
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
		const int64_t *v = ck_words(w, op, 0, &len[k]);
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
		int64_t from = ck_list_inverse(d[side], len[side], at), other, n2;
		eg_id y = to;
		if (from < 0)
			return false;
		other = ck_list_offset(d[!side], len[!side], from);
		if (ck_kind(w, eg_node_op(w->g, to)) == K_VIEW && to != core[!side]) {
			const digit *v = (const digit *)ck_words(w, eg_node_op(w->g, to), 0, &n2);
			y = eg_args(w->g, to)[0];
			at = ck_list_offset(v, n2 / 2, at);
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
