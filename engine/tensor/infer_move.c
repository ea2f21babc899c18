#include "tensor/infer_in.h"

#include <inttypes.h>
#include "util/integers.h"

/* `n` different dimensions, each below rank. */
static bool dims_fit(struct infer *f, const char *key, const int64_t *d, int n, int rank)
{
	bool seen[INFER_RANK] = { false };

	for (int k = 0; k < n; k++) {
		if (d[k] < 0 || d[k] >= rank) {
			infer_no(f, "%s= names dimension %" PRId64 " of %d", key, d[k], rank);
			return false;
		}
		if (seen[d[k]]) {
			infer_no(f, "%s= names dimension %" PRId64 " twice", key, d[k]);
			return false;
		}
		seen[d[k]] = true;
	}
	return true;
}

const int64_t *infer_dims(struct infer *f, const char *key, int *n, int rank)
{
	const int64_t *d = inst_ints(f->i, key, n);

	return dims_fit(f, key, d, *n, rank) ? d ? d : (const int64_t *)"" : NULL;
}

const shape *infer_broadcast(struct infer *f)
{
	const shape *x = in(f, 0), *s = f->i->shape;
	int n;
	const int64_t *d;

	if (!s)
		return NULL;
	d = infer_dims(f, "dimensions", &n, s->rank);
	if (!d)
		return NULL;
	if (n != x->rank)
		return infer_no(f, "dimensions= has %d numbers for %s", n, show(f, x));
	for (int k = 0; k < n; k++)
		if (x->dim[k] != s->dim[d[k]])
			return infer_no(f, "dimension %d of %s goes to dimension %" PRId64 " of %s", k, show(f, x),
				  d[k], show(f, s));
	take_dims(f, s);
	return infer_array(f, x->type);
}

const shape *infer_reshape(struct infer *f)
{
	const shape *x = in(f, 0), *s = f->i->shape;

	if (!s)
		return NULL;
	take_dims(f, s);
	if (shape_elements(x) != shape_elements(s))
		return infer_no(f, "reshape of %s to %s", show(f, x), show(f, s));
	return infer_array(f, x->type);
}

/* Tiles pad; without them not a bit may appear or vanish. */
const shape *infer_bitcast(struct infer *f)
{
	const shape *x = in(f, 0), *s = f->i->shape;
	__int128 from, to;

	if (!s || etype_kind(x->type) == '-' || etype_kind(s->type) == '-')
		return s;
	from = (__int128)shape_elements(x) * etype_bits(x->type);
	to = (__int128)shape_elements(s) * etype_bits(s->type);
	if (from != to && !x->tiled && !s->tiled)
		return infer_no(f, "bitcast of %s to %s", show(f, x), show(f, s));
	return s;
}

const shape *infer_transpose(struct infer *f)
{
	const shape *x = in(f, 0);
	int n;
	const int64_t *d = infer_dims(f, "dimensions", &n, x->rank);

	if (!d)
		return NULL;
	if (n != x->rank)
		return infer_no(f, "dimensions= has %d numbers for %s", n, show(f, x));
	for (int k = 0; k < n; k++)
		f->dim[f->rank++] = x->dim[d[k]];
	return infer_array(f, x->type);
}

const shape *infer_reverse(struct infer *f)
{
	int n;

	if (!infer_dims(f, "dimensions", &n, in(f, 0)->rank))
		return NULL;
	take_dims(f, in(f, 0));
	return infer_array(f, in(f, 0)->type);
}

const shape *infer_concatenate(struct infer *f)
{
	int n;
	const int64_t *d;
	enum etype t;

	if (!f->i->noperand)
		return infer_no(f, "concatenate of nothing");
	d = infer_dims(f, "dimensions", &n, in(f, 0)->rank);
	if (!d)
		return NULL;
	if (n != 1)
		return infer_no(f, "concatenate needs one dimension");
	t = in(f, 0)->type;
	take_dims(f, in(f, 0));
	for (int k = 1; k < f->i->noperand; k++) {
		const shape *x = in(f, k);

		if (x->rank != f->rank || !infer_compatible(f, x->type, t))
			return infer_no(f, "concatenate of %s and %s", show(f, in(f, 0)), show(f, x));
		for (int e = 0; e < f->rank; e++)
			if (e != d[0] && x->dim[e] != f->dim[e])
				return infer_no(f, "concatenate of %s and %s", show(f, in(f, 0)), show(f, x));
		if (__builtin_add_overflow(f->dim[d[0]], x->dim[d[0]], &f->dim[d[0]]))
			return infer_no(f, "the result is too large");
	}
	return infer_array(f, t);
}

const shape *infer_slice(struct infer *f)
{
	const shape *x = in(f, 0);
	const attr *s = inst_attr(f->i, "slice");

	if (!s || s->n != x->rank)
		return infer_no(f, "slice= does not fit %s", show(f, x));
	for (int k = 0; k < s->n; k++) {
		int64_t start = s->ints[3 * k], limit = s->ints[3 * k + 1], stride = s->ints[3 * k + 2];

		if (start < 0 || limit > x->dim[k] || start > limit || stride < 1)
			return infer_no(f, "the slice [%" PRId64 ":%" PRId64 ":%" PRId64 "] of dimension %d of %s", start,
				  limit, stride, k, show(f, x));
		f->dim[f->rank++] = limit == start ? 0 : (limit - start - 1) / stride + 1;
	}
	return infer_array(f, x->type);
}

const shape *infer_pad(struct infer *f)
{
	const shape *x = in(f, 0);
	const attr *p = inst_attr(f->i, "padding");

	if (in(f, 1)->rank)
		return infer_no(f, "the padding value is %s", show(f, in(f, 1)));
	if (x->rank && (!p || p->n != x->rank))
		return infer_no(f, "padding= does not fit %s", show(f, x));
	for (int k = 0; k < x->rank; k++) {
		int64_t lo = p->ints[3 * k], hi = p->ints[3 * k + 1], inner = p->ints[3 * k + 2], d = x->dim[k];
		__int128 n = (__int128)d + (d ? (__int128)(d - 1) * inner : 0) + lo + hi;

		if (inner < 0 || n < 0 || n > INT64_MAX)
			return infer_no(f, "the padding %" PRId64 "_%" PRId64 "_%" PRId64 " of dimension %d of %s", lo, hi,
				  inner, k, show(f, x));
		f->dim[f->rank++] = (int64_t)n;
	}
	return infer_array(f, x->type);
}

/* Start indices from operand `first` on: one scalar each, or one vector. */
static bool starts_fit(struct infer *f, int first, const shape *x)
{
	int n = f->i->noperand - first;

	if (n == 1 && in(f, first)->rank == 1 && in(f, first)->dim[0] == x->rank)
		return true;
	if (n != x->rank) {
		infer_no(f, "%d start indices for %s", n, show(f, x));
		return false;
	}
	for (int k = first; k < f->i->noperand; k++)
		if (in(f, k)->rank || !etype_is_int(in(f, k)->type)) {
			infer_no(f, "a start index is %s", show(f, in(f, k)));
			return false;
		}
	return true;
}

const shape *infer_dynamic_slice(struct infer *f)
{
	const shape *x;
	int n;
	const int64_t *size = inst_ints(f->i, "dynamic_slice_sizes", &n);

	if (!f->i->noperand)
		return infer_no(f, "dynamic-slice of nothing");
	x = in(f, 0);
	if (n != x->rank)
		return infer_no(f, "dynamic_slice_sizes= has %d numbers for %s", n, show(f, x));
	if (!starts_fit(f, 1, x))
		return NULL;
	for (int k = 0; k < n; k++) {
		if (size[k] < 0 || size[k] > x->dim[k])
			return infer_no(f, "a slice of %" PRId64 " in dimension %d of %s", size[k], k, show(f, x));
		f->dim[f->rank++] = size[k];
	}
	return infer_array(f, x->type);
}

const shape *infer_dynamic_update_slice(struct infer *f)
{
	const shape *x, *u;

	if (f->i->noperand < 2)
		return infer_no(f, "dynamic-update-slice needs an operand and an update");
	x = in(f, 0);
	u = in(f, 1);
	if (u->rank != x->rank || !infer_compatible(f, u->type, x->type))
		return infer_no(f, "an update of %s for %s", show(f, u), show(f, x));
	for (int k = 0; k < x->rank; k++)
		if (u->dim[k] > x->dim[k])
			return infer_no(f, "an update of %s for %s", show(f, u), show(f, x));
	if (!starts_fit(f, 2, x))
		return NULL;
	take_dims(f, x);
	return infer_array(f, x->type);
}

/* No dimension is in both lists. */
static bool apart(struct infer *f, const char *one, const int64_t *a, int na, const char *other, const int64_t *b, int nb)
{
	for (int k = 0; k < na; k++)
		if (integers_have(b, nb, a[k])) {
			infer_no(f, "%s= and %s= both name dimension %" PRId64, one, other, a[k]);
			return false;
		}
	return true;
}

const shape *infer_gather(struct infer *f)
{
	const shape *x = in(f, 0), *idx = in(f, 1);
	int noff, ncol, nsize, nmap, nbatch, nstart, batch = 0, window = 0;
	const int64_t *off = inst_ints(f->i, "offset_dims", &noff);
	const int64_t *col = infer_dims(f, "collapsed_slice_dims", &ncol, x->rank);
	const int64_t *size = inst_ints(f->i, "slice_sizes", &nsize);
	const int64_t *map = col ? infer_dims(f, "start_index_map", &nmap, x->rank) : NULL;
	const int64_t *ob = map ? infer_dims(f, "operand_batching_dims", &nbatch, x->rank) : NULL;
	const int64_t *sb = ob ? infer_dims(f, "start_indices_batching_dims", &nstart, idx->rank) : NULL;
	int64_t vector = inst_int(f->i, "index_vector_dim", 0), nidx = idx->rank;
	int64_t kept[INFER_RANK];

	if (!sb || !apart(f, "start_index_map", map, nmap, "operand_batching_dims", ob, nbatch) ||
	    !apart(f, "collapsed_slice_dims", col, ncol, "operand_batching_dims", ob, nbatch))
		return NULL;
	if (vector < 0 || vector > nidx || integers_have(sb, nstart, vector))
		return infer_no(f, "index_vector_dim=%" PRId64 " for indices %s", vector, show(f, idx));
	if ((vector < nidx ? idx->dim[vector] : 1) != nmap)
		return infer_no(f, "start_index_map= has %d numbers for indices %s", nmap, show(f, idx));
	if (nsize != x->rank || nbatch != nstart)
		return infer_no(f, "slice_sizes= has %d numbers for %s", nsize, show(f, x));
	for (int k = 0; k < nsize; k++) {
		bool gone = integers_have(col, ncol, k) || integers_have(ob, nbatch, k);

		if (size[k] < 0 || size[k] > x->dim[k] || (gone && size[k] != 1))
			return infer_no(f, "a slice of %" PRId64 " in dimension %d of %s", size[k], k, show(f, x));
		if (!gone)
			kept[window++] = size[k];
	}
	for (int k = 0; k < nbatch; k++)
		if (x->dim[ob[k]] != idx->dim[sb[k]])
			return infer_no(f, "batches of %s and %s", show(f, x), show(f, idx));
	f->rank = (int)(nidx - (vector < nidx)) + window;
	if (f->rank > INFER_RANK || noff != window || !dims_fit(f, "offset_dims", off, noff, f->rank))
		return *f->why ? NULL : infer_no(f, "offset_dims= does not fit slices of %s", show(f, x));
	window = 0;
	for (int d = 0; d < f->rank; d++) {
		if (integers_have(off, noff, d)) {
			f->dim[d] = kept[window++];
			continue;
		}
		batch += batch == vector;
		f->dim[d] = idx->dim[batch++];
	}
	return infer_array(f, x->type);
}

/* N operands, indices, N updates. */
const shape *infer_scatter(struct infer *f)
{
	int n = f->i->noperand / 2, nwin, nins, nmap, nbatch, nsb, window = 0, batch = 0;
	const shape *x, *idx, *elem[INFER_RANK];
	const int64_t *win, *ins, *map, *ib, *sb;
	int64_t vector = inst_int(f->i, "index_vector_dim", 0), kept[INFER_RANK];

	if (f->i->noperand % 2 == 0 || n < 1 || n > INFER_RANK)
		return infer_no(f, "scatter with %d operands", f->i->noperand);
	x = in(f, 0);
	idx = in(f, n);
	win = inst_ints(f->i, "update_window_dims", &nwin);
	ins = infer_dims(f, "inserted_window_dims", &nins, x->rank);
	map = ins ? infer_dims(f, "scatter_dims_to_operand_dims", &nmap, x->rank) : NULL;
	ib = map ? infer_dims(f, "input_batching_dims", &nbatch, x->rank) : NULL;
	sb = ib ? infer_dims(f, "scatter_indices_batching_dims", &nsb, idx->rank) : NULL;
	if (!sb || !apart(f, "scatter_dims_to_operand_dims", map, nmap, "input_batching_dims", ib, nbatch) ||
	    !apart(f, "inserted_window_dims", ins, nins, "input_batching_dims", ib, nbatch))
		return NULL;
	if (vector < 0 || vector > idx->rank || nbatch != nsb || integers_have(sb, nsb, vector) ||
	    (vector < idx->rank ? idx->dim[vector] : 1) != nmap)
		return infer_no(f, "scatter_dims_to_operand_dims= has %d numbers for indices %s", nmap, show(f, idx));
	for (int k = 0; k < nbatch; k++)
		if (x->dim[ib[k]] != idx->dim[sb[k]])
			return infer_no(f, "batches of %s and %s", show(f, x), show(f, idx));
	for (int k = 0; k < x->rank; k++)
		if (!integers_have(ins, nins, k) && !integers_have(ib, nbatch, k))
			kept[window++] = x->dim[k];
	for (int k = 0; k < n; k++) {
		const shape *u = in(f, n + 1 + k);
		int w = 0;

		elem[k] = in(f, k);
		if (!same_dims(elem[k], x) || !infer_compatible(f, u->type, elem[k]->type))
			return infer_no(f, "updates %s for %s", show(f, u), show(f, elem[k]));
		if (nwin != window || u->rank != window + idx->rank - (vector < idx->rank) ||
		    !dims_fit(f, "update_window_dims", win, nwin, u->rank))
			return *f->why ? NULL : infer_no(f, "updates %s for indices %s", show(f, u), show(f, idx));
		batch = 0;
		for (int d = 0; d < u->rank; d++) {
			if (integers_have(win, nwin, d)) {
				if (u->dim[d] > kept[w++])
					return infer_no(f, "updates %s for %s", show(f, u), show(f, x));
				continue;
			}
			batch += batch == vector;
			if (u->dim[d] != idx->dim[batch++])
				return infer_no(f, "updates %s for indices %s", show(f, u), show(f, idx));
		}
	}
	if (n > 1)
		return infer_tuple(f, elem, n);
	take_dims(f, x);
	return infer_array(f, x->type);
}
