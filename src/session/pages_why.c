/* Pages that explain: why, why not, which rules match. */
#include <stdlib.h>
#include <string.h>
#include "fault/difference.h"
#include "prover/proof.h"
#include "relation/describe.h"
#include "session/pages.h"

/* ---- why */

static const char *row_lifted_at(struct session *s, uint32_t step, char *buf, size_t n)
{
	int pos = step && step < s->boundary.n ? VEC_AT(struct boundary, &s->boundary, step).pos - 1 : -1;

	buf[0] = 0;
	if (pos >= 0 && pos < s->p->base->nrow)
		session_name(s, SIDE_BASE, pos, buf, n);
	else if (pos >= 0 && pos - s->p->base->nrow < s->p->dist->nrow)
		session_name(s, SIDE_DIST, pos - s->p->base->nrow, buf, n);
	return buf;
}

/* What an edge says: of a core what the step made of it, of an instruction its name, or both where two became equal. */
static const char *edge_text(struct session *s, const eg_edge *e, const char *name, arena *tmp)
{
	const hist_entry *f = history_at(&s->p->p->a, e->firing);
	bool turned = e->a == f->result && e->b == f->node;
	struct step_text t;
	char other[300];

	if (strcmp(name, nodes_name(s, e->b, other, sizeof other)))
		return arena_printf(tmp, "%s = %s", name, other);
	if (core_kind(&s->p->p->a, e->a) == C_TENSOR)
		return name;
	t = nodes_step(s, turned ? e->b : e->a, turned ? e->a : e->b, tmp);
	return arena_printf(tmp, "%s = %s", t.node, t.made);
}

static void edge_line(struct session *s, struct page *p, uint32_t edge)
{
	const eg_edge *e = eg_get_edge(s->p->p->g, edge);
	char name[300], at[300];
	const struct act *a;
	uint32_t step;
	arena tmp;

	nodes_name(s, e->a, name, sizeof name);
	if (e->kind == EG_CONGRUENCE) {
		page_add(p, PG_DIM, "congruence");
		page_at(p, 32, PG_NORMAL, "%s, of equal operands", name);
		return;
	}
	step = session_step_of(s, e->firing);
	a = acts_of_firing(s, e->firing);
	page_add(p, e->kind == EG_ASSUMED ? PG_TAINTED : PG_NUMBER, "%u", step);
	if (a)
		page_at(p, 8, PG_KEY, "A%d", a->id);
	page_at(p, 12, PG_RULE, "%s", prover_rule_name(s->p->p, history_at(&s->p->p->a, e->firing)->rule));
	arena_init(&tmp);
	page_at(p, 32, PG_NORMAL, "%s", edge_text(s, e, name, &tmp));
	arena_free(&tmp);
	if (*row_lifted_at(s, step, at, sizeof at) && strcmp(name, at))
		page_more(p, PG_DIM, "  at %s", at);
	if (step || a)
		page_open(p, "goto %u", step);
	else
		page_open(p, "select %s", name);	/* it was there before the run */
}

/* The parts of an answer, one after another: every union once, in the order in which they were made. */
struct answer {
	arena tmp;
	vec edge;		/* uint32_t */
	bool tainted;
};

static void add_part(struct session *s, struct answer *w, eg_id x, eg_id y)
{
	explanation e = proof_of(&s->p->p->a, x, y, &w->tmp);
	uint32_t i;

	w->tainted = w->tainted || e.tainted;
	for (i = 0; i < e.n; i++)
		if (e.item[i].edge)
			*(uint32_t *)vec_push(&w->edge) = e.item[i].id;
}

static int by_number(const void *x, const void *y)
{
	uint32_t a = *(const uint32_t *)x, b = *(const uint32_t *)y;

	return a < b ? -1 : a > b;
}

static uint32_t sort_once(vec *v)
{
	uint32_t *e = VEC(uint32_t, v), n = 0, i;

	qsort(e, v->n, sizeof *e, by_number);
	for (i = 0; i < v->n; i++)
		if (!n || e[n - 1] != e[i])
			e[n++] = e[i];
	return n;
}

static void answer_lines(struct session *s, struct page *p, struct answer *w)
{
	uint32_t n = sort_once(&w->edge), lines = (uint32_t)s->setting[SET_LINES], i = n > lines ? n - lines : 0;

	page_add(p, PG_HEADING, "%u equalities%s", n, w->tainted ? ", under what was assumed" : "");
	if (i)
		page_add(p, PG_DIM, "%u before these; `set lines N` shows more", i);
	for (; i < n; i++)
		edge_line(s, p, VEC_AT(uint32_t, &w->edge, i));
	if (!n)
		page_add(p, PG_NORMAL, "they are one node");
}

static void why_equal(struct session *s, struct page *p, eg_id x, eg_id y)
{
	struct answer w = { .tainted = false };

	arena_init(&w.tmp);
	vec_init(&w.edge, sizeof(uint32_t));
	add_part(s, &w, x, y);
	answer_lines(s, p, &w);
	vec_free(&w.edge);
	arena_free(&w.tmp);
}

/* Each tensor is a layout of a core, and the cores are equal. */
static void why_related(struct session *s, struct page *p, eg_id x, eg_id y, eg_id cell_x, eg_id cell_y)
{
	struct answer w = { .tainted = false };

	arena_init(&w.tmp);
	vec_init(&w.edge, sizeof(uint32_t));
	add_part(s, &w, x, cell_x);
	add_part(s, &w, y, cell_y);
	add_part(s, &w, eg_args(s->p->p->g, cell_x)[0], eg_args(s->p->p->g, cell_y)[0]);
	page_add(p, PG_NORMAL, "both hold the same array:");
	answer_lines(s, p, &w);
	vec_free(&w.edge);
	arena_free(&w.tmp);
}

static void why_nodes(struct session *s, struct page *p, eg_id x, eg_id y)
{
	algebra *a = &s->p->p->a;
	eg_id cx, cy;

	if (eg_root(a->g, x) == eg_root(a->g, y)) {
		why_equal(s, p, x, y);
		return;
	}
	cx = core_kind(a, x) == C_TENSOR ? laid_cell(a, x) : NIL;
	cy = core_kind(a, y) == C_TENSOR ? laid_cell(a, y) : NIL;
	if (cx != NIL && cy != NIL && eg_root(a->g, eg_args(a->g, cx)[0]) == eg_root(a->g, eg_args(a->g, cy)[0])) {
		why_related(s, p, x, y, cx, cy);
	} else {
		page_open(p, "whynot");	/* the line with the names, too: there the cursor is */
		page_add(p, PG_NORMAL, "they are not known to be equal; Enter, or `whynot`, says where they part");
		page_open(p, "whynot");
	}
}

bool known_by_trying(struct session *s, int dist, int base)
{
	const algebra *a = &s->p->p->a;
	const row_state *x = state_of(session_states(s), dist);
	eg_id cx = session_core(s, SIDE_DIST, dist), cy = session_core(s, SIDE_BASE, base);

	return x->verified && (x->base == base || x->kind == STATE_CONSTANT) && (cx == NIL || cy == NIL || eg_root(a->g, cx) != eg_root(a->g, cy));
}

void page_known_by_trying(struct session *s, struct page *p, int dist)
{
	if (state_of(session_states(s), dist)->kind == STATE_CONSTANT)
		page_add(p, PG_NORMAL, "it is verified as a constant: no input reaches it, so it needs no partner; the row beside it is only its neighbour");
	else if (session_row(s, SIDE_DIST, dist)->param >= 0)
		page_add(p, PG_NORMAL, "it is an input: the plan says so, and nothing else is to be shown of it");
	else
		page_add(p, PG_NORMAL, "found by trying them side by side, in steps that were taken back: it is known, a list of steps is not kept");
}

/* The contradiction, while it stands. */
static void why_broken(struct session *s, struct page *p)
{
	page_add(p, PG_NAME, "%s", s->contradiction.text);
	why_nodes(s, p, s->contradiction.a, s->contradiction.b);
}

/* The nodes that were asked about, as they are at this step. */
static void why_asked(struct session *s, struct page *p)
{
	char why[512], x[500], y[500];
	struct node_ref r[2];
	eg_id n[2];
	int k;

	if (!nodes_pair(s, s->why, r, why, sizeof why)) {
		page_add(p, PG_DIM, "%s: at this step %s", s->why, why);
		return;
	}
	for (k = 0; k < 2; k++) {
		n[k] = nodes_of(s, &r[k]);
		if (n[k] == NIL) {
			page_add(p, PG_DIM, "%s: at this step %%%s is not taken up yet", s->why, session_row(s, r[k].side, r[k].row)->path);
			return;
		}
	}
	page_add(p, PG_NAME, "%s = %s", nodes_name(s, n[0], x, sizeof x), nodes_name(s, n[1], y, sizeof y));
	k = r[1].side == SIDE_DIST;
	if (!r[0].inner && !r[1].inner && r[0].side != r[1].side && known_by_trying(s, r[k].row, r[!k].row))
		page_known_by_trying(s, p, r[k].row);
	else
		why_nodes(s, p, n[0], n[1]);
}

static void why_selected(struct session *s, struct page *p)
{
	const struct selection *sel = session_selection(s);
	int dist = sel->row[SIDE_DIST], base = sel->row[SIDE_BASE], k;
	char name[2][600];
	eg_id x, y;

	if (dist < 0 || base < 0)
		return;
	for (k = 0; k < 2; k++)
		session_name(s, (enum program_side)k, sel->row[k], name[k], sizeof name[k]);
	page_add(p, PG_NAME, "%s ~ %s", name[SIDE_DIST], name[SIDE_BASE]);
	page_more(p, PG_RELATION, "  %s", session_relation(s, SIDE_DIST, dist));
	x = session_tensor(s, SIDE_DIST, dist);
	y = session_tensor(s, SIDE_BASE, base);
	if (known_by_trying(s, dist, base))
		page_known_by_trying(s, p, dist);
	else if (x == NIL || y == NIL)
		page_add(p, PG_DIM, "not taken up yet");
	else
		why_nodes(s, p, x, y);
}

void page_of_WHY(struct session *s, struct page *p)
{
	p->empty = "no pair is selected: W says why this row has none; why A B asks about two nodes";
	if (*s->why)
		why_asked(s, p);
	else if (s->broken)
		why_broken(s, p);
	else
		why_selected(s, p);
}

/* ---- which rules match */

struct tried {
	uint32_t rule;
	bool gives, known;
	bool asked;		/* it was asked about by name: any refusal is told */
	const char *reason;
	const char *not_run;	/* it gives something and is not run all the same: why */
	char node[600];
};

/* Refusals that only say that a rule is not about such a node. */
static bool refusal_says_something(const char *why)
{
	return why && !strstr(why, "nothing to do here") && !strstr(why, "this rule is run when");
}

enum made { MADE_NOTHING, MADE_KNOWN, MADE_NEW };

/* One rule at one node; nothing of the try remains but its reason, *why or NULL. */
static enum made make_at(struct session *s, uint32_t rule, eg_id node, const char **why, arena *out)
{
	prover *p = s->p->p;
	algebra *a = &p->a;
	trail_mark mark = trail_at(a->tr);
	arena_mark m = arena_at(&a->s.a);
	eg_id n;
	enum made made;

	*why = NULL;
	n = prover_try(p, rule, node, why);
	made = n == NIL ? MADE_NOTHING : eg_root(a->g, n) == eg_root(a->g, node) ? MADE_KNOWN : MADE_NEW;
	*why = made == MADE_NOTHING && *why ? arena_strdup(out, *why) : NULL;
	trail_undo(a->tr, mark);
	arena_reset(&a->s.a, m);
	return made;
}

/* The first rule that lifts a Tensor node leaves nothing to the others. */
static uint32_t lifts_first(struct session *s, eg_id node, arena *out)
{
	const prover *p = s->p->p;
	eg_fam f = eg_op_family(p->g, eg_node_op(p->g, node));
	const char *why;
	uint32_t i;

	for (i = 0; i < rules_n(p->r); i++)
		if (rules_at(p->r, i)->ruleset == p->set_lift && rule_root_family(rules_at(p->r, i)) == f && prover_rule_on(p, i) &&
		    make_at(s, i, node, &why, out) != MADE_NOTHING)
			return i;
	return NIL;
}

static bool kept_off(const struct session *s, uint32_t rule)
{
	return rule < s->levels.barred.n && VEC_AT(uint8_t, &s->levels.barred, rule);
}

/* Why a rule that gives something new at a node is not fired there; NULL: it will be. */
static const char *not_run(struct session *s, uint32_t k, eg_id node, arena *out)
{
	const prover *p = s->p->p;
	const rule *r = rules_at(p->r, k);
	uint32_t first = k;

	if (!prover_runs(p, r->ruleset))
		return "no ruleset that runs has it: `apply` alone fires it";
	if (!prover_rule_on(p, k))
		return r->ruleset != p->set_search || kept_off(s, k) ? "it is off" :
		       "the search runs it, once all is lifted and an output is unproved";
	if (core_kind(&p->a, node) == C_TENSOR)
		first = lifts_first(s, node, out);
	else if (r->ruleset != p->set_structure && normal_step(&p->a, node)->to != NIL)
		first = normal_step(&p->a, node)->rule;
	if (first != k && first != NIL)
		return arena_printf(out, "%s comes before it at this node", prover_rule_name(p, first));
	if (normal_idle(&p->a))
		return "the run has looked at this node and gone on: what it gives leads back to it, or is beyond a limit";
	return NULL;
}

static void try_at(struct session *s, struct tried *t, eg_id node, arena *out, const char *name, uint32_t k)
{
	const char *why;

	switch (make_at(s, t->rule, node, &why, out)) {
	case MADE_NEW:
		why = not_run(s, t->rule, node, out);
		if (t->gives && why)
			return;
		t->gives = true;
		t->not_run = why;
		snprintf(t->node, sizeof t->node, "%s#%u", name, k);
		return;
	case MADE_KNOWN:
		if (!t->gives && !t->known)
			snprintf(t->node, sizeof t->node, "%s#%u", name, k);
		t->known = true;
		return;
	case MADE_NOTHING:
		if (why && (t->asked || refusal_says_something(why)))
			t->reason = why;
		return;
	}
}

/* A pattern that goes through the matcher says itself how far it came. */
static void trace_at(struct session *s, struct tried *t, eg_id node, arena *out)
{
	miss x = match_trace(s->p->p->m, rules_at(s->p->p->r, t->rule), node, out);

	if (x.why != MISS_NONE && x.why != MISS_EQUAL && (t->asked || refusal_says_something(x.text)) && !t->reason)
		t->reason = x.text;
}

static void try_class(struct session *s, struct tried *t, eg_id class, const char *name, arena *out)
{
	const prover *p = s->p->p;
	const egraph *g = p->g;
	eg_fam f = rule_root_family(rules_at(p->r, t->rule));
	eg_id root = class == NIL ? NIL : eg_root(g, class), m;
	uint32_t k;

	for (k = 0; root != NIL && !(t->gives && !t->not_run) && (m = nodes_member(g, root, k)) != NIL; k++) {
		if (eg_dead(g, m) || eg_op_family(g, eg_node_op(g, m)) != f)
			continue;
		try_at(s, t, m, out, name, k);
		if (!t->gives && !t->reason && !t->known)
			trace_at(s, t, m, out);
	}
}

/* Under a heading that says that it has fired, the place is enough. */
static void match_line(struct session *s, struct page *p, const struct tried *t)
{
	const rule *r = rules_at(s->p->p->r, t->rule);

	page_add(p, PG_RULE, "%s", r->name);
	if (t->gives) {
		page_at(p, 30, t->not_run ? PG_WARNING : PG_VERIFIED, "matches at %s%s%s", t->node, t->not_run ? "; not run: " : "",
			t->not_run ? t->not_run : "");
		page_open(p, "apply %s at %s", r->name, t->node);
	} else {
		if (t->reason)
			page_at(p, 30, PG_NORMAL, "%s", t->reason);
		else
			page_at(p, 30, PG_DIM, t->asked ? "at %s; what it gives is known already" : "at %s", t->node);
		if (t->reason && s->sel.side == SIDE_DIST)
			page_open(p, "assume");
		else
			page_open(p, "whynot %s", r->name);
	}
}

/* What would fire, what would if it were on, what nearly would, what has. */
static int match_kind(const struct tried *t)
{
	return t->gives ? t->not_run != NULL : t->reason ? 2 : t->known ? 3 : 4;
}

static void match_lines(struct session *s, struct page *p, const struct tried *t, uint32_t n, int kind, bool heading)
{
	static const char *const name[] = { "these match and would fire", "these match but are not run", "these nearly match; Enter offers the assumption that goes on without them",
					    "these have fired here" };
	uint32_t i, found = 0;

	for (i = 0; i < n; i++) {
		if (match_kind(&t[i]) != kind)
			continue;
		if (heading && !found++)
			page_add(p, PG_HEADING, "%s", name[kind]);
		match_line(s, p, &t[i]);
	}
	if (heading && !kind && !found)
		page_add(p, PG_DIM, "nothing would fire here: normalizing is done");
}

/* Where rules are looked for: at what is selected inside of the row, where one rule is asked about, else at all of the row. */
static int selected_places(struct session *s, bool inside, struct node_place *at, int max, arena *tmp)
{
	const struct selection *sel = session_selection(s);
	eg_id class = sel->class;
	char name[600];

	if (inside && class != NIL && class < eg_nnode(s->p->p->g)) {
		*at = (struct node_place){ eg_root(s->p->p->g, class), arena_strdup(tmp, nodes_name(s, class, name, sizeof name)) };
		return 1;
	}
	return nodes_places(s, sel->side, sel->row[sel->side], at, max, tmp);
}

void page_matches(struct session *s, struct page *p, uint32_t only)
{
	const struct selection *sel = session_selection(s);
	struct node_place at[NODE_PLACES];
	uint32_t i, n = rules_n(s->p->p->r);
	struct tried *t;
	int pass, k, m;
	arena tmp;

	if (sel->row[sel->side] < 0)
		return;
	if (s->p->files.no_trail) {
		page_add(p, PG_WARNING, "started with --no-trail: rules cannot be tried and taken back");
		return;
	}
	arena_init(&tmp);
	m = selected_places(s, only != NIL, at, NODE_PLACES, &tmp);
	t = arena_zalloc(&tmp, sizeof *t * (n + 1));
	for (i = 0; i < n; i++) {
		t[i].rule = i;
		t[i].asked = i == only;
		for (k = 0; k < m && (only == NIL || i == only) && !t[i].gives; k++)
			try_class(s, &t[i], at[k].class, at[k].name, &tmp);
	}
	for (pass = 0; pass < 4; pass++)
		match_lines(s, p, t, n, pass, only == NIL);
	arena_free(&tmp);
}

/* Of a rule that gave no reason: at which kind of node it starts, and which kinds are here. */
static void no_reason(struct session *s, struct page *p, uint32_t rule)
{
	const egraph *g = s->p->p->g;
	eg_fam starts = rule_root_family(rules_at(s->p->p->r, rule)), f, seen[64];
	const char *kinds = "";
	struct node_place at[NODE_PLACES];
	int k, j, m, n = 0;
	uint32_t i;
	eg_id x;
	arena tmp;

	arena_init(&tmp);
	m = selected_places(s, true, at, NODE_PLACES, &tmp);
	for (k = 0; k < m; k++)
		for (i = 0; (x = nodes_member(g, at[k].class, i)) != NIL && n < 64; i++) {
			for (j = 0, f = eg_op_family(g, eg_node_op(g, x)); j < n && seen[j] != f; j++)
				;
			if (j < n || eg_dead(g, x))
				continue;
			kinds = arena_printf(&tmp, "%s%s%s", kinds, n ? ", " : "", eg_family(g, f)->name);
			seen[n++] = f;
		}
	for (j = 0; j < n && seen[j] != starts; j++)
		;
	if (j < n)
		page_add(p, PG_NORMAL, "a node here is of the kind it starts at, %s, but what else it asks for does not hold", eg_family(g, starts)->name);
	else if (starts != NIL)
		page_add(p, PG_NORMAL, "no node here is of the kind it starts at, %s; the kinds here: %s", eg_family(g, starts)->name, kinds);
	else
		page_add(p, PG_NORMAL, "it starts at no kind of node");
	arena_free(&tmp);
}

void page_of_MATCHES(struct session *s, struct page *p)
{
	p->empty = "no rule has anything to say here";
	if (s->sel.row[s->sel.side] >= 0 && session_tensor(s, s->sel.side, s->sel.row[s->sel.side]) == NIL)
		p->empty = "it is not taken up yet: `until .` goes there";
	page_matches(s, p, NIL);
}

/* ---- the selected row */

/* Where rows of both programs are told of, one of the baseline is always said to be one. */
static const char *sided_name(struct session *s, enum program_side side, int row, char *buf, size_t n)
{
	snprintf(buf, n, "%s%%%s", side == SIDE_BASE ? "base " : "", session_row(s, side, row)->path);
	return buf;
}

static void computes(struct session *s, struct page *p, enum program_side side, int row, arena *tmp)
{
	char name[600];

	page_add(p, PG_NAME, "%s", sided_name(s, side, row, name, sizeof name));
	page_more(p, PG_NORMAL, " computes %s", describe_row(session_states(s), side, row, tmp));
	page_open(p, "select %s", name);
}

static void near_misses(struct page *p, const frontier_report *r)
{
	int k;

	if (r->nnear)
		page_add(p, PG_HEADING, "rules that nearly applied; Enter offers the assumption that goes on without them");
	for (k = 0; k < r->nnear; k++) {
		page_add(p, PG_RULE, "%s", r->near[k].rule);
		page_at(p, 24, PG_NORMAL, "%s", r->near[k].reason);
		page_open(p, "assume");
	}
}

/* What the nearest baseline instruction computes, and where the two part, if the reason has not said it; the others with their
 * difference alone.  One without a difference says nothing beside a reason. */
static void candidates_of(struct session *s, struct page *p, const frontier_report *r, const char *reason, arena *tmp)
{
	const char *difference;
	char name[600];
	int k;

	for (k = 0; k < r->ncand; k++) {
		difference = r->cand[k].difference;
		if (!k) {
			computes(s, p, SIDE_BASE, r->cand[k].base, tmp);
			if (!reason || (difference && !strstr(reason, difference)))
				page_add(p, PG_FRONTIER, "first difference: %s", difference ? difference : "none is seen");
		} else if (difference) {
			page_add(p, PG_NORMAL, "or ");
			page_more(p, PG_NAME, "%s", sided_name(s, SIDE_BASE, r->cand[k].base, name, sizeof name));
			page_more(p, PG_NORMAL, ": %s", difference);
			page_open(p, "select %s", name);
		}
	}
}

static void blamed_inputs(struct session *s, struct page *p, int row)
{
	const struct row *r = &s->p->dist->row[row];
	char name[600];
	int k;

	for (k = 0; k < r->nop; k++)
		if (!state_of(session_states(s), r->op[k])->verified) {
			page_add(p, PG_UNVERIFIED, "behind ");
			page_more(p, PG_NAME, "%s", session_name(s, SIDE_DIST, r->op[k], name, sizeof name));
			page_more(p, PG_NORMAL, ", which is not verified");
			page_open(p, "select %s", name);
		}
}

static void explain_frontier(struct session *s, struct page *p, const frontier_entry *e, arena *tmp)
{
	const frontier_report *r = session_explained(s, e);
	const char *reason = r->reason;
	char name[600];
	int k;

	page_add(p, PG_NAME, "%s", session_name(s, SIDE_DIST, e->row, name, sizeof name));
	page_more(p, PG_NORMAL, " computes %s", r->computes);
	page_open(p, "list");
	if (r->reason && r->ncand && r->cand[0].difference && !strcmp(r->reason, r->cand[0].difference))
		reason = NULL;		/* it is said as the first difference */
	if (reason)
		page_add(p, PG_FRONTIER, "%s", reason);	/* the sentence one looks for comes first */
	candidates_of(s, p, r, reason, tmp);
	for (k = 0; k < r->nop; k++) {
		page_add(p, PG_DIM, "operand %d ", k);
		page_more(p, PG_NORMAL, "%s", r->operand[k]);
	}
	near_misses(p, r);
}

static void state_line(struct session *s, struct page *p, int row)
{
	const row_state *x = state_of(session_states(s), row);

	if (x->kind == STATE_OPEN) {
		page_add(p, PG_DIM, "not decided yet");
		return;
	}
	page_add(p, x->tainted ? PG_TAINTED : x->verified ? PG_VERIFIED : PG_UNVERIFIED, "%s", state_kind_name(x->kind));
	if (x->kind != STATE_NONE)
		page_more(p, PG_RELATION, "  %s", session_relation(s, SIDE_DIST, row));
	if (x->tainted)
		page_more(p, PG_TAINTED, "  under what was assumed");
}

static void explain_other(struct session *s, struct page *p, int row, arena *tmp)
{
	int base = session_nearest(s, row);
	const char *why;

	computes(s, p, SIDE_DIST, row, tmp);
	if (base >= 0)
		computes(s, p, SIDE_BASE, base, tmp);
	state_line(s, p, row);
	blamed_inputs(s, p, row);
	why = session_tensor(s, SIDE_DIST, row) == NIL ? NULL : prover_lift_reason(s->p->p, s->p->dist->row[row].tensor);
	if (why)
		page_add(p, PG_WARNING, "no rule says what it computes: %s", why);
}

static void explain_row(struct session *s, struct page *p)
{
	const struct selection *sel = session_selection(s);
	int row = sel->row[SIDE_DIST];
	const frontier_entry *e = row >= 0 ? session_entry(s, row) : NULL;
	arena tmp;

	arena_init(&tmp);
	if (e) {
		explain_frontier(s, p, e, &tmp);
	} else if (row >= 0) {
		explain_other(s, p, row, &tmp);
	} else if (sel->row[SIDE_BASE] >= 0) {
		computes(s, p, SIDE_BASE, sel->row[SIDE_BASE], &tmp);
		page_add(p, PG_DIM, "no row of DIST stands beside it");
	}
	arena_free(&tmp);
}

void page_of_EXPLAIN(struct session *s, struct page *p)
{
	p->empty = "no instruction is selected";
	explain_row(s, p);
}

static void compare_rows(struct session *s, struct page *p, int base, int dist)
{
	difference d;
	arena tmp;

	arena_init(&tmp);
	computes(s, p, SIDE_DIST, dist, &tmp);
	computes(s, p, SIDE_BASE, base, &tmp);
	if (known_by_trying(s, dist, base)) {
		page_add(p, PG_VERIFIED, "they correspond: %s", session_relation(s, SIDE_DIST, dist));
		page_known_by_trying(s, p, dist);
		arena_free(&tmp);
		return;
	}
	d = difference_rows(session_states(s), base, dist, &tmp);
	page_add(p, d.kind ? PG_FRONTIER : PG_VERIFIED, "%s", d.kind ? d.text : "no difference: they hold the same array");
	arena_free(&tmp);
}

static bool taken_up(struct session *s)
{
	const struct selection *sel = session_selection(s);

	return sel->row[sel->side] >= 0 && session_tensor(s, sel->side, sel->row[sel->side]) != NIL;
}

void page_of_WHYNOT(struct session *s, struct page *p)
{
	uint32_t rule = *s->whynot.rule ? prover_rule_named(s->p->p, s->whynot.rule) : NIL;
	int row;

	p->empty = "no instruction is selected";
	if (rule != NIL) {
		page_add(p, PG_HEADING, "%s here", s->whynot.rule);
		page_matches(s, p, rule);
		if (page_count(p) == 1 && taken_up(s))
			no_reason(s, p, rule);
		else if (page_count(p) == 1)
			page_add(p, PG_NORMAL, "the run has not come here yet: until . takes it there");
	} else if (s->whynot.dist >= 0 && s->whynot.base >= 0 && s->whynot.dist == s->sel.row[SIDE_DIST]) {
		compare_rows(s, p, s->whynot.base, s->whynot.dist);
	} else {
		row = s->sel.row[SIDE_DIST];
		if (row >= 0 && state_of(session_states(s), row)->verified && !session_entry(s, row))
			page_add(p, PG_VERIFIED, "it is verified: `why` says by what");
		explain_row(s, p);
	}
}
