/* The page of numbers: what the selected pair of rows holds on every device. */
#include <stdlib.h>
#include <string.h>
#include "divergence.h"
#include "pages.h"
#include "session_in.h"
#include "values.h"

enum { MOST_ROWS = 200, MOST_COLUMNS = 64, CELL = 12 };

struct matrix {
	struct session *s;
	struct page *p;
	const row *r;
	const tensor *t;
	const int64_t *global;	/* per place the baseline's, or NULL: of the baseline itself */
	const tensor *base;	/* to compare with; NULL: nothing is compared */
	double near;		/* difference that rounding explains */
	bool looked_at;		/* the element has been met on this page */
	int lines;
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
	bool here = global_of(m, k) == m->s->element && (m->global || m->base), bad = differs(m, k);

	page_more(m->p, bad ? PG_REFUTED : here ? PG_HERE : PG_NORMAL, "%c%*.4g%c", here ? '[' : ' ', CELL - 3, values_number(m->t, k),
		  here ? ']' : bad ? '!' : ' ');
	if (here && m->s->element_asked && !m->looked_at) {
		page_here(m->p);
		m->looked_at = true;
	}
}

static void put_columns(struct matrix *m, int64_t n)
{
	int64_t k;

	page_add(m->p, PG_DIM, "%-6s", "place");
	for (k = 0; k < n && k < MOST_COLUMNS; k++)
		page_more(m->p, PG_DIM, "%*lld ", CELL - 2, (long long)k);
	if (n > MOST_COLUMNS)
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
	page_add(m->p, PG_DIM, "[");
	for (k = 0; k < m->r->rank - 2; k++)
		page_more(m->p, PG_DIM, "%lld, ", (long long)i[k]);
	page_more(m->p, PG_DIM, ":, :]");
}

static void put_tensor(struct matrix *m)
{
	int rank = m->r->rank;
	int64_t cols = rank ? m->r->dim[rank - 1] : 1, rows = rank > 1 ? m->r->dim[rank - 2] : 1, k, c;

	if (!m->t->n || rank > 16)
		return;
	m->lines = 0;
	put_columns(m, cols);
	for (k = 0; k < m->t->n / cols && m->lines < MOST_ROWS; k++, m->lines++) {
		if (rank > 2 && k % rows == 0)
			put_block(m, k / rows);
		page_add(m->p, PG_DIM, "%5lld ", (long long)(k % rows));
		for (c = 0; c < cols && c < MOST_COLUMNS; c++)
			put_cell(m, k * cols + c);
	}
	if (k < m->t->n / cols)
		page_add(m->p, PG_DIM, "%lld of %lld rows", (long long)k, (long long)(m->t->n / cols));
}

/* Where the element is, on every device, and what it is there. */
static void put_element(struct matrix *m, const row *b, const row *d, int64_t *const *index, int dist)
{
	char at[200];
	int dev, ndev = values_devices(m->s->values, SIDE_DIST), shown = 0;
	int64_t k;

	values_place_text(b, m->s->element, at, sizeof at);
	page_add(m->p, PG_HEADING, "element %s = %.9g", at, values_number(m->base, m->s->element));
	for (dev = 0; dev < ndev && index; dev++)
		for (k = 0; k < row_elements(d) && shown < 16; k++)
			if (index[dev][k] == m->s->element) {
				double x = values_number(values_of(m->s->values, SIDE_DIST, dist, dev), k);
				values_place_text(d, k, at, sizeof at);
				page_more(m->p, x == values_number(m->base, m->s->element) ? PG_NORMAL : PG_REFUTED, ", device %d %s = %.9g", dev,
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
	if (m.base) {
		m.near = tolerance_of(m.base);
		if (s->element >= m.base->n)
			s->element = 0;
		if (m.base->n)
			put_element(&m, b, d, index, dist);
	}
	for (dev = 0; dev < ndev; dev++) {
		m.t = values_of(s->values, SIDE_DIST, dist, dev);
		m.r = d;
		m.global = index ? index[dev] : NULL;
		page_add(p, PG_HEADING, "device %d", dev);
		if (m.t)
			put_tensor(&m);
	}
	if (m.base) {
		m.t = m.base;
		m.r = b;
		m.global = NULL;
		page_add(p, PG_HEADING, "baseline %s", session_name(s, SIDE_BASE, base, of, sizeof of));
		put_tensor(&m);
	}
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
