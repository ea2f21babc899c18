#include "fault/fault_in.h"

#include <string.h>
#include "fault/difference.h"
#include "pair/carry.h"
#include "relation/layout_text.h"

/* Which operand of a baseline row has the value of baseline row x; -1. */
static int operand_with(const states *s, int base, int x)
{
	const struct row *b = &s->q->base->row[base];
	int k;

	for (k = 0; k < b->nop && !same_value(s, b->op[k], x); k++)
		;
	return k < b->nop ? k : -1;
}

static bool permutes(const states *s, int row, int base)
{
	const struct row *r = row_at(s, row);
	bool moved = false;
	int k, at;

	for (k = 0; k < r->nop; k++) {
		if (s->rs[r->op[k]].base < 0 || (at = operand_with(s, base, s->rs[r->op[k]].base)) < 0)
			return false;
		moved = moved || at != k;
	}
	return moved;
}

static const char *list_of(const program *p, int row, arena *out)
{
	const char *t = "";
	int k;

	for (k = 0; k < p->row[row].nop; k++)
		t = arena_printf(out, "%s%s%%%s", t, k ? ", " : "", p->row[p->row[row].op[k]].path);
	return t;
}

const char *fault_packed_otherwise(const states *s, int row, arena *out)
{
	const struct row *r = row_at(s, row), *b = s->q->base->row;
	int k;

	for (k = 0; r->inst->opcode == OP_CONCATENATE && k < s->q->base->nrow; k++)
		if (b[k].inst->opcode == OP_CONCATENATE && b[k].nop == r->nop && permutes(s, row, k))
			return arena_printf(out, "it puts %s together in this order, %%%s of the baseline their counterparts in the order %s",
					    list_of(s->q->dist, row, out), b[k].path, list_of(s->q->base, k, out));
	return NULL;
}

/* Operands of an elementwise operation that lie differently. */
const char *fault_parted_operands(const states *s, int row, arena *out)
{
	const struct row *r = row_at(s, row);
	char class = opcode_class(r->inst->opcode);
	const char *first = NULL, *t;
	int k, at = -1;

	for (k = 0; k < r->nop && (class == 'b' || class == 't'); k++) {
		const row_state *o = &s->rs[r->op[k]];
		if (s->rs[r->op[k]].constant || (o->kind != STATE_RELATED && o->kind != STATE_REORDERED))
			continue;
		t = state_relation(s, r->op[k], out);
		if (first && strcmp(first, t))
			return arena_printf(out, "its operands do not agree: %s, %s", named_operand(s, at, out), named_operand(s, r->op[k], out));
		first = t;
		at = r->op[k];
	}
	return NULL;
}

/* The place along the only contracted dimension of operand k, of the baseline's, that the first place of a device is; -1: not known. */
static int64_t contracted_at(const states *s, const struct row *r, const struct row *b, int k, int64_t dev)
{
	static const char *const key[] = { "lhs_contracting_dims", "rhs_contracting_dims" };
	const attr *d = inst_attr(r->inst, key[k]), *e = inst_attr(b->inst, key[k]);
	const struct row *x = row_at(s, r->op[k]), *y = &s->q->base->row[b->op[k]];
	holding h = { .map = NULL }, whole = { .map = NULL };
	int64_t stride = 1;
	eg_id c;
	int i;

	if (!d || !e || d->n != 1 || e->n != 1 || d->ints[0] != e->ints[0] || x->rank != y->rank || s->rs[r->op[k]].base != b->op[k] ||
	    !row_elements(y) || !state_holding(s, r->op[k], &h) || h.op || !row_form(s->q, SIDE_BASE, b->op[k], &whole.l, &c) || !lies_in_order(&whole, y))
		return -1;
	for (i = y->rank - 1; i > d->ints[0]; i--)
		stride *= y->dim[i];
	return held_place(&h, dev, 0) / stride % y->dim[d->ints[0]];
}

bool contracts_alike(const states *s, int row, int base)
{
	const struct row *r = row_at(s, row), *b = &s->q->base->row[base];
	int64_t dev, at;

	if (r->inst->opcode != OP_DOT || b->inst->opcode != OP_DOT || r->nop != 2 || b->nop != 2)
		return false;
	for (dev = 0; dev < s->q->ms.ndev; dev++)
		if ((at = contracted_at(s, r, b, 0, dev)) < 0 || at != contracted_at(s, r, b, 1, dev))
			return false;
	return true;
}

/* A contraction of the same two as the baseline's whose parts are not cut the same way. */
const char *fault_contracted_apart(const states *s, const frontier_entry *e, arena *out)
{
	const struct row *r = row_at(s, e->row), *b = nearest_base(s, e);
	int64_t dev, at[2];

	if (r->inst->opcode != OP_DOT || !b || b->inst->opcode != OP_DOT || r->nop != 2 || b->nop != 2)
		return NULL;
	for (dev = 0; dev < s->q->ms.ndev; dev++) {
		at[0] = contracted_at(s, r, b, 0, dev);
		at[1] = contracted_at(s, r, b, 1, dev);
		if (at[0] < 0 || at[1] < 0)
			return NULL;
		if (at[0] != at[1])
			return arena_printf(out, "its operands do not agree: %s, %s; on device %lld what is summed begins at place %lld of the one and at place "
					    "%lld of the other", named_operand(s, r->op[0], out), named_operand(s, r->op[1], out), (long long)dev,
					    (long long)at[0], (long long)at[1]);
	}
	return NULL;
}

/* A product of two values, or of parts of them, that no candidate takes together: what the nearest takes with one of them. */
const char *fault_strangers(const states *s, const frontier_entry *e, const frontier_candidate *near, arena *out)
{
	const struct row *r = row_at(s, e->row), *b = &s->q->base->row[near->base];
	int of[2], k, at;

	if (near->kind != DIFFERENCE_PLACES || r->inst->opcode != OP_DOT || b->inst->opcode != OP_DOT)
		return NULL;
	for (k = 0; k < 2; k++)
		if (s->rs[r->op[k]].constant || (of[k] = s->rs[r->op[k]].base) < 0)
			return NULL;
	for (k = 0; k < e->nbase; k++)
		if (operand_with(s, e->base[k], of[0]) >= 0 && operand_with(s, e->base[k], of[1]) >= 0)
			return NULL;
	k = operand_with(s, near->base, of[0]) < 0;
	if ((at = operand_with(s, near->base, of[k])) < 0)
		return NULL;
	return arena_printf(out, "it takes %s%%%s and %%%s together, as the baseline does nowhere: there %%%s takes %%%s with %%%s",
			    row_takes_block(s, r) ? "parts of " : "", base_name(s, of[0]), base_name(s, of[1]), b->path, base_name(s, of[k]), base_name(s, b->op[1 - at]));
}

static bool turned(const states *s, int row)
{
	const row_state *o = &s->rs[row];
	layout l, b;
	eg_id x, y;

	if (o->kind == STATE_RELATED && !o->note && o->base >= 0 && row_form(s->q, SIDE_DIST, row, &l, &x) &&
	    row_form(s->q, SIDE_BASE, o->base, &b, &y))
		return !layout_keeps_order(&s->q->ms, &b, &l);
	return o->kind == STATE_REORDERED;
}

/* An operand that is the baseline's in another order, and two places that therefore meet, where `near` has them. */
const char *fault_turned_operand(const states *s, const frontier_entry *e, const frontier_candidate *near, arena *out)
{
	const struct row *r = row_at(s, e->row);
	bool meets = near && !strncmp(near->difference, "takes place", strlen("takes place"));
	int k;

	for (k = 0; k < r->nop; k++)
		if (turned(s, r->op[k]))
			return arena_printf(out, "%%%s is not in the baseline's order: %s%s%s", dist_name(s, r->op[k]), fault_operand(s, r->op[k], out),
					    meets ? "; so it " : "", meets ? near->difference : "");
	return NULL;
}

/* One operand of a row is another baseline value than the baseline takes in row b. */
const char *other_operand(const states *s, int row, int b, arena *out)
{
	const struct row *r = row_at(s, row), *y = &s->q->base->row[b];
	int k;

	for (k = 0; k < r->nop && k < y->nop && carry_elementwise(row_at(s, row)); k++) {
		const row_state *o = &s->rs[r->op[k]];
		if (o->kind == STATE_RELATED && !o->constant && !same_value(s, o->base, y->op[k]))
			return arena_printf(out, "takes %%%s where %%%s of the baseline takes %%%s", base_name(s, o->base), y->path, base_name(s, y->op[k]));
	}
	return NULL;
}

/* Where no baseline row does the operation with these operands: how it differs from the one that is left over. */
const char *fault_other_operands(const states *s, const frontier_entry *e, arena *out)
{
	int b = e->nbase && s->q->base->row[e->base[0]].inst->opcode == row_at(s, e->row)->inst->opcode ? -1 : counterpart_alike(s, e->row);
	const char *t = b < 0 ? NULL : other_operand(s, e->row, b, out);
	difference z = b < 0 || t ? (difference){ 0 } : difference_rows(s, b, e->row, out);

	if (t)
		return t;
	if (!z.kind || z.kind == DIFFERENCE_OPERATION || difference_of_order(z.kind))
		return NULL;
	return strstr(z.text, base_name(s, b)) ? z.text : arena_printf(out, "%s, in %%%s", z.text, base_name(s, b));
}

const char *fault_other_numbers(const states *s, int row, int base, arena *out)
{
	const struct row *d = row_at(s, row), *b = &s->q->base->row[base];
	int k;

	if (d->inst->opcode != b->inst->opcode || d->nop != b->nop)
		return NULL;
	for (k = 0; k < d->nop; k++) {
		difference z = s->rs[d->op[k]].constant ? difference_rows(s, b->op[k], d->op[k], out) : (difference){ 0 };
		if (difference_of_constant(z.kind))
			return z.text;
	}
	return NULL;
}

static const char *dimensions_text(const struct row *r, arena *out)
{
	int n, k;
	const int64_t *v = inst_ints(r->inst, "dimensions", &n);
	const char *t = n == 1 ? "dimension " : "dimensions ";

	for (k = 0; k < n; k++)
		t = arena_printf(out, "%s%s%lld", t, k ? "," : "", (long long)v[k]);
	return t;
}

/* A reduction of what the baseline reduces, over other dimensions of it. */
const char *fault_other_dimensions(const states *s, const frontier_entry *e, arena *out)
{
	const struct row *r = row_at(s, e->row), *b = nearest_base(s, e);
	const char *over, *due;

	if (r->inst->opcode != OP_REDUCE || !b || b->inst->opcode != OP_REDUCE || strcmp(r->name, b->name) || turned(s, r->op[0]) ||
	    s->rs[r->op[0]].kind != STATE_RELATED || !same_value(s, s->rs[r->op[0]].base, b->op[0]) ||
	    row_at(s, r->op[0])->rank != s->q->base->row[b->op[0]].rank)
		return NULL;
	over = dimensions_text(r, out);
	due = dimensions_text(b, out);
	return strcmp(over, due) ? arena_printf(out, "it reduces over %s, %%%s of the baseline over %s", over, b->path, due) : NULL;
}
