/* lower_closed.c - loops in closed form (RULES section 5).
 *
 * A loop whose trips do not take what others made is lowered once, its trips as
 * devices (engine/pair/program.h).  What a trip carries on is
 *
 *   handed through, or a counter, known at every trip;
 *   added up: `state + g`, g without the state; so with other operations;
 *   written: every trip writes its own part of a tensor, all of it together;
 *   made anew: what the last trip made stays.
 *
 * Whether a loop is of this kind shows in the rows of its body, lowered aside.
 * There `state + g` and `state with u written` become g and u: what a trip gives.
 */
#include "lower/lower_loop.h"

#include <stdlib.h>
#include <string.h>
#include "tensor/reducer.h"
#include "util/integers.h"

enum { FAMILY_MAX = 1 << 18, KNOWN_MOST = 1 << 30, CHAIN_MAX = 64 };
enum how { HANDED, COUNTED, ADDED, WRITTEN, ANEW };

struct part {			/* one array carried */
	enum how how;
	int init, in, out;	/* rows: before the loop, at the beginning of a trip, at its end */
	int element;		/* of the loop's state, where it is an element by itself; else -1 */
	const char *op;		/* ADDED: the operation */
	int chain[CHAIN_MAX], nchain;	/* .. the rows that do it, last first */
	int gives, dim;		/* WRITTEN: the row that a trip writes, its part of that dimension */
	bool back;		/* .. from the last to the first */
};

struct closed {
	lowering *w;
	const inst *i;
	const comp *body;
	const val *state;
	const course *c;
	const char *prefix, *inner;
	int n, next;		/* arrays carried; number by which the next row is named that has no value of the loop to be named by */
	struct part *part;
	int begin, end;		/* rows of the body */
	int *rests;		/* per row of it: the only part that trips hand on which it rests on; NONE, SEVERAL */
	int *counts;		/* .. the counter that it is, or NONE */
	arena *say;		/* of the program, while the body is lowered aside */
	const char **why;	/* .. it is none of these, where that is not that trips take what others made */
};

enum { NONE = -1, SEVERAL = -2 };

static row *row_at(const struct closed *z, int i)
{
	return &z->w->p->row[i];
}

/* ---- rows */

static int emit_like(struct closed *z, const inst *i, const char *prefix, int element, const char *family, const shape *s, int nint,
		     const int64_t *ints, int nop, int x, int y)
{
	struct emit e = emit_start(i, prefix, family);
	int *op = ARENA_ARRAY(&z->w->p->a, int, 2);

	op[0] = x;
	op[1] = y;
	e.element = element < 0 ? z->next++ : element;
	e.shape = s;
	e.nint = nint;
	e.ints = ints;
	e.op = op;
	e.nop = nop;
	return lower_emit(z->w, &e);
}

static const shape *shape_like(const struct closed *z, int i)
{
	const row *r = row_at(z, i);

	return shape_array(&z->w->p->a, (enum etype)r->type, r->rank, r->dim);
}

/* first + step * the number of the trip */
static int emit_counter(struct closed *z, int element, int type, int64_t first, int64_t step)
{
	struct emit like = emit_start(z->body->param[0], z->inner, "constant");
	const shape *s = shape_array(&z->w->p->a, (enum etype)type, 0, NULL);
	int64_t *ints = ARENA_ARRAY(&z->w->p->a, int64_t, 2);
	int trip;

	ints[0] = z->w->p->ndev * z->w->trips / z->c->trips;
	ints[1] = z->c->trips;
	trip = emit_like(z, z->body->param[0], z->inner, step == 1 && !first ? element : -1, "partition-id", s, 2, ints, 0, -1, -1);
	return course_counter(z->w, &like, element, &z->next, type, trip, first, step);
}

/* ---- what a trip takes */

/* The arrays of v, each with the element of the loop's state that it is. */
static void find_parts(struct closed *z, const val *v, int element, int *n)
{
	int k;

	if (!v->elem && v->row >= 0) {
		z->part[*n].init = v->row;
		z->part[(*n)++].element = element;
	}
	for (k = 0; v->elem && k < v->n; k++)
		find_parts(z, v->elem[k], v == z->state && !v->elem[k]->elem ? k : -1, n);
}

static bool is_counter(const struct closed *z, const program *outer, const struct part *p)
{
	int k = p->element;

	return k >= 0 && z->c->even[k] && z->c->step[k] && outer->row[p->init].rank == 0 && etype_is_int((enum etype)outer->row[p->init].type);
}

/* A number that the loop hands through is the number. */
static int take_handed(struct closed *z, const program *outer, int k)
{
	const struct part *p = &z->part[k];
	const row *r = &outer->row[p->init];
	struct emit like = emit_start(z->body->param[0], z->inner, "constant");
	known v = { 0 };

	if (p->element >= 0 && course_handed(z->body, p->element))
		v = known_of(&z->w->p->a, outer, &(val){ .row = p->init });
	if (v.is)
		return course_integer(z->w, &like, k, r->type, v.v);
	return emit_like(z, z->body->param[0], z->inner, k, "each-trip", shape_array(&z->w->p->a, (enum etype)r->type, r->rank, r->dim), 0, NULL,
			 z->w->p == outer, p->init, -1);
}

/* Rows of what every trip takes.  `outer`: the program that has the rows before the loop. */
static void take_parts(struct closed *z, const program *outer)
{
	int k;

	for (k = 0; k < z->n; k++) {
		struct part *p = &z->part[k];
		p->how = is_counter(z, outer, p) ? COUNTED : ANEW;
		p->in = p->how == COUNTED ? emit_counter(z, k, outer->row[p->init].type, z->c->first[p->element], z->c->step[p->element])
					  : take_handed(z, outer, k);
	}
}

/* The rows of all trips. */
static void lower_trips(struct closed *z, const program *outer)
{
	int *row = ARENA_ARRAY(&z->w->p->a, int, z->n), n = 0, k;
	val *in, *out;

	z->next = z->n;
	z->w->trips *= z->c->trips;
	z->begin = z->w->p->nrow;
	take_parts(z, outer);
	for (k = 0; k < z->n; k++)
		row[k] = z->part[k].in;
	in = course_with_rows(z->w, z->state, row, &n);
	out = lower_comp(z->w, z->body, &in, z->inner);
	z->end = z->w->p->nrow;
	z->w->trips /= z->c->trips;
	if (z->w->failed)
		return;
	n = 0;
	course_gather(z->state, out, row, &n);
	for (k = 0; k < z->n; k++)
		z->part[k].out = row[k];
}

/* ---- what it rests on */

/* What two operands rest on. */
static int both(int x, int y)
{
	return x == NONE ? y : y == NONE || x == y ? x : SEVERAL;
}

static int rests_on(const struct closed *z, int i)
{
	return i < z->begin ? NONE : z->rests[i - z->begin];
}

static void find_rests(struct closed *z)
{
	int i, k;

	z->rests = ARENA_ARRAY(&z->w->p->a, int, z->end - z->begin);
	z->counts = ARENA_ARRAY(&z->w->p->a, int, z->end - z->begin);
	for (i = 0; i < z->end - z->begin; i++)
		z->rests[i] = z->counts[i] = NONE;
	for (k = 0; k < z->n; k++)
		if (z->part[k].how == ANEW)
			z->rests[z->part[k].in - z->begin] = k;
		else if (z->part[k].how == COUNTED)
			z->counts[z->part[k].in - z->begin] = k;
	for (i = z->begin; i < z->end; i++)
		for (k = 0; k < row_at(z, i)->nop; k++)
			z->rests[i - z->begin] = both(rests_on(z, i), rests_on(z, row_at(z, i)->op[k]));
}

static int through_copies(const struct closed *z, int i)
{
	while (i >= z->begin && row_at(z, i)->nop == 1 && !strcmp(row_at(z, i)->family, "copy"))
		i = row_at(z, i)->op[0];
	return i;
}

/* ---- added up */

/* The operand of a row that the state goes through; -1: it is none of op. */
static int state_operand(const struct closed *z, int i, int k, const char **op)
{
	const row *r = row_at(z, i);
	bool minus = !strcmp(r->family, "subtract");
	const char *own = minus ? "add" : r->family;
	int s;

	if (r->nop != 2 || !reducer_known(own) || r->why || (*op && strcmp(*op, own)))
		return -1;
	s = rests_on(z, r->op[0]) == k ? 0 : 1;
	if (rests_on(z, r->op[s]) != k || rests_on(z, r->op[!s]) != NONE || (minus && s))
		return -1;
	*op = own;
	return s;
}

static bool is_added(struct closed *z, int k)
{
	struct part *p = &z->part[k];
	int i = through_copies(z, p->out), s;

	p->op = NULL;
	p->nchain = 0;
	for (; i != p->in; i = through_copies(z, row_at(z, i)->op[s])) {
		if (i < z->begin || p->nchain == CHAIN_MAX || (s = state_operand(z, i, k, &p->op)) < 0)
			return false;
		p->chain[p->nchain++] = i;
	}
	p->how = ADDED;
	return p->nchain > 0;
}

/* ---- written: the places are known at every trip */

static bool compared(const char *d, int64_t x, int64_t y)
{
	return !strcmp(d, "EQ") ? x == y : !strcmp(d, "NE") ? x != y : !strcmp(d, "LT") ? x < y : !strcmp(d, "LE") ? x <= y :
	       !strcmp(d, "GT") ? x > y : x >= y;
}

static bool holds_value(enum etype t, int64_t v)
{
	return t == T_PRED || (etype_bits(t) >= 32 && v < KNOWN_MOST && v >= (etype_kind(t) == 'u' ? 0 : -KNOWN_MOST));
}

/* One place of an integer or truth value at a trip, from those of its operands. */
static known row_known(const struct closed *z, int i, int64_t trip, const known *v)
{
	const row *r = row_at(z, i);
	const known *x[3] = { NULL, NULL, NULL };
	const char *f = r->family;
	int64_t to = 0;
	int k;

	if (z->counts[i - z->begin] != NONE) {
		k = z->part[z->counts[i - z->begin]].element;
		return (known){ .is = true, .v = z->c->first[k] + z->c->step[k] * trip };
	}
	if (row_elements(r) != 1 || r->why || r->nop > 3 || (r->type != T_PRED && !etype_is_int((enum etype)r->type)))
		return (known){ 0 };
	for (k = 0; k < r->nop; k++) {
		if (r->op[k] < z->begin || !v[r->op[k] - z->begin].is)
			return (known){ 0 };
		x[k] = &v[r->op[k] - z->begin];
	}
	if (!strcmp(f, "constant"))
		to = r->ints[0];
	else if (!strcmp(f, "convert") && r->type == T_PRED)
		to = x[0]->v != 0;
	else if (!strcmp(f, "copy") || !strcmp(f, "reshape") || !strcmp(f, "broadcast") || !strcmp(f, "convert") || !strcmp(f, "marker"))
		to = x[0]->v;
	else if (!strcmp(f, "select"))
		to = x[0]->v ? x[1]->v : x[2]->v;
	else if (r->nop != 2)
		return (known){ 0 };
	else if (!strcmp(f, "compare") && strlen(r->name) == 2)
		to = compared(r->name, x[0]->v, x[1]->v);
	else if (r->type == T_PRED)
		return (known){ 0 };
	else if (!strcmp(f, "add"))
		to = x[0]->v + x[1]->v;
	else if (!strcmp(f, "subtract"))
		to = x[0]->v - x[1]->v;
	else if (!strcmp(f, "multiply"))
		to = x[0]->v * x[1]->v;
	else if (!strcmp(f, "maximum"))
		to = x[0]->v > x[1]->v ? x[0]->v : x[1]->v;
	else if (!strcmp(f, "minimum"))
		to = x[0]->v < x[1]->v ? x[0]->v : x[1]->v;
	else
		return (known){ 0 };
	return (known){ .is = holds_value((enum etype)r->type, to), .v = to };
}

struct write {			/* `state with u written at` a place */
	int u, at[16];		/* rows; per dimension, -1: at 0 */
	int dim, len;		/* along which the trips go, and how far */
};

/* The update covers every dimension but the one. */
static bool spans(const struct closed *z, const row *r, struct write *t)
{
	const row *u = row_at(z, t->u);
	int k;

	t->dim = -1;
	for (k = 0; k < r->rank; k++)
		if (u->dim[k] != r->dim[k]) {
			if (t->dim >= 0)
				return false;
			t->dim = k;
			t->len = (int)u->dim[k];
		}
	return t->dim >= 0;
}

static bool is_update_slice(const struct closed *z, const row *r, struct write *t)
{
	int k;

	if (strcmp(r->family, "dynamic-update-slice") || r->why || r->rank > 16 || r->nop != 2 + r->rank)
		return false;
	t->u = r->op[1];
	for (k = 0; k < r->rank; k++)
		t->at[k] = r->op[2 + k];
	return spans(z, r, t);
}

/* One index, which names the place along one dimension: `x.at[i].set(u)`. */
static bool is_scattered_row(const struct closed *z, const row *r, struct write *t)
{
	const int64_t *p = r->ints;
	int k;

	if (strcmp(r->family, "scatter") || r->why || strcmp(r->name, "assign") || r->rank > 16 || r->nop != 3 || row_elements(row_at(z, r->op[1])) != 1)
		return false;
	if (r->nint != 8 + r->rank - 1 || *p++ != row_at(z, r->op[1])->rank - 1 || *p++ != r->rank - 1)
		return false;
	for (k = 0; k < r->rank - 1; k++)
		if (*p++ != k + row_at(z, r->op[2])->rank - (r->rank - 1))
			return false;
	if (p[0] != 1 || p[2] != 1 || p[1] != p[3] || p[4] || p[5] || row_at(z, r->op[2])->rank != r->rank - 1)
		return false;
	t->u = r->op[2];
	t->dim = (int)p[1];
	t->len = 1;
	for (k = 0; k < r->rank; k++) {
		t->at[k] = k == t->dim ? r->op[1] : -1;
		if (k != t->dim && row_at(z, t->u)->dim[k - (k > t->dim)] != r->dim[k])
			return false;
	}
	return true;
}

static bool starts_at(const struct closed *z, const known *v, int at, int64_t to)
{
	return at < 0 ? !to : at >= z->begin && v[at - z->begin].is && v[at - z->begin].v == to;
}

/* Is the place that of the trip, counted from the first or from the last, on all of them? */
static bool places_follow(const struct closed *z, const row *r, const struct write *t, bool back)
{
	known *v = ARENA_ARRAY(&z->w->p->a, known, z->end - z->begin);
	int64_t s, n = z->c->trips;
	int i, k;

	for (s = 0; s < n; s++) {
		for (i = z->begin; i < z->end; i++)
			v[i - z->begin] = row_known(z, i, s, v);
		for (k = 0; k < r->rank; k++)
			if (!starts_at(z, v, t->at[k], k == t->dim ? t->len * (back ? n - 1 - s : s) : 0))
				return false;
	}
	return true;
}

/* Almost: the trips write parts of it, but not all of it in order. */
static bool no_write(const struct closed *z, const row *r, const struct write *t)
{
	long long n = (long long)t->len * z->c->trips, all = (long long)r->dim[t->dim];

	*z->why = n != all ? arena_printf(z->say, "they write %lld place%s of dimension %d of %%%s, which has %lld", n, n == 1 ? "" : "s", t->dim, r->path, all)
			   : arena_printf(z->say, "the places of %%%s that they write do not follow each other from the first to the last", r->path);
	return false;
}

static bool is_written(struct closed *z, int k)
{
	struct part *p = &z->part[k];
	int o = through_copies(z, p->out), j;
	const row *r = row_at(z, o);
	struct write t;

	if (o < z->begin || !r->nop || through_copies(z, r->op[0]) != p->in || (!is_update_slice(z, r, &t) && !is_scattered_row(z, r, &t)) ||
	    rests_on(z, t.u) != NONE)
		return false;
	for (j = 1; j < r->nop; j++)
		if (rests_on(z, r->op[j]) != NONE)
			return false;
	for (j = z->begin; j < z->end; j++)	/* nothing else may read what is no tensor of its size any more */
		if (rests_on(z, j) == k && j != o && through_copies(z, j) != p->in && through_copies(z, j) != o)
			return false;
	if (t.len * z->c->trips != r->dim[t.dim])
		return no_write(z, r, &t);
	p->back = !places_follow(z, r, &t, false);
	if (p->back && !places_follow(z, r, &t, true))
		return no_write(z, r, &t);
	p->how = WRITTEN;
	p->dim = t.dim;
	p->chain[0] = o;
	p->gives = t.u;
	return true;
}

/* ---- is the loop of this kind? */

static bool find_kinds(struct closed *z)
{
	int k;

	for (k = z->begin; k < z->end; k++)	/* written out it may be known what a trip does */
		if (row_at(z, k)->why)
			return false;
	for (k = 0; k < z->n; k++) {	/* what only now shows to be handed through */
		struct part *p = &z->part[k];
		if (p->out < 0 || !integers_product(row_at(z, p->in)->dim, row_at(z, p->in)->rank))
			return false;
		if (p->how == ANEW && through_copies(z, p->out) == p->in)
			p->how = HANDED;
	}
	find_rests(z);
	for (k = 0; k < z->n; k++) {
		struct part *p = &z->part[k];
		if (p->how == ANEW && rests_on(z, p->out) != NONE && !is_added(z, k) && !is_written(z, k))
			return false;
	}
	return true;
}

/* Lowers the body aside; what is found in its rows holds of those of the program, number for number. */
static bool is_closed(const struct closed *z)
{
	program *aside = calloc(1, sizeof *aside);
	lowering w = *z->w;
	struct closed t = *z;
	bool yes;

	if (!aside) {
		die_hook("out of memory");
		return false;
	}
	arena_init(&aside->a);
	aside->side = w.p->side;
	aside->m = w.p->m;
	aside->ndev = w.p->ndev;
	aside->fallback = lower_fallback;
	w.p = aside;
	w.elided = NULL;
	w.nelided = NULL;
	w.elidedcap = w.nkinds = 0;
	w.loop = -1;
	t.w = &w;
	lower_trips(&t, z->w->p);
	yes = !w.failed && !aside->nloop && find_kinds(&t);
	z->w->nlowered = w.nlowered;
	free(w.elided);
	free(w.nelided);
	program_free(aside);
	return yes;
}

/* ---- what comes out */

/* What a trip gives stands where the state was carried on. */
static void give(struct closed *z, int i, int from)
{
	row *r = row_at(z, i);
	int *op = ARENA_ARRAY(&z->w->p->a, int, 1);

	op[0] = from;
	r->rank = row_at(z, from)->rank;
	r->dim = row_at(z, from)->dim;
	r->family = "copy";
	r->name = "";
	r->nint = 0;
	r->nop = 1;
	r->op = op;
}

/* A tensor with a part written is the part; so are copies of it. */
static void give_part(struct closed *z, int k)
{
	const struct part *p = &z->part[k];
	int i;

	for (i = p->chain[0]; i < z->end; i++)
		if (rests_on(z, i) == k)
			give(z, i, i == p->chain[0] ? p->gives : row_at(z, i)->op[0]);
}

/* `(state + g) + h` is (g) + h. */
static void give_sum(struct closed *z, int k)
{
	const struct part *p = &z->part[k];
	const char *op = p->op;
	int first = p->chain[p->nchain - 1], s = state_operand(z, first, k, &op), other = row_at(z, first)->op[!s];
	bool minus = !strcmp(row_at(z, first)->family, "subtract");

	give(z, first, other);
	if (minus)
		row_at(z, first)->family = "negate";
}

static int emit_out(struct closed *z, int element, const char *family, const shape *s, int nint, const int64_t *ints, int x)
{
	return emit_like(z, z->i, z->prefix, element, family, s, nint, ints, 1, x, -1);
}

static int stack(struct closed *z, int i)
{
	const row *r = row_at(z, i);
	int64_t *dim = ARENA_ARRAY(&z->w->p->a, int64_t, r->rank + 1);

	dim[0] = z->c->trips;
	memcpy(dim + 1, r->dim, sizeof *dim * (size_t)r->rank);
	return emit_out(z, -1, "stack-trips", shape_array(&z->w->p->a, (enum etype)r->type, r->rank + 1, dim), 0, NULL, i);
}

/* The first dimension goes to place `to`. */
static int move_first(struct closed *z, int i, int to)
{
	const row *r = row_at(z, i);
	int64_t *dim = ARENA_ARRAY(&z->w->p->a, int64_t, r->rank), *from = ARENA_ARRAY(&z->w->p->a, int64_t, r->rank);
	int k;

	for (k = 0; k < r->rank; k++) {
		from[k] = k < to ? k + 1 : k == to ? 0 : k;
		dim[k] = r->dim[from[k]];
	}
	return emit_out(z, -1, "transpose", shape_array(&z->w->p->a, (enum etype)r->type, r->rank, dim), r->rank, from, i);
}

static int written_out(struct closed *z, int k)
{
	const struct part *p = &z->part[k];
	static const int64_t first[1] = { 0 };
	int i = stack(z, p->gives);

	if (p->back)
		i = emit_out(z, -1, "reverse", shape_like(z, i), 1, first, i);
	if (p->dim)
		i = move_first(z, i, p->dim);
	return emit_out(z, k, "reshape", shape_like(z, p->init), 0, NULL, i);
}

static int added_out(struct closed *z, int k)
{
	const struct part *p = &z->part[k];
	int i = emit_out(z, -1, "over-trips", shape_like(z, p->init), 0, NULL, p->out);

	row_at(z, i)->name = p->op;
	return emit_like(z, z->i, z->prefix, k, p->op, shape_like(z, p->init), 0, NULL, 2, p->init, i);
}

static int last_out(struct closed *z, int k)
{
	int i = stack(z, z->part[k].out), d;
	const row *r = row_at(z, i);
	int64_t *part = ARENA_ARRAY(&z->w->p->a, int64_t, 3 * r->rank), *dim = ARENA_ARRAY(&z->w->p->a, int64_t, r->rank);

	for (d = 0; d < r->rank; d++) {
		dim[d] = d ? r->dim[d] : 1;
		part[3 * d] = r->dim[d] - dim[d];
		part[3 * d + 1] = r->dim[d];
		part[3 * d + 2] = 1;
	}
	i = emit_out(z, -1, "slice", shape_array(&z->w->p->a, (enum etype)r->type, r->rank, dim), 3 * r->rank, part, i);
	return emit_out(z, k, "reshape", shape_like(z, z->part[k].init), 0, NULL, i);
}

static int part_out(struct closed *z, int k)
{
	const struct part *p = &z->part[k];
	struct emit like = emit_start(z->i, z->prefix, "constant");

	switch (p->how) {
	case HANDED:
		return p->init;
	case COUNTED:
		return course_integer(z->w, &like, k, row_at(z, p->init)->type, z->c->first[p->element] + z->c->step[p->element] * z->c->trips);
	case ADDED:
		return added_out(z, k);
	case WRITTEN:
		return written_out(z, k);
	default:
		return last_out(z, k);
	}
}

/* ---- the whole */

val *lower_closed(lowering *w, const inst *i, const val *state, const char *prefix, const comp *body, const course *c, const char **why)
{
	struct closed z = { .w = w, .i = i, .body = body, .state = state, .c = c, .prefix = prefix, .inner = lower_prefix(w, i, prefix),
			    .say = &w->p->a, .why = why };
	int *row, k, n = 0;

	z.n = course_leaves(state);
	z.part = arena_zalloc(&w->p->a, sizeof *z.part * ((size_t)z.n + 1));
	find_parts(&z, state, -1, &n);
	if (w->mapped || c->trips > FAMILY_MAX / (w->p->ndev * w->trips) || !is_closed(&z))
		return NULL;
	lower_trips(&z, w->p);
	if (w->failed || !find_kinds(&z))
		return w->failed ? val_row(w, -1) : NULL;
	for (k = 0; k < z.n; k++)
		if (z.part[k].how == WRITTEN)
			give_part(&z, k);
		else if (z.part[k].how == ADDED)
			give_sum(&z, k);
	row = ARENA_ARRAY(&w->p->a, int, z.n);
	for (k = 0; k < z.n; k++)
		row[k] = part_out(&z, k);
	n = 0;
	return course_with_rows(w, state, row, &n);
}
