#include "core/operand.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "core/fact_range.h"

eg_id refuse(algebra *a, const char *fmt, ...)
{
	va_list ap;
	char *p = arena_alloc(&a->s.a, 256);

	va_start(ap, fmt);
	vsnprintf(p, 256, fmt, ap);
	va_end(ap);
	a->s.reason = p;
	return NIL;
}

/* ---- nodes */

bool is_map(const algebra *a, eg_id o, const char *fn)
{
	return core_kind(a, o) == C_MAP && !strcmp(core_fn(a, o), fn);
}

bool operands_repeat(const algebra *a, eg_id n, int m)
{
	const eg_id *arg = eg_args(a->g, n);
	int i, k;

	for (k = 0; k < m; k++)
		for (i = 0; i < k; i++)
			if (eg_root(a->g, arg[i]) == eg_root(a->g, arg[k]))
				return true;
	return false;
}

bool reads_tables(const algebra *a, eg_id n)
{
	pairing p = pairing_read(a, n);
	const int64_t *at = p.word;
	pair_expr x;
	int k;

	for (k = 0; k < p.nslot; k++) {
		at = pairing_expr(&p, at, &x);
		if (x.ntab)
			return true;
	}
	return false;
}

uint32_t operand_kinds(const algebra *a, eg_id n)
{
	const eg_id *arg = eg_args(a->g, n);
	uint32_t k, narg = eg_narg(a->g, n), set = 0;

	for (k = 0; k < narg; k++)
		set |= 1u << core_kind(a, peek(a, arg[k]));
	return set;
}

/* A table, a product or contraction with one. */
static bool has_table(const algebra *a, eg_id o)
{
	enum core_kind k = core_kind(a, o);
	const eg_id *arg = eg_args(a->g, o);
	uint32_t j, n = k == C_MUL || k == C_EIN ? eg_narg(a->g, o) : 0;

	for (j = 0; j < n; j++)
		if (core_kind(a, peek(a, arg[j])) == C_TABLE)
			return true;
	return k == C_TABLE;
}

bool carries_table(const algebra *a, eg_id o)
{
	const eg_id *arg = eg_args(a->g, o);
	uint32_t j;

	for (j = 0; core_kind(a, o) == C_MUL && j < eg_narg(a->g, o); j++)
		if (core_kind(a, peek(a, arg[j])) == C_EIN && has_table(a, peek(a, arg[j])))
			return true;
	return has_table(a, o);
}

bool is_piecewise(const algebra *a, eg_id o, int type)
{
	const eg_id *arg = eg_args(a->g, o);
	int i, n;

	if (core_kind(a, o) != C_SUM || core_type(a, o) != type)
		return false;
	n = pairing_read(a, o).nslot;
	for (i = 0; i < n; i++)
		if (has_table(a, peek(a, arg[i])))
			return true;
	return false;
}

/* ---- slots */

bool exact_value(double v)
{
	double x = v * 4096.0;

	return fabs(x) < 1099511627776.0 && x == rint(x);
}

bool exact_values(int64_t n, const double *v)
{
	int64_t i;

	for (i = 0; i < n; i++)
		if (!exact_value(v[i]))
			return false;
	return true;
}

bool value_in(double v, int type)
{
	int e;
	double m;

	if (type_is_int(type)) {
		int64_t lo, hi;
		int_range(type, &lo, &hi);
		return v == rint(v) && v >= (double)lo && v <= (double)hi;
	}
	if (!isfinite(v))
		return type_mantissa(type) != 0;
	if (v == 0)
		return type_has_zero(type);
	m = frexp(fabs(v), &e);
	if (type == T_F64)
		return true;
	if (type == T_F32 || type == T_BF16)
		return e <= 128 && e > -125 && ldexp(m, type_mantissa(type)) == rint(ldexp(m, type_mantissa(type)));
	if (type == T_F16)
		return e <= 16 && e > -13 && ldexp(m, 11) == rint(ldexp(m, 11));
	return false;
}

bool rat_in(rat v, int type)
{
	double d = rat_double(v);
	rat back;

	return value_in(d, type) && rat_from_double(&back, d) && rat_eq(back, v);
}

bool truth_table(const slot *t)
{
	int64_t n = slot_cells(t), i;

	for (i = 0; i < n; i++)
		if (t->v[i] != 0 && t->v[i] != 1)
			return false;
	return true;
}

bool slot_index(algebra *a, const slot *t, ix **e)
{
	eg_id o;
	int n;
	int64_t range;
	work *w;
	slot *s;

	if (t->x == NIL)
		return false;
	o = peek(a, t->x);
	if (core_kind(a, o) == C_INDEX) {
		*e = ix_norm(&a->s, t->e);
		opened(a, t->x, o);
		return true;
	}
	if (core_kind(a, o) == C_AT && core_kind(a, peek(a, eg_args(a->g, o)[0])) == C_INDEX) {
		w = work_new(a, C_AT, core_type(a, o), 1);
		s = work_inline(a, o, t->e, w, &n);
		opened(a, t->x, o);
		*e = ix_norm(&a->s, s[0].e);
		return true;
	}
	range = fact_range(a, t->x);	/* a value of known range is a data label */
	if (!range)
		return false;
	opened(a, t->x, o);
	*e = ix_norm(&a->s, ix_of(&a->s, label_data(&a->s, t->x, ix_norm(&a->s, t->e), range), 1));
	return true;
}

static double *values_at(algebra *a, const double *v, int64_t len, const ix *e, int nl, label **l)
{
	int64_t *at = ix_values(&a->s, e, nl, l), n = grid_size(&a->s, nl, l), i;
	double *out = ARENA_ARRAY(&a->s.a, double, n);

	for (i = 0; i < n; i++) {
		if (at[i] >= len && labels_slack(nl, l))	/* beyond the range of data: arbitrary */
			at[i] = len - 1;
		if (at[i] < 0 || at[i] >= len)
			stuck(&a->s, "internal: a table is read outside");
		out[i] = v[at[i]];
	}
	return out;
}

bool slot_table_values(algebra *a, const slot *t, slot *out)
{
	eg_id o;
	label **l;
	int nl;
	double *v;
	int64_t len;

	*out = *t;
	if (t->x == NIL)
		return true;
	o = peek(a, t->x);
	if (core_kind(a, o) == C_NUMBER) {
		v = ARENA_ARRAY(&a->s.a, double, 1);
		v[0] = number_double(core_number(a, o));
		if (number_is_rat(core_number(a, o)) && !exact_value(v[0]))
			return false;
		opened(a, t->x, o);
		*out = slot_table(core_type(a, o), 0, NULL, v, t->c);
		return true;
	}
	if (core_kind(a, o) == C_AT && core_kind(a, peek(a, eg_args(a->g, o)[0])) == C_TABLE) {
		work *w = work_new(a, C_AT, core_type(a, o), 1);
		slot *s = work_inline(a, o, t->e, w, &nl);
		eg_id tab = peek(a, s[0].x);
		const double *tv = core_table(a, tab, &len);
		opened(a, t->x, o);
		opened(a, s[0].x, tab);
		nl = ix_labels(&a->s, s[0].e, &l);
		*out = slot_table(core_type(a, tab), nl, l, values_at(a, tv, len, s[0].e, nl, l), t->c);
		return true;
	}
	if (core_kind(a, o) != C_TABLE)
		return false;
	opened(a, t->x, o);
	nl = ix_labels(&a->s, t->e, &l);
	{
		const double *tv = core_table(a, o, &len);
		*out = slot_table(core_type(a, o), nl, l, values_at(a, tv, len, t->e, nl, l), t->c);
	}
	return true;
}

bool slot_number(algebra *a, const slot *t, number *v)
{
	eg_id o;
	ix *e;
	int64_t k;

	if (t->x == NIL) {
		if (t->nl)
			return false;
		*v = (number){ { 0, 0 }, t->v[0] };
		if (rat_from_double(&v->r, t->v[0]))
			v->f = 0;
		else
			v->r.den = 0;
		return true;
	}
	o = peek(a, t->x);
	if (core_kind(a, o) == C_NUMBER) {
		*v = core_number(a, o);
		opened(a, t->x, o);
		return true;
	}
	if (type_is_int(core_type(a, o)) && slot_index(a, t, &e) && ix_is_const(&a->s, e, &k)) {
		*v = (number){ { k, 1 }, 0 };
		return true;
	}
	return false;
}

int64_t slot_cells(const slot *t)
{
	int64_t n = 1;
	int i;

	for (i = 0; i < t->nl; i++)
		n *= t->l[i]->n;
	return n;
}

bool slot_reads_bound(algebra *a, const slot *t)
{
	label **l;
	int n = slot_labels(a, t, &l), k;

	for (k = 0; k < n; k++)
		if (l[k]->bound)
			return true;
	return false;
}

static bool written(const algebra *a, eg_id o)
{
	return core_kind(a, o) == C_NUMBER || core_kind(a, o) == C_TABLE || core_kind(a, o) == C_INDEX;
}

bool slot_is_zero(algebra *a, const slot *t)
{
	number v;

	return slot_number(a, t, &v) && number_double(v) == 0;
}

bool slot_is_written(algebra *a, const slot *t)
{
	eg_id o = t->x == NIL ? NIL : peek(a, t->x);

	return o == NIL || written(a, o) || (core_kind(a, o) == C_AT && written(a, peek(a, eg_args(a->g, o)[0])));
}

bool slot_is_constant(algebra *a, const slot *t)
{
	return slot_is_written(a, t) || fact_range(a, t->x) != 0;
}

bool slot_same(algebra *a, const slot *x, const slot *y)
{
	return x->x != NIL && y->x != NIL && eg_root(a->g, x->x) == eg_root(a->g, y->x) && ix_equal(&a->s, x->e, y->e);
}

bool slot_finite(algebra *a, const slot *t)
{
	int64_t n = 1, i;
	int k;

	if (t->x != NIL)
		return fact_finite(a, t->x);
	for (k = 0; k < t->nl; k++)
		n *= t->l[k]->n;
	for (i = 0; i < n; i++)
		if (!isfinite(t->v[i]))
			return false;
	return true;
}

bool slot_finite_power(algebra *a, const slot *t)
{
	if (t->x == NIL)
		return slot_finite(a, t);
	return fact_finite_power(a, t->x, t->c.num);
}

/* ---- labels and tables */

slot slot_of_ix(algebra *a, const ix *e, rat c, bool *exact)
{
	label **l;
	int n = ix_labels(&a->s, e, &l);
	int64_t cnt = grid_size(&a->s, n, l), i, *v = ix_values(&a->s, e, n, l);
	double *d = ARENA_ARRAY(&a->s.a, double, cnt);

	for (*exact = true, i = 0; i < cnt; i++) {
		*exact = *exact && v[i] >= -((int64_t)1 << 52) && v[i] <= (int64_t)1 << 52;
		d[i] = (double)v[i];
	}
	return slot_table(TYPE_REAL, n, l, d, c);
}

enum { SLOT_LABELS = 128 };

static int labels_of_ix(scratch *s, const ix *e, label **out, int n)
{
	int i, j, m = n;

	e = ix_norm(s, e);
	for (i = 0; i < e->nt; i++)
		n = label_collect(s, out, n, SLOT_LABELS, e->t[i].l);
	for (i = 0; i < e->ntab; i++)
		for (j = 0; j < e->tab[i].nl; j++)
			n = label_collect(s, out, n, SLOT_LABELS, e->tab[i].l[j]);
	for (i = m; i < n; i++)
		if (out[i]->data)
			n = labels_of_ix(s, out[i]->data->at, out, n);
	return n;
}

int slot_labels(algebra *a, const slot *t, label ***out)
{
	int i, n = 0;
	label *leaf[64];

	*out = ARENA_ARRAY(&a->s.a, label *, SLOT_LABELS);
	if (t->x != NIL)
		return labels_of_ix(&a->s, t->e, *out, 0);
	for (i = 0; i < t->nl; i++) {
		int m = label_leaves(t->l[i], leaf, 64), j;
		for (j = 0; j < m; j++)
			n = label_collect(&a->s, *out, n, SLOT_LABELS, leaf[j]);
	}
	for (i = 0; i < n; i++)
		if ((*out)[i]->data)
			n = labels_of_ix(&a->s, (*out)[i]->data->at, *out, n);
	return n;
}

static slot leaves_only(algebra *a, const slot *t)
{
	label **l, *leaf[64];
	slot r = *t;
	int i, j, n = 0, m;
	bool cut = false;

	for (i = 0; i < t->nl; i++)
		cut = cut || t->l[i]->hi || t->l[i]->n == 1;
	if (!cut)
		return r;
	l = ARENA_ARRAY(&a->s.a, label *, 64 * (t->nl + 1));
	for (i = 0; i < t->nl; i++) {
		m = label_leaves(t->l[i], leaf, 64);
		for (j = 0; j < m; j++)
			l[n++] = leaf[j];
	}
	r.l = l;
	r.nl = n;
	return r;	/* row-major over the digits is row-major over the labels */
}

slot table_one(algebra *a)
{
	double *unit = ARENA_ARRAY(&a->s.a, double, 1);

	*unit = 1;
	return slot_table(TYPE_REAL, 0, NULL, unit, RAT_ONE);
}

slot tables_zip(algebra *a, const slot *x, const slot *y, double (*f)(double, double), int vtype)
{
	slot p = leaves_only(a, x), q = leaves_only(a, y), r;
	int64_t n, i, *ap, *aq;
	int j;

	r = slot_table(vtype, 0, ARENA_ARRAY(&a->s.a, label *, p.nl + q.nl), NULL, RAT_ONE);
	for (j = 0; j < p.nl; j++)
		r.nl = label_put(r.l, r.nl, p.l[j]);
	for (j = 0; j < q.nl; j++)
		r.nl = label_put(r.l, r.nl, q.l[j]);
	n = grid_size(&a->s, r.nl, r.l);
	r.v = ARENA_ARRAY(&a->s.a, double, n);
	ap = grid_places(&a->s, r.nl, r.l, p.nl, p.l);
	aq = grid_places(&a->s, r.nl, r.l, q.nl, q.l);
	for (i = 0; i < n; i++)
		r.v[i] = f(p.v[ap[i]], q.v[aq[i]]);
	return r;
}
