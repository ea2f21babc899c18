#include "prover/proof.h"
#include "report/report.h"
#include "session/outlook.h"
#include "session/session_in.h"
#include "util/hash.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* ---- begin and end */

static const struct {
	const char *name, *help;
	int64_t value;
} settings[] = {
#define X(id, name, value, least, help) { name, help, value },
	SESSION_SETTINGS(X)
#undef X
};

static struct session *allocate(void)
{
	struct session *s = calloc(1, sizeof *s);
	int k;

	if (!s) {
		die_hook("out of memory");
		return NULL;
	}
	s->element_row = -1;
	s->stopped.row = -1;
	arena_init(&s->text);
	arena_init(&s->frontier_text);
	arena_init(&s->lines_text);
	arena_init(&s->relation_text);
	vec_init(&s->boundary, sizeof(struct boundary));
	vec_init(&s->act, sizeof(struct act));
	vec_init(&s->undone, sizeof(struct act));
	vec_init(&s->told, sizeof(struct told));
	vec_init(&s->pass, sizeof(uint32_t));
	vec_init(&s->stretch, sizeof(struct stretch));
	vec_init(&s->fold, sizeof(struct fold));
	vec_init(&s->brk, sizeof(struct breakpoint));
	vec_init(&s->log, sizeof(const char *));
	page_init(&s->output);
	for (k = 0; k < SESSION_SETTING_COUNT; k++)
		s->setting[k] = settings[k].value;
	s->src = sources_new();
	s->next_act = s->next_break = 1;
	s->version = s->moved = s->folded = 1;
	return s;
}

struct session *session_new(const struct problem_files *f, struct diag *err)
{
	struct problem *p = problem_load(f, err);
	struct session *s;

	if (!p)
		return NULL;
	s = allocate();
	level_init(&s->levels, p->q);
	s->levels.look = true;
	s->p = p;
	s->sel = (struct selection){ SIDE_DIST, { -1, -1 }, NIL };
	sources_home(s->src, f->dist);
	sources_home(s->src, f->base);
	align_init(&s->al, &s->text, p->base, p->dist);
	program_named(p->base, "");	/* names are looked up by every screen: the table is made now */
	program_named(p->dist, "");
	scopes_init(&s->scopes[SIDE_BASE], p->base);
	scopes_init(&s->scopes[SIDE_DIST], p->dist);
	session_start(s);
	session_default_folds(s);
	s->refuted = calloc((size_t)p->q->ngoal + 1, 1);
	if (p->dist->nrow)
		session_select(s, SIDE_DIST, 0);
	return s;
}

void session_free(struct session *s)
{
	if (!s)
		return;
	outlook_forget(s);
	states_free(s->st);
	sources_free(s->src);
	page_release(&s->output);
	vec_free(&s->boundary);
	vec_free(&s->act);
	vec_free(&s->undone);
	vec_free(&s->told);
	vec_free(&s->pass);
	level_free(&s->levels);
	vec_free(&s->stretch);
	vec_free(&s->fold);
	scopes_free(&s->scopes[SIDE_BASE]);
	scopes_free(&s->scopes[SIDE_DIST]);
	vec_free(&s->brk);
	vec_free(&s->log);
	arena_free(&s->text);
	arena_free(&s->frontier_text);
	arena_free(&s->lines_text);
	arena_free(&s->relation_text);
	free(s->on_frontier);
	free(s->refuted);
	free(s->test);
	counterexample_free(s->found);
	values_free(s->values);
	problem_free(s->p);
	free(s);
}

/* The states belong to the pair: a new one has new ones. */
void session_start(struct session *s)
{
	struct boundary *b;

	states_free(s->st);
	s->st = NULL;
	s->boundary.n = 0;
	b = vec_push(&s->boundary);
	*b = (struct boundary){ trail_at(s->p->p->a.tr), history_count(&s->p->p->a), pair_position(s->p->q), 0 };
	s->p->q->limit = (uint64_t)s->setting[SET_LIMIT];
	s->p->alternatives = NULL;
	level_free(&s->levels);
	level_init(&s->levels, s->p->q);
	s->levels.look = true;
	s->told.n = 0;
	s->pass.n = 0;
	s->known = 0;
	s->runs++;
	s->at_pos = b->pos;
	s->moves = 0;
	s->broken = NULL;
	s->sel.class = NIL;
	free(s->on_frontier);
	s->on_frontier = calloc((size_t)s->p->dist->nrow + 1, 1);
	session_moved(s);
}

void session_changed(struct session *s)
{
	s->version++;
}

void session_moved(struct session *s)
{
	s->moved++;
	s->version++;
}

uint64_t session_version(void *ctx)
{
	return ((struct session *)ctx)->version;
}

uint64_t session_marks_version(const struct session *s)
{
	return s->moved;
}

struct problem *session_problem(struct session *s)
{
	return s->p;
}

void session_set_host(struct session *s, const struct session_host *h)
{
	s->host = *h;
}

bool session_busy(struct session *s, const char *what)
{
	return s->host.busy && s->host.busy(s->host.ctx, what);
}

enum checked session_checked(const struct session *s)
{
	return s->checked;
}

int64_t session_setting(const struct session *s, enum session_setting k)
{
	return s->setting[k];
}

/* ---- the place in the history */

uint32_t session_step(const struct session *s)
{
	return s->boundary.n - 1;
}

uint32_t session_known(const struct session *s)
{
	return s->known;
}

bool session_done(const struct session *s)
{
	return level_done(&s->levels);
}

uint32_t session_pending(const struct session *s)
{
	return s->p->p->a.normal->npending;
}

bool session_busy_row(const struct session *s, enum program_side *side, int *row)
{
	const program *p;
	const struct row *r = pair_current(s->p->q, &p);

	if (!r || session_done(s))
		return false;
	*side = p->side;
	*row = (int)(r - p->row);
	return true;
}

uint32_t session_step_of(const struct session *s, uint32_t f)
{
	uint32_t lo = 0, hi = s->boundary.n;

	while (lo < hi) {
		uint32_t mid = (lo + hi) / 2;
		if (VEC_AT(struct boundary, &s->boundary, mid).hist > f)
			hi = mid;
		else
			lo = mid + 1;
	}
	return lo;
}

uint32_t session_firing_of(const struct session *s, uint32_t step)
{
	return step && step < s->boundary.n ? VEC_AT(struct boundary, &s->boundary, step - 1).hist : NIL;
}

int session_ntold(const struct session *s)
{
	return (int)s->told.n;
}

const char *session_told(const struct session *s, int i, uint32_t *step)
{
	const struct told *t = &VEC_AT(struct told, &s->told, i);

	*step = session_step_of(s, t->hist) - 1;
	return t->text;
}

/* ---- rows */

program *session_program(const struct session *s, enum program_side side)
{
	return side == SIDE_BASE ? s->p->base : s->p->dist;
}

const row *session_row(const struct session *s, enum program_side side, int r)
{
	const program *p = session_program(s, side);

	return r >= 0 && r < p->nrow ? &p->row[r] : NULL;
}

/* row.tensor is not on the trail: it counts only for rows that are taken up. */
eg_id session_tensor(const struct session *s, enum program_side side, int r)
{
	const row *x = session_row(s, side, r);
	int at = r + (side == SIDE_DIST ? s->p->base->nrow : 0);

	if (!x)
		return NIL;
	if (x->param >= 0 && !(side == SIDE_DIST && s->p->q->in[x->param].base_row >= 0))
		return x->tensor;
	return at < pair_position(s->p->q) ? x->tensor : NIL;
}

eg_id session_cell(const struct session *s, enum program_side side, int r)
{
	eg_id t = session_tensor(s, side, r);

	return t == NIL ? NIL : laid_cell(&s->p->p->a, t);
}

eg_id session_core(const struct session *s, enum program_side side, int r)
{
	eg_id c = session_cell(s, side, r);

	return c == NIL ? NIL : eg_args(s->p->p->g, c)[0];
}

/* ---- states */

states *session_states(struct session *s)
{
	if (!s->st)
		s->st = states_new(s->p->q);
	if (s->st_moved != s->moved) {
		states_refresh(s->st);
		s->st_moved = s->moved;
		arena_free(&s->relation_text);
		arena_init(&s->relation_text);
		memset(s->relation_known, 0, sizeof s->relation_known);
	}
	return s->st;
}

const frontier *session_front(struct session *s)
{
	states *st = session_states(s);
	int k;

	if (s->frontier_moved == s->moved)
		return &s->front;
	for (k = 0; k < s->front.n; k++)
		s->on_frontier[s->front.e[k].row] = false;
	arena_free(&s->frontier_text);
	arena_init(&s->frontier_text);
	s->front = frontier_find(st, &s->frontier_text);
	s->explained = arena_zalloc(&s->frontier_text, sizeof *s->explained * ((size_t)s->front.n + 1));
	for (k = 0; k < s->front.n; k++)
		s->on_frontier[s->front.e[k].row] = true;
	s->frontier_moved = s->moved;
	return &s->front;
}

int session_nfrontier(struct session *s)
{
	return session_front(s)->n;
}

int session_frontier(struct session *s, int k)
{
	return session_front(s)->e[k].row;
}

const frontier_entry *session_entry(struct session *s, int dist_row)
{
	const frontier *f = session_front(s);
	int k;

	for (k = 0; k < f->n; k++)
		if (f->e[k].row == dist_row)
			return &f->e[k];
	return NULL;
}

const frontier_report *session_explained(struct session *s, const frontier_entry *e)
{
	const frontier_report **r = &s->explained[e - s->front.e];

	if (!*r)
		*r = frontier_explain(s->st, e, &s->frontier_text);
	return *r;
}

int session_nearest(struct session *s, int dist_row)
{
	int base = session_counterpart(s, SIDE_DIST, dist_row);
	const frontier_entry *e = base < 0 ? session_entry(s, dist_row) : NULL;

	if (e && e->nbase)
		return e->base[0];
	return base >= 0 ? base : session_partner(s, SIDE_DIST, dist_row);
}

static void add_text(arena *a, const char ***list, int *n, const char *text)
{
	const char **longer = ARENA_ARRAY(a, const char *, *n + 1);
	int k;

	for (k = 0; k < *n; k++)
		if (!strcmp((*list)[k], text))
			return;
	if (*n)
		memcpy(longer, *list, sizeof *longer * (size_t)*n);
	longer[(*n)++] = text;
	*list = longer;
}

static void add_act(struct report *r, struct report_output *o, const struct act *act)
{
	const char *text = arena_printf(&r->a, "A%d: %s", act->id, act->text);

	add_text(&r->a, &o->hypothesis, &o->nhypothesis, text);
	add_text(&r->a, &r->hypothesis, &r->nhypothesis, text);
}

/* Facts are no premises of firings: once they may rest on what was assumed, so may every proof. */
static void add_all_acts(struct session *s, struct report *r, struct report_output *o)
{
	int i;

	for (i = 0; i < acts_count(s); i++) {
		const struct act *a = acts_get(s, i);
		if (a->kind == ACTS_ASSUME && a->done && !a->failed)
			add_act(r, o, a);
	}
}

/* The acts that the explanation of a goal meets. */
static void add_acts(struct session *s, struct report *r, struct report_output *o, const goal *g)
{
	const eg_edge *edge;
	const struct act *act;
	explanation e;
	uint32_t i;
	eg_id (*claim)[2];
	arena tmp;

	arena_init(&tmp);
	i = goal_claims(s->p->q, g, &tmp, &claim);
	e = proof_of_all(&s->p->p->a, i, (const eg_id (*)[2])claim, &tmp);
	for (i = 0; i < e.n; i++) {
		edge = e.item[i].edge ? eg_get_edge(s->p->p->g, e.item[i].id) : NULL;
		act = edge && edge->kind == EG_ASSUMED ? acts_of_firing(s, edge->firing) : NULL;
		if (act)
			add_act(r, o, act);
	}
	if (s->p->p->a.facts_assumed)
		add_all_acts(s, r, o);
	arena_free(&tmp);
}

/* What numbers have shown comes before what is not known. */
static void add_refutations(struct session *s, struct report *r)
{
	int k;

	for (k = 0; k < r->noutput; k++)	/* one output per goal */
		if (s->refuted[k]) {
			r->output[k].verdict = r->verdict = VERDICT_REFUTED;
			r->output[k].why = "numbers were found on which it differs";
		}
}

static struct report *add_session(struct session *s, struct report *r)
{
	const pair *q = s->p->q;
	int k;

	for (k = 0; acts_applied(s, ACTS_ASSUME) && k < r->noutput; k++)
		if (goal_met(q, &q->goal[k]))
			add_acts(s, r, &r->output[k], &q->goal[k]);
	add_refutations(s, r);
	return r;
}

struct report *session_report(struct session *s, double seconds)
{
	return add_session(s, report_make(s->p, session_states(s), &s->levels, seconds));
}

struct report *session_verdicts(struct session *s)
{
	return add_session(s, report_verdicts(s->p, session_states(s), &s->levels));
}

/* Is it what a person asserted of this very row?  States found by probes do not tell. */
static bool is_asserted(const struct session *s, int r)
{
	const char *path = session_row(s, SIDE_DIST, r)->path;
	int i;

	for (i = 0; i < acts_count(s); i++) {
		const struct act *a = acts_get(s, i);
		if (a->kind == ACTS_ASSUME && a->done && !a->failed && !strcmp(a->node + (*a->node == '%'), path))
			return true;
	}
	return false;
}

char session_mark(struct session *s, enum program_side side, int r)
{
	char mark;
	int k;

	if (r < 0)
		return ' ';
	session_front(s);
	if (side == SIDE_BASE) {
		r = session_partner(s, SIDE_BASE, r);
		if (r < 0)
			return ' ';
	}
	for (k = 0; k < s->p->q->ngoal; k++)
		if (s->refuted[k] && s->p->q->goal[k].dist_row == r)
			return 'x';
	if (s->on_frontier[r])
		return '!';
	mark = state_mark(s->st, r);
	return mark == '=' && is_asserted(s, r) ? '*' : mark;
}

/* Many rows are related by the same two layouts: search and filter ask for all of them. */
static const char *related_text(struct session *s, int r, int base)
{
	const algebra *a = &s->p->p->a;
	eg_id x = session_cell(s, SIDE_BASE, base), y = session_cell(s, SIDE_DIST, r);
	struct relation_known *k;
	uint64_t key;

	if (x == NIL || y == NIL)
		return state_relation(s->st, r, &s->relation_text);
	key = (uint64_t)node_val(a, x, 0) << 32 | node_val(a, y, 0);
	k = &s->relation_known[hash_word(key) % RELATIONS_KNOWN];
	if (!k->text || k->key != key)
		*k = (struct relation_known){ key, state_relation(s->st, r, &s->relation_text) };
	return k->text;
}

const char *session_relation(struct session *s, enum program_side side, int r)
{
	const row_state *x;

	if (side == SIDE_BASE || r < 0)
		return "";
	x = state_of(session_states(s), r);
	if (x->kind == STATE_OPEN)
		return "";
	if (x->kind == STATE_RELATED && !x->note && x->base >= 0)
		return related_text(s, r, x->base);
	return x->kind == STATE_NONE ? "?" : state_relation(s->st, r, &s->relation_text);
}

int session_counterpart(struct session *s, enum program_side side, int r)
{
	states *st = session_states(s);

	if (r < 0)
		return -1;
	return side == SIDE_DIST ? state_of(st, r)->base : state_partner(st, r);
}

const struct counts *session_counts(struct session *s)
{
	state_counts c = states_count(session_states(s));

	s->counts = (struct counts){ c.base, c.dist, c.n[STATE_RELATED], c.n[STATE_REORDERED] + c.n[STATE_BLOCK] + c.n[STATE_TRIPS], c.n[STATE_PARTIAL],
				     c.n[STATE_SCALED], c.n[STATE_CONSTANT], c.n[STATE_NONE] };
	return &s->counts;
}

/* ---- the selection */

/* The partner may have become known since. */
const struct selection *session_selection(struct session *s)
{
	if (s->sel_moved != s->moved) {
		s->sel.row[!s->sel.side] = session_partner(s, s->sel.side, s->sel.row[s->sel.side]);
		s->sel_moved = s->moved;
	}
	return &s->sel;
}

void session_select(struct session *s, enum program_side side, int r)
{
	if (!session_row(s, side, r))
		return;
	if (s->sel.side == side && s->sel.row[side] == r && s->sel.class == NIL)
		return;
	s->sel.side = side;
	s->sel.row[side] = r;
	s->sel.row[!side] = session_partner(s, side, r);
	s->sel.class = NIL;
	s->sel_moved = s->moved;
	s->frame = 0;
	session_changed(s);
}

void session_select_line(struct session *s, enum program_side side, size_t line)
{
	struct session_line l;

	if (line >= session_nline(s))
		return;
	session_line(s, line, &l);
	if (l.row[side] >= 0)
		session_select(s, side, l.row[side]);
	else
		session_select(s, !side, l.row[!side]);
}

void session_select_class(struct session *s, eg_id node)
{
	s->sel.class = node;
	session_changed(s);
}

eg_id session_class(struct session *s)
{
	eg_id c = s->sel.class;

	if (c != NIL && c < eg_nnode(s->p->p->g))
		return c;
	c = session_core(s, s->sel.side, s->sel.row[s->sel.side]);
	return c != NIL ? c : session_tensor(s, s->sel.side, s->sel.row[s->sel.side]);
}

const char *session_name(struct session *s, enum program_side side, int r, char *buf, size_t n)
{
	const row *x = session_row(s, side, r);
	bool both = x && side == SIDE_BASE && program_named(s->p->dist, x->path) >= 0;

	snprintf(buf, n, "%s%%%s", both ? "base " : "", x ? x->path : "?");
	return buf;
}

const char *session_place(struct session *s, enum program_side side, int r, char *buf, size_t n)
{
	const row *x = session_row(s, side, r);
	const inst *of = x ? sources_teller(s->src, x->inst) : NULL;
	const char *file;
	const frame *f;
	int up = 0;

	f = of ? sources_frame(s->src, of, &up) : NULL;
	if (!f || !f->file)
		return "";
	file = strrchr(f->file, '/');
	snprintf(buf, n, " %s %s:%d", of == x->inst ? "at" : "after", file ? file + 1 : f->file, f->line);
	return buf;
}

struct sources *session_sources(struct session *s)
{
	return s->src;
}

const inst *session_teller(const struct session *s)
{
	const row *r = session_row(s, s->sel.side, s->sel.row[s->sel.side]);

	return r ? sources_teller(s->src, r->inst) : NULL;
}

const frame *session_frame(struct session *s)
{
	const inst *i = session_teller(s);

	return i ? sources_frame(s->src, i, &s->frame) : NULL;
}

int session_frame_index(const struct session *s)
{
	return s->frame;
}

/* ---- breakpoints */

int session_nbreak(const struct session *s)
{
	return (int)s->brk.n;
}

const struct breakpoint *session_break(const struct session *s, int i)
{
	return &VEC_AT(struct breakpoint, &s->brk, i);
}

bool session_row_breaks(const struct session *s, enum program_side side, int r)
{
	int i;

	for (i = 0; i < session_nbreak(s); i++) {
		const struct breakpoint *b = session_break(s, i);
		if (b->kind == BREAK_ROW && b->side[0] == side && b->row[0] == r)
			return true;
	}
	return false;
}

/* ---- what was said */

const char *session_message(const struct session *s, enum say *how)
{
	if (how)
		*how = s->how;
	return s->message;
}

void session_say(struct session *s, enum say how, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(s->message, sizeof s->message, fmt, ap);
	va_end(ap);
	diag_one_line(s->message);
	s->how = how;
	s->failed = s->failed || how == SAY_ERROR;
	session_changed(s);
}

int session_nlog(const struct session *s)
{
	return (int)s->log.n;
}

const char *session_log(const struct session *s, int i)
{
	return VEC_AT(const char *, &s->log, i);
}

static const char *status_verdict(struct session *s, char *buf, size_t n)
{
	int k, met = 0, all = 0, refuted = 0;

	for (k = 0; k < s->p->q->ngoal; k++)
		if (s->p->q->goal[k].compared) {
			all++;
			met += goal_met(s->p->q, &s->p->q->goal[k]);
			refuted += s->refuted[k];
		}
	if (refuted)
		snprintf(buf, n, "%d of %d outputs refuted", refuted, all);
	else if (!session_done(s))
		snprintf(buf, n, "so far");
	else
		snprintf(buf, n, "%d of %d outputs proved", met, all);
	return buf;
}

const char *session_status(struct session *s, int width, char *buf, size_t n)
{
	const struct counts *c = session_counts(s);
	char under[128], verdict[64], ahead[32] = "";
	int verified = c->related + c->reordered + c->partial + c->constant;

	acts_hypotheses(s, under, sizeof under);
	if (s->known > session_step(s))
		snprintf(ahead, sizeof ahead, " of %u", s->known);
	snprintf(buf, n, "step %u%s  verified %d/%d  frontier %d  %s%s%s  queue %u  classes %u  nodes %u", session_step(s), ahead,
		 verified, c->dist, session_nfrontier(s), status_verdict(s, verdict, sizeof verdict), *under ? "  under " : "", under,
		 session_pending(s), eg_nclass(s->p->p->g), eg_nnode(s->p->p->g));
	if (width > 0 && (size_t)width < n)
		buf[width] = 0;
	return buf;
}
