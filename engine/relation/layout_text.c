#include "relation/layout_text.h"

#include <stdlib.h>
#include <string.h>
#include "util/integers.h"

#define DIGITS_MAX 64

/* A digit after refinement: `stride` is where it starts in the core (0: free), `group` its dimension or mesh axis. */
struct part {
	int64_t size, stride;
	int group;
};
struct parts {
	int n;
	struct part p[DIGITS_MAX];
};

/* Both layouts over the same pieces of the core. */
struct relation {
	const layout *base, *dist;
	const mesh *ms;
	int lrank;			/* the local shape; dimensions whose border no digit has are one */
	int64_t ldim[DIGITS_MAX];
	struct parts b, dev, loc;	/* base index, device id, local index */
	int ncut;
	int64_t cut[6 * DIGITS_MAX];
	struct parts g;			/* the gathered tensor; group: its dimension */
	int grank;
	int64_t gdim[DIGITS_MAX];
	struct { struct part p; int dim; } shard[DIGITS_MAX];	/* device digits in order of dimensions */
	int nshard;
	bool leading;			/* dimensions were added in front: digits that belong to no local one */
};

struct text {
	arena *out;
	char *s;
};

static void put(struct text *t, const char *s)
{
	t->s = arena_printf(t->out, "%s%s", t->s ? t->s : "", s);
}

#define PUTF(t, ...) put(t, arena_printf((t)->out, __VA_ARGS__))

/* ---- refinement */

/* Cuts a list at the suffix products of its groups; false where a group's border does not divide. */
static bool cut_at_groups(struct parts *out, int n, const digit *d, int ngroup, const int64_t *group)
{
	int64_t left = ngroup ? group[0] : 1, rest;
	int g = 0, i;

	out->n = 0;
	for (i = 0; i < n; i++) {
		rest = d[i].size;
		while (rest > 1) {
			int64_t take;
			while (left == 1 && g + 1 < ngroup)
				left = group[++g];
			if (left == 1 || out->n == DIGITS_MAX)
				return false;
			if (left % rest == 0)
				take = rest;
			else if (rest % left == 0)
				take = left;
			else
				return false;
			rest /= take;
			left /= take;
			out->p[out->n++] = (struct part){ take, d[i].stride * rest, g };
		}
	}
	return true;
}

/* Does a suffix product of p fall on a digit's border, or divide the digit it falls into? */
static bool border(int n, const digit *d, int64_t p)
{
	int64_t below = 1;
	int i;

	for (i = n - 1; i >= 0 && below < p; i--) {
		if (p < below * d[i].size)
			return p % below == 0 && below * d[i].size % p == 0;
		below *= d[i].size;
	}
	return below == p;
}

static void local_shape(struct relation *r, const layout *l)
{
	int64_t below = 1;
	int i, n = 0;

	for (i = l->rank - 1; i >= 0; i--) {
		if (n && !border(l->nl, l->loc, below))
			r->ldim[n - 1] *= l->dim[i];
		else
			r->ldim[n++] = l->dim[i];
		below *= l->dim[i];
	}
	for (i = 0; i < n / 2; i++) {
		int64_t t = r->ldim[i];
		r->ldim[i] = r->ldim[n - 1 - i];
		r->ldim[n - 1 - i] = t;
	}
	r->lrank = n;
}

static void note_cuts(struct relation *r, const struct parts *l)
{
	int i;

	for (i = 0; i < l->n; i++)
		if (l->p[i].stride) {
			r->cut[r->ncut++] = l->p[i].stride;
			r->cut[r->ncut++] = l->p[i].stride * l->p[i].size;
		}
}

static bool sort_cuts(struct relation *r)
{
	int i, n = 0;

	qsort(r->cut, (size_t)r->ncut, sizeof *r->cut, integers_compare);
	for (i = 0; i < r->ncut; i++) {
		if (n && r->cut[n - 1] == r->cut[i])
			continue;
		if (n && r->cut[i] % r->cut[n - 1])
			return false;
		r->cut[n++] = r->cut[i];
	}
	r->ncut = n;
	return true;
}

static bool cut_parts(const struct relation *r, struct parts *l)
{
	struct parts o = { .n = 0 };
	int i, k;

	for (i = 0; i < l->n; i++) {
		struct part p = l->p[i];
		for (k = r->ncut - 1; k >= 0 && p.stride; k--) {
			int64_t c = r->cut[k];
			if (c <= p.stride || c >= p.stride * p.size)
				continue;
			if (o.n == DIGITS_MAX)
				return false;
			o.p[o.n++] = (struct part){ p.stride * p.size / c, c, p.group };
			p.size = c / p.stride;
		}
		if (o.n == DIGITS_MAX)
			return false;
		o.p[o.n++] = p;
	}
	*l = o;
	return true;
}

static bool refine(struct relation *r, const mesh *ms, const layout *base, const layout *dist)
{
	int64_t axis[DIGITS_MAX];
	int i, n = ms->n < DIGITS_MAX ? ms->n : DIGITS_MAX;

	memset(r, 0, sizeof *r);
	r->ms = ms;
	r->base = base;
	r->dist = dist;
	for (i = 0; i < n; i++)
		axis[i] = ms->axis[i].size;
	if (base->nl > DIGITS_MAX / 2 || dist->nl > DIGITS_MAX / 2 || dist->nd > DIGITS_MAX / 2 || dist->rank > DIGITS_MAX / 2)
		return false;
	for (i = 0; i < base->nd; i++)	/* a baseline that is distributed itself has no one tensor to compare with */
		if (base->dev[i].stride)
			return false;
	local_shape(r, dist);
	if (!cut_at_groups(&r->b, base->nl, base->loc, base->rank, base->dim) ||
	    !cut_at_groups(&r->loc, dist->nl, dist->loc, r->lrank, r->ldim) ||
	    !cut_at_groups(&r->dev, dist->nd, dist->dev, n, axis))
		return false;
	note_cuts(r, &r->b);
	note_cuts(r, &r->loc);
	note_cuts(r, &r->dev);
	return sort_cuts(r) && cut_parts(r, &r->b) && cut_parts(r, &r->loc) && cut_parts(r, &r->dev);
}

/* ---- the gathered tensor: device digits in front of the dimensions they belong to */

static int in_base(const struct relation *r, int64_t stride)
{
	int i;

	for (i = 0; i < r->b.n; i++)
		if (r->b.p[i].stride == stride)
			return i;
	return -1;
}

struct gather {
	struct parts front[DIGITS_MAX], own[DIGITS_MAX];	/* per local dimension */
	bool used[DIGITS_MAX];
};

/* The bound device digit that stands just before base position `at`, or -1. */
static int device_before(const struct relation *r, const struct gather *g, int at, bool cross)
{
	int i;

	if (at < 1 || (!cross && r->b.p[at - 1].group != r->b.p[at].group) || !r->b.p[at - 1].stride)
		return -1;
	for (i = 0; i < r->dev.n; i++)
		if (!g->used[i] && r->dev.p[i].stride == r->b.p[at - 1].stride)
			return i;
	return -1;
}

static void push_front(struct parts *l, struct part p)
{
	memmove(l->p + 1, l->p, sizeof *l->p * (size_t)l->n);
	l->p[0] = p;
	l->n++;
}

static void prepend(struct relation *r, struct gather *g, bool cross)
{
	int d, i;

	for (d = 0; d < r->lrank; d++)
		for (;;) {
			const struct parts *l = g->front[d].n ? &g->front[d] : &g->own[d];
			int at = l->n && l->p[0].stride ? in_base(r, l->p[0].stride) : -1;
			if (at < 0 || (i = device_before(r, g, at, cross)) < 0)
				break;
			g->used[i] = true;
			push_front(&g->front[d], r->dev.p[i]);
		}
}

/* Digits that no local neighbour claims: to the dimension of the same number where that is empty, else (lead) to a dimension of
 * their own in front. */
static void place_rest(struct relation *r, struct gather *g, struct parts *lead)
{
	int i, j, k;

	for (i = r->b.n - 1; i >= 0; i--) {
		for (j = 0; j < r->dev.n && (g->used[j] || !r->b.p[i].stride || r->dev.p[j].stride != r->b.p[i].stride); j++)
			;
		k = r->b.p[i].group;
		if (j == r->dev.n || (!lead && (r->base->rank != r->lrank || g->own[k].n)))
			continue;
		g->used[j] = true;
		push_front(lead ? lead : &g->front[k], r->dev.p[j]);
	}
}

static void add_dim(struct relation *r, const struct parts *l, const struct parts *m)
{
	int64_t n = 1;
	int i;

	for (i = 0; i < l->n; i++) {
		r->g.p[r->g.n] = l->p[i];
		r->g.p[r->g.n++].group = r->grank;
		r->shard[r->nshard].p = l->p[i];
		r->shard[r->nshard++].dim = r->grank;
		n *= l->p[i].size;
	}
	for (i = 0; m && i < m->n; i++) {
		r->g.p[r->g.n] = m->p[i];
		r->g.p[r->g.n++].group = r->grank;
		n *= m->p[i].size;
	}
	r->gdim[r->grank++] = n;
}

static bool gather_into(struct relation *r, struct gather *g)
{
	struct parts lead = { .n = 0 };
	int i;

	for (i = 0; i < r->loc.n; i++) {
		struct parts *l = &g->own[r->loc.p[i].group];
		l->p[l->n++] = r->loc.p[i];
	}
	prepend(r, g, false);
	place_rest(r, g, NULL);
	prepend(r, g, true);
	place_rest(r, g, &lead);
	if (r->loc.n + r->dev.n > DIGITS_MAX || r->lrank + 1 > DIGITS_MAX / 2)
		return false;
	if (lead.n) {
		r->leading = true;
		add_dim(r, &lead, NULL);
	}
	for (i = 0; i < r->lrank; i++)
		add_dim(r, &g->front[i], &g->own[i]);
	return true;
}

static bool gather(struct relation *r)
{
	struct gather *g = malloc(sizeof *g);
	bool ok;
	int i;

	if (!g) {
		die_hook("out of memory");
		return false;
	}
	for (i = 0; i < r->lrank; i++)	/* large: only what is used is cleared */
		g->front[i].n = g->own[i].n = 0;
	memset(g->used, 0, sizeof g->used);
	ok = gather_into(r, g);
	free(g);
	return ok;
}

/* ---- what is left to do with the gathered tensor */

/* A dimension that is sharded in equal segments: in the baseline the device digits stand after local ones.
 * The segment size, or 0; everything else must be as in the baseline. */
static int64_t segment_of(const struct relation *r, int *dim, int *axis)
{
	int i, k = 0, at = -1;
	int64_t below = 1;

	if (r->lrank != r->base->rank || r->lrank != r->dist->rank)
		return 0;
	for (i = 0; i < r->b.n; i++) {
		const struct part *p = &r->b.p[i];
		if (k < r->loc.n && p->stride == r->loc.p[k].stride && p->size == r->loc.p[k].size && p->group == r->loc.p[k].group) {
			k++;
			continue;
		}
		if (at >= 0 || !p->stride || !k || r->loc.p[k - 1].group != p->group)
			return 0;
		at = i;
	}
	if (at < 0 || k < r->loc.n)
		return 0;
	for (i = 0, *axis = -1; i < r->dev.n; i++)
		if (r->dev.p[i].stride && (*axis >= 0 || r->dev.p[i].stride != r->b.p[at].stride))
			return 0;
		else if (r->dev.p[i].stride)
			*axis = r->dev.p[i].group;
	if (*axis < 0 || r->ms->axis[*axis].size != r->b.p[at].size)
		return 0;
	*dim = r->b.p[at].group;
	for (i = at; i < r->b.n && r->b.p[i].group == *dim; i++)
		below *= r->b.p[i].size;
	return below;
}

/* Free digits of the gathered tensor that the baseline does not have at that place are named; the others pair up in order. */
struct residue {
	bool none, reshape_only, broken;
	int n;
	int64_t size[DIGITS_MAX];	/* factors, in the gathered order */
	int perm[DIGITS_MAX];		/* factor number at each place of the baseline */
	bool stretch;			/* the baseline repeats, in a leading place of a dimension, what does not vary */
	int64_t extra, extra_dim;	/* a free local digit without counterpart; 1: none */
};

static bool same_part(const struct part *x, const struct part *y)
{
	return x->stride == y->stride && x->size == y->size;
}

/* Dimension by dimension; the baseline may repeat a value along a dimension more often than one device does. */
static bool same_dims(const struct relation *r, bool *stretch)
{
	int i = 0, j = 0, d;

	*stretch = false;
	if (r->grank != r->base->rank)
		return false;
	for (d = 0; d < r->grank; d++) {
		int64_t fb = 1, fg = 1;
		while (i < r->b.n && r->b.p[i].group == d && !r->b.p[i].stride)
			fb *= r->b.p[i++].size;
		while (j < r->g.n && r->g.p[j].group == d && !r->g.p[j].stride)
			fg *= r->g.p[j++].size;
		if (fb != fg && (fg == 0 || fb % fg))
			return false;
		*stretch = *stretch || fb != fg;
		for (; i < r->b.n && r->b.p[i].group == d; i++, j++)
			if (j == r->g.n || r->g.p[j].group != d || !same_part(&r->b.p[i], &r->g.p[j]))
				return false;
		if (j < r->g.n && r->g.p[j].group == d)
			return false;
	}
	return true;
}

static bool order_of(const struct relation *r, int *place)
{
	bool used[DIGITS_MAX] = { false };
	int i, j;

	if (r->b.n != r->g.n)
		return false;
	for (i = 0; i < r->b.n; i++) {
		for (j = 0; j < r->g.n && (used[j] || !same_part(&r->b.p[i], &r->g.p[j])); j++)
			;
		if (j == r->g.n)
			return false;
		used[j] = true;
		place[i] = j;
	}
	return true;
}

static void find_extra(const struct relation *r, struct residue *z)
{
	int i;

	z->extra = 1;
	for (i = 0; i < r->g.n; i++)
		if (!r->g.p[i].stride) {
			z->extra *= r->g.p[i].size;
			z->extra_dim = r->g.p[i].group;
		}
	for (i = 0; i < r->b.n; i++)
		if (!r->b.p[i].stride)
			z->extra = z->extra % r->b.p[i].size ? z->extra : z->extra / r->b.p[i].size;
}

static struct residue residue_of(const struct relation *r)
{
	struct residue z = { .extra = 1 };
	int place[DIGITS_MAX], first[DIGITS_MAX], run[DIGITS_MAX], i, k, n = 0;

	if (same_dims(r, &z.stretch)) {
		z.none = true;
		return z;
	}
	if (!order_of(r, place)) {
		z.broken = true;
		find_extra(r, &z);
		return z;
	}
	for (i = 0; i < r->b.n; i++) {	/* runs that are neighbours on both sides are one factor */
		if (i && place[i] == place[i - 1] + 1) {
			run[n - 1]++;
			continue;
		}
		first[n] = place[i];
		run[n++] = 1;
	}
	z.n = n;
	z.reshape_only = n <= 1;
	for (i = 0; i < n; i++) {
		int before = 0, j;
		for (k = 0; k < n; k++)
			before += first[k] < first[i];
		z.perm[i] = before;
		z.size[before] = 1;
		for (j = 0; j < run[i]; j++)
			z.size[before] *= r->g.p[first[i] + j].size;
	}
	return z;
}

/* ---- words */

static void put_dims(struct text *t, int n, const int64_t *d)
{
	int i;

	put(t, "[");
	for (i = 0; i < n; i++)
		PUTF(t, "%s%lld", i ? "," : "", (long long)d[i]);
	put(t, "]");
}

static void put_perm(struct text *t, int n, const int *p, const char *open, const char *close)
{
	int i;

	put(t, open);
	for (i = 0; i < n; i++)
		PUTF(t, "%s%d", i ? "," : "", p[i]);
	put(t, close);
}

/* The part of an axis a digit is: its name, or the name with the range of digits it is of. */
static const char *axis_part(const struct relation *r, arena *out, const struct part *p)
{
	const struct mesh_axis *x = &r->ms->axis[p->group];
	int64_t below = 1;
	int i;

	if (p->size == x->size)
		return x->name;
	for (i = r->dev.n - 1; i >= 0 && r->dev.p[i].group >= p->group; i--) {
		if (r->dev.p[i].group > p->group)
			continue;
		if (r->dev.p[i].stride == p->stride)
			break;
		below *= r->dev.p[i].size;
	}
	return arena_printf(out, below == 1 ? "%s %% %lld" : x->size == below * p->size ? "%s / %lld" : "%s / %lld %% %lld", x->name,
			    (long long)(below == 1 ? p->size : below), (long long)p->size);
}

/* Neighbouring digits of one axis in one dimension are one. */
static int joined_shards(const struct relation *r, struct part *p, int *dim)
{
	int i, n = 0, k;

	for (i = 0; i < r->nshard; i++) {
		const struct part *q = &r->shard[i].p;
		for (k = 0; k + 1 < r->dev.n && n && !(r->dev.p[k].stride == r->shard[i - 1].p.stride && r->dev.p[k + 1].stride == q->stride); k++)
			;
		if (n && k + 1 < r->dev.n && dim[n - 1] == r->shard[i].dim && p[n - 1].group == q->group) {
			p[n - 1].size *= q->size;
			p[n - 1].stride = q->stride;
			continue;
		}
		p[n] = *q;
		dim[n++] = r->shard[i].dim;
	}
	return n;
}

static void put_placements(const struct relation *r, struct text *t)
{
	struct part p[DIGITS_MAX];
	int dim[DIGITS_MAX], n = joined_shards(r, p, dim), i, off = r->leading;

	if (r->lrank != r->dist->rank) {
		put(t, "as ");
		put_dims(t, r->lrank, r->ldim);
		put(t, ": ");
	}
	if (!n)
		put(t, "R");
	for (i = 0; i < n; i++) {
		if (i && dim[i] == dim[i - 1]) {
			PUTF(t, ",%s", axis_part(r, t->out, &p[i]));
			continue;
		}
		put(t, i ? " · " : "");
		if (off && !dim[i])
			PUTF(t, "stacked over %s", axis_part(r, t->out, &p[i]));
		else
			PUTF(t, "S(%d) over %s", dim[i] - off, axis_part(r, t->out, &p[i]));
	}
}

static void put_steps(const struct relation *r, const struct residue *z, struct text *t)
{
	int64_t mid[DIGITS_MAX];
	int i;

	if (z->none || z->broken)
		return;
	if (!z->reshape_only) {
		if (z->n != r->grank || memcmp(z->size, r->gdim, sizeof *z->size * (size_t)z->n)) {
			put(t, "reshape ");
			put_dims(t, r->grank, r->gdim);
			put(t, " to ");
			put_dims(t, z->n, z->size);
			put(t, ", ");
		}
		put_perm(t, z->n, z->perm, "transpose {", "} to ");
		for (i = 0; i < z->n; i++)
			mid[i] = z->size[z->perm[i]];
		put_dims(t, z->n, mid);
		if (z->n == r->base->rank && !memcmp(mid, r->base->dim, sizeof *mid * (size_t)z->n))
			return;
		put(t, ", reshape to ");
	} else {
		put(t, "reshape ");
		put_dims(t, r->grank, r->gdim);
		put(t, " to ");
	}
	put_dims(t, r->base->rank, r->base->dim);
}

static void put_residue(const struct relation *r, const struct residue *z, struct text *t)
{
	if (z->none) {
		if (z->stretch)
			put(t, r->nshard ? " (the rest does not vary)" : " (does not vary)");
		return;
	}
	put(t, "; ");
	if (z->broken) {
		if (z->extra > 1)
			PUTF(t, "%lld copies along dimension %lld", (long long)z->extra, (long long)(z->extra_dim - r->leading));
		else
			put(t, "another order of digits");
	} else if (z->reshape_only) {
		put_steps(r, z, t);
	} else {
		put_perm(t, z->n, z->perm, "transpose {", "} of ");
		put_dims(t, z->n, z->size);
	}
}

/* False when they have no common pieces. */
static bool relate(struct relation *r, const mesh *ms, const layout *base, const layout *dist)
{
	return refine(r, ms, base, dist) && gather(r);
}

bool layout_relates(const mesh *ms, const layout *base, const layout *dist)
{
	struct relation r;

	return layout_elements(base) == 0 || relate(&r, ms, base, dist);
}

char *layout_relation(arena *out, const mesh *ms, const layout *base, const layout *dist)
{
	struct relation r;
	struct text t = { out, NULL };
	struct residue z;
	int dim, axis;
	int64_t seg, at;

	if (layout_elements(base) == 0)
		return arena_strdup(out, base->rank == dist->rank && !memcmp(base->dim, dist->dim, sizeof *base->dim * (size_t)base->rank) ? "R" : "no elements");
	if (!relate(&r, ms, base, dist))
		return arena_printf(out, "layout %s", layout_text(out, dist));
	seg = segment_of(&r, &dim, &axis);
	if (seg) {
		PUTF(&t, "segments ");
		for (at = 0; at < base->dim[dim] && at < 4 * seg; at += seg)
			PUTF(&t, "%s%lld", at ? "," : "", (long long)seg);
		if (at < base->dim[dim])
			PUTF(&t, ",..");
		PUTF(&t, " of dim %d over %s", dim, ms->axis[axis].name);
		return t.s;
	}
	z = residue_of(&r);
	put_placements(&r, &t);
	put_residue(&r, &z, &t);
	return t.s;
}

/* ---- as a chain */

struct steps {
	arena *out;
	int n;
	chain_step *st;
	struct text t;
};

static const char *joint(const struct steps *s)
{
	return s->n ? " " : "";
}

static void add_dims(struct steps *s, enum chain_kind kind, int n, const int64_t *v)
{
	int i;

	PUTF(&s->t, "%s%s(", joint(s), kind == CHAIN_RESHAPE ? "reshape" : "transpose");
	for (i = 0; i < n; i++)
		PUTF(&s->t, "%s%lld", i ? "," : "", (long long)v[i]);
	put(&s->t, ")");
	s->st[s->n++] = (chain_step){ .kind = kind, .n = n, .v = memcpy(ARENA_ARRAY(s->out, int64_t, n), v, sizeof *v * (size_t)n) };
}

/* From the baseline to the local tensor: the residue backward, then the placements. */
static bool chain_steps(const struct relation *r, const struct residue *z, struct steps *s)
{
	struct part p[DIGITS_MAX];
	int64_t mid[DIGITS_MAX], inv[DIGITS_MAX];
	int dim[DIGITS_MAX], n = joined_shards(r, p, dim), i;

	if (z->broken || z->stretch || r->leading || r->lrank != r->dist->rank)
		return false;
	if (!z->none && !z->reshape_only) {
		for (i = 0; i < z->n; i++) {
			mid[i] = z->size[z->perm[i]];
			inv[z->perm[i]] = i;
		}
		add_dims(s, CHAIN_RESHAPE, z->n, mid);
		add_dims(s, CHAIN_TRANSPOSE, z->n, inv);
	}
	if (!z->none)
		add_dims(s, CHAIN_RESHAPE, r->grank, r->gdim);
	for (i = 0; i < n; i++) {
		if (p[i].size != r->ms->axis[p[i].group].size)
			return false;
		PUTF(&s->t, "%s%s:S(%d)", joint(s), r->ms->axis[p[i].group].name, dim[i]);
		s->st[s->n++] = (chain_step){ .kind = CHAIN_SHARD, .axis = p[i].group, .dim = dim[i] };
	}
	if (!s->n)
		put(&s->t, "R");
	return true;
}

bool layout_chain(arena *out, const mesh *ms, const layout *base, const layout *dist, chain *c)
{
	struct relation r;
	struct steps s = { out, 0, ARENA_ARRAY(out, chain_step, DIGITS_MAX + 3), { out, NULL } };
	struct residue z;

	if (!relate(&r, ms, base, dist))
		return false;
	z = residue_of(&r);
	if (!chain_steps(&r, &z, &s))
		return false;
	*c = (chain){ s.n, s.st, s.t.s };
	return true;
}

int layout_shards(arena *out, const mesh *ms, const layout *base, const layout *dist, layout_shard **s)
{
	struct relation r;
	struct part p[DIGITS_MAX];
	int dim[DIGITS_MAX], n, i;

	if (!relate(&r, ms, base, dist) || r.leading || r.lrank != dist->rank || !residue_of(&r).none)
		return -1;
	n = joined_shards(&r, p, dim);
	*s = ARENA_ARRAY(out, layout_shard, n);
	for (i = 0; i < n; i++) {
		if (p[i].size != ms->axis[p[i].group].size)
			return -1;
		(*s)[i] = (layout_shard){ p[i].group, dim[i] };
	}
	return n;
}

bool layout_keeps_order(const mesh *ms, const layout *base, const layout *dist)
{
	struct relation r;
	struct residue z;
	int dim, axis;
	bool keeps = false;

	if (relate(&r, ms, base, dist)) {
		z = residue_of(&r);
		keeps = !z.broken && (z.none || z.reshape_only || segment_of(&r, &dim, &axis));
	}
	return keeps;
}

bool layout_in_segments(const mesh *ms, const layout *base, const layout *dist)
{
	struct relation r;
	int dim, axis;

	return relate(&r, ms, base, dist) && segment_of(&r, &dim, &axis);
}

char *layout_steps(arena *out, const mesh *ms, const layout *base, const layout *dist)
{
	struct relation r;
	struct text t = { out, NULL };
	struct residue z;

	if (!relate(&r, ms, base, dist))
		return arena_strdup(out, "");
	z = residue_of(&r);
	put_steps(&r, &z, &t);
	return t.s ? t.s : arena_strdup(out, "");
}

/* ---- the places themselves */

static int64_t core_places(const layout *l)
{
	int64_t n = 1;
	int i;

	for (i = 0; i < l->nd; i++)
		n *= l->dev[i].stride ? l->dev[i].size : 1;
	for (i = 0; i < l->nl; i++)
		n *= l->loc[i].stride ? l->loc[i].size : 1;
	return n;
}

/* One line per device, also where several hold the same. */
char *layout_grid(arena *out, const layout *base, const layout *dist, int64_t max)
{
	int64_t n = layout_elements(dist), nb = layout_elements(base), places = core_places(base), i, r, row;
	int64_t *back;
	struct text t = { out, NULL };

	if (n * dist->ndev > max || nb > max || places != core_places(dist))
		return NULL;
	back = ARENA_ARRAY(out, int64_t, places);
	for (i = nb - 1; i >= 0; i--)	/* the first of several */
		back[digits_at(base->nl, base->loc, i)] = i;
	row = dist->rank ? dist->dim[dist->rank - 1] : 1;
	for (r = 0; r < dist->ndev; r++) {
		PUTF(&t, "%sdevice %lld:", r ? "\n" : "", (long long)r);
		for (i = 0; i < n; i++)
			PUTF(&t, "%s %lld", i && i % row == 0 ? " |" : "",
			     (long long)back[digits_at(dist->nd, dist->dev, r) + digits_at(dist->nl, dist->loc, i)]);
	}
	return t.s;
}

static void put_digits(struct text *t, int n, const digit *d)
{
	int i;

	for (i = 0; i < n; i++)
		if (d[i].stride)
			PUTF(t, "%s%lld at %lld", i ? ", " : "", (long long)d[i].size, (long long)d[i].stride);
		else
			PUTF(t, "%s%lld free", i ? ", " : "", (long long)d[i].size);
	if (!n)
		put(t, "-");
}

char *layout_digits(arena *out, int n, const digit *d)
{
	struct text t = { out, NULL };

	put_digits(&t, n, d);
	return t.s;
}

char *layout_text(arena *out, const layout *l)
{
	return arena_printf(out, "(devices: %s; local: %s)", layout_digits(out, l->nd, l->dev), layout_digits(out, l->nl, l->loc));
}
