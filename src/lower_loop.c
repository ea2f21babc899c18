/* lower_loop.c - loops (RULES section 5).
 *
 * A loop that the host wants kept is one body: its carried values are rows
 * without operands of the program, the body follows once, and what is carried
 * out are rows of their own (engine/program.h, struct loop).  Carried values that the body hands through
 * are what they were before.  Any other loop is unrolled while its condition is
 * a constant, or stands for itself.
 */
#include <stdlib.h>
#include <string.h>
#include "lower_in.h"
#include "lower_known.h"

enum { MAX_TRIPS = 1 << 16 };

/* ---- how often */

/* Which instructions the result, or these elements of it, depend on; and which elements of the parameter those read. */
static void want(const comp *c, const bool *need, bool *wanted, bool *read)
{
	const inst *root = c->root;
	int k, j;

	memset(wanted, 0, sizeof *wanted * (size_t)c->ninst);
	wanted[root->index] = true;
	for (k = c->ninst - 1; k >= 0; k--) {
		const inst *i = c->inst[k];
		if (!wanted[k])
			continue;
		if (i->opcode == OP_GET_TUPLE_ELEMENT && i->operand[0] == c->param[0]) {
			read[i->number] = true;
			continue;
		}
		for (j = 0; j < i->noperand; j++)
			if (i != root || i->opcode != OP_TUPLE || !need || need[j])
				wanted[i->operand[j]->index] = true;
	}
	for (k = 0; k < c->param[0]->shape->n && wanted[c->param[0]->index]; k++)
		read[k] = true;
}

/* What is followed from trip to trip: all scalars of integers, and what they and the condition read. */
static bool *followed(arena *a, const comp *cond, const comp *body)
{
	int n = body->param[0]->shape->n, k;
	bool *need = arena_zalloc(a, (size_t)n + 1), *wanted = ARENA_ARRAY(a, bool, body->ninst);
	bool *most = ARENA_ARRAY(a, bool, n + 1), *cw = ARENA_ARRAY(a, bool, cond->ninst);

	for (k = 0; k < n; k++)
		need[k] = known_scalar(body->param[0]->shape->elem[k]);
	want(cond, NULL, cw, need);
	do {
		memcpy(most, need, (size_t)n + 1);
		want(body, need, wanted, need);
	} while (memcmp(most, need, (size_t)n + 1));
	return wanted;
}

struct course {
	int64_t trips;		/* -1: the condition is no constant, or there are too many */
	int64_t *lo, *hi;	/* per element of the state: its least and largest value at the beginning of a trip */
	bool *known;		/* .. and whether it was always known */
};

static void note_values(struct course *c, const known *state, int n, bool first)
{
	int k;

	for (k = 0; k < n; k++) {
		const known *e = state->elem ? &state->elem[k] : state;
		c->known[k] = (first || c->known[k]) && e->is;
		c->lo[k] = first || e->v < c->lo[k] ? e->v : c->lo[k];
		c->hi[k] = first || e->v > c->hi[k] ? e->v : c->hi[k];
	}
}

/* Runs the scalars of the loop. */
static struct course run_course(lowering *w, const comp *cond, const comp *body, const val *state, int64_t most)
{
	arena side[2], *out = &w->p->a;
	int n = state->elem ? state->n : 1, now = 0;
	bool tuple = body->param[0]->shape->type == T_TUPLE, *wanted = tuple ? followed(out, cond, body) : NULL;
	struct course c = { 0, ARENA_ARRAY(out, int64_t, n), ARENA_ARRAY(out, int64_t, n), arena_zalloc(out, (size_t)n + 1) };
	arena_mark begin[2];
	known s, go;

	for (now = 0; now < 2; now++) {
		arena_init(&side[now]);
		begin[now] = arena_at(&side[now]);
	}
	now = 0;
	s = known_of(&side[0], w->p, state);
	for (;; c.trips++) {
		go = known_run(&side[now], cond, &s, NULL);
		if (!go.is || c.trips > most)
			c.trips = -1;
		if (c.trips < 0 || !go.v)
			break;
		note_values(&c, &s, n, c.trips == 0);
		arena_reset(&side[!now], begin[!now]);
		s = known_run(&side[!now], body, &s, wanted);
		now = !now;
	}
	arena_free(&side[0]);
	arena_free(&side[1]);
	return c;
}

/* ---- one body */

/* Does the body give element k back as it came? */
static bool handed_through(const comp *body, int k)
{
	const inst *i = body->root;

	if (i->opcode != OP_TUPLE || k >= i->noperand)
		return false;
	i = i->operand[k];
	while (i->opcode == OP_COPY && i->shape->type != T_TUPLE)
		i = i->operand[0];
	return i->opcode == OP_GET_TUPLE_ELEMENT && i->operand[0] == body->param[0] && i->number == k;
}

static int leaves(const val *v)
{
	int k, n = 0;

	if (!v->elem)
		return v->row >= 0;
	for (k = 0; k < v->n; k++)
		n += leaves(v->elem[k]);
	return n;
}

/* The rows of v where like has rows, in order; -1 where v has none. */
static void gather(const val *like, const val *v, int *out, int *n)
{
	int k;

	if (!like->elem) {
		if (like->row >= 0)
			out[(*n)++] = v && !v->elem ? v->row : -1;
		return;
	}
	for (k = 0; k < like->n; k++)
		gather(like->elem[k], v && v->elem && k < v->n ? v->elem[k] : NULL, out, n);
}

/* like with other rows. */
static val *with_rows(lowering *w, const val *like, const int *row, int *n)
{
	val *v;
	int k;

	if (!like->elem)
		return val_row(w, like->row < 0 ? -1 : row[(*n)++]);
	v = val_tuple(w, like->n);
	for (k = 0; k < like->n; k++)
		v->elem[k] = with_rows(w, like->elem[k], row, n);
	return v;
}

static void mark_handed(const comp *body, const val *state, bool *kept)
{
	int k, j, n = 0;

	for (k = 0; state->elem && k < state->n; k++) {
		bool same = handed_through(body, k);
		for (j = leaves(state->elem[k]); j > 0; j--)
			kept[n++] = same;
	}
}

/* A row of the loop itself: like row o in type and shape. */
static int loop_row(lowering *w, struct emit *e, enum row_role role, int loop, int k, int o)
{
	row *r = &w->p->row[o];
	int i;

	e->shape = shape_array(&w->p->a, (enum etype)r->type, r->rank, r->dim);
	i = lower_emit(w, e);
	r = &w->p->row[i];
	r->role = role;
	r->loop = loop;
	r->carried = k;
	return i;
}

static int new_loop(lowering *w, const inst *i, const char *prefix, int n)
{
	program *p = w->p;
	loop *l;

	if (p->nloop == p->loopcap) {
		loop *old = p->loop;
		p->loopcap = p->loopcap ? 2 * p->loopcap : 8;
		p->loop = ARENA_ARRAY(&p->a, loop, p->loopcap);
		if (p->nloop)
			memcpy(p->loop, old, sizeof *old * (size_t)p->nloop);
	}
	l = &p->loop[p->nloop];
	*l = (loop){ .inst = i, .path = arena_printf(&p->a, "%s%s%s", prefix, *prefix ? "%" : "", i->name), .parent = w->loop, .n = n,
		     .cond = -1, .init = ARENA_ARRAY(&p->a, int, n), .state = ARENA_ARRAY(&p->a, int, n),
		     .body = ARENA_ARRAY(&p->a, int, n), .after = ARENA_ARRAY(&p->a, int, n),
		     .range = arena_zalloc(&p->a, sizeof *l->range * (size_t)(n + 1)) };
	return p->nloop++;
}

/* Where the values of an integer are known at every trip, and none is negative: one more than the largest. */
static void note_ranges(loop *l, const val *state, const struct course *c)
{
	int k, n = 0;

	for (k = 0; k < (state->elem ? state->n : 1); k++) {
		const val *e = state->elem ? state->elem[k] : state;
		if (!e->elem && e->row >= 0 && c->trips > 0 && c->known[k] && c->lo[k] >= 0 && c->hi[k] < INT32_MAX)
			l->range[n] = c->hi[k] + 1;
		n += leaves(e);
	}
}

/* Rows that what is carried out rests on: its own first. */
static int *after_operands(lowering *w, const loop *l, int k, int *count)
{
	int *op = ARENA_ARRAY(&w->p->a, int, 2 * l->n + 1), n = 0, j;

	op[n++] = l->init[k];
	op[n++] = l->body[k];
	for (j = 0; j < l->n; j++)
		if (j != k && l->state[j] != l->init[j])
			op[n++] = l->body[j];
	if (l->cond >= 0)
		op[n++] = l->cond;
	*count = n;
	return op;
}

/* Rows at the beginning of a trip; what is handed through needs none. */
static val *carry_in(lowering *w, int at, const val *state, const comp *body, const char *inner, bool *kept)
{
	const loop *l = &w->p->loop[at];
	struct emit e = emit_start(body->param[0], inner, "carried");
	int k, n = 0;

	mark_handed(body, state, kept);
	for (k = 0; k < l->n; k++) {
		e.element = k;
		e.nop = 1;
		e.op = &l->init[k];
		l->state[k] = kept[k] ? l->init[k] : loop_row(w, &e, ROW_CARRIED, at, k, l->init[k]);
	}
	return with_rows(w, state, l->state, &n);
}

/* Rows at the end of a trip; a value handed through on a way that shows only now is what came in. */
static void end_trip(lowering *w, int at, const val *state, const val *v, bool *kept)
{
	const loop *l = &w->p->loop[at];
	int k, n = 0;

	gather(state, v, l->body, &n);
	for (k = 0; k < l->n; k++) {
		if (!kept[k] && l->body[k] == l->state[k]) {
			kept[k] = true;
			w->p->row[l->state[k]].role = ROW_PLAIN;
			w->p->row[l->state[k]].family = "copy";
			l->state[k] = l->init[k];
		}
		if (kept[k])	/* perhaps as a copy */
			l->body[k] = l->init[k];
	}
}

/* Rows of what is carried out; false: the body does not give back what it takes. */
static bool carry_out(lowering *w, int at, const inst *i, const char *prefix, const bool *kept)
{
	const loop *l = &w->p->loop[at];
	struct emit e = emit_start(i, prefix, "loop");
	int k;

	for (k = 0; k < l->n; k++) {
		if (l->body[k] < 0)
			return false;
		e.element = i->shape->type == T_TUPLE ? k : -1;
		e.op = after_operands(w, l, k, &e.nop);
		l->after[k] = kept[k] ? l->init[k] : loop_row(w, &e, ROW_AFTER, at, k, l->init[k]);
	}
	return true;
}

static val *one_body(lowering *w, const inst *i, const val *state, const char *prefix, const comp *cond, const comp *body,
		     const struct course *c)
{
	arena *a = &w->p->a;
	int n = leaves(state), at = new_loop(w, i, prefix, n), outer = w->loop, m = 0;
	const char *inner = lower_prefix(w, i, prefix);
	bool *kept = arena_zalloc(a, (size_t)n + 1);
	val *carried, *v;

	gather(state, state, w->p->loop[at].init, &m);
	note_ranges(&w->p->loop[at], state, c);
	w->p->loop[at].trips = c->trips;
	carried = carry_in(w, at, state, body, inner, kept);
	w->loop = at;
	v = lower_comp(w, body, &carried, inner);
	end_trip(w, at, state, v, kept);
	if (c->trips < 0 && !w->failed) {
		v = lower_comp(w, cond, &carried, arena_printf(a, "%s%s%s[condition]/", prefix, *prefix ? "%" : "", i->name));
		w->p->loop[at].cond = v->row;
	}
	w->loop = outer;
	if (!w->failed && !carry_out(w, at, i, prefix, kept)) {	/* shapes were checked: an array comes back as one */
		diag_set(w->err, w->m->file, i->line, i->column, "the body of the loop does not give back what it takes");
		w->failed = true;
	}
	m = 0;
	return w->failed ? val_row(w, -1) : with_rows(w, state, w->p->loop[at].after, &m);
}

/* ---- all loops */

static bool is_kept(const lowering *w, const inst *i)
{
	int k;

	for (k = 0; k < w->nkeep; k++)
		if (w->keep[k] == i)
			return true;
	return false;
}

val *lower_while(lowering *w, const inst *i, val **arg, const char *prefix)
{
	const comp *cond = inst_comp(i, "condition"), *body = inst_comp(i, "body");
	bool kept = is_kept(w, i) && !w->mapped;
	val *state = arg[0];
	struct course c;
	int k;

	if (!cond || !body || cond->nparam != 1 || body->nparam != 1 || w->depth > 100)
		return emit_plain(w, i, arg, prefix, "a loop that is not understood");
	c = run_course(w, cond, body, state, kept ? MAX_TRIPS : LOOP_UNROLL);
	if (kept)
		return one_body(w, i, state, prefix, cond, body, &c);
	if (c.trips < 0)
		return emit_plain(w, i, arg, prefix, "the condition of the loop is not a constant");
	for (k = 0; k < c.trips && !w->failed; k++)
		state = lower_comp(w, body, &state, arena_printf(&w->p->a, "%s%s%s[%d]/", prefix, *prefix ? "%" : "", i->name, k));
	return state;
}
