/* interp_gather.c - gather and scatter, batching dimensions included.
 *
 * Starts of a gather are clamped so that the whole slice fits; a scatter leaves
 * out an update window that does not fit as a whole.  Updates go in row-major
 * order of the scatter indices: of several at one place the last one wins.
 */
#include <string.h>

#include "interp/interp_in.h"
#include "util/integers.h"

/* How one index vector turns into a place of the operand. */
struct place {
	const inst *i;
	const tensor *index;
	int vector;		/* dimension of the index vector; index rank when there is none */
	int nmap;
	const int64_t *map;	/* index component -> operand dimension */
	int nbatching;
	const int64_t *operand_batching, *index_batching;
	int nbatch;		/* index dimensions without the vector */
	int batch[INTERP_RANK];
	int64_t extent[INTERP_RANK], x[INTERP_RANK];	/* of those dimensions */
	int64_t stride[INTERP_RANK];	/* of all index dimensions */
	int rank;		/* of the operand */
	int nkept;		/* operand dimensions that appear in the window */
	int kept[INTERP_RANK];
};

/* Keys of the two operations for the same thing. */
struct keys { const char *gone, *map, *operand_batching, *index_batching; };
static const struct keys gather_keys = { "collapsed_slice_dims", "start_index_map", "operand_batching_dims",
					 "start_indices_batching_dims" };
static const struct keys scatter_keys = { "inserted_window_dims", "scatter_dims_to_operand_dims", "input_batching_dims",
					  "scatter_indices_batching_dims" };

static bool in_range(interp *r, const struct place *p)
{
	int k;

	for (k = 0; k < p->nmap; k++)
		if (p->map[k] < 0 || p->map[k] >= p->rank)
			return interp_fail(r, p->i, "there is no operand dimension %lld", (long long)p->map[k]);
	for (k = 0; k < p->nbatching; k++)
		if (p->operand_batching[k] < 0 || p->operand_batching[k] >= p->rank || p->index_batching[k] < 0
		    || p->index_batching[k] >= p->index->shape->rank)
			return interp_fail(r, p->i, "a batching dimension does not exist");
	return true;
}

static bool place_init(interp *r, const inst *i, const struct keys *key, const tensor *operand, const tensor *index,
		       struct place *p)
{
	int k, ngone, nb;
	const int64_t *gone = inst_ints(i, key->gone, &ngone);

	memset(p, 0, sizeof *p);
	p->i = i;
	p->index = index;
	p->rank = operand->shape->rank;
	p->vector = (int)inst_int(i, "index_vector_dim", index->shape->rank);
	p->map = inst_ints(i, key->map, &p->nmap);
	p->operand_batching = inst_ints(i, key->operand_batching, &p->nbatching);
	p->index_batching = inst_ints(i, key->index_batching, &nb);
	if (!index->i || nb != p->nbatching || p->vector < 0 || p->vector > index->shape->rank)
		return interp_fail(r, i, "its indices are malformed");
	if (p->nmap != (p->vector < index->shape->rank ? index->shape->dim[p->vector] : 1))
		return interp_fail(r, i, "an index vector does not have %d components", p->nmap);
	shape_strides(index->shape, 1, p->stride);
	for (k = 0; k < index->shape->rank; k++)
		if (k != p->vector) {
			p->extent[p->nbatch] = index->shape->dim[k];
			p->batch[p->nbatch++] = k;
		}
	for (k = 0; k < p->rank; k++)
		if (!integers_have(gone, ngone, k) && !integers_have(p->operand_batching, p->nbatching, k))
			p->kept[p->nkept++] = k;
	return in_range(r, p);
}

/* The start named by the index vector at p->x, not clamped. */
static void place_start(const struct place *p, int64_t *start)
{
	int64_t at = 0, step = p->vector < p->index->shape->rank ? p->stride[p->vector] : 0;
	int k, j;

	for (k = 0; k < p->rank; k++)
		start[k] = 0;
	for (k = 0; k < p->nbatch; k++)
		at += p->x[k] * p->stride[p->batch[k]];
	for (k = 0; k < p->nmap; k++) {
		start[p->map[k]] = p->index->i[at + k * step];
		if (p->index->shape->type == T_U64 && start[p->map[k]] < 0)
			start[p->map[k]] = INT64_MAX / 2;
	}
	for (k = 0; k < p->nbatching; k++)
		for (j = 0; j < p->nbatch; j++)
			if (p->batch[j] == p->index_batching[k])
				start[p->operand_batching[k]] = p->x[j];
}

/* Strides in `st` (of a shape) split by a list: those in it and those not.  False when it names a dimension
 * that does not exist, or one twice. */
static bool split(int rank, int n, const int64_t *list, const int64_t *st, int64_t *in, int64_t *out)
{
	int k, no = 0;

	for (k = 0; k < n; k++) {
		if (list[k] < 0 || list[k] >= rank || integers_have(list, k, list[k]))
			return false;
		in[k] = st[list[k]];
	}
	for (k = 0; k < rank; k++)
		if (!integers_have(list, n, k))
			out[no++] = st[k];
	return true;
}

static tensor *gather(interp *r, const inst *i, tensor *const *a)
{
	struct place p;
	int noff, nsize, k, w = tensor_words(a[0]);
	const int64_t *off = inst_ints(i, "offset_dims", &noff), *size = inst_ints(i, "slice_sizes", &nsize);
	int64_t start[INTERP_RANK], ss[INTERP_RANK], ds[INTERP_RANK], win[INTERP_RANK], bat[INTERP_RANK];
	int64_t n[INTERP_RANK + 1], from[INTERP_RANK + 1];
	tensor *o;

	if (!place_init(r, i, &gather_keys, a[0], a[1], &p))
		return NULL;
	shape_strides(a[0]->shape, w, ss);
	shape_strides(i->shape, w, ds);
	if (nsize != p.rank || noff != p.nkept || i->shape->rank != noff + p.nbatch
	    || !split(i->shape->rank, noff, off, ds, win, bat))
		return interp_fail(r, i, "its dimension numbers do not fit the shapes");
	for (k = 0; k < noff; k++) {
		n[k] = size[p.kept[k]];
		from[k] = ss[p.kept[k]];
	}
	n[noff] = w;
	from[noff] = win[noff] = 1;
	for (k = 0; k < p.rank; k++)
		if (size[k] > a[0]->shape->dim[k])
			return interp_fail(r, i, "a slice of %lld does not fit dimension %d", (long long)size[k], k);
	o = interp_alloc(r, i->shape);
	if (!o->n)
		return o;
	do {
		int64_t s = 0, d = 0;

		place_start(&p, start);
		for (k = 0; k < p.rank; k++) {
			int64_t hi = a[0]->shape->dim[k] - size[k];

			s += (start[k] < 0 ? 0 : start[k] > hi ? hi : start[k]) * ss[k];
		}
		for (k = 0; k < p.nbatch; k++)
			d += p.x[k] * bat[k];
		interp_copy(noff + (w > 1), n, (int64_t *)tensor_data(o) + d, win, (int64_t *)tensor_data(a[0]) + s, from);
	} while (interp_step(p.nbatch, p.extent, p.x));
	return o;
}

/* ---- scatter */

struct scatter {
	struct place p;
	const struct prog *prog;
	enum opcode kind;
	int n;				/* tensors scattered into */
	tensor **out;
	tensor *const *update;
	int64_t window[INTERP_RANK];	/* extents of the kept dimensions */
	int64_t ds[INTERP_RANK];	/* strides of all operand dimensions */
	int64_t us[INTERP_RANK], ub[INTERP_RANK];	/* strides of the update's window and batch dimensions */
	double buf[2 * PROG_BLOCK * 2 * 8];
};

/* m places at once, all different: combine and write back. */
static void combine(struct scatter *s, int64_t m, const int64_t *to, const int64_t *from)
{
	void *out[8];
	const void *in[16];
	int64_t j;
	int k, w;

	for (k = 0; k < s->n; k++) {
		int64_t *acc = (int64_t *)s->buf + k * 2 * PROG_BLOCK, *upd = (int64_t *)s->buf + (s->n + k) * 2 * PROG_BLOCK;

		w = tensor_words(s->out[k]);
		for (j = 0; j < m; j++) {
			memcpy(acc + j * w, (int64_t *)tensor_data(s->out[k]) + to[j] * w, 8 * w);
			memcpy(upd + j * w, (int64_t *)tensor_data(s->update[k]) + from[j] * w, 8 * w);
		}
		out[k] = acc;
		in[k] = acc;
		in[s->n + k] = upd;
	}
	if (s->kind == OP_PARAMETER)
		out[0] = (void *)in[1];
	else
		prog_run(s->prog, m, out, in);
	for (k = 0; k < s->n; k++) {
		w = tensor_words(s->out[k]);
		for (j = 0; j < m; j++)
			memcpy((int64_t *)tensor_data(s->out[k]) + to[j] * w, (int64_t *)out[k] + j * w, 8 * w);
	}
}

static void scatter_window(struct scatter *s, int64_t to, int64_t from)
{
	int64_t x[INTERP_RANK] = { 0 }, tos[PROG_BLOCK], froms[PROG_BLOCK], m = 0;
	int k;

	do {
		tos[m] = to;
		froms[m] = from;
		for (k = 0; k < s->p.nkept; k++) {
			tos[m] += x[k] * s->ds[s->p.kept[k]];
			froms[m] += x[k] * s->us[k];
		}
		if (++m == PROG_BLOCK) {
			combine(s, m, tos, froms);
			m = 0;
		}
	} while (interp_step(s->p.nkept, s->window, x));
	if (m)
		combine(s, m, tos, froms);
}

static bool window_fits(const struct scatter *s, const int64_t *start)
{
	const shape *sh = s->out[0]->shape;
	int k;

	for (k = 0; k < s->p.rank; k++)
		if (start[k] < 0 || start[k] >= sh->dim[k])
			return false;
	for (k = 0; k < s->p.nkept; k++)
		if (start[s->p.kept[k]] + s->window[k] > sh->dim[s->p.kept[k]])
			return false;
	return true;
}

static void scatter_all(struct scatter *s)
{
	struct place *p = &s->p;
	int64_t start[INTERP_RANK];
	int k;

	do {
		int64_t to = 0, from = 0;

		place_start(p, start);
		if (!window_fits(s, start))
			continue;
		for (k = 0; k < p->rank; k++)
			to += start[k] * s->ds[k];
		for (k = 0; k < p->nbatch; k++)
			from += p->x[k] * s->ub[k];
		scatter_window(s, to, from);
	} while (interp_step(p->nbatch, p->extent, p->x));
}

/* Copies to be changed in place. */
static void scatter_outputs(interp *r, const inst *i, tensor *const *a, struct scatter *s)
{
	int k;

	for (k = 0; k < s->n; k++) {
		s->out[k] = interp_alloc(r, s->n == 1 ? i->shape : i->shape->elem[k]);
		memcpy(tensor_data(s->out[k]), tensor_data(a[k]), (size_t)a[k]->n * 8 * tensor_words(a[k]));
	}
}

static tensor *scatter(interp *r, const inst *i, tensor *const *a)
{
	struct scatter s;
	tensor *out[8];
	int nw, k;
	const int64_t *w = inst_ints(i, "update_window_dims", &nw);
	int64_t st[INTERP_RANK];

	s.n = (i->noperand - 1) / 2;
	s.out = out;
	s.update = a + s.n + 1;
	if (s.n < 1 || s.n > 8)
		return interp_fail(r, i, "a scatter of %d tensors", s.n);
	s.prog = interp_prog(r, i, inst_comp(i, "to_apply"));
	if (!s.prog || !place_init(r, i, &scatter_keys, a[0], a[s.n], &s.p))
		return NULL;
	shape_strides(a[0]->shape, 1, s.ds);
	shape_strides(s.update[0]->shape, 1, st);
	if (nw != s.p.nkept || s.update[0]->shape->rank != nw + s.p.nbatch || s.prog->nparam != 2 * s.n
	    || s.prog->nresult != s.n || !split(s.update[0]->shape->rank, nw, w, st, s.us, s.ub))
		return interp_fail(r, i, "its dimension numbers do not fit the shapes");
	s.kind = prog_kind(s.prog);
	for (k = 0; k < nw; k++)
		s.window[k] = s.update[0]->shape->dim[w[k]];
	scatter_outputs(r, i, a, &s);
	if (s.update[0]->n)
		scatter_all(&s);
	return s.n == 1 ? out[0] : interp_tuple(i->shape, s.n, out);
}

tensor *interp_indexed(interp *r, const inst *i, tensor *const *a)
{
	return i->opcode == OP_GATHER ? gather(r, i, a) : scatter(r, i, a);
}
