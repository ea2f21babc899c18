/* prim_choice.c - choices by constant masks where a branch may be infinite: as pieces (N39), under a reduction (N40, S18).
 *
 * Where all branches are finite a choice is a sum of masked products (N35).  A
 * halo padded with -inf is none: here every branch counts where its mask holds,
 * and nowhere else.
 */
#include "prim/prim.h"

#include <stdlib.h>
#include "core/mask.h"
#include "core/zip.h"
#include "prim/counting.h"
#include "tensor/reducer.h"

enum { PIECES = 16, CHOICES = 64 };	/* choices opened: classes may hold choices of each other in a circle */
enum { PUSHED = 24 };	/* cores below a reduction that a table of its places is pushed through */

/* ---- pieces */

struct piece {
	slot mask;		/* where it counts: disjoint from the others' */
	slot t;
	bool number;
	double v;
};

struct pieces {
	algebra *a;
	eg_id node;
	work *w;
	int n, depth;
	bool nowhere;		/* a branch was met that counts nowhere */
	struct piece p[PIECES];
};

static struct pieces *no_pieces(algebra *a, eg_id n)
{
	struct pieces *q = arena_zalloc(&a->s.a, sizeof *q);

	q->a = a;
	q->node = n;
	q->w = work_open(a, n);
	work_settle(a, q->w);
	return q;
}

/* The branches of a choice by a constant mask that t is; NULL when it is none. */
static slot *choice_of(struct pieces *q, const slot *t, slot *mask)
{
	algebra *a = q->a;
	eg_id o = t->x == NIL ? NIL : peek(a, t->x);
	slot *in;
	int m;

	if (o == NIL || core_kind(a, o) != C_MAP || strcmp(core_fn(a, o), "select") || eg_narg(a->g, o) != 3 || !normal_opens(a, o, q->node))
		return NULL;
	in = work_inline(a, o, t->e, q->w, &m);
	if (!slot_table_values(a, &in[0], mask))
		return NULL;
	opened(a, t->x, o);
	return in + 1;
}

/* False when there are too many pieces. */
static bool add_pieces(struct pieces *q, const slot *t, slot mask)
{
	slot inner, *branch;
	struct piece *p;
	number v;

	if (!any_nonzero(&mask)) {
		q->nowhere = true;
		return true;
	}
	branch = choice_of(q, t, &inner);
	if (branch) {
		if (++q->depth > CHOICES)
			return false;
		return add_pieces(q, &branch[0], tables_zip(q->a, &mask, &inner, zip_and, T_PRED)) &&
		       add_pieces(q, &branch[1], tables_zip(q->a, &mask, &inner, zip_alone, T_PRED));
	}
	if (q->n == PIECES)
		return false;
	p = &q->p[q->n++];
	*p = (struct piece){ .mask = mask, .t = *t };
	p->t.c = RAT_ONE;
	p->number = slot_number(q->a, t, &v);
	p->v = p->number ? number_double(v) : 0;
	return true;
}

static double f_not_one(double x, double y) { return y != 0 && x != 1; }

/* [p] x where p is 1 wherever the piece counts is x. */
static bool strip_mask(struct pieces *q, struct piece *p)
{
	algebra *a = q->a;
	eg_id o = p->t.x == NIL ? NIL : peek(a, p->t.x);
	slot *in, t, bad;
	int m, k;
	work *w;

	if (o == NIL || core_kind(a, o) != C_MUL || !(operand_kinds(a, o) & (1u << C_TABLE | 1u << C_AT)) || !normal_opens(a, o, q->node))
		return false;
	in = work_inline(a, o, p->t.e, q->w, &m);
	for (k = 0; k < m; k++) {
		if (in[k].c.num != 1 || !slot_is_constant(a, &in[k]) || !slot_table_values(a, &in[k], &t))
			continue;
		bad = tables_zip(a, &t, &p->mask, f_not_one, T_PRED);
		if (any_nonzero(&bad))
			continue;
		opened(a, p->t.x, o);
		in[k] = in[m - 1];
		w = work_like(a, q->w, C_MUL, m - 1, in);
		p->t = m == 2 && in[0].c.num == 1 ? in[0] : slot_of_work(a, w, RAT_ONE);
		p->t.c = RAT_ONE;
		return true;
	}
	return false;
}

/* Pieces j and i are one: equal numbers, or instances of one expression. */
static bool join_pieces(struct pieces *q, int i, int j)
{
	struct piece *x = &q->p[i], *y = &q->p[j];
	slot t[2] = { x->t, y->t }, out;

	if (x->number != y->number || (x->number && !double_same_bits(x->v, y->v)))
		return false;
	if (!x->number) {
		if (!choose_instance(q->a, q->node, &x->mask, t, &out))
			return false;
		x->t = out;
	}
	x->mask = tables_zip(q->a, &x->mask, &y->mask, zip_or, T_PRED);
	*y = q->p[--q->n];
	return true;
}

/* Numbers last, others by age. */
static bool stands_after(struct pieces *q, const struct piece *x, const struct piece *y)
{
	if (x->number || y->number)
		return x->number && (!y->number || x->v > y->v);
	return normal_age(q->a, x->t.x) > normal_age(q->a, y->t.x);
}

static void order_pieces(struct pieces *q)
{
	int i, j;

	for (i = 1; i < q->n; i++) {
		struct piece x = q->p[i];
		for (j = i; j > 0 && stands_after(q, &q->p[j - 1], &x); j--)
			q->p[j] = q->p[j - 1];
		q->p[j] = x;
	}
}

static eg_id chain_of(struct pieces *q)
{
	slot acc = q->p[q->n - 1].t, t[3];
	work *w;
	int i;

	for (i = q->n - 2; i >= 0; i--) {
		t[0] = q->p[i].mask;
		t[0].c = RAT_ONE;
		t[1] = q->p[i].t;
		t[2] = acc;
		w = work_like(q->a, q->w, C_MAP, 3, t);
		if (i == 0)
			return work_result(q->a, w);
		acc = slot_of_work(q->a, w, RAT_ONE);
	}
	return result_slot(q->a, q->w, acc);
}

static bool is_choice(const algebra *a, eg_id x)
{
	return is_map(a, peek(a, x), "select");
}

/* Is a branch of the choice n a choice again, or a product with a mask? */
static bool has_pieces(const algebra *a, eg_id n)
{
	int k;

	for (k = 1; k < 3; k++)
		if (core_kind(a, peek(a, eg_args(a->g, n)[k])) == C_MUL || is_choice(a, eg_args(a->g, n)[k]))
			return true;
	return false;
}

/* N39: choices by constant masks inside each other are one value per place: a branch that counts nowhere goes, equal numbers are
 * one piece, as are instances of one expression; a mask that holds all over a piece is no factor of it. */
eg_id prim_select_pieces(algebra *a, eg_id n)
{
	struct pieces *q;
	slot mask;
	bool hit;
	int i, j;

	if (strcmp(core_fn(a, n), "select") || pairing_read(a, n).nslot != 3 || !type_is_float(core_type(a, n)) || !has_pieces(a, n))
		return NIL;
	q = no_pieces(a, n);
	if (!slot_table_values(a, &q->w->slot[0], &mask) || mask.nl == 0)
		return NIL;
	if (!add_pieces(q, &q->w->slot[1], mask) || !add_pieces(q, &q->w->slot[2], tables_zip(a, &mask, &mask, zip_not, T_PRED)))
		return refuse(a, "more than %d pieces", PIECES);
	hit = q->nowhere;
	for (i = 0; i < q->n; i++)
		while (strip_mask(q, &q->p[i]))
			hit = true;
	for (i = 0; i < q->n; i++)
		for (j = i + 1; j < q->n; )
			if (join_pieces(q, i, j))
				hit = true, j = i + 1;
			else
				j++;
	if (!hit)
		return NIL;
	order_pieces(q);
	return chain_of(q);
}

/* ---- under a maximum */

/* An operand of the maximum (or another such op) as what counts where its mask holds; `none` is what does not count elsewhere. */
static bool add_counting(struct pieces *q, const slot *t, slot *none)
{
	const char *op = core_fn(q->a, q->node);
	slot mask, *branch = choice_of(q, t, &mask);
	number v;
	int k;

	for (k = 0; branch && k < 2; k++)
		if (slot_number(q->a, &branch[k], &v) && op_neutral(op, v, core_type(q->a, q->node)))
			break;
	if (!branch || k == 2 || mask.nl == 0)
		return false;
	*none = branch[k];
	q->p[q->n++] = (struct piece){ .mask = k ? mask : tables_zip(q->a, &mask, &mask, zip_not, T_PRED), .t = branch[1 - k] };
	return true;
}

/* Do no two pieces count at one place?  `all`: where any does. */
static bool apart(struct pieces *q, slot *all)
{
	slot both;
	int i;

	*all = q->p[0].mask;
	for (i = 1; i < q->n; i++) {
		both = tables_zip(q->a, all, &q->p[i].mask, zip_and, T_PRED);
		if (any_nonzero(&both))
			return false;
		*all = tables_zip(q->a, all, &q->p[i].mask, zip_or, T_PRED);
	}
	return true;
}

/* N40: max(select(K, x, -inf), select(not K, y, -inf)) = select(K, x, y), and so for any number of choices of which one counts at
 * a place, or none: windows are joined so that were padded with what does not count. */
eg_id prim_lattice_chosen(algebra *a, eg_id n)
{
	struct pieces *q;
	slot all, none;
	int k;

	if (pairing_read(a, n).nslot < 2 || pairing_read(a, n).nslot > PIECES || !reducer_idempotent(core_fn(a, n)) || !is_choice(a, eg_args(a->g, n)[0]))
		return NIL;
	q = no_pieces(a, n);
	for (k = 0; k < q->w->nslot; k++)
		if (!add_counting(q, &q->w->slot[k], &none))
			return NIL;
	if (!apart(q, &all))
		return refuse(a, "two of the choices count at one place");
	all = tables_zip(a, &all, &all, zip_not, T_PRED);
	if (any_nonzero(&all) && q->n == PIECES)
		return refuse(a, "more than %d pieces", PIECES);
	if (any_nonzero(&all))
		q->p[q->n++] = (struct piece){ .mask = all, .t = none };
	q->w->fn = val_name(a, "select");
	return chain_of(q);
}

/* ---- under a reduction */

/* A choice between values and the number that never matters. */
struct chosen {
	work *w;		/* the reduction, or the pick of a payload; its first slot is what is chosen */
	slot mask, none;	/* where; the number */
	int type;		/* of what is chosen */
	int nb, nmine;
	label *bl[LEAVES], *mine[LEAVES];	/* reduced labels, those that the mask reads */
};

static bool open_chosen(algebra *a, eg_id n, struct chosen *c)
{
	bool picks = core_kind(a, n) == C_PICK;
	eg_id o = peek(a, eg_args(a->g, n)[0]);
	const char *op = picks ? "maximum" : core_fn(a, n);
	slot in[4], *t;
	int m, k;

	if (!reducer_idempotent(op) || core_kind(a, o) != C_MAP || strcmp(core_fn(a, o), "select") || eg_narg(a->g, o) != 3 || !normal_opens(a, o, n))
		return false;
	c->w = work_open(a, n);
	t = work_inline(a, o, c->w->slot[0].e, c->w, &m);
	memcpy(in, t, sizeof *t * 3);
	in[3] = c->w->slot[picks];
	c->w = work_like(a, c->w, c->w->kind, 3 + picks, in);
	t = c->w->slot;
	work_settle(a, c->w);
	k = choice_number(a, op, core_type(a, o), t, &c->mask);
	if (!k || c->mask.nl == 0)
		return false;
	opened(a, eg_args(a->g, n)[0], o);
	c->none = t[k];
	c->type = core_type(a, o);
	t[0] = t[3 - k];
	t[0].c = RAT_ONE;
	if (picks)
		t[1] = t[3];
	c->w->nslot = 1 + picks;
	return true;
}

/* Over all labels but those of `gone`: does the mask hold for some value of these? */
static slot some_of(algebra *a, const slot *mask, int ngone, label *const *gone)
{
	struct grid g;
	double *v;
	int64_t r, k;

	grid_of(a, mask, ngone, gone, &g);
	v = arena_zalloc(&a->s.a, sizeof *v * (size_t)g.rows);
	for (r = 0; r < g.rows; r++)
		for (k = 0; k < g.size; k++)
			if (g.v[r * g.size + k] != 0)
				v[r] = 1;
	return slot_table(T_PRED, g.nrest, g.rest, v, RAT_ONE);
}

/* Where a run may be alone: some place of the other reduced labels counts. */
static slot mask_along(algebra *a, const struct chosen *c, int nrun, label *const *run)
{
	label *others[LEAVES];
	int n = labels_without(c->nmine, c->mine, nrun, run, others);

	return n ? some_of(a, &c->mask, n, others) : c->mask;
}

/* Does the mask hold where it holds along every run? */
static bool mask_separates(algebra *a, const struct chosen *c, const struct runs *r)
{
	slot all = { 0 }, one;
	int i;

	for (i = 0; i < r->n; i++) {
		one = mask_along(a, c, r->len[i], r->l[i]);
		all = i ? tables_zip(a, &all, &one, zip_and, T_PRED) : one;
	}
	all = tables_zip(a, &all, &c->mask, zip_part, T_PRED);
	return !any_nonzero(&all);
}

/* Places of a run that do not count become the nearest one of their row that does. */
static void read_nearest(algebra *a, struct chosen *c, int nrun, label *const *run)
{
	slot mask = mask_along(a, c, nrun, run);
	struct grid g;
	label **all;
	int64_t *at, r, k;
	bool *hit;

	grid_of(a, &mask, nrun, run, &g);
	at = ARENA_ARRAY(&a->s.a, int64_t, g.rows * g.size);
	hit = ARENA_ARRAY(&a->s.a, bool, g.size);
	for (r = 0; r < g.rows; r++) {
		for (k = 0; k < g.size; k++) {
			at[r * g.size + k] = k;
			hit[k] = g.v[r * g.size + k] != 0;
		}
		fill_row(g.size, at + r * g.size, hit);
	}
	all = ARENA_ARRAY(&a->s.a, label *, g.nrest + nrun);
	memcpy(all, g.rest, sizeof *all * (size_t)g.nrest);
	memcpy(all + g.nrest, run, sizeof *all * (size_t)nrun);
	work_subst(a, c->w, -1, nrun, (label **)run, run_digits(a, g.nrest + nrun, all, g.rows * g.size, at, nrun, run));
}

/* Does an index, here or inside the core that is read, overlap with others along label l: the place within a window? */
static bool runs_in_window(algebra *a, const slot *t, const label *l)
{
	const ix *e = ix_norm(&a->s, t->e);
	int64_t s = llabs(ix_stride(e, l)), o;
	int i;

	for (i = 0; i < e->ntab; i++)
		if (e->tab[i].nl > 1 && label_in(l, e->tab[i].nl, e->tab[i].l))
			return true;
	for (i = 0; s && i < e->nt; i++) {
		o = llabs(e->t[i].s);
		if (e->t[i].l != l && s < o * e->t[i].l->n && o < s * l->n)
			return true;
	}
	return s && bent_hits(core_crossed(a, peek(a, t->x)), s, s * l->n);
}

static bool of_windows(algebra *a, const struct chosen *c)
{
	int i;

	for (i = 0; i < c->nmine; i++)
		if (runs_in_window(a, &c->w->slot[0], c->mine[i]))
			return true;
	return c->nmine == 0;
}

/* red op select(K, x, e) = select(some K, red op x at the places where K holds, e). */
static eg_id at_places(algebra *a, struct chosen *c)
{
	slot some, t[3];
	struct runs r;
	int i;

	if (data_reads(a, c->mask.nl, c->mask.l, c->nb, c->bl))
		return refuse(a, "what is chosen depends on data that depends on the reduced label");
	some = some_of(a, &c->mask, c->nmine, c->mine);
	if (c->nmine) {
		find_runs(c->w, c->nmine, c->mine, &r);
		if (mask_separates(a, c, &r))
			for (i = 0; i < r.n; i++)
				read_nearest(a, c, r.len[i], r.l[i]);
		else
			read_nearest(a, c, c->nmine, c->mine);
	}
	t[2] = tables_zip(a, &some, &some, zip_not, T_PRED);
	if (!any_nonzero(&t[2]))
		return work_result(a, c->w);
	t[1] = slot_of_work(a, c->w, RAT_ONE);
	t[0] = some;
	t[2] = c->none;
	c->w = work_like(a, c->w, C_MAP, 3, t);
	c->w->nbound = 0;
	c->w->fn = val_name(a, "select");
	return work_result(a, c->w);
}

/* N40: op idempotent, e the number that never matters to it: a place that does not count reads one of the same row that does.
 * For windows only: a triangle of them is better known by its mask. */
eg_id prim_reduce_chosen(algebra *a, eg_id n)
{
	struct chosen c;

	if (!open_chosen(a, n, &c))
		return NIL;
	c.nmine = bound_read_by(&a->s, c.w, &c.mask, c.bl, &c.nb, c.mine);
	return of_windows(a, &c) ? at_places(a, &c) : NIL;
}

/* Cores below x, each as often as it is read: more than max of them, or how many. */
static int cores_below(algebra *a, eg_id x, int max)
{
	eg_id o = peek(a, x);
	int n = 1, k;

	for (k = 0; k < (int)eg_narg(a->g, o) && n <= max; k++)
		n += cores_below(a, eg_args(a->g, o)[k], max - n);
	return n;
}

/* .. of any mask, where what is read is small: its places go down to the inputs. */
eg_id prim_reduce_places(algebra *a, eg_id n)
{
	struct chosen c = { 0 };
	counting by;

	if (!reducer_idempotent(core_fn(a, n)))
		return NIL;
	c.w = work_open(a, n);
	work_settle(a, c.w);
	if (!counting_open(a, n, core_fn(a, n), c.w->type, &c.w->slot[0], &by) || by.value.x == NIL)
		return NIL;
	if (cores_below(a, by.value.x, PUSHED) > PUSHED)
		return refuse(a, "more than %d cores below a reduction", PUSHED);
	c.mask = by.mask;
	c.none = op_number(a, core_fn(a, n), c.w->type);
	c.w = work_like(a, c.w, C_RED, 1, &by.value);
	c.nmine = bound_read_by(&a->s, c.w, &c.mask, c.bl, &c.nb, c.mine);
	return at_places(a, &c);
}

/* Does every row of the mask hold somewhere, and is what is chosen there no -inf, so that the largest value stands at such a place? */
static bool place_in_each_row(algebra *a, const struct chosen *c, const struct grid *g)
{
	int64_t r, k;

	for (r = 0; r < g->rows; r++) {
		for (k = 0; k < g->size && g->v[r * g->size + k] == 0; k++)
			;
		if (k == g->size)
			return refuse(a, "a row may have no place that counts"), false;
	}
	return slot_finite(a, &c->w->slot[0]) || (refuse(a, "a value may be infinite"), false);
}

/* select(mask, x, the number), x what is chosen as it is read now. */
static slot chosen_at(algebra *a, const struct chosen *c, const slot *mask)
{
	const slot *x = &c->w->slot[0];
	work *w = work_over(a, C_MAP, c->type, x, 3);
	label **l = ARENA_ARRAY(&a->s.a, label *, w->nfree + mask->nl);
	int n = w->nfree, i;

	memcpy(l, w->free, sizeof *l * (size_t)n);
	for (i = 0; i < mask->nl; i++)
		if (!label_in(mask->l[i], w->nfree, w->free))
			l[n++] = mask->l[i];
	work_set_free(a, w, n, l);
	w->slot[0] = *mask;
	w->slot[1] = *x;
	w->slot[2] = slot_read(c->none.x, ix_const(&a->s, 0), RAT_ONE);
	w->fn = val_name(a, "select");
	return slot_of_work(a, w, RAT_ONE);
}

/* S18: red op_l select(K(a, l), x, e) runs over the places l alone where K(a, l) holds for some a; so does the payload that is picked
 * where select(K, x, -inf) is largest, when K holds somewhere for every a and x is finite. */
eg_id prim_extreme_places(algebra *a, eg_id n)
{
	label *one;
	struct chosen c;
	struct grid g;
	int64_t *hits, nh;
	slot mask, off;

	if (!open_chosen(a, n, &c) || c.w->slot[0].x == NIL || c.none.x == NIL)
		return NIL;
	c.nmine = bound_read_by(&a->s, c.w, &c.mask, c.bl, &c.nb, c.mine);
	if (!c.nmine || data_reads(a, c.mask.nl, c.mask.l, c.nb, c.bl) || (c.w->kind == C_PICK && (c.nmine != c.nb || !type_is_float(c.type))))
		return NIL;	/* the least integer may be a value, too, and stand before it */
	grid_of(a, &c.mask, c.nmine, c.mine, &g);
	nh = grid_hits(a, &g, &hits);
	if (nh < 2 || nh == g.size || (c.nmine > 1 && hits[nh - 1] != nh - 1) || (c.w->kind == C_PICK && !place_in_each_row(a, &c, &g)))
		return NIL;
	one = label_new(&a->s, nh);
	one->bound = true;
	run_join(a, c.w, &(struct run_among){ true, c.nb, c.nmine, c.bl, c.mine }, one, run_digits(a, 1, &one, nh, hits, c.nmine, c.mine));
	mask = grid_columns(a, &g, nh, hits, one, T_PRED);
	off = tables_zip(a, &mask, &mask, zip_not, T_PRED);
	if (any_nonzero(&off))
		c.w->slot[0] = chosen_at(a, &c, &mask);
	return work_result(a, c.w);
}
