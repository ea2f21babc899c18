#include "pair/chain.h"

#include <stdlib.h>
#include <string.h>
#include "prim/prim.h"

static int64_t *axis_sizes(algebra *a, const mesh *ms)
{
	int64_t *size = ARENA_ARRAY(&a->s.a, int64_t, ms->n);
	int k;

	for (k = 0; k < ms->n; k++)
		size[k] = ms->axis[k].size;
	return size;
}

ix **mesh_axes(algebra *a, const mesh *ms, ix *r)
{
	return ix_digits(&a->s, r, ms->n, axis_sizes(a, ms));
}

ix *mesh_device(algebra *a, const mesh *ms, ix *const *axis)
{
	return flat_index(a, ms->n, axis_sizes(a, ms), axis);
}

/* ---- shapes */

struct shapes {			/* before every step, and after the last */
	int n, *rank;
	int64_t **dim;
};

static int64_t times(algebra *a, int64_t x, int64_t y)
{
	if (__builtin_mul_overflow(x, y, &x))
		stuck(&a->s, "the relation speaks of more elements than can be counted");
	return x;
}

static int64_t product(algebra *a, int n, const int64_t *v)
{
	int64_t p = 1;
	int i;

	for (i = 0; i < n; i++)
		p = times(a, p, v[i]);
	return p;
}

static bool of_dim(enum chain_kind k)
{
	return k == CHAIN_SHARD || k == CHAIN_PAD || k == CHAIN_REPEAT || k == CHAIN_TAKE || k == CHAIN_IGNORE;
}

/* NULL, or why a step does not go with so many dimensions. */
static const char *stray_step(arena *out, const chain_step *s, int rank)
{
	if (of_dim(s->kind) && (s->dim < 0 || s->dim >= rank))
		return arena_printf(out, "no dimension %d: the tensor has %d, numbered from 0", s->dim, rank);
	if (s->kind == CHAIN_TRANSPOSE && s->n != rank)
		return arena_printf(out, "transpose of %d dimensions, the tensor has %d", s->n, rank);
	return NULL;
}

const char *chain_stray(arena *out, const chain *c, int rank)
{
	const char *why = NULL;
	int k;

	for (k = 0; k < c->n && !(why = stray_step(out, &c->step[k], rank)); k++)
		if (c->step[k].kind == CHAIN_RESHAPE)
			rank = c->step[k].n;
	return why;
}

static void shape_shard(algebra *a, const mesh *ms, const chain_step *s, int64_t *d)
{
	int64_t n = ms->axis[s->axis].size, sum = 0;
	int k;

	for (k = 0; k < s->n; k++) {
		if (__builtin_add_overflow(sum, s->v[k], &sum))
			stuck(&a->s, "a segment of %lld, dimension %d has %lld", (long long)s->v[k], s->dim, (long long)d[s->dim]);
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

static void shape_reshape(algebra *a, const chain_step *s, int rank, const int64_t *in, int64_t *d)
{
	int64_t from = product(a, rank, in), to = product(a, s->n, s->v);
	int k;

	if (from != to)
		stuck(&a->s, "reshape of %lld elements to %lld", (long long)from, (long long)to);
	for (k = 0; k < s->n; k++)
		d[k] = s->v[k];
}

static void shape_transpose(const chain_step *s, int rank, const int64_t *in, int64_t *d)
{
	int k;

	for (k = 0; k < rank; k++)
		d[k] = in[s->v[k]];
}

static void shape_pad(algebra *a, const chain_step *s, int64_t *d)
{
	if (s->to < d[s->dim])
		stuck(&a->s, "pad to %lld, dimension %d has %lld", (long long)s->to, s->dim, (long long)d[s->dim]);
	d[s->dim] = s->to;
}

static void shape_take(algebra *a, const chain_step *s, int64_t *d)
{
	int64_t n = d[s->dim];
	int k;

	if (s->unit < 1 || n % s->unit)
		stuck(&a->s, "blocks of %lld do not divide dimension %d of %lld", (long long)s->unit, s->dim, (long long)n);
	for (k = 0; k < s->n; k++)
		if (s->v[k] >= n / s->unit)
			stuck(&a->s, "block %lld, dimension %d has %lld", (long long)s->v[k], s->dim, (long long)(n / s->unit));
	d[s->dim] = times(a, s->n, s->unit);
}

static void need_places(algebra *a, const chain_step *s, const int64_t *d)
{
	int k;

	for (k = 0; k < s->n; k++)
		if (s->v[k] >= d[s->dim])
			stuck(&a->s, "there is no place %lld, dimension %d has %lld", (long long)s->v[k], s->dim, (long long)d[s->dim]);
}

static void shape_step(algebra *a, const mesh *ms, const chain_step *s, int rank, const int64_t *in, int *outr, int64_t **out)
{
	int64_t *d = ARENA_ARRAY(&a->s.a, int64_t, rank > s->n ? rank : s->n);
	const char *why = stray_step(&a->s.a, s, rank);

	if (why)
		stuck(&a->s, "%s", why);
	if (rank)
		memcpy(d, in, sizeof *d * (size_t)rank);
	*outr = s->kind == CHAIN_RESHAPE ? s->n : rank;
	*out = d;
	switch (s->kind) {
	case CHAIN_SHARD: shape_shard(a, ms, s, d); break;
	case CHAIN_RESHAPE: shape_reshape(a, s, rank, in, d); break;
	case CHAIN_TRANSPOSE: shape_transpose(s, rank, in, d); break;
	case CHAIN_PAD: shape_pad(a, s, d); break;
	case CHAIN_REPEAT: d[s->dim] = times(a, d[s->dim], s->count); break;
	case CHAIN_TAKE: shape_take(a, s, d); break;
	case CHAIN_IGNORE: need_places(a, s, d); break;
	case CHAIN_PARTIAL: case CHAIN_SCALE: case CHAIN_CONVERT: break;
	}
	product(a, *outr, d);	/* stuck when they cannot be counted */
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

/* One step read backward: what is known of the tensor after it, and of the one before. */
struct back {
	const chain_step *s;
	int id;			/* which step of the chain */
	int rank, after_rank;
	const int64_t *dim, *after;
	int64_t axis_size;	/* of a step along an axis of the mesh, and the device's place on it */
	ix *axis;
	ix *const *at;		/* the place after the step */
	ix *local;		/* the place after the last one, of so many */
	int64_t nlocal;
	ix **e;			/* .. before it: as `at`, but where the step changes it */
	chain_place *p;
};

/* A place counts where e is in [lo, hi). */
static struct chain_test *put_test(const struct back *b, ix *e, int64_t lo, int64_t hi)
{
	struct chain_test *t = &b->p->test[b->p->ntest++];

	*t = (struct chain_test){ .e = e, .lo = lo, .hi = hi };
	return t;
}

/* .. elsewhere stands an arbitrary value of its own for every place of the local tensor, repeated or not. */
static void is_arbitrary(const struct back *b, struct chain_test *t)
{
	t->id = b->id;
	t->pad = b->local;
	t->padlen = b->nlocal;
}

static void back_shard(algebra *a, const struct back *b)
{
	const chain_step *s = b->s;
	ix *local = b->at[s->dim];

	b->e[s->dim] = s->n ? back_segments(a, s, b->axis_size, b->after[s->dim], b->axis, local) :
		       ix_add(&a->s, local, ix_times(&a->s, b->axis, b->after[s->dim]));
}

static void back_pad(algebra *a, const struct back *b)
{
	int dim = b->s->dim;
	struct chain_test *t = put_test(b, b->at[dim], 0, b->dim[dim]);

	is_arbitrary(b, t);
	t->zero = b->s->zero;
	b->e[dim] = clip_to(a, b->at[dim], b->dim[dim]);
}

static void back_take(algebra *a, const struct back *b)
{
	const chain_step *s = b->s;
	int64_t size = s->n, *block = ARENA_ARRAY(&a->s.a, int64_t, s->n), *held = ARENA_ARRAY(&a->s.a, int64_t, s->n);
	bool zeros = false;
	ix *q, *within;
	int k;

	for (k = 0; k < s->n; k++) {
		held[k] = s->v[k] >= 0;		/* is the block one of the baseline's? */
		block[k] = held[k] ? s->v[k] : 0;
		zeros = zeros || !held[k];
	}
	ix_divmod(&a->s, b->at[s->dim], s->unit, &q, &within);
	if (zeros)
		put_test(b, table_of(a, 1, &size, held, &q), 1, 2)->zero = true;
	b->e[s->dim] = ix_add(&a->s, ix_times(&a->s, table_of(a, 1, &size, block, &q), s->unit), within);
}

static void back_ignore(algebra *a, const struct back *b)
{
	const chain_step *s = b->s;
	int64_t size = b->after[s->dim], *counts;
	ix *at = b->at[s->dim];
	int k;

	if (size > TABLE_MAX)
		stuck(&a->s, "a table of %lld entries would be needed", (long long)size);
	counts = ARENA_ARRAY(&a->s.a, int64_t, size);
	for (k = 0; k < size; k++)
		counts[k] = 1;
	for (k = 0; k < s->n; k++)
		if (s->v[k] >= 0 && s->v[k] < size)
			counts[s->v[k]] = 0;
	is_arbitrary(b, put_test(b, table_of(a, 1, &size, counts, &at), 1, 2));
}

static void back_partial(const struct back *b)
{
	b->p->part[b->p->npart] = b->axis;
	b->p->partsize[b->p->npart++] = b->axis_size;
	b->p->op = b->s->op;
}

static void back_step(algebra *a, const struct back *b)
{
	const chain_step *s = b->s;
	ix *m;
	int k;

	switch (s->kind) {
	case CHAIN_SHARD: back_shard(a, b); break;
	case CHAIN_RESHAPE:
		memcpy(b->e, ix_digits(&a->s, flat_index(a, b->after_rank, b->after, b->at), b->rank, b->dim),
		       sizeof *b->e * (size_t)b->rank);
		break;
	case CHAIN_TRANSPOSE:
		for (k = 0; k < b->rank; k++)
			b->e[s->v[k]] = b->at[k];
		break;
	case CHAIN_PAD: back_pad(a, b); break;
	case CHAIN_REPEAT: ix_divmod(&a->s, b->at[s->dim], s->count, &b->e[s->dim], &m); break;
	case CHAIN_TAKE: back_take(a, b); break;
	case CHAIN_IGNORE: back_ignore(a, b); break;
	case CHAIN_PARTIAL: back_partial(b); break;
	case CHAIN_SCALE:
		if (!rat_mul(&b->p->coef, b->p->coef, s->scale))
			stuck(&a->s, "a constant of more than 64 bits");
		break;
	case CHAIN_CONVERT: b->p->convert = s->type; break;
	}
}

chain_place chain_back(algebra *a, const mesh *ms, const chain *c, int rank, const int64_t *dim, ix *r, ix *const *e)
{
	struct shapes s = all_shapes(a, ms, c, rank, dim);
	ix **axis = mesh_axes(a, ms, r);
	bool along_axis;
	chain_place p = { 0 };
	struct back b = { .p = &p, .at = e };
	int k;

	b.nlocal = product(a, s.rank[c->n], s.dim[c->n]);
	b.local = flat_index(a, s.rank[c->n], s.dim[c->n], e);
	p.coef = RAT_ONE;
	p.convert = -1;
	p.test = ARENA_ARRAY(&a->s.a, struct chain_test, c->n);
	p.part = ARENA_ARRAY(&a->s.a, ix *, c->n);
	p.partsize = ARENA_ARRAY(&a->s.a, int64_t, c->n);
	for (k = c->n - 1; k >= 0; k--, b.at = b.e) {
		b.s = &c->step[k];
		b.id = k;
		b.rank = s.rank[k];
		b.dim = s.dim[k];
		b.after_rank = s.rank[k + 1];
		b.after = s.dim[k + 1];
		along_axis = b.s->kind == CHAIN_SHARD || b.s->kind == CHAIN_PARTIAL;
		b.axis_size = along_axis ? ms->axis[b.s->axis].size : 1;
		b.axis = along_axis ? axis[b.s->axis] : NULL;
		b.e = ARENA_ARRAY(&a->s.a, ix *, b.rank > b.after_rank ? b.rank : b.after_rank);
		memcpy(b.e, b.at, sizeof *b.e * (size_t)b.after_rank);
		back_step(a, &b);
	}
	p.e = (ix **)b.at;
	p.rank = rank;
	return p;
}

/* ---- forward */

/* A place of segments -> its device, and where that holds it: tables over the dimension. */
static void forward_segments(algebra *a, const chain_step *s, int64_t n, int64_t devices, ix *e, ix **axis, ix **local)
{
	int64_t *vd, *vl, x = 0, at = 0, j, d;
	int g;

	if (n > TABLE_MAX)
		stuck(&a->s, "a table of %lld entries would be needed", (long long)n);
	vd = ARENA_ARRAY(&a->s.a, int64_t, n);
	vl = ARENA_ARRAY(&a->s.a, int64_t, n);
	for (g = 0; g < s->n; at += s->v[g] / devices, g++)
		for (d = 0; d < devices; d++)
			for (j = 0; j < s->v[g] / devices; j++, x++) {
				vd[x] = d;
				vl[x] = at + j;
			}
	*axis = table_of(a, 1, &n, vd, &e);
	*local = table_of(a, 1, &n, vl, &e);
}

static void forward_step(algebra *a, const mesh *ms, const chain_step *s, int rank, const int64_t *dim, int arank, const int64_t *after,
			 ix **axis, ix ***e)
{
	ix **out = ARENA_ARRAY(&a->s.a, ix *, rank > arank ? rank : arank);
	int k;

	memcpy(out, *e, sizeof *out * (size_t)rank);
	switch (s->kind) {
	case CHAIN_SHARD:
		if (s->n)
			forward_segments(a, s, dim[s->dim], ms->axis[s->axis].size, (*e)[s->dim], &axis[s->axis], &out[s->dim]);
		else
			ix_divmod(&a->s, (*e)[s->dim], after[s->dim], &axis[s->axis], &out[s->dim]);
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

const char *chain_disorder(const chain *c)
{
	const char *op = NULL;
	bool converted = false;
	int k;

	for (k = 0; k < c->n; k++) {
		const chain_step *s = &c->step[k];
		if (converted && (s->kind == CHAIN_CONVERT || s->kind == CHAIN_SCALE))
			return s->kind == CHAIN_SCALE ? "what is converted is not scaled: `scale` stands before `convert`" : "it is converted twice";
		if (op && s->kind == CHAIN_PARTIAL && strcmp(op, s->op))
			return "parts of two kinds in one relation are not compared";
		converted = converted || s->kind == CHAIN_CONVERT;
		op = s->kind == CHAIN_PARTIAL ? s->op : op;
	}
	return NULL;
}

/* Does a step leave places that hold zeros, or what another place holds, too? */
static bool doubles(const chain_step *s)
{
	int k, j;

	if (s->kind == CHAIN_REPEAT)
		return s->count > 1;
	if (s->kind == CHAIN_PAD)
		return s->zero;
	for (k = 0; s->kind == CHAIN_TAKE && k < s->n; k++)
		for (j = 0; j <= k; j++)
			if (s->v[k] < 0 || (j < k && s->v[j] == s->v[k]))
				return true;
	return false;
}

const char *chain_parts_misfit(const chain *c)
{
	bool doubled = false;
	int k;

	for (k = 0; k < c->n; k++) {
		if (doubled && c->step[k].kind == CHAIN_PARTIAL)
			return "what is repeated, or zero, need not be so in its parts: `P` stands before `repeat`, `take` and `pad`";
		doubled = doubled || doubles(&c->step[k]);
	}
	return NULL;
}

bool chain_has(const chain *c, enum chain_kind kind)
{
	int k;

	for (k = 0; k < c->n; k++)
		if (c->step[k].kind == kind)
			return true;
	return false;
}

chain chain_filter(arena *out, const chain *c, unsigned kinds)
{
	chain_step *step = ARENA_ARRAY(out, chain_step, c->n);
	chain f = { .text = c->text, .step = step };
	int k;

	for (k = 0; k < c->n; k++)
		if (kinds >> c->step[k].kind & 1)
			step[f.n++] = c->step[k];
	return f;
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

	for (k = p->ntest; k-- > 0; ) {		/* the last step stands first, and says what a place holds */
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

/* Where x holds a place: the parts are a core of their own, the axes' digits in front. */
static ix *read_place(algebra *a, const layout *base, const chain_place *p, int brank, const int64_t *bdim)
{
	ix *at = flat_index(a, brank, bdim, p->e);
	int64_t stride = product(a, brank, bdim);
	int k;

	if (!p->npart)
		return ix_norm(&a->s, layout_read(a, base, ix_const(&a->s, 0), at));
	for (k = 0; k < p->npart; stride *= p->partsize[k++])
		at = ix_add(&a->s, at, ix_times(&a->s, p->part[k], stride));
	return ix_norm(&a->s, at);
}

enum { DEVICE_DIGITS = 64, LOCAL_DIGITS = 128 };

/* x itself, read at `at`: y gets the digits, when they read every value of it. */
static bool laid_plainly(algebra *a, ix *at, label **l, layout *y, digit *dev, digit *loc, int64_t len)
{
	digit *all;

	y->nd = digits_of_ix(&a->s, at, 1, l, dev, DEVICE_DIGITS);
	y->nl = digits_of_ix(&a->s, at, y->rank, l + 1, loc, LOCAL_DIGITS);
	if (y->nd < 0 || y->nl < 0)
		return false;
	all = ARENA_ARRAY(&a->s.a, digit, y->nd + y->nl);
	memcpy(all, dev, sizeof *dev * (size_t)y->nd);
	memcpy(all + y->nd, loc, sizeof *loc * (size_t)y->nl);
	y->dev = dev;
	y->loc = loc;
	return digits_cover(y->nd + y->nl, all, len);
}

/* The factor times the chain's scale, of the type it converts to. */
static slot scaled_converted(algebra *a, const chain_place *p, slot t, int type, int nfree, label **free)
{
	work *w;

	if (!rat_is_int(p->coef, 1)) {
		w = framed(a, C_SUM, type, 1, nfree, free);
		w->slot[0] = t;
		w->slot[0].c = p->coef;
		t = slot_of_work(a, w, RAT_ONE);
	}
	if (p->convert >= 0) {
		w = framed(a, C_MAP, p->convert, 1, nfree, free);
		w->fn = val_name(a, "convert");
		w->slot[0] = t;
		t = slot_of_work(a, w, RAT_ONE);
	}
	return t;
}

/* A factor over the labels l, the device first, as a node. */
static eg_id laid_factor(algebra *a, slot t, label **l, layout *y, digit *dev, digit *loc)
{
	work *w = framed(a, C_AT, core_type(a, t.x), 1, y->rank + 1, l);
	placed q;

	w->slot[0] = t;
	q = work_make(a, w);
	y->nd = placed_digits(&q, 1, l, dev);
	y->nl = placed_digits(&q, y->rank, l + 1, loc);
	y->dev = dev;
	y->loc = loc;
	return layout_laid(a, y, q.n);
}

eg_id chain_apply(algebra *a, const mesh *ms, const chain *c, int type, const layout *base, eg_id x, int brank, const int64_t *bdim,
		  int rank, const int64_t *dim, const char *name)
{
	label **l = ARENA_ARRAY(&a->s.a, label *, rank + 1);
	ix **e = ARENA_ARRAY(&a->s.a, ix *, rank), *at;
	layout y = { ms->ndev, rank, 0, 0, dim, NULL, NULL };
	digit *dev = ARENA_ARRAY(&a->s.a, digit, DEVICE_DIGITS), *loc = ARENA_ARRAY(&a->s.a, digit, LOCAL_DIGITS);
	chain_place p;
	slot t;
	int k;

	l[0] = label_new(&a->s, ms->ndev);
	for (k = 0; k < rank; k++) {
		l[1 + k] = label_new(&a->s, dim[k]);
		e[k] = ix_of(&a->s, l[1 + k], 1);
	}
	p = chain_back(a, ms, c, brank, bdim, ix_of(&a->s, l[0], 1), e);
	at = read_place(a, base, &p, brank, bdim);
	if (p.npart)
		p.coef = RAT_ONE;	/* the parts have it already */
	if (!p.ntest && rat_is_int(p.coef, 1) && p.convert < 0 && laid_plainly(a, at, l, &y, dev, loc, core_len(a, x)))
		return layout_laid(a, &y, x);
	t = chain_tested(a, &p, slot_read(x, at, RAT_ONE), core_type(a, x), rank + 1, l, name);
	return laid_factor(a, scaled_converted(a, &p, t, type, rank + 1, l), l, &y, dev, loc);
}
