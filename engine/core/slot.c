/* slot.c - value tables in slots: held over the digits they depend on (canonical.h). */
#include "core/canonical.h"

#include <string.h>

void slot_axis(const slot *t, int k, int64_t *outer, int64_t *n, int64_t *inner)
{
	grid_axis(t->nl, t->l, k, outer, n, inner);
}

bool slot_has_data(const slot *t)
{
	return t->x == NIL ? labels_data(t->nl, t->l) : ix_has_data(t->e);
}

static void take(scratch *s, slot *t, int k, int64_t step, int64_t m, label *l)
{
	t->v = grid_take(s, t->v, &t->nl, &t->l, k, step, m, l);
}

/* A node does not keep the sign of a zero: a label that tells zeros apart tells nothing. */
static bool same_value(double x, double y)
{
	return x == y || double_same_bits(x, y);
}

static bool same_values(const double *x, const double *y, int64_t n)
{
	int64_t i;

	for (i = 0; i < n; i++)
		if (!same_value(x[i], y[i]))
			return false;
	return true;
}

/* The greatest length whose multiples are all the places along label k where another value begins; it divides the label's. */
static int64_t run_length(const slot *t, int k)
{
	int64_t outer, n, inner, o, j, len;

	slot_axis(t, k, &outer, &n, &inner);
	len = n;
	for (o = 0; o < outer; o++)
		for (j = 1; j < n && len > 1; j++) {
			const double *v = t->v + (o * n + j) * inner;
			if (j % len && !same_values(v, v - inner, inner))
				len = gcd64(len, j);
		}
	return len;
}

static bool repeats(const slot *t, int k, int64_t period)
{
	int64_t outer, n, inner, o;

	slot_axis(t, k, &outer, &n, &inner);
	for (o = 0; o < outer; o++) {
		const double *v = t->v + o * n * inner;
		if (!same_values(v + period * inner, v, (n - period) * inner))
			return false;
	}
	return true;
}

/* The least period along label k that divides its length: of two that do, the greatest common divisor is one. */
static int64_t least_period(const slot *t, int k)
{
	int64_t left = t->l[k]->n, period = left, q;
	bool ok;

	for (q = 2; left > 1; q++)
		for (ok = true; left % q == 0; left /= q)
			if (ok && (ok = repeats(t, k, period / q)))
				period /= q;
	return period;
}

static bool drop(scratch *s, slot *t, int k)
{
	label *l = t->l[k];
	int64_t n = l->n, len = run_length(t, k);

	if (len == n) {
		take(s, t, k, 1, 1, NULL);
	} else if (len > 1) {
		label_cut(s, l, len);
		take(s, t, k, len, n / len, l->hi);
	} else if ((len = least_period(t, k)) < n) {
		label_cut(s, l, len);
		take(s, t, k, 1, len, l->lo);
	} else {
		return false;
	}
	return true;
}

/* Cut labels become their digits; a label that stands twice is read on the diagonal. */
void slot_expand(scratch *s, slot *t)
{
	label *leaf[64], **u;
	int i, j, n, nu = 0, cap = 0;
	bool same = true;
	int64_t *at, len, q;
	double *v;

	for (i = 0; i < t->nl; i++) {
		n = label_leaves(t->l[i], leaf, 64);
		same = same && n == 1 && leaf[0] == t->l[i];
		cap += n;
		for (j = 0; j < i; j++)
			same = same && t->l[j] != t->l[i];
	}
	if (same)
		return;
	u = ARENA_ARRAY(&s->a, label *, cap);
	for (i = 0; i < t->nl; i++) {
		n = label_leaves(t->l[i], leaf, 64);
		for (j = 0; j < n; j++)
			nu = label_put(u, nu, leaf[j]);
	}
	len = grid_size(s, nu, u);
	v = ARENA_ARRAY(&s->a, double, len);
	at = grid_cut(s, nu, u, t->nl, t->l);
	for (q = 0; q < len; q++)
		v[q] = t->v[at[q]];
	t->l = u;
	t->nl = nu;
	t->v = v;
}

/* Where digits of data are beyond its range the values go on as they were, or as they begin. */
static void go_on(scratch *s, slot *t)
{
	double *v;
	grid_beyond k;
	bool more = grid_beyond_first(s, t->nl, t->l, &k);

	if (!more)
		return;
	v = ARENA_ARRAY(&s->a, double, k.len);
	memcpy(v, t->v, sizeof *v * (size_t)k.len);
	for (; more; more = grid_beyond_next(&k))
		v[k.q] = same_value(v[k.base], v[k.base - k.back]) ? v[k.q - k.back] : v[k.base];
	t->v = v;
}

void slot_tidy(scratch *s, slot *t)
{
	bool again = true;
	int k;

	slot_expand(s, t);
	go_on(s, t);
	while (again) {
		again = false;
		for (k = 0; k < t->nl && !again; k++)
			again = drop(s, t, k);
	}
}
