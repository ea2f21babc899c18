/* values.h - the numbers of every instruction of both programs, from one run on related inputs.
 *
 * For looking at: a matrix of a row on every device, whether two rows agree
 * under a relation, and which row of the baseline a row is by its numbers.  That
 * numbers agree proves nothing.  Rows inside of called computations have none.
 *
 * Owns what the run made.  The session must outlive it.
 */
#ifndef DIVERGE_VALUES_H
#define DIVERGE_VALUES_H

#include "numbers_run.h"
#include "row_map.h"

struct values;

/* Runs both programs, in double precision.  NULL and why not: too large, stopped, an operation without meaning. */
struct values *values_run(struct session *s, enum numbers_kind kind, uint64_t seed, const char **why);
void values_free(struct values *v);
enum numbers_kind values_kind(const struct values *v);
uint64_t values_seed(const struct values *v);
/* A row's tensor on a device, or NULL. */
const tensor *values_of(const struct values *v, enum program_side side, int row, int device);
int values_devices(const struct values *v, enum program_side side);
double values_number(const tensor *t, int64_t k);

struct value_difference {
	int device;
	int64_t local, global;
	double dist, base;
};
/* Do the two rows agree where the map relates them?  False: *d is the first place where not.  True also where a row has
 * no numbers. */
bool values_agree(const struct values *v, int base, int dist, struct row_map *map, struct value_difference *d);
/* The row of the baseline that a distributed row is by its numbers, and through which placements ("tp:S(1)", "tp:P(sum)");
 * -1: none of those that were tried.  A row of one number only is nobody's.  Kept once found; the chain lives as long as v. */
int values_like(const struct values *v, int dist, const char **chain);

#endif
