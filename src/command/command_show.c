/* Commands that look, and what they show. */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include "command/command_in.h"
#include "proof/certificates.h"
#include "relation/describe.h"
#include "report/report.h"

/* ---- pages by name */

bool cmd_info(struct session *s, const char *args)
{
	char several[512] = "";
	int k, found = -1, n = 0;
	size_t at = 0;

	for (k = 0; *args && k < SESSION_PAGE_COUNT; k++) {
		const char *name = session_page_name((enum session_page)k);
		if (!strcmp(name, args))
			return command_show(s, (enum session_page)k);
		if (strncmp(name, args, strlen(args)))
			continue;
		found = k;
		if (at < sizeof several)
			at += (size_t)snprintf(several + at, sizeof several - at, "%s%s", n ? ", " : "", name);
		n++;
	}
	if (n == 1)
		return command_show(s, (enum session_page)found);
	if (n)
		return command_fail(s, "'%s' is ambiguous: %s", args, several);
	return command_fail(s, *args ? "there is no subject '%s'; help info lists them" : "info about what? help info lists the subjects%s",
			    args);
}

/* ---- one node */

bool cmd_print(struct session *s, const char *args)
{
	struct page *p;
	struct node_ref r = { .side = s->sel.side, .row = s->sel.row[s->sel.side] };
	char why[512], name[600];
	eg_id core;
	arena tmp;

	if (*args && !nodes_parse(s, &args, SIDE_DIST, &r, why, sizeof why))
		return command_fail(s, "%s", why);
	if (*args)
		return command_fail(s, "one node is meant: '%s' is too much", args);
	if (r.row < 0)
		return command_fail(s, "no instruction is selected");
	core = r.inner && core_kind(&s->p->p->a, r.node) != C_TENSOR && core_kind(&s->p->p->a, r.node) != C_LAID
		? r.node : session_core(s, r.side, r.row);
	p = command_output(s);
	arena_init(&tmp);
	session_name(s, r.side, r.row, name, sizeof name);
	page_add(p, PG_NAME, "%s", name);
	page_more(p, PG_NORMAL, " = %s", describe_row(session_states(s), r.side, r.row, &tmp));
	if (core == NIL) {
		page_add(p, PG_DIM, "it is not taken up yet");
	} else {
		char *text = describe_term(session_states(s), core, &tmp), *line, *rest = NULL;
		for (line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest))
			page_add(p, PG_NORMAL, "%s", line);
	}
	arena_free(&tmp);
	return command_show(s, PAGE_OUTPUT);
}

bool cmd_select(struct session *s, const char *args)
{
	struct node_ref r;
	char why[512];
	const char *at = args;

	if (!*args)
		return command_fail(s, "select which instruction?");
	if (!nodes_parse(s, &at, SIDE_DIST, &r, why, sizeof why))
		return command_fail(s, "%s", why);
	if (*at)
		return command_fail(s, "one node is meant: '%s' is too much", at);
	session_reveal(s, r.side, r.row);
	session_select(s, r.side, r.row);
	if (r.inner)
		session_select_class(s, r.node);
	return true;
}

/* What is looked for, and what is known of strings that many rows share: whether the name of an opcode or a shape holds it. */
struct wanted {
	const char *text;
	size_t n;
	bool name;		/* it was written with its %: nothing but names is meant */
	size_t step[256];	/* by the character under its last one: how far on it may be next; 0: it may be here */
	struct { const char *name; bool holds; } opname[64];
	struct { const int64_t *dim; int rank, type; bool holds; } shape[256];
};

/* Programs have a million rows: Horspool's search looks at few of their characters. */
static struct wanted want(const char *text, bool name)
{
	struct wanted w = { .text = text, .n = strlen(text), .name = name };
	size_t k;

	for (k = 0; k < 256; k++)
		w.step[k] = w.n;
	for (k = 0; k < w.n; k++)
		w.step[tolower((unsigned char)text[k])] = w.step[toupper((unsigned char)text[k])] = w.n - 1 - k;
	return w;
}

static bool holds(const struct wanted *w, const char *s)
{
	size_t n = strlen(s), at, step;

	for (at = w->n - 1; at < n; at += step ? step : 1) {
		step = w->step[(unsigned char)s[at]];
		if (!step && !strncasecmp(s + at + 1 - w->n, w->text, w->n))
			return true;
	}
	return false;
}

static bool opname_holds(struct wanted *w, const char *name)
{
	size_t k = ((uintptr_t)name >> 3) % (sizeof w->opname / sizeof *w->opname);

	if (w->opname[k].name != name) {
		w->opname[k].name = name;
		w->opname[k].holds = holds(w, name);
	}
	return w->opname[k].holds;
}

static bool shape_holds(struct wanted *w, const row *r)
{
	size_t k = ((uintptr_t)r->dim >> 4) % (sizeof w->shape / sizeof *w->shape);
	char shape[256];

	if (!r->rank || w->shape[k].dim != r->dim || w->shape[k].rank != r->rank || w->shape[k].type != r->type) {
		w->shape[k].dim = r->dim;
		w->shape[k].rank = r->rank;
		w->shape[k].type = r->type;
		w->shape[k].holds = strstr(row_shape(r, shape, sizeof shape), w->text) != NULL;
	}
	return w->shape[k].holds;
}

static bool row_holds(struct wanted *w, const row *r)
{
	if (holds(w, r->path))
		return true;
	return !w->name && (opname_holds(w, r->inst->opname) || (r->inst->op_name && holds(w, r->inst->op_name)) || shape_holds(w, r));
}

#define FETCHED 16		/* rows ahead */

/* Instructions lie far apart: waiting for the memory of each would take most of the time. */
static void fetch_names(const row *r)
{
	__builtin_prefetch(&r->inst->opname);
	__builtin_prefetch(&r->inst->op_name);
}

bool cmd_find(struct session *s, const char *args)
{
	const program *p = session_program(s, s->sel.side);
	int from = s->sel.row[s->sel.side], at = -1, k;
	const char *text = args + (*args == '%');
	struct wanted w;

	if (!*text)
		return command_fail(s, "find what?");
	w = want(text, text > args);
	for (k = 1; k <= p->nrow && at < 0; k++) {
		fetch_names(&p->row[(from + k + FETCHED) % p->nrow]);
		if (row_holds(&w, &p->row[(from + k) % p->nrow]))
			at = (from + k) % p->nrow;
	}
	if (at < 0)
		return command_fail(s, "no row holds '%s'", args);
	session_reveal(s, s->sel.side, at);
	session_select(s, s->sel.side, at);
	return true;
}

bool cmd_fold(struct session *s, const char *args)
{
	static const char *const how[] = { "", "group", "groups", "run", "runs", "out", "none" };
	size_t k;

	for (k = 0; k < sizeof how / sizeof *how && strcmp(args, how[k]); k++)
		;
	if (k == sizeof how / sizeof *how)
		return command_fail(s, "fold, or fold group, groups, run, runs, out or none: '%s' is none of them", args);
	return session_fold(s, args) || command_fail(s, "nothing to fold here");
}

bool cmd_relation(struct session *s, const char *args)
{
	return command_select(s, args) && command_show(s, PAGE_RELATION);
}

bool cmd_bijections(struct session *s, const char *args)
{
	return command_select(s, args) && command_show(s, PAGE_BIJECTIONS);
}

/* ---- why and why not */

bool cmd_why(struct session *s, const char *args)
{
	char why[512];
	struct node_ref r[2];
	int k;

	s->why[0] = 0;
	if (!*args && s->broken)	/* the two constants */
		return command_show(s, PAGE_WHY);
	if (!*args)
		return s->sel.row[SIDE_DIST] >= 0 ? command_show(s, PAGE_WHY) : command_fail(s, "no pair is selected");
	if (!nodes_pair(s, args, r, why, sizeof why))
		return command_fail(s, "%s", why);
	for (k = 0; k < 2; k++)
		if (nodes_of(s, &r[k]) == NIL)
			return command_fail(s, "%%%s is not taken up yet", session_row(s, r[k].side, r[k].row)->path);
	nodes_pair_text(s, args, s->why, sizeof s->why, why, sizeof why);
	return command_show(s, PAGE_WHY);
}

bool cmd_whynot(struct session *s, const char *args)
{
	const char *at = strstr(args, " at "), *node, *base;
	char why[512];
	struct node_ref r[2];

	s->whynot.rule[0] = 0;
	s->whynot.base = s->whynot.dist = -1;
	if (at) {
		snprintf(s->whynot.rule, sizeof s->whynot.rule, "%.*s", (int)(at - args), args);
		if (prover_rule_named(s->p->p, s->whynot.rule) == NIL)
			return command_no_rule(s, s->whynot.rule);
		node = at + 4;
		if (!nodes_parse(s, &node, SIDE_DIST, &r[0], why, sizeof why))
			return command_fail(s, "%s", why);
		session_select(s, r[0].side, r[0].row);
		if (r[0].inner)
			session_select_class(s, r[0].node);
		return command_show(s, PAGE_WHYNOT);
	}
	if (*args && prover_rule_named(s->p->p, args) != NIL) {
		snprintf(s->whynot.rule, sizeof s->whynot.rule, "%s", args);
		return command_show(s, PAGE_WHYNOT);
	}
	node = args;
	if (*args && !nodes_parse(s, &node, SIDE_DIST, &r[0], why, sizeof why))
		return command_fail(s, "%s", why);
	if (*args && !*node) {
		session_select(s, r[0].side, r[0].row);
	} else if (*args) {
		if (!nodes_pair(s, args, r, why, sizeof why))
			return command_fail(s, "%s", why);
		if (r[0].side == r[1].side)
			return command_fail(s, "whynot compares an instruction of BASE with one of DIST");
		session_select(s, SIDE_DIST, r[r[1].side == SIDE_DIST].row);
		s->whynot.base = r[r[1].side == SIDE_BASE].row;
		s->whynot.dist = r[r[1].side == SIDE_DIST].row;
	}
	if (s->sel.row[SIDE_DIST] >= 0)
		return command_show(s, PAGE_WHYNOT);
	base = s->sel.row[SIDE_BASE] < 0 ? NULL : session_row(s, SIDE_BASE, s->sel.row[SIDE_BASE])->path;
	return !base ? command_fail(s, "no row of DIST is selected") :
	       command_fail(s, "no row of DIST faces base %%%s: whynot NODE base %%%s says where one parts from it", base, base);
}

/* ---- frontier */

static bool go_frontier(struct session *s, int k)
{
	int n = session_nfrontier(s), row = session_frontier(s, k);
	char name[512], place[300];

	session_reveal(s, SIDE_DIST, row);
	session_select(s, SIDE_DIST, row);
	session_say(s, SAY_MESSAGE, "frontier %d of %d%s: %s%s", k + 1, n, s->front.so_far ? " so far" : "",
		    session_name(s, SIDE_DIST, row, name, sizeof name), session_place(s, SIDE_DIST, row, place, sizeof place));
	return command_show(s, PAGE_EXPLAIN);
}

/* The entry after the selected row in the direction given, round and round. */
static int next_entry(struct session *s, int way)
{
	int n = session_nfrontier(s), k;

	for (k = 0; k < n; k++)
		if (session_frontier(s, k) == s->sel.row[SIDE_DIST])
			return (k + way + n) % n;
	return way > 0 ? 0 : n - 1;
}

bool cmd_frontier(struct session *s, const char *args)
{
	int n = session_nfrontier(s);
	uint32_t k;

	if (!*args)
		return command_show(s, PAGE_FRONTIER);
	if (!n)
		return command_fail(s, session_done(s) ? "there is no frontier: nothing is left to blame" : "there is no frontier so far");
	if (!strcmp(args, "next"))
		return go_frontier(s, next_entry(s, 1));
	if (!strcmp(args, "prev"))
		return go_frontier(s, next_entry(s, -1));
	if (!command_count(s, "frontier", args, &k))
		return false;
	return k >= 1 && k <= (uint32_t)n ? go_frontier(s, (int)k - 1) : command_fail(s, "the frontier has %d node%s", n, n == 1 ? "" : "s");
}

/* ---- source */

bool cmd_list(struct session *s, const char *args)
{
	return command_select(s, args) && command_show(s, PAGE_SOURCE);
}

static bool move_frame(struct session *s, const char *args, int way)
{
	const frame *was = session_frame(s), *now;
	uint32_t n;

	if (!command_count(s, way > 0 ? "up" : "down", args, &n))
		return false;
	if (!was)
		return command_fail(s, "no source position is recorded");
	s->frame += way * (int)n;
	now = session_frame(s);
	if (now == was)
		return command_fail(s, way > 0 ? "this is the outermost frame" : "this is the innermost frame");
	return command_show(s, PAGE_SOURCE);
}

bool cmd_up(struct session *s, const char *args)
{
	return move_frame(s, args, 1);
}

bool cmd_down(struct session *s, const char *args)
{
	return move_frame(s, args, -1);
}

static bool edit_at(struct session *s, const char *file, int line)
{
	if (!s->host.edit)
		return command_fail(s, "an editor needs a terminal; the line is %s:%d", file, line);
	if (s->host.edit(s->host.ctx, file, line))
		return true;
	return errno ? command_fail(s, "the editor cannot be run: %s", strerror(errno)) : command_fail(s, "the editor ended with an error");
}

/* The rule that is shown, when none is named. */
static bool edit_rule(struct session *s, const char *name)
{
	uint32_t k = prover_rule_named(s->p->p, *name ? name : s->rule_shown);
	const rule *r;

	if (k == NIL)
		return *name ? command_no_rule(s, name) : command_fail(s, "edit which rule? info rules lists them");
	r = rules_at(s->p->p->r, k);
	if (!edit_at(s, r->file, (int)r->line))
		return false;
	session_say(s, SAY_MESSAGE, "reload reads the rules again");
	return true;
}

bool cmd_edit(struct session *s, const char *args)
{
	const frame *f = session_frame(s);
	const struct source_file *file;

	if (!strncmp(args, "rule", 4) && (!args[4] || args[4] == ' '))
		return edit_rule(s, args + 4 + strspn(args + 4, " "));
	if (!command_nothing(s, "edit", args))
		return false;
	if (!f)
		return command_fail(s, "no source position is recorded");
	file = sources_open(s->src, f->file);
	if (!file->path)
		return command_fail(s, "%s:%d is not found; `list` says where it was looked for, and what to set",
				    strrchr(f->file, '/') ? strrchr(f->file, '/') + 1 : f->file, f->line);
	return edit_at(s, file->path, f->line);
}

/* ---- the verdict */

static void print_report(struct page *p, const struct report *r, void (*write)(const struct report *r, FILE *to))
{
	char *text = NULL, *line, *rest = NULL;
	size_t n = 0;
	FILE *f = open_memstream(&text, &n);

	if (!f)
		return;
	write(r, f);
	fclose(f);
	for (line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest))
		page_add(p, PG_NORMAL, "%s", line);
	free(text);
}

bool cmd_report(struct session *s, const char *args)
{
	struct report *r;

	if (*args && strcmp(args, "json"))
		return command_fail(s, "report, or report json");
	r = session_report(s, 0);
	print_report(command_output(s), r, *args ? report_json : report_text);
	report_free(r);
	return command_show(s, PAGE_OUTPUT);
}

bool cmd_certify(struct session *s, const char *args)
{
	struct page *p;

	if (!command_nothing(s, "certify", args))
		return false;
	if (s->p->files.no_trail)
		return command_fail(s, "started with --no-trail: the checker needs it");
	p = command_output(s);
	if (!certificates_page(s->p->q, p))
		command_fail(s, "a proof does not hold: this is a fault of a rule or of diverge");
	return command_show(s, PAGE_OUTPUT) && !s->failed;
}
