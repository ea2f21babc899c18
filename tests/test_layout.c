/* Chains of data movement through the lift rules against index arrays.
 *
 * A family starts as a parameter that is whole or sharded on every device; then
 * reshape, transpose, broadcast, slices at device digits, all-gather and
 * all-to-all over groups that are mesh axes, in any order, or no axes at all.
 * The form must read the element that the array says; it is a layout of the
 * parameter whenever there is one, and two layouts are the same value exactly
 * when the maps are the same. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "lab.h"

enum { CHAINS = 12000, MOST = 600, RANK = 6 };

static uint64_t seed;

static int rnd(int n)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return (int)(seed * 0x2545f4914f6cdd1dull >> 33) % n;
}

struct family {
	prover *p;
	eg_id t;		/* the Tensor node */
	int64_t ndev, n;	/* devices, local elements */
	int rank;
	int64_t dim[RANK];
	int32_t *at;		/* [device][local]: place in the parameter */
	int64_t cut[4];		/* boundaries in the device id that the last operation used, least significant first */
	bool apart;		/* some boundaries did not divide each other: digits once cut stay cut, what follows may be a table */
};

static eg_id tensor_of(prover *p, const char *family, int type, int64_t ndev, int rank, const int64_t *dim, int nint, const int64_t *ints, int narg,
		    const eg_id *arg)
{
	algebra *a = &p->a;
	int64_t shape[RANK + 1] = { ndev };
	eg_val v[4];
	eg_id t;

	if (rank)
		memcpy(shape + 1, dim, sizeof *dim * (size_t)rank);
	v[0] = ints_type(a, type);
	v[1] = val_ints(a, rank + 1, shape);
	v[2] = val_ints(a, nint, ints);
	v[3] = val_name(a, "");
	t = core_build(a, eg_operator(p->g, eg_family_named(p->g, family), 4, v), (uint32_t)narg, arg);
	normal_ask(a, t);
	assert_true(prover_run(p, 2000));
	return t;
}

/* The family becomes what `family` makes of it, read at the old device and local place that (from) gives. */
static void become(struct family *f, const char *name, int rank, const int64_t *dim, int nint, const int64_t *ints, int narg, const eg_id *arg,
		   const int32_t *device, const int32_t *local)
{
	int32_t *old = f->at;
	int64_t n = 1, k, was = f->n;
	int i;

	for (i = 0; i < rank; i++)
		n *= dim[i];
	f->at = malloc(sizeof *f->at * (size_t)(n * f->ndev));
	for (k = 0; k < n * f->ndev; k++)
		f->at[k] = old[device[k] * was + local[k]];
	free(old);
	f->t = tensor_of(f->p, name, T_F32, f->ndev, rank, dim, nint, ints, narg, arg);
	f->rank = rank;
	f->n = n;
	memcpy(f->dim, dim, sizeof *dim * (size_t)rank);
}

static int64_t product(int n, const int64_t *d)
{
	int64_t p = 1;
	int i;

	for (i = 0; i < n; i++)
		p *= d[i];
	return p;
}

static void place_of(int rank, const int64_t *dim, int64_t k, int64_t *x)
{
	while (rank--) {
		x[rank] = k % dim[rank];
		k /= dim[rank];
	}
}

static int64_t flat(int rank, const int64_t *dim, const int64_t *x)
{
	int64_t k = 0;
	int i;

	for (i = 0; i < rank; i++)
		k = k * dim[i] + x[i];
	return k;
}

static int split(int64_t n, int64_t *dim)
{
	int rank = 0, want = 1 + rnd(4);
	int64_t d;

	while (rank < want - 1) {
		for (d = 1 + rnd(6); n % d; d--)
			;
		dim[rank++] = d;
		n /= d;
	}
	dim[rank++] = n;
	return rank;
}

static int32_t dev_buf[MOST * 16], loc_buf[MOST * 16];

static void op_reshape(struct family *f)
{
	int64_t dim[RANK], k;
	int rank = split(f->n, dim);

	for (k = 0; k < f->n * f->ndev; k++) {
		dev_buf[k] = (int32_t)(k / f->n);
		loc_buf[k] = (int32_t)(k % f->n);
	}
	become(f, "reshape", rank, dim, 0, NULL, 1, &f->t, dev_buf, loc_buf);
}

static void op_transpose(struct family *f)
{
	int64_t p[RANK], dim[RANK], x[RANK], y[RANK], k;
	int i;

	for (i = 0; i < f->rank; i++)
		p[i] = i;
	for (i = f->rank - 1; i > 0; i--) {
		int j = rnd(i + 1);
		int64_t t = p[i];
		p[i] = p[j];
		p[j] = t;
	}
	for (i = 0; i < f->rank; i++)
		dim[i] = f->dim[p[i]];
	for (k = 0; k < f->n * f->ndev; k++) {
		place_of(f->rank, dim, k % f->n, x);
		for (i = 0; i < f->rank; i++)
			y[p[i]] = x[i];
		dev_buf[k] = (int32_t)(k / f->n);
		loc_buf[k] = (int32_t)flat(f->rank, f->dim, y);
	}
	become(f, "transpose", f->rank, dim, f->rank, p, 1, &f->t, dev_buf, loc_buf);
}

static void op_broadcast(struct family *f)
{
	int64_t at[RANK], dim[RANK], x[RANK], y[RANK], k, n;
	int i, rank = 0;

	for (i = 0; i <= f->rank; i++) {
		if (rank + f->rank - i < RANK && rnd(3) == 0)
			dim[rank++] = 2 + rnd(2);
		if (i < f->rank) {
			at[i] = rank;
			dim[rank++] = f->dim[i];
		}
	}
	n = product(rank, dim);
	if (n > MOST)
		return;
	for (k = 0; k < n * f->ndev; k++) {
		place_of(rank, dim, k % n, x);
		for (i = 0; i < f->rank; i++)
			y[i] = x[at[i]];
		dev_buf[k] = (int32_t)(k / n);
		loc_buf[k] = (int32_t)flat(f->rank, f->dim, y);
	}
	become(f, "broadcast", rank, dim, f->rank, at, 1, &f->t, dev_buf, loc_buf);
}

/* Slices dimension d at ((device / div) mod m) * its part: the digits of an axis. */
static void op_shard(struct family *f)
{
	int64_t dim[RANK], x[RANK], k, div, m, start, n;
	int d = rnd(f->rank), i;
	eg_id arg[RANK + 1], dev, c;

	for (m = 2 + rnd(3); m > 1 && (f->ndev % m || f->dim[d] % m); m--)
		;
	if (m == 1)
		return;
	div = rnd(2) && f->ndev / m > 1 ? f->ndev / m : 1;
	memcpy(dim, f->dim, sizeof dim);
	dim[d] /= m;
	n = f->n / m;
	for (k = 0; k < n * f->ndev; k++) {
		place_of(f->rank, dim, k % n, x);
		start = k / n / div % m * dim[d];
		x[d] += start;
		dev_buf[k] = (int32_t)(k / n);
		loc_buf[k] = (int32_t)flat(f->rank, f->dim, x);
	}
	f->cut[0] = div;
	f->cut[1] = div * m;
	dev = tensor_of(f->p, "partition-id", T_S32, f->ndev, 0, NULL, 2, (int64_t[]){ div, m }, 0, NULL);
	c = tensor_of(f->p, "constant", T_S32, f->ndev, 0, NULL, 1, &dim[d], 0, NULL);
	dev = tensor_of(f->p, "multiply", T_S32, f->ndev, 0, NULL, 0, NULL, 2, (eg_id[]){ dev, c });
	c = tensor_of(f->p, "constant", T_S32, f->ndev, 0, NULL, 1, (int64_t[]){ 0 }, 0, NULL);
	arg[0] = f->t;
	for (i = 0; i < f->rank; i++)
		arg[1 + i] = i == d ? dev : c;
	become(f, "dynamic-slice", f->rank, dim, 0, NULL, f->rank + 1, arg, dev_buf, loc_buf);
}

/* Groups of size m: an axis of the mesh (inner, outer or in the middle), in order or not, or any list. */
static int64_t group_list(struct family *f, int64_t *ints, int64_t *member, int64_t *pos)
{
	int64_t m, div, id[16], k, g = 0, j, n = f->ndev;
	bool used[16] = { 0 };

	for (m = 2 + rnd(3); n % m; m--)
		;
	for (div = 1 + rnd((int)(n / m)); n / m % div; div--)
		;
	f->cut[2] = div;
	f->cut[3] = div * m;
	if (rnd(5)) {
		for (k = 0; k < n; k++)
			if (!used[k])
				for (j = 0; j < m; j++, g++) {
					id[g] = k + j * div;
					used[id[g]] = true;
				}
	} else {
		for (k = 0; k < n; k++)
			id[k] = k;
		for (k = n - 1; k > 0; k--) {
			j = rnd((int)k + 1);
			g = id[k];
			id[k] = id[j];
			id[j] = g;
		}
	}
	ints[0] = n / m;
	for (k = 0; k < n / m; k++)
		ints[1 + k] = m;
	for (k = 0; k < n; k++) {
		ints[1 + n / m + k] = id[k];
		pos[id[k]] = k % m;
		for (j = 0; j < m; j++)
			member[id[k] * m + j] = id[k / m * m + j];
	}
	return m;
}

static void op_gather(struct family *f, bool exchange)
{
	int64_t ints[64], member[256], pos[16], m = group_list(f, ints + 1, member, pos), dim[RANK], x[RANK], k, n, part, q;
	int d = rnd(f->rank);

	ints[0] = d;
	memcpy(dim, f->dim, sizeof dim);
	if (exchange && dim[d] % m)
		return;
	part = exchange ? dim[d] / m : dim[d];
	if (!exchange)
		dim[d] *= m;
	n = product(f->rank, dim);
	if (n > MOST)
		return;
	for (k = 0; k < n * f->ndev; k++) {
		int64_t r = k / n;
		place_of(f->rank, dim, k % n, x);
		q = x[d] / part;
		x[d] = x[d] % part + (exchange ? pos[r] * part : 0);
		dev_buf[k] = (int32_t)member[r * m + q];
		loc_buf[k] = (int32_t)flat(f->rank, f->dim, x);
	}
	become(f, exchange ? "all-to-all" : "all-gather", f->rank, dim, (int)(2 + f->ndev / m + f->ndev), ints, 1, &f->t, dev_buf, loc_buf);
}

/* ---- is there a layout?  By brute force: independent of how lists are kept. */

/* g(0..n-1) as digits; strides are marked in `seen` by (stride, size); false: it is none. */
static bool is_list(int64_t n, const int32_t *g, int64_t step, int64_t *size, int64_t *stride, int *cnt)
{
	int64_t m, k, best = 0;

	if (n == 1)
		return true;
	for (m = 2; m <= n; m++) {	/* the longest low digit */
		if (n % m)
			continue;
		for (k = 0; k < m && g[k * step] == g[0] + k * (g[step] - g[0]); k++)
			;
		if (k < m)
			break;
		for (k = 0; k < n; k++)
			if (g[k * step] - g[0] != g[k / m * m * step] - g[0] + (k % m) * (g[step] - g[0]))
				break;
		if (k == n)
			best = m;
	}
	if (!best || g[step] < g[0])
		return false;
	size[*cnt] = best;
	stride[(*cnt)++] = g[step] - g[0];
	return is_list(n / best, g, step * best, size, stride, cnt);
}

/* Do these boundaries and those of the digits (least significant first) divide each other? */
static bool divides(int cnt, const int64_t *size, int n, const int64_t *bound)
{
	int64_t x = 1;
	int i, j;

	for (i = 0; i < cnt; i++)
		for (x *= size[i], j = 0; j < n; j++)
			if (bound[j] && x % bound[j] && bound[j] % x)
				return false;
	return true;
}

static bool dims_divide(const struct family *f, int cnt, const int64_t *size)
{
	int64_t bound[RANK], y = 1;
	int j;

	for (j = f->rank - 1; j >= 0; j--)
		bound[j] = y *= f->dim[j];
	return divides(cnt, size, f->rank, bound);
}

static bool is_layout(struct family *f, int64_t len)
{
	int64_t size[64], stride[64], w = 1, r, k;
	int cnt = 0, ndev, i, found;
	int32_t dev[16];

	for (r = 0; r < f->ndev; r++)
		dev[r] = f->at[r * f->n];
	if (f->at[0] || !is_list(f->ndev, dev, 1, size, stride, &cnt))
		return false;
	ndev = cnt;
	if (!is_list(f->n, f->at, 1, size, stride, &cnt))
		return false;
	f->apart = f->apart || !dims_divide(f, cnt - ndev, size + ndev) || !divides(ndev, size, 4, f->cut);
	for (r = 0; r < f->ndev; r++)
		for (k = 0; k < f->n; k++)
			if (f->at[r * f->n + k] != dev[r] + f->at[k])
				return false;
	for (found = 0; found < cnt; found++) {
		for (i = 0; i < cnt && stride[i] != w; i++)
			;
		if (i == cnt)
			break;
		w *= size[i];
	}
	for (i = 0; i < cnt; i++)
		found -= stride[i] != 0;
	return w == len && found == 0;
}

static int64_t list_at(int n, const digit *d, int64_t at)
{
	int64_t r = 0;

	while (n--) {
		r += at % d[n].size * d[n].stride;
		at /= d[n].size;
	}
	return r;
}

struct seen { uint64_t map, form; };
static struct seen seen[CHAINS * 12];
static int nseen, layouts, others;

static void fail_layout(struct family *f, int64_t len, eg_id cell)
{
	int64_t r, k;

	print_message("%lld places, form %u:\n", (long long)len, cell);
	for (r = 0; r < f->ndev; r++, print_message("\n"))
		for (k = 0; k < f->n; k++)
			print_message(" %d", f->at[r * f->n + k]);
	fail_msg("a layout was not found");
}

static uint64_t print_of(uint64_t h, int64_t v)
{
	h = (h + (uint64_t)v + 0x9e3779b97f4a7c15ull) * 0xbf58476d1ce4e5b9ull;
	h = (h ^ h >> 27) * 0x94d049bb133111ebull;
	return h ^ h >> 31;
}

static void check_family(struct family *f, eg_id x)
{
	algebra *a = &f->p->a;
	eg_id cell = laid_cell(a, f->t);
	layout l;
	int64_t r, k;
	size_t nb;
	const void *bytes;

	if (cell == NIL) {
		const char *why = NULL, *family = eg_family(f->p->g, eg_op_family(f->p->g, eg_node_op(f->p->g, f->t)))->name;
		char rule[64];
		snprintf(rule, sizeof rule, "lift-%s", family);
		prover_try(f->p, prover_rule_named(f->p, rule), f->t, &why);
		fail_msg("%s has no form: %s", family, why ? why : "no rule");
	}
	l = layout_of(a, cell);
	if (eg_root(a->g, eg_args(a->g, cell)[0]) != eg_root(a->g, x)) {
		core_eval e;
		const values *v;
		others++;
		if (is_layout(f, core_len(a, x)) && !f->apart)
			fail_layout(f, core_len(a, x), cell);
		f->apart = true;
		core_eval_run(&e, a, seed, false);
		v = core_eval_laid(&e, cell);
		for (k = 0; k < f->n * f->ndev; k++)
			if (v->f[k] != e.node[x].f[f->at[k]])
				fail_msg("place %lld differs", (long long)k);
		core_eval_free(&e);
		return;
	}
	layouts++;
	assert_true(is_layout(f, core_len(a, x)));
	for (r = 0; r < f->ndev; r++)
		for (k = 0; k < f->n; k++)
			if (list_at(l.nd, l.dev, r) + list_at(l.nl, l.loc, k) != f->at[r * f->n + k])
				fail_msg("device %lld, place %lld differs", (long long)r, (long long)k);
	bytes = eg_value_bytes(a->g, node_val(a, cell, 0), &nb);
	seen[nseen].form = print_of(print_of(1, core_len(a, x)), (int64_t)nb);
	for (k = 0; k < (int64_t)(nb / 8); k++)
		seen[nseen].form = print_of(seen[nseen].form, ((const int64_t *)bytes)[k]);
	seen[nseen].map = print_of(print_of(print_of(2, core_len(a, x)), f->ndev), f->rank);
	for (k = 0; k < f->rank; k++)
		seen[nseen].map = print_of(seen[nseen].map, f->dim[k]);
	for (k = 0; k < f->n * f->ndev; k++)
		seen[nseen].map = print_of(seen[nseen].map, f->at[k]);
	nseen++;
}

static void start(struct family *f, prover *p, eg_id *x)
{
	static const int devices[] = { 1, 2, 3, 4, 6, 8, 12 };
	algebra *a = &p->a;
	digit d[2];
	layout l;
	int64_t k;

	f->p = p;
	f->apart = false;
	memset(f->cut, 0, sizeof f->cut);
	f->ndev = devices[rnd(7)];
	do {
		f->rank = 1 + rnd(3);
		for (k = 0; k < f->rank; k++)
			f->dim[k] = 1 + rnd(8);
		f->n = product(f->rank, f->dim);
	} while (f->n > 96);
	d[0] = (digit){ f->ndev, rnd(2) ? 0 : f->n };	/* replicated, or a family of its own */
	d[1] = (digit){ f->n, 1 };
	l = (layout){ f->ndev, f->rank, 1, 1, f->dim, d, d + 1 };
	*x = core_param(a, T_F32, d[0].stride ? f->n * f->ndev : f->n, "input 0");
	f->t = layout_laid(a, &l, *x);
	f->at = malloc(sizeof *f->at * (size_t)(f->n * f->ndev));
	for (k = 0; k < f->n * f->ndev; k++)
		f->at[k] = (int32_t)(d[0].stride ? k : k % f->n);
	normal_origin(a, *x);
}

static int by_map(const void *x, const void *y)
{
	const struct seen *a = x, *b = y;

	return a->map != b->map ? (a->map > b->map) - (a->map < b->map) : (a->form > b->form) - (a->form < b->form);
}

static int by_form(const void *x, const void *y)
{
	const struct seen *a = x, *b = y;

	return a->form != b->form ? (a->form > b->form) - (a->form < b->form) : (a->map > b->map) - (a->map < b->map);
}

static void test_chains(void **state)
{
	prover *p = lab_prover(NULL);
	trail_mark m = trail_at(p->a.tr);
	struct family f;
	int k, s, distinct = 0;
	eg_id x;

	(void)state;
	seed = 0x1234567;
	for (k = 0; k < CHAINS; k++) {
		arena_mark am = arena_at(&p->a.s.a);
		start(&f, p, &x);
		for (s = 1 + rnd(6); s > 0; s--) {
			switch (rnd(8)) {
			case 0: case 1: op_reshape(&f); break;
			case 2: case 3: op_transpose(&f); break;
			case 4: op_broadcast(&f); break;
			case 5: op_shard(&f); break;
			case 6: op_gather(&f, false); break;
			default: op_gather(&f, true);
			}
			check_family(&f, x);
		}
		free(f.at);
		trail_undo(p->a.tr, m);
		arena_reset(&p->a.s.a, am);
	}
	qsort(seen, (size_t)nseen, sizeof *seen, by_map);
	for (k = 1; k < nseen; k++) {
		distinct += seen[k].map != seen[k - 1].map;
		if (seen[k].map == seen[k - 1].map && seen[k].form != seen[k - 1].form)
			fail_msg("one map, two layouts");
	}
	qsort(seen, (size_t)nseen, sizeof *seen, by_form);
	for (k = 1; k < nseen; k++)
		if (seen[k].form == seen[k - 1].form && seen[k].map != seen[k - 1].map)
			fail_msg("two maps, one layout");
	print_message("%d chains, %d layouts (%d distinct maps), %d that are none\n", CHAINS, layouts, distinct, others);
	assert_true(layouts > 10000 && others > 500 && distinct > 3000);
	prover_free(p);
}

/* ---- composition through views */

static int random_list(int64_t n, digit *d, int64_t *len)
{
	int64_t size[RANK], order[RANK], w = 1;
	int k, rank = split(n, size), j;

	for (k = 0; k < rank; k++)
		order[k] = k;
	for (k = rank - 1; k > 0; k--) {
		int64_t t = order[k];
		j = rnd(k + 1);
		order[k] = order[j];
		order[j] = t;
	}
	for (k = rank - 1; k >= 0; k--) {
		d[order[k]] = (digit){ size[order[k]], rnd(4) ? w : 0 };
		if (d[order[k]].stride)
			w *= size[order[k]];
	}
	*len = w;
	return rank;
}

static void test_through_views(void **state)
{
	prover *p = lab_prover(NULL);
	algebra *a = &p->a;
	int k, composed = 0, refused = 0;

	(void)state;
	seed = 99;
	for (k = 0; k < 4000; k++) {
		arena_mark am = arena_at(&a->s.a);
		digit part[2 * RANK], view[RANK];
		int64_t len, ylen, r, i, dim = 1;
		volatile int nv;
		layout l = { 0 }, out;
		static const int64_t sizes[] = { 12, 24, 36, 48, 60, 72, 96, 120 };
		int n = random_list(sizes[rnd(8)], part, &len), cut = rnd(n + 1);
		nv = random_list(len, view, &ylen);
		for (i = cut; i < n; i++)
			dim *= part[i].size;
		l = (layout){ digits_total(cut, part), 1, cut, n - cut, &dim, part, part + cut };
		if (setjmp(a->s.out)) {
			assert_true(strstr(a->s.reason, "divide") || strstr(a->s.reason, "table"));
			refused++;
		} else if (layout_through(a, &l, nv, view, &out)) {
			composed++;
			for (r = 0; r < l.ndev; r++)
				for (i = 0; i < dim; i++)
					assert_int_equal(list_at(out.nd, out.dev, r) + list_at(out.nl, out.loc, i),
							 list_at(nv, view, list_at(l.nd, l.dev, r) + list_at(l.nl, l.loc, i)));
		} else {
			refused++;
		}
		arena_reset(&a->s.a, am);
	}
	assert_true(composed > 1000 && refused > 100);
	prover_free(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_chains),
		cmocka_unit_test(test_through_views),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
