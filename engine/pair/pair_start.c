#include "pair/pair_in.h"

#include <string.h>
#include "core/fact_range.h"
#include "core/literal.h"
#include "lift/token.h"
#include "pair/whole.h"
#include "util/integers.h"

/* ---- parameters */

void pair_param(pair *q, program *p, int i)
{
	row *r = &p->row[i];
	int64_t id[3] = { p->side, r->param, r->element };

	r->tensor = pair_tensor(q, pair_family(q, "parameter"), r, p->ndev, 3, id, r->path, 0, NULL);
	pair_note_row(q, r->tensor, p->side, i);
}

layout pair_plain_layout(int64_t ndev, int rank, const int64_t *dim, digit *d)
{
	layout y = { ndev, rank, 1, 1, dim, d, d + 1 };

	d[0] = (digit){ ndev, 0 };
	d[1] = (digit){ integers_product(dim, rank), 1 };
	return y;
}

/* Where the pinned number of an integer stands on the line of whole numbers, of device `dev`. */
static ix *pinned_place(pair *q, const program *p, const input_relation *in, label *dev)
{
	algebra *a = &q->p->a;

	switch (in->pin) {
	case PIN_NUMBER:
		return ix_const(&a->s, (int64_t)in->value);
	case PIN_DEVICE:
		return ix_of(&a->s, dev, 1);
	default:
		return mesh_axes(a, p->side == SIDE_BASE ? &q->base_ms : &q->ms, ix_of(&a->s, dev, 1))[in->axis];
	}
}

/* An integer that the device decides, as it is or converted. */
static eg_id pinned_integer(pair *q, const program *p, const row *r, const input_relation *in)
{
	algebra *a = &q->p->a;
	label *dev = label_new(&a->s, p->ndev);
	digit *d = ARENA_ARRAY(&a->s.a, digit, 64), one[2];
	layout y = pair_plain_layout(p->ndev, r->rank, r->dim, one);
	work *w = work_new(a, C_AT, r->type, 1);
	placed k;

	work_set_free(a, w, 1, &dev);
	w->nslot = 1;
	w->slot[0] = slot_read(core_line(a, type_is_int(r->type) ? r->type : T_S64), pinned_place(q, p, in, dev), RAT_ONE);
	k = work_make(a, w);
	if (!type_is_int(r->type)) {
		w = work_new(a, C_MAP, r->type, 1);
		work_set_free(a, w, k.nleaf, k.leaf);
		w->nslot = 1;
		w->slot[0] = slot_read(k.n, placed_ix(a, &k), RAT_ONE);
		w->fn = val_name(a, "convert");
		k = work_make(a, w);
	}
	y.nd = placed_digits(&k, 1, &dev, d);
	y.dev = d;
	one[1].stride = 0;
	return layout_laid(a, &y, k.n);
}

static eg_id pinned(pair *q, const program *p, const row *r, const input_relation *in)
{
	algebra *a = &q->p->a;
	digit d[2];
	layout y = pair_plain_layout(p->ndev, r->rank, r->dim, d);

	if (in->pin == PIN_ANY) {
		d[0].stride = d[1].size;
		return layout_laid(a, &y, core_param(a, r->type, d[1].size * p->ndev,
						     arena_printf(&q->a, "any %s %s", p->side == SIDE_BASE ? "base" : "dist", r->path)));
	}
	if (in->pin == PIN_NUMBER && !type_is_int(r->type)) {
		number v = literal_number(NULL, r->type == T_F32 || r->type == T_F64 ? r->type : T_F64, in->value);
		d[1].stride = 0;
		return layout_laid(a, &y, core_num(a, r->type == T_PRED ? T_PRED : TYPE_REAL, v));
	}
	return pinned_integer(q, p, r, in);
}

/* A factor of the whole is one of each part in sums alone; integers and truth values times a number may leave their type. */
static const char *scale_misfits(const mesh *ms, const chain *c, int type)
{
	const char *op = "add";

	if (rat_is_int(chain_scale(c), 1))
		return NULL;
	if (type_is_int(type) || type == T_PRED)
		return "`scale` of integers or truth values is not compared: they may leave their type";
	return chain_parts(ms, c, &op) == 1 || !strcmp(op, "add") ? NULL
								  : "`scale` with parts of a maximum, minimum, and or or is not compared";
}

static const char *values_misfit(const mesh *ms, const chain *c, int type)
{
	const char *why = chain_disorder(c);

	return why ? why : scale_misfits(ms, c, type);
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
		facts_range(&q->p->a, x, pin->lo, pin->hi + 1);
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
	if ((why = whole_shape(&q->a, &q->base_ms, c, r->rank, r->dim, &g->rank, &dim)) || (why = values_misfit(&q->base_ms, c, r->type)))
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

	pair_param(q, p, i);
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
void pair_cut_row(pair *q, int i)
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
	const char *why = values_misfit(&q->ms, c, b->type);
	int64_t *dim = chain_shape(a, &q->ms, c, b->rank, b->dim, &rank);

	if (why)
		return why;
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

static const char *input_misfit(pair *q, const input_relation *in, const row *b, const row *d)
{
	const char *why = pair_misfit(q, &in->c, b, d);

	return why ? why : chain_parts_misfit(&in->c);
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
	if ((why = input_misfit(q, in, b, r)))
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
		facts_range(a, x, in->lo, in->hi + 1);
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

	pair_param(q, p, i);
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

static const char *start_dist_row(pair *q, void *ctx)
{
	return start_dist_param(q, *(const int *)ctx);
}

static const char *start_base_row(pair *q, void *ctx)
{
	return start_base_param(q, *(const int *)ctx);
}

static bool start_dist_params(pair *q, pair_refusal *no)
{
	const char *why;
	int i;

	for (i = 0; i < q->dist->nrow; i++) {
		const row *r = &q->dist->row[i];
		if (r->param < 0 || q->in[r->param].base_row >= 0)
			continue;
		if ((why = pair_guarded(q, start_dist_row, &i)))
			return not_started(no, REFUSED_INPUT, r->param, why);
		prover_run(q->p, q->limit);
	}
	return true;
}

static bool start_base_params(pair *q, pair_refusal *no)
{
	const char *why;
	int i;

	for (i = 0; i < q->base->nrow; i++)
		if (q->base->row[i].param >= 0 && (why = pair_guarded(q, start_base_row, &i)))
			return not_started(no, REFUSED_BASE_INPUT, q->base->row[i].param, why);
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
		if (in && in->base_row >= 0 && (why = input_misfit(q, in, &q->base->row[in->base_row], r)))
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

void pair_late_param(pair *q, int i)
{
	const char *why = pair_guarded(q, start_dist_row, &i);

	if (why)
		pair_refused(q, q->in[q->dist->row[i].param].where, why);
}

bool pair_start(pair *q, pair_refusal *no)
{
	arena_mark m = arena_at(&q->p->a.s.a);
	bool started = check_inner(q, no) && start_params(q, no);

	pair_row_begins(q);
	arena_reset(&q->p->a.s.a, m);
	return started;
}

struct late_form {
	int row;
	eg_id cell;
};

static const char *late_given(pair *q, void *ctx)
{
	const struct late_form *f = ctx;

	return give_dist_param(q, f->row, &q->base->row[q->in[q->dist->row[f->row].param].base_row], f->cell);
}

const char *pair_give_late(pair *q, int dist_row, eg_id bcell)
{
	struct late_form f = { dist_row, bcell };

	return pair_guarded(q, late_given, &f);
}
