#include "pair/pair_in.h"

#include <stdlib.h>
#include <string.h>
#include "pair/whole.h"

/* Words of the cursor, all on the trail. */
enum { AT, ROW_FIRINGS, ROW_WORK, CLAIMED, CURSOR_WORDS };
#define WORD(q, w) VEC_AT(uint32_t, &(q)->cursor, w)
#define CURSOR(q) WORD(q, AT)

/* Work is counted in kilobytes of scratch memory. */
enum { WORK_SHIFT = 10, ROW_WORK_MAX = 400 << 10 };

const row *pair_row(const pair *q, enum program_side side, int r)
{
	return &(side == SIDE_BASE ? q->base : q->dist)->row[r];
}

bool pair_row_of(const pair *q, eg_id t, enum program_side *side, int *row)
{
	uint32_t v = t < q->row_of.n ? VEC_AT(uint32_t, &q->row_of, t) : 0;

	if (!v)
		return false;
	*side = v & 1 ? SIDE_DIST : SIDE_BASE;
	*row = (int)(v >> 1) - 1;
	return true;
}

void pair_note_row(pair *q, eg_id t, enum program_side side, int row)
{
	if (!VEC_AT(uint32_t, &q->row_of, t))
		trail_set32(q->p->a.tr, &VEC_AT(uint32_t, &q->row_of, t), (uint32_t)(row + 1) << 1 | (side == SIDE_DIST));
}

/* ---- what a baseline row is to DIST */

struct whole_row {
	int64_t *dim;
	digit loc[WHOLE_DIGITS];
};

bool pair_whole(const pair *q, int i, row *whole, layout *l, eg_id *core)
{
	algebra *a = &q->p->a;
	const row *r = &q->base->row[i];
	eg_id cell = r->tensor != NIL && r->tensor < eg_nnode(q->p->g) ? laid_cell(a, r->tensor) : NIL;
	struct whole_row *w;

	if (cell == NIL)
		return false;
	*whole = *r;
	*l = layout_of(a, cell);
	*core = eg_args(q->p->g, cell)[0];
	if (!q->base_in)
		return true;
	w = &q->whole[i];
	whole->dim = w->dim;
	return whole_layout(l, w->dim, w->loc, l);
}

/* ---- rows as Tensor nodes */

eg_id pair_tensor(pair *q, eg_fam f, const row *r, int64_t ndev, int nint, const int64_t *ints, const char *name, int nop,
			 const eg_id *arg)
{
	algebra *a = &q->p->a;
	int64_t *shape = ARENA_ARRAY(&a->s.a, int64_t, r->rank + 1);
	eg_val v[4];

	shape[0] = ndev;
	if (r->rank)
		memcpy(shape + 1, r->dim, sizeof *shape * (size_t)r->rank);
	v[0] = ints_type(a, r->type);
	v[1] = val_ints(a, r->rank + 1, shape);
	v[2] = val_ints(a, nint, ints);
	v[3] = val_name(a, name);
	return core_build(a, eg_operator(a->g, f, 4, v), (uint32_t)nop, arg);
}

/* A family the rule files do not declare: all its instructions fall back. */
eg_fam pair_family(pair *q, const char *name)
{
	eg_fam f = eg_family_named(q->p->g, name);
	algebra *a = &q->p->a;

	if (f == NIL) {
		eg_sort val[4] = { a->v_type, a->v_ints, a->v_ints, a->v_name };
		eg_signature s = { arena_strdup(&q->a, name), 4, 0, val, NULL, a->tensor, a->tensor, false };
		f = eg_declare(q->p->g, &s);
	}
	return f;
}

static eg_id *operand_nodes(pair *q, const program *p, const row *r)
{
	eg_id *arg = ARENA_ARRAY(&q->p->a.s.a, eg_id, r->nop);
	int k;

	for (k = 0; k < r->nop; k++)
		arg[k] = p->row[r->op[k]].tensor;
	return arg;
}

static void take_row(pair *q, program *p, int i)
{
	row *r = &p->row[i];
	arena_mark m = arena_at(&q->p->a.s.a);

	if (r->role == ROW_CARRIED) {
		loop_take_carried(q, p, i);
	} else if (r->role == ROW_AFTER) {
		loop_take_after(q, p, i);
	} else if (r->param < 0) {
		const char *name = r->name;
		int nint = r->nint;
		eg_fam f = pair_family(q, r->why ? "unlifted" : r->family);
		if (r->why)	/* what the lowering gave up on is told apart by its fallback key */
			name = p->fallback(p, r).key;
		q->p->a.recording = false;
		r->tensor = pair_tensor(q, f, r, p->ndev * r->trips, nint, r->ints, name, r->nop, operand_nodes(q, p, r));
		normal_ask(&q->p->a, r->tensor);
		pair_note_row(q, r->tensor, p->side, i);
	}
	arena_reset(&q->p->a.s.a, m);
}

eg_id pair_fallback(pair *q, eg_id t)
{
	enum program_side side;
	int i;
	const row *r;
	program *prog;
	row_fallback f;

	if (!pair_row_of(q, t, &side, &i))
		return NIL;
	prog = side == SIDE_BASE ? q->base : q->dist;
	r = &prog->row[i];
	if (r->param >= 0 || (r->role != ROW_PLAIN && side == SIDE_BASE))	/* what it is was given */
		return NIL;
	f = prog->fallback(prog, r);
	q->p->a.recording = false;
	return pair_tensor(q, pair_family(q, f.unique ? "unique" : "opaque-call"), r, prog->ndev * r->trips, f.npass, f.pass, f.key,
			   f.unique ? 0 : r->nop, operand_nodes(q, prog, r));
}

static eg_id fallback(void *ctx, prover *p, eg_id t, const char *why)
{
	(void)p;
	(void)why;
	return pair_fallback(ctx, t);
}

pair *pair_new(prover *p, program *base, program *dist, const mesh *ms, input_relation *in, output_relation *out, input_relation *base_pin)
{
	pair *q = calloc(1, sizeof *q);
	int k;

	if (!q) {
		die_hook("out of memory");
		return NULL;
	}
	arena_init(&q->a);
	q->p = p;
	q->base = base;
	q->dist = dist;
	q->ms = *ms;
	q->base_ms = (mesh){ 0, NULL, 1 };
	q->in = in;
	q->out = out;
	q->base_pin = base_pin;
	q->ninput = dist->nparam;
	q->noutput = dist->nout;
	q->limit = 2000;
	p->a.literals = &base->literals;
	vec_init(&q->row_of, sizeof(uint32_t));
	eg_column(p->g, &q->row_of, NULL);
	vec_init(&q->cursor, sizeof(uint32_t));
	vec_init(&q->closed, sizeof(uint32_t));
	vec_push_n(&q->cursor, CURSOR_WORDS);
	q->goal = ARENA_ARRAY(&q->a, goal, dist->nout);
	for (k = 0; k < dist->nout; k++) {
		goal *g = &q->goal[q->ngoal];
		if (dist->out[k] < 0)
			continue;
		memset(g, 0, sizeof *g);
		g->out = k;
		g->dist_row = dist->out[k];
		g->rel = &out[k];
		g->base_row = out[k].base_row >= 0 ? out[k].base_row
						   : out[k].base >= 0 && out[k].base < base->nout ? base->out[out[k].base] : -1;
		g->want = g->have = NIL;
		g->compared = !out[k].any;
		q->ngoal++;
	}
	p->fallback = fallback;
	p->fallback_ctx = q;
	return q;
}

void pair_relate(pair *q, int n, const row_relation *r, bool *cut_row)
{
	goal *more = ARENA_ARRAY(&q->a, goal, q->ngoal + n);
	int k;

	q->nrelated = n;
	q->related = r;
	q->cut_row = cut_row;
	memcpy(more, q->goal, sizeof *more * (size_t)q->ngoal);
	q->goal = more;
	for (k = 0; k < n; k++)
		if (!r[k].assumed)
			more[q->ngoal++] = (goal){ .out = -1, .base_row = r[k].base_row, .dist_row = r[k].dist_row, .rel = &r[k].rel,
						   .want = NIL, .have = NIL, .bcell = NIL, .dcell = NIL, .compared = !r[k].rel.any,
						   .within = q->dist->row[r[k].dist_row].within >= 0 };
}

void pair_spread_base(pair *q, const mesh *ms, const chain *in, const chain *out)
{
	int k;

	q->base_ms = *ms;
	q->base_in = in;
	q->base_out = out;
	q->global = ARENA_ARRAY(&q->a, row, q->base->nrow);
	for (k = 0; k < q->base->nrow; k++)
		q->global[k].tensor = NIL;
	q->whole = ARENA_ARRAY(&q->a, struct whole_row, q->base->nrow);
	for (k = 0; k < q->base->nrow; k++)
		q->whole[k].dim = ARENA_ARRAY(&q->a, int64_t, q->base->row[k].rank + 1);
}

void pair_free(pair *q)
{
	if (!q)
		return;
	vec_free(&q->row_of);
	vec_free(&q->cursor);
	vec_free(&q->closed);
	arena_free(&q->a);
	free(q);
}

void pair_refused(pair *q, const char *where, const char *why)
{
	const char *t = arena_printf(&q->a, "%s is not carried out: %s", where, why), **list;
	int k;

	for (k = 0; k < q->nrefused; k++)
		if (!strcmp(q->refused[k], t))
			return;
	list = ARENA_ARRAY(&q->a, const char *, q->nrefused + 1);
	for (k = 0; k < q->nrefused; k++)
		list[k] = q->refused[k];
	list[q->nrefused++] = t;
	q->refused = list;
}

const char *pair_guarded(pair *q, const char *(*fn)(pair *q, void *ctx), void *ctx)
{
	algebra *a = &q->p->a;
	arena_mark m = arena_at(&a->s.a);
	const char *why;

	if (setjmp(a->s.out))
		why = arena_strdup(&q->a, a->s.reason);
	else
		why = fn(q, ctx);
	arena_reset(&a->s.a, m);
	return why;
}

static void take_base_row(pair *q, int i)
{
	if (q->cut_row && q->cut_row[i])
		pair_cut_row(q, i);
	else
		take_row(q, q->base, i);
}

void pair_take_rows(pair *q)
{
	int i;

	for (i = 0; i < q->base->nrow; i++)
		take_base_row(q, i);
	for (i = 0; i < q->dist->nrow; i++)
		if (q->dist->row[i].param >= 0)
			pair_param(q, q->dist, i);
		else
			take_row(q, q->dist, i);
}

/* ---- moving */

int pair_position(const pair *q)
{
	return (int)CURSOR(q);
}

int pair_length(const pair *q)
{
	return q->base->nrow + q->dist->nrow + q->ngoal;
}

bool pair_done(const pair *q)
{
	return pair_position(q) == pair_length(q) && normal_idle(&q->p->a) && !pair_loop_due(q);
}

const row *pair_current(const pair *q, const program **prog)
{
	int at = pair_position(q) - 1;

	if (at < 0)
		return NULL;
	if (at < q->base->nrow) {
		*prog = q->base;
		return &q->base->row[at];
	}
	at -= q->base->nrow;
	if (at >= q->dist->nrow)
		return NULL;
	*prog = q->dist;
	return &q->dist->row[at];
}

void pair_row_begins(pair *q)
{
	trail_set32(q->p->a.tr, &WORD(q, ROW_FIRINGS), history_count(&q->p->a));
	trail_set32(q->p->a.tr, &WORD(q, ROW_WORK), 0);
}

/* What a loop has to show is written down, and followed, before anything is concluded from it. */
static bool claims_due(pair *q, int at)
{
	int i = at - q->base->nrow;
	const row *r = i >= 0 && i < q->dist->nrow ? &q->dist->row[i] : NULL;

	if (!r || r->role != ROW_AFTER || WORD(q, CLAIMED) == (uint32_t)r->loop + 1)
		return false;
	trail_set32(q->p->a.tr, &WORD(q, CLAIMED), (uint32_t)r->loop + 1);
	pair_row_begins(q);
	loop_claim(q, r->loop);
	return true;
}

static void take_next(pair *q)
{
	int at = pair_position(q), b = q->base->nrow, d = q->dist->nrow;

	if (claims_due(q, at))
		return;
	trail_set32(q->p->a.tr, &CURSOR(q), (uint32_t)at + 1);
	pair_row_begins(q);
	if (at > b && at <= b + d)	/* the row before is settled now */
		pair_assume_row(q, at - 1 - b);
	if (at < b) {
		take_base_row(q, at);
	} else if (at < b + d) {
		const row *r = &q->dist->row[at - b];
		if (r->param >= 0 && q->in[r->param].base_row >= 0)
			pair_late_param(q, at - b);
		else
			take_row(q, q->dist, at - b);
	} else {
		pair_build_claim(q, &q->goal[at - b - d]);
	}
}

static enum fire_result fire(pair *q)
{
	const uint64_t *taken = &q->p->a.s.a.taken;
	uint64_t before = *taken;
	enum fire_result r = prover_fire(q->p);
	uint32_t work = (uint32_t)((*taken - before) >> WORK_SHIFT);

	if (work)
		trail_set32(q->p->a.tr, &WORD(q, ROW_WORK), WORD(q, ROW_WORK) + work);
	return r;
}

bool pair_over(pair *q)
{
	bool work = WORD(q, ROW_WORK) > ROW_WORK_MAX;
	const program *p;

	if (history_count(&q->p->a) - WORD(q, ROW_FIRINGS) <= q->limit && !work)
		return false;
	q->cut = true;
	q->cut_at = pair_current(q, &p);
	q->cut_by_work = work;
	return true;
}

const char *pair_cut_text(const pair *q, arena *a)
{
	const char *at = q->cut_at ? arena_printf(a, "%%%s", q->cut_at->path) : "the outputs";

	if (q->cut_by_work)
		return arena_printf(a, "%d MiB of tables and scratch memory at %s", ROW_WORK_MAX >> (20 - WORK_SHIFT), at);
	return arena_printf(a, "%llu firings at %s", (unsigned long long)q->limit, at);
}

enum pair_event pair_move(pair *q)
{
	enum fire_result r;

	if (!normal_idle(&q->p->a)) {
		r = fire(q);
		if (r == FIRE_FIRED)
			return PAIR_FIRED;
		if (r == FIRE_NOTHING)
			return PAIR_LIFTING;
	}
	if (pair_loop_again(q))
		return PAIR_LIFTING;
	if (pair_position(q) == pair_length(q))
		return PAIR_DONE;
	take_next(q);
	return PAIR_LIFTING;
}

void pair_run(pair *q)
{
	while (!pair_over(q) && pair_move(q) != PAIR_DONE)
		;
}

static eg_id row_core(algebra *a, const row *r)
{
	eg_id c = r->tensor == NIL || r->tensor >= eg_nnode(a->g) ? NIL : laid_cell(a, r->tensor);

	return c == NIL ? NIL : eg_root(a->g, eg_args(a->g, c)[0]);
}

int pair_related(const pair *q)
{
	algebra *a = &q->p->a;
	uint8_t *base = calloc(eg_nnode(a->g) + 1, 1);
	int n = 0, i;
	eg_id c;

	if (!base)
		die_hook("out of memory");
	for (i = 0; i < q->base->nrow; i++)
		if ((c = row_core(a, &q->base->row[i])) != NIL)
			base[c] = 1;
	for (i = 0; i < q->dist->nrow; i++)
		if ((c = row_core(a, &q->dist->row[i])) != NIL)
			n += base[c];
	free(base);
	return n;
}
