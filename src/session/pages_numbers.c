/* The page of numbers: what the selected pair of rows holds on every device. */
#include <stdlib.h>
#include <string.h>
#include "session/divergence.h"
#include "session/pages.h"
#include "session/session_in.h"
#include "session/values.h"

enum { MOST_ROWS = 200, MOST_COLUMNS = 64, CELL = 12 };
enum { ROWS_BEFORE = 1, ROWS_NEAR = 8, COLUMNS_BEFORE = 2, COLUMNS_NEAR = 12 };	/* around an element that was asked for */

struct matrix {
	struct session *s;
	struct page *p;
	const row *r;
	const tensor *t;
	const int64_t *global;	/* per place the baseline's, or NULL: of the baseline itself */
	const tensor *base;	/* to compare with; NULL: nothing is compared */
	double near;		/* difference that rounding explains */
	int64_t element;	/* of the baseline's row, in brackets */
	bool asked;		/* .. a person asked for it: only what lies around it is shown */
	bool looked_at;		/* the element has been met on this page */
};

/* The part of a tensor that is shown: rows and columns of its matrices, one below the other. */
struct window {
	int64_t row, end, col, last;	/* first ones, and those behind the last */
	int64_t focus;			/* row to be looked at, or -1 */
};

static int64_t global_of(const struct matrix *m, int64_t k)
{
	return m->global ? m->global[k] : k;
}

static bool differs(const struct matrix *m, int64_t k)
{
	int64_t g = global_of(m, k);
	double x, y, d;

	if (!m->base || !m->global || g < 0 || g >= m->base->n)
		return false;
	x = values_number(m->t, k);
	y = values_number(m->base, g);
	d = x > y ? x - y : y - x;
	return !(x == y || (x != x && y != y) || d <= m->near);
}

/* Brackets around the element, `!` behind what differs: a terminal may have no colour. */
static void put_cell(struct matrix *m, int64_t k)
{
	bool here = global_of(m, k) == m->element && (m->global || m->t == m->base), bad = differs(m, k);

	page_more(m->p, bad ? PG_REFUTED : here ? PG_HERE : PG_NORMAL, "%c%*.4g%c", here ? '[' : ' ', CELL - 3, values_number(m->t, k),
		  here ? ']' : bad ? '!' : ' ');
}

static void put_columns(struct matrix *m, const struct window *w, int64_t n)
{
	int64_t k;

	page_add(m->p, PG_DIM, "%-6s", "place");
	for (k = w->col; k < w->last; k++)
		page_more(m->p, PG_DIM, "%*lld ", CELL - 2, (long long)k);
	if (w->last - w->col < n)
		page_more(m->p, PG_DIM, " of %lld", (long long)n);
}

/* Which matrix of a tensor of more dimensions: "[0, 3, :, :]". */
static void put_block(struct matrix *m, int64_t block)
{
	int64_t i[16], at = block;
	int k;

	for (k = m->r->rank - 3; k >= 0; k--) {
		i[k] = at % m->r->dim[k];
		at /= m->r->dim[k];
	}
	page_more(m->p, PG_DIM, "[");
	for (k = 0; k < m->r->rank - 2; k++)
		page_more(m->p, PG_DIM, "%lld, ", (long long)i[k]);
	page_more(m->p, PG_DIM, ":, :]");
}

static int64_t least(int64_t x, int64_t y)
{
	return x < y ? x : y;
}

/* All of it from the beginning, as far as is shown of any; or what lies around place `at`. */
static struct window window_of(const struct matrix *m, int64_t cols, int64_t rows, int64_t at)
{
	int64_t all = m->t->n / cols, row = at / cols, col = at % cols, block = row - row % rows;

	if (at < 0)
		return (struct window){ 0, least(all, MOST_ROWS), 0, least(cols, MOST_COLUMNS), -1 };
	row = row - ROWS_BEFORE < block ? block : row - ROWS_BEFORE;
	col = col < COLUMNS_BEFORE ? 0 : col - COLUMNS_BEFORE;
	return (struct window){ row, least(block + rows, row + ROWS_NEAR), col, least(cols, col + COLUMNS_NEAR), at / cols };
}

/* `at`: the place around which it is shown, or -1. */
static void put_tensor(struct matrix *m, int64_t at)
{
	int rank = m->r->rank;
	int64_t cols = rank ? m->r->dim[rank - 1] : 1, rows = rank > 1 ? m->r->dim[rank - 2] : 1, k, c;
	struct window w;

	if (!m->t->n || rank > 16)
		return;
	w = window_of(m, cols, rows, at);
	if (rank > 2 && at >= 0) {
		page_more(m->p, PG_NORMAL, "  ");
		put_block(m, w.row / rows);
	}
	put_columns(m, &w, cols);
	for (k = w.row; k < w.end; k++) {
		if (rank > 2 && at < 0 && k % rows == 0) {
			page_add(m->p, PG_DIM, "%s", "");
			put_block(m, k / rows);
		}
		page_add(m->p, k == w.focus ? PG_HERE : PG_DIM, "%5lld ", (long long)(k % rows));
		for (c = w.col; c < w.last; c++)
			put_cell(m, k * cols + c);
		if (k == w.focus && !m->looked_at) {
			page_here(m->p);
			m->looked_at = true;
		}
	}
	if (at < 0 && k < m->t->n / cols)
		page_add(m->p, PG_DIM, "%lld of %lld rows", (long long)k, (long long)(m->t->n / cols));
}

/* The place of a device's tensor that the element is at, or where no relation says so, the one with the same indices; -1: none. */
static int64_t place_on(const struct matrix *m, const row *b)
{
	int64_t k, at = 0, rest = m->element, i[16];
	int d;

	for (k = 0; m->global && k < m->t->n; k++)
		if (m->global[k] == m->element)
			return k;
	if (m->global || b->rank != m->r->rank || b->rank > 16)
		return -1;
	for (d = b->rank - 1; d >= 0; rest /= b->dim[d--])
		i[d] = rest % b->dim[d];
	for (d = 0; d < b->rank; d++) {
		if (i[d] >= m->r->dim[d])
			return -1;
		at = at * m->r->dim[d] + i[d];
	}
	return at;
}

/* Where the element is, on every device, and what it is there. */
static void put_element(struct matrix *m, const row *b, const row *d, int64_t *const *index, int dist)
{
	char at[200];
	int dev, ndev = values_devices(m->s->values, SIDE_DIST), shown = 0;
	int64_t k;

	values_place_text(b, m->element, at, sizeof at);
	page_add(m->p, PG_HEADING, "element %s = %.9g", at, values_number(m->base, m->element));
	for (dev = 0; dev < ndev && index; dev++)
		for (k = 0; k < row_elements(d) && shown < 16; k++)
			if (index[dev][k] == m->element) {
				double x = values_number(values_of(m->s->values, SIDE_DIST, dist, dev), k);
				values_place_text(d, k, at, sizeof at);
				page_more(m->p, x == values_number(m->base, m->element) ? PG_NORMAL : PG_REFUTED, ", device %d %s = %.9g", dev,
					  at, x);
				shown++;
			}
}

static int64_t **indices(arena *a, struct row_map *map, int ndev, int64_t n)
{
	int64_t **index = ARENA_ARRAY(a, int64_t *, ndev);
	int dev;

	for (dev = 0; dev < ndev; dev++) {
		index[dev] = ARENA_ARRAY(a, int64_t, n);
		row_map_index(map, dev, 0, n, index[dev]);
	}
	return index;
}

static double tolerance_of(const tensor *t)
{
	double most = 0, x;
	int64_t k;

	for (k = 0; k < t->n; k++) {
		x = values_number(t, k);
		x = x < 0 ? -x : x;
		if (x > most && x <= 1.7e308)
			most = x;
	}
	return 1e-6 * most;
}

/* What it is, where no relation says place by place which element is which: by the proof, a multiple of a baseline value
 * included, or else by its numbers. */
static void put_likeness(struct session *s, struct page *p, int dist)
{
	const row_state *x = state_of(session_states(s), dist);
	char name[600];
	const char *chain;
	int b;

	if (x->verified || x->kind == STATE_SCALED) {
		page_add(p, PG_RELATION, "%s: not compared place by place", session_relation(s, SIDE_DIST, dist));
		return;
	}
	b = values_like(s->values, dist, &chain);
	if (b < 0)
		page_add(p, PG_UNVERIFIED, "no relation is known; its numbers are no baseline row's in any placement");
	else
		page_add(p, PG_RELATION, "by its numbers it is %s %s%s", session_name(s, SIDE_BASE, b, name, sizeof name), chain,
			 divergence_meaning(s, b, dist));
}

/* The first place that differs where it is known which is which, else the first of all. */
static int64_t first_difference(struct matrix *m, const row *d, int dist, int64_t *const *index)
{
	int dev, ndev = values_devices(m->s->values, SIDE_DIST);
	int64_t k;

	for (dev = 0; dev < ndev && index; dev++) {
		m->t = values_of(m->s->values, SIDE_DIST, dist, dev);
		m->global = index[dev];
		for (k = 0; m->t && k < row_elements(d); k++)
			if (differs(m, k))
				return index[dev][k];
	}
	return 0;
}

static void put_baseline(struct matrix *m, int base)
{
	m->t = m->base;
	m->r = &m->s->p->base->row[base];
	m->global = NULL;
	page_add(m->p, PG_HEADING, "baseline %%%s", m->r->path);
	put_tensor(m, m->asked ? m->element : -1);
}

static void put_device(struct matrix *m, const row *b, const row *d, int dist, int dev, int64_t *const *index)
{
	int64_t at = -1;

	m->t = values_of(m->s->values, SIDE_DIST, dist, dev);
	m->r = d;
	m->global = index ? index[dev] : NULL;
	page_add(m->p, PG_HEADING, "device %d", dev);
	if (m->t && m->asked)
		at = place_on(m, b);
	if (m->t && m->asked && at < 0)
		page_more(m->p, PG_DIM, index ? "  does not hold the element" : "  has nothing at these indices");
	else if (m->t)
		put_tensor(m, at);
}

static void put_pair(struct session *s, struct page *p, int base, int dist, arena *tmp)
{
	const row *b = base < 0 ? NULL : &s->p->base->row[base], *d = &s->p->dist->row[dist];
	struct matrix m = { .s = s, .p = p, .base = values_of(s->values, SIDE_BASE, base, 0) };
	bool known = m.base && row_map_known(s, base, dist);
	const char *relation = "", *why;
	struct row_map *map = known ? row_map_new(s, tmp, base, dist, NULL, &relation, &why) : NULL;
	int ndev = values_devices(s->values, SIDE_DIST), dev;
	int64_t **index = map ? indices(tmp, map, ndev, row_elements(d)) : NULL;
	char name[600], of[600];

	session_name(s, SIDE_DIST, dist, name, sizeof name);
	page_add(p, PG_NAME, "%s", name);
	if (known)
		page_more(p, PG_RELATION, " = %s of %s", relation, session_name(s, SIDE_BASE, base, of, sizeof of));
	page_more(p, PG_DIM, "  (%s, seed %llu", numbers_kind_name(values_kind(s->values)), (unsigned long long)values_seed(s->values));
	if (values_in_loop(s->values, SIDE_DIST, dist) && values_trip(s->values) < 0)
		page_more(p, PG_DIM, ", last trip");
	else if (values_in_loop(s->values, SIDE_DIST, dist))
		page_more(p, PG_DIM, ", trip %lld", (long long)values_trip(s->values));
	page_more(p, PG_DIM, ")");
	if (!known)
		put_likeness(s, p, dist);
	if (m.base && m.base->n) {
		m.near = tolerance_of(m.base);
		m.asked = s->element_row == base && s->element < m.base->n;
		m.element = m.asked ? s->element : first_difference(&m, d, dist, index);
		put_element(&m, b, d, index, dist);
	}
	if (m.asked && !index)		/* it is known where the element is in the baseline alone */
		put_baseline(&m, base);
	for (dev = 0; dev < ndev; dev++)
		put_device(&m, b, d, dist, dev, index);
	if (m.base && (index || !m.asked))
		put_baseline(&m, base);
}

void page_of_NUMBERS(struct session *s, struct page *p)
{
	int dist = s->sel.row[SIDE_DIST], base;
	arena tmp;

	p->empty = !s->values ? "`numbers` runs both programs and shows what the selected pair holds"
		   : dist < 0 ? "no instruction of DIST is selected" : "it has no numbers here: it is complex, the first device does not take its branch, or the loop has no such trip";
	if (!s->values || dist < 0 || !values_of(s->values, SIDE_DIST, dist, 0))
		return;
	arena_init(&tmp);
	base = session_counterpart(s, SIDE_DIST, dist);
	if (base < 0)
		base = session_nearest(s, dist);
	put_pair(s, p, base, dist, &tmp);
	arena_free(&tmp);
}
