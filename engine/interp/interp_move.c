/* interp_move.c - operations that only move numbers.
 *
 * Nearly all of them are one strided copy.  Its loops are merged where strides
 * allow, and a transpose goes in tiles, so that both sides stay in the cache.
 */
#include <string.h>

#include "interp/interp_in.h"
#include "util/integers.h"

enum { TILE = 32 };

int64_t interp_dimension(const inst *i, int64_t otherwise)
{
	int n;
	const int64_t *d = inst_ints(i, "dimensions", &n);

	return n == 1 ? d[0] : otherwise;
}

bool interp_step(int rank, const int64_t *n, int64_t *x)
{
	int k;

	for (k = rank - 1; k >= 0; k--) {
		if (++x[k] < n[k])
			return true;
		x[k] = 0;
	}
	return false;
}

void shape_strides(const shape *s, int words, int64_t *st)
{
	int64_t at = words;
	int k;

	for (k = s->rank - 1; k >= 0; k--) {
		st[k] = at;
		at *= s->dim[k];
	}
}

struct loop { int64_t n, ds, ss; };

/* Drops loops of one step, joins loops that follow each other in both places. */
static int merge(int rank, const int64_t *n, const int64_t *ds, const int64_t *ss, struct loop *l)
{
	int k, m = 0;

	for (k = 0; k < rank; k++) {
		if (n[k] == 1)
			continue;
		if (m && l[m - 1].ds == ds[k] * n[k] && l[m - 1].ss == ss[k] * n[k]) {
			l[m - 1].n *= n[k];
			l[m - 1].ds = ds[k];
			l[m - 1].ss = ss[k];
		} else {
			l[m++] = (struct loop){ n[k], ds[k], ss[k] };
		}
	}
	if (!m)
		l[m++] = (struct loop){ 1, 1, 1 };
	return m;
}

static void copy_line(int64_t n, int64_t *d, int64_t ds, const int64_t *s, int64_t ss)
{
	int64_t k;

	if (ds == 1 && ss == 1)
		memcpy(d, s, (size_t)n * 8);
	else if (ds == 1 && ss == 0)
		for (k = 0; k < n; k++)
			d[k] = s[0];
	else
		for (k = 0; k < n; k++)
			d[k * ds] = s[k * ss];
}

static void copy_tiles(struct loop o, struct loop i, int64_t *d, const int64_t *s)
{
	int64_t a, b, x, na, nb;

	if (i.ss <= 1 && i.ss >= 0) {	/* lines are read in order: nothing to gain from tiles */
		for (x = 0; x < o.n; x++)
			copy_line(i.n, d + x * o.ds, i.ds, s + x * o.ss, i.ss);
		return;
	}
	for (a = 0; a < o.n; a += TILE)
		for (b = 0; b < i.n; b += TILE) {
			na = o.n - a < TILE ? o.n - a : TILE;
			nb = i.n - b < TILE ? i.n - b : TILE;
			for (x = a; x < a + na; x++)
				copy_line(nb, d + x * o.ds + b * i.ds, i.ds, s + x * o.ss + b * i.ss, i.ss);
		}
}

static void copy_loops(int m, const struct loop *l, int64_t *d, const int64_t *s)
{
	int64_t k;

	if (m == 1) {
		copy_line(l->n, d, l->ds, s, l->ss);
	} else if (m == 2) {
		copy_tiles(l[0], l[1], d, s);
	} else {
		for (k = 0; k < l->n; k++)
			copy_loops(m - 1, l + 1, d + k * l->ds, s + k * l->ss);
	}
}

void interp_copy(int rank, const int64_t *n, void *d, const int64_t *ds, const void *s, const int64_t *ss)
{
	struct loop l[INTERP_RANK + 1], t;
	int m, k;

	for (k = 0; k < rank; k++)
		if (n[k] == 0)
			return;
	m = merge(rank, n, ds, ss, l);
	/* the loop with the smallest source stride becomes the last but one, to be tiled with the last */
	for (k = 0; m > 2 && l[m - 1].ss != 1 && k < m - 2; k++)
		if (l[k].ss == 1) {
			t = l[k];
			memmove(&l[k], &l[k + 1], sizeof *l * (m - 2 - k));
			l[m - 2] = t;
			break;
		}
	copy_loops(m, l, d, s);
}

/* The same with the two words of a complex number as one more loop. */
static void copy_elements(int rank, const int64_t *n, int words, void *d, const int64_t *ds, const void *s,
			  const int64_t *ss)
{
	int64_t nn[INTERP_RANK + 1], dd[INTERP_RANK + 1], tt[INTERP_RANK + 1];
	int k;

	for (k = 0; k < rank; k++) {
		nn[k] = n[k];
		dd[k] = ds[k];
		tt[k] = ss[k];
	}
	nn[rank] = words;
	dd[rank] = tt[rank] = 1;
	interp_copy(rank + (words > 1), nn, d, dd, s, tt);
}

static int64_t *words_of(const tensor *t)
{
	return tensor_data(t);
}

void interp_fill(tensor *t, const tensor *scalar)
{
	int w = tensor_words(t);
	int64_t k;

	for (k = 0; k < t->n * w; k++)
		words_of(t)[k] = words_of(scalar)[k % w];
}

tensor *interp_permute(interp *r, const tensor *t, const int64_t *perm)
{
	int64_t dim[INTERP_RANK], ss[INTERP_RANK], st[INTERP_RANK], ds[INTERP_RANK];
	int k, rank = t->shape->rank, w = tensor_words(t);
	shape *s;
	tensor *o;

	shape_strides(t->shape, w, st);
	for (k = 0; k < rank; k++) {
		dim[k] = t->shape->dim[perm[k]];
		ss[k] = st[perm[k]];
	}
	s = shape_array(&r->scratch, t->shape->type, rank, dim);
	o = interp_alloc(r, s);
	shape_strides(s, w, ds);
	copy_elements(rank, dim, w, words_of(o), ds, words_of(t), ss);
	return o;
}

tensor *interp_slice(interp *r, const shape *s, const tensor *t, const int64_t *start, const int64_t *stride)
{
	int64_t ss[INTERP_RANK], ds[INTERP_RANK], at = 0;
	int k, w = tensor_words(t);
	tensor *o = interp_alloc(r, s);

	shape_strides(t->shape, w, ss);
	shape_strides(s, w, ds);
	for (k = 0; k < s->rank; k++) {
		at += start[k] * ss[k];
		ss[k] *= stride ? stride[k] : 1;
	}
	copy_elements(s->rank, s->dim, w, words_of(o), ds, words_of(t) + at, ss);
	return o;
}

/* ---- one operation each */

static tensor *broadcast(interp *r, const inst *i, tensor *const *a)
{
	int n, k, w = tensor_words(a[0]);
	const int64_t *dims = inst_ints(i, "dimensions", &n);
	int64_t ss[INTERP_RANK] = { 0 }, st[INTERP_RANK], ds[INTERP_RANK];
	bool sorted = true;
	tensor *o;

	if (n != a[0]->shape->rank)
		return interp_fail(r, i, "broadcast names %d dimensions of %d", n, a[0]->shape->rank);
	shape_strides(a[0]->shape, w, st);
	for (k = 0; k < n; k++) {
		if (dims[k] < 0 || dims[k] >= i->shape->rank || i->shape->dim[dims[k]] != a[0]->shape->dim[k])
			return interp_fail(r, i, "broadcast dimension %d does not fit", k);
		ss[dims[k]] = st[k];
		sorted &= !k || dims[k] > dims[k - 1];
	}
	if (sorted && shape_elements(i->shape) == a[0]->n)
		return interp_view(i->shape, a[0]);
	o = interp_alloc(r, i->shape);
	shape_strides(i->shape, w, ds);
	copy_elements(i->shape->rank, i->shape->dim, w, words_of(o), ds, words_of(a[0]), ss);
	return o;
}

static bool is_permutation(int n, const int64_t *p, int rank)
{
	return n == rank && integers_distinct(p, n, rank);
}

static tensor *transpose(interp *r, const inst *i, tensor *const *a)
{
	int n;
	const int64_t *p = inst_ints(i, "dimensions", &n);
	tensor *t;

	if (!is_permutation(n, p, a[0]->shape->rank))
		return interp_fail(r, i, "its dimensions are no permutation");
	while (n && p[n - 1] == n - 1)
		n--;
	if (!n)
		return interp_view(i->shape, a[0]);
	t = interp_permute(r, a[0], p);
	t->shape = i->shape;
	return t;
}

static tensor *slice(interp *r, const inst *i, tensor *const *a)
{
	const attr *s = inst_attr(i, "slice");
	int64_t start[INTERP_RANK], stride[INTERP_RANK];
	int k, rank = i->shape->rank;

	if (!s || s->n != rank)
		return interp_fail(r, i, "slice bounds for %d dimensions of %d", s ? s->n : 0, rank);
	for (k = 0; k < rank; k++) {
		start[k] = s->ints[3 * k];
		stride[k] = s->ints[3 * k + 2];
		if (start[k] < 0 || (i->shape->dim[k] && start[k] + (i->shape->dim[k] - 1) * stride[k] >= a[0]->shape->dim[k]))
			return interp_fail(r, i, "slice bounds of dimension %d leave the operand", k);
	}
	return interp_slice(r, i->shape, a[0], start, stride);
}

static tensor *reverse(interp *r, const inst *i, tensor *const *a)
{
	int64_t start[INTERP_RANK] = { 0 }, stride[INTERP_RANK];
	int n, k;
	const int64_t *dims = inst_ints(i, "dimensions", &n);

	for (k = 0; k < i->shape->rank; k++)
		stride[k] = 1;
	for (k = 0; k < n; k++) {
		if (dims[k] < 0 || dims[k] >= i->shape->rank)
			return interp_fail(r, i, "there is no dimension %lld", (long long)dims[k]);
		start[dims[k]] = i->shape->dim[dims[k]] ? i->shape->dim[dims[k]] - 1 : 0;
		stride[dims[k]] = -1;
	}
	return interp_slice(r, i->shape, a[0], start, stride);
}

/* Where operand elements land: out = low + x * (interior + 1), those inside. */
static tensor *pad(interp *r, const inst *i, tensor *const *a)
{
	const attr *p = inst_attr(i, "padding");
	int64_t n[INTERP_RANK], ss[INTERP_RANK], ds[INTERP_RANK], from = 0, to = 0;
	int k, w = tensor_words(a[0]), rank = i->shape->rank;
	tensor *o;

	if (!p || p->n != rank)
		return interp_fail(r, i, "padding for %d dimensions of %d", p ? p->n : 0, rank);
	o = interp_alloc(r, i->shape);
	interp_fill(o, a[1]);
	shape_strides(a[0]->shape, w, ss);
	shape_strides(i->shape, w, ds);
	for (k = 0; k < rank; k++) {
		int64_t low = p->ints[3 * k], step = p->ints[3 * k + 2] + 1, first = 0, last = a[0]->shape->dim[k] - 1;

		if (low < 0)
			first = (-low + step - 1) / step;
		if (last >= 0 && low + last * step >= i->shape->dim[k])
			last = i->shape->dim[k] - 1 - low < 0 ? -1 : (i->shape->dim[k] - 1 - low) / step;
		n[k] = last >= first ? last - first + 1 : 0;
		from += first * ss[k];
		to += (low + first * step) * ds[k];
		ds[k] *= step;
	}
	copy_elements(rank, n, w, words_of(o) + to, ds, words_of(a[0]) + from, ss);
	return o;
}

static tensor *concatenate(interp *r, const inst *i, tensor *const *a)
{
	int64_t d = interp_dimension(i, 0), at = 0, ds[INTERP_RANK], ss[INTERP_RANK];
	int k, w = tensor_words(a[0]), rank = i->shape->rank;
	tensor *o;

	for (k = 0; k < i->noperand; k++)
		at += d >= 0 && d < rank && a[k]->shape->rank == rank ? a[k]->shape->dim[d] : -1;
	if (d < 0 || d >= rank || at != i->shape->dim[d])
		return interp_fail(r, i, "the operands do not add up to dimension %lld", (long long)d);
	o = interp_alloc(r, i->shape);
	shape_strides(i->shape, w, ds);
	for (k = 0, at = 0; k < i->noperand; k++) {
		shape_strides(a[k]->shape, w, ss);
		copy_elements(rank, a[k]->shape->dim, w, words_of(o) + at * ds[d], ds, words_of(a[k]), ss);
		at += a[k]->shape->dim[d];
	}
	return o;
}

static tensor *iota(interp *r, const inst *i)
{
	int64_t d = inst_int(i, "iota_dimension", 0), ds[INTERP_RANK + 1], k, v, n = shape_elements(i->shape);
	char kind = etype_kind(i->shape->type);
	tensor *o;

	if (i->shape->rank && (d < 0 || d >= i->shape->rank))
		return interp_fail(r, i, "there is no dimension %lld", (long long)d);
	o = interp_alloc(r, i->shape);
	shape_strides(i->shape, 1, ds);
	for (k = 0; k < n; k++) {
		v = i->shape->rank ? k / ds[d] % i->shape->dim[d] : 0;
		if (kind == 'c') {
			o->f[2 * k] = (double)v;
			o->f[2 * k + 1] = 0;
		} else if (kind == 'f') {
			o->f[k] = (double)v;
		} else {
			o->i[k] = interp_wrap(i->shape->type, v);
		}
	}
	if (r->o.reading == INTERP_DECLARED && o->f)
		interp_round(i->shape->type, n, o->f);
	return o;
}

/* Start indices from operand `first` on: scalars, or one vector (old form), clamped. */
static bool starts(interp *r, const inst *i, tensor *const *a, int first, const int64_t *size, int64_t *start)
{
	int k, rank = a[0]->shape->rank;
	bool vector = i->noperand == first + 1 && a[first]->shape->rank == 1;

	if (!vector && i->noperand != first + rank)
		return interp_fail(r, i, "%d start indices for %d dimensions", i->noperand - first, rank);
	if (vector && a[first]->n != rank)
		return interp_fail(r, i, "%lld start indices for %d dimensions", (long long)a[first]->n, rank);
	for (k = 0; k < rank; k++) {
		const tensor *x = vector ? a[first] : a[first + k];
		int64_t hi = a[0]->shape->dim[k] - size[k];

		if (!x->i || hi < 0)
			return interp_fail(r, i, "dimension %d: a piece of %lld does not fit", k, (long long)size[k]);
		start[k] = x->i[vector ? k : 0];
		if (x->shape->type == T_U64 && start[k] < 0)
			start[k] = hi;
		start[k] = start[k] < 0 ? 0 : start[k] > hi ? hi : start[k];
	}
	return true;
}

static tensor *dynamic_slice(interp *r, const inst *i, tensor *const *a)
{
	int64_t start[INTERP_RANK];

	if (!starts(r, i, a, 1, i->shape->dim, start))
		return NULL;
	return interp_slice(r, i->shape, a[0], start, NULL);
}

/* A copy of the operand, or the operand itself when it dies here. */
static tensor *writable(interp *r, const inst *i, tensor *t)
{
	tensor *o;

	if ((r->steal & 1) && t->refs == 1 && !t->owner && !t->fixed && t->run == r) {
		t->shape = i->shape;
		return tensor_ref(t);
	}
	o = interp_alloc(r, i->shape);
	memcpy(words_of(o), words_of(t), (size_t)t->n * 8 * tensor_words(t));
	return o;
}

static tensor *dynamic_update_slice(interp *r, const inst *i, tensor *const *a)
{
	int64_t start[INTERP_RANK], ds[INTERP_RANK], ss[INTERP_RANK], at = 0;
	int k, w = tensor_words(a[0]);
	tensor *o;

	if (a[1]->shape->rank != i->shape->rank || !starts(r, i, a, 2, a[1]->shape->dim, start))
		return interp_fail(r, i, "the update does not fit the operand");
	o = writable(r, i, a[0]);
	shape_strides(i->shape, w, ds);
	shape_strides(a[1]->shape, w, ss);
	for (k = 0; k < i->shape->rank; k++)
		at += start[k] * ds[k];
	copy_elements(i->shape->rank, a[1]->shape->dim, w, words_of(o) + at, ds, words_of(a[1]), ss);
	return o;
}

/* ---- bitcasts */

/* The bits of one element as an integer, and back. */
static uint64_t bits_at(const tensor *t, int64_t k)
{
	enum etype e = t->shape->type;
	int b = etype_bits(e);

	if (t->f)
		return interp_bits(e, t->f[k]);
	return b >= 64 ? (uint64_t)t->i[k] : (uint64_t)t->i[k] & (((uint64_t)1 << b) - 1);
}

static void set_bits(tensor *t, int64_t k, uint64_t v)
{
	if (t->f)
		t->f[k] = interp_from_bits(t->shape->type, v);
	else
		t->i[k] = interp_wrap(t->shape->type, (int64_t)v);
}

/* Elements in row-major order, cut up or joined, least significant part first. */
static tensor *cast_bits(interp *r, const inst *i, const tensor *a)
{
	int from = etype_bits(a->shape->type), to = etype_bits(i->shape->type), j;
	int64_t n = shape_elements(i->shape), k;
	tensor *o;

	if (tensor_words(a) == 2 || etype_kind(i->shape->type) == 'c' || n * to != a->n * from || from > 64 || to > 64)
		return interp_fail(r, i, "bits of %s are no %s of that size", etype_name(a->shape->type),
				   etype_name(i->shape->type));
	o = interp_alloc(r, i->shape);
	if (to <= from) {
		for (k = 0; k < n; k++)
			set_bits(o, k, bits_at(a, k / (from / to)) >> (k % (from / to) * to));
		return o;
	}
	for (k = 0; k < n; k++) {
		uint64_t v = 0;

		for (j = 0; j < to / from; j++)
			v |= bits_at(a, k * (to / from) + j) << (j * from);
		set_bits(o, k, v);
	}
	return o;
}

/* To the physical order that the operand is declared with, a reshape, back from the physical order of the result. */
static tensor *through_layouts(interp *r, const inst *i, tensor *a)
{
	const shape *from = i->operand[0]->shape;
	int64_t p[INTERP_RANK], dim[INTERP_RANK], back[INTERP_RANK];
	int k, rank = a->shape->rank, out = i->shape->rank;
	tensor *t, *v, *o;

	for (k = 0; k < rank; k++)
		p[k] = from->minor_to_major ? from->minor_to_major[rank - 1 - k] : k;
	t = interp_permute(r, a, p);
	for (k = 0; k < out; k++) {
		int d = i->shape->minor_to_major ? i->shape->minor_to_major[out - 1 - k] : k;

		dim[k] = i->shape->dim[d];
		back[d] = k;
	}
	v = interp_view(shape_array(&r->scratch, i->shape->type, out, dim), t);
	o = interp_permute(r, v, back);
	o->shape = i->shape;
	tensor_unref(v);
	tensor_unref(t);
	return o;
}

static tensor *bitcast(interp *r, const inst *i, tensor *const *a)
{
	const shape *from = i->operand[0]->shape;	/* a value handed through keeps the layout it had */
	tensor *t, *o;

	if (from->type != i->shape->type && shape_row_major(from) && shape_row_major(i->shape))
		return cast_bits(r, i, a[0]);
	if (shape_elements(i->shape) != a[0]->n)
		return interp_fail(r, i, "a bitcast of %lld elements to %lld: the layout is not a permutation",
				   (long long)a[0]->n, (long long)shape_elements(i->shape));
	if (from->tiled || i->shape->tiled)
		interp_assume(r, "bitcasts of tiled layouts are read by their dimension order");
	if (shape_row_major(from) && shape_row_major(i->shape))
		return interp_view(i->shape, a[0]);
	if (etype_bits(from->type) != etype_bits(i->shape->type))
		return interp_fail(r, i, "a bitcast changes the width of the element type");
	t = through_layouts(r, i, a[0]);
	if (from->type == i->shape->type)
		return t;
	t->shape = shape_array(&r->scratch, from->type, i->shape->rank, i->shape->dim);
	o = cast_bits(r, i, t);
	tensor_unref(t);
	return o;
}

static tensor *reshape(interp *r, const inst *i, tensor *const *a)
{
	if (shape_elements(i->shape) != a[0]->n)
		return interp_fail(r, i, "%lld elements reshaped to %lld", (long long)a[0]->n,
				   (long long)shape_elements(i->shape));
	return interp_view(i->shape, a[0]);
}

tensor *interp_move(interp *r, const inst *i, tensor *const *a)
{
	switch (i->opcode) {
	case OP_BROADCAST: return broadcast(r, i, a);
	case OP_RESHAPE: return reshape(r, i, a);
	case OP_TRANSPOSE: return transpose(r, i, a);
	case OP_SLICE: return slice(r, i, a);
	case OP_REVERSE: return reverse(r, i, a);
	case OP_PAD: return pad(r, i, a);
	case OP_CONCATENATE: return concatenate(r, i, a);
	case OP_IOTA: return iota(r, i);
	case OP_DYNAMIC_SLICE: return dynamic_slice(r, i, a);
	case OP_DYNAMIC_UPDATE_SLICE: return dynamic_update_slice(r, i, a);
	case OP_BITCAST: return bitcast(r, i, a);
	case OP_BITCAST_CONVERT:
		if (etype_bits(a[0]->shape->type) == etype_bits(i->shape->type) && a[0]->n == shape_elements(i->shape))
			return interp_elementwise(r, i, a);
		return cast_bits(r, i, a[0]);
	default: return interp_fail(r, i, "%s has no public meaning here", i->opname);
	}
}
