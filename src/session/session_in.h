/* session_in.h - what a session is made of, for the files that keep it. */
#ifndef DIVERGE_SESSION_IN_H
#define DIVERGE_SESSION_IN_H

#include "fault/frontier.h"
#include "pair/level.h"
#include "problem/counterexample.h"
#include "report/source.h"
#include "session/acts.h"
#include "session/align.h"
#include "session/scopes.h"
#include "session/session.h"
#include "session/values.h"

struct boundary {
	trail_mark mark;
	uint32_t hist;		/* history entries then */
	int pos;		/* rows taken up then */
	uint32_t moves;		/* .. and moves of the pair since the last of them */
};

/* A level of the search that has begun or ended, when so many firings were done. */
struct told {
	uint32_t hist;
	const char *text;
};

enum fold_kind { FOLD_GROUP, FOLD_RUN };
struct fold {
	enum fold_kind kind;
	enum program_side side;	/* the row it was made at; the fold reaches as far as rows are alike */
	int row;
	int depth;		/* GROUP: components of the prefix */
	uint64_t seen;		/* what from and to were found for, + 1; 0: not yet */
	size_t from, to;	/* in the alignment; to is excluded */
};

/* Lines that follow each other in the alignment: a fold, or unfolded ones. */
struct stretch {
	size_t from, to;	/* in the alignment */
	size_t line;		/* the first one's number on the screen */
	const struct fold *fold;	/* NULL: unfolded */
	const char *label;	/* of a fold, once it was looked at */
	uint64_t seen;		/* when the history stood so (moved + 1) .. */
	struct session_line inside;	/* .. this was in the fold */
};

/* The words for two layouts, until the history moves: then numbers may name others. */
#define RELATIONS_KNOWN 256
struct relation_known {
	uint64_t key;
	const char *text;
};

/* What is known of the run's end, with these acts and this limit: the frontier that stands then. */
struct outlook {
	bool known;
	uint64_t of;
	bool *stands;		/* per row of DIST */
};

/* What the list of lines was made of. */
struct lines_of {
	uint64_t realigned, folded, moved;
};

struct session {
	struct problem *p;
	struct session_host host;
	uint64_t version;	/* of everything */
	uint64_t moved;		/* of the history alone */
	arena text;		/* names, logs: grows only */
	int64_t setting[SESSION_SETTING_COUNT];

	/* history */
	vec boundary;		/* struct boundary; one more than steps are done */
	uint32_t known;
	uint32_t runs;		/* histories that have begun */
	bool anew;		/* .. this one with more assumptions than the one before */
	bool looks_ahead;	/* the run is only looked at, and will be taken back */
	uint64_t work;		/* moves since the command began, trials included */
	struct outlook outlook;
	struct {
		uint32_t step;
		int row;
	} stopped;		/* where `continue` stopped last; row of DIST, -1: nowhere */
	int at_pos;		/* row that is being worked at */
	uint32_t moves;		/* of the pair since then */
	levels levels;		/* of the search, when everything is lifted */
	vec pass;		/* uint32_t: steps at which `iterate` began, falling ones taken away */
	vec told;		/* struct told: what became of levels */
	uint32_t told_said;	/* how many of them the message line has spoken of */
	vec act, undone;	/* struct act */
	int next_act;
	uint64_t saved_acts;	/* acts_version when the session was saved */
	bool found_saved;	/* .. and so were the inputs on which `test` saw an output differ */
	uint32_t left_at;	/* lines there were when leaving was warned of; 0: never */
	const char *broken;	/* a contradiction, or NULL */
	bool ranges_tried;	/* that lookups suggest (trial_ranges) */
	bool closed_tried, closed_searched;	/* sums left closed (trial_closed, trial_closed_search) */
	bool numbers_tried;	/* of the program that are not 0 (trial_numbers) */

	/* made when asked for */
	states *st;
	uint64_t st_moved, frontier_moved, aligned_moved;
	arena frontier_text, lines_text, relation_text;
	frontier front;
	const frontier_report **explained;	/* per entry of it, NULL: nobody has asked */
	bool *on_frontier;	/* per row of DIST */
	bool *refuted;		/* per goal: numbers were found on which the output differs */
	char *test;		/* what `test` was given when it last found such numbers, or NULL */
	struct values *values;	/* of both programs, once they were asked for; NULL: not yet */
	int64_t element;	/* place in a row of the baseline that a person asked for */
	int element_row;	/* that row, or -1: none was */
	struct counterexample *found;	/* the last of them; NULL: none */
	struct relation_known relation_known[RELATIONS_KNOWN];
	struct counts counts;
	struct alignment al;
	uint64_t realigned;	/* changes when rows stand side by side otherwise */
	vec stretch;		/* struct stretch: what the lines are */
	size_t nline;
	struct lines_of lines_of;
	uint64_t lines_version;
	scopes scopes[2];	/* by side */
	vec fold;
	uint64_t folded;	/* changes with the folds */

	struct selection sel;
	uint64_t sel_moved;
	int frame;		/* frames up from the innermost user frame */
	struct sources *src;
	vec brk;		/* struct breakpoint */
	int next_break;

	/* questions that pages answer */
	char why[1300];		/* two nodes, as `why` was given them; "": the selected pair, or the contradiction */
	struct { eg_id a, b; char text[64]; } contradiction;	/* while `broken` is set */
	char rule_shown[128];
	struct { char rule[128]; int base, dist; } whynot;	/* a rule, or two rows; "" and -1: the selected row */
	struct page output;
	char message[1024];
	enum say how;
	vec log;		/* const char * */
	char repeat[512];	/* what an empty line does */
	bool quit;
	bool failed;		/* the command that runs said an error */
	enum checked checked;	/* the worst that `rule check` has found */
	int depth;		/* of scripts */
};

void session_changed(struct session *s);	/* something a view shows */
void session_moved(struct session *s);		/* .. the history */
states *session_states(struct session *s);	/* up to date */
const frontier *session_front(struct session *s);
void session_start(struct session *s);		/* after (re)loading: an empty history */
bool session_busy(struct session *s, const char *what);
void session_reveal(struct session *s, enum program_side side, int row);	/* unfolds what hides it */
/* The baseline row to compare a row of DIST with: its counterpart, the nearest candidate, the one beside it; or -1. */
int session_nearest(struct session *s, int dist_row);
const frontier_entry *session_entry(struct session *s, int dist_row);	/* NULL: not on the frontier */
const frontier_report *session_explained(struct session *s, const frontier_entry *e);	/* of session_front; kept until the history moves */
bool session_fold(struct session *s, const char *how);
void session_default_folds(struct session *s);

#endif
