#include "relation/reorder_in.h"

#include <stdlib.h>
#include <string.h>
#include "pair/carry.h"
#include "relation/places.h"

/* ---- maps that outlive the scratch arena */

static int digit_of(int n, label *const *leaf, const label *l)
{
	int i;

	for (i = 0; i < n && leaf[i] != l; i++)
		;
	return i;
}

/* Does e read nothing but these labels?  Places that data choose are no map. */
static bool reads_only(const ix *e, int n, label *const *leaf)
{
	int k, j;

	for (k = 0; k < e->nt; k++)
		if (digit_of(n, leaf, e->t[k].l) == n)
			return false;
	for (k = 0; k < e->ntab; k++)
		for (j = 0; j < e->tab[k].nl; j++)
			if (digit_of(n, leaf, e->tab[k].l[j]) == n)
				return false;
	return true;
}

/* NULL: e is no map of the places of `of`. */
static struct index_map *keep_map(arena *out, scratch *s, const ix *e, label *of)
{
	struct index_map *m = ARENA_NEW(out, struct index_map);
	label *leaf[64];
	int64_t *size, *stride;
	int n, i, j, k;

	e = ix_norm(s, e);
	n = label_leaves(of, leaf, 64);	/* as the index has cut it */
	if (!reads_only(e, n, leaf))
		return NULL;
	m->n = n;
	m->size = size = ARENA_ARRAY(out, int64_t, n);
	m->stride = stride = ARENA_ARRAY(out, int64_t, n);
	for (i = 0; i < n; i++) {
		size[i] = leaf[i]->n;
		stride[i] = ix_stride(e, leaf[i]);
	}
	m->base = e->base;
	m->ntab = e->ntab;
	m->tab = ARENA_ARRAY(out, struct index_map_table, e->ntab);
	for (k = 0; k < e->ntab; k++) {
		const ix_table_part *t = &e->tab[k];
		int *digit = ARENA_ARRAY(out, int, t->nl);
		for (j = 0; j < t->nl; j++)
			digit[j] = digit_of(n, leaf, t->l[j]);
		m->tab[k] = (struct index_map_table){ t->nl, digit, memcpy(ARENA_ARRAY(out, int64_t, t->len), t->v, sizeof *t->v * (size_t)t->len) };
	}
	return m;
}

ix *reorder_apply(scratch *s, const struct index_map *m, const ix *at)
{
	label **l = ARENA_ARRAY(&s->a, label *, m->n), **tl;
	ix **digit = ix_digits(s, at, m->n, m->size), *e = ix_const(s, m->base);
	int i, k, j;

	for (i = 0; i < m->n; i++) {
		l[i] = label_new(s, m->size[i]);
		if (m->stride[i])
			e = ix_add(s, e, ix_of(s, l[i], m->stride[i]));
	}
	for (k = 0; k < m->ntab; k++) {
		tl = ARENA_ARRAY(&s->a, label *, m->tab[k].n);
		for (j = 0; j < m->tab[k].n; j++)
			tl[j] = l[m->tab[k].digit[j]];
		e = ix_add(s, e, ix_table(s, m->tab[k].n, tl, m->tab[k].v));
	}
	return ix_subst(s, e, m->n, l, digit);
}

int64_t reorder_map_at(const struct index_map *m, int64_t at)
{
	int64_t v = m->base, *d = alloca(sizeof *d * (size_t)(m->n + 1)), p;
	int i, k;

	for (i = m->n - 1; i >= 0; i--) {
		d[i] = at % m->size[i];
		at /= m->size[i];
		v += d[i] * m->stride[i];
	}
	for (k = 0; k < m->ntab; k++) {
		for (p = 0, i = 0; i < m->tab[k].n; i++)
			p = p * m->size[m->tab[k].digit[i]] + d[m->tab[k].digit[i]];
		v += m->tab[k].v[p];
	}
	return v;
}

/* ---- solving for the labels of the baseline's node */

struct matching {
	states *s;
	algebra *a;
	work *d, *b;
	ix **at;		/* per free label of b */
	int depth;		/* of operands that are compared themselves */
	int deepest, *left;	/* no deeper than that; pairs of nodes that may still be laid side by side, NULL: any number */
	bool block;		/* the map need not be onto */
};

enum { DEEPEST = 4, DEEPEST_TERM = 24, PAIRS = 512 };

static ix *map_between(struct matching *m, eg_id d, eg_id b, label *of);

static int free_number(const struct matching *m, const label *l)
{
	int i;

	for (i = 0; i < m->b->nfree && m->b->free[i] != l; i++)
		;
	return i < m->b->nfree ? i : -1;
}

static int by_stride(const void *x, const void *y)
{
	const ix_term *p = x, *q = y;

	int64_t a = p->s < 0 ? -p->s : p->s, b = q->s < 0 ? -q->s : q->s;

	return a < b ? -1 : a > b;
}

static bool set_label(struct matching *m, const label *l, ix *e)
{
	int k = free_number(m, l);

	if (k < 0)
		return true;	/* a summed label: the probe will tell */
	if (!m->at[k]) {
		m->at[k] = e;
		return true;
	}
	return ix_equal(&m->a->s, m->at[k], e);
}

/* eb = e, where eb is a mixed-radix number of b's labels, some of them backwards (-k * l is k * (n-1 - l) less k * (n-1)): every label
 * gets the digit of e that stands at its place. */
static bool solve(struct matching *m, const ix *eb, const ix *e)
{
	scratch *s = &m->a->s;
	ix_term *t;
	ix *q, *r;
	int64_t done = 1, v, step;
	int i, n;

	eb = ix_norm(s, eb);
	if (eb->ntab)
		return false;
	n = eb->nt;
	t = ARENA_ARRAY(&s->a, ix_term, n);
	memcpy(t, eb->t, sizeof *t * (size_t)n);
	qsort(t, (size_t)n, sizeof *t, by_stride);
	q = ix_plus(s, e, -eb->base);
	for (i = 0; i < n; i++)
		if (t[i].s < 0)
			q = ix_plus(s, q, -t[i].s * (t[i].l->n - 1));
	for (i = 0; i < n; i++) {
		step = t[i].s < 0 ? -t[i].s : t[i].s;
		if (!step || step % done || t[i].l->data)
			return false;
		if (step != done) {	/* places between the digits must not be taken */
			ix_divmod(s, q, step / done, &q, &r);
			if (!ix_is_const(s, r, &v) || v)
				return false;
			done = step;
		}
		ix_divmod(s, q, t[i].l->n, &q, &r);
		done *= t[i].l->n;
		if (t[i].s < 0)
			r = ix_plus(s, ix_times(s, r, -1), t[i].l->n - 1);
		if (!set_label(m, t[i].l, r))
			return false;
	}
	return ix_is_const(s, q, &v) && v == 0;
}

/* Operands that no row holds are laid side by side in their turn. */
static const ix *read_inner(const struct matching *m, const slot *d, const slot *b)
{
	struct matching inner = { .s = m->s, .a = m->a, .depth = m->depth + 1, .deepest = m->deepest, .left = m->left, .block = m->block };
	scratch *s = &m->a->s;
	label *of;
	ix *e;

	if (inner.depth > m->deepest || (m->left && --*m->left < 0) || core_atom(m->a, normal_node(m->a, d->x)) || (core_len(m->a, d->x) != core_len(m->a, b->x) && !m->block))
		return NULL;
	of = label_new(s, core_len(m->a, d->x));
	e = map_between(&inner, d->x, b->x, of);
	return e ? ix_subst(s, e, 1, &of, (ix *[]){ ix_times(s, d->e, 1) }) : NULL;
}

/* Where the distributed operand is read, as a place of the baseline's operand; NULL when they are not known to belong together. */
static const ix *read_as(struct matching *m, const slot *d, const slot *b)
{
	const egraph *g = m->a->g;
	const struct side *held = &m->s->side[SIDE_DIST];
	int32_t r;

	if (d->x == NIL || b->x == NIL)
		return NULL;
	if (eg_root(g, d->x) == eg_root(g, b->x))
		return d->e;
	for (r = state_chain(held, eg_root(g, d->x))->first; r; r = held->next[r - 1]) {
		const struct answer *w = &m->s->answer[r - 1];
		enum state_kind k = m->s->rs[r - 1].kind;
		if ((k == STATE_REORDERED || k == STATE_BLOCK) && w->map &&
		    eg_root(g, m->s->side[SIDE_BASE].core[m->s->base[r - 1]]) == eg_root(g, b->x))
			return reorder_apply(&m->a->s, w->map, d->e);
	}
	return read_inner(m, d, b);
}

static bool fits(struct matching *m, const int *order)
{
	int k;

	memset(m->at, 0, sizeof *m->at * (size_t)m->b->nfree);
	for (k = 0; k < m->d->nslot; k++) {
		const slot *d = &m->d->slot[order[k]], *b = &m->b->slot[k];
		const ix *e = read_as(m, d, b);
		if (!e || !rat_eq(d->c, b->c) || !solve(m, b->e, e))
			return false;
	}
	for (k = 0; k < m->b->nfree; k++)
		if (!m->at[k])
			return false;
	return true;
}

static bool match_works(struct matching *m)
{
	static const int given[3] = { 0, 1, 2 }, swapped[2] = { 1, 0 };

	if (m->d->kind != m->b->kind || m->d->type != m->b->type || m->d->fn != m->b->fn || m->d->nslot != m->b->nslot ||
	    m->d->nslot > 3 || m->d->tail != 1 || m->b->tail != 1)
		return false;
	return fits(m, given) || (m->d->nslot == 2 && m->d->kind != C_MAP && fits(m, swapped));
}

/* A part of an expression whose labels no other part reads: it takes step * (a permutation of 0..n-1), n places. */
struct component {
	int64_t step, n;
};

static int by_step(const void *x, const void *y)
{
	const struct component *p = x, *q = y;

	return p->step < q->step ? -1 : p->step > q->step;
}

/* Values as step times a permutation; *least becomes the smallest. */
static bool is_permutation(scratch *s, int64_t n, const int64_t *v, struct component *c, int64_t *least)
{
	int64_t i, g = 0, lo = v[0];
	bool *hit = arena_zalloc(&s->a, (size_t)n);

	for (i = 1; i < n; i++)
		lo = v[i] < lo ? v[i] : lo;
	for (i = 0; i < n; i++)
		g = gcd64(v[i] - lo, g);
	for (i = 0; i < n; i++) {
		int64_t k = g ? (v[i] - lo) / g : 0;
		if (k >= n || hit[k])
			return false;
		hit[k] = true;
	}
	*c = (struct component){ g ? g : 1, n };
	*least = lo;
	return true;
}

/* The labels that tables tie to label k, k among them. */
static int tied(const ix *e, label **l, int n, int k, int *group)
{
	int i, j, m, id = k;
	bool again = true;

	group[k] = id;
	while (again) {
		again = false;
		for (i = 0; i < e->ntab; i++) {
			bool in = false;
			for (j = 0; j < e->tab[i].nl; j++)
				for (m = 0; m < n; m++)
					in = in || (l[m] == e->tab[i].l[j] && group[m] == id);
			for (j = 0; in && j < e->tab[i].nl; j++)
				for (m = 0; m < n; m++)
					if (l[m] == e->tab[i].l[j] && group[m] != id) {
						group[m] = id;
						again = true;
					}
		}
	}
	return id;
}

static bool component_of(scratch *s, const ix *e, label **l, int n, const int *group, int id, struct component *c, int64_t *least)
{
	ix part = { 0 };
	label **own = ARENA_ARRAY(&s->a, label *, n);
	int i, j, m = 0;

	part.t = ARENA_ARRAY(&s->a, ix_term, e->nt);
	part.tab = ARENA_ARRAY(&s->a, ix_table_part, e->ntab);
	for (i = 0; i < n; i++)
		if (group[i] == id)
			own[m++] = l[i];
	for (i = 0; i < e->nt; i++)
		for (j = 0; j < m; j++)
			if (own[j] == e->t[i].l)
				part.t[part.nt++] = e->t[i];
	for (i = 0; i < e->ntab; i++)
		for (j = 0; j < m; j++)
			if (own[j] == e->tab[i].l[0]) {
				part.tab[part.ntab++] = e->tab[i];
				break;
			}
	if (!part.ntab && m == 1) {
		int64_t step = part.t[0].s;
		*c = (struct component){ step < 0 ? -step : step, own[0]->n };
		*least = step < 0 ? step * (own[0]->n - 1) : 0;
		return true;
	}
	return is_permutation(s, grid_size(s, m, own), ix_values(s, &part, m, own), c, least);
}

/* Does e run once over 0..extent-1?  Decided part by part: the parts must be the digits of a mixed-radix number. */
static bool runs_over(scratch *s, const ix *e, int64_t extent)
{
	label **l;
	struct component c[64];
	int n, nc = 0, i, *group;
	int64_t base, least, done = 1;

	e = ix_norm(s, e);
	n = ix_labels(s, e, &l);
	base = e->base;
	group = ARENA_ARRAY(&s->a, int, n);
	for (i = 0; i < n; i++)
		group[i] = -1;
	for (i = 0; i < n; i++) {
		if (group[i] >= 0)
			continue;
		if (nc == 64 || !component_of(s, e, l, n, group, tied(e, l, n, i, group), &c[nc++], &least))
			return false;
		base += least;
	}
	qsort(c, (size_t)nc, sizeof *c, by_step);
	for (i = 0; i < nc; i++) {
		if (c[i].step != done)
			return false;
		done *= c[i].n;
	}
	return base == 0 && done == extent;
}

/* Every label's expression is a bijection of labels that no other reads. */
static bool one_to_one(struct matching *m)
{
	scratch *s = &m->a->s;
	label **l, **seen = ARENA_ARRAY(&s->a, label *, 256);
	int k, i, j, n, nseen = 0;

	for (k = 0; k < m->b->nfree; k++) {
		n = ix_labels(s, ix_norm(s, m->at[k]), &l);
		for (i = 0; i < n; i++) {
			for (j = 0; j < nseen && seen[j] != l[i]; j++)
				;
			if (j < nseen || nseen == 256 || l[i]->data || l[i]->bound)
				return false;
			seen[nseen++] = l[i];
		}
		if (!runs_over(s, m->at[k], m->b->free[k]->n))
			return false;
	}
	return true;
}

/* The place of b's core as an expression of one label: the place of d's. */
static ix *whole_map(struct matching *m, label *of)
{
	scratch *s = &m->a->s;
	int64_t *size = ARENA_ARRAY(&s->a, int64_t, m->d->nfree);
	ix **digit, *e = ix_const(s, 0);
	int64_t w = 1;
	int k;

	for (k = m->b->nfree - 1; k >= 0; k--) {
		e = ix_add(s, e, ix_times(s, m->at[k], w));
		w *= m->b->free[k]->n;
	}
	for (k = 0; k < m->d->nfree; k++)
		size[k] = m->d->free[k]->n;
	digit = ix_digits(s, ix_of(s, of, 1), m->d->nfree, size);
	return ix_norm(s, ix_subst(s, e, m->d->nfree, m->d->free, digit));
}

/* A node read as an array over its own index where it is no operation: an atom, a view. */
static work *open_any(algebra *a, eg_id n)
{
	work *w;
	label *l;

	if (!core_atom(a, n) && core_kind(a, n) != C_VIEW)
		return work_open(a, n);
	w = work_new(a, C_AT, core_type(a, n), 1);
	l = label_new(&a->s, core_len(a, n));
	work_set_free(a, w, 1, &l);
	w->nslot = 1;
	w->slot[0] = slot_read(n, ix_of(&a->s, l, 1), RAT_ONE);
	return w;
}

static ix *map_between(struct matching *m, eg_id d, eg_id b, label *of)
{
	algebra *a = m->a;

	m->d = open_any(a, normal_node(a, d));
	m->b = open_any(a, normal_node(a, b));
	m->at = ARENA_ARRAY(&a->s.a, ix *, m->b->nfree);
	return match_works(m) && (m->block || one_to_one(m)) ? whole_map(m, of) : NULL;
}

/* A map of the places of d, `of`, to those of b; and what is read at it, over labels of their own for d's.  Apart from its
 * caller, which holds the jump's place. */
static __attribute__((noinline)) ix *guess_map(states *s, eg_id d, eg_id b, bool block, label *of, int *n, label ***l, ix **read)
{
	algebra *a = &s->q->p->a;
	struct matching m = { .s = s, .a = a, .deepest = DEEPEST, .block = block };
	ix *e = map_between(&m, d, b, of), *at;
	int64_t w = 1;
	int k;

	if (!e)
		return NULL;
	*n = m.d->nfree;
	*l = ARENA_ARRAY(&a->s.a, label *, *n);
	at = ix_const(&a->s, 0);
	for (k = *n - 1; k >= 0; k--) {
		(*l)[k] = label_new(&a->s, m.d->free[k]->n);
		at = ix_add(&a->s, at, ix_of(&a->s, (*l)[k], w));
		w *= m.d->free[k]->n;
	}
	*read = ix_subst(&a->s, e, 1, &of, &at);
	return e;
}

static ix *guess(states *s, eg_id d, eg_id b, bool block, label *of, int *n, label ***l, ix **read)
{
	if (setjmp(s->q->p->a.s.out))
		return NULL;
	return guess_map(s, d, b, block, of, n, l, read);
}

static __attribute__((noinline)) bool block_between(states *s, eg_id d, eg_id b)
{
	algebra *a = &s->q->p->a;
	int left = PAIRS;
	struct matching m = { .s = s, .a = a, .deepest = DEEPEST_TERM, .left = &left, .block = true };

	return map_between(&m, d, b, label_new(&a->s, core_len(a, d))) != NULL;
}

bool guess_block_of(states *s, eg_id d, eg_id b)
{
	return !setjmp(s->q->p->a.s.out) && block_between(s, d, b);
}

static const struct index_map *guarded_keep(states *s, const ix *e, label *of)
{
	algebra *a = &s->q->p->a;

	if (setjmp(a->s.out))
		return NULL;
	return keep_map(&s->a, &a->s, e, of);
}

static bool same_tensor(pair *q, eg_id t, eg_id row)
{
	return eg_root(q->p->g, t) == eg_root(q->p->g, row);
}

bool guess_by_terms(states *s, int row, int base, bool block, struct guess *g)
{
	g->e = guess(s, s->side[SIDE_DIST].core[row], s->side[SIDE_BASE].core[base], block, g->of, &g->n, &g->own, &g->read);
	return g->e != NULL;
}

static bool bijection(states *s, int row, int base, struct guess *g)
{
	return core_len(&s->q->p->a, s->side[SIDE_BASE].core[base]) == core_len(&s->q->p->a, s->side[SIDE_DIST].core[row]) &&
	       guess_by_terms(s, row, base, false, g);
}

bool guess_ask(states *s, int row, int base, const layout *l, guess_fn *how, struct answer *w)
{
	pair *q = s->q;
	algebra *a = &q->p->a;
	eg_id bx = s->side[SIDE_BASE].core[base], core = s->side[SIDE_DIST].core[row], x;
	struct guess g = { 0 };
	bool yes = false;
	probe p;

	if (bx == NIL || core_type(a, bx) != core_type(a, core) || !probe_begin(&p, q))
		return false;
	g.of = label_new(&a->s, core_len(a, core));
	if (how(s, row, base, &g) && (x = probe_read(&p, bx, g.n, g.own, g.read)) != NIL) {
		eg_id t = layout_laid(a, l, x);
		yes = probe_settle(&p) && same_tensor(q, t, pair_row(q, SIDE_DIST, row)->tensor);
		answer_rests_on(s, w, &p);
		if (yes) {
			w->rules = probe_rules(&p, &s->a);
			w->map = guarded_keep(s, g.e, g.of);
			yes = w->map != NULL;
		}
	}
	probe_end(&p);
	return yes;
}

/* x + 0, of a token, and the like: the row has the value of its operand. */
static bool same_value(const states *s, int row, int operand)
{
	return same_tensor(s->q, pair_row(s->q, SIDE_DIST, operand)->tensor, pair_row(s->q, SIDE_DIST, row)->tensor);
}

/* Baseline rows of the same operation that consume counterparts; for what only moves data, or nothing, the counterparts
 * themselves. */
int guess_candidates(const states *s, int row, int *base)
{
	const struct row *r = pair_row(s->q, SIDE_DIST, row);
	char class = opcode_class(r->inst->opcode);
	int n = counterpart_users(s, row, base, 8), k, m = 0;

	for (k = 0; k < n; k++)
		if (pair_row(s->q, SIDE_BASE, base[k])->inst->opcode == r->inst->opcode)
			base[m++] = base[k];
	for (k = 0; k < r->nop && k < 2; k++)
		if (class == 'd' || class == 'c' || same_value(s, row, r->op[k]))
			m += counterparts(s, r->op[k], base + m, 8 - m < 2 ? 8 - m : 2);
	return m;
}

/* An output may be the baseline's in another order, whatever it is made of: the baseline row of the goal that it is only moved to. */
static int meant_output(const states *s, int row)
{
	int out = state_given_out(s, row), k;

	for (k = 0; out >= 0 && k < s->q->ngoal; k++)
		if (s->q->goal[k].dist_row == out && s->q->goal[k].compared)
			return s->q->goal[k].base_row;
	return -1;
}

bool reorder_ask(states *s, int row, const layout *l, struct answer *w)
{
	int base[9], n = guess_candidates(s, row, base), meant = meant_output(s, row), k;

	if (meant >= 0)
		base[n++] = meant;
	for (k = 0; k < n; k++) {
		if (!guess_ask(s, row, base[k], l, bijection, w))
			continue;
		w->kind = STATE_REORDERED;
		w->base = base[k];
		w->laid = *l;
		return true;
	}
	return false;
}

/* ---- words */

static int64_t flat_of_place(const layout *b, int64_t x)
{
	int64_t w = 1, v = 0;
	int k;

	for (k = b->nl - 1; k >= 0; k--) {
		if (b->loc[k].stride)
			v += x / b->loc[k].stride % b->loc[k].size * w;
		w *= b->loc[k].size;
	}
	return v;
}

int64_t reorder_place(const states *s, int row, int64_t dev, int64_t local)
{
	layout l, b;
	eg_id x;

	row_form(s->q, SIDE_DIST, row, &l, &x);
	row_form(s->q, SIDE_BASE, s->rs[row].base, &b, &x);
	return flat_of_place(&b, reorder_map_at(s->answer[row].map, digits_at(l.nd, l.dev, dev) + digits_at(l.nl, l.loc, local)));
}

struct seen {			/* the baseline coordinate along one dimension */
	const layout *l, *b;
	const struct index_map *m;
	int dim;
	int64_t inner, binner, bn, n;
};

static int64_t coordinate(const struct seen *z, int64_t dev, int64_t c)
{
	const layout *l = z->l;
	int64_t x = digits_at(l->nd, l->dev, dev) + digits_at(l->nl, l->loc, c * z->inner);

	return flat_of_place(z->b, reorder_map_at(z->m, x)) / z->binner % z->bn;
}

static bool is_shard(const struct seen *z, int64_t step, int64_t n, int64_t turn)
{
	int64_t a, c;

	for (a = 0; a < n; a++)
		for (c = 0; c < z->n; c++)
			if (coordinate(z, a * step, c) != (a + turn) % n * z->n + c)
				return false;
	return true;
}

static char *segments(const struct seen *z, int64_t step, int64_t n, arena *out)
{
	char *t = NULL;
	int64_t c, from, a, k;

	for (c = 0; c < z->n; c = from) {
		int64_t first = coordinate(z, 0, c);
		for (from = c + 1; from < z->n && coordinate(z, 0, from) == first + from - c; from++)
			;
		for (a = 0; a < n; a++)
			for (k = c; k < from; k++)
				if (coordinate(z, a * step, k) != first + a * (from - c) + k - c)
					return NULL;
		t = t ? arena_printf(out, "%s,%lld", t, (long long)(n * (from - c))) : arena_printf(out, "%lld", (long long)(n * (from - c)));
	}
	return t;
}

static char *first_places(const struct seen *z, arena *out)
{
	char *t = arena_printf(out, "permutation of dim %d: device 0 holds", z->dim);
	int64_t c;

	for (c = 0; c < z->n && c < 8; c++)
		t = arena_printf(out, "%s %lld", t, (long long)coordinate(z, 0, c));
	return c < z->n ? arena_printf(out, "%s ..", t) : t;
}

/* One dimension: "" when it is as in the baseline. */
static char *dim_text(const struct seen *z, const mesh *ms, arena *out)
{
	int64_t step = ms->ndev, c, turn;
	int k, axis = -1;
	int64_t astep = 1;
	char *t;

	for (k = 0; k < ms->n; k++) {
		step /= ms->axis[k].size;
		if (ms->axis[k].size > 1 && coordinate(z, step, 0) != coordinate(z, 0, 0)) {
			if (axis >= 0)
				return first_places(z, out);
			axis = k;
			astep = step;
		}
	}
	if (axis < 0) {
		for (c = 0; c < z->n && coordinate(z, 0, c) == c; c++)
			;
		return c == z->n ? arena_strdup(out, "") : first_places(z, out);
	}
	if (z->n > 1 << 16)
		return arena_printf(out, "permutation of dim %d over %s", z->dim, ms->axis[axis].name);
	for (turn = 0; turn < ms->axis[axis].size; turn++)
		if (is_shard(z, astep, ms->axis[axis].size, turn))
			return turn ? arena_printf(out, "S(%d) rotated by %lld over %s", z->dim, (long long)turn, ms->axis[axis].name)
				    : arena_printf(out, "S(%d) over %s", z->dim, ms->axis[axis].name);
	t = segments(z, astep, ms->axis[axis].size, out);
	return t ? arena_printf(out, "segments %s of dim %d over %s", t, z->dim, ms->axis[axis].name) : first_places(z, out);
}

char *reorder_text(const states *s, const struct answer *w, arena *out)
{
	const layout *l = &w->laid;
	layout b;
	eg_id x;
	struct seen z = { .l = l, .b = &b, .m = w->map, .inner = 1, .binner = 1 };
	char *t = arena_strdup(out, ""), *part[64];
	int k;

	if (!row_form(s->q, SIDE_BASE, w->base, &b, &x) || b.rank != l->rank || b.rank > 64)
		return arena_strdup(out, "permutation");
	for (k = b.rank - 1; k >= 0; k--) {
		z.dim = k;
		z.n = l->dim[k];
		z.bn = b.dim[k];
		part[k] = dim_text(&z, &s->q->ms, out);
		z.inner *= l->dim[k];
		z.binner *= b.dim[k];
	}
	for (k = 0; k < b.rank; k++)
		if (*part[k])
			t = arena_printf(out, "%s%s%s", t, *t ? " · " : "", part[k]);
	return *t ? t : arena_strdup(out, "permutation");
}
