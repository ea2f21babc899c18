/* prim_select.c - a choice between instances of one expression (N27), and between readings of one core. */
#include "prim/prim.h"

#include "core/mask.h"
#include "core/zip.h"
#include "prim/antiunify.h"

enum { READINGS = 8 };

bool choose_instance(algebra *a, eg_id n, const slot *mask, const slot *t, slot *out)
{
	struct antiunify *g;

	if (slot_is_constant(a, &t[0]) || slot_is_constant(a, &t[1]))
		return false;
	g = ARENA_NEW(&a->s.a, struct antiunify);
	g->a = a;
	g->n = 2;
	g->node = n;
	g->budget = 4000;
	g->choice = mask;
	return antiunify_expression(g, t, out);
}

/* select(mask, f(t), f(u)) = f(select(mask, t, u)): a pole or an infinity in a branch does not matter. */
eg_id prim_select_index(algebra *a, eg_id n)
{
	work *w;
	slot mask, out;

	if (strcmp(core_fn(a, n), "select") || pairing_read(a, n).nslot != 3)
		return NIL;
	w = work_open(a, n);
	work_settle(a, w);
	if (!slot_table_values(a, &w->slot[0], &mask) || mask.nl == 0)
		return NIL;
	return choose_instance(a, n, &mask, w->slot + 1, &out) ? result_slot(a, w, out) : NIL;
}

/* A core that a slot reads: as it stands, through a selection that its class or an earlier reading's has, or through a view
 * of it that holds all its places. */
struct reading {
	eg_id x;
	ix *e;
	eg_id via;		/* the selection or view; NIL: the slot itself */
	bool back;		/* via is a view of the earlier reading's core */
	int from;		/* the reading it was found in */
};

struct reads {
	algebra *a;
	eg_id node;		/* the rule fires on it */
	int n;
	struct reading r[READINGS];
};

/* Selections met on the way from a class's head to its normal node. */
static void add_selections(struct reads *q, int i)
{
	algebra *a = q->a;
	int m, guard;
	eg_id o;

	for (guard = 0, o = normal_head(a, q->r[i].x); o != NIL && guard < 64 && q->n < READINGS; o = normal_step(a, o)->to, guard++) {
		work *w;
		slot *s;
		if (core_kind(a, o) != C_AT || !normal_opens(a, o, q->node))
			continue;
		w = work_new(a, C_AT, core_type(a, o), 0);
		s = work_inline(a, o, q->r[i].e, w, &m);
		if (eg_root(a->g, s->x) != eg_root(a->g, q->node))
			q->r[q->n++] = (struct reading){ s->x, s->e, o, false, i };
	}
}

/* A view that holds all places of y in another order: where it has the one that y has at e; NULL when it does not. */
static ix *place_in_view(algebra *a, int n, const digit *d, const ix *e)
{
	int64_t *size = ARENA_ARRAY(&a->s.a, int64_t, n), w;
	int *by = ARENA_ARRAY(&a->s.a, int, n), i, j;
	ix **at, *r = ix_const(&a->s, 0);

	for (i = 0; i < n; i++) {	/* digits by falling stride */
		for (j = i; j > 0 && d[by[j - 1]].stride < d[i].stride; j--)
			by[j] = by[j - 1];
		by[j] = i;
	}
	for (w = 1, i = n - 1; i >= 0; w *= d[by[i--]].size) {
		if (d[by[i]].stride != w)
			return NULL;
		size[i] = d[by[i]].size;
	}
	at = ix_digits(&a->s, e, n, size);
	for (i = 0; i < n; i++) {
		for (w = 1, j = by[i] + 1; j < n; j++)
			w *= d[j].size;
		r = ix_add(&a->s, r, ix_times(&a->s, at[i], w));
	}
	return ix_norm(&a->s, r);
}

static void add_views(struct reads *q, int i)
{
	algebra *a = q->a;
	eg_id root = eg_root(a->g, q->r[i].x);
	eg_use u;
	bool more;

	for (more = eg_use_first(a->g, root, &u); more && q->n < READINGS; more = eg_use_next(a->g, &u)) {
		eg_id v = u.owner;
		const digit *d;
		ix *at;
		int n;
		if (core_kind(a, v) != C_VIEW || eg_dead(a->g, v) || core_len(a, v) != core_len(a, root) ||
		    eg_root(a->g, v) == root || eg_root(a->g, v) == eg_root(a->g, q->node))
			continue;
		d = val_get_digits(a, node_val(a, v, 0), &n);
		if ((at = place_in_view(a, n, d, q->r[i].e)))
			q->r[q->n++] = (struct reading){ normal_head(a, v), at, v, true, i };
	}
}

/* Every reading of t, nearest first. */
static void readings(struct reads *q, const slot *t, bool views)
{
	int i;

	q->r[0] = (struct reading){ t->x, t->e, NIL, false, 0 };
	q->n = 1;
	for (i = 0; i < q->n; i++) {
		add_selections(q, i);
		if (views && !q->r[i].back)
			add_views(q, i);
	}
}

static void reading_premises(algebra *a, const struct reading *r, int i)
{
	for (; i; i = r[i].from) {
		const struct reading *from = &r[r[i].from];
		if (!r[i].back) {
			opened(a, from->x, r[i].via);
			continue;
		}
		history_premise(a, r[i].x, r[i].via);
		if (from->x != eg_args(a->g, r[i].via)[0])
			history_premise(a, from->x, eg_args(a->g, r[i].via)[0]);
	}
}

/* A branch of a choice: a core, or a core times a table. */
struct branch {
	slot x, factor;		/* the factor where `times` */
	bool times;
};

static bool is_table_kind(const algebra *a, eg_id x)
{
	enum core_kind k = core_kind(a, peek(a, x));

	return k == C_TABLE || (k == C_AT && core_kind(a, peek(a, eg_args(a->g, peek(a, x))[0])) == C_TABLE);
}

/* x, which is finite, where a constant mask holds and 0 elsewhere. */
static bool masked_choice(algebra *a, work *w, eg_id o, const slot *t, struct branch *b)
{
	slot *in, mask;
	number v;
	int m;

	if (core_kind(a, o) != C_MAP || strcmp(core_fn(a, o), "select") || eg_narg(a->g, o) != 3)
		return false;
	in = work_inline(a, o, t->e, w, &m);
	if (!slot_table_values(a, &in[0], &mask) || !slot_number(a, &in[2], &v) || number_double(v) != 0 || !slot_finite(a, &in[1]))
		return false;
	b->factor = tables_zip(a, &mask, &mask, zip_holds, TYPE_REAL);
	b->x = in[1];
	return true;
}

static bool masked_product(algebra *a, work *w, eg_id o, const slot *t, struct branch *b)
{
	slot *in;
	int m, k;

	if (core_kind(a, o) != C_MUL || eg_narg(a->g, o) != 2)
		return false;
	for (k = 0; k < 2 && !is_table_kind(a, eg_args(a->g, o)[k]); k++)
		;
	if (k == 2)
		return false;
	in = work_inline(a, o, t->e, w, &m);
	if (in[0].c.num != 1 || in[1].c.num != 1 || !slot_table_values(a, &in[k], &b->factor))
		return false;
	b->x = in[1 - k];
	return true;
}

/* What a branch is a core times a table by: its normal node, or a form that its class had before - under its mask the core
 * may since be read at other places (N25), but a choice next to it is of the same core still. */
static void open_branch(algebra *a, work *w, const slot *t, eg_id n, struct branch *b)
{
	eg_id o;
	int guard;

	*b = (struct branch){ .x = *t };
	if (!type_is_float(core_type(a, t->x)))
		return;
	for (guard = 0, o = normal_head(a, t->x); o != NIL && guard < 64 && !b->times; o = normal_step(a, o)->to, guard++) {
		if (!normal_opens(a, o, n))
			continue;
		b->times = masked_choice(a, w, o, t, b) || masked_product(a, w, o, t, b);
		if (b->times)
			opened(a, t->x, o);
	}
}

static void read_branch(algebra *a, eg_id n, const struct branch *b, bool views, struct reads *q)
{
	q->a = a;
	q->node = n;
	readings(q, &b->x, views);
}

/* Where both branches read one core: the place chosen, or NULL. */
static ix *read_of_both(algebra *a, eg_id n, struct antiunify *g, const struct branch *b, bool views, slot *x)
{
	struct reads q[2];
	ix *e[2], *c;
	int i, j;

	for (i = 0; i < 2; i++)
		read_branch(a, n, &b[i], views, &q[i]);
	for (i = 0; i < q[0].n; i++)
		for (j = 0; j < q[1].n; j++) {
			if (eg_root(a->g, q[0].r[i].x) != eg_root(a->g, q[1].r[j].x))
				continue;
			e[0] = q[0].r[i].e;
			e[1] = q[1].r[j].e;
			if (!(c = antiunify_ix(g, e, core_len(a, q[0].r[i].x))))
				continue;
			reading_premises(a, q[0].r, i);
			reading_premises(a, q[1].r, j);
			if (q[0].r[i].x != q[1].r[j].x)
				history_premise(a, q[1].r[j].x, q[0].r[i].x);
			*x = slot_read(q[0].r[i].x, c, RAT_ONE);
			return c;
		}
	return NULL;
}

/* The factor of the branch chosen. */
static slot chosen_factor(algebra *a, const slot *mask, const struct branch *b)
{
	slot one = table_one(a), x, y;

	x = tables_zip(a, b[0].times ? &b[0].factor : &one, mask, zip_where, TYPE_REAL);
	y = tables_zip(a, b[1].times ? &b[1].factor : &one, mask, zip_unless, TYPE_REAL);
	return tables_zip(a, &x, &y, zip_add, TYPE_REAL);
}

/* An index that is linear where the factor beside it is not 0: elsewhere it is held inside the range that it has there, as a
 * window is that hangs over the end of what it reads (nothing is read there). */
static ix *held_inside(algebra *a, ix *e, const slot *factor)
{
	int64_t n = slot_cells(factor), i, lo = INT64_MAX, hi = INT64_MIN, *co = ARENA_ARRAY(&a->s.a, int64_t, factor->nl), b, *v, *line;
	bool *hit = ARENA_ARRAY(&a->s.a, bool, n);
	ix *part;

	e = ix_norm(&a->s, e);
	part = ix_norm(&a->s, ix_part(&a->s, e, factor->nl, factor->l));
	v = ix_values(&a->s, part, factor->nl, factor->l);
	for (i = 0; i < n; i++) {
		hit[i] = factor->v[i] != 0;
		lo = hit[i] && v[i] < lo ? v[i] : lo;
		hi = hit[i] && v[i] > hi ? v[i] : hi;
	}
	if (lo > hi || !fit_linear(factor->nl, factor->l, v, hit, n, co, &b))
		return e;
	line = grid_linear(&a->s, factor->nl, factor->l, b, co);
	for (i = 0; i < n; i++)
		line[i] = line[i] < lo ? lo : line[i] > hi ? hi : line[i];
	return ix_norm(&a->s, ix_add(&a->s, ix_minus(a, e, part), ix_table(&a->s, factor->nl, factor->l, line)));
}

/* select(mask, x[t], x[u]) = x[select(mask, t, u)], whatever x is: two selections of one core are not pushed into it
 * apart, where each would become another shape.  With tables: select(mask, p x[t], q x[u]) = select(mask, p, q)
 * x[select(mask, t, u)]. */
eg_id prim_select_read(algebra *a, eg_id n)
{
	struct branch b[2];
	struct antiunify *g;
	slot mask, x, two[2];
	work *w;
	int i;

	if (strcmp(core_fn(a, n), "select") || pairing_read(a, n).nslot != 3)
		return NIL;
	w = work_open(a, n);
	work_settle(a, w);
	if (!slot_table_values(a, &w->slot[0], &mask) || mask.nl == 0 || slot_is_written(a, &w->slot[1]) || slot_is_written(a, &w->slot[2]))
		return NIL;
	g = ARENA_NEW(&a->s.a, struct antiunify);
	g->a = a;
	g->n = 2;
	g->choice = &mask;
	for (i = 0; i < 2; i++)
		b[i] = (struct branch){ .x = w->slot[1 + i] };
	if (read_of_both(a, n, g, b, false, &x))
		return result_slot(a, w, x);
	for (i = 0; i < 2; i++)
		open_branch(a, w, &w->slot[1 + i], n, &b[i]);
	if ((!b[0].times && !b[1].times) || !read_of_both(a, n, g, b, true, &x) || core_atom(a, peek(a, x.x)))	/* N23 folds atoms */
		return NIL;
	if (!fact_finite(a, x.x))
		return refuse(a, "zero times a tensor that may be infinite");
	two[1] = chosen_factor(a, &mask, b);
	two[1].c = RAT_ONE;
	two[0] = x;
	two[0].e = held_inside(a, x.e, &two[1]);
	return work_result(a, work_like(a, w, C_MUL, 2, two));
}

enum { PIECES = 16 };

/* The reading of core x, or -1. */
static int reading_of(const algebra *a, const struct reads *q, eg_id x)
{
	int i;

	for (i = 0; i < q->n && eg_root(a->g, q->r[i].x) != eg_root(a->g, x); i++)
		;
	return i < q->n ? i : -1;
}

/* Pieces of one sum that all read core x where they count: the one place read, in `e`, and the sum of their factors; false: a place
 * is in two pieces, or the places are no one function. */
static bool join_pieces(algebra *a, int n, const struct branch *b, const struct reads *q, eg_id x, ix **e, slot *factor)
{
	int k;

	*e = q[0].r[reading_of(a, &q[0], x)].e;
	*factor = b[0].factor;
	for (k = 1; k < n; k++) {
		struct antiunify *g = ARENA_NEW(&a->s.a, struct antiunify);
		slot both = tables_zip(a, factor, &b[k].factor, zip_times, TYPE_REAL), first = tables_zip(a, factor, factor, zip_holds, TYPE_REAL);
		ix *two[2] = { *e, q[k].r[reading_of(a, &q[k], x)].e };
		g->a = a;
		g->n = 2;
		g->choice = &first;
		if (any_nonzero(&both) || !(*e = antiunify_ix(g, two, core_len(a, x))))
			return false;
		*factor = tables_zip(a, factor, &b[k].factor, zip_add, TYPE_REAL);
	}
	return true;
}

static void pieces_premises(algebra *a, int n, const struct reads *q, eg_id x)
{
	int k, i;

	for (k = 0; k < n; k++) {
		i = reading_of(a, &q[k], x);
		reading_premises(a, q[k].r, i);
		if (q[k].r[i].x != x)
			history_premise(a, q[k].r[i].x, x);
	}
}

/* Is it, or was it, a core times a table, or 0 under a mask?  Asked of many sums before anything is written down. */
static bool was_masked(const algebra *a, eg_id x)
{
	int guard;
	eg_id o;

	for (guard = 0, o = normal_head(a, x); o != NIL && guard < 64; o = normal_step(a, o)->to, guard++)
		if (eg_narg(a->g, o) == 2 ? core_kind(a, o) == C_MUL && (is_table_kind(a, eg_args(a->g, o)[0]) || is_table_kind(a, eg_args(a->g, o)[1]))
					  : eg_narg(a->g, o) == 3 && core_kind(a, o) == C_MAP && !strcmp(core_fn(a, o), "select"))
			return true;
	return false;
}

/* The terms of a sum, all under masks; 0: they are not. */
static int open_pieces(algebra *a, eg_id n, struct branch *b, work **w)
{
	int m = pairing_read(a, n).nslot, k;

	if (m < 2 || m > PIECES || !type_is_float(core_type(a, n)))
		return 0;
	for (k = 0; k < m; k++)
		if (core_coef(a, n, k).num != core_coef(a, n, k).den || !was_masked(a, eg_args(a->g, n)[k]))
			return 0;
	*w = work_open(a, n);
	work_settle(a, *w);
	for (k = 0; k < m; k++) {
		open_branch(a, *w, &(*w)->slot[k], n, &b[k]);
		if (!b[k].times)
			return 0;
	}
	return m;
}

/* Is the i-th reading of the first piece of a core that all others read, too?  N23 folds atoms. */
static bool all_read(algebra *a, int m, const struct reads *q, int i)
{
	int k;

	if (core_atom(a, peek(a, q[0].r[i].x)))
		return false;
	for (k = 1; k < m && reading_of(a, &q[k], q[0].r[i].x) >= 0; k++)
		;
	return k >= m;
}

/* The core that all pieces read, as one factor that is read where they read it, and their masks as another. */
static bool one_reading(algebra *a, int m, const struct branch *b, const struct reads *q, slot *x, slot *mask)
{
	int i;
	ix *e;

	for (i = 0; i < q[0].n; i++) {
		eg_id core = q[0].r[i].x;
		if (!all_read(a, m, q, i) || !join_pieces(a, m, b, q, core, &e, mask))
			continue;
		pieces_premises(a, m, q, core);
		mask->c = RAT_ONE;
		*x = slot_read(core, held_inside(a, e, mask), RAT_ONE);
		return true;
	}
	return false;
}

/* sum_k K_k x[t_k] = K x[t] where the masks K_k have no place in common: K is their sum, t is t_k where K_k counts. */
eg_id prim_sum_read(algebra *a, eg_id n)
{
	struct branch b[PIECES];
	struct reads q[PIECES];
	slot two[2];
	work *w = NULL;
	int m = open_pieces(a, n, b, &w), k, i;

	for (k = 0; k < m; k++) {
		read_branch(a, n, &b[k], true, &q[k]);
		for (i = 0; i < q[0].n && !all_read(a, k + 1, q, i); i++)
			;
		if (i == q[0].n)
			return NIL;
	}
	if (!m || !one_reading(a, m, b, q, &two[0], &two[1]))
		return NIL;
	if (!fact_finite(a, two[0].x))
		return refuse(a, "zero times a tensor that may be infinite");
	return work_result(a, work_like(a, w, C_MUL, 2, two));
}
