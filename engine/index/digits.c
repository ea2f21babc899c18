#include "index/digits.h"

int digits_canon(int n, const digit *d, digit *out)
{
	int i, m = 0;

	for (i = 0; i < n; i++) {
		digit x = d[i];
		if (x.size == 1)
			continue;
		if (m && out[m - 1].stride == x.size * x.stride) {
			x.size *= out[m - 1].size;
			out[m - 1] = x;
		} else {
			out[m++] = x;
		}
	}
	return m;
}

int64_t digits_at(int n, const digit *d, int64_t i)
{
	int64_t v = 0;
	int k;

	for (k = n - 1; k >= 0; k--) {
		v += i % d[k].size * d[k].stride;
		i /= d[k].size;
	}
	return v;
}

int64_t digits_total(int n, const digit *d)
{
	int64_t t = 1;
	int i;

	for (i = 0; i < n; i++)
		t *= d[i].size;
	return t;
}

bool digits_identity(int n, const digit *d, int64_t len)
{
	return n == 0 ? len == 1 : n == 1 && d[0].stride == 1 && d[0].size == len;
}

ix *digits_read(scratch *s, int n, const digit *d, const ix *e)
{
	int64_t *size = ARENA_ARRAY(&s->a, int64_t, n);
	ix **part, *r = ix_const(s, 0);
	int i;

	if (n == 1)
		return ix_times(s, e, d[0].stride);
	for (i = 0; i < n; i++)
		size[i] = d[i].size;
	part = ix_digits(s, e, n, size);
	for (i = 0; i < n; i++)
		if (d[i].stride)
			r = ix_add(s, r, ix_times(s, part[i], d[i].stride));
	return ix_norm(s, r);
}

int digits_of_ix(scratch *s, const ix *e, int nl, label **l, digit *out, int max)
{
	label *leaf[64];
	int i, j, k, n = 0;

	e = ix_norm(s, e);
	if (e->base || e->ntab)
		return -1;
	for (i = 0; i < nl; i++) {
		k = label_leaves(l[i], leaf, 64);
		if (n + k > max)
			return -1;
		for (j = 0; j < k; j++)
			out[n++] = (digit){ leaf[j]->n, ix_stride(e, leaf[j]) };
	}
	return digits_canon(n, out, out);
}

bool ix_renames(scratch *s, const ix *e, int64_t len)
{
	int64_t w = 1;
	int i, found;

	e = ix_norm(s, e);
	if (e->base || e->ntab)
		return false;
	for (found = 0; found < e->nt; found++) {
		for (i = 0; i < e->nt && e->t[i].s != w; i++)
			;
		if (i == e->nt || e->t[i].l->data)
			return false;
		w *= e->t[i].l->n;
	}
	return w == len;
}

bool digits_cover(int n, const digit *d, int64_t len)
{
	int64_t w = 1;
	int i, found, bound = 0;

	for (i = 0; i < n; i++)
		bound += d[i].stride != 0;
	for (found = 0; found < bound; found++) {
		for (i = 0; i < n && d[i].stride != w; i++)
			;
		if (i == n)
			return false;
		w *= d[i].size;
	}
	return w == len;
}
