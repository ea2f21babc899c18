/* session.h - what all views share: a problem, the place in its history, what is selected.
 *
 * A session owns a problem (src/problem/problem.h) and everything a user has done with
 * it: the cursor in the history of firings and acts (src/session/acts.h), the selection,
 * folds, breakpoints, settings, the log of commands.  A view reads and draws;
 * what it wants changed it says as a command (src/command/command.h).  Only the
 * selection may also be set directly, when a cursor moves.
 *
 * `session_version` changes whenever something a view shows may have changed.
 * What is costly (states, the frontier, the alignment, the lines) is made when
 * it is asked for, and again when the history has moved since.
 *
 * Words: a *side* and a *row* (engine/pair/program.h) name an instruction's value; a
 * *line* is what the screen shows in one row of the main view: a pair of rows
 * standing side by side, one of them may be -1, or a fold.  A *step* is a
 * firing after loading, numbered from 1; session_step is how many are done.
 */
#ifndef DIVERGE_SESSION_H
#define DIVERGE_SESSION_H

#include "problem/problem.h"
#include "text/page.h"

struct session;

/* NULL and one diag on trouble. */
struct session *session_new(const struct problem_files *f, struct diag *err);
void session_free(struct session *s);

uint64_t session_version(void *s);	/* takes a void pointer so that it is a version function of ui/lines.h */
struct problem *session_problem(struct session *s);	/* another pair and prover after `reload` */

/* ---- the place in the history */
uint32_t session_step(const struct session *s);		/* steps done */
uint32_t session_known(const struct session *s);	/* .. and known ahead: >= session_step */
bool session_done(const struct session *s);		/* everything is lifted and settled, the search is over */
uint32_t session_pending(const struct session *s);	/* nodes waiting to be looked at */
bool session_busy_row(const struct session *s, enum program_side *side, int *row);	/* what is being lifted */
/* The step that made history entry f, 0 for what was given at the start; and back (NIL: not done yet). */
uint32_t session_step_of(const struct session *s, uint32_t firing);
uint32_t session_firing_of(const struct session *s, uint32_t step);
/* What the search said of its levels, in order, each behind a step. */
int session_ntold(const struct session *s);
const char *session_told(const struct session *s, int i, uint32_t *step);

/* ---- rows */
struct program *session_program(const struct session *s, enum program_side side);
const row *session_row(const struct session *s, enum program_side side, int row);
/* The Tensor node of a row, NIL while it is not taken up; its cell; the core it holds (a node). */
eg_id session_tensor(const struct session *s, enum program_side side, int row);
eg_id session_cell(const struct session *s, enum program_side side, int row);
eg_id session_core(const struct session *s, enum program_side side, int row);

/* Marks of column one: '=' '!' '.' '?' 'x' '*', ' ' where there is nothing to say. */
char session_mark(struct session *s, enum program_side side, int row);
/* What column "relation" shows for a row of DIST ("S(1)", "P(sum) over tp", "?"), "" for others.  Lives until the
 * version changes. */
const char *session_relation(struct session *s, enum program_side side, int row);
uint64_t session_marks_version(const struct session *s);	/* changes when marks or relations may have */
/* The row that corresponds, else the one that stands beside it; -1: none. */
int session_partner(struct session *s, enum program_side side, int row);
int session_counterpart(struct session *s, enum program_side side, int row);	/* known correspondence only */
struct counts { int base, dist, related, reordered, partial, scaled, constant, unverified; };
const struct counts *session_counts(struct session *s);

/* ---- lines of the main view */
struct session_line {
	int row[2];		/* by side, -1: none; of a fold the first ones */
	int n[2];		/* rows inside: 1 or 0, more for a fold */
	bool fold;
	char mark[2];		/* of a fold the worst inside */
	int depth;		/* calls and fusions it was inlined from, for indenting */
	const char *label;	/* of a fold: what is folded */
};
size_t session_nline(struct session *s);
uint64_t session_lines_version(struct session *s);	/* of the list of lines alone; marks may change without it */
void session_line(struct session *s, size_t i, struct session_line *l);	/* fills l: costs the rows of a fold */
/* The line a row is on, its fold's when it is inside one; PAGE_NONE when there is none. */
size_t session_line_of(struct session *s, enum program_side side, int row);

/* ---- the selection */
struct selection {
	enum program_side side;	/* where the keys go */
	int row[2];		/* -1: none; both set where rows correspond or stand side by side */
	eg_id class;		/* a node of the e-class to show, NIL: the core of the selected row */
};
const struct selection *session_selection(struct session *s);
void session_select(struct session *s, enum program_side side, int row);	/* the partner follows */
void session_select_line(struct session *s, enum program_side side, size_t line);
void session_select_class(struct session *s, eg_id node);
eg_id session_class(struct session *s);		/* the class shown: a node, or NIL */
/* How one writes an instruction: `%dot.3`, `base %dot.3` where DIST has another of that name. */
const char *session_name(struct session *s, enum program_side side, int row, char *buf, size_t n);
/* ` at model.py:44`, the line an instruction comes from, without folders; nothing where none is recorded. */
const char *session_place(struct session *s, enum program_side side, int row, char *buf, size_t n);

/* ---- frontier (src/report/report.h has the words): rows of DIST, in the order they are listed */
int session_nfrontier(struct session *s);
int session_frontier(struct session *s, int k);

struct report *session_report(struct session *s, double seconds);	/* of where the run stands; the caller frees it */
struct report *session_verdicts(struct session *s);	/* .. without the frontier and what stays unmatched */

/* ---- what a row's source is: see source.h; the frame `up` and `down` moved to */
struct sources *session_sources(struct session *s);
const struct inst *session_teller(const struct session *s);	/* sources_teller of the selected row */
const struct frame *session_frame(struct session *s);	/* of that, NULL: none recorded */
int session_frame_index(const struct session *s);

/* ---- breakpoints and watches */
enum break_kind { BREAK_ROW, BREAK_RULE, BREAK_UNION, BREAK_WATCH };
struct breakpoint {
	int id;
	enum break_kind kind;
	enum program_side side[2];
	int row[2];		/* ROW, WATCH: [0]; UNION: both */
	const char *rule;	/* RULE */
	const char *text;	/* as written */
	int hits;
};
int session_nbreak(const struct session *s);
const struct breakpoint *session_break(const struct session *s, int i);
bool session_row_breaks(const struct session *s, enum program_side side, int row);

/* ---- pages: each fills one kind of page for the present selection and question */
#define SESSION_PAGES(X) \
	X(OUTPUT, "output", "what the last command printed") \
	X(EXPLAIN, "explain", "the selected node: what it computes, nearest, first difference, near misses") \
	X(WHY, "why", "why two nodes are equal") \
	X(WHYNOT, "whynot", "why the selected node is not verified") \
	X(CLASS, "class", "members of the e-class") \
	X(RELATION, "relation", "layouts of the pair") \
	X(BIJECTIONS, "bijections", "candidate bijections of the pair") \
	X(NUMBERS, "numbers", "numbers of the selected pair on every device") \
	X(SOURCE, "source", "source of the selected node") \
	X(MATCHES, "matches", "rules that match here, and those that nearly do") \
	X(RULES, "rules", "all rules") \
	X(RULE, "rule", "one rule: text, comment, place") \
	X(HISTORY, "history", "firings and acts around the cursor") \
	X(ACTS, "acts", "what you did") \
	X(FRONTIER, "frontier", "frontier nodes") \
	X(ASSUMPTIONS, "assumptions", "what is taken for granted about the files") \
	X(HYPOTHESES, "hypotheses", "what is asserted about values") \
	X(GOALS, "outputs", "outputs and their verdicts") \
	X(UNMATCHED, "unmatched", "values without counterpart") \
	X(ALTERNATIVES, "alternatives", "other relations of what was inferred, and what they prove") \
	X(BREAKPOINTS, "breakpoints", "breakpoints and watches") \
	X(CLASSES, "classes", "counts of the e-graph, large classes") \
	X(PLAN, "plan", "the relations of inputs and outputs") \
	X(FILES, "files", "files that were read") \
	X(LOG, "log", "commands that were run")
enum session_page {
#define X(id, name, help) PAGE_##id,
	SESSION_PAGES(X)
#undef X
	SESSION_PAGE_COUNT
};
const char *session_page_name(enum session_page k);
const char *session_page_help(enum session_page k);
void session_page(struct session *s, enum session_page k, struct page *out);	/* out is cleared first */

/* ---- what was said */
enum say { SAY_MESSAGE, SAY_WARNING, SAY_ERROR };
const char *session_message(const struct session *s, enum say *how);	/* "": none */
void session_say(struct session *s, enum say how, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
int session_nlog(const struct session *s);
const char *session_log(const struct session *s, int i);	/* commands, oldest first */
/* What the status line says: counts, step, queue, `under A1`; wide enough for `width` columns. */
const char *session_status(struct session *s, int width, char *buf, size_t n);

/* ---- the world outside: registered by main, each may be NULL */
struct session_host {
	void *ctx;
	/* A page is to be looked at: without a screen it is printed, with one its view is shown. */
	void (*show)(void *ctx, enum session_page k);
	/* A line of a script was run: its message is there to be shown. */
	void (*said)(void *ctx);
	/* A command that is the screen's; false: it is not one.  Without a screen NULL. */
	bool (*screen_command)(void *ctx, const char *line);
	/* The names of those, for help and completion; false behind the last. */
	bool (*screen_name)(void *ctx, int i, const char **name, const char **args, const char **help);
	const char *(*screen_view)(void *ctx, int i);	/* the name of its i-th view, NULL behind the last */
	bool (*save_screen)(void *ctx, const char *file);	/* false with errno */
	bool (*edit)(void *ctx, const char *file, int line);	/* false with errno, or 0 in it: it ran, and ended with an error */
	/* Called while work takes long; true: stop. */
	bool (*busy)(void *ctx, const char *what);
	void (*quit)(void *ctx);
	bool asks;		/* a person is there to be asked before acts are lost */
};
void session_set_host(struct session *s, const struct session_host *h);

/* What `rule check` has found so far, the worst of it: PARTLY, when it was stopped or nothing could be compared. */
enum checked { CHECKED_NOTHING, CHECKED_RIGHT, CHECKED_PARTLY, CHECKED_WRONG };
enum checked session_checked(const struct session *s);

/* ---- settings */
#define SESSION_SETTINGS(X) \
	X(LIMIT, "limit", 100000, 1, "firings of one instruction before it is cut") \
	X(WORK, "work", 100, 0, "billions of steps that a run on numbers may take") \
	X(WIDTH, "width", 79, 20, "columns of the text of help") \
	X(LINES, "lines", 60, 1, "lines of long lists and explanations")
enum session_setting {
#define X(id, name, value, least, help) SET_##id,
	SESSION_SETTINGS(X)
#undef X
	SESSION_SETTING_COUNT
};
int64_t session_setting(const struct session *s, enum session_setting k);

#endif
