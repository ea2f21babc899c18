/* lower_loop.c - loops (RULES section 5).
 *
 * A loop that the host wants kept is one body: its carried values are rows
 * without operands of the program, the body follows once, and what is carried
 * out are rows of their own (engine/pair/program.h, struct loop).  Carried values that the body hands through
 * are what they were before.  Any other loop is lowered in closed form (lower_closed.c) or unrolled while its condition is
 * a constant, or stands for itself.
 */
#include <stdlib.h>
#include <string.h>
#include "lower/lower_loop.h"

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

enum { COUNTER_MOST = 1 << 30 };

/* The values at the beginning of the next trip; they may be those after the last. */
static void note_steps(course *c, const known *state, int n)
{
	int k;

	for (k = 0; k < n; k++) {
		const known *e = state->elem ? &state->elem[k] : state;
		bool small = e->is && e->v < COUNTER_MOST && e->v > -COUNTER_MOST;
		if (c->trips == 0) {
			c->even[k] = small;
			c->first[k] = e->v;
		} else if (c->trips == 1) {
			c->step[k] = e->v - c->first[k];
		}
		c->even[k] = c->even[k] && small && e->v - c->first[k] == c->trips * c->step[k];
	}
}

static void note_values(course *c, const known *state, int n, bool first)
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
static course run_course(lowering *w, const comp *cond, const comp *body, const val *state, int64_t most)
{
	arena side[2], *out = &w->p->a;
	int n = state->elem ? state->n : 1, now = 0;
	bool tuple = body->param[0]->shape->type == T_TUPLE, *wanted = tuple ? followed(out, cond, body) : NULL;
	course c = { 0, ARENA_ARRAY(out, int64_t, n), ARENA_ARRAY(out, int64_t, n), arena_zalloc(out, (size_t)n + 1),
			    arena_zalloc(out, sizeof(int64_t) * ((size_t)n + 1)), arena_zalloc(out, sizeof(int64_t) * ((size_t)n + 1)),
			    arena_zalloc(out, (size_t)n + 1) };
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
		if (c.trips >= 0)
			note_steps(&c, &s, n);
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

bool course_handed(const comp *body, int k)
{
	const inst *i = body->root;

	if (i->opcode != OP_TUPLE || k >= i->noperand)
		return false;
	i = i->operand[k];
	while (i->opcode == OP_COPY && i->shape->type != T_TUPLE)
		i = i->operand[0];
	return i->opcode == OP_GET_TUPLE_ELEMENT && i->operand[0] == body->param[0] && i->number == k;
}

int course_leaves(const val *v)
{
	int k, n = 0;

	if (!v->elem)
		return v->row >= 0;
	for (k = 0; k < v->n; k++)
		n += course_leaves(v->elem[k]);
	return n;
}

void course_gather(const val *like, const val *v, int *out, int *n)
{
	int k;

	if (!like->elem) {
		if (like->row >= 0)
			out[(*n)++] = v && !v->elem ? v->row : -1;
		return;
	}
	for (k = 0; k < like->n; k++)
		course_gather(like->elem[k], v && v->elem && k < v->n ? v->elem[k] : NULL, out, n);
}

val *course_with_rows(lowering *w, const val *like, const int *row, int *n)
{
	val *v;
	int k;

	if (!like->elem)
		return val_row(w, like->row < 0 ? -1 : row[(*n)++]);
	v = val_tuple(w, like->n);
	for (k = 0; k < like->n; k++)
		v->elem[k] = course_with_rows(w, like->elem[k], row, n);
	return v;
}

static void mark_handed(const comp *body, const val *state, bool *kept)
{
	int k, j, n = 0;

	for (k = 0; state->elem && k < state->n; k++) {
		bool same = course_handed(body, k);
		for (j = course_leaves(state->elem[k]); j > 0; j--)
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
	if (role == ROW_CARRIED)
		r->within = loop;
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
		     .trip = -1, .cond = -1, .init = ARENA_ARRAY(&p->a, int, n), .state = ARENA_ARRAY(&p->a, int, n),
		     .body = ARENA_ARRAY(&p->a, int, n), .after = ARENA_ARRAY(&p->a, int, n),
		     .range = arena_zalloc(&p->a, sizeof *l->range * (size_t)(n + 1)) };
	return p->nloop++;
}

/* Where the values of an integer are known at every trip, and none is negative: one more than the largest. */
static void note_ranges(loop *l, const val *state, const course *c)
{
	int k, n = 0;

	for (k = 0; k < (state->elem ? state->n : 1); k++) {
		const val *e = state->elem ? state->elem[k] : state;
		if (!e->elem && e->row >= 0 && c->trips > 0 && c->known[k] && c->lo[k] >= 0 && c->hi[k] < INT32_MAX)
			l->range[n] = c->hi[k] + 1;
		n += course_leaves(e);
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

/* ---- counters
 *
 * A counter that moves evenly is first + step * trip: where a loop counts down,
 * from one, in steps, or takes several steps of another program at once, all its counters are computed from the number
 * of the trip, which is carried beside them.
 */

struct counters {		/* per array carried */
	bool *is;		/* it is computed */
	int64_t *first, *step;	/* .. first + step * trip; step 0: it is no counter */
	int *element;		/* of the loop's state */
	int trip;		/* the one that is the number of the trip, -1: none */
	bool more;		/* .. it has to be added */
	int next;		/* element by which the next row is named that has no value of the loop to be named by */
};

static bool counts_trips(const program *p, const course *c, const val *e, int k)
{
	return c->first[k] == 0 && c->step[k] == 1 && p->row[e->row].type == T_S32;
}

/* `factor`: the trips that are taken as one. */
static struct counters find_counters(lowering *w, const val *state, const course *c, int factor)
{
	int n = course_leaves(state), k, at = 0;
	size_t wide = sizeof(int64_t) * ((size_t)n + 1);
	struct counters r = { arena_zalloc(&w->p->a, (size_t)n + 1), arena_zalloc(&w->p->a, wide), arena_zalloc(&w->p->a, wide),
			      ARENA_ARRAY(&w->p->a, int, n), -1, false, n + 1 };

	for (k = 0; state->elem && c->trips > 1 && k < state->n; k++) {
		const val *e = state->elem[k];
		bool even = !e->elem && e->row >= 0 && c->even[k] && c->step[k] && etype_is_int((enum etype)w->p->row[e->row].type);
		if (even) {
			r.first[at] = c->first[k];
			r.step[at] = c->step[k];
			r.element[at] = k;
		}
		if (even && factor == 1 && counts_trips(w->p, c, e, k)) {
			if (r.trip < 0)
				r.trip = at;
		} else if (even) {
			r.is[at] = r.more = true;
		}
		at += course_leaves(e);
	}
	r.more = r.more && r.trip < 0;
	if (r.more)
		r.trip = n;
	return r;
}

static int scalar_row(lowering *w, const struct emit *like, int element, const char *family, int type, int x, int y)
{
	struct emit e = *like;
	int *op = ARENA_ARRAY(&w->p->a, int, 2);

	e.family = family;
	e.element = element;
	e.shape = shape_array(&w->p->a, (enum etype)type, 0, NULL);
	op[0] = x;
	op[1] = y;
	e.op = op;
	e.nop = y < 0 ? 1 : 2;
	return lower_emit(w, &e);
}

int course_integer(lowering *w, const struct emit *like, int element, int type, int64_t v)
{
	int64_t *ints = ARENA_ARRAY(&w->p->a, int64_t, 1);
	struct emit e = *like;

	ints[0] = v;
	e.family = "constant";
	e.element = element;
	e.shape = shape_array(&w->p->a, (enum etype)type, 0, NULL);
	e.nint = 1;
	e.ints = ints;
	return lower_emit(w, &e);
}

int course_counter(lowering *w, const struct emit *like, int element, int *next, int type, int trip, int64_t first, int64_t step)
{
	int by;

	if (step != 1) {
		by = course_integer(w, like, (*next)++, type, step);
		trip = scalar_row(w, like, first ? (*next)++ : element, "multiply", type, trip, by);
	}
	if (!first)
		return trip;
	by = course_integer(w, like, (*next)++, type, first);
	return scalar_row(w, like, element, "add", type, trip, by);
}

/* .. of value k, from the number of the trip as it is carried. */
static int counter_row(lowering *w, const struct emit *like, struct counters *cs, int k, int type, int trip, int64_t first, int64_t step)
{
	if (type != T_S32)
		trip = scalar_row(w, like, step == 1 && !first ? k : cs->next++, "convert", type, trip, -1);
	return course_counter(w, like, k, &cs->next, type, trip, first, step);
}

/* ---- one body, continued */

/* Rows at the beginning of a trip; what is handed through needs none, nor does what is computed. */
static void carry_in(lowering *w, int at, const val *state, const comp *body, const char *inner, const struct counters *cs, bool *kept)
{
	struct emit e = emit_start(body->param[0], inner, "carried");
	int k, n = w->p->loop[at].n;

	mark_handed(body, state, kept);
	for (k = 0; k < n; k++) {
		const loop *l = &w->p->loop[at];
		e.element = k;
		e.nop = 1;
		e.op = &l->init[k];
		kept[k] = kept[k] || cs->is[k];
		l->state[k] = kept[k] ? l->init[k] : loop_row(w, &e, ROW_CARRIED, at, k, l->init[k]);
	}
}

/* What body number j of the trip takes: `row` is what is carried so far. */
static val *take_in(lowering *w, int at, const val *state, const comp *body, const char *inner, struct counters *cs, int j, int factor,
		    const int *row)
{
	struct emit e = emit_start(body->param[0], inner, "counter");
	int n = course_leaves(state), *in = ARENA_ARRAY(&w->p->a, int, n), k, m = 0;

	for (k = 0; k < n; k++) {
		const loop *l = &w->p->loop[at];
		in[k] = cs->is[k] ? counter_row(w, &e, cs, k, w->p->row[l->init[k]].type, l->state[cs->trip], cs->first[k] + cs->step[k] * j,
						cs->step[k] * factor)
				  : row[k];
	}
	return course_with_rows(w, state, in, &m);
}

/* Rows at the end of a trip; a value handed through on a way that shows only now is what came in. */
static void end_trip(lowering *w, int at, const val *state, const val *v, bool *kept)
{
	const loop *l = &w->p->loop[at];
	int k, n = 0;

	course_gather(state, v, l->body, &n);
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

/* Does anything take value k of the loop? */
static bool is_taken(const inst *i, int k)
{
	const comp *c = i->parent;
	int n, j;

	if (c->root == i)
		return true;
	for (n = 0; n < c->ninst; n++)
		for (j = 0; j < c->inst[n]->noperand; j++)
			if (c->inst[n]->operand[j] == i && (c->inst[n]->opcode != OP_GET_TUPLE_ELEMENT || c->inst[n]->number == k))
				return true;
	return false;
}

/* What is carried out; counters are numbers then. */
static val *take_out(lowering *w, int at, const inst *i, const char *prefix, const val *state, struct counters *cs, int64_t trips)
{
	struct emit e = emit_start(i, prefix, "constant");
	int n = course_leaves(state), *out = ARENA_ARRAY(&w->p->a, int, n), k, m = 0;

	for (k = 0; k < n; k++) {
		const loop *l = &w->p->loop[at];
		out[k] = l->after[k];
		if (cs->step[k] && is_taken(i, cs->element[k]))
			out[k] = course_integer(w, &e, cs->is[k] ? k : cs->next++, w->p->row[l->init[k]].type, cs->first[k] + cs->step[k] * trips);
	}
	return course_with_rows(w, state, out, &m);
}

/* The loop as it begins: its arrays, and perhaps the number of the trip, before it. */
static int begin_loop(lowering *w, const inst *i, const val *state, const char *prefix, struct counters *cs, const course *c,
		      int factor)
{
	int n = course_leaves(state), at = new_loop(w, i, prefix, n + cs->more), m = 0;
	loop *l = &w->p->loop[at];

	course_gather(state, state, l->init, &m);
	note_ranges(l, state, c);
	l->trips = c->trips < 0 ? -1 : c->trips / factor;
	l->trip = cs->trip;
	if (cs->more) {
		struct emit e = emit_start(i, prefix, "constant");
		l->range[n] = l->trips;
		l->init[n] = course_integer(w, &e, cs->next++, T_S32, 0);
	}
	return at;
}

/* The bodies of one trip, one after another. */
static val *lower_bodies(lowering *w, int at, const inst *i, const val *state, const char *prefix, const comp *body, struct counters *cs,
			 int factor)
{
	arena *a = &w->p->a;
	const char *inner = lower_prefix(w, i, prefix);
	int *row = ARENA_ARRAY(a, int, w->p->loop[at].n), j, m;
	val *in, *v = NULL;

	memcpy(row, w->p->loop[at].state, sizeof *row * (size_t)w->p->loop[at].n);
	for (j = 0; j < factor && !w->failed; j++) {
		if (factor > 1)
			inner = arena_printf(a, "%s%s%s[%d]/", prefix, *prefix ? "%" : "", i->name, j);
		in = take_in(w, at, state, body, inner, cs, j, factor, row);
		v = lower_comp(w, body, &in, inner);
		m = 0;
		if (!w->failed)
			course_gather(state, v, row, &m);
	}
	if (cs->more && !w->failed) {
		struct emit e = emit_start(body->param[0], inner, "add");
		int trip = w->p->loop[at].state[cs->trip], by = course_integer(w, &e, cs->next++, T_S32, 1);
		w->p->loop[at].body[cs->trip] = scalar_row(w, &e, cs->next++, "add", T_S32, trip, by);
	}
	return v;
}

static val *one_body(lowering *w, const inst *i, const val *state, const char *prefix, const comp *cond, const comp *body,
		     const course *c, int factor)
{
	arena *a = &w->p->a;
	struct counters cs = find_counters(w, state, c, factor);
	int at = begin_loop(w, i, state, prefix, &cs, c, factor), outer = w->loop, m = 0;
	bool *kept = arena_zalloc(a, (size_t)w->p->loop[at].n + 1);
	val *v;

	carry_in(w, at, state, body, lower_prefix(w, i, prefix), &cs, kept);
	w->loop = at;
	v = lower_bodies(w, at, i, state, prefix, body, &cs, factor);
	if (!w->failed)
		end_trip(w, at, state, v, kept);
	if (c->trips < 0 && !w->failed) {
		val *carried = course_with_rows(w, state, w->p->loop[at].state, &m);
		v = lower_comp(w, cond, &carried, arena_printf(a, "%s%s%s[condition]/", prefix, *prefix ? "%" : "", i->name));
		w->p->loop[at].cond = v->row;
	}
	w->loop = outer;
	if (!w->failed && !carry_out(w, at, i, prefix, kept)) {	/* shapes were checked: an array comes back as one */
		diag_set(w->err, w->m->file, i->line, i->column, "the body of the loop does not give back what it takes");
		w->failed = true;
	}
	return w->failed ? val_row(w, -1) : take_out(w, at, i, prefix, state, &cs, c->trips);
}

/* ---- all loops */

/* How many trips of a loop that stays are taken as one; 0: it does not stay. */
static int is_kept(const lowering *w, const inst *i)
{
	int k;

	for (k = 0; k < w->nkeep; k++)
		if (w->keep[k].inst == i)
			return w->keep[k].at_once;
	return 0;
}

static bool has_loop(const module *m)
{
	int c, k;

	for (c = 0; c < m->ncomp; c++)
		for (k = 0; k < m->comp[c]->ninst; k++)
			if (m->comp[c]->inst[k]->opcode == OP_WHILE)
				return true;
	return false;
}

enum { UNROLL_ROWS = 32768, UNROLL_STACKED = 8192 };

/* Is a tensor filled trip by trip?  Written out, every trip has a tensor with all parts so far. */
static bool stacks(const comp *body)
{
	int k;

	for (k = 0; k < body->ninst; k++)
		if (body->inst[k]->opcode == OP_DYNAMIC_UPDATE_SLICE || body->inst[k]->opcode == OP_SCATTER)
			return true;
	return false;
}

/* The longest loop of that body that is unrolled: a program without loops has written all of it out, too. */
static int64_t unroll_most(const lowering *w, const comp *body)
{
	int64_t n = (stacks(body) ? UNROLL_STACKED : UNROLL_ROWS) / (body->ninst + 1);

	return w->other && !has_loop(w->other) && n > LOOP_UNROLL ? n : LOOP_UNROLL;
}

val *lower_while(lowering *w, const inst *i, val **arg, const char *prefix)
{
	const comp *cond = inst_comp(i, "condition"), *body = inst_comp(i, "body");
	int kept = w->mapped ? 0 : is_kept(w, i);
	const char *why = "they take what others made";
	val *state = arg[0];
	course c;
	val *closed;
	int k;

	if (!cond || !body || cond->nparam != 1 || body->nparam != 1 || w->depth > 100)
		return emit_plain(w, i, arg, prefix, "a loop that is not understood");
	c = run_course(w, cond, body, state, MAX_TRIPS);
	if (kept)
		return one_body(w, i, state, prefix, cond, body, &c, c.trips > 0 && c.trips % kept == 0 ? kept : 1);
	if (c.trips < 0)
		return emit_plain(w, i, arg, prefix, "the condition of the loop is not a constant");
	closed = c.trips > LOOP_UNROLL ? lower_closed(w, i, state, prefix, body, &c, &why) : NULL;
	if (closed)
		return closed;
	if (c.trips > unroll_most(w, body))
		return emit_plain(w, i, arg, prefix, arena_printf(&w->p->a, "%lld trips are too many to be written out, and %s", (long long)c.trips, why));
	for (k = 0; k < c.trips && !w->failed; k++)
		state = lower_comp(w, body, &state, arena_printf(&w->p->a, "%s%s%s[%d]/", prefix, *prefix ? "%" : "", i->name, k));
	return state;
}
