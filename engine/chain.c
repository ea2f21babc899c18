#include "chain.h"

#include <stdlib.h>
#include <string.h>
#include "prim.h"

ix **mesh_axes(algebra *a, const mesh *ms, ix *r)
{
	int64_t *size = ARENA_ARRAY(&a->s.a, int64_t, ms->n);
	int k;

	for (k = 0; k < ms->n; k++)
		size[k] = ms->axis[k].size;
	return ix_digits(&a->s, r, ms->n, size);
}

ix *mesh_device(algebra *a, const mesh *ms, ix *const *axis)
{
	ix *r = ix_const(&a->s, 0);
	int64_t w = 1;
	int k;

	for (k = ms->n - 1; k >= 0; w *= ms->axis[k--].size)
		r = ix_add(&a->s, r, ix_times(&a->s, axis[k], w));
	return r;
}

/* ---- shapes */

struct shapes {			/* before every step, and after the last */
	int n, *rank;
	int64_t **dim;
};

static int64_t product(int n, const int64_t *v)
{
	int64_t p = 1;
	int i;

	for (i = 0; i < n; i++)
		p *= v[i];
	return p;
}

static void need_dim(algebra *a, const chain_step *s, int rank)
{
	if (s->dim < 0 || s->dim >= rank)
		stuck(&a->s, "dimension %d of a tensor of %d dimensions", s->dim, rank);
}

static void shape_shard(algebra *a, const mesh *ms, const chain_step *s, int64_t *d)
{
	int64_t n = ms->axis[s->axis].size, sum = 0;
	int k;

	for (k = 0; k < s->n; k++) {
		sum += s->v[k];
		if (s->v[k] % n)
			stuck(&a->s, "a segment of %lld is not divided by axis %s of size %lld", (long long)s->v[k], ms->axis[s->axis].name,
			      (long long)n);
	}
	if (s->n && sum != d[s->dim])
		stuck(&a->s, "the segments add up to %lld, dimension %d has %lld", (long long)sum, s->dim, (long long)d[s->dim]);
	if (d[s->dim] % n)
		stuck(&a->s, "axis %s of size %lld does not divide dimension %d of %lld", ms->axis[s->axis].name, (long long)n, s->dim,
		      (long long)d[s->dim]);
	d[s->dim] /= n;
}

static void shape_step(algebra *a, const mesh *ms, const chain_step *s, int rank, const int64_t *in, int *outr, int64_t **out)
{
	int64_t *d = ARENA_ARRAY(&a->s.a, int64_t, rank > s->n ? rank : s->n);
	int k;

	if (rank)
		memcpy(d, in, sizeof *d * (size_t)rank);
	*outr = rank;
	*out = d;
	switch (s->kind) {
	case CHAIN_SHARD:
		need_dim(a, s, rank);
		shape_shard(a, ms, s, d);
		break;
	case CHAIN_RESHAPE:
		if (product(s->n, s->v) != product(rank, in))
			stuck(&a->s, "reshape of %lld elements to %lld", (long long)product(rank, in), (long long)product(s->n, s->v));
		for (k = 0; k < s->n; k++)
			d[k] = s->v[k];
		*outr = s->n;
		break;
	case CHAIN_TRANSPOSE:
		if (s->n != rank)
			stuck(&a->s, "transpose of %d dimensions, the tensor has %d", s->n, rank);
		for (k = 0; k < rank; k++)
			d[k] = in[s->v[k]];
		break;
	case CHAIN_PAD:
		need_dim(a, s, rank);
		if (s->to < d[s->dim])
			stuck(&a->s, "pad to %lld, dimension %d has %lld", (long long)s->to, s->dim, (long long)d[s->dim]);
		d[s->dim] = s->to;
		break;
	case CHAIN_REPEAT:
		need_dim(a, s, rank);
		d[s->dim] *= s->count;
		break;
	case CHAIN_TAKE:
		need_dim(a, s, rank);
		if (s->unit < 1 || d[s->dim] % s->unit)
			stuck(&a->s, "blocks of %lld do not divide dimension %d of %lld", (long long)s->unit, s->dim, (long long)d[s->dim]);
		for (k = 0; k < s->n; k++)
			if (s->v[k] >= d[s->dim] / s->unit)
				stuck(&a->s, "block %lld, dimension %d has %lld", (long long)s->v[k], s->dim, (long long)(d[s->dim] / s->unit));
		d[s->dim] = s->n * s->unit;
		break;
	case CHAIN_IGNORE:
		need_dim(a, s, rank);
		break;
	case CHAIN_PARTIAL: case CHAIN_SCALE: case CHAIN_CONVERT:
		break;
	}
}

static struct shapes all_shapes(algebra *a, const mesh *ms, const chain *c, int rank, const int64_t *dim)
{
	struct shapes s = { c->n, ARENA_ARRAY(&a->s.a, int, c->n + 1), ARENA_ARRAY(&a->s.a, int64_t *, c->n + 1) };
	int k;

	s.rank[0] = rank;
	s.dim[0] = (int64_t *)dim;
	for (k = 0; k < c->n; k++)
		shape_step(a, ms, &c->step[k], s.rank[k], s.dim[k], &s.rank[k + 1], &s.dim[k + 1]);
	return s;
}

int64_t *chain_shape(algebra *a, const mesh *ms, const chain *c, int rank, const int64_t *dim, int *out_rank)
{
	struct shapes s = all_shapes(a, ms, c, rank, dim);

	*out_rank = s.rank[c->n];
	return s.dim[c->n];
}

/* ---- backward */

/* A function of several expressions given by its values: table over fresh labels, then substituted. */
static ix *table_of(algebra *a, int n, const int64_t *size, const int64_t *v, ix **at)
{
	label **l = ARENA_ARRAY(&a->s.a, label *, n);
	int k;

	for (k = 0; k < n; k++)
		l[k] = label_new(&a->s, size[k]);
	return ix_subst(&a->s, ix_table(&a->s, n, l, v), n, l, at);
}

static ix *back_segments(algebra *a, const chain_step *s, int64_t axis, int64_t local, ix *r, ix *e)
{
	int64_t size[2] = { axis, local }, *v, k, j, off = 0, at = 0, x;
	ix *args[2] = { r, e };
	int g;

	if (axis * local > TABLE_MAX)
		stuck(&a->s, "a table of %lld entries would be needed", (long long)(axis * local));
	v = ARENA_ARRAY(&a->s.a, int64_t, axis * local);
	for (g = 0; g < s->n; at += s->v[g] / axis, off += s->v[g], g++)
		for (k = 0; k < axis; k++)
			for (j = 0; j < s->v[g] / axis; j++) {
				x = off + k * (s->v[g] / axis) + j;
				v[k * local + at + j] = x;
			}
	return table_of(a, 2, size, v, args);
}

struct walk {
	ix **e;
	int rank;
};

static struct chain_test *new_test(chain_place *p)
{
	struct chain_test *t = &p->test[p->ntest++];

	memset(t, 0, sizeof *t);
	return t;
}

static ix *clip_to(algebra *a, ix *e, int64_t n);

static void back_step(algebra *a, const chain_step *s, int id, int rank, const int64_t *dim, int arank, const int64_t *after,
		      int64_t axis_size, ix *axis, struct walk *w, chain_place *p)
{
	ix **e = ARENA_ARRAY(&a->s.a, ix *, rank > arank ? rank : arank), *q, *m;
	struct chain_test *t;
	int k;

	memcpy(e, w->e, sizeof *e * (size_t)arank);
	switch (s->kind) {
	case CHAIN_SHARD:
		if (s->n)
			e[s->dim] = back_segments(a, s, axis_size, after[s->dim], axis, w->e[s->dim]);
		else
			e[s->dim] = ix_add(&a->s, w->e[s->dim], ix_times(&a->s, axis, after[s->dim]));
		break;
	case CHAIN_RESHAPE:
		memcpy(e, ix_digits(&a->s, flat_index(a, arank, after, w->e), rank, dim), sizeof *e * (size_t)rank);
		break;
	case CHAIN_TRANSPOSE:
		for (k = 0; k < rank; k++)
			e[s->v[k]] = w->e[k];
		break;
	case CHAIN_PAD:
		t = new_test(p);
		t->e = w->e[s->dim];
		t->hi = dim[s->dim];
		t->zero = s->zero;
		t->id = id;
		t->pad = flat_index(a, arank, after, w->e);
		t->padlen = product(arank, after);
		e[s->dim] = clip_to(a, w->e[s->dim], dim[s->dim]);
		break;
	case CHAIN_REPEAT:
		ix_divmod(&a->s, w->e[s->dim], s->count, &e[s->dim], &m);
		break;
	case CHAIN_TAKE:
	{
		int64_t size = s->n, *v = ARENA_ARRAY(&a->s.a, int64_t, s->n);
		bool zeros = false;
		for (k = 0; k < s->n; k++) {
			v[k] = s->v[k] < 0 ? 0 : s->v[k];
			zeros = zeros || s->v[k] < 0;
		}
		ix_divmod(&a->s, w->e[s->dim], s->unit, &q, &m);
		if (zeros) {	/* 1 where the block is one of the baseline's */
			int64_t *ok = ARENA_ARRAY(&a->s.a, int64_t, s->n);
			for (k = 0; k < s->n; k++)
				ok[k] = s->v[k] >= 0;
			t = new_test(p);
			t->e = table_of(a, 1, &size, ok, &q);
			t->lo = 1;
			t->hi = 2;
			t->zero = true;
		}
		e[s->dim] = ix_add(&a->s, ix_times(&a->s, table_of(a, 1, &size, v, &q), s->unit), m);
		break;
	}
	case CHAIN_IGNORE:
	{
		int64_t size = after[s->dim], *ok;
		if (size > TABLE_MAX)
			stuck(&a->s, "a table of %lld entries would be needed", (long long)size);
		ok = ARENA_ARRAY(&a->s.a, int64_t, size);
		for (k = 0; k < size; k++)
			ok[k] = 1;
		for (k = 0; k < s->n; k++)
			if (s->v[k] >= 0 && s->v[k] < size)
				ok[s->v[k]] = 0;
		t = new_test(p);
		t->e = table_of(a, 1, &size, ok, &w->e[s->dim]);
		t->lo = 1;
		t->hi = 2;
		t->id = id;
		t->pad = flat_index(a, arank, after, w->e);
		t->padlen = product(arank, after);
		break;
	}
	case CHAIN_PARTIAL:
		p->part[p->npart] = axis;
		p->partsize[p->npart++] = axis_size;
		p->op = s->op;
		break;
	case CHAIN_SCALE:
		if (!rat_mul(&p->coef, p->coef, s->scale))
			stuck(&a->s, "a constant of more than 64 bits");
		break;
	case CHAIN_CONVERT:
		p->convert = s->type;
		break;
	}
	w->e = e;
	w->rank = rank;
}

static int64_t f_clip(int64_t v, const void *n)
{
	return v < 0 ? 0 : v >= *(const int64_t *)n ? *(const int64_t *)n - 1 : v;
}

static ix *clip_to(algebra *a, ix *e, int64_t n)
{
	int64_t lo, hi;

	ix_range(&a->s, e, &lo, &hi);
	return lo >= 0 && hi < n ? e : ix_map(&a->s, e, f_clip, &n);
}

chain_place chain_back(algebra *a, const mesh *ms, const chain *c, int rank, const int64_t *dim, ix *r, ix *const *e)
{
	struct shapes s = all_shapes(a, ms, c, rank, dim);
	ix **axis = mesh_axes(a, ms, r);
	chain_place p = { 0 };
	struct walk w = { (ix **)e, s.rank[c->n] };
	int k;

	p.coef = RAT_ONE;
	p.convert = -1;
	p.test = ARENA_ARRAY(&a->s.a, struct chain_test, c->n);
	p.part = ARENA_ARRAY(&a->s.a, ix *, c->n);
	p.partsize = ARENA_ARRAY(&a->s.a, int64_t, c->n);
	for (k = c->n - 1; k >= 0; k--) {
		const chain_step *st = &c->step[k];
		bool ax = st->kind == CHAIN_SHARD || st->kind == CHAIN_PARTIAL;
		back_step(a, st, k, s.rank[k], s.dim[k], s.rank[k + 1], s.dim[k + 1], ax ? ms->axis[st->axis].size : 1,
			  ax ? axis[st->axis] : NULL, &w, &p);
	}
	p.e = w.e;
	p.rank = rank;
	return p;
}

/* ---- forward */

static void forward_step(algebra *a, const mesh *ms, const chain_step *s, int rank, const int64_t *dim, int arank, const int64_t *after,
			 ix **axis, ix ***e)
{
	ix **out = ARENA_ARRAY(&a->s.a, ix *, rank > arank ? rank : arank), *q, *m;
	int k;

	memcpy(out, *e, sizeof *out * (size_t)rank);
	switch (s->kind) {
	case CHAIN_SHARD:
		if (s->n) {	/* place -> (device, local): tables over the dimension */
			int64_t n = dim[s->dim], ax = ms->axis[s->axis].size, *vd, *vl, x = 0, at = 0, j, d;
			int g;
			if (n > TABLE_MAX)
				stuck(&a->s, "a table of %lld entries would be needed", (long long)n);
			vd = ARENA_ARRAY(&a->s.a, int64_t, n);
			vl = ARENA_ARRAY(&a->s.a, int64_t, n);
			for (g = 0; g < s->n; at += s->v[g] / ax, g++)
				for (d = 0; d < ax; d++)
					for (j = 0; j < s->v[g] / ax; j++, x++) {
						vd[x] = d;
						vl[x] = at + j;
					}
			axis[s->axis] = table_of(a, 1, &n, vd, &(*e)[s->dim]);
			out[s->dim] = table_of(a, 1, &n, vl, &(*e)[s->dim]);
		} else {
			ix_divmod(&a->s, (*e)[s->dim], after[s->dim], &q, &m);
			axis[s->axis] = q;
			out[s->dim] = m;
		}
		break;
	case CHAIN_RESHAPE:
		out = ix_digits(&a->s, flat_index(a, rank, dim, *e), arank, after);
		break;
	case CHAIN_TRANSPOSE:
		for (k = 0; k < rank; k++)
			out[k] = (*e)[s->v[k]];
		break;
	case CHAIN_PAD: case CHAIN_IGNORE: case CHAIN_PARTIAL: case CHAIN_SCALE: case CHAIN_CONVERT:
		break;
	case CHAIN_REPEAT: case CHAIN_TAKE:
		stuck(&a->s, "this chain is not read forward");
	}
	*e = out;
}

chain_held chain_forward(algebra *a, const mesh *ms, const chain *c, int rank, const int64_t *dim, ix *const *b, ix *const *axis_free)
{
	struct shapes s = all_shapes(a, ms, c, rank, dim);
	ix **axis = ARENA_ARRAY(&a->s.a, ix *, ms->n), **e = (ix **)b;
	chain_held h;
	int k;

	memcpy(axis, axis_free, sizeof *axis * (size_t)ms->n);
	for (k = 0; k < c->n; k++)
		forward_step(a, ms, &c->step[k], s.rank[k], s.dim[k], s.rank[k + 1], s.dim[k + 1], axis, &e);
	h.r = mesh_device(a, ms, axis);
	h.e = e;
	h.rank = s.rank[c->n];
	return h;
}

int64_t chain_parts(const mesh *ms, const chain *c, const char **op)
{
	int64_t n = 1;
	int k;

	for (k = 0; k < c->n; k++)
		if (c->step[k].kind == CHAIN_PARTIAL) {
			n *= ms->axis[c->step[k].axis].size;
			*op = c->step[k].op;
		}
	return n;
}

rat chain_scale(const chain *c)
{
	rat r = RAT_ONE;
	int k;

	for (k = 0; k < c->n; k++)
		if (c->step[k].kind == CHAIN_SCALE && !rat_mul(&r, r, c->step[k].scale))
			return RAT_ZERO;
	return r;
}

int chain_type(const chain *c, int type)
{
	int k;

	for (k = 0; k < c->n; k++)
		if (c->step[k].kind == CHAIN_CONVERT)
			type = c->step[k].type;
	return type;
}

/* ---- the tensor a chain makes */

static slot mask_slot(algebra *a, const struct chain_test *t)
{
	label **l;
	int n = ix_labels(&a->s, t->e, &l);
	int64_t cnt = grid_size(&a->s, n, l), i, *v = ix_values(&a->s, t->e, n, l);
	double *d = ARENA_ARRAY(&a->s.a, double, cnt);

	for (i = 0; i < cnt; i++)
		d[i] = v[i] >= t->lo && v[i] < t->hi;
	return slot_table(T_PRED, n, l, d, RAT_ONE);
}

static slot zero_slot(algebra *a, int type)
{
	if (type_is_int(type))
		return slot_read(core_line(a, type), ix_const(&a->s, 0), RAT_ONE);
	return slot_read(core_rat(a, type == T_PRED ? T_PRED : TYPE_REAL, RAT_ZERO), ix_const(&a->s, 0), RAT_ONE);
}

static work *framed(algebra *a, enum core_kind k, int type, int nslot, int nfree, label **free)
{
	work *w = work_new(a, k, type, nslot);

	work_set_free(a, w, nfree, free);
	w->nslot = nslot;
	return w;
}

/* Values where the chain says arbitrary are those of a new core, every device's its own; free[0] is the device. */
slot chain_tested(algebra *a, const chain_place *p, slot t, int type, int nfree, label **free, const char *name)
{
	int64_t ndev = free[0]->n;
	int k;

	for (k = 0; k < p->ntest; k++) {
		const struct chain_test *c = &p->test[k];
		work *w = framed(a, C_MAP, type, 3, nfree, free);
		char *pad = arena_printf(&a->s.a, "padding %d of %s", c->id, name);
		w->fn = val_name(a, "select");
		w->slot[0] = mask_slot(a, c);
		w->slot[1] = t;
		w->slot[2] = c->zero ? zero_slot(a, type) :
			slot_read(core_param(a, type, ndev * c->padlen, pad), ix_add(&a->s, ix_times(&a->s, ix_of(&a->s, free[0], 1), c->padlen), c->pad), RAT_ONE);
		t = slot_of_work(a, w, RAT_ONE);
	}
	return t;
}

eg_id chain_apply(algebra *a, const mesh *ms, const chain *c, int type, const layout *base, eg_id x, int brank, const int64_t *bdim,
		  int rank, const int64_t *dim, const char *name)
{
	scratch *s = &a->s;
	label **l = ARENA_ARRAY(&s->a, label *, rank + 1);
	ix **e = ARENA_ARRAY(&s->a, ix *, rank), *r, *at;
	layout y = { ms->ndev, rank, 0, 0, dim, NULL, NULL };
	digit *dev = ARENA_ARRAY(&s->a, digit, 64), *loc = ARENA_ARRAY(&s->a, digit, 128), *all;
	chain_place p;
	placed q;
	slot t;
	work *w;
	int k, j, m;
	label *leaf[64];

	l[0] = label_new(s, ms->ndev);
	r = ix_of(s, l[0], 1);
	for (k = 0; k < rank; k++) {
		l[1 + k] = label_new(s, dim[k]);
		e[k] = ix_of(s, l[1 + k], 1);
	}
	p = chain_back(a, ms, c, brank, bdim, r, e);
	at = flat_index(a, brank, bdim, p.e);
	if (p.npart) {	/* the parts are a core of their own: the axes' digits in front, no scale */
		int64_t stride = product(brank, bdim);
		for (k = 0; k < p.npart; k++) {
			at = ix_add(s, at, ix_times(s, p.part[k], stride));
			stride *= p.partsize[k];
		}
		p.coef = RAT_ONE;
	} else {
		at = layout_read(a, base, ix_const(s, 0), at);
	}
	at = ix_norm(s, at);
	if (!p.ntest && rat_is_int(p.coef, 1) && p.convert < 0) {
		y.nd = digits_of_ix(s, at, 1, l, dev, 64);
		y.nl = digits_of_ix(s, at, rank, l + 1, loc, 128);
		if (y.nd >= 0 && y.nl >= 0) {
			all = ARENA_ARRAY(&s->a, digit, y.nd + y.nl);
			memcpy(all, dev, sizeof *dev * (size_t)y.nd);
			memcpy(all + y.nd, loc, sizeof *loc * (size_t)y.nl);
			y.dev = dev;
			y.loc = loc;
			if (digits_cover(y.nd + y.nl, all, core_len(a, x)))
				return layout_laid(a, &y, x);
		}
	}
	t = chain_tested(a, &p, slot_read(x, at, RAT_ONE), core_type(a, x), rank + 1, l, name);
	if (!rat_is_int(p.coef, 1)) {
		w = framed(a, C_SUM, type, 1, rank + 1, l);
		w->slot[0] = t;
		w->slot[0].c = p.coef;
		t = slot_of_work(a, w, RAT_ONE);
	}
	if (p.convert >= 0) {
		w = framed(a, C_MAP, p.convert, 1, rank + 1, l);
		w->fn = val_name(a, "convert");
		w->slot[0] = t;
		t = slot_of_work(a, w, RAT_ONE);
	}
	w = framed(a, C_AT, core_type(a, t.x), 1, rank + 1, l);
	w->slot[0] = t;
	q = work_make(a, w);
	y.nd = y.nl = 0;
	for (k = 0; k <= rank; k++) {
		m = label_leaves(l[k], leaf, 64);
		for (j = 0; j < m; j++) {
			int z;
			digit d;
			for (z = 0; z < q.nleaf && q.leaf[z] != leaf[j]; z++)
				;
			d = (digit){ leaf[j]->n, z < q.nleaf ? q.stride[z] : 0 };
			if (k == 0)
				dev[y.nd++] = d;
			else
				loc[y.nl++] = d;
		}
	}
	y.dev = dev;
	y.loc = loc;
	return layout_laid(a, &y, q.n);
}
