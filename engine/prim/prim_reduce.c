/* prim_reduce.c - reductions that are no sums, and n-ary max, min, and, or: N30, N31, D3. */
#include "prim/prim.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include "core/mask.h"
#include "core/zip.h"
#include "tensor/reducer.h"

/* N30: red op of red op is one; red op of lat op goes inside. */
eg_id prim_reduce_fuse(algebra *a, eg_id n)
{
	eg_id x = eg_args(a->g, n)[0], o = peek(a, x);
	const char *op = core_fn(a, n);
	enum core_kind k = core_kind(a, o);
	work *w;
	slot *in, *res;
	int m, i;
	number v;

	if (reducer_idempotent(op) && k == C_NUMBER) {
		w = work_open(a, n);
		if (slot_number(a, &w->slot[0], &v))
			return result_slot(a, w, w->slot[0]);
	}
	if ((k != C_RED && k != C_LAT) || core_type(a, o) != core_type(a, n) || strcmp(op, core_fn(a, o)))
		return NIL;
	if (!normal_opens(a, o, n))
		return refuse(a, "%s is defined by itself", core_kind_name(k));
	w = work_open(a, n);
	in = work_inline(a, o, w->slot[0].e, w, &m);
	opened(a, x, o);
	if (k == C_RED)
		return work_result(a, work_like(a, w, C_RED, 1, in));
	res = ARENA_ARRAY(&a->s.a, slot, m);
	for (i = 0; i < m; i++)
		res[i] = slot_of_work(a, work_like(a, w, C_RED, 1, &in[i]), RAT_ONE);
	w = work_like(a, w, C_LAT, m, res);
	w->nbound = 0;
	return work_result(a, w);
}

static double f_max(double x, double y) { return x > y || isnan(x) ? x : y; }
static double f_min(double x, double y) { return x < y || isnan(x) ? x : y; }

typedef double combine(double, double);

static combine *combiner(const char *op)
{
	return !strcmp(op, "maximum") ? f_max : !strcmp(op, "minimum") ? f_min : !strcmp(op, "and") ? zip_and : zip_or;
}

/* D3: red op of a constant table is a table: of idempotent operations, to which a label that nothing reads is nothing. */
eg_id prim_table_reduce(algebra *a, eg_id n)
{
	label *bound[LEAVES], *gone[LEAVES];
	const char *op = core_fn(a, n);
	eg_id x = eg_args(a->g, n)[0];
	slot t = slot_read(x, ix_const(&a->s, 0), RAT_ONE);
	int64_t r, c;
	struct grid g;
	combine *f;
	double *v;
	work *w;
	int k, m, nb;

	if (!reducer_idempotent(op) || type_is_int(core_type(a, n)) || !slot_is_constant(a, &t))
		return NIL;
	w = work_open(a, n);
	work_settle(a, w);
	if (!slot_table_values(a, &w->slot[0], &t))
		return NIL;
	nb = bound_leaves(&a->s, w, bound, LEAVES);
	for (k = m = 0; k < nb; k++)
		if (label_in(bound[k], t.nl, t.l))
			gone[m++] = bound[k];
	if (data_reads(a, t.nl, t.l, m, gone))
		return NIL;
	grid_of(a, &t, m, gone, &g);
	f = combiner(op);
	v = ARENA_ARRAY(&a->s.a, double, g.rows);
	for (r = 0; r < g.rows; r++)
		for (v[r] = g.v[r * g.size], c = 1; c < g.size; c++)
			v[r] = f(v[r], g.v[r * g.size + c]);
	return result_slot(a, w, slot_table(t.vtype, g.nrest, g.rest, v, RAT_ONE));
}

/* The least and the largest number of a type; 2^63 and more are held as negative numbers. */
static bool neutral_integer(bool max, int64_t v, int type)
{
	bool is_signed = etype_kind((enum etype)type) == 's';
	int64_t lo, hi;

	if (type_bits(type) >= 64)
		return v == (max ? is_signed ? INT64_MIN : 0 : is_signed ? INT64_MAX : -1);
	int_range(type, &lo, &hi);
	return max ? v <= lo : v >= hi;
}

bool op_neutral(const char *op, number n, int type)
{
	double v = number_double(n);

	if (!strcmp(op, "and"))
		return v == 1 && type == T_PRED;
	if (!strcmp(op, "or"))
		return v == 0;
	if (type_is_int(type))
		return neutral_integer(!strcmp(op, "maximum"), n.r.num, type);
	return isinf(v) && (!strcmp(op, "maximum") ? v < 0 : v > 0);
}

/* The number of largest magnitude that a float type holds; 0: not known. */
static double last_finite(int type)
{
	switch (type) {
	case T_F64: return DBL_MAX;
	case T_F32: return FLT_MAX;
	case T_BF16: return 0x1.fep127;
	case T_F16: return 65504;
	default: return 0;
	}
}

/* The least finite number of its type in a maximum, or the largest one in a minimum: no finite value is beyond it. */
static bool bounds_finite(algebra *a, const char *op, slot *t, int type)
{
	bool max = !strcmp(op, "maximum");
	number v;

	if ((!max && strcmp(op, "minimum")) || !last_finite(type) || !slot_number(a, t, &v))
		return false;
	return (max ? -1 : 1) * number_double(v) == last_finite(type);
}

/* Is what the slot reads within its type's finite numbers: an input, or constants, moved, chosen or the extremes of such?
 * What is computed may be beyond: over the reals no result overflows. */
static bool within_type(algebra *a, slot t, int type, int depth)
{
	eg_id o = t.x == NIL ? NIL : peek(a, t.x);
	slot *in;
	bool chosen;
	number v;
	int n, i;

	if (slot_number(a, &t, &v))
		return fabs(number_double(v)) <= last_finite(type);
	if (o == NIL || !depth || !rat_is_int(t.c, 1) || core_type(a, o) != type)
		return false;
	chosen = core_kind(a, o) == C_MAP && !strcmp(core_fn(a, o), "select");
	if (core_kind(a, o) == C_PARAM)
		return !strncmp(core_fn(a, o), "input ", 6);
	if (core_kind(a, o) != C_AT && core_kind(a, o) != C_LAT && core_kind(a, o) != C_RED && !chosen)
		return false;
	in = work_inline(a, o, t.e, work_new(a, core_kind(a, o), type, 1), &n);
	opened(a, t.x, o);
	for (i = chosen; i < n && within_type(a, in[i], type, depth - 1); i++)
		;
	return i == n;
}

/* N31: such a bound goes where another operand is an input's and finite everywhere: what the others give is no less than it,
 * or NaN. */
static int drop_bound(algebra *a, const char *op, int type, slot *t, int n)
{
	int i, j;

	for (i = 0; i < n; i++) {
		if (!bounds_finite(a, op, &t[i], type))
			continue;
		for (j = 0; j < n && (j == i || !slot_finite(a, &t[j]) || !within_type(a, t[j], type, 8)); j++)
			;
		if (j == n)
			continue;
		memmove(&t[i], &t[i + 1], sizeof *t * (size_t)(n - i - 1));
		return n - 1;
	}
	return n;
}

/* N31: a number that is not above 0 goes from a maximum with what is nowhere negative. */
static int drop_below(algebra *a, const char *op, int type, slot *t, int n)
{
	number v;
	int i, j;

	if (strcmp(op, "maximum") || !type_is_float(type))
		return n;
	for (i = 0; i < n && !(slot_number(a, &t[i], &v) && number_double(v) <= 0); i++)
		;
	for (j = 0; i < n && j < n && (t[j].x == NIL || !(facts_of(a, t[j].x) & FACT_NONNEG)); j++)
		;
	if (i == n || j == n || i == j)
		return n;
	memmove(&t[i], &t[i + 1], sizeof *t * (size_t)(n - i - 1));
	return n - 1;
}

/* Is it what a reduction by the same operation gives, and finite everywhere? */
static bool reduced_finite(algebra *a, const slot *t, const char *op)
{
	eg_id o = t->x == NIL ? NIL : peek(a, t->x);

	if (o == NIL || core_kind(a, o) != C_RED || strcmp(core_fn(a, o), op) || !slot_finite(a, t))
		return false;
	opened(a, t->x, o);
	return true;
}

/* N31 where a reduction of what is computed begins with such a bound: an assumption, that not all that is reduced overflows. */
eg_id prim_bound_reading(algebra *a, eg_id n)
{
	work *w = work_open(a, n);
	int i, j;

	for (i = 0; i < w->nslot && !bounds_finite(a, core_fn(a, n), &w->slot[i], w->type); i++)
		;
	for (j = 0; i < w->nslot && j < w->nslot && !reduced_finite(a, &w->slot[j], core_fn(a, n)); j++)
		;
	if (i == w->nslot)
		return NIL;
	if (j == w->nslot)
		return refuse(a, "it is compared with no reduction of finite values");
	memmove(&w->slot[i], &w->slot[i + 1], sizeof *w->slot * (size_t)(w->nslot - i - 1));
	return work_result(a, work_like(a, w, C_LAT, w->nslot - 1, w->slot));
}

/* Does this value always win? */
static bool wins(const char *op, double v, int type)
{
	if (type != T_PRED)
		return false;
	return !strcmp(op, "and") ? v == 0 : !strcmp(op, "or") && v == 1;
}

/* At so many operands nothing more is opened, and with more of them a node is refused. */
enum { LATTICE_OPENS = 100, LATTICE_MOST = 127 };

struct lattice {
	algebra *a;
	work *w;
	const char *op;
	slot *t;		/* the operands that stay */
	int n;
	slot neutral;		/* one that was left out, for when none stays */
	bool hit;		/* something is to be done */
};

/* Is it one of those that stay, or by another node the same? */
static bool stays_already(const struct lattice *l, const slot *in)
{
	int q;

	for (q = 0; q < l->n && !slot_same(l->a, &l->t[q], in); q++)
		;
	if (q < l->n && l->t[q].x != in->x)
		history_premise(l->a, in->x, l->t[q].x);
	return q < l->n;
}

/* An operand stays, or goes as a neutral constant (but for the only one) or a duplicate; true: it is the result. */
static bool lattice_operand(struct lattice *l, const slot *in, bool alone)
{
	number v;

	if (slot_number(l->a, in, &v)) {
		if (!alone && op_neutral(l->op, v, l->w->type)) {
			l->hit = true;
			l->neutral = *in;
			return false;
		}
		if (wins(l->op, number_double(v), l->w->type))
			return true;
	}
	if (stays_already(l, in))
		l->hit = true;
	else
		l->t[l->n++] = *in;
	return false;
}

/* The operands of operand s, where it is the same operation and may be opened. */
static slot *lattice_inside(struct lattice *l, eg_id n, slot *s, int *m)
{
	algebra *a = l->a;
	eg_id o = peek(a, s->x);

	*m = 1;
	if (core_kind(a, o) != C_LAT || core_type(a, o) != l->w->type || strcmp(core_fn(a, o), l->op) || !normal_opens(a, o, n) ||
	    l->n + eg_narg(a->g, o) >= LATTICE_OPENS)
		return s;
	opened(a, s->x, o);
	l->hit = true;
	return work_inline(a, o, s->e, l->w, m);
}

/* Nested ones flatten, duplicates and neutral constants go (N31). */
eg_id prim_lattice_flatten(algebra *a, eg_id n)
{
	work *w = work_open(a, n);
	struct lattice l = { .a = a, .w = w, .op = core_fn(a, n), .t = ARENA_ARRAY(&a->s.a, slot, LATTICE_MOST) };
	int i, j, m, stay;

	for (i = 0; i < w->nslot; i++) {
		slot s = w->slot[i], *in = lattice_inside(&l, n, &s, &m);
		for (j = 0; j < m; j++) {
			if (l.n == LATTICE_MOST)
				return refuse(a, "a %s of %d operands", l.op, l.n);
			if (lattice_operand(&l, &in[j], w->nslot == 1 && m == 1))
				return result_slot(a, w, in[j]);
		}
	}
	stay = drop_below(a, l.op, w->type, l.t, drop_bound(a, l.op, w->type, l.t, l.n));
	if (!l.hit && stay == l.n)
		return NIL;
	if (stay == 0)
		return result_slot(a, w, l.neutral);
	return work_result(a, work_like(a, w, C_LAT, stay, l.t));
}

static int constants_of(algebra *a, eg_id n)
{
	int i, m = pairing_read(a, n).nslot, found = 0;

	for (i = 0; i < m; i++) {
		slot s = slot_read(eg_args(a->g, n)[i], ix_const(&a->s, 0), RAT_ONE);
		found += slot_is_constant(a, &s);
	}
	return found;
}

/* The larger, or the smaller, of two index expressions at every place. */
static ix *ix_extreme(algebra *a, bool max, ix *x, ix *y)
{
	int64_t l1, h1, l2, h2, cnt, k, *p, *q;
	label **l;
	int n;

	ix_range(&a->s, x, &l1, &h1);
	ix_range(&a->s, y, &l2, &h2);
	if (max ? l1 >= h2 : h1 <= l2)
		return x;
	if (max ? l2 >= h1 : h2 <= l1)
		return y;
	n = ix_union(&a->s, x, y, &l);
	cnt = grid_size(&a->s, n, l);
	p = ix_values(&a->s, x, n, l);
	q = ix_values(&a->s, y, n, l);
	for (k = 0; k < cnt; k++)
		if (max ? q[k] > p[k] : q[k] < p[k])
			p[k] = q[k];
	return ix_table(&a->s, n, l, p);
}

/* Of integers: index expressions become one. */
static eg_id fold_indices(algebra *a, work *w, const char *op)
{
	slot *t = ARENA_ARRAY(&a->s.a, slot, w->nslot + 1);
	ix *e, *acc = NULL;
	int i, k = 0, found = 0;
	int64_t lo, hi;

	for (i = 0; i < w->nslot; i++) {
		if (!slot_index(a, &w->slot[i], &e)) {
			t[k++] = w->slot[i];
			continue;
		}
		ix_range(&a->s, e, &lo, &hi);
		if (lo < 0 && w->type == T_U64)		/* 2^63 and more are held as negative numbers */
			return refuse(a, "the order of numbers of 64 bits");
		acc = acc ? ix_extreme(a, op[1] == 'a', acc, e) : e;
		found++;
	}
	if (found < 2)
		return NIL;
	t[k++] = slot_read(core_line(a, w->type), acc, RAT_ONE);
	return k == 1 ? result_slot(a, w, t[0]) : work_result(a, work_like(a, w, C_LAT, k, t));
}

/* .. of others: tables of values. */
static eg_id fold_tables(algebra *a, work *w, const char *op)
{
	slot *t = ARENA_ARRAY(&a->s.a, slot, w->nslot + 1), v, acc = { 0 };
	int i, k = 0, found = 0;

	for (i = 0; i < w->nslot; i++)
		if (slot_table_values(a, &w->slot[i], &v))
			acc = found++ ? tables_zip(a, &acc, &v, combiner(op), v.vtype) : v;
		else
			t[k++] = w->slot[i];
	if (found < 2)
		return NIL;
	acc.c = RAT_ONE;
	t[k++] = acc;
	return k == 1 ? result_slot(a, w, t[0]) : work_result(a, work_like(a, w, C_LAT, k, t));
}

/* Constant operands are one constant: tables of truth values and numbers, integer expressions by range or table. */
eg_id prim_lattice_fold(algebra *a, eg_id n)
{
	const char *op = core_fn(a, n);
	bool ints = type_is_int(core_type(a, n));

	if (constants_of(a, n) < 2 || (ints && op[0] != 'm'))
		return NIL;
	return ints ? fold_indices(a, work_open(a, n), op) : fold_tables(a, work_open(a, n), op);
}
