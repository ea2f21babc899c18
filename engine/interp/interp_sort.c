/* interp_sort.c - sort and topk.
 *
 * A merge sort of places along one line, so every sort is stable.  The
 * comparator is a register program; comparing the two numbers of one operand
 * is recognised.
 */
#include <stdlib.h>

#include <string.h>
#include "interp/interp_in.h"

enum { MAX_KEYS = 16 };

struct line {
	const struct prog *less;
	int n;				/* operands */
	const int64_t *key[MAX_KEYS];	/* their words, `step` apart */
	int64_t step;
	int key_of;			/* operand whose float order decides, or -1 */
	char dir;			/* l or g */
};

static bool before(const struct line *l, int64_t a, int64_t b)
{
	const void *in[2 * MAX_KEYS];
	int64_t yes = 0;
	void *out = &yes;
	int k;

	if (l->key_of >= 0) {
		const double *v = (const double *)l->key[l->key_of];

		return l->dir == 'l' ? v[a * l->step] < v[b * l->step] : v[a * l->step] > v[b * l->step];
	}
	for (k = 0; k < l->n; k++) {
		in[2 * k] = l->key[k] + a * l->step;
		in[2 * k + 1] = l->key[k] + b * l->step;
	}
	prog_run(l->less, 1, &out, in);
	return yes;
}

/* Sorts place[0 .. n) with the help of as much scratch. */
static void merge_sort(const struct line *l, int64_t *place, int64_t n, int64_t *scratch)
{
	int64_t h = n / 2, a = 0, b = h, k;

	if (n < 2)
		return;
	merge_sort(l, place, h, scratch);
	merge_sort(l, place + h, n - h, scratch);
	memcpy(scratch, place, sizeof *place * n);
	for (k = 0; k < n; k++)
		place[k] = a < h && (b >= n || !before(l, scratch[b], scratch[a])) ? scratch[a++] : scratch[b++];
}

/* compare(p0, p1) of one float operand, not in total order. */
static void recognise(struct line *l, tensor *const *a)
{
	const struct prog_step *s = l->less->step;
	int j;

	l->key_of = -1;
	if (l->less->nstep != 1 || s->e.op != OP_COMPARE || s->e.total || !etype_is_float(s->e.in) || s->src[0] < 0)
		return;
	j = s->src[0] / 2;
	if (j >= l->n || !a[j]->f || (s->e.dir != 'l' && s->e.dir != 'g') || s->src[0] / 2 != s->src[1] / 2
	    || s->src[0] == s->src[1])
		return;
	l->key_of = j;
	l->dir = (s->e.dir == 'l') == (s->src[0] < s->src[1]) ? 'l' : 'g';
}

static void sort_lines(interp *r, struct line *l, tensor *const *a, tensor **out, int64_t d)
{
	const shape *s = a[0]->shape;
	int64_t n = s->dim[d], inner = 1, outer = 1, o, in, k, *place, at;
	int j;

	for (j = 0; j < s->rank; j++)
		*(j < d ? &outer : &inner) *= j == d ? 1 : s->dim[j];
	place = (int64_t *)interp_buffer(r, 2 * n);
	l->step = inner;
	for (o = 0; o < outer; o++)
		for (in = 0; in < inner; in++) {
			at = o * n * inner + in;
			for (j = 0; j < l->n; j++)
				l->key[j] = (int64_t *)tensor_data(a[j]) + at;
			for (k = 0; k < n; k++)
				place[k] = k;
			merge_sort(l, place, n, place + n);
			for (j = 0; j < l->n; j++)
				for (k = 0; k < n; k++)
					((int64_t *)tensor_data(out[j]))[at + k * inner] = l->key[j][place[k] * inner];
		}
	interp_release(r, place, 2 * n);
}

tensor *interp_sort(interp *r, const inst *i, tensor *const *a)
{
	struct line l = { .n = i->noperand };
	tensor *out[MAX_KEYS];
	int64_t d = interp_dimension(i, a[0]->shape->rank - 1);
	int k;

	l.less = interp_prog(r, i, inst_comp(i, "to_apply"));
	if (!l.less)
		return NULL;
	if (l.n > MAX_KEYS || l.less->nparam != 2 * l.n || l.less->nresult != 1 || d < 0 || d >= a[0]->shape->rank)
		return interp_fail(r, i, "its comparator or dimension does not fit");
	for (k = 0; k < l.n; k++)
		if (tensor_words(a[k]) != 1 || a[k]->n != a[0]->n)
			return interp_fail(r, i, "operand %d cannot be sorted along", k);
	recognise(&l, a);
	for (k = 0; k < l.n; k++)
		out[k] = interp_alloc(r, i->shape->type == T_TUPLE ? i->shape->elem[k] : i->shape);
	if (a[0]->n)
		sort_lines(r, &l, a, out, d);
	return i->shape->type == T_TUPLE ? interp_tuple(i->shape, l.n, out) : out[0];
}

/* ---- topk: the k first of each line in descending (or ascending) total order, and their places */

static int64_t order_key(const tensor *t, int64_t at)
{
	if (t->i)
		return t->shape->type == T_U64 ? t->i[at] ^ INT64_MIN : t->i[at];
	return interp_total_key(t->f[at]);
}

struct top { int64_t key, place; };

static int top_largest(const void *x, const void *y)
{
	const struct top *a = x, *b = y;

	if (a->key != b->key)
		return a->key > b->key ? -1 : 1;
	return a->place < b->place ? -1 : 1;
}

static int top_smallest(const void *x, const void *y)
{
	const struct top *a = x, *b = y;

	if (a->key != b->key)
		return a->key < b->key ? -1 : 1;
	return a->place < b->place ? -1 : 1;
}

tensor *interp_topk(interp *r, const inst *i, tensor *const *a)
{
	const tensor *x = a[0];
	bool largest = inst_bool(i, "largest", true);
	int64_t n, k, row, j;
	struct top *t;
	tensor *o;

	if (i->shape->type != T_TUPLE || i->shape->n != 2 || !x->shape->rank || tensor_words(x) != 1
	    || !i->shape->elem[0]->rank)
		return interp_fail(r, i, "topk without values and indices");
	n = x->shape->dim[x->shape->rank - 1];
	k = i->shape->elem[0]->dim[i->shape->elem[0]->rank - 1];
	o = interp_alloc(r, i->shape);
	if (k > n || o->elem[0]->n != o->elem[1]->n || !o->elem[1]->i || (n && o->elem[0]->n != x->n / n * k)) {
		tensor_unref(o);
		return interp_fail(r, i, "the %lld first of %lld", (long long)k, (long long)n);
	}
	t = (struct top *)interp_buffer(r, 2 * n);
	for (row = 0; n && row < x->n / n; row++) {
		for (j = 0; j < n; j++)
			t[j] = (struct top){ order_key(x, row * n + j), j };
		qsort(t, n, sizeof *t, largest ? top_largest : top_smallest);
		for (j = 0; j < k; j++) {
			((int64_t *)tensor_data(o->elem[0]))[row * k + j] = ((int64_t *)tensor_data(x))[row * n + t[j].place];
			o->elem[1]->i[row * k + j] = t[j].place;
		}
	}
	interp_release(r, t, 2 * n);
	return o;
}
