#include "relation/candidate.h"

#include <stdlib.h>
#include <string.h>
#include "pair/carry.h"
#include "relation/layout_text.h"
#include "relation/state_in.h"
#include "tensor/reducer.h"
#include "util/integers.h"

#define GRID_MAX 256
#define STEPS_MAX 40

static const char *const origin_names[] = { "proved", "from operands", "from users", "from shapes" };
static const char *const fate_names[] = { "holds", "refuted", "pruned", "open" };

const char *candidate_origin_name(enum candidate_origin o)
{
	return origin_names[o];
}

const char *candidate_fate_name(enum candidate_fate f)
{
	return fate_names[f];
}

struct finder {
	states *s;
	pair *q;
	arena *out;
	int base, dist;
	const struct row *b, *d;
	candidate *c;
	chain *as;		/* each as a chain */
	int n;
	int dropped;
	const char *parting;
};

/* ---- chains */

static const char *step_text(const struct finder *f, const chain_step *st)
{
	const char *t = st->kind == CHAIN_RESHAPE ? "reshape(" : "transpose(";
	int k;

	if (st->kind == CHAIN_SHARD)
		return arena_printf(f->out, "%s:S(%d)", f->q->ms.axis[st->axis].name, st->dim);
	if (st->kind == CHAIN_PARTIAL)
		return arena_printf(f->out, "%s:P(%s)", f->q->ms.axis[st->axis].name, reducer_word(st->op));
	for (k = 0; k < st->n; k++)
		t = arena_printf(f->out, "%s%s%lld", t, k ? "," : "", (long long)st->v[k]);
	return arena_printf(f->out, "%s)", t);
}

static chain chain_made(const struct finder *f, int n, const chain_step *st)
{
	chain c = { n, memcpy(ARENA_ARRAY(f->out, chain_step, n), st, sizeof *st * (size_t)n), NULL };
	const char *t = "";
	int k;

	for (k = 0; k < n; k++)
		t = arena_printf(f->out, "%s%s%s", t, k ? " " : "", step_text(f, &st[k]));
	c.text = n ? t : "R";
	return c;
}

/* A chain and a baseline row as a Laid node: in a probe. */
static eg_id apply(struct finder *f, const chain *c, const layout *b, eg_id x)
{
	algebra *a = &f->q->p->a;

	if (setjmp(a->s.out))
		return NIL;
	return chain_apply(a, &f->q->ms, c, f->d->type, b, x, f->b->rank, f->b->dim, f->d->rank, f->d->dim, f->d->path);
}

static bool fits_shape(struct finder *f, const chain *c)
{
	algebra *a = &f->q->p->a;
	arena_mark m = arena_at(&a->s.a);
	int64_t *dim;
	int rank, k;
	bool ok;

	if (setjmp(a->s.out)) {
		arena_reset(&a->s.a, m);
		return false;
	}
	dim = chain_shape(a, &f->q->ms, c, f->b->rank, f->b->dim, &rank);
	ok = rank == f->d->rank;
	for (k = 0; ok && k < rank; k++)
		ok = dim[k] == f->d->dim[k];
	arena_reset(&a->s.a, m);
	return ok;
}

static layout plain(const struct finder *f, digit *d)
{
	*d = (digit){ row_elements(f->b), 1 };
	return (layout){ 1, f->b->rank, 0, 1, f->b->dim, NULL, d };
}

/* The map alone, of a tensor of its own: for the texts. */
static bool draw(struct finder *f, const chain *c, candidate *k)
{
	algebra *a = &f->q->p->a;
	digit d;
	layout b = plain(f, &d), y;
	probe p;
	eg_id t, x;
	bool ok = false;

	k->placements = arena_strdup(f->out, c->text);	/* while firings wait nothing is tried */
	k->steps = "";
	if (!probe_begin(&p, f->q))
		return false;
	x = core_param(a, f->d->type, row_elements(f->b), "a candidate");
	t = apply(f, c, &b, x);
	if (t != NIL && core_kind(a, t) == C_LAID && eg_args(a->g, t)[0] == x) {
		y = layout_of(a, t);
		if (layout_relates(&f->q->ms, &b, &y))
			k->placements = layout_relation(f->out, &f->q->ms, &b, &y);
		k->steps = layout_steps(f->out, &f->q->ms, &b, &y);
		k->grid = layout_grid(f->out, &b, &y, GRID_MAX);
		ok = true;
	}
	probe_end(&p);
	return ok;
}

/* Is the distributed row what the chain makes of the baseline's?  Asked by building it. */
static bool holds(struct finder *f, const chain *c, bool *cut)
{
	algebra *a = &f->q->p->a;
	layout b;
	eg_id x, t;
	probe p;
	bool yes = false;

	*cut = false;
	if (!row_form(f->q, SIDE_BASE, f->base, &b, &x) || f->d->tensor == NIL || !probe_begin(&p, f->q))
		return false;
	t = apply(f, c, &b, x);
	if (t != NIL) {
		yes = probe_settle(&p) && eg_root(a->g, t) == eg_root(a->g, f->d->tensor);
		*cut = p.cut;
	}
	probe_end(&p);
	return yes;
}

/* ---- the list */

static int known(const struct finder *f, const char *text)
{
	int k;

	for (k = 0; k < f->n; k++)
		if (f->as[k].text && !strcmp(f->as[k].text, text))
			return k;
	return -1;
}

/* Of the operands' candidates, the one this cannot be if they are right. */
static const candidate *rival(const struct finder *f)
{
	int k;

	for (k = 0; k < f->n; k++)
		if (f->c[k].origin == CAND_OPERANDS)
			return &f->c[k];
	return NULL;
}

static void judge(struct finder *f, candidate *k, const chain *c)
{
	const candidate *r = rival(f);
	bool cut;

	if (!fits_shape(f, c)) {
		k->fate = FATE_PRUNED;
		k->why = arena_printf(f->out, "%s; the sizes do not fit", k->why);
	} else if (!chain_has(c, CHAIN_PARTIAL) && holds(f, c, &cut)) {
		k->fate = FATE_HOLDS;
	} else if (k->origin == CAND_SHAPES && r && r->fate != FATE_PRUNED && strcmp(r->chain ? r->chain : "", c->text)) {
		k->fate = FATE_PRUNED;
		k->why = arena_printf(f->out, "%s; the operands carry %s", k->why, r->placements);
	} else {
		k->fate = FATE_OPEN;
	}
}

static void offer(struct finder *f, enum candidate_origin o, const chain *c, const char *why, bool ambiguous)
{
	candidate *k;

	if (known(f, c->text) >= 0)
		return;
	if (f->n == CANDIDATE_MAX) {
		f->dropped++;
		return;
	}
	f->as[f->n] = *c;
	k = &f->c[f->n];
	*k = (candidate){ .origin = o, .fate = FATE_OPEN, .why = why, .chain = c->text, .ambiguous = ambiguous };
	draw(f, c, k);
	judge(f, k, c);
	f->n++;
}

/* ---- proved */

static bool proved(struct finder *f)
{
	const row_state *r = state_of(f->s, f->dist);
	algebra *a = &f->q->p->a;
	layout b, d;
	eg_id x, y;
	candidate *k = &f->c[0];
	chain c;

	if (!row_form(f->q, SIDE_BASE, f->base, &b, &x) || !row_form(f->q, SIDE_DIST, f->dist, &d, &y))
		return false;
	*k = (candidate){ .origin = CAND_PROVED, .fate = FATE_HOLDS, .steps = "" };
	if (eg_root(a->g, x) == eg_root(a->g, y)) {
		k->chain = layout_chain(f->out, &f->q->ms, &b, &d, &c) ? c.text : NULL;
		k->why = "both are layouts of one array";
		k->placements = layout_relation(f->out, &f->q->ms, &b, &d);
		k->steps = layout_steps(f->out, &f->q->ms, &b, &d);
		k->grid = layout_grid(f->out, &b, &d, GRID_MAX);
	} else if ((r->kind == STATE_REORDERED || r->kind == STATE_PARTIAL) && r->base == f->base) {
		const struct answer *w = &f->s->answer[f->dist];
		k->placements = state_relation(f->s, f->dist, f->out);
		k->why = f->d->param < 0 && w->rules && *w->rules ? arena_printf(f->out, "found by a probe: %s", w->rules)
								  : f->d->param < 0 ? "found by a probe" : "the plan says so";
	} else {
		return false;
	}
	f->as[0].text = NULL;
	f->n = 1;
	return true;
}

/* ---- from operands */

struct carried {
	int n;			/* -1: nothing is known */
	layout_shard s[STEPS_MAX];	/* dim: of the result; -1: a dimension that is summed away */
};

/* An operand's own relation, where the operation keeps it. */
static bool own_chain(struct finder *f, int which, chain *c)
{
	int o = f->d->op[which];
	const row_state *r = state_of(f->s, o);
	const struct answer *w = &f->s->answer[o];
	layout b, d;
	eg_id x, y;
	chain_step st[STEPS_MAX];
	int k, n = 0;

	if (r->kind == STATE_PARTIAL && f->q->dist->row[o].param < 0 && w->whole) {
		for (k = 0; k < f->q->ms.n; k++)
			if (w->axes >> k & 1)
				st[n++] = (chain_step){ .kind = CHAIN_PARTIAL, .axis = k, .op = w->op };
		*c = chain_made(f, n, st);
		return true;
	}
	return r->kind == STATE_RELATED && !r->note && r->base >= 0 && row_form(f->q, SIDE_BASE, r->base, &b, &x) && row_form(f->q, SIDE_DIST, o, &d, &y) &&
	       layout_chain(f->out, &f->q->ms, &b, &d, c);
}

static struct carried carry(struct finder *f, int which)
{
	struct carried c = { .n = -1 };
	int o = f->d->op[which], k, n;
	const row_state *r = state_of(f->s, o);
	layout b, d;
	eg_id x, y;
	layout_shard *s;

	if (r->kind != STATE_RELATED || r->note || r->base < 0 || which >= f->b->nop || !row_form(f->q, SIDE_BASE, r->base, &b, &x) ||
	    !row_form(f->q, SIDE_DIST, o, &d, &y))
		return c;
	n = layout_shards(f->out, &f->q->ms, &b, &d, &s);
	if (n < 0 || n > STEPS_MAX / 2)
		return c;
	for (k = 0; k < n; k++) {
		int dim = carry_dimension(f->d, &f->q->dist->row[o], which, s[k].dim);
		if (dim == CARRY_UNKNOWN)
			return c;
		c.s[k] = (layout_shard){ s[k].axis, dim };
	}
	c.n = n;
	return c;
}

static chain chain_of_shards(struct finder *f, const struct carried *c)
{
	chain_step st[STEPS_MAX];
	int k, n = 0;

	memset(st, 0, sizeof st);
	for (k = 0; k < c->n; k++)
		if (c->s[k].dim < 0)
			st[n++] = (chain_step){ .kind = CHAIN_PARTIAL, .axis = c->s[k].axis, .op = "add" };
	for (k = 0; k < c->n; k++)
		if (c->s[k].dim >= 0)
			st[n++] = (chain_step){ .kind = CHAIN_SHARD, .axis = c->s[k].axis, .dim = c->s[k].dim };
	return chain_made(f, n, st);
}

/* Adds what another operand carries; false where the two say different things of one axis. */
static bool join(struct carried *all, const struct carried *c)
{
	int k, j;

	for (k = 0; k < c->n; k++) {
		for (j = 0; j < all->n && all->s[j].axis != c->s[k].axis; j++)
			;
		if (j < all->n && all->s[j].dim != c->s[k].dim)
			return false;
		if (j == all->n)
			all->s[all->n++] = c->s[k];
	}
	return true;
}

static const char *operand_why(const struct finder *f, int which)
{
	return arena_printf(f->out, "operand %d, %%%s, carried through %s", which, f->q->dist->row[f->d->op[which]].path, f->d->inst->opname);
}

static int64_t flat_place(const layout *l, int64_t dev, int64_t i)
{
	int64_t v = 0;
	int k;

	for (k = l->nd - 1; k >= 0; k--) {
		v += dev % l->dev[k].size * l->dev[k].stride;
		dev /= l->dev[k].size;
	}
	for (k = l->nl - 1; k >= 0; k--) {
		v += i % l->loc[k].size * l->loc[k].stride;
		i /= l->loc[k].size;
	}
	return v;
}

static layout kept(arena *a, layout y)
{
	digit *d = ARENA_ARRAY(a, digit, y.nd + y.nl);

	memcpy(d, y.dev, sizeof *d * (size_t)y.nd);
	memcpy(d + y.nd, y.loc, sizeof *d * (size_t)y.nl);
	y.dev = d;
	y.loc = d + y.nd;
	return y;
}

static bool map_of(struct finder *f, const chain *c, layout *out)
{
	algebra *a = &f->q->p->a;
	digit d;
	layout b = plain(f, &d);
	probe p;
	eg_id x, t;
	bool ok = false;

	if (!fits_shape(f, c) || !probe_begin(&p, f->q))
		return false;
	x = core_param(a, f->d->type, row_elements(f->b), "a candidate");
	t = apply(f, c, &b, x);
	if (t != NIL && core_kind(a, t) == C_LAID && eg_args(a->g, t)[0] == x) {
		*out = kept(f->out, layout_of(a, t));
		ok = true;
	}
	probe_end(&p);
	return ok;
}

static const char *index_text(const struct finder *f, int rank, const int64_t *dim, int64_t at)
{
	const char *t = "";
	int k;

	for (k = rank - 1; k >= 0; at /= dim[k--])
		t = arena_printf(f->out, "%lld%s%s", (long long)(at % dim[k]), *t ? "," : "", t);
	return t;
}

#define PARTING_MAX ((int64_t)1 << 20)

/* The first place at which two candidates part: device, local index, and the baseline's index by each. */
static const char *parting(struct finder *f, const chain *x, const chain *y)
{
	layout p, q;
	int64_t dev, i, n;

	if (chain_has(x, CHAIN_PARTIAL) != chain_has(y, CHAIN_PARTIAL))
		return arena_printf(f->out, "%s and %s part everywhere: one is the parts, the other the whole", x->text, y->text);
	if (!map_of(f, x, &p) || !map_of(f, y, &q))
		return arena_printf(f->out, "%s and %s are of different shapes", x->text, y->text);
	n = layout_elements(&p);
	for (dev = 0; dev < p.ndev && dev * n < PARTING_MAX; dev++)
		for (i = 0; i < n && dev * n + i < PARTING_MAX; i++)
			if (flat_place(&p, dev, i) != flat_place(&q, dev, i))
				return arena_printf(f->out, "%s and %s part at device %lld, index [%s]: the baseline's [%s] or [%s]", x->text, y->text,
						    (long long)dev, index_text(f, f->d->rank, f->d->dim, i),
						    index_text(f, f->b->rank, f->b->dim, flat_place(&p, dev, i)),
						    index_text(f, f->b->rank, f->b->dim, flat_place(&q, dev, i)));
	return NULL;
}

/* Each operand's map; where they differ that is the fault, and the first place at which they part is said. */
static void offer_each(struct finder *f, int n, const int *which, const chain *c)
{
	int k;
	bool agree = true;

	for (k = 1; k < n; k++)
		agree = agree && !strcmp(c[k].text, c[0].text);
	for (k = 1; k < n && !f->parting; k++)
		if (strcmp(c[k].text, c[0].text))
			f->parting = parting(f, &c[0], &c[k]);
	if (n && agree)
		offer(f, CAND_OPERANDS, &c[0], n > 1 ? arena_printf(f->out, "all operands, carried through %s", f->d->inst->opname) : operand_why(f, which[0]), false);
	for (k = 0; k < n && !agree; k++)
		offer(f, CAND_OPERANDS, &c[k], operand_why(f, which[k]), false);
}

#define OPERANDS_MAX 64

static void from_carry_elementwise(struct finder *f)
{
	chain c[OPERANDS_MAX];
	int which[OPERANDS_MAX], k, n = 0;

	for (k = 0; k < f->d->nop && k < OPERANDS_MAX; k++)
		if (!f->s->rs[f->d->op[k]].constant && f->q->dist->row[f->d->op[k]].rank == f->d->rank && own_chain(f, k, &c[n]))
			which[n++] = k;
	offer_each(f, n, which, c);
}

/* Others put together what each operand says of its own dimensions. */
static void from_dimensions(struct finder *f)
{
	struct carried all = { .n = 0 }, one[OPERANDS_MAX];
	chain c[OPERANDS_MAX];
	int which[OPERANDS_MAX], k, n = 0;
	bool agree = true;

	for (k = 0; k < f->d->nop && k < OPERANDS_MAX; k++) {
		one[n] = carry(f, k);
		if (one[n].n < 0 || f->s->rs[f->d->op[k]].constant)
			continue;
		agree = agree && join(&all, &one[n]);
		c[n] = chain_of_shards(f, &one[n]);
		which[n++] = k;
	}
	if (!n)
		return;
	if (agree) {
		c[0] = chain_of_shards(f, &all);
		offer(f, CAND_OPERANDS, &c[0], n > 1 ? arena_printf(f->out, "all operands, carried through %s", f->d->inst->opname) : operand_why(f, which[0]), false);
	} else {
		offer_each(f, n, which, c);
	}
}

static void from_operands(struct finder *f)
{
	if (carry_elementwise(f->d))
		from_carry_elementwise(f);
	else
		from_dimensions(f);
}

/* ---- from users */

static void from_user(struct finder *f, const struct row *u)
{
	layout b, y;
	eg_id x;
	chain c;
	int j;

	for (j = 0; j < u->nop; j++) {
		const row_state *r = state_of(f->s, u->op[j]);
		if (u->op[j] != f->dist && !f->s->rs[u->op[j]].constant && r->kind == STATE_RELATED && !r->note && r->base >= 0 &&
		    f->q->dist->row[u->op[j]].rank == f->d->rank && row_form(f->q, SIDE_BASE, r->base, &b, &x) &&
		    row_form(f->q, SIDE_DIST, u->op[j], &y, &x) && layout_chain(f->out, &f->q->ms, &b, &y, &c))
			offer(f, CAND_USERS, &c, arena_printf(f->out, "its user %%%s takes %%%s as well", u->path, f->q->dist->row[u->op[j]].path), false);
	}
}

/* What the plan wants of an output; what the other operand of an elementwise user has. */
static void from_users(struct finder *f)
{
	const struct side *d = &f->s->side[SIDE_DIST];
	int k;

	for (k = 0; k < f->q->ngoal; k++) {
		const goal *g = &f->q->goal[k];
		if (g->dist_row != f->dist || g->base_row != f->base || !g->compared)
			continue;
		chain c = g->rel->c;
		if (!c.text || !*c.text)
			c.text = "R";
		offer(f, CAND_USERS, &c, "the plan wants it of this output", false);
	}
	for (k = d->use_at[f->dist]; k < d->use_at[f->dist + 1]; k++)
		if (carry_elementwise(&f->q->dist->row[d->use[k]]))
			from_user(f, &f->q->dist->row[d->use[k]]);
}

/* ---- from shapes */

struct shapes {
	struct finder *f;
	const chain_step *before;	/* reshape, transpose */
	int nbefore;
	int rank;
	const int64_t *dim;		/* the shape to be sharded */
	int64_t left[16];		/* per dimension: what is still to be divided */
	layout_shard s[STEPS_MAX];
	int n;
	bool used[MESH_AXES_MAX];
	int found;			/* of this shape: more than one is ambiguous */
	bool ambiguous;
	const char *why;
};

static void shapes_offer(struct shapes *z)
{
	chain_step st[STEPS_MAX];
	chain c;
	int k;

	if (z->nbefore)
		memcpy(st, z->before, sizeof *st * (size_t)z->nbefore);
	for (k = 0; k < z->n; k++)
		st[z->nbefore + k] = (chain_step){ .kind = CHAIN_SHARD, .axis = z->s[k].axis, .dim = z->s[k].dim };
	c = chain_made(z->f, z->nbefore + z->n, st);
	offer(z->f, CAND_SHAPES, &c, z->why, z->ambiguous);
}

static int walk_shards(struct shapes *z, int dim, bool count)
{
	const mesh *ms = &z->f->q->ms;
	int k, n = 0;

	while (dim < z->rank && z->left[dim] == 1)
		dim++;
	if (dim == z->rank) {
		if (!count)
			shapes_offer(z);
		return 1;
	}
	for (k = 0; k < ms->n && z->n < 16 && n < 2 * CANDIDATE_MAX; k++) {
		int64_t a = ms->axis[k].size;
		if (z->used[k] || a < 2 || z->left[dim] % a)
			continue;
		z->used[k] = true;
		z->left[dim] /= a;
		z->s[z->n++] = (layout_shard){ k, dim };
		n += walk_shards(z, dim, count);
		z->n--;
		z->left[dim] *= a;
		z->used[k] = false;
	}
	return n;
}

/* All ways to divide these dimensions by mesh axes so that the local shape comes out. */
static void shard_shape(struct finder *f, int nbefore, const chain_step *before, int rank, const int64_t *dim, bool ambiguous, const char *why)
{
	struct shapes z = { .f = f, .before = before, .nbefore = nbefore, .rank = rank, .dim = dim, .why = why };
	int k;

	if (rank != f->d->rank || rank > 16)
		return;
	for (k = 0; k < rank; k++) {
		if (f->d->dim[k] == 0 || dim[k] % f->d->dim[k])
			return;
		z.left[k] = dim[k] / f->d->dim[k];
	}
	z.ambiguous = ambiguous || walk_shards(&z, 0, true) > 1;
	walk_shards(&z, 0, false);
}

#define PERMUTED_MAX 5

static void transposed(struct finder *f)
{
	int64_t dim[PERMUTED_MAX], *v;
	int p[PERMUTED_MAX], n = f->b->rank, k;
	chain_step st = { .kind = CHAIN_TRANSPOSE };

	if (n > PERMUTED_MAX || n < 2)
		return;
	for (k = 0; k < n; k++)
		p[k] = k;
	while (integers_permute(p, n)) {
		bool equal = false;
		for (k = 0; k < n; k++) {
			dim[k] = f->b->dim[p[k]];
			equal = equal || (p[k] != k && f->b->dim[p[k]] == f->b->dim[k]);
		}
		st.n = n;
		st.v = v = ARENA_ARRAY(f->out, int64_t, n);
		for (k = 0; k < n; k++)
			v[k] = p[k];
		shard_shape(f, 1, &st, n, dim, equal, "dimensions permuted");
	}
}

/* The baseline reshaped to the local shape with one dimension as many times larger as devices divide it. */
static void reshaped(struct finder *f)
{
	int64_t local = row_elements(f->d), whole = row_elements(f->b), dim[16];
	int k, n = f->d->rank;
	chain_step st = { .kind = CHAIN_RESHAPE };

	if (!local || whole % local || n > 16 || !n)
		return;
	for (k = 0; k < n; k++) {
		memcpy(dim, f->d->dim, sizeof *dim * (size_t)n);
		dim[k] *= whole / local;
		if (n == f->b->rank && !memcmp(dim, f->b->dim, sizeof *dim * (size_t)n))
			continue;
		st.n = n;
		st.v = memcpy(ARENA_ARRAY(f->out, int64_t, n), dim, sizeof *dim * (size_t)n);
		shard_shape(f, 1, &st, n, st.v, false, "dimensions merged or split");
		if (whole == local)
			return;
	}
}

static void from_shapes(struct finder *f)
{
	shard_shape(f, 0, NULL, f->b->rank, f->b->dim, false, "the sizes allow it");
	transposed(f);
	reshaped(f);
}

candidates candidates_find(states *s, int base_row, int dist_row, arena *out)
{
	struct finder f = { .s = s, .q = s->q, .out = out, .base = base_row, .dist = dist_row };
	candidates r = { 0 };
	struct row whole;
	layout l;
	eg_id x;

	f.b = pair_row(s->q, SIDE_BASE, base_row);
	if (s->q->base_in) {	/* what its devices hold together, if they do */
		if (!pair_whole(s->q, base_row, &whole, &l, &x))
			return r;
		f.b = &whole;
	}
	f.d = pair_row(s->q, SIDE_DIST, dist_row);
	f.c = ARENA_ARRAY(out, candidate, CANDIDATE_MAX);
	f.as = ARENA_ARRAY(out, chain, CANDIDATE_MAX);
	if (!proved(&f)) {
		from_operands(&f);
		from_users(&f);
		from_shapes(&f);
	}
	r.n = f.n;
	r.c = f.c;
	r.parting = f.parting;
	if (f.dropped)
		r.cut = arena_printf(out, "%d more that the sizes allow are not listed", f.dropped);
	return r;
}
