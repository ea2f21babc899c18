#include "pair_in.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "token.h"
#include "whole.h"

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
		r->tensor = pair_tensor(q, f, r, p->ndev, nint, r->ints, name, r->nop, operand_nodes(q, p, r));
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
	return pair_tensor(q, pair_family(q, f.unique ? "unique" : "opaque-call"), r, prog->ndev, f.npass, f.pass, f.key,
			   f.unique ? 0 : r->nop, operand_nodes(q, prog, r));
}

static eg_id fallback(void *ctx, prover *p, eg_id t, const char *why)
{
	(void)p;
	(void)why;
	return pair_fallback(ctx, t);
}

/* ---- parameters */

static eg_id param_tensor(pair *q, program *p, int i)
{
	row *r = &p->row[i];
	int64_t id[3] = { p->side, r->param, r->element };

	r->tensor = pair_tensor(q, pair_family(q, "parameter"), r, p->ndev, 3, id, r->path, 0, NULL);
	pair_note_row(q, r->tensor, p->side, i);
	return r->tensor;
}

layout pair_plain_layout(int64_t ndev, int rank, const int64_t *dim, digit *d)
{
	layout y = { ndev, rank, 1, 1, dim, d, d + 1 };
	int64_t n = 1;
	int k;

	for (k = 0; k < rank; k++)
		n *= dim[k];
	d[0] = (digit){ ndev, 0 };
	d[1] = (digit){ n, 1 };
	return y;
}

static eg_id pinned(pair *q, const program *p, const row *r, const input_relation *in)
{
	algebra *a = &q->p->a;
	digit d[2];
	layout y = pair_plain_layout(p->ndev, r->rank, r->dim, d);
	ix *e = ix_const(&a->s, 0);
	label *dev = label_new(&a->s, p->ndev);
	work *w;
	placed k;

	switch (in->pin) {
	case PIN_ANY:
		d[0].stride = d[1].size;
		return layout_laid(a, &y, core_param(a, r->type, d[1].size * p->ndev,
						     arena_printf(&q->a, "any %s %s", p->side == SIDE_BASE ? "base" : "dist", r->path)));
	case PIN_NUMBER:
		if (!type_is_int(r->type)) {
			number v = literal_number(r->type == T_F32 || r->type == T_F64 ? r->type : T_F64, in->value);
			d[1].stride = 0;
			return layout_laid(a, &y, core_num(a, r->type == T_PRED ? T_PRED : TYPE_REAL, v));
		}
		e = ix_const(&a->s, (int64_t)in->value);
		break;
	case PIN_DEVICE:
		e = ix_of(&a->s, dev, 1);
		break;
	case PIN_AXIS:
		e = mesh_axes(a, p->side == SIDE_BASE ? &q->base_ms : &q->ms, ix_of(&a->s, dev, 1))[in->axis];
		break;
	default:
		break;
	}
	w = work_new(a, C_AT, r->type, 1);
	work_set_free(a, w, 1, &dev);
	w->nslot = 1;
	w->slot[0] = slot_read(core_line(a, type_is_int(r->type) ? r->type : T_S64), e, RAT_ONE);
	k = work_make(a, w);
	if (!type_is_int(r->type)) {
		w = work_new(a, C_MAP, r->type, 1);
		work_set_free(a, w, k.nleaf, k.leaf);
		w->nslot = 1;
		w->slot[0] = slot_read(k.n, placed_ix(a, &k), RAT_ONE);
		w->fn = val_name(a, "convert");
		k = work_make(a, w);
	}
	{
		label *leaf[64];
		int n = label_leaves(dev, leaf, 64), i, j;
		digit *out = ARENA_ARRAY(&a->s.a, digit, n + 1);
		for (i = 0; i < n; i++) {
			for (j = 0; j < k.nleaf && k.leaf[j] != leaf[i]; j++)
				;
			out[i] = (digit){ leaf[i]->n, j < k.nleaf ? k.stride[j] : 0 };
		}
		y.dev = out;
		y.nd = n;
		d[1].stride = 0;
		return layout_laid(a, &y, k.n);
	}
}

/* The core that a baseline parameter is: a new one, or the reduction of the parts a plan speaks of.  Two inputs that
 * hold parts of one value hold other parts: all but the first name theirs after themselves (`holder`). */
static eg_id base_core(pair *q, const mesh *ms, const row *r, int number, int64_t n, const chain *partial, const char *holder, eg_id *parts)
{
	algebra *a = &q->p->a;
	const char *op = NULL, *name = number < 0 ? arena_printf(&q->a, "%%%s", r->path)
				     : r->element < 0 ? arena_printf(&q->a, "input %d", number)
						      : arena_printf(&q->a, "input %d.%d", number, r->element);
	int64_t np = partial ? chain_parts(ms, partial, &op) : 1;

	*parts = NIL;
	if (np == 1)
		return core_param(a, r->type, n, name);
	*parts = core_param(a, r->type, n * np, arena_printf(&q->a, "parts of %s%s%s", name, holder ? " in %" : "", holder ? holder : ""));
	return pair_sum(q, ms, r->type, n, partial, *parts);
}

eg_id pair_sum(pair *q, const mesh *ms, int type, int64_t n, const chain *partial, eg_id parts)
{
	algebra *a = &q->p->a;
	const char *op = "add";
	int64_t np = chain_parts(ms, partial, &op);
	bool add = !strcmp(op, "add");
	label *k, *i;
	work *w;
	rat c;

	k = label_new(&a->s, np);
	k->bound = true;
	i = label_new(&a->s, n);
	w = work_new(a, add ? C_EIN : C_RED, type, 1);
	work_set_free(a, w, 1, &i);
	work_set_bound(a, w, 1, &k);
	w->nslot = 1;
	w->fn = add ? NIL : val_name(a, op);
	w->slot[0] = slot_read(parts, ix_add(&a->s, ix_of(&a->s, k, n), ix_of(&a->s, i, 1)), RAT_ONE);
	c = chain_scale(partial);
	if (rat_is_int(c, 1) || !add || c.num == 0 || !rat_div(&c, RAT_ONE, c))
		return work_result(a, w);
	return result_scaled(a, w, c);
}

static const input_relation *partial_of(const pair *q, int base)
{
	const char *op;
	int k;

	for (k = 0; k < q->ninput; k++)
		if (q->in[k].base == base && q->in[k].base_row < 0 && q->in[k].pin == PIN_NONE && chain_parts(&q->ms, &q->in[k].c, &op) > 1)
			return &q->in[k];
	return NULL;
}

void pair_given(pair *q, eg_id t, eg_id laid)
{
	uint32_t h = history_log(&q->p->a, RULE_GIVEN, t, laid);

	eg_set_firing(q->p->g, h);
	eg_union(q->p->g, t, laid, EG_GIVEN, h);
	normal_firing_origins(&q->p->a, h);
}

static void learn(pair *q, eg_id x, const row *r, const input_relation *pin)
{
	if (pin && pin->positive)
		facts_learn(&q->p->a, x, FACT_NONNEG | FACT_POSITIVE);
	if (pin && pin->nonzero)
		facts_learn(&q->p->a, x, FACT_NONZERO);
	if (pin && pin->has_range && pin->lo >= 0 && type_is_int(r->type) && core_kind(&q->p->a, x) == C_PARAM)
		facts_range(&q->p->a, x, pin->hi + 1);
}

/* A parameter of a distributed baseline: the global tensor as a node of its own, and what the devices hold of it. */
static const char *start_spread_param(pair *q, int i)
{
	static const chain whole = { 0, NULL, "R" };
	algebra *a = &q->p->a;
	row *r = &q->base->row[i], *g = &q->global[i];
	const chain *c = r->element < 0 ? &q->base_in[r->param] : &whole;
	const input_relation *part = partial_of(q, r->param);
	int64_t *dim, id[3] = { 2, r->param, r->element };
	digit d[2];
	layout y;
	eg_id x, parts;
	const char *why, *op;
	bool own;

	*g = *r;
	if ((why = whole_shape(&q->a, &q->base_ms, c, r->rank, r->dim, &g->rank, &dim)))
		return why;
	g->dim = dim;
	history_begin(a);
	g->tensor = pair_tensor(q, pair_family(q, "parameter"), g, 1, 3, id, r->path, 0, NULL);
	y = pair_plain_layout(1, g->rank, g->dim, d);
	own = chain_parts(&q->base_ms, c, &op) > 1;	/* else it is the parts that DIST has, if it has parts */
	x = base_core(q, own ? &q->base_ms : &q->ms, r, r->param, d[1].size, own ? c : part ? &part->c : NULL, NULL, &parts);
	pair_given(q, g->tensor, layout_laid(a, &y, x));
	history_begin(a);
	history_premise(a, g->tensor, laid_cell(a, g->tensor));
	x = own ? parts : x;
	pair_given(q, r->tensor, chain_apply(a, &q->base_ms, c, r->type, &y, x, g->rank, g->dim, r->rank, r->dim, r->path));
	learn(q, x, r, &q->base_pin[r->param]);
	return NULL;
}

static void pinned_token(pair *q, const row *r, const input_relation *in)
{
	if (in->pin == PIN_NUMBER && in->value == 0 && type_is_float(r->type) && row_elements(r) == 1)
		token_input(&q->p->a, r->tensor);
}

static const char *start_base_param(pair *q, int i)
{
	algebra *a = &q->p->a;
	program *p = q->base;
	row *r = &p->row[i];
	const input_relation *part = partial_of(q, r->param), *pin = q->base_pin ? &q->base_pin[r->param] : NULL;
	digit d[2];
	layout y;
	eg_id parts, x;

	param_tensor(q, p, i);
	history_begin(a);
	if (pin && pin->pin != PIN_NONE) {
		pair_given(q, r->tensor, pinned(q, p, r, pin));
		pinned_token(q, r, pin);
		return NULL;
	}
	if (q->base_in)
		return start_spread_param(q, i);
	y = pair_plain_layout(1, r->rank, r->dim, d);
	x = base_core(q, &q->ms, r, r->param, d[1].size, part ? &part->c : NULL, NULL, &parts);
	pair_given(q, r->tensor, layout_laid(a, &y, x));
	learn(q, x, r, pin);
	return NULL;
}

/* A row of the baseline that is cut: what a parameter with arbitrary values is. */
static void cut_row(pair *q, int i)
{
	const input_relation any = { .base = -1, .base_row = -1, .pin = PIN_ANY };
	row *r = &q->base->row[i];
	int64_t id[3] = { SIDE_BASE, -1, i };

	r->tensor = pair_tensor(q, pair_family(q, "parameter"), r, q->base->ndev, 3, id, r->path, 0, NULL);
	pair_note_row(q, r->tensor, SIDE_BASE, i);
	history_begin(&q->p->a);
	pair_given(q, r->tensor, pinned(q, q->base, r, &any));
}

static int base_row_of_param(const pair *q, int number, int element)
{
	int k;

	if (element < 0 && number >= 0 && number < q->base->nparam && q->base->param[number] >= 0)
		return q->base->param[number];
	for (k = 0; k < q->base->nrow; k++)
		if (q->base->row[k].param == number && (q->base->row[k].element == element || element < 0))
			return k;
	return -1;
}

/* Why the chain does not lead from b's shape and type to d's, or NULL. */
const char *pair_misfit(pair *q, const chain *c, const row *b, const row *d)
{
	algebra *a = &q->p->a;
	int rank, k, type = chain_type(c, b->type);
	int64_t *dim = chain_shape(a, &q->ms, c, b->rank, b->dim, &rank);

	for (k = 0; k < rank && rank == d->rank && dim[k] == d->dim[k]; k++)
		;
	if (rank != d->rank || k < rank) {
		shape s = { .type = (enum etype)type, .rank = rank, .dim = dim }, t = { .type = (enum etype)d->type, .rank = d->rank, .dim = d->dim };
		return arena_printf(&q->a, "that gives shape %s, %%%s has %s", shape_text(&a->s.a, &s), d->path, shape_text(&a->s.a, &t));
	}
	if (type != d->type)
		return arena_printf(&q->a, "the plan gives %s, %%%s has %s: `convert(%s)` would say so", etype_name((enum etype)type), d->path,
				    etype_name((enum etype)d->type), etype_name((enum etype)d->type));
	return NULL;
}

static eg_id converted(algebra *a, eg_id x, int type)
{
	work *w = work_new(a, C_MAP, type, 1);
	label *i = label_new(&a->s, core_len(a, x));

	work_set_free(a, w, 1, &i);
	w->nslot = 1;
	w->slot[0] = slot_read(x, ix_of(&a->s, i, 1), RAT_ONE);
	w->fn = val_name(a, "convert");
	return work_result(a, w);
}

/* The hypothesis that an input in another element type stands for: it holds the baseline's values exactly, so that the conversion
 * there and back is none. */
static void lossless(pair *q, eg_id x, int type)
{
	algebra *a = &q->p->a;
	eg_id back = converted(a, converted(a, x, type), core_type(a, x));

	if (eg_root(a->g, back) != eg_root(a->g, x))
		prover_assume(q->p, back, x);
}

/* Row i, a parameter, from a form of the baseline's row b. */
static const char *give_dist_param(pair *q, int i, const row *b, eg_id cell)
{
	algebra *a = &q->p->a;
	row *r = &q->dist->row[i];
	const input_relation *in = &q->in[r->param];
	eg_id x = eg_args(a->g, cell)[0], parts = NIL;
	layout y = layout_of(a, cell);
	int k;
	const char *op, *why;

	history_begin(a);
	history_premise(a, b->tensor, cell);
	if ((why = pair_misfit(q, &in->c, b, r)))
		return why;
	if (chain_parts(&q->ms, &in->c, &op) > 1) {
		digit d[2];
		layout plain = pair_plain_layout(1, b->rank, b->dim, d);
		bool own = in->base_row >= 0 || (q->base_in && chain_parts(&q->base_ms, &q->base_in[in->base], &op) > 1) || partial_of(q, in->base) != in;
		eg_id whole = base_core(q, &q->ms, b, b->param, d[1].size, &in->c, own ? r->path : NULL, &parts);
		if (own)	/* of an inner value: that these are its parts is part of the hypothesis */
			pair_given(q, cell, layout_laid(a, &plain, whole));
		history_begin(a);
		y = plain;
		x = parts;
	}
	pair_given(q, r->tensor, chain_apply(a, &q->ms, &in->c, r->type, &y, x, b->rank, b->dim, r->rank, r->dim, r->path));
	if (chain_type(&in->c, b->type) != b->type || r->type != b->type)
		lossless(q, x, r->type);
	for (k = 0; k < in->c.n && in->c.step[k].kind != CHAIN_TAKE && in->c.step[k].kind != CHAIN_IGNORE; k++)
		;
	if (k < in->c.n)	/* else every place of x is held by some device */
		return NULL;
	if (in->positive && (x == parts || chain_scale(&in->c).num > 0))
		facts_learn(a, x, FACT_NONNEG | FACT_POSITIVE);
	if (in->has_range && in->lo >= 0 && rat_is_int(chain_scale(&in->c), 1) && type_is_int(r->type) && core_kind(a, x) == C_PARAM)
		facts_range(a, x, in->hi + 1);
	return NULL;
}

static const char *start_dist_param(pair *q, int i)
{
	algebra *a = &q->p->a;
	program *p = q->dist;
	row *r = &p->row[i], *b;
	const input_relation *in = &q->in[r->param];
	eg_id cell;
	int br;

	param_tensor(q, p, i);
	if (in->pin != PIN_NONE) {
		history_begin(a);
		pair_given(q, r->tensor, pinned(q, p, r, in));
		pinned_token(q, r, in);
		return NULL;
	}
	br = in->base_row >= 0 ? in->base_row : base_row_of_param(q, in->base, r->element);
	if (br < 0)
		return "the baseline has no such parameter";
	b = q->base_in ? &q->global[br] : &q->base->row[br];
	if (b->tensor == NIL)	/* pinned: the baseline has no global tensor for it */
		return "the baseline's parameter is pinned: say what this one is";
	cell = laid_cell(a, b->tensor);
	return cell == NIL ? "the baseline's value is not taken up yet" : give_dist_param(q, i, b, cell);
}

static bool not_started(pair_refusal *no, int what, int k, const char *why)
{
	*no = (pair_refusal){ .what = what, .k = k, .why = why };
	return false;
}

static bool start_dist_params(pair *q, pair_refusal *no)
{
	algebra *a = &q->p->a;
	const char *why;
	volatile int i;	/* lives across longjmp */

	for (i = 0; i < q->dist->nrow; i++) {
		const row *r = &q->dist->row[i];
		if (r->param < 0 || q->in[r->param].base_row >= 0)
			continue;
		if (setjmp(a->s.out))
			why = a->s.reason;
		else
			why = start_dist_param(q, i);
		if (why)
			return not_started(no, REFUSED_INPUT, r->param, why);
		prover_run(q->p, q->limit);
	}
	return true;
}

/* The chain without its PARTIAL steps, which say over what the family is reduced before it is compared. */
static chain whole_chain(arena *out, const chain *c)
{
	chain_step *step = ARENA_ARRAY(out, chain_step, c->n);
	chain rest = { .text = c->text, .step = step };
	int k;

	for (k = 0; k < c->n; k++)
		if (c->step[k].kind != CHAIN_PARTIAL)
			step[rest.n++] = c->step[k];
	return rest;
}

static bool start_base_params(pair *q, pair_refusal *no)
{
	algebra *a = &q->p->a;
	const char *why;
	volatile int i;	/* lives across longjmp */

	for (i = 0; i < q->base->nrow; i++) {
		if (q->base->row[i].param < 0)
			continue;
		if (setjmp(a->s.out))
			why = a->s.reason;
		else
			why = start_base_param(q, i);
		if (why)
			return not_started(no, REFUSED_BASE_INPUT, q->base->row[i].param, why);
	}
	return true;
}

static bool start_params(pair *q, pair_refusal *no)
{
	if (!start_base_params(q, no))
		return false;
	prover_run(q->p, q->limit);
	return start_dist_params(q, no);
}

/* What is said of inner values is checked before anything runs. */
static bool check_inner(pair *q, pair_refusal *no)
{
	int i, k;
	const char *why;

	for (i = 0; i < q->dist->nrow; i++) {
		const row *r = &q->dist->row[i];
		const input_relation *in = r->param < 0 ? NULL : &q->in[r->param];
		if (in && in->base_row >= 0 && (why = pair_misfit(q, &in->c, &q->base->row[in->base_row], r)))
			return not_started(no, REFUSED_INPUT, r->param, why);
	}
	for (k = 0; k < q->nrelated; k++) {
		const row_relation *r = &q->related[k];
		why = pair_misfit(q, &r->rel.c, &q->base->row[r->base_row], &q->dist->row[r->dist_row]);
		if (why)
			return not_started(no, REFUSED_ROW, k, why);
	}
	return true;
}

/* What the plan says of inner values is carried out on the way: where it cannot be, that is kept, once. */
static void refused(pair *q, const char *where, const char *why)
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

/* A parameter that holds an inner value of the baseline is related once that is lifted. */
static void late_param(pair *q, int i)
{
	algebra *a = &q->p->a;
	const char *why;

	if (setjmp(a->s.out))
		why = a->s.reason;
	else
		why = start_dist_param(q, i);
	if (why)
		refused(q, q->in[q->dist->row[i].param].where, why);
}

bool pair_start(pair *q, pair_refusal *no)
{
	arena_mark m = arena_at(&q->p->a.s.a);
	bool started = check_inner(q, no) && start_params(q, no);

	trail_set32(q->p->a.tr, &WORD(q, ROW_FIRINGS), history_count(&q->p->a));
	arena_reset(&q->p->a.s.a, m);
	return started;
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
						   .want = NIL, .have = NIL, .bcell = NIL, .dcell = NIL, .compared = true };
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

/* ---- hypotheses */

/* The two nodes that a hypothesis makes equal, from forms of both rows (dcell: NIL when nothing is reduced). */
static const char *assumed_nodes(pair *q, int base_row, int dist_row, const chain *c, eg_id cell, eg_id dcell, eg_id node[2])
{
	algebra *a = &q->p->a;
	const row *b = &q->base->row[base_row], *d = &q->dist->row[dist_row];
	layout y = layout_of(a, cell);
	const char *op, *why = pair_misfit(q, c, b, d);
	bool partial = chain_parts(&q->ms, c, &op) > 1;
	chain rest = whole_chain(&a->s.a, c);

	if (why)
		return why;
	if (partial && dcell == NIL)
		return arena_printf(&q->a, "%%%s is not taken up yet", d->path);
	history_begin(a);
	history_premise(a, b->tensor, cell);
	node[0] = d->tensor;
	if (partial) {
		history_premise(a, d->tensor, dcell);
		node[0] = pair_reduced(q, c, dist_row, dcell);
	}
	node[1] = chain_apply(a, &q->ms, &rest, d->type, &y, eg_args(a->g, cell)[0], b->rank, b->dim, d->rank, d->dim, d->path);
	return NULL;
}

static const char *assume(pair *q, int base_row, int dist_row, const chain *c, uint32_t *firing)
{
	prover *p = q->p;
	algebra *a = &p->a;
	const row *b = &q->base->row[base_row], *d = &q->dist->row[dist_row];
	eg_id cell = b->tensor == NIL ? NIL : laid_cell(a, b->tensor), node[2];
	const char *why;

	if (q->base_in)
		return "the baseline is a distributed program: only its inputs and outputs are related to other tensors";
	if (cell == NIL || d->tensor == NIL)
		return arena_printf(&q->a, "%%%s is not taken up yet", d->tensor == NIL ? d->path : b->path);
	if ((why = assumed_nodes(q, base_row, dist_row, c, cell, laid_cell(a, d->tensor), node)))
		return why;
	if (eg_root(a->g, node[0]) == eg_root(a->g, node[1]))
		return "it is known already";
	*firing = history_log(a, RULE_ASSUMED, node[0], node[1]);
	eg_set_firing(p->g, *firing);
	eg_union(p->g, node[0], node[1], EG_ASSUMED, *firing);
	normal_firing_origins(a, *firing);
	p->fired++;
	return NULL;
}

/* Builds by fn(q, ctx); what `stuck` says, or NULL. */
static const char *guarded(pair *q, const char *(*fn)(pair *q, void *ctx), void *ctx)
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

struct assumption {
	int base_row, dist_row;
	const chain *c;
	uint32_t *firing;
};

static const char *assume_guarded(pair *q, void *ctx)
{
	const struct assumption *x = ctx;

	return assume(q, x->base_row, x->dist_row, x->c, x->firing);
}

const char *pair_assume(pair *q, int base_row, int dist_row, const chain *c, uint32_t *firing)
{
	struct assumption x = { base_row, dist_row, c, firing };

	return guarded(q, assume_guarded, &x);
}

/* What a plan assumes of row i of the distributed program, which is lifted. */
static void assume_row(pair *q, int i)
{
	const char *why;
	uint32_t f;
	int k;

	for (k = 0; k < q->nrelated; k++)
		if (q->related[k].assumed && q->related[k].dist_row == i &&
		    (why = pair_assume(q, q->related[k].base_row, i, &q->related[k].rel.c, &f)))
			refused(q, q->related[k].rel.where, why);
}

/* ---- goals */

/* A row of a program on a mesh, reduced over the axes of the PARTIAL steps of c. */
static eg_id reduced(pair *q, const mesh *ms, const chain *c, const row *r, eg_id cell)
{
	algebra *a = &q->p->a;
	scratch *s = &a->s;
	layout y = layout_of(a, cell), z;
	label *dev = label_new(s, ms->ndev), *i = label_new(s, layout_elements(&y)), **bound = ARENA_ARRAY(&s->a, label *, c->n);
	ix **axis = mesh_axes(a, ms, ix_of(s, dev, 1));
	const char *op = NULL;
	int k, nb = 0;
	work *w;
	placed p;
	digit *dd = ARENA_ARRAY(&s->a, digit, 64), *ld = ARENA_ARRAY(&s->a, digit, 64);
	label *free[2] = { dev, i };

	for (k = 0; k < c->n; k++)
		if (c->step[k].kind == CHAIN_PARTIAL) {
			bound[nb] = label_new(s, ms->axis[c->step[k].axis].size);
			bound[nb]->bound = true;
			axis[c->step[k].axis] = ix_of(s, bound[nb++], 1);
			op = c->step[k].op;
		}
	w = work_new(a, !strcmp(op, "add") ? C_EIN : C_RED, r->type, 1);
	w->fn = !strcmp(op, "add") ? NIL : val_name(a, op);
	work_set_free(a, w, 2, free);
	work_set_bound(a, w, nb, bound);
	w->nslot = 1;
	w->slot[0] = slot_read(eg_args(a->g, cell)[0], layout_read(a, &y, mesh_device(a, ms, axis), ix_of(s, i, 1)), RAT_ONE);
	p = work_make(a, w);
	z = y;
	z.nd = placed_digits(&p, 1, &free[0], dd);
	z.nl = placed_digits(&p, 1, &free[1], ld);
	z.dev = dd;
	z.loc = ld;
	return layout_laid(a, &z, p.n);
}

eg_id pair_reduced(pair *q, const chain *c, int dist_row, eg_id cell)
{
	return reduced(q, &q->ms, c, &q->dist->row[dist_row], cell);
}

static eg_id read_tensor(pair *q, eg_id cell, label *dev, int rank, label **dl, const int64_t *dim, ix *at)
{
	algebra *a = &q->p->a;
	eg_id x = eg_args(a->g, cell)[0];
	lift l = { .a = a, .type = core_type(a, x), .ndev = dev->n, .rank = rank, .dim = dim };
	operand_form o = { .x = x, .type = core_type(a, x) };
	frame_of f = { dev, dl, NULL, NULL };

	l.op = &o;
	l.nop = 1;
	return lift_moved(&l, 0, at, &f);
}

/* What a goal compares with: the baseline's output, on one device.  A distributed baseline's is put together of what its devices
 * hold, once for every choice of replicas (`copies`, a dimension of their own in front when there are several): that these
 * agree is part of the claim. */
typedef struct compared {
	eg_id cell;
	row r;
	int64_t copies;
} compared;

/* Coordinates of the axes that the chain leaves free, as digits of `copy`; the others are 0. */
static ix **free_axes(pair *q, const chain *c, label *copy, bool *bound)
{
	scratch *s = &q->p->a.s;
	const mesh *ms = &q->base_ms;
	int64_t *size = ARENA_ARRAY(&s->a, int64_t, ms->n);
	ix **axis;
	int k;

	for (k = 0; k < ms->n; k++)
		size[k] = bound[k] ? 1 : ms->axis[k].size;
	axis = ix_digits(s, ix_of(s, copy, 1), ms->n, size);
	for (k = 0; k < c->n; k++)
		if (c->step[k].kind == CHAIN_SHARD || c->step[k].kind == CHAIN_PARTIAL)
			axis[c->step[k].axis] = ix_const(s, 0);
	return axis;
}

static const char *put_together(pair *q, const chain *c, const row *b, eg_id cell, compared *v)
{
	algebra *a = &q->p->a;
	scratch *s = &a->s;
	const mesh *ms = &q->base_ms;
	bool *bound = arena_zalloc(&s->a, (size_t)ms->n + 1);
	label **l;
	ix **e;
	int64_t *dim, *over;
	int k, rank, first;
	chain rest = whole_chain(&s->a, c);
	const char *why, *op;
	chain_held h;
	layout y;

	for (k = 0; k < c->n; k++) {
		if (c->step[k].kind == CHAIN_SHARD || c->step[k].kind == CHAIN_PARTIAL)
			bound[c->step[k].axis] = true;
		else if (c->step[k].kind != CHAIN_TRANSPOSE)
			return "an output of a distributed baseline is related by placements and transpose";
	}
	if ((why = whole_shape(&q->a, ms, c, b->rank, b->dim, &rank, &dim)))
		return why;
	if (chain_parts(ms, c, &op) > 1)
		cell = reduced(q, ms, c, b, cell);
	for (v->copies = 1, k = 0; k < ms->n; k++)
		v->copies *= bound[k] ? 1 : ms->axis[k].size;
	first = v->copies > 1;
	l = ARENA_ARRAY(&s->a, label *, rank + 1);
	e = ARENA_ARRAY(&s->a, ix *, rank + 1);
	over = ARENA_ARRAY(&q->a, int64_t, rank + 1);
	l[0] = label_new(s, v->copies);
	over[0] = v->copies;
	for (k = 0; k < rank; k++) {
		over[first + k] = dim[k];
		l[first + k] = label_new(s, dim[k]);
		e[k] = ix_of(s, l[first + k], 1);
	}
	h = chain_forward(a, ms, &rest, rank, dim, e, free_axes(q, c, first ? l[0] : label_new(s, 1), bound));
	y = layout_of(a, cell);
	v->cell = read_tensor(q, cell, label_new(s, 1), first + rank, l, over, layout_read(a, &y, h.r, flat_index(a, b->rank, b->dim, h.e)));
	v->r = *b;
	v->r.rank = rank;
	v->r.dim = dim;
	return v->cell == NIL ? "what its devices hold is not put together" : NULL;
}

static const char *compared_with(pair *q, const goal *g, compared *v)
{
	*v = (compared){ g->bcell, q->base->row[g->base_row], 1 };
	if (!q->base_in)
		return NULL;
	if (g->rel->base < 0 || g->rel->base_row >= 0)
		return "the baseline is a distributed program: only its inputs and outputs are related to other tensors";
	return put_together(q, &q->base_out[g->rel->base], &q->base->row[g->base_row], g->bcell, v);
}

/* The steps of a chain that change values and move nothing. */
static chain value_steps(arena *out, const chain *c)
{
	chain_step *step = ARENA_ARRAY(out, chain_step, c->n);
	chain v = { .text = c->text, .step = step };
	int k;

	for (k = 0; k < c->n; k++)
		if (c->step[k].kind == CHAIN_SCALE || c->step[k].kind == CHAIN_CONVERT)
			step[v.n++] = c->step[k];
	return v;
}

/* A tensor on the devices of DIST and the baseline's places, but at the places that are ignored a value of its own. */
static eg_id ignoring(pair *q, eg_id laid, const chain_place *p, label *dev, int rank, label **l, const int64_t *dim, const char *name)
{
	algebra *a = &q->p->a;
	scratch *s = &a->s;
	layout y = layout_of(a, laid);
	eg_id x = eg_args(a->g, laid)[0];
	ix **e = ARENA_ARRAY(&s->a, ix *, rank);
	label **all = ARENA_ARRAY(&s->a, label *, rank + 1);
	lift f = { .a = a, .type = core_type(a, x), .ndev = q->ms.ndev, .rank = rank, .dim = dim };
	frame_of frame = { dev, l, NULL, NULL };
	slot t;
	work *w;
	int k;

	all[0] = dev;
	for (k = 0; k < rank; k++) {
		all[1 + k] = l[k];
		e[k] = ix_of(s, l[k], 1);
	}
	t = slot_read(x, layout_read(a, &y, ix_of(s, dev, 1), flat_index(a, rank, dim, e)), RAT_ONE);
	t = chain_tested(a, p, t, core_type(a, x), rank + 1, all, name);
	w = lift_work(&f, C_AT, NULL, 1, &frame);
	w->type = core_type(a, t.x);
	w->slot[0] = t;
	return lift_finish(&f, w, &frame);
}

/* The tests of IGNORE steps, at the places where the baseline's are held. */
static chain_place ignored(pair *q, const chain *c, const row *b, const chain_held *h)
{
	algebra *a = &q->p->a;
	chain_place p = chain_back(a, &q->ms, c, b->rank, b->dim, h->r, h->e);
	int k, n = 0;

	for (k = 0; k < p.ntest; k++)
		if (c->step[p.test[k].id].kind == CHAIN_IGNORE)
			p.test[n++] = p.test[k];
	p.ntest = n;
	return p;
}

/* Where the relation leaves places arbitrary, or orders them through a table, or cuts the baseline's core across its digits,
 * both are read at the baseline's places. */
static void forward_goal(pair *q, goal *g, const compared *v, eg_id dcell)
{
	algebra *a = &q->p->a;
	scratch *s = &a->s;
	const row *b = &v->r, *d = &q->dist->row[g->dist_row];
	label *dev = label_new(s, q->ms.ndev), **l = ARENA_ARRAY(&s->a, label *, b->rank);
	ix **e = ARENA_ARRAY(&s->a, ix *, b->rank), **axis;
	layout yb = layout_of(a, v->cell), yd;
	chain values = value_steps(&s->a, &g->rel->c);
	chain_place p;
	chain_held h;
	int k;

	for (k = 0; k < b->rank; k++) {
		l[k] = label_new(s, b->dim[k]);
		e[k] = ix_of(s, l[k], 1);
	}
	axis = mesh_axes(a, &q->ms, ix_of(s, dev, 1));
	h = chain_forward(a, &q->ms, &g->rel->c, b->rank, b->dim, e, axis);
	yd = layout_of(a, dcell);
	g->have = read_tensor(q, dcell, dev, b->rank, l, b->dim, layout_read(a, &yd, h.r, flat_index(a, d->rank, d->dim, h.e)));
	g->want = chain_apply(a, &q->ms, &values, b->type, &yb, eg_args(a->g, v->cell)[0], b->rank, b->dim, b->rank, b->dim, d->path);
	p = ignored(q, &g->rel->c, b, &h);
	if (p.ntest) {
		g->have = ignoring(q, g->have, &p, dev, b->rank, l, b->dim, d->path);
		g->want = ignoring(q, g->want, &p, dev, b->rank, l, b->dim, d->path);
	}
}

/* How the places of a relation are compared. */
typedef struct places_kind {
	bool arbitrary, zero;		/* some hold anything; some hold zeros */
	bool segments, backward;	/* segments are sharded; a step that is not read forward */
} places_kind;

static places_kind places_of(const chain *c)
{
	places_kind p = { false, false, false, false };
	int k;

	for (k = 0; k < c->n; k++) {
		const chain_step *s = &c->step[k];
		p.arbitrary = p.arbitrary || (s->kind == CHAIN_PAD && !s->zero) || s->kind == CHAIN_IGNORE;
		p.zero = p.zero || (s->kind == CHAIN_PAD && s->zero);
		p.segments = p.segments || (s->kind == CHAIN_SHARD && s->n);
		p.backward = p.backward || s->kind == CHAIN_REPEAT || s->kind == CHAIN_TAKE;
	}
	return p;
}

static const char *not_compared(const places_kind *p, int64_t copies)
{
	if (p->arbitrary && p->zero)
		return "zeros and arbitrary places in one relation are not compared";
	if (p->arbitrary && p->backward)
		return "arbitrary places behind repeat or take are not compared";
	if (p->arbitrary && copies > 1)
		return "arbitrary places are not compared with several replicas of the baseline";
	return NULL;
}

/* The same tensor once more for every copy, in a dimension in front. */
static eg_id repeated(pair *q, eg_id cell, int64_t copies)
{
	algebra *a = &q->p->a;
	layout y = layout_of(a, cell);
	eg_id x = eg_args(a->g, cell)[0];
	int64_t *dim = ARENA_ARRAY(&a->s.a, int64_t, y.rank + 1);
	digit *loc = ARENA_ARRAY(&a->s.a, digit, y.nl + 1);
	int k;

	dim[0] = copies;
	for (k = 0; k < y.rank; k++)
		dim[1 + k] = y.dim[k];
	loc[0] = (digit){ copies, 0 };
	for (k = 0; k < y.nl; k++)
		loc[1 + k] = y.loc[k];
	y.rank++;
	y.dim = dim;
	y.nl++;
	y.loc = loc;
	return layout_laid(a, &y, x);
}

static bool through_table(const algebra *a, eg_id core)
{
	return core_kind(a, core) == C_AT && reads_tables(a, core);
}

/* Shards that cut the baseline's core across its digits: a layout cannot say so, and a table would have to. */
static bool across_digits(const algebra *a, eg_id bcell, eg_id want)
{
	return through_table(a, eg_args(a->g, want)[0]) && !through_table(a, normal_node(a, eg_args(a->g, bcell)[0]));
}

/* The goal's nodes from its two forms. */
static void build_goal_on(pair *q, goal *g, eg_id bcell, eg_id dcell)
{
	algebra *a = &q->p->a;
	const row *b, *d = &q->dist->row[g->dist_row];
	eg_id have;
	layout y;
	compared v;
	int64_t *bdim, *ddim;
	int k, first;
	const char *op;
	places_kind places;
	bool partial;
	chain c = g->rel->c, rest;

	g->bcell = bcell;
	g->dcell = dcell;
	if ((g->why = compared_with(q, g, &v)))
		return;
	b = &v.r;
	places = places_of(&c);
	if ((g->why = not_compared(&places, v.copies)))
		return;
	if ((g->why = pair_misfit(q, &c, b, d)))
		return;
	partial = chain_parts(&q->ms, &c, &op) > 1;
	have = partial ? pair_reduced(q, &c, g->dist_row, dcell) : d->tensor;
	rest = whole_chain(&a->s.a, &c);
	if (places.arbitrary || (places.segments && !places.backward && !places.zero && v.copies == 1)) {
		forward_goal(q, g, &v, partial ? have : dcell);
		return;
	}
	first = v.copies > 1;
	y = layout_of(a, v.cell);
	bdim = ARENA_ARRAY(&a->s.a, int64_t, b->rank + 1);
	ddim = ARENA_ARRAY(&a->s.a, int64_t, d->rank + 1);
	bdim[0] = ddim[0] = v.copies;
	for (k = 0; k < b->rank; k++)
		bdim[first + k] = b->dim[k];
	for (k = 0; k < d->rank; k++)
		ddim[first + k] = d->dim[k];
	if (first)
		rest = whole_chain_behind(&a->s.a, &rest, v.copies);
	g->have = first ? repeated(q, partial ? have : dcell, v.copies) : have;
	g->want = chain_apply(a, &q->ms, &rest, b->type, &y, eg_args(a->g, v.cell)[0], first + b->rank, bdim, first + d->rank, ddim, d->path);
	/* what a loop carries has to be the very tensor */
	if (g->out >= 0 && !first && !places.backward && !places.zero && across_digits(a, v.cell, g->want))
		forward_goal(q, g, &v, partial ? have : dcell);
}

static void build_goal(pair *q, goal *g)
{
	algebra *a = &q->p->a;
	eg_id bcell, dcell;

	if (g->base_row < 0) {
		g->why = "the plan does not name a counterpart";
		return;
	}
	bcell = laid_cell(a, q->base->row[g->base_row].tensor);
	dcell = laid_cell(a, q->dist->row[g->dist_row].tensor);
	if (bcell == NIL || dcell == NIL)
		g->why = "it is not lifted";
	else
		build_goal_on(q, g, bcell, dcell);
}

void pair_build_claim(pair *q, goal *g)
{
	algebra *a = &q->p->a;
	arena_mark m = arena_at(&a->s.a);

	history_begin(a);
	if (setjmp(a->s.out))
		g->why = arena_strdup(&q->a, a->s.reason);
	else if (g->compared)
		build_goal(q, g);
	normal_made_origins(a);
	arena_reset(&a->s.a, m);
}

bool goal_met(const pair *q, const goal *g)
{
	return g->want != NIL && g->want < eg_nnode(q->p->g) && g->have < eg_nnode(q->p->g) && eg_root(q->p->g, g->want) == eg_root(q->p->g, g->have);
}

void goal_claims(const pair *q, const goal *g, eg_id out[3][2])
{
	out[0][0] = g->have;
	out[0][1] = g->want;
	out[1][0] = q->base->row[g->base_row].tensor;
	out[1][1] = g->bcell;
	out[2][0] = q->dist->row[g->dist_row].tensor;
	out[2][1] = g->dcell;
}

/* ---- for proofs from elsewhere */

void pair_take_rows(pair *q)
{
	int i;

	for (i = 0; i < q->base->nrow; i++)
		if (q->cut_row && q->cut_row[i])
			cut_row(q, i);
		else
			take_row(q, q->base, i);
	for (i = 0; i < q->dist->nrow; i++)
		if (q->dist->row[i].param >= 0)
			param_tensor(q, q->dist, i);
		else
			take_row(q, q->dist, i);
}

struct on_forms {
	goal *g;
	const chain *c;
	int base_row, dist_row;
	eg_id bcell, dcell, *node;
};

static const char *goal_of(pair *q, void *ctx)
{
	struct on_forms *o = ctx;

	history_begin(&q->p->a);
	o->g->why = NULL;
	build_goal_on(q, o->g, o->bcell, o->dcell);
	return o->g->why;
}

const char *pair_goal_on(pair *q, goal *g, eg_id bcell, eg_id dcell)
{
	struct on_forms o = { .g = g, .bcell = bcell, .dcell = dcell };

	return guarded(q, goal_of, &o);
}

static const char *assumption_of(pair *q, void *ctx)
{
	struct on_forms *o = ctx;

	return assumed_nodes(q, o->base_row, o->dist_row, o->c, o->bcell, o->dcell, o->node);
}

const char *pair_assumed_on(pair *q, int base_row, int dist_row, const chain *c, eg_id bcell, eg_id dcell, eg_id node[2])
{
	struct on_forms o = { .c = c, .base_row = base_row, .dist_row = dist_row, .bcell = bcell, .dcell = dcell, .node = node };

	return guarded(q, assumption_of, &o);
}

static const char *late_given(pair *q, void *ctx)
{
	struct on_forms *o = ctx;

	return give_dist_param(q, o->dist_row, &q->base->row[o->base_row], o->bcell);
}

const char *pair_give_late(pair *q, int dist_row, eg_id bcell)
{
	struct on_forms o = { .base_row = q->in[q->dist->row[dist_row].param].base_row, .dist_row = dist_row, .bcell = bcell };

	return guarded(q, late_given, &o);
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

/* What a loop has to show is written down, and followed, before anything is concluded from it. */
static bool claims_due(pair *q, int at)
{
	const row *r = at >= q->base->nrow && at < q->base->nrow + q->dist->nrow ? &q->dist->row[at - q->base->nrow] : NULL;

	if (!r || r->role != ROW_AFTER || WORD(q, CLAIMED) == (uint32_t)r->loop + 1)
		return false;
	trail_set32(q->p->a.tr, &WORD(q, CLAIMED), (uint32_t)r->loop + 1);
	trail_set32(q->p->a.tr, &WORD(q, ROW_FIRINGS), history_count(&q->p->a));
	trail_set32(q->p->a.tr, &WORD(q, ROW_WORK), 0);
	loop_claim(q, r->loop);
	return true;
}

static void take_next(pair *q)
{
	int at = pair_position(q), b = q->base->nrow, d = q->dist->nrow;

	if (claims_due(q, at))
		return;
	trail_set32(q->p->a.tr, &CURSOR(q), (uint32_t)at + 1);
	trail_set32(q->p->a.tr, &WORD(q, ROW_FIRINGS), history_count(&q->p->a));
	trail_set32(q->p->a.tr, &WORD(q, ROW_WORK), 0);
	if (at > b && at <= b + d)	/* the row before is settled now */
		assume_row(q, at - 1 - b);
	if (at < b) {
		if (q->cut_row && q->cut_row[at])
			cut_row(q, at);
		else
			take_row(q, q->base, at);
	} else if (at < b + d) {
		const row *r = &q->dist->row[at - b];
		if (r->param >= 0 && q->in[r->param].base_row >= 0)
			late_param(q, at - b);
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
	const program *p;
	const row *r;

	if (history_count(&q->p->a) - WORD(q, ROW_FIRINGS) <= q->limit && WORD(q, ROW_WORK) <= ROW_WORK_MAX)
		return false;
	r = pair_current(q, &p);
	q->cut = true;
	q->cut_at = r ? r->path : "a goal";
	return true;
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
