/* pair.h - two programs in one e-graph: what is lifted when, and what has to be shown.
 *
 * Order (DESIGN section 5): the parameters of both programs as the plan relates
 * them, the baseline in program order, the distributed program, then the goals.
 * After every instruction the worklist is emptied.  Where the lifting stands is
 * on the trail: a pair can be stepped back and forth.
 *
 * A goal is a real node: the tensor that the plan's relation makes of the
 * baseline's output; it is met when it and the distributed output (reduced over
 * the axes of its P) are one class.
 */
#ifndef DIVERGE_PAIR_H
#define DIVERGE_PAIR_H

#include "pair/chain.h"
#include "pair/program.h"
#include "prover/prover.h"

enum pin_kind { PIN_NONE, PIN_NUMBER, PIN_DEVICE, PIN_AXIS, PIN_ANY };

typedef struct input_relation {		/* of a parameter of the distributed program */
	int base;			/* parameter of the baseline; -1: none (pinned) */
	int base_row;			/* a row of the baseline it holds, else -1 */
	chain c;
	enum pin_kind pin;
	double value;
	int axis;
	bool inferred;
	bool positive, nonzero;
	bool has_range;
	int64_t lo, hi;
	const char *where;		/* "file:line" of the plan, or "inferred" */
} input_relation;

typedef struct output_relation {
	int base;			/* output of the baseline; -1: none */
	int base_row;			/* a row of the baseline it is compared with, else -1 */
	chain c;
	bool any, inferred;
	const char *where;
} output_relation;

typedef struct row_relation {		/* what a plan says of two instructions */
	int base_row, dist_row;
	output_relation rel;
	bool assumed;			/* a hypothesis; else an obligation, a goal of its own */
} row_relation;

typedef struct goal {
	int out;			/* output of the distributed program, or -1: a row (an obligation) */
	int base_row, dist_row;
	const output_relation *rel;
	eg_id want, have;		/* Tensor nodes, NIL until built */
	eg_id bcell, dcell;		/* the forms they were built on: what they mean rests on these too */
	const char *why;		/* why it could not be built, or NULL */
	bool compared;
	bool within;			/* speaks of every trip of a loop: it holds where the loops around the row keep what they begin with */
} goal;

/* The relation that a pair cannot start with. */
typedef struct pair_refusal {
	enum { REFUSED_BASE_INPUT, REFUSED_INPUT, REFUSED_ROW } what;
	int k;				/* the parameter, or which of the row relations */
	const char *why;
} pair_refusal;

/* A loop of the distributed program runs in step with one of the baseline: what is carried is related in one way, at the
 * beginning of every trip (RULES section 5, invariant). */
typedef struct loop_relation {
	int base;			/* loop of the baseline, or -1 */
	int *partner;			/* per carried value: the baseline's, or -1: nothing is said of it */
	output_relation *rel;		/* per carried value: its chain */
} loop_relation;

typedef struct loop_claims {		/* per loop of the distributed program */
	bool made;			/* .. one of whose trips is lifted */
	goal *init, *body;		/* per carried value; compared: it has to be shown */
	goal cond;
} loop_claims;

typedef struct pair {
	prover *p;
	program *base, *dist;
	mesh ms;
	mesh base_ms;			/* of the baseline */
	const chain *base_in, *base_out;	/* per parameter, per output of a distributed baseline: from the global tensor; else NULL */
	row *global;			/* per baseline row of a parameter, with base_in: the global tensor it is made of */
	struct whole_row *whole;	/* per baseline row, with base_in: where pair_whole puts lists */
	int ninput, noutput;
	input_relation *in;
	output_relation *out;
	input_relation *base_pin;	/* per baseline parameter: pins, ranges */
	int nrelated;
	const row_relation *related;
	bool *cut_row;			/* per row of the baseline: its value is arbitrary */
	const loop_relation *loop;	/* per loop of the distributed program */
	bool *const *tame;		/* per loop of the baseline and carried value: finite before the loop, and kept so */
	loop_claims *claims;
	vec closed;			/* per loop of the distributed program: what became of it, on the trail */
	int ngoal;
	goal *goal;
	vec row_of;			/* per Tensor node: side and row + 1, on the trail */
	vec cursor;			/* one word: how many rows are lifted, goals counted last; trailed */
	arena a;
	int nrefused;			/* lines of the plan about inner values that could not be carried out, with the reason */
	const char **refused;
	uint64_t limit;			/* firings per instruction before it is cut; its work has a limit, too */
	bool cut;
	const row *cut_at;		/* NULL: behind all rows, at the outputs */
	bool cut_by_work;		/* not by firings: tables and scratch memory */
} pair;

pair *pair_new(prover *p, program *base, program *dist, const mesh *ms, input_relation *in, output_relation *out,
	       input_relation *base_pin);
/* Before pair_start: relations of inner instructions, and rows of the baseline that are cut (kept, not copied). */
void pair_relate(pair *q, int n, const row_relation *r, bool *cut_row);
/* Before pair_start: the baseline runs on the devices of a mesh, and its parameters and outputs are what the chains make of
 * global tensors (kept, not copied); DIST is then related to those. */
void pair_spread_base(pair *q, const mesh *ms, const chain *in, const chain *out);
/* Before pair_start: how loops correspond (kept, not copied); without this none does. */
void pair_loops(pair *q, const loop_relation *r, bool *const *tame);
bool pair_loop_holds(const pair *q, int l);	/* loop l of the distributed program keeps its invariant */
/* A value of the baseline's loop that was taken to be finite and is not shown to stay so, or -1. */
int pair_loop_untame(const pair *q, int base_loop);
/* ---- of a proof that is gone through: what loops carry that is finite */
/* Values of the baseline's loops learn that they are finite, as far as is shown by now; has any? */
bool pair_loop_learn(pair *q);
/* The baseline's loop whose variable this core is, or -1. */
int pair_loop_of(const pair *q, eg_id core);
/* Does an induction over these two loops rest on what is not shown: that a value stays finite?  NULL, or the reason. */
const char *pair_loop_infinite(pair *q, int base_loop, int dist_loop);
/* The forms (x a Tensor node, y its cell) that tell whether values of the baseline's loop are finite; at most `most`. */
int pair_loop_forms(const pair *q, int base_loop, int most, eg_id (*form)[2]);
/* A loop that was refused may hold by now, by an act or a search: is there one; has it lifted again, true when it did. */
bool pair_loop_due(const pair *q);
bool pair_loop_again(pair *q);
void pair_free(pair *q);
/* Relates all parameters; false, and what cannot be related. */
bool pair_start(pair *q, pair_refusal *no);

enum pair_event { PAIR_FIRED, PAIR_LIFTING, PAIR_DONE };
/* Makes the distributed instruction equal to what the chain makes of the baseline's: a hypothesis.  NULL and its firing, or why not. */
const char *pair_assume(pair *q, int base_row, int dist_row, const chain *c, uint32_t *firing);
/* Moves by one look at a node, or by taking up the next row.  PAIR_FIRED: a rule fired. */
enum pair_event pair_move(pair *q);
bool pair_over(pair *q);			/* the row that is being lifted has used up its limit: then `cut` is set, too */
const char *pair_cut_text(const pair *q, arena *a);	/* of a pair that is cut: what was too much, and where */
bool pair_done(const pair *q);			/* everything lifted, goals built, worklist empty */
void pair_run(pair *q);				/* to the end */
int pair_position(const pair *q);		/* rows taken up */
int pair_length(const pair *q);
/* The row that is being lifted, or NULL. */
const row *pair_current(const pair *q, const program **prog);
int pair_related(const pair *q);		/* distributed rows whose core is a baseline row's */
bool goal_met(const pair *q, const goal *g);
bool pair_loop_around(const pair *q, int l, int row);	/* is the row of the distributed program in its loop l? */
/* What a met goal says: it and the output are equal, and the forms it was built on are those of the two instructions. */
void goal_ends(const pair *q, const goal *g, eg_id out[3][2]);
/* That, and what building it took for equal: where the table had an older node its operands, and what was opened; of a value
 * within loops what these keep, too.  A proof of the output is one of all n pairs, in s; 0: it cannot be built again.  Built on a mark. */
uint32_t goal_claims(pair *q, const goal *g, arena *s, eg_id (**claim)[2]);
/* What a baseline row is to DIST: its shape, layout and core; of a distributed baseline those of the tensor that its devices
 * hold together (whole.h).  False when it is not lifted, or they hold no such tensor. */
bool pair_whole(const pair *q, int base_row, row *whole, layout *l, eg_id *core);
/* ---- for a proof that comes from elsewhere, and is gone through without lifting anything */
void pair_take_rows(pair *q);			/* after pair_start: every row gets its Tensor node */
eg_id pair_fallback(pair *q, eg_id tensor);	/* as what the instruction stands when no rule lifts it; NIL: never */
/* Each builds what the pair itself would build, had it taken these forms of the rows; NULL, or why it cannot.  What is
 * built stands in the algebra's `made`. */
const char *pair_goal_on(pair *q, goal *g, eg_id bcell, eg_id dcell);	/* g->want and g->have */
/* The two nodes of a hypothesis.  dcell: NIL when nothing is reduced. */
const char *pair_assumed_on(pair *q, int base_row, int dist_row, const chain *c, eg_id bcell, eg_id dcell, eg_id node[2]);
const char *pair_give_late(pair *q, int dist_row, eg_id bcell);	/* a parameter that holds an inner value: its given unions */

/* side and row of a Tensor node; false when it is no instruction's */
bool pair_row_of(const pair *q, eg_id tensor, enum program_side *side, int *row);
const row *pair_row(const pair *q, enum program_side side, int row);

#endif
