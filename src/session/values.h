/* values.h - the numbers of every instruction of both programs, from one run on related inputs.
 *
 * For looking at: a matrix of a row on every device, whether two rows agree
 * under a relation, and which row of the baseline a row is by its numbers.  That
 * numbers agree proves nothing.  Rows inside of called computations, loops and
 * branches have numbers too: those of one trip where a loop stands as one body, and
 * only on the devices that take the branch.
 *
 * Owns what the run made.  The session must outlive it.
 */
#ifndef DIVERGE_VALUES_H
#define DIVERGE_VALUES_H

#include "problem/numbers_run.h"
#include "session/row_map.h"

struct values;
struct cut;

struct values_options {
	enum numbers_kind kind;
	uint64_t seed;
	enum interp_reading reading;
	bool rounded;			/* inputs are rounded to their types in either reading: two runs have the same */
	bool outputs;			/* only the rows that the outputs compare are kept, for what fits no memory as a whole */
	int64_t trip;			/* of loops that stand as one body; -1: the last */
	const struct cut *part;		/* run this part of the programs, which must outlive the values; NULL: all of them */
};
/* Runs both programs.  NULL and why not: too large, stopped, an operation without meaning. */
struct values *values_run(struct session *s, const struct values_options *o, const char **why);
void values_free(struct values *v);
enum numbers_kind values_kind(const struct values *v);
uint64_t values_seed(const struct values *v);
int64_t values_trip(const struct values *v);
bool values_in_loop(const struct values *v, enum program_side side, int row);	/* its numbers are those of that trip */
/* A row's tensor on a device, or NULL. */
const tensor *values_of(const struct values *v, enum program_side side, int row, int device);
int values_devices(const struct values *v, enum program_side side);
double values_number(const tensor *t, int64_t k);
/* A place of a row's value as people write it: [0,3,7]. */
const char *values_place_text(const struct row *r, int64_t at, char *buf, size_t n);

struct value_difference {
	int device;
	int64_t local, global;
	double dist, base;
};
/* After the run: what the outputs' checks of numbers_setup say, and the setup. */
const struct numbers_setup *values_setup(const struct values *v);
numbers_result values_check(struct values *v, int check);

/* Do the two rows agree where the map relates them?  False: *d is the first place where not.  True also where a row has
 * no numbers. */
bool values_agree(const struct values *v, int base, int dist, struct row_map *map, struct value_difference *d);
/* The row of the baseline that a distributed row is by its numbers, and through which placements ("tp:S(1)", "tp:P(sum)");
 * -1: none of those that were tried.  A row of one small whole number
 * only is nobody's.  Kept once found; the chain lives as long as v. */
int values_like(const struct values *v, int dist, const char **chain);
bool values_telling(const struct values *v, int dist);	/* it has numbers, and not one small whole number only */
/* How far the row is, in one run, from what its baseline row is in another, placed as values_like found in v; relative to
 * the largest value, infinite where only one is a number.  NAN: no such row, or no numbers. */
double values_apart(const struct values *v, int dist, const struct values *base, const struct values *local);
/* How far a row is in one run from itself in another, over all devices; NAN: no numbers. */
double values_change(const struct values *v, const struct values *w, enum program_side side, int row);

#endif
