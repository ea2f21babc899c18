/* interp.h - runs a module on numbers, on all its devices at once.
 *
 * Two readings.  INTERP_REALS: every float type holds a double, nothing is
 * rounded, and zero has no sign.  INTERP_DECLARED: every result is rounded to
 * its element type (to nearest, ties to even; overflow as the format says),
 * folds round at every step, a product sums in double and rounds once.
 * Integers wrap and truth values are 0 or 1 in both; a bitcast reads the bits
 * of the declared type.
 *
 * Devices run in lockstep, instruction by instruction: device = replica *
 * partitions + partition.  Equal values are shared between devices, not
 * computed twice.  A value is freed after its last use.
 *
 * Ownership: tensors are counted; `tensor_ref` and `tensor_unref` keep and
 * release.  What a run returns lives until `interp_free`.  Shapes stay with the
 * module (or whoever made them) and must outlive the tensors.
 *
 * Errors: `interp_run` returns false, and `interp_why` says why in words: an
 * operation without public meaning, an interrupt, a limit.
 */
#ifndef DIVERGE_INTERP_H
#define DIVERGE_INTERP_H

#include <stdbool.h>
#include <stdint.h>
#include "tensor/graph.h"

typedef struct tensor tensor;
struct tensor {
	const shape *shape;
	int64_t n;		/* elements; 0 for tuples and tokens */
	double *f;		/* float types; complex types as pairs */
	int64_t *i;		/* pred and integers, extended by their sign; u64 as its bits */
	int nelem;		/* tuples */
	tensor **elem;
	uint32_t refs;
	bool fixed;		/* the numbers belong to somebody else: never written */
	tensor *owner;		/* whose numbers these are, when they are another tensor's */
	size_t bytes;		/* of its own numbers */
	struct interp *run;	/* whose memory is counted, or NULL; such a tensor must not outlive it */
};

tensor *tensor_new(const shape *s);	/* zeros; tuples deeply */
/* A tensor over numbers that belong to the caller and outlive it: never written, not freed.  One of f and i is NULL. */
tensor *tensor_over(const shape *s, int64_t n, const double *f, const int64_t *i);
tensor *tensor_ref(tensor *t);
void tensor_unref(tensor *t);		/* NULL is fine */
/* Rounds n numbers to an element type in place; f64 and what is no float type stay. */
void interp_round(enum etype t, int64_t n, double *f);
void interp_unsign(int64_t n, double *f);	/* takes the sign from zeros */
int64_t interp_wrap(enum etype t, int64_t v);	/* an integer or truth value brought into its type */

enum interp_reading { INTERP_REALS, INTERP_DECLARED };

typedef struct interp_options {
	enum interp_reading reading;
	int64_t replicas, partitions;	/* at least 1 each */
	bool fill_elided;	/* give constants written {...} numbers drawn from seed, type, shape and order */
	uint64_t seed;
	int64_t trip_limit;	/* iterations of one loop; 0: a million */
	double byte_limit;	/* numbers held at once; 0: none */
	int nudge;		/* 1, -1: a result in which an operand is lost (the hyperbolic tangent of 30, 1 + 1e-20) is moved by up to
				 * 1024 units in the last place, the operand says how far, the other way round for -1; 0: it stays */
	bool (*keep)(void *ctx, const inst *i);	/* entry instructions to ask for after the run; NULL: none */
	/* after every instruction, called computations included: path holds the calling instructions, outermost
	 * first; value[k] belongs to device[k], and may be written over later unless a reference is taken.
	 * NULL: not wanted. */
	void (*visit)(void *ctx, const inst *const *path, int depth, const inst *i, int ndev, const int *device,
		      tensor *const *value);
	/* A value to take instead of running an entry instruction, or instead of an input: a new reference, or NULL.  NULL: never. */
	tensor *(*replace)(void *ctx, const inst *i, int device);
	/* A module of one device that computes a custom call without public meaning, from its operands its first results, and is
	 * freed then (the others are 0); NULL: it has none.  NULL: no call has. */
	module *(*meaning)(void *ctx, const inst *i);
	/* Why one has none, in words behind its name, in the arena; NULL: nobody knows such a call.  NULL: as if it gave NULL. */
	const char *(*refusal)(arena *a, const inst *i);
	int (*progress)(void *ctx, double done, double total);	/* now and then; nonzero stops the run */
	void *ctx;
} interp_options;

typedef struct interp interp;
interp *interp_new(const module *m, const interp_options *o);
void interp_free(interp *r);
/* input[device][parameter]; the tensors stay the caller's.  NULL: `replace` gives it. */
bool interp_run(interp *r, tensor *const *const *input);
const char *interp_why(const interp *r);	/* after false */
const inst *interp_where(const interp *r);	/* the instruction that was refused, or NULL */
bool interp_stopped(const interp *r);		/* the progress call said so */
tensor *interp_output(const interp *r, int device);
tensor *interp_value(const interp *r, const inst *i, int device);	/* NULL unless kept */
int64_t interp_trip(const interp *r, int depth);	/* while it runs: of the loop at this depth of the path, from 0 on */
/* What the run took for granted ("rng_default is read as philox"), NULL at the end. */
const char *interp_assumed(const interp *r, int k);

typedef struct interp_cost {
	double madds;		/* multiply-adds and elementwise steps, all devices */
	double bytes;		/* numbers held at once, at most, all devices */
	bool loops_unknown;	/* a loop of unknown length counted once */
} interp_cost;
interp_cost interp_estimate(const module *m, int64_t ndev);
double inst_work(const inst *i);	/* steps of one device; of a call, a loop or a branch: none of what it calls */

/* The axis that a custom call's backend_config names, the last one without: not checked against the rank. */
int64_t interp_custom_axis(const inst *i, int rank);

#endif
