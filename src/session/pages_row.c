/* Pages about one row: its class, its relation, candidates, its source. */
#include <string.h>
#include "relation/candidate.h"
#include "relation/describe.h"
#include "relation/layout_text.h"
#include "session/pages.h"

/* ---- the class */

/* The firing that built a node: nodes are there before their firing is logged, so it is one behind the last logged then. */
static uint32_t maker(const algebra *a, eg_id node)
{
	uint32_t f = eg_born(a->g, node), i;

	for (f = f == NIL ? 0 : f; f < history_count(a); f++) {
		const hist_entry *e = history_at(a, f);

		for (i = 0; i < e->nmade; i++)
			if (history_made(a, e)[i].node == node)
				return f;
	}
	return NIL;
}

static void born_of(struct session *s, struct page *p, eg_id node)
{
	uint32_t f = maker(&s->p->p->a, node);

	if (f == NIL)
		return;
	page_more(p, PG_DIM, "  by %s, step %u", prover_rule_name(s->p->p, history_at(&s->p->p->a, f)->rule), session_step_of(s, f));
	page_open(p, "goto %u", session_step_of(s, f));
}

static void member_line(struct session *s, struct page *p, eg_id m, uint32_t k, eg_id normal, arena *tmp)
{
	const algebra *a = &s->p->p->a;

	page_add(p, m == normal ? PG_HERE : PG_DIM, "%c%u", m == normal ? '>' : ' ', k);
	page_at(p, 5, PG_OPCODE, "%s", core_kind_name(core_kind(a, m)));
	page_at(p, 12, eg_dead(a->g, m) ? PG_DIM : PG_NORMAL, "%s", nodes_text(s, m, tmp));
	born_of(s, p, m);
}

void page_of_CLASS(struct session *s, struct page *p)
{
	algebra *a = &s->p->p->a;
	eg_id c = session_class(s), root, m, normal = NIL;
	char name[600];
	uint32_t k, n;
	arena tmp;

	p->empty = "it is not taken up yet";
	if (c == NIL)
		return;
	arena_init(&tmp);
	root = eg_root(a->g, c);
	n = eg_class_size(a->g, root);
	if (core_kind(a, c) != C_TENSOR && core_kind(a, c) != C_LAID)
		normal = normal_node(a, c);
	page_add(p, PG_NAME, "%s", nodes_name(s, c, name, sizeof name));
	page_more(p, PG_DIM, "  %u member%s", n, n == 1 ? "" : "s");
	for (k = 0; k < n && k < (uint32_t)s->setting[SET_LINES]; k++) {
		m = nodes_member(a->g, root, k);
		member_line(s, p, m, k, normal, &tmp);
	}
	if (k < n)
		page_add(p, PG_DIM, "%u more; `set lines N` shows them", n - k);
	arena_free(&tmp);
}

/* ---- the relation */

static bool form_of(struct session *s, enum program_side side, int row, layout *l, eg_id *core)
{
	eg_id cell = row < 0 ? NIL : session_cell(s, side, row);

	if (cell == NIL)
		return false;
	*l = layout_of(&s->p->p->a, cell);
	*core = eg_args(s->p->p->g, cell)[0];
	return true;
}

static void layout_line(struct session *s, struct page *p, enum program_side side, int row, const layout *l, eg_id core, arena *tmp)
{
	char name[600], of[300];

	page_add(p, PG_NAME, "%s", session_name(s, side, row, name, sizeof name));
	page_more(p, PG_RELATION, " = %s", layout_text(tmp, l));
	page_more(p, PG_NORMAL, " of %s", nodes_name(s, core, of, sizeof of));
}

static void grid_lines(struct page *p, char *grid)
{
	char *line, *rest = NULL;

	for (line = grid ? strtok_r(grid, "\n", &rest) : NULL; line; line = strtok_r(NULL, "\n", &rest))
		page_add(p, PG_NORMAL, "%s", line);
}

void page_of_RELATION(struct session *s, struct page *p)
{
	const struct selection *sel = session_selection(s);
	algebra *a = &s->p->p->a;
	layout l[2];
	eg_id core[2];
	bool have[2];
	row whole;
	arena tmp;
	int k;

	p->empty = "no pair is selected, or it is not taken up yet";
	arena_init(&tmp);
	for (k = 0; k < 2; k++) {
		have[k] = form_of(s, (enum program_side)k, sel->row[k], &l[k], &core[k]);
		if (have[k])
			layout_line(s, p, (enum program_side)k, sel->row[k], &l[k], core[k], &tmp);
	}
	if (have[0] && have[1] && eg_root(a->g, core[0]) == eg_root(a->g, core[1]) &&
	    !pair_whole(s->p->q, sel->row[SIDE_BASE], &whole, &l[0], &core[0])) {
		page_add(p, PG_VERIFIED, "related: one array");
		page_add(p, PG_NORMAL, "what the devices of the baseline hold makes no whole tensor to compare with");
	} else if (have[0] && have[1] && eg_root(a->g, core[0]) == eg_root(a->g, core[1])) {
		const char *steps = layout_steps(&tmp, &s->p->ms, &l[0], &l[1]);
		page_add(p, PG_VERIFIED, "related: %s", layout_relation(&tmp, &s->p->ms, &l[0], &l[1]));
		if (steps && *steps)
			page_add(p, PG_NORMAL, "gathered, then %s", steps);
		grid_lines(p, layout_grid(&tmp, &l[0], &l[1], 64));
	} else if (have[0] && have[1] && known_by_trying(s, sel->row[SIDE_DIST], sel->row[SIDE_BASE])) {
		page_add(p, PG_VERIFIED, "related: %s", session_relation(s, SIDE_DIST, sel->row[SIDE_DIST]));
		page_known_by_trying(s, p, sel->row[SIDE_DIST]);
	} else if (have[0] && have[1]) {
		page_add(p, PG_NORMAL, "their arrays are not known to be equal");
	}
	arena_free(&tmp);
}

/* ---- candidates */

static enum page_role fate_role(enum candidate_fate f)
{
	return f == FATE_HOLDS ? PG_VERIFIED : f == FATE_REFUTED ? PG_REFUTED : f == FATE_PRUNED ? PG_DIM : PG_UNVERIFIED;
}

/* An open candidate is tried on the numbers, once there are some (`numbers`): the first place that differs, or NULL. */
static const char *refuted_by_numbers(struct session *s, const candidate *c, int base, int dist, bool *tried, arena *tmp)
{
	struct value_difference d;
	const char *relation, *why = NULL;
	char local[200], global[200];
	struct row_map *map;

	*tried = false;
	if (c->fate != FATE_OPEN || !c->chain || !s->values || !values_of(s->values, SIDE_DIST, dist, 0) ||
	    !values_of(s->values, SIDE_BASE, base, 0))
		return NULL;
	map = row_map_new(s, tmp, base, dist, c->chain, &relation, &why);
	*tried = map != NULL;
	if (!map || values_agree(s->values, base, dist, map, &d))
		return NULL;
	values_place_text(&s->p->dist->row[dist], d.local, local, sizeof local);
	values_place_text(&s->p->base->row[base], d.global, global, sizeof global);
	return arena_printf(tmp, "device %d, %s has %.6g, the baseline's %s %.6g", d.device, local, d.dist, global, d.base);
}

static void offer(struct session *s, struct page *p, const candidate *c, int base, int dist)
{
	if (c->chain && c->fate != FATE_HOLDS)
		page_open(p, "assume %%%s = base %%%s %s", s->p->dist->row[dist].path, s->p->base->row[base].path, c->chain);
}

static void candidate_lines(struct session *s, struct page *p, const candidate *c, int number, int base, int dist, arena *tmp)
{
	bool tried;
	const char *refuted = refuted_by_numbers(s, c, base, dist, &tried, tmp);
	enum candidate_fate fate = refuted ? FATE_REFUTED : c->fate;

	page_add(p, PG_NUMBER, "%d", number);
	page_at(p, 4, PG_RELATION, "%s", c->placements);
	offer(s, p, c, base, dist);
	if (strlen(c->placements) > 25) {	/* the other columns stand below */
		page_add(p, PG_NORMAL, "%s", "");
		offer(s, p, c, base, dist);
	}
	page_at(p, 30, fate_role(fate), "%s", candidate_fate_name(fate));
	page_at(p, 39, PG_DIM, "%s%s", candidate_origin_name(c->origin), c->ambiguous ? ", ambiguous" : "");
	if (c->why)
		page_more(p, PG_NORMAL, "  %s", c->why);
	if (tried)
		page_add(p, refuted ? PG_REFUTED : PG_NORMAL, "    %s", refuted ? refuted : "it holds on these numbers: a rule is missing, or they are too plain");
	if (c->steps && *c->steps && !strstr(c->placements, c->steps))
		page_add(p, PG_NORMAL, "    %s", c->steps);
}

/* A pair that is proved may be on the frontier all the same: another output is due there, or what comes next needs it otherwise. */
static void frontier_line(struct session *s, struct page *p, const candidates *c, int dist)
{
	const frontier_entry *e = c->n && c->c[0].fate == FATE_HOLDS ? session_entry(s, dist) : NULL;

	if (e)
		page_add(p, PG_FRONTIER, "on the frontier all the same: %s", session_explained(s, e)->reason);
}

void page_of_BIJECTIONS(struct session *s, struct page *p)
{
	const struct selection *sel = session_selection(s);
	int dist = sel->row[SIDE_DIST], base = dist < 0 ? -1 : session_nearest(s, dist), k;
	candidates c;
	char name[2][600];
	arena tmp;

	p->empty = "no pair is selected";
	if (dist < 0 || base < 0)
		return;
	if (session_tensor(s, SIDE_DIST, dist) == NIL) {
		p->empty = "it is not taken up yet";
		return;
	}
	arena_init(&tmp);
	c = candidates_find(session_states(s), base, dist, &tmp);
	page_add(p, PG_NAME, "%s ~ %s", session_name(s, SIDE_DIST, dist, name[0], sizeof name[0]),
		 session_name(s, SIDE_BASE, base, name[1], sizeof name[1]));
	page_more(p, PG_DIM, "  %d candidate%s", c.n, c.n == 1 ? "" : "s");
	if (c.parting)
		page_add(p, PG_FRONTIER, "%s", c.parting);
	frontier_line(s, p, &c, dist);
	for (k = 0; k < c.n; k++)
		candidate_lines(s, p, &c.c[k], k + 1, base, dist, &tmp);
	if (c.cut)
		page_add(p, PG_DIM, "%s", c.cut);
	if (c.n && c.c[0].grid)
		grid_lines(p, arena_strdup(&tmp, c.c[0].grid));
	arena_free(&tmp);
}

/* ---- source */

#define AROUND 12		/* lines before and behind the one that is meant */

static void missing_file(struct page *p, const struct source_file *file)
{
	page_add(p, PG_DIM, "Enter on the next line, and typing where its folder is, finds it:");
	page_add(p, PG_KEY, "%s", file->propose);
	page_open(p, "prompt %s", file->propose);
}

static void tried_paths(struct session *s, struct page *p, const struct source_file *file)
{
	int k;

	for (k = 0; k < file->ntried; k++)
		page_add(p, PG_DIM, "tried %s", file->tried[k]);
	for (k = 0; k < sources_nsubstitute(s->src); k++) {
		const char *from, *to;
		sources_get_substitute(s->src, k, &from, &to);
		page_add(p, PG_DIM, "rule %s -> %s", from, to);
	}
}

static void source_lines(struct page *p, const frame *f, const struct source_file *file)
{
	int from = f->line > AROUND ? f->line - AROUND : 1, to = f->line + AROUND, k;

	if (f->line > file->nline)
		page_add(p, PG_WARNING, "%s has %d lines: it is not the file that was captured", file->path, file->nline);
	for (k = from; k <= to && k <= file->nline; k++) {
		page_add(p, k == f->line ? PG_HERE : PG_NORMAL, "%c%4d  %s", k == f->line ? '>' : ' ', k, file->line[k - 1]);
		if (k == f->line) {
			page_here(p);
			page_open(p, "edit");
		}
	}
}

/* The file and the line are what one looks for; the folder, which may be long, stands behind. */
static void frame_line(struct page *p, const frame *f, int number, bool here)
{
	const char *slash = strrchr(f->file, '/');

	page_add(p, here ? PG_HERE : PG_NORMAL, "%c #%d %s:%d%s%s", here ? '>' : ' ', number, slash ? slash + 1 : f->file, f->line,
		 f->function ? " in " : "", f->function ? f->function : "");
	if (slash)
		page_more(p, PG_DIM, "  %.*s", (int)(slash - f->file) + 1, f->file);
}

/* Enter goes to a frame; their numbers are those that `up` and `down` count by. */
static void stack_lines(struct session *s, struct page *p, const inst *i, const frame *here)
{
	const frame *f;
	int hidden = 0, way = 0;	/* how far the frame is up from here */

	for (f = i->frame; f && f != here; f = f->parent)
		way--;
	for (f = i->frame; f; f = f->parent, way++) {
		if (f != here && !sources_user_frame(s->src, f)) {
			hidden++;
			continue;
		}
		frame_line(p, f, s->frame + way, f == here);
		if (way)
			page_open(p, way > 0 ? "up %d" : "down %d", way > 0 ? way : -way);
	}
	if (hidden)
		page_add(p, PG_DIM, "  %d frame%s of libraries %s hidden", hidden, hidden == 1 ? "" : "s", hidden == 1 ? "is" : "are");
}

void page_of_SOURCE(struct session *s, struct page *p)
{
	const frame *f = session_frame(s);
	const inst *of = session_teller(s);
	const struct source_file *file;
	const row *r = session_row(s, s->sel.side, s->sel.row[s->sel.side]);

	p->empty = "no source position is recorded for this instruction";
	if (!f)
		return;
	file = sources_open(s->src, f->file);
	snprintf(p->title, sizeof p->title, "%.120s:%d", file->path ? file->path : f->file, f->line);
	page_add(p, PG_NAME, "%s:%d", file->path ? file->path : f->file, f->line);
	if (!file->path)
		page_more(p, PG_WARNING, " is not found");
	if (f->function)
		page_more(p, PG_NORMAL, " in %s", f->function);
	if (r->inst->op_name)
		page_more(p, PG_DIM, "  %s", r->inst->op_name);
	if (of != r->inst)
		page_add(p, PG_DIM, "of %%%s, which %%%s comes from; itself ", of->name, r->inst->name);
	if (of != r->inst && r->inst->frame)
		page_more(p, PG_DIM, "at %s:%d, in a library or skipped", r->inst->frame->file, r->inst->frame->line);
	else if (of != r->inst)
		page_more(p, PG_DIM, "without a line");
	if (file->path)
		source_lines(p, f, file);
	else
		missing_file(p, file);
	if (of->frame->parent)
		stack_lines(s, p, of, f);
	if (!file->path)
		tried_paths(s, p, file);
}
