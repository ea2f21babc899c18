/* prim_turn.c - the direction in which reduced labels run: N4.
 *
 * A reduction over l is one over n-1-l, whatever stands below.  The form taken
 * is that in which data is read forwards, where all of it agrees.  What tells
 * the direction may lie below functions: a field of the cores (core_back) says
 * where nothing runs backwards, so that nothing is opened there.
 */
#include "prim/prim.h"

#include <stdlib.h>
#include "core/mask.h"

enum { LABELS = 128, VISITS = 200 };
enum { FORWARDS = 1, BACKWARDS = 2, MIXED = 3 };

/* How data below is read over one label. */
struct course {
	label *l;
	int way, visits;
	eg_id node;		/* the rule fires on it */
};

static void read_core(algebra *a, struct course *c, eg_id x, const ix *e);

/* The digits of values that are read along the label count as what they are read from. */
static void read_data(algebra *a, struct course *c, const ix *e)
{
	label **l;
	int n = ix_labels(&a->s, e, &l), k;

	for (k = 0; k < n && c->way != MIXED; k++)
		if (l[k]->data)
			read_core(a, c, l[k]->data->core, ix_norm(&a->s, l[k]->data->at));
}

static void read_below(algebra *a, struct course *c, eg_id o, const ix *e)
{
	work *w;
	slot *in;
	int n, k;

	if (--c->visits < 0)
		stuck(&a->s, "more than %d expressions below a reduction", VISITS);
	w = work_new(a, core_kind(a, o), core_type(a, o), 0);
	in = work_inline(a, o, e, w, &n);
	for (k = 0; k < n && c->way != MIXED; k++)
		read_core(a, c, in[k].x, ix_norm(&a->s, in[k].e));
}

/* x read at a normalised e.  Constants have no direction of their own. */
static void read_core(algebra *a, struct course *c, eg_id x, const ix *e)
{
	eg_id o = peek(a, x);
	enum core_kind k = core_kind(a, o);
	int64_t s = ix_stride(e, c->l);

	read_data(a, c, e);
	if (c->l->hi || ix_in_table(e, c->l))		/* cut below: its digits are asked for next */
		c->way = MIXED;
	if (!s || k == C_TABLE || k == C_INDEX || c->way == MIXED)
		return;
	if (bent_hits(core_back(a, o), llabs(s), llabs(s) * c->l->n) && !core_atom(a, o) && k != C_VIEW && normal_opens(a, o, c->node))
		read_below(a, c, o, e);
	else
		c->way |= s < 0 ? BACKWARDS : FORWARDS;
}

static bool all_backwards(algebra *a, const work *w, label *l, eg_id node)
{
	struct course c = { l, 0, VISITS, node };
	int k;

	for (k = 0; k < w->nslot && c.way != MIXED && c.way != FORWARDS; k++)
		read_core(a, &c, w->slot[k].x, w->slot[k].e);
	return c.way == BACKWARDS;
}

/* n-1-l in place of each of these labels. */
static eg_id turned(algebra *a, work *w, int n, label **l)
{
	label *all[LABELS], **fresh = ARENA_ARRAY(&a->s.a, label *, LABELS);
	ix **to = ARENA_ARRAY(&a->s.a, ix *, n);
	int nall = bound_leaves(&a->s, w, all, LABELS), m = 0, k;

	for (k = 0; k < nall; k++)
		if (!label_in(all[k], n, l))
			fresh[m++] = all[k];
	for (k = 0; k < n; k++, m++) {
		fresh[m] = label_new(&a->s, l[k]->n);
		fresh[m]->bound = true;
		to[k] = ix_plus(&a->s, ix_of(&a->s, fresh[m], -1), l[k]->n - 1);
	}
	for (k = 0; k < w->nslot; k++)
		w->slot[k].e = ix_norm(&a->s, ix_subst(&a->s, w->slot[k].e, n, l, to));
	work_set_bound(a, w, m, fresh);
	return work_result(a, w);
}

/* N4: red_l F(n-1-l) = red_l F(l), where all data is read backwards. */
eg_id prim_reduce_turn(algebra *a, eg_id n)
{
	label *all[LABELS], *back[LABELS];
	int nall, m, k;
	uint32_t cuts;
	work *w;

	if (!core_backs_bound(a, n))
		return NIL;
	w = work_open(a, n);
	do {
		cuts = a->s.ncut;
		work_settle(a, w);
		nall = bound_leaves(&a->s, w, all, LABELS);
		for (k = m = 0; k < nall; k++)
			if (all_backwards(a, w, all[k], n))
				back[m++] = all[k];
	} while (a->s.ncut != cuts);
	return m ? turned(a, w, m, back) : NIL;
}
