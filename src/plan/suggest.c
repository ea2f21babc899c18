#include "plan/suggest.h"

#include <string.h>
#include "core/core.h"

enum { AXES_MAX = 8, RANK_MAX = 8, LEAVES_MAX = 4096, CUTS_MAX = 64, PARTS_MAX = 8 };
enum { COST_PARTIAL = 4, COST_SCALED = 2, COST_REVERSED = 2, COST_PAD = 6, COST_ZERO = 1, COST_CUT = 3, COST_RESHAPE = 5, COST_TRANSPOSE = 7 };
enum { ON_NONE = -1, ON_PARTIAL = -2 };

struct search {
	arena *a;
	const mesh *ms;
	int type, rank;
	int64_t dim[RANK_MAX], local[RANK_MAX];
	int ncut;
	const struct cut *cut;
	const chain_step *before, *after;	/* a step of its own, or NULL */
	int extra;				/* what these cost */
	int on[AXES_MAX];			/* per axis: the dimension it shards, or one of the above */
	int leaves;
	struct suggestion *out;
	int n;
	bool cut_short;
};

/* One way to write an assignment of axes as a chain. */
struct way {
	bool reversed, zero, scaled;
	int cut, cut_dim;			/* -1: none */
};

/* ---- chains as they are made */

static const char *numbers_text(arena *a, int n, const int64_t *v)
{
	const char *t = "";
	int k;

	for (k = 0; k < n; k++)
		t = arena_printf(a, "%s%s%lld", t, k ? "," : "", (long long)v[k]);
	return t;
}

static const char *step_text(arena *a, const mesh *ms, const chain_step *s)
{
	switch (s->kind) {
	case CHAIN_SHARD:
		return s->n ? arena_printf(a, "%s:S(%d; %s)", ms->axis[s->axis].name, s->dim, numbers_text(a, s->n, s->v))
			    : arena_printf(a, "%s:S(%d)", ms->axis[s->axis].name, s->dim);
	case CHAIN_PARTIAL:
		return arena_printf(a, "%s:P(sum)", ms->axis[s->axis].name);
	case CHAIN_PAD:
		return arena_printf(a, "pad(%d; %lld%s)", s->dim, (long long)s->to, s->zero ? "; 0" : "");
	case CHAIN_SCALE:
		return arena_printf(a, "scale(%lld)", (long long)s->scale.num);
	case CHAIN_RESHAPE:
		return arena_printf(a, "reshape(%s)", numbers_text(a, s->n, s->v));
	default:
		return arena_printf(a, "transpose(%s)", numbers_text(a, s->n, s->v));
	}
}

static void add_step(struct search *s, chain *c, chain_step step)
{
	if (!step.scale.den)
		step.scale = RAT_ONE;
	((chain_step *)c->step)[c->n++] = step;
	c->text = arena_printf(s->a, "%s%s%s", c->n > 1 ? c->text : "", c->n > 1 ? " " : "", step_text(s->a, s->ms, &step));
}

/* Keeps the cheapest; of equal ones the first. */
static void keep(struct search *s, chain c, int cost)
{
	int at;

	for (at = 0; at < s->n; at++)
		if (!strcmp(s->out[at].c.text, c.text))
			return;
	s->cut_short = s->cut_short || s->n == SUGGEST_MAX;
	if (s->n == SUGGEST_MAX && s->out[s->n - 1].cost <= cost)
		return;
	if (s->n < SUGGEST_MAX)
		s->n++;
	for (at = s->n - 1; at > 0 && s->out[at - 1].cost > cost; at--)
		s->out[at] = s->out[at - 1];
	s->out[at] = (struct suggestion){ .c = c, .cost = cost };
}

/* ---- one assignment of axes */

static int64_t parts_of(const struct search *s, int on, int *axes)
{
	int64_t n = 1;
	int k;

	*axes = 0;
	for (k = 0; k < s->ms->n; k++)
		if (s->on[k] == on) {
			n *= s->ms->axis[k].size;
			(*axes)++;
		}
	return n;
}

static void add_shards(struct search *s, chain *c, int dim, const struct way *w)
{
	const struct cut *cut = w->cut >= 0 && w->cut_dim == dim ? &s->cut[w->cut] : NULL;
	int i, k, n = s->ms->n;

	for (i = 0; i < n; i++) {
		k = w->reversed ? n - 1 - i : i;
		if (s->on[k] == dim)
			add_step(s, c, (chain_step){ .kind = CHAIN_SHARD, .axis = k, .dim = dim, .n = cut ? cut->n : 0, .v = cut ? cut->size : NULL });
	}
}

static void write_way(struct search *s, const struct way *w)
{
	int dim, axes, k, cost = s->extra;
	int64_t n = parts_of(s, ON_PARTIAL, &axes);
	chain c = { 0, ARENA_ARRAY(s->a, chain_step, s->ms->n + s->rank + 4), "R" };

	cost += axes * COST_PARTIAL + (w->scaled ? COST_SCALED : 0) + (w->reversed ? COST_REVERSED : 0) + (w->cut >= 0 ? COST_CUT : 0) +
		(w->zero ? COST_ZERO : 0);
	if (s->before)
		add_step(s, &c, *s->before);
	if (w->scaled)
		add_step(s, &c, (chain_step){ .kind = CHAIN_SCALE, .scale = { n, 1 } });
	for (k = 0; k < s->ms->n; k++)
		if (s->on[k] == ON_PARTIAL)
			add_step(s, &c, (chain_step){ .kind = CHAIN_PARTIAL, .axis = k, .op = "add" });
	for (dim = 0; dim < s->rank; dim++) {
		n = parts_of(s, dim, &axes);
		if (!axes)
			continue;
		cost += axes - 1;
		if (n * s->local[dim] != s->dim[dim]) {
			cost += COST_PAD;
			add_step(s, &c, (chain_step){ .kind = CHAIN_PAD, .dim = dim, .to = n * s->local[dim], .zero = w->zero });
		}
		add_shards(s, &c, dim, w);
	}
	if (s->after)
		add_step(s, &c, *s->after);
	keep(s, c, cost);
}

static bool cut_fits(const struct search *s, const struct cut *c, int dim)
{
	int axes, k;
	int64_t n = parts_of(s, dim, &axes);

	if (axes != 1 || c->extent != s->dim[dim] || n * s->local[dim] != s->dim[dim])
		return false;
	for (k = 0; k < c->n; k++)
		if (c->size[k] % n)
			return false;
	return true;
}

/* Do the axes lead to the local shape?  Says whether something is padded, and whether a dimension has several axes. */
static bool fits(const struct search *s, bool *padded, bool *several)
{
	int dim, axes;

	*padded = *several = false;
	for (dim = 0; dim < s->rank; dim++) {
		int64_t n = parts_of(s, dim, &axes);
		if (n * s->local[dim] != s->dim[dim]) {
			if (n < 2 || s->local[dim] < 1 || (s->dim[dim] + n - 1) / n != s->local[dim])
				return false;
			*padded = true;
		}
		*several = *several || axes > 1;
	}
	return true;
}

static void take(struct search *s)
{
	bool padded, several, exact = !etype_is_int((enum etype)s->type) && s->type != T_PRED;
	int axes, k, dim, order, scaled;

	if (!fits(s, &padded, &several))
		return;
	parts_of(s, ON_PARTIAL, &axes);
	for (order = 0; order <= several; order++)
		for (scaled = 0; scaled <= (axes && exact); scaled++) {
			struct way w = { order, false, scaled, -1, -1 };
			write_way(s, &w);
			if (padded) {
				w.zero = true;
				write_way(s, &w);
				w.zero = false;
			}
			for (k = 0; k < s->ncut; k++)
				for (dim = 0; dim < s->rank; dim++)
					if (cut_fits(s, &s->cut[k], dim)) {
						w.cut = k;
						w.cut_dim = dim;
						write_way(s, &w);
					}
		}
}

/* Gives every axis from `axis` on something to do. */
static void assign(struct search *s, int axis)
{
	int dim;

	if (axis == s->ms->n) {
		if (s->leaves++ < LEAVES_MAX)
			take(s);
		else
			s->cut_short = true;
		return;
	}
	s->on[axis] = ON_NONE;
	if (s->ms->axis[axis].size > 1)
		for (dim = 0; dim < s->rank && s->leaves < LEAVES_MAX; dim++)
			if (s->dim[dim] > s->local[dim] || (s->dim[dim] == 1 && s->local[dim] == 1)) {
				s->on[axis] = dim;
				assign(s, axis + 1);
			}
	s->on[axis] = ON_NONE;
	assign(s, axis + 1);
	if (s->ms->axis[axis].size > 1 && s->type != T_PRED) {
		s->on[axis] = ON_PARTIAL;
		assign(s, axis + 1);
	}
}

/* ---- shapes that differ otherwise */

static void set_dims(struct search *s, int rank, const int64_t *dim, const int64_t *local)
{
	s->rank = rank;
	if (rank) {
		memcpy(s->dim, dim, sizeof *dim * (size_t)rank);
		memcpy(s->local, local, sizeof *dim * (size_t)rank);
	}
}

/* The same elements in other dimensions: whole, or one dimension sharded before. */
static void reshaped(struct search *s, const shape *b, const shape *d)
{
	chain_step after = { .kind = CHAIN_RESHAPE, .n = d->rank, .v = d->dim };
	int64_t local[RANK_MAX];
	int dim, k;

	s->after = &after;
	s->extra = COST_RESHAPE;
	if (shape_elements(b) >= 0 && shape_elements(b) == shape_elements(d)) {
		set_dims(s, b->rank, b->dim, b->dim);
		assign(s, 0);
	}
	for (k = 0; k < s->ms->n; k++)
		for (dim = 0; dim < b->rank; dim++) {
			int64_t n = s->ms->axis[k].size;
			if (n < 2 || b->dim[dim] % n || shape_elements(b) != n * shape_elements(d))
				continue;
			memcpy(local, b->dim, sizeof *local * (size_t)b->rank);
			local[dim] /= n;
			set_dims(s, b->rank, b->dim, local);
			assign(s, 0);
		}
	s->after = NULL;
}

static void transposed(struct search *s, const shape *b, const shape *d)
{
	static const int64_t swap[2] = { 1, 0 };
	int64_t dim[2] = { b->dim[1], b->dim[0] };
	chain_step before = { .kind = CHAIN_TRANSPOSE, .n = 2, .v = swap };

	s->before = &before;
	s->extra = COST_TRANSPOSE;
	s->ncut = 0;
	set_dims(s, 2, dim, d->dim);
	assign(s, 0);
	s->before = NULL;
}

int suggest_relations(arena *a, const mesh *ms, const shape *base, const shape *local, int ncut, const struct cut *cut,
		      struct suggestion *out, bool *more)
{
	struct search s = { .a = a, .ms = ms, .type = base->type, .ncut = ncut, .cut = cut, .out = out };

	*more = base->rank > RANK_MAX || local->rank > RANK_MAX || ms->n > AXES_MAX;
	if (*more || base->type == T_TUPLE || base->type != local->type)
		return 0;
	if (base->rank != local->rank) {
		reshaped(&s, base, local);
	} else {
		set_dims(&s, base->rank, base->dim, local->dim);
		assign(&s, 0);
		if (base->rank == 2)
			transposed(&s, base, local);
	}
	*more = s.cut_short;
	return s.n;
}

static void add_value(struct suggestion *out, int *n, const char *text, enum pin_kind pin, double value, int axis)
{
	int k;

	for (k = 0; k < *n; k++)
		if (!strcmp(out[k].c.text, text))
			return;
	if (*n < SUGGEST_MAX)
		out[(*n)++] = (struct suggestion){ .c = { 0, NULL, text }, .pin = pin, .value = value, .axis = axis };
}

int suggest_values(arena *a, const mesh *ms, const shape *local, struct suggestion *out)
{
	int k, n = 0;

	if (local->type == T_TUPLE || local->type == T_PRED || shape_elements(local) != 1)
		return 0;
	add_value(out, &n, "= partition-id", PIN_DEVICE, 0, 0);
	for (k = 0; k < ms->n && ms->n > 1; k++)
		if (ms->axis[k].size > 1)
			add_value(out, &n, arena_printf(a, "= %s", ms->axis[k].name), PIN_AXIS, 0, k);
	for (k = 0; k < ms->n; k++)
		add_value(out, &n, arena_printf(a, "= %lld", (long long)ms->axis[k].size), PIN_NUMBER, (double)ms->axis[k].size, 0);
	add_value(out, &n, arena_printf(a, "= %lld", (long long)ms->ndev), PIN_NUMBER, (double)ms->ndev, 0);
	add_value(out, &n, "= 0", PIN_NUMBER, 0, 0);
	add_value(out, &n, "= 1", PIN_NUMBER, 1, 0);
	return n;
}

/* Equal but for dimensions of size 1. */
static bool same_but_ones(const shape *x, const shape *y)
{
	int i = 0, k = 0;

	for (;; i++, k++) {
		for (; i < x->rank && x->dim[i] == 1; i++)
			;
		for (; k < y->rank && y->dim[k] == 1; k++)
			;
		if (i == x->rank || k == y->rank)
			return i == x->rank && k == y->rank;
		if (x->dim[i] != y->dim[k])
			return false;
	}
}

bool suggest_plain(arena *a, const mesh *ms, const shape *base, const shape *local, chain *out)
{
	struct suggestion s[SUGGEST_MAX];
	bool more;
	int k;

	*out = (chain){ 0, NULL, "R" };
	if (!suggest_relations(a, ms, base, local, 0, NULL, s, &more))
		return false;
	for (k = 0; k < s[0].c.n; k++) {
		enum chain_kind kind = s[0].c.step[k].kind;
		if (kind != CHAIN_SHARD && kind != CHAIN_PAD && !(kind == CHAIN_RESHAPE && s[0].c.n == 1 && same_but_ones(base, local)))
			return false;
	}
	*out = s[0].c;
	return true;
}

/* ---- segments */

struct cuts {
	arena *a;
	struct cut *v;
	int n;
};

static void add_cut(struct cuts *c, int n, const int64_t *size, int64_t times)
{
	int64_t *v = ARENA_ARRAY(c->a, int64_t, n), extent = 0;
	int k;

	for (k = 0; k < n; k++)
		extent += v[k] = size[k] * times;
	for (k = 0; k < c->n; k++)
		if (c->v[k].n == n && !memcmp(c->v[k].size, v, sizeof *v * (size_t)n))
			return;
	if (c->n < CUTS_MAX)
		c->v[c->n++] = (struct cut){ extent, n, v };
}

/* What a slice says of its operand: the one dimension it cuts, from where to where; -1: none, or several. */
static int sliced(const inst *i, int64_t *from, int64_t *to)
{
	const attr *at = i->opcode == OP_SLICE ? inst_attr(i, "slice") : NULL;
	const shape *whole = at ? i->operand[0]->shape : NULL;
	int k, dim = -1;

	if (!at || at->n != whole->rank)
		return -1;
	for (k = 0; k < at->n; k++) {
		if (at->ints[3 * k] == 0 && at->ints[3 * k + 1] == whole->dim[k])
			continue;
		if (dim >= 0 || at->ints[3 * k + 2] != 1)
			return -1;
		dim = k;
		*from = at->ints[3 * k];
		*to = at->ints[3 * k + 1];
	}
	return dim;
}

/* The ends of the segments that all slices of one value leave, in order; their number, 0: too many. */
static int ends_of(const program *p, int first, int64_t *end)
{
	int64_t from, to, bound[2];
	int i, j, k, n = 0, dim = sliced(p->row[first].inst, &from, &to);

	for (i = first; i < p->nrow; i++) {
		if (p->row[i].nop != 1 || p->row[i].op[0] != p->row[first].op[0] || sliced(p->row[i].inst, &from, &to) != dim)
			continue;
		bound[0] = from;
		bound[1] = to;
		for (k = 0; k < 2; k++) {
			for (j = 0; j < n && end[j] < bound[k]; j++)
				;
			if (bound[k] == 0 || (j < n && end[j] == bound[k]))
				continue;
			if (n == PARTS_MAX)
				return 0;
			memmove(end + j + 1, end + j, sizeof *end * (size_t)(n - j));
			end[j] = bound[k];
			n++;
		}
	}
	return n;
}

static void slices_of(struct cuts *c, const program *p, int row, int64_t times)
{
	int64_t end[PARTS_MAX + 1], size[PARTS_MAX + 1], from, to, whole;
	int k, n, dim = sliced(p->row[row].inst, &from, &to);

	if (dim < 0 || p->row[row].nop != 1)
		return;
	whole = p->row[row].inst->operand[0]->shape->dim[dim];
	n = ends_of(p, row, end);
	if (n && end[n - 1] != whole)
		end[n++] = whole;
	for (k = 0; k < n; k++)
		size[k] = end[k] - (k ? end[k - 1] : 0);
	if (n > 1)
		add_cut(c, n, size, times);
}

/* A reshape that takes a dimension apart with a few parts in front: (.., 3 x 64, ..) to (.., 3, 64, ..). */
static void parts_in_front(struct cuts *c, const inst *i, int64_t times)
{
	const shape *x, *y = i->shape;
	int64_t size[PARTS_MAX];
	int dim, k;

	if (i->opcode != OP_RESHAPE)
		return;
	x = i->operand[0]->shape;
	for (dim = 0; dim < x->rank && dim < y->rank && x->dim[dim] == y->dim[dim]; dim++)
		;
	if (dim >= x->rank || dim + 1 >= y->rank || y->dim[dim] < 2 || y->dim[dim] > PARTS_MAX || x->dim[dim] % y->dim[dim])
		return;
	for (k = 0; k < y->dim[dim]; k++)
		size[k] = x->dim[dim] / y->dim[dim];
	add_cut(c, (int)y->dim[dim], size, times);
}

int suggest_cuts(arena *a, const mesh *ms, const program *base, const program *dist, const struct cut **out)
{
	struct cuts c = { a, ARENA_ARRAY(a, struct cut, CUTS_MAX), 0 };
	int i, k;

	for (i = 0; i < base->nrow; i++) {
		slices_of(&c, base, i, 1);
		parts_in_front(&c, base->row[i].inst, 1);
	}
	for (i = 0; i < dist->nrow; i++)
		for (k = 0; k < ms->n; k++) {
			slices_of(&c, dist, i, ms->axis[k].size);
			parts_in_front(&c, dist->row[i].inst, ms->axis[k].size);
		}
	*out = c.v;
	return c.n;
}
