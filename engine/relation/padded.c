#include "relation/padded.h"

#include "pair/carry.h"
#include "pair/collective.h"

/* Does it have places that the baseline has not? */
static bool padded_chain(const chain *c)
{
	int k;

	for (k = 0; k < c->n && c->step[k].kind != CHAIN_IGNORE && c->step[k].kind != CHAIN_PAD; k++)
		;
	return k < c->n;
}

/* Do they hold zeros, as far as the plan says? */
static bool padded_by_zeros(const chain *c)
{
	int k;

	for (k = 0; k < c->n; k++)
		if (c->step[k].kind == CHAIN_IGNORE || (c->step[k].kind == CHAIN_PAD && !c->step[k].zero))
			return false;
	return true;
}

const chain *padded_by(const states *s, int o)
{
	const struct row *r = pair_row(s->q, SIDE_DIST, o);

	if (r->param >= 0)
		return s->q->in[r->param].pin == PIN_NONE && padded_chain(&s->q->in[r->param].c) ? &s->q->in[r->param].c : NULL;
	return s->rs[o].kind == STATE_RELATED ? s->answer[o].padded : NULL;
}

/* What is gathered along its dimension is sharded over these axes no more; NULL: it is gathered along another one. */
static const chain *gathered(const states *s, const chain *c, const struct row *r, arena *out)
{
	uint32_t axes = collective_axes(&s->q->ms, r);
	int n = 0, k, nd;
	const int64_t *along = inst_ints(r->inst, "dimensions", &nd);
	chain *g = ARENA_NEW(out, chain);
	chain_step *st = ARENA_ARRAY(out, chain_step, c->n);

	for (k = 0; k < c->n && nd == 1; k++)
		if (c->step[k].kind != CHAIN_SHARD || !(axes >> c->step[k].axis & 1))
			st[n++] = c->step[k];
		else if (c->step[k].dim != *along)
			return NULL;
		else
			axes &= ~(1u << c->step[k].axis);
	*g = (chain){ n, st, arena_printf(out, "%s, gathered over %s", c->text, axes_text(&s->q->ms, collective_axes(&s->q->ms, r), out)) };
	return nd != 1 || axes ? NULL : g;
}

/* The chain with its dimensions as the operation moves them; NULL where it does not say how, or reshapes. */
static const chain *carried(const states *s, const chain *c, const struct row *r, int which, arena *out)
{
	chain *n = ARENA_NEW(out, chain);
	chain_step *st = ARENA_ARRAY(out, chain_step, c->n);
	int k;

	if (r->inst->opcode == OP_ALL_GATHER)
		return gathered(s, c, r, out);
	for (k = 0; k < c->n; k++) {
		st[k] = c->step[k];
		if (st[k].kind == CHAIN_RESHAPE || st[k].kind == CHAIN_TRANSPOSE || st[k].kind == CHAIN_PARTIAL)
			return carry_elementwise(r) ? c : NULL;
		st[k].dim = carry_dimension(r, pair_row(s->q, SIDE_DIST, r->op[which]), which, st[k].dim);
		if (st[k].dim < 0)
			return NULL;
	}
	*n = (chain){ c->n, st, c->text };
	return n;
}

const char *padding_taken(const states *s, int row, arena *out)
{
	const struct row *r = pair_row(s->q, SIDE_DIST, row);
	const chain *c;
	int k;

	for (k = 0; k < r->nop; k++) {
		if (!(c = padded_by(s, r->op[k])) || (padded_by_zeros(c) && carried(s, c, r, k, out)))
			continue;
		return arena_printf(out, "it takes in the padding of %%%s, which %s: %s", s->q->dist->row[r->op[k]].path,
				    padded_by_zeros(c) ? "the baseline does not have" : "holds arbitrary values", c->text);
	}
	return NULL;
}

static bool fits(pair *q, const chain *c, const layout *b, const struct row *d)
{
	int64_t *dim;
	int rank, k;

	dim = chain_shape(&q->p->a, &q->ms, c, b->rank, b->dim, &rank);
	for (k = 0; k < rank && rank == d->rank && dim[k] == d->dim[k]; k++)
		;
	return rank == d->rank && k == rank;
}

/* Core x at the given place, over the device and the baseline's dimensions. */
static eg_id read_at(algebra *a, eg_id x, int n, label **free, ix *at)
{
	work *w = work_new(a, C_AT, core_type(a, x), 1);

	work_set_free(a, w, n, free);
	w->nslot = 1;
	w->slot[0] = slot_read(x, at, RAT_ONE);
	return work_result(a, w);
}

struct both {
	eg_id base, dist;
};

static bool read_both(pair *q, const chain *c, const struct row *d, const layout *b, eg_id bx, const layout *l, eg_id x,
		      struct both *out)
{
	algebra *a = &q->p->a;
	scratch *s = &a->s;
	label **free;
	ix **e;
	chain_held h;
	int k;

	if (setjmp(a->s.out))
		return false;
	if (!fits(q, c, b, d))
		return false;
	free = ARENA_ARRAY(&s->a, label *, b->rank + 1);
	e = ARENA_ARRAY(&s->a, ix *, b->rank);
	free[0] = label_new(s, q->ms.ndev);
	for (k = 0; k < b->rank; k++) {
		free[1 + k] = label_new(s, b->dim[k]);
		e[k] = ix_of(s, free[1 + k], 1);
	}
	h = chain_forward(a, &q->ms, c, b->rank, b->dim, e, mesh_axes(a, &q->ms, ix_of(s, free[0], 1)));
	out->dist = read_at(a, x, b->rank + 1, free, layout_read(a, l, h.r, flat_index(a, d->rank, d->dim, h.e)));
	out->base = read_at(a, bx, b->rank + 1, free, layout_read(a, b, ix_const(s, 0), flat_index(a, b->rank, b->dim, e)));
	return true;
}

static bool ask_one(states *s, int row, int base, const chain *c, const layout *l, eg_id core, struct answer *w)
{
	pair *q = s->q;
	layout lb;
	eg_id bx;
	struct both v;
	probe p;
	bool yes = false;

	if (!row_form(q, SIDE_BASE, base, &lb, &bx) || !probe_begin(&p, q))
		return false;
	if (read_both(q, c, pair_row(q, SIDE_DIST, row), &lb, bx, l, core, &v)) {
		yes = probe_settle(&p) && eg_root(q->p->g, v.base) == eg_root(q->p->g, v.dist);
		answer_rests_on(s, w, &p);
		w->rules = yes ? probe_rules(&p, &s->a) : NULL;
	}
	probe_end(&p);
	return yes;
}

/* Does it hold the value of operand k: a copy, a gather, with 0 added? */
static bool holds_operand(const states *s, int row, int k)
{
	const struct row *r = pair_row(s->q, SIDE_DIST, row);
	const eg_id *core = s->side[SIDE_DIST].core;

	return r->inst->opcode == OP_ALL_GATHER || r->inst->opcode == OP_COPY ||
	       (carry_elementwise(r) && core[r->op[k]] != NIL && eg_root(s->q->p->g, core[row]) == eg_root(s->q->p->g, core[r->op[k]]));
}

/* Baseline rows it may be: that of operand k where it has its value, else those of the same operation. */
static int candidates(const states *s, int row, int which, int *base)
{
	const struct row *r = pair_row(s->q, SIDE_DIST, row);
	int n, k, m = 0;

	if (holds_operand(s, row, which)) {
		*base = s->rs[r->op[which]].base;
		return *base >= 0;
	}
	n = counterpart_users(s, row, base, 8);
	for (k = 0; k < n; k++)
		if (pair_row(s->q, SIDE_BASE, base[k])->inst->opcode == r->inst->opcode)
			base[m++] = base[k];
	return m;
}

bool padded_ask(states *s, int row, const layout *l, eg_id core, struct answer *w)
{
	const struct row *r = pair_row(s->q, SIDE_DIST, row);
	int base[8], n, k, i;
	const chain *c;

	for (k = 0; k < r->nop; k++) {
		if (!(c = padded_by(s, r->op[k])) || !(c = carried(s, c, r, k, &s->a)))
			continue;
		n = candidates(s, row, k, base);
		for (i = 0; i < n; i++)
			if (ask_one(s, row, base[i], c, l, core, w)) {
				w->kind = STATE_RELATED;
				w->base = base[i];
				w->padded = c;
				w->note = arena_printf(&s->a, "%s (in padding: %s)", c->text, padded_by_zeros(c) ? "not compared" : "arbitrary");
				return true;
			}
	}
	return false;
}
