/* prim_product.c - products of powers without a summed label: N11, N12, N16, N17. */
#include "prim/factors.h"

#include <math.h>
#include "core/mask.h"
#include "core/zip.h"

static bool is_truth(algebra *a, eg_id x)
{
	eg_id o = peek(a, x);

	if (core_kind(a, o) != C_MAP || strcmp(core_fn(a, o), "num"))
		return false;
	opened(a, x, o);
	return true;
}

static int64_t exponent(algebra *a, int64_t e)
{
	if (e > INT32_MAX || e < -INT32_MAX)
		stuck(&a->s, "an exponent of more than 32 bits");
	return e;
}

void factors_put(algebra *a, struct factors *f, slot t)
{
	int i;

	for (i = 0; i < f->n; i++) {
		slot *u = &f->t[i];
		if (!slot_same(a, u, &t) || (u->c.num > 0) != (t.c.num > 0))
			continue;
		if (u->x != t.x)
			history_premise(a, t.x, u->x);
		u->c.num = is_truth(a, u->x) ? (u->c.num > 0 ? 1 : -1) : exponent(a, u->c.num + t.c.num);
		f->hit = true;
		return;
	}
	if (t.x != NIL && t.c.num > 1 && is_truth(a, t.x)) {
		t.c.num = 1;
		f->hit = true;
	}
	if (f->n == FACTORS_MAX)
		stuck(&a->s, "a product of %d factors", FACTORS_MAX);
	f->t[f->n++] = t;
}

static bool take_number(algebra *a, struct factors *f, const slot *t, int type)
{
	number v;
	rat c, p;

	if (t->x != NIL && core_kind(a, peek(a, t->x)) != C_NUMBER)
		return false;
	if (!slot_number(a, t, &v) || !number_is_rat(v))
		return false;
	if (v.r.num == 0 && t->c.num < 0) {
		refuse(a, "division by the constant zero");
		return false;
	}
	if (!rat_pow(&p, v.r, t->c.num) || !rat_mul(&c, f->coef, p)) {
		refuse(a, "a constant of more than 64 bits");
		return false;
	}
	f->coef = coef_in(type, c);
	f->hit = true;
	return true;
}

/* A sum of one term is its coefficient times the term. */
static bool take_scaled(algebra *a, struct factors *f, work *w, const slot *t, eg_id n, slot *out)
{
	eg_id o = t->x == NIL ? NIL : peek(a, t->x);
	slot *in;
	rat c, p;
	int m;

	if (o == NIL || core_kind(a, o) != C_SUM || !type_sums(core_type(a, o), w->type) ||
	    !normal_opens(a, o, n) || pairing_read(a, o).nslot != 1)
		return false;
	c = core_coef(a, o, 0);
	if (c.num == 0 || !rat_pow(&p, c, t->c.num) || !rat_mul(&c, f->coef, p))
		return false;
	in = work_inline(a, o, t->e, w, &m);
	opened(a, t->x, o);
	f->coef = coef_in(w->type, c);
	f->hit = true;
	*out = in[0];
	out->c = t->c;
	return true;
}

bool factors_take(algebra *a, struct factors *f, work *w, const slot *t, eg_id n, enum core_kind kind)
{
	eg_id o = t->x == NIL ? NIL : peek(a, t->x);
	slot *in;
	int m, j;

	if (o == NIL || core_kind(a, o) != kind || core_type(a, o) != w->type || !normal_opens(a, o, n))
		return false;
	m = pairing_read(a, o).nslot;
	if (f->n + m > FACTORS_MAX) {
		refuse(a, "a product of %d factors", f->n + m);
		return false;
	}
	in = work_inline(a, o, t->e, w, &m);
	opened(a, t->x, o);
	for (j = 0; j < m; j++) {
		in[j].c.num = exponent(a, in[j].c.num * t->c.num);
		factors_put(a, f, in[j]);
	}
	f->hit = true;
	return true;
}

/* Factor t, where it is an exact constant table, its exponent applied. */
static bool table_factor(algebra *a, const slot *t, slot *v)
{
	enum core_kind o = t->x == NIL ? C_TABLE : core_kind(a, peek(a, t->x));
	int64_t e, j, m;
	double *p;

	if (t->c.num <= 0 || (o != C_TABLE && o != C_AT) || !slot_table_values(a, t, v) || !exact_values(slot_cells(v), v->v))
		return false;
	if (t->c.num > 1) {
		m = slot_cells(v);
		p = ARENA_ARRAY(&a->s.a, double, m);
		for (j = 0; j < m; j++)
			for (p[j] = v->v[j], e = 1; e < t->c.num; e++)
				p[j] *= v->v[j];
		v->v = p;
	}
	v->c = RAT_ONE;
	v->vtype = TYPE_REAL;
	return true;
}

/* Can there be two tables, or one with an exponent? */
static bool tables_to_join(algebra *a, const struct factors *f)
{
	int i, count = 0;
	bool power = false;

	for (i = 0; i < f->n; i++) {
		enum core_kind o = f->t[i].x == NIL ? C_TABLE : core_kind(a, peek(a, f->t[i].x));
		count += (o == C_TABLE || o == C_AT) && f->t[i].c.num > 0;
		power = power || (f->t[i].x != NIL && o == C_TABLE && f->t[i].c.num > 1);
	}
	return count > 1 || (count && power);
}

static bool tables_meet(algebra *a, const slot *x, const slot *y)
{
	label **u, **v;
	int n = slot_labels(a, x, &u), m = slot_labels(a, y, &v);

	return labels_meet(n, u, m, v);
}

void factors_join_tables(algebra *a, struct factors *f)
{
	slot *tab = ARENA_ARRAY(&a->s.a, slot, f->n), *join = ARENA_ARRAY(&a->s.a, slot, f->n);
	int i, j, k = 0, n = 0, m = 0;
	bool all;

	if (!tables_to_join(a, f))
		return;
	for (i = 0; i < f->n; i++) {
		if (!table_factor(a, &f->t[i], &tab[n])) {
			f->t[k++] = f->t[i];
			continue;
		}
		f->hit = f->hit || f->t[i].c.num > 1;
		n++;
	}
	all = tables_fit(a, n, tab);
	for (i = 0; i < n; i++) {
		for (j = 0; j < m && !all && !tables_meet(a, &join[j], &tab[i]); j++)
			;
		if (j == m) {
			join[m++] = tab[i];
			continue;
		}
		join[j] = tables_zip(a, &join[j], &tab[i], zip_times, TYPE_REAL);
		f->hit = true;
		if (!exact_values(slot_cells(&join[j]), join[j].v))
			stuck(&a->s, "a product of constant tables is not exact");
	}
	for (j = 0; j < m; j++)
		f->t[k++] = join[j];
	f->n = k;
}

eg_id factors_finish(algebra *a, work *w, struct factors *f)
{
	work *r;

	if (f->coef.num == 0) {
		if (!slots_finite(a, f->n, f->t))
			return refuse(a, "zero times a tensor that may be infinite");
		return result_number(a, w, RAT_ZERO);
	}
	if (f->n == 0 && w->kind == C_MUL)
		return result_number(a, w, f->coef);
	r = work_like(a, w, w->kind, f->n, f->t);
	return result_scaled(a, r, f->coef);
}

struct factors *factors_new(algebra *a)
{
	struct factors *f = ARENA_ARRAY(&a->s.a, struct factors, 1);	/* the slots are written before they are read */

	f->n = 0;
	f->coef = RAT_ONE;
	f->hit = false;
	return f;
}

struct factors *factors_collect(algebra *a, work *w, eg_id n)
{
	struct factors *f = factors_new(a);
	int i, count = w->nslot;
	slot *own = w->slot;

	for (i = 0; i < count; i++) {
		slot t = own[i], u;
		if (take_number(a, f, &t, w->type))
			continue;
		if (take_scaled(a, f, w, &t, n, &u)) {
			factors_put(a, f, u);
			continue;
		}
		if (factors_take(a, f, w, &t, n, C_MUL))
			continue;
		factors_put(a, f, t);
	}
	return f;
}

bool product_is_plain(algebra *a, eg_id n)
{
	const eg_id *arg = eg_args(a->g, n);
	int k, m = pairing_read(a, n).nslot;

	for (k = 0; k < m; k++) {
		eg_id o = peek(a, arg[k]);
		switch (core_kind(a, o)) {
		case C_NUMBER: case C_TABLE: case C_AT: case C_MUL:
			return false;
		case C_SUM:
			if (pairing_read(a, o).nslot == 1)
				return false;
			break;
		case C_MAP:
			if (core_coef(a, n, k).num > 1 && !strcmp(core_fn(a, o), "num"))
				return false;
			break;
		default:
			break;
		}
	}
	return !operands_repeat(a, n, m);
}

/* N11: nested products are one, equal factors are powers, coefficients come to the front. */
eg_id prim_product_flatten(algebra *a, eg_id n)
{
	work *w;
	struct factors *f;

	if (product_is_plain(a, n))
		return NIL;
	w = work_open(a, n);
	f = factors_collect(a, w, n);
	if (type_is_float(w->type))
		factors_join_tables(a, f);
	return f->hit ? factors_finish(a, w, f) : NIL;
}

/* An expression that leaves the range of its type: the sum c * part with its content as a residue, or a table. */
static eg_id scaled_index(algebra *a, work *w, ix *e)
{
	slot t = index_term(a, w->type, e);
	work *r;

	if (rat_is_int(t.c, 1))
		return result_slot(a, w, t);
	r = work_like(a, w, C_SUM, 1, &t);
	r->nbound = 0;
	return work_result(a, r);
}

static void in_sums(algebra *a, int64_t *v, int64_t c)
{
	if (__builtin_mul_overflow(*v, c, v))
		stuck(&a->s, "the value may wrap around");
}

/* The expression summed over the labels that w sums. */
static ix *summed_index(algebra *a, const work *w, ix *e)
{
	label **used, **l, *leaf[64];
	int n = ix_labels(&a->s, e, &used), nl = 0, nf, i, j, m;
	int64_t cells, inner, *v, *r, x, y, times = 1;
	bool *sums;

	l = ARENA_ARRAY(&a->s.a, label *, n);
	sums = arena_zalloc(&a->s.a, (size_t)n + 1);
	for (i = 0; i < w->nbound; i++) {
		m = label_leaves(w->bound[i], leaf, 64);
		for (j = 0; j < m; j++) {
			int at = 0;
			while (at < n && used[at] != leaf[j])
				at++;
			if (at < n)
				sums[at] = true;
			else
				in_sums(a, &times, leaf[j]->n);
		}
	}
	for (i = 0; i < n; i++)
		if (!sums[i])
			l[nl++] = used[i];
	nf = nl;
	for (i = 0; i < n; i++)
		if (sums[i])
			l[nl++] = used[i];
	cells = grid_size(&a->s, nl, l);
	v = ix_values(&a->s, e, nl, l);
	inner = cells / grid_size(&a->s, nf, l);
	r = arena_zalloc(&a->s.a, sizeof *r * (size_t)(cells / inner + 1));
	for (x = 0; x < cells / inner; x++) {
		for (y = 0; y < inner; y++)
			if (__builtin_add_overflow(r[x], v[x * inner + y], &r[x]))
				stuck(&a->s, "the value may wrap around");
		in_sums(a, &r[x], times);
	}
	return nf ? ix_table(&a->s, nf, l, r) : ix_const(&a->s, r[0]);
}

/* Is slot k a power of a root, at most the `below`th or at least the second, whose operand is certainly finite and nowhere
 * negative? */
static bool holds_power(algebra *a, eg_id n, int k, int64_t below)
{
	eg_id x = eg_args(a->g, n)[k], o = peek(a, x);
	int64_t e = core_coef(a, n, k).num;

	if (core_kind(a, o) != C_MAP || strcmp(core_fn(a, o), "sqrt") || (e > below && e < 2) || !normal_opens(a, o, n) || core_type(a, o) != core_type(a, n))
		return false;
	x = eg_args(a->g, o)[0];
	if (fact_finite(a, x) && facts_of(a, x) & FACT_NONNEG)
		return true;
	refuse(a, "the square of a root: its operand may be negative");
	return false;
}

static eg_id open_roots(algebra *a, eg_id n, int64_t below)
{
	pairing p = pairing_read(a, n);
	work *w = NULL;
	int k, m, nt = 0;
	slot *in, *t;

	for (k = 0; k < p.nslot && type_is_float(core_type(a, n)) && !w; k++)
		w = holds_power(a, n, k, below) ? work_open(a, n) : NULL;
	if (!w)
		return NIL;
	t = ARENA_ARRAY(&a->s.a, slot, 2 * p.nslot);
	for (k = 0; k < p.nslot; k++) {
		slot s = w->slot[k];
		if (holds_power(a, n, k, below)) {
			in = work_inline(a, peek(a, s.x), s.e, w, &m);
			opened(a, s.x, peek(a, s.x));
			in[0].c = (rat){ s.c.num / 2, 1 };
			t[nt++] = in[0];
			s.c.num %= 2;
		}
		if (s.c.num)
			t[nt++] = s;
	}
	return work_result(a, work_like(a, w, w->kind, nt, t));
}

/* (sqrt x)^(2 k) = x^k and (sqrt x)^(2 k + 1) = x^k sqrt x, k of either sign, where x is certainly finite and nowhere
 * negative: at 0 both are 0, or infinite.  (sqrt x)^-2 stays: nothing is gained by it alone. */
eg_id prim_product_root(algebra *a, eg_id n)
{
	return open_roots(a, n, -3);
}

/* .. (sqrt x)^-2 too. */
eg_id prim_product_root_below(algebra *a, eg_id n)
{
	return open_roots(a, n, -2);
}

/* The product of two index expressions: a multiple of one, or a table. */
static ix *ix_product(algebra *a, const ix *x, const ix *y)
{
	int64_t v, cnt, *p, *r, k;
	label **l;
	int nl;

	if (ix_is_const(&a->s, x, &v))
		return ix_times(&a->s, y, v);
	if (ix_is_const(&a->s, y, &v))
		return ix_times(&a->s, x, v);
	nl = ix_union(&a->s, x, y, &l);
	cnt = grid_size(&a->s, nl, l);
	p = ix_values(&a->s, x, nl, l);
	r = ix_values(&a->s, y, nl, l);
	for (k = 0; k < cnt; k++)
		p[k] = (int64_t)((uint64_t)p[k] * (uint64_t)r[k]);	/* a residue: it wraps */
	return ix_table(&a->s, nl, l, p);
}

/* Does the expression read at a place that data choose for every value of a summed label? */
static bool chosen_while_summed(algebra *a, const work *w, const ix *e)
{
	label *bound[LEAVES], **used;
	int n = ix_labels(&a->s, e, &used);

	return data_reads(a, n, used, bound_leaves(&a->s, w, bound, LEAVES), bound);
}

/* A product, summed where the node sums, that is an index expression: as a sum of one term, which knows what leaves the range. */
static eg_id all_index(algebra *a, work *w, ix *prod)
{
	int64_t lo, hi, l, h;

	if (w->nbound && chosen_while_summed(a, w, prod))
		return refuse(a, "what is summed is chosen by data for each of its places");
	if (w->nbound) {
		prod = summed_index(a, w, prod);
		index_bounded(a, prod);
	}
	ix_range(&a->s, prod, &lo, &hi);
	int_range(w->type, &l, &h);
	if (lo >= l && hi <= h)
		return result_slot(a, w, slot_read(core_line(a, w->type), prod, RAT_ONE));
	return scaled_index(a, w, prod);
}

/* D2: constant factors of an integer product are one index expression; a constant one is a coefficient. */
eg_id prim_product_index(algebra *a, eg_id n)
{
	ix *prod = NULL, *e;
	int i, k = 0, found = 0, q;
	int64_t v;
	work *w;
	slot *t;

	if (!type_is_int(core_type(a, n)))
		return NIL;
	w = work_open(a, n);
	t = ARENA_ARRAY(&a->s.a, slot, w->nslot + 1);
	for (i = 0; i < w->nslot; i++) {
		if (!slot_index(a, &w->slot[i], &e)) {
			t[k++] = w->slot[i];
			continue;
		}
		for (q = 0; q < w->slot[i].c.num; q++, found++) {
			prod = prod ? ix_product(a, prod, e) : e;
			index_bounded(a, prod);
		}
	}
	if (!found)
		return NIL;
	if (!k)
		return all_index(a, w, prod);
	prod = index_in_type(a, w->type, prod);
	if (ix_is_const(&a->s, prod, &v))
		return result_scaled(a, work_like(a, w, w->kind, k, t), (rat){ v, 1 });
	if (found == 1)
		return NIL;
	t[k++] = slot_read(core_line(a, w->type), prod, RAT_ONE);
	return work_result(a, work_like(a, w, w->kind, k, t));
}

bool product_chosen(algebra *a, const work *w, ix **p, ix **e)
{
	int64_t lo, hi;
	ix *f[2];
	int k;

	if (w->kind != C_MUL || w->nslot != 2)
		return false;
	for (k = 0; k < 2; k++)
		if (w->slot[k].c.num != 1 || !slot_index(a, &w->slot[k], &f[k]))
			return false;
	for (k = 0; k < 2; k++) {
		ix_range(&a->s, f[k], &lo, &hi);
		if (lo != 0 || hi != 1)
			continue;
		*p = f[k];
		*e = f[!k];
		return true;
	}
	return false;
}

/* The one value that e has where p, over labels l, is not 0; false when it has several, or no other elsewhere. */
static bool value_under(algebra *a, const ix *p, const ix *e, int nl, label **l, int64_t *value)
{
	int64_t n = grid_size(&a->s, nl, l), *mask = ix_values(&a->s, p, nl, l), *v = ix_values(&a->s, e, nl, l), k;
	bool found = false, other = false;

	for (k = 0; k < n; k++) {
		if (!mask[k] || (found && v[k] == *value))
			continue;
		if (found)
			return false;
		*value = v[k];
		found = true;
	}
	for (k = 0; k < n && found && !other; k++)
		other = v[k] != *value;
	return other;
}

/* N25: p (f + e) = p (c + e) where f, of the labels of p alone, is c wherever p is not 0. */
eg_id prim_product_under(algebra *a, eg_id n)
{
	ix *p, *e, *f;
	int64_t c = 0;
	label **l;
	work *w;
	slot *t;
	int nl;

	if (!type_is_int(core_type(a, n)) || core_kind(a, n) != C_MUL)
		return NIL;
	w = work_open(a, n);
	if (!product_chosen(a, w, &p, &e))
		return NIL;
	nl = ix_labels(&a->s, p, &l);
	f = ix_norm(&a->s, ix_part(&a->s, e, nl, l));
	if (!value_under(a, p, f, nl, l, &c))
		return NIL;
	e = ix_norm(&a->s, ix_add(&a->s, ix_plus(&a->s, e, c), ix_times(&a->s, f, -1)));
	index_bounded(a, e);
	t = ARENA_ARRAY(&a->s.a, slot, 2);
	t[0] = slot_read(core_line(a, w->type), p, RAT_ONE);
	t[1] = slot_read(core_line(a, w->type), index_in_type(a, w->type, e), RAT_ONE);
	return work_result(a, work_like(a, w, C_MUL, 2, t));
}

/* The common factor of a sum's coefficients; negative when all are. */
static rat common_content(int n, const rat *coef)
{
	int64_t g = 0, l = 1;
	bool neg = true;
	int i;

	for (i = 0; i < n; i++) {
		rat c = coef[i];
		int64_t d;
		if (!neg && g == 1 && c.den == 1)
			continue;
		d = gcd64(l, c.den);
		g = gcd64(g, c.num);
		if (__builtin_mul_overflow(l / d, c.den, &l))
			return RAT_ONE;
		neg = neg && c.num < 0;
	}
	if (g == 0)
		return RAT_ONE;
	{	/* gcd of numerators over lcm of denominators */
		rat r;
		if (!rat_make(&r, neg ? -g : g, l))
			return RAT_ONE;
		return r;
	}
}

enum { CONTENT_MAX = 1 << 24 };

/* Is every coefficient a small multiple of g? */
static bool small_multiples(int n, const rat *coef, rat g)
{
	bool whole = rat_is_int(g, 1);
	int i;

	for (i = 0; i < n; i++) {
		rat q = coef[i];
		if ((!whole && !rat_div(&q, q, g)) || q.num > CONTENT_MAX || q.num < -CONTENT_MAX)
			return false;
	}
	return true;
}

/* Rounded constants have nothing in common, or what a rounding makes of it: the first of them, so that the others stay as near
 * to each other as they are, whatever their denominators. */
static rat content_of(int n, const rat *coef)
{
	rat g = common_content(n, coef), q;
	int i;

	if (small_multiples(n, coef, g))
		return g;
	for (i = 0; i < n; i++)
		if (!rat_div(&q, coef[i], coef[0]))
			return g;
	return coef[0];
}

/* N11: the content of a sum that is a factor moves to the front. */
eg_id prim_product_content(algebra *a, eg_id n)
{
	work *w = NULL;
	rat coef = RAT_ONE, p;
	const eg_id *arg = eg_args(a->g, n);
	pairing pr = pairing_read(a, n);
	int i, j, m;

	if (!type_is_float(core_type(a, n)))
		return NIL;	/* in rings coefficients are never divided */
	if (pr.nslot == 1 && !pr.nbound && rat_is_int(core_coefs(a, n)[0], 1))
		return NIL;	/* the sum itself: it would be another way to write it */
	for (i = 0; i < pr.nslot; i++) {
		eg_id o = peek(a, arg[i]);
		slot *in;
		rat g;
		work *s;
		if (core_kind(a, o) != C_SUM || !type_sums(core_type(a, o), core_type(a, n)))
			continue;
		m = pairing_read(a, o).nslot;
		if (m < 2)
			continue;
		g = content_of(m, core_coefs(a, o));
		if (rat_is_int(g, 1) || !normal_opens(a, o, n))
			continue;
		if (!w)
			w = work_open(a, n);
		if (!rat_pow(&p, g, w->slot[i].c.num) || !rat_mul(&coef, coef, p))
			return refuse(a, "a constant of more than 64 bits");
		s = work_open(a, o);
		opened(a, arg[i], o);
		in = s->slot;
		for (j = 0; j < m; j++)
			if (!rat_div(&in[j].c, in[j].c, g))
				return NIL;
		{
			placed q = work_make(a, s);
			digit *d = ARENA_ARRAY(&a->s.a, digit, 64 * (s->nfree + 1));
			int c = digits_canon(placed_digits(&q, s->nfree, s->free, d), d, d);
			w->slot[i].e = digits_read(&a->s, c, d, w->slot[i].e);
			w->slot[i].x = q.n;
		}
	}
	return w ? result_scaled(a, w, coef) : NIL;
}

/* All values of a table are 0 or one number, not 1: the number, and the mask of the same shape. */
static bool masked_number(algebra *a, eg_id o, rat *c, eg_id *mask)
{
	int64_t len, i;
	const double *v = core_table(a, o, &len);
	double *m, one = 0;

	for (i = 0; i < len; i++)
		if (v[i] != 0 && v[i] != (one ? one : (one = v[i])))
			return false;
	if (!one || one == 1 || !exact_value(one) || !rat_from_double(c, one))
		return false;
	m = ARENA_ARRAY(&a->s.a, double, len);
	for (i = 0; i < len; i++)
		m[i] = v[i] != 0;
	*mask = core_values(a, core_type(a, o), len, m);
	return true;
}

/* A multiple of one constant is a constant of every floating point type. */
static bool constant_multiple(algebra *a, const work *w)
{
	return w->kind == C_SUM && w->type != TYPE_REAL && w->nslot == 1 && core_type(a, w->slot[0].x) == TYPE_REAL;
}

/* N11: a table that is a number times a mask, read where data say, is the number times the mask read there. */
eg_id prim_table_content(algebra *a, eg_id n)
{
	const eg_id *arg = eg_args(a->g, n);
	bool sum = core_kind(a, n) == C_SUM, moved = false;
	pairing p = pairing_read(a, n);
	rat coef = RAT_ONE, c;
	eg_id o, mask;
	work *w;
	int k;

	if (!type_is_float(core_type(a, n)) || !p.ndata || !(operand_kinds(a, n) & 1u << C_TABLE))
		return NIL;
	w = work_open(a, n);
	for (k = 0; k < w->nslot; k++) {
		o = peek(a, arg[k]);
		if (core_kind(a, o) != C_TABLE || (!sum && w->slot[k].c.num < 1) || !ix_has_data(w->slot[k].e) ||
		    !masked_number(a, o, &c, &mask))
			continue;
		if (!(sum ? rat_mul(&w->slot[k].c, w->slot[k].c, c) :
		      rat_pow(&c, c, core_kind(a, n) == C_AT ? 1 : w->slot[k].c.num) && rat_mul(&coef, coef, c)))
			return refuse(a, "a constant of more than 64 bits");
		opened(a, w->slot[k].x, o);
		w->slot[k].x = mask;
		moved = true;
	}
	if (constant_multiple(a, w)) {
		w->type = TYPE_REAL;
		moved = true;
	}
	return !moved ? NIL : sum ? work_result(a, w) : result_scaled(a, w, coef);
}
