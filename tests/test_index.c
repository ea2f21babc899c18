/* Index expressions, evaluated pointwise before and after every operation. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include <math.h>
#include "index/index.h"
#include "util/hash.h"
#include "util/rational.h"

enum { LABELS = 4, ROUNDS = 4000 };

struct world {
	scratch s;
	label *l[LABELS];
	int64_t v[LABELS];
	uint64_t seed;
};

static int rnd(struct world *w, int n)
{
	w->seed ^= w->seed << 13;
	w->seed ^= w->seed >> 7;
	w->seed ^= w->seed << 17;
	return (int)(w->seed * 0x2545f4914f6cdd1dull >> 33) % n;
}

static void begin(struct world *w)
{
	static const int size[] = { 2, 3, 4, 6, 8, 12, 1, 5 };
	int k;

	for (k = 0; k < LABELS; k++)
		w->l[k] = label_new(&w->s, size[rnd(w, 8)]);
}

static bool next(struct world *w)
{
	int k;

	for (k = LABELS - 1; k >= 0; k--) {
		if (++w->v[k] < w->l[k]->n)
			return true;
		w->v[k] = 0;
	}
	return false;
}

static int64_t label_value(const struct world *w, const label *l)
{
	int k;

	for (k = 0; k < LABELS; k++)
		if (w->l[k] == l->root)
			return w->v[k] / l->weight % l->n;
	fail_msg("a label from nowhere");
	return 0;
}

static int64_t value(const struct world *w, const ix *e)
{
	int64_t r = e->base, row;
	int k, j;

	for (k = 0; k < e->nt; k++)
		r += e->t[k].s * label_value(w, e->t[k].l);
	for (k = 0; k < e->ntab; k++) {
		for (row = j = 0; j < e->tab[k].nl; j++)
			row = row * e->tab[k].l[j]->n + label_value(w, e->tab[k].l[j]);
		assert_true(row < e->tab[k].len);
		r += e->tab[k].v[row];
	}
	return r;
}

static ix *random_table(struct world *w)
{
	label **l = ARENA_ARRAY(&w->s.a, label *, 2);	/* an expression keeps what it is given */
	int a = rnd(w, LABELS), b = rnd(w, LABELS), nl = a == b ? 1 : 1 + rnd(w, 2), kind = rnd(w, 4);
	int64_t n, i, *v = ARENA_ARRAY(&w->s.a, int64_t, 144);

	l[0] = w->l[a];
	l[1] = w->l[b];
	n = l[0]->n * (nl == 2 ? l[1]->n : 1);
	for (i = 0; i < n; i++)
		v[i] = kind == 0 ? rnd(w, 9) : kind == 1 ? 3 * i : kind == 2 ? i / 2 * 5 : i % 3;
	return ix_table(&w->s, nl, l, v);
}

static ix *random_ix(struct world *w, bool positive)
{
	ix *e = ix_const(&w->s, rnd(w, 5));
	int k;

	for (k = 1 + rnd(w, 4); k > 0; k--) {
		int64_t stride = 1 + rnd(w, 12) - (positive ? 0 : 6);
		e = ix_add(&w->s, e, rnd(w, 3) ? ix_of(&w->s, w->l[rnd(w, LABELS)], stride) : random_table(w));
	}
	return rnd(w, 6) ? e : ix_times(&w->s, ix_plus(&w->s, e, 2), 3);
}

static void cut_some(struct world *w)
{
	label *l = w->l[rnd(w, LABELS)];
	int64_t d;

	if (l->hi || rnd(w, 2))
		return;
	for (d = 2; d < l->n; d++)
		if (l->n % d == 0) {
			label_cut(&w->s, l, d);
			return;
		}
}

/* Same value everywhere; the range holds. */
static void same(struct world *w, const ix *e, const ix *f)
{
	int64_t lo, hi, v;

	ix_range(&w->s, f, &lo, &hi);
	memset(w->v, 0, sizeof w->v);
	do {
		v = value(w, f);
		assert_int_equal(value(w, e), v);
		assert_true(v >= lo && v <= hi);
	} while (next(w));
}

/* Nothing here is too large: a refusal is a failure. */
static void each(int rounds, uint64_t seed, void (*one)(struct world *))
{
	static struct world w;
	volatile int k;
	arena_mark m;

	memset(&w, 0, sizeof w);
	w.seed = seed;
	arena_init(&w.s.a);
	m = arena_at(&w.s.a);
	for (k = 0; k < rounds; k++) {
		arena_reset(&w.s.a, m);
		begin(&w);
		if (setjmp(w.s.out))
			fail_msg("round %d: %s", k, w.s.reason);
		one(&w);
	}
	arena_free(&w.s.a);
}

static void one_norm(struct world *w)
{
	ix *e = random_ix(w, false), *f;
	f = ix_norm(&w->s, e);
	same(w, e, f);
	cut_some(w);
	same(w, e, ix_norm(&w->s, e));
	same(w, f, ix_norm(&w->s, f));
	assert_true(ix_equal(&w->s, e, f));
}

static void test_norm(void **state)
{
	(void)state;
	each(ROUNDS, 1, one_norm);
}

static void one_divmod(struct world *w)
{
	ix *e = random_ix(w, rnd(w, 3) > 0), *q, *r;
	int64_t m = 1 + rnd(w, 12);
	cut_some(w);
	ix_divmod(&w->s, e, m, &q, &r);
	memset(w->v, 0, sizeof w->v);
	do {
		int64_t v = value(w, e), d = v >= 0 ? v / m : -((-v + m - 1) / m);
		assert_int_equal(value(w, q), d);
		assert_int_equal(value(w, r), v - d * m);
	} while (next(w));
}

static void test_divmod(void **state)
{
	(void)state;
	each(ROUNDS, 2, one_divmod);
}

/* The digits make the expression again, and each is in range. */
static void one_digits(struct world *w)
{
	int64_t size[3] = { 1 + rnd(w, 4), 1 + rnd(w, 4), 1 + rnd(w, 6) }, total = size[0] * size[1] * size[2], lo, hi;
	ix *e = ix_norm(&w->s, random_ix(w, true)), *q, **d;
	int j;
	ix_range(&w->s, e, &lo, &hi);
	if (hi >= total)
		ix_divmod(&w->s, e, total, &q, &e);
	d = ix_digits(&w->s, e, 3, size);
	memset(w->v, 0, sizeof w->v);
	do {
		int64_t v = value(w, e);
		assert_int_equal((value(w, d[0]) * size[1] + value(w, d[1])) * size[2] + value(w, d[2]), v);
		for (j = 0; j < 3; j++)
			assert_true(value(w, d[j]) >= 0 && value(w, d[j]) < size[j]);
	} while (next(w));
}

static void test_digits(void **state)
{
	(void)state;
	each(ROUNDS, 3, one_digits);
}

/* Two labels are replaced, one of them cut since the expression was made. */
static void one_subst(struct world *w)
{
	label *from[2] = { w->l[0], w->l[1] };
	ix *e = random_ix(w, false), *to[2], *f;
	int64_t keep[2];
	int j;
	cut_some(w);
	if (rnd(w, 2))
		e = ix_norm(&w->s, e);
	cut_some(w);
	for (j = 0; j < 2; j++) {	/* of the other two labels, below the size of what is replaced */
		ix *q, *x = ix_add(&w->s, ix_of(&w->s, w->l[2], 1 + rnd(w, 3)), ix_of(&w->s, w->l[3], 1 + rnd(w, 3)));
		ix_divmod(&w->s, x, from[j]->n, &q, &to[j]);
	}
	f = ix_subst(&w->s, e, 2, from, to);
	memset(w->v, 0, sizeof w->v);
	do {
		int64_t got = value(w, f);
		for (j = 0; j < 2; j++)
			keep[j] = value(w, to[j]);
		for (j = 0; j < 2; j++) {
			int64_t t = w->v[j];
			w->v[j] = keep[j];
			keep[j] = t;
		}
		assert_int_equal(value(w, e), got);
		for (j = 0; j < 2; j++)
			w->v[j] = keep[j];
	} while (next(w));
}

static void test_subst(void **state)
{
	(void)state;
	each(ROUNDS, 4, one_subst);
}

static int64_t squared(int64_t v, const void *arg)
{
	return v * v + *(const int64_t *)arg;
}

static void one_map(struct world *w)
{
	int64_t c = rnd(w, 5), *val, at, p;
	ix *e = random_ix(w, false), *f = ix_map(&w->s, e, squared, &c);
	label **l;
	int n, j;
	memset(w->v, 0, sizeof w->v);
	do {
		int64_t v = value(w, e);
		assert_int_equal(value(w, f), v * v + c);
	} while (next(w));
	e = ix_norm(&w->s, e);
	n = ix_labels(&w->s, e, &l);
	val = ix_values(&w->s, e, n, l);
	memset(w->v, 0, sizeof w->v);
	do {
		for (at = j = 0; j < n; j++)
			at = at * l[j]->n + label_value(w, l[j]);
		assert_int_equal(val[at], value(w, e));
	} while (next(w));
	p = 1;
	for (j = 0; j < n; j++)
		p *= l[j]->n;
	assert_int_equal(p, grid_size(&w->s, n, l));
}

static void test_map(void **state)
{
	(void)state;
	each(ROUNDS / 4, 5, one_map);
}

/* N3: what is linear leaves a table, what is separable parts: one function, one form. */
static void one_one_form(struct world *w)
{
	int64_t n = w->l[0]->n, m = w->l[1]->n, v[144] = { 0 }, p[12], q[12], i, c = rnd(w, 5), a = rnd(w, 4), b = rnd(w, 4);
	label *both[2] = { w->l[0], w->l[1] }, *turned[2] = { w->l[1], w->l[0] };
	int64_t t[144];
	ix *e, *f;
	bool parts = rnd(w, 2);
	for (i = 0; i < 12; i++) {
		p[i] = parts ? rnd(w, 6) : a * i;
		q[i] = parts ? rnd(w, 6) : b * i;
	}
	for (i = 0; i < n * m; i++) {
		v[i] = c + p[i / m] + q[i % m];
		t[i % m * n + i / m] = v[i];
	}
	e = ix_table(&w->s, 2, both, v);
	if (parts)
		f = ix_add(&w->s, ix_table(&w->s, 1, &both[1], q), ix_plus(&w->s, ix_table(&w->s, 1, &both[0], p), c));
	else
		f = ix_plus(&w->s, ix_add(&w->s, ix_of(&w->s, both[0], a), ix_of(&w->s, both[1], b)), c);
	assert_true(ix_equal(&w->s, e, f));
	assert_true(ix_equal(&w->s, ix_table(&w->s, 2, turned, t), e));
	f = ix_norm(&w->s, f);
	if (!parts)
		assert_int_equal(f->ntab, 0);
	assert_false(ix_equal(&w->s, e, ix_plus(&w->s, f, 1)));
	if (n > 2 && !parts) {	/* one place changed is another function */
		v[0] += 1;
		assert_false(ix_equal(&w->s, ix_table(&w->s, 2, both, v), f));
	}
}

static void test_one_form(void **state)
{
	(void)state;
	each(ROUNDS, 6, one_one_form);
}

static void test_refusals(void **state)
{
	static struct world w;
	label *l[3];
	int k;

	(void)state;
	arena_init(&w.s.a);
	for (k = 0; k < 3; k++)
		l[k] = label_new(&w.s, 1 << 8);
	if (!setjmp(w.s.out)) {
		grid_size(&w.s, 3, l);
		fail_msg("a table of 2^24 entries was not refused");
	}
	assert_string_equal(w.s.reason, "a table of 16777216 entries would be needed");
	assert_int_equal(grid_size(&w.s, 2, l), 1 << 16);
	arena_free(&w.s.a);
}

/* The simplest fraction in an interval, against all fractions by rising denominator. */
static void test_simplest(void **state)
{
	uint64_t seed = 7;
	int k;

	(void)state;
	for (k = 0; k < 3000; k++) {
		int64_t n, q, most = k % 2 ? 4096 : 300;
		double lo, hi;
		bool found = false;
		rat r;

		seed = hash_word(seed + 1);
		lo = (double)(seed >> 11) * 0x1p-53 * (k % 5 ? 1 : 30) * (k % 7 ? 1 : 1e-3) - (k % 3 ? 0 : 40);
		hi = lo + (k % 4 ? 1e-6 : 1e-3) * (1 + (double)(seed & 15));
		if (lo < 0 && hi > 0)
			continue;
		for (q = 1; q <= most && !found; q++) {
			n = (int64_t)floor(lo * (double)q) - 1;
			while ((double)n / (double)q <= lo)
				n++;
			found = (double)n / (double)q < hi;
		}
		assert_int_equal(rat_simplest(&r, lo, hi, most), found);
		if (found) {
			assert_int_equal(r.den, q - 1);
			assert_true((double)r.num / (double)r.den > lo && (double)r.num / (double)r.den < hi);
		}
	}
}

/* The value of e where the data is v: all labels are digits of it. */
static int64_t data_value(const ix *e, int64_t v)
{
	int64_t r = e->base, row;
	int k, j;

	for (k = 0; k < e->nt; k++)
		r += e->t[k].s * (v / e->t[k].l->data->div % e->t[k].l->n);
	for (k = 0; k < e->ntab; k++) {
		for (row = j = 0; j < e->tab[k].nl; j++)
			row = row * e->tab[k].l[j]->n + v / e->tab[k].l[j]->data->div % e->tab[k].l[j]->n;
		r += e->tab[k].v[row];
	}
	return r;
}

/* Digits of data that do not divide it: the whole has its range, digits that stand twice are counted once, and tables
 * keep what they say of values that there are. */
static void test_uneven(void **state)
{
	enum { WORDS = 50257, SHARD = 6283, LOW = 61, MID = SHARD / LOW };
	label *v, *twin, *digit[3];
	int64_t lo, hi, n, k, *t;
	ix *e, *q, *r;
	scratch s;

	(void)state;
	memset(&s, 0, sizeof s);
	arena_init(&s.a);
	if (setjmp(s.out))
		fail_msg("%s", s.reason);
	v = label_data(&s, 1, ix_const(&s, 0), WORDS);
	twin = label_data(&s, 1, ix_const(&s, 0), WORDS);
	ix_divmod(&s, ix_of(&s, v, 1), SHARD, &q, &r);
	assert_int_equal(v->hi->n, 8);
	ix_range(&s, ix_of(&s, v, 1), &lo, &hi);
	assert_true(lo == 0 && hi == WORDS - 1);
	assert_false(label_cuts(v->lo, 100));
	label_cut(&s, twin, SHARD);
	label_cut(&s, v->lo, LOW);
	label_cut(&s, twin->lo, LOW);
	e = ix_add(&s, ix_of(&s, v, 1), ix_of(&s, twin->hi, SHARD));
	ix_range(&s, e, &lo, &hi);
	for (k = 0; k < WORDS; k++)
		assert_true(data_value(ix_norm(&s, e), k) <= hi);
	digit[0] = v->hi;
	digit[1] = v->lo->hi;
	digit[2] = twin->lo->hi;
	n = 8 * MID * MID;
	t = ARENA_ARRAY(&s.a, int64_t, n);
	for (k = 0; k < n; k++)
		t[k] = k % 7 * (k / 7 % 5);
	e = ix_table(&s, 3, digit, t);
	for (k = 0; k < WORDS; k += LOW)
		assert_int_equal(data_value(e, k), t[(k / SHARD * MID + k / LOW % MID) * MID + k / LOW % MID]);
	arena_free(&s.a);
}

/* No list of digits is cut off: where there are more than asked for, that is a refusal. */
static void test_leaves(void **state)
{
	scratch s;
	label *l[3], *out[LABEL_LEAVES + 8];
	int k;

	(void)state;
	memset(&s, 0, sizeof s);
	arena_init(&s.a);
	for (k = 0; k < 3; k++) {
		label *at = l[k] = label_new(&s, (int64_t)1 << 30);
		int bit;
		for (bit = 29; bit > 0; bit--, at = at->lo)
			label_cut(&s, at, (int64_t)1 << bit);
	}
	assert_int_equal(label_leaves(l[0], out, LABEL_LEAVES), 30);
	if (setjmp(s.out))
		fail_msg("%s", s.reason);
	assert_int_equal(labels_leaves(&s, 2, l, out, 60), 60);
	assert_ptr_equal(out[59], l[1]->lo->lo->lo->lo->lo->lo->lo->lo->lo->lo->lo->lo->lo->lo->lo->lo->lo->lo->lo->lo->lo->lo->lo->lo->lo->lo->lo->lo->lo);
	{	/* an expression keeps all thirty */
		ix *e = ix_norm(&s, ix_of(&s, l[0], 1));
		int64_t stride = 0;
		for (k = 0; k < 30; k++)
			stride += ix_stride(e, out[k]);
		assert_int_equal(stride, ((int64_t)1 << 30) - 1);
	}
	if (!setjmp(s.out)) {
		labels_leaves(&s, 3, l, out, 64);
		fail_msg("90 digits are no 64");
	}
	assert_string_equal(s.reason, "it has more than 64 digits");
	arena_free(&s.a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_norm),
		cmocka_unit_test(test_divmod),
		cmocka_unit_test(test_digits),
		cmocka_unit_test(test_subst),
		cmocka_unit_test(test_map),
		cmocka_unit_test(test_one_form),
		cmocka_unit_test(test_refusals),
		cmocka_unit_test(test_simplest),
		cmocka_unit_test(test_leaves),
		cmocka_unit_test(test_uneven),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
