/* lift_norm.c - batch normalisation by its definition, and reductions that choose a payload (RULES 1.4). */
#include "lift/lift.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "core/literal.h"
#include "tensor/reducer.h"

/* ---- batch norm: statistics over all dimensions but the feature dimension */

struct stats {
	lift *l;
	const frame_of *f;
	int feature;
	rat inv;		/* 1 / elements per feature */
};

/* x at device r, its feature at e, its other dimensions summed; labels to *bound */
static ix **summed_index(struct stats *s, ix *feature, label **bound, int *nb)
{
	const layout *x = &s->l->op[0].l;
	ix **e = ARENA_ARRAY(&s->l->a->s.a, ix *, x->rank);
	int d;

	*nb = 0;
	for (d = 0; d < x->rank; d++) {
		if (d == s->feature) {
			e[d] = feature;
			continue;
		}
		bound[*nb] = label_new(&s->l->a->s, x->dim[d]);
		bound[*nb]->bound = true;
		e[d] = ix_of(&s->l->a->s, bound[(*nb)++], 1);
	}
	return e;
}

/* A work over the labels of the frame that carries what the statistics need. */
static slot closed(struct stats *s, enum core_kind k, int n, const slot *t, int nb, label **bound, rat c, label **extra, int nextra)
{
	lift *l = s->l;
	work *w = work_new(l->a, k, l->op[0].type, n);
	label **free = ARENA_ARRAY(&l->a->s.a, label *, l->rank + 1 + nextra);
	int i;

	free[0] = s->f->r;
	for (i = 0; i < l->rank; i++)
		free[1 + i] = s->f->i[i];
	for (i = 0; i < nextra; i++)
		free[1 + l->rank + i] = extra[i];
	work_set_free(l->a, w, l->rank + 1 + nextra, free);
	work_set_bound(l->a, w, nb, bound);
	memcpy(w->slot, t, sizeof *t * (size_t)n);
	w->nslot = n;
	return slot_of_work(l->a, w, c);
}

static slot scaled(struct stats *s, slot t, rat c, label **extra, int nextra)
{
	t.c = c;
	return closed(s, C_SUM, 1, &t, 0, NULL, RAT_ONE, extra, nextra);
}

static slot mean_of(struct stats *s, ix *feature)
{
	label *bound[64];
	int nb;
	ix **e = summed_index(s, feature, bound, &nb);
	slot x = lift_slot(s->l, 0, s->f->re, e), m;

	m = closed(s, C_EIN, 1, &x, nb, bound, RAT_ONE, NULL, 0);
	return scaled(s, m, s->inv, NULL, 0);
}

static void learn_spread(algebra *a, eg_id v, const slot *t, eg_id mean)
{
	eg_id sum = eg_args(a->g, mean)[0];
	const premise p[] = { { t[0].x, t[0].x }, { t[1].x, t[1].x }, { mean, mean }, { sum, sum } };

	facts_learn_opened(a, v, FACT_NONNEG, 4, p);
}

/* The mean of the squares less the square of the mean, as compilers write it: equal to the mean of the squared
 * deviations, so nowhere negative. */
static slot variance_of(struct stats *s, ix *feature)
{
	label *bound[64];
	int nb;
	ix **e = summed_index(s, feature, bound, &nb);
	slot x = lift_slot(s->l, 0, s->f->re, e), t[2], v, mean;

	x.c = (rat){ 2, 1 };
	t[0] = closed(s, C_EIN, 1, &x, nb, bound, s->inv, NULL, 0);
	t[1] = mean = mean_of(s, feature);
	t[1].c = (rat){ 2, 1 };
	t[1] = closed(s, C_MUL, 1, &t[1], 0, NULL, (rat){ -1, 1 }, NULL, 0);
	v = closed(s, C_SUM, 2, t, 0, NULL, RAT_ONE, NULL, 0);
	learn_spread(s->l->a, v.x, t, mean.x);
	return v;
}

static slot inverse_deviation(struct stats *s, slot var, double eps)
{
	slot t[2], q;
	work *w;
	lift *l = s->l;
	number v = literal_number(l->a->literals, T_F32, eps);	/* as the constant that compilers write for it */

	t[0] = var;
	t[0].c = RAT_ONE;
	if (number_is_rat(v))
		t[1] = slot_read(core_rat(l->a, TYPE_REAL, RAT_ONE), ix_const(&l->a->s, 0), v.r);
	else
		t[1] = slot_read(core_num(l->a, TYPE_REAL, v), ix_const(&l->a->s, 0), RAT_ONE);
	q = closed(s, C_SUM, 2, t, 0, NULL, RAT_ONE, NULL, 0);
	w = lift_work(l, C_MAP, "sqrt", 1, s->f);
	w->type = l->op[0].type;
	w->slot[0] = q;
	return slot_of_work(l->a, w, (rat){ -1, 1 });
}

static slot per_feature(struct stats *s, int k, ix *feature)
{
	return lift_slot(s->l, k, s->f->re, &feature);
}

static eg_id finish_slot(struct stats *s, slot t)
{
	work *w = lift_work(s->l, C_AT, NULL, 1, s->f);

	t.c = RAT_ONE;
	w->type = core_type(s->l->a, t.x);
	w->slot[0] = t;
	return lift_finish(s->l, w, s->f);
}

static void begin_stats(lift *l, struct stats *s, const frame_of *f, int feature)
{
	const layout *x = &l->op[0].l;
	int64_t n = 1;
	int d;

	for (d = 0; d < x->rank; d++)
		if (d != feature)
			n *= x->dim[d];
	*s = (struct stats){ l, f, feature, { 1, n > 0 ? n : 1 } };
}

/* ((x - mean) * rsqrt(var + eps)) * scale + offset */
static eg_id normalised(struct stats *s, slot mean, slot var, ix *feature, double eps)
{
	lift *l = s->l;
	slot t[3], y;

	t[0] = lift_slot(l, 0, s->f->re, s->f->ie);
	t[1] = mean;
	t[1].c = (rat){ -1, 1 };
	t[0] = closed(s, C_SUM, 2, t, 0, NULL, RAT_ONE, NULL, 0);
	t[1] = inverse_deviation(s, var, eps);
	t[2] = per_feature(s, 1, feature);
	y = closed(s, C_MUL, 3, t, 0, NULL, RAT_ONE, NULL, 0);
	t[0] = y;
	t[1] = per_feature(s, 2, feature);
	return finish_slot(s, closed(s, C_SUM, 2, t, 0, NULL, RAT_ONE, NULL, 0));
}

static bool unfit(lift *l)
{
	int k;

	for (k = 0; k < l->nop; k++)
		if (layout_elements(&l->op[k].l) == 0 || !type_is_float(l->op[k].type) || l->op[k].type != l->op[0].type)
			return true;
	return l->op[0].l.rank > 60;
}

/* ints: element (0 result, 1 mean, 2 variance), feature dimension, bits of epsilon */
eg_id lift_batch_norm_training(lift *l)
{
	frame_of f = lift_frame(l);
	struct stats s;
	ix *feature;

	if (unfit(l))
		return refuse(l->a, "no rule for these operands");
	begin_stats(l, &s, &f, (int)l->ints[1]);
	feature = l->ints[0] ? f.ie[0] : f.ie[l->ints[1]];
	if (l->ints[0] == 1)
		return finish_slot(&s, mean_of(&s, feature));
	if (l->ints[0] == 2)
		return finish_slot(&s, variance_of(&s, feature));
	return normalised(&s, mean_of(&s, feature), variance_of(&s, feature), feature, lift_real(l, 2));
}

/* ints: 0, feature dimension, bits of epsilon; operands x, scale, offset, mean, variance */
eg_id lift_batch_norm_inference(lift *l)
{
	frame_of f = lift_frame(l);
	struct stats s;
	ix *feature = f.ie[l->ints[1]];

	if (unfit(l))
		return refuse(l->a, "no rule for these operands");
	begin_stats(l, &s, &f, (int)l->ints[1]);
	return normalised(&s, per_feature(&s, 3, feature), per_feature(&s, 4, feature), feature, lift_real(l, 2));
}

/* Gradient, ints as in training: with r = rsqrt(var + eps), c = x - mean, sums over all but the feature dimension:
 * d_offset = sum dy, d_scale = r sum(dy c), dx = scale r/N (N dy - sum dy - c r^2 sum(dy c)).
 * operands x, scale, mean, variance, dy */
eg_id lift_batch_norm_grad(lift *l)
{
	frame_of f = lift_frame(l);
	struct stats s;
	label *bound[64];
	int nb, k;
	ix *feature, **e;
	slot t[4], dy, c, sdy, sdyc, r;

	if (unfit(l))
		return refuse(l->a, "no rule for these operands");
	begin_stats(l, &s, &f, (int)l->ints[1]);
	feature = l->ints[0] ? f.ie[0] : f.ie[l->ints[1]];
	e = summed_index(&s, feature, bound, &nb);
	dy = lift_slot(l, 4, f.re, e);
	sdy = closed(&s, C_EIN, 1, &dy, nb, bound, RAT_ONE, NULL, 0);
	if (l->ints[0] == 2)
		return finish_slot(&s, sdy);
	for (k = 0; k < nb; k++)
		bound[k]->bound = false;
	t[0] = lift_slot(l, 0, f.re, e);
	t[1] = per_feature(&s, 2, feature);
	t[1].c = (rat){ -1, 1 };
	c = closed(&s, C_SUM, 2, t, 0, NULL, RAT_ONE, bound, nb);
	for (k = 0; k < nb; k++)
		bound[k]->bound = true;
	t[0] = dy;
	t[1] = c;
	sdyc = closed(&s, C_EIN, 2, t, nb, bound, RAT_ONE, NULL, 0);
	r = inverse_deviation(&s, per_feature(&s, 3, feature), lift_real(l, 2));
	if (l->ints[0] == 1) {
		t[0] = sdyc;
		t[1] = r;
		return finish_slot(&s, closed(&s, C_MUL, 2, t, 0, NULL, RAT_ONE, NULL, 0));
	}
	t[0] = lift_slot(l, 0, f.re, f.ie);
	t[1] = per_feature(&s, 2, feature);
	t[1].c = (rat){ -1, 1 };
	c = closed(&s, C_SUM, 2, t, 0, NULL, RAT_ONE, NULL, 0);
	t[0] = c;
	t[1] = r;
	t[1].c = (rat){ -2, 1 };	/* r^2, r being 1/sqrt */
	t[2] = sdyc;
	c = closed(&s, C_MUL, 3, t, 0, NULL, RAT_ONE, NULL, 0);
	t[0] = lift_slot(l, 4, f.re, f.ie);
	t[0].c = (rat){ s.inv.den, 1 };
	t[1] = sdy;
	t[1].c = (rat){ -1, 1 };
	t[2] = c;
	t[2].c = (rat){ -1, 1 };
	c = closed(&s, C_SUM, 3, t, 0, NULL, RAT_ONE, NULL, 0);
	t[0] = c;
	t[1] = r;
	t[2] = per_feature(&s, 1, feature);
	dy = closed(&s, C_MUL, 3, t, 0, NULL, RAT_ONE, NULL, 0);
	return finish_slot(&s, scaled(&s, dy, s.inv, NULL, 0));
}

/* ---- the payload at the largest value, or at the smallest: where the negated value is the largest */

/* Is the largest value of each row certainly finite, w the choice of it as far as it is made? */
static bool largest_finite(lift *l, const work *w)
{
	algebra *a = l->a;
	work *m;

	if (fact_finite(a, l->op[0].x))
		return true;
	m = work_like(a, w, C_RED, 1, w->slot);
	m->type = core_type(a, l->op[0].x);
	m->fn = val_name(a, "maximum");
	return fact_finite(a, work_make(a, m).n);
}

/* ints: element, 2 more where the smallest is chosen, dimensions; name: first, last or least, and the reducer; operands values, payloads, their
 * initial values */
eg_id lift_arg_reduce(lift *l)
{
	frame_of f = lift_frame(l);
	algebra *a = l->a;
	scratch *s = &a->s;
	const layout *x = &l->op[0].l;
	ix **e = arena_zalloc(&s->a, sizeof *e * (size_t)(x->rank + 1));
	label **bound = ARENA_ARRAY(&s->a, label *, l->nint);
	int k, d, o = 0, nb = 0, nd = l->nint - 1;
	bool pay = l->ints[0] & 1, least = l->ints[0] & 2;
	const char *kind = reducer_choice(l->name);
	slot init;
	number v;
	work *w;

	if (!kind)
		return NIL;
	if (layout_elements(x) == 0)
		return refuse(a, "an empty tensor");
	init = slot_read(l->op[2].x, lift_at(l, 2, f.re, NULL), RAT_ONE);
	if (!slot_number(a, &init, &v) || !(number_double(v) == (least ? INFINITY : -INFINITY)))
		return refuse(a, "the initial value of the arg-reduction is not %s", least ? "inf" : "-inf");
	if (least ? !fact_finite(a, l->op[0].x) : !fact_below(a, l->op[0].x))
		return refuse(a, "a value may be no number");	/* comparisons skip such a one, or keep it: as the order falls */
	if (!strcmp(kind, "least") && pay && !fact_below(a, l->op[1].x))
		return refuse(a, "a payload may be no number");
	for (d = 0; d < x->rank; d++) {	/* in the order of the dimensions: it counts */
		for (k = 0; k < nd && l->ints[1 + k] != d; k++)
			;
		if (k < nd) {
			bound[nb] = label_new(s, x->dim[d]);
			bound[nb]->bound = true;
			e[d] = ix_of(s, bound[nb++], 1);
		} else {
			e[d] = f.ie[o++];
		}
	}
	w = lift_work(l, pay ? C_PICK : C_RED, pay ? kind : least ? "minimum" : "maximum", 2, &f);
	w->nslot = pay ? 2 : 1;
	work_set_bound(a, w, nb, bound);
	w->slot[0] = lift_slot(l, 0, f.re, e);
	if (strcmp(kind, "last") && pay && !largest_finite(l, w))
		return refuse(a, "all values may be -inf: the initial payload comes out");
	if (pay && least)
		w->slot[0] = slot_negated(a, w->slot[0]);
	if (pay)
		w->slot[1] = lift_slot(l, 1, f.re, e);
	return lift_finish(l, w, &f);
}
