#include "pair/probe.h"

#include <string.h>
#include "pair/pair_in.h"

bool probe_begin(probe *p, pair *q)
{
	algebra *a = &q->p->a;

	if (!normal_idle(a))
		return false;
	*p = (probe){ .q = q, .mark = trail_at(a->tr), .scratch = arena_at(&a->s.a), .fired = q->p->fired,
		      .firing = history_count(a), .first = eg_nnode(a->g), .logged = a->tr->on };
	a->tr->on = true;	/* a run that never goes back still takes its probes back */
	history_begin(a);
	return true;
}

void probe_end(probe *p)
{
	algebra *a = &p->q->p->a;

	trail_undo(a->tr, p->mark);
	a->tr->on = p->logged;
	arena_reset(&a->s.a, p->scratch);
	p->q->p->fired = p->fired;
	a->s.reason = NULL;
}

bool probe_settle(probe *p)
{
	normal_made_origins(&p->q->p->a);
	p->cut = !prover_run(p->q->p, PROBE_FIRINGS);
	return !p->cut;
}

bool probe_run(probe *p, eg_id t, layout *l, eg_id *core)
{
	algebra *a = &p->q->p->a;
	eg_id c;

	if (t == NIL || !probe_settle(p))
		return false;
	c = laid_cell(a, t);
	if (c == NIL)
		return false;
	*l = layout_of(a, c);
	*core = eg_args(a->g, c)[0];
	return true;
}

eg_id probe_old(const probe *p, eg_id core)
{
	const egraph *g = p->q->p->g;
	eg_id r = eg_root(g, core), m = r, old = NIL;

	do {
		if (m < p->first && (old == NIL || m < old))
			old = m;
		m = eg_next_in_class(g, m);
	} while (m != r);
	return old;
}

char *probe_rules(const probe *p, arena *out)
{
	const algebra *a = &p->q->p->a;
	uint32_t i, j, n = history_count(a);
	char *s = arena_strdup(out, "");

	for (i = p->firing; i < n; i++) {
		uint32_t rule = history_at(a, i)->rule;
		for (j = p->firing; j < i && history_at(a, j)->rule != rule; j++)
			;
		if (j == i)
			s = arena_printf(out, "%s%s%s", s, *s ? ", " : "", prover_rule_name(p->q->p, rule));
	}
	return s;
}

int probe_opened(const probe *p, arena *out, eg_id **pairs)
{
	const algebra *a = &p->q->p->a;
	const history *h = &a->normal->log;
	uint32_t first = p->firing < history_count(a) ? history_at(a, p->firing)->prem : h->prem.n, i;
	int n = 0;

	*pairs = ARENA_ARRAY(out, eg_id, 2 * (h->prem.n - first));
	for (i = first; i < h->prem.n; i++) {
		eg_id y = VEC_AT(premise, &h->prem, i).y;
		if (y >= p->first)
			continue;
		(*pairs)[2 * n] = y;
		(*pairs)[2 * n + 1] = normal_node(a, y);
		if ((*pairs)[2 * n + 1] < p->first)
			n++;
	}
	return n;
}

bool probe_same(const algebra *a, int n, const eg_id *pairs)
{
	int i;

	for (i = 0; i < n; i++)
		if (pairs[2 * i] >= eg_nnode(a->g) || normal_node(a, pairs[2 * i]) != pairs[2 * i + 1])
			return false;
	return true;
}

/* ---- builders */

/* Free labels of a family over devices and local places, as digits of the node that was made. */
static layout laid_over(algebra *a, const layout *like, const placed *p, label *dev, label *loc)
{
	layout y = *like;
	digit *d = ARENA_ARRAY(&a->s.a, digit, 128);

	y.nd = placed_digits(p, 1, &dev, d);
	y.nl = placed_digits(p, 1, &loc, d + y.nd);
	y.dev = d;
	y.loc = d + y.nd;
	return y;
}

static eg_id reduce(algebra *a, const mesh *ms, const layout *l, eg_id x, uint32_t axes, const char *op, int type)
{
	scratch *s = &a->s;
	bool add = !strcmp(op, "add");
	label *free[2] = { label_new(s, ms->ndev), label_new(s, layout_elements(l)) };
	label **bound = ARENA_ARRAY(&s->a, label *, ms->n);
	ix **axis = mesh_axes(a, ms, ix_of(s, free[0], 1));
	work *w = work_new(a, add ? C_EIN : C_RED, type, 1);
	int k, nb = 0;
	placed p;
	layout y;

	for (k = 0; k < ms->n; k++)
		if (axes >> k & 1) {
			bound[nb] = label_new(s, ms->axis[k].size);
			bound[nb]->bound = true;
			axis[k] = ix_of(s, bound[nb++], 1);
		}
	w->fn = add ? NIL : val_name(a, op);
	work_set_free(a, w, 2, free);
	work_set_bound(a, w, nb, bound);
	w->nslot = 1;
	w->slot[0] = slot_read(x, layout_read(a, l, mesh_device(a, ms, axis), ix_of(s, free[1], 1)), RAT_ONE);
	p = work_make(a, w);
	y = laid_over(a, l, &p, free[0], free[1]);
	return layout_laid(a, &y, p.n);
}

eg_id probe_reduce(probe *p, const layout *l, eg_id x, uint32_t axes, const char *op, int type)
{
	algebra *a = &p->q->p->a;

	if (setjmp(a->s.out))
		return NIL;
	return reduce(a, &p->q->ms, l, x, axes, op, type);
}

static eg_id on_device(algebra *a, const mesh *ms, const layout *l, eg_id x, int64_t dev)
{
	scratch *s = &a->s;
	label *free[2] = { label_new(s, ms->ndev), label_new(s, layout_elements(l)) };
	work *w = work_new(a, C_AT, core_type(a, x), 1);
	placed p;
	layout y;

	work_set_free(a, w, 2, free);
	w->nslot = 1;
	w->slot[0] = slot_read(x, layout_read(a, l, ix_const(s, dev), ix_of(s, free[1], 1)), RAT_ONE);
	p = work_make(a, w);
	y = laid_over(a, l, &p, free[0], free[1]);
	return layout_laid(a, &y, p.n);
}

eg_id probe_on_device(probe *p, const layout *l, eg_id x, int64_t dev)
{
	algebra *a = &p->q->p->a;

	return setjmp(a->s.out) ? NIL : on_device(a, &p->q->ms, l, x, dev);
}

eg_id probe_read(probe *p, eg_id x, int n, label **l, ix *e)
{
	algebra *a = &p->q->p->a;
	work *w;

	if (setjmp(a->s.out))
		return NIL;
	w = work_new(a, C_AT, core_type(a, x), 1);
	work_set_free(a, w, n, l);
	w->nslot = 1;
	w->slot[0] = slot_read(x, e, RAT_ONE);
	return work_result(a, w);
}

bool probe_claim(pair *q, int base_row, int dist_row, const output_relation *rel)
{
	goal g = { .out = -1, .base_row = base_row, .dist_row = dist_row, .rel = rel, .want = NIL, .have = NIL, .compared = true };
	probe p;
	bool met;

	if (!probe_begin(&p, q))
		return false;
	pair_build_claim(q, &g);
	met = !g.why && probe_settle(&p) && goal_met(q, &g);
	probe_end(&p);
	return met;
}
