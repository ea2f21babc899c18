/* prim_map.c - elementwise functions: constants (D3, D4), select, convert, compare, and small identities. */
#include "prim/prim.h"

#include <math.h>
#include <stdlib.h>
#include "core/zip.h"

/* ---- integer and truth functions on constants, by name */

static uint64_t bits_of(int64_t v, int type)
{
	int b = type_bits(type);

	return b >= 64 ? (uint64_t)v : (uint64_t)v & (((uint64_t)1 << b) - 1);
}

static bool int_function(const char *f, int type, const int64_t *x, int64_t *r)
{
	int b = type_bits(type);
	uint64_t u = bits_of(x[0], type), v = bits_of(x[1], type);

	if (!strcmp(f, "divide")) {
		if (!x[1])
			return false;
		*r = type == T_U64 ? (int64_t)(u / v) : x[1] == -1 ? (int64_t)(0 - (uint64_t)x[0]) : x[0] / x[1];
	} else if (!strcmp(f, "remainder")) {
		if (!x[1])
			return false;
		*r = type == T_U64 ? (int64_t)(u % v) : x[1] == -1 ? 0 : x[0] % x[1];
	} else if (!strcmp(f, "and")) {
		*r = x[0] & x[1];
	} else if (!strcmp(f, "or")) {
		*r = x[0] | x[1];
	} else if (!strcmp(f, "xor")) {
		*r = x[0] ^ x[1];
	} else if (!strcmp(f, "not")) {
		*r = type == T_PRED ? !x[0] : ~x[0];
	} else if (!strcmp(f, "abs")) {
		*r = llabs(x[0]);
	} else if (!strcmp(f, "sign")) {
		*r = (x[0] > 0) - (x[0] < 0);
	} else if (!strcmp(f, "shift-left")) {
		*r = v >= (uint64_t)b ? 0 : (int64_t)(u << v);
	} else if (!strcmp(f, "shift-right-logical")) {
		*r = v >= (uint64_t)b ? 0 : (int64_t)(u >> v);
	} else if (!strcmp(f, "shift-right-arithmetic")) {
		int64_t s = (int64_t)(u << (64 - b)) >> (64 - b);	/* unsigned types too: their top bit is a sign here */
		*r = s >> (v >= (uint64_t)b ? b - 1 : (int64_t)v);
	} else if (!strcmp(f, "popcnt")) {
		*r = __builtin_popcountll(u);
	} else if (!strcmp(f, "count-leading-zeros")) {
		*r = u ? __builtin_clzll(u) - (64 - b) : b;
	} else if (!strcmp(f, "power")) {
		int64_t k;
		if (x[1] < 0 || x[1] > 62)
			return false;
		for (*r = 1, k = 0; k < x[1]; k++)
			if (__builtin_mul_overflow(*r, x[0], r))
				return false;
	} else if (!strcmp(f, "select")) {
		*r = x[0] ? x[1] : x[2];
	} else {
		return false;
	}
	*r = type == T_PRED ? *r != 0 : coef_in(type, (rat){ *r, 1 }).num;
	return true;
}

bool compare_values(const char *f, double x, double y)
{
	switch (f[8] << 8 | f[9]) {
	case 'E' << 8 | 'Q': return x == y;
	case 'N' << 8 | 'E': return x != y;
	case 'L' << 8 | 'T': return x < y;
	case 'L' << 8 | 'E': return x <= y;
	case 'G' << 8 | 'T': return x > y;
	default: return x >= y;
	}
}

/* Functions that are exact on doubles. */
static bool real_function(const char *f, const double *x, double *r)
{
	if (!strcmp(f, "abs"))
		*r = fabs(x[0]);
	else if (!strcmp(f, "sign"))
		*r = isnan(x[0]) ? x[0] : (x[0] > 0) - (x[0] < 0);
	else if (!strcmp(f, "floor"))
		*r = floor(x[0]);
	else if (!strcmp(f, "ceil"))
		*r = ceil(x[0]);
	else if (!strcmp(f, "select"))
		*r = x[0] != 0 ? x[1] : x[2];
	else if (!strcmp(f, "is-finite"))
		*r = isfinite(x[0]);
	else
		return false;
	return true;
}

static bool beyond_bits(int64_t v, int bits)
{
	return v >= (int64_t)1 << bits || v <= -((int64_t)1 << bits);
}

struct operand {
	bool is_index;
	ix *e;
	slot t;
};

static bool constant_operands(algebra *a, work *w, struct operand *op)
{
	int i;

	for (i = 0; i < w->nslot; i++) {
		op[i].is_index = slot_index(a, &w->slot[i], &op[i].e);
		if (!op[i].is_index && !slot_table_values(a, &w->slot[i], &op[i].t))
			return false;
	}
	return true;
}

static int all_labels(algebra *a, work *w, struct operand *op, label ***out)
{
	int i, j, n = 0, m;
	label **l, **u = ARENA_ARRAY(&a->s.a, label *, 256);
	uint32_t cuts;

	do {	/* leaves of one may be cut while another is read */
		cuts = a->s.ncut;
		n = 0;
		for (i = 0; i < w->nslot; i++) {
			if (op[i].is_index) {
				m = ix_labels(&a->s, op[i].e, &l);
			} else {
				l = ARENA_ARRAY(&a->s.a, label *, 256);
				m = labels_leaves(&a->s, op[i].t.nl, op[i].t.l, l, 256);
			}
			for (j = 0; j < m; j++)
				n = label_collect(&a->s, u, n, 256, l[j]);
		}
	} while (a->s.ncut != cuts);
	*out = u;
	return n;
}

/* 2^63 and more are held as negative numbers. */
static bool large_unsigned(algebra *a, const work *w, const struct operand *op)
{
	int64_t lo, hi;
	int i;

	for (i = 0; i < w->nslot; i++)
		if (op[i].is_index && core_type(a, w->slot[i].x) == T_U64) {
			ix_range(&a->s, op[i].e, &lo, &hi);
			if (lo < 0)
				return true;
		}
	return false;
}

/* The operand's values over the grid of u, as doubles. */
static double *on_grid(algebra *a, const struct operand *op, int n, label **u)
{
	int64_t cnt = grid_size(&a->s, n, u), i, *v;
	double *d = ARENA_ARRAY(&a->s.a, double, cnt);

	if (op->is_index) {
		v = ix_values(&a->s, op->e, n, u);
		for (i = 0; i < cnt; i++) {
			if (beyond_bits(v[i], 52))
				stuck(&a->s, "the value may wrap around");
			d[i] = (double)v[i];
		}
	} else {
		slot grid = slot_table(TYPE_REAL, n, u, d, RAT_ONE);
		memset(d, 0, sizeof *d * (size_t)cnt);
		grid = tables_zip(a, &op->t, &grid, zip_first, op->t.vtype);
		v = grid_places(&a->s, n, u, grid.nl, grid.l);	/* into the label order of u */
		for (i = 0; i < cnt; i++)
			d[i] = grid.v[v[i]];
	}
	return d;
}

static eg_id table_result(algebra *a, work *w, int type, int n, label **u, double *v)
{
	return result_slot(a, w, slot_table(type, n, u, v, RAT_ONE));
}

static eg_id index_result(algebra *a, work *w, int n, label **u, const double *d)
{
	int64_t cnt = grid_size(&a->s, n, u), i, *v = ARENA_ARRAY(&a->s.a, int64_t, cnt);

	for (i = 0; i < cnt; i++)
		v[i] = (int64_t)d[i];
	return result_slot(a, w, slot_read(core_line(a, w->type), ix_table(&a->s, n, u, v), RAT_ONE));
}

/* D4: division and remainder by a positive constant, without a table where digits allow it. */
static eg_id divide_digits(algebra *a, work *w, const char *f, struct operand *op)
{
	int64_t lo, hi, m;
	ix *q, *r;
	bool div = !strcmp(f, "divide");

	if ((!div && strcmp(f, "remainder")) || !type_is_int(w->type) || !op[0].is_index || !op[1].is_index)
		return NIL;
	if (!ix_is_const(&a->s, op[1].e, &m) || m <= 0)
		return NIL;
	ix_range(&a->s, op[0].e, &lo, &hi);
	if (lo < 0)
		return NIL;
	ix_divmod(&a->s, op[0].e, m, &q, &r);
	return result_slot(a, w, slot_read(core_line(a, w->type), ix_norm(&a->s, div ? q : r), RAT_ONE));
}

/* x < y is x - y < 0, x > y is x - y - 1 >= 0: so it is for the difference without its lower digits.  A comparison of places
 * in shards, x = n q + r with n d, reads q and d, and not the n places of a shard. */
static const char *compare_coarse(algebra *a, const char *f, struct operand *op)
{
	bool less = f[8] == 'L', strict = f[9] == 'T';	/* LT GE: at 0; LE GT: at 1 */
	ix *d;

	if ((!less && f[8] != 'G') || !op[0].is_index || !op[1].is_index || !(d = ix_difference(&a->s, op[0].e, op[1].e)))
		return f;	/* on_grid says what may wrap */
	op[0].e = ix_coarse(&a->s, ix_plus(&a->s, d, less == strict ? 0 : -1));
	op[1].e = ix_const(&a->s, 0);
	return less ? "compare:LT" : "compare:GE";
}

/* Zeros of either sign are one number here and two in the total order, which also has a place for NaN. */
static bool order_unknown(double x, double y)
{
	return isnan(x) || isnan(y) || (x == 0 && y == 0);
}

/* One value of a function of constants; false, with a refusal or none, where it has no exact one. */
static bool constant_value(algebra *a, const char *f, int type, int nslot, double *const *v, int64_t k, double *out)
{
	double x[3] = { 0 };
	int64_t z[3], y;
	int i;

	for (i = 0; i < nslot; i++)
		x[i] = v[i][k];
	if (!strcmp(f, "num")) {
		*out = x[0] != 0;
		return true;
	}
	if (!type_is_int(type) && (type != T_PRED || !strcmp(f, "is-finite")))
		return real_function(f, x, out);
	for (i = 0; i < 3; i++)
		z[i] = (int64_t)x[i];
	if (!int_function(f, type, z, &y))
		return false;
	if (beyond_bits(y, 53)) {
		refuse(a, "an integer of more than 53 bits");
		return false;
	}
	*out = (double)y;
	return true;
}

/* .. of a comparison. */
static bool constant_order(algebra *a, const char *f, double x, double y, bool is_index, double *out)
{
	if (strstr(f, "TOTALORDER") && !is_index && order_unknown(x, y)) {
		refuse(a, "the total order tells zeros apart");
		return false;
	}
	*out = compare_values(f, x, y);
	return true;
}

static bool all_constant(algebra *a, eg_id n, int nslot)
{
	int i;

	for (i = 0; i < nslot; i++) {
		slot s = slot_read(eg_args(a->g, n)[i], ix_const(&a->s, 0), RAT_ONE);
		if (!slot_is_constant(a, &s))
			return false;
	}
	return true;
}

static bool is_number(const struct operand *op, double *v)
{
	if (op->is_index || op->t.nl)
		return false;
	*v = op->t.v[0];
	return true;
}

/* A choice between 0 and another real number is that number times a mask (N36), as it is where the mask is no constant. */
static bool chooses_multiple(const work *w, const char *f, const struct operand *op)
{
	double x, y;

	if (strcmp(f, "select") || type_is_int(w->type) || w->type == T_PRED || !is_number(&op[1], &x) || !is_number(&op[2], &y))
		return false;
	return (x == 0) != (y == 0) && x != 1 && y != 1 && isfinite(x) && isfinite(y);
}

/* D3: a function of constants is evaluated on the grid of their labels. */
eg_id prim_map_constant(algebra *a, eg_id n)
{
	const char *f = core_fn(a, n);
	int i, nl, type = core_type(a, n), nslot = pairing_read(a, n).nslot;
	bool compare = !strncmp(f, "compare:", 8), have;
	struct operand op[3];
	double *v[3] = { 0 }, *r;
	int64_t cnt, k;
	label **u;
	work *w;
	eg_id res;

	if (nslot < 1 || nslot > 3 || !strcmp(f, "convert") || !all_constant(a, n, nslot))
		return NIL;
	w = work_open(a, n);
	if (!constant_operands(a, w, op) || chooses_multiple(w, f, op))
		return NIL;
	if ((res = divide_digits(a, w, f, op)) != NIL)
		return res;
	if (compare && large_unsigned(a, w, op))
		return refuse(a, "the order of numbers of 64 bits");
	if (compare)
		f = compare_coarse(a, f, op);
	nl = all_labels(a, w, op, &u);
	cnt = grid_size(&a->s, nl, u);
	for (i = 0; i < w->nslot; i++)
		v[i] = on_grid(a, &op[i], nl, u);
	r = ARENA_ARRAY(&a->s.a, double, cnt);
	for (k = 0; k < cnt; k++) {
		have = compare ? constant_order(a, f, v[0][k], v[1][k], op[0].is_index, &r[k])
			       : constant_value(a, f, type, w->nslot, v, k, &r[k]);
		if (!have)
			return NIL;
	}
	if (type_is_int(type))
		return index_result(a, w, nl, u, r);
	return table_result(a, w, type == T_PRED ? T_PRED : TYPE_REAL, nl, u, r);
}

/* ---- select */

static slot complement(algebra *a, const slot *p)
{
	return tables_zip(a, p, p, zip_not, p->vtype);
}

static slot masked(algebra *a, work *w, slot mask, slot x)
{
	slot two[2];
	work *m;
	int64_t cnt, i;

	if (type_is_int(w->type)) {	/* an integer mask is an index expression */
		int64_t *v;
		cnt = grid_size(&a->s, mask.nl, mask.l);
		v = ARENA_ARRAY(&a->s.a, int64_t, cnt);
		for (i = 0; i < cnt; i++)
			v[i] = mask.v[i] != 0;
		two[0] = slot_read(core_line(a, w->type), ix_table(&a->s, mask.nl, mask.l, v), RAT_ONE);
	} else {
		mask.vtype = TYPE_REAL;
		two[0] = mask;
	}
	two[0].c = two[1].c = RAT_ONE;
	two[1] = x;
	two[1].c = RAT_ONE;
	m = work_like(a, w, C_MUL, 2, two);
	return slot_of_work(a, m, RAT_ONE);
}

static bool constant_truth(const slot *p, bool *value)
{
	int64_t n = 1, i;
	int k;

	for (k = 0; k < p->nl; k++)
		n *= p->l[k]->n;
	for (i = 1; i < n; i++)
		if ((p->v[i] != 0) != (p->v[0] != 0))
			return false;
	*value = p->v[0] != 0;
	return true;
}

static eg_id select_pred(algebra *a, work *w, slot mask)
{
	slot t[2], part[2];
	work *m;

	t[0] = mask;
	t[1] = w->slot[1];
	m = work_like(a, w, C_LAT, 2, t);
	m->fn = val_name(a, "and");
	part[0] = slot_of_work(a, m, RAT_ONE);
	t[0] = complement(a, &mask);
	t[1] = w->slot[2];
	m = work_like(a, w, C_LAT, 2, t);
	m->fn = val_name(a, "and");
	part[1] = slot_of_work(a, m, RAT_ONE);
	m = work_like(a, w, C_LAT, 2, part);
	m->fn = val_name(a, "or");
	return work_result(a, m);
}

/* select(x < y, y, x) is a maximum, select(x < y, x, y) a minimum: both finite (X54). */
static eg_id select_extreme(algebra *a, eg_id n, work *w)
{
	eg_id o = peek(a, w->slot[0].x);
	slot *c;
	int m;
	bool less, same, swapped;
	work *r;

	if (core_kind(a, o) != C_MAP || strncmp(core_fn(a, o), "compare:L", 9) || !normal_opens(a, o, n))
		return NIL;
	c = work_inline(a, o, w->slot[0].e, w, &m);
	same = slot_same(a, &c[0], &w->slot[1]) && slot_same(a, &c[1], &w->slot[2]);
	swapped = slot_same(a, &c[0], &w->slot[2]) && slot_same(a, &c[1], &w->slot[1]);
	if (!same && !swapped)
		return NIL;
	if (!fact_finite(a, w->slot[1].x) || !fact_finite(a, w->slot[2].x))
		return refuse(a, "a branch may be infinite");
	opened(a, w->slot[0].x, o);
	history_premise(a, c[0].x, same ? w->slot[1].x : w->slot[2].x);
	history_premise(a, c[1].x, same ? w->slot[2].x : w->slot[1].x);
	less = same;
	r = work_like(a, w, C_LAT, 2, w->slot + 1);
	r->fn = val_name(a, less ? "minimum" : "maximum");
	return work_result(a, r);
}

/* Any predicate, one branch 0 and both finite: [p] x. */
static eg_id select_zero(algebra *a, work *w)
{
	number v, u;
	bool z1 = slot_number(a, &w->slot[1], &v) && number_double(v) == 0;
	bool z2 = slot_number(a, &w->slot[2], &u) && number_double(u) == 0;
	slot p, t[2];
	work *m;

	if (!z1 && !z2)
		return NIL;
	if (!fact_finite(a, w->slot[1].x) || !fact_finite(a, w->slot[2].x))
		return refuse(a, "a branch may be infinite");
	p = w->slot[0];
	if (z1) {
		m = work_like(a, w, C_MAP, 1, &p);
		m->type = T_PRED;
		m->fn = val_name(a, "not");
		p = slot_of_work(a, m, RAT_ONE);
	}
	m = work_like(a, w, C_MAP, 1, &p);
	m->fn = val_name(a, "num");
	t[0] = slot_of_work(a, m, RAT_ONE);
	t[1] = w->slot[z1 ? 2 : 1];
	return work_result(a, work_like(a, w, C_MUL, 2, t));
}

eg_id prim_map_select(algebra *a, eg_id n)
{
	work *w;
	slot mask, part[2];
	number v;
	eg_id r;
	bool truth;

	if (strcmp(core_fn(a, n), "select") || pairing_read(a, n).nslot != 3)
		return NIL;
	w = work_open(a, n);
	if (slot_same(a, &w->slot[1], &w->slot[2])) {	/* N35 */
		if (w->slot[1].x != w->slot[2].x)
			history_premise(a, w->slot[1].x, w->slot[2].x);
		return result_slot(a, w, w->slot[1]);
	}
	if (!slot_table_values(a, &w->slot[0], &mask)) {
		if (w->type == T_PRED)
			return NIL;
		r = select_extreme(a, n, w);
		return r != NIL ? r : select_zero(a, w);
	}
	if (constant_truth(&mask, &truth))
		return result_slot(a, w, w->slot[truth ? 1 : 2]);
	if (w->type == T_PRED)	/* a branch that is a number needs no piece of its own: prim_select_truth */
		return slot_number(a, &w->slot[1], &v) || slot_number(a, &w->slot[2], &v) ? NIL : select_pred(a, w, mask);
	if (!slot_finite(a, &w->slot[1]) || !slot_finite(a, &w->slot[2]))
		return refuse(a, "a branch may be infinite");
	part[0] = masked(a, w, mask, w->slot[1]);
	part[1] = masked(a, w, complement(a, &mask), w->slot[2]);
	return work_result(a, work_like(a, w, C_SUM, 2, part));
}

/* ---- convert */

static eg_id convert_index(algebra *a, work *w, ix *e)
{
	int64_t lo, hi, l, h, cnt, i, *v;
	label **u;
	int nl;
	double *d;

	ix_range(&a->s, e, &lo, &hi);
	if (type_is_int(w->type)) {
		int_range(w->type, &l, &h);
		if (lo < l || hi > h)
			e = index_in_type(a, w->type, e);
		return result_slot(a, w, slot_read(core_line(a, w->type), e, RAT_ONE));
	}
	if (w->type != T_PRED && (lo < -((int64_t)1 << 53) || hi > (int64_t)1 << 53 || (lo < 0 && core_type(a, w->slot[0].x) == T_U64)))
		return refuse(a, "an integer of more than 53 bits");
	nl = ix_labels(&a->s, e, &u);
	cnt = grid_size(&a->s, nl, u);
	v = ix_values(&a->s, e, nl, u);
	d = ARENA_ARRAY(&a->s.a, double, cnt);
	for (i = 0; i < cnt; i++) {
		d[i] = w->type == T_PRED ? v[i] != 0 : (double)v[i];
		if (w->type != T_PRED && !value_in(d[i], w->type))
			return refuse(a, "%lld is not exact in %s", (long long)v[i], etype_name((enum etype)w->type));
	}
	return table_result(a, w, w->type == T_PRED ? T_PRED : TYPE_REAL, nl, u, d);
}

/* Integers wrap: what is left of a value in a type of no more bits is left of what the type between left. */
static bool wraps_alike(int to, int between, int from)
{
	return type_is_int(to) && type_is_int(between) && type_is_int(from) && type_bits(to) <= type_bits(between);
}

/* A conversion of a conversion is one, where the type between holds every value; an integer wraps, a float is clamped. */
static eg_id convert_twice(algebra *a, eg_id n, eg_id o)
{
	int from = core_type(a, eg_args(a->g, o)[0]), between = core_type(a, o), to = core_type(a, n), k;
	slot *in;
	work *w;

	if (!normal_opens(a, o, n))
		return NIL;
	if (from >= T_COUNT || (!type_holds(between, from) && !wraps_alike(to, between, from)))
		return refuse(a, "%s does not hold every %s", etype_name((enum etype)between),
			      from < T_COUNT ? etype_name((enum etype)from) : "number");
	if (type_is_int(to) && type_is_int(from) && type_is_float(between) && !type_holds(to, from))
		return refuse(a, "%s does not hold every %s", etype_name((enum etype)to), etype_name((enum etype)from));
	w = work_open(a, n);
	in = work_inline(a, o, w->slot[0].e, w, &k);
	opened(a, eg_args(a->g, n)[0], o);
	return from == to ? result_slot(a, w, in[0]) : work_result(a, work_like(a, w, C_MAP, 1, in));
}

/* A truth value as a number is 0 or 1 in every type; o: it is one already, NIL: it is made here. */
static eg_id convert_truth(algebra *a, eg_id n, eg_id o)
{
	work *w = work_open(a, n);
	int k;

	if (o != NIL) {
		slot *in = work_inline(a, o, w->slot[0].e, w, &k);
		opened(a, eg_args(a->g, n)[0], o);
		w = work_like(a, w, C_MAP, 1, in);
	}
	w->fn = val_name(a, "num");
	return work_result(a, w);
}

/* A number is the same in every type that holds it. */
static eg_id convert_number(algebra *a, eg_id n, eg_id o, work *w)
{
	int to = core_type(a, n);
	number v = core_number(a, o);
	double d = number_double(v);
	slot r = w->slot[0];

	if (to == T_PRED) {
		r = slot_read(core_rat(a, T_PRED, (rat){ d != 0, 1 }), ix_const(&a->s, 0), RAT_ONE);
	} else {
		if (number_is_rat(v) ? !rat_in(v.r, to) : !value_in(d, to))
			return refuse(a, "the constant is not exact in %s", etype_name((enum etype)to));
		if (type_is_int(to))
			r = slot_read(core_line(a, to), ix_const(&a->s, (int64_t)d), RAT_ONE);
	}
	opened(a, eg_args(a->g, n)[0], o);
	return result_slot(a, w, r);
}

static eg_id convert_table(algebra *a, work *w, slot t, int to)
{
	int64_t cnt = grid_size(&a->s, t.nl, t.l), i;
	double *p;

	if (to == T_PRED) {
		p = ARENA_ARRAY(&a->s.a, double, cnt);
		for (i = 0; i < cnt; i++)
			p[i] = t.v[i] != 0;
		return result_slot(a, w, slot_table(T_PRED, t.nl, t.l, p, RAT_ONE));
	}
	for (i = 0; i < cnt; i++)
		if (!value_in(t.v[i], to))
			return refuse(a, "a constant is not exact in %s", etype_name((enum etype)to));
	t.vtype = TYPE_REAL;
	return result_slot(a, w, t);
}

/* An exact conversion is the identity; of constants, and of one conversion after another (N34). */
eg_id prim_map_convert(algebra *a, eg_id n)
{
	int to = core_type(a, n);
	bool map;
	eg_id x, o;
	slot t;
	work *w;
	ix *e;

	if (strcmp(core_fn(a, n), "convert"))
		return NIL;
	x = eg_args(a->g, n)[0];
	o = peek(a, x);
	map = core_kind(a, o) == C_MAP;
	if (core_type(a, x) == T_PRED && type_has_zero(to))
		return convert_truth(a, n, NIL);
	if (map && !strcmp(core_fn(a, o), "convert") && core_type(a, o) < T_COUNT)
		return convert_twice(a, n, o);
	if (map && !strcmp(core_fn(a, o), "num") && (type_is_int(to) || type_is_float(to)))
		return convert_truth(a, n, o);
	w = work_open(a, n);
	if (slot_index(a, &w->slot[0], &e))
		return convert_index(a, w, e);
	if (core_kind(a, o) == C_NUMBER)
		return convert_number(a, n, o, w);
	if (type_is_int(to) || !slot_table_values(a, &w->slot[0], &t))
		return NIL;
	return convert_table(a, w, t, to);
}

/* ---- compare */

/* Is -c the better name of the two?  The one of the smaller size. */
static bool negative_in(int type, rat c)
{
	int b = type_bits(type);

	return c.num < 0 ? c.num != INT64_MIN : b < 63 && c.num > (int64_t)1 << (b - 1);
}

/* x = 0 is -x = 0: the first term of a sum that is no constant stands with the positive sign. */
static eg_id signed_zero(algebra *a, eg_id n, work *w)
{
	eg_id o = peek(a, w->slot[0].x);
	slot *in, t[2] = { w->slot[0], w->slot[1] };
	int m, i, first = -1;
	work *d;
	ix *e;

	if (core_kind(a, o) != C_SUM || !normal_opens(a, o, n))
		return NIL;
	in = work_inline(a, o, t[0].e, w, &m);
	for (i = 0; i < m; i++) {
		if (first < 0 && !slot_index(a, &in[i], &e))
			first = i;
		if (in[i].c.num == INT64_MIN)
			return NIL;
	}
	if (first < 0 || !negative_in(core_type(a, o), in[first].c))
		return NIL;
	opened(a, t[0].x, o);
	for (i = 0; i < m; i++)
		in[i].c = coef_in(core_type(a, o), (rat){ -in[i].c.num, 1 });
	d = work_like(a, w, C_SUM, m, in);
	d->type = core_type(a, o);
	t[0] = slot_of_work(a, d, RAT_ONE);
	return work_result(a, work_like(a, w, C_MAP, 2, t));
}

/* Equality of integers is x - y against 0 (a ring, it wraps); order is not. */
eg_id prim_map_compare(algebra *a, eg_id n)
{
	const char *f = core_fn(a, n);
	work *w, *d;
	slot t[2], zero;
	int64_t v;
	ix *e;
	bool eq;

	if (strncmp(f, "compare:", 8) || pairing_read(a, n).nslot != 2)
		return NIL;
	if (!type_is_int(core_type(a, eg_args(a->g, n)[0])))
		return NIL;
	eq = !strcmp(f + 8, "EQ") || !strcmp(f + 8, "NE");
	w = work_open(a, n);
	if (!eq)
		return refuse(a, "order is not invariant under wrap-around");
	if (slot_index(a, &w->slot[1], &e) && ix_is_const(&a->s, e, &v) && v == 0)
		return signed_zero(a, n, w);
	t[0] = w->slot[0];
	t[1] = w->slot[1];
	t[0].c = RAT_ONE;
	t[1].c = (rat){ -1, 1 };
	d = work_like(a, w, C_SUM, 2, t);
	d->type = core_type(a, t[0].x);
	zero = slot_read(core_line(a, d->type), ix_const(&a->s, 0), RAT_ONE);
	t[0] = slot_of_work(a, d, RAT_ONE);
	t[1] = zero;
	return work_result(a, work_like(a, w, C_MAP, 2, t));
}

/* ---- small ones */

static bool commutative_map(const char *f)
{
	return !strcmp(f, "xor") || !strcmp(f, "compare:EQ") || !strcmp(f, "compare:NE") || !strcmp(f, "and") ||
	       !strcmp(f, "or") || !strcmp(f, "mulhi");
}

/* The order of the operands of a commutative function: by age, constants last. */
static bool stands_before(algebra *a, eg_id x, eg_id y)
{
	slot s = slot_read(x, ix_const(&a->s, 0), RAT_ONE), t = slot_read(y, ix_const(&a->s, 0), RAT_ONE);
	bool cx = slot_is_constant(a, &s), cy = slot_is_constant(a, &t);

	return cx != cy ? cy : normal_age(a, x) < normal_age(a, y);
}

static eg_id map_power(algebra *a, eg_id n)
{
	work *w;
	number v;
	slot t;

	if (!type_is_float(core_type(a, n)))
		return NIL;
	w = work_open(a, n);
	if (!slot_number(a, &w->slot[1], &v) || !number_is_rat(v))
		return NIL;
	if (v.r.den == 1 && v.r.num >= 1 && v.r.num <= 8) {
		t = w->slot[0];
		t.c = v.r;
		return work_result(a, work_like(a, w, C_MUL, 1, &t));
	}
	if (v.r.num == 1 && v.r.den == 2) {	/* (-inf)^(1/2) is inf, its root no number */
		if (!slot_finite(a, &w->slot[0]))
			return refuse(a, "the root of what may be infinite");
		w = work_like(a, w, C_MAP, 1, w->slot);
		w->fn = val_name(a, "sqrt");
		return work_result(a, w);
	}
	return NIL;
}

/* Operand k of the function `inner` that n is applied to, where n gives it back; else NIL. */
static eg_id given_back(algebra *a, eg_id n, const char *inner, int k)
{
	eg_id x = eg_args(a->g, n)[0], o = peek(a, x);
	slot *in;
	work *w;
	int m;

	if (core_kind(a, o) != C_MAP || strcmp(core_fn(a, o), inner) || !normal_opens(a, o, n))
		return NIL;
	w = work_open(a, n);
	in = work_inline(a, o, w->slot[0].e, w, &m);
	opened(a, x, o);
	return result_slot(a, w, in[k]);
}

/* Operands of a commutative function stand by age; powers; abs of what is nowhere negative; not of not; parts of a complex
 * number that was put together of them. */
eg_id prim_map_simple(algebra *a, eg_id n)
{
	const char *f = core_fn(a, n);
	const eg_id *arg = eg_args(a->g, n);
	work *w;
	slot t;

	if (commutative_map(f) && pairing_read(a, n).nslot == 2 && stands_before(a, arg[1], arg[0])) {
		w = work_open(a, n);
		t = w->slot[0];
		w->slot[0] = w->slot[1];
		w->slot[1] = t;
		return work_result(a, w);
	}
	if (!strcmp(f, "power"))
		return map_power(a, n);
	if (!strcmp(f, "abs") && type_is_float(core_type(a, n)) && (facts_of(a, arg[0]) & FACT_NONNEG)) {
		w = work_open(a, n);
		return result_slot(a, w, w->slot[0]);
	}
	if (!strcmp(f, "not"))
		return given_back(a, n, "not", 0);
	if (!strcmp(f, "real") || !strcmp(f, "imag"))
		return given_back(a, n, "complex", f[0] == 'i');
	return NIL;
}
