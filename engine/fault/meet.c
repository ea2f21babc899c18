#include "fault/meet.h"

#include <stdlib.h>
#include <string.h>
#include "core/work.h"
#include "relation/places.h"
#include "relation/state_in.h"

#define PAIRS_MAX ((int64_t)1 << 15)

typedef struct meets {
	int64_t n, (*v)[2];	/* each once, in rising order */
} meets;

static int by_place(const void *x, const void *y)
{
	const int64_t *p = x, *q = y;

	return p[0] != q[0] ? (p[0] > q[0]) - (p[0] < q[0]) : (p[1] > q[1]) - (p[1] < q[1]);
}

static void each_once(meets *m)
{
	int64_t i, n = 0;

	qsort(m->v, (size_t)m->n, sizeof *m->v, by_place);
	for (i = 0; i < m->n; i++)
		if (!n || memcmp(m->v[n - 1], m->v[i], sizeof *m->v))
			memcpy(m->v[n++], m->v[i], sizeof *m->v);
	m->n = n;
}

/* Where a slot is read, as a place of the row that names its operand. */
static ix *row_place(const states *s, const slot *t)
{
	scratch *z = &s->q->p->a.s;
	digit *flat = ARENA_NEW(&z->a, digit);
	int64_t *len = ARENA_NEW(&z->a, int64_t);
	layout l;

	places_shape(s, t->x, &l, flat, len);
	return ix_norm(z, places_of_row(&s->q->p->a, &l, t->e));
}

static void list(const states *s, eg_id n, const int *slot, meets *m)
{
	algebra *a = &s->q->p->a;
	work *w = work_open(a, n);
	ix *e[2] = { row_place(s, &w->slot[slot[0]]), row_place(s, &w->slot[slot[1]]) };
	label **l;
	int nl = ix_union(&a->s, e[0], e[1], &l), k;
	int64_t *v[2], i;

	for (k = 0; k < nl && !labels_data(1, &l[k]); k++)
		;
	for (m->n = k == nl, k = 0; k < nl && m->n <= PAIRS_MAX; k++)
		m->n *= l[k]->n;
	if (!m->n || m->n > PAIRS_MAX)
		stuck(&a->s, "too many places to list");
	v[0] = ix_values(&a->s, e[0], nl, l);
	v[1] = ix_values(&a->s, e[1], nl, l);
	m->v = arena_alloc(&a->s.a, sizeof *m->v * (size_t)m->n);
	for (i = 0; i < m->n; i++) {
		m->v[i][0] = v[0][i];
		m->v[i][1] = v[1][i];
	}
	each_once(m);
}

/* The first pair of x that y has not, -1: none. */
static int64_t first_odd(const meets *x, const meets *y)
{
	int64_t i, k = 0;

	for (i = 0; i < x->n; i++) {
		while (k < y->n && by_place(y->v[k], x->v[i]) < 0)
			k++;
		if (k == y->n || memcmp(y->v[k], x->v[i], sizeof *x->v))
			return i;
	}
	return -1;
}

static int64_t partner(const meets *m, int64_t at)
{
	int64_t i;

	for (i = 0; i < m->n && m->v[i][0] != at; i++)
		;
	return i < m->n ? m->v[i][1] : -1;
}

static bool apart(const states *s, eg_id n, eg_id other, meeting *out)
{
	meets x, y;
	int64_t i;

	list(s, n, out->slot, &x);
	list(s, other, out->slot, &y);
	out->wanting = (i = first_odd(&x, &y)) < 0;
	if (out->wanting && (i = first_odd(&y, &x)) < 0)
		return false;
	memcpy(out->at, (out->wanting ? &y : &x)->v[i], sizeof out->at);
	out->due = partner(out->wanting ? &x : &y, out->at[0]);
	return true;
}

static bool guarded(const states *s, eg_id n, eg_id other, meeting *out)
{
	if (setjmp(s->q->p->a.s.out))
		return false;
	return apart(s, n, other, out);
}

static void shapes(const states *s, eg_id n, meeting *m, arena *a)
{
	struct place_reader r = places_begin(s, n);
	int k;

	for (k = 0; k < 2; k++) {
		struct places p = places_of_slot(&r, m->slot[k], a);
		m->rank[k] = p.rank;
		m->dim[k] = p.dim;
	}
	places_end(&r);
}

bool meet_first(const states *s, eg_id n, eg_id other, meeting *out, arena *a)
{
	algebra *g = &s->q->p->a;
	arena_mark m = arena_at(&g->s.a);
	bool found = false;
	int nslot = pairing_read(g, n).nslot, i, k;		/* operands that only say places are not read at any */

	if (pairing_read(g, other).nslot != nslot)
		return false;
	for (i = 0; i < nslot && !found; i++)
		for (k = i + 1; k < nslot && !found; k++) {
			*out = (meeting){ .slot = { i, k } };
			found = guarded(s, n, other, out);
			arena_reset(&g->s.a, m);
		}
	if (found)
		shapes(s, n, out, a);
	return found && out->rank[0] && out->rank[1];
}

static const int64_t *places(const states *s, eg_id n, int k)
{
	algebra *a = &s->q->p->a;
	work *w = work_open(a, n);
	ix **zero = ARENA_ARRAY(&a->s.a, ix *, w->nbound);
	ix *e = row_place(s, &w->slot[k]);
	int i;

	for (i = 0; i < w->nbound; i++)
		zero[i] = ix_const(&a->s, 0);
	e = ix_norm(&a->s, ix_subst(&a->s, e, w->nbound, w->bound, zero));
	return w->tail == 1 ? ix_values(&a->s, e, w->nfree, w->free) : NULL;
}

static const int64_t *guarded_places(const states *s, eg_id n, int k)
{
	if (setjmp(s->q->p->a.s.out))
		return NULL;
	return places(s, n, k);
}

const int64_t *meet_places(const states *s, eg_id n, int k, arena *out)
{
	algebra *a = &s->q->p->a;
	arena_mark m = arena_at(&a->s.a);
	int64_t len = core_len(a, n), *v = NULL;
	const int64_t *p = len > PAIRS_MAX || k >= pairing_read(a, n).nslot ? NULL : guarded_places(s, n, k);

	if (p)
		v = memcpy(ARENA_ARRAY(out, int64_t, len), p, sizeof *v * (size_t)len);
	arena_reset(&a->s.a, m);
	return v;
}
