#include "fault/trips.h"

#include <string.h>
#include "core/constant.h"
#include "relation/describe.h"
#include "relation/state_in.h"

enum { READ_MOST = 1 << 20, BACK_MOST = 4096, SPANS = 3 };

/* The only dimension in which the slice has less than what it is cut from; -1: there is none, or several. */
static int cut_along(const struct row *r, const struct row *o)
{
	int k, d = -1;

	for (k = 0; k < r->rank; k++)
		if (r->dim[k] != o->dim[k]) {
			if (d >= 0)
				return -1;
			d = k;
		}
	return d;
}

struct reading {
	int row, of, dim;	/* the slice, what it is cut from, along which dimension */
	int64_t n, len;		/* places there are, places of a trip */
	int *times;		/* per place: trips that read it */
	bool back;		/* every trip reads before what the trip before read */
};

static bool count(const states *s, struct reading *g, arena *out)
{
	const struct row *r = row_at(s, g->row);
	algebra *a = &s->q->p->a;
	eg_id start = row_at(s, r->op[1 + g->dim])->tensor, cell = start == NIL ? NIL : laid_cell(a, start);
	const double *v = cell == NIL ? NULL : constant_values(a, eg_args(a->g, cell)[0], out);
	holding h = { .map = NULL };
	int64_t t, k, at, last = INT64_MAX;

	if (!v)
		return false;
	h.l = layout_of(a, cell);
	g->times = arena_zalloc(out, sizeof *g->times * (size_t)g->n);
	g->back = true;
	for (t = 0; t < r->trips; t++, last = at) {
		at = (int64_t)v[held_place(&h, t * s->q->ms.ndev, 0)];
		if (at != (int64_t)v[held_place(&h, (t + 1) * s->q->ms.ndev - 1, 0)])
			return false;	/* each device has places of its own */
		at = at < 0 ? 0 : at > g->n - g->len ? g->n - g->len : at;
		for (k = 0; k < g->len; k++)
			g->times[at + k]++;
		g->back = g->back && at < last;
	}
	return true;
}

/* A row of the body that cuts a part of what is the same at every trip. */
static bool reads(const states *s, int row, struct reading *g, arena *out)
{
	const struct row *r = row_at(s, row), *o;

	if (r->inst->opcode != OP_DYNAMIC_SLICE || r->nop != 1 + r->rank || r->trips < 2)
		return false;
	g->row = row;
	g->of = r->op[0];
	if (!strcmp(row_at(s, g->of)->family, "each-trip"))
		g->of = row_at(s, g->of)->op[0];
	o = row_at(s, g->of);
	if (o->trips > 1 || !s->rs[g->of].verified || s->rs[g->of].constant || o->rank != r->rank || (g->dim = cut_along(r, o)) < 0)
		return false;
	g->n = o->dim[g->dim];
	g->len = r->dim[g->dim];
	return r->trips * g->len <= READ_MOST && g->n <= READ_MOST && count(s, g, out);
}

/* The runs of places that so many trips read, at most a few: "rows 0..7, 12". */
static const char *places_read(const struct reading *g, int rank, int times, arena *out)
{
	const char *t = describe_dimension(out, rank, g->dim, 0, NULL);
	int64_t i, j;
	int n = 0;

	for (i = 0; i < g->n; i = j) {
		for (j = i + 1; j < g->n && g->times[j] == g->times[i]; j++)
			;
		if (g->times[i] != times)
			continue;
		if (n++ == SPANS)
			return arena_printf(out, "%s, ..", t);
		t = j == i + 1 ? arena_printf(out, "%s%s %lld", t, n > 1 ? "," : "", (long long)i)
			       : arena_printf(out, "%s%s %lld..%lld", t, n > 1 ? "," : "", (long long)i, (long long)(j - 1));
	}
	return n ? t : NULL;
}

static const char *otherwise_than_once(const states *s, const struct reading *g, arena *out)
{
	int rank = row_at(s, g->of)->rank, most = 0;
	const char *none = places_read(g, rank, 0, out), *often = NULL, *of = row_at(s, g->of)->path;
	int64_t i;

	for (i = 0; i < g->n; i++)
		most = g->times[i] > most ? g->times[i] : most;
	if (most > 1)
		often = places_read(g, rank, most, out);
	if (none && often)
		return arena_printf(out, "no trip reads %s of %%%s, %d trips read %s", none, of, most, often);
	if (none)
		return arena_printf(out, "no trip reads %s of %%%s", none, of);
	if (often)
		return arena_printf(out, "%d trips read %s of %%%s", most, often, of);
	return g->back ? arena_printf(out, "its trips read %%%s from the last place of dimension %d to the first", of, g->dim) : NULL;
}

/* The rows of bodies that it is made of, and those that gather what their trips give. */
static bool *made_of(const states *s, int row, arena *out)
{
	int from = row > BACK_MOST ? row - BACK_MOST : 0, i, k;
	bool *b = arena_zalloc(out, (size_t)(row + 1));

	b[row] = true;
	for (i = row; i >= from; i--)
		for (k = 0; b[i] && k < row_at(s, i)->nop; k++)
			b[row_at(s, i)->op[k]] = b[row_at(s, i)->op[k]] || row_at(s, row_at(s, i)->op[k])->trips > 1 ||
						 row_at(s, row_at(s, i)->op[k])->inst == row_at(s, row)->inst;
	return b;
}

const char *trips_fault(const states *s, int row, arena *out)
{
	const struct row *r = row_at(s, row);
	struct reading g;
	const char *t;
	bool *b;
	int i;

	if (r->inst->opcode != OP_WHILE)
		return NULL;
	if (!strcmp(r->family, "reverse"))
		return arena_printf(out, "its trips write from the last place of dimension %lld to the first", (long long)r->ints[0]);
	b = made_of(s, row, out);
	for (i = row; i >= 0; i--)
		if (b[i] && reads(s, i, &g, out) && (t = otherwise_than_once(s, &g, out)))
			return t;
	return NULL;
}
