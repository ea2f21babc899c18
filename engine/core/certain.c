#include "core/certain.h"

#include <math.h>
#include <string.h>
#include "core/fact_range.h"
#include "core/facts.h"
#include "core/mask.h"
#include "core/operand.h"
#include "core/zip.h"

/* One question: how many nodes may still be opened, and the classes that are open. */
enum { VISITS_MAX = 60, OPEN_MAX = 24 };
struct asking {
	int left, n;
	eg_id open[OPEN_MAX];
};

/* A class that is read inside of itself tells nothing. */
static bool enter(const algebra *a, struct asking *q, eg_id x)
{
	eg_id r = eg_root(a->g, x);
	int k;

	for (k = 0; k < q->n; k++)
		if (q->open[k] == r)
			return false;
	if (q->n == OPEN_MAX || q->left-- <= 0)
		return false;
	q->open[q->n++] = r;
	return true;
}

static void note(algebra *a, eg_id x, eg_id y)
{
	*(premise *)vec_push(&a->looked) = (premise){ x, y };
}

static eg_id look(algebra *a, eg_id x)
{
	eg_id o = peek(a, x);

	note(a, x, o);
	return o;
}

static double f_finite(double x, double y) { (void)y; return isfinite(x); }
static double f_positive(double x, double y) { (void)y; return x > 0 && isfinite(x); }

static slot truth(algebra *a, bool v)
{
	double *d = ARENA_ARRAY(&a->s.a, double, 1);

	d[0] = v;
	return slot_table(T_PRED, 0, NULL, d, RAT_ONE);
}

static slot both(algebra *a, slot x, slot y) { return tables_zip(a, &x, &y, zip_and, T_PRED); }
static slot either(algebra *a, slot x, slot y) { return tables_zip(a, &x, &y, zip_or, T_PRED); }
static slot each(algebra *a, slot x, double (*f)(double, double)) { return tables_zip(a, &x, &x, f, T_PRED); }

/* Settled: no place, whatever else must hold. */
static bool nowhere(const slot *t) { return t->nl == 0 && t->v[0] == 0; }

/* The operands of node o as a slot reads them; labels summed inside are fresh. */
static slot *inside(algebra *a, eg_id o, const slot *t, int *n, work *w)
{
	*w = *work_new(a, core_kind(a, o), core_type(a, o), 0);
	return work_inline(a, o, t->e, w, n);
}

/* ---- labels */

/* True where the table is for some value of the labels given; nothing when one of its data labels depends on them. */
static slot some(algebra *a, slot t, int nb, label *const *bound)
{
	label *b[64], *own[128], **keep;
	int nl, n = labels_leaves(&a->s, nb, bound, b, 64), i, k, m = 0;
	int64_t cnt, at, out, *idx;
	slot r;

	nl = labels_leaves(&a->s, t.nl, t.l, own, 128);
	for (i = 0; i < nl; i++)
		if (data_reads(a, 1, &own[i], n, b))
			return truth(a, false);
	keep = ARENA_ARRAY(&a->s.a, label *, nl);
	for (i = 0; i < nl; i++)
		if (!label_in(own[i], n, b))
			keep[m++] = own[i];
	if (m == nl)
		return t;
	cnt = grid_size(&a->s, m, keep);
	r = slot_table(T_PRED, m, keep, arena_zalloc(&a->s.a, sizeof *r.v * (size_t)cnt), RAT_ONE);
	cnt = grid_size(&a->s, nl, own);
	idx = arena_zalloc(&a->s.a, sizeof *idx * (size_t)(nl + 1));
	for (at = 0; at < cnt; at++) {
		for (out = 0, i = 0; i < nl; i++)
			if (!label_in(own[i], n, b))
				out = out * own[i]->n + idx[i];
		if (t.v[at] != 0)
			r.v[out] = 1;
		for (k = nl - 1; k >= 0 && ++idx[k] == own[k]->n; k--)
			idx[k] = 0;
	}
	return r;
}

/* Two labels that are digits of one value: of the same core, read at the same place. */
static bool one_value(algebra *a, const label *x, const label *y)
{
	return x->data && y->data && eg_root(a->g, x->data->core) == eg_root(a->g, y->data->core) && ix_equal(&a->s, x->data->at, y->data->at);
}

/* How many digits end where digit i of the same value begins, the value itself at 1; -1: another begins there, too. */
static int begins(algebra *a, int nl, label *const *l, int i)
{
	int64_t div = l[i]->data->div;
	int j, before = div == 1;

	for (j = 0; j < nl; j++) {
		if (j == i || !one_value(a, l[j], l[i]))
			continue;
		if (l[j]->data->div == div)
			return -1;
		before += l[j]->data->div * l[j]->n == div;
	}
	return before;
}

/* Are the digits of label k's value among the labels all there, k the first of them?  Each begins where one ends, no two at
 * one place, and the last ends where the value does: then they are the value. */
static bool whole_value(algebra *a, int nl, label *const *l, int k)
{
	int64_t end = 0;
	int i;

	for (i = 0; i < nl; i++) {
		if (i != k && !one_value(a, l[i], l[k]))
			continue;
		if (i < k || begins(a, nl, l, i) != 1)
			return false;
		if (l[i]->data->div * l[i]->n > end)
			end = l[i]->data->div * l[i]->n;
	}
	return end >= l[k]->data->full;
}

/* Places of a table at which a value that chooses is less than it ever is are none. */
static void strike_out(algebra *a, int nl, label *const *l, int k, int64_t n, double *v)
{
	int64_t least = fact_least(a, l[k]->data->core, look), *stride = ARENA_ARRAY(&a->s.a, int64_t, nl), *value, i;
	int j;

	if (least <= 0)
		return;
	for (j = 0; j < nl; j++)
		stride[j] = one_value(a, l[j], l[k]) ? l[j]->data->div : 0;
	value = grid_linear(&a->s, nl, l, 0, stride);
	for (i = 0; i < n; i++)
		if (value[i] < least)
			v[i] = 1;
}

static bool everywhere(algebra *a, const slot *t)
{
	label *own[128];
	int nl = labels_leaves(&a->s, t->nl, t->l, own, 128), k;
	int64_t n = grid_size(&a->s, nl, own), i;
	double *v = ARENA_ARRAY(&a->s.a, double, n);

	memcpy(v, t->v, sizeof *v * (size_t)n);
	for (k = 0; k < nl; k++)
		if (own[k]->data && whole_value(a, nl, own, k))
			strike_out(a, nl, own, k, n, v);
	for (i = 0; i < n; i++)
		if (v[i] == 0)
			return false;
	return true;
}

/* ---- certainly finite */

static slot finite_at(algebra *a, const slot *t, struct asking *q);

/* The index that t is, all of whose values its type has. */
static bool index_in_type(algebra *a, const slot *t, ix **e, int64_t *lo)
{
	int64_t hi, least, most;

	if (t->x == NIL || !type_is_int(core_type(a, t->x)) || !slot_index(a, t, e))
		return false;
	ix_range(&a->s, *e, lo, &hi);
	int_range(core_type(a, t->x), &least, &most);
	return *lo >= least && hi <= most;
}

static int64_t least_value(algebra *a, const slot *t)
{
	int64_t known = t->x == NIL ? INT64_MIN : fact_least(a, t->x, look), lo;
	ix *e;

	return index_in_type(a, t, &e, &lo) && lo > known ? lo : known;
}

/* Where a comparison certainly holds: that of places with a value that is never less than some number. */
static slot certainly_true(algebra *a, const slot *t, struct asking *q)
{
	eg_id o = t->x == NIL ? NIL : look(a, t->x);
	label **l;
	ix *e;
	slot *in;
	int64_t least, lo, *v, cells;
	double *hold;
	bool less;
	work w;
	int n;

	if (o == NIL || core_kind(a, o) != C_MAP || q->left-- <= 0)
		return truth(a, false);
	less = !strcmp(core_fn(a, o), "compare:LT");
	if (!less && strcmp(core_fn(a, o), "compare:LE"))
		return truth(a, false);
	in = inside(a, o, t, &n, &w);
	if (n != 2 || (least = least_value(a, &in[1])) + !less <= 0 || !index_in_type(a, &in[0], &e, &lo))
		return truth(a, false);
	n = ix_labels(&a->s, e, &l);
	v = ix_values(&a->s, e, n, l);
	cells = grid_size(&a->s, n, l);
	hold = ARENA_ARRAY(&a->s.a, double, cells);
	while (cells-- > 0)
		hold[cells] = v[cells] < least + !less;
	return slot_table(T_PRED, n, l, hold, RAT_ONE);
}

/* A constant predicate takes the table of the branch chosen. */
static slot finite_choice(algebra *a, const slot *in, struct asking *q)
{
	slot p;

	if (!slot_table_values(a, &in[0], &p)) {
		p = certainly_true(a, &in[0], q);
		return nowhere(&p) ? p : both(a, p, finite_at(a, &in[1], q));
	}
	return either(a, both(a, p, finite_at(a, &in[1], q)), both(a, each(a, p, zip_not), finite_at(a, &in[2], q)));
}

static slot finite_in(algebra *a, eg_id o, const slot *t, struct asking *q)
{
	slot *in, r;
	work w;
	int n, k;

	switch (core_kind(a, o)) {
	case C_MAP:
		if (strcmp(core_fn(a, o), "select"))
			return truth(a, false);
		in = inside(a, o, t, &n, &w);
		return n == 3 ? finite_choice(a, in, q) : truth(a, false);
	case C_SUM: case C_AT:
		in = inside(a, o, t, &n, &w);
		r = truth(a, true);
		for (k = 0; k < n && !nowhere(&r); k++)
			r = both(a, r, finite_at(a, &in[k], q));
		return r;
	default:
		return truth(a, false);
	}
}

static slot finite_at(algebra *a, const slot *t, struct asking *q)
{
	slot r;

	if (t->x != NIL && fact_finite(a, t->x))
		return truth(a, true);
	if (slot_table_values(a, t, &r))
		return each(a, r, f_finite);
	if (t->x == NIL || !enter(a, q, t->x))
		return truth(a, false);
	r = finite_in(a, look(a, t->x), t, q);
	q->n--;
	return r;
}

/* ---- certainly positive */

static slot positive_at(algebra *a, const slot *t, struct asking *q);

static bool nonneg(const algebra *a, eg_id x)
{
	return facts_of(a, x) & FACT_NONNEG;
}

/* Is every factor or term of o finite and nowhere negative?  If not, nothing of o has to be opened. */
static bool signs_allow(const algebra *a, eg_id o)
{
	const eg_id *x = eg_args(a->g, o);
	int k, n = pairing_read(a, o).nslot;

	for (k = 0; k < n; k++) {
		rat c = core_coef(a, o, k);
		if (core_kind(a, o) == C_SUM ? c.num < 0 || !fact_finite(a, x[k]) || !nonneg(a, x[k]) :
		    !fact_finite_power(a, x[k], c.num) || (c.num % 2 && !nonneg(a, x[k])))
			return false;
	}
	return true;
}

/* Where all factors are positive, for some value of the summed labels; no term of the sum may be negative. */
static slot positive_product(algebra *a, const slot *t, int n, const work *w, struct asking *q)
{
	slot r = truth(a, true);
	int k;

	for (k = 0; k < n && !nowhere(&r); k++)
		r = both(a, r, positive_at(a, &t[k], q));
	return some(a, r, w->nbound, w->bound);
}

static slot positive_sum(algebra *a, const slot *t, int n, struct asking *q)
{
	slot r = truth(a, false);
	int k;

	for (k = 0; k < n; k++)
		if (t[k].c.num > 0)
			r = either(a, r, positive_at(a, &t[k], q));
	return r;
}

static slot positive_in(algebra *a, eg_id o, const slot *t, struct asking *q)
{
	slot *in;
	work w;
	int n;

	switch (core_kind(a, o)) {
	case C_MUL: case C_EIN: case C_SUM:
		if (!signs_allow(a, o))
			return truth(a, false);
		in = inside(a, o, t, &n, &w);
		return w.kind == C_SUM ? positive_sum(a, in, n, q) : positive_product(a, in, n, &w, q);
	case C_AT:
		in = inside(a, o, t, &n, &w);
		return positive_at(a, &in[0], q);
	case C_MAP:
		if (strcmp(core_fn(a, o), "exponential"))
			return truth(a, false);
		in = inside(a, o, t, &n, &w);
		return finite_at(a, &in[0], q);
	default:
		return truth(a, false);
	}
}

static slot positive_at(algebra *a, const slot *t, struct asking *q)
{
	slot r;

	if (fact_positive(a, t->x))
		return truth(a, true);
	if (!fact_finite(a, t->x))
		return truth(a, false);
	if (slot_table_values(a, t, &r))
		return each(a, r, f_positive);
	if (!enter(a, q, t->x))
		return truth(a, false);
	r = positive_in(a, look(a, t->x), t, q);
	q->n--;
	return r;
}

/* ---- questions */

static bool decide_maximum(algebra *a, eg_id n)
{
	work *w = work_open(a, n);
	slot r = truth(a, false);
	struct asking q = { VISITS_MAX, 1, { eg_root(a->g, n) } };
	int k;

	for (k = 0; k < w->nslot; k++)
		r = either(a, r, some(a, finite_at(a, &w->slot[k], &q), w->nbound, w->bound));
	return everywhere(a, &r);
}

static bool decide_positive(algebra *a, eg_id n)
{
	struct asking q = { VISITS_MAX, 1, { eg_root(a->g, n) } };
	work *w;
	slot r;

	if (!signs_allow(a, n))
		return false;
	w = work_open(a, n);
	r = w->kind == C_SUM ? positive_sum(a, w->slot, w->nslot, &q) : positive_product(a, w->slot, w->nslot, w, &q);
	return everywhere(a, &r);
}

static bool minus_infinity(algebra *a, const slot *t)
{
	number v;

	return slot_number(a, t, &v) && !number_is_rat(v) && isinf(v.f) && v.f < 0;
}

static bool said_of(algebra *a, const slot *x, const slot *t)
{
	if (!slot_same(a, x, t))
		return false;
	note(a, x->x, t->x);
	return true;
}

/* Does the predicate say, where it has the value `side`, that t is not -inf? */
static bool says_not(algebra *a, const slot *p, const slot *t, bool side, struct asking *q)
{
	eg_id o = p->x == NIL ? NIL : look(a, p->x);
	const char *f;
	slot *in;
	work w;
	int n;

	if (o == NIL || core_kind(a, o) != C_MAP || q->left-- <= 0)
		return false;
	f = core_fn(a, o);
	in = inside(a, o, p, &n, &w);
	if (!strcmp(f, "not"))
		return says_not(a, &in[0], t, !side, q);
	if (!strcmp(f, "is-finite"))
		return side && said_of(a, &in[0], t);
	if (n != 2 || strcmp(f, side ? "compare:NE" : "compare:EQ"))
		return false;
	return (said_of(a, &in[0], t) && minus_infinity(a, &in[1])) || (said_of(a, &in[1], t) && minus_infinity(a, &in[0]));
}

static bool decide_guard(algebra *a, eg_id n, int branch)
{
	work *w = work_open(a, n);
	struct asking q = { VISITS_MAX, 1, { eg_root(a->g, n) } };

	return w->nslot == 3 && says_not(a, &w->slot[0], &w->slot[branch], branch == 1, &q);
}

/* The one operand of a node of this kind that t reads, with the labels summed inside; false: it is another. */
static bool only_operand(algebra *a, const slot *t, enum core_kind k, slot *out, work *w)
{
	eg_id o = t->x == NIL ? NIL : look(a, t->x);
	slot *in;
	int n;

	if (o == NIL || core_kind(a, o) != k)
		return false;
	in = inside(a, o, t, &n, w);
	*out = in[0];
	return n == 1 && in[0].x != NIL;
}

/* 1/n, of so many places the labels have. */
static bool is_share(const rat *c, int nb, label *const *b)
{
	int64_t n = 1;
	int k;

	for (k = 0; k < nb && n <= INT32_MAX; k++)
		n *= b[k]->n;
	return c->num == 1 && c->den == n;
}

/* x and y read one class at one place, when the labels summed of y are those of x. */
static bool read_alike(algebra *a, const slot *x, const work *wx, const slot *y, const work *wy)
{
	ix **to = ARENA_ARRAY(&a->s.a, ix *, wy->nbound + 1);
	int k;

	if (eg_root(a->g, x->x) != eg_root(a->g, y->x) || wx->nbound != wy->nbound)
		return false;
	for (k = 0; k < wx->nbound; k++) {
		if (wx->bound[k]->n != wy->bound[k]->n)
			return false;
		to[k] = ix_of(&a->s, wx->bound[k], 1);
	}
	note(a, x->x, y->x);
	return ix_equal(&a->s, x->e, ix_subst(&a->s, y->e, wy->nbound, wy->bound, to));
}

static bool is_square_of_mean(algebra *a, const slot *t, const rat *share, const slot *x, const work *wx)
{
	slot mean, sum, y;
	work w;

	return t->c.num == -1 && t->c.den == 1 && only_operand(a, t, C_MUL, &mean, &w) && mean.c.num == 2 &&
	       only_operand(a, &mean, C_SUM, &sum, &w) && rat_eq(sum.c, *share) &&
	       only_operand(a, &sum, C_EIN, &y, &w) && y.c.num == 1 && read_alike(a, x, wx, &y, &w);
}

static bool decide_spread(algebra *a, eg_id n)
{
	work *o = work_open(a, n), w;
	slot x;
	int k;

	if (core_kind(a, n) != C_SUM || o->nslot != 2)
		return false;
	k = o->slot[0].c.num < 0;
	return only_operand(a, &o->slot[k], C_EIN, &x, &w) && x.c.num == 2 && is_share(&o->slot[k].c, w.nbound, w.bound) &&
	       is_square_of_mean(a, &o->slot[1 - k], &o->slot[k].c, &x, &w);
}

enum question { MAXIMUM, POSITIVE, GUARD, SPREAD };

static bool decide(algebra *a, enum question q, eg_id n, int branch)
{
	switch (q) {
	case MAXIMUM: return decide_maximum(a, n);
	case POSITIVE: return decide_positive(a, n);
	case GUARD: return decide_guard(a, n, branch);
	default: return decide_spread(a, n);
	}
}

/* Facts are evaluated while a primitive runs: its way out, its reason and its premises are kept.  What constants were
 * read from are premises of the fact. */
static bool ask(algebra *a, enum question q, eg_id n, int branch)
{
	arena_mark m = arena_at(&a->s.a);
	const char *reason = a->s.reason;
	uint32_t before = a->looked.n, now = a->normal->log.now.n, i;
	volatile bool yes = false;
	jmp_buf out;

	memcpy(&out, &a->s.out, sizeof out);
	if (!setjmp(a->s.out))
		yes = decide(a, q, n, branch);
	memcpy(&a->s.out, &out, sizeof out);
	a->s.reason = reason;
	arena_reset(&a->s.a, m);
	if (!yes)
		a->looked.n = before;
	for (i = now; yes && i < a->normal->log.now.n; i++)
		*(premise *)vec_push(&a->looked) = VEC_AT(premise, &a->normal->log.now, i);
	a->normal->log.now.n = now;
	return yes;
}

bool certain_maximum(algebra *a, eg_id n)
{
	return ask(a, MAXIMUM, n, 0);
}

bool certain_positive(algebra *a, eg_id n)
{
	return ask(a, POSITIVE, n, 0);
}

bool certain_guard(algebra *a, eg_id n, int branch)
{
	return ask(a, GUARD, n, branch);
}

bool certain_spread(algebra *a, eg_id n)
{
	return ask(a, SPREAD, n, 0);
}
