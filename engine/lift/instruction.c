#include "lift/instruction.h"

#include <string.h>
#include "tensor/reducer.h"
#include "util/integers.h"

#define MOST_PLACES ((int64_t)1 << 40)
enum { MOST_OPERANDS = 64 };
enum { TYPE, SHAPE, INTS, NAME, VALUES };

const struct by_places *instruction_by_places(const char *family)
{
	static const struct by_places t[] = {
#define X(name, n, types) { name, n, types },
		INSTRUCTIONS_BY_PLACES(X)
#undef X
	};
	size_t i;

	for (i = 0; i < sizeof t / sizeof *t; i++)
		if (!strcmp(t[i].name, family))
			return &t[i];
	return NULL;
}

bool instruction_takes(char types, int type)
{
	char k = type >= 0 && type < T_COUNT ? etype_kind((enum etype)type) : '-';
	bool whole = k == 's' || k == 'u';

	switch (types) {
	case 'f': return k == 'f';
	case 'n': return k == 'f' || whole;
	case 'i': return whole;
	case 'l': return whole || k == 'p';
	case 'q': case 'p': return k == 'p';
	case 'm': return k == 'f' || whole;
	default: return k == 'f' || whole || k == 'p';
	}
}

/* ---- forms */

static const int64_t *words(const algebra *a, eg_val v, int64_t *n)
{
	size_t bytes;
	const int64_t *w = eg_value_bytes(a->g, v, &bytes);

	*n = bytes % sizeof *w ? -1 : (int64_t)(bytes / sizeof *w);
	return w;
}

static bool read_form(const algebra *a, const eg_val *val, tensor_form *f)
{
	int64_t n, count = 1;
	const int64_t *w = words(a, val[TYPE], &n);
	int k;

	if (n != 1 || *w < 0 || *w >= T_COUNT)
		return false;
	f->type = (int)*w;
	w = words(a, val[SHAPE], &n);
	if (n < 1 || n > INSTRUCTION_RANK + 1 || w[0] < 1 || w[0] > 1 << 20)
		return false;
	*f = (tensor_form){ f->type, (int)n - 1, w[0], w + 1 };
	for (k = 0; k < f->rank; k++) {
		if (f->dim[k] < 0 || (f->dim[k] && count > MOST_PLACES / f->dim[k]))
			return false;
		count *= f->dim[k];
	}
	return true;
}

bool instruction_form(const algebra *a, eg_id t, tensor_form *f)
{
	uint32_t n;
	layout l;

	if (core_kind(a, t) == C_LAID) {
		l = layout_of(a, t);
		*f = (tensor_form){ core_type(a, eg_args(a->g, t)[0]), l.rank, l.ndev, l.dim };
		return l.rank <= INSTRUCTION_RANK;
	}
	return core_kind(a, t) == C_TENSOR && read_form(a, eg_op_values(a->g, eg_node_op(a->g, t), &n), f);
}

int64_t form_elements(const tensor_form *f)
{
	return integers_product(f->dim, f->rank);
}

static bool same_extents(const tensor_form *x, const tensor_form *y)
{
	return x->rank == y->rank && (!x->rank || !memcmp(x->dim, y->dim, sizeof *x->dim * (size_t)x->rank));
}

static bool same_form(const tensor_form *x, const tensor_form *y)
{
	return x->type == y->type && x->ndev == y->ndev && same_extents(x, y);
}

/* ---- one instruction */

struct asked {
	const algebra *a;
	const char *family, *name;
	tensor_form r, in[MOST_OPERANDS];
	const int64_t *ints;
	int64_t nint;
	uint32_t n;
};

static bool like(const struct asked *q, eg_id node)
{
	const eg_id *arg = eg_args(q->a->g, node);
	tensor_form f;
	uint32_t k;

	if (eg_narg(q->a->g, node) != q->n)
		return false;
	for (k = 0; k < q->n; k++)
		if (!instruction_form(q->a, arg[k], &f) || !same_form(&f, &q->in[k]))
			return false;
	return true;
}

/* Another node with this operator over operands of these forms: what holds of its attributes holds of this one's. */
static bool there_is(const struct asked *q, eg_fam f, const eg_val *val)
{
	const egraph *g = q->a->g;
	eg_id i, n = eg_nnode(g);
	uint32_t nval;

	for (i = 0; i < n; i++)
		if (eg_op_family(g, eg_node_op(g, i)) == f &&
		    !memcmp(eg_op_values(g, eg_node_op(g, i), &nval), val, VALUES * sizeof *val) && like(q, i))
			return true;
	return false;
}

static bool type_fits(const struct asked *q, char types, uint32_t k)
{
	switch (types) {
	case 'q': return q->in[k].type == q->in[0].type && instruction_takes('a', q->in[k].type);
	case 'p': return instruction_takes('f', q->in[k].type);
	case 'c': return instruction_takes('a', q->in[k].type);
	case 's': return k ? q->in[k].type == q->r.type : q->in[k].type == T_PRED;
	default: return q->in[k].type == q->r.type;
	}
}

const char *const instruction_order[INSTRUCTION_ORDERS] = { "EQ", "NE", "LT", "LE", "GT", "GE" };

static bool is_order(const char *s)
{
	int i;

	for (i = 0; i < INSTRUCTION_ORDERS; i++)
		if (!strcmp(s, instruction_order[i]))
			return true;
	return false;
}

static const char *by_places(const struct asked *q, const struct by_places *e)
{
	uint32_t k;

	if (q->n != e->n)
		return "it has another number of operands";
	if (q->nint || (e->types == 'q' ? !is_order(q->name) : *q->name))
		return "no program has these attributes";
	if (!instruction_takes(e->types, q->r.type))
		return "it is not of this element type";
	for (k = 0; k < q->n; k++) {
		bool scalar = q->in[k].rank == 0 && ((e->types == 'm' && k != 1) || (e->types == 's' && !k));
		if (!type_fits(q, e->types, k))
			return "the element types of its operands do not fit";
		if (!scalar && !same_extents(&q->in[k], &q->r))
			return "the extents of its operands are not its own";
	}
	return NULL;
}

/* ---- by the meaning of the attributes; operand 0 has the result's type */

static bool different(const int64_t *d, int64_t n, int64_t below)
{
	return n <= below && integers_distinct(d, (int)n, below);
}

static bool transpose(const struct asked *q)
{
	int k;

	if (q->n != 1 || q->nint != q->r.rank || q->in[0].rank != q->r.rank || !different(q->ints, q->nint, q->r.rank))
		return false;
	for (k = 0; k < q->r.rank; k++)
		if (q->r.dim[k] != q->in[0].dim[q->ints[k]])
			return false;
	return true;
}

static bool broadcast(const struct asked *q)
{
	int k;

	if (q->n != 1 || q->nint != q->in[0].rank || !different(q->ints, q->nint, q->r.rank))
		return false;
	for (k = 0; k < q->in[0].rank; k++)
		if (q->in[0].dim[k] != q->r.dim[q->ints[k]])
			return false;
	return true;
}

static bool reshape(const struct asked *q)
{
	return q->n == 1 && !q->nint && form_elements(&q->r) == form_elements(&q->in[0]);
}

static bool reverse(const struct asked *q)
{
	return q->n == 1 && different(q->ints, q->nint, q->r.rank) && same_extents(&q->r, &q->in[0]);
}

static bool slice(const struct asked *q)
{
	int k;

	if (q->n != 1 || q->in[0].rank != q->r.rank || q->nint != 3 * q->r.rank)
		return false;
	for (k = 0; k < q->r.rank; k++) {
		int64_t from = q->ints[3 * k], to = q->ints[3 * k + 1], by = q->ints[3 * k + 2];
		if (from < 0 || to < from || to > q->in[0].dim[k] || by < 1 || q->r.dim[k] != (to - from) / by + ((to - from) % by != 0))
			return false;
	}
	return true;
}

static bool pad(const struct asked *q)
{
	int k;

	if (q->n != 2 || q->in[0].rank != q->r.rank || q->nint != 3 * q->r.rank || q->in[1].rank || q->in[1].type != q->r.type)
		return false;
	for (k = 0; k < q->r.rank; k++) {
		const int64_t *p = q->ints + 3 * k;
		int64_t n = q->in[0].dim[k];
		if (p[0] < -MOST_PLACES || p[0] > MOST_PLACES || p[1] < -MOST_PLACES || p[1] > MOST_PLACES || p[2] < 0 || p[2] > 1 << 20 ||
		    n > 1 << 20 || q->r.dim[k] != p[0] + p[1] + n + (n ? n - 1 : 0) * p[2])
			return false;
	}
	return true;
}

static bool concatenate(const struct asked *q)
{
	int64_t sum = 0;
	uint32_t j;
	int k;

	if (!q->n || q->nint != 1 || q->ints[0] < 0 || q->ints[0] >= q->r.rank)
		return false;
	for (j = 0; j < q->n; j++) {
		if (q->in[j].type != q->r.type || q->in[j].rank != q->r.rank)
			return false;
		for (k = 0; k < q->r.rank; k++)
			if (k != q->ints[0] && q->in[j].dim[k] != q->r.dim[k])
				return false;
		sum += q->in[j].dim[q->ints[0]];
	}
	return sum == q->r.dim[q->ints[0]];
}

/* ints of a dot: nbatch, lhs.., rhs.., ncontract, lhs.., rhs.. */
struct dot {
	int64_t nb, nc;
	const int64_t *batch[2], *sum[2];
};

static bool read_dot(const struct asked *q, struct dot *d)
{
	int64_t all[2 * INSTRUCTION_RANK];
	int side;

	d->nb = q->nint >= 2 ? q->ints[0] : -1;
	if (d->nb < 0 || d->nb > INSTRUCTION_RANK || q->nint < 2 + 2 * d->nb)
		return false;
	d->nc = q->ints[1 + 2 * d->nb];
	if (d->nc < 0 || d->nc > INSTRUCTION_RANK || q->nint != 2 + 2 * d->nb + 2 * d->nc)
		return false;
	for (side = 0; side < 2; side++) {
		d->batch[side] = q->ints + 1 + side * d->nb;
		d->sum[side] = q->ints + 2 + 2 * d->nb + side * d->nc;
		memcpy(all, d->batch[side], sizeof *all * (size_t)d->nb);
		memcpy(all + d->nb, d->sum[side], sizeof *all * (size_t)d->nc);
		if (!different(all, d->nb + d->nc, q->in[side].rank))
			return false;
	}
	return true;
}

/* The result: batch, the lhs's own, the rhs's own. */
static bool dot(const struct asked *q)
{
	struct dot d;
	int64_t k, o;
	int side;

	if (q->n != 2 || q->in[1].type != q->r.type || !read_dot(q, &d) || q->r.rank != q->in[0].rank + q->in[1].rank - d.nb - 2 * d.nc)
		return false;
	for (k = 0; k < d.nb; k++)
		if (q->in[0].dim[d.batch[0][k]] != q->r.dim[k] || q->in[1].dim[d.batch[1][k]] != q->r.dim[k])
			return false;
	for (k = 0; k < d.nc; k++)
		if (q->in[0].dim[d.sum[0][k]] != q->in[1].dim[d.sum[1][k]])
			return false;
	for (o = d.nb, side = 0; side < 2; side++)
		for (k = 0; k < q->in[side].rank; k++)
			if (!integers_have(d.batch[side], (int)d.nb, k) && !integers_have(d.sum[side], (int)d.nc, k) && q->r.dim[o++] != q->in[side].dim[k])
				return false;
	return true;
}

static bool fold_fits(const struct asked *q)
{
	bool logical = !strcmp(q->name, "and") || !strcmp(q->name, "or");

	return reducer_known(q->name) && instruction_takes(logical ? 'l' : 'a', q->r.type);
}

static bool reduce(const struct asked *q)
{
	int64_t d, o = 0;

	if (q->n != 2 || q->in[1].rank || q->in[1].type != q->r.type || !fold_fits(q) || q->in[0].rank != q->r.rank + q->nint ||
	    !different(q->ints, q->nint, q->in[0].rank))
		return false;
	for (d = 0; d < q->in[0].rank; d++)
		if (!integers_have(q->ints, (int)q->nint, d) && q->in[0].dim[d] != q->r.dim[o++])
			return false;
	return true;
}

static bool dynamic_slice(const struct asked *q)
{
	uint32_t k;

	if (q->nint || q->in[0].rank != q->r.rank || q->n != 1 + (uint32_t)q->r.rank)
		return false;
	for (k = 1; k < q->n; k++)
		if (q->in[k].rank || !instruction_takes('i', q->in[k].type) || q->r.dim[k - 1] > q->in[0].dim[k - 1])
			return false;
	return true;
}

static bool dynamic_update_slice(const struct asked *q)
{
	uint32_t k;

	if (q->nint || !same_extents(&q->in[0], &q->r) || q->n != 2 + (uint32_t)q->r.rank || q->in[1].type != q->r.type ||
	    q->in[1].rank != q->r.rank)
		return false;
	for (k = 2; k < q->n; k++)
		if (q->in[k].rank || !instruction_takes('i', q->in[k].type) || q->in[1].dim[k - 2] > q->r.dim[k - 2])
			return false;
	return true;
}

/* The dimension, the groups: every device in one, all of one size; 0: they are something else. */
static int64_t group_size(const struct asked *q)
{
	int64_t groups = q->nint > 2 ? q->ints[1] : 0, size = groups > 0 ? q->ints[2] : 0, k, j;

	if (groups < 1 || size < 1 || groups > q->r.ndev || size > q->r.ndev || groups * size != q->r.ndev ||
	    q->nint != 2 + groups + q->r.ndev)
		return 0;
	for (k = 0; k < groups; k++)
		if (q->ints[2 + k] != size)
			return 0;
	for (k = 2 + groups; k < q->nint; k++) {
		if (q->ints[k] < 0 || q->ints[k] >= q->r.ndev)
			return 0;
		for (j = 2 + groups; j < k; j++)
			if (q->ints[j] == q->ints[k])
				return 0;
	}
	return size;
}

static bool all_reduce(const struct asked *q)
{
	return q->n == 1 && group_size(q) && q->ints[0] == -1 && fold_fits(q) && same_extents(&q->in[0], &q->r);
}

/* One dimension is `more` times as long as the operand's, which is `less` times as long as the result's. */
static bool scaled(const struct asked *q, int64_t more, int64_t less)
{
	int k;

	if (q->in[0].rank != q->r.rank || q->ints[0] < 0 || q->ints[0] >= q->r.rank)
		return false;
	for (k = 0; k < q->r.rank; k++)
		if (q->r.dim[k] * (k == q->ints[0] ? less : 1) != q->in[0].dim[k] * (k == q->ints[0] ? more : 1))
			return false;
	return true;
}

static bool all_gather(const struct asked *q)
{
	int64_t n = group_size(q);

	return q->n == 1 && n && scaled(q, n, 1);
}

/* A loop in closed form: what goes into the trips, and what comes out of them. */
static bool each_trip(const struct asked *q)
{
	return q->n == 1 && !q->nint && q->r.ndev % q->in[0].ndev == 0 && same_extents(&q->in[0], &q->r);
}

static bool over_trips(const struct asked *q)
{
	return q->n == 1 && !q->nint && q->in[0].ndev % q->r.ndev == 0 && fold_fits(q) && same_extents(&q->in[0], &q->r);
}

static bool stack_trips(const struct asked *q)
{
	const tensor_form one = { q->r.type, q->r.rank - 1, 0, q->r.dim + 1 };

	return q->n == 1 && !q->nint && q->r.rank && q->r.dim[0] * q->r.ndev == q->in[0].ndev && same_extents(&q->in[0], &one);
}

static bool reduce_scatter(const struct asked *q)
{
	int64_t n = group_size(q);

	return q->n == 1 && n && fold_fits(q) && scaled(q, 1, n);
}

static bool all_to_all(const struct asked *q)
{
	int64_t n = group_size(q);

	return q->n == 1 && n && scaled(q, 1, 1) && q->r.dim[q->ints[0]] % n == 0;
}

static bool iota(const struct asked *q)
{
	return !q->n && q->nint == 1 && q->ints[0] >= 0 && q->ints[0] < q->r.rank && instruction_takes('n', q->r.type);
}

static const char *by_attributes(const struct asked *q)
{
	static const struct { const char *family; bool (*fits)(const struct asked *q); } t[] = {
		{ "transpose", transpose }, { "broadcast", broadcast }, { "reshape", reshape }, { "reverse", reverse }, { "slice", slice },
		{ "pad", pad }, { "concatenate", concatenate }, { "dot", dot }, { "reduce", reduce }, { "dynamic-slice", dynamic_slice },
		{ "dynamic-update-slice", dynamic_update_slice }, { "all-reduce", all_reduce }, { "all-gather", all_gather },
		{ "reduce-scatter", reduce_scatter }, { "all-to-all", all_to_all }, { "iota", iota }, { "each-trip", each_trip },
		{ "over-trips", over_trips }, { "stack-trips", stack_trips },
	};
	size_t i;

	for (i = 0; i < sizeof t / sizeof *t; i++)
		if (!strcmp(t[i].family, q->family)) {
			if (!instruction_takes('a', q->r.type) || (q->n && q->in[0].type != q->r.type))
				return "the element types of its operands do not fit";
			return t[i].fits(q) ? NULL : "its attributes do not fit its extents and its operands";
		}
	return "only one with the attributes and the operands' extents of an instruction that a program has is understood";
}

/* What goes into the trips of a loop, or comes out of them. */
static bool of_trips(const char *family)
{
	return !strcmp(family, "each-trip") || !strcmp(family, "over-trips") || !strcmp(family, "stack-trips");
}

const char *instruction_fault(const algebra *a, eg_fam f, uint32_t nval, const eg_val *val, uint32_t narg, const eg_id *arg)
{
	const eg_signature *s = eg_family(a->g, f);
	const struct by_places *e;
	struct asked q = { .a = a, .family = s->name, .n = narg };
	size_t len;
	uint32_t k;

	if (!strcmp(s->name, "loop-result") || !strcmp(s->name, "unlifted"))
		return "nothing is known of what it does";
	if (s->result != a->tensor || nval != VALUES || s->nval != VALUES || narg > MOST_OPERANDS)
		return "it is no instruction";
	for (k = 0; k < VALUES; k++)
		if (eg_value_sort(a->g, val[k]) != s->val[k])
			return "an attribute of another sort";
	q.name = eg_value_bytes(a->g, val[NAME], &len);
	q.ints = words(a, val[INTS], &q.nint);
	if (!read_form(a, val, &q.r) || q.nint < 0 || !len || memchr(q.name, 0, len) != q.name + len - 1)
		return "an attribute is malformed";
	for (k = 0; k < narg; k++) {
		if (!instruction_form(a, arg[k], &q.in[k]))
			return "an operand is no instruction";
		if (q.in[k].ndev != q.r.ndev && !of_trips(s->name))
			return "its operands are on other devices";
	}
	if (there_is(&q, f, val))
		return NULL;
	e = instruction_by_places(s->name);
	return e ? by_places(&q, e) : by_attributes(&q);
}
