#include "rule/match_in.h"

#include <stdlib.h>
#include <string.h>

matcher *matcher_new(rules *r)
{
	matcher *m = calloc(1, sizeof *m);

	if (!m)
		die_hook("out of memory");
	m->r = r;
	m->g = r->g;
	vec_init(&m->v_reg, sizeof(rv));
	vec_init(&m->v_pos, sizeof(eg_id));
	vec_init(&m->v_stack, sizeof(struct choice));
	vec_init(&m->fresh, sizeof(eg_id));
	vec_init(&m->mark, sizeof(uint32_t));
	arena_init(&m->scratch);
	arena_alloc(&m->scratch, 1);
	m->clean = arena_at(&m->scratch);
	return m;
}

void matcher_free(matcher *m)
{
	if (!m)
		return;
	vec_free(&m->v_reg);
	vec_free(&m->v_pos);
	vec_free(&m->v_stack);
	vec_free(&m->fresh);
	vec_free(&m->mark);
	arena_free(&m->scratch);
	free(m);
}

void match_room(matcher *m, const pattern *p)
{
	vec_room(&m->v_reg, p->nreg + 1);
	vec_room(&m->v_pos, p->npos + 1);
	vec_room(&m->v_stack, p->natom + 1);
	m->reg = VEC(rv, &m->v_reg);
	m->pos = VEC(eg_id, &m->v_pos);
	m->stack = VEC(struct choice, &m->v_stack);
}

/* ---- one node against the fields of an instruction */

static bool same_seq(const egraph *g, const rv *v, const eg_id *at, uint32_t n)
{
	uint32_t i;

	if (v->n != n)
		return false;
	for (i = 0; i < n; i++)
		if (g->root[v->at[i]] != at[i])
			return false;
	return true;
}

static bool cell_field(matcher *m, const field *f, eg_id n)
{
	const egraph *g = m->g;
	uint32_t v = rules_cell(m->r, g->root[n]);

	if (!v)
		return false;
	v--;
	switch (f->kind) {
	case FIELD_CELL_BIND:
		m->reg[f->id].id = f->class ? g->root[v] : v;
		return true;
	case FIELD_CELL_SAME:
		return f->class ? g->root[v] == g->root[m->reg[f->id].id] : v == m->reg[f->id].id;
	case FIELD_CELL_IS:
		return v == f->id;
	case FIELD_CELL_NODE:
		return g->root[v] == g->root[f->id];
	default:
		return true;
	}
}

static inline bool field_ok(matcher *m, const field *f, eg_id n, const struct eg_node *p)
{
	const egraph *g = m->g;
	const eg_id *cur = g->cur + p->slot;

	switch (f->kind) {
	case FIELD_ARG_BIND:
		m->reg[f->id].id = cur[f->index];
		return true;
	case FIELD_ARG_SAME:
		return cur[f->index] == g->root[m->reg[f->id].id];
	case FIELD_ARG_NODE:
		return cur[f->index] == g->root[f->id];
	case FIELD_VAL_BIND:
		m->reg[f->id].id = eg_vals_of(g, n)[f->index];
		return true;
	case FIELD_VAL_SAME:
		return eg_vals_of(g, n)[f->index] == m->reg[f->id].id;
	case FIELD_VAL_IS:
		return eg_vals_of(g, n)[f->index] == f->id;
	case FIELD_OUT_BIND:
		m->reg[f->id].id = g->root[n];
		return true;
	case FIELD_OUT_SAME:
		return g->root[n] == g->root[m->reg[f->id].id];
	case FIELD_OUT_NODE:
		return g->root[n] == g->root[f->id];
	case FIELD_REST_BIND:
		m->reg[f->id].at = cur + f->index;
		m->reg[f->id].n = p->narg - f->index;
		return true;
	case FIELD_REST_SAME:
		return same_seq(g, &m->reg[f->id], cur + f->index, p->narg - f->index);
	default:
		return cell_field(m, f, n);
	}
}

/* Is the node one of the instruction's family and shape? */
static inline bool shape_ok(const egraph *g, const insn *in, const struct eg_node *p)
{
	if (p->flags & EG_DEAD)
		return false;
	if (in->op != NIL ? p->op != in->op : VEC_AT(struct eg_opinfo, &g->op, p->op).fam != in->fam)
		return false;
	return in->variadic ? p->narg >= in->narg : p->narg == in->narg;
}

static bool fresh(const matcher *m, eg_id n)
{
	return (size_t)(n + 1) * sizeof(uint32_t) <= m->mark.committed && VEC_AT(uint32_t, &m->mark, n) == m->epoch;
}

/* Semi-naive: an atom before the one that is new must not be new. */
static bool counted_before(const matcher *m, const insn *in, eg_id n)
{
	return m->since && m->prog->start != NIL && in->atom < &m->p->atom[m->prog->start] && fresh(m, n);
}

static inline bool take(matcher *m, const insn *in, eg_id n)
{
	const struct eg_node *p = &m->g->node[n];
	const field *f = in->field, *end = f + in->nfield;

	if (!shape_ok(m->g, in, p))
		return false;
	if (m->since && counted_before(m, in, n))
		return false;
	for (; f < end; f++)
		if (!field_ok(m, f, n, p)) {
			if (m->trace)
				trace_stop(m, (uint32_t)(in - m->prog->insn), STOP_FIELD, n, f, NULL);
			return false;
		}
	m->pos[in->atom->pos] = n;
	return true;
}

/* ---- candidates: each tries from the choice on and leaves it at the next */

static bool next_member(matcher *m, const insn *in, struct choice *c)
{
	const egraph *g = m->g;

	while (c->at != NIL) {
		eg_id n = c->at;

		c->at = g->node[n].next == c->end ? NIL : g->node[n].next;
		if (take(m, in, n))
			return true;
	}
	return false;
}

static bool next_use(matcher *m, const insn *in, struct choice *c)
{
	const egraph *g = m->g;

	while (c->at != NIL) {
		uint32_t s = c->at;
		eg_id n = g->link[s].owner;

		c->at = g->link[s].next;
		if (s == g->node[n].slot + in->index && take(m, in, n))
			return true;
	}
	return false;
}

static bool next_scan(matcher *m, const insn *in, struct choice *c)
{
	const eg_id *nodes = VEC_AT(struct eg_family_info, &m->g->families, in->fam).nodes.at;

	while (c->at < c->end)
		if (take(m, in, nodes[c->at++]))
			return true;
	return false;
}

static eg_op operator_now(const matcher *m, const atom *a)
{
	eg_val v[COLUMNS_MAX];
	uint32_t i;

	for (i = 0; i < a->nval; i++)
		v[i] = match_operand(m, a->val[i]).id;
	return eg_find_operator(m->g, a->table->fam, a->nval, v);
}

static bool look_up(matcher *m, const insn *in)
{
	const atom *a = in->atom;
	eg_op op = in->op != NIL ? in->op : operator_now(m, a);
	arena_mark mark = arena_at(&m->scratch);
	eg_id *arg = ARENA_ARRAY(&m->scratch, eg_id, a->narg), n;
	uint32_t i;

	for (i = 0; i < a->narg; i++)
		arg[i] = match_operand(m, a->arg[i]).id;
	n = op == NIL ? NIL : eg_lookup(m->g, op, a->narg, arg);
	arena_reset(&m->scratch, mark);
	if (n != NIL)
		return take(m, in, n);
	if (m->trace)
		trace_stop(m, (uint32_t)(in - m->prog->insn), STOP_LOOKUP, NIL, NULL, NULL);
	return false;
}

/* ---- host calls */

static eg_id term_find(matcher *m, const term *t)
{
	eg_id *arg;
	uint32_t i;

	if (t->id != NIL)
		return t->id;
	arg = ARENA_ARRAY(&m->scratch, eg_id, t->narg);
	for (i = 0; i < t->narg; i++)
		if ((arg[i] = term_find(m, &t->arg[i])) == NIL)
			return NIL;
	return eg_lookup(m->g, t->op, t->narg, arg);
}

/* The class of a value, NIL for a term that is not there. */
static eg_id class_of(matcher *m, const rv *v)
{
	eg_id n = v->id == NIL && v->term ? term_find(m, v->term) : v->id;

	return n == NIL ? NIL : m->g->root[n];
}

static bool same_result(matcher *m, const param *p, const rv *x, const rv *y)
{
	const egraph *g = m->g;
	uint32_t i;

	if (p->seq) {
		if (x->n != y->n)
			return false;
		for (i = 0; i < x->n; i++)
			if (g->root[x->at[i]] != g->root[y->at[i]])
				return false;
		return true;
	}
	if (p->sort != NIL && !eg_sort_primitive(g, p->sort))
		return class_of(m, x) == class_of(m, y) && class_of(m, x) != NIL;
	return x->id == y->id;
}

static bool take_results(matcher *m, const insn *in)
{
	const atom *a = in->atom;
	uint32_t k;

	for (k = 0; k < a->narg; k++) {
		rv want;

		if (!(in->bound >> k & 1)) {
			m->reg[a->arg[k].id] = m->out[k];
			continue;
		}
		want = match_operand(m, a->arg[k]);
		if (!same_result(m, &a->host->out[k], &want, &m->out[k]))
			return false;
	}
	return true;
}

/* A parameter `S!` gets the node at the variable's position. */
static rv host_argument(const matcher *m, const atom *a, uint32_t k)
{
	const operand *o = &a->val[k];
	rv v = match_operand(m, *o);

	if (k < a->host->nin && a->host->in[k].node && !a->host->in[k].seq && o->kind == OPERAND_VAR &&
	    m->p->source[o->id].kind == FROM_NODE)
		v.id = m->pos[m->p->source[o->id].pos];
	return v;
}

/* One answer of the call, or false; the choice is kept when there may be more. */
static bool call_host(matcher *m, const insn *in, struct choice *c)
{
	const atom *a = in->atom;
	host_call h = { .g = m->g, .ctx = a->host->fn.ctx, .scratch = &m->scratch, .in = m->in, .nin = a->nval,
			.out = m->out, .cursor = c->cursor };
	uint32_t k;

	for (k = 0; k < a->nval; k++)
		m->in[k] = host_argument(m, a, k);
	do {
		uint64_t asked = h.cursor;

		h.witness = NIL;
		memset(m->out, 0, a->narg * sizeof *m->out);
		c->cursor = 0;
		if (!a->host->fn.fn(&h)) {
			if (m->trace)
				trace_stop(m, (uint32_t)(in - m->prog->insn), STOP_HOST, NIL, NULL, h.reason);
			return false;
		}
		if (h.cursor == asked)
			h.cursor = 0;
		if (take_results(m, in)) {
			c->cursor = h.cursor;
			if (a->pos != NIL)
				m->pos[a->pos] = h.witness;
			return true;
		}
		if (m->trace)
			trace_stop(m, (uint32_t)(in - m->prog->insn), STOP_EQUAL, NIL, NULL, NULL);
	} while (h.cursor);
	return false;
}

/* ---- the machine */

static bool equal_now(const matcher *m, const atom *a)
{
	rv x = match_operand(m, a->out), y = match_operand(m, a->arg[0]);

	return a->out.kind == a->arg[0].kind && x.id == y.id;
}

static bool choose(matcher *m, const insn *in, struct choice *c)
{
	switch (in->kind) {
	case INSN_MEMBERS:
		return next_member(m, in, c);
	case INSN_USES:
		return next_use(m, in, c);
	case INSN_SCAN:
		return next_scan(m, in, c);
	default:
		return c->cursor && call_host(m, in, c);
	}
}

/* First try of an instruction.  A choice with answers left stays on the stack. */
static bool enter(matcher *m, const insn *in, uint32_t pc)
{
	const egraph *g = m->g;
	struct choice *c = &m->stack[m->depth];
	eg_id root;
	bool ok;

	c->pc = pc;
	switch (in->kind) {
	case INSN_EXACT:
		ok = take(m, in, m->reg[in->from.id].id);
		if (!ok && m->trace)
			trace_stop(m, pc, STOP_NONE, NIL, NULL, NULL);
		return ok;
	case INSN_LOOKUP:
		return look_up(m, in);
	case INSN_EQUAL:
		return equal_now(m, in->atom);
	case INSN_MEMBERS:
		root = g->root[match_operand(m, in->from).id];
		c->at = c->end = root;
		ok = next_member(m, in, c);
		break;
	case INSN_USES:
		root = g->root[match_operand(m, in->from).id];
		c->at = g->class[root].use;
		ok = next_use(m, in, c);
		break;
	case INSN_SCAN:
		c->at = 0;
		c->end = VEC_AT(struct eg_family_info, &g->families, in->fam).nodes.n;
		ok = next_scan(m, in, c);
		break;
	default:
		c->cursor = 0;
		ok = call_host(m, in, c);
		m->depth += ok && c->cursor;
		return ok;
	}
	m->depth += ok;
	if (!ok && m->trace)
		trace_stop(m, pc, STOP_NONE, NIL, NULL, NULL);
	return ok;
}

static bool forward(matcher *m, uint32_t pc)
{
	const insn *in;

	for (;;) {
		in = &m->prog->insn[pc];
		if (in->kind == INSN_MATCH)
			return true;
		if (enter(m, in, pc)) {
			pc++;
			continue;
		}
		for (;;) {	/* back to the youngest choice that has another answer */
			struct choice *c;

			if (!m->depth)
				return false;
			c = &m->stack[m->depth - 1];
			if (choose(m, &m->prog->insn[c->pc], c)) {
				pc = c->pc + 1;
				break;
			}
			m->depth--;
		}
	}
}

static bool again(matcher *m)
{
	while (m->depth) {
		struct choice *c = &m->stack[m->depth - 1];

		if (choose(m, &m->prog->insn[c->pc], c))
			return forward(m, c->pc + 1);
		m->depth--;
	}
	return false;
}

static bool match_start(matcher *m, const code *prog, eg_id node)
{
	arena_reset(&m->scratch, m->clean);
	m->prog = prog;
	m->depth = 0;
	if (prog->start == NIL)
		return forward(m, 0);
	return take(m, &prog->insn[0], node) && forward(m, 1);
}

bool match_at(matcher *m, const rule *r, eg_id node)
{
	const code *prog = &r->pattern->code[0];

	m->p = r->pattern;
	m->all = false;
	m->since = 0;
	if (prog->start == NIL || !shape_ok(m->g, &prog->insn[0], &m->g->node[node]))
		return false;
	match_room(m, r->pattern);
	return match_start(m, prog, node);
}

/* ---- all matches */

/* The nodes touched since, once each, by age. */
static int by_id(const void *a, const void *b)
{
	eg_id x = *(const eg_id *)a, y = *(const eg_id *)b;

	return x < y ? -1 : x > y;
}

static void gather_fresh(matcher *m, uint32_t since)
{
	uint32_t n, i;
	const eg_id *t = eg_touched(m->g, &n);

	if (m->epoch && m->fresh_since == since && m->fresh_n == n)
		return;
	m->fresh_since = since;
	m->fresh_n = n;
	m->epoch++;
	m->fresh.n = 0;
	vec_room(&m->mark, eg_nnode(m->g) + 1);
	for (i = since; i < n; i++) {
		uint32_t *mark = &VEC_AT(uint32_t, &m->mark, t[i]);

		if (*mark != m->epoch)
			*(eg_id *)vec_push(&m->fresh) = t[i];
		*mark = m->epoch;
	}
	if (m->fresh.n)
		qsort(m->fresh.base, m->fresh.n, sizeof(eg_id), by_id);
}

static void open_program(matcher *m)
{
	const code *prog = &m->p->code[m->icode];

	m->prog = prog;
	m->next = 0;
	if (prog->start == NIL) {
		m->nstart = 1;
		m->starts = NULL;
	} else if (m->since) {
		m->starts = VEC(eg_id, &m->fresh);
		m->nstart = m->fresh.n;
	} else {
		m->starts = eg_family_nodes(m->g, m->p->atom[prog->start].table->fam, &m->nstart);
	}
}

static bool next_start(matcher *m)
{
	uint32_t last = m->since ? m->p->ncode : 1;

	for (;;) {
		while (m->next < m->nstart) {
			uint32_t i = m->next++;

			if (match_start(m, m->prog, m->starts ? m->starts[i] : NIL))
				return true;
		}
		if (++m->icode >= last)
			return false;
		open_program(m);
	}
}

bool match_all(matcher *m, const rule *r, uint32_t since)
{
	m->p = r->pattern;
	m->all = true;
	m->since = r->pattern->naive ? 0 : since;
	m->icode = 0;
	match_room(m, r->pattern);
	if (m->since)
		gather_fresh(m, since);
	open_program(m);
	return next_start(m);
}

bool match_next(matcher *m)
{
	return again(m) || (m->all && next_start(m));
}

/* ---- what was found */

uint32_t match_npos(const matcher *m)
{
	return m->p->npos;
}

eg_id match_node(const matcher *m, uint32_t pos)
{
	return m->pos[pos];
}

rv match_var(const matcher *m, uint32_t var)
{
	return m->reg[var];
}

/* ---- would it change anything? */

/* The arguments of a build, sequences spread out; NULL when one is not there. */
static eg_id *act_arguments(matcher *m, const act *a, uint32_t *n)
{
	uint32_t i, total = 0;
	eg_id *arg;

	for (i = 0; i < a->narg; i++)
		total += a->arg[i].kind == OPERAND_VAR && m->p->var[a->arg[i].id].seq ? m->reg[a->arg[i].id].n : 1;
	arg = ARENA_ARRAY(&m->scratch, eg_id, total);
	for (i = 0, *n = 0; i < a->narg; i++) {
		rv v = match_operand(m, a->arg[i]);

		if (a->arg[i].kind == OPERAND_VAR && m->p->var[a->arg[i].id].seq) {
			if (v.n)
				memcpy(arg + *n, v.at, v.n * sizeof *arg);
			*n += v.n;
		} else if ((arg[(*n)++] = class_of(m, &v)) == NIL) {
			return NULL;
		}
	}
	return arg;
}

/* A look-up in place of the build. */
static bool act_changes(matcher *m, const act *a)
{
	eg_val val[COLUMNS_MAX];
	eg_op op = a->op;
	uint32_t i, n, old;
	eg_id *arg = act_arguments(m, a, &n), found;
	rv want;

	for (i = 0; i < a->nval; i++)
		val[i] = match_operand(m, a->val[i]).id;
	if (op == NIL)
		op = eg_find_operator(m->g, a->table->fam, a->nval, val);
	found = op == NIL || !arg ? NIL : eg_lookup(m->g, op, n, arg);
	if (found == NIL)
		return true;
	if (a->kind != ACT_SET) {
		m->reg[a->out].id = found;
		return false;
	}
	old = rules_cell(m->r, m->g->root[found]);
	want = match_operand(m, a->value);
	return !old || (a->table->value ? old - 1 != want.id : m->g->root[old - 1] != class_of(m, &want));
}

bool match_would_change(matcher *m)
{
	uint32_t i;

	for (i = 0; i < m->p->nact; i++) {
		const act *a = &m->p->act[i];
		rv x, y;

		if (a->kind == ACT_HOST || a->kind == ACT_PANIC)
			return true;
		if (a->kind != ACT_UNION) {
			if (act_changes(m, a))
				return true;
			continue;
		}
		x = match_operand(m, a->arg[0]);
		y = match_operand(m, a->arg[1]);
		if (class_of(m, &x) != class_of(m, &y) || class_of(m, &x) == NIL)
			return true;
	}
	return false;
}
