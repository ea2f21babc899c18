/* numbers.h - two programs run on related random numbers, and compared.
 *
 * Both programs are views of the same global tensors.  A relation says, for
 * every device and every place of its local tensor, which place of the global
 * tensor is meant, or that it holds zero or anything; a factor; and, for a
 * partial value, which of several parts the device holds, and which devices
 * together make the whole.  A plain baseline relates by identity.
 *
 * Parts of a sum are unequal and of both signs, so that a sum left out, or one
 * too many, shows.  Numbers come from xoshiro256** (Blackman and Vigna, 2018):
 * a seed gives the same numbers everywhere, and to every global tensor and every
 * stream of parts its own, whatever else is drawn.
 *
 * Over the reals a difference is one only if rounding does not explain it: both
 * programs run again with all results rounded up, and down, and operands that
 * rounding loses told apart, and a check whose values move nearly as far is not
 * comparable on those numbers (`overflow`).
 *
 * Nothing here knows plans or files: the host turns its relations into maps.
 */
#ifndef DIVERGE_NUMBERS_H
#define DIVERGE_NUMBERS_H

#include "interp/interp.h"

enum { NUMBERS_ZERO = -1, NUMBERS_ANY = -2 };	/* instead of a global place */
enum numbers_fold { NUMBERS_WHOLE, NUMBERS_SUM, NUMBERS_MAX, NUMBERS_MIN, NUMBERS_AND, NUMBERS_OR };
enum numbers_kind {
	NUMBERS_INTEGERS,	/* floats are whole numbers of -4..4: exact sums, ties, zeros */
	NUMBERS_NORMAL,		/* of both signs */
	NUMBERS_POSITIVE,	/* 0.3..2 */
	NUMBERS_TIES,		/* -1, 0 or 1; all truth values of one tensor are equal */
	NUMBERS_WIDE,		/* whole numbers of -400..400: more than a narrow type can hold exactly */
	NUMBERS_KINDS
};

typedef struct numbers_relation {
	int global;		/* which global tensor; -1: none, see value.  One that no relation names is not drawn */
	double scale;		/* local = scale * global; 0 means 1 */
	/* index[0 .. n) for n of the local places of one device from `from` on, row-major; NULL: place k is global place k */
	void (*map)(void *ctx, int device, int64_t from, int64_t n, int64_t *index);
	double (*value)(void *ctx, int device);	/* an input without counterpart; NULL: anything */
	void *ctx;
	int stream;		/* parts, and places that hold anything, are drawn by this number; 0: by its place in `input`, from 1 on */
	enum numbers_fold fold;
	int nparts;
	const int *part;	/* device -> the part it holds, 0 .. nparts - 1 */
	const int *group;	/* device -> the group whose parts make one whole; NULL: all together */
} numbers_relation;

/* One global tensor that inputs are drawn from. */
typedef struct numbers_global {
	enum etype type;
	int64_t n;		/* elements */
	bool bounded, positive;
	double lo, hi;		/* when bounded, both ends included */
	const inst *inst;	/* an inner entry instruction of a baseline on one device, or NULL: */
	bool cut;		/* it is replaced by this tensor; else this tensor is what it computes */
} numbers_global;

typedef struct numbers_side {
	const module *m;
	int64_t replicas, partitions;
	const numbers_relation *input;	/* one per array in the entry parameters, in order */
} numbers_side;

/* One thing to compare: an array of the results (`leaf`), or an entry instruction. */
typedef struct numbers_place {
	int leaf;
	const inst *inst;	/* NULL: leaf */
	numbers_relation rel;	/* its `global` is ignored */
} numbers_place;
typedef struct numbers_check {
	int64_t n;		/* elements of the global tensor meant */
	numbers_place base, dist;
} numbers_check;

/* The words of a global tensor: by its type one of them, or none. */
typedef struct numbers_values { const double *f; const int64_t *i; } numbers_values;
/* An entry instruction of dist that is taken for granted to hold what a relation makes of a global tensor. */
typedef struct numbers_assumed {
	const inst *inst;	/* of array shape */
	numbers_relation rel;
} numbers_assumed;

typedef struct numbers_problem {
	numbers_side base, dist;
	int nassumed;
	const numbers_assumed *assumed;
	int nglobal;
	const numbers_global *global;
	/* Instead of what is drawn, by global tensor; NULL: nothing.  Everything is drawn all the same, so that the parts
	 * of sums and the places that hold anything are those of the seed. */
	const numbers_values *given;
	int ncheck;
	const numbers_check *check;
	enum interp_reading reading;
	bool fill_elided;
	module *(*meaning)(void *ctx, const inst *i);	/* see interp.h */
	const char *(*refusal)(arena *a, const inst *i);	/* likewise */
	bool rounded;		/* inputs are rounded to their types, whatever the reading */
	bool keep_inputs;	/* numbers_floats and numbers_ints will be asked for; else what is read no more is let go of */
	/* Sees every instruction of both programs run (see interp.h); NULL: not wanted. */
	void (*visit)(void *ctx, bool dist, const inst *const *path, int depth, const inst *i, int ndev, const int *device,
		      tensor *const *value);
	double tolerance;	/* of the largest value of an output; 0: 1e-6 */
	double byte_limit;	/* 0: none */
	int (*progress)(void *ctx, double done, double total);	/* see interp.h; counts both runs */
	void *ctx;
} numbers_problem;

enum numbers_verdict { NUMBERS_EQUAL, NUMBERS_DIFFER, NUMBERS_REFUSED };
typedef struct numbers_result {
	enum numbers_verdict verdict;
	double error;		/* largest difference over the largest value, of the worst check */
	int64_t compared;	/* places */
	/* NUMBERS_DIFFER: the first place that differs */
	int check, device;
	int64_t local, global;
	double base, dist;	/* both values, parts folded, the factor taken out of dist's */
	bool within_base;	/* `device` is one of the baseline's, and `dist` its value: its devices do not agree */
	bool ran;		/* both programs did */
	/* NUMBERS_REFUSED */
	bool in_dist, stopped;
	bool overflow;		/* another draw may be compared */
	const inst *where;	/* or NULL */
	const char *why;
} numbers_result;

typedef struct numbers numbers;
/* The problem and all it points to must outlive the numbers. */
numbers *numbers_new(const numbers_problem *p);
void numbers_free(numbers *n);
/* What the last run took for granted where the files say no more, each once; NULL: no more than k sentences.  They are static. */
const char *numbers_taken(const numbers *n, int k);
numbers_result numbers_run(numbers *n, enum numbers_kind kind, uint64_t seed);
numbers_result numbers_checked(numbers *n, int check);	/* after a run of both: one check by itself */
/* After a run that keeps its inputs: the numbers of a global tensor (floats or integers by its type); both interpreters. */
const double *numbers_floats(const numbers *n, int global);
const int64_t *numbers_ints(const numbers *n, int global);
int64_t numbers_words(const numbers_global *g);	/* how many of them there are */
const interp *numbers_interp(const numbers *n, bool dist);
const char *numbers_kind_name(enum numbers_kind k);

#endif
