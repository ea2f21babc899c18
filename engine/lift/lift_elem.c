/* lift_elem.c - elementwise instructions, constants, opaque operations (RULES 1.1, 1.2, 1.6). */
#include "lift/token.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "core/literal.h"
#include "tensor/reducer.h"

/* One label for the whole local index is enough: cuts come from the layouts. */
typedef struct flat_frame {
	label *r, *i;
	ix *re, *ie;
} flat_frame;

static flat_frame flat_of(lift *l)
{
	scratch *s = &l->a->s;
	flat_frame f;

	f.r = label_new(s, l->ndev);
	f.i = label_new(s, lift_elements(l));
	f.re = ix_of(s, f.r, 1);
	f.ie = ix_of(s, f.i, 1);
	return f;
}

/* Operand k at the result's index; scalars of select and clamp are the same everywhere. */
static slot flat_slot(lift *l, int k, const flat_frame *f)
{
	const layout *y = &l->op[k].l;
	const ix *i = y->rank == 0 && l->rank ? ix_const(&l->a->s, 0) : f->ie;

	return slot_read(l->op[k].x, layout_read(l->a, y, f->re, i), RAT_ONE);
}

static work *flat_work(lift *l, enum core_kind kind, const char *fn, const flat_frame *f)
{
	work *w = work_new(l->a, kind, l->type, l->nop + 1);
	label *free[2] = { f->r, f->i };
	int k;

	work_set_free(l->a, w, 2, free);
	w->nslot = l->nop;
	w->fn = fn ? val_name(l->a, fn) : NIL;
	for (k = 0; k < l->nop; k++)
		w->slot[k] = flat_slot(l, k, f);
	return w;
}

static eg_id flat_finish(lift *l, work *w, const flat_frame *f)
{
	frame_of g = { f->r, (label **)&f->i, f->re, (ix **)&f->ie };

	return lift_finish_over(l, w, &g, 1);
}

static eg_id elementwise(lift *l, enum core_kind kind, const char *fn, const int *c)
{
	flat_frame f;
	work *w;
	int k;

	if (lift_empty(l))
		return refuse(l->a, "an empty tensor");
	f = flat_of(l);
	w = flat_work(l, kind, fn, &f);
	for (k = 0; c && k < l->nop; k++)
		w->slot[k].c = (rat){ c[k], 1 };
	return flat_finish(l, w, &f);
}

/* "1 -1": the coefficients, or exponents. */
static void numbers_of(const char *arg, int *c)
{
	char *end;
	int k;

	for (k = 0; k < 4; k++) {
		c[k] = (int)strtol(arg, &end, 10);
		if (end == arg)
			c[k] = 1;
		arg = end;
	}
}

eg_id lift_sum(lift *l)
{
	int c[4];

	numbers_of(l->arg, c);
	if (l->type == T_PRED && l->nop == 2 && c[1] < 0)
		return refuse(l->a, "a difference of truth values");
	if (l->type == T_PRED)
		return elementwise(l, C_LAT, "or", NULL);
	if (!type_is_int(l->type) && !type_is_float(l->type))
		return elementwise(l, C_MAP, l->nop == 1 ? "negate" : c[1] < 0 ? "subtract" : "add", NULL);
	return elementwise(l, C_SUM, NULL, c);
}

/* Division of integers is not linear, and division by the constant zero no power. */
eg_id lift_product(lift *l)
{
	number v;
	int c[4];
	eg_id r;

	numbers_of(l->arg, c);
	if (l->type == T_PRED && c[1] < 0)
		return refuse(l->a, "a quotient of truth values");
	if (l->type == T_PRED)
		return elementwise(l, C_LAT, "and", NULL);
	if (c[1] < 0) {
		slot t = slot_read(l->op[1].x, ix_const(&l->a->s, 0), RAT_ONE);
		if (!type_is_float(l->type))
			return elementwise(l, C_MAP, "divide", NULL);
		if (core_len(l->a, t.x) == 1 && slot_number(l->a, &t, &v) && number_double(v) == 0)
			return elementwise(l, C_MAP, "divide", NULL);
	}
	if (!type_is_int(l->type) && !type_is_float(l->type))
		return elementwise(l, C_MAP, "multiply", NULL);
	r = elementwise(l, C_MUL, NULL, c);
	if (c[0] == 1 && c[1] == 1)
		token_product(l, r);
	return r;
}

/* Functions of truth values that are one: of the others, as power or shifts, nobody says what they are. */
static bool of_truth_values(const char *f)
{
	static const char *const known[] = { "and", "or", "xor", "not", "select", "compare", "convert", NULL };
	int i;

	for (i = 0; known[i] && strcmp(f, known[i]); i++)
		;
	return known[i] != NULL;
}

/* The rule names the function; attributes that matter stand behind it. */
eg_id lift_map(lift *l)
{
	char fn[160];
	const char *f = l->arg;

	if (l->type == T_PRED && core_type(l->a, l->op[0].x) == T_PRED && !of_truth_values(f))
		return refuse(l->a, "%s of truth values", f);
	if (l->type == T_PRED && (!strcmp(f, "and") || !strcmp(f, "or")))
		return elementwise(l, C_LAT, f, NULL);
	if (!strcmp(f, "compare")) {	/* GT, GE are LT, LE of the swapped operands */
		const char *d = l->name;
		if (d[0] == 'G') {
			operand_form t = l->op[0];
			l->op[0] = l->op[1];
			l->op[1] = t;
			d = d[1] == 'T' ? "LT" : "LE";
		}
		snprintf(fn, sizeof fn, "compare:%s%s", d, strlen(l->name) > 2 ? l->name + 2 : "");
		f = fn;
	} else if (*l->name) {
		snprintf(fn, sizeof fn, "%s:%s", f, l->name);
		f = fn;
	}
	return elementwise(l, C_MAP, f, NULL);
}

eg_id lift_lattice(lift *l)
{
	if (strcmp(l->arg, "maximum") && strcmp(l->arg, "minimum"))
		return refuse(l->a, "it is the maximum or the minimum");
	return elementwise(l, C_LAT, reducer_of_type(l->arg, l->type), NULL);
}

eg_id lift_rsqrt(lift *l)
{
	flat_frame f = flat_of(l);
	work *w;
	slot t;

	if (!type_is_float(l->type))
		return elementwise(l, C_MAP, "rsqrt", NULL);
	if (lift_empty(l))
		return refuse(l->a, "an empty tensor");
	w = flat_work(l, C_MAP, "sqrt", &f);
	t = slot_of_work(l->a, w, (rat){ -1, 1 });
	w = flat_work(l, C_MUL, NULL, &f);
	w->nslot = 1;
	w->slot[0] = t;
	return flat_finish(l, w, &f);
}

eg_id lift_convert(lift *l)
{
	if (l->op[0].type == l->type)
		return lift_same(l);
	return elementwise(l, C_MAP, "convert", NULL);
}

eg_id lift_select(lift *l)
{
	return elementwise(l, C_MAP, "select", NULL);
}

/* clamp(lo, x, hi) = min(max(x, lo), hi) */
eg_id lift_clamp(lift *l)
{
	flat_frame f = flat_of(l);
	work *w, *m;

	if (lift_empty(l))
		return refuse(l->a, "an empty tensor");
	w = flat_work(l, C_LAT, "maximum", &f);
	m = work_like(l->a, w, C_LAT, 2, w->slot);
	m->fn = val_name(l->a, "minimum");
	m->slot[1] = w->slot[2];
	w->nslot = 2;
	m->slot[0] = slot_of_work(l->a, w, RAT_ONE);
	return flat_finish(l, m, &f);
}

/* ---- inputs and constants */

eg_id lift_same(lift *l)
{
	layout y = l->op[0].l;

	if (layout_elements(&y) == 0 && lift_empty(l))
		return refuse(l->a, "an empty tensor");
	if (l->op[0].type != l->type)	/* some compilers let a copy convert */
		return refuse(l->a, "the element type changes");
	y.rank = l->rank;
	y.dim = l->dim;
	return layout_laid(l->a, &y, l->op[0].x);
}

static eg_id free_laid(lift *l, eg_id x)
{
	digit dev = { l->ndev, 0 }, loc = { lift_elements(l), 0 };
	layout y = { l->ndev, l->rank, 1, 1, l->dim, &dev, &loc };

	return layout_laid(l->a, &y, x);
}

eg_id lift_number(lift *l)
{
	double v;

	if (lift_empty(l))
		return refuse(l->a, "an empty tensor");
	if (type_is_int(l->type)) {
		flat_frame f = flat_of(l);
		work *w = work_new(l->a, C_AT, l->type, 1);
		label *free[2] = { f.r, f.i };
		work_set_free(l->a, w, 2, free);
		w->nslot = 1;
		w->slot[0] = slot_read(core_line(l->a, l->type), ix_const(&l->a->s, l->ints[0]), RAT_ONE);
		return flat_finish(l, w, &f);
	}
	if (l->type == T_PRED)
		return free_laid(l, core_rat(l->a, T_PRED, (rat){ l->ints[0] != 0, 1 }));
	v = lift_real(l, 0);
	return free_laid(l, core_num(l->a, TYPE_REAL, literal_number(l->a->literals, l->type, v)));
}

eg_id lift_table(lift *l)
{
	flat_frame f = flat_of(l);
	scratch *s = &l->a->s;
	int64_t n = f.i->n, i;
	work *w;
	label *free[2] = { f.r, f.i };

	if (lift_empty(l))
		return refuse(l->a, "an empty tensor");
	w = work_new(l->a, C_AT, l->type, 1);
	work_set_free(l->a, w, 2, free);
	w->nslot = 1;
	if (type_is_int(l->type)) {
		w->slot[0] = slot_read(core_line(l->a, l->type), ix_table(s, 1, &f.i, l->ints), RAT_ONE);
	} else {
		int type = l->type == T_PRED ? T_PRED : TYPE_REAL;
		double *v = ARENA_ARRAY(&s->a, double, n);
		bool below;
		for (i = 0; i < n; i++)
			v[i] = l->type == T_PRED ? l->ints[i] != 0 : lift_real(l, (int)i);
		below = literal_reciprocals(l->type, n, v, v);
		w->kind = below ? C_MUL : C_AT;
		w->type = below ? l->type : type;
		w->slot[0] = slot_read(core_values(l->a, type, n, v), ix_of(s, f.i, 1), (rat){ below ? -1 : 1, 1 });
		if (core_kind(l->a, w->slot[0].x) == C_NUMBER)
			w->slot[0].e = ix_const(s, 0);
	}
	return flat_finish(l, w, &f);
}

/* An atom that is the same on every device, known by its name (an elided or very large constant). */
eg_id lift_atom(lift *l)
{
	int64_t n = lift_elements(l);
	digit dev = { l->ndev, 0 }, loc = { n, 1 };
	layout y = { l->ndev, l->rank, 1, 1, l->dim, &dev, &loc };

	if (lift_empty(l))
		return refuse(l->a, "an empty tensor");
	return layout_laid(l->a, &y, core_param(l->a, l->type, n, l->name));
}

/* A family equal to nothing but itself: every device holds its own. */
eg_id lift_unique(lift *l)
{
	int64_t n = lift_empty(l) ? 1 : lift_elements(l);
	digit dev = { l->ndev, n }, loc = { n, 1 };
	layout y = { l->ndev, l->rank, 1, 1, l->dim, &dev, &loc };

	return layout_laid(l->a, &y, core_param(l->a, l->type, n * l->ndev, l->name));
}

eg_id lift_iota(lift *l)
{
	frame_of f = lift_frame(l);
	work *w;
	ix *e = f.ie[l->ints[0]];

	if (lift_empty(l))
		return refuse(l->a, "an empty tensor");
	w = lift_work(l, C_AT, NULL, 1, &f);
	if (type_is_int(l->type)) {
		w->slot[0] = slot_read(core_line(l->a, l->type), index_in_type(l->a, l->type, e), RAT_ONE);
		return lift_finish(l, w, &f);
	}
	w->type = T_S32;
	w->slot[0] = slot_read(core_line(l->a, T_S32), e, RAT_ONE);
	{
		slot t = slot_of_work(l->a, w, RAT_ONE);
		w = lift_work(l, C_MAP, "convert", 1, &f);
		w->slot[0] = t;
		return lift_finish(l, w, &f);
	}
}

/* partition-id, replica-id: (device / ints[0]) mod ints[1] */
eg_id lift_device(lift *l)
{
	frame_of f = lift_frame(l);
	work *w = lift_work(l, C_AT, NULL, 1, &f);
	ix *q, *r;

	ix_divmod(&l->a->s, f.re, l->ints[0], &q, &r);
	ix_divmod(&l->a->s, q, l->ints[1], &q, &r);
	w->slot[0] = slot_read(core_line(l->a, l->type), ix_norm(&l->a->s, r), RAT_ONE);
	return lift_finish(l, w, &f);
}

/* ---- what nobody gave a meaning: one per device.
 * ints: triples (operand, its dimension, result dimension) along which it works elementwise. */

static int pass_of(const lift *l, int operand, int dim)
{
	int i;

	for (i = 0; i + 2 < l->nint; i += 3)
		if (l->ints[i] == operand && l->ints[i + 1] == dim)
			return (int)l->ints[i + 2];
	return -1;
}

static bool passes(const lift *l, int result_dim)
{
	int i;

	for (i = 0; i + 2 < l->nint; i += 3)
		if (l->ints[i + 2] == result_dim)
			return true;
	return false;
}

/* The beginning of the own places of an opaque core: along the one dimension that does not pass through. */
static eg_id beginning(lift *l, const placed *p, const frame_of *f)
{
	work *w = lift_work(l, C_AT, NULL, 1, f);
	ix *e = placed_ix(l->a, p);
	int d;

	for (d = 0; d < l->rank; d++)
		if (!passes(l, d))
			e = ix_add(&l->a->s, e, f->ie[d]);
	w->type = core_type(l->a, p->n);
	w->slot[0] = slot_read(p->n, e, RAT_ONE);
	return lift_finish(l, w, f);
}

/* Operand k whole, but where it works elementwise: there it is read at the result's place. */
static bool opaque_operand(lift *l, int k, const frame_of *f, label **bound, int *nb, slot *out)
{
	const layout *o = &l->op[k].l;
	ix **e = ARENA_ARRAY(&l->a->s.a, ix *, o->rank);
	int d, q;

	for (d = 0; d < o->rank; d++) {
		if ((q = pass_of(l, k, d)) >= 0) {
			e[d] = f->ie[q];
			continue;
		}
		if (*nb >= 60 * (l->nop + 1))
			return false;
		bound[*nb] = label_new(&l->a->s, o->dim[d] > 0 ? o->dim[d] : 1);
		bound[*nb]->bound = true;
		e[d] = ix_of(&l->a->s, bound[(*nb)++], 1);
	}
	*out = lift_slot(l, k, f->re, e);
	return true;
}

/* The result's layout: its own places, `own` of them, are the last digits of the core. */
static eg_id opaque_laid(lift *l, const placed *p, const frame_of *f, int64_t own)
{
	digit *loc = ARENA_ARRAY(&l->a->s.a, digit, 64 * (l->rank + 1)), *dev = ARENA_ARRAY(&l->a->s.a, digit, 64);
	layout y = { l->ndev, l->rank, 0, 0, l->dim, dev, loc };
	int d;

	for (d = 0; d < l->rank; d++) {
		if (passes(l, d)) {
			y.nl += placed_digits(p, 1, &f->i[d], loc + y.nl);
			continue;
		}
		own /= l->dim[d] ? l->dim[d] : 1;
		loc[y.nl++] = (digit){ l->dim[d], own };
	}
	y.nd = placed_digits(p, 1, &f->r, dev);
	return layout_laid(l->a, &y, p->n);
}

eg_id lift_opaque(lift *l)
{
	algebra *a = l->a;
	frame_of f = lift_frame(l);
	work *w = lift_work(l, C_OPAQUE, l->name, l->nop, &f);
	label **bound = ARENA_ARRAY(&a->s.a, label *, 64 * (l->nop + 1)), **free = ARENA_ARRAY(&a->s.a, label *, l->rank + 1);
	int64_t own = 1, whole = l->nint % 3 ? l->ints[l->nint - 1] : 0;
	int k, d, nb = 0, nf = 0;
	placed p;

	if (lift_empty(l))	/* no elements: all of one shape are equal */
		return free_laid(l, core_rat(a, TYPE_REAL, RAT_ZERO));
	free[nf++] = f.r;
	for (d = 0; d < l->rank; d++)
		if (passes(l, d))
			free[nf++] = f.i[d];
		else
			own *= l->dim[d];
	work_set_free(a, w, nf, free);
	w->tail = whole ? whole : own > 0 ? own : 1;
	for (k = 0; k < l->nop; k++)
		if (!opaque_operand(l, k, &f, bound, &nb, &w->slot[k]))
			return refuse(a, "an operation of too many dimensions");
	work_set_bound(a, w, nb, bound);
	p = work_make(a, w);
	return whole > own ? beginning(l, &p, &f) : opaque_laid(l, &p, &f, own);
}
