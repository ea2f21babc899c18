/* numbers_in.h - what the files of numbers.h share; nobody else includes it. */
#ifndef DIVERGE_NUMBERS_IN_H
#define DIVERGE_NUMBERS_IN_H

#include "interp/numbers.h"

/* Words of one global tensor: doubles, integers, or pairs of doubles. */
struct stock {
	double *f;
	int64_t *i;
	int64_t words;
	tensor *hold;		/* whose memory this is; NULL: an arena's */
	int readers;		/* parameters of dist that are still to be made of it */
};

struct side {
	const numbers_side *s;
	interp *run;
	int ndev;
	tensor ***input;	/* [device][parameter] */
};

/* How far rounding alone moves what a check compares. */
struct shaken {
	double *plain;	/* the values of the first run */
	int64_t n;
	double spread;	/* the largest distance of another run's from them */
	bool hides;	/* a difference that is not much larger */
};

struct numbers {
	const numbers_problem *p;
	arena arena;
	uint64_t seed, rng[4];
	enum numbers_kind kind;
	struct stock *global;
	struct side base, dist;
	int nudge;		/* see interp_options */
	bool running_dist;
	double base_work, dist_work;	/* estimates, for the progress call */
	tensor ***assumed;	/* [assumption][device] */
	tensor **replacement;	/* cut instruction of the baseline -> its value, by global tensor */
	struct shaken *shaken;	/* by check, NULL: not asked */
};

/* ---- numbers_draw.c: random numbers, and local tensors made of them */
enum numbers_use { USE_GLOBAL, USE_BASE, USE_DIST, USE_ASSUMED };
void numbers_stream(struct numbers *n, enum numbers_use use, int k);	/* what is drawn from here on depends on these and the seed */
struct stock numbers_hold(arena *a, enum etype t, int64_t n);	/* likewise, to be let go of by itself */
void numbers_let_go(struct stock *s);
void numbers_draw(struct numbers *n, const numbers_global *g, struct stock *s);
bool numbers_has_parts(const numbers_relation *r);
double numbers_factor(const numbers_relation *r);
void numbers_index(const numbers_relation *r, int device, int64_t from, int64_t n, int64_t *index);
tensor *numbers_leaf(tensor *t, int want);	/* the want-th array in a value, or NULL */
void numbers_fill(struct numbers *n, struct side *s);	/* s->input from the global tensors.. */
int numbers_first_leaf(const comp *e, int param);		/* which array, of all parameters, a parameter's first one is */
void numbers_fill_param(struct numbers *n, struct side *s, int param);	/* .. one parameter's, after numbers_room */
void numbers_room(struct numbers *n, struct side *s);
void numbers_drop(struct side *s);
void numbers_fill_family(struct numbers *n, const numbers_relation *r, int ndev, tensor **t);	/* one tensor per device */

/* ---- numbers_compare.c: false when one side is no tensor of that kind */
bool numbers_compare(struct numbers *n, int check, numbers_result *out);
bool numbers_shaken(struct numbers *n, int check);	/* the values of this run, beside those of the first one */

#endif
