#include "align.h"

#include <stdlib.h>
#include <string.h>

struct aligner {
	arena *tmp;
	const uint64_t *bkey, *dkey;
	const int *counterpart;	/* rows of dist where it is not -1 are like nothing else */
	int *mate;		/* per row of dist: the row of base beside it, or -1 */
	bool *taken;		/* per row of base */
};

struct gap {
	int b0, b1, d0, d1;
};

/* ---- longest increasing subsequence of mate[d] over d in [d0, d1) with mate >= 0; others are set to -1 */

static void keep_increasing(arena *tmp, int *mate, int n)
{
	arena_mark m = arena_at(tmp);
	int *tail = ARENA_ARRAY(tmp, int, n), *prev = ARENA_ARRAY(tmp, int, n), len = 0, i, at;
	bool *keep = arena_zalloc(tmp, (size_t)n + 1);

	for (i = 0; i < n; i++) {
		int lo = 0, hi = len;
		if (mate[i] < 0)
			continue;
		while (lo < hi) {
			int mid = (lo + hi) / 2;
			if (mate[tail[mid]] < mate[i])
				lo = mid + 1;
			else
				hi = mid;
		}
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
	for (i = g.b0; i < g.b1; i++)
		if (!w->taken[i]) {
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

static void match_all_gaps(struct aligner *w, int nb, int nd)
{
	int *known = ARENA_ARRAY(w->tmp, int, nd), b0 = 0, d0 = 0, d;

	if (nd > 0)
		memcpy(known, w->mate, sizeof *known * (size_t)nd);
	for (d = 0; d <= nd; d++)
		if (d == nd || known[d] >= 0) {
			int b = d == nd ? nb : known[d];
			match_gap(w, (struct gap){ b0, b, d0, d }, 1);
			b0 = b + 1;
			d0 = d + 1;
		}
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

void align_keys(arena *out, const program *base, const program *dist, struct align_keys *k)
{
	k->named[SIDE_BASE] = keys_of(out, base, true);
	k->named[SIDE_DIST] = keys_of(out, dist, true);
	k->plain[SIDE_BASE] = keys_of(out, base, false);
	k->plain[SIDE_DIST] = keys_of(out, dist, false);
}

/* ---- all */

static size_t write_lines(arena *out, const struct aligner *w, int nb, int nd, struct aligned **lines)
{
	struct aligned *l = ARENA_ARRAY(out, struct aligned, nb + nd);
	size_t n = 0;
	int b = 0, d;

	for (d = 0; d < nd; d++) {
		for (; w->mate[d] >= 0 && b < w->mate[d]; b++)
			l[n++] = (struct aligned){ b, -1 };
		l[n++] = (struct aligned){ w->mate[d], d };
		if (w->mate[d] >= 0)
			b = w->mate[d] + 1;
	}
	for (; b < nb; b++)
		l[n++] = (struct aligned){ b, -1 };
	*lines = l;
	return n;
}

size_t align_rows(arena *out, const program *base, const program *dist, const struct align_keys *k, const int *counterpart,
		  struct aligned **lines)
{
	int nb = base->nrow, nd = dist->nrow, d;
	struct aligner w;
	arena tmp;
	size_t n;

	arena_init(&tmp);
	w.tmp = &tmp;
	w.mate = ARENA_ARRAY(&tmp, int, nd);
	w.taken = arena_zalloc(&tmp, (size_t)nb + 1);
	for (d = 0; d < nd; d++)
		w.mate[d] = counterpart[d] >= 0 ? counterpart[d] : -1;
	keep_increasing(&tmp, w.mate, nd);
	for (d = 0; d < nd; d++)
		if (w.mate[d] >= 0)
			w.taken[w.mate[d]] = true;
	w.counterpart = counterpart;
	w.bkey = k->named[SIDE_BASE];
	w.dkey = k->named[SIDE_DIST];
	match_all_gaps(&w, nb, nd);
	w.bkey = k->plain[SIDE_BASE];
	w.dkey = k->plain[SIDE_DIST];
	match_all_gaps(&w, nb, nd);
	n = write_lines(out, &w, nb, nd, lines);
	arena_free(&tmp);
	return n;
}
