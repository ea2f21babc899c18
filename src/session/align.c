#include "session/align.h"

#include <stdlib.h>
#include <string.h>
#include "util/hash.h"

struct aligner {
	arena *tmp;
	const uint64_t *bkey, *dkey;
	const int *counterpart;	/* rows of dist where it is not -1 are like nothing else */
	int *mate;		/* per row of dist: the row of base beside it, or -1 */
};

struct gap {
	int b0, b1, d0, d1;
};

/* ---- longest increasing subsequence of mate[d] over d in [d0, d1) with mate >= 0; others are set to -1.
 * Of several with the same mate it is the first: the product, not the sum over devices of its parts behind it. */

static void keep_increasing(arena *tmp, int *mate, int n)
{
	arena_mark m = arena_at(tmp);
	int *tail = ARENA_ARRAY(tmp, int, n), *prev = ARENA_ARRAY(tmp, int, n), len = 0, i, at;
	bool *keep = arena_zalloc(tmp, (size_t)n + 1);

	for (i = 0; i < n; i++) {
		int lo = 0, hi = len;
		if (mate[i] < 0)
			continue;
		if (len && mate[tail[len - 1]] < mate[i])	/* nearly always */
			lo = hi;
		while (lo < hi) {
			int mid = (lo + hi) / 2;
			if (mate[tail[mid]] < mate[i])
				lo = mid + 1;
			else
				hi = mid;
		}
		if (lo < len && mate[tail[lo]] == mate[i])
			continue;
		prev[i] = lo ? tail[lo - 1] : -1;
		tail[lo] = i;
		if (lo == len)
			len++;
	}
	for (at = len ? tail[len - 1] : -1; at >= 0; at = prev[at])
		keep[at] = true;
	for (i = 0; i < n; i++)
		if (mate[i] >= 0 && !keep[i])
			mate[i] = -1;
	arena_reset(tmp, m);
}

/* ---- names that occur once on both sides of a gap */

struct once {
	uint64_t key;
	int b, d;		/* the row, -1: none, -2: several */
};

static struct once *slot_of(struct once *table, uint32_t mask, uint64_t key)
{
	uint32_t i = (uint32_t)(key ^ key >> 32) & mask;

	while (table[i].key && table[i].key != key)
		i = (i + 1) & mask;
	if (!table[i].key)
		table[i] = (struct once){ key, -1, -1 };
	return &table[i];
}

static void match_unique(struct aligner *w, struct gap g)
{
	arena_mark m = arena_at(w->tmp);
	int n = g.b1 - g.b0 + g.d1 - g.d0, i;
	uint32_t size = 16;
	struct once *table;

	while (size < 2 * (uint32_t)n)
		size *= 2;
	table = arena_zalloc(w->tmp, sizeof *table * size);
	for (i = g.b0; i < g.b1; i++) {
		struct once *o = slot_of(table, size - 1, w->bkey[i]);
		o->b = o->b == -1 ? i : -2;
	}
	for (i = g.d0; i < g.d1; i++)
		if (w->counterpart[i] == -1) {
			struct once *o = slot_of(table, size - 1, w->dkey[i]);
			o->d = o->d == -1 ? i : -2;
		}
	for (i = 0; i < (int)size; i++)
		if (table[i].key && table[i].b >= 0 && table[i].d >= 0)
			w->mate[table[i].d] = table[i].b;
	keep_increasing(w->tmp, w->mate + g.d0, g.d1 - g.d0);
	arena_reset(w->tmp, m);
}

/* ---- Myers */

static bool same(const struct aligner *w, int b, int d)
{
	return w->counterpart[d] == -1 && w->bkey[b] == w->dkey[d];
}

/* The furthest reaching paths of every number of differences are kept, so that the way can be read off backward. */
static void match_myers(struct aligner *w, struct gap g)
{
	arena_mark m = arena_at(w->tmp);
	int n = g.b1 - g.b0, k = g.d1 - g.d0, most = n + k < ALIGN_DIFFERENCES ? n + k : ALIGN_DIFFERENCES, d, i, x = 0, y = 0;
	int **row = ARENA_ARRAY(w->tmp, int *, most + 1);
	bool found = false;

	for (d = 0; d <= most && !found; d++) {
		int *v = ARENA_ARRAY(w->tmp, int, 2 * d + 1), *u = d ? row[d - 1] : NULL;
		row[d] = v;
		for (i = -d; i <= d; i += 2) {
			/* u[j + d - 1] is diagonal j of the row before */
			if (!d)
				x = 0;
			else if (i == -d || (i != d && u[i - 1 + d - 1] < u[i + 1 + d - 1]))
				x = u[i + 1 + d - 1];
			else
				x = u[i - 1 + d - 1] + 1;
			for (y = x - i; x < n && y >= 0 && y < k && same(w, g.b0 + x, g.d0 + y); y++)
				x++;
			v[i + d] = x;
			if (x >= n && y >= k) {
				found = true;
				break;
			}
		}
	}
	for (d = found ? d - 1 : -1; d >= 0; d--) {
		int px, py, *u = d ? row[d - 1] : NULL;
		i = x - y;
		if (!d) {
			px = py = 0;
		} else {
			int j = i == -d || (i != d && u[i - 1 + d - 1] < u[i + 1 + d - 1]) ? i + 1 : i - 1;
			px = u[j + d - 1];
			py = px - j;
		}
		while (x > px && y > py && x > 0 && y > 0 && same(w, g.b0 + x - 1, g.d0 + y - 1)) {
			x--;
			y--;
			w->mate[g.d0 + y] = g.b0 + x;
		}
		x = px;
		y = py;
	}
	arena_reset(w->tmp, m);
}

/* ---- gaps between pairs that are known */

static void match_gap(struct aligner *w, struct gap g, int depth)
{
	int d, b0, d0;
	bool any = false;

	while (g.b0 < g.b1 && g.d0 < g.d1 && same(w, g.b0, g.d0))
		w->mate[g.d0++] = g.b0++;
	while (g.b0 < g.b1 && g.d0 < g.d1 && same(w, g.b1 - 1, g.d1 - 1))
		w->mate[--g.d1] = --g.b1;
	if (g.b0 == g.b1 || g.d0 == g.d1)
		return;
	if (depth)
		match_unique(w, g);
	b0 = g.b0;
	d0 = g.d0;
	for (d = g.d0; depth && d < g.d1; d++)
		if (w->mate[d] >= 0) {
			int b = w->mate[d];
			any = true;
			match_gap(w, (struct gap){ b0, b, d0, d }, 0);
			b0 = b + 1;
			d0 = d + 1;
		}
	if (any)
		match_gap(w, (struct gap){ b0, g.b1, d0, g.d1 }, 0);
	else
		match_myers(w, g);
}

/* Between rows [d0, d1) of dist that follow base row b0 - 1: gaps between the pairs that are known there. */
static void match_gaps(struct aligner *w, struct gap all)
{
	int n = all.d1 - all.d0, b0 = all.b0, d0 = all.d0, d;
	arena_mark m = arena_at(w->tmp);
	int *known = ARENA_ARRAY(w->tmp, int, n);

	if (n > 0)
		memcpy(known, w->mate + all.d0, sizeof *known * (size_t)n);
	for (d = all.d0; d <= all.d1; d++)
		if (d == all.d1 || known[d - all.d0] >= 0) {
			int b = d == all.d1 ? all.b1 : known[d - all.d0];
			match_gap(w, (struct gap){ b0, b, d0, d }, 1);
			b0 = b + 1;
			d0 = d + 1;
		}
	arena_reset(w->tmp, m);
}

/* ---- keys */

/* No key is 0: that is an empty place in the table of names. */
static const uint64_t *keys_of(arena *out, const program *p, bool names)
{
	uint64_t *key = ARENA_ARRAY(out, uint64_t, p->nrow);
	int i;

	for (i = 0; i < p->nrow; i++) {
		const inst *in = p->row[i].inst;
		uint64_t h = (uint64_t)in->opcode * 0x9e3779b97f4a7c15ull + 1;
		if (in->opname)
			h = hash_bytes(in->opname, strlen(in->opname), h);
		if (names && in->op_name)
			h = hash_bytes(in->op_name, strlen(in->op_name), h);
		key[i] = h | 1;
	}
	return key;
}

/* ---- all */

/* What is not paired yet in a gap, by names and then by what is done alone. */
static void match_rest(struct alignment *a, arena *tmp, struct gap g)
{
	struct aligner w = { .tmp = tmp, .counterpart = a->counterpart, .mate = a->mate };

	w.bkey = a->keys.named[SIDE_BASE];
	w.dkey = a->keys.named[SIDE_DIST];
	match_gaps(&w, g);
	w.bkey = a->keys.plain[SIDE_BASE];
	w.dkey = a->keys.plain[SIDE_DIST];
	match_gaps(&w, g);
}

static void write_lines(struct alignment *a)
{
	int nb = a->p[SIDE_BASE]->nrow, nd = a->p[SIDE_DIST]->nrow, b = 0, d;
	size_t n = 0;

	for (d = 0; d < nd; d++) {
		for (; a->mate[d] >= 0 && b < a->mate[d]; b++) {
			a->line_of[SIDE_BASE][b] = n;
			a->line[n++] = (struct aligned){ b, -1 };
		}
		if (a->mate[d] >= 0)
			a->line_of[SIDE_BASE][b++] = n;
		a->line_of[SIDE_DIST][d] = n;
		a->line[n++] = (struct aligned){ a->mate[d], d };
	}
	for (; b < nb; b++) {
		a->line_of[SIDE_BASE][b] = n;
		a->line[n++] = (struct aligned){ b, -1 };
	}
	a->nline = n;
}

void align_init(struct alignment *a, arena *out, const program *base, const program *dist)
{
	int nb = base->nrow, nd = dist->nrow, side, d;
	arena tmp;

	*a = (struct alignment){ .p = { [SIDE_BASE] = base, [SIDE_DIST] = dist } };
	for (side = 0; side < 2; side++) {
		a->keys.named[side] = keys_of(out, a->p[side], true);
		a->keys.plain[side] = keys_of(out, a->p[side], false);
		a->line_of[side] = ARENA_ARRAY(out, size_t, a->p[side]->nrow);
	}
	a->counterpart = ARENA_ARRAY(out, int, nd);
	a->anchor = ARENA_ARRAY(out, int, nd);
	a->mate = ARENA_ARRAY(out, int, nd);
	a->named = ARENA_ARRAY(out, int, nd);
	a->named_dist = ARENA_ARRAY(out, int, nb);
	a->line = ARENA_ARRAY(out, struct aligned, nb + nd);
	for (d = 0; d < nd; d++)
		a->counterpart[d] = a->anchor[d] = a->mate[d] = -1;
	arena_init(&tmp);
	match_rest(a, &tmp, (struct gap){ 0, nb, 0, nd });
	arena_free(&tmp);
	for (d = 0; d < nb; d++)
		a->named_dist[d] = -1;
	for (d = 0; d < nd; d++) {
		a->named[d] = a->mate[d];
		if (a->mate[d] >= 0)
			a->named_dist[a->mate[d]] = d;
	}
	write_lines(a);
}

/* The rows between two anchors: beside each other as by names, where neither has another place by now; the rest anew.
 * True when that is otherwise than before. */
static bool match_anew(struct alignment *a, arena *tmp, struct gap g)
{
	size_t n = (size_t)(g.d1 - g.d0);
	int *before = ARENA_ARRAY(tmp, int, n), d, b;
	bool widowed = false;

	if (!n)
		return false;
	memcpy(before, a->mate + g.d0, sizeof *before * n);
	for (d = g.d0; d < g.d1; d++) {
		b = a->named[d];
		a->mate[d] = a->counterpart[d] == -1 && b >= g.b0 && b < g.b1 ? b : -1;
		widowed = widowed || (b >= 0 && a->mate[d] < 0);
	}
	for (b = g.b0; b < g.b1 && !widowed; b++)
		widowed = a->named_dist[b] >= 0 && a->mate[a->named_dist[b]] != b;
	if (widowed)
		match_rest(a, tmp, g);
	return memcmp(before, a->mate + g.d0, sizeof *before * n);
}

/* Gaps between anchors in which something is known otherwise than before, or whose anchors are others. */
static bool match_changed(struct alignment *a, arena *tmp, const int *counterpart, const int *anchor)
{
	int nb = a->p[SIDE_BASE]->nrow, nd = a->p[SIDE_DIST]->nrow, d;
	struct gap g = { 0, 0, 0, 0 };
	bool stale = false, changed = false, moved;

	for (d = 0; d <= nd; d++) {
		moved = d < nd && (counterpart[d] != a->counterpart[d] || anchor[d] != a->anchor[d]);
		stale = stale || moved;
		if (d < nd && anchor[d] < 0)
			continue;
		g.d1 = d;
		g.b1 = d < nd ? anchor[d] : nb;
		if (stale) {
			memcpy(a->counterpart + g.d0, counterpart + g.d0, sizeof *counterpart * (size_t)(d - g.d0 + (d < nd)));
			changed = match_anew(a, tmp, g) || changed;
		}
		if (d < nd) {
			changed = changed || a->mate[d] != anchor[d];
			a->mate[d] = anchor[d];
		}
		stale = moved;
		g = (struct gap){ g.b1 + 1, 0, d + 1, 0 };
	}
	return changed;
}

bool align_update(struct alignment *a, const int *counterpart)
{
	int nd = a->p[SIDE_DIST]->nrow, d, *anchor;
	bool changed;
	arena tmp;

	if (!nd || !memcmp(a->counterpart, counterpart, sizeof *counterpart * (size_t)nd))
		return false;
	arena_init(&tmp);
	anchor = ARENA_ARRAY(&tmp, int, nd);
	for (d = 0; d < nd; d++)
		anchor[d] = counterpart[d] >= 0 ? counterpart[d] : -1;
	keep_increasing(&tmp, anchor, nd);
	changed = match_changed(a, &tmp, counterpart, anchor);
	memcpy(a->anchor, anchor, sizeof *anchor * (size_t)nd);
	if (changed)
		write_lines(a);
	arena_free(&tmp);
	return changed;
}
