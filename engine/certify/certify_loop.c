/* certify_loop.c - the checker's own look at an induction (pair_loop.c).
 *
 * What the firing says: the k-th value that a distributed loop carries out is
 * the baseline's, read where the relation says.  The relation is taken from
 * the carried values as they were given, M(device, place) = place of the
 * baseline.  Checked: both loops make as many trips, or go on under one
 * condition; for every carried value that is not handed through, M relates what
 * comes in, and what one trip gives; M relates what is carried out; every
 * carried value is given once; and what comes in does not hold the variables of
 * the trip.  The equalities themselves are premises of the firing.
 *
 * A value may be given as parts: the baseline's is then the sum over the parts
 * of one place.  All devices that hold one part of a place must hold the same,
 * and no other carried value holds these parts.  Sums are compared by numbers.
 */
#include <string.h>

#include "certify/certify_in.h"

enum { PLACES = 200, SUMS = 6 };

struct looped {			/* a loop-result node, read from its bytes */
	eg_id node;
	const eg_id *arg;
	int64_t side, k, n, trips, conds;
};

struct relation {		/* of a carried value to the baseline's */
	int64_t partner;	/* -1: nothing is said of it */
	eg_id m;		/* as it was given */
	int64_t n;		/* its core holds the parts of n places; 0: it is the baseline's core */
};

struct induction {
	const world *w;
	const certify_limits *l;
	world *sums;		/* where every class is a random function */
	const hist_entry *f;
	const premise *p;
	uint32_t np;
	eg_id *given;		/* per node: what a parameter was given as, or NIL */
	uint8_t *seen;		/* nodes looked through, by holds_variable */
	eg_id *stack;
	uint32_t top;
	arena *s;
	struct looped d, b;
};

static bool read_loop(struct induction *x, eg_id n, struct looped *l)
{
	size_t len;
	const int64_t *v;

	if (strcmp(eg_family(x->w->g, eg_op_family(x->w->g, eg_node_op(x->w->g, n)))->name, "loop-result"))
		return false;
	v = ck_value(x->w, eg_node_op(x->w->g, n), 2, &len);
	if (len != 6 * sizeof *v)
		return false;
	*l = (struct looped){ n, eg_args(x->w->g, n), v[0], v[2], v[3], v[4], v[5] };
	return l->conds >= 0 && l->conds <= 1 && l->k >= 0 && l->k < l->n && eg_narg(x->w->g, n) == (uint32_t)(3 * l->n + l->conds);
}

/* Is it the operand?  A proof in a file names one of several equal instructions by the first of them. */
static bool stands_for(struct induction *x, eg_id n, eg_id operand)
{
	return n == operand || (x->l->shown && x->l->shown(x->l->ctx, n, operand));
}

static eg_id init_of(const struct looped *l, int64_t k) { return l->arg[k]; }
static eg_id state_of_loop(const struct looped *l, int64_t k) { return l->arg[l->n + k]; }
static eg_id body_of(const struct looped *l, int64_t k) { return l->arg[2 * l->n + k]; }

static bool is_laid(struct induction *x, eg_id n)
{
	return n != NIL && ck_kind(x->w, eg_node_op(x->w->g, n)) == K_LAID;
}

static eg_id core_of_form(struct induction *x, eg_id laid)
{
	return eg_args(x->w->g, laid)[0];
}

/* The core of a form where that is a plain reading of `core`, as a table says it; NIL. */
static eg_id reading_of(struct induction *x, eg_id laid, eg_id core)
{
	eg_id own = core_of_form(x, laid);

	return ck_kind(x->w, eg_node_op(x->w->g, own)) == K_AT && eg_narg(x->w->g, own) == 1 && eg_args(x->w->g, own)[0] == core ? own : NIL;
}

/* One place of a family: the first, the last, or drawn. */
static int64_t drawn(const form *f, int k)
{
	int64_t n = f->ndev * f->elements;

	return k == 0 ? 0 : k == 1 ? n - 1 : (int64_t)(cv_mix(7, (uint64_t)k) % (uint64_t)n);
}

static int64_t place_in(struct induction *x, eg_id laid, int64_t dev, int64_t at)
{
	return ck_laid_place(x->w, eg_node_op(x->w->g, laid), dev, at);
}

/* Is the core of y, a form on one device, read at (0, M(r, i)) where z, by operator `op`, reads its own at (r, i), or what
 * that, a plain reading if it is `through`, reads?  M is where m reads its core, modulo n where that is not 0; m NIL: always place 0. */
static bool read_alike(struct induction *x, eg_id z, eg_op op, eg_id through, eg_id y, eg_id m, int64_t n)
{
	form f, fb;
	int k;

	if (!is_laid(x, z) || ck_kind(x->w, op) != K_LAID || !is_laid(x, y) || !ck_form(x->w, z, &f) || !ck_form(x->w, y, &fb) || fb.ndev != 1)
		return false;
	for (k = 0; k < PLACES && f.elements; k++) {
		int64_t at = drawn(&f, k), dev = at / f.elements, from = m == NIL ? 0 : place_in(x, m, dev, at % f.elements), here;
		from = n ? from % n : from;
		if (from < 0 || from >= fb.elements)
			return false;
		here = ck_laid_place(x->w, op, dev, at % f.elements);
		if (here >= 0 && through != NIL)
			here = ck_plain_place(x->sums, through, here);
		if (here < 0 || here != place_in(x, y, 0, from))
			return false;
	}
	return true;
}

/* A form on one device that reads its core in order. */
static bool in_order(struct induction *x, eg_id laid)
{
	form f;
	int k;

	if (!ck_form(x->w, laid, &f) || f.ndev != 1)
		return false;
	for (k = 0; k < PLACES && f.elements; k++)
		if (place_in(x, laid, 0, drawn(&f, k)) != drawn(&f, k))
			return false;
	return true;
}

/* ---- sums of parts */

/* A core at a place: as its class is opened, or `own`, by its own operator. */
static val at_core(struct induction *x, eg_id core, int64_t at, bool own)
{
	uint32_t k;

	for (k = 0; k < x->sums->n; k++)
		x->sums->node[k].busy = false;
	x->sums->cost = 0;
	return own ? world_own(x->sums, core, 0, at) : world_core(x->sums, core, at, 0);
}

static bool sum_is(struct induction *x, val sum, val own)
{
	return !x->sums->bad && !x->sums->cut && cv_same(sum, own);
}

/* Is the core `whole`, of n places, the sum of what `parts` holds of each, part number major? */
static bool is_whole(struct induction *x, eg_id whole, eg_id parts, int64_t n)
{
	int64_t np = n ? ck_len(x->w, parts) / n : 0, at, p;
	int type = np > 1 ? ck_type(x->w, parts) : 0, k;

	if (np < 2 || np * n != ck_len(x->w, parts) || ck_len(x->w, whole) != n || ck_kind(x->w, eg_node_op(x->w->g, whole)) != K_EIN ||
	    eg_narg(x->w->g, whole) != 1 || eg_args(x->w->g, whole)[0] != parts || ck_kind(x->w, eg_node_op(x->w->g, parts)) != K_PARAM)
		return false;
	for (k = 0; k < SUMS; k++) {
		val sum = at_core(x, parts, at = k ? (int64_t)(cv_mix(3, (uint64_t)k) % (uint64_t)n) : n - 1, false);
		for (p = 1; p < np; p++)
			sum = cv_add(type, sum, at_core(x, parts, p * n + at, false));
		if (!sum_is(x, sum, at_core(x, whole, at, true)))
			return false;
	}
	return true;
}

/* At one place of one device: does `have` hold the sum of what `cell` holds on the devices with the parts of that place,
 * each part once, and the same wherever it is held? */
static bool adds_up_at(struct induction *x, eg_id have, bool own, eg_id cell, const struct relation *r, int64_t dev, int64_t at, int64_t ndev)
{
	int64_t np = ck_len(x->w, core_of_form(x, r->m)) / r->n, place = place_in(x, r->m, dev, at) % r->n, d, p;
	int64_t *held = ARENA_ARRAY(x->s, int64_t, np);
	int type = ck_type(x->w, cell);
	val sum = cv_special(V_NAN);

	memset(held, 0xff, sizeof *held * (size_t)np);
	for (d = 0; d < ndev; d++) {
		int64_t other = place_in(x, r->m, d, at), here = place_in(x, cell, d, at);
		if (other < 0 || here < 0)
			return false;
		if (other % r->n != place)
			continue;
		if (held[other / r->n] >= 0 && held[other / r->n] != here)
			return false;
		held[other / r->n] = here;
	}
	for (p = 0; p < np; p++) {
		val v;
		if (held[p] < 0)
			return false;
		v = at_core(x, core_of_form(x, cell), held[p], false);
		sum = p ? cv_add(type, sum, v) : v;
	}
	return sum_is(x, sum, at_core(x, core_of_form(x, have), place_in(x, have, dev, at), own));
}

/* With every class a random function; or else with what the premises open: a sum of zeros is zero; or else as they open
 * the whole, too: a sum over two axes may have been shown to be one sum. */
static bool adds_up(struct induction *x, eg_id have, eg_id cell, const struct relation *r)
{
	static const struct { uint32_t choice; bool own; } way[] = { { CHOICE_NONE, true }, { CHOICE_FIRST, true }, { CHOICE_FIRST, false } };
	arena_mark mark = arena_at(x->s);
	bool good = false;
	size_t i;
	form f, fh;
	int k;

	if (!is_laid(x, have) || !is_laid(x, cell) || !ck_form(x->w, cell, &f) || !ck_form(x->w, have, &fh) || f.ndev != fh.ndev ||
	    f.elements != fh.elements)
		return false;
	for (i = 0; i < sizeof way / sizeof *way && !good; i++) {
		x->sums->choice = way[i].choice;
		for (good = true, k = 0; k < SUMS && good && f.elements; k++)
			good = adds_up_at(x, have, way[i].own, cell, r, drawn(&f, k) / f.elements, drawn(&f, k) % f.elements, f.ndev);
	}
	x->sums->choice = CHOICE_NONE;
	arena_reset(x->s, mark);
	return good;
}

/* ---- relations */

/* Among the premises: dist tensor t is what relation r makes of base tensor u. */
static bool claimed(struct induction *x, eg_id t, eg_id u, const struct relation *r)
{
	uint32_t i;

	for (i = 2; i + 4 < x->np; i += 5) {
		const premise *p = &x->p[i];	/* what is shown, u and its form, t and its form, both cores, what a sum adds up */
		eg_id through = NIL;
		if (!is_laid(x, p[0].y) || !is_laid(x, p[1].y) || p[3].y != core_of_form(x, p[1].y) ||
		    (p[3].x != core_of_form(x, p[0].y) && (through = reading_of(x, p[0].y, p[3].x)) == NIL) || !stands_for(x, p[2].x, t) ||
		    !stands_for(x, p[1].x, u) || !read_alike(x, p[0].y, eg_node_op(x->w->g, p[0].y), through, p[1].y, r->m, r->n))
			continue;
		if (r->n ? adds_up(x, p[0].x, p[2].y, r) : p[0].x == p[2].x)
			return true;
	}
	return false;
}

/* How carried value k was given, and whose value of the baseline it is shown to stand for. */
static struct relation relation_of(struct induction *x, int64_t k)
{
	struct relation r = { -1, x->given[state_of_loop(&x->d, k)], 0 };
	int64_t j;

	for (j = 0; is_laid(x, r.m) && j < x->b.n && r.partner < 0; j++) {
		eg_id g = x->given[state_of_loop(&x->b, j)];
		form f;
		if (!is_laid(x, g) || !in_order(x, g) || !ck_form(x->w, g, &f))
			continue;
		r.n = core_of_form(x, g) == core_of_form(x, r.m) ? 0 : f.elements;
		if (r.n && !is_whole(x, core_of_form(x, g), core_of_form(x, r.m), r.n))
			continue;
		if (claimed(x, init_of(&x->d, k), init_of(&x->b, j), &r) && claimed(x, body_of(&x->d, k), body_of(&x->b, j), &r))
			r.partner = j;
	}
	return r;
}

/* Does some other parameter, or what it is the sum of, hold this core? */
static bool held_elsewhere(struct induction *x, eg_id core, eg_id but)
{
	const egraph *g = x->w->g;
	eg_id n, c;

	for (n = 0; n < eg_nnode(g); n++) {
		if (n == but || x->given[n] == NIL || !is_laid(x, x->given[n]))
			continue;
		c = core_of_form(x, x->given[n]);
		if (c == core || (eg_narg(g, c) == 1 && eg_args(g, c)[0] == core))
			return true;
	}
	return false;
}

/* The only one that carries these parts. */
static bool only_holder(struct induction *x, int64_t k, eg_id core)
{
	int64_t i;

	for (i = 0; i < x->d.n; i++) {
		eg_id m = x->given[state_of_loop(&x->d, i)];
		if (i != k && is_laid(x, m) && core_of_form(x, m) == core)
			return false;
	}
	return true;
}

static bool is_variable(struct induction *x, eg_id n)
{
	int64_t j;

	for (j = 0; j < x->b.n; j++) {
		eg_id g = x->given[state_of_loop(&x->b, j)], c;
		if (state_of_loop(&x->b, j) == init_of(&x->b, j) || !is_laid(x, g))
			continue;
		c = core_of_form(x, g);
		if (c == n || (eg_narg(x->w->g, c) == 1 && eg_args(x->w->g, c)[0] == n))
			return true;
	}
	return false;
}

static void push(struct induction *x, eg_id n)
{
	if (n != NIL && !x->seen[n]) {
		x->seen[n] = 1;
		x->stack[x->top++] = n;
	}
}

/* Is the core of a value that the baseline's loop carries in what n was made of? */
static bool holds_variable(struct induction *x, eg_id n)
{
	const egraph *g = x->w->g;
	uint32_t k;

	push(x, n);
	while (x->top) {
		n = x->stack[--x->top];
		if (is_variable(x, n))
			return true;
		push(x, x->given[n]);
		for (k = 0; k < eg_narg(g, n); k++)
			push(x, eg_args(g, n)[k]);
	}
	return false;
}

static const char *check_course(struct induction *x)
{
	const struct relation whole = { -1, NIL, 0 };

	if (x->d.trips != x->b.trips)
		return "two loops of different numbers of trips are said to run in step";
	if (x->d.trips >= 0)
		return NULL;
	if (!x->d.conds || !x->b.conds || !claimed(x, x->d.arg[3 * x->d.n], x->b.arg[3 * x->b.n], &whole))
		return "the conditions of the loops were not shown equal";
	return NULL;
}

/* A carried value whose given form speaks of the baseline's is shown to keep it. */
static const char *check_value(struct induction *x, int64_t k)
{
	eg_id s = state_of_loop(&x->d, k);
	struct relation r;

	if (s == init_of(&x->d, k))
		return body_of(&x->d, k) == s ? NULL : "a value that changes is said to be handed through";
	if (x->given[s] == NIL || !is_laid(x, x->given[s]))
		return "a carried value was not given";
	r = relation_of(x, k);
	if (r.partner >= 0)
		return r.n && !only_holder(x, k, core_of_form(x, r.m)) ? "two carried values are parts of one whole" : NULL;
	return held_elsewhere(x, core_of_form(x, r.m), s) ? "a carried value does not keep its relation" : NULL;
}

/* As the firing wrote its result: operator and core. */
static eg_op written(struct induction *x, eg_id *core)
{
	const made_node *made = history_made(x->w->a, x->f);
	eg_op op = eg_node_op(x->w->g, x->f->result);
	uint32_t i;

	*core = core_of_form(x, x->f->result);
	for (i = 0; i < x->f->nmade; i++)
		if (made[i].node == x->f->result) {
			op = made[i].op;
			*core = made[i].narg == 1 ? history_args(x->w->a, &made[i])[0] : NIL;
		}
	return op;
}

/* Parts are carried out at the places where they were carried. */
static bool same_places(struct induction *x, eg_op op, eg_id m)
{
	form f;
	int k;

	if (ck_kind(x->w, op) != K_LAID || !ck_form(x->w, m, &f))
		return false;
	for (k = 0; k < PLACES && f.elements; k++)
		if (ck_laid_place(x->w, op, drawn(&f, k) / f.elements, drawn(&f, k) % f.elements) !=
		    place_in(x, m, drawn(&f, k) / f.elements, drawn(&f, k) % f.elements))
			return false;
	return true;
}

static const char *check_result(struct induction *x)
{
	struct relation r = relation_of(x, x->d.k);
	eg_id core, b = x->given[x->b.node];
	eg_op op = written(x, &core);

	if (r.partner < 0 || r.partner != x->b.k)
		return "what is carried out is said to be another value";
	if (r.n ? core == NIL || !is_laid(x, b) || !in_order(x, b) || !is_whole(x, core_of_form(x, b), core, r.n) || !same_places(x, op, r.m) ||
			  !only_holder(x, x->d.k, core_of_form(x, r.m))
		: !read_alike(x, x->f->result, op, NIL, x->p[0].y, r.m, 0) || x->p[1].x != core || x->p[1].y != core_of_form(x, x->p[0].y))
		return "what is carried out is read otherwise than what is carried";
	return NULL;
}

const char *certify_induction(const algebra *a, const hist_entry *f, const certify_limits *l, arena *s)
{
	world w = { .g = a->g, .a = a }, sums;
	uint32_t forms = eg_narg(a->g, f->node);	/* the first premises: the forms of the operands */
	struct induction x = { .w = &w, .l = l, .f = f, .s = s, .p = history_premises(a, f) + forms, .np = f->nprem - forms };
	arena_mark mark = arena_at(s);
	uint32_t i, n = eg_nnode(a->g);
	const char *why = NULL;
	int64_t k;

	if (f->nprem < forms + 2 || !read_loop(&x, f->node, &x.d) || !read_loop(&x, x.p[0].x, &x.b) || !is_laid(&x, f->result) || !is_laid(&x, x.p[0].y) ||
	    x.d.side != SIDE_DIST || x.b.side != SIDE_BASE)
		return "an induction without its loops";
	world_open(&sums, a, f, true, s);
	sums.choice = CHOICE_NONE;
	sums.budget = 1 << 16;
	sums.seed = 11;
	x.sums = &sums;
	x.given = ARENA_ARRAY(s, eg_id, n);
	memset(x.given, 0xff, sizeof *x.given * n);
	x.seen = arena_zalloc(s, n);
	x.stack = ARENA_ARRAY(s, eg_id, n);
	for (i = 0; i < history_count(a); i++) {
		const hist_entry *o = history_at(a, i);
		if (o->rule != RULE_GIVEN)
			continue;
		if (x.given[o->node] != NIL)
			why = "a parameter is given twice";
		x.given[o->node] = o->result;
	}
	if (!why)
		why = check_course(&x);
	for (k = 0; k < x.d.n && !why; k++)
		why = check_value(&x, k);
	if (!why)
		why = check_result(&x);
	for (k = 0; k < x.d.n && !why; k++)
		if (holds_variable(&x, init_of(&x.d, k)))
			why = "a loop begins with a variable of its own";
	for (k = 0; k < x.b.n && !why; k++)
		if (holds_variable(&x, init_of(&x.b, k)))
			why = "a loop begins with a variable of its own";
	arena_reset(s, mark);
	return why;
}
