#include "fault/fault_in.h"

#include <string.h>
#include "core/constant.h"
#include "pair/carry.h"
#include "relation/describe.h"
#include "relation/places.h"

/* ---- a wrong segment */

enum overlap { OVERLAP_NONE, OVERLAP_SOME, OVERLAP_ALL };

static enum overlap overlap_of(const struct place_set *b, int64_t extent, const struct place_set *d)
{
	int64_t i, k = 0, n = 0;

	if (b->by != NIL || d->by != NIL || !d->v)
		return OVERLAP_NONE;
	if (!b->v)
		return b->n == extent ? OVERLAP_ALL : OVERLAP_NONE;
	for (i = 0; i < d->n; i++) {
		while (k < b->n && b->v[k] < d->v[i])
			k++;
		n += k < b->n && b->v[k] == d->v[i];
	}
	return n == d->n ? OVERLAP_ALL : n ? OVERLAP_SOME : OVERLAP_NONE;
}

/* How much of what the distributed row reads, of the same operands, does a baseline row read that does not read all there is? */
static enum overlap reads_of(const states *s, int base, eg_id dn, const struct places *d, arena *out)
{
	const algebra *a = &s->q->p->a;
	eg_id bn = normal_node(a, s->side[SIDE_BASE].core[base]);
	int n = pairing_read(a, dn).nslot, k, i;
	enum overlap least = OVERLAP_ALL, o;
	struct places *b;
	bool some = false;

	if (core_kind(a, bn) != core_kind(a, dn) || pairing_read(a, bn).nslot != n)
		return OVERLAP_NONE;
	b = places_of_node(s, bn, out);
	for (k = 0; k < n; k++) {
		if (eg_current(a->g, dn)[k] != eg_current(a->g, bn)[k] || b[k].rank != d[k].rank)
			return OVERLAP_NONE;
		for (i = 0; i < d[k].rank; i++) {
			if (!d[k].set[i].v)
				continue;
			o = overlap_of(&b[k].set[i], d[k].dim[i], &d[k].set[i]);
			least = o < least ? o : least;
			some = some || b[k].set[i].v;
		}
	}
	return some ? least : OVERLAP_NONE;
}

/* The difference of a slice, and whose places it reads instead. */
const char *fault_wrong_segment(const states *s, const frontier_entry *e, const frontier_candidate *near, arena *out)
{
	const algebra *a = &s->q->p->a;
	eg_id n = normal_node(a, s->side[SIDE_DIST].core[e->row]);
	const char *across = NULL;
	struct places *d;
	enum overlap o;
	int k;

	if (near->kind != DIFFERENCE_PLACES || core_atom(a, n) ||
	    core_kind(a, n) == C_VIEW)
		return NULL;
	d = places_of_node(s, n, out);
	for (k = 0; k < e->nbase; k++) {
		if ((o = reads_of(s, e->base[k], n, d, out)) == OVERLAP_ALL && k)
			return arena_printf(out, "%s: these are places of %%%s, a wrong segment", near->difference, base_name(s, e->base[k]));
		if (o == OVERLAP_SOME)
			across = across ? arena_printf(out, "%s and %%%s", across, base_name(s, e->base[k])) : arena_printf(out, "%%%s", base_name(s, e->base[k]));
	}
	return across && strstr(across, " and ") ? arena_printf(out, "%s: these are places of %s, cut across segments", near->difference, across) : NULL;
}

/* ---- slices beyond the edge */

/* A slice that begins, on some device, where it does not fit is moved back. */
const char *fault_clamped_start(const states *s, int row, arena *out)
{
	const struct row *r = row_at(s, row);
	const struct row *x;
	int64_t dev;
	int k;

	if (r->inst->opcode != OP_DYNAMIC_SLICE || r->nop != r->rank + 1)
		return NULL;
	x = row_at(s, r->op[0]);
	for (k = 0; k < r->rank; k++) {
		layout l;
		eg_id core;
		const double *v;
		if (!row_form(s->q, SIDE_DIST, r->op[k + 1], &l, &core) || !(v = constant_values(&s->q->p->a, core, out)))
			continue;
		for (dev = 0; dev < s->q->ms.ndev; dev++) {
			double at = v[digits_at(l.nd, l.dev, dev)], last = (double)(x->dim[k] - r->dim[k]);
			if (at < 0 || at > last)
				return arena_printf(out, "on device %lld it would begin at %g of dimension %d, where %lld of %lld places do not fit: it is moved to %g",
						    (long long)dev, at, k, (long long)r->dim[k], (long long)x->dim[k], at < 0 ? 0 : last);
		}
	}
	return NULL;
}

/* The dimension that a slice cuts, where it begins on each device, when these are known and not all the same; -1. */
static int starts_apart(const states *s, int row, int64_t *at, arena *out)
{
	const struct row *r = row_at(s, row), *x = r->nop ? row_at(s, r->op[0]) : NULL;
	int64_t ndev = s->q->ms.ndev, dev;
	int k, cut = -1;

	if (r->inst->opcode != OP_DYNAMIC_SLICE || r->nop != r->rank + 1 || row_axes(s, r->op[0]))
		return -1;
	for (k = 0; k < r->rank; k++)
		if (r->dim[k] != x->dim[k]) {
			if (cut >= 0)
				return -1;
			cut = k;
		}
	for (dev = 0; dev < ndev && cut >= 0; dev++)
		if (!start_on(s, r->op[cut + 1], dev, x->dim[cut] - r->dim[cut], &at[dev], out))
			return -1;
	for (dev = 1; dev < ndev && cut >= 0 && at[dev] == at[0]; dev++)
		;
	return cut >= 0 && dev < ndev ? cut : -1;
}

bool slice_begins_apart(const states *s, int row, arena *tmp)
{
	return starts_apart(s, row, ARENA_ARRAY(tmp, int64_t, s->q->ms.ndev), tmp) >= 0;
}

enum { STARTS = 8, USERS = 8 };	/* that are told; baseline rows that are looked at */

/* The operand of a row that each device has its own part of, and that is no slice, moved; -1. */
static int operand_beside(const states *s, int row, int slice)
{
	const struct row *r = row_at(s, row);
	int k, o;

	for (k = 0; k < r->nop; k++) {
		for (o = r->op[k]; row_moves(row_at(s, o)); o = row_at(s, o)->op[0])
			;
		if (o != slice && row_axes(s, r->op[k]))
			return r->op[k];
	}
	return -1;
}

/* Two places that a row takes together and the baseline does not; NULL: not known. */
static const char *pair_apart(const states *s, int row, arena *out)
{
	int base[USERS], n = counterpart_users(s, row, base, USERS), k;
	difference d;

	for (k = 0; k < n && s->q->base->row[base[k]].inst->opcode != row_at(s, row)->inst->opcode; k++)
		;
	d = k < n ? difference_rows(s, base[k], row, out) : (difference){ 0 };
	return d.kind && !strncmp(d.text, "takes place", strlen("takes place")) ? d.text : NULL;
}

const char *fault_misplaced_slice(const states *s, const frontier_entry *e, arena *out)
{
	int64_t ndev = s->q->ms.ndev, *at = ARENA_ARRAY(out, int64_t, ndev), dev;
	int cut = starts_apart(s, e->row, at, out), with = operand_beside(s, e->fed, e->row);
	const char *t = "", *apart = pair_apart(s, e->fed, out);

	for (dev = 0; dev < ndev && dev < STARTS; dev++)
		t = arena_printf(out, "%s%s%lld", t, dev ? ", " : "", (long long)at[dev]);
	return arena_printf(out, "device by device it begins at %s%s of dimension %d of %s, so it is %s, and %%%s takes it with %s: %s", t,
			    dev < ndev ? ", .." : "", cut, value_name(s, row_at(s, e->row)->op[0], out), fault_operand(s, e->row, out), dist_name(s, e->fed),
			    with < 0 ? "others" : arena_printf(out, "%%%s, which is %s", dist_name(s, with), fault_operand(s, with, out)),
			    apart ? arena_printf(out, "it %s", apart) : "their places do not belong together");
}

/* Slices of the devices that take some places twice, and leave out others, of what they could share out evenly. */
const char *fault_overlapping_slices(const states *s, int row, arena *out)
{
	const struct row *r = row_at(s, row);
	int64_t ndev = s->q->ms.ndev, *at = ARENA_ARRAY(out, int64_t, ndev), dev, n, m = 0, i, extent, *rest;
	int cut = starts_apart(s, row, at, out);
	bool *hit;

	if (cut < 0)
		return NULL;
	n = r->dim[cut];
	extent = row_at(s, r->op[0])->dim[cut];
	for (dev = 0; n && dev < ndev && at[dev] % n == 0; dev++)
		;
	if (!n || dev == ndev || extent % n || extent > n * ndev || extent > CONSTANT_MAX)
		return NULL;
	hit = arena_zalloc(out, (size_t)extent);
	rest = ARENA_ARRAY(out, int64_t, extent);
	for (i = 0; i < ndev * n; i++)
		hit[at[i / n] + i % n] = true;
	for (i = 0; i < extent; i++)
		if (!hit[i])
			rest[m++] = i;
	return m ? arena_printf(out, "on device %lld it takes places %lld..%lld of dimension %d of %s, across two of its parts of %lld: no device takes %s",
				(long long)dev, (long long)at[dev], (long long)(at[dev] + n - 1), cut, value_name(s, r->op[0], out), (long long)n,
				describe_runs(out, m, rest)) : NULL;
}

/* Does what is shared out of operand k of a dot meet places of the other operand?  Where it is not known, it may. */
static bool shares_out_summed(const states *s, const struct row *u, int k)
{
	static const char *const key[2][2] = { { "lhs_contracting_dims", "lhs_batch_dims" }, { "rhs_contracting_dims", "rhs_batch_dims" } };
	const struct row *x = row_at(s, u->op[k]), *whole;
	int i, j, n;

	if (u->inst->opcode != OP_DOT || s->rs[u->op[k]].base < 0)
		return true;
	whole = &s->q->base->row[s->rs[u->op[k]].base];
	if (whole->rank != x->rank || row_elements(whole) == row_elements(x))
		return true;
	for (j = 0; j < 2; j++) {
		const int64_t *dim = inst_ints(u->inst, key[k][j], &n);

		for (i = 0; i < n; i++)
			if (x->dim[dim[i]] != whole->dim[dim[i]])
				return true;
	}
	return false;
}

/* Does a dot leave the dimensions that are cut in a block, its operand, to what it gives? */
static bool keeps_block(const states *s, const struct row *u, int block)
{
	static const char *const key[] = { "lhs_contracting_dims", "rhs_contracting_dims" };
	const struct row *x = row_at(s, block), *whole;
	const int64_t *dim;
	int k, n;

	if (u->inst->opcode != OP_DOT || s->answer[block].kind != STATE_BLOCK)
		return false;
	whole = &s->q->base->row[s->answer[block].base];
	dim = inst_ints(u->inst, key[u->op[1] == block], &n);
	for (k = 0; k < n && whole->rank == x->rank && whole->dim[dim[k]] == x->dim[dim[k]]; k++)
		;
	return k == n && u->op[0] != u->op[1];
}

int taken_with(const states *s, int row, int *beside, uint32_t *axes)
{
	const struct side *d = &s->side[SIDE_DIST];
	const struct row *u;
	int left = 8, from, k;

	for (; left && d->use_at[row + 1] == d->use_at[row] + 1; left--) {
		from = row;
		row = d->use[d->use_at[row]];
		u = row_at(s, row);
		for (k = 0; k < u->nop; k++)
			if (u->op[k] != from && s->rs[u->op[k]].verified && (*axes = row_axes(s, u->op[k])) && shares_out_summed(s, u, k)) {
				*beside = u->op[k];
				return row;
			}
		if (!carry_elementwise(row_at(s, row)) && !state_relabels(u->inst->opcode) && !keeps_block(s, u, from))
			break;
	}
	return -1;
}

bool row_slices(const states *s, int row)
{
	enum opcode op = row_at(s, row)->inst->opcode;

	return op == OP_SLICE || op == OP_DYNAMIC_SLICE;
}

enum { SLICES = 4096 };		/* of one operand that are looked at */

/* The only dimension of which not all places are taken; -1: there are several, or none. */
static int cut_dimension(const struct places *p)
{
	int k, which = -1;

	for (k = 0; k < p->rank; k++)
		if (p->set[k].v) {
			if (which >= 0)
				return -1;
			which = k;
		}
	return which >= 0 && p->dim[which] != INT64_MAX ? which : -1;
}

/* What the slots of a slice's core read; NULL where it has none of its own: a slice that takes all, or undoes what was put around, is an atom. */
static struct places *slice_places(const states *s, eg_id core, arena *out)
{
	const algebra *a = &s->q->p->a;
	eg_id n = normal_node(a, core);

	return core_atom(a, n) || core_kind(a, n) == C_VIEW ? NULL : places_of_node(s, n, out);
}

/* Marks the places along a dimension that all slices of an operand take; their number, 0: not known. */
static int slices_of(const states *s, int o, int which, int64_t extent, bool *hit, arena *out)
{
	const struct side *d = &s->side[SIDE_DIST];
	int k, n = 0;
	int64_t i;

	if (d->use_at[o + 1] - d->use_at[o] > SLICES)
		return 0;
	for (k = d->use_at[o]; k < d->use_at[o + 1]; k++) {
		const struct places *p;
		if (!row_slices(s, d->use[k]))
			continue;
		if (d->core[d->use[k]] == NIL)
			return 0;
		p = slice_places(s, d->core[d->use[k]], out);
		if (!p || !p->rank || cut_dimension(p) != which || p->dim[which] != extent)
			return 0;
		for (i = 0; i < p->set[which].n; i++)
			hit[p->set[which].v[i]] = true;
		n++;
	}
	return n;
}

/* Does the baseline slice it, too? */
static bool sliced_in_base(const states *s, int o)
{
	const struct side *b = &s->side[SIDE_BASE];
	int base = s->rs[o].base, k;

	for (k = base < 0 ? 0 : b->use_at[base]; base >= 0 && k < b->use_at[base + 1]; k++) {
		enum opcode op = s->q->base->row[b->use[k]].inst->opcode;

		if (op == OP_SLICE || op == OP_DYNAMIC_SLICE)
			return true;
	}
	return false;
}

/* That no slice of an operand takes some places of a dimension, when they cut that alone, and one alone a shard of it; NULL otherwise. */
static const char *not_taken(const states *s, int o, const struct places *p, arena *out)
{
	int which = cut_dimension(p), n, k;
	int64_t *rest, i, m = 0, extent = which < 0 ? 0 : p->dim[which], all = 1;
	const char *t;
	bool *hit;

	for (k = 0; k < p->rank; k++)
		all *= p->dim[k];
	if (!extent || extent > CONSTANT_MAX || sliced_in_base(s, o) || all != row_elements(row_at(s, o)) * axes_size(&s->q->ms, row_axes(s, o)))
		return NULL;
	hit = arena_zalloc(out, (size_t)extent);
	n = slices_of(s, o, which, extent, hit, out);
	if (!n || (n == 1 && extent % p->set[which].n))
		return NULL;
	rest = ARENA_ARRAY(out, int64_t, extent);
	for (i = 0; i < extent; i++)
		if (!hit[i])
			rest[m++] = i;
	if (!m)
		return NULL;
	t = describe_dimension(out, p->rank, which, m, rest);
	return n == 1 ? arena_printf(out, "nothing takes %s", t) : arena_printf(out, "the %d slices there are leave out %s", n, t);
}

/* What a slice takes of what every device has whole, where it cuts one dimension: "columns 0, 1"; NULL. */
static const char *cut_of_whole(const states *s, const struct row *r, arena *out)
{
	int cut = -1, k;
	int64_t *v, i;

	if (r->inst->opcode != OP_SLICE || row_axes(s, r->op[0]))
		return NULL;
	for (k = 0; k < r->rank; k++)
		if (r->dim[k] != row_at(s, r->op[0])->dim[k]) {
			if (cut >= 0)
				return NULL;
			cut = k;
		}
	if (cut < 0 || r->dim[cut] > CONSTANT_MAX)
		return NULL;
	v = ARENA_ARRAY(out, int64_t, r->dim[cut]);
	for (i = 0; i < r->dim[cut]; i++)
		v[i] = r->ints[3 * cut] + i * r->ints[3 * cut + 2];
	return describe_dimension(out, r->rank, cut, r->dim[cut], v);
}

/* A slice that every device takes alike, where each should have another: taken with what each has for itself; or slices that leave something
 * out. */
const char *fault_same_slice(const states *s, const frontier_entry *e, arena *out)
{
	const struct row *r = row_at(s, e->row);
	const char *takes, *rest;
	const struct places *p;
	uint32_t axes = 0;
	int with, by;

	if (!row_slices(s, e->row) || row_elements(r) == row_elements(row_at(s, r->op[0])) || (e->nbase && s->q->base->row[e->base[0]].inst->opcode == OP_SLICE))
		return NULL;
	p = slice_places(s, s->side[SIDE_DIST].core[e->row], out);
	takes = p && *p->text ? p->text : cut_of_whole(s, r, out);
	if (!takes || *takes == '@')
		return NULL;
	takes = arena_printf(out, "takes %s of %s", takes, value_name(s, r->op[0], out));
	rest = p ? not_taken(s, r->op[0], p, out) : NULL;
	if (row_axes(s, e->row))
		return rest ? arena_printf(out, "it %s, and %s", takes, rest) : NULL;
	if ((by = taken_with(s, e->row, &with, &axes)) >= 0)
		return arena_printf(out, "every device of %s %s, and %%%s takes them with %%%s, which is %s", axes_of(s, axes, out), takes,
				    dist_name(s, by), dist_name(s, with), fault_operand(s, with, out));
	return rest ? arena_printf(out, "every device %s, and %s", takes, rest) : NULL;
}
