#include "session/row_map.h"

#include <string.h>
#include "interp/numbers.h"
#include "session/acts.h"

struct digits {
	int n;
	digit *d;
};

struct row_map {
	struct digits dev, loc;
	int64_t ncore;
	int64_t *base_place;	/* per place of the core: one of the baseline's, or NUMBERS_ANY */
};

static int64_t place_of(const struct digits *l, int64_t at)
{
	int64_t sum = 0;
	int k;

	for (k = l->n - 1; k >= 0; k--) {
		sum += at % l->d[k].size * l->d[k].stride;
		at /= l->d[k].size;
	}
	return sum;
}

static struct digits copy_digits(arena *a, int n, const digit *d)
{
	struct digits r = { n, ARENA_ARRAY(a, digit, n) };

	if (n)
		memcpy(r.d, d, sizeof *d * (size_t)n);
	return r;
}

void row_map_index(void *map, int device, int64_t from, int64_t n, int64_t *index)
{
	const struct row_map *m = map;
	int64_t at = place_of(&m->dev, device), k;

	for (k = 0; k < n; k++) {
		int64_t core = at + place_of(&m->loc, from + k);
		index[k] = core < m->ncore ? m->base_place[core] : NUMBERS_ANY;
	}
}

static struct row_map *make_map(arena *a, const layout *base, const layout *dist, int64_t ncore)
{
	struct row_map *m = ARENA_NEW(a, struct row_map);
	struct digits bdev = copy_digits(a, base->nd, base->dev), bloc = copy_digits(a, base->nl, base->loc);
	int64_t k, n = layout_elements(base);

	m->dev = copy_digits(a, dist->nd, dist->dev);
	m->loc = copy_digits(a, dist->nl, dist->loc);
	m->ncore = ncore;
	m->base_place = ARENA_ARRAY(a, int64_t, ncore);
	for (k = 0; k < ncore; k++)
		m->base_place[k] = NUMBERS_ANY;
	for (k = n - 1; k >= 0; k--)
		m->base_place[place_of(&bdev, 0) + place_of(&bloc, k)] = k;
	return m;
}

bool row_map_known(struct session *s, int base, int dist)
{
	const egraph *g = s ? session_problem(s)->p->g : NULL;
	eg_id b = session_cell(s, SIDE_BASE, base), d = session_cell(s, SIDE_DIST, dist);

	return !session_problem(s)->base_in && b != NIL && d != NIL && eg_root(g, eg_args(g, b)[0]) == eg_root(g, eg_args(g, d)[0]);
}

/* The form the chain makes of the baseline's row; NIL and why not. */
static eg_id chain_form(struct session *s, int base, int dist, const char *chain, const char **why)
{
	const egraph *g = session_problem(s)->p->g;
	eg_id b = session_cell(s, SIDE_BASE, base), laid = acts_chain_node(s, base, dist, chain, why);

	if (laid == NIL || eg_root(g, eg_args(g, laid)[0]) == eg_root(g, eg_args(g, b)[0]))
		return laid;
	*why = "only placements can be compared inside: R, S, reshape, transpose, repeat";
	return NIL;
}

struct row_map *row_map_new(struct session *s, arena *a, int base, int dist, const char *chain, const char **relation, const char **why)
{
	algebra *al = &session_problem(s)->p->a;
	trail_mark mark = trail_at(al->tr);
	eg_id b = session_cell(s, SIDE_BASE, base), d;
	struct row_map *map = NULL;
	layout l, m;

	if (session_problem(s)->base_in) {
		*why = "the baseline is a distributed program: only outputs are compared";
		return NULL;
	}
	if (b == NIL) {
		*why = "the baseline's row is not taken up yet";
		return NULL;
	}
	if (!chain && row_map_known(s, base, dist)) {
		*relation = session_relation(s, SIDE_DIST, dist);
		d = session_cell(s, SIDE_DIST, dist);
	} else {
		*relation = chain ? chain : "R";
		d = chain_form(s, base, dist, *relation, why);
	}
	if (d != NIL) {
		l = layout_of(al, b);
		m = layout_of(al, d);
		map = make_map(a, &l, &m, core_len(al, eg_args(al->g, b)[0]));
	}
	trail_undo(al->tr, mark);
	return map;
}
