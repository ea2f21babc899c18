#include "rule/firing_in.h"

#include <stdlib.h>
#include <string.h>

static void undo_firing(void *ctx, uint32_t id);

struct row_pair {
	eg_id winner, loser;
};

static void rows_merging(void *ctx, eg_id winner, eg_id loser)
{
	firings *f = ctx;
	struct row_pair *p;

	if (!rules_cell(f->r, loser))
		return;
	p = vec_push(&f->merging);
	p->winner = winner;
	p->loser = loser;
}

firings *firings_new(rules *r)
{
	firings *f = calloc(1, sizeof *f);

	if (!f)
		die_hook("out of memory");
	f->r = r;
	f->g = r->g;
	vec_init(&f->head, sizeof(struct firing_head));
	vec_init(&f->word, sizeof(uint32_t));
	vec_init(&f->notes, sizeof(const char *));
	vec_init(&f->built, sizeof(eg_id));
	vec_init(&f->merging, sizeof(struct row_pair));
	arena_init(&f->a);
	f->sub = matcher_new(r);
	f->undo = trail_register(&f->g->trail, undo_firing, f);
	eg_set_fact_hook(f->g, rows_merging, f);
	return f;
}

void firings_free(firings *f)
{
	if (!f)
		return;
	vec_free(&f->head);
	vec_free(&f->word);
	vec_free(&f->notes);
	vec_free(&f->built);
	vec_free(&f->merging);
	arena_free(&f->a);
	matcher_free(f->sub);
	free(f);
}

/* ---- the log */

static void undo_firing(void *ctx, uint32_t id)
{
	firings *f = ctx;
	struct firing_head *h = &VEC_AT(struct firing_head, &f->head, id);

	if (h->rule == NIL)
		f->notes.n = h->word;
	else
		f->word.n = h->word;
	f->head.n = id;
}

uint32_t firing_n(const firings *f)
{
	return f->head.n;
}

uint32_t firing_note(firings *f, const char *what)
{
	struct firing_head *h = vec_push(&f->head);

	h->rule = NIL;
	h->edges = eg_nedge(f->g);
	h->word = f->notes.n;
	*(const char **)vec_push(&f->notes) = arena_strdup(&f->a, what);
	trail_call(&f->g->trail, f->undo, f->head.n - 1);
	eg_set_firing(f->g, f->head.n - 1);
	return f->head.n - 1;
}

firing firing_at(const firings *f, uint32_t id)
{
	const struct firing_head *h = &VEC_AT(struct firing_head, &f->head, id);
	firing x = { .edges = h->edges };

	if (h->rule == NIL) {
		x.note = VEC_AT(const char *, &f->notes, h->word);
		return x;
	}
	x.rule = rules_at(f->r, h->rule);
	x.npos = x.rule->pattern->npos;
	x.pos = VEC(uint32_t, &f->word) + h->word;
	x.nloose = h->nloose;
	x.loose = x.pos + x.npos;
	x.nbuilt = x.rule->pattern->nbuilt;
	x.built = x.loose + x.nloose;
	x.nextra = h->nbuilt - x.nbuilt;
	x.extra = x.built + x.nbuilt;
	return x;
}

static void push_words(vec *v, const uint32_t *w, uint32_t n)
{
	if (n)
		memcpy(vec_push_n(v, n), w, n * sizeof *w);
}

/* A loose value: a sequence is its length and elements, a term not yet built
 * NIL and a copy's address, all else one word. */
static term copy_term(arena *a, const term *t)
{
	term c = *t, *arg;
	uint32_t i;

	if (t->id != NIL)
		return c;
	arg = ARENA_ARRAY(a, term, t->narg);
	for (i = 0; i < t->narg; i++)
		arg[i] = copy_term(a, &t->arg[i]);
	c.arg = arg;
	return c;
}

void loose_store(const matcher *m, vec *v, arena *terms)
{
	const pattern *p = m->p;
	uint32_t i;

	for (i = 0; i < p->nloose; i++) {
		const rv *x = &m->reg[p->loose[i]];
		const pattern_var *var = &p->var[p->loose[i]];

		if (var->seq) {
			push_words(v, &x->n, 1);
			push_words(v, x->at, x->n);
		} else if (x->id == NIL && !var->value && x->term && terms) {
			term *t = ARENA_NEW(terms, term);

			*t = copy_term(terms, x->term);
			push_words(v, &x->id, 1);
			push_words(v, (uint32_t *)&t, 2);
		} else {
			push_words(v, &x->id, 1);
		}
	}
}

uint32_t loose_load(matcher *m, const uint32_t *w)
{
	const pattern *p = m->p;
	const uint32_t *from = w;
	uint32_t i;

	for (i = 0; i < p->nloose; i++) {
		rv *x = &m->reg[p->loose[i]];
		const pattern_var *var = &p->var[p->loose[i]];

		memset(x, 0, sizeof *x);
		if (var->seq) {
			x->n = *w++;
			x->at = w;
			w += x->n;
		} else if ((x->id = *w++) == NIL && !var->value) {
			memcpy(&x->term, w, sizeof x->term);
			w += 2;
		}
	}
	return (uint32_t)(w - from);
}

static uint32_t log_firing(firings *f, matcher *m, uint32_t edges)
{
	const pattern *p = m->p;
	struct firing_head *h = vec_push(&f->head);

	h->rule = p->rule->index;
	h->edges = edges;
	h->word = f->word.n;
	push_words(&f->word, m->pos, p->npos);
	loose_store(m, &f->word, NULL);
	h->nloose = f->word.n - h->word - p->npos;
	push_words(&f->word, VEC(eg_id, &f->built), f->built.n);
	h->nbuilt = f->built.n;
	trail_call(&f->g->trail, f->undo, f->head.n - 1);
	return f->head.n - 1;
}

/* ---- registers */

void fire_load(firings *f, matcher *m)
{
	const egraph *g = f->g;
	const pattern *p = m->p;
	const eg_id *arg = g->proofs ? g->orig : g->cur;
	uint32_t i;

	for (i = 0; i < p->nvar; i++) {
		const source *s = &p->source[i];
		rv *x = &m->reg[i];

		switch (s->kind) {
		case FROM_LOOSE:
			break;
		case FROM_NODE:
			x->id = m->pos[s->pos];
			break;
		case FROM_ARG:
			x->id = arg[g->node[m->pos[s->pos]].slot + s->index];
			break;
		case FROM_VAL:
			x->id = eg_vals_of(g, m->pos[s->pos])[s->index];
			break;
		case FROM_REST:
			x->at = arg + g->node[m->pos[s->pos]].slot + s->index;
			x->n = g->node[m->pos[s->pos]].narg - s->index;
			break;
		}
	}
}

/* ---- acts */

struct run {
	firings *f;
	matcher *m;
	const pattern *p;
	enum eg_why why;
	uint32_t firing;
	uint32_t first;		/* of f->built: the first of this run */
	bool changed;
	const char *error;
	uint32_t nunion;
	eg_id a, b;
};

static eg_id build_term(firings *f, arena *a, const term *t)
{
	eg_id *arg, n;
	uint32_t i;

	if (t->id != NIL)
		return t->id;
	arg = ARENA_ARRAY(a, eg_id, t->narg);
	for (i = 0; i < t->narg; i++)
		arg[i] = build_term(f, a, &t->arg[i]);
	n = eg_add(f->g, t->op, t->narg, arg);
	push_words(&f->built, &n, 1);
	push_words(&f->built, &t->narg, 1);
	push_words(&f->built, arg, t->narg);
	return n;
}

/* Terms that host functions answered with become nodes. */
static void build_loose(struct run *r)
{
	const pattern *p = r->p;
	uint32_t i;

	for (i = 0; i < p->nloose; i++) {
		rv *x = &r->m->reg[p->loose[i]];
		const pattern_var *v = &p->var[p->loose[i]];

		if (!v->seq && !v->value && x->id == NIL && x->term)
			x->id = build_term(r->f, &r->m->scratch, x->term);
	}
}

static inline uint32_t reg(const struct run *r, operand o)
{
	return o.kind == OPERAND_VAR ? r->m->reg[o.id].id : o.id;
}

static eg_op act_operator(struct run *r, const act *a)
{
	eg_val v[COLUMNS_MAX];
	uint32_t i;

	if (a->op != NIL)
		return a->op;
	v[0] = NIL;
	for (i = 0; i < a->nval; i++)
		v[i] = reg(r, a->val[i]);
	return eg_operator(r->f->g, a->table->fam, a->nval, v);
}

/* Sequences among the arguments are spread out. */
static eg_id act_node(struct run *r, const act *a)
{
	egraph *g = r->f->g;
	eg_id few[8], *arg = few;
	uint32_t i, k = 0, total = 0;
	eg_op op = act_operator(r, a);

	for (i = 0; i < a->narg; i++) {
		bool seq = a->arg[i].kind == OPERAND_VAR && r->p->var[a->arg[i].id].seq;

		total += seq ? r->m->reg[a->arg[i].id].n : 1;
	}
	if (total > 8)
		arg = ARENA_ARRAY(&r->m->scratch, eg_id, total);
	for (i = 0; i < a->narg; i++) {
		const rv *x = a->arg[i].kind == OPERAND_VAR ? &r->m->reg[a->arg[i].id] : NULL;

		if (x && r->p->var[a->arg[i].id].seq) {
			memcpy(arg + k, x->at, x->n * sizeof *arg);
			k += x->n;
		} else {
			arg[k++] = x ? x->id : a->arg[i].id;
		}
	}
	return eg_add(g, op, total, arg);
}

static void act_build(struct run *r, const act *a)
{
	eg_id n = act_node(r, a);

	r->m->reg[a->out].id = n;
	VEC_AT(eg_id, &r->f->built, r->first + a->built) = n;
}

static void act_union(struct run *r, const act *a)
{
	eg_id x = reg(r, a->arg[0]), y = reg(r, a->arg[1]);

	if (!r->nunion++) {
		r->a = x;
		r->b = y;
	}
	if (eg_union(r->f->g, x, y, r->why, r->firing))
		r->changed = true;
}

static void cell_write(firings *f, eg_id root, uint32_t value, uint32_t firing)
{
	rules *r = f->r;

	vec_room(&r->cell, root + 1);
	vec_room(&r->cell_by, root + 1);
	trail_set32(&f->g->trail, &VEC_AT(uint32_t, &r->cell, root), value + 1);
	trail_set32(&f->g->trail, &VEC_AT(uint32_t, &r->cell_by, root), firing);
	eg_touch(f->g, root);
}

static bool same_value(const firings *f, const table *b, uint32_t x, uint32_t y)
{
	return b->value ? x == y : f->g->root[x] == f->g->root[y];
}

/* What :merge makes of two values. */
static const char *merged_value(firings *f, const table *b, uint32_t old, uint32_t new, uint32_t firing, uint32_t *out)
{
	bool changed;
	const char *error;

	if (b->no_merge)
		return arena_printf(&f->r->a, "function %s has two values for one key", b->name);
	match_room(f->sub, b->merge);
	f->sub->p = b->merge;
	f->sub->reg[0].id = old;
	f->sub->reg[1].id = new;
	error = acts_run(f, f->sub, b->merge, EG_RULE, firing, &changed);
	*out = b->merged.kind == OPERAND_VAR ? f->sub->reg[b->merged.id].id : b->merged.id;
	return error;
}

static void act_set(struct run *r, const act *a)
{
	firings *f = r->f;
	eg_id row = act_node(r, a), root = f->g->root[row];
	uint32_t new = reg(r, a->value), old = rules_cell(f->r, root), out = new;

	VEC_AT(eg_id, &f->built, r->first + a->built) = row;
	if (old && same_value(f, a->table, old - 1, new))
		return;
	if (old) {
		r->error = merged_value(f, a->table, old - 1, new, r->firing, &out);
		if (r->error || same_value(f, a->table, old - 1, out))
			return;
	}
	cell_write(f, root, out, r->firing);
	r->changed = true;
}

const char *cells_settle(firings *f, uint32_t firing, bool *changed)
{
	const char *error = NULL;
	uint32_t i;

	for (i = 0; i < f->merging.n && !error; i++) {
		struct row_pair p = VEC_AT(struct row_pair, &f->merging, i);
		eg_id root = f->g->root[p.winner];
		const table *b = rules_table(f->r, eg_family(f->g, eg_fam_of(f->g, root))->name);
		uint32_t x = rules_cell(f->r, root), y = rules_cell(f->r, p.loser), out;

		out = y - 1;
		if (x && same_value(f, b, x - 1, y - 1))
			continue;
		if (x) {
			bool swap = p.loser < p.winner;

			error = merged_value(f, b, (swap ? y : x) - 1, (swap ? x : y) - 1, firing, &out);
			if (error || same_value(f, b, x - 1, out))
				continue;
		}
		cell_write(f, root, out, firing);
		*changed = true;
	}
	f->merging.n = 0;
	return error;
}

static void act_host(struct run *r, const act *a)
{
	rv in[HOST_MAX], out[HOST_MAX];
	host_call c = { .g = r->f->g, .ctx = a->host->fn.ctx, .scratch = &r->m->scratch,
			.in = in, .nin = a->nval, .out = out };
	uint32_t i;

	memset(out, 0, sizeof out);
	for (i = 0; i < a->nval && i < HOST_MAX; i++)
		in[i] = a->val[i].kind == OPERAND_VAR ? r->m->reg[a->val[i].id] : (rv){ .id = a->val[i].id };
	if (!a->host->fn.fn(&c)) {
		r->error = arena_printf(&r->f->r->a, "%s refused: %s", a->host->fn.name, c.reason ? c.reason : "undefined");
		return;
	}
	for (i = 0; i < a->narg; i++) {
		rv *x = &r->m->reg[a->arg[i].id];

		*x = out[i];
		if (!r->p->var[a->arg[i].id].value && !a->host->out[i].seq && x->id == NIL && x->term)
			x->id = build_term(r->f, &r->m->scratch, x->term);
	}
}

static void run_acts(struct run *r)
{
	const act *a = r->p->act, *end = a + r->p->nact;

	for (; a < end && !r->error; a++) {
		switch (a->kind) {
		case ACT_BUILD:
			act_build(r, a);
			break;
		case ACT_UNION:
			act_union(r, a);
			break;
		case ACT_SET:
			act_set(r, a);
			break;
		case ACT_HOST:
			act_host(r, a);
			break;
		case ACT_PANIC:
			r->error = a->text;
			break;
		}
	}
}

const char *acts_run(firings *f, matcher *m, const pattern *p, enum eg_why why, uint32_t firing, bool *changed)
{
	struct run r = { .f = f, .m = m, .p = p, .why = why, .firing = firing };
	uint32_t n = eg_nnode(f->g), first = f->built.n;

	r.first = first;
	vec_push_n(&f->built, p->nbuilt);
	run_acts(&r);
	f->built.n = first;
	*changed = r.changed || eg_nnode(f->g) != n;
	return r.error;
}

fired fire_loaded(firings *f, matcher *m, bool keep)
{
	egraph *g = f->g;
	trail_mark mark = trail_at(&g->trail);
	uint32_t before = g->n, edges = g->edges.n;
	struct run r = { .f = f, .m = m, .p = m->p, .why = EG_RULE, .firing = f->head.n,
			 .a = NIL, .b = NIL };
	fired out = { .id = NIL };

	g->firing = r.firing;
	f->built.n = 0;
	vec_push_n(&f->built, m->p->nbuilt);
	build_loose(&r);
	run_acts(&r);
	if (!r.error && f->merging.n)
		r.error = cells_settle(f, r.firing, &r.changed);
	f->merging.n = 0;
	if (r.error) {
		trail_undo(&g->trail, mark);
		out.error = r.error;
		out.a = out.b = NIL;
		return out;
	}
	out.changed = r.changed || g->n != before;
	if ((out.changed || keep) && g->proofs)
		out.id = log_firing(f, m, edges);
	out.nunion = r.nunion;
	out.a = r.a;
	out.b = r.b;
	return out;
}

fired fire(firings *f, matcher *m, bool keep)
{
	if (f->g->proofs)
		fire_load(f, m);
	return fire_loaded(f, m, keep);
}
