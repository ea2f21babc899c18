/* prim_positive.c - factors that are positive for certain (search phase): S2, S14; and N20, N25 beside them.
 *
 * While S14 is on (algebra.searching) such factors are set aside before a
 * product is spread over pieces or read under a mask: a sum gives up what all
 * its terms share, and would get it back at once (RULES T41, T42).
 */
#include "prim/prim.h"

#include <string.h>
#include "core/zip.h"

enum { ROWS_MAX = 128 };

/* ---- S2 */

/* Index of a factor that cancels against factor i: the same, with an exponent of the other sign. */
static int opposite(algebra *a, const work *w, int i)
{
	int j;

	for (j = i + 1; j < w->nslot; j++)
		if ((w->slot[i].c.num > 0) != (w->slot[j].c.num > 0) && slot_same(a, &w->slot[i], &w->slot[j]))
			return j;
	return -1;
}

static rat unread_size(const work *w)
{
	rat r = RAT_ONE;
	int k;

	for (k = 0; k < w->nbound; k++)
		r.num *= w->bound[k]->n;
	return r;
}

/* x^a x^b = x^(a+b), in the first of them. */
static void add_power(algebra *a, slot *to, const slot *from)
{
	if (to->x != from->x)
		history_premise(a, from->x, to->x);
	to->c.num += from->c.num;
}

/* x^a x^-b = x^(a-b), x positive for certain. */
eg_id prim_product_cancel(algebra *a, eg_id n)
{
	work *w;
	bool found = false;
	int i, j;

	if (!type_is_float(core_type(a, n)))
		return NIL;
	w = work_open(a, n);
	for (i = 0; i < w->nslot; i++) {
		if ((j = opposite(a, w, i)) < 0)
			continue;
		found = true;
		if (!fact_positive(a, w->slot[i].x))
			continue;
		add_power(a, &w->slot[i], &w->slot[j]);
		w->slot[j] = w->slot[--w->nslot];
		if (w->slot[i].c.num == 0)
			w->slot[i] = w->slot[--w->nslot];
		if (!w->nslot)
			return result_number(a, w, unread_size(w));
		return work_result(a, w);
	}
	return found ? refuse(a, "a factor may be zero") : NIL;
}

/* A factor that is positive for certain. */
bool slot_positive(algebra *a, const slot *t)
{
	return t->x != NIL && !slot_is_constant(a, t) && fact_positive(a, t->x);
}

/* Is node o an operand of n that is a product, which may be opened there? */
static bool opens_product(algebra *a, const work *w, eg_id o, eg_id n)
{
	return core_kind(a, o) == C_MUL && core_type(a, o) == w->type && normal_opens(a, o, n);
}

/* ---- S14, tables of one factor */

struct weighted {
	int term;
	int n;
	slot *held;
	slot table;
};

/* A term that is one exact table times positive factors; its coefficient goes into the table. */
static bool take_weighted(algebra *a, work *w, eg_id n, int term, struct weighted *r)
{
	const slot *t = &w->slot[term];
	eg_id o = peek(a, t->x);
	double c = rat_double(t->c), *v;
	bool table = false;
	slot *in;
	int64_t i, cnt;
	int k, m;

	if (!opens_product(a, w, o, n) || !exact_value(c))
		return false;
	in = work_inline(a, o, t->e, w, &m);
	*r = (struct weighted){ .term = term, .held = ARENA_ARRAY(&a->s.a, slot, m) };
	for (k = 0; k < m; k++) {
		if (slot_positive(a, &in[k])) {
			r->held[r->n++] = in[k];
		} else {
			if (table || core_kind(a, peek(a, in[k].x)) != C_TABLE || in[k].c.num != 1 || !slot_table_values(a, &in[k], &r->table))
				return false;
			table = true;
		}
	}
	if (!table || !r->n)
		return false;
	opened(a, t->x, o);
	cnt = slot_cells(&r->table);
	v = ARENA_ARRAY(&a->s.a, double, cnt);
	for (i = 0; i < cnt; i++)
		v[i] = c * r->table.v[i];
	r->table.v = v;
	r->table.vtype = TYPE_REAL;
	r->table.c = RAT_ONE;
	return exact_values(cnt, v);
}

static bool same_factors(algebra *a, const struct weighted *x, const struct weighted *y)
{
	int i, j;

	for (i = 0; i < x->n; i++) {
		for (j = 0; j < y->n; j++)
			if (x->held[i].c.num == y->held[j].c.num && slot_same(a, &x->held[i], &y->held[j]))
				break;
		if (j == y->n)
			return false;
		if (x->held[i].x != y->held[j].x)
			history_premise(a, x->held[i].x, y->held[j].x);
	}
	return x->n == y->n;
}

static eg_id join_weighted(algebra *a, work *w, struct weighted *r, int n, const bool *joins)
{
	slot *t = ARENA_ARRAY(&a->s.a, slot, r[0].n + 1), *row = ARENA_ARRAY(&a->s.a, slot, w->nslot), sum = r[0].table;
	bool *gone = arena_zalloc(&a->s.a, (size_t)w->nslot + 1);
	int k, m = 0;
	work *s;

	for (k = 0; k < n; k++)
		if (joins[k]) {
			sum = k ? tables_zip(a, &sum, &r[k].table, zip_add, TYPE_REAL) : sum;
			gone[r[k].term] = true;
		}
	if (!exact_values(slot_cells(&sum), sum.v))
		return refuse(a, "a sum of constant tables is not exact");
	sum.c = RAT_ONE;
	memcpy(t, r[0].held, sizeof *t * (size_t)r[0].n);
	t[r[0].n] = sum;
	s = work_like(a, w, C_MUL, r[0].n + 1, t);
	for (k = 0; k < w->nslot; k++)
		if (!gone[k])
			row[m++] = w->slot[k];
	row[m++] = slot_of_work(a, s, RAT_ONE);
	return work_result(a, work_like(a, w, C_SUM, m, row));
}

/* h K + h L + rest = h (K + L) + rest: constant tables K, L times one positive finite factor. */
eg_id prim_common_table(algebra *a, eg_id n)
{
	struct weighted *r;
	work *w;
	int k, i, j, m = 0;

	if (!type_is_float(core_type(a, n)) || pairing_read(a, n).nslot < 2 || pairing_read(a, n).nslot > ROWS_MAX)
		return NIL;
	w = work_open(a, n);
	r = ARENA_ARRAY(&a->s.a, struct weighted, w->nslot);
	for (k = 0; k < w->nslot; k++)
		m += take_weighted(a, w, n, k, &r[m]);
	for (i = 0; i + 1 < m; i++) {
		bool *joins = arena_zalloc(&a->s.a, (size_t)m), any = false;
		for (j = i + 1; j < m; j++)
			any |= joins[j - i] = same_factors(a, &r[i], &r[j]);
		joins[0] = true;
		if (any)
			return join_weighted(a, w, r + i, m - i, joins);
	}
	return NIL;
}

/* ---- S14 in a contraction */

/* Positive factors without a summed label leave the sum, whatever the others are. */
eg_id prim_positive_leaves(algebra *a, eg_id n)
{
	slot *in, *out;
	work *w;
	int k, ni = 0, no = 0;

	if (!type_is_float(core_type(a, n)) || pairing_read(a, n).nslot < 2)
		return NIL;
	w = work_open(a, n);
	work_settle(a, w);
	in = ARENA_ARRAY(&a->s.a, slot, w->nslot);
	out = ARENA_ARRAY(&a->s.a, slot, w->nslot + 1);
	for (k = 0; k < w->nslot; k++)
		if (w->slot[k].x != NIL && fact_positive(a, w->slot[k].x) && !slot_reads_bound(a, &w->slot[k]))
			out[no++] = w->slot[k];
		else
			in[ni++] = w->slot[k];
	if (!no || !ni)
		return NIL;
	return result_times(a, w, no, out, work_like(a, w, C_EIN, ni, in));
}

/* ---- N20, N25 beside positive factors */

static bool is_held(algebra *a, const slot *t, int type)
{
	return slot_positive(a, t) && !(t->c.num == 1 && is_piecewise(a, peek(a, t->x), type));
}

/* Applies a primitive to the product without the factors held; `split` counts them and says whether it is worth it. */
static eg_id beside(algebra *a, eg_id n, prim_fn *fn, bool pieces)
{
	work *w = work_open(a, n), *m;
	slot *rest = ARENA_ARRAY(&a->s.a, slot, w->nslot + 1), *held = ARENA_ARRAY(&a->s.a, slot, w->nslot + 1);
	int k, nr = 0, nh = 0;
	bool worth = false;
	placed p;
	eg_id r;

	for (k = 0; k < w->nslot; k++) {
		if (is_held(a, &w->slot[k], w->type)) {
			held[nh++] = w->slot[k];
			continue;
		}
		rest[nr++] = w->slot[k];
		worth = worth || (pieces ? w->slot[k].c.num == 1 && is_piecewise(a, peek(a, w->slot[k].x), w->type) :
				  core_kind(a, peek(a, w->slot[k].x)) == C_TABLE);
	}
	if (!nh)
		return fn(a, n);
	if (!worth || nr < 2)
		return NIL;
	m = work_like(a, w, C_MUL, nr, rest);
	p = work_make(a, m);
	r = fn(a, p.n);
	if (r == NIL)
		return NIL;
	held[nh++] = slot_read(r, placed_ix(a, &p), RAT_ONE);
	return work_result(a, work_like(a, w, C_MUL, nh, held));
}

static bool sets_aside(const algebra *a, eg_id n)
{
	return a->searching && core_kind(a, n) == C_MUL && type_is_float(core_type(a, n));
}

eg_id prim_mask_pieces(algebra *a, eg_id n)
{
	return sets_aside(a, n) ? beside(a, n, mask_pieces_all, true) : mask_pieces_all(a, n);
}

eg_id prim_mask_under(algebra *a, eg_id n)
{
	return sets_aside(a, n) ? beside(a, n, mask_under_all, false) : mask_under_all(a, n);
}

/* ---- S6 */

enum { SPREAD_MAX = 6 };

static bool spreads(algebra *a, const work *w, const slot *t, eg_id n, eg_id *o)
{
	int m;

	if (t->c.num != 1 && t->c.num != 2)
		return false;
	*o = peek(a, t->x);
	if (core_kind(a, *o) != C_SUM || core_type(a, *o) != w->type || !normal_opens(a, *o, n))
		return false;
	m = pairing_read(a, *o).nslot;
	return m >= 2 && m <= SPREAD_MAX;
}

static eg_id spread_over(algebra *a, work *w, eg_id o, int j, int nr, slot *rest, int nh, slot *held)
{
	slot *in, *row, *fs = ARENA_ARRAY(&a->s.a, slot, nr + 1);
	work *s;
	int k, m;

	in = work_inline(a, o, rest[j].e, w, &m);
	opened(a, rest[j].x, o);
	row = ARENA_ARRAY(&a->s.a, slot, m);
	for (k = 0; k < m; k++) {
		memcpy(fs, rest, sizeof *fs * (size_t)nr);
		fs[j].c.num--;
		fs[nr] = in[k];
		fs[nr].c = RAT_ONE;
		if (!fs[j].c.num)
			fs[j] = fs[nr];
		s = work_like(a, w, w->kind, rest[j].c.num == 1 ? nr : nr + 1, fs);
		row[k] = slot_of_work(a, s, in[k].c);
	}
	s = work_like(a, w, C_SUM, m, row);
	s->nbound = 0;
	return nh ? result_times(a, w, nh, held, s) : work_result(a, s);
}

/* (a + b) y = a y + b y, also inside a contraction, and (a + b)^2: at most 6 terms, everything finite. */
eg_id prim_product_distribute(algebra *a, eg_id n)
{
	slot *rest, *held;
	int k, nr = 0, nh = 0;
	eg_id o;
	work *w;

	if (!type_is_float(core_type(a, n)))
		return NIL;
	w = work_open(a, n);
	rest = ARENA_ARRAY(&a->s.a, slot, w->nslot + 1);
	held = ARENA_ARRAY(&a->s.a, slot, w->nslot + 1);
	for (k = 0; k < w->nslot; k++)
		if (w->kind == C_MUL && slot_positive(a, &w->slot[k]))
			held[nh++] = w->slot[k];
		else
			rest[nr++] = w->slot[k];
	for (k = 0; k < nr; k++) {
		int i;
		if (!spreads(a, w, &rest[k], n, &o) || (rest[k].c.num == 1 && nr == 1))
			continue;
		for (i = 0; i < w->nslot; i++)
			if (!slot_finite_power(a, &w->slot[i]))
				return refuse(a, "a factor may be infinite");
		return spread_over(a, w, o, k, nr, rest, nh, held);
	}
	return NIL;
}

/* ---- S6 of a factor that cancels */

/* A term of the sum: its factors when it is a product, and where the factor that is set aside stands among them with an exponent
 * of the other sign; -1: nowhere. */
struct inner_term {
	eg_id o;
	int m, at;
	slot *f;		/* NULL: no product */
};

static struct inner_term open_term(algebra *a, work *w, const slot *t, eg_id n)
{
	struct inner_term r = { .o = peek(a, t->x), .at = -1 };

	if (opens_product(a, w, r.o, n))
		r.f = work_inline(a, r.o, t->e, w, &r.m);
	return r;
}

/* Nothing is cancelled where it would leave nothing. */
static bool find_within(algebra *a, struct inner_term *t, const slot *h)
{
	int k;

	for (k = 0, t->at = -1; k < t->m && t->m > 1 && t->at < 0; k++)
		if ((h->c.num > 0) != (t->f[k].c.num > 0) && slot_same(a, h, &t->f[k]))
			t->at = k;
	return t->at >= 0;
}

/* h times a term: without the factor that cancels, or both as a product. */
static slot term_times(algebra *a, work *w, const slot *t, const slot *h, struct inner_term *in)
{
	slot pair[2], r;

	if (in->at < 0) {
		pair[0] = *h;
		pair[1] = *t;
		pair[1].c = RAT_ONE;
		return slot_of_work(a, work_like(a, w, C_MUL, 2, pair), t->c);
	}
	opened(a, t->x, in->o);
	add_power(a, &in->f[in->at], h);
	if (!in->f[in->at].c.num)
		in->f[in->at] = in->f[--in->m];
	if (in->m > 1 || in->f[0].c.num != 1)
		return slot_of_work(a, work_like(a, w, C_MUL, in->m, in->f), t->c);
	r = in->f[0];
	r.c = t->c;
	return r;
}

/* The product with factor h put into its sum, slot k, whose m terms are t. */
static eg_id spread_within(algebra *a, work *w, int k, int h, int m, const slot *t, struct inner_term *in)
{
	slot *row = ARENA_ARRAY(&a->s.a, slot, m), *others = ARENA_ARRAY(&a->s.a, slot, w->nslot + 1);
	int i, no = 0;

	for (i = 0; i < m; i++)
		row[i] = term_times(a, w, &t[i], &w->slot[h], &in[i]);
	for (i = 0; i < w->nslot; i++)
		if (i != k && i != h)
			others[no++] = w->slot[i];
	w = work_like(a, w, C_SUM, m, row);
	return no ? result_times(a, w, no, others, w) : work_result(a, w);
}

/* Sum o, slot k of the product. */
static eg_id cancel_within(algebra *a, work *w, eg_id n, eg_id o, int k)
{
	struct inner_term in[SPREAD_MAX];
	int i, h, m;
	slot *t = work_inline(a, o, w->slot[k].e, w, &m);

	for (i = 0; i < m; i++)
		in[i] = open_term(a, w, &t[i], n);
	for (h = 0; h < w->nslot; h++) {
		bool cancels = false;

		if (h == k || !slot_positive(a, &w->slot[h]))
			continue;
		for (i = 0; i < m; i++)
			cancels = find_within(a, &in[i], &w->slot[h]) || cancels;
		if (!cancels)
			continue;
		opened(a, w->slot[k].x, o);
		return spread_within(a, w, k, h, m, t, in);
	}
	return NIL;
}

/* h^-1 (a + h b) = h^-1 a + b, h positive for certain: what S14 sets aside goes back where it cancels. */
eg_id prim_product_within(algebra *a, eg_id n)
{
	work *w;
	eg_id o, r = NIL;
	int k;

	if (!type_is_float(core_type(a, n)) || !(operand_kinds(a, n) & 1u << C_SUM))
		return NIL;
	w = work_open(a, n);
	for (k = 0; k < w->nslot && r == NIL; k++)
		if (w->slot[k].c.num == 1 && spreads(a, w, &w->slot[k], n, &o))
			r = cancel_within(a, w, n, o, k);
	return r;
}
