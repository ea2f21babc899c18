#include "fault/fault_in.h"

#include "core/constant.h"
#include "pair/carry.h"
#include "relation/describe.h"
#include "relation/reorder.h"
#include "util/integers.h"

/* ---- a block that is written to another place than it has in the value it is a part of */

bool lies_in_order(const holding *h, const struct row *r)
{
	int64_t n = row_elements(r), stride = n;
	int k;

	for (k = 0; k < r->rank; k++) {
		stride /= r->dim[k] ? r->dim[k] : 1;
		if (r->dim[k] > 1 && (held_place(h, 0, stride) != stride || held_place(h, 0, stride * (r->dim[k] - 1)) != stride * (r->dim[k] - 1)))
			return false;
	}
	return n && held_place(h, 0, n - 1) == n - 1;
}

bool start_on(const states *s, int row, int64_t dev, int64_t most, int64_t *at, arena *out)
{
	holding h = { .map = NULL };
	const double *v;
	eg_id core;

	if (!row_form(s->q, SIDE_DIST, row, &h.l, &core) || !(v = constant_values(&s->q->p->a, core, out)))
		return false;
	*at = (int64_t)v[held_place(&h, dev, 0)];
	*at = *at < 0 ? 0 : *at > most ? most : *at;
	return true;
}

static const char *span(arena *out, int dim, int rank, int64_t from, int64_t n)
{
	const char *what = describe_dimension(out, rank, dim, 0, NULL);

	return n == 1 ? arena_printf(out, "%s %lld", what, (long long)from)
		      : arena_printf(out, "%s %lld..%lld", what, (long long)from, (long long)(from + n - 1));
}

/* On a device, the first dimension in which the block goes elsewhere than it comes from; false: it is not known where it goes. */
static bool place_on(const states *s, int row, const holding *h, const struct row *b, int64_t dev, const char **text, arena *out)
{
	const struct row *r = row_at(s, row), *u = row_at(s, r->op[1]);
	int64_t stride = row_elements(b), at = held_place(h, dev, 0), from, to;
	int k;

	for (k = 0; k < r->rank && !*text; k++) {
		stride /= b->dim[k];
		from = at / stride % b->dim[k];
		if (u->dim[k] == r->dim[k])	/* all of what the device has */
			continue;
		if (!start_on(s, r->op[2 + k], dev, r->dim[k] - u->dim[k], &to, out))
			return false;
		if (from != to)
			*text = arena_printf(out, "on device %lld it writes %%%s to %s, and %%%s holds %s of %%%s there", (long long)dev, dist_name(s, r->op[1]),
					     span(out, k, r->rank, to, u->dim[k]), dist_name(s, r->op[1]), span(out, k, r->rank, from, u->dim[k]),
					     base_name(s, s->rs[r->op[1]].base));
	}
	return true;
}

/* Does a row have all places of a baseline row in the dimensions in which it is written only a part of? */
static bool writes_into(const struct row *r, const struct row *update, const struct row *b)
{
	int k;

	for (k = 0; k < r->rank && b->rank == r->rank && (update->dim[k] == r->dim[k] || b->dim[k] == r->dim[k]); k++)
		;
	return b->rank == r->rank && k == r->rank;
}

/* Is it known whether a block is written where it comes from?  If it is not, text says so. */
static bool block_placed(const states *s, int row, const char **text, arena *out)
{
	const struct row *r = row_at(s, row), *b;
	holding h, whole = { .map = NULL };
	eg_id core;
	int64_t dev;

	*text = NULL;
	if (r->inst->opcode != OP_DYNAMIC_UPDATE_SLICE || r->nop != 2 + r->rank || !s->rs[r->op[1]].verified || s->rs[r->op[1]].base < 0 ||
	    !state_holding(s, r->op[1], &h) || h.op)
		return false;
	b = &s->q->base->row[s->rs[r->op[1]].base];
	if (!writes_into(r, row_at(s, r->op[1]), b) || !row_elements(b) || !row_form(s->q, SIDE_BASE, s->rs[r->op[1]].base, &whole.l, &core) || !lies_in_order(&whole, b))
		return false;
	for (dev = 0; dev < s->q->ms.ndev && !*text; dev++)
		if (!place_on(s, row, &h, b, dev, text, out))
			return false;
	return true;
}

const char *fault_misplaced_block(const states *s, int row, arena *out)
{
	const char *t;

	return block_placed(s, row, &t, out) ? t : NULL;
}

bool fault_written_rightly(const states *s, int row, arena *out)
{
	const char *t;

	return block_placed(s, row, &t, out) && !t;
}

/* ---- constants beside a block */

static char *place_text(const struct row *r, int64_t at, arena *out)
{
	int64_t inner = row_elements(r);
	char *t = arena_strdup(out, "[");
	int k;

	for (k = 0; k < r->rank; k++) {
		inner /= r->dim[k];
		t = arena_printf(out, "%s%s%lld", t, k ? "," : "", (long long)(at / inner % r->dim[k]));
	}
	return arena_printf(out, "%s]", t);
}

static char *value_text(const struct row *r, double v, arena *out)
{
	return r->type == T_PRED ? arena_strdup(out, v != 0 ? "true" : "false") : arena_printf(out, "%g", v);
}

struct beside {			/* a constant operand, the block it meets, and the baseline's constant for all of it */
	int constant, block, base;
};

/* The first place at which the constant is another than the baseline's there, NULL: none; false: it is not known. */
static bool first_place(const states *s, const struct beside *z, const char **text, arena *out)
{
	algebra *a = &s->q->p->a;
	const struct row *d = row_at(s, z->constant), *b = &s->q->base->row[z->base];
	layout l, bl;
	eg_id x, y;
	const double *v, *bv;
	int64_t dev, i, at, n = row_elements(d);

	if (!row_form(s->q, SIDE_DIST, z->constant, &l, &x) || !row_form(s->q, SIDE_BASE, z->base, &bl, &y) || n * s->q->ms.ndev > CONSTANT_MAX ||
	    !(v = constant_values(a, x, out)) || !(bv = constant_values(a, y, out)))
		return false;
	*text = NULL;
	for (dev = 0; dev < s->q->ms.ndev && !*text; dev++)
		for (i = 0; i < n && !*text; i++) {
			double p = v[digits_at(l.nd, l.dev, dev) + digits_at(l.nl, l.loc, i)];
			at = reorder_place(s, z->block, dev, i);
			if (p != bv[digits_at(bl.nl, bl.loc, at)])
				*text = arena_printf(out, "on device %lld it is %s at %s, %%%s of the baseline is %s at %s there", (long long)dev, value_text(d, p, out),
						    place_text(d, i, out), base_name(s, z->base), value_text(b, bv[digits_at(bl.nl, bl.loc, at)], out),
						    place_text(b, at, out));
		}
	return true;
}

/* An operand that is a block of what the baseline takes there, and a constant of its size beside it; false: there are none, or what the
 * constant is beside it is not known. */
static bool beside_block(const states *s, const frontier_entry *e, struct beside *z, const char **text, arena *out)
{
	const struct row *r = row_at(s, e->row), *b = nearest_base(s, e);
	bool known = false, swaps = r->inst->opcode == OP_MULTIPLY || r->inst->opcode == OP_ADD;
	int k, turn = 0;

	*z = (struct beside){ .block = -1 };
	if (!b || !carry_elementwise(row_at(s, e->row)) || b->inst->opcode != r->inst->opcode || b->nop != r->nop)
		return false;
	for (k = 0; k < r->nop; k++) {
		if (s->rs[r->op[k]].kind != STATE_BLOCK)
			continue;
		turn = swaps && s->rs[r->op[k]].base == b->op[1 - k];
		z->block = turn || s->rs[r->op[k]].base == b->op[k] ? r->op[k] : z->block;
	}
	for (k = 0, *text = NULL; k < r->nop && z->block >= 0 && !*text; k++) {
		if (!s->rs[r->op[k]].constant || row_elements(row_at(s, r->op[k])) != row_elements(row_at(s, z->block)))
			continue;
		z->constant = r->op[k];
		z->base = b->op[turn ? 1 - k : k];
		known = first_place(s, z, text, out);
	}
	return known;
}

/* A constant, a mask say, that does not fit the block it is taken with. */
const char *fault_constant_beside_block(const states *s, const frontier_entry *e, arena *out)
{
	struct beside z;
	const char *t;

	return beside_block(s, e, &z, &t, out) && t ? arena_printf(out, "it takes %%%s, %s, with %%%s: %s", dist_name(s, z.block),
								   fault_operand(s, z.block, out), dist_name(s, z.constant), t) : NULL;
}

bool fault_fits_block(const states *s, const frontier_entry *e, arena *out)
{
	struct beside z;
	const char *t;

	return beside_block(s, e, &z, &t, out) && !t;
}

bool row_takes_block(const states *s, const struct row *r)
{
	int k;

	for (k = 0; k < r->nop; k++)
		if (s->rs[r->op[k]].kind == STATE_BLOCK)
			return true;
	return false;
}

/* ---- blocks in another order */

/* "gathers over tp", "does all-to-all over tp" */
static const char *moves_over(const states *s, const struct row *r, arena *out)
{
	const char *does = row_gathers(r) ? "gathers" : arena_printf(out, "does %s", r->inst->opname);

	return collective_grouped(r) ? arena_printf(out, "%s over %s", does, collective_over(&s->q->ms, r, out)) : does;
}

const char *fault_block_order(const states *s, const frontier_entry *e, arena *out)
{
	const struct row *r = row_at(s, e->row);
	const char *how = arena_printf(out, "%s; it is %s, and %%%s takes it", named_operand(s, r->op[0], out), fault_operand(s, e->row, out), dist_name(s, e->fed));

	if (row_slices(s, e->row))
		return fault_misplaced_slice(s, e, out);
	if (opcode_class(r->inst->opcode) != 'c')
		return arena_printf(out, "it puts the blocks together in another order than the baseline's: %s", how);
	return arena_printf(out, "it puts the blocks in another order than the baseline's: it %s, %s", moves_over(s, r, out), how);
}

/* The place of a baseline row along a dimension that operand o has at its first place; -1: it is none of its blocks, or not known. */
static int64_t first_along(const states *s, int o, int base, int dim, int64_t at)
{
	const struct row *b = &s->q->base->row[base], *r = row_at(s, o);
	int64_t stride = integers_product(b->dim + dim + 1, b->rank - dim - 1), own = integers_product(r->dim + dim + 1, r->rank - dim - 1);
	holding h;

	if (s->rs[o].base != base || !state_holding(s, o, &h) || h.op)
		return -1;
	return held_place(&h, 0, at * own) / stride % b->dim[dim];
}

static int joined_along(const struct row *r, const struct row *b)
{
	int n;
	const int64_t *v = inst_ints(r->inst, "dimensions", &n);
	int k;

	for (k = 0; r->inst->opcode == OP_CONCATENATE && n == 1 && r->rank == b->rank && k < r->rank && r->dim[k] == b->dim[k]; k++)
		;
	return k && k == r->rank ? (int)*v : -1;
}

/* Blocks of one baseline value put together to all of it, in another order. */
const char *fault_blocks_joined(const states *s, int row, arena *out)
{
	const struct row *r = row_at(s, row), *b;
	holding whole = { .map = NULL };
	int64_t at = 0, i, from;
	int k, dim, base = r->nop ? s->rs[r->op[0]].base : -1;
	eg_id core;

	if (base < 0 || (dim = joined_along(r, (b = &s->q->base->row[base]))) < 0 || !row_form(s->q, SIDE_BASE, base, &whole.l, &core) || !lies_in_order(&whole, b))
		return NULL;
	for (k = 0; k < r->nop; k++)
		for (i = 0; i < row_at(s, r->op[k])->dim[dim]; i++, at++) {
			if ((from = first_along(s, r->op[k], base, dim, i)) < 0)
				return NULL;
			if (from != at)
				return arena_printf(out, "it puts together parts of %%%s in another order: at place %lld of dimension %d it has place %lld, of %%%s",
						    base_name(s, base), (long long)at, dim, (long long)from, dist_name(s, r->op[k]));
		}
	return NULL;
}

/* A block of a baseline value, where the rest of it is made by no row. */
const char *fault_lone_block(const states *s, const frontier_entry *e, const frontier_candidate *near, arena *out)
{
	const struct answer *w = &s->answer[e->row];
	int row = e->row, i, by, with;
	bool ordered = near && difference_of_order(near->kind);
	uint32_t axes;

	if (!w->asked || w->kind != STATE_BLOCK || w->covered || s->rs[row].verified)
		return NULL;
	if (row_slices(s, row) && (by = taken_with(s, row, &with, &axes)) >= 0)
		return arena_printf(out, "it is a block of %%%s, %s, and %%%s takes it with %%%s, which is %s: no row makes the other blocks", base_name(s, w->base),
				    reorder_text(s, w, out), dist_name(s, by), dist_name(s, with), fault_operand(s, with, out));
	for (i = state_next_bit(s->block, 0, s->q->dist->nrow); i < row; i = state_next_bit(s->block, i + 1, s->q->dist->nrow))
		if (s->answer[i].base == w->base && eg_root(s->q->p->g, s->answer[i].core) == eg_root(s->q->p->g, w->core))
			break;
	return arena_printf(out, "it is a block of %%%s, %s%s, and no row makes the rest%s%s", base_name(s, w->base), reorder_text(s, w, out),
			    i < row ? arena_printf(out, ", as %%%s is already", dist_name(s, i)) : "",
			    ordered ? ": it " : "", ordered ? near->difference : "");
}
