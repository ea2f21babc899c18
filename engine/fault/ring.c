#include "fault/ring.h"

#include <string.h>
#include "core/constant.h"
#include "relation/describe.h"
#include "relation/state_in.h"

enum { HOPS = 256, DEVICES = 64 };	/* rows of a ring, devices in it */

static bool is_slice(const states *s, int row)
{
	const struct row *r = row_at(s, row);

	return r->inst->opcode == OP_DYNAMIC_SLICE && s->rs[r->op[0]].kind == STATE_PARTIAL;
}

static bool hands_on(const struct row *r)
{
	return r->inst->opcode == OP_COLLECTIVE_PERMUTE;
}

/* Does it add or move, and nothing else? */
static bool brings_together(const struct row *r)
{
	return hands_on(r) || r->inst->opcode == OP_ADD || (row_moves(r) && r->inst->opcode != OP_CONVERT && r->inst->opcode != OP_BROADCAST);
}

/* Do the rows that take it, behind moves, put it beside other pieces, so that it may be brought together with more? */
static bool put_beside(const states *s, int row)
{
	const struct side *d = &s->side[SIDE_DIST];
	int left, k;

	for (left = HOPS; left && d->use_at[row + 1] == d->use_at[row] + 1 && brings_together(row_at(s, d->use[d->use_at[row]])); left--)
		row = d->use[d->use_at[row]];
	for (k = d->use_at[row]; k < d->use_at[row + 1]; k++) {
		const struct row *u = row_at(s, d->use[k]);
		if (brings_together(u) || u->inst->opcode == OP_DYNAMIC_UPDATE_SLICE || u->inst->opcode == OP_CONCATENATE || u->inst->opcode == OP_SELECT)
			return true;
	}
	return false;
}

static bool ends_ring(const states *s, int row)
{
	const struct row *r = row_at(s, row);

	return (hands_on(r) || r->inst->opcode == OP_ADD) && !put_beside(s, row);
}

int ring_end(const states *s, int row)
{
	const struct side *d = &s->side[SIDE_DIST];
	bool handed = false;
	int left = HOPS, end = -1, k;

	if (!is_slice(s, row))
		return -1;
	for (; left && d->use_at[row + 1] == d->use_at[row] + 1; left--) {
		int next = d->use[d->use_at[row]];
		const struct row *r = row_at(s, next);
		if (!brings_together(r) || s->rs[next].verified)
			break;
		for (k = 0; k < r->nop; k++)
			handed = handed || hands_on(r) || hands_on(row_at(s, r->op[k]));
		row = next;
		end = hands_on(r) || r->inst->opcode == OP_ADD ? row : end;
	}
	return handed && end >= 0 && ends_ring(s, end) ? end : -1;
}

/* What one device has of the parts: how often that of each device, and from which place on along the dimension that is cut. */
struct share {
	int part, cut;		/* the row that is a part; the dimension */
	int64_t extent;		/* places of a slice */
	int n[DEVICES];
	int64_t at[DEVICES];
};

static bool slice_on(const states *s, int row, int dev, struct share *x, arena *tmp)
{
	const struct row *r = row_at(s, row), *of = row_at(s, r->op[0]);
	const double *v;
	holding h = { .map = NULL };
	eg_id core;
	int k, cut = -1;

	for (k = 0; k < r->rank; k++)
		if (r->dim[k] != of->dim[k]) {
			if (cut >= 0)
				return false;
			cut = k;
		}
	if (cut < 0 || !row_form(s->q, SIDE_DIST, r->op[1 + cut], &h.l, &core) || !(v = constant_values(&s->q->p->a, core, tmp)))
		return false;
	memset(x, 0, sizeof *x);
	x->part = r->op[0];
	x->cut = cut;
	x->extent = r->dim[cut];
	x->n[dev] = 1;
	x->at[dev] = (int64_t)v[held_place(&h, dev, 0)];
	if (x->at[dev] > of->dim[cut] - r->dim[cut])
		x->at[dev] = of->dim[cut] - r->dim[cut];
	x->at[dev] = x->at[dev] < 0 ? 0 : x->at[dev];
	return true;
}

static bool share_on(const states *s, int row, int dev, int *left, struct share *x, arena *tmp);

static bool sent_to(const states *s, const struct row *r, int dev, int *left, struct share *x, arena *tmp)
{
	const attr *pairs = inst_attr(r->inst, "source_target_pairs");
	int k;

	for (k = 0; pairs && pairs->kind == ATTR_PAIRS && k < pairs->n; k++)
		if (pairs->ints[2 * k + 1] == dev)
			return share_on(s, r->op[0], (int)pairs->ints[2 * k], left, x, tmp);
	return false;
}

static bool add_share(struct share *x, const struct share *y, int ndev)
{
	int k;

	if (x->part != y->part || x->cut != y->cut || x->extent != y->extent)
		return false;
	for (k = 0; k < ndev; k++) {
		if (x->n[k] && y->n[k] && x->at[k] != y->at[k])
			return false;
		x->at[k] = x->n[k] ? x->at[k] : y->at[k];
		x->n[k] += y->n[k];
	}
	return true;
}

static bool share_on(const states *s, int row, int dev, int *left, struct share *x, arena *tmp)
{
	const struct row *r = row_at(s, row);
	struct share y;

	if (--*left < 0)
		return false;
	if (is_slice(s, row))
		return slice_on(s, row, dev, x, tmp);
	if (!brings_together(r) || r->param >= 0)
		return false;
	if (hands_on(r))
		return sent_to(s, r, dev, left, x, tmp);
	return share_on(s, r->op[0], dev, left, x, tmp) &&
	       (r->nop < 2 || (share_on(s, r->op[1], dev, left, &y, tmp) && add_share(x, &y, (int)s->q->ms.ndev)));
}

static const char *places_at(const states *s, const struct share *x, int dev, arena *out)
{
	const char *what = describe_dimension(out, row_at(s, x->part)->rank, x->cut, 0, NULL);

	return arena_printf(out, "%s %lld..%lld", what, (long long)x->at[dev], (long long)(x->at[dev] + x->extent - 1));
}

/* What is wrong with what a device has, of the parts of devices that add up to one value. */
static const char *share_fault(const states *s, const struct share *x, int dev, uint32_t axes, arena *out)
{
	const char *part = s->q->dist->row[x->part].path, *lack = NULL;
	int ndev = (int)s->q->ms.ndev, first = -1, k, n = 0;

	for (k = 0; k < ndev; k++) {
		if (!x->n[k]) {
			if (!(axes_apart(&s->q->ms, k, dev) & ~axes))
				lack = n++ ? arena_printf(out, "%s,%d", lack, k) : arena_printf(out, "%d", k);
			continue;
		}
		if (x->n[k] > 1)
			return arena_printf(out, "on device %d it adds the part that device %d has of %%%s %d times", dev, k, part, x->n[k]);
		if (first >= 0 && x->at[k] != x->at[first])
			return arena_printf(out, "on device %d it adds %s of device %d's part %%%s to %s of device %d's, which are other places", dev,
					    places_at(s, x, k, out), k, part, places_at(s, x, first, out), first);
		first = first < 0 ? k : first;
	}
	return n ? arena_printf(out, "on device %d the part%s of device%s %s %s lacking: it adds up what the others have of %%%s, P(sum) over %s", dev,
				n > 1 ? "s" : "", n > 1 ? "s" : "", lack, n > 1 ? "are" : "is", part, axes_text(&s->q->ms, axes, out)) : NULL;
}

const char *ring_fault(const states *s, int row, arena *out)
{
	int ndev = (int)s->q->ms.ndev, dev, left;
	const char *t;
	struct share x;

	if (!ends_ring(s, row))
		return NULL;
	for (dev = 0; dev < ndev && ndev <= DEVICES; dev++) {
		left = HOPS;
		if (!share_on(s, row, dev, &left, &x, out))
			return NULL;
		if (s->rs[x.part].kind == STATE_PARTIAL && (t = share_fault(s, &x, dev, s->answer[x.part].axes, out)))
			return t;
	}
	return NULL;
}
