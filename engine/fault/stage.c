#include "fault/stage.h"

#include "fault/fault_in.h"

enum { DEVICES = 8 };	/* that are asked */

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
