#include "fault/stage.h"

#include "core/constant.h"
#include "fault/fault_in.h"
#include "relation/reorder_in.h"

enum { DEVICES = 8, TRIED = 256 };	/* devices that are asked; baseline rows that are laid beside what one holds */

/* Zeros where a stage has nothing yet, say: they are no value of the baseline's. */
static bool is_number(const states *s, eg_id core)
{
	const algebra *a = &s->q->p->a;
	enum core_kind k = core_kind(a, normal_node(a, core));

	return k == C_NUMBER || k == C_TABLE || k == C_INDEX;
}

static int partner_on(const states *s, int row, const layout *l, eg_id core, int64_t dev)
{
	int base = -1;
	layout y;
	eg_id x, old;
	probe p;

	if (!probe_begin(&p, s->q))
		return -1;
	if (probe_run(&p, probe_on_device(&p, l, core, dev), &y, &x) && (old = probe_old(&p, x)) != NIL && !is_number(s, old))
		base = state_base_of_core(s, old, row);
	probe_end(&p);
	return base;
}

static int partner_at(const states *s, int row, int64_t dev)
{
	layout l;
	eg_id core;
	int base;

	if (!row_form(s->q, SIDE_DIST, row, &l, &core) || !bound_axes(&s->q->ms, &l) || (base = partner_on(s, row, &l, core, dev)) < 0)
		return -1;
	return row_elements(pair_row(s->q, SIDE_BASE, base)) == layout_elements(&l) ? base : -1;
}

int stage_partner(const states *s, int row, int64_t *dev)
{
	int64_t ndev = s->q->ms.ndev;
	int base;

	for (*dev = 0; *dev < ndev && *dev < DEVICES; ++*dev)
		if ((base = partner_at(s, row, *dev)) >= 0)
			return base;
	return -1;
}

/* ---- a part of a baseline value: a microbatch, say */

/* The baseline row that a class is a part of, by its terms; -1. */
static int whole_of(const states *s, eg_id x)
{
	const algebra *a = &s->q->p->a;
	const eg_id *core = s->side[SIDE_BASE].core;
	int64_t n = core_len(a, x);
	int k, left = is_number(s, x) ? 0 : TRIED;

	for (k = 0; k < s->q->base->nrow && left; k++) {
		if (core[k] == NIL || core_type(a, core[k]) != core_type(a, x) || core_len(a, core[k]) < n)
			continue;
		left--;
		if (guess_block_of((states *)s, x, core[k]))
			return k;
	}
	return -1;
}

/* What `of` says of the class that a row is on a device; -1: nothing may be asked. */
static int ask_on(const states *s, int row, int64_t dev, int (*of)(const states *s, eg_id x))
{
	layout l, y;
	eg_id core, x;
	int answer = -1;
	probe p;

	if (!row_form(s->q, SIDE_DIST, row, &l, &core) || !probe_begin(&p, s->q))
		return -1;
	if (probe_run(&p, probe_on_device(&p, &l, core, dev), &y, &x))
		answer = of(s, x);
	probe_end(&p);
	return answer;
}

static int part_on(const states *s, int row, int64_t dev)
{
	return ask_on(s, row, dev, whole_of);
}

int stage_part(const states *s, int row, int64_t *dev)
{
	int base;

	for (*dev = 0; *dev < s->q->ms.ndev && *dev < DEVICES; ++*dev)
		if ((base = part_on(s, row, *dev)) >= 0)
			return base;
	return -1;
}

/* ---- a choice by the device's own number */

/* Is a row one value everywhere as it is written?  A mask may be so by chance. */
static bool one_value(const states *s, int row)
{
	while (row_elements(row_at(s, row)) != 1 && row_moves(row_at(s, row)))
		row = row_at(s, row)->op[0];
	return row_elements(row_at(s, row)) == 1;
}

/* The operand that a select takes on each device, 1 or 2; false: that is no choice between devices, or it is not known. */
static bool choices(const states *s, int row, int *taken, arena *tmp)
{
	const struct row *r = row_at(s, row);
	int64_t ndev = s->q->ms.ndev, dev;
	const double *v;
	layout l;
	eg_id core;

	if (r->inst->opcode != OP_SELECT || ndev > DEVICES || !s->rs[r->op[0]].constant || !one_value(s, r->op[0]) || !row_form(s->q, SIDE_DIST, r->op[0], &l, &core) ||
	    !bound_axes(&s->q->ms, &l) || !(v = constant_values(&s->q->p->a, core, tmp)))
		return false;
	for (dev = 0; dev < ndev; dev++)
		taken[dev] = v[digits_at(l.nd, l.dev, dev)] != 0 ? 1 : 2;
	return true;
}

bool stage_chooses(const states *s, int row, arena *tmp)
{
	int taken[DEVICES];

	return choices(s, row, taken, tmp);
}

struct amiss {			/* an operand, a device that takes it, and one that holds a baseline value in it, or part of one */
	int operand, base;
	int64_t takes, holds;
	bool part;
};

/* A device other than those that take operand k on which it is a baseline value, or at least a part of one: then *part. */
static int held_elsewhere(const states *s, int o, int k, const int *taken, int64_t *dev, bool *part)
{
	int64_t d;
	int base, any = -1;

	for (d = 0; d < s->q->ms.ndev; d++) {
		if (taken[d] == k)
			continue;
		if ((base = partner_at(s, o, d)) < 0 && (any >= 0 || (base = part_on(s, o, d)) < 0))
			continue;
		any = base;
		*dev = d;
		*part = row_elements(pair_row(s->q, SIDE_BASE, base)) != row_elements(row_at(s, o));
		if (!*part)
			break;
	}
	return any;
}

static int is_zero(const states *s, eg_id core)
{
	const algebra *a = &s->q->p->a;
	eg_id n = normal_node(a, core);

	return core_kind(a, n) == C_NUMBER && number_double(core_number(a, n)) == 0;
}

static bool zero_on(const states *s, int row, int64_t dev)
{
	return ask_on(s, row, dev, is_zero) > 0;
}

static int64_t first_that(const int *taken, int k, int64_t ndev)
{
	int64_t dev;

	for (dev = 0; dev < ndev && taken[dev] != k; dev++)
		;
	return dev < ndev ? dev : -1;
}

/* Is operand k nothing of the baseline's on any device that takes it, and something on another?  One that is verified has zeros there. */
static bool taken_amiss(const states *s, int row, int k, const int *taken, struct amiss *z)
{
	int o = row_at(s, row)->op[k];
	int64_t dev, ndev = s->q->ms.ndev;

	*z = (struct amiss){ .operand = o, .takes = first_that(taken, k, ndev) };
	if (z->takes < 0 || s->rs[o].constant || row_at(s, o)->param >= 0 || (s->rs[o].verified && s->rs[o].kind != STATE_PARTIAL) ||
	    (z->base = held_elsewhere(s, o, k, taken, &z->holds, &z->part)) < 0)
		return false;
	for (dev = 0; dev < ndev; dev++)
		if (taken[dev] == k && (s->rs[o].verified ? !zero_on(s, o, dev) : partner_at(s, o, dev) >= 0 || (z->part && part_on(s, o, dev) >= 0)))
			return false;
	return true;
}

static bool find_amiss(const states *s, int row, struct amiss *z, arena *tmp)
{
	int taken[DEVICES], k;

	if (!choices(s, row, taken, tmp))
		return false;
	for (k = 1; k <= 2; k++)
		if (taken_amiss(s, row, k, taken, z))
			return true;
	return false;
}

bool stage_chosen_amiss(const states *s, int row, arena *tmp)
{
	struct amiss z;

	return find_amiss(s, row, &z, tmp);
}

/* ", sent by device 3", where a row is what a permute brings. */
static const char *sent_by(const states *s, int row, int64_t dev, arena *out)
{
	const attr *pairs;
	int k;

	while (row_moves(row_at(s, row)))
		row = row_at(s, row)->op[0];
	pairs = inst_attr(row_at(s, row)->inst, "source_target_pairs");
	for (k = 0; pairs && pairs->kind == ATTR_PAIRS && k < pairs->n; k++)
		if (pairs->ints[2 * k + 1] == dev)
			return arena_printf(out, ", sent by device %lld", (long long)pairs->ints[2 * k]);
	return "";
}

const char *stage_choice_fault(const states *s, int row, arena *out)
{
	struct amiss z;

	if (!find_amiss(s, row, &z, out))
		return NULL;
	return arena_printf(out, "on device %lld it takes %%%s, where that is %s%s; on device %lld that is %s%%%s of the baseline%s, and not taken", (long long)z.takes,
			    dist_name(s, z.operand), s->rs[z.operand].verified ? "zeros" : "nothing of the baseline's", sent_by(s, z.operand, z.takes, out),
			    (long long)z.holds, z.part ? "a part of " : "", base_name(s, z.base), sent_by(s, z.operand, z.holds, out));
}

enum { BEHIND = 64 };	/* rows that are looked at behind one that is blamed */

int stage_choice_behind(const states *s, int row, arena *tmp)
{
	bool *seen = arena_zalloc(tmp, (size_t)row + 1);
	int left = BEHIND, k, first = -1, i;

	seen[row] = true;
	for (i = row; i >= 0 && left; i--) {	/* operands lie before their users */
		const struct row *r = row_at(s, i);
		if (!seen[i] || r->param >= 0 || s->rs[i].constant)
			continue;
		left--;
		if (i < row && stage_chosen_amiss(s, i, tmp))
			first = i;
		for (k = 0; k < r->nop; k++)
			seen[r->op[k]] = true;
	}
	return first;
}

/* ---- the fault */

/* Another baseline value that a row is on a device behind the first that has one; NULL: there is none. */
static const char *others(const states *s, int row, int base, int64_t dev, arena *out)
{
	int64_t k;
	int other;

	for (k = dev + 1; k < s->q->ms.ndev && k < DEVICES; k++)
		if ((other = partner_at(s, row, k)) >= 0 && !same_value(s, other, base))
			return arena_printf(out, "%%%s on device %lld", base_name(s, other), (long long)k);
	return NULL;
}

const char *stage_fault(const states *s, int row, arena *out)
{
	const struct row *r = row_at(s, row);
	const char *other;
	int64_t dev;
	int k, base;

	for (k = 0; k < r->nop; k++) {
		if (s->rs[r->op[k]].kind != STATE_NONE || (base = stage_partner(s, r->op[k], &dev)) < 0)
			continue;
		if ((other = others(s, r->op[k], base, dev, out)))
			return arena_printf(out, "it takes %%%s, which is %%%s of the baseline on device %lld and %s: what is made of it is not what the baseline makes of these",
					    dist_name(s, r->op[k]), base_name(s, base), (long long)dev, other);
		return arena_printf(out, "it takes %%%s, which is %%%s of the baseline on device %lld, not on all: it is taken where it is something else",
				    dist_name(s, r->op[k]), base_name(s, base), (long long)dev);
	}
	if ((base = stage_partner(s, row, &dev)) >= 0)
		return arena_printf(out, "it is %%%s of the baseline on device %lld, and something else on others", base_name(s, base), (long long)dev);
	return NULL;
}
